/* SPDX-License-Identifier: MIT
 *
 * hybrid.h: what a model does beside moving smoothly.  Nothing of it exists in a simulation whose model has no events. */
#ifndef MBS_HYBRID_H
#define MBS_HYBRID_H

#include "linalg/cone.h"
#include "sim.h"

/* lemke.c: w = A z + b, w >= 0, z >= 0, w'z = 0; A by rows, of order `most` at most.  0, or 1: a ray, there may be no solution; 2: too many
 * pivots, or what they have found is none to 1e-10. */
struct mbs_lemke {
    double *t, *scale, *b;      /* tableau; what makes the diagonal one; work */
    double trust;               /* this part of the bounds of rounding errors counts */
    int *basis;
};
void mbs_lemke_layout(struct mbs_lemke *l, int most, struct mbs_work *w);
int mbs_lemke(struct mbs_lemke *l, int n, const double *A, const double *b, double *z);

/* broyden.c: x = F(x) >= 0, by quasi-Newton steps from a start x; the inverse Jacobian is learnt on the way. */
struct mbs_broyden {
    int n, steps;
    double *x, *f, *dx, *df, *row, *H;  /* f = F(x) - x; H: n x n */
};
void mbs_broyden_layout(struct mbs_broyden *b, int n, struct mbs_work *w);
void mbs_broyden_begin(struct mbs_broyden *b);
/* Takes F(x) of the x as of now; 1: it was x but for `tol` of the largest, else x is a new one. */
int mbs_broyden_step(struct mbs_broyden *b, const double *F, double tol);

/* One-sided constraints and friction of a model (touch.h). */
struct mbs_touch {
    int n, rows;
    struct mbs_contacts out;    /* at the point at hand */
    double *rate, *accel;       /* W v + wt, W a + wgamma */
    double *mu, *impulse;       /* row by row: forces of the last accelerations, impulses of the last impact */
    double *X, *A;              /* K^-1 W' row by row, W K^-1 W' */
    double *B, *b, *z, *colmax; /* of systems and complementarity problems */
    double *a, *x, *v_before;
    int *pivot, *place;
    struct mbs_lemke lemke;
    unsigned char *closed, *candidate;  /* contact by contact */
    unsigned char *locked;      /* the two-sided constraints hold it already ... */
    double *band;               /* ... and while its gap or rate is within this of zero it touches without force */
    signed char *slide;         /* the sign of its slip, in space 1; 0: it sticks */
    double *way, *keep;         /* 3 a contact: the direction of its slip at the point at hand, and at the end of the last step */
    struct mbs_cone cone;       /* problems of friction in space */
    unsigned char *was_closed;  /* before the event at hand */
    signed char *was_slide;
    int reacts;                 /* how many bear what follows from lambda: those of `reacting` */
    int *reacting;
    double *lambda, *lambda0;   /* multipliers of the last accelerations, and without anything that touches */
    struct mbs_broyden bound;   /* what they bear */
    double *least;              /* row by row: impulses that are known before the problem is solved */
    double t;                   /* the point at hand */
    const double *y;
    int settle, leaves;         /* this one has come to rest; the force of this one has become zero; -1: none */
};
void mbs_touch_layout(struct mbs_sim *sim, struct mbs_work *w);
/* Who touches where a state has been set; MBS_INCONSISTENT if bodies overlap there. */
int mbs_touch_begin(struct mbs_sim *sim);
/* At an event: impacts, then who touches, sticks and slides from now on.  *hit: velocities have jumped. */
int mbs_touch_resolve(struct mbs_sim *sim, int *hit);
void mbs_touch_guards(struct mbs_sim *sim, const struct mbs_point *x, double *h, double *hdot);
double mbs_touch_drift(struct mbs_sim *sim);
/* Does an open contact overlap at the point of the last drift? */
int mbs_touch_inside(const struct mbs_sim *sim, int i);
void mbs_touch_straighten(struct mbs_sim *sim);
/* The directions of slips at the point of the last drift are those to be kept from now on. */
void mbs_touch_turn(struct mbs_sim *sim);

struct mbs_hybrid {
    int nevent;                 /* events of the model; behind them come two for each contact */
    int drifted;                /* what is held has left its place by more than tolerances: it is put back */
    int forced;                 /* this event is due whatever its guard says; -1: none */
    int n, njump;               /* events, assignments */
    double *h, *hdot;           /* guards at the point at hand */
    double *left, *left_rate;   /* at the left end of an interval */
    double *inner, *inner_rate; /* while locating */
    double *jump;
    signed char *on;            /* event by event: its condition holds (1) or not (0); the sign of a guard that may cross either way */
    double *turn;               /* where in the interval at hand a guard turned before the event was found behind it, ... */
    signed char *turn_side;     /* ... and its side there */
    unsigned char *q_kind, *v_kind;     /* what an event has set: enum mbs_init a coordinate */
    double *start;              /* np: parameters as the user gave them; discrete states begin so */
    double *before;             /* q, v, z before an event */
    long *sample;               /* of `every`: the number of the next sample ... */
    double clock;               /* ... after this time */
    int fresh;                  /* a state has been set and the samples at its time are due */
    int kept;                   /* sides and samples were brought back together with the state: they count */
    /* event by event, for the search of accumulation points: when it happened last, the interval before, its ratio to the one before
     * that, and for how many intervals this ratio has been constant */
    double *last, *gap, *ratio;
    int *steady;
    double t_any;               /* the last event of all, and how many have followed each other at the precision of t */
    int rapid;
    double window;              /* a step of time stepping: where more than MOST_IN_WINDOW contacts change in it, events lead nowhere */
    double window_from;
    int in_window;
    int dense;                  /* the run has ended for that */
};

void mbs_hybrid_layout(struct mbs_sim *sim, struct mbs_work *w);
/* The parameters are new: those of discrete states are where they start. */
void mbs_hybrid_parameters(struct mbs_sim *sim);
/* At the point where an integration starts or goes on. */
void mbs_hybrid_start(struct mbs_sim *sim);
/* The next sampling time; infinity: none. */
double mbs_hybrid_stop(const struct mbs_sim *sim);
/* In the last step: *t becomes the time up to which it counts, *due is set if something happens there. */
int mbs_hybrid_find(struct mbs_sim *sim, double *t, int *due);
/* Is an event due at the point as of now that records? */
int mbs_hybrid_records(struct mbs_sim *sim);
/* The first event that is due there, -1: none; one of contacts has a number from nevent on.  Its guard and the rate of that at the point as of
 * now, or, if it is sampled, how long it is until it is due, and -1. */
int mbs_hybrid_due(struct mbs_sim *sim);
void mbs_hybrid_guard(struct mbs_sim *sim, int k, double *h, double *rate);
/* All that is due at the point as of now happens, in the order of the model, and what follows from it.  *stop: the event that ends the
 * run, or -1.  The integration must start anew. */
int mbs_hybrid_happen(struct mbs_sim *sim, const struct mbs_run *run, int *stop);

#endif
