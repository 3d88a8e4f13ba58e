/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Random expressions for the tests of the symbolic core.  Each comes with its value, computed on the side
 * in 128-bit numbers from the operations as they were asked for, before any canonical form.
 */
#ifndef EXPR_RANDOM_H
#define EXPR_RANDOM_H
#include "expr/expr.h"
#include <quadmath.h>
#include <stdint.h>

typedef __float128 quad;
enum { VARS = 4 };

struct random {
    uint64_t seed;
    struct pool *pool;
    Expr var[VARS];
    quad at[VARS];              /* the values of the variables */
    int fn;                     /* an extern function of two arguments */
    struct { Expr e; quad v; } seen[64];
    int nseen;
    quad largest;               /* magnitude of any intermediate value; infinite at the edge of a domain */
};
struct rexpr {
    Expr e;
    quad v;
};

static inline uint64_t random_bits(struct random *r)
{
    uint64_t z = (r->seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline int random_below(struct random *r, int n)
{
    return (int)(random_bits(r) % (uint64_t)n);
}

static inline double random_unit(struct random *r)
{
    return (double)(random_bits(r) >> 11) * 0x1p-53;
}

/* A new pool with variables of four kinds at random places in [-2, 2]. */
static inline void random_reset(struct random *r)
{
    static const enum sym_kind kind[VARS] = {SYM_Q, SYM_V, SYM_TIME, SYM_PARAM};
    static const char *const name[VARS] = {"x", "x'", "t", "p"};
    pool_free(r->pool);
    r->pool = pool_new();
    for (int k = 0; k < VARS; k++) {
        r->var[k] = expr_sym(r->pool, kind[k], 0, name[k]);
        r->at[k] = 4 * random_unit(r) - 2;
    }
    r->fn = expr_fn_new(r->pool, "wave", 2, NULL);
    r->nseen = 0;
}

static inline void random_start(struct random *r)
{
    r->nseen = 0;
    r->largest = 0;
}

/* wave(x, y) = sin(x) exp(y/2) and its derivatives, for any kind of number. */
#define RANDOM_WAVE(f, x, y, SIN, COS, EXP)                                                                \
    (((f)->orders[0] % 2 ? COS(x) : SIN(x)) * ((f)->orders[0] % 4 >= 2 ? -1 : 1) * EXP((y) / 2) /          \
     (double)(1 << (f)->orders[1]))

static inline struct rexpr random_expr(struct random *r, int depth);

static inline struct rexpr random_leaf(struct random *r)
{
    int k = random_below(r, VARS), n;
    double d;
    switch (random_below(r, 8)) {
    case 0:
        n = random_below(r, 19) - 9;
        return (struct rexpr){expr_rational(r->pool, n, 4 + n % 3), (quad)n / (4 + n % 3)};
    case 1:
        d = 4 * random_unit(r) - 2;
        return (struct rexpr){expr_double(r->pool, d), d};
    default:
        return (struct rexpr){r->var[k], r->at[k]};
    }
}

static inline struct rexpr random_condition(struct random *r, int depth)
{
    struct pool *p = r->pool;
    struct rexpr a = random_expr(r, depth - 1), b = random_expr(r, depth - 1);
    switch (random_below(r, 6)) {
    case 0: return (struct rexpr){expr_fn2(p, EXPR_LT, a.e, b.e), a.v < b.v};
    case 1: return (struct rexpr){expr_fn2(p, EXPR_LE, a.e, b.e), a.v <= b.v};
    case 2: return (struct rexpr){expr_fn2(p, EXPR_EQ, a.e, b.e), a.v == b.v};
    case 3: return (struct rexpr){expr_fn2(p, EXPR_AND, a.e, b.e), a.v != 0 && b.v != 0};
    case 4: return (struct rexpr){expr_fn2(p, EXPR_OR, a.e, b.e), a.v != 0 || b.v != 0};
    default: return (struct rexpr){expr_fn1(p, EXPR_NOT, expr_fn2(p, EXPR_LT, a.e, b.e)), !(a.v < b.v)};
    }
}

static inline struct rexpr random_function(struct random *r, enum expr_op op, struct rexpr a)
{
    quad v = 0, x = a.v, y = 0;
    (void)y;
    switch (op) {
#define M(name) name##q
#define OP(name, text, args, c, calls) case EXPR_##name: break;
#define TEST(name, text, args, symmetry, latex, value) case EXPR_##name: break;
#define FUNCTION(name, text, args, c, symmetry, calls, price, latex, units, domain, value, by_x, by_y) case EXPR_##name: v = value; break;
#include "mbs/ops.def"
#undef M
#undef OP
#undef TEST
#undef FUNCTION
    }
    return (struct rexpr){expr_fn1(r->pool, op, a.e), v};
}

static inline struct rexpr random_operation(struct random *r, int depth)
{
    struct pool *p = r->pool;
    enum expr_op fn[EXPR_OPS];
    int functions = 0;
    for (int op = 0; op < EXPR_OPS; op++)
        if (op_info[op].units != UNITS_NONE && op_info[op].args == 1)
            fn[functions++] = (enum expr_op)op;
    int which = random_below(r, functions + 25) - functions + 13, n = random_below(r, 9) - 4;     /* below 13: a function */
    struct rexpr a = random_expr(r, depth - 1), b, c;
    enum expr_op function = which < 13 ? fn[12 - which] : EXPR_NUM;
    bool edge = ((function == EXPR_ASIN || function == EXPR_ACOS) && fabsq(a.v) == 1) ||
                ((which == 13 || which == 15) && a.v == 0) || (which == 32 && a.v <= 0) || (which == 33 && a.v == 0);
    if (edge)
        r->largest = HUGE_VALQ;
    if (which < 13)
        return random_function(r, function, a);
    if (which == 13)
        return (struct rexpr){expr_sqrt(p, a.e), sqrtq(a.v)};
    if (which == 14)
        return (struct rexpr){expr_powi(p, a.e, n), powq(a.v, n)};
    if (which == 15)
        return (struct rexpr){expr_pow(p, a.e, expr_rational(p, n, 3)), powq(a.v, (quad)n / 3)};
    if (which == 16)
        return (struct rexpr){expr_neg(p, a.e), -a.v};
    if (which == 17)
        return (struct rexpr){expr_hold(p, a.e), a.v};
    b = random_expr(r, depth - 1);
    if (which < 23)
        return (struct rexpr){expr_add(p, a.e, b.e), a.v + b.v};
    if (which < 26)
        return (struct rexpr){expr_sub(p, a.e, b.e), a.v - b.v};
    if (which < 31)
        return (struct rexpr){expr_mul(p, a.e, b.e), a.v * b.v};
    if (which == 31)
        return (struct rexpr){expr_div(p, a.e, b.e), a.v / b.v};
    if (which == 32)
        return (struct rexpr){expr_pow(p, a.e, b.e), powq(a.v, b.v)};
    if (which == 33)
        return (struct rexpr){expr_fn2(p, EXPR_ATAN2, a.e, b.e), atan2q(a.v, b.v)};
    if (which == 34)
        return (struct rexpr){expr_fn2(p, EXPR_MIN, a.e, b.e), a.v <= b.v ? a.v : b.v};
    if (which == 35)
        return (struct rexpr){expr_fn2(p, EXPR_MAX, a.e, b.e), a.v >= b.v ? a.v : b.v};
    if (which == 36) {
        const struct fn *f = &p->fn[r->fn];
        return (struct rexpr){expr_call(p, r->fn, (Expr[]){a.e, b.e}), RANDOM_WAVE(f, a.v, b.v, sinq, cosq, expq)};
    }
    c = random_condition(r, depth - 1);
    return (struct rexpr){expr_if(p, c.e, a.e, b.e), c.v != 0 ? a.v : b.v};
}

/* Depth 0 gives a leaf.  Earlier subexpressions are taken again at times: expressions are DAGs. */
static inline struct rexpr random_expr(struct random *r, int depth)
{
    if (depth <= 0)
        return random_leaf(r);
    if (r->nseen && random_below(r, 6) == 0) {
        int k = random_below(r, r->nseen);
        return (struct rexpr){r->seen[k].e, r->seen[k].v};
    }
    struct rexpr x = random_operation(r, depth - random_below(r, 2));
    if (!(fabsq(x.v) <= r->largest))
        r->largest = isnanq(x.v) ? HUGE_VALQ : fabsq(x.v);
    if (r->nseen < 64) {
        r->seen[r->nseen].e = x.e;
        r->seen[r->nseen++].v = x.v;
    }
    return x;
}
#endif
