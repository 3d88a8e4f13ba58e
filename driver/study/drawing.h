/* SPDX-License-Identifier: GPL-3.0-or-later
 * The mechanism of a run as a still picture: its bodies at the start, and the ways of their points. */
#ifndef STUDY_DRAWING_H
#define STUDY_DRAWING_H
#include "study/chart.h"
#include "study/curves.h"

struct frame {                  /* what is to be seen, of several runs on one scale */
    double x0, x1, y0, y1;
    bool spatial;               /* seen from the side, else along z */
};
/* Whether the model draws anything that a still picture shows. */
bool drawing_possible(const struct mbs_model *);
void frame_add(struct frame *, const struct mbs_model *, const struct curves *);
/* False: out of memory. */
bool drawing_write(FILE *, const struct mbs_model *, const struct curves *, const struct frame *, const char *label);
#endif
