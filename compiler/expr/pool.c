/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The pool: hash-consing and the constructors that keep the canonical form of expr.h.
 *
 * A node is found by (op, operands) in one open-addressing table, or appended.  Sums and products are
 * gathered as lists of (term, coefficient) or (base, exponent), sorted by handle, merged, and only then
 * made into a node; nothing is ever multiplied out.
 */
#include "base/arena.h"
#include "expr/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- nodes ---------------------------------------------------------------------------------------- */

static uint32_t mix(uint32_t h, uint32_t x)
{
    h = (h ^ x) * 0x9e3779b1u;
    return h ^ (h >> 15);
}

static void table_grow(struct pool *p)
{
    uint32_t size = p->table_size ? 2 * p->table_size : 1024;
    p->table = mem_grow(p->table, size, sizeof *p->table);
    memset(p->table, 0, size * sizeof *p->table);
    p->table_size = size;
    for (Expr e = 1; e < p->nodes; e++) {
        uint32_t i = p->node[e].hash & (size - 1);
        while (p->table[i])
            i = (i + 1) & (size - 1);
        p->table[i] = e;
    }
}

static Expr node_append(struct pool *p, struct node n)
{
    if (p->nodes == p->node_cap) {
        p->node_cap = p->node_cap ? 2 * p->node_cap : 512;
        p->node = mem_grow(p->node, p->node_cap, sizeof *p->node);
    }
    p->node[p->nodes] = n;
    return p->nodes++;
}

/* The node (op, args), found or made. */
static Expr intern(struct pool *p, enum expr_op op, uint32_t n, const uint32_t *args)
{
    if (2 * p->nodes >= p->table_size)
        table_grow(p);
    uint32_t h = mix(0x811c9dc5u, op);
    for (uint32_t k = 0; k < n; k++)
        h = mix(h, args[k]);
    uint32_t i = h & (p->table_size - 1);
    for (Expr e; (e = p->table[i]) != 0; i = (i + 1) & (p->table_size - 1)) {
        const struct node *x = &p->node[e];
        if (x->hash == h && x->op == op && x->n == n && !memcmp(p->args + x->at, args, n * sizeof *args))
            return e;
    }
    if (p->nargs + n > p->args_cap) {
        p->args_cap = 2 * (p->nargs + n) + 1024;
        p->args = mem_grow(p->args, p->args_cap, sizeof *p->args);
    }
    uint32_t at = p->nargs;
    unsigned deps = 0;
    for (uint32_t k = 0; k < n; k++) {
        p->args[at + k] = args[k];
        if (op != EXPR_CALL || k > 0)
            deps |= p->node[args[k]].deps;
    }
    p->nargs += n;
    return p->table[i] = node_append(p, (struct node){.op = (uint8_t)op, .deps = (uint16_t)deps, .n = n, .at = at, .hash = h});
}

/* Numbers and symbols share the table; their identity is the value behind `at`. */
static Expr intern_leaf(struct pool *p, enum expr_op op, uint32_t h, bool (*same)(const struct pool *, uint32_t at, const void *),
                        const void *key, uint32_t (*add)(struct pool *, const void *), unsigned deps)
{
    if (2 * p->nodes >= p->table_size)
        table_grow(p);
    uint32_t i = h & (p->table_size - 1);
    for (Expr e; (e = p->table[i]) != 0; i = (i + 1) & (p->table_size - 1))
        if (p->node[e].hash == h && p->node[e].op == op && same(p, p->node[e].at, key))
            return e;
    uint32_t at = add(p, key);
    return p->table[i] = node_append(p, (struct node){.op = (uint8_t)op, .deps = (uint16_t)deps, .at = at, .hash = h});
}

static bool num_same(const struct pool *p, uint32_t at, const void *key)
{
    const struct number *a = &p->num[at], *b = key;
    if (a->exact != b->exact)
        return false;
    return a->exact ? a->num == b->num && a->den == b->den : !memcmp(&a->value, &b->value, sizeof a->value);
}

