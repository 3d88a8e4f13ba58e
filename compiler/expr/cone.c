/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Collecting the nodes below an expression; see cone.h.  Handles grow from operands to results, so
 * sorting by handle is a topological order. */
#include "expr/cone.h"
#include "base/arena.h"
#include <stdlib.h>
#include <string.h>

static void cone_reserve(struct cone *c, const struct pool *p)
{
    if (p->nodes <= c->met_cap)
        return;
    uint32_t cap = p->node_cap > p->nodes ? p->node_cap : p->nodes;
    unsigned char *met = mem_zeros(cap, 1);
    if (c->met)
        memcpy(met, c->met, c->met_cap);
    free(c->met);
    c->met = met;
    c->met_cap = cap;
}

static void cone_meet(struct cone *c, const struct pool *p, Expr e)
{
    if (c->met[e] || e < c->first || (c->kinds && !(expr_deps(p, e) & c->kinds)))
        return;
    c->met[e] = 1;
    VEC_PUSH(*c, e);
}

static int handle_compare(const void *a, const void *b)
{
    Expr x = *(const Expr *)a, y = *(const Expr *)b;
    return (x > y) - (x < y);
}

void cone_collect(struct cone *c, const struct pool *p, int n, const Expr *root)
{
    cone_reserve(c, p);
    c->n = 0;
    for (int k = 0; k < n; k++)
        cone_meet(c, p, root[k]);
    /* The list is its own queue: what lies behind `i` still waits for its operands. */
    for (int i = 0; i < c->n; i++) {
        Expr e = c->at[i];
        for (int k = 0, args = expr_args(p, e); k < args; k++)
            cone_meet(c, p, expr_arg(p, e, k));
    }
    if (c->n > 1)
        qsort(c->at, (size_t)c->n, sizeof *c->at, handle_compare);
}

void cone_skip(struct cone *c, const struct pool *p, Expr e)
{
    cone_reserve(c, p);
    c->met[e] = 1;
}

void cone_fini(struct cone *c)
{
    free(c->at);
    free(c->met);
    memset(c, 0, sizeof *c);
}
