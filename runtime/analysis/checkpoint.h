/* SPDX-License-Identifier: MIT
 *
 * checkpoint.h: a simulation between two steps of a run, with the derivatives that go beside it, as it is kept to go on from there once more.
 *
 * What decides about the steps that follow lies in few blocks of memory and structs: those of the simulation, of the method (step sizes, memory of the
 * step control, stages that the next ones are predicted from, Jacobians, factors and how old they are), of the watch over the rank, and of the derivatives.
 * They are kept as they are, and nothing needs to be known of a method but what it has outside of them, which resume() makes again.  Not kept
 * are the pivots of sparse factors, which change no more than rounding, and methods of other libraries: these start anew, both times. */
#ifndef MBS_CHECKPOINT_H
#define MBS_CHECKPOINT_H

#include "analysis/derive_explicit.h"
#include "running.h"
#include "watch.h"

struct mbs_checkpoint {
    int number;                 /* of the run; */
    int inside;                 /* it was under way, so: */
    struct mbs_running run;
    long row;                   /* rows of results up to here */
    struct mbs_sim sim;
    struct mbs_watch watch;
    struct mbs_derive derive;
    struct mbs_explicit explicit;
    char *blocks;
    size_t size;
};

/* 0 or MBS_NO_MEMORY.  *c is zero, or has been kept before. */
int mbs_checkpoint_keep(struct mbs_checkpoint *c, const struct mbs_sim *sim);
/* The simulation goes on from there.  Status. */
int mbs_checkpoint_back(const struct mbs_checkpoint *c, struct mbs_sim *sim);
void mbs_checkpoint_free(struct mbs_checkpoint *c);

#endif
