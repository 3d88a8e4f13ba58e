/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From energies, forces and constraints to the equations of motion and their derivatives.
 *
 *   M     = T_vv                          f = L_q - (T_v)_q v - (T_v)_t + Q - D_v,    L = T - U
 *   r     = d/dt(T_v) - L_q + D_v - Q + G' lambda  =  M a - f + G' lambda
 *   gv    = g' along (v, 1)               gamma = gv' along (v, 1) with v fixed,  ga = gv' along (v, a, 1)
 *
 * Gradients are reverse sweeps, time derivatives are directional derivatives: no quantity with three
 * indices is ever formed.  Sparse Jacobians come from forward sweeps that carry only non-zero partial
 * derivatives.  A non-holonomic row h(q, v, t) = 0 is its own velocity form: G = h_v, gt = h at v = 0.
 *
 * The two forms of r are equal but not equally cheap to differentiate (the first wins on chains, where
 * M is full); the one whose tapes cost less is kept. */
#include "derive/columns.h"
#include "derive/context.h"
#include "tree/recursion.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int axis_length(const struct model *m, enum eq_axis axis)
{
    switch (axis) {
    case AXIS_COORD: return m->coord.n;
    case AXIS_CONSTRAINT: return m->constraint.n;
    case AXIS_HOLONOMIC: return m->holonomic;
    case AXIS_STATE: return m->state.n;
    case AXIS_INPUT: return m->input.n;
    case AXIS_OUTPUT: return m->output.n;
    case AXIS_CONDITION: return m->condition.n;
    case AXIS_EVENT: return m->event.n;
    case AXIS_JUMP: return m->jump.n;
    case AXIS_TOUCH: return m->touch.n;
    case AXIS_LAW: return 2 * m->contact.n;
    case AXIS_ENERGY: return 2;
    case AXIS_PARAM: return m->sensitives;
    case AXIS_POINT: return 3 * m->point.n;
    case AXIS_ONE: return 1;
    }
    return 0;
}

/* Derived only where derivatives by parameters are asked for. */
static bool is_sensitivity(enum eq_id id)
{
    return abi_first(id) == FUNCTION_sensitivity;
}

static void equations_init(struct equations *eq, const struct model *m, struct arena *arena)
{
    memset(eq, 0, sizeof *eq);
    eq->model = m;
    eq->arena = arena;
    for (int k = 0; k < EQ_COUNT; k++) {
        struct eq_array *a = &eq->array[k];
        a->name = abi_quantity[k].name;
        a->row_axis = abi_quantity[k].rows;
        a->col_axis = abi_quantity[k].cols;
        a->rows = axis_length(m, a->row_axis);
        a->cols = axis_length(m, a->col_axis);
        if (is_sensitivity((enum eq_id)k) && !m->sensitives)
            a->rows = a->cols = 0;
        if (a->col_axis == AXIS_ONE) {
            a->nnz = a->rows;
            a->value = ARENA_NEW(arena, Expr, a->nnz);
            for (int i = 0; i < a->nnz; i++)
                a->value[i] = 0;        /* not derived yet, which is not zero */
        }
    }
}

/* Every vector of the table has been derived, but for the solution, which few models have as formulas. */
static void vectors_end(struct equations *eq)
{
    for (int k = 0; k < EQ_COUNT; k++)
        for (int i = 0; !abi_is_matrix((enum eq_id)k) && i < eq->array[k].nnz; i++)
            if (!eq->array[k].value[i]) {
                assert(k == EQ_a || k == EQ_lambda || k == EQ_unsafe);
                eq->array[k].value[i] = eq->model->pool->zero;
            }
}

void matrix_fill(struct equations *eq, enum eq_id id, struct triplets *t)
{
    struct eq_array *a = &eq->array[id];
    a->nnz = t->n;
    a->colptr = ARENA_NEW(eq->arena, int, a->cols + 1);
    a->rowidx = ARENA_NEW(eq->arena, int, t->n);
    a->value = ARENA_NEW(eq->arena, Expr, t->n);
    for (int k = 0; k < t->n; k++)
        a->colptr[t->at[k].col + 1]++;
    for (int j = 0; j < a->cols; j++)
        a->colptr[j + 1] += a->colptr[j];
    int *next = mem_grow(NULL, (size_t)a->cols + 1, sizeof *next);
    memcpy(next, a->colptr, ((size_t)a->cols + 1) * sizeof *next);
    for (int k = 0; k < t->n; k++) {
        int at = next[t->at[k].col]++;
        a->rowidx[at] = t->at[k].row;
        a->value[at] = t->at[k].value;
    }
    free(next);
    free(t->at);
    *t = (struct triplets){0};
}

