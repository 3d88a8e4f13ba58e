/* SPDX-License-Identifier: GPL-3.0-or-later
 * What the files of derive/ share with each other. */
#ifndef DERIVE_DERIVE_H
#define DERIVE_DERIVE_H
#include "derive/equations.h"

/* kinetic.c: the kinetic energy as the sum of the statements taken as written and of those in trigonometric
 * normal form.  False if a statement is not at most quadratic in the velocities, which is then reported. */
struct kinetic {
    Expr written, normal;
    int summands;               /* in normal form */
};
bool kinetic_choose(const struct model *, struct arena *, struct diags *, struct kinetic *);
/* All statements as written; false if their form does not show that they are quadratic. */
bool kinetic_plain(const struct model *, struct kinetic *);

/* Momenta p = T_v, M (lower triangle) and f as far as they come from the energy T - U.
 * The velocity terms are a directional derivative: f = L_q - (T_v)_q v - (T_v)_t.  M may be NULL. */
struct triplets {
    struct { int row, col; Expr value; } *at;
    int n, cap;
};
void energy_terms(const struct model *, const struct kinetic *, Expr U, Expr *p, Expr *f, struct triplets *M);

/* check.c: may each statement contain what it contains? */
bool derive_check(const struct model *, struct diags *);

/* A direction in (q, v, t): q along v, t along 1, and v along a if `accelerated`, else fixed. */
struct direction *direction_time(const struct model *, struct arena *, bool accelerated);
#endif
