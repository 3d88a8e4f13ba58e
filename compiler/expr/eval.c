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
#include <math.h>
#include <stdlib.h>

#define RUN_LINKAGE static
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

static double real_magnitude(const struct pool *p, Expr e, const double *val, const double *size)
{
    enum expr_op op = expr_op(p, e);
    double sum = 0, product = 1;
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
            Expr x, b = expr_pair(p, e, k, &x);
            product *= pow(val[x] > 0 ? size[b] : fabs(val[b]), val[x]);
        }
        return product;
    case EXPR_HOLD:
        return size[expr_arg(p, e, 0)];
    case EXPR_IF:
        return size[expr_arg(p, e, val[expr_arg(p, e, 0)] != 0 ? 1 : 2)];
    case EXPR_NUM: case EXPR_SYM: case EXPR_POW: case EXPR_SIN: case EXPR_COS: case EXPR_TAN: case EXPR_ASIN:
    case EXPR_ACOS: case EXPR_ATAN: case EXPR_ATAN2: case EXPR_SINH: case EXPR_COSH: case EXPR_TANH: case EXPR_EXP:
    case EXPR_LOG: case EXPR_ABS: case EXPR_SIGN: case EXPR_MIN: case EXPR_MAX: case EXPR_LT: case EXPR_LE:
    case EXPR_EQ: case EXPR_AND: case EXPR_OR: case EXPR_NOT: case EXPR_CALL:
        return fabs(val[e]);
    }
    return fabs(val[e]);
}

void expr_eval_magnitude(const struct pool *p, const struct eval_env *env, int n, const Expr *e, double *out)
{
    struct cone cone = {0};
    cone_collect(&cone, p, n, e);
    size_t top = cone.n ? (size_t)cone.at[cone.n - 1] + 1 : 1;
    double *val = mem_grow(NULL, 2 * top, sizeof *val), *size = val + top;
    for (int i = 0; i < cone.n; i++) {
        val[cone.at[i]] = real_node(p, env, cone.at[i], val);
        size[cone.at[i]] = real_magnitude(p, cone.at[i], val, size);
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
