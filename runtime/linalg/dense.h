/* SPDX-License-Identifier: MIT
 *
 * dense.h: kernels on small dense matrices, row-major; complex ones as (re, im) pairs. */
#ifndef MBS_DENSE_H
#define MBS_DENSE_H

/* LU with partial pivoting in place.  Returns the smallest ratio of a pivot to the largest original entry of its
 * column (0 for a zero pivot: the factors are then useless), NaN if there was a NaN.  colmax: n values of work. */
double mbs_lu_real(int n, double *a, int *pivot, double *colmax);
void mbs_lu_real_solve(int n, const double *a, const int *pivot, double *x);
double mbs_lu_complex(int n, double *a, int *pivot, double *colmax);
void mbs_lu_complex_solve(int n, const double *a, const int *pivot, double *x);

#endif
