/* SPDX-License-Identifier: GPL-3.0-or-later
 * The page of `mbs optimize`: the course of the aim, parameters and conditions, the mechanism and its curves before and after, paths with given points. */
#include "config.h"
#include "study/page_optimize.h"

#include "csv.h"
#include "study/curves.h"
#include "study/drawing.h"
#include "study/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CURVE_ROWS = 600 };

struct path {
    int x, y;                   /* columns of a run */
    struct csv given;           /* points; rows 0: none */
    int gx, gy;                 /* its columns */
};
struct design_page {
    const struct design_view *v;
    struct curves before, after;
    struct path *path;
    int paths;
};

/* ---- --path ---- */

static int column_find(const struct columns *c, const char *name, size_t length)
{
    for (int i = 0; i < c->n; i++)
        if (strlen(c->name[i]) == length && !strncmp(c->name[i], name, length))
            return i;
    return -1;
}

static void paths_free(struct path *path, int n)
{
    for (int i = 0; i < n; i++)
        csv_free(&path[i].given);
    free(path);
}

/* X,Y or X,Y=FILE.csv; what is wrong is said. */
static bool path_read(struct path *p, const struct session *s, const struct columns *columns, const char *text)
{
    size_t end = strcspn(text, "="), comma = strcspn(text, ",");
    *p = (struct path){.x = comma < end ? column_find(columns, text, comma) : -1, .y = comma < end ? column_find(columns, text + comma + 1, end - comma - 1) : -1};
    if (p->x < 0 || p->y < 0) {
        complain(s->manual, "--path is X,Y or X,Y=FILE.csv with two columns of a run (coordinates, velocities, states, outputs), not '%s'", text);
        return false;
    }
    if (!text[end])
        return true;
    if (!csv_read(&p->given, text + end + 1)) {
        complain(s->manual, "%s", p->given.why);
        return false;
    }
    p->gx = csv_column(&p->given, columns->name[p->x]);
    p->gy = csv_column(&p->given, columns->name[p->y]);
    if (p->gx < 0 || p->gy < 0)
        complain(s->manual, "--path %s: the file has no columns %s and %s", text, columns->name[p->x], columns->name[p->y]);
    return p->gx >= 0 && p->gy >= 0;
}

static bool paths_read(struct path **path, int *n, const struct session *s)
{
    const struct list *list = &s->settings->path;
    struct columns columns;
    bool good = columns_init(&columns, s->model, true);
    *n = 0;
    *path = calloc((size_t)list->n + 1, sizeof **path);
    if (!good || !*path)
        complain(s->manual, "out of memory");
    good = good && *path;
    for (int i = 0; i < list->n && good; i++, ++*n)
        good = path_read(&(*path)[i], s, &columns, list->at[i]);
    columns_fini(&columns);
    return good;
}

bool page_paths(const struct session *s)
{
    struct path *path;
    int n;
    if (s->settings->path.n && !s->settings->page) {
        complain(s->manual, "--path is for the page of --page");
        return false;
    }
    bool good = paths_read(&path, &n, s);
    paths_free(path, n);
    return good;
}

/* ---- what was found ---- */

static const struct mbs_name *param_of(const struct design_view *v, int k) { return &v->s->model->param[v->free[k].param]; }
static double size_of(double limit) { return fmax(fabs(limit), 1e-6); }

static void fact_of(FILE *f, const char *label, const char *name, const char *number, const char *unit)
{
    fprintf(f, "<div><dt>%s: ", label);
    html_text(f, name);
    fprintf(f, "</dt><dd>%s ", number);
    html_unit(f, unit);
    fputs("</dd></div>\n", f);
}

