/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Friction, limits, ropes and contact: force laws, and what truly sticks and hits, lowered to one-sided constraints. */
#include "model/element.h"

#include "mbs/model.h"

#include <string.h>

/* friction F: on J, coefficient = mu, radius = r [, slip = w0]: mu r times the force that the joint transmits across its axis, which is known once the
 * constraints have multipliers (mech_seat.c). */
static void friction_by_reaction(struct reading *x, const struct where *w, Expr v, bool length)
{
    static const char *const none[] = {"force", "moment", "static", "stribeck", "damping"};
    struct check *k = x->k;
    struct pool *p = k->pool;
    struct mech_seat r = {.contact = k->m->contact.n, .joint = w->joint, .arm = p->one, .name = element_name(x), .span = x->stmt->span};
    Expr slip;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (read_value(x, none[i])) {
            diag_error(k->diags, mech_item(x->stmt, none[i])->span, "friction with a 'coefficient' has no '%s'; the force in the joint presses", none[i]);
            return;
        }
    if (length && read_value(x, "radius")) {
        diag_error(k->diags, mech_item(x->stmt, "radius")->span, "a joint that slides has no 'radius' of its pin");
        return;
    }
    if (!read_scalar(x, "coefficient", &r.coefficient) || (!length && !read_scalar(x, "radius", &r.arm)) || !read_scalar(x, "slip", &slip))
        return;
    const struct model_contact c = {.name = r.name, .span = x->stmt->span, .kind = CONTACT_FRICTION, .restitution = read_value(x, "slip") ? slip : p->zero,
                                    .friction = p->zero, .reacts = true};
    contact_add(k, &c, 0, 1, &v, DIM_OF_ANY);
    mech_draw_spot_on(k, r.name, w->joint);
    VEC_PUSH(k->mech->seat, r);
    mech_draw_on(k, element_name(x), MBS_SHAPE_FRICTION, MBS_SHAPE_FRICTION, w->joint, w->slot);
}

/* friction F: on J, moment = M, slip = w0 [, static = Ms, stribeck = ws, damping = d]
 * M tanh(w/w0), with the smooth Stribeck curve M + (Ms - M) exp(-(w/ws)^2) where it is given. */
