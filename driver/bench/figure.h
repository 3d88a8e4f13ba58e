/* SPDX-License-Identifier: GPL-3.0-or-later
 * The test set's figures of the solutions. */
#ifndef DRIVER_FIGURE_H
#define DRIVER_FIGURE_H
#include "bench.h"

/* Figure II.13.1: the solution of the squeezer modulo 2 pi. */
void figure_squeezer(struct bench *, const struct mbs_model *);
/* Figures II.19.2 to II.19.4 of the slider crank, its frequencies, and the run of MDOP5 that the text mentions. */
void figure_crank(struct bench *);
#endif
