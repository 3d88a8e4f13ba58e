/* SPDX-License-Identifier: MIT
 *
 * wide.h: [M G'; H 0] of several states at once, as mbs_oblique is for one; H = G gives the accelerations.  Entry i of an array of state l stands at
 * [i*lanes + l], lanes a multiple of four; arrays are aligned to 32 bytes.  What a state gives does not depend on the others. */
#ifndef MBS_WIDE_H
#define MBS_WIDE_H

#include "mbs/model.h"

enum { MBS_WIDE_MOST = 64 };    /* n + m up to which dense work is well spent */

struct mbs_wide;
/* NULL: there is no memory. */
struct mbs_wide *mbs_wide_new(const struct mbs_model *model, int lanes);
void mbs_wide_free(struct mbs_wide *w);
/* unsafe[l] = 1 where a pivot is not safely positive: the state is to be solved for by itself, and solutions are not to be used. */
void mbs_wide_factor(struct mbs_wide *w, const double *M, const double *G, const double *H, double *unsafe);
/* x = (f, b) becomes (a, lambda) of M a + G' lambda = f, H a = b. */
void mbs_wide_solve(struct mbs_wide *w, double *x);
/* y += s A x with values in the pattern p, y += s M x with the half of a symmetric one */
void mbs_wide_mul(int lanes, const struct mbs_pattern *p, const double *val, double s, const double *x, double *y);
void mbs_wide_mul_sym(int lanes, const struct mbs_pattern *p, const double *val, double s, const double *x, double *y);

#endif
