/* SPDX-License-Identifier: GPL-3.0-or-later
 * A run kept in memory, for the pictures of a study: all its columns, and the points of the drawing. */
#ifndef STUDY_CURVES_H
#define STUDY_CURVES_H
#include "session.h"
#include "sink.h"

struct curves {
    struct columns columns;     /* as `mbs run --all` writes them */
    int n, room;                /* rows */
    double *row;                /* n x columns.n */
    double *xyz;                /* n x 3 npoint */
    int status;                 /* enum mbs_status */
    char why[400];
};
/* From the start of the session to a time, with about so many rows.  Where the model does not run that far, there are the rows up to there, and why says it; false: there
 * was no memory, or no time. */
bool curves_run(struct curves *, const struct session *, const double *params, double to, int rows);
void curves_fini(struct curves *);
#endif
