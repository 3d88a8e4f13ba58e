/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sines and cosines of sums from those of the parts.
 *
 * A call of sincos costs about forty multiplications, an addition theorem six operations.  Among all
 * angles of a function (integer combinations of symbols, and of products of symbols such as Omega*t)
 * those that are sum or difference of two simpler ones, or of a simpler one and a constant, are computed
 * from them; the others call sin and cos.
 */
#include "tape/graph.h"

#include <stdlib.h>
#include <string.h>

struct trig_memo {
    Expr angle;
    int weight;             /* sum of |coefficients|; parts weigh less than what is made of them */
    int part, other;        /* angle = part + other or part - other; -1: called */
    Expr fixed;             /* angle = part + fixed, a constant */
    bool minus;
    bool done;
    unsigned char users;
    struct ref sin, cos;
};

enum { ATTEMPTS = 200000 };     /* bounds the search for very many angles */

static bool is_atom(const struct pool *p, Expr e)
{
    Expr x;
    if (expr_op(p, e) == EXPR_SYM)
        return true;
    if (expr_op(p, e) != EXPR_MUL)
        return false;
    for (int i = 0; i < expr_pairs(p, e); i++)
        if (expr_op(p, expr_pair(p, e, i, &x)) != EXPR_SYM)
            return false;
    return true;
}

/* Weight of an integer combination of atoms, 0 for anything else. */
static int angle_weight(const struct pool *p, Expr e)
{
    if (is_atom(p, e))
        return 1;
    if (expr_op(p, e) != EXPR_ADD || !expr_is_num(p, expr_const(p, e)))
        return 0;
    int64_t w = 0, k;
    for (int i = 0; i < expr_pairs(p, e); i++) {
        Expr c, t = expr_pair(p, e, i, &c);
        if (!is_atom(p, t) || !expr_is_int(p, c, &k) || llabs(k) > 1000)
            return 0;
        w += llabs(k);
    }
    return w > 100000 ? 0 : (int)w + (expr_const(p, e) != p->zero);
}

static int memo_order(const void *a, const void *b)
{
    Expr x = ((const struct trig_memo *)a)->angle, y = ((const struct trig_memo *)b)->angle;
    return (x > y) - (x < y);
}

static int find(const struct graph *g, Expr angle)
{
    int lo = 0, hi = g->angles;
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (g->trig[mid].angle < angle)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < g->angles && g->trig[lo].angle == angle ? lo : -1;
}

/* The part of a sum that does not vary. */
static Expr fixed_part(const struct graph *g, Expr e)
{
    struct pool *p = g->pool;
    if (expr_op(p, e) != EXPR_ADD)
        return p->zero;
    Expr sum = expr_const(p, e);
    for (int i = 0; i < expr_pairs(p, e); i++) {
        Expr c, t = expr_pair(p, e, i, &c);
        if (g->hoist && expr_deps(p, t) == DEP(SYM_PARAM))
            sum = expr_add(p, sum, expr_mul(p, c, t));
    }
    return sum;
}

/* Is b at hand wherever the angle m is needed often? */
static bool at_hand(const struct trig_memo *b, const struct trig_memo *m)
{
    return !(m->users & ~b->users & (USER_RARELY - 1));
}

/* Does the angle m come from two simpler ones? */
static void split(struct graph *g, struct trig_memo *m, const int *by_weight, int simpler, int *attempts)
{
    struct pool *p = g->pool;
    Expr fixed = fixed_part(g, m->angle);
    int k;
    if (fixed != p->zero && (k = find(g, expr_sub(p, m->angle, fixed))) >= 0 && at_hand(&g->trig[k], m)) {
        m->part = k;
        m->fixed = fixed;
        return;
    }
    for (int i = 0; i < simpler && (*attempts)++ < ATTEMPTS; i++) {
        const struct trig_memo *b = &g->trig[by_weight[i]];
        if (!at_hand(b, m))
            continue;
        Expr rest = expr_sub(p, m->angle, b->angle);
        bool minus = false;
        if ((k = find(g, rest)) < 0)
            minus = (k = find(g, expr_neg(p, rest))) >= 0;
        if (k >= 0 && g->trig[k].weight < m->weight && at_hand(&g->trig[k], m)) {
            m->part = by_weight[i];
            m->other = k;
            m->minus = minus;
            return;
        }
    }
}

static struct ref times(struct graph *g, struct ref a, struct ref b)
{
    return (struct ref){graph_product(g, 2, (int[]){a.node, b.node}), a.neg != b.neg};
}

static struct ref plus(struct graph *g, struct ref a, struct ref b, bool minus)
{
    b.neg ^= minus;
    return graph_sum(g, 2, (struct ref[]){a, b});
}

static void lower_angle(struct graph *g, Expr e)
{
    struct pool *p = g->pool;
    for (int i = 0; i < expr_args(p, e); i++) {
        Expr a = expr_arg(p, e, i);
        if (!expr_is_num(p, a) && !g->lowered[a])
            lower_angle(g, a);
    }
    graph_translate(g, e);
}

