/* SPDX-License-Identifier: MIT
 *
 * At an event what touches is found anew: impacts, then the accelerations decide who stays, sticks and slides. */
#include "hybrid/touch.h"

#include <string.h>

/* ---- modes ---- */

/* Of a contact that slides friction may turn its own compliance round.  Where it would open without force, c->x > 0, there are then two
 * solutions of its law, and nothing says which: the first such contact, or -1. */
static int undetermined(const struct mbs_problem *p)
{
    const struct mbs_touch *c = p->touch;

    for (int i = 0; i < c->n; i++) {
        const struct mbs_contact *pair = mbs_touch_pair(p, i);
        int f = pair->first, t = mbs_touch_tangent(pair);
        double own = c->A[f * c->rows + f];
        if (pair->kind != MBS_CONTACT_GAP || !mbs_touch_takes_part(c, i) || !c->slide[i] || !(c->x[f] > 0))
            continue;
        for (int k = 0; k < mbs_touch_tangents(pair); k++)
            own -= c->way[3 * i + k] * c->out.law[2 * i + 1] * c->A[(t + k) * c->rows + f];
        if (own < -MBS_TOUCH_LOCKED * c->A[f * c->rows + f])
            return i;
    }
    return -1;
}

/* Can friction not hold contact i, since the two-sided constraints leave it no way to act?  At its bound it changes the acceleration by next to nothing. */
static int is_powerless(const struct mbs_problem *p, int i)
{
    const struct mbs_touch *c = p->touch;
    const struct mbs_contact *pair = mbs_touch_pair(p, i);
    int t = mbs_touch_tangent(pair);

    return c->locked[i] || (pair->kind == MBS_CONTACT_FRICTION && !pair->reacts && c->A[t * c->rows + t] * c->out.law[2 * i + 1] < 1e-6 * fabs(c->accel[t]));
}

/* What the two-sided constraints hold at this instant only does not stick: a rocker in its dead centre has no velocity, and goes back. */
static void turn_back(struct mbs_problem *p)
{
    struct mbs_touch *c = p->touch;
    double size = 1;

    for (int i = 0; i < p->n; i++)
        size = fmax(size, fabs(c->a[i]));
    for (int i = 0; i < c->n; i++) {
        const struct mbs_contact *pair = mbs_touch_pair(p, i);
        if (mbs_touch_tangent(pair) >= 0 && c->candidate[i] && !c->slide[i] && mbs_touch_length(pair, c->accel) > 1e-9 * size && is_powerless(p, i))
            mbs_touch_slides(c, pair, i, c->accel, 1);
    }
}

/* Who may stay: what is near and does not leave; and who slides.  size: of the accelerations. */
static void find_candidates(struct mbs_sim *sim, double size)
{
    struct mbs_problem *p = &sim->p;
    struct mbs_touch *c = p->touch;
    double still = MBS_TOUCH_STILL * mbs_touch_fastest(sim);

    for (int i = 0; i < c->n; i++) {
        const struct mbs_contact *pair = mbs_touch_pair(p, i);
        int f = pair->first, t = mbs_touch_tangent(pair);
        int near = pair->kind == MBS_CONTACT_FRICTION || pair->kind == MBS_CONTACT_RATE || (c->closed[i] && !c->locked[i]) ||
                   c->out.dist[f] <= mbs_touch_nearness(sim, i);
        /* a leap that is lower than what the gap is known to is none */
        double slow = pair->kind == MBS_CONTACT_GAP ? fmax(still, sqrt(2 * size * mbs_touch_rounding(sim, i))) : still;
        c->candidate[i] = (unsigned char)(near && i != c->leaves && (pair->kind == MBS_CONTACT_FRICTION || c->rate[f] <= slow));
        c->slide[i] = 0;
        if (t >= 0 && (mbs_touch_length(pair, c->rate) > still || mbs_touch_is_smooth(p, i)))
            mbs_touch_slides(c, pair, i, c->rate, 1);
    }
}

