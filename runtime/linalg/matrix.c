/* SPDX-License-Identifier: MIT
 *
 * Square matrices put together from blocks with fixed patterns.
 *
 * ready() turns each block into a list of places in the value array, which is dense (row-major) for small matrices
 * and compressed columns for large sparse ones; add() is then one loop without any search.  factor() works on a
 * copy.  A pivot that nearly vanishes brings in the orthogonal decomposition of the equilibrated matrix; if that
 * confirms a drop of rank, solutions are those of minimum norm in the scaled unknowns. */
#include "config.h"
#include "linalg/dense.h"
#include "linalg/panel.h"
#include "linalg/sparse.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DENSE_MAX = 48 };        /* above this order sparse is worth trying, if fewer than a quarter is filled */

struct block {
    struct mbs_pattern p;
    int identity, order, row, col;
    enum mbs_block kind;
    int count;                  /* places, after ready() */
    int *src, *dst;             /* src NULL: the k-th value goes to the k-th place */
};

struct mbs_matrix {
    int n, flags, sparse;
    int cx;                     /* doubles an entry: 1 or 2 */
    struct block *block;
    int nblocks, short_of_memory;
    int *place;                 /* memory of all src, dst */
    double *a, *lu, *colmax;    /* values; factors (dense) */
    size_t values;              /* entries of a */
    int *pivot;
    struct mbs_sparse *sp;
    int *colptr, *rowidx;       /* sparse */
    /* minimum-norm fallback, real form of order n * cx */
    struct mbs_cod *cod;
    double *full, *rs, *cs, *rhs, *sol;
    int deficient;              /* the last factor() went to cod */
};

struct mbs_matrix *mbs_matrix_new(int n, int flags)
{
    struct mbs_matrix *A = calloc(1, sizeof *A);

    if (A) {
        A->n = n;
        A->flags = flags;
        A->cx = flags & MBS_MATRIX_COMPLEX ? 2 : 1;
    }
    return A;
}

static void fallback_free(struct mbs_matrix *A)
{
    mbs_cod_free(A->cod);
    free(A->full);
    A->cod = NULL;
    A->full = NULL;
}

void mbs_matrix_free(struct mbs_matrix *A)
{
    if (!A)
        return;
    fallback_free(A);
    mbs_sparse_free(A->sp);
    free(A->block);
    free(A->place);
    free(A->a);
    free(A->lu);
    free(A->colmax);
    free(A->pivot);
    free(A->colptr);
    free(A->rowidx);
    free(A);
}

int mbs_matrix_block(struct mbs_matrix *A, const struct mbs_pattern *p, int order, int row, int col, enum mbs_block kind)
{
    struct block *b = realloc(A->block, (size_t)(A->nblocks + 1) * sizeof *b);

    if (!b) {
        A->short_of_memory = 1;
        return 0;
    }
    A->block = b;
    b += A->nblocks;
    memset(b, 0, sizeof *b);
    if (p)
        b->p = *p;
    b->identity = !p;
    b->order = order;
    b->row = row;
    b->col = col;
    b->kind = kind;
    return A->nblocks++;
}

int mbs_block_places(const struct mbs_pattern *p, int order, int row, int col, enum mbs_block kind, int *pi, int *pj, int *src)
{
    int count = 0;

#define PLACE(i, j, k)                                                                                                 \
    (pi ? (void)(pi[count] = row + (i), pj[count] = col + (j), src[count] = (k)) : (void)0, count++)
    if (!p)
        for (int k = 0; k < order; k++)
            PLACE(k, k, k);
    for (int j = 0, k = 0; p && p->colptr && j < p->cols; j++)
        for (; k < p->colptr[j + 1]; k++) {
            int i = p->rowidx[k];
            if (kind == MBS_BLOCK_TRANSPOSED)
                PLACE(j, i, k);
            else
                PLACE(i, j, k);
            if (kind == MBS_BLOCK_SYMMETRIC && i != j)
                PLACE(j, i, k);
        }
#undef PLACE
    return count;
}

static int block_places(const struct block *b, int *pi, int *pj, int *src)
{
    return mbs_block_places(b->identity ? NULL : &b->p, b->order, b->row, b->col, b->kind, pi, pj, src);
}

struct entry {
    long key;
    int at;
};

