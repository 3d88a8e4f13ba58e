/* SPDX-License-Identifier: GPL-3.0-or-later
 * Curves from the table of a sweep. */
#ifndef DRIVER_PLOT_SWEEP_H
#define DRIVER_PLOT_SWEEP_H
#include "csv.h"
#include "plot_pane.h"

/* A table of cases, as `mbs sweep` writes it. */
bool sweep_is(const struct csv *);
/* Measures over a parameter, of cases that went well: a line for each combination of the others if these are few, else points; what was kept as a curve,
 * over time, a line for each case.  x: the column of the horizontal axis, NULL: the first parameter that varies.  Without names all measures.
 * False: why says why not. */
bool sweep_curves(struct figure *, const struct csv *, const char *x, const char *const *wanted, int n, char why[300]);
#endif
