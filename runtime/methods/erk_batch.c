/* SPDX-License-Identifier: MIT
 *
 * Attempts of explicit Runge-Kutta steps of several simulations at once, each from its own time with its own step and its own error.  Stages, error and,
 * where nothing is projected, the slope at the new point come from the vectors of the model's batch; all the rest of a step is done by each simulation
 * as if it were alone.  What a lane computes does not depend on its neighbours: lanes without a simulation repeat another one. */
#include "methods/batch.h"
#include "linalg/lanes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef double Four __attribute__((vector_size(32), may_alias));
typedef long long FourBits __attribute__((vector_size(32), may_alias));

static void lanes_layout(struct mbs_lanes *b, struct mbs_work *w)
{
    size_t L = (size_t)b->lanes, n = (size_t)b->ny * L;
    const struct mbs_model *o = b->model;

    b->c = mbs_work_doubles(w, (size_t)o->nc * L + 1);
    b->w = mbs_work_doubles(w, (size_t)o->batch->nw + 1);
    b->u = mbs_work_doubles(w, (size_t)o->nu * L + 1);
    b->t = mbs_work_doubles(w, L);
    b->h = mbs_work_doubles(w, L);
    b->rtol = mbs_work_doubles(w, L);
    b->atol = mbs_work_doubles(w, n);
    b->y = mbs_work_doubles(w, n);
    b->y_stage = mbs_work_doubles(w, n);
    b->y_new = mbs_work_doubles(w, n);
    for (int i = 0; i <= b->tab->stages; i++)
        b->k[i] = mbs_work_doubles(w, n);
    b->lambda = mbs_work_doubles(w, (size_t)b->m * L + 1);
    b->unsafe = mbs_work_doubles(w, L);
    b->err = mbs_work_doubles(w, n);
    b->err3 = mbs_work_doubles(w, n);
    b->sc = mbs_work_doubles(w, n);
    b->sum = mbs_work_doubles(w, 2 * L);
}

int mbs_lanes_new(struct mbs_lanes *b, const struct mbs_model *model, const struct erk_tableau *tab)
{
    struct mbs_work w = { NULL, 0 };

    *b = (struct mbs_lanes){ .model = model, .lanes = model->batch->lanes, .n = model->nq, .m = model->ng + model->nh, .nz = model->nz,
                             .ny = 2 * model->nq + model->nz, .tab = tab };
    lanes_layout(b, &w);
    b->block = aligned_alloc(64, w.used + 64);
    if (!b->block)
        return MBS_NO_MEMORY;
    memset(b->block, 0, w.used);
    w = (struct mbs_work){ b->block, 0 };
    lanes_layout(b, &w);
    for (int l = 0; l < b->lanes; l++)
        b->wide[l] = (struct erk_wide){ .lanes = b->lanes, .lane = l, .k = b->k, .y_stage = b->y_stage };
    return 0;
}

void mbs_lanes_free(struct mbs_lanes *b)
{
    free(b->block);
    b->block = NULL;
}

/* ---- into lanes and out of them ---- */

static void put(const struct mbs_lanes *b, int lane, int n, const double *x, double *X)
{
    for (int i = 0; i < n; i++)
        X[i * b->lanes + lane] = x[i];
}

static void get(const struct mbs_lanes *b, int lane, int n, const double *X, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] = X[i * b->lanes + lane];
}

void mbs_lanes_constants(struct mbs_lanes *b, int lane, const struct mbs_problem *p)
{
    put(b, lane, b->model->nc, p->c, b->c);
}

void mbs_lanes_leave(const struct mbs_lanes *b, int lane, const struct mbs_stepper *s)
{
    struct erk *e = s->self;

    if (s->method->data == b->tab && e->wide == &b->wide[lane])
        e->wide = NULL;
}

void mbs_lanes_enter(struct mbs_lanes *b, int lane, const struct mbs_stepper *s)
{
    mbs_lanes_constants(b, lane, s->p);
    b->rtol[lane] = s->opt->rtol;
    for (int i = 0; i < b->ny; i++)
        b->atol[i * b->lanes + lane] = s->opt->atol_y ? s->opt->atol_y[i] : s->opt->atol;
}

