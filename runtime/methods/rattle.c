/* SPDX-License-Identifier: MIT
 *
 * rattle: the symplectic method of order 2 for constrained mechanical systems and symmetric compositions of it.
 *
 * HLW: E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration, 2nd ed. (2006), VII.1.4; general M(q): L. Jay,
 * SIAM J. Numer. Anal. 33 (1996) 368-387.  With p = M v and S(q, v) = dL/dq = f + (dM/dt) v, dM/dt being along v:
 *
 *     M(q0) va = M(q0) v0 + h/2 S(q0, va) - G(q0)' l          first half of the kick, implicit in va
 *     M(q1) vb = M(q0) va,   q1 = q0 + h/2 (va + vb),  g(q1) = 0                 drift, implicit in q1
 *     M(q1) v1 = M(q1) vb + h/2 S(q1, vb) - G(q1)' m,  G(q1) v1 + gt = 0         second half
 *
 * (dM/dt) v is the product of A(q; v) = d(M a)/dq at a = v, read off the residual's Jacobian, with v; dS/dv = A' for
 * conservative systems.  Newton on (va, vb, l), one matrix a step, to the limit of rounding: what is left undone there
 * would show as a drift of the energy.  If M is constant then va = vb, A = 0, and only n + m unknowns remain.
 *
 * M may be singular across the constraints (Euler parameters, massless points).  Then the Lagrangian is augmented by
 * w |G v + gt|^2/2, which changes nothing for motions that meet the constraints: p = M v + G' y and S gets + (Gv + gt)_q' y,
 * with y = w (G v + gt).
 *
 * Symplectic, symmetric, and without drift of the energy for conservative systems: M and forces from T = v' M v / 2 and
 * a potential, scleronomic holonomic constraints.  Forces that depend on v, on t, or on inputs are integrated with the
 * same order, but the method is then not symplectic.  The step is fixed. */
#include "methods/hermite.h"
#include "methods/method.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { STAGES_MAX = 15, NEWTON_MAX = 40 };

/* Symmetric compositions, HLW V.3.2: the first half of the coefficients and the middle one. */
static const struct composition {
    int order, stages;
    double gamma[8];
} compositions[] = {
    { 2, 1, { 1 } },
    /* M. Suzuki, Phys. Lett. A 146 (1990): 1/(4 - 4^(1/3)), 1 - 4 of them in the middle */
    { 4, 5, { 0.41449077179437573714, 0.41449077179437573714, -0.65796308717750294857 } },
    /* W. Kahan, R.-C. Li, Math. Comput. 66 (1997) */
    { 6, 9, { 0.39216144400731413928, 0.33259913678935943860, -0.70624617255763935981, 0.08221359629355080023, 0.79854399093482996340 } },
    /* M. Suzuki, K. Umeno (1993) */
    { 8, 15, { 0.74167036435061295345, -0.40910082580003159400, 0.19075471029623837995, -0.57386247111608226666,
               0.29906418130365592384, 0.33462491824529818378, 0.31529309239676659663, -0.79688793935291635402 } },
};

struct rattle {
    const struct composition *comp;
    int constant;               /* M does not depend on q */
    int velocity_forces;        /* f depends on v (looked at if M is constant) */
    int augment;                /* M is singular */
    double w;                   /* weight of the augmentation */
    /* Newton's matrices: (va, 2/h q1, l) for general M, the same and (ya, yb) for singular M, (va, l) for constant M */
    struct mbs_matrix *J, *Ja, *Jc, *mass;
    int bM00, bA0, bG0, bM10, bM11, bA1, bG1, bya, byb, bGa, bGb, bGb2, bgvq, bI, bmass;
    int cM, cG0, cG1;

