/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The kinds of joints, a line each in the table at the end: the coordinates a joint brings when it is part
 * of the tree, the relative motion they mean, and the constraints it brings when it closes a loop.
 *
 * A joint connects a frame on side a with a frame on side b.  With all coordinates zero the frames
 * coincide.  s and the axis are seen from a; rotations lead from b's axes to a's.
 */
#include "model/mechanism.h"

#include <math.h>
#include <string.h>

/* --- relative motion ------------------------------------------------------------------------------------ */

static void no_motion(struct pool *p, struct relative *r)
{
    *r = (struct relative){vec_zero(p), vec_zero(p), rotation_identity(p), vec_zero(p)};
}

static void turn_about(struct pool *p, struct vec axis, Expr q, Expr v, struct relative *r)
{
    r->R = rotation_about(p, axis, q);
    r->w = vec_scale(p, v, axis);
}

/* Orientation by Euler parameters or by three angles, from coordinate k on. */
static void orientation(struct pool *p, const struct mech_joint *j, int k, struct relative *r)
{
    if (!j->sequence) {         /* of any length, so that R is a rotation off the unit sphere too */
        Expr map[3][4], t[4];
        r->R = rotation_euler_any(p, j->q + k);
        rotation_euler_map(p, j->q + k, map);
        for (int i = 0; i < 3; i++) {
            for (int c = 0; c < 4; c++)
                t[c] = expr_mul(p, map[i][c], j->v[k + c]);
            r->w.x[i] = expr_hold(p, expr_sum(p, 4, t));
        }
        return;
    }
    for (int i = 0; i < 3; i++) {
        int axis = j->sequence[i] - 'x';
        struct rotation t = rotation_turn(p, axis, j->q[k + i]);
        r->R = rotation_mul(p, &r->R, &t);
        r->w = vec_add(p, rotation_apply_back(p, &t, r->w), vec_scale(p, j->v[k + i], vec_unit(p, axis)));
    }
}

static void relative_fixed(struct pool *p, const struct mech_joint *j, struct relative *r)
{
    (void)p, (void)j, (void)r;
}

static void relative_revolute(struct pool *p, const struct mech_joint *j, struct relative *r)
{
    turn_about(p, j->axis, j->q[0], j->v[0], r);
}

static void relative_prismatic(struct pool *p, const struct mech_joint *j, struct relative *r)
{
    r->s = vec_scale(p, j->q[0], j->axis);
}

static void relative_cylindrical(struct pool *p, const struct mech_joint *j, struct relative *r)
{
    turn_about(p, j->axis, j->q[0], j->v[0], r);
    r->s = vec_scale(p, j->q[1], j->axis);
}

static void relative_screw(struct pool *p, const struct mech_joint *j, struct relative *r)
{
    turn_about(p, j->axis, j->q[0], j->v[0], r);
    r->s = vec_scale(p, expr_mul(p, j->pitch, j->q[0]), j->axis);
}

static void relative_universal(struct pool *p, const struct mech_joint *j, struct relative *r)
{
    struct relative second;
    no_motion(p, &second);
    turn_about(p, j->axis, j->q[0], j->v[0], r);
    turn_about(p, j->axis2, j->q[1], j->v[1], &second);
    r->w = vec_add(p, rotation_apply_back(p, &second.R, r->w), second.w);
    r->R = rotation_mul(p, &r->R, &second.R);
}

static void relative_spherical(struct pool *p, const struct mech_joint *j, struct relative *r)
{
    orientation(p, j, 0, r);
}

static void relative_planar(struct pool *p, const struct mech_joint *j, struct relative *r)
{
    turn_about(p, j->axis, j->q[2], j->v[2], r);
    r->s = vec_add(p, vec_scale(p, j->q[0], j->n1), vec_scale(p, j->q[1], j->n2));
}

static void relative_free(struct pool *p, const struct mech_joint *j, struct relative *r)
{
    r->s = (struct vec){{j->q[0], j->q[1], j->q[2]}};
    orientation(p, j, 3, r);
}

static void relative_free_planar(struct pool *p, const struct mech_joint *j, struct relative *r)
{
    r->s = (struct vec){{j->q[0], j->q[1], p->zero}};
    turn_about(p, vec_unit(p, 2), j->q[2], j->v[2], r);
}

