/* SPDX-License-Identifier: MIT
 *
 * Derivatives across events.
 *
 * An event happens at a time of its own for every value of a parameter: when its guard h(t, y) becomes zero along the motion.  With the rates f
 * before it and f' behind it, what it makes of a state, as seen at one time, is
 *
 *     y' = E(y + f dt) - f' dt,     h(t + dt, y + f dt) = 0,
 *
 * whose derivatives by y and by the parameters (the saltation matrix and its column of parameters) take s to A s + B.  E is whatever events do:
 * assignments, assembly onto the constraints, impacts, other events that they bring about.  It is differentiated by differences of five points, one
 * state and one parameter at a time; the motion itself needs no more than its rates for that, since what dt^2 adds is even.  Refused is what
 * has no derivative or an unknown one: discrete states that events give values which depend on parameters, contacts that stay closed, events
 * that take another course beside the one that happened. */
#include "analysis/derive_explicit.h"
#include "hybrid/hybrid.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int refuse(struct mbs_sim *sim, const char *why, const char *name)
{
    return mbs_fail(&sim->msg, MBS_UNAVAILABLE, sim->s.x.t, -1, -1, "no derivatives by parameters of %s at t = %.9g: %s%s%s", sim->model->name, sim->s.x.t, why,
                    *name ? " " : "", name);
}

int mbs_derive_event_model(struct mbs_sim *sim)
{
    const struct mbs_model *o = sim->model;
    for (int i = 0; i < o->ncontact; i++)
        if (o->pair[i].kind != MBS_CONTACT_GAP)
            return refuse(sim, "the derivatives of forces that hold are not known:", o->contact[i].name);
    for (int k = 0; k < o->nsensitive && o->discrete; k++)
        if (o->discrete[o->sensitive[k]])
            return refuse(sim, "events change", o->param[o->sensitive[k]].name);
    return 0;
}

int mbs_derive_event_state(struct mbs_sim *sim)
{
    const struct mbs_touch *c = sim->p.touch;
    for (int i = 0; c && i < c->n; i++)
        if (c->closed[i])
            return refuse(sim, "the derivatives of forces of a contact that stays closed are not known:", sim->model->contact[i].name);
    return 0;
}

struct event {
    struct mbs_sim *sim;
    int k, rows;
    int still;                  /* its time does not depend on anything */
    struct mbs_sim kept;        /* the simulation before it ... */
    void *block;                /* ... with all its arrays */
    double *y, *p;              /* the state and the parameters there */
    double *f, *moved, *to;     /* rates, a state, what has become of one */
    double *params;             /* after it; a discrete state is one of them */
    unsigned char *fixed;
    double *A, *B;
    void *memory;
};

static void layout(struct event *e, struct mbs_work *w)
{
    size_t rows = (size_t)e->rows, np = (size_t)e->sim->model->np, columns = (size_t)e->sim->model->nsensitive;
    e->y = mbs_work_doubles(w, rows + 1);
    e->p = mbs_work_doubles(w, np + 1);
    e->f = mbs_work_doubles(w, rows + 1);
    e->moved = mbs_work_doubles(w, rows + 1);
    e->to = mbs_work_doubles(w, rows + 1);
    e->params = mbs_work_doubles(w, np + 1);
    e->A = mbs_work_doubles(w, rows * rows + 1);
    e->B = mbs_work_doubles(w, rows * columns + 1);
    e->fixed = mbs_work_bytes(w, np + 1);
    e->block = mbs_work_bytes(w, e->sim->block_size + 1);
}

static void restore(struct event *e)
{
    *e->sim = e->kept;
    memcpy(e->sim->block, e->block, e->sim->block_size);
}

/* The rates of y at the point as of now, which becomes complete. */
static int rates(struct mbs_sim *sim, double *f)
{
    struct mbs_point *x = &sim->s.x;
    int n = sim->p.n;
    int status = mbs_slope(&sim->p, x->t, x->q, f, x->lambda);
    memcpy(x->a, f + n, (size_t)n * sizeof *f);
    sim->fresh_accelerations = status == 0;
    return status;
}

