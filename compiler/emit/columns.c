/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Functions that compute large full matrices by columns (derive/columns.h).
 *
 * dynamics() and jacobian() become: the other outputs as usual; then what all columns share; then a loop
 * over the coordinates that sets one seed, runs the column's program and copies the column to its place.
 * Seeds and the column stand in the workspace behind the slots.
 */
#include "emit/code.h"
#include "emit/parts.h"

#include <string.h>

static bool is_optional(enum eq_id id)
{
    int part = abi_part(FUNCTION_jacobian, id);
    return abi_function[FUNCTION_jacobian].part[part].group != 0;
}

/* Copy one column of a matrix from the workspace. */
static void emit_copy(struct emitter *e, const struct eq_column *x, int from, const char *out)
{
    const struct eq_array *a = &e->eq->array[x->matrix];
    const int *i = e->pattern[x->matrix];
    if (!a->nnz)
        return;
    if (is_optional(x->matrix))
        cw_line(e->out, "if (%s->%s)", out, a->name);
    e->out->indent += is_optional(x->matrix);
    cw_line(e->out, "for (int i = i%d[j]; i < i%d[j + 1]; i++)", i[0], i[0]);
    cw_line(e->out, "\t%s->%s[i] = %s[%d + i%d[i]];", out, a->name, e->w, from, i[1]);
    e->out->indent -= is_optional(x->matrix);
}

/* The loop over the columns of one kind of seed. */
static void emit_loop(struct emitter *e, struct code *code, const struct program *program, bool by_v)
{
    const struct tape *t = code->tape;
    const struct eq_columns *c = e->eq->columns;
    const char *name = emit_function_name(e, program);
    struct column_layout l = column_layout(e->programs, program);
    int seed = l.seeds + (by_v ? e->model->coord.n : 0);
    cw_line(e->out, "for (int j = 0; j < %d; j++) {", e->model->coord.n);
    e->out->indent++;
    cw_line(e->out, "%s[%d + j] = 1.0;", e->w, seed);
    for (int p = 0; p < t->pieces; p++)
        if (t->piece[p].section == 1 + by_v)
            code_call_piece(code, name, p);
    for (int a = 0; a < c->n; a++)
        if (column_is_in(c->at[a].matrix, (enum column_set)program->index) && c->at[a].by_v == by_v)
            emit_copy(e, &c->at[a], l.column[a], code->out_name);
    cw_line(e->out, "%s[%d + j] = 0.0;", e->w, seed);
    e->out->indent--;
    cw_line(e->out, "}");
}

static void prepare(struct emitter *e, struct code *code, struct code_array *array, struct c_scope *scope, const struct program *program)
{
    struct column_layout l = column_layout(e->programs, program);
    emit_code_init(e, code, program);
    code->file = scope;
    code->out_name = scope_name(scope, "out");
    code->symbols[SYM_LOCAL] = (struct code_symbols){ scope_name(scope, "seed"), arena_printf(&e->arena, "%s + %d", e->w, l.seeds), NULL, NULL, true };
    for (int a = 0; a < e->eq->columns->n; a++)
        array[a] = (struct code_array){ .local = scope_name(scope, arena_printf(&e->arena, "column_%s",
                                                                                e->eq->array[e->eq->columns->at[a].matrix].name)),
                                        .source = arena_printf(&e->arena, "%s + %d", e->w, l.column[a]), .in_w = true };
    code->array = array;
    code->arrays = e->eq->columns->n;
}

/* name(c, s, out, w): all columns of a set. */
void emit_columns(struct emitter *e, const struct program *program)
{
    const struct tape *t = program->tape;
    const char *name = emit_function_name(e, program), *type = abi_function[column_function((enum column_set)program->index)].type;
    struct column_layout l = column_layout(e->programs, program);
    struct code code;
    struct code_array array[EQ_COUNT];
    struct c_scope scope;
    bool by_q = false, by_v = false;
    scope_init(&scope, &e->file, &e->arena);
    prepare(e, &code, array, &scope, program);
    code_begin(&code);
    code_pieces(&code, name, type);
    code_head(&code, name, type);
    for (int p = 0; p < t->pieces; p++)
        if (!t->piece[p].section && t->piece[p].end > t->piece[p].begin)
            code_call_piece(&code, name, p);
    for (int k = 0; k < t->outs; k++) {
        by_q |= t->out[k].section == 1;
        by_v |= t->out[k].section == 2;
    }
    cw_line(e->out, "for (int j = 0; j < %d; j++)", 2 * e->model->coord.n);
    cw_line(e->out, "\t%s[%d + j] = 0.0;", e->w, l.seeds);
    if (by_q)
        emit_loop(e, &code, program, false);
    if (by_v)
        emit_loop(e, &code, program, true);
    code_end(&code);
    emit_close(e);
    scope_fini(&scope);
}

static const struct program *columns_of(const struct emitter *e, enum abi_function_id function, enum column_set set)
{
    return column_function(set) == function ? program_find(e->programs, PROGRAM_COLUMNS, (int)set) : NULL;
}

bool emit_has_columns(const struct emitter *e, const struct program *function)
{
    for (int set = 0; set < COLUMN_SETS; set++)
        if (columns_of(e, (enum abi_function_id)function->index, (enum column_set)set))
            return true;
    return false;
}

void emit_with_columns(struct emitter *e, const struct program *function)
{
    const struct abi_function *f = &abi_function[function->index];
    const char *entries = scope_name(&e->file, arena_printf(&e->arena, "%s_entries", f->name));
    struct c_scope scope;
    if (function->tape->outs)
        emit_program(e, function, entries);
    scope_init(&scope, &e->file, &e->arena);
    const char *out = scope_name(&scope, f->argument);
    cw_line(e->out, "static void %s(const double *restrict %s, const struct mbs_state *%s, %s%s, double *restrict %s)",
            emit_function_name(e, function), e->c, e->s, f->type, out, e->w);
    cw_line(e->out, "{");
    e->out->indent++;
    if (function->tape->outs)
        cw_line(e->out, "%s(%s, %s, %s, %s);", entries, e->c, e->s, out, e->w);
    for (int set = 0; set < COLUMN_SETS; set++) {
        const struct program *columns = columns_of(e, (enum abi_function_id)function->index, (enum column_set)set);
        if (!columns)
            continue;
        if (set == COLUMNS_MU)
            cw_line(e->out, "if (%s->gmuq)", out);
        cw_line(e->out, "%s%s(%s, %s, %s, %s);", set == COLUMNS_MU ? "\t" : "", emit_function_name(e, columns), e->c, e->s, out, e->w);
    }
    emit_close(e);
    scope_fini(&scope);
}
