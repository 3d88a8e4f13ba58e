/* SPDX-License-Identifier: GPL-3.0-or-later
 * Values with shapes: making them, arithmetic with shape and dimension checks, time derivatives. */
#include "model/front.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool check_work(struct check *k, struct span span, int64_t scalars)
{
    k->work += scalars;
    if (k->stopped)
        return false;
    if (scalars > CHECK_LARGEST)
        diag_error(k->diags, span, "this is too large: %lld numbers", (long long)scalars);
    else if (k->work > CHECK_WORK)
        diag_error(k->diags, span, "the model becomes too large here");
    else
        return true;
    k->stopped = true;
    return false;
}

struct value value_new(struct check *k, struct span span, int rank, int rows, int cols)
{
    if (!check_work(k, span, (int64_t)rows * cols))
        return VALUE_NONE;
    return (struct value){rank, rows, cols, false, ARENA_NEW(k->arena, struct scalar, (size_t)rows * (size_t)cols)};
}

struct value value_scalar(struct check *k, Expr e, struct dim dim)
{
    struct value v = {0, 1, 1, false, ARENA_NEW(k->arena, struct scalar, 1)};
    k->work++;
    v.at[0] = (struct scalar){e, dim};
    return v;
}

struct value value_truth(struct check *k, Expr e)
{
    struct value v = value_scalar(k, e, DIM_OF_NUMBER);
    v.truth = true;
    return v;
}

struct value value_number(struct check *k, double x)
{
    bool whole = x == rint(x) && fabs(x) < 1e15;
    return value_scalar(k, whole ? expr_int(k->pool, (int64_t)x) : expr_double(k->pool, x), x == 0 ? DIM_OF_ANY : DIM_OF_NUMBER);
}

struct dim dim_pure(const struct check *k)
{
    return k->has_units ? DIM_PURE : DIM_OF_ANY;
}

struct dim dim_of_angle(const struct check *k)
{
    return k->has_units ? dim_angle() : DIM_OF_ANY;
}

const char *shape_show(const struct value *v, struct arena *arena)
{
    if (v->truth)
        return "a condition";
    if (v->rank == 0)
        return "a scalar";
    if (v->rank == 1)
        return arena_printf(arena, "a vector of %d", v->rows);
    return arena_printf(arena, "a matrix of %d x %d", v->rows, v->cols);
}

bool value_same_shape(const struct value *a, const struct value *b)
{
    return a->rank == b->rank && a->rows == b->rows && a->cols == b->cols;
}

bool value_is_constant(const struct check *k, const struct value *v)
{
    for (int i = 0; i < v->rows * v->cols; i++)
        if (!expr_is_num(k->pool, v->at[i].e))
            return false;
    return true;
}

bool value_integer(const struct check *k, const struct value *v, int64_t *n)
{
    if (!v->at || v->rank || v->truth || !expr_is_num(k->pool, v->at[0].e))
        return false;
    double x = expr_value(k->pool, v->at[0].e);
    if (x != rint(x) || fabs(x) > 1e15)
        return false;
    *n = (int64_t)x;
    return true;
}

bool expr_is_finite(struct check *k, struct span span, Expr e)
{
    if (!expr_is_num(k->pool, e) || isfinite(expr_value(k->pool, e)))
        return true;
    diag_error(k->diags, span, isnan(expr_value(k->pool, e)) ? "this is not a real number"
               : "this is infinite or too large for a number");
    return false;
}

/* A condition is no number; both operands must be usable. */
static bool operands_good(struct check *k, struct span span, const struct value *a, const struct value *b)
{
    if (!a->at || !b->at)
        return false;
    if (a->truth || b->truth) {
        diag_error(k->diags, span, "a condition cannot be used as a number; if(condition, a, b) chooses between numbers");
        return false;
    }
    return true;
}

struct value value_add(struct check *k, struct span span, struct value a, struct value b, bool subtract)
{
    if (!operands_good(k, span, &a, &b))
        return VALUE_NONE;
    const char *what = subtract ? "subtracted from" : "added to";
    if (!value_same_shape(&a, &b)) {
        const struct value *x = &b, *y = &a;
        diag_error(k->diags, span, "%s cannot be %s %s", shape_show(x, k->arena), what, shape_show(y, k->arena));
        return VALUE_NONE;
    }
    struct value v = value_new(k, span, a.rank, a.rows, a.cols);
    for (int i = 0; v.at && i < a.rows * a.cols; i++) {
        if (!dim_agrees(a.at[i].dim, b.at[i].dim)) {
            diag_error(k->diags, span, "units do not agree: left is %s, right is %s", dim_show(a.at[i].dim, k->arena),
                       dim_show(b.at[i].dim, k->arena));
            return VALUE_NONE;
        }
        bool nothing = a.at[i].e == k->pool->zero;
        v.at[i].dim = nothing ? b.at[i].dim : b.at[i].e == k->pool->zero ? a.at[i].dim
            : dim_common(a.at[i].dim, b.at[i].dim);
        v.at[i].e = subtract ? expr_sub(k->pool, a.at[i].e, b.at[i].e) : expr_add(k->pool, a.at[i].e, b.at[i].e);
        if (!expr_is_finite(k, span, v.at[i].e))
            return VALUE_NONE;
    }
    return v;
}