static uint32_t num_add(struct pool *p, const void *key)
{
    if (p->nums == p->num_cap) {
        p->num_cap = p->num_cap ? 2 * p->num_cap : 64;
        p->num = mem_grow(p->num, p->num_cap, sizeof *p->num);
    }
    p->num[p->nums] = *(const struct number *)key;
    return p->nums++;
}

Expr expr_number(struct pool *p, struct number a)
{
    if (a.exact && a.den == 1 && p->minus_one && (a.num == 1 || a.num == -1))
        return a.num == 1 ? p->one : p->minus_one;
    uint64_t x = a.exact ? (uint64_t)a.num * 31 + (uint64_t)a.den : 0, y = 0;
    if (!a.exact)
        memcpy(&y, &a.value, sizeof y);
    uint32_t h = mix(mix(mix(7, (uint32_t)x), (uint32_t)y), (uint32_t)(y >> 32));
    return intern_leaf(p, EXPR_NUM, h, num_same, &a, num_add, 0);
}

Expr expr_int(struct pool *p, int64_t v)
{
    return expr_number(p, number_rational(v, 1));
}

Expr expr_rational(struct pool *p, int64_t num, int64_t den)
{
    return expr_number(p, den ? number_rational(num, den) : number_double((double)num / 0.0));
}

Expr expr_double(struct pool *p, double v)
{
    return expr_number(p, v == 0 ? number_rational(0, 1) : number_double(v));
}

static bool sym_same(const struct pool *p, uint32_t at, const void *key)
{
    const struct symbol *a = &p->sym[at], *b = key;
    return a->kind == b->kind && a->index == b->index;
}

static uint32_t sym_add(struct pool *p, const void *key)
{
    if (p->syms == p->sym_cap) {
        p->sym_cap = p->sym_cap ? 2 * p->sym_cap : 64;
        p->sym = mem_grow(p->sym, p->sym_cap, sizeof *p->sym);
    }
    p->sym[p->syms] = *(const struct symbol *)key;
    return p->syms++;
}

Expr expr_sym(struct pool *p, enum sym_kind kind, int index, const char *name)
{
    struct symbol s = {kind, index, name};
    uint32_t h = mix(mix(11, (uint32_t)kind), (uint32_t)index);
    return intern_leaf(p, EXPR_SYM, h, sym_same, &s, sym_add, DEP(kind));
}

struct pool *pool_new(void)
{
    struct pool *p = mem_grow(NULL, 1, sizeof *p);
    memset(p, 0, sizeof *p);
    node_append(p, (struct node){.op = EXPR_NUM});      /* handle 0 is no expression */
    p->zero = expr_int(p, 0);
    p->one = expr_int(p, 1);
    p->minus_one = expr_int(p, -1);
    p->two = expr_int(p, 2);
    p->half = expr_rational(p, 1, 2);
    return p;
}

void pool_free(struct pool *p)
{
    if (!p)
        return;
    free(p->node);
    free(p->args);
    free(p->num);
    free(p->sym);
    free(p->fn);
    free(p->table);
    if (p->memo)
        p->memo_free(p->memo);
    free(p);
}

/* --- access --------------------------------------------------------------------------------------- */

int expr_pairs(const struct pool *p, Expr e)
{
    return (int)p->node[e].n / 2;
}

Expr expr_pair(const struct pool *p, Expr e, int k, Expr *second)
{
    const struct node *n = &p->node[e];
    const uint32_t *a = p->args + n->at + (n->op == EXPR_ADD) + 2 * (uint32_t)k;
    *second = a[1];
    return a[0];
}

Expr expr_const(const struct pool *p, Expr e)
{
    return p->args[p->node[e].at];
}

int expr_call_fn(const struct pool *p, Expr e)
{
    return (int)p->args[p->node[e].at];
}

