/* SPDX-License-Identifier: MIT
 *
 * Eigenvalues of a real matrix: scaling, Householder reduction to Hessenberg form, double-shift QR (Golub & Van Loan,
 * Matrix Computations, 7.4 and 7.5); eigenvectors by inverse iteration on the Hessenberg form, where one costs n^2.
 * GSL and LAPACK have the same; GSL's ends the program through a handler that belongs to the whole process when memory
 * is short or an iteration fails, which a library must not do, and LAPACK is optional here. */
#include "linalg/eigen.h"
#include "mbs/mbs.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS = 60 };       /* for one eigenvalue; three are usual */

/* A = D^-1 A D with powers of two in D, so that rows and columns have norms of about the same size. */
static void scale(int n, double *A, double *D)
{
    int again = 1;

    for (int i = 0; i < n; i++)
        D[i] = 1;
    for (int round = 0; again && round < 100; round++) {
        again = 0;
        for (int i = 0; i < n; i++) {
            double row = 0, col = 0, f = 1;
            int e;
            for (int j = 0; j < n; j++) {
                row += j == i ? 0 : fabs(A[i * n + j]);
                col += j == i ? 0 : fabs(A[j * n + i]);
            }
            if (row == 0 || col == 0)
                continue;
            frexp(sqrt(row / col), &e);
            f = ldexp(1, e);
            if (col * f + row / f >= 0.95 * (row + col) || !isfinite(D[i] * f))
                continue;
            again = 1;
            D[i] *= f;
            for (int j = 0; j < n; j++)
                A[i * n + j] /= f;
            for (int j = 0; j < n; j++)
                A[j * n + i] *= f;
        }
    }
}

/* x := w with (I - tau w w') x = -+|x| e1; w[0] = 1.  Returns tau; 0: nothing to do. */
static double reflector(int n, double *x)
{
    double big = 0, rest = 0, alpha, tau;

    for (int i = 0; i < n; i++)
        big = fmax(big, fabs(x[i]));
    if (n < 2 || big == 0)
        return 0;
    for (int i = 0; i < n; i++)
        x[i] /= big;
    for (int i = 1; i < n; i++)
        rest = hypot(rest, x[i]);
    if (rest == 0)
        return 0;
    alpha = x[0] > 0 ? -hypot(x[0], rest) : hypot(x[0], rest);
    tau = (alpha - x[0]) / alpha;
    for (int i = 1; i < n; i++)
        x[i] /= x[0] - alpha;
    x[0] = 1;
    return tau;
}

/* Rows at .. at+k-1, columns from .. to-1 of A from the left; columns at .. at+k-1, rows from .. to-1 from the right. */
static void reflect_left(double *A, int n, int at, int k, const double *w, double tau, int from, int to)
{
    for (int j = from; j < to; j++) {
        double s = 0;
        for (int i = 0; i < k; i++)
            s += w[i] * A[(at + i) * n + j];
        for (int i = 0; i < k; i++)
            A[(at + i) * n + j] -= tau * s * w[i];
    }
}

static void reflect_right(double *A, int n, int at, int k, const double *w, double tau, int from, int to)
{
    for (int i = from; i < to; i++) {
        double s = 0, *row = A + i * n + at;
        for (int j = 0; j < k; j++)
            s += w[j] * row[j];
        for (int j = 0; j < k; j++)
            row[j] -= tau * s * w[j];
    }
}

/* A = Q H Q' */
static void hessenberg(int n, double *A, double *Q, double *w)
{
    memset(Q, 0, (size_t)n * (size_t)n * sizeof *Q);
    for (int i = 0; i < n; i++)
        Q[i * n + i] = 1;
    for (int k = 0; k + 2 < n; k++) {
        int len = n - k - 1;
        double tau;
        for (int i = 0; i < len; i++)
            w[i] = A[(k + 1 + i) * n + k];
        if ((tau = reflector(len, w)) == 0)
            continue;
        reflect_left(A, n, k + 1, len, w, tau, k, n);
        reflect_right(A, n, k + 1, len, w, tau, 0, n);
        reflect_right(Q, n, k + 1, len, w, tau, 0, n);
        for (int i = k + 2; i < n; i++)
            A[i * n + k] = 0;
    }
}

