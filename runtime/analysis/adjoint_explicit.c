/* SPDX-License-Identifier: MIT
 *
 * Steps of explicit Runge-Kutta methods backwards: the transpose of derive_explicit.c.  The tape has the slopes and multipliers of the stages; the equations
 * there are evaluated on the way back only, once each.
 *
 * The error of the gradient is estimated on the way, too.  Where the method says that a step is off by e = h sum e_j k_j, its derivative says by how much
 * the derivatives are off, and the gradient of lambda' e is what that makes of the cost.  It obeys the same equations as the gradient itself: more columns. */
#include "analysis/derive_explicit.h"

#include <string.h>

enum { HEAD = 8 };              /* t, t_new, h, first, dense, alpha, beta, weight */

/* ---- the tape ---- */

/* Stages that a record has. */
static int recorded(const struct mbs_explicit_step *s) { return s->dense ? mbs_explicit_slopes(s->tab) : s->tab->stages + 1; }

size_t mbs_explicit_size(const struct mbs_derive *d)
{
    return HEAD + 2 * (size_t)d->rows + (size_t)recorded(&d->explicit->step) * (size_t)(d->rows + d->m);
}

void mbs_explicit_keep(const struct mbs_derive *d, double *to)
{
    const struct mbs_explicit_step *s = &d->explicit->step;
    const double head[HEAD] = {s->t, s->t_new, s->h, s->first, s->dense, s->alpha, s->beta, s->weight};
    size_t rows = (size_t)d->rows, m = (size_t)d->m;
    memcpy(to, head, sizeof head);
    to += HEAD;
    memcpy(to, s->y, rows * sizeof *to);
    memcpy(to + rows, s->y_new, rows * sizeof *to);
    to += 2 * rows;
    for (int i = 0; i < recorded(s); i++, to += rows + m) {
        memcpy(to, s->k[i], rows * sizeof *to);
        if (m)
            memcpy(to + rows, s->lambda[i], m * sizeof *to);
    }
}

static void load(const struct mbs_derive *d, const double *r, struct mbs_explicit_step *s)
{
    *s = (struct mbs_explicit_step){.tab = d->explicit->step.tab, .t = r[0], .t_new = r[1], .h = r[2], .first = r[3] != 0, .dense = r[4] != 0, .alpha = r[5],
                                    .beta = r[6], .weight = r[7]};
    r += HEAD;
    s->y = r;
    s->y_new = r + d->rows;
    r += 2 * d->rows;
    for (int i = 0; i < recorded(s); i++, r += d->rows + d->m) {
        s->k[i] = r;
        s->lambda[i] = r + d->rows;
    }
}

/* ---- back ---- */

void mbs_explicit_back_layout(const struct mbs_derive *d, struct mbs_explicit_back *b, size_t width, struct mbs_work *w)
{
    size_t state = (size_t)d->rows * width + 1;
    for (int i = 0; i < mbs_explicit_slopes(d->explicit->step.tab); i++)
        b->k[i] = mbs_work_doubles(w, state);
    b->old = mbs_work_doubles(w, state);
    b->fresh = mbs_work_doubles(w, state);
    b->stage = mbs_work_doubles(w, state);
}

void mbs_explicit_point_back(const struct mbs_derive *d, struct mbs_explicit_back *b, const double *record, double t, int width, const double *state)
{
    double *weights = d->explicit->weights;
    load(d, record, &b->step);
    int count = mbs_explicit_weights(&b->step, t, weights);
    for (int i = 0; i < count; i++)
        if (weights[i] != 0)
            mbs_panel_add(d->rows * width, weights[i], state,
                          i == MBS_EXPLICIT_OLD ? b->old : i == MBS_EXPLICIT_NEW ? b->fresh : b->k[i - MBS_EXPLICIT_SLOPES]);
}

