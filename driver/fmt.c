/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `mbs fmt`: spaces and indentation of a model in one style.
 *
 * Lines stay lines and comments stay where they are; only blanks change.  The scanner of the language gives the tokens
 * and says where a statement ends; a rule for each pair of neighbours says how many blanks stand between them: none
 * around * / ^ and inside brackets, one around = and binary + and - (none inside an index), one after a comma or a
 * colon.  Blanks that align `=`, `~` or what follows a colon in a column are kept.  The result is only taken if its syntax tree is that of the original. */
#include "config.h"
#include "commands.h"
#include "build.h"
#include "compile.h"
#include "fmt.h"
#include "base/out.h"
#include "syntax/tokens.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct manual manual_fmt = {
    "fmt", "MODEL.mbs... [options]", FOR_FMT,
    "Formats models: indentation, blanks around operators, blank lines. Comments and line breaks are kept. - reads\n"
    "standard input and writes standard output.",
    "  mbs fmt pendulum.mbs\n"
    "  mbs fmt --check models/*.mbs        exit 1 and name the files that would change\n"
    "  mbs fmt - < draft.mbs > model.mbs\n",
    1, -1};

struct piece {
    enum token_kind kind;
    const char *at;
    int length;
    int blanks;                 /* before it, in the source */
};
struct format {
    FILE *f;
    int braces;
    struct { char *at; int n, cap; } bracket;   /* '(' group or call, '[' vector, 'i' index */
    bool continued;             /* the statement goes on from the line before */
    bool ended;                 /* the line ends a statement */
    bool blank;                 /* an empty line is due */
    bool any;
    struct tokens tokens;       /* of the whole text */
    int next;                   /* token */
    struct { struct piece *at; int n, cap; } line;
};

static bool is(const struct piece *t, const char *text)
{
    return t && t->length == (int)strlen(text) && !memcmp(t->at, text, (size_t)t->length);
}
static bool is_one(const struct piece *t, const char *set)
{
    return t && t->kind == TOKEN_SIGN && t->length == 1 && strchr(set, *t->at);
}
/* The tokens of the line at s, with the blanks before them; returns the comment, or the end. */
static const char *take_line(struct format *k, const char *text, const char *s, const char *end)
{
    k->line.n = 0;
    k->ended = false;
    for (; k->next < k->tokens.n && text + k->tokens.at[k->next].span.begin <= end; k->next++) {
        const struct token *t = &k->tokens.at[k->next];
        struct piece p = {t->kind, text + t->span.begin, (int)(t->span.end - t->span.begin), 0};
        if (t->kind == TOKEN_END) {
            k->ended = true;
            continue;
        }
        for (; s < p.at; s++)
            p.blanks += *s == '\t' ? 8 - p.blanks % 8 : 1;
        s += p.length;
        VEC_PUSH(k->line, p);
    }
    const char *comment = memchr(s, '#', (size_t)(end - s));
    return comment ? comment : end;
}

/* Ends what could be an operand, so that - after it is a difference. */
static bool ends_operand(const struct piece *t)
{
    if (!t)
        return false;
    switch (t->kind) {
    case TOKEN_WORD:
    case TOKEN_END: return false;
    case TOKEN_NAME: return !is(t, "and") && !is(t, "or") && !is(t, "not") && !is(t, "in");
    case TOKEN_NUMBER:
    case TOKEN_STRING: return true;
    case TOKEN_SIGN: return is_one(t, ")]'}");
    }
    return false;
}
static bool is_tight(const struct piece *t) { return is_one(t, "*/^.") || is(t, ".."); }
static bool is_sum(const struct piece *t) { return is_one(t, "+-"); }
static bool is_relation(const struct piece *t) { return is_one(t, "=~<>@") || is(t, "<=") || is(t, ">=") || is(t, "==") || is(t, "!="); }

