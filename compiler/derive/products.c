/* SPDX-License-Identifier: GPL-3.0-or-later
 * See products.h.  Sums run over the columns of the patterns; factors of equal entries are summed first. */
#include "derive/products.h"

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

/* sum + (column j of G)' x, x of one kind of multiplier. */
static int column_dot(struct rows *b, const struct equations *eq, int j, enum sym_kind x, int sum)
{
    const struct eq_array *G = &eq->array[EQ_G];
    for (int k = G->colptr[j]; k < G->colptr[j + 1]; k++) {
        int factor = NONE;
        bool again = false;
        for (int i = G->colptr[j]; i < k && !again; i++)
            again = G->value[i] == G->value[k];
        for (int i = k; i < G->colptr[j + 1] && !again; i++)
            if (G->value[i] == G->value[k])
                factor = rows_add(b, factor, symbol(b, x, G->rowidx[i]));
        if (!again)
            sum = rows_add(b, sum, rows_mul(b, rows_entry(b, G, ROWS_G, k), factor));
    }
    return sum;
}

static void put_residual(struct rows *b, const struct equations *eq)
{
    const struct eq_array *M = &eq->array[EQ_M];
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
        rows_output(b, PRODUCT_R, j, PRODUCT_R, column_dot(b, eq, j, SYM_LAMBDA, r[j]));
    }
    free(r);
    rows_section(b, PRODUCT_R);
}

/* G x + start: the velocity or the acceleration level. */
static void put_level(struct rows *b, const struct equations *eq, enum sym_kind x, enum eq_id start, int kind,
                      int section)
{
    const struct eq_array *G = &eq->array[EQ_G];
    int *sum = mem_grow(NULL, (size_t)G->rows + 1, sizeof *sum);
    for (int i = 0; i < G->rows; i++)
        sum[i] = NONE;
    for (int j = 0; j < G->cols; j++)
        for (int k = G->colptr[j]; k < G->colptr[j + 1]; k++)
            sum[G->rowidx[k]] =
                rows_add(b, sum[G->rowidx[k]], rows_mul(b, rows_entry(b, G, ROWS_G, k), symbol(b, x, j)));
    for (int i = 0; i < G->rows; i++)
        rows_output(b, section, i, section, rows_add(b, sum[i], entry(b, eq, start, kind, i)));
    free(sum);
    rows_section(b, section);
}

struct tape *products_new(const struct equations *eq)
{
    struct rows b = {0};
    if (eq->array[EQ_M].nnz + eq->array[EQ_G].nnz + eq->array[EQ_f].nnz + 2 * eq->array[EQ_gt].nnz > MOST_ENTRIES)
        return NULL;
    put_residual(&b, eq);
    put_level(&b, eq, SYM_V, EQ_gt, ROWS_GT, PRODUCT_GV);
    put_level(&b, eq, SYM_A, EQ_gamma, ROWS_GAMMA, PRODUCT_GA);
    for (int j = 0; j < eq->model->coord.n; j++)
        rows_output(&b, PRODUCT_GTMU, j, PRODUCT_GTMU, column_dot(&b, eq, j, SYM_MU, NONE));
    rows_section(&b, PRODUCT_GTMU);
    struct tape *t = mem_grow(NULL, 1, sizeof *t);
    rows_finish(&b, t);
    return t;
}

void products_free(struct tape *t)
{
    if (t)
        rows_release(t);
    free(t);
}