/* In two passes, by rows and then by columns; `count` has n + 1 zeros and gets them back. */
static void sort_by(int n, int by_column, const struct entry *e, int total, int *count, struct entry *to)
{
    for (int k = 0; k < total; k++)
        count[(by_column ? e[k].key / n : e[k].key % n) + 1]++;
    for (int i = 0; i < n; i++)
        count[i + 1] += count[i];
    for (int k = 0; k < total; k++)
        to[count[by_column ? e[k].key / n : e[k].key % n]++] = e[k];
    memset(count, 0, ((size_t)n + 1) * sizeof *count);
}

/* Number the distinct places in column order; dst[] receives the numbers.  Returns how many. */
static int places_number(struct mbs_matrix *A, struct entry *e, int total, int *dst)
{
    int nnz = 0, *count = calloc((size_t)A->n + 1, sizeof *count);
    struct entry *other = calloc((size_t)total + 1, sizeof *other);

    if (count && other) {
        sort_by(A->n, 0, e, total, count, other);
        sort_by(A->n, 1, other, total, count, e);
    }
    free(count);
    free(other);
    if (!count || !other)
        return -1;
    for (int k = 0; k < total; k++) {
        if (k == 0 || e[k].key != e[k - 1].key)
            nnz++;
        dst[e[k].at] = nnz - 1;
    }
    A->colptr = calloc((size_t)A->n + 1, sizeof *A->colptr);
    A->rowidx = calloc((size_t)nnz + 1, sizeof *A->rowidx);
    if (!A->colptr || !A->rowidx)
        return -1;
    for (int k = 0, at = -1; k < total; k++)
        if (k == 0 || e[k].key != e[k - 1].key) {
            A->rowidx[++at] = (int)(e[k].key % A->n);
            A->colptr[e[k].key / A->n + 1]++;
        }
    for (int j = 0; j < A->n; j++)
        A->colptr[j + 1] += A->colptr[j];
    return nnz;
}

static int choose_sparse(const struct mbs_matrix *A, int nnz)
{
    if (!mbs_sparse_available() || A->flags & MBS_MATRIX_DENSE)
        return 0;
    return A->flags & MBS_MATRIX_SPARSE || (A->n > DENSE_MAX && nnz < (long)A->n * A->n / 4);
}

static int matrix_allocate(struct mbs_matrix *A)
{
    size_t n = (size_t)A->n, cx = (size_t)A->cx;

    A->a = calloc(A->values * cx + 1, sizeof *A->a);
    if (!A->a)
        return MBS_NO_MEMORY;
    if (A->sparse) {
        A->sp = mbs_sparse_new(A->n, A->colptr, A->rowidx, A->cx == 2);
        return A->sp ? 0 : MBS_NO_MEMORY;
    }
    A->lu = calloc(n * n * cx + 1, sizeof *A->lu);
    A->colmax = calloc(n + 1, sizeof *A->colmax);
    A->pivot = calloc(n + 1, sizeof *A->pivot);
    return A->lu && A->colmax && A->pivot ? 0 : MBS_NO_MEMORY;
}

static int fallback_allocate(struct mbs_matrix *A)
{
    size_t N = (size_t)A->n * (size_t)A->cx;

    if (A->cod)
        return 0;
    A->full = calloc(N * N + 4 * N + 1, sizeof *A->full);
    A->cod = A->full ? mbs_cod_new((int)N, (int)N) : NULL;
    if (!A->cod)
        return MBS_NO_MEMORY;
    A->rs = A->full + N * N;
    A->cs = A->rs + N;
    A->rhs = A->cs + N;
    A->sol = A->rhs + N;
    return 0;
}

int mbs_matrix_ready(struct mbs_matrix *A)
{
    int total = 0, at = 0, *pi, *pj, nnz;
    struct entry *e;

    if (A->short_of_memory)
        return MBS_NO_MEMORY;
    for (int b = 0; b < A->nblocks; b++)
        total += block_places(&A->block[b], NULL, NULL, NULL);
    A->place = calloc(2 * (size_t)total + 1, sizeof *A->place);
    pi = calloc(2 * (size_t)total + 1, sizeof *pi);
    e = calloc((size_t)total + 1, sizeof *e);
    if (!A->place || !pi || !e)
        goto memory;
    pj = pi + total;
    for (int b = 0; b < A->nblocks; b++) {
        struct block *bl = &A->block[b];
        bl->src = A->place + at;
        bl->dst = A->place + total + at;
        bl->count = block_places(bl, pi + at, pj + at, bl->src);
        at += bl->count;
    }
    for (int k = 0; k < total; k++) {
        e[k].key = (long)pj[k] * A->n + pi[k];
        e[k].at = k;
    }
    nnz = places_number(A, e, total, A->place + total);
    if (nnz < 0)
        goto memory;
    A->sparse = choose_sparse(A, nnz);
    A->values = A->sparse ? (size_t)nnz : (size_t)A->n * (size_t)A->n;
    if (!A->sparse)
        for (int k = 0; k < total; k++)
            A->place[total + k] = pi[k] * A->n + pj[k];
    for (int b = 0; b < A->nblocks; b++)
        if (A->block[b].kind != MBS_BLOCK_SYMMETRIC)
            A->block[b].src = NULL;
    free(pi);
    free(e);
    /* Small fallbacks are set up now, so that a drop of rank allocates nothing; large ones when first needed. */
    if (matrix_allocate(A) || (A->n <= 4 * DENSE_MAX && fallback_allocate(A)))
        return MBS_NO_MEMORY;
    return 0;
memory:
    free(pi);
    free(e);
    return MBS_NO_MEMORY;
}

