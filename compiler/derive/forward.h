/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Accelerations and multipliers as expressions: forward dynamics in one function.
 */
#ifndef DERIVE_FORWARD_H
#define DERIVE_FORWARD_H
#include "derive/equations.h"
#include "model/tree.h"

/* Where rows may depend on others: those whose pivots are lost get no multiplier.  `lambda`, if it is not NULL, gets other multipliers for the same
 * motion: what is the same with both does not depend on how such rows share the load.  lost: more than half where nothing is to be trusted. */
struct forward_shares {
    Expr *lambda, lost;
};
/* Fills a, lambda and unsafe of the equations, which have M, f, G and gamma; false if that would be too long, M is singular by
 * its structure, or a constraint restricts nothing.  With a tree: `force` is f without the bodies, `mass` (nq x nq) the mass matrix of what is not a body. */
bool forward_derive(struct equations *, const struct tree *, const Expr *force, const Expr *mass, struct forward_shares *);
#endif
