/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The canonical form of the pool: what must be one handle is one, numbers stay exact until they cannot,
 * and random expressions keep the value of the operations they were built with. */
#include "config.h"
#include "expr/expr.h"
#include "../tap.h"
#include <stdlib.h>
#include <string.h>

static void is(struct pool *p, Expr e, const char *want)
{
    char *text = expr_show(p, e);
    if (!ok(!strcmp(text, want), "shows as %s", want))
        printf("# got %s\n", text);
    free(text);
}

static void is_latex(struct pool *p, Expr e, const char *want)
{
    char *text = expr_show_latex(p, e);
    if (!ok(!strcmp(text, want), "LaTeX %s", want))
        printf("# got %s\n", text);
    free(text);
}

static void numbers(struct pool *p)
{
    Expr third = expr_rational(p, 1, 3), x = expr_sym(p, SYM_Q, 0, "x");
    ok(expr_add(p, expr_add(p, third, third), third) == p->one, "1/3 + 1/3 + 1/3 is 1");
    ok(expr_rational(p, -6, -8) == expr_rational(p, 3, 4), "rationals are in lowest terms with positive denominator");
    ok(expr_mul(p, expr_int(p, 3), third) == p->one, "3 * 1/3 is 1");
    ok(expr_powi(p, expr_rational(p, 2, 3), -3) == expr_rational(p, 27, 8), "(2/3)^-3 is 27/8");
    ok(expr_sqrt(p, expr_rational(p, 9, 4)) == expr_rational(p, 3, 2), "sqrt(9/4) is 3/2");
    Expr root = expr_sqrt(p, p->two);
    ok(!expr_is_num(p, root), "sqrt(2) is not rounded");
    ok(expr_mul(p, root, root) == p->two, "sqrt(2)^2 is 2");
    Expr big = expr_int(p, INT64_MAX);
    Expr over = expr_mul(p, big, big);
    ok(!expr_num(p, over)->exact && expr_value(p, over) == 0x1p126, "a product that does not fit becomes a double");
    over = expr_add(p, big, p->one);
    ok(!expr_num(p, over)->exact && expr_value(p, over) == 0x1p63, "a sum that does not fit becomes a double");
    over = expr_powi(p, expr_int(p, 10), 30);
    ok(!expr_num(p, over)->exact && fabs(expr_value(p, over) - 1e30) <= 1e15, "10^30 becomes a double");
    Expr tiny = expr_mul(p, expr_rational(p, 1, INT64_MAX), expr_rational(p, 1, INT64_MAX - 1));
    ok(!expr_num(p, tiny)->exact && fabs(expr_value(p, tiny) * 0x1p126 - 1) < 1e-15, "a denominator that does not fit becomes a double");
    ok(expr_value(p, expr_int(p, INT64_MIN)) == -0x1p63, "the smallest integer keeps its value");
    Expr tenth = expr_double(p, 0.1);
    ok(!expr_num(p, tenth)->exact && tenth != expr_rational(p, 1, 10), "a decimal number is a double");
    ok(expr_double(p, -0.0) == p->zero, "there is one zero");
    ok(expr_mul(p, expr_double(p, 0.5), x) == expr_mul(p, x, expr_double(p, 0.5)), "double coefficients commute");
    int bad = 0;
    for (int k = 1; k < 2000; k++) {        /* 1/49*49 is not 1 in doubles: factors must survive all the same */
        Expr c = expr_double(p, k / 49.0), y = expr_sym(p, SYM_Q, 1, "y");
        Expr e = expr_mul(p, expr_mul(p, c, x), y);
        bad += e != expr_mul(p, c, expr_mul(p, x, y));
    }
    ok(bad == 0, "a decimal coefficient leaves a product as it is: %d wrong", bad);
}