static void relative_slot(struct pool *p, const struct mech_joint *j, struct relative *r)
{
    r->s = vec_scale(p, j->q[0], j->axis);
    turn_about(p, vec_unit(p, 2), j->q[1], j->v[1], r);
}

static void relative_point_on_line(struct pool *p, const struct mech_joint *j, struct relative *r)
{
    r->s = vec_scale(p, j->q[0], j->axis);
    orientation(p, j, 1, r);
}

/* The direction of the rod by longitude and latitude. */
static void relative_distance(struct pool *p, const struct mech_joint *j, struct relative *r)
{
    Expr ca = expr_fn1(p, EXPR_COS, j->q[0]), sa = expr_fn1(p, EXPR_SIN, j->q[0]);
    Expr cb = expr_fn1(p, EXPR_COS, j->q[1]), sb = expr_fn1(p, EXPR_SIN, j->q[1]);
    r->s = vec_scale(p, j->length, (struct vec){{expr_mul(p, cb, ca), expr_mul(p, cb, sa), sb}});
    orientation(p, j, 2, r);
}

static void relative_distance_planar(struct pool *p, const struct mech_joint *j, struct relative *r)
{
    Expr c = expr_fn1(p, EXPR_COS, j->q[0]), s = expr_fn1(p, EXPR_SIN, j->q[0]);
    r->s = vec_scale(p, j->length, (struct vec){{c, s, p->zero}});
    turn_about(p, vec_unit(p, 2), j->q[1], j->v[1], r);
}

/* No twist about the shaft: Euler parameters with e.axis = 0, coordinates their components along n1, n2. */
static void relative_constant_velocity(struct pool *p, const struct mech_joint *j, struct relative *r)
{
    Expr sum = expr_add(p, expr_powi(p, j->q[0], 2), expr_powi(p, j->q[1], 2));
    Expr e0 = expr_sqrt(p, expr_sub(p, p->one, sum));
    Expr rate = expr_add(p, expr_mul(p, j->q[0], j->v[0]), expr_mul(p, j->q[1], j->v[1]));
    struct vec e = vec_add(p, vec_scale(p, j->q[0], j->n1), vec_scale(p, j->q[1], j->n2));
    struct vec de = vec_add(p, vec_scale(p, j->v[0], j->n1), vec_scale(p, j->v[1], j->n2));
    Expr all[4] = {e0, e.x[0], e.x[1], e.x[2]};
    Expr rates[4] = {expr_neg(p, expr_div(p, rate, e0)), de.x[0], de.x[1], de.x[2]};
    r->R = rotation_euler(p, all);
    r->w = rotation_euler_rate(p, all, rates);
}

struct relative joint_own_motion(struct pool *p, const struct mech_joint *j)
{
    struct relative r;
    no_motion(p, &r);
    j->kind->relative(p, j, &r);
    return r;
}

/* b's frame as seen from a, in the axes of the bodies. */
static struct relative joint_relative(struct pool *p, const struct mech_joint *j)
{
    struct relative r = joint_own_motion(p, j);
    bool shifts = (expr_deps(p, r.s.x[0]) | expr_deps(p, r.s.x[1]) | expr_deps(p, r.s.x[2])) & ~DEP(SYM_PARAM);
    struct direction *flow = shifts ? direction_new(p, joint_coords(j), j->q, j->v) : NULL;
    for (int i = 0; i < 3; i++)
        r.ds.x[i] = shifts ? direction_diff(flow, r.s.x[i]) : p->zero;
    direction_free(flow);
    for (int i = 0; i < j->seats; i++) {
        r.s = vec_add(p, r.s, vec_scale(p, j->q[joint_coords(j) + i], j->seat[i]));
        r.ds = vec_add(p, r.ds, vec_scale(p, j->v[joint_coords(j) + i], j->seat[i]));
    }
    const struct rotation *fa = &j->a.frame, *fb = &j->b.frame;
    r.s = rotation_apply(p, fa, r.s);
    r.ds = vec_add(p, rotation_apply(p, fa, r.ds), vec_cross(p, j->a.turn, r.s));
    r.w = vec_sub(p, rotation_apply(p, fb, r.w), j->b.turn);
    if (fb->plain && fb->axis >= 0) {
        struct rotation back = rotation_turn(p, fb->axis, expr_neg(p, fb->angle));
        r.R = rotation_mul(p, &r.R, &back);
    } else if (!fb->plain) {
        struct mat m = rotation_to_matrix(p, fb), t;
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                t.m[i][k] = m.m[k][i];
        struct rotation back = rotation_matrix(p, &t);
        r.R = rotation_mul(p, &r.R, &back);
    }
    r.R = rotation_mul(p, fa, &r.R);
    r.w = vec_add(p, r.w, rotation_apply_back(p, &r.R, j->a.turn));
    return r;
}

