/* SPDX-License-Identifier: MIT
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
 *
 * Up to the order MBS_BUNDLE_MAX all systems are factored together in the lanes of a bundle (bundle.h); larger ones,
 * and those that turn out singular, by one mbs_matrix each, where dependent constraints give solutions of minimum norm.
 * Vectors always stand in lanes. */
#include "methods/radau.h"
#include "methods/radau_kernel.h"

#include <stdlib.h>
#include <string.h>

static int has_gvq(const struct mbs_stepper *s)
{
    return s->form == MBS_INDEX2 || s->form == MBS_GGL || s->form == MBS_BAUMGARTE ||
           (s->form == MBS_INDEX3 && s->p->nh > 0);
}

static int has_ga(const struct mbs_stepper *s)
{
    return s->form == MBS_INDEX1 || s->form == MBS_BAUMGARTE || s->form == MBS_PROJECTED;
}

void mbs_radau_linear_layout(struct mbs_stepper *s, struct mbs_work *w)
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
#undef FIELD
    r->gh = mbs_work_doubles(w, (size_t)o->G.nnz + 1);
    r->gh_from = mbs_work_ints(w, 2 * (size_t)o->G.nnz + (size_t)o->nq + 2);
    r->lane = mbs_work_doubles(w, 2 * (size_t)r->N);
    if (r->tree) {
        mbs_point_layout(&r->at, s->p, w);
        for (int k = 0; k < (r->smax + 1) / 2; k++)
            r->link[k] = mbs_work_doubles(w, (k ? 2 : 1) * (size_t)o->nn + 1);
    } else if (r->N <= MBS_BUNDLE_MAX)
        mbs_bundle_layout(&r->bundle, w, r->N, (r->smax + 1) / 2);
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
    r->Gh = (struct mbs_pattern){s->p->ng, G->cols, at, colptr, rowidx};
}

/* ---- the blocks ---- */

static void block(struct radau *r, const struct mbs_pattern *p, int row, int col, enum mbs_block kind,
                  const double *val, double coef, int power)
{
    r->block[r->blocks++] =
        (struct radau_block){.p = p, .row = row, .col = col, .kind = kind, .val = val, .coef = coef, .power = power};
}

/* The matrix as a sum: coef * c^-power * values of a pattern, placed at (row, col).  A pattern of NULL is the identity.
 */
static void list_blocks(struct mbs_stepper *s)
{
    struct radau *r = s->self;
    const struct mbs_model *o = s->p->model;
    const struct mbs_jacobian *j = &r->jac;
    int oc = s->p->n, oh = oc + s->p->m, oz = oh + r->nmu;

    r->blocks = 0;
    block(r, &o->M, 0, 0, MBS_BLOCK_SYMMETRIC, j->M, 1, 0);
    block(r, &o->rv, 0, 0, MBS_BLOCK, j->rv, 1, 1);
    block(r, &o->rq, 0, 0, MBS_BLOCK, j->rq, 1, 2);
    block(r, &o->G, 0, oc, MBS_BLOCK_TRANSPOSED, j->G, 1, 0);
    block(r, &o->G, oc, 0, MBS_BLOCK, j->G, 1, 0);
    if (has_ga(s)) {
        block(r, &o->gav, oc, 0, MBS_BLOCK, j->gav, 1, 1);
        block(r, &o->gaq, oc, 0, MBS_BLOCK, j->gaq, 1, 2);
    }
    if (s->form == MBS_BAUMGARTE) {
        r->baumgarte = &r->block[r->blocks]; /* coefficients: see baumgarte() */
        block(r, &o->G, oc, 0, MBS_BLOCK, j->G, 0, 1);
        block(r, &o->gvq, oc, 0, MBS_BLOCK, j->gvq, 0, 2);
        block(r, &o->G, oc, 0, MBS_BLOCK, j->G, 0, 2);
    } else if (has_gvq(s)) {
        block(r, &o->gvq, oc, 0, MBS_BLOCK, j->gvq, 1, 1);
    }
    if (r->ggl) {
        block(r, &r->Gh, oh, 0, MBS_BLOCK, r->gh, 1, 0);
        block(r, &r->mg.pattern, 0, oh, MBS_BLOCK, r->mg.val, 1, 0);
        block(r, &r->dg.pattern, 0, oh, MBS_BLOCK, r->dg.val, 1, 1);
        block(r, &r->gg.pattern, oc, oh, MBS_BLOCK, r->gg.val, 1, 0);
    }
    if (s->p->m) {
        r->dependent = &r->block[r->blocks]; /* coefficient: 1 if there are any */
        block(r, NULL, oc, oc, MBS_BLOCK, r->diagonal, 0, 0);
        r->block[r->blocks - 1].order = s->p->m + r->nmu;
    }
    if (s->p->nz) {
        block(r, &o->rz, 0, oz, MBS_BLOCK, j->rz, 1, 0);
        block(r, NULL, oz, oz, MBS_BLOCK, NULL, 1, 0);
        r->block[r->blocks - 1].order = s->p->nz;
        block(r, &o->zz, oz, oz, MBS_BLOCK, j->zz, -1, 1);
        block(r, &o->zv, oz, 0, MBS_BLOCK, j->zv, -1, 2);
        block(r, &o->zq, oz, 0, MBS_BLOCK, j->zq, -1, 3);
    }
}

