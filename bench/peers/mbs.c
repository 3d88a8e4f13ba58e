/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * libmbs itself, measured as the others are.  FORM is index1 (it concerns only the peers' systems); METHOD is
 * method:formulation.  The time includes assembly, which the peers are spared: they get its result. */
#include "mbs/mbs.h"
#include "measure.h"
#include "problem.h"

#include <stdio.h>
#include <string.h>

extern const struct mbs_model MODEL;

/* The crank on its position constraint has a start of its own. */
static int begin(struct mbs_sim *sim)
{
    int n = problem.n, status = mbs_assemble(sim, 0);
    double y[128];

    problem_ode_start(y);
    if (status == 0 && (memcmp(y, mbs_state(sim)->q, (size_t)n * sizeof *y) || memcmp(y + n, mbs_state(sim)->v, (size_t)n * sizeof *y)))
        status = mbs_set_state(sim, 0, y, y + n, NULL);
    return status;
}

static void run(const char *method, double tolerance, struct measured *end)
{
    const char *colon = strchr(method, ':');
    char name[32];
    struct mbs_options opt;
    struct mbs_message msg;
    struct mbs_sim *sim;

    snprintf(name, sizeof name, "%.*s", (int)(colon - method), method);
    mbs_options_init(&opt, &MODEL);
    opt.witness = 1;            /* errors are measured here */
    opt.method = name;
    opt.formulation = colon + 1;
    opt.rtol = opt.atol = tolerance;
    opt.max_steps = 1000000;
    if (mbs_new(&sim, &MODEL, NULL, &opt, &msg)) {
        snprintf(end->failure, sizeof end->failure, "%.150s", msg.text);
        return;
    }
    if (begin(sim) || mbs_advance(sim, problem.end))
        snprintf(end->failure, sizeof end->failure, "%.150s", mbs_message(sim)->text);
    memcpy(end->q, mbs_state(sim)->q, (size_t)problem.n * sizeof *end->q);
    memcpy(end->v, mbs_state(sim)->v, (size_t)problem.n * sizeof *end->v);
    memcpy(end->lambda, mbs_state(sim)->lambda, (size_t)problem.m * sizeof *end->lambda);
    end->has_lambda = 1;
    end->steps = mbs_statistics(sim)->steps;
    end->f = mbs_statistics(sim)->f;
    end->jac = mbs_statistics(sim)->jac;
    mbs_free(sim);
}

int main(int argc, char **argv)
{
    return measure_main(argc, argv, run);
}
