/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What several functions of the generated file share, written once (tape/joint.h): struct position, the function that
 * computes it, and functions for matrices that several others compute.  All are inlined: C compilers keep the members in
 * registers and drop those that a function does not use, so the text is shared at no cost in time.
 */
#include "emit/code.h"
#include "emit/parts.h"

#include <math.h>
#include <string.h>

/* What a tape reads, as bits. */
enum { READS_C = 1, READS_S = 2, READS_POSITION = 4 };

static int tape_reads(const struct tape *t)
{
    int reads = 0;
    for (int k = 0; k < t->rows; k++)
        if (t->row[k].op == TAPE_CONST)
            reads |= READS_C;
        else if (t->row[k].op == TAPE_SYM)
            reads |= t->row[k].a == TAPE_SHARED ? READS_POSITION : READS_S;
    return reads;
}

/* --- names ------------------------------------------------------------------------------------------- */

/* beta_Theta for beta + Theta; NULL for what has no short name. */
static const char *angle_name(struct emitter *e, Expr angle)
{
    const struct pool *p = e->model->pool;
    const char *name = "";
    if (expr_op(p, angle) == EXPR_SYM) {
        const struct symbol *s = expr_symbol(p, angle);
        return s->kind == SYM_TIME ? e->time : s->kind == SYM_Q ? e->model->coord.at[s->index].name : NULL;
    }
    if (expr_op(p, angle) != EXPR_ADD || expr_const(p, angle) != p->zero)
        return NULL;
    for (int k = 0; k < expr_pairs(p, angle) && strlen(name) < 24; k++) {
        Expr c, t = expr_pair(p, angle, k, &c);
        const char *part = c == p->one && expr_op(p, t) == EXPR_SYM ? angle_name(e, t) : NULL;
        if (!part)
            return NULL;
        name = arena_printf(&e->arena, "%s%s%s", name, k ? "_" : "", part);
    }
    return strlen(name) < 24 ? name : NULL;
}

/* rr_sin_beta for the product of a constant and a sine or cosine; NULL for what has no short name. */
static const char *product_name(struct emitter *e, const struct tape *t, int row, const char *const *member)
{
    const struct tape_row *r = &t->row[row];
    if (r->op != TAPE_MUL)
        return NULL;
    int constant = t->row[r->a].op == TAPE_CONST ? r->a : r->b, other = constant == r->a ? r->b : r->a;
    if (t->row[constant].op != TAPE_CONST || strlen(e->constant[t->row[constant].a]) > 6)
        return NULL;
    for (int k = 0; k < t->outs; k++)
        if (t->out[k].row == other && t->out[k].value && member[k])
            return arena_printf(&e->arena, "%s_%s", e->constant[t->row[constant].a], member[k]);
    const struct tape_row *f = &t->row[other];
    if (f->op != TAPE_FN || (f->fn != EXPR_SIN && f->fn != EXPR_COS) || t->row[f->a].op != TAPE_SYM || t->row[f->a].a != SYM_Q)
        return NULL;
    return arena_printf(&e->arena, "%s_%s_%s", e->constant[t->row[constant].a], f->fn == EXPR_SIN ? "sin" : "cos",
                        e->model->coord.at[t->row[f->a].b].name);
}

/* --- names that the file has for what is shared ------------------------------------------------------- */

/* What the optimiser makes of a formula does not look like it any more, but has its value: at three states that nothing distinguishes. */
enum { LOOKS = 3 };
struct look {
    struct eval_env env;
    double *val[SYM_KINDS], *constant, *row;
};

static double look_row(const struct look *x, const struct tape *t, const struct tape_row *r)
{
    const double *v = x->row;
    switch (r->op) {
    case TAPE_NUM: return t->num[r->a];
    case TAPE_SYM: return r->a < SYM_KINDS ? x->val[r->a][r->b] : NAN;
    case TAPE_CONST: return x->constant[r->a];
    case TAPE_ADD: return v[r->a] + v[r->b];
    case TAPE_SUB: return v[r->a] - v[r->b];
    case TAPE_MUL: return v[r->a] * v[r->b];
    case TAPE_DIV: return v[r->a] / v[r->b];
    case TAPE_NEG: return -v[r->a];
    case TAPE_SQRT: return sqrt(v[r->a]);
    case TAPE_FN: return r->fn == EXPR_IF || r->fn == EXPR_POW ? NAN : op_value((enum expr_op)r->fn, v[r->a], r->b < 0 ? 0 : v[r->b]);
    case TAPE_CALL: return NAN;
    }
    return NAN;
}

