/* SPDX-License-Identifier: GPL-3.0-or-later
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
 * A fixed step promises nothing; there only contradictions are looked for.  ALLOWED times that, and what rounding leaves, is the bound.  What lies beyond is no solution of what was asked for.
 * It is looked at in every fourth step and at the end of a run. */
#include "sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double ALLOWED = 100;
enum { EVERY = 4, NAMED = 4 };

void mbs_witness_reset(struct mbs_sim *sim)
{
    sim->witness = (struct mbs_witness){ .position_row = -1, .velocity_row = -1 };
    sim->witness_t0 = sim->s.x.t;
    sim->witness_steps = 0;
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

int mbs_witness_contradiction(struct mbs_sim *sim)
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
    struct mbs_state x = mbs_point_state(&sim->s.x, p);
    struct mbs_constraints con = { .g = p->dyn.g, .G = p->dyn.G, .gt = p->dyn.gt };
    double *P = sim->witness_work, *V = P + p->m, *round = V + p->m, worst = 0, value = 0, bound = 0;
    struct promise may = promise(sim);
    int velocity = 0, row = -1;

    if (p->m == 0)
        return 0;
    p->model->constraints(p->c, &x, &con, p->w);
    mbs_csc_mul(&p->model->G, con.G, 1, x.v, con.gt);
    row_tolerances(sim, con.G, P, V, round);
    for (int level = 0; level < 2; level++)
        for (int i = 0; i < (level ? p->m : p->ng); i++) {
            double size = fabs(level ? con.gt[i] : con.g[i]);
            double allowed = ALLOWED * (level ? may.vv * V[i] : may.pp * P[i] + may.pv * V[i]) + 1e-11 * round[i];
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

int mbs_witness_step(struct mbs_sim *sim)
{
    return ++sim->witness_steps % EVERY ? 0 : mbs_witness_constraints(sim);
}
