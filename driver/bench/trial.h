/* SPDX-License-Identifier: GPL-3.0-or-later
 * One integration, as an experiment says: by method, formulation, tolerance or step; what it came to, and what it cost. */
#ifndef DRIVER_TRIAL_H
#define DRIVER_TRIAL_H
#include "mbs/mbs.h"

#include <stdbool.h>

struct trial {
    const struct mbs_model *model;
    const double *params;               /* NULL: defaults */
    const char *method, *formulation, *iteration;       /* NULL: the method's own */
    double rtol, atol;                  /* 0: the model's; atol 0: as rtol */
    double step, rho, alpha;            /* step 0: error control; rho, alpha NaN: the method's own */
    int order_max;
    long max_steps;                     /* 0: two million */
    double to;                          /* 0: as the model says */
    double start;                       /* where it is assembled */
    const double *breaks;
    int nbreaks;
};

enum { TRIAL_END = 128 };
struct trial_end {
    int status, repeats;
    struct mbs_message message;
    struct mbs_statistics stat;
    char method[32], form[16];          /* what "auto" became */
    double cpu;                         /* s: set-up, assembly and run; least of the repeats */
    double energy;                      /* T + U */
    double y[TRIAL_END];                /* q, v, a, lambda as far as they fit */
};
/* Repeats until `budget` seconds are spent, three times at least if it is not 0 and a run takes less than 0.05 s.  False: it failed (end->message). */
bool trial_run(const struct trial *, double budget, struct trial_end *);
/* Assembly alone. */
bool trial_start(const struct trial *, struct trial_end *);

/* The same with rows: t, q, v, a, lambda, outputs, T + U, |g|, |G v + gt| (Euclidean norms). */
struct history {
    const struct mbs_model *model;
    int n, room, width;
    int v, a, lambda, y, energy, position, velocity;    /* where they stand in a row; t at 0, q at 1 */
    double *row;
    struct trial_end end;
};
/* every: one row for each, 0: one for each step. */
bool history_run(struct history *, const struct trial *, double every);
void history_free(struct history *);
const double *history_row(const struct history *, int i);
/* A column as an array of n doubles, to be freed. */
double *history_column(const struct history *, int column);
#endif
