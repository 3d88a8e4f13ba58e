/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A whole run, in one function that callgrind can be told to count alone. */
#include "whole.h"

#include <stdio.h>

static int row(void *user, const struct mbs_state *x, const double *y)
{
    (void)user, (void)x, (void)y;
    return 0;
}

__attribute__((noinline)) int whole(const struct mbs_options *o, const double *params, double to, enum way way, int (*done)(struct mbs_sim *s, void *user),
                                    void *user)
{
    struct mbs_sim *s = NULL;
    struct mbs_run run;
    struct mbs_message msg = {0};
    int status = mbs_new(&s, &MODEL, params, o, &msg);
    if (status == 0)
        status = mbs_assemble(s, 0);
    if (status == 0 && way != RUN)
        status = way == FORWARD ? mbs_derivatives_begin(s, 0) : mbs_adjoint_begin(s, 0, 0);
    mbs_run_init(&run, &MODEL);
    run.to = to;
    run.times = &to;
    run.ntimes = 1;
    run.output = row;
    if (status == 0)
        status = mbs_run(s, &run);
    if (status == 0)
        status = done(s, user);
    if (status && status != MBS_UNAVAILABLE && status != MBS_BAD_ARGUMENT)
        fprintf(stderr, "%s %s: %s\n", o->method, o->formulation, s ? mbs_message(s)->text : msg.text);
    mbs_free(s);
    return status;
}
