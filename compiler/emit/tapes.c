/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tapes as a file, for the interpreter of libmbs (runtime/interpret, design 0017): lists of numbers in the syntax of C, then the
 * same descriptor as in a C file.  What a row does stands in it by the name of its operator, so that no numbering is shared.
 *
 *   NAME_rows       operator, and three operands: earlier rows; of a load the index; of a spline the row, the table and the order
 *   NAME_sections   section, first row, one past the last
 *   NAME_outs       array, index, section, row
 */
#include "emit/parts.h"

#include <stdlib.h>

static const char *operator_name(const struct tape_row *r)
{
    static const char *const symbol[SYM_KINDS] = {
        [SYM_PARAM] = "p", [SYM_TIME] = "t", [SYM_Q] = "q", [SYM_V] = "v", [SYM_A] = "a", [SYM_LAMBDA] = "lambda", [SYM_MU] = "mu",
        [SYM_Z] = "z", [SYM_U] = "u",
    };
    switch (r->op) {
    case TAPE_NUM: return "number";
    case TAPE_SYM: return symbol[r->a];
    case TAPE_CONST: return "constant";
    case TAPE_ADD: case TAPE_SUB: case TAPE_MUL: case TAPE_DIV: case TAPE_NEG: case TAPE_SQRT: return tape_op_text(r->op);
    case TAPE_FN: return op_info[r->fn].text;
    case TAPE_CALL: return "spline";
    }
    return "";
}

/* Names of operators get a number where they are met for the first time. */
struct operators {
    struct { const char **at; int n, cap; } list;
    int of[TAPE_CALL + 1][EXPR_OPS + SYM_KINDS];       /* 1 + its number, by the operator or the kind of symbol */
};

static int operator_number(struct operators *o, const struct tape_row *r)
{
    int *number = &o->of[r->op][r->op == TAPE_FN ? r->fn : r->op == TAPE_SYM ? r->a : 0];
    if (!*number) {
        VEC_PUSH(o->list, operator_name(r));
        *number = o->list.n;
    }
    return *number - 1;
}

static const char *list_head(struct emitter *e, const char *type, const char *name, const char *what)
{
    return arena_printf(&e->arena, "static const %s %s_%s[] = { ", type, name, what);
}

static void emit_rows(struct emitter *e, struct operators *o, const char *name, const struct tape *t)
{
    struct cw_list list;
    cw_list_begin(&list, e->out, list_head(e, "double", name, "numbers"), " };");
    for (int k = 0; k < t->nums; k++)
        cw_list_item(&list, "%s", c_number(&e->arena, t->num[k]));
    cw_list_end(&list);
    cw_list_begin(&list, e->out, list_head(e, "int", name, "rows"), " };");
    for (int k = 0; k < t->rows; k++) {
        const struct tape_row *r = &t->row[k];
        const struct fn *f = r->op == TAPE_CALL ? &e->model->pool->fn[r->fn] : NULL;
        int a = r->op == TAPE_SYM ? r->b : r->a, b = f ? f->root : r->op <= TAPE_CONST ? -1 : r->b, c = f ? f->orders[0] : r->op <= TAPE_CONST ? -1 : r->c;
        cw_list_item(&list, "%d,%d,%d,%d", operator_number(o, r), a, b, c);
    }
    cw_list_end(&list);
}

static void emit_program_tape(struct emitter *e, struct operators *o, const struct program *p)
{
    const char *name = emit_function_name(e, p);
    const struct tape *t = p->tape;
    struct cw_list list;
    emit_rows(e, o, name, t);
    cw_list_begin(&list, e->out, list_head(e, "int", name, "sections"), " };");
    for (int k = 0; k < t->pieces; k++)
        cw_list_item(&list, "%d,%d,%d", t->piece[k].section, t->piece[k].begin, t->piece[k].end);
    cw_list_end(&list);
    cw_list_begin(&list, e->out, list_head(e, "int", name, "outs"), " };");
    for (int k = 0; k < t->outs; k++)
        cw_list_item(&list, "%d,%d,%d,%d", t->out[k].array, t->out[k].index, t->out[k].section, t->out[k].row);
    cw_list_end(&list);
}

/* Numbers of all parameters, and the programs of those that use others. */
static void emit_default_values(struct emitter *e)
{
    const struct model *m = e->model;
    struct cw_list list;
    cw_list_begin(&list, e->out, "static const double default_values[] = { ", " };");
    for (int k = 0; k < m->param.n; k++) {
        Expr x = m->param.at[k].value;
        cw_list_item(&list, "%s", expr_is_num(m->pool, x) ? c_number(&e->arena, expr_value(m->pool, x)) : "0.0");
    }
    cw_list_end(&list);
    cw_list_begin(&list, e->out, "static const char *const default_programs[] = { ", " };");
    for (int k = 0; k < m->param.n; k++) {
        const struct program *one = program_find(e->programs, PROGRAM_DEFAULT, k);
        if (one)
            cw_list_item(&list, "%s", c_string(&e->arena, emit_function_name(e, one)));
    }
    cw_list_end(&list);
}

void emit_tapes(struct emitter *e)
{
    struct operators o = {0};
    struct cw_list list;
    for (int k = 0; k < e->programs->list.n; k++)
        emit_program_tape(e, &o, &e->programs->list.at[k]);
    cw_list_begin(&list, e->out, "static const char *const operators[] = { ", " };");
    for (int k = 0; k < o.list.n; k++)
        cw_list_item(&list, "%s", c_string(&e->arena, o.list.at[k]));
    cw_list_end(&list);
    emit_default_values(e);
    free(o.list.at);
}
