/* SPDX-License-Identifier: MIT
 *
 * Derivatives of a motion by parameters, beside the motion (derive.h): set-up, step control, what users see.
 *
 * Every few steps, and where a step is longer than those before, the derivative along the direction is also taken in two halves; the
 * difference controls the steps, which are those of the method or parts of them. */
#include "analysis/derive_explicit.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a step of the derivatives may be off by, as a part of the tolerance: so little that the sum over many steps does not count.  A step of a
 * method that takes shorter ones than its order asks for is taken as a whole if its error is within the tolerance, like that of the motion. */
static const double PART = 0.01, WHOLE = 1;
enum { PATIENCE = 32, IMPATIENCE = 4 };  /* steps between two tests; where steps of the method are parted */

static void layout(struct mbs_derive *d, struct mbs_work *w)
{
    const struct mbs_model *o = d->sim->model;
    size_t np = (size_t)d->np, n = (size_t)d->n, m = (size_t)d->m, nz = (size_t)d->nz, rows = (size_t)d->rows;
    size_t all = (size_t)d->all.width, one = (size_t)d->one.width, shown = (size_t)d->all.params;
    d->now = mbs_work_doubles(w, rows * all + 1);
    d->next = mbs_work_doubles(w, rows * all + 1);
    d->before = mbs_work_doubles(w, rows * one + 1);
    d->half = mbs_work_doubles(w, rows * one + 1);
    d->halves = mbs_work_doubles(w, rows * one + 1);
    d->x = mbs_work_doubles(w, (size_t)(MBS_DERIVE_STAGES * d->unknowns) * all + 1);
    d->work = mbs_work_doubles(w, (n + nz + m + (size_t)o->ny) * all + 1);
    d->residual = mbs_work_doubles(w, m * all + 1);
    d->column = mbs_work_doubles(w, (size_t)(MBS_DERIVE_STAGES * d->unknowns) + n + m + 1);
    d->inverse = mbs_work_doubles(w, d->np ? (n + m) * (n + m) + 1 : 1);
    d->al = mbs_work_doubles(w, (n + m) * all + 1);
    d->K = mbs_work_doubles(w, d->small ? n * m + 1 : 1);
    d->fixed = mbs_work_bytes(w, (size_t)o->np + 1);
    d->start = mbs_work_doubles(w, rows * np + 1);
    d->scale = mbs_work_doubles(w, np + 1);
    d->direction = mbs_work_doubles(w, np + 1);
    d->most = mbs_work_doubles(w, rows + 1);
    d->out.q = mbs_work_doubles(w, shown * n + 1);
    d->out.v = mbs_work_doubles(w, shown * n + 1);
    d->out.z = mbs_work_doubles(w, shown * nz + 1);
    d->out.a = mbs_work_doubles(w, shown * n + 1);
    d->out.lambda = mbs_work_doubles(w, shown * m + 1);
    d->out.y = mbs_work_doubles(w, shown * (size_t)o->ny + 1);
    mbs_point_layout(&d->at, &d->sim->p, w);
}

void mbs_derive_end(struct mbs_sim *sim)
{
    struct mbs_derive *d = sim->derive;
    sim->derive = NULL;
    sim->s.share = 1;
    sim->s.follow = 0;
    if (!d)
        return;
    mbs_tape_free(d);
    mbs_explicit_free(d);
    mbs_derive_steps_fini(d);
    free(d->memory);
    free(d);
}

/* Derivatives magnify the errors of the motion they belong to, eight times on the squeezer.  radau leaves larger ones than it is asked for, index 3 in
 * the velocities even more, and the half-explicit method has an interpolation of a lower order than itself: they integrate with smaller
 * tolerances, so that derivatives have the accuracy that others give them (`make bench-sensitivity`).  Rounding errors cannot be asked for; what Radau methods
 * hold against the tolerance is an estimate of a lower order, far above its errors. */
