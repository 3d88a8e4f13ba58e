/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Derivatives on the DAG.
 *
 * All three ways of differentiating (sparse forward, along a direction, reverse) visit each node of the
 * cone once, from low handles to high ones or back, and rest on two functions: node_partial(), the
 * derivative of a node with respect to one of its operands, and node_chain(), which puts the derivatives
 * of the operands together.  Nothing is expanded: a derivative is made of the nodes that are there.
 *
 * Operands that count here: the terms of a sum, the bases of a product, the arguments of anything else.
 * Where a function has a corner (abs, min, max, if) the derivative is the one of the branch that the
 * value is taken from; sign and the comparisons have derivative 0.
 */
#include "base/arena.h"
#include "expr/cone.h"
#include "expr/expr.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct { Expr *at; int n, cap; } Exprs;

static int node_operands(const struct pool *p, Expr e)
{
    enum expr_op op = expr_op(p, e);
    return op == EXPR_ADD || op == EXPR_MUL ? expr_pairs(p, e) : expr_args(p, e);
}

static Expr node_operand(const struct pool *p, Expr e, int k)
{
    Expr with;
    enum expr_op op = expr_op(p, e);
    return op == EXPR_ADD || op == EXPR_MUL ? expr_pair(p, e, k, &with) : expr_arg(p, e, k);
}

/* d(b1^e1 * b2^e2 * ...)/d bk = ek * bk^(ek - 1) * the others. */
static Expr product_partial(struct pool *p, Expr e, int k)
{
    int n = expr_pairs(p, e);
    Expr small[16], *base = n <= 8 ? small : mem_grow(NULL, 2 * (size_t)n, sizeof *base);
    Expr *exponent = base + n;
    for (int i = 0; i < n; i++)
        base[i] = expr_pair(p, e, i, &exponent[i]);
    Expr factor = exponent[k];
    exponent[k] = expr_sub(p, exponent[k], p->one);
    Expr d = expr_mul(p, factor, expr_powers(p, n, base, exponent));
    if (base != small)
        free(base);
    return d;
}

static Expr power_partial(struct pool *p, Expr base, Expr exponent, int k)
{
    if (k == 1)
        return expr_mul(p, expr_fn1(p, EXPR_LOG, base), expr_pow(p, base, exponent));
    return expr_mul(p, exponent, expr_pow(p, base, expr_sub(p, exponent, p->one)));
}

static Expr call_partial(struct pool *p, Expr e, int k)
{
    Expr args[FN_ARGS];
    int n = expr_args(p, e), fn = expr_call_fn(p, e);
    for (int i = 0; i < n; i++)
        args[i] = expr_arg(p, e, i);
    return expr_call(p, expr_fn_diff(p, fn, k), args);
}

/* The condition under which a choice takes its first alternative, 0 if e is no choice; operands `first`
 * and first + 1 are the alternatives.  min takes the first of equal ones, and so does max. */
static Expr choice_condition(struct pool *p, Expr e, int *first)
{
    enum expr_op op = expr_op(p, e);
    if (op != EXPR_IF && op != EXPR_MIN && op != EXPR_MAX)
        return 0;
    Expr a = expr_arg(p, e, 0), b = expr_arg(p, e, 1);
    *first = op == EXPR_IF;
    return op == EXPR_IF ? a : op == EXPR_MIN ? expr_fn2(p, EXPR_LE, a, b) : expr_fn2(p, EXPR_LE, b, a);
}

