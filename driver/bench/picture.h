/* SPDX-License-Identifier: GPL-3.0-or-later
 * Pictures: panels of series, drawn by gnuplot as SVG and PNG. */
#ifndef DRIVER_PICTURE_H
#define DRIVER_PICTURE_H
#include "bench.h"

enum style { LINE, DASHED, POINTS, LINE_POINTS, OPEN_POINTS, DASHED_OPEN };
struct series {
    const char *title;          /* NULL: not in the legend */
    int n;
    const double *x, *y;        /* not finite: a gap */
    enum style style;
    int color;                  /* 0..PICTURE_COLORS-1, taken modulo */
    int shape;                  /* of the points, 0..6 */
};
enum { PICTURE_COLORS = 14 };
enum key { KEY_NONE, KEY_INSIDE, KEY_OUTSIDE, KEY_BELOW };
struct panel {
    const char *title, *x, *y;  /* labels with units */
    bool logx, logy;
    double x0, x1, y0, y1;      /* range; x0 == x1: as the data are */
    enum key key;
    int n;
    const struct series *series;
};
struct picture {
    const char *what, *caption; /* file DIR/NAME-WHAT.svg; caption: one sentence below it in the document */
    int rows, columns, width, height;   /* pixels */
    const struct panel *panel;
};
/* Draws both files and links the PNG in the document; without gnuplot says so once. */
void picture_draw(struct bench *, const struct picture *);
#endif
