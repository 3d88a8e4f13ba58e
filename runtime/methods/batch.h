/* SPDX-License-Identifier: MIT
 *
 * batch.h: the same step of several simulations at once.  Entry i of an array of lane l stands at [i*lanes + l]. */
#ifndef MBS_BATCH_H
#define MBS_BATCH_H

#include "linalg/wide.h"
#include "methods/erk.h"

enum { MBS_LANES_MOST = 16 };

struct mbs_lanes {
    struct mbs_rows rows;               /* at the points y_new (first: rows_of() relies on it) */
    const struct mbs_model *model;
    const struct mbs_method *method;    /* whose steps these are */
    int lanes, n, m, nz, ny;
    const struct erk_tableau *tab;      /* its stages, errors, weights */
    /* arrays of vectors of `lanes` doubles */
    double *c, *w, *u, *t, *h, *t_old, *t_new;
    double *rtol, *atol;                /* 1; ny */
    double *y, *y_stage, *y_new, *k[ERK_STAGES], *lambda, *unsafe, *lost;       /* lost: unsafe at any stage so far */
    double *err, *err3, *sc, *sum;      /* ny each, sum 2 */
    double *M, *G, *H, *g, *gt, *x;     /* with constraints: matrices, n + m */
    double *y_next, *y_kept;            /* ny */
    double *spare;                      /* ny + m, of one lane: what nobody asks for */
    struct mbs_gram *gram;              /* of G, NULL: nobody can ask for its rows */
    double *square, *pivot, *product;   /* m, m, mbs_gram_room() */
    int has_G;                          /* b->G is that of y_new */
    struct mbs_wide *saddle;            /* [M G'; H 0], NULL: the model has no matrices in lanes, or is too large */
    struct erk_wide wide[MBS_LANES_MOST];
    void *block;
};

/* batch.c: can steps of this method be made together for this model? */
int mbs_lanes_fit(const struct mbs_model *model, const struct mbs_method *method);
/* MBS_NO_MEMORY, or 0 */
int mbs_lanes_new(struct mbs_lanes *b, const struct mbs_model *model, const struct mbs_method *method);
void mbs_lanes_free(struct mbs_lanes *b);
/* A simulation takes a lane. */
void mbs_lanes_enter(struct mbs_lanes *b, int lane, const struct mbs_stepper *s);
/* It leaves it, with what its steps have left here. */
void mbs_lanes_leave(const struct mbs_lanes *b, int lane, const struct mbs_stepper *s);
/* Constants may have changed. */
void mbs_lanes_constants(struct mbs_lanes *b, int lane, const struct mbs_problem *p);
/* Attempts of those lanes that have a stepper, as attempt() of their method.  alone[lane] = 1: it has to be made by that lane itself. */
void mbs_lanes_attempt(struct mbs_lanes *b, struct mbs_stepper *const *s, struct mbs_attempt *a, int *alone);

/* ---- for the methods ---- */

/* One lane's entries out of an array. */
static inline void mbs_lane_get(const struct mbs_lanes *b, int lane, int n, const double *X, double *x)
{
    for (int i = 0, L = b->lanes; i < n; i++)
        x[i] = X[i * L + lane];
}
/* The first n entries of all lanes into arrays of their own, NULL: nobody asks. */
void mbs_lanes_get(const struct mbs_lanes *b, int n, const double *X, double *const *x);
/* b->y and b->k[0]: the points and slopes of lanes with a stepper; others repeat one of them.  Steps into b->h. */
void mbs_lanes_points(struct mbs_lanes *b, struct mbs_stepper *const *s, const struct mbs_attempt *a, double *(*slope)(struct mbs_stepper *s));
/* b->t = the time of the old point + part of the step, or that of the new one where part is 1. */
static inline void mbs_lanes_times(struct mbs_lanes *b, double part)
{
    for (int l = 0; l < b->lanes; l++)
        b->t[l] = part == 1 ? b->t_new[l] : b->t_old[l] + part * b->h[l];
}
/* Lanes in which the last slopes are not safe are lost for this attempt. */
static inline void mbs_lanes_watch(struct mbs_lanes *b)
{
    for (int l = 0; l < b->lanes; l++)
        b->lost[l] += b->unsafe[l];
}
/* out = y + h sum a_j k_j over the entries from .. to - 1; y NULL: the sum alone */
void mbs_lanes_combine(const struct mbs_lanes *b, const struct erk_row *r, int from, int to, const double *y, double *out);
/* k = (v, a, zdot) at the times b->t, b->lambda and b->unsafe */
void mbs_lanes_slopes(struct mbs_lanes *b, struct mbs_stepper *const *s, const double *y, double *k);
/* b->M, f into b->x, b->G, zdot; gamma behind f if that is asked for */
void mbs_lanes_dynamics(struct mbs_lanes *b, struct mbs_stepper *const *s, const double *y, double *zdot, int gamma);
/* b->g, b->gt, and G into the given array */
void mbs_lanes_constraints(struct mbs_lanes *b, const double *q, double *G);
/* Rates of T + U at stage i into power(lane)[i], for the runs that keep account of it. */
void mbs_lanes_powers(const struct mbs_lanes *b, struct mbs_stepper *const *s, int i, const double *y, const double *lambda,
                      double *(*power)(struct mbs_stepper *s));
/* a[l].err from b->err and b->err3; alone[l] where it is not finite */
void mbs_lanes_errors(struct mbs_lanes *b, struct mbs_stepper *const *s, struct mbs_attempt *a, int *alone);
/* An attempt has left the new points in b->y_new (and G there in b->G: has_G): rows of G there may be asked for. */
void mbs_lanes_rows(struct mbs_lanes *b, int has_G);
/* b->y_new onto the constraints, in lanes with want[l]; 0 there: the lane has to do it itself.  The factors (mbs_wide_factor) are those of the new points,
 * and so is b->G from now on. */
void mbs_lanes_project(struct mbs_lanes *b, struct mbs_stepper *const *s, int *want);

/* erk_batch.c, halfexplicit_batch.c */
void mbs_erk_attempt_batch(struct mbs_lanes *b, struct mbs_stepper *const *s, struct mbs_attempt *a, int *alone);
void mbs_halfexplicit_attempt_batch(struct mbs_lanes *b, struct mbs_stepper *const *s, struct mbs_attempt *a, int *alone);
void mbs_erk_leave(const struct mbs_lanes *b, int lane, const struct mbs_stepper *s);

#endif
