/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Start values of joints whose coordinates are none of the model: those of absolute coordinates, and joints that close
 * loops; and of poses of bodies.
 *
 * Such a coordinate is measured: found from the motions of the two bodies.  `init J.angle = 0.3` becomes the condition that
 * the measured value is 0.3, which assembly keeps beside the constraints, and `~` the same as a guess; for a joint of the tree
 * it gives the bodies places to start from.  A pose is measured as the motion of a free joint from where it is to be.
 * Angles in space are measured by their sine and cosine, so that the condition holds whatever whole turns there are in between.
 */
#include "model/element.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- measuring ---------------------------------------------------------------------------------------------------------- */

/* The value itself, or the sine and cosine of an angle, times something positive. */
struct measured {
    Expr value, sin, cos;
};

/* b's frame as seen from a, in the joint's own axes. */
static void measure_motion(struct check *k, const struct mech_joint *j, struct vec *s, struct mat *R)
{
    struct pool *p = k->pool;
    const struct motion *a = &k->mech->body.at[j->a.body].motion, *b = &k->mech->body.at[j->b.body].motion;
    struct rotation Ra = rotation_mul(p, &a->R, &j->a.frame), Rb = rotation_mul(p, &b->R, &j->b.frame);
    *s = rotation_apply_back(p, &Ra, vec_sub(p, motion_point(p, b, j->b.at), motion_point(p, a, j->a.at)));
    for (int i = 0; i < 3; i++) {
        struct vec col = rotation_apply_back(p, &Ra, rotation_apply(p, &Rb, vec_unit(p, i)));
        for (int r = 0; r < 3; r++)
            R->m[r][i] = col.x[r];
    }
}

/* The angle from `from` to `to`, about the axis `from` x `across`. */
static struct measured measure_turn(struct pool *p, struct vec from, struct vec across, struct vec to)
{
    return (struct measured){.sin = vec_dot(p, to, across), .cos = vec_dot(p, to, from)};
}

/* e of the rotation R, with the sign that makes e.near positive: Q = 4 e e' is linear in R, so Q near = 4 e (e.near).  While
 * assembly is on its way, e of a body has not length 1 and R is not quite a rotation: near'Q near may be negative there. */
static Expr measure_euler(struct pool *p, const struct mat *R, const Expr near[4], int want)
{
    Expr Q[4][4], sum[4], all[4];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        Q[0][1 + i] = Q[1 + i][0] = expr_sub(p, R->m[k][j], R->m[j][k]);
        Q[1 + i][1 + j] = Q[1 + j][1 + i] = expr_add(p, R->m[i][j], R->m[j][i]);
        Q[1 + i][1 + i] = expr_sub(p, expr_add(p, p->one, R->m[i][i]), expr_add(p, R->m[j][j], R->m[k][k]));
    }
    Q[0][0] = expr_sum(p, 4, (Expr[]){p->one, R->m[0][0], R->m[1][1], R->m[2][2]});
    for (int i = 0; i < 4; i++) {
        Expr t[4];
        for (int j = 0; j < 4; j++)
            t[j] = expr_mul(p, Q[i][j], near[j]);
        sum[i] = expr_sum(p, 4, t);
        all[i] = expr_mul(p, near[i], sum[i]);
    }
    Expr square = expr_fn1(p, EXPR_ABS, expr_sum(p, 4, all));
    return expr_div(p, sum[want], expr_mul(p, p->two, expr_sqrt(p, square)));
}

/* a b of Euler parameters, or a* b with the opposite of a's rotation. */
static void euler_mul(struct pool *p, const Expr a[4], bool opposite, const Expr b[4], Expr out[4])
{
    Expr t[4] = {a[0]};
    for (int i = 1; i < 4; i++)
        t[i] = opposite ? expr_neg(p, a[i]) : a[i];
    Expr dot[4] = {expr_mul(p, t[0], b[0])};
    for (int i = 1; i < 4; i++)
        dot[i] = expr_neg(p, expr_mul(p, t[i], b[i]));
    out[0] = expr_sum(p, 4, dot);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        Expr x = expr_mul(p, t[0], b[1 + i]), y = expr_mul(p, t[1 + i], b[0]), z = expr_mul(p, t[1 + j], b[1 + k]),
             w = expr_neg(p, expr_mul(p, t[1 + k], b[1 + j]));
        out[1 + i] = expr_sum(p, 4, (Expr[]){x, y, z, w});
    }
}

