/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The explicit steppers of the GNU Scientific Library on the index-1 equations, as a second opinion: formulas, error
 * estimates and step control are GSL's.  Only the right-hand side (one saddle-point solve), the projection after a
 * step and the interpolation between steps (Hermite, from q, v, a at both ends) are ours. */
#include "methods/hermite.h"
#include "methods/method.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct gsl {
    gsl_odeiv2_system sys;
    gsl_odeiv2_driver driver;       /* only to hold the parts together; msadams asks it for the tolerances */
    double *y;                      /* the new state until it is accepted; its accelerations ... */
    double *a, *lambda, *k, *work;
    struct mbs_point old;
    double *z_old, *z_new;          /* zdot at both ends */
    unsigned long failed;           /* rejected steps already counted */
    double *scale;                  /* of absolute errors; behind those of y that of the work, which has no part in the control */
    double done;                    /* since the start, one more unknown behind y if the run keeps account of it */
};

static void gsl_layout(struct mbs_stepper *s, struct mbs_work *w)
{
    struct gsl *g = s->self;
    size_t ny = (size_t)s->p->ny + 2;

    g->y = mbs_work_doubles(w, ny);
    g->a = mbs_work_doubles(w, (size_t)s->p->n + 1);
    g->lambda = mbs_work_doubles(w, (size_t)s->p->m + 1);
    g->k = mbs_work_doubles(w, ny);
    g->scale = mbs_work_doubles(w, ny);
    g->work = mbs_work_doubles(w, 3 * ny);
    g->z_old = mbs_work_doubles(w, (size_t)s->p->nz + 1);
    g->z_new = mbs_work_doubles(w, (size_t)s->p->nz + 1);
    mbs_point_layout(&g->old, s->p, w);
}

static int gsl_rhs(double t, const double y[], double f[], void *params)
{
    struct mbs_stepper *s = params;
    struct gsl *g = s->self;
    int n = s->p->n, status;

    memcpy(f, y + n, (size_t)n * sizeof *f);
    status = mbs_accelerations(s->p, t, y, f + n, s->works ? g->lambda : NULL, f + 2 * n);
    if (status == 0 && s->works) {
        struct mbs_state x = { .t = t, .q = y, .v = y + n, .z = y + 2 * n, .a = f + n, .lambda = g->lambda, .u = s->p->u };
        f[s->p->ny] = mbs_power(s->p, &x);
    }
    if (status == 0 && mbs_finite(f, s->p->ny + s->works))
        return GSL_SUCCESS;
    s->why = status ? status : MBS_NAN;
    if (!status)
        mbs_name_nan(s->p, t, y);
    return GSL_FAILURE;             /* GSL then tries half the step */
}

/* GSL's steppers are variables of its library, hence the second reference. */
struct gsl_kind {
    const gsl_odeiv2_step_type **type;
    int order;                      /* for the first step; msadams starts at order 1 */
};

static int gsl_open(struct mbs_stepper *s)
{
    struct gsl *g = s->self;
    const struct gsl_kind *kind = s->method->data;
    int steps = *kind->type == gsl_odeiv2_step_msadams; /* its formulas for the work would be those that suit the motion */
    size_t ny = (size_t)s->p->ny + (size_t)(s->p->works && !steps);
    double share;
    void *probe = malloc((64 * ny + 4096) * sizeof(double));

    /* GSL's error handler, which belongs to the whole process and is therefore left alone, ends the program if memory
     * is short, and gsl_odeiv2_control_standard_new does not check its own allocation: make sure that there is enough
     * for all of them. */
    if (!probe)
        return MBS_NO_MEMORY;
    free(probe);
    s->works = s->p->works && !steps;
    for (size_t i = 0; i < ny; i++)
        g->scale[i] = i == (size_t)s->p->ny ? 1e100 : s->opt->atol_y ? s->opt->atol_y[i] : s->opt->atol;
    g->sys = (gsl_odeiv2_system){ gsl_rhs, NULL, ny, s };
    g->driver.sys = &g->sys;
    g->driver.s = gsl_odeiv2_step_alloc(*kind->type, ny);
    g->driver.e = gsl_odeiv2_evolve_alloc(ny);
    /* multistep formulas take many steps, whose errors add up */
    share = steps ? 0.1 : 1;
    g->driver.c = gsl_odeiv2_control_scaled_new(share, share * s->opt->rtol, 1, 0, g->scale, ny);
    if (!g->driver.s || !g->driver.e || !g->driver.c)
        return MBS_NO_MEMORY;
    gsl_odeiv2_step_set_driver(g->driver.s, &g->driver);
    gsl_odeiv2_control_set_driver(g->driver.c, &g->driver);
    gsl_odeiv2_evolve_set_driver(g->driver.e, &g->driver);
    return 0;
}

static void gsl_close(struct mbs_stepper *s)
{
    struct gsl *g = s->self;

    if (g->driver.e)
        gsl_odeiv2_evolve_free(g->driver.e);
    if (g->driver.c)
        gsl_odeiv2_control_free(g->driver.c);
    if (g->driver.s)
        gsl_odeiv2_step_free(g->driver.s);
}

static int gsl_start(struct mbs_stepper *s)
{
    struct gsl *g = s->self;
    const struct gsl_kind *kind = s->method->data;

    gsl_odeiv2_evolve_reset(g->driver.e);
    gsl_odeiv2_step_reset(g->driver.s);
    g->failed = 0;
    g->done = 0;
    mbs_point_copy(&g->old, &s->x, s->p);
    if (s->p->nz > 0) {
        int status = mbs_accelerations(s->p, s->x.t, s->x.q, s->x.a, s->x.lambda, g->z_new);
        if (status)
            return status;
    }
    s->h = mbs_first_step(s, kind->order, g->work);
    return 0;
}

