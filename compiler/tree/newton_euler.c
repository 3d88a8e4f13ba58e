/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Inverse dynamics: accelerations from the root to the tips, forces back (Newton, Euler; Luh, Walker, Paul 1980), with
 * regrouped inertias (Khalil, Kleinfinger 1987).
 *
 * With U = [dw] + [w][w] the force on a body is m a + U h, and the moment, sum m x X (a + U x), is h X a plus the axial vector
 * of U E: fewer operations than J dw + w X J w, since U is needed anyway.
 */
#include "tree/recursion.h"

#include "base/arena.h"

#include <stdlib.h>

struct mat angular_matrix(struct pool *p, struct vec w, struct vec dw)
{
    struct mat U;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        Expr ij = expr_mul(p, w.x[i], w.x[j]);
        U.m[i][i] = expr_neg(p, expr_add(p, expr_powi(p, w.x[j], 2), expr_powi(p, w.x[k], 2)));
        U.m[i][j] = tree_hold(p, expr_sub(p, ij, dw.x[k]));
        U.m[j][i] = tree_hold(p, expr_add(p, ij, dw.x[k]));
    }
    return U;       /* squares are left open: differences of the diagonal lose one */
}

struct vec apply_angular(struct pool *p, const struct mat *U, struct vec x)
{
    struct mat held = *U;
    for (int i = 0; i < 3; i++)
        held.m[i][i] = tree_hold(p, U->m[i][i]);
    return mat_apply(p, &held, x);
}

static Expr column_rate_dot(struct pool *p, const struct tree_body *b, int c, const Expr *a)
{
    Expr sum = b->column[c].drift;
    for (int i = 0; a && i < b->coords; i++)
        sum = expr_add(p, sum, expr_mul(p, tree_map(b, c, i), a[b->coord[i]]));
    return tree_hold(p, sum);
}

static struct tree_motion ground_motion(struct pool *p, const struct tree *t)
{
    struct vec o = vec_zero(p);
    return (struct tree_motion){o, o, o, o, o, vec_neg(p, t->g), angular_matrix(p, o, o)};
}

/* Relative velocity S rate, and S rate' + bias, of the joint; linear parts in the axes in which it shifts. */
static void joint_rates(struct pool *p, const struct tree_body *b, const Expr *a, struct spatial *v, struct spatial *dv)
{
    *v = spatial_zero(p);
    *dv = (struct spatial){b->bias_w, b->bias_u};
    for (int c = 0; c < b->columns; c++) {
        const struct tree_column *s = &b->column[c];
        struct vec u = b->kind == TREE_FLEX ? b->shift[c] : s->u;
        Expr dot = column_rate_dot(p, b, c, a);
        *v = spatial_add(p, *v, (struct spatial){vec_scale(p, s->rate, s->w), vec_scale(p, s->rate, u)});
        *dv = spatial_add(p, *dv, (struct spatial){vec_scale(p, dot, s->w), vec_scale(p, dot, u)});
    }
    *v = spatial_hold(p, *v);
}

/* A joint that shifts does not turn, or turns about the direction of its shift: the columns' linear parts are the same in the
 * joint's axes and in the body's.  The tip of a beam has both. */
struct tree_motion tree_child_motion(struct pool *p, const struct tree_body *b, const struct tree_motion *m, const Expr *a)
{
    struct tree_motion r;
    struct spatial v, dv;
    struct vec s = joint_shift(p, b);
    joint_rates(p, b, a, &v, &dv);
    r.u = tree_hold_vec(p, vec_add(p, m->u, vec_cross(p, m->w, b->at)));
    r.a = tree_hold_vec(p, vec_add(p, m->a, apply_angular(p, &m->U, b->at)));
    r.w = tree_hold_vec(p, mat_apply_transposed(p, &b->place, m->w));
    r.dw = tree_hold_vec(p, mat_apply_transposed(p, &b->place, m->dw));
    r.u = tree_hold_vec(p, mat_apply_transposed(p, &b->place, r.u));
    r.a = tree_hold_vec(p, mat_apply_transposed(p, &b->place, r.a));
    /* shift, in the joint's axes */
    struct mat U = angular_matrix(p, r.w, r.dw);
    struct vec coriolis = vec_scale(p, p->two, vec_cross(p, r.w, v.u));
    r.u = tree_hold_vec(p, vec_add(p, vec_add(p, r.u, vec_cross(p, r.w, s)), v.u));
    r.a = tree_hold_vec(p, vec_add(p, vec_add(p, r.a, apply_angular(p, &U, s)), vec_add(p, coriolis, dv.u)));
    /* turn */
    r.u = joint_turn_back(p, b, r.u);
    r.a = joint_turn_back(p, b, r.a);
    r.w_parent = joint_turn_back(p, b, r.w);
    r.dw_parent = joint_turn_back(p, b, r.dw);
    r.dw = tree_hold_vec(p, vec_add(p, vec_add(p, r.dw_parent, vec_cross(p, r.w_parent, v.w)), dv.w));
    r.w = tree_hold_vec(p, vec_add(p, r.w_parent, v.w));
    r.U = angular_matrix(p, r.w, r.dw);
    return r;
}

