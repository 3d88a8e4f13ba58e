/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The checked model: flat arrays of resolved quantities, frozen once the front end is done.  Whatever
 * the file said, with bodies and joints or with energies, arrives here in one form, from which the
 * equations are derived.  Everything lives in the compilation's arena; expressions in the pool.
 */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H
#include "base/source.h"
#include "expr/expr.h"
#include "model/motion.h"

enum init_kind { INIT_FREE, INIT_GUESS, INIT_FIXED };   /* same order as enum mbs_init */

struct model_param {
    const char *name, *unit;    /* name as results show it: m1, k[2]; unit "" if none */
    struct span span;
    Expr sym, value;            /* default, of numbers and earlier parameters */
    bool discrete;              /* a discrete state: events change it, the default is its start value */
    double deviation;           /* of the default, in the unit of the parameter; 0: it is exact */
};
struct model_coord {
    const char *name, *unit;
    struct span span;
    Expr q, v, a;               /* symbols; their index is the position in the array */
    enum init_kind q_init, v_init;
    Expr q0, v0;                /* of parameters; zero where nothing was said */
};
struct model_state {
    const char *name, *unit;
    struct span span;
    Expr sym, z0, rate;
};
struct model_input {
    const char *name, *unit;
    struct span span;
    Expr sym, value;
};
struct model_output {
    const char *name, *unit;
    struct span span;
    Expr value;                 /* may contain accelerations, and multipliers by name */
};
struct model_constraint {
    const char *name, *unit;    /* loopB.x */
    struct span span;
    Expr lambda, mu;            /* its multiplier symbols */
    Expr g;                     /* lhs - rhs; non-holonomic: linear in the velocities */
};
struct model_condition {        /* of the start: value = 0; on velocities it is linear in them */
    const char *name, *unit;
    struct span span;
    Expr value;
    bool guess;                 /* 'value ~ 0': as near to 0 as the rest allows */
};
enum event_kind { EVENT_RISES, EVENT_CROSSES, EVENT_EVERY, EVENT_HOLDS };        /* same order as enum mbs_when_kind */
struct model_event {            /* when, every */
    const char *name, *unit;    /* unit "" */
    struct span span;
    enum event_kind kind;
    Expr guard;                 /* positive where the condition holds; of EVERY the period */
    int first, count;           /* of the jumps */
    bool record, stop;
    const char *message;        /* NULL: none */
};
enum jump_kind { JUMP_Q, JUMP_V, JUMP_Z, JUMP_P };       /* same order as enum mbs_jump_kind */
struct model_jump {             /* an assignment of an event */
    const char *name, *unit;    /* of what is assigned: y' */
    struct span span;
    enum jump_kind kind;
    int index;
    Expr value;                 /* of the state before the event */
};
enum contact_kind { CONTACT_GAP, CONTACT_RATE, CONTACT_FRICTION, CONTACT_BODY };        /* same order as enum mbs_contact_kind */
struct model_contact {          /* a one-sided constraint, or friction alone */
    const char *name, *unit;
    struct span span;
    enum contact_kind kind;
    int first, rows;            /* of the rows: normal, then tangents; of friction alone there is no normal */
    Expr restitution, friction; /* of friction alone the speed over which it is built up, or zero, and the force that it can bear */
    bool poisson;               /* restitution of impulses, not of velocities */
    bool reacts;                /* what it can bear follows from multipliers */
    int solid;                  /* of a body in a crowd: enum mbs_solid */
};
struct model_touch {            /* a row: gap >= 0, or a relative velocity, linear in velocities */
    const char *name, *unit;
    struct span span;
    bool holonomic;
    Expr value;
};
enum term_origin {
    TERM_STATED,                /* by a statement or an element */
    TERM_BODY,                  /* kinetic energy or weight of a body: the tree has it too */
    TERM_NORM                   /* 2 J (e.e')^2 of Euler parameters, which vanishes on the unit sphere */
};
struct model_term {             /* one kinetic, potential or dissipation statement */
    struct span span;
    Expr value;
    enum term_origin origin;
};
struct model_force {
    struct span span;
    int coord;
    Expr value;
};
struct model_table {            /* C2 cubic spline through (x, y), data of a struct fn */
    const char *name;
    int n;
    double *x, *y, *m;          /* m: second derivatives at the knots */
};
struct model_extern {           /* data of a struct fn */
    const char *name;
};
struct model_shape {            /* kinds and meaning as enum mbs_shape_kind of mbs/model.h */
    const char *name;
    int kind;
    int first, count;           /* points */
    const char *file;           /* of a mesh, or NULL */
    const char *colour;         /* or NULL */
    double clear, factor;
};
struct model_point {            /* position in space; z is zero in a plane */
    Expr x[3];                  /* 0, not found yet: model_locate() */
    int place;                  /* fixed on this body: 1 + its number among the mechanism's; 0: not known */
    struct vec local;           /* ... in its axes */
    int body;                   /* 1 + the number of the body it moves with, fixed or not; 0: none */
};
struct model_road {             /* roadmap: how a body hangs in the tree */
    const char *body, *parent, *joint, *kind;   /* joint "" where the body has coordinates of its own */
    int coord, coords;
};
struct model_dropped {          /* a row of a joint that holds identically and was left out */
    const char *name, *unit;
    struct span span;
};
struct model_let {              /* an element of what the file calls so */
    const char *name;           /* C1.x */
    Expr value;
};
struct model_told {             /* what an element lets expressions know of itself */
    const char *owner, *part, *unit;    /* S, force, N */
};
struct model_option {           /* compile-time choice; true is 1 */
    const char *name;
    Expr value;
};
struct model_experiment {       /* NaN / NULL where nothing was said */
    double from, to, rtol, atol, step, every;
    const char *solver, *formulation;
};

struct tree;                    /* tree.h */
struct model {
    const char *name, *title;
    const struct source *source;
    struct arena *arena;
    struct pool *pool;
    Expr time;
#define ARRAY(type, name, values) struct { type *at; int n, cap; } name;
#include "model/arrays.def"
#undef ARRAY
    int holonomic;              /* how many of the constraints */
    int *sensitive, sensitives; /* parameters by which derivatives are asked for */
    int condition_q;            /* how many of the conditions are on positions */
    const char **body_name;     /* of the mechanism, the ground first */
    int bodies;
    const struct motion *motion;        /* of a large mechanism's bodies, for model_locate() */
    struct model_experiment experiment;
    struct tree *tree;          /* of bodies in relative coordinates; NULL: there is none */
};

/* Finds where the points of a large mechanism are in space.  Loops over bodies (roll/) know it by themselves, and it is an eighth of the compilation. */
void model_locate(struct model *);
#endif
