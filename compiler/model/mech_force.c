/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Force elements: springs, dampers, bushings, torques, forces, drives, gears; friction, limits and contacts are in mech_contact.c.
 *
 * What has an energy becomes a potential or a dissipation; a force or torque becomes generalized forces by
 * its power: Q_i = sum_k F_k d(velocity_k)/d(v_i), those on places and bodies all together (mech_element.c).
 */
#include "model/element.h"

#include "mbs/model.h"

#include <stdlib.h>
#include <string.h>

/* Between two bodies that a body carries both, what depends on their relative motion alone is a function of the joints between them: their motions are seen
 * from that body, not from ground.  A long way round is not followed again for every element. */
static void seen_from_carrier(struct check *k, const struct where *w, struct motion *a, struct motion *b)
{
    enum { NEAR = 8 };
    const struct mech_body *body = k->mech->body.at;
    int way[2][NEAR], n[2] = {0, 0}, at[2] = {w->a.body, w->b.body};
    *a = body[at[0]].motion;
    *b = body[at[1]].motion;
    if (k->mech->absolute || k->reactions)
        return;
    while (at[0] != at[1]) {
        int deeper = body[at[0]].depth < body[at[1]].depth;
        if (n[deeper] == NEAR)
            return;
        way[deeper][n[deeper]++] = at[deeper];
        at[deeper] = body[at[deeper]].parent;
    }
    if (at[0] == 0)
        return;
    *a = *b = motion_ground(k->pool);
    for (int side = 0; side < 2; side++)
        for (int i = n[side] - 1; i >= 0; i--) {
            struct motion *m = side ? b : a;
            *m = joint_child(k->pool, &k->mech->joint.at[body[way[side][i]].joint], m);
        }
}

/* Distance of two places and its rate. */
static void distance(struct check *k, const struct where *w, Expr *length, Expr *rate)
{
    struct pool *p = k->pool;
    struct motion a, b;
    seen_from_carrier(k, w, &a, &b);
    struct vec d = vec_sub(p, motion_point(p, &a, w->a.at), motion_point(p, &b, w->b.at));
    *length = expr_sqrt(p, vec_dot(p, d, d));
    struct vec dv = vec_sub(p, end_velocity_space(p, &a, &w->a), end_velocity_space(p, &b, &w->b));
    *rate = expr_div(p, vec_dot(p, d, dv), *length);
}

static void draw_between(struct check *k, const char *name, int kind, const struct where *w)
{
    mech_draw_between(k, name, kind, &w->a, &w->b);
}

static void add_potential(struct check *k, struct span span, Expr e)
{
    VEC_PUSH(k->m->potential, ((struct model_term){span, e, TERM_STATED}));
}

static void add_dissipation(struct check *k, struct span span, Expr e)
{
    if (e != k->pool->zero)
        VEC_PUSH(k->m->dissipation, ((struct model_term){span, e, TERM_STATED}));
}

static Expr half_square(struct pool *p, Expr c, Expr x)
{
    return expr_product(p, 4, (Expr[]){p->half, c, x, x});
}

/* --- springs and dampers ---------------------------------------------------------------------------------------- */