/* The point at dt along the rates. */
static int go(struct event *e, const double *y, double dt)
{
    struct mbs_sim *sim = e->sim;
    for (int i = 0; i < e->rows; i++)
        sim->s.x.q[i] = y[i] + dt * e->f[i];
    sim->s.x.t = e->kept.s.x.t + dt;
    sim->fresh_accelerations = 0;
    return mbs_sim_complete(sim);
}

/* When it happens from y on: Newton's method, or secants where the model does not know the rate of a guard. */
static int shift(struct event *e, const double *y, double *dt)
{
    double h, rate, last = 0, last_h = 0, t = fabs(e->kept.s.x.t);
    *dt = 0;
    for (int i = 0; i < 40 && !e->still; i++) {
        int status = go(e, y, *dt);
        if (status)
            return status;
        mbs_hybrid_guard(e->sim, e->k, &h, &rate);
        if (rate == 0)
            rate = i ? (h - last_h) / (*dt - last) : h / (-1e-7 * (1 + t));
        last = *dt;
        last_h = h;
        if (h == 0)
            return 0;
        *dt -= h / rate;
        if (!isfinite(*dt))
            break;
        if (fabs(*dt - last) <= 8 * DBL_EPSILON * (t + fabs(*dt)) || (i > 8 && fabs(*dt - last) <= 1e-13 * (1 + t)))
            return 0;
    }
    return e->still ? 0 : refuse(e->sim, "an event has no time of its own in its neighbourhood", "");
}

/* What becomes of y with the parameters p, into e->to. */
static int happen(struct event *e, const double *y, const double *p)
{
    struct mbs_sim *sim = e->sim;
    const struct mbs_run silent = {0};
    double dt;
    int stop, status;
    restore(e);
    memcpy(sim->params, p, (size_t)sim->model->np * sizeof *p);
    sim->model->setup(sim->params, sim->p.c);
    memcpy(sim->s.x.q, y, (size_t)e->rows * sizeof *y);
    if ((status = rates(sim, e->f)) || (status = shift(e, y, &dt)) || (status = go(e, y, dt)))
        return status;
    sim->hybrid->forced = e->k;
    if ((status = mbs_hybrid_happen(sim, &silent, &stop)) || (status = mbs_derive_event_state(sim)) || (status = rates(sim, e->f)))
        return status;
    for (int i = 0; i < e->rows; i++)
        e->to[i] = sim->s.x.q[i] - dt * e->f[i];
    return 0;
}

/* Has it taken the course of the event itself? */
static int alike(struct event *e, long events)
{
    const struct mbs_model *o = e->sim->model;
    if (e->sim->stat.events != events)
        return refuse(e->sim, "an event takes another course beside it", "");
    for (int i = 0; i < o->np && o->discrete; i++)
        if (o->discrete[i] && e->sim->params[i] != e->params[i])
            return refuse(e->sim, "an event gives a value that depends on parameters to", o->param[i].name);
    return 0;
}

/* A column of stride `width`: five points with y or p moved. */
static int column(struct event *e, double *x, double delta, int param, long events, double *out, int width)
{
    const struct mbs_model *o = e->sim->model;
    double at = *x;
    int status = 0;
    for (int i = 0; i < e->rows; i++)
        out[i * width] = 0;
    for (int a = -2; a <= 2 && status == 0; a++) {
        if (a == 0)
            continue;
        *x = at + a * delta;
        if (param)
            o->defaults(e->p, e->fixed);
        if ((status = happen(e, e->moved, e->p)) == 0)
            status = alike(e, events);
        for (int i = 0; i < e->rows; i++)
            out[i * width] += (a == -2 ? 1 : a == -1 ? -8 : a == 1 ? 8 : -1) * e->to[i] / (12 * delta);
    }
    *x = at;
    if (param)
        o->defaults(e->p, e->fixed);
    return status;
}

