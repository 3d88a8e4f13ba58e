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
 * The steps of explicit Runge-Kutta methods are differentiated as they are instead (derive_explicit.c), stage by stage, with one factorisation each:
 * their order is higher than that of Radau IIA, and a stage costs less than a step of it.
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
struct mbs_explicit;            /* derive_explicit.c; NULL: the method is not explicit */

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
    double *inverse;            /* (n + m) x (n + m) */
    double *al;                 /* n + m rows, `all` */
    int small;                  /* few constraints: K is made, */
    double *K;                  /* n x m: the change of q that removes residuals of constraints, least in the norm of M */
    double *start;              /* rows x np, row-major: derivatives of the start */
    unsigned char *fixed;       /* parameters that are no formulas of others */
    double *scale, *direction;  /* np: size of a change of a parameter; scale, a sign, 1/sqrt(np) */
    double *most;               /* rows: the largest size of each so far, against which errors count */
    double h, tested;           /* a step that keeps the tolerance, 0: none known; the last one that was measured */
    int since;                  /* steps since then */
    void *memory;
    size_t memory_size;
    struct mbs_tape *tape;
    struct mbs_explicit *explicit;
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
/* K of a point, or the factors that take its place. */
int mbs_derive_factor_constraints(struct mbs_derive *d, const struct mbs_derive_stage *at);
/* K from the factors that the saddle point has. */
void mbs_derive_corrections(struct mbs_derive *d);
/* Y = the first rows of the solution of the saddle point that was factored last, for n + m rows X of which so many columns count. */
void mbs_derive_solve(struct mbs_derive *d, int rows, int columns, int width, const double *X, double *Y);
/* X (n rows) += what removes R (m rows), and backwards R += from X. */
void mbs_derive_remove(struct mbs_derive *d, int width, const double *R, double *X);
void mbs_derive_remove_t(struct mbs_derive *d, int width, const double *X, double *R);
/* Y += s P of the columns of a derivative by parameters. */
void mbs_derive_params(const struct mbs_derive *d, const struct mbs_pattern *p, const double *val, double s, const struct mbs_derive_columns *c, double *Y);
/* g (m rows) += s (G q + gp), the rows of positions alone, and s (G v + gvq q + gvp); backwards. */
void mbs_derive_position(struct mbs_derive *d, const struct mbs_derive_stage *at, const struct mbs_derive_columns *c, double s, const double *q,
                         double *g);
void mbs_derive_velocity(struct mbs_derive *d, const struct mbs_derive_stage *at, const struct mbs_derive_columns *c, double s, const double *q,
                         const double *v, double *g);
void mbs_derive_position_t(struct mbs_derive *d, const struct mbs_derive_stage *at, int width, double s, const double *g, double *q, double *params);
void mbs_derive_velocity_t(struct mbs_derive *d, const struct mbs_derive_stage *at, int width, double s, const double *g, double *q, double *v,
                           double *params);
/* A state back onto the constraints of a point whose K is known; backwards with g, m rows of work. */
void mbs_derive_project(struct mbs_derive *d, const struct mbs_derive_stage *at, const struct mbs_derive_columns *c, double *state);
void mbs_derive_project_t(struct mbs_derive *d, const struct mbs_derive_stage *at, int width, double *state, double *params, double *g);
/* Accelerations (n rows), multipliers (m rows) and outputs that belong to the state `now` and d->row. */
int mbs_derive_complete(struct mbs_derive *d, double *al, double *y);

/* derivatives.c: what the error of row i of a state along the direction may be if it has this size; a state has been accepted */
double mbs_derive_tolerance(const struct mbs_derive *d, int i, double size);
/* What the error of the next step may be, as a multiple of the tolerance. */
double mbs_derive_allowed(const struct mbs_derive *d);
void mbs_derive_accepted(struct mbs_derive *d, const double *state);

/* derive_start.c: d->start, scale, direction */
int mbs_derive_start(struct mbs_sim *sim, int equilibrium);

/* derive_event.c: 0, or why derivatives of this model, of a state with closed contacts, are not known */
int mbs_derive_event_model(struct mbs_sim *sim);
int mbs_derive_event_state(struct mbs_sim *sim);

/* derivatives.c */
int mbs_derive_begin(struct mbs_sim *sim, int equilibrium, int backward);

/* adjoint.c: a step, and a row of results, are put on the tape */
void mbs_tape_free(struct mbs_derive *d);
int mbs_tape_step(struct mbs_derive *d, double h);
int mbs_tape_row(struct mbs_derive *d, const double *y);
int mbs_tape_explicit(struct mbs_derive *d);
/* Where the values of the next record will lie, if they are no more than these; NULL: no memory. */
double *mbs_tape_room(struct mbs_derive *d, size_t values);
/* The explicit step ends where they have got to; an event there makes A s + B of the state s */
int mbs_tape_cut(struct mbs_derive *d);
int mbs_tape_event(struct mbs_derive *d, const double *A, const double *B);

#endif
