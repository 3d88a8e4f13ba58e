/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The linear algebra on random matrices of all kinds: dense and sparse, real and complex, full and deficient rank.
 * Tolerances: residuals are taken relative to the largest entry of the solution, which grows with the condition number of the
 * random matrix.  What remains is eps * order * largest entry * growth of the elimination; sparse ones keep a pivot on the diagonal
 * while it is at least 1e-3 of its column, so that a growth of 1e3 must be allowed for. */
#include "../tap.h"
#include "linalg/definite.h"
#include "linalg/eigen.h"
#include "linalg/gram.h"
#include "linalg/linalg.h"
#include "methods/hermite.h"

#include <complex.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

static unsigned seed = 1;

static double tolerance(int order, double largest) { return 1e3 * DBL_EPSILON * order * largest; }

static double rnd(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (double)(seed >> 8) / (1 << 23) - 1;
}

/* A random pattern with `fill` of its entries; diag: with a full diagonal; lower: only on and below it. */
static struct mbs_pattern pattern_make(int rows, int cols, double fill, int diag, int lower)
{
    int *colptr = calloc((size_t)cols + 1, sizeof *colptr), *rowidx = calloc((size_t)rows * (size_t)cols + 1, sizeof *rowidx), nnz = 0;

    for (int j = 0; j < cols; j++) {
        for (int i = lower ? j : 0; i < rows; i++)
            if ((diag && i == j) || 0.5 * (rnd() + 1) < fill)
                rowidx[nnz++] = i;
        colptr[j + 1] = nnz;
    }
    return (struct mbs_pattern){ rows, cols, nnz, colptr, rowidx };
}

static void pattern_free(struct mbs_pattern *p)
{
    free((int *)p->colptr);
    free((int *)p->rowidx);
}

static double *values_make(const struct mbs_pattern *p)
{
    double *v = calloc((size_t)p->nnz + 1, sizeof *v);

    for (int k = 0; k < p->nnz; k++)
        v[k] = rnd();
    return v;
}

/* ---- general matrices: [A + z I, B'; B, 0] with complex z, against the residual ---- */

static void test_matrix(int n, int m, double fill, int flags, const char *what)
{
    struct mbs_pattern A = pattern_make(n, n, fill, 1, 0), B = pattern_make(m, n, fill < 0.2 ? 0.2 : fill, 1, 0);
    double *a = values_make(&A), *b = values_make(&B), worst = 0;
    struct mbs_matrix *K = mbs_matrix_new(n + m, flags);
    int N = n + m, cxs = flags & MBS_MATRIX_COMPLEX ? 2 : 1, id[4];
    double *x = calloc((size_t)(2 * N), sizeof *x);
    double complex *rhs = calloc((size_t)N, sizeof *rhs), *r = calloc((size_t)N, sizeof *r), z = cxs == 2 ? 3 + 2 * I : 3;

    id[0] = mbs_matrix_block(K, &A, 0, 0, 0, MBS_BLOCK);
    id[1] = mbs_matrix_block(K, NULL, n, 0, 0, MBS_BLOCK);
    id[2] = mbs_matrix_block(K, &B, 0, 0, n, MBS_BLOCK_TRANSPOSED);
    id[3] = mbs_matrix_block(K, &B, 0, n, 0, MBS_BLOCK);
    ok(mbs_matrix_ready(K) == 0, "%s: ready", what);
    for (int round = 0; round < 3; round++) {
        for (int k = 0; k < A.nnz; k++)
            a[k] = rnd();
        mbs_matrix_clear(K);
        mbs_matrix_add(K, id[0], 1, 0, a);
        mbs_matrix_add(K, id[1], creal(z), cimag(z), NULL);
        mbs_matrix_add(K, id[2], 1, 0, b);
        mbs_matrix_add(K, id[3], 1, 0, b);
        if (mbs_matrix_factor(K) != 0)
            worst = HUGE_VAL;
        for (int i = 0; i < N; i++) {
            rhs[i] = cxs == 2 ? rnd() + I * rnd() : rnd();
            x[cxs * i] = creal(rhs[i]);
            if (cxs == 2)
                x[2 * i + 1] = cimag(rhs[i]);
            r[i] = rhs[i];
        }
        mbs_matrix_solve(K, x);
#define X(i) (cxs == 2 ? x[2 * (i)] + I * x[2 * (i) + 1] : x[i])
        for (int j = 0; j < n; j++) {
            r[j] -= z * X(j);
            for (int k = A.colptr[j]; k < A.colptr[j + 1]; k++)
                r[A.rowidx[k]] -= a[k] * X(j);
            for (int k = B.colptr[j]; k < B.colptr[j + 1]; k++) {
                r[n + B.rowidx[k]] -= b[k] * X(j);
                r[j] -= b[k] * X(n + B.rowidx[k]);
            }
        }
        double size = 1, most = 0;
        for (int i = 0; i < N; i++) {
            most = fmax(most, cabs(r[i]));
            size = fmax(size, cabs(X(i)));
        }
        worst = fmax(worst, most / size);
    }
    ok(worst < tolerance(N, 5), "%s: residual %.2g", what, worst);
    mbs_matrix_free(K);
    free(x);
    free(rhs);
    free(r);
    free(a);
    free(b);
    pattern_free(&A);
    pattern_free(&B);
}

