/* SPDX-License-Identifier: GPL-3.0-or-later
 * Source texts and places in them.  A span is a file and two byte offsets; line and column are found
 * when a message is printed. */
#ifndef BASE_SOURCE_H
#define BASE_SOURCE_H
#include <stddef.h>

struct source {
    const char *path;           /* as given or found */
    const char *text;
    size_t length;
};
struct span {
    const struct source *source;
    unsigned begin, end;        /* bytes [begin, end) */
};
#endif