/* a's frame as seen from b.  With R' = R [w]x:  d/dt(-R^T s) = -R^T s' + w x (R^T s). */
static struct relative relative_inverse(struct pool *p, const struct relative *r)
{
    struct relative v;
    struct vec s = rotation_apply_back(p, &r->R, r->s);
    v.s = vec_neg(p, s);
    v.ds = vec_sub(p, vec_cross(p, r->w, s), rotation_apply_back(p, &r->R, r->ds));
    v.w = vec_neg(p, rotation_apply(p, &r->R, r->w));
    if (r->R.plain) {
        v.R = r->R;
        v.R.angle = expr_neg(p, r->R.angle);
    } else {
        struct mat m = rotation_to_matrix(p, &r->R), t;
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                t.m[i][k] = m.m[k][i];
        v.R = rotation_matrix(p, &t);
    }
    return v;
}

struct motion joint_child(struct pool *p, const struct mech_joint *j, const struct motion *parent)
{
    struct relative r = joint_relative(p, j);
    const struct mech_end *from = &j->a, *to = &j->b;
    if (j->reversed) {
        r = relative_inverse(p, &r);
        from = &j->b;
        to = &j->a;
    }
    r.s = vec_add(p, from->at, r.s);
    r.ds = vec_add(p, from->rate, r.ds);
    struct motion m = motion_extend(p, parent, &r);
    /* from the joint's point to the child's origin */
    struct vec back = vec_neg(p, to->at);
    m.r = vec_hold(p, motion_point(p, &m, back));
    m.u = vec_hold(p, vec_sub(p, motion_velocity(p, &m, back), to->rate));
    return m;
}

struct vec end_velocity(struct pool *p, const struct motion *m, const struct mech_end *e)
{
    return vec_add(p, motion_velocity(p, m, e->at), e->rate);
}

struct vec end_velocity_space(struct pool *p, const struct motion *m, const struct mech_end *e)
{
    return rotation_apply(p, &m->R, end_velocity(p, m, e));
}

/* --- constraints ------------------------------------------------------------------------------------------ */

/* A direction of a joint's frame, in space axes. */
static struct vec direction(struct pool *p, const struct motion *m, const struct mech_end *e, struct vec local)
{
    return rotation_apply(p, &m->R, rotation_apply(p, &e->frame, local));
}

static struct vec gap(struct pool *p, const struct mech_joint *j, const struct motion *a, const struct motion *b)
{
    return vec_sub(p, motion_point(p, a, j->a.at), motion_point(p, b, j->b.at));
}

static int push(struct mech_row *row, int n, Expr g, const char *part, bool length)
{
    row[n] = (struct mech_row){g, part, length};
    return n + 1;
}

/* The points coincide. */
static int rows_point(struct pool *p, const struct mech_joint *j, const struct motion *a, const struct motion *b, struct mech_row *row)
{
    static const char *const part[3] = {"x", "y", "z"};
    struct vec d = gap(p, j, a, b);
    for (int i = 0; i < 3; i++)
        push(row, i, d.x[i], part[i], true);
    return 3;
}

/* b's point on the line (n1 and n2) or in the plane (axis) through a's point. */
static int rows_across(struct pool *p, const struct mech_joint *j, const struct motion *a, const struct motion *b, struct mech_row *row,
                       int n)
{
    struct vec d = gap(p, j, a, b);
    n = push(row, n, vec_dot(p, d, direction(p, a, &j->a, j->n1)), "across1", true);
    return push(row, n, vec_dot(p, d, direction(p, a, &j->a, j->n2)), "across2", true);
}