static double share_of(const struct mbs_stepper *s)
{
    double asked = s->opt->rtol > 0 ? s->opt->rtol : s->opt->atol, share = 1, least = 1e-13;
    int loose = (s->method->flags & MBS_METHOD_LOOSE) != 0;
    if (loose)
        share = 0.01;
    if (s->method->flags & MBS_METHOD_SHORT && (loose || s->form == MBS_INDEX3)) {
        share = !loose ? 0.01 : s->form == MBS_INDEX3 ? 1e-6 : 1e-3;
        least = 1e-15;
    }
    return fmin(1, fmax(share, least / asked));
}

static int derive_new(struct mbs_sim *sim, int backward)
{
    const struct mbs_model *o = sim->model;
    struct mbs_derive *d = calloc(1, sizeof *d);
    struct mbs_work w = {NULL, 0};
    int status;
    if (!d)
        return MBS_NO_MEMORY;
    sim->derive = d;
    d->sim = sim;
    d->n = o->nq;
    d->nz = o->nz;
    d->m = o->ng + o->nh;
    d->np = o->nsensitive;
    d->rows = 2 * d->n + d->nz;
    d->unknowns = d->n + d->nz + d->m;
    d->one = (struct mbs_derive_columns){0, mbs_panel_width(1)};
    d->all = backward ? d->one : (struct mbs_derive_columns){d->np, mbs_panel_width(d->np + 1)};
    d->out.count = d->all.params;
    d->out.param = o->sensitive;
    sim->s.share = share_of(&sim->s);
    if ((status = mbs_derive_steps_init(d, o)))
        return status;
    layout(d, &w);
    d->memory_size = w.used;
    if (!(d->memory = calloc(1, w.used + 1)))
        return MBS_NO_MEMORY;
    w = (struct mbs_work){d->memory, 0};
    layout(d, &w);
    return mbs_explicit_new(d);
}

/* ---- control ---- */

/* A step of few may be off by more, since all of them add up to less than a hundred tolerances, which is what derivatives are to be exact to; of many by
 * less, as errors of phases all have the same sign. */
double mbs_derive_allowed(const struct mbs_derive *d)
{
    return fmin(4, fmax(0.01, 200 / (1.0 + (double)d->out.steps)));
}

/* A change of the parameters by their own size counts like the motion: rtol of the largest change so far, and atol.  Of the largest, since a derivative that
 * passes through zero is no better known there than elsewhere, and not of the coordinate, beside whose size that of a derivative may vanish. */
double mbs_derive_tolerance(const struct mbs_derive *d, int i, double size)
{
    const struct mbs_options *opt = &d->sim->opt;
    return (opt->atol_y ? opt->atol_y[i] : opt->atol) + opt->rtol * fmax(d->most[i], size);
}

void mbs_derive_accepted(struct mbs_derive *d, const double *state)
{
    for (int i = 0; i < d->rows; i++)
        d->most[i] = fmax(d->most[i], fabs(state[i * d->all.width + d->all.params]));
}

/* The difference of a step and its two halves against the tolerances of the motion, where a change of the parameters by their own
 * size counts: the mean over the components. */
static double step_error(const struct mbs_derive *d)
{
    double sum = 0;
    for (int i = 0; i < d->rows; i++) {
        double whole = d->next[i * d->all.width + d->all.params], halves = d->halves[i * d->one.width];
        double e = (whole - halves) * 32 / (31 * PART * mbs_derive_tolerance(d, i, fabs(halves)));
        sum += e * e;
    }
    return sqrt(sum / fmax(1, d->rows));
}

/* The direction alone, before the step and in two halves. */
static int halve(struct mbs_derive *d, double t, double h)
{
    memset(d->before, 0, (size_t)(d->rows * d->one.width) * sizeof *d->before);
    for (int i = 0; i < d->rows; i++)
        d->before[i * d->one.width] = d->now[i * d->all.width + d->all.params];
    int status = mbs_derive_step(d, t, h / 2, &d->one, d->before, d->half);
    return status ? status : mbs_derive_step(d, t + h / 2, h - h / 2, &d->one, d->half, d->halves);
}

