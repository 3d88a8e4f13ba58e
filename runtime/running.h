/* SPDX-License-Identifier: MIT
 *
 * running.h: a run, round by round, for those who take the step of a round themselves (batch.c).
 *
 *     mbs_running_begin() - ( mbs_round_begin() - a step of the method - mbs_round_end() ) ... - mbs_running_end() */
#ifndef MBS_RUNNING_H
#define MBS_RUNNING_H

#include "sim.h"

/* What a run needs to remember. */
struct mbs_running {
    struct mbs_sim *sim;
    const struct mbs_run *in;
    double t0;
    long k;             /* next of in->times, or next multiple of in->every */
    double t_out;       /* the last output, NaN before the first */
    long steps_before;
    long rounds;        /* so far */
    int brk;            /* next of opt.breaks */
    double stop;        /* the step of this round does not go beyond it ... */
    int is_break;       /* ... and it is a break */
    int step;           /* the method is to take it */
    int end;            /* `to` is reached */
};

/* The start with its first output; nothing else is to be called if it fails.  Status. */
int mbs_running_begin(struct mbs_running *r, struct mbs_sim *sim, const struct mbs_run *in);
/* r->step says whether the method is to take a step up to r->stop, or the round is over without one.  Status. */
int mbs_round_begin(struct mbs_running *r);
/* That step has ended so: events, outputs, checkpoints. */
int mbs_round_end(struct mbs_running *r, int status);
/* The run has ended so, at its end or before.  What mbs_run() returns. */
int mbs_running_end(struct mbs_running *r, int status);

/* Steps up to the end, or until so many rounds are over in all (-1: no matter).  Status. */
int mbs_running_on(struct mbs_running *r, long rounds);
/* The method forgets all history. */
int mbs_run_anew(struct mbs_sim *sim);

#endif