/* Add a square matrix to triplets, row after row; of the lower triangle alone if `lower`. */
static void merge_dense(struct context *x, const Expr *dense, bool lower, struct triplets *t)
{
    size_t n = (size_t)x->nq;
    Expr *sum = mem_grow(NULL, n * n + 1, sizeof *sum);
    memcpy(sum, dense, n * n * sizeof *sum);
    for (int k = 0; k < t->n; k++) {
        Expr *e = &sum[(size_t)t->at[k].row * n + (size_t)t->at[k].col];
        *e = expr_add(x->pool, *e, t->at[k].value);
    }
    t->n = 0;
    for (int i = 0; i < x->nq; i++)
        for (int j = 0; j < (lower ? i + 1 : x->nq); j++)
            if (sum[(size_t)i * n + (size_t)j] != x->pool->zero)
                VEC_PUSH(*t, ((__typeof__(*t->at)){ i, j, sum[(size_t)i * n + (size_t)j] }));
    free(sum);
}

/* All matrices that the table calls derivatives of this vector, but those that are given by columns or have been
 * derived with the constraints and the energies: M and G.  `value` is differentiated; more[kind] (or NULL), a square matrix, is
 * added. */
static void jacobians_of(struct context *x, enum eq_id of, const Expr *value, Expr *const more[SYM_KINDS])
{
    struct triplets t[SYM_KINDS] = {{0}};
    enum eq_id by[SYM_KINDS];
    unsigned kinds = 0;
    for (int k = 0; k < SYM_KINDS; k++)
        by[k] = EQ_none;
    for (int k = 0; k < EQ_COUNT; k++)
        if (abi_quantity[k].of == of && k != EQ_M && k != EQ_G && abi_quantity[k].by != SYM_PARAM
            && !(is_sensitivity((enum eq_id)k) && !x->m->sensitives) && !columns_has(x->columns, (enum eq_id)k)) {
            by[abi_quantity[k].by] = (enum eq_id)k;
            kinds |= DEP(abi_quantity[k].by);
        }
    if (!kinds)
        return;
    struct diff *diff = diff_new(x->pool, kinds);
    for (int i = 0; i < x->eq->array[of].nnz; i++) {
        assert(value[i] && "the vector is derived before its Jacobians");
        struct gradient g = diff_gradient(diff, value[i]);
        for (int k = 0; k < g.n; k++) {
            const struct symbol *s = expr_symbol(x->pool, g.var[k]);
            VEC_PUSH(t[s->kind], ((__typeof__(*t->at)){ i, s->index, g.d[k] }));
        }
    }
    diff_free(diff);
    for (int k = 0; k < SYM_KINDS; k++) {
        if (more && more[k])
            merge_dense(x, more[k], false, &t[k]);
        if (by[k] != EQ_none)
            matrix_fill(x->eq, by[k], &t[k]);
    }
}

static void jacobians(struct context *x, enum eq_id of)
{
    jacobians_of(x, of, vector(x, of), NULL);
}

/* What a parameter means that is a formula of others: the formula, unless it is one of those that are varied themselves. */
static int formulas(struct context *x, Expr *from, Expr *to)
{
    const struct model *m = x->m;
    int n = 0;
    for (int k = 0; k < m->param.n; k++) {
        bool varied = false;
        for (int i = 0; i < m->sensitives; i++)
            varied = varied || m->sensitive[i] == k;
        Expr value = m->param.at[k].value;
        if (varied || !(expr_deps(x->pool, value) & DEP(SYM_PARAM)))
            continue;
        from[n] = m->param.at[k].sym;
        expr_substitute(x->pool, n, from, to, 1, &value, &to[n]);
        n++;
    }
    return n;
}

/* The derivatives of all vectors by the parameters that are varied. */
static void derive_sensitivity(struct context *x)
{
    const struct model *m = x->m;
    int *column = ARENA_NEW(&x->scratch, int, m->param.n + 1);
    Expr *from = ARENA_NEW(&x->scratch, Expr, m->param.n + 1), *to = ARENA_NEW(&x->scratch, Expr, m->param.n + 1);
    if (!m->sensitives)
        return;
    for (int k = 0; k < m->param.n; k++)
        column[k] = -1;
    for (int i = 0; i < m->sensitives; i++)
        column[m->sensitive[i]] = i;
    int n = formulas(x, from, to);
    struct diff *diff = diff_new(x->pool, DEP(SYM_PARAM));
    for (int k = 0; k < EQ_COUNT; k++) {
        if (abi_quantity[k].by != SYM_PARAM)
            continue;
        struct triplets t = {0};
        enum eq_id of = abi_quantity[k].of;
        Expr *value = ARENA_NEW(&x->scratch, Expr, x->eq->array[of].nnz + 1);
        expr_substitute(x->pool, n, from, to, x->eq->array[of].nnz, vector(x, of), value);
        for (int i = 0; i < x->eq->array[of].nnz; i++) {
            struct gradient g = diff_gradient(diff, value[i]);
            for (int j = 0; j < g.n; j++) {
                int at = column[expr_symbol(x->pool, g.var[j])->index];
                if (at >= 0)
                    VEC_PUSH(t, ((__typeof__(*t.at)){ i, at, g.d[j] }));
            }
        }
        matrix_fill(x->eq, (enum eq_id)k, &t);
    }
    diff_free(diff);
}

