/* SPDX-License-Identifier: GPL-3.0-or-later
 * What a study keeps of a run: the end, extremes, means, ... of its columns, or whole curves. */
#ifndef STUDY_MEASURE_H
#define STUDY_MEASURE_H
#include "session.h"
#include "sink.h"

enum measure_kind { MEASURE_END, MEASURE_START, MEASURE_MIN, MEASURE_MAX, MEASURE_PEAK, MEASURE_MEAN, MEASURE_RMS, MEASURE_INTEGRAL, MEASURE_CURVE, MEASURES };
struct measure {
    enum measure_kind kind;
    int column;                 /* of the columns of a run */
    int at, n;                  /* its place in the row of results */
};

struct measures {
    struct columns columns;     /* of a run, all of them */
    struct measure *list;
    int count;
    int width;                  /* values in all */
    char **name, **unit;        /* width: "max(phi)", "curve(phi) at 0.1" */
    bool rows;                  /* not only start and end count: output on the way is needed */
    bool energies, violations;  /* these columns are read */
    double from, to, every;
    int samples;                /* rows of a curve */
    double *times;              /* samples */
    char why[512];
};
/* requests such as `max(phi)`, `phi` (at the end); none: the outputs, or the coordinates, at the end. */
bool measures_init(struct measures *, const struct session *, const char *const *request, int n);
void measures_fini(struct measures *);

/* One run being measured, by one thread. */
struct measuring {
    const struct measures *m;
    const struct mbs_model *model;
    const double *c;            /* constants of this case */
    double *w, *row, *last;     /* workspace; the columns now and one row before */
    double *G, *gt;
    double *value;              /* width */
    double time;                /* of the last row */
    long rows;
};
bool measuring_init(struct measuring *, const struct measures *, const struct mbs_model *);
void measuring_fini(struct measuring *);
void measuring_begin(struct measuring *, const double *c, double *value);
/* A row of the run: at its start, at every time between, at its end. */
void measuring_row(struct measuring *, const struct mbs_state *, const double *y);
void measuring_end(struct measuring *);
#endif
