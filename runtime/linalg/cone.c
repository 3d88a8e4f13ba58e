/* SPDX-License-Identifier: MIT
 *
 * Contacts with friction by block Gauss-Seidel, and Newton for the last digits (doc/design/0015-events.md). */
#include "linalg/cone.h"
#include "linalg/dense.h"
#include "mbs/mbs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 4, FEW = 8, LOCAL = 12, LOCAL_FEW = 3, ROUNDS = 6, NEWTON = 30, DENSE_MOST = 600, STALLED = 60 };
static const double BETTER = 0.9;       /* a certificate that does not become so much less in STALLED sweeps does not become less */
static const double STEADY = 0.1;       /* changes of two pairs of sweeps that differ by less are the same */

/* ---- the problem ---- */

static int grow(void *array, int need, int *room, size_t size)
{
    void **at = array, *more;
    int next = *room ? *room : 64;

    if (need <= *room && *at)
        return 0;
    while (next < need)
        next *= 2;
    more = realloc(*at, (size_t)next * size);
    if (!more)
        return MBS_NO_MEMORY;
    *at = more;
    *room = next;
    return 0;
}

int mbs_cone_begin(struct mbs_cone *c, int n)
{
    int room = c->dv ? c->n : 0;

    if (n > room || !c->dv) {
        free(c->dv);
        c->dv = malloc(((size_t)n + 1) * sizeof *c->dv);
    }
    c->n = n;
    c->contacts = c->rows = c->entries = 0;
    c->residual = 0;
    c->sweeps = 0;
    return c->dv ? 0 : MBS_NO_MEMORY;
}

void mbs_cone_free(struct mbs_cone *c)
{
    void *all[] = { c->at, c->start, c->index, c->W, c->X, c->b, c->P, c->u, c->start_P, c->best_P, c->drift, c->drift_before, c->scale, c->A, c->dv,
                    c->newton };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    mbs_anderson_free(&c->anderson);
    memset(c, 0, sizeof *c);
}

int mbs_cone_contact(struct mbs_cone *c, int normal, int tangents, double mu, int name)
{
    int room = c->room_contacts;

    if (grow(&c->at, c->contacts + 1, &c->room_contacts, sizeof *c->at))
        return MBS_NO_MEMORY;
    if (c->room_contacts != room || !c->A) {
        room = 0;
        if (grow(&c->A, c->room_contacts, &room, BLOCK * BLOCK * sizeof *c->A))
            return MBS_NO_MEMORY;
    }
    c->at[c->contacts++] = (struct mbs_cone_contact){ .first = c->rows, .normal = normal, .tangents = tangents, .mu = mu, .name = name };
    return 0;
}

static int grow_rows(struct mbs_cone *c, int need)
{
    double **values[] = { &c->b, &c->P, &c->u, &c->start_P, &c->best_P, &c->drift, &c->drift_before, &c->scale };
    int room = c->room_rows;

    if (need <= room)
        return 0;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        int same = c->room_rows;
        if (grow(values[i], need, &same, sizeof **values[i]))
            return MBS_NO_MEMORY;
    }
    if (grow(&c->start, need, &room, sizeof *c->start))
        return MBS_NO_MEMORY;
    c->room_rows = room;
    return 0;
}

int mbs_cone_row(struct mbs_cone *c, double b, double P)
{
    if (grow_rows(c, c->rows + 2))
        return MBS_NO_MEMORY;
    c->b[c->rows] = b;
    c->P[c->rows] = P;
    c->start[c->rows++] = c->entries;
    c->start[c->rows] = c->entries;
    return 0;
}

static int grow_entries(struct mbs_cone *c)
{
    int room = c->room_entries, same[3] = { room, room, room };

    if (grow(&c->index, c->entries + 1, &same[0], sizeof *c->index) || grow(&c->W, c->entries + 1, &same[1], sizeof *c->W) ||
        grow(&c->X, c->entries + 1, &same[2], sizeof *c->X))
        return MBS_NO_MEMORY;
    c->room_entries = same[0];
    return 0;
}

int mbs_cone_entry(struct mbs_cone *c, int index, double w, double x)
{
    if (c->entries == c->room_entries && grow_entries(c))
        return MBS_NO_MEMORY;
    c->index[c->entries] = index;
    c->W[c->entries] = w;
    c->X[c->entries++] = x;
    c->start[c->rows] = c->entries;
    return 0;
}