/* Euler parameters of a rotation matrix, by the largest of them. */
static void euler_of(const double R[3][3], double e[4])
{
    double t[4] = {1 + R[0][0] + R[1][1] + R[2][2], 1 + R[0][0] - R[1][1] - R[2][2], 1 - R[0][0] + R[1][1] - R[2][2],
                   1 - R[0][0] - R[1][1] + R[2][2]};
    int big = 0;
    for (int i = 1; i < 4; i++)
        if (t[i] > t[big])
            big = i;
    double s = 2 * sqrt(t[big]), off[3] = {R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1]};
    e[big] = s / 4;
    for (int i = 1; i < 4 && big == 0; i++)
        e[i] = off[i - 1] / s;
    for (int i = 1; i < 4 && big > 0; i++) {
        e[0] = off[big - 1] / s;
        if (i != big)
            e[i] = (R[i - 1][big - 1] + R[big - 1][i - 1]) / s;
    }
}

/* Euler parameters of one side of a joint, whose body has them as coordinates; false if its frame moves in the body. */
static bool euler_of_end(struct check *k, const struct mech_end *end, Expr out[4])
{
    struct pool *p = k->pool;
    struct mat R = rotation_to_matrix(p, &end->frame);
    double rot[3][3], e[4];
    Expr body[4] = {p->one, p->zero, p->zero, p->zero}, frame[4], near[4] = {p->zero, p->zero, p->zero, p->zero};
    for (int i = 0; i < 9; i++) {
        if (expr_deps(p, R.m[i / 3][i % 3]) & ~DEP(SYM_PARAM))
            return false;
        rot[i / 3][i % 3] = mech_default(k, R.m[i / 3][i % 3]);
    }
    euler_of(rot, e);
    int big = 0;
    for (int i = 1; i < 4; i++)
        if (fabs(e[i]) > fabs(e[big]))
            big = i;
    near[big] = p->one;
    for (int i = 0; i < 4; i++) {
        frame[i] = measure_euler(p, &R, near, i);
        if (end->body > 0)
            body[i] = k->m->coord.at[k->mech->body.at[end->body].coord + 3 + i].q;
    }
    euler_mul(p, body, false, frame, out);
    return true;
}

/* All e of a joint from where `near` is: of absolute coordinates as products of what the bodies have, which are there and smooth
 * for half turns and while assembly is on its way. */
static void measure_turned(struct check *k, const struct mech_joint *j, const struct mat *R, const Expr near[4], Expr out[4])
{
    struct pool *p = k->pool;
    Expr a[4], b[4], e[4], dot[4];
    if (!k->mech->absolute || !euler_of_end(k, &j->a, a) || !euler_of_end(k, &j->b, b)) {
        for (int i = 0; i < 4; i++)
            out[i] = measure_euler(p, R, near, i);
        return;
    }
    euler_mul(p, a, true, b, e);
    for (int i = 0; i < 4; i++)
        dot[i] = expr_mul(p, e[i], near[i]);
    Expr away = expr_fn2(p, EXPR_LT, expr_sum(p, 4, dot), p->zero), sign = expr_if(p, away, p->minus_one, p->one);
    for (int i = 0; i < 4; i++)
        out[i] = expr_mul(p, sign, e[i]);
}

/* Angle n of the sequence: R = R_a(x) R_b(y) R_c(z).  The middle one has a sine (c = a) or cosine of either sign; it is taken as it
 * is at the start, and turns the other two by half a turn if negative. */
