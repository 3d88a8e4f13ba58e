/* SPDX-License-Identifier: MIT
 *
 * With M = L L', V = G L^-T, W = H L^-T the multipliers solve W V' lambda = W y - b, y = L^-1 f, and a = L^-T (y - V' lambda), as in oblique.c.  M falls
 * apart into blocks (the connected components of its pattern), each with the rows of G that touch it.  Vectors do not choose pivots: W V', which is near to
 * V V' where steps are short, is decomposed as it stands, and a state for which a pivot is small against its column is called unsafe. */
#include "linalg/wide.h"
#include "linalg/lanes.h"
#include "linalg/linalg.h"
#include "work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef double Four __attribute__((vector_size(32), may_alias));
typedef long long FourBits __attribute__((vector_size(32), may_alias));

static const double MASS_SAFE = 1e-10, ROWS_SAFE = 1e-8;        /* pivots relative to the diagonal of M, and to the largest entry of their column of W V' */

struct block {
    int size, *coord;           /* its coordinates */
    int rows, *row;             /* and the rows of G that have some of them */
    Four *L, *V, *W;            /* lower triangle by rows with reciprocal diagonal; rows x size */
};

struct mbs_wide {
    int n, m, lanes, nblocks, nM, nG;
    struct block *block;
    int *mdst, *gdst;           /* places of the entries of M in L and of G in V (or W), counted from those of the first block */
    int total;                  /* Fours in all L, then in all V, then in all W */
    int rows_from;              /* where V begins */
    Four *val, *S, *y, *lambda; /* of the group of four at hand, but for the factors, which all groups have */
};

/* ---- set-up ---- */

static int groups(const struct mbs_wide *w) { return w->lanes / 4; }

static void layout(struct mbs_wide *w, struct mbs_work *k)
{
    size_t n = (size_t)w->n, m = (size_t)w->m, four = 4;

    w->val = (Four *)mbs_work_doubles(k, four * (size_t)w->total * (size_t)groups(w) + four);
    w->S = (Four *)mbs_work_doubles(k, four * (m * m * (size_t)groups(w) + 1));
    w->y = (Four *)mbs_work_doubles(k, four * (n + 1));
    w->lambda = (Four *)mbs_work_doubles(k, four * (m + 1));
    w->block = mbs_work_bytes(k, (size_t)w->nblocks * sizeof *w->block + 1);
    w->mdst = mbs_work_ints(k, (size_t)w->nM + 1);
    w->gdst = mbs_work_ints(k, (size_t)w->nG + 1);
}

/* Sizes of the blocks, and where their factors are. */
static void place_blocks(struct mbs_wide *w, const int *comp, const int *slot, int *ints)
{
    int at = 0;

    for (int b = 0; b < w->nblocks; b++) {
        struct block *x = &w->block[b];
        x->coord = ints;
        for (int i = 0; i < w->n; i++)
            if (comp[i] == b)
                *ints++ = i, x->size++;
        x->row = ints;
        for (int i = 0; i < w->m; i++)
            if (slot[b * w->m + i] >= 0)
                *ints++ = i, x->rows++;
        x->L = w->val + at;
        at += x->size * (x->size + 1) / 2;
    }
    w->rows_from = at;
    for (int turn = 0; turn < 2; turn++)
        for (int b = 0; b < w->nblocks; b++) {
            struct block *x = &w->block[b];
            *(turn ? &x->W : &x->V) = w->val + at;
            at += x->rows * x->size;
        }
}

static int index_of(const int *list, int n, int x)
{
    for (int i = 0; i < n; i++)
        if (list[i] == x)
            return i;
    return -1;
}

static void place_values(struct mbs_wide *w, const struct mbs_model *o, const int *comp)
{
    for (int j = 0, k = 0; j < w->n && o->M.nnz; j++)
        for (; k < o->M.colptr[j + 1]; k++) {
            const struct block *x = &w->block[comp[j]];
            int a = index_of(x->coord, x->size, j), b = index_of(x->coord, x->size, o->M.rowidx[k]), row = a > b ? a : b, col = a < b ? a : b;
            w->mdst[k] = (int)(x->L - w->val) + row * (row + 1) / 2 + col;
        }
    for (int j = 0, k = 0; j < w->n && o->G.nnz; j++)
        for (; k < o->G.colptr[j + 1]; k++) {
            const struct block *x = &w->block[comp[j]];
            w->gdst[k] = (int)(x->V - w->val) + index_of(x->row, x->rows, o->G.rowidx[k]) * x->size + index_of(x->coord, x->size, j);
        }
}

struct mbs_wide *mbs_wide_new(const struct mbs_model *o, int lanes)
{
    struct mbs_wide head = { .n = o->nq, .m = o->ng + o->nh, .lanes = lanes, .nM = o->M.nnz, .nG = o->G.nnz }, *w = NULL;
    struct mbs_work k = { NULL, 0 };
    size_t n = (size_t)head.n, m = (size_t)head.m;
    int *comp = calloc(2 * n + n * m + 1, sizeof *comp), *parent = comp + n, *slot = parent + n;

