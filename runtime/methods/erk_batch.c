/* SPDX-License-Identifier: MIT
 *
 * Attempts of explicit Runge-Kutta steps of several simulations at once, each from its own time with its own step and its own error.  Stages, error,
 * projection and the slope at the new point come from the vectors of the model's batch; all the rest of a step is done by each simulation as if
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

/* The slope at the points that will be the new ones. */
static void end_points(struct mbs_lanes *b, struct mbs_stepper *const *s, const struct mbs_attempt *a, int *alone, int known)
{
    int slopes = 0;

    for (int l = 0; l < b->lanes; l++)
        slopes |= s[l] && !alone[l] && b->wide[l].ended && is_accepted(s[l], &a[l]) && !(known && !s[l]->project);
    if (!slopes)
        return;
    mbs_lanes_slopes(b, s, b->y_new, b->k[b->tab->stages]);
    for (int l = 0; l < b->lanes; l++)
        alone[l] |= s[l] && b->wide[l].ended && is_accepted(s[l], &a[l]) && b->unsafe[l] != 0;
}

/* What the simulations need of it, be it refused or not; its stages stay here until somebody asks for them. */
static void take(struct mbs_lanes *b, struct mbs_stepper *const *s, const struct mbs_attempt *a, const int *alone)
{
    double *y[MBS_LANES_MOST], *k[MBS_LANES_MOST], *lambda[MBS_LANES_MOST], *err[MBS_LANES_MOST], *sc[MBS_LANES_MOST];

    for (int l = 0; l < b->lanes; l++) {
        struct erk *e = s[l] && !alone[l] ? s[l]->self : NULL;
        y[l] = k[l] = lambda[l] = err[l] = sc[l] = NULL;
        if (!e)
            continue;
        e->wide = &b->wide[l];
        s[l]->stat->f += b->tab->stages;
        s[l]->stat->lu += b->tab->stages;
        s[l]->stat->solves += b->tab->stages;
        s[l]->rows = &b->rows;
        s[l]->lane = l;
        if (!is_accepted(s[l], &a[l])) {
            err[l] = e->err;
            sc[l] = e->sc;
            continue;
        }
        y[l] = e->y_new;
        if (b->wide[l].ended) {
            k[l] = e->k[b->tab->stages];
            lambda[l] = e->lambda;
        }
    }
    mbs_lanes_get(b, b->ny, b->err, err);
    mbs_lanes_get(b, b->ny, b->sc, sc);
    mbs_lanes_get(b, b->ny, b->y_new, y);
    mbs_lanes_get(b, b->ny, b->k[b->tab->stages], k);
    mbs_lanes_get(b, b->m, b->lambda, lambda);
}

void mbs_erk_attempt_batch(struct mbs_lanes *b, struct mbs_stepper *const *s, struct mbs_attempt *a, int *alone)
{
    const struct erk_tableau *tab = b->tab;
    int L = b->lanes, ny = b->ny;
    unsigned weighs = 0;

    mbs_lanes_points(b, s, a, first_slope);
    for (int l = 0; l < L; l++) {
        b->wide[l].ended = s[l] && (!s[l]->project || b->m == 0);
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
    mbs_lanes_rows(b, 0);
    take(b, s, a, alone);
}