    struct mbs_point x, old;    /* where the substeps are, begin of the last step */
    double *M0, *G0, *f0, *gt0, *M1, *G1, *gt, *g, *ya, *yb, *gvq0, *gvq1, *ones;
    double *q1, *va, *vb, *l, *r, *acc, *tmp, *zero;
    struct mbs_jacobian jac;
    double *base0, *base1, *A0, *A1;    /* d(M a)/dq: the part to subtract, and A itself */
    int have0;                  /* M0, G0, f0 (and base0) belong to x */
};

/* ---- set-up ---- */

static void rattle_layout(struct mbs_stepper *s, struct mbs_work *w)
{
    struct rattle *e = s->self;
    const struct mbs_problem *p = s->p;
    const struct mbs_model *o = p->model;
    size_t n = (size_t)p->n, m = (size_t)p->m, rq = (size_t)o->rq.nnz, M = (size_t)o->M.nnz, G = (size_t)o->G.nnz;
    struct {
        double **at;
        size_t size;
    } list[] = {
        { &e->M0, M }, { &e->M1, M }, { &e->G0, G }, { &e->G1, G }, { &e->f0, n }, { &e->gt, m }, { &e->g, m }, { &e->gt0, m }, { &e->ya, m }, { &e->yb, m },
        { &e->gvq0, (size_t)o->gvq.nnz }, { &e->gvq1, (size_t)o->gvq.nnz }, { &e->ones, 2 * m }, { &e->q1, n },
        { &e->va, n }, { &e->vb, n }, { &e->l, m }, { &e->r, 2 * n + 3 * m }, { &e->acc, n }, { &e->tmp, n }, { &e->zero, n + m },
        { &e->jac.rq, rq }, { &e->jac.rv, (size_t)o->rv.nnz }, { &e->jac.M, M }, { &e->jac.G, G }, { &e->jac.rz, (size_t)o->rz.nnz },
        { &e->jac.zq, (size_t)o->zq.nnz }, { &e->jac.zv, (size_t)o->zv.nnz }, { &e->jac.zz, (size_t)o->zz.nnz },
        { &e->base0, rq }, { &e->base1, rq }, { &e->A0, rq }, { &e->A1, rq },
    };

    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        *list[i].at = mbs_work_doubles(w, list[i].size + 1);
    mbs_point_layout(&e->x, p, w);
    mbs_point_layout(&e->old, p, w);
}

/* The blocks that general and singular M have in common. */
static void announce_general(struct rattle *e, struct mbs_matrix *J, const struct mbs_model *o, int n, int m)
{
    e->bM00 = mbs_matrix_block(J, &o->M, 0, 0, 0, MBS_BLOCK_SYMMETRIC);
    e->bA0 = mbs_matrix_block(J, &o->rq, 0, 0, 0, MBS_BLOCK_TRANSPOSED);
    e->bM10 = mbs_matrix_block(J, &o->M, 0, n, 0, MBS_BLOCK_SYMMETRIC);
    e->bM11 = mbs_matrix_block(J, &o->M, 0, n, n, MBS_BLOCK_SYMMETRIC);
    e->bA1 = mbs_matrix_block(J, &o->rq, 0, n, n, MBS_BLOCK);
    if (m > 0) {
        e->bG0 = mbs_matrix_block(J, &o->G, 0, 0, 2 * n, MBS_BLOCK_TRANSPOSED);
        e->bG1 = mbs_matrix_block(J, &o->G, 0, 2 * n, n, MBS_BLOCK);
    }
}

/* G0 dva - dya/w,  G1 (x - dva) + h/2 (Gv)_q x - dyb/w,  and G' dy in the drift's equation. */
static void announce_augmented(struct rattle *e, struct mbs_matrix *J, const struct mbs_model *o, int n, int m)
{
    int a = 2 * n + m, b = a + m;

    e->bya = mbs_matrix_block(J, &o->G, 0, n, a, MBS_BLOCK_TRANSPOSED);
    e->byb = mbs_matrix_block(J, &o->G, 0, n, b, MBS_BLOCK_TRANSPOSED);
    e->bGa = mbs_matrix_block(J, &o->G, 0, a, 0, MBS_BLOCK);
    e->bGb = mbs_matrix_block(J, &o->G, 0, b, n, MBS_BLOCK);
    e->bGb2 = mbs_matrix_block(J, &o->G, 0, b, 0, MBS_BLOCK);
    e->bgvq = mbs_matrix_block(J, &o->gvq, 0, b, n, MBS_BLOCK);
    e->bI = mbs_matrix_block(J, NULL, 2 * m, a, a, MBS_BLOCK);
}

