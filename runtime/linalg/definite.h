/* SPDX-License-Identifier: MIT
 *
 * definite.h: is a mass matrix positive? */
#ifndef MBS_DEFINITE_H
#define MBS_DEFINITE_H

#include "mbs/model.h"

/* Room for the decomposition of a mass matrix; NULL: no memory. */
struct mbs_envelope *mbs_envelope_new(const struct mbs_pattern *M);
void mbs_envelope_free(struct mbs_envelope *);
/* x' M x >= 0 but for rounding for all x with G x = 0 (m: rows of G): 0, or k + 1 where coordinate k shows that it is not, or
 * MBS_NO_MEMORY,
 * which only a matrix can give that is negative without the constraints. */
int mbs_indefinite(struct mbs_envelope *, const struct mbs_pattern *M, const double *Mval, int m, const struct mbs_pattern *G, const double *Gval);

#endif
