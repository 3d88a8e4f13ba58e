/* SPDX-License-Identifier: MIT
 *
 * What attempts of several simulations at once share: their arrays, slopes and constraints by the vectors of the model, sums over stages, errors, projections.
 * What a lane computes does not depend on its neighbours: lanes without a simulation repeat another one. */
#include "methods/batch.h"
#include "linalg/gram.h"
#include "linalg/lanes.h"
#include "methods/halfexplicit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef double Four __attribute__((vector_size(32), may_alias));
typedef long long FourBits __attribute__((vector_size(32), may_alias));

static int has_matrices(const struct mbs_model *o)
{
    return o->batch->dynamics && o->batch->constraints && o->nq + o->ng + o->nh <= MBS_WIDE_MOST;
}

int mbs_lanes_fit(const struct mbs_model *o, const struct mbs_method *m)
{
    if (m == &mbs_method_halfexplicit)
        return o->ng + o->nh == 0 || has_matrices(o);
    return m == &mbs_method_dopri5 || m == &mbs_method_dop853;
}

static void lanes_layout(struct mbs_lanes *b, struct mbs_work *w)
{
    size_t L = (size_t)b->lanes, n = (size_t)b->ny * L;
    const struct mbs_model *o = b->model;

    b->c = mbs_work_doubles(w, (size_t)o->nc * L + 1);
    b->w = mbs_work_doubles(w, (size_t)o->batch->nw + 1);
    b->u = mbs_work_doubles(w, (size_t)o->nu * L + 1);
    b->t = mbs_work_doubles(w, L);
    b->t_old = mbs_work_doubles(w, L);
    b->t_new = mbs_work_doubles(w, L);
    b->h = mbs_work_doubles(w, L);
    b->rtol = mbs_work_doubles(w, L);
    b->atol = mbs_work_doubles(w, n);
    b->y = mbs_work_doubles(w, n);
    b->y_stage = mbs_work_doubles(w, n);
    b->y_new = mbs_work_doubles(w, n);
    b->y_next = mbs_work_doubles(w, n);
    b->y_kept = mbs_work_doubles(w, n);
    for (int i = 0; i <= b->tab->stages; i++)
        b->k[i] = mbs_work_doubles(w, n);
    b->lambda = mbs_work_doubles(w, (size_t)b->m * L + 1);
    b->unsafe = mbs_work_doubles(w, L);
    b->lost = mbs_work_doubles(w, L);
    b->err = mbs_work_doubles(w, n);
    b->err3 = mbs_work_doubles(w, n);
    b->sc = mbs_work_doubles(w, n);
    b->sum = mbs_work_doubles(w, 2 * L);
    b->spare = mbs_work_doubles(w, (size_t)(b->ny + b->m));
    b->square = mbs_work_doubles(w, (size_t)b->m * L + 1);
    b->pivot = mbs_work_doubles(w, (size_t)b->m * L + 1);
    b->product = mbs_work_doubles(w, (b->gram ? (size_t)mbs_gram_room(b->gram) : 0) * L + 1);
    b->M = mbs_work_doubles(w, (size_t)o->M.nnz * L + 1);
    b->G = mbs_work_doubles(w, (size_t)o->G.nnz * L + 1);
    b->H = mbs_work_doubles(w, (size_t)o->G.nnz * L + 1);
    b->g = mbs_work_doubles(w, (size_t)b->m * L + 1);
    b->gt = mbs_work_doubles(w, (size_t)b->m * L + 1);
    b->x = mbs_work_doubles(w, (size_t)(b->n + b->m) * L + 1);
}

/* ---- rows of G at the new points ---- */

static struct mbs_lanes *rows_of(struct mbs_rows *rows) { return (struct mbs_lanes *)rows; }

static int find_rows(struct mbs_rows *rows)
{
    struct mbs_lanes *b = rows_of(rows);

    if (rows->square || !b->gram)
        return rows->square != NULL;
    if (!b->has_G)
        mbs_lanes_constraints(b, b->y_new, b->G);
    mbs_gram_lanes(b->gram, b->lanes, b->G, b->product, b->square, b->pivot);
    rows->square = b->square;
    rows->pivot = b->pivot;
    return 1;
}

