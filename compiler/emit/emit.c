/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The shape of the generated file: what it is, its functions, its descriptor.
 *
 * Names that the model gave come first when identifiers are handed out; those of the file's own making
 * give way.  Everything of the model that reaches a literal or a comment goes through c_string() or
 * c_comment(). */
#include "emit/emit.h"
#include "emit/code.h"
#include "emit/parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Members of struct mbs_state by the kind of symbol. */
static const struct {
    enum sym_kind kind;
    const char *member;
} sources[] = {
    {SYM_Q, "q"}, {SYM_V, "v"}, {SYM_A, "a"}, {SYM_LAMBDA, "lambda"}, {SYM_MU, "mu"}, {SYM_Z, "z"}, {SYM_U, "u"},
};

/* --- identifiers ------------------------------------------------------------------------------------ */

static const char **name_list(struct emitter *e, int n)
{
    return ARENA_NEW(&e->arena, const char *, n + 1);
}

#define PLAIN(kind, list)                                                                                  \
    do {                                                                                                   \
        const char **names = name_list(e, m->list.n);                                                      \
        for (int k = 0; k < m->list.n; k++)                                                                \
            names[k] = scope_name(&e->file, m->list.at[k].name);                                           \
        e->name[kind] = names;                                                                             \
    } while (0)

static void make_names(struct emitter *e)
{
    const struct model *m = e->model;
    scope_init(&e->file, NULL, &e->arena);
    emit_keep_extern_names(e);
    e->time = scope_name(&e->file, "t");
    PLAIN(SYM_Q, coord);
    PLAIN(SYM_PARAM, param);
    PLAIN(SYM_Z, state);
    PLAIN(SYM_U, input);
    PLAIN(SYM_LAMBDA, constraint);
    e->name[SYM_V] = e->name[SYM_A] = e->name[SYM_Q];
    e->name[SYM_MU] = e->name[SYM_LAMBDA];
    e->c = scope_name(&e->file, "c");
    e->s = scope_name(&e->file, "s");
    e->w = scope_name(&e->file, "w");
    e->p = scope_name(&e->file, "p");
    e->given = scope_name(&e->file, "given");
    for (int k = 0; k < PROGRAM_COUNT; k++)
        e->function[k] = scope_name(&e->file, program_spec[k].name);
    for (unsigned k = 0; k < sizeof sources / sizeof *sources; k++)
        e->array[sources[k].kind] = scope_name(&e->file, sources[k].member);
}

static void emit_enum(struct emitter *e, int n, const char *const *names)
{
    struct cw_list list;
    cw_list_begin(&list, e->out, "enum { ", " };");
    for (int k = 0; k < n; k++)
        cw_list_item(&list, "%s", names[k]);
    cw_list_end(&list);
}

/* The names of the model index its arrays: q[beta], v[beta], c[m1]. */
static void emit_indices(struct emitter *e)
{
    const struct model *m = e->model;
    emit_enum(e, m->coord.n, e->name[SYM_Q]);
    emit_enum(e, m->constraint.n, e->name[SYM_LAMBDA]);
    emit_enum(e, m->state.n, e->name[SYM_Z]);
    emit_enum(e, m->input.n, e->name[SYM_U]);
    emit_enum(e, m->param.n, e->name[SYM_PARAM]);
    cw_line(e->out, "%s", "");
}

/* --- the head --------------------------------------------------------------------------------------- */

static void comment_names(struct emitter *e, const char *what, const struct model_name_list *l)
{
    if (!l->n)
        return;
    struct cw_list list;
    cw_list_begin(&list, e->out, arena_printf(&e->arena, " *   %-12s ", what), "");
    list.next = " *                ";
    for (int k = 0; k < l->n; k++)
        cw_list_item(&list, "%s", c_comment(&e->arena, l->name(e->model, k)));
    cw_list_end(&list);
}

static void comment_cost(struct emitter *e, const char *name, const struct tape *t)
{
    const struct tape_cost *c = &t->cost;
    if (t->outs)
        cw_line(e->out, " *   %-12s %7d %7d %7d %7d %7d %7d", name, c->add, c->mul, c->div, c->root, c->trig, c->call);
}

static const char *coord_name(const struct model *m, int k) { return m->coord.at[k].name; }
static const char *state_name(const struct model *m, int k) { return m->state.at[k].name; }
static const char *input_name(const struct model *m, int k) { return m->input.at[k].name; }
static const char *output_name(const struct model *m, int k) { return m->output.at[k].name; }
static const char *constraint_name(const struct model *m, int k) { return m->constraint.at[k].name; }

