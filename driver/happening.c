/* SPDX-License-Identifier: GPL-3.0-or-later
 * The log of a run has a row for every value that an event changes: time, event, name, value before and after; one row without a name
 * for an event that changes nothing.  As CSV it is written while the run goes on; for JSON, HDF5 and the page it is kept. */
#include "config.h"
#include "happening.h"
#include "csv.h"
#include "interrupt.h"
#include "json.h"
#include "sink.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 512 };            /* bytes of a name */

/* results.csv -> results.events.csv */
static char *log_path(const char *output)
{
    const char *slash = strrchr(output, '/'), *dot = strrchr(slash ? slash : output, '.');
    size_t stem = dot ? (size_t)(dot - output) : strlen(output);
    char *path = malloc(stem + sizeof ".events.csv");
    if (path) {
        memcpy(path, output, stem);
        strcpy(path + stem, ".events.csv");
    }
    return path;
}

static bool is_hdf5(const char *output)
{
    const char *dot = output ? strrchr(output, '.') : NULL;
    return dot && (!strcmp(dot, ".h5") || !strcmp(dot, ".hdf5"));
}

bool happenings_open(struct happenings *h, struct session *s, const char *output, bool keep)
{
    const struct mbs_model *m = s->model;
    *h = (struct happenings){.s = s};
    if (!m->nevent && !m->ncontact)
        return true;
    h->count = calloc((size_t)(m->nevent + m->ncontact), sizeof *h->count);
    h->params = calloc((size_t)m->np + 1, sizeof *h->params);
    h->xyz = calloc(3 * (size_t)m->npoint + 1, sizeof *h->xyz);
    h->keep = keep || is_hdf5(output);
    bool log = output && strcmp(output, "-") && !is_hdf5(output);
    char *path = log ? log_path(output) : NULL;
    bool good = h->count && h->params && h->xyz && (!log || path);
    if (!good)
        snprintf(h->out.why, sizeof h->out.why, "out of memory");
    else if (log && (good = out_open(&h->out, path))) {
        if (h->out.temp)
            interrupt_cover(h->out.temp);
        fputs("t [s],event,name,before,after\r\n", h->out.f);
    }
    free(path);
    return good;
}

/* --- in memory ----------------------------------------------------------------------------------------------------- */

static void *more(void *at, long n, long *cap, size_t size)
{
    if (n < *cap)
        return at;
    long next = *cap ? 2 * *cap : 64;
    void *grown = realloc(at, (size_t)next * size);
    if (grown)
        *cap = next;
    return grown;
}

static bool keep_change(struct happenings *h, const struct changed *c)
{
    struct changed *grown = more(h->change, h->changes, &h->changes_cap, sizeof *grown);
    if (!grown)
        return false;
    h->change = grown;
    h->change[h->changes++] = *c;
    h->list[h->n - 1].n++;
    return true;
}

/* Where the contact touches: the point of the spot that has its name. */
static void place_of(struct happenings *h, const struct mbs_happening *what, double at[3])
{
    const struct mbs_model *m = h->s->model;
    at[0] = at[1] = at[2] = NAN;
    for (int i = 0; what->contact >= 0 && i < m->nshape; i++)
        if (m->shape[i].kind == MBS_SHAPE_SPOT && !strcmp(m->shape[i].name, m->contact[what->contact].name)) {
            struct mbs_state x = *what->before;
            x.t = what->t;
            m->points(h->s->c, &x, h->xyz, h->s->w);
            memcpy(at, h->xyz + 3 * m->shape[i].first, 3 * sizeof *at);
            return;
        }
}

static bool keep_begin(struct happenings *h, const struct mbs_happening *what)
{
    struct happened *grown = more(h->list, h->n, &h->cap, sizeof *grown);
    if (!grown)
        return false;
    h->list = grown;
    struct happened *to = &h->list[h->n++];
    *to = (struct happened){.t = what->t, .impulse = what->impulse, .event = what->event, .contact = what->contact, .what = what->what, .first = h->changes};
    place_of(h, what, to->at);
    return true;
}

/* --- one event ----------------------------------------------------------------------------------------------------- */

void happened_text(const struct mbs_model *m, const struct happened *what, char *text, size_t size)
{
    snprintf(text, size, "%s%s%s", what->what ? m->contact[what->contact].name : m->event[what->event].name, what->what ? " " : "",
             what->what ? what->what : "");
}

