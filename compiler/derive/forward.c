/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * M a + G' lambda = f, G a + gamma = 0, solved for a and lambda in expressions.
 *
 * With a tree the unknowns are the accelerations x of its columns, a = B x + k: for Euler parameters a is B x = L' x/2 in the
 * directions that turn, and k = -e (e'.e')/(e.e) along e, by the constraint on their norm, which is left out with its multiplier.
 * What multiplies it follows at the end.  M x is solved by L D L', in an order of least degree, which has no fill on the
 * branches of a tree, or by articulated bodies; rows of constraints by S = G M^-1 G'.  The cheaper way is taken.
 */
#include "derive/forward.h"

#include "tape/tape.h"
#include "tree/recursion.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DENSE = 48, MOST_ROWS = 24 };       /* unknowns of L D L', rows of constraints */

struct system {
    const struct equations *eq;
    const struct tree *tree;    /* NULL: the unknowns are the coordinates */
    struct pool *p;
    struct arena arena;
    int n, rows;                /* unknowns, constraints that are left */
    int *row;                   /* their numbers */
    int *norm;                  /* of each body of the tree: the constraint on its norm, or -1 */
    Expr *M, *b;                /* n x n; right-hand side */
    Expr *force;                /* with a tree: b without what the bodies need at zero acceleration */
    Expr *G, *gamma;            /* rows x n */
    Expr *B, *k;                /* nq x n; nq */
    Expr *diagonal;             /* of what is not a body; articulated bodies can have it */
    bool articulated;
    bool massless;              /* a body has no mass, and M may be singular but for the constraints: pivots of M are looked at, too */
    bool dependent;             /* rows may depend on others: see forward.h */
};

static Expr *zeros(struct system *s, int n)
{
    Expr *x = ARENA_NEW(&s->arena, Expr, n + 1);
    for (int i = 0; i < n; i++)
        x[i] = s->p->zero;
    return x;
}

/* --- the system ------------------------------------------------------------------------------------------------------ */

/* The matrix B of one body: inverse of its map on what turns. */
static void body_accelerations(struct system *s, const struct tree_body *b, int first)
{
    struct pool *p = s->p;
    const struct model_coord *q = s->eq->model->coord.at;
    if (b->kind != TREE_BALL) {
        for (int c = 0; c < b->columns; c++)
            s->B[b->coord[c] * s->n + first + c] = tree_map(b, c, c);
        return;
    }
    Expr square[4], e[4], sign = b->reversed ? p->minus_one : p->one;
    for (int i = 0; i < 4; i++) {
        square[i] = expr_powi(p, q[b->coord[i]].v, 2);
        e[i] = i ? expr_mul(p, sign, q[b->coord[i]].q) : q[b->coord[i]].q;
    }
    Expr speed = tree_hold(p, expr_sum(p, 4, square));
    for (int i = 0; i < 4; i++)
        s->k[b->coord[i]] = expr_product(p, 4, (Expr[]){p->minus_one, b->scale, speed, q[b->coord[i]].q});
    for (int c = 0; c < 3; c++) {
        int j = (c + 1) % 3, k = (c + 2) % 3;
        Expr L[4];
        L[0] = expr_neg(p, e[1 + c]);
        L[1 + c] = expr_mul(p, sign, e[0]);
        L[1 + j] = expr_mul(p, sign, e[1 + k]);
        L[1 + k] = expr_neg(p, expr_mul(p, sign, e[1 + j]));
        for (int i = 0; i < 4; i++)
            s->B[b->coord[i] * s->n + first + c] = expr_mul(p, p->half, L[i]);
    }
}

static Expr norm_of(struct system *s, const struct tree_body *b)
{
    struct pool *p = s->p;
    Expr square[4];
    for (int i = 0; i < 4; i++)
        square[i] = expr_powi(p, s->eq->model->coord.at[b->coord[i]].q, 2);
    return expr_mul(p, p->half, expr_sub(p, expr_sum(p, 4, square), p->one));
}

/* Which constraint keeps the norm of each body's Euler parameters; false if one is missing. */
static bool find_norms(struct system *s)
{
    const struct model *m = s->eq->model;
    bool good = true;
    s->norm = ARENA_NEW(&s->arena, int, s->tree->n + 1);
    for (int i = 0; i < s->tree->n; i++) {
        s->norm[i] = -1;
        if (s->tree->at[i].kind != TREE_BALL)
            continue;
        Expr g = norm_of(s, &s->tree->at[i]);
        for (int k = 0; k < m->holonomic && s->norm[i] < 0; k++)
            if (m->constraint.at[k].g == g)
                s->norm[i] = k;
        good = good && s->norm[i] >= 0;
    }
    return good;
}

