/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Interpreters of expressions in doubles and in complex numbers.  They share nothing with the tape or the
 * emitter, so they can stand as a witness for both.
 *
 * In complex numbers f(x + i h) with a tiny h carries the derivative in its imaginary part (complex step).
 * Corners (if) go by the real part, as in the real function; functions take the real value and the first-order term of the
 * imaginary part, since some of libm's complex versions cross branch cuts for real arguments. */
#include "base/arena.h"
#include "expr/cone.h"
#include "expr/expr.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

/* --- functions and their derivatives in doubles, as ops.def says them --- */
static double sign(double x)
{
    return (x > 0) - (x < 0);
}

#define M(name) name
#define RE(x) (x)
#define OP(name, text, args, c, calls) case EXPR_##name: break;
#define TEST(name, text, args, symmetry, latex, value) case EXPR_##name: return value;
#define FUNCTION(name, text, args, c, symmetry, calls, price, latex, units, domain, value, by_x, by_y) case EXPR_##name: return value;
double op_value(enum expr_op op, double x, double y)
{
    switch (op) {
#include "mbs/ops.def"
    }
    abort();
}
#undef TEST
#undef FUNCTION

#define ZERO 0
#define ONE 1
#define NUMBER(k) (k)
#define PLUS(a, b) ((a) + (b))
#define MINUS(a, b) ((a) - (b))
#define TIMES(a, b) ((a) * (b))
#define OVER(a, b) ((a) / (b))
#define NEG(a) (-(a))
#define ROOT(a) sqrt(a)
#define SQUARE(a) ((a) * (a))
#define AT_MOST(a, b) ((a) <= (b))
#define OF(name, c, a) c(a)
#define TEST(name, text, args, symmetry, latex, value) case EXPR_##name: return 0;
#define FUNCTION(name, text, args, c, symmetry, calls, price, latex, units, domain, value, by_x, by_y) case EXPR_##name: return k == 0 ? by_x : by_y;
double op_slope(enum expr_op op, int k, double x, double y)
{
    double f = op_value(op, x, y);
    switch (op) {
#include "mbs/ops.def"
    }
    abort();
}
#undef OP
#undef TEST
#undef FUNCTION
#undef NUMBER
#undef M
#undef RE

/* --- expressions in doubles --- */
#define NUMBER double
#define RE(x) (x)
#define ENV eval_env
#define EVAL expr_eval
#define RUN real_run
#define FN(name) REAL_##name
#define REAL_powi real_powi
#define REAL_power real_power
#define REAL_node real_node
#define REAL_pow pow
#define REAL_sqrt sqrt
#define CALL(op, x, y, value) (value)
#define M(name) name
#define EXACT(num, den) ((double)(num) / (double)(den))
#define IS_UNIT(x, one) false
#include "expr/eval.inc"

/* --- the running error bound, in units of the roundoff --- */
/* What is wrong with the value of a node that others take as an operand: leaves are exact. */
static double fault(const struct pool *p, Expr e, const double *size)
{
    enum expr_op op = expr_op(p, e);
    return op == EXPR_SYM || op == EXPR_NUM ? 0 : size[e];
}

/* slope*wrong, where an operand that is right makes nothing wrong even at an infinite slope */
static double carried(double slope, double wrong)
{
    return wrong == 0 ? 0 : fabs(slope) * wrong;
}

/* A factor b^x.  A whole power of a sum counts as its expanded form; roots and quotients carry what is wrong with the base,
 * and a root of something that vanishes is wrong by the root of that. */
static double factor_size(double base, double exponent, double size, double wrong)
{
    if (exponent > 0 && exponent == floor(exponent))
        return pow(size, exponent);
    double first = carried(exponent * pow(base, exponent - 1), wrong);
    if (exponent > 0)
        first = fmin(first, pow(wrong * DBL_EPSILON, exponent) / DBL_EPSILON);
    return fabs(pow(base, exponent)) + first;
}

