/* SPDX-License-Identifier: GPL-3.0-or-later
 * The motion of a mechanism in expressions: K.P, K.omega, J.angle. */
#include "model/mechanism.h"

#include <string.h>

static struct value vector_value(struct check *k, struct span span, struct vec v, struct dim dim)
{
    int n = k->mech->spatial ? 3 : 2;
    struct value x = value_new(k, span, 1, n, 1);
    for (int i = 0; x.at && i < n; i++)
        x.at[i] = (struct scalar){v.x[i], dim};
    return x;
}

static struct value rotation_value(struct check *k, struct span span, const struct rotation *r)
{
    struct mat R = rotation_to_matrix(k->pool, r);
    int n = k->mech->spatial ? 3 : 2;
    struct value v = value_new(k, span, 2, n, n);
    for (int i = 0; v.at && i < n * n; i++)
        v.at[i] = (struct scalar){R.m[i / n][i % n], mech_dim(k, 0, 0, 0)};
    return v;
}

static bool is_moving(struct check *k, struct span span)
{
    if (!k->mech->moving)
        diag_error(k->diags, span, "the motion of bodies is not known here: it depends on this");
    return k->mech->moving;
}

/* Angle i of the rotation R = X(q0) Y(q1) Z(q2) from b's axes to a's or, with `back`, of R = Z(q2) Y(q1) X(q0), whose transpose is the
 * first with other signs. */
static Expr bend_measured(struct pool *p, const struct rotation *a, const struct rotation *b, int i, bool back)
{
    struct mat A = rotation_to_matrix(p, a), B = rotation_to_matrix(p, b);
    Expr sign = back ? p->one : p->minus_one;
#define R(x, y) vec_dot(p, mat_column(&A, back ? y : x), mat_column(&B, back ? x : y))
    if (i == 1)
        return expr_neg(p, expr_mul(p, sign, expr_fn1(p, EXPR_ASIN, R(0, 2))));
    return i ? expr_fn2(p, EXPR_ATAN2, expr_mul(p, sign, R(0, 1)), R(0, 0)) : expr_fn2(p, EXPR_ATAN2, expr_mul(p, sign, R(1, 2)), R(2, 2));
#undef R
}

Expr mech_joint_value(struct check *k, const struct mech_joint *j, int i)
{
    struct mechanism *m = k->mech;
    struct pool *p = k->pool;
    if (j->coord >= 0)
        return j->q[i];
    const struct motion *a = &m->body.at[j->a.body].motion, *b = &m->body.at[j->b.body].motion;
    const char *part = joint_coord_part(j, i);
    if (!m->spatial && !strcmp(part, "angle"))
        return expr_sub(p, expr_add(p, b->R.angle, j->b.frame.angle), expr_add(p, a->R.angle, j->a.frame.angle));
    if (!strcmp(part, "distance")) {
        struct vec d = vec_sub(p, motion_point(p, b, j->b.at), motion_point(p, a, j->a.at));
        return vec_dot(p, d, rotation_apply(p, &a->R, rotation_apply(p, &j->a.frame, j->axis)));
    }
    for (int back = 0; back < 2; back++)
        if (j->kind == joint_kind_bend(back))
            return bend_measured(p, &a->R, &b->R, i, back);
    return 0;
}

struct value mech_coordinate(struct check *k, struct span span, int joint, int i)
{
    const struct mech_joint *j = &k->mech->joint.at[joint];
    if (!is_moving(k, span))
        return VALUE_NONE;
    Expr e = mech_joint_value(k, j, i);
    if (!e) {
        diag_error(k->diags, span, "'%s' of the joint '%s' is not available: the joint brings constraints, not coordinates",
                   joint_coord_part(j, i), j->name);
        return VALUE_NONE;
    }
    return value_scalar(k, e, joint_coord_dim(k, j, i));
}

