/* SPDX-License-Identifier: MIT
 *
 * Between events the set of what touches, sticks and slides is fixed: its rows are further constraints on the accelerations,
 *
 *     M a = f - G' lambda + W' mu,      G a + gamma = 0,      W a + wgamma = 0  on the rows that are held,
 *
 * solved on top of the saddle point by its Schur complement A = W K^-1 W' (Delassus' operator, with all two-sided constraints in
 * K), where a sliding contact pushes along its normal and against its slip at once. */
#include "hybrid/touch.h"

#include <string.h>

enum { MOST_ROUNDS = 60 };      /* of reactions that friction follows from */

/* ---- friction by reactions ---- */

/* What the joints bear under the multipliers that go with the forces or impulses mu. */
static void bounds_under(struct mbs_problem *p, const double *mu, double *bound)
{
    struct mbs_touch *c = p->touch;

    memcpy(c->lambda, c->lambda0, (size_t)p->m * sizeof *c->lambda);
    for (int r = 0; r < c->rows; r++)
        for (int i = 0; mu[r] != 0 && i < p->m; i++)
            c->lambda[i] += mu[r] * c->X[r * (p->n + p->m) + p->n + i];
    mbs_touch_evaluate(p, c->t, c->y);
    for (int k = 0; k < c->reacts; k++)
        bound[k] = c->out.law[2 * c->reacting[k] + 1];
}

int mbs_touch_balance(struct mbs_problem *p, int (*solve)(struct mbs_problem *, void *), void *with, double *mu)
{
    struct mbs_touch *c = p->touch;
    struct mbs_broyden *b = &c->bound;
    int status = 0;

    if (c->reacts == 0)
        return solve(p, with);
    mbs_broyden_begin(b);
    for (int round = 0; round < MOST_ROUNDS; round++) {
        for (int k = 0; k < c->reacts; k++)
            c->out.law[2 * c->reacting[k] + 1] = b->x[k];
        if ((status = solve(p, with)))
            return status;
        bounds_under(p, mu, c->z);
        if (mbs_broyden_step(b, c->z, 1e-13))
            return 0;
        if (round > MOST_ROUNDS / 2)    /* what was learnt on the other side of a kink misleads */
            mbs_broyden_begin(b);
    }
    memset(b->x, 0, (size_t)b->n * sizeof *b->x);
    return MBS_TOUCH_NO_BALANCE;
}

static int reacts(const struct mbs_problem *p, int i)
{
    return mbs_touch_pair(p, i)->reacts != 0;
}

int mbs_touch_jammed(struct mbs_problem *p, double t)
{
    char names[200];

    return mbs_fail(p->msg, MBS_NO_CONVERGENCE, t, -1, -1, "no reactions agree with the friction of %s at t = %.12g: the joint jams",
                    mbs_touch_names(p, reacts, names, sizeof names), t);
}

/* ---- forces ---- */

/* mu of the rows that are held and of what slides, on top of accelerations without them, whose parts along the rows are in accel. */
static int hold(struct mbs_problem *p, void *unused)
{
    struct mbs_touch *c = p->touch;
    int n;

    (void)unused;
    memset(c->mu, 0, (size_t)c->rows * sizeof *c->mu);
    for (int i = 0; i < c->n; i++)      /* friction that slides and that nothing presses is a force like any other */
        if (c->closed[i] && !c->locked[i] && mbs_touch_pair(p, i)->kind == MBS_CONTACT_FRICTION && c->slide[i])
            c->mu[mbs_touch_pair(p, i)->first] = mbs_touch_sliding_force(p, i);
    mbs_touch_held(p, &n);
    if (n == 0)
        return 0;
    for (int r = 0; r < c->rows; r++) {
        if (c->place[r] < 0)
            continue;
        c->b[c->place[r]] = -c->accel[r];
        for (int s = 0; s < c->rows; s++)
            if (c->mu[s] != 0)
                c->b[c->place[r]] -= c->mu[s] * c->A[s * c->rows + r];
        for (int i = 0; i < c->n; i++) {
            const struct mbs_contact *pair = mbs_touch_pair(p, i);
            int tan = mbs_touch_tangent(pair);
            for (int s = pair->first; s < pair->first + pair->rows; s++)
                if (c->place[s] >= 0) {
                    double e = c->A[s * c->rows + r];
                    for (int k = 0; s == pair->first && s != tan && tan >= 0 && c->slide[i] && k < mbs_touch_tangents(pair); k++)
                        e -= c->way[3 * i + k] * c->out.law[2 * i + 1] * c->A[(tan + k) * c->rows + r];
                    c->B[c->place[r] * n + c->place[s]] = e;
                }
        }
    }
    mbs_touch_solve_held(c, n);
    for (int i = 0; i < c->n; i++) {
        const struct mbs_contact *pair = mbs_touch_pair(p, i);
        int tan = mbs_touch_tangent(pair);
        for (int s = pair->first; s < pair->first + pair->rows; s++)
            if (c->place[s] >= 0)
                c->mu[s] = c->z[c->place[s]];
        for (int k = 0; c->closed[i] && c->slide[i] && tan >= 0 && pair->kind != MBS_CONTACT_FRICTION && k < mbs_touch_tangents(pair); k++)
            c->mu[tan + k] = -c->way[3 * i + k] * c->out.law[2 * i + 1] * c->mu[pair->first];
    }
    return 0;
}