void tree_motions(struct pool *p, const struct tree *t, const Expr *a, struct tree_motion *out)
{
    struct tree_motion ground = ground_motion(p, t);
    for (int i = 0; i < t->n; i++) {
        const struct tree_body *b = &t->at[i];
        out[i] = tree_child_motion(p, b, b->parent < 0 ? &ground : &out[b->parent], a);
    }
}

/* The axial vector of U E: n_x = (U E)_zy - (U E)_yz ... */
static struct vec axial_product(struct pool *p, const struct mat *U, const struct mat *E)
{
    struct vec n;
    for (int x = 0; x < 3; x++) {
        int y = (x + 1) % 3, z = (x + 2) % 3;
        Expr t[5] = {
            expr_mul(p, U->m[z][x], E->m[x][y]),
            expr_neg(p, expr_mul(p, U->m[y][x], E->m[x][z])),
            expr_mul(p, tree_hold(p, U->m[z][y]), E->m[y][y]),
            expr_neg(p, expr_mul(p, tree_hold(p, U->m[y][z]), E->m[z][z])),
            expr_mul(p, tree_hold(p, expr_sub(p, U->m[z][z], U->m[y][y])), E->m[y][z]),
        };
        n.x[x] = expr_sum(p, 5, t);
    }
    return n;
}

struct spatial tree_body_force(struct pool *p, const struct tree_inertia *i, const struct tree_motion *m)
{
    struct vec f = vec_add(p, vec_scale(p, i->m, m->a), apply_angular(p, &m->U, i->h));
    struct vec n = vec_add(p, axial_product(p, &m->U, &i->E), vec_cross(p, i->h, m->a));
    return (struct spatial){n, f};
}

const struct tree_motion *tree_frame_motion(struct pool *p, const struct tree *t, const struct tree_flex *f, const struct tree_motion *m,
                                            struct tree_motion *ground)
{
    if (f->frame >= 0)
        return &m[f->frame];
    *ground = ground_motion(p, t);
    return ground;
}

void tree_body_forces(struct pool *p, const struct tree *t, const struct tree_motion *m, const Expr *a, struct spatial *F)
{
    struct arena scratch = {0};
    for (int i = 0; i < t->n; i++)
        F[i] = tree_body_force(p, &t->at[i].inertia, &m[i]);
    for (int i = 0; i < t->n; i++) {
        const struct tree_flex *f = t->at[i].flex;
        if (!f || f->frame < 0)
            continue;
        struct elastic x = elastic_begin(p, &scratch, &t->at[i], &m[f->frame], a);
        F[f->frame] = spatial_add(p, F[f->frame], elastic_force(&x));
    }
    arena_free(&scratch);
}

void tree_forces(struct pool *p, const struct tree *t, const struct tree_motion *m, const Expr *a, struct spatial *F)
{
    tree_body_forces(p, t, m, a, F);
    for (int i = t->n - 1; i >= 0; i--) {
        const struct tree_body *b = &t->at[i];
        F[i] = spatial_hold(p, F[i]);
        if (b->parent >= 0)
            F[b->parent] = spatial_add(p, F[b->parent], force_to_parent(p, b, F[i]));
    }
}

int tree_columns(const struct tree *t)
{
    int n = 0;
    for (int i = 0; i < t->n; i++)
        n += t->at[i].columns;
    return n;
}