static double call_size(const struct pool *p, const struct eval_env *env, Expr e, const double *val, const double *size)
{
    double args[FN_ARGS] = {0}, sum = fabs(val[e]);
    int n = expr_args(p, e);
    for (int k = 0; k < n; k++)
        args[k] = val[expr_arg(p, e, k)];
    for (int k = 0; env->call && k < n; k++) {
        struct fn slope = p->fn[expr_call_fn(p, e)];
        slope.orders[k]++;
        double wrong = fault(p, expr_arg(p, e, k), size);
        if (wrong > 0)
            sum += carried(env->call(env->user, &slope, args), wrong);
    }
    return sum;
}

static double real_magnitude(const struct pool *p, const struct eval_env *env, Expr e, const double *val, const double *size)
{
    enum expr_op op = expr_op(p, e);
    int n = op == EXPR_NUM || op == EXPR_SYM ? 0 : expr_args(p, e);
    Expr first = n > 0 ? expr_arg(p, e, 0) : 0, second = n > 1 ? expr_arg(p, e, 1) : 0;
    double x = n > 0 ? val[first] : 0, y = n > 1 ? val[second] : 0, f = val[e], sum = 0, product = 1;
    double dx = n > 0 ? fault(p, first, size) : 0, dy = n > 1 ? fault(p, second, size) : 0;
    switch (op) {
    case EXPR_ADD:
        sum = fabs(val[expr_const(p, e)]);
        for (int k = 0; k < expr_pairs(p, e); k++) {
            Expr c, t = expr_pair(p, e, k, &c);
            sum += fabs(val[c]) * size[t];
        }
        return sum;
    case EXPR_MUL:
        for (int k = 0; k < expr_pairs(p, e); k++) {
            Expr exponent, b = expr_pair(p, e, k, &exponent);
            product *= factor_size(val[b], val[exponent], size[b], fault(p, b, size));
        }
        return product;
    case EXPR_HOLD: return size[first];
    case EXPR_IF: return size[expr_arg(p, e, x != 0 ? 1 : 2)];
    case EXPR_POW: return fabs(f) + carried(y * pow(x, y - 1), dx) + carried(f * log(x), dy);
#include "expr/function_cases.inc"
        return fabs(f) + carried(op_slope(op, 0, x, y), dx) + (n > 1 ? carried(op_slope(op, 1, x, y), dy) : 0);
    case EXPR_CALL: return call_size(p, env, e, val, size);
#include "expr/test_cases.inc"
    case EXPR_NUM: case EXPR_SYM:
        return fabs(f);
    }
    return fabs(f);
}

void expr_eval_magnitude(const struct pool *p, const struct eval_env *env, int n, const Expr *e, double *out)
{
    struct cone cone = {0};
    cone_collect(&cone, p, n, e);
    size_t top = cone.n ? (size_t)cone.at[cone.n - 1] + 1 : 1;
    double *val = mem_grow(NULL, 2 * top, sizeof *val), *size = val + top;
    for (int i = 0; i < cone.n; i++) {
        val[cone.at[i]] = real_node(p, env, cone.at[i], val);
        size[cone.at[i]] = real_magnitude(p, env, cone.at[i], val, size);
    }
    for (int k = 0; k < n; k++)
        out[k] = size[e[k]];
    free(val);
    cone_fini(&cone);
}

/* Values of all symbols, 0.3 to 1.3 times `part`; x goes on from state to state. */
static void any_state(const int count[SYM_KINDS], double *any[SYM_KINDS], double part, double *x)
{
    for (int k = 0; k < SYM_KINDS; k++)
        for (int i = 0; i < count[k]; i++) {
            *x += 0.6180339887498949;           /* the golden ratio fills the interval evenly */
            *x -= *x >= 1;
            any[k][i] = part * (0.3 + *x);
        }
}

