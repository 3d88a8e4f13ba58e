/* SPDX-License-Identifier: GPL-3.0-or-later
 * Vectors, forces and inertias across one joint. */
#include "tree/recursion.h"

Expr tree_hold(struct pool *p, Expr e)
{
    bool sum = expr_op(p, e) == EXPR_ADD && expr_pairs(p, e) + (expr_const(p, e) != p->zero) > 1;
    return sum ? expr_hold(p, e) : e;
}

struct vec tree_hold_vec(struct pool *p, struct vec v)
{
    for (int i = 0; i < 3; i++)
        v.x[i] = tree_hold(p, v.x[i]);
    return v;
}

struct mat mat_hold(struct pool *p, struct mat m)
{
    for (int i = 0; i < 9; i++)
        m.m[i / 3][i % 3] = tree_hold(p, m.m[i / 3][i % 3]);
    return m;
}

static bool turns(const struct tree_body *b)
{
    return b->kind == TREE_TURN || b->kind == TREE_SCREW;
}

static bool has_matrix(const struct tree_body *b)
{
    return b->kind == TREE_BALL || b->kind == TREE_GENERAL || b->kind == TREE_FLEX;
}

/* About the coordinate axis by the angle; `back`: by the opposite angle. */
static struct vec turn(struct pool *p, const struct tree_body *b, struct vec v, bool back)
{
    Expr c = expr_fn1(p, EXPR_COS, b->angle), s = expr_fn1(p, EXPR_SIN, b->angle);
    int i = (b->axis + 1) % 3, j = (b->axis + 2) % 3;
    struct vec r = v;
    if (back)
        s = expr_neg(p, s);
    r.x[i] = expr_sub(p, expr_mul(p, c, v.x[i]), expr_mul(p, s, v.x[j]));
    r.x[j] = expr_add(p, expr_mul(p, s, v.x[i]), expr_mul(p, c, v.x[j]));
    return tree_hold_vec(p, r);
}

struct vec joint_turn(struct pool *p, const struct tree_body *b, struct vec v)
{
    return turns(b) ? turn(p, b, v, false) : has_matrix(b) ? tree_hold_vec(p, mat_apply(p, &b->R, v)) : v;
}

struct vec joint_turn_back(struct pool *p, const struct tree_body *b, struct vec v)
{
    return turns(b) ? turn(p, b, v, true) : has_matrix(b) ? tree_hold_vec(p, mat_apply_transposed(p, &b->R, v)) : v;
}

struct vec joint_shift(struct pool *p, const struct tree_body *b)
{
    switch (b->kind) {
    case TREE_TURN: case TREE_BALL: break;
    case TREE_SLIDE: return vec_scale(p, b->angle, vec_unit(p, b->axis));
    case TREE_SCREW: return vec_scale(p, expr_mul(p, b->pitch, b->angle), vec_unit(p, b->axis));
    case TREE_GENERAL: case TREE_FLEX: return b->s;
    }
    return vec_zero(p);
}

struct spatial force_to_parent(struct pool *p, const struct tree_body *b, struct spatial f)
{
    f.w = joint_turn(p, b, f.w);
    f.u = joint_turn(p, b, f.u);
    f.w = tree_hold_vec(p, vec_add(p, f.w, vec_cross(p, joint_shift(p, b), f.u)));
    f.w = tree_hold_vec(p, mat_apply(p, &b->place, f.w));
    f.u = tree_hold_vec(p, mat_apply(p, &b->place, f.u));
    f.w = tree_hold_vec(p, vec_add(p, f.w, vec_cross(p, b->at, f.u)));
    return f;
}

struct spatial motion_to_child(struct pool *p, const struct tree_body *b, struct spatial v)
{
    v.u = tree_hold_vec(p, vec_add(p, v.u, vec_cross(p, v.w, b->at)));
    v.w = tree_hold_vec(p, mat_apply_transposed(p, &b->place, v.w));
    v.u = tree_hold_vec(p, mat_apply_transposed(p, &b->place, v.u));
    v.u = tree_hold_vec(p, vec_add(p, v.u, vec_cross(p, v.w, joint_shift(p, b))));
    v.w = joint_turn_back(p, b, v.w);
    v.u = joint_turn_back(p, b, v.u);
    return v;
}

struct spatial spatial_zero(struct pool *p)
{
    return (struct spatial){vec_zero(p), vec_zero(p)};
}

struct spatial (spatial_add)(struct pool *p, struct spatial a, struct spatial b)
{
    return (struct spatial){vec_add(p, a.w, b.w), vec_add(p, a.u, b.u)};
}

struct spatial spatial_hold(struct pool *p, struct spatial a)
{
    return (struct spatial){tree_hold_vec(p, a.w), tree_hold_vec(p, a.u)};
}

Expr spatial_dot(struct pool *p, struct spatial a, struct spatial b)
{
    return expr_add(p, vec_dot(p, a.w, b.w), vec_dot(p, a.u, b.u));
}

struct spatial column_of(const struct tree_column *c)
{
    return (struct spatial){c->w, c->u};
}

