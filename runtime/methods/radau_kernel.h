/* SPDX-License-Identifier: MIT
 *
 * radau_kernel.h: products of the s x s matrices of the method with the stages of all variables, two variables at a
 * time.  The loops over stages have constant bounds once inlined and are unrolled, so that the stages of a variable
 * stay in registers.  Matrices hold every entry twice, one for each lane. */
#ifndef MBS_RADAU_KERNEL_H
#define MBS_RADAU_KERNEL_H

#include "linalg/lanes.h"

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

/* Elements `at` and, if both, at + 1 of a vector in lanes (linalg/bundle.h).  Transformed stage 0 belongs to the real
 * system, 2k - 1 and 2k are real and imaginary part of complex system k. */
KERNEL void two_from_lanes(int s, const double *B, int at, Two *x, int both)
{
    int S = s == 3 ? 4 : 8, im = S / 2;
    const double *p = B + at * S, *q = both ? p + S : p;

    x[0] = (Two){p[0], q[0]};
#pragma GCC unroll 4
    for (int k = 1; 2 * k < s; k++) {
        x[2 * k - 1] = (Two){p[k], q[k]};
        x[2 * k] = (Two){p[im + k], q[im + k]};
    }
}

KERNEL void two_to_lanes(int s, double *B, int at, const Two *x, int both)
{
    int S = s == 3 ? 4 : 8;

#pragma GCC unroll 2
    for (int e = 0; e < 2; e++) {
        double *p = B + (at + e) * S;
        if (e == 1 && !both)
            return;
        if (s == 3) {
            two_store(p, (Two){x[0][e], x[1][e]}, 1);
            two_store(p + 2, (Two){0, x[2][e]}, 1);
        } else {
            two_store(p, (Two){x[0][e], x[1][e]}, 1);
            two_store(p + 2, (Two){x[3][e], s == 7 ? x[s - 2][e] : 0}, 1);
            two_store(p + 4, (Two){0, x[2][e]}, 1);
            two_store(p + 6, (Two){x[4][e], s == 7 ? x[s - 1][e] : 0}, 1);
        }
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
    Two sum = {0, 0};
#pragma GCC unroll 8
    for (int i = 0; i < s; i++) {
        Two e = x[i] * scale;
        sum += e * e;
        two_store(X + i * n + j, two_load(X + i * n + j, both) + x[i], both);
    }
    return sum;
}

#endif
