/* SPDX-License-Identifier: MIT
 *
 * Products with matrices in compressed columns. */
#include "linalg/linalg.h"

void mbs_csc_mul(const struct mbs_pattern *p, const double *val, double s, const double *x, double *y)
{
    if (p->nnz == 0)
        return;
    for (int j = 0, k = 0; j < p->cols; j++) {
        double sx = s * x[j];
        for (; k < p->colptr[j + 1]; k++)
            y[p->rowidx[k]] += val[k] * sx;
    }
}

void mbs_csc_mul_t(const struct mbs_pattern *p, const double *val, double s, const double *x, double *y)
{
    if (p->nnz == 0)
        return;
    for (int j = 0, k = 0; j < p->cols; j++) {
        double sum = 0;
        for (; k < p->colptr[j + 1]; k++)
            sum += val[k] * x[p->rowidx[k]];
        y[j] += s * sum;
    }
}

void mbs_csc_mul_sym(const struct mbs_pattern *p, const double *val, double s, const double *x, double *y)
{
    if (p->nnz == 0)
        return;
    for (int j = 0, k = 0; j < p->cols; j++) {
        double sx = s * x[j], sum = 0;
        for (; k < p->colptr[j + 1]; k++) {
            int i = p->rowidx[k];
            y[i] += val[k] * sx;
            if (i != j)
                sum += val[k] * x[i];
        }
        y[j] += s * sum;
    }
}

static int find(int *parent, int i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

int mbs_csc_parts(const struct mbs_pattern *p, int n, int *parent, int *part)
{
    int count = 0;

    for (int i = 0; i < n; i++)
        parent[i] = i;
    for (int j = 0, k = 0; j < n; j++)
        for (; k < p->colptr[j + 1]; k++) {
            int a = find(parent, p->rowidx[k]), b = find(parent, j);
            parent[a > b ? a : b] = a < b ? a : b;
        }
    for (int i = 0; i < n; i++)
        part[i] = find(parent, i) == i ? count++ : part[find(parent, i)];
    return count;
}

double mbs_csc_diagonal(const struct mbs_pattern *p, const double *val, int j)
{
    for (int k = p->colptr[j]; p->nnz && k < p->colptr[j + 1]; k++)
        if (p->rowidx[k] == j)
            return val[k];
    return 0;
}

int mbs_finite(const double *x, int n)
{
    double s = 0;

    /* 0 * x is 0 for finite x and NaN otherwise */
    for (int i = 0; i < n; i++)
        s += 0 * x[i];
    return s == 0;
}