void mbs_lanes_rows(struct mbs_lanes *b, int has_G)
{
    b->has_G = has_G;
    b->rows.square = b->rows.pivot = NULL;
}

/* ---- */

int mbs_lanes_new(struct mbs_lanes *b, const struct mbs_model *model, const struct mbs_method *method)
{
    struct mbs_work w = { NULL, 0 };
    int full = 0, saddle, gram;

    *b = (struct mbs_lanes){ .model = model, .method = method, .lanes = model->batch->lanes, .n = model->nq, .m = model->ng + model->nh, .nz = model->nz,
                             .ny = 2 * model->nq + model->nz, .tab = method->data ? method->data : &mbs_erk_dopri5 };
    saddle = b->m && has_matrices(model);
    gram = b->m && model->batch->constraints;
    if (saddle)
        b->saddle = mbs_wide_new(model, b->lanes);
    if (gram)
        b->gram = mbs_gram_new(&model->G, &full);
    lanes_layout(b, &w);
    b->block = aligned_alloc(64, w.used + 64);
    if (!b->block || (saddle && !b->saddle) || (gram && !b->gram && !full)) {
        mbs_lanes_free(b);
        return MBS_NO_MEMORY;
    }
    memset(b->block, 0, w.used);
    w = (struct mbs_work){ b->block, 0 };
    lanes_layout(b, &w);
    for (int l = 0; l < b->lanes; l++)
        b->wide[l] = (struct erk_wide){ .lanes = b->lanes, .lane = l, .k = b->k, .y_stage = b->y_stage };
    b->rows = (struct mbs_rows){ .find = find_rows, .lanes = b->lanes };
    return 0;
}

void mbs_lanes_free(struct mbs_lanes *b)
{
    mbs_wide_free(b->saddle);
    mbs_gram_free(b->gram);
    free(b->block);
    b->block = NULL;
    b->saddle = NULL;
    b->gram = NULL;
}

void mbs_lanes_attempt(struct mbs_lanes *b, struct mbs_stepper *const *s, struct mbs_attempt *a, int *alone)
{
    (b->method == &mbs_method_halfexplicit ? mbs_halfexplicit_attempt_batch : mbs_erk_attempt_batch)(b, s, a, alone);
}

/* ---- into lanes ---- */

static void put(const struct mbs_lanes *b, int lane, int n, const double *x, double *X)
{
    for (int i = 0; i < n; i++)
        X[i * b->lanes + lane] = x[i];
}

/* The same for all lanes. */
static void put_all(const struct mbs_lanes *b, int n, const double *const *x, double *X)
{
    for (int g = 0, part = b->lanes / 4; g < part; g++) {
        const double *x0 = x[4 * g], *x1 = x[4 * g + 1], *x2 = x[4 * g + 2], *x3 = x[4 * g + 3];
        Four *to = (Four *)X + g;
        for (int i = 0; i < n; i++, to += part)
            *to = (Four){ x0[i], x1[i], x2[i], x3[i] };
    }
}

void mbs_lanes_constants(struct mbs_lanes *b, int lane, const struct mbs_problem *p)
{
    put(b, lane, b->model->nc, p->c, b->c);
}

void mbs_lanes_leave(const struct mbs_lanes *b, int lane, const struct mbs_stepper *s)
{
    if (s->method == b->method && b->method != &mbs_method_halfexplicit)
        mbs_erk_leave(b, lane, s);
}

void mbs_lanes_enter(struct mbs_lanes *b, int lane, const struct mbs_stepper *s)
{
    mbs_lanes_constants(b, lane, s->p);
    b->rtol[lane] = s->opt->rtol;
    for (int i = 0; i < b->ny; i++)
        b->atol[i * b->lanes + lane] = s->opt->atol_y ? s->opt->atol_y[i] : s->opt->atol;
}

