/* SPDX-License-Identifier: MIT
 *
 * Bodies that approach each other collide: v+ = v- + K^-1 W' Lambda with Newton's law, v_N+ >= -e v_N-, or Poisson's, and Coulomb friction of the
 * impulses. */
#include "hybrid/touch.h"

#include <string.h>

#define REST 1e-10              /* relative to t: a contact whose impacts accumulate within this time comes to rest */

/* Restitution of contact i at an impact that stops the velocity v: impacts that accumulate at once, or that are rounding errors, are the last one. */
static double restitution(const struct mbs_sim *sim, int i, double v)
{
    const struct mbs_touch *c = sim->p.touch;
    double e = c->out.law[2 * i], a = -c->accel[mbs_touch_pair(&sim->p, i)->first];
    double rest = REST * fmax(fabs(sim->s.x.t), 1);

    return (e < 1 && a > 0 && 2 * e * v < rest * (1 - e) * a) || v < 1e-13 * mbs_touch_fastest(sim) || c->settle == i ? 0 : e;
}

/* Impulses that take the velocities b of the rows to allowed ones, added to `impulse`; b becomes those. */
static int phase(struct mbs_problem *p, double *b, const double *least)
{
    struct mbs_touch *c = p->touch;
    struct mbs_touch_problem of = { .b = b, .least = least, .mu = c->mu };
    int status = mbs_touch_balance(p, mbs_touch_complement, &of, c->mu);

    for (int r = 0; status == 0 && r < c->rows; r++) {
        c->impulse[r] += c->mu[r];
        for (int s = 0; c->mu[r] != 0 && s < c->rows; s++)
            b[s] += c->mu[r] * c->A[r * c->rows + s];
    }
    return status;
}

/* Impulses of all contacts by Newton's law.  If one follows Poisson's there are two phases (Pfeiffer & Glocker 1996, 8): compression, without any
 * restitution, then expansion, in which its normal impulse is at least e times that of the compression. */
static int impulses(struct mbs_sim *sim)
{
    struct mbs_problem *p = &sim->p;
    struct mbs_touch *c = p->touch;
    int two = 0, status;

    memcpy(c->x, c->rate, (size_t)c->rows * sizeof *c->rate);
    memset(c->least, 0, (size_t)c->rows * sizeof *c->least);
    for (int i = 0; i < c->n; i++)
        two |= c->candidate[i] && mbs_touch_pair(p, i)->poisson && c->out.law[2 * i] > 0;
    if (two && (status = phase(p, c->x, NULL)))
        return status;
    for (int i = 0; i < c->n; i++) {
        int f = mbs_touch_pair(p, i)->first;
        if (!c->candidate[i] || mbs_touch_pair(p, i)->kind != MBS_CONTACT_GAP)
            continue;
        if (mbs_touch_pair(p, i)->poisson)
            c->least[f] = restitution(sim, i, c->impulse[f] * c->A[f * c->rows + f]) * c->impulse[f];
        else if (c->rate[f] < 0)
            c->x[f] += restitution(sim, i, -c->rate[f]) * c->rate[f];
    }
    return phase(p, c->x, two ? c->least : NULL);
}

/* Do the two-sided constraints take contact i beyond its bound?  No force could hinder them. */
static int is_overrun(const struct mbs_sim *sim, int i)
{
    const struct mbs_touch *c = sim->p.touch;
    const struct mbs_contact *pair = mbs_touch_pair(&sim->p, i);

    return pair->kind != MBS_CONTACT_FRICTION && c->candidate[i] && c->locked[i] && mbs_touch_way(c, pair) < -mbs_touch_known(sim, i);
}

int mbs_touch_collide(struct mbs_sim *sim, int *hit)
{
    struct mbs_problem *p = &sim->p;
    struct mbs_touch *c = p->touch;
    double still = MBS_TOUCH_STILL * mbs_touch_fastest(sim);
    char names[200];

    *hit = 0;
    memset(c->impulse, 0, (size_t)c->rows * sizeof *c->impulse);
    memcpy(c->v_before, sim->s.x.v, (size_t)p->n * sizeof *c->v_before);
    for (int i = 0; i < c->n; i++) {
        const struct mbs_contact *pair = mbs_touch_pair(p, i);
        int f = pair->first;
        c->candidate[i] = pair->kind == MBS_CONTACT_GAP ? c->closed[i] || c->out.dist[f] <= mbs_touch_nearness(sim, i)
                          : pair->kind == MBS_CONTACT_RATE ? c->rate[f] <= still : pair->reacts;
        *hit |= c->candidate[i] && pair->kind != MBS_CONTACT_FRICTION && c->rate[f] < -1e-14 * mbs_touch_fastest(sim);
    }
    if (!*hit)
        return 0;
    mbs_touch_mobility(p, c->candidate);
    for (int i = 0; i < c->n; i++)
        if (is_overrun(sim, i))
            return mbs_fail(&sim->msg, MBS_INCONSISTENT, sim->s.x.t, -1, -1, MBS_OVERRUN, p->model->contact[i].name, sim->s.x.t);
    memset(c->lambda0, 0, (size_t)p->m * sizeof *c->lambda0);   /* of impulses */
    if (impulses(sim))
        return mbs_fail(&sim->msg, MBS_NO_CONVERGENCE, sim->s.x.t, -1, -1, "no impulses at %s bring the bodies apart at t = %.12g",
                        mbs_touch_names(p, mbs_touch_is_candidate, names, sizeof names), sim->s.x.t);
    for (int r = 0; r < c->rows; r++)
        if (c->impulse[r] != 0)
            mbs_touch_push(p, r, c->impulse[r], sim->s.x.v, NULL);
    return 0;
}
