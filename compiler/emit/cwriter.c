/* SPDX-License-Identifier: GPL-3.0-or-later
 * See cwriter.h.  Lines are broken at spaces and signs of products, which in code outside of literals are legal places;
 * a literal is therefore passed through a list or stays alone on its line. */
#include "emit/cwriter.h"
#include "base/cwords.h"
#include "base/text.h"

#include "base/name.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cw_free(struct cwriter *w)
{
    free(w->text);
    *w = (struct cwriter){0};
}

void cw_put(struct cwriter *w, const char *s, size_t n)
{
    if (w->n + n + 1 > w->cap) {
        w->cap = 2 * (w->n + n) + 4096;
        w->text = mem_grow(w->text, w->cap, 1);
    }
    memcpy(w->text + w->n, s, n);
    w->n += n;
    w->text[w->n] = 0;
}

static void put_indent(struct cwriter *w, int steps)
{
    for (int k = 0; k < steps; k++)
        cw_put(w, "\t", 1);
}

/* Where to break a text of length n so that its first part has at most `room` characters: at the last
 * space outside of a literal, else behind the last sign of a product, or at the first space after if there is none. */
static size_t break_at(const char *s, size_t n, size_t room)
{
    size_t at = n, product = 0;
    char quote = 0;
    for (size_t k = 0; k < n && (k <= room || at == n); k++) {
        if (quote ? s[k] == '\\' : false)
            k++;
        else if (quote)
            quote = s[k] == quote ? 0 : quote;
        else if (s[k] == '"')
            quote = s[k];
        else if (s[k] == ' ' && k)
            at = k;
        else if (s[k] == '*' && k && k < room && s[k - 1] != '/' && s[k - 1] != ' ' && s[k + 1] != '/')
            product = k + 1;
    }
    return at > room && product ? product : at;
}

void cw_line(struct cwriter *w, const char *fmt, ...)
{
    char text[512], *line = text;       /* most are short: one pass */
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    size_t n = (size_t)vsnprintf(text, sizeof text, fmt, ap);
    if (n >= sizeof text) {
        line = mem_grow(NULL, n + 1, 1);
        vsnprintf(line, n + 1, fmt, again);
    }
    char *s = line;
    va_end(ap);
    va_end(again);
    int indent = w->indent;
    for (;;) {
        size_t room = CW_COLUMNS - CW_TAB * (size_t)indent;
        if (n)
            put_indent(w, indent);
        size_t cut = n > room ? break_at(s, n, room) : n;
        cw_put(w, s, cut);
        cw_put(w, "\n", 1);
        if (cut == n)
            break;
        cut += s[cut] == ' ';
        s += cut;
        n -= cut;
        indent = w->indent + 1;
    }
    if (line != text)
        free(line);
}

void cw_list_begin(struct cw_list *l, struct cwriter *w, const char *head, const char *tail)
{
    *l = (struct cw_list){ .out = w, .head = head, .tail = tail };
}

void cw_list_item(struct cw_list *l, const char *fmt, ...)
{
    char buffer[512], *item = buffer;
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    size_t n = (size_t)vsnprintf(buffer, sizeof buffer, fmt, ap);
    if (n >= sizeof buffer) {
        item = mem_grow(NULL, n + 1, 1);
        vsnprintf(item, n + 1, fmt, again);
    }
    va_end(ap);
    va_end(again);
    cw_list_text(l, item, n);
    if (item != buffer)
        free(item);
}

void cw_list_text(struct cw_list *l, const char *item, size_t n)
{
    if (!l->used) {
        put_indent(l->out, l->out->indent);
        cw_put(l->out, l->head, strlen(l->head));
        l->at = CW_TAB * (size_t)l->out->indent + strlen(l->head);
    } else {
        cw_put(l->out, ",", 1);
        l->at += 2;
        if (l->at + n + strlen(l->tail) + 1 > CW_COLUMNS) {
            cw_put(l->out, "\n", 1);
            if (l->next)
                cw_put(l->out, l->next, strlen(l->next));
            else
                put_indent(l->out, l->out->indent + 1);
            l->at = l->next ? strlen(l->next) : CW_TAB * ((size_t)l->out->indent + 1);
        } else {
            cw_put(l->out, " ", 1);
        }
    }
    cw_put(l->out, item, n);
    l->at += n;
    l->used = true;
}

void cw_list_end(struct cw_list *l)
{
    if (!l->used)
        return;
    cw_put(l->out, l->tail, strlen(l->tail));
    cw_put(l->out, "\n", 1);
}

/* --- literals --------------------------------------------------------------------------------------- */

char *c_number(struct arena *arena, double x)
{
    char s[40];
    if (isnan(x))
        return arena_strndup(arena, "NAN", 3);
    if (isinf(x))
        return arena_printf(arena, "%sINFINITY", x < 0 ? "-" : "");
    if (fabs(x) < 1e6 && x == (int)x)
        return arena_printf(arena, "%s%d.0", signbit(x) && x == 0 ? "-" : "", (int)x);
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(s, sizeof s, "%.*g", digits, x);
        if (strtod(s, NULL) == x)
            break;
    }
    return arena_printf(arena, "%s%s", s, strpbrk(s, ".e") ? "" : ".0");
}

