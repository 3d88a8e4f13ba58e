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

/* What is left of the inertia when the column moves freely: I - U U'/D, in which S has no inertia.  That is exact for a column
 * along one axis, whose row and column are set to zero. */
struct eliminated articulated_eliminate(struct pool *p, struct articulated *a, struct spatial S, Expr more, bool last)
{
    struct eliminated e;
    e.U.w = vec_add(p, mat_apply(p, &a->J, S.w), mat_apply(p, &a->H, S.u));
    e.U.u = vec_add(p, mat_apply_transposed(p, &a->H, S.w), mat_apply(p, &a->N, S.u));
    e.U = spatial_hold(p, e.U);
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

/* The columns of a body from the last to the first; up: b - S' p; down: rates. */
void tree_solve(struct pool *p, const struct tree *t, const Expr *diagonal, int n, const Expr *b, Expr *x)
{
    if (tree_is_plane(p, t)) {
        plane_solve(p, t, diagonal, n, b, x);
        return;
    }
    struct arena scratch = {0};
    struct articulated *I = ARENA_NEW(&scratch, struct articulated, t->n);
    struct eliminated *e = ARENA_NEW(&scratch, struct eliminated, tree_columns(t));
    struct spatial *force = ARENA_NEW(&scratch, struct spatial, t->n);
    struct tree_motion *still = ARENA_NEW(&scratch, struct tree_motion, t->n);
    int *first = ARENA_NEW(&scratch, int, t->n + 1), columns = tree_columns(t);
    for (int i = 0, c = 0; i < t->n; c += t->at[i++].columns) {
        first[i] = c;
        I[i] = rigid(p, &t->at[i].inertia);
    }
    for (int i = t->n - 1; i >= 0; i--) {
        const struct tree_body *body = &t->at[i];
        bool root = body->parent < 0;
        I[i] = articulated_hold(p, I[i]);
        for (int c = body->columns - 1; c >= 0; c--)
            e[first[i] + c] = articulated_eliminate(p, &I[i], column_of(&body->column[c]), diagonal[first[i] + c], root && c == 0);
        if (root)
            continue;
        struct articulated up = articulated_to_parent(p, body, I[i]), *to = &I[body->parent];
        *to = (struct articulated){mat_add(p, to->J, &up.J), mat_add(p, to->H, &up.H), mat_add(p, to->N, &up.N)};
    }
    tree_motions(p, t, NULL, still);
    for (int k = 0; k < n; k++) {       /* right-hand sides */
        const Expr *rhs = b + (size_t)k * (size_t)columns;
        Expr *rate = x + (size_t)k * (size_t)columns;
        for (int i = 0; i < t->n; i++)
            force[i] = spatial_zero(p);
        if (k == 0)
            tree_body_forces(p, t, still, force);
        for (int i = t->n - 1; i >= 0; i--) {
            const struct tree_body *body = &t->at[i];
            force[i] = spatial_hold(p, force[i]);
            for (int c = body->columns - 1; c >= 0; c--) {
                const struct eliminated *at = &e[first[i] + c];
                Expr y = tree_hold(p, expr_sub(p, rhs[first[i] + c], spatial_dot(p, column_of(&body->column[c]), force[i])));
                rate[first[i] + c] = y;
                force[i] = spatial_add(p, force[i], (struct spatial){vec_scale(p, y, at->W.w), vec_scale(p, y, at->W.u)});
                force[i] = spatial_hold(p, force[i]);
            }
            if (body->parent >= 0)
                force[body->parent] = spatial_add(p, force[body->parent], force_to_parent(p, body, force[i]));
        }
        struct spatial *motion = force;     /* accelerations, from the root */
        for (int i = 0; i < t->n; i++) {
            const struct tree_body *body = &t->at[i];
            struct spatial A = body->parent < 0 ? spatial_zero(p) : motion_to_child(p, body, motion[body->parent]);
            for (int c = 0; c < body->columns; c++) {
                const struct eliminated *at = &e[first[i] + c];
                const struct tree_column *s = &body->column[c];
                Expr y = expr_mul(p, at->inverse, rate[first[i] + c]);
                Expr r = expr_hold(p, expr_sub(p, y, spatial_dot(p, at->W, A)));
                rate[first[i] + c] = r;
                A = spatial_hold(p, spatial_add(p, A, (struct spatial){vec_scale(p, r, s->w), vec_scale(p, r, s->u)}));
            }
            motion[i] = A;
        }
    }
    arena_free(&scratch);
}
