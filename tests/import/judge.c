/* SPDX-License-Identifier: GPL-3.0-or-later
 * A compiled model behind plain functions, for a program in another language that compares it with another engine.
 * Compiled together with the generated file, as -DMODEL=NAME_model. */
#include "mbs/model.h"

#include <stdlib.h>
#include <string.h>

extern const struct mbs_model MODEL;
static const struct mbs_model *const m = &MODEL;
static double *c, *w, *p, *M, *G;

const struct mbs_model *judge_model(void);
void judge_sizes(int *n);
const char *judge_name(int what, int i);
void judge_set(int param, double value);
void judge_start(double *q, double *v, double *u);
void judge_dynamics(const double *q, const double *v, const double *z, const double *u, double *mass, double *f, double *jac, double *gamma, double *g, double *zdot);
void judge_outputs(const double *q, const double *v, double *y);
int judge_accelerations(const double *q, const double *v, double *a, double *lambda, double *unsafe);
void judge_outputs_at(const double *q, const double *v, const double *a, const double *lambda, double *y);

static double *array(int n) { return calloc((size_t)n + 1, sizeof(double)); }

void judge_sizes(int *n)
{
    if (!c) {
        c = array(m->nc), w = array(m->nw), p = array(m->np), M = array(m->M.nnz), G = array(m->G.nnz);
        m->defaults(p, NULL);
        m->setup(p, c);
    }
    int size[] = {m->nq, m->ng, m->nh, m->nz, m->nu, m->ny, m->np};
    memcpy(n, size, sizeof size);
}

const char *judge_name(int what, int i)
{
    const struct mbs_name *list[] = {m->coord, m->output, m->input, m->param, m->constraint, m->state};
    return list[what][i].name;
}

void judge_set(int param, double value)
{
    p[param] = value;
    m->setup(p, c);
}

void judge_start(double *q, double *v, double *u)
{
    double *z = array(m->nz);
    m->initial(c, q, v, z, u);
    free(z);
}

void judge_dynamics(const double *q, const double *v, const double *z, const double *u, double *mass, double *f, double *jac, double *gamma, double *g, double *zdot)
{
    struct mbs_state s = {.q = q, .v = v, .z = z, .u = u};
    struct mbs_dynamics out = {.M = M, .f = f, .G = G, .zdot = zdot, .gamma = gamma, .g = g};
    m->dynamics(c, &s, &out, w);
    mbs_dense(&m->M, M, mass, 1);
    mbs_dense(&m->G, G, jac, 0);
}

void judge_outputs(const double *q, const double *v, double *y)
{
    double *a = array(m->nq), *lambda = array(m->ng + m->nh), *z = array(m->nz), *u = array(m->nu);
    struct mbs_state s = {.q = q, .v = v, .a = a, .lambda = lambda, .z = z, .u = u};
    m->outputs(c, &s, y, w);
    free(a), free(lambda), free(z), free(u);
}

/* 0 where the code has no such function. */
int judge_accelerations(const double *q, const double *v, double *a, double *lambda, double *unsafe)
{
    struct mbs_state s = {.q = q, .v = v};
    if (m->accelerations)
        m->accelerations(c, &s, &(struct mbs_accelerations){.a = a, .lambda = lambda, .unsafe = unsafe}, w);
    return m->accelerations != NULL;
}

void judge_outputs_at(const double *q, const double *v, const double *a, const double *lambda, double *y)
{
    struct mbs_state s = {.q = q, .v = v, .a = a, .lambda = lambda};
    m->outputs(c, &s, y, w);
}
