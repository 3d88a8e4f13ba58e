/* SPDX-License-Identifier: MIT
 *
 * One step of the derivatives by parameters (derive.h): stages, matrix, right sides, solution, back onto the constraints. */
#include "analysis/derive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STAGES = MBS_DERIVE_STAGES, FEW = 32 };

/* ---- set-up ---- */

static void method_init(struct mbs_derive *d)
{
    double r = sqrt(6);
    const double a[STAGES][STAGES] = {{(88 - 7 * r) / 360, (296 - 169 * r) / 1800, (-2 + 3 * r) / 225},
                                      {(296 + 169 * r) / 1800, (88 + 7 * r) / 360, (-2 - 3 * r) / 225},
                                      {(16 - r) / 36, (16 + r) / 36, 1.0 / 9}};
    const double c[STAGES] = {(4 - r) / 10, (4 + r) / 10, 1};
    memcpy(d->a, a, sizeof a);
    memcpy(d->c, c, sizeof c);
    for (int i = 0; i < STAGES; i++)
        for (int j = 0; j < STAGES; j++)
            for (int k = 0; k < STAGES; k++)
                d->aa[i][j] += a[i][k] * a[k][j];
}

static int matrix_init(struct mbs_derive *d, const struct mbs_model *o)
{
    int u = d->unknowns, z = d->n, l = d->n + d->nz;
    if (!(d->A = mbs_matrix_new(STAGES * u, MBS_MATRIX_REAL)))
        return MBS_NO_MEMORY;
    for (int i = 0; i < STAGES; i++) {
        int row = i * u;
        d->block_M[i] = mbs_matrix_block(d->A, &o->M, 0, row, row, MBS_BLOCK_SYMMETRIC);
        d->block_G[i] = mbs_matrix_block(d->A, &o->G, 0, row, row + l, MBS_BLOCK_TRANSPOSED);
        d->block_one[i] = mbs_matrix_block(d->A, NULL, d->nz, row + z, row + z, MBS_BLOCK);
        for (int j = 0; j < STAGES; j++) {
            int col = j * u;
            d->rq[i][j] = mbs_matrix_block(d->A, &o->rq, 0, row, col, MBS_BLOCK);
            d->rv[i][j] = mbs_matrix_block(d->A, &o->rv, 0, row, col, MBS_BLOCK);
            d->gv[i][j] = mbs_matrix_block(d->A, &o->G, 0, row + l, col, MBS_BLOCK);
            if (d->m)
                d->gvq[i][j] = mbs_matrix_block(d->A, &o->gvq, 0, row + l, col, MBS_BLOCK);
            if (d->nz) {
                d->rz[i][j] = mbs_matrix_block(d->A, &o->rz, 0, row, col + z, MBS_BLOCK);
                d->zq[i][j] = mbs_matrix_block(d->A, &o->zq, 0, row + z, col, MBS_BLOCK);
                d->zv[i][j] = mbs_matrix_block(d->A, &o->zv, 0, row + z, col, MBS_BLOCK);
                d->zz[i][j] = mbs_matrix_block(d->A, &o->zz, 0, row + z, col + z, MBS_BLOCK);
            }
        }
    }
    int status = mbs_matrix_ready(d->A);
    if (status) {
        mbs_matrix_free(d->A);
        d->A = NULL;
    }
    return status;
}

size_t mbs_derive_stage_place(struct mbs_derive_stage *s, const struct mbs_model *o, int row, double *block)
{
    const struct { const struct mbs_pattern *p; double **at; int always; } array[] = {
        {&o->rq, &s->jac.rq, 1}, {&o->rv, &s->jac.rv, 1}, {&o->M, &s->jac.M, 1}, {&o->G, &s->jac.G, 1}, {&o->rz, &s->jac.rz, 1},
        {&o->zq, &s->jac.zq, 1}, {&o->zv, &s->jac.zv, 1}, {&o->zz, &s->jac.zz, 1}, {&o->gvq, &s->jac.gvq, 1}, {&o->gaq, &s->jac.gaq, 0},
        {&o->gav, &s->jac.gav, 0}, {&o->rp, &s->s.rp, 1}, {&o->zp, &s->s.zp, 1}, {&o->gp, &s->s.gp, 1}, {&o->gvp, &s->s.gvp, 1},
        {&o->gap, &s->s.gap, 0}, {&o->yq, &s->s.yq, 0}, {&o->yv, &s->s.yv, 0}, {&o->ya, &s->s.ya, 0}, {&o->yl, &s->s.yl, 0},
        {&o->yz, &s->s.yz, 0}, {&o->yp, &s->s.yp, 0}};
    size_t at = 0;
    for (size_t k = 0; k < sizeof array / sizeof *array; k++)
        if (array[k].always || row) {
            *array[k].at = block ? block + at : NULL;
            at += (size_t)array[k].p->nnz + 1;
        }
    return at;
}

