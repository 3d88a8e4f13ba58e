/* SPDX-License-Identifier: GPL-3.0-or-later
 * The page of `mbs fit`: measured samples beside the model, residuals, estimates, correlations, the course of the search. */
#include "config.h"
#include "study/page_fit.h"

#include "study/curves.h"
#include "study/normal.h"
#include "study/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CURVE_ROWS = 600, CURVES_MOST = 24, HEAT_MOST = 24 };

struct fit_page {
    const struct fit_view *v;
    struct curves *run;         /* of each experiment */
};

static const struct mbs_name *param_of(const struct fit_view *v, int k) { return &v->s->model->param[v->free[k].param]; }
static double residual(const struct fit_view *v, const struct fit_curve *c, int i) { return (c->sample[i] - c->model[i]) / (v->weighted ? c->deviation : 1); }

/* ---- what was found ---- */

static void write_facts(FILE *f, const struct fit_view *v)
{
    char a[32];
    fputs("<dl class=\"facts\">\n", f);
    fact(f, "Samples", "%zu", v->samples);
    fact(f, "Experiments", "%d", v->experiments);
    fact(f, "Parameters found", "%d", v->n);
    if (v->weighted)
        fact(f, "Sum of squares", "%s (%zu expected)", number_words(a, v->sum, 4), v->samples - (size_t)v->n);
    else
        fact(f, "Root mean square of residuals", "%s", number_words(a, sqrt(v->sum / (double)v->samples), 4));
    if (v->steps)
        fact(f, "Iterations", "%d", v->steps - 1);
    fact(f, "Runs", "%ld", v->runs);
    fputs("</dl>\n", f);
}

static void write_estimates(FILE *f, const struct fit_view *v)
{
    section_begin(f, "estimates", "Estimates");
    fputs("<div class=\"card fold\"><div class=\"wide-scroll\"><table><thead><tr><th>Parameter</th><th class=\"num\">Start</th><th class=\"num\">Estimate</th><th class=\"num\">Standard error</th>"
          "<th class=\"num\">Relative</th><th>Bounds</th><th>Start (grey), estimate, two errors</th></tr></thead><tbody>\n", f);
    for (int k = 0; k < v->n; k++) {
        const struct freedom *x = &v->free[k];
        char a[32], b[32], bounds[80] = "";
        if (isfinite(x->low) || isfinite(x->high))
            snprintf(bounds, sizeof bounds, "%s .. %s", isfinite(x->low) ? number_words(a, x->low, 4) : "", isfinite(x->high) ? number_words(b, x->high, 4) : "");
        fputs("<tr>", f);
        cell_name(f, param_of(v, k)->name, param_of(v, k)->unit);
        cell_number(f, v->start[k], 6);
        cell_number(f, v->value[k], 8);
        if (isfinite(v->error[k])) {
            cell_number(f, v->error[k], 2);
            fprintf(f, "<td class=\"num\">%s %%</td>", number_words(a, v->value[k] != 0 ? 100 * v->error[k] / fabs(v->value[k]) : NAN, 2));
        } else {
            fputs("<td class=\"num\" colspan=\"2\">not determined</td>", f);
        }
        cell_text(f, bounds);
        span_cell(f, x->low, x->high, v->value[k], v->error[k], v->start[k]);
        fputs("</tr>\n", f);
    }
    fputs("</tbody></table></div></div>\n", f);
    if (*v->words) {
        fprintf(f, "<div class=\"card says%s\">", strstr(v->words, "not determined") || !strncmp(v->words, "the run", 7) ? "" : " mind");
        for (const char *line = v->words; *line;) {
            size_t n = strcspn(line, "\n");
            char *text = strndup(line, n);
            fputs("<p>", f);
            html_text(f, text ? text + strspn(text, " ") : "");
            fputs("</p>\n", f);
            free(text);
            line += n + (line[n] == '\n');
        }
        fputs("</div>\n", f);
    } else {
        fputs("<div class=\"card says well\"><p>All parameters are determined by the data, and none goes with another by more than 0.9.</p></div>\n", f);
    }
    section_end(f);
}

/* ---- data beside the model ---- */