/* Forces of what touches, added to the accelerations without them, whose factors are in p->saddle. */
int mbs_touch_forces(struct mbs_problem *p, double t, const double *y, double *a, double *lambda)
{
    struct mbs_touch *c = p->touch;
    int any = 0;

    for (int i = 0; i < c->n; i++)
        any |= c->closed[i];
    memset(c->mu, 0, (size_t)c->rows * sizeof *c->mu);
    if (!any)
        return 0;
    memcpy(c->lambda0, p->x + p->n, (size_t)p->m * sizeof *c->lambda0);
    mbs_touch_evaluate(p, t, y);
    mbs_touch_mobility(p, c->closed);
    mbs_touch_accelerations(p, a);
    if (mbs_touch_balance(p, hold, NULL, c->mu))
        return mbs_touch_jammed(p, t);
    for (int r = 0; r < c->rows; r++)
        if (c->mu[r] != 0)
            mbs_touch_push(p, r, c->mu[r], a, lambda);
    return 0;
}

double mbs_touch_power(const struct mbs_problem *p)
{
    const struct mbs_touch *c = p->touch;
    double sum = 0;

    for (int r = 0; r < c->rows; r++)
        if (c->mu[r] != 0)
            sum += c->mu[r] * (c->rate[r] - c->out.wt[r]);
    return sum;
}

/* ---- guards ---- */

/* Two guards a contact: it closes or opens, it begins to slide or turns back.  The point's forces must be those in mu. */
void mbs_touch_guards(struct mbs_sim *sim, const struct mbs_point *x, double *h, double *hdot)
{
    struct mbs_problem *p = &sim->p;
    struct mbs_touch *c = p->touch;

    mbs_accelerations(p, x->t, x->q, c->a, NULL, p->dyn.zdot);
    mbs_touch_evaluate(p, x->t, x->q);
    mbs_touch_accelerations(p, c->a);
    for (int i = 0; i < c->n; i++) {
        const struct mbs_contact *pair = mbs_touch_pair(p, i);
        int f = pair->first, t = mbs_touch_tangent(pair);
        double bound = c->out.law[2 * i + 1] * (pair->kind == MBS_CONTACT_FRICTION ? 1 : c->mu[f]);
        h[2 * i] = h[2 * i + 1] = -1;
        hdot[2 * i] = hdot[2 * i + 1] = 0;
        if (pair->kind != MBS_CONTACT_FRICTION && c->closed[i])
            h[2 * i] = c->locked[i] ? fabs(mbs_touch_way(c, pair)) - c->band[i] : -c->mu[f];
        else if (pair->kind == MBS_CONTACT_GAP) {
            h[2 * i] = -c->out.dist[f];
            hdot[2 * i] = -c->rate[f];
        } else if (pair->kind == MBS_CONTACT_RATE) {
            h[2 * i] = -c->rate[f];
            hdot[2 * i] = -c->accel[f];
        }
        if (t < 0 || !c->closed[i] || mbs_touch_is_smooth(p, i))
            continue;
        if (c->slide[i]) {
            h[2 * i + 1] = -mbs_touch_slip(c, pair, i, c->rate);
            hdot[2 * i + 1] = -mbs_touch_slip(c, pair, i, c->accel);
        } else {
            h[2 * i + 1] = mbs_touch_length(pair, c->mu) - bound;
        }
    }
}
