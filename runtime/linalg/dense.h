/* SPDX-License-Identifier: MIT
 *
 * dense.h: kernels on small dense matrices, row-major; complex ones as (re, im) pairs. */
#ifndef MBS_DENSE_H
#define MBS_DENSE_H

/* LU with partial pivoting in place.  Returns the smallest ratio of a pivot to the largest original entry of its
 * column (0 for a zero pivot: the factors are then useless), NaN if there was a NaN.  colmax: n values of work. */
double mbs_lu_real(int n, double *a, int *pivot, double *colmax);
void mbs_lu_real_solve(int n, const double *a, const int *pivot, double *x);
void mbs_lu_real_solve_t(int n, const double *a, const int *pivot, double *x);   /* with the transpose */
/* Many right sides as a panel (linalg/panel.h), and with the transpose; whether that can be done for this order. */
int mbs_lu_panels(int n);
void mbs_lu_real_panel(int n, const double *a, const int *pivot, int width, double *X);
void mbs_lu_real_panel_t(int n, const double *a, const int *pivot, int width, double *X);
double mbs_lu_complex(int n, double *a, int *pivot, double *colmax);
void mbs_lu_complex_solve(int n, const double *a, const int *pivot, double *x);

#endif