static void write_beside(FILE *f, const struct fit_curve *c, const struct curves *run)
{
    int width = run->columns.n;
    struct chart g = {.w = 640, .h = 250, .left = 62, .right = 16, .top = 24, .bottom = 22, .x0 = INFINITY, .x1 = -INFINITY, .y0 = INFINITY, .y1 = -INFINITY, .y_name = c->name, .y_unit = c->unit};
    char label[256];
    for (int i = 0; i < c->n; i++) {
        g.x0 = fmin(g.x0, c->t[i]), g.x1 = fmax(g.x1, c->t[i]);
        g.y0 = fmin(g.y0, fmin(c->sample[i], c->model[i])), g.y1 = fmax(g.y1, fmax(c->sample[i], c->model[i]));
    }
    for (int i = 0; i < run->n; i++) {
        const double *row = run->row + (size_t)i * (size_t)width;
        g.x0 = fmin(g.x0, row[0]), g.x1 = fmax(g.x1, row[0]);
        g.y0 = fmin(g.y0, row[c->column]), g.y1 = fmax(g.y1, row[c->column]);
    }
    chart_range(&g.x0, &g.x1, 0.005);
    chart_range(&g.y0, &g.y1, 0.06);
    snprintf(label, sizeof label, "%.100s of %.100s: samples and model", c->name, c->file);
    chart_begin(&g, f, "reads", label);
    chart_axes(&g);
    if (run->n)
        chart_line(&g, "curve c0", "model", run->row, run->row + c->column, run->n, width);
    chart_dots(&g, "measured", "measured", c->t, c->sample, c->n, 1);
    chart_end(&g);
}

static void write_residuals(FILE *f, const struct fit_view *v, const struct fit_curve *c, double *r)
{
    struct chart g = {.w = 640, .h = 140, .left = 62, .right = 16, .top = 22, .bottom = 36, .x0 = INFINITY, .x1 = -INFINITY, .y0 = 0, .y1 = 0, .x_name = "t", .x_unit = "s",
                      .y_name = v->weighted ? "residual over deviation" : "residual", .y_unit = v->weighted ? "" : c->unit};
    char label[256];
    double zero[2] = {0, 0};
    for (int i = 0; i < c->n; i++) {
        r[i] = residual(v, c, i);
        g.x0 = fmin(g.x0, c->t[i]), g.x1 = fmax(g.x1, c->t[i]);
        g.y0 = fmin(g.y0, r[i]), g.y1 = fmax(g.y1, r[i]);
    }
    g.x0 = fmin(g.x0, v->s->from);
    chart_range(&g.x0, &g.x1, 0.005);
    chart_range(&g.y0, &g.y1, 0.1);
    zero[0] = g.x0, zero[1] = g.x1;
    snprintf(label, sizeof label, "Residuals of %.100s of %.100s", c->name, c->file);
    chart_begin(&g, f, "reads", label);
    chart_axes(&g);
    chart_rule(&g, "zero", zero[0], 0, zero[1], 0);
    fputs("<path class=\"before\" d=\"", f);
    for (int i = 0; i < c->n; i++)
        fprintf(f, "M%.1f %.1fV%.1f", chart_x(&g, c->t[i]), chart_y(&g, 0), chart_y(&g, r[i]));
    fputs("\"/>\n", f);
    chart_dots(&g, "measured", "residual", c->t, r, c->n, 1);
    chart_end(&g);
}

static void write_data(FILE *f, struct page *p, const struct fit_page *w)
{
    const struct fit_view *v = w->v;
    section_begin(f, "beside", "Measured and computed");
    fputs("<p class=\"key\"><i class=\"k-dot c1\"></i> measured <i class=\"k-line\"></i> model with the estimates</p>\n<div class=\"cards two\">\n", f);
    for (int i = 0; i < v->curves && i < CURVES_MOST; i++) {
        const struct fit_curve *c = &v->curve[i];
        double *r = calloc((size_t)c->n + 1, sizeof *r);
        char title[512];
        if (!r) {
            p->lost = true;
            break;
        }
        snprintf(title, sizeof title, v->experiments > 1 ? "%.200s, %.250s" : "%.200s", c->name, c->file);
        figure_begin(f, "wide", title, c->unit);
        if (c->n) {
            write_beside(f, c, &w->run[c->experiment]);
            write_residuals(f, v, c, r);
        } else {
            paragraph(f, "This column has no samples.");
        }
        if (*w->run[c->experiment].why)
            paragraph(f, "The run for this picture ended early: %s", w->run[c->experiment].why);
        figure_end(f);
        free(r);
    }
    fputs("</div>\n", f);
    if (v->curves > CURVES_MOST)
        paragraph(f, "%d more columns are not shown.", v->curves - CURVES_MOST);
    section_end(f);
}