/* By how much a state may be moved: of positions, of velocities and of states those that are near zero count as a tenth of the largest. */
static double size_of(const struct event *e, int j)
{
    int n = e->sim->p.n, from = j < n ? 0 : j < 2 * n ? n : 2 * n, end = j < n ? n : j < 2 * n ? 2 * n : e->rows;
    double most = 0;
    for (int i = from; i < end; i++)
        most = fmax(most, fabs(e->y[i]));
    return fmax(fabs(e->y[j]), fmax(0.1 * most, 1e-3));
}

static int matrices(struct event *e)
{
    static const double STEP = 1e-4;    /* of their size: errors of differences of five points are 1e-16 and rounding errors over it */
    struct mbs_sim *sim = e->sim;
    const struct mbs_model *o = sim->model;
    struct mbs_derive *d = sim->derive;
    int status = happen(e, e->y, e->p);
    long events = sim->stat.events;
    memcpy(e->params, sim->params, (size_t)o->np * sizeof *e->params);
    for (int j = 0; j < e->rows && status == 0; j++)
        status = column(e, &e->moved[j], STEP * size_of(e, j), 0, events, e->A + j, e->rows);
    for (int k = 0; k < o->nsensitive && status == 0; k++) {
        memcpy(e->fixed, d->fixed, (size_t)o->np);
        for (int i = 0; i < o->np; i++)
            e->fixed[i] |= i == o->sensitive[k] || (o->discrete && o->discrete[i]);
        status = column(e, &e->p[o->sensitive[k]], STEP * d->scale[k], 1, events, e->B + k, o->nsensitive);
    }
    return status;
}

/* s becomes A s + B. */
static void apply(struct mbs_derive *d, const struct event *e)
{
    int w = d->all.width;
    double *now = d->next;
    mbs_panel_product(d->rows, d->rows, e->A, w, d->now, now);
    for (int i = 0; i < d->rows; i++)
        for (int k = 0; k < d->np; k++) {
            double b = e->B[i * d->np + k];
            if (k < d->all.params)
                now[i * w + k] += b;
            now[i * w + d->all.params] += b * d->direction[k];
        }
    d->next = d->now;
    d->now = now;
}

int mbs_derive_event(struct mbs_sim *sim)
{
    struct mbs_derive *d = sim->derive;
    struct event e = {.sim = sim, .rows = d->rows};
    struct mbs_work w = {NULL, 0};
    int status = mbs_derive_event_state(sim);
    if (status || (status = mbs_sim_complete(sim)) || (e.k = mbs_hybrid_due(sim)) < 0)
        return status;
    if (sim->hybrid->forced >= 0 || sim->hybrid->drifted)
        return refuse(sim, "bodies come to rest on each other", "");
    e.still = sim->hybrid->fresh && !(e.k < sim->model->nevent && sim->model->when[e.k].kind == MBS_WHEN_EVERY);
    layout(&e, &w);
    if (!(e.memory = calloc(1, w.used + 1)))
        return mbs_fail(&sim->msg, MBS_NO_MEMORY, sim->s.x.t, -1, -1, "out of memory for derivatives at t = %.9g", sim->s.x.t);
    w = (struct mbs_work){e.memory, 0};
    layout(&e, &w);
    e.kept = *sim;
    memcpy(e.block, sim->block, sim->block_size);
    memcpy(e.y, sim->s.x.q, (size_t)e.rows * sizeof *e.y);
    memcpy(e.moved, e.y, (size_t)e.rows * sizeof *e.y);
    memcpy(e.p, sim->params, (size_t)sim->model->np * sizeof *e.p);
    status = matrices(&e);
    struct mbs_message msg = sim->msg;
    restore(&e);
    if (status)
        sim->msg = msg;
    else if (d->tape)
        status = mbs_tape_event(d, e.A, e.B);
    if (status == 0)
        apply(d, &e);
    if (d->explicit)
        d->explicit->step.t_new = NAN;  /* a new motion begins */
    free(e.memory);
    return status;
}
