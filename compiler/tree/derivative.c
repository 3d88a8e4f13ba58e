/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Derivatives of the inverse dynamics by recursion (Carpentier, Mansard 2018; Singh, Russell, Wensing 2022).
 *
 * A small motion along a column S of joint j changes, in axes fixed to them, the velocities of all bodies behind it by one
 * vector psi and their accelerations by phi + psi x V, so that the force on each changes by  I phi + 2B psi,
 *
 *     2B x = V x* I x + x x* I V - I (V x x).
 *
 * For a mass point at x with velocity y, 2B maps a turn d to the force 2 m d x y, and a shift to nothing.  So with K = sum m y x'
 * and P = sum m y it is (2 (tr K - K) d, 2 d x P), twelve numbers: K turns like a matrix, and grows by P s' with the shift s of
 * the origin.  Twice K and twice P are kept, since the doubled inertias are constants.
 *
 * A rate changes velocities by S and accelerations by phi_v + S x V.  What a column's forces are for the joints above it is
 * carried to the root: F1 = I S, F2 = (2B)' S (a couple), F3 = 2B psi + I phi + S x* F, F4 = 2B S + I phi_v.
 */
#include "tree/recursion.h"

#include "base/arena.h"

#include <stdlib.h>

struct coriolis {
    struct mat K;               /* 2 sum m y x' */
    struct vec P;               /* 2 sum m y */
};

/* What one column of a joint changes. */
struct variation {
    struct spatial S, psi, phi, phi_v;
};

static struct coriolis coriolis_of(struct pool *p, const struct tree_inertia *i, const struct tree_motion *m)
{
    struct coriolis c;
    struct vec h = vec_scale(p, p->two, i->h);
    c.P = tree_hold_vec(p, vec_add(p, vec_scale(p, expr_mul(p, p->two, i->m), m->u), vec_cross(p, m->w, h)));
    for (int j = 0; j < 3; j++) {
        struct vec column = vec_scale(p, p->two, (struct vec){{i->E.m[0][j], i->E.m[1][j], i->E.m[2][j]}});
        struct vec k = vec_add(p, vec_cross(p, m->w, column), vec_scale(p, h.x[j], m->u));
        for (int n = 0; n < 3; n++)
            c.K.m[n][j] = k.x[n];
    }
    return c;
}

static struct mat shifted(struct pool *p, struct mat K, struct vec P, struct vec s)
{
    for (int k = 0; k < 9; k++)
        K.m[k / 3][k % 3] = expr_add(p, K.m[k / 3][k % 3], expr_mul(p, P.x[k / 3], s.x[k % 3]));
    return mat_hold(p, K);
}

static struct coriolis coriolis_to_parent(struct pool *p, const struct tree_body *b, const struct coriolis *from)
{
    struct coriolis c = {from->K, joint_turn(p, b, from->P)};
    c.K = joint_turn_matrix(p, b, &c.K);
    c.K = shifted(p, c.K, c.P, joint_shift(p, b));
    c.K = conjugate_matrix(p, &b->place, &c.K);
    c.P = tree_hold_vec(p, mat_apply(p, &b->place, c.P));
    c.K = shifted(p, c.K, c.P, b->at);
    return c;
}

/* (tr K - K) d, or with the transposed matrix. */
static struct vec couple(struct pool *p, const struct mat *K, struct vec d, bool transposed)
{
    struct vec r;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        Expr t[3] = {expr_mul(p, tree_hold(p, expr_add(p, K->m[j][j], K->m[k][k])), d.x[i]),
                     expr_neg(p, expr_mul(p, transposed ? K->m[j][i] : K->m[i][j], d.x[j])),
                     expr_neg(p, expr_mul(p, transposed ? K->m[k][i] : K->m[i][k], d.x[k]))};
        r.x[i] = expr_sum(p, 3, t);
    }
    return r;
}

