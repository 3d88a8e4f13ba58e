/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * So many steps of fixed length: stiff METHOD STEPS.  Prints the energy at the end. */
#include "mbs/mbs.h"

#include <stdio.h>
#include <stdlib.h>

extern const struct mbs_model MODEL;

int main(int argc, char **argv)
{
    struct mbs_options opt;
    struct mbs_message msg;
    struct mbs_sim *sim;
    double E[2], h = 1e-3;

    mbs_options_init(&opt, NULL);
    opt.method = argc > 1 ? argv[1] : "radau5";
    opt.step = h;
    if (mbs_new(&sim, &MODEL, NULL, &opt, &msg)) {
        fprintf(stderr, "%s\n", msg.text);
        return 1;
    }
    if (mbs_assemble(sim, 0) || mbs_advance(sim, (argc > 2 ? atoi(argv[2]) : 1) * h) || mbs_energy(sim, E)) {
        fprintf(stderr, "%s\n", mbs_message(sim)->text);
        return 1;
    }
    printf("%.9g %.9g\n", E[0], E[1]);
    mbs_free(sim);
    return 0;
}