static void emit_head(struct emitter *e)
{
    const struct model *m = e->model;
    const struct programs *p = e->programs;
    cw_line(e->out, "/* SPDX-License-Identifier: 0BSD");
    cw_line(e->out, " *");
    cw_line(e->out, " * %s: %s", c_comment(&e->arena, m->name), c_comment(&e->arena, m->title ? m->title : ""));
    cw_line(e->out, " * Made by mbsc %s from %s.  This file carries no obligation: use it as you like.",
            e->options->version, c_comment(&e->arena, m->source ? file_name(m->source->path) : "a program"));
    cw_line(e->out, " *");
    comment_names(e, "coordinates", &(struct model_name_list){ m->coord.n, coord_name });
    comment_names(e, "states", &(struct model_name_list){ m->state.n, state_name });
    comment_names(e, "inputs", &(struct model_name_list){ m->input.n, input_name });
    comment_names(e, "outputs", &(struct model_name_list){ m->output.n, output_name });
    comment_names(e, "constraints", &(struct model_name_list){ m->constraint.n, constraint_name });
    cw_line(e->out, " *");
    cw_line(e->out, " *   operations       + -       *       /    sqrt sin,cos   other");
    for (int k = 0; k < PROGRAM_COUNT; k++)
        comment_cost(e, program_spec[k].name, k == PROGRAM_RESIDUAL && p->products ? p->products : p->tape[k]);
    comment_cost(e, "setup", p->setup);
    if (p->saddle) {
        comment_cost(e, "factor", &p->saddle->factor);
        comment_cost(e, "solve", &p->saddle->solve);
    }
    cw_line(e->out, " */");
    if (e->options->standalone) {
        cw_put(e->out, abi_text, strlen(abi_text));
        cw_line(e->out, "%s", "");
    } else {
        cw_line(e->out, "#include \"mbs/model.h\"");
    }
    cw_line(e->out, "#include <math.h>");
    cw_line(e->out, "%s", "");
}

/* --- functions -------------------------------------------------------------------------------------- */

void emit_code_init(struct emitter *e, struct code *code, const struct tape *tape)
{
    *code = (struct code){.out = e->out,
                          .arena = &e->arena,
                          .file = &e->file,
                          .tape = tape,
                          .time = e->time,
                          .c_name = e->c,
                          .s_name = e->s,
                          .w_name = e->w,
                          .params = e->model->param.n,
                          .call = emit_call,
                          .user = e};
    for (unsigned k = 0; k < sizeof sources / sizeof *sources; k++)
        code->symbols[sources[k].kind] =
            (struct code_symbols){e->array[sources[k].kind], arena_printf(&e->arena, "%s->%s", e->s, sources[k].member),
                                  e->name[sources[k].kind], NULL};
    code->symbols[SYM_PARAM] = (struct code_symbols){ e->p, NULL, e->name[SYM_PARAM], NULL };
}

void emit_close(struct emitter *e)
{
    e->out->indent--;
    cw_line(e->out, "}");
    cw_line(e->out, "%s", "");
}

void emit_program(struct emitter *e, enum program_id id, const char *function)
{
    const struct program_spec *spec = &program_spec[id];
    struct code code;
    struct code_array array[PROGRAM_ARRAYS];
    struct c_scope scope;
    bool plain = spec->out_type[0] == 'd';
    scope_init(&scope, &e->file, &e->arena);
    emit_code_init(e, &code, e->programs->tape[id]);
    code.file = &scope;
    code.out_name = scope_name(&scope, spec->out_name);
    for (int a = 0; spec->part[a].id >= 0; a++) {
        const char *name = e->eq->array[spec->part[a].id].name;
        array[a].local = plain ? code.out_name : scope_name(&scope, name);
        array[a].source = plain ? NULL : arena_printf(&e->arena, "%s->%s", code.out_name, name);
        code.arrays++;
    }
    code.array = array;
    code_function(&code, function, spec->out_type);
    scope_fini(&scope);
}

static void emit_initial(struct emitter *e)
{
    static const enum sym_kind kind[] = { SYM_Q, SYM_V, SYM_Z, SYM_U };
    struct code code;
    struct code_array array[4];
    struct c_scope scope;
    scope_init(&scope, &e->file, &e->arena);
    emit_code_init(e, &code, e->programs->initial);
    code.file = &scope;
    for (int a = 0; a < 4; a++)
        array[a] = (struct code_array){ e->array[kind[a]], NULL };
    code.array = array;
    code.arrays = 4;
    cw_line(e->out, "static void initial(const double *%s, double *%s, double *%s, double *%s, double *%s)", e->c,
            array[0].local, array[1].local, array[2].local, array[3].local);
    cw_line(e->out, "{");
    e->out->indent++;
    code_begin(&code);
    code_body(&code);
    cw_line(e->out, "(void)%s, (void)%s, (void)%s, (void)%s, (void)%s;", e->c, array[0].local, array[1].local,
            array[2].local, array[3].local);
    code_end(&code);
    emit_close(e);
    scope_fini(&scope);
}

