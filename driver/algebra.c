/* SPDX-License-Identifier: GPL-3.0-or-later
 * Linear algebra for `mbs compare`. */
#include "config.h"
#include "algebra.h"
#include "base/arena.h"

#include <math.h>
#include <stdlib.h>

#ifdef HAVE_GSL
#include <gsl/gsl_eigen.h>
#include <gsl/gsl_linalg.h>

bool algebra_solve(int n, double *A, double *x)
{
    gsl_matrix_view a = gsl_matrix_view_array(A, (size_t)n, (size_t)n);
    gsl_vector_view b = gsl_vector_view_array(x, (size_t)n);
    gsl_permutation *p = gsl_permutation_alloc((size_t)n);
    int sign;
    bool good = true;
    if (!p || gsl_linalg_LU_decomp(&a.matrix, p, &sign) == GSL_ENOMEM)
        mem_ended();
    for (int i = 0; i < n; i++)
        good = good && isfinite(A[i * n + i]) && A[i * n + i] != 0;
    if (good)
        gsl_linalg_LU_svx(&a.matrix, p, &b.vector);
    gsl_permutation_free(p);
    return good;
}

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
#include "linalg/dense.h"
#include "linalg/eigen.h"

bool algebra_solve(int n, double *A, double *x)
{
    double *scale = malloc(((size_t)n + 1) * sizeof *scale);
    int *pivot = malloc(((size_t)n + 1) * sizeof *pivot);
    bool good = scale && pivot && mbs_lu_real(n, A, pivot, scale) > 0;
    if (good)
        mbs_lu_real_solve(n, A, pivot, x);
    free(scale);
    free(pivot);
    return good;
}

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