/* spring S: between A and B, stiffness = c, length = l0, damping = d     spring S: on J, stiffness = c, angle = a0 */
static void spring(struct reading *x)
{
    struct check *k = x->k;
    struct pool *p = k->pool;
    struct where w;
    Expr c, d, rest, q, dq;
    bool length = true;
    if (!element_where(x, &w) || (w.on_joint && !element_motion(x, &w, &q, &dq, &length)) || !element_has_line(x, &w))
        return;
    const char *name = !w.on_joint ? "length" : length ? "distance" : "angle";
    if (!element_only(x, name, "length", "distance", "angle") || !read_scalar(x, "stiffness", &c) || !read_scalar(x, "damping", &d) ||
        !read_scalar(x, name, &rest))
        return;
    if (!w.on_joint) {
        distance(k, &w, &q, &dq);
        draw_between(k, element_name(x), MBS_SHAPE_SPRING, &w);
        if (d != p->zero)
            draw_between(k, element_name(x), MBS_SHAPE_DAMPER, &w);
        element_tell(x, &w, true, q, dq, expr_add(p, expr_mul(p, c, expr_sub(p, q, rest)), expr_mul(p, d, dq)));
        if (rest == p->zero && d == p->zero) {  /* without a rest length the root is not needed */
            add_potential(k, x->stmt->span, expr_product(p, 3, (Expr[]){p->half, c, expr_powi(p, q, 2)}));
            return;
        }
    } else {
        element_tell(x, &w, length, q, dq, expr_add(p, expr_mul(p, c, expr_sub(p, q, rest)), expr_mul(p, d, dq)));
        mech_draw_on(k, element_name(x), MBS_SHAPE_TURN_SPRING, MBS_SHAPE_SPRING, w.joint, w.slot);
        if (d != p->zero)
            mech_draw_on(k, element_name(x), MBS_SHAPE_TURN_DAMPER, MBS_SHAPE_DAMPER, w.joint, w.slot);
    }
    add_potential(k, x->stmt->span, half_square(p, c, expr_sub(p, q, rest)));
    add_dissipation(k, x->stmt->span, half_square(p, d, dq));
}

static void damper(struct reading *x)
{
    struct check *k = x->k;
    struct where w;
    Expr d, q, dq;
    bool length = true;
    if (!element_where(x, &w) || (w.on_joint && !element_motion(x, &w, &q, &dq, &length)) || !read_scalar(x, "damping", &d) ||
        !element_has_line(x, &w))
        return;
    if (!w.on_joint) {
        distance(k, &w, &q, &dq);
        draw_between(k, element_name(x), MBS_SHAPE_DAMPER, &w);
    } else {
        mech_draw_on(k, element_name(x), MBS_SHAPE_TURN_DAMPER, MBS_SHAPE_DAMPER, w.joint, w.slot);
    }
    add_dissipation(k, x->stmt->span, half_square(k->pool, d, dq));
    element_tell(x, &w, length, q, dq, expr_mul(k->pool, d, dq));
}

/* Stiffnesses along and about the axes of side a: [x, y, angle] or [x, y, z, about x, about y, about z]. */
static bool bushing_constants(struct reading *x, const char *name, bool needed, Expr out[6])
{
    struct check *k = x->k;
    const struct ast_expr *e = read_value(x, name);
    int n = k->mech->spatial ? 6 : 3, lengths = k->mech->spatial ? 3 : 2;
    for (int i = 0; i < 6; i++)
        out[i] = k->pool->zero;
    if (!e) {
        if (needed)
            read_needs(x, name);
        return !needed;
    }
    struct value v = eval(k, x->scope, e);
    if (!v.at || v.rank != 1 || v.rows != n) {
        if (v.at)
            diag_error(k->diags, e->span, "'%s' takes %d values: along the axes, then about %s", name, n, n == 6 ? "them" : "z");
        return false;
    }
    if (!value_allows(k, x->scope, e, &v, DEP(SYM_PARAM), name))
        return false;
    for (int i = 0; i < n; i++) {
        x->turning = i >= lengths;
        struct dim want = read_dim(x, name);
        if (!dim_agrees(v.at[i].dim, want)) {
            diag_error(k->diags, e->span, "element %d of '%s' must be in %s, but it is %s", i + 1, name, dim_show(want, k->arena),
                       dim_show(v.at[i].dim, k->arena));
            return false;
        }
        out[i] = v.at[i].e;
    }
    return true;
}