static double row_velocity(const struct mbs_cone *c, int r)
{
    double u = c->b[r];

    for (int k = c->start[r]; k < c->start[r + 1]; k++)
        u += c->W[k] * c->dv[c->index[k]];
    return u;
}

static void row_push(struct mbs_cone *c, int r, double P)
{
    for (int k = c->start[r]; k < c->start[r + 1]; k++)
        c->dv[c->index[k]] += c->X[k] * P;
}

/* W_r K^-1 W_s'; dv must be zero where row s has entries, and is so again afterwards. */
static double coupling(struct mbs_cone *c, int r, int s)
{
    double a = 0;

    for (int k = c->start[s]; k < c->start[s + 1]; k++)
        c->dv[c->index[k]] = c->X[k];
    for (int k = c->start[r]; k < c->start[r + 1]; k++)
        a += c->W[k] * c->dv[c->index[k]];
    for (int k = c->start[s]; k < c->start[s + 1]; k++)
        c->dv[c->index[k]] = 0;
    return a;
}

static int size_of(const struct mbs_cone_contact *k)
{
    return k->normal + k->tangents;
}

/* What the tangents bear, under the normal impulse N. */
static double bound_of(const struct mbs_cone_contact *k, double N)
{
    return (k->normal ? k->mu * N : k->mu) + k->more;
}

static void own_blocks(struct mbs_cone *c)
{
    memset(c->dv, 0, (size_t)c->n * sizeof *c->dv);
    for (int i = 0; i < c->contacts; i++) {
        const struct mbs_cone_contact *k = &c->at[i];
        for (int r = 0; r < size_of(k); r++)
            for (int s = 0; s < size_of(k); s++)
                c->A[BLOCK * BLOCK * i + BLOCK * r + s] = coupling(c, k->first + r, k->first + s);
    }
    for (int r = 0; r < c->rows; r++)
        row_push(c, r, c->P[r]);
}

/* Largest eigenvalue of the tangential block, or a little more. */
static double tangential_size(const struct mbs_cone_contact *k, const double *A)
{
    double most = 0;

    for (int r = k->normal; r < size_of(k); r++) {
        double sum = 0;
        for (int s = k->normal; s < size_of(k); s++)
            sum += fabs(A[BLOCK * r + s]);
        most = fmax(most, sum);
    }
    return most;
}

static void project(const struct mbs_cone_contact *k, double bound, double *T)
{
    double size = 0;

    for (int t = 0; t < k->tangents; t++)
        size += T[t] * T[t];
    size = sqrt(size);
    for (int t = 0; t < k->tangents && size > bound; t++)
        T[t] *= bound / size;
}

/* ---- one contact ---- */

/* A normal and one tangent: open, stick, slide either way; u is that at P.  0: none of them fits. */
static int local_plane(const double *A, double mu, const double *u, double *P)
{
    double a = A[0], b = A[1], d = A[BLOCK + 1], det = a * d - A[BLOCK] * b;
    double bN = u[0] - a * P[0] - b * P[1], bT = u[1] - A[BLOCK] * P[0] - d * P[1];

    if (bN >= 0) {
        P[0] = P[1] = 0;
        return 1;
    }
    if (det > 1e-14 * a * d) {
        double N = (-bN * d + bT * b) / det, T = (-bT * a + bN * A[BLOCK]) / det;
        if (N >= 0 && fabs(T) <= mu * N) {
            P[0] = N;
            P[1] = T;
            return 1;
        }
    }
    for (int side = -1; side <= 1; side += 2) {         /* the sign of P_T */
        double den = a + side * mu * b, N = -bN / den;
        if (den > 0 && side * (bT + A[BLOCK] * N + d * side * mu * N) <= 0) {
            P[0] = N;
            P[1] = side * mu * N;
            return 1;
        }
    }
    return 0;
}

