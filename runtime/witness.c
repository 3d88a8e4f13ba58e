/* SPDX-License-Identifier: MIT
 *
 * The witness of a run: constraint violations held against what tolerance and formulation promise.
 *
 * A step has an error of tol_j = atol_j + rtol |x_j| in each variable.  In row i of the constraints that is
 *
 *     P_i = sum_j |G_ij| tol(q_j)   on position level,    V_i = sum_j |G_ij| tol(v_j)   on velocity level.
 *
 * What becomes of it follows from the formulation.  Where g = 0 is solved for or projected onto, only the last step
 * counts; on velocity level so where G v + gt = 0 is.  A level that is only kept by its derivative drifts: the errors of N
 * steps add up, those of the velocities grow with the time T since the start:
 *
 *                position                 velocity
 *     index 3    P                        nothing (v has index 2; what is asked of it shrinks with h)
 *     GGL        P                        V
 *     projected  P                        V
 *     index 2    N P                      V
 *     index 1    N (P + T V)              N V            (Baumgarte alike: it can do better, but need not)
 *
 * A fixed step promises nothing; there only contradictions are looked for.  ALLOWED times that, and what rounding
 * leaves, is the bound.  What lies beyond is no solution of what was asked for.  What the start itself violates, within what
 * assembly takes for met (published start values have nine digits), stays allowed: g0 + T |G v + gt|0 and |G v + gt|0.
 * It is looked at in every 16th step, later in every 64th, and at the end of a run; where rows are left out because they depend on others, which no
 * method follows, in every step: what contradicts them for a while would else be over between two looks.
 *
 * Energy.  The rate P of T + U comes from the compiler (model->power): the power of forces, dampers, inputs and of constraints that time
 * moves, with the lambda that the method itself applies, and that of contacts; zero where the model conserves its energy.  Its integral W
 * is taken with the stages of the method, or, of methods without stages, by the polynomial through P at the last ends of steps or within
 * them.  Then
 *
 *     D = T + U - (T + U)_0 - W
 *
 * is what errors have made of the energy.  Those of one step are no more than
 *
 *     S = sum_i |p_i| tol(v_i) + |f_i| tol(q_i) + rtol |P h|,     p = M v,
 *
 * so that N steps may bring N S, but never a twentieth of T, the range of U and the work done.  Looked at half as often.  Where
 * the state is changed from outside, at events, and behind passages of driven mechanisms the account begins anew. */
#include "watch.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Right runs of the models here use a twentieth of it, at most a third. */
static const double ALLOWED = 30, ALLOWED_ENERGY = 10;
/* However many steps there were: who asks for four digits does not want an energy that is off by a twentieth. */
static const double LARGEST = 0.05;
/* Of the energy, whose zero may lie far away, and of the work: sums of some hundred rounded terms. */
static const double ROUNDING = 1e-13;
/* Beyond so many tolerances the run says so; of the energy half as many, since a motion may be further off than its energy (a half-explicit run of the IFToMM
 * slider-crank at 1e-4: 98 tolerances of the energy, 117 of the motion). */
static const double TELL = 100, TELL_ENERGY = 50;
/* Steps from one look to the next; at the energy it is half as often. */
enum { EVERY = 16, EVERY_LATER = 64, MANY = 1024, NAMED = 4 };

/* ---- energy ---- */

static double energy_now(struct mbs_sim *sim, double *U)
{
    struct mbs_problem *p = &sim->p;
    struct mbs_state x = mbs_point_state(&sim->s.x, p);
    double E[2];

    mbs_inputs_at(p, x.t);
    p->model->energy(p->c, &x, E, p->w);
    *U = E[1];
    return E[0] + E[1];
}

/* Is the balance known at all?  Time stepping with contacts has impulses of its own. */
static int is_balanced(const struct mbs_sim *sim)
{
    const struct mbs_model *o = sim->model;

    return o->energy && !(o->ncontact > 0 && sim->s.method->flags & MBS_METHOD_STEPS) && (sim->p.works || (o->conserves && !sim->p.touch));
}

/* ---- work of methods without stages ---- */

