/* SPDX-License-Identifier: MIT
 *
 * schur.h: block Cholesky of M and Schur complement of the constraints (see saddle.c). */
#ifndef MBS_SCHUR_H
#define MBS_SCHUR_H

#include "mbs/model.h"

struct mbs_schur;
struct mbs_schur *mbs_schur_new(const struct mbs_model *model);
void mbs_schur_free(struct mbs_schur *s);
/* Floating-point operations of one factorisation, roughly. */
double mbs_schur_cost(const struct mbs_schur *s);
/* Block factors of M and the rows W = G L^-T.  Returns 0, or k + 1 if coordinate k has no safely positive pivot. */
int mbs_schur_mass(struct mbs_schur *s, const double *M, const double *G);
/* S = W W' = C C' afterwards.  Returns 0, or k + 1 if the pivot of row k is below tol times its diagonal. */
/* From now on rows with drop[i], for which the caller hands in zeros in G, have no multipliers; NULL: none.  drop stays the caller's. */
void mbs_schur_drop(struct mbs_schur *s, const unsigned char *drop);
int mbs_schur_complement(struct mbs_schur *s, double tol);
void mbs_schur_solve(const struct mbs_schur *s, double *x);
/* W' as a dense n x m matrix, row-major, rows in the order of the factors of M. */
void mbs_schur_rows(const struct mbs_schur *s, double *Wt);
/* y = L^-1 f, f = L^-T y, in the same order. */
void mbs_schur_forward(const struct mbs_schur *s, const double *f, double *y);
void mbs_schur_backward(const struct mbs_schur *s, const double *y, double *f);

#endif