static int rattle_open(struct mbs_stepper *s)
{
    struct rattle *e = s->self;
    const struct mbs_problem *p = s->p;
    const struct mbs_model *o = p->model;
    int n = p->n, m = p->m, status, order = s->opt->order_max > 0 ? s->opt->order_max : 2;

    for (size_t i = 0; i < sizeof compositions / sizeof *compositions; i++)
        if (compositions[i].order <= order || i == 0)
            e->comp = &compositions[i];
    e->J = mbs_matrix_new(2 * n + m, MBS_MATRIX_REAL);
    e->Ja = mbs_matrix_new(2 * n + 3 * m, MBS_MATRIX_REAL);
    e->Jc = mbs_matrix_new(n + m, MBS_MATRIX_REAL);
    e->mass = mbs_matrix_new(n, MBS_MATRIX_REAL);
    if (!e->J || !e->Ja || !e->Jc || !e->mass)
        return MBS_NO_MEMORY;
    announce_general(e, e->J, o, n, m);
    e->bmass = mbs_matrix_block(e->mass, &o->M, 0, 0, 0, MBS_BLOCK_SYMMETRIC);
    e->cM = mbs_matrix_block(e->Jc, &o->M, 0, 0, 0, MBS_BLOCK_SYMMETRIC);
    if (m > 0) {
        e->cG0 = mbs_matrix_block(e->Jc, &o->G, 0, 0, n, MBS_BLOCK_TRANSPOSED);
        e->cG1 = mbs_matrix_block(e->Jc, &o->G, 0, n, 0, MBS_BLOCK);
        announce_general(e, e->Ja, o, n, m);
        announce_augmented(e, e->Ja, o, n, m);
    }
    if ((status = mbs_matrix_ready(e->J)) || (status = mbs_matrix_ready(e->Jc)) || (status = mbs_matrix_ready(e->mass)))
        return status;
    return m > 0 ? mbs_matrix_ready(e->Ja) : 0;
}

static void rattle_close(struct mbs_stepper *s)
{
    struct rattle *e = s->self;

    mbs_matrix_free(e->J);
    mbs_matrix_free(e->Ja);
    mbs_matrix_free(e->Jc);
    mbs_matrix_free(e->mass);
    e->J = e->Ja = e->Jc = e->mass = NULL;
}

static void dynamics_at(struct mbs_problem *p, double t, const double *q, const double *v)
{
    struct mbs_state x = { .t = t, .q = q, .v = v, .z = p->ytmp };

    mbs_eval_dynamics(p, &x, &p->dyn);
}

/* Does M depend on q or t, f on v?  Asked at points in general position, so that a chance agreement is excluded. */
static int probe(struct mbs_stepper *s)
{
    struct rattle *e = s->self;
    struct mbs_problem *p = s->p;
    size_t M = (size_t)p->model->M.nnz * sizeof(double), f = (size_t)p->n * sizeof(double);
    double t = s->x.t;

    dynamics_at(p, t, s->x.q, s->x.v);
    memcpy(e->M0, p->dyn.M, M);
    memcpy(e->f0, p->dyn.f, f);
    dynamics_at(p, t + 0.1234567, s->x.q, s->x.v);
    if (memcmp(e->M0, p->dyn.M, M) != 0)
        return mbs_fail(s->msg, MBS_UNAVAILABLE, t, -1, -1, "rattle takes no mass matrix that depends on time");
    for (int i = 0; i < p->n; i++)
        e->vb[i] = s->x.v[i] + (1 + fabs(s->x.v[i])) * sin(1.7 * i + 0.9);
    dynamics_at(p, t, s->x.q, e->vb);
    e->velocity_forces = memcmp(e->f0, p->dyn.f, f) != 0;
    e->constant = 1;
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < p->n; i++)
            e->q1[i] = s->x.q[i] + 0.1 * (1 + fabs(s->x.q[i])) * sin(2.3 * i + 0.7 + k);
        dynamics_at(p, t, e->q1, s->x.v);
        e->constant &= memcmp(e->M0, p->dyn.M, M) == 0;
    }
    return 0;
}

