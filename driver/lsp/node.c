/* SPDX-License-Identifier: GPL-3.0-or-later
 * A reader of JSON (RFC 8259), for messages of editors. */
#include "config.h"
#include "lsp/node.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64 };
struct scan {
    struct arena *arena;
    const char *s, *end;
    int depth;
};

static void blanks(struct scan *x)
{
    while (x->s < x->end && strchr(" \t\r\n", *x->s) && *x->s)
        x->s++;
}

static bool word(struct scan *x, const char *text)
{
    size_t n = strlen(text);
    if ((size_t)(x->end - x->s) < n || memcmp(x->s, text, n))
        return false;
    x->s += n;
    return true;
}

static int hex4(const char *s)
{
    int v = 0;
    for (int i = 0; i < 4; i++) {
        int c = s[i] | 32;
        int d = s[i] >= '0' && s[i] <= '9' ? s[i] - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (d < 0)
            return -1;
        v = 16 * v + d;
    }
    return v;
}

static char *put_utf8(char *to, long c)
{
    if (c < 0x80) {
        *to++ = (char)c;
    } else if (c < 0x800) {
        *to++ = (char)(0xc0 | c >> 6);
        *to++ = (char)(0x80 | (c & 63));
    } else if (c < 0x10000) {
        *to++ = (char)(0xe0 | c >> 12);
        *to++ = (char)(0x80 | (c >> 6 & 63));
        *to++ = (char)(0x80 | (c & 63));
    } else {
        *to++ = (char)(0xf0 | c >> 18);
        *to++ = (char)(0x80 | (c >> 12 & 63));
        *to++ = (char)(0x80 | (c >> 6 & 63));
        *to++ = (char)(0x80 | (c & 63));
    }
    return to;
}

/* \uXXXX, two of them for what is beyond the first plane; a half alone becomes the replacement character. */
static bool read_unicode(struct scan *x, char **to)
{
    long c = x->end - x->s >= 4 ? hex4(x->s) : -1;
    if (c < 0)
        return false;
    x->s += 4;
    if (c >= 0xd800 && c < 0xdc00 && x->end - x->s >= 6 && x->s[0] == '\\' && x->s[1] == 'u') {
        int low = hex4(x->s + 2);
        if (low >= 0xdc00 && low < 0xe000) {
            x->s += 6;
            c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
        }
    }
    *to = put_utf8(*to, c >= 0xd800 && c < 0xe000 ? 0xfffd : c);
    return true;
}

/* The decoded text is never longer than the written one. */
static const char *read_string(struct scan *x, size_t *length)
{
    static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
    const char *close = x->s + 1;
    while (close < x->end && *close != '"')
        close += *close == '\\' ? 2 : 1;
    if (close >= x->end)
        return NULL;
    char *text = arena_alloc(x->arena, (size_t)(close - x->s)), *to = text;
    for (x->s++; x->s < x->end && *x->s != '"';) {
        if (*x->s != '\\') {
            *to++ = *x->s++;
            continue;
        }
        if (++x->s == x->end)
            return NULL;
        const char *at = strchr(from, *x->s);
        if (*x->s == 'u') {
            x->s++;
            if (!read_unicode(x, &to))
                return NULL;
        } else if (*x->s && at) {
            *to++ = into[at - from];
            x->s++;
        } else {
            return NULL;
        }
    }
    if (x->s == x->end)
        return NULL;
    x->s++;
    *to = 0;
    *length = (size_t)(to - text);
    return text;
}

static const struct json *read_value(struct scan *x);

static bool read_members(struct scan *x, struct json *in, char close)
{
    const struct json **last = &in->child;
    x->s++;
    blanks(x);
    if (x->s < x->end && *x->s == close)
        return x->s++, true;
    while (x->s < x->end) {
        const char *key = NULL;
        size_t length;
        blanks(x);
        if (close == '}') {
            if (x->s == x->end || *x->s != '"' || !(key = read_string(x, &length)))
                return false;
            blanks(x);
            if (!word(x, ":"))
                return false;
        }
        const struct json *value = read_value(x);
        if (!value)
            return false;
        struct json *mine = arena_copy(x->arena, value, sizeof *value);
        mine->key = key;
        *last = mine;
        last = &mine->next;
        blanks(x);
        if (x->s < x->end && *x->s == close)
            return x->s++, true;
        if (!word(x, ","))
            return false;
    }
    return false;
}

static const struct json *read_value(struct scan *x)
{
    struct json *n = ARENA_NEW(x->arena, struct json, 1);
    bool good = true;
    blanks(x);
    if (x->s == x->end || x->depth == DEEPEST)
        return NULL;
    x->depth++;
    if (*x->s == '{' || *x->s == '[') {
        n->kind = *x->s == '{' ? NODE_OBJECT : NODE_ARRAY;
        good = read_members(x, n, *x->s == '{' ? '}' : ']');
    } else if (*x->s == '"') {
        n->kind = NODE_STRING;
        good = (n->text = read_string(x, &n->length)) != NULL;
    } else if (word(x, "true")) {
        n->kind = NODE_TRUE;
    } else if (word(x, "false")) {
        n->kind = NODE_FALSE;
    } else if (!word(x, "null")) {
        const char *begin = x->s;
        while (x->s < x->end && *x->s && strchr("+-.0123456789eE", *x->s))
            x->s++;
        n->kind = NODE_NUMBER;
        n->length = (size_t)(x->s - begin);
        char *text = arena_alloc(x->arena, n->length + 1), *stop;
        memcpy(text, begin, n->length);
        text[n->length] = 0;
        n->text = text;
        n->number = strtod(text, &stop);
        good = n->length && !*stop;
    }
    x->depth--;
    return good ? n : NULL;
}

const struct json *node_read(struct arena *arena, const char *text, size_t length)
{
    struct scan x = {arena, text, text + length, 0};
    const struct json *n = read_value(&x);
    blanks(&x);
    return n && x.s == x.end ? n : NULL;
}

const struct json *node_find(const struct json *n, const char *path)
{
    while (n && *path) {
        size_t length = strcspn(path, ".");
        const struct json *c = n->child;
        while (c && !(c->key && strlen(c->key) == length && !memcmp(c->key, path, length)))
            c = c->next;
        n = c;
        path += length;
        path += *path == '.';
    }
    return n;
}

const char *node_text(const struct json *n, const char *path, const char *otherwise)
{
    n = node_find(n, path);
    return n && n->kind == NODE_STRING ? n->text : otherwise;
}

int node_whole(const struct json *n, const char *path, int otherwise)
{
    n = node_find(n, path);
    return n && n->kind == NODE_NUMBER ? (int)fmax(-1e9, fmin(n->number, 1e9)) : otherwise;
}
