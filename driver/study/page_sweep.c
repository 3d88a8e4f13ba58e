/* SPDX-License-Identifier: GPL-3.0-or-later
 * The page of `mbs sweep`: what was drawn, histograms, scatter plots, fans of curves, parts of the variance, extremes with their command lines. */
#include "config.h"
#include "study/page_sweep.h"

#include "json.h"
#include "pack.h"
#include "study/page.h"
#include "study/survey.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FACTORS_LISTED = 60, FANS_MOST = 12, FAN_TIMES = 240, BARS_MOST = 14 };

static const char *unit_of(const struct study *s, int factor) { return s->session->model->param[s->plan.factor[factor].param].unit; }

static long ended_well(const struct survey *v) { return v->u->cases - v->u->failed - v->u->doubtful; }

/* ---- what was drawn ---- */

static void spread_words(char *to, size_t size, const struct spread *s, enum sampling sampling)
{
    char a[32], b[32], c[32];
    number_words(a, s->a, 6), number_words(b, s->b, 6), number_words(c, s->c, 6);
    if (sampling == SAMPLING_LIST) {
        snprintf(to, size, "from the list");
        return;
    }
    switch (s->kind) {
    case SPREAD_VALUES:
        if (s->values > 6) {
            snprintf(to, size, "%d values from %s to %s", s->values, number_words(a, s->value[0], 6), number_words(b, s->value[s->values - 1], 6));
            return;
        }
        *to = 0;
        for (int i = 0; i < s->values; i++)
            snprintf(to + strlen(to), size - strlen(to), "%s%s", i ? ", " : "", number_words(a, s->value[i], 6));
        return;
    case SPREAD_UNIFORM:
        snprintf(to, size, "uniform from %s to %s", a, b);
        return;
    case SPREAD_NORMAL:
        snprintf(to, size, "normal, %s ± %s", a, b);
        return;
    case SPREAD_LOGNORMAL:
        snprintf(to, size, "lognormal, of the logarithm %s ± %s", a, b);
        return;
    case SPREAD_TRIANGLE:
        snprintf(to, size, "triangle from %s over %s to %s", a, b, c);
        return;
    }
}

static void write_facts(FILE *f, const struct survey *v)
{
    const struct study *s = v->s;
    const struct session *n = s->session;
    fputs("<dl class=\"facts\">\n", f);
    fact(f, "Cases", "%ld", v->u->cases);
    fact(f, "Failed", "%ld", v->u->failed);
    if (v->u->doubtful)
        fact(f, "Doubtful", "%ld", v->u->doubtful);
    fact(f, "Parameters that vary", "%d", s->plan.factors);
    if (s->plan.sampling == SAMPLING_GRID || s->plan.sampling == SAMPLING_LIST)
        fact(f, "Sampling", "%s", sampling_words[s->plan.sampling]);
    else
        fact(f, "Sampling", "%s, seed %llu", sampling_words[s->plan.sampling], (unsigned long long)s->plan.seed);
    fact(f, "Time", "%g to %g s", n->from, n->to);
    fact(f, "Method", "%s, rtol %g", mbs_method(n->sim), n->options.rtol);
    fputs("</dl>\n", f);
}

static void write_drawn(FILE *f, const struct survey *v)
{
    const struct study *s = v->s;
    fputs("<details class=\"card fold\"", f);
    if (s->plan.factors <= 8)
        fputs(" open", f);
    fputs("><summary>What varies, and how</summary>\n<div class=\"wide-scroll\"><table><thead><tr><th>Parameter</th><th>Values</th><th class=\"num\">Least</th>"
          "<th class=\"num\">Most</th></tr></thead><tbody>\n", f);
    for (int k = 0; k < s->plan.factors && k < FACTORS_LISTED; k++) {
        char words[512];
        spread_words(words, sizeof words, &s->plan.factor[k].spread, s->plan.sampling);
        fputs("<tr>", f);
        cell_name(f, s->plan.factor[k].name, unit_of(s, k));
        cell_text(f, words);
        cell_number(f, v->least[k], 6);
        cell_number(f, v->most[k], 6);
        fputs("</tr>\n", f);
    }
    fputs("</tbody></table></div>\n", f);
    if (s->plan.factors > FACTORS_LISTED)
        paragraph(f, "and %d more", s->plan.factors - FACTORS_LISTED);
    fputs("</details>\n", f);
}

