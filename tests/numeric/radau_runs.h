/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the tests of the Radau methods share: one run of a compiled model, and the end states of tests/data. */
#ifndef RADAU_RUNS_H
#define RADAU_RUNS_H
#include "generated.h"
#include "mbs/mbs.h"

struct outcome {
    int status;
    double scd, mescd;
    struct mbs_statistics stat;
    struct mbs_violation vio;
    struct mbs_message msg;
};

/* The column `which` (0: published, 1: reference, 2: start) of tests/data/FILE into x; returns how many values. */
__attribute__((unused)) static int data_read(const char *file, int which, double *x, int max)
{
    const char *top = getenv("top_srcdir");
    char path[4096], line[400], col[3][64];
    int n = 0;
    FILE *f;

    snprintf(path, sizeof path, "%s/tests/data/%s", top ? top : ".", file);
    f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f) && n < max)
        if (line[0] != '#' && sscanf(line, "%*s %63s %63s %63s", col[0], col[1], col[2]) >= (which < 2 ? 2 : 3))
            x[n++] = strtod(col[which], NULL);
    if (f)
        fclose(f);
    return n;
}

/* -log10 of the largest relative error of q[0 .. 6] and, for the crank, of lambda; NaN counts as nothing right. */
__attribute__((unused)) static double scd_of(const struct mbs_state *x, const double *end, int with_lambda)
{
    double worst = 0;

    for (int i = 0; i < 7; i++) {
        double e = fabs(x->q[i] - end[i]) / fabs(end[i]);
        worst = e <= worst ? worst : e;
    }
    for (int i = 0; i < 3 && with_lambda; i++) {
        double e = fabs(x->lambda[i] - end[21 + i]) / fabs(end[21 + i]);
        worst = e <= worst ? worst : e;
    }
    return -log10(worst);
}

/* -log10 of the largest error of all components, |error| / (1 + |reference|). */
__attribute__((unused)) static double mescd_of(const struct mbs_state *x, const double *end, int n, int m)
{
    double worst = 0;

    for (int i = 0; i < 3 * n + m; i++) {
        double y = i < n ? x->q[i] : i < 2 * n ? x->v[i - n] : i < 3 * n ? x->a[i - 2 * n] : x->lambda[i - 3 * n];
        double e = fabs(y - end[i]) / (1 + fabs(end[i]));
        worst = e <= worst ? worst : e;
    }
    return -log10(worst);
}

/* From the model's start (or q0) to time `to`, compared with the 24 or 27 values in end. */
__attribute__((unused)) static struct outcome run_to(const struct mbs_model *m, const char *method, const char *form,
                                                     double tol, double to, const double *q0, const double *end)
{
    struct mbs_options opt;
    struct mbs_sim *sim;
    struct outcome o = {.scd = -9};

    mbs_options_init(&opt, NULL);
    opt.witness = 1;            /* errors are measured here */
    opt.method = method;
    opt.formulation = form;
    opt.rtol = opt.atol = tol;
    o.status = mbs_new(&sim, m, NULL, &opt, &o.msg);
    if (o.status)
        return o;
    mbs_set_state(sim, 0, q0, NULL, NULL);
    o.status = mbs_advance(sim, to);
    o.stat = *mbs_statistics(sim);
    o.msg = *mbs_message(sim);
    mbs_violation(sim, &o.vio);
    if (o.status == 0 && end) {
        o.scd = scd_of(mbs_state(sim), end, m->ng == 3);
        o.mescd = mescd_of(mbs_state(sim), end, m->nq, m->ng);
    }
    mbs_free(sim);
    return o;
}

static const double squeezer_start[7] = {-0.0617138900142764496358948458001, 0,
                                         0.455279819163070380255912382449,   0.222668390165885884674473185609,
                                         0.487364979543842550225598953530,   -0.222668390165885884674473185609,
                                         1.23054744454982119249735015568};
#endif
