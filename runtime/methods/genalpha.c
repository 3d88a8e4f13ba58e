/* SPDX-License-Identifier: MIT
 *
 * genalpha, hht: the DAE alpha-method.
 *
 * YPR: J. Yen, L. Petzold, S. Raha, A time integration algorithm for flexible mechanism dynamics: the DAE alpha-method,
 * Comput. Methods Appl. Mech. Engrg. 158 (1998) 341-355, with the signs of (4.2) and of a_n below (3.4) corrected
 * (doc/design/0007-alpha-rattle-hem.md lists the misprints).  One step, phi being the acceleration of the constrained
 * motion and a its alpha-average, B = bh h^2, C = gh h:
 *
 *     qhat = q + h v + h^2 [(1/2 - beta/(1-am)) a + beta af/(1-am) phi]
 *     vhat = v + h   [(1 - gamma/(1-am)) a + gamma af/(1-am) phi]
 *     M (q' - qhat) - B f(q', v') + G' nu = 0,    g(q') = 0                                     YPR (3.3a, d)
 *     M (v' - vhat) - C f(q', v') + G' mu = 0,    G v' + gt = 0                                 YPR (3.3b, c)
 *
 * C/B times the first line taken from the second leaves  M (v' - w) + G' kappa = 0  with  w = vhat + C/B (q' - qhat):
 * v' is w projected onto the velocity constraints in the norm of M.  Newton therefore works on (q', nu) with the
 * matrix [M + B rq + C rv, G'; G, 0] of order n + m, and v' follows from a saddle-point solve.  After convergence
 * [M G'; G 0] gives phi' and the multipliers that are reported (order 2; nu/B is of order 1 only).
 *
 * Index 3: only the first line, v' = w, phi' = (q' - qhat)/B, lambda' = nu/B.
 * Non-holonomic rows have no g: their part of nu follows from  G w + gt = 0.
 * States z: generalized alpha for first-order systems (K. Jansen, C. Whiting, G. Hulbert, Comput. Methods Appl. Mech.
 * Engrg. 190 (2000) 305-319) with the same spectral radius at infinity.
 *
 * Iterations: "index2" keeps nu as an unknown; "cs" computes it from the residual by coordinate splitting, YPR (3.6);
 * "cm" does so and leaves (G' nu)_q out of the matrix.
 *
 * a_n stands for the acceleration at t_n + (am - af) h; a - phi is scaled with h when the step changes, which keeps the
 * order.  A restart sets a = phi. */
#include "methods/hermite.h"
#include "methods/method.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum iteration { ITERATION_INDEX2, ITERATION_CS, ITERATION_CM };
/* Errors of order h^3 a step add up to h^2: held against tol they leave tol^(2/3).  Held against tol^(3/2), up to a constant factor, they
 * leave tol, as those of methods of high order do. */
static const double LOOSE = 1e-2, TIGHT_INDEX3 = 8;    /* of index 3 the velocities hardly count in the estimate */
enum { NEWTON_MAX = 12, NEWTON_MAX_FIXED = 60 };
static const double NORMAL_SHARE = 0.1;         /* of the error estimate of q across the constraints */

struct alpha_coefficients {
    double am, af, beta, gamma;
    double bh, gh;              /* beta, gamma times (1 - af)/(1 - am) */
};

struct genalpha {
    struct alpha_coefficients c;
    double zm, zf, zg, zh;      /* am, af, gamma and gh for the states z */
    double error_q, error_v, error_z;   /* constants of the local errors */
    enum iteration iteration;
    int index3;

    struct mbs_matrix *J;
    int bM, brq, brv, bGt, bG, bOne, bnh, brz, bzq, bzv, bI, bzz;
    struct mbs_jacobian jac;
    int tree;                   /* factors along a tree (model.h) take the place of J; ... */
    double *link;
    struct mbs_point at;        /* ... they were made here */
    double *gvq_nh;             /* gvq without its holonomic rows */

    struct mbs_point old, x, save;      /* begin of the last step, trial point, trial before the last correction */
    double *a, *zd;             /* averages of phi and z' at s->x */
    double h_a;                 /* step they belong to; 0: a = phi */
    double *zdot, *zdot_old;    /* z' at s->x and at old */
    double *a_new, *zd_new, *zdot_new;
    double *dphi, *dzdot;       /* slopes of phi and z' over the last step */
    double h_prev;              /* its length; 0 after a restart */

    const unsigned char *drop;  /* rows left out, or NULL */
    double *one;                /* 1 for each of them */
    double tight;               /* weight of the errors of a step */
    double *qhat, *vhat, *zhat, *w, *nu, *kappa;
    double *rhs, *vrhs, *tmp, *sc;
    double *est;                /* estimated error of (q, v, z) */
    double eta;                 /* theta / (1 - theta) of the last iteration */
    double worst_force, worst_constraint;       /* largest residuals before the last correction */

    double *gt_split;           /* coordinate splitting: G' (n x m) and its triangular factors */
    int *rows, *cols, rank;
};

/* ---- coefficients ---- */

