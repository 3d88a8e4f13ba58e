/* SPDX-License-Identifier: GPL-3.0-or-later
 * The frame of the pages of studies. */
#include "config.h"
#include "study/page.h"

#include "base/out.h"
#include "interrupt.h"
#include "json.h"
#include "pack.h"
#include "sha256.h"
#include "study_files.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- parts ---- */

void section_begin(FILE *f, const char *id, const char *title) { fprintf(f, "<section id=\"%s\">\n<h2>%s</h2>\n", id, title); }
void section_end(FILE *f) { fputs("</section>\n", f); }

static void escaped(FILE *f, const char *fmt, va_list ap)
{
    char text[2048];
    vsnprintf(text, sizeof text, fmt, ap);
    html_text(f, text);
}
void paragraph(FILE *f, const char *fmt, ...)
{
    va_list ap;
    fputs("<p class=\"note\">", f);
    va_start(ap, fmt);
    escaped(f, fmt, ap);
    va_end(ap);
    fputs("</p>\n", f);
}
void fact(FILE *f, const char *label, const char *fmt, ...)
{
    va_list ap;
    fputs("<div><dt>", f);
    html_text(f, label);
    fputs("</dt><dd>", f);
    va_start(ap, fmt);
    escaped(f, fmt, ap);
    va_end(ap);
    fputs("</dd></div>\n", f);
}
void cell_text(FILE *f, const char *text)
{
    fputs("<td>", f);
    html_text(f, text);
    fputs("</td>", f);
}
void cell_number(FILE *f, double x, int digits)
{
    char text[32];
    fprintf(f, "<td class=\"num\">%s</td>", number_words(text, x, digits));
}
void cell_name(FILE *f, const char *name, const char *unit)
{
    fputs("<th scope=\"row\">", f);
    html_text(f, name);
    if (unit && *unit) {
        fputs(" <small>", f);
        html_unit(f, unit);
        fputs("</small>", f);
    }
    fputs("</th>", f);
}
void command_line(FILE *f, const char *text)
{
    fputs("<pre class=\"command\">", f);
    html_text(f, text);
    fputs("</pre>\n", f);
}
void figure_title(FILE *f, const char *title, const char *unit)
{
    html_text(f, title);
    if (unit && *unit) {
        fputs(" <small>", f);
        html_unit(f, unit);
        fputs("</small>", f);
    }
    fputs("</figcaption>\n", f);
}
void figure_begin(FILE *f, const char *class, const char *title, const char *unit)
{
    fprintf(f, "<figure class=\"card %s\"><figcaption>", class);
    figure_title(f, title, unit);
}
void figure_end(FILE *f) { fputs("</figure>\n", f); }

char *run_command(const struct session *s, const int *param, const double *value, int n)
{
    char *text = NULL, *head = settings_command(s->settings, s->manual, FOR_RUN, "run");
    size_t size = 0;
    FILE *f = head ? stream_open(&text, &size) : NULL;
    if (f)
        fputs(head, f);
    for (int i = 0; f && i < n; i++) {
        const char *name = s->model->param[param[i]].name;
        size_t room = strlen(name) + 32;
        char *word = malloc(room);
        if (!word) {
            stream_close(f);
            free(text);
            f = NULL;
            text = NULL;
            break;
        }
        snprintf(word, room, "%s=%.17g", name, value[i]);
        fputs(" --set ", f);
        shell_word(f, word);
        free(word);
    }
    free(head);
    if (f && stream_close(f))
        return text;
    free(text);
    return NULL;
}

