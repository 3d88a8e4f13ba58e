/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The saddle-point solver as straight-line code.
 *
 * Rows are hash-consed on (operator, operands): two entries of M or G that are the same expression are
 * the same leaf, so whatever follows from them alike is computed and kept once.  In a mechanism with
 * several loops through one body the columns of G repeat, and with them half of G M^-1 G'; sums are
 * therefore formed from the most common columns on, so that they share their beginnings.
 *
 *   factor:  u_ij = M_ij - sum_k L_ik u_jk,  L_ij = u_ij / d_j;     Z = L^-1 G',  W = D^-1 Z,  S = W' Z = N E N'
 *   solve:   y = L^-1 b;  N E N' lambda = W' y - d;  a = L'^-1 (D^-1 y - W lambda)
 *
 * Pivots are only watched (see emit/): a matrix that needs pivoting is left to the caller. */
#include "program/saddle.h"
#include "program/rows.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 96, MOST_FLOPS = 1500 };

/* --- the factorisation of one symmetric matrix ------------------------------------------------------ */

/* A symmetric n by n matrix of rows of the tape: at[i*n + j], i >= j holds the entry, then L and, on the
 * diagonal, 1/d.  order[k] is the k-th row to be eliminated. */
struct symmetric {
    int n;
    int *at, *order;
};

static int *entry(const struct symmetric *s, int i, int j)
{
    return &s->at[i >= j ? i * s->n + j : j * s->n + i];
}

static void symmetric_init(struct symmetric *s, int n)
{
    s->n = n;
    s->at = mem_grow(NULL, (size_t)n * (size_t)n, sizeof *s->at);
    s->order = mem_grow(NULL, (size_t)n, sizeof *s->order);
    for (int k = 0; k < n * n; k++)
        s->at[k] = NONE;
}

static void symmetric_fini(struct symmetric *s)
{
    free(s->at);
    free(s->order);
}

/* Minimum degree on the pattern with fill; ties keep the order of the model. */
static void order_minimum_degree(struct symmetric *s)
{
    int n = s->n;
    char *edge = mem_grow(NULL, (size_t)n * (size_t)n, 1), *done = mem_grow(NULL, (size_t)n, 1);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            edge[i * n + j] = i != j && *entry(s, i, j) != NONE;
    memset(done, 0, (size_t)n);
    for (int k = 0; k < n; k++) {
        int best = NONE, least = n + 1;
        for (int i = 0; i < n; i++) {
            int degree = 0;
            for (int j = 0; j < n; j++)
                degree += !done[j] && edge[i * n + j];
            if (!done[i] && degree < least) {
                best = i;
                least = degree;
            }
        }
        s->order[k] = best;
        done[best] = 1;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                if (i != j && !done[i] && !done[j] && edge[best * n + i] && edge[best * n + j])
                    edge[i * n + j] = 1;
    }
    free(edge);
    free(done);
}

/* Right-looking, column by column in the chosen order; false if a diagonal entry is missing. */
static bool symmetric_factor(struct rows *b, struct symmetric *s, struct saddle *out, int first_number)
{
    int n = s->n, *original = mem_grow(NULL, (size_t)n, sizeof *original), *u = mem_grow(NULL, (size_t)n, sizeof *u);
    bool good = true;
    for (int j = 0; j < n; j++) {
        original[j] = *entry(s, j, j);
        good &= original[j] != NONE;
    }
    for (int k = 0; k < n && good; k++) {
        int j = s->order[k], pivot = *entry(s, j, j), inverse = rows_reciprocal(b, pivot);
        out->pivot[out->pivots++] = (struct saddle_pivot){ pivot, original[j], first_number + j };
        b->row.at[pivot].uses += 2;             /* compared in the end: not to be written in place */
        b->row.at[original[j]].uses += 2;
        *entry(s, j, j) = inverse;
        for (int i = k + 1; i < n; i++) {
            int *e = entry(s, s->order[i], j);
            u[i] = *e;
            *e = rows_mul(b, u[i], inverse);
        }
        for (int c = k + 1; c < n; c++)
            for (int i = c; i < n; i++) {
                int *e = entry(s, s->order[i], s->order[c]);
                *e = rows_sub(b, *e, rows_mul(b, *entry(s, s->order[i], j), u[c]));
            }
        good = b->flops <= MOST_FLOPS;
    }
    free(original);
    free(u);
    return good;
}

/* --- both matrices ---------------------------------------------------------------------------------- */

