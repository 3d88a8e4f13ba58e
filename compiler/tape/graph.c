/* SPDX-License-Identifier: GPL-3.0-or-later
 * Nodes of the optimiser's graph, hash-consed by (kind, fn, leaf, elements). */
#include "tape/graph.h"

#include <stdlib.h>
#include <string.h>

void graph_init(struct graph *g, struct pool *p, struct hoist *h)
{
    memset(g, 0, sizeof *g);
    g->pool = p;
    g->hoist = h;
}

void graph_fini(struct graph *g)
{
    free(g->node.at);
    free(g->table);
    free(g->memo);
    free(g->lowered);
    free(g->given);
    arena_free(&g->arena);
}

static uint32_t node_hash(const struct graph_node *x)
{
    uint32_t h = (uint32_t)x->kind * 0x9e3779b1u + (uint32_t)x->fn * 0x85ebca6bu + x->leaf;
    for (int i = 0; i < x->n; i++) {
        h = (h ^ (2 * (uint32_t)x->el[i].node + x->el[i].neg)) * 0x9e3779b1u;
        h ^= h >> 15;
    }
    /* leaves come with neighbouring handles: spread them, or searches walk along the runs they make */
    h = (h ^ h >> 16) * 0x85ebca6bu;
    return h ^ h >> 13;
}

static bool node_same(const struct graph_node *a, const struct graph_node *b)
{
    if (a->kind != b->kind || a->fn != b->fn || a->leaf != b->leaf || a->n != b->n)
        return false;
    for (int i = 0; i < a->n; i++)
        if (a->el[i].node != b->el[i].node || a->el[i].neg != b->el[i].neg)
            return false;
    return true;
}

static void table_put(struct graph *g, int node)
{
    uint32_t i = node_hash(&g->node.at[node]) & (uint32_t)(g->table_size - 1);
    while (g->table[i] >= 0)
        i = (i + 1) & (uint32_t)(g->table_size - 1);
    g->table[i] = node;
}

static void table_grow(struct graph *g)
{
    g->table_size = g->table_size ? 2 * g->table_size : 256;
    g->table = mem_grow(g->table, (size_t)g->table_size, sizeof *g->table);
    memset(g->table, -1, (size_t)g->table_size * sizeof *g->table);
    for (int i = 0; i < g->node.n; i++)
        table_put(g, i);
}

int graph_node(struct graph *g, enum graph_kind kind, int fn, Expr leaf, int n, const struct ref *el)
{
    struct graph_node x = {kind, fn, leaf, n, (struct ref *)el};
    if (2 * (g->node.n + 1) > g->table_size)
        table_grow(g);
    uint32_t mask = (uint32_t)(g->table_size - 1), i = node_hash(&x) & mask;
    for (; g->table[i] >= 0; i = (i + 1) & mask)
        if (node_same(&g->node.at[g->table[i]], &x))
            return g->table[i];
    x.el = ARENA_NEW(&g->arena, struct ref, n ? n : 1);
    for (int k = 0; k < n; k++)
        x.el[k] = el[k];
    VEC_PUSH(g->node, x);
    return g->table[i] = g->node.n - 1;
}

int graph_find(const struct graph *g, enum graph_kind kind, int fn, Expr leaf, int n, const struct ref *el)
{
    const struct graph_node x = {kind, fn, leaf, n, (struct ref *)el};
    if (!g->table_size)
        return -1;
    uint32_t mask = (uint32_t)(g->table_size - 1), i = node_hash(&x) & mask;
    while (g->table[i] >= 0 && !node_same(&g->node.at[g->table[i]], &x))
        i = (i + 1) & mask;
    return g->table[i];
}

int graph_num(struct graph *g, Expr e)
{
    return graph_node(g, GRAPH_NUM, 0, e, 0, NULL);
}

int graph_fn(struct graph *g, enum expr_op op, int n, const struct ref *el)
{
    return graph_node(g, GRAPH_FN, (int)op, 0, n, el);
}

