/* SPDX-License-Identifier: MIT
 *
 * The model as the methods see it: accelerations and multipliers from one saddle-point solve, projections onto the
 * constraints, and a name for whatever is not finite. */
#include "methods/method.h"
#include "linalg/definite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Row and column of entry k of a pattern. */
static void pattern_place(const struct mbs_pattern *p, int k, int *row, int *col)
{
    int j = 0;

    while (p->colptr[j + 1] <= k)
        j++;
    *row = p->rowidx[k];
    *col = j;
}

static int first_bad(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return i;
    return -1;
}

int mbs_name_nan(struct mbs_problem *p, double t, const double *y)
{
    const struct mbs_model *o = p->model;
    struct mbs_state x = { .t = t, .q = y, .v = y + p->n, .z = y + 2 * p->n };
    const char *format = "%s of %s is not finite at t = %.9g";
    int k, i, j;

    k = first_bad(y, p->ny);
    if (k >= 0 && k < 2 * p->n)
        return mbs_fail(p->msg, MBS_NAN, t, k % p->n, -1, format, k < p->n ? "the position" : "the velocity",
                        o->coord[k % p->n].name, t);
    if (k >= 0)
        return mbs_fail(p->msg, MBS_NAN, t, -1, -1, format, "the value", o->state[k - 2 * p->n].name, t);
    mbs_eval_dynamics(p, &x, &p->dyn);
    if ((k = first_bad(p->u, p->nu)) >= 0)
        return mbs_fail(p->msg, MBS_NAN, t, -1, -1, format, "the input", o->input[k].name, t);
    if ((k = first_bad(p->dyn.f, p->n)) >= 0)
        return mbs_fail(p->msg, MBS_NAN, t, k, -1, format, "the force f", o->coord[k].name, t);
    if ((k = first_bad(p->dyn.M, o->M.nnz)) >= 0) {
        pattern_place(&o->M, k, &i, &j);
        return mbs_fail(p->msg, MBS_NAN, t, i, -1, "the mass matrix entry of %s and %s is not finite at t = %.9g",
                        o->coord[i].name, o->coord[j].name, t);
    }
    if ((k = first_bad(p->dyn.G, o->G.nnz)) >= 0) {
        pattern_place(&o->G, k, &i, &j);
        return mbs_fail(p->msg, MBS_NAN, t, j, i, "the derivative of constraint %s with respect to %s is not finite at t = %.9g",
                        o->constraint[i].name, o->coord[j].name, t);
    }
    if ((k = first_bad(p->dyn.g, p->ng)) >= 0)
        return mbs_fail(p->msg, MBS_NAN, t, -1, k, format, "the residual", o->constraint[k].name, t);
    if ((k = first_bad(p->dyn.gamma, p->m)) >= 0)
        return mbs_fail(p->msg, MBS_NAN, t, -1, k, format, "the second derivative", o->constraint[k].name, t);
    if ((k = first_bad(p->dyn.zdot, p->nz)) >= 0)
        return mbs_fail(p->msg, MBS_NAN, t, -1, -1, format, "the derivative", o->state[k].name, t);
    return 0;
}

static int fail_negative(struct mbs_problem *p, double t, int i)
{
    return mbs_fail(p->msg, MBS_BAD_ARGUMENT, t, i, -1,
                    "coordinate %s has a negative inertia in a motion that the constraints allow (M is not positive definite) at t = %.9g: is a mass negative?",
                    p->model->coord[i].name, t);
}

/* A tree without matrices whose accelerations() gave up: the coordinate whose articulated inertia vanishes. */
static int tree_culprit(struct mbs_problem *p, double t, const double *y)
{
    const double s[3] = { 0, 0, 1 };
    struct mbs_state x = { .t = t, .q = y, .v = y + p->n, .a = p->x, .z = y + 2 * p->n, .u = p->u };
    double *l = mbs_has_newton(p->model) ? malloc(((size_t)p->model->nn + 1) * sizeof *l) : NULL;
    int k = 0;

    memset(p->x, 0, (size_t)p->n * sizeof *p->x);
    if (l)
        k = p->model->newton(p->c, &x, 1, s, l, p->w);
    free(l);
    return k - 1;
}

