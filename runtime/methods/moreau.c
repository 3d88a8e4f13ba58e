/* SPDX-License-Identifier: MIT
 *
 * moreau: time stepping over impacts and friction, without events (doc/design/0015-events.md).
 *
 * J. J. Moreau, Unilateral contact and dry friction in finite freedom dynamics, 1988; M. Jean, Comput. Methods Appl. Mech. Engrg. 177 (1999)
 * 235-257.  One step, with the contacts as they are in its middle:
 *
 *     v+ = v + h a(q, v) + K^-1 W' P,        q+ = q + h v+
 *     u_N+ >= -e u_N for what bounces, u_N+ >= -gap/h for the rest, complementary to P_N; Coulomb's friction */
#include "methods/moreau.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- set-up ---- */

void mbs_moreau_layout(struct mbs_stepper *s, struct mbs_work *w)
{
    struct mbs_moreau *e = s->self;
    double **each[] = { &e->free_v, &e->q_free, &e->acc, &e->a_alg, &e->a_old };

    mbs_moreau_rows_layout(e, s->p, w);
    mbs_point_layout(&e->x, s->p, w);
    mbs_point_layout(&e->old, s->p, w);
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        *each[i] = mbs_work_doubles(w, (size_t)s->p->n + 1);
    e->zdot = mbs_work_doubles(w, (size_t)s->p->nz + 1);
}

int mbs_moreau_open(struct mbs_stepper *s)
{
    struct mbs_moreau *e = s->self;
    int status = mbs_inertia_open(&e->inertia, s->p);

    return status ? status : mbs_cone_begin(&e->cone, s->p->n);
}

void mbs_moreau_close(struct mbs_stepper *s)
{
    struct mbs_moreau *e = s->self;

    mbs_inertia_close(&e->inertia);
    mbs_cone_free(&e->cone);
    mbs_crowd_free(&e->crowd);
    free(e->memory);
    free(e->fresh);
    free(e->demand);
    mbs_moreau_rows_close(e);
}

/* ---- without contacts ---- */

/* Dynamics at x and the factors for K^-1; below 0: mbs_accelerations() says why not. */
static int evaluate(struct mbs_stepper *s, struct mbs_state *x, double *zdot)
{
    struct mbs_moreau *e = s->self;
    struct mbs_dynamics out = s->p->dyn;

    out.zdot = zdot;
    mbs_eval_dynamics(s->p, x, &out);
    return mbs_inertia_factor(&e->inertia, s->p);
}

/* (f, right side of the constraints) in p->x to (a, lambda). */
static int solve(struct mbs_stepper *s, double t, const double *y, double *a, double *lambda)
{
    struct mbs_moreau *e = s->self;
    struct mbs_problem *p = s->p;

    mbs_inertia_solve(&e->inertia, p, p->x);
    memcpy(a, p->x, (size_t)p->n * sizeof *a);
    memcpy(lambda, p->x + p->n, (size_t)p->m * sizeof *lambda);
    return mbs_finite(a, p->n) ? 0 : mbs_name_nan(p, t, y);
}

int mbs_moreau_smooth(struct mbs_stepper *s, double t, const double *y, double *a, double *lambda, double *zdot)
{
    struct mbs_problem *p = s->p;
    struct mbs_state x = { .t = t, .q = y, .v = y + p->n, .z = y + 2 * p->n };

    if (evaluate(s, &x, zdot))
        return mbs_accelerations(p, t, y, a, lambda, zdot);
    for (int i = 0; i < p->m; i++)
        p->x[p->n + i] = -p->dyn.gamma[i];
    return solve(s, t, y, a, lambda);
}

/* The same with the constraints on the velocities at the end of the step, G v + gt = 0 at q: what the curvature of the constraints asks for
 * is left to the projection, which takes energy and never gives it. */
static int velocity_level(struct mbs_stepper *s, double h, double *a, double *lambda, double *zdot)
{
    struct mbs_moreau *e = s->self;
    struct mbs_problem *p = s->p;
    struct mbs_state x = { .t = s->x.t, .q = s->x.q, .v = s->x.v, .z = s->x.z };
    int status;

    if (evaluate(s, &x, zdot))
        return mbs_accelerations(p, s->x.t, s->x.q, a, lambda, zdot);
    memcpy(p->gv, p->dyn.gt, (size_t)p->m * sizeof *p->gv);
    if (p->m > 0)
        mbs_csc_mul(&p->model->G, p->dyn.G, 1, s->x.v, p->gv);
    for (int i = 0; i < p->m; i++)
        p->x[p->n + i] = -p->gv[i] / h;
    if ((status = solve(s, s->x.t, s->x.q, a, lambda)))
        return status;
    memset(e->q_free, 0, (size_t)p->n * sizeof *e->q_free);
    mbs_csc_mul_sym(&p->model->M, p->dyn.M, 1, a, e->q_free);
    e->fall = 0;
    for (int i = 0; i < p->n; i++)
        e->fall += h * h / 2 * a[i] * e->q_free[i];
    return 0;
}

