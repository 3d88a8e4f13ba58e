/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Points of the drawing that move with bodies, and the symbols of elements over them (enum mbs_shape_kind says over which). */
#include "model/mechanism.h"

#include <string.h>

/* --- points ------------------------------------------------------------------------------------------------------------- */

static void point_locate(struct pool *p, const struct motion *m, struct model_point *point)
{
    struct vec at = motion_point(p, m, point->local);
    memcpy(point->x, at.x, sizeof point->x);
}

void model_locate(struct model *m)
{
    for (int i = 0; i < m->point.n; i++)
        if (!m->point.at[i].x[0])
            point_locate(m->pool, &m->motion[m->point.at[i].place - 1], &m->point.at[i]);
}

void draw_place(struct check *k, int body, struct vec local)
{
    enum { MANY = 50 };
    const struct mech_body *b = &k->mech->body.at[body];
    bool led = body == 0 && (expr_deps(k->pool, local.x[0]) | expr_deps(k->pool, local.x[1]) | expr_deps(k->pool, local.x[2])) & DEP(SYM_TIME);
    struct model_point point = {.place = b->beam || led ? 0 : 1 + body, .local = local, .body = 1 + body};
    if (!point.place || k->mech->body.n <= MANY)
        point_locate(k->pool, &b->motion, &point);
    VEC_PUSH(k->m->point, point);
}

/* Beyond a place by a vector in space axes. */
static void draw_beyond(struct check *k, const struct mech_end *end, struct vec by)
{
    struct vec at = vec_add(k->pool, motion_point(k->pool, &k->mech->body.at[end->body].motion, end->at), by);
    VEC_PUSH(k->m->point, ((struct model_point){{at.x[0], at.x[1], at.x[2]}, 0, at, 1 + end->body}));
}

void draw_end(struct check *k, const struct mech_end *end)
{
    draw_place(k, end->body, end->at);
}

/* By one unit along an axis of the end's frame. */
void draw_axis(struct check *k, const struct mech_end *end, struct vec axis)
{
    struct pool *p = k->pool;
    draw_place(k, end->body, vec_add(p, end->at, rotation_apply(p, &end->frame, axis)));
}

void draw_shape(struct check *k, const char *name, enum mbs_shape_kind kind, int first)
{
    if (k->m->point.n > first)
        VEC_PUSH(k->m->shape, ((struct model_shape){.name = name, .kind = (int)kind, .first = first, .count = k->m->point.n - first}));
}

void draw_solid(struct check *k, int b, const char *name, enum mbs_shape_kind kind, struct vec at, const Expr half[3], const int axis[3])
{
    struct pool *p = k->pool;
    int first = k->m->point.n;
    draw_place(k, b, at);
    for (int i = 0; i < 3 && half[i]; i++)
        draw_place(k, b, vec_add(p, at, vec_scale(p, half[i], vec_unit(p, axis[i]))));
    draw_shape(k, name, kind, first);
}

/* A wheel or a gear about a place of a body: along x and y to the rim, along z to the end, and its number. */
void draw_round(struct check *k, int b, const char *name, enum mbs_shape_kind kind, struct vec at, struct vec x, struct vec y, struct vec z, Expr number)
{
    struct pool *p = k->pool;
    int first = k->m->point.n;
    draw_place(k, b, at);
    draw_place(k, b, vec_add(p, at, x));
    draw_place(k, b, vec_add(p, at, y));
    draw_place(k, b, vec_add(p, at, z));
    VEC_PUSH(k->m->point, ((struct model_point){.x = {number, p->zero, p->zero}, .local = {{number, p->zero, p->zero}}}));
    draw_shape(k, name, kind, first);
}

/* --- elements ----------------------------------------------------------------------------------------------------------- */

/* Bodies that a flexible end moves on know their places by themselves. */
void mech_draw_between(struct check *k, const char *name, int kind, const struct mech_end *a, const struct mech_end *b)
{
    int first = k->m->point.n;
    draw_end(k, a);
    draw_end(k, b);
    draw_shape(k, name, (enum mbs_shape_kind)kind, first);
}

/* The axis of one of a joint's coordinates, in the frame of a, or of b where it is fixed there; false: it has none. */
static bool coordinate_axis(struct check *k, const struct mech_joint *j, int slot, const struct mech_end **on, struct vec *axis)
{
    for (int i = 0; i < JOINT_STEPS && j->kind->step[i].motion != STEP_NONE; i++) {
        const struct joint_step *s = &j->kind->step[i];
        bool plain = s->motion == STEP_TURN || s->motion == STEP_SLIDE || s->motion == STEP_SCREW;
        if (!plain || s->coord != slot)
            continue;
        *axis = joint_step_axis(k->pool, j, s);
        *on = s->axis == STEP_AXIS2 ? &j->b : &j->a;
        return true;
    }
    return false;
}

