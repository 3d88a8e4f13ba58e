/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * radau_kernel.h: products of the s x s matrices of the method with the stages of all variables, two variables at a
 * time.  The loops over stages have constant bounds once inlined and are unrolled, so that the stages of a variable
 * stay in registers.  Matrices hold every entry twice, one for each lane. */
#ifndef MBS_RADAU_KERNEL_H
#define MBS_RADAU_KERNEL_H

#include "methods/radau.h"

typedef double Two __attribute__((vector_size(16), may_alias));
typedef double TwoLoose __attribute__((vector_size(16), aligned(8), may_alias));
#define KERNEL static inline __attribute__((always_inline))

KERNEL Two two_load(const double *p, int both)
{
    return both ? (Two) * (const TwoLoose *)p : (Two){ *p, 0 };
}

KERNEL void two_store(double *p, Two x, int both)
{
    if (both)
        *(TwoLoose *)p = x;
    else
        *p = x[0];
}

/* y = W x */
KERNEL void two_mul(int s, const Two *W, const Two *x, Two *y)
{
#pragma GCC unroll 8
    for (int k = 0; k < s; k++) {
        Two sum = W[k * s] * x[0];
#pragma GCC unroll 8
        for (int i = 1; i < s; i++)
            sum += W[k * s + i] * x[i];
        y[k] = sum;
    }
}

/* Entry `at` and, if both, the next one of the transformed vector B: N reals, then N pairs of each complex system. */
KERNEL void two_from_systems(int s, const double *B, int N, int at, Two *x, int both)
{
    x[0] = two_load(B + at, both);
#pragma GCC unroll 4
    for (int k = 1; k < s; k += 2) {
        const double *p = B + k * N + 2 * at;
        Two a = two_load(p, 1), b = both ? two_load(p + 2, 1) : (Two){ 0, 0 };
        x[k] = (Two){ a[0], b[0] };
        x[k + 1] = (Two){ a[1], b[1] };
    }
}

KERNEL void two_to_systems(int s, double *B, int N, int at, const Two *x, int both)
{
    two_store(B + at, x[0], both);
#pragma GCC unroll 4
    for (int k = 1; k < s; k += 2) {
        double *p = B + k * N + 2 * at;
        two_store(p, (Two){ x[k][0], x[k + 1][0] }, 1);
        if (both)
            two_store(p + 2, (Two){ x[k][1], x[k + 1][1] }, 1);
    }
}

/* The stages of variables j, j+1 of an array with n variables a stage. */
KERNEL void two_stages(int s, const double *X, int n, int j, Two *x, int both)
{
#pragma GCC unroll 8
    for (int i = 0; i < s; i++)
        x[i] = two_load(X + i * n + j, both);
}

KERNEL void two_stages_store(int s, double *X, int n, int j, const Two *x, int both)
{
#pragma GCC unroll 8
    for (int i = 0; i < s; i++)
        two_store(X + i * n + j, x[i], both);
}

/* Adds x to the stages; returns the sum of squares of x * scale. */
KERNEL Two two_stages_add(int s, double *X, int n, int j, const Two *x, Two scale, int both)
{
    Two sum = { 0, 0 };
#pragma GCC unroll 8
    for (int i = 0; i < s; i++) {
        Two e = x[i] * scale;
        sum += e * e;
        two_store(X + i * n + j, two_load(X + i * n + j, both) + x[i], both);
    }
    return sum;
}

#endif
