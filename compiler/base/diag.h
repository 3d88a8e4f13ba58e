/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Diagnostics: collected while the passes run, rendered as text at the end.  Nothing here prints.
 *
 *     file:line:column: error: message
 *         the source line
 *           ^~~~
 *     file:line:column: note: the second place
 *
 * Columns count characters (UTF-8 code points) from 1, a tab is one; the caret line repeats tabs, so
 * that it stands right whatever their width.  A message without a place (span.source NULL) starts with
 * its severity.  After DIAG_LIMIT errors further ones are dropped.
 */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H
#include "base/arena.h"
#include "base/source.h"

#include <stdbool.h>

enum { DIAG_LIMIT = 20 };
enum diag_severity { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE };

struct diag {
    enum diag_severity severity;
    struct span span;
    const char *message;
};
struct diags {
    struct arena *arena;
    struct { struct diag *at; int n, cap; } list;
    int errors, warnings;
    bool drop_notes;            /* the last message was dropped, its notes go with it */
};

#define SPAN_NONE ((struct span){0})

void diags_init(struct diags *, struct arena *);
void diags_fini(struct diags *);
void diag_error(struct diags *, struct span, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void diag_warning(struct diags *, struct span, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Belongs to the message before it. */
void diag_note(struct diags *, struct span, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
bool diag_full(const struct diags *);           /* DIAG_LIMIT errors: a pass may give up */
/* One more error at this place would not be shown, since it has one, or since there are too many: nothing is to be looked for to say it well.  Counts
 * as diag_error() does. */
bool diag_said(struct diags *, struct span);
/* All messages as text, in the arena. */
const char *diags_render(const struct diags *);

/* The candidate nearest to a misspelt word by edit distance, kept over several offers. */
struct suggestion {
    const char *word, *best;
    int distance;
};
void suggest_init(struct suggestion *, const char *word);
void suggest_offer(struct suggestion *, const char *candidate);
/* ", did you mean 'best'?" or "" (in the arena): to be put at the end of a message. */
const char *suggest_text(const struct suggestion *, struct arena *);
#endif
