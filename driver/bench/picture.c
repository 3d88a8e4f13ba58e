/* SPDX-License-Identifier: GPL-3.0-or-later
 * Pictures by gnuplot.  Texts go through gnuplot_string, so that none of them can be a command. */
#include "config.h"
#include "picture.h"
#include "plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The first seven are told apart also by those who do not see all colours (after Okabe and Ito, the yellow darkened). */
static const char *const colors[PICTURE_COLORS] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#56b4e9", "#b8a000",
                                                   "#7a4fbf", "#8c564b", "#7f7f7f", "#e6194b", "#3c8c1e", "#f58231", "#00a0a0"};
static const int filled[] = {7, 5, 9, 11, 13, 15, 3}, open_[] = {6, 4, 8, 10, 12, 14, 1};

static void style(FILE *f, const struct series *s)
{
    const char *c = colors[s->color % PICTURE_COLORS];
    int shape = s->shape % 7;
    switch (s->style) {
    case LINE:
        fprintf(f, " with lines lw 1.6 lc rgb '%s'", c);
        break;
    case DASHED:
        fprintf(f, " with lines lw 1.4 dt 2 lc rgb '%s'", c);
        break;
    case POINTS:
        fprintf(f, " with points pt %d ps 0.8 lc rgb '%s'", filled[shape], c);
        break;
    case LINE_POINTS:
        fprintf(f, " with linespoints lw 1.6 pt %d ps 0.6 lc rgb '%s'", filled[shape], c);
        break;
    case OPEN_POINTS:
        fprintf(f, " with points pt %d ps 0.8 lc rgb '%s'", open_[shape], c);
        break;
    case DASHED_OPEN:
        fprintf(f, " with linespoints lw 1 dt 3 pt %d ps 0.7 lc rgb '%s'", open_[shape], c);
        break;
    }
}

static void labels(FILE *f, const struct panel *p)
{
    const struct { const char *key, *text; } label[] = {{"title", p->title}, {"xlabel", p->x}, {"ylabel", p->y}};
    for (int i = 0; i < 3; i++)
        if (label[i].text) {
            fprintf(f, "set %s ", label[i].key);
            gnuplot_string(f, label[i].text);
            putc('\n', f);
        } else {
            fprintf(f, "unset %s\n", label[i].key);
        }
}

static void range(FILE *f, const char *axis, double a, double b)
{
    if (a == b)
        fprintf(f, "set %srange [*:*]\n", axis);
    else
        fprintf(f, "set %srange [%.17g:%.17g]\n", axis, a, b);
}

static void panel_draw(FILE *f, const struct panel *p)
{
    static const char *const key[] = {"unset key", "set key inside opaque box lc rgb '#cccccc' spacing 1.1", "set key outside right top spacing 1.15",
                                      "set key below spacing 1.15\nset bmargin 7"};
    labels(f, p);
    fputs(p->logx ? "set logscale x\n" : "unset logscale x\n", f);
    fputs(p->logy ? "set logscale y\n" : "unset logscale y\n", f);
    range(f, "x", p->x0, p->x1);
    range(f, "y", p->y0, p->y1);
    fprintf(f, "unset bmargin\n%s\n", key[p->key]);
    for (int i = 0; i < p->n; i++) {
        fprintf(f, "$d%d << EOD\n", i);
        for (int k = 0; k < p->series[i].n; k++) {
            double x = p->series[i].x[k], y = p->series[i].y[k];
            if (isfinite(x) && isfinite(y))
                fprintf(f, "%.9g %.9g\n", x, y);
            else
                fputs("\n", f);
        }
        fputs("EOD\n", f);
    }
    for (int i = 0, first = 1; i < p->n; i++) {
        const struct series *s = &p->series[i];
        if (!s->n)
            continue;
        fprintf(f, "%s $d%d using 1:2", first ? "plot" : ",", i);
        style(f, s);
        if (s->title) {
            fputs(" title ", f);
            gnuplot_string(f, s->title);
        } else {
            fputs(" notitle", f);
        }
        first = 0;
    }
    putc('\n', f);
}

void picture_draw(struct bench *b, const struct picture *p)
{
    static const char *const ending[] = {"svg", "png"};
    char path[4096];
    if (b->no_gnuplot || bench_stopped(b))
        return;
    for (int i = 0; i < 2; i++) {
        struct settings s = {.output = path, .width = p->width, .height = p->height};
        struct gnuplot g;
        snprintf(path, sizeof path, "%s/%s-%s.%s", b->dir, b->name, p->what, ending[i]);
        if (!gnuplot_open(&g, &s, b->manual)) {
            b->no_gnuplot = true;
            return;
        }
        fputs("set encoding utf8\nset border 3 lc rgb '#444444'\nset tics nomirror\nset grid lc rgb '#dddddd' lt 1\nset style data lines\n", g.f);
        if (p->rows * p->columns > 1)
            fprintf(g.f, "set multiplot layout %d,%d\n", p->rows, p->columns);
        for (int k = 0; k < p->rows * p->columns; k++)
            panel_draw(g.f, &p->panel[k]);
        if (p->rows * p->columns > 1)
            fputs("unset multiplot\n", g.f);
        if (!gnuplot_close(&g, b->manual))
            b->good = false;
    }
    fprintf(b->md, "\n![%s](%s-%s.png)\n\n*%s*\n\n", p->caption, b->name, p->what, p->caption);
}
