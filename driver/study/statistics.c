/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Statistics of a study, from its journal: as many measures at a time as fit into memory.
 *
 * Sobol's indices: the part of the variance that a factor brings alone (first) and with all others (total), by the estimators
 * of Saltelli et al. (Comput. Phys. Commun. 181 (2010) 259, table 2): S_k = mean(f_B (f_ABk - f_A))/V, T_k = mean((f_A - f_ABk)^2)/(2 V).
 * Both are quotients of means over the points, S = mean(a)/mean(v), whose standard error is that of mean(a - S v)/V, to first order. */
#include "config.h"
#include "study/statistics.h"
#include "json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const double percentile[PERCENTILES] = {5, 25, 50, 75, 95};
enum { MEMORY = 1 << 28, BLOCK = 256 };

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Measures first .. first + n - 1 of all cases, measure by measure; NaN where a run failed or is doubtful. */
static bool columns_read(struct study *s, int first, int n, double *x, double *block)
{
    long records = s->journal.records;
    int width = study_width(s), offset = 1 + s->plan.factors + first;
    for (long at = 0; at < records; at += BLOCK) {
        long count = records - at < BLOCK ? records - at : BLOCK;
        if (!journal_get(&s->journal, at, count, block))
            return false;
        for (long i = 0; i < count; i++) {
            const double *record = block + (size_t)i * (size_t)width;
            for (int k = 0; k < n; k++)
                x[(size_t)k * (size_t)records + (size_t)(at + i)] = record[0] == MBS_OK ? record[offset + k] : NAN;
        }
    }
    return true;
}

/* Between the neighbours, as most programs do (definition 7 of Hyndman and Fan, 1996). */
static double quantile(const double *x, long n, double percent)
{
    double at = percent / 100 * (double)(n - 1);
    long k = (long)at;
    return k + 1 < n ? x[k] + (at - (double)k) * (x[k + 1] - x[k]) : x[n - 1];
}

/* x is sorted here. */
static void statistics_of(struct statistics *t, const struct study *s, double *x, long records)
{
    double mean = 0, squares = 0;
    *t = (struct statistics){.least = NAN, .most = NAN, .mean = NAN, .deviation = NAN};
    for (long i = 0; i < records; i++) {
        if (!isfinite(x[i]))
            continue;
        double d = x[i] - mean;         /* Welford */
        t->n++;
        mean += d / (double)t->n;
        squares += d * (x[i] - mean);
        if (!(x[i] >= t->least))
            t->least = x[i], t->least_case = study_case(&s->journal.head, i) + 1;
        if (!(x[i] <= t->most))
            t->most = x[i], t->most_case = study_case(&s->journal.head, i) + 1;
        x[t->n - 1] = x[i];
    }
    for (int k = 0; k < PERCENTILES; k++)
        t->at[k] = NAN;
    if (!t->n)
        return;
    t->mean = mean;
    t->deviation = t->n > 1 ? sqrt(squares / (double)(t->n - 1)) : NAN;
    qsort(x, (size_t)t->n, sizeof *x, ascending);
    for (int k = 0; k < PERCENTILES; k++)
        t->at[k] = quantile(x, t->n, percentile[k]);
}

