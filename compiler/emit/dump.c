/* SPDX-License-Identifier: GPL-3.0-or-later
 * See dump.h.  One entry a line: name, expression as the model language writes it, line of its source. */
#include "emit/code.h"
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

/* The Jacobians are what only jacobian() gives; points of the drawing are not equations, solutions not formulas to read. */
void dump_equations(FILE *f, const struct equations *eq)
{
    for (int k = 0; k < EQ_COUNT; k++)
        if (abi_first((enum eq_id)k) != FUNCTION_jacobian && abi_first((enum eq_id)k) != FUNCTION_accelerations && k != EQ_xyz)
            dump_array(f, eq, (enum eq_id)k);
}

void dump_jacobian(FILE *f, const struct equations *eq)
{
    for (int k = 0; k < EQ_COUNT; k++)
        if (abi_first((enum eq_id)k) == FUNCTION_jacobian)
            dump_array(f, eq, (enum eq_id)k);
}

static const char *op_name(const struct pool *p, const struct tape_row *r)
{
    switch (r->op) {
    case TAPE_NUM: return "num";
    case TAPE_SYM: return "sym";
    case TAPE_CONST: return "const";
    case TAPE_ADD: case TAPE_SUB: case TAPE_MUL: case TAPE_DIV: case TAPE_NEG: case TAPE_SQRT: return tape_op_text(r->op);
    case TAPE_FN: return op_info[r->fn].text;
    case TAPE_CALL: return p->fn[r->fn].name;
    }
    return "";
}

static void dump_row(FILE *f, const struct programs *p, const struct tape *t, int k)
{
    static const char *const kind[CODE_KINDS] = {
        "p", "t", "q", "v", "a", "lambda", "mu", "z", "u", "seed", [TAPE_SHARED] = "position", [ROWS_M] = "M", [ROWS_G] = "G",
        [ROWS_L] = "l", [ROWS_X] = "x", [ROWS_F] = "f", [ROWS_GT] = "gt", [ROWS_GAMMA] = "gamma",
    };
    const struct tape_row *r = &t->row[k];
    fprintf(f, "  %%%d = ", k);
    if (r->op == TAPE_NUM)
        fprintf(f, "%.17g", t->num[r->a]);
    else if (r->op == TAPE_SYM)
        fprintf(f, "%s[%d]", kind[r->a], r->b);
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

static void dump_program(FILE *f, const struct programs *p, const struct program *x)
{
    const struct tape *t = x->tape;
    const struct tape_cost *c = &t->cost;
    fprintf(f, "%s: + %d, * %d, / %d, sqrt %d, sin cos %d, other %d\n", x->name, c->add, c->mul, c->div, c->root, c->trig, c->call);
    for (int piece = 0; piece < t->pieces; piece++) {
        if (t->piece[piece].section || t->pieces > 1)
            fprintf(f, " section %d\n", t->piece[piece].section);
        for (int k = t->piece[piece].begin; k < t->piece[piece].end; k++)
            dump_row(f, p, t, k);
        for (int k = 0; k < t->outs; k++)
            if (t->out[k].piece == piece)
                fprintf(f, "  %s[%d] = %%%d\n", program_array(p, x, t->out[k].array), t->out[k].index, t->out[k].row);
    }
}

void dump_tapes(FILE *f, const struct programs *p)
{
    for (int k = 0; k < p->list.n; k++)
        dump_program(f, p, &p->list.at[k]);
}
