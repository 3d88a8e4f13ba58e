/* SPDX-License-Identifier: GPL-3.0-or-later
 * Answers to what an editor asks of a text: each writes the `result` of the response, JSON. */
#ifndef LSP_ANSWER_H
#define LSP_ANSWER_H
#include "lsp/document.h"

struct question {
    const struct document *d;
    enum encoding encoding;
    size_t offset;              /* of the cursor */
    const char *name;           /* rename: the new one */
};
void answer_diagnostics(FILE *, const struct question *);       /* the array of them */
void answer_hover(FILE *, const struct question *);
void answer_completion(FILE *, const struct question *);
void answer_definition(FILE *, const struct question *);
void answer_references(FILE *, const struct question *);
void answer_symbols(FILE *, const struct question *);
void answer_formatting(FILE *, const struct question *);
/* NULL, and the answer is written; or why not. */
const char *answer_rename(FILE *, const struct question *);
const char *answer_rename_range(FILE *, const struct question *);       /* whether, and what, before it is asked for a name */
#endif