static int stage_init(struct mbs_derive_stage *s, const struct mbs_model *o, int row, size_t *size)
{
    *size = mbs_derive_stage_place(s, o, row, NULL);
    if (!(s->block = calloc(*size, sizeof *s->block)))
        return MBS_NO_MEMORY;
    mbs_derive_stage_place(s, o, row, s->block);
    return 0;
}

int mbs_derive_steps_init(struct mbs_derive *d, const struct mbs_model *o)
{
    int status = 0;
    method_init(d);
    for (int i = 0; i < STAGES && status == 0; i++)
        status = stage_init(&d->stage[i], o, 0, &d->stage_size);
    if (status == 0)
        status = stage_init(&d->row, o, 1, &d->row_size);
    d->small = d->m <= FEW;
    return status;
}

void mbs_derive_steps_fini(struct mbs_derive *d)
{
    for (int i = 0; i < STAGES; i++)
        free(d->stage[i].block);
    free(d->row.block);
    mbs_matrix_free(d->A);
}

/* ---- stages and matrix ---- */

int mbs_derive_stage_at(struct mbs_derive *d, double t, struct mbs_derive_stage *s)
{
    struct mbs_sim *sim = d->sim;
    struct mbs_problem *p = &sim->p;
    struct mbs_state x;
    int status = mbs_sim_dense_motion(sim, t, &d->at);
    /* in index 3 velocities are off across the constraints, the more the shorter a step is */
    if (status >= 0 && sim->s.form == MBS_INDEX3 && d->m)
        status = mbs_project_velocity(p, t, d->at.q, d->at.v);
    /* a and lambda that belong to q and v, also where the method has others */
    if (status >= 0)
        status = mbs_accelerations(p, t, d->at.q, d->at.a, d->at.lambda, p->dyn.zdot);
    if (status < 0)
        return status;
    x = mbs_point_state(&d->at, p);
    mbs_inputs_at(p, t);
    sim->model->jacobian(p->c, &x, &s->jac, p->w);
    sim->model->sensitivity(p->c, &x, &s->s, p->w);
    return 0;
}

int mbs_derive_factor(struct mbs_derive *d, double h)
{
    mbs_matrix_clear(d->A);
    for (int i = 0; i < STAGES; i++) {
        const struct mbs_jacobian *J = &d->stage[i].jac;
        mbs_matrix_add(d->A, d->block_M[i], 1, 0, J->M);
        mbs_matrix_add(d->A, d->block_G[i], 1, 0, J->G);
        mbs_matrix_add(d->A, d->block_one[i], 1, 0, NULL);
        for (int j = 0; j < STAGES; j++) {
            double a = h * d->a[i][j], aa = h * h * d->aa[i][j];
            mbs_matrix_add(d->A, d->rq[i][j], aa, 0, J->rq);
            mbs_matrix_add(d->A, d->rv[i][j], a, 0, J->rv);
            mbs_matrix_add(d->A, d->gv[i][j], a / h, 0, J->G);
            if (d->m)
                mbs_matrix_add(d->A, d->gvq[i][j], aa / h, 0, J->gvq);
            if (d->nz) {
                mbs_matrix_add(d->A, d->rz[i][j], a, 0, J->rz);
                mbs_matrix_add(d->A, d->zq[i][j], -aa, 0, J->zq);
                mbs_matrix_add(d->A, d->zv[i][j], -a, 0, J->zv);
                mbs_matrix_add(d->A, d->zz[i][j], -a, 0, J->zz);
            }
        }
    }
    return mbs_matrix_factor(d->A);
}