static void coefficients_finish(struct genalpha *e, double rho)
{
    struct alpha_coefficients *c = &e->c;
    double d = c->am - c->af, dz;

    c->gamma = 0.5 - d;
    c->beta = (1 - d) * (1 - d) / 4;
    c->bh = c->beta * (1 - c->af) / (1 - c->am);
    c->gh = c->gamma * (1 - c->af) / (1 - c->am);
    e->zm = 1 - (3 - rho) / (2 * (1 + rho));
    e->zf = rho / (1 + rho);
    dz = e->zm - e->zf;
    e->zg = 0.5 - dz;
    e->zh = e->zg * (1 - e->zf) / (1 - e->zm);
    /* From a_n = phi + d h phi' + d (am - 1/2) h^2 phi'' + ...: the terms of h^3 in q (with phi') and v (phi''), less
     * those of the solution. */
    e->error_q = c->beta + d / 2 - 1.0 / 6;
    e->error_v = 1.0 / 12 - d * d - d / 2 + d * c->am;
    e->error_z = 1.0 / 12 - dz * dz - dz / 2 + dz * e->zm;
}

/* HHT is the member of the family with am = 0. */
static void coefficients_set(struct genalpha *e, const struct mbs_stepper *s)
{
    const int *hht = s->method->data;
    double rho = s->opt->rho, alpha = s->opt->alpha;

    if (*hht) {
        e->c.am = 0;
        e->c.af = -alpha;
        rho = (1 + alpha) / (1 - alpha);
    } else {
        e->c.am = (2 * rho - 1) / (rho + 1);
        e->c.af = rho / (rho + 1);
    }
    coefficients_finish(e, rho);
}

/* ---- set-up ---- */

static void genalpha_layout(struct mbs_stepper *s, struct mbs_work *w)
{
    struct genalpha *e = s->self;
    const struct mbs_problem *p = s->p;
    const struct mbs_model *o = p->model;
    size_t n = (size_t)p->n + 1, m = (size_t)p->m + 1, nz = (size_t)p->nz + 1, all = n + m + nz;
    struct {
        double **at;
        size_t size;
    } list[] = {
        { &e->jac.rq, (size_t)o->rq.nnz }, { &e->jac.rv, (size_t)o->rv.nnz }, { &e->jac.M, (size_t)o->M.nnz },
        { &e->jac.G, (size_t)o->G.nnz }, { &e->jac.rz, (size_t)o->rz.nnz }, { &e->jac.zq, (size_t)o->zq.nnz },
        { &e->jac.zv, (size_t)o->zv.nnz }, { &e->jac.zz, (size_t)o->zz.nnz }, { &e->jac.gvq, (size_t)o->gvq.nnz },
        { &e->gvq_nh, (size_t)o->gvq.nnz }, { &e->a, n }, { &e->a_new, n }, { &e->zd, nz }, { &e->zd_new, nz },
        { &e->zdot, nz }, { &e->zdot_old, nz }, { &e->zdot_new, nz }, { &e->dphi, n }, { &e->dzdot, nz },
        { &e->qhat, n }, { &e->vhat, n }, { &e->zhat, nz }, { &e->w, n }, { &e->nu, m }, { &e->kappa, m }, { &e->one, m },
        { &e->rhs, all }, { &e->vrhs, all }, { &e->tmp, 3 * (2 * n + nz) }, { &e->sc, 2 * n + nz }, { &e->est, 2 * n + nz },
        { &e->gt_split, n * m },
    };

    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        *list[i].at = mbs_work_doubles(w, list[i].size + 1);
    e->rows = mbs_work_ints(w, n);
    e->cols = mbs_work_ints(w, m);
    mbs_point_layout(&e->old, p, w);
    mbs_point_layout(&e->x, p, w);
    mbs_point_layout(&e->save, p, w);
    e->tree = mbs_has_newton(o);
    if (e->tree) {
        e->link = mbs_work_doubles(w, (size_t)o->nn + 1);
        mbs_point_layout(&e->at, p, w);
    }
}

/* Unknowns (dq, dz, dnu). */
static int newton_matrix_new(struct mbs_stepper *s)
{
    struct genalpha *e = s->self;
    const struct mbs_problem *p = s->p;
    const struct mbs_model *o = p->model;
    int n = p->n, nz = p->nz, c = n + nz;
    struct mbs_matrix *J = e->J = mbs_matrix_new(n + nz + p->m, MBS_MATRIX_REAL);

    if (!J)
        return MBS_NO_MEMORY;
    e->bM = mbs_matrix_block(J, &o->M, 0, 0, 0, MBS_BLOCK_SYMMETRIC);
    e->brq = mbs_matrix_block(J, &o->rq, 0, 0, 0, MBS_BLOCK);
    e->brv = mbs_matrix_block(J, &o->rv, 0, 0, 0, MBS_BLOCK);
    if (p->m > 0) {
        e->bGt = mbs_matrix_block(J, &o->G, 0, 0, c, MBS_BLOCK_TRANSPOSED);
        e->bG = mbs_matrix_block(J, &o->G, 0, c, 0, MBS_BLOCK);
        e->bOne = mbs_matrix_block(J, NULL, p->m, c, c, MBS_BLOCK);
    }
    if (p->nh > 0)
        e->bnh = mbs_matrix_block(J, &o->gvq, 0, c, 0, MBS_BLOCK);
    if (nz > 0) {
        e->brz = mbs_matrix_block(J, &o->rz, 0, 0, n, MBS_BLOCK);
        e->bzq = mbs_matrix_block(J, &o->zq, 0, n, 0, MBS_BLOCK);
        e->bzv = mbs_matrix_block(J, &o->zv, 0, n, 0, MBS_BLOCK);
        e->bzz = mbs_matrix_block(J, &o->zz, 0, n, n, MBS_BLOCK);
        e->bI = mbs_matrix_block(J, NULL, nz, n, n, MBS_BLOCK);
    }
    return mbs_matrix_ready(J);
}