static double power_now(struct mbs_sim *sim)
{
    struct mbs_state x = mbs_point_state(&sim->s.x, &sim->p);

    mbs_inputs_at(&sim->p, x.t);
    return mbs_power(&sim->p, &x);
}

/* The same by Lobatto's rule over the dense output: for long steps of high order. */
static double work_within(struct mbs_sim *sim)
{
    struct mbs_account *w = &sim->account;
    struct mbs_statistics stat = sim->stat;
    double h = sim->s.x.t - sim->s.t_old, sum = w->P[0] / 12;

    for (int k = -1; k <= 1; k += 2) {
        struct mbs_state x;
        if (mbs_sim_dense(sim, sim->s.t_old + h * (0.5 + k * 0.223606797749978969641), &sim->dense)) {
            w->anew = 1;
            return 0;
        }
        x = mbs_point_state(&sim->dense, &sim->p);
        sum += 5 * mbs_power(&sim->p, &x) / 12;
    }
    w->P[0] = power_now(sim);
    sim->stat = stat;
    return h * (sum + w->P[0] / 12);
}

/* The integral over the last step of the polynomial through P at the last ends of steps (Adams-Moulton with variable steps), by Gauss with three
 * nodes, which is exact for the degree 4 of five points. */
static double work_of_ends(struct mbs_sim *sim)
{
    static const double node[] = { -0.774596669241483377, 0, 0.774596669241483377 }, weight[] = { 5. / 18, 4. / 9, 5. / 18 };
    struct mbs_account *w = &sim->account;
    double sum = 0, h = sim->s.x.t - sim->s.t_old;

    memmove(w->t + 1, w->t, (MBS_ENDS - 1) * sizeof *w->t);
    memmove(w->P + 1, w->P, (MBS_ENDS - 1) * sizeof *w->P);
    w->t[0] = sim->s.x.t;
    w->P[0] = power_now(sim);
    w->ends += w->ends < MBS_ENDS;
    for (int k = 0; k < 3; k++) {
        double t = sim->s.t_old + h * (1 + node[k]) / 2;
        for (int i = 0; i < w->ends; i++) {
            double l = w->P[i];
            for (int j = 0; j < w->ends; j++)
                l *= j == i ? 1 : (t - w->t[j]) / (w->t[i] - w->t[j]);
            sum += weight[k] * l;
        }
    }
    return h * sum;
}

/* After a step that was accepted as a whole. */
static void work_step(struct mbs_sim *sim)
{
    struct mbs_account *w = &sim->account;
    double work;

    if (!sim->p.works || !sim->witness.balanced)
        return;
    if (sim->by_passage) {
        w->anew = 1;
        return;
    }
    work = sim->s.works ? sim->s.work : sim->s.method->flags & MBS_METHOD_FORCES ? work_of_ends(sim) : work_within(sim);
    w->work += work;
    w->turnover += fabs(work);
    w->largest_work = fmax(w->largest_work, fabs(w->work));
}

/* ---- what the tolerances allow ---- */

/* Did the model's own accelerations() serve?  They leave M and G alone, which large trees do not even have. */
static int is_forward(const struct mbs_problem *p)
{
    return p->m == 0 && !p->touch && !p->saddled && p->model->accelerations && p->model->residual;
}

/* r = M a - f at the point as of now */
static void residual_at(struct mbs_sim *sim, const double *a, double *r)
{
    struct mbs_problem *p = &sim->p;
    struct mbs_state x = mbs_point_state(&sim->s.x, p);
    struct mbs_residual out = { .r = r, .zdot = p->dyn.zdot };

    x.a = a;
    mbs_eval_residual(p, &x, &out);
}

