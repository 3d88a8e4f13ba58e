/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * mbs_sines() of generated files (mbs/model.h) against the library's, in 80 bits where long double has them: any number of angles, large and small ones, multiples of
 * pi/4, the border beyond which the library is called, and what is no number.  The tolerance is what model.h promises, 2.2e-16, and half a unit for the
 * rounding of the reference where it is no better than double; small sines are as good relative to themselves. */
#include "../tap.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#define MBS_SINES
#include "mbs/model.h"

static unsigned seed = 1;

static double rnd(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (double)(seed >> 8) / (1 << 23) - 1;
}

static double off(double x, double cosine, double sine)
{
    long double c = fabsl(cosl((long double)x) - (long double)cosine), s = fabsl(sinl((long double)x) - (long double)sine);
    return (double)(c > s ? c : s);
}

int main(void)
{
    const double tolerance = LDBL_MANT_DIG > DBL_MANT_DIG ? 2.2e-16 : 3.3e-16;
    double angle[12], cosine[12], sine[12], worst = 0, small = 0;
    bool kept = true;
    for (int k = 0; k < 200000; k++) {
        int n = 1 + k % 9, room = (n + 3) / 4 * 4;
        for (int i = 0; i < n; i++)
            angle[i] = k < 2000 ? (k - 1000 + i) * 0.78539816339744831 : rnd() * pow(10, (k + i) % 14 - 6);
        for (int i = 0; i < 12; i++)
            cosine[i] = sine[i] = 7;
        mbs_sines(n, angle, cosine, sine);
        for (int i = 0; i < n; i++)
            worst = fmax(worst, off(angle[i], cosine[i], sine[i]));
        for (int i = room; i < 12; i++)
            kept = kept && cosine[i] == 7 && sine[i] == 7;
    }
    printf("# %.2g of 1\n", worst);
    ok(worst <= tolerance, "a million angles of 1e-6 to 1e7 and multiples of pi/4: %.3g", worst);
    ok(kept, "nothing is written beyond the next multiple of four");

    for (int k = 0; k < 4000; k++) {
        angle[0] = rnd() * pow(10, -k % 300);
        mbs_sines(1, angle, cosine, sine);
        small = fmax(small, angle[0] == 0 ? 0 : fabs(sine[0] / sin(angle[0]) - 1));
    }
    ok(small <= 2 * DBL_EPSILON, "small sines in themselves: %.3g", small);

    double edge[] = {1e6, nextafter(1e6, 2e6), -1e6, nextafter(-1e6, -2e6), 1e22, -1e300, 0.0, -0.0};
    worst = 0;
    mbs_sines(8, edge, cosine, sine);
    for (int i = 0; i < 8; i++)
        worst = fmax(worst, off(edge[i], cosine[i], sine[i]));
    ok(worst <= tolerance, "the border of a million, and far beyond: %.3g", worst);

    double none[] = {NAN, INFINITY, -INFINITY, 1.0, 2.0};
    mbs_sines(5, none, cosine, sine);
    ok(isnan(cosine[0]) && isnan(sine[0]) && isnan(cosine[1]) && isnan(sine[1]) && isnan(cosine[2]) && isnan(sine[2]), "no numbers of no numbers");
    ok(off(1.0, cosine[3], sine[3]) <= tolerance && off(2.0, cosine[4], sine[4]) <= tolerance, "angles beside them are not touched");
    return tap_done();
}
