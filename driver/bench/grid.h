/* SPDX-License-Identifier: GPL-3.0-or-later
 * Every method and formulation that fits a problem, at many tolerances: the runs, their table, their diagram. */
#ifndef DRIVER_GRID_H
#define DRIVER_GRID_H
#include "picture.h"
#include "reference.h"

struct grid_run {
    char method[24], form[16];
    double tol;                 /* rtol = atol; of a method without error control: the step in s */
    bool fixed, failed;
    struct trial_end end;
    double scd, mescd;          /* against the exact reference */
    double q, qv;               /* digits of q, of q and v: -log10 of the largest |error| / (1 + |reference|) */
    double scd_published, mescd_published;
};
struct grid {
    const char *problem, *title;        /* "squeezer"; as the pictures say it */
    const char *peers;          /* what the figures of other solvers call it: "andrews" */
    struct trial trial;         /* what all have in common */
    struct reference reference;
    const double *tol;          /* ascending accuracy */
    int tols;
    double cap;                 /* s: a combination ends once two runs in turn took longer */
    double budget;              /* s of repetitions a run */
    const char *only;           /* NULL, or the formulations to take: "index3 ggl" */
    int n, room;
    struct grid_run *run;       /* combinations in order, tolerances within */
};
/* rtol = 10^-(4 + m/per), m = 0 .. 24/4*per; the list to be freed. */
double *grid_tolerances(int per, int *n);
/* Runs all; announces its work itself. */
void grid_fill(struct bench *, struct grid *);
void grid_free(struct grid *);

/* NAME-PROBLEM-runs.csv: all runs. */
void grid_csv(struct bench *, const struct grid *);
/* The runs at some tolerances in the layout of the test set's tables, below the published rows of other solvers. */
void grid_table(struct bench *, const struct grid *, const double *tol, int n, const struct peer *, int peers);
/* Failed runs with the reason; combinations that ended at the cap. */
void grid_failures(struct bench *, const struct grid *);

/* Work-precision diagrams: one curve a method, by the formulation that is best for it, and other solvers' points. */
enum digits { BY_SCD, BY_MESCD, BY_Q, BY_QV };
enum work { BY_CPU, BY_F };
void grid_chart(struct bench *, const struct grid *, enum digits, enum work, const struct peer *, int peers, const char *peers_note);
/* Chosen combinations instead: NAME-PROBLEM-WHAT. */
struct curve {
    const char *method, *form;
};
void grid_curves(struct bench *, const struct grid *, enum digits, enum work, const struct curve *, int n, const char *what,
                 const char *caption);
/* Index of the first run of the best formulation of a method, and how many there are; -1: the method has none. */
int grid_best(const struct grid *, const char *method, enum digits, enum work, int *count);
#endif
