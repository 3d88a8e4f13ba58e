/* SPDX-License-Identifier: MIT
 *
 * Static equilibrium: -f(q, 0, z) + G' lambda = 0, g = 0, zdot = 0.
 *
 * Newton's method alone runs to whatever equilibrium is near, stable or not.  Here the motion M q' = f - G' lambda,
 * which only goes downhill, is followed by implicit Euler steps whose length grows as the residual falls
 * (pseudo-transient continuation, Kelley & Keyes, SIAM J. Numer. Anal. 35, 1998), and which thus end as Newton
 * steps.  Each solves
 *
 *     [ rq + M/tau   rz          G' ] [dq     ]     [ r    ]
 *     [ zq           zz - 1/tau  0  ] [dz     ] = - [ zdot ]
 *     [ G            0           0  ] [dlambda]     [ g    ]
 */
#include "analysis/linear.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ITER = 500 };

struct equilibrium {
    struct mbs_sim *sim;
    struct mbs_linear lin;
    struct mbs_matrix *A;
    int rq, M, rz, zq, zz, one, G, Gt;
    double *x;                  /* n + nz + m */
};

static int equilibrium_init(struct equilibrium *e, struct mbs_sim *sim)
{
    const struct mbs_model *o = sim->model;
    int n = sim->p.n, nz = sim->p.nz, m = sim->p.m;

    *e = (struct equilibrium){ .sim = sim };
    e->x = calloc((size_t)(n + nz + m) + 1, sizeof *e->x);
    e->A = mbs_matrix_new(n + nz + m, MBS_MATRIX_REAL);
    if (mbs_linear_init(&e->lin, o, MBS_LINEAR_STATICS) || !e->x || !e->A)
        return MBS_NO_MEMORY;
    e->rq = mbs_matrix_block(e->A, &o->rq, 0, 0, 0, MBS_BLOCK);
    e->M = mbs_matrix_block(e->A, &o->M, 0, 0, 0, MBS_BLOCK_SYMMETRIC);
    e->rz = mbs_matrix_block(e->A, &o->rz, 0, 0, n, MBS_BLOCK);
    e->zq = mbs_matrix_block(e->A, &o->zq, 0, n, 0, MBS_BLOCK);
    e->zz = mbs_matrix_block(e->A, &o->zz, 0, n, n, MBS_BLOCK);
    e->one = mbs_matrix_block(e->A, NULL, nz, n, n, MBS_BLOCK);
    e->G = mbs_matrix_block(e->A, &o->G, 0, n + nz, 0, MBS_BLOCK);
    e->Gt = mbs_matrix_block(e->A, &o->G, 0, 0, n + nz, MBS_BLOCK_TRANSPOSED);
    return mbs_matrix_ready(e->A);
}

static void equilibrium_fini(struct equilibrium *e)
{
    mbs_matrix_free(e->A);
    mbs_linear_fini(&e->lin);
    free(e->x);
}

/* Jacobian and residual at the present state, v and a being zero. */
static int equilibrium_evaluate(struct equilibrium *e)
{
    struct mbs_sim *sim = e->sim;
    struct mbs_problem *p = &sim->p;
    struct mbs_state x = mbs_point_state(&sim->s.x, p);
    struct mbs_residual res = { .r = e->lin.r, .zdot = e->lin.zdot, .g = e->lin.g };

    mbs_eval_residual(p, &x, &res);
    mbs_eval_jacobian(p, &x, &e->lin.jac);
    if (mbs_finite(res.r, p->n) && mbs_finite(res.zdot, p->nz) && mbs_finite(res.g, p->ng))
        return 0;
    return mbs_name_nan(p, x.t, x.q) ? MBS_NAN : mbs_fail(&sim->msg, MBS_NAN, x.t, -1, -1, "the residual is not finite while looking for an equilibrium");
}

static int equilibrium_solve(struct equilibrium *e, double tau)
{
    struct mbs_problem *p = &e->sim->p;
    int n = p->n, nz = p->nz, m = p->m, status;

    mbs_matrix_clear(e->A);
    mbs_matrix_add(e->A, e->rq, 1, 0, e->lin.jac.rq);
    mbs_matrix_add(e->A, e->M, 1 / tau, 0, e->lin.jac.M);
    mbs_matrix_add(e->A, e->rz, 1, 0, e->lin.jac.rz);
    mbs_matrix_add(e->A, e->zq, 1, 0, e->lin.jac.zq);
    mbs_matrix_add(e->A, e->zz, 1, 0, e->lin.jac.zz);
    mbs_matrix_add(e->A, e->one, -1 / tau, 0, NULL);
    mbs_matrix_add(e->A, e->G, 1, 0, e->lin.jac.G);
    mbs_matrix_add(e->A, e->Gt, 1, 0, e->lin.jac.G);
    for (int i = 0; i < n; i++)
        e->x[i] = -e->lin.r[i];
    for (int i = 0; i < nz; i++)
        e->x[n + i] = -e->lin.zdot[i];
    for (int i = 0; i < m; i++)
        e->x[n + nz + i] = i < p->ng ? -e->lin.g[i] : 0;
    status = mbs_matrix_factor(e->A);
    p->stat->lu++;
    if (status < 0)
        return status;
    mbs_matrix_solve(e->A, e->x);
    return 0;
}