/* S += what the slopes K of the stage of x->at bring; al: twice n + m rows of work. */
static void slope_back(struct mbs_derive *d, const struct mbs_explicit_step *s, int columns, int w, const double *K, double *S, double *params, double *al)
{
    const struct mbs_model *o = d->sim->model;
    const struct mbs_derive_stage *at = &d->explicit->at;
    const struct mbs_jacobian *J = &at->jac;
    int n = d->n;
    double *q = S, *v = q + n * w, *z = v + n * w, *g = al + n * w, *right = g + d->m * w;
    const double *ka = K + n * w, *kz = ka + n * w;
    mbs_panel_add(n * w, 1, K, v);
    memcpy(right, ka, (size_t)(n * w) * sizeof *al);
    mbs_panel_clear(d->m * w, right + n * w);
    mbs_derive_solve(d, n + d->m, columns, w, right, al);
    mbs_panel_mul_t(&o->rq, J->rq, -1, w, al, q);
    mbs_panel_mul_t(&o->rv, J->rv, -1, w, al, v);
    mbs_panel_mul_t(&o->rz, J->rz, -1, w, al, z);
    mbs_panel_mul_t(&o->rp, at->s.rp, -1, w, al, params);
    if (d->m) {
        mbs_panel_mul_t(&o->gaq, J->gaq, -1, w, g, q);
        mbs_panel_mul_t(&o->gav, J->gav, -1, w, g, v);
        mbs_panel_mul_t(&o->gap, at->s.gap, -1, w, g, params);
        if (s->alpha != 0)
            mbs_derive_velocity_t(d, at, w, -2 * s->alpha, g, q, v, params);
        if (s->beta != 0)
            mbs_derive_position_t(d, at, w, -s->beta * s->beta, g, q, params);
    }
    if (d->nz) {
        mbs_panel_mul_t(&o->zq, J->zq, 1, w, kz, q);
        mbs_panel_mul_t(&o->zv, J->zv, 1, w, kz, v);
        mbs_panel_mul_t(&o->zz, J->zz, 1, w, kz, z);
        mbs_panel_mul_t(&o->zp, at->s.zp, 1, w, kz, params);
    }
}

static int is_zero(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (x[i] != 0)
            return 0;
    return 1;
}

/* The terms of a row get h a_j of S. */
static void hand_on(struct mbs_explicit_back *b, const struct erk_row *r, int values, const double *S)
{
    for (int j = 0; j < r->count; j++)
        mbs_panel_add(values, b->step.h * r->term[j].a, S, b->k[r->term[j].stage]);
}

/* Stage i, whose slopes are known: what they make of the old state and of the slopes before. */
static int stage_back(struct mbs_derive *d, struct mbs_explicit_back *b, int i, int columns, int w, double *params, double *al)
{
    size_t state = (size_t)(d->rows * w);
    if (is_zero(b->k[i], state))
        return 0;
    int status = mbs_explicit_stage(d, &b->step, i);
    if (status)
        return status;
    mbs_panel_clear((int)state, b->stage);
    slope_back(d, &b->step, columns, w, b->k[i], b->stage, params, al);
    mbs_panel_add((int)state, 1, b->stage, b->old);
    if (i > 0)
        hand_on(b, &b->step.tab->row[i], (int)state, b->stage);
    mbs_panel_clear((int)state, b->k[i]);
    return 0;
}

/* The columns of the errors get what the error estimate makes of the cost.  All its terms have the same weights, those of the new state: they nearly cancel. */
static void errors_back(const struct mbs_derive *d, struct mbs_explicit_back *b, int costs, int w, const double *state)
{
    const struct erk_row *r = &b->step.tab->error;
    for (int j = 0; j < r->count; j++) {
        double a = b->step.weight * b->step.h * r->term[j].a, *k = b->k[r->term[j].stage];
        for (int i = 0; i < d->rows; i++)
            for (int c = 0; c < costs; c++)
                k[i * w + costs + c] += a * state[i * w + c];
    }
}

int mbs_explicit_step_back(struct mbs_derive *d, struct mbs_explicit_back *b, const double *record, int costs, int width, double *state, double *params,
                           double *g, double *al)
{
    size_t values = (size_t)(d->rows * width), bytes = values * sizeof *state;
    load(d, record, &b->step);
    int last = b->step.tab->stages, status = 0, projects = mbs_explicit_projects(d);
    mbs_panel_add((int)values, 1, b->fresh, state);
    for (int i = recorded(&b->step) - 1; i > last && status == 0; i--)
        status = stage_back(d, b, i, 2 * costs, width, params, al);
    errors_back(d, b, costs, width, state);
    if (status == 0 && (projects || !is_zero(b->k[last], values)) && (status = mbs_explicit_stage(d, &b->step, last)) == 0) {
        slope_back(d, &b->step, 2 * costs, width, b->k[last], state, params, al);
        if (projects) {
            mbs_derive_corrections(d);
            mbs_derive_project_t(d, &d->explicit->at, width, state, params, g);
        }
    }
    memset(b->k[last], 0, bytes);
    mbs_panel_add((int)values, 1, state, b->old);
    hand_on(b, &b->step.tab->row[last], (int)values, state);
    for (int i = last - 1; i > 0 && status == 0; i--)
        status = stage_back(d, b, i, 2 * costs, width, params, al);
    if (status == 0 && b->step.first)
        status = stage_back(d, b, 0, 2 * costs, width, params, al);
    double *k = b->k[0];        /* the first slope is the last one of the step before */
    b->k[0] = b->k[last];
    b->k[last] = k;
    memcpy(state, b->old, bytes);
    memset(b->old, 0, bytes);
    memset(b->fresh, 0, bytes);
    return status;
}
