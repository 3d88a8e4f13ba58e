/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Force elements: springs, dampers, bushings, torques, forces, drives, gears, friction, contact.
 *
 * What has an energy becomes a potential or a dissipation; a force or torque becomes generalized forces by
 * its power: Q_i = sum_k F_k d(velocity_k)/d(v_i).
 */
#include "model/part.h"

#include "mbs/model.h"

#include <stdlib.h>
#include <string.h>

enum { MAY_ACT = DEP(SYM_PARAM) | DEP(SYM_TIME) | DEP(SYM_Q) | DEP(SYM_V) | DEP(SYM_Z) | DEP(SYM_U) };

/* Between two places, or on a joint's coordinate. */
struct where {
    bool on_joint;
    struct mech_end a, b;
    int joint, slot;
};

/* --- generalized forces ---------------------------------------------------------------------------------------- */

static void apply(struct check *k, struct span span, int n, const Expr *force, const Expr *velocity)
{
    struct pool *p = k->pool;
    int coords = k->m->coord.n;
    Expr hold[6], term[6], *v = mem_grow(NULL, 2 * (size_t)coords + 2, sizeof *v), *Q = v + coords;
    for (int i = 0; i < n; i++) {
        hold[i] = expr_sym(p, SYM_LOCAL, k->mech->locals++, "force");
        term[i] = expr_mul(p, hold[i], velocity[i]);
    }
    for (int i = 0; i < coords; i++)
        v[i] = k->m->coord.at[i].v;
    expr_reverse(p, expr_sum(p, n, term), coords, v, Q);
    expr_substitute(p, n, hold, force, coords, Q, Q);
    for (int i = 0; i < coords; i++)
        if (Q[i] != p->zero)
            VEC_PUSH(k->m->force, ((struct model_force){span, i, Q[i]}));
    free(v);
}

/* --- reading --------------------------------------------------------------------------------------------------- */

/* Of these clauses only `right` has a meaning here. */
static bool only(struct reading *x, const char *right, const char *a, const char *b, const char *c)
{
    const char *const all[3] = {a, b, c};
    for (int i = 0; i < 3; i++)
        if (all[i] && strcmp(all[i], right) && read_value(x, all[i])) {
            diag_error(x->k->diags, mech_item(x->stmt, all[i])->span, "this %s has no '%s' here; write '%s'", x->noun, all[i], right);
            return false;
        }
    return true;
}

/* J.angle or the name of a coordinate; a joint with one coordinate may go by its own name. */
static bool joint_slot(struct check *k, struct scope *s, const struct ast_expr *e, int *joint, int *slot)
{
    bool name = e->kind == AST_NAME || e->kind == AST_INDEX || e->kind == AST_MEMBER;
    const char *whole = name ? eval_name(k, s, e) : NULL;
    if (!whole)
        return false;
    if (mech_slot_find(k, s, e, joint, slot))
        return true;
    *joint = mech_joint_seen(k, s, whole);
    *slot = 0;
    return *joint >= 0 && joint_coords(&k->mech->joint.at[*joint]) == 1;
}

static bool read_pair(struct reading *x, const struct ast_item *it, struct mech_end *a, struct mech_end *b)
{
    struct check *k = x->k;
    if (!it->value || it->value->kind != AST_AND) {
        diag_error(k->diags, it->span, "write: between A.P and B.Q");
        return false;
    }
    if (!mech_end_read(k, x->scope, it->value->arg[0], a) || !mech_end_read(k, x->scope, it->value->arg[1], b))
        return false;
    if (a->body == b->body) {
        diag_error(k->diags, it->span, "both ends of the %s are on '%s'", x->noun, k->mech->body.at[a->body].name);
        return false;
    }
    return true;
}

static bool read_where(struct reading *x, struct where *w)
{
    const struct ast_item *between = mech_item(x->stmt, "between"), *on = mech_item(x->stmt, "on");
    *w = (struct where){0};
    if (between && !on)
        return read_pair(x, between, &w->a, &w->b);
    if (!on || between) {
        diag_error(x->k->diags, x->stmt->span, "a %s acts 'between A and B' or 'on' a joint", x->noun);
        return false;
    }
    const struct ast_expr *e = on->target ? on->target : on->value;
    w->on_joint = true;
    if (!e || !joint_slot(x->k, x->scope, e, &w->joint, &w->slot)) {
        diag_error(x->k->diags, on->span, "a %s acts on a joint with one coordinate, or on a coordinate such as J.angle", x->noun);
        return false;
    }
    return true;
}

