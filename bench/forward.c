/* SPDX-License-Identifier: GPL-3.0-or-later
 * Time of one forward dynamics: M, f, G, gamma from the generated code, factorisation and solution of the saddle
 * point, at the start state moved a little.  Prints ns, the best of several runs. */
#define _POSIX_C_SOURCE 199309L
#include "linalg/linalg.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

extern const struct mbs_model MODEL;

static double *array(int n)
{
    double *x = calloc((size_t)n + 1, sizeof *x);
    if (!x)
        exit(1);
    return x;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(void)
{
    const struct mbs_model *m = &MODEL;
    int rows = m->ng + m->nh, repeat = 200000 / (m->nq * m->nq + 50) + 5;
    double *p = array(m->np), *c = array(m->nc), *w = array(m->nw), *q = array(m->nq), *v = array(m->nq), *z = array(m->nz), *u = array(m->nu);
    struct mbs_dynamics d = {array(m->M.nnz), array(m->nq), array(m->G.nnz), array(m->nz), array(rows), array(m->ng), array(rows)};
    double *x = array(m->nq + rows), best = 1e300, sum = 0;
    struct mbs_saddle *s = mbs_saddle_new(m);
    m->defaults(p, NULL);
    m->setup(p, c);
    m->initial(c, q, v, z, u);
    for (int i = 0; i < m->nq; i++)
        v[i] += 0.1;
    struct mbs_state at = {.q = q, .v = v, .z = z, .u = u};
    for (int round = 0; round < 15; round++) {
        double began = now();
        for (int k = 0; k < repeat; k++) {
            m->dynamics(c, &at, &d, w);
            if (mbs_saddle_factor(s, d.M, d.G) < 0)
                return 1;
            for (int i = 0; i < m->nq; i++)
                x[i] = d.f[i];
            for (int i = 0; i < rows; i++)
                x[m->nq + i] = -d.gamma[i];
            mbs_saddle_solve(s, x);
            sum += x[0];
        }
        double ns = (now() - began) / repeat;
        best = ns < best ? ns : best;
    }
    mbs_saddle_free(s);
    printf("%.0f\n", best);
    return sum == 1e300;
}