/* ---- saddle points ---- */

struct problem {
    struct mbs_model model;
    double *M, *G;
};

static struct problem problem_make(int n, int m, double fill)
{
    struct problem p = { .model = { .nq = n, .ng = m } };

    p.model.M = pattern_make(n, n, fill, 1, 1);
    p.model.G = pattern_make(m, n, m > 20 ? 0.1 : 0.5, 1, 0);
    p.M = values_make(&p.model.M);
    p.G = values_make(&p.model.G);
    for (int j = 0; j < n; j++)
        p.M[p.model.M.colptr[j]] = 3 + n * fill + rnd();       /* diagonally dominant, so positive definite */
    return p;
}

static void problem_free(struct problem *p)
{
    pattern_free(&p->model.M);
    pattern_free(&p->model.G);
    free(p->M);
    free(p->G);
}

/* largest residual of [M G'; H 0] x = b, relative to the largest entry of x */
static double oblique_residual(const struct problem *p, const double *H, const double *x, const double *b)
{
    int n = p->model.nq, m = p->model.ng;
    double *r = calloc((size_t)(n + m), sizeof *r), worst = 0, size = 1;

    memcpy(r, b, (size_t)(n + m) * sizeof *r);
    mbs_csc_mul_sym(&p->model.M, p->M, -1, x, r);
    mbs_csc_mul_t(&p->model.G, p->G, -1, x + n, r);
    mbs_csc_mul(&p->model.G, H, -1, x, r + n);
    for (int i = 0; i < n + m; i++) {
        worst = fmax(worst, fabs(r[i]));
        size = fmax(size, fabs(x[i]));
    }
    free(r);
    return worst / size;
}

static double saddle_residual(const struct problem *p, const double *x, const double *b) { return oblique_residual(p, p->G, x, b); }

static void test_saddle(int n, int m, double fill)
{
    struct problem p = problem_make(n, m, fill);
    struct mbs_saddle *s = mbs_saddle_new(&p.model);
    double *x = calloc((size_t)(n + m), sizeof *x), *b = calloc((size_t)(n + m), sizeof *b);
    int status;

    for (int i = 0; i < n + m; i++)
        x[i] = b[i] = rnd();
    status = mbs_saddle_factor(s, p.M, p.G);
    mbs_saddle_solve(s, x);
    ok(status == 0 && saddle_residual(&p, x, b) < tolerance(n + m, 4 + n * fill), "saddle point %d + %d, fill %g: residual %.2g", n, m, fill, saddle_residual(&p, x, b));
    free(x);
    free(b);
    mbs_saddle_free(s);
    problem_free(&p);
}

/* [M G'; H 0]: by the complement (small), as a whole (large, or M indefinite). */
static void test_oblique(int n, int m, double fill, int indefinite)
{
    struct problem p = problem_make(n, m, fill);
    struct mbs_oblique *o = mbs_oblique_new(&p.model);
    double *x = calloc((size_t)(n + m), sizeof *x), *b = calloc((size_t)(n + m), sizeof *b), *H = values_make(&p.model.G);
    int status;

    for (int k = 0; k < p.model.G.nnz; k++)
        H[k] = p.G[k] + 0.1 * H[k];
    if (indefinite)
        p.M[0] = -p.M[0];
    for (int i = 0; i < n + m; i++)
        x[i] = b[i] = rnd();
    status = mbs_oblique_factor(o, p.M, p.G, H);
    mbs_oblique_solve(o, x);
    ok(status == 0 && oblique_residual(&p, H, x, b) < tolerance(n + m, 4 + n * fill), "oblique saddle point %d + %d, fill %g%s: residual %.2g", n, m, fill, indefinite ? ", indefinite" : "",
       oblique_residual(&p, H, x, b));
    free(x);
    free(b);
    free(H);
    mbs_oblique_free(o);
    problem_free(&p);
}

