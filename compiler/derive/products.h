/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The residual from what the dynamics are made of: r = M a - f + G' lambda, gv = G v + gt,
 * ga = G a + gamma, Gtmu = G' mu as products with the computed entries.  On small models this is cheaper than
 * programs of their own, and much shorter. */
#ifndef DERIVE_PRODUCTS_H
#define DERIVE_PRODUCTS_H
#include "derive/rows.h"

/* Outputs r, gv, ga and Gtmu are arrays 0, 1, 2, 3 in sections of the same numbers. */
enum { PRODUCT_R, PRODUCT_GV, PRODUCT_GA, PRODUCT_GTMU, PRODUCT_COUNT };
/* NULL if the arrays would be large. */
struct tape *products_new(const struct equations *);
void products_free(struct tape *);
#endif
