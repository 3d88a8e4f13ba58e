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
#include "base/cwords.h"

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

/* Those that fixed text calls, and pieces of long functions, before the model has a name; else the model's names come first. */
static void name_functions(struct emitter *e, bool fixed)
{
    for (int k = 0; k < e->programs->list.n; k++) {
        const struct program *p = &e->programs->list.at[k];
        for (int piece = 1; fixed && p->tape->pieces > 1 && piece <= p->tape->pieces; piece++)
            scope_keep(&e->file, arena_printf(&e->arena, "%s_%d", p->name, piece));
        if (fixed && emit_has_fixed_name(e, p))
            scope_keep(&e->file, e->function[k] = p->name);
        else if (!fixed && !emit_has_fixed_name(e, p))
            e->function[k] = scope_name(&e->file, p->name);
    }
}

void emit_keep_locals(struct emitter *e, const char *text)
{
    size_t n;
    for (; (text = c_word(text, &n)); text += n)
        scope_keep(&e->locals, arena_printf(&e->arena, "%.*s", (int)n, text));
}

static void make_names(struct emitter *e)
{
    const struct model *m = e->model;
    scope_init(&e->locals, NULL, &e->arena);
    scope_init(&e->file, NULL, &e->arena);
    e->descriptor = scope_name(&e->file, arena_printf(&e->arena, "%s_model", m->name));
    emit_keep_extern_names(e);
    emit_keep_rolled_names(e);
    emit_keep_lanes_names(e);
    e->function = name_list(e, e->programs->list.n);
    name_functions(e, true);
    e->time = scope_name(&e->file, "t");
    e->file.outer = &e->locals;         /* a reader need not know that fixed text does not mean the model's names */
    PLAIN(SYM_Q, coord);
    PLAIN(SYM_PARAM, param);
    PLAIN(SYM_Z, state);
    PLAIN(SYM_U, input);
    PLAIN(SYM_LAMBDA, constraint);
    e->file.outer = NULL;
    e->name[SYM_V] = e->name[SYM_A] = e->name[SYM_Q];
    e->name[SYM_MU] = e->name[SYM_LAMBDA];
    e->c = scope_name(&e->file, "c");
    e->s = scope_name(&e->file, "s");
    e->w = scope_name(&e->file, "w");
    e->p = scope_name(&e->file, "p");
    e->given = scope_name(&e->file, "given");
    name_functions(e, false);
    for (unsigned k = 0; k < sizeof sources / sizeof *sources; k++)
        e->array[sources[k].kind] = scope_name(&e->file, sources[k].member);
    e->file.outer = &e->locals;
    emit_name_constants(e);
    e->file.outer = NULL;
    emit_name_shared(e);
}

const char *emit_function_name(const struct emitter *e, const struct program *p)
{
    return e->function[p - e->programs->list.at];
}

static void emit_enum(struct emitter *e, int first, int n, const char *const *names)
{
    struct cw_list list;
    cw_list_begin(&list, e->out, "enum { ", " };");
    for (int k = 0; k < n; k++)
        cw_list_item(&list, first && !k ? "%s = %d" : "%s", names[k], first);
    cw_list_end(&list);
}

/* The names of the model index its arrays: q[beta], v[beta], f[beta], c[m1]; constants are counted on. */
static void emit_indices(struct emitter *e)
{
    const struct model *m = e->model;
    emit_enum(e, 0, m->coord.n, e->name[SYM_Q]);
    emit_enum(e, 0, m->constraint.n, e->name[SYM_LAMBDA]);
    emit_enum(e, 0, m->state.n, e->name[SYM_Z]);
    emit_enum(e, 0, m->input.n, e->name[SYM_U]);
    emit_enum(e, 0, m->param.n, e->constant);
    emit_enum(e, m->param.n, e->programs->hoist.value.n, e->constant + m->param.n);
    cw_line(e->out, "%s", "");
}

/* --- the head --------------------------------------------------------------------------------------- */

