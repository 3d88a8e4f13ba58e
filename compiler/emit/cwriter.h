/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writing C: a growing text with indentation and bounded lines; numbers, strings, comments and
 * identifiers that mean in C what they meant in the model, and nothing else.
 */
#ifndef EMIT_CWRITER_H
#define EMIT_CWRITER_H
#include "base/arena.h"

#include <stdbool.h>

enum { CW_COLUMNS = 110, CW_TAB = 8 };

struct cwriter {
    char *text;
    size_t n, cap;
    int indent;                 /* in tabulators: a third of a generated file would be spaces */
};

void cw_free(struct cwriter *);
/* As it stands, without indentation or line end. */
void cw_put(struct cwriter *, const char *, size_t);
/* One line, indented; broken at spaces where it gets too long, the rest indented once more.  An empty
 * format is an empty line. */
void cw_line(struct cwriter *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Items of a declaration or an initialiser collected one by one: head item, item, ... tail. */
struct cw_list {
    struct cwriter *out;
    const char *head, *tail;
    const char *next;           /* what further lines begin with; NULL: one more indentation */
    size_t at;                  /* current column; 0 before the first item */
    bool used;
};
void cw_list_begin(struct cw_list *, struct cwriter *, const char *head, const char *tail);
void cw_list_text(struct cw_list *, const char *item, size_t n);
void cw_list_item(struct cw_list *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void cw_list_end(struct cw_list *);    /* nothing at all if there was no item */

/* The shortest decimal that gives the same double back, always with a point or an exponent. */
char *c_number(struct arena *, double);
/* A string literal, quotes included: escapes \, ", control characters, and ? (trigraphs). */
char *c_string(struct arena *, const char *);
/* Text that is safe within a comment of any kind: no end or start of a comment, no line end, no
 * backslash at the end, no trigraph. */
char *c_comment(struct arena *, const char *);

/* Identifiers of one scope.  Each name asked for becomes a C identifier that is no keyword, no name of
 * math.h, and different from all others in the scope and those around it. */
struct c_scope {
    const struct c_scope *outer;
    struct arena *arena;
    const char **table;         /* open addressing, size a power of two */
    unsigned size, n;
};
void scope_init(struct c_scope *, const struct c_scope *outer, struct arena *);
void scope_fini(struct c_scope *);
const char *scope_name(struct c_scope *, const char *wanted);
/* Nothing else may have this name. */
void scope_keep(struct c_scope *, const char *name);
#endif