static void bushing(struct reading *x)
{
    struct check *k = x->k;
    struct pool *p = k->pool;
    struct where w;
    Expr c[6], d[6], gap[6];
    if (!element_where(x, &w) || !bushing_constants(x, "stiffness", true, c) || !bushing_constants(x, "damping", false, d))
        return;
    bool spatial = k->mech->spatial;
    struct motion a, b;
    seen_from_carrier(k, &w, &a, &b);
    struct rotation Ra = rotation_mul(p, &a.R, &w.a.frame), Rb = rotation_mul(p, &b.R, &w.b.frame);
    struct vec s = rotation_apply_back(p, &Ra, vec_sub(p, motion_point(p, &b, w.b.at), motion_point(p, &a, w.a.at)));
    int n = spatial ? 6 : 3;
    gap[0] = s.x[0], gap[1] = s.x[1];
    if (!spatial) {
        gap[2] = expr_sub(p, Rb.angle, Ra.angle);
    } else {
        gap[2] = s.x[2];
        for (int i = 0; i < 3; i++) {   /* the turn, as the axial vector of the relative rotation: sin(angle) * axis */
            int j = (i + 1) % 3, l = (i + 2) % 3;
            struct vec aj = rotation_apply(p, &Ra, vec_unit(p, j)), al = rotation_apply(p, &Ra, vec_unit(p, l));
            struct vec bj = rotation_apply(p, &Rb, vec_unit(p, j)), bl = rotation_apply(p, &Rb, vec_unit(p, l));
            gap[3 + i] = expr_mul(p, p->half, expr_sub(p, vec_dot(p, al, bj), vec_dot(p, aj, bl)));
        }
    }
    for (int i = 0; i < n; i++) {
        struct value v = value_scalar(k, gap[i], DIM_OF_ANY);
        if (c[i] != p->zero)
            add_potential(k, x->stmt->span, half_square(p, c[i], gap[i]));
        struct value rate = d[i] != p->zero ? value_prime(k, x->stmt->span, v) : VALUE_NONE;
        if (rate.at)
            add_dissipation(k, x->stmt->span, half_square(p, d[i], rate.at[0].e));
    }
    draw_between(k, element_name(x), MBS_SHAPE_BUSHING, &w);
}

/* --- torques and forces ----------------------------------------------------------------------------------------- */

static const struct ast_item *acting(struct reading *x)
{
    const struct ast_item *on = mech_item(x->stmt, "on");
    if (on && on->target && on->value)
        return on;
    diag_error(x->k->diags, x->stmt->span, "write: %s NAME: on %s", x->noun, !strcmp(x->noun, "torque") ? "J = value" : "K.P = [x, y]");
    return NULL;
}

/* axes body: the components are along the body's axes. */
static bool in_body_axes(struct reading *x, bool *body)
{
    const struct ast_item *it = mech_item(x->stmt, "axes");
    *body = it && it->value && it->value->kind == AST_NAME && !strcmp(it->value->text, "body");
    if (it && !*body && !(it->value && it->value->kind == AST_NAME && !strcmp(it->value->text, "space"))) {
        diag_error(x->k->diags, it->span, "write: axes body, or: axes space");
        return false;
    }
    return true;
}

static void torque_on_joint(struct reading *x, const struct ast_item *on, int joint, int slot)
{
    struct check *k = x->k;
    bool length = joint_coord_is_length(&k->mech->joint.at[joint], slot);
    struct where w = {.on_joint = true, .joint = joint, .slot = slot};
    struct value f = eval_scalar(k, x->scope, on->value, "this");
    Expr q, dq;
    if (!value_allows(k, x->scope, on->value, &f, MAY_ACT, "this") ||
        !value_fits(k, on->value, &f, length ? mech_dim(k, 1, 1, -2) : mech_dim(k, 2, 1, -2), length ? "this force" : "this torque") ||
        !element_motion(x, &w, &q, &dq, &length))
        return;
    element_apply(k, x->stmt->span, 1, &f.at[0].e, &dq);
    mech_draw_effort(k, element_name(x), joint, slot, f.at[0].e);
    mech_tells(k, element_name(x), length ? "force" : "torque", f.at[0].e, length ? mech_dim(k, 1, 1, -2) : mech_dim(k, 2, 1, -2));
    Expr power = expr_mul(k->pool, f.at[0].e, dq);
    mech_tells_power(k, element_name(x), power, false);
}