/* The derivative of a function by operand k, as ops.def says it. */
#define ZERO p->zero
#define ONE p->one
#define NUMBER(k) expr_double(p, k)
#define PLUS(a, b) expr_add(p, a, b)
#define MINUS(a, b) expr_add(p, a, expr_neg(p, b))
#define TIMES(a, b) expr_mul(p, a, b)
#define OVER(a, b) expr_div(p, a, b)
#define NEG(a) expr_neg(p, a)
#define ROOT(a) expr_sqrt(p, a)
#define SQUARE(a) expr_powi(p, a, 2)
#define AT_MOST(a, b) expr_fn2(p, EXPR_LE, a, b)
#define OF(name, c, a) expr_fn1(p, EXPR_##name, a)
#define OP(name, text, args, c, calls)
#define TEST(name, text, args, symmetry, latex, value)
#define FUNCTION(name, text, args, c, symmetry, calls, price, latex, units, domain, value, by_x, by_y) \
    static Expr name##_partial(struct pool *p, Expr f, int k, Expr x, Expr y)                         \
    {                                                                                                 \
        (void)f, (void)x, (void)y;                                                                    \
        return k == 0 ? by_x : by_y;                                                                  \
    }
#include "mbs/ops.def"
#undef FUNCTION

/* Derivative of a node with respect to its operand k. */
static Expr node_partial(struct pool *p, Expr e, int k)
{
    enum expr_op op = expr_op(p, e);
    int first, n = expr_args(p, e);
    Expr with, condition = choice_condition(p, e, &first), x = n > 0 ? expr_arg(p, e, 0) : 0, y = n > 1 ? expr_arg(p, e, 1) : 0;
    if (condition)
        return k < first ? p->zero : expr_if(p, condition, k == first ? p->one : p->zero, k == first ? p->zero : p->one);
    switch (op) {
    case EXPR_ADD:
        expr_pair(p, e, k, &with);
        return with;
    case EXPR_MUL:
        return product_partial(p, e, k);
    case EXPR_POW:
        return power_partial(p, x, y, k);
#define FUNCTION(name, text, args, c, symmetry, calls, price, latex, units, domain, value, by_x, by_y) \
    case EXPR_##name: return name##_partial(p, e, k, x, y);
#include "mbs/ops.def"
#undef OP
#undef TEST
#undef FUNCTION
    case EXPR_CALL:
        return call_partial(p, e, k);
    case EXPR_HOLD:
        return p->one;
#include "expr/test_cases.inc"
    case EXPR_IF: case EXPR_NUM: case EXPR_SYM:
        return p->zero;
    }
    assert(!"every operator has a derivative");
    return p->zero;
}

static bool is_leaf(const struct pool *p, Expr e)
{
    return expr_op(p, e) == EXPR_NUM || expr_op(p, e) == EXPR_SYM;
}

/* The partial derivatives of the node in hand, each made when it is first asked for. */
struct partials {
    Exprs made;     /* by operand; 0 where not made yet */
};

static void partials_begin(struct partials *s, int operands)
{
    s->made.n = 0;
    while (s->made.n < operands)
        VEC_PUSH(s->made, 0);
}

/* The chain rule: the derivative of e, if its operands at[0 .. n) have the derivatives d (not zero) and
 * all others have derivative 0.  d is overwritten. */
static Expr node_chain(struct pool *p, Expr e, struct partials *s, int n, const int *at, Expr *d)
{
    int first;
    Expr condition = choice_condition(p, e, &first);
    if (condition) {
        Expr branch[2] = {p->zero, p->zero};
        for (int i = 0; i < n; i++)
            if (at[i] >= first)
                branch[at[i] - first] = d[i];
        return expr_if(p, condition, branch[0], branch[1]);
    }
    if (expr_op(p, e) == EXPR_HOLD)
        return is_leaf(p, d[0]) ? d[0] : expr_hold(p, d[0]);
    for (int i = 0; i < n; i++) {
        Expr *partial = &s->made.at[at[i]];
        if (!*partial)
            *partial = node_partial(p, e, at[i]);
        d[i] = expr_mul(p, *partial, d[i]);
    }
    return n == 1 ? d[0] : expr_sum(p, n, d);
}

