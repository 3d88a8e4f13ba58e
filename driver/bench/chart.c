/* SPDX-License-Identifier: GPL-3.0-or-later
 * Work-precision diagrams. */
#include "config.h"
#include "grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double run_digits(const struct grid_run *r, enum digits by)
{
    const double digits[] = {r->scd, r->mescd, r->q, r->qv};
    return digits[by];
}

static const char *digits_axis(enum digits d)
{
    static const char *const text[] = {"scd: correct digits, least of the important components", "mescd: mixed error digits, least of all components",
                                       "correct digits of q: -log10 of the largest |error| / (1 + |reference|)",
                                       "correct digits of q and v: -log10 of the largest |error| / (1 + |reference|)"};
    return text[d];
}
static const char *work_axis(enum work w) { return w == BY_CPU ? "CPU time (ms)" : "evaluations of the equations"; }
static double run_work(const struct grid_run *r, enum work by) { return by == BY_CPU ? 1e3 * r->end.cpu : (double)r->end.stat.f; }

/* Least work of runs i..i+n-1 that reach so many digits. */
static double least_work(const struct grid *g, int i, int n, double digits, enum digits d, enum work w)
{
    double least = INFINITY;
    for (int k = i; k < i + n; k++)
        if (!g->run[k].failed && run_digits(&g->run[k], d) >= digits)
            least = fmin(least, run_work(&g->run[k], w));
    return least;
}

static bool same_combination(const struct grid_run *a, const struct grid_run *b)
{
    return !strcmp(a->method, b->method) && !strcmp(a->form, b->form);
}

/* The best formulation reaches the most whole digits, and among such it has the least work, on average of the logarithm. */
int grid_best(const struct grid *g, const char *method, enum digits d, enum work w, int *count)
{
    int best = -1, best_reached = -1;
    double best_sum = 0;
    for (int i = 0, n; i < g->n; i += n) {
        double sum = 0;
        int reached = 0;
        for (n = 1; i + n < g->n && same_combination(&g->run[i], &g->run[i + n]);)
            n++;
        if (strcmp(g->run[i].method, method))
            continue;
        for (int digits = d == BY_SCD ? 3 : 1; digits < 12; digits++) {
            double work = least_work(g, i, n, digits, d, w);
            if (isfinite(work)) {
                reached++;
                sum += log(work);
            }
        }
        if (reached > best_reached || (reached == best_reached && sum < best_sum)) {
            best = i;
            *count = n;
            best_reached = reached;
            best_sum = sum;
        }
    }
    return best;
}

/* The points of a combination in order of its tolerances. */
static bool ours(const struct grid *g, int i, int n, enum digits d, enum work w, struct series *s)
{
    double *x = malloc((size_t)n * sizeof *x), *y = malloc((size_t)n * sizeof *y);
    *s = (struct series){.x = x, .y = y, .style = LINE_POINTS};
    for (int k = 0; x && y && k < n; k++) {
        x[s->n] = g->run[i + k].failed ? NAN : run_digits(&g->run[i + k], d);
        y[s->n++] = run_work(&g->run[i + k], w);
    }
    return s->n > 0;
}

static bool theirs(const struct peer *p, int peers, int i, enum digits d, enum work w, struct series *s)
{
    double *x = malloc((size_t)peers * sizeof *x), *y = malloc((size_t)peers * sizeof *y);
    *s = (struct series){.x = x, .y = y, .style = DASHED_OPEN, .title = p[i].solver};
    for (int k = i; x && y && k < peers; k++)
        if (!strcmp(p[k].solver, p[i].solver) && !strcmp(p[k].problem, p[i].problem) && p[k].scd > 0) {
            x[s->n] = d == BY_SCD ? p[k].scd : p[k].mescd;
            y[s->n++] = w == BY_CPU ? 1e3 * p[k].cpu : p[k].f;
        }
    return s->n > 0;
}

/* A whole number of digits above all points. */
static double most_digits(const struct series *s, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < s[i].n; k++)
            most = isfinite(s[i].x[k]) ? fmax(most, s[i].x[k]) : most;
    return ceil(most);
}

enum { SERIES = 64 };

