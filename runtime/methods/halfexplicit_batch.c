/* SPDX-License-Identifier: MIT
 *
 * Attempts of half-explicit steps (halfexplicit.c) of several simulations at once: M, f, G of a stage, the constraints of the next one, [M G'; H 0] of both,
 * the error and the projection in vectors, each lane from its own time with its own step. */
#include "methods/batch.h"
#include "methods/halfexplicit.h"

#include <string.h>

static double *first_slope(struct mbs_stepper *s)
{
    struct halfexplicit *e = s->self;

    mbs_halfexplicit_swap(e);
    return e->k[0];
}

static double *power_of(struct mbs_stepper *s)
{
    return ((struct halfexplicit *)s->self)->power;
}

/* A row without the last stage that it has, and the weight of that. */
static struct erk_row before_last(const struct erk_row *r, int last, double *weight)
{
    struct erk_row out = { .c = r->c };

    *weight = 0;
    for (int j = 0; j < r->count; j++)
        if (r->term[j].stage == last)
            *weight = r->term[j].a;
        else
            out.term[out.count++] = r->term[j];
    return out;
}

/* Acceleration and multipliers of stage i at b->y_stage, from the constraint of stage i + 1. */
static void stage_solve(struct mbs_lanes *b, struct mbs_stepper *const *s, int i)
{
    const struct erk_row *next = &b->tab->row[i + 1];
    size_t L = (size_t)b->lanes, n = (size_t)b->n * L;
    double weight, *k = b->k[i], *v = b->y_next + n;
    const struct erk_row part = before_last(next, i, &weight);

    memcpy(k, b->y_stage + n, n * sizeof *k);
    mbs_lanes_dynamics(b, s, b->y_stage, k + 2 * n, 0);
    mbs_lanes_combine(b, next, 0, b->n, b->y, b->y_next);
    mbs_lanes_combine(b, &part, b->n, 2 * b->n, b->y, b->y_next);
    mbs_lanes_times(b, next->c);
    mbs_lanes_constraints(b, b->y_next, b->H);
    for (size_t j = 0; j < (size_t)b->m * L; j++)
        b->x[n + j] = -b->gt[j];
    mbs_wide_mul(b->lanes, &b->model->G, b->H, -1, v, b->x + n);
    for (size_t j = 0; j < (size_t)b->m * L; j++)
        b->x[n + j] /= b->h[j % L] * weight;
    mbs_wide_factor(b->saddle, b->M, b->G, b->H, b->unsafe);
    mbs_wide_solve(b->saddle, b->x);
    memcpy(k + n, b->x, n * sizeof *k);
}

/* The slope at the new point; its factors stay. */
static void end_slope(struct mbs_lanes *b, struct mbs_stepper *const *s)
{
    size_t L = (size_t)b->lanes, n = (size_t)b->n * L, m = (size_t)b->m * L;
    double *k = b->k[HALFEXPLICIT_STAGES];

    if (m == 0) {
        mbs_lanes_slopes(b, s, b->y_new, k);
        return;
    }
    memcpy(k, b->y_new + n, n * sizeof *k);
    mbs_lanes_dynamics(b, s, b->y_new, k + 2 * n, 1);
    for (size_t j = 0; j < m; j++)
        b->x[n + j] = -b->x[n + j];
    mbs_wide_factor(b->saddle, b->M, b->G, b->G, b->unsafe);
    mbs_wide_solve(b->saddle, b->x);
    memcpy(k + n, b->x, n * sizeof *k);
    memcpy(b->lambda, b->x + n, m * sizeof *k);
}

/* The embedded estimate; what its velocities have normal to the constraints are errors of multipliers. */
static void estimate(struct mbs_lanes *b)
{
    size_t n = (size_t)b->n * (size_t)b->lanes, m = (size_t)b->m * (size_t)b->lanes;

    mbs_lanes_combine(b, &b->tab->error, 0, b->ny, NULL, b->err);
    if (m == 0)
        return;
    memset(b->x, 0, (n + m) * sizeof *b->x);
    mbs_wide_mul_sym(b->lanes, &b->model->M, b->M, 1, b->err + n, b->x);
    mbs_wide_solve(b->saddle, b->x);
    memcpy(b->err + n, b->x, n * sizeof *b->err);
}