static void write_facts(FILE *f, const struct design_view *v)
{
    char a[32], b[32];
    const char *unit = v->measures->unit[0];
    fputs("<dl class=\"facts\">\n", f);
    fact_of(f, v->sign[0] > 0 ? "Least found" : "Largest found", v->measures->name[0], number_words(a, v->after[0], 6), unit);
    fact_of(f, "Before", v->measures->name[0], number_words(b, v->before[0], 6), unit);
    fact(f, "Parameters", "%d", v->n);
    if (v->measures->count > 1)
        fact(f, "Conditions", "%d", v->measures->count - 1);
    fact(f, "Runs", "%ld", v->runs);
    if (v->doubtful)
        fact(f, "Doubtful runs", "%ld", v->doubtful);
    fputs("</dl>\n", f);
    if (v->doubt) {
        fputs("<div class=\"card says\"><p>The best run: ", f);
        html_text(f, v->doubt);
        fputs("</p></div>\n", f);
    }
}

static void write_parameters(FILE *f, const struct design_view *v)
{
    section_begin(f, "parameters", "Parameters");
    fputs("<div class=\"card fold\"><div class=\"wide-scroll\"><table><thead><tr><th>Parameter</th><th class=\"num\">Before</th><th class=\"num\">After</th><th>Bounds</th>"
          "<th>Before (grey) and after</th></tr></thead><tbody>\n", f);
    for (int k = 0; k < v->n; k++) {
        const struct freedom *x = &v->free[k];
        double near = 1e-6 * fmax(fabs(v->value[k]), 1e-12);
        char a[32], b[32], bounds[120] = "";
        if (isfinite(x->low) || isfinite(x->high))
            snprintf(bounds, sizeof bounds, "%s .. %s%s", isfinite(x->low) ? number_words(a, x->low, 4) : "", isfinite(x->high) ? number_words(b, x->high, 4) : "",
                     v->value[k] - x->low < near || x->high - v->value[k] < near ? ", reached" : "");
        fputs("<tr>", f);
        cell_name(f, param_of(v, k)->name, param_of(v, k)->unit);
        cell_number(f, v->start[k], 6);
        cell_number(f, v->value[k], 8);
        cell_text(f, bounds);
        span_cell(f, x->low, x->high, v->value[k], NAN, v->start[k]);
        fputs("</tr>\n", f);
    }
    fputs("</tbody></table></div></div>\n", f);
    if (v->measures->count > 1) {
        fputs("<div class=\"card fold\"><div class=\"wide-scroll\"><table><thead><tr><th>Condition</th><th></th><th class=\"num\">Limit</th><th class=\"num\">Before</th><th class=\"num\">After</th>"
              "<th></th></tr></thead><tbody>\n", f);
        for (int i = 1; i < v->measures->count; i++) {
            double off = v->sign[i] * (v->after[i] - v->limit[i]) / size_of(v->limit[i]);
            fputs("<tr>", f);
            cell_name(f, v->measures->name[i], v->measures->unit[i]);
            cell_text(f, v->sign[i] > 0 ? "≤" : "≥");
            cell_number(f, v->limit[i], 6);
            cell_number(f, v->before[i], 6);
            cell_number(f, v->after[i], 8);
            cell_text(f, off > 1e-6 ? "not kept" : off > -1e-6 ? "reached" : "kept");
            fputs("</tr>\n", f);
        }
        fputs("</tbody></table></div></div>\n", f);
    }
    section_end(f);
}

/* ---- the course ---- */

static bool keeps(const struct design_view *v, const double *row)
{
    for (int i = 1; i < v->measures->count; i++)
        if (!(v->sign[i] * (row[i] - v->limit[i]) / size_of(v->limit[i]) <= 1e-6))
            return false;
    return isfinite(row[0]);
}

