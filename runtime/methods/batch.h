/* SPDX-License-Identifier: MIT
 *
 * batch.h: the same step of several simulations at once. */
#ifndef MBS_BATCH_H
#define MBS_BATCH_H

#include "methods/erk.h"

enum { MBS_LANES_MOST = 16 };

struct mbs_lanes {
    const struct mbs_model *model;
    int lanes, n, m, nz, ny;
    const struct erk_tableau *tab;      /* for which stages are laid out */
    /* arrays of vectors of `lanes` doubles */
    double *c, *w, *u, *t, *h;
    double *rtol, *atol;                /* 1; ny */
    double *y, *y_stage, *y_new, *k[ERK_STAGES], *lambda, *unsafe;
    double *err, *err3, *sc, *sum;      /* ny each, sum 2 */
    struct erk_wide wide[MBS_LANES_MOST];
    void *block;
};

/* erk_batch.c: MBS_NO_MEMORY, or 0 */
int mbs_lanes_new(struct mbs_lanes *b, const struct mbs_model *model, const struct erk_tableau *tab);
void mbs_lanes_free(struct mbs_lanes *b);
/* A simulation takes a lane. */
void mbs_lanes_enter(struct mbs_lanes *b, int lane, const struct mbs_stepper *s);
/* It leaves it, with what its steps have left here. */
void mbs_lanes_leave(const struct mbs_lanes *b, int lane, const struct mbs_stepper *s);
/* Constants may have changed. */
void mbs_lanes_constants(struct mbs_lanes *b, int lane, const struct mbs_problem *p);
/* Attempts of those lanes that have a stepper, as attempt() of their method.  alone[lane] = 1: it has to be made by that lane itself. */
void mbs_erk_attempt_batch(struct mbs_lanes *b, struct mbs_stepper *const *s, struct mbs_attempt *a, int *alone);

#endif
