/* SPDX-License-Identifier: GPL-3.0-or-later
 * What the page of `mbs play` must know. */
#ifndef DRIVER_PLAY_H
#define DRIVER_PLAY_H
#include "result.h"

/* How many of the inputs are the model's own; those behind them pull (compiler/model/handle.c). */
int play_inputs(const struct mbs_model *);
/* "play": {...} of the page's data. */
void play_write(FILE *, const struct result *);
#endif
