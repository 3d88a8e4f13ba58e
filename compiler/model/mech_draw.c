/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What there is to see of a mechanism, without a word in the model: bodies by their points, joints by the symbols
 * of engineers (enum mbs_shape_kind says over which points).  Elements are in mech_symbol.c.
 *
 * A body whose places are all one, such as a wheel or a satellite, shows the simple solid that has its mass and inertia; in
 * space also one whose places lie on an axis of symmetry, such as a top.
 */
#include "model/mechanism.h"

#include "mbs/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- bodies ------------------------------------------------------------------------------------------------------------- */

struct places {
    struct { struct vec *at; int n, cap; } list;
};

static void places_add(struct places *x, struct vec v)
{
    for (int i = 0; i < x->list.n; i++)
        if (!memcmp(&x->list.at[i], &v, sizeof v))
            return;
    VEC_PUSH(x->list, v);
}

/* The joints of each body, in their order: list[at[b]] to list[at[b + 1] - 1]. */
struct ends {
    int *at, *list;
};

static struct ends joints_of_bodies(struct check *k)
{
    const struct mechanism *m = k->mech;
    struct ends e = {ARENA_NEW(k->arena, int, m->body.n + 2), ARENA_NEW(k->arena, int, 2 * m->joint.n + 1)};
    for (int i = 0; i < m->joint.n; i++) {
        const struct mech_joint *j = &m->joint.at[i];
        e.at[j->a.body + 2]++;
        e.at[j->b.body + 2] += j->a.body != j->b.body;
    }
    for (int b = 0; b < m->body.n; b++)
        e.at[b + 2] += e.at[b + 1];
    for (int i = 0; i < m->joint.n; i++) {
        const struct mech_joint *j = &m->joint.at[i];
        e.list[e.at[j->a.body + 1]++] = i;
        if (j->a.body != j->b.body)
            e.list[e.at[j->b.body + 1]++] = i;
    }
    return e;
}

/* Where its joints and points are, and its centre of mass.  A free joint holds nothing: its place is none of the body. */
static void places_of(const struct check *k, const struct ends *ends, int b, struct places *x)
{
    const struct mechanism *m = k->mech;
    const struct mech_body *body = &m->body.at[b];
    for (int i = ends->at[b]; i < ends->at[b + 1]; i++) {
        const struct mech_joint *j = &m->joint.at[ends->list[i]];
        if (strcmp(j->kind->name, "free"))
            places_add(x, j->a.body == b ? j->a.at : j->b.at);
    }
    for (int i = 0; i < body->point.n; i++)
        places_add(x, body->point.at[i].at);
    for (int i = 0; i < body->held.n; i++)
        places_add(x, body->held.at[i]);
    if (body->mass != k->pool->zero)
        places_add(x, body->com);
    if (!x->list.n)
        places_add(x, vec_zero(k->pool));
}

/* sqrt(c * J / m), never of a negative number. */
static Expr radius(struct check *k, int num, int den, Expr J, Expr m)
{
    struct pool *p = k->pool;
    Expr square = expr_div(p, expr_mul(p, expr_rational(p, num, den), J), m);
    return expr_sqrt(p, expr_is_num(p, square) && expr_value(p, square) < 0 ? p->zero : expr_fn2(p, EXPR_MAX, square, p->zero));
}

static bool about_equal(double a, double b) { return fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b)); }

/* The cylinder of this mass and inertia about axis `same`, on a body whose places reach `most` along axis `along`: a rotor on its
 * shaft, or a disc that holds the places; not a bar, which the line of its places shows already. */
static bool is_rotor(const double J[3], double mass, int same, int along, double most)
{
    double r = sqrt(2 * J[same] / mass), h = 2 * sqrt(3 * fmax(J[(same + 1) % 3] - J[same] / 2, 0) / mass);
    return same == along ? r >= 0.25 * most && r <= most : r >= 0.5 * most && r <= 2 * most && h < r;
}

/* The solid of the body's mass and inertia: ball, cylinder or box.  `along`: only a cylinder, for a body whose places reach `most` along
 * this axis. */