static void emit_setup(struct emitter *e)
{
    struct code code;
    struct code_array array = { e->c, NULL };
    emit_code_init(e, &code, e->programs->setup);
    code.array = &array;
    code.arrays = 1;
    cw_line(e->out, "static void setup(const double *restrict %s, double *restrict %s)", e->p, e->c);
    cw_line(e->out, "{");
    e->out->indent++;
    if (e->model->param.n)
        cw_line(e->out, "for (int i = 0; i < %d; i++)", e->model->param.n);
    if (e->model->param.n)
        cw_line(e->out, "\t%s[i] = %s[i];", e->c, e->p);
    code_begin(&code);
    code_body(&code);
    code_end(&code);
    if (!e->model->param.n)
        cw_line(e->out, "(void)%s, (void)%s;", e->p, e->c);
    emit_close(e);
}

/* Numbers from a table; defaults that use other parameters after them, in order. */
static void emit_defaults(struct emitter *e)
{
    const struct model *m = e->model;
    struct cw_list list;
    cw_line(e->out, "static void defaults(double *%s, const unsigned char *%s)", e->p, e->given);
    cw_line(e->out, "{");
    e->out->indent++;
    if (m->param.n) {
        cw_list_begin(&list, e->out, "static const double value[] = { ", " };");
        for (int k = 0; k < m->param.n; k++)
            cw_list_item(&list, "%s",
                         expr_is_num(m->pool, m->param.at[k].value)
                             ? c_number(&e->arena, expr_value(m->pool, m->param.at[k].value))
                             : "0.0");
        cw_list_end(&list);
        cw_line(e->out, "for (int i = 0; i < %d; i++)", m->param.n);
        cw_line(e->out, "\tif (!%s || !%s[i])", e->given, e->given);
        cw_line(e->out, "\t\t%s[i] = value[i];", e->p);
    } else {
        cw_line(e->out, "(void)%s, (void)%s;", e->p, e->given);
    }
    for (int k = 0; k < m->param.n; k++) {
        if (expr_is_num(m->pool, m->param.at[k].value))
            continue;
        struct tape_output out = { .value = m->param.at[k].value, .index = k };
        struct tape *t = tape_build(m->pool, NULL, 1, &out, 0);
        struct code code;
        struct code_array array = { e->p, NULL };
        emit_code_init(e, &code, t);
        code.array = &array;
        code.arrays = 1;
        cw_line(e->out, "if (!%s || !%s[%d]) {", e->given, e->given, k);
        e->out->indent++;
        code_begin(&code);
        code_body(&code);
        code_end(&code);
        e->out->indent--;
        cw_line(e->out, "}");
        tape_free(t);
    }
    emit_close(e);
}

/* The residual by products with M, f, G and gamma, which dynamics() computes. */
static void emit_residual(struct emitter *e)
{
    static const struct { enum eq_id id; int kind; const char *wanted;
    } given[] = {{EQ_M, ROWS_M, NULL},
                 {EQ_f, ROWS_F, NULL},
                 {EQ_G, ROWS_G, NULL},
                 {EQ_gt, ROWS_GT, "gv"},
                 {EQ_gamma, ROWS_GAMMA, "ga"}};
    static const char *const result[PRODUCT_COUNT] = { "r", "gv", "ga", "Gtmu" };
    struct code code;
    struct code_array array[PRODUCT_COUNT];
    struct c_scope scope;
    struct cw_list list;
    scope_init(&scope, &e->file, &e->arena);
    emit_code_init(e, &code, e->programs->products);
    code.file = &scope;
    code.out_name = scope_name(&scope, "out");
    code_head(&code, e->function[PROGRAM_RESIDUAL], program_spec[PROGRAM_RESIDUAL].out_type);
    cw_list_begin(&list, e->out, "double ", ";");
    const char *members = "", *d = scope_name(&scope, "d");
    for (unsigned k = 0; k < sizeof given / sizeof *given; k++) {
        const struct eq_array *a = &e->eq->array[given[k].id];
        const char *local = code.symbols[given[k].kind].array = scope_name(&scope, a->name);
        if (!a->nnz)
            continue;
        cw_list_item(&list, "%s[%d]", local, a->nnz);
        members = given[k].wanted ? arena_printf(&e->arena, "%s .%s = %s->%s ? %s : 0,", members, a->name,
                                                 code.out_name, given[k].wanted, local)
                                  : arena_printf(&e->arena, "%s .%s = %s,", members, a->name, local);
    }
    cw_list_end(&list);
    cw_line(e->out, "const struct mbs_dynamics %s = {%s .zdot = %s->zdot, .g = %s->g };", d, members, code.out_name,
            code.out_name);
    cw_line(e->out, "%s(%s, %s, &%s, %s);", e->function[PROGRAM_DYNAMICS], e->c, e->s, d, e->w);
    for (int a = 0; a < PRODUCT_COUNT; a++)
        array[a] = (struct code_array){scope_name(&scope, result[a]),
                                       arena_printf(&e->arena, "%s->%s", code.out_name, result[a])};
    code.array = array;
    code.arrays = PRODUCT_COUNT;
    code_begin(&code);
    code_body(&code);
    code_end(&code);
    emit_close(e);
    scope_fini(&scope);
}