static int matrix_blocks(struct mbs_stepper *s, int k)
{
    struct radau *r = s->self;

    r->mat[k] = mbs_matrix_new(r->N, k ? MBS_MATRIX_COMPLEX : MBS_MATRIX_REAL);
    if (!r->mat[k])
        return MBS_NO_MEMORY;
    for (int b = 0; b < r->blocks; b++) {
        struct radau_block *bl = &r->block[b];
        bl->id[k] = mbs_matrix_block(r->mat[k], bl->p, bl->order, bl->row, bl->col, bl->kind);
    }
    return mbs_matrix_ready(r->mat[k]);
}

/* Places of the blocks in the bundle, and the numbers of their values. */
static int bundle_blocks(struct mbs_stepper *s)
{
    struct radau *r = s->self;
    int total = 0, N = r->N, *row, *col;

    for (int b = 0; b < r->blocks; b++) {
        struct radau_block *bl = &r->block[b];
        total += mbs_block_places(bl->p, bl->order, bl->row, bl->col, bl->kind, NULL, NULL, NULL);
    }
    r->places = malloc((3 * (size_t)total + 1) * sizeof *r->places);
    if (!r->places)
        return MBS_NO_MEMORY;
    row = r->places;
    col = row + 2 * total;
    for (int b = 0; b < r->blocks; b++, row += r->block[b - 1].count) {
        struct radau_block *bl = &r->block[b];
        bl->dst = row;
        bl->src = row + total;
        bl->count = mbs_block_places(bl->p, bl->order, bl->row, bl->col, bl->kind, row, col, bl->src);
        for (int k = 0; k < bl->count; k++) {
            /* the diagonal of dependent rows is announced when there are any */
            if (bl != r->dependent)
                mbs_bundle_entry(&r->bundle, row[k], col[k]);
            row[k] = row[k] * N + col[k];
        }
    }
    return 0;
}

int mbs_radau_linear_open(struct mbs_stepper *s)
{
    struct radau *r = s->self;
    const struct mbs_model *o = s->p->model;

    if (r->tree)
        return 0;
    if (r->ggl) {
        holonomic_rows(s);
        if (mbs_product_new(&r->mg, &o->M, 1, &o->G, s->p->ng) ||
            mbs_product_new(&r->dg, &o->rv, 0, &o->G, s->p->ng) ||
            mbs_product_new(&r->gg, &o->G, 0, &o->G, s->p->ng))
            return MBS_NO_MEMORY;
    }
    list_blocks(s);
    for (int k = 0; k < (r->smax + 1) / 2; k++)
        if (matrix_blocks(s, k))
            return MBS_NO_MEMORY;
    return r->N <= MBS_BUNDLE_MAX ? bundle_blocks(s) : 0;
}

