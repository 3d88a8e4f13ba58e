/* SPDX-License-Identifier: MIT
 *
 * The saddle point [M G'; G 0].
 *
 * Small systems with M positive definite: M falls apart into blocks (the connected components of its pattern);
 * each is decomposed M_b = L L', the rows of G that touch it give W_b = G_b L^-T, and the Schur complement
 * S = G M^-1 G' = sum W_b W_b' is decomposed S = C C'.  For the seven bodies of Andrews' mechanism that is about
 * 300 flops where a dense LU takes 1500.
 *
 * What else may happen, in this order:
 *   - the model brings its own straight-line factor/solve: used as long as it reports success;
 *   - M is not safely positive definite (massless bodies, Euler parameters) or the system is large: LU of the whole;
 *   - S loses rank (dependent constraints, singular configurations): orthogonal decomposition, multipliers of minimum
 *     norm.  With M = L L' and W = G L^-T the equations are  y + W' lambda = L^-1 f,  W y = b,  a = L^-T y;  so
 *     y = W^+ b + (I - W^+ W) L^-1 f,  lambda = (W^+)' (L^-1 f - y).
 */
#include "config.h"
#include "linalg/linalg.h"
#include "linalg/schur.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum mode { MODE_MODEL, MODE_SCHUR, MODE_LU, MODE_COD };
/* Up to SCHUR_MAX unknowns n + m the blocks are always taken; beyond, if they cost less than SCHUR_COST operations an
 * unknown, else sparse LU.  SETUP_MAX: up to here the rarer ways are prepared at set-up too. */
enum { SCHUR_MAX = 64, SCHUR_COST = 60, SETUP_MAX = 256 };

/* Below this ratio of a Schur pivot to its diagonal (the square of the sine of the angle to the other rows) the
 * orthogonal decomposition takes over; it calls a row dependent when that sine is below RANK_TOL.  There the two
 * errors are equal: rounding errors are amplified by 1 / sine, and leaving the row out costs a force of order sine. */
static const double SCHUR_TOL = 1e-6, RANK_TOL = 1e-8, NEAR_SINE = 1e-3;

struct mbs_saddle {
    const struct mbs_model *model;
    int n, m;
    enum mode mode, usual;
    int m_indefinite;           /* M was not positive definite once: do not try again */
    double *l;                  /* factors of the model's own solver */
    struct mbs_schur *schur;
    struct mbs_matrix *lu;
    int bM, bG, bGt;
    /* orthogonal decomposition, made when first needed in large systems and at once in small ones */
    struct mbs_cod *cod;        /* of W' (n x m): columns are constraint rows */
    double *Wt, *y, *b, *tmp, *scale;
    unsigned char *dependent;
    unsigned char *drop;        /* rows left out ... */
    int drops;                  /* ... and how many */
    double *G;                  /* values of G without them, then ones on the diagonal, for the decomposition of the whole */
    int bOne;
    int diagnosed;              /* number of dependent rows for which `dependent` was found without Schur factors */
    int culprit;
    long near_singular;
    int strayed;                /* other than the usual ways were gone, of which something may be left */
};

static int lu_prepare(struct mbs_saddle *s)
{
    if (s->lu)
        return 0;
    s->lu = mbs_matrix_new(s->n + s->m, MBS_MATRIX_REAL);
    if (!s->lu)
        return MBS_NO_MEMORY;
    s->bM = mbs_matrix_block(s->lu, &s->model->M, 0, 0, 0, MBS_BLOCK_SYMMETRIC);
    s->bG = mbs_matrix_block(s->lu, &s->model->G, 0, s->n, 0, MBS_BLOCK);
    s->bGt = mbs_matrix_block(s->lu, &s->model->G, 0, 0, s->n, MBS_BLOCK_TRANSPOSED);
    if (s->drops)
        s->bOne = mbs_matrix_block(s->lu, NULL, s->m, s->n, s->n, MBS_BLOCK);
    return mbs_matrix_ready(s->lu);
}

static int cod_prepare(struct mbs_saddle *s)
{
    size_t n = (size_t)s->n, m = (size_t)s->m;

    if (s->cod)
        return 0;
    free(s->Wt);
    s->Wt = calloc(n * m + 2 * n + 4 * m + 1, sizeof *s->Wt);
    s->cod = s->Wt ? mbs_cod_new(s->n, s->m) : NULL;
    if (!s->cod)
        return MBS_NO_MEMORY;
    s->y = s->Wt + n * m;
    s->tmp = s->y + n;
    s->b = s->tmp + n;
    s->scale = s->b + 2 * m;
    return 0;
}

