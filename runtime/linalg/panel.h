/* SPDX-License-Identifier: MIT
 *
 * panel.h: many right sides at once.  A panel is a row-major matrix, a right side a column, with a width that is a multiple of
 * MBS_PANEL: all loops run along its rows. */
#ifndef MBS_PANEL_H
#define MBS_PANEL_H

#include "linalg/linalg.h"

enum { MBS_PANEL = 4 };
static inline int mbs_panel_width(int columns) { return (columns + MBS_PANEL - 1) / MBS_PANEL * MBS_PANEL; }

/* Y += s A X, and Y += s A' X */
void mbs_panel_mul(const struct mbs_pattern *p, const double *val, double s, int width, const double *X, double *Y);
void mbs_panel_mul_t(const struct mbs_pattern *p, const double *val, double s, int width, const double *X, double *Y);
/* Y += s K X for a dense K of rows x cols, row-major, and with its transpose */
void mbs_panel_dense(int rows, int cols, const double *K, double s, int width, const double *X, double *Y);
void mbs_panel_dense_t(int rows, int cols, const double *K, double s, int width, const double *X, double *Y);
/* Y = K X for a dense K of rows x cols, row-major */
void mbs_panel_product(int rows, int cols, const double *K, int width, const double *X, double *Y);
/* X = 0, Y = X, Y += s X, of so many values */
void mbs_panel_clear(int values, double *X);
void mbs_panel_copy(int values, const double *X, double *Y);
/* Y = X1 X2, value by value */
void mbs_panel_times(int values, const double *X1, const double *X2, double *Y);
void mbs_panel_add(int values, double s, const double *X, double *Y);
/* out = Y (NULL: 0) + sum a_j X_j of so many values */
void mbs_panel_combine(int values, int count, const double *a, const double *const *X, const double *Y, double *out);

/* X = A^-1 X, X = A^-T X, the latter of a width of 1, too; column: n values of work.  Real matrices only. */
void mbs_matrix_solve_panel(struct mbs_matrix *A, int width, double *X, double *column);
void mbs_matrix_solve_panel_t(struct mbs_matrix *A, int width, double *X, double *column);

/* The factors of a small matrix as values that can be kept; 0 of them where factor() has to be called again.  They serve as factors where they
 * lie. */
size_t mbs_matrix_kept(const struct mbs_matrix *A);
void mbs_matrix_keep(const struct mbs_matrix *A, double *to);
void mbs_matrix_solve_kept_t(const struct mbs_matrix *A, const double *kept, int width, double *X);

#endif