/* Forces of the candidates, and in x the accelerations of the rows with them. */
static int find_forces(struct mbs_sim *sim)
{
    struct mbs_problem *p = &sim->p;
    struct mbs_touch *c = p->touch;
    struct mbs_touch_problem of = { .b = c->accel, .forces = 1, .mu = c->mu };
    int status = mbs_touch_balance(p, mbs_touch_complement, &of, c->mu);
    char names[200];

    if (status == MBS_TOUCH_NO_BALANCE)
        return mbs_touch_jammed(p, sim->s.x.t);
    if (status)
        return mbs_fail(&sim->msg, MBS_NO_CONVERGENCE, sim->s.x.t, -1, -1,
                        "no forces at %s agree with Coulomb's law at t = %.12g: friction jams the contact (Painleve's paradox)",
                        mbs_touch_names(p, mbs_touch_is_candidate, names, sizeof names), sim->s.x.t);
    memcpy(c->x, c->accel, (size_t)c->rows * sizeof *c->x);
    for (int s = 0; s < c->rows; s++)
        for (int r = 0; c->mu[s] != 0 && r < c->rows; r++)
            c->x[r] += c->mu[s] * c->A[s * c->rows + r];
    if ((status = undetermined(p)) >= 0)
        return mbs_fail(&sim->msg, MBS_NO_CONVERGENCE, sim->s.x.t, -1, -1,
                        "the force at %s is not determined at t = %.12g: friction lets it leave and jam at once (Painleve's paradox)",
                        p->model->contact[status].name, sim->s.x.t);
    return 0;
}

/* Who stays, sticks and slides, by the accelerations. */
static int settle_modes(struct mbs_sim *sim)
{
    struct mbs_problem *p = &sim->p;
    struct mbs_touch *c = p->touch;
    double size = 0;
    int status;

    for (int r = 0; r < c->rows; r++)
        size = fmax(size, fabs(c->accel[r]));
    find_candidates(sim, size);
    mbs_touch_ways(p);
    mbs_touch_mobility(p, c->candidate);
    turn_back(p);
    if ((status = find_forces(sim)))
        return status;
    for (int i = 0; i < c->n; i++) {
        const struct mbs_contact *pair = mbs_touch_pair(p, i);
        int f = pair->first, t = mbs_touch_tangent(pair);
        double bound = c->out.law[2 * i + 1] * (pair->kind == MBS_CONTACT_FRICTION ? 1 : c->mu[f]);
        /* without force and acceleration nothing is decided: it stays, unless others leave at this instant; what is locked stays while it is near */
        int idle = (c->leaves < 0 && c->x[f] <= 1e-12 * (1 + size)) || c->locked[i];
        if (c->locked[i])
            c->band[i] = 10 * mbs_touch_known(sim, i);
        c->closed[i] = (unsigned char)(c->candidate[i] && (pair->kind == MBS_CONTACT_FRICTION || c->mu[f] > 0 || idle));
        if (t >= 0 && c->closed[i] && !c->slide[i] && mbs_touch_length(pair, c->mu) >= bound * (1 - 1e-9))
            mbs_touch_slides(c, pair, i, bound > 0 ? c->mu : c->x, bound > 0 ? -1 : 1);
    }
    return 0;
}

/* ---- events ---- */

/* Brings q onto the gaps that are closed and v onto the rows that are held. */
static void straighten(struct mbs_sim *sim)
{
    struct mbs_problem *p = &sim->p;
    struct mbs_touch *c = p->touch;
    int n;

    for (int level = 0; level < 2; level++) {
        if (mbs_touch_free_motion(sim))
            return;
        mbs_touch_mobility(p, c->closed);
        mbs_touch_held(p, &n);
        for (int r = 0; r < c->rows; r++) {
            if (c->place[r] < 0)
                continue;
            c->b[c->place[r]] = level ? -c->rate[r] : -c->out.dist[r];
            for (int s = 0; s < c->rows; s++)
                if (c->place[s] >= 0)
                    c->B[c->place[r] * n + c->place[s]] = c->A[s * c->rows + r];
        }
        if (n == 0)
            return;
        mbs_touch_solve_held(c, n);
        for (int r = 0; r < c->rows; r++)
            if (c->place[r] >= 0)
                mbs_touch_push(p, r, c->z[c->place[r]], level ? sim->s.x.v : sim->s.x.q, NULL);
    }
}

