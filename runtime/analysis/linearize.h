/* SPDX-License-Identifier: MIT
 *
 * linearize.h: derivatives of the constrained motion along any direction of the state, what linearisations, steady
 * motions and symmetries share. */
#ifndef MBS_LINEARIZE_H
#define MBS_LINEARIZE_H

#include "analysis/linear.h"

/* One direction: what changes with a state or an input. */
struct direction {
    double *dq, *dv, *da, *dlambda, *dz, *du, *dzdot;
};

/* The state as of now with its Jacobian and the factors of [M G'; G 0]. */
struct slope {
    struct mbs_sim *sim;
    struct mbs_linear lin;
    struct direction d;
    double *rhs, *all;
};
int mbs_slope_init(struct slope *s, struct mbs_sim *sim);
void mbs_slope_fini(struct slope *s);
/* da, dlambda and dzdot from dq, dv, dz, du. */
void mbs_slope_along(struct slope *s);

/* As mbs_linearize() without a look at what motion it is; in the coordinates of `as`, or NULL. */
int mbs_linearize_as(struct mbs_sim *sim, struct mbs_linearization *out, const struct mbs_linearization *as);

/* ---- symmetry.c ---- */

/* Fields xi(q) = K q + k that carry motions into motions, so far as they shift coordinates and states, turn pairs of
 * coordinates, and turn Euler parameters from either side; each is a combination of `fields` elementary ones. */
struct symmetries {
    int n, nz, fields, count;
    struct field *field;
    double *theta;          /* fields x count */
    double *combined;       /* fields: coefficients of the field that is the motion */
};
/* Looks at states around the one as of now, which is kept.  A model that has none or is too large has count 0. */
int mbs_symmetries_init(struct symmetries *s, struct mbs_sim *sim);
void mbs_symmetries_fini(struct symmetries *s);
/* Field k (-1: the combined one) at (q, v): dq = K q + k, dv = K v, dz. */
void mbs_symmetry_at(const struct symmetries *s, int k, const double *q, const double *v, double *dq, double *dv, double *dz);
/* y = K x of the combined one. */
void mbs_symmetry_turn(const struct symmetries *s, const double *x, double *y);
/* Combines the fields to the one that is nearest to the rates (v, a, zdot) at the state; of several, one that turns as little about
 * fixed axes as it can: a wheel spins, the world does not turn about it. */
int mbs_symmetry_combine(struct symmetries *s, const double *q, const double *v, const double *a, const double *zdot);
/* Are there Euler parameters? */
int mbs_has_euler_parameters(const struct mbs_model *o);

#endif