/* Blanks between two neighbours; before is the one before a. */
static int blanks_between(const struct format *k, const struct piece *before, const struct piece *a, const struct piece *b)
{
    char inside = k->bracket.n ? k->bracket.at[k->bracket.n - 1] : 0;
    bool unary = is_sum(a) && !ends_operand(before);
    if (is_one(a, "+") && is_one(b, "-"))
        return 1;       /* +- is a sign of its own */
    if (is_one(b, ",)]:'") || is_one(a, "([") || is_tight(b))
        return 0;
    if (is_tight(a))
        return 0;
    if (unary)
        return 0;
    if (is_sum(a) || (is_sum(b) && ends_operand(a)))
        return inside == 'i' ? 0 : 1;
    if (is_one(a, ":") || is_one(b, "=~"))
        return b->blanks > 1 && b->blanks < 60 ? b->blanks : 1;
    if (is_relation(a) || is_relation(b) || is_one(a, ",{}") || is_one(b, "{}"))
        return 1;
    if (is_one(b, "[") && a->kind == TOKEN_NUMBER)
        return 1;       /* the unit of a number */
    if (is_one(b, "(["))
        return ends_operand(a) ? b->blanks > 0 : 1;
    if (is_sum(b))
        return 1;
    return 1;
}

static void bracket_track(struct format *k, const struct piece *before, const struct piece *t)
{
    if (is_one(t, "("))
        VEC_PUSH(k->bracket, '(');
    else if (is_one(t, "["))
        VEC_PUSH(k->bracket, ends_operand(before) && t->blanks == 0 ? 'i' : '[');
    else if (is_one(t, ")]") && k->bracket.n)
        k->bracket.n--;
    else if (is_one(t, "{"))
        k->braces++;
    else if (is_one(t, "}") && k->braces)
        k->braces--;
}

static int width_of(const char *s, int n)
{
    int w = 0;
    for (int i = 0; i < n; i++)
        w += ((unsigned char)s[i] & 0xc0) != 0x80;
    return w;
}

static int format_tokens(struct format *k, int width)
{
    fprintf(k->f, "%*s", width, "");
    for (int i = 0; i < k->line.n; i++) {
        const struct piece *t = &k->line.at[i], *a = i ? t - 1 : NULL;
        int blanks = a ? blanks_between(k, i > 1 ? t - 2 : NULL, a, t) : 0;
        fprintf(k->f, "%*s%.*s", blanks, "", t->length, t->at);
        width += blanks + width_of(t->at, t->length);
        bracket_track(k, a, t);
    }
    return width;
}

