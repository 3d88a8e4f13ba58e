/* SPDX-License-Identifier: GPL-3.0-or-later
 * What scanner and parser of one file share. */
#ifndef SYNTAX_SCANNER_H
#define SYNTAX_SCANNER_H
#include "syntax/ast.h"

enum form { FORM_WORDS, FORM_DECL, FORM_EXPR, FORM_SET, FORM_NAMED, FORM_FUNC, FORM_BLOCK, FORM_PART, FORM_FORCE,
            FORM_DEF, FORM_FOR, FORM_IF, FORM_ELSE, FORM_CUT, FORM_WHEN };

/* A list that grows in the arena. */
struct expr_list {
    const struct ast_expr **at;
    int n, cap;
};
struct item_list {
    struct ast_item *at;
    int n, cap;
};
struct stmt_list {
    const struct ast_stmt **at;
    int n, cap;
};
struct word {
    enum ast_word word;
    struct span span;
};

struct scanner {
    struct compilation *c;
    const struct source *source;
    unsigned at;                /* offset behind the last token */
    int last, before_last;      /* tokens */
    bool at_start;              /* a statement may start here */
    enum form form;             /* of the statement being read */
    int tokens;                 /* of the statement so far */
    bool cut;                   /* it is too long: the text ends here */
    const char *first;          /* its first token, if that is a name, for "unknown statement" */
    struct span first_span;
    bool ended;                 /* the newline before the end of the file was given */
    struct { struct span *at; int n, cap; } open;       /* brackets that newlines do not end */
    struct { struct brace { bool attrs; struct span at; } *at; int n, cap; } brace;     /* attrs: no statements in it */
    struct ast *out;
};
/* Tokens of a form, and the word's own entry; false if it is no statement word. */
bool statement_find(const char *text, size_t length, enum ast_word *, enum form *);
#endif