/* The lane's old point, and that of another one into those without a simulation. */
static void put_points(struct mbs_lanes *b, struct mbs_stepper *const *s, const struct mbs_attempt *a)
{
    int some = 0;

    while (!s[some])
        some++;
    for (int l = 0; l < b->lanes; l++) {
        int from = s[l] ? l : some;
        struct erk *e = s[from]->self;
        mbs_erk_swap(e);
        b->h[l] = a[from].h;
        put(b, l, b->ny, s[from]->x.q, b->y);
        put(b, l, b->ny, e->k[0], b->k[0]);
        if (from != l)
            mbs_lanes_enter(b, l, s[from]);
    }
}

/* ---- the attempt ---- */

static void put_inputs(struct mbs_lanes *b, struct mbs_stepper *const *s)
{
    const struct mbs_problem *p = NULL;

    if (b->model->nu == 0)
        return;
    for (int l = 0; l < b->lanes; l++)
        if (s[l]) {
            p = s[l]->p;
            mbs_inputs_at(s[l]->p, b->t[l]);
            put(b, l, p->nu, p->u, b->u);
        }
    for (int l = 0; l < b->lanes; l++)
        if (!s[l])
            put(b, l, p->nu, p->u, b->u);
}

/* k = (v, a, zdot) at the times b->t */
static void slopes(struct mbs_lanes *b, struct mbs_stepper *const *s, const double *y, double *k)
{
    size_t n = (size_t)b->n * (size_t)b->lanes;
    const struct mbs_batch_state x = { b->t, y, y + n, y + 2 * n, b->u };
    const struct mbs_accelerations out = { k + n, b->lambda, k + 2 * n, b->unsafe };

    put_inputs(b, s);
    memcpy(k, y + n, n * sizeof *k);
    b->model->batch->accelerations(b->c, &x, &out, b->w);
}

/* The rates of T + U at stage i, for the runs that keep account of it. */
static void stage_powers(const struct mbs_lanes *b, struct mbs_stepper *const *s, int i, const double *y)
{
    for (int l = 0; l < b->lanes; l++) {
        struct erk *e = s[l] ? s[l]->self : NULL;
        if (!s[l] || !s[l]->works || !(e->weighs >> i & 1))
            continue;
        struct mbs_state x = { .t = b->t[l], .q = e->y_stage, .v = e->y_stage + b->n, .z = e->y_stage + 2 * b->n, .a = e->err + b->n, .lambda = e->lambda,
                               .u = s[l]->p->u };
        get(b, l, b->ny, y, e->y_stage);
        get(b, l, b->ny, b->k[i], e->err);
        get(b, l, b->m, b->lambda, e->lambda);
        e->power[i] = mbs_power(s[l]->p, &x);
    }
}

/* out = y + h sum a_j k_j with a constant number of terms; y NULL: the sum alone */
KERNEL void combine_terms(const struct mbs_lanes *b, const struct erk_row *r, int count, const double *y, double *out)
{
    int part = b->lanes / 4, n = b->ny * part;
    const Four *k[12], *h = (const Four *)b->h;

#pragma GCC unroll 12
    for (int j = 0; j < count; j++)
        k[j] = (const Four *)b->k[r->term[j].stage];
    for (int i = 0; i < n; i++) {
        Four sum = r->term[0].a * k[0][i];
#pragma GCC unroll 12
        for (int j = 1; j < count; j++)
            sum += r->term[j].a * k[j][i];
        if (y)
            sum = ((const Four *)y)[i] + h[i & (part - 1)] * sum;
        ((Four *)out)[i] = sum;
    }
}

WIDE static void combine(const struct mbs_lanes *b, const struct erk_row *r, const double *y, double *out)
{
    switch (r->count) {
#define CASE(count) case count: combine_terms(b, r, count, y, out); break;
    CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8) CASE(9) CASE(10) CASE(11) CASE(12)
#undef CASE
    }
}