static struct spatial apply_coriolis(struct pool *p, const struct coriolis *c, struct vec d)
{
    return (struct spatial){couple(p, &c->K, d, false), vec_cross(p, d, c->P)};
}

/* --- what a column changes ------------------------------------------------------------------------------------------ */

/* One column, or a ball joint's, whose motion against the parent is left out then: U, w of the parent in the body's axes. */
static struct variation vary_plain(struct pool *p, const struct tree_body *b, int c, const struct tree_motion *m)
{
    struct variation x = {.S = column_of(&b->column[c])};
    bool ball = b->kind == TREE_BALL;
    struct vec w = ball ? m->w_parent : m->w, e = x.S.w, g = x.S.u, we = tree_hold_vec(p, vec_cross(p, w, e));
    struct mat U = ball ? angular_matrix(p, m->w_parent, m->dw_parent) : m->U;
    struct vec both = ball ? vec_cross(p, tree_hold_vec(p, vec_add(p, w, m->w)), e) : vec_scale(p, p->two, we);
    x.psi.w = we;
    x.psi.u = vec_add(p, vec_cross(p, w, g), vec_cross(p, m->u, e));
    x.phi.w = apply_angular(p, &U, e);
    x.phi.u = vec_add(p, apply_angular(p, &U, g), vec_add(p, vec_cross(p, m->a, e), vec_scale(p, p->two, vec_cross(p, m->u, we))));
    x.phi_v.w = both;
    x.phi_v.u = vec_scale(p, p->two, x.psi.u);
    return x;
}

enum { GENERAL = 3 };           /* columns of a GENERAL joint at the most */

struct general {                /* derivatives of a GENERAL joint's columns */
    struct vec dS[GENERAL][GENERAL];        /* [k][c]: of column k (its part that is not zero) by coordinate c */
    struct vec rate[GENERAL], dot[GENERAL];         /* of S rate, and of S rate' + bias, by coordinate c */
    struct vec bias_v[GENERAL];     /* of the bias by rate c */
};

static struct general vary_joint(struct pool *p, const struct tree_body *b, const struct model *model, const Expr *a)
{
    struct general x;
    bool shift = b->column[0].w.x[0] == p->zero && b->column[0].w.x[1] == p->zero && b->column[0].w.x[2] == p->zero;
    for (int c = 0; c < b->columns; c++) {
        const struct model_coord *q = &model->coord.at[b->coord[c]];
        for (int i = 0; i < 3; i++) {
            Expr bias = shift ? b->bias_u.x[i] : b->bias_w.x[i], rate = p->zero, dot = expr_diff(p, bias, q->q);
            for (int k = 0; k < b->columns; k++) {
                Expr d = tree_hold(p, expr_diff(p, shift ? b->column[k].u.x[i] : b->column[k].w.x[i], q->q));
                x.dS[k][c].x[i] = d;
                rate = expr_add(p, rate, expr_mul(p, d, b->column[k].rate));
                dot = expr_add(p, dot, expr_mul(p, d, a[b->coord[k]]));
            }
            x.rate[c].x[i] = tree_hold(p, rate);
            x.dot[c].x[i] = tree_hold(p, dot);
            x.bias_v[c].x[i] = tree_hold(p, expr_diff(p, bias, q->v));
        }
    }
    return x;
}

static bool is_zero(const struct pool *p, struct vec v)
{
    return v.x[0] == p->zero && v.x[1] == p->zero && v.x[2] == p->zero;
}

