/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Collecting and rendering messages.  What comes from a file (the source line, names inside a message)
 * is made fit for a terminal: control characters and bytes that are no UTF-8 become '?', and of a very
 * long line only the part around the caret is shown.
 */
#include "base/diag.h"
#include "base/out.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDEST = 160, MESSAGE_LONGEST = 1000 };

void diags_init(struct diags *d, struct arena *arena)
{
    *d = (struct diags){.arena = arena};
}

void diags_fini(struct diags *d)
{
    free(d->list.at);
    d->list.at = NULL;
    d->list.n = d->list.cap = 0;
}

bool diag_full(const struct diags *d)
{
    return d->errors >= DIAG_LIMIT;
}

static void diag_push(struct diags *d, enum diag_severity severity, struct span span, const char *fmt, va_list ap)
{
    char text[MESSAGE_LONGEST];
    vsnprintf(text, sizeof text, fmt, ap);
    VEC_PUSH(d->list, ((struct diag){severity, span, arena_strndup(d->arena, text, strlen(text))}));
}

static bool same_place(struct span a, struct span b) { return a.source == b.source && a.begin == b.begin && a.end == b.end; }

/* The same message at the same place is said once: a vector of three has three equal faults. */
static bool diag_repeats(const struct diags *d, struct span span, const char *fmt, va_list ap)
{
    char text[MESSAGE_LONGEST];
    vsnprintf(text, sizeof text, fmt, ap);
    for (int i = 0; i < d->list.n; i++) {
        const struct diag *e = &d->list.at[i];
        if (e->severity != DIAG_NOTE && same_place(e->span, span) && !strcmp(e->message, text))
            return true;
    }
    return false;
}

bool diag_said(struct diags *d, struct span span)
{
    bool said = false;
    for (int i = 0; i < d->list.n && !said; i++)
        said = d->list.at[i].severity == DIAG_ERROR && same_place(d->list.at[i].span, span);
    if (!said && diag_full(d)) {
        d->errors++;
        said = true;
    }
    d->drop_notes = d->drop_notes || said;
    return said;
}

void diag_error(struct diags *d, struct span span, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    d->drop_notes = diag_repeats(d, span, fmt, ap);
    va_end(ap);
    if (d->drop_notes || (d->drop_notes = ++d->errors > DIAG_LIMIT))
        return;
    va_start(ap, fmt);
    diag_push(d, DIAG_ERROR, span, fmt, ap);
    va_end(ap);
}

void diag_warning(struct diags *d, struct span span, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    d->drop_notes = diag_repeats(d, span, fmt, ap);
    va_end(ap);
    if (d->drop_notes || (d->drop_notes = ++d->warnings > DIAG_LIMIT))
        return;
    va_start(ap, fmt);
    diag_push(d, DIAG_WARNING, span, fmt, ap);
    va_end(ap);
}

void diag_note(struct diags *d, struct span span, const char *fmt, ...)
{
    if (d->drop_notes)
        return;
    va_list ap;
    va_start(ap, fmt);
    diag_push(d, DIAG_NOTE, span, fmt, ap);
    va_end(ap);
}

static void put_clean(FILE *out, const char *text, size_t n)
{
    for (size_t i = 0; i < n;) {
        int k = text[i] == '\t' ? 1 : text_printable(text + i, n - i);
        if (k)
            fwrite(text + i, 1, (size_t)k, out);
        else
            fputc('?', out);
        i += k ? (size_t)k : 1;
    }
}

/* Code points between two offsets: bytes that do not continue a character. */
static int characters(const char *text, unsigned from, unsigned to)
{
    int n = 0;
    for (unsigned i = from; i < to; i++)
        n += ((unsigned char)text[i] & 0xC0) != 0x80;
    return n;
}

/* The line of the span with the caret line below it. */
static void render_excerpt(FILE *out, const struct span *span, const struct place *p)
{
    const char *text = span->source->text;
    unsigned at = span->begin < p->line_end ? span->begin : p->line_end;
    unsigned end = span->end < p->line_end ? span->end : p->line_end;
    unsigned from = p->line_begin, to = p->line_end;
    if (at - from > WIDEST / 2)
        from = at - WIDEST / 2;
    while (from > p->line_begin && ((unsigned char)text[from] & 0xC0) == 0x80)
        from--;
    if (to - from > WIDEST)
        to = from + WIDEST;
    while (to < p->line_end && ((unsigned char)text[to] & 0xC0) == 0x80)
        to++;
    fputs(from > p->line_begin ? "    ..." : "    ", out);
    put_clean(out, text + from, to - from);
    fputs(to < p->line_end ? "...\n    " : "\n    ", out);
    if (from > p->line_begin)
        fputs("   ", out);
    for (unsigned i = from; i < at; i++)
        if (text[i] == '\t')
            fputc('\t', out);
        else if (((unsigned char)text[i] & 0xC0) != 0x80)
            fputc(' ', out);
    fputc('^', out);
    for (int k = characters(text, at, end < to ? end : to); k > 1; k--)
        fputc('~', out);
    fputc('\n', out);
}