/* ---- histograms ---- */

/* A line, and its label: above it (side 0), or to its left (-1) or right (1). */
static void mark(const struct chart *c, double x, const char *class, int side, const char *label)
{
    static const char *const at[] = {"name end", "name mid", "name"};
    if (!(x >= c->x0 && x <= c->x1))
        return;
    fprintf(c->f, "<path class=\"%s\" d=\"M%.1f %.1fV%.1f\"/>", class, chart_x(c, x), c->top, c->h - c->bottom);
    chart_text(c, at[side + 1], chart_x(c, x) - 4 * side, c->top - 5, label);
}

enum { NEAR = 42, TOO_NEAR = 28 };      /* widths of labels side by side, and where one is set aside */

/* Where its label would run into the median's it goes to the far side; where there is no room at all there is none. */
static void mark_percentile(const struct chart *c, double x, double median, const char *label)
{
    double apart = fabs(chart_x(c, median) - chart_x(c, x));
    mark(c, x, "mark thin", apart > NEAR ? 0 : x < median ? -1 : 1, apart > TOO_NEAR ? label : "");
}

static void write_histogram(FILE *f, const struct survey *v, int j)
{
    const struct measures *m = &v->s->measures;
    const struct statistics *t = &v->u->of[v->measure[j]];
    const struct histogram *h = &v->of[j];
    const char *name = m->name[v->measure[j]];
    char label[256], a[32], b[32];
    long most = 1;
    for (int i = 0; i < h->bins; i++)
        most = h->count[i] > most ? h->count[i] : most;
    struct chart c = {.w = 420, .h = 210, .left = 46, .right = 12, .top = 22, .bottom = 24, .x0 = h->lo, .x1 = h->hi, .y0 = 0, .y1 = 1.06 * (double)most};
    snprintf(label, sizeof label, "Histogram of %.150s over %ld cases", name, t->n);
    fprintf(f, "<figure class=\"card\" data-measure=\"%d\"><figcaption>", j);
    figure_title(f, name, m->unit[v->measure[j]]);
    chart_begin(&c, f, "histogram", label);
    chart_axes(&c);
    for (int i = 0; i < h->bins; i++) {
        double lo = h->lo + (h->hi - h->lo) * i / h->bins, hi = h->lo + (h->hi - h->lo) * (i + 1) / h->bins, mid = (lo + hi) / 2;
        if (!h->count[i])
            continue;
        fprintf(f, "<rect class=\"bar%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>%s to %s: %ld case%s</title></rect>\n",
                mid < t->at[0] || mid > t->at[PERCENTILES - 1] ? " tail" : "", chart_x(&c, lo) + 0.4, chart_y(&c, (double)h->count[i]),
                fmax(0.5, chart_x(&c, hi) - chart_x(&c, lo) - 0.8), chart_y(&c, 0) - chart_y(&c, (double)h->count[i]), number_words(a, lo, 4), number_words(b, hi, 4), h->count[i],
                h->count[i] == 1 ? "" : "s");
    }
    if (t->most > t->least) {
        mark_percentile(&c, t->at[0], t->at[2], "5 %");
        mark(&c, t->at[2], "mark", 0, "median");
        mark_percentile(&c, t->at[4], t->at[2], "95 %");
    }
    chart_end(&c);
    fputs("<table class=\"numbers\"><tbody><tr><th>mean</th><th>deviation</th><th>5 %</th><th>median</th><th>95 %</th></tr><tr>", f);
    cell_number(f, t->mean, 4);
    cell_number(f, t->deviation, 3);
    cell_number(f, t->at[0], 4);
    cell_number(f, t->at[2], 4);
    cell_number(f, t->at[4], 4);
    fprintf(f, "</tr></tbody></table>\n<p class=\"note\">least %s in case %ld, most %s in case %ld", number_words(a, t->least, 5), t->least_case, number_words(b, t->most, 5), t->most_case);
    if (h->below + h->above)
        fprintf(f, "; %ld case%s beyond the axis", h->below + h->above, h->below + h->above == 1 ? " lies" : "s lie");
    fputs("</p>\n", f);
    figure_end(f);
}