struct mbs_saddle *mbs_saddle_new(const struct mbs_model *model)
{
    struct mbs_saddle *s = calloc(1, sizeof *s);
    int bad = 0, order = model->nq + model->ng + model->nh;

    if (!s)
        return NULL;
    s->model = model;
    s->n = model->nq;
    s->m = model->ng + model->nh;
    s->culprit = -1;
    s->dependent = calloc((size_t)s->m + 1, 1);
    s->l = calloc((size_t)model->nl + 1, sizeof *s->l);
    s->drop = calloc((size_t)s->m + 1, 1);
    s->G = calloc((size_t)model->G.nnz + (size_t)s->m + 1, sizeof *s->G);
    bad = !s->dependent || !s->l || !s->drop || !s->G;
    if (!bad && s->n > 0 && !model->M.colptr)   /* a large tree: accelerations() is all there is */
        return s;
    if (!bad && order <= 8 * SETUP_MAX && s->m <= 2 * SETUP_MAX) {
        s->schur = mbs_schur_new(model);
        bad = !s->schur;
    }
    if (model->factor && model->solve)
        s->usual = MODE_MODEL;
    else if (s->schur && (order <= SCHUR_MAX || mbs_schur_cost(s->schur) < SCHUR_COST * order))
        s->usual = MODE_SCHUR;
    else
        s->usual = MODE_LU;
    if (order <= SETUP_MAX)
        bad = bad || lu_prepare(s) || cod_prepare(s);
    else if (s->usual == MODE_LU)
        bad = bad || lu_prepare(s);
    if (bad) {
        mbs_saddle_free(s);
        return NULL;
    }
    return s;
}

struct mbs_saddle *mbs_saddle_renew(struct mbs_saddle *s, const struct mbs_model *model)
{
    if (s && (s->strayed || s->model != model)) {
        mbs_saddle_free(s);
        s = NULL;
    }
    if (!s)
        return mbs_saddle_new(model);
    s->mode = MODE_MODEL;
    return s;
}

void mbs_saddle_free(struct mbs_saddle *s)
{
    if (!s)
        return;
    mbs_schur_free(s->schur);
    mbs_matrix_free(s->lu);
    mbs_cod_free(s->cod);
    free(s->Wt);
    free(s->dependent);
    free(s->drop);
    free(s->G);
    free(s->l);
    free(s);
}

int mbs_saddle_drop(struct mbs_saddle *s, const unsigned char *drop)
{
    int drops = 0;

    for (int i = 0; i < s->m; i++)
        drops += s->drop[i] = drop && drop[i];
    if ((drops > 0) != (s->drops > 0) && s->lu) {
        mbs_matrix_free(s->lu);
        s->lu = NULL;
    }
    s->drops = drops;
    s->strayed |= drops > 0;
    s->diagnosed = 0;
    for (int i = 0; i < s->m; i++)
        s->G[s->model->G.nnz + i] = s->drop[i];
    if (s->schur)
        mbs_schur_drop(s->schur, drops ? s->drop : NULL);
    return s->usual == MODE_LU || s->m_indefinite ? lu_prepare(s) : 0;
}

const unsigned char *mbs_saddle_dropped(const struct mbs_saddle *s)
{
    return s->drops ? s->drop : NULL;
}

static struct mbs_schur *schur_get(struct mbs_saddle *s)
{
    if (!s->schur) {
        s->strayed = 1;
        s->schur = mbs_schur_new(s->model);
        if (s->schur && s->drops)
            mbs_schur_drop(s->schur, s->drop);
    }
    return s->schur;
}

/* Rank and dependent rows from W' with columns scaled to unit length; then the decomposition itself, unscaled,
 * with the dependent directions dropped.  Returns the number of dependent rows or < 0. */
static int cod_factor(struct mbs_saddle *s, double tol)
{
    int n = s->n, m = s->m, rank;

    s->strayed = 1;
    mbs_schur_rows(s->schur, s->Wt);
    for (int i = 0; i < m; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += s->Wt[j * m + i] * s->Wt[j * m + i];
        s->scale[i] = sum > 0 ? 1 / sqrt(sum) : 1;
        for (int j = 0; j < n; j++)
            s->Wt[j * m + i] *= s->scale[i];
    }
    rank = mbs_cod_factor(s->cod, s->Wt, tol);
    if (rank < 0)
        return rank;
    memset(s->dependent, 0, (size_t)m);
    for (int i = rank; i < m; i++)
        s->dependent[mbs_cod_order(s->cod)[i]] = 1;
    s->mode = MODE_COD;
    s->near_singular += mbs_cod_smallest(s->cod) < NEAR_SINE;
    return m - s->drops - rank;
}