/* M v and f, by dynamics() or by recursions. */
static void momentum_and_force(struct mbs_sim *sim, double *momentum, double *force)
{
    struct mbs_problem *p = &sim->p;
    struct mbs_state x = mbs_point_state(&sim->s.x, p);
    struct mbs_dynamics out = p->dyn;

    memset(momentum, 0, (size_t)p->n * sizeof *momentum);
    if (is_forward(p)) {
        residual_at(sim, momentum, force);
        residual_at(sim, sim->s.x.v, momentum);
        for (int i = 0; i < p->n; i++)
            momentum[i] -= force[i];
        return;
    }
    out.f = force;
    out.gamma = out.g = out.gt = NULL;
    mbs_eval_dynamics(p, &x, &out);
    mbs_csc_mul_sym(&p->model->M, p->dyn.M, 1, sim->s.x.v, momentum);
}

/* What a step may be off in a coordinate, in a velocity. */
static double position_tolerance(const struct mbs_sim *sim, int i)
{
    const double *atol = sim->opt.atol_y;

    return (atol ? atol[i] : sim->opt.atol) + sim->opt.rtol * fabs(sim->s.x.q[i]);
}

static double velocity_tolerance(const struct mbs_sim *sim, int i)
{
    const double *atol = sim->opt.atol_y;

    return (atol ? atol[sim->p.n + i] : sim->opt.atol) + sim->opt.rtol * fabs(sim->s.x.v[i]);
}

/* S at the point as of now, without the part of the work; *absolute: what the absolute tolerances of velocities have in it. */
static double energy_tolerance(struct mbs_sim *sim, double *absolute)
{
    struct mbs_problem *p = &sim->p;
    struct mbs_statistics stat = sim->stat;     /* the witness does not count */
    const double *atol = sim->opt.atol_y;
    double *momentum = p->ytmp, *force = p->ytmp + p->n, sum = 0;

    momentum_and_force(sim, momentum, force);
    sim->stat = stat;
    *absolute = 0;
    for (int i = 0; i < p->n; i++) {
        sum += fabs(momentum[i]) * velocity_tolerance(sim, i) + fabs(force[i]) * position_tolerance(sim, i);
        *absolute += fabs(momentum[i]) * (atol ? atol[p->n + i] : sim->opt.atol);
    }
    return sum;
}

/* Where momenta and forces vanish S does, and errors of a step bring energy by their squares: d'H d/2, H being the second derivatives of T + U by
 * (q, v).  For signs that nobody knows that is at most (sum_i d_i sqrt(H_ii))^2/2 (the triangle inequality in the norm of H, which is one near a stable
 * rest), and d_i^2 H_ii is a second difference of the energy, less its rounding. */
static double energy_of_errors(struct mbs_sim *sim)
{
    struct mbs_problem *p = &sim->p;
    struct mbs_state x = mbs_point_state(&sim->s.x, p);
    double *y = p->ytmp, E[2], here, rounding, sum = 0;

    memcpy(y, sim->s.x.q, (size_t)p->n * sizeof *y);
    memcpy(y + p->n, sim->s.x.v, (size_t)p->n * sizeof *y);
    x.q = y;
    x.v = y + p->n;
    p->model->energy(p->c, &x, E, p->w);
    here = E[0] + E[1];
    rounding = 8 * DBL_EPSILON * (fabs(E[0]) + fabs(E[1]));
    for (int i = 0; i < 2 * p->n; i++) {
        double d = i < p->n ? position_tolerance(sim, i) : velocity_tolerance(sim, i - p->n), at = y[i], bend = -2 * here;
        for (int side = -1; side <= 1; side += 2) {
            y[i] = at + side * d;
            p->model->energy(p->c, &x, E, p->w);
            bend += E[0] + E[1];
        }
        y[i] = at;
        sum += bend > rounding ? sqrt(bend - rounding) : 0;
    }
    return sum * sum / 2;
}

/* All that has moved is what errors may make of a mechanism at rest. */
static int is_at_rest(struct mbs_sim *sim)
{
    return sim->witness.scale <= ALLOWED_ENERGY * energy_of_errors(sim);
}

/* ---- a rush ---- */

/* A cart of 1e-6 kg that a pendulum of 1 kg whips round moves at a thousand times its mean velocity for a microsecond.  There an estimate of the error
 * may vanish by symmetry: one step of Dormand & Prince's method of order 8 was off by 550 tolerances of the energy, and the motion behind it with it.
 * And velocities are large whose momenta all but cancel, so that S is a thousand times what is asked of the energy that is there.  A step may change it
 * by this part of S, one of an explicit method also of rtol times what has moved (what implicit ones leave of their iterations does not shrink with the
 * step). */
