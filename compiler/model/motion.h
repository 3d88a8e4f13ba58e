/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The algebra of motion: vectors, rotations and the motion of frames as expressions.
 *
 * A rotation is kept as B * R_k(angle): a matrix, and a turn about coordinate axis k.  A further turn about
 * the same axis adds to the angle, so that plane mechanisms and parallel axes stay simple.
 * Velocities are in the axes of the moving frame: u of its origin, w its angular velocity.
 * In a plane everything lies in z = 0 and turns about z.
 */
#ifndef MODEL_MOTION_H
#define MODEL_MOTION_H
#include "expr/expr.h"

struct vec {
    Expr x[3];
};
struct mat {
    Expr m[3][3];       /* row, column */
};
struct rotation {
    bool plain;         /* B is the identity */
    struct mat B;
    int axis;           /* 0, 1, 2; -1: no turn, the rotation is B */
    Expr angle;
};
struct motion {
    struct vec r;       /* origin, in space axes */
    struct rotation R;  /* this frame to space */
    struct vec u, w;    /* velocity of the origin and angular velocity, in the axes of this frame */
};
/* What a joint does: the child's frame seen from the parent's. */
struct relative {
    struct vec s;       /* origin of the child frame in parent axes */
    struct vec ds;      /* its rate, in parent axes */
    struct rotation R;  /* child to parent */
    struct vec w;       /* angular velocity of the child relative to the parent, in child axes */
};

struct vec vec_zero(struct pool *);
struct vec vec_unit(struct pool *, int axis);
struct vec vec_add(struct pool *, struct vec, struct vec);
struct vec vec_sub(struct pool *, struct vec, struct vec);
struct vec vec_neg(struct pool *, struct vec);
struct vec vec_scale(struct pool *, Expr, struct vec);
struct vec vec_cross(struct pool *, struct vec, struct vec);
Expr vec_dot(struct pool *, struct vec, struct vec);
struct vec vec_hold(struct pool *, struct vec);
struct vec vec_unit_along(struct pool *, struct vec);       /* of length 1 */
#define vec_add(p, a, ...) IN_ORDER(vec_add, p, a, __VA_ARGS__)     /* see expr.h */
#define vec_sub(p, a, ...) IN_ORDER(vec_sub, p, a, __VA_ARGS__)
#define vec_scale(p, a, ...) IN_ORDER(vec_scale, p, a, __VA_ARGS__)
#define vec_cross(p, a, ...) IN_ORDER(vec_cross, p, a, __VA_ARGS__)
#define vec_dot(p, a, ...) IN_ORDER(vec_dot, p, a, __VA_ARGS__)

struct mat mat_identity(struct pool *);
struct vec mat_row(const struct mat *, int i);
struct vec mat_column(const struct mat *, int j);
struct mat mat_mul(struct pool *, const struct mat *, const struct mat *);
struct vec mat_apply(struct pool *, const struct mat *, struct vec);
struct vec mat_apply_transposed(struct pool *, const struct mat *, struct vec);

struct rotation rotation_identity(struct pool *);
/* About coordinate axis k, or about a unit vector (Rodrigues). */
struct rotation rotation_turn(struct pool *, int axis, Expr angle);
struct rotation rotation_about(struct pool *, struct vec unit, Expr angle);
struct rotation rotation_matrix(struct pool *, const struct mat *);
/* Euler parameters (e0, e1, e2, e3) of unit norm. */
struct rotation rotation_euler(struct pool *, const Expr e[4]);
/* Euler parameters of any length: R(e/|e|) and 2 L(e)/(e.e), with which w = that times e'. */
struct rotation rotation_euler_any(struct pool *, const Expr e[4]);
void rotation_euler_map(struct pool *, const Expr e[4], Expr map[3][4]);
struct rotation rotation_mul(struct pool *, const struct rotation *, const struct rotation *);
struct mat rotation_to_matrix(struct pool *, const struct rotation *);
struct vec rotation_apply(struct pool *, const struct rotation *, struct vec);             /* R v */
struct vec rotation_apply_back(struct pool *, const struct rotation *, struct vec);        /* R' v */
/* Angular velocity in body axes for Euler parameters: 2 L(e) e'. */
struct vec rotation_euler_rate(struct pool *, const Expr e[4], const Expr de[4]);

struct motion motion_ground(struct pool *);
/* The motion of the child frame. */
struct motion motion_extend(struct pool *, const struct motion *parent, const struct relative *);
/* A point fixed in the frame: position in space, velocity in the frame's axes and in space axes. */
struct vec motion_point(struct pool *, const struct motion *, struct vec local);
struct vec motion_velocity(struct pool *, const struct motion *, struct vec local);
struct vec motion_velocity_space(struct pool *, const struct motion *, struct vec local);
#endif
