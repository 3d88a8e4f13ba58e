/* SPDX-License-Identifier: MIT
 *
 * Explicit Runge-Kutta methods with error control on y = (q, v, z), the accelerations coming from one saddle-point
 * solve a stage (index 1).  Error estimates, step control and dense output follow DOPRI5 and DOP853 of HNW.
 *
 * With projection the new point is moved onto g = 0 and G v + gt = 0 with the factors of the last stage, whose time
 * is that of the new point, so that only g and G are evaluated for it.
 *
 * The k_i are rows of one array whose length is padded to a multiple of two, and sums over stages work on pairs. */
#include "methods/erk.h"

#include <math.h>
#include <string.h>

typedef double pair __attribute__((vector_size(16)));

static void erk_layout(struct mbs_stepper *s, struct mbs_work *w)
{
    struct erk *e = s->self;
    size_t n = ((size_t)s->p->ny + 1) & ~(size_t)1;

    e->tab = s->method->data;
    e->pairs = (int)(n / 2);
    e->weighs = 0;
    for (int j = 0; j < e->tab->row[e->tab->stages].count; j++)
        e->weighs |= 1u << e->tab->row[e->tab->stages].term[j].stage;
    for (int i = 0; i <= e->tab->stages + e->tab->extra; i++)
        e->k[i] = mbs_work_doubles(w, n);
    e->y_old = mbs_work_doubles(w, n);
    e->y_new = mbs_work_doubles(w, n);
    e->y_stage = mbs_work_doubles(w, 3 * n);
    e->err = mbs_work_doubles(w, n);
    e->err3 = mbs_work_doubles(w, n);
    e->sc = mbs_work_doubles(w, n);
    e->lambda = mbs_work_doubles(w, (size_t)s->p->m + 1);
    for (int i = 0; i <= e->tab->stages + e->tab->extra; i++)
        e->stage_lambda[i] = mbs_work_doubles(w, (size_t)s->p->m + 1);
    for (int i = 1; i <= e->tab->stages + e->tab->extra; i++)
        e->factors[i] = mbs_work_doubles(w, mbs_saddle_factors(s->p->saddle) + 1);
    for (int i = 0; i < 4 + e->tab->dense_rows; i++)
        e->rcont[i] = mbs_work_doubles(w, n);
}

/* out = y + h sum a_j k_j with a constant number of terms; y NULL: without it */
static inline __attribute__((always_inline)) void combine_terms(const struct erk *e, const struct erk_row *r, int count,
                                                                 double h, const double *y, double *out)
{
    pair a[12];
    const pair *k[12];

#pragma GCC unroll 12
    for (int j = 0; j < count; j++) {
        double c = h * r->term[j].a;
        a[j] = (pair){ c, c };
        k[j] = (const pair *)e->k[r->term[j].stage];
    }
    for (int i = 0; i < e->pairs; i++) {
        pair s = a[0] * k[0][i];
#pragma GCC unroll 12
        for (int j = 1; j < count; j++)
            s += a[j] * k[j][i];
        ((pair *)out)[i] = y ? ((const pair *)y)[i] + s : s;
    }
}

static void combine(const struct erk *e, const struct erk_row *r, double h, const double *y, double *out)
{
#define COMBINE(count) combine_terms(e, r, count, h, y, out)
    ERK_BY_COUNT(r->count, COMBINE)
#undef COMBINE
}

static int erk_start(struct mbs_stepper *s)
{
    struct erk *e = s->self;
    int n = s->p->n;

    memcpy(e->k[0], s->x.v, (size_t)n * sizeof(double));
    memcpy(e->k[0] + n, s->x.a, (size_t)n * sizeof(double));
    if (s->p->nz > 0) {
        int status = mbs_slope(s->p, s->x.t, s->x.q, e->k[0], NULL);
        if (status)
            return status;
    }
    s->works = s->p->works;
    if (s->works) {
        int status = mbs_slope(s->p, s->x.t, s->x.q, e->k[0], e->lambda);
        if (status)
            return status;
        e->power[0] = mbs_slope_power(s->p, s->x.t, s->x.q, e->k[0], e->lambda);
    }
    e->swap = e->dense_ready = e->steps = e->stiff = e->smooth = 0;
    s->stiff = 0;
    s->control = e->tab->control;
    s->err = e->err;
    s->sc = e->sc;
    s->h = mbs_first_step(s, e->tab->order, e->y_stage);
    return 0;
}

