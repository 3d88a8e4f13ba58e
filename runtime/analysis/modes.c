/* SPDX-License-Identifier: MIT
 *
 * Eigenmodes: eigenvalues and vectors of the motion linearised in minimal coordinates (linearize.c).  The shape of
 * a mode is the change of all coordinates with it. */
#include "analysis/linearize.h"
#include "linalg/dense.h"
#include "linalg/eigen.h"

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

/* Changes along cyclic coordinates and symmetries last and give eigenvalues zero, so that only the rest is decomposed: with S
 * a basis of these changes and R one of the rest, A (R S) = (R S) [B 0; C N].  (They would meet the zeros of the speeds in Jordan blocks,
 * which no algorithm finds exactly; and in a frame that turns a shift of place goes round, which is no motion.) */
struct spectrum {
    const struct mbs_linearization *x;
    int k;                      /* columns of R */
    double *R, *A, *re, *im, *vec, *z;
    double *N;                  /* complex, of the eigenvalue at hand */
    int *pivot;
};

static int spectrum_init(struct spectrum *s, const struct mbs_linearization *x)
{
    size_t nx = (size_t)x->nx, ns = (size_t)x->nneutral, k = nx - ns;
    double *AR;

    *s = (struct spectrum){ .x = x, .k = (int)k };
    s->pivot = malloc((ns + 1) * sizeof *s->pivot);
    s->R = calloc(3 * nx * nx + 2 * k * k + 2 * k + 2 * nx + 2 * ns * ns + 4 * ns + 1, sizeof *s->R);
    if (!s->pivot || !s->R)
        return MBS_NO_MEMORY;
    AR = s->R + nx * nx;
    s->A = AR + nx * nx;
    s->re = s->A + nx * nx;
    s->im = s->re + k;
    s->vec = s->im + k;
    s->z = s->vec + 2 * k * k;
    s->N = s->z + 2 * nx;
    if (x->by_symmetry && ns > 0) {
        struct mbs_cod *cod = mbs_cod_new(x->nx, x->nneutral);
        int rank = cod ? mbs_cod_factor(cod, x->neutral, 0.5) : MBS_NO_MEMORY;
        if (rank == x->nneutral)
            mbs_cod_null(cod, s->R);
        mbs_cod_free(cod);
        if (rank != x->nneutral)
            return rank < 0 ? rank : MBS_SINGULAR;
    } else {
        for (size_t i = 0, at = 0; i < nx; i++)
            if (!x->cyclic[i])
                s->R[i * k + at++] = 1;
    }
    for (size_t i = 0; i < nx; i++)
        for (size_t l = 0; l < nx; l++)
            for (size_t j = 0; j < k; j++)
                AR[i * k + j] += x->A[i * nx + l] * s->R[l * k + j];
    for (size_t l = 0; l < nx; l++)
        for (size_t i = 0; i < k; i++)
            for (size_t j = 0; j < k; j++)
                s->A[i * k + j] += s->R[l * k + i] * AR[l * k + j];
    return k > 0 ? mbs_eigen(s->k, s->A, s->re, s->im, s->vec) : 0;
}

/* s->z: the change of all states with mode i: R r + S w with (N - eigenvalue) w = -C r, C r the part of A R r along S. */
static void spectrum_vector(struct spectrum *s, int i)
{
    const struct mbs_linearization *x = s->x;
    size_t nx = (size_t)x->nx, ns = (size_t)x->nneutral, k = (size_t)s->k;
    double *w = s->N + 2 * ns * ns, *scale = w + 2 * ns, largest = 0;

    memset(s->z, 0, 2 * nx * sizeof *s->z);
    for (size_t l = 0; l < nx; l++)
        for (size_t j = 0; j < k; j++)
            for (size_t part = 0; part < 2; part++)
                s->z[2 * l + part] += s->R[l * k + j] * s->vec[2 * (j * k + (size_t)i) + part];
    for (size_t j = 0; j < k; j++)
        largest = fmax(largest, hypot(s->re[j], s->im[j]));
    if (ns == 0 || hypot(s->re[i], s->im[i]) <= 1e-9 * largest)
        return;
    memset(s->N, 0, 2 * (ns * ns + ns) * sizeof *s->N);
    for (size_t a = 0; a < ns; a++)
        for (size_t l = 0; l < nx; l++)
            for (size_t m = 0; m < nx && x->neutral[l * ns + a] != 0; m++) {
                double at = x->neutral[l * ns + a] * x->A[l * nx + m];
                w[2 * a] -= at * s->z[2 * m];
                w[2 * a + 1] -= at * s->z[2 * m + 1];
                for (size_t b = 0; b < ns && at != 0; b++)
                    s->N[2 * (a * ns + b)] += at * x->neutral[m * ns + b];
            }
    for (size_t a = 0; a < ns; a++) {
        s->N[2 * (a * ns + a)] -= s->re[i];
        s->N[2 * (a * ns + a) + 1] -= s->im[i];
    }
    if (!(mbs_lu_complex((int)ns, s->N, s->pivot, scale) > 1e-12))
        return;
    mbs_lu_complex_solve((int)ns, s->N, s->pivot, w);
    for (size_t l = 0; l < nx; l++)
        for (size_t a = 0; a < ns; a++)
            for (size_t part = 0; part < 2; part++)
                s->z[2 * l + part] += x->neutral[l * ns + a] * w[2 * a + part];
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
    for (int i = 0; i < x->nneutral; i++)
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
            for (int l = 0; l < x->nx; l++) {
                s->z[2 * l] = x->neutral[(long)l * x->nneutral - 1 - rank[i].at];
                s->z[2 * l + 1] = 0;
            }
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
    free(s.R);
    free(s.pivot);
    return status;
}

int mbs_modes_instant(struct mbs_sim *sim, struct mbs_modes *modes)
{
    struct mbs_linearization x;
    int status = mbs_border_smooth(sim, "mbs_modes") ? MBS_UNAVAILABLE : mbs_border_matrices(sim, "linearisation");

    memset(modes, 0, sizeof *modes);
    if (status || (status = mbs_linearize_as(sim, &x, NULL)))
        return status;
    if (x.nx > 0)
        status = modes_solve(&x, sim->p.n, modes);
    mbs_linearization_free(&x);
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
        modes->timed = x.timed;
        modes->by_symmetry = x.by_symmetry;
        modes->restless = x.restless < 0 ? -1 : x.restless < x.nqi ? x.q[x.restless] : x.restless < x.nqi + x.nvi ? x.v[x.restless - x.nqi] : -1;
    } else if (sim->msg.status != status) {
        mbs_fail(&sim->msg, status, sim->s.x.t, -1, -1, "eigenmodes: %s", mbs_status_text(status));
    }
    mbs_linearization_free(&x);
    return status;
}
