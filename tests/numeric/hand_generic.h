/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The functions of a struct mbs_model from a core (see hand_models.h): included by each file of hand-written models,
 * which then says HAND_MODEL(name, core, N, NG, NH, NZ). */
#ifndef HAND_GENERIC_H
#define HAND_GENERIC_H
#include "hand_models.h"

#include <math.h>
#include <string.h>

/* c, t, q, v, z in, core out */
typedef void hand_core_fn(const double *c, cx t, const cx *q, const cx *v, const cx *z, struct hand_core *o);

enum { HAND_MAX = 12 };

struct hand_size {
    int n, ng, nh, nz;
    const struct mbs_pattern *M, *G;
    hand_core_fn *core;
};

/* r, zdot, g, gv, ga, Gtmu in a row */
struct hand_out {
    cx r[HAND_MAX], zdot[4], g[HAND_MAX], gv[HAND_MAX], ga[HAND_MAX], Gtmu[HAND_MAX];
};

static void hand_equations(const struct hand_size *s, const double *c, cx t, const cx *q, const cx *v, const cx *a,
                           const cx *lambda, const cx *mu, const cx *z, struct hand_out *o)
{
    struct hand_core k;
    int m = s->ng + s->nh;

    memset(&k, 0, sizeof k);
    s->core(c, t, q, v, z, &k);
    for (int i = 0; i < s->n; i++) {
        o->r[i] = -k.f[i];
        o->Gtmu[i] = 0;
        for (int j = 0; j < s->n; j++)
            o->r[i] += k.M[i][j] * a[j];
        for (int j = 0; j < m; j++) {
            o->r[i] += k.G[j][i] * lambda[j];
            o->Gtmu[i] += k.G[j][i] * mu[j];
        }
    }
    for (int i = 0; i < m; i++) {
        o->g[i] = k.g[i];
        o->gv[i] = k.gt[i];
        o->ga[i] = k.gamma[i];
        for (int j = 0; j < s->n; j++) {
            o->gv[i] += k.G[i][j] * v[j];
            o->ga[i] += k.G[i][j] * a[j];
        }
    }
    memcpy(o->zdot, k.zdot, sizeof o->zdot);
}

static void hand_lift(const double *x, int n, cx *y)
{
    for (int i = 0; i < n; i++)
        y[i] = x ? x[i] : 0;
}

static void hand_gather(const struct mbs_pattern *p, cx (*A)[HAND_MAX], double *out)
{
    for (int j = 0, k = 0; j < p->cols; j++)
        for (; k < p->colptr[j + 1]; k++)
            out[k] = creal(A[p->rowidx[k]][j]);
}

static void hand_real(const cx *x, int n, double *y)
{
    for (int i = 0; y && i < n; i++)
        y[i] = creal(x[i]);
}

static void hand_dynamics(const struct hand_size *s, const double *c, const struct mbs_state *x, const struct mbs_dynamics *out)
{
    cx q[HAND_MAX], v[HAND_MAX], z[4];
    struct hand_core k;
    int m = s->ng + s->nh;

    memset(&k, 0, sizeof k);
    hand_lift(x->q, s->n, q);
    hand_lift(x->v, s->n, v);
    hand_lift(x->z, s->nz, z);
    s->core(c, x->t, q, v, z, &k);
    hand_gather(s->M, k.M, out->M);
    hand_gather(s->G, k.G, out->G);
    hand_real(k.f, s->n, out->f);
    hand_real(k.zdot, s->nz, out->zdot);
    hand_real(k.gamma, m, out->gamma);
    hand_real(k.g, s->ng, out->g);
    hand_real(k.gt, m, out->gt);
}

static void hand_constraints(const struct hand_size *s, const double *c, const struct mbs_state *x, const struct mbs_constraints *out)
{
    cx q[HAND_MAX], zero[HAND_MAX] = { 0 };
    struct hand_core k;

    memset(&k, 0, sizeof k);
    hand_lift(x->q, s->n, q);
    s->core(c, x->t, q, zero, zero, &k);
    hand_gather(s->G, k.G, out->G);
    hand_real(k.g, s->ng, out->g);
    hand_real(k.gt, s->ng + s->nh, out->gt);
}

struct hand_args {
    cx t, q[HAND_MAX], v[HAND_MAX], a[HAND_MAX], lambda[HAND_MAX], mu[HAND_MAX], z[4];
};

static void hand_args(const struct hand_size *s, const struct mbs_state *x, int with_mu, struct hand_args *h)
{
    int m = s->ng + s->nh;

    h->t = x->t;
    hand_lift(x->q, s->n, h->q);
    hand_lift(x->v, s->n, h->v);
    hand_lift(x->a, s->n, h->a);
    hand_lift(x->lambda, m, h->lambda);
    hand_lift(with_mu ? x->mu : NULL, m, h->mu);
    hand_lift(x->z, s->nz, h->z);
}

static void hand_residual(const struct hand_size *s, const double *c, const struct mbs_state *x, const struct mbs_residual *out)
{
    struct hand_args h;
    struct hand_out o;
    int m = s->ng + s->nh;

    hand_args(s, x, out->Gtmu != NULL, &h);
    hand_equations(s, c, h.t, h.q, h.v, h.a, h.lambda, h.mu, h.z, &o);
    hand_real(o.r, s->n, out->r);
    hand_real(o.zdot, s->nz, out->zdot);
    hand_real(o.g, s->ng, out->g);
    hand_real(o.gv, m, out->gv);
    hand_real(o.ga, m, out->ga);
    hand_real(o.Gtmu, s->n, out->Gtmu);
}

static void hand_column(const cx *x, int rows, int col, double *A)
{
    for (int i = 0; A && i < rows; i++)
        A[col * rows + i] = cimag(x[i]) * 0x1p100;
}

