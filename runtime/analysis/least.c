/* SPDX-License-Identifier: MIT
 *
 * With x = W^(1/2) d and B = A W^(-1/2) the least change is the minimum-norm solution of B x = b.  Small models
 * decompose B' orthogonally, which also tells rank and dependent rows; large ones solve the sparse [I B'; B 0]. */
#include "analysis/least.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DENSE_ORDER = 300 };

struct mbs_least {
    const struct mbs_pattern *of;       /* of A */
    int n, m, nf;               /* nf movable coordinates */
    int rank;                   /* of B as it was factored, -1: not known */
    int *column;                /* their numbers, ascending */
    double *root;               /* W^(-1/2) of the movable */
    double *scale;              /* of the rows */
    double *val, *B, *b, *x;
    unsigned char *dependent;
    struct mbs_cod *cod;        /* of B', nf x m, when small */
    struct mbs_matrix *kkt;     /* when large */
    struct mbs_pattern pattern; /* of B */
    int *colptr, *rowidx, *from;        /* from: places in A of the values of B */
    int bI, bA, bAt;
};

static int least_sparse(struct mbs_least *l)
{
    const struct mbs_pattern *A = l->of;
    int nnz = 0;

    l->colptr = calloc((size_t)l->nf + 1, sizeof *l->colptr);
    l->rowidx = calloc((size_t)A->nnz + 1, sizeof *l->rowidx);
    l->from = calloc((size_t)A->nnz + 1, sizeof *l->from);
    l->kkt = mbs_matrix_new(l->nf + l->m, MBS_MATRIX_REAL);
    if (!l->colptr || !l->rowidx || !l->from || !l->kkt)
        return MBS_NO_MEMORY;
    for (int c = 0; c < l->nf; c++) {
        int j = l->column[c];
        for (int k = A->colptr[j]; k < A->colptr[j + 1]; k++) {
            l->rowidx[nnz] = A->rowidx[k];
            l->from[nnz++] = k;
        }
        l->colptr[c + 1] = nnz;
    }
    l->pattern = (struct mbs_pattern){ l->m, l->nf, nnz, l->colptr, l->rowidx };
    l->bI = mbs_matrix_block(l->kkt, NULL, l->nf, 0, 0, MBS_BLOCK);
    l->bA = mbs_matrix_block(l->kkt, &l->pattern, 0, l->nf, 0, MBS_BLOCK);
    l->bAt = mbs_matrix_block(l->kkt, &l->pattern, 0, 0, l->nf, MBS_BLOCK_TRANSPOSED);
    return mbs_matrix_ready(l->kkt);
}

/* What large models have besides is allocated apart. */
static void least_layout(struct mbs_least *l, struct mbs_work *w)
{
    size_t n = (size_t)l->n, m = (size_t)l->m;

    l->column = mbs_work_ints(w, n + 1);
    l->root = mbs_work_doubles(w, n + 1);
    l->scale = mbs_work_doubles(w, m + 1);
    l->val = mbs_work_doubles(w, (size_t)l->of->nnz + 1);
    l->b = mbs_work_doubles(w, n + m + 1);
    l->x = mbs_work_doubles(w, n + m + 1);
    l->dependent = mbs_work_bytes(w, m + 1);
    l->B = mbs_work_doubles(w, l->nf + l->m <= DENSE_ORDER ? (size_t)l->nf * m + 1 : 0);
}

struct mbs_least *mbs_least_new(const struct mbs_pattern *A, const double *weight)
{
    struct mbs_least head = { .of = A, .n = A->cols, .m = A->rows, .rank = -1 }, *l;
    struct mbs_work w = { NULL, 0 };
    int small;

    for (int j = 0; j < head.n; j++)
        head.nf += weight[j] > 0;
    mbs_work_bytes(&w, sizeof *l);
    least_layout(&head, &w);
    if (!(l = calloc(1, w.used)))
        return NULL;
    *l = head;
    w = (struct mbs_work){ (char *)l, 0 };
    mbs_work_bytes(&w, sizeof *l);
    least_layout(l, &w);
    for (int j = 0, c = 0; j < l->n; j++)
        if (weight[j] > 0) {
            l->root[c] = 1 / sqrt(weight[j]);
            l->column[c++] = j;
        }
    small = l->nf + l->m <= DENSE_ORDER;
    if (small ? !(l->cod = mbs_cod_new(l->nf, l->m)) : least_sparse(l) != 0) {
        mbs_least_free(l);
        return NULL;
    }
    return l;
}