static void write_outputs(FILE *f, const struct survey *v)
{
    int scalars = 0;
    if (!v->measures)
        return;
    section_begin(f, "outputs", "What was measured");
    if (v->measures > 1) {
        fputs("<div class=\"chips script\" id=\"pick\" role=\"group\" aria-label=\"Measures shown\"></div>\n", f);
    }
    fputs("<div class=\"cards\">\n", f);
    for (int j = 0; j < v->measures; j++)
        write_histogram(f, v, j);
    fputs("</div>\n", f);
    for (int i = 0; i < v->s->measures.count; i++)
        scalars += v->s->measures.list[i].kind != MEASURE_CURVE;
    if (scalars > v->measures)
        paragraph(f, "%d more measures are in the results, not here.", scalars - v->measures);
    section_end(f);
}

/* ---- scatter plots ---- */

/* How dense a cell is, from 1 to 5, by the root of its count. */
static int cell_level(long count, long most) { return count <= 0 ? 0 : (int)fmin(5, 1 + floor(5 * sqrt((double)(count - 1) / (double)most))); }

static void write_cells(const struct chart *c, const long *cell)
{
    long most = 1;
    double dx = (c->w - c->left - c->right) / (CELLS_ACROSS + 0.5) / 2, dy = (c->h - c->top - c->bottom) / CELLS_UP / 3;
    for (int i = 0; i < CELLS_UP * CELLS_ACROSS; i++)
        most = cell[i] > most ? cell[i] : most;
    for (int level = 1; level <= 5; level++) {
        bool any = false;
        for (int i = 0; i < CELLS_UP * CELLS_ACROSS; i++) {
            double x, y;
            if (cell_level(cell[i], most) != level)
                continue;
            if (!any)
                fprintf(c->f, "<path class=\"hex h%d\" d=\"", level);
            any = true;
            cell_middle(i, &x, &y);
            x = c->left + x * (c->w - c->left - c->right);
            y = c->h - c->bottom - y * (c->h - c->top - c->bottom);
            fprintf(c->f, "M%.1f %.1fl%.1f %.1fv%.1fl%.1f %.1fl%.1f %.1fv%.1fz", x, y - 2 * dy, dx, dy, 2 * dy, -dx, dy, -dx, -dy, -2 * dy);
        }
        if (any)
            fputs("\"/>\n", c->f);
    }
}