/* G' times the multipliers `of` (lambda or mu), by reverse sweeps over the weighted sums of the rows. */
static void transpose_product(struct context *x, bool second, Expr *out)
{
    const struct model *m = x->m;
    Expr *term = ARENA_NEW(&x->scratch, Expr, x->rows), *more = ARENA_NEW(&x->scratch, Expr, x->nq);
    for (int k = 0; k < x->rows; k++)
        term[k] =
            expr_mul(x->pool, second ? m->constraint.at[k].mu : m->constraint.at[k].lambda, m->constraint.at[k].g);
    expr_reverse(x->pool, expr_sum(x->pool, m->holonomic, term), x->nq, x->q, out);
    if (x->rows == m->holonomic)
        return;
    Expr rest = expr_sum(x->pool, x->rows - m->holonomic, term + m->holonomic);
    expr_reverse(x->pool, rest, x->nq, x->v, more);
    for (int i = 0; i < x->nq; i++)
        out[i] = expr_add(x->pool, out[i], more[i]);
}

/* --- dynamics -------------------------------------------------------------------------------------- */

static Expr *dense_zero(struct context *x)
{
    size_t n = (size_t)x->nq * (size_t)x->nq;
    Expr *m = mem_grow(NULL, n + 1, sizeof *m);
    for (size_t k = 0; k < n; k++)
        m[k] = x->pool->zero;
    return m;
}

static void add_triplets(struct context *x, const struct triplets *t, Expr *dense)
{
    for (int k = 0; k < t->n; k++) {
        Expr *e = &dense[(size_t)t->at[k].row * (size_t)x->nq + (size_t)t->at[k].col];
        *e = expr_add(x->pool, *e, t->at[k].value);
    }
}

/* What is stated beside the bodies. */
static void keep_mass(struct context *x, const struct triplets *M)
{
    x->mass_rest = dense_zero(x);
    add_triplets(x, M, x->mass_rest);
    for (int i = 0; i < x->nq; i++)
        for (int j = 0; j < i; j++)
            x->mass_rest[j * x->nq + i] = x->mass_rest[i * x->nq + j];
}

/* Adds to M of what is stated that of the bodies and of Euler parameters. */
static void tree_dynamics(struct context *x, struct triplets *M)
{
    Expr *dense = dense_zero(x);
    struct kinetic T;
    struct triplets norm = {0};
    kinetic_plain(x->norm, &T);
    x->T_norm = T.written;
    energy_terms(x->m, &T, x->pool->zero, x->p_norm, x->f_norm, &norm);
    add_triplets(x, &norm, dense);
    free(norm.at);
    tree_mass(x->pool, x->tree, x->nq, dense);
    merge_dense(x, dense, true, M);
    free(dense);
    for (int i = 0; i < x->nq; i++)
        x->bias[i] = x->pool->zero;
    tree_inverse(x->pool, x->tree, NULL, x->bias);
}

static void derive_dynamics(struct context *x)
{
    const struct model *m = x->m;
    struct triplets M = {0};
    Expr *f = vector(x, EQ_f), *Dv = ARENA_NEW(&x->scratch, Expr, x->nq);
    energy_terms(m, &x->T, x->U, x->p, f, x->columns ? NULL : &M);
    if (x->tree || x->eq->way == WAY_MIXED)
        keep_mass(x, &M);
    if (x->tree)
        tree_dynamics(x, &M);
    if (!x->columns)
        matrix_fill(x->eq, EQ_M, &M);
    Expr *term = ARENA_NEW(&x->scratch, Expr, m->dissipation.n);
    for (int k = 0; k < m->dissipation.n; k++)
        term[k] = m->dissipation.at[k].value;
    expr_reverse(x->pool, expr_sum(x->pool, m->dissipation.n, term), x->nq, x->v, Dv);
    for (int i = 0; i < x->nq; i++)
        f[i] = expr_sub(x->pool, f[i], Dv[i]);
    for (int k = 0; k < m->force.n; k++) {
        int i = m->force.at[k].coord;
        f[i] = expr_add(x->pool, f[i], m->force.at[k].value);
    }
    for (int i = 0; i < x->nq; i++) {
        x->f_rest[i] = f[i];
        if (x->tree)
            f[i] = expr_add(x->pool, expr_sub(x->pool, f[i], x->bias[i]), x->f_norm[i]);
    }
    for (int k = 0; k < m->state.n; k++)
        vector(x, EQ_zdot)[k] = m->state.at[k].rate;
}

