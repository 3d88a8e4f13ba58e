/* SPDX-License-Identifier: GPL-3.0-or-later
 * The log of a run has a row for every value that an event changes: time, event, name, value before and after; one row without a name
 * for an event that changes nothing. */
#include "config.h"
#include "happening.h"
#include "csv.h"
#include "interrupt.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

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

bool happenings_open(struct happenings *h, struct session *s, const char *output)
{
    const struct mbs_model *m = s->model;
    *h = (struct happenings){.s = s};
    if (!m->nevent && !m->ncontact)
        return true;
    h->count = calloc((size_t)(m->nevent + m->ncontact), sizeof *h->count);
    h->params = calloc((size_t)m->np + 1, sizeof *h->params);
    bool log = output && strcmp(output, "-");
    char *path = log ? log_path(output) : NULL;
    bool good = h->count && h->params && (!log || path);
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

static void log_row(struct happenings *h, const struct mbs_happening *what, const char *name, const char *prime, double before, double after)
{
    FILE *f = h->out.f;
    char text[512];
    const struct mbs_model *m = h->s->model;
    snprintf(text, sizeof text, "%s%s%s", what->what ? m->contact[what->contact].name : m->event[what->event].name, what->what ? " " : "",
             what->what ? what->what : "");
    fprintf(f, "%.17g,", what->t);
    csv_write_text(f, text);
    snprintf(text, sizeof text, "%s%s", name, prime);
    putc(',', f);
    csv_write_text(f, text);
    if (*name)
        fprintf(f, ",%.17g,%.17g\r\n", before, after);
    else
        fputs(",,\r\n", f);
}

static int log_changes(struct happenings *h, const struct mbs_happening *what, const struct mbs_name *names, const char *prime, int n, const double *before,
                       const double *after)
{
    int rows = 0;
    for (int i = 0; i < n; i++)
        if (before[i] != after[i]) {
            log_row(h, what, names[i].name, prime, before[i], after[i]);
            rows++;
        }
    return rows;
}

bool happenings_note(struct happenings *h, const struct mbs_happening *what)
{
    struct session *s = h->s;
    const struct mbs_model *m = s->model;
    const struct mbs_state *a = what->before, *b = what->after;
    const char *message = what->event >= 0 ? m->when[what->event].message : NULL;
    if (what->event >= 0)
        h->count[what->event]++;
    else if (what->impulse > 0)
        h->count[m->nevent + what->contact]++;
    memcpy(h->params, s->params, (size_t)m->np * sizeof *h->params);
    session_follow(s);
    if (message && !s->settings->quiet && !m->when[what->event].stop)
        fprintf(stderr, "mbs %s: t = %.9g: %s\n", s->manual->name, what->t, message);
    if (!h->out.f)
        return true;
    int rows = log_changes(h, what, m->coord, "", m->nq, a->q, b->q);
    rows += log_changes(h, what, m->coord, "'", m->nq, a->v, b->v);
    rows += log_changes(h, what, m->state, "", m->nz, a->z, b->z);
    rows += log_changes(h, what, m->param, "", m->np, h->params, s->params);
    if (what->impulse > 0) {
        log_row(h, what, "impulse", "", 0, what->impulse);
        rows++;
    }
    if (!rows)
        log_row(h, what, "", "", 0, 0);
    return out_good(&h->out);
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
    h->count = NULL;
    h->params = NULL;
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
    if (!m->nevent)
        return;
    fputs(",\n  \"events\": {", f);
    for (int k = 0; k < m->nevent; k++) {
        fputs(k ? ", " : "", f);
        json_string(f, m->event[k].name);
        fprintf(f, ": %ld", h->count[k]);
    }
    putc('}', f);
}