/* Of redundant contacts forces of least size may pull although others would not, and forces that have just become zero are negative by a
 * rounding error: such contacts leave, the strongest first. */
static int let_go(struct mbs_sim *sim)
{
    struct mbs_touch *c = sim->p.touch;
    int status, worst;

    for (int round = 0; round <= c->n; round++) {
        sim->fresh_accelerations = 0;
        if ((status = mbs_sim_complete(sim)))
            return status;
        worst = -1;
        for (int i = 0; i < c->n; i++) {
            int f = mbs_touch_pair(&sim->p, i)->first;
            if (c->closed[i] && mbs_touch_pair(&sim->p, i)->kind != MBS_CONTACT_FRICTION && c->mu[f] < 0 &&
                (worst < 0 || c->mu[f] < c->mu[mbs_touch_pair(&sim->p, worst)->first]))
                worst = i;
        }
        if (worst < 0)
            return 0;
        c->closed[worst] = 0;
    }
    return 0;
}

int mbs_touch_resolve(struct mbs_sim *sim, int *hit)
{
    int status;

    if ((status = mbs_touch_free_motion(sim)) || (status = mbs_touch_collide(sim, hit)))
        return status;
    if (*hit && (status = mbs_touch_free_motion(sim)))
        return status;
    if ((status = settle_modes(sim)))
        return status;
    straighten(sim);
    sim->p.touch->settle = sim->p.touch->leaves = -1;
    return let_go(sim);
}

void mbs_touch_straighten(struct mbs_sim *sim)
{
    straighten(sim);
    sim->fresh_accelerations = 0;
}

int mbs_touch_begin(struct mbs_sim *sim)
{
    struct mbs_problem *p = &sim->p;
    struct mbs_touch *c = p->touch;
    int hit;

    memset(c->closed, 0, (size_t)c->n);
    memset(c->slide, 0, (size_t)c->n);
    c->settle = c->leaves = -1;
    mbs_inputs_at(p, sim->s.x.t);
    mbs_touch_evaluate(p, sim->s.x.t, sim->s.x.q);
    for (int i = 0; i < c->n; i++) {
        double gap = c->out.dist[mbs_touch_pair(p, i)->first];
        if (mbs_touch_pair(p, i)->kind == MBS_CONTACT_GAP && gap < -1e-8)
            return mbs_fail(&sim->msg, MBS_INCONSISTENT, sim->s.x.t, -1, -1, "at the start the one-sided constraint %s is violated by %.3g",
                            p->model->contact[i].name, -gap);
    }
    return mbs_touch_resolve(sim, &hit);
}

/* How far what is held has drifted off, in tolerances. */
double mbs_touch_drift(struct mbs_sim *sim)
{
    struct mbs_problem *p = &sim->p;
    struct mbs_touch *c = p->touch;
    double drift = 0, v = mbs_touch_fastest(sim), tol = sim->opt.atol + sim->opt.rtol;
    int n;

    mbs_touch_evaluate(p, sim->s.x.t, sim->s.x.q);
    mbs_touch_held(p, &n);
    for (int r = 0; n > 0 && r < c->rows; r++)
        if (c->place[r] >= 0)
            drift = fmax(drift, fmax(fabs(c->out.dist[r]) / tol, fabs(c->rate[r]) / (tol * v)));
    return drift;
}

int mbs_touch_inside(const struct mbs_sim *sim, int i)
{
    const struct mbs_touch *c = sim->p.touch;
    const struct mbs_contact *pair = &sim->model->pair[i];

    return pair->kind == MBS_CONTACT_GAP && !c->closed[i] && c->out.dist[pair->first] < -MBS_TOUCH_NEAR;
}
