/* SPDX-License-Identifier: GPL-3.0-or-later
 * What the generated functions compute at a state, as dense arrays, and the size of the terms behind it. */
#include "config.h"
#include "algebra.h"
#include "compare.h"
#include "interpret.h"
#include "base/arena.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double *array_new(int rows, int cols)
{
    size_t n = (size_t)rows * (size_t)cols + 1;
    double *x = mem_grow(NULL, n, sizeof *x);
    memset(x, 0, n * sizeof *x);
    return x;
}

void values_init(struct values *v, const struct mbs_model *m)
{
    int rows = m->ng + m->nh;
    *v = (struct values){
        .M = array_new(m->nq, m->nq), .f = array_new(m->nq, 1), .G = array_new(rows, m->nq), .g = array_new(rows, 1),
        .gt = array_new(rows, 1), .gamma = array_new(rows, 1), .zdot = array_new(m->nz, 1),
        .sparse_M = array_new(m->M.nnz, 1), .sparse_G = array_new(m->G.nnz, 1),
    };
}

void values_fini(struct values *v)
{
    double *all[] = {v->M, v->f, v->G, v->g, v->gt, v->gamma, v->zdot, v->sparse_M, v->sparse_G};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    memset(v, 0, sizeof *v);
}

struct mbs_dynamics values_out(const struct values *v)
{
    return (struct mbs_dynamics){.M = v->sparse_M, .f = v->f, .G = v->sparse_G, .zdot = v->zdot, .gamma = v->gamma, .g = v->g, .gt = v->gt};
}

void values_dynamics(struct values *v, const struct sample *s)
{
    const struct mbs_model *m = s->model;
    struct mbs_dynamics out = values_out(v);
    m->dynamics(s->c, &s->x, &out, s->w);
    dense_from(&m->M, v->sparse_M, v->M);
    dense_from(&m->G, v->sparse_G, v->G);
    m->energy(s->c, &s->x, v->energy, s->w);
}

/* [M G'; G 0] (a, lambda) = (f, -gamma) */
bool values_solve(const struct values *v, struct sample *s)
{
    const struct mbs_model *m = s->model;
    int nq = m->nq, rows = m->ng + m->nh, n = nq + rows;
    double *A = calloc((size_t)n * (size_t)n + (size_t)n + 1, sizeof *A), *x = A + (size_t)n * (size_t)n;
    if (!A)
        mem_ended();
    for (int j = 0; j < nq; j++) {
        for (int i = j; i < nq; i++)
            A[i * n + j] = A[j * n + i] = v->M[j * nq + i];
        for (int i = 0; i < rows; i++)
            A[(nq + i) * n + j] = A[j * n + nq + i] = v->G[j * rows + i];
        x[j] = v->f[j];
    }
    for (int i = 0; i < rows; i++)
        x[nq + i] = -v->gamma[i];
    bool good = n == 0 || algebra_solve(n, A, x);
    if (good) {
        memcpy(s->a, x, (size_t)nq * sizeof *x);
        memcpy(s->lambda, x + nq, (size_t)rows * sizeof *x);
    }
    free(A);
    return good;
}

void arrays_init(struct arrays *g, const struct mbs_model *m)
{
    memset(g, 0, sizeof *g);
    for (int f = 0; f < FUNCTION_COUNT; f++)
        for (int a = 0; a < abi_function[f].parts; a++)
            g->array[f][a] = array_new(abi_size(m, abi_function[f].part[a].id), 1);
}

void arrays_fini(struct arrays *g)
{
    for (int f = 0; f < FUNCTION_COUNT; f++)
        for (int a = 0; a < FUNCTION_PARTS; a++)
            free(g->array[f][a]);
}

void arrays_run(struct arrays *g, const struct sample *s)
{
    for (int f = 0; f < FUNCTION_COUNT; f++)
        abi_call(s->model, (enum abi_function_id)f, s->c, &s->x, g->array[f], s->w);
}

double *term_sizes(const struct compile *c, const struct sample *s, enum eq_id id)
{
    const struct eq_array *array = &c->equations->array[id];
    struct eval_env env = {.call = call_double, .user = (void *)c->model};
    if (array->by_columns)
        return NULL;
    double t = s->x.t, *size = array_new(array->nnz, 1);
    env.val[SYM_PARAM] = s->p;
    env.val[SYM_TIME] = &t;
    env.val[SYM_Q] = s->q;
    env.val[SYM_V] = s->v;
    env.val[SYM_A] = s->a;
    env.val[SYM_LAMBDA] = s->lambda;
    env.val[SYM_MU] = s->mu;
    env.val[SYM_Z] = s->z;
    env.val[SYM_U] = s->u;
    expr_eval_magnitude(c->pool, &env, array->nnz, array->value, size);
    return size;
}

void scale_by_terms(const struct compile *c, const struct sample *s, struct quantity *q, enum eq_id id)
{
    const struct eq_array *array = &c->equations->array[id];
    double *size = term_sizes(c, s, id);
    if (!size)
        return;
    for (int j = 0; array->colptr && j < array->cols; j++)
        for (int k = array->colptr[j]; k < array->colptr[j + 1]; k++)
            tally_scale(q, s->regime, j * q->rows + array->rowidx[k], size[k]);
    for (int k = 0; !array->colptr && k < array->nnz; k++)
        tally_scale(q, s->regime, k, size[k]);
    free(size);
}