static struct variation vary_general(struct pool *p, const struct tree_body *b, int c, const struct tree_motion *m, const struct general *g)
{
    struct variation x = {column_of(&b->column[c]), spatial_zero(p), spatial_zero(p), spatial_zero(p)};
    if (is_zero(p, x.S.w)) {    /* a shift */
        x.psi.u = vec_add(p, vec_cross(p, m->w, x.S.u), g->rate[c]);
        x.phi.u = vec_add(p, apply_angular(p, &m->U, x.S.u), vec_add(p, vec_scale(p, p->two, vec_cross(p, m->w, g->rate[c])), g->dot[c]));
        x.phi_v.u = vec_add(p, vec_scale(p, p->two, vec_cross(p, m->w, x.S.u)), g->bias_v[c]);
        return x;
    }
    struct vec W = x.S.w, wp = m->w_parent, wJ = tree_hold_vec(p, vec_sub(p, m->w, wp)), wW = tree_hold_vec(p, vec_cross(p, wp, W));
    struct vec y = tree_hold_vec(p, vec_add(p, wW, g->rate[c]));
    struct vec ddw = vec_add(p, vec_cross(p, m->dw_parent, W), g->dot[c]);
    ddw = vec_add(p, ddw, vec_add(p, vec_cross(p, wW, wJ), vec_cross(p, wp, g->rate[c])));
    x.psi = (struct spatial){y, vec_cross(p, m->u, W)};
    x.phi.w = vec_sub(p, ddw, vec_cross(p, y, m->w));
    x.phi.u = vec_add(p, vec_cross(p, m->a, W), vec_scale(p, p->two, vec_cross(p, m->u, y)));
    x.phi_v.w = vec_add(p, vec_add(p, wW, g->bias_v[c]), vec_cross(p, m->w, W));
    x.phi_v.u = vec_scale(p, p->two, vec_cross(p, m->u, W));
    return x;
}

/* --- the tip of a beam -------------------------------------------------------------------------------------------------------- */

/* Derivatives by coordinate c of a motion with angular velocity w and shift s: of w and s', of their derivatives at given accelerations, and by the
 * rate of these. */
struct bent {
    struct vec w, dw, dw_v, s, ds, dds, dds_v;
};

/* By one symbol, of many expressions with what they share. */
static struct vec along(struct pool *p, struct direction *d, struct vec x)
{
    struct vec r;
    for (int i = 0; i < 3; i++)
        r.x[i] = tree_hold(p, direction_diff(d, x.x[i]));
    return r;
}

/* The tip of a beam is turned and shifted by the same coordinates.  In the axes of the body, which turn with it,
 *     u = R'(u_p + w_p x s + s'),   a = R'(a_p + U_p s + 2 w_p x s' + s''),   w = R' w_p + W,   w' = R' w_p' + R' w_p x W + W'. */