/* Error norm of the attempt (1 = tolerance). */
static double error_norm(struct mbs_stepper *s, double h)
{
    struct erk *e = s->self;
    int ny = s->p->ny;
    double err, err3, deno;

    mbs_scale(s, s->x.q, e->y_new, e->sc);
    combine(e, &e->tab->error, 1, NULL, e->err);
    err = mbs_sumsq(e->err, e->sc, ny);
    if (e->tab->error3.count == 0)
        return fabs(h) * sqrt(err / ny);
    combine(e, &e->tab->error3, 1, NULL, e->err3);
    err3 = mbs_sumsq(e->err3, e->sc, ny);
    deno = err + 0.01 * err3;           /* HNW (10.17) */
    return deno > 0 ? fabs(h) * err / sqrt(deno * ny) : deno == 0 ? 0 : NAN;
}

/* Behind mbs_slope() of stage i.  Without constraints there may be no factors. */
static void keep_factors(const struct mbs_stepper *s, int i)
{
    struct erk *e = s->self;

    if (s->staged)
        e->kept[i] = s->p->m > 0 && mbs_saddle_factors_keep(s->p->saddle, e->factors[i]);
}

/* The stages and the new point; 0 or the status of the model. */
static int stages(struct mbs_stepper *s, double h, double t_new)
{
    struct erk *e = s->self;
    const struct erk_tableau *tab = e->tab;
    double t = s->x.t;
    int status;

    /* A rate that every step so far resolves; one that grew as steps shrink would feed on rounding errors in g. */
    if (s->form == MBS_BAUMGARTE && s->opt->baumgarte_alpha == 0)
        s->p->bg_alpha = s->p->bg_beta = s->stat->h_max > 0 ? 0.2 / s->stat->h_max : 0;
    for (int i = 1; i < tab->stages; i++) {
        int works = s->works && e->weighs >> i & 1;
        double *lambda = s->staged ? e->stage_lambda[i] : works ? e->lambda : NULL;
        combine(e, &tab->row[i], h, s->x.q, e->y_stage);
        status = mbs_slope(s->p, t + tab->row[i].c * h, e->y_stage, e->k[i], lambda);
        if (status)
            return status;
        keep_factors(s, i);
        if (works)
            e->power[i] = mbs_slope_power(s->p, t + tab->row[i].c * h, e->y_stage, e->k[i], lambda);
    }
    combine(e, &tab->row[tab->stages], h, s->x.q, e->y_new);
    if (!tab->fsal)
        return 0;
    status = mbs_slope(s->p, t_new, e->y_new, e->k[tab->stages], e->lambda);
    keep_factors(s, tab->stages);
    return status;
}

/* The weights of the new point integrate the power as they do everything else. */
static double step_work(const struct erk *e, double h)
{
    const struct erk_row *b = &e->tab->row[e->tab->stages];
    double sum = 0;

    for (int j = 0; j < b->count; j++)
        sum += b->term[j].a * e->power[b->term[j].stage];
    return h * sum;
}

/* A NaN has come out: find the stage that brought it and name what is wrong there. */
static void name_nan(struct mbs_stepper *s, double h)
{
    struct erk *e = s->self;
    int ny = s->p->ny;

    for (int i = 1; i < e->tab->stages; i++)
        if (!mbs_finite(e->k[i], ny)) {
            combine(e, &e->tab->row[i], h, s->x.q, e->y_stage);
            mbs_name_nan(s->p, s->x.t + e->tab->row[i].c * h, e->y_stage);
            return;
        }
    mbs_name_nan(s->p, s->x.t + h, e->y_new);
}

/* The stages and their error. */
static int erk_attempt(struct mbs_stepper *s, double h, double t_new, double *err)
{
    struct erk *e = s->self;
    int status;

    mbs_erk_swap(e);
    e->wide = NULL;
    s->rows = NULL;
    status = stages(s, h, t_new);
    if (status == 0) {
        *err = error_norm(s, h);
        status = isfinite(*err) ? 0 : MBS_NAN;
    }
    if (status == MBS_NAN)
        name_nan(s, h);
    return status;
}