int mbs_derive_factor_constraints(struct mbs_derive *d, const struct mbs_derive_stage *at)
{
    int status = d->m ? mbs_saddle_factor(d->sim->p.saddle, at->jac.M, at->jac.G) : 0;
    if (status >= 0)
        mbs_derive_corrections(d);
    return status;
}

void mbs_derive_corrections(struct mbs_derive *d)
{
    for (int i = 0; i < d->m && d->small; i++) {
        memset(d->column, 0, (size_t)(d->n + d->m) * sizeof *d->column);
        d->column[d->n + i] = 1;
        mbs_saddle_solve(d->sim->p.saddle, d->column);
        for (int j = 0; j < d->n; j++)
            d->K[j * d->m + i] = d->column[j];
    }
}

/* ---- panels ---- */

/* The matrix is symmetric: where there are more right sides than rows wanted, rows of its inverse are cheaper. */
void mbs_derive_solve(struct mbs_derive *d, int rows, int columns, int width, const double *X, double *Y)
{
    struct mbs_saddle *saddle = d->sim->p.saddle;
    int order = d->n + d->m;
    if (rows < columns) {
        memset(d->inverse, 0, (size_t)(rows * order) * sizeof *d->inverse);
        for (int i = 0; i < rows; i++) {
            d->inverse[i * order + i] = 1;
            mbs_saddle_solve(saddle, d->inverse + i * order);
        }
        mbs_panel_product(rows, order, d->inverse, width, X, Y);
        return;
    }
    mbs_panel_clear(rows * width, Y);
    for (int c = 0; c < columns; c++) {
        for (int i = 0; i < order; i++)
            d->column[i] = X[i * width + c];
        mbs_saddle_solve(saddle, d->column);
        for (int i = 0; i < rows; i++)
            Y[i * width + c] = d->column[i];
    }
}

void mbs_derive_params(const struct mbs_derive *d, const struct mbs_pattern *p, const double *val, double s, const struct mbs_derive_columns *c, double *Y)
{
    for (int k = 0; k < d->np && p->nnz; k++)
        for (int i = p->colptr[k]; i < p->colptr[k + 1]; i++) {
            double *y = Y + p->rowidx[i] * c->width;
            if (c->params)
                y[k] += s * val[i];
            y[c->params] += s * val[i] * d->direction[k];
        }
}

void mbs_derive_remove(struct mbs_derive *d, int width, const double *R, double *X)
{
    if (d->small) {
        mbs_panel_dense(d->n, d->m, d->K, 1, width, R, X);
        return;
    }
    for (int c = 0; c < width; c++) {
        memset(d->column, 0, (size_t)d->n * sizeof *d->column);
        for (int i = 0; i < d->m; i++)
            d->column[d->n + i] = R[i * width + c];
        mbs_saddle_solve(d->sim->p.saddle, d->column);
        for (int i = 0; i < d->n; i++)
            X[i * width + c] += d->column[i];
    }
}

void mbs_derive_remove_t(struct mbs_derive *d, int width, const double *X, double *R)
{
    if (d->small) {
        mbs_panel_dense_t(d->n, d->m, d->K, 1, width, X, R);
        return;
    }
    for (int c = 0; c < width; c++) {   /* the matrix is symmetric */
        memset(d->column, 0, (size_t)(d->n + d->m) * sizeof *d->column);
        for (int i = 0; i < d->n; i++)
            d->column[i] = X[i * width + c];
        mbs_saddle_solve(d->sim->p.saddle, d->column);
        for (int i = 0; i < d->m; i++)
            R[i * width + c] += d->column[d->n + i];
    }
}

