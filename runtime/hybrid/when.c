/* SPDX-License-Identifier: MIT
 *
 * Events of the model: `when` a condition becomes true, `every` period.
 *
 * The guards of all events are looked at in the middle and at the end of a step, on the dense output, with their rates.  A change of
 * sign is narrowed down to the rounding of t; where the rates say that a guard turns between two places, the extremum of the cubic
 * through them is looked at, so that a guard which changes its sign and back within half a step, as that of a ball after a bounce does, is
 * seen.  An event is placed at the far end of its bracket, where the condition holds. */
#include "hybrid/hybrid.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    PARTS = 2,                  /* of a step */
    MOST_AT_ONCE = 1000,        /* events at one instant */
    MOST_RAPID = 200,           /* events that follow each other at the precision of t */
    MOST_IN_WINDOW = 2000,      /* changes of contacts in a thousandth of the run */
    STEADY = 6,                 /* intervals of constant ratio make an accumulation point */
    MOST_TURNS = 60             /* places at which the extremum of a guard is sought */
};

void mbs_hybrid_layout(struct mbs_sim *sim, struct mbs_work *w)
{
    const struct mbs_model *o = sim->model;
    struct mbs_hybrid *y;
    size_t n = (size_t)(o->nevent + 2 * o->ncontact);

    if (n == 0)
        return;
    mbs_touch_layout(sim, w);
    y = mbs_work_bytes(w, sizeof *y);
    struct mbs_hybrid all = { .n = (int)n, .nevent = o->nevent, .njump = o->njump, .forced = -1 };
    double **each[] = { &all.h, &all.hdot, &all.left, &all.left_rate, &all.inner, &all.inner_rate, &all.last, &all.gap, &all.ratio, &all.turn };
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        *each[i] = mbs_work_doubles(w, n);
    all.jump = mbs_work_doubles(w, (size_t)o->njump + 1);
    all.start = mbs_work_doubles(w, (size_t)o->np + 1);
    all.before = mbs_work_doubles(w, (size_t)(2 * o->nq + o->nz));
    all.on = mbs_work_bytes(w, n);
    all.turn_side = mbs_work_bytes(w, n);
    all.q_kind = mbs_work_bytes(w, (size_t)o->nq);
    all.v_kind = mbs_work_bytes(w, (size_t)o->nq);
    all.sample = mbs_work_bytes(w, n * sizeof *all.sample);
    all.steady = mbs_work_ints(w, n);
    if (y)
        *y = all;
    sim->hybrid = y;
}

void mbs_hybrid_parameters(struct mbs_sim *sim)
{
    memcpy(sim->hybrid->start, sim->params, (size_t)sim->model->np * sizeof *sim->params);
}

void mbs_hybrid_rewind(struct mbs_sim *sim)
{
    const struct mbs_model *o = sim->model;

    for (int i = 0; o->discrete && i < o->np; i++)
        if (o->discrete[i])
            sim->params[i] = sim->hybrid->start[i];
    o->setup(sim->params, sim->p.c);
}

/* Guards of the events, then of the contacts. */
static void guards_at(struct mbs_sim *sim, const struct mbs_point *x, double *h, double *hdot)
{
    struct mbs_state state = mbs_point_state(x, &sim->p);
    const struct mbs_guards out = { .h = h, .hdot = hdot };

    mbs_inputs_at(&sim->p, x->t);
    if (sim->model->nevent)
        sim->model->guards(sim->p.c, &state, &out, sim->p.w);
    if (sim->p.touch)
        mbs_touch_guards(sim, x, h + sim->model->nevent, hdot + sim->model->nevent);
}

static enum mbs_when_kind kind_of(const struct mbs_sim *sim, int k)
{
    return k < sim->model->nevent ? (enum mbs_when_kind)sim->model->when[k].kind : MBS_WHEN_RISES;
}

static const char *name_of(const struct mbs_sim *sim, int k)
{
    return k < sim->model->nevent ? sim->model->event[k].name : sim->model->contact[(k - sim->model->nevent) / 2].name;
}

static int is_sampled(const struct mbs_sim *sim, int k)
{
    return kind_of(sim, k) == MBS_WHEN_EVERY;
}

static double sample_time(const struct mbs_hybrid *y, int k)
{
    return y->clock + (double)y->sample[k] * y->h[k];
}

static signed char side_of(const struct mbs_sim *sim, int k, double h)
{
    return (signed char)(kind_of(sim, k) == MBS_WHEN_CROSSES ? (h > 0) - (h < 0) : h > 0);
}

