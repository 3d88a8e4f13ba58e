/* SPDX-License-Identifier: GPL-3.0-or-later
 * Running a simulation for a command: rows, progress on a terminal, the table at the end. */
#ifndef DRIVER_ROW_H
#define DRIVER_ROW_H
#include "session.h"

struct progress {
    bool on;
    double from, to, began, shown;      /* seconds of the clock */
    bool drawn, utf8;
};
void progress_begin(struct progress *, double from, double to, bool quiet);
void progress_step(struct progress *, double t, const struct mbs_statistics *);
void progress_end(struct progress *);

/* What a run came to. */
struct outcome {
    int status;
    double cpu;                 /* seconds */
    double energy_first, energy_last, energy_drift;     /* of T + U; drift: the largest distance from the start */
    double position, velocity;  /* largest violations at the rows */
    bool started;
};
/* To be called at each row. */
void outcome_row(struct outcome *, struct session *, const struct mbs_state *, const double energy[2], double position, double velocity);
double cpu_seconds(void);
double wall_seconds(void);
/* "3.21 ms" */
const char *seconds_text(double s, char text[32]);
#endif
