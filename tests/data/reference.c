/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How the references of this directory that are marked "128-bit" were made: the hand-written
 * equations of models/hand with __float128 for double and exact decimal constants, index-1 form
 * (accelerations and multipliers by a linear solve in each evaluation), Gragg-Bulirsch-Stoer
 * extrapolation of order 24 with step control.  Not part of the build; reference.sh runs it.
 *
 * HAND is the file with the equations, rewritten by reference.sh; SQUEEZER or CRANK says which. */
#include <math.h>
#include <quadmath.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define double __float128
#define sin sinq
#define cos cosq
#define sqrt sqrtq
#include HAND
#undef double

typedef __float128 Real;
enum { NQ = 7, NY = 2*NQ, COLUMNS = 12 };
#ifdef SQUEEZER
enum { NG = 6 };
#else
enum { NG = 3 };
#endif
enum { N = NQ + NG };

static long evaluations;

/* (a, lambda) at (t, q, v) by elimination with row pivoting */
static void accelerations(Real t, const Real *q, const Real *v, Real *b)
{
    Real M[NQ*NQ] = {0}, f[NQ] = {0}, g[NG] = {0}, G[NG*NQ] = {0}, gamma[NG] = {0}, A[N][N];
    hand_all(&t, q, v, NULL, M, f, g, G, gamma);
    evaluations++;
    memset(A, 0, sizeof A);
    for (int j = 0; j < NQ; j++) {
        for (int i = j; i < NQ; i++)
            A[i][j] = A[j][i] = M[NQ*j + i];
        for (int i = 0; i < NG; i++)
            A[NQ + i][j] = A[j][NQ + i] = G[NG*j + i];
        b[j] = f[j];
    }
    for (int i = 0; i < NG; i++)
        b[NQ + i] = -gamma[i];
    for (int k = 0; k < N; k++) {
        int best = k;
        for (int i = k + 1; i < N; i++)
            best = fabsq(A[i][k]) > fabsq(A[best][k]) ? i : best;
        for (int j = 0; j < N && best != k; j++) {
            Real s = A[k][j];
            A[k][j] = A[best][j], A[best][j] = s;
        }
        Real s = b[k];
        b[k] = b[best], b[best] = s;
        for (int i = k + 1; i < N; i++) {
            Real l = A[i][k]/A[k][k];
            if (l == 0)
                continue;
            for (int j = k; j < N; j++)
                A[i][j] -= l*A[k][j];
            b[i] -= l*b[k];
        }
    }
    for (int i = N - 1; i >= 0; i--) {
        for (int j = i + 1; j < N; j++)
            b[i] -= A[i][j]*b[j];
        b[i] /= A[i][i];
    }
}

static void rate(Real t, const Real *y, Real *dy)
{
    Real x[N];
    accelerations(t, y, y + NQ, x);
    memcpy(dy, y + NQ, NQ*sizeof *dy);
    memcpy(dy + NQ, x, NQ*sizeof *dy);
}

/* Modified midpoint rule with n substeps. */
static void midpoint(Real t, const Real *y0, const Real *d0, Real H, int n, Real *y)
{
    Real h = H/n, a[NY], b[NY], d[NY];
    for (int i = 0; i < NY; i++)
        a[i] = y0[i], b[i] = y0[i] + h*d0[i];
    for (int k = 1; k < n; k++) {
        rate(t + k*h, b, d);
        for (int i = 0; i < NY; i++) {
            Real next = a[i] + 2*h*d[i];
            a[i] = b[i], b[i] = next;
        }
    }
    memcpy(y, b, NY*sizeof *y);
}