void mbs_lanes_points(struct mbs_lanes *b, struct mbs_stepper *const *s, const struct mbs_attempt *a, double *(*slope)(struct mbs_stepper *s))
{
    const double *y[MBS_LANES_MOST], *k[MBS_LANES_MOST];
    int some = 0;

    while (!s[some])
        some++;
    for (int l = 0; l < b->lanes; l++) {
        int from = s[l] ? l : some;
        b->h[l] = a[from].h;
        b->t_old[l] = s[from]->x.t;
        b->t_new[l] = a[from].t_new;
        b->lost[l] = 0;
        y[l] = s[from]->x.q;
        k[l] = slope(s[from]);
        if (from != l)
            mbs_lanes_enter(b, l, s[from]);
    }
    put_all(b, b->ny, y, b->y);
    put_all(b, b->ny, k, b->k[0]);
}

/* ---- out of lanes ---- */

/* Four rows of four lanes become four columns. */
WIDE static void get_four(int n, const Four *X, int part, double *x0, double *x1, double *x2, double *x3)
{
    int i = 0;

    for (; i + 4 <= n; i += 4, X += 4 * part) {
        Four a = X[0], b = X[part], c = X[2 * part], d = X[3 * part];
        Four ab = FOUR_OF(a, b, 0, 4, 2, 6), ba = FOUR_OF(a, b, 1, 5, 3, 7), cd = FOUR_OF(c, d, 0, 4, 2, 6), dc = FOUR_OF(c, d, 1, 5, 3, 7);
        *(FourLoose *)(x0 + i) = FOUR_OF(ab, cd, 0, 1, 4, 5);
        *(FourLoose *)(x1 + i) = FOUR_OF(ba, dc, 0, 1, 4, 5);
        *(FourLoose *)(x2 + i) = FOUR_OF(ab, cd, 2, 3, 6, 7);
        *(FourLoose *)(x3 + i) = FOUR_OF(ba, dc, 2, 3, 6, 7);
    }
    for (; i < n; i++, X += part) {
        Four a = *X;
        x0[i] = a[0];
        x1[i] = a[1];
        x2[i] = a[2];
        x3[i] = a[3];
    }
}

void mbs_lanes_get(const struct mbs_lanes *b, int n, const double *X, double *const *x)
{
    for (int g = 0, part = b->lanes / 4; g < part; g++) {
        double *const *to = x + 4 * g, *own[4];
        if (!to[0] && !to[1] && !to[2] && !to[3])
            continue;
        for (int l = 0; l < 4; l++)
            own[l] = to[l] ? to[l] : b->spare;
        get_four(n, (const Four *)X + g, part, own[0], own[1], own[2], own[3]);
    }
}

/* ---- the model ---- */

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

void mbs_lanes_slopes(struct mbs_lanes *b, struct mbs_stepper *const *s, const double *y, double *k)
{
    size_t n = (size_t)b->n * (size_t)b->lanes;
    const struct mbs_batch_state x = { b->t, y, y + n, y + 2 * n, b->u };
    const struct mbs_accelerations out = { k + n, b->lambda, k + 2 * n, b->unsafe };

    put_inputs(b, s);
    memcpy(k, y + n, n * sizeof *k);
    b->model->batch->accelerations(b->c, &x, &out, b->w);
}

void mbs_lanes_dynamics(struct mbs_lanes *b, struct mbs_stepper *const *s, const double *y, double *zdot, int gamma)
{
    size_t n = (size_t)b->n * (size_t)b->lanes;
    const struct mbs_batch_state x = { b->t, y, y + n, y + 2 * n, b->u };
    const struct mbs_dynamics out = { .M = b->M, .f = b->x, .G = b->G, .zdot = zdot, .gamma = gamma ? b->x + n : NULL };

    put_inputs(b, s);
    b->model->batch->dynamics(b->c, &x, &out, b->w);
}

