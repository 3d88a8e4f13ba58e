/* SPDX-License-Identifier: MIT
 *
 * watch.h: the rank of the constraints along a run (watch.c: what depends always; singular.c: what does for a moment). */
#ifndef MBS_WATCH_H
#define MBS_WATCH_H

#include "linalg/gram.h"
#include "sim.h"

enum { MBS_PASS_STAGES = 7 };

struct mbs_watch {
    int n, m;
    struct mbs_gram *gram;      /* of G, rows left out replaced by ones */
    double *G, *g;
    double *scale;              /* 1 / largest length of each row so far */
    unsigned char *drop;        /* rows that depend on others everywhere ... */
    int drops;                  /* ... and how many */
    double *null;               /* drops x m, null vectors of G' */

    double sine, largest;       /* at the last sample; the largest seen */
    double slope;               /* of the sine along the path, largest seen */
    double far;                 /* how far from there the rank cannot be lost; NaN: there is no sample yet */
    double span, length;        /* how far it is from there to the begin of the last step, and to its end from that */
    struct mbs_point old;       /* begin of the step under way */

    int passing;                /* this many steps so far through a narrow place; 0: the method goes on */
    int seen;                   /* it was met */
    double h;                   /* next step of the passage */
    double part;                /* sine over its rate at the last step of the passage */
    double t_until;             /* end of the step that met it */
    double t_chosen;            /* where the rows left out were chosen again */
    double t_from;              /* where the last rescue began */
    struct mbs_point last;      /* the point before the last, for the leap and between outputs */
    double *k[MBS_PASS_STAGES], *y, *rate[3];
    void *block;
    size_t block_size;
};

/* watch.c */
double mbs_watch_sine(struct mbs_sim *sim, double t, const double *q, int *weakest);
/* The same at the point as of now, where the method may have left G. */
double mbs_watch_sine_now(struct mbs_sim *sim);
/* The rows that are about to become dependent, into text, from the factors of the last sine. */
void mbs_watch_rows(struct mbs_sim *sim, int weakest, char *text, size_t size);
/* 1 if rows that were left out serve better here than some that were kept: they have changed places. */
int mbs_watch_choose(struct mbs_sim *sim);
/* where rows are left out: the sine at q of the rows that are best there */
double mbs_watch_best_sine(struct mbs_sim *sim, const double *q);
/* A row that has no derivatives at s.x though its multiplier there is made of them, or -1. */
int mbs_watch_vanishing(struct mbs_sim *sim);
/* singular.c: 1 if the last step came through a narrow place: it is taken back, and mbs_pass_step() goes on */
int mbs_singular_look(struct mbs_sim *sim);
/* 1 if a method that has failed stands before a narrow place */
int mbs_singular_rescue(struct mbs_sim *sim);
/* The integration starts anew at s.x; sampled: the sine there is known from mbs_watch_start(). */
void mbs_singular_restart(struct mbs_sim *sim, int sampled);
/* One step of a passage, not beyond tstop; *done = 1: the method may go on. */
int mbs_pass_step(struct mbs_sim *sim, double tstop, int *done);
/* A point within the last such step. */
void mbs_pass_dense(struct mbs_sim *sim, double t, struct mbs_point *out);

#endif