void span_cell(FILE *f, double low, double high, double value, double error, double start)
{
    double lo = isfinite(low) ? low : fmin(start, value - 5 * (isfinite(error) ? error : 0)), hi = isfinite(high) ? high : fmax(start, value + 5 * (isfinite(error) ? error : 0));
    chart_range(&lo, &hi, 0.03);
#define AT(x) (4 + 192 * ((x) - lo) / (hi - lo))
    fputs("<td class=\"bars\"><svg viewBox=\"0 0 200 16\" preserveAspectRatio=\"none\" aria-hidden=\"true\">", f);
    fprintf(f, "<path class=\"span-line\" d=\"M%.1f 8H%.1f\"/>", isfinite(low) ? AT(low) : 0, isfinite(high) ? AT(high) : 200);
    if (isfinite(error))
        fprintf(f, "<path class=\"span-error\" d=\"M%.1f 8H%.1f\"/>", fmax(0, AT(value - 2 * error)), fmin(200, AT(value + 2 * error)));
    fprintf(f, "<rect class=\"span-was\" x=\"%.1f\" y=\"3\" width=\"2\" height=\"10\"/><rect class=\"span-dot\" x=\"%.1f\" y=\"3\" width=\"4\" height=\"10\" rx=\"1.5\"/></svg></td>",
            AT(start) - 1, AT(value) - 2);
#undef AT
}

void found_commands(FILE *f, struct page *p, const char *name, const struct freedom *free_ones, const double *value, int n)
{
    int *param = malloc(((size_t)n + 1) * sizeof *param);
    char *own = settings_command(p->s->settings, p->s->manual, p->s->manual->command, name);
    for (int k = 0; k < n && param; k++)
        param[k] = free_ones[k].param;
    char *line = param ? run_command(p->s, param, value, n) : NULL;
    section_begin(f, "command", "The commands");
    if (own && line) {
        command_line(f, own);
        paragraph(f, "A run with what was found:");
        command_line(f, line);
    } else {
        p->lost = true;
    }
    section_end(f);
    free(own);
    free(line);
    free(param);
}

void course_parameters(FILE *f, struct page *p, double width, const char *step_name, const struct freedom *free_ones, const double *value, int n, const double *course, long steps, size_t stride)
{
    enum { COLOURS = 8 };
    int step = (int)(steps / COURSE_POINTS) + 1, shown = n < COLOURS ? n : COLOURS, m = 0;
    double *t = malloc(2 * ((size_t)steps / (size_t)step + 2) * sizeof *t), *y = t + (size_t)steps / (size_t)step + 2;
    struct chart g = {.w = width, .h = 230, .left = 62, .right = 16, .top = 26, .bottom = 38, .x0 = INFINITY, .x1 = -INFINITY, .y0 = INFINITY, .y1 = -INFINITY, .x_name = step_name,
                      .y_name = "value over the last"};
    if (!t) {
        p->lost = true;
        return;
    }
#define PART(k, i) (value[k] != 0 ? course[(size_t)(i) * stride + (size_t)(k)] / value[k] : NAN)
    for (long i = 0; i < steps; i += step) {
        t[m++] = (double)i;
        for (int k = 0; k < shown; k++)
            if (isfinite(PART(k, i)))
                g.y0 = fmin(g.y0, PART(k, i)), g.y1 = fmax(g.y1, PART(k, i));
    }
    g.x0 = 0, g.x1 = (double)(steps - 1);
    chart_range(&g.x0, &g.x1, 0);
    chart_range(&g.y0, &g.y1, 0.06);
    figure_begin(f, "wide", "Parameters", "");
    chart_begin(&g, f, "reads", "The parameters on the way, as parts of what was found");
    chart_axes(&g);
    for (int k = 0; k < shown; k++) {
        char class[24];
        for (int i = 0; i < m; i++)
            y[i] = PART(k, (long)i * step);
        snprintf(class, sizeof class, "curve c%d", k);
        chart_line(&g, class, p->s->model->param[free_ones[k].param].name, t, y, m, 1);
    }
#undef PART
    chart_end(&g);
    fputs("<p class=\"key\">", f);
    for (int k = 0; k < shown; k++) {
        fprintf(f, "<i class=\"k-line c%d\"></i> ", k);
        html_text(f, p->s->model->param[free_ones[k].param].name);
        putc(' ', f);
    }
    if (n > shown)
        fprintf(f, "and %d more that are not shown", n - shown);
    fputs("</p>\n", f);
    figure_end(f);
    free(t);
}

