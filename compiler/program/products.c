/* SPDX-License-Identifier: GPL-3.0-or-later
 * See products.h.  Sums run over the columns of the patterns; factors of equal entries are summed first. */
#include "program/products.h"

#include <stdlib.h>

enum { MOST_ENTRIES = 400 };

static int symbol(struct rows *b, enum sym_kind kind, int index)
{
    return rows_put(b, TAPE_SYM, (int)kind, index);
}

static int entry(struct rows *b, const struct equations *eq, enum eq_id id, int kind, int k)
{
    const struct eq_array *a = &eq->array[id];
    return a->value[k] == eq->model->pool->zero ? NONE : rows_entry(b, a, kind, k);
}

static int vector(struct rows *b, int index)
{
    return rows_put(b, TAPE_SYM, ROWS_X, index);
}

/* (column j of G)' x. */
static int column_dot(struct rows *b, const struct equations *eq, int j)
{
    const struct eq_array *G = &eq->array[EQ_G];
    int sum = NONE;
    for (int k = G->colptr[j]; k < G->colptr[j + 1]; k++) {
        int factor = NONE;
        bool again = false;
        for (int i = G->colptr[j]; i < k && !again; i++)
            again = G->value[i] == G->value[k];
        for (int i = k; i < G->colptr[j + 1] && !again; i++)
            if (G->value[i] == G->value[k])
                factor = rows_add(b, factor, vector(b, G->rowidx[i]));
        if (!again)
            sum = rows_add(b, sum, rows_mul(b, rows_entry(b, G, ROWS_G, k), factor));
    }
    return sum;
}

static void put_transposed(struct rows *b, const struct equations *eq)
{
    for (int j = 0; j < eq->model->coord.n; j++)
        rows_output(b, 0, j, 0, column_dot(b, eq, j));
}

static void put_forward(struct rows *b, const struct equations *eq)
{
    const struct eq_array *G = &eq->array[EQ_G];
    int *sum = mem_grow(NULL, (size_t)G->rows + 1, sizeof *sum);
    for (int i = 0; i < G->rows; i++)
        sum[i] = NONE;
    for (int j = 0; j < G->cols; j++)
        for (int k = G->colptr[j]; k < G->colptr[j + 1]; k++) {
            int x = vector(b, j), entry = rows_entry(b, G, ROWS_G, k);
            sum[G->rowidx[k]] = rows_add(b, sum[G->rowidx[k]], rows_mul(b, entry, x));
        }
    for (int i = 0; i < G->rows; i++)
        rows_output(b, 0, i, 0, sum[i]);
    free(sum);
}

static void put_rest(struct rows *b, const struct equations *eq)
{
    const struct eq_array *M = &eq->array[EQ_M];
    const int *G = eq->array[EQ_G].colptr;
    int nq = eq->model->coord.n, *r = mem_grow(NULL, (size_t)nq + 1, sizeof *r);
    for (int i = 0; i < nq; i++)
        r[i] = NONE;
    for (int j = 0; j < nq; j++)
        for (int k = M->colptr[j]; k < M->colptr[j + 1]; k++) {
            int i = M->rowidx[k], m = rows_entry(b, M, ROWS_M, k);
            r[i] = rows_add(b, r[i], rows_mul(b, m, symbol(b, SYM_A, j)));
            if (i != j)
                r[j] = rows_add(b, r[j], rows_mul(b, m, symbol(b, SYM_A, i)));
        }
    for (int j = 0; j < nq; j++) {
        r[j] = rows_sub(b, r[j], entry(b, eq, EQ_f, ROWS_F, j));
        rows_output(b, 0, j, 0, rows_add(b, r[j], G[j + 1] > G[j] ? vector(b, j) : NONE));
    }
    free(r);
}

static int finish(struct tape **t, const struct equations *eq, void (*put)(struct rows *, const struct equations *))
{
    struct rows b = {0};
    put(&b, eq);
    rows_section(&b, 0);
    *t = rows_finish(&b);
    return b.flops;
}

bool products_init(struct products *p, const struct equations *eq)
{
    if (eq->array[EQ_M].nnz + eq->array[EQ_G].nnz + eq->array[EQ_f].nnz + 2 * eq->array[EQ_gt].nnz > MOST_ENTRIES)
        return false;
    finish(&p->forward, eq, put_forward);
    p->flops = finish(&p->transposed, eq, put_transposed);
    p->flops += finish(&p->rest, eq, put_rest);
    return true;
}

void products_fini(struct products *p)
{
    tape_free(p->forward);
    tape_free(p->transposed);
    tape_free(p->rest);
}
