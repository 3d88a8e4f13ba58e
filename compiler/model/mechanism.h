/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Inside the mechanism level (design 0009): parts -> tree -> motion -> energies.
 *
 * Body 0 is the ground.  Parts are collected in the first pass of the check with the scope they stand in,
 * and worked on between the passes, when every name is declared.
 */
#ifndef MODEL_MECHANISM_H
#define MODEL_MECHANISM_H
#include "mbs/model.h"
#include "model/front.h"
#include "model/motion.h"

struct mech_point {
    const char *name;
    struct span span;
    struct vec at, rate;        /* in body axes; it moves there on a flexible body */
    struct rotation frame;      /* axes of a frame; identity for a point */
    struct vec turn;            /* angular velocity of the frame against the body, in body axes, on a flexible one */
    int on;                     /* a beam of segments: which body carries it; 0: the body itself */
};
/* How a body looks, if it says so. */
struct mech_looks {
    bool given, plane_box;      /* a shape; in a plane the corners of a box */
    enum mbs_shape_kind kind;
    Expr half[3];               /* from the centre of mass along the axes; 0 ends them */
    int axis[3];
    enum mbs_shape_kind drawn;  /* if it is drawn as something else than what it touches with: a wheel, a gear, a plate */
    Expr number;                /* ... of it: inner radius over radius, teeth */
    struct vec *corner;         /* of a plate, in body axes */
    int corners;
    const char *colour;
    double clear;
};
/* A small rigid motion in space of one body, for the powers of what acts on it (mech_reaction.c): along and about the axes of space. */
struct twist {
    Expr shift[6], rate[6];     /* symbols; zero: none in a plane */
    Expr force[6];              /* of elements, so far; 0: none */
};
struct mech_body {
    const char *name;           /* full: arm.link[2] */
    struct span span;
    const struct ast_stmt *stmt;        /* NULL: ground, or made by another part */
    struct scope *scope;
    struct { struct mech_point *at; int n, cap; } point;
    struct { struct vec *at; int n, cap; } held;        /* where force elements take hold of it, for the drawing */
    Expr mass;
    struct vec com;
    struct mat inertia;         /* about the centre of mass, in body axes; a plane body uses [2][2] */
    int joint, parent;          /* that connects it with its parent in the tree, -1 */
    int depth;                  /* in the tree; -1: not reached */
    int coord;                  /* absolute: first of its own coordinates */
    struct beam *beam;          /* NULL: rigid */
    struct rod *rod;            /* of the segments of an exact beam */
    struct mech_looks looks;
    struct motion motion;
    struct twist *twist;        /* where reactions are asked for: the motion has it added */
    struct motion unshifted;    /* ... and this is without it */
    struct motion start;        /* absolute: motion by the tree joints at start, for start values */
};

/* One side of a joint or of a force element. */
struct mech_end {
    int body;
    struct vec at, rate;
    struct rotation frame;
    struct vec turn;
    struct span span;
    bool flexed;                /* on the tip of a beam that bends: */
    struct vec off;             /* ... the constant place and axes there */
    struct rotation axes;
};

enum { JOINT_COORDS = 7, JOINT_ROWS = 6 };
struct mech_row {
    Expr g;
    const char *part;           /* of the name: J.part */
    bool length;                /* in metres, else a pure number */
};

struct mech_joint {
    const char *name;
    struct span span;
    const struct ast_stmt *stmt;
    struct scope *scope;
    const struct joint_kind *kind;
    struct mech_end a, b;
    struct vec axis, n1, n2;    /* right-handed; the axis has one direction in the frames of both sides */
    struct vec axis2;           /* universal: the second axis, on b */
    Expr length, pitch;         /* of a rod; metres a radian of a screw */
    const char *sequence;       /* of angles, such as zxz; NULL: Euler parameters */
    const char *given[JOINT_COORDS];    /* names of coordinates by clauses, or NULL */
    struct span given_span[JOINT_COORDS];
    bool cut, tree, reversed;   /* never in the tree; in it; from b to a */
    Expr q[JOINT_COORDS], v[JOINT_COORDS];      /* coordinates of a tree joint (absolute: local symbols) */
    int coord;                  /* first coordinate of the model, -1 if it has none */
    int seats;                  /* a tree joint whose reaction is asked for: shifts of its seat along these axes of a, held at 0 by constraints, */
    struct vec seat[3];         /* ... are coordinates behind its own */
    Expr q0[JOINT_COORDS], v0[JOINT_COORDS];    /* absolute: start values */
    struct span said[2][JOINT_COORDS];          /* where they were given, of positions and rates */
};

