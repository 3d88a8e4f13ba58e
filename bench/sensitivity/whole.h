/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WHOLE_H
#define WHOLE_H

#include "mbs/mbs.h"

extern const struct mbs_model MODEL;

/* Which way: the run alone, with derivatives, or with a tape for gradients. */
enum way { RUN = 'r', FORWARD = 'f', ADJOINT = 'a' };

/* A whole run of MODEL to the time `to`, from the assembly on; then `done` reads the simulation (and takes gradients), and it is freed. */
int whole(const struct mbs_options *o, const double *params, double to, enum way way, int (*done)(struct mbs_sim *s, void *user), void *user);

#endif