/* Projects the new point, gets the accelerations there and makes it the current one. */
static int gsl_accept(struct mbs_stepper *s, double t)
{
    struct gsl *g = s->self;
    struct mbs_problem *p = s->p;
    int status;

    if (s->project && p->m > 0) {
        if ((status = mbs_accelerations(p, t, g->y, g->a, g->lambda, g->k)))
            return status;
        status = mbs_project_near(p, t, g->y, g->y + p->n, s->opt->atol, s->opt->rtol);
        if (status)
            return status < 0 ? status : mbs_fail(s->msg, MBS_INCONSISTENT, t, -1, -1, "the projection onto the constraints does not converge at t = %.9g", t);
        gsl_odeiv2_evolve_reset(g->driver.e);
        g->failed = 0;
    }
    if ((status = mbs_accelerations(p, t, g->y, g->a, g->lambda, g->k)))
        return status;
    mbs_point_copy(&g->old, &s->x, p);
    memcpy(g->z_old, g->z_new, (size_t)p->nz * sizeof *g->z_old);
    memcpy(g->z_new, g->k, (size_t)p->nz * sizeof *g->z_new);
    memcpy(s->x.q, g->y, (size_t)p->ny * sizeof *g->y);
    memcpy(s->x.a, g->a, (size_t)p->n * sizeof *g->a);
    memcpy(s->x.lambda, g->lambda, (size_t)p->m * sizeof *g->lambda);
    s->t_old = s->x.t;
    s->x.t = t;
    return 0;
}

static int gsl_step(struct mbs_stepper *s, double tstop)
{
    struct gsl *g = s->self;
    double t = s->x.t, h = s->h;
    int code, last;

    memcpy(g->y, s->x.q, (size_t)s->p->ny * sizeof *g->y);
    g->y[s->p->ny] = g->done;
    s->why = 0;
    if (s->opt->step > 0) {
        h = mbs_step_fit(s, s->h, tstop, &last);
        code = gsl_odeiv2_evolve_apply_fixed_step(g->driver.e, NULL, g->driver.s, &g->sys, &t, h, g->y);
        if (last)
            t = tstop;
        h = s->h;
    } else {
        if (fabs(h) > s->longest)
            h = s->dir * s->longest;
        code = gsl_odeiv2_evolve_apply(g->driver.e, g->driver.c, g->driver.s, &g->sys, &t, tstop, &h, g->y);
    }
    s->stat->rejected += (long)(g->driver.e->failed_steps - g->failed);
    g->failed = g->driver.e->failed_steps;
    if (code != GSL_SUCCESS) {
        int status = s->opt->step > 0 ? 0 : mbs_step_underflow(s, 0);
        return status ? status : s->why < 0 ? s->why : mbs_fail(s->msg, MBS_NO_CONVERGENCE, s->x.t, -1, -1, "the step fails at t = %.9g", s->x.t);
    }
    s->h = h;
    s->work = g->y[s->p->ny] - g->done;
    g->done = g->y[s->p->ny];
    return gsl_accept(s, t);
}

static int gsl_dense(struct mbs_stepper *s, double t, struct mbs_point *out)
{
    struct gsl *g = s->self;
    double h = s->x.t - s->t_old, th = (t - s->t_old) / h;

    for (int i = 0; i < s->p->n; i++)
        out->q[i] = hermite_quintic(th, h, g->old.q[i], g->old.v[i], g->old.a[i], s->x.q[i], s->x.v[i], s->x.a[i], &out->v[i]);
    for (int i = 0; i < s->p->nz; i++)
        out->z[i] = hermite_cubic(th, h, g->old.z[i], g->z_old[i], s->x.z[i], g->z_new[i]);
    return 0;
}

#define GSL_FLAGS (MBS_METHOD_TREE | MBS_METHOD_ADAPTIVE | MBS_METHOD_NONHOLONOMIC | MBS_METHOD_STATES | MBS_METHOD_BACKWARD)
#define GSL_METHOD(id, expo, title, what, form_set, more)                                                                \
    const struct mbs_method mbs_method_gsl_##id = {                                                                    \
        .name = title,                                                                                                 \
        .summary = what,                                                                                               \
        .forms = form_set,                                                                                             \
        .flags = GSL_FLAGS | (more),                                                                                   \
        .form_default = MBS_INDEX1,                                                                                    \
        .size_self = sizeof(struct gsl),                                                                               \
        .data = &(const struct gsl_kind){ &gsl_odeiv2_step_##id, expo },                                               \
        .layout = gsl_layout,                                                                                          \
        .open = gsl_open,                                                                                              \
        .start = gsl_start,                                                                                            \
        .step = gsl_step,                                                                                              \
        .dense = gsl_dense,                                                                                            \
        .close = gsl_close,                                                                                            \
    }

GSL_METHOD(rkf45, 5, "gsl-rkf45", "GSL: embedded Runge-Kutta-Fehlberg 4(5)", MBS_FORM(MBS_INDEX1) | MBS_FORM(MBS_PROJECTED), MBS_METHOD_FIXED);
GSL_METHOD(rkck, 5, "gsl-rkck", "GSL: embedded Runge-Kutta-Cash-Karp 4(5)", MBS_FORM(MBS_INDEX1) | MBS_FORM(MBS_PROJECTED), MBS_METHOD_FIXED);
GSL_METHOD(rk8pd, 8, "gsl-rk8pd", "GSL: embedded Runge-Kutta-Prince-Dormand 8(9)", MBS_FORM(MBS_INDEX1) | MBS_FORM(MBS_PROJECTED), MBS_METHOD_FIXED);
GSL_METHOD(msadams, 2, "gsl-msadams", "GSL: Adams multistep of variable order 1 to 12", MBS_FORM(MBS_INDEX1), 0);
