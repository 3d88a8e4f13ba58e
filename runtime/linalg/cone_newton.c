/* SPDX-License-Identifier: MIT
 *
 * Contacts with friction to the last digits: sweeps find who is open, sticks and slides, Newton solves the equations of that
 * (doc/design/0015-events.md). */
#include "linalg/cone_inner.h"
#include "linalg/dense.h"
#include "mbs/mbs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 6, NEWTON = 30, DENSE_MOST = 600 };

enum mode { OPEN, STICKS, SLIDES };

/* By the projection that the certificate is made of, with the velocities it has left in u: a contact on the edge of its cone that does not
 * move sticks. */
static enum mode mode_of(const struct mbs_cone *c, const struct mbs_cone_contact *k)
{
    const double *P = c->P + k->first, *u = c->u + k->first;
    double sum = 0, bound = mbs_cone_bound(k, P[0]);

    if (k->normal && !(P[0] > 0) && !(k->more > 0))
        return OPEN;
    for (int t = k->normal; t < mbs_cone_size(k); t++)
        sum += (P[t] - u[t] / k->across) * (P[t] - u[t] / k->across);
    return k->tangents && sqrt(sum) > bound * (1 + 1e-6) ? SLIDES : STICKS;
}

/* Work for n active rows. */
struct newton {
    int n;
    double *A, *J, *F, *P, *u, *colmax;
    int *row, *of, *pivot;      /* rows of the problem, and the contacts they are of */
};

/* Residual F and matrix J of the equations of the modes at P, whose velocities are in u; A is the operator on the active rows. */
static void equations(const struct mbs_cone *c, struct newton *w)
{
    const double *A = w->A, *P = w->P;
    double *u = w->u, *J = w->J, *F = w->F;
    const int *row = w->row, *of = w->of;
    int n = w->n;
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
        double bound = mbs_cone_bound(k, P[base]), d = size > 0 ? s[tan] / size : 0;
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

/* 0 or MBS_NO_MEMORY. */
static int newton_room(struct mbs_cone *c, struct newton *w)
{
    size_t n = (size_t)w->n, need = 2 * n * n + 6 * n + 8;

    if ((long)need > c->room_newton) {
        double *more = realloc(c->newton, need * sizeof *more);
        if (!more)
            return MBS_NO_MEMORY;
        c->newton = more;
        c->room_newton = (long)need;
    }
    w->A = c->newton;
    w->J = w->A + n * n;
    w->F = w->J + n * n;
    w->P = w->F + n;
    w->u = w->P + n;
    w->colmax = w->u + n;
    w->row = (int *)(w->colmax + n);
    w->of = w->row + n;
    w->pivot = w->of + n;
    return 0;
}

/* Which rows are active, and the operator on them, column by column. */
static void newton_rows(struct mbs_cone *c, struct newton *w)
{
    int n = 0;

    for (int i = 0; i < c->contacts; i++)
        for (int r = 0; mode_of(c, &c->at[i]) != OPEN && r < mbs_cone_size(&c->at[i]); r++, n++) {
            w->row[n] = c->at[i].first + r;
            w->of[n] = i;
            w->P[n] = c->P[w->row[n]];
        }
    for (int j = 0; j < n; j++) {
        const struct mbs_cone_contact *k = &c->at[w->of[j]];
        double unit[MBS_CONE_ROWS] = { 0 };
        unit[w->row[j] - k->first] = 1;
        memset(c->dv, 0, (size_t)c->n * sizeof *c->dv);
        mbs_cone_push(c, k, unit);
        for (int i = 0; i < n; i += mbs_cone_size(&c->at[w->of[i]])) {
            double u[MBS_CONE_ROWS] = { 0 };
            mbs_cone_velocity(c, &c->at[w->of[i]], u);
            for (int r = 0; r < mbs_cone_size(&c->at[w->of[i]]); r++)
                w->A[(i + r) * n + j] = u[r];
        }
    }
}

/* Newton from the impulses as of now, as long as it comes nearer. */
static void newton_steps(const struct mbs_cone *c, struct newton *w)
{
    double last = HUGE_VAL, largest = 0;
    int n = w->n;

    for (int i = 0; i < n; i++)
        largest = fmax(largest, w->A[i * n + i]);
    for (int iter = 0; iter < NEWTON; iter++) {
        double size = 0;
        equations(c, w);
        for (int i = 0; i < n; i++)
            size = fmax(size, fabs(w->F[i]));
        if ((!(size < last) && iter > 3) || size == 0)
            break;
        last = fmin(last, size);
        for (int i = 0; i < n; i++)     /* rows that depend on others share what they bear */
            w->J[i * n + i] += 1e-11 * largest;
        if (!(mbs_lu_real(n, w->J, w->pivot, w->colmax) > 0))
            break;
        mbs_lu_real_solve(n, w->J, w->pivot, w->F);
        for (int i = 0; i < n; i++)
            w->P[i] -= w->F[i];
    }
}

/* P becomes what Newton finds, in its cones.  0 or MBS_NO_MEMORY. */
static int refine(struct mbs_cone *c)
{
    struct newton w = { 0 };

    for (int i = 0; i < c->contacts; i++)
        w.n += mode_of(c, &c->at[i]) == OPEN ? 0 : mbs_cone_size(&c->at[i]);
    if (w.n == 0 || w.n > DENSE_MOST)
        return 0;
    if (newton_room(c, &w))
        return MBS_NO_MEMORY;
    newton_rows(c, &w);
    newton_steps(c, &w);
    for (int i = 0; i < w.n; i++)
        if (isfinite(w.P[i]))
            c->P[w.row[i]] = w.P[i];
    mbs_cone_project_all(c);
    return 0;
}

int mbs_cone_solve(struct mbs_cone *c, double tol, int most)
{
    double loose = 1e-3, size = 0;

    for (int r = 0; r < c->rows; r++)
        size = fmax(size, fabs(c->b[r]));
    for (int round = 0; round < ROUNDS; round++, loose *= 0.03) {
        int status = mbs_cone_sweep_plainly(c, fmax(loose * size, tol), most);
        if (status < 0 || c->residual <= tol)
            return status < 0 ? status : 0;
        double before = c->residual;
        memcpy(c->start_P, c->P, (size_t)c->rows * sizeof *c->P);
        if (refine(c))
            return MBS_NO_MEMORY;
        mbs_cone_push_all(c);
        if (mbs_cone_certificate(c) <= tol)
            return 0;
        if (!(c->residual < before)) {
            memcpy(c->P, c->start_P, (size_t)c->rows * sizeof *c->P);
            mbs_cone_push_all(c);
            mbs_cone_certificate(c);
        }
    }
    return 1;
}