/* A chain: body i has three coordinates, joint i two rows on the coordinates of bodies i-1 and i.  The Schur complement
 * is banded and goes to the sparse Cholesky. */
static void test_chain(int links, int shuffled)
{
    int n = 3 * links, m = 2 * links, nnz = 0, status;
    int *mcol = calloc((size_t)n + 1, sizeof *mcol), *mrow = calloc((size_t)n + 1, sizeof *mrow), *gcol = calloc((size_t)n + 1, sizeof *gcol);
    int *grow = calloc(4 * (size_t)n + 1, sizeof *grow);
    struct problem p = { .model = { .nq = n, .ng = m } };
    struct mbs_saddle *s;
    double *x = calloc((size_t)(n + m), sizeof *x), *b = calloc((size_t)(n + m), sizeof *b);

    for (int j = 0; j < n; j++) {
        int body = j / 3, joint[2] = { body, body + 1 };
        mcol[j + 1] = j + 1;
        mrow[j] = j;
        if (shuffled)           /* joints numbered from the other end and interleaved */
            for (int k = 0; k < 2; k++)
                joint[k] = joint[k] < links ? (joint[k] % 2 ? links - 1 - joint[k] / 2 : joint[k] / 2) : links;
        for (int i = 0; i < links; i++)
            if (i == joint[0] || i == joint[1]) {
                grow[nnz++] = 2 * i;
                grow[nnz++] = 2 * i + 1;
            }
        gcol[j + 1] = nnz;
    }
    p.model.M = (struct mbs_pattern){ n, n, n, mcol, mrow };
    p.model.G = (struct mbs_pattern){ m, n, nnz, gcol, grow };
    p.M = values_make(&p.model.M);
    p.G = values_make(&p.model.G);
    for (int j = 0; j < n; j++)
        p.M[j] = 1 + 0.5 * p.M[j];
    s = mbs_saddle_new(&p.model);
    status = mbs_saddle_factor(s, p.M, p.G);
    for (int i = 0; i < n + m; i++)
        x[i] = b[i] = rnd();
    mbs_saddle_solve(s, x);
    ok(status == 0 && saddle_residual(&p, x, b) < 1e-9, "chain of %d links%s: residual %.2g", links, shuffled ? ", joints in disorder" : "", saddle_residual(&p, x, b));
    mbs_saddle_free(s);
    problem_free(&p);
    free(x);
    free(b);
}

/* Row 1 of G is twice row 0 but for a part of 1e-7: a mechanism close to a singular position.  The rows are independent, and none may
 * be left out (the sine of the angle between them is ten times what counts as dependent). */
static void test_nearly_redundant(int n)
{
    struct problem p = problem_make(n, 2, 0.3);
    double *full = calloc((size_t)n * 2, sizeof *full);
    int *colptr = calloc((size_t)n + 1, sizeof *colptr), *rowidx = calloc((size_t)n * 2, sizeof *rowidx);
    for (int j = 0; j < n; j++) {
        rowidx[2 * j] = 0, rowidx[2 * j + 1] = 1;
        colptr[j + 1] = 2 * (j + 1);
        full[2 * j] = rnd();
        full[2 * j + 1] = 2 * full[2 * j] + 1e-6 * rnd();
    }
    pattern_free(&p.model.G);
    free(p.G);
    p.model.G = (struct mbs_pattern){ 2, n, n * 2, colptr, rowidx };
    p.G = full;
    struct mbs_saddle *s = mbs_saddle_new(&p.model);
    int status = mbs_saddle_factor(s, p.M, p.G);
    ok(status == 0 && !mbs_saddle_dependent(s)[0] && !mbs_saddle_dependent(s)[1], "nearly dependent rows of %d coordinates are all kept", n);
    /* The rows meet at an angle of 1e-6: orthogonal decomposition loses six digits, the Schur complement, which squares it, twelve. */
    double *x = calloc((size_t)n + 2, sizeof *x), *b = calloc((size_t)n + 2, sizeof *b), worst = 0;
    for (int i = 0; i < n; i++)
        x[i] = rnd();
    x[n] = 2e6, x[n + 1] = -1e6;        /* a force of order 1 along what they differ by */
    mbs_csc_mul_sym(&p.model.M, p.M, 1, x, b);
    mbs_csc_mul_t(&p.model.G, p.G, 1, x + n, b);
    mbs_csc_mul(&p.model.G, p.G, 1, x, b + n);
    mbs_saddle_solve(s, b);
    for (int i = 0; i < n; i++)
        worst = fmax(worst, fabs(b[i] - x[i]));
    ok(worst <= tolerance(n, 1e6), "and the solution is as good as they allow, %.2g", worst);
    free(x);
    free(b);
    mbs_saddle_free(s);
    problem_free(&p);
}

