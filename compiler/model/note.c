/* SPDX-License-Identifier: GPL-3.0-or-later
 * Where a unit is missing: which number in an expression may be a quantity. */
#include "model/front.h"

#include <string.h>

/* The number without a unit among the factors of e that is most likely a quantity: one with a decimal point, else the first.
 * *below: it divides. */
const struct ast_expr *bare_factor(const struct ast_expr *e, bool *below)
{
    const struct ast_expr *found = NULL;
    bool divided = false, last;
    while (e->kind == AST_NEG)
        e = e->arg[0];
    do {
        last = e->kind != AST_MUL && e->kind != AST_DIV;
        const struct ast_expr *factor = last ? e : e->arg[1];
        while (factor->kind == AST_NEG)
            factor = factor->arg[0];
        bool inner = false, under = !last && e->kind == AST_DIV;
        const struct ast_expr *x = factor->kind == AST_NUMBER && !factor->unit ? factor
            : !last && (factor->kind == AST_MUL || factor->kind == AST_DIV) ? bare_factor(factor, &inner) : NULL;
        if (x && (!found || strpbrk(x->text, ".e") || !strpbrk(found->text, ".e"))) {
            found = x;
            divided = under != inner;
        }
        e = last ? e : e->arg[0];
    } while (!last);
    *below = divided;
    return found;
}

bool note_number(struct check *k, const struct ast_expr *e, struct dim want, struct dim got)
{
    bool below;
    const struct ast_expr *x = bare_factor(e, &below);
    if (!x || want.kind != DIM_KNOWN || got.kind != DIM_KNOWN)
        return false;
    const char *unit = dim_unit(below ? dim_div(got, want) : dim_div(want, got), k->arena);
    if (*unit)
        diag_note(k->diags, x->span, "if this number is a quantity, write its unit: %s [%s]", x->text, unit);
    return *unit;
}

const char *note_name(const char *word)
{
    static const struct { const char *word, *text; } hints[] = {
#define NAME(word, text) {#word, text},
#define WORD(word, ours)
#include "model/hints.def"
    };
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (!strcmp(hints[i].word, word))
            return hints[i].text;
    return NULL;
}

const char *note_word(const char *word, bool (*known)(const void *, const char *), const void *of)
{
    static const struct { const char *word, *ours; } hints[] = {
#define NAME(word, text)
#define WORD(word, ours) {#word, #ours},
#include "model/hints.def"
    };
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (!strcmp(hints[i].word, word) && known(of, hints[i].ours))
            return hints[i].ours;
    return NULL;
}