/* Scales of the error, and the sums of squares of the scaled err and err3 of each lane. */
WIDE static void square_sums(struct mbs_lanes *b)
{
    const long long magnitude = 0x7fffffffffffffffLL;
    int part = b->lanes / 4;
    const Four *y = (const Four *)b->y, *y_new = (const Four *)b->y_new, *err = (const Four *)b->err, *err3 = (const Four *)b->err3;
    Four *sc = (Four *)b->sc;

    for (int g = 0; g < part; g++) {
        const Four rtol = ((const Four *)b->rtol)[g];
        Four sum = { 0 }, sum3 = { 0 };
        for (int i = g; i < b->ny * part; i += part) {
            FourBits old = (FourBits)y[i] & magnitude, now = (FourBits)y_new[i] & magnitude, less = (Four)old < (Four)now;
            Four e, e3;
            sc[i] = 1 / (((const Four *)b->atol)[i] + rtol * (Four)((less & now) | (~less & old)));
            e = err[i] * sc[i];
            e3 = err3[i] * sc[i];
            sum += e * e;
            sum3 += e3 * e3;
        }
        ((Four *)b->sum)[g] = sum;
        ((Four *)b->sum)[part + g] = sum3;
    }
}

/* As error_norm() of erk.c. */
static double error_norm(const struct mbs_lanes *b, int l)
{
    double err = b->sum[l], err3 = b->sum[b->lanes + l], deno = err + 0.01 * err3;

    if (b->tab->error3.count == 0)
        return fabs(b->h[l]) * sqrt(err / b->ny);
    return deno > 0 ? fabs(b->h[l]) * err / sqrt(deno * b->ny) : deno == 0 ? 0 : NAN;
}

/* What the simulation needs of it, be it refused or not; its stages stay here until it asks for them. */
static void take(struct mbs_lanes *b, int l, struct mbs_stepper *s, const struct mbs_attempt *a)
{
    struct erk *e = s->self;

    e->wide = &b->wide[l];
    s->stat->f += b->tab->stages;
    s->stat->lu += b->tab->stages;
    s->stat->solves += b->tab->stages;
    if (a->err > 1 && s->opt->step == 0) {
        get(b, l, b->ny, b->err, e->err);
        get(b, l, b->ny, b->sc, e->sc);
        return;
    }
    get(b, l, b->ny, b->y_new, e->y_new);
    if (!b->wide[l].ended)
        return;
    get(b, l, b->ny, b->k[b->tab->stages], e->k[b->tab->stages]);
    get(b, l, b->m, b->lambda, e->lambda);
}

void mbs_erk_attempt_batch(struct mbs_lanes *b, struct mbs_stepper *const *s, struct mbs_attempt *a, int *alone)
{
    const struct erk_tableau *tab = b->tab;
    int L = b->lanes, ended = tab->fsal;

    put_points(b, s, a);
    for (int l = 0; l < L; l++) {
        alone[l] = 0;
        ended |= b->wide[l].ended = s[l] && (!s[l]->project || b->m == 0);
    }
    for (int i = 1; i <= tab->stages; i++) {
        int last = i == tab->stages;
        for (int l = 0; l < L; l++)
            b->t[l] = !s[l] ? b->t[l] : last ? a[l].t_new : s[l]->x.t + tab->row[i].c * b->h[l];
        combine(b, &tab->row[i], b->y, last ? b->y_new : b->y_stage);
        if (last && !ended)
            break;              /* projected, the points will be others */
        slopes(b, s, last ? b->y_new : b->y_stage, b->k[i]);
        if (!last)
            stage_powers(b, s, i, b->y_stage);
        for (int l = 0; l < L; l++)
            alone[l] |= b->unsafe[l] != 0;
    }
    combine(b, &tab->error, NULL, b->err);
    if (tab->error3.count)
        combine(b, &tab->error3, NULL, b->err3);
    square_sums(b);
    for (int l = 0; l < L; l++)
        if (s[l]) {
            a[l].err = error_norm(b, l);
            alone[l] |= !isfinite(a[l].err);
            if (!alone[l])
                take(b, l, s[l], &a[l]);
        }
}
