/* SPDX-License-Identifier: GPL-3.0-or-later
 * Parameters that a command may choose: `--free NAME`, `--free NAME=LOW..HIGH`. */
#ifndef STUDY_FREE_H
#define STUDY_FREE_H
#include "session.h"

struct freedom {
    int param;
    double low, high;           /* infinite: no bound */
    double prior, prior_deviation;      /* NaN: none */
};
/* *list is to be freed, also where it fails; what is wrong is said. */
bool free_read(const struct session *, struct freedom **list, int *n);
/* "l,m[2]" from --free l=1..2 --free m[2]: what the compiler shall derive by; to be freed. */
char *free_names(const struct settings *);

/* What keeps its bounds as a function of what has none, its derivative, and the way back. */
double free_value(const struct freedom *, double x);
double free_slope(const struct freedom *, double x);
double free_place(const struct freedom *, double p);
#endif