/* The indices of one measure; points in which a run failed or is doubtful are left out. */
static long indices_of(const struct study *s, const double *f, double *first, double *total, double *first_error, double *total_error)
{
    int d = s->plan.factors;
    long points = s->journal.records / (d + 2), used = 0;
    double mean = 0, variance = 0;
    memset(first, 0, (size_t)d * sizeof *first);
    memset(total, 0, (size_t)d * sizeof *total);
    memset(first_error, 0, (size_t)d * sizeof *first_error);
    memset(total_error, 0, (size_t)d * sizeof *total_error);
    for (int pass = 0; pass < 3; pass++) {
        used = 0;
        for (long i = 0; i < points; i++) {
            const double *at = f + i * (d + 2);
            bool whole = true;
            for (int k = 0; k < d + 2; k++)
                whole = whole && isfinite(at[k]);
            if (!whole)
                continue;
            used++;
            if (pass == 0) {
                mean += at[0] + at[1];
                continue;
            }
            double own = ((at[0] - mean) * (at[0] - mean) + (at[1] - mean) * (at[1] - mean)) / 2;
            for (int k = 0; k < d; k++) {
                double a = (at[1] - mean) * (at[k + 2] - at[0]), b = (at[0] - at[k + 2]) * (at[0] - at[k + 2]) / 2;
                if (pass == 1) {
                    first[k] += a;
                    total[k] += b;
                } else {
                    first_error[k] += (a - first[k] * own) * (a - first[k] * own);
                    total_error[k] += (b - total[k] * own) * (b - total[k] * own);
                }
            }
            if (pass == 1)
                variance += own;
        }
        if (pass == 0)
            mean /= 2 * (double)used;
        for (int k = 0; k < d && pass == 1; k++) {
            first[k] /= variance;
            total[k] /= variance;
        }
    }
    for (int k = 0; k < d; k++) {
        first_error[k] = sqrt(first_error[k]) / variance;
        total_error[k] = sqrt(total_error[k]) / variance;
    }
    return used;
}

static bool troubles_count(struct summary *u, struct study *s, double *block)
{
    int width = study_width(s);
    u->cases = s->journal.records;
    for (long at = 0; at < u->cases; at += BLOCK) {
        long count = u->cases - at < BLOCK ? u->cases - at : BLOCK;
        if (!journal_get(&s->journal, at, count, block))
            return false;
        for (long i = 0; i < count; i++) {
            int status = (int)block[(size_t)i * (size_t)width];
            if (status == MBS_DOUBTFUL && u->doubtful++ < LISTED)
                u->doubtful_case[u->doubtful - 1] = study_case(&s->journal.head, at + i) + 1;
            u->failed += status != MBS_OK && status != MBS_DOUBTFUL;
        }
    }
    return true;
}

bool summary_init(struct summary *u, struct study *s)
{
    int width = s->measures.width, d = s->plan.factors;
    size_t records = (size_t)s->journal.records;
    bool indices = s->plan.sampling == SAMPLING_INDICES && s->journal.head.shards == 1;
    double room = (double)MEMORY / (double)sizeof(double) / (double)(records + 1);
    int group = room < 1 ? 1 : room > width ? width : (int)room;
    *u = (struct summary){.of = calloc((size_t)width + 1, sizeof *u->of)};
    double *x = malloc(((size_t)group * records + 1) * sizeof *x), *block = malloc((size_t)BLOCK * (size_t)study_width(s) * sizeof *block);
    if (indices) {
        u->first = calloc((size_t)width * (size_t)d + 1, sizeof(double));
        u->total = calloc((size_t)width * (size_t)d + 1, sizeof(double));
        u->first_error = calloc((size_t)width * (size_t)d + 1, sizeof(double));
        u->total_error = calloc((size_t)width * (size_t)d + 1, sizeof(double));
    }
    bool good = u->of && x && block && (!indices || (u->first && u->total && u->first_error && u->total_error));
    if (!good)
        snprintf(s->journal.why, sizeof s->journal.why, "out of memory");
    good = good && troubles_count(u, s, block);
    for (int at = 0; good && at < width; at += group) {
        int n = width - at < group ? width - at : group;
        good = columns_read(s, at, n, x, block);
        for (int k = 0; good && k < n; k++) {
            size_t row = (size_t)(at + k) * (size_t)d;
            if (indices)
                u->points = indices_of(s, x + (size_t)k * records, u->first + row, u->total + row, u->first_error + row, u->total_error + row);
            statistics_of(&u->of[at + k], s, x + (size_t)k * records, (long)records);
        }
    }
    free(x);
    free(block);
    if (!good)
        memcpy(u->why, s->journal.why, sizeof u->why);
    return good;
}

void summary_fini(struct summary *u)
{
    free(u->of);
    free(u->first);
    free(u->total);
    free(u->first_error);
    free(u->total_error);
    *u = (struct summary){0};
}

/* ---- in words ---- */

enum { SHOWN = 24 };            /* measures; curves have many */