/* Steps of radau5 are steps of the derivatives, too, whose error is then that of the method, in the derivatives as in the motion; those of halfexplicit have
 * the same order.  No step of theirs shall be longer than the derivatives can follow.  Methods of other orders (radau) would gain nothing. */
static int follows(const struct mbs_derive *d)
{
    unsigned fifth = d->sim->s.method->flags & (MBS_METHOD_SHORT | MBS_METHOD_LOOSE);
    return (fifth == MBS_METHOD_SHORT || fifth == MBS_METHOD_LOOSE) && !d->sim->opt.motion_steps && !(d->sim->opt.step > 0);
}

/* A step from out.t.  The halves come first: the whole step leaves its stages for the tape. */
static int attempt(struct mbs_derive *d, double h, int patience, double *error)
{
    int test = d->since >= patience || fabs(h) > 1.3 * d->tested;
    int status = test ? halve(d, d->out.t, h) : 0;
    *error = 0;
    if (status == 0)
        status = mbs_derive_step(d, d->out.t, h, &d->all, d->now, d->next);
    if (status || !test)
        return status;
    *error = step_error(d);
    d->tested = fabs(h);
    d->since = 0;
    d->h = fabs(h) * fmin(3, fmax(0.2, *error > 0 ? 0.9 * pow(*error, -1.0 / 6) : 3));
    d->sim->s.follow = follows(d) ? d->h * pow(0.05 * mbs_derive_allowed(d) / PART, 1.0 / 6) : 0;
    return 0;
}

/* A step of an explicit method as it was; on a tape it is kept. */
static int follow(struct mbs_derive *d, double t)
{
    if (t == d->out.t)
        return 0;
    int fresh, status = mbs_explicit_to(d, t, &fresh);
    if (status == 0 && d->tape && fresh)
        status = mbs_tape_explicit(d);
    if (status == MBS_NO_MEMORY)
        return mbs_fail(&d->sim->msg, status, t, -1, -1, "out of memory for derivatives at t = %.9g", t);
    if (status)
        return mbs_fail(&d->sim->msg, status, t, -1, -1, "the derivatives by parameters cannot be continued behind t = %.9g", d->out.t);
    d->out.t = t;
    return 0;
}

/* To t, which lies within the last step of the method, in equal parts. */
static int advance(struct mbs_derive *d, double t)
{
    struct mbs_sim *sim = d->sim;
    while (d->out.t != t) {
        double left = t - d->out.t, parts = d->h > 0 ? fabs(left) / d->h : 1, h, error;
        double most = d->out.t == sim->s.t_old && t == sim->s.x.t && sim->s.method->flags & MBS_METHOD_SHORT ? WHOLE / PART : 1;
        h = pow(0.9 * parts, 6) <= most ? left : left / ceil(0.999 * parts);
        int status = attempt(d, h, h == left ? PATIENCE : IMPATIENCE, &error);
        if (status == MBS_NO_MEMORY)
            return mbs_fail(&sim->msg, status, d->out.t, -1, -1, "out of memory for derivatives at t = %.9g", d->out.t);
        if (status == 0 && error <= (h == left ? most : 1)) {
            double from = d->out.t, *now = d->next;
            if (d->tape && (status = mbs_tape_step(d, h)))
                return status;
            d->next = d->now;
            d->now = now;
            mbs_derive_accepted(d, now);
            d->out.t = h == left ? t : from + h;
            d->out.error = fmax(d->out.error, PART * error);
            d->out.steps++;
            d->since++;
            continue;
        }
        if (status)
            d->h = fabs(h) / 4;
        d->h = fmin(d->h, 0.7 * fabs(h));
        if (!(d->h > 16 * DBL_EPSILON * fabs(d->out.t)))
            return mbs_fail(&sim->msg, status < 0 ? status : MBS_UNDERFLOW, d->out.t, -1, -1,
                            "the derivatives by parameters cannot be continued behind t = %.9g", d->out.t);
    }
    return 0;
}

