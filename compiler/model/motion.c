/* SPDX-License-Identifier: GPL-3.0-or-later
 * Vectors, rotations and the recursion from a frame to the next, all as expressions. */
#include "model/motion.h"

struct vec vec_zero(struct pool *p)
{
    return (struct vec){{p->zero, p->zero, p->zero}};
}

struct vec vec_unit(struct pool *p, int axis)
{
    struct vec v = vec_zero(p);
    v.x[axis] = p->one;
    return v;
}

struct vec (vec_add)(struct pool *p, struct vec a, struct vec b)
{
    for (int i = 0; i < 3; i++)
        a.x[i] = expr_add(p, a.x[i], b.x[i]);
    return a;
}

struct vec (vec_sub)(struct pool *p, struct vec a, struct vec b)
{
    for (int i = 0; i < 3; i++)
        a.x[i] = expr_sub(p, a.x[i], b.x[i]);
    return a;
}

struct vec vec_neg(struct pool *p, struct vec a)
{
    return vec_scale(p, p->minus_one, a);
}

struct vec (vec_scale)(struct pool *p, Expr k, struct vec a)
{
    for (int i = 0; i < 3; i++)
        a.x[i] = expr_mul(p, k, a.x[i]);
    return a;
}

struct vec (vec_cross)(struct pool *p, struct vec a, struct vec b)
{
    struct vec c;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        c.x[i] = expr_sub(p, expr_mul(p, a.x[j], b.x[k]), expr_mul(p, a.x[k], b.x[j]));
    }
    return c;
}

Expr (vec_dot)(struct pool *p, struct vec a, struct vec b)
{
    Expr t[3];
    for (int i = 0; i < 3; i++)
        t[i] = expr_mul(p, a.x[i], b.x[i]);
    return expr_sum(p, 3, t);
}

/* Only sums that grow along a chain: short ones are better merged, so that equal terms meet. */
struct vec vec_hold(struct pool *p, struct vec a)
{
    enum { LONG_SUM = 4 };
    for (int i = 0; i < 3; i++)
        if (expr_op(p, a.x[i]) == EXPR_ADD && expr_pairs(p, a.x[i]) >= LONG_SUM)
            a.x[i] = expr_hold(p, a.x[i]);
    return a;
}

struct vec vec_unit_along(struct pool *p, struct vec v)
{
    return vec_hold(p, vec_scale(p, expr_div(p, p->one, expr_sqrt(p, vec_dot(p, v, v))), v));
}

struct mat mat_identity(struct pool *p)
{
    struct mat m;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m.m[i][j] = i == j ? p->one : p->zero;
    return m;
}

struct vec mat_row(const struct mat *a, int i)
{
    return (struct vec){{a->m[i][0], a->m[i][1], a->m[i][2]}};
}

struct vec mat_column(const struct mat *a, int j)
{
    return (struct vec){{a->m[0][j], a->m[1][j], a->m[2][j]}};
}

struct mat mat_mul(struct pool *p, const struct mat *a, const struct mat *b)
{
    struct mat c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            c.m[i][j] = vec_dot(p, mat_row(a, i), mat_column(b, j));
    return c;
}

struct vec mat_apply(struct pool *p, const struct mat *a, struct vec v)
{
    struct vec r;
    for (int i = 0; i < 3; i++)
        r.x[i] = vec_dot(p, mat_row(a, i), v);
    return r;
}

struct vec mat_apply_transposed(struct pool *p, const struct mat *a, struct vec v)
{
    struct vec r;
    for (int i = 0; i < 3; i++)
        r.x[i] = vec_dot(p, mat_column(a, i), v);
    return r;
}

/* --- rotations --------------------------------------------------------------------------------------- */

struct rotation rotation_identity(struct pool *p)
{
    return (struct rotation){.plain = true, .B = mat_identity(p), .axis = -1, .angle = p->zero};
}

struct rotation rotation_turn(struct pool *p, int axis, Expr angle)
{
    struct rotation r = rotation_identity(p);
    if (angle != p->zero) {
        r.axis = axis;
        r.angle = angle;
    }
    return r;
}