void mech_draw_on(struct check *k, const char *name, int turning, int sliding, int joint, int slot)
{
    const struct mech_joint *j = &k->mech->joint.at[joint];
    const struct mech_end *on;
    struct vec axis;
    bool slides = joint_coord_is_length(j, slot);
    int kind = slides ? sliding : turning, first = k->m->point.n;
    if (!coordinate_axis(k, j, slot, &on, &axis))
        return;
    if (kind == MBS_SHAPE_SPRING || kind == MBS_SHAPE_DAMPER) {         /* along the rail */
        mech_draw_between(k, name, kind, &j->a, &j->b);
        return;
    }
    draw_end(k, &j->b);
    if ((slides || k->mech->spatial) && j->kind->step[1].motion == STEP_NONE) {         /* the axis is fixed on both sides */
        draw_axis(k, &j->b, axis);
    } else if (slides || k->mech->spatial) {    /* the direction is that on `on`, the place that of b */
        struct vec d = rotation_apply(k->pool, &k->mech->body.at[on->body].motion.R, rotation_apply(k->pool, &on->frame, axis));
        draw_beyond(k, &j->b, d);
    }
    draw_shape(k, name, (enum mbs_shape_kind)kind, first);
}

void mech_draw_vector(struct check *k, const char *name, int kind, const struct mech_end *at, struct vec v)
{
    int first = k->m->point.n;
    draw_end(k, at);
    draw_beyond(k, at, v);
    draw_shape(k, name, (enum mbs_shape_kind)kind, first);
}

void mech_draw_effort(struct check *k, const char *name, int joint, int slot, Expr value)
{
    struct pool *p = k->pool;
    const struct mech_joint *j = &k->mech->joint.at[joint];
    const struct mech_end *on;
    struct vec axis;
    if (!coordinate_axis(k, j, slot, &on, &axis))
        return;
    axis = rotation_apply(p, &k->mech->body.at[on->body].motion.R, rotation_apply(p, &on->frame, axis));
    mech_draw_vector(k, name, joint_coord_is_length(j, slot) ? MBS_SHAPE_FORCE : MBS_SHAPE_TORQUE, &j->b, vec_scale(p, value, axis));
}

void mech_draw_gear(struct check *k, const char *name, const int joint[2], const int slot[2], Expr ratio)
{
    struct pool *p = k->pool;
    int first = k->m->point.n;
    struct model_point last = {.x = {ratio, p->zero, p->zero}};
    const struct mech_joint *j[2] = {&k->mech->joint.at[joint[0]], &k->mech->joint.at[joint[1]]};
    const struct mech_end *on[2];
    struct vec axis[2];
    for (int i = 0; i < 2; i++)
        if (!coordinate_axis(k, j[i], slot[i], &on[i], &axis[i]))
            return;
    for (int i = 0; i < 2; i++) {
        draw_end(k, &j[i]->b);
        last.x[1 + i] = joint_coord_is_length(j[i], slot[i]) ? p->zero : p->one;
    }
    for (int i = 0; i < 2; i++)
        draw_beyond(k, &j[i]->b, rotation_apply(p, &k->mech->body.at[on[i]->body].motion.R, rotation_apply(p, &on[i]->frame, axis[i])));
    last.local = (struct vec){{last.x[0], last.x[1], last.x[2]}};
    VEC_PUSH(k->m->point, last);
    draw_shape(k, name, MBS_SHAPE_GEAR, first);
}

/* The plane, and the ball if there is a radius. */
void mech_draw_contact(struct check *k, const char *name, const struct mech_end *a, const struct mech_end *b, struct vec normal, Expr r)
{
    struct pool *p = k->pool;
    int first = k->m->point.n;
    draw_end(k, a);
    draw_end(k, b);
    draw_place(k, b->body, vec_add(p, b->at, normal));
    draw_shape(k, name, MBS_SHAPE_CONTACT, first);
    if (r != p->zero)
        draw_solid(k, a->body, k->mech->body.at[a->body].name, k->mech->spatial ? MBS_SHAPE_SPHERE : MBS_SHAPE_CIRCLE, a->at,
                   (Expr[]){r, k->mech->spatial ? 0 : r, 0}, (int[]){0, 1, 2});
}

/* Where a contact touches, in space axes: the place that moves with a body. */
void mech_draw_spot(struct check *k, const char *name, int body, struct vec at)
{
    int first = k->m->point.n;
    VEC_PUSH(k->m->point, ((struct model_point){{at.x[0], at.x[1], at.x[2]}, 0, at, 1 + body}));
    draw_shape(k, name, MBS_SHAPE_SPOT, first);
}

/* The place of a joint. */
void mech_draw_spot_on(struct check *k, const char *name, int joint)
{
    const struct mech_end *b = &k->mech->joint.at[joint].b;
    mech_draw_spot(k, name, b->body, motion_point(k->pool, &k->mech->body.at[b->body].motion, b->at));
}
