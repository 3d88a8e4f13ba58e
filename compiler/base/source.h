/* SPDX-License-Identifier: GPL-3.0-or-later
 * Source texts and places in them.  A span is a file and two byte offsets; line and column are found
 * when a message is printed. */
#ifndef BASE_SOURCE_H
#define BASE_SOURCE_H
#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

struct source {
    const char *path;           /* as given or found */
    const char *text;           /* length bytes and a final NUL; may contain NULs */
    size_t length;
    const unsigned *line;       /* offsets where its lines begin, ascending */
    unsigned lines;
    bool hidden;                /* data, or no model by its name: messages show no text of it */
    unsigned long long device, inode;   /* the file's identity; 0, 0 if it is none */
};
struct span {
    const struct source *source;
    unsigned begin, end;        /* bytes [begin, end) */
};

enum { SOURCE_LARGEST = 1 << 26 };              /* bytes in one file */

/* Every file read in a compilation, in order: models, what they include, tables. */
struct sources {
    struct arena *arena;
    struct { const struct source **at; int n, cap; } list;
    struct { struct source_asked { const char *path; const struct source *found; } *at; int n, cap; } asked;    /* all names; NULL: nothing there */
};
/* The file, read once; NULL and a reason in *why if that fails. */
const struct source *source_load(struct sources *, const char *path, const char **why);
/* Whether a model may read this file: below the directory of the first source or of one of `dirs`, links resolved.  A
 * file that does not exist is for source_load to complain about. */
bool source_allowed(const struct sources *, const char *path, const char *const *dirs, int n);
/* A text that is no file (tests, standard input). */
const struct source *source_text(struct sources *, const char *path, const char *text, size_t length);
void sources_fini(struct sources *);

struct place {
    unsigned line, column;      /* from 1 */
    unsigned line_begin, line_end;      /* bytes of the line, without its end */
};
struct place source_place(const struct source *, unsigned offset);
static inline struct span span_join(struct span a, struct span b)
{
    return (struct span){a.source, a.begin, b.end};
}
/* Whether a file, its links resolved, lies below a directory. */
bool source_is_below(const char *real, const char *dir);
#endif