/* The elementary motions that a joint is made of, in order from a to b. */
enum joint_motion {
    STEP_NONE,
    STEP_TURN,
    STEP_SLIDE,
    STEP_SCREW,
    STEP_ORIENTATION,           /* Euler parameters, or three turns if the joint has a sequence */
    STEP_SHIFT,                 /* as joint_own_motion() has it */
    STEP_ROTATION
};
enum step_axis { STEP_X, STEP_Y, STEP_Z, STEP_AXIS, STEP_AXIS2, STEP_N1, STEP_N2 };
struct joint_step {
    enum joint_motion motion;
    enum step_axis axis;
    int coord, coords;          /* coords: of a shift or a rotation */
};
enum { JOINT_STEPS = 4 };

struct joint_kind {
    const char *name;
    bool planar, spatial;
    const char *takes;          /* clauses, see parts.def */
    int coords;
    const char *coord[JOINT_COORDS];
    bool length[JOINT_COORDS];  /* in metres, else an angle or a pure number */
    int orientation;            /* index of e0 among the coordinates in space, -1: none */
    void (*relative)(struct pool *, const struct mech_joint *, struct relative *);
    int (*rows)(struct pool *, const struct mech_joint *, const struct motion *a, const struct motion *b, struct mech_row *);
    struct joint_step step[JOINT_STEPS];        /* ended by STEP_NONE */
    enum mbs_shape_kind symbol; /* to draw; MBS_SHAPES: nothing */
};

/* What an element lets expressions know of itself: S.force. */
struct mech_quantity {
    const char *owner, *part;   /* the element's full name; force, length ... */
    int n;                      /* 1, or the components of a vector in space axes */
    struct vec value;
    struct dim dim;
    bool effort;                /* times what the constraint of the element's name does: known at the end */
    bool work;                  /* the integral of the value: a state, from where it is asked for */
};

/* Friction by the force that a joint transmits. */
struct mech_seat {
    int contact, joint;
    Expr coefficient, arm;
    const char *name;
    struct span span;
};

/* A component of a force at a place of a body, or of a torque on one. */
struct mech_applied {
    struct span span;
    Expr hold, force, velocity; /* a symbol for the force, the force, the velocity in its direction */
};

struct mech_name {
    const char *name;           /* interned */
    struct span span;
    int body, joint;            /* or -1 */
};

struct mechanism {
    bool spatial, absolute;
    const struct ast_stmt *dimension, *coordinates, *gravity;
    struct scope *gravity_scope;
    struct vec g;
    struct { struct mech_body *at; int n, cap; } body;
    struct { struct mech_joint *at; int n, cap; } joint;
    struct { struct pending *at; int n, cap; } element;     /* springs, dampers, torques ... */
    struct { struct mech_name *at; int n, cap; } named;     /* all parts; the first is ground */
    int *named_table, named_size;       /* open addressing, 1 + part */
    struct { struct mech_quantity *at; int n, cap; } quantity;
    struct { int *first, *list; } joints;       /* at body b: list[first[b] .. first[b+1]) */
    struct { struct mech_applied *at; int n, cap; } applied;
    struct { struct mech_seat *at; int n, cap; } seat;     /* friction by reactions */
    struct { int *at; int n, cap; } order;      /* bodies, parents first */
    struct { struct start *at; int n, cap; } start;     /* fixed start values of coordinates that are none of the model's */
    const double *defaults;     /* values of the parameters */
    const double *others;       /* other values beside them, see mech_held.c */
    int locals;                 /* absolute: local symbols in use */
    bool moving;                /* motions are known */
};

