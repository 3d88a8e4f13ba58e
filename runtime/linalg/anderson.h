/* SPDX-License-Identifier: MIT
 *
 * anderson.h: the fixed point x = g(x) of a slow iteration, sooner, from its last few steps (D. G. Anderson, J. ACM 12 (1965) 547-560; H. F. Walker &
 * P. Ni, SIAM J. Numer. Anal. 49 (2011) 1715-1735). */
#ifndef MBS_ANDERSON_H
#define MBS_ANDERSON_H

enum { MBS_ANDERSON_WINDOW = 10 };

struct mbs_anderson {
    int n, room;                /* unknowns, and room for them */
    int kept, next;             /* steps that are remembered, and where the next one goes */
    double *g, *f;              /* of the last step: g(x) and scale (g(x) - x) */
    double *dg, *df;            /* what changed from step to step, and products of these df */
    double product[MBS_ANDERSON_WINDOW][MBS_ANDERSON_WINDOW];
    double last;                /* |f| */
    int begun, leapt;           /* there was a step; x was not g */
    int walk, wait;             /* so many steps without leaps to come; how many there were after the last failure */
};

/* For n unknowns.  0 or MBS_NO_MEMORY. */
int mbs_anderson_begin(struct mbs_anderson *a, int n);
/* All steps so far: x has been moved by something else. */
void mbs_anderson_forget(struct mbs_anderson *a);
/* After g = g(x): x becomes the place to go on from.  scale: in which f is measured.  0: that place is g. */
int mbs_anderson_next(struct mbs_anderson *a, const double *scale, const double *g, double *x);
void mbs_anderson_free(struct mbs_anderson *a);

#endif