static const double RUSH_SHARE = 0.1;
enum { RUSH_TRIES = 12 };

void mbs_witness_rush(struct mbs_sim *sim)
{
    double U;

    mbs_point_copy(&sim->rush.from, &sim->s.x, &sim->p);
    sim->rush.energy = energy_now(sim, &U);
}

int mbs_witness_rushed(struct mbs_sim *sim)
{
    const struct mbs_stepper *s = &sim->s;
    double E, U, work = sim->p.works ? s->work : 0, off, allowed, absolute;

    if (!sim->opt.witness || !sim->witness.balanced || sim->opt.step > 0 || !s->method->attempt || (sim->p.works && !s->works) ||
        (s->form == MBS_INDEX3 && sim->p.m > 0))
        return 0;
    E = energy_now(sim, &U);
    off = fabs(E - sim->rush.energy - work);
    allowed = energy_tolerance(sim, &absolute);
    if (sim->stat.jac == 0)
        allowed = fmin(allowed, sim->opt.rtol * fmax(sim->witness.scale, E - U) + absolute);
    allowed = RUSH_SHARE * (allowed + sim->opt.rtol * fabs(work)) + ROUNDING * (fabs(E) + fabs(U) + fabs(sim->rush.energy));
    /* what half a step does not make smaller is rounding */
    if (off > allowed && sim->rush.tries && off > sim->rush.off / 2)
        sim->rush.noise = fmax(sim->rush.noise, off);
    if (off <= fmax(allowed, 2 * sim->rush.noise) || sim->rush.tries == RUSH_TRIES) {
        sim->rush.tries = 0;
        return 0;
    }
    sim->rush.tries++;
    sim->rush.off = off;
    return 1;
}

/* ---- the balance ---- */

/* Something changes the energy here that is no work: an event. */
void mbs_witness_leave(struct mbs_sim *sim)
{
    struct mbs_account *w = &sim->account;
    double U;

    if (sim->witness.balanced && !w->anew) {
        w->left = energy_now(sim, &U);
        w->has_left = 1;
    }
    w->anew = 1;
}

/* The change of the energy up to where the account was left is work, what it has changed there is not. */
static void energy_begin(struct mbs_sim *sim, int goes_on)
{
    struct mbs_account *w = &sim->account, old = *w;
    struct mbs_witness *out = &sim->witness;
    double U;

    *w = (struct mbs_account){ .ends = 1, .absolute = goes_on ? old.absolute : 0 };
    out->balanced = is_balanced(sim);
    out->conserves = out->balanced && !sim->p.works;
    if (!out->balanced)
        return;
    w->begin = energy_now(sim, &U);
    w->low = w->high = U;
    out->scale = fmax(out->scale, fabs(w->begin - U));
    if (goes_on) {
        double left = old.has_left ? old.left : w->begin;
        w->past = old.past + (left - old.begin);
        out->jumps += w->begin - left;
        out->work = w->past;
    }
    w->t[0] = sim->s.x.t;
    w->P[0] = sim->p.works && !sim->s.works ? power_now(sim) : 0;
    if (!isfinite(w->begin + w->P[0]))
        out->balanced = out->conserves = 0;
}

static int energy_left(struct mbs_sim *sim, double off, double allowed)
{
    struct mbs_witness *w = &sim->witness;

    if (w->conserves)
        return mbs_fail(&sim->msg, MBS_DRIFT, sim->s.x.t, -1, -1,
                        "the energy of a system that conserves it has changed by %.3g J at t = %.9g, where the tolerances allow %.3g; take smaller tolerances or another method or formulation",
                        off, sim->s.x.t, allowed);
    return mbs_fail(&sim->msg, MBS_DRIFT, sim->s.x.t, -1, -1,
                    "the energy has changed by %.3g J more or less than the work done, %.3g J, at t = %.9g, where the tolerances allow %.3g; take smaller tolerances or another method or formulation",
                    off, w->work, sim->s.x.t, allowed);
}

