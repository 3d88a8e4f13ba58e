/* SPDX-License-Identifier: MIT
 *
 * Linear complementarity problems  w = A z + b,  w >= 0, z >= 0, w'z = 0  by Lemke's pivoting (Cottle, Pang & Stone, The Linear
 * Complementarity Problem, 4.4) with the covering vector of ones and lexicographic choice among equal ratios, so that degenerate
 * problems, such as those of redundant contacts, do not cycle. */
#include "hybrid/hybrid.h"

#include <math.h>
#include <string.h>

/* Columns of the tableau: w, z, z0, right-hand side. */
static double *row_of(const struct mbs_lemke *l, int i)
{
    return l->t + (size_t)i * (size_t)(2 * l->most + 2);
}

static void pivot(struct mbs_lemke *l, int n, int r, int col)
{
    double *row = row_of(l, r), p = 1 / row[col];

    for (int j = 0; j < 2 * n + 2; j++)
        row[j] *= p;
    row[col] = 1;
    for (int i = 0; i < n; i++) {
        double *other = row_of(l, i), f = other[col];
        if (i == r || f == 0)
            continue;
        for (int j = 0; j < 2 * n + 2; j++)
            other[j] -= f * row[j];
        other[col] = 0;
    }
}

/* Is row a over its entry in col lexicographically below row b over its? */
static int is_below(const struct mbs_lemke *l, int n, int a, int b, int col)
{
    const double *x = row_of(l, a), *y = row_of(l, b);
    double small = 1e-13, d = x[2 * n + 1] / x[col] - y[2 * n + 1] / y[col];

    if (fabs(d) > small * (fabs(x[2 * n + 1] / x[col]) + l->scale))
        return d < 0;
    for (int j = 0; j < n; j++) {
        d = x[j] / x[col] - y[j] / y[col];
        if (fabs(d) > small * (fabs(x[j] / x[col]) + fabs(y[j] / y[col])))
            return d < 0;
    }
    return 0;
}

static int leaving(const struct mbs_lemke *l, int n, int col)
{
    double largest = 0;
    int best = -1;

    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(row_of(l, i)[col]));
    for (int i = 0; i < n; i++)
        if (row_of(l, i)[col] > 1e-11 * largest && (best < 0 || is_below(l, n, i, best, col)))
            best = i;
    /* z0 leaves wherever it may */
    for (int i = 0; best >= 0 && i < n; i++)
        if (l->basis[i] == 2 * n && row_of(l, i)[col] > 1e-11 * largest &&
            row_of(l, i)[2 * n + 1] / row_of(l, i)[col] <= row_of(l, best)[2 * n + 1] / row_of(l, best)[col] * (1 + 1e-13) + 1e-15 * l->scale)
            return i;
    return best;
}

int mbs_lemke(struct mbs_lemke *l, int n, const double *A, int stride, const double *b, double *z)
{
    int enter, r = 0;

    memset(z, 0, (size_t)n * sizeof *z);
    l->scale = 0;
    for (int i = 0; i < n; i++) {
        double *row = row_of(l, i);
        memset(row, 0, (size_t)(2 * n + 2) * sizeof *row);
        row[i] = 1;
        for (int j = 0; j < n; j++)
            row[n + j] = -A[i * stride + j];
        row[2 * n] = -1;
        row[2 * n + 1] = b[i];
        l->basis[i] = i;
        l->scale = fmax(l->scale, fabs(b[i]));
        if (b[i] < b[r])
            r = i;
    }
    if (n == 0 || b[r] >= 0)
        return 0;
    pivot(l, n, r, 2 * n);
    enter = n + r;
    l->basis[r] = 2 * n;
    for (int iter = 0; iter < 50 * n + 50; iter++) {
        int out;
        if ((r = leaving(l, n, enter)) < 0)
            return 1;           /* a ray */
        out = l->basis[r];
        pivot(l, n, r, enter);
        l->basis[r] = enter;
        if (out == 2 * n) {
            for (int i = 0; i < n; i++)
                if (l->basis[i] >= n && l->basis[i] < 2 * n)
                    z[l->basis[i] - n] = fmax(row_of(l, i)[2 * n + 1], 0);
            return 0;
        }
        enter = out < n ? out + n : out - n;
    }
    return 2;
}
