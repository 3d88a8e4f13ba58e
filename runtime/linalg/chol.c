/* SPDX-License-Identifier: MIT
 *
 * Sparse Cholesky for Schur complements of constraints.
 *
 * The order is found once by minimum degree on the graph itself (the matrices are small enough for that), and the
 * elimination is written down as a list: for each pair of entries of a pivot column, the place that their product is
 * taken from.  Factoring then is one pass over that list, without any search; a chain of bodies costs a few
 * multiplications a joint.  Small matrices are dense ones. */
#include "linalg/chol.h"
#include "linalg/lanes.h"
#include "linalg/order.h"
#include "work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DENSE_MAX = 8 };

struct mbs_chol {
    int n, nnz;
    int dense;                  /* val is n x n, lower triangle by rows, and nothing of the lists below is used */
    long updates;
    int *perm, *inverse;        /* new -> old, old -> new */
    int *colptr, *rowidx;       /* new numbering, strictly below the diagonal */
    int *dst;                   /* places of the updates, in order */
    double *val;                /* nnz entries below the diagonal, then the diagonal; the reciprocal pivots after factoring */
    double *diag, *diag0, *x;
};

/* Minimum degree: g becomes the filled graph. */
static void order(int n, unsigned char *g, int *perm, int *degree)
{
    unsigned char *done = g + (long)n * n;

    memset(done, 0, (size_t)n);
    for (int k = 0; k < n; k++) {
        int best = -1;
        for (int i = 0; i < n; i++) {
            if (done[i])
                continue;
            degree[i] = 0;
            for (int j = 0; j < n; j++)
                degree[i] += !done[j] && j != i && g[(long)i * n + j];
            if (best < 0 || degree[i] < degree[best])
                best = i;
        }
        perm[k] = best;
        done[best] = 1;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n && !done[i] && g[(long)best * n + i]; j++)
                if (!done[j] && g[(long)best * n + j])
                    g[(long)i * n + j] = 1;
    }
}

static void layout(struct mbs_chol *c, struct mbs_work *w)
{
    size_t n = (size_t)c->n;

    c->perm = mbs_work_ints(w, n);
    c->inverse = mbs_work_ints(w, n);
    c->colptr = mbs_work_ints(w, n + 1);
    c->rowidx = mbs_work_ints(w, (size_t)c->nnz + 1);
    c->dst = mbs_work_ints(w, (size_t)c->updates + 1);
    c->val = mbs_work_doubles(w, (size_t)c->nnz + n);
    c->diag = c->val ? c->val + c->nnz : NULL;
    c->diag0 = mbs_work_doubles(w, n);
    c->x = mbs_work_doubles(w, n);
}