/* Projects the new point if that is wanted and gets the slope there. */
static int finish(struct mbs_stepper *s, double t_new)
{
    struct erk *e = s->self;
    double *k = e->k[e->tab->stages];
    int status;

    if (e->wide && e->wide->ended)
        return 0;
    s->rows = NULL;
    if (s->project && s->p->m > 0) {
        status = mbs_project_near(s->p, t_new, e->y_new, e->y_new + s->p->n, s->opt->atol, s->opt->rtol);
        if (status > 0)
            return mbs_fail(s->msg, MBS_INCONSISTENT, t_new, -1, -1, "the projection onto the constraints does not converge at t = %.9g", t_new);
        if (status < 0)
            return status;
    } else if (e->tab->fsal) {
        return 0;
    }
    status = mbs_slope(s->p, t_new, e->y_new, k, e->lambda);
    keep_factors(s, e->tab->stages);
    if (status == 0 && !mbs_finite(k + s->p->n, s->p->n)) {
        mbs_name_nan(s->p, t_new, e->y_new);
        status = MBS_NAN;
    }
    return status;
}

/* Near a singular configuration rounding errors are amplified: by 1/s in the projected position, 1/s^2 in the velocity,
 * 1/s^3 in the acceleration, if s is the sine of the angle by which constraints are still independent.  A step that
 * happens to end there leaves no way on, however small the next one; a slightly shorter one ends elsewhere, and the
 * next one leaps over the point. */
enum { SHIFTS = 4 };

/* The stages of a step that was taken in a batch, where somebody looks at them. */
static void fetch(struct erk *e, int ny)
{
    const struct erk_wide *w = e->wide;

    e->wide = NULL;
    for (int i = 1; w && i < e->tab->stages; i++)
        for (int j = 0; j < ny; j++)
            e->k[i][j] = w->k[i][j * w->lanes + w->lane];
    for (int j = 0; w && j < ny; j++)
        e->y_stage[j] = w->y_stage[j * w->lanes + w->lane];
}

/* As HNW IV.2: the new point and the last stage, both at the end of the step, differ most in the component of the largest
 * eigenvalue s, where a - a' = s^2 (q - q').  (HNW take y' and y, but |y' - y'|/|y - y| lies anywhere between 1 and |s|^2
 * for equations of second order.)  A step that is at the border of stability time and again is limited by it.  Looked at
 * in every hundredth step, and in all steps once it has said yes. */
static void watch_stiffness(struct mbs_stepper *s, double h)
{
    struct erk *e = s->self;
    int n = s->p->n, st = e->tab->stages;
    double num = 0, den = 0;

    if (++e->steps % 100 && !e->stiff)
        return;
    fetch(e, s->p->ny);
    for (int i = 0; i < n; i++) {
        double da = e->k[st][n + i] - e->k[st - 1][n + i], dq = e->y_new[i] - e->y_stage[i];
        num += da * da;
        den += dq * dq;
    }
    if (den > 0 && fabs(h) * sqrt(sqrt(num / den)) > e->tab->stability) {
        e->smooth = 0;
        s->stiff = ++e->stiff >= 15;
    } else if (e->stiff && ++e->smooth == 6) {
        e->stiff = 0;
    }
}

static int erk_accept(struct mbs_stepper *s, double h, double t_new)
{
    struct erk *e = s->self;
    size_t n = (size_t)s->p->n;
    long near = mbs_saddle_near_singular(s->p->saddle);
    int status = finish(s, t_new);

    if (status)
        return status;
    s->fresh_G = !s->rows;      /* mbs_slope() was asked there last, or a batch */
    if (near != mbs_saddle_near_singular(s->p->saddle) && s->opt->step == 0 && !s->last && s->tries < SHIFTS)
        return 1;
    if (s->works) {
        s->work = step_work(e, h);
        e->power[0] = mbs_slope_power(s->p, t_new, e->y_new, e->k[e->tab->stages], e->lambda);
    }
    memcpy(e->y_old, s->x.q, (size_t)s->p->ny * sizeof(double));
    memcpy(e->stage_lambda[0], s->x.lambda, (size_t)s->p->m * sizeof(double));
    memcpy(s->x.q, e->y_new, (size_t)s->p->ny * sizeof(double));
    memcpy(s->x.a, e->k[e->tab->stages] + n, n * sizeof(double));
    memcpy(s->x.lambda, e->lambda, (size_t)s->p->m * sizeof(double));
    watch_stiffness(s, h);
    s->t_old = s->x.t;
    s->x.t = t_new;
    e->h_last = h;
    e->swap = 1;
    e->dense_ready = 0;
    return 0;
}