/* Contacts are as they have been found to be: a gap below zero by a rounding error is no event. */
static void contacts_stand(struct mbs_hybrid *y)
{
    for (int k = y->nevent; k < y->n; k++)
        y->on[k] = y->h[k] > 0;
}

void mbs_hybrid_start(struct mbs_sim *sim)
{
    struct mbs_hybrid *y = sim->hybrid;

    guards_at(sim, &sim->s.x, y->h, y->hdot);
    contacts_stand(y);
    memcpy(y->left, y->h, (size_t)y->n * sizeof *y->h);
    memcpy(y->left_rate, y->hdot, (size_t)y->n * sizeof *y->h);
    if (sim->own_state || y->kept) {
        y->kept = 0;
        return;
    }
    y->clock = sim->s.x.t;
    y->fresh = 1;
    y->rapid = 0;
    y->forced = -1;
    y->drifted = 0;
    y->t_any = y->window_from = NAN;
    y->in_window = y->dense = 0;
    for (int k = 0; k < y->n; k++) {
        if (k < y->nevent)
            y->on[k] = kind_of(sim, k) == MBS_WHEN_HOLDS ? 0 : side_of(sim, k, y->h[k]);
        y->sample[k] = 0;
        y->last[k] = NAN;
        y->steady[k] = 0;
        y->gap[k] = y->ratio[k] = 0;
    }
}

double mbs_hybrid_stop(const struct mbs_sim *sim)
{
    double first = HUGE_VAL;

    for (int k = 0; k < sim->hybrid->n; k++)
        if (is_sampled(sim, k))
            first = fmin(first, sample_time(sim->hybrid, k));
    return first;
}

/* ---- where in the last step ---- */

/* Is event k to happen between a place where it was on this side and one where its guard is h? */
static int changes(const struct mbs_sim *sim, int k, int side, double h)
{
    if (kind_of(sim, k) == MBS_WHEN_CROSSES)
        return side * h < 0;
    return !side && h > 0;
}

static int inner_at(struct mbs_sim *sim, double t)
{
    int status = mbs_sim_dense(sim, t, &sim->dense);

    if (status == 0)
        guards_at(sim, &sim->dense, sim->hybrid->inner, sim->hybrid->inner_rate);
    return status;
}

/* The guard changes between a (fa) and b (fb): the end of the smallest bracket on b's side, by regula falsi with the Illinois halving and
 * bisection. */
static int locate(struct mbs_sim *sim, int k, struct mbs_bracket x, double *at)
{
    double *inner = sim->hybrid->inner;
    int status;

    for (int iter = 0; iter < 200; iter++) {
        double t = x.a - x.fa * (x.b - x.a) / (x.fb - x.fa);
        if (iter % 3 == 2 || !(t > x.a && t < x.b))
            t = x.a + 0.5 * (x.b - x.a);
        if (!(t > x.a && t < x.b))
            break;              /* neighbours */
        if ((status = inner_at(sim, t)))
            return status;
        mbs_bracket_take(&x, t, inner[k], x.fb > 0 ? inner[k] > 0 : inner[k] < 0);
    }
    *at = x.b;
    return 0;
}

/* Where between 0 and 1 the cubic through f0, f1 with slopes d0, d1 of opposite signs turns: its derivative d0 + 2 c s + 3 e s^2 has one
 * zero there. */
static double turning(double f0, double d0, double f1, double d1)
{
    double c = 3 * (f1 - f0) - 2 * d0 - d1, e = d0 + d1 - 2 * (f1 - f0), root = sqrt(fmax(c * c - 3 * e * d0, 0));

    if (d0 > 0) {
        c = -c;
        e = -e;
        d0 = -d0;
    }
    return c > 0 ? -d0 / (c + root) : (root - c) / (3 * e);
}

static double hermite(double s, double f0, double d0, double f1, double d1)
{
    double c = 3 * (f1 - f0) - 2 * d0 - d1, e = d0 + d1 - 2 * (f1 - f0);

    return f0 + s * (d0 + s * (c + s * e));
}

static int zeno(struct mbs_sim *sim, int k)
{
    struct mbs_hybrid *y = sim->hybrid;
    double t = y->last[k], ratio = y->ratio[k], left = ratio > 0 && ratio < 1 ? y->gap[k] * ratio / (1 - ratio) : 0;

    return mbs_fail(&sim->msg, MBS_ENDLESS, t, -1, -1, "'%s' happens without end before t = %.9g, at intervals that shrink to nothing (Zeno)",
                    name_of(sim, k), t + left);
}

