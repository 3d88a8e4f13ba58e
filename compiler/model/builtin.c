/* SPDX-License-Identifier: GPL-3.0-or-later
 * The functions of the language, as one table: name, number of arguments, what they do. */
#include "model/front.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ANY_NUMBER = -1 };       /* of arguments, at least one */

struct call {
    const struct ast_expr *e;
    struct value *arg;
    int n;
    enum expr_op op;
};
struct builtin {
    const char *name;
    enum expr_op op;
    int args;
    struct value (*run)(struct check *, const struct call *);
};

static struct value fault(struct check *k, struct span span, const char *what)
{
    diag_error(k->diags, span, "%s", what);
    return VALUE_NONE;
}

static struct value finite_scalar(struct check *k, struct span span, Expr e, struct dim dim)
{
    return expr_is_finite(k, span, e) ? value_scalar(k, e, dim) : VALUE_NONE;
}

/* All arguments are scalars; says which is not. */
static bool all_scalars(struct check *k, const struct call *c)
{
    for (int i = 0; i < c->n; i++)
        if (c->arg[i].rank || c->arg[i].truth) {
            diag_error(k->diags, c->e->arg[i]->span, "%s takes a scalar, not %s", c->e->text,
                       shape_show(&c->arg[i], k->arena));
            return false;
        }
    return true;
}

static bool dims_agree(struct check *k, const struct call *c, int from)
{
    for (int i = from + 1; i < c->n; i++)
        if (!dim_agrees(c->arg[from].at[0].dim, c->arg[i].at[0].dim)) {
            diag_error(k->diags, c->e->arg[i]->span, "units do not agree: this is %s, the one before is %s",
                       dim_show(c->arg[i].at[0].dim, k->arena), dim_show(c->arg[from].at[0].dim, k->arena));
            return false;
        }
    return true;
}

/* How to make a pure number or an angle of what is none: sin(t). */
static void note_pure(struct check *k, const struct ast_expr *e, struct dim want, struct dim got)
{
    const char *unit = dim_unit(dim_div(want, got), k->arena);
    if (!note_number(k, e, want, got) && *unit)
        diag_note(k->diags, e->span, "a factor in %s makes it one: 1 [%s]", unit, unit);
}

/* A number outside the function's domain, such as log(-2), is an error here; what changes is looked at when it runs. */
static bool is_inside(struct check *k, const struct call *c, Expr x)
{
    const struct op_info *f = &op_info[c->op];
    if (!expr_is_num(k->pool, x) || (expr_value(k->pool, x) >= f->from && expr_value(k->pool, x) <= f->to))
        return true;
    const char *upper = isinf(f->to) ? "" : arena_printf(k->arena, " and at most %g", f->to);
    diag_error(k->diags, c->e->arg[0]->span, "the argument of %s must be at least %g%s, but it is %g", c->e->text, f->from, upper,
               expr_value(k->pool, x));
    return false;
}

/* sin, exp ...: a pure number to a pure number. */
static struct value run_pure(struct check *k, const struct call *c)
{
    if (!all_scalars(k, c))
        return VALUE_NONE;
    struct dim d = c->arg[0].at[0].dim;
    if (!dim_is_pure(d)) {
        bool is_turn = op_info[c->op].units == UNITS_TURN;
        const char *what = is_turn ? "an angle or a pure number" : "a pure number";
        diag_error(k->diags, c->e->arg[0]->span, "the argument of %s must be %s, but it is %s", c->e->text, what,
                   dim_show(d, k->arena));
        note_pure(k, c->e->arg[0], is_turn ? dim_angle() : DIM_PURE, d);
        return VALUE_NONE;
    }
    Expr x = c->arg[0].at[0].e;
    bool angle = op_info[c->op].units == UNITS_ANGLE;
    struct dim out = expr_is_num(k->pool, x) ? DIM_OF_NUMBER : angle ? dim_of_angle(k) : dim_pure(k);
    return is_inside(k, c, x) ? finite_scalar(k, c->e->span, expr_fn1(k->pool, c->op, x), out) : VALUE_NONE;
}