/* Rates of states that depend on accelerations and multipliers, such as the work of a drive: z' may read neither, so that they are put in
 * as expressions of the state, solved from M, f, G and gamma.  Where constraints depend on each other their multipliers are not known; a rate that two
 * choices of them agree on is (the power of a drive beside a redundant crank), another is no number, which ends a run. */
static bool derive_rates(struct context *x, enum derive_way way, struct diags *d)
{
    const struct model *m = x->m;
    const struct model_state *first = NULL;
    for (int k = 0; k < m->state.n && !first; k++)
        if (expr_deps(x->pool, m->state.at[k].rate) & (DEP(SYM_A) | DEP(SYM_LAMBDA)))
            first = &m->state.at[k];
    if (!first)
        return true;
    if (m->touch.n) {
        diag_error(d, first->span, "the rate of '%s' follows from accelerations, which contacts, limits and clutches change at events: no formula has them",
                   first->name);
        return false;
    }
    x->shares.lambda = ARENA_NEW(&x->scratch, Expr, x->rows + 1);
    if (way == WAY_ROLLED || !forward_derive(x->eq, way == WAY_MIXED ? m->tree : x->tree, x->f_rest, x->mass_rest, &x->shares)) {
        diag_error(d, first->span, "the rate of '%s' follows from accelerations, and the model is too large, or its constraints too special, for formulas",
                   first->name);
        return false;
    }
    int n = x->nq + x->rows;
    Expr *from = ARENA_NEW(&x->scratch, Expr, n), *to = ARENA_NEW(&x->scratch, Expr, n), *rate = vector(x, EQ_zdot), unsafe = vector(x, EQ_unsafe)[0];
    Expr *other = ARENA_NEW(&x->scratch, Expr, m->state.n);
    struct pool *p = x->pool;
    for (int i = 0; i < n; i++) {
        from[i] = i < x->nq ? m->coord.at[i].a : m->constraint.at[i - x->nq].lambda;
        to[i] = i < x->nq ? vector(x, EQ_a)[i] : vector(x, EQ_lambda)[i - x->nq];
    }
    memcpy(other, rate, (size_t)m->state.n * sizeof *other);
    expr_substitute(p, n, from, to, m->state.n, rate, rate);
    if (unsafe == p->zero)
        return true;
    memcpy(to + x->nq, x->shares.lambda, (size_t)x->rows * sizeof *to);
    expr_substitute(p, n, from, to, m->state.n, other, other);
    Expr moved = p->zero, *by = ARENA_NEW(&x->scratch, Expr, x->rows + 1);      /* by how much the multipliers differ; derivatives of a rate by them */
    for (int i = 0; i < x->rows; i++)
        moved = expr_add(p, moved, expr_fn1(p, EXPR_ABS, expr_sub(p, x->shares.lambda[i], vector(x, EQ_lambda)[i])));
    Expr sound = expr_fn2(p, EXPR_LE, x->shares.lost, p->half), none = expr_sqrt(p, expr_neg(p, unsafe));
    for (int k = 0; k < m->state.n; k++) {
        if (!(expr_deps(p, m->state.at[k].rate) & (DEP(SYM_A) | DEP(SYM_LAMBDA))))
            continue;
        /* the part of its own multipliers in what differs: stages lie beside the constraints, where rows are not quite dependent */
        Expr weight = p->zero;
        expr_reverse(p, m->state.at[k].rate, x->rows, from + x->nq, by);
        expr_substitute(p, n, from, to, x->rows, by, by);
        for (int i = 0; i < x->rows; i++)
            weight = expr_add(p, weight, expr_fn1(p, EXPR_ABS, by[i]));
        Expr apart = expr_fn1(p, EXPR_ABS, expr_sub(p, rate[k], other[k])), room = expr_product(p, 3, (Expr[]){ expr_double(p, 1e-3), weight, moved });
        Expr same = expr_fn2(p, EXPR_LE, apart, room);
        rate[k] = expr_if(p, sound, rate[k] == other[k] ? rate[k] : expr_if(p, same, rate[k], none), none);
    }
    return true;
}