/* A guard at one end of an interval. */
struct end {
    double t, f, rate;
};

/* Where the tangents at two ends meet: a guard that bends one way stays on this side of it. */
static double tangents_meet(struct end a, struct end b)
{
    double s = (b.f - a.f - b.rate * (b.t - a.t)) / (a.rate - b.rate);

    return a.f + a.rate * s;
}

/* Has the guard just happened, and does its condition cease to hold by less than rounding errors before it holds again?  *s: where in the interval it turns. */
static int only_rounds(const struct mbs_sim *sim, int k, struct end a, struct end b, double s, double f)
{
    const struct mbs_hybrid *y = sim->hybrid;
    double w = b.t - a.t, rest = k < y->nevent ? 1e-8 * fabs(b.f) : 1e-10;

    return y->on[k] > 0 && f >= 0 && y->last[k] == sim->s.t_old && hermite(s, a.f, a.rate * w, b.f, b.rate * w) < (a.f <= rest ? a.f : 0);
}

/* Event k where its guard comes back towards zero between a and b: its extremum is narrowed down as long as it may lie beyond zero.  *at, *found as below. */
static int in_turn(struct mbs_sim *sim, int k, struct end a, struct end b, double *at, int *found)
{
    struct mbs_hybrid *y = sim->hybrid;
    const struct end left = a, right = b;
    int status, side = y->on[k];

    for (int iter = 0; iter < MOST_TURNS; iter++) {
        double w = b.t - a.t, s = iter % 3 == 2 ? 0.5 : turning(a.f, a.rate * w, b.f, b.rate * w);
        struct end mid = { .t = a.t + s * w };
        if (!(mid.t > a.t && mid.t < b.t))
            return 0;
        if ((status = inner_at(sim, mid.t)))
            return status;
        mid.f = y->inner[k];
        mid.rate = y->inner_rate[k];
        if (iter == 0 && only_rounds(sim, k, a, b, s, mid.f)) {
            if (k < y->nevent)
                return zeno(sim, k);
            sim->p.touch->settle = (k - y->nevent) / 2;         /* it rests */
            y->forced = k;
            *found = 1;
            *at = mid.t;
            return 0;
        }
        if (changes(sim, k, side, mid.f)) {     /* on the way there */
            *found = 1;
            return locate(sim, k, (struct mbs_bracket){ left.t, side ? left.f : fmin(left.f, 0), mid.t, mid.f, 0 }, at);
        }
        if (changes(sim, k, side_of(sim, k, mid.f), right.f)) { /* on the way back */
            *found = 1;
            y->turn[k] = mid.t;
            y->turn_side[k] = side_of(sim, k, mid.f);
            return locate(sim, k, (struct mbs_bracket){ mid.t, mid.f, right.t, right.f, 0 }, at);
        }
        *(mid.rate * a.rate > 0 ? &a : &b) = mid;
        if (!(a.rate * b.rate < 0) || tangents_meet(a, b) * mid.f > 0)
            return 0;
    }
    return 0;
}

/* Event k between a and b, whose guards and rates are in left and h: 1 and *at if it happens. */
static int in_interval(struct mbs_sim *sim, int k, double a, double b, double *at, int *found)
{
    struct mbs_hybrid *y = sim->hybrid;
    const struct end left = { a, y->left[k], y->left_rate[k] }, right = { b, y->h[k], y->hdot[k] };

    *found = 0;
    y->turn[k] = HUGE_VAL;
    if (changes(sim, k, y->on[k], right.f)) {
        *found = 1;
        return locate(sim, k, (struct mbs_bracket){ a, y->on[k] ? left.f : fmin(left.f, 0), b, right.f, 0 }, at);
    }
    /* it may have been otherwise in between, unless it leaves zero behind */
    return left.rate * right.rate < 0 && (right.f > 0) != (right.rate < 0) ? in_turn(sim, k, left, right, at, found) : 0;
}

static void pass(struct mbs_sim *sim)
{
    struct mbs_hybrid *y = sim->hybrid;

    for (int k = 0; k < y->n; k++) {
        signed char side = side_of(sim, k, y->h[k]);
        if (side || kind_of(sim, k) != MBS_WHEN_CROSSES)
            y->on[k] = side;
    }
    memcpy(y->left, y->h, (size_t)y->n * sizeof *y->h);
    memcpy(y->left_rate, y->hdot, (size_t)y->n * sizeof *y->h);
}

