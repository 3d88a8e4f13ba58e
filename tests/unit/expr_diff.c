/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Derivatives of random expressions over all operators: forward, along a direction, reverse, and second
 * derivatives, against differences of the interpreter in 128-bit numbers and against complex steps.
 *
 * Differences of eighth order with step 1e-4: truncation h^8 f^(9)/630 and rounding 1e-34/h leave some 20
 * digits.  Decimal constants that meet are folded in doubles when expressions are built, in a derivative
 * otherwise than in what it was made from; so a derivative is accepted at 1e-13 of max(1, |f'|).  Where two step sizes do not agree to that (a corner or a pole nearby) the point is no reference and is
 * left out; at most 3 % of the points may be.
 * Complex steps run in doubles on intermediate values up to 1e4, whose rounding, amplified by the
 * conditioning of the expression, can reach 1e-9 of the derivative's terms; accepted at 1e-7.
 */
#include "config.h"
#include "expr/expr.h"
#include "../tap.h"

#ifndef HAVE_QUADMATH
int main(void)
{
    skip(1, "no libquadmath");
    return tap_done();
}
#else
#include "expr_random.h"
#include <complex.h>
#include <stdlib.h>
#include <string.h>

static quad call_quad(void *user, const struct fn *f, const quad *x)
{
    (void)user;
    return RANDOM_WAVE(f, x[0], x[1], sinq, cosq, expq);
}

static double _Complex call_complex(void *user, const struct fn *f, const double _Complex *x)
{
    (void)user;
    return RANDOM_WAVE(f, x[0], x[1], csin, ccos, cexp);
}

static double call_double(void *user, const struct fn *f, const double *x)
{
    (void)user;
    return RANDOM_WAVE(f, x[0], x[1], sin, cos, exp);
}

static void eval(const struct random *r, const quad *x, int n, const Expr *e, quad *out)
{
    struct eval_env_quad env = {.call = call_quad};
    env.val[SYM_Q] = x;
    env.val[SYM_V] = x + 1;
    env.val[SYM_TIME] = x + 2;
    env.val[SYM_PARAM] = x + 3;
    expr_eval_quad(r->pool, &env, n, e, out);
}

/* Eighth-order central difference along dir. */
static quad difference(const struct random *r, Expr e, const quad *dir, quad h)
{
    static const quad w[4] = {4.0Q / 5, -1.0Q / 5, 4.0Q / 105, -1.0Q / 280};
    quad sum = 0;
    for (int k = 0; k < 4; k++) {
        quad x[VARS], plus, minus;
        for (int i = 0; i < VARS; i++)
            x[i] = r->at[i] + (k + 1) * h * dir[i];
        eval(r, x, 1, &e, &plus);
        for (int i = 0; i < VARS; i++)
            x[i] = r->at[i] - (k + 1) * h * dir[i];
        eval(r, x, 1, &e, &minus);
        sum += w[k] * (plus - minus);
    }
    return sum / h;
}

static const quad tolerance = 1e-13Q;

static bool agree(quad a, quad b, quad tol)
{
    return fabsq(a - b) <= tol * fmaxq(1, fabsq(b));
}

static bool reference(const struct random *r, Expr e, const quad *dir, quad *d)
{
    *d = difference(r, e, dir, 1e-4Q);
    return agree(difference(r, e, dir, 0.7e-4Q), *d, tolerance / 1000);
}

struct tally {
    long expressions, points, left_out, forward, along, reverse, second, complex_step, complex_points;
    long ops[EXPR_OPS];
};

static void count_ops(const struct pool *p, Expr e, struct tally *t)
{
    t->ops[expr_op(p, e)]++;
    for (int k = 0; k < expr_args(p, e); k++)
        count_ops(p, expr_arg(p, e, k), t);
}

static void complain(const struct random *r, const char *what, Expr e, quad got, quad want)
{
    char *text = expr_show(r->pool, e);
    printf("# %s of %.300s: %.20g, expected %.20g\n", what, text, (double)got, (double)want);
    free(text);
}

static void check_complex(const struct random *r, Expr e, Expr d, int k, quad want, struct tally *t)
{
    double _Complex x[VARS], f;
    for (int i = 0; i < VARS; i++)
        x[i] = (double)r->at[i] + (i == k ? 1e-30 * I : 0);
    struct eval_env_complex env = {.call = call_complex};
    env.val[SYM_Q] = x;
    env.val[SYM_V] = x + 1;
    env.val[SYM_TIME] = x + 2;
    env.val[SYM_PARAM] = x + 3;
    expr_eval_complex(r->pool, &env, 1, &e, &f);
    double y[VARS], plain;
    for (int i = 0; i < VARS; i++)
        y[i] = (double)r->at[i];
    struct eval_env real = {.call = call_double};
    real.val[SYM_Q] = y;
    real.val[SYM_V] = y + 1;
    real.val[SYM_TIME] = y + 2;
    real.val[SYM_PARAM] = y + 3;
    expr_eval(r->pool, &real, 1, &d, &plain);
    t->complex_points++;
    if (!agree(cimag(f) / 1e-30, want, 1e-7Q) || !agree(plain, want, 1e-7Q)) {
        t->complex_step++;
        complain(r, "complex step", e, cimag(f) / 1e-30, want);
        complain(r, "derivative in doubles", e, plain, want);
    }
}

/* All first derivatives of e and one second derivative. */
static void check(struct random *r, Expr e, struct tally *t)
{
    struct pool *p = r->pool;
    static const unsigned all = DEP(SYM_Q) | DEP(SYM_V) | DEP(SYM_TIME) | DEP(SYM_PARAM);
    struct diff *diff = diff_new(p, all);
    Expr d[VARS], reverse[VARS], number[VARS];
    quad dir[VARS], want, got[3];
    for (int k = 0; k < VARS; k++) {
        int n = random_below(r, 9) - 4;
        dir[k] = n / 4.0;
        number[k] = expr_rational(p, n, 4);
        d[k] = diff_by(diff, e, r->var[k]);
    }
    expr_reverse(p, e, VARS, r->var, reverse);
    for (int k = 0; k < VARS; k++) {
        quad unit[VARS] = {0};
        unit[k] = 1;
        t->points++;
        if (!reference(r, e, unit, &want)) {
            t->left_out++;
            continue;
        }
        eval(r, r->at, 3, (Expr[]){d[k], reverse[k], expr_diff(p, e, r->var[k])}, got);
        if (!agree(got[0], want, tolerance) || !agree(got[2], want, tolerance)) {
            t->forward++;
            complain(r, "forward derivative", e, got[0], want);
        }
        if (!agree(got[1], want, tolerance)) {
            t->reverse++;
            complain(r, "reverse derivative", e, got[1], want);
        }
        check_complex(r, e, d[k], k, want, t);
    }
    struct direction *along = direction_new(p, VARS, r->var, number);
    Expr first = direction_diff(along, e), second = direction_diff(along, first);
    t->points += 2;
    if (reference(r, e, dir, &want)) {
        eval(r, r->at, 1, &first, got);
        if (!agree(got[0], want, tolerance)) {
            t->along++;
            complain(r, "directional derivative", e, got[0], want);
        }
    } else {
        t->left_out++;
    }
    /* The first derivative has been checked just now; its differences check the second. */
    if (reference(r, first, dir, &want)) {
        Expr sum[VARS];
        for (int k = 0; k < VARS; k++)
            sum[k] = expr_mul(p, number[k], diff_by(diff, first, r->var[k]));
        eval(r, r->at, 2, (Expr[]){second, expr_sum(p, VARS, sum)}, got);
        if (!agree(got[0], want, tolerance) || !agree(got[1], want, tolerance)) {
            t->second++;
            complain(r, "second derivative", e, got[0], want);
        }
    } else {
        t->left_out++;
    }
    direction_free(along);
    diff_free(diff);
}

static void random_expressions(void)
{
    struct random r = {.seed = 20240607};
    struct tally t = {0};
    while (t.expressions < 3200) {
        if (t.expressions % 8 == 0 || r.pool->nodes > 20000)
            random_reset(&r);
        random_start(&r);
        struct rexpr x = random_expr(&r, 2 + random_below(&r, 4));
        if (!(r.largest < 1e4Q) || !expr_deps(r.pool, x.e))
            continue;
        t.expressions++;
        count_ops(r.pool, x.e, &t);
        check(&r, x.e, &t);
    }
    pool_free(r.pool);
    printf("# %ld expressions, %ld derivatives, %ld without a reference\n", t.expressions, t.points, t.left_out);
    ok(t.forward == 0, "forward derivatives: %ld wrong", t.forward);
    ok(t.reverse == 0, "reverse derivatives: %ld wrong", t.reverse);
    ok(t.along == 0, "directional derivatives: %ld wrong", t.along);
    ok(t.second == 0, "second derivatives: %ld wrong", t.second);
    ok(t.complex_step == 0, "complex steps: %ld of %ld wrong", t.complex_step, t.complex_points);
    ok(t.left_out * 100 < 3 * t.points, "few points without a reference: %ld of %ld", t.left_out, t.points);
    int missing = 0;
    for (int op = 0; op < EXPR_OPS; op++)
        missing += t.ops[op] < 20;
    ok(missing == 0, "every operator occurs at least 20 times");
}

static void is(struct pool *p, Expr e, const char *want)
{
    char *text = expr_show(p, e);
    ok(!strcmp(text, want), "%s", want);
    if (strcmp(text, want))
        printf("# got %s\n", text);
    free(text);
}

/* The shapes that keep operation counts low. */
static void shapes(void)
{
    struct pool *p = pool_new();
    Expr x = expr_sym(p, SYM_Q, 0, "x"), y = expr_sym(p, SYM_Q, 1, "y"), k = expr_sym(p, SYM_PARAM, 0, "k");
    is(p, expr_diff(p, expr_powi(p, x, 3), x), "3*x^2");
    is(p, expr_diff(p, expr_sqrt(p, x), x), "1/(2*sqrt(x))");
    is(p, expr_diff(p, expr_fn1(p, EXPR_TAN, x), x), "tan(x)^2 + 1");
    is(p, expr_diff(p, expr_fn1(p, EXPR_TANH, x), x), "1 - tanh(x)^2");
    is(p, expr_diff(p, expr_product(p, 3, (Expr[]){k, expr_powi(p, x, 2), y}), x), "2*x*y*k");
    is(p, expr_diff(p, expr_fn1(p, EXPR_ABS, x), x), "sign(x)");
    is(p, expr_diff(p, expr_fn2(p, EXPR_MIN, x, y), x), "if(x <= y, 1, 0)");
    is(p, expr_diff(p, expr_fn1(p, EXPR_SIGN, x), x), "0");
    Expr r = expr_add(p, expr_mul(p, x, x), expr_mul(p, y, y)), out[2];
    /* k*(sqrt(r) - 1)^2/2: the force is shared by both components. */
    Expr stretch = expr_sub(p, expr_sqrt(p, r), p->one);
    Expr u = expr_mul(p, expr_mul(p, k, p->half), expr_powi(p, stretch, 2));
    expr_reverse(p, u, 2, (Expr[]){x, y}, out);
    is(p, out[0], "x*k*(sqrt(x^2 + y^2) - 1)/sqrt(x^2 + y^2)");
    pool_free(p);
}

/* Every function of the table at places all over its domain: its derivatives are those of its value in 128 bit. */
static void functions(void)
{
    struct pool *p = pool_new();
    Expr var[2] = {expr_sym(p, SYM_Q, 0, "x"), expr_sym(p, SYM_Q, 1, "y")};
    for (int op = 0; op < EXPR_OPS; op++) {
        const struct op_info *f = &op_info[op];
        quad worst = 0;
        if (f->units == UNITS_NONE)
            continue;
        Expr e = f->args == 1 ? expr_fn1(p, (enum expr_op)op, var[0]) : expr_fn2(p, (enum expr_op)op, var[0], var[1]);
        for (int i = 1; i < 40; i++)
            for (int k = 0; k < f->args; k++) {
                quad from = fmax(f->from, -2.5), to = fmin(f->to, 2.5), x[2] = {from + (to - from) * i / 40.25Q, 0.7Q}, value[2], slope;
                Expr d = expr_diff(p, e, var[k]);
                quad h = 1e-10Q, at = x[k];
                struct eval_env_quad env = {.val = {[SYM_Q] = x}};
                expr_eval_quad(p, &env, 1, &d, &slope);
                for (int side = 0; side < 2; side++) {
                    x[k] = at + (side ? h : -h);
                    expr_eval_quad(p, &env, 1, &e, &value[side]);
                }
                worst = fmaxq(worst, fabsq(slope - (value[1] - value[0]) / (2 * h)) / fmaxq(1, fabsq(slope)));
            }
        /* differences are good to h^2 f''' and 1e-34/h; a constant of the table has 16 digits */
        ok(worst < 1e-15Q, "%s: derivatives are right to %.1e", f->text, (double)worst);
    }
    pool_free(p);
}

/* The natural scale of a function of a sum that cancels is the slope times the size of its terms. */
static void sizes(void)
{
    struct pool *p = pool_new();
    Expr x = expr_sym(p, SYM_Q, 0, "x"), y = expr_sym(p, SYM_Q, 1, "y"), sum = expr_add(p, x, y);
    Expr e[] = {expr_fn1(p, EXPR_SIN, sum), expr_fn1(p, EXPR_EXP, sum), expr_fn2(p, EXPR_ATAN2, expr_int(p, 3), expr_add(p, sum, p->two))};
    double at[2] = {1000, -1000}, size[3];
    struct eval_env env = {.val = {[SYM_Q] = at}};
    expr_eval_magnitude(p, &env, 3, e, size);
    near(size[0], 2000, 1e-9, "sin(1000 - 1000) is wrong by cos 0 times 2000 roundings");
    near(size[1], 2001, 1e-9, "exp(1000 - 1000) by that and one of its own");
    near(size[2], atan2(3, 2) + 3. / 13 * 2002, 1e-9, "atan2(3, 1000 - 1000 + 2) by its derivative by the second operand");
    pool_free(p);
}

/* A DAG of depth 1e5, with 2^(1e5) paths: time and stack must not notice. */
static void depth(void)
{
    struct pool *p = pool_new();
    Expr x = expr_sym(p, SYM_Q, 0, "x"), e = x, out, small = expr_rational(p, 1, 100000);
    for (int k = 0; k < 100000; k++)
        e = expr_add(p, e, expr_mul(p, small, expr_fn1(p, EXPR_SIN, expr_mul(p, e, e))));
    uint32_t before = p->nodes;
    expr_reverse(p, e, 1, &x, &out);
    ok(p->nodes - before < 10 * 100000, "reverse is linear in the size of the DAG: %u new nodes", p->nodes - before);
    before = p->nodes;
    Expr d = expr_diff(p, e, x);
    ok(p->nodes - before < 10 * 100000, "forward too: %u new nodes", p->nodes - before);
    double at = 0.3, v[2];
    struct eval_env env = {.val = {[SYM_Q] = &at}};
    expr_eval(p, &env, 2, (Expr[]){d, out}, v);
    /* Some 1e5 roundings of 1e-16 that add up at random. */
    near(v[0], v[1], 1e-12, "both have one value at depth 1e5");
    Expr y = expr_sym(p, SYM_Q, 1, "y"), in = e, back;
    expr_substitute(p, 1, &x, &y, 1, &in, &in);
    expr_substitute(p, 1, &y, &x, 1, &in, &back);
    ok(in != e && back == e, "substitution there and back");
    pool_free(p);
}

/* A sum of n products a_k*b_k has a gradient of 2n entries: sparse, with the right entries. */
static void sparse(void)
{
    enum { N = 2000 };
    struct pool *p = pool_new();
    static Expr term[N], a[N], b[N];
    for (int k = 0; k < N; k++) {
        a[k] = expr_sym(p, SYM_Q, k, "a");
        b[k] = expr_sym(p, SYM_V, k, "b");
        term[k] = expr_mul(p, a[k], b[k]);
    }
    Expr e = expr_sum(p, N, term);
    struct diff *s = diff_new(p, DEP(SYM_Q) | DEP(SYM_V));
    struct gradient g = diff_gradient(s, e);
    int good = g.n == 2 * N;
    for (int k = 0; k < N && good; k++)
        good = diff_by(s, e, a[k]) == b[k] && diff_by(s, e, b[k]) == a[k];
    ok(good, "gradient of a long sum");
    ok(diff_by(s, e, expr_sym(p, SYM_TIME, 0, "t")) == p->zero, "no derivative by what does not occur");
    diff_free(s);
    pool_free(p);
}

int main(void)
{
    shapes();
    functions();
    sizes();
    depth();
    sparse();
    random_expressions();
    return tap_done();
}
#endif