static void forms(struct pool *p)
{
    Expr x = expr_sym(p, SYM_Q, 0, "x"), y = expr_sym(p, SYM_Q, 1, "y"), a = expr_sym(p, SYM_PARAM, 0, "a");
    ok(expr_sym(p, SYM_Q, 0, "other") == x, "a symbol is its kind and index");
    ok(expr_sub(p, expr_add(p, x, y), y) == x, "x + y - y is x");
    ok(expr_div(p, expr_mul(p, x, y), y) == x, "x*y/y is x");
    ok(expr_add(p, x, x) == expr_mul(p, p->two, x), "x + x is 2*x");
    ok(expr_mul(p, x, x) == expr_powi(p, x, 2), "x*x is x^2");
    ok(expr_mul(p, expr_sqrt(p, x), expr_sqrt(p, x)) == x, "sqrt(x)^2 is x");
    ok(expr_mul(p, p->zero, x) == p->zero && expr_powi(p, x, 0) == p->one, "0*x is 0 and x^0 is 1");
    ok(expr_sub(p, x, x) == p->zero, "x - x is 0");
    Expr d = expr_sub(p, x, y), minus_d = expr_sub(p, y, x);
    ok(expr_fn1(p, EXPR_SIN, minus_d) == expr_neg(p, expr_fn1(p, EXPR_SIN, d)), "sin is odd");
    ok(expr_fn1(p, EXPR_COS, minus_d) == expr_fn1(p, EXPR_COS, d), "cos is even");
    ok(expr_powi(p, minus_d, 2) == expr_powi(p, d, 2), "(y - x)^2 is (x - y)^2");
    ok(expr_powi(p, minus_d, 3) == expr_neg(p, expr_powi(p, d, 3)), "(y - x)^3 is -(x - y)^3");
    Expr d2 = expr_mul(p, p->two, d);
    ok(expr_mul(p, d2, a) == expr_mul(p, p->two, expr_mul(p, d, a)), "a number comes out of a base");
    ok(expr_sqrt(p, expr_powi(p, x, 2)) != x, "sqrt(x^2) is not x");
    ok(expr_if(p, p->one, x, y) == x && expr_if(p, p->zero, x, y) == y && expr_if(p, a, x, x) == x, "decided ifs fold");
    ok(expr_fn2(p, EXPR_MIN, x, y) == expr_fn2(p, EXPR_MIN, y, x), "min commutes");
    ok(expr_fn2(p, EXPR_LT, x, y) != expr_fn2(p, EXPR_LT, y, x), "< does not");
    ok(expr_deps(p, expr_mul(p, a, x)) == (DEP(SYM_Q) | DEP(SYM_PARAM)), "dependencies are the kinds below");
    ok(expr_pow(p, x, expr_double(p, 0.5)) == expr_sqrt(p, x), "x^0.5 is a root");
    int f = expr_fn_new(p, "f", 2, NULL);
    int fx = expr_fn_diff(p, f, 0), fxy = expr_fn_diff(p, fx, 1), fy = expr_fn_diff(p, f, 1);
    ok(expr_fn_diff(p, fy, 0) == fxy && expr_fn_diff(p, f, 0) == fx, "derivatives of functions are made once");
    Expr call = expr_call(p, f, (Expr[]){x, y});
    ok(expr_call(p, f, (Expr[]){x, y}) == call && expr_args(p, call) == 2 && expr_call_fn(p, call) == f, "calls are shared");
    is(p, expr_diff(p, expr_diff(p, call, x), y), "f{1,1}(x, y)");
}

/* Sums and products too long to be merged: numbers still come out and nothing runs in circles. */
static void long_ones(struct pool *p)
{
    enum { N = 3 * EXPR_FLAT };
    Expr x[N], term[N];
    for (int k = 0; k < N; k++) {
        x[k] = expr_sym(p, SYM_Q, 100 + k, "x");
        term[k] = expr_mul(p, expr_int(p, -2 - k), x[k]);
    }
    Expr sum = expr_sum(p, N, term), product = expr_product(p, N, x), y = expr_sym(p, SYM_V, 100, "y");
    ok(expr_pairs(p, sum) == N && expr_pairs(p, product) == N, "long sums and products are one node");
    ok(expr_mul(p, expr_neg(p, sum), y) == expr_neg(p, expr_mul(p, sum, y)), "a sign comes out of a long sum");
    ok(expr_fn1(p, EXPR_SIN, expr_neg(p, sum)) == expr_neg(p, expr_fn1(p, EXPR_SIN, sum)), "also out of a sine");
    ok(expr_div(p, expr_mul(p, product, y), product) == y, "a long product cancels as a unit");
    ok(expr_sub(p, expr_add(p, sum, y), sum) == y, "and so does a long sum");
    uint32_t before = p->nargs;
    Expr e = x[0];
    for (int k = 0; k < 10000; k++)
        e = expr_mul(p, expr_fn1(p, EXPR_SIN, e), e);
    ok(p->nargs - before < 10000 * 4 * EXPR_FLAT, "a product built factor by factor is linear");
}