static void write_panel(FILE *f, const struct survey *v, int j, int k, double left, double wide, double high)
{
    const struct study *s = v->s;
    const struct histogram *h = &v->of[j];
    int factor = v->factor[k], d = s->plan.factors;
    char text[64], a[32];
    /* cells are counted over the exact range, so that the axis is that, too, with a margin outside of it */
    struct chart c = {.f = f, .w = left + wide, .h = high, .left = left + 5, .right = 5, .top = 10, .bottom = 38, .x0 = v->least[factor], .x1 = v->most[factor], .y0 = h->lo, .y1 = h->hi};
    if (!(c.x1 > c.x0))
        chart_range(&c.x0, &c.x1, 0);
    double bottom = c.h - c.bottom, r = v->correlation[(size_t)factor * (size_t)v->measures + (size_t)j];
    fprintf(f, "<g class=\"panel\" data-x=\"%d\" data-y=\"%d\" data-box=\"%g %g %g %g\" data-range=\"%.9g %.9g %.9g %.9g\">", factor, j, c.left, c.w - c.right, c.top, bottom, c.x0, c.x1, c.y0, c.y1);
    fprintf(f, "<rect class=\"frame\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" rx=\"4\"/>\n", left, c.top - 5, wide, bottom - c.top + 10);
    if (v->all) {
        fputs("<path class=\"dots\" d=\"", f);
        for (long i = 0; i < v->samples; i++) {
            double x = v->x[(size_t)i * (size_t)d + (size_t)factor], y = v->y[(size_t)i * (size_t)v->measures + (size_t)j];
            if (isfinite(x) && y >= c.y0 && y <= c.y1)
                fprintf(f, "M%.1f %.1fh0", chart_x(&c, x), chart_y(&c, y));
        }
        fputs("\"/>\n", f);
    } else {
        write_cells(&c, v->cell + ((size_t)j * (size_t)v->factors + (size_t)k) * CELLS_UP * CELLS_ACROSS);
    }
    fprintf(f, "<text class=\"tick\" x=\"%.1f\" y=\"%.1f\">%s</text>", left, bottom + 20, number_words(a, c.x0, 4));
    fprintf(f, "<text class=\"tick end\" x=\"%.1f\" y=\"%.1f\">%s</text>", left + wide, bottom + 20, number_words(a, c.x1, 4));
    fprintf(f, "<text class=\"name mid\" x=\"%.1f\" y=\"%.1f\">", left + wide / 2, bottom + 33);
    html_text(f, s->plan.factor[factor].name);
    if (*unit_of(s, factor)) {
        fputs(" / ", f);
        html_unit(f, unit_of(s, factor));
    }
    fputs("</text>", f);
    if (isfinite(r)) {
        snprintf(text, sizeof text, "r = %.2f", r);
        fprintf(f, "<text class=\"r end%s\" x=\"%.1f\" y=\"%.1f\">%s%s</text>", fabs(r) > 0.5 ? " strong" : "", left + wide - 7, c.top + 10, r < 0 ? "r = −" : "r = ",
                strchr(text, '.') - 1);
    }
    fputs("</g>\n", f);
}

static void write_row(FILE *f, const struct survey *v, int j)
{
    const struct measures *m = &v->s->measures;
    const struct histogram *h = &v->of[j];
    double left = 64, gap = 12, high = 176, wide = fmin(360, fmax(150, (1180 - left) / fmax(v->factors, 1) - gap)), all = left + v->factors * (wide + gap);
    char a[32], label[256];
    snprintf(label, sizeof label, "%.150s over the parameters", m->name[v->measure[j]]);
    fprintf(f, "<figure class=\"card row\" data-measure=\"%d\"><figcaption>", j);
    figure_title(f, m->name[v->measure[j]], m->unit[v->measure[j]]);
    fputs("<div class=\"wide-scroll\">\n", f);
    /* as wide as there is room, but no narrower than can be read: then it is moved sideways */
    fprintf(f, "<svg class=\"chart scatter\" style=\"min-width:%gpx;max-width:%gpx\" viewBox=\"0 0 %g %g\" width=\"%g\" height=\"%g\" role=\"img\" aria-label=\"", fmin(all, left + v->factors * 160.0), all, all,
            high, all, high);
    html_text(f, label);
    fputs("\">\n", f);
    fprintf(f, "<text class=\"tick end\" x=\"%g\" y=\"%g\">%s</text>", left - 6, 20.0, number_words(a, h->hi, 3));
    fprintf(f, "<text class=\"tick end\" x=\"%g\" y=\"%g\">%s</text>\n", left - 6, high - 36, number_words(a, h->lo, 3));
    for (int k = 0; k < v->factors; k++)
        write_panel(f, v, j, k, left + k * (wide + gap), wide, high);
    fputs("</svg></div></figure>\n", f);
}