/* Full patterns, column by column. */
static void hand_jacobian(const struct hand_size *s, const double *c, const struct mbs_state *x, const struct mbs_jacobian *out)
{
    struct hand_args h;
    struct hand_out o;
    struct hand_core k;
    int m = s->ng + s->nh, n = s->n;
    cx step = I * 0x1p-100;

    hand_args(s, x, out->gmuq != NULL, &h);
    memset(&k, 0, sizeof k);
    s->core(c, h.t, h.q, h.v, h.z, &k);
    hand_gather(s->M, k.M, out->M);
    hand_gather(s->G, k.G, out->G);
    for (int j = 0; j < 2 * n + s->nz; j++) {
        cx *p = j < n ? &h.q[j] : j < 2 * n ? &h.v[j - n] : &h.z[j - 2 * n];
        *p += step;
        hand_equations(s, c, h.t, h.q, h.v, h.a, h.lambda, h.mu, h.z, &o);
        *p -= step;
        if (j < n) {
            hand_column(o.r, n, j, out->rq);
            hand_column(o.zdot, s->nz, j, out->zq);
            hand_column(o.gv, m, j, out->gvq);
            hand_column(o.ga, m, j, out->gaq);
            hand_column(o.Gtmu, n, j, out->gmuq);
        } else if (j < 2 * n) {
            hand_column(o.r, n, j - n, out->rv);
            hand_column(o.zdot, s->nz, j - n, out->zv);
            hand_column(o.ga, m, j - n, out->gav);
        } else {
            hand_column(o.r, n, j - 2 * n, out->rz);
            hand_column(o.zdot, s->nz, j - 2 * n, out->zz);
        }
    }
}

/* Column pointers and rows of full matrices with up to HAND_MAX rows, shared by all models. */
#define HAND_FULL(R, C) { R, C, (R) * (C), hand_colptr_##R, hand_rows_##R }
#define HAND_TABLES(R)                                                                                                 \
    __attribute__((unused)) static const int hand_colptr_##R[] = { 0, R, 2 * R, 3 * R, 4 * R, 5 * R, 6 * R, 7 * R, 8 * R, 9 * R, 10 * R, 11 * R, 12 * R };
HAND_TABLES(0)
HAND_TABLES(1)
HAND_TABLES(2)
HAND_TABLES(3)
HAND_TABLES(5)
HAND_TABLES(6)
HAND_TABLES(7)
#define HAND_ROWS(R, ...) __attribute__((unused)) static const int hand_rows_##R[] = { HAND_12(__VA_ARGS__) };
#define HAND_12(...) __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__
HAND_ROWS(0, 0)
HAND_ROWS(1, 0)
HAND_ROWS(2, 0, 1)
HAND_ROWS(3, 0, 1, 2)
HAND_ROWS(5, 0, 1, 2, 3, 4)
HAND_ROWS(6, 0, 1, 2, 3, 4, 5)
HAND_ROWS(7, 0, 1, 2, 3, 4, 5, 6)

/* The functions and the part of the descriptor that follow from the sizes; patterns NAME_M and NAME_G must exist. */
#define HAND_FUNCTIONS(NAME, CORE, N, NG, NH, NZ)                                                                      \
    static const struct hand_size NAME##_size = { N, NG, NH, NZ, &NAME##_M, &NAME##_G, CORE };                         \
    __attribute__((unused)) static void NAME##_dynamics(const double *c, const struct mbs_state *x, const struct mbs_dynamics *o, double *w) \
    {                                                                                                                  \
        (void)w;                                                                                                       \
        hand_dynamics(&NAME##_size, c, x, o);                                                                          \
    }                                                                                                                  \
    static void NAME##_constraints(const double *c, const struct mbs_state *x, const struct mbs_constraints *o, double *w) \
    {                                                                                                                  \
        (void)w;                                                                                                       \
        hand_constraints(&NAME##_size, c, x, o);                                                                       \
    }                                                                                                                  \
    static void NAME##_residual(const double *c, const struct mbs_state *x, const struct mbs_residual *o, double *w)   \
    {                                                                                                                  \
        (void)w;                                                                                                       \
        hand_residual(&NAME##_size, c, x, o);                                                                          \
    }                                                                                                                  \
    static void NAME##_jacobian(const double *c, const struct mbs_state *x, const struct mbs_jacobian *o, double *w)   \
    {                                                                                                                  \
        (void)w;                                                                                                       \
        hand_jacobian(&NAME##_size, c, x, o);                                                                          \
    }

#define HAND_COMMON(NAME, N, M_, NG_, NH_, NZ_)                                                                        \
    .abi = MBS_ABI, .name = #NAME, .title = "", .source = "hand", .nq = N, .nz = NZ_, .ng = NG_, .nh = NH_,            \
    .M = NAME##_M_INIT, .G = NAME##_G_INIT, .rq = HAND_FULL(N, N), .rv = HAND_FULL(N, N), .rz = HAND_FULL(N, NZ_),     \
    .zq = HAND_FULL(NZ_, N), .zv = HAND_FULL(NZ_, N), .zz = HAND_FULL(NZ_, NZ_), .gvq = HAND_FULL(M_, N),              \
    .gaq = HAND_FULL(M_, N), .gav = HAND_FULL(M_, N), .gmuq = HAND_FULL(N, N),                                         \
    .experiment = { NAN, NAN, NAN, NAN, NAN, NAN, NULL, NULL }, .setup = NAME##_setup, .initial = NAME##_initial,      \
    .constraints = NAME##_constraints, .residual = NAME##_residual, .jacobian = NAME##_jacobian

#endif
