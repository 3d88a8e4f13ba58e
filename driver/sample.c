/* SPDX-License-Identifier: GPL-3.0-or-later
 * Random states; see sample.h. */
#include "config.h"
#include "sample.h"
#include "base/arena.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double *zeros(int n)
{
    size_t count = n > 0 ? (size_t)n : 1;
    double *x = mem_grow(NULL, count, sizeof *x);
    memset(x, 0, count * sizeof *x);
    return x;
}

void sample_init(struct sample *s, const struct mbs_model *m, uint64_t seed)
{
    int rows = m->ng + m->nh;
    memset(s, 0, sizeof *s);
    s->model = m;
    s->random = seed;
    s->q = zeros(m->nq), s->v = zeros(m->nq), s->a = zeros(m->nq);
    s->lambda = zeros(rows), s->mu = zeros(rows);
    s->z = zeros(m->nz), s->u = zeros(m->nu);
    s->p = zeros(m->np), s->c = zeros(m->nc), s->w = zeros(m->nw);
    s->p0 = zeros(m->np), s->q0 = zeros(m->nq), s->v0 = zeros(m->nq), s->z0 = zeros(m->nz), s->u0 = zeros(m->nu);
    s->work = zeros(rows * rows + 3 * rows + m->G.nnz + m->ng);
    s->x = (struct mbs_state){0, s->q, s->v, s->a, s->lambda, s->mu, s->z, s->u};
    m->defaults(s->p0, NULL);
    sample_params(s, false, NULL);
    m->initial(s->c, s->q0, s->v0, s->z0, s->u0);
}

void sample_fini(struct sample *s)
{
    double *all[] = {s->q, s->v, s->a, s->lambda, s->mu, s->z, s->u, s->p, s->c, s->w,
                     s->p0, s->q0, s->v0, s->z0, s->u0, s->work};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    memset(s, 0, sizeof *s);
}

double sample_random(struct sample *s)
{
    uint64_t z = (s->random += 0x9e3779b97f4a7c15u);    /* splitmix64, Steele, Lea & Flood 2014 */
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-52 - 1;
}

void sample_setup(struct sample *s)
{
    s->model->setup(s->p, s->c);
}

void sample_params(struct sample *s, bool random, const unsigned char *which)
{
    for (int i = 0; i < s->model->np; i++) {
        double r = sample_random(s), p = s->p0[i];
        bool change = random && (!which || which[i]);
        s->p[i] = !change ? p : p == 0 ? r : p * (1 + r / 2);
    }
    sample_setup(s);
}

static bool is_angle(const struct mbs_name *name)
{
    return !strcmp(name->unit, "rad");
}

static void scatter(struct sample *s)
{
    static const struct { double q, v; } spread[REGIMES / 2] = {{1, 1}, {0.1, 10}, {1e-3, 100}, {1e-5, 1}};
    const struct mbs_model *m = s->model;
    double dq = spread[s->regime / 2].q, dv = spread[s->regime / 2].v;
    double from = isnan(m->experiment.from) ? 0 : m->experiment.from;
    double to = isnan(m->experiment.to) ? from + 1 : m->experiment.to;
    s->x.t = from + (to - from) * (1 + sample_random(s)) / 2;
    for (int i = 0; i < m->nq; i++) {
        double range = is_angle(&m->coord[i]) ? (s->on ? 0.5 : 3.14159) : dq * (s->on ? fmin(1, fabs(s->q0[i]) + dq) : 1);
        s->q[i] = s->q0[i] + range * sample_random(s);
        s->v[i] = (1 + fabs(s->v0[i])) * dv * sample_random(s);
        s->a[i] = dv * dv * sample_random(s);
    }
    for (int i = 0; i < m->ng + m->nh; i++) {
        s->lambda[i] = sample_random(s);
        s->mu[i] = sample_random(s);
    }
    for (int i = 0; i < m->nz; i++)
        s->z[i] = s->z0[i] + sample_random(s);
    for (int i = 0; i < m->nu; i++)
        s->u[i] = s->u0[i] + sample_random(s);
}

