/* SPDX-License-Identifier: MIT
 *
 * An entry of G G' is a sum of products of entries that stand in one column of G.  These are written down once, column by column, so that those which are
 * added to one place do not wait for each other. */
#include "linalg/gram.h"
#include "linalg/chol.h"
#include "linalg/lanes.h"

#include <math.h>
#include <stdlib.h>

typedef double Four __attribute__((vector_size(32), may_alias));

/* Where things are, in bytes from the first of their kind, as numbers; fours are four times as far. */
struct product {
    unsigned a, b;              /* entries of one column of G */
    unsigned to;                /* and the place of their rows in G G' */
};

struct mbs_gram {
    int rows, products;
    struct mbs_chol *chol;
    struct product *product;
    int *diagonal;              /* where the squares of the rows are */
};

enum { MOST_UPDATES = 4000000 };

struct making {
    struct mbs_gram *g;
    const struct mbs_pattern *G;
    unsigned char *near;        /* rows that have entries in one column */
};

static void mark(struct making *m, int k, int l)
{
    long r = m->G->rowidx[k], s = m->G->rowidx[l], rows = m->g->rows;

    m->near[r * rows + s] = m->near[s * rows + r] = 1;
    m->g->products++;
}

static void put(struct making *m, int k, int l)
{
    const unsigned size = sizeof(double);
    int to = mbs_chol_place(m->g->chol, m->G->rowidx[k], m->G->rowidx[l]);

    m->g->product[m->g->products++] = (struct product){ size * (unsigned)k, size * (unsigned)l, size * (unsigned)to };
}

/* Pairs of entries of a column. */
static void each_pair(struct making *m, void (*see)(struct making *m, int k, int l))
{
    const struct mbs_pattern *G = m->G;

    m->g->products = 0;
    for (int j = 0; j < G->cols; j++)
        for (int k = G->colptr[j]; k < G->colptr[j + 1]; k++)
            for (int l = k; l < G->colptr[j + 1]; l++)
                see(m, k, l);
}

static int make(struct making *m, int *full)
{
    struct mbs_gram *g = m->g;

    each_pair(m, mark);
    g->chol = mbs_chol_new(g->rows, m->near, MOST_UPDATES);
    if (!g->chol) {
        *full = 1;
        return 0;
    }
    g->diagonal = calloc((size_t)g->rows + 1, sizeof *g->diagonal);
    g->product = calloc((size_t)g->products + 1, sizeof *g->product);
    if (!g->diagonal || !g->product)
        return 0;
    each_pair(m, put);
    for (int i = 0; i < g->rows; i++)
        g->diagonal[i] = mbs_chol_place(g->chol, i, i);
    return 1;
}

struct mbs_gram *mbs_gram_new(const struct mbs_pattern *G, int *full)
{
    struct mbs_gram *g = calloc(1, sizeof *g);
    struct making m = { .g = g, .G = G, .near = calloc((size_t)G->rows * (size_t)G->rows + 1, 1) };

    *full = 0;
    if (g)
        g->rows = G->rows;
    if (!g || !m.near || !make(&m, full)) {
        mbs_gram_free(g);
        g = NULL;
    }
    free(m.near);
    return g;
}

void mbs_gram_free(struct mbs_gram *g)
{
    if (!g)
        return;
    mbs_chol_free(g->chol);
    free(g->product);
    free(g->diagonal);
    free(g);
}

/* *to += a b for all products, with numbers that are `scale` times as far apart as one double */
#define ADD_PRODUCTS(Number, g, scale, G, val)                                                                              \
    for (const struct product *p = (g)->product, *end = p + (g)->products; p < end; p++)                                   \
        *(Number *)((char *)(val) + (size_t)(scale) * p->to) +=                                                            \
            *(const Number *)((const char *)(G) + (size_t)(scale) * p->a) * *(const Number *)((const char *)(G) + (size_t)(scale) * p->b)

void mbs_gram_form(struct mbs_gram *g, const double *G)
{
    mbs_chol_clear(g->chol);
    ADD_PRODUCTS(double, g, 1, G, mbs_chol_values(g->chol));
}

double *mbs_gram_square(struct mbs_gram *g, int i)
{
    return mbs_chol_values(g->chol) + g->diagonal[i];
}

double mbs_gram_sine(struct mbs_gram *g, const double *scale, int *weakest)
{
    int row = mbs_chol_factor(g->chol, 0);

    if (row == 0)
        return fmin(1, mbs_chol_weakest(g->chol, scale, weakest));
    if (weakest)
        *weakest = row - 1;
    return 0;
}

void mbs_gram_solve(const struct mbs_gram *g, double *x)
{
    mbs_chol_solve(g->chol, x);
}

/* ---- in lanes ---- */

int mbs_gram_room(const struct mbs_gram *g)
{
    return mbs_chol_room(g->chol);
}

/* Group i of four, of `part`. */
KERNEL void form_four(const struct mbs_gram *g, int part, int i, const Four *G, Four *val)
{
    for (int to = 0, room = mbs_chol_room(g->chol); to < room; to++)
        val[to * part + i] = (Four){ 0 };
    ADD_PRODUCTS(Four, g, 4 * part, G + i, val + i);
}

FUSED static void form_lanes(const struct mbs_gram *g, int part, const Four *G, Four *val)
{
    if (part == 1)
        form_four(g, 1, 0, G, val);
    for (int i = 0; part > 1 && i < part; i++)
        form_four(g, part, i, G, val);
}

/* What stands there, row by row. */
static void diagonal(const struct mbs_gram *g, int lanes, const double *val, double *out)
{
    int part = lanes / 4;

    for (int i = 0; i < g->rows; i++)
        for (int k = 0; k < part; k++)
            ((Four *)out)[i * part + k] = ((const Four *)val)[g->diagonal[i] * part + k];
}

void mbs_gram_lanes(const struct mbs_gram *g, int lanes, const double *G, double *work, double *square, double *pivot)
{
    form_lanes(g, lanes / 4, (const Four *)G, (Four *)work);
    diagonal(g, lanes, work, square);
    mbs_chol_pivots(g->chol, lanes, work);
    diagonal(g, lanes, work, pivot);
}

double mbs_gram_lane_sine(int rows, int lanes, int lane, const double *pivot, const double *scale)
{
    double least = HUGE_VAL;

    for (int i = 0; i < rows; i++) {
        double d = pivot[i * lanes + lane] * (scale[i] * scale[i]);
        if (!(d > 0))
            return 0;
        least = d < least ? d : least;
    }
    return fmin(1, sqrt(least));
}