static int genalpha_open(struct mbs_stepper *s)
{
    struct genalpha *e = s->self;
    const char *name = s->opt->iteration;

    coefficients_set(e, s);
    e->index3 = s->form == MBS_INDEX3;
    if (strcmp(name, "auto") == 0 || strcmp(name, "index2") == 0)
        e->iteration = ITERATION_INDEX2;
    else if (strcmp(name, "cs") == 0)
        e->iteration = ITERATION_CS;
    else if (strcmp(name, "cm") == 0)
        e->iteration = ITERATION_CM;
    else
        return mbs_fail(s->msg, MBS_BAD_ARGUMENT, NAN, -1, -1, "%s has no iteration '%.40s', but index2, cs, cm", s->method->name,
                        name);
    return e->tree ? 0 : newton_matrix_new(s);
}

static void genalpha_close(struct mbs_stepper *s)
{
    struct genalpha *e = s->self;

    mbs_matrix_free(e->J);
    e->J = NULL;
}

static int genalpha_start(struct mbs_stepper *s)
{
    struct genalpha *e = s->self;
    struct mbs_problem *p = s->p;
    double h;

    memcpy(e->a, s->x.a, (size_t)p->n * sizeof *e->a);
    if (p->nz > 0) {
        struct mbs_state x = mbs_point_state(&s->x, p);
        mbs_eval_dynamics(p, &x, &p->dyn);
        memcpy(e->zdot, p->dyn.zdot, (size_t)p->nz * sizeof *e->zdot);
        memcpy(e->zd, e->zdot, (size_t)p->nz * sizeof *e->zd);
    }
    e->h_a = e->h_prev = 0;
    e->eta = 1;
    s->err = e->est;
    s->sc = e->sc;
    e->drop = mbs_saddle_dropped(s->p->saddle);
    for (int i = 0; i < s->p->m; i++)
        e->one[i] = e->drop && e->drop[i];
    e->tight = (e->index3 ? TIGHT_INDEX3 : 1) * sqrt(LOOSE / fmin(s->opt->rtol, LOOSE));
    s->control = (struct mbs_control){ .safe = 0.9, .fac_min = 0.2, .fac_max = 4, .expo = 1.0 / 3, .beta = 0, .err_old = 1e-4 };
    if (s->opt->step > 0)
        s->h = s->dir * s->opt->step;
    else {
        h = mbs_first_step(s, 2, e->tmp);
        if (h == 0)
            return s->msg->status < 0 ? s->msg->status
                                      : mbs_fail(s->msg, MBS_UNDERFLOW, s->x.t, -1, -1, "no first step was found at t = %.9g", s->x.t);
        s->h = h;
    }
    return 0;
}

/* ---- coordinate splitting, YPR (3.7) to (3.9) ---- */

/* Gaussian elimination with full pivoting on G' (n x m): the pivot rows are the split coordinates Y. */
static void split_factor(struct mbs_stepper *s, const double *G)
{
    struct genalpha *e = s->self;
    const struct mbs_pattern *g = &s->p->model->G;
    int n = s->p->n, m = s->p->m;
    double *A = e->gt_split, first = 0;

    memset(A, 0, (size_t)n * (size_t)m * sizeof *A);
    for (int j = 0, k = 0; j < n; j++)
        for (; k < g->colptr[j + 1]; k++)
            A[j * m + g->rowidx[k]] = G[k];
    for (int i = 0; i < n; i++)
        e->rows[i] = i;
    for (int i = 0; i < m; i++)
        e->cols[i] = i;
    for (e->rank = 0; e->rank < m && e->rank < n; e->rank++) {
        int k = e->rank, pi = k, pj = k, swap;
        double big = 0;
        for (int i = k; i < n; i++)
            for (int j = k; j < m; j++)
                if (fabs(A[e->rows[i] * m + e->cols[j]]) > big)
                    big = fabs(A[e->rows[i] * m + e->cols[j]]), pi = i, pj = j;
        first = k == 0 ? big : first;
        if (!(big > 1e-10 * first))
            break;
        swap = e->rows[k], e->rows[k] = e->rows[pi], e->rows[pi] = swap;
        swap = e->cols[k], e->cols[k] = e->cols[pj], e->cols[pj] = swap;
        for (int i = k + 1; i < n; i++) {
            double *row = A + e->rows[i] * m, *pivot = A + e->rows[k] * m;
            double l = row[e->cols[k]] /= pivot[e->cols[k]];
            for (int j = k + 1; j < m; j++)
                row[e->cols[j]] -= l * pivot[e->cols[j]];
        }
    }
}

/* s = -(G Y)^-T Y' r */
static void split_multipliers(struct mbs_stepper *s, const double *r, double *out)
{
    struct genalpha *e = s->self;
    const double *A = e->gt_split;
    int m = s->p->m, k = e->rank;

    memset(out, 0, (size_t)m * sizeof *out);
    for (int i = 0; i < k; i++) {
        double x = -r[e->rows[i]];
        for (int j = 0; j < i; j++)
            x -= A[e->rows[i] * m + e->cols[j]] * out[e->cols[j]];
        out[e->cols[i]] = x;
    }
    for (int i = k - 1; i >= 0; i--) {
        double x = out[e->cols[i]];
        for (int j = i + 1; j < k; j++)
            x -= A[e->rows[i] * m + e->cols[j]] * out[e->cols[j]];
        out[e->cols[i]] = x / A[e->rows[i] * m + e->cols[i]];
    }
}

/* ---- one attempt ---- */