/* ---- the page ---- */

/* What the page may do: run its own script, known by its sum, and nothing that a name or a title has brought along; connect to nothing. */
static void write_policy(FILE *f, const char *const *const *script)
{
    struct sha256 h;
    char hex[65];
    struct encoder e = {f, 0, 0};
    sha256_init(&h);
    for (; *script; script++)
        for (const char *const *line = *script; *line; line++)
            sha256_add(&h, *line, strlen(*line));
    sha256_hex(&h, hex);
    fputs("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-", f);
    for (int i = 0; i < 64; i += 2) {
        unsigned byte = 0;
        sscanf(hex + i, "%2x", &byte);
        encode_word(&e, byte, 1);
    }
    encode_end(&e);
    fputs("'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'\">\n", f);
}

static void write_data(FILE *f, struct page *p)
{
    fputs("<script type=\"application/json\" id=\"data\">\n{\"title\":", f);
    json_string(f, p->s->model->name);
    if (p->data)
        p->data(p, f);
    fputs("}\n</script>\n", f);
}

static void write_page(FILE *f, struct page *p)
{
    static const char *const begin[] = {"(function () {\n\"use strict\";\n", NULL}, *const end[] = {"})();\n", NULL};
    static const char *const *const script[] = {begin, common_js, study_js, end, NULL};
    const struct mbs_model *m = p->s->model;
    const char *title = m->title && *m->title ? m->title : m->name;
    for (const char *const *line = study_html; *line; line++) {
        if ((*line)[0] != '@') {
            fputs(*line, f);
        } else if (!strcmp(*line, "@policy\n")) {
            write_policy(f, script);
        } else if (!strcmp(*line, "@title\n")) {
            html_text(f, title);
        } else if (!strcmp(*line, "@subtitle\n")) {
            html_text(f, p->subtitle);
        } else if (!strcmp(*line, "@css\n")) {
            lines_write(f, page_css);
            lines_write(f, study_css);
        } else if (!strcmp(*line, "@body\n")) {
            p->body(p, f);
        } else if (!strcmp(*line, "@footer\n")) {
            fputs("Made by mbs " PACKAGE_VERSION " from ", f);
            html_text(f, p->s->settings->files.at[0]);
        } else if (!strcmp(*line, "@data\n")) {
            write_data(f, p);
        } else if (!strcmp(*line, "@js\n")) {
            fputs("<script>", f);
            for (int i = 0; script[i]; i++)
                lines_write(f, script[i]);
            fputs("</script>\n", f);
        }
    }
}

bool page_ready(const struct session *s)
{
    const char *path = s->settings->page;
    struct out out;
    if (!path)
        return true;
    if (!strcmp(path, "-")) {
        complain(s->manual, "--page writes a file, not standard output, where the table goes");
        return false;
    }
    if (s->settings->output && !strcmp(path, s->settings->output)) {
        complain(s->manual, "--page and -o name the same file");
        return false;
    }
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return true;            /* who reads from a pipe would take this for its end */
    bool good = out_open(&out, path);
    if (!good)
        complain(s->manual, "%s", out.why);
    out_discard(&out);
    return good;
}

bool page_study(struct page *p)
{
    const struct manual *manual = p->s->manual;
    struct out out;
    if (!out_open(&out, p->s->settings->page)) {
        complain(manual, "%s", out.why);
        out_discard(&out);
        return false;
    }
    char *temp = out.temp ? strdup(out.temp) : NULL;
    if (temp)
        interrupt_cover(temp);
    write_page(out.f, p);
    bool good = !p->lost && out_close(&out);
    if (p->lost) {
        out_discard(&out);
        snprintf(out.why, sizeof out.why, "out of memory");
    }
    if (temp)
        interrupt_uncover(temp);
    free(temp);
    if (!good)
        complain(manual, "%s", out.why);
    return good;
}
