/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One whole integration of a compiled model, for measurements: set-up, assembly and run, and the scd at the end
 * against a file of reference values.
 *
 *     integrate REFERENCE METHOD FORMULATION TOLERANCE [REPEAT]
 *
 * REFERENCE is a file of tests/data with lines "name published reference ..." in the order q, v, a, lambda.  scd
 * counts the first 7 components, and the last 3 as well if the model is the crank.  The start is the model's own. */
#include "mbs/mbs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef MODEL
#define MODEL squeezer_model
#endif
extern const struct mbs_model MODEL;

static int reference_read(const char *path, double *ref)
{
    FILE *f = fopen(path, "r");
    char line[512], value[128];
    int n = 0;

    while (f && fgets(line, sizeof line, f) && n < 64)
        if (line[0] != '#' && sscanf(line, "%*s %*s %127s", value) == 1)
            ref[n++] = strtod(value, NULL);
    if (f)
        fclose(f);
    return n;
}

static double scd(const struct mbs_state *x, const double *ref)
{
    double worst = 0;
    int n = MODEL.nq, m = MODEL.ng;

    for (int i = 0; i < 7; i++)
        worst = fmax(worst, fabs((x->q[i] - ref[i]) / ref[i]));
    for (int i = 0; i < m && strncmp(MODEL.name, "crank", 5) == 0; i++)
        worst = fmax(worst, fabs((x->lambda[i] - ref[3 * n + i]) / ref[3 * n + i]));
    return -log10(worst);
}

int main(int argc, char **argv)
{
    double ref[64], seconds = 1e9, digits = 0;
    struct mbs_options opt;
    struct mbs_message msg;
    struct mbs_sim *sim;
    int repeat = argc > 5 ? atoi(argv[5]) : 1, status = 0;

    if (argc < 5 || reference_read(argv[1], ref) < 3 * MODEL.nq + MODEL.ng) {
        fprintf(stderr, "usage: integrate REFERENCE METHOD FORMULATION TOLERANCE [REPEAT]\n");
        return 2;
    }
    for (int i = 0; i < repeat && status == 0; i++) {
        struct timespec a, b;
        mbs_options_init(&opt, &MODEL);
        opt.witness = !getenv("NO_WITNESS");
        opt.method = argv[2];
        opt.formulation = argv[3];
        opt.rtol = opt.atol = strtod(argv[4], NULL);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
        status = mbs_new(&sim, &MODEL, NULL, &opt, &msg);
        if (status) {
            fprintf(stderr, "%s\n", msg.text);
            return 1;
        }
        status = mbs_assemble(sim, 0);
        status = status ? status : mbs_advance(sim, MODEL.experiment.to);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
        seconds = fmin(seconds, (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec));
        digits = scd(mbs_state(sim), ref);
        if (i == repeat - 1) {
            const struct mbs_statistics *s = mbs_statistics(sim);
            printf("%s %s %s %s scd %.2f steps %ld accepted %ld f %ld jac %ld lu %ld us %.0f %s\n", MODEL.name, mbs_method(sim), mbs_form_name(mbs_formulation(sim)),
                   argv[4], digits, s->steps, s->accepted, s->f, s->jac, s->lu, 1e6 * seconds, mbs_message(sim)->text);
        }
        mbs_free(sim);
    }
    return status != 0;
}