static struct variation vary_flex(struct pool *p, const struct tree_body *b, int c, const struct tree_motion *m, const struct model *model, const Expr *a)
{
    const struct model_coord *q = &model->coord.at[b->coord[c]];
    struct variation x = {.S = column_of(&b->column[c])};
    struct direction *by_q = direction_new(p, 1, &q->q, &p->one), *by_v = direction_new(p, 1, &q->v, &p->one);
    struct bent d = {.w = vec_zero(p), .dw = along(p, by_q, b->bias_w), .dw_v = along(p, by_v, b->bias_w), .s = b->shift[c], .ds = vec_zero(p),
                     .dds = along(p, by_q, b->bias_u), .dds_v = along(p, by_v, b->bias_u)};
    for (int k = 0; k < b->columns; k++) {
        struct vec w = along(p, by_q, b->column[k].w), s = along(p, by_q, b->shift[k]);
        d.w = vec_add(p, d.w, vec_scale(p, b->column[k].rate, w));
        d.ds = vec_add(p, d.ds, vec_scale(p, b->column[k].rate, s));
        d.dw = vec_add(p, d.dw, vec_scale(p, a[b->coord[k]], w));
        d.dds = vec_add(p, d.dds, vec_scale(p, a[b->coord[k]], s));
    }
    direction_free(by_q);
    direction_free(by_v);
    struct vec W = x.S.w, wp = m->w_parent, wJ = tree_hold_vec(p, vec_sub(p, m->w, wp)), wW = tree_hold_vec(p, vec_cross(p, wp, W));
    struct mat Up = angular_matrix(p, wp, m->dw_parent);
    struct vec s = joint_turn_back(p, b, d.s), ds = joint_turn_back(p, b, tree_hold_vec(p, d.ds)), dds = joint_turn_back(p, b, tree_hold_vec(p, d.dds));
    struct vec dds_v = joint_turn_back(p, b, d.dds_v);
    d.w = tree_hold_vec(p, d.w);
    d.dw = tree_hold_vec(p, d.dw);
    /* changes of w, u, w' and a */
    struct vec y = tree_hold_vec(p, vec_add(p, wW, d.w));
    struct vec du = vec_add(p, vec_add(p, vec_cross(p, wp, s), ds), vec_cross(p, m->u, W));
    struct vec ddw = vec_add(p, vec_add(p, vec_cross(p, m->dw_parent, W), d.dw), vec_add(p, vec_cross(p, wW, wJ), vec_cross(p, wp, d.w)));
    struct vec da = vec_add(p, apply_angular(p, &Up, s), vec_add(p, vec_scale(p, p->two, vec_cross(p, wp, ds)), dds));
    da = vec_add(p, da, vec_cross(p, m->a, W));
    x.psi = (struct spatial){y, du};
    x.phi.w = vec_sub(p, ddw, vec_cross(p, y, m->w));
    x.phi.u = vec_add(p, da, vec_scale(p, p->two, vec_cross(p, m->u, y)));
    x.phi_v.w = vec_add(p, vec_add(p, wW, d.dw_v), vec_cross(p, m->w, W));
    x.phi_v.u = vec_add(p, vec_add(p, vec_scale(p, p->two, vec_cross(p, wp, x.S.u)), dds_v), vec_scale(p, p->two, vec_cross(p, m->u, W)));
    return x;
}

/* --- all pairs --------------------------------------------------------------------------------------------------------- */

struct work {
    struct pool *p;
    const struct tree *t;
    struct tree_motion *m;
    struct spatial *F;
    struct tree_inertia *I;     /* composites */
    struct coriolis *C;
    int *first, columns;        /* of each body, among all columns */
    struct variation *x;        /* by column */
    Expr *tau, *by_q, *by_v, *by_a;     /* by column: forces, and their derivatives by columns (columns * columns) */
    struct elastic *e;          /* by body: of FLEX bodies */
    struct tree_motion ground;
};

static Expr *cell(const struct work *k, Expr *m, int row, int col)
{
    return &m[(size_t)row * (size_t)k->columns + (size_t)col];
}

