/* SPDX-License-Identifier: MIT
 *
 * Linear complementarity problems  w = A z + b,  w >= 0, z >= 0, w'z = 0  by Lemke's pivoting (Cottle, Pang & Stone, The Linear
 * Complementarity Problem, 4.4) with the covering vector of ones and lexicographic choice among equal ratios, so that degenerate
 * problems, such as those of redundant contacts, do not cycle.
 *
 * Which ratios are equal is the delicate question.  Unknowns are impulses beside velocities, and some are smaller than others by ten orders: a corner that
 * approaches a wall with 1e-9 m/s while it slides with 10 m/s.  So the problem is scaled until the diagonal is one, and every right-hand side carries
 * a bound of its own rounding error; ratios are equal where these bounds do not tell them apart.  A solution is one if its certificate says so, else
 * it is sought again with other ideas of what is equal, at last with contacts that give way. */
#include "hybrid/hybrid.h"
#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double PIVOT = 1e-11;              /* of the largest entry of a column: what is less is zero */
static const double CERTIFICATE = 1e-10;        /* of what w is made of: what a solution may leave of w >= 0, z >= 0, w'z = 0 */
static const double HARDER = 0.3;               /* contacts that give way do so less from round to round */
enum { MOST_ROUNDS = 8 };

void mbs_lemke_layout(struct mbs_lemke *l, int most, struct mbs_work *w)
{
    size_t n = (size_t)most;

    l->t = mbs_work_doubles(w, n * (2 * n + 3));
    l->scale = mbs_work_doubles(w, n);
    l->b = mbs_work_doubles(w, n);
    l->basis = mbs_work_ints(w, 2 * n);
}

/* Columns of the tableau: w, z, z0, right-hand side, a bound of its error. */
static double *row_of(const struct mbs_lemke *l, int n, int i)
{
    return l->t + (size_t)i * (size_t)(2 * n + 3);
}

static double ratio(const struct mbs_lemke *l, int n, int i, int col)
{
    const double *x = row_of(l, n, i);

    return x[2 * n + 1] / x[col];
}

static double doubt(const struct mbs_lemke *l, int n, int i, int col)
{
    const double *x = row_of(l, n, i);

    return l->trust * x[2 * n + 2] / x[col];
}

static void pivot(struct mbs_lemke *l, int n, int r, int col)
{
    double *row = row_of(l, n, r), p = row[col];

    for (int j = 0; j < 2 * n + 2; j++)
        row[j] /= p;
    row[2 * n + 2] = row[2 * n + 2] / fabs(p) + DBL_EPSILON * fabs(row[2 * n + 1]);
    row[col] = 1;
    for (int i = 0; i < n; i++) {
        double *other = row_of(l, n, i), f = other[col];
        if (i == r || f == 0)
            continue;
        other[2 * n + 2] += fabs(f) * row[2 * n + 2] + DBL_EPSILON * (fabs(other[2 * n + 1]) + fabs(f * row[2 * n + 1]));
        for (int j = 0; j < 2 * n + 2; j++)
            other[j] -= f * row[j];
        other[col] = 0;
    }
}

/* Is row a over its entry in col lexicographically below row b over its? */
static int is_below(const struct mbs_lemke *l, int n, int a, int b, int col)
{
    const double *x = row_of(l, n, a), *y = row_of(l, n, b);
    double d = ratio(l, n, a, col) - ratio(l, n, b, col);

    if (fabs(d) > doubt(l, n, a, col) + doubt(l, n, b, col))
        return d < 0;
    for (int j = 0; j < n; j++) {
        d = x[j] / x[col] - y[j] / y[col];
        if (fabs(d) > 1e-13 * (fabs(x[j] / x[col]) + fabs(y[j] / y[col])))
            return d < 0;
    }
    return 0;
}

static int leaving(const struct mbs_lemke *l, int n, int col)
{
    double largest = 0;
    int best = -1;

    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(row_of(l, n, i)[col]));
    for (int i = 0; i < n; i++)
        if (row_of(l, n, i)[col] > PIVOT * largest && (best < 0 || is_below(l, n, i, best, col)))
            best = i;
    /* z0 leaves wherever it may */
    for (int i = 0; best >= 0 && i < n; i++)
        if (l->basis[i] == 2 * n && row_of(l, n, i)[col] > PIVOT * largest &&
            ratio(l, n, i, col) <= ratio(l, n, best, col) + doubt(l, n, i, col) + doubt(l, n, best, col))
            return i;
    return best;
}

/* D A D has ones in its diagonal; a row without one of its own is as large as its largest entry. */
static void equilibrate(struct mbs_lemke *l, int n, const double *A)
{
    double *d = l->scale;

    for (int i = 0; i < n; i++)
        d[i] = A[i * n + i] > 0 ? 1 / sqrt(A[i * n + i]) : 0;
    for (int i = 0; i < n; i++) {
        double largest = 0;
        if (d[i] > 0)
            continue;
        for (int j = 0; j < n; j++)
            largest = fmax(largest, A[j * n + j] > 0 ? fabs(A[i * n + j]) * d[j] : 0);
        d[i] = largest > 0 ? 1 / largest : 1;
    }
}

/* What is added to the diagonal of row i, where there is one. */
static double give(const struct mbs_lemke *l, int n, const double *A, double soft, int i)
{
    return A[i * n + i] > 0 ? soft / (l->scale[i] * l->scale[i]) : 0;
}

