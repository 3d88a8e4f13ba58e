/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A run of a model, alone, with the derivatives by all its parameters, or with the gradient of one output of its end state:
 *
 *     cost METHOD FORM TOLERANCE run|forward|adjoint [REPEAT]
 *
 * prints how long one of REPEAT runs takes and the derivatives of the first coordinate at the end.  Everything, from the assembly of the start on, is done in
 * whole(), which callgrind can be told to count alone. */
#define _POSIX_C_SOURCE 199309L
#include "whole.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int nothing(struct mbs_sim *s, void *user)
{
    (void)s, (void)user;
    return 0;
}

/* The derivatives of q[0] at the end. */
static int forward(struct mbs_sim *s, void *out)
{
    for (int k = 0; k < MODEL.nsensitive; k++)
        ((double *)out)[k] = mbs_derivatives(s)->q[k * MODEL.nq];
    return 0;
}
static int backward(struct mbs_sim *s, void *out)
{
    double *weights = calloc((size_t)(2 * MODEL.nq + MODEL.nz + MODEL.ny) + 1, sizeof *weights), check;
    weights[0] = 1;
    int status = mbs_adjoint(s, 1, weights, out, &check);
    free(weights);
    return status;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    const struct mbs_model *m = &MODEL;
    struct mbs_options o;
    int repeat = argc > 5 ? atoi(argv[5]) : 1;
    double *out = calloc((size_t)m->nsensitive + 1, sizeof *out), began;
    if (argc < 5 || !out)
        return 2;
    enum way way = argv[4][0];
    mbs_options_init(&o, m);
    o.witness = 1;
    o.method = argv[1];
    if (strcmp(argv[2], "default"))
        o.formulation = argv[2];
    o.rtol = o.atol = atof(argv[3]);
    began = now();
    for (int i = 0; i < repeat; i++)
        if (whole(&o, NULL, m->experiment.to, way, way == RUN ? nothing : way == FORWARD ? forward : backward, out))
            return 1;
    printf("%.6g s\n", (now() - began) / repeat);
    for (int k = 0; k < m->nsensitive && way != RUN; k++)
        printf("%s %.17g\n", m->param[m->sensitive[k]].name, out[k]);
    free(out);
    return 0;
}