void mbs_radau_linear_close(struct mbs_stepper *s)
{
    struct radau *r = s->self;

    for (int k = 0; k < RADAU_SYSTEMS; k++)
        mbs_matrix_free(r->mat[k]);
    free(r->places);
    mbs_product_free(&r->mg);
    mbs_product_free(&r->dg);
    mbs_product_free(&r->gg);
}

/* Dependent rows: a one on the diagonal in place of what the row and column have. */
static void drop_rows(const struct mbs_pattern *p, double *val, const double *dropped)
{
    for (int k = 0; val && k < p->nnz; k++)
        if (dropped[p->rowidx[k]] != 0)
            val[k] = 0;
}

void mbs_radau_linear_start(struct mbs_stepper *s, int again)
{
    struct radau *r = s->self;
    const unsigned char *dependent;
    int m = s->p->m, found;

    if (!again) {
        r->drops = 0;
        memset(r->diagonal, 0, (size_t)(m + r->nmu) * sizeof *r->diagonal);
    }
    found = mbs_find_dependent(s, r->tmp, again);
    if (found == 0 || (again && found != r->drops))
        return;
    r->drops = found;
    dependent = mbs_saddle_dependent(s->p->saddle);
    for (int i = 0; i < m; i++) {
        r->diagonal[i] = dependent[i];
        if (i < r->nmu)
            r->diagonal[m + i] = dependent[i];
    }
    mbs_relax(s);
    r->bundle.ready = 0;
    for (int i = 0; i < s->p->m + r->nmu && r->N <= MBS_BUNDLE_MAX; i++)
        if (r->diagonal[i] != 0)
            mbs_bundle_entry(&r->bundle, s->p->n + i, s->p->n + i);
}

/* What the stabilized form makes of the Jacobian. */
static void products(struct radau *r)
{
    if (!r->ggl)
        return;
    for (int k = 0; k < r->Gh.nnz; k++)
        r->gh[k] = r->jac.G[r->gh_from[k]];
    mbs_product_values(&r->mg, r->jac.M, r->jac.G);
    mbs_product_values(&r->dg, r->jac.rv, r->jac.G);
    mbs_product_values(&r->gg, r->jac.G, r->jac.G);
}

int mbs_radau_jacobian(struct mbs_stepper *s, struct mbs_state *x)
{
    struct radau *r = s->self;
    const struct mbs_model *o = s->p->model;

    r->h_factored = 0;
    if (r->tree) {
        size_t size = (size_t)s->p->n * sizeof *x->q;
        r->at.t = x->t;
        memcpy(r->at.q, x->q, size);
        memcpy(r->at.v, x->v, size);
        memcpy(r->at.a, x->a, size);
        s->stat->jac++;
        return 0;
    }
    mbs_eval_jacobian(s->p, x, &r->jac);
    /* the holonomic rows stand at position level */
    if (s->form == MBS_INDEX3 && r->jac.gvq)
        for (int k = 0; k < o->gvq.nnz; k++)
            if (o->gvq.rowidx[k] < s->p->ng)
                r->jac.gvq[k] = 0;
    if (r->drops) {
        drop_rows(&o->G, r->jac.G, r->diagonal);
        drop_rows(&o->gvq, r->jac.gvq, r->diagonal);
        drop_rows(&o->gaq, r->jac.gaq, r->diagonal);
        drop_rows(&o->gav, r->jac.gav, r->diagonal);
    }
    products(r);
    return mbs_finite(r->jac.rq, o->rq.nnz) && mbs_finite(r->jac.rv, o->rv.nnz) && mbs_finite(r->jac.M, o->M.nnz) &&
                   mbs_finite(r->jac.G, o->G.nnz)
               ? 0
               : MBS_NAN;
}

/* ---- factors ---- */