/* Place of (i, j), i > j, in the new numbering. */
static int place_new(const struct mbs_chol *c, int i, int j)
{
    int lo = c->colptr[j], hi = c->colptr[j + 1];

    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (c->rowidx[mid] < i)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void fill_tables(struct mbs_chol *c, const unsigned char *g, const int *perm)
{
    int n = c->n, at = 0;
    long u = 0;

    memcpy(c->perm, perm, (size_t)n * sizeof *perm);
    for (int k = 0; k < n; k++)
        c->inverse[perm[k]] = k;
    for (int j = 0; j < n; j++) {
        for (int i = j + 1; i < n; i++)
            if (g[(long)perm[i] * n + perm[j]])
                c->rowidx[at++] = i;
        c->colptr[j + 1] = at;
    }
    for (int j = 0; j < n; j++)
        for (int a = c->colptr[j]; a < c->colptr[j + 1]; a++) {
            int i = c->rowidx[a];
            c->dst[u++] = c->nnz + i;
            for (int b = a + 1; b < c->colptr[j + 1]; b++)
                c->dst[u++] = place_new(c, c->rowidx[b], i);
        }
}

struct mbs_chol *mbs_chol_new(int n, const unsigned char *neighbour, long max_updates)
{
    size_t size = (size_t)n * (size_t)n;
    unsigned char *g = malloc(size + (size_t)n + 1);
    int *perm = calloc(2 * (size_t)n + 1, sizeof *perm);
    struct mbs_chol head = { .n = n }, *c = NULL;
    struct mbs_work w = { NULL, 0 };

    if (!g || !perm)
        goto end;
    memcpy(g, neighbour, size);
    order(n, g, perm, perm + n);
    head.dense = n <= DENSE_MAX;
    head.nnz = head.dense ? n * n - n : 0;
    for (int j = 0; j < n && !head.dense; j++) {
        long below = 0;
        for (int i = j + 1; i < n; i++)
            below += g[(long)perm[i] * n + perm[j]] != 0;
        head.nnz += (int)below;
        head.updates += below * (below + 1) / 2;
    }
    if (head.updates > max_updates)
        goto end;
    mbs_work_bytes(&w, sizeof *c);
    layout(&head, &w);
    c = calloc(1, w.used);
    if (!c)
        goto end;
    *c = head;
    w = (struct mbs_work){ (char *)c, 0 };
    mbs_work_bytes(&w, sizeof *c);
    layout(c, &w);
    if (!c->dense)
        fill_tables(c, g, perm);
end:
    free(g);
    free(perm);
    return c;
}

void mbs_chol_free(struct mbs_chol *c)
{
    free(c);
}

int mbs_chol_place(const struct mbs_chol *c, int i, int j)
{
    int a, b;

    if (c->dense)
        return i > j ? i * c->n + j : j * c->n + i;
    a = c->inverse[i];
    b = c->inverse[j];
    return a == b ? c->nnz + a : a > b ? place_new(c, a, b) : place_new(c, b, a);
}

double *mbs_chol_values(struct mbs_chol *c)
{
    return c->val;
}

void mbs_chol_clear(struct mbs_chol *c)
{
    memset(c->val, 0, (size_t)(c->nnz + c->n) * sizeof *c->val);
}

long mbs_chol_updates(const struct mbs_chol *c)
{
    return c->updates;
}

int mbs_chol_factor(struct mbs_chol *c, double tol)
{
    const int *dst = c->dst;
    double *restrict val = c->val;

    if (c->dense) {
        int k = 0;
        MBS_BY_ORDER(c->n, k = mbs_order_factor(val, ORDER, tol));
        return k;
    }
    memcpy(c->diag0, c->diag, (size_t)c->n * sizeof *c->diag);
    for (int j = 0; j < c->n; j++) {
        int end = c->colptr[j + 1];
        double d = c->diag[j], r;
        if (!(d > tol * c->diag0[j]))
            return c->perm[j] + 1;
        c->diag[j] = r = 1 / sqrt(d);
        for (int a = c->colptr[j]; a < end; a++)
            val[a] *= r;
        for (int a = c->colptr[j]; a < end; a++) {
            double la = val[a];
            for (int b = a; b < end; b++)
                val[*dst++] -= la * val[b];
        }
    }
    return 0;
}

double mbs_chol_weakest(const struct mbs_chol *c, const double *scale, int *row)
{
    double most = 0;
    int weakest = 0;

    for (int j = 0; j < c->n; j++) {
        double r = c->dense ? c->val[j * (c->n + 1)] / scale[j] : c->diag[j] / scale[c->perm[j]];
        if (!(r <= most)) {
            most = r;
            weakest = j;
        }
    }
    if (row)
        *row = c->n == 0 ? -1 : c->dense ? weakest : c->perm[weakest];
    return 1 / most;
}

void mbs_chol_solve(const struct mbs_chol *c, double *rhs)
{
    double *restrict x = c->x;

    if (c->dense) {
        MBS_BY_ORDER(c->n, mbs_order_solve(c->val, ORDER, rhs));
        return;
    }
    for (int i = 0; i < c->n; i++)
        x[i] = rhs[c->perm[i]];
    for (int j = 0; j < c->n; j++) {
        double s = x[j] *= c->diag[j];
        for (int a = c->colptr[j]; a < c->colptr[j + 1]; a++)
            x[c->rowidx[a]] -= c->val[a] * s;
    }
    for (int j = c->n - 1; j >= 0; j--) {
        double s = x[j];
        for (int a = c->colptr[j]; a < c->colptr[j + 1]; a++)
            s -= c->val[a] * x[c->rowidx[a]];
        x[j] = s * c->diag[j];
    }
    for (int i = 0; i < c->n; i++)
        rhs[c->perm[i]] = x[i];
}

/* ---- in lanes ---- */

typedef double Four __attribute__((vector_size(32), may_alias));

int mbs_chol_room(const struct mbs_chol *c)
{
    return c->nnz + c->n;
}

/* The group g of four, of `part`. */
KERNEL void dense_pivots(int n, int part, int g, Four *S)
{
#pragma GCC unroll 8
    for (int j = 0; j < n; j++) {
        Four r = 1 / S[j * (n + 1) * part + g];
#pragma GCC unroll 8
        for (int i = j + 1; i < n; i++) {
            Four l = S[(i * n + j) * part + g] * r;
#pragma GCC unroll 8
            for (int k = j + 1; k <= i; k++)
                S[(i * n + k) * part + g] -= l * S[(k * n + j) * part + g];
        }
    }
}

KERNEL void sparse_pivots(const struct mbs_chol *c, int part, int g, Four *val)
{
    const int *dst = c->dst;

    for (int j = 0; j < c->n; j++) {
        Four r = 1 / val[(c->nnz + j) * part + g];
        for (int a = c->colptr[j]; a < c->colptr[j + 1]; a++) {
            Four l = val[a * part + g] * r;
            for (int b = a; b < c->colptr[j + 1]; b++)
                val[*dst++ * part + g] -= l * val[b * part + g];
        }
    }
}

FUSED void mbs_chol_pivots(const struct mbs_chol *c, int lanes, double *val)
{
    int part = lanes / 4;

    for (int g = 0; g < part; g++)
        if (!c->dense)
            sparse_pivots(c, part, g, (Four *)val);
        else if (part == 1)
            MBS_BY_ORDER(c->n, dense_pivots(ORDER, 1, 0, (Four *)val))
        else
            dense_pivots(c->n, part, g, (Four *)val);
}