static int is_accepted(const struct mbs_stepper *s, const struct mbs_attempt *a)
{
    return a->err <= 1 || s->opt->step > 0;
}

/* Points onto the constraints where that is wanted, and the slopes there; projected[l]: it is done. */
static void project(struct mbs_lanes *b, struct mbs_stepper *const *s, const struct mbs_attempt *a, int *alone, int *projected)
{
    int any = 0;

    for (int l = 0; l < b->lanes; l++)
        any |= projected[l] = s[l] && !alone[l] && s[l]->project && b->model->ng && is_accepted(s[l], &a[l]);
    if (!any)
        return;
    mbs_lanes_project(b, s, projected);
    mbs_lanes_slopes(b, s, b->y_new, b->k[HALFEXPLICIT_STAGES]);
    for (int l = 0; l < b->lanes; l++)
        alone[l] |= projected[l] && b->unsafe[l] != 0;
}

static void take(struct mbs_lanes *b, struct mbs_stepper *const *s, const struct mbs_attempt *a, const int *alone, const int *projected)
{
    double *y[MBS_LANES_MOST], *k[MBS_LANES_MOST], *lambda[MBS_LANES_MOST], *err[MBS_LANES_MOST], *sc[MBS_LANES_MOST];

    for (int l = 0; l < b->lanes; l++) {
        struct halfexplicit *e = s[l] && !alone[l] ? s[l]->self : NULL;
        y[l] = k[l] = lambda[l] = err[l] = sc[l] = NULL;
        if (!e)
            continue;
        s[l]->stat->f += HALFEXPLICIT_STAGES;
        s[l]->stat->lu += HALFEXPLICIT_STAGES;
        s[l]->stat->solves += HALFEXPLICIT_STAGES + (b->m > 0);
        s[l]->stat->constraints += b->m ? HALFEXPLICIT_STAGES - 1 : 0;
        s[l]->rows = &b->rows;
        s[l]->lane = l;
        e->projected = projected[l];
        if (!is_accepted(s[l], &a[l])) {
            err[l] = e->err;
            sc[l] = e->sc;
            continue;
        }
        y[l] = e->y_new;
        k[l] = e->k[HALFEXPLICIT_STAGES];
        lambda[l] = e->lambda;
    }
    mbs_lanes_get(b, b->ny, b->err, err);
    mbs_lanes_get(b, b->ny, b->sc, sc);
    mbs_lanes_get(b, b->ny, b->y_new, y);
    mbs_lanes_get(b, b->ny, b->k[HALFEXPLICIT_STAGES], k);
    mbs_lanes_get(b, b->m, b->lambda, lambda);
}

void mbs_halfexplicit_attempt_batch(struct mbs_lanes *b, struct mbs_stepper *const *s, struct mbs_attempt *a, int *alone)
{
    const struct erk_row *row = b->tab->row;
    int projected[MBS_LANES_MOST] = { 0 };

    mbs_lanes_points(b, s, a, first_slope);
    for (int i = 1; i < HALFEXPLICIT_STAGES; i++) {
        mbs_lanes_times(b, row[i].c);
        mbs_lanes_combine(b, &row[i], 0, b->ny, b->y, b->y_stage);
        if (b->m)
            stage_solve(b, s, i);
        else
            mbs_lanes_slopes(b, s, b->y_stage, b->k[i]);
        mbs_lanes_watch(b);
        mbs_lanes_times(b, row[i].c);
        mbs_lanes_powers(b, s, i, b->y_stage, b->x + b->n * b->lanes, power_of);
    }
    mbs_lanes_times(b, 1);
    mbs_lanes_combine(b, &row[HALFEXPLICIT_STAGES], 0, b->ny, b->y, b->y_new);
    end_slope(b, s);
    mbs_lanes_watch(b);
    for (int l = 0; l < b->lanes; l++)
        alone[l] = b->lost[l] != 0;
    estimate(b);
    mbs_lanes_errors(b, s, a, alone);
    project(b, s, a, alone, projected);
    mbs_lanes_rows(b, 1);
    take(b, s, a, alone, projected);
}