/* sum over k of a[i,k]*b[k,j], added pairwise so that its depth stays small. */
static bool inner_product(struct check *k, struct span span, const struct scalar *a, int a_step, const struct scalar *b,
                          int b_step, int n, struct scalar *out)
{
    struct dim dim = DIM_OF_NUMBER;
    Expr *term = mem_grow(NULL, (size_t)n + 1, sizeof *term);
    bool good = true;
    for (int i = 0; i < n && good; i++) {
        const struct scalar *x = &a[i * a_step], *y = &b[i * b_step];
        struct dim d = dim_mul(x->dim, y->dim);
        term[i] = expr_mul(k->pool, x->e, y->e);
        if (term[i] == k->pool->zero)       /* a literal 0 has no unit to disagree with */
            continue;
        good = dim_agrees(dim, d);
        if (!good)
            diag_error(k->diags, span, "units do not agree in this product: one term is %s, another is %s",
                       dim_show(dim, k->arena), dim_show(d, k->arena));
        dim = dim_common(dim, d);
    }
    if (good)
        *out = (struct scalar){expr_sum(k->pool, n, term), dim};
    free(term);
    return good;
}

static struct value scale(struct check *k, struct span span, struct value a, struct scalar s, bool divide)
{
    struct value v = value_new(k, span, a.rank, a.rows, a.cols);
    for (int i = 0; v.at && i < a.rows * a.cols; i++) {
        v.at[i].dim = divide ? dim_div(a.at[i].dim, s.dim) : dim_mul(a.at[i].dim, s.dim);
        v.at[i].e = divide ? expr_div(k->pool, a.at[i].e, s.e) : expr_mul(k->pool, a.at[i].e, s.e);
        if (v.at[i].e == k->pool->zero)
            v.at[i].dim = DIM_OF_ANY;
        if (!expr_is_finite(k, span, v.at[i].e))
            return VALUE_NONE;
    }
    return v;
}

struct value value_mul(struct check *k, struct span span, struct value a, struct value b)
{
    if (!operands_good(k, span, &a, &b))
        return VALUE_NONE;
    if (b.rank == 0)
        return scale(k, span, a, b.at[0], false);
    if (a.rank == 0)
        return scale(k, span, b, a.at[0], false);
    if (a.rank != 2 || a.cols != b.rows) {
        const char *hint = a.rank == 1 && b.rank == 1 ? "; use dot(a, b) or cross(a, b)" : "";
        diag_error(k->diags, span, "%s cannot be multiplied by %s%s", shape_show(&a, k->arena),
                   shape_show(&b, k->arena), hint);
        return VALUE_NONE;
    }
    if (!check_work(k, span, (int64_t)a.rows * b.cols * a.cols))
        return VALUE_NONE;
    struct value v = value_new(k, span, b.rank, a.rows, b.cols);
    for (int i = 0; v.at && i < a.rows; i++)
        for (int j = 0; j < b.cols; j++)
            if (!inner_product(k, span, a.at + i * a.cols, 1, b.at + j, b.cols, a.cols, &v.at[i * b.cols + j]))
                return VALUE_NONE;
    return v;
}

struct value value_dot(struct check *k, struct span span, struct value a, struct value b)
{
    if (!operands_good(k, span, &a, &b))
        return VALUE_NONE;
    if (a.rank != 1 || !value_same_shape(&a, &b)) {
        diag_error(k->diags, span, "dot takes two vectors of one length, not %s and %s", shape_show(&a, k->arena),
                   shape_show(&b, k->arena));
        return VALUE_NONE;
    }
    struct value v = value_new(k, span, 0, 1, 1);
    return v.at && inner_product(k, span, a.at, 1, b.at, 1, a.rows, v.at) ? v : VALUE_NONE;
}

struct value value_div(struct check *k, struct span span, struct value a, struct value b)
{
    if (!operands_good(k, span, &a, &b))
        return VALUE_NONE;
    if (b.rank) {
        diag_error(k->diags, span, "%s cannot be divided by %s", shape_show(&a, k->arena), shape_show(&b, k->arena));
        return VALUE_NONE;
    }
    if (expr_is_num(k->pool, b.at[0].e) && expr_value(k->pool, b.at[0].e) == 0) {
        diag_error(k->diags, span, "division by zero");
        return VALUE_NONE;
    }
    return scale(k, span, a, b.at[0], true);
}