static struct measured measure_sequence(struct check *k, const struct mech_joint *j, const struct mat *R, int n)
{
    struct pool *p = k->pool;
    int a = j->sequence[0] - 'x', b = j->sequence[1] - 'x', c = j->sequence[2] - 'x', d = 3 - a - b;
    bool right = b == (a + 1) % 3, proper = c == a;
    double middle = mech_default(k, j->q0[j->kind->orientation + 1]);
    Expr sign = expr_int(p, (proper ? sin(middle) : cos(middle)) < 0 ? -1 : 1), hand = expr_int(p, right ? 1 : -1);
#define ROOT(x, y) expr_mul(p, sign, expr_sqrt(p, expr_add(p, expr_powi(p, x, 2), expr_powi(p, y, 2))))
#define TIMES(f, x) expr_mul(p, expr_mul(p, f, sign), x)
    if (proper) {
        struct measured m[3] = {
            {.sin = TIMES(p->one, R->m[b][a]), .cos = TIMES(expr_neg(p, hand), R->m[d][a])},
            {.sin = ROOT(R->m[a][b], R->m[a][d]), .cos = R->m[a][a]},
            {.sin = TIMES(p->one, R->m[a][b]), .cos = TIMES(hand, R->m[a][d])}};
        return m[n];
    }
    struct measured m[3] = {
        {.sin = TIMES(expr_neg(p, hand), R->m[b][c]), .cos = TIMES(p->one, R->m[c][c])},
        {.sin = expr_mul(p, hand, R->m[a][c]), .cos = ROOT(R->m[a][a], R->m[a][b])},
        {.sin = TIMES(expr_neg(p, hand), R->m[a][b]), .cos = TIMES(p->one, R->m[a][a])}};
#undef ROOT
#undef TIMES
    return m[n];
}

static struct measured measure_orientation(struct check *k, const struct mech_joint *j, const struct mat *R, int n)
{
    if (j->sequence)
        return measure_sequence(k, j, R, n);
    Expr e[4];
    measure_turned(k, j, R, j->q0 + j->kind->orientation, e);
    return (struct measured){.value = e[n]};
}

/* The direction of a rod: in a plane one angle, in space longitude and latitude. */
static struct measured measure_rod(struct pool *p, struct vec s, int n)
{
    if (n == 0)
        return (struct measured){.sin = s.x[1], .cos = s.x[0]};
    return (struct measured){.sin = s.x[2], .cos = expr_sqrt(p, expr_add(p, expr_powi(p, s.x[0], 2), expr_powi(p, s.x[1], 2)))};
}

/* Of two turns, each is seen from the side that the other does not move: the first in a's axes by the second axis, the second
 * in b's by the first. */
static struct measured measure_step(struct check *k, const struct mech_joint *j, const struct joint_step *step, int i, struct vec s,
                                    const struct mat *R)
{
    struct pool *p = k->pool;
    struct vec axis = joint_step_axis(p, j, step), side;
    Expr e[4];
    const Expr upright[4] = {p->one, p->zero, p->zero, p->zero};
    switch (step->motion) {
    case STEP_SLIDE:
        return (struct measured){.value = vec_dot(p, s, axis)};
    case STEP_TURN: case STEP_SCREW:
        if (!k->mech->spatial)
            return (struct measured){.value = mech_joint_value(k, j, i)};
        if (strcmp(j->kind->name, "universal"))
            return measure_turn(p, j->n1, j->n2, mat_apply(p, R, j->n1));
        if (step->axis == STEP_AXIS) {
            side = vec_cross(p, axis, j->axis2);
            return measure_turn(p, j->axis2, side, mat_apply(p, R, j->axis2));
        }
        side = vec_cross(p, j->axis, axis);     /* b turns by the angle: the axis of a by its opposite */
        return measure_turn(p, j->axis, side, mat_apply_transposed(p, R, j->axis));
    case STEP_ORIENTATION:
        return measure_orientation(k, j, R, i - step->coord);
    case STEP_SHIFT:
        return measure_rod(p, s, i - step->coord);
    case STEP_ROTATION:
        side = i == step->coord ? j->n1 : j->n2;
        measure_turned(k, j, R, upright, e);
        return (struct measured){.value = vec_dot(p, side, (struct vec){{e[1], e[2], e[3]}})};
    case STEP_NONE:
        break;
    }
    return (struct measured){.value = p->zero};
}

static int step_coords(const struct mech_joint *j, const struct joint_step *s)
{
    return s->motion == STEP_ORIENTATION ? joint_coords(j) - s->coord : s->motion == STEP_SHIFT || s->motion == STEP_ROTATION ? s->coords : 1;
}

static struct measured measure(struct check *k, const struct mech_joint *j, int i)
{
    struct vec s;
    struct mat R;
    measure_motion(k, j, &s, &R);
    for (const struct joint_step *step = j->kind->step; step->motion != STEP_NONE; step++)
        if (i >= step->coord && i < step->coord + step_coords(j, step))
            return measure_step(k, j, step, i, s, &R);
    return (struct measured){.value = k->pool->zero};
}

