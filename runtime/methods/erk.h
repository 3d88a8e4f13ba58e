/* SPDX-License-Identifier: MIT
 *
 * erk.h: an explicit Runge-Kutta pair as data.  Rows are sparse: pairs (stage, coefficient). */
#ifndef MBS_ERK_H
#define MBS_ERK_H

#include "methods/method.h"

enum { ERK_STAGES = 16, ERK_DENSE = 8 };

struct erk_term {
    int stage;
    double a;
};

struct erk_row {
    int count;
    double c;
    struct erk_term term[12];
};

struct erk_tableau {
    int order;              /* of the solution that is continued */
    int stages;             /* evaluations before the new point is known */
    int extra;              /* further stages for the dense output */
    int fsal;               /* the error estimate needs f at the new point */
    struct erk_row row[ERK_STAGES]; /* stages 1 .. stages-1 (0 is f at the old point), then the new point, then extra ones */
    struct erk_row error;   /* err = h sum e_j k_j */
    struct erk_row error3;  /* DOP853: second estimate; count 0: none */
    int dense_rows;         /* the dense output has order 3 + dense_rows */
    struct erk_row dense[4];
    struct mbs_control control;
    double stability;       /* h |s| from which an eigenvalue s limits the step, be it damped (3.3 and 6.4) or not (1.0 and 1.5) */
};

extern const struct erk_tableau mbs_erk_dopri5, mbs_erk_dop853;

#endif