/* Does anything but bodies have mass along Euler parameters? */
static bool mass_on_balls(const struct system *s, const Expr *mass)
{
    int nq = s->eq->model->coord.n;
    for (int i = 0; i < s->tree->n; i++)
        for (int c = 0; s->tree->at[i].kind == TREE_BALL && c < 4; c++)
            for (int j = 0; j < nq; j++)
                if (mass[s->tree->at[i].coord[c] * nq + j] != s->p->zero || mass[j * nq + s->tree->at[i].coord[c]] != s->p->zero)
                    return true;
    return false;
}

static Expr dot(struct pool *p, int n, const Expr *a, int step_a, const Expr *b, int step_b)
{
    Expr sum = p->zero;
    for (int i = 0; i < n; i++)
        if (a[i * step_a] != p->zero && b[i * step_b] != p->zero)
            sum = expr_add(p, sum, expr_mul(p, a[i * step_a], b[i * step_b]));
    return tree_hold(p, sum);
}

static void tree_system(struct system *s, const Expr *force, const Expr *mass)
{
    struct pool *p = s->p;
    int nq = s->eq->model->coord.n, n = s->n;
    Expr *bias = zeros(s, n), *half = zeros(s, nq * n);
    for (int i = 0, c = 0; i < s->tree->n; c += s->tree->at[i++].columns)
        body_accelerations(s, &s->tree->at[i], c);
    tree_column_mass(p, s->tree, s->M);
    tree_column_forces(p, s->tree, NULL, bias);
    s->force = zeros(s, n);
    for (int c = 0; c < n; c++) {
        s->force[c] = dot(p, nq, s->B + c, n, force, 1);
        s->b[c] = tree_hold(p, expr_sub(p, s->force[c], bias[c]));
    }
    for (int i = 0; i < nq; i++)
        for (int c = 0; c < n; c++)
            half[i * n + c] = dot(p, nq, mass + i * nq, 1, s->B + c, n);
    s->articulated = true;
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++) {
            Expr more = dot(p, nq, s->B + r, n, half + c, n);
            s->M[r * n + c] = expr_add(p, s->M[r * n + c], more);
            if (r == c)
                s->diagonal[r] = more;
            else
                s->articulated = s->articulated && more == p->zero;
        }
}

static void coordinate_system(struct system *s)
{
    const struct eq_array *M = &s->eq->array[EQ_M];
    for (int j = 0; j < s->n; j++) {
        s->b[j] = tree_hold(s->p, s->eq->array[EQ_f].value[j]);
        s->B[j * s->n + j] = s->p->one;
        for (int k = M->colptr[j]; k < M->colptr[j + 1]; k++)
            s->M[M->rowidx[k] * s->n + j] = s->M[j * s->n + M->rowidx[k]] = tree_hold(s->p, M->value[k]);
    }
}

static void constraint_rows(struct system *s)
{
    struct pool *p = s->p;
    const struct model *m = s->eq->model;
    const struct eq_array *G = &s->eq->array[EQ_G];
    int nq = m->coord.n;
    Expr *dense = zeros(s, m->constraint.n * nq);
    for (int j = 0; j < nq; j++)
        for (int k = G->colptr[j]; k < G->colptr[j + 1]; k++)
            dense[G->rowidx[k] * nq + j] = tree_hold(p, G->value[k]);
    s->row = ARENA_NEW(&s->arena, int, m->constraint.n + 1);
    for (int k = 0; k < m->constraint.n; k++) {
        bool norm = false;
        for (int i = 0; s->tree && i < s->tree->n; i++)
            norm = norm || s->norm[i] == k;
        if (!norm)
            s->row[s->rows++] = k;
    }
    s->G = zeros(s, s->rows * s->n);
    s->gamma = zeros(s, s->rows);
    for (int r = 0; r < s->rows; r++) {
        const Expr *row = dense + s->row[r] * nq;
        for (int c = 0; c < s->n; c++)
            s->G[r * s->n + c] = dot(p, nq, row, 1, s->B + c, s->n);
        s->gamma[r] = expr_add(p, s->eq->array[EQ_gamma].value[s->row[r]], dot(p, nq, row, 1, s->k, 1));
    }
}

