/* SPDX-License-Identifier: MIT
 *
 * LU decomposition of a bundle of matrices with a common pivot sequence (bundle.h).
 *
 * The sequence is searched with the values at hand: the entry of least Markowitz count (r - 1) (c - 1) among those
 * that are, in every lane, at least a tenth of the largest of their column.  It is kept for the factorisations that
 * follow until multipliers beyond 1e5 or a tiny pivot show that it no longer suits; 1e5 costs five digits of a
 * correction in an iteration that corrects itself.  The kernel is one loop over pivots, rows and columns; the lanes
 * make four complex multiplications of it at the price of one index. */
#include "linalg/bundle.h"
#include "linalg/lanes.h"
#include "work.h"

#include <math.h>
#include <string.h>

static const double GROWTH = 1e5; /* largest multiplier of a sequence that is kept */
static const double TINY = 1e-13; /* a pivot below this part of its column means a singular matrix */

void mbs_bundle_layout(struct mbs_bundle *b, struct mbs_work *w, int n, int lanes)
{
    size_t N = (size_t)n, entry = lanes > 2 ? 8 : 4;

    b->n = n;
    b->L = lanes > 2 ? 2 : 1;
    b->a = mbs_work_doubles(w, N * N * entry);
    b->sol = mbs_work_doubles(w, N * entry);
    b->nz = mbs_work_bytes(w, N * N);
    b->map = mbs_work_bytes(w, N * N);
    b->prow = mbs_work_ints(w, N);
    b->pcol = mbs_work_ints(w, N);
    b->lptr = mbs_work_ints(w, N + 1);
    b->uptr = mbs_work_ints(w, N + 1);
    b->lrow = mbs_work_ints(w, N * N);
    b->lelem = mbs_work_ints(w, N * N);
    b->pelem = mbs_work_ints(w, N);
    b->ucol = mbs_work_ints(w, N * N);
    b->use = mbs_work_ints(w, N * N);
    b->colmax = mbs_work_doubles(w, 4 * N);
    b->work = mbs_work_ints(w, 4 * N);
}

void mbs_bundle_entry(struct mbs_bundle *b, int i, int j)
{
    b->nz[i * b->n + j] = 1;
}

void mbs_bundle_lanes(struct mbs_bundle *b, int L)
{
    if (b->L != L) {
        b->L = L;
        b->ready = 0;
    }
}

/* Of a matrix that was factored only the entries of the factors need it. */
void mbs_bundle_clear(struct mbs_bundle *b)
{
    int S = 4 * b->L;

    if (!b->ready) {
        memset(b->a, 0, (size_t)(b->n * b->n * S) * sizeof *b->a);
        return;
    }
    for (int e = 0; e < b->used; e++) {
        Two *x = (Two *)(b->a + b->use[e]);
        for (int k = 0; k < S / 2; k++)
            x[k] = (Two){0, 0};
    }
}

/* ---- the kernel ---- */

/* y -= l x for complex elements in lanes */
KERNEL void lanes_sub(int L, Two *y, const Two *l, const Two *x)
{
#pragma GCC unroll 2
    for (int k = 0; k < L; k++) {
        Two xr = x[k], xi = x[L + k];
        y[k] = y[k] - l[k] * xr + l[L + k] * xi;
        y[L + k] = y[L + k] - l[k] * xi - l[L + k] * xr;
    }
}

KERNEL void lanes_mul(int L, Two *y, const Two *a, const Two *b)
{
#pragma GCC unroll 2
    for (int k = 0; k < L; k++) {
        Two r = a[k] * b[k] - a[L + k] * b[L + k];
        y[L + k] = a[k] * b[L + k] + a[L + k] * b[k];
        y[k] = r;
    }
}

/* d = 1/d; returns |1/d|^2 of the lanes, added up */
KERNEL Two lanes_invert(int L, Two *d)
{
    Two sum = {0, 0};
#pragma GCC unroll 2
    for (int k = 0; k < L; k++) {
        Two q = 1 / (d[k] * d[k] + d[L + k] * d[L + k]);
        d[k] *= q;
        d[L + k] *= -q;
        sum += q;
    }
    return sum;
}