/* Row 1 of G becomes twice row 0: found dependent, residual as good as before, multipliers of least norm (those of
 * the scaled rows equal), and the same accelerations as without the row. */
static void test_redundant(int n, int m, int large)
{
    struct problem p = problem_make(n, m, 0.3);
    double *full = calloc((size_t)(n * m), sizeof *full), *x = calloc((size_t)(n + m), sizeof *x), *b = calloc((size_t)(n + m), sizeof *b);
    int *colptr = calloc((size_t)n + 1, sizeof *colptr), *rowidx = calloc((size_t)(n * m), sizeof *rowidx), status, count = 0;
    struct mbs_saddle *s;

    for (int j = 0, k = 0; j < n; j++) {
        for (int i = 0; i < m; i++)
            rowidx[k++] = i;
        colptr[j + 1] = k;
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            full[j * m + i] = i == 1 ? 2 * full[j * m] : rnd();
    pattern_free(&p.model.G);
    free(p.G);
    p.model.G = (struct mbs_pattern){ m, n, n * m, colptr, rowidx };
    p.G = full;
    s = mbs_saddle_new(&p.model);
    for (int i = 0; i < n + m; i++)
        x[i] = b[i] = rnd();
    x[n + 1] = b[n + 1] = 2 * b[n];             /* consistent */
    status = mbs_saddle_factor(s, p.M, p.G);
    mbs_saddle_solve(s, x);
    for (int i = 0; i < m; i++)
        count += mbs_saddle_dependent(s)[i];
    ok(status == 1 && count == 1 && (mbs_saddle_dependent(s)[0] || mbs_saddle_dependent(s)[1]), "one dependent row of %d + %d is found", n, m);
    ok(saddle_residual(&p, x, b) < 1e-9, "residual %.2g", saddle_residual(&p, x, b));
    if (!large)
        near(x[n], 2 * x[n + 1], 1e-10, "least norm with rows scaled to unit length");
    mbs_saddle_free(s);
    problem_free(&p);
    free(x);
    free(b);
}

/* M = 0 where G holds the coordinate: solvable; where nothing does: the coordinate is named. */
static void test_massless(void)
{
    static const int col[] = { 0, 1, 2, 3 }, row[] = { 0, 1, 2 }, gcol[] = { 0, 1, 2, 2 }, grow[] = { 0, 0 };
    struct mbs_model model = { .nq = 3, .ng = 1, .M = { 3, 3, 3, col, row }, .G = { 1, 3, 2, gcol, grow } };
    struct mbs_saddle *s = mbs_saddle_new(&model);
    double M[3] = { 2, 0, 1 }, G[2] = { 1, 1 }, x[4] = { 2, 0, 5, 3 };

    /* 2 a0 + l = 2, l = 0, a2 = 5, a0 + a1 = 3 */
    ok(mbs_saddle_factor(s, M, G) == 0, "a massless coordinate held by a constraint");
    mbs_saddle_solve(s, x);
    near(x[0], 1, 1e-14, "a0");
    near(x[1], 2, 1e-14, "a1");
    near(x[3], 0, 1e-14, "lambda");
    mbs_saddle_free(s);
    s = mbs_saddle_new(&model);
    M[1] = 1;
    M[2] = 0;
    ok(mbs_saddle_factor(s, M, G) == MBS_SINGULAR && mbs_saddle_culprit(s) == 2, "one that nothing holds is named: %d", mbs_saddle_culprit(s));
    M[2] = NAN;
    ok(mbs_saddle_factor(s, M, G) == MBS_NAN, "NaN is no singularity");
    mbs_saddle_free(s);
}

/* ---- orthogonal decomposition ---- */

static void test_cod(int rows, int cols, int rank)
{
    double *A = calloc((size_t)(rows * cols), sizeof *A), *b = calloc((size_t)rows, sizeof *b), *x = calloc((size_t)cols, sizeof *x);
    double *r = calloc((size_t)rows, sizeof *r), *c = calloc((size_t)cols, sizeof *c), *y = calloc((size_t)rows, sizeof *y), worst = 0, worst_t = 0, dot = 0;
    struct mbs_cod *d = mbs_cod_new(rows, cols);
    int got;

    for (int k = 0; k < rank; k++)              /* a sum of `rank` dyads */
        for (int i = 0; i < rows; i++)
            b[i] = rnd();
    for (int k = 0; k < rank; k++) {
        for (int i = 0; i < rows; i++)
            r[i] = rnd();
        for (int j = 0; j < cols; j++)
            x[j] = rnd();
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < cols; j++)
                A[i * cols + j] += r[i] * x[j];
    }
    got = mbs_cod_factor(d, A, 0);
    ok(got == rank, "rank %d of a %d x %d matrix", got, rows, cols);
    for (int i = 0; i < rows; i++)
        b[i] = rnd();
    mbs_cod_solve(d, b, x);
    /* normal equations A'(A x - b) = 0, and x in the range of A': x = A' (A')^+ x */
    for (int i = 0; i < rows; i++) {
        r[i] = -b[i];
        for (int j = 0; j < cols; j++)
            r[i] += A[i * cols + j] * x[j];
    }
    for (int j = 0; j < cols; j++) {
        double s = 0;
        for (int i = 0; i < rows; i++)
            s += A[i * cols + j] * r[i];
        worst = fmax(worst, fabs(s));
    }
    mbs_cod_solve_t(d, x, y);
    for (int j = 0; j < cols; j++) {
        c[j] = -x[j];
        for (int i = 0; i < rows; i++)
            c[j] += A[i * cols + j] * y[i];
        worst_t = fmax(worst_t, fabs(c[j]));
    }
    ok(worst < 1e-12 * rows * cols && worst_t < 1e-11, "least squares %.2g, minimum norm %.2g", worst, worst_t);
    if (rows > rank) {
        double *N = calloc((size_t)(rows * (rows - rank)), sizeof *N);
        mbs_cod_null(d, N);
        for (int j = 0; j < cols; j++)
            for (int k = 0; k < rows - rank; k++) {
                double s = 0;
                for (int i = 0; i < rows; i++)
                    s += A[i * cols + j] * N[i * (rows - rank) + k];
                dot = fmax(dot, fabs(s));
            }
        ok(dot < 1e-12, "null space orthogonal to %.2g", dot);
        free(N);
    }
    mbs_cod_free(d);
    free(A);
    free(b);
    free(x);
    free(r);
    free(c);
    free(y);
}

