/* SPDX-License-Identifier: GPL-3.0-or-later
 * Texts, places in them, and what they declare. */
#include "config.h"
#include "lsp/document.h"

#include <stdlib.h>
#include <string.h>

/* --- addresses ------------------------------------------------------------------------------------------------- */

char *path_of_uri(const char *uri)
{
    const char *s = !strncmp(uri, "file://", 7) ? uri + 7 : uri;
    if (s != uri && *s != '/')          /* file://host/path */
        s += strcspn(s, "/");
    char *path = malloc(strlen(s) + 1), *to = path;
    for (; path && *s; s++) {
        char hex[3] = {s[0] == '%' ? s[1] : 0, s[0] == '%' && s[1] ? s[2] : 0, 0}, *stop = hex;
        long c = hex[0] ? strtol(hex, &stop, 16) : 0;
        bool coded = hex[0] && stop == hex + 2 && c;
        *to++ = coded ? (char)c : *s;
        s += coded ? 2 : 0;
    }
    if (path)
        *to = 0;
    return path;
}

/* --- places ------------------------------------------------------------------------------------------------------- */

/* Units of the column that the character at s takes; *bytes: its length. */
static int width(const char *s, const char *end, enum encoding e, int *bytes)
{
    unsigned char c = (unsigned char)*s;
    int n = c < 0xc0 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
    *bytes = n > end - s ? (int)(end - s) : n;
    return e == ENCODING_UTF8 ? *bytes : n == 4 ? 2 : 1;
}

bool document_lines(struct document *d)
{
    int n = 1;
    for (size_t i = 0; i < d->length; i++)
        n += d->text[i] == '\n';
    size_t *line = realloc(d->line, (size_t)n * sizeof *line);
    if (!line)
        return false;
    d->line = line;
    d->lines = 1;
    line[0] = 0;
    for (size_t i = 0; i < d->length; i++)
        if (d->text[i] == '\n')
            line[d->lines++] = i + 1;
    return true;
}

size_t offset_of(const struct document *d, enum encoding e, int line, int column)
{
    const char *s = d->text + (line < 0 ? 0 : line < d->lines ? d->line[line] : d->length), *end = d->text + d->length;
    for (int bytes; s < end && *s != '\n' && column > 0; s += bytes)
        column -= width(s, end, e, &bytes);
    return (size_t)(s - d->text);
}

static void position_write(FILE *f, const struct document *d, enum encoding e, size_t offset)
{
    int low = 0, high = d->lines, column = 0;
    offset = offset < d->length ? offset : d->length;
    while (high - low > 1) {
        int mid = (low + high) / 2;
        if (d->line[mid] <= offset)
            low = mid;
        else
            high = mid;
    }
    const char *s = d->text + d->line[low], *at = d->text + offset;
    for (int bytes; s < at; s += bytes)
        column += width(s, at, e, &bytes);
    fprintf(f, "{\"line\":%d,\"character\":%d}", low, column);
}

void range_write(FILE *f, const struct document *d, enum encoding e, size_t begin, size_t end)
{
    fputs("{\"start\":", f);
    position_write(f, d, e, begin);
    fputs(",\"end\":", f);
    position_write(f, d, e, end);
    putc('}', f);
}

/* --- tokens --------------------------------------------------------------------------------------------------------- */

bool token_is(const struct document *d, const struct token *t, const char *text)
{
    size_t n = t->span.end - t->span.begin;
    return n == strlen(text) && !memcmp(d->text + t->span.begin, text, n);
}

int token_at(const struct tokens *t, size_t offset)
{
    for (int i = 0; i < t->n; i++)
        if (t->at[i].kind != TOKEN_END && t->at[i].span.begin <= offset && offset <= t->at[i].span.end &&
            (offset < t->at[i].span.end || i + 1 == t->n || t->at[i + 1].span.begin > offset || t->at[i].kind == TOKEN_NAME))
            return i;
    return -1;
}

int token_chain(const struct document *d, const struct tokens *t, int i)
{
    while (i >= 2 && token_is(d, &t->at[i - 1], ".")) {
        int k = i - 2;
        if (token_is(d, &t->at[k], "]")) {      /* over an index */
            while (k > 0 && !token_is(d, &t->at[k], "["))
                k--;
            k--;
        }
        if (k < 0 || (t->at[k].kind != TOKEN_NAME && t->at[k].kind != TOKEN_WORD))
            break;
        i = k;
    }
    return i;
}

/* --- declarations ------------------------------------------------------------------------------------------------------- */

static void add(struct declarations *x, const struct ast_expr *name, const struct ast_stmt *stmt, const struct ast_item *item)
{
    while (name && name->kind == AST_INDEX)
        name = name->arg[0];
    if (name && name->kind == AST_NAME)
        VEC_PUSH(*x, ((struct declared){name->text, name->at, stmt, item}));
}

static bool declares_items(enum ast_word w)
{
    return w == STMT_PARAM || w == STMT_CONST || w == STMT_OPTION || w == STMT_COORD || w == STMT_STATE || w == STMT_DISCRETE || w == STMT_INPUT ||
           w == STMT_OUTPUT || w == STMT_LET;
}

static void collect(struct declarations *x, const struct ast_block *b)
{
    for (int i = 0; b && i < b->n; i++) {
        const struct ast_stmt *s = b->at[i];
        if (s->word != STMT_FOR && s->word != STMT_SIMULATE)
            add(x, s->name, s, NULL);
        for (int n = 0; n < s->args.n; n++)
            add(x, s->args.at[n].target, s, &s->args.at[n]);
        for (int n = 0; declares_items(s->word) && n < s->item.n; n++)
            add(x, s->item.at[n].target, s, &s->item.at[n]);
        for (int n = 1; s->word == STMT_JOINT && n < s->item.n; n++)    /* names of coordinates */
            if (s->item.at[n].word && !s->item.at[n].target && strcmp(s->item.at[n].word, "angles"))
                add(x, s->item.at[n].value, s, &s->item.at[n]);
        for (int n = 0; (s->word == STMT_BODY) && n < s->attrs.n; n++)
            if (s->attrs.at[n].word)    /* points and frames */
                add(x, s->attrs.at[n].target, s, &s->attrs.at[n]);
        collect(x, s->body);
        collect(x, s->otherwise);
    }
}

struct declarations declarations_of(const struct ast *ast)
{
    struct declarations x = {0};
    if (ast)
        collect(&x, &ast->block);
    return x;
}
