/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Trigonometric normal form: what an expert writes by hand.
 *
 * In a plane every position is a sum of coefficient * e^(i angle), the angles being combinations of
 * coordinates; its energy is a sum over monomials in the other quantities and over angle combinations.
 * Multiplying out with product-to-sum and collecting makes equal angles cancel: |d/dt (a e^(ix) +
 * b e^(i(x+y)))|^2 has only cos(y) left.  The result may also be larger than the factored form (in space it
 * usually is), so the caller compares costs.
 */
#include "base/arena.h"
#include "expr/expr.h"

#include <stdlib.h>
#include <string.h>

enum { CONE_LIMIT = 4000, POWER_LIMIT = 8 };

struct trig_term {
    Expr mono;      /* product of varying factors without sine or cosine of its own; or 1 */
    Expr trig;      /* a sine, a cosine, or 1 */
    Expr coef;      /* numbers and parameters */
};
struct poly {
    struct trig_term *at;
    int n;
};
struct trig {
    struct pool *p;
    struct arena arena;
    struct poly *poly;      /* by Expr; at == NULL: not made */
    int limit;
    bool failed;
};

static bool is_coef(const struct pool *p, Expr e)
{
    return (expr_deps(p, e) & ~DEP(SYM_PARAM)) == 0;
}

static int term_order(const void *a, const void *b)
{
    const struct trig_term *x = a, *y = b;
    if (x->mono != y->mono)
        return x->mono < y->mono ? -1 : 1;
    return (x->trig > y->trig) - (x->trig < y->trig);
}

/* Sort, add up like terms, check the limit. */
static struct poly collect(struct trig *t, struct trig_term *at, int n)
{
    int m = 0;
    qsort(at, (size_t)n, sizeof *at, term_order);
    for (int i = 0; i < n;) {
        struct trig_term x = at[i];
        int j = i + 1;
        while (j < n && at[j].mono == x.mono && at[j].trig == x.trig)
            x.coef = expr_add(t->p, x.coef, at[j++].coef);
        i = j;
        if (x.coef != t->p->zero)
            at[m++] = x;
    }
    if (m > t->limit)
        t->failed = true;
    return (struct poly){arena_copy(&t->arena, at, (size_t)m * sizeof *at), m};
}

static struct poly single(struct trig *t, Expr mono, Expr trig, Expr coef)
{
    struct trig_term x = {mono, trig, coef};
    return (struct poly){arena_copy(&t->arena, &x, sizeof x), 1};
}

/* coef/2 * sin or cos(angle) of a product-to-sum, as a term. */
static struct trig_term half_term(struct trig *t, Expr mono, Expr coef, enum expr_op op, Expr angle, bool minus)
{
    struct pool *p = t->p;
    Expr f = expr_fn1(p, op, angle), k;
    coef = expr_mul(p, coef, p->half);
    if (minus)
        coef = expr_neg(p, coef);
    if (expr_is_num(p, f))
        return (struct trig_term){mono, p->one, expr_mul(p, coef, f)};
    if (expr_op(p, f) == EXPR_ADD) {        /* -sin(-angle) */
        f = expr_pair(p, f, 0, &k);
        coef = expr_mul(p, coef, k);
    }
    return (struct trig_term){mono, f, coef};
}

static int term_product(struct trig *t, struct trig_term a, struct trig_term b, struct trig_term out[2])
{
    struct pool *p = t->p;
    Expr mono = expr_mul(p, a.mono, b.mono), coef = expr_mul(p, a.coef, b.coef);
    if (a.trig == p->one || b.trig == p->one) {
        out[0] = (struct trig_term){mono, a.trig == p->one ? b.trig : a.trig, coef};
        return 1;
    }
    bool sa = expr_op(p, a.trig) == EXPR_SIN, sb = expr_op(p, b.trig) == EXPR_SIN;
    if (!sa && sb) {
        struct trig_term c = a;
        a = b;
        b = c;
        sa = true;
        sb = false;
    }
    Expr x = expr_arg(p, a.trig, 0), y = expr_arg(p, b.trig, 0);
    Expr sum = expr_add(p, x, y), diff = expr_sub(p, x, y);
    enum expr_op op = sa != sb ? EXPR_SIN : EXPR_COS;
    out[0] = half_term(t, mono, coef, op, diff, false);
    out[1] = half_term(t, mono, coef, op, sum, sa && sb);
    return 2;
}

static struct poly product(struct trig *t, struct poly a, struct poly b)
{
    if ((long)a.n * b.n > 4L * t->limit) {
        t->failed = true;
        return a;
    }
    struct trig_term *at = mem_grow(NULL, 2 * (size_t)(a.n * b.n) + 2, sizeof *at);
    int n = 0;
    for (int i = 0; i < a.n; i++)
        for (int j = 0; j < b.n; j++)
            n += term_product(t, a.at[i], b.at[j], at + n);
    struct poly r = collect(t, at, n);
    free(at);
    return r;
}

