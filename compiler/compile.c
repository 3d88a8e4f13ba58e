/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The passes, in order: the architecture on one screen (doc/tour.md walks through it).
 *
 *   bytes -> tokens -> ast          syntax/    what the file says, with the place of every piece
 *   ast -> model                    model/     names, shapes, units; flat arrays of expressions
 *   model -> equations              derive/    M, f, g, G, gamma, r and its Jacobians, sparse
 *   equations -> programs           program/   straight-line tapes, sharing what functions share
 *   programs -> C text              emit/      names, statements, the descriptor
 *
 * Each station reads the earlier ones as const and adds one structure; nothing is patched later. */
#include "compile.h"
#include "model/check.h"
#include "roll/roll.h"

#include <stdlib.h>
#include <string.h>

#ifdef HAVE_CONFIG_H
#include "config.h"
#else
#define PACKAGE_VERSION "unknown"
#endif

const char compile_version[] = PACKAGE_VERSION;

/* The parameters by which derivatives are asked for, in their order in the model. */
static bool choose_sensitive(struct compile *c, struct model *m, const char *names)
{
    bool *chosen = ARENA_NEW(&c->base.arena, bool, m->param.n + 1);
    for (const char *at = names, *end; at; at = *end ? end + 1 : NULL) {
        size_t depth = 0, n = 0;
        for (; at[n] && (at[n] != ',' || depth); n++)       /* a name may be m[1,2] */
            depth += (at[n] == '[') - (size_t)(at[n] == ']');
        end = at + n;
        bool all = n == 1 && *at == '*', found = all;
        for (int k = 0; k < m->param.n; k++)
            if (all || (strlen(m->param.at[k].name) == n && !strncmp(m->param.at[k].name, at, n)))
                found = chosen[k] = true;
        if (!found)
            diag_error(&c->base.diags, SPAN_NONE, "there is no parameter '%.*s' to be varied", (int)n, at);
    }
    m->sensitive = ARENA_NEW(&c->base.arena, int, m->param.n + 1);
    for (int k = 0; k < m->param.n; k++)
        if (chosen[k])
            m->sensitive[m->sensitives++] = k;
    return c->base.diags.errors == 0;
}

static bool pass_model(struct compile *c, const struct compile_options *o)
{
    struct model *m = ARENA_NEW(&c->base.arena, struct model, 1);
    c->pool = pool_new();
    if (!model_check(&c->base, c->ast, c->pool, m) || c->base.diags.errors)
        return false;
    if (o->extend)
        o->extend(m, o->user);
    if (o->sensitivity && !choose_sensitive(c, m, o->sensitivity))
        return false;
    if (o->fold_params)
        model_locate(m);
    c->model = o->fold_params ? model_fold_params(m, &c->base.arena) : m;
    return true;
}

/* Why the tree cannot be loops, or NULL. */
static const char *refuses(struct compile *c, bool mixed)
{
    const char *why = c->model->sensitives ? "derivatives by parameters are written as statements only" : roll_refuses(c->model, mixed), *clash = roll_clash(c->model);
    if (!why && clash)
        why = arena_printf(&c->base.arena, "its loops have a name '%s' of their own; call the extern function otherwise", clash);
    return why;
}

/* Accelerations of a mixed file: statements, or loops, too, where these are long.  Lanes are statements. */
static unsigned forward_style(struct equations *eq, const struct compile_options *o)
{
    const struct roll_laws none = {0};
    if (o->lanes || roll_refuses(eq->model, false) || roll_refuses_rest(eq, false, &none) || !roll_is_long_forward(eq))
        return 0;
    eq->accelerations = false;
    return ROLL_STEPPED;
}

