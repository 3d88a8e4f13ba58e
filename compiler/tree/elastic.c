/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the elastic coordinates e of a beam add to the recursions (struct tree_flex of model/tree.h, design 0012).
 *
 * The body that carries the frame of the beam has the inertia m, h(e), E(e) of the shape as it is, with which the recursions do what they do for rigid
 * bodies.  Lagrange's equations for T of tree_flex, in the velocities (w, u) of the frame, have beside that
 *
 *     force      2 w x h' + h''                   moment   J' w + w x k + k'
 *     row of e_j h_j.a + k_j.dw + E_j : [w][w]/2 + w.sum_i (dk_j/de_i - dk_i/de_j) e_i' + sum_i M_ji e_i''
 *
 * with a the acceleration of the origin minus gravity: the weight is in it.  J = tr E - E.
 */
#include "tree/recursion.h"

#include "base/arena.h"

static struct vec zero(struct pool *p) { return vec_zero(p); }

/* sum over the coordinates of list[i * step] times x[i] */
static struct vec vec_sum(struct pool *p, int n, const struct vec *list, int step, const Expr *x)
{
    struct vec sum = zero(p);
    for (int i = 0; i < n; i++)
        if (x[i] != p->zero)
            sum = vec_add(p, sum, vec_scale(p, x[i], list[i * step]));
    return tree_hold_vec(p, sum);
}

static struct mat mat_sum(struct pool *p, int n, const struct mat *list, int step, const Expr *x)
{
    struct mat sum;
    for (int k = 0; k < 9; k++) {
        Expr s = p->zero;
        for (int i = 0; i < n; i++)
            s = expr_add(p, s, expr_mul(p, x[i], list[i * step].m[k / 3][k % 3]));
        sum.m[k / 3][k % 3] = tree_hold(p, s);
    }
    return sum;
}

/* J x = (tr E - E) x */
static struct vec apply_moments(struct pool *p, const struct mat *E, struct vec x)
{
    struct vec r;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        Expr across = tree_hold(p, expr_add(p, E->m[j][j], E->m[k][k]));
        r.x[i] = expr_sum(p, 3, (Expr[]){expr_mul(p, across, x.x[i]), expr_neg(p, expr_mul(p, E->m[i][j], x.x[j])),
                                         expr_neg(p, expr_mul(p, E->m[i][k], x.x[k]))});
    }
    return r;
}

/* E : [w][w] / 2 = -w'J w/2 */
static Expr centrifugal(struct pool *p, const struct mat *E, struct vec w)
{
    Expr half = tree_hold(p, vec_dot(p, w, tree_hold_vec(p, apply_moments(p, E, w))));
    return expr_product(p, 3, (Expr[]){p->minus_one, p->half, half});
}

/* Rates of the coordinates, and their second derivatives; NULL: zero. */
static void rates_of(struct pool *p, const struct tree_body *b, const Expr *a, Expr *v, Expr *dv)
{
    for (int c = 0; c < b->columns; c++) {
        v[c] = b->column[c].rate;
        dv[c] = a ? a[b->coord[c]] : p->zero;
    }
}

struct elastic elastic_begin(struct pool *p, struct arena *arena, const struct tree_body *b, const struct tree_motion *frame, const Expr *a)
{
    struct elastic x = {p, b, b->flex, b->columns, frame, ARENA_NEW(arena, Expr, b->columns + 1), ARENA_NEW(arena, Expr, b->columns + 1)};
    rates_of(p, b, a, x.v, x.dv);
    return x;
}

struct spatial elastic_column(const struct tree_body *b, int c)
{
    return (struct spatial){b->flex->k[c], b->flex->h[c]};
}

struct spatial elastic_force(const struct elastic *x)
{
    struct pool *p = x->p;
    const struct tree_flex *f = x->f;
    int n = x->n;
    struct vec w = x->m->w, rate = vec_sum(p, n, f->h, 1, x->v), k = vec_sum(p, n, f->k, 1, x->v);
    struct vec h2 = vec_sum(p, n, f->h, 1, x->dv), k2 = vec_sum(p, n, f->k, 1, x->dv);
    struct mat E = mat_sum(p, n, f->E, 1, x->v);
    for (int j = 0; j < n; j++) {       /* what h_j and k_j change by themselves */
        h2 = vec_add(p, h2, vec_scale(p, x->v[j], vec_sum(p, n, f->hh + j * n, 1, x->v)));
        k2 = vec_add(p, k2, vec_scale(p, x->v[j], vec_sum(p, n, f->kk + j * n, 1, x->v)));
    }
    struct spatial F;
    F.u = vec_add(p, vec_scale(p, p->two, vec_cross(p, w, rate)), h2);
    F.w = vec_add(p, vec_add(p, apply_moments(p, &E, w), vec_cross(p, w, k)), k2);
    return F;
}

/* sum_i (dk_j/de_i - dk_i/de_j) e_i' */
static struct vec gyroscopic(const struct elastic *x, int j)
{
    struct pool *p = x->p;
    return vec_sub(p, vec_sum(p, x->n, x->f->kk + j * x->n, 1, x->v), vec_sum(p, x->n, x->f->kk + j, x->n, x->v));
}