void mbs_least_free(struct mbs_least *l)
{
    if (!l)
        return;
    mbs_cod_free(l->cod);
    mbs_matrix_free(l->kkt);
    free(l->colptr);
    free(l->rowidx);
    free(l->from);
    free(l);
}

static void least_scale(struct mbs_least *l, const double *A)
{
    const struct mbs_pattern *p = l->of;

    memset(l->scale, 0, (size_t)l->m * sizeof *l->scale);
    for (int k = 0; k < p->nnz; k++)
        l->scale[p->rowidx[k]] += fabs(A[k]);
    for (int i = 0; i < l->m; i++)
        l->scale[i] = l->scale[i] > 0 ? 1 / l->scale[i] : 1;
}

static int least_dense(struct mbs_least *l, const double *A)
{
    const struct mbs_pattern *p = l->of;
    int m = l->m, rank;
    double big = 0;

    memset(l->B, 0, (size_t)l->nf * (size_t)m * sizeof *l->B);
    for (int c = 0; c < l->nf; c++) {
        int j = l->column[c];
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
            int i = p->rowidx[k];
            l->B[c * m + i] = A[k] * l->root[c] * l->scale[i];
        }
    }
    /* Columns of B' are rows of A whose 1-norm is 1 when the coordinates that may not move are counted too: what is
     * left of one below 1e-8 is nothing to hold on to, even if no other row has more. */
    for (int i = 0; i < m; i++) {
        double sum = 0;
        for (int c = 0; c < l->nf; c++)
            sum += l->B[c * m + i] * l->B[c * m + i];       /* rows have the 1-norm 1 at most */
        big = sum > big ? sum : big;
    }
    big = sqrt(big);
    l->rank = rank = mbs_cod_factor(l->cod, l->B, big > 1e-8 ? fmax(1e-9, 1e-8 / big) : 2);
    if (rank < 0)
        return rank;
    memset(l->dependent, 0, (size_t)m);
    for (int i = rank; i < m; i++)
        l->dependent[mbs_cod_order(l->cod)[i]] = 1;
    return m - rank;
}

int mbs_least_factor(struct mbs_least *l, const double *A)
{
    if (l->m == 0)
        return 0;
    least_scale(l, A);
    if (l->cod)
        return least_dense(l, A);
    for (int c = 0; c < l->nf; c++)
        for (int k = l->colptr[c]; k < l->colptr[c + 1]; k++)
            l->val[k] = A[l->from[k]] * l->root[c] * l->scale[l->rowidx[k]];
    mbs_matrix_clear(l->kkt);
    mbs_matrix_add(l->kkt, l->bI, 1, 0, NULL);
    mbs_matrix_add(l->kkt, l->bA, 1, 0, l->val);
    mbs_matrix_add(l->kkt, l->bAt, 1, 0, l->val);
    return mbs_matrix_factor(l->kkt);
}

void mbs_least_solve(struct mbs_least *l, const double *b, const double *e, double *d)
{
    double *rhs = l->b + l->nf, *x = l->x;

    memset(l->b, 0, (size_t)(l->nf + l->m) * sizeof *l->b);
    for (int i = 0; i < l->m; i++)
        rhs[i] = b[i] * l->scale[i];
    if (l->cod) {
        for (int c = 0; c < l->nf && e; c++)
            for (int i = 0; i < l->m; i++)
                rhs[i] -= l->B[c * l->m + i] / l->root[c] * e[l->column[c]];
        mbs_cod_solve_t(l->cod, rhs, x);
    } else {
        for (int c = 0; c < l->nf && e; c++)
            for (int k = l->colptr[c]; k < l->colptr[c + 1]; k++)
                rhs[l->rowidx[k]] -= l->val[k] / l->root[c] * e[l->column[c]];
        memcpy(x, l->b, (size_t)(l->nf + l->m) * sizeof *x);
        mbs_matrix_solve(l->kkt, x);
    }
    memset(d, 0, (size_t)l->n * sizeof *d);
    for (int c = 0; c < l->nf; c++)
        d[l->column[c]] = x[c] * l->root[c] + (e ? e[l->column[c]] : 0);
}

int mbs_least_stuck(const struct mbs_least *l)
{
    return l->rank == l->nf;
}

const double *mbs_least_scale(const struct mbs_least *l)
{
    return l->scale;
}

const unsigned char *mbs_least_dependent(const struct mbs_least *l)
{
    return l->cod ? l->dependent : NULL;
}