/* The coordinate of a joint and its rate. */
static bool joint_motion(struct reading *x, const struct where *w, Expr *q, Expr *dq, bool *length)
{
    struct check *k = x->k;
    struct value v = mech_coordinate(k, x->stmt->span, w->joint, w->slot);
    struct value d = v.at ? value_prime(k, x->stmt->span, v) : VALUE_NONE;
    if (!d.at)
        return false;
    *q = v.at[0].e;
    *dq = d.at[0].e;
    *length = joint_coord_is_length(&k->mech->joint.at[w->joint], w->slot);
    x->turning = !*length;
    return true;
}

/* Distance of two places and its rate. */
static void distance(struct check *k, const struct where *w, Expr *length, Expr *rate)
{
    struct pool *p = k->pool;
    const struct motion *a = &k->mech->body.at[w->a.body].motion, *b = &k->mech->body.at[w->b.body].motion;
    struct vec d = vec_sub(p, motion_point(p, a, w->a.at), motion_point(p, b, w->b.at));
    *length = expr_sqrt(p, vec_dot(p, d, d));
    struct vec dv = vec_sub(p, end_velocity_space(p, a, &w->a), end_velocity_space(p, b, &w->b));
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

static const char *element_name(struct reading *x)
{
    return full_name(x->k, x->scope, eval_name(x->k, x->scope, x->stmt->name));
}

/* Length or angle, its rate, the force against its growth, and the power that it takes from the mechanism. */
static void tell(struct reading *x, const struct where *w, bool length, Expr q, Expr dq, Expr force)
{
    struct check *k = x->k;
    const char *name = element_name(x);
    struct dim dim = mech_length_or_angle(k, length), second = mech_dim(k, 0, 0, 1);
    mech_tells(k, name, !w->on_joint ? "length" : length ? "distance" : "angle", q, dim);
    mech_tells(k, name, "rate", dq, dim_div(dim, second));
    mech_tells(k, name, length ? "force" : "torque", force, length ? mech_dim(k, 1, 1, -2) : mech_dim(k, 2, 1, -2));
    mech_tells(k, name, "power", expr_mul(k->pool, force, dq), mech_dim(k, 2, 1, -3));
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
    if (!read_where(x, &w) || (w.on_joint && !joint_motion(x, &w, &q, &dq, &length)))
        return;
    const char *name = !w.on_joint ? "length" : length ? "distance" : "angle";
    if (!only(x, name, "length", "distance", "angle") || !read_scalar(x, "stiffness", &c) || !read_scalar(x, "damping", &d) ||
        !read_scalar(x, name, &rest))
        return;
    if (!w.on_joint) {
        distance(k, &w, &q, &dq);
        draw_between(k, element_name(x), MBS_SHAPE_SPRING, &w);
        if (d != p->zero)
            draw_between(k, element_name(x), MBS_SHAPE_DAMPER, &w);
        tell(x, &w, true, q, dq, expr_add(p, expr_mul(p, c, expr_sub(p, q, rest)), expr_mul(p, d, dq)));
        if (rest == p->zero && d == p->zero) {  /* without a rest length the root is not needed */
            add_potential(k, x->stmt->span, expr_product(p, 3, (Expr[]){p->half, c, expr_powi(p, q, 2)}));
            return;
        }
    } else {
        tell(x, &w, length, q, dq, expr_add(p, expr_mul(p, c, expr_sub(p, q, rest)), expr_mul(p, d, dq)));
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
    if (!read_where(x, &w) || (w.on_joint && !joint_motion(x, &w, &q, &dq, &length)) || !read_scalar(x, "damping", &d))
        return;
    if (!w.on_joint) {
        distance(k, &w, &q, &dq);
        draw_between(k, element_name(x), MBS_SHAPE_DAMPER, &w);
    } else {
        mech_draw_on(k, element_name(x), MBS_SHAPE_TURN_DAMPER, MBS_SHAPE_DAMPER, w.joint, w.slot);
    }
    add_dissipation(k, x->stmt->span, half_square(k->pool, d, dq));
    tell(x, &w, length, q, dq, expr_mul(k->pool, d, dq));
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
    if (!read_where(x, &w) || !bushing_constants(x, "stiffness", true, c) || !bushing_constants(x, "damping", false, d))
        return;
    bool spatial = k->mech->spatial;
    const struct motion *a = &k->mech->body.at[w.a.body].motion, *b = &k->mech->body.at[w.b.body].motion;
    struct rotation Ra = rotation_mul(p, &a->R, &w.a.frame), Rb = rotation_mul(p, &b->R, &w.b.frame);
    struct vec s = rotation_apply_back(p, &Ra, vec_sub(p, motion_point(p, b, w.b.at), motion_point(p, a, w.a.at)));
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
        !joint_motion(x, &w, &q, &dq, &length))
        return;
    apply(k, x->stmt->span, 1, &f.at[0].e, &dq);
    mech_draw_effort(k, element_name(x), joint, slot, f.at[0].e);
    mech_tells(k, element_name(x), length ? "force" : "torque", f.at[0].e, length ? mech_dim(k, 1, 1, -2) : mech_dim(k, 2, 1, -2));
    Expr power = expr_mul(k->pool, f.at[0].e, dq);
    mech_tells(k, element_name(x), "power", power, mech_dim(k, 2, 1, -3));
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
    if (joint_slot(k, x->scope, on->target, &joint, &slot)) {
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
    apply(k, x->stmt->span, 3, t.x, w.x);
    struct vec in_space = body_axes ? rotation_apply(p, &m->R, t) : t;
    mech_draw_vector(k, element_name(x), MBS_SHAPE_TORQUE, &end, in_space);
    if (k->mech->spatial)
        mech_tells_vector(k, element_name(x), "torque", in_space, dim);
    else
        mech_tells(k, element_name(x), "torque", in_space.x[2], dim);
    Expr power = vec_dot(p, t, w);
    mech_tells(k, element_name(x), "power", power, mech_dim(k, 2, 1, -3));
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
    apply(k, x->stmt->span, 3, f.x, v.x);
    struct vec in_space = body_axes ? rotation_apply(k->pool, &m->R, f) : f;
    mech_draw_vector(k, element_name(x), MBS_SHAPE_FORCE, &end, in_space);
    mech_tells_vector(k, element_name(x), "force", in_space, mech_dim(k, 1, 1, -2));
    Expr power = vec_dot(k->pool, f, v);
    mech_tells(k, element_name(x), "power", power, mech_dim(k, 2, 1, -3));
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
    if (!joint_slot(k, x->scope, target, &w.joint, &w.slot)) {
        diag_error(k->diags, target->span, "a drive prescribes the coordinate of a joint");
        return;
    }
    struct value v = eval_scalar(k, x->scope, it->value, "a drive");
    if (!value_allows(k, x->scope, it->value, &v, DEP(SYM_PARAM) | DEP(SYM_TIME), "a drive") || !joint_motion(x, &w, &q, &dq, &length) ||
        !value_fits(k, it->value, &v, mech_dim(k, length, 0, 0), "this drive"))
        return;
    Expr held = expr_sub(k->pool, q, v.at[0].e);
    constrain(x, element_name(x), held, length);
    mech_draw_on(k, element_name(x), MBS_SHAPE_DRIVE, MBS_SHAPE_DRIVE_ALONG, w.joint, w.slot);
}

/* gear G: between J1 and J2, ratio = r, offset = a:  coordinate of J2 = r * coordinate of J1 + a.  A rack is a gear
 * between a turning and a sliding joint. */
static void gear(struct reading *x)
{
    struct check *k = x->k;
    struct pool *p = k->pool;
    const struct ast_item *it = mech_item(x->stmt, "between");
    struct where w[2] = {{.on_joint = true}, {.on_joint = true}};
    Expr q[2], dq, ratio, offset;
    bool length[2];
    if (!it || !it->value || it->value->kind != AST_AND) {
        diag_error(k->diags, x->stmt->span, "write: gear NAME: between J1 and J2, ratio = value");
        return;
    }
    for (int i = 0; i < 2; i++) {
        if (!joint_slot(k, x->scope, it->value->arg[i], &w[i].joint, &w[i].slot)) {
            diag_error(k->diags, it->value->arg[i]->span, "a gear connects joints with one coordinate, or coordinates such as J.angle");
            return;
        }
        if (!joint_motion(x, &w[i], &q[i], &dq, &length[i]))
            return;
    }
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
    if (!read_where(x, &w) || !joint_motion(x, &w, &q, &dq, &length) || !only(x, length ? "mass" : "inertia", "mass", "inertia", NULL) ||
        !read_scalar(x, length ? "mass" : "inertia", &inertia))
        return;
    VEC_PUSH(k->m->kinetic, ((struct model_term){x->stmt->span, half_square(k->pool, inertia, dq), TERM_STATED}));
    mech_draw_on(k, element_name(x), MBS_SHAPE_ROTOR, MBS_SHAPE_ROTOR, w.joint, w.slot);
}

/* --- friction and contact ------------------------------------------------------------------------------------------ */

/* friction F: on J, moment = M, slip = w0 [, static = Ms, stribeck = ws, damping = d]
 * M tanh(w/w0), with the smooth Stribeck curve M + (Ms - M) exp(-(w/ws)^2) where it is given. */
static void friction(struct reading *x)
{
    struct check *k = x->k;
    struct pool *p = k->pool;
    struct where w;
    Expr q, v, level, high, slip, fall, d;
    bool length;
    if (!read_where(x, &w) || !joint_motion(x, &w, &q, &v, &length) || !only(x, length ? "force" : "moment", "force", "moment", NULL) ||
        !read_scalar(x, length ? "force" : "moment", &level) || !read_scalar(x, "slip", &slip) || !read_scalar(x, "static", &high) ||
        !read_scalar(x, "stribeck", &fall) || !read_scalar(x, "damping", &d))
        return;
    if (!read_value(x, "slip")) {
        const struct model_contact c = {.name = element_name(x), .span = x->stmt->span, .kind = CONTACT_FRICTION, .restitution = p->zero, .friction = level};
        if (read_value(x, "static") || read_value(x, "stribeck") || (read_value(x, "damping") && d != p->zero))
            diag_error(k->diags, x->stmt->span, "friction that truly sticks has no 'static', 'stribeck' or 'damping'; with them give 'slip'");
        else
            contact_add(k, &c, 0, 1, &v, DIM_OF_ANY);
        mech_draw_on(k, element_name(x), MBS_SHAPE_FRICTION, MBS_SHAPE_FRICTION, w.joint, w.slot);
        return;
    }
    if (!read_value(x, "static"))
        high = level;
    if (!read_value(x, "stribeck"))
        fall = slip;
    Expr bell = expr_fn1(p, EXPR_EXP, expr_neg(p, expr_powi(p, expr_div(p, v, fall), 2)));
    Expr size = expr_add(p, level, expr_mul(p, expr_sub(p, high, level), bell));
    Expr f = expr_add(p, expr_mul(p, size, expr_fn1(p, EXPR_TANH, expr_div(p, v, slip))), expr_mul(p, d, v));
    f = expr_neg(p, f);
    apply(k, x->stmt->span, 1, &f, &v);
    tell(x, &w, length, q, v, expr_neg(p, f));
    mech_draw_on(k, element_name(x), MBS_SHAPE_FRICTION, MBS_SHAPE_FRICTION, w.joint, w.slot);
}

/* limit L: on J, lower = a, upper = b, restitution = e */
static void limit(struct reading *x)
{
    struct check *k = x->k;
    struct pool *p = k->pool;
    struct where w;
    Expr q, v, bound[2], e;
    bool length;
    const char *const side[2] = {"lower", "upper"};
    if (!read_where(x, &w) || !joint_motion(x, &w, &q, &v, &length) || !read_scalar(x, "lower", &bound[0]) || !read_scalar(x, "upper", &bound[1]) ||
        !read_scalar(x, "restitution", &e))
        return;
    if (!read_value(x, "lower") && !read_value(x, "upper"))
        diag_error(k->diags, x->stmt->span, "this limit needs 'lower = value' or 'upper = value'");
    for (int i = 0; i < 2; i++)
        if (read_value(x, side[i])) {
            const struct model_contact c = {.name = name_of(&k->c->names, arena_printf(k->arena, "%s.%s", element_name(x), side[i])), .span = x->stmt->span,
                                            .kind = CONTACT_GAP, .restitution = e, .friction = p->zero};
            contact_add(k, &c, i ? expr_sub(p, bound[1], q) : expr_sub(p, q, bound[0]), 0, NULL, dim_of_text(length ? "m" : "rad"));
        }
}

/* rope R: between A and B, length = l, restitution = e */
static void rope(struct reading *x)
{
    struct check *k = x->k;
    struct pool *p = k->pool;
    struct where w;
    Expr l, e;
    if (!read_where(x, &w) || !read_scalar(x, "length", &l) || !read_scalar(x, "restitution", &e))
        return;
    const struct motion *a = &k->mech->body.at[w.a.body].motion, *b = &k->mech->body.at[w.b.body].motion;
    struct vec d = vec_sub(p, motion_point(p, a, w.a.at), motion_point(p, b, w.b.at));
    const struct model_contact c = {.name = element_name(x), .span = x->stmt->span, .kind = CONTACT_GAP, .restitution = e, .friction = p->zero};
    contact_add(k, &c, expr_sub(p, l, expr_sqrt(p, vec_dot(p, d, d))), 0, NULL, dim_of_text("m"));
    mech_draw_between(k, element_name(x), MBS_SHAPE_LINE, &w.a, &w.b);
}

/* Where two bodies touch: the normal from b to a, the gap along it, the relative velocity of what touches. */
struct touching {
    struct vec n, v;
    Expr gap;
};

static struct touching touch_of(struct check *k, const struct where *w, const struct vec *normal, Expr r, Expr r2)
{
    struct pool *p = k->pool;
    struct touching t;
    const struct motion *a = &k->mech->body.at[w->a.body].motion, *b = &k->mech->body.at[w->b.body].motion;
    struct vec at = motion_point(p, a, w->a.at), foot = motion_point(p, b, w->b.at), d = vec_sub(p, at, foot);
    if (normal) {
        t.n = rotation_apply(p, &b->R, *normal);
        t.gap = expr_sub(p, vec_dot(p, d, t.n), r);
    } else {
        Expr distance = expr_hold(p, expr_sqrt(p, vec_dot(p, d, d)));
        t.n = vec_scale(p, expr_div(p, p->one, distance), d);
        t.gap = expr_sub(p, distance, expr_add(p, r, r2));
    }
    struct vec place = vec_sub(p, at, vec_scale(p, r, t.n));
    struct vec wa = rotation_apply(p, &a->R, a->w), wb = rotation_apply(p, &b->R, b->w);
    struct vec va = vec_add(p, rotation_apply(p, &a->R, vec_add(p, a->u, w->a.rate)), vec_cross(p, wa, vec_sub(p, place, a->r)));
    struct vec vb = vec_add(p, rotation_apply(p, &b->R, vec_add(p, b->u, w->b.rate)), vec_cross(p, wb, vec_sub(p, place, b->r)));
    va = vec_add(p, va, vec_cross(p, rotation_apply(p, &a->R, w->a.turn), vec_sub(p, place, at)));
    vb = vec_add(p, vb, vec_cross(p, rotation_apply(p, &b->R, w->b.turn), vec_sub(p, place, foot)));
    t.v = vec_sub(p, va, vb);
    return t;
}

/* Hard bodies: a one-sided constraint with Coulomb friction. */
static void contact_hard(struct reading *x, const struct where *w, const struct touching *t, const struct vec *normal, Expr mu)
{
    struct check *k = x->k;
    struct pool *p = k->pool;
    struct model_contact c = {.name = element_name(x), .span = x->stmt->span, .kind = CONTACT_GAP, .friction = mu};
    if (!read_scalar(x, "restitution", &c.restitution))
        return;
    if (mu == p->zero) {
        contact_add(k, &c, t->gap, 0, NULL, dim_of_text("m"));
    } else if (!k->mech->spatial) {
        struct vec along = {{expr_neg(p, t->n.x[1]), t->n.x[0], p->zero}};
        Expr slide = vec_dot(p, t->v, along);
        contact_add(k, &c, t->gap, 1, &slide, dim_of_text("m"));
    } else if (normal) {        /* along two axes of the plane */
        const struct rotation *R = &k->mech->body.at[w->b.body].motion.R;
        int least = 0;
        for (int i = 1; i < 3; i++)
            if (mech_default(k, expr_powi(p, normal->x[i], 2)) < mech_default(k, expr_powi(p, normal->x[least], 2)))
                least = i;
        struct vec one = vec_cross(p, *normal, vec_unit(p, least));
        one = vec_scale(p, expr_div(p, p->one, expr_sqrt(p, vec_dot(p, one, one))), one);
        Expr slide[2] = {vec_dot(p, t->v, rotation_apply(p, R, one)), vec_dot(p, t->v, rotation_apply(p, R, vec_cross(p, *normal, one)))};
        contact_add(k, &c, t->gap, 2, slide, dim_of_text("m"));
    } else {                    /* the normal turns anywhere: along the axes of space, which are one too many */
        struct vec slide = vec_sub(p, t->v, vec_scale(p, vec_dot(p, t->v, t->n), t->n));
        contact_add(k, &c, t->gap, 3, slide.x, dim_of_text("m"));
    }
}

/* contact C: between K.P and ground @ [0, 0], normal = [0, 1], stiffness = c [, radius = r, exponent = 1, damping = d,
 * friction = mu, slip = v0].  The plane goes through the second place, its normal fixed on that body; the
 * force c s^e (1 + d s') for a penetration s, never pulling (Hunt and Crossley), and mu times that against sliding. */
static void contact(struct reading *x)
{
    struct check *k = x->k;
    struct pool *p = k->pool;
    struct where w;
    struct vec normal;
    Expr c, r, r2, e, d, mu, slip;
    const struct ast_expr *up = read_value(x, "normal");
    if (!read_where(x, &w))
        return;
    bool sliding = read_value(x, "friction") != NULL, hard = !read_value(x, "stiffness"), round = read_value(x, "radius2") != NULL;
    if (up ? round : !round) {
        diag_error(k->diags, x->stmt->span, "this contact needs the normal of the plane, normal = [0, 1], or that both are round, radius2 = r");
        return;
    }
    if ((up && !mech_vector(k, x->scope, up, read_dim(x, "normal"), DEP(SYM_PARAM), "a normal", &normal)) || !read_scalar(x, "stiffness", &c) ||
        !read_scalar(x, "radius", &r) || !read_scalar(x, "radius2", &r2) || !read_scalar(x, "exponent", &e) || !read_scalar(x, "damping", &d) ||
        !read_scalar(x, "friction", &mu) || !read_scalar(x, "slip", &slip))
        return;
    if (sliding && !hard && !read_value(x, "slip")) {
        read_needs(x, "slip");
        return;
    }
    if (!only(x, hard ? "restitution" : "stiffness", "restitution", hard ? "damping" : NULL, hard ? "exponent" : NULL) ||
        (hard && !only(x, "friction", "slip", NULL, NULL)))
        return;
    double length = up ? mech_default(k, vec_dot(p, normal, normal)) : 1;
    if (!(length > 0)) {
        diag_error(k->diags, up->span, "the normal has no length");
        return;
    }
    if (up)
        normal = vec_scale(p, expr_div(p, p->one, expr_sqrt(p, vec_dot(p, normal, normal))), normal);
    struct touching t = touch_of(k, &w, up ? &normal : NULL, r, r2);
    if (up)
        mech_draw_contact(k, element_name(x), &w.a, &w.b, normal, r);
    if (hard) {
        contact_hard(x, &w, &t, up ? &normal : NULL, mu);
        return;
    }
    Expr s = expr_neg(p, t.gap), none = p->zero, vn = vec_dot(p, t.v, t.n);
    Expr depth = expr_fn2(p, EXPR_MAX, s, none);
    Expr press = expr_product(p, 3, (Expr[]){c, expr_pow(p, depth, e), expr_sub(p, p->one, expr_mul(p, d, vn))});
    Expr touching = expr_fn2(p, EXPR_LT, none, s);
    Expr N = expr_if(p, touching, expr_fn2(p, EXPR_MAX, press, none), none);
    struct vec F = vec_scale(p, N, t.n);
    if (sliding) {
        struct vec vt = vec_sub(p, t.v, vec_scale(p, vn, t.n));
        Expr size = expr_sqrt(p, expr_add(p, vec_dot(p, vt, vt), expr_powi(p, slip, 2)));
        F = vec_sub(p, F, vec_scale(p, expr_div(p, expr_mul(p, mu, N), size), vt));
    }
    apply(k, x->stmt->span, 3, F.x, t.v.x);
    mech_tells(k, element_name(x), "depth", depth, mech_dim(k, 1, 0, 0));
    mech_tells(k, element_name(x), "force", N, mech_dim(k, 1, 1, -2));
    mech_tells_vector(k, element_name(x), "vector", F, mech_dim(k, 1, 1, -2));
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