/* Where an entry is no number, as sqrt(1 - x^2 - y^2) may be, it is looked at nearer to zero. */
void expr_vanish(const struct pool *p, int n, const Expr *e, bool *zero)
{
    enum { STATES = 3, NEARER = 3 };
    int count[SYM_KINDS] = {0};
    struct eval_env env = {0};
    double *any[SYM_KINDS], *value = mem_grow(NULL, 2 * (size_t)n + 1, sizeof *value), *size = value + n, x = 0.5;
    int *judged = mem_grow(NULL, (size_t)n + 1, sizeof *judged);
    for (uint32_t i = 0; i < p->syms; i++)
        if (p->sym[i].index >= count[p->sym[i].kind])
            count[p->sym[i].kind] = p->sym[i].index + 1;
    for (int k = 0; k < SYM_KINDS; k++)
        env.val[k] = any[k] = mem_grow(NULL, (size_t)count[k] + 1, sizeof *any[k]);
    for (int i = 0; i < n; i++) {
        zero[i] = true;
        judged[i] = 0;
    }
    for (int look = 0, left = n; look < STATES * NEARER && left; look++) {
        any_state(count, any, look < STATES ? 1 : look < 2 * STATES ? 0.25 : 0.0625, &x);
        expr_eval(p, &env, n, e, value);
        expr_eval_magnitude(p, &env, n, e, size);
        left = 0;
        for (int i = 0; i < n; i++) {
            if (zero[i] && judged[i] < STATES && isfinite(value[i])) {
                zero[i] = fabs(value[i]) <= 1e-11 * size[i];
                judged[i]++;
            }
            left += zero[i] && judged[i] < STATES;
        }
    }
    for (int i = 0; i < n; i++)
        zero[i] = zero[i] && judged[i] == STATES;
    for (int k = 0; k < SYM_KINDS; k++)
        free(any[k]);
    free(judged);
    free(value);
}
#undef NUMBER
#undef RE
#undef ENV
#undef EVAL
#undef RUN
#undef FN
#undef CALL
#undef M
#undef EXACT
#undef IS_UNIT

/* CMPLX of C11, which glibc offers to gcc only: a complex number is an array of two. */
static double _Complex complex_of(double re, double im)
{
    double _Complex z;
    ((double *)&z)[0] = re;
    ((double *)&z)[1] = im;
    return z;
}

/* f(x) + i f'(x) im x; at the end of a domain the slope is infinite, which a constant does not notice. */
static double _Complex complex_function(enum expr_op op, double _Complex x, double _Complex y)
{
    double a = creal(x), b = creal(y), im = 0;
    if (cimag(x) != 0)
        im += op_slope(op, 0, a, b) * cimag(x);
    if (cimag(y) != 0)
        im += op_slope(op, 1, a, b) * cimag(y);
    return complex_of(op_value(op, a, b), im);
}

static double _Complex complex_sqrt(double _Complex x)
{
    return creal(x) < 0 ? complex_of(NAN, NAN) : csqrt(x);
}

/* x^y for x > 0; for x <= 0 only what a real power gives. */
static double _Complex complex_pow(double _Complex x, double _Complex y)
{
    return creal(x) > 0 ? cexp(y * clog(x)) : complex_of(pow(creal(x), creal(y)), NAN);
}

#define NUMBER double _Complex
#define RE(x) creal(x)
#define ENV eval_env_complex
#define EVAL expr_eval_complex
#define RUN complex_run
#define FN(name) COMPLEX_##name
#define COMPLEX_powi complex_powi
#define COMPLEX_power complex_power
#define COMPLEX_node complex_node
#define COMPLEX_pow complex_pow
#define COMPLEX_sqrt complex_sqrt
#define CALL(op, x, y, value) complex_function(op, x, y)
#define EXACT(num, den) ((double)(num) / (double)(den))
#define IS_UNIT(x, one) false
#include "expr/eval.inc"
