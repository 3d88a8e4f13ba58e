/* SPDX-License-Identifier: GPL-3.0-or-later
 * What the cases of a study come to. */
#ifndef STUDY_STATISTICS_H
#define STUDY_STATISTICS_H
#include "study/workers.h"

enum { PERCENTILES = 5 };
extern const double percentile[PERCENTILES];    /* 5, 25, 50, 75, 95 */

enum { LISTED = 12 };           /* cases by name */
struct statistics {             /* of one measure over the cases that ended well, and that the witness does not doubt */
    long n;
    double mean, deviation, least, most;
    long least_case, most_case; /* counted from 1 */
    double at[PERCENTILES];
};
struct summary {
    long cases, failed, doubtful;       /* in the journal */
    long doubtful_case[LISTED]; /* the first of them, counted from 1 */
    struct statistics *of;      /* width of the measures */
    double *first, *total;      /* SAMPLING_INDICES: measures x factors; else NULL */
    double *first_error, *total_error;  /* their standard errors */
    long points;                /* of which the indices are made */
    char why[512];
};
bool summary_init(struct summary *, struct study *);
void summary_fini(struct summary *);
void summary_print(FILE *, const struct summary *, const struct study *);
void summary_json(FILE *, const struct summary *, const struct study *);
#endif
