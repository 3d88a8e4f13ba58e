/* SPDX-License-Identifier: MIT
 *
 * LU decomposition with partial pivoting by rows, real and complex.  Rows that have a zero in the pivot column are
 * skipped, which makes the bordered matrices of mechanics (many zeros, few filled in) about twice as fast.  The
 * diagonal keeps the reciprocal pivots.
 *
 * From LARGE rows on LAPACK's blocked decomposition is faster, where it is present.  It is handed the transpose, since
 * it wants columns, and solves with the transpose of that. */
#include "config.h"
#include "linalg/dense.h"
#include "linalg/lanes.h"

#include <math.h>
#ifdef HAVE_LAPACK
#include <lapacke.h>

enum { LARGE = 96 };

/* Smallest ratio of a pivot to the largest original entry of its row; cx: 1 real, 2 complex. */
static double pivot_ratio(int n, int cx, const double *a, const double *rowmax)
{
    double worst = 1;
    for (int k = 0; k < n; k++) {
        const double *d = a + cx * (k * n + k);
        double big = fabs(d[0]) + (cx == 2 ? fabs(d[1]) : 0);
        if (!(big >= worst * rowmax[k]))
            worst = big / rowmax[k];
    }
    return worst;
}

static double lu_lapack(int n, int cx, double *a, int *pivot, double *rowmax)
{
    for (int i = 0; i < n; i++) {
        rowmax[i] = 0;
        for (int j = 0; j < n; j++) {
            const double *e = a + cx * (i * n + j);
            double x = fabs(e[0]) + (cx == 2 ? fabs(e[1]) : 0);
            if (!(x <= rowmax[i]))
                rowmax[i] = x;
        }
        if (rowmax[i] == 0 || !isfinite(rowmax[i]))
            return rowmax[i] == 0 ? 0 : NAN;
    }
    int info = cx == 1 ? LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, a, n, pivot)
                       : LAPACKE_zgetrf_work(LAPACK_COL_MAJOR, n, n, (lapack_complex_double *)a, n, pivot);
    return info ? 0 : pivot_ratio(n, cx, a, rowmax);
}
#endif

WIDE double mbs_lu_real(int n, double *a, int *pivot, double *colmax)
{
    double worst = 1;

#ifdef HAVE_LAPACK
    if (n >= LARGE)
        return lu_lapack(n, 1, a, pivot, colmax);
#endif

    for (int j = 0; j < n; j++)
        colmax[j] = 0;
    for (int i = 0; i < n; i++)
        lanes_most(n, a + i * n, colmax);
    for (int k = 0; k < n; k++) {
        double *rk = a + k * n, big = fabs(rk[k]);
        int p = k;
        for (int i = k + 1; i < n; i++) {
            double x = fabs(a[i * n + k]);
            if (x > big) {
                big = x;
                p = i;
            }
        }
        pivot[k] = p;
        if (!(big > 0))
            return big == 0 && colmax[k] == colmax[k] ? 0 : NAN;
        if (!(big >= worst * colmax[k]))
            worst = big / colmax[k];
        if (p != k)
            lanes_swap(n, rk, a + p * n);
        double r = 1 / rk[k];
        rk[k] = r;
        for (int i = k + 1; i < n; i++) {
            double *ri = a + i * n, l = ri[k];
            if (l == 0)
                continue;
            ri[k] = l *= r;
            lanes_add(n - k - 1, -l, rk + k + 1, ri + k + 1);
        }
    }
    return worst;
}

void mbs_lu_real_solve(int n, const double *a, const int *pivot, double *x)
{
#ifdef HAVE_LAPACK
    if (n >= LARGE) {
        LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'T', n, 1, a, n, pivot, x, n);
        return;
    }
#endif
    for (int k = 0; k < n; k++) {
        double y = x[pivot[k]];
        x[pivot[k]] = x[k];
        x[k] = y;
    }
    for (int i = 1; i < n; i++) {
        const double *ri = a + i * n;
        double s = x[i];
        for (int j = 0; j < i; j++)
            s -= ri[j] * x[j];
        x[i] = s;
    }
    for (int i = n - 1; i >= 0; i--) {
        const double *ri = a + i * n;
        double s = x[i];
        for (int j = i + 1; j < n; j++)
            s -= ri[j] * x[j];
        x[i] = s * ri[i];
    }
}