void mbs_matrix_clear(struct mbs_matrix *A)
{
    memset(A->a, 0, A->values * (size_t)A->cx * sizeof *A->a);
}

void mbs_matrix_add(struct mbs_matrix *A, int block, double re, double im, const double *val)
{
    const struct block *b = &A->block[block];
    const int *src = b->src, *restrict dst = b->dst;
    double *restrict a = A->a;
    int count = b->count;

    if (!val) {
        for (int k = 0; k < count; k++) {
            a[A->cx * dst[k]] += re;
            if (A->cx == 2)
                a[2 * dst[k] + 1] += im;
        }
    } else if (A->cx == 1) {
        if (src)
            for (int k = 0; k < count; k++)
                a[dst[k]] += re * val[src[k]];
        else
            for (int k = 0; k < count; k++)
                a[dst[k]] += re * val[k];
    } else if (im == 0) {
        for (int k = 0; k < count; k++)
            a[2 * dst[k]] += re * val[src ? src[k] : k];
    } else {
        for (int k = 0; k < count; k++) {
            double x = val[src ? src[k] : k];
            a[2 * dst[k]] += re * x;
            a[2 * dst[k] + 1] += im * x;
        }
    }
}

/* The real form of order n cx in full[]; a complex entry becomes [re -im; im re]. */
static void matrix_expand(struct mbs_matrix *A)
{
    int n = A->n, N = n * A->cx;

    memset(A->full, 0, (size_t)N * (size_t)N * sizeof *A->full);
    for (int j = 0; j < n; j++) {
        int k = A->sparse ? A->colptr[j] : 0, end = A->sparse ? A->colptr[j + 1] : n;
        for (; k < end; k++) {
            int i = A->sparse ? A->rowidx[k] : k;
            const double *x = A->a + (size_t)A->cx * (size_t)(A->sparse ? k : i * n + j);
            double *f = A->full + (size_t)(A->cx * i) * (size_t)N + A->cx * j;
            f[0] = x[0];
            if (A->cx == 2) {
                f[1] = -x[1];
                f[N] = x[1];
                f[N + 1] = x[0];
            }
        }
    }
}

/* Scales rows, then columns, of full[] to largest entry 1 (by powers of two, so that nothing is rounded). */
static void matrix_equilibrate(struct mbs_matrix *A)
{
    int N = A->n * A->cx, ex;

    for (int i = 0; i < N; i++) {
        double big = 0;
        for (int j = 0; j < N; j++)
            big = fmax(big, fabs(A->full[i * N + j]));
        frexp(big, &ex);
        A->rs[i] = big > 0 ? ldexp(1, -ex) : 1;
        for (int j = 0; j < N; j++)
            A->full[i * N + j] *= A->rs[i];
    }
    for (int j = 0; j < N; j++) {
        double big = 0;
        for (int i = 0; i < N; i++)
            big = fmax(big, fabs(A->full[i * N + j]));
        frexp(big, &ex);
        A->cs[j] = big > 0 ? ldexp(1, -ex) : 1;
        for (int i = 0; i < N; i++)
            A->full[i * N + j] *= A->cs[j];
    }
}

static int matrix_fallback(struct mbs_matrix *A, int useless)
{
    int N = A->n * A->cx, rank;

    if (fallback_allocate(A))
        return MBS_NO_MEMORY;
    matrix_expand(A);
    matrix_equilibrate(A);
    rank = mbs_cod_factor(A->cod, A->full, 1e-13);
    if (rank < 0)
        return rank;
    if (rank == N && !useless)
        return 0;
    A->deficient = 1;
    return (N - rank) / A->cx;
}