void mbs_lanes_constraints(struct mbs_lanes *b, const double *q, double *G)
{
    const struct mbs_batch_state x = { .t = b->t, .q = q };
    const struct mbs_constraints out = { .g = b->g, .G = G, .gt = b->gt };

    b->model->batch->constraints(b->c, &x, &out, b->w);
}

void mbs_lanes_powers(const struct mbs_lanes *b, struct mbs_stepper *const *s, int i, const double *y, const double *lambda,
                      double *(*power)(struct mbs_stepper *s))
{
    for (int l = 0; l < b->lanes; l++) {
        if (!s[l] || !s[l]->works)
            continue;
        double *at = s[l]->p->ytmp, *a = s[l]->p->qv, *force = s[l]->p->gv;
        struct mbs_state x = { .t = b->t[l], .q = at, .v = at + b->n, .z = at + 2 * b->n, .a = a, .lambda = force, .u = s[l]->p->u };
        mbs_lane_get(b, l, b->ny, y, at);
        mbs_lane_get(b, l, b->n, b->k[i] + b->n * b->lanes, a);
        mbs_lane_get(b, l, b->m, lambda, force);
        power(s[l])[i] = mbs_power(s[l]->p, &x);
    }
}

/* ---- sums over stages ---- */

/* A constant number of terms, whose weights stay in registers, for group g of four, of `part`. */
KERNEL void combine_terms(const struct mbs_lanes *b, const struct erk_row *r, int count, int part, int g, int from, int to, const Four *y, Four *out)
{
    const Four h = ((const Four *)b->h)[g], *k[12] = { NULL };
    Four a[12] = { { 0 } };

#pragma GCC unroll 12
    for (int j = 0; j < count; j++) {
        double weight = r->term[j].a;
        a[j] = (Four){ weight, weight, weight, weight };
        k[j] = (const Four *)b->k[r->term[j].stage];
    }
    for (int i = from * part + g; i < to * part; i += part) {
        Four s = a[0] * k[0][i];
#pragma GCC unroll 12
        for (int j = 1; j < count; j++)
            s += a[j] * k[j][i];
        if (y)
            s = y[i] + h * s;
        out[i] = s;
    }
}

/* The usual ones are compiled for themselves. */
KERNEL void combine_rows(const struct mbs_lanes *b, const struct erk_row *r, int count, int from, int to, const Four *y, Four *out)
{
    int part = b->lanes / 4;

    if (part == 1 && y)
        combine_terms(b, r, count, 1, 0, from, to, y, out);
    else if (part == 1)
        combine_terms(b, r, count, 1, 0, from, to, NULL, out);
    else
        for (int g = 0; g < part; g++)
            combine_terms(b, r, count, part, g, from, to, y, out);
}

FUSED void mbs_lanes_combine(const struct mbs_lanes *b, const struct erk_row *r, int from, int to, const double *y, double *out)
{
#define COMBINE(count) combine_rows(b, r, count, from, to, (const Four *)y, (Four *)out)
    ERK_BY_COUNT(r->count, COMBINE)
#undef COMBINE
}

/* Scales of the error, and the sums of squares of the scaled err and err3 of each lane. */
FUSED static void square_sums(struct mbs_lanes *b)
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

void mbs_lanes_errors(struct mbs_lanes *b, struct mbs_stepper *const *s, struct mbs_attempt *a, int *alone)
{
    square_sums(b);
    for (int l = 0; l < b->lanes; l++)
        if (s[l]) {
            a[l].err = error_norm(b, l);
            alone[l] |= !isfinite(a[l].err);
        }
}

/* ---- projections: position_iterate() and velocity_iterate() of problem.c ---- */

enum { PROJECT_MAX = 8 };

struct correction {
    double atol, norm, old;
    int open;                   /* it is not done yet ... */
    int good;                   /* ... and it has not failed */
};

static double floor_of(const struct mbs_lanes *b, int l, const double *x, double atol)
{
    double big = 0;

    for (int i = 0; i < b->n; i++)
        big = fmax(big, fabs(x[i * b->lanes + l]));
    return atol + 1e-12 * big;
}

