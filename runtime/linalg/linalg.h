/* SPDX-License-Identifier: MIT
 *
 * linalg.h: the one interface over dense and sparse solves.
 *
 * Four objects:
 *   mbs_saddle   [M G'; G 0] x = b, M from its lower triangle, for accelerations and projections
 *   mbs_oblique  [M G'; H 0] x = b, likewise, for half-explicit methods
 *   mbs_matrix   any square matrix put together from blocks with fixed patterns, real or complex,
 *                for Newton systems such as [K + c D + c^2 M, G'; X, 0]
 *   mbs_cod      rank-revealing complete orthogonal decomposition of a dense matrix, minimum-norm solutions
 * Each is created once (the pattern is analysed there), then factored and solved any number of times
 * without allocation.  Small ones are dense, large ones go to KLU where it is compiled in, which allocates factors again when it chooses new
 * pivots.
 *
 * Factorisations return 0; > 0 if the matrix is rank-deficient but was decomposed by the orthogonal
 * decomposition (the value is the number of dependent rows), so that solutions are those of minimum norm;
 * < 0 if there is no solution to speak of (a status of mbs.h: MBS_SINGULAR, MBS_NAN).
 */
#ifndef MBS_LINALG_H
#define MBS_LINALG_H

#include "mbs/mbs.h"

/* ---- products with matrices in compressed columns: y += s A x ---- */
void mbs_csc_mul(const struct mbs_pattern *p, const double *val, double s, const double *x, double *y);
void mbs_csc_mul_t(const struct mbs_pattern *p, const double *val, double s, const double *x, double *y);
/* A symmetric, lower triangle given */
/* A square pattern of order n falls apart into parts, numbered by their first index: how many, and part[i] of index i.  parent: room for n. */
int mbs_csc_parts(const struct mbs_pattern *p, int n, int *parent, int *part);
/* An entry of the diagonal; 0 where the pattern has none. */
double mbs_csc_diagonal(const struct mbs_pattern *p, const double *val, int j);
void mbs_csc_mul_sym(const struct mbs_pattern *p, const double *val, double s, const double *x, double *y);

/* 1 if all n values are finite. */
int mbs_finite(const double *x, int n);

/* ---- saddle point ---- */
struct mbs_saddle;
/* NULL if memory is short. */
struct mbs_saddle *mbs_saddle_new(const struct mbs_model *model);
/* As new, from an old one (or NULL), whose analysis of the model serves again. */
struct mbs_saddle *mbs_saddle_renew(struct mbs_saddle *old, const struct mbs_model *model);
void mbs_saddle_free(struct mbs_saddle *s);
/* M and G as values of the model's patterns. */
int mbs_saddle_factor(struct mbs_saddle *s, const double *M, const double *G);
/* The same, but always by the orthogonal decomposition and with rows called dependent when the sine of their angle to
 * the others is below tol: for corrections that must not follow rounding errors near singular configurations. */
int mbs_saddle_factor_rank(struct mbs_saddle *s, const double *M, const double *G, double tol);
/* From now on rows with drop[i] != 0 count as met by the others: they are left out and their multipliers are 0; NULL: none.  Status. */
int mbs_saddle_drop(struct mbs_saddle *s, const unsigned char *drop);
/* The rows left out, NULL if there are none. */
const unsigned char *mbs_saddle_dropped(const struct mbs_saddle *s);
/* The factors of the model's own solver as values that can be kept: how many; 1 if those as of now are such, and they were kept; they serve again, or for one
 * solution. */
size_t mbs_saddle_factors(const struct mbs_saddle *s);
int mbs_saddle_factors_keep(const struct mbs_saddle *s, double *to);
void mbs_saddle_factors_back(struct mbs_saddle *s, const double *from);
void mbs_saddle_factors_solve(const struct mbs_saddle *s, const double *factors, double *x);
/* Overwrites x = (nq values, ng+nh values) with the solution.  (f, -gamma) gives (a, lambda);
 * (0, -g) gives the change of q that is least in the norm of M. */
void mbs_saddle_solve(struct mbs_saddle *s, double *x);
/* After factor() returned > 0: dependent[i] = 1 for rows of G that depend on the others.
 * After factor() returned MBS_SINGULAR: the coordinate without inertia. */
/* How often constraints were nearly dependent so far (sine of an angle between 1e-8 and 1e-3): solutions then carry
 * amplified rounding errors.  Constraints that are dependent everywhere do not count. */