struct plan {
    int nq, rows;
    struct symmetric M, S;
    int *Z, *W;                 /* nq by rows */
    int *common;                /* coordinates, those in most constraints first */
};

static void order_common(struct plan *p)
{
    int *count = mem_grow(NULL, (size_t)p->nq, sizeof *count);
    for (int i = 0; i < p->nq; i++) {
        count[i] = 0;
        for (int k = 0; k < p->rows; k++)
            count[i] += p->Z[i * p->rows + k] != NONE;
        int at = i;
        for (; at > 0 && count[p->common[at - 1]] < count[i]; at--)
            p->common[at] = p->common[at - 1];
        p->common[at] = i;
    }
    free(count);
}

/* Z = L^-1 G', W = D^-1 Z and the Schur complement S = W' Z. */
static void schur_form(struct rows *b, struct plan *p)
{
    for (int k = 0; k < p->rows; k++)
        for (int e = 0; e < p->nq; e++) {
            int i = p->M.order[e], *z = &p->Z[i * p->rows + k];
            for (int c = 0; c < e; c++) {
                int j = p->M.order[c];
                *z = rows_sub(b, *z, rows_mul(b, *entry(&p->M, i, j), p->Z[j * p->rows + k]));
            }
            p->W[i * p->rows + k] = rows_mul(b, *z, *entry(&p->M, i, i));
        }
    order_common(p);
    for (int k = 0; k < p->rows && b->flops <= MOST_FLOPS; k++)
        for (int l = 0; l <= k; l++) {
            int sum = NONE;
            for (int c = 0; c < p->nq; c++) {
                int zk = p->Z[p->common[c] * p->rows + k], zl = p->Z[p->common[c] * p->rows + l];
                /* W_k Z_l = W_l Z_k: of the two always the same one, so that both are found again. */
                int w = p->W[p->common[c] * p->rows + (zk > zl ? k : l)];
                sum = rows_add(b, sum, rows_mul(b, w, zk > zl ? zl : zk));
            }
            *entry(&p->S, k, l) = sum;
        }
}

/* Give every distinct row of the factors a place in l; the plan then holds places, not rows. */
static void keep_factors(struct rows *b, struct plan *p, struct saddle *out)
{
    int *place = mem_grow(NULL, (size_t)b->row.n, sizeof *place);
    int *lists[] = { p->M.at, p->W, p->S.at }, sizes[] = { p->nq * p->nq, p->nq * p->rows, p->rows * p->rows };
    for (int k = 0; k < b->row.n; k++)
        place[k] = NONE;
    for (int s = 0; s < 3; s++)
        for (int k = 0; k < sizes[s]; k++) {
            int row = lists[s][k];
            if (row == NONE)
                continue;
            if (place[row] == NONE) {
                place[row] = out->nl++;
                rows_output(b, ROWS_L, place[row], 0, row);
            }
            lists[s][k] = place[row];
        }
    free(place);
}

static bool build_factor(struct rows *b, struct plan *p, const struct equations *eq, struct saddle *out)
{
    const struct eq_array *M = &eq->array[EQ_M], *G = &eq->array[EQ_G];
    for (int j = 0; j < M->cols; j++)
        for (int k = M->colptr[j]; k < M->colptr[j + 1]; k++)
            *entry(&p->M, M->rowidx[k], j) = rows_entry(b, M, ROWS_M, k);
    for (int j = 0; j < G->cols; j++)
        for (int k = G->colptr[j]; k < G->colptr[j + 1]; k++)
            p->Z[j * p->rows + G->rowidx[k]] = rows_entry(b, G, ROWS_G, k);
    order_minimum_degree(&p->M);
    if (!symmetric_factor(b, &p->M, out, 1))
        return false;
    schur_form(b, p);
    order_minimum_degree(&p->S);
    if (!symmetric_factor(b, &p->S, out, 1 + p->nq))
        return false;
    keep_factors(b, p, out);
    return b->flops <= MOST_FLOPS;
}

static int kept(struct rows *b, int place)
{
    return place == NONE ? NONE : rows_put(b, TAPE_SYM, ROWS_L, place);
}

/* start - sum_k coef[k] x[k], summing first the x of equal coefficients. */
static int put_minus_dot(struct rows *b, int start, int n, const int *coef, const int *x)
{
    for (int k = 0; k < n; k++) {
        int sum = NONE;
        bool again = false;
        for (int j = 0; j < k && !again; j++)
            again = coef[j] == coef[k];
        if (coef[k] == NONE || again)
            continue;
        for (int j = k; j < n; j++)
            if (coef[j] == coef[k])
                sum = rows_add(b, sum, x[j]);
        start = rows_sub(b, start, rows_mul(b, kept(b, coef[k]), sum));
    }
    return start;
}