/* Is a row zero but for rounding, at any state?  S is singular then, and its pivot of the size of a rounding error does not show it. */
static bool has_vanishing_row(struct system *s)
{
    int entries = s->rows * s->n, found = 0;
    bool *zero = ARENA_NEW(&s->arena, bool, entries + 1), *row = ARENA_NEW(&s->arena, bool, s->rows + 1);
    memset(row, true, (size_t)s->rows * sizeof *row);
    expr_vanish(s->p, entries, s->G, zero);
    for (int i = 0; i < entries; i++)
        row[i / s->n] = row[i / s->n] && zero[i];
    for (int r = 0; r < s->rows; r++)
        found += row[r];
    return found;
}

static void system_init(struct system *s, const struct tree *tree, const Expr *force, const Expr *mass)
{
    int nq = s->eq->model->coord.n;
    s->tree = tree;
    if (tree && (!find_norms(s) || mass_on_balls(s, mass)))
        s->tree = NULL;
    s->n = s->tree ? tree_columns(s->tree) : nq;
    s->M = zeros(s, s->n * s->n);
    s->b = zeros(s, s->n);
    s->B = zeros(s, nq * s->n);
    s->k = zeros(s, nq);
    s->diagonal = zeros(s, s->n);
    if (s->tree)
        tree_system(s, force, mass);
    else
        coordinate_system(s);
    constraint_rows(s);
    s->massless = s->tree && s->rows && tree_has_massless(s->p, s->tree);
}

/* --- L D L' ------------------------------------------------------------------------------------------------------------- */

struct factors {
    int n, *order;
    Expr *L, *inverse;          /* n x n by columns of the order; 1/D */
};

static int least_degree(const struct pool *p, int n, const Expr *A, const bool *done)
{
    int best = -1, least = 0;
    for (int i = n - 1; i >= 0; i--) {
        int degree = 0;
        for (int j = 0; j < n && !done[i]; j++)
            degree += j != i && !done[j] && A[i * n + j] != p->zero;
        if (!done[i] && (best < 0 || degree < least)) {
            best = i;
            least = degree;
        }
    }
    return best;
}

/* A pivot that has lost seven digits to what was subtracted is not to be trusted. */
static Expr is_lost(struct pool *p, Expr pivot, Expr diagonal)
{
    return pivot == diagonal ? p->zero : expr_fn2(p, EXPR_LE, pivot, expr_mul(p, expr_double(p, 1e-7), diagonal));
}

/* A is used up.  False if a pivot is zero by structure.  `left_out`: rows whose pivots are lost get no part, and a 1 here. */
static bool factorise(struct system *s, int n, Expr *A, struct factors *f, Expr *lost, Expr *left_out)
{
    struct pool *p = s->p;
    bool *done = ARENA_NEW(&s->arena, bool, n + 1);
    Expr *diagonal = zeros(s, n);
    *f = (struct factors){n, ARENA_NEW(&s->arena, int, n + 1), zeros(s, n * n), zeros(s, n)};
    for (int i = 0; i < n; i++)
        diagonal[i] = A[i * n + i] = tree_hold(p, A[i * n + i]);
    for (int step = 0; step < n; step++) {
        int k = least_degree(p, n, A, done);
        Expr pivot = tree_hold(p, A[k * n + k]);
        if (pivot == p->zero)
            return false;
        f->order[step] = k;
        f->inverse[k] = expr_powi(p, pivot, -1);
        done[k] = true;
        if (lost)
            *lost = expr_add(p, *lost, is_lost(p, pivot, diagonal[k]));
        if (left_out && (left_out[k] = is_lost(p, pivot, diagonal[k])) != p->zero)
            f->inverse[k] = expr_if(p, left_out[k], p->zero, f->inverse[k]);
        for (int i = 0; i < n; i++)
            if (!done[i] && A[i * n + k] != p->zero) {
                A[i * n + k] = A[k * n + i] = tree_hold(p, A[i * n + k]);
                f->L[i * n + k] = expr_hold(p, expr_mul(p, A[i * n + k], f->inverse[k]));
            }
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++)
                if (!done[i] && !done[j] && A[i * n + k] != p->zero && A[j * n + k] != p->zero)
                    A[i * n + j] = A[j * n + i] = expr_sub(p, A[i * n + j], expr_mul(p, f->L[i * n + k], A[j * n + k]));
    }
    return true;
}

static void forward(struct system *s, const struct factors *f, Expr *x)
{
    for (int step = 0; step < f->n; step++) {
        int k = f->order[step];
        x[k] = tree_hold(s->p, x[k]);
        for (int i = 0; i < f->n && x[k] != s->p->zero; i++)
            if (f->L[i * f->n + k] != s->p->zero)
                x[i] = expr_sub(s->p, x[i], expr_mul(s->p, f->L[i * f->n + k], x[k]));
    }
}