/* The forces that no multiplier can take, as accelerations: what M q' = f - G' lambda gives at once. */
static double equilibrium_rate(struct equilibrium *e, int *worst)
{
    struct mbs_problem *p = &e->sim->p;
    double big = 0;
    int n = p->n;

    *worst = 0;
    if (mbs_saddle_factor(p->saddle, e->lin.jac.M, e->lin.jac.G) < 0)
        return NAN;
    for (int i = 0; i < n; i++)
        p->x[i] = -e->lin.r[i];
    memset(p->x + n, 0, (size_t)p->m * sizeof *p->x);
    mbs_saddle_solve(p->saddle, p->x);
    for (int i = 0; i < n; i++)
        if (fabs(p->x[i]) > big) {
            big = fabs(p->x[i]);
            *worst = i;
        }
    for (int i = 0; i < p->nz; i++)
        big = fmax(big, fabs(e->lin.zdot[i]));
    return big;
}

static int equilibrium_iterate(struct equilibrium *e)
{
    struct mbs_sim *sim = e->sim;
    struct mbs_problem *p = &sim->p;
    struct mbs_point *x = &sim->s.x;
    int n = p->n, nz = p->nz, worst = 0, status;
    double tau = 0, old = 0, best = HUGE_VAL;

    for (int iter = 0; iter < MAX_ITER; iter++) {
        double rate, size = 0, damp;
        if ((status = equilibrium_evaluate(e)))
            return status;
        rate = equilibrium_rate(e, &worst);
        if (isnan(rate))
            return mbs_fail(&sim->msg, MBS_SINGULAR, x->t, -1, -1, "the mass matrix is singular while looking for an equilibrium");
        /* The first step lets nothing move by more than about 0.1; then the length follows the residual. */
        tau = iter == 0 ? 0.1 / fmax(rate, 1e-3) : fmin(1e30, tau * fmin(10, fmax(0.1, rate > 0 ? 1.5 * old / rate : 10)));
        old = rate;
        if ((status = equilibrium_solve(e, tau)) < 0)
            return mbs_fail(&sim->msg, MBS_NO_CONVERGENCE, x->t, worst, -1, "the equations of static equilibrium are singular at %s", sim->model->coord[worst].name);
        for (int i = 0; i < n; i++)
            size = fmax(size, fabs(e->x[i]) / fmax(1, fabs(x->q[i])));
        damp = size > 0.5 ? 0.5 / size : 1;
        for (int i = 0; i < n; i++)
            x->q[i] += damp * e->x[i];
        for (int i = 0; i < nz; i++)
            x->z[i] += damp * e->x[n + i];
        for (int i = 0; i < p->m; i++)
            x->lambda[i] += damp * e->x[n + nz + i];
        if (size < 1e-13 || (size < 1e-9 && rate >= 0.5 * best))
            return 0;
        best = fmin(best, rate);
        if (size > 1e-12 && tau < 1e-20)
            break;
    }
    return mbs_fail(&sim->msg, MBS_NO_CONVERGENCE, x->t, worst, -1, "no static equilibrium was found; %s is the farthest from rest", sim->model->coord[worst].name);
}

int mbs_equilibrium(struct mbs_sim *sim)
{
    struct equilibrium e;
    struct mbs_point *x;
    int status;

    if (mbs_border_idle(sim, "mbs_equilibrium"))
        return MBS_BAD_ARGUMENT;
    if (mbs_border_gaps(sim, "mbs_equilibrium"))
        return MBS_UNAVAILABLE;
    if ((status = mbs_border_matrices(sim, "the search for an equilibrium")))
        return status;
    x = &sim->s.x;
    status = equilibrium_init(&e, sim);
    if (status) {
        equilibrium_fini(&e);
        return mbs_fail(&sim->msg, MBS_NO_MEMORY, x->t, -1, -1, "out of memory while looking for an equilibrium");
    }
    sim->started = sim->fresh_accelerations = 0;
    memset(x->v, 0, (size_t)sim->p.n * sizeof *x->v);
    memset(x->a, 0, (size_t)sim->p.n * sizeof *x->a);
    memset(x->lambda, 0, (size_t)sim->p.m * sizeof *x->lambda);
    status = equilibrium_iterate(&e);
    equilibrium_fini(&e);
    if (status == 0 && !(status = mbs_border_smooth(sim, "mbs_equilibrium"))) {
        status = mbs_sim_complete(sim);
        if (status == 0)
            mbs_clear(&sim->msg, x->t);
    }
    return status;
}