void mech_tells(struct check *k, const char *owner, const char *part, Expr value, struct dim dim)
{
    VEC_PUSH(k->mech->quantity, ((struct mech_quantity){owner, part, 1, {{value, k->pool->zero, k->pool->zero}}, dim, false, false}));
}

void mech_tells_effort(struct check *k, const char *owner, const char *part, Expr factor, struct dim dim)
{
    VEC_PUSH(k->mech->quantity, ((struct mech_quantity){owner, part, 1, {{factor, k->pool->zero, k->pool->zero}}, dim, true, false}));
}

void mech_tells_power(struct check *k, const char *owner, Expr value, bool effort)
{
    struct mech_quantity q = {owner, "power", 1, {{value, k->pool->zero, k->pool->zero}}, mech_dim(k, 2, 1, -3), effort, false};
    VEC_PUSH(k->mech->quantity, q);
    q.part = "work";
    q.dim = mech_dim(k, 2, 1, -2);
    q.work = true;
    VEC_PUSH(k->mech->quantity, q);
}

void mech_tells_vector(struct check *k, const char *owner, const char *part, struct vec value, struct dim dim)
{
    VEC_PUSH(k->mech->quantity, ((struct mech_quantity){owner, part, 3, value, dim, false, false}));
}

static Expr quantity_value(struct check *k, struct span span, const struct mech_quantity *q)
{
    return q->effort ? mech_row_effort(k, span, q->owner, q->value.x[0]) : q->value.x[0];
}

/* The work of an element since the start: W' = its power, one state however often it is asked for. */
static Expr work_done(struct check *k, struct span span, const struct mech_quantity *q)
{
    const char *name = name_of(&k->c->names, arena_printf(k->arena, "%s.work", q->owner));
    for (int i = 0; i < k->m->state.n; i++)
        if (k->m->state.at[i].name == name)
            return k->m->state.at[i].sym;
    return state_add(k, name, q->dim, span, quantity_value(k, span, q));
}

void mech_told(struct check *k)
{
    for (int i = 0; i < k->mech->quantity.n; i++) {
        const struct mech_quantity *q = &k->mech->quantity.at[i];
        VEC_PUSH(k->m->told, ((struct model_told){q->owner, q->part, dim_unit(q->dim, k->arena)}));
    }
}

/* A quantity of an element; *is: there is such an element, known here, and a fault is reported. */
static struct value element_member(struct check *k, struct scope *s, const struct ast_expr *e, const char *owner, bool *is)
{
    const char *inside = full_name(k, s, owner), *list = "";
    struct suggestion near;
    suggest_init(&near, e->text);
    *is = false;
    for (int i = 0; i < k->mech->quantity.n; i++) {
        const struct mech_quantity *q = &k->mech->quantity.at[i];
        if (q->owner != inside && q->owner != owner)
            continue;
        *is = true;
        if (!strcmp(q->part, e->text) && q->work)
            return value_scalar(k, work_done(k, e->span, q), q->dim);
        if (!strcmp(q->part, e->text))
            return q->n == 1 ? value_scalar(k, quantity_value(k, e->span, q), q->dim) : vector_value(k, e->span, q->value, q->dim);
        suggest_offer(&near, q->part);
        list = arena_printf(k->arena, "%s%s%s", list, *list ? ", " : "", q->part);
    }
    if (*is)
        diag_error(k->diags, e->at, "'%s' has no '%s'%s; it has %s", owner, e->text, suggest_text(&near, k->arena), list);
    return VALUE_NONE;
}

/* What bodies have beside their points, where, and whether a flexible one has it: of that no single number tells where its mass is. */
static const struct body_quantity { const char *name; bool plane, space, flexible; } body_quantity[] = {
    {"x", true, true, false}, {"y", true, true, false}, {"z", false, true, false}, {"com", true, true, false}, {"origin", true, true, true},
    {"angle", true, false, true}, {"rotation", true, true, true}, {"omega", true, true, true}, {"omega_body", false, true, true},
    {"mass", true, true, false}, {"momentum", true, true, false}, {"angular_momentum", true, true, false}, {"inertia", true, true, false},
};