static void backward(struct system *s, const struct factors *f, Expr *x)
{
    for (int step = f->n - 1; step >= 0; step--) {
        int k = f->order[step];
        for (int i = 0; i < f->n; i++)
            if (f->L[i * f->n + k] != s->p->zero && x[i] != s->p->zero)
                x[k] = expr_sub(s->p, x[k], expr_mul(s->p, f->L[i * f->n + k], x[i]));
        x[k] = tree_hold(s->p, x[k]);
    }
}

/* --- solutions ------------------------------------------------------------------------------------------------------------- */

struct solution {
    Expr *x, *lambda, lost;
    Expr *other, left_out;      /* with s->dependent: multipliers with a share of 1 for each row left out, and how many there are */
};

/* S lambda = rhs; S and rhs are used up. */
static bool solve_rows(struct system *s, Expr *S, Expr *rhs, struct solution *out)
{
    struct factors f;
    Expr *left_out = s->dependent ? zeros(s, s->rows) : NULL;
    if (!factorise(s, s->rows, S, &f, s->dependent ? NULL : &out->lost, left_out))
        return false;
    forward(s, &f, rhs);
    for (int i = 0; i < s->rows; i++)
        rhs[i] = expr_mul(s->p, f.inverse[i], rhs[i]);
    if (s->dependent) {
        out->other = zeros(s, s->rows);
        for (int i = 0; i < s->rows; i++) {
            out->other[i] = expr_add(s->p, rhs[i], left_out[i]);
            out->left_out = expr_add(s->p, out->left_out, left_out[i]);
        }
        backward(s, &f, out->other);
    }
    backward(s, &f, rhs);
    out->lambda = rhs;
    return true;
}

/* With W = L^-1 G' and y = L^-1 b:  S = W' D^-1 W,  S lambda = W' D^-1 y + gamma,  L' x = D^-1 (y - W lambda). */
static bool by_factors(struct system *s, struct solution *out)
{
    struct pool *p = s->p;
    int n = s->n, rows = s->rows;
    struct factors f;
    Expr *A = zeros(s, n * n), *y = zeros(s, n), *W = zeros(s, rows * n), *Z = zeros(s, rows * n), *S = zeros(s, rows * rows), *rhs = zeros(s, rows);
    memcpy(A, s->M, (size_t)(n * n) * sizeof *A);
    memcpy(y, s->b, (size_t)n * sizeof *y);
    memcpy(W, s->G, (size_t)(rows * n) * sizeof *W);
    *out = (struct solution){.x = y, .lost = p->zero, .left_out = p->zero};
    if (!factorise(s, n, A, &f, s->tree && !s->massless ? NULL : &out->lost, NULL))
        return false;
    forward(s, &f, y);
    for (int r = 0; r < rows; r++) {
        forward(s, &f, W + r * n);
        for (int i = 0; i < n; i++)
            Z[r * n + i] = tree_hold(p, expr_mul(p, W[r * n + i], f.inverse[i]));
    }
    for (int r = 0; r < rows; r++) {
        rhs[r] = expr_add(p, dot(p, n, Z + r * n, 1, y, 1), s->gamma[r]);
        for (int c = 0; c <= r; c++)
            S[r * rows + c] = S[c * rows + r] = dot(p, n, Z + r * n, 1, W + c * n, 1);
    }
    if (rows && !solve_rows(s, S, rhs, out))
        return false;
    for (int i = 0; i < n; i++) {
        y[i] = expr_mul(p, f.inverse[i], y[i]);
        for (int r = 0; r < rows; r++)
            y[i] = expr_sub(p, y[i], expr_mul(p, Z[r * n + i], out->lambda[r]));
    }
    backward(s, &f, y);
    return true;
}

