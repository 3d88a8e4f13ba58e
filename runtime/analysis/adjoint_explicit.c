/* SPDX-License-Identifier: MIT
 *
 * Steps of explicit Runge-Kutta methods backwards: the transpose of derive_explicit.c.  The tape has the equations of all stages with their factors, as the
 * derivative along the direction has needed them: the way back evaluates nothing. */
#include "analysis/derive_explicit.h"

#include <string.h>

/* ---- the tape ---- */

size_t mbs_explicit_size(const struct mbs_derive *d)
{
    return MBS_EXPLICIT_HEAD + (size_t)mbs_explicit_slots(&d->explicit->step) * d->explicit->slot.size;
}

void mbs_explicit_keep(const struct mbs_derive *d, double *to)
{
    const struct mbs_explicit_step *s = &d->explicit->step;
    const double head[MBS_EXPLICIT_HEAD] = {s->t, s->t_new, s->h, s->first, s->dense, s->alpha, s->beta};
    memcpy(to, head, sizeof head);
}

static void load(const struct mbs_derive *d, double *r, struct mbs_explicit_step *s)
{
    s->tab = d->explicit->step.tab;
    s->t = r[0];
    s->t_new = r[1];
    s->h = r[2];
    s->first = r[3] != 0;
    s->dense = r[4] != 0;
    s->alpha = r[5];
    s->beta = r[6];
    s->slot = r + MBS_EXPLICIT_HEAD;
}

/* ---- back ---- */

void mbs_explicit_back_layout(const struct mbs_derive *d, struct mbs_explicit_back *b, size_t width, struct mbs_work *w)
{
    const struct erk_tableau *tab = d->explicit->step.tab;
    size_t state = (size_t)d->explicit->slot.fours * width;
    for (int i = 0; i < mbs_explicit_slopes(tab); i++)
        b->k[i] = mbs_work_doubles(w, state);
    for (int i = 0; i <= tab->stages; i++)
        b->S[i] = mbs_work_doubles(w, state);
    memset(b->heir, 0, sizeof b->heir);
    for (int j = 1; j <= tab->stages; j++)
        for (int t = 0; t < tab->row[j].count; t++) {
            struct erk_row *heir = &b->heir[tab->row[j].term[t].stage];
            heir->term[heir->count++] = (struct erk_term){j, tab->row[j].term[t].a};
        }
    b->old = mbs_work_doubles(w, state);
    b->fresh = mbs_work_doubles(w, state);
    b->stage = mbs_work_doubles(w, state);
    b->gain = mbs_work_doubles(w, d->explicit->slot.array[MBS_EXPLICIT_M].offset * width + 1);
    b->right = mbs_work_doubles(w, (size_t)d->unknowns * width + 1);
}

void mbs_explicit_point_back(const struct mbs_derive *d, struct mbs_explicit_back *b, double *record, double t, int width, const double *state)
{
    double *weights = d->explicit->weights;
    load(d, record, &b->step);
    int count = mbs_explicit_weights(&b->step, t, weights);
    for (int i = 0; i < count; i++)
        if (weights[i] != 0)
            mbs_panel_add(d->rows * width, weights[i], state,
                          i == MBS_EXPLICIT_OLD ? b->old : i == MBS_EXPLICIT_NEW ? b->fresh : b->k[i - MBS_EXPLICIT_SLOPES]);
}

/* X += A' Y for the values v of a slot; entries of parameters by themselves */
static void multiply(const struct mbs_explicit_slot *slot, const double *restrict v, int w, const double *restrict Y, double *restrict X, double *restrict gain)
{
    const struct mbs_explicit_entry *restrict e = slot->entry;
    int states = slot->states, entries = slot->entries;
    if (w > 1) {
        for (int k = 0; k < entries; k++)
            mbs_panel_add(w, v[k], Y + e[k].row * w, k < states ? X + e[k].col * w : gain + k * w);
        return;
    }
#pragma GCC unroll 8
    for (int k = 0; k < states; k++)
        X[e[k].col] += v[k] * Y[e[k].row];
#pragma GCC unroll 8
    for (int k = states; k < entries; k++)
        gain[k] += v[k] * Y[e[k].row];
}