int mbs_hybrid_find(struct mbs_sim *sim, double *t_end, int *due)
{
    struct mbs_hybrid *y = sim->hybrid;
    double t0 = sim->s.t_old, t1 = sim->s.x.t, a = t0, best;
    int status, any, found;

    *t_end = t1;
    *due = 0;
    y->forced = -1;
    for (int part = 1; part <= PARTS; part++, a = best) {
        double b = part == PARTS ? t1 : t0 + part * (t1 - t0) / PARTS, t;
        best = b;
        any = 0;
        if ((status = mbs_sim_dense(sim, b, &sim->dense)))
            return status;
        guards_at(sim, &sim->dense, y->h, y->hdot);
        for (int k = 0; k < y->n; k++) {
            if (is_sampled(sim, k))
                continue;
            if ((status = in_interval(sim, k, a, b, &t, &found)))
                return status;
            if (found && t <= best) {
                best = t;
                any = 1;
            }
        }
        if (any) {
            for (int k = 0; k < y->n; k++)
                if (!is_sampled(sim, k) && y->turn[k] < best)
                    y->on[k] = y->turn_side[k];
            *t_end = best;
            *due = 1;
            return 0;
        }
        pass(sim);
    }
    *due = mbs_hybrid_stop(sim) <= t1;
    if (!*due && sim->p.touch && mbs_touch_drift(sim) > 10)
        *due = y->drifted = 1;
    if (!*due && sim->p.touch)
        mbs_touch_turn(sim);
    /* what rounding errors have hidden from the search */
    for (int i = 0; !*due && sim->p.touch && i < sim->p.touch->n; i++)
        if (mbs_touch_inside(sim, i)) {
            sim->p.touch->settle = i;
            y->forced = y->nevent + 2 * i;
            *due = 1;
        }
    return 0;
}

/* ---- what happens ---- */

/* The first event that is due at the point as of now, whose guards are in h; -1: none. */
static int next_due(struct mbs_sim *sim)
{
    struct mbs_hybrid *y = sim->hybrid;

    if (y->forced >= 0)
        return y->forced;
    for (int k = 0; k < y->n; k++)
        if (is_sampled(sim, k) ? sample_time(y, k) <= sim->s.x.t : changes(sim, k, y->on[k], y->h[k]))
            return k;
    return -1;
}

int mbs_hybrid_records(struct mbs_sim *sim)
{
    struct mbs_hybrid *y = sim->hybrid;

    guards_at(sim, &sim->s.x, y->h, y->hdot);
    for (int k = 0; k < y->nevent; k++)
        if (sim->model->when[k].record && (is_sampled(sim, k) ? sample_time(y, k) <= sim->s.x.t : changes(sim, k, y->on[k], y->h[k])))
            return 1;
    return 0;
}

int mbs_hybrid_due(struct mbs_sim *sim)
{
    guards_at(sim, &sim->s.x, sim->hybrid->h, sim->hybrid->hdot);
    return next_due(sim);
}

void mbs_hybrid_guard(struct mbs_sim *sim, int k, double *h, double *rate)
{
    struct mbs_hybrid *y = sim->hybrid;

    guards_at(sim, &sim->s.x, y->h, y->hdot);
    *h = is_sampled(sim, k) ? sample_time(y, k) - sim->s.x.t : y->h[k];
    *rate = is_sampled(sim, k) ? -1 : y->hdot[k];
}

static int check_period(struct mbs_sim *sim, int k)
{
    double T = sim->hybrid->h[k], t = sim->s.x.t;

    if (T > 64 * DBL_EPSILON * fabs(t) && isfinite(T))
        return 0;
    return mbs_fail(&sim->msg, MBS_BAD_ARGUMENT, t, -1, -1, "the period of '%s' is %g s", name_of(sim, k), T);
}

/* Impacts of several contacts that make each other happen accumulate, too, but not at intervals of one ratio. */
static int watch_contacts(struct mbs_sim *sim, int k)
{
    struct mbs_hybrid *y = sim->hybrid;
    double t = sim->s.x.t, from = y->window_from;

    if (!(t - from <= y->window)) {
        y->window_from = t;
        y->in_window = 0;
    }
    if (++y->in_window <= MOST_IN_WINDOW)
        return 0;
    y->dense = 1;
    return mbs_fail(&sim->msg, MBS_ENDLESS, t, -1, -1, "'%s' and others have met %d times between t = %.9g and %.9g, at intervals that shrink to nothing (Zeno): "
                    "moreau steps over that, events do not", name_of(sim, k), MOST_IN_WINDOW, from, t);
}