/* Loops over the bodies, and equations of the rest, where that is asked for or fits, or statements would be too long. */
static bool pass_rolled(struct compile *c, const struct compile_options *o, struct equations *eq)
{
    bool asked = o->way == WAY_ROLLED || o->way == WAY_MIXED, mixed = o->way == WAY_MIXED || (o->way == WAY_CHEAPEST && roll_mixed_fits(c->model));
    const struct derive_options options = { .way = mixed ? WAY_MIXED : WAY_ROLLED, .accelerations = mixed && (o->solver || o->lanes),
                                            .no_matrices = !mixed && c->model->tree && !roll_has_matrices(c->model) };
    struct roll_laws laws = {0};
    if (!asked && !mixed && !(o->way == WAY_CHEAPEST && !o->lanes && roll_is_shorter(c->model)))
        return false;
    const char *why = refuses(c, mixed);
    const struct model *rest = why || mixed ? c->model : roll_separate(c->model, &c->base.arena, &laws);
    if (!why && !equations_derive(eq, rest, &c->base.arena, &c->base.diags, &options))
        return true;            /* the reason is in the diagnostics */
    if (!why)
        why = roll_refuses_rest(eq, mixed, &laws);
    if (why && asked)
        diag_error(&c->base.diags, SPAN_NONE, "'%s' cannot be %s: %s", c->model->name, derive_way_name[options.way], why);
    if (!why)
        eq->roll = roll_new(eq, mixed ? ROLL_MIXED | forward_style(eq, o) : 0, &laws, &c->base.arena);
    if (!why && !roll_laws_conserve(c->model->pool, &laws)) {
        eq->unbalanced = true;          /* the power of laws is not among the equations of the rest */
        eq->array[EQ_power].value[0] = c->model->pool->zero;
    }
    return asked || !why;
}

/* Statements that say the same of many bodies, and say it at length: dynamics and Jacobian become loops, accelerations and residual stay, as far as
 * they are not long by themselves. */
static void shorten(struct compile *c, const struct compile_options *o, struct equations *eq)
{
    const struct derive_options options = { .way = WAY_MIXED, .accelerations = o->solver || o->lanes };
    struct roll_laws laws = {0};
    struct equations mixed;
    struct diags quiet;
    if (o->way != WAY_CHEAPEST || !roll_may_shorten(c->model) || refuses(c, true))
        return;
    diags_init(&quiet, &c->base.arena);
    if (equations_derive(&mixed, c->model, &c->base.arena, &quiet, &options) && !roll_refuses_rest(&mixed, true, &laws)
        && roll_is_long(eq, &mixed)) {
        bool inverse = !roll_is_long_inverse(eq, &mixed);
        if (inverse) {
            mixed.array[EQ_r] = eq->array[EQ_r];
            mixed.residual_cost = eq->residual_cost;
        }
        memcpy(mixed.way_cost, eq->way_cost, sizeof mixed.way_cost);
        *eq = mixed;
        eq->roll = roll_new(eq, ROLL_MIXED | (inverse ? ROLL_INVERSE : 0) | forward_style(eq, o), &laws, &c->base.arena);
    }
    diags_fini(&quiet);
}

/* Who reads the equations themselves wants them whole: as statements. */
static bool pass_equations(struct compile *c, const struct compile_options *o, bool whole)
{
    struct equations *eq = ARENA_NEW(&c->base.arena, struct equations, 1);
    bool loops = o->way == WAY_ROLLED || o->way == WAY_MIXED;
    const struct derive_options options = { .entries = o->entries || o->tapes, .way = loops ? WAY_TREE : o->way,
                                            .accelerations = (o->solver || o->lanes) && !o->tapes };
    if (whole || !pass_rolled(c, o, eq)) {
        model_locate(c->model);
        if (equations_derive(eq, c->model, &c->base.arena, &c->base.diags, &options) && !whole)
            shorten(c, o, eq);
    }
    if (c->base.diags.errors)
        return false;
    c->equations = eq;
    return true;
}

/* Lanes have no functions that the model or C brings along: these take numbers. */
static bool lanes_fit(struct compile *c, const struct compile_options *o)
{
    const struct program *p = program_find(c->programs, PROGRAM_LANES, FUNCTION_accelerations);
    const char *why = p ? NULL : "the file has no accelerations as statements (--way=tree or mixed has, where there are not too many constraints)", *clash = lanes_clash(c->model);
    if (!why && clash)
        why = arena_printf(&c->base.arena, "its batches have a name '%s' of their own; call the extern function otherwise", clash);
    for (int k = 0; p && k < p->tape->rows; k++)
        if (p->tape->row[k].op == TAPE_CALL)
            why = "the accelerations call functions of the model's own";
    if (o->lanes && why)
        diag_error(&c->base.diags, SPAN_NONE, "'%s' cannot be computed in batches: %s", c->model->name, why);
    return !o->lanes || !why;
}

/* What is interpreted is statements and calls nothing but splines and functions of the language. */
static bool tapes_fit(struct compile *c, const struct compile_options *o)
{
    bool loops = o->way == WAY_ROLLED || o->way == WAY_MIXED;
    const char *why = !c->model ? NULL : c->model->ext.n ? "it calls functions in C" : loops ? "loops are made in C only" : NULL;
    if (why)
        diag_error(&c->base.diags, SPAN_NONE, "'%s' cannot be interpreted: %s", c->model->name, why);
    return !why;
}

