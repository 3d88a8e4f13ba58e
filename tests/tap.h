/* SPDX-License-Identifier: GPL-3.0-or-later
 * The whole test library: each check prints a TAP line; a failing one says where and why. */
#ifndef TAP_H
#define TAP_H
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static int tap_count, tap_failed;

__attribute__((format(printf, 4, 5), unused)) static int tap_check(int good, const char *file, int line, const char *fmt, ...)
{
    va_list ap;
    printf("%sok %d - ", good ? "" : "not ", ++tap_count);
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    if (!good) {
        printf("\n# %s:%d", file, line);
        tap_failed++;
    }
    printf("\n");
    fflush(stdout);
    return good;
}

#define ok(good, ...) tap_check((good), __FILE__, __LINE__, __VA_ARGS__)
/* |got - want| <= tol * max(1, |want|), false for NaN. */
#define near(got, want, tol, what)                                                                         \
    tap_check(fabs((got) - (want)) <= (tol) * fmax(1, fabs((double)(want))), __FILE__, __LINE__,                     \
              "%s: %.17g, expected %.17g within %g", (what), (double)(got), (double)(want), (double)(tol))
#define skip(n, why)                                                                                       \
    do {                                                                                                   \
        for (int skip_ = 0; skip_ < (n); skip_++)                                                          \
            printf("ok %d # SKIP %s\n", ++tap_count, (why));                                               \
    } while (0)

__attribute__((unused)) static int tap_done(void)
{
    printf("1..%d\n", tap_count);
    return tap_failed != 0;
}
#endif