char *c_string(struct arena *arena, const char *s)
{
    char *text = arena_alloc(arena, 4 * strlen(s) + 3), *at = text;
    *at++ = '"';
    for (size_t left = strlen(s); left;) {
        int n = text_printable(s, left);
        if (*s == '"' || *s == '\\' || *s == '?')
            at += sprintf(at, "\\%c", *s);
        else if (!n)
            at += sprintf(at, "\\%03o", (unsigned char)*s);
        else
            at = (char *)memcpy(at, s, (size_t)n) + n;
        s += n ? n : 1;
        left -= n ? (size_t)n : 1;
    }
    *at++ = '"';
    return text;
}

char *c_comment(struct arena *arena, const char *s)
{
    char *text = arena_alloc(arena, 2 * strlen(s) + 1), *at = text;
    char before = 0;
    for (size_t left = strlen(s); left;) {
        int n = text_printable(s, left);
        char c = *s;
        if ((c == '/' && (before == '*' || before == '/')) || (c == '*' && before == '/'))
            *at++ = ' ';
        if (n > 1)
            at = (char *)memcpy(at, s, (size_t)n) + n;
        else
            *at++ = !n ? ' ' : c == '\\' ? '|' : c == '?' && before == '?' ? '!' : c;
        before = c;
        s += n ? n : 1;
        left -= n ? (size_t)n : 1;
    }
    return text;
}

/* --- identifiers ------------------------------------------------------------------------------------ */

/* i3, table_2: arrays of the file. */
static bool is_numbered(const char *name, const char *stem)
{
    size_t n = strlen(stem);
    return !strncmp(name, stem, n) && name[n] && !name[n + strspn(name + n, "0123456789")];
}

static bool is_reserved(const char *name)
{
    return is_numbered(name, "i") || is_numbered(name, "table_") || c_is_reserved(name);
}

void scope_init(struct c_scope *s, const struct c_scope *outer, struct arena *arena)
{
    *s = (struct c_scope){ .outer = outer, .arena = arena };
}

void scope_fini(struct c_scope *s)
{
    free(s->table);
}

/* The cell where a name stands or would stand. */
static const char **scope_cell(const struct c_scope *s, const char *name)
{
    unsigned at = name_hash(name, strlen(name)) & (s->size - 1);
    while (s->table[at] && strcmp(s->table[at], name))
        at = (at + 1) & (s->size - 1);
    return &s->table[at];
}

static bool is_taken(const struct c_scope *s, const char *name)
{
    for (; s; s = s->outer)
        if (s->n && *scope_cell(s, name))
            return true;
    return false;
}

static void scope_add(struct c_scope *s, const char *name)
{
    if (2 * s->n >= s->size) {
        const char **old = s->table;
        unsigned size = s->size;
        s->size = size ? 2 * size : 64;
        s->table = mem_grow(NULL, s->size, sizeof *s->table);
        for (unsigned k = 0; k < s->size; k++)
            s->table[k] = NULL;
        for (unsigned k = 0; k < size; k++)
            if (old[k])
                *scope_cell(s, old[k]) = old[k];
        free(old);
    }
    *scope_cell(s, name) = name;
    s->n++;
}

/* loopA4.y -> loopA4_y, q[2] -> q_2; other bytes as hexadecimal digits. */
static char *make_identifier(struct arena *arena, const char *wanted)
{
    char *name = arena_alloc(arena, 3 * strlen(wanted) + 3), *at = name;
    if (!isalpha((unsigned char)*wanted) || c_is_of_mbs(wanted))
        *at++ = 'n';            /* also before an underscore: such names belong to the C library */
    for (const char *c = wanted; *c; c++)
        if (isascii((unsigned char)*c) && (isalnum((unsigned char)*c) || *c == '_'))
            *at++ = *c;
        else if (strchr(".[,", *c))
            *at++ = '_';
        else if (*c == '\'')
            at += sprintf(at, "_d");
        else if (*c != ']' && *c != ' ')
            at += sprintf(at, "x%02x", (unsigned char)*c);
    return name;
}

const char *scope_name(struct c_scope *s, const char *wanted)
{
    const char *stem = make_identifier(s->arena, wanted), *name = stem;
    for (int k = 1; is_taken(s, name) || is_reserved(name); k++)
        name = k == 1 ? arena_printf(s->arena, "%s_", stem) : arena_printf(s->arena, "%s_%d", stem, k);
    scope_add(s, name);
    return name;
}

void scope_keep(struct c_scope *s, const char *name)
{
    if (!is_taken(s, name))
        scope_add(s, arena_printf(s->arena, "%s", name));
}
