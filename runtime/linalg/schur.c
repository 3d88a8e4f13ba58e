/* SPDX-License-Identifier: MIT
 *
 * Block Cholesky of M, rows W = G L^-T, Schur complement S = W W'.
 *
 * At set-up the coordinates are renumbered block after block (connected components of the pattern of M).  A block
 * of size s keeps its factor L as a packed lower triangle by rows with reciprocal diagonal, and the r rows of G that
 * touch it as a dense r x s matrix.  Values are scattered there by precomputed places; places of the blocks that no
 * value of the model reaches (holes) are set to zero each time, because the factorisation fills them.
 *
 * S is dense and small, or sparse (a chain of bodies): then chol.c decomposes it, and the products of a block's rows go
 * to precomputed places there.
 *
 * This is the inner loop of every explicit method: blocks of 1, 2 and 3 coordinates and Schur complements up to
 * order 8 have kernels with constant sizes, which the compiler unrolls. */
#include "linalg/chol.h"
#include "linalg/linalg.h"
#include "linalg/order.h"
#include "linalg/schur.h"
#include "work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SPARSE_MIN = 10 };       /* rows of G from which a sparse S is looked for */

struct block {
    int size, first;        /* coordinates first .. first+size-1 in the new order */
    int rows, *row;         /* rows of G that touch the block */
    double *L, *W;          /* packed size (size+1)/2; rows x size */
    const int *pair;        /* sparse S: places of the products of rows i >= j */
};

struct mbs_schur {
    int n, m, nblocks, nM, nG, nholes;
    struct block *block;
    int *perm;              /* new -> old */
    int identity;           /* perm is the identity */
    int *mdst, *gdst;       /* places in val of the values of M and G */
    int *hole;
    double *val;            /* all L and W */
    int nval;
    double *S;              /* m x m, lower triangle by rows; after factoring reciprocal diagonal */
    double *x;              /* n, work of solve */
    struct mbs_chol *chol;  /* sparse S, or NULL */
    int *pairs;             /* memory of block.pair */
    const unsigned char *drop;      /* rows left out, or NULL */
};

static void layout(struct mbs_schur *s, struct mbs_work *w, const int *rows_of, int total_rows)
{
    s->block = mbs_work_bytes(w, (size_t)s->nblocks * sizeof *s->block);
    s->perm = mbs_work_ints(w, (size_t)s->n + 1);
    s->mdst = mbs_work_ints(w, (size_t)s->nM);
    s->gdst = mbs_work_ints(w, (size_t)s->nG);
    s->hole = mbs_work_ints(w, (size_t)s->nval);
    s->val = mbs_work_doubles(w, (size_t)s->nval);
    s->S = mbs_work_doubles(w, (size_t)s->m * (size_t)s->m);
    s->x = mbs_work_doubles(w, (size_t)s->n + 1);
    int *row = mbs_work_ints(w, (size_t)total_rows + 1);
    if (!row)
        return;
    for (int b = 0; b < s->nblocks; b++) {
        s->block[b].row = row;
        row += rows_of[b];
    }
}

/* Scratch of the analysis: new number of each coordinate within its block, size of and rows touching each block. */
struct analysis {
    int *parent, *comp, *local, *size, *rows, *slot;    /* slot: nblocks x m, row index within the block or -1 */
};

static void analyse(struct mbs_schur *s, const struct mbs_model *model, struct analysis *a)
{
    int total = 0;

    for (int i = 0; i < s->n; i++)
        a->local[i] = a->size[a->comp[i]]++;
    for (int k = 0; k < s->nblocks * s->m; k++)
        a->slot[k] = -1;
    for (int j = 0, k = 0; j < s->n; j++)
        for (; k < model->G.colptr[j + 1]; k++)
            a->slot[a->comp[j] * s->m + model->G.rowidx[k]] = 0;
    for (int b = 0; b < s->nblocks; b++) {
        for (int i = 0; i < s->m; i++)
            if (a->slot[b * s->m + i] == 0)
                a->slot[b * s->m + i] = a->rows[b]++;
        total += a->size[b] * (a->size[b] + 1) / 2 + a->rows[b] * a->size[b];
    }
    s->nval = total;
}

