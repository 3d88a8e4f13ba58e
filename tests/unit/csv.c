/* SPDX-License-Identifier: GPL-3.0-or-later
 * Numbers of CSV files: to the last byte what snprintf("%.17g") writes, for numbers of all sizes, powers of ten and their neighbours, and short ones. */
#include "config.h"
#include "csv.h"
#include "../tap.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static uint64_t seed = 1;
static double part(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) * 0x1p-53;
}

static int same(double x)
{
    char a[48], b[48];
    int k = csv_number(a, sizeof a, x), l = snprintf(b, sizeof b, "%.17g", x);
    if (k == l && !strcmp(a, b))
        return 1;
    printf("# %s for %s\n", a, b);
    return 0;
}

int main(void)
{
    int good = 1;
    for (int k = -30; k <= 30 && good; k++) {
        double x = pow(10, k);
        good = same(x) && same(-x) && same(nextafter(x, 0)) && same(nextafter(x, INFINITY)) && same(3 * x) && same(0.1 * k);
    }
    ok(good && same(0) && same(-0.0) && same(5e-324) && same(1.7976931348623157e308), "powers of ten, their neighbours, the ends of the range");
    for (int i = 0; i < 200000 && good; i++)
        good = same(part() - 0.5) && same(exp(-30 + 75 * part())) && same(floor(1e6 * part()) / (double)(1 << (i % 20)));
    ok(good, "random ones of all sizes, and such with few digits");
    return tap_done();
}