const struct number *expr_num(const struct pool *p, Expr e)
{
    return &p->num[p->node[e].at];
}

double expr_value(const struct pool *p, Expr e)
{
    return expr_num(p, e)->value;
}

const struct symbol *expr_symbol(const struct pool *p, Expr e)
{
    return &p->sym[p->node[e].at];
}

bool expr_is_int(const struct pool *p, Expr e, int64_t *value)
{
    if (!expr_is_num(p, e) || !expr_num(p, e)->exact || expr_num(p, e)->den != 1)
        return false;
    *value = expr_num(p, e)->num;
    return true;
}

/* --- sums and products ------------------------------------------------------------------------------ */

struct pair {
    Expr x;
    struct number k;        /* coefficient or exponent */
};
struct gather {
    struct number k;        /* constant summand, or numeric factor */
    struct pair *at, room[24];
    int n, cap;
};

static void gather_init(struct gather *g, int64_t k)
{
    g->k = number_rational(k, 1);
    g->at = g->room;
    g->n = 0;
    g->cap = (int)(sizeof g->room / sizeof *g->room);
}

static void gather_push(struct gather *g, Expr x, struct number k)
{
    if (g->n == g->cap) {
        struct pair *old = g->at == g->room ? NULL : g->at;
        struct pair *at = mem_grow(old, 2 * (size_t)g->cap, sizeof *at);
        if (!old)
            memcpy(at, g->room, sizeof g->room);
        g->at = at;
        g->cap *= 2;
    }
    g->at[g->n++] = (struct pair){x, k};
}

static int pair_order(const void *a, const void *b)
{
    Expr x = ((const struct pair *)a)->x, y = ((const struct pair *)b)->x;
    return (x > y) - (x < y);
}

/* Most lists are short and nearly in order. */
static void pair_insert(struct pair *at, int n)
{
    for (int i = 1; i < n; i++) {
        struct pair x = at[i];
        int k = i;
        for (; k > 0 && at[k - 1].x > x.x; k--)
            at[k] = at[k - 1];
        at[k] = x;
    }
}

/* Sort by handle, add up the numbers of equal ones, drop zeros. */
static void gather_merge(struct gather *g)
{
    bool sorted = true;
    for (int i = 1; i < g->n && sorted; i++)
        sorted = g->at[i - 1].x < g->at[i].x;
    if (!sorted && g->n <= 16)
        pair_insert(g->at, g->n);
    else if (!sorted)
        qsort(g->at, (size_t)g->n, sizeof *g->at, pair_order);
    int n = 0;
    for (int i = 0; i < g->n;) {
        struct pair m = g->at[i++];
        while (i < g->n && g->at[i].x == m.x)
            m.k = number_add(m.k, g->at[i++].k);
        if (!number_is(m.k, 0))
            g->at[n++] = m;
    }
    g->n = n;
}

static void gather_fini(struct gather *g)
{
    if (g->at != g->room)
        free(g->at);
}

static Expr intern_pairs(struct pool *p, enum expr_op op, const struct gather *g)
{
    uint32_t small[64], *args = small, n = 0;
    size_t want = 2 * (size_t)g->n + 1;
    if (want > 64)
        args = mem_grow(NULL, want, sizeof *args);
    if (op == EXPR_ADD)
        args[n++] = expr_number(p, g->k);
    for (int i = 0; i < g->n; i++) {
        args[n++] = g->at[i].x;
        args[n++] = expr_number(p, g->at[i].k);
    }
    Expr e = intern(p, op, n, args);
    if (args != small)
        free(args);
    return e;
}

static void sum_gather(struct pool *p, struct gather *g, Expr e, struct number k)
{
    const struct node *n = &p->node[e];
    if (n->op == EXPR_NUM) {
        g->k = number_add(g->k, number_mul(k, *expr_num(p, e)));
    } else if (n->op == EXPR_ADD && n->n <= 2 * EXPR_FLAT + 1) {
        const uint32_t *a = p->args + n->at;
        g->k = number_add(g->k, number_mul(k, *expr_num(p, a[0])));
        for (uint32_t i = 1; i < n->n; i += 2)
            gather_push(g, a[i], number_mul(k, *expr_num(p, a[i + 1])));
    } else {
        gather_push(g, e, k);
    }
}