static void assign(struct mbs_schur *s, const struct mbs_model *model, const struct analysis *a, unsigned char *hit)
{
    int first = 0, at = 0;

    for (int b = 0; b < s->nblocks; b++) {
        struct block *bl = &s->block[b];
        bl->size = a->size[b];
        bl->rows = a->rows[b];
        bl->first = first;
        first += bl->size;
        bl->L = s->val + at;
        at += bl->size * (bl->size + 1) / 2;
        bl->W = s->val + at;
        at += bl->rows * bl->size;
        for (int i = 0; i < s->m; i++)
            if (a->slot[b * s->m + i] >= 0)
                bl->row[a->slot[b * s->m + i]] = i;
    }
    s->identity = 1;
    for (int i = 0; i < s->n; i++) {
        s->perm[s->block[a->comp[i]].first + a->local[i]] = i;
        s->identity &= s->block[a->comp[i]].first + a->local[i] == i;
    }
    for (int j = 0, k = 0; j < s->n; j++)
        for (; k < model->M.colptr[j + 1]; k++) {
            const struct block *bl = &s->block[a->comp[j]];
            int i = a->local[model->M.rowidx[k]], c = a->local[j];
            s->mdst[k] = (int)(bl->L - s->val) + (i >= c ? i * (i + 1) / 2 + c : c * (c + 1) / 2 + i);
            hit[s->mdst[k]] = 1;
        }
    for (int j = 0, k = 0; j < s->n; j++)
        for (; k < model->G.colptr[j + 1]; k++) {
            const struct block *bl = &s->block[a->comp[j]];
            s->gdst[k] = (int)(bl->W - s->val) + a->slot[a->comp[j] * s->m + model->G.rowidx[k]] * bl->size + a->local[j];
            hit[s->gdst[k]] = 1;
        }
    for (int k = 0; k < s->nval; k++)
        if (!hit[k])
            s->hole[s->nholes++] = k;
}

/* Floating-point operations of one factorisation, roughly. */
double mbs_schur_cost(const struct mbs_schur *s)
{
    double cost = s->chol ? (double)mbs_chol_updates(s->chol) : (double)s->m * s->m * s->m / 6;

    for (int b = 0; b < s->nblocks; b++) {
        double size = s->block[b].size, rows = s->block[b].rows;
        cost += size * size * size / 6 + rows * size * size / 2 + rows * rows / 2 * size;
    }
    return cost;
}

/* Looks whether S is sparse enough for chol.c, and finds the places of all products there. */
static int schur_sparse(struct mbs_schur *s)
{
    int m = s->m, at = 0;
    long total = 0;
    unsigned char *near;

    if (m < SPARSE_MIN)
        return 0;
    near = calloc((size_t)m * (size_t)m, 1);
    if (!near)
        return -1;
    for (int b = 0; b < s->nblocks; b++) {
        const struct block *bl = &s->block[b];
        total += (long)bl->rows * (bl->rows + 1) / 2;
        for (int i = 0; i < bl->rows; i++)
            for (int j = 0; j < bl->rows; j++)
                near[(long)bl->row[i] * m + bl->row[j]] = 1;
    }
    /* an operation of the list costs about three times one of a dense loop */
    s->chol = mbs_chol_new(m, near, (long)m * m * m / 18);
    free(near);
    if (!s->chol)
        return 0;
    s->pairs = calloc((size_t)total + 1, sizeof *s->pairs);
    if (!s->pairs)
        return -1;
    for (int b = 0; b < s->nblocks; b++) {
        struct block *bl = &s->block[b];
        bl->pair = s->pairs + at;
        for (int i = 0; i < bl->rows; i++)
            for (int j = 0; j <= i; j++)
                s->pairs[at++] = mbs_chol_place(s->chol, bl->row[i], bl->row[j]);
    }
    return 0;
}

