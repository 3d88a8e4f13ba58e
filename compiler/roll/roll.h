/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rolled code for large trees (design 0014): loops over tables instead of statements a body.
 *
 * The bodies' part of every function is text that is the same for all models (roll/text), with a table of the bodies, parents first, and
 * a table of their constants, in which equal bodies have one row.  Steps are inlined once for each class of joints
 * that the model has.  What the model says beside its bodies (springs, forces, energies, states) is derived by the energies'
 * way and added; it may couple coordinates in forces, but not in M.
 *
 * A mixed file (WAY_MIXED) has the accelerations as statements (tree/), and loops for everything else, in axes that all bodies have in common
 * (text/common.c, with text/common_space.c or common_plane.c): short text without classes, fast enough for robots, but with fewer digits the longer a branch is
 * against its bodies.
 */
#ifndef ROLL_ROLL_H
#define ROLL_ROLL_H
#include "derive/equations.h"

/* COLUMN: in steps alone, a motion along six numbers of its row of constants; in a plane, where none turns, along two. */
enum roll_kind { ROLL_TURN, ROLL_SLIDE, ROLL_SCREW, ROLL_COLUMN };
enum { ROLL_CLASSES = 24, ROLL_SPACE_ROW = 23, ROLL_PLANE_ROW = 9, ROLL_PLANE_TURN = 8, ROLL_BOTH_ROW = ROLL_SPACE_ROW + 6, ROLL_COLUMN_ROW = 12,
       ROLL_COLUMN_ROW_PLANE = 4, ROLL_ANY = 2 };
struct roll_class {
    enum roll_kind kind;
    int axis;
    bool stepped;               /* bodies of the accelerations have it; else turns of joints alone, which are links there */
    bool placed;                /* with turned axes against the parent */
    signed char sign[ROLL_BOTH_ROW + ROLL_COLUMN_ROW];  /* constants that are the same number in all rows: 0, 1, -1; else ROLL_ANY */
};
struct roll_body {
    int parent;                 /* from 1; 0 is the ground */
    int coord, class, row;
    bool negative;              /* the joint is passed from b to a */
    bool first;                 /* all before it slide: common axes begin at its origin */
    bool massless;
    int children;
};
/* Euler parameters: three rows of bodies that turn about x, y and z by angle zero, the first one placed by R(e) too (text/balls.c). */
struct roll_ball {
    int body, link, coord, row; /* the first of its bodies, of its links, of its coordinates; the row of constants that nobody shares */
    int norm;                   /* the constraint that keeps their length */
    bool reversed;
    Expr inertia;               /* J of the energy 2 J (e.e')^2 */
};
/* Joints given by functions of their coordinates: rows of turns by angles A(q).  Values: A; its derivatives J[turn][coordinate] and
 * H[turn][coordinate][coordinate]; and G[turn][coordinate], those of v'H v.  Of local symbols: q, then v. */
enum { ROLL_JOINT_TURNS = 4, ROLL_JOINT_COORDS = 2, ROLL_JOINT_J = ROLL_JOINT_TURNS, ROLL_JOINT_H = ROLL_JOINT_J + ROLL_JOINT_TURNS * ROLL_JOINT_COORDS,
       ROLL_JOINT_G = ROLL_JOINT_H + ROLL_JOINT_TURNS * ROLL_JOINT_COORDS * ROLL_JOINT_COORDS,
       ROLL_JOINT_VALUES = ROLL_JOINT_G + ROLL_JOINT_TURNS * ROLL_JOINT_COORDS };