/* By how much z violates w >= 0, z >= 0, w'z = 0, in the units of the scaled problem, relative to what w is made of. */
static double violation(const struct mbs_lemke *l, int n, const double *A, double soft, const double *b, const double *z)
{
    double size = 0, worst = 0;

    for (int i = 0; i < n; i++) {
        double w = b[i] + give(l, n, A, soft, i) * z[i], sum = fabs(b[i]);
        for (int j = 0; j < n; j++) {
            w += A[i * n + j] * z[j];
            sum += fabs(A[i * n + j] * z[j]);
        }
        size = fmax(size, sum * l->scale[i]);
        worst = fmax(worst, fabs(fmin(z[i] / l->scale[i], w * l->scale[i])));
    }
    return size > 0 ? worst / size : worst;
}

/* The basis that pivoting has ended with is right, but its values carry the rounding errors of all pivots: they are computed anew from A and b, in
 * the place of the tableau, from w = 0 where z is basic. */
static void polish(struct mbs_lemke *l, int n, const double *A, double soft, const double *b, double *z)
{
    double *B = l->t, *x = B + n * n, *anew = x + n, *colmax = anew + n, *d = l->scale;
    int m = 0, *at = l->basis, *pivot = at + n;

    for (int i = 0; i < n; i++)
        if (at[i] >= n)
            at[m++] = at[i] - n;
    for (int i = 0; i < m; i++) {
        x[i] = -b[at[i]] * d[at[i]];
        for (int j = 0; j < m; j++)
            B[i * m + j] = (A[at[i] * n + at[j]] + (i == j ? give(l, n, A, soft, at[i]) : 0)) * d[at[i]] * d[at[j]];
    }
    if (!(mbs_lu_real(m, B, pivot, colmax) > 0))
        return;
    mbs_lu_real_solve(m, B, pivot, x);
    memset(anew, 0, (size_t)n * sizeof *anew);
    for (int i = 0; i < m; i++)
        anew[at[i]] = fmax(x[i], 0) * d[at[i]];
    if (violation(l, n, A, soft, b, anew) < violation(l, n, A, soft, b, z))
        memcpy(z, anew, (size_t)n * sizeof *z);
}

/* Solves w = (A + soft D^-2) z + b, soft on the rows with a diagonal only. */
static int pivots(struct mbs_lemke *l, int n, const double *A, double soft, const double *b, double *z)
{
    int enter, r = 0;

    memset(z, 0, (size_t)n * sizeof *z);
    for (int i = 0; i < n; i++) {
        double *row = row_of(l, n, i);
        memset(row, 0, (size_t)(2 * n + 2) * sizeof *row);
        row[i] = 1;
        for (int j = 0; j < n; j++)
            row[n + j] = -(A[i * n + j] + (i == j ? give(l, n, A, soft, i) : 0)) * l->scale[i] * l->scale[j];
        row[2 * n] = -1;
        row[2 * n + 1] = b[i] * l->scale[i];
        row[2 * n + 2] = 2 * DBL_EPSILON * fabs(row[2 * n + 1]);
        l->basis[i] = i;
        if (row[2 * n + 1] < row_of(l, n, r)[2 * n + 1])
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
                    z[l->basis[i] - n] = fmax(row_of(l, n, i)[2 * n + 1], 0) * l->scale[l->basis[i] - n];
            polish(l, n, A, soft, b, z);
            return 0;
        }
        enter = out < n ? out + n : out - n;
    }
    return 2;
}

/* Proximal points: contacts that give way by `soft` of their own compliance, from where they were the last time, so that in the end they do not.
 * Contacts that are nearly redundant, whose impulses rounding errors would make arbitrary, share them so. */
static int proximal(struct mbs_lemke *l, int n, const double *A, double soft, const double *b, double *z)
{
    int status;

    memset(z, 0, (size_t)n * sizeof *z);
    for (int round = 0; round < MOST_ROUNDS; round++) {
        for (int i = 0; i < n; i++)
            l->b[i] = b[i] - give(l, n, A, soft, i) * z[i];
        if ((status = pivots(l, n, A, soft, l->b, z)))
            return status;
        if (violation(l, n, A, 0, b, z) <= CERTIFICATE)
            return 0;
        soft *= HARDER;
    }
    return 2;
}

int mbs_lemke(struct mbs_lemke *l, int n, const double *A, const double *b, double *z)
{
    /* errors are rarely as large as their bounds */
    static const struct { double soft, trust; } way[] = { { 0, 0.01 },    { 0, 1 },    { 1e-9, 0.01 }, { 1e-7, 0.01 },
                                                          { 1e-9, 1 }, { 1e-7, 1 }, { 1e-5, 0.01 }, { 1e-5, 1 } };
    int status = 0, first = 0;

    equilibrate(l, n, A);
    for (size_t k = 0; k < sizeof way / sizeof *way; k++) {
        l->trust = way[k].trust;
        status = way[k].soft > 0 ? proximal(l, n, A, way[k].soft, b, z) : pivots(l, n, A, 0, b, z);
        if (status == 0 && violation(l, n, A, 0, b, z) <= CERTIFICATE)
            return 0;
        if (k == 0)
            first = status ? status : 2;
    }
    return first;
}