/* Projections within the block; among many contacts it is not worth solving one of them exactly. */
static void local_project(const struct mbs_cone_contact *k, const double *A, const double *u0, double *P, int most_iter)
{
    double old[BLOCK], u[BLOCK], r = 1 / fmax(tangential_size(k, A), 1e-300);
    int n = size_of(k);

    memcpy(old, P, sizeof old);
    for (int iter = 0; iter < most_iter; iter++) {
        double most = 0;
        for (int i = 0; i < n; i++) {
            u[i] = u0[i];
            for (int j = 0; j < n; j++)
                u[i] += A[BLOCK * i + j] * (P[j] - old[j]);
        }
        if (k->normal) {
            double N = fmax(P[0] - u[0] / A[0], 0), step = N - P[0];
            most = fabs(step) * A[0];
            P[0] = N;
            for (int i = 1; i < n; i++)
                u[i] += A[BLOCK * i] * step;
        }
        for (int t = k->normal; t < n; t++) {
            most = fmax(most, fabs(u[t]) * (P[t] != 0 || k->normal == 0));
            P[t] -= r * u[t];
        }
        project(k, bound_of(k, P[0]), P + k->normal);
        if (most == 0)
            break;
    }
}

static void contact_update(struct mbs_cone *c, int i)
{
    const struct mbs_cone_contact *k = &c->at[i];
    const double *A = c->A + BLOCK * BLOCK * i;
    double u[BLOCK], P[BLOCK] = { 0 }, old[BLOCK];
    int n = size_of(k);

    for (int r = 0; r < n; r++) {
        u[r] = row_velocity(c, k->first + r);
        old[r] = P[r] = c->P[k->first + r];
    }
    if (k->normal && !(A[0] > 0))
        return;
    if (k->normal && k->tangents == 0)
        P[0] = fmax(P[0] - u[0] / A[0], 0);
    else if (!(k->normal && k->tangents == 1 && k->more == 0 && local_plane(A, k->mu, u, P)))
        local_project(k, A, u, P, c->contacts > FEW ? LOCAL_FEW : LOCAL);
    for (int r = 0; r < n; r++)
        if (P[r] != old[r]) {
            row_push(c, k->first + r, P[r] - old[r]);
            c->P[k->first + r] = P[r];
        }
}

/* ---- the certificate ---- */

/* |P - proj(P - r u)| of a contact; its velocities are left in u. */
static double residual_of(struct mbs_cone *c, int i)
{
    const struct mbs_cone_contact *k = &c->at[i];
    const double *A = c->A + BLOCK * BLOCK * i, *P = c->P + k->first;
    double T[BLOCK], size = tangential_size(k, A), r = size > 0 ? 1 / size : 0, most = 0, *u = c->u + k->first;

    for (int j = 0; j < size_of(k); j++)
        u[j] = row_velocity(c, k->first + j);
    if (k->normal && A[0] != 0) {       /* below zero: friction pulls in what the normal force pushes out, and the law may have no solution */
        double own = fabs(A[0]);
        most = fabs(P[0] - fmax(P[0] - u[0] / own, 0)) * own;
    }
    for (int t = 0; t < k->tangents; t++)
        T[t] = P[k->normal + t] - r * u[k->normal + t];
    project(k, bound_of(k, P[0]), T);
    for (int t = 0; t < k->tangents; t++)
        most = fmax(most, fabs(P[k->normal + t] - T[t]) * size);
    return most;
}

static double certificate(struct mbs_cone *c)
{
    c->residual = 0;
    c->worst = 0;
    for (int i = 0; i < c->contacts; i++) {
        double its = residual_of(c, i);
        if (!(its <= c->residual)) {
            c->residual = isfinite(its) ? its : HUGE_VAL;
            c->worst = i;
        }
    }
    return c->residual;
}

/* The velocities that the impulses as of now make. */
static void push_all(struct mbs_cone *c)
{
    memset(c->dv, 0, (size_t)c->n * sizeof *c->dv);
    for (int r = 0; r < c->rows; r++)
        if (c->P[r] != 0)
            row_push(c, r, c->P[r]);
}

static void project_all(struct mbs_cone *c)
{
    for (int i = 0; i < c->contacts; i++) {
        const struct mbs_cone_contact *k = &c->at[i];
        double *P = c->P + k->first;
        if (k->normal)
            P[0] = fmax(P[0], 0);
        project(k, bound_of(k, P[0]), P + k->normal);
    }
}