void sample_state(struct sample *s, long k)
{
    s->regime = (int)(k % REGIMES);
    bool want = s->regime % 2 == 1 && s->model->ng + s->model->nh > 0;
    for (int attempt = 0; attempt < 20; attempt++) {
        s->on = want;
        scatter(s);
        if (!want || sample_project(s))
            return;
    }
    s->on = false;
    s->failed++;
}

/* Solve (G G') y = r by Cholesky; G in its pattern, only the first `rows` rows.  False if rank-deficient. */
static bool normal_solve(const struct mbs_model *m, const double *G, int rows, double *S, double *r)
{
    memset(S, 0, (size_t)rows * (size_t)rows * sizeof *S);
    const int *ptr = m->G.colptr, *row = m->G.rowidx;
    for (int j = 0; j < m->nq; j++)
        for (int a = ptr[j]; a < ptr[j + 1]; a++)
            for (int b = a; b < ptr[j + 1]; b++)
                if (row[b] < rows)
                    S[row[b] * rows + row[a]] += G[a] * G[b];
    for (int i = 0; i < rows; i++) {
        double diagonal = S[i * rows + i];
        for (int j = 0; j <= i; j++) {
            double sum = S[i * rows + j];
            for (int k = 0; k < j; k++)
                sum -= S[i * rows + k] * S[j * rows + k];
            if (i == j && !(sum > 1e-14 * diagonal))
                return false;
            S[i * rows + j] = i == j ? sqrt(sum) : sum / S[j * rows + j];
        }
    }
    for (int i = 0; i < rows; i++) {
        for (int k = 0; k < i; k++)
            r[i] -= S[i * rows + k] * r[k];
        r[i] /= S[i * rows + i];
    }
    for (int i = rows - 1; i >= 0; i--) {
        for (int k = i + 1; k < rows; k++)
            r[i] -= S[k * rows + i] * r[k];
        r[i] /= S[i * rows + i];
    }
    return true;
}

/* x -= G' y, over the first `rows` rows */
static double subtract(const struct mbs_model *m, const double *G, int rows, const double *y, double *x)
{
    double largest = 0;
    for (int j = 0; j < m->nq; j++) {
        double sum = 0;
        for (int k = m->G.colptr[j]; k < m->G.colptr[j + 1]; k++)
            if (m->G.rowidx[k] < rows)
                sum += G[k] * y[m->G.rowidx[k]];
        x[j] -= sum;
        largest = fmax(largest, fabs(sum) / fmax(1e-3, fabs(x[j])));
    }
    return largest;
}

bool sample_project(struct sample *s)
{
    const struct mbs_model *m = s->model;
    int rows = m->ng + m->nh;
    double *S = s->work, *g = S + rows * rows, *gt = g + rows, *r = gt + rows, *G = r + rows;
    struct mbs_constraints out = {.g = g, .G = G, .gt = gt};
    bool done = m->ng == 0;
    for (int i = 0; i < 50 && !done; i++) {
        m->constraints(s->c, &s->x, &out, s->w);
        if (!normal_solve(m, G, m->ng, S, g))
            return false;
        double step = subtract(m, G, m->ng, g, s->q);
        if (!(step < 10))
            return false;
        done = step < 1e-12;
    }
    if (!done)
        return false;
    m->constraints(s->c, &s->x, &out, s->w);
    memcpy(r, gt, (size_t)rows * sizeof *r);
    for (int j = 0; j < m->nq; j++)
        for (int k = m->G.colptr[j]; k < m->G.colptr[j + 1]; k++)
            r[m->G.rowidx[k]] += G[k] * s->v[j];
    if (!normal_solve(m, G, rows, S, r))
        return false;
    subtract(m, G, rows, r, s->v);
    return true;
}

void dense_from(const struct mbs_pattern *p, const double *sparse, double *dense)
{
    memset(dense, 0, (size_t)p->rows * (size_t)p->cols * sizeof *dense);
    for (int j = 0; j < p->cols; j++)
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
            dense[(size_t)j * (size_t)p->rows + (size_t)p->rowidx[k]] = sparse[k];
}
