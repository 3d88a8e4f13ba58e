/* SPDX-License-Identifier: MIT
 *
 * moreau.h: what the files of time stepping over impacts and friction share (doc/design/0015-events.md):
 *
 *     moreau.c            the method of Moreau and Jean, and what both methods have in common
 *     nsalpha.c           the non-smooth generalised alpha method
 *     moreau_inertia.c    K^-1, K = [M G'; G 0], by the pieces of a mechanism
 *     moreau_rows.c       rows of contacts, put together from those of W
 *     moreau_contacts.c   which contacts may close in a step, and what they ask of the velocities
 *     moreau_impulses.c   the impulses that give it to them, without a gain of energy */
#ifndef MBS_MOREAU_H
#define MBS_MOREAU_H

#include "linalg/cone.h"
#include "methods/crowd.h"
#include "methods/method.h"

/* ---- K^-1 ---- */

/* Coordinates and constraints (numbered behind them) that M and G tie together are a piece: a free body, a mechanism. */
struct mbs_inertia {
    int pieces;
    int *piece, *place;         /* of a coordinate or constraint: its piece, and its place there */
    int *first, *member;        /* members of piece k: member[first[k]] to member[first[k + 1] - 1] */
    size_t *at;                 /* dense factors of piece k: lu + at[k] */
    double *lu;
    int *pivot;                 /* as member */
    double *work, *column;      /* n + m each */
    int *touched;               /* pieces under way */
    unsigned char *mark;        /* n + m */
    int large;                  /* a piece is too large for dense factors: all by the saddle point */
    int whole;                  /* so it is as of the last factors */
};
int mbs_inertia_open(struct mbs_inertia *k, const struct mbs_problem *p);
void mbs_inertia_close(struct mbs_inertia *k);
/* Factors of p->dyn.M and G; 0, or < 0: there are none. */
int mbs_inertia_factor(struct mbs_inertia *k, struct mbs_problem *p);
/* x (n + m) in place. */
void mbs_inertia_solve(struct mbs_inertia *k, struct mbs_problem *p, double *x);
/* Sparse vectors w and K^-1 w, one behind the other. */
struct mbs_inertia_rows {
    int entries, room_index, room_w, room_x;
    int *index;
    double *w, *x;
};
/* One more: that of w (n; those of `count` coordinates).  0 or MBS_NO_MEMORY. */
int mbs_inertia_row(struct mbs_inertia *k, struct mbs_problem *p, const double *w, int count, const int *coord, struct mbs_inertia_rows *rows);

/* ---- contacts ---- */

/* Impulses of the last step by what they belong to. */
struct mbs_memory {
    long long key;              /* of a pair of bodies and a feature of theirs; below 0: a one-sided constraint */
    double P[4];                /* in space axes of a meeting, else row by row */
};

/* What a contact of the problem asks of its normal velocity at the end of the step. */
struct mbs_demand {
    double floor;               /* at least this */
    double bounce;              /* and this, -e u_N, if it closes; -infinity: it does not bounce */
    int meets;                  /* it closes in this step */
};

struct mbs_moreau {
    struct mbs_inertia inertia;
    struct mbs_contacts out;
    double *rate, *moved;       /* W v + wt of all rows; the same for the velocities without impulses */
    double *begin;              /* distances of all rows where the step begins */
    int *row_start, *row_at;    /* entries of W row by row ... */
    int *row_col;               /* ... and their columns */
    int *known;                 /* row by row of W: its first entry and the one behind its last in `rows`; 0, 0: no contact has asked for it */
    struct mbs_inertia_rows rows;
    struct mbs_crowd crowd;
    double *wider;              /* contact by contact of the model: how far it goes in this step for what others do to it */
    struct mbs_cone cone;
    struct mbs_memory *memory, *fresh;
    int memories, room_memory, freshes, room_fresh;
    struct mbs_demand *demand;  /* contact by contact of the problem */
    double *pull;               /* row by row of the problem: u without impulses minus u before */
    int room_demand, room_pull;
    double fall;                /* what a step without impulses loses of the energy: h^2 a'M a / 2 */

