/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Integrate a generated model by hand: all that generated C offers stands in mbs/model.h, and this
 * program uses nothing else.  Classical Runge-Kutta of order 4 with fixed step on the index-1 form:
 * each evaluation solves [M G'; G 0] [a; lambda] = [f; -gamma] densely.
 *
 *     mbsc pendulum_cartesian.mbs -o pendulum_cartesian.c
 *     cc -DMODEL=pendulum_cartesian_model main.c pendulum_cartesian.c -lm
 *     ./a.out 10 1000
 *
 * prints t, q, v, energy and the largest constraint violation for each of 1000 steps up to t = 10.
 * The start must be consistent: assembly, projections, implicit methods and step control are what
 * libmbs adds. */
#include "mbs/model.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef MODEL
#define MODEL pendulum_model
#endif
extern const struct mbs_model MODEL;

/* One block of memory, cut into the arrays that the model's sizes ask for. */
struct run {
    const struct mbs_model *m;
    int n;                              /* nq + ng + nh: size of the linear system */
    double *p, *c, *w, *u;              /* parameters, what setup() makes of them, workspace, inputs */
    double *q, *v, *z;                  /* the state */
    double *M, *G, *f, *g, *gamma, *A, *b;
    double *k[4], *y;                   /* stages and their argument: (q, v, z) one after the other */
};

static double *take(double **at, int n)
{
    double *here = *at;
    *at += n;
    return here;
}

static int run_init(struct run *r, const struct mbs_model *m)
{
    int rows = m->ng + m->nh, n = m->nq + rows, ny = 2*m->nq + m->nz;
    size_t total = (size_t)(m->np + m->nc + m->nw + m->nu + 6*ny + m->M.nnz + m->G.nnz + m->nq + m->ng + rows + n*n + n);
    double *at = calloc(total + 1, sizeof *at);
    if (!at)
        return -1;
    r->m = m, r->n = n;
    r->p = take(&at, m->np), r->c = take(&at, m->nc), r->w = take(&at, m->nw), r->u = take(&at, m->nu);
    r->q = take(&at, m->nq), r->v = take(&at, m->nq), r->z = take(&at, m->nz);
    for (int i = 0; i < 4; i++)
        r->k[i] = take(&at, ny);
    r->y = take(&at, ny);
    r->M = take(&at, m->M.nnz), r->G = take(&at, m->G.nnz), r->f = take(&at, m->nq), r->g = take(&at, m->ng);
    r->gamma = take(&at, rows), r->A = take(&at, n*n), r->b = take(&at, n);

    m->defaults(r->p, NULL);            /* change parameters between these two calls */
    m->setup(r->p, r->c);
    m->initial(r->c, r->q, r->v, r->z, r->u);
    return 0;
}

/* Gaussian elimination with row pivoting on the n x n matrix A, stored by rows; b becomes x. */
static int solve(int n, double *A, double *b)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i*n + k]) > fabs(A[best*n + k]))
                best = i;
        if (!(fabs(A[best*n + k]) > 0))
            return -1;
        for (int j = 0; j < n && best != k; j++) {
            double s = A[k*n + j];
            A[k*n + j] = A[best*n + j], A[best*n + j] = s;
        }
        double s = b[k];
        b[k] = b[best], b[best] = s;
        for (int i = k + 1; i < n; i++) {
            double l = A[i*n + k]/A[k*n + k];
            for (int j = k; j < n; j++)
                A[i*n + j] -= l*A[k*n + j];
            b[i] -= l*b[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++)
            b[i] -= A[i*n + j]*b[j];
        b[i] /= A[i*n + i];
    }
    return 0;
}

