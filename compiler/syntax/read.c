/* SPDX-License-Identifier: GPL-3.0-or-later
 * From a file to its syntax tree: sets up scanner and parser; the table of statement words. */
#include "syntax/scanner.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

int mbs_parse_parse(void *scanner, struct scanner *s);
int mbs_scan_lex_init_extra(struct scanner *, void **scanner);
void *mbs_scan__scan_bytes(const char *text, int length, void *scanner);
int mbs_scan_lex_destroy(void *scanner);

static const struct { const char *text; enum form form; } statement[] = {
#define STATEMENT(name, word, form) {word, FORM_##form},
#include "syntax/statement.def"
#undef STATEMENT
};

bool statement_find(const char *text, size_t length, enum ast_word *word, enum form *form)
{
    for (int i = 0; i < STMT_EQUATION; i++)
        if (strlen(statement[i].text) == length && !memcmp(statement[i].text, text, length)) {
            *word = (enum ast_word)i;
            *form = statement[i].form;
            return true;
        }
    return false;
}

const char *ast_word_text(enum ast_word word)
{
    return word < STMT_EQUATION ? statement[word].text : "equation";
}

const struct ast *ast_read(struct compilation *c, const struct source *source)
{
    struct ast *out = ARENA_NEW(&c->arena, struct ast, 1);
    out->source = source;
    struct scanner s = {.c = c, .source = source, .at_start = true, .form = FORM_EXPR, .out = out};
    void *scanner = NULL;
    const char *nul = memchr(source->text, 0, source->length);
    if (nul) {
        unsigned at = (unsigned)(nul - source->text);
        diag_error(&c->diags, (struct span){source, at, at + 1}, "the file contains a NUL byte, it is no text");
        return out;
    }
    if (mbs_scan_lex_init_extra(&s, &scanner))
        return out;
    mbs_scan__scan_bytes(source->text, (int)source->length, scanner);
    mbs_parse_parse(scanner, &s);
    mbs_scan_lex_destroy(scanner);
    free(s.open.at);
    free(s.brace.at);
    return out;
}

const struct ast *ast_read_file(struct compilation *c, const char *path, struct span from)
{
    const char *why = NULL;
    const struct source *source = source_load(&c->sources, path, &why);
    if (!source) {
        diag_error(&c->diags, from, "cannot read '%s': %s", path, why);
        return NULL;
    }
    return ast_read(c, source);
}