static void write_scatter(FILE *f, const struct survey *v)
{
    const struct study *s = v->s;
    if (!v->measures || !v->factors || ended_well(v) < 2)
        return;
    section_begin(f, "scatter", "Measures over parameters");
    if (v->all)
        paragraph(f, "Each point is a case; r is the linear correlation.");
    else
        paragraph(f, "All %ld cases, by how many lie in a cell (the darker the more); the pointer and the mouse button find %ld of them; r is the linear correlation.",
                  ended_well(v), v->samples);
    if (s->plan.factors > v->factors)
        paragraph(f, "The %d parameters with the largest correlations; those of the %d others are below %.2f.", v->factors, s->plan.factors - v->factors, v->rest + 0.005);
    fputs("<p class=\"note script\">Drag over a panel to choose a range of its parameter; click a point for the command line of its case.</p>\n"
          "<div class=\"script chosen\" id=\"chosen\" role=\"status\" hidden></div>\n", f);
    for (int j = 0; j < v->measures && j < SURVEY_ROWS; j++)
        write_row(f, v, j);
    section_end(f);
}

/* ---- curves ---- */

static void write_fan(FILE *f, struct page *p, const struct survey *v, const struct measure *x)
{
    const struct measures *m = &v->s->measures;
    int step = (x->n + FAN_TIMES - 1) / FAN_TIMES, n = (x->n + step - 1) / step;
    double *t = malloc((size_t)(PERCENTILES + 3) * (size_t)(n + 1) * sizeof *t), *row[PERCENTILES + 2];
    char label[256];
    if (!t) {
        p->lost = true;
        return;
    }
    struct chart c = {.w = 640, .h = 280, .left = 62, .right = 16, .top = 26, .bottom = 36, .x0 = INFINITY, .x1 = -INFINITY, .y0 = INFINITY, .y1 = -INFINITY,
                      .x_name = "t", .x_unit = "s", .y_name = m->columns.name[x->column], .y_unit = m->columns.unit[x->column]};
    for (int k = 0; k < PERCENTILES + 2; k++)
        row[k] = t + (size_t)(k + 1) * (size_t)(n + 1);
    for (int i = 0; i < n; i++) {
        int at = i == n - 1 ? x->n - 1 : i * step;
        const struct statistics *u = &v->u->of[x->at + at];
        t[i] = m->times[at];
        row[0][i] = u->least;
        for (int k = 0; k < PERCENTILES; k++)
            row[k + 1][i] = u->at[k];
        row[PERCENTILES + 1][i] = u->most;
        c.x0 = fmin(c.x0, t[i]), c.x1 = fmax(c.x1, t[i]);
        c.y0 = fmin(c.y0, u->least), c.y1 = fmax(c.y1, u->most);
    }
    chart_range(&c.x0, &c.x1, 0);
    chart_range(&c.y0, &c.y1, 0.05);
    snprintf(label, sizeof label, "%.150s over time: median, half of all cases, nine of ten, extremes", m->columns.name[x->column]);
    figure_begin(f, "wide", m->columns.name[x->column], m->columns.unit[x->column]);
    chart_begin(&c, f, "fan reads", label);
    chart_axes(&c);
    chart_band(&c, "band all", t, row[0], row[6], n, 1);
    chart_band(&c, "band most", t, row[1], row[5], n, 1);
    chart_band(&c, "band half", t, row[2], row[4], n, 1);
    static const char *const name[PERCENTILES + 2] = {"least", "5 %", "25 %", "median", "75 %", "95 %", "most"};
    for (int k = 0; k < PERCENTILES + 2; k++)
        chart_line(&c, k == 3 ? "curve c0" : "edge", name[k], t, row[k], n, 1);
    chart_end(&c);
    fputs("<p class=\"key\"><i class=\"k-line c0\"></i> median <i class=\"k-half\"></i> half of the cases <i class=\"k-most\"></i> 90 % <i class=\"k-all\"></i> all</p>\n", f);
    figure_end(f);
    free(t);
}