/* A mechanism that time moves altogether has no errors but those of its constraints, and takes steps that are too long for the integral of its power. */
static int has_freedom(const struct mbs_sim *sim)
{
    return sim->p.n + (sim->watch ? sim->watch->drops : 0) > sim->p.m;
}

/* Index 3 promises nothing for velocities, a fixed step nothing at all. */
static int energy_look(struct mbs_sim *sim, int end)
{
    struct mbs_account *a = &sim->account;
    struct mbs_witness *w = &sim->witness;
    double E, U, S, absolute, off, allowed, rounding, steps = (double)(sim->witness_steps - sim->witness_looked);

    if (!w->balanced || a->anew)
        return 0;
    E = energy_now(sim, &U);
    a->low = fmin(a->low, U);
    a->high = fmax(a->high, U);
    w->scale = fmax(w->scale, E - U + a->high - a->low + a->largest_work);
    w->work = a->past + a->work;
    off = fabs(E - a->begin - a->work);
    w->drift = fmax(w->drift, off);
    S = energy_tolerance(sim, &absolute);
    a->absolute = fmax(a->absolute, absolute);
    w->drift_allowed += ALLOWED_ENERGY * (steps * S + sim->opt.rtol * (a->turnover - a->looked));
    a->looked = a->turnover;
    sim->witness_looked = sim->witness_steps;
    if (sim->opt.step > 0 || sim->s.form == MBS_INDEX3 || !has_freedom(sim))
        return 0;
    rounding = 1e-10 * w->scale + ROUNDING * (a->turnover + fabs(a->begin));
    allowed = end ? fmin(w->drift_allowed, LARGEST * fmax(1, sim->opt.rtol / 1e-4) * w->scale) : w->drift_allowed;
    allowed += rounding;
    if (off > allowed && is_at_rest(sim))
        return 0;
    w->used = fmax(w->used, off / fmax(allowed, 1e-300));
    return off <= allowed || !sim->opt.witness ? 0 : energy_left(sim, off, allowed);
}

/* Violations at the state as of now into g (m values, zero for rows without one) and gv. */
static void violations(struct mbs_sim *sim, double *g, double *gv)
{
    struct mbs_problem *p = &sim->p;
    struct mbs_state x = mbs_point_state(&sim->s.x, p);
    struct mbs_constraints con = { .g = g, .G = p->dyn.G, .gt = gv };

    if (p->m == 0)
        return;
    p->model->constraints(p->c, &x, &con, p->w);
    mbs_csc_mul(&p->model->G, con.G, 1, x.v, gv);
}

void mbs_witness_reset(struct mbs_sim *sim, int goes_on)
{
    if (!goes_on)
        sim->witness = (struct mbs_witness){ .position_row = -1, .velocity_row = -1 };
    sim->witness.drift_allowed = 0;
    sim->witness_t0 = sim->s.x.t;
    sim->witness_steps = sim->witness_looked = 0;
    violations(sim, sim->witness_start, sim->witness_start + sim->p.m);
    energy_begin(sim, goes_on);
}

/* The method starts anew; so does the polynomial through its last steps. */
void mbs_witness_restart(struct mbs_sim *sim)
{
    struct mbs_account *w = &sim->account;

    w->ends = 1;
    w->t[0] = sim->s.x.t;
    if (sim->witness.balanced && sim->p.works && !sim->s.works)
        w->P[0] = power_now(sim);
}

/* How often P and V may count: on position level by P and by V, on velocity level by V. */
struct promise {
    double pp, pv, vv;
};

static struct promise promise(const struct mbs_sim *sim)
{
    double N = fmax(1, (double)sim->witness_steps), T = fabs(sim->s.x.t - sim->witness_t0);
    struct promise all = { 1, 0, 1 };