const char *mech_body_quantity(int i)
{
    return i < (int)(sizeof body_quantity / sizeof *body_quantity) ? body_quantity[i].name : NULL;
}

static bool is_flexible(const struct mech_body *b)
{
    return b->beam || b->rod;
}

/* The names of what `b` has, offered as suggestions and listed. */
static const char *body_quantities(const struct check *k, const struct mech_body *b, struct suggestion *near)
{
    const char *list = "";
    for (int i = 0; mech_body_quantity(i); i++) {
        const struct body_quantity *q = &body_quantity[i];
        if (!(k->mech->spatial ? q->space : q->plane) || (is_flexible(b) && !q->flexible))
            continue;
        suggest_offer(near, q->name);
        list = arena_printf(k->arena, "%s%s%s", list, *list ? ", " : "", q->name);
    }
    return list;
}

const char *mech_joint_quantity(int i)
{
    return i == 0 ? "reaction" : i == 1 ? "moment" : NULL;
}

/* The motion that a point of a body takes part in. */
static const struct motion *carrier(const struct check *k, const struct mech_body *b, const struct mech_point *pt)
{
    return pt->on ? &k->mech->body.at[pt->on].motion : &b->motion;
}

/* About the origin of space, in its axes: r x m v + R J w. */
static struct vec angular_momentum(struct pool *p, const struct mech_body *b)
{
    struct vec p_c = vec_scale(p, b->mass, motion_velocity_space(p, &b->motion, b->com));
    struct vec spin = rotation_apply(p, &b->motion.R, mat_apply(p, &b->inertia, b->motion.w));
    return vec_add(p, vec_cross(p, motion_point(p, &b->motion, b->com), p_c), spin);
}

static struct value moment_value(struct check *k, struct span span, struct vec v, struct dim dim)
{
    return k->mech->spatial ? vector_value(k, span, v, dim) : value_scalar(k, v.x[2], dim);
}

static const char all_bodies[] = "all";

/* all.mass, all.com, all.momentum, all.angular_momentum: of all bodies together. */
static struct value all_member(struct check *k, const struct ast_expr *e)
{
    static const char *const known[] = {"mass", "com", "momentum", "angular_momentum"};
    struct pool *p = k->pool;
    struct vec first = vec_zero(p), P = first, L = first;
    Expr mass = p->zero;
    for (int i = 1; i < k->mech->body.n; i++) {
        const struct mech_body *b = &k->mech->body.at[i];
        if (b->beam) {
            diag_error(k->diags, e->span, "'%s' bends: no single number tells where its mass is", b->name);
            return VALUE_NONE;
        }
        mass = expr_add(p, mass, b->mass);
        first = vec_add(p, first, vec_scale(p, b->mass, motion_point(p, &b->motion, b->com)));
        P = vec_add(p, P, vec_scale(p, b->mass, motion_velocity_space(p, &b->motion, b->com)));
        L = vec_add(p, L, angular_momentum(p, b));
    }
    if (!strcmp(e->text, known[0]))
        return value_scalar(k, mass, mech_dim(k, 0, 1, 0));
    if (!strcmp(e->text, known[1]))
        return vector_value(k, e->span, vec_scale(p, expr_powi(p, mass, -1), first), mech_dim(k, 1, 0, 0));
    if (!strcmp(e->text, known[2]))
        return vector_value(k, e->span, P, mech_dim(k, 1, 1, -1));
    if (!strcmp(e->text, known[3]))
        return moment_value(k, e->span, L, mech_dim(k, 2, 1, -1));
    struct suggestion near;
    suggest_init(&near, e->text);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        suggest_offer(&near, known[i]);
    diag_error(k->diags, e->at, "all bodies together have no '%s'%s", e->text, suggest_text(&near, k->arena));
    return VALUE_NONE;
}

