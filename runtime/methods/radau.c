/* SPDX-License-Identifier: MIT
 *
 * radau5 and radau: Radau IIA methods of order 5 and of variable order 5, 9, 13 (radau.h names the sources).  Here are
 * the steps: what is kept from one to the next, acceptance, step size and order. */
#include "methods/radau.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void stages_layout(struct radau_stages *c, const struct mbs_problem *p, int ggl, int stages, struct mbs_work *w)
{
    size_t s = (size_t)stages, n = (size_t)p->n, m = (size_t)p->m, nz = (size_t)p->nz;

    c->y0 = mbs_work_doubles(w, (size_t)p->ny + 1);
    c->Q = mbs_work_doubles(w, s * n + 1);
    c->V = mbs_work_doubles(w, s * n + 1);
    c->A = mbs_work_doubles(w, s * n + 1);
    c->L = mbs_work_doubles(w, s * m + 1);
    c->Z = mbs_work_doubles(w, s * nz + 1);
    c->D = mbs_work_doubles(w, s * nz + 1);
    if (ggl) {
        c->P = mbs_work_doubles(w, s * n + 1);
        c->Mu = mbs_work_doubles(w, s * m + 1);
    }
}

static void layout(struct mbs_stepper *s, struct mbs_work *w, int smin, int smax)
{
    struct radau *r = s->self;
    struct mbs_problem *p = s->p;
    size_t n = (size_t)p->n, m = (size_t)p->m, nz = (size_t)p->nz, st, N, all;

    r->ggl = s->form == MBS_GGL && p->m > 0;
    r->tree = mbs_has_newton(p->model);
    r->nmu = r->ggl ? p->ng : 0;
    r->N = p->n + p->m + r->nmu + p->nz;
    r->smin = smin;
    r->smax = smax;
    st = (size_t)smax;
    N = (size_t)r->N;
    all = (size_t)p->ny + n + m + 1;
    stages_layout(&r->cur, p, r->ggl, smax, w);
    stages_layout(&r->last, p, r->ggl, smax, w);
    r->R = mbs_work_doubles(w, st * n + 1);
    r->C = mbs_work_doubles(w, st * m + 1);
    r->Cg = mbs_work_doubles(w, st * m + 1);
    r->E = mbs_work_doubles(w, st * n + 1);
    r->F = mbs_work_doubles(w, st * nz + 1);
    r->B = mbs_work_doubles(w, 8 * N + 1);
    r->B1 = mbs_work_doubles(w, 8 * n + 1);
    r->d0 = mbs_work_doubles(w, nz + 1);
    r->mu = mbs_work_doubles(w, m + 1);
    r->zero = mbs_work_doubles(w, n + m + nz + 1);
    r->err = mbs_work_doubles(w, all);
    r->b1 = mbs_work_doubles(w, n + 1);
    r->b2 = mbs_work_doubles(w, n + 1);
    r->b = mbs_work_doubles(w, N + 1);
    r->sc = mbs_work_doubles(w, (size_t)p->ny + 1);
    r->sca = mbs_work_doubles(w, n + 1);
    r->scl = mbs_work_doubles(w, m + 1);
    r->diagonal = mbs_work_doubles(w, 2 * m + 1);
    r->tmp = mbs_work_doubles(w, 3 * (size_t)p->ny + 1);
    r->mul = mbs_work_doubles(w, 3 * 2 * RADAU_STAGES * RADAU_STAGES);
    mbs_radau_linear_layout(s, w);
}

/* Orders 5, 9, 13 as the method has them, within the limits that the user sets; at least one remains. */
static void radau_layout(struct mbs_stepper *s, struct mbs_work *w)
{
    const int *most = s->method->data;
    int smin = 3, smax = *most;

    while (smin < smax && 2 * smin - 1 < s->opt->order_min)
        smin += 2;
    while (s->opt->order_max && smax > smin && 2 * smax - 1 > s->opt->order_max)
        smax -= 2;
    layout(s, w, smin, smax);
}

static int open_systems(struct mbs_stepper *s)
{
    if (mbs_radau_linear_open(s))
        return mbs_fail(s->msg, MBS_NO_MEMORY, NAN, -1, -1, "out of memory for the Newton systems of %s",
                        s->method->name);
    return 0;
}

/* A fine tolerance starts with a high order. */
static int first_stages(const struct mbs_stepper *s)
{
    const struct radau *r = s->self;
    double asked = s->opt->rtol > 0 ? s->opt->rtol : s->opt->atol;
    int stages = asked > 3e-5 ? 3 : asked > 3e-9 ? 5 : 7;

    return stages < r->smin ? r->smin : stages > r->smax ? r->smax : stages;
}

