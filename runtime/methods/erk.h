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

/* CALL(count) with a constant for the number of terms of a row, so that sums over stages are unrolled. */
#define ERK_BY_COUNT(number, CALL)                                                                                     \
    switch (number) {                                                                                                  \
    case 1: CALL(1); break;                                                                                            \
    case 2: CALL(2); break;                                                                                            \
    case 3: CALL(3); break;                                                                                            \
    case 4: CALL(4); break;                                                                                            \
    case 5: CALL(5); break;                                                                                            \
    case 6: CALL(6); break;                                                                                            \
    case 7: CALL(7); break;                                                                                            \
    case 8: CALL(8); break;                                                                                            \
    case 9: CALL(9); break;                                                                                            \
    case 10: CALL(10); break;                                                                                          \
    case 11: CALL(11); break;                                                                                          \
    case 12: CALL(12); break;                                                                                          \
    }

extern const struct erk_tableau mbs_erk_dopri5, mbs_erk_dop853;
extern const struct mbs_method mbs_method_dopri5, mbs_method_dop853;

/* One of the attempts of a batch (erk_batch.c): entry j of an array stands at [j*lanes + lane]. */
struct erk_wide {
    int lanes, lane;
    double *const *k;               /* of the stages; k[0] at the old point, k[stages] at the new one if */
    int ended;                      /* the slope there is known and in the stepper's own k */
    const double *y_stage;          /* of the last stage */
};

struct erk {
    const struct erk_tableau *tab;
    int pairs;                      /* of each row */
    double *k[ERK_STAGES];          /* k[0] at the old point, k[stages] at the new one */
    double *y_old, *y_new, *y_stage, *err, *err3, *sc;
    double *lambda, *rcont[ERK_DENSE];
    double *stage_lambda[ERK_STAGES];       /* the multipliers at all stages but that of the new point, where somebody looks at them (staged), ... */
    double *factors[ERK_STAGES];    /* ... the factors at all stages but the first one, ... */
    unsigned char kept[ERK_STAGES]; /* ... and whether they are there */
    double h_last;                  /* of the last step, for the dense output */
    int swap;                       /* k[stages] becomes k[0] at the next step */
    int dense_ready;
    const struct erk_wide *wide;    /* where the stages of the last attempt are, if that was one of a batch */
    double power[ERK_STAGES + 1];   /* rates of T + U at the stages that weigh in the new point, if the run keeps account of it */
    unsigned weighs;                /* which those are, a bit each */
    int steps, stiff, smooth;       /* accepted steps since the start; tests for stiffness that said yes, and no since then */
};


/* k[stages] of the last step becomes k[0] of the next one. */
static inline void mbs_erk_swap(struct erk *e)
{
    double *k = e->k[0];

    if (!e->swap)
        return;
    e->k[0] = e->k[e->tab->stages];
    e->k[e->tab->stages] = k;
    e->swap = 0;
}


#endif
