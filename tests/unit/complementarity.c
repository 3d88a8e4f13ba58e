/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Impulses with Coulomb friction as linear complementarity problems: bodies that stand on several points of a floor, hence with more
 * contacts than they need, tied to a mechanism (a random mass matrix), that slide with up to 10 m/s while they approach the floor with
 * next to nothing.  Impulses exist always: velocities are those of a body, and no impulse is its own complement.
 * Supports differ by 1e-6 in height, so that they are redundant but for 1e-12: pivoting in doubles may miss one in a thousand (the runtime then
 * takes sweeps, linalg/cone.c), but must not call wrong impulses right.
 * Tolerance: w >= 0, z >= 0, w'z = 0 to 1e-9 of the largest product of w = A z + b, row and column scaled to a diagonal of one. */
#include "../tap.h"
#include "hybrid/hybrid.h"
#include "work.h"

#include <stdlib.h>
#include <string.h>

enum { DOF = 3, MOST = 6, ORDER = 3 * MOST };
static unsigned seed = 1;

static double rnd(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (double)(seed >> 8) / (1 << 23) - 1;
}

/* K^-1 = R R' of a random R. */
static void mobility(double K[DOF][DOF])
{
    double R[DOF][DOF];

    for (int i = 0; i < DOF; i++)
        for (int j = 0; j < DOF; j++)
            R[i][j] = rnd() + 2 * (i == j);
    for (int i = 0; i < DOF; i++)
        for (int j = 0; j < DOF; j++) {
            K[i][j] = 0;
            for (int k = 0; k < DOF; k++)
                K[i][j] += 20 * R[i][k] * R[j][k];
        }
}

static double between(double K[DOF][DOF], const double *a, const double *b)
{
    double sum = 0;

    for (int i = 0; i < DOF; i++)
        for (int j = 0; j < DOF; j++)
            sum += a[i] * K[i][j] * b[j];
    return sum;
}

static double speed(const double *row, const double *v)
{
    return row[0] * v[0] + row[1] * v[1] + row[2] * v[2];
}

/* The problem at the top of hybrid/contact_laws.c; returns its order. */
static int problem(double *A, double *b, double slow)
{
    int contacts = 1 + (int)(MOST * 0.5 * (rnd() + 1)) % MOST, n = 3 * contacts;
    double K[DOF][DOF], N[MOST][DOF], T[MOST][DOF], c = 0.5 * fabs(rnd()), v[DOF] = { 10 * rnd(), slow * rnd(), slow * rnd() };

    mobility(K);
    memset(A, 0, (size_t)(n * n) * sizeof *A);
    for (int i = 0; i < contacts; i++) {
        double x = rnd(), y = 0.3 + 1e-6 * rnd();
        memcpy(N[i], (double[]){ 0, 1, x }, sizeof N[i]);
        memcpy(T[i], (double[]){ 1, 0, y }, sizeof T[i]);
    }
    for (int i = 0; i < contacts; i++) {
        for (int j = 0; j < contacts; j++) {
            A[3 * i * n + 3 * j] = between(K, N[i], N[j]) - c * between(K, N[i], T[j]);
            A[3 * i * n + 3 * j + 1] = between(K, N[i], T[j]);
            A[(3 * i + 1) * n + 3 * j] = between(K, T[i], N[j]) - c * between(K, T[i], T[j]);
            A[(3 * i + 1) * n + 3 * j + 1] = between(K, T[i], T[j]);
        }
        A[(3 * i + 1) * n + 3 * i + 2] = 1;
        A[(3 * i + 2) * n + 3 * i] = 2 * c;
        A[(3 * i + 2) * n + 3 * i + 1] = -1;
        b[3 * i] = speed(N[i], v);
        b[3 * i + 1] = speed(T[i], v);
        b[3 * i + 2] = 0;
    }
    return n;
}

/* Largest violation of the three conditions, relative. */
static double violation(int n, const double *A, const double *b, const double *z)
{
    double worst = 0, size = 0, scale[ORDER];

    for (int i = 0; i < n; i++)
        scale[i] = i % 3 < 2 ? sqrt(A[(i - i % 3 + 1) * n + i - i % 3 + 1]) : 1 / sqrt(A[(i - 1) * n + i - 1]);
    for (int i = 0; i < n; i++) {
        double w = b[i], sum = fabs(b[i]);
        for (int j = 0; j < n; j++) {
            w += A[i * n + j] * z[j];
            sum += fabs(A[i * n + j] * z[j]);
        }
        size = fmax(size, sum / scale[i]);
        worst = fmax(worst, fabs(fmin(z[i] * scale[i], w / scale[i])));
    }
    return size > 0 ? worst / size : worst;
}

static void test_slow(struct mbs_lemke *l, double slow)
{
    double A[ORDER * ORDER], b[ORDER], z[ORDER], worst = 0;
    int unsolved = 0, trials = 3000;

    for (int k = 0; k < trials; k++) {
        int n = problem(A, b, slow);
        if (mbs_lemke(l, n, A, b, z))
            unsolved++;
        else
            worst = fmax(worst, violation(n, A, b, z));
    }
    ok(unsolved <= trials / 1000, "sliding with 10, approaching with %g: impulses of %d of %d are found", slow, trials - unsolved, trials);
    ok(worst < 1e-9, "sliding with 10, approaching with %g: off by %.1e of the velocities at most", slow, worst);
}

int main(void)
{
    static char memory[1 << 16];
    struct mbs_work w = { .base = memory };
    struct mbs_lemke l;

    mbs_lemke_layout(&l, ORDER, &w);
    for (double slow = 10; slow > 1e-13; slow *= 1e-3)
        test_slow(&l, slow);
    return tap_done();
}
