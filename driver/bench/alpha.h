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

/* alpha_crank.c: section 4.3. */
void alpha_crank(struct bench *);
#endif
