/* SPDX-License-Identifier: GPL-3.0-or-later
 * What the parts of `mbs bench alpha` share. */
#ifndef DRIVER_ALPHA_H
#define DRIVER_ALPHA_H
#include "figure.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

/* Fixed steps T/N for N = by, 2 by, ... most: where Newton's iteration converges all the way to T. */
struct reach {
    int first;          /* smallest N with which it does; 0: none */
    int from;           /* smallest N from which on it always does; 0: none */
    double newton;      /* iterations a step there */
};
/* tolerance: of Newton's iteration.  genalpha iterates at a fixed step to a thousandth of rtol and atol. */
struct reach alpha_reach(struct bench *, const struct trial *, double T, double tolerance, int by, int most);
/* "T/40 (at all: T/37)" */
const char *reach_text(const struct reach *, const char *T, char text[64]);

/* alpha_method.c: spectral radius of (4.1), (4.2) and of HHT; order on Andrews' squeezer. */
void alpha_stability(struct bench *);
void alpha_order(struct bench *);
/* Sections 4.1 to 4.3, a file each. */
void alpha_pendulum(struct bench *);
void alpha_bushing(struct bench *);
void alpha_crank(struct bench *);
#endif