static Expr sum_finish(struct pool *p, struct gather *g)
{
    Expr e;
    gather_merge(g);
    if (g->n == 0)
        e = expr_number(p, g->k);
    else if (g->n == 1 && number_is(g->k, 0) && g->k.exact && number_is(g->at[0].k, 1))
        e = g->at[0].x;
    else
        e = intern_pairs(p, EXPR_ADD, g);
    gather_fini(g);
    return e;
}

/* k * e */
static Expr scale(struct pool *p, struct number k, Expr e)
{
    struct gather g;
    gather_init(&g, 0);
    if (!number_is(k, 0))
        sum_gather(p, &g, e, k);
    return sum_finish(p, &g);
}

/* A sum that a number is multiplied into, term by term; a longer one stays as it is. */
static bool is_flat_sum(const struct pool *p, Expr e)
{
    return p->node[e].op == EXPR_ADD && p->node[e].n <= 2 * EXPR_FLAT + 1;
}

/* Is -e the nicer of the pair e, -e?  Decided by the first term of a sum. */
static bool is_negative(const struct pool *p, Expr e)
{
    if (p->node[e].op == EXPR_NUM)
        return expr_value(p, e) < 0;
    return is_flat_sum(p, e) && expr_value(p, p->args[p->node[e].at + 2]) < 0;
}

/* A sum as a base: take out its leading coefficient (all of it if every coefficient is exact, else
 * only the sign), so that 2*a + 2*b and -a - b are multiples of one base. */
static struct number sum_content(const struct pool *p, Expr e)
{
    const struct node *n = &p->node[e];
    const uint32_t *a = p->args + n->at;
    bool exact = expr_num(p, a[0])->exact;
    if (n->n == 3 && a[0] == p->zero)
        return *expr_num(p, a[2]);
    for (uint32_t i = 2; i < n->n && exact; i += 2)
        exact = expr_num(p, a[i])->exact;
    if (exact)
        return *expr_num(p, a[2]);
    return number_rational(expr_value(p, a[2]) < 0 ? -1 : 1, 1);
}

static void product_gather(struct pool *p, struct gather *g, Expr e, struct number x)
{
    bool whole = x.exact && x.den == 1;
    enum expr_op op = expr_op(p, e);
    struct number root;
    if (op == EXPR_NUM) {
        struct number v = *expr_num(p, e);
        if (whole)
            g->k = number_mul(g->k, number_powi(v, x.num));
        else if (x.exact && x.den == 2 && number_sqrt(v, &root))
            g->k = number_mul(g->k, number_powi(root, x.num));
        else if (!v.exact || !x.exact)
            g->k = number_mul(g->k, number_double(pow(v.value, x.value)));
        else
            gather_push(g, e, x);
    } else if (op == EXPR_MUL && whole && p->node[e].n <= 2 * EXPR_FLAT) {
        uint32_t at = p->node[e].at, n = p->node[e].n;
        for (uint32_t i = 0; i < n; i += 2)
            gather_push(g, p->args[at + i], number_mul(x, *expr_num(p, p->args[at + i + 1])));
    } else if (is_flat_sum(p, e)) {
        struct number c = sum_content(p, e);
        if (number_is(c, 1) || (!whole && c.value < 0)) {
            gather_push(g, e, x);
            return;
        }
        /* One term: take it as it is, c * (1/c) need not be 1 in doubles. */
        bool single = p->node[e].n == 3 && expr_const(p, e) == p->zero;
        Expr primitive = single ? p->args[p->node[e].at + 1] : scale(p, number_inverse(c), e);
        product_gather(p, g, expr_number(p, c), x);
        product_gather(p, g, primitive, x);
    } else {
        gather_push(g, e, x);
    }
}