    if (sim->s.project)
        return all;
    switch (sim->s.form) {
    case MBS_INDEX3:
        all.vv = HUGE_VAL;
        break;
    case MBS_INDEX2:
        all.pp = N;
        break;
    case MBS_INDEX1:
    case MBS_BAUMGARTE:
        all = (struct promise){ N, N * T, N };
        break;
    case MBS_GGL:
    case MBS_PROJECTED:
    case MBS_FORMS:
        break;
    }
    return all;
}

/* P and V of every row, and what rounding leaves in g into round[i].  Methods hold errors against the values at the begin or at the end of a step or at stages
 * between them: an oscillation that has its dead centres at both has its mean velocity. */
static void row_tolerances(const struct mbs_sim *sim, const double *G, double *P, double *V, double *round)
{
    const struct mbs_problem *p = &sim->p;
    const struct mbs_pattern *g = &p->model->G;
    const double *q = sim->s.x.q, *v = sim->s.x.v, *atol = sim->opt.atol_y;
    const struct mbs_point *from = sim->watch && !sim->by_passage ? &sim->watch->old : &sim->s.x;
    double mean = sim->s.span > 0 ? 1 / sim->s.span : 0;

    for (int i = 0; i < p->m; i++)
        P[i] = V[i] = round[i] = 0;
    for (int j = 0; j < p->n; j++) {
        double tq = (atol ? atol[j] : sim->opt.atol) + sim->opt.rtol * fmax(fabs(q[j]), fabs(from->q[j]));
        double tv = (atol ? atol[p->n + j] : sim->opt.atol) + sim->opt.rtol * fmax(sim->s.way[j] * mean, fmax(fabs(v[j]), fabs(from->v[j])));
        for (int k = g->colptr[j]; k < g->colptr[j + 1]; k++) {
            double size = fabs(G[k]);
            int i = g->rowidx[k];
            P[i] += size * tq;
            V[i] += size * tv;
            round[i] += size * (1 + fabs(q[j]) + fabs(v[j]));
        }
    }
}

/* ---- contradictions ---- */

/* rhs + G x for the x of least size in the norm of M: what no motion can remove.  Names of its rows into text. */
static double remainder_of(struct mbs_sim *sim, const double *rhs, int rows, char *text, size_t size, int *row)
{
    struct mbs_problem *p = &sim->p;
    double *x = p->x, *rest = p->gv, most = 0, given = 0;
    int named = 0;

    memset(x, 0, (size_t)(p->n + p->m) * sizeof *x);
    memset(rest, 0, (size_t)p->m * sizeof *rest);
    for (int i = 0; i < rows; i++) {
        x[p->n + i] = -rhs[i];
        rest[i] = rhs[i];
        given = fmax(given, fabs(rhs[i]));
    }
    mbs_saddle_solve(p->saddle, x);
    mbs_csc_mul(&p->model->G, p->dyn.G, 1, x, rest);
    for (int i = 0; i < rows; i++)
        if (fabs(rest[i]) > most) {
            most = fabs(rest[i]);
            *row = i;
        }
    text[0] = '\0';
    for (int i = 0; i < rows && most > 0; i++)
        if (fabs(rest[i]) > 0.05 * most && named++ < NAMED)
            snprintf(text + strlen(text), size - strlen(text), "%s%.40s", named > 1 ? ", " : "", p->model->constraint[i].name);
    if (named > NAMED)
        snprintf(text + strlen(text), size - strlen(text), ", ...");
    return given > 0 && most > 1e-3 * given ? most : 0;
}