static void build(struct graph *g, struct trig_memo *m)
{
    if (m->done)
        return;
    m->done = true;
    if (m->part < 0) {
        lower_angle(g, m->angle);
        struct ref a = g->memo[m->angle], b = a;
        m->sin = graph_apply(g, EXPR_SIN, 1, &a);
        m->cos = graph_apply(g, EXPR_COS, 1, &b);
        return;
    }
    struct trig_memo *x = &g->trig[m->part];
    struct ref s, c;
    build(g, x);
    if (m->other >= 0) {
        build(g, &g->trig[m->other]);
        s = g->trig[m->other].sin;
        c = g->trig[m->other].cos;
    } else {
        s = graph_const(g, expr_fn1(g->pool, EXPR_SIN, m->fixed));
        c = graph_const(g, expr_fn1(g->pool, EXPR_COS, m->fixed));
    }
    if (m->other == m->part && !m->minus) {     /* sin 2x = 2 sin x cos x, cos 2x = 1 - 2 sin^2 x */
        struct ref two = {graph_num(g, g->pool->two), false}, one = {graph_num(g, g->pool->one), false};
        m->sin = (struct ref){graph_product(g, 3, (int[]){two.node, s.node, c.node}), s.neg != c.neg};
        m->cos = plus(g, one, (struct ref){graph_product(g, 3, (int[]){two.node, s.node, s.node}), false}, true);
        return;
    }
    struct ref cs = times(g, x->cos, s), sc = times(g, x->sin, c);      /* nodes count from the first that is made */
    m->sin = plus(g, sc, cs, m->minus);
    struct ref ss = times(g, x->sin, s), cc = times(g, x->cos, c);
    m->cos = plus(g, cc, ss, !m->minus);
}

struct weighed {
    int weight, index;
};

static int weight_order(const void *a, const void *b)
{
    const struct weighed *x = a, *y = b;
    return x->weight != y->weight ? x->weight - y->weight : x->index - y->index;
}

/* Indices of the angles, simplest first. */
static int *order_by_weight(const struct graph *g)
{
    struct weighed *w = mem_grow(NULL, (size_t)g->angles + 1, sizeof *w);
    int *order = mem_grow(NULL, (size_t)g->angles + 1, sizeof *order);
    for (int i = 0; i < g->angles; i++)
        w[i] = (struct weighed){g->trig[i].weight, i};
    qsort(w, (size_t)g->angles, sizeof *w, weight_order);
    for (int i = 0; i < g->angles; i++)
        order[i] = w[i].index;
    free(w);
    return order;
}

void graph_angles(struct graph *g, uint32_t nodes, int n, const Expr *reached, const unsigned char *users)
{
    struct pool *p = g->pool;
    struct { struct trig_memo *at; int n, cap; } v = {0};
    unsigned char *seen = mem_zeros(nodes, 1);  /* the users of an angle */
    for (int i = 0; i < n; i++) {
        Expr e = reached[i];
        if (expr_op(p, e) != EXPR_SIN && expr_op(p, e) != EXPR_COS)
            continue;
        Expr a = expr_arg(p, e, 0);
        int w = angle_weight(p, a);
        bool again = seen[a];
        seen[a] |= users[e];
        if (again || !w)
            continue;
        struct trig_memo m = {.angle = a, .weight = w, .part = -1, .other = -1};
        VEC_PUSH(v, m);
    }
    for (int i = 0; i < v.n; i++)
        v.at[i].users = seen[v.at[i].angle];
    free(seen);
    g->angles = v.n;
    g->trig = arena_copy(&g->arena, v.at, (size_t)v.n * sizeof *v.at);
    free(v.at);
    qsort(g->trig, (size_t)g->angles, sizeof *g->trig, memo_order);
    int *order = order_by_weight(g), attempts = 0;
    for (int i = 0; i < g->angles; i++)
        if (g->trig[order[i]].weight > 1)
            split(g, &g->trig[order[i]], order, i, &attempts);
    for (int i = 0; i < g->angles; i++)
        build(g, &g->trig[order[i]]);
    free(order);
}

bool graph_trig(struct graph *g, enum expr_op op, Expr angle, struct ref *out)
{
    int k = find(g, angle);
    if (k < 0)
        return false;
    *out = op == EXPR_SIN ? g->trig[k].sin : g->trig[k].cos;
    return true;
}

Expr graph_trig_meaning(const struct graph *g, int node)
{
    for (int k = 0; k < g->angles; k++)
        if (g->trig[k].sin.node == node && !g->trig[k].sin.neg)
            return expr_fn1(g->pool, EXPR_SIN, g->trig[k].angle);
        else if (g->trig[k].cos.node == node && !g->trig[k].cos.neg)
            return expr_fn1(g->pool, EXPR_COS, g->trig[k].angle);
    return 0;
}
