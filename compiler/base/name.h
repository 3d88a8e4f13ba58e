/* SPDX-License-Identifier: GPL-3.0-or-later
 * Interned names: equal names are equal pointers. */
#ifndef BASE_NAME_H
#define BASE_NAME_H
#include "base/arena.h"

struct names {
    struct arena *arena;
    const char **table;         /* open addressing, size a power of two */
    unsigned size, n;
};
const char *name_intern(struct names *, const char *, size_t length);
const char *name_of(struct names *, const char *);
void names_fini(struct names *);
unsigned name_hash(const char *, size_t length);
#endif
