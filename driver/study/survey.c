/* SPDX-License-Identifier: GPL-3.0-or-later
 * Surveys. */
#include "config.h"
#include "study/survey.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 256, SAMPLES_MOST = 1500, SAMPLE_BYTES = 400000 };

int cell_of(double x, double y)
{
    int best = 0;
    double near = INFINITY, v = y * CELLS_UP - 0.5;
    for (int row = (int)floor(v); row <= (int)floor(v) + 1; row++) {
        if (row < 0 || row >= CELLS_UP)
            continue;
        int column = (int)floor(x * (CELLS_ACROSS + 0.5) - (row & 1 ? 0.5 : 0));
        for (int c = column - 1; c <= column + 1; c++) {
            double a, b, d;
            if (c < 0 || c >= CELLS_ACROSS)
                continue;
            cell_middle(row * CELLS_ACROSS + c, &a, &b);
            d = hypot((a - x) * CELLS_ACROSS, (b - y) * CELLS_UP * 0.8660254);
            if (d < near)
                near = d, best = row * CELLS_ACROSS + c;
        }
    }
    return best;
}
void cell_middle(int cell, double *x, double *y)
{
    int row = cell / CELLS_ACROSS, column = cell % CELLS_ACROSS;
    *x = (column + (row & 1 ? 1 : 0.5)) / (CELLS_ACROSS + 0.5);
    *y = (row + 0.5) / CELLS_UP;
}

/* Calls `each` with every record, in order. */
static bool walk(struct survey *v, void (*each)(struct survey *, long record, const double *row))
{
    struct study *s = v->s;
    long records = s->journal.records;
    size_t width = (size_t)study_width(s);
    double *block = malloc(BLOCK * width * sizeof *block);
    bool good = block != NULL;
    for (long at = 0; good && at < records; at += BLOCK) {
        long count = records - at < BLOCK ? records - at : BLOCK;
        good = journal_get(&s->journal, at, count, block);
        for (long i = 0; good && i < count; i++)
            each(v, at + i, block + (size_t)i * width);
    }
    free(block);
    return good;
}

/* ---- the first pass: how they ended, ranges, sums for the correlations ---- */

static void look(struct survey *v, long record, const double *row)
{
    int d = v->s->plan.factors, status = (int)row[0], slot = survey_slot(status);
    if (v->status[slot]++ < SURVEY_NAMED)
        v->named[slot][v->status[slot] - 1] = study_case(&v->s->journal.head, record) + 1;
    if (status != MBS_OK)
        return;
    for (int k = 0; k < d; k++) {
        v->least[k] = fmin(v->least[k], row[1 + k]);
        v->most[k] = fmax(v->most[k], row[1 + k]);
    }
    /* about the first case: sums of squares of what hardly varies would lose their digits */
    if (isnan(v->origin[0]))
        memcpy(v->origin, row, (size_t)study_width(v->s) * sizeof *row);
    for (int j = 0; j < v->measures; j++) {
        double y = row[1 + d + v->measure[j]] - v->origin[1 + d + v->measure[j]];
        for (int k = 0; k < d; k++) {
            double x = row[1 + k] - v->origin[1 + k];
            struct moments *a = &v->moments[(size_t)k * (size_t)v->measures + (size_t)j];
            if (!isfinite(x) || !isfinite(y))
                continue;
            a->n++, a->x += x, a->y += y, a->xx += x * x, a->yy += y * y, a->xy += x * y;
        }
    }
}

static double correlation(const struct moments *m)
{
    double xx = m->xx - m->x * m->x / m->n, yy = m->yy - m->y * m->y / m->n, xy = m->xy - m->x * m->y / m->n;
    return m->n > 2 && xx > 0 && yy > 0 ? fmax(-1, fmin(1, xy / sqrt(xx * yy))) : NAN;
}

/* By the largest index or correlation with a measure that is shown; in the order of the plan where all fit. */
static bool choose_factors(struct survey *v)
{
    int d = v->s->plan.factors;
    bool *taken = calloc((size_t)d + 1, sizeof *taken);
    if (!taken)
        return false;
    v->factors = 0;
    while (v->factors < SURVEY_FACTORS && v->factors < d) {
        int best = -1;
        double most = -1;
        for (int k = 0; k < d; k++) {
            double weight = 0;
            for (int j = 0; j < v->measures; j++) {
                double c = fabs(v->correlation[(size_t)k * (size_t)v->measures + (size_t)j]);
                weight = fmax(weight, isfinite(c) ? c : 0);
            }
            if (!taken[k] && (d <= SURVEY_FACTORS ? best < 0 : weight > most))
                best = k, most = weight;
        }
        taken[best] = true;
        v->factor[v->factors++] = best;
    }
    for (int k = 0; k < d; k++)
        for (int j = 0; j < v->measures && !taken[k]; j++)
            v->rest = fmax(v->rest, fabs(v->correlation[(size_t)k * (size_t)v->measures + (size_t)j]));
    free(taken);
    return true;
}

/* ---- the second pass: histograms, cells, samples ---- */

/* The axis leaves out what is far beyond nearly all: a single failure that ended would hide the rest. */
static void histogram_axis(struct histogram *h, const struct statistics *t)
{
    double wide = t->at[PERCENTILES - 1] - t->at[0];
    h->lo = wide > 0 ? fmax(t->least, t->at[0] - 2 * wide) : t->least;
    h->hi = wide > 0 ? fmin(t->most, t->at[PERCENTILES - 1] + 2 * wide) : t->most;
    double bins = ceil(2 * cbrt((double)t->n) * (h->hi - h->lo) / fmax(2 * (t->at[3] - t->at[1]), 1e-300));   /* Freedman and Diaconis */
    h->bins = (int)fmin(SURVEY_BINS, fmax(bins, 8));
    if (!(h->hi > h->lo)) {
        double pad = fabs(h->lo) > 0 ? 0.1 * fabs(h->lo) : 1;
        h->lo -= pad, h->hi += pad;
        h->bins = 9;
    }
}

