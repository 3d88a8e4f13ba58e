/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Interpreters of expressions in doubles and in complex numbers.  They share nothing with the tape or the
 * emitter, so they can stand as a witness for both.
 *
 * In complex numbers f(x + i h) with a tiny h carries the derivative in its imaginary part (complex step).
 * Corners (abs, min, max, if) go by the real part, as in the real function; atan2 takes the real angle
 * and the first-order term of its imaginary part, as do the inverse functions, whose complex versions in
 * libm cross branch cuts for real arguments. */
#include "base/arena.h"
#include "expr/cone.h"
#include "expr/expr.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#define NUMBER double
#define RE(x) (x)
#define FLOOR(x) floor(x)
#define ENV eval_env
#define EVAL expr_eval
#define RUN real_run
#define FN(name) REAL_##name
#define REAL_powi real_powi
#define REAL_power real_power
#define REAL_node real_node
#define REAL_pow pow
#define REAL_sqrt sqrt
#define REAL_sin sin
#define REAL_cos cos
#define REAL_tan tan
#define REAL_asin asin
#define REAL_acos acos
#define REAL_atan atan
#define REAL_sinh sinh
#define REAL_cosh cosh
#define REAL_tanh tanh
#define REAL_exp exp
#define REAL_log log
#define ATAN2(y, x) atan2(y, x)
#define EXACT(num, den) ((double)(num) / (double)(den))
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
    case EXPR_HOLD: case EXPR_ABS: return size[first];
    case EXPR_IF: return size[expr_arg(p, e, x != 0 ? 1 : 2)];
    case EXPR_MIN: return size[x <= y ? first : second];
    case EXPR_MAX: return size[y <= x ? first : second];
    case EXPR_POW: return fabs(f) + carried(y * pow(x, y - 1), dx) + carried(f * log(x), dy);
    case EXPR_SIN: return fabs(f) + carried(cos(x), dx);
    case EXPR_COS: return fabs(f) + carried(sin(x), dx);
    case EXPR_TAN: return fabs(f) + carried(1 + f * f, dx);
    case EXPR_ASIN: case EXPR_ACOS: return fabs(f) + carried(1 / sqrt((1 - x) * (1 + x)), dx);
    case EXPR_ATAN: return fabs(f) + carried(1 / (1 + x * x), dx);
    case EXPR_ATAN2: return fabs(f) + carried(y / (x * x + y * y), dx) + carried(x / (x * x + y * y), dy);
    case EXPR_SINH: return fabs(f) + carried(cosh(x), dx);
    case EXPR_COSH: return fabs(f) + carried(sinh(x), dx);
    case EXPR_TANH: return fabs(f) + carried(1 - f * f, dx);
    case EXPR_EXP: return fabs(f) + carried(f, dx);
    case EXPR_LOG: return fabs(f) + carried(1 / x, dx);
    case EXPR_CALL: return call_size(p, env, e, val, size);
    case EXPR_NUM: case EXPR_SYM: case EXPR_SIGN: case EXPR_FLOOR: case EXPR_LT: case EXPR_LE: case EXPR_EQ: case EXPR_AND: case EXPR_OR:
    case EXPR_NOT:
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
#undef NUMBER
#undef RE
#undef ENV
#undef EVAL
#undef RUN
#undef FN
#undef ATAN2
#undef EXACT

/* CMPLX of C11, which glibc offers to gcc only: a complex number is an array of two. */
static double _Complex complex_of(double re, double im)
{
    double _Complex z;
    ((double *)&z)[0] = re;
    ((double *)&z)[1] = im;
    return z;
}

/* f(x) + i f'(x) im x; at the end of a domain the slope is infinite, which a constant does not notice. */
static double _Complex first_order(double f, double slope, double _Complex x)
{
    return complex_of(f, cimag(x) == 0 ? 0 : slope * cimag(x));
}

static double _Complex complex_asin(double _Complex x)
{
    double r = creal(x);
    return first_order(asin(r), 1 / sqrt((1 - r) * (1 + r)), x);
}

static double _Complex complex_acos(double _Complex x)
{
    double r = creal(x);
    return first_order(acos(r), -1 / sqrt((1 - r) * (1 + r)), x);
}

static double _Complex complex_atan(double _Complex x)
{
    return first_order(atan(creal(x)), 1 / (1 + creal(x) * creal(x)), x);
}

static double _Complex complex_atan2(double _Complex y, double _Complex x)
{
    double a = creal(y), b = creal(x);
    return complex_of(atan2(a, b), (b * cimag(y) - a * cimag(x)) / (a * a + b * b));
}

static double _Complex complex_log(double _Complex x)
{
    return creal(x) < 0 ? complex_of(NAN, NAN) : clog(x);
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
#define COMPLEX_sin csin
#define COMPLEX_cos ccos
#define COMPLEX_tan ctan
#define COMPLEX_asin complex_asin
#define COMPLEX_acos complex_acos
#define COMPLEX_atan complex_atan
#define COMPLEX_sinh csinh
#define COMPLEX_cosh ccosh
#define COMPLEX_tanh ctanh
#define COMPLEX_exp cexp
#define COMPLEX_log complex_log
#define ATAN2(y, x) complex_atan2(y, x)
#define EXACT(num, den) ((double)(num) / (double)(den))
#include "expr/eval.inc"