void mbs_explicit_params_back(const struct mbs_derive *d, struct mbs_explicit_back *b, int width, double *params)
{
    const struct mbs_explicit_slot *s = &d->explicit->slot;
    for (const struct mbs_explicit_array *a = s->array; a < s->array + MBS_EXPLICIT_M; a++)
        for (int k = (int)a->offset; k < (int)a->offset + a->p->nnz && a->params; k++)
            mbs_panel_add(width, 1, b->gain + k * width, params + s->entry[k].col * width);
}

/* b->stage += what the slopes K of the stage bring, params what Baumgarte's terms do; al: twice n + m rows of work. */
static int slope_back(struct mbs_derive *d, struct mbs_explicit_back *b, double *slot, int columns, int w, const double *K, double *params, double *al)
{
    const struct mbs_explicit *x = d->explicit;
    const struct mbs_explicit_step *s = &b->step;
    int n = d->n, m = d->m, status;
    double *q = b->stage, *v = q + n * w, *right = b->right, *g = al + n * w;
    const double *ka = K + n * w, *kz = ka + n * w;
    mbs_panel_add(n * w, 1, K, v);
    memcpy(right, ka, (size_t)(n * w) * sizeof *right);
    mbs_panel_clear(m * w, right + n * w);
    if (w == 1) {
        memcpy(al, right, (size_t)(n + m) * sizeof *al);
        status = mbs_explicit_solve(d, slot, al);
    } else if ((status = mbs_explicit_load(d, slot)) == 0) {
        mbs_derive_solve(d, n + m, columns, w, right, al);
    }
    if (status)
        return status;
    for (int i = 0; i < (n + m) * w; i++)
        right[i] = -al[i];
    memcpy(right + (n + m) * w, kz, (size_t)(d->nz * w) * sizeof *right);
    multiply(&x->slot, slot, w, right, q, b->gain);
    if (s->alpha != 0 || s->beta != 0)
        mbs_explicit_show(d, slot);
    if (s->alpha != 0)
        mbs_derive_velocity_t(d, &x->at, w, -2 * s->alpha, g, q, v, params);
    if (s->beta != 0)
        mbs_derive_position_t(d, &x->at, w, -s->beta * s->beta, g, q, params);
    return 0;
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

/* A stage of the dense output, whose slopes are known: what they make of the old state and of the slopes before. */
static int dense_back(struct mbs_derive *d, struct mbs_explicit_back *b, int i, int columns, int w, double *params, double *al)
{
    int state = d->rows * w, status;
    if (is_zero(b->k[i], (size_t)state))
        return 0;
    mbs_panel_clear(state, b->stage);
    if ((status = slope_back(d, b, mbs_explicit_slot_at(d, &b->step, i), columns, w, b->k[i], params, al)))
        return status;
    mbs_panel_add(state, 1, b->stage, b->old);
    hand_on(b, &b->step.tab->row[i], state, b->stage);
    mbs_panel_clear(state, b->k[i]);
    return 0;
}

/* Stage i: its slopes get their part of all stages behind it, whose states are known; and what they make of its own state. */
static int stage_back(struct mbs_derive *d, struct mbs_explicit_back *b, int i, int columns, int w, double *params, double *al)
{
    const struct erk_row *heir = &b->heir[i];
    int state = d->rows * w, fours = d->explicit->slot.fours * w, status;
    double a[12], *k = b->k[i];
    const double *from[12];
    for (int j = 0; j < heir->count; j++) {
        a[j] = b->step.h * heir->term[j].a;
        from[j] = b->S[heir->term[j].stage];
    }
    if (heir->count)
        mbs_panel_combine(fours, heir->count, a, from, k, k);
    if (i == 0 && !b->step.first)
        return 0;
    mbs_panel_clear(state, b->stage);
    if ((status = slope_back(d, b, mbs_explicit_slot_at(d, &b->step, i), columns, w, k, params, al)))
        return status;
    mbs_panel_clear(state, k);
    mbs_panel_add(state, 1, b->stage, b->old);
    memcpy(b->S[i], b->stage, (size_t)state * sizeof *k);
    return 0;
}

/* X += the array' times g; of parameters by entries */
static void give(const struct mbs_explicit_slot *s, const double *slot, int array, const double *g, double *X)
{
    const struct mbs_explicit_array *a = &s->array[array];
    const struct mbs_explicit_entry *e = s->entry;
    for (int k = (int)a->offset, end = k + a->p->nnz; k < end; k++)
        X[a->params ? k : e[k].col] -= slot[k] * g[e[k].row];
}

/* mbs_derive_project_t() for one column. */
static int project_back(struct mbs_derive *d, struct mbs_explicit_back *b, double *slot, double *state, double *al)
{
    const struct mbs_explicit_slot *s = &d->explicit->slot;
    int n = d->n, status = 0;
    for (int level = 1; level >= 0 && status == 0; level--) {
        double *g = al + n;
        memcpy(al, state + level * n, (size_t)n * sizeof *al);
        for (int i = 0; i < d->m; i++)
            g[i] = 0;
        if ((status = mbs_explicit_solve(d, slot, al)))
            return status;
        for (int i = d->sim->model->ng; i < d->m && !level; i++)
            g[i] = 0;
        give(s, slot, MBS_EXPLICIT_G, g, state + level * n);
        if (level)
            give(s, slot, MBS_EXPLICIT_GVQ, g, state);
        give(s, slot, level ? MBS_EXPLICIT_GVP : MBS_EXPLICIT_GP, g, b->gain);
    }
    return status;
}

/* The stage at the new point, whose slopes are those of the next step, and the projection. */
static int end_back(struct mbs_derive *d, struct mbs_explicit_back *b, int columns, int w, double *state, double *params, double *g, double *al)
{
    int last = b->step.tab->stages, values = d->rows * w, projects = mbs_explicit_projects(d), status;
    double *slot = mbs_explicit_slot_at(d, &b->step, last);
    if (!projects && is_zero(b->k[last], (size_t)values))
        return 0;
    mbs_panel_clear(values, b->stage);
    if ((status = slope_back(d, b, slot, columns, w, b->k[last], params, al)))
        return status;
    mbs_panel_add(values, 1, b->stage, state);
    mbs_panel_clear(values, b->k[last]);
    if (!projects)
        return 0;
    if (w == 1)
        return project_back(d, b, slot, state, al);
    mbs_explicit_show(d, slot);
    if ((status = mbs_explicit_load(d, slot)))
        return status;
    mbs_derive_corrections(d);
    mbs_derive_project_t(d, &d->explicit->at, w, state, params, g);
    return 0;
}

int mbs_explicit_step_back(struct mbs_derive *d, struct mbs_explicit_back *b, double *record, int costs, int width, double *state, double *params, double *g,
                           double *al)
{
    size_t values = (size_t)(d->rows * width), bytes = values * sizeof *state;
    load(d, record, &b->step);
    int last = b->step.tab->stages, status = 0;
    mbs_panel_add((int)values, 1, b->fresh, state);
    for (int i = b->step.dense ? mbs_explicit_slopes(b->step.tab) - 1 : last; i > last && status == 0; i--)
        status = dense_back(d, b, i, costs, width, params, al);
    if (status == 0)
        status = end_back(d, b, costs, width, state, params, g, al);
    mbs_panel_add((int)values, 1, state, b->old);
    memcpy(b->S[last], state, bytes);
    for (int i = last - 1; i >= 0 && status == 0; i--)
        status = stage_back(d, b, i, costs, width, params, al);
    double *k = b->k[0];        /* the first slope is the last one of the step before */
    b->k[0] = b->k[last];
    b->k[last] = k;
    memcpy(state, b->old, bytes);
    mbs_panel_clear((int)values, b->old);
    mbs_panel_clear((int)values, b->fresh);
    return status;
}
