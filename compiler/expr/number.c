/* SPDX-License-Identifier: GPL-3.0-or-later
 * Exact rationals with a way out: an operation whose result does not fit 64-bit numerator and
 * denominator gives a double, and whatever touches a double is one. */
#include "expr/number.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static int64_t gcd(int64_t a, int64_t b)
{
    uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a, y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
    while (y) {
        uint64_t r = x % y;
        x = y;
        y = r;
    }
    return (int64_t)x;
}

struct number number_double(double v)
{
    if (v == 0)                 /* one zero, so that what cancels is gone */
        return (struct number){true, 0, 1, 0};
    return (struct number){.exact = false, .value = v};
}

struct number number_rational(int64_t num, int64_t den)
{
    if (num == INT64_MIN || den == INT64_MIN)
        return number_double((double)num / (double)den);
    if (den == 1)               /* most numbers are whole */
        return (struct number){true, num, 1, (double)num};
    int64_t g = gcd(num, den);
    if (den < 0)
        g = -g;
    num /= g;
    den /= g;
    return (struct number){true, num, den, (double)num / (double)den};
}

struct number number_add(struct number a, struct number b)
{
    int64_t x, y, n, d;
    if (a.exact && a.num == 0)
        return b;
    if (b.exact && b.num == 0)
        return a;
    if (a.exact && b.exact && !__builtin_mul_overflow(a.num, b.den, &x) && !__builtin_mul_overflow(b.num, a.den, &y) &&
        !__builtin_add_overflow(x, y, &n) && !__builtin_mul_overflow(a.den, b.den, &d))
        return number_rational(n, d);
    /* What is left of two rounded numbers that agree is rounding, 0.1 + 0.2 - 0.3: as a lever it would make a constraint of nothing. */
    double sum = a.value + b.value;
    return number_double(fabs(sum) <= 2 * DBL_EPSILON * fmax(fabs(a.value), fabs(b.value)) ? 0 : sum);
}

struct number number_mul(struct number a, struct number b)
{
    if (a.exact && a.num == 1 && a.den == 1)
        return b;
    if (b.exact && b.num == 1 && b.den == 1)
        return a;
    int64_t whole;
    if (a.exact && b.exact && a.den == 1 && b.den == 1 && !__builtin_mul_overflow(a.num, b.num, &whole))
        return number_rational(whole, 1);
    if (a.exact && b.exact) {
        int64_t n, d, g = gcd(a.num, b.den), h = gcd(b.num, a.den);
        g = g ? g : 1;
        h = h ? h : 1;
        if (!__builtin_mul_overflow(a.num / g, b.num / h, &n) && !__builtin_mul_overflow(a.den / h, b.den / g, &d))
            return number_rational(n, d);
    }
    if (number_is(a, 0) || number_is(b, 0))
        return number_rational(0, 1);
    return number_double(a.value * b.value);
}

struct number number_inverse(struct number a)
{
    if (a.exact && a.num)
        return number_rational(a.den, a.num);
    return number_double(1 / a.value);
}

struct number number_powi(struct number a, int64_t n)
{
    if (n < 0)
        return number_inverse(number_powi(a, -n));
    if (!a.exact || n > 64)
        return a.exact && (a.num == 0 || (a.num == 1 && a.den == 1)) ? a : number_double(pow(a.value, (double)n));
    struct number r = number_rational(1, 1);
    while (n--)
        r = number_mul(r, a);
    return r;
}

static bool integer_sqrt(int64_t a, int64_t *root)
{
    int64_t r = (int64_t)llround(sqrt((double)a));
    *root = r;
    return r < (1LL << 31) && r * r == a;
}

bool number_sqrt(struct number a, struct number *root)
{
    int64_t n, d;
    if (!a.exact || a.num < 0 || !integer_sqrt(a.num, &n) || !integer_sqrt(a.den, &d))
        return false;
    *root = number_rational(n, d);
    return true;
}
