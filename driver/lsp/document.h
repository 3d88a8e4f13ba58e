/* SPDX-License-Identifier: GPL-3.0-or-later
 * A text that an editor has open, and its places. */
#ifndef LSP_DOCUMENT_H
#define LSP_DOCUMENT_H
#include "compile.h"
#include "syntax/tokens.h"

#include <stdio.h>

struct document {
    char *uri, *path;
    char *text;
    size_t length;
    size_t *line;               /* where its lines begin */
    int lines;
    int version;
    struct document *next;
};
/* How columns are counted, as agreed with the editor. */
enum encoding { ENCODING_UTF16, ENCODING_UTF8 };

char *path_of_uri(const char *uri);             /* to be freed; NULL: no memory */

bool document_lines(struct document *);         /* finds the lines of its text; false: no memory */
size_t offset_of(const struct document *, enum encoding, int line, int column);
void range_write(FILE *, const struct document *, enum encoding, size_t begin, size_t end);

/* The token at or just before an offset; -1: none. */
int token_at(const struct tokens *, size_t offset);
/* The first token of what a name belongs to: of `arm.rod.tip` from any of its names back to `arm`. */
int token_chain(const struct document *, const struct tokens *, int token);
bool token_is(const struct document *, const struct token *, const char *text);

/* A declaration of the file: what declares it, under which name. */
struct declared {
    const char *name;           /* as written, without indices */
    struct span span;           /* of the name */
    const struct ast_stmt *stmt;
    const struct ast_item *item;        /* a declaration in a list, a point, an argument; NULL */
};
struct declarations {
    struct declared *at;
    int n, cap;
};
/* Every name that the tree declares, in its order.  To be freed: at. */
struct declarations declarations_of(const struct ast *);
#endif
