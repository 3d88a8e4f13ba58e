/* SPDX-License-Identifier: GPL-3.0-or-later
 * Curves from the table of a sweep: case, status, parameters, measures ("max(phi)"), curves ("phi(t = 0.5)"). */
#include "config.h"
#include "plot_sweep.h"
#include "base/arena.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CASE, STATUS, FIRST, VARIED = 16, CASES = 500 };

struct sweep {
    const struct csv *c;
    struct arena arena;
    int good, *row;             /* the cases that went well */
    int varied[VARIED], count;  /* columns of parameters that have several values */
    int x;
    char *why;
};

bool sweep_is(const struct csv *c) { return c->columns > FIRST && !strcmp(c->name[CASE], "case") && !strcmp(c->name[STATUS], "status"); }

static bool is_measure(const char *name) { return strchr(name, '(') != NULL; }

/* "phi(t = 0.5) [rad]": the length of "phi", and the time; 0: it is no point of a curve. */
static int curve_point(const char *name, double *t)
{
    const char *at = strstr(name, "(t = ");
    char *end;
    if (!at)
        return 0;
    *t = strtod(at + 5, &end);
    return *end == ')' ? (int)(at - name) : 0;
}

static bool fail(struct sweep *s, const char *what)
{
    snprintf(s->why, 300, "%s", what);
    return false;
}

static bool look(struct sweep *s)
{
    const struct csv *c = s->c;
    s->row = ARENA_NEW(&s->arena, int, c->rows + 1);
    for (int i = 0; i < c->rows; i++)
        if (csv_get(c, i, STATUS) == 0)
            s->row[s->good++] = i;
    if (!s->good)
        return fail(s, "no case went well: there is nothing to draw");
    for (int k = FIRST; k < c->columns && !is_measure(c->name[k]); k++) {
        bool several = false;
        for (int i = 1; i < s->good; i++)
            several = several || csv_get(c, s->row[i], k) != csv_get(c, s->row[0], k);
        if (several && s->count < VARIED)
            s->varied[s->count++] = k;
    }
    s->x = s->count ? s->varied[0] : CASE;
    return true;
}

/* "m = 2 kg, l = 0.5 m" of the parameters that vary beside x. */
static const char *case_title(struct sweep *s, int row, int besides)
{
    char *text = arena_printf(&s->arena, "%s", "");
    for (int k = 0; k < s->count; k++) {
        const char *name = s->c->name[s->varied[k]];
        size_t n = csv_name_length(name);
        if (s->varied[k] != besides)
            text = arena_printf(&s->arena, "%s%s%.*s = %.4g%s%.*s", text, *text ? ", " : "", (int)n, name, csv_get(s->c, row, s->varied[k]), name[n] ? " " : "",
                                name[n] ? (int)strlen(name + n) - 3 : 0, name[n] ? name + n + 2 : "");
    }
    return text;
}

static bool same_others(const struct sweep *s, int a, int b)
{
    for (int k = 0; k < s->count; k++)
        if (s->varied[k] != s->x && csv_get(s->c, a, s->varied[k]) != csv_get(s->c, b, s->varied[k]))
            return false;
    return true;
}

struct pair {
    double x, y;
};
static int by_x(const void *a, const void *b)
{
    double x = ((const struct pair *)a)->x, y = ((const struct pair *)b)->x;
    return (x > y) - (x < y);
}

/* The cases of one group, in the order of x. */
static bool group_curve(struct sweep *s, struct figure *f, int y, const int *group, int id, const char *title, bool points)
{
    struct pair *p = ARENA_NEW(&s->arena, struct pair, s->good + 1);
    int n = 0;
    for (int i = 0; i < s->good; i++)
        if (group[i] == id)
            p[n++] = (struct pair){csv_get(s->c, s->row[i], s->x), csv_get(s->c, s->row[i], y)};
    qsort(p, (size_t)n, sizeof *p, by_x);
    struct curve *c = figure_add(f, title, s->c->name[s->x], s->c->name[y], n);
    for (int i = 0; c && i < n; i++)
        c->x[i] = p[i].x, c->y[i] = p[i].y;
    if (c)
        c->points = points;
    return c ? true : fail(s, "out of memory");
}

