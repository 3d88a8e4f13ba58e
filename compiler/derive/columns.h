/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Large full matrices, column by column.
 *
 * The mass matrix and the Jacobians of a long chain in relative coordinates are full: entry by entry their
 * program grows with the square of the number of bodies, and so does the time of the C compiler.  But a
 * directional derivative of the residual is a recursion like the residual itself, of linear size.  So
 * where entries are many and dear these matrices are given by what one column is made of: the derivative
 * along seeds, one of which is 1 and the others 0; the generated function runs it in a loop over the columns.
 * Beside loops over bodies the same is done with what acts on them: a spring to ground on every link couples all.
 *
 * Seeds are symbols SYM_LOCAL: 0 .. nq-1 along q, nq .. 2 nq-1 along v.
 */
#ifndef DERIVE_COLUMNS_H
#define DERIVE_COLUMNS_H
#include "derive/equations.h"

struct eq_column {
    enum eq_id matrix;
    bool by_v;              /* seeds along v, else along q */
    int rows;
    Expr *value;
};
/* Which matrices are given so: none, the Jacobians of r alone, M and all derivatives by coordinates and velocities. */
enum columns_of { COLUMNS_NONE, COLUMNS_OF_R, COLUMNS_OF_ALL };
/* M is small up to so many coordinates, full beyond so many entries a coordinate, and dear beyond a cost (in operations) at
 * which the C compiler takes some ten seconds for the entries of all matrices. */
enum { COLUMNS_SMALL = 12, COLUMNS_FULL = 6, COLUMNS_COST = 4000 };
struct eq_columns {
    int n;
    struct eq_column at[EQ_COUNT];
};

/* Is this matrix among them? */
bool columns_has(enum columns_of, enum eq_id);
/* How many pairs of an expression (one a coordinate) and a coordinate or velocity there are by structure. */
int columns_entries(const struct model *, const Expr *, enum sym_kind);
/* Does an expression (one a coordinate) depend on coordinates or velocities other than its own? */
bool columns_couple(const struct model *, const Expr *);
/* Fill eq->columns and the patterns of its matrices, from p, r, gv, ga and Gtmu. */
void columns_derive(struct equations *, enum columns_of, const Expr *p);
#endif
