/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From expressions to the optimiser's graph.
 *
 * One loop over the cone in handle order.  Parts that depend on parameters alone are not entered: they
 * become CONST leaves.  Terms come from split.c, those that differ only by a parameter factor merged.
 */
#include "tape/graph.h"

#include <stdlib.h>
#include <string.h>

enum { POWER_LIMIT = 64 };  /* larger integer powers call pow() */

static bool is_const(const struct graph *g, Expr e)
{
    unsigned deps = expr_deps(g->pool, e);
    return deps == 0 ? expr_is_num(g->pool, e) || g->hoist : g->hoist && deps == DEP(SYM_PARAM);
}

/* Functions that swallow or pass on a sign spare a negation. */
struct ref graph_apply(struct graph *g, enum expr_op op, int n, struct ref *args)
{
    enum op_symmetry symmetry = op_info[op].symmetry;
    bool neg = symmetry == OP_ODD && args[0].neg;
    if (symmetry == OP_ODD || symmetry == OP_EVEN)
        args[0].neg = false;
    return (struct ref){graph_fn(g, op, n, args), neg};
}

struct factors {
    struct { int *at; int n, cap; } f;
    bool neg;
};

static void factor_push(struct factors *f, int node, int times)
{
    while (times-- > 0)
        VEC_PUSH(f->f, node);
}

static struct ref lowered(struct graph *g, Expr e)
{
    return is_const(g, e) ? graph_const(g, e) : g->memo[e];
}

/* base^exponent as factors. */
static void factor_power(struct graph *g, struct factors *f, Expr base, Expr exponent)
{
    const struct number *x = expr_num(g->pool, exponent);
    struct ref b = lowered(g, base);
    if (!x->exact || x->den > 2 || x->num > POWER_LIMIT || x->num < -POWER_LIMIT) {
        struct ref args[2] = {b, {graph_num(g, exponent), false}};
        if (x->value < 0) {     /* the exponent leaf is not negative: NUM leaves carry no sign */
            args[1].node = graph_num(g, expr_neg(g->pool, exponent));
            struct ref power = {graph_fn(g, EXPR_POW, 2, args), false};
            factor_push(f, graph_node(g, GRAPH_INV, 0, 0, 1, &power), 1);
        } else {
            factor_push(f, graph_fn(g, EXPR_POW, 2, args), 1);
        }
        return;
    }
    int times = (int)(x->num < 0 ? -x->num : x->num);
    int whole = times / (int)x->den, half = times % (int)x->den;
    struct ref root = b;
    if (half) {
        root = (struct ref){graph_node(g, GRAPH_SQRT, 0, 0, 1, &b), false};
        if (x->num < 0) {           /* x^(-3/2): three times the reciprocal root */
            whole = 0;
            half = times;
        }
    }
    if (x->num < 0) {
        int inv = graph_node(g, GRAPH_INV, 0, 0, 1, half ? &root : &(struct ref){b.node, false});
        factor_push(f, inv, half ? half : whole);
        if (!half)
            f->neg ^= b.neg && (whole & 1);
        return;
    }
    factor_push(f, b.node, whole);
    f->neg ^= b.neg && (whole & 1);
    if (half)
        factor_push(f, root.node, 1);
}

static void varying_factors(struct graph *g, struct factors *f, Expr e)
{
    struct pool *p = g->pool;
    if (e == p->one)
        return;
    if (expr_op(p, e) != EXPR_MUL)
        factor_power(g, f, e, p->one);
    else
        for (int i = 0; i < expr_pairs(p, e); i++) {
            Expr x, b = expr_pair(p, e, i, &x);
            factor_power(g, f, b, x);
        }
}

/* Number and parameters, as up to two leaves: 2*k shares k with k. */
static void const_factors(struct graph *g, struct factors *f, Expr c)
{
    struct pool *p = g->pool;
    if (!expr_is_num(p, c) && expr_op(p, c) == EXPR_ADD && expr_pairs(p, c) == 1 && expr_const(p, c) == p->zero) {
        Expr k, t = expr_pair(p, c, 0, &k);
        const_factors(g, f, k);
        const_factors(g, f, t);
        return;
    }
    struct ref r = graph_const(g, c);
    f->neg ^= r.neg;
    if (!(expr_is_num(p, c) && g->node.at[r.node].leaf == p->one))
        factor_push(f, r.node, 1);
}

/* A constant and a factor whose product is computed in any case become that product: m*l*cos(phi)*v shares m*l*cos(phi)
 * with the mass matrix, which taking m*l out of a sum would prevent. */
static void factors_contract(const struct graph *g, struct factors *f)
{
    int constant = -1;
    for (int i = 0; i < f->f.n; i++) {
        enum graph_kind kind = g->node.at[f->f.at[i]].kind;
        if (kind == GRAPH_CONST || (kind == GRAPH_NUM && constant < 0))
            constant = i;
    }
    for (int i = 0; i < f->f.n && constant >= 0; i++) {
        int a = f->f.at[i], b = f->f.at[constant];
        struct ref el[2] = {{a < b ? a : b, false}, {a < b ? b : a, false}};
        int node = i == constant ? -1 : graph_find(g, GRAPH_PROD, 0, 0, 2, el);
        if (node < 0 || node >= g->givens || !g->given[node])
            continue;
        f->f.at[i] = node;
        f->f.at[constant] = f->f.at[--f->f.n];
        return;
    }
}

