/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The residual from what the dynamics are made of: r = M a - f + G' lambda, gv = G v + gt,
 * ga = G a + gamma, Gtmu = G' mu as products with the computed entries.  On small models this is cheaper than
 * programs of their own, and much shorter: the products G x and G' y serve two of these each. */
#ifndef PROGRAM_PRODUCTS_H
#define PROGRAM_PRODUCTS_H
#include "program/rows.h"

/* Tapes with one output array; entries of M, f, G and of the vector are symbols of rows.h. */
struct products {
    struct tape *forward;       /* G x,  x: ROWS_X */
    struct tape *transposed;    /* G' x */
    struct tape *rest;          /* M a - f + x */
    int flops;                  /* of r */
};
/* False if the arrays would be large. */
bool products_init(struct products *, const struct equations *);
void products_fini(struct products *);
#endif