/* r = M a - f + G' lambda, entry by entry. */
static void residual_product(struct context *x, const Expr *Gtl, Expr *r)
{
    const struct eq_array *M = &x->eq->array[EQ_M];
    for (int i = 0; i < x->nq; i++)
        r[i] = expr_sub(x->pool, Gtl[i], vector(x, EQ_f)[i]);
    for (int j = 0; j < M->cols; j++)
        for (int k = M->colptr[j]; k < M->colptr[j + 1]; k++) {
            int i = M->rowidx[k];
            r[i] = expr_add(x->pool, r[i], expr_mul(x->pool, M->value[k], x->m->coord.at[j].a));
            if (i != j)
                r[j] = expr_add(x->pool, r[j], expr_mul(x->pool, M->value[k], x->m->coord.at[i].a));
        }
}

/* r = d/dt(T_v) - (f + (T_v)_q v + (T_v)_t) + G' lambda: what f has beside the velocity terms stays. */
static void residual_inverse(struct context *x, const Expr *Gtl, Expr *r)
{
    struct direction *moving = direction_time(x->m, &x->scratch, true),
                     *fixed = direction_time(x->m, &x->scratch, false);
    for (int i = 0; i < x->nq; i++) {
        Expr rest = expr_add(x->pool, x->f_rest[i], direction_diff(fixed, x->p[i]));
        r[i] = expr_add(x->pool, expr_sub(x->pool, direction_diff(moving, x->p[i]), rest), Gtl[i]);
        if (x->tree) {
            rest = expr_add(x->pool, x->f_norm[i], direction_diff(fixed, x->p_norm[i]));
            r[i] = expr_add(x->pool, r[i], expr_sub(x->pool, direction_diff(moving, x->p_norm[i]), rest));
        }
    }
    direction_free(moving);
    direction_free(fixed);
}

static double tape_cost(struct context *x, int n, const Expr *e)
{
    return expr_cost(x->pool, x->m->param.n, n, e);
}

/* The cost of r with its Jacobians. */
static double residual_cost(struct context *x)
{
    static const enum eq_id parts[] = { EQ_r, EQ_rq, EQ_rv, EQ_M, EQ_G };
    struct { Expr *at; int n, cap; } out = {0};
    for (unsigned k = 0; k < sizeof parts / sizeof *parts; k++)
        for (int i = 0; i < x->eq->array[parts[k]].nnz; i++)
            VEC_PUSH(out, x->eq->array[parts[k]].value[i]);
    double cost = tape_cost(x, out.n, out.at);
    free(out.at);
    return cost;
}

/* The product form is worth a look where M has few entries; with a full M its Jacobian has n^3 terms. */
static bool product_may_win(const struct context *x)
{
    return x->nq <= COLUMNS_SMALL || x->eq->array[EQ_M].nnz <= COLUMNS_FULL * x->nq;
}

static void set_residual(struct context *x, const Expr *r, bool inverse)
{
    memcpy(vector(x, EQ_r), r, (size_t)x->nq * sizeof *r);
    jacobians(x, EQ_r);
    x->eq->inverse_dynamics = inverse;
}

/* r and its Jacobians: by differentiation of `rest`, which is without the bodies, and by recursion for these. */
static void tree_residual(struct context *x, Expr *rest)
{
    Expr *a = ARENA_NEW(&x->scratch, Expr, x->nq), *rq = dense_zero(x), *rv = dense_zero(x);
    for (int i = 0; i < x->nq; i++)
        a[i] = x->m->coord.at[i].a;
    tree_jacobian(x->pool, x->tree, x->m, a, rq, rv);
    jacobians_of(x, EQ_r, rest, (Expr *const[SYM_KINDS]){ [SYM_Q] = rq, [SYM_V] = rv });
    free(rq);
    free(rv);
    tree_inverse(x->pool, x->tree, a, rest);
    memcpy(vector(x, EQ_r), rest, (size_t)x->nq * sizeof *rest);
    x->eq->inverse_dynamics = true;
    transpose_product(x, true, vector(x, EQ_Gtmu));
}

/* Beside loops: are entries of the derivatives of r many and dear?  One costs as much as r does for a coordinate. */
static bool rest_is_large(struct context *x, const Expr *r)
{
    if (x->nq <= COLUMNS_SMALL)
        return false;
    double entries = columns_entries(x->m, r, SYM_Q);
    return entries > COLUMNS_FULL * x->nq && entries * tape_cost(x, x->nq, r) / x->nq > 5 * COLUMNS_COST;
}