/* The axes are parallel. */
static int rows_axis(struct pool *p, const struct mech_joint *j, const struct motion *a, const struct motion *b, struct mech_row *row, int n)
{
    struct vec axis = direction(p, b, &j->b, j->axis);
    n = push(row, n, vec_dot(p, direction(p, a, &j->a, j->n1), axis), "axis1", false);
    return push(row, n, vec_dot(p, direction(p, a, &j->a, j->n2), axis), "axis2", false);
}

/* All axes are parallel: three products that vanish there to first order in the three small turns. */
static int rows_aligned(struct pool *p, const struct mech_joint *j, const struct motion *a, const struct motion *b, struct mech_row *row,
                        int n)
{
    static const char *const part[3] = {"turn1", "turn2", "turn3"};
    const struct vec e[3] = {j->axis, j->n1, j->n2};
    for (int i = 0; i < 3; i++)
        n = push(row, n, vec_dot(p, direction(p, a, &j->a, e[i]), direction(p, b, &j->b, e[(i + 1) % 3])), part[i], false);
    return n;
}

/* In a plane the difference of the angles. */
static Expr angle_gap(struct pool *p, const struct mech_joint *j, const struct motion *a, const struct motion *b)
{
    return expr_sub(p, expr_add(p, a->R.angle, j->a.frame.angle), expr_add(p, b->R.angle, j->b.frame.angle));
}

static int rows_free(struct pool *p, const struct mech_joint *j, const struct motion *a, const struct motion *b, struct mech_row *row)
{
    (void)p, (void)j, (void)a, (void)b, (void)row;
    return 0;
}

static int rows_point_planar(struct pool *p, const struct mech_joint *j, const struct motion *a, const struct motion *b, struct mech_row *row)
{
    return rows_point(p, j, a, b, row) - 1;
}

static int rows_fixed_planar(struct pool *p, const struct mech_joint *j, const struct motion *a, const struct motion *b, struct mech_row *row)
{
    rows_point(p, j, a, b, row);
    return push(row, 2, angle_gap(p, j, a, b), "angle", false);
}

static int rows_slot(struct pool *p, const struct mech_joint *j, const struct motion *a, const struct motion *b, struct mech_row *row)
{
    struct vec across = vec_cross(p, vec_unit(p, 2), j->axis);
    return push(row, 0, vec_dot(p, gap(p, j, a, b), direction(p, a, &j->a, across)), "across", true);
}

static int rows_prismatic_planar(struct pool *p, const struct mech_joint *j, const struct motion *a, const struct motion *b,
                                 struct mech_row *row)
{
    int n = rows_slot(p, j, a, b, row);
    return push(row, n, angle_gap(p, j, a, b), "angle", false);
}

static int rows_revolute(struct pool *p, const struct mech_joint *j, const struct motion *a, const struct motion *b, struct mech_row *row)
{
    return rows_axis(p, j, a, b, row, rows_point(p, j, a, b, row));
}

static int rows_prismatic(struct pool *p, const struct mech_joint *j, const struct motion *a, const struct motion *b, struct mech_row *row)
{
    return rows_aligned(p, j, a, b, row, rows_across(p, j, a, b, row, 0));
}

static int rows_cylindrical(struct pool *p, const struct mech_joint *j, const struct motion *a, const struct motion *b, struct mech_row *row)
{
    return rows_axis(p, j, a, b, row, rows_across(p, j, a, b, row, 0));
}

/* The advance follows the turn: a row on velocities, since an angle from positions would be known only up
 * to whole turns. */
static int rows_screw(struct pool *p, const struct mech_joint *j, const struct motion *a, const struct motion *b, struct mech_row *row)
{
    int n = rows_cylindrical(p, j, a, b, row);
    struct vec axis = direction(p, a, &j->a, j->axis);
    struct vec d = gap(p, j, a, b);
    struct vec wa = rotation_apply(p, &a->R, a->w), wb = rotation_apply(p, &b->R, b->w);
    struct vec dv = vec_sub(p, end_velocity_space(p, b, &j->b), end_velocity_space(p, a, &j->a));
    dv = vec_add(p, dv, vec_cross(p, wa, d));
    Expr turn = vec_dot(p, vec_sub(p, wb, wa), axis);
    return push(row, n, expr_sub(p, vec_dot(p, dv, axis), expr_mul(p, j->pitch, turn)), "pitch", true);
}

