/* SPDX-License-Identifier: GPL-3.0-or-later
 * The check of a model from beginning to end, and what concerns the model as a whole. */
#include "model/mechanism.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check_defines(struct check *k)
{
    for (int i = 0; i < k->c->options.defines; i++) {
        const char *d = k->c->options.define[i];
        size_t n = strcspn(d, "=");
        bool found = false;
        const char *name = arena_strndup(k->arena, d, n);
        struct suggestion near;
        suggest_init(&near, name);
        for (int j = 0; j < k->options.n; j++) {
            found = found || !strcmp(k->options.at[j], name);
            suggest_offer(&near, k->options.at[j]);
        }
        if (!found)
            diag_error(k->diags, SPAN_NONE, "-D %s: the model has no option '%s'%s", d, name,
                       suggest_text(&near, k->arena));
    }
}

static void check_whole(struct check *k, const struct ast *a)
{
    struct span start = {a->source, 0, 0};
    const struct ast_stmt *first = a->block.n ? a->block.at[0] : NULL;
    if (!k->model_stmt)
        diag_error(k->diags, first ? first->word_span : start, "a model starts with: model NAME \"title\"");
    else if (k->model_stmt != first && first)
        diag_error(k->diags, k->model_stmt->span, "the model statement must be the first");
    if (!k->m->coord.n && !k->diags->errors)
        diag_error(k->diags, k->model_stmt ? k->model_stmt->span : start, "the model has no coordinates");
}

static void warn_unused(struct check *k)
{
    for (const struct entry *e = k->file->first; e; e = e->next)
        if (!e->used && (e->word == STMT_PARAM || e->word == STMT_INPUT))
            diag_warning(k->diags, e->span, "the %s '%s' is never used", e->word == STMT_PARAM ? "parameter" : "input",
                         e->name);
}

#define KEEP(v) ((v).at = keep_array(m->arena, (v).at, (size_t)(v).n * sizeof *(v).at), (v).cap = (v).n)

static void *keep_array(struct arena *arena, void *from, size_t size)
{
    void *to = arena_copy(arena, from, size);
    free(from);
    return to;
}

/* The arrays move to the arena: nothing will be added. */
static void model_freeze(struct model *m)
{
#define ARRAY(type, name, values) KEEP(m->name);
#include "model/arrays.def"
#undef ARRAY
}

static void check_fini(struct check *k)
{
    mech_fini(k);
    free(k->queue.at);
    free(k->uses.at);
    free(k->lets.at);
    free(k->reading.at);
    free(k->included.at);
    free(k->groups.at);
    free(k->equations.at);
    free(k->coords.at);
    free(k->state_dims.at);
    free(k->state_equation.at);
    free(k->options.at);
    free(k->outputs.at);
    free(k->unknown.at);
    free(k->virtual.at);
    if (k->flow)
        direction_free(k->flow);
    if (k->flow_z)
        direction_free(k->flow_z);
}

static const struct check_up up = {mech_member, mech_place, mech_coordinate, mech_no_value, state_rate, mech_reactions};

bool model_check(struct compilation *c, const struct ast *a, struct pool *pool, struct model *m)
{
    struct check k = {.up = &up, .c = c, .tree = &a->block, .arena = &c->arena, .diags = &c->diags, .pool = pool, .m = m};
    *m = (struct model){.name = "", .title = "", .source = a->source, .arena = &c->arena, .pool = pool};
    m->time = expr_sym(pool, SYM_TIME, 0, "t");
    m->experiment = (struct model_experiment){NAN, NAN, NAN, NAN, NAN, NAN, NULL, NULL};
    if (!c->diags.errors) {
        k.has_units = a->has_units;
        k.reactions = a->asks_reactions || c->options.reactions;
        k.file = scope_new(&k, NULL);
        k.file->is_file = true;
        mech_init(&k);
        VEC_PUSH(k.reading, a->source);
        declare_block(&k, k.file, &a->block);
        check_defines(&k);
        if (!k.stopped)
            define_all(&k);
        check_whole(&k, a);
        if (!c->diags.errors)
            warn_unused(&k);
    }
    check_fini(&k);
    model_freeze(m);
    return !c->diags.errors;
}