/* If r alone is much cheaper in one form, so are its Jacobians; only a close call is decided by them. */
static void derive_residual(struct context *x)
{
    Expr *Gtl = ARENA_NEW(&x->scratch, Expr, x->nq), *inverse = ARENA_NEW(&x->scratch, Expr, x->nq);
    Expr *product = ARENA_NEW(&x->scratch, Expr, x->nq);
    double cost[2] = {0, 0}, ratio = 0;     /* cost of the inverse-dynamics form to that of the product form */
    transpose_product(x, false, Gtl);
    residual_inverse(x, Gtl, inverse);
    if (x->tree) {
        tree_residual(x, inverse);
        return;
    }
    if (x->no_matrices && columns_couple(x->m, inverse)) {
        x->eq->coupled = true;
        memcpy(vector(x, EQ_r), inverse, (size_t)x->nq * sizeof *inverse);
        x->eq->inverse_dynamics = true;
        transpose_product(x, true, vector(x, EQ_Gtmu));
        return;
    }
    if (x->by_loops && rest_is_large(x, inverse)) {
        x->columns = COLUMNS_OF_R;
    } else if (!x->columns && product_may_win(x)) {
        residual_product(x, Gtl, product);
        cost[0] = tape_cost(x, x->nq, product);
        cost[1] = tape_cost(x, x->nq, inverse);
        ratio = cost[1] / cost[0];
    }
    set_residual(x, ratio > 1.25 ? product : inverse, !(ratio > 1.25));
    if (ratio > 0.8 && ratio <= 1.25 && memcmp(product, inverse, (size_t)x->nq * sizeof *product)) {
        struct equations kept = *x->eq;
        double whole = residual_cost(x);
        set_residual(x, product, false);
        if (whole <= residual_cost(x)) {
            *x->eq = kept;
            memcpy(vector(x, EQ_r), inverse, (size_t)x->nq * sizeof *inverse);
        }
    }
    x->eq->residual_cost = cost[x->eq->inverse_dynamics];
    transpose_product(x, true, vector(x, EQ_Gtmu));
}

/* --- all of it ------------------------------------------------------------------------------------- */

static void warn_massless(const struct context *x, struct diags *d)
{
    const struct eq_array *M = &x->eq->array[EQ_M];
    for (int i = 0; i < x->nq; i++)
        if (x->p[i] == x->pool->zero && !(x->tree && M->colptr[i + 1] > M->colptr[i] && M->rowidx[M->colptr[i]] == i))
            diag_warning(d, x->m->coord.at[i].span, "the coordinate '%s' has no kinetic energy: its mass is zero",
                         x->m->coord.at[i].name);
}

/* The cost of M entry by entry, from the momenta: the Jacobians' is two to five times that. */
static double mass_cost(struct context *x)
{
    struct diff *by_v = diff_new(x->pool, DEP(SYM_V));
    struct { Expr *at; int n, cap; } M = {0};
    for (int i = 0; i < x->nq; i++) {
        struct gradient row = diff_gradient(by_v, x->p[i]);
        for (int k = 0; k < row.n; k++)
            if (expr_symbol(x->pool, row.var[k])->index <= i)
                VEC_PUSH(M, row.d[k]);
    }
    double cost = tape_cost(x, M.n, M.at);
    free(M.at);
    diff_free(by_v);
    return cost;
}

/* Is the mass matrix large, full and dear?  Decided by the energy as written, which is kept then. */
static bool is_large(struct context *x)
{
    if (x->nq <= COLUMNS_SMALL || !kinetic_plain(x->m, &x->T))
        return false;
    expr_reverse(x->pool, x->T.written, x->nq, x->v, x->p);
    int entries = columns_entries(x->m, x->p, SYM_V) / 2;
    return entries > COLUMNS_FULL * x->nq && (entries > COLUMNS_COST || mass_cost(x) > COLUMNS_COST);
}

/* The model with the energies of one origin alone. */
static struct model *model_part(const struct model *m, struct arena *arena, enum term_origin origin)
{
    struct model *out = arena_copy(arena, m, sizeof *m);
#define FILTER(list)                                                                                       \
    out->list.at = ARENA_NEW(arena, struct model_term, m->list.n), out->list.n = 0;                        \
    for (int k = 0; k < m->list.n; k++)                                                                    \
        if (m->list.at[k].origin == origin)                                                                \
            out->list.at[out->list.n++] = m->list.at[k]
    FILTER(kinetic);
    FILTER(potential);
#undef FILTER
    return out;
}

