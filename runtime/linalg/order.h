/* SPDX-License-Identifier: MIT
 *
 * order.h: Cholesky decomposition of small dense matrices, with kernels for the usual orders, which the compiler unrolls. */
#ifndef MBS_ORDER_H
#define MBS_ORDER_H

#include "linalg/lanes.h"

#include <math.h>

/* Cholesky of S by rows with reciprocal diagonal. */
KERNEL int mbs_order_factor(double *S, int m, double tol)
{
#pragma GCC unroll 8
    for (int i = 0; i < m; i++) {
        double *Si = S + i * m, d = Si[i], d0 = d;
#pragma GCC unroll 8
        for (int j = 0; j < i; j++) {
            const double *Sj = S + j * m;
            double t = Si[j];
#pragma GCC unroll 8
            for (int k = 0; k < j; k++)
                t -= Si[k] * Sj[k];
            Si[j] = t *= Sj[j];
            d -= t * t;
        }
        if (!(d > tol * d0))
            return i + 1;
        Si[i] = 1 / sqrt(d);
    }
    return 0;
}

KERNEL void mbs_order_solve(const double *S, int m, double *x)
{
#pragma GCC unroll 8
    for (int i = 0; i < m; i++) {
        const double *Si = S + i * m;
        double t = x[i];
#pragma GCC unroll 8
        for (int k = 0; k < i; k++)
            t -= Si[k] * x[k];
        x[i] = t * Si[i];
    }
#pragma GCC unroll 8
    for (int i = m - 1; i >= 0; i--) {
        double t = x[i] * S[i * m + i];
        x[i] = t;
#pragma GCC unroll 8
        for (int k = 0; k < i; k++)
            x[k] -= S[i * m + k] * t;
    }
}

#define MBS_BY_ORDER(m, call)                                                                                              \
    switch (m) {                                                                                                       \
    case 2: {                                                                                                          \
        enum { ORDER = 2 };                                                                                            \
        call;                                                                                                          \
        break;                                                                                                         \
    }                                                                                                                  \
    case 3: {                                                                                                          \
        enum { ORDER = 3 };                                                                                            \
        call;                                                                                                          \
        break;                                                                                                         \
    }                                                                                                                  \
    case 4: {                                                                                                          \
        enum { ORDER = 4 };                                                                                            \
        call;                                                                                                          \
        break;                                                                                                         \
    }                                                                                                                  \
    case 6: {                                                                                                          \
        enum { ORDER = 6 };                                                                                            \
        call;                                                                                                          \
        break;                                                                                                         \
    }                                                                                                                  \
    case 8: {                                                                                                          \
        enum { ORDER = 8 };                                                                                            \
        call;                                                                                                          \
        break;                                                                                                         \
    }                                                                                                                  \
    default: {                                                                                                         \
        const int ORDER = (m);                                                                                         \
        call;                                                                                                          \
        break;                                                                                                         \
    }                                                                                                                  \
    }

#endif