static void comment_names(struct emitter *e, const char *what, const struct model_name_list *l)
{
    enum { ALL = 40, BEGINNING = 8 };   /* of many names the first ones */
    int shown = l->n > ALL ? BEGINNING : l->n;
    if (!l->n)
        return;
    struct cw_list list;
    cw_list_begin(&list, e->out, arena_printf(&e->arena, " *   %-12s ", what), "");
    list.next = " *                ";
    for (int k = 0; k < shown; k++)
        cw_list_item(&list, "%s", c_comment(&e->arena, l->name(e->model, k)));
    if (shown < l->n)
        cw_list_item(&list, "and %d more", l->n - shown);
    cw_list_end(&list);
}

/* "M, f, G; if asked g": what a function of the ABI gives in this model; NULL: nothing. */
static const char *function_gives(struct emitter *e, const struct abi_function *f)
{
    const char *text = "";
    for (int optional = 0; optional < 2; optional++)
        for (int k = 0, n = 0; k < f->parts; k++) {
            const struct abi_part *part = &f->part[k];
            if ((part->group != 0) != optional || !e->eq->array[part->id].nnz)
                continue;
            const char *before = n++ ? ", " : !optional ? "" : *text ? "; if asked " : "if asked ";
            text = arena_printf(&e->arena, "%s%s%s", text, before, abi_quantity[part->id].name);
        }
    return *text ? text : NULL;
}

static const char *program_purpose(struct emitter *e, const struct program *p)
{
    switch (p->kind) {
    case PROGRAM_DEFAULT: return NULL;          /* one for each such parameter */
    case PROGRAM_DEFAULTS: return "parameters p that are not given";
    case PROGRAM_SETUP: return "constants c from the parameters";
    case PROGRAM_BODIES: return "constants of the bodies that depend on parameters";
    case PROGRAM_LAW: return "energy, force, its derivatives and inertia of a law of one coordinate";
    case PROGRAM_JOINT: return "angles of the turns that a joint is, and their derivatives";
    case PROGRAM_STEP: return NULL;             /* several a class */
    case PROGRAM_INITIAL: return "start values";
    case PROGRAM_POSITION: return "what several functions need of q and t";
    case PROGRAM_PART: return abi_quantity[p->index].name;
    case PROGRAM_COLUMNS: return "large matrices, column by column";
    case PROGRAM_PRODUCT: return p->index ? "y = G' x" : "y = G x";
    case PROGRAM_FUNCTION: return function_gives(e, &abi_function[p->index]);
    case PROGRAM_FACTOR: return "l: factors of [M G'; G 0]";
    case PROGRAM_SOLVE: return "x with [M G'; G 0] x = b";
    case PROGRAM_LANES: return arena_printf(&e->arena, "%s of %d states at once", p->index == FUNCTION_accelerations ? "a, lambda" : abi_function[p->index].name, e->programs->lanes);
    case PROGRAM_KINDS: break;
    }
    return NULL;
}

/* Table of contents: what each function gives, and how much it computes: a reader compares, a change shows. */
static void comment_contents(struct emitter *e)
{
    const struct programs *p = e->programs;
    cw_line(e->out, " *");
    cw_line(e->out, " *   M a = f - G' lambda, g = 0; r = M a - f + G' lambda; see mbs/model.h for the rest.");
    cw_line(e->out, " *   Operations: sums and products, quotients and roots, sines and cosines, other functions.");
    cw_line(e->out, " *");
    for (int k = 0; k < p->list.n; k++) {
        const struct program *x = &p->list.at[k];
        const struct tape_cost *c = &x->cost;
        const char *purpose = program_purpose(e, x), *cost = "";
        if (!purpose)
            continue;
        if (p->by_products && x->kind == PROGRAM_FUNCTION && x->index == FUNCTION_residual)
            cost = arena_printf(&e->arena, "dynamics + %d", p->product_flops);
        else if (program_is_member(x) && x->kind != PROGRAM_DEFAULTS && x->kind != PROGRAM_INITIAL)
            cost = arena_printf(&e->arena, "%5d %3d %3d %3d", c->add + c->mul, c->div + c->root, c->trig, c->call);
        cw_line(e->out, *cost ? " *   %-18s %-46s %s" : " *   %-18s %s", emit_function_name(e, x), purpose, cost);
    }
}

