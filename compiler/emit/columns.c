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

/* Where the seeds and the columns of a set stand in the workspace. */
struct layout {
    int seeds, column[COLUMN_KINDS], end;
};

static struct layout layout_of(const struct programs *p, int set)
{
    struct layout l = { .seeds = p->columns[set]->slots };
    l.end = l.seeds + 2 * p->eq->model->coord.n;
    for (int a = 0; a < p->eq->columns->n; a++)
        if (column_is_in(p->eq->columns->at[a].matrix, set)) {
            l.column[a] = l.end;
            l.end += p->eq->columns->at[a].rows;
        }
    return l;
}

int columns_workspace(const struct programs *p)
{
    int most = 0;
    for (int set = 0; set < COLUMN_SETS; set++)
        if (p->columns[set]) {
            struct layout l = layout_of(p, set);
            most = l.end > most ? l.end : most;
        }
    return most;
}

static bool is_optional(enum eq_id id)
{
    return id == EQ_gvq || id == EQ_gaq || id == EQ_gav || id == EQ_gmuq;
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
    cw_line(e->out, "for (int k = i%d[j]; k < i%d[j + 1]; k++)", i[0], i[0]);
    cw_line(e->out, "\t%s->%s[k] = %s[%d + i%d[k]];", out, a->name, e->w, from, i[1]);
    e->out->indent -= is_optional(x->matrix);
}

/* The loop over the columns of one kind of seed. */
static void emit_loop(struct emitter *e, struct code *code, const char *name, int set, bool by_v)
{
    const struct tape *t = code->tape;
    const struct eq_columns *c = e->eq->columns;
    struct layout l = layout_of(e->programs, set);
    int seed = l.seeds + (by_v ? e->model->coord.n : 0);
    cw_line(e->out, "for (int j = 0; j < %d; j++) {", e->model->coord.n);
    e->out->indent++;
    cw_line(e->out, "%s[%d + j] = 1.0;", e->w, seed);
    for (int p = 0; p < t->pieces; p++)
        if (t->piece[p].section == 1 + by_v)
            code_call_piece(code, name, p);
    for (int a = 0; a < c->n; a++)
        if (column_is_in(c->at[a].matrix, set) && c->at[a].by_v == by_v)
            emit_copy(e, &c->at[a], l.column[a], code->out_name);
    cw_line(e->out, "%s[%d + j] = 0.0;", e->w, seed);
    e->out->indent--;
    cw_line(e->out, "}");
}

static void prepare(struct emitter *e, struct code *code, struct code_array *array, struct c_scope *scope, int set, enum program_id id)
{
    struct layout l = layout_of(e->programs, set);
    emit_code_init(e, code, e->programs->columns[set]);
    code->file = scope;
    code->out_name = scope_name(scope, program_spec[id].out_name);
    code->symbols[SYM_LOCAL] = (struct code_symbols){ scope_name(scope, "seed"), arena_printf(&e->arena, "%s + %d", e->w, l.seeds), NULL, NULL };
    for (int a = 0; a < e->eq->columns->n; a++)
        array[a] = (struct code_array){ .local = scope_name(scope, arena_printf(&e->arena, "column_%s",
                                                                                e->eq->array[e->eq->columns->at[a].matrix].name)),
                                        .source = arena_printf(&e->arena, "%s + %d", e->w, l.column[a]) };
    code->array = array;
    code->arrays = e->eq->columns->n;
}

/* name(c, s, out, w): all columns of a set. */
static void emit_set(struct emitter *e, int set, enum program_id id, const char *name)
{
    const struct tape *t = e->programs->columns[set];
    struct layout l = layout_of(e->programs, set);
    struct code code;
    struct code_array array[COLUMN_KINDS];
    struct c_scope scope;
    bool by_q = false, by_v = false;
    scope_init(&scope, &e->file, &e->arena);
    prepare(e, &code, array, &scope, set, id);
    code_begin(&code);
    code_pieces(&code, name, program_spec[id].out_type);
    code_head(&code, name, program_spec[id].out_type);
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
        emit_loop(e, &code, name, set, false);
    if (by_v)
        emit_loop(e, &code, name, set, true);
    code_end(&code);
    emit_close(e);
    scope_fini(&scope);
}

static bool has_outputs(const struct tape *t)
{
    return t && t->outs;
}

void emit_columns(struct emitter *e, enum program_id id)
{
    const struct program_spec *spec = &program_spec[id];
    bool jacobian = id == PROGRAM_JACOBIAN;
    const char *entries = scope_name(&e->file, arena_printf(&e->arena, "%s_entries", spec->name));
    const char *columns = scope_name(&e->file, arena_printf(&e->arena, "%s_columns", spec->name));
    const char *mu = scope_name(&e->file, arena_printf(&e->arena, "%s_mu", spec->name));
    bool with_mu = jacobian && has_outputs(e->programs->columns[COLUMNS_MU]) && e->eq->array[EQ_gmuq].nnz;
    if (has_outputs(e->programs->tape[id]))
        emit_program(e, id, entries);
    emit_set(e, jacobian ? COLUMNS_JACOBIAN : COLUMNS_MASS, id, columns);
    if (with_mu)
        emit_set(e, COLUMNS_MU, id, mu);
    cw_line(e->out, "static void %s(const double *restrict %s, const struct mbs_state *%s, %s%s, double *restrict %s)", e->function[id], e->c,
            e->s, spec->out_type, spec->out_name, e->w);
    cw_line(e->out, "{");
    e->out->indent++;
    if (has_outputs(e->programs->tape[id]))
        cw_line(e->out, "%s(%s, %s, %s, %s);", entries, e->c, e->s, spec->out_name, e->w);
    cw_line(e->out, "%s(%s, %s, %s, %s);", columns, e->c, e->s, spec->out_name, e->w);
    if (with_mu) {
        cw_line(e->out, "if (%s->gmuq)", spec->out_name);
        cw_line(e->out, "\t%s(%s, %s, %s, %s);", mu, e->c, e->s, spec->out_name, e->w);
    }
    emit_close(e);
}