/* qhat, vhat, zhat, and the predictor: the step with phi' = phi. */
static void predict(struct mbs_stepper *s, double h, double t_new)
{
    struct genalpha *e = s->self;
    const struct mbs_problem *p = s->p;
    const struct alpha_coefficients *c = &e->c;
    double ra = e->h_a != 0 ? h / e->h_a : 0, B = c->bh * h * h, C = c->gh * h;
    double qa = 0.5 - c->beta / (1 - c->am), qf = c->beta * c->af / (1 - c->am);
    double va = 1 - c->gamma / (1 - c->am), vf = c->gamma * c->af / (1 - c->am);
    double za = 1 - e->zg / (1 - e->zm), zf = e->zg * e->zf / (1 - e->zm), Z = e->zh * h;

    e->x.t = t_new;
    for (int i = 0; i < p->n; i++) {
        double phi = s->x.a[i], a = phi + ra * (e->a[i] - phi);
        e->qhat[i] = s->x.q[i] + h * s->x.v[i] + h * h * (qa * a + qf * phi);
        e->vhat[i] = s->x.v[i] + h * (va * a + vf * phi);
        e->x.q[i] = e->qhat[i] + B * phi;
        e->x.v[i] = e->w[i] = e->vhat[i] + C * phi;
        e->a_new[i] = a;        /* a_n fitted to this step; finish() makes a_(n+1) of it */
    }
    for (int i = 0; i < p->m; i++) {
        e->nu[i] = B * s->x.lambda[i];
        e->kappa[i] = 0;
    }
    for (int i = 0; i < p->nz; i++) {
        double zdot = e->zdot[i], zd = zdot + ra * (e->zd[i] - zdot);
        e->zhat[i] = s->x.z[i] + h * (za * zd + zf * zdot);
        e->x.z[i] = e->zhat[i] + Z * zdot;
        e->zd_new[i] = zd;
    }
}

/* r = M (q - qhat) - B f, of a tree by its inverse dynamics with a = (q - qhat)/B */
static void force_residual(const struct mbs_stepper *s, double B, double *r)
{
    const struct genalpha *e = s->self;
    struct mbs_problem *p = s->p;

    if (e->tree) {
        struct mbs_state x = mbs_point_state(&e->x, p);
        struct mbs_residual out = { .r = r, .zdot = p->dyn.zdot };
        for (int i = 0; i < p->n; i++)
            e->tmp[i] = (e->x.q[i] - e->qhat[i]) / B;
        x.a = e->tmp;
        mbs_eval_residual(p, &x, &out);
        for (int i = 0; i < p->n; i++)
            r[i] *= B;
        return;
    }
    for (int i = 0; i < p->n; i++) {
        e->tmp[i] = e->x.q[i] - e->qhat[i];
        r[i] = -B * p->dyn.f[i];
    }
    mbs_csc_mul_sym(&p->model->M, p->dyn.M, 1, e->tmp, r);
}

/* Newton's matrix and, where velocities are projected, the saddle point at the trial point. */
static int newton_factor(struct mbs_stepper *s, double h)
{
    struct genalpha *e = s->self;
    struct mbs_problem *p = s->p;
    double B = e->c.bh * h * h, C = e->c.gh * h, Z = e->zh * h;
    struct mbs_state x = mbs_point_state(&e->x, p);
    double *a = e->tmp, *lambda = e->tmp + p->n;
    int status;

    for (int i = 0; i < p->n; i++)
        a[i] = (e->x.q[i] - e->qhat[i]) / B;
    for (int i = 0; i < p->m; i++)
        lambda[i] = e->iteration == ITERATION_CM ? 0 : e->nu[i] / B;
    x.a = a;
    x.lambda = lambda;
    if (e->tree) {
        const double shift[3] = { B, C, 1 };
        s->stat->jac++;
        s->stat->lu++;
        mbs_point_copy(&e->at, &e->x, p);
        memcpy(e->at.a, a, (size_t)p->n * sizeof *a);
        return mbs_eval_newton(p, &x, 1, shift, e->link);
    }
    mbs_eval_jacobian(p, &x, &e->jac);
    for (int k = 0; k < p->model->G.nnz && e->drop; k++)
        if (e->drop[p->model->G.rowidx[k]])
            e->jac.G[k] = 0;
    mbs_matrix_clear(e->J);
    if (e->drop)
        mbs_matrix_add(e->J, e->bOne, 1, 0, e->one);
    mbs_matrix_add(e->J, e->bM, 1, 0, e->jac.M);
    mbs_matrix_add(e->J, e->brq, B, 0, e->jac.rq);
    mbs_matrix_add(e->J, e->brv, C, 0, e->jac.rv);
    if (p->m > 0) {
        mbs_matrix_add(e->J, e->bGt, 1, 0, e->jac.G);
        mbs_matrix_add(e->J, e->bG, 1, 0, e->jac.G);
    }
    if (p->nh > 0) {
        const struct mbs_pattern *g = &p->model->gvq;
        for (int k = 0; k < g->nnz; k++)
            e->gvq_nh[k] = g->rowidx[k] < p->ng ? 0 : e->jac.gvq[k];
        mbs_matrix_add(e->J, e->bnh, B / C, 0, e->gvq_nh);
    }
    if (p->nz > 0) {
        for (int i = 0; i < p->nz; i++)
            e->tmp[i] = 1;
        mbs_matrix_add(e->J, e->brz, B, 0, e->jac.rz);
        mbs_matrix_add(e->J, e->bzq, -Z, 0, e->jac.zq);
        mbs_matrix_add(e->J, e->bzv, -Z * C / B, 0, e->jac.zv);
        mbs_matrix_add(e->J, e->bzz, -Z, 0, e->jac.zz);
        mbs_matrix_add(e->J, e->bI, 1, 0, e->tmp);
    }
    s->stat->lu++;
    status = mbs_matrix_factor(e->J);
    if (status >= 0 && !e->index3 && p->m > 0) {
        s->stat->lu++;
        status = mbs_saddle_factor(p->saddle, e->jac.M, e->jac.G);
        if (status > 0)
            s->stat->rank_drops++;
    }
    return status < 0 ? status : 0;
}

