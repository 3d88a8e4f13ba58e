/* SPDX-License-Identifier: MIT
 *
 * derive.h: derivatives of a motion by parameters, the parts that the forward and the backward way share.
 *
 * With r = M a - f + G' lambda they satisfy
 *
 *     M sa + rv sv + rq sq + rz sz + G' sl + rp = 0,     sz' = zq sq + zv sv + zz sz + zp,     G sv + gvq sq + gvp = 0,
 *
 * which is linear: Radau IIA of order 5 along the dense output of whatever method integrates the motion needs one factorisation a
 * step for all parameters (staggered direct method; Caracotsios and Stewart 1985, Maly and Petzold 1996).  The unknowns of a stage are
 * sa, sz', sl; sq and sv are their integrals.  What is left of G sq + gp and of the third equation is removed after each step, in
 * the norm of M.  All parameters stand side by side in the rows of panels (linalg/panel.h): a state is a panel of the rows sq, sv, sz.
 *
 * One more column is the derivative along a direction of all parameters, each by its own size and with a sign of its own.  It is what the
 * error is measured by, and what the backward way is held against. */
#ifndef MBS_DERIVE_H
#define MBS_DERIVE_H

#include "analysis/linear.h"
#include "linalg/panel.h"

enum { MBS_DERIVE_STAGES = 3 };

struct mbs_derive_stage {       /* the equations at one time */
    struct mbs_jacobian jac;
    struct mbs_sensitivity s;
    double *block;              /* what they point into */
};

/* Which columns a panel has: all parameters and the direction, or the direction alone. */
struct mbs_derive_columns {
    int params, width;
};

struct mbs_tape;                /* adjoint.c: what the backward way needs; NULL: forward */

struct mbs_derive {
    struct mbs_derivatives out; /* what the user sees */
    struct mbs_sim *sim;
    int n, nz, m, np, rows;     /* rows of a state: 2 n + nz */
    int unknowns;               /* of a stage */
    struct mbs_matrix *A;
    int block_M[MBS_DERIVE_STAGES], block_G[MBS_DERIVE_STAGES], block_one[MBS_DERIVE_STAGES];
    int rq[MBS_DERIVE_STAGES][MBS_DERIVE_STAGES], rv[MBS_DERIVE_STAGES][MBS_DERIVE_STAGES], rz[MBS_DERIVE_STAGES][MBS_DERIVE_STAGES];
    int zq[MBS_DERIVE_STAGES][MBS_DERIVE_STAGES], zv[MBS_DERIVE_STAGES][MBS_DERIVE_STAGES], zz[MBS_DERIVE_STAGES][MBS_DERIVE_STAGES];
    int gv[MBS_DERIVE_STAGES][MBS_DERIVE_STAGES], gvq[MBS_DERIVE_STAGES][MBS_DERIVE_STAGES];
    double a[MBS_DERIVE_STAGES][MBS_DERIVE_STAGES], aa[MBS_DERIVE_STAGES][MBS_DERIVE_STAGES], c[MBS_DERIVE_STAGES];
    struct mbs_derive_stage stage[MBS_DERIVE_STAGES], row;      /* row: where all is known, at an output */
    size_t stage_size, row_size;        /* doubles in their blocks */
    struct mbs_point at;
    struct mbs_derive_columns all, one; /* of the panels below; of the test of a step.  Backward, `all` is the direction alone, too */
    double *now, *next;         /* states, `all` */
    double *before, *half, *halves;     /* states, `one` */
    double *x;                  /* unknowns of all stages, `all` */
    double *work, *residual;    /* n + nz and m rows, `all` */
    double *column;             /* 3 unknowns */
    int small;                  /* few constraints: K is made, */
    double *K;                  /* n x m: the change of q that removes residuals of constraints, least in the norm of M */
    double *start;              /* rows x np, row-major: derivatives of the start */
    double *scale, *direction;  /* np: size of a change of a parameter; scale, a sign, 1/sqrt(np) */
    double h, tested;           /* a step that keeps the tolerance, 0: none known; the last one that was measured */
    int since;                  /* steps since then */
    void *memory;
    struct mbs_tape *tape;
};

/* derive_step.c */
int mbs_derive_steps_init(struct mbs_derive *d, const struct mbs_model *o);
void mbs_derive_steps_fini(struct mbs_derive *d);
/* The arrays of a stage, those of a row of results are more, in a block (NULL: none yet); how many doubles that is. */
size_t mbs_derive_stage_place(struct mbs_derive_stage *s, const struct mbs_model *o, int row, double *block);
/* The equations at t, within the last step of the method; of a row with all that outputs need. */
int mbs_derive_stage_at(struct mbs_derive *d, double t, struct mbs_derive_stage *s);
/* From `from` at t to `to` at t + h. */
int mbs_derive_step(struct mbs_derive *d, double t, double h, const struct mbs_derive_columns *c, const double *from, double *to);
/* A of the stages at a step h. */
int mbs_derive_factor(struct mbs_derive *d, double h);
/* K of the last stage, or the factors that take its place. */
int mbs_derive_factor_constraints(struct mbs_derive *d);
/* X (n rows) += what removes R (m rows), and backwards R += from X. */
void mbs_derive_remove(struct mbs_derive *d, int width, const double *R, double *X);
void mbs_derive_remove_t(struct mbs_derive *d, int width, const double *X, double *R);
/* Y += s P of the columns of a derivative by parameters. */
void mbs_derive_params(const struct mbs_derive *d, const struct mbs_pattern *p, const double *val, double s, const struct mbs_derive_columns *c, double *Y);
/* Accelerations (n rows), multipliers (m rows) and outputs that belong to the state `now` and d->row. */
int mbs_derive_complete(struct mbs_derive *d, double *al, double *y);

/* derive_start.c: d->start, scale, direction */
int mbs_derive_start(struct mbs_sim *sim, int equilibrium);

/* derivatives.c */
int mbs_derive_begin(struct mbs_sim *sim, int equilibrium, int backward);

/* adjoint.c: a step, and a row of results, are put on the tape */
void mbs_tape_free(struct mbs_derive *d);
int mbs_tape_step(struct mbs_derive *d, double h);
int mbs_tape_row(struct mbs_derive *d, const double *y);

#endif