/* Exponents that were added up can make a power simpler than its parts: sqrt(-2*x)^2, 2^(1/2) * 2^(1/2). */
static bool is_reducible(const struct pool *p, const struct pair *f)
{
    bool whole = f->k.exact && f->k.den == 1;
    struct number root;
    if (expr_is_num(p, f->x))
        return whole || (f->k.exact && f->k.den == 2 && number_sqrt(*expr_num(p, f->x), &root));
    if (!whole)
        return false;
    if (p->node[f->x].op == EXPR_MUL)
        return p->node[f->x].n <= 2 * EXPR_FLAT;
    return is_flat_sum(p, f->x) && !number_is(sum_content(p, f->x), 1);
}

static void product_merge(struct pool *p, struct gather *g)
{
    for (;;) {
        int i = 0;
        gather_merge(g);
        while (i < g->n && !is_reducible(p, &g->at[i]))
            i++;
        if (i == g->n)
            return;
        struct pair f = g->at[i];
        g->at[i] = g->at[--g->n];
        product_gather(p, g, f.x, f.k);
    }
}

static Expr product_finish(struct pool *p, struct gather *g)
{
    Expr e;
    product_merge(p, g);
    if (number_is(g->k, 0))
        g->n = 0, e = p->one;
    else if (g->n == 0)
        e = p->one;
    else if (g->n == 1 && number_is(g->at[0].k, 1))
        e = g->at[0].x;
    else
        e = intern_pairs(p, EXPR_MUL, g);
    gather_fini(g);
    if (number_is(g->k, 1) && g->k.exact)
        return e;
    return scale(p, g->k, e);
}

Expr expr_sum(struct pool *p, int n, const Expr *e)
{
    struct gather g;
    int terms = 0, last = 0;
    for (int i = 0; i < n; i++)
        if (e[i] != p->zero)
            terms++, last = i;
    if (terms < 2)
        return terms ? e[last] : p->zero;
    gather_init(&g, 0);
    for (int i = 0; i < n; i++)
        if (e[i] != p->zero)
            sum_gather(p, &g, e[i], number_rational(1, 1));
    return sum_finish(p, &g);
}

Expr expr_linear(struct pool *p, Expr c0, int n, const Expr *term, const Expr *coef)
{
    struct gather g;
    gather_init(&g, 0);
    g.k = *expr_num(p, c0);
    for (int i = 0; i < n; i++)
        sum_gather(p, &g, term[i], *expr_num(p, coef[i]));
    return sum_finish(p, &g);
}

Expr expr_product(struct pool *p, int n, const Expr *e)
{
    struct gather g;
    gather_init(&g, 1);
    for (int i = 0; i < n; i++)
        product_gather(p, &g, e[i], number_rational(1, 1));
    return product_finish(p, &g);
}

Expr expr_powers(struct pool *p, int n, const Expr *base, const Expr *exponent)
{
    struct gather g;
    gather_init(&g, 1);
    for (int i = 0; i < n; i++)
        product_gather(p, &g, base[i], *expr_num(p, exponent[i]));
    return product_finish(p, &g);
}

Expr (expr_add)(struct pool *p, Expr a, Expr b)
{
    if (a == p->zero)
        return b;
    if (b == p->zero)
        return a;
    return expr_sum(p, 2, (Expr[]){a, b});
}

Expr expr_neg(struct pool *p, Expr a)
{
    return scale(p, number_rational(-1, 1), a);
}

Expr (expr_sub)(struct pool *p, Expr a, Expr b)
{
    if (b == p->zero)
        return a;
    if (a == p->zero)
        return expr_neg(p, b);
    return expr_linear(p, p->zero, 2, (Expr[]){a, b}, (Expr[]){p->one, p->minus_one});
}

