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
 * It is looked at in every eighth step and at the end of a run.
 *
 * Energy.  The errors of one step change T + U by no more than
 *
 *     S = sum_i |p_i| tol(v_i) + |f_i| tol(q_i),     p = M v,
 *
 * so that N steps may change it by N S, but never by a twentieth of T and the range of U.  Whether the system conserves its energy
 * at all is seen from the model itself: with
 * the accelerations that it gives, T and U must change at opposite rates, but for the work lambda' (G v + gt) that the
 * constraint forces do on a violation.  The rates are differences of the energies a little before and behind the point
 * along (v, a).  Where one of them does not balance, something drives or brakes, and the energy
 * is no witness for the rest of the run.  Looked at in every 16th step; the verdict is given at the end, since a short
 * force between two looks must not end a run. */
#include "watch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Right runs of the models here use a twentieth of it, at most a third. */
static const double ALLOWED = 30;
/* However many steps there were: who asks for four digits does not want an energy that is off by a twentieth. */
static const double LARGEST = 0.05;
enum { EVERY = 8, EVERY_ENERGY = 16, NAMED = 4 };

/* ---- energy ---- */

static void energy_at(struct mbs_sim *sim, double t, const double *y, double E[2])
{
    struct mbs_problem *p = &sim->p;
    struct mbs_state x = { .t = t, .q = y, .v = y + p->n, .z = y + 2 * p->n, .u = p->u };

    mbs_inputs_at(p, t);
    p->model->energy(p->c, &x, E, p->w);
}

/* The rate of the motion: what is of order one changes within 1/rate. */
static double motion_rate(const struct mbs_sim *sim, const double *a)
{
    const struct mbs_point *x = &sim->s.x;
    double fast = 1e-300;

    for (int i = 0; i < sim->p.n; i++) {
        fast = fmax(fast, fabs(x->v[i]) / (1 + fabs(x->q[i])));
        if (a[i] != 0)
            fast = fmax(fast, fabs(a[i]) / (fabs(x->v[i]) + sqrt(fabs(a[i]))));
    }
    return fast;
}

/* Rates of T and U along the motion with accelerations a, by central differences over the times -h and h. */
static void energy_rates(struct mbs_sim *sim, const double *a, double h, double rate[2])
{
    struct mbs_problem *p = &sim->p;
    const struct mbs_point *x = &sim->s.x;
    double before[2], behind[2];

    for (int side = -1; side <= 1; side += 2) {
        double d = side * h, *y = p->ytmp;
        for (int i = 0; i < p->n; i++) {
            y[i] = x->q[i] + d * (x->v[i] + d / 2 * a[i]);
            y[p->n + i] = x->v[i] + d * a[i];
        }
        memcpy(y + 2 * p->n, x->z, (size_t)p->nz * sizeof *y);
        energy_at(sim, x->t + d, y, side < 0 ? before : behind);
    }
    for (int k = 0; k < 2; k++)
        rate[k] = (behind[k] - before[k]) / (2 * h);
}

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

/* M v and f; from M and G of mbs_accelerations and its result x = (a, lambda), or by recursions. */
static void momentum_and_force(struct mbs_sim *sim, double *momentum, double *force)
{
    struct mbs_problem *p = &sim->p;
    const struct mbs_model *o = p->model;

    memset(momentum, 0, (size_t)p->n * sizeof *momentum);
    memset(force, 0, (size_t)p->n * sizeof *force);
    if (is_forward(p)) {
        residual_at(sim, momentum, force);
        residual_at(sim, sim->s.x.v, momentum);
        for (int i = 0; i < p->n; i++) {
            momentum[i] -= force[i];
            force[i] = -force[i];
        }
        return;
    }
    mbs_csc_mul_sym(&o->M, p->dyn.M, 1, sim->s.x.v, momentum);
    mbs_csc_mul_sym(&o->M, p->dyn.M, 1, p->x, force);
    mbs_csc_mul_t(&o->G, p->dyn.G, 1, p->x + p->n, force);
}