static int rows_universal(struct pool *p, const struct mech_joint *j, const struct motion *a, const struct motion *b, struct mech_row *row)
{
    int n = rows_point(p, j, a, b, row);
    return push(row, n, vec_dot(p, direction(p, a, &j->a, j->axis), direction(p, b, &j->b, j->axis2)), "cross", false);
}

static int rows_planar(struct pool *p, const struct mech_joint *j, const struct motion *a, const struct motion *b, struct mech_row *row)
{
    int n = push(row, 0, vec_dot(p, gap(p, j, a, b), direction(p, a, &j->a, j->axis)), "height", true);
    return rows_axis(p, j, a, b, row, n);
}

static int rows_fixed(struct pool *p, const struct mech_joint *j, const struct motion *a, const struct motion *b, struct mech_row *row)
{
    return rows_aligned(p, j, a, b, row, rows_point(p, j, a, b, row));
}

static int rows_point_on_line(struct pool *p, const struct mech_joint *j, const struct motion *a, const struct motion *b, struct mech_row *row)
{
    return rows_across(p, j, a, b, row, 0);
}

/* (d.d/l - l)/2: its gradient is the unit vector along the rod. */
static int rows_distance(struct pool *p, const struct mech_joint *j, const struct motion *a, const struct motion *b, struct mech_row *row)
{
    struct vec d = gap(p, j, a, b);
    Expr g = expr_sub(p, expr_div(p, vec_dot(p, d, d), j->length), j->length);
    return push(row, 0, expr_mul(p, p->half, g), "length", true);
}

static int rows_constant_velocity(struct pool *p, const struct mech_joint *j, const struct motion *a, const struct motion *b,
                                  struct mech_row *row)
{
    int n = rows_point(p, j, a, b, row);
    Expr twist = expr_sub(p, vec_dot(p, direction(p, a, &j->a, j->n1), direction(p, b, &j->b, j->n2)),
                          vec_dot(p, direction(p, a, &j->a, j->n2), direction(p, b, &j->b, j->n1)));
    return push(row, n, expr_mul(p, p->half, twist), "twist", false);
}

/* Three turns one after the other, about x, y, z or in the order of turn[]. */
static void relative_turns(struct pool *p, const struct mech_joint *j, const int turn[3], struct relative *r)
{
    for (int i = 0; i < 3; i++) {
        struct rotation t = rotation_turn(p, turn[i], j->q[turn[i]]);
        r->R = rotation_mul(p, &r->R, &t);
        r->w = vec_add(p, rotation_apply_back(p, &t, r->w), vec_scale(p, j->v[turn[i]], vec_unit(p, turn[i])));
    }
}

static void relative_bend(struct pool *p, const struct mech_joint *j, struct relative *r)
{
    relative_turns(p, j, (const int[]){0, 1, 2}, r);
}

static void relative_bend_back(struct pool *p, const struct mech_joint *j, struct relative *r)
{
    relative_turns(p, j, (const int[]){2, 1, 0}, r);
}

/* --- the table -------------------------------------------------------------------------------------------- */