/* ---- residuals as a whole ---- */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorted residuals over what normal ones would be; a line through the quartiles. */
static void write_quantiles(FILE *f, struct page *p, const struct fit_view *v, const char *name)
{
    size_t most = 1, n = 0;
    for (int i = 0; i < v->curves; i++)
        most += (size_t)v->curve[i].n;
    double *r = malloc(2 * most * sizeof *r), *x = r + most;
    const char *unit = "";
    char label[256];
    if (!r) {
        p->lost = true;
        return;
    }
    for (int i = 0; i < v->curves; i++)
        for (int k = 0; k < v->curve[i].n && !strcmp(v->curve[i].name, name); k++) {
            r[n++] = residual(v, &v->curve[i], k);
            unit = v->weighted ? "" : v->curve[i].unit;
        }
    if (n >= 3) {
        qsort(r, n, sizeof *r, ascending);
        for (size_t i = 0; i < n; i++)
            x[i] = normal_quantile(((double)i + 0.5) / (double)n);
        struct chart g = {.w = 420, .h = 260, .left = 62, .right = 14, .top = 24, .bottom = 38, .x0 = x[0], .x1 = x[n - 1], .y0 = r[0], .y1 = r[n - 1], .x_name = "normal quantile",
                          .y_name = v->weighted ? "residual over deviation" : "residual", .y_unit = unit};
        chart_range(&g.x0, &g.x1, 0.05);
        chart_range(&g.y0, &g.y1, 0.06);
        double slope = (r[3 * n / 4] - r[n / 4]) / fmax(x[3 * n / 4] - x[n / 4], 1e-9), middle = r[n / 2];
        snprintf(label, sizeof label, "Quantiles of the residuals of %.100s over those of a normal distribution", name);
        figure_begin(f, "", name, "");
        chart_begin(&g, f, "", label);
        chart_axes(&g);
        double a = fmax(g.x0, fmin((g.y0 - middle) / slope, (g.y1 - middle) / slope)), b = fmin(g.x1, fmax((g.y0 - middle) / slope, (g.y1 - middle) / slope));
        if (slope > 0)
            chart_rule(&g, "before dash", a, middle + slope * a, b, middle + slope * b);
        int step = (int)(n / 1000) + 1;
        chart_dots(&g, "dots", NULL, x, r, (int)(n / (size_t)step), step);
        chart_end(&g);
        figure_end(f);
    }
    free(r);
}

static void write_normality(FILE *f, struct page *p, const struct fit_view *v)
{
    section_begin(f, "normality", "Are the residuals noise?");
    paragraph(f, "Over time they should have no pattern. Here, sorted and over what normal ones would be, they should lie on the line; ends that bend away are samples that are further "
                 "off than noise would explain.");
    fputs("<div class=\"cards\">\n", f);
    for (int i = 0; i < v->curves; i++) {
        bool before = false;
        for (int k = 0; k < i; k++)
            before = before || !strcmp(v->curve[k].name, v->curve[i].name);
        if (!before)
            write_quantiles(f, p, v, v->curve[i].name);
    }
    fputs("</div>\n", f);
    section_end(f);
}

/* ---- correlations, the course ---- */

static void write_heat(FILE *f, const struct fit_view *v)
{
    int n = v->n < HEAT_MOST ? v->n : HEAT_MOST;
    double cell = n <= 6 ? 56 : n <= 12 ? 40 : 28, left = 96, top = 24, all = left + n * cell + 10;
    if (v->n < 2)
        return;
    section_begin(f, "correlations", "Correlations of the estimates");
    paragraph(f, "What is near 1 or −1 was found in combination only: an error of one goes with an error of the other.");
    fputs("<div class=\"cards\"><figure class=\"card\"><div class=\"wide-scroll\">\n", f);
    fprintf(f, "<svg class=\"chart scatter heat\" viewBox=\"0 0 %g %g\" width=\"%g\" height=\"%g\" role=\"img\" aria-label=\"Correlation matrix\">\n", all, top + n * cell + 6, all, top + n * cell + 6);
    for (int i = 0; i < n; i++) {
        fprintf(f, "<text class=\"ink end\" x=\"%g\" y=\"%g\">", left - 8, top + (i + 0.5) * cell + 4);
        html_text(f, param_of(v, i)->name);
        fprintf(f, "</text><text class=\"ink mid\" x=\"%g\" y=\"%g\">", left + (i + 0.5) * cell, top - 8);
        html_text(f, param_of(v, i)->name);
        fputs("</text>\n", f);
        for (int j = 0; j < n; j++) {
            double c = v->correlation[(size_t)i * (size_t)v->n + (size_t)j];
            char a[32];
            fprintf(f, "<rect class=\"%s\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" rx=\"4\" fill-opacity=\"%.3f\"><title>", c < 0 ? "minus" : "plus", left + j * cell, top + i * cell, cell, cell,
                    isfinite(c) ? 0.04 + 0.8 * fabs(c) : 0.0);
            html_text(f, param_of(v, i)->name);
            fputs(", ", f);
            html_text(f, param_of(v, j)->name);
            fprintf(f, ": %s</title></rect>", isfinite(c) ? number_words(a, c, 3) : "not determined");
            if (cell >= 40)
                fprintf(f, "<text class=\"value\" x=\"%g\" y=\"%g\">%s</text>\n", left + (j + 0.5) * cell, top + (i + 0.5) * cell + 4, isfinite(c) ? number_words(a, rint(100 * c) / 100, 2) : "?");
        }
    }
    fputs("</svg></div></figure></div>\n", f);
    section_end(f);
}

