/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Random states of a model, on its constraints and off them.
 *
 * States come in regimes, so that small terms are seen beside large ones: in each regime coordinates and
 * velocities spread over a range of their own about the model's start, and whoever measures differences
 * against the size of an entry takes the size within the regime.  Angles always take all values off the
 * constraints.  The sequence depends on the seed alone.
 */
#ifndef DRIVER_SAMPLE_H
#define DRIVER_SAMPLE_H
#include "mbs/model.h"

#include <stdbool.h>
#include <stdint.h>

enum { REGIMES = 8 };       /* 4 spreads, off and on the constraints */

struct sample {
    const struct mbs_model *model;
    uint64_t random;
    struct mbs_state x;
    double *q, *v, *a, *lambda, *mu, *z, *u;    /* what x points to */
    double *p, *c, *w;                          /* parameters, constants of the code, its workspace */
    double *p0, *q0, *v0, *z0, *u0;             /* defaults */
    int regime;
    bool on;                                    /* the constraints are met */
    long failed;                                /* states that could not be moved onto the constraints */
    double *work;
};

void sample_init(struct sample *, const struct mbs_model *, uint64_t seed);
void sample_fini(struct sample *);
/* Uniform in [-1, 1). */
double sample_random(struct sample *);
/* Parameters: the default ones, or random within half and one and a half times the default; with `which`
 * only those with a non-zero byte. */
void sample_params(struct sample *, bool random, const unsigned char *which);
/* Values in p were changed by hand. */
void sample_setup(struct sample *);
/* The k-th state: its regime is k % REGIMES. */
void sample_state(struct sample *, long k);
/* Move q and v onto the constraints by Newton's method with the smallest change; false if it fails. */
bool sample_project(struct sample *);

/* Sparse -> dense, column by column; zero elsewhere. */
void dense_from(const struct mbs_pattern *, const double *sparse, double *dense);
#endif