Expr (expr_mul)(struct pool *p, Expr a, Expr b)
{
    if (a == p->zero || b == p->zero)
        return p->zero;
    if (a == p->one)
        return b;
    if (b == p->one)
        return a;
    if (expr_is_num(p, a))
        return scale(p, *expr_num(p, a), b);
    if (expr_is_num(p, b))
        return scale(p, *expr_num(p, b), a);
    return expr_product(p, 2, (Expr[]){a, b});
}

Expr (expr_div)(struct pool *p, Expr a, Expr b)
{
    return expr_powers(p, 2, (Expr[]){a, b}, (Expr[]){p->one, p->minus_one});
}

Expr expr_powi(struct pool *p, Expr a, int n)
{
    return expr_powers(p, 1, &a, (Expr[]){expr_int(p, n)});
}

Expr expr_sqrt(struct pool *p, Expr a)
{
    return expr_powers(p, 1, &a, &p->half);
}

Expr (expr_pow)(struct pool *p, Expr a, Expr b)
{
    if (expr_is_num(p, b)) {
        struct number x = *expr_num(p, b);
        double whole;
        /* 0.5 and 2.0 mean 1/2 and 2: halves of doubles are exact. */
        if (!x.exact && fabs(x.value) < 1e6 && modf(2 * x.value, &whole) == 0)
            b = expr_rational(p, (int64_t)whole, 2);
        return expr_powers(p, 1, &a, &b);
    }
    if (a == p->one)
        return a;
    return intern(p, EXPR_POW, 2, (uint32_t[]){a, b});
}

/* --- functions -------------------------------------------------------------------------------------- */