static struct value body_member(struct check *k, const struct ast_expr *e, const struct mech_body *b)
{
    struct pool *p = k->pool;
    const struct motion *x = &b->motion;
    const char *t = e->text;
    struct dim metre = mech_dim(k, 1, 0, 0), rate = dim_div(dim_of_angle(k), mech_dim(k, 0, 0, 1));
    struct suggestion near;
    suggest_init(&near, t);
    for (int i = 0; i < b->point.n; i++) {
        if (b->point.at[i].name == t)
            return vector_value(k, e->span, motion_point(p, carrier(k, b, &b->point.at[i]), b->point.at[i].at), metre);
        suggest_offer(&near, b->point.at[i].name);
    }
    bool flexible = is_flexible(b);
    if (!strcmp(t, "com") && !flexible)
        return vector_value(k, e->span, motion_point(p, x, b->com), metre);
    if (!strcmp(t, "origin"))
        return vector_value(k, e->span, x->r, metre);
    if (!strcmp(t, "omega") && k->mech->spatial)
        return vector_value(k, e->span, rotation_apply(p, &x->R, x->w), rate);
    if (!strcmp(t, "omega_body") && k->mech->spatial)
        return vector_value(k, e->span, x->w, rate);
    if (!strcmp(t, "omega"))
        return value_scalar(k, x->w.x[2], rate);
    if (!strcmp(t, "angle") && !k->mech->spatial)
        return value_scalar(k, x->R.angle, dim_of_angle(k));
    if (!flexible && strlen(t) == 1 && t[0] >= 'x' && t[0] <= (k->mech->spatial ? 'z' : 'y'))
        return value_scalar(k, motion_point(p, x, b->com).x[t[0] - 'x'], metre);
    if (!strcmp(t, "rotation"))
        return rotation_value(k, e->span, &x->R);
    if (!strcmp(t, "mass") && !flexible)
        return value_scalar(k, b->mass, mech_dim(k, 0, 1, 0));
    if (!strcmp(t, "momentum") && !flexible)
        return vector_value(k, e->span, vec_scale(p, b->mass, motion_velocity_space(p, x, b->com)), mech_dim(k, 1, 1, -1));
    if (!strcmp(t, "angular_momentum") && !flexible)
        return moment_value(k, e->span, angular_momentum(p, b), mech_dim(k, 2, 1, -1));
    if (!strcmp(t, "inertia") && !flexible) {
        int n = k->mech->spatial ? 3 : 1;
        struct value v = k->mech->spatial ? value_new(k, e->span, 2, 3, 3) : value_scalar(k, b->inertia.m[2][2], mech_dim(k, 2, 1, 0));
        for (int i = 0; v.at && n == 3 && i < 9; i++)
            v.at[i] = (struct scalar){b->inertia.m[i / 3][i % 3], mech_dim(k, 2, 1, 0)};
        return v;
    }
    const char *list = body_quantities(k, b, &near);
    diag_error(k->diags, e->at, "the body '%s' has no '%s'%s; besides its points it has %s", b->name, t, suggest_text(&near, k->arena), list);
    return VALUE_NONE;
}

/* The frame or point that e names, as K.F; NULL if it names none. */
static const struct mech_point *frame_seen(struct check *k, struct scope *s, const struct ast_expr *e, const struct mech_body **b)
{
    const char *owner = e->kind == AST_MEMBER ? eval_name(k, s, e->arg[0]) : NULL;
    int body = owner ? mech_body_seen(k, s, owner) : -1;
    for (int i = 0; body >= 0 && i < k->mech->body.at[body].point.n; i++)
        if (k->mech->body.at[body].point.at[i].name == e->text) {
            *b = &k->mech->body.at[body];
            return &(*b)->point.at[i];
        }
    return NULL;
}

