/* SPDX-License-Identifier: GPL-3.0-or-later
 * Curves in panes, for gnuplot: what has one unit shares an axis, at most PANE_CURVES curves share a pane. */
#ifndef DRIVER_PLOT_PANE_H
#define DRIVER_PLOT_PANE_H
#include <stdbool.h>
#include <stdio.h>

enum { PANE_CURVES = 8, PANES = 40 };

struct curve {
    char *title;                /* of the legend */
    char *x_name, *y_name;      /* "phi [rad]" */
    double *x, *y;              /* n; what is not finite is a gap */
    int n;
    bool points;                /* without lines: there is no order among them */
    double shade;               /* of many curves in one pane: a value that colours it; else NaN */
};
struct figure {
    struct curve *curve;
    int curves;
    char *shade_name;           /* what the shades are; NULL: curves have colours of their own */
    bool equal;                 /* paths: a metre is as long on both axes */
    /* made by figure_arrange() */
    int pane[PANES + 1], order_length;  /* pane k has the curves order[pane[k]] to order[pane[k + 1] - 1] */
    int *order, panes, columns;
    bool multiples;             /* a pane for each curve, on one scale for each unit */
};

/* Room for one more curve of n points, whose names are copied; NULL: out of memory. */
struct curve *figure_add(struct figure *, const char *title, const char *x_name, const char *y_name, int n);
void figure_free(struct figure *);
/* Puts the curves into panes; false: why says why not. */
bool figure_arrange(struct figure *, char why[200]);
/* The commands and the data. */
struct figure_style {
    const char *title;          /* or NULL */
    bool logx, logy;
    bool text;                  /* a terminal of characters: pane below pane */
};
void figure_write(FILE *, const struct figure *, const struct figure_style *);
/* Height in pixels that suits the panes. */
double figure_height(const struct figure *);
#endif
