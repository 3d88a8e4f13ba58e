/* SPDX-License-Identifier: MIT
 *
 * nsalpha: Q. Chen, V. Acary, G. Virlez, O. Bruels, A nonsmooth generalized-alpha scheme for flexible multibody systems with unilateral
 * constraints, Int. J. Numer. Meth. Engng 96 (2013) 487-511.  The motion without impulses by the alpha method, of second order, then
 *
 *     v+ = v~ + K^-1 W' P,       q+ = q~ + h/2 K^-1 W' P,       u_N+ >= -e u_N where the gap at q~ is closed. */
#include "methods/moreau.h"

#include <math.h>
#include <string.h>

enum { ITERATIONS = 40 };

/* Its coefficients by the spectral radius at infinity. */
struct alpha {
    double m, f, gamma, beta;
};

static struct alpha alpha_of(double rho)
{
    double m = (2 * rho - 1) / (rho + 1), f = rho / (rho + 1), gamma = 0.5 + f - m;

    return (struct alpha){ m, f, gamma, 0.25 * (gamma + 0.5) * (gamma + 0.5) };
}

/* The algorithmic acceleration at the end of a step. */
static double a_next(const struct mbs_moreau *e, struct alpha c, int i)
{
    return ((1 - c.f) * e->acc[i] + c.f * e->a_old[i] - c.m * e->a_alg[i]) / (1 - c.m);
}

/* q~, v~ with the accelerations as of now. */
static void without_impulses(struct mbs_stepper *s, struct alpha c, double h)
{
    struct mbs_moreau *e = s->self;

    for (int i = 0; i < s->p->n; i++) {
        double a = a_next(e, c, i);
        e->q_free[i] = s->x.q[i] + h * s->x.v[i] + h * h * ((0.5 - c.beta) * e->a_alg[i] + c.beta * a);
        e->free_v[i] = s->x.v[i] + h * ((1 - c.gamma) * e->a_alg[i] + c.gamma * a);
    }
}

/* The point at the end with the impulses found; how much its velocities have changed, relative to what moves. */
static double with_impulses(struct mbs_stepper *s, double h)
{
    struct mbs_moreau *e = s->self;
    double change = 0, size = 1e-300;

    for (int i = 0; i < s->p->n; i++) {
        double v = e->free_v[i] + e->cone.dv[i];
        change = fmax(change, fabs(v - e->x.v[i]));
        size = fmax(size, fabs(v) + fabs(h * e->acc[i]));
        e->x.v[i] = v;
        e->x.q[i] = e->q_free[i] + h / 2 * e->cone.dv[i];
    }
    for (int i = 0; i < s->p->nz; i++)
        e->x.z[i] = s->x.z[i] + h * e->zdot[i];
    return change / size;
}

static int nsalpha_attempt(struct mbs_stepper *s, double h, double t_new, double *err)
{
    struct mbs_moreau *e = s->self;
    struct mbs_problem *p = s->p;
    struct alpha c = alpha_of(s->opt->rho);
    double last = HUGE_VAL;
    int status;

    *err = 0;
    mbs_point_copy(&e->x, &s->x, p);
    memcpy(e->a_old, e->acc, (size_t)p->n * sizeof *e->acc);
    for (int iter = 0; iter < ITERATIONS; iter++) {
        const struct mbs_span span = { .t = t_new, .h = h, .q = e->q_free, .z = s->x.z, .before = s->x.v, .moving = e->free_v };
        without_impulses(s, c, h);
        /* K^-1 is that of the last evaluation, at the end of the step from the second iteration on */
        if ((status = mbs_moreau_impulses(s, &span)))
            return status;
        double change = with_impulses(s, h);
        if ((status = mbs_moreau_smooth(s, t_new, e->x.q, e->acc, e->x.lambda, e->inertia.column)))
            return status;
        if (change <= 1e-13 || (iter > 3 && change >= last && change <= 1e-9))
            return mbs_moreau_project(s, t_new);
        last = change;
    }
    return MBS_NO_CONVERGENCE;
}

static int nsalpha_accept(struct mbs_stepper *s, double h, double t_new)
{
    struct mbs_moreau *e = s->self;
    struct mbs_problem *p = s->p;
    struct alpha c = alpha_of(s->opt->rho);

    for (int i = 0; i < p->n; i++) {
        e->a_alg[i] = a_next(e, c, i);
        e->x.a[i] = (e->x.v[i] - s->x.v[i]) / h;
    }
    if (p->nz > 0) {
        struct mbs_state x = { .t = t_new, .q = e->x.q, .v = e->x.v, .z = e->x.z };
        mbs_eval_dynamics(p, &x, &p->dyn);
        for (int i = 0; i < p->nz; i++)         /* the trapezoidal rule, explicit in z */
            e->x.z[i] = s->x.z[i] + h / 2 * (e->zdot[i] + p->dyn.zdot[i]);
        memcpy(e->zdot, p->dyn.zdot, (size_t)p->nz * sizeof *e->zdot);
    }
    mbs_moreau_advance(s, t_new);
    return 0;
}

const struct mbs_method mbs_method_nsalpha = {
    .name = "nsalpha",
    .summary = "non-smooth generalised alpha method: order 2 between impacts, order 1 across them; fixed step",
    .attempt = nsalpha_attempt,
    .accept = nsalpha_accept,
    MBS_MOREAU_TABLE,
};
