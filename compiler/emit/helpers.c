/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the functions of the generated file call besides math.h: splines through tables, extern functions
 * of the user, sign, min and max.  Written only if some tape uses it.
 *
 * A table's derivative is the same function with another order.  An extern function f(x, y) has its
 * derivatives under the names f_1, f_2, f_11, f_12, ...: the arguments differentiated by, ascending. */
#include "emit/parts.h"

#include <string.h>

static const struct model_table *find_table(const struct model *m, const void *data)
{
    for (int k = 0; k < m->table.n; k++)
        if (m->table.at[k] == data)
            return m->table.at[k];
    return NULL;
}

static const char *extern_name(struct emitter *e, int fn)
{
    const struct fn *f = &e->model->pool->fn[fn], *root = &e->model->pool->fn[f->root];
    const char *name = root->name, *separator = "_";
    for (int k = 0; k < f->args; k++)
        for (int j = 0; j < f->orders[k]; j++) {
            name = arena_printf(&e->arena, "%s%s%d", name, separator, k + 1);
            separator = "";
        }
    return name;
}

void emit_keep_extern_names(struct emitter *e)
{
    const struct pool *pool = e->model->pool;
    for (int k = 0; k < pool->fns; k++)
        if (!find_table(e->model, pool->fn[pool->fn[k].root].data))
            scope_name(&e->file, extern_name(e, k));
}

/* How the call of pool function fn begins in C. */
const char *emit_call(void *emitter, int fn)
{
    struct emitter *e = emitter;
    const struct fn *f = &e->model->pool->fn[fn];
    const struct model_table *t = find_table(e->model, e->model->pool->fn[f->root].data);
    if (!t)
        return arena_printf(&e->arena, "%s(", extern_name(e, fn));
    return arena_printf(&e->arena, "mbs_spline(table_%d, %d, %d, ", f->root, t->n, f->orders[0]);
}

struct used {
    bool op[EXPR_OPS], any_table;
    bool *fn;
};

static void find_used(struct used *u, const struct tape *t)
{
    for (int k = 0; k < t->rows; k++) {
        if (t->row[k].op == TAPE_FN)
            u->op[t->row[k].fn] = true;
        if (t->row[k].op == TAPE_CALL)
            u->fn[t->row[k].fn] = true;
    }
}

static void emit_numbers(struct emitter *e, struct cw_list *list, int n, const double *x)
{
    for (int k = 0; k < n; k++)
        cw_list_item(list, "%s", c_number(&e->arena, x[k]));
}

/* Cubic spline from knots, values and second derivatives; beyond its ends it goes on straight. */
static void emit_spline(struct emitter *e)
{
    static const char *const text[] = {
        "/* Cubic spline: k holds the n knots, then the values, then the second derivatives; straight beyond its ends. */",
        "static double mbs_spline(const double *k, int n, int order, double x)",
        "{",
        "\tconst double *y = k + n, *m = y + n, at = x < k[0] ? k[0] : x > k[n - 1] ? k[n - 1] : x;",
        "\tint i = 0, j = n - 1;",
        "\twhile (j - i > 1) {",
        "\t\tconst int mid = (i + j)/2;",
        "\t\tif (at < k[mid])",
        "\t\t\tj = mid;",
        "\t\telse",
        "\t\t\ti = mid;",
        "\t}",
        "\tconst double h = k[j] - k[i], a = (k[j] - at)/h, b = (at - k[i])/h;",
        "\tconst double slope = (y[j] - y[i])/h + ((3*b*b - 1)*m[j] - (3*a*a - 1)*m[i])*h/6;",
        "\tif (order == 0)",
        "\t\treturn a*y[i] + b*y[j] + ((a*a - 1)*a*m[i] + (b*b - 1)*b*m[j])*h*h/6 + slope*(x - at);",
        "\tif (order == 1)",
        "\t\treturn slope;",
        "\tif (order > 3 || x < k[0] || x > k[n - 1])",
        "\t\treturn x - x;",
        "\treturn order == 2 ? a*m[i] + b*m[j] : (m[j] - m[i])/h;",
        "}",
    };
    for (unsigned k = 0; k < sizeof text / sizeof *text; k++)
        cw_line(e->out, "%s", text[k]);
}

static void emit_table(struct emitter *e, int fn, const struct model_table *t)
{
    struct cw_list list;
    cw_line(e->out, "/* %s */", c_comment(&e->arena, t->name));
    cw_list_begin(&list, e->out, arena_printf(&e->arena, "static const double table_%d[] = { ", fn), " };");
    emit_numbers(e, &list, t->n, t->x);
    emit_numbers(e, &list, t->n, t->y);
    emit_numbers(e, &list, t->n, t->m);
    cw_list_end(&list);
}

static void emit_functions(struct emitter *e, const struct used *u)
{
    const struct pool *pool = e->model->pool;
    bool spline = false, *done = ARENA_NEW(&e->arena, bool, pool->fns + 1);
    for (int k = 0; k < pool->fns; k++) {
        if (!u->fn[k])
            continue;
        int root = pool->fn[k].root;
        const struct model_table *t = find_table(e->model, pool->fn[root].data);
        if (t) {
            if (!spline && !e->options->tapes)
                emit_spline(e);
            if (!done[root])
                emit_table(e, root, t);
            spline = done[root] = true;
        } else {
            const char *args = "double";
            for (int j = 1; j < pool->fn[k].args; j++)
                args = arena_printf(&e->arena, "%s, double", args);
            cw_line(e->out, "extern double %s(%s);", extern_name(e, k), args);
        }
    }
}

void emit_helpers(struct emitter *e)
{
    const struct programs *p = e->programs;
    struct used u = { .fn = ARENA_NEW(&e->arena, bool, e->model->pool->fns + 1) };
    for (int k = 0; k < p->list.n; k++)
        find_used(&u, p->list.at[k].tape);
    size_t before = e->out->n;
    bool c = !e->options->tapes;
    if (c && u.op[EXPR_SIGN])
        cw_line(e->out, "static double mbs_sign(double x) { return (double)((x > 0) - (x < 0)); }");
    if (c && u.op[EXPR_MIN])
        cw_line(e->out, "static double mbs_min(double x, double y) { return x < y ? x : y; }");
    if (c && u.op[EXPR_MAX])
        cw_line(e->out, "static double mbs_max(double x, double y) { return x > y ? x : y; }");
    emit_functions(e, &u);
    if (e->out->n > before)
        cw_line(e->out, "%s", "");
}
