/* SPDX-License-Identifier: MIT
 *
 * Contacts with friction by block Gauss-Seidel, and what can be learned from its sweeps (doc/design/0015-events.md). */
#include "linalg/cone_inner.h"
#include "mbs/mbs.h"

#include <math.h>
#include <string.h>

enum { STALLED = 60 };
static const double BETTER = 0.9;       /* a certificate that does not become so much less in STALLED sweeps does not become less */
static const double STEADY = 0.1;       /* changes of two pairs of sweeps that differ by less are the same */
static const double NEVER = 1e6;        /* so many pairs of sweeps: an edge there is a direction along the cone, but for rounding */

/* ---- one contact ---- */

/* A normal and one tangent: open, stick, slide either way; u is that at P.  0: none of them fits. */
static int local_plane(const struct mbs_cone_contact *k, const double *u, double *P)
{
    double a = k->A[0][0], b = k->A[0][1], c = k->A[1][0], d = k->A[1][1], mu = k->mu, det = a * d - c * b;
    double bN = u[0] - a * P[0] - b * P[1], bT = u[1] - c * P[0] - d * P[1];

    if (bN >= 0) {
        P[0] = P[1] = 0;
        return 1;
    }
    if (det > 1e-14 * a * d) {
        double N = (-bN * d + bT * b) / det, T = (-bT * a + bN * c) / det;
        if (N >= 0 && fabs(T) <= mu * N) {
            P[0] = N;
            P[1] = T;
            return 1;
        }
    }
    for (int side = -1; side <= 1; side += 2) {         /* the sign of P_T */
        double den = a + side * mu * b, N = -bN / den;
        if (den > 0 && side * (bT + c * N + d * side * mu * N) <= 0) {
            P[0] = N;
            P[1] = side * mu * N;
            return 1;
        }
    }
    return 0;
}

/* A projection of the normal impulse, then one of the tangents, with velocities u at P; what u changes by is left to the caller but for what
 * the normal does to the tangents. */
static void project_once(const struct mbs_cone_contact *k, double *u, double *P)
{
    double N = P[0] - u[0] / k->A[0][0], step = (N > 0 ? N : 0) - P[0], r = k->across > 0 ? 1 / k->across : 0;

    if (k->normal) {
        P[0] += step;
        for (int i = 0; i < MBS_CONE_ROWS; i++)
            u[i] += k->A[i][0] * step;
    }
    for (int t = k->normal; t < mbs_cone_size(k); t++)
        P[t] -= r * u[t];
    mbs_cone_project(k, mbs_cone_bound(k, P[0]), P + k->normal);
}

/* Projections within the block, each from the velocities that the last one leaves. */
static void local_project(const struct mbs_cone_contact *k, double *u, double *P)
{
    double at[MBS_CONE_ROWS];

    for (int round = 1;; round++) {
        memcpy(at, P, sizeof at);
        project_once(k, u, P);
        if (round >= k->rounds || !memcmp(at, P, sizeof at))
            return;
        for (int t = k->normal; t < mbs_cone_size(k); t++)
            for (int i = 0; i < MBS_CONE_ROWS; i++)
                u[i] += k->A[i][t] * (P[t] - at[t]);
    }
}

static void contact_update(struct mbs_cone *c, const struct mbs_cone_contact *k)
{
    static const double nothing[MBS_CONE_ROWS];
    double u[MBS_CONE_ROWS] = { 0 }, P[MBS_CONE_ROWS] = { 0 }, change[MBS_CONE_ROWS], *own = c->P + k->first;
    int n = mbs_cone_size(k);

    if (k->normal && !(k->A[0][0] > 0))
        return;
    for (int r = 0; r < n; r++) {
        u[r] = c->b[k->first + r];
        P[r] = own[r];
    }
    mbs_cone_velocity(c, k, u);
    memcpy(change, P, sizeof change);
    if (!(k->normal && k->tangents == 1 && k->more == 0 && local_plane(k, u, P)))
        local_project(k, u, P);
    for (int r = 0; r < MBS_CONE_ROWS; r++)
        change[r] = P[r] - change[r];
    if (!memcmp(change, nothing, sizeof change))
        return;
    memcpy(own, P, (size_t)n * sizeof *own);
    mbs_cone_push(c, k, change);
}

/* ---- sweeps ---- */