static int start(struct mbs_stepper *s)
{
    struct radau *r = s->self;
    struct mbs_problem *p = s->p;

    s->works = p->works;
    r->have_last = 0;
    r->first = 1;
    r->rejected = r->keep = r->place = 0;
    r->rough = SMOOTH;
    r->h_tried = 0;
    s->err = r->err;
    s->sc = r->sc;
    r->since_change = 0;
    r->err_acc = 1e-2;
    r->h_acc = 0;
    mbs_radau_use_stages(s, s->opt->step > 0 ? r->smax : first_stages(s));
    mbs_radau_linear_start(s, 0);
    if (p->nz) {
        struct mbs_state x = mbs_point_state(&s->x, p);
        struct mbs_dynamics out = p->dyn;
        out.zdot = r->d0;
        mbs_eval_dynamics(p, &x, &out);
    }
    s->h = s->opt->step > 0 ? s->dir * s->opt->step : mbs_first_step(s, r->tab->s + 1, r->tmp);
    return s->h == 0 ? s->msg->status : 0;
}

/* The Jacobian, taken at the predicted stage in the middle of the step, where it suits all stages best.  If the
 * iteration fails with that, the last and the first stage have their turn before the step shrinks: near configurations
 * where constraints become dependent one place may be bad and another good. */
static int jacobian(struct mbs_stepper *s)
{
    struct radau *r = s->self;
    struct radau_stages *c = &r->cur;
    int n = s->p->n, k = r->place == 0 ? c->tab->s / 2 : r->place == 1 ? c->tab->s - 1 : 0;
    struct mbs_state x = {.t = c->t + c->h * c->tab->c[k],
                          .q = c->Q + k * n,
                          .v = c->V + k * n,
                          .a = c->A + k * n,
                          .lambda = c->L + k * s->p->m,
                          .z = c->Z + k * s->p->nz,
                          .mu = s->x.mu};

    return mbs_radau_jacobian(s, &x);
}

/* Contraction up to which Jacobian and factors are kept for the next step.  Measured on slider crank and squeezer: 0
 * (new ones in every step) costs 5 to 25 % more instructions, 0.1 as much in iterations as it saves in factors. */
static const double KEEP_THETA = 0.01;

/* The estimate is held against more than the tolerance, since the error itself is of a higher order (mbs_radau_use_stages).  Where a force jumps or has
 * a kink it is not: the estimate falls with the first to third power of the step instead of s + 1, is the error, and is held against the tolerance itself.
 * Such a place shows as an error that is suddenly large; how it falls is seen when the step is repeated. */
static const double SUDDEN = 100, REPEATED = 0.5;

static int is_sudden(const struct radau *r, double h)
{
    return r->h_tried != 0 && r->states * r->factor > 1 && r->states > SUDDEN * r->tried * fmax(1, pow(h / r->h_tried, r->tab->s + 1));
}

/* The error of an attempt, which makes it a rejected one where the motion may be rough. */
static double error_strict(struct mbs_stepper *s, double h, double err)
{
    struct radau *r = s->self;
    double power = (r->tab->s + 2) / 2.0;

    if (r->rough == SMOOTH && !r->rejected)
        r->rough = is_sudden(r, h) ? SUSPECT : SMOOTH;
    else if (r->rough == SUSPECT)
        r->rough = r->states > r->tried * pow(h / r->h_tried, power) ? ROUGH : SMOOTH;
    if (r->rough == ROUGH)
        err = fmax(err, r->states * fmax(1, r->factor));
    else if (r->rough == SUSPECT)
        err = fmax(err, 1 + DBL_EPSILON);
    r->h_tried = h;
    r->tried = r->states;
    return err;
}

/* Predicts, iterates, estimates: 0 and *err, or the reason for failure. */
static int attempt(struct mbs_stepper *s, double h, double t_new, double *err)
{
    struct radau *r = s->self;
    int status = 0;

    (void)t_new;
    mbs_radau_predict(s, h);
    mbs_radau_scales(s, h);
    if (!r->keep || r->h_factored != h || r->s_factored != r->tab->s) {
        r->keep = 0;
        status = jacobian(s);
        if (!status)
            status = mbs_radau_factor(s, h);
    }
    if (status) {
        r->shrink = 0.5;
        return status;
    }
    status = mbs_radau_newton(s);
    if (status) {
        s->stat->newton_failures++;
        return status;
    }
    *err = s->opt->step > 0 ? 0 : error_strict(s, h, mbs_radau_error(s));
    if (!(*err < 1e100)) {
        r->shrink = 0.25;
        return MBS_NAN;
    }
    return 0;
}

