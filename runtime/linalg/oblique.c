/* SPDX-License-Identifier: MIT
 *
 * [M G'; H 0]: the constraint forces act along G, the condition is along H.
 *
 * Small ones by the Schur complement: with M = L L', V = G L^-T, W = H L^-T the multipliers solve W V' lambda = W y - h,
 * y = L^-1 f, and a = L^-T (y - V' lambda).  M stays in its blocks and only the m x m matrix W V' needs pivoting: on
 * the squeezer a quarter of the instructions of an LU decomposition of the whole.  Where M is not safely positive or W V'
 * close to singular, and for large ones, which are sparse, the whole matrix is decomposed. */
#include "linalg/dense.h"
#include "linalg/linalg.h"
#include "linalg/schur.h"
#include "work.h"

#include <stdlib.h>
#include <string.h>

enum { SMALL = 64 };            /* n + m up to which the complement is dense work well spent */
#define SAFE 1e-8               /* pivots of W V' relative to their columns */

struct mbs_oblique {
    int n, m, by_schur;         /* by_schur: what the last factorisation was */
    struct mbs_schur *schur;    /* NULL: large */
    struct mbs_matrix *A;
    int bM, bG, bH, bOne;
    const struct mbs_model *model;
    const unsigned char *drop;  /* rows left out, or NULL */
    double *Gd, *Hd, *one;      /* values without them */
    double *Vt, *Wt, *S, *colmax, *y, *lambda;
    int *pivot;
    void *block;
};

static void layout(struct mbs_oblique *o, struct mbs_work *w)
{
    size_t n = (size_t)o->n, m = (size_t)o->m;

    o->Vt = mbs_work_doubles(w, n * m);
    o->Wt = mbs_work_doubles(w, n * m);
    o->S = mbs_work_doubles(w, m * m);
    o->colmax = mbs_work_doubles(w, m);
    o->y = mbs_work_doubles(w, n);
    o->lambda = mbs_work_doubles(w, m);
    o->pivot = mbs_work_ints(w, m);
}

static int whole_matrix(struct mbs_oblique *o, const struct mbs_model *model)
{
    mbs_matrix_free(o->A);
    o->A = mbs_matrix_new(o->n + o->m, MBS_MATRIX_REAL);
    if (!o->A)
        return MBS_NO_MEMORY;
    o->bM = mbs_matrix_block(o->A, &model->M, 0, 0, 0, MBS_BLOCK_SYMMETRIC);
    o->bG = mbs_matrix_block(o->A, &model->G, 0, 0, o->n, MBS_BLOCK_TRANSPOSED);
    o->bH = mbs_matrix_block(o->A, &model->G, 0, o->n, 0, MBS_BLOCK);
    if (o->drop)
        o->bOne = mbs_matrix_block(o->A, NULL, o->m, o->n, o->n, MBS_BLOCK);
    return mbs_matrix_ready(o->A);
}

struct mbs_oblique *mbs_oblique_new(const struct mbs_model *model)
{
    struct mbs_oblique *o = calloc(1, sizeof *o);
    struct mbs_work w = { NULL, 0 };

    if (!o)
        return NULL;
    o->n = model->nq;
    o->m = model->ng + model->nh;
    o->model = model;
    o->Gd = calloc(2 * (size_t)model->G.nnz + (size_t)o->m + 1, sizeof *o->Gd);
    if (!o->Gd) {
        free(o);
        return NULL;
    }
    o->Hd = o->Gd + model->G.nnz;
    o->one = o->Hd + model->G.nnz;
    if (o->n + o->m <= SMALL) {
        layout(o, &w);
        o->block = calloc(1, w.used);
        w = (struct mbs_work){ o->block, 0 };
        if (o->block)
            layout(o, &w);
        o->schur = o->block ? mbs_schur_new(model) : NULL;
    }
    if (whole_matrix(o, model) || (o->n + o->m <= SMALL && !o->schur)) {
        mbs_oblique_free(o);
        return NULL;
    }
    return o;
}

void mbs_oblique_free(struct mbs_oblique *o)
{
    if (!o)
        return;
    mbs_matrix_free(o->A);
    mbs_schur_free(o->schur);
    free(o->block);
    free(o->Gd);
    free(o);
}

int mbs_oblique_drop(struct mbs_oblique *o, const unsigned char *drop)
{
    int again = (drop != NULL) != (o->drop != NULL);

    o->drop = drop;
    for (int i = 0; i < o->m; i++)
        o->one[i] = drop && drop[i];
    return again ? whole_matrix(o, o->model) : 0;
}

/* S = W V', by the non-zeros of W. */
static void complement(struct mbs_oblique *o)
{
    int m = o->m;

    memset(o->S, 0, (size_t)m * (size_t)m * sizeof *o->S);
    for (int k = 0; k < o->n; k++) {
        const double *w = o->Wt + k * m, *v = o->Vt + k * m;
        for (int i = 0; i < m; i++)
            if (w[i] != 0)
                for (int j = 0; j < m; j++)
                    o->S[i * m + j] += w[i] * v[j];
    }
    for (int i = 0; i < m && o->drop; i++)
        o->S[i * m + i] += o->one[i];
}

static int factor_schur(struct mbs_oblique *o, const double *M, const double *G, const double *H)
{
    if (!o->schur || mbs_schur_mass(o->schur, M, H))
        return 0;
    mbs_schur_rows(o->schur, o->Wt);
    if (mbs_schur_mass(o->schur, M, G))
        return 0;
    mbs_schur_rows(o->schur, o->Vt);
    complement(o);
    return mbs_lu_real(o->m, o->S, o->pivot, o->colmax) > SAFE;
}

int mbs_oblique_factor(struct mbs_oblique *o, const double *M, const double *G, const double *H)
{
    const struct mbs_pattern *g = &o->model->G;

    if (o->drop) {
        for (int k = 0; k < g->nnz; k++) {
            o->Gd[k] = o->drop[g->rowidx[k]] ? 0 : G[k];
            o->Hd[k] = o->drop[g->rowidx[k]] ? 0 : H[k];
        }
        G = o->Gd;
        H = o->Hd;
    }
    o->by_schur = factor_schur(o, M, G, H);
    if (o->by_schur)
        return 0;
    mbs_matrix_clear(o->A);
    mbs_matrix_add(o->A, o->bM, 1, 0, M);
    mbs_matrix_add(o->A, o->bG, 1, 0, G);
    mbs_matrix_add(o->A, o->bH, 1, 0, H);
    if (o->drop)
        mbs_matrix_add(o->A, o->bOne, 1, 0, o->one);
    return mbs_matrix_factor(o->A);
}

void mbs_oblique_solve(struct mbs_oblique *o, double *x)
{
    int n = o->n, m = o->m;

    for (int i = 0; i < m && o->drop; i++)
        if (o->drop[i])
            x[n + i] = 0;
    if (!o->by_schur) {
        mbs_matrix_solve(o->A, x);
        return;
    }
    mbs_schur_forward(o->schur, x, o->y);
    for (int i = 0; i < m; i++)
        o->lambda[i] = -x[n + i];
    for (int k = 0; k < n; k++)
        for (int i = 0; i < m; i++)
            o->lambda[i] += o->Wt[k * m + i] * o->y[k];
    mbs_lu_real_solve(m, o->S, o->pivot, o->lambda);
    for (int k = 0; k < n; k++)
        for (int i = 0; i < m; i++)
            o->y[k] -= o->Vt[k * m + i] * o->lambda[i];
    mbs_schur_backward(o->schur, o->y, x);
    memcpy(x + n, o->lambda, (size_t)m * sizeof *x);
}