static void write_course(FILE *f, struct page *p, const struct design_view *v)
{
    size_t width = (size_t)(v->measures->count + v->n);
    int step = (int)(v->runs / COURSE_POINTS) + 1, n = 0, failed = 0;
    double *t = malloc(4 * ((size_t)v->runs + 1) * sizeof *t), *good = t + v->runs + 1, *bad = good + v->runs + 1, *best = bad + v->runs + 1, least = NAN;
    if (!t || v->runs < 2) {
        p->lost = p->lost || !t;
        free(t);
        return;
    }
    struct chart c = {.w = 640, .h = 250, .left = 66, .right = 16, .top = 26, .bottom = 38, .x0 = 1, .x1 = (double)v->runs, .y0 = INFINITY, .y1 = -INFINITY, .x_name = "run",
                      .y_name = v->measures->name[0], .y_unit = v->measures->unit[0]};
    for (long i = 0; i < v->runs; i++) {
        const double *row = v->course + (size_t)i * width;
        bool kept = keeps(v, row);
        failed += !isfinite(row[0]);
        if (kept && !(v->sign[0] * row[0] >= v->sign[0] * least))
            least = row[0];
        if (i % step && i != v->runs - 1)
            continue;
        t[n] = (double)(i + 1);
        good[n] = kept ? row[0] : NAN;
        bad[n] = kept ? NAN : row[0];
        best[n++] = least;
        if (isfinite(row[0]))
            c.y0 = fmin(c.y0, row[0]), c.y1 = fmax(c.y1, row[0]);
    }
    c.log = c.y0 > 0 && c.y1 > 50 * c.y0;
    if (c.log)
        c.y0 = floor(log10(c.y0) - 0.02), c.y1 = ceil(log10(c.y1) + 0.02);
    else
        chart_range(&c.y0, &c.y1, 0.06);
    section_begin(f, "course", "Course of the search");
    fputs("<div class=\"cards two\">\n", f);
    figure_begin(f, "wide", v->measures->name[0], v->measures->unit[0]);
    chart_begin(&c, f, "reads", "The aim, run by run");
    chart_axes(&c);
    chart_line(&c, "curve c0", "best so far", t, best, n, 1);
    chart_dots(&c, "dots off", "conditions not kept", t, bad, n, 1);
    chart_dots(&c, "measured", "run", t, good, n, 1);
    chart_end(&c);
    fputs("<p class=\"key\"><i class=\"k-line\"></i> best so far <i class=\"k-dot c1\"></i> a run", f);
    if (v->measures->count > 1)
        fputs(" <i class=\"k-dot before\"></i> conditions not kept", f);
    fputs("</p>\n", f);
    if (failed)
        paragraph(f, "%d run%s did not reach the end and took no part.", failed, failed == 1 ? "" : "s");
    figure_end(f);
    course_parameters(f, p, 640, "run", v->free, v->value, v->n, v->course + v->measures->count, v->runs, width);
    fputs("</div>\n", f);
    section_end(f);
    free(t);
}

/* ---- before and after ---- */

static const char both_key[] = "<p class=\"key\"><i class=\"k-line before\"></i> before <i class=\"k-line\"></i> after</p>\n";

static void extend(double *lo, double *hi, const struct curves *c, int column)
{
    for (int i = 0; i < c->n; i++) {
        double x = c->row[(size_t)i * (size_t)c->columns.n + (size_t)column];
        if (isfinite(x))
            *lo = fmin(*lo, x), *hi = fmax(*hi, x);
    }
}

/* A limit stands in the picture of a column where it is one of its values. */
static bool is_value(enum measure_kind k) { return k == MEASURE_END || k == MEASURE_START || k == MEASURE_MIN || k == MEASURE_MAX || k == MEASURE_PEAK; }

