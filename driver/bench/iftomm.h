/* SPDX-License-Identifier: GPL-3.0-or-later
 * The IFToMM slider-crank: its models, the reference, the search for the least CPU time. */
#ifndef DRIVER_IFTOMM_H
#define DRIVER_IFTOMM_H
#include "figure.h"

enum { NATURAL, ABSOLUTE, THICK, MODELS }; /* THICK: natural, rods of square section */
enum { ROWS = 101 };                       /* of the reference: every 0.1 s */
#define DRIFT_LIMIT 0.001 /* J: "below 0.001 J" */
extern const char *const slider_coordinates[2];

struct slider {
    struct build build[MODELS];
    double thin[ROWS][2], thick[ROWS][2]; /* P2 */
    int rows;
};

/* Where x2 stands in a row; y2 and x3 follow it in both models. */
int slider_joints(const struct history *);
/* Largest distance of P2 from the reference, rows every 0.1 s. */
double slider_error(const struct history *, const double (*reference)[2], int rows);

/* iftomm_search.c: for each method and formulation the least CPU time with an energy drift below the limit. */
void slider_search(struct bench *, const struct slider *);
#endif
