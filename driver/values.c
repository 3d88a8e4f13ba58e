/* SPDX-License-Identifier: GPL-3.0-or-later
 * What the generated functions compute at a state, as dense arrays, and the size of the terms behind it. */
#include "config.h"
#include "compare.h"
#include "interpret.h"
#include "base/arena.h"

#include <gsl/gsl_linalg.h>
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
    return (struct mbs_dynamics){v->sparse_M, v->f, v->sparse_G, v->zdot, v->gamma, v->g, v->gt};
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
    int nq = m->nq, rows = m->ng + m->nh, n = nq + rows, sign;
    gsl_matrix *A = gsl_matrix_calloc((size_t)n, (size_t)n);
    gsl_vector *b = gsl_vector_calloc((size_t)n), *x = gsl_vector_calloc((size_t)n);
    gsl_permutation *p = gsl_permutation_alloc((size_t)n);
    for (int j = 0; j < nq; j++) {
        for (int i = j; i < nq; i++) {
            gsl_matrix_set(A, (size_t)i, (size_t)j, v->M[j * nq + i]);
            gsl_matrix_set(A, (size_t)j, (size_t)i, v->M[j * nq + i]);
        }
        for (int i = 0; i < rows; i++) {
            gsl_matrix_set(A, (size_t)(nq + i), (size_t)j, v->G[j * rows + i]);
            gsl_matrix_set(A, (size_t)j, (size_t)(nq + i), v->G[j * rows + i]);
        }
        gsl_vector_set(b, (size_t)j, v->f[j]);
    }
    for (int i = 0; i < rows; i++)
        gsl_vector_set(b, (size_t)(nq + i), -v->gamma[i]);
    gsl_linalg_LU_decomp(A, p, &sign);
    bool good = true;
    for (int i = 0; i < n; i++)
        good = good && isfinite(gsl_matrix_get(A, (size_t)i, (size_t)i)) && gsl_matrix_get(A, (size_t)i, (size_t)i) != 0;
    if (good) {
        gsl_linalg_LU_solve(A, p, b, x);
        for (int i = 0; i < nq; i++)
            s->a[i] = gsl_vector_get(x, (size_t)i);
        for (int i = 0; i < rows; i++)
            s->lambda[i] = gsl_vector_get(x, (size_t)(nq + i));
    }
    gsl_matrix_free(A);
    gsl_vector_free(b);
    gsl_vector_free(x);
    gsl_permutation_free(p);
    return good;
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