struct value value_pow(struct check *k, struct span span, struct value a, struct value b)
{
    if (!operands_good(k, span, &a, &b))
        return VALUE_NONE;
    if (a.rank || b.rank) {
        diag_error(k->diags, span, "%s cannot be raised to the power of %s", shape_show(&a, k->arena),
                   shape_show(&b, k->arena));
        return VALUE_NONE;
    }
    struct dim base = a.at[0].dim, power = b.at[0].dim;
    if (!dim_is_pure(power)) {
        diag_error(k->diags, span, "an exponent must be a pure number, this one is %s", dim_show(power, k->arena));
        return VALUE_NONE;
    }
    if (!expr_is_num(k->pool, b.at[0].e)) {
        if (!dim_is_pure(base)) {
            diag_error(k->diags, span, "a quantity with a unit needs a constant exponent; this one is %s",
                       dim_show(base, k->arena));
            return VALUE_NONE;
        }
    } else {
        double p = expr_value(k->pool, b.at[0].e);
        if (p < 0 && expr_is_num(k->pool, a.at[0].e) && expr_value(k->pool, a.at[0].e) == 0) {
            diag_error(k->diags, span, "division by zero");
            return VALUE_NONE;
        }
        base = dim_pow(base, expr_num(k->pool, b.at[0].e));
        if (base.kind == DIM_NUMBER && power.kind == DIM_ANY)
            base = DIM_OF_ANY;
    }
    Expr e = expr_pow(k->pool, a.at[0].e, b.at[0].e);
    return expr_is_finite(k, span, e) ? value_scalar(k, e, base) : VALUE_NONE;
}

struct value value_neg(struct check *k, struct value a)
{
    for (int i = 0; a.at && i < a.rows * a.cols; i++) {
        if (i == 0) {
            struct scalar *copy = arena_copy(k->arena, a.at, (size_t)(a.rows * a.cols) * sizeof *copy);
            a.at = copy;
        }
        a.at[i].e = expr_neg(k->pool, a.at[i].e);
    }
    return a;
}

/* --- time derivative -------------------------------------------------------------------------------- */

/* q -> v, v -> a, t -> 1, virtual displacements -> virtual velocities and, on demand, z -> its rate. */
static struct direction *flow_new(struct check *k, bool states)
{
    const struct model *m = k->m;
    int n = 0, most = 2 * m->coord.n + m->state.n + k->virtual.n + 1;
    Expr *var = mem_grow(NULL, (size_t)most, sizeof *var), *dir = mem_grow(NULL, (size_t)most, sizeof *dir);
    var[n] = m->time;
    dir[n++] = k->pool->one;
    for (int i = 0; i < m->coord.n; i++) {
        var[n] = m->coord.at[i].q;
        dir[n++] = m->coord.at[i].v;
        var[n] = m->coord.at[i].v;
        dir[n++] = m->coord.at[i].a;
    }
    for (int i = 0; i < k->virtual.n; i++)
        if (k->virtual.at[i].rate != k->pool->zero) {
            var[n] = k->virtual.at[i].symbol;
            dir[n++] = k->virtual.at[i].rate;
        }
    for (int i = 0; states && i < m->state.n; i++) {
        var[n] = m->state.at[i].sym;
        dir[n++] = m->state.at[i].rate;
    }
    struct direction *d = direction_new(k->pool, n, var, dir);
    free(var);
    free(dir);
    return d;
}

/* z' alone needs no other rate, so that equations may use each other's left sides. */
static struct value rate_of_state(struct check *k, struct span span, struct scalar z)
{
    Expr rate = k->up->state_rate(k, span, expr_symbol(k->pool, z.e)->index);
    return rate ? value_scalar(k, rate, dim_div(z.dim, k->has_units ? dim_second() : DIM_OF_ANY)) : VALUE_NONE;
}

struct value value_prime(struct check *k, struct span span, struct value a)
{
    if (!a.at)
        return VALUE_NONE;
    unsigned deps = 0;
    for (int i = 0; i < a.rows * a.cols; i++)
        deps |= expr_deps(k->pool, a.at[i].e);
    const char *what = a.truth                          ? "a condition"
                       : deps & DEP(SYM_U)              ? "an input"
                       : deps & DEP(SYM_A)              ? "an acceleration"
                       : deps & DEP(SYM_LAMBDA)         ? "a multiplier" : NULL;
    if (what) {
        diag_error(k->diags, span, "the time derivative of %s is not known", what);
        return VALUE_NONE;
    }
    if (deps == DEP(SYM_Z) && a.rank == 0 && expr_op(k->pool, a.at[0].e) == EXPR_SYM)
        return rate_of_state(k, span, a.at[0]);
    bool states = deps & DEP(SYM_Z);
    for (int i = 0; states && !k->flow_z && i < k->m->state.n; i++)
        if (!k->up->state_rate(k, span, i))
            return VALUE_NONE;
    struct direction **flow = states ? &k->flow_z : &k->flow;
    if (!*flow)
        *flow = flow_new(k, states);
    struct value v = value_new(k, span, a.rank, a.rows, a.cols);
    struct dim per = k->has_units ? dim_second() : DIM_OF_ANY;
    for (int i = 0; v.at && i < a.rows * a.cols; i++) {
        v.at[i].e = direction_diff(*flow, a.at[i].e);
        v.at[i].dim = v.at[i].e == k->pool->zero ? DIM_OF_ANY : dim_div(a.at[i].dim, per);
    }
    return v;
}