int mbs_moreau_project(struct mbs_stepper *s, double t)
{
    struct mbs_moreau *e = s->self;
    struct mbs_problem *p = s->p;
    int status;

    if (p->m == 0)
        return 0;
    status = mbs_project_position(p, t, e->x.q, s->opt->atol, s->opt->rtol, NULL);
    return status ? status : mbs_project_velocity(p, t, e->x.q, e->x.v);
}

/* ---- steps ---- */

int mbs_moreau_start(struct mbs_stepper *s)
{
    struct mbs_moreau *e = s->self;
    struct mbs_problem *p = s->p;
    int status = mbs_moreau_smooth(s, s->x.t, s->x.q, e->acc, s->x.lambda, e->zdot);

    if (status)
        return status;
    memcpy(e->a_alg, e->acc, (size_t)p->n * sizeof *e->a_alg);
    s->h = s->dir * s->opt->step;
    s->err = s->sc = NULL;
    if (!e->started && p->model->ncontact > 0)
        status = mbs_moreau_apart(s);
    e->started = status == 0;
    return status;
}

static int moreau_attempt(struct mbs_stepper *s, double h, double t_new, double *err)
{
    struct mbs_moreau *e = s->self;
    struct mbs_problem *p = s->p;
    const struct mbs_span span = { .t = s->x.t + h / 2, .h = h, .q = e->q_free, .z = s->x.z, .before = s->x.v, .moving = e->free_v, .ahead = 1 };
    int status, n = p->n;

    *err = 0;
    mbs_point_copy(&e->x, &s->x, p);
    if ((status = velocity_level(s, h, e->acc, e->x.lambda, e->zdot)))
        return status;
    for (int i = 0; i < n; i++) {
        e->free_v[i] = s->x.v[i] + h * e->acc[i];
        e->q_free[i] = s->x.q[i] + h / 2 * s->x.v[i];
    }
    if ((status = mbs_moreau_impulses(s, &span)))
        return status;
    for (int i = 0; i < n; i++) {
        e->x.v[i] = e->free_v[i] + e->cone.dv[i];
        e->x.q[i] = s->x.q[i] + h * e->x.v[i];
        e->x.a[i] = (e->x.v[i] - s->x.v[i]) / h;
    }
    for (int i = 0; i < p->nz; i++)
        e->x.z[i] = s->x.z[i] + h * e->zdot[i];
    return mbs_moreau_project(s, t_new);
}

/* The point in e->x counts from now on. */
void mbs_moreau_advance(struct mbs_stepper *s, double t_new)
{
    struct mbs_moreau *e = s->self;
    struct mbs_problem *p = s->p;

    s->stat->impacts += mbs_moreau_bounces(e);
    mbs_moreau_remember(e);
    mbs_point_copy(&e->old, &s->x, p);
    s->t_old = s->x.t;
    e->x.t = t_new;
    memset(e->x.mu, 0, (size_t)p->m * sizeof *e->x.mu);
    mbs_point_copy(&s->x, &e->x, p);
    s->x.t = t_new;
}

static int moreau_accept(struct mbs_stepper *s, double h, double t_new)
{
    (void)h;
    mbs_moreau_advance(s, t_new);
    return 0;
}

/* Positions on a line (the velocity of a step is constant), velocities those of its end. */
int mbs_moreau_dense(struct mbs_stepper *s, double t, struct mbs_point *out)
{
    const struct mbs_moreau *e = s->self;
    const struct mbs_problem *p = s->p;
    double h = s->x.t - s->t_old, th = h != 0 ? (t - s->t_old) / h : 1;

    out->t = t;
    for (int i = 0; i < p->ny; i++)
        out->q[i] = e->old.q[i] + th * (s->x.q[i] - e->old.q[i]);
    /* a time that misses the begin by a rounding error is the begin */
    memcpy(out->v, th > 1e-6 ? s->x.v : e->old.v, (size_t)p->n * sizeof *out->v);
    memcpy(out->a, s->x.a, (size_t)p->n * sizeof *out->a);
    memcpy(out->lambda, s->x.lambda, (size_t)p->m * sizeof *out->lambda);
    return MBS_DENSE_A | MBS_DENSE_LAMBDA;
}

const struct mbs_method mbs_method_moreau = {
    .name = "moreau",
    .summary = "time stepping over impacts and friction (Moreau, Jean), order 1, for many contacts; fixed step",
    .attempt = moreau_attempt,
    .accept = moreau_accept,
    MBS_MOREAU_TABLE,
};
