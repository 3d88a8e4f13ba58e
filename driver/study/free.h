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
/* A command that chooses them: its settings and its session, with derivatives by what is free, around `run`; `ask` is said where nothing is.  Its exit status. */
int free_command(int argc, char **argv, const struct manual *, const char *ask, int (*run)(struct session *));

/* What keeps its bounds as a function of what has none, its derivative, and the way back. */
double free_value(const struct freedom *, double x);
double free_slope(const struct freedom *, double x);
double free_place(const struct freedom *, double p);
#endif
