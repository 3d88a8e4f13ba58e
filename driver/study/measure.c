/* SPDX-License-Identifier: GPL-3.0-or-later
 * Measures.  Extremes, means and integrals are those of the rows that `mbs run --every` would write, joined by straight lines. */
#include "config.h"
#include "study/measure.h"

#include "base/diag.h"
#include "row.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_name[MEASURES] = {"end", "start", "min", "max", "peak", "mean", "rms", "integral", "curve"};
enum { CURVE_MOST = 100000 };

static bool refuse(struct measures *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static bool refuse(struct measures *m, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(m->why, sizeof m->why, fmt, ap);
    va_end(ap);
    return false;
}

static int column_find(const struct measures *m, const char *name, size_t length)
{
    for (int i = 0; i < m->columns.n; i++)
        if (strlen(m->columns.name[i]) == length && !strncmp(m->columns.name[i], name, length))
            return i;
    return -1;
}

static bool no_column(struct measures *m, const char *name, size_t length)
{
    struct arena arena = {0};
    struct suggestion near;
    char *word = arena_strndup(&arena, name, length);
    suggest_init(&near, word);
    for (int i = 0; i < m->columns.n; i++)
        suggest_offer(&near, m->columns.name[i]);
    refuse(m, "a run of this model has no column '%.100s'%s (coordinates, velocities x', accelerations x'', lambda(...), outputs, kinetic, potential)", word,
           suggest_text(&near, &arena));
    arena_free(&arena);
    return false;
}

/* KIND(COLUMN) or COLUMN; names of columns may have parentheses themselves. */
static bool request_read(struct measures *m, const char *text, struct measure *x)
{
    size_t whole = strlen(text), head = strcspn(text, "(");
    *x = (struct measure){.kind = MEASURE_END, .column = column_find(m, text, whole), .n = 1};
    if (x->column >= 0)
        return true;
    for (int k = 0; k < MEASURES && text[head] && text[whole - 1] == ')'; k++)
        if (strlen(kind_name[k]) == head && !strncmp(text, kind_name[k], head)) {
            x->kind = (enum measure_kind)k;
            x->column = column_find(m, text + head + 1, whole - head - 2);
            return x->column >= 0 || no_column(m, text + head + 1, whole - head - 2);
        }
    if (text[head] && text[whole - 1] == ')')
        return refuse(m, "--measure %.100s: a run is measured by end, start, min, max, peak (largest absolute value), mean, rms, integral or curve", text);
    return no_column(m, text, whole);
}

static bool label(struct measures *m, const char *unit, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static bool label(struct measures *m, const char *unit, const char *fmt, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    m->name[m->width] = strdup(text);
    m->unit[m->width] = strdup(unit);
    m->width++;
    return (m->name[m->width - 1] && m->unit[m->width - 1]) || refuse(m, "out of memory");
}

static bool place(struct measures *m, struct measure *x)
{
    const char *name = m->columns.name[x->column], *unit = m->columns.unit[x->column];
    char product[160];
    x->n = x->kind == MEASURE_CURVE ? m->samples : 1;
    x->at = m->width;
    size_t most = (size_t)(m->width + x->n);
    char **names = realloc(m->name, most * sizeof *names), **units;
    m->name = names ? names : m->name;
    units = realloc(m->unit, most * sizeof *units);
    m->unit = units ? units : m->unit;
    if (!names || !units)
        return refuse(m, "out of memory");
    m->rows = m->rows || (x->kind != MEASURE_END && x->kind != MEASURE_START);
    m->energies = m->energies || !strcmp(name, "kinetic") || !strcmp(name, "potential");
    m->violations = m->violations || !strncmp(name, "violation", 9);
    if (x->kind == MEASURE_CURVE) {
        for (int i = 0; i < x->n; i++)
            if (!label(m, unit, "%s(t = %g)", name, m->times[i]))
                return false;
        return true;
    }
    snprintf(product, sizeof product, strpbrk(unit, "/ ") ? "(%s)*s" : *unit ? "%s*s" : "s", unit);
    return label(m, x->kind == MEASURE_INTEGRAL ? product : unit, "%s(%s)", kind_name[x->kind], name);
}

static bool sample_times(struct measures *m)
{
    double span = m->to - m->from, count = m->every > 0 ? ceil(fabs(span) / m->every * (1 - 1e-12)) : 0;
    if (!(count >= 1 && count <= CURVE_MOST))
        return refuse(m, "%.3g rows are too many for a study (%d): --every gives fewer", count + 1, CURVE_MOST);
    m->samples = (int)count + 1;
    if (!(m->times = malloc((size_t)m->samples * sizeof *m->times)))
        return refuse(m, "out of memory");
    for (int i = 0; i < m->samples; i++)
        m->times[i] = i == m->samples - 1 ? m->to : m->from + (span < 0 ? -1 : 1) * i * m->every;
    return true;
}

static bool default_list(struct measures *m, const struct session *s)
{
    int n = s->model->ny ? s->model->ny : s->model->nq, first = s->model->ny ? 1 + 2 * s->model->nq + s->model->nz + s->model->nu : 1;
    if (!(m->list = calloc((size_t)n + 1, sizeof *m->list)))
        return refuse(m, "out of memory");
    for (m->count = 0; m->count < n; m->count++)
        m->list[m->count] = (struct measure){.kind = MEASURE_END, .column = first + m->count, .n = 1};
    return true;
}

bool measures_init(struct measures *m, const struct session *s, const char *const *request, int n)
{
    *m = (struct measures){.from = s->from, .to = s->to, .every = s->every};
    if (!columns_init(&m->columns, s->model, true))
        return refuse(m, "out of memory");
    if (n && !(m->list = calloc((size_t)n, sizeof *m->list)))
        return refuse(m, "out of memory");
    for (m->count = 0; m->count < n; m->count++)
        if (!request_read(m, request[m->count], &m->list[m->count]))
            return false;
    if ((!n && !default_list(m, s)) || !sample_times(m))
        return false;
    for (int i = 0; i < m->count; i++)
        if (!place(m, &m->list[i]))
            return false;
    return true;
}

void measures_fini(struct measures *m)
{
    for (int i = 0; i < m->width; i++) {
        free(m->name[i]);
        free(m->unit[i]);
    }
    free(m->name);
    free(m->unit);
    free(m->list);
    free(m->times);
    columns_fini(&m->columns);
    *m = (struct measures){0};
}

/* ---- one run ---- */

bool measuring_init(struct measuring *r, const struct measures *m, const struct mbs_model *model)
{
    *r = (struct measuring){.m = m, .model = model,
                            .w = calloc((size_t)model->nw + 1, sizeof(double)),
                            .row = calloc((size_t)m->columns.n + 1, sizeof(double)),
                            .last = calloc((size_t)m->columns.n + 1, sizeof(double)),
                            .G = calloc((size_t)model->G.nnz + (size_t)model->ng + 1, sizeof(double)),
                            .gt = calloc((size_t)(model->ng + model->nh) + 1, sizeof(double))};
    return r->w && r->row && r->last && r->G && r->gt;
}
void measuring_fini(struct measuring *r)
{
    free(r->w);
    free(r->row);
    free(r->last);
    free(r->G);
    free(r->gt);
    *r = (struct measuring){0};
}

void measuring_begin(struct measuring *r, const double *c, double *value)
{
    r->c = c;
    r->value = value;
    r->rows = 0;
    for (int i = 0; i < r->m->width; i++)
        value[i] = NAN;
}

static void take(const struct measuring *r, const struct measure *x)
{
    double *v = &r->value[x->at], now = r->row[x->column], last = r->last[x->column], dt = fabs(r->row[0] - r->last[0]);
    bool first = r->rows == 0;
    switch (x->kind) {
    case MEASURE_END:
        *v = now;
        return;
    case MEASURE_START:
        *v = first ? now : *v;
        return;
    case MEASURE_MIN:
        *v = first ? now : fmin(*v, now);
        return;
    case MEASURE_MAX:
        *v = first ? now : fmax(*v, now);
        return;
    case MEASURE_PEAK:
        *v = first ? fabs(now) : fmax(*v, fabs(now));
        return;
    case MEASURE_MEAN:
    case MEASURE_INTEGRAL:
        *v = first ? 0 : *v + dt * (now + last) / 2;
        return;
    case MEASURE_RMS:           /* of a straight line between two rows */
        *v = first ? 0 : *v + dt * (now * now + now * last + last * last) / 3;
        return;
    case MEASURE_CURVE:
        if (r->rows < x->n)
            v[r->rows] = now;
        return;
    case MEASURES:
        return;
    }
}

void measuring_row(struct measuring *r, const struct mbs_state *x, const double *y)
{
    double e[2] = {0, 0}, position = 0, velocity = 0, *other = r->last;
    if (r->m->energies)
        r->model->energy(r->c, x, e, r->w);
    if (r->m->violations)
        model_violation(r->model, r->c, x, r->G, r->gt, r->w, &position, &velocity);
    r->last = r->row;
    r->row = other;
    columns_fill(r->row, r->model, true, x, y, e, position, velocity);
    for (int i = 0; i < r->m->count; i++)
        take(r, &r->m->list[i]);
    r->rows++;
}

void measuring_end(struct measuring *r)
{
    double span = fabs(r->row[0] - r->m->from);
    for (int i = 0; i < r->m->count; i++) {
        double *v = &r->value[r->m->list[i].at];
        if (r->m->list[i].kind == MEASURE_MEAN)
            *v /= span;
        if (r->m->list[i].kind == MEASURE_RMS)
            *v = sqrt(*v / span);
    }
}
