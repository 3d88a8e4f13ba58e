/* SPDX-License-Identifier: MIT
 *
 * hermite.h: interpolation between the ends of a step of length h, th in [0, 1].
 *
 *   cubic    from values and slopes at both ends; error O(h^4)
 *   quintic  from values, first and second derivatives at both ends; error O(h^6), of its derivative O(h^5)
 */
#ifndef MBS_HERMITE_H
#define MBS_HERMITE_H

static inline double hermite_cubic(double th, double h, double y0, double d0, double y1, double d1)
{
    double dy = y1 - y0, b = h * d0 - dy, c = dy - h * d1;

    return y0 + th * (dy + (1 - th) * (b + th * (c - b)));
}

/* The value; *slope receives the derivative with respect to t. */
static inline double hermite_quintic(double th, double h, double y0, double d0, double a0, double y1, double d1, double a1,
                                     double *slope)
{
    double c1 = h * d0, c2 = h * h * a0 / 2;
    /* what is missing at th = 1 in value, first and second derivative */
    double e = y1 - y0 - c1 - c2, f = h * d1 - c1 - 2 * c2, g = h * h * a1 - 2 * c2;
    double c3 = 10 * e - 4 * f + g / 2, c4 = -15 * e + 7 * f - g, c5 = 6 * e - 3 * f + g / 2;

    *slope = (c1 + th * (2 * c2 + th * (3 * c3 + th * (4 * c4 + th * 5 * c5)))) / h;
    return y0 + th * (c1 + th * (c2 + th * (c3 + th * (c4 + th * c5))));
}

#endif