void tree_column_forces(struct pool *p, const struct tree *t, const Expr *a, Expr *tau)
{
    struct arena scratch = {0};
    struct tree_motion *m = ARENA_NEW(&scratch, struct tree_motion, t->n);
    struct spatial *F = ARENA_NEW(&scratch, struct spatial, t->n);
    tree_motions(p, t, a, m);
    tree_forces(p, t, m, a, F);
    for (int i = 0; i < t->n; i++) {
        const struct tree_body *b = &t->at[i];
        struct tree_motion ground;
        struct elastic x;
        if (b->flex)
            x = elastic_begin(p, &scratch, b, tree_frame_motion(p, t, b->flex, m, &ground), a);
        for (int c = 0; c < b->columns; c++) {
            Expr force = spatial_dot(p, column_of(&b->column[c]), F[i]);
            *tau++ = tree_hold(p, b->flex ? expr_add(p, force, elastic_row(&x, c)) : force);
        }
    }
    arena_free(&scratch);
}

void tree_inverse(struct pool *p, const struct tree *t, const Expr *a, Expr *r)
{
    Expr *all = mem_grow(NULL, (size_t)tree_columns(t) + 1, sizeof *all), *tau = all;
    tree_column_forces(p, t, a, all);
    for (int i = 0; i < t->n; i++) {
        const struct tree_body *b = &t->at[i];
        for (int c = 0; c < b->columns; c++, tau++)
            for (int k = 0; k < b->coords; k++)
                r[b->coord[k]] = expr_add(p, r[b->coord[k]], expr_mul(p, tree_map(b, c, k), *tau));
    }
    free(all);
}

/* --- energies ------------------------------------------------------------------------------------------------------- */

/* T = (m u.u + w'J w)/2 + u.(w X h), a body. */
Expr tree_kinetic(struct pool *p, const struct tree *t)
{
    struct arena scratch = {0};
    struct tree_motion *m = ARENA_NEW(&scratch, struct tree_motion, t->n);
    Expr *T = ARENA_NEW(&scratch, Expr, t->n + 1);
    tree_motions(p, t, NULL, m);
    for (int i = 0; i < t->n; i++) {
        const struct tree_inertia *x = &t->at[i].inertia;
        Expr trace = expr_sum(p, 3, (Expr[]){x->E.m[0][0], x->E.m[1][1], x->E.m[2][2]});
        struct vec w = m[i].w, u = m[i].u;
        struct vec L = vec_sub(p, vec_scale(p, trace, w), mat_apply(p, &x->E, w));
        Expr sum[3] = {expr_product(p, 3, (Expr[]){p->half, x->m, vec_dot(p, u, u)}), expr_mul(p, p->half, vec_dot(p, w, L)),
                       vec_dot(p, u, vec_cross(p, w, x->h))};
        T[i] = tree_hold(p, expr_sum(p, 3, sum));
        if (t->at[i].flex) {
            struct tree_motion ground;
            struct elastic e = elastic_begin(p, &scratch, &t->at[i], tree_frame_motion(p, t, t->at[i].flex, m, &ground), NULL);
            T[i] = expr_add(p, T[i], elastic_kinetic(&e));
        }
    }
    Expr sum = expr_sum(p, t->n, T);
    arena_free(&scratch);
    return sum;
}

/* -g . (mass * centre) of all, collected from the tips. */
Expr tree_potential(struct pool *p, const struct tree *t)
{
    struct arena scratch = {0};
    struct tree_inertia *sum = ARENA_NEW(&scratch, struct tree_inertia, t->n);
    struct vec h = vec_zero(p);
    for (int i = 0; i < t->n; i++)
        sum[i] = t->at[i].inertia;
    for (int i = t->n - 1; i >= 0; i--) {
        const struct tree_body *b = &t->at[i];
        struct vec x = joint_turn(p, b, tree_hold_vec(p, sum[i].h));
        x = tree_hold_vec(p, vec_add(p, x, vec_scale(p, sum[i].m, joint_shift(p, b))));
        x = vec_add(p, mat_apply(p, &b->place, x), vec_scale(p, sum[i].m, b->at));
        if (b->parent < 0) {
            h = vec_add(p, h, tree_hold_vec(p, x));
        } else {
            sum[b->parent].h = vec_add(p, sum[b->parent].h, tree_hold_vec(p, x));
            sum[b->parent].m = expr_add(p, sum[b->parent].m, sum[i].m);
        }
    }
    for (int i = 0; i < t->n; i++)
        if (t->at[i].flex && t->at[i].flex->frame < 0)
            h = vec_add(p, h, t->at[i].flex->bent_h);
    arena_free(&scratch);
    return expr_sub(p, t->potential0, vec_dot(p, t->g, h));
}