struct mbs_schur *mbs_schur_new(const struct mbs_model *model)
{
    int n = model->nq, m = model->ng + model->nh, total_rows = 0;
    struct mbs_schur head = { .n = n, .m = m, .nM = model->M.colptr ? model->M.colptr[n] : 0,
                              .nG = m > 0 ? model->G.colptr[n] : 0 };
    struct mbs_schur *s = NULL;
    struct mbs_work w = { NULL, 0 };
    struct analysis a;
    struct mbs_model local = *model;
    int *zero = calloc((size_t)n + 1, sizeof *zero), *mem = calloc(5 * (size_t)n + 1, sizeof *mem);
    unsigned char *hit = NULL;

    a.slot = NULL;
    if (!zero || !mem)
        goto end;
    if (m == 0)
        local.G = (struct mbs_pattern){ 0, n, 0, zero, zero };
    a.parent = mem;
    a.comp = mem + n;
    a.local = mem + 2 * n;
    a.size = mem + 3 * n;
    a.rows = mem + 4 * n;
    head.nblocks = mbs_csc_parts(&model->M, n, a.parent, a.comp);
    a.slot = calloc((size_t)head.nblocks * (size_t)m + 1, sizeof *a.slot);
    if (!a.slot)
        goto end;
    analyse(&head, &local, &a);
    hit = calloc((size_t)head.nval + 1, 1);
    for (int b = 0; b < head.nblocks; b++)
        total_rows += a.rows[b];
    mbs_work_bytes(&w, sizeof *s);
    layout(&head, &w, a.rows, total_rows);
    s = hit ? calloc(1, w.used) : NULL;
    if (!s)
        goto end;
    *s = head;
    w = (struct mbs_work){ (char *)s, 0 };
    mbs_work_bytes(&w, sizeof *s);
    layout(s, &w, a.rows, total_rows);
    assign(s, &local, &a, hit);
    if (schur_sparse(s)) {
        mbs_schur_free(s);
        s = NULL;
    }
end:
    free(zero);
    free(mem);
    free(a.slot);
    free(hit);
    return s;
}

void mbs_schur_free(struct mbs_schur *s)
{
    if (!s)
        return;
    mbs_chol_free(s->chol);
    free(s->pairs);
    free(s);
}

/* Cholesky of a packed lower triangle by rows, reciprocal diagonal; 0 or k+1.  A pivot must keep more than 1e-7 of
 * its diagonal entry: one that is zero but for rounding looks like 1e-16 divided by the smallest ratio before it. */
KERNEL int cholesky(double *L, int n)
{
    double *Li = L;

#pragma GCC unroll 4
    for (int i = 0; i < n; i++) {
        double *Lj = L, d = Li[i], d0 = d;
#pragma GCC unroll 4
        for (int j = 0; j < i; j++) {
            double s = Li[j];
#pragma GCC unroll 4
            for (int k = 0; k < j; k++)
                s -= Li[k] * Lj[k];
            Li[j] = s *= Lj[j];
            d -= s * s;
            Lj += j + 1;
        }
        if (!(d > 1e-7 * d0))
            return i + 1;
        Li[i] = 1 / sqrt(d);
        Li += i + 1;
    }
    return 0;
}

/* w := w L^-T, that is L w' = g' */
KERNEL void forward(const double *L, int n, double *w)
{
#pragma GCC unroll 4
    for (int i = 0; i < n; i++) {
        double s = w[i];
#pragma GCC unroll 4
        for (int k = 0; k < i; k++)
            s -= L[k] * w[k];
        w[i] = s * L[i];
        L += i + 1;
    }
}

