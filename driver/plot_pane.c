/* SPDX-License-Identifier: GPL-3.0-or-later
 * Curves in panes, for gnuplot. */
#include "config.h"
#include "plot_pane.h"
#include "csv.h"
#include "plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct curve *figure_add(struct figure *f, const char *title, const char *x_name, const char *y_name, int n)
{
    struct curve *more = realloc(f->curve, ((size_t)f->curves + 1) * sizeof *more);
    if (!more)
        return NULL;
    f->curve = more;
    struct curve *c = &f->curve[f->curves++];
    *c = (struct curve){strdup(title), strdup(x_name), strdup(y_name), calloc((size_t)n + 1, sizeof(double)), calloc((size_t)n + 1, sizeof(double)), n, false, NAN};
    return c->title && c->x_name && c->y_name && c->x && c->y ? c : NULL;
}

void figure_free(struct figure *f)
{
    for (int i = 0; i < f->curves; i++) {
        struct curve *c = &f->curve[i];
        free(c->title);
        free(c->x_name);
        free(c->y_name);
        free(c->x);
        free(c->y);
    }
    free(f->curve);
    free(f->order);
    free(f->shade_name);
    *f = (struct figure){0};
}

static const char *unit_of(const char *name) { return name + csv_name_length(name); }

/* Curves over the same quantity, in the same unit. */
static bool share_axes(const struct curve *a, const struct curve *b)
{
    return !strcmp(unit_of(a->y_name), unit_of(b->y_name)) && !strcmp(unit_of(a->x_name), unit_of(b->x_name));
}

static bool is_first_of_its_unit(const struct figure *f, int i)
{
    for (int j = 0; j < i; j++)
        if (share_axes(&f->curve[i], &f->curve[j]))
            return false;
    return true;
}

bool figure_arrange(struct figure *f, char why[200])
{
    int most = 0, units = 0, n = 0;
    for (int i = 0; i < f->curves; i++) {
        int count = 0;
        if (!is_first_of_its_unit(f, i))
            continue;
        for (int j = i; j < f->curves; j++)
            count += share_axes(&f->curve[i], &f->curve[j]);
        most = count > most ? count : most;
        units++;
    }
    f->multiples = !f->shade_name && most > PANE_CURVES;
    f->panes = f->multiples ? f->curves : units;
    f->columns = f->panes > 16 ? 4 : f->panes > 9 ? 3 : f->multiples || f->panes > 5 ? 2 : 1;
    if (f->panes > PANES) {
        snprintf(why, 200, "%d curves are more than a picture can show (%d): name the columns that you want", f->curves, PANES);
        return false;
    }
    if (!(f->order = malloc((size_t)f->curves * sizeof *f->order))) {
        snprintf(why, 200, "out of memory");
        return false;
    }
    f->panes = 0;
    for (int i = 0; i < f->curves; i++) {
        if (!is_first_of_its_unit(f, i))
            continue;
        f->pane[f->panes++] = n;
        for (int j = i; j < f->curves; j++)
            if (share_axes(&f->curve[i], &f->curve[j])) {
                if (f->multiples && j > i)
                    f->pane[f->panes++] = n;
                f->order[n++] = j;
            }
    }
    f->pane[f->panes] = n;
    return true;
}

static int pane_rows(const struct figure *f) { return (f->panes + f->columns - 1) / f->columns; }

double figure_height(const struct figure *f) { return f->panes == 1 ? 600 : 80 + (f->multiples ? 220.0 : 270.0) * pane_rows(f); }

static void write_label(FILE *out, char axis, const char *text)
{
    fprintf(out, "set %clabel noenhanced ", axis);
    gnuplot_string(out, text);
    putc('\n', out);
}

/* One curve says its name on the axis, several their unit: names are in the legend. */
static void write_y_label(FILE *out, const struct figure *f, int from, int to)
{
    const char *first = f->curve[f->order[from]].y_name, *unit = unit_of(first);
    bool same = true;
    char plain[128];
    for (int i = from; i < to; i++)
        same = same && !strcmp(f->curve[f->order[i]].y_name, first);
    snprintf(plain, sizeof plain, "%.*s", *unit ? (int)strlen(unit) - 3 : 0, *unit ? unit + 2 : "");
    write_label(out, 'y', f->multiples ? plain : same ? first : plain);
}

/* Least and most of all curves that share the axes of this one. */
static void write_range(FILE *out, const struct figure *f, const struct curve *c, bool log)
{
    double lo = INFINITY, hi = -INFINITY;
    for (int i = 0; i < f->curves; i++)
        for (int k = 0; share_axes(&f->curve[i], c) && k < f->curve[i].n; k++)
            if (isfinite(f->curve[i].y[k])) {
                lo = fmin(lo, f->curve[i].y[k]);
                hi = fmax(hi, f->curve[i].y[k]);
            }
    if (hi > lo && !log)
        fprintf(out, "set yrange [%.9g:%.9g]\n", lo - 0.05 * (hi - lo), hi + 0.05 * (hi - lo));
}