/* X = M^-1 [b, G'] by recursion:  S = G X,  S lambda = G x + gamma,  x - X lambda. */
static bool by_recursion(struct system *s, struct solution *out)
{
    struct pool *p = s->p;
    int n = s->n, rows = s->rows;
    Expr *rhs = zeros(s, (1 + rows) * n), *X = zeros(s, (1 + rows) * n), *S = zeros(s, rows * rows), *l = zeros(s, rows);
    for (int i = 0; i < n; i++)
        if (s->M[i * n + i] == p->zero)
            return false;
    memcpy(rhs, s->force, (size_t)n * sizeof *rhs);
    memcpy(rhs + n, s->G, (size_t)(rows * n) * sizeof *rhs);
    tree_solve(p, s->tree, s->diagonal, 1 + rows, rhs, X);
    *out = (struct solution){.x = X, .lost = s->massless ? p->one : p->zero, .left_out = p->zero};
    for (int r = 0; r < rows; r++) {
        l[r] = expr_add(p, dot(p, n, s->G + r * n, 1, X, 1), s->gamma[r]);
        for (int c = 0; c <= r; c++)
            S[r * rows + c] = S[c * rows + r] = dot(p, n, s->G + r * n, 1, X + (1 + c) * n, 1);
    }
    if (rows && !solve_rows(s, S, l, out))
        return false;
    for (int i = 0; i < n; i++) {
        for (int r = 0; r < rows; r++)
            X[i] = expr_sub(p, X[i], expr_mul(p, X[(1 + r) * n + i], out->lambda[r]));
        X[i] = tree_hold(p, X[i]);
    }
    return true;
}

static double cost_of(const struct system *s, const struct solution *x)
{
    struct { Expr *at; int n, cap; } out = {0};
    for (int i = 0; i < s->n; i++)
        VEC_PUSH(out, x->x[i]);
    for (int i = 0; i < s->rows; i++)
        VEC_PUSH(out, x->lambda[i]);
    VEC_PUSH(out, x->lost);
    double cost = expr_cost(s->p, s->eq->model->param.n, out.n, out.at);
    free(out.at);
    return cost;
}

/* From the unknowns to the coordinates and all multipliers. */
static void put_solution(struct system *s, const struct solution *x, const Expr *force, struct equations *eq)
{
    struct pool *p = s->p;
    int nq = eq->model->coord.n;
    Expr *a = eq->array[EQ_a].value, *lambda = eq->array[EQ_lambda].value;
    for (int i = 0; i < nq; i++)
        a[i] = expr_add(p, dot(p, s->n, s->B + i * s->n, 1, x->x, 1), s->k[i]);
    for (int r = 0; r < s->rows; r++)
        lambda[s->row[r]] = x->lambda[r];
    eq->array[EQ_unsafe].value[0] = expr_add(p, x->lost, x->left_out);
    /* what is left of the forces along e, and is not turning: e.(Q - G' lambda)/(e.e) */
    const struct eq_array *G = &eq->array[EQ_G];
    for (int i = 0; s->tree && i < s->tree->n; i++) {
        const struct tree_body *b = &s->tree->at[i];
        if (s->norm[i] < 0)
            continue;
        Expr sum = p->zero;
        for (int c = 0; c < 4; c++) {
            int j = b->coord[c];
            Expr Q = force[j];
            for (int k = G->colptr[j]; k < G->colptr[j + 1]; k++)
                if (G->rowidx[k] != s->norm[i])
                    Q = expr_sub(p, Q, expr_mul(p, G->value[k], lambda[G->rowidx[k]]));
            sum = expr_add(p, sum, expr_mul(p, tree_hold(p, Q), eq->model->coord.at[j].q));
        }
        lambda[s->norm[i]] = expr_mul(p, b->scale, tree_hold(p, sum));
    }
}

bool forward_derive(struct equations *eq, const struct tree *tree, const Expr *force, const Expr *mass, struct forward_shares *shares)
{
    struct system s = {.eq = eq, .p = eq->model->pool, .dependent = shares != NULL};
    struct solution x[2];
    double cost[2] = {0, 0};
    bool has[2] = {false, false};
    if (eq->array[EQ_M].by_columns || eq->model->constraint.n > MOST_DENSE)
        return false;
    system_init(&s, tree, force, mass);
    if (s.rows <= MOST_ROWS && !has_vanishing_row(&s)) {
        has[0] = s.n <= MOST_DENSE && by_factors(&s, &x[0]);
        has[1] = s.articulated && by_recursion(&s, &x[1]);
    }
    has[1] &= !(s.massless && has[0]);
    for (int k = 0; k < 2 && has[0] && has[1]; k++)
        cost[k] = cost_of(&s, &x[k]);
    if (has[0] || has[1]) {
        const struct solution *best = &x[has[0] && (!has[1] || cost[0] <= cost[1]) ? 0 : 1];
        put_solution(&s, best, force, eq);
        if (shares && shares->lambda) {
            memcpy(shares->lambda, eq->array[EQ_lambda].value, (size_t)eq->model->constraint.n * sizeof *shares->lambda);
            for (int r = 0; r < s.rows; r++)
                shares->lambda[s.row[r]] = best->other[r];
            shares->lost = best->lost;
        }
    }
    arena_free(&s.arena);
    return has[0] || has[1];
}