/* A singular general matrix: the minimum-norm solution of a consistent system. */
static void test_deficient(int flags, const char *what)
{
    static const int col[] = { 0, 2, 4 }, row[] = { 0, 1, 0, 1 };
    struct mbs_pattern p = { 2, 2, 4, col, row };
    struct mbs_matrix *A = mbs_matrix_new(2, flags);
    double val[4] = { 1, 2, 1, 2 }, x[4] = { 1, 2 };
    int id = mbs_matrix_block(A, &p, 0, 0, 0, MBS_BLOCK), status;

    if (flags & MBS_MATRIX_COMPLEX) {
        x[1] = 0;
        x[2] = 2;
    }
    mbs_matrix_ready(A);
    mbs_matrix_add(A, id, 1, 0, val);
    status = mbs_matrix_factor(A);
    mbs_matrix_solve(A, x);
    ok(status == 1, "%s: one dependent row", what);
    near(x[0], 0.5, 1e-14, "first unknown");
    near(x[flags & MBS_MATRIX_COMPLEX ? 2 : 1], 0.5, 1e-14, "second unknown");
    mbs_matrix_free(A);
}

/* Largest |A x - s x| over all pairs, x of size 1; 1 if an eigenvalue has no partner or stands in the wrong order. */
static double eigen_residual(int n, const double *A, const double *re, const double *im, const double *vec)
{
    double worst = 0;

    for (int j = 0; j < n; j++) {
        int pair = im[j] > 0 ? j + 1 : im[j] < 0 ? j - 1 : j;
        if (pair < 0 || pair >= n || re[pair] != re[j] || im[pair] != -im[j])
            return 1;
        for (int i = 0; i < n; i++) {
            double complex s = re[j] + I * im[j], sum = -s * (vec[2 * (i * n + j)] + I * vec[2 * (i * n + j) + 1]);
            for (int k = 0; k < n; k++)
                sum += A[i * n + k] * (vec[2 * (k * n + j)] + I * vec[2 * (k * n + j) + 1]);
            worst = fmax(worst, cabs(sum));
        }
    }
    return worst;
}