/* N^-1 x */
static void newton_solve(struct mbs_stepper *s, double *x)
{
    struct genalpha *e = s->self;

    s->stat->solves++;
    if (e->tree)
        s->p->model->newton_solve(1, e->link, x);
    else
        mbs_matrix_solve(e->J, x);
}

/* One Newton correction of q, z, nu at a point where dynamics() has been evaluated (but of a tree); w follows.  Leaves (dq, dz, dnu) in
 * rhs. */
static void correct_positions(struct mbs_stepper *s, double h)
{
    struct genalpha *e = s->self;
    struct mbs_problem *p = s->p;
    const struct mbs_model *o = p->model;
    int n = p->n, nz = p->nz, m = p->m;
    double B = e->c.bh * h * h, ratio = e->c.gh * h / B, Z = e->zh * h, *rc = e->rhs + n + nz;

    force_residual(s, B, e->rhs);
    if (m > 0 && e->iteration != ITERATION_INDEX2) {
        split_factor(s, p->dyn.G);
        split_multipliers(s, e->rhs, e->nu);
    }
    mbs_csc_mul_t(&o->G, p->dyn.G, 1, e->nu, e->rhs);
    for (int i = 0; i < nz; i++)
        e->rhs[n + i] = e->x.z[i] - e->zhat[i] - Z * p->dyn.zdot[i];
    if (p->nh > 0) {
        memcpy(rc, p->dyn.gt, (size_t)m * sizeof *rc);
        mbs_csc_mul(&o->G, p->dyn.G, 1, e->w, rc);
        for (int i = p->ng; i < m; i++)
            rc[i] /= ratio;
    }
    memcpy(rc, p->dyn.g, (size_t)p->ng * sizeof *rc);
    for (int i = 0; i < m && e->drop; i++)
        if (e->drop[i])
            rc[i] = 0;
    e->worst_force = e->worst_constraint = 0;
    for (int i = 0; i < n; i++)
        e->worst_force = fmax(e->worst_force, fabs(e->rhs[i]));
    for (int i = 0; i < m; i++)
        e->worst_constraint = fmax(e->worst_constraint, fabs(rc[i]));
    for (int i = 0; i < n + nz + m; i++)
        e->rhs[i] = -e->rhs[i];
    newton_solve(s, e->rhs);
    for (int i = 0; i < n; i++) {
        e->x.q[i] += e->rhs[i];
        e->w[i] = e->vhat[i] + ratio * (e->x.q[i] - e->qhat[i]);
        e->tmp[i] = ratio * e->rhs[i];          /* dw */
    }
    for (int i = 0; i < nz; i++)
        e->x.z[i] += e->rhs[n + i];
    for (int i = 0; i < m; i++)
        e->nu[i] += e->rhs[n + nz + i];
}

/* One Newton correction of everything; returns the norm of the change (1 = tolerance). */
static double newton_correct(struct mbs_stepper *s, double h)
{
    struct genalpha *e = s->self;
    struct mbs_problem *p = s->p;
    const struct mbs_model *o = p->model;
    int n = p->n, nz = p->nz, m = p->m, project = !e->index3 && m > 0;
    double *dv = e->vrhs, sum;

    if (project) {              /* -(M (v - w) + G' kappa), -(G v + gt), before q and w move */
        memset(dv, 0, (size_t)n * sizeof *dv);
        for (int i = 0; i < n; i++)
            e->tmp[i] = e->x.v[i] - e->w[i];
        mbs_csc_mul_sym(&o->M, p->dyn.M, -1, e->tmp, dv);
        mbs_csc_mul_t(&o->G, p->dyn.G, -1, e->kappa, dv);
        for (int i = 0; i < m; i++)
            dv[n + i] = -p->dyn.gt[i];
        mbs_csc_mul(&o->G, p->dyn.G, -1, e->x.v, dv + n);
    }
    correct_positions(s, h);
    if (project) {
        mbs_csc_mul_sym(&o->M, e->jac.M, 1, e->tmp, dv);
        mbs_csc_mul(&o->gvq, e->jac.gvq, -1, e->rhs, dv + n);
        mbs_saddle_solve(p->saddle, dv);
        s->stat->solves++;
        for (int i = 0; i < n; i++)
            e->x.v[i] += dv[i];
        for (int i = 0; i < m; i++)
            e->kappa[i] += dv[n + i];
    } else {
        memcpy(dv, e->tmp, (size_t)n * sizeof *dv);
        memcpy(e->x.v, e->w, (size_t)n * sizeof *dv);
    }
    sum = mbs_sumsq(e->rhs, e->sc, n) + mbs_sumsq(dv, e->sc + n, n) + mbs_sumsq(e->rhs + n, e->sc + 2 * n, nz);
    return sqrt(sum / p->ny);
}

/* The residuals before the last correction are what rounding leaves: near a singular position a row of G that depends on
 * others but for sigma turns rounding errors eps of g into corrections eps/sigma, and the iteration cannot do better. */