/* --- conditions ---------------------------------------------------------------------------------------------------------- */

/* measured - given; an angle by its sine and cosine as the angle between the two, from -pi to pi. */
static Expr difference(struct pool *p, const struct measured *m, Expr given)
{
    if (m->value)
        return expr_sub(p, m->value, given);
    Expr s = expr_fn1(p, EXPR_SIN, given), c = expr_fn1(p, EXPR_COS, given);
    Expr sc = expr_mul(p, m->sin, c), cs = expr_mul(p, m->cos, s), cc = expr_mul(p, m->cos, c), ss = expr_mul(p, m->sin, s);
    Expr sin = expr_sub(p, sc, cs), cos = expr_add(p, cc, ss);
    return expr_fn2(p, EXPR_ATAN2, sin, cos);
}

struct start {
    const struct ast_item *item;
    const char *name;
    int joint, slot;
    bool rate;
    Expr given;
};

static void start_condition(struct check *k, const struct start *x)
{
    const struct mech_joint *j = &k->mech->joint.at[x->joint];
    struct measured m = measure(k, j, x->slot);
    struct dim dim = joint_coord_dim(k, j, x->slot);
    Expr value = difference(k->pool, &m, x->rate ? k->pool->zero : x->given);
    if (x->rate) {
        struct value v = value_prime(k, x->item->span, value_scalar(k, value, dim));
        if (!v.at)
            return;
        dim = v.at[0].dim;
        value = expr_sub(k->pool, v.at[0].e, x->given);
    }
    if (expr_deps(k->pool, value) & (DEP(SYM_Q) | DEP(SYM_V)))
        condition_add(k, x->item, x->name, value, dim);
}

/* A screw whose angle is no coordinate has its row on velocities; where it starts, its advance fits its angle, in whichever turn of the thread.
 * The difference of the two as an advance, which is there without a pitch too. */
static void screw_condition(struct check *k, const struct mech_joint *j)
{
    struct pool *p = k->pool;
    struct vec s;
    struct mat R;
    measure_motion(k, j, &s, &R);
    struct measured turn = measure_step(k, j, j->kind->step, 0, s, &R);
    Expr advance = vec_dot(p, s, joint_step_axis(p, j, j->kind->step)), angle = expr_div(p, advance, j->pitch);
    Expr apart = expr_mul(p, expr_neg(p, j->pitch), difference(p, &turn, angle));
    Expr value = expr_if(p, expr_fn2(p, EXPR_LT, p->zero, expr_fn1(p, EXPR_ABS, j->pitch)), apart, advance);
    if (expr_deps(p, value) & DEP(SYM_Q))
        condition_keep(k, &(struct model_condition){.name = name_of(&k->c->names, arena_printf(k->arena, "%s.advance", j->name)),
                                                    .unit = dim_unit(mech_dim(k, 1, 0, 0), k->arena), .span = j->span, .value = value});
}

bool mech_start(struct check *k, struct scope *s, const struct ast_item *item)
{
    if (!k->mech->moving)
        return false;
    struct start x = {.item = item, .rate = item->target->kind == AST_PRIME};
    const struct ast_expr *target = x.rate ? item->target->arg[0] : item->target;
    if (!mech_slot_find(k, s, target, &x.joint, &x.slot))
        return false;
    struct mech_joint *j = &k->mech->joint.at[x.joint];
    if (j->coord >= 0)
        return false;           /* a coordinate of the model */
    struct dim dim = joint_coord_dim(k, j, x.slot);
    struct value v = eval_scalar(k, s, item->value, "a start value");
    if (!value_allows(k, s, item->value, &v, DEP(SYM_PARAM), "a start value") ||
        !value_fits(k, item->value, &v, x.rate ? dim_div(dim, mech_dim(k, 0, 0, 1)) : dim, "this start value"))
        return true;
    x.given = v.at[0].e;
    x.name = name_of(&k->c->names, arena_printf(k->arena, "%s%s", full_name(k, s, eval_name(k, s, target)), x.rate ? "'" : ""));
    struct span *said = &j->said[x.rate][x.slot];
    if (said->source) {
        diag_error(k->diags, item->span, "'%s' has a start value already", x.name);
        diag_note(k->diags, *said, "the first is here");
        return true;
    }
    *said = item->span;
    *(x.rate ? &j->v0[x.slot] : &j->q0[x.slot]) = x.given;
    if (item->relation == '=' || !j->tree)
        VEC_PUSH(k->mech->start, x);
    return true;
}

