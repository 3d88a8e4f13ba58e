/* SPDX-License-Identifier: MIT
 *
 * touch.h: what the files of one-sided constraints and friction share, event by event (doc/design/0015-events.md):
 *
 *     contact.c           their memory, rows and slips at a point, what a unit force along a row does
 *     contact_forces.c    forces between events, and the guards of the next one
 *     contact_laws.c      the complementarity problem of impulses and of forces
 *     contact_impacts.c   velocities that jump where bodies meet
 *     contact_modes.c     who touches, sticks and slides from an event on */
#ifndef MBS_TOUCH_H
#define MBS_TOUCH_H

#include "hybrid/hybrid.h"

#include <math.h>

#define MBS_TOUCH_NEAR 1e-10            /* what is nearer touches; so does what the tolerances cannot tell from that */
#define MBS_TOUCH_STILL 1e-10           /* relative to the fastest velocity */
#define MBS_TOUCH_LOCKED 1e-10          /* of its terms: what a row may leave that the constraints hold already */

/* ---- contacts ---- */

static inline const struct mbs_contact *mbs_touch_pair(const struct mbs_problem *p, int i)
{
    return &p->model->pair[i];
}

/* The first row of the tangents; -1: there is none. */
static inline int mbs_touch_tangent(const struct mbs_contact *c)
{
    return c->kind == MBS_CONTACT_FRICTION ? c->first : c->rows > 1 ? c->first + 1 : -1;
}

static inline int mbs_touch_tangents(const struct mbs_contact *c)
{
    return c->kind == MBS_CONTACT_FRICTION ? c->rows : c->rows - 1;
}

/* Friction alone that is built up over a speed: a force like any other, which never sticks. */
int mbs_touch_is_smooth(const struct mbs_problem *p, int i);
/* Friction that slides and that nothing presses, as a force. */
double mbs_touch_sliding_force(const struct mbs_problem *p, int i);
int mbs_touch_is_candidate(const struct mbs_problem *p, int i);
/* Candidates take part, but for those that the two-sided constraints hold: they need no force. */
int mbs_touch_takes_part(const struct mbs_touch *c, int i);
/* Length of a vector over the tangents of a contact. */
double mbs_touch_length(const struct mbs_contact *c, const double *rows);
/* The names of contacts that are so. */
const char *mbs_touch_names(const struct mbs_problem *p, int (*are)(const struct mbs_problem *p, int i), char *text, size_t size);

/* ---- at a point ---- */

/* Distances, rows of W and their rates; in accel their accelerations W a + wgamma. */
void mbs_touch_evaluate(struct mbs_problem *p, double t, const double *y);
void mbs_touch_accelerations(struct mbs_problem *p, const double *a);
/* Accelerations with nothing touching, and the factors at the point as of now. */
int mbs_touch_free_motion(struct mbs_sim *sim);
/* W_rj. */
double mbs_touch_entry(const struct mbs_problem *p, int r, int j);
/* The directions of slips there; the slip along the direction that is kept; from here on it slides along these rows. */
void mbs_touch_ways(struct mbs_problem *p);
double mbs_touch_slip(const struct mbs_touch *c, const struct mbs_contact *pair, int i, const double *rows);
void mbs_touch_slides(struct mbs_touch *c, const struct mbs_contact *pair, int i, const double *rows, double sign);
/* X = K^-1 W' and A = W X, for the rows of the contacts that are marked; the factors are those of the point at hand. */
void mbs_touch_mobility(struct mbs_problem *p, const unsigned char *marked);
/* What a force along a row does to accelerations, velocities or coordinates a, and to multipliers (NULL: not wanted). */
void mbs_touch_push(struct mbs_problem *p, int row, double force, double *a, double *lambda);
/* The held rows: place[r] is their number, or -1.  *n is how many. */
void mbs_touch_held(struct mbs_problem *p, int *n);
/* B z = b of the rows that are held. */
void mbs_touch_solve_held(struct mbs_touch *c, int n);
/* The largest velocity, or 1; distances of contact i below `nearness` are none, and what its gap loses to the rounding of coordinates. */
double mbs_touch_fastest(const struct mbs_sim *sim);
double mbs_touch_nearness(const struct mbs_sim *sim, int i);
double mbs_touch_rounding(const struct mbs_sim *sim, int i);
/* What a bound is for: the gap, or of a clutch its rate; and how well that is known. */
static inline double mbs_touch_way(const struct mbs_touch *c, const struct mbs_contact *pair)
{
    return pair->kind == MBS_CONTACT_GAP ? c->out.dist[pair->first] : c->rate[pair->first];
}
double mbs_touch_known(const struct mbs_sim *sim, int i);

/* ---- forces and impulses ---- */

/* Solves for mu where friction may depend on the reactions that it takes part in: what they bear is found by iteration.  0, the status of `solve`, or
 * MBS_TOUCH_NO_BALANCE; jammed: the message of that. */
enum { MBS_TOUCH_NO_BALANCE = 100 };
int mbs_touch_balance(struct mbs_problem *p, int (*solve)(struct mbs_problem *, void *), void *with, double *mu);
int mbs_touch_jammed(struct mbs_problem *p, double t);

/* One problem of the form at the top of contact_laws.c: of impulses (velocities b) or of forces (accelerations b).  Contacts that are candidates take part;
 * on those that slide (level of forces) friction acts against the slip.  `least`, row by row, is what presses at least (NULL: nothing): of a
 * normal its velocity is 0 or the impulse this.  Multipliers into `mu`; 0, or 1: none are found. */
struct mbs_touch_problem {
    const double *b, *least;
    int forces;
    double *mu;
};
int mbs_touch_complement(struct mbs_problem *p, void *with);
/* Velocities jump where bodies meet.  *hit: whether they do. */
int mbs_touch_collide(struct mbs_sim *sim, int *hit);

#endif