static void write_fans(FILE *f, struct page *p, const struct survey *v)
{
    const struct measures *m = &v->s->measures;
    int fans = 0;
    for (int i = 0; i < m->count; i++)
        fans += m->list[i].kind == MEASURE_CURVE;
    if (!fans || !ended_well(v))
        return;
    section_begin(f, "curves", "Curves");
    paragraph(f, "At each time on its own: between which values half of the cases are, nine of ten, all of them.");
    fputs("<div class=\"cards two\">\n", f);
    for (int i = 0, shown = 0; i < m->count && shown < FANS_MOST; i++)
        if (m->list[i].kind == MEASURE_CURVE) {
            write_fan(f, p, v, &m->list[i]);
            shown++;
        }
    fputs("</div>\n", f);
    if (fans > FANS_MOST)
        paragraph(f, "%d more curves are in the results, not here.", fans - FANS_MOST);
    section_end(f);
}

/* ---- parts of the variance ---- */

static void write_bar(const struct chart *c, const char *class, const char *what, const char *name, double value, double error, double y)
{
    double x0 = chart_x(c, 0), x1 = chart_x(c, fmin(fmax(value, c->x0), c->x1));
    char a[32], b[32];
    fprintf(c->f, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"9\" rx=\"2\"><title>", class, fmin(x0, x1), y, fmax(fabs(x1 - x0), 0.6));
    html_text(c->f, name);
    fprintf(c->f, ", %s: %s ± %s</title></rect>", what, number_words(a, value, 3), number_words(b, error, 2));
    if (isfinite(error)) {
        double lo = chart_x(c, fmin(fmax(value - error, c->x0), c->x1)), hi = chart_x(c, fmin(fmax(value + error, c->x0), c->x1));
        fprintf(c->f, "<path class=\"whisker\" d=\"M%.1f %.1fH%.1fM%.1f %.1fv5M%.1f %.1fv5\"/>\n", lo, y + 4.5, hi, lo, y + 2, hi, y + 2);
    }
}

static void write_indices_of(FILE *f, const struct survey *v, int j)
{
    const struct study *s = v->s;
    if (!(v->u->of[v->measure[j]].most > v->u->of[v->measure[j]].least)) {
        fprintf(f, "<figure class=\"card\" data-measure=\"%d\"><figcaption>", j);
        figure_title(f, s->measures.name[v->measure[j]], "");
        paragraph(f, "It is the same in all cases.");
        figure_end(f);
        return;
    }
    int d = s->plan.factors, order[BARS_MOST], n = 0;
    const double *first = v->u->first + (size_t)v->measure[j] * (size_t)d, *total = v->u->total + (size_t)v->measure[j] * (size_t)d;
    const double *first_error = v->u->first_error + (size_t)v->measure[j] * (size_t)d, *total_error = v->u->total_error + (size_t)v->measure[j] * (size_t)d;
    for (; n < d && n < BARS_MOST; n++) {       /* by total index, the largest first */
        order[n] = -1;
        for (int k = 0; k < d; k++) {
            bool taken = false;
            for (int i = 0; i < n; i++)
                taken = taken || order[i] == k;
            if (!taken && (order[n] < 0 || total[k] > total[order[n]] || isnan(total[order[n]])))
                order[n] = k;
        }
    }
    struct chart c = {.w = 420, .h = 48 + 27.0 * n, .left = 96, .right = 14, .top = 10, .bottom = 26, .x0 = 0, .x1 = 1, .y0 = 0, .y1 = 1};
    for (int i = 0; i < n; i++) {
        c.x0 = fmin(c.x0, first[order[i]] - 1.96 * first_error[order[i]]);
        c.x1 = fmax(c.x1, total[order[i]] + 1.96 * total_error[order[i]]);
    }
    c.x0 = fmax(c.x0, -0.3), c.x1 = fmin(c.x1, 1.5);
    char label[256], text[32];
    snprintf(label, sizeof label, "Parts of the variance of %.150s", s->measures.name[v->measure[j]]);
    fprintf(f, "<figure class=\"card\" data-measure=\"%d\"><figcaption>", j);
    figure_title(f, s->measures.name[v->measure[j]], "");
    chart_begin(&c, f, "bars", label);
    for (int k = 0; k <= 4; k++) {
        double x = chart_x(&c, 0.25 * k);
        fprintf(f, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/><text class=\"tick mid\" x=\"%.1f\" y=\"%.1f\">%s</text>", x, c.top, c.h - c.bottom, x, c.h - c.bottom + 15,
                number_words(text, 0.25 * k, 2));
    }
    for (int i = 0; i < n; i++) {
        int k = order[i];
        const char *name = s->plan.factor[k].name;
        double y = c.top + 5 + 27.0 * i;
        chart_text(&c, "name end ink", c.left - 8, y + 14, name);
        write_bar(&c, "bar", "alone", name, first[k], 1.96 * first_error[k], y);
        write_bar(&c, "bar second", "with all others", name, total[k], 1.96 * total_error[k], y + 11);
    }
    chart_end(&c);
    if (d > n)
        paragraph(f, "%d more are smaller.", d - n);
    figure_end(f);
}