static void lanes_product(const struct radau_lanes *a, const struct radau_lanes *b, struct radau_lanes *out)
{
    for (int k = 0; k < 4; k++) {
        out->re[k] = a->re[k] * b->re[k] - a->im[k] * b->im[k];
        out->im[k] = a->re[k] * b->im[k] + a->im[k] * b->re[k];
    }
}

/* c and its powers in the lanes; lanes without a system repeat one that has. */
static void eigenvalues(struct radau *r, double h)
{
    const struct radau_table *tab = r->tab;
    int systems = (tab->s + 1) / 2;

    for (int k = 0; k < 4; k++) {
        int of = k < systems ? k : systems - 1;
        double re = (of ? tab->alpha[of - 1] : tab->gamma) / h, im = of ? tab->beta[of - 1] / h : 0,
               q = re * re + im * im;
        r->c[1].re[k] = re;
        r->c[1].im[k] = im;
        r->u[0].re[k] = r->c[0].re[k] = 1;
        r->u[0].im[k] = r->c[0].im[k] = 0;
        r->u[1].re[k] = re / q;
        r->u[1].im[k] = -im / q;
    }
    lanes_product(&r->c[1], &r->c[1], &r->c[2]);
    lanes_product(&r->u[1], &r->u[1], &r->u[2]);
    lanes_product(&r->u[2], &r->u[1], &r->u[3]);
}

/* Adds a block to the bundle.  Blocks without a power of c are real. */
KERNEL void bundle_add(int L, struct radau *r, const struct radau_block *bl)
{
    const struct radau_lanes *u = &r->u[bl->power];
    double *a = r->bundle.a, one = bl->coef;
    Two re[2], im[2];

    for (int k = 0; k < L; k++) {
        re[k] = one * (Two){u->re[2 * k], u->re[2 * k + 1]};
        im[k] = one * (Two){u->im[2 * k], u->im[2 * k + 1]};
    }
    for (int e = 0; e < bl->count; e++) {
        Two *x = (Two *)(a + bl->dst[e] * 4 * L);
        double v = bl->val ? bl->val[bl->src[e]] : 1;
#pragma GCC unroll 2
        for (int k = 0; k < L; k++)
            x[k] += re[k] * v;
        if (bl->power)
#pragma GCC unroll 2
            for (int k = 0; k < L; k++)
                x[L + k] += im[k] * v;
    }
}

static void bundle_fill(struct radau *r)
{
    mbs_bundle_clear(&r->bundle);
    for (int b = 0; b < r->blocks; b++)
        if (r->block[b].coef == 0)
            continue;
        else if (r->bundle.L == 1)
            bundle_add(1, r, &r->block[b]);
        else
            bundle_add(2, r, &r->block[b]);
}

/* All systems at once; 1 if one of them is singular. */
static int factor_bundle(struct radau *r)
{
    mbs_bundle_lanes(&r->bundle, r->L);
    bundle_fill(r);
    if (r->bundle.ready) {
        if (!mbs_bundle_factor(&r->bundle))
            return 0;
        bundle_fill(r);
    }
    return mbs_bundle_search(&r->bundle);
}

static int factor_matrices(struct mbs_stepper *s)
{
    struct radau *r = s->self;

    for (int k = 0; k < (r->tab->s + 1) / 2; k++) {
        int status;
        mbs_matrix_clear(r->mat[k]);
        for (int b = 0; b < r->blocks; b++) {
            const struct radau_block *bl = &r->block[b];
            const struct radau_lanes *u = &r->u[bl->power];
            mbs_matrix_add(r->mat[k], bl->id[k], bl->coef * u->re[k], bl->coef * u->im[k], bl->val);
        }
        status = mbs_matrix_factor(r->mat[k]);
        if (status < 0)
            return status;
        s->stat->rank_drops += status > 0;
    }
    return 0;
}

