/* SPDX-License-Identifier: MIT
 *
 * Derivatives of a motion by parameters, beside the motion.  With r = M a - f + G' lambda they satisfy
 *
 *     M sa + rv sv + rq sq + rz sz + G' sl + rp = 0,     sz' = zq sq + zv sv + zz sz + zp,     G sv + gvq sq + gvp = 0,
 *
 * which is linear: Radau IIA of order 5 along the dense output of whatever method integrates the motion needs one factorisation a
 * step for all parameters (staggered direct method; Caracotsios and Stewart 1985, Maly and Petzold 1996).  The unknowns of a stage are
 * sa, sz', sl; sq and sv are their integrals.  For some of the parameters, others each time, a step is also taken as two halves: the
 * difference controls the steps, which are those of the method or smaller.  What is left of G sq + gp and of the third equation is removed after each step, in
 * the norm of M.  Derivatives of the start are differences of five points of the assembly, whatever it does. */
#include "analysis/linear.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STAGES = 3, PROBES = 3 };
static const double PART = 0.1;         /* of the tolerance that the derivatives may add to the error that the motion brings into them */

struct stage {                  /* the equations at one time */
    struct mbs_linear linear;
    struct mbs_sensitivity s;
    double *block;
};

struct mbs_derive {
    struct mbs_derivatives out; /* what the user sees */
    struct mbs_sim *sim;
    int n, nz, m, np, unknowns; /* of a stage */
    struct mbs_matrix *A;
    int block_M[STAGES], block_G[STAGES], block_one[STAGES];
    int rq[STAGES][STAGES], rv[STAGES][STAGES], rz[STAGES][STAGES], zq[STAGES][STAGES], zv[STAGES][STAGES], zz[STAGES][STAGES];
    int gv[STAGES][STAGES], gvq[STAGES][STAGES];
    struct stage stage[STAGES];
    struct mbs_point at;
    double a[STAGES][STAGES], aa[STAGES][STAGES], c[STAGES];
    double *now, *whole, *half, *halves;        /* states: np times (sq, sv, sz) */
    int probe[PROBES], probes;  /* the parameters whose steps are taken as halves, too */
    double *x;                  /* unknowns of all stages */
    double *work;               /* 2 (n + m) + nz */
    double *scale;              /* np: size of a change of the parameter */
    double h;                   /* of the next step; 0: none yet */
    void *memory;
};

static double *state_of(const struct mbs_derive *d, double *all, int k) { return all + (size_t)k * (size_t)(2 * d->n + d->nz); }

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
    return mbs_matrix_ready(d->A);
}

static int stage_init(struct stage *s, const struct mbs_model *o)
{
    const struct mbs_pattern *p[] = {&o->rp, &o->zp, &o->gp, &o->gvp, &o->gap, &o->yq, &o->yv, &o->ya, &o->yl, &o->yz, &o->yp};
    double **at[] = {&s->s.rp, &s->s.zp, &s->s.gp, &s->s.gvp, &s->s.gap, &s->s.yq, &s->s.yv, &s->s.ya, &s->s.yl, &s->s.yz, &s->s.yp};
    enum { ARRAYS = sizeof p / sizeof *p };
    size_t all = 0;
    int status = mbs_linear_init(&s->linear, o, MBS_LINEAR_MOTION);
    if (status)
        return status;
    for (int k = 0; k < ARRAYS; k++)
        all += (size_t)p[k]->nnz + 1;
    if (!(s->block = calloc(all, sizeof *s->block)))
        return MBS_NO_MEMORY;
    double *next = s->block;
    for (int k = 0; k < ARRAYS; k++) {
        *at[k] = next;
        next += p[k]->nnz + 1;
    }
    return 0;
}