static bool derive_by(struct equations *eq, const struct model *m, struct arena *arena, struct diags *d, const struct derive_options *o, enum derive_way way)
{
    struct context x = { .m = m, .pool = m->pool, .eq = eq, .nq = m->coord.n, .rows = m->constraint.n, .rest = m };
    equations_init(eq, m, arena);
    eq->way = way;
    if (way == WAY_TREE) {
        x.tree = m->tree;
        x.rest = model_part(m, &x.scratch, TERM_STATED);
        x.norm = model_part(m, &x.scratch, TERM_NORM);
    }
    bool rolled = way == WAY_ROLLED || way == WAY_MIXED;
    if (rolled)
        x.rest = model_part(m, &x.scratch, TERM_STATED);
    x.q = ARENA_NEW(&x.scratch, Expr, x.nq);
    x.v = ARENA_NEW(&x.scratch, Expr, x.nq);
    x.p = ARENA_NEW(&x.scratch, Expr, x.nq);
    x.f_rest = ARENA_NEW(&x.scratch, Expr, x.nq);
    x.bias = ARENA_NEW(&x.scratch, Expr, x.nq);
    x.p_norm = ARENA_NEW(&x.scratch, Expr, x.nq);
    x.f_norm = ARENA_NEW(&x.scratch, Expr, x.nq);
    for (int i = 0; i < x.nq; i++) {
        x.q[i] = m->coord.at[i].q;
        x.v[i] = m->coord.at[i].v;
    }
    x.by_loops = rolled;
    x.no_matrices = rolled && o->no_matrices;
    x.columns = !o->entries && way == WAY_ENERGIES && is_large(&x) ? COLUMNS_OF_ALL : COLUMNS_NONE;
    bool good = x.columns || kinetic_choose(x.rest, &x.scratch, d, &x.T);
    eq->trig_summands = x.T.summands;
    if (good) {
        x.U = sum_terms(&x, x.rest->potential.at, x.rest->potential.n);
        derive_constraints(&x);
        derive_conditions(&x);
        derive_contacts(&x);
        derive_dynamics(&x);
        good = derive_rates(&x, way, d);
    }
    if (good) {
        derive_events(&x);
        derive_residual(&x);
        for (int k = 0; k < m->output.n; k++)
            vector(&x, EQ_y)[k] = m->output.at[k].value;
        for (int k = 0; k < 3 * m->point.n; k++)
            vector(&x, EQ_xyz)[k] = rolled && m->point.at[k / 3].place ? x.pool->zero : m->point.at[k / 3].x[k % 3];
        derive_energy(&x);
        derive_power(&x);
        for (int k = 0; k < EQ_COUNT; k++)
            if (k != EQ_r)      /* its Jacobians came with the choice of its form */
                jacobians(&x, (enum eq_id)k);
        derive_sensitivity(&x);
        if (x.columns)
            columns_derive(eq, x.columns, x.p);
        eq->accelerations = o->accelerations && forward_derive(eq, way == WAY_MIXED ? m->tree : x.tree, x.f_rest, x.mass_rest,
                                                               x.shares.lambda ? &x.shares : NULL);
        if (!rolled)
            warn_massless(&x, d);
        vectors_end(eq);
    }
    free(x.mass_rest);
    arena_free(&x.scratch);
    return good;
}

double equations_cost(const struct equations *eq)
{
    static const enum eq_id parts[3][5] = {{EQ_M, EQ_f, EQ_G, EQ_gamma, EQ_COUNT}, {EQ_r, EQ_COUNT}, {EQ_rq, EQ_rv, EQ_M, EQ_G, EQ_COUNT}};
    struct { Expr *at; int n, cap; } out = {0};
    double cost = 0;
    int first[4] = {0};
    for (int f = 0; f < 3; f++) {
        for (int k = 0; parts[f][k] != EQ_COUNT; k++) {
            const struct eq_array *a = &eq->array[parts[f][k]];
            if (a->by_columns)      /* the columns cost as much each */
                cost += COLUMNS_COST * a->cols;
            for (int i = 0; i < a->nnz && !a->by_columns; i++)
                VEC_PUSH(out, a->value[i]);
        }
        first[f + 1] = out.n;
    }
    cost += expr_costs(eq->model->pool, eq->model->param.n, 3, first, out.at);
    free(out.at);
    return cost;
}