/* Values of all symbols, constants and rows at look number n. */
static void look_at(struct emitter *e, const struct tape *t, struct look *x, int n)
{
    const struct hoist *h = &e->programs->hoist;
    const struct pool *p = e->model->pool;
    double golden = 0.31 + 0.17 * n;
    for (uint32_t i = 0; i < p->syms; i++) {
        golden += 0.6180339887498949;
        golden -= golden >= 1;
        x->val[p->sym[i].kind][p->sym[i].index] = 0.2 + golden;
    }
    memcpy(x->constant, x->val[SYM_PARAM], (size_t)h->params * sizeof *x->constant);
    expr_eval(p, &x->env, h->value.n, h->value.at, x->constant + h->params);
    for (int r = 0; r < t->rows; r++)
        x->row[r] = look_row(x, t, &t->row[r]);
}

struct lets {
    int n;
    Expr *value;
    double *at[LOOKS];          /* values of the lets, at each look ... */
    double *out[LOOKS];         /* ... and of the outputs of the tape */
};

static struct lets look_at_lets(struct emitter *e, const struct tape *t)
{
    const struct pool *p = e->model->pool;
    const struct hoist *h = &e->programs->hoist;
    struct lets l = { .n = e->model->let.n, .value = ARENA_NEW(&e->arena, Expr, e->model->let.n) };
    struct look x = { .constant = ARENA_NEW(&e->arena, double, h->params + h->value.n), .row = ARENA_NEW(&e->arena, double, t->rows) };
    int count[SYM_KINDS] = {0};
    for (uint32_t i = 0; i < p->syms; i++)
        if (p->sym[i].index >= count[p->sym[i].kind])
            count[p->sym[i].kind] = p->sym[i].index + 1;
    for (int k = 0; k < SYM_KINDS; k++)
        x.env.val[k] = x.val[k] = ARENA_NEW(&e->arena, double, count[k]);
    for (int i = 0; i < l.n; i++)
        l.value[i] = e->model->let.at[i].value;
    for (int n = 0; n < LOOKS; n++) {
        l.at[n] = ARENA_NEW(&e->arena, double, l.n);
        l.out[n] = ARENA_NEW(&e->arena, double, t->outs);
        look_at(e, t, &x, n);
        expr_eval(p, &x.env, l.n, l.value, l.at[n]);
        for (int k = 0; k < t->outs; k++)
            l.out[n][k] = x.row[t->out[k].row];
    }
    return l;
}

/* The first let that output k is; NULL: none. */
static const char *let_name(const struct emitter *e, const struct lets *l, int k)
{
    for (int i = 0; i < l->n; i++) {
        bool same = expr_deps(e->model->pool, l->value[i]) & DEP(SYM_Q);
        for (int n = 0; n < LOOKS && same; n++)
            same = fabs(l->out[n][k] - l->at[n][i]) <= 1e-11 * fabs(l->at[n][i]);
        if (same)
            return e->model->let.at[i].name;
    }
    return NULL;
}

void emit_name_shared(struct emitter *e)
{
    const struct program *position = program_find(e->programs, PROGRAM_POSITION, 0);
    const struct tape *t = position ? position->tape : NULL;
    struct c_scope members;
    if (!t)
        return;
    const char **member = ARENA_NEW(&e->arena, const char *, t->outs + 1), **read = ARENA_NEW(&e->arena, const char *, t->outs);
    struct lets lets = look_at_lets(e, t);
    e->k = scope_name(&e->file, "k");
    scope_init(&members, NULL, &e->arena);
    for (int k = 0; k < t->outs; k++) {
        Expr value = t->out[k].value;
        const char *angle = value ? angle_name(e, expr_arg(e->model->pool, value, 0)) : NULL;
        const char *product = product_name(e, t, t->out[k].row, member), *let = product ? NULL : let_name(e, &lets, k);
        member[k] = scope_name(&members, angle ? arena_printf(&e->arena, "%s_%s", expr_op(e->model->pool, value) == EXPR_SIN ? "sin" : "cos", angle)
                                         : product ? product
                                         : let ? let : arena_printf(&e->arena, "x%d", k + 1));
        read[k] = arena_printf(&e->arena, "%s.%s", e->k, member[k]);
    }
    scope_fini(&members);
    e->member = member;
    e->member_read = read;
}

/* --- functions --------------------------------------------------------------------------------------- */

/* "c, s, k" as the tape needs them, for a declaration or a call. */
static const char *arguments(struct emitter *e, const struct tape *t, bool declare)
{
    const struct { int bit; const char *type, *name; } list[] = {{READS_C, "const double *restrict ", e->c},
                                                                {READS_S, "const struct mbs_state *", e->s},
                                                                {READS_POSITION, "const struct position ", e->k}};
    const char *text = "";
    int reads = tape_reads(t);
    for (int k = 0; k < 3; k++)
        if (reads & list[k].bit)
            text = arena_printf(&e->arena, "%s%s%s%s", text, *text ? ", " : "", declare ? list[k].type : "", list[k].name);
    return text;
}