static struct value run_sqrt(struct check *k, const struct call *c)
{
    if (!all_scalars(k, c))
        return VALUE_NONE;
    const struct number half = {true, 1, 2, 0.5};
    Expr x = c->arg[0].at[0].e;
    if (expr_is_num(k->pool, x) && expr_value(k->pool, x) < 0)
        return fault(k, c->e->span, "the square root of a negative number is not real");
    return finite_scalar(k, c->e->span, expr_sqrt(k->pool, x), dim_pow(c->arg[0].at[0].dim, &half));
}

static struct value run_abs(struct check *k, const struct call *c)
{
    if (!all_scalars(k, c))
        return VALUE_NONE;
    struct dim d = c->op == EXPR_SIGN ? dim_pure(k) : c->arg[0].at[0].dim;
    return value_scalar(k, expr_fn1(k->pool, c->op, c->arg[0].at[0].e), d);
}

/* a - b*floor(a/b): has the sign of b */
static struct value run_mod(struct check *k, const struct call *c)
{
    if (!all_scalars(k, c) || !dims_agree(k, c, 0))
        return VALUE_NONE;
    Expr a = c->arg[0].at[0].e, b = c->arg[1].at[0].e;
    Expr whole = expr_fn1(k->pool, EXPR_FLOOR, expr_div(k->pool, a, b));
    return finite_scalar(k, c->e->span, expr_sub(k->pool, a, expr_mul(k->pool, b, whole)), c->arg[0].at[0].dim);
}

static struct value run_atan2(struct check *k, const struct call *c)
{
    if (!all_scalars(k, c) || !dims_agree(k, c, 0))
        return VALUE_NONE;
    return value_scalar(k, expr_fn2(k->pool, EXPR_ATAN2, c->arg[0].at[0].e, c->arg[1].at[0].e), dim_of_angle(k));
}

static struct value run_minmax(struct check *k, const struct call *c)
{
    if (!all_scalars(k, c) || !dims_agree(k, c, 0))
        return VALUE_NONE;
    struct scalar s = c->arg[0].at[0];
    for (int i = 1; i < c->n; i++)
        s = (struct scalar){expr_fn2(k->pool, c->op, s.e, c->arg[i].at[0].e), dim_common(s.dim, c->arg[i].at[0].dim)};
    return value_scalar(k, s.e, s.dim);
}

/* if(condition, a, b), element by element. */
static struct value run_if(struct check *k, const struct call *c)
{
    const struct value *a = &c->arg[1], *b = &c->arg[2];
    if (!c->arg[0].truth)
        return fault(k, c->e->arg[0]->span, "the first argument of if must be a condition such as x > 0");
    if (!value_same_shape(a, b) || a->truth || b->truth) {
        diag_error(k->diags, c->e->span, "both values of if must be numbers of one shape, not %s and %s",
                   shape_show(a, k->arena),
                   shape_show(b, k->arena));
        return VALUE_NONE;
    }
    struct value v = value_new(k, c->e->span, a->rank, a->rows, a->cols);
    for (int i = 0; v.at && i < a->rows * a->cols; i++) {
        if (!dim_agrees(a->at[i].dim, b->at[i].dim)) {
            diag_error(k->diags, c->e->span, "units do not agree: the first value is %s, the second is %s",
                       dim_show(a->at[i].dim, k->arena), dim_show(b->at[i].dim, k->arena));
            return VALUE_NONE;
        }
        v.at[i].e = expr_if(k->pool, c->arg[0].at[0].e, a->at[i].e, b->at[i].e);
        v.at[i].dim = dim_common(a->at[i].dim, b->at[i].dim);
    }
    return v;
}

static struct value run_dot(struct check *k, const struct call *c)
{
    return value_dot(k, c->e->span, c->arg[0], c->arg[1]);
}

