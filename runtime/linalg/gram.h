/* SPDX-License-Identifier: MIT
 *
 * gram.h: G G', of one matrix or of several at once, and how far the rows of G are from depending on each other. */
#ifndef MBS_GRAM_H
#define MBS_GRAM_H

#include "mbs/model.h"

struct mbs_gram;
/* *full = 1: its factors would have too many entries.  NULL: that, or memory is short. */
struct mbs_gram *mbs_gram_new(const struct mbs_pattern *G, int *full);
void mbs_gram_free(struct mbs_gram *g);
/* G G' from the entries of G; row i of it can be looked at, and changed, on its diagonal. */
void mbs_gram_form(struct mbs_gram *g, const double *G);
double *mbs_gram_square(struct mbs_gram *g, int i);
/* The root of the smallest pivot, had row i of G been multiplied by scale[i], and which row that is (NULL: nobody asks); 0 where a row depends on others. */
double mbs_gram_sine(struct mbs_gram *g, const double *scale, int *weakest);
/* x of G G' x = b by the last factors. */
void mbs_gram_solve(const struct mbs_gram *g, double *x);

/* `lanes` (a multiple of 4) matrices at once, entry i of lane l at [i*lanes + l]: squares of the rows, and pivots as they come in the order of elimination:
 * what is not positive ends it, and those behind mean nothing.  work: mbs_gram_room() doubles for a lane, as aligned as all else. */
void mbs_gram_lanes(const struct mbs_gram *g, int lanes, const double *G, double *work, double *square, double *pivot);
int mbs_gram_room(const struct mbs_gram *g);
/* As mbs_gram_sine(), from lane l of those. */
double mbs_gram_lane_sine(int rows, int lanes, int lane, const double *pivot, const double *scale);

#endif
