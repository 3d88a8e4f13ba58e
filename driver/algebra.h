/* SPDX-License-Identifier: GPL-3.0-or-later
 * Linear algebra for `mbs compare`, independent of the runtime's: by GSL; where that was left out, by the runtime's kernels. */
#ifndef DRIVER_ALGEBRA_H
#define DRIVER_ALGEBRA_H
#include <stdbool.h>

/* Overwrites x with A^-1 x, A being n x n, and overwritten.  False if A is singular or not finite. */
bool algebra_solve(int n, double *A, double *x);
/* The smallest and the largest eigenvalue of a symmetric n x n matrix, which is overwritten.  False if there are none to be had. */
bool algebra_extremes(int n, double *A, double *least, double *largest);
#endif