static bool one_vector(struct check *k, const struct call *c)
{
    if (c->arg[0].rank == 1)
        return true;
    diag_error(k->diags, c->e->arg[0]->span, "%s takes a vector, not %s", c->e->text, shape_show(&c->arg[0], k->arena));
    return false;
}

static struct value run_norm2(struct check *k, const struct call *c)
{
    return one_vector(k, c) ? value_dot(k, c->e->span, c->arg[0], c->arg[0]) : VALUE_NONE;
}

static struct value run_norm(struct check *k, const struct call *c)
{
    struct value v = run_norm2(k, c);
    const struct number half = {true, 1, 2, 0.5};
    return v.at ? value_scalar(k, expr_sqrt(k->pool, v.at[0].e), dim_pow(v.at[0].dim, &half)) : VALUE_NONE;
}

/* a[i]*b[j] - a[j]*b[i] */
static struct value minor(struct check *k, const struct call *c, int i, int j)
{
    const struct scalar *a = c->arg[0].at, *b = c->arg[1].at;
    struct span at = c->e->span;
    struct value x = value_scalar(k, expr_mul(k->pool, a[i].e, b[j].e), dim_mul(a[i].dim, b[j].dim));
    struct value y = value_scalar(k, expr_mul(k->pool, a[j].e, b[i].e), dim_mul(a[j].dim, b[i].dim));
    return value_add(k, at, x, y, true);
}

static struct value run_cross(struct check *k, const struct call *c)
{
    const struct value *a = &c->arg[0], *b = &c->arg[1];
    if (a->rank != 1 || !value_same_shape(a, b) || (a->rows != 2 && a->rows != 3)) {
        diag_error(k->diags, c->e->span, "cross takes two vectors of 3 (or of 2, giving a scalar), not %s and %s",
                   shape_show(a, k->arena), shape_show(b, k->arena));
        return VALUE_NONE;
    }
    if (a->rows == 2)
        return minor(k, c, 0, 1);
    struct value v = value_new(k, c->e->span, 1, 3, 1);
    for (int i = 0; v.at && i < 3; i++) {
        struct value x = minor(k, c, (i + 1) % 3, (i + 2) % 3);
        if (!x.at)
            return VALUE_NONE;
        v.at[i] = x.at[0];
    }
    return v;
}

static struct value run_transpose(struct check *k, const struct call *c)
{
    const struct value *a = &c->arg[0];
    if (a->rank != 2) {
        diag_error(k->diags, c->e->arg[0]->span, "transpose takes a matrix, not %s", shape_show(a, k->arena));
        return VALUE_NONE;
    }
    struct value v = value_new(k, c->e->span, 2, a->cols, a->rows);
    for (int i = 0; v.at && i < a->rows; i++)
        for (int j = 0; j < a->cols; j++)
            v.at[j * a->rows + i] = a->at[i * a->cols + j];
    return v;
}

static struct value run_sum(struct check *k, const struct call *c)
{
    if (!one_vector(k, c))
        return VALUE_NONE;
    const struct value *a = &c->arg[0];
    Expr *term = mem_grow(NULL, (size_t)a->rows, sizeof *term);
    struct dim dim = a->at[0].dim;
    bool good = true;
    for (int i = 0; i < a->rows; i++) {
        term[i] = a->at[i].e;
        good = good && dim_agrees(dim, a->at[i].dim);
        dim = dim_common(dim, a->at[i].dim);
    }
    Expr e = good ? expr_sum(k->pool, a->rows, term) : 0;
    free(term);
    return good ? value_scalar(k, e, dim) : fault(k, c->e->span, "the elements of this vector have different units");
}