static bool draw_inertia(struct check *k, int b, int along, double most)
{
    struct pool *p = k->pool;
    const struct mech_body *body = &k->mech->body.at[b];
    const Expr J[3] = {body->inertia.m[0][0], body->inertia.m[1][1], body->inertia.m[2][2]};
    double x[3];
    int same = -1;              /* the axis about which it is symmetric */
    if (!k->mech->spatial) {
        if (body->mass == p->zero || J[2] == p->zero)
            return false;
        Expr r = radius(k, 2, 1, J[2], body->mass);
        draw_solid(k, b, body->name, MBS_SHAPE_CIRCLE, body->com, (Expr[]){r, r, 0}, (int[]){0, 1, 2});
        return true;
    }
    for (int i = 0; i < 3; i++)
        x[i] = mech_default(k, J[i]);
    if (!(mech_default(k, body->mass) > 0) || !(x[0] + x[1] + x[2] > 0))
        return false;
    for (int i = 0; i < 3; i++)
        if (about_equal(x[(i + 1) % 3], x[(i + 2) % 3]))
            same = same < 0 ? i : 3;
    if (same == 3 && along >= 0)
        return false;           /* a ball on a stick has no axis to show */
    if (along >= 0 && (same < 0 || !is_rotor(x, mech_default(k, body->mass), same, along, most)))
        return false;
    if (same == 3) {
        Expr r = radius(k, 5, 2, J[0], body->mass);
        draw_solid(k, b, body->name, MBS_SHAPE_SPHERE, body->com, (Expr[]){r, 0, 0}, (int[]){0, 1, 2});
        return true;
    }
    if (same >= 0) {
        Expr r = radius(k, 2, 1, J[same], body->mass);
        Expr across = expr_sub(p, J[(same + 1) % 3], expr_mul(p, p->half, J[same]));
        draw_solid(k, b, body->name, MBS_SHAPE_CYLINDER, body->com, (Expr[]){r, r, radius(k, 3, 1, across, body->mass)},
                   (int[]){(same + 1) % 3, (same + 2) % 3, same});
        return true;
    }
    Expr half[3];
    for (int i = 0; i < 3; i++)
        half[i] = radius(k, 3, 2, expr_sub(p, expr_add(p, J[(i + 1) % 3], J[(i + 2) % 3]), J[i]), body->mass);
    draw_solid(k, b, body->name, MBS_SHAPE_BOX, body->com, half, (int[]){0, 1, 2});
    return true;
}

/* A circle, ball or wheel that an element has drawn about this place. */
static bool is_round_already(const struct check *k, int b, struct vec at)
{
    for (int i = 0; i < k->m->shape.n; i++) {
        const struct model_shape *s = &k->m->shape.at[i];
        const struct model_point *pt = &k->m->point.at[s->first];
        bool is_round = s->kind == MBS_SHAPE_CIRCLE || s->kind == MBS_SHAPE_SPHERE || s->kind == MBS_SHAPE_WHEEL;
        if (is_round && pt->place == 1 + b && !memcmp(&pt->local, &at, sizeof at))
            return true;
    }
    return false;
}

/* The coordinate axis on which all places lie, -1: none; *reach: how far apart they are. */
static int places_axis(struct check *k, const struct places *x, double *reach)
{
    int axis = -1;
    *reach = 0;
    for (int i = 1; i < x->list.n; i++)
        for (int d = 0; d < 3; d++) {
            if (x->list.at[i].x[d] == x->list.at[0].x[d])
                continue;
            if (axis >= 0 && axis != d)
                return -1;
            axis = d;
            *reach = fmax(*reach, fabs(mech_default(k, expr_sub(k->pool, x->list.at[i].x[d], x->list.at[0].x[d]))));
        }
    return axis;
}

/* A plate by its corners; wheels and gears by a frame, and a number. */
static void draw_special(struct check *k, int b)
{
    struct pool *p = k->pool;
    const struct mech_body *body = &k->mech->body.at[b];
    const struct mech_looks *l = &body->looks;
    bool plate = l->drawn == MBS_SHAPE_PLATE, plane = !k->mech->spatial;
    struct vec thick = plane ? vec_zero(p) : vec_scale(p, l->half[2], vec_unit(p, plate ? 2 : l->axis[2]));
    int first = k->m->point.n;
    if (!plate) {
        struct vec x = vec_scale(p, l->half[0], vec_unit(p, l->axis[0])), y = vec_scale(p, l->half[0], vec_unit(p, l->axis[1]));
        draw_round(k, b, body->name, l->drawn, body->com, x, y, thick, l->number);
        return;
    }
    for (int i = 0; i < l->corners; i++)
        draw_place(k, b, l->corner[i]);
    draw_place(k, b, vec_add(p, l->corner[0], thick));
    draw_shape(k, body->name, l->drawn, first);
}