static void log_row(struct happenings *h, const struct mbs_happening *what, const struct changed *c)
{
    FILE *f = h->out.f;
    char text[TEXT];
    happened_text(h->s->model, &(struct happened){.event = what->event, .contact = what->contact, .what = what->what}, text, sizeof text);
    fprintf(f, "%.17g,", what->t);
    csv_write_text(f, text);
    snprintf(text, sizeof text, "%s%s", c ? c->name : "", c ? c->prime : "");
    putc(',', f);
    csv_write_text(f, text);
    if (c)
        fprintf(f, ",%.17g,%.17g\r\n", c->before, c->after);
    else
        fputs(",,\r\n", f);
}

/* In the file and in memory, as far as they are wanted. */
static bool note(struct happenings *h, const struct mbs_happening *what, const struct changed *c)
{
    if (h->out.f)
        log_row(h, what, c);
    return !h->keep || !c || keep_change(h, c);
}

static bool note_changes(struct happenings *h, const struct mbs_happening *what, const struct mbs_name *names, const char *prime, int n, const double *before,
                         const double *after, long *rows)
{
    bool good = true;
    for (int i = 0; i < n; i++)
        if (before[i] != after[i]) {
            good &= note(h, what, &(struct changed){names[i].name, prime, before[i], after[i]});
            ++*rows;
        }
    return good;
}

bool happenings_note(struct happenings *h, const struct mbs_happening *what)
{
    struct session *s = h->s;
    const struct mbs_model *m = s->model;
    const struct mbs_state *a = what->before, *b = what->after;
    const char *message = what->event >= 0 ? m->when[what->event].message : NULL;
    long rows = 0;
    if (what->event >= 0)
        h->count[what->event]++;
    else if (what->impulse > 0)
        h->count[m->nevent + what->contact]++;
    memcpy(h->params, s->params, (size_t)m->np * sizeof *h->params);
    bool good = !h->keep || keep_begin(h, what);
    session_follow(s);
    if (message && !s->settings->quiet && !m->when[what->event].stop)
        fprintf(stderr, "mbs %s: t = %.9g: %s\n", s->manual->name, what->t, message);
    if (!good || (!h->out.f && !h->keep))
        return good;
    good = note_changes(h, what, m->coord, "", m->nq, a->q, b->q, &rows) && note_changes(h, what, m->coord, "'", m->nq, a->v, b->v, &rows) &&
           note_changes(h, what, m->state, "", m->nz, a->z, b->z, &rows) && note_changes(h, what, m->param, "", m->np, h->params, s->params, &rows);
    if (what->impulse > 0) {
        good = note(h, what, &(struct changed){"impulse", "", 0, what->impulse}) && good;
        rows++;
    }
    if (!rows)
        note(h, what, NULL);
    return good && (!h->out.f || out_good(&h->out));
}

bool happenings_hdf5(const struct happenings *h, struct sink *sink)
{
    enum { T, BEFORE, AFTER, NUMBERS };
    long rows = 0, r = 0;
    for (long i = 0; i < h->n; i++)
        rows += h->list[i].n ? h->list[i].n : 1;
    if (!sink || !sink->hdf5 || !h->count)
        return true;
    double *number = malloc((NUMBERS * (size_t)rows + 1) * sizeof *number);
    char *text = malloc((size_t)rows * 2 * TEXT + 1);
    const char **at = malloc((2 * (size_t)rows + 1) * sizeof *at);
    bool good = number && text && at;
    for (long i = 0; good && i < h->n; i++)
        for (long k = 0; k < (h->list[i].n ? h->list[i].n : 1); k++, r++) {
            const struct changed *c = h->list[i].n ? &h->change[h->list[i].first + k] : NULL;
            char *event = text + 2 * TEXT * r, *name = event + TEXT;
            happened_text(h->s->model, &h->list[i], event, TEXT);
            snprintf(name, TEXT, "%s%s", c ? c->name : "", c ? c->prime : "");
            at[r] = event;
            at[rows + r] = name;
            number[T * rows + r] = h->list[i].t;
            number[BEFORE * rows + r] = c ? c->before : NAN;
            number[AFTER * rows + r] = c ? c->after : NAN;
        }
    const struct hdf5_column column[] = {{"t", number, NULL}, {"event", NULL, at}, {"name", NULL, at ? at + rows : NULL},
                                         {"before", number ? number + BEFORE * rows : NULL, NULL}, {"after", number ? number + AFTER * rows : NULL, NULL}};
    if (good)
        good = hdf5_group(sink->hdf5, "events", column, (int)(sizeof column / sizeof *column), rows, sink->why);
    else
        snprintf(sink->why, sizeof sink->why, "out of memory");
    free(number);
    free(text);
    free(at);
    return good;
}