enum eigen_kind { RANDOM, SCALED, NILPOTENT, REPEATED, ROTATIONS, CYCLE, ZERO, EIGEN_KINDS };

/* CYCLE is the permutation on which a QR iteration without exceptional shifts stands still. */
static void eigen_matrix(enum eigen_kind kind, int n, double *A)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            switch (kind) {
            case RANDOM: A[i * n + j] = rnd(); break;
            case SCALED: A[i * n + j] = rnd() * pow(10, (i - j) % 9); break;
            case NILPOTENT: A[i * n + j] = j == i + 1; break;
            case REPEATED: A[i * n + j] = i == j ? 1 + i / 3 : 0; break;
            case ROTATIONS: A[i * n + j] = i / 2 == j / 2 && i != j ? (i < j ? 3 : -3) : 0; break;
            case CYCLE: A[i * n + j] = j == (i + 1) % n; break;
            case ZERO: case EIGEN_KINDS: A[i * n + j] = 0; break;
            }
}

/* Backward stable: residuals of eps n |A|, in the balanced norm; a factor of 30 for the sums of the test itself. */
static void test_eigen(void)
{
    static double A[60 * 60], B[60 * 60], re[60], im[60], vec[2 * 60 * 60];
    static const int sizes[] = { 1, 2, 3, 5, 8, 20, 60 };

    for (int kind = 0; kind < EIGEN_KINDS; kind++) {
        double worst = 0, trace = 0;
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            for (int round = 0; round < (kind == RANDOM ? 10 : 1); round++) {
                int n = sizes[k];
                double norm = 1e-300, sum = 0;
                eigen_matrix((enum eigen_kind)kind, n, A);
                for (int i = 0; i < n * n; i++)
                    norm = fmax(norm, fabs(A[i]));
                memcpy(B, A, sizeof A);
                if (mbs_eigen(n, A, re, im, vec))
                    worst = 1;
                for (int i = 0; i < n; i++)
                    sum += B[i * n + i] - re[i];
                trace = fmax(trace, fabs(sum) / norm / n);
                worst = fmax(worst, eigen_residual(n, B, re, im, vec) / norm / n);
            }
        ok(worst < 30 * DBL_EPSILON && trace < 30 * DBL_EPSILON, "eigenvectors of kind %d: residual %.2g, trace %.2g", kind, worst, trace);
    }
    /* (x - 1)(x - 2) ... (x - 8), companion matrix: conditioned like 1e7 */
    static const double c[8] = { 36, -546, 4536, -22449, 67284, -118124, 109584, -40320 };
    double off = 0;
    memset(A, 0, sizeof A);
    for (int j = 0; j < 8; j++)
        A[j] = c[j];
    for (int i = 1; i < 8; i++)
        A[i * 8 + i - 1] = 1;
    if (mbs_eigen(8, A, re, im, vec))
        off = 1;
    for (int i = 0; i < 8; i++)
        off = fmax(off, fmax(fabs(re[i] - rint(re[i])), fabs(im[i])));
    ok(off < 1e-8, "roots of a polynomial: off by %.2g", off);
}

/* ---- positive mass matrices: M = X D X' with random X, as many positive, zero and negative entries of D as wanted ---- */

static struct mbs_pattern pattern_full(int rows, int cols, int lower)
{
    return pattern_make(rows, cols, 2, 1, lower);
}

static double *mass_make(const struct mbs_pattern *p, int zeros, int negatives)
{
    int n = p->cols, at = 0;
    double *X = calloc((size_t)n * (size_t)n, sizeof *X), *val = calloc((size_t)p->nnz, sizeof *val);

    for (int i = 0; i < n * n; i++)
        X[i] = rnd();
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++, at++)
            for (int k = 0; k < n; k++)
                val[at] += X[i * n + k] * X[j * n + k] * (k < zeros ? 0 : k < zeros + negatives ? -1 : 1);
    free(X);
    return val;
}

static int indefinite(const struct mbs_pattern *M, const double *Mval, int m, const struct mbs_pattern *G, const double *Gval)
{
    struct mbs_envelope *e = mbs_envelope_new(M);
    int found = mbs_indefinite(e, M, Mval, m, G, Gval);

    mbs_envelope_free(e);
    return found;
}