/* Event k at t: intervals of constant ratio below 1 add up to an accumulation point; too many events in no time have none. */
static int watch(struct mbs_sim *sim, int k)
{
    struct mbs_hybrid *y = sim->hybrid;
    double t = sim->s.x.t, gap = t - y->last[k], ratio = gap / y->gap[k], left;

    if (t != y->t_any)
        y->rapid = t - y->t_any <= 64 * DBL_EPSILON * fabs(t) ? y->rapid + 1 : 0;
    if (y->rapid > MOST_RAPID) {
        y->dense = k >= y->nevent;
        return mbs_fail(&sim->msg, MBS_ENDLESS, t, -1, -1,
                        "'%s' and what it brings about happen without end at t = %.12g: each event makes the next one happen at once (chattering)",
                        name_of(sim, k), t);
    }
    y->t_any = t;
    y->steady[k] = ratio > 0 && ratio < 0.9999 && fabs(ratio - y->ratio[k]) <= 0.05 * (1 - ratio) ? y->steady[k] + 1 : 0;
    y->last[k] = t;
    y->gap[k] = gap;
    y->ratio[k] = ratio;
    left = gap * ratio / (1 - ratio);
    return k < y->nevent && y->steady[k] >= STEADY && left < 1e-10 * fmax(fabs(t), 1e-3) ? zeno(sim, k) : 0;
}

static int assign(struct mbs_sim *sim, int k)
{
    const struct mbs_model *o = sim->model;
    const struct mbs_when *when = &o->when[k];
    struct mbs_hybrid *y = sim->hybrid;
    struct mbs_point *x = &sim->s.x;
    struct mbs_state state = mbs_point_state(x, &sim->p);
    int moved = 0, discrete = 0;

    if (when->count == 0)
        return 0;
    mbs_inputs_at(&sim->p, x->t);
    o->jumps(sim->p.c, &state, y->jump, sim->p.w);
    memset(y->q_kind, MBS_INIT_GUESS, (size_t)o->nq);
    memset(y->v_kind, MBS_INIT_GUESS, (size_t)o->nq);
    for (int j = when->first; j < when->first + when->count; j++) {
        const struct mbs_jump *to = &o->target[j];
        if (!isfinite(y->jump[j]))
            return mbs_fail(&sim->msg, MBS_NAN, x->t, -1, -1, "the value that '%s' gives to %s at t = %.9g is not finite", o->event[k].name,
                            o->jump[j].name, x->t);
        switch ((enum mbs_jump_kind)to->kind) {
        case MBS_JUMP_Q:
            x->q[to->index] = y->jump[j];
            y->q_kind[to->index] = MBS_INIT_FIXED;
            moved = 1;
            break;
        case MBS_JUMP_V:
            x->v[to->index] = y->jump[j];
            y->v_kind[to->index] = MBS_INIT_FIXED;
            moved = 1;
            break;
        case MBS_JUMP_Z:
            x->z[to->index] = y->jump[j];
            break;
        case MBS_JUMP_P:
            sim->params[to->index] = y->jump[j];
            discrete = 1;
            break;
        }
    }
    if (discrete)
        o->setup(sim->params, sim->p.c);
    if ((moved || discrete) && sim->p.m > 0) {
        int own = sim->own_state, status = mbs_assemble_from(sim, y->q_kind, y->v_kind);
        sim->own_state = own;
        if (status < 0) {
            struct mbs_message why = sim->msg;
            return mbs_fail(&sim->msg, status, x->t, why.coord, why.constraint, "what '%s' sets at t = %.9g contradicts the constraints: %.200s",
                            o->event[k].name, x->t, why.text);
        }
    }
    sim->fresh_accelerations = 0;
    return 0;
}

static int tell(struct mbs_sim *sim, const struct mbs_run *run, const struct mbs_happening *what)
{
    if (run->happened && run->happened(run->user, sim, what))
        return mbs_fail(&sim->msg, MBS_CANCELLED, sim->s.x.t, -1, -1, "the function for events asked to stop at t = %.9g", sim->s.x.t);
    return 0;
}