/* There and back: what rests on something hears of it at once. */
static void sweep_pair(struct mbs_cone *c)
{
    for (int i = 0; i < c->contacts; i++)
        contact_update(c, i);
    for (int i = c->contacts - 1; i >= 0; i--)
        contact_update(c, i);
    c->sweeps += 2;
}

/* How far contact k can go along d until it reaches the edge of its cone; those on the edge already are put back there. */
static double way_to_edge(const struct mbs_cone_contact *k, const double *P, const double *d)
{
    double bound = bound_of(k, P[0]), rate = k->normal ? k->mu * d[0] : 0;
    double pp = 0, pd = 0, dd = 0, most = k->normal && d[0] < 0 && P[0] > 0 ? -P[0] / d[0] : HUGE_VAL;

    for (int t = k->normal; t < size_of(k); t++) {
        pp += P[t] * P[t];
        pd += P[t] * d[t];
        dd += d[t] * d[t];
    }
    /* |P_T + t d_T|^2 = (bound + t rate)^2 */
    double a = dd - rate * rate, b = pd - bound * rate, c = pp - bound * bound, root = b * b - a * c;
    if (!(c < -1e-6 * bound * bound) || root < 0)
        return most;
    double t = b + sqrt(root) > 0 ? -c / (b + sqrt(root)) : HUGE_VAL;
    return fmin(most, t);
}

/* Where contacts hold a body so that what they ask for contradicts itself by a trifle, sweeps add the same self-stress d again and again, which moves
 * nothing, until some contact slides or opens.  It is then at the edge of its cone: so go there at once.  d: the change of the last pair of
 * sweeps, was: that of the pair before. */
static int ride(struct mbs_cone *c, const double *d, const double *was)
{
    double off = 0, size = 0, far = HUGE_VAL;

    for (int r = 0; r < c->rows; r++) {
        double x = c->scale[r] * d[r], y = c->scale[r] * (d[r] - was[r]);
        size += x * x;
        off += y * y;
    }
    if (!(off <= STEADY * STEADY * size))
        return 0;
    for (int i = 0; i < c->contacts; i++)
        far = fmin(far, way_to_edge(&c->at[i], c->P + c->at[i].first, d + c->at[i].first));
    if (!(far > 1 && far < HUGE_VAL))
        return 0;
    for (int r = 0; r < c->rows; r++)
        c->P[r] += far * d[r];
    project_all(c);
    push_all(c);
    return 1;
}

/* Keeps the impulses of the least certificate so far. */
static void keep_best(struct mbs_cone *c)
{
    if (!(c->residual < c->least))
        return;
    c->least = c->residual;
    memcpy(c->best_P, c->P, (size_t)c->rows * sizeof *c->P);
}

static void go_back(struct mbs_cone *c)
{
    memcpy(c->P, c->best_P, (size_t)c->rows * sizeof *c->P);
    push_all(c);
    certificate(c);
}

/* Sweeps alone, which leave self-stress at what they need of it; or with what can be learned from each pair: where self-stress ends, and leaps. */
enum way { SWEEPS, RIDES, LEAPS };

static void advance(struct mbs_cone *c, enum way way)
{
    double *swap = c->drift_before;

    c->drift_before = c->drift;
    c->drift = swap;
    memcpy(c->start_P, c->P, (size_t)c->rows * sizeof *c->P);
    sweep_pair(c);
    for (int r = 0; r < c->rows; r++)
        c->drift[r] = c->P[r] - c->start_P[r];
    if (way != SWEEPS && ride(c, c->drift, c->drift_before)) {
        mbs_anderson_forget(&c->anderson);
    } else if (way == LEAPS) {
        mbs_anderson_next(&c->anderson, c->scale, c->P, c->start_P);
        memcpy(c->P, c->start_P, (size_t)c->rows * sizeof *c->P);
        project_all(c);
        push_all(c);
    }
}