/* The same, where the articulated inertia is negative: the last coordinate whose motion alone has a negative energy. */
static int tree_negative(struct mbs_problem *p, double t, const double *y)
{
    struct mbs_state x = { .t = t, .q = y, .v = p->ytmp, .a = p->x, .z = y + 2 * p->n, .u = p->u };
    double E[2];

    memset(p->ytmp, 0, (size_t)p->n * sizeof *p->ytmp);
    for (int i = p->n - 1; i >= 0 && p->model->energy; i--) {
        p->ytmp[i] = 1;
        p->model->energy(p->c, &x, E, p->w);
        p->ytmp[i] = 0;
        if (E[0] < 0)
            return i;
    }
    return -1;
}

/* A factorisation failed (status < 0): say which coordinate or value is to blame. */
static int saddle_failed(struct mbs_problem *p, double t, const double *y, int status)
{
    int k = mbs_saddle_culprit(p->saddle);

    if (status == MBS_NO_MEMORY)
        return mbs_fail(p->msg, status, t, -1, -1, "out of memory in the solver for accelerations");
    if (mbs_name_nan(p, t, y))
        return p->msg->status;
    if (!mbs_has_matrices(p->model) && (k = tree_culprit(p, t, y)) < 0 && (k = tree_negative(p, t, y)) >= 0)
        return fail_negative(p, t, k);
    return mbs_fail(p->msg, MBS_SINGULAR, t, k, -1,
                    "coordinate %s has no inertia in a motion that the constraints allow (M is singular there) at t = %.9g",
                    k >= 0 ? p->model->coord[k].name : "of a joint", t);
}

int mbs_start_check(struct mbs_problem *p, double t, const double *y)
{
    const struct mbs_model *o = p->model;
    int k, status = mbs_name_nan(p, t, y);          /* leaves M and G in p->dyn */

    if (status || !mbs_has_matrices(o))
        return status;
    if ((k = mbs_indefinite(p->envelope, &o->M, p->dyn.M, p->m, &o->G, p->dyn.G)) < 0)
        return mbs_fail(p->msg, k, t, -1, -1, "out of memory while looking at the mass matrix");
    if (k > 0)
        return fail_negative(p, t, k - 1);
    /* recursions do not see a pivot that should be zero and is a rounding error */
    if (p->m == 0 && o->accelerations && (status = mbs_saddle_factor(p->saddle, p->dyn.M, p->dyn.G)) < 0)
        return saddle_failed(p, t, y, status);
    return 0;
}

/* gamma += 2 alpha (G v + gt) + beta^2 g */
static void baumgarte(struct mbs_problem *p, const double *v)
{
    double *gv = p->gv;

    memcpy(gv, p->dyn.gt, (size_t)p->m * sizeof *gv);
    mbs_csc_mul(&p->model->G, p->dyn.G, 1, v, gv);
    for (int i = 0; i < p->m; i++)
        p->dyn.gamma[i] += 2 * p->bg_alpha * gv[i];
    for (int i = 0; i < p->ng; i++)
        p->dyn.gamma[i] += p->bg_beta * p->bg_beta * p->dyn.g[i];
}

/* The model's own forward dynamics, where it offers them and nobody needs factors afterwards: without constraints there is
 * nothing to project on, and no rank to watch.  0 if they are not to be had. */
static int forward(struct mbs_problem *p, struct mbs_state *x, double *a, double *zdot)
{
    double unsafe = 0;
    const struct mbs_accelerations out = { .a = a, .lambda = p->x, .zdot = zdot, .unsafe = &unsafe };

    if (p->m > 0 || p->touch || p->saddled || !p->model->accelerations)
        return 0;
    mbs_inputs_at(p, x->t);
    x->u = p->u;
    p->model->accelerations(p->c, x, &out, p->w);
    if (unsafe != 0 || !mbs_finite(a, p->n))
        return 0;
    p->stat->f++;
    p->stat->lu++;
    p->stat->solves++;
    return 1;
}