void mbs_lu_real_solve_t(int n, const double *a, const int *pivot, double *x)
{
#ifdef HAVE_LAPACK
    if (n >= LARGE) {
        LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', n, 1, a, n, pivot, x, n);
        return;
    }
#endif
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++)
            x[i] -= a[j * n + i] * x[j];
        x[i] *= a[i * n + i];
    }
    for (int i = n - 2; i >= 0; i--)
        for (int j = i + 1; j < n; j++)
            x[i] -= a[j * n + i] * x[j];
    for (int k = n - 1; k >= 0; k--) {
        double y = x[pivot[k]];
        x[pivot[k]] = x[k];
        x[k] = y;
    }
}

/* Rows of X are exchanged as they were in the decomposition, or back. */
KERNEL void exchange(int n, const int *pivot, int width, double *X, int back)
{
    for (int i = 0; i < n; i++) {
        int k = back ? n - 1 - i : i;
        if (pivot[k] != k)
            lanes_swap(width, X + k * width, X + pivot[k] * width);
    }
}

KERNEL void scale_row(int width, double s, double *x)
{
    for (int c = 0; c < width; c += 4)
        *(FourLoose *)(x + c) *= s;
}

/* Four columns, or eight, at a time stay in registers while a row is made, each as four sums, for one would wait for itself.  What comes out for a
 * column does not depend on those beside it: the direction of derivatives is one of many forward and alone backward, and controls the steps of both. */
KERNEL void subtract_some(int first, int last, const double *a, int step, int width, const double *X, double *x, int fours)
{
    FourLoose s[2][4] = {{*(FourLoose *)x}, {*(FourLoose *)(x + 4 * (fours - 1))}};
    int j = first;
    for (; j + 4 <= last; j += 4)
#pragma GCC unroll 4
        for (int k = 0; k < 4; k++)
#pragma GCC unroll 2
            for (int f = 0; f < fours; f++)
                s[f][k] -= a[(j + k) * step] * *(const FourLoose *)(X + (j + k) * width + 4 * f);
    for (; j < last; j++)
#pragma GCC unroll 2
        for (int f = 0; f < fours; f++)
            s[f][0] -= a[j * step] * *(const FourLoose *)(X + j * width + 4 * f);
#pragma GCC unroll 2
    for (int f = 0; f < fours; f++)
        *(FourLoose *)(x + 4 * f) = (s[f][0] + s[f][1]) + (s[f][2] + s[f][3]);
}

KERNEL void subtract_rows(int first, int last, const double *a, int step, int width, const double *X, double *x)
{
    int c = 0;
    for (; c + 8 <= width; c += 8)
        subtract_some(first, last, a, step, width, X + c, x + c, 2);
    for (; c < width; c += 4)
        subtract_some(first, last, a, step, width, X + c, x + c, 1);
}

int mbs_lu_panels(int n)
{
#ifdef HAVE_LAPACK
    return n < LARGE;
#else
    (void)n;
    return 1;
#endif
}

WIDE void mbs_lu_real_panel(int n, const double *a, const int *pivot, int width, double *X)
{
    exchange(n, pivot, width, X, 0);
    for (int i = 1; i < n; i++)
        subtract_rows(0, i, a + i * n, 1, width, X, X + i * width);
    for (int i = n - 1; i >= 0; i--) {
        subtract_rows(i + 1, n, a + i * n, 1, width, X, X + i * width);
        scale_row(width, a[i * n + i], X + i * width);
    }
}

WIDE void mbs_lu_real_panel_t(int n, const double *a, const int *pivot, int width, double *X)
{
    for (int i = 0; i < n; i++) {
        subtract_rows(0, i, a + i, n, width, X, X + i * width);
        scale_row(width, a[i * n + i], X + i * width);
    }
    for (int i = n - 2; i >= 0; i--)
        subtract_rows(i + 1, n, a + i, n, width, X, X + i * width);
    exchange(n, pivot, width, X, 1);
}