void emit_position(struct emitter *e, const struct program *program)
{
    const struct tape *t = program->tape;
    struct code code;
    struct c_scope scope;
    struct cw_list list;
    cw_line(e->out, "/* What several functions need of q and t.  Each inlines position() and keeps what it uses. */");
    cw_list_begin(&list, e->out, "struct position { double ", "; };");
    for (int k = 0; k < t->outs; k++)
        cw_list_item(&list, "%s", e->member[k]);
    cw_list_end(&list);
    cw_line(e->out, "%s", "");
    scope_init(&scope, &e->file, &e->arena);
    emit_code_init(e, &code, program);
    code.file = &scope;
    struct code_array array = { .local = e->k, .member = e->member };
    code.array = &array;
    code.arrays = 1;
    cw_line(e->out, "static MBS_INLINE struct position %s(%s)", emit_function_name(e, program), arguments(e, t, true));
    cw_line(e->out, "{");
    e->out->indent++;
    cw_line(e->out, "struct position %s;", e->k);
    code_begin(&code);
    code_body(&code);
    code_end(&code);
    cw_line(e->out, "return %s;", e->k);
    emit_close(e);
    scope_fini(&scope);
}

void emit_part(struct emitter *e, const struct program *program)
{
    const struct tape *t = program->tape;
    struct code code;
    struct c_scope scope;
    scope_init(&scope, &e->file, &e->arena);
    emit_code_init(e, &code, program);
    code.file = &scope;
    struct code_array array = emit_array(e, (enum eq_id)program->index, scope_name(&scope, abi_quantity[program->index].name), NULL);
    const char *given = arguments(e, t, true);
    code.array = &array;
    code.arrays = 1;
    code.in_order = true;
    cw_line(e->out, "static MBS_INLINE void %s(%s%sdouble *restrict %s)", emit_function_name(e, program), given, *given ? ", " : "", array.local);
    emit_body(e, &code);
    scope_fini(&scope);
}

/* --- calls ------------------------------------------------------------------------------------------- */

static void call_parts(struct code *code, bool optional)
{
    const struct shared_user *u = code->statements;
    struct emitter *e = u->e;
    const struct abi_function *f = &abi_function[u->program->index];
    for (int a = 0; a < f->parts; a++) {
        const struct program *part = program_find(e->programs, PROGRAM_PART, (int)f->part[a].id);
        if (!part || (f->part[a].group != 0) != optional)
            continue;
        const char *given = arguments(e, part->tape, false), *name = abi_quantity[part->index].name;
        if (optional)
            cw_line(e->out, "if (%s->%s)", code->out_name, name);
        cw_line(e->out, "%s%s(%s%s%s->%s);", optional ? "\t" : "", emit_function_name(e, part), given, *given ? ", " : "", code->out_name,
                name);
        code->uses_c |= (tape_reads(part->tape) & READS_C) != 0;
        code->uses_s |= (tape_reads(part->tape) & READS_S) != 0;
        code->uses_out = true;
    }
}

static bool needs_position(const struct emitter *e, const struct program *program)
{
    const struct abi_function *f = &abi_function[program->index];
    int reads = tape_reads(program->tape);
    for (int a = 0; a < f->parts; a++) {
        const struct program *part = program_find(e->programs, PROGRAM_PART, (int)f->part[a].id);
        reads |= part ? tape_reads(part->tape) : 0;
    }
    return reads & READS_POSITION;
}

void emit_call_shared(struct code *code)
{
    const struct shared_user *u = code->statements;
    struct emitter *e = u->e;
    if (needs_position(e, u->program)) {
        const struct program *position = program_find(e->programs, PROGRAM_POSITION, 0);
        cw_line(e->out, "const struct position %s = %s(%s);", e->k, emit_function_name(e, position), arguments(e, position->tape, false));
        code->uses_c |= (tape_reads(position->tape) & READS_C) != 0;
        code->uses_s |= (tape_reads(position->tape) & READS_S) != 0;
    }
    call_parts(code, false);
}

void emit_call_optional(struct code *code)
{
    const struct shared_user *u = code->statements;
    struct emitter *e = u->e;
    call_parts(code, true);
    if (u->program->index == FUNCTION_jacobian && e->programs->gav_is_twice_gvq) {
        cw_line(e->out, "if (%s->gaq)", code->out_name);
        cw_line(e->out, "\tfor (int i = 0; i < %d; i++)", e->eq->array[EQ_gav].nnz);
        cw_line(e->out, "\t\t%s->gav[i] = 2.0*(%s)[i];", code->out_name, code->array[abi_part(FUNCTION_jacobian, EQ_gvq)].source);
    }
}
