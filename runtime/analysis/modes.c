/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Eigenmodes: the linearised equations M a + D v + K q + rz z + G' dlambda = 0, G q = 0, with K = rq, D = rv of the
 * residual at the state (so K contains the change of G' lambda), restricted by q = N y, N an orthonormal basis of the
 * null space of G.  Then (y, y', z)' = A (y, y', z), and A's eigenvalues and vectors come from linalg/eigen.c. */
#include "analysis/linear.h"
#include "linalg/dense.h"
#include "linalg/eigen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct reduced {
    struct mbs_sim *sim;
    struct mbs_linear lin;
    int n, d, nz, order;        /* order = 2 d + nz */
    double *N;                  /* n x d */
    double *A;                  /* order x order */
    double *Mr, *tmp, *col;     /* d x d, n, d */
    int *pivot;
};

static int null_space(struct reduced *r)
{
    const struct mbs_pattern *G = &r->sim->model->G;
    int n = r->n, m = r->sim->p.m, rank = 0;
    double *Gt;
    struct mbs_cod *cod;

    if (m == 0) {
        r->d = n;
        r->N = calloc((size_t)n * (size_t)n + 1, sizeof *r->N);
        for (int i = 0; i < n && r->N; i++)
            r->N[i * n + i] = 1;
        return r->N ? 0 : MBS_NO_MEMORY;
    }
    Gt = calloc((size_t)n * (size_t)m + 1, sizeof *Gt);
    cod = mbs_cod_new(n, m);
    if (Gt && cod) {
        for (int j = 0; j < n; j++)
            for (int k = G->colptr[j]; k < G->colptr[j + 1]; k++)
                Gt[j * m + G->rowidx[k]] = r->lin.jac.G[k];
        for (int i = 0; i < m; i++) {
            double norm = 0;
            for (int j = 0; j < n; j++)
                norm = hypot(norm, Gt[j * m + i]);
            for (int j = 0; j < n && norm > 0; j++)
                Gt[j * m + i] /= norm;
        }
        rank = mbs_cod_factor(cod, Gt, 1e-9);
        r->d = n - rank;
        r->N = rank >= 0 ? calloc((size_t)n * (size_t)r->d + 1, sizeof *r->N) : NULL;
        if (r->N)
            mbs_cod_null(cod, r->N);
    }
    free(Gt);
    mbs_cod_free(cod);
    return rank < 0 ? rank : r->N ? 0 : MBS_NO_MEMORY;
}

/* col = -Mr^-1 N' x into column j of the rows d .. 2d-1 of A */
static void put_acceleration(struct reduced *r, const double *x, int j)
{
    for (int i = 0; i < r->d; i++) {
        double s = 0;
        for (int k = 0; k < r->n; k++)
            s -= r->N[k * r->d + i] * x[k];
        r->col[i] = s;
    }
    mbs_lu_real_solve(r->d, r->Mr, r->pivot, r->col);
    for (int i = 0; i < r->d; i++)
        r->A[(long)(r->d + i) * r->order + j] = r->col[i];
}

static int reduce(struct reduced *r)
{
    const struct mbs_model *o = r->sim->model;
    int n = r->n, d = r->d, nz = r->nz;
    double *x = r->tmp, *e = r->tmp + n, *zd = e + n + nz;

    for (int j = 0; j < d; j++) {       /* Mr = N' M N */
        memset(x, 0, (size_t)n * sizeof *x);
        for (int i = 0; i < n; i++)
            e[i] = r->N[i * d + j];
        mbs_csc_mul_sym(&o->M, r->lin.jac.M, 1, e, x);
        for (int i = 0; i < d; i++) {
            double s = 0;
            for (int k = 0; k < n; k++)
                s += r->N[k * d + i] * x[k];
            r->Mr[i * d + j] = s;
        }
    }
    if (d > 0 && !(mbs_lu_real(d, r->Mr, r->pivot, r->col) > 1e-14))
        return MBS_SINGULAR;
    for (int j = 0; j < 2 * d + nz; j++) {
        int level = j < d ? 0 : j < 2 * d ? 1 : 2;
        memset(x, 0, (size_t)n * sizeof *x);
        memset(zd, 0, (size_t)nz * sizeof *zd);
        memset(e, 0, (size_t)(n + nz) * sizeof *e);
        for (int i = 0; i < n && level < 2; i++)
            e[i] = r->N[i * d + j % d];
        if (level == 2)
            e[j - 2 * d] = 1;
        mbs_csc_mul(level == 0 ? &o->rq : level == 1 ? &o->rv : &o->rz, level == 0 ? r->lin.jac.rq : level == 1 ? r->lin.jac.rv : r->lin.jac.rz, 1, e, x);
        mbs_csc_mul(level == 0 ? &o->zq : level == 1 ? &o->zv : &o->zz, level == 0 ? r->lin.jac.zq : level == 1 ? r->lin.jac.zv : r->lin.jac.zz, 1, e, zd);
        put_acceleration(r, x, j);
        for (int i = 0; i < nz; i++)
            r->A[(long)(2 * d + i) * r->order + j] = zd[i];
        if (level == 1)
            r->A[(long)(j - d) * r->order + j] = 1;
    }
    return mbs_finite(r->A, r->order * r->order) ? 0 : MBS_NAN;
}

static int reduced_init(struct reduced *r, struct mbs_sim *sim)
{
    struct mbs_state x;
    int status;
    size_t n = (size_t)sim->p.n, nz = (size_t)sim->p.nz, order;

    *r = (struct reduced){ .sim = sim, .n = sim->p.n, .nz = sim->p.nz };
    if ((status = mbs_sim_complete(sim)))
        return status;
    if (mbs_linear_init(&r->lin, sim->model))
        return MBS_NO_MEMORY;
    x = mbs_point_state(&sim->s.x, &sim->p);
    mbs_eval_jacobian(&sim->p, &x, &r->lin.jac);
    if ((status = null_space(r)))
        return status;
    r->order = 2 * r->d + r->nz;
    order = (size_t)r->order;
    r->A = calloc(order * order + 1, sizeof *r->A);
    r->Mr = calloc((size_t)r->d * (size_t)r->d + 1, sizeof *r->Mr);
    r->tmp = calloc(2 * n + 2 * nz + 1, sizeof *r->tmp);
    r->col = calloc(n + 1, sizeof *r->col);
    r->pivot = calloc(n + 1, sizeof *r->pivot);
    if (!r->A || !r->Mr || !r->tmp || !r->col || !r->pivot)
        return MBS_NO_MEMORY;
    return reduce(r);
}

static void reduced_fini(struct reduced *r)
{
    mbs_linear_fini(&r->lin);
    free(r->N);
    free(r->A);
    free(r->Mr);
    free(r->tmp);
    free(r->col);
    free(r->pivot);
}

void mbs_modes_free(struct mbs_modes *m)
{
    if (!m)
        return;
    free(m->re);
    memset(m, 0, sizeof *m);
}

static int modes_allocate(struct mbs_modes *m, int count, int nq)
{
    size_t c = (size_t)count;

    memset(m, 0, sizeof *m);
    m->re = calloc(c * (4 + 2 * (size_t)nq) + 1, sizeof *m->re);
    if (!m->re)
        return MBS_NO_MEMORY;
    m->count = count;
    m->nq = nq;
    m->im = m->re + c;
    m->frequency = m->im + c;
    m->damping = m->frequency + c;
    m->shape = m->damping + c;
    return 0;
}

/* Order of the modes: by |s|, pairs together with the positive frequency first. */
struct ranked {
    double size, re, im;
    int at;
};

static int ranked_compare(const void *x, const void *y)
{
    const struct ranked *a = x, *b = y;

    if (fabs(a->size - b->size) > 1e-9 * fmax(a->size, b->size))
        return a->size < b->size ? -1 : 1;
    if (fabs(a->re - b->re) > 1e-9 * a->size)
        return a->re < b->re ? -1 : 1;
    if (fabs(fabs(a->im) - fabs(b->im)) > 1e-9 * a->size)
        return fabs(a->im) < fabs(b->im) ? -1 : 1;
    if ((a->im > 0) != (b->im > 0))
        return a->im > 0 ? -1 : 1;
    return a->at - b->at;
}

static void mode_shape(const struct reduced *r, const double *vec, int col, double *shape)
{
    double best = 0, br = 1, bi = 0;

    for (int i = 0; i < r->n; i++) {
        double re = 0, im = 0;
        for (int k = 0; k < r->d; k++) {
            const double *z = vec + 2 * ((long)k * r->order + col);
            re += r->N[i * r->d + k] * z[0];
            im += r->N[i * r->d + k] * z[1];
        }
        shape[2 * i] = re;
        shape[2 * i + 1] = im;
        if (re * re + im * im > best * (1 + 1e-9)) {
            best = re * re + im * im;
            br = re;
            bi = im;
        }
    }
    for (int i = 0; i < r->n && best > 0; i++) {
        double re = shape[2 * i], im = shape[2 * i + 1];
        shape[2 * i] = (re * br + im * bi) / best;
        shape[2 * i + 1] = (im * br - re * bi) / best;
    }
}

static int modes_fill(struct reduced *r, struct mbs_modes *m, const double *re, const double *im, const double *vec)
{
    struct ranked *rank = calloc((size_t)r->order + 1, sizeof *rank);

    if (!rank || modes_allocate(m, r->order, r->n)) {
        free(rank);
        return MBS_NO_MEMORY;
    }
    for (int i = 0; i < r->order; i++)
        rank[i] = (struct ranked){ hypot(re[i], im[i]), re[i], im[i], i };
    qsort(rank, (size_t)r->order, sizeof *rank, ranked_compare);
    for (int i = 0; i < r->order; i++) {
        m->re[i] = rank[i].re;
        m->im[i] = rank[i].im;
        m->frequency[i] = rank[i].size / (2 * M_PI);
        m->damping[i] = rank[i].size > 0 ? -rank[i].re / rank[i].size : 0;
        mode_shape(r, vec, rank[i].at, m->shape + 2L * i * r->n);
    }
    free(rank);
    return 0;
}

static int modes_solve(struct reduced *r, struct mbs_modes *m)
{
    size_t k = (size_t)r->order;
    double *re = calloc(2 * k * k + 2 * k, sizeof *re), *im = re + k;
    int status = re ? mbs_eigen(r->order, r->A, re, im, im + k) : MBS_NO_MEMORY;

    if (status == 0)
        status = modes_fill(r, m, re, im, im + k);
    free(re);
    return status;
}

int mbs_modes(struct mbs_sim *sim, struct mbs_modes *modes)
{
    struct reduced r;
    int status;

    if (mbs_border_idle(sim, "mbs_modes") || mbs_border_result(sim, modes, "mbs_modes"))
        return MBS_BAD_ARGUMENT;
    status = reduced_init(&r, sim);
    memset(modes, 0, sizeof *modes);
    modes->nq = sim->p.n;
    if (status == 0 && r.order > 0)
        status = modes_solve(&r, modes);
    reduced_fini(&r);
    if (status && sim->msg.status != status)
        mbs_fail(&sim->msg, status, sim->s.x.t, -1, -1, "eigenmodes: %s", mbs_status_text(status));
    return status;
}