/* Both ways, and the recursions with the mass matrix of the energies, whose sums of angles are cheaper in short plane branches. */
static bool derive_cheapest(struct equations *eq, const struct model *m, struct arena *arena, struct diags *d, const struct derive_options *o)
{
    struct diags quiet;
    struct equations tree;
    diags_init(&quiet, arena);
    if (!derive_by(eq, m, arena, d, o, WAY_ENERGIES))
        return false;
    if (!derive_by(&tree, m, arena, &quiet, o, WAY_TREE)) {
        diags_fini(&quiet);
        return true;
    }
    diags_fini(&quiet);
    struct equations mixed = tree;
    double cost[3] = {equations_cost(eq), equations_cost(&tree), INFINITY};
    if (!eq->columns) {
        mixed.array[EQ_M] = eq->array[EQ_M];
        cost[2] = equations_cost(&mixed);
    }
    if (cost[2] < cost[1])
        tree = mixed;
    double best = fmin(cost[1], cost[2]);
    if (best < cost[0])
        *eq = tree;
    eq->way_cost[0] = cost[0];
    eq->way_cost[1] = best;
    return true;
}

const char *const derive_way_name[WAYS] = { [WAY_CHEAPEST] = "cheapest", [WAY_ENERGIES] = "energies", [WAY_TREE] = "tree", [WAY_ROLLED] = "rolled", [WAY_MIXED] = "mixed" };

bool derive_way_find(const char *name, enum derive_way *way)
{
    for (int k = 0; k < WAYS; k++)
        if (!strcmp(derive_way_name[k], name)) {
            *way = (enum derive_way)k;
            return true;
        }
    return false;
}

/* Coordinates; beyond, the recursions are cheaper, and energies take long to derive.  Beams have many, but where there is little else, either way may win. */
enum { WAY_BOTH = 12, WAY_BOTH_JOINTS = 4 };

static bool may_be_either(const struct model *m)
{
    int joints = m->coord.n;
    for (int i = 0; i < m->tree->n; i++)
        joints -= m->tree->at[i].flex ? m->tree->at[i].coords : 0;
    return m->coord.n <= WAY_BOTH || joints <= WAY_BOTH_JOINTS;
}

bool equations_derive(struct equations *eq, const struct model *m, struct arena *arena, struct diags *d, const struct derive_options *o)
{
    if (!derive_check(m, d))
        return false;
    if (!m->tree && o->way == WAY_TREE) {
        diag_error(d, SPAN_NONE, "there is no tree to derive by: that needs bodies and joints in relative coordinates");
        return false;
    }
    if (o->way == WAY_ROLLED || o->way == WAY_MIXED)
        return derive_by(eq, m, arena, d, o, o->way);
    if (!m->tree || o->way == WAY_ENERGIES)
        return derive_by(eq, m, arena, d, o, WAY_ENERGIES);
    if (o->way == WAY_TREE || !may_be_either(m))
        return derive_by(eq, m, arena, d, o, WAY_TREE);
    return derive_cheapest(eq, m, arena, d, o);
}

/* --- names ----------------------------------------------------------------------------------------- */

const char *axis_name(const struct model *m, enum eq_axis axis, int index, struct span *span)
{
    struct span unused;
    if (!span)
        span = &unused;
    switch (axis) {
#define NAME(list) (*span = m->list.at[index].span, m->list.at[index].name)
    case AXIS_COORD: return NAME(coord);
    case AXIS_CONSTRAINT: case AXIS_HOLONOMIC: return NAME(constraint);
    case AXIS_STATE: return NAME(state);
    case AXIS_INPUT: return NAME(input);
    case AXIS_OUTPUT: return NAME(output);
    case AXIS_CONDITION: return NAME(condition);
    case AXIS_EVENT: return NAME(event);
    case AXIS_JUMP: return NAME(jump);
    case AXIS_PARAM: return index = m->sensitive[index], NAME(param);
    case AXIS_TOUCH: return NAME(touch);
    case AXIS_LAW: *span = m->contact.at[index / 2].span; return m->contact.at[index / 2].name;
#undef NAME
    case AXIS_ENERGY: return index ? "U" : "T";
    case AXIS_POINT: case AXIS_ONE: break;
    }
    return "";
}

char *equations_entry(const struct equations *eq, struct arena *arena, enum eq_id id, int k, struct span *span)
{
    const struct eq_array *a = &eq->array[id];
    if (a->row_axis == AXIS_ONE)
        return arena_printf(arena, "%s", a->name);
    if (a->row_axis == AXIS_POINT)
        return arena_printf(arena, "%s[%d]", a->name, k);
    if (!a->colptr)
        return arena_printf(arena, "%s[%s]", a->name, axis_name(eq->model, a->row_axis, k, span));
    int j = 0;
    while (a->colptr[j + 1] <= k)
        j++;
    return arena_printf(arena, "%s[%s, %s]", a->name, axis_name(eq->model, a->row_axis, a->rowidx[k], span),
                        axis_name(eq->model, a->col_axis, j, NULL));
}
