/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes q and v of the model's assembled start, a value a line: where all integrators begin. */
#include "mbs/mbs.h"

#include <stdio.h>

extern const struct mbs_model MODEL;

int main(void)
{
    struct mbs_options opt;
    struct mbs_message msg;
    struct mbs_sim *sim;

    mbs_options_init(&opt, &MODEL);
    if (mbs_new(&sim, &MODEL, NULL, &opt, &msg)) {
        fprintf(stderr, "%s\n", msg.text);
        return 1;
    }
    if (mbs_assemble(sim, 0)) {
        fprintf(stderr, "%s\n", mbs_message(sim)->text);
        return 1;
    }
    for (int i = 0; i < MODEL.nq; i++)
        printf("%.17g\n", mbs_state(sim)->q[i]);
    for (int i = 0; i < MODEL.nq; i++)
        printf("%.17g\n", mbs_state(sim)->v[i]);
    mbs_free(sim);
    return 0;
}
