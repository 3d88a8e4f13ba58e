/* SPDX-License-Identifier: GPL-3.0-or-later
 * Columns of a run and the files they go to. */
#include "config.h"
#include "sink.h"
#include "csv.h"
#include "interrupt.h"
#include "session.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void column(struct columns *c, const char *unit, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void column(struct columns *c, const char *unit, const char *fmt, ...)
{
    va_list ap;
    char text[512];
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    c->name[c->n] = strdup(text);
    c->unit[c->n] = strdup(unit);
    c->lost = c->lost || !c->name[c->n] || !c->unit[c->n];
    c->n++;
}

bool columns_init(struct columns *c, const struct mbs_model *m, bool all)
{
    size_t most = (size_t)(3 * m->nq + m->nz + m->nu + m->ny + m->ng + m->nh + 8);
    char unit[128];
    *c = (struct columns){.name = calloc(most, sizeof(char *)), .unit = calloc(most, sizeof(char *))};
    if (!c->name || !c->unit)
        return false;
    column(c, "s", "t");
    for (int i = 0; i < m->nq; i++)
        column(c, m->coord[i].unit, "%s", m->coord[i].name);
    for (int i = 0; i < m->nq; i++) {
        unit_over(unit, sizeof unit, m->coord[i].unit, "s");
        column(c, unit, "%s'", m->coord[i].name);
    }
    for (int i = 0; i < m->nz; i++)
        column(c, m->state[i].unit, "%s", m->state[i].name);
    for (int i = 0; i < m->nu; i++)
        column(c, m->input[i].unit, "%s", m->input[i].name);
    for (int i = 0; i < m->ny; i++)
        column(c, m->output[i].unit, "%s", m->output[i].name);
    column(c, "J", "kinetic");
    column(c, "J", "potential");
    for (int i = 0; all && i < m->nq; i++) {
        unit_over(unit, sizeof unit, m->coord[i].unit, "s^2");
        column(c, unit, "%s''", m->coord[i].name);
    }
    for (int i = 0; all && i < m->ng + m->nh; i++)
        column(c, "", "lambda(%s)", m->constraint[i].name);
    if (all) {
        column(c, "", "violation");
        column(c, "", "violation'");
    }
    return !c->lost;
}

static void derivative(struct columns *c, const struct mbs_name *x, const char *dash, const char *per_second, const struct mbs_name *p)
{
    char unit[300];
    if (!*x->unit && !*per_second)
        snprintf(unit, sizeof unit, *p->unit ? "1/(%.100s)" : "%.100s", p->unit);
    else
        snprintf(unit, sizeof unit, *p->unit ? "(%.80s%.80s)/(%.80s)" : "%.80s%.80s%.80s", *x->unit ? x->unit : "1", per_second, p->unit);
    column(c, unit, "d(%s%s)/d(%s)", x->name, dash, p->name);
}

bool columns_derivatives(struct columns *c, const struct mbs_model *m)
{
    size_t most = (size_t)c->n + (size_t)m->nsensitive * (size_t)(2 * m->nq + m->nz + m->ny) + 1;
    char **name = realloc(c->name, most * sizeof *name), **unit;
    c->name = name ? name : c->name;
    unit = realloc(c->unit, most * sizeof *unit);
    c->unit = unit ? unit : c->unit;
    if (!name || !unit)
        return false;
    for (int k = 0; k < m->nsensitive; k++) {
        const struct mbs_name *p = &m->param[m->sensitive[k]];
        for (int i = 0; i < m->nq; i++)
            derivative(c, &m->coord[i], "", "", p);
        for (int i = 0; i < m->nq; i++)
            derivative(c, &m->coord[i], "'", "/s", p);
        for (int i = 0; i < m->nz; i++)
            derivative(c, &m->state[i], "", "", p);
        for (int i = 0; i < m->ny; i++)
            derivative(c, &m->output[i], "", "", p);
    }
    return !c->lost;
}

void columns_fini(struct columns *c)
{
    for (int i = 0; i < c->n; i++) {
        free(c->name[i]);
        free(c->unit[i]);
    }
    free(c->name);
    free(c->unit);
    *c = (struct columns){0};
}

void columns_fill(double *row, const struct mbs_model *m, bool all, const struct mbs_state *x, const double *y, const double e[2], double position, double velocity)
{
    const struct { const double *from; int n; } block[] = {{&x->t, 1}, {x->q, m->nq}, {x->v, m->nq}, {x->z, m->nz}, {x->u, m->nu}, {y, m->ny}, {e, 2},
                                                           {x->a, all ? m->nq : 0}, {x->lambda, all ? m->ng + m->nh : 0}, {&position, all}, {&velocity, all}};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++) {
        if (block[i].n)
            memcpy(row, block[i].from, (size_t)block[i].n * sizeof *row);
        row += block[i].n;
    }
}

/* What the end of a name says: HDF5, CSV (also for what has no ending: a pipe, a device), or a format that we do not write. */
enum format { CSV, HDF5, OTHER };
static enum format format_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    struct stat st;
    if (!dot || !strcmp(dot, ".csv") || !strcmp(dot, ".txt"))
        return CSV;
    if (!strcmp(dot, ".h5") || !strcmp(dot, ".hdf5"))
        return HDF5;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode) ? CSV : OTHER;
}

bool sink_takes(const char *path, char why[512])
{
    if (format_of(path) != OTHER)
        return true;
    snprintf(why, 512, "cannot write %.400s: a name ends in .csv (or .txt) for CSV, .h5 or .hdf5 for HDF5", path);
    return false;
}

bool sink_open(struct sink *s, const char *path, const struct columns *c, const struct mbs_model *m, long rows)
{
    *s = (struct sink){.columns = c};
    switch (format_of(path)) {
    case HDF5:
        s->hdf5 = hdf5_open(path, c, m, rows, s->why);
        return s->hdf5 != NULL;
    case OTHER:
        return sink_takes(path, s->why);
    case CSV:
        break;
    }
    if (!out_open(&s->out, path)) {
        memcpy(s->why, s->out.why, sizeof s->why);
        return false;
    }
    if (s->out.temp)
        interrupt_cover(s->out.temp);
    for (int i = 0; i < c->n; i++) {
        char text[768];
        snprintf(text, sizeof text, *c->unit[i] ? "%s [%s]" : "%s", c->name[i], c->unit[i]);
        if (i)
            putc(',', s->out.f);
        csv_write_text(s->out.f, text);
    }
    fputs("\r\n", s->out.f);
    return true;
}

bool sink_row(struct sink *s, const double *x)
{
    if (s->hdf5) {
        if (!hdf5_row(s->hdf5, x, s->why))
            return false;
    } else {
        csv_write_row(s->out.f, x, s->columns->n);
        if (!out_good(&s->out)) {
            memcpy(s->why, s->out.why, sizeof s->why);
            return false;
        }
    }
    s->rows++;
    return true;
}

static bool end(struct sink *s, bool keep)
{
    if (s->hdf5) {
        bool good = hdf5_close(s->hdf5, keep, s->why);
        s->hdf5 = NULL;
        return good;
    }
    char *temp = s->out.temp ? strdup(s->out.temp) : NULL;
    bool good = true;
    if (keep)
        good = out_close(&s->out);
    else
        out_discard(&s->out);
    if (!good && !*s->why)
        memcpy(s->why, s->out.why, sizeof s->why);
    if (temp)
        interrupt_uncover(temp);
    free(temp);
    return good;
}
bool sink_close(struct sink *s) { return end(s, true); }
void sink_discard(struct sink *s) { end(s, false); }