double mbs_lu_complex(int n, double *a, int *pivot, double *colmax)
{
    double worst = 1;

#ifdef HAVE_LAPACK
    if (n >= LARGE)
        return lu_lapack(n, 2, a, pivot, colmax);
#endif

    for (int j = 0; j < n; j++) {
        double big = 0;
        for (int i = 0; i < n; i++) {
            const double *e = a + 2 * (i * n + j);
            double x = fabs(e[0]) + fabs(e[1]);
            if (!(x <= big))
                big = x;
        }
        colmax[j] = big;
    }
    for (int k = 0; k < n; k++) {
        double *rk = a + 2 * k * n, big = fabs(rk[2 * k]) + fabs(rk[2 * k + 1]);
        int p = k;
        for (int i = k + 1; i < n; i++) {
            const double *e = a + 2 * (i * n + k);
            double x = fabs(e[0]) + fabs(e[1]);
            if (x > big) {
                big = x;
                p = i;
            }
        }
        pivot[k] = p;
        if (!(big > 0))
            return big == 0 && colmax[k] == colmax[k] ? 0 : NAN;
        if (!(big >= worst * colmax[k]))
            worst = big / colmax[k];
        if (p != k)
            for (int j = 0; j < 2 * n; j++) {
                double x = rk[j];
                rk[j] = a[2 * p * n + j];
                a[2 * p * n + j] = x;
            }
        double pr = rk[2 * k], pi = rk[2 * k + 1], d = 1 / (pr * pr + pi * pi);
        rk[2 * k] = pr *= d;
        rk[2 * k + 1] = pi *= -d;
        for (int i = k + 1; i < n; i++) {
            double *ri = a + 2 * i * n, er = ri[2 * k], ei = ri[2 * k + 1];
            if (er == 0 && ei == 0)
                continue;
            double lr = er * pr - ei * pi, li = er * pi + ei * pr;
            ri[2 * k] = lr;
            ri[2 * k + 1] = li;
            for (int j = 2 * k + 2; j < 2 * n; j += 2) {
                ri[j] -= lr * rk[j] - li * rk[j + 1];
                ri[j + 1] -= lr * rk[j + 1] + li * rk[j];
            }
        }
    }
    return worst;
}

void mbs_lu_complex_solve(int n, const double *a, const int *pivot, double *x)
{
#ifdef HAVE_LAPACK
    if (n >= LARGE) {
        LAPACKE_zgetrs_work(LAPACK_COL_MAJOR, 'T', n, 1, (const lapack_complex_double *)a, n, pivot, (lapack_complex_double *)x, n);
        return;
    }
#endif
    for (int k = 0; k < n; k++)
        for (int c = 0; c < 2; c++) {
            double y = x[2 * pivot[k] + c];
            x[2 * pivot[k] + c] = x[2 * k + c];
            x[2 * k + c] = y;
        }
    for (int i = 1; i < n; i++) {
        const double *ri = a + 2 * i * n;
        double sr = x[2 * i], si = x[2 * i + 1];
        for (int j = 0; j < 2 * i; j += 2) {
            sr -= ri[j] * x[j] - ri[j + 1] * x[j + 1];
            si -= ri[j] * x[j + 1] + ri[j + 1] * x[j];
        }
        x[2 * i] = sr;
        x[2 * i + 1] = si;
    }
    for (int i = n - 1; i >= 0; i--) {
        const double *ri = a + 2 * i * n;
        double sr = x[2 * i], si = x[2 * i + 1];
        for (int j = 2 * i + 2; j < 2 * n; j += 2) {
            sr -= ri[j] * x[j] - ri[j + 1] * x[j + 1];
            si -= ri[j] * x[j + 1] + ri[j + 1] * x[j];
        }
        x[2 * i] = sr * ri[2 * i] - si * ri[2 * i + 1];
        x[2 * i + 1] = sr * ri[2 * i + 1] + si * ri[2 * i];
    }
}
