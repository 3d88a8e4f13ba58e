/* SPDX-License-Identifier: MIT
 *
 * halfexplicit: a half-explicit Runge-Kutta method of order 5 for the index-2 form
 *
 *     q' = v,   M v' = f - G' lambda,   0 = G v + gt.
 *
 * M. Arnold, Half-explicit Runge-Kutta methods with explicit stages for differential-algebraic systems of index 2,
 * BIT 38 (1998) 415-438, on the coefficients of Dormand & Prince: the multiplier of stage i is the one for which the
 * velocities of stage i + 1 meet their constraint,
 *
 *     [ M(Q_i)      G(Q_i)' ] [ A_i      ]   [ f(Q_i, V_i)                                            ]
 *     [ G(Q_i+1)    0       ] [ Lambda_i ] = [ -(G(Q_i+1) (v + h sum_j<i a_i+1,j A_j) + gt)/(h a_i+1,i) ]
 *
 * one factorisation a stage, no second derivatives of g.  The last of these stages is the new point, so G v + gt = 0
 * holds there to rounding.  The first stage of a step is explicit: its acceleration is that of the motion at the old
 * point (one saddle-point solve, which also gives the a and lambda that are reported).  Why the order is 5, and that
 * the coefficients need no others than those of Dormand & Prince: doc/design/0007-alpha-rattle-hem.md.
 *
 * The error estimate is the embedded one; in v it contains errors of the multipliers, of order h^4 but normal to the
 * constraints, which a solve with [M G'; G 0] removes.  Form "projected": q is projected onto g = 0 after each step. */
#include "methods/halfexplicit.h"
#include "methods/hermite.h"

#include <math.h>
#include <string.h>

static void hem_layout(struct mbs_stepper *s, struct mbs_work *w)
{
    struct halfexplicit *e = s->self;
    size_t ny = (size_t)s->p->ny + 1, n = (size_t)s->p->n + 1, m = (size_t)s->p->m + 1;

    for (int i = 0; i <= HALFEXPLICIT_STAGES; i++)
        e->k[i] = mbs_work_doubles(w, ny);
    e->y_stage = mbs_work_doubles(w, 3 * ny);
    e->y_next = mbs_work_doubles(w, ny);
    e->y_new = mbs_work_doubles(w, ny);
    e->y_old = mbs_work_doubles(w, ny);
    e->a_old = mbs_work_doubles(w, n);
    e->z_old = mbs_work_doubles(w, (size_t)s->p->nz + 1);
    e->err = mbs_work_doubles(w, ny);
    e->sc = mbs_work_doubles(w, ny);
    e->rhs = mbs_work_doubles(w, n + m);
    e->lambda = mbs_work_doubles(w, m);
    e->G = mbs_work_doubles(w, (size_t)s->p->model->G.nnz + 1);
    e->gt = mbs_work_doubles(w, m);
    e->g = mbs_work_doubles(w, m);
}

static int hem_open(struct mbs_stepper *s)
{
    struct halfexplicit *e = s->self;

    if (s->p->m > 0)
        e->A = mbs_oblique_new(s->p->model);
    return s->p->m == 0 || e->A ? 0 : MBS_NO_MEMORY;
}

static void hem_close(struct mbs_stepper *s)
{
    struct halfexplicit *e = s->self;

    mbs_oblique_free(e->A);
    e->A = NULL;
}

static int hem_start(struct mbs_stepper *s)
{
    struct halfexplicit *e = s->self;
    int status = mbs_slope(s->p, s->x.t, s->x.q, e->k[0], e->lambda);

    if (status || (status = s->p->m ? mbs_oblique_drop(e->A, mbs_saddle_dropped(s->p->saddle)) : 0))
        return status;
    s->works = s->p->works;
    if (s->works)
        e->power[0] = mbs_slope_power(s->p, s->x.t, s->x.q, e->k[0], e->lambda);
    e->swap = e->projected = 0;
    s->control = mbs_erk_dopri5.control;
    s->err = e->err;
    s->sc = e->sc;
    s->h = s->opt->step > 0 ? s->dir * s->opt->step : mbs_first_step(s, 5, e->y_stage);
    return 0;
}

/* out = y + h sum a_j k_j over the entries from .. to-1 and the stages before `before` */
static void combine(const struct halfexplicit *e, const struct erk_row *r, double h, int before, int from, int to, const double *y,
                    double *out)
{
    for (int i = from; i < to; i++)
        out[i] = y ? y[i] : 0;
    for (int j = 0; j < r->count; j++) {
        double a = h * r->term[j].a;
        const double *k = e->k[r->term[j].stage];
        if (r->term[j].stage < before)
            for (int i = from; i < to; i++)
                out[i] += a * k[i];
    }
}