struct rotation rotation_matrix(struct pool *p, const struct mat *m)
{
    struct rotation r = rotation_identity(p);
    r.plain = false;
    r.B = *m;
    return r;
}

/* R = c I + (1 - c) a a' + s [a]x */
struct rotation rotation_about(struct pool *p, struct vec a, Expr angle)
{
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        if (a.x[i] != p->zero || a.x[j] != p->zero)
            continue;
        if (a.x[k] == p->one)
            return rotation_turn(p, k, angle);
        if (a.x[k] == p->minus_one)
            return rotation_turn(p, k, expr_neg(p, angle));
    }
    Expr c = expr_fn1(p, EXPR_COS, angle), s = expr_fn1(p, EXPR_SIN, angle), d = expr_sub(p, p->one, c);
    struct mat m;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m.m[i][j] = expr_add(p, expr_product(p, 3, (Expr[]){d, a.x[i], a.x[j]}), i == j ? c : p->zero);
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        Expr t = expr_mul(p, s, a.x[k]);
        m.m[j][i] = expr_add(p, m.m[j][i], t);
        m.m[i][j] = expr_sub(p, m.m[i][j], t);
    }
    return rotation_matrix(p, &m);
}

/* The homogeneous form e0^2 + e1^2 - e2^2 - e3^2 ... would let the matrix scale with |e|^2; this one,
 * 1 - 2(e2^2 + e3^2) ..., has fewer operations and agrees on the unit sphere. */
struct rotation rotation_euler(struct pool *p, const Expr e[4])
{
    struct mat m;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        Expr a = e[1 + i], b = e[1 + j], c = e[1 + k];
        Expr sum = expr_add(p, expr_powi(p, b, 2), expr_powi(p, c, 2));
        m.m[i][i] = expr_sub(p, p->one, expr_mul(p, p->two, sum));
        Expr ab = expr_mul(p, a, b), c0 = expr_mul(p, e[0], c);
        m.m[i][j] = expr_mul(p, p->two, expr_sub(p, ab, c0));
        m.m[j][i] = expr_mul(p, p->two, expr_add(p, ab, c0));
    }
    return rotation_matrix(p, &m);
}

struct vec rotation_euler_rate(struct pool *p, const Expr e[4], const Expr de[4])
{
    struct vec w;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        Expr t[4] = {expr_mul(p, e[0], de[1 + i]), expr_neg(p, expr_mul(p, e[1 + i], de[0])),
                     expr_mul(p, e[1 + k], de[1 + j]), expr_neg(p, expr_mul(p, e[1 + j], de[1 + k]))};
        w.x[i] = expr_mul(p, p->two, expr_sum(p, 4, t));
    }
    return w;
}

/* 2 e/(e.e) */
static void euler_scaled(struct pool *p, const Expr e[4], Expr t[4])
{
    Expr square[4];
    for (int i = 0; i < 4; i++)
        square[i] = expr_powi(p, e[i], 2);
    Expr scale = expr_powi(p, expr_hold(p, expr_sum(p, 4, square)), -1);
    for (int i = 0; i < 4; i++)
        t[i] = expr_hold(p, expr_product(p, 3, (Expr[]){p->two, scale, e[i]}));
}

struct rotation rotation_euler_any(struct pool *p, const Expr e[4])
{
    struct mat m;
    Expr t[4];
    euler_scaled(p, e, t);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        Expr ab = expr_mul(p, t[1 + i], e[1 + j]), c0 = expr_mul(p, t[0], e[1 + k]);
        Expr sum = expr_add(p, expr_mul(p, t[1 + j], e[1 + j]), expr_mul(p, t[1 + k], e[1 + k]));
        m.m[i][i] = expr_hold(p, expr_sub(p, p->one, sum));
        m.m[i][j] = expr_hold(p, expr_sub(p, ab, c0));
        m.m[j][i] = expr_hold(p, expr_add(p, ab, c0));
    }
    return rotation_matrix(p, &m);
}