long mbs_saddle_near_singular(const struct mbs_saddle *s);
unsigned char *mbs_saddle_dependent(const struct mbs_saddle *s);
int mbs_saddle_culprit(const struct mbs_saddle *s);

/* ---- [M G'; H 0] with H of the pattern of G: forces along G, conditions along H (half-explicit methods) ---- */
struct mbs_oblique;
/* NULL if memory is short. */
struct mbs_oblique *mbs_oblique_new(const struct mbs_model *model);
void mbs_oblique_free(struct mbs_oblique *o);
/* As mbs_saddle_drop; drop stays the caller's. */
int mbs_oblique_drop(struct mbs_oblique *o, const unsigned char *drop);
int mbs_oblique_factor(struct mbs_oblique *o, const double *M, const double *G, const double *H);
void mbs_oblique_solve(struct mbs_oblique *o, double *x);

/* ---- general matrices ---- */
enum mbs_block {
    MBS_BLOCK,              /* as it stands */
    MBS_BLOCK_TRANSPOSED,
    MBS_BLOCK_SYMMETRIC     /* lower triangle given, both triangles meant */
};
enum { MBS_MATRIX_REAL = 0, MBS_MATRIX_COMPLEX = 1, MBS_MATRIX_DENSE = 2, MBS_MATRIX_SPARSE = 4 };

/* Row, column and number of the value for every place that a block at (row, col) covers; returns how many (pi NULL: only
 * counts).  A pattern of NULL is the identity of the given order. */
int mbs_block_places(const struct mbs_pattern *p, int order, int row, int col, enum mbs_block kind, int *pi, int *pj, int *src);

struct mbs_matrix;
/* n x n.  flags: MBS_MATRIX_COMPLEX or not; MBS_MATRIX_DENSE or _SPARSE force the choice. */
struct mbs_matrix *mbs_matrix_new(int n, int flags);
void mbs_matrix_free(struct mbs_matrix *A);
/* Announces a block at (row, col); blocks may overlap.  Returns its number; if memory is short, ready() says so.  A
 * pattern of NULL announces the identity of the given order. */
int mbs_matrix_block(struct mbs_matrix *A, const struct mbs_pattern *p, int order, int row, int col, enum mbs_block kind);
/* After the last block: analyses the pattern, allocates the factors.  Returns a status. */
int mbs_matrix_ready(struct mbs_matrix *A);
/* Putting values in: clear, then A += (re + i im) * block. */
void mbs_matrix_clear(struct mbs_matrix *A);
void mbs_matrix_add(struct mbs_matrix *A, int block, double re, double im, const double *val);
/* Factor overwrites nothing that add() has put in, so that values may be looked at afterwards. */
int mbs_matrix_factor(struct mbs_matrix *A);
/* In place; complex ones as (re, im) pairs. */
void mbs_matrix_solve(struct mbs_matrix *A, double *x);
/* y += s A x, real matrices only (residuals, refinement). */
void mbs_matrix_mul(const struct mbs_matrix *A, double s, const double *x, double *y);

/* ---- rank-revealing, dense, rows x cols, row-major with leading dimension cols ---- */
struct mbs_cod;
struct mbs_cod *mbs_cod_new(int rows, int cols);
void mbs_cod_free(struct mbs_cod *c);
/* Pivoted QR; columns whose rest is below tol * largest column norm are dependent (tol <= 0: 100 eps max(rows,
 * cols)).  Returns the rank or < 0. */
int mbs_cod_factor(struct mbs_cod *c, const double *A, double tol);
/* x (cols values) = minimum-norm least-squares solution for b (rows values). */
void mbs_cod_solve(struct mbs_cod *c, const double *b, double *x);
/* The same with A': b has cols values, x rows. */
void mbs_cod_solve_t(struct mbs_cod *c, const double *b, double *x);
/* Orthonormal basis of the vectors that are orthogonal to all columns: rows x (rows - rank), row-major. */
void mbs_cod_null(struct mbs_cod *c, double *N);
/* Last diagonal entry of R that was kept over the first, 0 for rank 0. */
double mbs_cod_smallest(const struct mbs_cod *c);
/* order[0..rank-1]: the columns that were chosen as independent, the others follow. */
const int *mbs_cod_order(const struct mbs_cod *c);

#endif
