/* SPDX-License-Identifier: MIT
 *
 * K^-1 for impulses.  A heap of bodies falls into as many pieces as it has bodies, or coordinates; each has a small dense matrix of its own, and the
 * effect of a contact's impulse is confined to the pieces that it touches.  A mechanism of one large piece goes to the saddle point. */
#include "linalg/dense.h"
#include "methods/moreau.h"

#include <stdlib.h>
#include <string.h>

enum { LARGE = 64 };                    /* members from which on sparse factors are cheaper */
static const double SINGULAR = 1e-13;   /* a pivot so small: constraints depend on each other, which the saddle point knows to deal with */

/* ---- pieces ---- */

static int find_root(int *of, int i)
{
    while (of[i] != i)
        i = of[i] = of[of[i]];
    return i;
}

static void tie(int *of, int i, int j)
{
    of[find_root(of, i)] = find_root(of, j);
}

static void tie_all(int *of, const struct mbs_problem *p)
{
    const struct mbs_pattern *M = &p->model->M, *G = &p->model->G;

    for (int i = 0; i < p->n + p->m; i++)
        of[i] = i;
    for (int j = 0; j < p->n; j++) {
        for (int k = M->colptr[j]; k < M->colptr[j + 1]; k++)
            tie(of, M->rowidx[k], j);
        for (int k = p->m ? G->colptr[j] : 0; p->m && k < G->colptr[j + 1]; k++)
            tie(of, p->n + G->rowidx[k], j);
    }
}

/* Numbers the pieces by their first members; root: work. */
static size_t number_pieces(struct mbs_inertia *k, int all, const int *root)
{
    size_t size = 0;
    int at = 0;

    k->pieces = 0;
    for (int r = 0; r < all; r++) {
        if (root[r] != r)
            continue;
        k->first[k->pieces] = at;
        for (int i = 0; i < all; i++)
            if (root[i] == r) {
                k->piece[i] = k->pieces;
                k->place[i] = at - k->first[k->pieces];
                k->member[at++] = i;
            }
        int members = at - k->first[k->pieces];
        k->at[k->pieces++] = size;
        size += (size_t)members * (size_t)members;
        k->large |= members > LARGE;
    }
    k->first[k->pieces] = at;
    return size;
}

int mbs_inertia_open(struct mbs_inertia *k, const struct mbs_problem *p)
{
    size_t all = (size_t)(p->n + p->m);
    int **ints[] = { &k->piece, &k->place, &k->first, &k->member, &k->pivot, &k->touched };

    for (size_t i = 0; i < sizeof ints / sizeof *ints; i++)
        if (!(*ints[i] = malloc((all + 2) * sizeof **ints[i])))
            return MBS_NO_MEMORY;
    k->at = malloc((all + 1) * sizeof *k->at);
    k->work = calloc(all + 1, sizeof *k->work);
    k->column = calloc(all + 1, sizeof *k->column);
    k->mark = calloc(all + 1, 1);
    if (!k->at || !k->work || !k->column || !k->mark)
        return MBS_NO_MEMORY;
    tie_all(k->pivot, p);
    for (int i = 0; i < (int)all; i++)
        k->touched[i] = find_root(k->pivot, i);
    size_t size = number_pieces(k, (int)all, k->touched);
    k->lu = k->large ? NULL : malloc((size + 1) * sizeof *k->lu);
    return k->large || k->lu ? 0 : MBS_NO_MEMORY;
}

void mbs_inertia_close(struct mbs_inertia *k)
{
    void *all[] = { k->piece, k->place, k->first, k->member, k->pivot, k->touched, k->at, k->work, k->column, k->mark, k->lu };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    memset(k, 0, sizeof *k);
}

/* ---- factors and solutions ---- */

static int members(const struct mbs_inertia *k, int piece)
{
    return k->first[piece + 1] - k->first[piece];
}

static void fill(struct mbs_inertia *k, const struct mbs_problem *p, const struct mbs_pattern *from, const double *value, int behind)
{
    for (int j = 0; j < p->n; j++) {
        int piece = k->piece[j], n = members(k, piece), c = k->place[j];
        double *K = k->lu + k->at[piece];
        for (int i = from->colptr[j]; i < from->colptr[j + 1]; i++) {
            int r = k->place[behind + from->rowidx[i]];
            K[r * n + c] = K[c * n + r] = value[i];
        }
    }
}