/* ---- results ---- */

/* The rows of a panel as columns that stand one behind the other. */
static void show(const struct mbs_derive *d, int rows, const double *panel, double *out)
{
    for (int k = 0; k < d->all.params; k++)
        for (int i = 0; i < rows; i++)
            out[k * rows + i] = panel[i * d->all.width + k];
}

static int row(struct mbs_derive *d)
{
    int w = d->all.width, n = d->n;
    double *al = d->work, *y = al + (n + d->m) * w;
    int status = mbs_derive_stage_at(d, d->out.t, &d->row);
    if (status == 0)
        status = mbs_derive_complete(d, al, y);
    if (status == 0 && d->tape)
        return mbs_tape_row(d, y);
    if (status)
        return status;
    show(d, n, d->now, d->out.q);
    show(d, n, d->now + n * w, d->out.v);
    show(d, d->nz, d->now + 2 * n * w, d->out.z);
    show(d, n, al, d->out.a);
    show(d, d->m, al + n * w, d->out.lambda);
    show(d, d->sim->model->ny, y, d->out.y);
    return 0;
}

int mbs_derive_to(struct mbs_sim *sim, double t, int output)
{
    struct mbs_derive *d = sim->derive;
    int status = mbs_derive_event_state(sim);
    sim->s.share = share_of(&sim->s);   /* the method may be another one than at the start */
    if (status == 0)
        status = mbs_explicit_step(d) ? follow(d, t) : advance(d, t);
    if (status == 0 && !output && d->tape && mbs_explicit_step(d) && t != sim->s.x.t)
        status = mbs_tape_cut(d);
    if (status == 0 && output)
        status = row(d);
    sim->fresh_accelerations = 0;
    return status;
}

/* ---- for users ---- */

static void put_start(struct mbs_derive *d)
{
    int w = d->all.width;
    memset(d->now, 0, (size_t)(d->rows * w) * sizeof *d->now);
    for (int i = 0; i < d->rows; i++)
        for (int k = 0; k < d->np; k++) {
            double s = d->start[i * d->np + k];
            if (k < d->all.params)
                d->now[i * w + k] = s;
            d->now[i * w + d->all.params] += s * d->direction[k];
        }
    memset(d->most, 0, (size_t)d->rows * sizeof *d->most);
    mbs_derive_accepted(d, d->now);
    d->out.t = d->sim->s.x.t;
}

int mbs_derive_begin(struct mbs_sim *sim, int equilibrium, int backward)
{
    int status;
    if (!sim->model->sensitivity)
        return mbs_fail(&sim->msg, MBS_UNAVAILABLE, NAN, -1, -1, "the model %s has no derivatives by parameters: mbsc --sensitivity=... adds them",
                        sim->model->name);
    if ((status = mbs_derive_event_model(sim)))
        return status;
    mbs_derive_end(sim);
    if ((status = derive_new(sim, backward)) == 0 && (status = mbs_derive_start(sim, equilibrium)) == 0) {
        put_start(sim->derive);
        status = backward ? 0 : row(sim->derive);
    }
    sim->fresh_accelerations = 0;
    if (status == 0)
        return 0;
    mbs_derive_end(sim);
    return status == MBS_NO_MEMORY ? mbs_fail(&sim->msg, status, NAN, -1, -1, "out of memory for derivatives by %d parameters", sim->model->nsensitive) : status;
}

int mbs_derivatives_begin(struct mbs_sim *sim, int equilibrium)
{
    int status = mbs_border_idle(sim, "mbs_derivatives_begin");
    return status ? status : mbs_derive_begin(sim, equilibrium, 0);
}

const struct mbs_derivatives *mbs_derivatives(const struct mbs_sim *sim)
{
    return sim && sim->derive && !sim->derive->tape ? &sim->derive->out : NULL;
}