static void write_column(FILE *f, const struct design_page *w, int column)
{
    const struct measures *m = w->v->measures;
    const char *name = w->after.columns.name[column], *unit = w->after.columns.unit[column];
    struct chart c = {.w = 420, .h = 240, .left = 62, .right = 14, .top = 24, .bottom = 38, .x0 = INFINITY, .x1 = -INFINITY, .y0 = INFINITY, .y1 = -INFINITY, .x_name = "t", .x_unit = "s",
                      .y_name = name, .y_unit = unit};
    char label[256];
    extend(&c.x0, &c.x1, &w->before, 0), extend(&c.x0, &c.x1, &w->after, 0);
    extend(&c.y0, &c.y1, &w->before, column), extend(&c.y0, &c.y1, &w->after, column);
    for (int i = 1; i < m->count; i++)
        if (m->list[i].column == column && is_value(m->list[i].kind))
            c.y0 = fmin(c.y0, w->v->limit[i]), c.y1 = fmax(c.y1, w->v->limit[i]);
    chart_range(&c.x0, &c.x1, 0);
    chart_range(&c.y0, &c.y1, 0.06);
    snprintf(label, sizeof label, "%.150s over time, before and after", name);
    figure_begin(f, "", name, unit);
    chart_begin(&c, f, "reads", label);
    chart_axes(&c);
    for (int i = 1; i < m->count; i++)
        if (m->list[i].column == column && is_value(m->list[i].kind))
            chart_rule(&c, "mark thin", c.x0, w->v->limit[i], c.x1, w->v->limit[i]);
    if (w->before.n)
        chart_line(&c, "curve before", "before", w->before.row, w->before.row + column, w->before.n, w->before.columns.n);
    chart_line(&c, "curve c0", "after", w->after.row, w->after.row + column, w->after.n, w->after.columns.n);
    chart_end(&c);
    figure_end(f);
}

static void write_curves(FILE *f, const struct design_page *w)
{
    const struct measures *m = w->v->measures;
    section_begin(f, "curves", "Before and after");
    fputs(both_key, f);
    fputs("<div class=\"cards\">\n", f);
    for (int i = 0; i < m->count; i++) {
        bool before = false;
        for (int k = 0; k < i; k++)
            before = before || m->list[k].column == m->list[i].column;
        if (!before)
            write_column(f, w, m->list[i].column);
    }
    fputs("</div>\n", f);
    section_end(f);
}

static void write_path(FILE *f, const struct design_page *w, const struct path *x)
{
    const struct columns *names = &w->after.columns;
    struct chart c = {.w = 640, .left = 62, .right = 16, .top = 26, .bottom = 38, .x0 = INFINITY, .x1 = -INFINITY, .y0 = INFINITY, .y1 = -INFINITY, .x_name = names->name[x->x],
                      .x_unit = names->unit[x->x], .y_name = names->name[x->y], .y_unit = names->unit[x->y]};
    char label[256], title[256];
    extend(&c.x0, &c.x1, &w->before, x->x), extend(&c.x0, &c.x1, &w->after, x->x);
    extend(&c.y0, &c.y1, &w->before, x->y), extend(&c.y0, &c.y1, &w->after, x->y);
    for (int i = 0; i < x->given.rows; i++) {
        double a = csv_get(&x->given, i, x->gx), b = csv_get(&x->given, i, x->gy);
        if (isfinite(a + b)) {
            c.x0 = fmin(c.x0, a), c.x1 = fmax(c.x1, a);
            c.y0 = fmin(c.y0, b), c.y1 = fmax(c.y1, b);
        }
    }
    chart_range(&c.x0, &c.x1, 0.06);
    chart_range(&c.y0, &c.y1, 0.06);
    c.h = 300;
    if (!strcmp(names->unit[x->x], names->unit[x->y])) {        /* one scale for both axes */
        c.h = fmin(480, fmax(200, c.top + c.bottom + (c.w - c.left - c.right) * (c.y1 - c.y0) / (c.x1 - c.x0)));
        double sx = (c.x1 - c.x0) / (c.w - c.left - c.right), sy = (c.y1 - c.y0) / (c.h - c.top - c.bottom), s = fmax(sx, sy);
        double ax = (s / sx - 1) * (c.x1 - c.x0) / 2, ay = (s / sy - 1) * (c.y1 - c.y0) / 2;
        c.x0 -= ax, c.x1 += ax, c.y0 -= ay, c.y1 += ay;
    }
    snprintf(title, sizeof title, "%.100s over %.100s", names->name[x->y], names->name[x->x]);
    snprintf(label, sizeof label, "%.220s, before and after", title);
    figure_begin(f, "wide", title, "");
    chart_begin(&c, f, "plane reads", label);
    chart_axes(&c);
    if (w->before.n)
        chart_line(&c, "curve before", "before", w->before.row + x->x, w->before.row + x->y, w->before.n, w->before.columns.n);
    chart_line(&c, "curve c0", "after", w->after.row + x->x, w->after.row + x->y, w->after.n, w->after.columns.n);
    if (x->given.rows) {
        fputs("<path class=\"given\" data-name=\"given\" d=\"", f);
        for (int i = 0; i < x->given.rows; i++) {
            double a = csv_get(&x->given, i, x->gx), b = csv_get(&x->given, i, x->gy);
            if (isfinite(a + b))
                fprintf(f, "M%.1f %.1fm-4-4l8 8m0-8l-8 8", chart_x(&c, a), chart_y(&c, b));
        }
        fputs("\"/>\n", f);
    }
    chart_end(&c);
    fputs("<p class=\"key\"><i class=\"k-line before\"></i> before <i class=\"k-line\"></i> after", f);
    if (x->given.rows)
        fputs(" <i class=\"k-dot cursor\"></i> given points", f);
    fputs("</p>\n", f);
    figure_end(f);
}