/* M + rv/c + rq/c^2 along the tree */
static int factor_tree(struct mbs_stepper *s)
{
    struct radau *r = s->self;
    struct mbs_state x = mbs_point_state(&r->at, s->p);

    for (int k = 0; k < (r->tab->s + 1) / 2; k++) {
        const double real[3] = {r->u[2].re[0], r->u[1].re[0], 1};
        const double complex[6] = {r->u[2].re[k], r->u[2].im[k], r->u[1].re[k], r->u[1].im[k], 1, 0};
        int status = mbs_eval_newton(s->p, &x, k ? 2 : 1, k ? complex : real, r->link[k]);
        if (status)
            return status;
    }
    return 0;
}

/* The damping of the constraints, where the user left it open a rate that every step so far resolves (one that grew as
 * steps shrink would feed on rounding errors in g), and its place in the matrices. */
static void baumgarte(struct mbs_stepper *s)
{
    struct radau *r = s->self;
    struct mbs_problem *p = s->p;

    if (s->opt->baumgarte_alpha == 0 && s->opt->baumgarte_beta == 0)
        p->bg_alpha = p->bg_beta = s->stat->h_max > 0 ? s->dir * 0.2 / s->stat->h_max : 0;
    r->baumgarte[0].coef = r->baumgarte[1].coef = 2 * p->bg_alpha;
    r->baumgarte[2].coef = p->bg_beta * p->bg_beta;
}

int mbs_radau_factor(struct mbs_stepper *s, double h)
{
    struct radau *r = s->self;
    int status = 0;

    eigenvalues(r, h);
    if (r->baumgarte)
        baumgarte(s);
    if (r->dependent)
        r->dependent->coef = r->drops > 0;
    r->bundled = !r->tree && r->N <= MBS_BUNDLE_MAX && r->singular < 5 && !factor_bundle(r);
    if (r->tree) {
        status = factor_tree(s);
    } else if (!r->bundled) {
        status = factor_matrices(s);
        /* matrices that are always singular need not be tried in the bundle each time */
        r->singular += r->singular < 5;
    } else {
        r->singular = 0;
    }
    s->stat->lu++;
    r->h_factored = h;
    r->s_factored = r->tab->s;
    return status;
}

/* Jacobian, coefficients and factors of bundles and trees lie in the blocks; factors that the next step uses again are made of them. */
int mbs_radau_linear_resume(struct mbs_stepper *s)
{
    struct radau *r = s->self;
    int status;

    if (!r->keep || r->bundled || r->tree)
        return 0;
    products(r);
    status = factor_matrices(s);
    return status < 0 ? status : 0;
}

static void solve(struct mbs_stepper *s, double *x)
{
    struct radau *r = s->self;
    int S = 4 * r->L;

    s->stat->solves++;
    if (r->bundled) {
        mbs_bundle_solve(&r->bundle, x);
        return;
    }
    for (int k = 0; k < (r->tab->s + 1) / 2; k++) {
        int w = k ? 2 : 1;
        for (int i = 0; i < r->N; i++) {
            r->lane[w * i] = x[i * S + k];
            if (k)
                r->lane[2 * i + 1] = x[i * S + 2 * r->L + k];
        }
        if (r->tree)
            s->p->model->newton_solve(w, r->link[k], r->lane);
        else
            mbs_matrix_solve(r->mat[k], r->lane);
        for (int i = 0; i < r->N; i++) {
            x[i * S + k] = r->lane[w * i];
            if (k)
                x[i * S + 2 * r->L + k] = r->lane[2 * i + 1];
        }
    }
}

/* ---- Newton systems ---- */

/* Multiplies count elements by f. */
static void scale_elements(int L, double *x, int count, const struct radau_lanes *f)
{
    for (int k = 0; k < L; k++) {
        Two fr = two_load(f->re + 2 * k, 1), fi = two_load(f->im + 2 * k, 1), *e = (Two *)x + k;
        for (int i = 0; i < count; i++, e += 2 * L) {
            Two re = e[0], im = e[L];
            e[0] = re * fr - im * fi;
            e[L] = re * fi + im * fr;
        }
    }
}

