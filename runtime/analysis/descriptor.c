/* SPDX-License-Identifier: MIT
 *
 * The motion linearised without a choice of coordinates, and what a linearisation says about frequencies. */
#include "analysis/linear.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- descriptor form ---- */

void mbs_descriptor_free(struct mbs_descriptor *d)
{
    if (!d)
        return;
    free(d->E);
    memset(d, 0, sizeof *d);
}

/* M += s * P at (row, col) of a dense matrix with `width` columns. */
static void put_block(double *M, int width, int row, int col, const struct mbs_pattern *p, const double *val, double s, enum mbs_block kind)
{
    for (int j = 0; j < p->cols && p->colptr; j++)
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
            int i = p->rowidx[k];
            if (kind == MBS_BLOCK_TRANSPOSED)
                M[(long)(row + j) * width + col + i] += s * val[k];
            else
                M[(long)(row + i) * width + col + j] += s * val[k];
            if (kind == MBS_BLOCK_SYMMETRIC && i != j)
                M[(long)(row + j) * width + col + i] += s * val[k];
        }
}

int mbs_descriptor(struct mbs_sim *sim, struct mbs_descriptor *out)
{
    const struct mbs_model *o;
    struct mbs_linear lin;
    struct mbs_state x;
    int n, nz, m, nu, N, status;

    if (mbs_border_idle(sim, "mbs_descriptor") || mbs_border_result(sim, out, "mbs_descriptor"))
        return MBS_BAD_ARGUMENT;
    if (mbs_border_smooth(sim, "mbs_descriptor"))
        return MBS_UNAVAILABLE;
    memset(out, 0, sizeof *out);
    if ((status = mbs_border_matrices(sim, "the descriptor form")) || (status = mbs_sim_complete(sim)))
        return status;
    o = sim->model;
    n = o->nq;
    nz = o->nz;
    m = o->ng + o->nh;
    nu = o->nu;
    N = 2 * n + nz + m;
    out->E = calloc((size_t)N * (size_t)(2 * N + nu) + 1, sizeof *out->E);
    if (mbs_linear_init(&lin, o, MBS_LINEAR_MOTION) || !out->E) {
        free(out->E);
        memset(out, 0, sizeof *out);
        return mbs_fail(&sim->msg, MBS_NO_MEMORY, sim->s.x.t, -1, -1, "out of memory for the descriptor form");
    }
    out->n = N;
    out->nu = nu;
    out->A = out->E + (long)N * N;
    out->B = out->A + (long)N * N;
    x = mbs_point_state(&sim->s.x, &sim->p);
    mbs_eval_jacobian(&sim->p, &x, &lin.jac);
    for (int i = 0; i < n; i++) {
        out->E[(long)i * N + i] = 1;
        out->A[(long)i * N + n + i] = 1;
    }
    for (int i = 0; i < nz; i++)
        out->E[(long)(2 * n + i) * N + 2 * n + i] = 1;
    put_block(out->E, N, n, n, &o->M, lin.jac.M, 1, MBS_BLOCK_SYMMETRIC);
    put_block(out->A, N, n, 0, &o->rq, lin.jac.rq, -1, MBS_BLOCK);
    put_block(out->A, N, n, n, &o->rv, lin.jac.rv, -1, MBS_BLOCK);
    put_block(out->A, N, n, 2 * n, &o->rz, lin.jac.rz, -1, MBS_BLOCK);
    put_block(out->A, N, n, 2 * n + nz, &o->G, lin.jac.G, -1, MBS_BLOCK_TRANSPOSED);
    put_block(out->A, N, 2 * n, 0, &o->zq, lin.jac.zq, 1, MBS_BLOCK);
    put_block(out->A, N, 2 * n, n, &o->zv, lin.jac.zv, 1, MBS_BLOCK);
    put_block(out->A, N, 2 * n, 2 * n, &o->zz, lin.jac.zz, 1, MBS_BLOCK);
    put_block(out->A, N, 2 * n + nz, 0, &o->gvq, lin.jac.gvq, 1, MBS_BLOCK);
    put_block(out->A, N, 2 * n + nz, n, &o->G, lin.jac.G, 1, MBS_BLOCK);
    put_block(out->B, nu, n, 0, &o->ru, lin.jac.ru, -1, MBS_BLOCK);
    put_block(out->B, nu, 2 * n, 0, &o->zu, lin.jac.zu, 1, MBS_BLOCK);
    mbs_linear_fini(&lin);
    return 0;
}

/* ---- frequency response ---- */

int mbs_frequency_response(const struct mbs_linearization *x, double omega, double *H)
{
    size_t nx;
    double *A, *b, *scale;
    int *pivot, regular;

    if (!x || !H || !isfinite(omega))
        return MBS_BAD_ARGUMENT;
    nx = (size_t)x->nx;
    A = malloc((2 * nx * nx + 3 * nx + 1) * sizeof *A);
    pivot = malloc((nx + 1) * sizeof *pivot);
    if (!A || !pivot) {
        free(A);
        free(pivot);
        return MBS_NO_MEMORY;
    }
    b = A + 2 * nx * nx;
    scale = b + 2 * nx;
    for (size_t i = 0; i < nx; i++)
        for (size_t j = 0; j < nx; j++) {
            A[2 * (i * nx + j)] = -x->A[i * nx + j];
            A[2 * (i * nx + j) + 1] = i == j ? omega : 0;
        }
    regular = nx == 0 || mbs_lu_complex(x->nx, A, pivot, scale) > 0;
    for (int k = 0; k < x->nu; k++) {
        for (size_t i = 0; i < nx; i++) {
            b[2 * i] = x->B[i * (size_t)x->nu + (size_t)k];
            b[2 * i + 1] = 0;
        }
        if (regular && nx > 0)
            mbs_lu_complex_solve(x->nx, A, pivot, b);
        for (int i = 0; i < x->ny; i++) {
            double re = x->D[(long)i * x->nu + k], im = 0;
            for (size_t j = 0; j < nx; j++) {
                re += x->C[(size_t)i * nx + j] * b[2 * j];
                im += x->C[(size_t)i * nx + j] * b[2 * j + 1];
            }
            H[2 * (k * x->ny + i)] = regular ? re : HUGE_VAL;
            H[2 * (k * x->ny + i) + 1] = regular ? im : 0;
        }
    }
    free(A);
    free(pivot);
    return 0;
}
