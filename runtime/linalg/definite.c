/* SPDX-License-Identifier: MIT
 *
 * Is a mass matrix positive?
 *
 * Cholesky's decomposition within the envelope of M: row i from its first entry to the diagonal.  Pivots may vanish, as those of
 * bodies without mass do; what is left of their columns must vanish too.  A matrix that is negative somewhere may still be positive
 * on the motions that constraints allow, a hole as a body of negative mass: by Finsler's lemma that is so if and only if M + c G'G is positive for
 * large c, which is looked at then, as a full matrix. */
#include "linalg/definite.h"
#include "mbs/mbs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double ROUNDING = 1e-10, LEFT = 1e-4;      /* of a pivot against its entry; of the column of a vanishing one, whose root may be as large */
static const double STIFF = 1e4;                        /* G'G against M */
static const double WORK = 1e8;                         /* multiplications; of a larger matrix only the diagonal is looked at */

struct mbs_envelope {
    int n;
    int *first;                 /* column of the first entry of each row */
    double **row;               /* row[i][j], j = first[i] .. i */
    double *scale;              /* the diagonal of M */
    double *value;              /* NULL: too many */
    size_t entries;
};

static void envelope_fini(struct mbs_envelope *e)
{
    free(e->first);
    free(e->row);
    free(e->scale);
    free(e->value);
}

/* Room for rows that begin at first[]; 0 if there is none. */
static int envelope_place(struct mbs_envelope *e)
{
    size_t at = 0;

    for (int i = 0; i < e->n; i++)
        e->entries += (size_t)(i - e->first[i] + 1);
    e->value = calloc(e->entries + 1, sizeof *e->value);
    for (int i = 0; i < e->n && e->value; i++) {
        e->row[i] = e->value + at - e->first[i];
        at += (size_t)(i - e->first[i] + 1);
    }
    return e->value != NULL;
}

static int envelope_init(struct mbs_envelope *e, int n)
{
    *e = (struct mbs_envelope){ .n = n, .first = malloc(((size_t)n + 1) * sizeof *e->first), .row = malloc(((size_t)n + 1) * sizeof *e->row),
                            .scale = calloc((size_t)n + 1, sizeof *e->scale) };
    for (int i = 0; i < n && e->first; i++)
        e->first[i] = i;
    return e->first && e->row && e->scale;
}

/* 0, or k + 1: the pivot of row k is negative, or zero with something left beside it. */
static int decompose(struct mbs_envelope *e)
{
    for (int i = 0; i < e->n; i++) {
        double *a = e->row[i], d = a[i];
        for (int j = e->first[i]; j < i; j++) {
            const double *b = e->row[j];
            double s = a[j];
            for (int k = e->first[i] > e->first[j] ? e->first[i] : e->first[j]; k < j; k++)
                s -= a[k] * b[k];
            if (b[j] == 0 && fabs(s) > LEFT * sqrt(e->scale[i] * e->scale[j]))
                return i + 1;
            a[j] = b[j] == 0 ? 0 : s / b[j];
            d -= a[j] * a[j];
        }
        if (d < -ROUNDING * e->scale[i])
            return i + 1;
        a[i] = d > ROUNDING * e->scale[i] ? sqrt(d) : 0;
    }
    return 0;
}

static void fill(struct mbs_envelope *e, const struct mbs_pattern *M, const double *val)
{
    for (int j = 0; j < e->n; j++)
        for (int k = M->colptr[j]; k < M->colptr[j + 1]; k++) {
            e->row[M->rowidx[k]][j] = val[k];
            if (M->rowidx[k] == j)
                e->scale[j] = fabs(val[k]);
        }
}

struct mbs_envelope *mbs_envelope_new(const struct mbs_pattern *M)
{
    struct mbs_envelope *e = malloc(sizeof *e);
    double work = 0;
    int n = M->nnz ? M->cols : 0, good = e && envelope_init(e, n);

    for (int j = n - 1; j >= 0 && good; j--)
        for (int k = M->colptr[j]; k < M->colptr[j + 1]; k++)
            e->first[M->rowidx[k]] = j;
    for (int i = 0; i < n && good; i++)
        work += (double)(i - e->first[i]) * (i - e->first[i]) / 2;
    if (good && (work > WORK || envelope_place(e)))
        return e;
    mbs_envelope_free(e);
    return NULL;
}

void mbs_envelope_free(struct mbs_envelope *e)
{
    if (e)
        envelope_fini(e);
    free(e);
}

/* M itself. */
static int whole(struct mbs_envelope *e, const struct mbs_pattern *M, const double *val)
{
    for (int j = 0; j < e->n; j++)
        for (int k = M->colptr[j]; k < M->colptr[j + 1]; k++)
            if (M->rowidx[k] == j && val[k] < 0)
                return j + 1;
    if (!e->value)
        return 0;
    memset(e->value, 0, e->entries * sizeof *e->value);
    fill(e, M, val);
    return decompose(e);
}

/* M + c G'G, each row of G with a c of its own: large against the inertias that it moves. */
static int with_constraints(const struct mbs_pattern *M, const double *Mval, int m, const struct mbs_pattern *G, const double *Gval)
{
    struct mbs_envelope e;
    int n = M->cols, found = 0, good = envelope_init(&e, n);
    double *size = calloc((size_t)m + 1, sizeof *size), *mass = calloc((size_t)m + 1, sizeof *mass);

    for (int i = 0; i < n && good; i++)
        e.first[i] = 0;
    if ((good = good && size && mass && envelope_place(&e))) {
        fill(&e, M, Mval);
        for (int j = 0; j < n; j++)
            for (int k = G->colptr[j]; k < G->colptr[j + 1]; k++) {
                size[G->rowidx[k]] += Gval[k] * Gval[k];
                mass[G->rowidx[k]] = fmax(mass[G->rowidx[k]], e.scale[j]);
            }
        for (int j = 0; j < n; j++)
            for (int k = G->colptr[j]; k < G->colptr[j + 1]; k++)
                for (int i = j; i < n; i++)
                    for (int l = G->colptr[i]; l < G->colptr[i + 1]; l++)
                        if (G->rowidx[k] == G->rowidx[l] && size[G->rowidx[k]] > 0)
                            e.row[i][j] += STIFF * mass[G->rowidx[k]] / size[G->rowidx[k]] * Gval[k] * Gval[l];
        for (int i = 0; i < n; i++)
            e.scale[i] = fmax(e.scale[i], fabs(e.row[i][i]));
        found = decompose(&e);
    }
    free(size);
    free(mass);
    envelope_fini(&e);
    return good ? found : MBS_NO_MEMORY;
}

int mbs_indefinite(struct mbs_envelope *e, const struct mbs_pattern *M, const double *Mval, int m, const struct mbs_pattern *G, const double *Gval)
{
    double n = M->cols;
    int found = whole(e, M, Mval);

    return found > 0 && m > 0 && n * n * n / 6 <= WORK ? with_constraints(M, Mval, m, G, Gval) : found;
}
