/* SPDX-License-Identifier: MIT
 *
 * Positions in which the constraints become dependent for a moment.
 *
 * Two branches of the mechanism meet there (a parallelogram that lies flat may go on as an antiparallelogram), and what takes a
 * mechanism from one to the other is an error of the order s^2 in g, s being the sine by which the rows are still independent.
 * Formulations that let g drift leave on the wrong branch; others find no step.  The motion itself is smooth.  So a place at which
 * s is small is passed by steps of our own:
 *
 *   - where the place is.  The sine changes by at most `slope` times the length of the path, twice the largest slope seen: from a place with sine s the rank
 *     cannot be lost before s/slope, and between two places with sines s and s' not at all if they are less than (s + s')/slope apart.  At
 *     the end of the step that goes beyond the first of these the next sample is taken, with the G that the method has left, and others within
 *     that step only where the second does not hold.  What comes below a tenth of the largest sine seen is a narrow place; the step that led
 *     into it is taken back.
 *   - how it is passed.  From the begin of that step, brought onto the constraints, steps of Dormand & Prince with a projection each lead towards
 *     the place, the next one always ending before it, until s < window().  Then a leap to the mirror place behind it: accelerations
 *     are interpolated by a parabola through the point before, this one and the one behind, which is found by iteration, on
 *     the constraints.  Continuity decides the branch.  That the curve between crosses is seen in its middle: there g vanishes
 *     with the order of the interpolation, where two branches only come near each other it does not, and there is no leap.
 *   - behind it the method starts anew.
 *
 * Measured by the sine, not by the singular value itself: it costs one sparse Cholesky decomposition of G G'. */
#include "methods/erk.h"
#include "methods/hermite.h"
#include "watch.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double NARROW = 0.1, LEAVE = 0.15, UNDECIDED = 0.02;
static const double WINDOW_MIN = 2e-3, LEAP_BEND = 10;
static const double POWER_MAX = 4;
static const double SAFETY = 2;         /* how much faster the sine may change along the path than it has been seen to */
enum { SAMPLES = 64, PASS_MAX = 3000, LEAP_ITERATIONS = 12 };

/* The sine from which on the place is leapt over.  The error of a leap goes with its fourth power, that of steps before it with 1/s^2 times rounding. */
static double window(const struct mbs_sim *sim)
{
    return fmax(WINDOW_MIN, fmin(1.5e-2, 0.5 * pow(sim->opt.rtol, 0.25)));
}

/* The largest change; where rows are left out, the others may come near to being dependent within a short way, and distances count. */
static double way(const double *a, const double *b, int n)
{
    double most = 0;

    for (int i = 0; i < n; i++) {
        double d = fabs(a[i] - b[i]);
        most = d > most ? d : most;
    }
    return most;
}

static double distance(const double *a, const double *b, int n)
{
    double s = 0;

    for (int i = 0; i < n; i++)
        s += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(s);
}

/* A sample with sine s, at a way d behind the last one, is the last one from now on. */
static void note_sample(struct mbs_watch *a, double s, double d)
{
    if (d > 0)
        a->slope = fmax(a->slope, fabs(s - a->sine) / d);
    a->sine = s;
    a->largest = fmax(a->largest, s);
    a->far = s / (SAFETY * a->slope);
    a->span = 0;
}

/* q within the last step of a method. */
static void between(struct mbs_sim *sim, double th, double *q)
{
    struct mbs_watch *a = sim->watch;
    const struct mbs_point *x = &sim->s.x;
    double h = x->t - a->old.t;

    for (int i = 0; i < a->n; i++)
        q[i] = hermite_cubic(th, h, a->old.q[i], a->old.v[i], x->q[i], x->v[i]);
}

static void take_back(struct mbs_sim *sim)
{
    struct mbs_watch *a = sim->watch;

    a->t_until = sim->s.x.t;
    mbs_point_copy(&sim->s.x, &a->old, &sim->p);
    sim->stat.rejected++;
    a->passing = 1;
    a->seen = 0;
}