/* --- sparse forward derivatives --------------------------------------------------------------------- */
struct term {           /* derivative d of operand `at` by the symbol var */
    Expr var, d;
    int at;
};
struct diff {
    struct pool *pool;
    struct cone cone;
    struct arena arena;             /* the arrays of the gradients */
    struct gradient *memo;          /* by handle, valid where the cone has been */
    uint32_t memo_cap;
    struct partials partials;
    struct { struct term *at; int n, cap; } term;
    struct { int *at; int n, cap; } operand;
    Exprs d, var, value;
};

struct diff *diff_new(struct pool *p, unsigned kinds)
{
    struct diff *s = mem_grow(NULL, 1, sizeof *s);
    memset(s, 0, sizeof *s);
    s->pool = p;
    s->cone.kinds = kinds;
    return s;
}

void diff_free(struct diff *s)
{
    if (!s)
        return;
    cone_fini(&s->cone);
    arena_free(&s->arena);
    free(s->memo);
    free(s->partials.made.at);
    free(s->term.at);
    free(s->operand.at);
    free(s->d.at);
    free(s->var.at);
    free(s->value.at);
    free(s);
}

static int term_compare(const void *a, const void *b)
{
    const struct term *x = a, *y = b;
    return x->var != y->var ? (x->var > y->var) - (x->var < y->var) : (x->at > y->at) - (x->at < y->at);
}

static struct gradient diff_memo(const struct diff *s, Expr e)
{
    if (!(expr_deps(s->pool, e) & s->cone.kinds))
        return (struct gradient){0};
    return s->memo[e];
}

/* Collect the operands' derivatives by symbol, then apply the chain rule symbol by symbol. */
static struct gradient diff_node(struct diff *s, Expr e)
{
    struct pool *p = s->pool;
    int operands = node_operands(p, e);
    partials_begin(&s->partials, operands);
    s->term.n = s->var.n = s->value.n = 0;
    if (expr_op(p, e) == EXPR_SYM) {
        VEC_PUSH(s->var, e);
        VEC_PUSH(s->value, p->one);
    }
    int sources = 0;
    for (int k = 0; k < operands; k++) {
        struct gradient g = diff_memo(s, node_operand(p, e, k));
        sources += g.n > 0;
        for (int i = 0; i < g.n; i++)
            VEC_PUSH(s->term, ((struct term){g.var[i], g.d[i], k}));
    }
    if (sources > 1)
        qsort(s->term.at, (size_t)s->term.n, sizeof *s->term.at, term_compare);
    for (int i = 0; i < s->term.n;) {
        Expr var = s->term.at[i].var;
        s->operand.n = s->d.n = 0;
        for (; i < s->term.n && s->term.at[i].var == var; i++) {
            VEC_PUSH(s->operand, s->term.at[i].at);
            VEC_PUSH(s->d, s->term.at[i].d);
        }
        Expr d = node_chain(p, e, &s->partials, s->d.n, s->operand.at, s->d.at);
        if (d == p->zero)
            continue;
        VEC_PUSH(s->var, var);
        VEC_PUSH(s->value, d);
    }
    size_t bytes = (size_t)s->var.n * sizeof(Expr);
    return (struct gradient){s->var.n, arena_copy(&s->arena, s->var.at, bytes),
                             arena_copy(&s->arena, s->value.at, bytes)};
}

struct gradient diff_gradient(struct diff *s, Expr e)
{
    cone_collect(&s->cone, s->pool, 1, &e);
    if (s->cone.met_cap > s->memo_cap) {
        s->memo = mem_grow(s->memo, s->cone.met_cap, sizeof *s->memo);
        s->memo_cap = s->cone.met_cap;
    }
    for (int i = 0; i < s->cone.n; i++)
        s->memo[s->cone.at[i]] = diff_node(s, s->cone.at[i]);
    return diff_memo(s, e);
}

Expr diff_by(struct diff *s, Expr e, Expr var)
{
    struct gradient g = diff_gradient(s, e);
    int low = 0, high = g.n;
    while (low < high) {
        int mid = low + (high - low) / 2;
        if (g.var[mid] < var)
            low = mid + 1;
        else
            high = mid;
    }
    return low < g.n && g.var[low] == var ? g.d[low] : s->pool->zero;
}