#define EULER "e0", "e1", "e2", "e3"
static const struct joint_kind kinds[] = {
    /* name, plane, space, clauses, coordinates, names, lengths, orientation, motion, constraints, steps, symbol */
    {"revolute", true, false, "", 1, {"angle"}, {0}, -1, relative_revolute, rows_point_planar,
     {{STEP_TURN, STEP_Z, 0, 0}}, MBS_SHAPE_REVOLUTE},
    {"revolute", false, true, "axis", 1, {"angle"}, {0}, -1, relative_revolute, rows_revolute,
     {{STEP_TURN, STEP_AXIS, 0, 0}}, MBS_SHAPE_REVOLUTE},
    {"prismatic", true, false, "axis", 1, {"distance"}, {1}, -1, relative_prismatic, rows_prismatic_planar,
     {{STEP_SLIDE, STEP_AXIS, 0, 0}}, MBS_SHAPE_PRISMATIC},
    {"prismatic", false, true, "axis", 1, {"distance"}, {1}, -1, relative_prismatic, rows_prismatic,
     {{STEP_SLIDE, STEP_AXIS, 0, 0}}, MBS_SHAPE_PRISMATIC},
    {"fixed", true, false, "", 0, {0}, {0}, -1, relative_fixed, rows_fixed_planar,
     {{STEP_NONE, STEP_X, 0, 0}}, MBS_SHAPE_FIXED},
    {"fixed", false, true, "", 0, {0}, {0}, -1, relative_fixed, rows_fixed,
     {{STEP_NONE, STEP_X, 0, 0}}, MBS_SHAPE_FIXED},
    {"slot", true, false, "axis", 2, {"distance", "angle"}, {1, 0}, -1, relative_slot, rows_slot,
     {{STEP_SLIDE, STEP_AXIS, 0, 0}, {STEP_TURN, STEP_Z, 1, 0}}, MBS_SHAPE_SLOT},
    {"free", true, false, "", 3, {"x", "y", "angle"}, {1, 1, 0}, -1, relative_free_planar, rows_free,
     {{STEP_SLIDE, STEP_X, 0, 0}, {STEP_SLIDE, STEP_Y, 1, 0}, {STEP_TURN, STEP_Z, 2, 0}}, MBS_SHAPES},
    {"free", false, true, "angles", 7, {"x", "y", "z", EULER}, {1, 1, 1}, 3, relative_free, rows_free,
     {{STEP_SLIDE, STEP_X, 0, 0}, {STEP_SLIDE, STEP_Y, 1, 0}, {STEP_SLIDE, STEP_Z, 2, 0}, {STEP_ORIENTATION, STEP_X, 3, 0}}, MBS_SHAPES},
    {"distance", true, false, "length", 2, {"rod", "angle"}, {0}, -1, relative_distance_planar, rows_distance,
     {{STEP_SHIFT, STEP_X, 0, 1}, {STEP_TURN, STEP_Z, 1, 0}}, MBS_SHAPE_DISTANCE},
    {"distance", false, true, "length angles", 6, {"longitude", "latitude", EULER}, {0}, 2, relative_distance, rows_distance,
     {{STEP_SHIFT, STEP_X, 0, 2}, {STEP_ORIENTATION, STEP_X, 2, 0}}, MBS_SHAPE_DISTANCE},
    {"cylindrical", false, true, "axis", 2, {"angle", "distance"}, {0, 1}, -1, relative_cylindrical, rows_cylindrical,
     {{STEP_SLIDE, STEP_AXIS, 1, 0}, {STEP_TURN, STEP_AXIS, 0, 0}}, MBS_SHAPE_CYLINDRICAL},
    {"universal", false, true, "axis axis2", 2, {"angle1", "angle2"}, {0}, -1, relative_universal, rows_universal,
     {{STEP_TURN, STEP_AXIS, 0, 0}, {STEP_TURN, STEP_AXIS2, 1, 0}}, MBS_SHAPE_UNIVERSAL},
    {"spherical", false, true, "angles", 4, {EULER}, {0}, 0, relative_spherical, rows_point,
     {{STEP_ORIENTATION, STEP_X, 0, 0}}, MBS_SHAPE_SPHERICAL},
    {"planar", false, true, "axis", 3, {"x", "y", "angle"}, {1, 1, 0}, -1, relative_planar, rows_planar,
     {{STEP_SLIDE, STEP_N1, 0, 0}, {STEP_SLIDE, STEP_N2, 1, 0}, {STEP_TURN, STEP_AXIS, 2, 0}}, MBS_SHAPE_PLANAR},
    {"screw", false, true, "axis pitch", 1, {"angle"}, {0}, -1, relative_screw, rows_screw,
     {{STEP_SCREW, STEP_AXIS, 0, 0}}, MBS_SHAPE_SCREW},
    {"point_on_line", false, true, "axis angles", 5, {"distance", EULER}, {1}, 1, relative_point_on_line, rows_point_on_line,
     {{STEP_SLIDE, STEP_AXIS, 0, 0}, {STEP_ORIENTATION, STEP_X, 1, 0}}, MBS_SHAPE_POINT_ON_LINE},
    {"constant_velocity", false, true, "axis", 2, {"e1", "e2"}, {0}, -1, relative_constant_velocity, rows_constant_velocity,
     {{STEP_ROTATION, STEP_X, 0, 2}}, MBS_SHAPE_CONSTANT_VELOCITY},
};
#define BEND(turns, ...) {"bend", false, false, "", 3, {"twist", "ybend", "zbend"}, {0}, -1, turns, rows_point, {__VA_ARGS__}, MBS_SHAPES}
static const struct joint_kind bends[2] = {
    BEND(relative_bend, {STEP_TURN, STEP_X, 0, 0}, {STEP_TURN, STEP_Y, 1, 0}, {STEP_TURN, STEP_Z, 2, 0}),
    BEND(relative_bend_back, {STEP_TURN, STEP_Z, 2, 0}, {STEP_TURN, STEP_Y, 1, 0}, {STEP_TURN, STEP_X, 0, 0}),
};
enum { KINDS = sizeof kinds / sizeof *kinds };

