/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Recursions over the bodies of a tree, as expressions (design 0012).
 *
 * Vectors are in the working axes of their body.  Every sum that a recursion hands on is a HOLD node, so that nothing is
 * multiplied out.  What a body has no use for is not reached by any output and costs nothing.
 */
#ifndef TREE_RECURSION_H
#define TREE_RECURSION_H
#include "model/model.h"
#include "model/tree.h"

/* A motion (angular, linear of the origin) or a force (moment about the origin, force). */
struct spatial {
    struct vec w, u;
};

/* The motion of one body. */
struct tree_motion {
    struct vec w, dw;           /* angular velocity and acceleration */
    struct vec w_parent, dw_parent;     /* those of the parent, in the axes of this body */
    struct vec u;               /* velocity of the origin */
    struct vec a;               /* acceleration of the origin, minus gravity */
    struct mat U;               /* [dw] + [w][w]: a point x has the acceleration a + U x */
};

/* --- spatial.c --- */
Expr tree_hold(struct pool *, Expr);            /* a sum of several terms as a unit */
struct vec tree_hold_vec(struct pool *, struct vec);
/* R of the joint, from working axes to its axes in the parent and back; likewise `place`. */
struct vec joint_turn(struct pool *, const struct tree_body *, struct vec);
struct vec joint_turn_back(struct pool *, const struct tree_body *, struct vec);
struct vec joint_shift(struct pool *, const struct tree_body *);        /* s */
/* Of a force at the body to the same force at the parent; of a motion of the parent to that of the body. */
struct spatial force_to_parent(struct pool *, const struct tree_body *, struct spatial);
struct spatial motion_to_child(struct pool *, const struct tree_body *, struct spatial);
struct spatial spatial_add(struct pool *, struct spatial, struct spatial);
#define spatial_add(p, a, ...) IN_ORDER(spatial_add, p, a, __VA_ARGS__)     /* see expr.h */
struct spatial spatial_hold(struct pool *, struct spatial);
struct spatial spatial_zero(struct pool *);
Expr spatial_dot(struct pool *, struct spatial, struct spatial);
struct spatial column_of(const struct tree_column *);
/* A symmetric matrix of the joint's motion: R E R', entries above the diagonal alike below. */
struct mat joint_turn_symmetric(struct pool *, const struct tree_body *, const struct mat *);
struct mat joint_turn_matrix(struct pool *, const struct tree_body *, const struct mat *);     /* of any matrix */
struct mat conjugate_symmetric(struct pool *, const struct mat *R, const struct mat *E);       /* R E R' */
struct mat conjugate_matrix(struct pool *, const struct mat *R, const struct mat *K);
struct tree_inertia inertia_to_parent(struct pool *, const struct tree_body *, const struct tree_inertia *);
struct mat mat_hold(struct pool *, struct mat);

/* --- elastic.c: of the beam whose elastic coordinates are the columns of a FLEX body --- */
struct elastic {
    struct pool *p;
    const struct tree_body *b;
    const struct tree_flex *f;
    int n;
    const struct tree_motion *m;        /* of the frame */
    Expr *v, *dv;               /* first and second derivatives of the coordinates */
};
struct elastic elastic_begin(struct pool *, struct arena *, const struct tree_body *, const struct tree_motion *frame, const Expr *a);
struct spatial elastic_column(const struct tree_body *, int c);         /* on the frame, for a unit acceleration */
struct spatial elastic_force(const struct elastic *);           /* on the frame, beside that of the inertia */
Expr elastic_row(const struct elastic *, int c);        /* of the mass of the beam; what is behind its tip comes by the column */
Expr elastic_kinetic(const struct elastic *);           /* beside that of the inertia */
void elastic_coriolis(const struct elastic *, struct mat *K, struct vec *P);    /* adds to them, see derivative.c */
struct spatial elastic_force_by_q(const struct elastic *, int c);       /* of the frame, with the inertia's */
struct spatial elastic_force_by_v(const struct elastic *, int c);
struct vec elastic_couple(const struct elastic *, int c);
Expr elastic_row_by_q(const struct elastic *, int row, int c);
Expr elastic_row_by_v(const struct elastic *, int row, int c);

/* --- newton_euler.c --- */
struct mat angular_matrix(struct pool *, struct vec w, struct vec dw);          /* [dw] + [w][w] */
struct vec apply_angular(struct pool *, const struct mat *, struct vec);
/* Velocities, and accelerations for given accelerations of the coordinates (NULL: zero). */
void tree_motions(struct pool *, const struct tree *, const Expr *a, struct tree_motion *out);
struct tree_motion tree_child_motion(struct pool *, const struct tree_body *, const struct tree_motion *parent, const Expr *a);
struct spatial tree_body_force(struct pool *, const struct tree_inertia *, const struct tree_motion *);
/* Forces that the motion needs, at each body from its parent; out may be NULL for either. */
void tree_forces(struct pool *, const struct tree *, const struct tree_motion *, const Expr *a, struct spatial *F);
void tree_body_forces(struct pool *, const struct tree *, const struct tree_motion *, const Expr *a, struct spatial *F);   /* of each body alone */
/* The motion of the frame of a beam: of a body, or of ground, which is put into *ground. */
const struct tree_motion *tree_frame_motion(struct pool *, const struct tree *, const struct tree_flex *, const struct tree_motion *,
                                            struct tree_motion *ground);
