/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Motions and their derivatives by a parameter without any of libmbs: the generated code of M, f, G, gamma computes in complex numbers of 64 binary
 * digits each, the parameter has an imaginary part of 1e-40 of its size (complex step: no difference is formed), and the Gragg-Bulirsch-Stoer
 * method of order 16 integrates index 1.  run.sh writes the model for it, COMPLEX_FILE with COMPLEX, with `scalar` for its numbers. */
#include <complex.h>
#include <float.h>

typedef long double complex scalar;
#include COMPLEX_FILE

#include "exact.h"

#include <stdlib.h>
#include <string.h>

static const struct mbs_model *const model = &COMPLEX;
static const long double STEP = 1e-40L, TIGHT = 1e-15L, LEAST = 1e-3L;
enum { COLUMNS = 8 };

struct motion {
    int n, m, rows;             /* coordinates, constraints; rows of a state q, v, z */
    scalar *c, *w, *M, *G, *g, *gamma;
    scalar *A, *dense, *B, *S, *left;        /* of solve() */
    scalar *y, *end, *slope, *a, *b, *table[COLUMNS];
    long double *most_real, *most_imag;         /* of each row so far, */
    long double kind_real[3], kind_imag[3];     /* and of all q, v, z: what errors are measured by */
};

static void *get(size_t count, size_t size)
{
    void *x = calloc(count + 1, size);
    if (!x)
        abort();
    return x;
}

/* Every array of scalars, with its length. */
static int arrays(struct motion *s, scalar ***at, size_t *count)
{
    const struct mbs_model *o = model;
    size_t n = (size_t)s->n, m = (size_t)s->m, rows = (size_t)s->rows;
    struct { scalar **at; size_t count; } part[] = {
        {&s->c, (size_t)o->nc}, {&s->w, (size_t)o->nw}, {&s->M, (size_t)o->M.nnz}, {&s->G, (size_t)o->G.nnz}, {&s->g, m}, {&s->gamma, m}, {&s->A, n * n},
        {&s->dense, m * n}, {&s->B, m * n}, {&s->S, m * m}, {&s->left, m}, {&s->y, rows}, {&s->end, rows}, {&s->slope, rows}, {&s->a, rows},
        {&s->b, rows}};
    int number = (int)(sizeof part / sizeof *part);
    for (int i = 0; i < number; i++) {
        at[i] = part[i].at;
        count[i] = part[i].count;
    }
    for (int i = 0; i < COLUMNS; i++) {
        at[number + i] = &s->table[i];
        count[number + i] = rows;
    }
    return number + COLUMNS;
}

static void motion_new(struct motion *s)
{
    const struct mbs_model *o = model;
    scalar **at[32];
    size_t count[32];
    *s = (struct motion){.n = o->nq, .m = o->ng + o->nh, .rows = 2 * o->nq + o->nz};
    for (int i = arrays(s, at, count) - 1; i >= 0; i--)
        *at[i] = get(count[i], sizeof(scalar));
    s->most_real = get((size_t)s->rows, sizeof *s->most_real);
    s->most_imag = get((size_t)s->rows, sizeof *s->most_imag);
}

static void motion_free(struct motion *s)
{
    scalar **at[32];
    size_t count[32];
    for (int i = arrays(s, at, count) - 1; i >= 0; i--)
        free(*at[i]);
    free(s->most_real);
    free(s->most_imag);
}

/* ---- dense symmetric matrices, row by row ---- */

static void factor(int n, scalar *A)
{
    for (int j = 0; j < n; j++)
        for (int i = j + 1; i < n; i++) {
            scalar l = A[i * n + j] / A[j * n + j];
            for (int k = j; k < n && l != 0; k++)
                A[i * n + k] -= l * A[j * n + k];
            A[i * n + j] = l;
        }
}
static void substitute(int n, const scalar *A, scalar *x)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            x[i] -= A[i * n + j] * x[j];
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++)
            x[i] -= A[i * n + j] * x[j];
        x[i] /= A[i * n + i];
    }
}

static long double largest(int n, const scalar *A)
{
    long double most = 0;
    for (int i = 0; i < n; i++)
        most = fmaxl(most, fabsl(creall(A[i * n + i])));
    return most > 0 ? most : 1;
}

/* Solves M a + G' l = r, G a = g for a, in place of r, with the first m rows of s->dense (spoils M): by the method of multipliers, since a must be a smooth
 * function of what rows that depend on others say, which they contradict at the points that the midpoint rule passes through. */