/* --- along a direction ------------------------------------------------------------------------------ */
struct direction {
    struct pool *pool;
    struct cone cone;
    Expr *memo;             /* by handle; valid where the cone has been */
    uint32_t memo_cap;
    struct partials partials;
    struct { int *at; int n, cap; } operand;
    Exprs d;
};

static void direction_reserve(struct direction *s)
{
    if (s->cone.met_cap > s->memo_cap) {
        s->memo = mem_grow(s->memo, s->cone.met_cap, sizeof *s->memo);
        s->memo_cap = s->cone.met_cap;
    }
}

struct direction *direction_new(struct pool *p, int n, const Expr *var, const Expr *dir)
{
    struct direction *s = mem_grow(NULL, 1, sizeof *s);
    memset(s, 0, sizeof *s);
    s->pool = p;
    for (int k = 0; k < n; k++) {
        assert(expr_op(p, var[k]) == EXPR_SYM);
        s->cone.kinds |= expr_deps(p, var[k]);
        cone_skip(&s->cone, p, var[k]);
        direction_reserve(s);
        s->memo[var[k]] = dir[k];
    }
    return s;
}

void direction_free(struct direction *s)
{
    if (!s)
        return;
    cone_fini(&s->cone);
    free(s->memo);
    free(s->partials.made.at);
    free(s->operand.at);
    free(s->d.at);
    free(s);
}

static Expr direction_memo(const struct direction *s, Expr e)
{
    return expr_deps(s->pool, e) & s->cone.kinds ? s->memo[e] : s->pool->zero;
}

static Expr direction_node(struct direction *s, Expr e)
{
    struct pool *p = s->pool;
    int operands = node_operands(p, e);
    s->operand.n = s->d.n = 0;
    for (int k = 0; k < operands; k++) {
        Expr d = direction_memo(s, node_operand(p, e, k));
        if (d == p->zero)
            continue;
        VEC_PUSH(s->operand, k);
        VEC_PUSH(s->d, d);
    }
    if (s->d.n == 0)
        return p->zero;
    partials_begin(&s->partials, operands);
    return node_chain(p, e, &s->partials, s->d.n, s->operand.at, s->d.at);
}

Expr direction_diff(struct direction *s, Expr e)
{
    if (!s->cone.kinds)         /* no variables: nothing depends on them */
        return s->pool->zero;
    cone_collect(&s->cone, s->pool, 1, &e);
    direction_reserve(s);
    for (int i = 0; i < s->cone.n; i++)
        s->memo[s->cone.at[i]] = direction_node(s, s->cone.at[i]);
    return direction_memo(s, e);
}

Expr expr_diff(struct pool *p, Expr e, Expr var)
{
    struct direction *s = direction_new(p, 1, &var, &p->one);
    Expr d = direction_diff(s, e);
    direction_free(s);
    return d;
}

/* --- reverse ---------------------------------------------------------------------------------------- */
/* The contributions to each adjoint are kept as a list and summed once, when the node's turn comes: the
 * sum is then one node, which every operand multiplies as a whole. */
struct contribution {
    Expr value;
    int next;               /* index + 1; 0 ends the list */
};
struct reverse {
    struct pool *pool;
    struct cone cone;
    int *list;              /* by handle: first contribution + 1 */
    struct { struct contribution *at; int n, cap; } part;
    Exprs sum;
};

static void reverse_give(struct reverse *s, Expr to, Expr value)
{
    if (!(expr_deps(s->pool, to) & s->cone.kinds) || value == s->pool->zero)
        return;
    VEC_PUSH(s->part, ((struct contribution){value, s->list[to]}));
    s->list[to] = s->part.n;
}

