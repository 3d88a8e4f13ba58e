/* SPDX-License-Identifier: 0BSD
 * Integrates a model with libmbs and prints where it is every second. */
#include <mbs/mbs.h>
#include <stdio.h>

extern const struct mbs_model pendulum_model;

static int print_row(void *user, const struct mbs_state *x, const double *y)
{
    (void)user;
    printf("%4.1f %12.8f %12.8f\n", x->t, x->q[0], y[0]);
    return 0;
}

int main(void)
{
    struct mbs_options opt;
    struct mbs_message why;
    struct mbs_run run;
    struct mbs_sim *sim;
    int status;

    mbs_options_init(&opt, &pendulum_model);
    if (mbs_new(&sim, &pendulum_model, NULL, &opt, &why) != MBS_OK) {
        fprintf(stderr, "%s\n", why.text);
        return 1;
    }
    mbs_run_init(&run, &pendulum_model);
    run.to = 10;
    run.every = 1;
    run.output = print_row;
    status = mbs_assemble(sim, 0);
    if (status == MBS_OK)
        status = mbs_run(sim, &run);
    if (status != MBS_OK)
        fprintf(stderr, "%s\n", mbs_message(sim)->text);
    mbs_free(sim);
    return status != MBS_OK;
}