    struct mbs_point x, old;
    double *free_v, *q_free, *acc, *a_alg, *a_old, *zdot;
    int started;
};

/* A step as contacts see it: from velocities `before`, which without impulses would become `moving`.  Ahead: the geometry is that of the
 * middle of the step, and what would overlap at its end is kept from it; else only what is closed counts. */
struct mbs_span {
    double t, h;
    const double *q, *z, *before, *moving;
    int ahead;
};

/* A row of the problem from rows of W with factors. */
struct mbs_part {
    int row;
    double by;
};
void mbs_moreau_rows_layout(struct mbs_moreau *e, const struct mbs_problem *p, struct mbs_work *w);
/* Nothing is known of rows at a new point. */
void mbs_moreau_rows_begin(struct mbs_moreau *e, const struct mbs_model *o);
void mbs_moreau_rows_close(struct mbs_moreau *e);
/* The value along a row, from those of all rows of W. */
double mbs_moreau_along(const double *rows, int parts, const struct mbs_part *part);
/* One more row of the last contact of the problem, with the impulse P to begin with.  0 or MBS_NO_MEMORY. */
int mbs_moreau_row(struct mbs_stepper *s, double P, int parts, const struct mbs_part *part);
/* Do the two-sided constraints hold row r of W already, so that no impulse moves it?  Below 0: MBS_NO_MEMORY. */
int mbs_moreau_locked(struct mbs_stepper *s, int r);
/* The problem of all contacts that may close, in e->cone. */
int mbs_moreau_contacts(struct mbs_stepper *s, const struct mbs_span *span);
/* Do impulses carry something farther than was looked for contacts?  Then the next call of the one above looks there; forget: it does not. */
int mbs_moreau_missed(struct mbs_stepper *s, const struct mbs_span *span);
void mbs_moreau_forget(struct mbs_stepper *s);
/* Nothing may overlap where a run begins. */
int mbs_moreau_apart(struct mbs_stepper *s);
/* The impulses found are where the next step begins to look. */
void mbs_moreau_remember(struct mbs_moreau *e);

/* ---- impulses ---- */

/* The change of velocities becomes e->cone.dv. */
int mbs_moreau_impulses(struct mbs_stepper *s, const struct mbs_span *span);
/* Contacts that have bounced. */
int mbs_moreau_bounces(const struct mbs_moreau *e);

/* ---- steps ---- */

/* a, lambda, zdot without contacts at (t, y), and the factors for K^-1. */
int mbs_moreau_smooth(struct mbs_stepper *s, double t, const double *y, double *a, double *lambda, double *zdot);
/* Onto the two-sided constraints. */
int mbs_moreau_project(struct mbs_stepper *s, double t);
/* What nsalpha shares with moreau as a method. */
void mbs_moreau_layout(struct mbs_stepper *s, struct mbs_work *w);
int mbs_moreau_open(struct mbs_stepper *s);
int mbs_moreau_start(struct mbs_stepper *s);
void mbs_moreau_advance(struct mbs_stepper *s, double t_new);
int mbs_moreau_dense(struct mbs_stepper *s, double t, struct mbs_point *out);
void mbs_moreau_close(struct mbs_stepper *s);
/* The table of a method, all but its names and steps. */
#define MBS_MOREAU_TABLE                                                                                                        \
    .forms = MBS_FORM(MBS_PROJECTED), .form_default = MBS_PROJECTED, .size_self = sizeof(struct mbs_moreau), .layout = mbs_moreau_layout,    \
    .open = mbs_moreau_open, .start = mbs_moreau_start, .dense = mbs_moreau_dense, .close = mbs_moreau_close,                    \
    .flags = MBS_METHOD_FIXED | MBS_METHOD_NONHOLONOMIC | MBS_METHOD_STATES | MBS_METHOD_TOUCH | MBS_METHOD_STEPS

#endif