/* The shape that it has. */
static void draw_looks(struct check *k, int b)
{
    struct pool *p = k->pool;
    const struct mech_body *body = &k->mech->body.at[b];
    const struct mech_looks *l = &body->looks;
    if (l->drawn != MBS_SHAPES) {
        draw_special(k, b);
        return;
    }
    if (!l->plane_box) {
        draw_solid(k, b, body->name, l->kind, body->com, l->half, l->axis);
        return;
    }
    int first = k->m->point.n;
    for (int i = 0; i < 4; i++) {
        Expr x = i == 1 || i == 2 ? l->half[0] : expr_neg(p, l->half[0]), y = i > 1 ? l->half[1] : expr_neg(p, l->half[1]);
        draw_place(k, b, vec_add(p, body->com, ((struct vec){{x, y, p->zero}})));
    }
    draw_shape(k, body->name, MBS_SHAPE_BODY, first);
}

static void draw_body(struct check *k, const struct ends *ends, int b)
{
    struct places x = {{0}};
    double reach;
    places_of(k, ends, b, &x);
    bool one = x.list.n == 1;
    int axis = !one && k->mech->spatial ? places_axis(k, &x, &reach) : -1;
    bool solid = one ? is_round_already(k, b, x.list.at[0]) || draw_inertia(k, b, -1, 0) : axis >= 0 && draw_inertia(k, b, axis, reach);
    if (!one || !solid) {
        int first = k->m->point.n;
        for (int i = 0; i < x.list.n; i++)
            draw_place(k, b, x.list.at[i]);
        draw_shape(k, k->mech->body.at[b].name, MBS_SHAPE_BODY, first);
    }
    free(x.list.at);
}

/* --- joints ------------------------------------------------------------------------------------------------------------- */

static void draw_joint(struct check *k, const struct mech_joint *j)
{
    int first = k->m->point.n;
    bool spatial = k->mech->spatial;
    switch (j->kind->symbol) {
    case MBS_SHAPE_PRISMATIC: case MBS_SHAPE_SLOT: case MBS_SHAPE_CYLINDRICAL: case MBS_SHAPE_SCREW: case MBS_SHAPE_POINT_ON_LINE:
    case MBS_SHAPE_PLANAR:
        draw_end(k, &j->b);
        draw_end(k, &j->a);
        draw_axis(k, &j->a, j->axis);
        break;
    case MBS_SHAPE_DISTANCE:
        draw_end(k, &j->a);
        draw_end(k, &j->b);
        break;
    case MBS_SHAPE_UNIVERSAL: case MBS_SHAPE_CONSTANT_VELOCITY:
        draw_end(k, &j->a);
        draw_axis(k, &j->a, j->axis);
        draw_axis(k, &j->b, j->kind->symbol == MBS_SHAPE_UNIVERSAL ? j->axis2 : j->axis);
        break;
    case MBS_SHAPE_REVOLUTE:
        draw_end(k, &j->a);
        if (spatial)
            draw_axis(k, &j->a, j->axis);
        break;
    case MBS_SHAPE_SPHERICAL: case MBS_SHAPE_FIXED:
        draw_end(k, &j->a);
        break;
    default:
        return;         /* free: there is nothing between the bodies */
    }
    draw_shape(k, j->name, j->kind->symbol, first);
}

void mech_draw(struct check *k)
{
    struct mechanism *m = k->mech;
    bool *solid = ARENA_NEW(k->arena, bool, m->body.n);         /* given a solid by the model: that is how the body looks */
    k->m->bodies = m->body.n;
    struct motion *motion = ARENA_NEW(k->arena, struct motion, m->body.n);
    k->m->motion = motion;
    k->m->body_name = ARENA_NEW(k->arena, const char *, m->body.n);
    for (int b = 0; b < m->body.n; b++)
        k->m->body_name[b] = m->body.at[b].name, motion[b] = m->body.at[b].motion;
    for (int i = 0; i < k->queue.n; i++)
        if (k->queue.at[i].stmt->word == STMT_DRAW) {
            int b = draw_solid_body(k, &k->queue.at[i]);
            if (b >= 0)
                solid[b] = true;
        }
    struct ends ends = joints_of_bodies(k);
    for (int b = 1; b < m->body.n; b++)
        if (!m->body.at[b].beam && !m->body.at[b].rod && !solid[b]) {        /* beams draw themselves, bent */
            int first = k->m->shape.n;
            if (m->body.at[b].looks.given)
                draw_looks(k, b);
            else
                draw_body(k, &ends, b);
            for (; first < k->m->shape.n; first++) {
                k->m->shape.at[first].colour = m->body.at[b].looks.colour;
                k->m->shape.at[first].clear = m->body.at[b].looks.clear;
            }
        }
    for (int i = 0; i < m->joint.n; i++) {
        const struct mech_joint *j = &m->joint.at[i];
        if (j->stmt && (!m->spatial || k->c->options.reactions || (!solid[j->a.body] && !solid[j->b.body])))
            draw_joint(k, j);
    }
}