/* Solves for the correction of x, adds it where it is still wanted and says how large it is against the tolerance; a NaN stays one. */
static double correct(const struct mbs_lanes *b, int l, double *x, double atol)
{
    double norm = 0, rtol = b->rtol[l];

    for (int i = 0; i < b->n; i++) {
        double *at = &x[i * b->lanes + l], dx = b->x[i * b->lanes + l], e = fabs(dx) / (atol + rtol * fabs(*at));
        norm = e <= norm ? norm : e;
        *at += dx;
    }
    return norm;
}

static void positions(struct mbs_lanes *b, struct correction *at, int ng)
{
    size_t L = (size_t)b->lanes, n = (size_t)b->n * L;

    for (int iter = 0, open = 1; iter < PROJECT_MAX && open; iter++) {
        mbs_lanes_constraints(b, b->y_new, b->G);
        memset(b->x, 0, (n + (size_t)b->m * L) * sizeof *b->x);
        for (size_t i = 0; i < (size_t)ng * L; i++)
            b->x[n + i] = -b->g[i];
        mbs_wide_solve(b->saddle, b->x);
        open = 0;
        for (int l = 0; l < b->lanes; l++) {
            struct correction *c = &at[l];
            if (!c->open)
                continue;
            c->norm = correct(b, l, b->y_new, c->atol);
            c->good = isfinite(c->norm) && c->norm <= 2 * c->old;
            c->open = c->good && !(c->norm <= 1e-3 || (iter > 0 && c->norm * (c->norm / c->old) <= 1e-2));
            c->old = c->norm;
            open |= c->open;
        }
    }
}

static void velocities(struct mbs_lanes *b, struct correction *at)
{
    size_t L = (size_t)b->lanes, n = (size_t)b->n * L;
    double *v = b->y_new + n;

    mbs_lanes_constraints(b, b->y_new, b->G);
    for (int iter = 0; iter < 2; iter++) {
        memset(b->x, 0, n * sizeof *b->x);
        for (size_t i = 0; i < (size_t)b->m * L; i++)
            b->x[n + i] = -b->gt[i];
        mbs_wide_mul(b->lanes, &b->model->G, b->G, -1, v, b->x + n);
        mbs_wide_solve(b->saddle, b->x);
        for (int l = 0; l < b->lanes; l++) {
            struct correction *c = &at[l];
            if (!c->good)
                continue;
            c->norm = correct(b, l, v, c->atol);
            c->good = isfinite(c->norm) && !(c->norm > 0.05 * c->old && c->norm > 1e-3);
            c->old = c->norm;
        }
    }
}

void mbs_lanes_project(struct mbs_lanes *b, struct mbs_stepper *const *s, int *want)
{
    struct correction at[MBS_LANES_MOST] = { { 0 } };

    memcpy(b->y_kept, b->y_new, (size_t)(b->ny * b->lanes) * sizeof *b->y_new);
    for (int l = 0; l < b->lanes; l++)
        if (want[l])
            at[l] = (struct correction){ .atol = floor_of(b, l, b->y_new, s[l]->opt->atol), .old = HUGE_VAL, .open = 1, .good = 1 };
    if (b->model->ng)
        positions(b, at, b->model->ng);
    for (int l = 0; l < b->lanes; l++) {
        at[l].good &= !at[l].open || b->model->ng == 0;         /* else it did not come to an end */
        if (at[l].good)
            at[l] = (struct correction){ .atol = floor_of(b, l, b->y_new + b->n * b->lanes, s[l]->opt->atol), .old = HUGE_VAL, .good = 1 };
    }
    velocities(b, at);
    for (int l = 0; l < b->lanes; l++) {
        if (want[l])
            s[l]->stat->projections++;
        for (int i = 0; want[l] && !at[l].good && i < b->ny; i++)
            b->y_new[i * b->lanes + l] = b->y_kept[i * b->lanes + l];
        want[l] = want[l] && at[l].good;
    }
}
