/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Accelerations and multipliers as expressions: forward dynamics in one function.
 */
#ifndef DERIVE_FORWARD_H
#define DERIVE_FORWARD_H
#include "derive/equations.h"
#include "model/tree.h"

/* Fills a, lambda and unsafe of the equations, which have M, f, G and gamma; false if that would be too long, M is singular by
 * its structure, or a constraint restricts nothing.  With a tree: `force` is f without the bodies, `mass` (nq x nq) the mass matrix of what is not a body. */
bool forward_derive(struct equations *, const struct tree *, const Expr *force, const Expr *mass);
#endif