/* Constraint rows times the power of c that their level asks for, rows of z divided by c. */
static void scale_rows(struct mbs_stepper *s, double *b)
{
    struct radau *r = s->self;
    int n = s->p->n, m = s->p->m, ng = s->p->ng, L = r->L, S = 4 * L;

    if (s->form == MBS_INDEX3) {
        scale_elements(L, b + S * n, ng, &r->c[2]);
        scale_elements(L, b + S * (n + ng), m - ng, &r->c[1]);
    } else if (s->form == MBS_INDEX2 || r->ggl) {
        scale_elements(L, b + S * n, m, &r->c[1]);
    }
    scale_elements(L, b + S * (n + m), r->nmu, &r->c[2]);
    scale_elements(L, b + S * (n + m + r->nmu), s->p->nz, &r->u[1]);
}

/* y += A x in elements.  Symmetric: A from its lower triangle. */
KERNEL void mul_elements(int L, const struct mbs_pattern *p, const double *val, int symmetric, const Two *x, Two *y)
{
    for (int j = 0, e = 0; j < p->cols; j++)
        for (; e < p->colptr[j + 1]; e++) {
            int i = p->rowidx[e];
            double v = val[e];
#pragma GCC unroll 4
            for (int k = 0; k < 2 * L; k++) {
                y[2 * L * i + k] += v * x[2 * L * j + k];
                if (symmetric && i != j)
                    y[2 * L * j + k] += v * x[2 * L * i + k];
            }
        }
}

/* Stabilized form: b1 (replaced by c b1) joins the right-hand side b ... */
KERNEL void stabilized_before(int L, struct mbs_stepper *s, double *b, double *b1)
{
    struct radau *r = s->self;
    const struct mbs_model *o = s->p->model;

    mul_elements(L, &o->rv, r->jac.rv, 0, (Two *)b1, (Two *)b);
    scale_elements(L, b1, s->p->n, &r->c[1]);
    mul_elements(L, &o->M, r->jac.M, 1, (Two *)b1, (Two *)b);
    mul_elements(L, &o->G, r->jac.G, 0, (Two *)b1, (Two *)b + 2 * L * s->p->n);
}

/* ... and the solution y, nu in b becomes da = y + Gh' nu - c b1 and dmu = nu/c; b1 becomes the change y/c of q'. */
KERNEL void stabilized_after(int L, struct mbs_stepper *s, double *b, double *b1)
{
    struct radau *r = s->self;
    int n = s->p->n;
    Two *y = (Two *)b, *p = (Two *)b1, *nu = y + 2 * L * (n + s->p->m);

    for (int j = 0; j < n; j++, y += 2 * L, p += 2 * L) {
#pragma GCC unroll 4
        for (int k = 0; k < 2 * L; k++) {
            Two cdq = y[k];
            y[k] -= p[k];
            p[k] = cdq;
        }
        for (int e = r->Gh.colptr[j]; e < r->Gh.colptr[j + 1]; e++)
#pragma GCC unroll 4
            for (int k = 0; k < 2 * L; k++)
                y[k] += r->gh[e] * nu[2 * L * r->Gh.rowidx[e] + k];
    }
    scale_elements(L, b1, n, &r->u[1]);
    scale_elements(L, (double *)nu, r->nmu, &r->u[1]);
}

/* In: b3 .. b5 in B, b1 in B1, transformed.  Out: da, dlambda, dmu, dz' in B, dq' in B1. */
void mbs_radau_newton_solve(struct mbs_stepper *s)
{
    struct radau *r = s->self;

    scale_rows(s, r->B);
    if (r->ggl && r->L == 1)
        stabilized_before(1, s, r->B, r->B1);
    else if (r->ggl)
        stabilized_before(2, s, r->B, r->B1);
    solve(s, r->B);
    if (r->ggl && r->L == 1)
        stabilized_after(1, s, r->B, r->B1);
    else if (r->ggl)
        stabilized_after(2, s, r->B, r->B1);
    scale_elements(r->L, r->B + 4 * r->L * (s->p->n + s->p->m + r->nmu), s->p->nz, &r->c[1]);
}