/* S at the point as of now. */
static double energy_tolerance(struct mbs_sim *sim)
{
    struct mbs_problem *p = &sim->p;
    const double *atol = sim->opt.atol_y, *q = sim->s.x.q, *v = sim->s.x.v;
    double *momentum = p->ytmp, *force = p->ytmp + p->n, sum = 0;

    momentum_and_force(sim, momentum, force);
    for (int i = 0; i < p->n; i++)
        sum += fabs(momentum[i]) * ((atol ? atol[p->n + i] : sim->opt.atol) + sim->opt.rtol * fabs(v[i])) +
               fabs(force[i]) * ((atol ? atol[i] : sim->opt.atol) + sim->opt.rtol * fabs(q[i]));
    return sum;
}

/* lambda' (G v + gt) with the lambda of mbs_accelerations */
static double violation_power(struct mbs_sim *sim)
{
    struct mbs_problem *p = &sim->p;
    struct mbs_state x = mbs_point_state(&sim->s.x, p);
    struct mbs_constraints con = { .g = p->dyn.g, .G = p->dyn.G, .gt = p->dyn.gt };
    double sum = 0;

    if (p->m == 0)
        return 0;
    p->model->constraints(p->c, &x, &con, p->w);
    mbs_csc_mul(&p->model->G, con.G, 1, x.v, con.gt);
    for (int i = 0; i < p->m; i++)
        sum += p->x[p->n + i] * con.gt[i];
    return sum;
}

/* What rounding errors of M a do to v' M a: large where light and heavy bodies share coordinates.  Without M: what a leaves of
 * M a = f, a hundred times, since that is one sample and no bound. */
static double rounding_power(struct mbs_sim *sim)
{
    const struct mbs_pattern *M = &sim->model->M;
    const double *v = sim->s.x.v, *a = sim->witness_a;
    double sum = 0, *r = sim->p.ytmp;

    if (is_forward(&sim->p)) {
        residual_at(sim, a, r);
        for (int i = 0; i < sim->p.n; i++)
            sum += 100 * fabs(v[i] * r[i]);
        return sum;
    }
    for (int j = 0; j < sim->p.n; j++)
        for (int k = M->colptr[j]; k < M->colptr[j + 1]; k++)
            sum += fabs(sim->p.dyn.M[k]) * (fabs(v[j] * a[M->rowidx[k]]) + fabs(a[j] * v[M->rowidx[k]]));
    return 1e-15 * sum;
}

/* 1 if T and U change at opposite rates but for `lost`.  What drives or brakes shows over any short time as the same
 * imbalance; what comes from differences over too long a time shrinks with it, and rounding errors grow. */
static int is_conserving(struct mbs_sim *sim, double lost, double rounding)
{
    double h = 1e-5 / motion_rate(sim, sim->witness_a), rate[2], last = 0;

    for (int k = 0; k < 3; k++, h /= 8) {
        double off;
        energy_rates(sim, sim->witness_a, h, rate);
        off = rate[0] + rate[1] + lost;
        if (fabs(off) <= 1e-5 * (fabs(rate[0]) + fabs(rate[1])) + 1e-9 * sim->witness.scale + rounding)
            return 1;
        if (k > 0 && off * last > 0 && fabs(off - last) < 0.2 * fabs(last))
            return 0;
        last = off;
    }
    return 1;
}