static const char *coord_name(const struct model *m, int k) { return m->coord.at[k].name; }
static const char *state_name(const struct model *m, int k) { return m->state.at[k].name; }
static const char *input_name(const struct model *m, int k) { return m->input.at[k].name; }
static const char *output_name(const struct model *m, int k) { return m->output.at[k].name; }
static const char *constraint_name(const struct model *m, int k) { return m->constraint.at[k].name; }

static void emit_head(struct emitter *e)
{
    const struct model *m = e->model;
    cw_line(e->out, "/* SPDX-License-Identifier: 0BSD");
    cw_line(e->out, " *");
    cw_line(e->out, " * %s: %s", c_comment(&e->arena, m->name), c_comment(&e->arena, m->title ? m->title : ""));
    cw_line(e->out, " * Made by mbsc %s from %s.  It carries no obligation: use it as you like.",
            e->options->version, c_comment(&e->arena, m->source ? file_name(m->source->path) : "a program"));
    cw_line(e->out, " *");
    comment_names(e, "coordinates", &(struct model_name_list){ m->coord.n, coord_name });
    comment_names(e, "states", &(struct model_name_list){ m->state.n, state_name });
    comment_names(e, "inputs", &(struct model_name_list){ m->input.n, input_name });
    comment_names(e, "outputs", &(struct model_name_list){ m->output.n, output_name });
    comment_names(e, "constraints", &(struct model_name_list){ m->constraint.n, constraint_name });
    comment_contents(e);
    cw_line(e->out, " */");
    if (e->options->tapes)
        return;
    bool sines = emit_uses_sines(e);
    if (sines) {
        cw_line(e->out, "#include <math.h>");
        cw_line(e->out, "#define MBS_SINES");
    }
    if (e->options->standalone) {
        const char *begin = strstr(abi_text, "/* --- sines --- */\n"), *end = strstr(abi_text, "/* --- end of sines --- */\n");
        cw_put(e->out, abi_text, sines ? strlen(abi_text) : (size_t)(begin - abi_text));
        cw_put(e->out, end, sines ? 0 : strlen(end));
        cw_line(e->out, "%s", "");
    } else {
        cw_line(e->out, "#include \"mbs/model.h\"");
    }
    if (!sines)
        cw_line(e->out, "#include <math.h>");
    emit_rolled_head(e);
    cw_line(e->out, "%s", "");
}

/* --- functions -------------------------------------------------------------------------------------- */

void emit_code_init(struct emitter *e, struct code *code, const struct program *program)
{
    *code = (struct code){.out = e->out,
                          .arena = &e->arena,
                          .file = &e->file,
                          .tape = program->tape,
                          .time = e->time,
                          .c_name = e->c,
                          .s_name = e->s,
                          .w_name = e->w,
                          .constant = e->constant,
                          .gathers_sines = emit_gathers_sines(e, program),
                          .call = emit_call,
                          .user = e};
    for (unsigned k = 0; k < sizeof sources / sizeof *sources; k++)
        code->symbols[sources[k].kind] =
            (struct code_symbols){e->array[sources[k].kind], arena_printf(&e->arena, "%s->%s", e->s, sources[k].member),
                                  e->name[sources[k].kind], NULL, false};
    code->symbols[TAPE_SHARED].local = e->member_read;
    code->symbols[SYM_PARAM] = (struct code_symbols){ e->p, NULL, e->name[SYM_PARAM], NULL, false };
}

void emit_close(struct emitter *e)
{
    e->out->indent--;
    cw_line(e->out, "}");
    cw_line(e->out, "%s", "");
}

void emit_body(struct emitter *e, struct code *code)
{
    cw_line(e->out, "{");
    e->out->indent++;
    code_begin(code);
    code_body(code);
    code_end(code);
    emit_close(e);
}

static void emit_nothing(struct code *code)
{
    (void)code;
}

