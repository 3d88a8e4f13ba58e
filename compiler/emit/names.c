/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names that the file makes from those of the model, for a reader: the constant m*l^2 is c[m_l2], an entry of a vector is
 * f[beta], beside an entry of a matrix stands M[delta, Phi].  A name says what it can in a few words (..._etc: there is
 * more), the formula stands in setup(); scope_name() tells apart what would be called the same.
 */
#include "emit/parts.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST = 20, DEEPEST = 8 };

static const char *formula_name(struct emitter *, Expr, int depth);

/* A name and what follows it, cut where it gets long. */
static const char *join(struct emitter *e, const char *name, const char *between, const char *part)
{
    size_t n = strlen(name);
    if (n > 4 && !strcmp(name + n - 4, "_etc"))
        return name;
    if (!n)
        return part;
    if (n + strlen(between) + strlen(part) > LONGEST)
        return arena_printf(&e->arena, "%s_etc", name);
    return arena_printf(&e->arena, "%s%s%s", name, between, part);
}

/* base^exponent without the sign of the exponent: l, l2, sqrt_l.  m1^2 is not m12. */
static const char *power_name(struct emitter *e, Expr base, Expr exponent, int depth)
{
    const struct number *x = expr_num(e->model->pool, exponent);
    const char *name = formula_name(e, base, depth);
    int64_t n = x->num < 0 ? -x->num : x->num;
    if (!name || !x->exact || n > 9 || x->den > 2)
        return NULL;
    if (x->den == 2)
        name = arena_printf(&e->arena, "sqrt_%s", name);
    if (n == 1)
        return name;
    return arena_printf(&e->arena, "%s%s%d", name, isdigit((unsigned char)name[strlen(name) - 1]) ? "_pow" : "", (int)n);
}

/* Factors one after the other, those of the denominator last: m_g_per_l. */
static const char *product_name(struct emitter *e, Expr x, int depth)
{
    const struct pool *p = e->model->pool;
    const char *name = "";
    for (int below = 0; below < 2; below++)
        for (int k = 0, found = 0; k < expr_pairs(p, x); k++) {
            Expr exponent, base = expr_pair(p, x, k, &exponent);
            if ((expr_value(p, exponent) < 0) != below)
                continue;
            const char *part = power_name(e, base, exponent, depth);
            if (!part)
                return NULL;
            if (below && !found++)
                part = arena_printf(&e->arena, "per_%s", part);
            name = join(e, name, "_", part);
        }
    return name;
}

/* A coefficient and what it stands before, but for the sign: half_c0, twice_m, m_x3, m_by3. */
static const char *scaled_name(struct emitter *e, const struct number *x, const char *name)
{
    int64_t n = x->num < 0 ? -x->num : x->num;
    if (!name || !x->exact || n > 999 || x->den > 999)
        return NULL;
    if (x->den == 1 && n <= 2)
        return n == 1 ? name : arena_printf(&e->arena, "twice_%s", name);
    if (x->den == 2 && n == 1)
        return arena_printf(&e->arena, "half_%s", name);
    if (n > 1)
        name = arena_printf(&e->arena, "%s_x%d", name, (int)n);
    return x->den > 1 ? arena_printf(&e->arena, "%s_by%d", name, (int)x->den) : name;
}

/* a_plus_b, a_minus_b; a coefficient that all terms have leads the sum. */
static const char *sum_name(struct emitter *e, Expr x, int depth)
{
    const struct pool *p = e->model->pool;
    const struct number *first = NULL, *constant = expr_num(p, expr_const(p, x));
    const char *name = "";
    bool common = constant->value == 0;
    for (int k = 0; k < expr_pairs(p, x); k++) {
        Expr coefficient;
        expr_pair(p, x, k, &coefficient);
        const struct number *c = expr_num(p, coefficient);
        first = k ? first : c;
        common = common && (c->value == first->value || c->value == -first->value);
    }
    for (int k = 0; k < expr_pairs(p, x); k++) {
        Expr coefficient, term = expr_pair(p, x, k, &coefficient);
        const struct number *c = expr_num(p, coefficient);
        const char *part = formula_name(e, term, depth);
        if (!common)
            part = scaled_name(e, c, part);
        if (!part)
            return NULL;
        if (c->value < 0 && !*name)
            part = arena_printf(&e->arena, "minus_%s", part);
        name = join(e, name, c->value < 0 ? "_minus_" : "_plus_", part);
    }
    if (common)
        return scaled_name(e, first, name);
    return constant->value == 0 ? name : join(e, name, "_", "etc");
}