static struct value run_outer(struct check *k, const struct call *c)
{
    const struct value *a = &c->arg[0], *b = &c->arg[1];
    if (a->rank != 1 || b->rank != 1) {
        diag_error(k->diags, c->e->span, "outer takes two vectors, not %s and %s", shape_show(a, k->arena),
                   shape_show(b, k->arena));
        return VALUE_NONE;
    }
    struct value v = value_new(k, c->e->span, 2, a->rows, b->rows);
    for (int i = 0; v.at && i < a->rows; i++)
        for (int j = 0; j < b->rows; j++)
            v.at[i * b->rows + j] = (struct scalar){expr_mul(k->pool, a->at[i].e, b->at[j].e),
                                                    dim_mul(a->at[i].dim, b->at[j].dim)};
    return v;
}

static struct value run_diag(struct check *k, const struct call *c)
{
    if (!one_vector(k, c))
        return VALUE_NONE;
    int n = c->arg[0].rows;
    struct value v = value_new(k, c->e->span, 2, n, n);
    for (int i = 0; v.at && i < n * n; i++)
        v.at[i] = i / n == i % n ? c->arg[0].at[i / n] : (struct scalar){k->pool->zero, DIM_OF_ANY};
    return v;
}

static struct value run_identity(struct check *k, const struct call *c)
{
    int64_t n;
    if (!value_integer(k, &c->arg[0], &n) || n < 1 || n > 1000)
        return fault(k, c->e->arg[0]->span, "identity takes a whole number from 1 to 1000 known at compile time");
    struct value v = value_new(k, c->e->span, 2, (int)n, (int)n);
    for (int i = 0; v.at && i < n * n; i++)
        v.at[i] = i / n == i % n ? (struct scalar){k->pool->one, DIM_OF_NUMBER}
            : (struct scalar){k->pool->zero, DIM_OF_ANY};
    return v;
}

/* Scalars and vectors one after the other. */
static struct value run_concat(struct check *k, const struct call *c)
{
    int64_t n = 0;
    for (int i = 0; i < c->n; i++) {
        if (c->arg[i].rank > 1 || c->arg[i].truth) {
            diag_error(k->diags, c->e->arg[i]->span, "concat takes scalars and vectors, not %s",
                       shape_show(&c->arg[i], k->arena));
            return VALUE_NONE;
        }
        n += c->arg[i].rows;
    }
    struct value v = n <= CHECK_LARGEST ? value_new(k, c->e->span, 1, (int)n, 1) : VALUE_NONE;
    struct scalar *to = v.at;
    for (int i = 0; v.at && i < c->n; to += c->arg[i++].rows)
        memcpy(to, c->arg[i].at, (size_t)c->arg[i].rows * sizeof *to);
    return v;
}

static struct value run_size(struct check *k, const struct call *c)
{
    if (c->arg[0].rank == 0)
        return fault(k, c->e->arg[0]->span, "size takes a vector or a matrix");
    return value_number(k, c->arg[0].rows);
}

/* The forces that wished accelerations need. */
static struct value run_inverse(struct check *k, const struct call *c)
{
    return unknown_inverse(k, c->e, &c->arg[0]);
}

static const struct builtin builtin[] = {
#define RUN_TURN 1, run_pure
#define RUN_PURE 1, run_pure
#define RUN_ANGLE 1, run_pure
#define RUN_ANGLE2 2, run_atan2
#define RUN_SAME 1, run_abs
#define RUN_SIGN 1, run_abs
#define RUN_ALIKE ANY_NUMBER, run_minmax
#define OP(name, text, args, c, calls)
#define TEST(name, text, args, symmetry, latex, value)
#define FUNCTION(name, text, args, c, symmetry, calls, price, latex, units, domain, value, by_x, by_y) {text, EXPR_##name, RUN_##units},
#include "mbs/ops.def"
#undef OP
#undef TEST
#undef FUNCTION
    {"sqrt", EXPR_POW, 1, run_sqrt},    {"if", EXPR_IF, 3, run_if},              {"mod", EXPR_FLOOR, 2, run_mod},
    {"dot", EXPR_MUL, 2, run_dot},      {"norm", EXPR_MUL, 1, run_norm},    {"norm2", EXPR_MUL, 1, run_norm2},
    {"cross", EXPR_MUL, 2, run_cross},  {"transpose", EXPR_MUL, 1, run_transpose}, {"sum", EXPR_ADD, 1, run_sum},
    {"outer", EXPR_MUL, 2, run_outer},  {"diag", EXPR_MUL, 1, run_diag},    {"identity", EXPR_MUL, 1, run_identity},
    {"concat", EXPR_MUL, ANY_NUMBER, run_concat}, {"size", EXPR_NUM, 1, run_size}, {"inverse", EXPR_NUM, 1, run_inverse},
};
enum { BUILTINS = sizeof builtin / sizeof *builtin };