/* Quotient h / h_new from the error, and from the last two errors (predictive control, Gustafsson; HW (8.25)). */
static double quotient(struct radau *r, double h, double err)
{
    double expo = 1.0 / (r->tab->s + 1), nit = 2.0 * r->newton_max;
    double safe = fmin(0.9, 0.9 * (1 + nit) / (r->iterations + nit));
    double q = fmax(1.0 / 8, fmin(5, pow(err, expo) / safe));

    if (err < 1 && r->h_acc != 0) {
        double g = r->h_acc / h * pow(err * err / r->err_acc, expo) / 0.9;
        q = fmax(q, fmax(1.0 / 8, fmin(5, g)));
    }
    return q;
}

/* The speed of convergence decides on the order (HW99): fast iterations leave room for a higher one, slow ones call for
 * a lower one.  An order lost to failures, below that which suits the tolerance, comes back sooner. */
static void choose_order(struct mbs_stepper *s, double ratio)
{
    struct radau *r = s->self;
    int st = r->tab->s;

    r->since_change++;
    if (r->since_change <= 10)
        return;
    if (st < r->smax && r->theta <= (st < first_stages(s) ? 0.2 : 0.01) && ratio > 0.8 && ratio < 1.25)
        st += 2;
    else if (st > r->smin && r->theta >= 0.5)
        st -= 2;
    if (st != r->tab->s) {
        mbs_radau_use_stages(s, st);
        r->since_change = 0;
        r->h_tried = 0;
    }
}

/* The quadrature of the collocation: its weights are the last row of A. */
static double step_work(struct mbs_stepper *s)
{
    struct radau *r = s->self;
    struct mbs_problem *p = s->p;
    const struct radau_stages *c = &r->cur;
    int st = c->tab->s;
    double sum = 0;

    for (int k = 0; k < st; k++) {
        struct mbs_state x = { .t = c->t + c->h * c->tab->c[k], .q = c->Q + k * p->n, .v = c->V + k * p->n, .a = c->A + k * p->n,
                               .lambda = c->L + k * p->m, .z = c->Z + k * p->nz, .u = p->u };
        mbs_inputs_at(p, x.t);
        sum += c->tab->A[(st - 1) * st + k] * mbs_power(p, &x);
    }
    return c->h * sum;
}

static int accept(struct mbs_stepper *s, double h, double t)
{
    struct radau *r = s->self;
    struct mbs_problem *p = s->p;
    struct radau_stages *c = &r->cur, swap;
    int k = c->tab->s - 1, n = p->n;
    double *y = r->tmp;

    (void)h;
    memcpy(y, c->Q + k * n, (size_t)n * sizeof *y);
    memcpy(y + n, c->V + k * n, (size_t)n * sizeof *y);
    memcpy(y + 2 * n, c->Z + k * p->nz, (size_t)p->nz * sizeof *y);
    if (s->project && p->m) {
        int status = mbs_project_position(p, t, y, s->opt->atol, s->opt->rtol, NULL);
        if (!status)
            status = mbs_project_velocity(p, t, y, y + n);
        if (status)
            return status > 0 ? MBS_NO_CONVERGENCE : status;
    }
    if (s->works)
        s->work = step_work(s);
    s->loose = fmax(s->loose, r->along);
    s->t_old = s->x.t;
    s->x.t = t;
    memcpy(s->x.q, y, (size_t)p->ny * sizeof *y);
    memcpy(s->x.a, c->A + k * n, (size_t)n * sizeof *y);
    memcpy(s->x.lambda, c->L + k * p->m, (size_t)p->m * sizeof *y);
    memcpy(r->d0, c->D + k * p->nz, (size_t)p->nz * sizeof *y);
    if (r->ggl)
        memcpy(s->x.mu, c->Mu + k * r->nmu, (size_t)r->nmu * sizeof *y);
    swap = r->last;
    r->last = r->cur;
    r->cur = swap;
    r->have_last = 1;
    return 0;
}

/* The step failed before an error was known: it is repeated with new factors, with a Jacobian from elsewhere, then
 * shrunk and, after a second failure, predicted from scratch and with a lower order. */
static double shrink(struct mbs_stepper *s, double h, int status)
{
    struct radau *r = s->self;

    if (r->keep) {
        r->keep = 0;
        return h;
    }
    if (status == MBS_NO_CONVERGENCE && r->place < 2) {
        r->place++;
        return h;
    }
    r->place = 0;
    if (r->rejected) {
        r->have_last = 0;
        if (r->drops)
            mbs_radau_linear_start(s, 1);
        if (r->tab->s > r->smin) {
            mbs_radau_use_stages(s, r->tab->s - 2);
            r->since_change = 0;
        }
    }
    r->h_tried = 0;
    r->rough = SMOOTH;
    r->rejected = 1;
    return h * r->shrink;
}