/* Is M (in M0) singular?  Then the weight of the augmentation, which must stay the same for the whole run. */
static int probe_mass(struct mbs_stepper *s)
{
    struct rattle *e = s->self;
    struct mbs_problem *p = s->p;
    double M = 0, G = 0;

    mbs_matrix_clear(e->mass);
    mbs_matrix_add(e->mass, e->bmass, 1, 0, e->M0);
    e->augment = mbs_matrix_factor(e->mass) != 0;
    if (!e->augment)
        return 0;
    e->constant = 0;
    dynamics_at(p, s->x.t, s->x.q, s->x.v);
    for (int k = 0; k < p->model->M.nnz; k++)
        M = fmax(M, fabs(p->dyn.M[k]));
    for (int k = 0; k < p->model->G.nnz; k++)
        G = fmax(G, fabs(p->dyn.G[k]));
    if (!(M > 0) || !(G > 0))
        return mbs_fail(s->msg, MBS_SINGULAR, s->x.t, -1, -1, "the mass matrix is singular at t = %.9g", s->x.t);
    e->w = M / (G * G);
    for (int i = 0; i < 2 * p->m; i++)
        e->ones[i] = 1;
    return 0;
}

static int rattle_start(struct mbs_stepper *s)
{
    struct rattle *e = s->self;
    int status = probe(s);

    if (status == 0)
        status = probe_mass(s);
    if (status)
        return status;
    memcpy(e->acc, s->x.a, (size_t)s->p->n * sizeof *e->acc);
    memcpy(e->l, s->x.lambda, (size_t)s->p->m * sizeof *e->l);
    e->have0 = 0;
    s->h = s->dir * s->opt->step;
    return 0;
}

/* ---- the pieces of a substep ---- */

/* Jacobian's rq at (t, q), v = 0, lambda = 0 for the given a. */
static void rq_at(struct mbs_stepper *s, double t, const double *q, const double *a, double *rq)
{
    struct rattle *e = s->self;
    struct mbs_jacobian out = e->jac;
    struct mbs_state x = { .t = t, .q = q, .v = e->zero, .a = a, .lambda = e->zero, .mu = e->zero, .z = s->p->ytmp };

    out.rq = rq;
    mbs_eval_jacobian(s->p, &x, &out);
}

/* A = d(M a)/dq at a = v */
static void slope_of_momentum(struct mbs_stepper *s, double t, const double *q, const double *v, const double *base, double *A)
{
    rq_at(s, t, q, v, A);
    for (int k = 0; k < s->p->model->rq.nnz; k++)
        A[k] -= base[k];
}

/* d(G v + gt)/dq */
static void gvq_at(struct mbs_stepper *s, double t, const double *q, const double *v, double *gvq)
{
    struct rattle *e = s->self;
    struct mbs_jacobian out = e->jac;
    struct mbs_state x = { .t = t, .q = q, .v = v, .a = e->zero, .lambda = e->zero, .mu = e->zero, .z = s->p->ytmp };

    out.gvq = gvq;
    mbs_eval_jacobian(s->p, &x, &out);
}

/* y = w (G v + gt) */
static void augment(const struct mbs_stepper *s, const double *G, const double *gt, const double *v, double *y)
{
    const struct rattle *e = s->self;

    for (int i = 0; i < s->p->m; i++)
        y[i] = e->w * gt[i];
    mbs_csc_mul(&s->p->model->G, G, e->w, v, y);
}