struct roll_joint_class {
    int turns, coords;
    Expr value[ROLL_JOINT_VALUES];
};
struct roll_joint {
    int body, coord, class;     /* the first of its bodies, of its coordinates */
    int row;                    /* the first of its columns' rows, two for each: the second one has the column and what its velocity terms are */
};
struct roll_point {
    int at, body, place;        /* point of the drawing, on this body, at this place of it */
};
/* Laws of single coordinates (laws.c). */
enum roll_law_kind { LAW_POTENTIAL, LAW_KINETIC, LAW_DISSIPATION, LAW_FORCE };
enum roll_law_out { LAW_E, LAW_f, LAW_fq, LAW_fv, LAW_m, LAW_OUTS };    /* energy, force and its derivatives, inertia */
struct roll_law_class {
    enum roll_law_kind kind;
    Expr value;                 /* of local symbols: 0 the coordinate, 1 its velocity, from 2 on constants */
    int constants, count;
    Expr out[LAW_OUTS];
};
struct roll_law {
    int class, coord, constants;        /* the first of its constants */
};
enum { ROLL_LAWS = 40 };
struct roll_laws {
    struct { struct roll_law_class *at; int n, cap; } class;
    struct roll_law *law;
    int n;
    Expr *constant;
    int constants;
    bool kinetic;               /* any is */
};

/* Steps of the accelerations (steps.c): what a body keeps, in slots, and what a step computes of it.  Vectors and triangles of matrices stand in a row. */
enum roll_slot {
    SLOT_ANGLE, SLOT_RATE, SLOT_FORCE, SLOT_MORE, SLOT_COSINE, SLOT_SINE, SLOT_W, SLOT_B = SLOT_W + 3, SLOT_SHIFT = SLOT_B + 6, SLOT_A = SLOT_SHIFT + 2,
    SLOT_U = SLOT_A + 6,
    SLOT_INVERSE = SLOT_U + 6, SLOT_Y, SLOT_ACCELERATION,
    SLOT_PASSED,                /* from here on: what its children pass to it */
    SLOT_J = SLOT_PASSED + 6, SLOT_H = SLOT_J + 6, SLOT_M = SLOT_H + 9, ROLL_SLOTS = SLOT_M + 6
};
struct roll_out {
    int slot;                   /* as the tree counts them */
    Expr value;
};
enum { ROLL_STEPS_FREE = 3, ROLL_STEPS = 5 };
struct roll_step {
    int n, own;                 /* outputs; the first `own` of the forces are the body's, the others its parent's */
    struct roll_out out[ROLL_SLOTS];
};

struct roll {
    bool mixed;                 /* loops are in common axes */
    bool stepped;               /* accelerations are loops of their own, with steps; else statements */
    bool inverse;               /* the residual is statements */
    bool plane;                 /* three numbers a motion, not six */
    int n, coords;              /* bodies; coordinates of the model */
    struct roll_body *body;     /* n + 1; the first one is the ground */
    int links, *link_outer;     /* bodies of the steps: with joints given by functions they are others, with a column a coordinate instead of turns */
    struct roll_body *link;     /* else the same */
    int *at_body;               /* of each body of the tree: its last one here */
    struct { struct roll_ball *at; int n, cap; } ball;
    struct { struct roll_joint *at; int n, cap; } joint;
    struct { struct roll_joint_class *at; int n, cap; } joint_class;
    bool inner;                 /* coordinates of the loops are not those of the model: balls, joints */
    int *outer;                 /* then of each body's coordinate that of the model, or -1 less 3*ball + (0, 1, 2), 3*balls + 4*joint + (0 to 3) */
    int classes;
    struct roll_class class[ROLL_CLASSES];
    bool negative;              /* any body is */
    int width, rows;            /* constants: row by row, in the order of struct constants of the text */
    Expr *row;
    struct { struct roll_point *at; int n, cap; } point;
    int places;
    Expr *place;                /* three a place */
    struct roll_laws laws;
    Expr potential;             /* of what is joined to ground */
    Expr g[3];
    bool linked;                /* there are links of their own */
    bool matrices;              /* M, rq, rv have patterns: else there would be too many entries */
    int *M_colptr, *M_rowidx, *r_colptr, *r_rowidx;
    int slots, passed, inertia, slot[ROLL_SLOTS];       /* how many, the first that children pass, and of the inertia, where each is (-1: not in a plane) */
    bool massless;              /* a body of the file is, beside constraints: no pivot tells whether accelerations are safe */
    int constraints;            /* rows of G: accelerations and multipliers by M^-1 G' */
    int bound, *bound_row;      /* those that do not keep the length of Euler parameters */
    int steps;                  /* a class */
    struct roll_step *step;     /* velocities, forces, accelerations of each class; forces and accelerations of another right-hand side */
    bool newton;                /* what the rest adds to rq and rv is diagonal: Newton matrices are solved along the tree */
};

