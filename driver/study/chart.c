/* SPDX-License-Identifier: GPL-3.0-or-later
 * Charts. */
#include "config.h"
#include "study/chart.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* ---- text ---- */

static void html_char(FILE *f, char c)
{
    switch (c) {
    case '<': fputs("&lt;", f); break;
    case '>': fputs("&gt;", f); break;
    case '&': fputs("&amp;", f); break;
    case '"': fputs("&quot;", f); break;
    case '\'': fputs("&#39;", f); break;
    default: putc((unsigned char)c < 0x20 && c != '\n' && c != '\t' ? ' ' : c, f);
    }
}
void html_text(FILE *f, const char *s)
{
    for (; s && *s; s++)
        html_char(f, *s);
}

void html_unit(FILE *f, const char *unit)
{
    static const char *const digit[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    for (const char *s = unit; s && *s; s++) {
        if (*s == '*') {
            fputs("·", f);
        } else if (*s == '^' && (isdigit((unsigned char)s[1]) || (s[1] == '-' && isdigit((unsigned char)s[2])))) {
            s++;
            if (*s == '-')
                fputs("⁻", f), s++;
            fputs(digit[*s - '0'], f);
        } else {
            html_char(f, *s);
        }
    }
}

/* "-1e-05" -> "−1e−5" */
static void tidy(char to[32], const char *from)
{
    char *at = to;
    for (const char *s = from; *s && at < to + 27; s++) {
        if (*s == '-') {
            memcpy(at, "−", strlen("−"));
            at += strlen("−");
        } else if (!(*s == '+' || (*s == '0' && s > from && (s[-1] == '+' || s[-1] == '-') && strchr(from, 'e') && strchr(from, 'e') < s))) {
            *at++ = *s;
        }
    }
    *at = 0;
}

const char *number_words(char text[32], double x, int digits)
{
    char plain[32];
    if (!isfinite(x))
        return strcpy(text, "–");
    snprintf(plain, sizeof plain, fabs(x) < 1e5 || digits > 5 ? "%.*g" : "%.*e", fabs(x) < 1e5 || digits > 5 ? digits : digits - 1, x);
    tidy(text, plain);
    return text;
}

/* ---- axes ---- */

void chart_range(double *lo, double *hi, double part)
{
    if (!(*hi >= *lo))
        *lo = 0, *hi = 1;
    double size = fmax(fabs(*lo), fabs(*hi)), pad = part * (*hi - *lo);
    if (!(*hi - *lo > 1e-9 * size))     /* what changes in the last digits only is constant */
        pad = size > 0 ? 0.1 * size : 1;
    *lo -= pad;
    *hi += pad;
}

double chart_x(const struct chart *c, double x) { return c->left + (x - c->x0) / (c->x1 - c->x0) * (c->w - c->left - c->right); }
double chart_y(const struct chart *c, double y)
{
    double v = c->log ? log10(fmax(y, 1e-300)) : y;
    return c->h - c->bottom - (v - c->y0) / (c->y1 - c->y0) * (c->h - c->bottom - c->top);
}

/* About n round values. */
static double tick_step(double lo, double hi, double n)
{
    double raw = (hi - lo) / fmax(n, 1), power = pow(10, floor(log10(raw))), part = raw / power;
    return (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10) * power;
}
static const char *tick_text(char text[32], double x, double step)
{
    char plain[32];
    double size = fmax(fabs(x), step);
    if (fabs(x) < 1e-9 * step)
        return strcpy(text, "0");
    if (size >= 1e5 || size < 1e-3)
        snprintf(plain, sizeof plain, "%.*g", (int)fmin(12, fmax(1, ceil(log10(fabs(x) / step) + 1e-9) + 1)), x);
    else
        snprintf(plain, sizeof plain, "%.*f", (int)fmax(0, -floor(log10(step) + 1e-9)), x);
    tidy(text, plain);
    return text;
}

static void attribute(FILE *f, const char *name, const char *text)
{
    fprintf(f, " %s=\"", name);
    html_text(f, text);
    putc('"', f);
}

void chart_begin(struct chart *c, FILE *f, const char *class, const char *label)
{
    c->f = f;
    fprintf(f, "<svg class=\"chart %s\" viewBox=\"0 0 %g %g\" width=\"%g\" height=\"%g\" role=\"img\"", class, c->w, c->h, c->w, c->h);
    attribute(f, "aria-label", label);
    fprintf(f, " data-box=\"%g %g %g %g\" data-range=\"%.9g %.9g %.9g %.9g\"", c->left, c->w - c->right, c->top, c->h - c->bottom, c->x0, c->x1, c->y0, c->y1);
    if (c->log)
        fputs(" data-log=\"1\"", f);
    fputs(">\n", f);
}
void chart_end(const struct chart *c) { fputs("</svg>\n", c->f); }

void chart_text(const struct chart *c, const char *class, double x, double y, const char *text)
{
    fprintf(c->f, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", class, x, y);
    html_text(c->f, text);
    fputs("</text>", c->f);
}

static void axis_name(const struct chart *c, const char *class, double x, double y, const char *name, const char *unit)
{
    if (!name)
        return;
    fprintf(c->f, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", class, x, y);
    html_text(c->f, name);
    if (unit && *unit) {
        fputs(" / ", c->f);
        html_unit(c->f, unit);
    }
    fputs("</text>", c->f);
}

void chart_axes(const struct chart *c)
{
    char text[32];
    double bottom = c->h - c->bottom, right = c->w - c->right, wide = right - c->left, high = bottom - c->top;
    double dx = tick_step(c->x0, c->x1, wide / 75), dy = tick_step(c->y0, c->y1, c->log ? fmin(5, high / 26) : high / 34);
    if (c->log)
        dy = fmax(1, rint(dy));
    for (double k = ceil(c->x0 / dx - 1e-9); k * dx <= c->x1 + 1e-9 * dx; k++) {
        double x = chart_x(c, k * dx);
        fprintf(c->f, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>", x, c->top, bottom);
        fprintf(c->f, "<text class=\"tick mid\" x=\"%.1f\" y=\"%.1f\">%s</text>", x, bottom + 15, tick_text(text, k * dx, dx));
    }
    for (double k = ceil(c->y0 / dy - 1e-9); k * dy <= c->y1 + 1e-9 * dy; k++) {
        double y = bottom - (k * dy - c->y0) / (c->y1 - c->y0) * high;
        fprintf(c->f, "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/>", c->left, y, right);
        if (c->log)
            snprintf(text, sizeof text, "1e%s%g", k * dy < 0 ? "−" : "", fabs(k * dy));
        else
            tick_text(text, k * dy, dy);
        fprintf(c->f, "<text class=\"tick end\" x=\"%.1f\" y=\"%.1f\">%s</text>", c->left - 6, y + 4, text);
    }
    axis_name(c, "name end", right, c->h - 4, c->x_name, c->x_unit);
    axis_name(c, "name", c->left > 40 ? 8 : c->left, c->top - 9, c->y_name, c->y_unit);
    putc('\n', c->f);
}

/* ---- what is in them ---- */

/* A place that is far outside stays near the edge, where it cannot be seen. */
static double bounded(double v, double most) { return fmin(fmax(v, -most), 2 * most); }

static void point(const struct chart *c, char how, double x, double y)
{
    fprintf(c->f, "%c%.1f %.1f", how, bounded(chart_x(c, x), c->w), bounded(chart_y(c, y), c->h));
}

static void path_open(const struct chart *c, const char *class, const char *name)
{
    fprintf(c->f, "<path class=\"%s\"", class);
    if (name)
        attribute(c->f, "data-name", name);
    fputs(" d=\"", c->f);
}

/* Of all points that share a pixel column, first, least, largest and last. */
static int pixel_end(const struct chart *c, const double *x, int i, int n, int stride)
{
    double column = floor(chart_x(c, x[(size_t)i * (size_t)stride]));
    while (i < n && isfinite(x[(size_t)i * (size_t)stride]) && floor(chart_x(c, x[(size_t)i * (size_t)stride])) == column)
        i++;
    return i;
}

void chart_line(const struct chart *c, const char *class, const char *name, const double *x, const double *y, int n, int stride)
{
#define X(i) x[(size_t)(i) * (size_t)stride]
#define Y(i) y[(size_t)(i) * (size_t)stride]
    bool pen = false, dense = n > 3 * c->w;
    path_open(c, class, name);
    for (int i = 0; i < n;) {
        if (!isfinite(X(i)) || !isfinite(Y(i))) {
            pen = false;
            i++;
            continue;
        }
        int end = dense ? pixel_end(c, x, i, n, stride) : i + 1, least = i, most = i, last = i;
        for (int k = i; k < end; k++) {
            if (!isfinite(Y(k)))
                continue;
            least = Y(k) < Y(least) ? k : least;
            most = Y(k) > Y(most) ? k : most;
            last = k;
        }
        int order[4] = {i, least < most ? least : most, least < most ? most : least, last};
        for (int k = 0; k < 4; k++)
            if (k == 0 || order[k] > order[k - 1]) {
                point(c, pen ? 'L' : 'M', X(order[k]), Y(order[k]));
                pen = true;
            }
        i = end > i ? end : i + 1;
    }
    fputs("\"/>\n", c->f);
#undef X
#undef Y
}

void chart_band(const struct chart *c, const char *class, const double *x, const double *lo, const double *hi, int n, int stride)
{
    bool any = false;
    path_open(c, class, NULL);
    for (int i = 0; i < n; i++)
        if (isfinite(hi[(size_t)i * (size_t)stride])) {
            point(c, any ? 'L' : 'M', x[(size_t)i], hi[(size_t)i * (size_t)stride]);
            any = true;
        }
    for (int i = n - 1; i >= 0; i--)
        if (isfinite(lo[(size_t)i * (size_t)stride]))
            point(c, 'L', x[(size_t)i], lo[(size_t)i * (size_t)stride]);
    fputs(any ? "Z\"/>\n" : "\"/>\n", c->f);
}

void chart_dots(const struct chart *c, const char *class, const char *name, const double *x, const double *y, int n, int stride)
{
    path_open(c, class, name);
    for (int i = 0; i < n; i++) {
        double a = x[(size_t)i * (size_t)stride], b = y[(size_t)i * (size_t)stride];
        if (isfinite(a) && isfinite(b)) {
            point(c, 'M', a, b);
            fputs("h0", c->f);
        }
    }
    fputs("\"/>\n", c->f);
}

void chart_rule(const struct chart *c, const char *class, double x0, double y0, double x1, double y1)
{
    fprintf(c->f, "<path class=\"%s\" d=\"M%.1f %.1fL%.1f %.1f\"/>", class, chart_x(c, x0), chart_y(c, y0), chart_x(c, x1), chart_y(c, y1));
}