static void solve(struct motion *s, int m, scalar *M, scalar *r, const scalar *g)
{
    int n = s->n;
    scalar *G = s->dense, *B = s->B, *S = s->S, *left = s->left;
    long double size = 0;
    for (int i = 0; i < m * n; i++)
        size = fmaxl(size, fabsl(creall(G[i])));
    long double add = m ? largest(n, M) / (size * size) : 0;   /* makes M positive definite where only the constraints make the motion unique */
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < n; k++)
                M[j * n + k] += add * G[i * n + j] * G[i * n + k];
            r[j] += add * G[i * n + j] * g[i];
        }
    factor(n, M);
    substitute(n, M, r);
    memcpy(B, G, (size_t)(m * n) * sizeof *B);
    for (int i = 0; i < m; i++)
        substitute(n, M, B + i * n);
    for (int i = 0; i < m; i++)
        for (int k = 0; k < m; k++) {
            S[i * m + k] = 0;
            for (int j = 0; j < n; j++)
                S[i * m + k] += G[i * n + j] * B[k * n + j];
        }
    long double soft = 1e-6L * largest(m, S);
    for (int i = 0; i < m; i++)
        S[i * m + i] += soft;
    factor(m, S);
    for (int pass = 0; pass < 5 && m; pass++) {
        for (int i = 0; i < m; i++) {
            left[i] = -g[i];
            for (int j = 0; j < n; j++)
                left[i] += G[i * n + j] * r[j];
        }
        substitute(m, S, left);
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++)
                r[j] -= left[i] * B[i * n + j];
    }
}

/* ---- the equations ---- */

static void put_constraints(struct motion *s)
{
    const struct mbs_pattern *p = &model->G;
    memset(s->dense, 0, (size_t)(s->m * s->n) * sizeof *s->dense);
    for (int j = 0, k = 0; s->m && j < s->n; j++)
        for (; k < p->colptr[j + 1]; k++)
            s->dense[p->rowidx[k] * s->n + j] = s->G[k];
}

/* s->slope = (v, a, z') of y at t */
static void slope(struct motion *s, long double t, const scalar *y)
{
    const struct mbs_model *o = model;
    int n = s->n;
    struct mbs_state x = {.t = t, .q = y, .v = y + n, .z = y + 2 * n};
    struct mbs_dynamics out = {.M = s->M, .f = s->slope + n, .G = s->G, .zdot = s->slope + 2 * n, .gamma = s->gamma};
    o->dynamics(s->c, &x, &out, s->w);
    memset(s->A, 0, (size_t)(n * n) * sizeof *s->A);
    for (int j = 0, k = 0; j < n; j++)
        for (; k < o->M.colptr[j + 1]; k++)
            s->A[o->M.rowidx[k] * n + j] = s->A[j * n + o->M.rowidx[k]] = s->M[k];
    put_constraints(s);
    for (int i = 0; i < s->m; i++)
        s->gamma[i] = -s->gamma[i];
    solve(s, s->m, s->A, s->slope + n, s->gamma);
    memcpy(s->slope, y + n, (size_t)n * sizeof *y);
}

/* Takes from y what the start lacks to constraints of positions, then of velocities, by the least change. */
static void settle(struct motion *s, long double t, scalar *y)
{
    const struct mbs_model *o = model;
    int n = s->n;
    struct mbs_state x = {.t = t, .q = y, .v = y + n, .z = y + 2 * n};
    struct mbs_constraints out = {.g = s->g, .G = s->G, .gt = s->gamma};
    for (int pass = 0; pass < 8; pass++) {
        int velocity = pass >= 6, m = velocity ? s->m : o->ng;
        scalar *at = velocity ? y + n : y;
        o->constraints(s->c, &x, &out, s->w);
        put_constraints(s);
        memset(s->A, 0, (size_t)(n * n) * sizeof *s->A);
        memset(s->a, 0, (size_t)n * sizeof *s->a);
        for (int i = 0; i < n; i++)
            s->A[i * n + i] = 1;
        for (int i = 0; i < m; i++) {
            s->g[i] = velocity ? -s->gamma[i] : -s->g[i];
            for (int j = 0; j < n && velocity; j++)
                s->g[i] -= s->dense[i * n + j] * at[j];
        }
        solve(s, m, s->A, s->a, s->g);
        for (int i = 0; i < n; i++)
            at[i] += s->a[i];
    }
}