static void format_line(struct format *k, const char *text, const char *s, const char *end)
{
    const char *comment = take_line(k, text, s, end);
    int column = 0;
    if (!k->line.n && comment == end) {
        k->blank = k->any;
        return;
    }
    if (k->blank)
        putc('\n', k->f);
    k->blank = false;
    k->any = true;
    for (const char *c = s; c < comment; c++)
        column = *c == '\t' ? column + 8 - column % 8 : column + (((unsigned char)*c & 0xc0) != 0x80);
    while (comment < end && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
        end--;
    int indent = k->braces + (k->continued ? 1 : 0) - (k->line.n && is_one(&k->line.at[0], "}") && k->braces ? 1 : 0);
    if (!k->line.n) {
        fprintf(k->f, "%*s%.*s\n", 4 * indent, "", (int)(end - comment), comment);
        return;
    }
    /* a line that goes on may stand further in, under what it belongs to */
    int margin = k->continued && k->line.at[0].blanks > 4 * indent ? k->line.at[0].blanks : 4 * indent;
    int width = format_tokens(k, margin);
    if (comment < end)
        fprintf(k->f, "%*s%.*s", column > width + 1 ? column - width : 2, "", (int)(end - comment), comment);
    putc('\n', k->f);
    k->continued = !k->ended && !is_one(&k->line.at[k->line.n - 1], "{}");
}

static char *format_text(const char *text, size_t length)
{
    char *result = NULL;
    size_t size = 0;
    struct compilation c;
    struct format k = {.f = stream_open(&result, &size)};
    if (!k.f)
        return NULL;
    compilation_init(&c, NULL);
    k.tokens = tokens_read(&c, source_text(&c.sources, "", text, length));
    for (const char *s = text, *end = text + length; s < end;) {
        const char *stop = memchr(s, '\n', (size_t)(end - s));
        format_line(&k, text, s, stop ? stop : end);
        s = stop ? stop + 1 : end;
    }
    compilation_fini(&c);
    free(k.tokens.at);
    free(k.line.at);
    free(k.bracket.at);
    if (stream_close(k.f))
        return result;
    free(result);
    return NULL;
}

/* The syntax tree as text; NULL if the text has errors, which are shown if told so. */
static char *tree_text(const char *path, const char *text, size_t length, bool tell)
{
    struct compile *c = compile_memory(path, text, length, NULL, COMPILE_AST);
    char *tree = NULL;
    size_t size = 0;
    if (tell)
        fputs(compile_messages(c), stderr);
    if (c->good) {
        FILE *f = stream_open(&tree, &size);
        if (f) {
            dump_ast(f, c->ast);
            if (!stream_close(f)) {
                free(tree);
                tree = NULL;
            }
        }
    }
    compile_free(c);
    return tree;
}

/* The same trees, whatever the numbers of the lines that they start with. */
static bool same_tree(const char *a, const char *b)
{
    for (bool start = true; *a || *b; a++, b++) {
        if (start) {
            a += strspn(a, " ");
            b += strspn(b, " ");
            a += strspn(a, "0123456789");
            b += strspn(b, "0123456789");
        }
        if (*a != *b)
            return false;
        if (!*a)
            return true;
        start = *a == '\n';
    }
    return true;
}

static int put(const char *path, const char *text)
{
    struct out out;
    if (!out_open(&out, path)) {
        complain(&manual_fmt, "%s", out.why);
        out_discard(&out);
        return EXIT_FAILED;
    }
    fputs(text, out.f);
    if (out_close(&out))
        return EXIT_OK;
    complain(&manual_fmt, "%s", out.why);
    return EXIT_FAILED;
}

char *fmt_text(const char *path, const char *text, size_t length)
{
    char *before = tree_text(path, text, length, false), *result = before ? format_text(text, length) : NULL;
    char *after = result ? tree_text(path, result, strlen(result), false) : NULL;
    if (!after || !same_tree(before, after)) {
        free(result);
        result = NULL;
    }
    free(before);
    free(after);
    return result;
}

static int format_file(const char *path, const struct settings *set)
{
    bool standard = !strcmp(path, "-");
    size_t length;
    char *text = model_read(standard ? "/dev/stdin" : path, &length), *result = NULL, *before = NULL, *after = NULL;
    int status = EXIT_FAILED;
    if (!text)
        complain(&manual_fmt, "cannot read %s: %s", path, file_why());
    else if (!(before = tree_text(path, text, length, true)))
        complain(&manual_fmt, "%s is left as it is", path);
    else if (!(result = format_text(text, length)) || !(after = tree_text(path, result, strlen(result), false)) || !same_tree(before, after))
        complain(&manual_fmt, "%s is left as it is: formatting would change its meaning, which is a fault of mbs", path);
    else if (set->check) {
        status = strcmp(text, result) ? EXIT_FAILED : EXIT_OK;
        if (status != EXIT_OK && !set->quiet)
            printf("%s would change\n", path);
    } else if (standard || strcmp(text, result))
        status = put(path, result);
    else
        status = EXIT_OK;
    free(text);
    free(result);
    free(before);
    free(after);
    return status;
}

int cmd_fmt(int argc, char **argv)
{
    struct settings set;
    int status, worst = EXIT_OK;
    if (!settings_parse(&set, &manual_fmt, argc, argv, &status))
        return status;
    for (int i = 0; i < set.files.n; i++) {
        status = format_file(set.files.at[i], &set);
        worst = status > worst ? status : worst;
    }
    settings_free(&set);
    return worst;
}