/* --- the solver ------------------------------------------------------------------------------------- */

static void emit_factor(struct emitter *e, const struct saddle *s)
{
    struct code code;
    struct c_scope scope;
    scope_init(&scope, &e->file, &e->arena);
    emit_code_init(e, &code, &s->factor);
    code.file = &scope;
    struct code_array array[CODE_KINDS] = { [ROWS_L] = { scope_name(&scope, "l"), NULL } };
    code.pivots = s;
    code.symbols[ROWS_M].array = scope_name(&scope, "M");
    code.symbols[ROWS_G].array = scope_name(&scope, "G");
    code.array = array;
    cw_line(e->out, "static int factor(const double *restrict %s, const double *restrict %s, double *restrict %s)",
            code.symbols[ROWS_M].array, code.symbols[ROWS_G].array, array[ROWS_L].local);
    cw_line(e->out, "{");
    e->out->indent++;
    code_begin(&code);
    code_body(&code);
    if (!e->model->constraint.n)
        cw_line(e->out, "(void)%s;", code.symbols[ROWS_G].array);
    cw_line(e->out, "return 0;");
    code_end(&code);
    emit_close(e);
    scope_fini(&scope);
}

static void emit_solve(struct emitter *e, const struct saddle *s)
{
    struct code code;
    struct c_scope scope;
    int n = e->model->coord.n + e->model->constraint.n;
    const char **names = name_list(e, n);
    scope_init(&scope, &e->file, &e->arena);
    emit_code_init(e, &code, &s->solve);
    code.file = &scope;
    struct code_array array[CODE_KINDS] = { [ROWS_X] = { scope_name(&scope, "x"), NULL } };
    for (int k = 0; k < n; k++)
        names[k] = scope_name(&scope, arena_printf(&e->arena, "b%d", k));
    code.symbols[ROWS_L].array = scope_name(&scope, "l");
    code.symbols[ROWS_X] = (struct code_symbols){ array[ROWS_X].local, NULL, NULL, names };
    code.array = array;
    cw_line(e->out, "static void solve(const double *restrict %s, double *restrict %s)", code.symbols[ROWS_L].array,
            array[ROWS_X].local);
    cw_line(e->out, "{");
    e->out->indent++;
    code_begin(&code);
    code_body(&code);
    code_end(&code);
    emit_close(e);
    scope_fini(&scope);
}

void emit_file(struct cwriter *out, const struct programs *p, const struct emit_options *options)
{
    struct emitter e = { .out = out, .programs = p, .eq = p->eq, .model = p->eq->model, .options = options };
    make_names(&e);
    emit_head(&e);
    emit_helpers(&e);
    emit_indices(&e);
    emit_defaults(&e);
    emit_setup(&e);
    emit_initial(&e);
    if (p->eq->columns)
        emit_patterns(&e);
    for (int k = 0; k < PROGRAM_COUNT; k++)
        if (k == PROGRAM_RESIDUAL && p->products)
            emit_residual(&e);
        else if (p->eq->columns && (k == PROGRAM_DYNAMICS || k == PROGRAM_JACOBIAN))
            emit_columns(&e, (enum program_id)k);
        else if (k != PROGRAM_POINTS || p->tape[k]->outs)
            emit_program(&e, (enum program_id)k, e.function[k]);
    if (p->saddle) {
        emit_factor(&e, p->saddle);
        emit_solve(&e, p->saddle);
    }
    emit_descriptor(&e);
    scope_fini(&e.file);
    arena_free(&e.arena);
}
