/* SPDX-License-Identifier: GPL-3.0-or-later
 * Quantiles of the normal distribution: against erfc(), in all three ranges and at their borders; and to the last bit those of GSL, since studies that were begun with these go on. */
#include "config.h"
#include "study/normal.h"
#include "../tap.h"

#include <math.h>
#include <stdint.h>
#ifdef HAVE_GSL
#include <gsl/gsl_cdf.h>
#endif

static uint64_t seed = 1;
static double part(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return ((double)(seed >> 11) + 0.5) * 0x1p-53;
}

/* How far x is from where Phi is u, relative to x: the distance of Phi over its slope.  u is at most a half, so that it is known to its last digit. */
static double off(double u)
{
    double x = normal_quantile(u), slope = exp(-x * x / 2) / sqrt(2 * 3.14159265358979323846);
    return fabs(0.5 * erfc(-x * sqrt(0.5)) - u) / slope / fabs(x);
}

int main(void)
{
    double worst = 0, far = 0;
    int same = 1, odd = 1;
    for (int i = 0; i < 200000; i++) {
        double u = 0.49 * part(), small = exp(-600 * part());
        worst = fmax(worst, off(u));
        far = fmax(far, off(0.4 * small));
        double exact = floor(u * 0x1p40) * 0x1p-40;      /* 1/2 + u and 1/2 - u have no rounding errors */
        odd = odd && normal_quantile(0.5 + exact) == -normal_quantile(0.5 - exact);
#ifdef HAVE_GSL
        same = same && normal_quantile(u) == gsl_cdf_ugaussian_Pinv(u) && normal_quantile(1 - u) == gsl_cdf_ugaussian_Pinv(1 - u)
               && normal_quantile(0.4 * small) == gsl_cdf_ugaussian_Pinv(0.4 * small);
#endif
    }
    printf("# %.1e, far out: %.1e\n", worst, far);
    int together = 1;
    for (int n = 0; n <= 23; n++)
        for (int turn = 0; turn < 200; turn++) {
            double u[24], x[24];
            for (int i = 0; i < n; i++)
                u[i] = x[i] = turn < 100 ? part() : turn < 150 ? part() * part() * 1e-3 : i % 3 ? part() : i % 2;
            u[n] = x[n] = 0.25;
            normal_quantiles(n, x);
            for (int i = 0; i < n; i++)
                together = together && x[i] == normal_quantile(u[i]);
            together = together && x[n] == 0.25;
        }
    ok(together, "several at once as one after the other, to the last bit");
    /* erfc() has a few units in the last place; near u = 1/2 they count most: 1e-16 over 0.4 and |x| > 0.025 */
    ok(worst < 1e-14 && far < 1e-14, "Phi of it is what was asked for");
    ok(normal_quantile(0.5) == 0 && odd, "odd about a half");
    ok(normal_quantile(0) == -INFINITY && normal_quantile(1) == INFINITY && isnan(normal_quantile(-0.1)) && isnan(normal_quantile(NAN)), "ends of the range");
    for (double border = 0.075; border > 1e-11; border = border == 0.075 ? exp(-25) : 0)
        worst = fmax(worst, fabs(normal_quantile(nextafter(border, 0)) / normal_quantile(nextafter(border, 1)) - 1));
    ok(worst < 1e-14, "no jump from one range to the next");
    ok(same, "as GSL's");
    return tap_done();
}