void emit_program(struct emitter *e, const struct program *program, const char *function)
{
    const struct abi_function *f = &abi_function[program->index];
    struct code code;
    struct code_array array[FUNCTION_PARTS];
    struct c_scope scope;
    scope_init(&scope, &e->file, &e->arena);
    emit_code_init(e, &code, program);
    code.file = &scope;
    code.out_name = scope_name(&scope, f->argument);
    for (int a = 0; a < f->parts; a++) {
        const char *name = abi_quantity[f->part[a].id].name;
        array[a] = emit_array(e, f->part[a].id, f->plain ? code.out_name : scope_name(&scope, name),
                              f->plain ? NULL : arena_printf(&e->arena, "%s->%s", code.out_name, name));
        code.arrays++;
    }
    code.array = array;
    code.in_order = program->index != FUNCTION_points;      /* of points that coincide one statement tells more */
    if (program->index == FUNCTION_jacobian && e->programs->gav_is_twice_gvq) {     /* see emit_call_optional */
        struct code_array *gvq = &array[abi_part(FUNCTION_jacobian, EQ_gvq)];
        gvq->source = arena_printf(&e->arena, "%s->gvq ? %s->gvq : %s->gav", code.out_name, code.out_name, code.out_name);
        gvq->guard = arena_printf(&e->arena, "%s->gvq || %s->gav", code.out_name, code.out_name);
    }
    code.statements = &(struct shared_user){ e, program };
    if (program->kind == PROGRAM_LANES) {
        code.lanes = "lanes";
        code.state = "lanes_state";
        code_function(&code, function, arena_printf(&e->arena, "const struct lanes_%s *", f->name), emit_nothing, emit_nothing);
    } else {
        code_function(&code, function, f->type, emit_call_shared, emit_call_optional);
    }
    scope_fini(&scope);
}

/* Many start values that are numbers. */
static void emit_start_table(struct emitter *e, int array, const char *local)
{
    const struct pool *pool = e->model->pool;
    int n = program_starts(e->programs, array);
    struct cw_list list;
    cw_list_begin(&list, e->out, arena_printf(&e->arena, "static const double start[%d] = { ", n), " };");
    for (int k = 0; k < n; k++) {
        Expr x = program_start(e->programs, array, k);
        double value = expr_is_num(pool, x) ? expr_value(pool, x) : 0;
        cw_list_item(&list, "%s", value == 0 ? "0" : c_number(&e->arena, value));
    }
    cw_list_end(&list);
    cw_line(e->out, "for (int i = 0; i < %d; i++)", n);
    cw_line(e->out, "\t%s[i] = start[i];", local);
}

static void emit_initial(struct emitter *e, const struct program *program)
{
    static const enum sym_kind kind[] = { SYM_Q, SYM_V, SYM_Z, SYM_U };
    struct code code;
    struct code_array array[4];
    struct c_scope scope;
    scope_init(&scope, &e->file, &e->arena);
    emit_code_init(e, &code, program);
    code.file = &scope;
    for (int a = 0; a < 4; a++)
        array[a] = (struct code_array){ .local = e->array[kind[a]], .index = e->name[kind[a]] };
    code.array = array;
    code.arrays = 4;
    code.in_order = true;
    cw_line(e->out, "static void %s(const double *%s, double *%s, double *%s, double *%s, double *%s)",
            emit_function_name(e, program), e->c, array[0].local, array[1].local, array[2].local, array[3].local);
    cw_line(e->out, "{");
    e->out->indent++;
    for (int a = 0; a < 4; a++)
        if (program_start_is_table(e->programs, a)) {
            cw_line(e->out, "{");
            e->out->indent++;
            emit_start_table(e, a, array[a].local);
            e->out->indent--;
            cw_line(e->out, "}");
        }
    code_begin(&code);
    code_body(&code);
    cw_line(e->out, "(void)%s, (void)%s, (void)%s, (void)%s, (void)%s;", e->c, array[0].local, array[1].local,
            array[2].local, array[3].local);
    code_end(&code);
    emit_close(e);
    scope_fini(&scope);
}

