/* SPDX-License-Identifier: GPL-3.0-or-later
 * Arithmetic of NUM: exact rationals while numerator and denominator fit 64 bits, doubles after. */
#ifndef EXPR_NUMBER_H
#define EXPR_NUMBER_H
#include "expr/expr.h"

struct number number_rational(int64_t num, int64_t den);   /* den != 0 */
struct number number_double(double);
struct number number_add(struct number, struct number);
struct number number_mul(struct number, struct number);
struct number number_inverse(struct number);
struct number number_powi(struct number, int64_t);
bool number_sqrt(struct number, struct number *root);      /* only if exact */
static inline bool number_is(struct number a, int64_t v)
{
    return a.exact ? a.num == v && a.den == 1 : a.value == (double)v;
}
#endif