void mbs_singular_restart(struct mbs_sim *sim, int sampled)
{
    struct mbs_watch *a = sim->watch;

    sim->by_passage = 0;
    if (!a)
        return;
    a->passing = 0;
    a->far = NAN;
    if (sampled)
        note_sample(a, a->sine, 0);
}

/* Part of the last step: from a sample with sine s0 over a way d to one with sine s1 at th1. */
struct stretch {
    double th0, th1, d, s0, s1;
};

/* 1 if the motion comes to where the rank is all but lost.  It cannot be where the sine would have to fall to zero and to rise again faster than it does. */
static int is_narrow(struct mbs_sim *sim, const struct stretch *x)
{
    struct mbs_watch *a = sim->watch;
    double th = (x->th0 + x->th1) / 2, d = (x->th1 - th) * a->length, s, *q = sim->p.ytmp;
    struct stretch before = { x->th0, th, x->d - d, x->s0, 0 }, behind = { th, x->th1, d, 0, x->s1 };

    if (x->s1 < NARROW * a->largest && x->s1 < x->s0)
        return 1;
    if (x->s0 + x->s1 >= SAFETY * a->slope * x->d || (x->th1 - x->th0) * SAMPLES <= 1)
        return 0;
    between(sim, th, q);
    before.s1 = behind.s0 = s = mbs_watch_sine(sim, a->old.t + th * (sim->s.x.t - a->old.t), q, NULL);
    a->largest = fmax(a->largest, s);
    a->slope = fmax(a->slope, fmax(fabs(s - x->s0) / before.d, fabs(x->s1 - s) / behind.d));
    return is_narrow(sim, &before) || is_narrow(sim, &behind);
}

int mbs_singular_look(struct mbs_sim *sim)
{
    struct mbs_watch *a = sim->watch;
    struct stretch x = { 0, 1, 0, 0, 0 };

    if (!a || !sim->opt.witness || sim->opt.step > 0)
        return 0;
    if (isnan(a->far))
        note_sample(a, mbs_watch_sine(sim, a->old.t, a->old.q, NULL), 0);
    a->length = (a->drops ? distance : way)(a->old.q, sim->s.x.q, a->n);
    x.d = a->span + a->length;
    if (x.d <= a->far) {
        a->span = x.d;
        return 0;
    }
    x.s0 = a->sine;
    x.s1 = mbs_watch_sine_now(sim);
    note_sample(a, x.s1, x.d);
    if (!is_narrow(sim, &x))
        return 0;
    take_back(sim);
    return 1;
}

int mbs_singular_rescue(struct mbs_sim *sim)
{
    struct mbs_watch *a = sim->watch;

    if (!a || !sim->opt.witness || sim->opt.step > 0 || a->passing || sim->s.x.t == a->t_from)
        return 0;
    if (mbs_watch_sine(sim, sim->s.x.t, sim->s.x.q, NULL) > 3 * NARROW * a->largest)
        return 0;
    mbs_point_copy(&a->old, &sim->s.x, &sim->p);
    take_back(sim);
    a->t_from = sim->s.x.t;
    sim->msg.status = 0;
    return 1;
}

/* ---- steps of a passage ---- */

static int rates(struct mbs_sim *sim, double t, const double *y, double *k, double *lambda)
{
    struct mbs_problem *p = &sim->p;
    enum mbs_form form = p->form;
    int status;

    p->form = MBS_INDEX1;
    memcpy(k, y + p->n, (size_t)p->n * sizeof *k);
    status = mbs_accelerations(p, t, y, k + p->n, lambda, k + 2 * p->n);
    p->form = form;
    return status;
}

static int onto_constraints(struct mbs_sim *sim, double t, double *y)
{
    struct mbs_problem *p = &sim->p;
    double tol = 1e-2 * fmin(1e-8, sim->opt.rtol);
    int status = mbs_project_position(p, t, y, tol, tol, NULL);

    return status ? status : mbs_project_velocity(p, t, y, y + p->n);
}

