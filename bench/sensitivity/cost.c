/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A run of a model, alone, with the derivatives by all its parameters, or with the gradient of one output of its end state:
 *
 *     cost METHOD FORM TOLERANCE run|forward|adjoint [REPEAT]
 *
 * prints how long one of REPEAT runs takes and the derivatives of the first coordinate at the end.  Everything, from the assembly of the start on, is done in
 * whole(), which callgrind can be told to count alone. */
#define _POSIX_C_SOURCE 199309L
#include "mbs/mbs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

extern const struct mbs_model MODEL;

static int row(void *user, const struct mbs_state *x, const double *y)
{
    (void)user, (void)x, (void)y;
    return 0;
}

/* way: r, f or a, as named above; derivatives of q[0] at the end into out */
__attribute__((noinline)) static int whole(const struct mbs_options *o, double to, char way, double *out)
{
    const struct mbs_model *m = &MODEL;
    struct mbs_sim *s = NULL;
    struct mbs_run run;
    struct mbs_message msg = {0};
    int status = mbs_new(&s, m, NULL, o, &msg), ny = 2 * m->nq + m->nz + m->ny;
    if (status == 0)
        status = mbs_assemble(s, 0);
    if (status == 0 && way != 'r')
        status = way == 'f' ? mbs_derivatives_begin(s, 0) : mbs_adjoint_begin(s, 0, 0);
    mbs_run_init(&run, m);
    run.to = to;
    run.times = &to;
    run.ntimes = 1;
    run.output = row;
    if (status == 0)
        status = mbs_run(s, &run);
    for (int k = 0; way == 'f' && status == 0 && k < m->nsensitive; k++)
        out[k] = mbs_derivatives(s)->q[k * m->nq];
    double *weights = calloc((size_t)ny, sizeof *weights), check;
    weights[0] = 1;
    if (way == 'a' && status == 0)
        status = mbs_adjoint(s, 1, weights, out, &check);
    if (status)
        fprintf(stderr, "%s\n", s ? mbs_message(s)->text : msg.text);
    free(weights);
    mbs_free(s);
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
    mbs_options_init(&o, m);
    o.method = argv[1];
    if (strcmp(argv[2], "default"))
        o.formulation = argv[2];
    o.rtol = o.atol = atof(argv[3]);
    began = now();
    for (int i = 0; i < repeat; i++)
        if (whole(&o, m->experiment.to, argv[4][0], out))
            return 1;
    printf("%.6g s\n", (now() - began) / repeat);
    for (int k = 0; k < m->nsensitive && argv[4][0] != 'r'; k++)
        printf("%s %.17g\n", m->param[m->sensitive[k]].name, out[k]);
    free(out);
    return 0;
}