static void test_definite(int n)
{
    struct mbs_pattern M = pattern_full(n, n, 1), none = { 0, n, 0, NULL, NULL };

    for (int zeros = 0; zeros < 3; zeros++)
        for (int negatives = 0; negatives < 3; negatives++) {
            double *val = mass_make(&M, zeros, negatives);
            int found = indefinite(&M, val, 0, &none, NULL);
            ok(negatives ? found > 0 && found <= n : found == 0, "mass matrix of %d, rank %d: %d negative, says %d", n, n - zeros, negatives, found);
            free(val);
        }
    pattern_free(&M);
}

/* Two bodies on a line, of masses 1 and -m, that a rod holds together: their sum decides.  Without the rod it is negative in any case. */
static void test_hole(void)
{
    static const int colptr[] = { 0, 1, 2 }, rowM[] = { 0, 1 }, rowG[] = { 0, 0 };
    const struct mbs_pattern M = { 2, 2, 2, colptr, rowM }, G = { 1, 2, 2, colptr, rowG }, none = { 0, 2, 0, NULL, NULL };
    const double rod[] = { 3, -3 };

    for (int m = 0; m < 4; m++) {
        const double mass[] = { 1, -0.6 * m };
        ok((indefinite(&M, mass, 1, &G, rod) > 0) == (0.6 * m > 1), "a hole of mass %g in a body of 1", 0.6 * m);
        ok((indefinite(&M, mass, 0, &none, NULL) == 2) == (m > 0), "the same hole by itself");
    }
}

/* ---- interpolation: exact for polynomials of its degree, at values of order 10 ---- */

/* ---- G G', one matrix and several at once ---- */

enum { GRAM_LANES = 8 };

/* G G' x against b, by products with G. */
static double gram_residual(const struct mbs_pattern *G, const double *val, const double *x, const double *b)
{
    double *y = calloc((size_t)G->cols + 1, sizeof *y), *r = calloc((size_t)G->rows + 1, sizeof *r), worst = 0;

    mbs_csc_mul_t(G, val, 1, x, y);
    mbs_csc_mul(G, val, 1, y, r);
    for (int i = 0; i < G->rows; i++)
        worst = fmax(worst, fabs(r[i] - b[i]));
    free(y);
    free(r);
    return worst;
}

static void test_gram(int rows, int cols, double fill)
{
    struct mbs_pattern G = pattern_make(rows, cols, fill, 1, 0);
    int full;
    struct mbs_gram *gram = mbs_gram_new(&G, &full);
    size_t room = (size_t)mbs_gram_room(gram) * GRAM_LANES, all = (size_t)(rows + G.nnz) * GRAM_LANES;
    double *memory = aligned_alloc(64, (room + all + 2 * GRAM_LANES * (size_t)rows + 64) / 8 * 64), *work = memory, *values = work + room,
           *square = values + (size_t)G.nnz * GRAM_LANES, *pivot = square + (size_t)rows * GRAM_LANES;
    double *scale = calloc((size_t)rows, sizeof *scale), *b = calloc((size_t)rows, sizeof *b), *x = calloc((size_t)rows, sizeof *x), *sine = calloc(GRAM_LANES, sizeof *sine);
    double worst = 0, squares = 0, lanes = 0;

    for (int l = 0; l < GRAM_LANES; l++) {
        double *val = values_make(&G), largest = 0;
        for (int k = 0; k < G.nnz; k++)
            values[k * GRAM_LANES + l] = val[k];
        mbs_gram_form(gram, val);
        memset(b, 0, (size_t)rows * sizeof *b);
        for (int k = 0; k < G.nnz; k++)
            b[G.rowidx[k]] += val[k] * val[k];
        for (int i = 0; i < rows; i++) {
            squares = fmax(squares, fabs(*mbs_gram_square(gram, i) - b[i]));
            scale[i] = l ? scale[i] : 0.5 + 0.4 * rnd();
            x[i] = b[i] = rnd();
        }
        sine[l] = mbs_gram_sine(gram, scale, NULL);
        mbs_gram_solve(gram, x);
        for (int i = 0; i < rows; i++)
            largest = fmax(largest, fabs(x[i]));
        worst = fmax(worst, gram_residual(&G, val, x, b) / tolerance(rows, largest));
        free(val);
    }
    mbs_gram_lanes(gram, GRAM_LANES, values, work, square, pivot);
    for (int l = 0; l < GRAM_LANES; l++)        /* pivots are differences: of the rows' squares, which are of order 1 */
        lanes = fmax(lanes, fabs(mbs_gram_lane_sine(rows, GRAM_LANES, l, pivot, scale) - sine[l]) * (sine[l] + 1e-8));
    ok(worst < 1 && squares < 1e-13 * cols && lanes < 1e-13 * rows, "G G' of %d rows with %d entries: solutions %.1e, squares %.1e; in lanes %.1e", rows, G.nnz, worst, squares, lanes);
    free(memory);
    free(scale);
    free(b);
    free(x);
    free(sine);
    mbs_gram_free(gram);
    pattern_free(&G);
}

