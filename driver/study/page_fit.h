/* SPDX-License-Identifier: GPL-3.0-or-later
 * The page of `mbs fit`. */
#ifndef STUDY_PAGE_FIT_H
#define STUDY_PAGE_FIT_H
#include "study/free.h"

struct fit_curve {              /* a column of a file, and what the model makes of it */
    const char *file, *name, *unit;
    int column;                 /* of the columns of a run */
    int experiment;             /* number of its file */
    int n;                      /* samples that are there */
    double *t, *sample, *model;
    double deviation;           /* of a sample; NaN: not given */
};
struct fit_view {
    const struct session *s;
    const struct freedom *free;
    int n;                      /* parameters */
    const double *start, *value;
    const double *error;        /* standard errors, NaN: not determined */
    const double *correlation;  /* n x n, NaN: not determined */
    double sum;                 /* of the squares */
    size_t samples;
    bool weighted;
    long runs;
    const char *words;          /* lines about what is not determined and what is correlated; "": nothing */
    struct fit_curve *curve;
    int curves;
    int experiments;
    const double *const *params;        /* experiments: all parameters of each, as found */
    const double *course;       /* steps x (1 + n): sum of squares, values of the parameters */
    int steps;
};
/* Writes the page of --page; says what is wrong. */
bool page_fit(const struct fit_view *);
#endif