/* HNW II.6 (CONTD5, CONTD8): the first four coefficients are Hermite's, the others come from the stages. */
static int dense_prepare(struct mbs_stepper *s)
{
    struct erk *e = s->self;
    const struct erk_tableau *tab = e->tab;
    const double *k0 = e->k[0], *k1 = e->k[tab->stages];
    double h = e->h_last;

    fetch(e, s->p->ny);
    for (int i = tab->stages + 1; i <= tab->stages + tab->extra; i++) {
        int status;
        combine(e, &tab->row[i], h, e->y_old, e->y_stage);
        status = mbs_slope(s->p, s->t_old + tab->row[i].c * h, e->y_stage, e->k[i], s->staged ? e->stage_lambda[i] : NULL);
        if (status)
            return status;
        keep_factors(s, i);
    }
    for (int i = 0; i < s->p->ny; i++) {
        double dy = s->x.q[i] - e->y_old[i], b = h * k0[i] - dy;
        e->rcont[0][i] = e->y_old[i];
        e->rcont[1][i] = dy;
        e->rcont[2][i] = b;
        e->rcont[3][i] = dy - h * k1[i] - b;
    }
    for (int i = 0; i < tab->dense_rows; i++)
        combine(e, &tab->dense[i], h, NULL, e->rcont[4 + i]);
    e->dense_ready = 1;
    return 0;
}

static int erk_dense(struct mbs_stepper *s, double t, struct mbs_point *out)
{
    struct erk *e = s->self;
    double th = (t - s->t_old) / e->h_last, th1 = 1 - th;
    int top = 3 + e->tab->dense_rows;

    if (!e->dense_ready) {
        int status = dense_prepare(s);
        if (status)
            return status;
    }
    for (int i = 0; i < s->p->ny; i++) {
        double y = e->rcont[top][i];
        for (int j = top - 1; j >= 0; j--)
            y = e->rcont[j][i] + (j % 2 ? th1 : th) * y;
        out->q[i] = y;
    }
    return 0;
}

#define ERK_FORMS (MBS_FORM(MBS_INDEX1) | MBS_FORM(MBS_BAUMGARTE) | MBS_FORM(MBS_PROJECTED))
#define ERK_FLAGS                                                                                                      \
    (MBS_METHOD_TREE | MBS_METHOD_ADAPTIVE | MBS_METHOD_FIXED | MBS_METHOD_NONHOLONOMIC | MBS_METHOD_STATES |              \
     MBS_METHOD_BACKWARD | MBS_METHOD_TOUCH)

const struct mbs_method mbs_method_dopri5 = {
    .name = "dopri5",
    .summary = "explicit Runge-Kutta of order 5 (Dormand & Prince), dense output of order 4",
    .forms = ERK_FORMS,
    .flags = ERK_FLAGS,
    .form_default = MBS_PROJECTED,
    .size_self = sizeof(struct erk),
    .data = &mbs_erk_dopri5,
    .layout = erk_layout,
    .start = erk_start,
    .attempt = erk_attempt,
    .accept = erk_accept,
    .dense = erk_dense,
};

const struct mbs_method mbs_method_dop853 = {
    .name = "dop853",
    .summary = "explicit Runge-Kutta of order 8 (Dormand & Prince), dense output of order 7",
    .forms = ERK_FORMS,
    .flags = ERK_FLAGS,
    .form_default = MBS_PROJECTED,
    .size_self = sizeof(struct erk),
    .data = &mbs_erk_dop853,
    .layout = erk_layout,
    .start = erk_start,
    .attempt = erk_attempt,
    .accept = erk_accept,
    .dense = erk_dense,
};