static int is_rounding(const struct mbs_stepper *s, double B)
{
    const struct genalpha *e = s->self;
    const struct mbs_problem *p = s->p;
    const struct mbs_pattern *M = &p->model->M, *G = &p->model->G;
    double force = 0, constraint = 0;

    for (int j = 0; j < p->n; j++) {
        double dq = fabs(e->save.q[j]);      /* q - qhat is rounded like q */
        force = fmax(force, B * fabs(p->dyn.f[j]));
        for (int k = M->colptr[j]; k < M->colptr[j + 1]; k++)
            force = fmax(force, fabs(p->dyn.M[k]) * dq);
        for (int k = G->colptr[j]; k < G->colptr[j + 1]; k++) {
            force = fmax(force, fabs(p->dyn.G[k] * e->save.lambda[G->rowidx[k]]));
            constraint = fmax(constraint, fabs(p->dyn.G[k] * e->save.q[j]));
        }
    }
    return e->worst_force <= 4 * DBL_EPSILON * force && e->worst_constraint <= 4 * DBL_EPSILON * constraint;
}

/* Weights of the norms; what rounding in q leaves in v cannot be asked for. */
static void weights_set(struct mbs_stepper *s, double h)
{
    struct genalpha *e = s->self;
    double ratio = fabs(e->c.gh / (e->c.bh * h));

    mbs_scale(s, s->x.q, e->x.q, e->sc);
    if (s->opt->step == 0)
        for (int i = 0; i < s->p->ny; i++)
            e->sc[i] *= e->tight;
    for (int i = 0; i < s->p->n; i++) {
        double *sc = e->sc + s->p->n + i, floor = 1e-15 * fabs(e->x.q[i]);
        e->sc[i] = 1 / (1 / e->sc[i] + floor);
        *sc = 1 / (1 / *sc + ratio * floor);
    }
}

/* What newton_correct() changes, kept so that a bad correction can be taken back: q, v, z, w, nu, kappa. */
static void trial_save(const struct mbs_stepper *s)
{
    struct genalpha *e = s->self;
    size_t n = (size_t)s->p->n, m = (size_t)s->p->m, d = sizeof(double);

    memcpy(e->save.q, e->x.q, (size_t)s->p->ny * d);
    memcpy(e->save.a, e->w, n * d);
    memcpy(e->save.lambda, e->nu, m * d);
    memcpy(e->save.mu, e->kappa, m * d);
}

static void trial_restore(const struct mbs_stepper *s)
{
    struct genalpha *e = s->self;
    size_t n = (size_t)s->p->n, m = (size_t)s->p->m, d = sizeof(double);

    memcpy(e->x.q, e->save.q, (size_t)s->p->ny * d);
    memcpy(e->w, e->save.a, n * d);
    memcpy(e->nu, e->save.lambda, m * d);
    memcpy(e->kappa, e->save.mu, m * d);
}

/* Simplified Newton.  A correction with an old matrix that does not contract well is taken back and repeated with a
 * new one, so that large steps follow the path of the full Newton iteration: with h omega >> 1 the equations have
 * several solutions, and the wrong one gains energy.  0, or why it failed. */
static int newton(struct mbs_stepper *s, double h)
{
    struct genalpha *e = s->self;
    struct mbs_problem *p = s->p;
    int fixed = s->opt->step > 0, most = fixed ? NEWTON_MAX_FIXED : NEWTON_MAX, fresh = 0, status;
    double kappa = fixed ? 1e-3 : 1e-2, norm, old = 0, eta = pow(fmax(e->eta, 1e-10), 0.8);
    struct mbs_state x;

    weights_set(s, h);
    for (int iter = 0; iter < most; iter++) {
        if (iter == 0)
            fresh = 1;
        if (fresh && (status = newton_factor(s, h)) < 0)
            return status;
        x = mbs_point_state(&e->x, p);
        if (!e->tree)
            mbs_eval_dynamics(p, &x, &p->dyn);
        trial_save(s);
        norm = newton_correct(s, h);
        s->stat->newton++;
        if (!isfinite(norm)) {
            trial_restore(s);
            mbs_name_nan(p, e->x.t, e->x.q);
            return MBS_NAN;
        }
        if (old > 0) {
            double theta = norm / old;
            if (theta > 0.2 && !e->tree && is_rounding(s, e->c.bh * h * h))
                return 0;
            if (theta > 0.2 && !fresh) {
                trial_restore(s);
                fresh = 1;
                continue;
            }
            if (theta >= 2 && !fixed)
                return MBS_NO_CONVERGENCE;
            eta = theta < 0.99 ? theta / (1 - theta) : 100;
        }
        if (eta * norm <= kappa || norm <= 1e-10) {
            e->eta = eta;
            return 0;
        }
        fresh = 0;
        old = norm;
    }
    return MBS_NO_CONVERGENCE;
}

/* phi and lambda of the index-3 form. */
static void finish_index3(struct mbs_stepper *s, double h)
{
    struct genalpha *e = s->self;
    double B = e->c.bh * h * h;

    for (int i = 0; i < s->p->n; i++)
        e->x.a[i] = (e->x.q[i] - e->qhat[i]) / B;
    for (int i = 0; i < s->p->m; i++)
        e->x.lambda[i] = e->nu[i] / B;
    for (int i = 0; i < s->p->nz; i++)
        e->zdot_new[i] = (e->x.z[i] - e->zhat[i]) / (e->zh * h);
}

/* v, phi and lambda from saddle-point solves at the new q.  Stiff forces turn what the iteration has left undone in q into
 * large errors of phi; dynamics() has to be evaluated anyway, so one more correction is made with its values and f moved
 * along with it by f_q dq + f_v dv. */