struct vec joint_step_axis(struct pool *p, const struct mech_joint *j, const struct joint_step *s)
{
    switch (s->axis) {
    case STEP_X: case STEP_Y: case STEP_Z: return vec_unit(p, (int)s->axis - STEP_X);
    case STEP_AXIS: return j->axis;
    case STEP_AXIS2: return j->axis2;
    case STEP_N1: return j->n1;
    case STEP_N2: return j->n2;
    }
    return j->axis;
}

const struct joint_kind *joint_kind_bend(bool back)
{
    return &bends[back];
}

const struct joint_kind *joint_kind_find(const char *name, bool spatial)
{
    for (int i = 0; i < KINDS; i++)
        if (!strcmp(kinds[i].name, name) && (spatial ? kinds[i].spatial : kinds[i].planar))
            return &kinds[i];
    return NULL;
}

void joint_kind_suggest(struct suggestion *s, bool spatial)
{
    for (int i = 0; i < KINDS; i++)
        if (spatial ? kinds[i].spatial : kinds[i].planar)
            suggest_offer(s, kinds[i].name);
}

const char *joint_kind_list(struct arena *arena, bool spatial)
{
    const char *text = "";
    for (int i = 0; i < KINDS; i++)
        if (spatial ? kinds[i].spatial : kinds[i].planar)
            text = arena_printf(arena, "%s%s%s", text, *text ? ", " : "", kinds[i].name);
    return text;
}

bool joint_takes(const struct joint_kind *kind, const char *clause)
{
    size_t n = strlen(clause);
    for (const char *w = kind->takes; *w; w += strcspn(w, " "), w += *w == ' ')
        if (!strncmp(w, clause, n) && (w[n] == ' ' || !w[n]))
            return true;
    return false;
}

int joint_coords(const struct mech_joint *j)
{
    return j->kind->coords - (j->sequence && j->kind->orientation >= 0);
}

const char *joint_coord_part(const struct mech_joint *j, int i)
{
    static const char *const angle[3] = {"angle1", "angle2", "angle3"};
    int k = j->kind->orientation;
    return j->sequence && k >= 0 && i >= k ? angle[i - k] : j->kind->coord[i];
}

bool joint_coord_is_length(const struct mech_joint *j, int i)
{
    return j->kind->length[i];
}

/* Two normals of the axis.  For a coordinate axis the next two; else the coordinate axis most across it,
 * made orthogonal.  The axis must be of numbers then, which the reader of joints has checked. */
void joint_normals(struct pool *p, struct mech_joint *j)
{
    double a[3], n[3], m[3];
    int least = 0, unit = -1;
    for (int i = 0; i < 3; i++) {
        a[i] = expr_value(p, j->axis.x[i]);
        if (fabs(a[i]) == 1)
            unit = i;
    }
    if (unit >= 0) {
        j->n1 = vec_unit(p, (unit + 1) % 3);
        j->n2 = vec_cross(p, j->axis, j->n1);
        return;
    }
    for (int i = 1; i < 3; i++)
        if (fabs(a[i]) < fabs(a[least]))
            least = i;
    double norm = sqrt(1 - a[least] * a[least]);
    for (int i = 0; i < 3; i++)
        n[i] = ((i == least) - a[least] * a[i]) / norm;
    for (int i = 0; i < 3; i++)
        m[i] = a[(i + 1) % 3] * n[(i + 2) % 3] - a[(i + 2) % 3] * n[(i + 1) % 3];
    for (int i = 0; i < 3; i++) {
        j->n1.x[i] = expr_double(p, n[i]);
        j->n2.x[i] = expr_double(p, m[i]);
    }
}
