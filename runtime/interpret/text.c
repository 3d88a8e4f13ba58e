/* SPDX-License-Identifier: MIT
 * The reader of text.h. */
#include "interpret/text.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 8 };

/* ---- memory ---- */

void *mbs_heap_get(struct mbs_heap *h, size_t n, size_t size)
{
    void **block = n > (SIZE_MAX - 64) / (size ? size : 1) ? NULL : calloc(1, n * size + 16);

    if (!block) {
        h->failed = 1;
        return NULL;
    }
    *block = h->last;
    h->last = block;
    return (char *)block + 16;
}

void mbs_heap_free(struct mbs_heap *h)
{
    for (void **b = h->last, **next; b; b = next) {
        next = *b;
        free(b);
    }
    h->last = NULL;
}

/* ---- scanner ---- */

struct reader {
    const char *at, *end;
    struct mbs_text *text;
    struct mbs_value *stack;            /* items of lists that are not complete */
    size_t used, room;
};

static int wrong(struct reader *r, const char *what)
{
    if (!r->text->wrong)
        r->text->wrong = what;
    return 0;
}

static void skip(struct reader *r)
{
    while (r->at < r->end) {
        if (*r->at == '\n')
            r->text->line++;
        if (isspace((unsigned char)*r->at)) {
            r->at++;
        } else if (r->end - r->at > 1 && r->at[0] == '/' && r->at[1] == '*') {
            for (r->at += 2; r->at < r->end && !(r->at[0] == '/' && r->at[-1] == '*'); r->at++)
                r->text->line += *r->at == '\n';
            r->at += r->at < r->end;
        } else {
            return;
        }
    }
}

static int next_is(struct reader *r, char c)
{
    skip(r);
    if (r->at >= r->end || *r->at != c)
        return 0;
    r->at++;
    return 1;
}

static const char *word(struct reader *r)
{
    const char *from;
    char *copy;

    skip(r);
    for (from = r->at; r->at < r->end && (isalnum((unsigned char)*r->at) || *r->at == '_');)
        r->at++;
    if (r->at == from)
        return NULL;
    copy = mbs_heap_get(r->text->heap, (size_t)(r->at - from) + 1, 1);
    if (copy)
        memcpy(copy, from, (size_t)(r->at - from));
    return copy;
}

/* After its quote. */
static int string(struct reader *r, struct mbs_value *v)
{
    const char *close = r->at;
    char *to;

    while (close < r->end && *close != '"' && *close != '\n')
        close += *close == '\\' && close + 1 < r->end ? 2 : 1;
    if (!(to = mbs_heap_get(r->text->heap, (size_t)(close - r->at) + 1, 1)))
        return wrong(r, "out of memory");
    v->kind = MBS_VALUE_STRING;
    v->as.text = to;
    while (r->at < r->end && *r->at != '"' && *r->at != '\n') {
        char c = *r->at++;
        if (c == '\\' && r->at < r->end) {
            c = *r->at++;
            if (c >= '0' && c <= '7') {
                int code = c - '0';
                for (int k = 0; k < 2 && r->at < r->end && *r->at >= '0' && *r->at <= '7'; k++)
                    code = 8 * code + *r->at++ - '0';
                c = (char)code;
            }
        }
        *to++ = c;
    }
    return r->at < r->end && *r->at++ == '"' ? 1 : wrong(r, "a string has no end");
}

/* ---- values ---- */

static int push(struct reader *r, const struct mbs_value *v)
{
    if (r->used == r->room) {
        size_t room = r->room ? 2 * r->room : 256;
        struct mbs_value *more = realloc(r->stack, room * sizeof *more);
        if (!more) {
            r->text->heap->failed = 1;
            return wrong(r, "out of memory");
        }
        r->stack = more;
        r->room = room;
    }
    r->stack[r->used++] = *v;
    return 1;
}

static int value(struct reader *r, struct mbs_value *v, int deep);

/* After its brace. */
static int list(struct reader *r, struct mbs_value *v, int deep)
{
    size_t first = r->used;
    struct mbs_value item, *copy;

    if (deep > DEEPEST)
        return wrong(r, "lists are nested too deeply");
    while (!next_is(r, '}'))
        if (!value(r, &item, deep + 1) || !push(r, &item) || (!next_is(r, ',') && !(r->at < r->end && *r->at == '}')))
            return wrong(r, "a list has no end");
    copy = mbs_heap_get(r->text->heap, r->used - first + 1, sizeof *copy);
    if (!copy)
        return wrong(r, "out of memory");
    if (r->used > first)
        memcpy(copy, r->stack + first, (r->used - first) * sizeof *copy);
    *v = (struct mbs_value){ .kind = MBS_VALUE_LIST, .n = (int)(r->used - first), .as.item = copy };
    r->used = first;
    return 1;
}

