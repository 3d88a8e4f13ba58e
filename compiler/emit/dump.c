/* SPDX-License-Identifier: GPL-3.0-or-later
 * See dump.h.  One entry a line: name, expression as the model language writes it, line of its source. */
#include "emit/dump.h"

#include <stdlib.h>

static void dump_array(FILE *f, const struct equations *eq, enum eq_id id)
{
    struct arena scratch = {0};
    if (eq->array[id].by_columns)
        fprintf(f, "%s: %d entries, by columns\n", eq->array[id].name, eq->array[id].nnz);
    for (int k = 0; k < eq->array[id].nnz && !eq->array[id].by_columns; k++) {
        struct span span = {0};
        char *name = equations_entry(eq, &scratch, id, k, &span),
             *text = expr_show(eq->model->pool, eq->array[id].value[k]);
        fprintf(f, "%s = %s", name, text);
        if (span.source)
            fprintf(f, "    # line %u", source_place(span.source, span.begin).line);
        fputc('\n', f);
        free(text);
    }
    arena_free(&scratch);
}

void dump_equations(FILE *f, const struct equations *eq)
{
    static const enum eq_id list[] = { EQ_M, EQ_f, EQ_G, EQ_g, EQ_gt, EQ_gamma, EQ_zdot, EQ_r, EQ_energy, EQ_y };
    for (unsigned k = 0; k < sizeof list / sizeof *list; k++)
        dump_array(f, eq, list[k]);
}

void dump_jacobian(FILE *f, const struct equations *eq)
{
    static const enum eq_id list[] = {EQ_rq, EQ_rv, EQ_rz,  EQ_ru,  EQ_zq,  EQ_zv,
                                      EQ_zz, EQ_zu, EQ_gvq, EQ_gaq, EQ_gav, EQ_gmuq};
    for (unsigned k = 0; k < sizeof list / sizeof *list; k++)
        dump_array(f, eq, list[k]);
}

static const char *op_name(const struct pool *p, const struct tape_row *r)
{
    static const char *const fn[EXPR_OPS] = {
#define OP(name, text, args, cost) [EXPR_##name] = text,
#include "expr/ops.def"
#undef OP
    };
    switch (r->op) {
    case TAPE_NUM: return "num";
    case TAPE_SYM: return "sym";
    case TAPE_CONST: return "const";
    case TAPE_ADD: return "+";
    case TAPE_SUB: return "-";
    case TAPE_MUL: return "*";
    case TAPE_DIV: return "/";
    case TAPE_NEG: return "neg";
    case TAPE_SQRT: return "sqrt";
    case TAPE_FN: return fn[r->fn];
    case TAPE_CALL: return p->fn[r->fn].name;
    }
    return "";
}

static void dump_row(FILE *f, const struct programs *p, const struct tape *t, int k)
{
    static const char *const kind[SYM_KINDS] = { "p", "t", "q", "v", "a", "lambda", "mu", "z", "u", "local" };
    const struct tape_row *r = &t->row[k];
    fprintf(f, "  %%%d = ", k);
    if (r->op == TAPE_NUM)
        fprintf(f, "%.17g", t->num[r->a]);
    else if (r->op == TAPE_SYM)
        fprintf(f, "%s[%d]", r->a == TAPE_SHARED ? "position" : kind[r->a], r->b);
    else if (r->op == TAPE_CONST)
        fprintf(f, "c[%d]", r->a);
    else {
        fprintf(f, "%s", op_name(p->eq->model->pool, r));
        const int operand[] = { r->a, r->b, r->c, r->d };
        for (int j = 0; j < 4; j++)
            if (operand[j] >= 0)
                fprintf(f, " %%%d", operand[j]);
    }
    if (r->slot >= 0)
        fprintf(f, "    # w[%d]", r->slot);
    fputc('\n', f);
}

static void dump_tape(FILE *f, const struct programs *p, const struct tape *t, const char *name, const char *array,
                      const struct program_spec *spec)
{
    const struct tape_cost *c = &t->cost;
    fprintf(f, "%s: + %d, * %d, / %d, sqrt %d, sin cos %d, other %d\n", name, c->add, c->mul, c->div, c->root, c->trig,
            c->call);
    for (int piece = 0; piece < t->pieces; piece++) {
        if (t->piece[piece].section || t->pieces > 1)
            fprintf(f, " section %d\n", t->piece[piece].section);
        for (int k = t->piece[piece].begin; k < t->piece[piece].end; k++)
            dump_row(f, p, t, k);
        for (int k = 0; k < t->outs; k++)
            if (t->out[k].piece == piece)
                fprintf(f, "  %s[%d] = %%%d\n", spec ? p->eq->array[spec->part[t->out[k].array].id].name : array,
                        t->out[k].index, t->out[k].row);
    }
}

void dump_tapes(FILE *f, const struct programs *p)
{
    dump_tape(f, p, p->setup, "setup", "c", NULL);
    if (p->position)
        dump_tape(f, p, p->position, "position", "position", NULL);
    for (int k = 0; k < EQ_COUNT; k++)
        if (p->part[k])
            dump_tape(f, p, p->part[k], p->eq->array[k].name, p->eq->array[k].name, NULL);
    for (int k = 0; k < PROGRAM_COUNT; k++)
        if (p->tape[k])
            dump_tape(f, p, p->tape[k], program_spec[k].name, NULL, &program_spec[k]);
    static const char *const columns[COLUMN_SETS] = { "columns of M", "columns of the Jacobian", "columns of gmuq" };
    for (int k = 0; k < COLUMN_SETS; k++)
        if (p->columns[k])
            dump_tape(f, p, p->columns[k], columns[k], "c", NULL);
}