/* Acceleration and multipliers of stage i >= 1 at e->y_stage, from the constraint of stage i + 1. */
static int stage_solve(struct mbs_stepper *s, int i, double h, double t_next)
{
    struct halfexplicit *e = s->self;
    struct mbs_problem *p = s->p;
    const struct erk_row *next = &mbs_erk_dopri5.row[i + 1];
    int n = p->n, m = p->m, status;
    double weight = 0, *y = e->y_stage, *k = e->k[i];
    struct mbs_state x = { .t = s->x.t + mbs_erk_dopri5.row[i].c * h, .q = y, .v = y + n, .z = y + 2 * n };
    struct mbs_state xn = { .t = t_next, .q = e->y_next };
    struct mbs_dynamics dyn = p->dyn;
    struct mbs_constraints con = { .g = e->g, .G = e->G, .gt = e->gt };

    memcpy(k, y + n, (size_t)n * sizeof *k);
    if (m == 0)
        return mbs_accelerations(p, x.t, y, k + n, NULL, k + 2 * n);
    dyn.zdot = k + 2 * n;
    dyn.gamma = dyn.g = dyn.gt = NULL;
    mbs_eval_dynamics(p, &x, &dyn);
    combine(e, next, h, i + 1, 0, n, s->x.q, e->y_next);
    combine(e, next, h, i, n, 2 * n, s->x.q, e->y_next);
    mbs_eval_constraints(p, &xn, &con);
    for (int j = 0; j < next->count; j++)
        if (next->term[j].stage == i)
            weight = next->term[j].a;
    memcpy(e->rhs, dyn.f, (size_t)n * sizeof *e->rhs);
    for (int j = 0; j < m; j++)
        e->rhs[n + j] = -e->gt[j];
    mbs_csc_mul(&p->model->G, e->G, -1, e->y_next + n, e->rhs + n);
    for (int j = 0; j < m; j++)
        e->rhs[n + j] /= h * weight;
    s->stat->lu++;
    status = mbs_oblique_factor(e->A, dyn.M, dyn.G, e->G);
    if (status < 0) {
        if (!mbs_name_nan(p, x.t, y))
            mbs_fail(s->msg, status, x.t, -1, -1, "the equations of a stage are singular at t = %.9g", x.t);
        return s->msg->status;
    }
    s->stat->rank_drops += status > 0;
    mbs_oblique_solve(e->A, e->rhs);
    s->stat->solves++;
    memcpy(k + n, e->rhs, (size_t)n * sizeof *k);
    return 0;
}

static int stages(struct mbs_stepper *s, double h, double t_new)
{
    struct halfexplicit *e = s->self;
    const struct erk_row *row = mbs_erk_dopri5.row;
    int ny = s->p->ny, status;

    for (int i = 1; i < HALFEXPLICIT_STAGES; i++) {
        combine(e, &row[i], h, i, 0, ny, s->x.q, e->y_stage);
        status = stage_solve(s, i, h, i + 1 == HALFEXPLICIT_STAGES ? t_new : s->x.t + row[i + 1].c * h);
        if (status)
            return status;
        if (s->works)
            e->power[i] = mbs_slope_power(s->p, s->x.t + row[i].c * h, e->y_stage, e->k[i], e->rhs + s->p->n);
        if (!mbs_finite(e->k[i], ny))
            return mbs_name_nan(s->p, s->x.t + row[i].c * h, e->y_stage)
                       ? MBS_NAN
                       : mbs_fail(s->msg, MBS_NAN, s->x.t, -1, -1, "the constraints are not finite just behind t = %.9g", s->x.t);
    }
    combine(e, &row[HALFEXPLICIT_STAGES], h, HALFEXPLICIT_STAGES, 0, ny, s->x.q, e->y_new);
    return mbs_slope(s->p, t_new, e->y_new, e->k[HALFEXPLICIT_STAGES], e->lambda);
}

/* Norm of the embedded estimate (1 = tolerance); the factors and M are those of the new point. */
static double error_norm(struct mbs_stepper *s, double h)
{
    struct halfexplicit *e = s->self;
    struct mbs_problem *p = s->p;
    int n = p->n, m = p->m, ny = p->ny;

    combine(e, &mbs_erk_dopri5.error, h, HALFEXPLICIT_STAGES + 1, 0, ny, NULL, e->err);
    if (m > 0) {
        memset(e->rhs, 0, (size_t)(n + m) * sizeof *e->rhs);
        mbs_csc_mul_sym(&p->model->M, p->dyn.M, 1, e->err + n, e->rhs);
        mbs_saddle_solve(p->saddle, e->rhs);
        s->stat->solves++;
        memcpy(e->err + n, e->rhs, (size_t)n * sizeof *e->err);
    }
    mbs_scale(s, s->x.q, e->y_new, e->sc);
    return sqrt(mbs_sumsq(e->err, e->sc, ny) / ny);
}