static void emit_setup(struct emitter *e, const struct program *program)
{
    struct code code;
    struct code_array array = { .local = e->c, .index = e->constant };
    emit_code_init(e, &code, program);
    code.array = &array;
    code.arrays = 1;
    cw_line(e->out, "static void %s(const double *restrict %s, double *restrict %s)", emit_function_name(e, program), e->p,
            e->c);
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

/* The default of one parameter from others. */
static void emit_default(struct emitter *e, const struct program *program)
{
    struct code code;
    struct code_array array = { .local = e->p, .index = e->name[SYM_PARAM] };
    emit_code_init(e, &code, program);
    code.array = &array;
    code.arrays = 1;
    cw_line(e->out, "static void %s(double *%s)", emit_function_name(e, program), e->p);
    emit_body(e, &code);
}

/* Numbers from a table; defaults that use other parameters after them, in order. */
static void emit_defaults(struct emitter *e, const struct program *program)
{
    const struct model *m = e->model;
    struct cw_list list;
    cw_line(e->out, "static void %s(double *%s, const unsigned char *%s)", emit_function_name(e, program), e->p, e->given);
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
        const struct program *one = program_find(e->programs, PROGRAM_DEFAULT, k);
        if (!one)
            continue;
        cw_line(e->out, "if (!%s || !%s[%s])", e->given, e->given, e->name[SYM_PARAM][k]);
        cw_line(e->out, "\t%s(%s);", emit_function_name(e, one), e->p);
    }
    emit_close(e);
}

/* y = G x or y = G' x. */
static void emit_product(struct emitter *e, const struct program *program)
{
    struct code code;
    struct c_scope scope;
    scope_init(&scope, &e->file, &e->arena);
    emit_code_init(e, &code, program);
    code.file = &scope;
    code.symbols[ROWS_G].array = scope_name(&scope, "G");
    code.symbols[ROWS_X].array = scope_name(&scope, "x");
    code.symbols[ROWS_X].index = e->name[program->index ? SYM_LAMBDA : SYM_Q];
    struct code_array array = { .local = scope_name(&scope, "y"), .index = e->name[program->index ? SYM_Q : SYM_LAMBDA] };
    code.array = &array;
    code.arrays = 1;
    code.in_order = true;
    cw_line(e->out, "static MBS_INLINE void %s(const double *%s, const double *%s, double *%s)",
            emit_function_name(e, program), code.symbols[ROWS_G].array, code.symbols[ROWS_X].array, array.local);
    emit_body(e, &code);
    scope_fini(&scope);
}

static int count_entries(const struct emitter *e, enum eq_id id)
{
    const struct eq_array *a = &e->eq->array[id];
    int n = 0;
    for (int k = 0; k < a->nnz; k++)
        n += a->value[k] != e->model->pool->zero;
    return n;
}

/* One level of the constraints: if (out->gv) { G_times(G, v, out->gv); add gt }.  `start`: the array to add, or NULL. */
static void emit_level(struct emitter *e, const struct code *code, const char *name, const char *times, const char *vector, enum eq_id id,
                       const char *start)
{
    enum { FEW = 4 };           /* so many statements are no longer than a loop */
    cw_line(e->out, "if (%s->%s)%s", code->out_name, name, start ? " {" : "");
    cw_line(e->out, "\t%s(%s, %s->%s, %s->%s);", times, code->symbols[ROWS_G].array, e->s, vector, code->out_name, name);
    if (!start)
        return;
    bool few = count_entries(e, id) <= FEW;
    for (int k = 0; few && k < e->eq->array[id].nnz; k++)
        if (e->eq->array[id].value[k] != e->model->pool->zero)
            cw_line(e->out, "\t%s->%s[%s] += %s[%s];", code->out_name, name, e->name[SYM_LAMBDA][k], start, e->name[SYM_LAMBDA][k]);
    if (!few) {
        cw_line(e->out, "\tfor (int i = 0; i < %d; i++)", e->model->constraint.n);
        cw_line(e->out, "\t\t%s->%s[i] += %s[i];", code->out_name, name, start);
    }
    cw_line(e->out, "}");
}

