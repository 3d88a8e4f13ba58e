/* SPDX-License-Identifier: GPL-3.0-or-later
 * The page of `mbs optimize`. */
#ifndef STUDY_PAGE_OPTIMIZE_H
#define STUDY_PAGE_OPTIMIZE_H
#include "study/free.h"
#include "study/measure.h"

struct design_view {
    const struct session *s;
    const struct freedom *free;
    int n;                      /* parameters */
    const double *start, *value;
    const double *params_before, *params_after; /* all of the model */
    const struct measures *measures;            /* the aim and the conditions */
    const double *sign, *limit;                 /* of the aim: 1 least, -1 largest; of a condition sign (measure - limit) <= 0 */
    const double *before, *after;               /* values of the measures */
    const double *course;       /* runs x (measures + n): NaN where the model did not run */
    long runs, doubtful;
    const char *doubt;          /* what the witness says of the best run, NULL: nothing */
};
/* Whether --path can be followed; says what is wrong. */
bool page_paths(const struct session *);
/* Writes the page of --page; says what is wrong. */
bool page_optimize(const struct design_view *);
#endif