/* Contacts are found anew, and what has changed is told contact by contact.  which: the guard that says so; -1: an event of the model may have changed
 * forces or velocities. */
static int contacts_change(struct mbs_sim *sim, const struct mbs_run *run, const struct mbs_state *before, int which)
{
    struct mbs_touch *c = sim->p.touch;
    struct mbs_state after, was = *before;
    int hit, status;

    if (which >= 0 && which % 2 == 0 && c->closed[which / 2])
        c->leaves = which / 2;
    memcpy(c->was_closed, c->closed, (size_t)c->n);
    memcpy(c->was_slide, c->slide, (size_t)c->n);
    if ((status = mbs_touch_resolve(sim, &hit)) || (status = mbs_sim_complete(sim)))
        return status;
    after = mbs_point_state(&sim->s.x, &sim->p);
    for (int i = 0; i < c->n; i++) {
        double impulse = hit ? c->impulse[sim->model->pair[i].first] : 0;
        const char *what = impulse > 0 ? "impact" : c->closed[i] > c->was_closed[i] ? "touches" : c->closed[i] < c->was_closed[i] ? "leaves"
                           : !c->closed[i] || c->slide[i] == c->was_slide[i] ? NULL : c->slide[i] ? "slides" : "sticks";
        if (what && (status = tell(sim, run, &(struct mbs_happening){ sim->s.x.t, -1, &was, &after, i, what, impulse })))
            return status;
        if (what)
            was = after;
    }
    return 0;
}

static int happen(struct mbs_sim *sim, const struct mbs_run *run, int k)
{
    struct mbs_hybrid *y = sim->hybrid;
    struct mbs_problem *p = &sim->p;
    struct mbs_state before = mbs_point_state(&sim->s.x, p), after;
    int status, sampled = is_sampled(sim, k), touches = k >= y->nevent;

    if ((status = sampled ? check_period(sim, k) : watch(sim, k)) || (touches && (status = watch_contacts(sim, k))))
        return status;
    if (sampled)
        y->sample[k]++;
    else
        y->on[k] = side_of(sim, k, y->h[k]);
    memcpy(y->before, sim->s.x.q, (size_t)p->ny * sizeof *y->before);
    before.q = y->before;
    before.v = before.q + p->n;
    before.z = before.v + p->n;
    sim->stat.events++;
    y->forced = -1;
    if (touches)
        status = contacts_change(sim, run, &before, k - y->nevent);
    else if ((status = mbs_sim_complete(sim)) == 0 && (status = assign(sim, k)) == 0) {
        after = mbs_point_state(&sim->s.x, p);
        status = tell(sim, run, &(struct mbs_happening){ sim->s.x.t, k, &before, &after, -1, NULL, 0 });
        memcpy(y->before, sim->s.x.q, (size_t)p->ny * sizeof *y->before);
        if (status == 0 && p->touch)
            status = contacts_change(sim, run, &before, -1);
    }
    if (status || (status = mbs_sim_complete(sim)))
        return status;
    guards_at(sim, &sim->s.x, y->h, y->hdot);
    for (int j = 0; j < y->nevent; j++)
        if (!changes(sim, j, y->on[j], y->h[j]) && (side_of(sim, j, y->h[j]) || kind_of(sim, j) != MBS_WHEN_CROSSES))
            y->on[j] = side_of(sim, j, y->h[j]);
    contacts_stand(y);
    return 0;
}

int mbs_hybrid_happen(struct mbs_sim *sim, const struct mbs_run *run, int *stop)
{
    struct mbs_hybrid *y = sim->hybrid;
    int k, status, count = 0;

    *stop = -1;
    if (y->drifted)
        mbs_touch_straighten(sim);
    y->drifted = 0;
    if ((status = mbs_sim_complete(sim)))
        return status;
    guards_at(sim, &sim->s.x, y->h, y->hdot);
    while ((k = next_due(sim)) >= 0) {
        if ((status = happen(sim, run, k)))
            return status;
        if (k < y->nevent && sim->model->when[k].stop && *stop < 0)
            *stop = k;
        if (++count > MOST_AT_ONCE) {
            y->dense = k >= y->nevent;
            return mbs_fail(&sim->msg, MBS_ENDLESS, sim->s.x.t, -1, -1, "more than %d events at t = %.12g: '%s' and others make each other happen without end",
                            MOST_AT_ONCE, sim->s.x.t, name_of(sim, k));
        }
    }
    y->fresh = 0;
    return 0;
}