static void write_course(FILE *f, struct page *p, const struct fit_view *v)
{
    int width = 1 + v->n;
    if (v->steps < 2)
        return;
    double *t = malloc((size_t)v->steps * 2 * sizeof *t), *y = t + v->steps;
    if (!t) {
        p->lost = true;
        return;
    }
    struct chart c = {.w = 420, .h = 230, .left = 56, .right = 14, .top = 24, .bottom = 38, .x0 = 0, .x1 = v->steps - 1, .y0 = INFINITY, .y1 = -INFINITY, .log = true, .x_name = "iteration",
                      .y_name = "sum of squares"};
    for (int i = 0; i < v->steps; i++) {
        double s = log10(fmax(v->course[(size_t)i * (size_t)width], 1e-300));
        t[i] = i;
        c.y0 = fmin(c.y0, s), c.y1 = fmax(c.y1, s);
    }
    c.y0 = floor(c.y0 - 0.05), c.y1 = ceil(c.y1 + 0.05);
    section_begin(f, "course", "Course of the search");
    fputs("<div class=\"cards\">\n", f);
    figure_begin(f, "", "Sum of squares", "");
    chart_begin(&c, f, "reads", "Sum of squares over the iterations");
    chart_axes(&c);
    for (int i = 0; i < v->steps; i++)
        y[i] = v->course[(size_t)i * (size_t)width];
    chart_line(&c, "curve c0", "sum of squares", t, y, v->steps, 1);
    chart_end(&c);
    figure_end(f);
    course_parameters(f, p, 420, "iteration", v->free, v->value, v->n, v->course + 1, v->steps, (size_t)width);
    fputs("</div>\n", f);
    section_end(f);
    free(t);
}

static void body(struct page *p, FILE *f)
{
    const struct fit_page *w = p->user;
    write_facts(f, w->v);
    write_estimates(f, w->v);
    write_data(f, p, w);
    write_normality(f, p, w->v);
    write_heat(f, w->v);
    write_course(f, p, w->v);
    found_commands(f, p, "fit", w->v->free, w->v->value, w->v->n);
}

bool page_fit(const struct fit_view *v)
{
    struct fit_page w = {.v = v, .run = calloc((size_t)v->experiments + 1, sizeof *w.run)};
    struct page p = {.s = v->s, .body = body, .user = &w};
    bool good = w.run != NULL;
    for (int e = 0; e < v->experiments && good; e++) {
        double last = v->s->from;
        for (int i = 0; i < v->curves; i++)
            if (v->curve[i].experiment == e && v->curve[i].n)
                last = fmax(last, v->curve[i].t[v->curve[i].n - 1]);
        good = curves_run(&w.run[e], v->s, v->params[e], last, CURVE_ROWS);
    }
    if (!good)
        complain(v->s->manual, "out of memory");
    snprintf(p.subtitle, sizeof p.subtitle, "%s · fit of %d parameter%s to %zu samples in %d experiment%s", v->s->model->name, v->n, v->n == 1 ? "" : "s", v->samples, v->experiments,
             v->experiments == 1 ? "" : "s");
    good = good && page_study(&p);
    for (int e = 0; e < v->experiments && w.run; e++)
        curves_fini(&w.run[e]);
    free(w.run);
    return good;
}