KERNEL void backward(const double *L, int n, double *w)
{
    L += n * (n + 1) / 2;
#pragma GCC unroll 4
    for (int i = n - 1; i >= 0; i--) {
        L -= i + 1;
        double s = w[i] * L[i];
        w[i] = s;
#pragma GCC unroll 4
        for (int k = 0; k < i; k++)
            w[k] -= L[k] * s;
    }
}

KERNEL int block_factor(struct block *b, int size)
{
    int k = cholesky(b->L, size);

    for (int i = 0; i < b->rows && k == 0; i++)
        forward(b->L, size, b->W + i * size);
    return k;
}

/* S += W W' on the rows of the block */
KERNEL void block_products(const struct block *b, int size, double *S, int m)
{
    for (int i = 0; i < b->rows; i++) {
        double *Si = S + (long)b->row[i] * m;
        const double *wi = b->W + i * size, *wj = b->W;
        for (int j = 0; j <= i; j++) {
            double s = Si[b->row[j]];
#pragma GCC unroll 4
            for (int k = 0; k < size; k++)
                s += wi[k] * wj[k];
            Si[b->row[j]] = s;
            wj += size;
        }
    }
}

/* The same into the places of a sparse S. */
KERNEL void block_products_sparse(const struct block *b, int size, double *S)
{
    const int *pair = b->pair;

    for (int i = 0; i < b->rows; i++) {
        const double *wi = b->W + i * size, *wj = b->W;
        for (int j = 0; j <= i; j++) {
            double s = 0;
#pragma GCC unroll 4
            for (int k = 0; k < size; k++)
                s += wi[k] * wj[k];
            S[*pair++] += s;
            wj += size;
        }
    }
}

/* x[rows] -= W y */
KERNEL void block_apply(const struct block *b, int size, const double *y, double *x)
{
    const double *w = b->W;

    for (int i = 0; i < b->rows; i++) {
        double s = x[b->row[i]];
#pragma GCC unroll 4
        for (int k = 0; k < size; k++)
            s -= w[k] * y[k];
        x[b->row[i]] = s;
        w += size;
    }
}

/* y -= W' x[rows] */
KERNEL void block_apply_t(const struct block *b, int size, const double *x, double *y)
{
    const double *w = b->W;

    for (int i = 0; i < b->rows; i++) {
        double xi = x[b->row[i]];
#pragma GCC unroll 4
        for (int k = 0; k < size; k++)
            y[k] -= w[k] * xi;
        w += size;
    }
}

/* Calls a kernel with a constant size where that pays. */
#define BY_SIZE(size, call)                                                                                            \
    switch (size) {                                                                                                    \
    case 1: {                                                                                                          \
        enum { SIZE = 1 };                                                                                             \
        call;                                                                                                          \
        break;                                                                                                         \
    }                                                                                                                  \
    case 2: {                                                                                                          \
        enum { SIZE = 2 };                                                                                             \
        call;                                                                                                          \
        break;                                                                                                         \
    }                                                                                                                  \
    case 3: {                                                                                                          \
        enum { SIZE = 3 };                                                                                             \
        call;                                                                                                          \
        break;                                                                                                         \
    }                                                                                                                  \
    default: {                                                                                                         \
        const int SIZE = (size);                                                                                       \
        call;                                                                                                          \
        break;                                                                                                         \
    }                                                                                                                  \
    }

int mbs_schur_mass(struct mbs_schur *s, const double *M, const double *G)
{
    double *restrict val = s->val;

    for (int k = 0; k < s->nM; k++)
        val[s->mdst[k]] = M[k];
    for (int k = 0; k < s->nG; k++)
        val[s->gdst[k]] = G[k];
    for (int k = 0; k < s->nholes; k++)
        val[s->hole[k]] = 0;
    for (struct block *b = s->block, *end = b + s->nblocks; b < end; b++) {
        int k = 0;
        BY_SIZE(b->size, k = block_factor(b, SIZE));
        if (k)
            return s->perm[b->first + k - 1] + 1;
    }
    return 0;
}

void mbs_schur_drop(struct mbs_schur *s, const unsigned char *drop)
{
    s->drop = drop;
}