static void layout(struct mbs_derive *d, struct mbs_work *w)
{
    size_t np = (size_t)d->np, n = (size_t)d->n, m = (size_t)d->m, nz = (size_t)d->nz, state = 2 * n + nz;
    d->now = mbs_work_doubles(w, np * state + 1);
    d->whole = mbs_work_doubles(w, np * state + 1);
    d->half = mbs_work_doubles(w, np * state + 1);
    d->halves = mbs_work_doubles(w, np * state + 1);
    d->out.q = mbs_work_doubles(w, np * n + 1);
    d->out.v = mbs_work_doubles(w, np * n + 1);
    d->out.z = mbs_work_doubles(w, np * nz + 1);
    d->out.a = mbs_work_doubles(w, np * n + 1);
    d->out.lambda = mbs_work_doubles(w, np * m + 1);
    d->out.y = mbs_work_doubles(w, np * (size_t)d->sim->model->ny + 1);
    d->x = mbs_work_doubles(w, (size_t)(STAGES * d->unknowns) + 1);
    d->work = mbs_work_doubles(w, 2 * (n + m) + nz + 1);
    d->scale = mbs_work_doubles(w, np + 1);
    mbs_point_layout(&d->at, &d->sim->p, w);
}

void mbs_derive_end(struct mbs_sim *sim)
{
    struct mbs_derive *d = sim->derive;
    sim->derive = NULL;
    if (!d)
        return;
    for (int i = 0; i < STAGES; i++) {
        mbs_linear_fini(&d->stage[i].linear);
        free(d->stage[i].block);
    }
    mbs_matrix_free(d->A);
    free(d->memory);
    free(d);
}

static int derive_new(struct mbs_sim *sim)
{
    const struct mbs_model *o = sim->model;
    struct mbs_derive *d = calloc(1, sizeof *d);
    struct mbs_work w = {NULL, 0};
    int status;
    if (!d)
        return MBS_NO_MEMORY;
    sim->derive = d;
    d->sim = sim;
    d->n = o->nq;
    d->nz = o->nz;
    d->m = o->ng + o->nh;
    d->np = o->nsensitive;
    d->unknowns = d->n + d->nz + d->m;
    d->out.count = d->np;
    d->out.param = o->sensitive;
    method_init(d);
    layout(d, &w);
    if (!(d->memory = calloc(1, w.used + 1)))
        return MBS_NO_MEMORY;
    w = (struct mbs_work){d->memory, 0};
    layout(d, &w);
    for (int i = 0; i < STAGES; i++)
        if ((status = stage_init(&d->stage[i], o)))
            return status;
    return matrix_init(d, o);
}

/* ---- one step ---- */

/* The equations at t, within the last step of the method. */
static int stage_at(struct mbs_derive *d, double t, struct stage *s)
{
    struct mbs_sim *sim = d->sim;
    struct mbs_problem *p = &sim->p;
    struct mbs_state x;
    int status = mbs_sim_dense(sim, t, &d->at);
    /* a and lambda that belong to q and v, also where the method has others */
    if (status == 0)
        status = mbs_accelerations(p, t, d->at.q, d->at.a, d->at.lambda, p->dyn.zdot);
    if (status < 0)
        return status;
    x = mbs_point_state(&d->at, p);
    mbs_inputs_at(p, t);
    sim->model->jacobian(p->c, &x, &s->linear.jac, p->w);
    sim->model->sensitivity(p->c, &x, &s->s, p->w);
    return 0;
}

