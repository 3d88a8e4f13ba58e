/* SPDX-License-Identifier: GPL-3.0-or-later
 * Microseconds of one mbs_forward(): the least of many rounds. */
#include "mbs/mbs.h"

#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double cost(struct mbs_sim *sim, const double *x, double *a, int calls, int rounds)
{
    double least = 1e9;
    for (int k = 0; k < rounds; k++) {
        double start = now();
        for (int i = 0; i < calls; i++)
            mbs_forward(sim, 0, x, a, NULL, NULL);
        double took = (now() - start) / calls;
        least = took < least ? took : least;
    }
    return least * 1e6;
}