/* --- mech_read.c: what readers of parts share --- */
struct mech_name *mech_find_part(const struct check *, const char *name);
void mech_add_part(struct check *, struct mech_name);
int mech_find_body(const struct check *, const char *name);
int mech_find_joint(const struct check *, const char *name);
/* As seen from a scope: inside a component its own parts come first.  -1 if there is none. */
int mech_body_seen(struct check *, struct scope *, const char *name);
int mech_joint_seen(struct check *, struct scope *, const char *name);
/* Which coordinate of which joint a name or J.angle stands for; false if for none. */
bool mech_slot_find(struct check *, struct scope *, const struct ast_expr *, int *joint, int *slot);
void mech_defaults(struct check *);
double mech_default(struct check *, Expr);      /* with the default parameters */
const struct mech_point *mech_point_find(const struct mech_body *, const char *name);
/* at([x, y, z], z = angle, ...): a place with axes. */
bool mech_is_at(const struct ast_expr *);
/* at(...) on a body: a place and axes; on the ground they may move with time. */
struct mech_at {
    struct vec at, rate;
    struct rotation frame;
    struct vec turn;            /* angular velocity of the axes */
};
bool mech_at_read(struct check *, struct scope *, int body, const struct ast_expr *, struct mech_at *);
/* A place on the ground that is led by hand: a motion that recursions over a tree do not know. */
bool mech_is_led(const struct pool *, const struct mech_end *);
/* The place [x, y, z] on a body and its rate. */
bool mech_place_read(struct check *, struct scope *, int body, const struct ast_expr *, const char *what, struct vec *at, struct vec *rate);
/* K, K.P, K @ [x, y]: false after an error. */
bool mech_end_read(struct check *, struct scope *, const struct ast_expr *, struct mech_end *);
/* A vector of 2 or 3 (a plane model: 2) in the dimension; false after an error. */
bool mech_vector(struct check *, struct scope *, const struct ast_expr *, struct dim, unsigned allowed, const char *what,
                 struct vec *);
/* Clause or attribute by name: word NAME value, or NAME = value; NULL if absent. */
const struct ast_item *mech_item(const struct ast_stmt *, const char *name);
struct dim mech_dim(const struct check *, int m, int kg, int s);        /* known only if the model has units */
struct dim mech_length_or_angle(const struct check *, bool length);
struct dim joint_coord_dim(const struct check *, const struct mech_joint *, int i);

/* --- mech_shape.c: shape = disc(...), density = ... --- */
struct reading;
void shape_read(struct reading *, struct mech_body *);
/* `colour`, `opacity`, `hidden` of a part; false after an error. */
bool looks_read(struct reading *, const char **colour, double *clear);

/* --- mech_parts.c: from statements to parts --- */
void mech_setting(struct check *, struct scope *, const struct ast_stmt *);
void mech_declare(struct check *, struct scope *, const struct ast_stmt *);
void mech_bodies(struct check *);
void mech_joints(struct check *);
/* --- mech_joint.c: the table of kinds --- */
const struct joint_kind *joint_kind_bend(bool back);     /* of exact beams: not in the language */
const struct joint_kind *joint_kind_find(const char *name, bool spatial);
void joint_kind_suggest(struct suggestion *, bool spatial);
const char *joint_kind_list(struct arena *, bool spatial);
bool joint_takes(const struct joint_kind *, const char *clause);
int joint_coords(const struct mech_joint *);
const char *joint_coord_part(const struct mech_joint *, int i);
bool joint_coord_is_length(const struct mech_joint *, int i);
void joint_normals(struct pool *, struct mech_joint *);
/* The child's motion from the parent's. */
struct motion joint_child(struct pool *, const struct mech_joint *, const struct motion *parent);

/* b's frame against a's, in the joint's own axes; without ds. */
struct relative joint_own_motion(struct pool *, const struct mech_joint *);
struct vec joint_step_axis(struct pool *, const struct mech_joint *, const struct joint_step *);

/* --- mech_chain.c: the tree of elementary joints, tree.h --- */
void mech_chain(struct check *);
/* Of a beam, in its axes, as functions of its elastic coordinates: mass, int P, int P P', int P x P' and the energy of motion against its frame. */
struct beam_mass {
    int coord, coords;          /* of the model: the first, how many */
    Expr m;
    struct vec h, k;
    struct mat E;
    Expr T;
};
struct beam_mass beam_mass(struct pool *, const struct beam *);
/* --- mech_flex.c: a beam's mass in axes x -> back x + d, q and v its coordinates; *rest: of the straight beam there --- */
struct tree_inertia;
struct tree_flex *mech_flex(struct check *, struct beam_mass, const Expr *q, const Expr *v, const struct mat *back, struct vec d, struct tree_inertia *rest);

/* --- mech_seat.c: the force across a joint, for its friction --- */
void mech_seats(struct check *);        /* before motions: tree joints whose force is asked for get seats */
void mech_seat_rows(struct check *);    /* with the other constraints */
void mech_seat_forces(struct check *);  /* when multipliers are known */
/* --- mech_oneway.c: the teeth of ratchets, before anything is built --- */
void mech_teeth(struct check *);

/* --- mech_tree.c --- */
void mech_tree(struct check *);

/* --- mech_held.c --- */
/* A joint by which two places are one in every position, NULL if they are not. */
const struct mech_joint *mech_held(struct check *, const struct mech_end *, const struct mech_end *);

