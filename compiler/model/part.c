/* SPDX-License-Identifier: GPL-3.0-or-later
 * See part.h. */
#include "model/part.h"

#include <stdlib.h>
#include <string.h>

#define NEEDED NULL
#define OPTIONAL ""
static const struct part lines[] = {
#define PART(NAME, noun, form) {STMT_##NAME, noun, form, {0}},
#define CLAUSE(name, shape, unit, turning, otherwise, help) {STMT_WORDS, NULL, NULL, {#name, CLAUSE_##shape, unit, turning, otherwise}},
#include "model/parts.def"
    {STMT_WORDS, "", "", {0}}
};
#undef NEEDED
#undef OPTIONAL

const struct part *part_find(enum ast_word word)
{
    const struct part *p = lines;
    while (!p->noun || (p->word != word && p->word != STMT_WORDS))      /* the last line is no part */
        p++;
    return p;
}

static const struct clause *clause_find(const struct part *p, const char *name)
{
    for (p++; !p->noun; p++)
        if (!strcmp(p->clause.name, name))
            return &p->clause;
    abort();        /* asked for by our own code */
}

/* --- which words ----------------------------------------------------------------------------------------------- */

void words_add(struct words *w, const char *text)
{
    if (w->n < (int)(sizeof w->at / sizeof *w->at))
        w->at[w->n++] = text;
}

/* "axis, angle and damping" */
static const char *words_text(struct check *k, const struct words *w)
{
    const char *text = "";
    for (int i = 0; i < w->n; i++)
        text = arena_printf(k->arena, "%s%s%s", text, i == 0 ? "" : i + 1 < w->n ? ", " : " and ", w->at[i]);
    return text;
}

static const char *item_word(const struct ast_item *it)
{
    return it->word ? it->word : it->target && it->target->kind == AST_NAME ? it->target->text : "";
}

static bool words_have(const void *w, const char *word)
{
    const struct words *x = w;
    for (int i = 0; i < x->n; i++)
        if (!strcmp(x->at[i], word))
            return true;
    return false;
}

static bool word_is_known(struct check *k, const struct ast_item *it, const char *noun, const struct words *w)
{
    const char *word = item_word(it);
    struct suggestion near;
    if (words_have(w, word))
        return true;
    suggest_init(&near, word);
    for (int i = 0; i < w->n; i++)
        suggest_offer(&near, w->at[i]);
    const char *shown = *word ? word : it->target ? ast_show(k->arena, it->target) : "such clause";
    const char *ours = note_word(word, words_have, w);
    diag_error(k->diags, it->span, "a %s knows no '%s'%s", noun, shown, ours ? arena_printf(k->arena, ": write '%s'", ours) : suggest_text(&near, k->arena));
    diag_note(k->diags, it->span, w->n ? "it knows %s" : "it has no clauses%s", words_text(k, w));
    return false;
}

/* Points and frames may be many; everything else is said once. */
static bool word_is_new(struct check *k, const struct ast_stmt *stmt, const struct ast_item *it)
{
    const char *word = item_word(it);
    const struct ast_item *first = mech_item(stmt, word);
    if (first == it || !strcmp(word, "point") || !strcmp(word, "frame"))
        return true;
    diag_error(k->diags, it->span, "'%s' is given twice", word);
    diag_note(k->diags, first->span, "the first is here");
    return false;
}

bool words_check(struct check *k, const struct ast_stmt *stmt, int from, const char *noun, const struct words *w)
{
    const struct ast_items *list[2] = {&stmt->item, &stmt->attrs};
    bool good = true;
    for (int l = 0; l < 2; l++)
        for (int i = l ? 0 : from; i < list[l]->n; i++) {
            const struct ast_item *it = &list[l]->at[i];
            if (!it->word && !it->target && it->relation == '=')
                continue;       /* drive phi = value */
            bool known = word_is_known(k, it, noun, w);
            good = known && word_is_new(k, stmt, it) && good;
            if (known && !it->value) {
                diag_error(k->diags, it->span, "'%s' needs %s", item_word(it), it->target && !it->word ? "'= value'" : "something behind it");
                good = false;
            }
        }
    return good;
}

