/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `mbs play` needs of a model beside what it says: handles to pull at, and start values that can be changed.
 *
 * A handle is a rigid body, or a point that is drawn and belongs to none.  A spring and a damper without rest length tie a place of it to a point in
 * space; where it is, where it is pulled to and how hard are inputs, behind those of the model:
 *
 *     at (3), to (3), lag, then the stiffness c of each handle;      U = c/2 |P - to|^2,   D = lag c/2 |P'|^2,   P = r + R at
 *
 * All handles share `at` and `to`, since one is pulled at a time; each has a stiffness of its own, so that what is not pulled
 * has no force, and two bodies are not coupled by a hand that holds neither.  Shapes of kind HANDLE tell where they are, in the order of the stiffnesses. */
#include "model/mechanism.h"

#include "mbs/model.h"

#include <string.h>

static Expr input_add(struct check *k, const char *name, const char *unit)
{
    Expr sym = expr_sym(k->pool, SYM_U, k->m->input.n, name);
    VEC_PUSH(k->m->input, ((struct model_input){name_of(&k->c->names, name), k->has_units ? unit : "", k->model_stmt->span, sym, k->pool->zero}));
    return sym;
}

static struct vec vector_add(struct check *k, const char *name)
{
    struct vec v;
    for (int i = 0; i < 3; i++)
        v.x[i] = input_add(k, arena_printf(k->arena, "%s.%c", name, "xyz"[i]), "m");
    return v;
}

static void hand_begin(struct check *k)
{
    struct hand *h = &k->hand;
    if (h->begun)
        return;
    h->begun = true;
    h->at = vector_add(k, "pull.at");
    h->to = vector_add(k, "pull.to");
    h->lag = input_add(k, "pull.lag", "s");
}

static Expr half_square(struct pool *p, Expr c, struct vec v)
{
    return expr_product(p, 3, (Expr[]){p->half, c, vec_dot(p, v, v)});
}

/* The hand's spring and damper at a place that moves so. */
static void tie(struct check *k, struct vec place, struct vec velocity)
{
    struct pool *p = k->pool;
    struct span span = k->model_stmt->span;
    Expr c = input_add(k, arena_printf(k->arena, "pull.stiffness[%d]", ++k->hand.handles), "N/m");
    VEC_PUSH(k->m->potential, ((struct model_term){span, half_square(p, c, vec_sub(p, place, k->hand.to)), TERM_STATED}));
    VEC_PUSH(k->m->dissipation, ((struct model_term){span, half_square(p, expr_mul(p, c, k->hand.lag), velocity), TERM_STATED}));
}

void handle_bodies(struct check *k)
{
    struct pool *p = k->pool;
    for (int b = 1; b < k->mech->body.n; b++) {
        const struct mech_body *body = &k->mech->body.at[b];
        int first = k->m->point.n;
        if (body->beam)         /* its points are, each for itself: they do not move with one frame */
            continue;
        hand_begin(k);
        struct vec at = k->hand.at;
        if (!k->mech->spatial)
            at.x[2] = p->zero;
        struct vec place = motion_point(p, &body->motion, at), velocity = motion_velocity_space(p, &body->motion, at);
        tie(k, place, velocity);
        for (int i = -1; i < 3; i++)
            draw_place(k, b, i < 0 ? vec_zero(p) : vec_unit(p, i));
        draw_shape(k, body->name, MBS_SHAPE_HANDLE, first);
    }
}

/* Of a shape's points those that are places of their own; the others are directions, or on a rim that may turn. */
static int places_of(const struct model_shape *s)
{
    switch (s->kind) {
    case MBS_SHAPE_POINT: case MBS_SHAPE_LINE: case MBS_SHAPE_BODY: case MBS_SHAPE_SPRING: case MBS_SHAPE_DAMPER: return s->count;
    case MBS_SHAPE_JOINT: case MBS_SHAPE_CIRCLE: case MBS_SHAPE_SPHERE: case MBS_SHAPE_WHEEL: case MBS_SHAPE_TOOTHED: return 1;
    case MBS_SHAPE_PLATE: return s->count - 1;
    default: return 0;
    }
}

static bool is_handle_already(const struct check *k, int shapes, const struct model_point *x)
{
    for (int i = shapes; i < k->m->shape.n; i++) {
        const struct model_point *y = &k->m->point.at[k->m->shape.at[i].first];
        if (x->x[0] == y->x[0] && x->x[1] == y->x[1] && x->x[2] == y->x[2])
            return true;
    }
    return false;
}

static bool moves(const struct check *k, const struct model_point *x)
{
    unsigned deps = expr_deps(k->pool, x->x[0]) | expr_deps(k->pool, x->x[1]) | expr_deps(k->pool, x->x[2]);
    return deps & DEP(SYM_Q) && !(deps & DEP(SYM_Z));
}

static void handle_point(struct check *k, const char *name, struct model_point x)
{
    struct vec place = {{x.x[0], x.x[1], x.x[2]}}, velocity;
    struct value v = value_new(k, k->model_stmt->span, 1, 3, 1);
    int first = k->m->point.n;
    for (int i = 0; i < 3; i++)
        v.at[i].e = x.x[i];
    v = value_prime(k, k->model_stmt->span, v);
    for (int i = 0; v.at && i < 3; i++)
        velocity.x[i] = v.at[i].e;
    if (!v.at)
        return;
    hand_begin(k);
    tie(k, place, velocity);
    VEC_PUSH(k->m->point, x);
    draw_shape(k, name, MBS_SHAPE_HANDLE, first);
}

void handle_points(struct check *k)
{
    int shapes = k->m->shape.n;
    for (int i = 0; i < shapes; i++)
        for (int j = 0; j < places_of(&k->m->shape.at[i]); j++) {
            const struct model_point *x = &k->m->point.at[k->m->shape.at[i].first + j];
            if (!x->place && moves(k, x) && !is_handle_already(k, shapes, x))
                handle_point(k, k->m->shape.at[i].name, *x);
        }
}

/* --- start values ------------------------------------------------------------------------------------------------- */

static Expr opened(struct check *k, const struct model_coord *c, const char *prime, const char *per, Expr value)
{
    const char *name = name_of(&k->c->names, arena_printf(k->arena, "%s%s(0)", c->name, prime));
    const char *unit = *c->unit && *per ? arena_printf(k->arena, strpbrk(c->unit, "*/^ ") ? "(%s)/%s" : "%s/%s", c->unit, per) : c->unit;
    Expr sym = expr_sym(k->pool, SYM_PARAM, k->m->param.n, name);
    VEC_PUSH(k->m->param, ((struct model_param){name, unit, c->span, sym, value, false, 0}));
    return sym;
}

void handle_start(struct check *k)
{
    bool held = k->m->constraint.n > 0;         /* what constraints decide is no free choice */
    for (int i = 0; i < k->m->coord.n; i++) {
        struct model_coord *c = &k->m->coord.at[i];
        if (!held || c->q_init != INIT_FREE)
            c->q0 = opened(k, c, "", "", c->q0);
        if (!held || c->v_init != INIT_FREE)
            c->v0 = opened(k, c, "'", k->has_units ? "s" : "", c->v0);
    }
}
