/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Contacts with Coulomb friction of many bodies in space (linalg/cone.h): random bodies that approach each other and the ground at random places,
 * with one to four rows a contact.  What is found is held against the laws themselves, with velocities from dense matrices of this file's own.
 * Tolerance: the certificate e says by how much P may miss its projection P'.  Where |P_T'| is all that friction has, P_T - u_T/a = l P_T', l >= 1 (a: the size
 * of the contact's own operator): of a fast slip the direction is that of -P_T' but for e/(l - 1), of a slow one its part across P_T is no more than e l.
 * Either way every law below holds within twice the tolerance in units of velocity, a part of the largest one: 1e-3 where round bodies wedge each other
 * (as heaps ask for; sweeps may leave up to 2e-2 there, and say so), 1e-6 elsewhere, and 1e-11 by Newton. */
#include "../tap.h"
#include "linalg/cone.h"

#include <stdlib.h>
#include <string.h>

enum { BODIES = 12, DOF = 6 * BODIES, CONTACTS = 40, ROWS = 4 * CONTACTS };
static unsigned seed = 7;

static double rnd(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (double)(seed >> 8) / (1 << 23) - 1;
}

/* A problem of this file: rows of W, what a unit impulse along them does, velocities without impulses. */
struct heap {
    int contacts, rows;
    int first[CONTACTS], normal[CONTACTS], tangents[CONTACTS];
    double mu[CONTACTS], inverse[DOF];  /* of masses and moments of inertia */
    double W[ROWS][DOF], b[ROWS];
};