/* ---- error estimate ---- */

/* y += A x for the rows from `first` on (non-holonomic constraints). */
static void mul_rows(const struct mbs_pattern *p, const double *val, int first, const double *x, double *y)
{
    for (int j = 0, k = 0; j < p->cols; j++)
        for (; k < p->colptr[j + 1]; k++)
            if (p->rowidx[k] >= first)
                y[p->rowidx[k]] += val[k] * x[j];
}

/* The powers of c of scale_rows for one real right-hand side. */
static void scale_real(struct mbs_stepper *s, double *b, double c)
{
    struct radau *r = s->self;
    int n = s->p->n, m = s->p->m, oh = n + m, oz = oh + r->nmu;

    for (int i = n; i < oh && !r->jac.gaq; i++)
        b[i] *= s->form == MBS_INDEX3 && i < n + s->p->ng ? c * c : c;
    for (int i = oh; i < oz; i++)
        b[i] *= c * c;
    for (int i = oz; i < r->N; i++)
        b[i] /= c;
}

/* What b1 and b2 add to the right-hand side b; c b1 and c b1 + b2 replace them. */
static void join_rates(struct mbs_stepper *s, double *b1, double *b2, double *b, double c)
{
    struct radau *r = s->self;
    const struct mbs_model *o = s->p->model;
    double *bc = b + s->p->n;

    if (r->tree) {              /* rv b1 + M (c b1 + b2) */
        struct mbs_state x = mbs_point_state(&r->at, s->p);
        int n = s->p->n;
        double *times = r->lane;
        memcpy(times, b1, (size_t)n * sizeof *times);
        mbs_eval_times(s->p, &x, 0, 1, 0, times);
        for (int i = 0; i < n; i++) {
            b[i] += times[i];
            b1[i] *= c;
            times[i] = b2[i] += b1[i];
        }
        mbs_eval_times(s->p, &x, 0, 0, 1, times);
        for (int i = 0; i < n; i++)
            b[i] += times[i];
        return;
    }
    mbs_csc_mul(&o->rv, r->jac.rv, 1, b1, b);
    if (r->jac.gaq)
        mbs_csc_mul(&o->gav, r->jac.gav, 1, b1, bc);
    if (s->form == MBS_BAUMGARTE)
        mbs_csc_mul(&o->G, r->jac.G, 2 * s->p->bg_alpha, b1, bc);
    for (int i = 0; i < s->p->n; i++) {
        b1[i] *= c;
        b2[i] += b1[i];
    }
    mbs_csc_mul_sym(&o->M, r->jac.M, 1, b2, b);
    if (r->jac.gaq)
        mbs_csc_mul(&o->G, r->jac.G, 1, b2, bc);
    else if (s->form == MBS_INDEX3)
        mul_rows(&o->G, r->jac.G, s->p->ng, b1, bc);
    else
        mbs_csc_mul(&o->G, r->jac.G, 1, b1, bc);
}

/* The real system with right-hand sides b1, b2 (n each), b3..b5 in b: e receives the changes of (q, v, z), a, lambda.
 */
void mbs_radau_error_solve(struct mbs_stepper *s, double *b1, double *b2, double *b, double *e)
{
    struct radau *r = s->self;
    int n = s->p->n, m = s->p->m, nz = s->p->nz, oz = n + m + r->nmu;
    double c = r->c[1].re[0], *eq = e, *ev = e + n, *ez = e + 2 * n, *ea = ez + nz;

    mbs_csc_mul(&s->p->model->zv, r->jac.zv, -1, b1, b + oz);
    scale_real(s, b, c);
    join_rates(s, b1, b2, b, c);
    if (r->tree)
        s->p->model->newton_solve(1, r->link[0], b);
    else if (r->bundled)
        mbs_bundle_solve_real(&r->bundle, b);
    else
        mbs_matrix_solve(r->mat[0], b);
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