static const char *call_name(struct emitter *e, Expr x, int depth)
{
    const struct pool *p = e->model->pool;
    const char *name = expr_op(p, x) == EXPR_CALL ? p->fn[expr_call_fn(p, x)].name : op_info[expr_op(p, x)].text;
    if (!isalpha((unsigned char)*name))
        return NULL;
    for (int k = 0; k < expr_args(p, x); k++) {
        const char *part = formula_name(e, expr_arg(p, x, k), depth);
        name = join(e, name, "_", part ? part : "etc");
    }
    return name;
}

/* NULL: nothing short can be said. */
static const char *formula_name(struct emitter *e, Expr x, int depth)
{
    const struct pool *p = e->model->pool;
    int64_t n;
    if (depth > DEEPEST)
        return NULL;
    switch (expr_op(p, x)) {
    case EXPR_SYM: return e->name[SYM_PARAM][expr_symbol(p, x)->index];
    case EXPR_NUM: return expr_is_int(p, x, &n) && n >= 0 && n < 999 ? arena_printf(&e->arena, "%d", (int)n) : NULL;
    case EXPR_ADD: return sum_name(e, x, depth + 1);
    case EXPR_MUL: return product_name(e, x, depth + 1);
    case EXPR_HOLD: return formula_name(e, expr_arg(p, x, 0), depth + 1);
#include "expr/function_cases.inc"
#include "expr/test_cases.inc"
    case EXPR_POW: case EXPR_IF: case EXPR_CALL:
        return call_name(e, x, depth + 1);
    }
    return NULL;
}

void emit_name_constants(struct emitter *e)
{
    const struct hoist *h = &e->programs->hoist;
    int params = e->model->param.n;
    const char **name = ARENA_NEW(&e->arena, const char *, params + h->value.n + 1);
    for (int k = 0; k < params; k++)
        name[k] = e->name[SYM_PARAM][k];
    for (int k = 0; k < h->value.n; k++) {
        const char *formula = formula_name(e, h->value.at[k], 0);
        name[params + k] = scope_name(&e->file, formula ? formula : "constant");
    }
    e->constant = name;
}

/* --- entries ------------------------------------------------------------------------------------------ */

static const char *const *index_names(const struct emitter *e, enum eq_axis axis)
{
    switch (axis) {
    case AXIS_COORD: return e->name[SYM_Q];
    case AXIS_CONSTRAINT: case AXIS_HOLONOMIC: return e->name[SYM_LAMBDA];
    case AXIS_STATE: return e->name[SYM_Z];
    case AXIS_INPUT: return e->name[SYM_U];
    case AXIS_OUTPUT: case AXIS_ENERGY: case AXIS_CONDITION: case AXIS_EVENT: case AXIS_JUMP:
    case AXIS_PARAM: case AXIS_TOUCH: case AXIS_LAW: case AXIS_POINT: case AXIS_ONE: break;
    }
    return NULL;
}

static const char **entry_comments(struct emitter *e, const struct eq_array *a)
{
    const char **entry = ARENA_NEW(&e->arena, const char *, a->nnz + 1);
    const struct model *m = e->model;
    for (int j = 0; a->colptr && j < a->cols; j++)
        for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++)
            entry[k] = c_comment(&e->arena, arena_printf(&e->arena, "%s[%s, %s]", a->name, axis_name(m, a->row_axis, a->rowidx[k], NULL),
                                                         axis_name(m, a->col_axis, j, NULL)));
    for (int k = 0; !a->colptr && k < a->nnz; k++)
        entry[k] = c_comment(&e->arena, a->row_axis == AXIS_ONE ? a->name : axis_name(m, a->row_axis, k, NULL));
    return entry;
}

struct code_array emit_array(struct emitter *e, enum eq_id id, const char *local, const char *source)
{
    const struct eq_array *a = &e->eq->array[id];
    struct code_array array = { .local = local, .source = source };
    if (!abi_is_matrix(id))
        array.index = index_names(e, a->row_axis);
    if (!array.index && a->row_axis != AXIS_POINT && !a->by_columns)
        array.entry = entry_comments(e, a);
    return array;
}
