/* SPDX-License-Identifier: GPL-3.0-or-later
 * Charts of the pages of studies: SVG with axes, whose colours are the classes of study.css, so that they are seen in light, dark and print, and
 * without a script.  Coordinates are written to a tenth of a pixel. */
#ifndef STUDY_CHART_H
#define STUDY_CHART_H
#include <stdbool.h>
#include <stdio.h>

struct chart {
    FILE *f;
    double w, h;                        /* of the whole, in pixels */
    double left, right, top, bottom;    /* margins */
    double x0, x1, y0, y1;              /* what the axes show; of a logarithmic one the decimal logarithms */
    bool log;                           /* the vertical axis */
    const char *x_name, *x_unit, *y_name, *y_unit;      /* NULL: no name; the vertical one's is written above */
};

/* Widens a range by a part of it, and one without a length to something that has one. */
void chart_range(double *lo, double *hi, double part);
/* Opens the element; label says what is seen, to who cannot see it. */
void chart_begin(struct chart *, FILE *, const char *class, const char *label);
void chart_axes(const struct chart *);
void chart_end(const struct chart *);

double chart_x(const struct chart *, double x);
double chart_y(const struct chart *, double y);
/* x, y: n values each, at a distance of `stride`; NaN makes a gap.  More points than pixels are drawn as the least and largest of each pixel.  name: what
 * the pointer reads there, NULL: nothing. */
void chart_line(const struct chart *, const char *class, const char *name, const double *x, const double *y, int n, int stride);
void chart_band(const struct chart *, const char *class, const double *x, const double *lo, const double *hi, int n, int stride);
void chart_dots(const struct chart *, const char *class, const char *name, const double *x, const double *y, int n, int stride);
/* A straight line from end to end. */
void chart_rule(const struct chart *, const char *class, double x0, double y0, double x1, double y1);
void chart_text(const struct chart *, const char *class, double x, double y, const char *text);

/* ---- text ---- */

/* Text of a model, of a file, of the command line inside an element or a quoted attribute. */
void html_text(FILE *, const char *);
/* kg*m^2/s as kg·m²/s, escaped. */
void html_unit(FILE *, const char *unit);
/* A number with so many digits, as people read it. */
const char *number_words(char text[32], double x, int digits);
#endif