static int finish_ggl(struct mbs_stepper *s, double h)
{
    struct genalpha *e = s->self;
    struct mbs_problem *p = s->p;
    const struct mbs_model *o = p->model;
    struct mbs_state state = mbs_point_state(&e->x, p);
    int n = p->n, m = p->m, status;
    double *x = e->vrhs;

    mbs_eval_dynamics(p, &state, &p->dyn);
    correct_positions(s, h);
    mbs_csc_mul(&o->rq, e->jac.rq, -1, e->rhs, p->dyn.f);
    mbs_csc_mul(&o->rv, e->jac.rv, -1, e->tmp, p->dyn.f);
    mbs_csc_mul(&o->rz, e->jac.rz, -1, e->rhs + n, p->dyn.f);
    mbs_csc_mul(&o->zq, e->jac.zq, 1, e->rhs, p->dyn.zdot);
    mbs_csc_mul(&o->zv, e->jac.zv, 1, e->tmp, p->dyn.zdot);
    mbs_csc_mul(&o->zz, e->jac.zz, 1, e->rhs + n, p->dyn.zdot);
    memcpy(e->x.v, e->w, (size_t)n * sizeof *x);
    status = mbs_saddle_factor(p->saddle, p->dyn.M, p->dyn.G);
    s->stat->lu++;
    if (status < 0)
        return status;
    s->stat->rank_drops += status > 0;
    if (m > 0) {
        memset(x, 0, (size_t)n * sizeof *x);
        for (int i = 0; i < m; i++)
            x[n + i] = -p->dyn.gt[i];
        mbs_csc_mul(&o->G, p->dyn.G, -1, e->w, x + n);
        mbs_saddle_solve(p->saddle, x);
        for (int i = 0; i < n; i++)
            e->x.v[i] = e->w[i] + x[i];
    }
    memcpy(x, p->dyn.f, (size_t)n * sizeof *x);
    for (int i = 0; i < m; i++)
        x[n + i] = -p->dyn.gamma[i];
    mbs_saddle_solve(p->saddle, x);
    s->stat->solves += 1 + (m > 0);
    memcpy(e->x.a, x, (size_t)n * sizeof *x);
    memcpy(e->x.lambda, x + n, (size_t)m * sizeof *x);
    memcpy(e->zdot_new, p->dyn.zdot, (size_t)p->nz * sizeof *x);
    return 0;
}

/* Of a tree: that correction, and accelerations at the point that it gives. */
static int finish_tree(struct mbs_stepper *s, double h)
{
    struct genalpha *e = s->self;

    correct_positions(s, h);
    memcpy(e->x.v, e->w, (size_t)s->p->n * sizeof *e->w);
    return mbs_accelerations(s->p, e->x.t, e->x.q, e->x.a, NULL, e->zdot_new);
}

/* The new point is complete, and so are the averages. */
static int finish(struct mbs_stepper *s, double h)
{
    struct genalpha *e = s->self;
    struct mbs_problem *p = s->p;
    int status = 0;

    if (e->index3)
        finish_index3(s, h);
    else
        status = e->tree ? finish_tree(s, h) : finish_ggl(s, h);
    if (status < 0)
        return status;
    for (int i = 0; i < p->n; i++)
        e->a_new[i] = ((1 - e->c.af) * e->x.a[i] + e->c.af * s->x.a[i] - e->c.am * e->a_new[i]) / (1 - e->c.am);
    for (int i = 0; i < p->nz; i++)
        e->zd_new[i] = ((1 - e->zf) * e->zdot_new[i] + e->zf * e->zdot[i] - e->zm * e->zd_new[i]) / (1 - e->zm);
    return mbs_finite(e->x.q, p->ny) && mbs_finite(e->x.a, p->n) ? 0 : MBS_NAN;
}

/* ---- error control ---- */

/* h^3 error_q phi' in q and h^3 error_v phi'' in v and z, the derivatives from differences, passed through Newton's
 * matrix: that damps the part of stiff components, as (HW IV.8.19) does, and leaves the part along the constraints.  Across
 * them there is no error, g = 0 is met; but a tenth of the estimate is kept there too, so that a driven mechanism does not
 * take steps after which the iteration would find another assembly. */
static double error_norm(struct mbs_stepper *s, double h)
{
    struct genalpha *e = s->self;
    struct mbs_problem *p = s->p;
    int n = p->n, nz = p->nz, m = p->m;
    double cv = e->h_prev != 0 ? e->error_v * h * h * h * 2 / (h + e->h_prev) : 0;
    double cz = e->h_prev != 0 ? e->error_z * h * h * h * 2 / (h + e->h_prev) : 0, sum = 0;

    weights_set(s, h);
    for (int part = 0; part < (cv != 0 ? 2 : 1); part++) {
        memset(e->rhs, 0, (size_t)(n + nz + m) * sizeof *e->rhs);
        for (int i = 0; i < n; i++) {
            double d = e->x.a[i] - s->x.a[i];
            e->tmp[i] = part == 0 ? e->error_q * h * h * d : cv * (d / h - e->dphi[i]);
        }
        if (e->tree) {
            struct mbs_state at = mbs_point_state(&e->at, p);
            memcpy(e->rhs, e->tmp, (size_t)n * sizeof *e->rhs);
            mbs_eval_times(p, &at, 0, 0, 1, e->rhs);
        } else {
            mbs_csc_mul_sym(&p->model->M, e->jac.M, 1, e->tmp, e->rhs);
        }
        if (part == 0 && p->ng > 0) {
            mbs_csc_mul(&p->model->G, e->jac.G, NORMAL_SHARE, e->tmp, e->rhs + n + nz);
            memset(e->rhs + n + nz + p->ng, 0, (size_t)p->nh * sizeof *e->rhs);
        }
        if (part == 1)
            for (int i = 0; i < nz; i++)
                e->rhs[n + i] = cz * ((e->zdot_new[i] - e->zdot[i]) / h - e->dzdot[i]);
        newton_solve(s, e->rhs);
        if (part == 1 && e->index3)         /* v has index 2 */
            for (int i = 0; i < n; i++)
                e->rhs[i] *= fabs(h);
        memcpy(e->est + part * n, e->rhs, (size_t)n * sizeof *e->est);
        memcpy(e->est + 2 * n, e->rhs + n, (size_t)nz * sizeof *e->est);
        sum += mbs_sumsq(e->rhs, e->sc + part * n, n) + (part ? mbs_sumsq(e->rhs + n, e->sc + 2 * n, nz) : 0);
    }
    return sqrt(sum / p->ny);
}