static double control(struct mbs_stepper *s, double h, double err, int status)
{
    struct radau *r = s->self;
    double q, next;

    if (status)
        return shrink(s, h, status);
    q = quotient(r, h, err);
    if (err > 1) {
        r->rejected = 1;
        r->keep = r->place = 0;
        return r->first ? h / 10 : r->rough == ROUGH ? h / fmin(10, 2 * err) : r->rough == SUSPECT ? fmin(REPEATED, 1 / q) * h : h / q;
    }
    r->h_acc = h;
    r->err_acc = fmax(1e-2, err);
    next = h / q;
    if (r->rejected && fabs(next) > fabs(h))
        next = h;
    r->rejected = r->place = r->first = 0;
    r->rough = SMOOTH;
    /* a slightly larger step does not pay for new factors while the iteration converges fast */
    r->keep = r->theta <= KEEP_THETA && q <= 1 && q >= 1 / 1.2 && !s->last;
    choose_order(s, 1 / q);
    return r->keep ? h : next;
}

/* The collocation polynomials: through all stages and, for (q, v, z), the begin of the step. */
static int dense(struct mbs_stepper *s, double t, struct mbs_point *out)
{
    struct radau *r = s->self;
    const struct radau_stages *l = &r->last;
    const struct radau_table *tab = l->tab;
    int n = s->p->n, m = s->p->m, nz = s->p->nz;
    double x = (t - l->t) / l->h;

    out->t = t;
    memcpy(out->q, l->y0, (size_t)s->p->ny * sizeof *out->q);
    memset(out->a, 0, (size_t)n * sizeof *out->a);
    memset(out->lambda, 0, (size_t)m * sizeof *out->lambda);
    memset(out->mu, 0, (size_t)m * sizeof *out->mu);
    for (int k = 0; k < tab->s; k++) {
        double w = tab->w[k], w0;
        for (int i = 0; i < tab->s; i++)
            w *= i == k ? 1 : x - tab->c[i];
        w0 = w * x / tab->c[k];
        for (int j = 0; j < n; j++) {
            out->q[j] += w0 * (l->Q[k * n + j] - l->y0[j]);
            out->v[j] += w0 * (l->V[k * n + j] - l->y0[n + j]);
            out->a[j] += w * l->A[k * n + j];
        }
        for (int j = 0; j < nz; j++)
            out->z[j] += w0 * (l->Z[k * nz + j] - l->y0[2 * n + j]);
        for (int j = 0; j < m; j++)
            out->lambda[j] += w * l->L[k * m + j];
        for (int j = 0; j < r->nmu; j++)
            out->mu[j] += w * l->Mu[k * r->nmu + j];
    }
    return MBS_DENSE_A | MBS_DENSE_LAMBDA;
}

#define RADAU_FORMS                                                                                                    \
    (MBS_FORM(MBS_INDEX3) | MBS_FORM(MBS_INDEX2) | MBS_FORM(MBS_INDEX1) | MBS_FORM(MBS_GGL) |                          \
     MBS_FORM(MBS_BAUMGARTE) | MBS_FORM(MBS_PROJECTED))
#define RADAU_FLAGS                                                                                                    \
    (MBS_METHOD_ADAPTIVE | MBS_METHOD_FIXED | MBS_METHOD_NONHOLONOMIC | MBS_METHOD_STATES | MBS_METHOD_BACKWARD |        \
     MBS_METHOD_NEWTON | MBS_METHOD_SHORT | MBS_METHOD_FORCES)

const struct mbs_method mbs_method_radau5 = {
    .name = "radau5",
    .summary = "Radau IIA, order 5, implicit: for stiff models, all formulations",
    .forms = RADAU_FORMS,
    .flags = RADAU_FLAGS,
    .form_default = MBS_GGL,
    .size_self = sizeof(struct radau),
    .data = &(const int){3},
    .layout = radau_layout,
    .open = open_systems,
    .start = start,
    .attempt = attempt,
    .accept = accept,
    .control = control,
    .dense = dense,
    .resume = mbs_radau_linear_resume,
    .close = mbs_radau_linear_close,
};

const struct mbs_method mbs_method_radau = {
    .name = "radau",
    .summary = "Radau IIA, variable order 5, 9, 13, implicit: for stiff models, all formulations",
    .forms = RADAU_FORMS,
    .flags = RADAU_FLAGS | MBS_METHOD_LOOSE,
    .form_default = MBS_GGL,
    .size_self = sizeof(struct radau),
    .data = &(const int){RADAU_STAGES},
    .layout = radau_layout,
    .open = open_systems,
    .start = start,
    .attempt = attempt,
    .accept = accept,
    .control = control,
    .dense = dense,
    .resume = mbs_radau_linear_resume,
    .close = mbs_radau_linear_close,
};