bool reading_begin(struct reading *r, struct check *k, struct scope *s, const struct ast_stmt *stmt, unsigned allowed)
{
    struct words w = {.n = 0};
    *r = (struct reading){.k = k, .scope = s, .stmt = stmt, .part = part_find(stmt->word), .allowed = allowed};
    r->noun = r->part->noun;
    for (const struct part *p = r->part + 1; !p->noun; p++)
        words_add(&w, p->clause.name);
    return words_check(k, stmt, 0, r->noun, &w);
}

/* --- values ---------------------------------------------------------------------------------------------------- */

const struct ast_expr *read_value(const struct reading *r, const char *clause)
{
    const struct ast_item *it = mech_item(r->stmt, clause);
    return it ? it->value : NULL;
}

struct dim read_dim(const struct reading *r, const char *name)
{
    const struct clause *c = clause_find(r->part, name);
    const char *unit = r->turning ? c->turning : c->unit;
    return r->k->has_units && unit ? dim_of_text(unit) : DIM_OF_ANY;
}

void read_needs(const struct reading *r, const char *clause)
{
    diag_error(r->k->diags, r->stmt->span, "this %s needs '%s = value'", r->noun, clause);
}

static bool size_is_right(const struct reading *r, const struct ast_expr *e, const struct clause *c, Expr x)
{
    double value = c->shape == CLAUSE_POSITIVE || c->shape == CLAUSE_NONNEGATIVE ? mech_default(r->k, x) : 1;
    bool positive = c->shape == CLAUSE_POSITIVE;
    if (positive ? value > 0 : value >= 0)
        return true;
    diag_error(r->k->diags, e->span, "'%s' of a %s must %s, but it is %g", c->name, r->noun, positive ? "be positive" : "not be negative", value);
    return false;
}

bool read_scalar(const struct reading *r, const char *name, Expr *out)
{
    struct check *k = r->k;
    const struct clause *c = clause_find(r->part, name);
    const struct ast_expr *e = read_value(r, name);
    *out = k->pool->zero;
    if (!e && !c->otherwise)
        read_needs(r, name);
    if (!e && c->otherwise && *c->otherwise)
        *out = expr_int(k->pool, atoi(c->otherwise));
    if (!e)
        return c->otherwise != NULL;
    bool fixed = c->shape == CLAUSE_POSITIVE || c->shape == CLAUSE_NONNEGATIVE;     /* by the default parameters */
    struct value v = eval_scalar(k, r->scope, e, name);
    if (!value_allows(k, r->scope, e, &v, fixed ? r->allowed & DEP(SYM_PARAM) : r->allowed, name) || !value_fits(k, e, &v, read_dim(r, name), name))
        return false;
    *out = v.at[0].e;
    return size_is_right(r, e, c, *out);
}

int read_count(const struct reading *r, const char *name, int most)
{
    const struct ast_expr *e = read_value(r, name);
    int64_t n = 0;
    return !e ? 0 : eval_integer(r->k, r->scope, e, name, 1, most, &n) ? (int)n : -1;
}

bool read_truth(const struct reading *r, const char *name)
{
    const struct ast_expr *e = read_value(r, name);
    bool yes = false;
    if (e)
        eval_condition(r->k, r->scope, e, &yes);
    return yes;
}

bool read_law(const struct reading *x, bool *poisson)
{
    const struct ast_expr *e = read_value(x, "law");
    *poisson = e && e->kind == AST_NAME && !strcmp(e->text, "poisson");
    if (!e || *poisson || (e->kind == AST_NAME && !strcmp(e->text, "newton")))
        return true;
    diag_error(x->k->diags, e->span, "the law of impacts is newton or poisson");
    return false;
}