static void cross(const double *a, const double *b, double *c)
{
    for (int i = 0; i < 3; i++)
        c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* The velocity along d of the point at r of a body. */
static void row_of(double *W, int body, const double *d, const double *r, double sign)
{
    double turn[3];

    cross(r, d, turn);
    for (int i = 0; i < 3; i++) {
        W[6 * body + i] += sign * d[i];
        W[6 * body + 3 + i] += sign * turn[i];
    }
}

/* round: arms along the normal, as those of spheres.  rows: 1 a normal, 2 and one tangent, 3 and two, 4 and three that depend on each other, 0 two tangents
 * under a constant pressure. */
static void draw(struct heap *h, int contacts, int kind, int round)
{
    double v[DOF];

    memset(h, 0, sizeof *h);
    for (int i = 0; i < DOF; i++) {
        h->inverse[i] = i % 6 < 3 ? i % 3 ? h->inverse[i - 1] : 1 + 0.5 * rnd() : i % 6 > 3 ? h->inverse[i - 1] : 2.5 + rnd();
        v[i] = i % 3 == 2 ? -1 + 0.2 * rnd() : 0.5 * rnd();
    }
    for (int i = 0; i < contacts; i++) {
        int a = i % BODIES, other = i < BODIES ? -1 : (a + 1 + i / BODIES) % BODIES;
        double d[3][3], r[3], s[3], size = 0, up = 0;
        for (int k = 0; k < 3; k++) {
            d[0][k] = k == 2 ? 1 : 0.6 * rnd();
            d[1][k] = rnd();
            size += d[0][k] * d[0][k];
        }
        for (int k = 0; k < 3; k++) {
            d[0][k] /= sqrt(size);
            up += d[0][k] * d[1][k];
        }
        size = 0;
        for (int k = 0; k < 3; k++) {
            d[1][k] -= up * d[0][k];
            size += d[1][k] * d[1][k];
        }
        for (int k = 0; k < 3; k++) {
            d[1][k] /= sqrt(size);
            r[k] = round ? -d[0][k] : rnd();
            s[k] = round ? d[0][k] : rnd();
        }
        cross(d[0], d[1], d[2]);
        h->first[i] = h->rows;
        h->normal[i] = kind > 0;
        h->tangents[i] = kind == 0 ? 2 : kind - 1;
        h->mu[i] = 0.5 + 0.3 * rnd();
        for (int k = 0; k < h->normal[i] + h->tangents[i]; k++) {
            static const double axis[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
            double along[3], *W = h->W[h->rows];
            memcpy(along, d[h->normal[i] ? k % 3 : k + 1], sizeof along);
            if (kind == 4 && k > 0) {           /* the axes of space without what is normal: rank two */
                for (int m = 0; m < 3; m++)
                    along[m] = axis[k - 1][m] - d[0][k - 1] * d[0][m];
            }
            row_of(W, a, along, r, 1);
            if (other >= 0)
                row_of(W, other, along, s, -1);
            for (int m = 0; m < DOF; m++)
                h->b[h->rows] += W[m] * v[m];
            h->rows++;
        }
    }
    h->contacts = contacts;
}

/* Entries one by one; some in two halves, which must add up. */
static int give(const struct heap *h, struct mbs_cone *c)
{
    int status = mbs_cone_begin(c, DOF);

    for (int i = 0; i < h->contacts; i++) {
        status |= mbs_cone_contact(c, h->normal[i], h->tangents[i], h->mu[i], i);
        for (int r = h->first[i]; r < h->first[i] + h->normal[i] + h->tangents[i]; r++) {
            status |= mbs_cone_row(c, h->b[r], 0);
            for (int k = 0; k < DOF; k++)
                for (int half = 0; h->W[r][k] != 0 && half < 1 + k % 2; half++)
                    status |= mbs_cone_entry(c, k, h->W[r][k] / (1 + k % 2), h->W[r][k] * h->inverse[k] / (1 + k % 2));
        }
    }
    return status;
}

/* The largest violation of a law, in units of velocity; own: largest entry of the contact's tangential block. */
static double contact_off(const struct heap *h, int i, const double *P, const double *u, double stiff, double own, double tol)
{
    double off = 0, pp = 0, uu = 0, up = 0, bound = h->normal[i] ? h->mu[i] * P[0] : h->mu[i];
    const double *T = P + h->normal[i], *s = u + h->normal[i];

    if (h->normal[i])
        off = fmax(fmax(-u[0], -P[0] * stiff), fmin(u[0], P[0] * stiff));
    for (int t = 0; t < h->tangents[i]; t++) {
        pp += T[t] * T[t];
        uu += s[t] * s[t];
        up += s[t] * T[t];
    }
    if (h->tangents[i] == 0)
        return off;
    off = fmax(off, (sqrt(pp) - bound) * own);
    if (sqrt(uu) > own * sqrt(pp)) {    /* it slides fast: friction is all it has, against the slip */
        double miss = 0;
        for (int t = 0; t < h->tangents[i]; t++)
            miss += (T[t] + bound * s[t] / sqrt(uu)) * (T[t] + bound * s[t] / sqrt(uu));
        return fmax(off, sqrt(miss) * own);
    }
    if (sqrt(uu) > 2 * tol) {           /* it slides slowly: the slip is nowhere but against the friction, which is all it has */
        double across = 0;
        for (int t = 0; t < h->tangents[i]; t++)
            across += (s[t] - up * T[t] / pp) * (s[t] - up * T[t] / pp);
        off = fmax(off, fmax((bound - sqrt(pp)) * own, fmax(up / sqrt(pp), sqrt(across))));
    }
    return off;
}

/* Of all laws; the change of velocities that is given with P must be the one that P makes. */
static double violation(const struct heap *h, const double *P, const double *given, double tol)
{
    double dv[DOF] = { 0 }, u[ROWS], worst = 0;

    for (int r = 0; r < h->rows; r++)
        for (int k = 0; k < DOF; k++)
            dv[k] += h->inverse[k] * h->W[r][k] * P[r];
    for (int k = 0; k < DOF; k++)
        worst = fmax(worst, fabs(dv[k] - given[k]) * (tol > 1e-9 ? 1e6 : 1));
    for (int r = 0; r < h->rows; r++) {
        u[r] = h->b[r];
        for (int k = 0; k < DOF; k++)
            u[r] += h->W[r][k] * dv[k];
    }
    for (int i = 0; i < h->contacts; i++) {
        double stiff = 0, own = 0;
        for (int k = 0; k < DOF; k++)
            stiff += h->W[h->first[i]][k] * h->W[h->first[i]][k] * h->inverse[k];
        for (int t = h->first[i] + h->normal[i]; t < h->first[i] + h->normal[i] + h->tangents[i]; t++) {
            double sum = 0;
            for (int s = h->first[i] + h->normal[i]; s < h->first[i] + h->normal[i] + h->tangents[i]; s++) {
                double a = 0;
                for (int k = 0; k < DOF; k++)
                    a += h->W[t][k] * h->W[s][k] * h->inverse[k];
                sum += fabs(a);
            }
            own = fmax(own, sum);
        }
        worst = fmax(worst, contact_off(h, i, P + h->first[i], u + h->first[i], stiff, own, tol));
    }
    return worst;
}

static void test(int contacts, int kind, int round, double tol)
{
    static struct heap h;
    static struct mbs_cone c;
    int unsolved = 0, trials = 40, memory = 0;
    double worst = 0, left = 0;

    memset(&c, 0, sizeof c);
    for (int k = 0; k < trials; k++) {
        double size = 0;
        draw(&h, contacts, kind, round);
        for (int r = 0; r < h.rows; r++)
            size = fmax(size, fabs(h.b[r]));
        memory |= give(&h, &c);
        if (tol < 1e-9 ? mbs_cone_solve(&c, tol * size, 2000) : mbs_cone_sweep(&c, tol * size, 2000))
            unsolved++, left = fmax(left, c.residual / size);
        else
            worst = fmax(worst, violation(&h, c.P, c.dv, tol * size) / (tol * size));
    }
    mbs_cone_free(&c);
    ok(!memory && (round ? left <= 2e-2 : !unsolved), "%d contacts of kind %d%s: %d of %d are solved to %g, the others to %.2g", contacts, kind,
       round ? ", round" : "", trials - unsolved, trials, tol, left);
    ok(worst <= 2, "%d contacts of kind %d%s: the laws hold within %.2g of their tolerances", contacts, kind, round ? ", round" : "", worst);
}

int main(void)
{
    for (int kind = 0; kind <= 4; kind++) {
        test(CONTACTS, kind, 1, 1e-3);
        test(CONTACTS, kind, 0, 1e-6);
        test(5, kind, 0, 1e-11);
    }
    return tap_done();
}