static struct term term_make(struct graph *g, Expr c, Expr varying)
{
    struct factors f = {0};
    varying_factors(g, &f, varying);
    if (c != g->pool->one || !f.f.n)
        const_factors(g, &f, c);
    if (!f.f.n)
        factor_push(&f, graph_num(g, g->pool->one), 1);
    if (g->given && f.f.n > 2)
        factors_contract(g, &f);
    graph_sort(f.f.at, f.f.n);
    struct term t = {f.neg, f.f.n, arena_copy(&g->arena, f.f.at, (size_t)f.f.n * sizeof(int))};
    free(f.f.at);
    return t;
}

/* The size that the coefficients of all terms have in common: a/2 + b/2 - c/2 is (a + b - c)/2.  1 if they differ.
 * Only for the constant block, where the energy has halves of what M has: elsewhere 2*a*b + 2*c*d would part from the
 * longer sums that contain it. */
static Expr common_coefficient(struct pool *p, Expr e)
{
    Expr first, k;
    expr_pair(p, e, 0, &first);
    if (!expr_num(p, first)->exact)
        return p->one;
    if (expr_value(p, first) < 0)
        first = expr_neg(p, first);
    for (int i = 1; i < expr_pairs(p, e); i++) {
        expr_pair(p, e, i, &k);
        if (k != first && expr_neg(p, k) != first)
            return p->one;
    }
    k = expr_const(p, e);
    return expr_pairs(p, e) > 1 && (k == p->zero || k == first || expr_neg(p, k) == first) ? first : p->one;
}

static struct ref lower_add(struct graph *g, Expr e)
{
    struct pool *p = g->pool;
    Expr factor = g->hoist ? p->one : common_coefficient(p, e);
    if (factor != p->one) {
        struct ref inner = lower_add(g, expr_div(p, e, factor));
        struct factors f = {.neg = inner.neg};
        factor_push(&f, graph_num(g, factor), 1);
        const struct graph_node *x = &g->node.at[inner.node];
        for (int i = 0; x->kind == GRAPH_PROD && i < x->n; i++)
            factor_push(&f, x->el[i].node, 1);
        if (x->kind != GRAPH_PROD)
            factor_push(&f, inner.node, 1);
        inner.node = graph_product(g, f.f.n, f.f.at);
        free(f.f.at);
        return inner;
    }
    const struct split_terms *s = split_terms(p, e, g->hoist != NULL);
    struct term *t = ARENA_NEW(&g->arena, struct term, s->n + 1);
    for (int i = 0; i < s->n; i++)
        t[i] = term_make(g, s->at[i].c, s->at[i].varying);
    if (!s->n)
        return (struct ref){graph_num(g, p->zero), false};
    return graph_factor(g, s->n, t);
}

static struct ref lower_mul(struct graph *g, Expr e)
{
    const struct split_terms *s = split_terms(g->pool, e, g->hoist != NULL);
    struct term t = term_make(g, s->at[0].c, s->at[0].varying);
    return (struct ref){graph_product(g, t.n, t.factor), t.neg};
}

struct ref graph_lower_one(struct graph *g, Expr e)
{
    struct pool *p = g->pool;
    enum expr_op op = expr_op(p, e);
    struct ref args[FN_ARGS], r;
    if ((op == EXPR_SIN || op == EXPR_COS) && graph_trig(g, op, expr_arg(p, e, 0), &r))
        return r;
    switch (op) {
    case EXPR_NUM:
        return graph_const(g, e);
    case EXPR_SYM:
        return (struct ref){graph_node(g, GRAPH_SYM, 0, e, 0, NULL), false};
    case EXPR_ADD:
        return lower_add(g, e);
    case EXPR_MUL:
        return lower_mul(g, e);
    case EXPR_HOLD:
        return lowered(g, expr_arg(p, e, 0));
    case EXPR_CALL:
        for (int i = 0; i < expr_args(p, e); i++)
            args[i] = lowered(g, expr_arg(p, e, i));
        return (struct ref){graph_node(g, GRAPH_CALL, expr_call_fn(p, e), 0, expr_args(p, e), args), false};
#include "expr/function_cases.inc"
#include "expr/test_cases.inc"
    case EXPR_POW: case EXPR_IF:
        break;
    }
    for (int i = 0; i < expr_args(p, e); i++)
        args[i] = lowered(g, expr_arg(p, e, i));
    return graph_apply(g, op, expr_args(p, e), args);
}

/* What is to be lowered: the users of each expression, and whether it is wanted as a node.  A product that is only a
 * term of sums is not: the sums take its factors. */