Expr elastic_row(const struct elastic *x, int j)
{
    struct pool *p = x->p;
    const struct tree_flex *f = x->f;
    Expr sum = expr_add(p, vec_dot(p, f->h[j], x->m->a), vec_dot(p, f->k[j], x->m->dw));
    sum = expr_add(p, sum, expr_add(p, centrifugal(p, &f->E[j], x->m->w), vec_dot(p, tree_hold_vec(p, gyroscopic(x, j)), x->m->w)));
    for (int i = 0; i < x->n; i++)
        sum = expr_add(p, sum, expr_mul(p, f->mass[j * x->n + i], x->dv[i]));
    return tree_hold(p, sum);
}

Expr elastic_kinetic(const struct elastic *x)
{
    struct pool *p = x->p;
    struct vec rate = vec_sum(p, x->n, x->f->h, 1, x->v), k = vec_sum(p, x->n, x->f->k, 1, x->v);
    Expr sum = expr_add(p, vec_dot(p, x->m->u, rate), vec_dot(p, x->m->w, k));
    for (int j = 0; j < x->n; j++) {
        Expr row = p->zero;
        for (int i = 0; i < x->n; i++)
            row = expr_add(p, row, expr_mul(p, x->f->mass[j * x->n + i], x->v[i]));
        sum = expr_add(p, sum, expr_product(p, 3, (Expr[]){p->half, x->v[j], tree_hold(p, row)}));
    }
    return tree_hold(p, sum);
}

/* --- derivatives, the motion of the frame being what it is ------------------------------------------------------------------------------ */

/* The mass moves against the frame: P = sum m y and K = sum m y x' have P and K of h' and of (E' + [k])/2 more; twice that. */
void elastic_coriolis(const struct elastic *x, struct mat *K, struct vec *P)
{
    struct pool *p = x->p;
    struct vec k = vec_sum(p, x->n, x->f->k, 1, x->v);
    struct mat E = mat_sum(p, x->n, x->f->E, 1, x->v);
    *P = vec_add(p, *P, vec_scale(p, p->two, vec_sum(p, x->n, x->f->h, 1, x->v)));
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, n = (i + 2) % 3;
        K->m[i][i] = expr_add(p, K->m[i][i], E.m[i][i]);
        K->m[i][j] = expr_add(p, K->m[i][j], expr_sub(p, E.m[i][j], k.x[n]));
        K->m[j][i] = expr_add(p, K->m[j][i], expr_add(p, E.m[j][i], k.x[n]));
    }
}

struct spatial elastic_force_by_q(const struct elastic *x, int d)
{
    struct pool *p = x->p;
    const struct tree_flex *f = x->f;
    const struct tree_motion *m = x->m;
    int n = x->n;
    struct tree_inertia changed = {p->zero, f->h[d], f->E[d]};
    struct spatial F = tree_body_force(p, &changed, m);
    struct mat E = mat_sum(p, n, f->EE + d * n, 1, x->v);
    F.u = vec_add(p, F.u, vec_scale(p, p->two, vec_cross(p, m->w, vec_sum(p, n, f->hh + d * n, 1, x->v))));
    F.u = vec_add(p, F.u, vec_sum(p, n, f->hh + d * n, 1, x->dv));
    F.w = vec_add(p, F.w, vec_add(p, apply_moments(p, &E, m->w), vec_cross(p, m->w, vec_sum(p, n, f->kk + d, n, x->v))));
    F.w = vec_add(p, F.w, vec_sum(p, n, f->kk + d, n, x->dv));
    return spatial_hold(p, F);
}

struct spatial elastic_force_by_v(const struct elastic *x, int d)
{
    struct pool *p = x->p;
    const struct tree_flex *f = x->f;
    int n = x->n;
    struct vec w = x->m->w;
    struct spatial F;
    F.u = vec_scale(p, p->two, vec_add(p, vec_cross(p, w, f->h[d]), vec_sum(p, n, f->hh + d * n, 1, x->v)));
    F.w = vec_add(p, apply_moments(p, &f->E[d], w), vec_cross(p, w, f->k[d]));
    F.w = vec_add(p, F.w, vec_add(p, vec_sum(p, n, f->kk + d * n, 1, x->v), vec_sum(p, n, f->kk + d, n, x->v)));
    return spatial_hold(p, F);
}

/* A motion (psi, phi) of the frame as in derivative.c changes the row by h.(phi_u + 2 psi_w x u) + k.(phi_w + psi_w x w) + ...: this couple times psi_w. */
struct vec elastic_couple(const struct elastic *x, int j)
{
    struct pool *p = x->p;
    const struct tree_flex *f = x->f;
    struct vec sum = vec_add(p, vec_scale(p, p->two, vec_cross(p, x->m->u, f->h[j])), vec_cross(p, x->m->w, f->k[j]));
    return tree_hold_vec(p, vec_add(p, sum, vec_sub(p, gyroscopic(x, j), apply_moments(p, &f->E[j], x->m->w))));
}

Expr elastic_row_by_q(const struct elastic *x, int j, int d)
{
    struct pool *p = x->p;
    const struct tree_flex *f = x->f;
    int at = j * x->n + d;
    Expr sum = expr_add(p, vec_dot(p, f->hh[at], x->m->a), vec_dot(p, f->kk[at], x->m->dw));
    return expr_add(p, sum, centrifugal(p, &f->EE[at], x->m->w));
}

Expr elastic_row_by_v(const struct elastic *x, int j, int d)
{
    struct vec k = vec_sub(x->p, x->f->kk[j * x->n + d], x->f->kk[d * x->n + j]);
    return vec_dot(x->p, k, x->m->w);
}
