/* SPDX-License-Identifier: MIT
 *
 * derive_explicit.h: derivatives of the steps of explicit Runge-Kutta methods, what the forward and the backward way share.
 *
 * A stage has the slope k = (v, a, zdot) of its point Y = y + h sum a_j k_j; so the derivatives have
 *
 *     S = s + h sum a_j sk_j,    sk = (sv, sa, zq sq + zv sv + zz sz + zp),    [M G'; G 0] (sa, sl) = -(rq sq + rv sv + rz sz + rp, gaq sq + gav sv + gap),
 *
 * with the same coefficients: what comes out is the derivative of the numbers that the method computes (but for the step sizes, which are held), and its
 * error has the method's order.  Projections, dense output and error estimate are differentiated alike. */
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
    double weight;              /* of its error estimate */
    const double *y, *y_new, *k[ERK_STAGES], *lambda[ERK_STAGES];
};

struct mbs_explicit {
    struct mbs_explicit_step step;      /* the last one */
    double *k[ERK_STAGES];      /* its slopes, `all` */
    double *old, *fresh;        /* states at its begin and at its end, `all` */
    double *point, *stage;      /* a point; a state, `all` */
    struct mbs_derive_stage at; /* the equations of a stage */
    int swap;                   /* k[stages] becomes k[0] at the next step */
    int tried;                  /* the stages are those of a step that the method has tried; */
    double error;               /* their error, 1: the tolerance */
    double *weights;            /* of its old and new state and the slopes, in a point between */
    void *memory;
    size_t memory_size;
};

/* How many panels a point between two ends is made of, and their weights: the old state, the new one, all slopes. */
enum { MBS_EXPLICIT_OLD, MBS_EXPLICIT_NEW, MBS_EXPLICIT_SLOPES };
int mbs_explicit_weights(const struct mbs_explicit_step *s, double t, double *weights);
/* The equations at stage i, factored; of the new point with what projections need. */
int mbs_explicit_stage(struct mbs_derive *d, const struct mbs_explicit_step *s, int i);
/* Does the method project? */
int mbs_explicit_projects(const struct mbs_derive *d);

/* derive_explicit.c: for a method that is explicit; nothing for others */
int mbs_explicit_new(struct mbs_derive *d);
void mbs_explicit_free(struct mbs_derive *d);
/* The last step was one of it. */
int mbs_explicit_step(const struct mbs_derive *d);
/* Looks at the last step if it is a new one, which is 1; with the dense output if t lies within. */
int mbs_explicit_look(struct mbs_derive *d, double t, int *fresh);
/* d->now at t, within the last step. */
int mbs_explicit_to(struct mbs_derive *d, double t);

/* adjoint_explicit.c: a step on the tape, and back from it */
size_t mbs_explicit_size(const struct mbs_derive *d);
void mbs_explicit_keep(const struct mbs_derive *d, double *to);
int mbs_explicit_slopes(const struct erk_tableau *tab);

struct mbs_explicit_back {
    double *k[ERK_STAGES];      /* of the cost by the slopes of the step that comes next, `width` wide */
    double *old, *fresh, *stage;        /* by states */
    struct mbs_explicit_step step;
};
void mbs_explicit_back_layout(const struct mbs_derive *d, struct mbs_explicit_back *b, size_t width, struct mbs_work *w);
/* The state at t within the step whose record this is: its part in the cost is handed to the step. */
void mbs_explicit_point_back(const struct mbs_derive *d, struct mbs_explicit_back *b, const double *record, double t, int width, const double *state);
/* From the end of a step to its begin.  The columns from `costs` on are those of the errors. */
int mbs_explicit_step_back(struct mbs_derive *d, struct mbs_explicit_back *b, const double *record, int costs, int width, double *state, double *params,
                           double *g, double *al);

#endif