/* The right sides of all stages, from a state. */
static void right_sides(struct mbs_derive *d, double h, const struct mbs_derive_columns *c, const double *from)
{
    const struct mbs_model *o = d->sim->model;
    int w = c->width;
    const double *q0 = from, *v0 = q0 + d->n * w, *z0 = v0 + d->n * w;
    memset(d->x, 0, (size_t)(STAGES * d->unknowns * w) * sizeof *d->x);
    for (int i = 0; i < STAGES; i++) {
        const struct mbs_derive_stage *at = &d->stage[i];
        const struct mbs_jacobian *J = &at->jac;
        double *r = d->x + i * d->unknowns * w, *z = r + d->n * w, *g = z + d->nz * w, *q = d->work;
        memcpy(q, q0, (size_t)(d->n * w) * sizeof *q);
        mbs_panel_add(d->n * w, d->c[i] * h, v0, q);
        mbs_derive_params(d, &o->rp, at->s.rp, -1, c, r);
        mbs_panel_mul(&o->rq, J->rq, -1, w, q, r);
        mbs_panel_mul(&o->rv, J->rv, -1, w, v0, r);
        if (d->nz) {
            mbs_panel_mul(&o->rz, J->rz, -1, w, z0, r);
            mbs_derive_params(d, &o->zp, at->s.zp, 1, c, z);
            mbs_panel_mul(&o->zq, J->zq, 1, w, q, z);
            mbs_panel_mul(&o->zv, J->zv, 1, w, v0, z);
            mbs_panel_mul(&o->zz, J->zz, 1, w, z0, z);
        }
        if (d->m) {
            mbs_derive_params(d, &o->gvp, at->s.gvp, -1 / h, c, g);
            mbs_panel_mul(&o->G, J->G, -1 / h, w, v0, g);
            mbs_panel_mul(&o->gvq, J->gvq, -1 / h, w, q, g);
        }
    }
}

void mbs_derive_position(struct mbs_derive *d, const struct mbs_derive_stage *at, const struct mbs_derive_columns *c, double s, const double *q,
                         double *g)
{
    const struct mbs_model *o = d->sim->model;
    const struct mbs_pattern *rows = &o->G;
    int w = c->width;
    if (o->nh == 0) {
        mbs_panel_mul(rows, at->jac.G, s, w, q, g);
    } else {
        for (int j = 0, k = 0; rows->nnz && j < rows->cols; j++)
            for (; k < rows->colptr[j + 1]; k++)
                if (rows->rowidx[k] < o->ng)
                    mbs_panel_add(w, s * at->jac.G[k], q + j * w, g + rows->rowidx[k] * w);
    }
    mbs_derive_params(d, &o->gp, at->s.gp, s, c, g);
}

void mbs_derive_position_t(struct mbs_derive *d, const struct mbs_derive_stage *at, int width, double s, const double *g, double *q, double *params)
{
    const struct mbs_model *o = d->sim->model;
    const struct mbs_pattern *rows = &o->G;
    for (int j = 0, k = 0; rows->nnz && j < rows->cols; j++)
        for (; k < rows->colptr[j + 1]; k++)
            if (rows->rowidx[k] < o->ng)
                mbs_panel_add(width, s * at->jac.G[k], g + rows->rowidx[k] * width, q + j * width);
    mbs_panel_mul_t(&o->gp, at->s.gp, s, width, g, params);
}

void mbs_derive_velocity(struct mbs_derive *d, const struct mbs_derive_stage *at, const struct mbs_derive_columns *c, double s, const double *q,
                         const double *v, double *g)
{
    const struct mbs_model *o = d->sim->model;
    mbs_panel_mul(&o->G, at->jac.G, s, c->width, v, g);
    mbs_panel_mul(&o->gvq, at->jac.gvq, s, c->width, q, g);
    mbs_derive_params(d, &o->gvp, at->s.gvp, s, c, g);
}

void mbs_derive_velocity_t(struct mbs_derive *d, const struct mbs_derive_stage *at, int width, double s, const double *g, double *q, double *v,
                           double *params)
{
    const struct mbs_model *o = d->sim->model;
    mbs_panel_mul_t(&o->G, at->jac.G, s, width, g, v);
    mbs_panel_mul_t(&o->gvq, at->jac.gvq, s, width, g, q);
    mbs_panel_mul_t(&o->gvp, at->s.gvp, s, width, g, params);
}

void mbs_derive_project(struct mbs_derive *d, const struct mbs_derive_stage *at, const struct mbs_derive_columns *c, double *state)
{
    int w = c->width;
    double *g = d->residual, *q = state, *v = state + d->n * w;
    size_t all = (size_t)(d->m * w) * sizeof *g;
    if (!d->m)
        return;
    memset(g, 0, all);
    mbs_derive_position(d, at, c, -1, q, g);
    mbs_derive_remove(d, w, g, q);
    memset(g, 0, all);
    mbs_derive_velocity(d, at, c, -1, q, v, g);
    mbs_derive_remove(d, w, g, v);
}

