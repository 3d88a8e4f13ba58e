/* SPDX-License-Identifier: MIT
 *
 * Products of sparse and dense matrices with panels. */
#include "linalg/lanes.h"
#include "linalg/panel.h"

WIDE void mbs_panel_mul(const struct mbs_pattern *p, const double *val, double s, int width, const double *X, double *Y)
{
    if (p->nnz == 0)
        return;
    for (int j = 0, k = 0; j < p->cols; j++)
        for (; k < p->colptr[j + 1]; k++)
            lanes_add(width, s * val[k], X + j * width, Y + p->rowidx[k] * width);
}

/* Four columns: what a column of A gives stays in a register. */
KERNEL void mul_t_four(const struct mbs_pattern *p, const double *val, double s, const FourLoose *X, FourLoose *Y)
{
    for (int j = 0, k = 0; j < p->cols; j++) {
        FourLoose sum = {0};
        for (int end = p->colptr[j + 1]; k < end; k++)
            sum += val[k] * X[p->rowidx[k]];
        Y[j] += s * sum;
    }
}

WIDE void mbs_panel_mul_t(const struct mbs_pattern *p, const double *val, double s, int width, const double *X, double *Y)
{
    if (p->nnz == 0)
        return;
    if (width == 4) {
        mul_t_four(p, val, s, (const FourLoose *)X, (FourLoose *)Y);
        return;
    }
    for (int j = 0, k = 0; j < p->cols; j++)
        for (; k < p->colptr[j + 1]; k++)
            lanes_add(width, s * val[k], X + p->rowidx[k] * width, Y + j * width);
}

WIDE void mbs_panel_dense(int rows, int cols, const double *K, double s, int width, const double *X, double *Y)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            lanes_add(width, s * K[i * cols + j], X + j * width, Y + i * width);
}

WIDE void mbs_panel_dense_t(int rows, int cols, const double *K, double s, int width, const double *X, double *Y)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            lanes_add(width, s * K[i * cols + j], X + i * width, Y + j * width);
}

WIDE void mbs_panel_add(int values, double s, const double *X, double *Y)
{
    lanes_add(values, s, X, Y);
}

WIDE void mbs_panel_times(int values, const double *X1, const double *X2, double *Y)
{
    int i = 0;
    for (; i + 4 <= values; i += 4)
        *(FourLoose *)(Y + i) = *(const FourLoose *)(X1 + i) * *(const FourLoose *)(X2 + i);
    for (; i < values; i++)
        Y[i] = X1[i] * X2[i];
}

/* Not by memset and memcpy, which gcc would make of them: for a few kilobytes that is `rep stosb` and `rep movsb`, every byte of which callgrind counts as an
 * instruction. */
#if defined __GNUC__ && !defined __clang__
#define AS_WRITTEN __attribute__((optimize("no-tree-loop-distribute-patterns")))
#else
#define AS_WRITTEN
#endif

AS_WRITTEN WIDE void mbs_panel_clear(int values, double *X)
{
    int i = 0;
    for (; i + 4 <= values; i += 4)
        *(FourLoose *)(X + i) = (FourLoose){0};
    for (; i < values; i++)
        X[i] = 0;
}

AS_WRITTEN WIDE void mbs_panel_copy(int values, const double *X, double *Y)
{
    int i = 0;
    for (; i + 4 <= values; i += 4)
        *(FourLoose *)(Y + i) = *(const FourLoose *)(X + i);
    for (; i < values; i++)
        Y[i] = X[i];
}

/* With a constant number of terms. */
KERNEL void combine_terms(int values, int count, const double *a, const double *const *X, const double *Y, double *out)
{
    for (int i = 0; i + 4 <= values; i += 4) {
        FourLoose sum = Y ? *(const FourLoose *)(Y + i) : (FourLoose){0};
#pragma GCC unroll 12
        for (int j = 0; j < count; j++)
            sum += a[j] * *(const FourLoose *)(X[j] + i);
        *(FourLoose *)(out + i) = sum;
    }
}

WIDE void mbs_panel_combine(int values, int count, const double *a, const double *const *X, const double *Y, double *out)
{
    switch (count) {
#define CASE(count) case count: combine_terms(values, count, a, X, Y, out); break;
    CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8) CASE(9) CASE(10) CASE(11)
#undef CASE
    default: combine_terms(values, count, a, X, Y, out);
    }
}

/* `fours` fours of a row of Y, which stay in registers. */
KERNEL void product_row(int cols, const double *k, int width, const double *X, double *y, int fours)
{
    FourLoose sum[4] = {{0}, {0}, {0}, {0}};
    for (int j = 0; j < cols; j++)
#pragma GCC unroll 4
        for (int f = 0; f < fours; f++)
            sum[f] += k[j] * *(const FourLoose *)(X + j * width + 4 * f);
#pragma GCC unroll 4
    for (int f = 0; f < fours; f++)
        *(FourLoose *)(y + 4 * f) = sum[f];
}

WIDE void mbs_panel_product(int rows, int cols, const double *K, int width, const double *X, double *Y)
{
    for (int i = 0; i < rows; i++) {
        int c = 0;
        for (; c + 16 <= width; c += 16)
            product_row(cols, K + i * cols, width, X + c, Y + i * width + c, 4);
        for (; c + 4 <= width; c += 4)
            product_row(cols, K + i * cols, width, X + c, Y + i * width + c, 1);
    }
}