    if (!comp)
        return NULL;
    head.nblocks = mbs_csc_parts(&o->M, head.n, parent, comp);
    for (size_t i = 0; i < n * m; i++)
        slot[i] = -1;
    for (int j = 0, e = 0; j < head.n && o->G.nnz; j++)
        for (; e < o->G.colptr[j + 1]; e++)
            slot[comp[j] * head.m + o->G.rowidx[e]] = 1;
    for (int b = 0; b < head.nblocks; b++) {
        int size = 0, rows = 0;
        for (int i = 0; i < head.n; i++)
            size += comp[i] == b;
        for (int i = 0; i < head.m; i++)
            rows += slot[b * head.m + i] >= 0;
        head.total += size * (size + 1) / 2 + 2 * rows * size;
    }
    mbs_work_bytes(&k, sizeof *w + 64);
    layout(&head, &k);
    mbs_work_ints(&k, n + n * m + 1);
    k.used = (k.used + 127) & ~(size_t)63;
    if ((w = aligned_alloc(64, k.used))) {
        memset(w, 0, k.used);
        *w = head;
        k = (struct mbs_work){ (char *)w, 0 };
        mbs_work_bytes(&k, sizeof *w + 64);
        layout(w, &k);
        place_blocks(w, comp, slot, mbs_work_ints(&k, n + n * m + 1));
        place_values(w, o, comp);
    }
    free(comp);
    return w;
}

void mbs_wide_free(struct mbs_wide *w)
{
    free(w);
}

/* ---- factors of one group of four ---- */

static const long long MAGNITUDE = 0x7fffffffffffffffLL;

/* bad: all ones where a pivot is not safe. */
KERNEL void factor_mass(const struct block *x, ptrdiff_t group, FourBits *bad)
{
    Four *L = x->L + group;

    for (int i = 0; i < x->size; i++) {
        Four *Li = L + i * (i + 1) / 2, diagonal = Li[i];
        for (int j = 0; j <= i; j++) {
            const Four *Lj = L + j * (j + 1) / 2;
            Four s = Li[j];
            for (int k = 0; k < j; k++)
                s -= Li[k] * Lj[k];
            if (j < i) {
                Li[j] = s * Lj[j];
            } else {
                *bad |= ~(s > MASS_SAFE * diagonal);
                for (int l = 0; l < 4; l++)
                    s[l] = sqrt(s[l]);
                Li[i] = 1 / s;
            }
        }
    }
}

/* Rows of G become rows of G L^-T. */
KERNEL void divide_rows(const struct block *x, Four *V, ptrdiff_t group)
{
    const Four *L = x->L + group;

    V += group;
    for (int r = 0; r < x->rows; r++, V += x->size)
        for (int j = 0; j < x->size; j++) {
            const Four *Lj = L + j * (j + 1) / 2;
            Four s = V[j];
            for (int k = 0; k < j; k++)
                s -= V[k] * Lj[k];
            V[j] = s * Lj[j];
        }
}

/* S = W V' */
KERNEL void complement(const struct mbs_wide *w, Four *S, ptrdiff_t group)
{
    int m = w->m;

    memset(S, 0, (size_t)(m * m) * sizeof *S);
    for (const struct block *x = w->block, *end = x + w->nblocks; x < end; x++)
        for (int i = 0; i < x->rows; i++)
            for (int j = 0; j < x->rows; j++) {
                const Four *Wi = x->W + group + i * x->size, *Vj = x->V + group + j * x->size;
                Four s = S[x->row[i] * m + x->row[j]];
                for (int k = 0; k < x->size; k++)
                    s += Wi[k] * Vj[k];
                S[x->row[i] * m + x->row[j]] = s;
            }
}

/* L U without pivoting, the diagonal reciprocal. */
KERNEL void factor_rows(int m, Four *S, FourBits *bad)
{
    for (int j = 0; j < m; j++) {
        FourBits most = { 0 };
        for (int i = 0; i < m; i++) {
            FourBits size = (FourBits)S[i * m + j] & MAGNITUDE, less = most < size;     /* sizes are in the order of their bits */
            most = (less & size) | (~less & most);
        }
        for (int i = 0; i < m; i++) {           /* column j of both factors (Crout) */
            Four s = S[i * m + j];
            for (int k = 0; k < (i < j ? i : j); k++)
                s -= S[i * m + k] * S[k * m + j];
            if (i > j)
                s *= S[j * m + j];
            if (i == j) {
                *bad |= ~((Four)((FourBits)s & MAGNITUDE) > ROWS_SAFE * (Four)most);
                s = 1 / s;
            }
            S[i * m + j] = s;
        }
    }
}