int mbs_accelerations(struct mbs_problem *p, double t, const double *y, double *a, double *lambda, double *zdot)
{
    int n = p->n, m = p->m, status, bg = p->form == MBS_BAUMGARTE;
    struct mbs_state x = { .t = t, .q = y, .v = y + n, .z = y + 2 * n };
    struct mbs_dynamics out = p->dyn;

    if (forward(p, &x, a, zdot))
        return 0;
    if (!mbs_has_matrices(p->model))
        return saddle_failed(p, t, y, MBS_SINGULAR);
    out.zdot = zdot;
    if (!bg)
        out.g = out.gt = NULL;
    mbs_eval_dynamics(p, &x, &out);
    if (bg)
        baumgarte(p, x.v);
    status = mbs_saddle_factor(p->saddle, out.M, out.G);
    p->stat->lu++;
    if (status) {
        if (status < 0)
            return saddle_failed(p, t, y, status);
        p->stat->rank_drops++;
    }
    for (int i = n; i < n + m; i++)
        p->x[i] = -p->x[i];
    mbs_saddle_solve(p->saddle, p->x);
    p->stat->solves++;
    memcpy(a, p->x, (size_t)n * sizeof *a);
    if (lambda)
        memcpy(lambda, p->x + n, (size_t)m * sizeof *lambda);
    return p->touch ? mbs_touch_forces(p, t, y, a, lambda) : 0;
}

/* Factors M and G at (t, q); velocities play no part in them.  tol > 0: drops nearly dependent rows. */
static int factor_at(struct mbs_problem *p, double t, const double *q, double tol)
{
    double *zero = p->ytmp;
    struct mbs_state x = { .t = t, .q = q, .v = zero, .z = zero + p->n };
    int status;

    memset(zero, 0, (size_t)p->ny * sizeof *zero);
    mbs_eval_dynamics(p, &x, &p->dyn);
    status = tol > 0 ? mbs_saddle_factor_rank(p->saddle, p->dyn.M, p->dyn.G, tol) : mbs_saddle_factor(p->saddle, p->dyn.M, p->dyn.G);
    p->stat->lu++;
    if (status < 0) {
        memcpy(p->ytmp, q, (size_t)p->n * sizeof *q);
        return saddle_failed(p, t, p->ytmp, status);
    }
    return 0;
}

enum { PROJECT_MAX = 8 };

/* Corrections are measured against the tolerance, but not below what rounding allows. */
static double floor_of(const double *x, int n, double atol)
{
    double big = 0;

    for (int i = 0; i < n; i++)
        big = fmax(big, fabs(x[i]));
    return atol + 1e-12 * big;
}

/* Simplified Newton for g(q, t) = 0; G at the last q stays in p->dyn. */
static int position_iterate(struct mbs_problem *p, double t, double *q, double atol, double rtol, double *size)
{
    int n = p->n, m = p->m;
    struct mbs_state x = { .t = t, .q = q };
    struct mbs_constraints con = { .g = p->dyn.g, .G = p->dyn.G, .gt = p->dyn.gt };
    double norm = 0, old = HUGE_VAL, total = 0;

    atol = floor_of(q, n, atol);
    for (int iter = 0; iter < PROJECT_MAX; iter++) {
        mbs_eval_constraints(p, &x, &con);
        memset(p->x, 0, (size_t)(n + m) * sizeof *p->x);
        for (int i = 0; i < p->ng; i++)
            p->x[n + i] = -con.g[i];
        mbs_saddle_solve(p->saddle, p->x);
        p->stat->solves++;
        norm = 0;
        for (int i = 0; i < n; i++) {
            double e = fabs(p->x[i]) / (atol + rtol * fabs(q[i]));
            norm = e <= norm ? norm : e;
        }
        if (!isfinite(norm) || norm > 2 * old)
            return 1;
        for (int i = 0; i < n; i++)
            q[i] += p->x[i];
        total += norm;
        /* The next correction is about norm * (norm / old); a tenth of a tolerance is then left at most. */
        if (norm <= 1e-3 || (iter > 0 && norm * (norm / old) <= 1e-2)) {
            if (size)
                *size = total;
            return 0;
        }
        old = norm;
    }
    return 1;
}

