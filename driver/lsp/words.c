/* SPDX-License-Identifier: GPL-3.0-or-later
 * The compiler's tables as editors want them. */
#include "config.h"
#include "lsp/words.h"
#include "model/mechanism.h"

#include <string.h>

#define NEEDED 0
#define OPTIONAL ""
const struct word word_parts[] = {
#define PART(NAME, noun, form) {STMT_##NAME, 0, 0, 0, form},
#define CLAUSE(name, shape, unit, turning, otherwise, help) {STMT_WORDS, #name, unit, otherwise, help},
#include "model/parts.def"
    {STMT_WORDS, 0, 0, 0, 0},
};
#undef NEEDED
#undef OPTIONAL

const char *word_form(enum ast_word w)
{
    for (const struct word *x = word_parts; x->help; x++)
        if (!x->name && x->part == w)
            return x->help;
    return NULL;
}

const struct word *word_clause(enum ast_word w, const char *name)
{
    bool inside = false;
    for (const struct word *x = word_parts; x->help; x++) {
        if (!x->name)
            inside = x->part == w;
        else if (inside && !strcmp(x->name, name))
            return x;
    }
    return NULL;
}

bool word_is_any(const char *name)
{
    for (int w = 0; w < STMT_EQUATION; w++)
        if (!strcmp(ast_word_text((enum ast_word)w), name))
            return true;
    for (const struct word *x = word_parts; x->help; x++)
        if (x->name && !strcmp(x->name, name))
            return true;
    return is_builtin_function(name) || joint_kind_find(name, true) || joint_kind_find(name, false);
}