/* K ~ at([x, y, z], z = angle): the origin there, the axes turned so.  Orientation in space by 2 e, which is the rotation vector
 * for small angles and as large as can be at half a turn. */
static void pose_conditions(struct check *k, const struct ast_item *item, const char *name, bool body, const struct mech_joint *from)
{
    struct pool *p = k->pool;
    const struct motion *b = &k->mech->body.at[from->b.body].motion;
    struct vec place = motion_point(p, b, from->b.at), s;
    struct mat R;
    int n = k->mech->spatial ? 3 : 2;
    for (int i = 0; i < n; i++) {
        const char *part = arena_printf(k->arena, "%s%s.%c", name, body ? ".origin" : "", "xyz"[i]);
        Expr value = expr_sub(p, place.x[i], from->a.at.x[i]);
        if (expr_deps(p, value) & DEP(SYM_Q))
            condition_add(k, item, name_of(&k->c->names, part), value, mech_dim(k, 1, 0, 0));
    }
    measure_motion(k, from, &s, &R);
    const Expr upright[4] = {p->one, p->zero, p->zero, p->zero};
    Expr e[4];
    if (k->mech->spatial)
        measure_turned(k, from, &R, upright, e);
    for (int i = 0; i < (k->mech->spatial ? 3 : 1); i++) {
        struct measured m = {.sin = R.m[1][0], .cos = R.m[0][0]};
        if (k->mech->spatial)
            m = (struct measured){.value = expr_mul(p, p->two, e[1 + i])};
        const char *part = k->mech->spatial ? arena_printf(k->arena, "%s.turn.%c", name, "xyz"[i]) : arena_printf(k->arena, "%s.angle", name);
        Expr value = difference(p, &m, p->zero);
        if (expr_deps(p, value) & DEP(SYM_Q))
            condition_add(k, item, name_of(&k->c->names, part), value, k->mech->spatial ? dim_pure(k) : dim_of_angle(k));
    }
}

bool mech_pose(struct check *k, struct scope *s, const struct ast_item *item)
{
    struct mech_joint from = {.a = {.body = 0, .frame = rotation_identity(k->pool)}};
    struct mech_at pose;
    if (!mech_is_at(item->value))
        return false;
    if (!k->mech->moving) {
        diag_error(k->diags, item->span, "a pose is given to a body, and there are none");
        return true;
    }
    if (item->target->kind == AST_PRIME) {
        diag_error(k->diags, item->span, "a pose has no rate to start with; velocities are given to points (K.P') and as K.omega");
        return true;
    }
    if (!mech_end_read(k, s, item->target, &from.b) || !mech_at_read(k, s, -1, item->value, &pose))
        return true;
    from.a.at = pose.at;
    from.a.frame = pose.frame;
    if (from.b.body == 0) {
        diag_error(k->diags, item->target->span, "the ground does not move: it has no pose to start from");
        return true;
    }
    const char *name = item->target->kind == AST_AT ? ast_show(k->arena, item->target) : full_name(k, s, eval_name(k, s, item->target));
    bool body = item->target->kind != AST_AT && mech_body_seen(k, s, eval_name(k, s, item->target)) >= 0;
    pose_conditions(k, item, name, body, &from);
    return true;
}

/* --- places to start from ----------------------------------------------------------------------------------------------- */

enum { START_VALUES = 18 };     /* place, velocity, angular velocity in body axes, rotation */

/* Start values of the bodies' own coordinates follow from those of the tree joints: exactly for places and
 * plane angles, with the default parameters for Euler parameters.  Assembly may move them. */