/* M0, G0, f0 and base0 at the begin of a substep, if the last one has not left them. */
static void begin(struct mbs_stepper *s)
{
    struct rattle *e = s->self;
    struct mbs_problem *p = s->p;

    if (e->have0)
        return;
    dynamics_at(p, e->x.t, e->x.q, e->x.v);
    memcpy(e->M0, p->dyn.M, (size_t)p->model->M.nnz * sizeof(double));
    memcpy(e->G0, p->dyn.G, (size_t)p->model->G.nnz * sizeof(double));
    memcpy(e->f0, p->dyn.f, (size_t)p->n * sizeof(double));
    memcpy(e->gt0, p->dyn.gt, (size_t)p->m * sizeof(double));
    if (!e->constant)
        rq_at(s, e->x.t, e->x.q, e->zero, e->base0);
    e->have0 = 1;
}

/* r = M0 (va - v0) - h/2 S(q0, va) + G0' l; A0 is left at va. */
static void kick_residual(struct mbs_stepper *s, double h)
{
    struct rattle *e = s->self;
    struct mbs_problem *p = s->p;
    const struct mbs_model *o = p->model;
    const double *f = e->f0;

    if (!e->constant || e->velocity_forces) {
        dynamics_at(p, e->x.t, e->x.q, e->va);
        f = p->dyn.f;
    }
    for (int i = 0; i < p->n; i++) {
        e->r[i] = -h / 2 * f[i];
        e->tmp[i] = e->va[i] - e->x.v[i];
    }
    mbs_csc_mul_sym(&o->M, e->M0, 1, e->tmp, e->r);
    mbs_csc_mul_t(&o->G, e->G0, 1, e->l, e->r);
    if (!e->constant) {
        slope_of_momentum(s, e->x.t, e->x.q, e->va, e->base0, e->A0);
        mbs_csc_mul(&o->rq, e->A0, -h / 2, e->va, e->r);
    }
    if (e->augment) {
        augment(s, e->G0, e->gt0, e->va, e->ya);
        gvq_at(s, e->x.t, e->x.q, e->va, e->gvq0);
        mbs_csc_mul_t(&o->gvq, e->gvq0, -h / 2, e->ya, e->r);
    }
}

/* g, G1 (and for general M: M1) at (t1, q1). */
static void drift_evaluate(struct mbs_stepper *s, double t1)
{
    struct rattle *e = s->self;
    struct mbs_problem *p = s->p;
    struct mbs_state x = { .t = t1, .q = e->q1 };
    struct mbs_constraints con = { .g = e->g, .G = e->G1, .gt = e->gt };

    if (e->constant) {
        if (p->m > 0)
            mbs_eval_constraints(p, &x, &con);
        return;
    }
    dynamics_at(p, t1, e->q1, e->va);
    memcpy(e->M1, p->dyn.M, (size_t)p->model->M.nnz * sizeof(double));
    memcpy(e->G1, p->dyn.G, (size_t)p->model->G.nnz * sizeof(double));
    memcpy(e->g, p->dyn.g, (size_t)p->ng * sizeof(double));
    memcpy(e->gt, p->dyn.gt, (size_t)p->m * sizeof(double));
}

/* All residuals into r. */
static void residual(struct mbs_stepper *s, double h, double t1)
{
    struct rattle *e = s->self;
    struct mbs_problem *p = s->p;
    int n = p->n;

    kick_residual(s, h);
    for (int i = 0; i < n; i++)
        e->q1[i] = e->x.q[i] + h / 2 * (e->va[i] + e->vb[i]);
    drift_evaluate(s, t1);
    if (e->constant) {
        for (int i = 0; i < p->m; i++)
            e->r[n + i] = e->g[i] / h;
        return;
    }
    memset(e->r + n, 0, (size_t)n * sizeof *e->r);
    mbs_csc_mul_sym(&p->model->M, e->M1, 1, e->vb, e->r + n);
    mbs_csc_mul_sym(&p->model->M, e->M0, -1, e->va, e->r + n);
    for (int i = 0; i < p->m; i++)
        e->r[2 * n + i] = 2 / h * e->g[i];
    if (e->augment) {
        augment(s, e->G1, e->gt, e->vb, e->yb);
        mbs_csc_mul_t(&p->model->G, e->G1, 1, e->yb, e->r + n);
        mbs_csc_mul_t(&p->model->G, e->G0, -1, e->ya, e->r + n);
        memset(e->r + 2 * n + p->m, 0, 2 * (size_t)p->m * sizeof *e->r);
    }
}