static int number(struct reader *r, struct mbs_value *v)
{
    char *end;

    v->kind = MBS_VALUE_NUMBER;
    v->as.number = strtod(r->at, &end);         /* the text ends with a zero byte */
    if (end == r->at)
        return wrong(r, "a value is missing");
    r->at = end;
    return 1;
}

static int value(struct reader *r, struct mbs_value *v, int deep)
{
    *v = (struct mbs_value){ .kind = MBS_VALUE_NUMBER };
    if (next_is(r, '{'))
        return list(r, v, deep);
    if (next_is(r, '"'))
        return string(r, v);
    if (next_is(r, '(')) {              /* the type of a list */
        while (r->at < r->end && *r->at != ')')
            r->at++;
        r->at += r->at < r->end;
        return next_is(r, '{') ? list(r, v, deep) : wrong(r, "a list is missing");
    }
    if (r->at < r->end && (isalpha((unsigned char)*r->at) || *r->at == '_')) {
        v->kind = MBS_VALUE_WORD;
        if (!(v->as.text = word(r)))
            return wrong(r, "out of memory");
        if (!strcmp(v->as.text, "NAN") || !strcmp(v->as.text, "INFINITY"))
            *v = (struct mbs_value){ .kind = MBS_VALUE_NUMBER, .as.number = v->as.text[0] == 'N' ? (double)NAN : (double)INFINITY };
        return 1;
    }
    return number(r, v);
}

/* ---- declarations ---- */

static int add(struct reader *r, struct mbs_named **all, int *n, const char *name, const struct mbs_value *v)
{
    if (!(*n & (*n - 1))) {             /* a power of two: it is full */
        struct mbs_named *more = mbs_heap_get(r->text->heap, *n ? 2 * (size_t)*n : 1, sizeof *more);
        if (!more)
            return wrong(r, "out of memory");
        if (*n)
            memcpy(more, *all, (size_t)*n * sizeof *more);
        *all = more;
    }
    (*all)[(*n)++] = (struct mbs_named){ name, *v };
    return 1;
}

static int members(struct reader *r)
{
    struct mbs_value v;

    while (!next_is(r, '}')) {
        const char *name = next_is(r, '.') ? word(r) : NULL;
        if (!name || !next_is(r, '=') || !value(r, &v, 0) || !add(r, &r->text->member, &r->text->members, name, &v))
            return wrong(r, "a member of the model cannot be read");
        next_is(r, ',');
    }
    return 1;
}

/* static const TYPE NAME[] = { ... };   const struct mbs_model NAME = { ... };   extern ...; */
static int declaration(struct reader *r)
{
    const char *name = NULL, *w;
    struct mbs_value v;

    while ((w = word(r)) || next_is(r, '*'))
        name = w ? w : name;
    if (next_is(r, ';'))
        return 1;
    if (!name)
        return wrong(r, "a declaration is missing");
    if (next_is(r, '[')) {
        if (!next_is(r, ']') || !next_is(r, '=') || !value(r, &v, 0) || !add(r, &r->text->list, &r->text->lists, name, &v))
            return wrong(r, "a list cannot be read");
    } else if (!next_is(r, '=') || !next_is(r, '{') || !members(r)) {
        return wrong(r, "the model cannot be read");
    }
    return next_is(r, ';') ? 1 : wrong(r, "a declaration has no end");
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct mbs_named *)a)->name, ((const struct mbs_named *)b)->name);
}

void mbs_text_read(struct mbs_text *t, struct mbs_heap *heap, const char *text, size_t length)
{
    char *copy = mbs_heap_get(heap, length + 1, 1);
    struct reader r = { .text = t };

    *t = (struct mbs_text){ .heap = heap, .line = 1 };
    if (!copy) {
        t->wrong = "out of memory";
        return;
    }
    memcpy(copy, text, length);
    r.at = copy;
    r.end = copy + length;
    for (skip(&r); r.at < r.end && declaration(&r); skip(&r))
        ;
    free(r.stack);
    if (t->lists)
        qsort(t->list, (size_t)t->lists, sizeof *t->list, by_name);
}

const struct mbs_value *mbs_text_list(const struct mbs_text *t, const char *name)
{
    const struct mbs_named key = { .name = name };
    const struct mbs_named *found = t->lists ? bsearch(&key, t->list, (size_t)t->lists, sizeof *t->list, by_name) : NULL;

    return found && found->value.kind == MBS_VALUE_LIST ? &found->value : NULL;
}