/* v onto G v + gt = 0 with G, gt at (t, q) and the factors at hand.  If these are of a nearby point the first
 * correction leaves a small part, which the second removes.  Returns 1 if the second is not much smaller than the
 * first: the factors are of too distant a point, or the corrections are amplified rounding errors. */
static int velocity_iterate(struct mbs_problem *p, double t, const double *q, double *v, int times, double atol, double rtol)
{
    int n = p->n, m = p->m;
    struct mbs_state x = { .t = t, .q = q };
    struct mbs_constraints con = { .g = p->dyn.g, .G = p->dyn.G, .gt = p->dyn.gt };
    double norm = 0, old = HUGE_VAL;

    atol = floor_of(v, n, atol);
    mbs_eval_constraints(p, &x, &con);
    for (int iter = 0; iter < times; iter++, old = norm) {
        memset(p->x, 0, (size_t)n * sizeof *p->x);
        for (int i = 0; i < m; i++)
            p->x[n + i] = -con.gt[i];
        mbs_csc_mul(&p->model->G, con.G, -1, v, p->x + n);
        mbs_saddle_solve(p->saddle, p->x);
        p->stat->solves++;
        norm = 0;
        for (int i = 0; i < n; i++) {
            double e = fabs(p->x[i]) / (atol + rtol * fabs(v[i]));
            norm = e <= norm ? norm : e;
            v[i] += p->x[i];
        }
        if (!isfinite(norm) || (norm > 0.05 * old && norm > 1e-3))
            return 1;
    }
    return 0;
}

int mbs_project_position(struct mbs_problem *p, double t, double *q, double atol, double rtol, double *size)
{
    int status;

    if (size)
        *size = 0;
    if (p->ng == 0)
        return 0;
    p->stat->projections++;
    if ((status = factor_at(p, t, q, 0)))
        return status;
    return position_iterate(p, t, q, atol, rtol, size);
}

int mbs_project_velocity(struct mbs_problem *p, double t, const double *q, double *v)
{
    int status;

    if (p->m == 0)
        return 0;
    p->stat->projections++;
    if ((status = factor_at(p, t, q, 0)))
        return status;
    return velocity_iterate(p, t, q, v, 1, 1, 1);
}

/* Both with fresh factors.  tol > 0 truncates: near a singular configuration constraints depend on each other but for
 * a small angle of sine s.  Rounding errors e in g then move q by e/s; an error of the tolerance along that angle, on
 * the other hand, violates the constraints only by s times the tolerance.  Directions with s < tol are left alone. */
static int project_fresh(struct mbs_problem *p, double t, double *q, double *v, double atol, double rtol, double tol)
{
    int status;

    memcpy(q, p->qv, (size_t)p->n * sizeof *q);
    memcpy(v, p->qv + p->n, (size_t)p->n * sizeof *v);
    if ((status = factor_at(p, t, q, tol)))
        return status;
    if (p->ng) {
        status = position_iterate(p, t, q, atol, rtol, NULL);
        if (status || (status = factor_at(p, t, q, tol)))
            return status;
    }
    return velocity_iterate(p, t, q, v, 2, atol, rtol);
}

int mbs_project_near(struct mbs_problem *p, double t, double *q, double *v, double atol, double rtol)
{
    int n = p->n, status = 0;

    if (p->m == 0)
        return 0;
    p->stat->projections++;
    memcpy(p->qv, q, (size_t)n * sizeof *q);
    memcpy(p->qv + n, v, (size_t)n * sizeof *v);
    if (p->ng)
        status = position_iterate(p, t, q, atol, rtol, NULL);
    if (status == 0)
        status = velocity_iterate(p, t, q, v, 2, atol, rtol);
    if (status > 0)
        status = project_fresh(p, t, q, v, atol, rtol, 0);
    for (double tol = fmin(1e-2, fmax(1e-7, 2e-13 / (atol + rtol))); status > 0 && tol < 0.2; tol *= 10)
        status = project_fresh(p, t, q, v, atol, rtol, tol);
    return status;
}