static void print_indices(FILE *f, const struct summary *u, const struct study *s)
{
    int d = s->plan.factors;
    fprintf(f, "\n  parts of the variance, of a factor alone and with all others, with standard errors (%ld points)\n", u->points);
    for (int i = 0; i < s->measures.width && i < SHOWN; i++) {
        fprintf(f, "  %s\n", s->measures.name[i]);
        for (int k = 0; k < d; k++)
            fprintf(f, "    %-20s %8.4f +- %-8.2g %8.4f +- %.2g\n", s->plan.factor[k].name, u->first[i * d + k], u->first_error[i * d + k], u->total[i * d + k], u->total_error[i * d + k]);
    }
}

void summary_print(FILE *f, const struct summary *u, const struct study *s)
{
    int longest = 8;
    for (int i = 0; i < s->measures.width && i < SHOWN; i++) {
        int n = (int)(strlen(s->measures.name[i]) + strlen(s->measures.unit[i])) + 3;
        longest = n > longest ? n : longest;
    }
    fprintf(f, "  %-*s %11s %11s %11s %11s %11s   %s\n", longest, "", "mean", "deviation", "5 %", "median", "95 %", "least (case) .. most (case)");
    for (int i = 0; i < s->measures.width && i < SHOWN; i++) {
        const struct statistics *t = &u->of[i];
        char name[600];
        snprintf(name, sizeof name, *s->measures.unit[i] ? "%.400s [%.150s]" : "%s", s->measures.name[i], s->measures.unit[i]);
        fprintf(f, "  %-*s %11.5g %11.5g %11.5g %11.5g %11.5g   %.5g (%ld) .. %.5g (%ld)\n", longest, name, t->mean, t->deviation, t->at[0], t->at[2], t->at[4],
                t->least, t->least_case, t->most, t->most_case);
    }
    if (s->measures.width > SHOWN)
        fprintf(f, "  %-*s %d more\n", longest, "...", s->measures.width - SHOWN);
    if (u->first)
        print_indices(f, u, s);
}

void summary_json(FILE *f, const struct summary *u, const struct study *s)
{
    int d = s->plan.factors;
    fprintf(f, ",\n  \"cases\": %ld,\n  \"failed\": %ld,\n  \"doubtful\": %ld,\n  \"doubtful_cases\": [", u->cases, u->failed, u->doubtful);
    for (int i = 0; i < u->doubtful && i < LISTED; i++)
        fprintf(f, i ? ", %ld" : "%ld", u->doubtful_case[i]);
    fputs("],\n  \"measures\": {", f);
    for (int i = 0; i < s->measures.width; i++) {
        const struct statistics *t = &u->of[i];
        const struct { const char *key; double x; } value[] = {{"mean", t->mean}, {"deviation", t->deviation}, {"least", t->least}, {"most", t->most}};
        fputs(i ? ",\n    " : "\n    ", f);
        json_string(f, s->measures.name[i]);
        fputs(": {\"unit\": ", f);
        json_string(f, s->measures.unit[i]);
        fprintf(f, ", \"n\": %ld, \"least_case\": %ld, \"most_case\": %ld", t->n, t->least_case, t->most_case);
        for (size_t k = 0; k < sizeof value / sizeof *value; k++) {
            fprintf(f, ", \"%s\": ", value[k].key);
            json_number(f, value[k].x);
        }
        for (int k = 0; k < PERCENTILES; k++) {
            fprintf(f, ", \"p%g\": ", percentile[k]);
            json_number(f, t->at[k]);
        }
        for (int part = 0; u->first && part < 4; part++) {
            static const char *const key[] = {"first", "total", "first_error", "total_error"};
            const double *x = part == 0 ? u->first : part == 1 ? u->total : part == 2 ? u->first_error : u->total_error;
            fprintf(f, ", \"%s\": {", key[part]);
            for (int k = 0; k < d; k++) {
                fputs(k ? ", " : "", f);
                json_string(f, s->plan.factor[k].name);
                fputs(": ", f);
                json_number(f, x[i * d + k]);
            }
            putc('}', f);
        }
        putc('}', f);
    }
    fputs("\n  }", f);
}
