/* SPDX-License-Identifier: MIT
 *
 * Eigenmodes: eigenvalues and vectors of the motion linearised in minimal coordinates (linearize.c).  The shape of
 * a mode is the change of all coordinates with it. */
#include "linalg/eigen.h"
#include "sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* Change of all coordinates with a complex change z of the states, its largest component 1. */
static void mode_shape(const struct mbs_linearization *x, const double *z, double *shape, int n)
{
    double best = 0, br = 1, bi = 0;

    for (int i = 0; i < n; i++) {
        double re = 0, im = 0;
        for (int k = 0; k < x->nqi; k++) {
            re += x->dq[(long)i * x->nx + k] * z[2 * k];
            im += x->dq[(long)i * x->nx + k] * z[2 * k + 1];
        }
        shape[2 * i] = re;
        shape[2 * i + 1] = im;
        if (re * re + im * im > best * (1 + 1e-9)) {
            best = re * re + im * im;
            br = re;
            bi = im;
        }
    }
    for (int i = 0; i < n && best > 0; i++) {
        double re = shape[2 * i], im = shape[2 * i + 1];
        shape[2 * i] = (re * br + im * bi) / best;
        shape[2 * i + 1] = (im * br - re * bi) / best;
    }
}

/* Cyclic states follow the others and give eigenvalues zero, so that only the rest is decomposed: [R 0; S N] with N
 * nilpotent.  (They would meet the zeros of the speeds in Jordan blocks, which no algorithm finds exactly.) */
struct spectrum {
    const struct mbs_linearization *x;
    int k, *rest;               /* states that are not cyclic */
    double *A, *re, *im, *vec, *z, *old;
};

static int spectrum_init(struct spectrum *s, const struct mbs_linearization *x)
{
    size_t nx = (size_t)x->nx;

    *s = (struct spectrum){ .x = x };
    s->rest = malloc((nx + 1) * sizeof *s->rest);
    s->A = malloc((3 * nx * nx + 6 * nx + 1) * sizeof *s->A);
    if (!s->rest || !s->A)
        return MBS_NO_MEMORY;
    s->re = s->A + nx * nx;
    s->im = s->re + nx;
    s->vec = s->im + nx;
    s->z = s->vec + 2 * nx * nx;
    s->old = s->z + 2 * nx;
    for (int i = 0; i < x->nx; i++)
        if (!x->cyclic[i])
            s->rest[s->k++] = i;
    for (int i = 0; i < s->k; i++)
        for (int j = 0; j < s->k; j++)
            s->A[(long)i * s->k + j] = x->A[(long)s->rest[i] * x->nx + s->rest[j]];
    return s->k > 0 ? mbs_eigen(s->k, s->A, s->re, s->im, s->vec) : 0;
}

/* s->z: the change of all states with mode i, cyclic ones by z = (A z) / eigenvalue, as often as they may depend on one another. */
static void spectrum_vector(struct spectrum *s, int i)
{
    const struct mbs_linearization *x = s->x;
    size_t nx = (size_t)x->nx;
    double re = s->re[i], im = s->im[i], size = re * re + im * im;

    memset(s->z, 0, 2 * nx * sizeof *s->z);
    for (int j = 0; j < s->k; j++)
        memcpy(s->z + 2 * s->rest[j], s->vec + 2 * ((long)j * s->k + i), 2 * sizeof *s->z);
    for (int round = s->k; round < x->nx && size > 0; round++) {
        memcpy(s->old, s->z, 2 * nx * sizeof *s->z);
        for (size_t r = 0; r < nx; r++) {
            double ar = 0, ai = 0;
            for (size_t j = 0; j < nx && x->cyclic[r]; j++) {
                ar += x->A[r * nx + j] * s->old[2 * j];
                ai += x->A[r * nx + j] * s->old[2 * j + 1];
            }
            if (x->cyclic[r]) {
                s->z[2 * r] = (ar * re + ai * im) / size;
                s->z[2 * r + 1] = (ai * re - ar * im) / size;
            }
        }
    }
}

static int modes_fill(struct spectrum *s, struct mbs_modes *m, int n)
{
    const struct mbs_linearization *x = s->x;
    struct ranked *rank = calloc((size_t)x->nx + 1, sizeof *rank);
    int next = s->k;

    if (!rank || modes_allocate(m, x->nx, n)) {
        free(rank);
        return MBS_NO_MEMORY;
    }
    for (int i = 0; i < s->k; i++)
        rank[i] = (struct ranked){ hypot(s->re[i], s->im[i]), s->re[i], s->im[i], i };
    for (int i = 0; i < x->nx; i++)
        if (x->cyclic[i])
            rank[next++] = (struct ranked){ 0, 0, 0, -1 - i };
    qsort(rank, (size_t)x->nx, sizeof *rank, ranked_compare);
    for (int i = 0; i < x->nx; i++) {
        m->re[i] = rank[i].re;
        m->im[i] = rank[i].im;
        m->frequency[i] = rank[i].size / (2 * M_PI);
        m->damping[i] = rank[i].size > 0 ? -rank[i].re / rank[i].size : 0;
        if (rank[i].at >= 0) {
            spectrum_vector(s, rank[i].at);
        } else {
            memset(s->z, 0, 2 * (size_t)x->nx * sizeof *s->z);
            s->z[2 * (-1 - rank[i].at)] = 1;
        }
        mode_shape(x, s->z, m->shape + 2L * i * n, n);
    }
    free(rank);
    return 0;
}

static int modes_solve(const struct mbs_linearization *x, int n, struct mbs_modes *m)
{
    struct spectrum s;
    int status = spectrum_init(&s, x);

    if (status == 0)
        status = modes_fill(&s, m, n);
    free(s.rest);
    free(s.A);
    return status;
}

int mbs_modes(struct mbs_sim *sim, struct mbs_modes *modes)
{
    struct mbs_linearization x;
    int status;

    if (mbs_border_idle(sim, "mbs_modes") || mbs_border_result(sim, modes, "mbs_modes"))
        return MBS_BAD_ARGUMENT;
    if (mbs_border_smooth(sim, "mbs_modes"))
        return MBS_UNAVAILABLE;
    status = mbs_linearize(sim, &x);
    memset(modes, 0, sizeof *modes);
    if (status == 0 && x.nx > 0)
        status = modes_solve(&x, sim->p.n, modes);
    if (status == 0) {
        modes->nq = sim->p.n;
        modes->motion = x.motion;
        modes->restless = x.restless < 0 ? -1 : x.restless < x.nqi ? x.q[x.restless] : x.restless < x.nqi + x.nvi ? x.v[x.restless - x.nqi] : -1;
    } else if (sim->msg.status != status) {
        mbs_fail(&sim->msg, status, sim->s.x.t, -1, -1, "eigenmodes: %s", mbs_status_text(status));
    }
    mbs_linearization_free(&x);
    return status;
}