int tree_columns(const struct tree *);
/* S' F of every column, and r[coordinate] += what the bodies' inertia and weight need. */
void tree_column_forces(struct pool *, const struct tree *, const Expr *a, Expr *tau);
void tree_inverse(struct pool *, const struct tree *, const Expr *a, Expr *r);
Expr tree_kinetic(struct pool *, const struct tree *);
Expr tree_potential(struct pool *, const struct tree *);

/* --- composite.c --- */
struct spatial spatial_momentum(struct pool *, const struct tree_inertia *, struct spatial);    /* I S */
Expr elastic_mass(struct pool *, const struct tree_body *, int body, int c, int d);
void tree_composites(struct pool *, const struct tree *, struct tree_inertia *sum);
/* M of the columns, whole: M[row * columns + col]. */
void tree_column_mass(struct pool *, const struct tree *, Expr *M);
/* M[row * n + col] += , lower and upper triangle; n coordinates. */
void tree_mass(struct pool *, const struct tree *, int n, Expr *M);

/* --- articulated.c --- */
/* 21 numbers: the force (J w + H u, H' w + N u) of a motion (w, u). */
struct articulated {
    struct mat J, H, N;
};
struct eliminated {             /* of a column */
    struct spatial U, W;        /* I S, I S/D */
    Expr inverse;               /* 1/D */
};
/* The column S moves freely, with `more` inertia of its own.  `last`: what is left of the inertia is not wanted. */
struct eliminated articulated_eliminate(struct pool *, struct articulated *, struct spatial S, Expr more, bool last);
struct articulated articulated_to_parent(struct pool *, const struct tree_body *, struct articulated);
/* (M + diagonal) x = b for n right-hand sides, by columns; from the first the columns' forces at zero acceleration are
 * subtracted, on the way. */
void tree_solve(struct pool *, const struct tree *, const Expr *diagonal, int n, const Expr *b, Expr *x);

/* --- plane.c --- */
/* All joints turn about z, slide across it or are rods that shift across it, and nothing lies outside the plane. */
bool tree_is_plane(const struct pool *, const struct tree *);
struct flat {
    Expr x, y;
};
struct plane_motion {           /* of a body, in axes of the ground */
    struct flat axis;           /* its first axis: cosine and sine */
    Expr w;
    struct flat A;              /* acceleration of the origin, minus gravity, while those of the coordinates are zero */
    struct flat d, e;           /* from the parent's origin; direction of a slide */
};
struct plane_force {            /* moment about the origin, force */
    Expr n;
    struct flat f;
};
struct plane_inertia {          /* the force (J w + H.a, H w + M a) of an acceleration (w, a) */
    Expr J;
    struct flat H;
    Expr xx, xy, yy;
};
struct plane_column {           /* I S/D, 1/D; free: a turn without inertia of its own */
    bool free;
    Expr w, inverse;
    struct flat u;
};
struct plane_motion plane_child_motion(struct pool *, const struct tree_body *, const struct plane_motion *parent, struct flat axis);
struct plane_force plane_body_force(struct pool *, const struct tree_inertia *, const struct plane_motion *);
struct plane_inertia plane_rigid(struct pool *, const struct tree_inertia *, Expr J, const struct plane_motion *);      /* J about the origin */
struct plane_force plane_add_force(struct pool *, struct plane_force, struct plane_force);
struct plane_inertia plane_add_inertia(struct pool *, struct plane_inertia, struct plane_inertia);
/* What the parent gets of the inertia when the joint moves freely, with `more` inertia of its own. */
struct plane_inertia plane_eliminate(struct pool *, const struct tree_body *, const struct plane_motion *, const struct plane_inertia *, Expr more,
                                     struct plane_column *);
Expr plane_along(struct pool *, const struct tree_body *, const struct plane_motion *, const struct plane_force *);      /* S' F */
/* What the parent gets of the force; y = force - S' F, the joint's force given. */
struct plane_force plane_force_to_parent(struct pool *, const struct plane_motion *, const struct plane_column *, const struct plane_force *, Expr y,
                                         Expr force);
Expr plane_accelerate(struct pool *, const struct tree_body *, const struct plane_motion *, const struct plane_column *, Expr x, Expr *dw, struct flat *a);
void plane_solve(struct pool *, const struct tree *, const Expr *diagonal, int n, const Expr *b, Expr *x);     /* as tree_solve() */

/* --- derivative.c --- */
/* rq[row * coordinates + col] += , rv likewise: derivatives of what tree_inverse() gives for the accelerations a. */
void tree_jacobian(struct pool *, const struct tree *, const struct model *, const Expr *a, Expr *rq, Expr *rv);

#endif