/* From the impulses as of now, as long as it gets better.  0, or 1: the certificate is not below tol. */
static int sweep_on(struct mbs_cone *c, double tol, int most, enum way way)
{
    static const int patience[] = { [SWEEPS] = 16 * STALLED, [RIDES] = 4 * STALLED, [LEAPS] = STALLED };
    double mine = HUGE_VAL;
    int since = 0;

    mbs_anderson_forget(&c->anderson);
    memset(c->drift, 0, (size_t)c->rows * sizeof *c->drift);
    for (int sweep = 0; certificate(c) > tol; sweep += 2, since += 2) {
        keep_best(c);
        if (c->residual < BETTER * mine) {
            mine = c->residual;
            since = 0;
        }
        if (sweep >= most || since > patience[way])
            return 1;
        advance(c, way);
    }
    return 0;
}

static int begin_sweeps(struct mbs_cone *c)
{
    own_blocks(c);
    for (int i = 0; i < c->contacts; i++)
        for (int r = 0; r < size_of(&c->at[i]); r++)
            c->scale[c->at[i].first + r] = sqrt(c->A[BLOCK * BLOCK * i + (BLOCK + 1) * r]);
    c->least = HUGE_VAL;
    return mbs_anderson_begin(&c->anderson, c->rows);
}

int mbs_cone_sweep(struct mbs_cone *c, double tol, int most)
{
    static const enum way ways[] = { LEAPS, LEAPS, RIDES, SWEEPS };

    if (begin_sweeps(c))
        return MBS_NO_MEMORY;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (i > 0) {            /* once more from nothing */
            memset(c->P, 0, (size_t)c->rows * sizeof *c->P);
            push_all(c);
        }
        if (sweep_on(c, tol, most, ways[i]) == 0)
            return 0;
        if (c->least <= c->enough)
            break;
    }
    go_back(c);
    return 1;
}

/* ---- Newton ---- */

enum mode { OPEN, STICKS, SLIDES };

/* By the projection that the certificate is made of, with the velocities it has left in u: a contact on the edge of its cone that does not
 * move sticks. */
static enum mode mode_of(const struct mbs_cone *c, const struct mbs_cone_contact *k)
{
    const double *P = c->P + k->first, *u = c->u + k->first, *A = c->A + BLOCK * BLOCK * (k - c->at);
    double sum = 0, bound = bound_of(k, P[0]), size = tangential_size(k, A);

    if (k->normal && !(P[0] > 0) && !(k->more > 0))
        return OPEN;
    for (int t = k->normal; t < size_of(k); t++)
        sum += (P[t] - u[t] / size) * (P[t] - u[t] / size);
    return k->tangents && sqrt(sum) > bound * (1 + 1e-6) ? SLIDES : STICKS;
}

/* Residual F and matrix J of the equations of the modes at P, whose velocities are in u; A is the operator on the n active rows. */
static void equations(const struct mbs_cone *c, int n, const int *row, const int *of, const double *A, const double *P, double *u, double *J, double *F)
{
    enum mode mode = OPEN;

    for (int i = 0; i < n; i++) {
        u[i] = c->b[row[i]];
        for (int j = 0; j < n; j++)
            u[i] += A[i * n + j] * P[j];
    }
    for (int i = 0; i < n; i++) {
        const struct mbs_cone_contact *k = &c->at[of[i]];
        int at = row[i] - k->first, base = i - at, tan = at - k->normal;        /* its rows stand together */
        double size = 0, scale = A[i * n + i];
        if (at == 0)
            mode = mode_of(c, k);
        if (k->normal && at == 0 && !(c->P[k->first] > 0)) {    /* nothing presses but what is known */
            F[i] = scale * P[i];
            memset(J + i * n, 0, (size_t)n * sizeof *J);
            J[i * n + i] = scale;
            continue;
        }
        if ((k->normal && at == 0) || mode == STICKS) {
            F[i] = u[i];
            memcpy(J + i * n, A + i * n, (size_t)n * sizeof *J);
            continue;
        }
        const double *s = u + base + k->normal;
        for (int t = 0; t < k->tangents; t++)
            size += s[t] * s[t];
        size = sqrt(size);
        double bound = bound_of(k, P[base]), d = size > 0 ? s[tan] / size : 0;
        F[i] = scale * (P[i] + bound * d);
        for (int j = 0; j < n; j++) {
            double slope = 0;
            for (int t = 0; size > 0 && t < k->tangents; t++)
                slope += ((t == tan) - d * s[t] / size) / size * A[(base + k->normal + t) * n + j];
            J[i * n + j] = scale * bound * slope;
        }
        J[i * n + i] += scale;
        if (k->normal)
            J[i * n + base] += scale * k->mu * d;
    }
}

