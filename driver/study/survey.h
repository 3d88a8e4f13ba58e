/* SPDX-License-Identifier: GPL-3.0-or-later
 * What the page of a sweep shows of its cases, gathered from the journal in two passes and in memory that does not grow with them: ranges, correlations,
 * histograms, how many cases lie in each cell of a scatter plot, and some of the cases themselves. */
#ifndef STUDY_SURVEY_H
#define STUDY_SURVEY_H
#include "study/statistics.h"

enum { SURVEY_FACTORS = 6, SURVEY_MEASURES = 12, SURVEY_ROWS = 6, SURVEY_BINS = 48, SURVEY_STATUSES = 32, SURVEY_NAMED = 12 };
/* Cells of a scatter plot: a hexagonal grid, each second row moved by half a cell. */
enum { CELLS_ACROSS = 22, CELLS_UP = 18 };

struct histogram {
    double lo, hi;              /* of the axis */
    int bins;
    long count[SURVEY_BINS];
    long below, above;          /* beyond the axis */
};
struct moments {                /* sums over the cases, about the first of them */
    double n, x, y, xx, yy, xy;
};
struct survey {
    struct study *s;
    const struct summary *u;
    int *factor, factors;       /* those that are shown, the most influential first */
    int *measure, measures;     /* places in the row of measures of those that are shown: no curves */
    double *least, *most;       /* of all factors */
    double *correlation;        /* factors of the plan x measures */
    double rest;                /* the largest correlation of a factor that is not shown */
    struct histogram *of;       /* measures */
    long *cell;                 /* measures x factors x CELLS_UP x CELLS_ACROSS */
    long status[SURVEY_STATUSES];
    long named[SURVEY_STATUSES][SURVEY_NAMED];          /* the first cases that ended so, from 1 */
    long samples;               /* cases that are kept */
    bool all;                   /* they are all that ended well */
    struct moments *moments;    /* of each correlation */
    double *origin;             /* the first record that ended well */
    double *number, *x, *y;     /* samples; samples x factors of the plan; samples x measures */
};
/* Where survey->status counts a status of libmbs; and the way back. */
static inline int survey_slot(int status) { return status + SURVEY_STATUSES / 2 >= 0 && status < SURVEY_STATUSES / 2 ? status + SURVEY_STATUSES / 2 : 0; }
static inline int survey_status(int slot) { return slot - SURVEY_STATUSES / 2; }
bool survey_init(struct survey *, struct study *, const struct summary *);
void survey_fini(struct survey *);
/* The cell in which a point of the unit square lies, and its middle. */
int cell_of(double x, double y);
void cell_middle(int cell, double *x, double *y);
#endif
