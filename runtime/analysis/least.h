/* SPDX-License-Identifier: MIT
 *
 * least.h: the change of the movable coordinates that is least in a weighted norm and satisfies A d = b. */
#ifndef MBS_LEAST_H
#define MBS_LEAST_H

#include "methods/method.h"

struct mbs_least;
/* The pattern of A, which must live as long; weight[j] > 0: cost of moving coordinate j; 0: it may not move.  NULL if memory is
 * short. */
struct mbs_least *mbs_least_new(const struct mbs_pattern *A, const double *weight);
void mbs_least_free(struct mbs_least *l);
/* A: its values.  Returns the number of dependent rows or < 0. */
int mbs_least_factor(struct mbs_least *l, const double *A);
/* d (n values; 0 where nothing may move): least change with A d = b, or nearest to it where b contradicts itself.
 * e: where d should be as near to as A d = b allows, NULL for 0. */
void mbs_least_solve(struct mbs_least *l, const double *b, const double *e, double *d);
/* 1 if the rows, as they were factored, leave no way to move; 0 also where that is not known (large models). */
int mbs_least_stuck(const struct mbs_least *l);
/* 1 / (1-norm of row i over all columns), 1 for an empty row: makes residuals comparable. */
const double *mbs_least_scale(const struct mbs_least *l);
/* 1 for the rows found dependent on others, NULL where that is unknown (large models). */
const unsigned char *mbs_least_dependent(const struct mbs_least *l);

#endif
