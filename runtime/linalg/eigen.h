/* SPDX-License-Identifier: MIT
 *
 * eigen.h: eigenvalues and eigenvectors of a real matrix. */
#ifndef MBS_EIGEN_H
#define MBS_EIGEN_H

/* A: n x n, row-major, finite; overwritten.  Eigenvalue j is re[j] + i im[j], conjugate pairs stand together, im > 0 first;
 * its vector has entries vec[2 (i n + j)], vec[2 (i n + j) + 1], i = 0 .. n-1, the largest of size 1.
 * 0, MBS_NO_MEMORY, MBS_NO_CONVERGENCE. */
int mbs_eigen(int n, double *A, double *re, double *im, double *vec);

#endif
