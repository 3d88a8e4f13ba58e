/* SPDX-License-Identifier: MIT
 *
 * lanes.h: pairs and fours of doubles that the compiler maps to the registers of the machine. */
#ifndef MBS_LANES_H
#define MBS_LANES_H

#include "config.h"

typedef double Two __attribute__((vector_size(16), may_alias));
typedef double TwoLoose __attribute__((vector_size(16), aligned(8), may_alias));
/* Kernels are compiled anew for each constant that they get, but where size counts for more (MBS_SMALL: in an FMU). */
#ifdef MBS_SMALL
#define KERNEL static inline
#else
#define KERNEL static inline __attribute__((always_inline))
#endif

KERNEL Two two_load(const double *p, int both)
{
    return both ? (Two) * (const TwoLoose *)p : (Two){*p, 0};
}

KERNEL void two_store(double *p, Two x, int both)
{
    if (both)
        *(TwoLoose *)p = x;
    else
        *p = x[0];
}

typedef double FourLoose __attribute__((vector_size(32), aligned(8), may_alias));

/* Entries i, j, k, l of the eight of a and b. */
#ifdef __clang__
#define FOUR_OF(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#else
typedef long long FourPlaces __attribute__((vector_size(32)));
#define FOUR_OF(a, b, i, j, k, l) __builtin_shuffle(a, b, (FourPlaces){ i, j, k, l })
#endif

/* Loops over fours are compiled twice, also for AVX2, and the loader chooses.  AVX2 alone fuses no products into sums, so both give the same bits. */
#if !defined MBS_SMALL && defined __x86_64__ && defined __linux__ && defined __GNUC__ && !defined __clang__ && \
    !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif
/* Products and sums of batches may be fused where the machine can: their models' code is, too (mbs sweep --batch), and no result of one run is at stake. */
#if defined __x86_64__ && defined __linux__ && __GNUC__ >= 12 && !defined MBS_SMALL && !defined __clang__ && !defined __SANITIZE_ADDRESS__ && \
    !defined __SANITIZE_THREAD__
#define FUSED __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define FUSED WIDE
#endif

/* y += s x */
KERNEL void lanes_add(int n, double s, const double *x, double *y)
{
    int i = 0;
    for (; i + 4 <= n; i += 4)
        *(FourLoose *)(y + i) += s * *(const FourLoose *)(x + i);
    for (; i < n; i++)
        y[i] += s * x[i];
}

/* m = the larger of m and |x|; a NaN stays */
KERNEL void lanes_most(int n, const double *x, double *m)
{
    int i = 0;
    typedef long long Bits __attribute__((vector_size(32), aligned(8), may_alias));
    for (; i + 4 <= n; i += 4) {
        Bits a = *(const Bits *)(x + i) & 0x7fffffffffffffffLL, b = *(Bits *)(m + i), keep = (FourLoose)a <= (FourLoose)b;
        *(Bits *)(m + i) = (keep & b) | (~keep & a);
    }
    for (; i < n; i++) {
        double a = x[i] < 0 ? -x[i] : x[i];
        if (!(a <= m[i]))
            m[i] = a;
    }
}

KERNEL void lanes_swap(int n, double *x, double *y)
{
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        FourLoose a = *(FourLoose *)(x + i);
        *(FourLoose *)(x + i) = *(FourLoose *)(y + i);
        *(FourLoose *)(y + i) = a;
    }
    for (; i < n; i++) {
        double a = x[i];
        x[i] = y[i];
        y[i] = a;
    }
}

#endif