static void column_forces(struct work *k, int body, int c)
{
    struct pool *p = k->p;
    const struct variation *x = &k->x[k->first[body] + c];
    const struct coriolis *B = &k->C[body];
    int row = k->first[body] + c;
    struct spatial F1 = spatial_momentum(p, &k->I[body], x->S);
    struct vec F2 = tree_hold_vec(p, vec_add(p, couple(p, &B->K, x->S.w, true), vec_cross(p, B->P, x->S.u)));
    struct spatial F3 = spatial_add(p, apply_coriolis(p, B, x->psi.w), spatial_momentum(p, &k->I[body], x->phi));
    struct spatial cross = {vec_add(p, vec_cross(p, x->S.w, k->F[body].w), vec_cross(p, x->S.u, k->F[body].u)),
                            vec_cross(p, x->S.w, k->F[body].u)};
    F3 = spatial_hold(p, spatial_add(p, F3, cross));
    struct spatial F4 = spatial_hold(p, spatial_add(p, apply_coriolis(p, B, x->S.w), spatial_momentum(p, &k->I[body], x->phi_v)));
    const struct tree_flex *flex = k->t->at[body].flex;
    for (int j = body; j >= 0; j = k->t->at[j].parent) {
        if (flex && flex->frame == j) {
            const struct elastic *e = &k->e[body];
            F1 = spatial_hold(p, spatial_add(p, F1, elastic_column(e->b, c)));
            F2 = tree_hold_vec(p, vec_add(p, F2, elastic_couple(e, c)));
            F3 = spatial_hold(p, spatial_add(p, F3, elastic_force_by_q(e, c)));
            F4 = spatial_hold(p, spatial_add(p, F4, elastic_force_by_v(e, c)));
        }
        for (int d = 0; d < k->t->at[j].columns; d++) {
            int col = k->first[j] + d;
            const struct variation *y = &k->x[col];
            *cell(k, k->by_a, row, col) = *cell(k, k->by_a, col, row) = tree_hold(p, spatial_dot(p, F1, y->S));
            *cell(k, k->by_q, row, col) = tree_hold(p, expr_add(p, vec_dot(p, F2, y->psi.w), spatial_dot(p, F1, y->phi)));
            *cell(k, k->by_v, row, col) = tree_hold(p, expr_add(p, vec_dot(p, F2, y->S.w), spatial_dot(p, F1, y->phi_v)));
            if (j == body)
                continue;
            *cell(k, k->by_q, col, row) = tree_hold(p, spatial_dot(p, F3, y->S));
            *cell(k, k->by_v, col, row) = tree_hold(p, spatial_dot(p, F4, y->S));
        }
        if (k->t->at[j].parent < 0)
            break;
        const struct tree_body *b = &k->t->at[j];
        F1 = force_to_parent(p, b, F1);
        F2 = tree_hold_vec(p, mat_apply(p, &b->place, joint_turn(p, b, F2)));
        F3 = force_to_parent(p, b, F3);
        F4 = force_to_parent(p, b, F4);
    }
}

static void prepare(struct work *k, struct arena *scratch, const struct model *model, const Expr *a)
{
    struct pool *p = k->p;
    const struct tree *t = k->t;
    k->m = ARENA_NEW(scratch, struct tree_motion, t->n);
    k->F = ARENA_NEW(scratch, struct spatial, t->n);
    k->I = ARENA_NEW(scratch, struct tree_inertia, t->n);
    k->C = ARENA_NEW(scratch, struct coriolis, t->n);
    k->first = ARENA_NEW(scratch, int, t->n + 1);
    tree_motions(p, t, a, k->m);
    tree_forces(p, t, k->m, a, k->F);
    tree_composites(p, t, k->I);
    for (int i = 0; i < t->n; i++) {
        k->first[i] = k->columns;
        k->columns += t->at[i].columns;
        k->C[i] = coriolis_of(p, &t->at[i].inertia, &k->m[i]);
    }
    k->e = ARENA_NEW(scratch, struct elastic, t->n + 1);
    for (int i = 0; i < t->n; i++) {
        const struct tree_flex *f = t->at[i].flex;
        if (!f)
            continue;
        k->e[i] = elastic_begin(p, scratch, &t->at[i], tree_frame_motion(p, t, f, k->m, &k->ground), a);
        if (f->frame >= 0)
            elastic_coriolis(&k->e[i], &k->C[f->frame].K, &k->C[f->frame].P);
    }
    for (int i = t->n - 1; i >= 0; i--) {
        struct coriolis *c = &k->C[i], up;
        *c = (struct coriolis){mat_hold(p, c->K), tree_hold_vec(p, c->P)};
        if (t->at[i].parent < 0)
            continue;
        struct coriolis *to = &k->C[t->at[i].parent];
        up = coriolis_to_parent(p, &t->at[i], c);
        to->P = vec_add(p, to->P, up.P);
        for (int n = 0; n < 9; n++)
            to->K.m[n / 3][n % 3] = expr_add(p, to->K.m[n / 3][n % 3], up.K.m[n / 3][n % 3]);
    }
    size_t cells = (size_t)k->columns * (size_t)k->columns;
    k->x = ARENA_NEW(scratch, struct variation, k->columns);
    k->tau = ARENA_NEW(scratch, Expr, k->columns);
    Expr **matrix[3] = {&k->by_q, &k->by_v, &k->by_a};
    for (int i = 0; i < 3; i++) {
        *matrix[i] = ARENA_NEW(scratch, Expr, cells);
        for (size_t n = 0; n < cells; n++)
            (*matrix[i])[n] = p->zero;
    }
    for (int i = 0; i < t->n; i++) {
        const struct tree_body *b = &t->at[i];
        struct general g;
        if (b->kind == TREE_GENERAL)
            g = vary_joint(p, b, model, a);
        for (int c = 0; c < b->columns; c++) {
            struct variation *x = &k->x[k->first[i] + c];
            *x = b->kind == TREE_GENERAL ? vary_general(p, b, c, &k->m[i], &g) : b->flex ? vary_flex(p, b, c, &k->m[i], model, a) :
                 vary_plain(p, b, c, &k->m[i]);
            x->psi = spatial_hold(p, x->psi);
            x->phi = spatial_hold(p, x->phi);
            x->phi_v = spatial_hold(p, x->phi_v);
            k->tau[k->first[i] + c] = tree_hold(p, spatial_dot(p, column_of(&b->column[c]), k->F[i]));
        }
    }
}