static void torque(struct reading *x)
{
    struct check *k = x->k;
    struct pool *p = k->pool;
    const struct ast_item *on = acting(x);
    int joint, slot;
    bool body_axes;
    struct mech_end end;
    if (!on || !in_body_axes(x, &body_axes))
        return;
    if (element_slot(k, x->scope, on->target, &joint, &slot)) {
        torque_on_joint(x, on, joint, slot);
        return;
    }
    if (!mech_end_read(k, x->scope, on->target, &end))
        return;
    const struct motion *m = &k->mech->body.at[end.body].motion;
    struct dim dim = mech_dim(k, 2, 1, -2);
    struct vec t = vec_zero(p);
    if (k->mech->spatial) {
        if (!mech_vector(k, x->scope, on->value, dim, MAY_ACT, "this torque", &t))
            return;
    } else {
        struct value v = eval_scalar(k, x->scope, on->value, "this torque");
        if (!value_allows(k, x->scope, on->value, &v, MAY_ACT, "this torque") || !value_fits(k, on->value, &v, dim, "this torque"))
            return;
        t.x[2] = v.at[0].e;
    }
    struct vec turns = vec_add(p, m->w, end.turn), w = body_axes ? turns : rotation_apply(p, &m->R, turns);
    element_apply(k, x->stmt->span, 3, t.x, w.x);
    struct vec in_space = body_axes ? rotation_apply(p, &m->R, t) : t;
    mech_draw_vector(k, element_name(x), MBS_SHAPE_TORQUE, &end, in_space);
    if (k->mech->spatial)
        mech_tells_vector(k, element_name(x), "torque", in_space, dim);
    else
        mech_tells(k, element_name(x), "torque", in_space.x[2], dim);
    Expr power = vec_dot(p, t, w);
    mech_tells_power(k, element_name(x), power, false);
}

static void force(struct reading *x)
{
    struct check *k = x->k;
    const struct ast_item *on = acting(x);
    bool body_axes;
    struct mech_end end;
    struct vec f;
    if (!on || !in_body_axes(x, &body_axes) || !mech_end_read(k, x->scope, on->target, &end) ||
        !mech_vector(k, x->scope, on->value, mech_dim(k, 1, 1, -2), MAY_ACT, "this force", &f))
        return;
    const struct motion *m = &k->mech->body.at[end.body].motion;
    struct vec v = body_axes ? end_velocity(k->pool, m, &end) : end_velocity_space(k->pool, m, &end);
    element_apply(k, x->stmt->span, 3, f.x, v.x);
    struct vec in_space = body_axes ? rotation_apply(k->pool, &m->R, f) : f;
    mech_draw_vector(k, element_name(x), MBS_SHAPE_FORCE, &end, in_space);
    mech_tells_vector(k, element_name(x), "force", in_space, mech_dim(k, 1, 1, -2));
    Expr power = vec_dot(k->pool, f, v);
    mech_tells_power(k, element_name(x), power, false);
}

/* --- drives and gears -------------------------------------------------------------------------------------------- */

static void constrain(struct reading *x, const char *name, Expr g, bool length)
{
    struct check *k = x->k;
    struct constraint_group c = {.name = name, .span = x->stmt->name->span, .rank = 0, .rows = 1, .cols = 1};
    c.at = arena_alloc(k->arena, sizeof *c.at);
    c.at[0] = (struct constraint_row){.g = g, .dim = mech_length_or_angle(k, length), .name = name, .holonomic = true};
    VEC_PUSH(k->groups, c);
}

/* The force or torque with which the constraint acts on a coordinate, and the power that it gives there. */
static void tell_effort(struct reading *x, bool length, Expr rate)
{
    struct check *k = x->k;
    const char *name = element_name(x);
    mech_tells_effort(k, name, length ? "force" : "torque", k->pool->one, length ? mech_dim(k, 1, 1, -2) : mech_dim(k, 2, 1, -2));
    mech_tells_power(k, name, rate, true);
}