static bool measure_curves(struct sweep *s, struct figure *f, int y, bool several)
{
    int *group = ARENA_NEW(&s->arena, int, s->good + 1), first[PANE_CURVES + 1], groups = 0;
    const char *name = arena_strndup(&s->arena, s->c->name[y], csv_name_length(s->c->name[y]));
    for (int i = 0; i < s->good && groups <= PANE_CURVES; i++) {
        group[i] = 0;
        while (group[i] < groups && !same_others(s, s->row[first[group[i]]], s->row[i]))
            group[i]++;
        if (group[i] == groups && groups < PANE_CURVES)
            first[groups++] = i;
        else if (group[i] == groups)
            groups = PANE_CURVES + 1;
    }
    if (groups > PANE_CURVES || s->good < 2 * groups) {         /* no lines among scattered cases */
        memset(group, 0, (size_t)s->good * sizeof *group);
        return group_curve(s, f, y, group, 0, name, true);
    }
    for (int g = 0; g < groups; g++) {
        const char *others = case_title(s, s->row[first[g]], s->x);
        const char *title = !*others ? name : several ? arena_printf(&s->arena, "%s, %s", name, others) : others;
        if (!group_curve(s, f, y, group, g, title, false))
            return false;
    }
    return true;
}

/* What was kept over time: the columns of this name, a curve for each case. */
static bool time_curves(struct sweep *s, struct figure *f, const char *name)
{
    const struct csv *c = s->c;
    int n = 0, *column = ARENA_NEW(&s->arena, int, c->columns + 1), take = s->good > CASES ? CASES : s->good;
    double *t = ARENA_NEW(&s->arena, double, c->columns + 1);
    for (int k = FIRST; k < c->columns; k++) {
        int length = curve_point(c->name[k], &t[n]);
        if (length && (size_t)length == strlen(name) && !strncmp(c->name[k], name, (size_t)length))
            column[n++] = k;
    }
    if (!n)
        return fail(s, arena_printf(&s->arena, "there is no measure and no curve '%s' in the sweep", name));
    const char *label = arena_printf(&s->arena, "%s%s", name, c->name[column[0]] + csv_name_length(c->name[column[0]]));
    if (take > PANE_CURVES && !f->shade_name && !(f->shade_name = strdup(c->name[s->x])))
        return fail(s, "out of memory");
    for (int i = 0; i < take; i++) {
        int row = s->row[(int)((double)i * s->good / take)];
        struct curve *k = figure_add(f, case_title(s, row, -1), "t [s]", label, n);
        if (!k)
            return fail(s, "out of memory");
        for (int j = 0; j < n; j++)
            k->x[j] = t[j], k->y[j] = csv_get(c, row, column[j]);
        k->shade = csv_get(c, row, s->x);
    }
    return true;
}

static bool all_measures(struct sweep *s, struct figure *f)
{
    int taken = 0, measures = 0;
    double t;
    for (int k = FIRST; k < s->c->columns; k++)
        measures += is_measure(s->c->name[k]) && !curve_point(s->c->name[k], &t);
    for (int k = FIRST; k < s->c->columns && taken < PANE_CURVES; k++)
        if (is_measure(s->c->name[k]) && !curve_point(s->c->name[k], &t)) {
            if (!measure_curves(s, f, k, measures > 1))
                return false;
            taken++;
        }
    for (int k = FIRST, length; !taken && k < s->c->columns; k++)
        if ((length = curve_point(s->c->name[k], &t)))
            return time_curves(s, f, arena_strndup(&s->arena, s->c->name[k], (size_t)length));
    return taken > 0 || fail(s, "the sweep has kept nothing to draw");
}

bool sweep_curves(struct figure *f, const struct csv *c, const char *x, const char *const *wanted, int n, char why[300])
{
    struct sweep s = {.c = c, .why = why};
    bool good = look(&s);
    if (good && x && (s.x = csv_column(c, x)) < 0)
        good = fail(&s, arena_printf(&s.arena, "the sweep has no column '%s'", x));
    if (good && !n)
        good = all_measures(&s, f);
    for (int i = 0; i < n && good; i++) {
        int k = csv_column(c, wanted[i]);
        good = k >= 0 ? measure_curves(&s, f, k, n > 1) : time_curves(&s, f, wanted[i]);
    }
    arena_free(&s.arena);
    return good;
}