FUSED static void factor_group(struct mbs_wide *w, const double *M, const double *G, const double *H, double *unsafe, int g)
{
    ptrdiff_t group = (ptrdiff_t)g * w->total;
    Four *val = w->val + group, *V = val, *W = val + (w->total - w->rows_from) / 2, *S = w->S + (ptrdiff_t)g * w->m * w->m;
    int part = groups(w);
    FourBits bad = { 0 };

    memset(val, 0, (size_t)w->total * sizeof *val);
    for (int k = 0; k < w->nM; k++)
        val[w->mdst[k]] = ((const Four *)M)[k * part + g];
    for (int k = 0; k < w->nG; k++) {
        V[w->gdst[k]] = ((const Four *)G)[k * part + g];
        W[w->gdst[k]] = ((const Four *)H)[k * part + g];
    }
    for (const struct block *x = w->block, *end = x + w->nblocks; x < end; x++) {
        factor_mass(x, group, &bad);
        divide_rows(x, x->V, group);
        divide_rows(x, x->W, group);
    }
    complement(w, S, group);
    factor_rows(w->m, S, &bad);
    for (int l = 0; l < 4; l++)
        unsafe[4 * g + l] = bad[l] != 0;
}

void mbs_wide_factor(struct mbs_wide *w, const double *M, const double *G, const double *H, double *unsafe)
{
    for (int g = 0; g < groups(w); g++)
        factor_group(w, M, G, H, unsafe, g);
}

/* ---- solutions ---- */

KERNEL void solve_rows(int m, const Four *S, Four *x)
{
    for (int i = 0; i < m; i++)
        for (int k = 0; k < i; k++)
            x[i] -= S[i * m + k] * x[k];
    for (int i = m - 1; i >= 0; i--) {
        for (int k = i + 1; k < m; k++)
            x[i] -= S[i * m + k] * x[k];
        x[i] *= S[i * m + i];
    }
}

FUSED static void solve_group(struct mbs_wide *w, double *rhs, int g)
{
    ptrdiff_t group = (ptrdiff_t)g * w->total;
    int part = groups(w), m = w->m;
    Four *x = (Four *)rhs + g, *lambda = w->lambda, *y = w->y;
    const struct block *end = w->block + w->nblocks;

    for (int i = 0; i < m; i++)
        lambda[i] = -x[(w->n + i) * part];
    for (const struct block *b = w->block; b < end; y += b->size, b++) {
        for (int j = 0; j < b->size; j++) {     /* y = L^-1 f */
            const Four *Lj = b->L + group + j * (j + 1) / 2;
            Four s = x[b->coord[j] * part];
            for (int k = 0; k < j; k++)
                s -= Lj[k] * y[k];
            y[j] = s * Lj[j];
        }
        for (int r = 0; r < b->rows; r++) {
            Four s = lambda[b->row[r]];
            for (int k = 0; k < b->size; k++)
                s += b->W[group + r * b->size + k] * y[k];
            lambda[b->row[r]] = s;
        }
    }
    solve_rows(m, w->S + (ptrdiff_t)g * m * m, lambda);
    y = w->y;
    for (const struct block *b = w->block; b < end; y += b->size, b++) {
        for (int r = 0; r < b->rows; r++)
            for (int k = 0; k < b->size; k++)
                y[k] -= b->V[group + r * b->size + k] * lambda[b->row[r]];
        for (int j = b->size - 1; j >= 0; j--) {        /* a = L^-T y */
            Four s = y[j];
            for (int k = j + 1; k < b->size; k++)
                s -= b->L[group + k * (k + 1) / 2 + j] * y[k];
            y[j] = s * b->L[group + j * (j + 1) / 2 + j];
            x[b->coord[j] * part] = y[j];
        }
    }
    for (int i = 0; i < m; i++)
        x[(w->n + i) * part] = lambda[i];
}

void mbs_wide_solve(struct mbs_wide *w, double *x)
{
    for (int g = 0; g < groups(w); g++)
        solve_group(w, x, g);
}

FUSED void mbs_wide_mul(int lanes, const struct mbs_pattern *p, const double *val, double s, const double *x, double *y)
{
    int part = lanes / 4;

    for (int j = 0, k = 0; j < p->cols && p->nnz; j++)
        for (; k < p->colptr[j + 1]; k++)
            for (int g = 0; g < part; g++)
                ((Four *)y)[p->rowidx[k] * part + g] += s * (((const Four *)val)[k * part + g] * ((const Four *)x)[j * part + g]);
}

FUSED void mbs_wide_mul_sym(int lanes, const struct mbs_pattern *p, const double *val, double s, const double *x, double *y)
{
    int part = lanes / 4;

    for (int j = 0, k = 0; j < p->cols && p->nnz; j++)
        for (; k < p->colptr[j + 1]; k++)
            for (int g = 0; g < part; g++) {
                Four a = s * ((const Four *)val)[k * part + g];
                int i = p->rowidx[k];
                ((Four *)y)[i * part + g] += a * ((const Four *)x)[j * part + g];
                if (i != j)
                    ((Four *)y)[j * part + g] += a * ((const Four *)x)[i * part + g];
            }
}