int mbs_matrix_factor(struct mbs_matrix *A)
{
    double worst;

    A->deficient = 0;
    if (A->sparse) {
        worst = mbs_sparse_factor(A->sp, A->a);
    } else {
        memcpy(A->lu, A->a, A->values * (size_t)A->cx * sizeof *A->a);
        worst = A->cx == 1 ? mbs_lu_real(A->n, A->lu, A->pivot, A->colmax) : mbs_lu_complex(A->n, A->lu, A->pivot, A->colmax);
    }
    if (worst > 1e-13)
        return 0;
    if (isnan(worst))
        return MBS_NAN;
    return matrix_fallback(A, worst == 0);
}

void mbs_matrix_solve(struct mbs_matrix *A, double *x)
{
    if (A->deficient) {
        int N = A->n * A->cx;
        for (int i = 0; i < N; i++)
            A->rhs[i] = x[i] * A->rs[i];
        mbs_cod_solve(A->cod, A->rhs, A->sol);
        for (int i = 0; i < N; i++)
            x[i] = A->sol[i] * A->cs[i];
    } else if (A->sparse) {
        mbs_sparse_solve(A->sp, x);
    } else if (A->cx == 1) {
        mbs_lu_real_solve(A->n, A->lu, A->pivot, x);
    } else {
        mbs_lu_complex_solve(A->n, A->lu, A->pivot, x);
    }
}

static void solve_transposed(struct mbs_matrix *A, double *x)
{
    if (A->deficient) {
        for (int i = 0; i < A->n; i++)
            A->rhs[i] = x[i] * A->cs[i];
        mbs_cod_solve_t(A->cod, A->rhs, A->sol);
        for (int i = 0; i < A->n; i++)
            x[i] = A->sol[i] * A->rs[i];
    } else if (A->sparse) {
        mbs_sparse_solve_t(A->sp, x);
    } else {
        mbs_lu_real_solve_t(A->n, A->lu, A->pivot, x);
    }
}

/* Column by column. */
static void solve_columns(struct mbs_matrix *A, int width, double *X, double *column, void (*solve)(struct mbs_matrix *A, double *x))
{
    for (int c = 0; c < width; c++) {
        for (int i = 0; i < A->n; i++)
            column[i] = X[i * width + c];
        solve(A, column);
        for (int i = 0; i < A->n; i++)
            X[i * width + c] = column[i];
    }
}

static int has_panels(const struct mbs_matrix *A)
{
    return !A->deficient && !A->sparse && A->cx == 1 && mbs_lu_panels(A->n);
}

void mbs_matrix_solve_panel(struct mbs_matrix *A, int width, double *X, double *column)
{
    if (has_panels(A))
        mbs_lu_real_panel(A->n, A->lu, A->pivot, width, X);
    else
        solve_columns(A, width, X, column, mbs_matrix_solve);
}

void mbs_matrix_solve_panel_t(struct mbs_matrix *A, int width, double *X, double *column)
{
    if (has_panels(A) && width % MBS_PANEL == 0)
        mbs_lu_real_panel_t(A->n, A->lu, A->pivot, width, X);
    else
        solve_columns(A, width, X, column, solve_transposed);
}

size_t mbs_matrix_kept(const struct mbs_matrix *A)
{
    return has_panels(A) ? (size_t)A->n * (size_t)A->n + (size_t)A->n / 2 + 1 : 0;
}

void mbs_matrix_keep(const struct mbs_matrix *A, double *to)
{
    size_t values = (size_t)A->n * (size_t)A->n;

    mbs_panel_copy((int)values, A->lu, to);
    memcpy(to + values, A->pivot, (size_t)A->n * sizeof *A->pivot);
}

void mbs_matrix_solve_kept_t(const struct mbs_matrix *A, const double *kept, int width, double *X)
{
    const int *pivot = (const int *)(const void *)(kept + (size_t)A->n * (size_t)A->n);

    if (width == 1)
        mbs_lu_real_solve_t(A->n, kept, pivot, X);
    else
        mbs_lu_real_panel_t(A->n, kept, pivot, width, X);
}

void mbs_matrix_mul(const struct mbs_matrix *A, double s, const double *x, double *y)
{
    int n = A->n;

    if (A->sparse) {
        struct mbs_pattern p = { n, n, A->colptr[n], A->colptr, A->rowidx };
        mbs_csc_mul(&p, A->a, s, x, y);
        return;
    }
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += A->a[i * n + j] * x[j];
        y[i] += s * sum;
    }
}
