/* SPDX-License-Identifier: GPL-3.0-or-later
 * Differences entry by entry; see tally.h. */
#include "config.h"
#include "tally.h"
#include "base/out.h"
#include "json.h"
#include "sample.h"
#include "base/arena.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAMED = 12 };            /* wrong entries that are listed one by one */

struct quantity *tally_add(struct tally *t, const char *name, int rows, const struct mbs_name *row, int cols,
                           const struct mbs_name *col)
{
    struct quantity q = {.name = name, .rows = rows, .row = row, .cols = col ? cols : 1, .col = col, .worst = -1};
    size_t n = (size_t)REGIMES * (size_t)rows * (size_t)q.cols;
    q.record = mem_grow(NULL, n, sizeof *q.record);
    memset(q.record, 0, n * sizeof *q.record);
    VEC_PUSH(*t, q);
    return &t->at[t->n - 1];
}

void tally_fini(struct tally *t)
{
    for (int i = 0; i < t->n; i++)
        free(t->at[i].record);
    free(t->at);
    t->at = NULL;
    t->n = t->cap = 0;
}

void tally_take(struct quantity *q, int regime, const double *a, const double *b)
{
    struct entry_record *e = q->record + (size_t)regime * (size_t)q->rows * (size_t)q->cols;
    q->states++;
    for (int j = 0; j < q->cols; j++)
        for (int i = q->lower ? j : 0; i < q->rows; i++) {
            size_t k = (size_t)j * (size_t)q->rows + (size_t)i;
            double d = fabs(a[k] - b[k]);
            if ((isnan(a[k]) && isnan(b[k])) || a[k] == b[k])
                d = 0;          /* outside the domain both say so */
            else if (isnan(d))
                d = HUGE_VAL;
            if (isfinite(a[k]))
                e[k].scale = fmax(e[k].scale, fabs(a[k]));
            if (isfinite(b[k]))
                e[k].scale = fmax(e[k].scale, fabs(b[k]));
            if (d > e[k].difference) {
                e[k].difference = d;
                e[k].a = a[k];
                e[k].b = b[k];
            }
        }
}

void tally_scale(struct quantity *q, int regime, int entry, double magnitude)
{
    struct entry_record *e = &q->record[(size_t)regime * (size_t)q->rows * (size_t)q->cols + (size_t)entry];
    if (isfinite(magnitude))
        e->scale = fmax(e->scale, magnitude);
}

static double relative(const struct entry_record *e)
{
    return e->difference == 0 ? 0 : e->scale > 0 ? e->difference / e->scale : HUGE_VAL;
}

static double limit(const struct tally *t, const struct quantity *q)
{
    return q->tolerance > 0 ? q->tolerance : t->tolerance;
}

/* The regime in which an entry is worst. */
static int worst_regime(const struct quantity *q, int entry)
{
    int n = q->rows * q->cols, worst = 0;
    for (int r = 1; r < REGIMES; r++)
        if (relative(&q->record[r * n + entry]) > relative(&q->record[worst * n + entry]))
            worst = r;
    return worst;
}

bool tally_finish(struct tally *t)
{
    bool good = true;
    for (int i = 0; i < t->n; i++) {
        struct quantity *q = &t->at[i];
        int n = q->rows * q->cols;
        q->absolute = q->relative = 0;
        q->beyond = 0;
        for (int k = 0; k < n; k++) {
            int r = worst_regime(q, k);
            const struct entry_record *e = &q->record[r * n + k];
            for (int s = 0; s < REGIMES; s++)
                q->absolute = fmax(q->absolute, q->record[s * n + k].difference);
            if (relative(e) > q->relative) {
                q->relative = relative(e);
                q->worst = k;
                q->worst_regime = r;
            }
            q->beyond += relative(e) > limit(t, q);
        }
        good = good && !q->beyond;
    }
    return good;
}