static void text(struct pool *p)
{
    Expr x = expr_sym(p, SYM_Q, 0, "x"), y = expr_sym(p, SYM_Q, 1, "y"), v = expr_sym(p, SYM_V, 7, "beta'");
    Expr m = expr_sym(p, SYM_PARAM, 5, "m1"), l = expr_sym(p, SYM_PARAM, 6, "l"), q = expr_sym(p, SYM_Q, 4, "q[4]");
    Expr sum = expr_add(p, x, y);
    is(p, expr_sub(p, y, x), "y - x");
    is(p, expr_neg(p, x), "-x");
    is(p, expr_neg(p, sum), "-x - y");
    is(p, expr_sub(p, p->one, expr_mul(p, x, y)), "1 - x*y");
    is(p, expr_sub(p, expr_mul(p, p->half, expr_mul(p, m, expr_powi(p, x, 2))), p->half), "x^2*m1/2 - 1/2");
    is(p, expr_div(p, x, expr_mul(p, y, l)), "x/(y*l)");
    is(p, expr_div(p, p->one, sum), "1/(x + y)");
    is(p, expr_div(p, p->one, expr_powi(p, sum, 2)), "1/(x + y)^2");
    is(p, expr_mul(p, x, expr_neg(p, sum)), "-x*(x + y)");
    is(p, expr_div(p, x, expr_sqrt(p, sum)), "x/sqrt(x + y)");
    is(p, expr_pow(p, x, expr_rational(p, 3, 2)), "x^(3/2)");
    is(p, expr_pow(p, x, expr_neg(p, y)), "x^(-y)");
    is(p, expr_powi(p, expr_pow(p, x, y), 2), "(x^y)^2");
    is(p, expr_powi(p, expr_fn1(p, EXPR_COS, x), 2), "cos(x)^2");
    is(p, expr_sub(p, expr_add(p, expr_double(p, 0.1), expr_double(p, 0.2)), expr_double(p, 0.3)), "0");
    is(p, expr_sub(p, expr_double(p, 1.000000000000001), p->one), "1.1102230246251565e-15");
    is(p, expr_double(p, 0.1), "0.1");
    is(p, expr_mul(p, expr_double(p, 1e-7), x), "1e-07*x");
    Expr less = expr_fn2(p, EXPR_LT, x, y), le = expr_fn2(p, EXPR_LE, y, sum);
    is(p, expr_fn2(p, EXPR_AND, less, expr_fn1(p, EXPR_NOT, le)), "x < y and not y <= x + y");
    is(p, expr_fn2(p, EXPR_AND, m, expr_fn2(p, EXPR_OR, less, le)), "m1 and (x < y or y <= x + y)");
    is(p, expr_if(p, less, x, expr_fn2(p, EXPR_ATAN2, y, x)), "if(x < y, x, atan2(y, x))");
    is(p, expr_hold(p, sum), "x + y");
    is_latex(p, expr_mul(p, p->half, expr_mul(p, m, expr_powi(p, v, 2))), "\\frac{\\dot{\\beta}^{2}\\,m_{1}}{2}");
    static const char *const names[][2] = {
        {"phi_max", "\\phi_{\\mathrm{max}}"}, {"alpha_1", "\\alpha_{1}"}, {"k_alpha", "k_{\\alpha}"}, {"k_alpha1", "k_{\\alpha 1}"}, {"phiA", "\\phi_{A}"},
        {"omega0'", "\\dot{\\omega}_{0}"}, {"J[2].angle", "J_{2,\\mathrm{angle}}"}, {"beta[2]", "\\beta_{2}"}, {"m_rod_2", "m_{\\mathrm{rod},2}"}, {"phidot", "\\mathrm{phidot}"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *text = name_show_latex(names[i][0]);
        ok(!strcmp(text, names[i][1]), "%s in LaTeX is %s, not %s", names[i][0], names[i][1], text);
        free(text);
    }
    is_latex(p, expr_sqrt(p, expr_add(p, q, p->half)), "\\sqrt{q_{4} + \\frac{1}{2}}");
    is_latex(p, expr_mul(p, sum, expr_fn1(p, EXPR_SIN, x)), "\\left(x + y\\right)\\,\\sin\\left(x\\right)");
    Expr deep = x;
    for (int k = 0; k < 50000; k++)
        deep = expr_fn1(p, EXPR_EXP, expr_add(p, deep, p->one));
    char *s = expr_show(p, deep);
    ok(strstr(s, "...") && strlen(s) < 100000, "deep nesting ends in an ellipsis");
    free(s);
}

#ifndef HAVE_QUADMATH
int main(void)
{
    struct pool *p = pool_new();
    numbers(p);
    forms(p);
    long_ones(p);
    text(p);
    pool_free(p);
    return tap_done();
}
#else
#include "expr_random.h"

/* Put a list together in random order and with random brackets. */
static Expr assemble(struct random *r, int n, const Expr *part, Expr (*join)(struct pool *, Expr, Expr))
{
    Expr list[16];
    memcpy(list, part, (size_t)n * sizeof *list);
    while (n > 1) {
        int a = random_below(r, n), b = random_below(r, n - 1);
        b += b >= a;
        list[a] = join(r->pool, list[a], list[b]);
        list[b] = list[--n];
    }
    return list[0];
}

static void rearrangement(struct random *r)
{
    int sums = 0, products = 0, differences = 0;
    for (int trial = 0; trial < 2000; trial++) {
        if (trial % 20 == 0)
            random_reset(r);
        random_start(r);
        struct pool *p = r->pool;
        Expr part[6];
        int n = 2 + random_below(r, 4);
        /* Decimal numbers are left out: adding doubles is not associative. */
        for (int k = 0; k < n; k++) {
            Expr x = r->var[random_below(r, VARS)], y = r->var[random_below(r, VARS)];
            Expr c = expr_rational(p, random_below(r, 9) - 4, 1 + random_below(r, 3));
            Expr atom[] = {x, c, expr_mul(p, x, y), expr_fn1(p, EXPR_SIN, expr_sub(p, x, y)), expr_sqrt(p, x),
                           expr_add(p, expr_mul(p, c, x), y), expr_div(p, x, y), expr_fn2(p, EXPR_MAX, x, c)};
            part[k] = atom[random_below(r, 8)];
        }
        sums += assemble(r, n, part, expr_add) != assemble(r, n, part, expr_add);
        sums += assemble(r, n, part, expr_add) != expr_sum(p, n, part);
        products += assemble(r, n, part, expr_mul) != expr_product(p, n, part);
        differences += expr_sub(p, part[0], part[1]) != expr_neg(p, expr_sub(p, part[1], part[0]));
    }
    ok(sums == 0, "sums do not depend on order and brackets: %d wrong", sums);
    ok(products == 0, "products do not depend on order and brackets: %d wrong", products);
    ok(differences == 0, "a - b is -(b - a): %d wrong", differences);
}

static quad call_quad(void *user, const struct fn *f, const quad *x)
{
    (void)user;
    return RANDOM_WAVE(f, x[0], x[1], sinq, cosq, expq);
}

/* The canonical form keeps the value.  Functions of numbers and decimal numbers are folded in doubles,
 * and intermediate values go up to 1e4, so agreement is to 1e-9, not to 34 digits; most agree to 1e-30. */
static void values(struct random *r)
{
    int wrong = 0, close = 0, rebuilt = 0, n = 0;
    while (n < 20000) {
        if (n % 50 == 0)
            random_reset(r);
        random_start(r);
        struct rexpr x = random_expr(r, 2 + random_below(r, 5));
        if (!(r->largest < 1e4Q))
            continue;
        n++;
        struct eval_env_quad env = {.call = call_quad};
        env.val[SYM_Q] = r->at;
        env.val[SYM_V] = r->at + 1;
        env.val[SYM_TIME] = r->at + 2;
        env.val[SYM_PARAM] = r->at + 3;
        quad v;
        expr_eval_quad(r->pool, &env, 1, &x.e, &v);
        close += fabsq(v - x.v) <= 1e-30Q * fmaxq(1, fabsq(x.v));
        if (!(fabsq(v - x.v) <= 1e-9Q * fmaxq(1, fabsq(x.v)))) {
            char *s = expr_show(r->pool, x.e);
            printf("# %.300s: %.20g, built as %.20g\n", s, (double)v, (double)x.v);
            free(s);
            wrong++;
        }
        int args = expr_args(r->pool, x.e);
        Expr *arg = malloc(((size_t)args + 1) * sizeof *arg);
        for (int k = 0; k < args; k++)
            arg[k] = expr_arg(r->pool, x.e, k);
        if (expr_rebuild(r->pool, x.e, arg) != x.e) {
            char *s = expr_show(r->pool, x.e), *again = expr_show(r->pool, expr_rebuild(r->pool, x.e, arg));
            printf("# %.300s rebuilt is %.300s\n", s, again);
            free(s);
            free(again);
            rebuilt++;
        }
        free(arg);
    }
    ok(wrong == 0, "20000 random expressions keep their value: %d wrong", wrong);
    ok(close > n / 2, "most of them to 30 digits: %d", close);
    ok(rebuilt == 0, "rebuilt from its operands an expression is itself: %d wrong", rebuilt);
}

/* Equal handles if and only if equal nodes: compare every pair in buckets of equal content. */
static int node_compare(const struct pool *p, Expr a, Expr b)
{
    const struct node *x = &p->node[a], *y = &p->node[b];
    if (x->op != y->op)
        return x->op < y->op ? -1 : 1;
    if (x->op == EXPR_NUM || x->op == EXPR_SYM)
        return x->at < y->at ? -1 : x->at > y->at;
    if (x->n != y->n)
        return x->n < y->n ? -1 : 1;
    return memcmp(p->args + x->at, p->args + y->at, x->n * sizeof *p->args);
}

static const struct pool *sorting;
static int handle_compare(const void *a, const void *b)
{
    return node_compare(sorting, *(const Expr *)a, *(const Expr *)b);
}

static void sharing(struct random *r)
{
    random_reset(r);
    while (r->pool->nodes < 50000) {
        random_start(r);
        random_expr(r, 6);
    }
    struct pool *p = r->pool;
    Expr *all = malloc(p->nodes * sizeof *all);
    int doubles = 0, order = 0;
    for (Expr e = 1; e < p->nodes; e++) {
        all[e] = e;
        for (int k = 0; k < expr_args(p, e); k++)
            order += expr_arg(p, e, k) >= e;
    }
    sorting = p;
    qsort(all + 1, p->nodes - 1, sizeof *all, handle_compare);
    for (Expr e = 2; e < p->nodes; e++)
        doubles += node_compare(p, all[e - 1], all[e]) == 0;
    free(all);
    ok(doubles == 0, "of %u nodes none exists twice", p->nodes);
    ok(order == 0, "operands have smaller handles");
}

int main(void)
{
    struct pool *p = pool_new();
    numbers(p);
    forms(p);
    long_ones(p);
    pool_free(p);
    p = pool_new();
    text(p);
    pool_free(p);
    struct random r = {.seed = 4711};
    rearrangement(&r);
    values(&r);
    sharing(&r);
    pool_free(r.pool);
    return tap_done();
}
#endif
