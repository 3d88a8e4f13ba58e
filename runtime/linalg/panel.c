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

WIDE void mbs_panel_mul_t(const struct mbs_pattern *p, const double *val, double s, int width, const double *X, double *Y)
{
    if (p->nnz == 0)
        return;
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
