/* SPDX-License-Identifier: MIT
 *
 * Contacts with friction at one instant: the problem, and the certificate of what is said to solve it (doc/design/0015-events.md). */
#include "linalg/cone_inner.h"
#include "mbs/mbs.h"
#include "work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 8 };
static const double ROUND = 1e-3;

/* ---- the problem ---- */

int mbs_cone_begin(struct mbs_cone *c, int n)
{
    int room = c->dv ? c->n : 0;

    if (n > room || !c->dv) {
        free(c->dv);
        free(c->where);
        c->dv = malloc(((size_t)n + 1) * sizeof *c->dv);
        c->where = calloc((size_t)n + 1, sizeof *c->where);
    }
    c->n = n;
    c->contacts = c->rows = c->slots = c->values = 0;
    c->residual = 0;
    c->sweeps = 0;
    return c->dv && c->where ? 0 : MBS_NO_MEMORY;
}

void mbs_cone_free(struct mbs_cone *c)
{
    void *all[] = { c->at, c->slot, c->where, c->W, c->X, c->b, c->P, c->u, c->start_P, c->best_P, c->drift, c->drift_before, c->scale, c->dv, c->newton };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    mbs_anderson_free(&c->anderson);
    memset(c, 0, sizeof *c);
}

int mbs_cone_contact(struct mbs_cone *c, int normal, int tangents, double mu, int name)
{
    if (mbs_grow(&c->at, c->contacts + 1, &c->room_contacts, sizeof *c->at))
        return MBS_NO_MEMORY;
    c->at[c->contacts++] = (struct mbs_cone_contact){
        .first = c->rows, .normal = normal, .tangents = tangents, .mu = mu, .name = name, .slot = c->slots, .block = c->values,
        .stride = normal + tangents == 3 ? 4 : normal + tangents
    };
    return 0;
}

int mbs_cone_room(struct mbs_cone *c, int need)
{
    double **values[] = { &c->b, &c->P, &c->u, &c->start_P, &c->best_P, &c->drift, &c->drift_before, &c->scale };
    int room = c->room_rows;

    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        room = c->room_rows;
        if (mbs_grow(values[i], need, &room, sizeof **values[i]))
            return MBS_NO_MEMORY;
    }
    c->room_rows = room;
    return 0;
}

int mbs_cone_row(struct mbs_cone *c, double b, double P)
{
    if (c->rows + 1 > c->room_rows && mbs_cone_room(c, c->rows + 1))
        return MBS_NO_MEMORY;
    c->b[c->rows] = b;
    c->P[c->rows++] = P;
    return 0;
}

/* One coordinate more for the contact that is being built. */
static int add_slot(struct mbs_cone *c, struct mbs_cone_contact *k, int index)
{
    int room = c->room_values;

    if (mbs_grow(&c->slot, c->slots + 1, &c->room_slots, sizeof *c->slot) || mbs_grow(&c->W, c->values + k->stride, &room, sizeof *c->W) ||
        mbs_grow(&c->X, c->values + k->stride, &c->room_values, sizeof *c->X))
        return MBS_NO_MEMORY;
    for (int r = 0; r < k->stride; r++)
        c->W[c->values + r] = c->X[c->values + r] = 0;
    c->values += k->stride;
    c->where[index] = c->slots;
    c->slot[c->slots++] = index;
    k->width++;
    return 0;
}

int mbs_cone_entry(struct mbs_cone *c, int index, double w, double x)
{
    struct mbs_cone_contact *k = &c->at[c->contacts - 1];
    int slot = c->where[index];

    if (!(slot >= k->slot && slot < c->slots && c->slot[slot] == index)) {
        if (add_slot(c, k, index))
            return MBS_NO_MEMORY;
        slot = c->slots - 1;
    }
    int at = k->block + (slot - k->slot) * k->stride + c->rows - 1 - k->first;
    c->W[at] += w;
    c->X[at] += x;
    return 0;
}

/* ---- velocities and impulses ---- */

/* These are where the time of heaps goes: with a stride that the compiler knows, of which three rows do not make use of the fourth. */
static inline void add_velocity(int stride, int width, const int *slot, const double *W, const double *dv, double *u)
{
    double sum[MBS_CONE_ROWS] = { 0 };

    for (int i = 0; i < width; i++, W += stride)
        for (int r = 0; r < stride; r++)
            sum[r] += W[r] * dv[slot[i]];
    for (int r = 0; r < stride; r++)
        u[r] += sum[r];
}

static inline double combined(int stride, const double *X, const double *by)
{
    return stride == 1 ? X[0] * by[0] : stride == 2 ? X[0] * by[0] + X[1] * by[1] : (X[0] * by[0] + X[2] * by[2]) + (X[1] * by[1] + X[3] * by[3]);
}

static inline void add_change(int stride, int width, const int *slot, const double *X, const double *change, double *dv)
{
    for (int i = 0; i < width; i++, X += stride)
        dv[slot[i]] += combined(stride, X, change);
}

void mbs_cone_velocity(const struct mbs_cone *c, const struct mbs_cone_contact *k, double u[MBS_CONE_ROWS])
{
    const int *slot = c->slot + k->slot;
    const double *W = c->W + k->block;

    if (k->stride == 4)
        add_velocity(4, k->width, slot, W, c->dv, u);
    else if (k->stride == 2)
        add_velocity(2, k->width, slot, W, c->dv, u);
    else
        add_velocity(1, k->width, slot, W, c->dv, u);
}

