/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Random models as texts, for the tests that write them: numbers that are the same on every machine, and a text that grows. */
#ifndef TESTS_NUMERIC_DRAFT_H
#define TESTS_NUMERIC_DRAFT_H
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

static uint64_t seed;           /* of the next number */

static inline double uniform(double lo, double hi)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return lo + (hi - lo) * (double)(seed >> 11) * 0x1p-53;
}

static inline int below(int n)
{
    return (int)uniform(0, n);
}

struct text {
    char at[32768];
    size_t n;
};

__attribute__((format(printf, 2, 3))) static inline void put(struct text *t, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    t->n += (size_t)vsnprintf(t->at + t->n, sizeof t->at - t->n, format, ap);
    va_end(ap);
}

static inline void put_vector(struct text *t, bool spatial)
{
    put(t, "[%.3f", uniform(-1, 1));
    put(t, ", %.3f", uniform(-1, 1));
    if (spatial)
        put(t, ", %.3f", uniform(-1, 1));
    put(t, "]");
}
#endif