/* One step of Dormand & Prince from s.x to a->y, projected; its error against the tolerance. */
static int explicit_step(struct mbs_sim *sim, double h, double *err)
{
    struct mbs_watch *a = sim->watch;
    const struct erk_tableau *tab = &mbs_erk_dopri5;
    struct mbs_problem *p = &sim->p;
    double *y = a->y, *rate = a->y + p->ny, sum = 0, tol = fmin(1e-6, sim->opt.rtol), atol = fmin(1e-6, sim->opt.atol);
    int ny = p->ny, status;

    for (int i = 1; i <= tab->stages; i++) {
        const struct erk_row *row = &tab->row[i];
        double t = i == tab->stages ? sim->s.x.t + h : sim->s.x.t + row->c * h;
        memcpy(y, sim->s.x.q, (size_t)ny * sizeof *y);
        for (int j = 0; j < row->count; j++)
            for (int l = 0; l < ny; l++)
                y[l] += h * row->term[j].a * a->k[row->term[j].stage][l];
        if ((status = rates(sim, t, y, a->k[i], NULL)))
            return status;
    }
    memset(rate, 0, (size_t)ny * sizeof *rate);
    for (int j = 0; j < tab->error.count; j++)
        for (int l = 0; l < ny; l++)
            rate[l] += h * tab->error.term[j].a * a->k[tab->error.term[j].stage][l];
    for (int l = 0; l < ny; l++) {
        double e = rate[l] / (atol + tol * fabs(y[l]));
        sum += e * e;
    }
    *err = sqrt(sum / ny);
    if (!isfinite(*err))
        return MBS_NAN;
    return *err > 1 ? 0 : onto_constraints(sim, sim->s.x.t + h, y);
}

static void accept(struct mbs_sim *sim, double t)
{
    struct mbs_watch *a = sim->watch;
    struct mbs_problem *p = &sim->p;

    mbs_point_copy(&a->last, &sim->s.x, p);
    memcpy(a->rate[1], a->rate[0], (size_t)(p->n + p->nz) * sizeof(double));
    memcpy(sim->s.x.q, a->y, (size_t)p->ny * sizeof(double));
    sim->s.t_old = sim->s.x.t;
    sim->s.x.t = t;
}

static int complete(struct mbs_sim *sim)
{
    struct mbs_watch *a = sim->watch;
    struct mbs_problem *p = &sim->p;
    int status = rates(sim, sim->s.x.t, sim->s.x.q, a->k[0], sim->s.x.lambda);

    memcpy(sim->s.x.a, a->k[0] + p->n, (size_t)p->n * sizeof(double));
    memcpy(a->rate[0], a->k[0] + p->n, (size_t)(p->n + p->nz) * sizeof(double));
    return status;
}

/* The rate of the sine along the motion, and the sine itself. */
static double sine_rate(struct mbs_sim *sim, double *sine)
{
    struct mbs_watch *a = sim->watch;
    const struct mbs_point *x = &sim->s.x;
    double speed = 0, d, side[2], *q = a->y;

    for (int i = 0; i < a->n; i++)
        speed = hypot(speed, x->v[i]);
    *sine = mbs_watch_sine(sim, x->t, x->q, NULL);
    d = 1e-3 * fmax(*sine, 1e-5) / (a->slope * fmax(speed, 1e-300));
    for (int k = 0; k < 2; k++) {
        double h = (k ? d : -d) * sim->s.dir;
        for (int i = 0; i < a->n; i++)
            q[i] = x->q[i] + h * x->v[i];
        side[k] = mbs_watch_sine(sim, x->t + h, q, NULL);
    }
    return (side[1] - side[0]) / (2 * d);
}

/* Weights of the accelerations at -r, 0, 1 (the leap is 1 long) for v and for q. */
static void leap_weights(double r, double wv[3], double wq[3])
{
    wv[0] = -1 / (6 * r * (r + 1));
    wv[1] = 0.5 + 1 / (6 * r);
    wv[2] = (1. / 3 + r / 2) / (1 + r);
    wq[0] = -1 / (12 * r * (r + 1));
    wq[1] = 1. / 3 + 1 / (12 * r);
    wq[2] = (1. / 12 + r / 6) / (1 + r);
}