static void render_one(FILE *out, const struct diag *e)
{
    static const char *const title[] = {"error", "warning", "note"};
    struct place p = {0};
    if (e->span.source) {
        p = source_place(e->span.source, e->span.begin);
        put_clean(out, e->span.source->path, strlen(e->span.source->path));
        fprintf(out, ":%u:%u: ", p.line, p.column);
    }
    fprintf(out, "%s: ", title[e->severity]);
    put_clean(out, e->message, strlen(e->message));
    fputc('\n', out);
    if (e->span.source && !e->span.source->hidden)
        render_excerpt(out, &e->span, &p);
}

/* Position of a source among those with messages, by first appearance; what has no place comes last. */
static int source_rank(const struct diags *d, const struct source *f)
{
    for (int i = 0; f && i < d->list.n; i++)
        if (d->list.at[i].severity != DIAG_NOTE && d->list.at[i].span.source == f)
            return i;
    return d->list.n;
}

static bool comes_before(const struct diags *d, int a, int b)
{
    const struct span *x = &d->list.at[a].span, *y = &d->list.at[b].span;
    int fx = source_rank(d, x->source), fy = source_rank(d, y->source);
    return fx != fy ? fx < fy : x->source && x->begin < y->begin;
}

/* By place in the text: passes find faults in another order than a reader does. */
const char *diags_render(const struct diags *d)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = stream_open(&text, &size);
    if (!out)
        return "error: out of memory\n";
    struct { int *at; int n, cap; } order = {0};
    for (int i = 0; i < d->list.n; i++) {
        if (d->list.at[i].severity == DIAG_NOTE)
            continue;
        VEC_PUSH(order, i);
        for (int j = order.n - 1; j > 0 && comes_before(d, order.at[j], order.at[j - 1]); j--) {
            int swap = order.at[j];
            order.at[j] = order.at[j - 1];
            order.at[j - 1] = swap;
        }
    }
    for (int k = 0; k < order.n; k++) {
        int i = order.at[k];
        do
            render_one(out, &d->list.at[i]);
        while (++i < d->list.n && d->list.at[i].severity == DIAG_NOTE);
    }
    free(order.at);
    if (diag_full(d))
        fprintf(out, "error: there may be more than these %d errors\n", DIAG_LIMIT);
    const char *kept = stream_close(out) ? arena_strndup(d->arena, text, size) : "error: out of memory\n";
    free(text);
    return kept;
}

/* --- did you mean ---------------------------------------------------------------------------------- */

enum { LONGEST = 40 };      /* longer words are not compared */

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Optimal string alignment distance: insert, delete, replace, swap neighbours; a change of case alone
 * counts nothing beyond 1. */
static int edit_distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    if (n > LONGEST || m > LONGEST)
        return LONGEST;
    int row[3][LONGEST + 1];
    for (size_t j = 0; j <= m; j++)
        row[0][j] = (int)j;
    for (size_t i = 1; i <= n; i++) {
        int *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = (int)i;
        for (size_t j = 1; j <= m; j++) {
            now[j] = least(least(now[j - 1], last[j]) + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least(now[j], before[j - 2] + 1);
        }
    }
    return row[n % 3][m];
}

void suggest_init(struct suggestion *s, const char *word)
{
    *s = (struct suggestion){.word = word, .distance = LONGEST};
}

void suggest_offer(struct suggestion *s, const char *candidate)
{
    int length = (int)strlen(s->word), other = (int)strlen(candidate);
    if (length > other + 1 + length / 3 || other > length + 1 + length / 3)     /* too far, by their lengths alone */
        return;
    int d = edit_distance(s->word, candidate);
    bool same_letters = length == other;
    for (int i = 0; same_letters && s->word[i]; i++)
        same_letters = (s->word[i] | 32) == (candidate[i] | 32);
    if (same_letters && d > 1)
        d = 1;
    /* Of a word of n letters at most a third may differ, and not all of a short one. */
    int most = length <= 1 ? (same_letters ? 1 : 0) : length <= 4 ? 1 : length / 3;
    if (d <= most && d < s->distance && d > 0) {
        s->best = candidate;
        s->distance = d;
    }
}

const char *suggest_text(const struct suggestion *s, struct arena *arena)
{
    return s->best ? arena_printf(arena, ", did you mean '%s'?", s->best) : "";
}