/* Eliminates with pivot k: rows lrow, columns ucol; returns the squares of the multipliers, added up. */
KERNEL Two eliminate(int L, double *a, int prow, int pcol, const int *row, int rows, const int *col, int cols)
{
    const double *pivot_row = a + prow;
    const Two *inv = (const Two *)(pivot_row + pcol);
    Two sum = {0, 0};

    for (int i = 0; i < rows; i++) {
        double *r = a + row[i];
        Two l[4];
        lanes_mul(L, l, (Two *)(r + pcol), inv);
#pragma GCC unroll 4
        for (int k = 0; k < 2 * L; k++) {
            ((Two *)(r + pcol))[k] = l[k];
            sum += l[k] * l[k];
        }
        for (int j = 0; j < cols; j++)
            lanes_sub(L, (Two *)(r + col[j]), l, (const Two *)(pivot_row + col[j]));
    }
    return sum;
}

/* With the sequence at hand: the sum of squares of multipliers; tiny pivots or NaN make it infinite. */
KERNEL double factor_with(int L, struct mbs_bundle *b)
{
    Two sum = {0, 0};
    int bad = 0;

    for (int k = 0; k < b->n; k++) {
        int l = b->lptr[k], u = b->uptr[k];
        Two inv = lanes_invert(L, (Two *)(b->a + b->prow[k] + b->pcol[k]));
        bad |= !((inv[0] + inv[1]) * b->colmax[k] < 1 / (TINY * TINY));
        sum += eliminate(L, b->a, b->prow[k], b->pcol[k], b->lrow + l, b->lptr[k + 1] - l, b->ucol + u,
                         b->uptr[k + 1] - u);
    }
    return bad ? HUGE_VAL : sum[0] + sum[1];
}

KERNEL void solve_with(int L, struct mbs_bundle *b, double *x)
{
    int stride = 4 * L, n = b->n;

    for (int k = 0; k < n; k++) {
        const double *col = b->a + b->pcol[k];
        Two y[4];
        memcpy(y, x + b->pelem[k], (size_t)stride * sizeof *x);
        for (int i = b->lptr[k]; i < b->lptr[k + 1]; i++)
            lanes_sub(L, (Two *)(x + b->lelem[i]), (const Two *)(col + b->lrow[i]), y);
    }
    for (int k = n - 1; k >= 0; k--) {
        const double *row = b->a + b->prow[k];
        Two y[4];
        memcpy(y, x + b->pelem[k], (size_t)stride * sizeof *x);
        for (int j = b->uptr[k]; j < b->uptr[k + 1]; j++)
            lanes_sub(L, y, (const Two *)(row + b->ucol[j]), (const Two *)(b->sol + b->ucol[j]));
        lanes_mul(L, (Two *)(b->sol + b->pcol[k]), y, (const Two *)(row + b->pcol[k]));
    }
    memcpy(x, b->sol, (size_t)(n * stride) * sizeof *x);
}

/* ---- the search ---- */

/* |re| + |im| of a lane */
static double size_of(const double *e, int L, int lane)
{
    return fabs(e[lane]) + fabs(e[2 * L + lane]);
}

/* Largest entries of column j over the active rows, lane by lane; count of non-zeros. */
static int column_size(const struct mbs_bundle *b, const unsigned char *row_done, int j, double *big)
{
    int count = 0, S = 4 * b->L;

    for (int lane = 0; lane < 2 * b->L; lane++)
        big[lane] = 0;
    for (int i = 0; i < b->n; i++)
        if (!row_done[i] && b->map[i * b->n + j]) {
            count++;
            for (int lane = 0; lane < 2 * b->L; lane++)
                big[lane] = fmax(big[lane], size_of(b->a + (i * b->n + j) * S, b->L, lane));
        }
    return count;
}

/* The pivot of least count that is large enough in all lanes; 0 if there is none. */
static int search(const struct mbs_bundle *b, const unsigned char *row_done, const unsigned char *col_done,
                  const int *rcount, const double *colmax, int *pi, int *pj)
{
    int n = b->n, S = 4 * b->L, best = n * n + 1;
    double best_size = 0, big[4];

    for (int j = 0; j < n; j++) {
        int ccount;
        if (col_done[j])
            continue;
        ccount = column_size(b, row_done, j, big);
        for (int i = 0; i < n; i++) {
            int cost = (rcount[i] - 1) * (ccount - 1), good = 1;
            double size;
            if (row_done[i] || !b->map[i * n + j] || cost > best)
                continue;
            size = HUGE_VAL;
            for (int lane = 0; lane < 2 * b->L; lane++) {
                double e = size_of(b->a + (i * n + j) * S, b->L, lane);
                good = good && e >= 0.1 * big[lane] && e > 10 * TINY * colmax[j];
                size = fmin(size, e / big[lane]);
            }
            if (good && (cost < best || size > best_size)) {
                best = cost;
                best_size = size;
                *pi = i;
                *pj = j;
            }
        }
    }
    return best <= n * n;
}