void grid_chart(struct bench *b, const struct grid *g, enum digits d, enum work w, const struct peer *p, int peers, const char *note)
{
    static const char *const names[] = {"scd", "mescd", "q", "qv"}, *const works[] = {"cpu", "f"},
                             *const said[] = {"scd", "mescd", "digits of q", "digits of (q, v)"};
    struct series s[SERIES];
    char label[SERIES][48], what[64], caption[512], title[160];
    struct mbs_method_info info;
    int n = 0;
    for (int i = 0; mbs_method_list(i, &info) && n < SERIES; i++) {
        int count, at = grid_best(g, info.name, d, w, &count);
        if (at < 0 || !ours(g, at, count, d, w, &s[n]))
            continue;
        snprintf(label[n], sizeof label[n], "%s, %s", g->run[at].method, g->run[at].form);
        s[n].title = label[n];
        s[n].color = n;
        s[n].shape = n % 5;
        n++;
    }
    int mine = n;
    for (int i = 0; i < peers && n < SERIES; i++) {
        bool seen = strcmp(p[i].problem, g->peers) != 0;
        for (int k = 0; k < i && !seen; k++)
            seen = !strcmp(p[k].solver, p[i].solver) && !strcmp(p[k].problem, p[i].problem);
        if (seen || !theirs(p, peers, i, d, w, &s[n]))
            continue;
        snprintf(label[n], sizeof label[n], "(%s)", p[i].solver);
        s[n].title = label[n];
        s[n].color = n - mine;
        s[n].shape = n - mine;
        n++;
    }
    snprintf(what, sizeof what, "%s-%s-%s", g->problem, names[d], works[w]);
    snprintf(title, sizeof title, "%s: %s against %s%s", g->title, said[d], w == BY_CPU ? "CPU time" : "evaluations",
             peers ? " (in brackets: measured elsewhere)" : "");
    snprintf(caption, sizeof caption, "%s: %s against %s. Each method by its best formulation, solid.%s%s", g->title, said[d],
             w == BY_CPU ? "CPU time" : "evaluations", peers ? " Dotted, names in brackets: " : "", peers ? note : "");
    const struct panel panel = {.title = title,
                                .x = digits_axis(d),
                                .y = work_axis(w),
                                .logy = true,
                                .key = KEY_OUTSIDE,
                                .x0 = d == BY_SCD ? 0 : -2,
                                .x1 = most_digits(s, n),
                                .n = n,
                                .series = s};
    picture_draw(b, &(struct picture){what, caption, 1, 1, 1150, 720, &panel});
    for (int i = 0; i < n; i++) {
        free((double *)s[i].x);
        free((double *)s[i].y);
    }
}

void grid_curves(struct bench *b, const struct grid *g, enum digits d, enum work w, const struct curve *c, int n, const char *what,
                 const char *caption)
{
    struct series s[SERIES];
    char label[SERIES][48], file[64];
    int drawn = 0;
    for (int i = 0; i < n && drawn < SERIES; i++) {
        int at = 0, count = 0;
        while (at < g->n && (strcmp(g->run[at].method, c[i].method) || strcmp(g->run[at].form, c[i].form)))
            at++;
        while (at + count < g->n && same_combination(&g->run[at], &g->run[at + count]))
            count++;
        if (!count || !ours(g, at, count, d, w, &s[drawn]))
            continue;
        snprintf(label[drawn], sizeof label[drawn], "%s, %s", c[i].method, c[i].form);
        s[drawn].title = label[drawn];
        s[drawn].color = drawn;
        s[drawn].shape = drawn % 5;
        drawn++;
    }
    snprintf(file, sizeof file, "%s-%s", g->problem, what);
    const struct panel panel = {.title = g->title,
                                .x = digits_axis(d),
                                .y = work_axis(w),
                                .logy = true,
                                .key = KEY_OUTSIDE,
                                .x0 = -2,
                                .x1 = most_digits(s, drawn),
                                .n = drawn,
                                .series = s};
    picture_draw(b, &(struct picture){file, caption, 1, 1, 1150, 640, &panel});
    for (int i = 0; i < drawn; i++) {
        free((double *)s[i].x);
        free((double *)s[i].y);
    }
}