static void pass_programs(struct compile *c, const struct compile_options *o)
{
    struct programs *p = ARENA_NEW(&c->base.arena, struct programs, 1);
    programs_init(p, c->equations, o->solver && !o->tapes, o->tapes ? PROGRAMS_WHOLE : o->rows_per_piece, o->tapes ? 0 : o->lanes);
    c->programs = p;
}

static void pass_text(struct compile *c, const struct compile_options *o)
{
    const struct emit_options options = { .standalone = o->standalone, .tapes = o->tapes, .scalar = o->scalar, .version = compile_version };
    emit_file(&c->text, c->programs, &options);
    if (o->scalar)
        emit_scalar(&c->text, o->scalar);
}

static bool run(struct compile *c, const struct compile_options *o, enum compile_station last)
{
    if (!c->ast || c->base.diags.errors)
        return false;
    if (last >= COMPILE_MODEL && !pass_model(c, o))
        return false;
    if (o->tapes && !tapes_fit(c, o))
        return false;
    if (last >= COMPILE_EQUATIONS && !pass_equations(c, o, last == COMPILE_EQUATIONS || o->tapes))
        return false;
    if (last >= COMPILE_PROGRAMS)
        pass_programs(c, o);
    if (last >= COMPILE_PROGRAMS && !o->tapes && !lanes_fit(c, o))
        return false;
    if (last >= COMPILE_TEXT)
        pass_text(c, o);
    return true;
}

static struct compile none;              /* if there is no memory even for this */

struct job {
    const char *path, *text;            /* text NULL: the file */
    size_t length;
    enum compile_station last;
    const struct compile_options *options;
};

static void work(struct compile *c, const struct job *j)
{
    compilation_init(&c->base, &j->options->front);
    c->ast = j->text ? ast_read(&c->base, source_text(&c->base.sources, j->path, j->text, j->length))
                     : ast_read_file(&c->base, j->path, SPAN_NONE);
    c->good = run(c, j->options, j->last);
}

/* Without memory the passes come back to here; what they held on the heap is lost with them. */
static void attempt(struct compile *c, const struct job *j)
{
    jmp_buf here, *before = memory_escape;
    memory_escape = &here;
    if (setjmp(here) == 0)
        work(c, j);
    else
        c->no_memory = true;
    memory_escape = before;
    c->good = c->good && !c->no_memory;
}

static struct compile *compile(const struct job *j)
{
    struct compile *c = calloc(1, sizeof *c);
    if (!c)
        return &none;
    attempt(c, j);
    return c;
}

static const struct compile_options plain;

struct compile *compile_file(const char *path, const struct compile_options *options, enum compile_station last)
{
    const struct job j = {.path = path, .last = last, .options = options ? options : &plain};
    return compile(&j);
}

struct compile *compile_memory(const char *path, const char *text, size_t length, const struct compile_options *options,
                               enum compile_station last)
{
    const struct job j = {.path = path, .text = text, .length = length, .last = last, .options = options ? options : &plain};
    return compile(&j);
}

void compile_free(struct compile *c)
{
    if (!c || c == &none)
        return;
    if (c->programs)
        programs_fini((struct programs *)c->programs);
    cw_free(&c->text);
    if (c->pool)
        pool_free(c->pool);
    compilation_fini(&c->base);
    free(c);
}

const char *compile_messages(const struct compile *c)
{
    return c == &none || c->no_memory ? "error: out of memory\n" : diags_render(&c->base.diags);
}

const char *compile_text(const struct compile *c, size_t *length)
{
    if (length)
        *length = c->text.n;
    return c->text.text ? c->text.text : "";
}

/* As make reads a file name: spaces and # are escaped, $ is doubled. */
static const char *make_word(struct arena *arena, const char *s)
{
    char *word = arena_alloc(arena, 2 * strlen(s) + 1), *at = word;
    for (; *s; s++) {
        if (*s == ' ' || *s == '#' || *s == '\t')
            *at++ = '\\';
        else if (*s == '$')
            *at++ = '$';
        *at++ = *s;
    }
    return word;
}

const char *compile_dependencies(struct compile *c, const char *target)
{
    struct arena *arena = &c->base.arena;
    const char *rule = arena_printf(arena, "%s:", make_word(arena, target));
    for (int k = 0; k < c->base.sources.list.n; k++)
        rule = arena_printf(arena, "%s \\\n  %s", rule, make_word(arena, c->base.sources.list.at[k]->path));
    return arena_printf(arena, "%s\n", rule);
}