static int newton_factor(struct mbs_stepper *s, double h, double t1)
{
    struct rattle *e = s->self;
    struct mbs_problem *p = s->p;
    struct mbs_matrix *J = e->augment ? e->Ja : e->J;
    int status;

    if (e->constant) {
        mbs_matrix_clear(e->Jc);
        mbs_matrix_add(e->Jc, e->cM, 1, 0, e->M0);
        if (p->m > 0) {
            mbs_matrix_add(e->Jc, e->cG0, 1, 0, e->G0);
            mbs_matrix_add(e->Jc, e->cG1, 1, 0, e->G1);
        }
        status = mbs_matrix_factor(e->Jc);
    } else {
        rq_at(s, t1, e->q1, e->zero, e->base1);
        slope_of_momentum(s, t1, e->q1, e->vb, e->base1, e->A1);
        mbs_matrix_clear(J);
        mbs_matrix_add(J, e->bM00, 1, 0, e->M0);
        mbs_matrix_add(J, e->bA0, -h / 2, 0, e->A0);
        mbs_matrix_add(J, e->bM10, -1, 0, e->M0);
        mbs_matrix_add(J, e->bM10, -1, 0, e->M1);
        mbs_matrix_add(J, e->bM11, 1, 0, e->M1);
        mbs_matrix_add(J, e->bA1, h / 2, 0, e->A1);
        if (p->m > 0) {
            mbs_matrix_add(J, e->bG0, 1, 0, e->G0);
            mbs_matrix_add(J, e->bG1, 1, 0, e->G1);
        }
        if (e->augment) {
            gvq_at(s, t1, e->q1, e->vb, e->gvq1);
            mbs_matrix_add(J, e->bya, -1, 0, e->G0);
            mbs_matrix_add(J, e->byb, 1, 0, e->G1);
            mbs_matrix_add(J, e->bGa, 1, 0, e->G0);
            mbs_matrix_add(J, e->bGb, 1, 0, e->G1);
            mbs_matrix_add(J, e->bGb2, -1, 0, e->G1);
            mbs_matrix_add(J, e->bgvq, h / 2, 0, e->gvq1);
            mbs_matrix_add(J, e->bI, -1 / e->w, 0, e->ones);
        }
        status = mbs_matrix_factor(J);
    }
    s->stat->lu++;
    s->stat->rank_drops += status > 0;
    return status < 0 ? status : 0;
}

/* Solves for the correction and adds it; returns its largest entry, in the unit of a velocity. */
static double newton_correct(struct mbs_stepper *s)
{
    struct rattle *e = s->self;
    struct mbs_problem *p = s->p;
    int n = p->n, m = p->m, at = e->constant ? n : 2 * n, all = at + (e->augment ? 3 * m : m);
    double big = 0;

    for (int i = 0; i < all; i++)
        e->r[i] = -e->r[i];
    mbs_matrix_solve(e->constant ? e->Jc : e->augment ? e->Ja : e->J, e->r);
    s->stat->solves++;
    s->stat->newton++;
    for (int i = 0; i < n; i++) {
        double dv = e->r[i], dw = e->constant ? dv : e->r[n + i] - dv;
        e->va[i] += dv;
        e->vb[i] += dw;
        dv = fmax(fabs(dv), fabs(dw)) + 0 * (dv + dw);          /* NaN stays NaN */
        big = dv <= big ? big : dv;
    }
    for (int i = 0; i < m; i++)
        e->l[i] += e->r[at + i];
    return big;
}