/* There and back: what rests on something hears of it at once. */
static void sweep_pair(struct mbs_cone *c)
{
    for (int i = 0; i < c->contacts; i++)
        contact_update(c, &c->at[i]);
    for (int i = c->contacts - 1; i >= 0; i--)
        contact_update(c, &c->at[i]);
    c->sweeps += 2;
}

/* How far contact k can go along d until it reaches the edge of its cone; those on the edge already are put back there. */
static double way_to_edge(const struct mbs_cone_contact *k, const double *P, const double *d)
{
    double bound = mbs_cone_bound(k, P[0]), rate = k->normal ? k->mu * d[0] : 0;
    double pp = 0, pd = 0, dd = 0, most = k->normal && d[0] < 0 && P[0] > 0 ? -P[0] / d[0] : HUGE_VAL;

    for (int t = k->normal; t < mbs_cone_size(k); t++) {
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
    if (!(far > 1 && far < NEVER))
        return 0;
    for (int r = 0; r < c->rows; r++)
        c->P[r] += far * d[r];
    mbs_cone_project_all(c);
    mbs_cone_push_all(c);
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
    mbs_cone_push_all(c);
    mbs_cone_certificate(c);
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
    } else if (way == LEAPS && mbs_anderson_next(&c->anderson, c->scale, c->P, c->start_P)) {
        memcpy(c->P, c->start_P, (size_t)c->rows * sizeof *c->P);
        mbs_cone_project_all(c);
        mbs_cone_push_all(c);
    }
}

/* Impulses are pushed one after the other, and of a leap to large ones that did not pay rounding errors stay behind in the velocities: what counts is the
 * certificate with those that P makes. */
static int certified(struct mbs_cone *c, double tol, int swept)
{
    if (mbs_cone_certificate(c) <= tol && swept) {
        mbs_cone_push_all(c);
        mbs_cone_certificate(c);
    }
    return c->residual <= tol;
}

/* From the impulses as of now, as long as it gets better.  0, or 1: the certificate is not below tol. */
static int sweep_on(struct mbs_cone *c, double tol, int most, enum way way)
{
    static const int patience[] = { [SWEEPS] = 16 * STALLED, [RIDES] = 4 * STALLED, [LEAPS] = STALLED };
    double mine = HUGE_VAL;
    int since = 0;

    if (c->rows == 0) {         /* nothing touches; there is no memory yet either */
        c->residual = 0;
        return 0;
    }
    mbs_anderson_forget(&c->anderson);
    memset(c->drift, 0, (size_t)c->rows * sizeof *c->drift);
    for (int sweep = 0; !certified(c, tol, sweep > 0); sweep += 2, since += 2) {
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
    mbs_cone_ready(c);
    for (int i = 0; i < c->contacts; i++)
        for (int r = 0; r < mbs_cone_size(&c->at[i]); r++)
            c->scale[c->at[i].first + r] = sqrt(c->at[i].A[r][r]);
    c->least = HUGE_VAL;
    return mbs_anderson_begin(&c->anderson, c->rows);
}

int mbs_cone_sweep_plainly(struct mbs_cone *c, double tol, int most)
{
    if (begin_sweeps(c))
        return MBS_NO_MEMORY;
    if (sweep_on(c, tol, most, SWEEPS) == 0)
        return 0;
    if (c->least < c->residual)
        go_back(c);
    return 1;
}

int mbs_cone_sweep(struct mbs_cone *c, double tol, int most)
{
    static const struct {
        enum way way;
        int anew;               /* from nothing, else from the best so far */
    } then[] = { { RIDES, 0 }, { LEAPS, 0 }, { RIDES, 0 }, { LEAPS, 1 }, { SWEEPS, 0 } };

    if (begin_sweeps(c))
        return MBS_NO_MEMORY;
    if (sweep_on(c, tol, most, LEAPS) == 0)
        return 0;
    for (size_t i = 0; c->least > c->enough && i < sizeof then / sizeof *then; i++) {
        if (then[i].anew)
            memset(c->P, 0, (size_t)c->rows * sizeof *c->P);
        else
            memcpy(c->P, c->best_P, (size_t)c->rows * sizeof *c->P);
        mbs_cone_push_all(c);
        if (sweep_on(c, tol, most, then[i].way) == 0)
            return 0;
    }
    go_back(c);
    return 1;
}
