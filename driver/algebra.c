/* SPDX-License-Identifier: GPL-3.0-or-later
 * Linear algebra for `mbs compare`. */
#include "config.h"
#include "algebra.h"
#include "base/arena.h"

#include <math.h>
#include <stdlib.h>

static void row_subtract(int n, double f, const double *from, double *row)
{
    for (int j = 0; j < n; j++)
        row[j] -= f * from[j];
}

static void row_swap(int n, double *a, double *b)
{
    for (int j = 0; j < n; j++) {
        double t = a[j];
        a[j] = b[j];
        b[j] = t;
    }
}

/* Gauss, rows exchanged for the largest pivot, the right side along with them: it shares nothing with the library's solvers, and needs no memory (GSL's
 * decomposition takes some and does not look whether it got it). */
bool algebra_solve(int n, double *A, double *x)
{
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[p * n + k]))
                p = i;
        if (!isfinite(A[p * n + k]) || A[p * n + k] == 0)
            return false;
        if (p != k) {
            row_swap(n, A + k * n, A + p * n);
            row_swap(1, x + k, x + p);
        }
        for (int i = k + 1; i < n; i++) {
            double f = A[i * n + k] / A[k * n + k];
            row_subtract(n - k, f, A + k * n + k, A + i * n + k);
            x[i] -= f * x[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            x[k] -= A[k * n + j] * x[j];
        x[k] /= A[k * n + k];
    }
    return true;
}

#ifdef HAVE_GSL
#include <gsl/gsl_eigen.h>

bool algebra_extremes(int n, double *A, double *least, double *largest)
{
    gsl_matrix_view a = gsl_matrix_view_array(A, (size_t)n, (size_t)n);
    gsl_vector *e = gsl_vector_alloc((size_t)n);
    gsl_eigen_symm_workspace *work = gsl_eigen_symm_alloc((size_t)n);
    if (!e || !work)
        mem_ended();
    gsl_eigen_symm(&a.matrix, e, work);
    gsl_vector_minmax(e, least, largest);
    gsl_eigen_symm_free(work);
    gsl_vector_free(e);
    return true;
}

#else
#include "linalg/eigen.h"

bool algebra_extremes(int n, double *A, double *least, double *largest)
{
    size_t size = (size_t)n;
    double *work = malloc((2 * size + 2 * size * size) * sizeof *work);
    bool good = work && mbs_eigen(n, A, work, work + n, work + 2 * n) == 0;
    *least = HUGE_VAL;
    *largest = -HUGE_VAL;
    for (int i = 0; good && i < n; i++) {
        *least = fmin(*least, work[i]);
        *largest = fmax(*largest, work[i]);
    }
    free(work);
    return good;
}
#endif
