/* SPDX-License-Identifier: GPL-3.0-or-later
 * Measures of a run with their derivatives by the parameters of the model's sensitivity, backwards through the run. */
#ifndef STUDY_GRADIENT_H
#define STUDY_GRADIENT_H
#include "study/measure.h"

struct gradient {
    const struct session *session;
    struct measures measures;
    double *value;              /* measures.width */
    double *slope;              /* measures.width x nsensitive */
    double *check;              /* measures.width: as mbs_adjoint() gives it */
    struct mbs_adjoint seen;
    int status;                 /* of the last run, enum mbs_status; MBS_DOUBTFUL: all is there, and why says what the witness doubts */
    char why[512];
};
/* Measures of columns q, v, z and outputs only, no curves; false with why. */
bool gradient_init(struct gradient *, const struct session *, const char *const *request, int n);
void gradient_fini(struct gradient *);
/* A run with these parameters; false with why. */
bool gradient_run(struct gradient *, const double *params);
#endif
