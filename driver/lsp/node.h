/* SPDX-License-Identifier: GPL-3.0-or-later
 * JSON that is read: a tree of nodes in an arena. */
#ifndef LSP_NODE_H
#define LSP_NODE_H
#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

enum node_kind { NODE_NULL, NODE_TRUE, NODE_FALSE, NODE_NUMBER, NODE_STRING, NODE_ARRAY, NODE_OBJECT };
struct json {
    enum node_kind kind;
    const char *key;            /* in an object */
    const char *text;           /* of a string, decoded; of a number as written */
    size_t length;              /* of the text: a string may contain NULs */
    double number;
    const struct json *child, *next;
};

/* NULL: that is no JSON. */
const struct json *node_read(struct arena *, const char *text, size_t length);
/* A member of a member, "params.textDocument.uri"; NULL if there is none, or in NULL. */
const struct json *node_find(const struct json *, const char *path);
/* Its text or number, or what is given in its place. */
const char *node_text(const struct json *, const char *path, const char *otherwise);
int node_whole(const struct json *, const char *path, int otherwise);   /* at most a milliard */
#endif