/* drive D: on J = Omega*t     drive beta = Omega*t */
static void drive(struct reading *x)
{
    struct check *k = x->k;
    const struct ast_item *it = mech_item(x->stmt, "on");
    const struct ast_expr *target = it ? it->target : x->stmt->name;
    bool plain = !it && x->stmt->item.n == 1 && x->stmt->item.at[0].relation == '=' && !x->stmt->item.at[0].target;
    struct where w = {.on_joint = true};
    Expr q, dq;
    bool length;
    if (plain)
        it = &x->stmt->item.at[0];
    if (!it || !it->value || !target) {
        diag_error(k->diags, x->stmt->span, "write: drive NAME: on J = expression of t, or: drive COORDINATE = expression of t");
        return;
    }
    if (!element_slot(k, x->scope, target, &w.joint, &w.slot)) {
        diag_error(k->diags, target->span, "a drive prescribes the coordinate of a joint");
        return;
    }
    struct value v = eval_scalar(k, x->scope, it->value, "a drive");
    if (!value_allows(k, x->scope, it->value, &v, DEP(SYM_PARAM) | DEP(SYM_TIME), "a drive") || !element_motion(x, &w, &q, &dq, &length) ||
        !value_fits(k, it->value, &v, mech_dim(k, length, 0, 0), "this drive"))
        return;
    Expr held = expr_sub(k->pool, q, v.at[0].e);
    constrain(x, element_name(x), held, length);
    tell_effort(x, length, dq);
    mech_draw_on(k, element_name(x), MBS_SHAPE_DRIVE, MBS_SHAPE_DRIVE_ALONG, w.joint, w.slot);
}

/* gear G: between J1 and J2, ratio = r, offset = a:  coordinate of J2 = r * coordinate of J1 + a.  A rack is a gear
 * between a turning and a sliding joint. */
static void gear(struct reading *x)
{
    struct check *k = x->k;
    struct pool *p = k->pool;
    struct where w[2];
    Expr q[2], dq, ratio, offset;
    bool length[2];
    if (!element_pair(x, w))
        return;
    for (int i = 0; i < 2; i++)
        if (!element_motion(x, &w[i], &q[i], &dq, &length[i]))
            return;
    const struct ast_expr *r = read_value(x, "ratio");
    if (!r)
        read_needs(x, "ratio");
    struct value v = r ? eval_scalar(k, x->scope, r, "ratio") : VALUE_NONE;
    struct dim dim = dim_div(mech_length_or_angle(k, length[1]), mech_length_or_angle(k, length[0]));
    if (!r || !value_allows(k, x->scope, r, &v, x->allowed, "ratio") || !value_fits(k, r, &v, dim, "ratio") || !read_scalar(x, "offset", &offset))
        return;
    ratio = v.at[0].e;
    Expr g = expr_sub(p, q[1], expr_add(p, expr_mul(p, ratio, q[0]), offset));
    constrain(x, element_name(x), g, length[1]);
    tell_effort(x, length[1], dq);
    mech_draw_gear(k, element_name(x), (int[]){w[0].joint, w[1].joint}, (int[]){w[0].slot, w[1].slot}, ratio);
}

/* rotor R: on J, inertia = I     rotor R: on J, mass = m, if the joint slides: what turns with the joint's rate besides the bodies,
 * such as the rotor of a motor behind a gear, times the square of its ratio. */
static void rotor(struct reading *x)
{
    struct check *k = x->k;
    struct where w;
    Expr inertia, q, dq;
    bool length;
    if (!element_where(x, &w) || !element_motion(x, &w, &q, &dq, &length) || !element_only(x, length ? "mass" : "inertia", "mass", "inertia", NULL) ||
        !read_scalar(x, length ? "mass" : "inertia", &inertia))
        return;
    VEC_PUSH(k->m->kinetic, ((struct model_term){x->stmt->span, half_square(k->pool, inertia, dq), TERM_STATED}));
    mech_draw_on(k, element_name(x), MBS_SHAPE_ROTOR, MBS_SHAPE_ROTOR, w.joint, w.slot);
}

static void element(struct check *k, const struct pending *it)
{
    static const struct { enum ast_word word; void (*build)(struct reading *); } table[] = {
#define PART(NAME, noun, form)
#define ELEMENT(NAME, function, noun, form) {STMT_##NAME, function},
#define CLAUSE(name, shape, unit, turning, otherwise, help)
#include "model/parts.def"
    };
    struct reading x;
    if (!reading_begin(&x, k, it->scope, it->stmt, MAY_ACT))
        return;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].word == it->stmt->word)
            table[i].build(&x);
}

void mech_elements(struct check *k)
{
    for (int i = 0; i < k->mech->element.n && !diag_full(k->diags); i++)
        element(k, &k->mech->element.at[i]);
}

void mech_force(struct check *k, const struct pending *p)
{
    if (!k->mech->moving)
        diag_error(k->diags, p->stmt->span, "a force on a body, but there are no bodies");
    else
        element(k, p);
}