/* d/dt (q, v, z) = (v, a, zdot) at y = (q, v, z) */
static int rate(struct run *r, double t, const double *y, double *dy)
{
    const struct mbs_model *m = r->m;
    int nq = m->nq, n = r->n;
    struct mbs_state x = {.t = t, .q = y, .v = y + nq, .z = y + 2*nq, .u = r->u};
    struct mbs_dynamics out = {.M = r->M, .f = r->f, .G = r->G, .zdot = dy + 2*nq, .gamma = r->gamma};
    m->dynamics(r->c, &x, &out, r->w);

    for (int i = 0; i < n*n; i++)
        r->A[i] = 0;
    /* Sparse matrices come as their non-zeros, column by column; of M the lower triangle. */
    for (int j = 0; j < nq; j++) {
        for (int k = m->M.colptr[j]; k < m->M.colptr[j + 1]; k++)
            r->A[m->M.rowidx[k]*n + j] = r->A[j*n + m->M.rowidx[k]] = r->M[k];
        for (int k = m->G.colptr[j]; k < m->G.colptr[j + 1]; k++)
            r->A[(nq + m->G.rowidx[k])*n + j] = r->A[j*n + nq + m->G.rowidx[k]] = r->G[k];
        r->b[j] = r->f[j];
    }
    for (int i = nq; i < n; i++)
        r->b[i] = -r->gamma[i - nq];
    if (solve(n, r->A, r->b) != 0)
        return -1;                      /* singular: redundant constraints, or a massless coordinate */
    for (int i = 0; i < nq; i++) {
        dy[i] = y[nq + i];
        dy[nq + i] = r->b[i];           /* and b[nq ...] are the multipliers */
    }
    return 0;
}

static int step(struct run *r, double t, double h)
{
    static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1/6.0, 1/3.0, 1/3.0, 1/6.0};
    int ny = 2*r->m->nq + r->m->nz;
    double *y0 = r->q;                  /* q, v, z stand one after the other */
    for (int s = 0; s < 4; s++) {
        for (int i = 0; i < ny; i++)
            r->y[i] = y0[i] + (s ? h*at[s]*r->k[s - 1][i] : 0);
        if (rate(r, t + at[s]*h, r->y, r->k[s]) != 0)
            return -1;
    }
    for (int s = 0; s < 4; s++)
        for (int i = 0; i < ny; i++)
            y0[i] += h*weight[s]*r->k[s][i];
    return 0;
}

static void print(struct run *r, double t)
{
    const struct mbs_model *m = r->m;
    struct mbs_state x = {.t = t, .q = r->q, .v = r->v, .z = r->z, .u = r->u};
    struct mbs_constraints con = {.g = r->g, .G = r->G};
    double energy[2], worst = 0;
    m->energy(r->c, &x, energy, r->w);
    m->constraints(r->c, &x, &con, r->w);
    for (int i = 0; i < m->ng; i++)
        worst = fmax(worst, fabs(r->g[i]));
    printf("%.10g", t);
    for (int i = 0; i < m->nq; i++)
        printf(",%.12g", r->q[i]);
    for (int i = 0; i < m->nq; i++)
        printf(",%.12g", r->v[i]);
    printf(",%.12g,%.3g\n", energy[0] + energy[1], worst);
}

int main(int argc, char **argv)
{
    struct run r;
    double to = argc > 1 ? atof(argv[1]) : 1;
    int steps = argc > 2 ? atoi(argv[2]) : 1000;
    if (MODEL.abi != MBS_ABI || steps < 1 || run_init(&r, &MODEL) != 0) {
        fprintf(stderr, "usage: %s [end time] [number of steps]\n", argv[0]);
        return 2;
    }
    printf("t");
    for (int i = 0; i < MODEL.nq; i++)
        printf(",%s", MODEL.coord[i].name);
    for (int i = 0; i < MODEL.nq; i++)
        printf(",%s'", MODEL.coord[i].name);
    printf(",energy,violation\n");
    print(&r, 0);
    for (int i = 0; i < steps; i++) {
        if (step(&r, to*i/steps, to/steps) != 0) {
            fprintf(stderr, "singular equations at t = %g\n", to*i/steps);
            return 1;
        }
        print(&r, to*(i + 1)/steps);
    }
    free(r.p);                          /* the one block begins there */
    return 0;
}
