/* SPDX-License-Identifier: GPL-3.0-or-later
 * `mbs bench impacts`: a run with the log of what happened in it. */
#ifndef DRIVER_IMPACTS_H
#define DRIVER_IMPACTS_H
#include "bench.h"
#include "trial.h"

enum { HIT_MOST = 20000, HIT_ROWS = 64, HIT_WIDTH = 24 };
struct hit {
    double t;
    int event, contact;         /* of the model; -1 */
    const char *what;           /* at a contact: impact, touches, ...; else "" */
    double impulse;
    double before, after, q;    /* velocity of the first coordinate before and after; its value */
};
struct hits {
    const struct mbs_model *model;
    int n, rows, status;
    struct hit *at;
    double row[HIT_ROWS][HIT_WIDTH + 1];        /* t, q, v at the times that were asked for */
    double end[HIT_WIDTH];      /* q, v */
    double cpu;
    char method[32];
    struct mbs_message message;
    struct mbs_statistics stat;
};
/* As the trial says; rows at these times. */
bool hits_run(struct hits *, const struct trial *, int times, const double *time);
void hits_free(struct hits *);
/* The which-th (from 0) of what happened at a contact, or of an event (what: ""); NULL: it did not happen so often. */
const struct hit *hits_find(const struct hits *, const char *name, const char *what, int which);

/* impacts_toys.c, impacts_siconos.c: sections of the document */
void impacts_woodpecker(struct bench *);
void impacts_crank(struct bench *);
void impacts_siconos(struct bench *);
#endif