/* q on the curve from s.x to (a->y, a->rate[2]). */
static double *on_leap(struct mbs_sim *sim, double L, double th)
{
    struct mbs_watch *a = sim->watch;
    double *q = a->y + sim->p.ny, slope;

    for (int i = 0; i < a->n; i++)
        q[i] = hermite_quintic(th, L, sim->s.x.q[i], sim->s.x.v[i], a->rate[0][i], a->y[i], a->y[a->n + i], a->rate[2][i], &slope);
    return q;
}

/* Is the rank lost on the leap?  Where rows are left out, those that are kept may become dependent where others are not: two of three cranks of a plate lie
 * flat, and the third guides it. */
static int loses_rank(struct mbs_sim *sim, double L, double s0)
{
    double low = 0, high = 1, least = HUGE_VAL;

    for (int k = 0; k < 24 && sim->watch->drops; k++) {
        double third = (high - low) / 3, before = mbs_watch_best_sine(sim, on_leap(sim, L, low + third));
        double behind = mbs_watch_best_sine(sim, on_leap(sim, L, high - third));
        *(before < behind ? &high : &low) = before < behind ? high - third : low + third;
        least = fmin(least, fmin(before, behind));
    }
    return !sim->watch->drops || least < 0.02 * s0;
}

/* The largest violation of g, each row by its largest length, in the middle of the curve. */
static double middle_violation(struct mbs_sim *sim, double L, double *sine)
{
    struct mbs_watch *a = sim->watch;
    struct mbs_problem *p = &sim->p;
    double *q = on_leap(sim, L, 0.5), most = 0;

    *sine = mbs_watch_sine(sim, sim->s.x.t + L / 2, q, NULL);
    for (int i = 0; i < p->ng; i++)
        if (!a->drop[i])
            most = fmax(most, fabs(a->g[i]) * a->scale[i]);
    return most;
}

static void passage_note(struct mbs_sim *sim, double t)
{
    struct mbs_passages *all = &sim->passages;
    int weakest;

    if (all->count++ >= MBS_PASSAGES)
        return;
    mbs_watch_sine(sim, sim->s.x.t, sim->s.x.q, &weakest);
    all->t[all->count - 1] = t;
    mbs_watch_rows(sim, weakest, all->rows[all->count - 1], sizeof all->rows[0]);
}

/* What the parabola adds to a straight line between the accelerations here and behind, over the tolerance of the velocities: more than the error of the leap,
 * by as much as it is shorter than the time in which they change. */
static double leap_error(const struct mbs_sim *sim, double L, const double wv[3])
{
    const struct mbs_watch *a = sim->watch;
    double most = 0;

    for (int i = 0; i < a->n; i++) {
        double bend = L * (wv[0] * a->rate[1][i] + (wv[1] - 0.5) * a->rate[0][i] + (wv[2] - 0.5) * a->rate[2][i]);
        most = fmax(most, fabs(bend) / (sim->opt.atol + sim->opt.rtol * fabs(sim->s.x.v[i])));
    }
    return most;
}