/* x := L^-1 x, and x := L'^-1 x, in the order of elimination. */
static void put_forward(struct rows *b, const struct symmetric *s, int *x)
{
    for (int k = 0; k < s->n; k++)
        for (int i = k + 1; i < s->n; i++) {
            int *e = &x[s->order[i]];
            *e = rows_sub(b, *e, rows_mul(b, kept(b, *entry(s, s->order[i], s->order[k])), x[s->order[k]]));
        }
}

static void put_backward(struct rows *b, const struct symmetric *s, int *x)
{
    for (int k = s->n - 1; k >= 0; k--)
        for (int i = s->n - 1; i > k; i--) {
            int *e = &x[s->order[k]];
            *e = rows_sub(b, *e, rows_mul(b, kept(b, *entry(s, s->order[i], s->order[k])), x[s->order[i]]));
        }
}

static void build_solve(struct rows *b, const struct plan *p)
{
    int *y = mem_grow(NULL, (size_t)p->nq + 1, sizeof *y),
        *lambda = mem_grow(NULL, (size_t)p->rows + 1, sizeof *lambda);
    for (int i = 0; i < p->nq; i++)
        y[i] = rows_put(b, TAPE_SYM, ROWS_X, i);
    put_forward(b, &p->M, y);
    for (int k = 0; k < p->rows; k++) {
        int sum = NONE;
        for (int c = 0; c < p->nq; c++)
            sum = rows_add(b, sum, rows_mul(b, kept(b, p->W[p->common[c] * p->rows + k]), y[p->common[c]]));
        lambda[k] = rows_sub(b, sum, rows_put(b, TAPE_SYM, ROWS_X, p->nq + k));
    }
    put_forward(b, &p->S, lambda);
    for (int k = 0; k < p->rows; k++)
        lambda[k] = rows_mul(b, kept(b, *entry(&p->S, k, k)), lambda[k]);
    put_backward(b, &p->S, lambda);
    for (int i = 0; i < p->nq; i++)
        y[i] = put_minus_dot(b, rows_mul(b, kept(b, *entry(&p->M, i, i)), y[i]), p->rows, p->W + i * p->rows, lambda);
    put_backward(b, &p->M, y);
    for (int i = 0; i < p->nq; i++)
        rows_output(b, ROWS_X, i, 0, y[i]);
    for (int k = 0; k < p->rows; k++)
        rows_output(b, ROWS_X, p->nq + k, 0, lambda[k]);
    free(y);
    free(lambda);
}

struct saddle *saddle_new(const struct equations *eq)
{
    struct plan p = { .nq = eq->model->coord.n, .rows = eq->model->constraint.n };
    if (!p.nq || p.nq + p.rows > MOST_ROWS)
        return NULL;
    struct saddle *out = mem_grow(NULL, 1, sizeof *out);
    struct rows factor = {0}, solve = {0};
    size_t cells = (size_t)p.nq * (size_t)p.rows + 1;
    *out = (struct saddle){ .pivot = mem_grow(NULL, (size_t)(p.nq + p.rows), sizeof *out->pivot) };
    symmetric_init(&p.M, p.nq);
    symmetric_init(&p.S, p.rows);
    p.Z = mem_grow(NULL, cells, sizeof *p.Z);
    p.W = mem_grow(NULL, cells, sizeof *p.W);
    p.common = mem_grow(NULL, (size_t)p.nq, sizeof *p.common);
    for (size_t k = 0; k < cells; k++)
        p.Z[k] = p.W[k] = NONE;
    bool good = build_factor(&factor, &p, eq, out);
    if (good)
        build_solve(&solve, &p);
    good = good && factor.flops + solve.flops <= MOST_FLOPS;
    rows_section(&factor, 0);
    rows_section(&solve, 0);
    out->factor = rows_finish(&factor);
    out->solve = rows_finish(&solve);
    symmetric_fini(&p.M);
    symmetric_fini(&p.S);
    free(p.Z);
    free(p.W);
    free(p.common);
    if (!good) {
        saddle_free(out);
        return NULL;
    }
    return out;
}

void saddle_free(struct saddle *s)
{
    if (!s)
        return;
    tape_free(s->factor);
    tape_free(s->solve);
    free(s->pivot);
    free(s);
}
