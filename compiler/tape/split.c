/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sums and products as terms constant * varying part: m1*x + m2*x costs one multiplication by the hoisted m1 + m2.
 */
#include "tape/graph.h"

#include <stdlib.h>
#include <string.h>

struct split_memo {
    struct arena arena;
    struct split_terms **at;        /* by handle; NULL where not asked for yet */
    uint32_t cap;
};

static bool is_const(const struct pool *p, Expr e, bool hoist)
{
    unsigned deps = expr_deps(p, e);
    return deps == 0 ? expr_is_num(p, e) || hoist : hoist && deps == DEP(SYM_PARAM);
}

/* Split a term into its parameter part and the factors that vary. */
static Expr split_term(struct pool *p, Expr e, bool hoist, Expr *varying)
{
    if (is_const(p, e, hoist)) {
        *varying = p->one;
        return e;
    }
    *varying = e;
    if (expr_op(p, e) != EXPR_MUL || !hoist || !(expr_deps(p, e) & DEP(SYM_PARAM)))
        return p->one;
    int n = expr_pairs(p, e), nc = 0, nv = 0;
    Expr room[64], *tmp = 4 * n <= 64 ? room : mem_grow(NULL, 4 * (size_t)n, sizeof *tmp);
    Expr *cb = tmp, *ce = tmp + n, *vb = tmp + 2 * n, *ve = tmp + 3 * n;
    for (int i = 0; i < n; i++) {
        Expr x, b = expr_pair(p, e, i, &x);
        if (is_const(p, b, hoist))
            cb[nc] = b, ce[nc++] = x;
        else
            vb[nv] = b, ve[nv++] = x;
    }
    Expr c = p->one;
    if (nc) {
        c = expr_powers(p, nc, cb, ce);
        *varying = expr_powers(p, nv, vb, ve);
    }
    if (tmp != room)
        free(tmp);
    return c;
}

static int split_order(const void *a, const void *b)
{
    const struct split *x = a, *y = b;
    if (x->varying != y->varying)
        return x->varying < y->varying ? -1 : 1;
    return x->order - y->order;
}

static void sort(struct split *s, int n)
{
    if (n > 16) {
        qsort(s, (size_t)n, sizeof *s, split_order);
        return;
    }
    for (int i = 1; i < n; i++) {
        struct split x = s[i];
        int k = i;
        for (; k > 0 && split_order(&s[k - 1], &x) > 0; k--)
            s[k] = s[k - 1];
        s[k] = x;
    }
}

/* Add up the constants of terms with the same varying part; returns how many terms are left. */
static int merge(struct pool *p, struct split *s, int n)
{
    int terms = 0;
    Expr *c = NULL;
    for (int i = 0, j; i < n; i = j) {
        struct split x = s[i];
        for (j = i + 1; j < n && s[j].varying == x.varying;)
            j++;
        if (j - i > 1) {
            c = c ? c : mem_grow(NULL, (size_t)n, sizeof *c);
            for (int k = i; k < j; k++)
                c[k - i] = s[k].c;
            x.c = expr_sum(p, j - i, c);
        }
        if (x.c != p->zero)
            s[terms++] = x;
    }
    free(c);
    return terms;
}

static struct split_terms *make(struct pool *p, struct arena *arena, Expr e, bool hoist)
{
    bool sum = expr_op(p, e) == EXPR_ADD;
    int n = sum ? expr_pairs(p, e) : 0, m = 0;
    struct split_terms *t = arena_alloc(arena, sizeof *t + ((size_t)n + 1) * sizeof *t->at);
    if (!sum) {
        t->n = 1;
        t->at[0].c = split_term(p, e, hoist, &t->at[0].varying);
        return t;
    }
    Expr c0 = expr_const(p, e);
    if (c0 != p->zero)
        t->at[m] = (struct split){p->one, c0, m}, m++;
    for (int i = 0; i < n; i++) {
        Expr k, v, term = expr_pair(p, e, i, &k), c = split_term(p, term, hoist, &v);
        t->at[m] = (struct split){v, c == p->one ? k : expr_mul(p, k, c), m};
        m++;
    }
    sort(t->at, m);
    t->n = merge(p, t->at, m);
    return t;
}

static void memo_free(void *memo)
{
    struct split_memo *m = memo;
    arena_free(&m->arena);
    free(m->at);
    free(m);
}

const struct split_terms *split_terms(struct pool *p, Expr e, bool hoist)
{
    struct split_memo *memo = p->memo;
    if (!memo) {
        memo = mem_grow(NULL, 1, sizeof *memo);
        memset(memo, 0, sizeof *memo);
        p->memo = memo;
        p->memo_free = memo_free;
    }
    if (!hoist)
        return make(p, &memo->arena, e, false);
    if (e >= memo->cap) {
        memo->at = mem_grow(memo->at, p->node_cap, sizeof *memo->at);
        memset(memo->at + memo->cap, 0, (p->node_cap - memo->cap) * sizeof *memo->at);
        memo->cap = p->node_cap;
    }
    struct split_terms *t = memo->at[e];
    if (!t) {
        t = make(p, &memo->arena, e, true);
        memo->at[e] = t;
    }
    return t;
}