static int assemble_matrix(struct mbs_derive *d, double h)
{
    mbs_matrix_clear(d->A);
    for (int i = 0; i < STAGES; i++) {
        const struct mbs_jacobian *J = &d->stage[i].linear.jac;
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

/* y += s times column k of a sparse matrix */
static void add_column(const struct mbs_pattern *p, const double *val, int k, double s, double *y)
{
    if (!p->nnz)
        return;
    for (int i = p->colptr[k]; i < p->colptr[k + 1]; i++)
        y[p->rowidx[i]] += s * val[i];
}

/* The right sides of all stages for parameter k, from the state s. */
static void right_side(struct mbs_derive *d, double h, int k, const double *s)
{
    const struct mbs_model *o = d->sim->model;
    const double *q0 = s, *v0 = s + d->n, *z0 = v0 + d->n;
    memset(d->x, 0, (size_t)(STAGES * d->unknowns) * sizeof *d->x);
    for (int i = 0; i < STAGES; i++) {
        const struct stage *at = &d->stage[i];
        const struct mbs_jacobian *J = &at->linear.jac;
        double *r = d->x + i * d->unknowns, *z = r + d->n, *g = z + d->nz, *q = d->work;
        for (int j = 0; j < d->n; j++)
            q[j] = q0[j] + d->c[i] * h * v0[j];
        add_column(&o->rp, at->s.rp, k, -1, r);
        mbs_csc_mul(&o->rq, J->rq, -1, q, r);
        mbs_csc_mul(&o->rv, J->rv, -1, v0, r);
        if (d->nz) {
            mbs_csc_mul(&o->rz, J->rz, -1, z0, r);
            add_column(&o->zp, at->s.zp, k, 1, z);
            mbs_csc_mul(&o->zq, J->zq, 1, q, z);
            mbs_csc_mul(&o->zv, J->zv, 1, v0, z);
            mbs_csc_mul(&o->zz, J->zz, 1, z0, z);
        }
        if (d->m) {
            add_column(&o->gvp, at->s.gvp, k, -1 / h, g);
            mbs_csc_mul(&o->G, J->G, -1 / h, v0, g);
            mbs_csc_mul(&o->gvq, J->gvq, -1 / h, q, g);
        }
    }
}

/* Back onto the constraints, with the factors of the last stage. */
static void project(struct mbs_derive *d, int k, double *s)
{
    const struct mbs_model *o = d->sim->model;
    const struct stage *at = &d->stage[STAGES - 1];
    const struct mbs_jacobian *J = &at->linear.jac;
    double *x = d->work, *q = s, *v = s + d->n;
    for (int level = 0; level < 2 && d->m; level++) {
        double *g = x + d->n, *y = level ? v : q;
        memset(x, 0, (size_t)(d->n + d->m) * sizeof *x);
        mbs_csc_mul(&o->G, J->G, -1, y, g);
        if (level) {
            mbs_csc_mul(&o->gvq, J->gvq, -1, q, g);
            add_column(&o->gvp, at->s.gvp, k, -1, g);
        } else {
            add_column(&o->gp, at->s.gp, k, -1, g);
            for (int i = o->ng; i < d->m; i++)          /* these rows restrict velocities only */
                g[i] = 0;
        }
        mbs_saddle_solve(d->sim->p.saddle, x);
        for (int i = 0; i < d->n; i++)
            y[i] += x[i];
    }
}

static void column_step(struct mbs_derive *d, double h, int k, double *from, double *to)
{
    double *a = state_of(d, from, k), *b = state_of(d, to, k);
    const double *q0 = a, *v0 = a + d->n, *z0 = v0 + d->n;
    right_side(d, h, k, a);
    mbs_matrix_solve(d->A, d->x);
    for (int i = 0; i < d->n; i++) {
        double v = 0, q = 0;
        for (int j = 0; j < STAGES; j++) {
            v += d->a[STAGES - 1][j] * d->x[j * d->unknowns + i];
            q += d->aa[STAGES - 1][j] * d->x[j * d->unknowns + i];
        }
        b[i] = q0[i] + h * v0[i] + h * h * q;
        b[d->n + i] = v0[i] + h * v;
    }
    for (int i = 0; i < d->nz; i++) {
        double z = 0;
        for (int j = 0; j < STAGES; j++)
            z += d->a[STAGES - 1][j] * d->x[j * d->unknowns + d->n + i];
        b[2 * d->n + i] = z0[i] + h * z;
    }
    project(d, k, b);
}

/* From `from` at t to `to` at t + h, of all parameters or of the probes. */
static int radau_step(struct mbs_derive *d, double t, double h, double *from, double *to, int all)
{
    const struct mbs_jacobian *J = &d->stage[STAGES - 1].linear.jac;
    int status;
    for (int i = 0; i < STAGES; i++)
        if ((status = stage_at(d, i == STAGES - 1 ? t + h : t + d->c[i] * h, &d->stage[i])) < 0)
            return status;
    if ((status = assemble_matrix(d, h)) < 0)
        return status;
    if (d->m && (status = mbs_saddle_factor(d->sim->p.saddle, J->M, J->G)) < 0)
        return status;
    for (int k = 0; k < (all ? d->np : d->probes); k++)
        column_step(d, h, all ? k : d->probe[k], from, to);
    return !all || mbs_finite(to, d->np * (2 * d->n + d->nz)) ? 0 : MBS_NAN;
}

/* ---- control ---- */

/* The difference of a step and its two halves against the tolerances of the motion, where a change of the parameter by its own
 * size counts: the largest over the probes of the mean over the components.  *worst: which. */
static double step_error(const struct mbs_derive *d, int *worst)
{
    const struct mbs_options *opt = &d->sim->opt;
    const double *y = d->sim->s.x.q;    /* q, v, z in one array */
    int n = 2 * d->n + d->nz;
    double most = 0;
    for (int p = 0; p < d->probes; p++) {
        int k = d->probe[p];
        const double *a = state_of(d, d->whole, k), *b = state_of(d, d->halves, k);
        double sum = 0;
        for (int i = 0; i < n; i++) {
            double size = d->scale[k], sc = opt->atol + opt->rtol * fmax(fabs(y[i]), size * fabs(b[i]));
            double e = size * (a[i] - b[i]) * 32 / (31 * PART * sc);
            sum += e * e;
        }
        if (!(sqrt(sum / n) <= most)) {
            most = sqrt(sum / n);
            *worst = k;
        }
    }
    return most;
}

/* The parameter that was worst stays among the probes, the others change from step to step. */
static void choose_probes(struct mbs_derive *d, int worst)
{
    d->probes = d->np < PROBES ? d->np : PROBES;
    for (int p = 0; p < d->probes; p++)
        d->probe[p] = d->np <= PROBES ? p : p == 0 ? worst : (int)((d->out.steps * (PROBES - 1) + p) % d->np);
}

static int attempt(struct mbs_derive *d, double t, double h)
{
    int status = radau_step(d, t, h, d->now, d->whole, 1);
    if (status == 0)
        status = radau_step(d, t, h / 2, d->now, d->half, 0);
    return status ? status : radau_step(d, t + h / 2, h - h / 2, d->half, d->halves, 0);
}

/* To t, which lies within the last step of the method. */
static int advance(struct mbs_derive *d, double t)
{
    struct mbs_sim *sim = d->sim;
    size_t bytes = (size_t)d->np * (size_t)(2 * d->n + d->nz) * sizeof(double);
    int worst = d->probe[0];
    while (d->out.t != t) {
        double left = t - d->out.t, h = d->h == 0 || fabs(d->h) >= 0.999 * fabs(left) ? left : copysign(d->h, left);
        choose_probes(d, worst);
        int status = attempt(d, d->out.t, h);
        if (status == MBS_NO_MEMORY)
            return mbs_fail(&sim->msg, status, d->out.t, -1, -1, "out of memory for derivatives at t = %.9g", d->out.t);
        double error = status ? INFINITY : step_error(d, &worst), factor = error > 0 ? 0.9 * pow(error, -1.0 / 6) : 5;
        factor = fmin(5, fmax(0.2, factor));
        if (error <= 1) {
            d->out.t = h == left ? t : d->out.t + h;
            d->out.error = fmax(d->out.error, error);
            memcpy(d->now, d->whole, bytes);
            d->out.steps++;
            if (h != left || factor < 1)        /* a step that the end has cut short says nothing about the next */
                d->h = fabs(h) * factor;
            else
                d->h = fmax(d->h, fabs(h) * factor);
            continue;
        }
        d->h = fabs(h) * fmin(factor, 0.7);
        if (!(d->h > 16 * DBL_EPSILON * fabs(d->out.t)))
            return mbs_fail(&sim->msg, status < 0 ? status : MBS_UNDERFLOW, d->out.t, -1, -1,
                            "the derivatives by parameters cannot be continued behind t = %.9g", d->out.t);
    }
    return 0;
}

/* Accelerations, multipliers and outputs, at the time of the states. */
static int complete(struct mbs_derive *d)
{
    struct mbs_sim *sim = d->sim;
    const struct mbs_model *o = sim->model;
    const struct stage *at = &d->stage[STAGES - 1];
    const struct mbs_jacobian *J = &at->linear.jac;
    int status = stage_at(d, d->out.t, &d->stage[STAGES - 1]);
    if (status == 0)
        status = mbs_saddle_factor(sim->p.saddle, J->M, J->G);
    if (status < 0)
        return status;
    for (int k = 0; k < d->np; k++) {
        const double *q = state_of(d, d->now, k), *v = q + d->n, *z = v + d->n;
        double *x = d->work, *g = x + d->n, *y = d->out.y + k * o->ny;
        memset(x, 0, (size_t)(d->n + d->m) * sizeof *x);
        add_column(&o->rp, at->s.rp, k, -1, x);
        mbs_csc_mul(&o->rq, J->rq, -1, q, x);
        mbs_csc_mul(&o->rv, J->rv, -1, v, x);
        if (d->nz)
            mbs_csc_mul(&o->rz, J->rz, -1, z, x);
        if (d->m) {
            add_column(&o->gap, at->s.gap, k, -1, g);
            mbs_csc_mul(&o->gaq, J->gaq, -1, q, g);
            mbs_csc_mul(&o->gav, J->gav, -1, v, g);
        }
        mbs_saddle_solve(sim->p.saddle, x);
        memcpy(d->out.q + k * d->n, q, (size_t)d->n * sizeof *q);
        memcpy(d->out.v + k * d->n, v, (size_t)d->n * sizeof *q);
        memcpy(d->out.z + k * d->nz, z, (size_t)d->nz * sizeof *q);
        memcpy(d->out.a + k * d->n, x, (size_t)d->n * sizeof *q);
        memcpy(d->out.lambda + k * d->m, g, (size_t)d->m * sizeof *q);
        memset(y, 0, (size_t)o->ny * sizeof *y);
        if (!o->ny)
            continue;
        mbs_csc_mul(&o->yq, at->s.yq, 1, q, y);
        mbs_csc_mul(&o->yv, at->s.yv, 1, v, y);
        mbs_csc_mul(&o->ya, at->s.ya, 1, x, y);
        if (d->m)
            mbs_csc_mul(&o->yl, at->s.yl, 1, g, y);
        if (d->nz)
            mbs_csc_mul(&o->yz, at->s.yz, 1, z, y);
        add_column(&o->yp, at->s.yp, k, 1, y);
    }
    return 0;
}

int mbs_derive_to(struct mbs_sim *sim, double t, int output)
{
    struct mbs_derive *d = sim->derive;
    int status = advance(d, t);
    if (status == 0 && output)
        status = complete(d);
    sim->fresh_accelerations = 0;
    return status;
}

/* ---- the start ---- */

/* fixed[j] = 0 for parameters that follow when others change: those that have the values of their formulas and are not varied
 * themselves.  One that depends on what is varied but has another value than its formula is refused: rp would be of another model. */
static int find_fixed(struct mbs_sim *sim, unsigned char *fixed, double *p)
{
    const struct mbs_model *o = sim->model;
    unsigned char *one = calloc((size_t)o->np + 1, 1);
    int status = one ? 0 : MBS_NO_MEMORY;
    memset(fixed, 0, (size_t)o->np);
    for (int k = 0; k < o->nsensitive; k++)
        fixed[o->sensitive[k]] = 1;
    for (int j = 0; j < o->np && status == 0; j++) {
        if (fixed[j])
            continue;
        memset(one, 1, (size_t)o->np);
        one[j] = 0;
        memcpy(p, sim->params, (size_t)o->np * sizeof *p);
        o->defaults(p, one);
        double formula = p[j];
        fixed[j] = formula != sim->params[j];
        for (int k = 0; k < o->nsensitive && fixed[j]; k++) {
            memcpy(p, sim->params, (size_t)o->np * sizeof *p);
            p[o->sensitive[k]] += 1e-3 * (fabs(p[o->sensitive[k]]) + (p[o->sensitive[k]] == 0));
            o->defaults(p, one);
            if (p[j] != formula)
                status = mbs_fail(&sim->msg, MBS_UNAVAILABLE, NAN, -1, -1,
                                  "the parameter %s is a formula of %s but has another value: vary it, too, or leave it its formula", o->param[j].name,
                                  o->param[o->sensitive[k]].name);
        }
    }
    free(one);
    return status;
}

/* q, v, z of an assembly with parameter i moved by delta. */
static int assembled(struct mbs_sim *sim, int equilibrium, int i, double delta, const unsigned char *fixed, double *p, double *out)
{
    const struct mbs_model *o = sim->model;
    struct mbs_sim *other;
    struct mbs_message msg = {0};
    memcpy(p, sim->params, (size_t)o->np * sizeof *p);
    p[i] += delta;
    o->defaults(p, fixed);
    int status = mbs_new(&other, o, p, &sim->opt, &msg);
    if (status) {
        sim->msg = msg;
        return status;
    }
    if (o->nu && !sim->opt.input)
        status = mbs_set_inputs(other, sim->p.u);
    if (status == 0)
        status = mbs_assemble(other, sim->s.x.t);
    if (status == 0 && equilibrium)
        status = mbs_equilibrium(other);
    if (status == 0) {
        const struct mbs_state *x = mbs_state(other);
        memcpy(out, x->q, (size_t)o->nq * sizeof *out);
        memcpy(out + o->nq, x->v, (size_t)o->nq * sizeof *out);
        memcpy(out + 2 * o->nq, x->z, (size_t)o->nz * sizeof *out);
    } else {
        sim->msg = *mbs_message(other);
    }
    mbs_free(other);
    return status;
}

/* By differences of five points. */
static int differentiate_start(struct mbs_sim *sim, int equilibrium)
{
    const struct mbs_model *o = sim->model;
    struct mbs_derive *d = sim->derive;
    int n = 2 * o->nq + o->nz, status;
    double *p = calloc((size_t)o->np + 2 * (size_t)n + 3, sizeof *p), *plus = p + o->np + 1, *minus = plus + n + 1;
    unsigned char *fixed = malloc((size_t)o->np + 1);
    status = p && fixed ? find_fixed(sim, fixed, p) : MBS_NO_MEMORY;
    for (int k = 0; k < d->np && status == 0; k++) {
        int i = o->sensitive[k];
        double *s = state_of(d, d->now, k), delta = sim->params[i] != 0 ? 1e-3 * fabs(sim->params[i]) : 1e-3;
        d->scale[k] = sim->params[i] != 0 ? fabs(sim->params[i]) : 1;
        memset(s, 0, (size_t)n * sizeof *s);
        for (int a = 1; a <= 2 && status == 0; a++) {
            status = assembled(sim, equilibrium, i, a * delta, fixed, p, plus);
            if (status == 0)
                status = assembled(sim, equilibrium, i, -a * delta, fixed, p, minus);
            for (int j = 0; j < n && status == 0; j++)
                s[j] += (a == 1 ? 8 : -1) * (plus[j] - minus[j]) / (12 * delta);
        }
    }
    free(p);
    free(fixed);
    return status;
}

/* ---- for users ---- */

int mbs_derivatives_begin(struct mbs_sim *sim, int equilibrium)
{
    int status = mbs_border_idle(sim, "mbs_derivatives_begin");
    if (status)
        return status;
    if (sim->hybrid)
        return mbs_fail(&sim->msg, MBS_UNAVAILABLE, NAN, -1, -1, "the model %s has events: the derivatives of their times are not known", sim->model->name);
    if (!sim->model->sensitivity)
        return mbs_fail(&sim->msg, MBS_UNAVAILABLE, NAN, -1, -1, "the model %s has no derivatives by parameters: mbsc --sensitivity=... adds them",
                        sim->model->name);
    mbs_derive_end(sim);
    if ((status = derive_new(sim)) == 0 && (status = differentiate_start(sim, equilibrium)) == 0) {
        sim->derive->out.t = sim->s.x.t;
        status = complete(sim->derive);
    }
    sim->fresh_accelerations = 0;
    if (status == 0)
        return 0;
    mbs_derive_end(sim);
    return status == MBS_NO_MEMORY ? mbs_fail(&sim->msg, status, NAN, -1, -1, "out of memory for derivatives by %d parameters", sim->model->nsensitive) : status;
}

const struct mbs_derivatives *mbs_derivatives(const struct mbs_sim *sim)
{
    return sim && sim->derive ? &sim->derive->out : NULL;
}