int mbs_inertia_factor(struct mbs_inertia *k, struct mbs_problem *p)
{
    int status;

    k->whole = k->large;
    if (!k->whole) {
        size_t size = k->pieces ? k->at[k->pieces - 1] + (size_t)members(k, k->pieces - 1) * (size_t)members(k, k->pieces - 1) : 0;
        memset(k->lu, 0, size * sizeof *k->lu);
        fill(k, p, &p->model->M, p->dyn.M, 0);
        if (p->m > 0)
            fill(k, p, &p->model->G, p->dyn.G, p->n);
    }
    for (int i = 0; i < k->pieces && !k->whole; i++)
        if (!(mbs_lu_real(members(k, i), k->lu + k->at[i], k->pivot + k->first[i], k->work) > SINGULAR))
            k->whole = 1;
    p->stat->lu++;
    if (!k->whole)
        return 0;
    status = mbs_saddle_factor(p->saddle, p->dyn.M, p->dyn.G);
    p->stat->rank_drops += status > 0;
    return status < 0 ? status : 0;
}

static void solve_piece(struct mbs_inertia *k, int piece, double *x)
{
    int n = members(k, piece);
    const int *member = k->member + k->first[piece];

    for (int i = 0; i < n; i++)
        k->work[i] = x[member[i]];
    mbs_lu_real_solve(n, k->lu + k->at[piece], k->pivot + k->first[piece], k->work);
    for (int i = 0; i < n; i++)
        x[member[i]] = k->work[i];
}

void mbs_inertia_solve(struct mbs_inertia *k, struct mbs_problem *p, double *x)
{
    if (k->whole)
        mbs_saddle_solve(p->saddle, x);
    for (int i = 0; i < k->pieces && !k->whole; i++)
        solve_piece(k, i, x);
}

static int add_entry(struct mbs_inertia_rows *rows, int index, double w, double x)
{
    int need = rows->entries + 1;

    if (mbs_grow(&rows->index, need, &rows->room_index, sizeof *rows->index) || mbs_grow(&rows->w, need, &rows->room_w, sizeof *rows->w) ||
        mbs_grow(&rows->x, need, &rows->room_x, sizeof *rows->x))
        return MBS_NO_MEMORY;
    rows->index[rows->entries] = index;
    rows->w[rows->entries] = w;
    rows->x[rows->entries++] = x;
    return 0;
}

static int row_whole(struct mbs_inertia *k, struct mbs_problem *p, const double *w, int count, const int *coord, struct mbs_inertia_rows *rows)
{
    int status = 0;

    memset(k->column, 0, (size_t)(p->n + p->m) * sizeof *k->column);
    for (int i = 0; i < count; i++) {
        k->column[coord[i]] = w[coord[i]];
        k->mark[coord[i]] = 1;
    }
    mbs_saddle_solve(p->saddle, k->column);
    for (int j = 0; j < p->n && status == 0; j++)
        if (k->mark[j] || k->column[j] != 0)
            status = add_entry(rows, j, k->mark[j] ? w[j] : 0, k->column[j]);
    for (int i = 0; i < count; i++)
        k->mark[coord[i]] = 0;
    return status;
}

int mbs_inertia_row(struct mbs_inertia *k, struct mbs_problem *p, const double *w, int count, const int *coord, struct mbs_inertia_rows *rows)
{
    int pieces = 0, status = 0;

    if (k->whole)
        return row_whole(k, p, w, count, coord, rows);
    for (int i = 0; i < count; i++) {
        int piece = k->piece[coord[i]];
        if (!k->mark[piece]) {
            k->mark[piece] = 1;
            k->touched[pieces++] = piece;
            for (int m = k->first[piece]; m < k->first[piece + 1]; m++)
                k->column[k->member[m]] = 0;
        }
        k->column[coord[i]] = w[coord[i]];
    }
    for (int i = 0; i < pieces; i++) {
        int from = k->first[k->touched[i]], to = k->first[k->touched[i] + 1], width = to - from;
        double given[LARGE];
        for (int m = 0; m < width; m++)
            given[m] = k->column[k->member[from + m]];
        solve_piece(k, k->touched[i], k->column);
        for (int m = 0; m < width && status == 0; m++)
            if (k->member[from + m] < p->n)
                status = add_entry(rows, k->member[from + m], given[m], k->column[k->member[from + m]]);
        k->mark[k->touched[i]] = 0;
    }
    return status;
}
