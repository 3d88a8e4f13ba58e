/* SPDX-License-Identifier: MIT
 *
 * Constraints that depend on others everywhere, as those of overconstrained mechanisms do.
 *
 * They depend on each other on the manifold of the constraints only.  The predicted stages lie beside it, so that the
 * Newton matrices are nearly singular there and not quite, which is worse than either.  The dependent rows are
 * therefore left out: their multipliers keep the values of the start, and what they demand is met because the others
 * meet it. A configuration that is singular for a moment must not count as dependent: a displacement d along the motion
 * leaves the manifold by d^2, but it leaves such a configuration by d.  So the rank is decided after a displacement of
 * 1e-3 with a tolerance in between. */
#include "methods/method.h"

#include <math.h>
#include <string.h>

static const double DISPLACEMENT = 1e-3, SINE = 3e-5;

static int evaluate(struct mbs_stepper *s, const double *q)
{
    struct mbs_state x = {.t = s->x.t, .q = q, .v = s->x.v, .z = s->x.z};

    mbs_eval_dynamics(s->p, &x, &s->p->dyn);
    return mbs_finite(s->p->dyn.M, s->p->model->M.nnz) && mbs_finite(s->p->dyn.G, s->p->model->G.nnz);
}

/* q, moved along the velocity, or along the acceleration if there is no velocity. */
static void displace(struct mbs_stepper *s, double *q)
{
    double big = 0, *along = s->x.v;

    for (int pass = 0; pass < 2 && big == 0; pass++) {
        along = pass ? s->x.a : s->x.v;
        for (int i = 0; i < s->p->n; i++)
            big = fmax(big, fabs(along[i]));
    }
    for (int i = 0; i < s->p->n; i++)
        q[i] = s->x.q[i] + (big > 0 ? DISPLACEMENT / big * along[i] : 0);
}

/* Multipliers of least norm at s->x.  Those of the rows left out keep them, and what opposes each other in a vast
 * prestress would spoil the iterations. */
void mbs_relax(struct mbs_stepper *s)
{
    struct mbs_problem *p = s->p;

    s->stat->rank_drops++;
    if (!evaluate(s, s->x.q) || mbs_saddle_factor_rank(p->saddle, p->dyn.M, p->dyn.G, SINE) < 0)
        return;
    for (int i = p->n; i < p->n + p->m; i++)
        p->x[i] = -p->x[i];
    mbs_saddle_solve(p->saddle, p->x);
    if (mbs_finite(p->x, p->n + p->m))
        memcpy(s->x.lambda, p->x + p->n, (size_t)p->m * sizeof *p->x);
}

/* 1 if the constraints are (nearly) dependent at q itself; most models are done with this. */
static int suspect(struct mbs_stepper *s)
{
    struct mbs_problem *p = s->p;
    long near = mbs_saddle_near_singular(p->saddle);

    if (p->m == 0 || !evaluate(s, s->x.q))
        return 0;
    return mbs_saddle_factor(p->saddle, p->dyn.M, p->dyn.G) > 0 || mbs_saddle_near_singular(p->saddle) > near;
}

int mbs_find_dependent(struct mbs_stepper *s, double *work, int surely)
{
    struct mbs_problem *p = s->p;
    const unsigned char *drop = mbs_saddle_dropped(p->saddle);
    int found = 0;

    /* decided for the run */
    if (drop) {
        for (int i = 0; i < p->m; i++)
            found += drop[i];
        memcpy(mbs_saddle_dependent(p->saddle), drop, (size_t)p->m);
        return found;
    }
    if (!surely && !suspect(s))
        return 0;
    displace(s, work);
    if (evaluate(s, work))
        found = mbs_saddle_factor_rank(p->saddle, p->dyn.M, p->dyn.G, SINE);
    return found > 0 ? found : 0;
}