/* Rows and columns of step k, and what fills in. */
static void record(struct mbs_bundle *b, int k, int pi, int pj, const unsigned char *row_done,
                   const unsigned char *col_done, int *rcount)
{
    int n = b->n, S = 4 * b->L, l = b->lptr[k], u = b->uptr[k];

    b->prow[k] = pi * n * S;
    b->pelem[k] = pi * S;
    b->pcol[k] = pj * S;
    for (int j = 0; j < n; j++)
        if (!col_done[j] && j != pj && b->map[pi * n + j])
            b->ucol[u++] = j * S;
    for (int i = 0; i < n; i++) {
        if (row_done[i] || i == pi || !b->map[i * n + pj])
            continue;
        b->lelem[l] = i * S;
        b->lrow[l++] = i * n * S;
        rcount[i]--;
        for (int j = b->uptr[k]; j < u; j++) {
            unsigned char *e = &b->map[i * n + b->ucol[j] / S];
            rcount[i] += !*e;
            *e = 1;
        }
    }
    b->lptr[k + 1] = l;
    b->uptr[k + 1] = u;
}

static void step_with(struct mbs_bundle *b, int k)
{
    int l = b->lptr[k], u = b->uptr[k], rows = b->lptr[k + 1] - l, cols = b->uptr[k + 1] - u;
    Two *d = (Two *)(b->a + b->prow[k] + b->pcol[k]);

    if (b->L == 1) {
        lanes_invert(1, d);
        eliminate(1, b->a, b->prow[k], b->pcol[k], b->lrow + l, rows, b->ucol + u, cols);
    } else {
        lanes_invert(2, d);
        eliminate(2, b->a, b->prow[k], b->pcol[k], b->lrow + l, rows, b->ucol + u, cols);
    }
}

int mbs_bundle_search(struct mbs_bundle *b)
{
    int n = b->n, *rcount = b->work;
    unsigned char *row_done = (unsigned char *)(b->work + n), *col_done = (unsigned char *)(b->work + 2 * n);
    double *colmax = b->colmax + n, big[4];

    b->ready = 0;
    memcpy(b->map, b->nz, (size_t)(n * n));
    memset(b->work, 0, 4 * (size_t)n * sizeof *b->work);
    for (int i = 0; i < n * n; i++)
        rcount[i / n] += b->map[i];
    for (int j = 0; j < n; j++) {
        column_size(b, row_done, j, big);
        colmax[j] = 0;
        for (int lane = 0; lane < 2 * b->L; lane++)
            colmax[j] = fmax(colmax[j], big[lane]);
    }
    b->lptr[0] = b->uptr[0] = 0;
    for (int k = 0; k < n; k++) {
        int pi = 0, pj = 0;
        if (!search(b, row_done, col_done, rcount, colmax, &pi, &pj))
            return 1;
        record(b, k, pi, pj, row_done, col_done, rcount);
        row_done[pi] = col_done[pj] = 1;
        b->colmax[k] = colmax[pj] * colmax[pj];
        step_with(b, k);
    }
    b->used = 0;
    for (int i = 0; i < n * n; i++)
        if (b->map[i])
            b->use[b->used++] = i * 4 * b->L;
    b->ready = 1;
    return 0;
}

int mbs_bundle_factor(struct mbs_bundle *b)
{
    return (b->L == 1 ? factor_with(1, b) : factor_with(2, b)) < GROWTH * GROWTH ? 0 : 1;
}

void mbs_bundle_solve(struct mbs_bundle *b, double *x)
{
    if (b->L == 1)
        solve_with(1, b, x);
    else
        solve_with(2, b, x);
}

/* The same for lane 0 alone, x real. */
void mbs_bundle_solve_real(struct mbs_bundle *b, double *x)
{
    int shift = b->L == 1 ? 2 : 3, n = b->n;

    for (int k = 0; k < n; k++) {
        const double *col = b->a + b->pcol[k];
        double y = x[b->pelem[k] >> shift];
        for (int i = b->lptr[k]; i < b->lptr[k + 1]; i++)
            x[b->lelem[i] >> shift] -= col[b->lrow[i]] * y;
    }
    for (int k = n - 1; k >= 0; k--) {
        const double *row = b->a + b->prow[k];
        double y = x[b->pelem[k] >> shift];
        for (int j = b->uptr[k]; j < b->uptr[k + 1]; j++)
            y -= row[b->ucol[j]] * b->sol[b->ucol[j]];
        b->sol[b->pcol[k]] = y * row[b->pcol[k]];
    }
    for (int i = 0; i < n; i++)
        x[i] = b->sol[i << shift];
}