static void test_hermite(void)
{
    const double t0 = 0.3, h = 0.7, c[] = { 1, -2, 3, -4, 2.5, 1.5 };
    double y[3][2] = { { 0 } }, worst[3] = { 0 }, slope;

    for (int degree = 3; degree <= 5; degree += 2)
        for (int i = 0; i <= 10; i++) {
            double th = i / 10., t = t0 + th * h, want[2] = { 0 };
            for (int end = 0; end < 3; end++) {         /* both ends, and the place between: value, first and second derivative */
                double x = end < 2 ? t0 + end * h : t, v = 0, d = 0, a = 0;
                for (int k = degree; k >= 0; k--) {
                    a = a * x + 2 * d;
                    d = d * x + v;
                    v = v * x + c[k];
                }
                if (end < 2)
                    y[0][end] = v, y[1][end] = d, y[2][end] = a;
                else
                    want[0] = v, want[1] = d;
            }
            if (degree == 3)
                worst[0] = fmax(worst[0], fabs(hermite_cubic(th, h, y[0][0], y[1][0], y[0][1], y[1][1]) - want[0]));
            else {
                worst[1] = fmax(worst[1], fabs(hermite_quintic(th, h, y[0][0], y[1][0], y[2][0], y[0][1], y[1][1], y[2][1], &slope) - want[0]));
                worst[2] = fmax(worst[2], fabs(slope - want[1]));
            }
        }
    ok(worst[0] < 1e-13, "cubic interpolation of a cubic, %.2g", worst[0]);
    ok(worst[1] < 1e-13 && worst[2] < 1e-12, "quintic interpolation of a quintic and its slope, %.2g and %.2g", worst[1], worst[2]);
}

int main(void)
{
    static const int sizes[][2] = { { 1, 0 }, { 2, 1 }, { 3, 2 }, { 7, 6 }, { 12, 8 }, { 30, 20 }, { 40, 30 }, { 100, 40 } };
    const int C = MBS_MATRIX_COMPLEX, S = MBS_MATRIX_SPARSE, D = MBS_MATRIX_DENSE;

    test_matrix(7, 6, 0.5, D, "dense real 7 + 6");
    test_matrix(7, 6, 0.5, D | C, "dense complex 7 + 6");
    test_matrix(7, 6, 0.5, S, "sparse real 7 + 6");
    test_matrix(7, 6, 0.5, S | C, "sparse complex 7 + 6");
    test_matrix(100, 30, 0.05, 0, "real 100 + 30");
    test_matrix(100, 30, 0.05, C, "complex 100 + 30");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (double fill = 0.02; fill < 1; fill *= 6)
            test_saddle(sizes[i][0], sizes[i][1], fill);
    test_oblique(7, 6, 0.2, 0);
    test_oblique(7, 6, 0.2, 1);
    test_oblique(12, 4, 1, 0);
    test_oblique(100, 40, 0.05, 0);
    for (int links = 4; links < 200; links *= 3)
        for (int shuffled = 0; shuffled < 2; shuffled++)
            test_chain(links, shuffled);
    test_nearly_redundant(6);
    test_redundant(7, 4, 0);
    test_redundant(60, 20, 1);
    test_massless();
    test_cod(6, 4, 4);
    test_cod(6, 4, 2);
    test_cod(4, 6, 4);
    test_cod(4, 6, 3);
    test_cod(9, 9, 7);
    test_deficient(D, "dense real");
    test_deficient(D | C, "dense complex");
    test_deficient(S, "sparse real");
    test_matrix(90, 30, 0.5, D, "dense real 90 + 30, by LAPACK where present");
    test_matrix(90, 30, 0.5, D | C, "dense complex 90 + 30, by LAPACK where present");
    test_eigen();
    for (int n = 3; n < 60; n = 2 * n + 1)
        test_definite(n);
    test_hole();
    test_gram(1, 2, 1);
    test_gram(6, 7, 0.6);
    test_gram(6, 12, 0.3);
    test_gram(9, 20, 0.2);
    test_gram(40, 90, 0.05);
    test_hermite();
    return tap_done();
}
