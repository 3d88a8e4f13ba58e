/* SPDX-License-Identifier: MIT
 *
 * Attempts of explicit Runge-Kutta steps of several simulations at once, each from its own time with its own step and its own error.  Stages, error,
 * projection, the slope at the new point and G there come from the vectors of the model's batch; all the rest of a step is done by each simulation as if
 * it were alone. */
#include "methods/batch.h"

#include <math.h>

static double *first_slope(struct mbs_stepper *s)
{
    struct erk *e = s->self;

    mbs_erk_swap(e);
    return e->k[0];
}

static double *power_of(struct mbs_stepper *s)
{
    return ((struct erk *)s->self)->power;
}

void mbs_erk_leave(const struct mbs_lanes *b, int lane, const struct mbs_stepper *s)
{
    struct erk *e = s->self;

    if (e->wide == &b->wide[lane])
        e->wide = NULL;
}

static int is_accepted(const struct mbs_stepper *s, const struct mbs_attempt *a)
{
    return a->err <= 1 || s->opt->step > 0;
}

/* Points onto the constraints where that is wanted. */
static void project(struct mbs_lanes *b, struct mbs_stepper *const *s, const struct mbs_attempt *a, const int *alone)
{
    int want[MBS_LANES_MOST], any = 0;

    for (int l = 0; l < b->lanes; l++)
        any |= want[l] = s[l] && !alone[l] && s[l]->project && b->m && b->saddle && is_accepted(s[l], &a[l]);
    if (!any)
        return;
    mbs_lanes_dynamics(b, s, b->y_new, b->err3 + 2 * b->n * b->lanes, 0);
    mbs_wide_factor(b->saddle, b->M, b->G, b->G, b->unsafe);
    for (int l = 0; l < b->lanes; l++)
        want[l] = want[l] && b->unsafe[l] == 0;
    mbs_lanes_project(b, s, want);
    for (int l = 0; l < b->lanes; l++)
        b->wide[l].ended |= want[l];
}

/* The slope at the points that will be the new ones, and G there. */
static void end_points(struct mbs_lanes *b, struct mbs_stepper *const *s, const struct mbs_attempt *a, int *alone, int known)
{
    int slopes = 0;

    for (int l = 0; l < b->lanes; l++)
        slopes |= s[l] && !alone[l] && b->wide[l].ended && is_accepted(s[l], &a[l]) && !(known && !s[l]->project);
    if (!slopes && !known)
        return;
    if (slopes) {
        mbs_lanes_slopes(b, s, b->y_new, b->k[b->tab->stages]);
        for (int l = 0; l < b->lanes; l++)
            alone[l] |= s[l] && b->wide[l].ended && is_accepted(s[l], &a[l]) && b->unsafe[l] != 0;
    }
    if (b->m && b->model->batch->constraints)
        mbs_lanes_constraints(b, b->y_new, b->G);
}

/* What the simulation needs of it, be it refused or not; its stages stay here until it asks for them. */
static void take(struct mbs_lanes *b, int l, struct mbs_stepper *s, const struct mbs_attempt *a)
{
    struct erk *e = s->self;

    e->wide = &b->wide[l];
    s->stat->f += b->tab->stages;
    s->stat->lu += b->tab->stages;
    s->stat->solves += b->tab->stages;
    if (!is_accepted(s, a)) {
        mbs_lane_get(b, l, b->ny, b->err, e->err);
        mbs_lane_get(b, l, b->ny, b->sc, e->sc);
        return;
    }
    mbs_lane_get(b, l, b->ny, b->y_new, e->y_new);
    if (!b->wide[l].ended)
        return;
    mbs_lane_get(b, l, b->ny, b->k[b->tab->stages], e->k[b->tab->stages]);
    mbs_lane_get(b, l, b->m, b->lambda, e->lambda);
    if (b->m && b->model->batch->constraints)
        mbs_lane_get(b, l, b->model->G.nnz, b->G, s->p->dyn.G);
}

void mbs_erk_attempt_batch(struct mbs_lanes *b, struct mbs_stepper *const *s, struct mbs_attempt *a, int *alone)
{
    const struct erk_tableau *tab = b->tab;
    int L = b->lanes, ny = b->ny;
    unsigned weighs = 0;

    mbs_lanes_points(b, s, a, first_slope);
    for (int l = 0; l < L; l++) {
        b->wide[l].ended = s[l] && (!s[l]->project || b->m == 0);
        b->wide[l].has_G = b->m && b->model->batch->constraints;
        weighs |= s[l] && s[l]->works ? ((struct erk *)s[l]->self)->weighs : 0;
    }
    for (int i = 1; i < tab->stages; i++) {
        mbs_lanes_times(b, tab->row[i].c);
        mbs_lanes_combine(b, &tab->row[i], 0, ny, b->y, b->y_stage);
        mbs_lanes_slopes(b, s, b->y_stage, b->k[i]);
        if (weighs >> i & 1)
            mbs_lanes_powers(b, s, i, b->y_stage, b->lambda, power_of);
        mbs_lanes_watch(b);
    }
    mbs_lanes_times(b, 1);
    mbs_lanes_combine(b, &tab->row[tab->stages], 0, ny, b->y, b->y_new);
    if (tab->fsal) {
        mbs_lanes_slopes(b, s, b->y_new, b->k[tab->stages]);
        mbs_lanes_watch(b);
    }
    for (int l = 0; l < L; l++)
        alone[l] = b->lost[l] != 0;
    mbs_lanes_combine(b, &tab->error, 0, ny, NULL, b->err);
    if (tab->error3.count)
        mbs_lanes_combine(b, &tab->error3, 0, ny, NULL, b->err3);
    mbs_lanes_errors(b, s, a, alone);
    project(b, s, a, alone);
    end_points(b, s, a, alone, tab->fsal);
    for (int l = 0; l < L; l++)
        if (s[l] && !alone[l])
            take(b, l, s[l], &a[l]);
}