static const struct builtin *builtin_find(const char *name)
{
    for (int i = 0; i < BUILTINS; i++)
        if (!strcmp(builtin[i].name, name))
            return &builtin[i];
    return NULL;
}

bool is_builtin_function(const char *name)
{
    return builtin_find(name) || !strcmp(name, "lambda");
}

const char *builtin_name(int i)
{
    return i < BUILTINS ? builtin[i].name : i == BUILTINS ? "lambda" : NULL;
}

void builtin_suggest(struct suggestion *near)
{
    for (int i = 0; i < BUILTINS; i++)
        suggest_offer(near, builtin[i].name);
    suggest_offer(near, "lambda");
}

/* --- lambda(constraint) ------------------------------------------------------------------------------- */

/* A multiplier times the constraint's velocity is a power. */
static struct dim multiplier_dim(const struct check *k, const struct constraint_group *g, int i)
{
    if (!k->has_units)
        return DIM_OF_ANY;
    struct dim d = dim_div(dim_joule(), g->at[i].dim);
    return g->at[i].holonomic ? d : dim_div(d, dim_second());
}

static struct value group_lambda(struct check *k, const struct constraint_group *g, struct span at)
{
    struct value v = value_new(k, at, g->rank, g->rows, g->cols);
    for (int i = 0; v.at && i < g->rows * g->cols; i++)
        v.at[i] = (struct scalar){k->m->constraint.at[g->at[i].row].lambda, multiplier_dim(k, g, i)};
    return v;
}

struct value builtin_lambda(struct check *k, struct scope *s, const struct ast_expr *e, const char *name)
{
    if (!k->multipliers)
        return fault(k, e->span, "a multiplier may be used in outputs only");
    const char *full = full_name(k, s, name);       /* inside a component its own come first */
    struct suggestion near;
    suggest_init(&near, name);
    for (int pass = full == name; pass < 2; pass++)
        for (int i = 0; i < k->groups.n; i++) {
            const struct constraint_group *g = &k->groups.at[i];
            const char *want = pass ? name : full;
            if (g->name == want)
                return g->at ? group_lambda(k, g, e->span) : VALUE_NONE;
            for (int j = 0; j < g->rows * g->cols; j++)
                if (g->at[j].name == want)
                    return value_scalar(k, k->m->constraint.at[g->at[j].row].lambda, multiplier_dim(k, g, j));
            suggest_offer(&near, g->name);
        }
    diag_error(k->diags, e->arg[0]->span, "there is no constraint '%s'%s", name, suggest_text(&near, k->arena));
    return VALUE_NONE;
}

bool builtin_takes(struct check *k, const struct ast_expr *e)
{
    const struct builtin *b = builtin_find(e->text);
    if (b ? b->args == ANY_NUMBER ? e->n >= 1 : e->n == b->args : e->n == 1)
        return true;
    if (!b)
        diag_error(k->diags, e->span, "lambda takes the name of a constraint");
    else
        diag_error(k->diags, e->span, "'%s' takes %s%d argument%s, not %d", e->text, b->args == ANY_NUMBER ? "at least " : "", abs(b->args),
                   abs(b->args) == 1 ? "" : "s", e->n);
    return false;
}

struct value builtin_run(struct check *k, const struct ast_expr *e, struct value *arg)
{
    const struct builtin *b = builtin_find(e->text);
    return b->run(k, &(struct call){e, arg, e->n, b->op});
}