void rotation_euler_map(struct pool *p, const Expr e[4], Expr map[3][4])
{
    Expr t[4];
    euler_scaled(p, e, t);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        map[i][0] = expr_neg(p, t[1 + i]);
        map[i][1 + i] = t[0];
        map[i][1 + j] = t[1 + k];
        map[i][1 + k] = expr_neg(p, t[1 + j]);
    }
}

static struct vec turn(struct pool *p, int k, Expr angle, struct vec v, bool back)
{
    Expr c = expr_fn1(p, EXPR_COS, angle), s = expr_fn1(p, EXPR_SIN, back ? expr_neg(p, angle) : angle);
    int i = (k + 1) % 3, j = (k + 2) % 3;
    struct vec r = v;
    r.x[i] = expr_sub(p, expr_mul(p, c, v.x[i]), expr_mul(p, s, v.x[j]));
    r.x[j] = expr_add(p, expr_mul(p, s, v.x[i]), expr_mul(p, c, v.x[j]));
    return r;
}

struct vec rotation_apply(struct pool *p, const struct rotation *r, struct vec v)
{
    if (r->axis >= 0)
        v = turn(p, r->axis, r->angle, v, false);
    return r->plain ? v : mat_apply(p, &r->B, v);
}

struct vec rotation_apply_back(struct pool *p, const struct rotation *r, struct vec v)
{
    if (!r->plain)
        v = mat_apply_transposed(p, &r->B, v);
    return r->axis >= 0 ? turn(p, r->axis, r->angle, v, true) : v;
}

struct mat rotation_to_matrix(struct pool *p, const struct rotation *r)
{
    struct mat m;
    for (int j = 0; j < 3; j++) {
        struct vec col = rotation_apply(p, r, vec_unit(p, j));
        for (int i = 0; i < 3; i++)
            m.m[i][j] = col.x[i];
    }
    return m;
}

struct rotation rotation_mul(struct pool *p, const struct rotation *a, const struct rotation *b)
{
    if (b->plain && b->axis < 0)
        return *a;
    if (a->plain && a->axis < 0)
        return *b;
    if (b->plain && (a->axis < 0 || a->axis == b->axis)) {
        struct rotation r = *a;
        r.axis = b->axis;
        r.angle = expr_add(p, a->angle, b->angle);
        if (r.angle == p->zero)
            r.axis = -1;
        return r;
    }
    /* (B_a R_a B_b) R_b */
    struct rotation head = *b;
    head.axis = -1;
    struct mat m = rotation_to_matrix(p, a);
    if (!b->plain)
        m = mat_mul(p, &m, &head.B);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m.m[i][j] = expr_hold(p, m.m[i][j]);
    struct rotation r = rotation_matrix(p, &m);
    r.axis = b->axis;
    r.angle = b->angle;
    return r;
}

/* --- motion ------------------------------------------------------------------------------------------ */

struct motion motion_ground(struct pool *p)
{
    return (struct motion){vec_zero(p), rotation_identity(p), vec_zero(p), vec_zero(p)};
}

struct motion motion_extend(struct pool *p, const struct motion *a, const struct relative *j)
{
    struct motion b;
    b.r = vec_hold(p, vec_add(p, a->r, rotation_apply(p, &a->R, j->s)));
    b.R = rotation_mul(p, &a->R, &j->R);
    struct vec v = vec_add(p, vec_add(p, a->u, vec_cross(p, a->w, j->s)), j->ds);
    b.u = vec_hold(p, rotation_apply_back(p, &j->R, v));
    b.w = vec_hold(p, vec_add(p, rotation_apply_back(p, &j->R, a->w), j->w));
    return b;
}

struct vec motion_point(struct pool *p, const struct motion *m, struct vec local)
{
    return vec_add(p, m->r, rotation_apply(p, &m->R, local));
}

struct vec motion_velocity(struct pool *p, const struct motion *m, struct vec local)
{
    return vec_add(p, m->u, vec_cross(p, m->w, local));
}

struct vec motion_velocity_space(struct pool *p, const struct motion *m, struct vec local)
{
    return rotation_apply(p, &m->R, motion_velocity(p, m, local));
}