void mech_friction(struct reading *x)
{
    struct check *k = x->k;
    struct pool *p = k->pool;
    struct where w;
    Expr q, v, level, high, slip, fall, d;
    bool length;
    if (!element_where(x, &w) || !element_rate(x, &w, &q, &v, &length))
        return;
    if (read_value(x, "coefficient")) {
        friction_by_reaction(x, &w, v, length);
        return;
    }
    if (!element_only(x, length ? "force" : "moment", "force", "moment", "radius") || !read_scalar(x, length ? "force" : "moment", &level) ||
        !read_scalar(x, "slip", &slip) || !read_scalar(x, "static", &high) ||
        !read_scalar(x, "stribeck", &fall) || !read_scalar(x, "damping", &d))
        return;
    if (!read_value(x, "slip")) {
        const struct model_contact c = {.name = element_name(x), .span = x->stmt->span, .kind = CONTACT_FRICTION, .restitution = p->zero, .friction = level};
        if (read_value(x, "static") || read_value(x, "stribeck") || (read_value(x, "damping") && d != p->zero))
            diag_error(k->diags, x->stmt->span, "friction that truly sticks has no 'static', 'stribeck' or 'damping'; with them give 'slip'");
        else
            contact_add(k, &c, 0, 1, &v, DIM_OF_ANY);
        mech_draw_spot_on(k, c.name, w.joint);
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
    element_apply(k, x->stmt->span, 1, &f, &v);
    element_tell(x, &w, length, q, v, expr_neg(p, f));
    mech_draw_on(k, element_name(x), MBS_SHAPE_FRICTION, MBS_SHAPE_FRICTION, w.joint, w.slot);
}

/* limit L: on J, lower = a, upper = b, restitution = e */
void mech_limit(struct reading *x)
{
    struct check *k = x->k;
    struct pool *p = k->pool;
    struct where w;
    Expr q, v, bound[2], e;
    bool length, poisson;
    const char *const side[2] = {"lower", "upper"};
    if (!element_where(x, &w) || !element_motion(x, &w, &q, &v, &length) || !read_scalar(x, "lower", &bound[0]) || !read_scalar(x, "upper", &bound[1]) ||
        !read_scalar(x, "restitution", &e) || !read_law(x, &poisson))
        return;
    if (!read_value(x, "lower") && !read_value(x, "upper"))
        diag_error(k->diags, x->stmt->span, "this limit needs 'lower = value' or 'upper = value'");
    for (int i = 0; i < 2; i++)
        if (read_value(x, side[i])) {
            const struct model_contact c = {.name = name_of(&k->c->names, arena_printf(k->arena, "%s.%s", element_name(x), side[i])), .span = x->stmt->span,
                                            .kind = CONTACT_GAP, .restitution = e, .friction = p->zero, .poisson = poisson};
            contact_add(k, &c, i ? expr_sub(p, bound[1], q) : expr_sub(p, q, bound[0]), 0, NULL, dim_of_text(length ? "m" : "rad"));
            mech_draw_spot_on(k, c.name, w.joint);
        }
    mech_draw_on(k, element_name(x), MBS_SHAPE_LIMIT, MBS_SHAPE_LIMIT, w.joint, w.slot);
}

/* rope R: between A and B, length = l, restitution = e */
void mech_rope(struct reading *x)
{
    struct check *k = x->k;
    struct pool *p = k->pool;
    struct where w;
    Expr l, e;
    bool poisson;
    if (!element_where(x, &w) || !read_scalar(x, "length", &l) || !read_scalar(x, "restitution", &e) || !read_law(x, &poisson) || !element_has_line(x, &w))
        return;
    const struct motion *a = &k->mech->body.at[w.a.body].motion, *b = &k->mech->body.at[w.b.body].motion;
    struct vec d = vec_sub(p, motion_point(p, a, w.a.at), motion_point(p, b, w.b.at));
    const struct model_contact c = {.name = element_name(x), .span = x->stmt->span, .kind = CONTACT_GAP, .restitution = e, .friction = p->zero,
                                    .poisson = poisson};
    contact_add(k, &c, expr_sub(p, l, expr_sqrt(p, vec_dot(p, d, d))), 0, NULL, dim_of_text("m"));
    mech_draw_between(k, element_name(x), MBS_SHAPE_LINE, &w.a, &w.b);
    mech_draw_spot(k, c.name, w.a.body, motion_point(p, a, w.a.at));
}

/* Where two bodies touch: the normal from b to a, the gap along it, the relative velocity of what touches. */
struct touching {
    struct vec n, v, place;
    Expr gap;
};

/* The velocity of the matter of a body at a place in space, of the end's frame on a flexible one. */
static struct vec matter(struct pool *p, const struct motion *m, const struct mech_end *end, struct vec place)
{
    struct vec turn = rotation_apply(p, &m->R, m->w), more = rotation_apply(p, &m->R, end->turn);
    struct vec v = vec_add(p, rotation_apply(p, &m->R, vec_add(p, m->u, end->rate)), vec_cross(p, turn, vec_sub(p, place, m->r)));
    return vec_add(p, v, vec_cross(p, more, vec_sub(p, place, motion_point(p, m, end->at))));
}

/* What touches on the second body: a plane, a ball (also a point), a box, or a capsule. */
struct target {
    enum { TO_PLANE, TO_BALL, TO_BOX, TO_CAPSULE } kind;
    struct vec normal;          /* of a plane; the axis of a capsule: in the axes of the body */
    Expr radius;                /* of a ball or capsule */
    Expr half[3];               /* of a box; of a capsule half[0]: from its middle to the centres of its ends */
    int sides;                  /* of a box: 2 or 3 */
};

/* From the nearest point of a box to a point d from its middle, in the box's axes: the unit vector, and the distance, negative inside. */
static Expr from_box(struct check *k, const struct target *to, struct vec d, struct vec *n)
{
    struct pool *p = k->pool;
    Expr beyond[3], out = 0, deep = 0, square[3], outside;
    struct vec along = vec_zero(p), across = vec_zero(p);
    for (int i = 0; i < to->sides; i++) {
        beyond[i] = expr_hold(p, expr_sub(p, expr_fn1(p, EXPR_ABS, d.x[i]), to->half[i]));
        square[i] = expr_powi(p, expr_fn2(p, EXPR_MAX, beyond[i], p->zero), 2);
        deep = deep ? expr_fn2(p, EXPR_MAX, deep, beyond[i]) : beyond[i];
    }
    deep = expr_hold(p, deep);
    outside = expr_fn2(p, EXPR_LT, p->zero, deep);
    out = expr_hold(p, expr_sqrt(p, expr_if(p, outside, expr_sum(p, to->sides, square), p->one)));
    for (int i = 0; i < to->sides; i++) {
        Expr sign = expr_fn1(p, EXPR_SIGN, d.x[i]), nearest = expr_fn2(p, EXPR_LE, deep, beyond[i]);
        across.x[i] = expr_div(p, expr_mul(p, sign, expr_fn2(p, EXPR_MAX, beyond[i], p->zero)), out);
        along.x[i] = expr_if(p, nearest, sign, p->zero);
        n->x[i] = expr_if(p, outside, across.x[i], along.x[i]);
    }
    return expr_if(p, outside, out, deep);
}

/* A ball of radius r about end a against the target on body b. */
static struct touching touch_of(struct check *k, const struct where *w, const struct target *to, Expr r)
{
    struct pool *p = k->pool;
    struct touching t;
    const struct motion *a = &k->mech->body.at[w->a.body].motion, *b = &k->mech->body.at[w->b.body].motion;
    struct vec at = motion_point(p, a, w->a.at), foot = motion_point(p, b, w->b.at), d = vec_sub(p, at, foot);
    if (to->kind == TO_PLANE) {
        t.n = rotation_apply(p, &b->R, to->normal);
        t.gap = expr_sub(p, vec_dot(p, d, t.n), r);
    } else if (to->kind == TO_BOX) {
        struct vec n = vec_zero(p);
        t.gap = expr_sub(p, from_box(k, to, rotation_apply_back(p, &b->R, d), &n), r);
        t.n = rotation_apply(p, &b->R, n);
    } else {
        if (to->kind == TO_CAPSULE) {   /* from the nearest point of its axis */
            struct vec axis = rotation_apply(p, &b->R, to->normal);
            Expr least = expr_neg(p, to->half[0]), along = expr_fn2(p, EXPR_MIN, vec_dot(p, d, axis), to->half[0]);
            Expr s = expr_fn2(p, EXPR_MAX, along, least);
            d = vec_sub(p, d, vec_scale(p, expr_hold(p, s), axis));
        }
        Expr distance = expr_hold(p, expr_sqrt(p, vec_dot(p, d, d)));
        t.n = vec_scale(p, expr_div(p, p->one, distance), d);
        t.gap = expr_sub(p, distance, expr_add(p, r, to->radius));
    }
    t.place = vec_sub(p, at, vec_scale(p, r, t.n));
    t.v = vec_sub(p, matter(p, a, &w->a, t.place), matter(p, b, &w->b, t.place));
    return t;
}

/* The rim of a thin disc about end a, with its axis in the body's axes: the lowest point touches a plane. */
static struct touching touch_rim(struct check *k, const struct where *w, const struct target *to, struct vec axis, Expr radius)
{
    struct pool *p = k->pool;
    struct touching t;
    const struct motion *a = &k->mech->body.at[w->a.body].motion, *b = &k->mech->body.at[w->b.body].motion;
    t.n = rotation_apply(p, &b->R, to->normal);
    axis = rotation_apply(p, &a->R, axis);
    struct vec up = vec_sub(p, t.n, vec_scale(p, vec_dot(p, t.n, axis), axis));
    up = vec_scale(p, expr_div(p, radius, expr_sqrt(p, vec_dot(p, up, up))), up);
    t.place = vec_sub(p, motion_point(p, a, w->a.at), up);
    t.gap = vec_dot(p, vec_sub(p, t.place, motion_point(p, b, w->b.at)), t.n);
    t.v = vec_sub(p, matter(p, a, &w->a, t.place), matter(p, b, &w->b, t.place));
    return t;
}

/* The law of a contact, once for all its places. */
struct contact_law {
    bool hard, sliding;
    const struct vec *normal;   /* of the plane; NULL: there is none */
    Expr mu, stiffness, exponent, damping, slip;
};

/* Hard bodies: a one-sided constraint with Coulomb friction. */
static void contact_hard(struct reading *x, const char *name, const struct where *w, const struct touching *t, const struct contact_law *law)
{
    const struct vec *normal = law->normal;
    Expr mu = law->mu;
    struct check *k = x->k;
    struct pool *p = k->pool;
    struct model_contact c = {.name = name_of(&k->c->names, name), .span = x->stmt->span, .kind = CONTACT_GAP, .friction = mu};
    if (!read_scalar(x, "restitution", &c.restitution) || !read_law(x, &c.poisson))
        return;
    mech_draw_spot(k, c.name, w->a.body, t->place);
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

/* Soft ones: c s^e (1 + d s') for a penetration s, never pulling (Hunt and Crossley), and mu times that against sliding. */
static void contact_soft(struct reading *x, const char *name, const struct touching *t, const struct contact_law *law)
{
    struct check *k = x->k;
    struct pool *p = k->pool;
    Expr s = expr_neg(p, t->gap), none = p->zero, vn = vec_dot(p, t->v, t->n);
    Expr depth = expr_fn2(p, EXPR_MAX, s, none);
    Expr press = expr_product(p, 3, (Expr[]){law->stiffness, expr_pow(p, depth, law->exponent), expr_sub(p, p->one, expr_mul(p, law->damping, vn))});
    Expr touching = expr_fn2(p, EXPR_LT, none, s);
    Expr N = expr_if(p, touching, expr_fn2(p, EXPR_MAX, press, none), none);
    struct vec F = vec_scale(p, N, t->n);
    if (law->sliding) {
        struct vec vt = vec_sub(p, t->v, vec_scale(p, vn, t->n));
        Expr size = expr_sqrt(p, expr_add(p, vec_dot(p, vt, vt), expr_powi(p, law->slip, 2)));
        F = vec_sub(p, F, vec_scale(p, expr_div(p, expr_mul(p, law->mu, N), size), vt));
    }
    element_apply(k, x->stmt->span, 3, F.x, t->v.x);
    mech_tells(k, name, "depth", depth, mech_dim(k, 1, 0, 0));
    mech_tells(k, name, "force", N, mech_dim(k, 1, 1, -2));
    mech_tells_vector(k, name, "vector", F, mech_dim(k, 1, 1, -2));
}

static void contact_place(struct reading *x, const char *name, const struct where *w, const struct touching *t, const struct contact_law *law)
{
    if (law->hard)
        contact_hard(x, name, w, t, law);
    else
        contact_soft(x, name, t, law);
}

/* --- bodies among others ----------------------------------------------------------------------------------------- */

static int pose_find(struct check *k, const char *name)
{
    for (int i = 0; i < k->m->contact.n; i++)
        if (k->m->contact.at[i].kind == CONTACT_BODY && k->m->contact.at[i].name == name)
            return i;
    return -1;
}

/* Place and motion of what stands at `at` on a body: the first rows of its pose. */
static int pose_motion(struct check *k, const struct mech_body *b, struct vec at, struct pose_row *row)
{
    struct pool *p = k->pool;
    struct vec r = motion_point(p, &b->motion, at), w = rotation_apply(p, &b->motion.R, b->motion.w);
    static const char *const place[] = {"x", "y", "z"}, *const turn[] = {"wx", "wy", "wz"};
    int n = 0;
    for (int i = 0; i < (k->mech->spatial ? 3 : 2); i++)
        row[n++] = (struct pose_row){place[i], "m", true, r.x[i]};
    for (int i = 0; k->mech->spatial && i < 3; i++)
        row[n++] = (struct pose_row){turn[i], "rad/s", false, w.x[i]};
    if (!k->mech->spatial)
        row[n++] = (struct pose_row){"angle", "rad", true, b->motion.R.axis < 0 ? p->zero : b->motion.R.angle};
    return n;
}

static bool pose_body(struct reading *x, struct mech_body *b, Expr restitution, Expr mu)
{
    struct check *k = x->k;
    const struct mech_looks *l = &b->looks;
    struct pose_row row[12] = {{0}};
    struct model_contact c = {.name = name_of(&k->c->names, b->name), .span = b->span, .kind = CONTACT_BODY, .restitution = restitution, .friction = mu};
    int n = pose_motion(k, b, b->com, row);
    static const char *const axis[] = {"ax", "ay", "az"};
    switch (l->kind) {
    case MBS_SHAPE_CIRCLE:
    case MBS_SHAPE_SPHERE:
        c.solid = MBS_SOLID_BALL;
        row[n++] = (struct pose_row){"radius", "m", true, l->half[0]};
        break;
    case MBS_SHAPE_CAPSULE: {
        struct vec a = rotation_apply(k->pool, &b->motion.R, vec_unit(k->pool, l->axis[2]));
        c.solid = MBS_SOLID_CAPSULE;
        for (int i = 0; i < 3; i++)
            row[n++] = (struct pose_row){axis[i], "", true, a.x[i]};
        row[n++] = (struct pose_row){"half", "m", true, l->half[2]};
        row[n++] = (struct pose_row){"radius", "m", true, l->half[0]};
        break;
    }
    default:
        if (!l->plane_box) {
            diag_error(k->diags, b->span, "'%s' cannot touch all others: in space spheres and capsules can, in a plane discs and boxes", b->name);
            return false;
        }
        c.solid = MBS_SOLID_BOX;
        row[n++] = (struct pose_row){"halfx", "m", true, l->half[0]};
        row[n++] = (struct pose_row){"halfy", "m", true, l->half[1]};
    }
    pose_add(k, &c, row);
    return true;
}

static void pose_plane(struct reading *x, const struct mech_end *end, struct vec normal, Expr restitution, Expr mu)
{
    struct check *k = x->k;
    const struct mech_body *b = &k->mech->body.at[end->body];
    struct pose_row row[12] = {{0}};
    struct model_contact c = {.name = element_name(x), .span = x->stmt->span, .kind = CONTACT_BODY, .restitution = restitution, .friction = mu,
                              .solid = MBS_SOLID_PLANE};
    static const char *const name[] = {"nx", "ny", "nz"};
    int n = pose_motion(k, b, end->at, row);
    struct vec up = rotation_apply(k->pool, &b->motion.R, normal);
    for (int i = 0; i < (k->mech->spatial ? 3 : 2); i++)
        row[n++] = (struct pose_row){name[i], "", true, up.x[i]};
    pose_add(k, &c, row);
}

static bool is_all(const struct ast_expr *e) { return e->kind == AST_NAME && !strcmp(e->text, "all"); }

/* contact C: between all and all, restitution = e, friction = mu      contact C: between all and ground @ P, normal = n, ...
 * Every body with a shape may touch every other one, or the plane. */
static void crowd(struct reading *x, const struct ast_expr *other)
{
    static const char *const none[] = {"stiffness", "radius", "radius2", "exponent", "damping", "slip", "shaped", "law"};
    struct check *k = x->k;
    struct pool *p = k->pool;
    const struct ast_expr *up = read_value(x, "normal");
    struct mech_end end;
    struct vec normal;
    Expr e, mu;
    bool among = is_all(other), any = false;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (read_value(x, none[i])) {
            diag_error(k->diags, mech_item(x->stmt, none[i])->span, "a contact of all bodies has no '%s': they are hard, and their shapes say where they touch", none[i]);
            return;
        }
    if (!read_scalar(x, "restitution", &e) || !read_scalar(x, "friction", &mu))
        return;
    if (among == (up != NULL)) {
        diag_error(k->diags, x->stmt->span, "write: between all and all, or: between all and ground @ [0, 0], normal = [0, 1]");
        return;
    }
    if (!among && (!mech_end_read(k, x->scope, other, &end) || !mech_vector(k, x->scope, up, read_dim(x, "normal"), DEP(SYM_PARAM), "a normal", &normal)))
        return;
    for (int i = 0; i < k->mech->body.n; i++) {
        struct mech_body *b = &k->mech->body.at[i];
        if (!b->looks.given || !b->stmt || (!among && i == end.body))
            continue;
        int at = pose_find(k, name_of(&k->c->names, b->name));
        any = true;
        if (at < 0 && !pose_body(x, b, among ? e : expr_neg(p, p->one), among ? mu : p->zero))
            return;
        if (at >= 0 && among)
            k->m->contact.at[at].restitution = e, k->m->contact.at[at].friction = mu;
    }
    if (!any)
        diag_error(k->diags, x->stmt->span, "no body has a shape: shape = disc(radius, height), box(x, y, z), in space sphere(radius), capsule(radius, height)");
    if (!among)
        pose_plane(x, &end, vec_scale(p, expr_div(p, p->one, expr_sqrt(p, vec_dot(p, normal, normal))), normal), e, mu);
}

/* --- one contact ------------------------------------------------------------------------------------------------- */

/* Places of a body's shape that may touch: balls about points, or rims of discs about their axis. */
struct feelers {
    int n;
    struct vec at[8];
    Expr radius;
    bool rim;
    struct vec axis;
};

static void corners(struct pool *p, const struct mech_looks *l, struct feelers *f)
{
    f->n = 1;
    for (int i = 0; i < (l->plane_box ? 2 : 3); i++, f->n *= 2)
        for (int j = 0; j < f->n; j++) {
            struct vec half = vec_scale(p, l->half[i], vec_unit(p, i));
            f->at[f->n + j] = vec_add(p, f->at[j], half);
            f->at[j] = vec_sub(p, f->at[j], half);
        }
}

/* False after an error. */
static bool feelers_of(struct reading *x, const struct mech_body *b, struct feelers *f)
{
    struct check *k = x->k;
    struct pool *p = k->pool;
    const struct mech_looks *l = &b->looks;
    *f = (struct feelers){.n = 1, .at = {b->com}, .radius = p->zero};
    if (l->given && (l->kind == MBS_SHAPE_CIRCLE || l->kind == MBS_SHAPE_SPHERE || (!k->mech->spatial && l->kind == MBS_SHAPE_WHEEL))) {
        f->radius = l->half[0];
        return true;
    }
    if (l->given && (l->plane_box || l->kind == MBS_SHAPE_BOX)) {
        corners(p, l, f);
        return true;
    }
    if (l->given && (l->kind == MBS_SHAPE_CAPSULE || l->kind == MBS_SHAPE_CYLINDER || l->kind == MBS_SHAPE_WHEEL)) {
        struct vec half = vec_scale(p, l->half[2], vec_unit(p, l->axis[2]));
        f->rim = l->kind != MBS_SHAPE_CAPSULE;
        f->axis = vec_unit(p, l->axis[2]);
        f->n = 2;
        f->at[0] = vec_add(p, b->com, half);
        f->at[1] = vec_sub(p, b->com, half);
        f->radius = l->half[0];
        return true;
    }
    diag_error(k->diags, x->stmt->span, "'%s' has no shape that could touch: disc, wheel or box, in space sphere, capsule, cylinder, wheel or box", b->name);
    return false;
}

/* What the shape of a body is for the feelers of another; false: that is not known. */
static bool target_of(struct check *k, const struct mech_body *b, struct target *to)
{
    const struct mech_looks *l = &b->looks;
    *to = (struct target){.kind = TO_BALL, .radius = l->half[0]};
    if (l->kind == MBS_SHAPE_CIRCLE || l->kind == MBS_SHAPE_SPHERE || (!k->mech->spatial && l->kind == MBS_SHAPE_WHEEL))
        return l->given;
    if (l->given && l->kind == MBS_SHAPE_CAPSULE) {
        to->kind = TO_CAPSULE;
        to->normal = vec_unit(k->pool, l->axis[2]);
        to->half[0] = l->half[2];
        return true;
    }
    to->kind = TO_BOX;
    to->sides = l->plane_box ? 2 : 3;
    for (int i = 0; i < to->sides; i++)
        to->half[i] = l->half[i];
    return l->given && (l->plane_box || l->kind == MBS_SHAPE_BOX);
}

/* All feelers of body a against the target on body b; names go on from *number, of `all` places. */
static void feel(struct reading *x, struct where w, const struct feelers *f, const struct target *to, const struct contact_law *law, int *number, int all)
{
    struct check *k = x->k;
    for (int i = 0; i < f->n; i++) {
        const char *name = element_name(x);
        if (all > 1)
            name = name_of(&k->c->names, arena_printf(k->arena, "%s[%d]", name, ++*number));
        w.a.at = f->at[i];
        w.a.rate = vec_zero(k->pool);
        struct touching t = f->rim ? touch_rim(k, &w, to, f->axis, f->radius) : touch_of(k, &w, to, f->radius);
        contact_place(x, name, &w, &t, law);
    }
}

/* The shape of the first body against the plane, or the shapes of both against each other. */
static void contact_shaped(struct reading *x, struct where w, const struct contact_law *law)
{
    struct check *k = x->k;
    const struct mech_body *a = &k->mech->body.at[w.a.body], *b = &k->mech->body.at[w.b.body];
    struct target to = {.kind = TO_PLANE};
    struct feelers f, g;
    int number = 0;
    if (!feelers_of(x, a, &f))
        return;
    if (law->normal) {
        to.normal = *law->normal;
        feel(x, w, &f, &to, law, &number, f.n);
        mech_draw_contact(k, element_name(x), &w.a, &w.b, *law->normal, k->pool->zero);
        return;
    }
    if (!feelers_of(x, b, &g))
        return;
    struct where back = {.a = w.b, .b = w.a};
    struct target from;
    bool ball = !f.rim && f.n == 1, other = !g.rim && g.n == 1, boxes = a->looks.plane_box && b->looks.plane_box;
    w.b.at = b->com;
    back.b.at = a->com;
    if (!(ball || other || boxes) || !target_of(k, ball || boxes ? b : a, ball || boxes ? &to : &from) || (boxes && !target_of(k, a, &from))) {
        diag_error(k->diags, x->stmt->span,
                   "these two shapes cannot touch each other here: discs and spheres touch discs, spheres, capsules and boxes, "
                   "and in a plane boxes touch boxes");
        return;
    }
    if (ball || boxes)
        feel(x, w, &f, &to, law, &number, boxes ? f.n + g.n : 1);
    if (!ball)
        feel(x, back, &g, &from, law, &number, boxes ? f.n + g.n : 1);
}

/* contact C: between K.P and ground @ [0, 0], normal = [0, 1], stiffness = c [, radius = r, exponent = 1, damping = d,
 * friction = mu, slip = v0].  The plane goes through the second place, its normal fixed on that body. */
void mech_contact(struct reading *x)
{
    struct check *k = x->k;
    struct pool *p = k->pool;
    struct where w;
    struct vec normal;
    Expr c, r, r2, e, d, mu, slip;
    const struct ast_expr *up = read_value(x, "normal");
    const struct ast_item *between = mech_item(x->stmt, "between");
    if (between && between->value && between->value->kind == AST_AND && is_all(between->value->arg[0])) {
        crowd(x, between->value->arg[1]);
        return;
    }
    if (!element_where(x, &w))
        return;
    bool sliding = read_value(x, "friction") != NULL, hard = !read_value(x, "stiffness"), round = read_value(x, "radius2") != NULL;
    bool shaped = read_truth(x, "shaped");
    if (shaped && (round || read_value(x, "radius"))) {
        diag_error(k->diags, x->stmt->span, "'shaped' takes the radius from the shapes of the bodies");
        return;
    }
    if (!shaped && (up ? round : !round)) {
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
    if (!element_only(x, hard ? "restitution" : "stiffness", "restitution", hard ? "damping" : "law", hard ? "exponent" : NULL) ||
        (hard && !element_only(x, "friction", "slip", NULL, NULL)))
        return;
    double length = up ? mech_default(k, vec_dot(p, normal, normal)) : 1;
    if (!(length > 0)) {
        diag_error(k->diags, up->span, "the normal has no length");
        return;
    }
    if (up)
        normal = vec_scale(p, expr_div(p, p->one, expr_sqrt(p, vec_dot(p, normal, normal))), normal);
    const struct contact_law law = {.hard = hard, .sliding = sliding, .normal = up ? &normal : NULL, .mu = mu, .stiffness = c, .exponent = e,
                                    .damping = d, .slip = slip};
    if (shaped) {
        contact_shaped(x, w, &law);
        return;
    }
    if (!up && !element_has_line(x, &w))
        return;
    const struct target to = {.kind = up ? TO_PLANE : TO_BALL, .normal = up ? normal : vec_zero(p), .radius = r2};
    struct touching t = touch_of(k, &w, &to, r);
    if (up)
        mech_draw_contact(k, element_name(x), &w.a, &w.b, normal, r);
    contact_place(x, element_name(x), &w, &t, &law);
}