static struct poly poly_of(struct trig *t, Expr e)
{
    return is_coef(t->p, e) ? single(t, t->p->one, t->p->one, e) : t->poly[e];
}

static struct poly make_sum(struct trig *t, Expr e)
{
    struct pool *p = t->p;
    struct { struct trig_term *at; int n, cap; } v = {0};
    if (expr_const(p, e) != p->zero) {
        struct trig_term c = {p->one, p->one, expr_const(p, e)};
        VEC_PUSH(v, c);
    }
    for (int i = 0; i < expr_pairs(p, e); i++) {
        Expr k, x = expr_pair(p, e, i, &k);
        struct poly q = poly_of(t, x);
        for (int j = 0; j < q.n; j++) {
            struct trig_term y = q.at[j];
            y.coef = expr_mul(p, y.coef, k);
            VEC_PUSH(v, y);
        }
    }
    struct poly r = collect(t, v.at, v.n);
    free(v.at);
    return r;
}

static struct poly make_product(struct trig *t, Expr e)
{
    struct pool *p = t->p;
    struct poly r = single(t, p->one, p->one, p->one);
    for (int i = 0; i < expr_pairs(p, e) && !t->failed; i++) {
        Expr x, b = expr_pair(p, e, i, &x);
        int64_t n;
        if (is_coef(p, b)) {
            r = product(t, r, single(t, p->one, p->one, expr_powers(p, 1, &b, &x)));
        } else if (expr_is_int(p, x, &n) && n > 0 && n <= POWER_LIMIT) {
            while (n-- > 0 && !t->failed)
                r = product(t, r, t->poly[b]);
        } else {
            r = product(t, r, single(t, expr_powers(p, 1, &b, &x), p->one, p->one));
        }
    }
    return r;
}

static struct poly make(struct trig *t, Expr e)
{
    enum expr_op op = expr_op(t->p, e);
    if (op == EXPR_SIN || op == EXPR_COS)
        return single(t, t->p->one, e, t->p->one);
    switch (op) {
    case EXPR_ADD:
        return make_sum(t, e);
    case EXPR_MUL:
        return make_product(t, e);
    case EXPR_HOLD:
        return poly_of(t, expr_arg(t->p, e, 0));
#include "expr/function_cases.inc"
#include "expr/test_cases.inc"
    case EXPR_NUM: case EXPR_SYM: case EXPR_POW: case EXPR_IF: case EXPR_CALL:
        return single(t, e, t->p->one, t->p->one);
    }
    abort();
}

static bool is_opened(enum expr_op op)
{
    return op == EXPR_ADD || op == EXPR_MUL || op == EXPR_HOLD;
}

static int expr_order(const void *a, const void *b)
{
    return (*(const Expr *)a > *(const Expr *)b) - (*(const Expr *)a < *(const Expr *)b);
}

/* The nodes that are multiplied out, operands first; -1 if there are too many. */
static int cone(const struct pool *p, Expr root, unsigned char *seen, Expr *list)
{
    struct { Expr *at; int n, cap; } stack = {0};
    int n = 0;
    VEC_PUSH(stack, root);
    while (stack.n && n < CONE_LIMIT) {
        Expr e = stack.at[--stack.n];
        if (seen[e] || is_coef(p, e))
            continue;
        seen[e] = 1;
        list[n++] = e;
        for (int i = 0; is_opened(expr_op(p, e)) && i < expr_args(p, e); i++)
            VEC_PUSH(stack, expr_arg(p, e, i));
    }
    free(stack.at);
    qsort(list, (size_t)n, sizeof *list, expr_order);
    return n < CONE_LIMIT ? n : -1;
}

Expr trig_normal(struct pool *p, Expr e, int limit)
{
    if (is_coef(p, e))
        return e;
    struct trig t = {.p = p, .limit = limit};
    uint32_t nodes = p->nodes;
    unsigned char *seen = mem_zeros(nodes, 1);
    Expr *list = mem_grow(NULL, CONE_LIMIT, sizeof *list), result = 0;
    int n = cone(p, e, seen, list);
    free(seen);
    t.poly = mem_zeros(nodes, sizeof *t.poly);
    for (int i = 0; i < n && !t.failed; i++)
        t.poly[list[i]] = make(&t, list[i]);
    if (n > 0 && !t.failed) {
        struct poly r = t.poly[e];
        Expr *term = mem_grow(NULL, (size_t)r.n + 1, sizeof *term);
        for (int i = 0; i < r.n; i++)
            term[i] = expr_product(p, 3, (Expr[]){r.at[i].coef, r.at[i].mono, r.at[i].trig});
        result = expr_sum(p, r.n, term);
        free(term);
    }
    free(list);
    free(t.poly);
    arena_free(&t.arena);
    return result;
}
