/* SPDX-License-Identifier: GPL-3.0-or-later
 * Open addressing with linear probing, at most half full; the hash is FNV-1a. */
#include "base/name.h"

#include <stdlib.h>
#include <string.h>

unsigned name_hash(const char *s, size_t length)
{
    unsigned h = 2166136261u;
    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)s[i]) * 16777619u;
    return h ^ h >> 15;
}

static void names_rehash(struct names *t)
{
    unsigned size = t->size ? 2 * t->size : 256;
    const char **table = mem_grow(NULL, size, sizeof *table);
    memset(table, 0, size * sizeof *table);
    for (unsigned k = 0; k < t->size; k++) {
        if (!t->table[k])
            continue;
        unsigned at = name_hash(t->table[k], strlen(t->table[k])) & (size - 1);
        while (table[at])
            at = (at + 1) & (size - 1);
        table[at] = t->table[k];
    }
    free(t->table);
    t->table = table;
    t->size = size;
}

const char *name_intern(struct names *t, const char *s, size_t length)
{
    if (2 * t->n >= t->size)
        names_rehash(t);
    unsigned at = name_hash(s, length) & (t->size - 1);
    for (; t->table[at]; at = (at + 1) & (t->size - 1))
        if (!strncmp(t->table[at], s, length) && !t->table[at][length])
            return t->table[at];
    t->n++;
    return t->table[at] = arena_strndup(t->arena, s, length);
}

const char *name_of(struct names *t, const char *s)
{
    return name_intern(t, s, strlen(s));
}

void names_fini(struct names *t)
{
    free(t->table);
    t->table = NULL;
    t->size = t->n = 0;
}
