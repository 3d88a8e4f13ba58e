/* SPDX-License-Identifier: MIT
 *
 * lanes.h: pairs of doubles that the compiler maps to the registers of the machine. */
#ifndef MBS_LANES_H
#define MBS_LANES_H

typedef double Two __attribute__((vector_size(16), may_alias));
typedef double TwoLoose __attribute__((vector_size(16), aligned(8), may_alias));
#define KERNEL static inline __attribute__((always_inline))

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

#endif
