/* SPDX-License-Identifier: GPL-3.0-or-later
 * Time of the accelerations of one state by a model's accelerations(), and of one of several by those of its batch, each call from what the one before gave:
 * prints both in ns, the least of many rounds in turns, and their ratio. */
#define _POSIX_C_SOURCE 200112L
#include "mbs/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

extern const struct mbs_model MODEL;
enum { ROUNDS = 40, LONGEST = 16 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Room for n vectors of `lanes` numbers. */
static double *array(int n, int lanes)
{
    void *x;
    size_t size = ((size_t)n * (size_t)lanes + 16) * sizeof(double);
    if (posix_memalign(&x, 64, size))
        exit(1);
    for (size_t i = 0; i < size / sizeof(double); i++)
        ((double *)x)[i] = 0;
    return x;
}

/* As many states as there are lanes, and what the functions write. */
struct states {
    int lanes;
    double *c, *t, *q, *v, *z, *u, *a, *lambda, *zdot, *unsafe, *w;
};

static struct states states_new(const struct mbs_model *m, int lanes)
{
    int rows = m->ng + m->nh;
    struct states s = {lanes, array(m->nc, lanes), array(1, lanes), array(m->nq, lanes), array(m->nq, lanes), array(m->nz, lanes), array(m->nu, lanes),
                       array(m->nq, lanes), array(rows, lanes), array(m->nz, lanes), array(1, lanes), array(m->nw > m->batch->nw ? m->nw : m->batch->nw, 1)};
    double *p = array(m->np, 1), *c = array(m->nc, 1), *q = array(m->nq, 1), *v = array(m->nq, 1), *z = array(m->nz, 1), *u = array(m->nu, 1);
    m->defaults(p, NULL);
    m->setup(p, c);
    m->initial(c, q, v, z, u);
    for (int l = 0; l < lanes; l++) {
        for (int i = 0; i < m->nc; i++)
            s.c[i * lanes + l] = c[i];
        for (int i = 0; i < m->nq; i++) {
            s.q[i * lanes + l] = q[i] + 0.01 * l;
            s.v[i * lanes + l] = v[i] + 0.1;
        }
        for (int i = 0; i < m->nz; i++)
            s.z[i * lanes + l] = z[i];
        for (int i = 0; i < m->nu; i++)
            s.u[i * lanes + l] = u[i];
    }
    return s;
}

/* ns of one state. */
static double measure(const struct mbs_model *m, struct states *s, int repeat)
{
    const struct mbs_batch_state all = {s->t, s->q, s->v, s->z, s->u};
    const struct mbs_state one = {.q = s->q, .v = s->v, .z = s->z, .u = s->u};
    const struct mbs_accelerations out = {s->a, s->lambda, s->zdot, s->unsafe};
    double began = now();
    for (int k = 0; k < repeat; k++) {
        if (s->lanes > 1)
            m->batch->accelerations(s->c, &all, &out, s->w);
        else
            m->accelerations(s->c, &one, &out, s->w);
        for (int i = 0; i < m->nq * s->lanes; i++)
            s->v[i] += 1e-9 * s->a[i];
    }
    return (now() - began) / repeat / s->lanes;
}

int main(void)
{
    const struct mbs_model *m = &MODEL;
    double least[2] = {1e300, 1e300};
    struct states s[2];
    if (!m->accelerations || !m->batch || m->batch->lanes > LONGEST)
        return 1;
    s[0] = states_new(m, 1);
    s[1] = states_new(m, m->batch->lanes);
    int repeat = (int)(3e6 / (measure(m, &s[0], 100) + 1)) + 10;
    for (int round = 0; round < 2 * ROUNDS; round++) {
        double ns = measure(m, &s[round % 2], repeat);
        if (ns < least[round % 2])
            least[round % 2] = ns;
    }
    printf("%.1f ns a state, %.1f ns in vectors of %d: %.2f\n", least[0], least[1], m->batch->lanes, least[0] / least[1]);
    return 0;
}