/* --- mech_reaction.c --- */
/* Adds virtual displacements to the motions, if reactions are asked for; a motion without them. */
void mech_release(struct check *);
const struct motion *mech_unshifted(const struct check *, int body);
/* What element_apply() does on bodies; hold: symbols in place of the forces. */
void mech_release_apply(struct check *, int n, const Expr *hold, const Expr *force, const Expr *velocity);
struct value mech_reaction(struct check *, struct span, int joint, bool moment);
/* What a constraint row of one equation does, by its name: minus its multiplier, times a factor; known at the end. */
Expr mech_row_effort(struct check *, struct span, const char *row, Expr factor);
void mech_reactions(struct check *, Expr *value);

/* --- mech_value.c --- */
/* A joint's coordinate as an expression, also where it is no coordinate of the model; 0: there is none. */
Expr mech_joint_value(struct check *, const struct mech_joint *, int i);

/* What every body has beside its points: com, omega ...; NULL ends them. */
const char *mech_body_quantity(int i);
const char *mech_joint_quantity(int i);         /* beside its coordinates */

/* For expressions after this: OWNER.PART. */
void mech_tells(struct check *, const char *owner, const char *part, Expr value, struct dim);
/* The factor of what its constraint does. */
void mech_tells_effort(struct check *, const char *owner, const char *part, Expr factor, struct dim);
/* All of them, for the model. */
void mech_told(struct check *);
/* OWNER.power and OWNER.work; effort: the value is a factor as above. */
void mech_tells_power(struct check *, const char *owner, Expr value, bool effort);
void mech_tells_vector(struct check *, const char *owner, const char *part, struct vec value, struct dim);

/* The velocity of an end: in the body's axes, and in space. */
struct vec end_velocity(struct pool *, const struct motion *, const struct mech_end *);
struct vec end_velocity_space(struct pool *, const struct motion *, const struct mech_end *);

/* --- mech_section.c --- */
struct beam_section {
    Expr length, density, youngs, shear, area, torsion;
    Expr moment[2];             /* of area, for deflections along y and z */
};
bool section_read(const struct reading *, struct beam_section *);
/* --- mech_beam.c --- */
void beam_read(struct check *, int body);
void beam_energies(struct check *, const struct mech_body *);

/* --- mech_rod.c: beams of segments; body: the first of them --- */
void rod_read(const struct reading *, int body, int elements);
void rod_energies(struct check *, int body);

/* --- mech_force.c: springs, dampers, torques, drives, gears ... --- */
void mech_elements(struct check *);
/* --- mech_symbol.c: points of the drawing, symbols of elements --- */
void draw_place(struct check *, int body, struct vec local);     /* a point more */
void draw_end(struct check *, const struct mech_end *);
void draw_axis(struct check *, const struct mech_end *, struct vec axis);       /* by one unit along an axis of its frame */
void draw_shape(struct check *, const char *name, enum mbs_shape_kind, int first);      /* over the points from number `first` on */
/* A place and points beyond it by lengths along axes of the body; a length 0 ends them. */
void draw_round(struct check *, int body, const char *name, enum mbs_shape_kind, struct vec at, struct vec x, struct vec y, struct vec z, Expr number);
void draw_solid(struct check *, int body, const char *name, enum mbs_shape_kind, struct vec at, const Expr half[3], const int axis[3]);
/* Symbols (enum mbs_shape_kind) between two places, at a joint's coordinate, of a force or torque in space axes, of an effort
 * along or about a coordinate. */
void mech_draw_between(struct check *, const char *name, int kind, const struct mech_end *a, const struct mech_end *b);
void mech_draw_on(struct check *, const char *name, int turning, int sliding, int joint, int slot);
void mech_draw_vector(struct check *, const char *name, int kind, const struct mech_end *at, struct vec);
void mech_draw_effort(struct check *, const char *name, int joint, int slot, Expr value);
void mech_draw_gear(struct check *, const char *name, const int joint[2], const int slot[2], Expr ratio);
void mech_draw_contact(struct check *, const char *name, const struct mech_end *a, const struct mech_end *b, struct vec normal, Expr radius);
void mech_draw_spot(struct check *, const char *name, int body, struct vec at);
void mech_draw_spot_on(struct check *, const char *name, int joint);
/* --- mech_draw.c: bodies and joints --- */
void mech_draw(struct check *);

/* --- handle.c: what `mbs play` pulls at and changes --- */
void handle_bodies(struct check *);
void handle_points(struct check *);      /* those that belong to no rigid body, when everything is drawn */
void handle_start(struct check *);
/* --- draw.c --- */
/* The body that a `draw` statement gives a solid, or -1. */
int draw_solid_body(struct check *, const struct pending *);
#endif