void mbs_cone_push(struct mbs_cone *c, const struct mbs_cone_contact *k, const double change[MBS_CONE_ROWS])
{
    const int *slot = c->slot + k->slot;
    const double *X = c->X + k->block;

    if (k->stride == 4)
        add_change(4, k->width, slot, X, change, c->dv);
    else if (k->stride == 2)
        add_change(2, k->width, slot, X, change, c->dv);
    else
        add_change(1, k->width, slot, X, change, c->dv);
}

static void push_own(struct mbs_cone *c, const struct mbs_cone_contact *k)
{
    double P[MBS_CONE_ROWS] = { 0 };
    int moves = 0;

    for (int r = 0; r < mbs_cone_size(k); r++) {
        P[r] = c->P[k->first + r];
        moves |= P[r] != 0;
    }
    if (moves)
        mbs_cone_push(c, k, P);
}

void mbs_cone_push_all(struct mbs_cone *c)
{
    memset(c->dv, 0, (size_t)c->n * sizeof *c->dv);
    for (int i = 0; i < c->contacts; i++)
        push_own(c, &c->at[i]);
}

static double tangential_size(const struct mbs_cone_contact *k)
{
    double most = 0;

    for (int r = k->normal; r < mbs_cone_size(k); r++) {
        double sum = 0;
        for (int s = k->normal; s < mbs_cone_size(k); s++)
            sum += fabs(k->A[r][s]);
        most = fmax(most, sum);
    }
    return most;
}

/* Of round bodies the normal impulse does not move the tangents, nor these each other, and all of them are alike: one projection solves it. */
static int is_round(const struct mbs_cone_contact *k)
{
    double most = 0, last = k->A[mbs_cone_size(k) - 1][mbs_cone_size(k) - 1];

    for (int r = 0; r < mbs_cone_size(k); r++)
        for (int s = 0; s < mbs_cone_size(k); s++)
            most = fmax(most, fabs(r != s ? k->A[r][s] : r >= k->normal ? k->A[r][r] - last : 0));
    return most <= ROUND * fabs(last);
}

static void own_block(const struct mbs_cone *c, struct mbs_cone_contact *k)
{
    const double *W = c->W + k->block, *X = c->X + k->block;

    memset(k->A, 0, sizeof k->A);
    for (int i = 0; i < k->width; i++, W += k->stride, X += k->stride)
        for (int r = 0; r < mbs_cone_size(k); r++)
            for (int s = 0; s < mbs_cone_size(k); s++)
                k->A[r][s] += W[r] * X[s];
    k->across = tangential_size(k);
    k->rounds = is_round(k) ? 1 : c->contacts > FEW ? 3 : 12;
}

void mbs_cone_ready(struct mbs_cone *c)
{
    for (int i = 0; i < c->contacts; i++)
        own_block(c, &c->at[i]);
    mbs_cone_push_all(c);
}

/* ---- cones ---- */

void mbs_cone_project(const struct mbs_cone_contact *k, double bound, double *T)
{
    double square = 0;

    for (int t = 0; t < k->tangents; t++)
        square += T[t] * T[t];
    if (!(square > bound * bound))
        return;
    double by = bound / sqrt(square);
    for (int t = 0; t < k->tangents; t++)
        T[t] *= by;
}

void mbs_cone_project_all(struct mbs_cone *c)
{
    for (int i = 0; i < c->contacts; i++) {
        const struct mbs_cone_contact *k = &c->at[i];
        double *P = c->P + k->first;
        if (k->normal && P[0] < 0)
            P[0] = 0;
        mbs_cone_project(k, mbs_cone_bound(k, P[0]), P + k->normal);
    }
}

/* ---- the certificate ---- */

/* |P - proj(P - r u)| of a contact; its velocities are left in u. */
static double residual_of(struct mbs_cone *c, const struct mbs_cone_contact *k)
{
    const double *P = c->P + k->first;
    double T[MBS_CONE_ROWS], r = k->across > 0 ? 1 / k->across : 0, most = 0, u[MBS_CONE_ROWS] = { 0 };

    memcpy(u, c->b + k->first, (size_t)mbs_cone_size(k) * sizeof *u);
    mbs_cone_velocity(c, k, u);
    memcpy(c->u + k->first, u, (size_t)mbs_cone_size(k) * sizeof *u);
    if (k->normal && k->A[0][0] != 0) {       /* below zero: friction pulls in what the normal force pushes out, and the law may have no solution */
        double own = fabs(k->A[0][0]);
        most = fabs(P[0] - fmax(P[0] - u[0] / own, 0)) * own;
    }
    for (int t = 0; t < k->tangents; t++)
        T[t] = P[k->normal + t] - r * u[k->normal + t];
    mbs_cone_project(k, mbs_cone_bound(k, P[0]), T);
    for (int t = 0; t < k->tangents; t++)
        most = fmax(most, fabs(P[k->normal + t] - T[t]) * k->across);
    return most;
}

double mbs_cone_certificate(struct mbs_cone *c)
{
    c->residual = 0;
    c->worst = 0;
    for (int i = 0; i < c->contacts; i++) {
        double its = residual_of(c, &c->at[i]);
        if (!(its <= c->residual)) {
            c->residual = isfinite(its) ? its : HUGE_VAL;
            c->worst = i;
        }
    }
    return c->residual;
}
