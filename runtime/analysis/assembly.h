/* SPDX-License-Identifier: MIT
 *
 * assembly.h: the search for positions and velocities that meet constraints and start conditions. */
#ifndef MBS_ASSEMBLY_H
#define MBS_ASSEMBLY_H

#include "analysis/least.h"
#include "sim.h"

/* One level, positions or velocities: the rows that must hold there, first constraints, then start conditions. */
struct assembly {
    struct mbs_sim *sim;
    struct mbs_problem *p;
    const unsigned char *kind;  /* enum mbs_init of what is being moved */
    struct mbs_least *least;
    int n;                      /* unknowns: coordinates or velocities, then what guessed conditions are off by */
    double *start, *d, *e, *trial, *old, *weight;       /* n each */
    double *x;                  /* the unknowns */
    double t;
    int velocity;
    int anywhere;               /* a start of the model: other guesses altogether may be tried */
    int held;                   /* rows of constraints */
    int *row, *condition;       /* the row of a condition, -1: none; the condition of row `held` + i */
    int *off;                   /* of row `held` + i: the unknown that it is off by, -1: it is kept */
    struct mbs_pattern A;       /* of all rows */
    int *colptr, *rowidx;
    int *source, sourced;       /* of its first entries: where their values come from; the others are -1 */
    double *val, *r, *s, *S;    /* values and residuals of A; of the conditions */
    void *block;                /* all these arrays */
};

/* Which start conditions become rows. */
enum assembly_rows { ROWS_CONSTRAINTS, ROWS_KEPT, ROWS_GUESSED };

/* At sim's t, q, v, which are the guesses, with `kind` of each (enum mbs_init); without rows nothing is allocated. */
int mbs_assembly_init(struct assembly *a, struct mbs_sim *sim, const unsigned char *kind, int velocity, enum assembly_rows rows);
void mbs_assembly_fini(struct assembly *a);
/* Residuals, and their derivatives by what is moved: q, or v at the present q; they are factored.  < 0: failure; else how many rows depend on others. */
int mbs_assembly_factor(struct assembly *a, const double *x);
/* Positions near the guesses, in a->x.  0; > 0: stuck, with the row that is worst at the first attempt; < 0: failure. */
int mbs_assembly_find(struct assembly *a, int *row, double *residual);
/* The same from other guesses, shaken a little to shaken in all directions, number `round` of a sequence; then as near to
 * the true ones as can be from there.  *settled: it is as near as that. */
int mbs_assembly_other(struct assembly *a, int round, int *settled);
/* Moves x along the constraints to where the change from the start is least.  *settled: it is there. */
int mbs_assembly_slide(struct assembly *a, double *x, int *settled);
/* The sum of squares that is to be least. */
double mbs_assembly_distance(const struct assembly *a, const double *x);

#endif
