/* SPDX-License-Identifier: GPL-3.0-or-later
 * The words of the language with what is said of them, from the compiler's tables. */
#ifndef LSP_WORDS_H
#define LSP_WORDS_H
#include "syntax/ast.h"

struct word {
    enum ast_word part;         /* to which a clause belongs; of a statement itself */
    const char *name;           /* NULL: the line is the head of a part */
    const char *unit;           /* or NULL */
    const char *otherwise;      /* NULL: needed; "": may be left out */
    const char *help;           /* of a head: how the part is written */
};
/* Lines of parts.def; ended by a line without help. */
extern const struct word word_parts[];
/* How a statement is written, or NULL; a clause of a part, or NULL. */
const char *word_form(enum ast_word);
const struct word *word_clause(enum ast_word, const char *name);
bool word_is_any(const char *name);             /* a word of a statement, a clause, a joint, a function */
#endif