/* From s.x over the place at distance L/2; 1: there is nothing to leap over, or not from here; < 0: failure. */
static int leap(struct mbs_sim *sim, double L)
{
    struct mbs_watch *a = sim->watch;
    struct mbs_problem *p = &sim->p;
    int n = p->n, nz = p->nz, status;
    double r = (sim->s.x.t - a->last.t) / L, wv[3], wq[3], t = sim->s.x.t + L, sine, middle, change = 1, s0, moved;
    double *y = a->y, *k = a->k[1];

    leap_weights(r, wv, wq);
    memcpy(a->rate[2], a->rate[0], (size_t)(n + nz) * sizeof(double));
    for (int i = 0; i < n + nz; i++)
        a->rate[2][i] += (a->rate[0][i] - a->rate[1][i]) / r;
    for (int round = 0; round < LEAP_ITERATIONS && change > 1e-13; round++) {
        for (int i = 0; i < n; i++) {
            y[i] = sim->s.x.q[i] + L * sim->s.x.v[i] + L * L * (wq[0] * a->rate[1][i] + wq[1] * a->rate[0][i] + wq[2] * a->rate[2][i]);
            y[n + i] = sim->s.x.v[i] + L * (wv[0] * a->rate[1][i] + wv[1] * a->rate[0][i] + wv[2] * a->rate[2][i]);
        }
        for (int i = 0; i < nz; i++)
            y[2 * n + i] = sim->s.x.z[i] + L * (wv[0] * a->rate[1][n + i] + wv[1] * a->rate[0][n + i] + wv[2] * a->rate[2][n + i]);
        memcpy(y + p->ny, y, (size_t)n * sizeof *y);
        if (onto_constraints(sim, t, y) || (status = rates(sim, t, y, k, NULL)))
            return 1;
        /* what projection moves is an error of the prediction, no way to another branch */
        moved = distance(y, y + p->ny, n);
        if (!(moved <= 0.05 * distance(y, sim->s.x.q, n)))
            return 1;
        change = 0;
        for (int i = 0; i < n + nz; i++) {
            double d = fabs(k[n + i] - a->rate[2][i]);
            change = fmax(change, fabs(L) * d / (1 + fabs(i < n ? y[n + i] : y[n + i])));
            a->rate[2][i] = k[n + i];
        }
    }
    s0 = mbs_watch_sine(sim, sim->s.x.t, sim->s.x.q, NULL);
    if (s0 > 1.1 * WINDOW_MIN * a->largest && leap_error(sim, L, wv) > LEAP_BEND)
        return 1;
    middle = middle_violation(sim, L, &sine);
    if (!(middle <= 1e-4 * s0 * s0 + 1e-13) || sine > 0.5 * s0)
        return 1;
    if (loses_rank(sim, L, s0))
        passage_note(sim, sim->s.x.t + L / 2);
    accept(sim, t);
    a->seen = 1;
    return complete(sim);
}

/* A violation of the order s^2 may have taken the mechanism to another branch already. */
static int undecided(struct mbs_sim *sim)
{
    struct mbs_watch *a = sim->watch;
    double sine = mbs_watch_sine(sim, sim->s.x.t, sim->s.x.q, NULL), worst = 0;
    int row = -1;

    for (int i = 0; i < sim->p.ng; i++)
        if (!a->drop[i] && fabs(a->g[i]) * a->scale[i] > worst) {
            worst = fabs(a->g[i]) * a->scale[i];
            row = i;
        }
    if (!(worst > UNDECIDED * sine * sine))
        return 0;
    return mbs_fail(&sim->msg, MBS_DRIFT, sim->s.x.t, -1, row,
                    "near the singular position behind t = %.9g the violation %.3g of constraint %s may decide which way the motion goes; take the formulation ggl or projected, or smaller tolerances",
                    sim->s.x.t, fabs(a->g[row]), sim->model->constraint[row].name);
}

static int begin(struct mbs_sim *sim)
{
    struct mbs_watch *a = sim->watch;
    struct mbs_problem *p = &sim->p;
    int status;

    memcpy(a->y, sim->s.x.q, (size_t)p->ny * sizeof(double));
    if ((status = undecided(sim)))
        return status;
    if ((status = onto_constraints(sim, sim->s.x.t, a->y)))
        return status < 0 ? status
                          : mbs_fail(&sim->msg, MBS_INCONSISTENT, sim->s.x.t, -1, -1,
                                     "the constraints cannot be met near the singular position behind t = %.9g", sim->s.x.t);
    memcpy(sim->s.x.q, a->y, (size_t)p->ny * sizeof(double));
    a->h = 0;
    return complete(sim);
}

