/* SPDX-License-Identifier: GPL-3.0-or-later
 * A random heap and what became of it. */
#ifndef DRIVER_BENCH_HEAP_H
#define DRIVER_BENCH_HEAP_H
#include "bench.h"

enum { BODIES = 50 };

struct heap {
    const struct mbs_model *model;      /* pile or pile_space, for so many bodies */
    int n, discs, spatial;              /* the first of n are discs or spheres, the others boxes */
    unsigned long seed;

    /* what it is made of */
    double r[BODIES], b[BODIES], h[BODIES];     /* radii, half widths */
    double *params;
    struct mbs_sim *sim;

    /* what became of it */
    int status;
    char why[200];
    long steps, sweeps;
    double cpu;                         /* seconds, without the looking */
    double overlap;                     /* largest, of the size of the smaller body */
    double growth;                      /* of the energy over its least value so far, of the energy at the start */
    double speed, rest;                 /* the largest at the end, and when that was */
    double certificate;                 /* of the worst step */
    double energy0, least, looking;
};

/* Until it rests, but at most to a time.  Whether it is as it must be. */
bool heap_run(struct heap *, double to);
/* The same verdict on figures read back. */
bool heap_good(const struct heap *);
#endif