static void write_indices(FILE *f, const struct survey *v)
{
    if (!v->u->first || !v->measures)
        return;
    section_begin(f, "indices", "Which parameter matters");
    paragraph(f, "Sobol's indices from %ld points: the part of the variance that a parameter brings alone, and with all others. Whiskers are 95 %% intervals from the scatter "
                 "of the points; these fill the space evenly, so that the true error is smaller as a rule.", v->u->points);
    fputs("<p class=\"key\"><i class=\"k-bar\"></i> alone <i class=\"k-bar second\"></i> with all others</p>\n<div class=\"cards\">\n", f);
    for (int j = 0; j < v->measures; j++)
        write_indices_of(f, v, j);
    fputs("</div>\n", f);
    section_end(f);
}

/* ---- extremes and failures ---- */

/* What a case was, and how it is run again. */
static void write_case(FILE *f, struct page *p, const struct survey *v, long number)
{
    struct study *s = v->s;
    int d = s->plan.factors;
    double *row = malloc((size_t)study_width(s) * sizeof *row);
    int *param = malloc(((size_t)d + 1) * sizeof *param);
    char *line = NULL;
    if (row && param && journal_get(&s->journal, number - 1, 1, row)) {
        for (int k = 0; k < d; k++)
            param[k] = s->plan.factor[k].param;
        line = run_command(s->session, param, row + 1, d);
    }
    if (line)
        command_line(f, line);
    else
        p->lost = true;
    free(line);
    free(param);
    free(row);
}

static void write_extreme(FILE *f, struct page *p, const struct survey *v, int j, bool most)
{
    const struct study *s = v->s;
    const struct statistics *t = &v->u->of[v->measure[j]];
    char a[32];
    fprintf(f, "<details class=\"card fold\"%s><summary>", j == 0 && most ? " open" : "");
    html_text(f, s->measures.name[v->measure[j]]);
    fprintf(f, ": %s <b>%s ", most ? "most" : "least", number_words(a, most ? t->most : t->least, 7));
    html_unit(f, s->measures.unit[v->measure[j]]);
    fprintf(f, "</b> in case %ld</summary>\n", most ? t->most_case : t->least_case);
    write_case(f, p, v, most ? t->most_case : t->least_case);
    fputs("</details>\n", f);
}

static void write_extremes(FILE *f, struct page *p, const struct survey *v)
{
    if (!v->measures)
        return;
    section_begin(f, "extremes", "Extreme cases");
    for (int j = 0; j < v->measures; j++) {
        write_extreme(f, p, v, j, true);
        write_extreme(f, p, v, j, false);
    }
    section_end(f);
}