static int hem_attempt(struct mbs_stepper *s, double h, double t_new, double *err)
{
    struct halfexplicit *e = s->self;
    int status;

    mbs_halfexplicit_swap(e);
    e->projected = 0;
    s->rows = NULL;
    if ((status = stages(s, h, t_new)))
        return status;
    *err = error_norm(s, h);
    if (isfinite(*err))
        return 0;
    mbs_name_nan(s->p, t_new, e->y_new);
    return MBS_NAN;
}

/* Position projection where it is wanted; 0 or why not. */
static int finish(struct mbs_stepper *s, double t_new)
{
    struct halfexplicit *e = s->self;
    struct mbs_problem *p = s->p;
    int status;

    if (!s->project || p->ng == 0 || e->projected)
        return 0;
    s->rows = NULL;
    status = mbs_project_near(p, t_new, e->y_new, e->y_new + p->n, s->opt->atol, s->opt->rtol);
    if (status > 0)
        return mbs_fail(s->msg, MBS_INCONSISTENT, t_new, -1, -1, "the projection onto the constraints does not converge at t = %.9g", t_new);
    return status ? status : mbs_slope(s->p, t_new, e->y_new, e->k[HALFEXPLICIT_STAGES], e->lambda);
}

static int hem_accept(struct mbs_stepper *s, double h, double t_new)
{
    struct halfexplicit *e = s->self;
    size_t n = (size_t)s->p->n, d = sizeof(double);
    int status = finish(s, t_new);

    if (status)
        return status;
    s->fresh_G = !s->rows;      /* mbs_slope() was asked there last, or a batch */
    if (s->works) {
        const struct erk_row *b = &mbs_erk_dopri5.row[HALFEXPLICIT_STAGES];
        s->work = 0;
        for (int j = 0; j < b->count; j++)
            s->work += h * b->term[j].a * e->power[b->term[j].stage];
        e->power[0] = mbs_slope_power(s->p, t_new, e->y_new, e->k[HALFEXPLICIT_STAGES], e->lambda);
    }
    memcpy(e->y_old, s->x.q, (size_t)s->p->ny * d);
    memcpy(e->a_old, s->x.a, n * d);
    memcpy(e->z_old, e->k[0] + 2 * n, (size_t)s->p->nz * d);
    memcpy(s->x.q, e->y_new, (size_t)s->p->ny * d);
    memcpy(s->x.a, e->k[HALFEXPLICIT_STAGES] + n, n * d);
    memcpy(s->x.lambda, e->lambda, (size_t)s->p->m * d);
    s->t_old = s->x.t;
    s->x.t = t_new;
    e->h_last = h;
    e->swap = 1;
    return 0;
}

static int hem_dense(struct mbs_stepper *s, double t, struct mbs_point *out)
{
    struct halfexplicit *e = s->self;
    int n = s->p->n;
    double h = e->h_last, th = (t - s->t_old) / h;
    const double *y = e->y_old;

    out->t = t;
    for (int i = 0; i < n; i++)
        out->q[i] = hermite_quintic(th, h, y[i], y[n + i], e->a_old[i], s->x.q[i], s->x.v[i], s->x.a[i], &out->v[i]);
    for (int i = 0; i < s->p->nz; i++)
        out->z[i] = hermite_cubic(th, h, y[2 * n + i], e->z_old[i], s->x.z[i], e->k[HALFEXPLICIT_STAGES][2 * n + i]);
    return 0;
}

const struct mbs_method mbs_method_halfexplicit = {
    .name = "halfexplicit",
    .summary = "half-explicit Runge-Kutta of order 5 for index 2 (Arnold, Dormand & Prince)",
    .forms = MBS_FORM(MBS_INDEX2) | MBS_FORM(MBS_PROJECTED),
    .flags = MBS_METHOD_TREE | MBS_METHOD_ADAPTIVE | MBS_METHOD_FIXED | MBS_METHOD_NONHOLONOMIC | MBS_METHOD_STATES | MBS_METHOD_BACKWARD |
             MBS_METHOD_LOOSE,
    .form_default = MBS_INDEX2,
    .size_self = sizeof(struct halfexplicit),
    .layout = hem_layout,
    .open = hem_open,
    .start = hem_start,
    .attempt = hem_attempt,
    .accept = hem_accept,
    .dense = hem_dense,
    .close = hem_close,
};
