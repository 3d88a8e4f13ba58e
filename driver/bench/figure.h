/* SPDX-License-Identifier: GPL-3.0-or-later
 * Figures of solutions: a column of a history as a line; those of the test set. */
#ifndef DRIVER_FIGURE_H
#define DRIVER_FIGURE_H
#include "picture.h"
#include "trial.h"

/* A column over time, both scaled; series_free frees. */
struct series series_column(const struct history *, int column, double scale, double x_scale, enum style, int color, const char *title);
void series_free(struct series *, int n);

/* Figure II.13.1: the solution of the squeezer modulo 2 pi. */
void figure_squeezer(struct bench *, const struct mbs_model *);
/* Figures II.19.2 to II.19.4 of the slider crank, its frequencies, and the run of MDOP5 that the text mentions. */
void figure_crank(struct bench *);
#endif