enum { CALLS_ERRNO, CALLS_PURE, PRICE_CALL = 0, PRICE_TRIG };
const struct op_info op_info[EXPR_OPS] = {
#define FROM(a, b) a, b
#define OP(name, text, args, c, calls) [EXPR_##name] = {text, args, c, OP_NO, CALLS_##calls, false, NULL, UNITS_NONE, -INFINITY, INFINITY},
#define TEST(name, text, args, symmetry, latex, value) \
    [EXPR_##name] = {text, args, NULL, OP_##symmetry, true, false, latex, UNITS_NONE, -INFINITY, INFINITY},
#define FUNCTION(name, text, args, c, symmetry, calls, price, latex, units, domain, value, by_x, by_y) \
    [EXPR_##name] = {text, args, c, OP_##symmetry, CALLS_##calls, PRICE_##price, latex, UNITS_##units, domain},
#include "mbs/ops.def"
#undef FROM
#undef OP
#undef TEST
#undef FUNCTION
};

Expr expr_fn1(struct pool *p, enum expr_op op, Expr a)
{
    if (expr_is_num(p, a)) {
        double y = op_value(op, expr_value(p, a), 0);
        if (op == EXPR_ABS)
            return is_negative(p, a) ? expr_neg(p, a) : a;
        return y == rint(y) && fabs(y) < 1e15 ? expr_int(p, (int64_t)y) : expr_double(p, y);
    }
    enum op_symmetry s = op_info[op].symmetry;
    if ((s == OP_ODD || s == OP_EVEN) && is_negative(p, a)) {
        Expr e = expr_fn1(p, op, expr_neg(p, a));
        return s == OP_ODD ? expr_neg(p, e) : e;
    }
    return intern(p, op, 1, &a);
}

Expr expr_fn2(struct pool *p, enum expr_op op, Expr a, Expr b)
{
    if (expr_is_num(p, a) && expr_is_num(p, b)) {
        if (op == EXPR_MIN || op == EXPR_MAX)
            return (expr_value(p, a) <= expr_value(p, b)) == (op == EXPR_MIN) ? a : b;
        double y = op_value(op, expr_value(p, a), expr_value(p, b));
        return y == rint(y) ? expr_int(p, (int64_t)y) : expr_double(p, y);
    }
    if ((op == EXPR_MIN || op == EXPR_MAX) && a == b)
        return a;
    if (op_info[op].symmetry == OP_BOTH && b < a)
        return intern(p, op, 2, (uint32_t[]){b, a});
    return intern(p, op, 2, (uint32_t[]){a, b});
}

Expr expr_if(struct pool *p, Expr c, Expr then, Expr otherwise)
{
    if (expr_is_num(p, c))
        return expr_value(p, c) != 0 ? then : otherwise;
    if (then == otherwise)
        return then;
    return intern(p, EXPR_IF, 3, (uint32_t[]){c, then, otherwise});
}

/* -1 times something */
static bool is_minus(const struct pool *p, Expr e)
{
    Expr c;
    if (expr_op(p, e) != EXPR_ADD || expr_pairs(p, e) != 1 || expr_const(p, e) != p->zero)
        return false;
    expr_pair(p, e, 0, &c);
    return c == p->minus_one;
}

Expr expr_hold(struct pool *p, Expr e)
{
    enum expr_op op = expr_op(p, e);
    if (op != EXPR_ADD && op != EXPR_MUL)
        return e;
    if (is_minus(p, e))         /* the sign stays outside, where it may cancel another */
        return expr_neg(p, expr_hold(p, expr_neg(p, e)));
    return intern(p, EXPR_HOLD, 1, &e);
}

int expr_fn_new(struct pool *p, const char *name, int args, void *data)
{
    if (p->fns == p->fn_cap) {
        p->fn_cap = p->fn_cap ? 2 * p->fn_cap : 8;
        p->fn = mem_grow(p->fn, (size_t)p->fn_cap, sizeof *p->fn);
    }
    p->fn[p->fns] = (struct fn){.name = name, .args = args, .root = p->fns, .data = data};
    return p->fns++;
}

int expr_fn_diff(struct pool *p, int fn, int arg)
{
    struct fn want = p->fn[fn];
    want.orders[arg]++;
    for (int i = 0; i < p->fns; i++)
        if (p->fn[i].root == want.root && !memcmp(p->fn[i].orders, want.orders, sizeof want.orders))
            return i;
    int i = expr_fn_new(p, want.name, want.args, want.data);
    p->fn[i] = want;
    return i;
}

Expr expr_call(struct pool *p, int fn, const Expr *args)
{
    uint32_t a[1 + FN_ARGS] = {(uint32_t)fn};
    for (int i = 0; i < p->fn[fn].args; i++)
        a[1 + i] = args[i];
    return intern(p, EXPR_CALL, 1 + (uint32_t)p->fn[fn].args, a);
}

Expr expr_rebuild(struct pool *p, Expr e, const Expr *args)
{
    enum expr_op op = expr_op(p, e);
    int n = expr_args(p, e);
    switch (op) {
    case EXPR_NUM: case EXPR_SYM:
        return e;
    case EXPR_ADD: {
        struct gather g;
        gather_init(&g, 0);
        sum_gather(p, &g, args[0], number_rational(1, 1));
        for (int i = 1; i < n; i += 2)
            sum_gather(p, &g, args[i], *expr_num(p, args[i + 1]));
        return sum_finish(p, &g);
    }
    case EXPR_MUL: {
        struct gather g;
        gather_init(&g, 1);
        for (int i = 0; i < n; i += 2)
            product_gather(p, &g, args[i], *expr_num(p, args[i + 1]));
        return product_finish(p, &g);
    }
    case EXPR_POW:
        return expr_pow(p, args[0], args[1]);
#include "expr/function_cases.inc"
#include "expr/test_cases.inc"
        return op_info[op].args == 1 ? expr_fn1(p, op, args[0]) : expr_fn2(p, op, args[0], args[1]);
    case EXPR_IF:
        return expr_if(p, args[0], args[1], args[2]);
    case EXPR_CALL:
        return expr_call(p, expr_call_fn(p, e), args);
    case EXPR_HOLD:
        return expr_hold(p, args[0]);
    }
    abort();
}