static void start_motion(struct check *k, const struct mech_body *b, Expr in[START_VALUES])
{
    struct pool *p = k->pool;
    const struct motion *x = &b->start;
    bool spatial = k->mech->spatial;
    struct vec r = motion_point(p, x, b->com), v = motion_velocity_space(p, x, b->com);
    struct mat R = rotation_to_matrix(p, &x->R);
    for (int i = 0; i < 3; i++) {
        in[i] = r.x[i];
        in[3 + i] = v.x[i];
        in[6 + i] = x->w.x[i];
    }
    for (int i = 0; i < 9; i++)
        in[9 + i] = spatial ? R.m[i / 3][i % 3] : i == 0 ? x->R.angle : p->zero;
}

/* Does the model say something of the joint's coordinates (of their rates)? */
static bool is_said(const struct mech_joint *j, bool rate)
{
    for (int i = 0; i < joint_coords(j); i++)
        if (j->said[rate][i].source)
            return true;
    return false;
}

/* What the model says of a body's own coordinate itself is left as it is.  A body of whose joint it says nothing moves most
 * freely, as that joint's coordinates would. */
static void start_guess(struct check *k, const struct mech_body *b, int i, Expr q0, Expr v0)
{
    const struct mech_joint *j = &k->mech->joint.at[b->joint];
    struct model_coord *c = &k->m->coord.at[b->coord + i];
    if (!k->coords.at[b->coord + i].q.source) {
        c->q0 = q0;
        c->q_init = is_said(j, false) ? INIT_GUESS : INIT_FREE;
    }
    if (!k->coords.at[b->coord + i].v.source) {
        c->v0 = v0;
        c->v_init = is_said(j, true) ? INIT_GUESS : INIT_FREE;
    }
}

static void start_body(struct check *k, const struct mech_body *b, const Expr out[START_VALUES])
{
    struct pool *p = k->pool;
    bool spatial = k->mech->spatial;
    for (int i = 0; i < (spatial ? 3 : 2); i++)
        start_guess(k, b, i, out[i], out[3 + i]);
    if (!spatial) {
        start_guess(k, b, 2, out[9], out[8]);
    } else {
        double rot[3][3], w[3], e[4];
        for (int i = 0; i < 9; i++)
            rot[i / 3][i % 3] = mech_default(k, out[9 + i]);
        for (int i = 0; i < 3; i++)
            w[i] = mech_default(k, out[6 + i]);
        euler_of(rot, e);
        double de[4] = {-e[1] * w[0] - e[2] * w[1] - e[3] * w[2], e[0] * w[0] - e[3] * w[1] + e[2] * w[2],
                        e[3] * w[0] + e[0] * w[1] - e[1] * w[2], -e[2] * w[0] + e[1] * w[1] + e[0] * w[2]};
        for (int i = 0; i < 4; i++) {
            Expr q0 = expr_double(p, e[i]), v0 = expr_double(p, de[i] / 2);
            start_guess(k, b, 3 + i, q0, v0);
        }
    }
}

void mech_finish(struct check *k)
{
    struct mechanism *m = k->mech;
    if (!m->moving)
        return;
    element_apply_all(k);
    for (int i = 0; i < m->start.n; i++)        /* now that all start values are known: they decide signs */
        start_condition(k, &m->start.at[i]);
    for (int i = 0; i < m->joint.n; i++)
        if (m->joint.at[i].coord < 0 && m->joint.at[i].kind->step->motion == STEP_SCREW)
            screw_condition(k, &m->joint.at[i]);
    if (!m->absolute) {
        mech_chain(k);
        return;
    }
    struct { Expr *at; int n, cap; } from = {0}, to = {0};
    for (int i = 0; i < m->joint.n; i++) {
        const struct mech_joint *j = &m->joint.at[i];
        for (int c = 0; j->tree && c < joint_coords(j); c++) {
            VEC_PUSH(from, j->q[c]);
            VEC_PUSH(to, j->q0[c]);
            VEC_PUSH(from, j->v[c]);
            VEC_PUSH(to, j->v0[c]);
        }
    }
    Expr *value = mem_grow(NULL, (size_t)m->body.n * START_VALUES, sizeof *value);
    for (int i = 1; i < m->body.n; i++)
        start_motion(k, &m->body.at[i], value + (i - 1) * START_VALUES);
    expr_substitute(k->pool, from.n, from.at, to.at, (m->body.n - 1) * START_VALUES, value, value);
    for (int i = 1; i < m->body.n; i++)
        start_body(k, &m->body.at[i], value + (i - 1) * START_VALUES);
    free(value);
    free(from.at);
    free(to.at);
}