/* The residual by products with M, f, G and gamma, which dynamics() computes. */
static void emit_residual(struct emitter *e, const struct program *program)
{
    static const struct { enum eq_id id; int kind; const char *wanted;
    } given[] = {{EQ_M, ROWS_M, NULL},
                 {EQ_f, ROWS_F, NULL},
                 {EQ_G, ROWS_G, NULL},
                 {EQ_gt, ROWS_GT, "gv"},
                 {EQ_gamma, ROWS_GAMMA, "ga"}};
    const struct program *G = program_find(e->programs, PROGRAM_PRODUCT, 0), *Gt = program_find(e->programs, PROGRAM_PRODUCT, 1);
    const char *forward = G ? emit_function_name(e, G) : NULL, *transposed = G ? emit_function_name(e, Gt) : NULL;
    struct code code;
    struct c_scope scope;
    struct cw_list list;
    scope_init(&scope, &e->file, &e->arena);
    emit_code_init(e, &code, program);
    code.file = &scope;
    code.out_name = scope_name(&scope, "out");
    code_head(&code, emit_function_name(e, program), abi_function[FUNCTION_residual].type);
    cw_list_begin(&list, e->out, "double ", ";");
    const char *members = "", *d = scope_name(&scope, "d"), *start[2] = { NULL, NULL };
    for (unsigned k = 0; k < sizeof given / sizeof *given; k++) {
        const struct eq_array *a = &e->eq->array[given[k].id];
        const char *local = code.symbols[given[k].kind].array = scope_name(&scope, a->name);
        code.symbols[given[k].kind].index = emit_array(e, given[k].id, local, NULL).index;
        if (!a->nnz || (given[k].wanted && !count_entries(e, given[k].id)))
            continue;
        cw_list_item(&list, "%s[%d]", local, a->nnz);
        if (given[k].wanted)
            start[given[k].id == EQ_gamma] = local;
        members = given[k].wanted ? arena_printf(&e->arena, "%s .%s = %s->%s ? %s : 0,", members, a->name,
                                                 code.out_name, given[k].wanted, local)
                                  : arena_printf(&e->arena, "%s .%s = %s,", members, a->name, local);
    }
    cw_list_end(&list);
    cw_line(e->out, "const struct mbs_dynamics %s = {%s .zdot = %s->zdot, .g = %s->g };", d, members, code.out_name,
            code.out_name);
    cw_line(e->out, "%s(%s, %s, &%s, %s);", emit_function_name(e, program_find(e->programs, PROGRAM_FUNCTION, FUNCTION_dynamics)), e->c, e->s, d, e->w);
    struct code_array array = emit_array(e, EQ_r, scope_name(&scope, "r"), arena_printf(&e->arena, "%s->r", code.out_name));
    if (G)
        cw_line(e->out, "%s(%s, %s->lambda, %s->r);", transposed, code.symbols[ROWS_G].array, e->s, code.out_name);
    code.symbols[ROWS_X] = (struct code_symbols){ .array = array.local, .index = array.index };
    code.array = &array;
    code.arrays = 1;
    code.in_order = true;
    code_begin(&code);
    code_body(&code);
    code_end(&code);
    if (G) {
        emit_level(e, &code, "gv", forward, "v", EQ_gt, start[0]);
        emit_level(e, &code, "ga", forward, "a", EQ_gamma, start[1]);
        emit_level(e, &code, "Gtmu", transposed, "mu", EQ_Gtmu, NULL);
    } else {
        cw_line(e->out, "if (%s->Gtmu)", code.out_name);
        cw_line(e->out, "\tfor (int i = 0; i < %d; i++)", e->model->coord.n);
        cw_line(e->out, "\t\t%s->Gtmu[i] = 0.0;", code.out_name);
    }
    emit_close(e);
    scope_fini(&scope);
}

/* --- the solver ------------------------------------------------------------------------------------- */