void entry_name(const struct quantity *q, int entry, char *out, size_t size)
{
    int i = entry % q->rows, j = entry / q->rows;
    /* "hand_all G" names its entries G[...] */
    const char *space = strrchr(q->name, ' '), *name = space ? space + 1 : q->name;
    if (q->col)
        snprintf(out, size, "%s[%s, %s]", name, q->row[i].name, q->col[j].name);
    else if (q->row)
        snprintf(out, size, "%s[%s]", name, q->row[i].name);
    else if (q->rows > 1)
        snprintf(out, size, "%s[%d]", name, i + 1);
    else
        snprintf(out, size, "%s", name);
}

static int by_size(const void *x, const void *y)
{
    const double *a = x, *b = y;
    return (a[0] < b[0]) - (a[0] > b[0]);
}

static void print_wrong(const struct tally *t, const struct quantity *q, FILE *f)
{
    int n = q->rows * q->cols, count = 0;
    double (*list)[2] = mem_grow(NULL, (size_t)q->beyond, sizeof *list);
    for (int k = 0; k < n; k++) {
        double r = relative(&q->record[worst_regime(q, k) * n + k]);
        if (r > limit(t, q)) {
            list[count][0] = r;
            list[count++][1] = k;
        }
    }
    qsort(list, (size_t)count, sizeof *list, by_size);
    for (int i = 0; i < count && i < NAMED; i++) {
        int k = (int)list[i][1];
        const struct entry_record *e = &q->record[worst_regime(q, k) * n + k];
        char name[256];
        entry_name(q, k, name, sizeof name);
        fprintf(f, "  %s: %s %.17g, %s %.17g\n", name, t->a, e->a, t->b, e->b);
    }
    if (count > NAMED)
        fprintf(f, "  ... and %d more\n", count - NAMED);
    free(list);
}

void tally_print(const struct tally *t, FILE *f)
{
    int wide = 8;
    for (int i = 0; i < t->n; i++)
        wide = (int)strlen(t->at[i].name) > wide ? (int)strlen(t->at[i].name) : wide;
    fprintf(f, "%-*s  %7s  %10s  %10s  %s\n", wide, "quantity", "entries", "difference", "of scale", "worst entry");
    for (int i = 0; i < t->n; i++) {
        const struct quantity *q = &t->at[i];
        char name[256] = "";
        int entries = q->lower ? q->rows * (q->rows + 1) / 2 : q->rows * q->cols;
        if (q->worst >= 0)
            entry_name(q, q->worst, name, sizeof name);
        fprintf(f, "%-*s  %7d  %10.2g  %10.2g  %s%s", wide, q->name, entries, q->absolute, q->relative, name,
                q->beyond ? "" : "\n");
        if (q->beyond)
            fprintf(f, "  WRONG: %d %s beyond %g\n", q->beyond, q->beyond == 1 ? "entry" : "entries", limit(t, q));
    }
    for (int i = 0; i < t->n; i++)
        if (t->at[i].beyond) {
            fprintf(f, "%s, beyond %g of scale:\n", t->at[i].name, limit(t, &t->at[i]));
            print_wrong(t, &t->at[i], f);
        }
}

static void json_value(FILE *f, const char *key, double v)
{
    fprintf(f, ", \"%s\": ", key);
    json_number(f, v);
}

void tally_json(const struct tally *t, FILE *f)
{
    fputs("[", f);
    for (int i = 0; i < t->n; i++) {
        const struct quantity *q = &t->at[i];
        fprintf(f, "%s\n    {\"name\": ", i ? "," : "");
        json_string(f, q->name);
        fprintf(f, ", \"entries\": %d, \"wrong\": %d", q->lower ? q->rows * (q->rows + 1) / 2 : q->rows * q->cols,
                q->beyond);
        json_value(f, "difference", q->absolute);
        json_value(f, "relative", q->relative);
        json_value(f, "tolerance", limit(t, q));
        if (q->worst >= 0) {
            char name[256];
            const struct entry_record *e = &q->record[q->worst_regime * q->rows * q->cols + q->worst];
            entry_name(q, q->worst, name, sizeof name);
            fputs(", \"worst\": ", f);
            json_string(f, name);
            json_value(f, t->a, e->a);
            json_value(f, t->b, e->b);
        }
        fputc('}', f);
    }
    fputs("\n  ]", f);
}
