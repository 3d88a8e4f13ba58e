/* SPDX-License-Identifier: MIT
 *
 * Rank of the constraints at a state: the rows of G, scaled to unit length, are orthogonalised in their own order
 * (Gram-Schmidt, done twice), so that of two rows that say the same the later one is called redundant.  A row that is a million times as long a little
 * beside the state is zero there but for rounding: no scaling makes a direction of that. */
#include "sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows one after the other against those kept so far (modified Gram-Schmidt, twice). */
static int dependent_rows(double *A, int n, int m, unsigned char *redundant, double *smallest)
{
    int rank = 0, *kept = calloc((size_t)m + 1, sizeof *kept);

    if (!kept)
        return MBS_NO_MEMORY;
    *smallest = 1;
    for (int i = 0; i < m; i++) {
        double *r = A + (long)i * n, norm = 0;
        for (int round = 0; round < 2; round++)
            for (int k = 0; k < rank; k++) {
                const double *b = A + (long)kept[k] * n;
                double s = 0;
                for (int j = 0; j < n; j++)
                    s += r[j] * b[j];
                for (int j = 0; j < n; j++)
                    r[j] -= s * b[j];
            }
        for (int j = 0; j < n; j++)
            norm = hypot(norm, r[j]);
        if (!(norm > 1e-8)) {
            redundant[i] = redundant[i] ? redundant[i] : MBS_ROW_FOLLOWS;
            continue;
        }
        *smallest = fmin(*smallest, norm);
        for (int j = 0; j < n; j++)
            r[j] /= norm;
        kept[rank++] = i;
    }
    free(kept);
    return rank;
}

static void row_squares(const struct mbs_pattern *G, const double *val, double *square)
{
    memset(square, 0, (size_t)G->rows * sizeof *square);
    for (int k = 0; k < G->nnz; k++)
        square[G->rowidx[k]] += val[k] * val[k];
}

/* Rows that vanish at the state but not beside it; the constraints are evaluated anew.  A has room for n + 2 m numbers. */
static void vanishing_rows(struct mbs_problem *p, const struct mbs_state *at, const struct mbs_constraints *con, double *A, unsigned char *flags)
{
    double *q = A, *here = A + p->n, *beside = here + p->m;
    struct mbs_state x = *at;
    unsigned seed = 1;

    row_squares(&p->model->G, con->G, here);
    for (int j = 0; j < p->n; j++) {
        seed = seed * 1103515245u + 12345u;
        q[j] = at->q[j] + 1e-5 * ((double)(seed >> 8) / (1 << 23) - 1) * fmax(1, fabs(at->q[j]));
    }
    x.q = q;
    mbs_eval_constraints(p, &x, con);
    row_squares(&p->model->G, con->G, beside);
    for (int i = 0; i < p->m; i++)
        flags[i] = here[i] < 1e-12 * beside[i] ? MBS_ROW_VANISHES : 0;
}

int mbs_rank(struct mbs_sim *sim, struct mbs_rank *out, unsigned char *redundant)
{
    struct mbs_problem *p;
    const struct mbs_pattern *G;
    struct mbs_state x;
    struct mbs_constraints con;
    int n, m, rank;
    double *A, smallest;
    unsigned char *flags;

    if (mbs_border_result(sim, out, "mbs_rank"))
        return MBS_BAD_ARGUMENT;
    p = &sim->p;
    G = &sim->model->G;
    x = (struct mbs_state){ .t = sim->s.x.t, .q = sim->s.x.q };
    con = (struct mbs_constraints){ .g = p->dyn.g, .G = p->dyn.G, .gt = p->dyn.gt };
    n = p->n;
    m = p->m;
    *out = (struct mbs_rank){ 0, n, 1 };
    if (m == 0)
        return 0;
    mbs_eval_constraints(p, &x, &con);
    if (!mbs_finite(con.G, G->nnz))
        return mbs_fail(&sim->msg, MBS_NAN, x.t, -1, -1, "the derivative of the constraints is not finite");
    A = calloc((size_t)n * (size_t)m + (size_t)n + 2 * (size_t)m, sizeof *A);
    flags = calloc((size_t)m + 1, 1);
    rank = A && flags ? 0 : MBS_NO_MEMORY;
    if (rank == 0) {
        vanishing_rows(p, &x, &con, A, flags);
        memset(A, 0, ((size_t)n + 2 * (size_t)m) * sizeof *A);
        mbs_eval_constraints(p, &x, &con);
    }
    for (int j = 0; j < n && rank == 0; j++)
        for (int k = G->colptr[j]; k < G->colptr[j + 1]; k++)
            A[(long)G->rowidx[k] * n + j] = flags[G->rowidx[k]] ? 0 : con.G[k];
    for (int i = 0; i < m && rank == 0; i++) {
        double norm = 0;
        for (int j = 0; j < n; j++)
            norm = hypot(norm, A[(long)i * n + j]);
        for (int j = 0; j < n && norm > 0; j++)
            A[(long)i * n + j] /= norm;
    }
    if (rank == 0)
        rank = dependent_rows(A, n, m, flags, &smallest);
    if (rank >= 0) {
        *out = (struct mbs_rank){ rank, n - rank, 1 / smallest };
        if (redundant)
            memcpy(redundant, flags, (size_t)m);
    }
    free(A);
    free(flags);
    return rank < 0 ? mbs_fail(&sim->msg, rank, x.t, -1, -1, "out of memory while finding the rank of the constraints") : 0;
}