/* The iteration has met a NaN: look for it where the forces and the constraints were evaluated; va is kept in x.a. */
static void name_nan(struct mbs_stepper *s, double t1)
{
    struct rattle *e = s->self;
    struct mbs_problem *p = s->p;
    size_t n = (size_t)p->n;

    memcpy(e->x.v, e->x.a, n * sizeof *e->va);
    if (mbs_name_nan(p, e->x.t, e->x.q))
        return;
    memcpy(e->x.q, e->q1, n * sizeof *e->q1);
    mbs_name_nan(p, t1, e->x.q);
}

/* va, vb, l to the limit of rounding. */
static int kick_and_drift(struct mbs_stepper *s, double h, double t1)
{
    struct rattle *e = s->self;
    int n = s->p->n, fresh = 1, status;
    double old = HUGE_VAL, scale = 0, size = 0, norm;

    for (int i = 0; i < n; i++) {
        e->va[i] = e->vb[i] = e->x.v[i] + h / 2 * e->acc[i];
        scale = fmax(scale, fabs(e->va[i]) + fabs(h * e->acc[i]));
        size = fmax(size, fabs(e->x.q[i]) + fabs(h * e->va[i]));
    }
    for (int iter = 0; iter < NEWTON_MAX; iter++) {
        residual(s, h, t1);
        if (fresh && (status = newton_factor(s, h, t1)) < 0)
            return status;
        memcpy(e->x.a, e->va, (size_t)n * sizeof *e->va);
        norm = newton_correct(s);
        if (!isfinite(norm)) {
            name_nan(s, t1);
            return MBS_NAN;
        }
        if (norm <= DBL_EPSILON / 4 * scale || (old < HUGE_VAL && norm / old * norm <= DBL_EPSILON / 4 * scale))
            return 0;
        /* no further progress: rounding of q1, seen through 2/h, if the correction is that small */
        if (norm > 0.3 * old && norm <= 1e-9 * scale + 64 * DBL_EPSILON * size / fabs(h))
            return 0;
        fresh = norm > 0.1 * old;
        if (norm > 2 * old && iter > 5)
            break;
        old = norm;
    }
    s->stat->newton_failures++;
    return MBS_NO_CONVERGENCE;
}

/* v1 from vb at q1; the substep's end becomes the begin of the next. */
static int second_kick(struct mbs_stepper *s, double h, double t1)
{
    struct rattle *e = s->self;
    struct mbs_problem *p = s->p;
    const struct mbs_model *o = p->model;
    int n = p->n, m = p->m, status;
    double *x = e->r;

    for (int i = 0; i < n; i++)
        e->q1[i] = e->x.q[i] + h / 2 * (e->va[i] + e->vb[i]);
    dynamics_at(p, t1, e->q1, e->vb);
    for (int i = 0; i < n; i++)
        x[i] = h / 2 * p->dyn.f[i];
    if (!e->constant) {
        rq_at(s, t1, e->q1, e->zero, e->base0);
        slope_of_momentum(s, t1, e->q1, e->vb, e->base0, e->A1);
        mbs_csc_mul(&o->rq, e->A1, h / 2, e->vb, x);
    }
    if (e->augment) {
        augment(s, p->dyn.G, p->dyn.gt, e->vb, e->yb);
        gvq_at(s, t1, e->q1, e->vb, e->gvq1);
        mbs_csc_mul_t(&o->gvq, e->gvq1, h / 2, e->yb, x);
    }
    /* for the change v1 - vb, which is small */
    for (int i = 0; i < m; i++)
        x[n + i] = -p->dyn.gt[i];
    mbs_csc_mul(&o->G, p->dyn.G, -1, e->vb, x + n);
    status = mbs_saddle_factor(p->saddle, p->dyn.M, p->dyn.G);
    s->stat->lu++;
    if (status < 0)
        return status;
    s->stat->rank_drops += status > 0;
    mbs_saddle_solve(p->saddle, x);
    s->stat->solves++;
    if (!mbs_finite(x, n)) {
        memcpy(e->x.q, e->q1, (size_t)n * sizeof *e->q1);
        memcpy(e->x.v, e->vb, (size_t)n * sizeof *e->vb);
        mbs_name_nan(p, t1, e->x.q);
        return MBS_NAN;
    }
    for (int i = 0; i < n; i++) {
        double v1 = e->vb[i] + x[i];
        e->acc[i] = (v1 - e->x.v[i]) / h;
        e->x.v[i] = v1;
        e->x.q[i] = e->q1[i];
    }
    memcpy(e->M0, p->dyn.M, (size_t)o->M.nnz * sizeof(double));
    memcpy(e->G0, p->dyn.G, (size_t)o->G.nnz * sizeof(double));
    memcpy(e->f0, p->dyn.f, (size_t)n * sizeof(double));
    memcpy(e->gt0, p->dyn.gt, (size_t)m * sizeof(double));
    e->x.t = t1;
    return 0;
}