static Expr reverse_adjoint(struct reverse *s, Expr e)
{
    s->sum.n = 0;
    for (int i = s->list[e]; i; i = s->part.at[i - 1].next)
        VEC_PUSH(s->sum, s->part.at[i - 1].value);
    return s->sum.n == 0 ? s->pool->zero : s->sum.n == 1 ? s->sum.at[0] : expr_sum(s->pool, s->sum.n, s->sum.at);
}

static void reverse_node(struct reverse *s, Expr e)
{
    struct pool *p = s->pool;
    Expr adjoint = reverse_adjoint(s, e);
    if (adjoint == p->zero)
        return;
    int first;
    Expr condition = choice_condition(p, e, &first);
    if (condition) {
        reverse_give(s, expr_arg(p, e, first), expr_if(p, condition, adjoint, p->zero));
        reverse_give(s, expr_arg(p, e, first + 1), expr_if(p, condition, p->zero, adjoint));
        return;
    }
    for (int k = 0, operands = node_operands(p, e); k < operands; k++) {
        Expr x = node_operand(p, e, k);
        if (expr_deps(p, x) & s->cone.kinds)
            reverse_give(s, x, expr_mul(p, adjoint, node_partial(p, e, k)));
    }
}

void expr_reverse(struct pool *p, Expr e, int n, const Expr *var, Expr *out)
{
    struct reverse s = {.pool = p};
    for (int k = 0; k < n; k++) {
        assert(expr_op(p, var[k]) == EXPR_SYM);
        s.cone.kinds |= expr_deps(p, var[k]);
    }
    if (!(expr_deps(p, e) & s.cone.kinds)) {
        for (int k = 0; k < n; k++)
            out[k] = p->zero;
        return;
    }
    cone_collect(&s.cone, p, 1, &e);
    Expr top = e;
    for (int k = 0; k < n; k++)
        top = var[k] > top ? var[k] : top;
    s.list = mem_grow(NULL, (size_t)top + 1, sizeof *s.list);
    memset(s.list, 0, ((size_t)top + 1) * sizeof *s.list);
    reverse_give(&s, e, p->one);
    for (int i = s.cone.n - 1; i >= 0; i--)
        if (expr_op(p, s.cone.at[i]) != EXPR_SYM)
            reverse_node(&s, s.cone.at[i]);
    for (int k = 0; k < n; k++)
        out[k] = reverse_adjoint(&s, var[k]);
    cone_fini(&s.cone);
    free(s.list);
    free(s.part.at);
    free(s.sum.at);
}

/* --- substitution ----------------------------------------------------------------------------------- */
void expr_substitute(struct pool *p, int n, const Expr *from, const Expr *to, int m, const Expr *in, Expr *out)
{
    struct cone cone = {.first = UINT32_MAX};
    bool symbols = true;
    for (int k = 0; k < n; k++) {
        symbols = symbols && expr_op(p, from[k]) == EXPR_SYM;
        cone.kinds |= expr_deps(p, from[k]);
        cone.first = from[k] < cone.first ? from[k] : cone.first;
    }
    if (!symbols)
        cone.kinds = 0;
    for (int k = 0; k < n; k++)
        cone_skip(&cone, p, from[k]);
    cone_collect(&cone, p, m, in);
    Expr *memo = mem_zeros(p->nodes, sizeof *memo);     /* 0: unchanged */
    for (int k = 0; k < n; k++)
        memo[from[k]] = to[k];
    Exprs args = {0};
    for (int i = 0; i < cone.n; i++) {
        Expr e = cone.at[i];
        bool changed = false;
        args.n = 0;
        for (int k = 0, count = expr_args(p, e); k < count; k++) {
            Expr a = expr_arg(p, e, k), b = memo[a] ? memo[a] : a;
            changed = changed || a != b;
            VEC_PUSH(args, b);
        }
        memo[e] = changed ? expr_rebuild(p, e, args.at) : e;
    }
    for (int k = 0; k < m; k++) {
        out[k] = memo[in[k]] ? memo[in[k]] : in[k];
    }
    free(args.at);
    free(memo);
    cone_fini(&cone);
}