static void emit_factor(struct emitter *e, const struct program *program)
{
    struct code code;
    struct c_scope scope;
    scope_init(&scope, &e->file, &e->arena);
    emit_code_init(e, &code, program);
    code.file = &scope;
    struct code_array array[CODE_KINDS] = { [ROWS_L] = { .local = scope_name(&scope, "l") } };
    code.pivots = e->programs->saddle;
    code.symbols[ROWS_M].array = scope_name(&scope, "M");
    code.symbols[ROWS_G].array = scope_name(&scope, "G");
    code.array = array;
    cw_line(e->out, "static int %s(const double *restrict %s, const double *restrict %s, double *restrict %s)",
            emit_function_name(e, program), code.symbols[ROWS_M].array, code.symbols[ROWS_G].array, array[ROWS_L].local);
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

static void emit_solve(struct emitter *e, const struct program *program)
{
    struct code code;
    struct c_scope scope;
    int n = e->model->coord.n + e->model->constraint.n;
    const char **names = name_list(e, n);
    scope_init(&scope, &e->file, &e->arena);
    emit_code_init(e, &code, program);
    code.file = &scope;
    struct code_array array[CODE_KINDS] = { [ROWS_X] = { .local = scope_name(&scope, "x") } };
    for (int k = 0; k < n; k++)
        names[k] = scope_name(&scope, arena_printf(&e->arena, "b%d", k));
    code.symbols[ROWS_L].array = scope_name(&scope, "l");
    code.symbols[ROWS_X] = (struct code_symbols){ array[ROWS_X].local, NULL, NULL, names, false };
    code.array = array;
    cw_line(e->out, "static void %s(const double *restrict %s, double *restrict %s)", emit_function_name(e, program),
            code.symbols[ROWS_L].array, array[ROWS_X].local);
    emit_body(e, &code);
    scope_fini(&scope);
}

/* Lines that clang would not know. */
void emit_for_gcc(struct emitter *e, const char *lines)
{
    const char *text = arena_printf(&e->arena, "#if defined __GNUC__ && !defined __clang__\n%s#endif\n", lines);
    cw_put(e->out, text, strlen(text));
}

/* Hundreds of statements in a row with far more values than registers: gcc does them in the order that keeps its pipelines busy only if it is
 * asked to, which takes a tenth of the time away (doc/design/0012). */
static bool wants_schedule(const struct program *program)
{
    enum { LONG = 300 /* rows */ };
    return program->index == FUNCTION_accelerations && program->tape->rows > LONG;
}

static void emit_function(struct emitter *e, const struct program *program)
{
    bool scheduled = wants_schedule(program);
    if (scheduled)
        emit_for_gcc(e, "#pragma GCC push_options\n#pragma GCC optimize (\"schedule-insns\", \"sched-pressure\", \"rename-registers\")\n");
    if (program->index == FUNCTION_residual && e->programs->by_products)
        emit_residual(e, program);
    else if (emit_has_columns(e, program))
        emit_with_columns(e, program);
    else
        emit_program(e, program, emit_function_name(e, program));
    if (scheduled)
        emit_for_gcc(e, "#pragma GCC pop_options\n");
}

void emit_file(struct cwriter *out, const struct programs *p, const struct emit_options *options)
{
    static void (*const emit[PROGRAM_KINDS])(struct emitter *, const struct program *) = {
        [PROGRAM_DEFAULT] = emit_default,
        [PROGRAM_DEFAULTS] = emit_defaults,
        [PROGRAM_SETUP] = emit_setup,
        [PROGRAM_BODIES] = emit_bodies,
        [PROGRAM_LAW] = emit_law,
        [PROGRAM_JOINT] = emit_joint,
        [PROGRAM_STEP] = emit_step,
        [PROGRAM_INITIAL] = emit_initial,
        [PROGRAM_POSITION] = emit_position,
        [PROGRAM_PART] = emit_part,
        [PROGRAM_COLUMNS] = emit_columns,
        [PROGRAM_PRODUCT] = emit_product,
        [PROGRAM_FUNCTION] = emit_function,
        [PROGRAM_FACTOR] = emit_factor,
        [PROGRAM_SOLVE] = emit_solve,
        [PROGRAM_LANES] = emit_lanes,
    };
    struct emitter e = { .out = out, .programs = p, .eq = p->eq, .model = p->eq->model, .options = options };
    make_names(&e);
    emit_head(&e);
    emit_helpers(&e);
    if (options->tapes) {
        emit_tapes(&e);
    } else {
        emit_indices(&e);
        if (p->eq->columns)     /* loops over columns read them */
            emit_patterns(&e);
        for (int k = 0; k < p->list.n; k++)
            emit[p->list.at[k].kind](&e, &p->list.at[k]);
        if (p->eq->roll)
            cw_put(out, e.rolled.text, e.rolled.n);
    }
    emit_descriptor(&e);
    cw_free(&e.rolled);
    scope_fini(&e.file);
    scope_fini(&e.locals);
    arena_free(&e.arena);
}