/* ---- the step ---- */

static int rattle_attempt(struct mbs_stepper *s, double h, double t_new, double *err)
{
    struct rattle *e = s->self;
    struct mbs_problem *p = s->p;
    int status = 0, stages = e->comp->stages;
    double t = s->x.t;

    (void)err;                  /* there is no estimate: the step is fixed */
    mbs_point_copy(&e->x, &s->x, p);
    for (int k = 0; k < stages && !status; k++) {
        double part = e->comp->gamma[k < stages - k ? k : stages - 1 - k] * h;
        t += part;
        begin(s);
        for (int i = 0; i < p->m; i++)
            e->l[i] = part / 2 * s->x.lambda[i];
        status = kick_and_drift(s, part, k == stages - 1 ? t_new : t);
        if (status == 0)
            status = second_kick(s, part, k == stages - 1 ? t_new : t);
    }
    if (status)
        e->have0 = 0;
    return status;
}

static int rattle_accept(struct mbs_stepper *s, double h, double t_new)
{
    struct rattle *e = s->self;
    struct mbs_problem *p = s->p;
    int status = mbs_accelerations(p, t_new, e->x.q, e->x.a, e->x.lambda, p->dyn.zdot);

    (void)h;
    if (status)
        return status;
    memcpy(e->acc, e->x.a, (size_t)p->n * sizeof *e->acc);
    mbs_point_copy(&e->old, &s->x, p);
    s->t_old = s->x.t;
    mbs_point_copy(&s->x, &e->x, p);
    return 0;
}

static int rattle_dense(struct mbs_stepper *s, double t, struct mbs_point *out)
{
    const struct rattle *e = s->self;
    const struct mbs_point *x = &e->old, *y = &s->x;
    double h = y->t - s->t_old, th = h != 0 ? (t - s->t_old) / h : 1;

    out->t = t;
    for (int i = 0; i < s->p->n; i++)
        out->q[i] = hermite_quintic(th, h, x->q[i], x->v[i], x->a[i], y->q[i], y->v[i], y->a[i], &out->v[i]);
    return 0;
}

const struct mbs_method mbs_method_rattle = {
    .name = "rattle",
    .summary = "symplectic method of order 2 and its compositions of order 4, 6, 8 (order_max) for long conservative runs",
    .forms = MBS_FORM(MBS_GGL),
    .flags = MBS_METHOD_FIXED | MBS_METHOD_BACKWARD,
    .form_default = MBS_GGL,
    .size_self = sizeof(struct rattle),
    .layout = rattle_layout,
    .open = rattle_open,
    .start = rattle_start,
    .attempt = rattle_attempt,
    .accept = rattle_accept,
    .dense = rattle_dense,
    .close = rattle_close,
};