static int lost(struct mbs_sim *sim)
{
    char rows[160];
    int weakest;

    mbs_watch_sine(sim, sim->s.x.t, sim->s.x.q, &weakest);
    mbs_watch_rows(sim, weakest, rows, sizeof rows);
    return mbs_fail(&sim->msg, MBS_SINGULAR, sim->s.x.t, -1, weakest,
                    "the motion comes to a singular position at t = %.9g (rows %s) and is not determined behind it by continuity", sim->s.x.t, rows);
}

/* How long it is to where the sine vanishes.  Where it goes with the k-th power of what is left, sine/|rate| is the k-th part of that, and k
 * follows from how this part has shrunk since the last step. */
static double time_to_go(struct mbs_sim *sim, double *sine, double *rate)
{
    struct mbs_watch *a = sim->watch;
    double before = a->part, passed = fabs(sim->s.x.t - a->last.t), power = 1;

    *rate = sine_rate(sim, sine);
    a->part = *rate < 0 ? -*sine / *rate : HUGE_VAL;
    if (a->passing > 2 && a->part < before && before < HUGE_VAL)
        power = fmax(1, fmin(POWER_MAX, passed / (before - a->part)));
    return power * a->part;
}

/* The longest step towards the place: most of the way, but not to where the sine is less than what a leap may begin with: nearer, rounding takes over. */
static double longest_approach(const struct mbs_watch *a, double sine, double to_go)
{
    double least = WINDOW_MIN * a->largest;

    return to_go * (sine > 1.1 * least && to_go < HUGE_VAL ? fmin(0.75, 1 - pow(least / sine, a->part / to_go)) : 0.75);
}

int mbs_pass_step(struct mbs_sim *sim, double tstop, int *done)
{
    struct mbs_watch *a = sim->watch;
    double sine, rate, left = fabs(tstop - sim->s.x.t), to_go, err, dir = sim->s.dir;
    int status = 0, tries = 0;

    *done = mbs_watch_choose(sim);
    if (*done)
        return 0;
    if (a->passing == 1 && (status = begin(sim)))
        return status;
    if (a->passing++ > PASS_MAX)
        return lost(sim);
    to_go = time_to_go(sim, &sine, &rate);
    a->seen |= sine < NARROW * a->largest;
    if (rate >= 0 && sine > LEAVE * a->largest && (a->seen || dir * sim->s.x.t >= dir * a->t_until)) {
        *done = 1;
        return 0;
    }
    if (sine < window(sim) * a->largest && rate < 0 && a->passing > 3 && 2 * to_go < left) {
        status = leap(sim, dir * 2 * to_go);
        if (status <= 0)
            return status;
    }
    if (a->h == 0)
        a->h = fmin(left, 0.02 * fmin(to_go, 1e3)) ;
    for (;; tries++) {
        double h = fmin(fmin(a->h, longest_approach(a, sine, to_go)), left), t = h == left ? tstop : sim->s.x.t + dir * h;
        if (h < 64 * DBL_EPSILON * fmax(fabs(t), 1e-300) || tries > 40)
            return lost(sim);
        status = explicit_step(sim, dir * h, &err);
        if (status == 0 && err <= 1) {
            a->h = h * fmin(4, 0.9 * pow(fmax(err, 1e-6), -0.2));
            accept(sim, t);
            break;
        }
        sim->stat.rejected++;
        a->h = h * (status ? 0.3 : fmax(0.2, 0.9 * pow(err, -0.2)));
    }
    return complete(sim);
}

void mbs_pass_dense(struct mbs_sim *sim, double t, struct mbs_point *out)
{
    struct mbs_watch *a = sim->watch;
    const struct mbs_point *x = &sim->s.x, *o = &a->last;
    double h = x->t - o->t, th = (t - o->t) / h;
    int n = a->n;

    for (int i = 0; i < n; i++)
        out->q[i] = hermite_quintic(th, h, o->q[i], o->v[i], a->rate[1][i], x->q[i], x->v[i], a->rate[0][i], &out->v[i]);
    for (int i = 0; i < sim->p.nz; i++)
        out->z[i] = hermite_cubic(th, h, o->z[i], a->rate[1][n + i], x->z[i], a->rate[0][n + i]);
}