static int contradiction(struct mbs_sim *sim)
{
    static const char *const level_name[] = { "positions", "velocities", "accelerations" };
    struct mbs_problem *p = &sim->p;
    struct mbs_state x = mbs_point_state(&sim->s.x, p);
    double *P = sim->witness_work, *V = P + p->m, *round = V + p->m, *level[3] = { round + p->m, round + 2 * p->m, round + 3 * p->m };
    char names[220];

    if (p->m < 2)
        return 0;
    mbs_eval_dynamics(p, &x, &p->dyn);
    memcpy(level[0], p->dyn.g, (size_t)p->ng * sizeof *level[0]);
    memcpy(level[1], p->dyn.gt, (size_t)p->m * sizeof *level[1]);
    memcpy(level[2], p->dyn.gamma, (size_t)p->m * sizeof *level[2]);
    mbs_csc_mul(&p->model->G, p->dyn.G, 1, x.v, level[1]);
    row_tolerances(sim, p->dyn.G, P, V, round);
    if (mbs_saddle_factor(p->saddle, p->dyn.M, p->dyn.G) <= 0)
        return 0;
    for (int k = 0; k < 3; k++) {
        int row = 0;
        double rest = remainder_of(sim, level[k], k == 0 ? p->ng : p->m, names, sizeof names, &row);
        double floor = k == 0 ? P[row] : k == 1 ? V[row] : 1e-6 * round[row];
        if (rest > 10 * floor + 1e-9 * round[row])
            return mbs_fail(&sim->msg, MBS_INCONSISTENT, x.t, -1, row,
                            "the constraints %s contradict each other: at t = %.9g no %s meet all of them, %.3g remains", names, x.t,
                            level_name[k], rest);
    }
    return 0;
}

int mbs_witness_contradiction(struct mbs_sim *sim)
{
    struct mbs_saddle *saddle = sim->p.saddle;
    int status, dropped = mbs_saddle_dropped(saddle) != NULL;

    /* rows that were left out may be those that contradict */
    if (dropped && mbs_saddle_drop(saddle, NULL))
        return 0;
    status = contradiction(sim);
    if (dropped)
        mbs_saddle_drop(saddle, sim->watch->drop);
    return status;
}

/* ---- after a step ---- */

static int left_constraint(struct mbs_sim *sim, int velocity, int row, double value, double bound)
{
    double t = sim->s.x.t;
    int status = mbs_witness_contradiction(sim);

    if (status || sim->opt.step > 0)
        return status;
    return mbs_fail(&sim->msg, MBS_DRIFT, t, -1, row,
                    "constraint %s is violated by %.3g on the level of %s at t = %.9g, where the tolerances allow %.3g; take another formulation (%s) or smaller tolerances",
                    sim->model->constraint[row].name, value, velocity ? "velocities" : "positions", t, bound,
                    sim->s.form == MBS_GGL || sim->s.form == MBS_PROJECTED ? "index1" : sim->s.method->forms & MBS_FORM(MBS_GGL) ? "ggl" : "projected");
}

int mbs_witness_constraints(struct mbs_sim *sim)
{
    struct mbs_problem *p = &sim->p;
    struct mbs_witness *w = &sim->witness;
    const double *g0 = sim->witness_start, *gv0 = g0 + p->m, T = fabs(sim->s.x.t - sim->witness_t0);
    double *g = p->dyn.g, *gv = p->dyn.gt;
    double *P = sim->witness_work, *V = P + p->m, *round = V + p->m, worst = 0, value = 0, bound = 0;
    struct promise may = promise(sim);
    int velocity = 0, row = -1;

    if (p->m == 0)
        return 0;
    violations(sim, g, gv);
    row_tolerances(sim, p->dyn.G, P, V, round);
    for (int level = 0; level < 2; level++)
        for (int i = 0; i < (level ? p->m : p->ng); i++) {
            double size = fabs(level ? gv[i] : g[i]), start = level ? fabs(gv0[i]) : fabs(g0[i]) + T * fabs(gv0[i]);
            double allowed = ALLOWED * (level ? may.vv * V[i] : may.pp * P[i] + may.pv * V[i]) + 1e-11 * round[i] + 2 * start;
            if (!(size <= (level ? w->velocity : w->position))) {
                *(level ? &w->velocity : &w->position) = size;
                *(level ? &w->velocity_row : &w->position_row) = i;
            }
            if (!level)
                w->strayed = fmax(w->strayed, (size - 2 * start - 1e-11 * round[i]) / P[i]);
            if (!(size <= worst * allowed)) {
                worst = size / allowed;
                value = size;
                bound = allowed;
                velocity = level;
                row = i;
            }
        }
    w->used = fmax(w->used, worst);
    return sim->opt.witness && worst > 1 ? left_constraint(sim, velocity, row, value, bound) : 0;
}