/* 0: refined, or left as it was. */
static int refine(struct mbs_cone *c)
{
    int n = 0, *row, *of, *pivot;
    double *A, *J, *F, *P, *u, *colmax, last = HUGE_VAL, largest = 0;

    for (int i = 0; i < c->contacts; i++)
        n += mode_of(c, &c->at[i]) == OPEN ? 0 : size_of(&c->at[i]);
    if (n == 0 || n > DENSE_MOST)
        return 0;
    size_t need = 2 * (size_t)n * (size_t)n + 5 * (size_t)n + 2 * (size_t)n + 8;
    if ((long)need > c->room_newton) {
        double *more = realloc(c->newton, need * sizeof *more);
        if (!more)
            return MBS_NO_MEMORY;
        c->newton = more;
        c->room_newton = (long)need;
    }
    A = c->newton;
    J = A + n * n;
    F = J + n * n;
    P = F + n;
    u = P + n;
    colmax = u + n;
    row = (int *)(colmax + n);
    of = row + n;
    pivot = of + n;
    n = 0;
    for (int i = 0; i < c->contacts; i++)
        for (int r = 0; mode_of(c, &c->at[i]) != OPEN && r < size_of(&c->at[i]); r++) {
            row[n] = c->at[i].first + r;
            of[n++] = i;
        }
    memset(c->dv, 0, (size_t)c->n * sizeof *c->dv);
    for (int i = 0; i < n; i++) {
        P[i] = c->P[row[i]];
        for (int j = 0; j < n; j++)
            A[i * n + j] = coupling(c, row[i], row[j]);
        largest = fmax(largest, A[i * n + i]);
    }
    for (int iter = 0; iter < NEWTON; iter++) {
        double size = 0;
        equations(c, n, row, of, A, P, u, J, F);
        for (int i = 0; i < n; i++)
            size = fmax(size, fabs(F[i]));
        if (!(size < last) && iter > 3)
            break;
        last = fmin(last, size);
        if (size == 0)
            break;
        for (int i = 0; i < n; i++)     /* rows that depend on others share what they bear */
            J[i * n + i] += 1e-11 * largest;
        if (!(mbs_lu_real(n, J, pivot, colmax) > 0))
            break;
        mbs_lu_real_solve(n, J, pivot, F);
        for (int i = 0; i < n; i++)
            P[i] -= F[i];
    }
    for (int i = 0; i < n; i++)
        if (isfinite(P[i]))
            c->P[row[i]] = P[i];
    for (int i = 0; i < c->contacts; i++) {     /* the cone by a rounding error */
        struct mbs_cone_contact *k = &c->at[i];
        double *Q = c->P + k->first;
        if (k->normal && Q[0] < 0)
            Q[0] = 0;
        project(k, bound_of(k, Q[0]), Q + k->normal);
    }
    return 0;
}

/* A copy of P behind P. */
static int keep(struct mbs_cone *c)
{
    if (grow_rows(c, 2 * c->rows + 1))
        return MBS_NO_MEMORY;
    memcpy(c->P + c->rows, c->P, (size_t)c->rows * sizeof *c->P);
    return 0;
}

int mbs_cone_solve(struct mbs_cone *c, double tol, int most)
{
    double loose = 1e-3;

    for (int round = 0; round < ROUNDS; round++, loose *= 0.03) {
        double size = 0;
        for (int r = 0; r < c->rows; r++)
            size = fmax(size, fabs(c->b[r]));
        if (begin_sweeps(c))
            return MBS_NO_MEMORY;
        if (sweep_on(c, fmax(loose * size, tol), most, SWEEPS) == 0 && c->residual <= tol)
            return 0;
        if (c->least < c->residual)
            go_back(c);
        double before = c->residual;
        if (keep(c) || refine(c))
            return MBS_NO_MEMORY;
        own_blocks(c);
        if (certificate(c) <= tol)
            return 0;
        if (!(c->residual < before)) {
            memcpy(c->P, c->P + c->rows, (size_t)c->rows * sizeof *c->P);
            own_blocks(c);
            certificate(c);
        }
    }
    return 1;
}