/* The modified midpoint rule: y(t + h) in `parts` parts, into s->b. */
static void midpoint(struct motion *s, long double t, long double h, int parts)
{
    long double d = h / parts;
    slope(s, t, s->y);
    for (int i = 0; i < s->rows; i++) {
        s->a[i] = s->y[i];
        s->b[i] = s->y[i] + d * s->slope[i];
    }
    for (int k = 1; k <= parts; k++) {
        slope(s, t + k * d, s->b);
        for (int i = 0; i < s->rows; i++) {
            scalar next = k < parts ? s->a[i] + 2 * d * s->slope[i] : (s->a[i] + s->b[i] + d * s->slope[i]) / 2;
            s->a[i] = s->b[i];
            s->b[i] = next;
        }
    }
}

static void remember(struct motion *s, const scalar *y)
{
    for (int i = 0; i < s->rows; i++) {
        int kind = i < s->n ? 0 : i < 2 * s->n ? 1 : 2;
        s->most_real[i] = fmaxl(s->most_real[i], fabsl(creall(y[i])));
        s->most_imag[i] = fmaxl(s->most_imag[i], fabsl(cimagl(y[i])));
        s->kind_real[kind] = fmaxl(s->kind_real[kind], s->most_real[i]);
        s->kind_imag[kind] = fmaxl(s->kind_imag[kind], fmaxl(s->most_imag[i], STEP * s->kind_real[kind]));      /* there are derivatives that are 0 */
    }
}

/* s->end = y(t + h), extrapolated to steps of length 0; the last correction as a part of what is allowed. */
static long double attempt(struct motion *s, long double t, long double h)
{
    long double error = 0;
    for (int k = 0; k < COLUMNS; k++) {
        midpoint(s, t, h, 2 * (k + 1));
        for (int i = 0; i < s->rows; i++) {
            scalar value = s->b[i];
            for (int j = 1; j <= k; j++) {
                long double ratio = (long double)(k + 1) / (k + 1 - j);
                scalar better = value + (value - s->table[j - 1][i]) / (ratio * ratio - 1);
                s->table[j - 1][i] = value;
                value = better;
            }
            s->table[k][i] = value;
        }
    }
    memcpy(s->end, s->table[COLUMNS - 1], (size_t)s->rows * sizeof *s->end);
    remember(s, s->end);
    for (int i = 0; i < s->rows; i++) {
        int kind = i < s->n ? 0 : i < 2 * s->n ? 1 : 2;
        scalar off = s->table[COLUMNS - 1][i] - s->table[COLUMNS - 2][i];
        error = fmaxl(error, fabsl(creall(off)) / (TIGHT * (s->most_real[i] + LEAST * s->kind_real[kind]) + LDBL_MIN));
        error = fmaxl(error, fabsl(cimagl(off)) / (TIGHT * (s->most_imag[i] + LEAST * s->kind_imag[kind]) + LDBL_MIN));
    }
    return error;
}

void exact_derivative(int param, double from, double to, const double *y0, const double *dy0, double *y, double *dy)
{
    const struct mbs_model *o = model;
    unsigned char *given = get((size_t)o->np, 1);
    scalar *p = get((size_t)o->np, sizeof *p);
    struct motion s;
    motion_new(&s);
    o->defaults(p, NULL);
    long double size = param >= 0 && p[param] != 0 ? fabsl(creall(p[param])) : 1;
    for (int k = 0; k < o->nsensitive; k++)
        given[o->sensitive[k]] = 1;
    if (param >= 0)
        p[param] += _Complex_I * STEP * size;
    o->defaults(p, given);
    o->setup(p, s.c);
    for (int i = 0; i < s.rows; i++)
        s.y[i] = y0[i] + _Complex_I * STEP * size * dy0[i];
    settle(&s, from, s.y);
    remember(&s, s.y);
    for (long double t = from, h = (to - from) / 100; t < to && h > 0;) {
        h = fminl(h, to - t);
        long double error = attempt(&s, t, h);
        if (error <= 1) {
            t = h == to - t ? to : t + h;
            memcpy(s.y, s.end, (size_t)s.rows * sizeof *s.y);
        }
        h *= fminl(2, fmaxl(0.2L, 0.8L * powl(error + 1e-9L, -1.0L / (2 * COLUMNS - 1))));
    }
    for (int i = 0; i < s.rows; i++) {
        y[i] = (double)creall(s.y[i]);
        dy[i] = (double)(cimagl(s.y[i]) / (STEP * size));
    }
    motion_free(&s);
    free(given);
    free(p);
}