/* One step of size H with all columns; returns the scaled difference of the last two. */
static Real extrapolate(Real t, const Real *y0, Real H, Real *out)
{
    static Real T[COLUMNS][NY];
    Real d0[NY], err = 0;
    rate(t, y0, d0);
    for (int j = 0; j < COLUMNS; j++) {
        Real row[NY], next[NY];
        midpoint(t, y0, d0, H, 2*(j + 1), row);
        for (int k = 0; k < j; k++) {
            Real ratio = (Real)(j + 1)/(j - k);
            for (int i = 0; i < NY; i++) {
                next[i] = row[i] + (row[i] - T[k][i])/(ratio*ratio - 1);
                T[k][i] = row[i];
                if (j == COLUMNS - 1 && k == j - 1)
                    err = fmaxq(err, fabsq(next[i] - row[i])/(1e-6Q + fabsq(y0[i])));
            }
            memcpy(row, next, sizeof row);
        }
        memcpy(T[j], row, sizeof row);
    }
    memcpy(out, T[COLUMNS - 1], NY*sizeof *out);
    return err;
}

static void integrate(Real *y, Real end, Real tol, Real H)
{
    Real t = 0, next[NY];
    long steps = 0, rejected = 0;
    while (t < end) {
        if (t + H*1.0000001Q > end)
            H = end - t;
        Real err = extrapolate(t, y, H, next);
        Real factor = 0.9Q*powq(tol/fmaxq(err, 1e-40Q), 1/(2*COLUMNS - 1.0Q));
        factor = factor > 2 ? 2 : factor < 0.2Q ? 0.2Q : factor;
        if (err <= tol) {
            t += H, steps++;
            memcpy(y, next, NY*sizeof *y);
        } else {
            rejected++;
        }
        H *= factor;
    }
    fprintf(stderr, "%ld steps, %ld rejected, %ld evaluations\n", steps, rejected, evaluations);
}

static void show(const Real *y, Real t, Real *out)
{
    memcpy(out, y, NY*sizeof *out);
    accelerations(t, y, y + NQ, out + NY);
}

#ifdef SQUEEZER
static const char *const coord_name[NQ] = {"beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon"};
static const char *const row_name[NG] = {"loopB.x", "loopB.y", "loopA4.x", "loopA4.y", "loopA6.x", "loopA6.y"};
static const Real end_time = 0.03Q;
static void start(Real *y)
{
    static const Real q[NQ] = {-0.0617138900142764496358948458001Q, 0, 0.455279819163070380255912382449Q,
                               0.222668390165885884674473185609Q, 0.487364979543842550225598953530Q,
                               -0.222668390165885884674473185609Q, 1.23054744454982119249735015568Q};
    memcpy(y, q, sizeof q);
}
#else
static const char *const coord_name[NQ] = {"phi1", "phi2", "x3", "q[1]", "q[2]", "q[3]", "q[4]"};
static const char *const row_name[NG] = {"height", "slider", "drive"};
static const Real end_time = 0.1Q;
static void start(Real *y)
{
#ifdef RIGID
    y[2] = 0.45Q, y[7] = 150, y[8] = -75;
#else
    static const Real y0[NY] = {0, 0, .450016933Q, 0, 0, .103339863e-4Q, .169327969e-4Q, 150, -74.99576703969453Q,
                                -.2689386719979040e-5Q, .4448961125815990Q, .4634339319238670e-2Q,
                                -.1785910760000550e-5Q, -.2689386719979040e-5Q};
    memcpy(y, y0, sizeof y0);
    /* velocity constraints to the last digit */
    y[8] = -0.15Q*150/(0.30Q + y[6]);
    y[9] = y[13];
#endif
}
#endif

int main(int argc, char **argv)
{
    Real y[NY] = {0}, first[NY + N], last[NY + N];
    char a[64], b[64], name[64];
    start(y);
    show(y, 0, first);
    integrate(y, end_time, argc > 1 ? strtoflt128(argv[1], NULL) : 1e-21Q, 1e-6Q);
    show(y, end_time, last);
    for (int i = 0; i < NY + N; i++) {
        if (i < 3*NQ)
            snprintf(name, sizeof name, "%s%.*s", coord_name[i % NQ], i/NQ, "''");
        else
            snprintf(name, sizeof name, "lambda[%s]", row_name[i - 3*NQ]);
        quadmath_snprintf(a, sizeof a, "%.33QE", last[i]);
        quadmath_snprintf(b, sizeof b, "%.33QE", first[i]);
        printf("%-18s %41s %41s\n", name, a, b);
    }
    return 0;
}
