/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The linear systems of the Radau methods.  For the eigenvalue c (gamma/h or (alpha + i beta)/h) a change of
 * (q, v, a, lambda, mu, z) obeys
 *     c dq - dv + Gh' dmu                          = b1      (dmu in the stabilized index-2 form only)
 *     c dv - da                                    = b2
 *     rq dq + rv dv + M da + G' dlambda + rz dz    = b3
 *     constraint level of the form, linearised     = b4
 *     c dz - zq dq - zv dv - zz dz                 = b5
 * The first two are solved for dv and da.  With y = c^2 dq and nu = c dmu the rest is
 *     [ M + rv/c + rq/c^2    G'   (M + rv/c) Gh'   rz       ] [ y  ]   [ b3 + rv b1 + M (c b1 + b2)        ]
 *     [ X                    .    G Gh'            .        ] [ dl ] = [ b4 times a power of c, and b1, b2 ]
 *     [ Gh                   .    .                .        ] [ nu ]   [ c^2 b4h                           ]
 *     [ -zv/c^2 - zq/c^3     .    .                I - zz/c ] [ dz ]   [ (b5 - zv b1) / c                  ]
 * with X = G (g = 0), G + gvq/c (G v + gt = 0) or G + gav/c + gaq/c^2 (G a + gamma = 0): all entries stay of the size
 * of those of the saddle point [M G'; G 0], whatever the step.  The columns of nu and the rows of Gh exist in the
 * stabilized form alone, where the rows X are those of the velocity level.  The derivative of Gh' mu is left out
 * of the matrix: mu is of the size of the error.
 * Right-hand sides and solutions of all systems stand in one array: N values of the real one, then N pairs of each
 * complex one. */
#include "methods/radau.h"

#include <string.h>

enum { B_M, B_RV, B_RQ, B_GT, B_G, B_GVQ, B_GAV, B_GAQ, B_GH, B_MG, B_DG, B_GG, B_RZ, B_ONE, B_ZZ, B_ZQ, B_ZV };

static int has_gvq(const struct mbs_stepper *s)
{
    return s->form == MBS_INDEX2 || s->form == MBS_GGL || s->form == MBS_BAUMGARTE || (s->form == MBS_INDEX3 && s->p->nh > 0);
}

static int has_ga(const struct mbs_stepper *s)
{
    return s->form == MBS_INDEX1 || s->form == MBS_BAUMGARTE || s->form == MBS_PROJECTED;
}

void radau_linear_layout(struct mbs_stepper *s, struct mbs_work *w)
{
    struct radau *r = s->self;
    const struct mbs_model *o = s->p->model;
    struct mbs_jacobian *j = &r->jac;

#define FIELD(name, count) j->name = mbs_work_doubles(w, (size_t)(count) + 1)
    FIELD(rq, o->rq.nnz);
    FIELD(rv, o->rv.nnz);
    FIELD(M, o->M.nnz);
    FIELD(G, o->G.nnz);
    FIELD(rz, o->rz.nnz);
    FIELD(zq, o->zq.nnz);
    FIELD(zv, o->zv.nnz);
    FIELD(zz, o->zz.nnz);
    if (has_gvq(s))
        FIELD(gvq, o->gvq.nnz);
    if (has_ga(s)) {
        FIELD(gaq, o->gaq.nnz);
        FIELD(gav, o->gav.nnz);
    }
    r->gh = mbs_work_doubles(w, (size_t)o->G.nnz + 1);
    r->gh_from = mbs_work_ints(w, 2 * (size_t)o->G.nnz + (size_t)o->nq + 2);
#undef FIELD
}

/* The holonomic rows of G as a pattern of their own. */
static void holonomic_rows(struct mbs_stepper *s)
{
    struct radau *r = s->self;
    const struct mbs_pattern *G = &s->p->model->G;
    int at = 0, *rowidx = r->gh_from + G->nnz, *colptr = rowidx + G->nnz;

    for (int j = 0; j < G->cols; j++) {
        for (int k = G->colptr[j]; k < G->colptr[j + 1]; k++)
            if (G->rowidx[k] < s->p->ng) {
                r->gh_from[at] = k;
                rowidx[at++] = G->rowidx[k];
            }
        colptr[j + 1] = at;
    }
    r->Gh = (struct mbs_pattern){ s->p->ng, G->cols, at, colptr, rowidx };
}

static int system_blocks(struct mbs_stepper *s, struct radau_system *y)
{
    struct radau *r = s->self;
    const struct mbs_model *o = s->p->model;
    int n = s->p->n, oc = n, oh = n + s->p->m, oz = oh + r->nmu, nz = s->p->nz, *b = y->block, bad = 0;

#define BLOCK(id, pattern, row, col, kind) (bad |= (b[id] = mbs_matrix_block(y->mat, &(pattern), 0, row, col, kind)) < 0)
    BLOCK(B_M, o->M, 0, 0, MBS_BLOCK_SYMMETRIC);
    BLOCK(B_RV, o->rv, 0, 0, MBS_BLOCK);
    BLOCK(B_RQ, o->rq, 0, 0, MBS_BLOCK);
    BLOCK(B_GT, o->G, 0, oc, MBS_BLOCK_TRANSPOSED);
    BLOCK(B_G, o->G, oc, 0, MBS_BLOCK);
    if (has_gvq(s))
        BLOCK(B_GVQ, o->gvq, oc, 0, MBS_BLOCK);
    if (has_ga(s)) {
        BLOCK(B_GAV, o->gav, oc, 0, MBS_BLOCK);
        BLOCK(B_GAQ, o->gaq, oc, 0, MBS_BLOCK);
    }
    if (r->ggl) {
        BLOCK(B_GH, r->Gh, oh, 0, MBS_BLOCK);
        BLOCK(B_MG, r->mg.pattern, 0, oh, MBS_BLOCK);
        BLOCK(B_DG, r->dg.pattern, 0, oh, MBS_BLOCK);
        BLOCK(B_GG, r->gg.pattern, oc, oh, MBS_BLOCK);
    }
    if (nz) {
        BLOCK(B_RZ, o->rz, 0, oz, MBS_BLOCK);
        BLOCK(B_ZZ, o->zz, oz, oz, MBS_BLOCK);
        BLOCK(B_ZQ, o->zq, oz, 0, MBS_BLOCK);
        BLOCK(B_ZV, o->zv, oz, 0, MBS_BLOCK);
        bad |= (b[B_ONE] = mbs_matrix_block(y->mat, NULL, nz, oz, oz, MBS_BLOCK)) < 0;
    }
#undef BLOCK
    return bad ? MBS_NO_MEMORY : mbs_matrix_ready(y->mat);
}

int radau_linear_open(struct mbs_stepper *s)
{
    struct radau *r = s->self;
    const struct mbs_model *o = s->p->model;

    if (r->ggl) {
        holonomic_rows(s);
        if (radau_product_new(&r->mg, &o->M, 1, &o->G, s->p->ng) || radau_product_new(&r->dg, &o->rv, 0, &o->G, s->p->ng)
            || radau_product_new(&r->gg, &o->G, 0, &o->G, s->p->ng))
            return MBS_NO_MEMORY;
    }
    for (int k = 0; k < 1 + (r->smax - 1) / 2; k++) {
        struct radau_system *y = &r->sys[k];
        y->mat = mbs_matrix_new(r->N, k ? MBS_MATRIX_COMPLEX : MBS_MATRIX_REAL);
        if (!y->mat || system_blocks(s, y))
            return MBS_NO_MEMORY;
    }
    return 0;
}

void radau_linear_close(struct mbs_stepper *s)
{
    struct radau *r = s->self;

    for (int k = 0; k < RADAU_SYSTEMS; k++)
        mbs_matrix_free(r->sys[k].mat);
    radau_product_free(&r->mg);
    radau_product_free(&r->dg);
    radau_product_free(&r->gg);
}

int radau_jacobian(struct mbs_stepper *s, struct mbs_state *x)
{
    struct radau *r = s->self;
    const struct mbs_model *o = s->p->model;

    mbs_eval_jacobian(s->p, x, &r->jac);
    /* the holonomic rows stand at position level */
    if (s->form == MBS_INDEX3 && r->jac.gvq)
        for (int k = 0; k < o->gvq.nnz; k++)
            if (o->gvq.rowidx[k] < s->p->ng)
                r->jac.gvq[k] = 0;
    if (r->ggl) {
        for (int k = 0; k < r->Gh.nnz; k++)
            r->gh[k] = r->jac.G[r->gh_from[k]];
        radau_product_values(&r->mg, r->jac.M, r->jac.G);
        radau_product_values(&r->dg, r->jac.rv, r->jac.G);
        radau_product_values(&r->gg, r->jac.G, r->jac.G);
    }
    r->h_factored = 0;
    return mbs_finite(r->jac.rq, o->rq.nnz) && mbs_finite(r->jac.rv, o->rv.nnz) && mbs_finite(r->jac.M, o->M.nnz)
               && mbs_finite(r->jac.G, o->G.nnz) ? 0 : MBS_NAN;
}

/* Puts the matrix for c = re + i im together; u = 1/c. */
static void system_fill(struct mbs_stepper *s, struct radau_system *y)
{
    struct radau *r = s->self;
    const struct mbs_jacobian *j = &r->jac;
    struct mbs_matrix *A = y->mat;
    double ur = y->ur, ui = y->ui, u2r = ur * ur - ui * ui, u2i = 2 * ur * ui;
    const int *b = y->block;

    mbs_matrix_clear(A);
    mbs_matrix_add(A, b[B_M], 1, 0, j->M);
    mbs_matrix_add(A, b[B_RV], ur, ui, j->rv);
    mbs_matrix_add(A, b[B_RQ], u2r, u2i, j->rq);
    mbs_matrix_add(A, b[B_GT], 1, 0, j->G);
    mbs_matrix_add(A, b[B_G], 1, 0, j->G);
    if (j->gaq) {
        mbs_matrix_add(A, b[B_GAV], ur, ui, j->gav);
        mbs_matrix_add(A, b[B_GAQ], u2r, u2i, j->gaq);
    }
    if (s->form == MBS_BAUMGARTE) {
        double a2 = 2 * s->p->bg_alpha, bb = s->p->bg_beta * s->p->bg_beta;
        mbs_matrix_add(A, b[B_G], a2 * ur + bb * u2r, a2 * ui + bb * u2i, j->G);
        mbs_matrix_add(A, b[B_GVQ], a2 * u2r, a2 * u2i, j->gvq);
    } else if (j->gvq) {
        mbs_matrix_add(A, b[B_GVQ], ur, ui, j->gvq);
    }
    if (r->ggl) {
        mbs_matrix_add(A, b[B_GH], 1, 0, r->gh);
        mbs_matrix_add(A, b[B_MG], 1, 0, r->mg.val);
        mbs_matrix_add(A, b[B_DG], ur, ui, r->dg.val);
        mbs_matrix_add(A, b[B_GG], 1, 0, r->gg.val);
    }
    if (s->p->nz) {
        mbs_matrix_add(A, b[B_RZ], 1, 0, j->rz);
        mbs_matrix_add(A, b[B_ONE], 1, 0, NULL);
        mbs_matrix_add(A, b[B_ZZ], -ur, -ui, j->zz);
        mbs_matrix_add(A, b[B_ZV], -u2r, -u2i, j->zv);
        mbs_matrix_add(A, b[B_ZQ], -(u2r * ur - u2i * ui), -(u2r * ui + u2i * ur), j->zq);
    }
}

int radau_factor(struct mbs_stepper *s, double h)
{
    struct radau *r = s->self;
    const struct radau_table *tab = r->tab;

    for (int k = 0; k < (tab->s + 1) / 2; k++) {
        struct radau_system *y = &r->sys[k];
        double q;
        int status;
        y->re = (k ? tab->alpha[k - 1] : tab->gamma) / h;
        y->im = k ? tab->beta[k - 1] / h : 0;
        q = 1 / (y->re * y->re + y->im * y->im);
        y->ur = y->re * q;
        y->ui = -y->im * q;
        system_fill(s, y);
        status = mbs_matrix_factor(y->mat);
        if (status < 0)
            return status;
        s->stat->rank_drops += status > 0;
    }
    s->stat->lu++;
    r->h_factored = h;
    r->s_factored = tab->s;
    return 0;
}

/* Multiplies count entries of a transformed vector by (re + i im). */
static void scale_entries(double *x, int count, int complex, double re, double im)
{
    if (!complex) {
        for (int i = 0; i < count; i++)
            x[i] *= re;
        return;
    }
    for (int i = 0; i < 2 * count; i += 2) {
        double a = x[i], b = x[i + 1];
        x[i] = a * re - b * im;
        x[i + 1] = a * im + b * re;
    }
}

/* Constraint rows of one system times the power of c that their level asks for, rows of z divided by c. */
static void scale_rows(struct mbs_stepper *s, const struct radau_system *y, double *b, int cx)
{
    struct radau *r = s->self;
    int n = s->p->n, m = s->p->m, ng = s->p->ng, w = cx ? 2 : 1;
    double c2r = y->re * y->re - y->im * y->im, c2i = 2 * y->re * y->im;

    switch (s->form) {
    case MBS_INDEX3:
        scale_entries(b + w * n, ng, cx, c2r, c2i);
        scale_entries(b + w * (n + ng), m - ng, cx, y->re, y->im);
        break;
    case MBS_INDEX2:
    case MBS_GGL:
        scale_entries(b + w * n, m, cx, y->re, y->im);
        break;
    default:
        break;
    }
    scale_entries(b + w * (n + m), r->nmu, cx, c2r, c2i);
    scale_entries(b + w * (n + m + r->nmu), s->p->nz, cx, y->ur, y->ui);
}

/* y += A x; entries are pairs if complex.  Symmetric: A from its lower triangle. */
static void mul_entries(const struct mbs_pattern *p, const double *val, int symmetric, const double *x, double *y, int complex)
{
    int w = complex ? 2 : 1;

    for (int j = 0, k = 0; j < p->cols; j++)
        for (; k < p->colptr[j + 1]; k++) {
            int i = p->rowidx[k];
            for (int e = 0; e < w; e++) {
                y[w * i + e] += val[k] * x[w * j + e];
                if (symmetric && i != j)
                    y[w * j + e] += val[k] * x[w * i + e];
            }
        }
}

/* Stabilized form: b1 (replaced by c b1) joins the right-hand side b ... */
static void stabilized_before(struct mbs_stepper *s, const struct radau_system *y, double *b, double *b1, int cx)
{
    struct radau *r = s->self;
    const struct mbs_model *o = s->p->model;

    mul_entries(&o->rv, r->jac.rv, 0, b1, b, cx);
    scale_entries(b1, s->p->n, cx, y->re, y->im);
    mul_entries(&o->M, r->jac.M, 1, b1, b, cx);
    mul_entries(&o->G, r->jac.G, 0, b1, b + (cx ? 2 : 1) * s->p->n, cx);
}

/* ... and the solution y, nu in b becomes da, dmu; b1 becomes the change y/c of q'. */
static void stabilized_after(struct mbs_stepper *s, const struct radau_system *y, double *b, double *b1, int cx)
{
    struct radau *r = s->self;
    int n = s->p->n, w = cx ? 2 : 1;
    double *nu = b + w * (n + s->p->m);

    for (int i = 0; i < w * n; i++) {
        double cdq = b[i];
        b[i] -= b1[i];
        b1[i] = cdq;
    }
    for (int j = 0, k = 0; j < n; j++)
        for (; k < r->Gh.colptr[j + 1]; k++)
            for (int e = 0; e < w; e++)
                b[w * j + e] += r->gh[k] * nu[w * r->Gh.rowidx[k] + e];
    scale_entries(b1, n, cx, y->ur, y->ui);
    scale_entries(nu, r->nmu, cx, y->ur, y->ui);
}

void radau_newton_solve(struct mbs_stepper *s)
{
    struct radau *r = s->self;
    int oz = s->p->n + s->p->m + r->nmu;

    for (int k = 0; k < (r->tab->s + 1) / 2; k++) {
        struct radau_system *y = &r->sys[k];
        int cx = k > 0, w = cx ? 2 : 1, at = k ? 2 * k - 1 : 0;
        double *b = r->B + at * r->N, *b1 = r->B1 + at * s->p->n;
        scale_rows(s, y, b, cx);
        if (r->ggl)
            stabilized_before(s, y, b, b1, cx);
        mbs_matrix_solve(y->mat, b);
        if (r->ggl)
            stabilized_after(s, y, b, b1, cx);
        scale_entries(b + w * oz, s->p->nz, cx, y->re, y->im);
    }
    s->stat->solves++;
}

/* y += A x for the rows from `first` on (non-holonomic constraints). */
static void mul_rows(const struct mbs_pattern *p, const double *val, int first, const double *x, double *y)
{
    for (int j = 0, k = 0; j < p->cols; j++)
        for (; k < p->colptr[j + 1]; k++)
            if (p->rowidx[k] >= first)
                y[p->rowidx[k]] += val[k] * x[j];
}

/* The real system with right-hand sides b1, b2 (n each), b3..b5 in b: e receives the changes of (q, v, z), a, lambda. */
void radau_error_solve(struct mbs_stepper *s, double *b1, double *b2, double *b, double *e)
{
    struct radau *r = s->self;
    const struct mbs_model *o = s->p->model;
    struct radau_system *y = &r->sys[0];
    int n = s->p->n, m = s->p->m, nz = s->p->nz, oz = n + m + r->nmu;
    double c = y->re, *eq = e, *ev = e + n, *ez = e + 2 * n, *ea = ez + nz;

    mbs_csc_mul(&o->zv, r->jac.zv, -1, b1, b + oz);
    scale_rows(s, y, b, 0);
    mbs_csc_mul(&o->rv, r->jac.rv, 1, b1, b);
    if (r->jac.gaq) {
        mbs_csc_mul(&o->gav, r->jac.gav, 1, b1, b + n);
        if (s->form == MBS_BAUMGARTE)
            mbs_csc_mul(&o->G, r->jac.G, 2 * s->p->bg_alpha, b1, b + n);
    }
    for (int i = 0; i < n; i++) {
        b1[i] *= c;
        b2[i] += b1[i];
    }
    mbs_csc_mul_sym(&o->M, r->jac.M, 1, b2, b);
    if (s->form == MBS_INDEX2 || r->ggl)
        mbs_csc_mul(&o->G, r->jac.G, 1, b1, b + n);
    else if (r->jac.gaq)
        mbs_csc_mul(&o->G, r->jac.G, 1, b2, b + n);
    else if (s->p->nh)
        mul_rows(&o->G, r->jac.G, s->p->ng, b1, b + n);
    mbs_matrix_solve(y->mat, b);
    s->stat->solves++;
    memcpy(ea, b, (size_t)n * sizeof *ea);
    if (r->ggl)
        mbs_csc_mul_t(&r->Gh, r->gh, 1, b + n + m, ea);
    for (int i = 0; i < n; i++) {
        ev[i] = (ea[i] - b1[i]) / c;
        eq[i] = b[i] / (c * c);
        ea[i] -= b2[i];
    }
    memcpy(ez, b + oz, (size_t)nz * sizeof *ez);
    memcpy(ea + n, b + n, (size_t)m * sizeof *ea);
}