/* y = (A')^+ D b + (I - A A^+) f~, mu = A^+ (f~ - y), lambda = D mu, where A = W' D has unit columns. */
static void cod_solve(struct mbs_saddle *s, double *x)
{
    int n = s->n, m = s->m;
    double *f = s->tmp, *mu = s->b, *b = s->b + m;

    mbs_schur_forward(s->schur, x, f);
    mbs_cod_solve(s->cod, f, mu);
    for (int i = 0; i < m; i++)
        b[i] = s->scale[i] * x[n + i];
    mbs_cod_solve_t(s->cod, b, s->y);
    for (int j = 0; j < n; j++) {
        double sum = f[j];
        for (int i = 0; i < m; i++)
            sum -= s->Wt[j * m + i] * mu[i];
        f[j] = sum + s->y[j];
    }
    mbs_cod_solve(s->cod, s->y, b);
    for (int i = 0; i < m; i++)
        x[n + i] = s->scale[i] * (mu[i] - b[i]);
    mbs_schur_backward(s->schur, f, x);
}

/* M has no usable Cholesky factor.  If [M; G] has full column rank the motion is determined all the same. */
static int whole_factor(struct mbs_saddle *s, const double *M, const double *G)
{
    int status = lu_prepare(s);

    s->strayed = 1;
    if (status)
        return status;
    mbs_matrix_clear(s->lu);
    mbs_matrix_add(s->lu, s->bM, 1, 0, M);
    if (s->drops)
        mbs_matrix_add(s->lu, s->bOne, 1, 0, s->G + s->model->G.nnz);
    mbs_matrix_add(s->lu, s->bG, 1, 0, G);
    mbs_matrix_add(s->lu, s->bGt, 1, 0, G);
    status = mbs_matrix_factor(s->lu);
    s->mode = MODE_LU;
    return status;
}

/* Rank of the columns of [M; G] (rows scaled) and the rank of G alone tell a coordinate without inertia from
 * dependent constraints. */
static int whole_diagnose(struct mbs_saddle *s, const double *M, const double *G, int deficiency)
{
    int n = s->n, m = s->m, rank;
    size_t N = (size_t)n + (size_t)m;
    double *K;
    struct mbs_cod *c;

    if (deficiency == s->diagnosed)
        return deficiency;
    K = calloc(N * (size_t)n + 1, sizeof *K);
    c = mbs_cod_new(n + m, n);
    if (!K || !c) {
        free(K);
        mbs_cod_free(c);
        return MBS_NO_MEMORY;
    }
    for (int j = 0, k = 0; j < n; j++)
        for (; k < s->model->M.colptr[j + 1]; k++) {
            int i = s->model->M.rowidx[k];
            K[i * n + j] = K[j * n + i] = M[k];
        }
    for (int j = 0, k = 0; j < n && m > 0; j++)
        for (; k < s->model->G.colptr[j + 1]; k++)
            K[(n + s->model->G.rowidx[k]) * n + j] = G[k];
    for (int i = 0; i < n + m; i++) {
        double big = 0;
        for (int j = 0; j < n; j++)
            big = fmax(big, fabs(K[i * n + j]));
        for (int j = 0; j < n && big > 0; j++)
            K[i * n + j] /= big;
    }
    rank = mbs_cod_factor(c, K, 1e-12);
    s->culprit = rank >= 0 && rank < n ? mbs_cod_order(c)[rank] : -1;
    mbs_cod_free(c);
    /* Which rows of G depend on the others: pivoted columns of G'. */
    c = m > 0 ? mbs_cod_new(n, m) : NULL;
    if (c) {
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++)
                K[j * m + i] = 0;
        for (int j = 0, k = 0; j < n; j++)
            for (; k < s->model->G.colptr[j + 1]; k++)
                K[j * m + s->model->G.rowidx[k]] = G[k];
        int r = mbs_cod_factor(c, K, RANK_TOL);
        memset(s->dependent, 0, (size_t)m);
        for (int i = r < 0 ? m : r; i < m; i++)
            s->dependent[mbs_cod_order(c)[i]] = 1;
        mbs_cod_free(c);
    }
    free(K);
    if (s->culprit >= 0)
        return MBS_SINGULAR;
    s->diagnosed = deficiency;
    return deficiency;
}