bool happenings_close(struct happenings *h)
{
    bool good = !h->out.f || out_close(&h->out);
    h->out.f = NULL;
    return good;
}

void happenings_fini(struct happenings *h)
{
    if (h->out.f)
        out_discard(&h->out);
    free(h->count);
    free(h->params);
    free(h->xyz);
    free(h->list);
    free(h->change);
    h->count = NULL;
    h->params = h->xyz = NULL;
    h->list = NULL;
    h->change = NULL;
    h->out.f = NULL;
}

static bool has_impacts(const struct mbs_model *m, int contact)
{
    return m->pair[contact].kind != MBS_CONTACT_FRICTION && m->pair[contact].kind != MBS_CONTACT_BODY;
}

void happenings_print(FILE *f, const struct happenings *h)
{
    const struct mbs_model *m = h->s->model;
    for (int k = 0; k < m->nevent; k++)
        fprintf(f, "  %-13s %s: %ld time%s\n", k ? "" : "events", m->event[k].name, h->count[k], h->count[k] == 1 ? "" : "s");
    int quiet = 0, said = 0;    /* a robot has dozens of stops, most of which it never meets */
    for (int k = 0; k < m->ncontact; k++)
        if (has_impacts(m, k) && h->count[m->nevent + k] == 0)
            quiet++;
        else if (has_impacts(m, k))
            fprintf(f, "  %-13s %s: %ld impact%s\n", said++ ? "" : "contacts", m->contact[k].name, h->count[m->nevent + k], h->count[m->nevent + k] == 1 ? "" : "s");
    if (quiet)
        fprintf(f, "  %-13s %s%d without impact\n", said ? "" : "contacts", said ? "and " : "", quiet);
}

/* The rows of the log as objects. */
static void json_log(FILE *f, const struct happenings *h)
{
    char text[TEXT];
    fputs(",\n  \"log\": [", f);
    for (long i = 0; i < h->n; i++) {
        const struct happened *x = &h->list[i];
        for (long k = 0; k < (x->n ? x->n : 1); k++) {
            const struct changed *c = x->n ? &h->change[x->first + k] : NULL;
            happened_text(h->s->model, x, text, sizeof text);
            fputs(i || k ? ",\n    {\"t\": " : "\n    {\"t\": ", f);
            json_number(f, x->t);
            fputs(", \"event\": ", f);
            json_string(f, text);
            if (c) {
                snprintf(text, sizeof text, "%s%s", c->name, c->prime);
                fputs(", \"name\": ", f);
                json_string(f, text);
                fputs(", \"before\": ", f);
                json_number(f, c->before);
                fputs(", \"after\": ", f);
                json_number(f, c->after);
            }
            putc('}', f);
        }
    }
    fputs(h->n ? "\n  ]" : "]", f);
}

void happenings_json(FILE *f, const struct happenings *h)
{
    const struct mbs_model *m = h->s->model;
    if (m->ncontact) {
        fputs(",\n  \"impacts\": {", f);
        for (int k = 0; k < m->ncontact; k++) {
            fputs(k ? ", " : "", f);
            json_string(f, m->contact[k].name);
            fprintf(f, ": %ld", h->count[m->nevent + k]);
        }
        putc('}', f);
    }
    if (m->nevent) {
        fputs(",\n  \"events\": {", f);
        for (int k = 0; k < m->nevent; k++) {
            fputs(k ? ", " : "", f);
            json_string(f, m->event[k].name);
            fprintf(f, ": %ld", h->count[k]);
        }
        putc('}', f);
    }
    if (h->keep && (m->nevent || m->ncontact))
        json_log(f, h);
}