static long sample_at(const struct survey *v, long k, long samples)
{
    double part = (double)v->s->journal.records / (double)samples;      /* somewhere in each part: a stride would see one column of a grid only */
    return (long)(((double)k + plan_random(1, (uint64_t)k, 0)) * part);
}

static bool is_extreme(const struct survey *v, long number)
{
    for (int j = 0; j < v->measures; j++)
        if (v->u->of[v->measure[j]].least_case == number || v->u->of[v->measure[j]].most_case == number)
            return true;
    return false;
}

static void keep(struct survey *v, long number, const double *row)
{
    int d = v->s->plan.factors;
    v->number[v->samples] = (double)number;
    memcpy(v->x + (size_t)v->samples * (size_t)d, row + 1, (size_t)d * sizeof *row);
    for (int j = 0; j < v->measures; j++)
        v->y[(size_t)v->samples * (size_t)v->measures + (size_t)j] = row[1 + d + v->measure[j]];
    v->samples++;
}

/* How many cases the page can carry. */
static long samples_wanted(const struct survey *v)
{
    double bytes = 11.0 * v->s->plan.factors + 6.0 * v->measures + 5;
    long most = (long)fmin(SAMPLES_MOST, fmax(100, SAMPLE_BYTES / bytes));
    return v->s->journal.records <= most ? v->s->journal.records : most;
}

static void gather(struct survey *v, long record, const double *row)
{
    int d = v->s->plan.factors;
    long number = study_case(&v->s->journal.head, record) + 1, wanted = samples_wanted(v);
    if (row[0] != MBS_OK)
        return;
    long part = (long)((double)record / (double)v->s->journal.records * (double)wanted);
    if (v->all || sample_at(v, part, wanted) == record || sample_at(v, part + 1, wanted) == record || is_extreme(v, number))
        keep(v, number, row);
    for (int j = 0; j < v->measures; j++) {
        struct histogram *h = &v->of[j];
        double y = row[1 + d + v->measure[j]], at = (y - h->lo) / (h->hi - h->lo);
        if (!isfinite(y))
            continue;
        if (at < 0)
            h->below++;
        else if (at > 1)
            h->above++;
        else
            h->count[at < 1 ? (int)(at * h->bins) : h->bins - 1]++;
        for (int k = 0; k < v->factors && j < SURVEY_ROWS; k++) {
            int f = v->factor[k];
            double x = v->most[f] > v->least[f] ? (row[1 + f] - v->least[f]) / (v->most[f] - v->least[f]) : 0.5;
            if (at >= 0 && at <= 1)
                v->cell[((size_t)j * (size_t)v->factors + (size_t)k) * CELLS_UP * CELLS_ACROSS + (size_t)cell_of(x, at)]++;
        }
    }
}

/* ---- both ---- */

static bool choose_measures(struct survey *v)
{
    const struct measures *m = &v->s->measures;
    v->measure = calloc((size_t)m->count + 1, sizeof *v->measure);
    for (int i = 0; i < m->count && v->measure && v->measures < SURVEY_MEASURES; i++)
        if (m->list[i].kind != MEASURE_CURVE && v->u->of[m->list[i].at].n > 0)
            v->measure[v->measures++] = m->list[i].at;
    return v->measure != NULL;
}

bool survey_init(struct survey *v, struct study *s, const struct summary *u)
{
    *v = (struct survey){.s = s, .u = u};
    size_t d = (size_t)s->plan.factors, width = (size_t)study_width(s);
    if (!choose_measures(v))
        return false;
    size_t n = (size_t)v->measures, cells = n * SURVEY_FACTORS * CELLS_UP * CELLS_ACROSS;
    long most = samples_wanted(v) + 2 * v->measures + 1;
    v->all = samples_wanted(v) == s->journal.records;
    v->factor = calloc(SURVEY_FACTORS, sizeof *v->factor);
    v->least = malloc((2 * d + 1) * sizeof(double));
    v->correlation = calloc(d * n + 1, sizeof(double));
    v->of = calloc(n + 1, sizeof *v->of);
    v->cell = calloc(cells + 1, sizeof *v->cell);
    v->moments = calloc(d * n + 1, sizeof *v->moments);
    v->origin = malloc(width * sizeof(double));
    v->number = malloc((size_t)most * sizeof(double));
    v->x = malloc(((size_t)most * d + 1) * sizeof(double));
    v->y = malloc(((size_t)most * n + 1) * sizeof(double));
    if (!v->factor || !v->least || !v->correlation || !v->of || !v->cell || !v->moments || !v->origin || !v->number || !v->x || !v->y)
        return false;
    v->most = v->least + d;
    for (size_t k = 0; k < d; k++)
        v->least[k] = INFINITY, v->most[k] = -INFINITY;
    v->origin[0] = NAN;
    if (!walk(v, look))
        return false;
    for (size_t i = 0; i < d * n; i++)
        v->correlation[i] = correlation(&v->moments[i]);
    if (!choose_factors(v))
        return false;
    for (int j = 0; j < v->measures; j++)
        histogram_axis(&v->of[j], &u->of[v->measure[j]]);
    return walk(v, gather);
}

void survey_fini(struct survey *v)
{
    free(v->factor);
    free(v->measure);
    free(v->least);
    free(v->correlation);
    free(v->of);
    free(v->cell);
    free(v->moments);
    free(v->origin);
    free(v->number);
    free(v->x);
    free(v->y);
    *v = (struct survey){0};
}
