/* SPDX-License-Identifier: GPL-3.0-or-later
 * The least value of a function between bounds and under conditions, by sequential quadratic programming. */
#ifndef MBS_STUDY_SQP_H
#define MBS_STUDY_SQP_H

#include <stdbool.h>

enum sqp_end { SQP_FOUND, SQP_CUT, SQP_NO_MEMORY }; /* SQP_CUT: by the limit of evaluations, or stopped */

struct sqp {
    int n, conditions;
    const double *low, *high; /* of each variable; may be infinite */
    /* value: of the aim, then of the conditions, which are at most 0 where they are kept; slope: (1 + conditions) x n.  False: there is no value at x. */
    bool (*evaluate)(void *user, const double *x, double *value, double *slope);
    bool (*stopped)(void *user); /* or NULL */
    void *user;
    long most; /* evaluations */
};

/* From x, which must have a value, to x. */
enum sqp_end sqp_least(const struct sqp *s, double *x);
#endif