/* Columns to coordinates: map, and what rates and maps of Euler parameters change themselves. */
struct chain_rule {
    Expr map, rate_q, dot_q, dot_v;     /* of a column, by one coordinate */
};

static struct chain_rule chain_of(struct pool *p, const struct tree_body *b, int c, int j, const struct model *model, const Expr *a)
{
    struct chain_rule r = {tree_map(b, c, j), p->zero, p->zero, p->zero};
    const struct model_coord *q = &model->coord.at[b->coord[j]];
    if (b->kind != TREE_BALL)
        return r;
    Expr dot = b->column[c].drift;
    for (int i = 0; i < b->coords; i++)
        dot = expr_add(p, dot, expr_mul(p, tree_map(b, c, i), a[b->coord[i]]));
    r.rate_q = tree_hold(p, expr_diff(p, b->column[c].rate, q->q));
    r.dot_q = tree_hold(p, expr_diff(p, dot, q->q));
    r.dot_v = tree_hold(p, expr_diff(p, b->column[c].drift, q->v));
    return r;
}

static void add_pair(struct work *k, int i, int j, const struct model *model, const Expr *a, int n, Expr *rq, Expr *rv)
{
    struct pool *p = k->p;
    const struct tree_body *bi = &k->t->at[i], *bj = &k->t->at[j];
    struct chain_rule *rule = mem_grow(NULL, (size_t)bj->columns, sizeof *rule);
    for (int y = 0; y < bj->coords; y++) {
        for (int d = 0; d < bj->columns; d++)
            rule[d] = chain_of(p, bj, d, y, model, a);
        for (int c = 0; c < bi->columns; c++) {
            int row = k->first[i] + c;
            Expr dq = p->zero, dv = p->zero;
            for (int d = 0; d < bj->columns; d++) {
                const struct chain_rule *r = &rule[d];
                if (bj->kind != TREE_BALL && d != y)
                    continue;
                int col = k->first[j] + d;
                Expr by_v = *cell(k, k->by_v, row, col), by_a = *cell(k, k->by_a, row, col);
                Expr tq[4] = {dq, expr_mul(p, *cell(k, k->by_q, row, col), r->map), expr_mul(p, by_v, r->rate_q), expr_mul(p, by_a, r->dot_q)};
                Expr tv[3] = {dv, expr_mul(p, by_v, r->map), expr_mul(p, by_a, r->dot_v)};
                dq = expr_sum(p, 4, tq);
                dv = expr_sum(p, 3, tv);
            }
            dq = tree_hold(p, dq);
            dv = tree_hold(p, dv);
            for (int x = 0; x < bi->coords; x++) {
                Expr map = tree_map(bi, c, x);
                if (map == p->zero)
                    continue;
                size_t at = (size_t)bi->coord[x] * (size_t)n + (size_t)bj->coord[y];
                rq[at] = expr_add(p, rq[at], expr_mul(p, map, dq));
                rv[at] = expr_add(p, rv[at], expr_mul(p, map, dv));
                if (i == j && bi->kind == TREE_BALL) {
                    Expr d = expr_diff(p, map, model->coord.at[bj->coord[y]].q);
                    rq[at] = expr_add(p, rq[at], expr_mul(p, d, k->tau[row]));
                }
            }
        }
    }
    free(rule);
}