static void write_mechanism(FILE *f, struct page *p, const struct design_page *w)
{
    const struct mbs_model *m = w->v->s->model;
    struct frame frame = {INFINITY, -INFINITY, INFINITY, -INFINITY, false};
    if (!drawing_possible(m))
        return;
    frame_add(&frame, m, &w->before);
    frame_add(&frame, m, &w->after);
    section_begin(f, "mechanism", "The mechanism");
    paragraph(f, "At the start, with the ways of its points over the run.");
    fputs("<div class=\"cards\">\n", f);
    figure_begin(f, "", "Before", "");
    p->lost = !drawing_write(f, m, &w->before, &frame, "The mechanism before") || p->lost;
    figure_end(f);
    figure_begin(f, "", "After", "");
    p->lost = !drawing_write(f, m, &w->after, &frame, "The mechanism after") || p->lost;
    figure_end(f);
    fputs("</div>\n", f);
    section_end(f);
}

static void body(struct page *p, FILE *f)
{
    const struct design_page *w = p->user;
    write_facts(f, w->v);
    write_parameters(f, w->v);
    write_mechanism(f, p, w);
    if (w->paths) {
        section_begin(f, "paths", "Paths");
        fputs("<div class=\"cards two\">\n", f);
        for (int i = 0; i < w->paths; i++)
            write_path(f, w, &w->path[i]);
        fputs("</div>\n", f);
        section_end(f);
    }
    write_curves(f, w);
    write_course(f, p, w->v);
    found_commands(f, p, "optimize", w->v->free, w->v->value, w->v->n);
}

bool page_optimize(const struct design_view *v)
{
    const struct session *s = v->s;
    struct design_page w = {.v = v};
    struct page p = {.s = s, .body = body, .user = &w};
    bool good = paths_read(&w.path, &w.paths, s);
    if (good && !(good = curves_run(&w.before, s, v->params_before, s->to, CURVE_ROWS) && curves_run(&w.after, s, v->params_after, s->to, CURVE_ROWS)))
        complain(s->manual, "the page: %s", *w.after.why ? w.after.why : *w.before.why ? w.before.why : "out of memory");
    snprintf(p.subtitle, sizeof p.subtitle, "%s · %s of %.100s over %d parameter%s", s->model->name, v->sign[0] > 0 ? "least" : "largest", v->measures->name[0], v->n, v->n == 1 ? "" : "s");
    good = good && page_study(&p);
    paths_free(w.path, w.paths);
    curves_fini(&w.before);
    curves_fini(&w.after);
    return good;
}