struct reach {
    unsigned char *users;
    bool *node;
    struct { Expr *at; int n, cap; } stack, list;       /* list: all that have users, in their order after reach_order() */
};

static void reach_init(struct reach *r, uint32_t nodes)
{
    *r = (struct reach){.users = mem_zeros(nodes, 1), .node = mem_zeros(nodes, sizeof *r->node)};
}

static void reach_fini(struct reach *r)
{
    free(r->users);
    free(r->node);
    free(r->stack.at);
    free(r->list.at);
}

static int by_handle(const void *a, const void *b)
{
    Expr x = *(const Expr *)a, y = *(const Expr *)b;
    return (x > y) - (x < y);
}

/* Small programs of a large model (a step of rolled code) reach few of all expressions; what reaches many is sorted by looking at all. */
static void reach_order(struct reach *r, uint32_t nodes)
{
    if (r->list.n == 0)
        return;
    if ((uint32_t)r->list.n < nodes / 32) {
        qsort(r->list.at, (size_t)r->list.n, sizeof *r->list.at, by_handle);
        return;
    }
    int n = 0;
    for (Expr e = 1; e < nodes; e++)
        if (r->users[e])
            r->list.at[n++] = e;
}

/* Mark the cone, not below constants; iterative, since chains make it deep. */
static void mark(const struct graph *g, Expr root, unsigned char user, struct reach *r)
{
    const struct pool *p = g->pool;
    r->node[root] = true;
    VEC_PUSH(r->stack, root);
    while (r->stack.n) {
        Expr e = r->stack.at[--r->stack.n];
        if ((r->users[e] & user) || is_const(g, e))
            continue;
        if (!r->users[e])
            VEC_PUSH(r->list, e);
        r->users[e] |= user;
        bool sum = expr_op(p, e) == EXPR_ADD;
        for (int i = 0; i < expr_args(p, e); i++) {
            Expr x = expr_arg(p, e, i);
            if (!sum || expr_op(p, x) != EXPR_MUL)
                r->node[x] = true;
            VEC_PUSH(r->stack, x);
        }
    }
}

void graph_translate(struct graph *g, Expr e)
{
    g->memo[e] = graph_lower_one(g, e);
    g->lowered[e] = true;
}

static void lower_reached(struct graph *g, const struct reach *r, unsigned users)
{
    for (int i = 0; i < r->list.n; i++) {
        Expr e = r->list.at[i];
        if ((r->users[e] & users) && r->node[e] && !g->lowered[e])
            graph_translate(g, e);
    }
}

/* Notes the products of two factors, one of them constant, below the given expressions. */
static void note_given(struct graph *g, int n, const Expr *e)
{
    struct { int *at; int n, cap; } stack = {0};
    unsigned char *seen = mem_grow(NULL, (size_t)g->node.n + 1, 1);
    memset(seen, 0, (size_t)g->node.n + 1);
    g->givens = g->node.n;
    g->given = mem_grow(NULL, (size_t)g->givens + 1, sizeof *g->given);
    memset(g->given, 0, (size_t)g->givens * sizeof *g->given);
    for (int i = 0; i < n; i++)
        if (!is_const(g, e[i]))
            VEC_PUSH(stack, g->memo[e[i]].node);
    while (stack.n) {
        int k = stack.at[--stack.n];
        const struct graph_node *x = &g->node.at[k];
        if (seen[k])
            continue;
        seen[k] = 1;
        g->given[k] = x->kind == GRAPH_PROD && x->n == 2 &&
                      (g->node.at[x->el[0].node].kind <= GRAPH_CONST || g->node.at[x->el[1].node].kind <= GRAPH_CONST);
        for (int i = 0; i < x->n; i++)
            VEC_PUSH(stack, x->el[i].node);
    }
    free(stack.at);
    free(seen);
}

void graph_lower(struct graph *g, int n, const Expr *e, const unsigned char *user, int given, struct ref *out)
{
    uint32_t nodes = 1;         /* what an expression is made of comes before it */
    struct reach all, first = {0};
    for (int i = 0; i < n; i++)
        nodes = e[i] < nodes ? nodes : e[i] + 1;
    reach_init(&all, nodes);
    for (int i = 0; i < n; i++)
        mark(g, e[i], user ? user[i] : 1, &all);
    reach_order(&all, nodes);
    free(g->lowered);
    g->lowered = mem_zeros(nodes, sizeof *g->lowered);
    g->memo = mem_grow(g->memo, nodes, sizeof *g->memo);
    graph_angles(g, nodes, all.list.n, all.list.at, all.users);
    if (given) {
        reach_init(&first, nodes);
        for (int i = 0; i < given; i++)
            mark(g, e[i], 1, &first);
        reach_order(&first, nodes);
        lower_reached(g, &first, 1);
        lower_reached(g, &all, 1);
        note_given(g, given, e);
    }
    lower_reached(g, &all, 0xff);
    for (int i = 0; i < n; i++)
        out[i] = lowered(g, e[i]);
    reach_fini(&all);
    reach_fini(&first);
}