/* ---- the step ---- */

static int genalpha_attempt(struct mbs_stepper *s, double h, double t_new, double *err)
{
    int status;

    predict(s, h, t_new);
    if ((status = newton(s, h)) || (status = finish(s, h)))
        return status;
    *err = s->opt->step > 0 ? 0 : error_norm(s, h);
    return isfinite(*err) ? 0 : MBS_NAN;
}

static int genalpha_accept(struct mbs_stepper *s, double h, double t_new)
{
    struct genalpha *e = s->self;
    struct mbs_problem *p = s->p;
    double *swap;

    (void)t_new;                /* that of e->x */
    mbs_point_copy(&e->old, &s->x, p);
    for (int i = 0; i < p->n; i++)
        e->dphi[i] = (e->x.a[i] - s->x.a[i]) / h;
    for (int i = 0; i < p->nz; i++)
        e->dzdot[i] = (e->zdot_new[i] - e->zdot[i]) / h;
    s->t_old = s->x.t;
    mbs_point_copy(&s->x, &e->x, p);
    swap = e->a, e->a = e->a_new, e->a_new = swap;
    swap = e->zd, e->zd = e->zd_new, e->zd_new = swap;
    swap = e->zdot_old, e->zdot_old = e->zdot, e->zdot = e->zdot_new, e->zdot_new = swap;
    e->h_a = e->h_prev = h;
    return 0;
}

/* Steps that would grow by a little only stay as they are: a - phi is then carried on without a change. */
static double genalpha_control(struct mbs_stepper *s, double h, double err, int status)
{
    struct genalpha *e = s->self;
    double fac;

    if (status) {
        s->stat->newton_failures += status == MBS_NO_CONVERGENCE;
        s->control.rejected = 1;
        e->eta = 1;
        return (status == MBS_NO_CONVERGENCE ? 0.4 : 0.1) * h;
    }
    if (err > 1)
        return mbs_control_reject(&s->control, err) * h;
    fac = mbs_control_accept(&s->control, err);
    return (fac > 1 && fac < 1.2 ? 1 : fac) * h;
}

static int genalpha_dense(struct mbs_stepper *s, double t, struct mbs_point *out)
{
    struct genalpha *e = s->self;
    const struct mbs_problem *p = s->p;
    const struct mbs_point *x = &e->old, *y = &s->x;
    double h = y->t - s->t_old, th = h != 0 ? (t - s->t_old) / h : 1;

    out->t = t;
    for (int i = 0; i < p->n; i++) {
        out->q[i] = hermite_cubic(th, h, x->q[i], x->v[i], y->q[i], y->v[i]);
        out->v[i] = hermite_cubic(th, h, x->v[i], x->a[i], y->v[i], y->a[i]);
    }
    for (int i = 0; i < p->nz; i++)
        out->z[i] = hermite_cubic(th, h, x->z[i], e->zdot_old[i], y->z[i], e->zdot[i]);
    return 0;
}

#define ALPHA_METHOD(id, is_hht, text)                                                                                      \
    {                                                                                                                  \
        .name = id,                                                                                                    \
        .summary = text,                                                                                               \
        .forms = MBS_FORM(MBS_GGL) | MBS_FORM(MBS_INDEX3),                                                             \
        .flags = MBS_METHOD_NEWTON | MBS_METHOD_ADAPTIVE | MBS_METHOD_FIXED | MBS_METHOD_NONHOLONOMIC | MBS_METHOD_STATES | \
                 MBS_METHOD_BACKWARD | MBS_METHOD_FORCES, \
        .form_default = MBS_GGL,                                                                                       \
        .size_self = sizeof(struct genalpha),                                                                          \
        .data = &(const int){ is_hht },                                                                                \
        .layout = genalpha_layout,                                                                                     \
        .open = genalpha_open,                                                                                         \
        .start = genalpha_start,                                                                                       \
        .attempt = genalpha_attempt,                                                                                   \
        .accept = genalpha_accept,                                                                                     \
        .control = genalpha_control,                                                                                   \
        .dense = genalpha_dense,                                                                                       \
        .close = genalpha_close,                                                                                       \
    }

const struct mbs_method mbs_method_genalpha = ALPHA_METHOD("genalpha", 0, "generalized alpha of order 2 for stiff and flexible mechanisms, damping set by rho");
const struct mbs_method mbs_method_hht = ALPHA_METHOD("hht", 1, "Hilber-Hughes-Taylor of order 2, damping set by alpha");