/* What dynamics, residual and Jacobian would take as statements, in operations, about: in robots of 12 to 36 coordinates some hundred for each
 * pair of a body and one before it.  Beyond STATEMENTS_MOST the C compiler takes longer than anybody waits. */
enum { STATEMENTS_A_PAIR = 100, STATEMENTS_MOST = 80000 };
double roll_statements(const struct tree *);
/* Has rolled code of this model M and the Jacobians of r by entries? */
bool roll_has_matrices(const struct model *);
bool roll_is_shorter(const struct model *);
/* May it be rolled, or mixed?  The reason why not, else NULL. */
const char *roll_refuses(const struct model *, bool mixed);
/* An extern function whose name the text of the loops has for a function or an array of its own; NULL: there is none. */
const char *roll_clash(const struct model *);
/* Is it a robot or the like: a tree in space too large for statements alone, and not too large for any? */
bool roll_mixed_fits(const struct model *);
/* A smaller one, free of constraints, in which bodies repeat each other, so that loops say the same in less text; where its statements are long, they do. */
bool roll_may_shorten(const struct model *);
bool roll_is_long(const struct equations *whole, const struct equations *rest);
/* The same of the residual beside accelerations, and of accelerations, as statements in a mixed file. */
bool roll_is_long_inverse(const struct equations *whole, const struct equations *rest);
bool roll_is_long_forward(const struct equations *);
/* What roll_refuses() says, for what was derived beside the bodies. */
const char *roll_refuses_rest(const struct equations *, bool mixed, const struct roll_laws *);
/* The laws of single coordinates, and the model without them (or itself, if they are few or have nothing in common). */
const struct model *roll_separate(const struct model *, struct arena *, struct roll_laws *);
bool roll_laws_conserve(const struct pool *, const struct roll_laws *); /* none of them drives or brakes */
/* Does the rest add to the diagonal of M? */
bool roll_has_rotors(const struct roll *, const struct equations *);
/* ROLL_INVERSE: the equations have the whole residual, not that of the rest.  ROLL_STEPPED: accelerations are loops, as in rolled code. */
enum roll_style { ROLL_MIXED = 1, ROLL_INVERSE = 2, ROLL_STEPPED = 4 };
struct roll *roll_new(const struct equations *, unsigned style, const struct roll_laws *, struct arena *);

bool roll_is_alike(const struct roll_class *, const struct roll_class *);      /* but for their constants */
struct tree_body;
int roll_joint_class(struct roll *, const struct model *, const struct tree_body *);        /* joints.c */
/* steps.c; `rotors`: the rest has inertia of its own. */
void roll_make_steps(struct roll *, struct pool *, bool rotors, struct arena *);
const char *roll_slot_name(int slot);
bool roll_passes_on(const struct roll *, int step);     /* to the parent; else it reads the parent's slots */

/* The bodies' part of the constant block: gravity, potential energy of what is fixed, rows, places. */
int roll_constants(const struct roll *);
/* Behind it in mixed files: constants of all bodies side by side, in rows of a lane a body (text/common_rows.c), so many lanes in use, so many in all; and
 * how many numbers that is. */
int roll_lane_count(const struct roll *), roll_stride(const struct roll *), roll_lanes(const struct roll *);
Expr roll_constant(const struct roll *, int k);
/* Entries of a matrix that the loops give; -1: they do not. */
int roll_entries(const struct roll *, enum eq_id);
/* Is this function of the ABI a rolled one, around that of the rest? */
bool roll_has(const struct roll *, enum abi_function_id);
#endif