static void write_data(FILE *out, const struct figure *f, bool log)
{
    for (int i = 0; i < f->curves; i++) {
        const struct curve *c = &f->curve[i];
        fprintf(out, "$data%d << END\n", i);
        for (int k = 0; k < c->n; k++)
            if (isfinite(c->x[k]) && isfinite(c->y[k]))
                fprintf(out, "%.9g %.9g\n", c->x[k], log ? fabs(c->y[k]) : c->y[k]);
            else
                putc('\n', out);
        fputs("END\n", out);
    }
}

static void write_pane(FILE *out, const struct figure *f, const struct figure_style *s, int p)
{
    int from = f->pane[p], to = f->pane[p + 1];
    const struct curve *first = &f->curve[f->order[from]];
    bool last_row = s->text || f->panes == 1 || p >= f->panes - f->columns;
    if (last_row)
        write_label(out, 'x', first->x_name);
    else
        fputs("unset xlabel\n", out);
    write_y_label(out, f, from, to);
    if (f->multiples) {
        write_range(out, f, first, s->logy);
        fputs("unset key\nset title noenhanced ", out);
        gnuplot_string(out, first->title);
        putc('\n', out);
    }
    for (int i = from; i < to; i++) {
        const struct curve *c = &f->curve[f->order[i]];
        fprintf(out, i > from ? ", $data%d " : "plot $data%d ", f->order[i]);
        if (f->shade_name)
            fprintf(out, "notitle with %s lw 1.2 pt 7 ps 0.6 lc palette cb %.9g", c->points ? "points" : "lines", c->shade);
        else {
            fputs("title ", out);
            gnuplot_string(out, c->title);
            fprintf(out, " with %s lt %d pt 7 ps 0.7", c->points ? "points" : "lines", f->multiples ? 1 : i - from + 1);
        }
    }
    putc('\n', out);
}

/* Values of the shades, for the bar that explains them. */
static void write_shades(FILE *out, const struct figure *f)
{
    double lo = INFINITY, hi = -INFINITY;
    for (int i = 0; i < f->curves; i++) {
        lo = fmin(lo, f->curve[i].shade);
        hi = fmax(hi, f->curve[i].shade);
    }
    fprintf(out, "set palette defined (0 '#2a6fdb', 0.5 '#12996b', 1 '#e2672b')\nset cbrange [%.9g:%.9g]\nset cblabel noenhanced ", lo, hi > lo ? hi : lo + 1);
    gnuplot_string(out, f->shade_name);
    putc('\n', out);
}

void figure_write(FILE *out, const struct figure *f, const struct figure_style *s)
{
    bool several = f->panes > 1 && !s->text;
    if (!s->text)               /* letters have no lighter ink: a grid would hide the curves */
        fputs("set grid lt 1 lc rgb '#d0d4dc' lw 1 dt solid\n", out);
    fputs("set encoding utf8\nset border 3\nset tics nomirror out\nset key outside top center horizontal noenhanced\n"
          "set linetype 1 lc rgb '#2a6fdb' lw 2\nset linetype 2 lc rgb '#e2672b' lw 2\nset linetype 3 lc rgb '#12996b' lw 2\n"
          "set linetype 4 lc rgb '#c99700' lw 2\nset linetype 5 lc rgb '#c2478d' lw 2\nset linetype 6 lc rgb '#6a4fc8' lw 2\n"
          "set linetype 7 lc rgb '#0f95b5' lw 2\nset linetype 8 lc rgb '#7a5a3a' lw 2\n", out);
    if (f->equal)
        fputs("set size ratio -1\n", out);
    if (s->logx)
        fputs("set logscale x\n", out);
    if (s->logy)
        fputs("set logscale y\n", out);
    if (f->shade_name)
        write_shades(out, f);
    write_data(out, f, s->logy);
    if (several) {
        fprintf(out, "%sset multiplot layout %d,%d", f->equal || f->shade_name ? "" : f->multiples ? "set lmargin 9\nset rmargin 2\n" : "set lmargin 12\nset rmargin 3\n", pane_rows(f), f->columns);
        if (s->title) {
            fputs(" title ", out);
            gnuplot_string(out, s->title);
        }
        putc('\n', out);
    } else if (s->title) {
        fputs("set title noenhanced ", out);
        gnuplot_string(out, s->title);
        putc('\n', out);
    }
    for (int p = 0; p < f->panes; p++)
        write_pane(out, f, s, p);
    if (several)
        fputs("unset multiplot\n", out);
}
