/* SPDX-License-Identifier: GPL-3.0-or-later
 * The scanner without the parser. */
#include "syntax/tokens.h"
#include "syntax/scanner.h"

#include "syntax/parse.h"

#include <stdlib.h>

int mbs_scan_lex(MBS_PARSE_STYPE *, struct span *, void *scanner);
int mbs_scan_lex_init_extra(struct scanner *, void **scanner);
void *mbs_scan__scan_bytes(const char *text, int length, void *scanner);
int mbs_scan_lex_destroy(void *scanner);

static enum token_kind kind_of(int token)
{
    switch (token) {
    case T_NAME: case T_AND: case T_OR: case T_NOT: case T_IN:
        return TOKEN_NAME;
    case T_NUMBER:
        return TOKEN_NUMBER;
    case T_STRING:
        return TOKEN_STRING;
    case T_NEWLINE:
        return TOKEN_END;
    case T_WORDS: case T_DECL: case T_EXPR: case T_SET: case T_NAMED: case T_FUNC: case T_BLOCK: case T_PART: case T_FORCE: case T_DEF:
    case T_FOR: case T_IF: case T_ELSE: case T_CUT: case T_WHEN:
        return TOKEN_WORD;
    default:
        return TOKEN_SIGN;
    }
}

struct tokens tokens_read(struct compilation *c, const struct source *source)
{
    struct tokens list = {0};
    struct ast out = {.source = source};
    struct scanner s = {.c = c, .source = source, .at_start = true, .form = FORM_EXPR, .out = &out};
    void *scanner = NULL;
    MBS_PARSE_STYPE value;
    struct span span;
    if (mbs_scan_lex_init_extra(&s, &scanner))
        return list;
    if (mbs_scan__scan_bytes(source->text, (int)source->length, scanner))
        for (int token; (token = mbs_scan_lex(&value, &span, scanner));)
            VEC_PUSH(list, ((struct token){kind_of(token), span}));
    mbs_scan_lex_destroy(scanner);
    free(s.open.at);
    free(s.brace.at);
    return list;
}
