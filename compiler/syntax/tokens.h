/* SPDX-License-Identifier: GPL-3.0-or-later
 * The tokens of a text one by one, as the parser gets them: for tools that keep the text (the formatter). */
#ifndef SYNTAX_TOKENS_H
#define SYNTAX_TOKENS_H
#include "base/compilation.h"

enum token_kind {
    TOKEN_NAME, TOKEN_WORD,             /* WORD: of a statement, where one starts */
    TOKEN_NUMBER, TOKEN_STRING, TOKEN_SIGN,
    TOKEN_END                           /* the newline that ends a statement */
};
struct token {
    enum token_kind kind;
    struct span span;
};
struct tokens {
    struct token *at;
    int n, cap;
};
/* To be freed: tokens.at. */
struct tokens tokens_read(struct compilation *, const struct source *);
#endif