/* Columns of a GENERAL joint move with its coordinates: S' F has the derivative dS' F beside S' dF. */
static void add_moving_columns(struct work *k, int i, const struct model *model, const Expr *a)
{
    const struct tree_body *b = &k->t->at[i];
    struct pool *p = k->p;
    if (b->kind != TREE_GENERAL)
        return;
    struct general g = vary_joint(p, b, model, a);
    for (int c = 0; c < b->columns; c++)
        for (int d = 0; d < b->columns; d++) {
            Expr *e = cell(k, k->by_q, k->first[i] + c, k->first[i] + d);
            struct vec F = is_zero(p, b->column[c].w) ? k->F[i].u : k->F[i].w;
            *e = tree_hold(p, expr_add(p, *e, vec_dot(p, g.dS[c][d], F)));
        }
}

/* Rows of elastic coordinates: their columns move with them, and the mass of the beam has rows of its own.  Where the frame is behind the tip, forces on it
 * change beside its motion. */
static void add_elastic(struct work *k, int i, const struct model *model)
{
    const struct tree_body *b = &k->t->at[i];
    struct pool *p = k->p;
    if (!b->flex)
        return;
    const struct elastic *e = &k->e[i];
    for (int d = 0; d < b->columns; d++) {
        struct direction *moved = direction_new(p, 1, &model->coord.at[b->coord[d]].q, &p->one);
        struct spatial by_q = spatial_zero(p), by_v = by_q;
        if (b->flex->frame == i) {
            by_q = elastic_force_by_q(e, d);
            by_v = elastic_force_by_v(e, d);
        }
        for (int c = 0; c < b->columns; c++) {
            struct spatial S = column_of(&b->column[c]), dS = {along(p, moved, S.w), along(p, moved, S.u)};
            Expr *cq = cell(k, k->by_q, k->first[i] + c, k->first[i] + d), *cv = cell(k, k->by_v, k->first[i] + c, k->first[i] + d);
            Expr more[4] = {*cq, spatial_dot(p, dS, k->F[i]), spatial_dot(p, S, by_q), elastic_row_by_q(e, c, d)};
            *cq = tree_hold(p, expr_sum(p, 4, more));
            *cv = tree_hold(p, expr_sum(p, 3, (Expr[]){*cv, spatial_dot(p, S, by_v), elastic_row_by_v(e, c, d)}));
        }
        direction_free(moved);
    }
}

void tree_jacobian(struct pool *p, const struct tree *t, const struct model *model, const Expr *a, Expr *rq, Expr *rv)
{
    struct arena scratch = {0};
    struct work k = {.p = p, .t = t};
    prepare(&k, &scratch, model, a);
    for (int i = 0; i < t->n; i++) {
        for (int c = 0; c < t->at[i].columns; c++)
            column_forces(&k, i, c);
        add_moving_columns(&k, i, model, a);
        add_elastic(&k, i, model);
    }
    for (int i = 0; i < t->n; i++)
        for (int j = i; j >= 0; j = t->at[j].parent) {
            add_pair(&k, i, j, model, a, model->coord.n, rq, rv);
            if (i != j)
                add_pair(&k, j, i, model, a, model->coord.n, rq, rv);
        }
    arena_free(&scratch);
}