static void write_failures(FILE *f, struct page *p, const struct survey *v)
{
    if (ended_well(v) == v->u->cases)
        return;
    section_begin(f, "failures", "Cases that did not end well");
    paragraph(f, "They have no part in the numbers and pictures of this page.");
    for (int slot = 0; slot < SURVEY_STATUSES; slot++) {
        if (!v->status[slot] || survey_status(slot) == MBS_OK)
            continue;
        long n = v->status[slot];
        fputs("<details class=\"card fold\" open><summary>", f);
        html_text(f, mbs_status_text(survey_status(slot)));
        fprintf(f, ": %ld case%s</summary>\n<p class=\"note\">case", n, n == 1 ? "" : "s");
        for (long i = 0; i < n && i < SURVEY_NAMED; i++)
            fprintf(f, "%s %ld", i ? "," : "", v->named[slot][i]);
        fputs(n > SURVEY_NAMED ? ", ...; the first is</p>\n" : n > 1 ? "; the first is</p>\n" : "</p>\n", f);
        write_case(f, p, v, v->named[slot][0]);
        fputs("</details>\n", f);
    }
    section_end(f);
}

/* ---- the whole ---- */

static void body(struct page *p, FILE *f)
{
    const struct survey *v = p->user;
    write_facts(f, v);
    write_drawn(f, v);
    write_outputs(f, v);
    write_scatter(f, v);
    write_indices(f, v);
    write_fans(f, p, v);
    write_extremes(f, p, v);
    write_failures(f, p, v);
    char *command = settings_command(p->s->settings, p->s->manual, FOR_SWEEP, "sweep");
    section_begin(f, "command", "The command");
    if (command)
        command_line(f, command);
    else
        p->lost = true;
    free(command);
    section_end(f);
}

static void data_column(FILE *f, const char *name, const char *unit, const double *at, int n, int stride, enum packing packing)
{
    struct column c = {at, n, stride};
    fputs("{\"name\":", f);
    json_string(f, name);
    fputs(",\"unit\":", f);
    json_string(f, unit);
    fputs(",\"data\":", f);
    column_write(f, &c, packing);
    putc('}', f);
}

static void data(struct page *p, FILE *f)
{
    const struct survey *v = p->user;
    const struct study *s = v->s;
    int n = (int)v->samples, d = s->plan.factors;
    struct column number = {v->number, n, 1};
    char *command = run_command(p->s, NULL, NULL, 0);
    fprintf(f, ",\n\"n\":%d,\n\"all\":%s,\n\"case\":", n, v->all ? "true" : "false");
    column_write(f, &number, PACK_DOUBLE);
    fputs(",\n\"command\":", f);
    json_string(f, command ? command : "");
    p->lost = p->lost || !command;
    free(command);
    fputs(",\n\"factors\":[", f);
    for (int k = 0; k < d; k++) {
        fputs(k ? ",\n" : "", f);
        data_column(f, s->plan.factor[k].name, unit_of(s, k), v->x + k, n, d, PACK_DOUBLE);
    }
    fputs("],\n\"measures\":[", f);
    for (int j = 0; j < v->measures; j++) {
        fputs(j ? ",\n" : "", f);
        data_column(f, s->measures.name[v->measure[j]], s->measures.unit[v->measure[j]], v->y + j, n, v->measures, PACK_FLOAT);
    }
    putc(']', f);
}

bool page_sweep(struct study *s, const struct summary *u)
{
    struct survey v;
    struct page p = {.s = s->session, .body = body, .data = data, .user = &v};
    bool good = survey_init(&v, s, u);
    if (!good)
        complain(s->session->manual, "%s", *s->journal.why ? s->journal.why : "out of memory");
    snprintf(p.subtitle, sizeof p.subtitle, "%s · sweep of %ld cases, %s over %d parameter%s", s->session->model->name, u->cases, sampling_words[s->plan.sampling], s->plan.factors,
             s->plan.factors == 1 ? "" : "s");
    good = good && page_study(&p);
    survey_fini(&v);
    return good;
}
