/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The cone of an expression: everything it is made of, in the order in which it can be computed.
 *
 * A cone remembers what it has met, so a memo that keeps its cone sees every node of the DAG once over
 * all its requests.  Nodes are found with an explicit stack: a DAG may be deeper than the C stack.
 */
#ifndef EXPR_CONE_H
#define EXPR_CONE_H
#include "expr/expr.h"

struct cone {
    unsigned kinds;         /* only nodes that depend on a symbol of these kinds; 0: all nodes */
    Expr first;             /* only nodes from this handle on */
    Expr *at;               /* what the last request met for the first time, ascending */
    int n, cap;
    unsigned char *met;     /* by handle */
    uint32_t met_cap;
};

void cone_collect(struct cone *, const struct pool *, int n, const Expr *root);
/* What a memo knows from elsewhere (a seed) is not entered. */
void cone_skip(struct cone *, const struct pool *, Expr);
void cone_fini(struct cone *);
#endif
