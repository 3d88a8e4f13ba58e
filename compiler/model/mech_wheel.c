/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A wheel: a thin disc that rolls on a plane without slipping.  Its lowest point P - r e, where e is the direction in the plane of the wheel that points
 * straight up, keeps touching (holonomic), and the matter there is at rest on the plane (non-holonomic, along and across the track).  In a plane the
 * wheel rolls on a line. */
#include "model/element.h"

#include "mbs/model.h"

/* The velocity of the matter of a body at a place in space. */
static struct vec velocity_there(struct pool *p, const struct motion *m, const struct mech_end *end, struct vec place)
{
    struct vec from = vec_sub(p, place, motion_point(p, m, end->at)), turns = rotation_apply(p, &m->R, vec_add(p, m->w, end->turn));
    return vec_add(p, end_velocity_space(p, m, end), vec_cross(p, turns, from));
}

/* As a body of the shape `wheel` is drawn, without thickness. */
static void draw_wheel(struct check *k, const struct mech_end *centre, struct vec axis, Expr radius)
{
    struct pool *p = k->pool;
    const struct mech_body *b = &k->mech->body.at[centre->body];
    int least = 0;
    if (b->looks.given)
        return;
    for (int i = 1; i < 3; i++)
        if (mech_default(k, expr_powi(p, axis.x[i], 2)) < mech_default(k, expr_powi(p, axis.x[least], 2)))
            least = i;
    struct vec one = vec_unit_along(p, vec_cross(p, axis, vec_unit(p, least))), two = vec_cross(p, axis, one);
    struct vec along = vec_scale(p, radius, rotation_apply(p, &centre->frame, one)), across = vec_scale(p, radius, rotation_apply(p, &centre->frame, two));
    Expr inner = expr_rational(p, 17, 20);
    draw_round(k, centre->body, b->name, MBS_SHAPE_WHEEL, centre->at, along, across, vec_zero(p), inner);
}

/* wheel W: between K.P and ground @ [0, 0, 0], normal = [0, 0, 1], axis = [0, 1, 0], radius = r */
void mech_wheel(struct reading *x)
{
    static const char *const part[] = {"height", "along", "across"};
    struct check *k = x->k;
    struct pool *p = k->pool;
    struct where w;
    struct vec normal, axis = vec_unit(p, 2), up, track, side;
    Expr r;
    bool spatial = k->mech->spatial;
    const struct ast_expr *n = read_value(x, "normal"), *about = read_value(x, "axis");
    if (!element_where(x, &w) || !read_scalar(x, "radius", &r))
        return;
    if (!n || (spatial && !about)) {
        read_needs(x, n ? "axis" : "normal");
        return;
    }
    if (!spatial && about) {
        diag_error(k->diags, about->span, "in a plane a wheel turns about z: it has no 'axis'");
        return;
    }
    if (!mech_vector(k, x->scope, n, read_dim(x, "normal"), DEP(SYM_PARAM), "a normal", &normal) ||
        (about && !mech_vector(k, x->scope, about, read_dim(x, "axis"), DEP(SYM_PARAM), "an axis", &axis)))
        return;
    if (!(mech_default(k, vec_dot(p, normal, normal)) > 0) || !(mech_default(k, vec_dot(p, axis, axis)) > 0)) {
        diag_error(k->diags, mech_default(k, vec_dot(p, axis, axis)) > 0 ? n->span : about->span, "this direction has no length");
        return;
    }
    const struct motion *a = &k->mech->body.at[w.a.body].motion, *b = &k->mech->body.at[w.b.body].motion;
    struct vec centre = motion_point(p, a, w.a.at), foot = motion_point(p, b, w.b.at);
    normal = vec_unit_along(p, normal);
    axis = vec_unit_along(p, axis);
    struct vec n_space = rotation_apply(p, &b->R, normal), a_space = rotation_apply(p, &a->R, rotation_apply(p, &w.a.frame, axis));
    track = spatial ? vec_unit_along(p, vec_cross(p, a_space, n_space)) : vec_cross(p, a_space, n_space);
    up = spatial ? vec_cross(p, track, a_space) : n_space;
    side = vec_cross(p, n_space, track);
    struct vec touch = vec_sub(p, centre, vec_scale(p, r, up));
    struct vec slip = vec_sub(p, velocity_there(p, a, &w.a, touch), velocity_there(p, b, &w.b, touch));
    const Expr value[3] = {vec_dot(p, vec_sub(p, touch, foot), n_space), vec_dot(p, slip, track), vec_dot(p, slip, side)};
    int rows = spatial ? 3 : 2;
    const char *name = element_name(x);
    struct constraint_group g = {.name = name, .span = x->stmt->name->span, .rank = 1, .rows = rows, .cols = 1};
    g.at = arena_alloc(k->arena, (size_t)rows * sizeof *g.at);
    for (int i = 0; i < rows; i++)
        g.at[i] = (struct constraint_row){.g = value[i], .dim = mech_dim(k, 1, 0, i ? -1 : 0), .holonomic = i == 0,
                                          .name = name_of(&k->c->names, arena_printf(k->arena, "%s.%s", name, part[i]))};
    VEC_PUSH(k->groups, g);
    mech_draw_contact(k, name, &w.a, &w.b, normal, p->zero);
    draw_wheel(k, &w.a, axis, r);
}