/* About z: with g = (E_xx - E_yy) s + 2 c E_xy the new entries are E_xx - s g, E_yy + s g, c g - E_xy. */
static struct mat turn_symmetric(struct pool *p, const struct tree_body *b, const struct mat *E)
{
    int z = b->axis, x = (z + 1) % 3, y = (z + 2) % 3;
    Expr c = expr_fn1(p, EXPR_COS, b->angle), s = expr_fn1(p, EXPR_SIN, b->angle);
    Expr diff = tree_hold(p, expr_sub(p, E->m[x][x], E->m[y][y]));
    Expr g = tree_hold(p, expr_add(p, expr_mul(p, diff, s), expr_product(p, 3, (Expr[]){p->two, c, E->m[x][y]})));
    Expr sg = expr_mul(p, s, g);
    struct vec v = {{p->zero, p->zero, p->zero}};
    struct mat r = *E;
    v.x[x] = E->m[x][z];
    v.x[y] = E->m[y][z];
    v = turn(p, b, v, false);
    r.m[x][x] = expr_sub(p, E->m[x][x], sg);
    r.m[y][y] = expr_add(p, E->m[y][y], sg);
    r.m[x][y] = r.m[y][x] = expr_sub(p, expr_mul(p, c, g), E->m[x][y]);
    r.m[x][z] = r.m[z][x] = v.x[x];
    r.m[y][z] = r.m[z][y] = v.x[y];
    return mat_hold(p, r);
}

struct mat conjugate_symmetric(struct pool *p, const struct mat *R, const struct mat *E)
{
    struct mat RE = mat_hold(p, mat_mul(p, R, E)), r;
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++)
            r.m[i][j] = r.m[j][i] = tree_hold(p, vec_dot(p, mat_row(&RE, i), mat_row(R, j)));
    return r;
}

struct mat conjugate_matrix(struct pool *p, const struct mat *R, const struct mat *K)
{
    struct mat RK = mat_hold(p, mat_mul(p, R, K)), r;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r.m[i][j] = tree_hold(p, vec_dot(p, mat_row(&RK, i), mat_row(R, j)));
    return r;
}

/* About z, as for symmetric matrices; the antisymmetric part stays. */
static struct mat turn_matrix(struct pool *p, const struct tree_body *b, const struct mat *K)
{
    int z = b->axis, x = (z + 1) % 3, y = (z + 2) % 3;
    Expr c = expr_fn1(p, EXPR_COS, b->angle), s = expr_fn1(p, EXPR_SIN, b->angle);
    Expr diff = tree_hold(p, expr_sub(p, K->m[x][x], K->m[y][y])), sum = tree_hold(p, expr_add(p, K->m[x][y], K->m[y][x]));
    Expr g = tree_hold(p, expr_add(p, expr_mul(p, diff, s), expr_mul(p, c, sum)));
    Expr sg = expr_mul(p, s, g), cg = expr_mul(p, c, g);
    struct vec right = vec_zero(p), below = vec_zero(p);
    struct mat r = *K;
    right.x[x] = K->m[x][z], right.x[y] = K->m[y][z];
    below.x[x] = K->m[z][x], below.x[y] = K->m[z][y];
    right = joint_turn(p, b, right);
    below = joint_turn(p, b, below);
    r.m[x][x] = expr_sub(p, K->m[x][x], sg);
    r.m[y][y] = expr_add(p, K->m[y][y], sg);
    r.m[x][y] = expr_sub(p, cg, K->m[y][x]);
    r.m[y][x] = expr_sub(p, cg, K->m[x][y]);
    r.m[x][z] = right.x[x], r.m[y][z] = right.x[y];
    r.m[z][x] = below.x[x], r.m[z][y] = below.x[y];
    return mat_hold(p, r);
}

struct mat joint_turn_matrix(struct pool *p, const struct tree_body *b, const struct mat *K)
{
    return turns(b) ? turn_matrix(p, b, K) : has_matrix(b) ? conjugate_matrix(p, &b->R, K) : *K;
}

struct mat joint_turn_symmetric(struct pool *p, const struct tree_body *b, const struct mat *E)
{
    return turns(b) ? turn_symmetric(p, b, E) : has_matrix(b) ? conjugate_symmetric(p, &b->R, E) : *E;
}

static struct tree_inertia inertia_hold(struct pool *p, struct tree_inertia i)
{
    return (struct tree_inertia){tree_hold(p, i.m), tree_hold_vec(p, i.h), mat_hold(p, i.E)};
}

struct tree_inertia inertia_to_parent(struct pool *p, const struct tree_body *b, const struct tree_inertia *from)
{
    struct tree_inertia i = {from->m, joint_turn(p, b, from->h), joint_turn_symmetric(p, b, &from->E)};
    i = inertia_hold(p, inertia_shift(p, &i, joint_shift(p, b)));
    i.h = tree_hold_vec(p, mat_apply(p, &b->place, i.h));
    i.E = conjugate_symmetric(p, &b->place, &i.E);
    return inertia_hold(p, inertia_shift(p, &i, b->at));
}