/* A velocity that reaches many times its mean has relative tolerances to match. */
static void note_peak(struct mbs_sim *sim)
{
    const struct mbs_stepper *s = &sim->s;
    struct mbs_witness *w = &sim->witness;

    w->peak = 0;
    for (int i = 0; i < sim->p.n && s->span > 0; i++) {
        double mean = s->way[i] / s->span, atol = sim->opt.atol_y ? sim->opt.atol_y[sim->p.n + i] : sim->opt.atol;
        if (sim->opt.rtol * s->top[i] > TELL * (atol + sim->opt.rtol * mean) && s->top[i] > w->peak * mean) {
            w->peak = s->top[i] / mean;
            w->peak_coord = i;
        }
    }
}

/* An energy that is off by a part of what has moved says that the motion is, too.  A tolerance of it is rtol of what has moved, or what the absolute tolerances
 * of velocities make of it, if that is more. */
static void note_energy(struct mbs_sim *sim)
{
    struct mbs_witness *w = &sim->witness;
    double off = w->drift - ROUNDING * (sim->account.turnover + fabs(sim->account.begin)), part = w->balanced && w->scale > 0 ? off / w->scale : 0;

    w->excess = sim->opt.step == 0 && part > 1e-10 && has_freedom(sim) ? off / fmax(sim->opt.rtol * w->scale, sim->account.absolute) : 0;
    if (!(w->excess > TELL_ENERGY) || is_at_rest(sim))
        w->excess = 0;
}

/* Index 3 promises nothing for velocities, and an energy that is off by no more than they are says nothing about the motion. */
static int is_doubtful(const struct mbs_sim *sim)
{
    const struct mbs_witness *w = &sim->witness;

    return w->strayed > 0 || w->excess > (sim->s.form == MBS_INDEX3 && sim->p.m > 0 ? w->loose : 0);
}

static int doubt(struct mbs_sim *sim)
{
    const struct mbs_witness *w = &sim->witness;
    double t = sim->s.x.t;

    if (sim->opt.witness < 2 || !is_doubtful(sim))
        return 0;
    if (w->strayed > 0)
        return mbs_fail(&sim->msg, MBS_DOUBTFUL, t, -1, w->position_row,
                        "up to t = %.9g positions violate constraint %s by up to %.3g, %.3g tolerances; the formulation %s does not drift", t,
                        sim->model->constraint[w->position_row].name, w->position, w->strayed,
                        sim->s.method->forms & MBS_FORM(MBS_GGL) ? "ggl" : "projected");
    return mbs_fail(&sim->msg, MBS_DOUBTFUL, t, -1, -1,
                    "up to t = %.9g the energy is off by %.3g J, %.2g of what has moved and %.3g tolerances; compare with a tolerance of %.0e or another %s", t, w->drift,
                    w->drift / w->scale, w->excess, (sim->opt.rtol > 0 ? sim->opt.rtol : sim->opt.atol) / 100,
                    sim->p.m > 0 && sim->s.form != MBS_GGL && sim->s.form != MBS_PROJECTED ? "formulation" : "method");
}

int mbs_witness_end(struct mbs_sim *sim, int status)
{
    status = status ? status : mbs_witness_constraints(sim);
    status = status ? status : energy_look(sim, 1);
    note_peak(sim);
    if (!(sim->witness.strayed > TELL) || sim->opt.step > 0)
        sim->witness.strayed = 0;
    sim->witness.loose = sim->opt.step == 0 && sim->s.loose > TELL ? sim->s.loose : 0;
    note_energy(sim);
    return status ? status : doubt(sim);
}

int mbs_witness_step(struct mbs_sim *sim)
{
    long every = sim->witness_steps < MANY ? EVERY : EVERY_LATER;
    int status, unfollowed = sim->watch && sim->watch->drops;

    sim->witness_steps++;
    if (!sim->opt.witness)
        return 0;
    work_step(sim);
    status = sim->witness_steps % every && !unfollowed ? 0 : mbs_witness_constraints(sim);
    return status || sim->witness_steps % (2 * every) ? status : energy_look(sim, 0);
}
