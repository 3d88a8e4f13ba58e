/* SPDX-License-Identifier: MIT
 *
 * sparse.h: sparse LU of SuiteSparse/KLU, or nothing where it is not compiled in. */
#ifndef MBS_SPARSE_H
#define MBS_SPARSE_H

struct mbs_sparse;
int mbs_sparse_available(void);
/* colptr and rowidx must outlive it.  NULL: memory or a pattern that KLU refuses. */
struct mbs_sparse *mbs_sparse_new(int n, int *colptr, int *rowidx, int cx);
void mbs_sparse_free(struct mbs_sparse *s);
/* Returns a measure of the smallest pivot, 1 good, 0 singular, NaN if the values are not finite.  The first call
 * chooses the pivots and allocates; later ones reuse them while they stay good. */
double mbs_sparse_factor(struct mbs_sparse *s, const double *val);
void mbs_sparse_solve(struct mbs_sparse *s, double *x);
void mbs_sparse_solve_t(struct mbs_sparse *s, double *x);         /* with the transpose; real only */

#endif