static int int_order(const void *a, const void *b)
{
    return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

void graph_sort(int *at, int n)
{
    static const int gap[] = {132, 57, 23, 10, 4, 1};       /* Shell's method, Ciura's gaps */
    if (n > 500) {
        qsort(at, (size_t)n, sizeof *at, int_order);
        return;
    }
    for (unsigned j = n > 10 ? 0 : 5; j < sizeof gap / sizeof *gap; j++)
        for (int i = gap[j]; i < n; i++) {
            int x = at[i], k = i;
            for (; k >= gap[j] && at[k - gap[j]] > x; k -= gap[j])
                at[k] = at[k - gap[j]];
            at[k] = x;
        }
}

static bool is_number(const struct graph *g, int node, Expr value)
{
    return g->node.at[node].kind == GRAPH_NUM && g->node.at[node].leaf == value;
}

int graph_product(struct graph *g, int n, const int *factors)
{
    if (n == 1)
        return factors[0];
    for (int i = 0; i < n; i++)
        if (is_number(g, factors[i], g->pool->zero))
            return factors[i];
    struct ref small[32], *el = n <= 32 ? small : ARENA_NEW(&g->arena, struct ref, n);
    for (int i = 0; i < n; i++) {
        int k = i;
        for (; k > 0 && el[k - 1].node > factors[i]; k--)
            el[k] = el[k - 1];
        el[k] = (struct ref){factors[i], false};
    }
    return graph_node(g, GRAPH_PROD, 0, 0, n, el);
}

static int ref_order(const void *a, const void *b)
{
    const struct ref *x = a, *y = b;
    return x->node != y->node ? (x->node > y->node) - (x->node < y->node) : (int)x->neg - (int)y->neg;
}

/* Numbers become one, x - x nothing: expressions that differ may mean the same node (a held one, what has been factored in another order).  Sorted before and
 * after. */
static int cancel(struct graph *g, int n, struct ref *s)
{
    Expr sum = g->pool->zero;
    int left = 0;
    for (int i = 0; i < n; i++) {
        const struct graph_node *x = &g->node.at[s[i].node];
        if (x->kind == GRAPH_NUM)
            sum = s[i].neg ? expr_sub(g->pool, sum, x->leaf) : expr_add(g->pool, sum, x->leaf);
        else if (left && s[left - 1].node == s[i].node && s[left - 1].neg != s[i].neg)
            left--;
        else
            s[left++] = s[i];
    }
    if (sum == g->pool->zero && left)
        return left;
    struct ref number = graph_const(g, sum);
    int at = left++;
    for (; at > 0 && s[at - 1].node > number.node; at--)
        s[at] = s[at - 1];
    s[at] = number;
    return left;
}

/* Sums are made with a positive first element, so that a and -a share. */
struct ref graph_sum(struct graph *g, int n, const struct ref *el)
{
    if (n == 1)
        return el[0];
    struct ref *s = ARENA_NEW(&g->arena, struct ref, n + 1);
    memcpy(s, el, (size_t)n * sizeof *s);
    qsort(s, (size_t)n, sizeof *s, ref_order);
    n = cancel(g, n, s);
    if (n == 1)
        return s[0];
    bool flip = s[0].neg;
    for (int i = 0; i < n; i++)
        s[i].neg ^= flip;
    return (struct ref){graph_node(g, GRAPH_SUM, 0, 0, n, s), flip};
}

/* Of e and -e one is: a sum by its first coefficient, a multiple of a sum by both. */
static bool is_negative(const struct pool *p, Expr e)
{
    Expr c, term;
    if (expr_is_num(p, e))
        return expr_value(p, e) < 0;
    if (expr_op(p, e) != EXPR_ADD)
        return false;
    term = expr_pair(p, e, 0, &c);
    bool multiple = expr_pairs(p, e) == 1 && expr_const(p, e) == p->zero;
    return (expr_value(p, c) < 0) != (multiple && is_negative(p, term));
}

/* c-index of a parameter expression. */
static int hoist_put(struct hoist *h, Expr e)
{
    if (expr_op(h->pool, e) == EXPR_SYM)
        return expr_symbol(h->pool, e)->index;
    if (2 * (h->value.n + 1) > h->table_size) {
        h->table_size = h->table_size ? 2 * h->table_size : 64;
        h->table = mem_grow(h->table, (size_t)h->table_size, sizeof *h->table);
        memset(h->table, 0, (size_t)h->table_size * sizeof *h->table);
        for (int k = 0; k < h->value.n; k++) {
            uint32_t i = h->value.at[k] * 0x9e3779b1u & (uint32_t)(h->table_size - 1);
            while (h->table[i])
                i = (i + 1) & (uint32_t)(h->table_size - 1);
            h->table[i] = (Expr)k + 1;
        }
    }
    uint32_t i = e * 0x9e3779b1u & (uint32_t)(h->table_size - 1);
    for (; h->table[i]; i = (i + 1) & (uint32_t)(h->table_size - 1))
        if (h->value.at[h->table[i] - 1] == e)
            return h->params + (int)h->table[i] - 1;
    VEC_PUSH(h->value, e);
    h->table[i] = (Expr)h->value.n;
    return h->params + h->value.n - 1;
}

int graph_hoist(struct graph *g, Expr e)
{
    return hoist_put(g->hoist, e);
}

struct ref graph_const(struct graph *g, Expr e)
{
    bool neg = is_negative(g->pool, e);
    if (neg)
        e = expr_neg(g->pool, e);
    if (expr_is_num(g->pool, e))
        return (struct ref){graph_num(g, e), neg};
    /* leaf: the expression, for folding a number into it later */
    return (struct ref){graph_node(g, GRAPH_CONST, hoist_put(g->hoist, e), e, 0, NULL), neg};
}

void hoist_init(struct hoist *h, struct pool *p, int params)
{
    *h = (struct hoist){.pool = p, .params = params};
}

void hoist_fini(struct hoist *h)
{
    free(h->value.at);
    free(h->table);
}