void mbs_derive_project_t(struct mbs_derive *d, const struct mbs_derive_stage *at, int width, double *state, double *params, double *g)
{
    double *q = state, *v = state + d->n * width;
    size_t all = (size_t)(d->m * width) * sizeof *g;
    if (!d->m)
        return;
    memset(g, 0, all);
    mbs_derive_remove_t(d, width, v, g);
    mbs_derive_velocity_t(d, at, width, -1, g, q, v, params);
    memset(g, 0, all);
    mbs_derive_remove_t(d, width, q, g);
    mbs_derive_position_t(d, at, width, -1, g, q, params);
}

int mbs_derive_step(struct mbs_derive *d, double t, double h, const struct mbs_derive_columns *c, const double *from, double *to)
{
    int status, n = d->n, w = c->width;
    if (!d->A && (status = matrix_init(d, d->sim->model)))      /* explicit methods need it where singular positions are passed */
        return status;
    for (int i = 0; i < STAGES; i++)
        if ((status = mbs_derive_stage_at(d, i == STAGES - 1 ? t + h : t + d->c[i] * h, &d->stage[i])) < 0)
            return status;
    if ((status = mbs_derive_factor(d, h)) < 0 || (status = mbs_derive_factor_constraints(d, &d->stage[STAGES - 1])) < 0)
        return status;
    right_sides(d, h, c, from);
    mbs_matrix_solve_panel(d->A, w, d->x, d->column);
    memcpy(to, from, (size_t)(d->rows * w) * sizeof *to);
    mbs_panel_add(n * w, h, from + n * w, to);
    for (int j = 0; j < STAGES; j++) {
        const double *x = d->x + j * d->unknowns * w;
        mbs_panel_add(n * w, h * h * d->aa[STAGES - 1][j], x, to);
        mbs_panel_add((n + d->nz) * w, h * d->a[STAGES - 1][j], x, to + n * w);
    }
    mbs_derive_project(d, &d->stage[STAGES - 1], c, to);
    return mbs_finite(to, d->rows * w) ? 0 : MBS_NAN;
}

int mbs_derive_complete(struct mbs_derive *d, double *al, double *y)
{
    const struct mbs_model *o = d->sim->model;
    const struct mbs_derive_stage *at = &d->row;
    const struct mbs_jacobian *J = &at->jac;
    const struct mbs_derive_columns *c = &d->all;
    int w = c->width, status = mbs_saddle_factor(d->sim->p.saddle, J->M, J->G);
    const double *q = d->now, *v = q + d->n * w, *z = v + d->n * w;
    double *r = d->al, *g = r + d->n * w;
    if (status < 0)
        return status;
    mbs_panel_clear((d->n + d->m) * w, r);
    mbs_derive_params(d, &o->rp, at->s.rp, -1, c, r);
    mbs_panel_mul(&o->rq, J->rq, -1, w, q, r);
    mbs_panel_mul(&o->rv, J->rv, -1, w, v, r);
    mbs_panel_mul(&o->rz, J->rz, -1, w, z, r);
    if (d->m) {
        mbs_derive_params(d, &o->gap, at->s.gap, -1, c, g);
        mbs_panel_mul(&o->gaq, J->gaq, -1, w, q, g);
        mbs_panel_mul(&o->gav, J->gav, -1, w, v, g);
    }
    mbs_derive_solve(d, d->n + d->m, c->params + 1, w, r, al);
    if (!o->ny)
        return 0;
    memset(y, 0, (size_t)(o->ny * w) * sizeof *y);
    mbs_panel_mul(&o->yq, at->s.yq, 1, w, q, y);
    mbs_panel_mul(&o->yv, at->s.yv, 1, w, v, y);
    mbs_panel_mul(&o->ya, at->s.ya, 1, w, al, y);
    mbs_panel_mul(&o->yl, at->s.yl, 1, w, al + d->n * w, y);
    mbs_panel_mul(&o->yz, at->s.yz, 1, w, z, y);
    mbs_derive_params(d, &o->yp, at->s.yp, 1, c, y);
    return 0;
}