/* Rows left out are zero in G: a one on the diagonal. */
static void complement_drop(struct mbs_schur *s, double *S)
{
    for (int i = 0; i < s->m; i++)
        if (s->drop[i])
            S[s->chol ? mbs_chol_place(s->chol, i, i) : i * s->m + i] = 1;
}

int mbs_schur_complement(struct mbs_schur *s, double tol)
{
    int m = s->m, k = 0;
    double *S = s->S;

    if (m == 0)
        return 0;
    if (s->chol) {
        S = mbs_chol_values(s->chol);
        mbs_chol_clear(s->chol);
        for (const struct block *b = s->block, *end = b + s->nblocks; b < end; b++)
            BY_SIZE(b->size, block_products_sparse(b, SIZE, S));
        if (s->drop)
            complement_drop(s, S);
        return mbs_chol_factor(s->chol, tol);
    }
    memset(S, 0, (size_t)m * (size_t)m * sizeof *S);
    for (const struct block *b = s->block, *end = b + s->nblocks; b < end; b++)
        BY_SIZE(b->size, block_products(b, SIZE, S, m));
    if (s->drop)
        complement_drop(s, S);
    MBS_BY_ORDER(m, k = mbs_order_factor(S, ORDER, tol));
    return k;
}

void mbs_schur_forward(const struct mbs_schur *s, const double *f, double *y)
{
    if (s->identity)
        memcpy(y, f, (size_t)s->n * sizeof *y);
    else
        for (int i = 0; i < s->n; i++)
            y[i] = f[s->perm[i]];
    for (const struct block *b = s->block, *end = b + s->nblocks; b < end; b++)
        BY_SIZE(b->size, forward(b->L, SIZE, y + b->first));
}

void mbs_schur_backward(const struct mbs_schur *s, const double *y, double *f)
{
    double *x = s->x;

    memcpy(x, y, (size_t)s->n * sizeof *x);
    for (const struct block *b = s->block, *end = b + s->nblocks; b < end; b++)
        BY_SIZE(b->size, backward(b->L, SIZE, x + b->first));
    for (int i = 0; i < s->n; i++)
        f[s->perm[i]] = x[i];
}

/* lambda = S^-1 (W L^-1 f - b), a = L^-T (L^-1 f - W' lambda) */
void mbs_schur_solve(const struct mbs_schur *s, double *rhs)
{
    int n = s->n, m = s->m;
    double *restrict y = s->x, *restrict x = rhs + n;

    for (int i = 0; i < n; i++)
        y[i] = rhs[s->perm[i]];
    for (const struct block *b = s->block, *end = b + s->nblocks; b < end; b++)
        BY_SIZE(b->size, (forward(b->L, SIZE, y + b->first), block_apply(b, SIZE, y + b->first, x)));
    for (int i = 0; i < m; i++)
        x[i] = -x[i];
    for (int i = 0; i < m && s->drop; i++)
        if (s->drop[i])
            x[i] = 0;
    if (s->chol)
        mbs_chol_solve(s->chol, x);
    else
        MBS_BY_ORDER(m, mbs_order_solve(s->S, ORDER, x));
    for (const struct block *b = s->block, *end = b + s->nblocks; b < end; b++)
        BY_SIZE(b->size, (block_apply_t(b, SIZE, x, y + b->first), backward(b->L, SIZE, y + b->first)));
    for (int i = 0; i < n; i++)
        rhs[s->perm[i]] = y[i];
}

void mbs_schur_rows(const struct mbs_schur *s, double *Wt)
{
    memset(Wt, 0, (size_t)s->n * (size_t)s->m * sizeof *Wt);
    for (const struct block *b = s->block, *end = b + s->nblocks; b < end; b++)
        for (int i = 0; i < b->rows; i++)
            for (int k = 0; k < b->size; k++)
                Wt[(long)(b->first + k) * s->m + b->row[i]] = b->W[i * b->size + k];
}