struct value mech_member(struct check *k, struct scope *s, const struct ast_expr *e)
{
    const char *whole = eval_name(k, s, e), *owner = eval_name(k, s, e->arg[0]);
    if (!whole || !owner)
        return VALUE_NONE;
    for (int i = 0; i < k->m->coord.n; i++)     /* coordinates and what a component declares have dotted names */
        if (k->m->coord.at[i].name == whole)
            return value_scalar(k, k->m->coord.at[i].q, k->coords.at[i].dim);
    struct entry *inside = entry_find(k, s, e);
    if (inside)
        return eval_entry(k, inside, e->span);
    int b = mech_body_seen(k, s, owner), j = mech_joint_seen(k, s, owner);
    if (b >= 0)
        return is_moving(k, e->span) ? body_member(k, e, &k->mech->body.at[b]) : VALUE_NONE;
    const struct mech_body *on = NULL;
    const struct mech_point *frame = j < 0 && !strcmp(e->text, "rotation") ? frame_seen(k, s, e->arg[0], &on) : NULL;
    if (frame && is_moving(k, e->span)) {
        struct rotation turned = rotation_mul(k->pool, &carrier(k, on, frame)->R, &frame->frame);
        return rotation_value(k, e->span, &turned);
    }
    if (frame)
        return VALUE_NONE;
    if (j < 0 && e->arg[0]->kind == AST_NAME && scope_find(s, owner)) {
        diag_error(k->diags, e->span, "'%s' has no parts", owner);
        return VALUE_NONE;
    }
    if (j < 0 && k->mech->body.n && !strcmp(owner, all_bodies) && !mech_find_part(k, owner))
        return is_moving(k, e->span) ? all_member(k, e) : VALUE_NONE;
    bool element = false;
    struct value told = j < 0 ? element_member(k, s, e, owner, &element) : VALUE_NONE;
    if (element)
        return told;
    if (j < 0) {
        struct suggestion near;
        suggest_init(&near, owner);
        for (int i = 0; i < k->mech->named.n; i++)
            suggest_offer(&near, k->mech->named.at[i].name);
        diag_error(k->diags, e->arg[0]->span, "'%s' is no body, joint or component%s", ast_show(k->arena, e->arg[0]), suggest_text(&near, k->arena));
        return VALUE_NONE;
    }
    const struct mech_joint *joint = &k->mech->joint.at[j];
    struct suggestion near;
    suggest_init(&near, e->text);
    for (int i = 0; i < joint_coords(joint); i++) {
        if (!strcmp(joint_coord_part(joint, i), e->text))
            return mech_coordinate(k, e->span, j, i);
        suggest_offer(&near, joint_coord_part(joint, i));
    }
    for (int moment = 0; moment < 2; moment++) {
        const char *part = mech_joint_quantity(moment);
        if (!strcmp(e->text, part))
            return is_moving(k, e->span) ? mech_reaction(k, e->span, j, moment) : VALUE_NONE;
        suggest_offer(&near, part);
    }
    diag_error(k->diags, e->at, "the %s joint '%s' has no '%s'%s", joint->kind->name, joint->name, e->text, suggest_text(&near, k->arena));
    return VALUE_NONE;
}

struct value mech_place(struct check *k, struct scope *s, const struct ast_expr *e)
{
    struct mech_end end;
    if (!k->mech->body.n) {
        diag_error(k->diags, e->span, "a place on a body (K @ [x, y]), but there are no bodies");
        return VALUE_NONE;
    }
    if (!is_moving(k, e->span) || !mech_end_read(k, s, e, &end))
        return VALUE_NONE;
    return vector_value(k, e->span, motion_point(k->pool, &k->mech->body.at[end.body].motion, end.at), mech_dim(k, 1, 0, 0));
}

bool mech_no_value(struct check *k, struct scope *s, const struct ast_expr *e)
{
    if (mech_body_seen(k, s, e->text) >= 0)
        diag_error(k->diags, e->at, "'%s' is a body and no value; its place is %s.origin, its points are %s.NAME", e->text, e->text, e->text);
    else if (mech_joint_seen(k, s, e->text) >= 0)
        diag_error(k->diags, e->at, "'%s' is a joint and no value; its coordinates are, such as %s.angle", e->text, e->text);
    else
        return false;
    return true;
}
