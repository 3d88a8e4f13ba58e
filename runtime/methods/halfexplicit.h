/* SPDX-License-Identifier: MIT
 *
 * halfexplicit.h: the inside of the half-explicit method, for itself and its batches. */
#ifndef MBS_HALFEXPLICIT_H
#define MBS_HALFEXPLICIT_H

#include "methods/erk.h"

enum { HALFEXPLICIT_STAGES = 6 };

struct halfexplicit {
    double *k[HALFEXPLICIT_STAGES + 1];          /* (V, A, zdot) of the stages; k[HALFEXPLICIT_STAGES] at the new point */
    double *y_stage, *y_next, *y_new, *y_old, *a_old, *z_old, *err, *sc, *rhs, *lambda, *G, *gt, *g;
    double power[HALFEXPLICIT_STAGES + 1];       /* rates of T + U at the stages, if the run keeps account of it */
    double h_last;
    int swap;                       /* k[HALFEXPLICIT_STAGES] becomes k[0] at the next step */
    int projected;                  /* the point of the last attempt is on the constraints already, with its slope (halfexplicit_batch.c) */
    struct mbs_oblique *A;          /* [M G_i'; G_i+1 0] */
};

/* k[HALFEXPLICIT_STAGES] of the last step becomes k[0] of the next one. */
static inline void mbs_halfexplicit_swap(struct halfexplicit *e)
{
    double *k = e->k[0];

    if (!e->swap)
        return;
    e->k[0] = e->k[HALFEXPLICIT_STAGES];
    e->k[HALFEXPLICIT_STAGES] = k;
    e->swap = 0;
}

extern const struct mbs_method mbs_method_halfexplicit;

#endif
