/* SPDX-License-Identifier: MIT
 *
 * chol.h: sparse Cholesky with a pattern that never changes. */
#ifndef MBS_CHOL_H
#define MBS_CHOL_H

struct mbs_chol;
/* neighbour[i * n + j] != 0 where the matrix has an entry.  NULL: memory, or more than max_updates multiplications. */
struct mbs_chol *mbs_chol_new(int n, const unsigned char *neighbour, long max_updates);
void mbs_chol_free(struct mbs_chol *c);
/* Where entry (i, j) stands in the array of values. */
int mbs_chol_place(const struct mbs_chol *c, int i, int j);
/* The values: clear, add, factor. */
double *mbs_chol_values(struct mbs_chol *c);
void mbs_chol_clear(struct mbs_chol *c);
/* 0, or k + 1 if the pivot of row k is below tol times its diagonal entry. */
int mbs_chol_factor(struct mbs_chol *c, double tol);
/* The root of the smallest pivot of the last factorisation, had row i and column i been multiplied by scale[i], and its row. */
double mbs_chol_weakest(const struct mbs_chol *c, const double *scale, int *row);
void mbs_chol_solve(const struct mbs_chol *c, double *x);
/* Pivots alone, of `lanes` (a multiple of 4) matrices at once: mbs_chol_room() doubles for each, entry i of lane l at [i*lanes + l].  They stand where the
 * diagonal was; behind one that is not positive they mean nothing.  Values elsewhere are used up. */
void mbs_chol_pivots(const struct mbs_chol *c, int lanes, double *val);
int mbs_chol_room(const struct mbs_chol *c);
long mbs_chol_updates(const struct mbs_chol *c);

#endif
