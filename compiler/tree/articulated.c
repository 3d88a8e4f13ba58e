/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * M x = b in a time linear in the number of bodies, by articulated bodies (Featherstone 1983): each column is eliminated from the
 * inertia of all bodies behind its joint, and what is left is the parent's to carry.  Velocities and weight are in the forces
 * at zero acceleration, which the inverse dynamics give for each body and which go to the root together with the columns'.
 *
 * A force is (J w + H u, H' w + N u) for a motion (w, u): J and N symmetric.
 */
#include "tree/recursion.h"

#include "base/arena.h"

static struct articulated rigid(struct pool *p, const struct tree_inertia *i)
{
    struct articulated a;
    for (int x = 0; x < 3; x++) {
        int y = (x + 1) % 3, z = (x + 2) % 3;
        a.J.m[x][x] = expr_add(p, i->E.m[y][y], i->E.m[z][z]);
        a.J.m[x][y] = a.J.m[y][x] = expr_neg(p, i->E.m[x][y]);
        a.H.m[x][x] = p->zero;
        a.H.m[x][y] = expr_neg(p, i->h.x[z]);
        a.H.m[y][x] = i->h.x[z];
        a.N.m[x][x] = i->m;
        a.N.m[x][y] = a.N.m[y][x] = p->zero;
    }
    return a;
}

static struct mat mat_add(struct pool *p, struct mat a, const struct mat *b)
{
    for (int k = 0; k < 9; k++)
        a.m[k / 3][k % 3] = expr_add(p, a.m[k / 3][k % 3], b->m[k / 3][k % 3]);
    return a;
}

/* a - u w', in the upper triangle and alike below if symmetric. */
static void subtract_outer(struct pool *p, struct mat *a, struct vec u, struct vec w, bool symmetric)
{
    for (int i = 0; i < 3; i++)
        for (int j = symmetric ? i : 0; j < 3; j++) {
            a->m[i][j] = expr_sub(p, a->m[i][j], expr_mul(p, u.x[i], w.x[j]));
            if (symmetric)
                a->m[j][i] = a->m[i][j];
        }
}

static struct articulated articulated_hold(struct pool *p, struct articulated a)
{
    return (struct articulated){mat_hold(p, a.J), mat_hold(p, a.H), mat_hold(p, a.N)};
}

static struct spatial articulated_force(struct pool *p, const struct articulated *a, struct spatial S)
{
    struct spatial U;
    U.w = vec_add(p, mat_apply(p, &a->J, S.w), mat_apply(p, &a->H, S.u));
    U.u = vec_add(p, mat_apply_transposed(p, &a->H, S.w), mat_apply(p, &a->N, S.u));
    return spatial_hold(p, U);
}

/* What is left of the inertia when the column moves freely: I - U U'/D, in which S has no inertia.  That is exact for a column
 * along one axis, whose row and column are set to zero. */
struct eliminated articulated_eliminate(struct pool *p, struct articulated *a, struct spatial S, Expr more, bool last)
{
    struct eliminated e = {.U = articulated_force(p, a, S)};
    Expr D = tree_hold(p, expr_add(p, spatial_dot(p, S, e.U), more));
    e.inverse = expr_powi(p, D, -1);
    e.W = (struct spatial){vec_scale(p, e.inverse, e.U.w), vec_scale(p, e.inverse, e.U.u)};
    for (int i = 0; i < 3; i++) {
        e.W.w.x[i] = expr_hold(p, e.W.w.x[i]);
        e.W.u.x[i] = expr_hold(p, e.W.u.x[i]);
    }
    if (last)
        return e;
    subtract_outer(p, &a->J, e.U.w, e.W.w, true);
    subtract_outer(p, &a->H, e.U.w, e.W.u, false);
    subtract_outer(p, &a->N, e.U.u, e.W.u, true);
    for (int k = 0; k < 3 && more == p->zero; k++) {
        bool turn = S.w.x[k] == p->one, slide = S.u.x[k] == p->one;
        for (int i = 0; i < 3; i++) {
            turn = turn && S.u.x[i] == p->zero && (i == k || S.w.x[i] == p->zero);
            slide = slide && S.w.x[i] == p->zero && (i == k || S.u.x[i] == p->zero);
        }
        for (int i = 0; i < 3 && turn; i++)
            a->J.m[k][i] = a->J.m[i][k] = a->H.m[k][i] = p->zero;
        for (int i = 0; i < 3 && slide; i++)
            a->N.m[k][i] = a->N.m[i][k] = a->H.m[i][k] = p->zero;
    }
    *a = articulated_hold(p, *a);
    return e;
}

/* The origin moves by -s: H + [s] N, J + [s] Hn' + ([s] H')'. */
static struct articulated shift(struct pool *p, struct articulated a, struct vec s)
{
    struct articulated r = a;
    for (int j = 0; j < 3; j++) {
        struct vec k = vec_cross(p, s, mat_column(&a.N, j));
        for (int i = 0; i < 3; i++)
            r.H.m[i][j] = tree_hold(p, expr_add(p, a.H.m[i][j], k.x[i]));
    }
    for (int j = 0; j < 3; j++) {
        struct vec now = vec_cross(p, s, mat_row(&r.H, j)), before = vec_cross(p, s, mat_row(&a.H, j));
        for (int i = 0; i < 3; i++) {
            r.J.m[i][j] = expr_add(p, r.J.m[i][j], now.x[i]);
            r.J.m[j][i] = expr_add(p, r.J.m[j][i], before.x[i]);
        }
    }
    for (int i = 0; i < 3; i++)     /* both halves are equal; one is computed */
        for (int j = 0; j < i; j++)
            r.J.m[i][j] = r.J.m[j][i];
    return articulated_hold(p, r);
}

struct articulated articulated_to_parent(struct pool *p, const struct tree_body *b, struct articulated a)
{
    a.J = joint_turn_symmetric(p, b, &a.J);
    a.H = joint_turn_matrix(p, b, &a.H);
    a.N = joint_turn_symmetric(p, b, &a.N);
    a = shift(p, a, joint_shift(p, b));
    a.J = conjugate_symmetric(p, &b->place, &a.J);
    a.H = conjugate_matrix(p, &b->place, &a.H);
    a.N = conjugate_symmetric(p, &b->place, &a.N);
    return shift(p, a, b->at);
}

static void articulated_add(struct pool *p, struct articulated *to, const struct articulated *a)
{
    *to = (struct articulated){mat_add(p, to->J, &a->J), mat_add(p, to->H, &a->H), mat_add(p, to->N, &a->N)};
}

/* --- all of a tree ----------------------------------------------------------------------------------------------------- */

struct solver {
    struct pool *p;
    const struct tree *t;
    struct arena scratch;
    int *first, columns;        /* of each body, among all columns */
    struct articulated *I;
    struct eliminated *e;       /* by column */
    Expr **L;                   /* of a FLEX body: n x n, the unit lower triangle of its block */
    struct spatial *force;      /* on each body; then accelerations */
};

/* Elastic coordinates of a beam are a block: forces (D x + U'A) on them, and (I A + U x) on the body that carries the frame, of their accelerations x
 * and the frame's, A.  They are eliminated one by one, from the last, D = L' diag L.  What is left of I is the frame's. */
static void eliminate_block(struct solver *s, int i, const Expr *diagonal)
{
    struct pool *p = s->p;
    const struct tree_body *b = &s->t->at[i];
    int n = b->columns, frame = b->flex->frame;
    Expr *D = ARENA_NEW(&s->scratch, Expr, n * n + 1), *L = s->L[i] = ARENA_NEW(&s->scratch, Expr, n * n + 1);
    struct spatial *U = ARENA_NEW(&s->scratch, struct spatial, n + 1);
    struct articulated left = s->I[i];
    for (int c = 0; c < n; c++) {
        U[c] = articulated_force(p, &s->I[i], column_of(&b->column[c]));
        for (int d = 0; d < n; d++)
            D[d * n + c] = expr_add(p, spatial_dot(p, U[c], column_of(&b->column[d])), elastic_mass(p, b, i, d, c));
        D[c * n + c] = expr_add(p, D[c * n + c], diagonal[s->first[i] + c]);
    }
    if (frame == i)     /* S_d.U_c had no part of the frame's yet */
        for (int c = 0; c < n; c++)
            for (int d = 0; d < n; d++)
                D[d * n + c] = expr_add(p, D[d * n + c], spatial_dot(p, elastic_column(b, d), column_of(&b->column[c])));
    for (int c = 0; c < n; c++) {
        if (frame != i && b->parent >= 0)
            U[c] = force_to_parent(p, b, U[c]);
        U[c] = spatial_hold(p, spatial_add(p, U[c], elastic_column(b, c)));
    }
    if (frame != i && b->parent >= 0)
        left = articulated_to_parent(p, b, left);
    for (int c = n - 1; c >= 0; c--) {
        struct eliminated *e = &s->e[s->first[i] + c];
        e->inverse = expr_powi(p, tree_hold(p, D[c * n + c]), -1);
        for (int d = 0; d < c; d++) {
            D[c * n + d] = tree_hold(p, D[c * n + d]);
            L[c * n + d] = D[c * n + d] == p->zero ? p->zero : expr_hold(p, expr_mul(p, e->inverse, D[c * n + d]));
        }
        e->U = U[c] = spatial_hold(p, U[c]);
        e->W = (struct spatial){vec_scale(p, e->inverse, U[c].w), vec_scale(p, e->inverse, U[c].u)};
        for (int k = 0; k < 3; k++) {
            e->W.w.x[k] = expr_hold(p, e->W.w.x[k]);
            e->W.u.x[k] = expr_hold(p, e->W.u.x[k]);
        }
        for (int d = 0; d < c; d++) {
            if (L[c * n + d] == p->zero)
                continue;
            Expr l = expr_neg(p, L[c * n + d]);
            U[d] = spatial_add(p, U[d], (struct spatial){vec_scale(p, l, U[c].w), vec_scale(p, l, U[c].u)});
            for (int k = 0; k <= d; k++)
                D[d * n + k] = expr_add(p, D[d * n + k], expr_mul(p, l, D[c * n + k]));
        }
        if (b->parent < 0)
            continue;
        subtract_outer(p, &left.J, e->U.w, e->W.w, true);
        subtract_outer(p, &left.H, e->U.w, e->W.u, false);
        subtract_outer(p, &left.N, e->U.u, e->W.u, true);
    }
    if (b->parent < 0)
        return;
    if (frame == i)
        left = articulated_to_parent(p, b, articulated_hold(p, left));
    articulated_add(p, &s->I[b->parent], &left);
}

static void eliminate(struct solver *s, const Expr *diagonal)
{
    struct pool *p = s->p;
    for (int i = s->t->n - 1; i >= 0; i--) {
        const struct tree_body *b = &s->t->at[i];
        bool root = b->parent < 0;
        s->I[i] = articulated_hold(p, s->I[i]);
        if (b->flex) {
            eliminate_block(s, i, diagonal);
            continue;
        }
        for (int c = b->columns - 1; c >= 0; c--)
            s->e[s->first[i] + c] = articulated_eliminate(p, &s->I[i], column_of(&b->column[c]), diagonal[s->first[i] + c], root && c == 0);
        if (root)
            continue;
        struct articulated up = articulated_to_parent(p, b, s->I[i]);
        articulated_add(p, &s->I[b->parent], &up);
    }
}

static struct spatial scaled(struct pool *p, Expr x, struct spatial a)
{
    return (struct spatial){vec_scale(p, x, a.w), vec_scale(p, x, a.u)};
}

/* From the tips: y = b - S' p, and what the parent gets. */
static void forces_up(struct solver *s, const Expr *rhs, Expr *rate)
{
    struct pool *p = s->p;
    for (int i = s->t->n - 1; i >= 0; i--) {
        const struct tree_body *b = &s->t->at[i];
        int first = s->first[i], n = b->columns;
        bool late = b->flex && b->flex->frame != i;     /* the columns' forces act on the parent */
        struct spatial F = s->force[i] = spatial_hold(p, s->force[i]);
        if (late && b->parent >= 0)
            F = force_to_parent(p, b, F);
        for (int c = 0; b->flex && c < n; c++)
            rate[first + c] = tree_hold(p, expr_sub(p, rhs[first + c], spatial_dot(p, column_of(&b->column[c]), s->force[i])));
        for (int c = n - 1; c >= 0; c--) {
            const struct eliminated *at = &s->e[first + c];
            Expr y = b->flex ? rate[first + c] : expr_sub(p, rhs[first + c], spatial_dot(p, column_of(&b->column[c]), F));
            y = rate[first + c] = tree_hold(p, y);
            for (int d = 0; b->flex && d < c; d++)
                rate[first + d] = expr_sub(p, rate[first + d], expr_mul(p, s->L[i][c * n + d], y));
            F = spatial_hold(p, spatial_add(p, F, scaled(p, y, at->W)));
        }
        if (b->parent >= 0)
            s->force[b->parent] = spatial_add(p, s->force[b->parent], late ? F : force_to_parent(p, b, F));
    }
}

/* Accelerations, from the root. */
static void motions_down(struct solver *s, Expr *rate)
{
    struct pool *p = s->p;
    struct spatial *motion = s->force;
    for (int i = 0; i < s->t->n; i++) {
        const struct tree_body *b = &s->t->at[i];
        struct spatial above = b->parent < 0 ? spatial_zero(p) : motion[b->parent], A = b->parent < 0 ? above : motion_to_child(p, b, above);
        int n = b->columns;
        bool late = b->flex && b->flex->frame != i;
        struct spatial frame = late ? above : A;
        for (int c = 0; c < n; c++) {
            const struct eliminated *at = &s->e[s->first[i] + c];
            Expr y = expr_mul(p, at->inverse, rate[s->first[i] + c]);
            Expr r = expr_sub(p, y, spatial_dot(p, at->W, b->flex ? frame : A));
            for (int d = 0; b->flex && d < c; d++)
                r = expr_sub(p, r, expr_mul(p, s->L[i][c * n + d], rate[s->first[i] + d]));
            r = rate[s->first[i] + c] = expr_hold(p, r);
            A = spatial_hold(p, spatial_add(p, A, scaled(p, r, column_of(&b->column[c]))));
        }
        motion[i] = A;
    }
}

/* The columns of a body from the last to the first; up: b - S' p; down: rates. */
void tree_solve(struct pool *p, const struct tree *t, const Expr *diagonal, int n, const Expr *b, Expr *x)
{
    if (tree_is_plane(p, t)) {
        plane_solve(p, t, diagonal, n, b, x);
        return;
    }
    struct solver s = {.p = p, .t = t, .columns = tree_columns(t)};
    s.I = ARENA_NEW(&s.scratch, struct articulated, t->n);
    s.e = ARENA_NEW(&s.scratch, struct eliminated, s.columns);
    s.L = ARENA_NEW(&s.scratch, Expr *, t->n + 1);
    s.force = ARENA_NEW(&s.scratch, struct spatial, t->n);
    s.first = ARENA_NEW(&s.scratch, int, t->n + 1);
    struct tree_motion *still = ARENA_NEW(&s.scratch, struct tree_motion, t->n);
    for (int i = 0, c = 0; i < t->n; c += t->at[i++].columns) {
        s.first[i] = c;
        s.I[i] = rigid(p, &t->at[i].inertia);
    }
    eliminate(&s, diagonal);
    tree_motions(p, t, NULL, still);
    for (int k = 0; k < n; k++) {       /* right-hand sides */
        Expr *rhs = ARENA_NEW(&s.scratch, Expr, s.columns + 1);
        for (int c = 0; c < s.columns; c++)
            rhs[c] = b[(size_t)k * (size_t)s.columns + (size_t)c];
        for (int i = 0; i < t->n; i++)
            s.force[i] = spatial_zero(p);
        if (k == 0)
            tree_body_forces(p, t, still, NULL, s.force);
        for (int i = 0; i < t->n && k == 0; i++) {
            struct tree_motion ground;
            if (!t->at[i].flex)
                continue;
            struct elastic e = elastic_begin(p, &s.scratch, &t->at[i], tree_frame_motion(p, t, t->at[i].flex, still, &ground), NULL);
            for (int c = 0; c < t->at[i].columns; c++)
                rhs[s.first[i] + c] = expr_sub(p, rhs[s.first[i] + c], elastic_row(&e, c));
        }
        Expr *rate = x + (size_t)k * (size_t)s.columns;
        forces_up(&s, rhs, rate);
        motions_down(&s, rate);
    }
    arena_free(&s.scratch);
}