/* Keeps account of the energy at s->x. */
static void energy_look(struct mbs_sim *sim)
{
    struct mbs_witness *w = &sim->witness;
    struct mbs_statistics stat = sim->stat;     /* the witness does not count */
    double E[2], S, lost, rounding;
    enum mbs_form form = sim->p.form;
    int failed;
    long steps = sim->witness_steps - sim->witness_looked;

    if (!sim->model->energy || !w->conserves)
        return;
    sim->p.form = MBS_INDEX1;                   /* the accelerations of the motion, not Baumgarte's */
    failed = mbs_accelerations(&sim->p, sim->s.x.t, sim->s.x.q, sim->witness_a, NULL, sim->witness_a + sim->p.n);
    sim->p.form = form;
    if (failed) {
        w->conserves = 0;
        sim->msg.status = 0;
        return;
    }
    S = energy_tolerance(sim);
    rounding = rounding_power(sim);
    lost = violation_power(sim);
    energy_at(sim, sim->s.x.t, sim->s.x.q, E);
    sim->stat = stat;
    if (sim->witness_steps == 0) {
        sim->witness_energy = E[0] + E[1];
        sim->witness_low = sim->witness_high = E[1];
    }
    sim->witness_low = fmin(sim->witness_low, E[1]);
    sim->witness_high = fmax(sim->witness_high, E[1]);
    w->scale = fmax(w->scale, E[0] + sim->witness_high - sim->witness_low);
    w->conserves = is_conserving(sim, lost, rounding);
    w->drift = fmax(w->drift, fabs(E[0] + E[1] - sim->witness_energy));
    w->drift_allowed += ALLOWED * (double)steps * S;
    sim->witness_looked = sim->witness_steps;
}

/* At the end of a run.  Index 3 promises nothing for velocities, a fixed step nothing at all. */
static int energy_verdict(struct mbs_sim *sim)
{
    struct mbs_witness *w = &sim->witness;
    double allowed;

    energy_look(sim);
    allowed = fmin(w->drift_allowed, LARGEST * fmax(1, sim->opt.rtol / 1e-4) * w->scale) + 1e-10 * w->scale;
    allowed += 1e-13 * fabs(sim->witness_energy);       /* its rounding errors, where nothing moves */
    if (!w->conserves || !sim->model->energy || sim->opt.step > 0 || sim->s.form == MBS_INDEX3)
        return 0;
    w->used = fmax(w->used, w->drift / fmax(allowed, 1e-300));
    if (w->drift <= allowed || !sim->opt.witness)
        return 0;
    return mbs_fail(&sim->msg, MBS_DRIFT, sim->s.x.t, -1, -1,
                    "the energy of a system that conserves it has changed by %.3g J, where the tolerances allow %.3g; take smaller tolerances or another method or formulation",
                    w->drift, allowed);
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

void mbs_witness_reset(struct mbs_sim *sim)
{
    sim->witness = (struct mbs_witness){ .position_row = -1, .velocity_row = -1, .conserves = 1 };
    sim->witness_t0 = sim->s.x.t;
    sim->witness_steps = sim->witness_looked = 0;
    violations(sim, sim->witness_start, sim->witness_start + sim->p.m);
    energy_look(sim);
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

/* P and V of every row into out[i] and out[m + i], and what rounding leaves in g into round[i]. */
static void row_tolerances(const struct mbs_sim *sim, const double *G, double *P, double *V, double *round)
{
    const struct mbs_problem *p = &sim->p;
    const struct mbs_pattern *g = &p->model->G;
    const double *q = sim->s.x.q, *v = sim->s.x.v, *atol = sim->opt.atol_y;

    for (int i = 0; i < p->m; i++)
        P[i] = V[i] = round[i] = 0;
    for (int j = 0; j < p->n; j++) {
        double tq = (atol ? atol[j] : sim->opt.atol) + sim->opt.rtol * fabs(q[j]);
        double tv = (atol ? atol[p->n + j] : sim->opt.atol) + sim->opt.rtol * fabs(v[j]);
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

int mbs_witness_end(struct mbs_sim *sim)
{
    int status = mbs_witness_constraints(sim);

    return status ? status : energy_verdict(sim);
}

int mbs_witness_step(struct mbs_sim *sim)
{
    if (++sim->witness_steps % EVERY_ENERGY == 0)
        energy_look(sim);
    return sim->witness_steps % EVERY ? 0 : mbs_witness_constraints(sim);
}