/* Both eigenvalues of [a b; c d]. */
static void two_by_two(double a, double b, double c, double d, double *re, double *im)
{
    double p = (a - d) / 2, q = p * p + b * c;

    if (q < 0) {
        re[0] = re[1] = d + p;
        im[0] = sqrt(-q);
        im[1] = -im[0];
        return;
    }
    q = p + (p < 0 ? -sqrt(q) : sqrt(q));
    re[0] = d + q;
    re[1] = q != 0 ? d - b * c / q : re[0];
    im[0] = im[1] = 0;
}

/* One double step on rows and columns lo .. hi with the shifts of trace s and determinant t. */
static void double_step(int n, double *H, int lo, int hi, double s, double t)
{
    double w[3], tau;
    const double *h = H + lo * n + lo;

    w[0] = h[0] * h[0] + h[1] * h[n] - s * h[0] + t;
    w[1] = h[n] * (h[0] + h[n + 1] - s);
    w[2] = h[n] * h[2 * n + 1];
    for (int k = lo; k < hi; k++) {
        int len = hi - k < 2 ? 2 : 3, last = k + 3 < hi ? k + 3 : hi;
        if (k > lo)
            for (int i = 0; i < len; i++)
                w[i] = H[(k + i) * n + k - 1];
        tau = reflector(len, w);
        if (tau != 0) {
            reflect_left(H, n, k, len, w, tau, k > lo ? k - 1 : lo, hi + 1);
            reflect_right(H, n, k, len, w, tau, lo, last + 1);
        }
        if (k > lo)
            for (int i = 1; i < len; i++)
                H[(k + i) * n + k - 1] = 0;
    }
}

static int qr_values(int n, double *H, double *re, double *im)
{
    int hi = n - 1, iteration = 0;
    double norm = 0;

    for (int i = 0; i < n; i++)
        for (int j = i > 0 ? i - 1 : 0; j < n; j++)
            norm = fmax(norm, fabs(H[i * n + j]));
    while (hi >= 0) {
        double *h = H + hi * n + hi, s, t;
        int lo = hi;
        for (; lo > 0; lo--) {
            double size = fabs(H[(lo - 1) * n + lo - 1]) + fabs(H[lo * n + lo]);
            if (fabs(H[lo * n + lo - 1]) <= DBL_EPSILON * (size > 0 ? size : norm))
                break;
        }
        if (lo >= hi - 1) {
            if (lo == hi) {
                re[hi] = h[0];
                im[hi] = 0;
            } else {
                two_by_two(h[-n - 1], h[-n], h[-1], h[0], re + lo, im + lo);
            }
            hi = lo - 1;
            iteration = 0;
            continue;
        }
        if (iteration++ == ITERATIONS)
            return MBS_NO_CONVERGENCE;
        s = h[-n - 1] + h[0];
        t = h[-n - 1] * h[0] - h[-n] * h[-1];
        if (iteration % 10 == 0) {      /* shifts out of the blue where these go round in circles */
            double size = fabs(h[-1]) + fabs(H[(hi - 1) * n + hi - 2]);
            s = 1.5 * size;
            t = size * size;
        }
        double_step(n, H, lo, hi, s, t);
    }
    return 0;
}

