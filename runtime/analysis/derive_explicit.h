/* SPDX-License-Identifier: MIT
 *
 * derive_explicit.h: derivatives of the steps of explicit Runge-Kutta methods, what the forward and the backward way share.
 *
 * A stage has the slope k = (v, a, zdot) of its point Y = y + h sum a_j k_j; so the derivatives have
 *
 *     S = s + h sum a_j sk_j,    sk = (sv, sa, zq sq + zv sv + zz sz + zp),    [M G'; G 0] (sa, sl) = -(rq sq + rv sv + rz sz + rp, gaq sq + gav sv + gap),
 *
 * with the same coefficients: what comes out is the derivative of the numbers that the method computes (but for the step sizes, which are held), and its
 * error has the method's order.  Projections, dense output and error estimate are differentiated alike.
 *
 * The derivative along the direction goes first, as plain vectors, and its error is what controls the steps; so both ways have the same.  The
 * equations of the stages that it has needed serve the derivatives by all parameters, forward, once a step is accepted, and the way back, on
 * whose tape they lie. */
#ifndef MBS_DERIVE_EXPLICIT_H
#define MBS_DERIVE_EXPLICIT_H

#include "analysis/derive.h"
#include "methods/erk.h"

/* A step of the method: its stages, that of the new point, those of the dense output. */
struct mbs_explicit_step {
    const struct erk_tableau *tab;
    double t, t_new, h;
    int first;                  /* there is no step before it whose last slope is its first one */
    int dense;                  /* the stages of the dense output are there */
    double alpha, beta;         /* Baumgarte's */
    const double *y, *y_new, *k[ERK_STAGES], *lambda[ERK_STAGES];       /* not known on the way back */
    const double *factors[ERK_STAGES];          /* that the method has had at its stages; NULL: none */
    double *slot;               /* the equations of its stages, one behind the other; the first one only if it is the first step */
};

/* The equations of a stage as values in a row: rq rv rz gaq gav zq zv zz, which are entries of one matrix that takes states to right sides; rp gap zp,
 * of another one that takes parameters there; what projections and factors need; the factors, if they can be kept, and 1 if they are there. */
struct mbs_explicit_array {
    const struct mbs_pattern *p;
    double **at;                /* in the `at` of mbs_explicit */
    int row, col;               /* its place in the matrix that it is part of */
    int params;                 /* its columns are parameters */
    size_t offset;
};
enum { MBS_EXPLICIT_G = 11, MBS_EXPLICIT_GVQ, MBS_EXPLICIT_GP, MBS_EXPLICIT_GVP, MBS_EXPLICIT_M, MBS_EXPLICIT_ARRAYS };
struct mbs_explicit_slot {
    struct mbs_explicit_array array[MBS_EXPLICIT_ARRAYS];
    struct mbs_explicit_entry {
        int row, col;
    } *entry;                   /* of both, and behind them of the other arrays but M */
    int states, entries;        /* how many are of the first one, and of both */
    double *direction;          /* of the parameter of each entry, where there is one */
    int fours;                  /* rows of a state, and up to three more, so that loops over fours need no rest */
    size_t factors, kept, size;
};

struct mbs_explicit {
    struct mbs_explicit_step step;      /* the last one */
    struct mbs_explicit_slot slot;
    double *slots;              /* of the step at hand, where there is no tape */
    double *sk[ERK_STAGES];     /* its slopes, along the direction */
    double *s_old, *s_new, *s_at;       /* states at its begin, at its end, at a stage */
    double *shares;             /* of parameters in right sides, entry by entry */
    double *right;              /* right sides of a stage, n + m + nz rows */
    double *k[ERK_STAGES];      /* by the parameters: the slopes, `all` */
    double *old, *fresh;        /* states at its begin and at its end, `all` */
    double *point, *stage;      /* a point; a state, `all` */
    struct mbs_derive_stage at; /* the equations of a stage, in its slot */
    int swap;                   /* sk[stages] becomes sk[0] at the next step */
    int tried;                  /* the stages are those of a step that the method has tried; */
    double error;               /* their error, 1: the tolerance */
    double *weights;            /* of its old and new state and the slopes, in a point between */
    void *memory;
    size_t memory_size;
};

/* How many states a point between two ends is made of, and their weights: the old state, the new one, all slopes. */
enum { MBS_EXPLICIT_OLD, MBS_EXPLICIT_NEW, MBS_EXPLICIT_SLOPES };
int mbs_explicit_weights(const struct mbs_explicit_step *s, double t, double *weights);
/* Slots of a step: those that it has, and where that of stage i lies. */
int mbs_explicit_slots(const struct mbs_explicit_step *s);
double *mbs_explicit_slot_at(const struct mbs_derive *d, const struct mbs_explicit_step *s, int i);
/* x->at shows the equations of a slot; the saddle point has its factors; a right side of n + m values becomes the solution.  Status. */
void mbs_explicit_show(struct mbs_derive *d, double *slot);
int mbs_explicit_load(struct mbs_derive *d, double *slot);
int mbs_explicit_solve(struct mbs_derive *d, double *slot, double *x);
/* Does the method project? */
int mbs_explicit_projects(const struct mbs_derive *d);

/* derive_explicit.c: for a method that is explicit; nothing for others */
int mbs_explicit_new(struct mbs_derive *d);
void mbs_explicit_free(struct mbs_derive *d);
/* The last step was one of it. */
int mbs_explicit_step(const struct mbs_derive *d);
/* d->now at t, within the last step; *fresh: it was not known yet. */
int mbs_explicit_to(struct mbs_derive *d, double t, int *fresh);
int mbs_explicit_slopes(const struct erk_tableau *tab);

/* adjoint_explicit.c: a step on the tape, whose slots are there already, and back from it */
enum { MBS_EXPLICIT_HEAD = 8 };
size_t mbs_explicit_size(const struct mbs_derive *d);
void mbs_explicit_keep(const struct mbs_derive *d, double *to);

struct mbs_explicit_back {
    double *k[ERK_STAGES];      /* of the cost by the slopes of the step that comes next, `width` wide */
    double *S[ERK_STAGES];      /* by the states at its stages */
    struct erk_row heir[ERK_STAGES];    /* the tableau transposed: the stages that a slope is part of */
    double *old, *fresh;        /* by states */
    double *stage;              /* by the state at a stage */
    double *gain;               /* by entries of parameters */
    double *right;              /* by right sides */
    struct mbs_explicit_step step;
};
void mbs_explicit_back_layout(const struct mbs_derive *d, struct mbs_explicit_back *b, size_t width, struct mbs_work *w);
/* The state at t within the step whose record this is: its part in the cost is handed to the step. */
void mbs_explicit_point_back(const struct mbs_derive *d, struct mbs_explicit_back *b, double *record, double t, int width, const double *state);
/* From the end of a step to its begin; what entries of parameters bring is added up in b->gain, to be put into params in the end. */
int mbs_explicit_step_back(struct mbs_derive *d, struct mbs_explicit_back *b, double *record, int costs, int width, double *state, double *params, double *g,
                           double *al);
void mbs_explicit_params_back(const struct mbs_derive *d, struct mbs_explicit_back *b, int width, double *params);

#endif
