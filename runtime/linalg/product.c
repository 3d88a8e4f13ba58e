/* SPDX-License-Identifier: MIT
 *
 * Products with the transpose of the constraint matrix, for the stabilized index-2 form: M Gh', (dr/dv) Gh' and
 * G Gh', where Gh are the holonomic rows of G.  The patterns of the products are found once; their values then follow
 * column by column through one scattered work vector. */
#include "linalg/product.h"
#include "mbs/mbs.h"

#include <stdlib.h>
#include <string.h>

/* Splits entry numbers: column j of A lists its rows and the number of the value.  A lower triangle is completed. */
static int full_columns(const struct mbs_pattern *p, int symmetric, struct mbs_columns *out)
{
    int nnz = p->nnz, at = 0;

    if (symmetric)
        nnz *= 2;
    out->ptr = calloc((size_t)p->cols + 2 + 2 * (size_t)nnz, sizeof *out->ptr);
    if (!out->ptr)
        return MBS_NO_MEMORY;
    out->row = out->ptr + p->cols + 1;
    out->from = out->row + nnz;
    for (int j = 0; j < p->cols; j++) {
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++, at++) {
            out->row[at] = p->rowidx[k];
            out->from[at] = k;
        }
        /* the upper part of column j is row j of the lower triangle */
        for (int i = 0; symmetric && i < j; i++)
            for (int k = p->colptr[i]; k < p->colptr[i + 1]; k++)
                if (p->rowidx[k] == j) {
                    out->row[at] = i;
                    out->from[at++] = k;
                }
        out->ptr[j + 1] = at;
    }
    return 0;
}

/* Rows of the first `rows` rows of G: ptr by row, row[] holds columns. */
static int transposed_columns(const struct mbs_pattern *p, int rows, struct mbs_columns *out)
{
    int *fill;

    out->ptr = calloc((size_t)rows + 2 + 2 * (size_t)p->nnz, sizeof *out->ptr);
    if (!out->ptr)
        return MBS_NO_MEMORY;
    out->row = out->ptr + rows + 2;
    out->from = out->row + p->nnz;
    for (int k = 0; k < p->nnz; k++)
        if (p->rowidx[k] < rows)
            out->ptr[p->rowidx[k] + 2]++;
    for (int i = 0; i < rows; i++)
        out->ptr[i + 2] += out->ptr[i + 1];
    fill = out->ptr + 1;
    for (int j = 0, k = 0; j < p->cols; j++)
        for (; k < p->colptr[j + 1]; k++)
            if (p->rowidx[k] < rows) {
                int at = fill[p->rowidx[k]]++;
                out->row[at] = j;
                out->from[at] = k;
            }
    return 0;
}

/* Pattern of L * Gh', of `rows` rows. */
static int product_pattern(struct mbs_product *p, const struct mbs_columns *gt, int rows, int cols)
{
    int count = 0, *mark = calloc((size_t)rows + 1, sizeof *mark), *colptr, *rowidx;

    for (int k = 0; k < cols; k++)
        for (int e = gt->ptr[k]; e < gt->ptr[k + 1]; e++)
            count += p->left.ptr[gt->row[e] + 1] - p->left.ptr[gt->row[e]];
    p->memory = calloc((size_t)cols + 2 + (size_t)count, sizeof *p->memory);
    if (!mark || !p->memory) {
        free(mark);
        return MBS_NO_MEMORY;
    }
    colptr = p->memory;
    rowidx = p->memory + cols + 1;
    count = 0;
    for (int k = 0; k < cols; k++) {
        for (int e = gt->ptr[k]; e < gt->ptr[k + 1]; e++)
            for (int l = p->left.ptr[gt->row[e]]; l < p->left.ptr[gt->row[e] + 1]; l++)
                mark[p->left.row[l]] = k + 1;
        for (int i = 0; i < rows; i++)
            if (mark[i] == k + 1)
                rowidx[count++] = i;
        colptr[k + 1] = count;
    }
    free(mark);
    p->pattern = (struct mbs_pattern){rows, cols, count, colptr, rowidx};
    p->val = calloc((size_t)count + (size_t)rows + 1, sizeof *p->val);
    if (!p->val)
        return MBS_NO_MEMORY;
    p->work = p->val + count;
    return 0;
}

int mbs_product_new(struct mbs_product *p, const struct mbs_pattern *left, int symmetric,
                      const struct mbs_pattern *G, int ng)
{
    if (full_columns(left, symmetric, &p->left) || transposed_columns(G, ng, &p->gt))
        return MBS_NO_MEMORY;
    return product_pattern(p, &p->gt, left->rows, ng);
}

void mbs_product_free(struct mbs_product *p)
{
    free(p->left.ptr);
    free(p->gt.ptr);
    free(p->memory);
    free(p->val);
    memset(p, 0, sizeof *p);
}

void mbs_product_values(struct mbs_product *p, const double *left, const double *G)
{
    const struct mbs_pattern *o = &p->pattern;

    for (int k = 0; k < o->cols; k++) {
        for (int e = p->gt.ptr[k]; e < p->gt.ptr[k + 1]; e++) {
            double g = G[p->gt.from[e]];
            int j = p->gt.row[e];
            for (int l = p->left.ptr[j]; l < p->left.ptr[j + 1]; l++)
                p->work[p->left.row[l]] += g * left[p->left.from[l]];
        }
        for (int l = o->colptr[k]; l < o->colptr[k + 1]; l++) {
            p->val[l] = p->work[o->rowidx[l]];
            p->work[o->rowidx[l]] = 0;
        }
    }
}