/* y with (H - s I) y small: two solutions with the triangular factors. */
static void inverse_iteration(int n, const double *H, double complex s, double tiny, double complex *U, double complex *l, int *swap,
                              double complex *y, int which)
{
    for (int i = 0; i < n; i++)
        for (int j = i > 0 ? i - 1 : 0; j < n; j++)
            U[i * n + j] = H[i * n + j] - (i == j ? s : 0);
    for (int k = 0; k < n; k++) {
        double complex *a = U + k * n, *b = a + n;
        if (k + 1 < n && (swap[k] = cabs(b[k]) > cabs(a[k])))
            for (int j = k; j < n; j++) {
                double complex x = a[j];
                a[j] = b[j];
                b[j] = x;
            }
        if (cabs(a[k]) < tiny)
            a[k] = tiny;
        if (k + 1 < n) {
            l[k] = b[k] / a[k];
            for (int j = k + 1; j < n; j++)
                b[j] -= l[k] * a[j];
        }
    }
    for (int i = 0; i < n; i++)         /* another start for each, so that equal eigenvalues get their own vectors */
        y[i] = 1 + 0.5 * sin(1 + i + 1.7 * which);
    for (int round = 0; round < 2; round++) {
        double big = 0;
        for (int k = 0; round > 0 && k + 1 < n; k++) {
            double complex a = y[swap[k] ? k + 1 : k], b = y[swap[k] ? k : k + 1];
            y[k] = a;
            y[k + 1] = b - l[k] * a;
        }
        for (int k = n - 1; k >= 0; k--) {
            for (int j = k + 1; j < n; j++)
                y[k] -= U[k * n + j] * y[j];
            y[k] /= U[k * n + k];
            /* a nearly singular matrix makes the solution large: keep it in range */
            if (cabs(y[k]) > 1e150)
                for (int j = 0; j < n; j++)
                    y[j] *= 1e-150;
        }
        for (int i = 0; i < n; i++)
            big = fmax(big, cabs(y[i]));
        for (int i = 0; i < n; i++)
            y[i] /= big;
    }
}

struct work {
    double *D, *Q, *H, *w;
    double complex *U, *l, *y;
    int *swap;
};

static void work_free(struct work *k)
{
    free(k->D);
    free(k->Q);
    free(k->H);
    free(k->w);
    free(k->U);
    free(k->l);
    free(k->y);
    free(k->swap);
}

static int work_new(struct work *k, size_t n)
{
    k->D = calloc(n, sizeof *k->D);
    k->Q = calloc(n * n, sizeof *k->Q);
    k->H = calloc(n * n, sizeof *k->H);
    k->w = calloc(n + 3, sizeof *k->w);
    k->U = calloc(n * n, sizeof *k->U);
    k->l = calloc(n, sizeof *k->l);
    k->y = calloc(n, sizeof *k->y);
    k->swap = calloc(n, sizeof *k->swap);
    return k->D && k->Q && k->H && k->w && k->U && k->l && k->y && k->swap ? 0 : MBS_NO_MEMORY;
}

/* D Q y into column j of vec, and its conjugate into column j + 1 if s is complex. */
static void store_vector(int n, const struct work *k, int j, int pair, double *vec)
{
    double big = 0;

    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < n; i++) {
            double complex x = 0;
            for (int c = 0; c < n; c++)
                x += k->Q[i * n + c] * k->y[c];
            x *= k->D[i];
            if (pass == 0) {
                big = fmax(big, cabs(x));
                continue;
            }
            vec[2 * (i * n + j)] = creal(x) / big;
            vec[2 * (i * n + j) + 1] = pair ? cimag(x) / big : 0;
            if (pair) {
                vec[2 * (i * n + j + 1)] = creal(x) / big;
                vec[2 * (i * n + j + 1) + 1] = -cimag(x) / big;
            }
        }
}

int mbs_eigen(int n, double *A, double *re, double *im, double *vec)
{
    struct work k;
    double norm = 0;
    int status;

    if (n == 0)
        return 0;
    status = work_new(&k, (size_t)n);
    if (status == 0) {
        scale(n, A, k.D);
        hessenberg(n, A, k.Q, k.w);
        memcpy(k.H, A, (size_t)n * (size_t)n * sizeof *A);
        status = qr_values(n, k.H, re, im);
    }
    for (int i = 0; status == 0 && i < n * n; i++)
        norm = fmax(norm, fabs(A[i]));
    for (int j = 0; status == 0 && j < n; j++) {
        inverse_iteration(n, A, re[j] + I * im[j], fmax(DBL_EPSILON * norm, DBL_MIN / DBL_EPSILON), k.U, k.l, k.swap, k.y, j);
        store_vector(n, &k, j, im[j] != 0, vec);
        j += im[j] != 0;
    }
    work_free(&k);
    return status;
}