/* M is singular.  It will be so again, and rounding errors may then hide it: a pivot that is zero looks positive when the
 * ones before it were small.  So from now on all of the matrix is factored together. */
static int indefinite_factor(struct mbs_saddle *s, const double *M, const double *G)
{
    int k = whole_factor(s, M, G);

    s->m_indefinite = k >= 0;
    return k > 0 ? whole_diagnose(s, M, G, k) : k;
}

static int schur_or_cod(struct mbs_saddle *s, const double *M, const double *G)
{
    int k;

    if (!schur_get(s))
        return MBS_NO_MEMORY;
    if (s->m_indefinite || mbs_schur_mass(s->schur, M, G))
        return indefinite_factor(s, M, G);
    k = mbs_schur_complement(s->schur, SCHUR_TOL);
    s->mode = MODE_SCHUR;
    if (k == 0)
        return 0;
    return cod_prepare(s) ? MBS_NO_MEMORY : cod_factor(s, RANK_TOL);
}

/* G without the rows left out. */
static const double *kept(struct mbs_saddle *s, const double *G)
{
    const struct mbs_pattern *p = &s->model->G;

    if (!s->drops)
        return G;
    for (int k = 0; k < p->nnz; k++)
        s->G[k] = s->drop[p->rowidx[k]] ? 0 : G[k];
    return s->G;
}

int mbs_saddle_factor(struct mbs_saddle *s, const double *M, const double *G)
{
    int k;

    if (s->n > 0 && !s->model->M.colptr)
        return MBS_SINGULAR;
    G = kept(s, G);
    switch (s->usual) {
    case MODE_MODEL:
        if (s->drops)
            break;
        s->mode = MODE_MODEL;
        k = s->m_indefinite ? 1 : s->model->factor(M, G, s->l);
        if (k == 0)
            return 0;
        return k <= s->n ? indefinite_factor(s, M, G) : schur_or_cod(s, M, G);
    case MODE_LU:
        k = whole_factor(s, M, G);
        return k > 0 ? schur_or_cod(s, M, G) : k;
    case MODE_SCHUR: case MODE_COD:
        break;
    }
    return schur_or_cod(s, M, G);
}

int mbs_saddle_factor_rank(struct mbs_saddle *s, const double *M, const double *G, double tol)
{
    if (!schur_get(s))
        return MBS_NO_MEMORY;
    if (s->m == 0 || s->m_indefinite || mbs_schur_mass(s->schur, M, kept(s, G)))
        return mbs_saddle_factor(s, M, G);
    return cod_prepare(s) ? MBS_NO_MEMORY : cod_factor(s, tol);
}

size_t mbs_saddle_factors(const struct mbs_saddle *s)
{
    return s->usual == MODE_MODEL ? (size_t)s->model->nl : 0;
}

int mbs_saddle_factors_keep(const struct mbs_saddle *s, double *to)
{
    if (s->mode != MODE_MODEL)
        return 0;
    memcpy(to, s->l, (size_t)s->model->nl * sizeof *to);
    return 1;
}

void mbs_saddle_factors_back(struct mbs_saddle *s, const double *from)
{
    s->mode = MODE_MODEL;
    memcpy(s->l, from, (size_t)s->model->nl * sizeof *from);
}

void mbs_saddle_factors_solve(const struct mbs_saddle *s, const double *factors, double *x)
{
    s->model->solve(factors, x);
}

void mbs_saddle_solve(struct mbs_saddle *s, double *x)
{
    switch (s->mode) {
    case MODE_MODEL:
        s->model->solve(s->l, x);
        break;
    case MODE_SCHUR:
        mbs_schur_solve(s->schur, x);
        break;
    case MODE_LU:
        for (int i = 0; i < s->m && s->drops; i++)
            if (s->drop[i])
                x[s->n + i] = 0;
        mbs_matrix_solve(s->lu, x);
        break;
    case MODE_COD:
        cod_solve(s, x);
        break;
    }
}

long mbs_saddle_near_singular(const struct mbs_saddle *s)
{
    return s->near_singular;
}

unsigned char *mbs_saddle_dependent(const struct mbs_saddle *s)
{
    return s->dependent;
}

int mbs_saddle_culprit(const struct mbs_saddle *s)
{
    return s->culprit;
}
