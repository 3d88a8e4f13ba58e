/* SPDX-License-Identifier: MIT
 *
 * Complete orthogonal decomposition A P = Q [T 0; 0 0] Z' (Golub & Van Loan, 5.4.2): Householder QR with column
 * pivoting gives the rank, reflections from the right then remove what stands beside the triangle.  Minimum-norm
 * least-squares solutions follow for A and for A'.  GSL has the same decomposition, but no solution with A', which
 * the accelerations of overconstrained mechanisms need; hence this one. */
#include "linalg/linalg.h"
#include "work.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct mbs_cod {
    int rows, cols, rank;
    double smallest;
    double *a;                  /* column-major; R or T in the upper triangle, reflectors below it and beside it */
    double *tau_q, *tau_z;      /* of the reflectors 1 - tau w w', w_k = 1 */
    double *norm, *b, *x;       /* column norms; work of length rows, cols */
    int *order;
};

static void cod_layout(struct mbs_cod *c, struct mbs_work *w)
{
    size_t r = (size_t)c->rows, k = (size_t)c->cols;

    c->a = mbs_work_doubles(w, r * k);
    c->tau_q = mbs_work_doubles(w, k);
    c->tau_z = mbs_work_doubles(w, k);
    c->norm = mbs_work_doubles(w, k);
    c->b = mbs_work_doubles(w, r + 1);
    c->x = mbs_work_doubles(w, k);
    c->order = mbs_work_ints(w, k);
}

struct mbs_cod *mbs_cod_new(int rows, int cols)
{
    struct mbs_cod head = { .rows = rows, .cols = cols }, *c;
    struct mbs_work w = { NULL, 0 };

    mbs_work_bytes(&w, sizeof *c);
    cod_layout(&head, &w);
    c = calloc(1, w.used);
    if (!c)
        return NULL;
    *c = head;
    w = (struct mbs_work){ (char *)c, 0 };
    mbs_work_bytes(&w, sizeof *c);
    cod_layout(c, &w);
    return c;
}

void mbs_cod_free(struct mbs_cod *c)
{
    free(c);
}

static inline int is_plain(double square)
{
    return square > 1e-250 && square < 1e250;
}

/* The norm of n values, by squares where these neither overflow nor vanish. */
static inline double norm(const double *x, int n, int stride)
{
    double s = 0;

    for (int i = 0; i < n; i++)
        s += x[(long)i * stride] * x[(long)i * stride];
    if (is_plain(s))
        return sqrt(s);
    s = 0;
    for (int i = 0; i < n; i++)
        s = hypot(s, x[(long)i * stride]);
    return s;
}

/* Reflector that maps (x0, x[0], x[stride], ...) to (beta, 0, ...): x becomes the tail of w, *x0 = beta; returns tau. */
static inline double reflector(double *x0, double *x, int n, int stride)
{
    double s = norm(x, n, stride), both = *x0 * *x0 + s * s, beta;

    if (s == 0)
        return 0;
    beta = -copysign(is_plain(both) ? sqrt(both) : hypot(*x0, s), *x0);
    for (int i = 0; i < n; i++)
        x[(long)i * stride] /= *x0 - beta;
    s = (beta - *x0) / beta;
    *x0 = beta;
    return s;
}

/* (y0, y) -= tau (y0 + w'y) (1, w) */
static inline void reflect(double tau, const double *restrict w, int wstride, double *y0, double *restrict y, int ystride, int n)
{
    double s = *y0;

    if (tau == 0)
        return;
    for (int i = 0; i < n; i++)
        s += w[(long)i * wstride] * y[(long)i * ystride];
    s *= tau;
    *y0 -= s;
    for (int i = 0; i < n; i++)
        y[(long)i * ystride] -= s * w[(long)i * wstride];
}

static inline double tail_norm(const struct mbs_cod *c, int col, int from)
{
    return norm(c->a + (long)col * c->rows + from, c->rows - from, 1);
}

static void swap_columns(struct mbs_cod *c, int j, int k)
{
    double *x = c->a + (long)j * c->rows, *y = c->a + (long)k * c->rows;
    int o = c->order[j];

    c->order[j] = c->order[k];
    c->order[k] = o;
    for (int i = 0; i < c->rows; i++) {
        double t = x[i];
        x[i] = y[i];
        y[i] = t;
    }
    c->norm[k] = c->norm[j];
}

int mbs_cod_factor(struct mbs_cod *c, const double *A, double tol)
{
    int rows = c->rows, cols = c->cols, kmax = rows < cols ? rows : cols, k;
    double *a = c->a, limit = 0;

    c->rank = 0;
    if (!mbs_finite(A, rows * cols))
        return MBS_NAN;
    for (int j = 0; j < cols; j++) {
        c->order[j] = j;
        for (int i = 0; i < rows; i++)
            a[(long)j * rows + i] = A[(long)i * cols + j];
    }
    if (tol <= 0)
        tol = 100 * DBL_EPSILON * (rows > cols ? rows : cols);
    for (k = 0; k < kmax; k++) {
        int best = k;
        double *col;
        /* The norms are computed afresh: downdating saves little on these sizes and can lose the rank. */
        for (int j = k; j < cols; j++) {
            c->norm[j] = tail_norm(c, j, k);
            if (c->norm[j] > c->norm[best])
                best = j;
        }
        if (k == 0)
            limit = tol * c->norm[best];
        if (!(c->norm[best] > limit))
            break;
        if (best != k)
            swap_columns(c, k, best);
        col = a + (long)k * rows + k;
        c->tau_q[k] = reflector(col, col + 1, rows - k - 1, 1);
        for (int j = k + 1; j < cols; j++) {
            double *y = a + (long)j * rows + k;
            reflect(c->tau_q[k], col + 1, 1, y, y + 1, 1, rows - k - 1);
        }
    }
    c->rank = k;
    c->smallest = k > 0 ? fabs(a[(long)(k - 1) * rows + k - 1] / a[0]) : 0;
    for (k = c->rank - 1; k >= 0 && c->rank < cols; k--) {
        double *w = a + (long)c->rank * rows + k;
        c->tau_z[k] = reflector(a + (long)k * rows + k, w, cols - c->rank, rows);
        for (int i = 0; i < k; i++)
            reflect(c->tau_z[k], w, rows, a + (long)k * rows + i, a + (long)c->rank * rows + i, rows, cols - c->rank);
    }
    return c->rank;
}

/* x = P Z T^-1 Q' b */
void mbs_cod_solve(struct mbs_cod *c, const double *rhs, double *x)
{
    int rows = c->rows, cols = c->cols, r = c->rank;
    double *a = c->a, *b = c->b, *y = c->x;

    memcpy(b, rhs, (size_t)rows * sizeof *b);
    memset(y, 0, (size_t)cols * sizeof *y);
    for (int k = 0; k < r; k++)
        reflect(c->tau_q[k], a + (long)k * rows + k + 1, 1, b + k, b + k + 1, 1, rows - k - 1);
    for (int k = r - 1; k >= 0; k--) {
        double s = b[k];
        for (int j = k + 1; j < r; j++)
            s -= a[(long)j * rows + k] * y[j];
        y[k] = s / a[(long)k * rows + k];
    }
    for (int k = 0; k < r && r < cols; k++)
        reflect(c->tau_z[k], a + (long)r * rows + k, rows, y + k, y + r, 1, cols - r);
    for (int j = 0; j < cols; j++)
        x[c->order[j]] = y[j];
}

/* x = Q T^-T Z' P' b */
void mbs_cod_solve_t(struct mbs_cod *c, const double *rhs, double *x)
{
    int rows = c->rows, cols = c->cols, r = c->rank;
    double *a = c->a, *y = c->x;

    for (int j = 0; j < cols; j++)
        y[j] = rhs[c->order[j]];
    for (int k = r - 1; k >= 0 && r < cols; k--)
        reflect(c->tau_z[k], a + (long)r * rows + k, rows, y + k, y + r, 1, cols - r);
    memset(x, 0, (size_t)rows * sizeof *x);
    for (int k = 0; k < r; k++) {
        double s = y[k];
        for (int j = 0; j < k; j++)
            s -= a[(long)k * rows + j] * x[j];
        x[k] = s / a[(long)k * rows + k];
    }
    for (int k = r - 1; k >= 0; k--)
        reflect(c->tau_q[k], a + (long)k * rows + k + 1, 1, x + k, x + k + 1, 1, rows - k - 1);
}

void mbs_cod_null(struct mbs_cod *c, double *N)
{
    int rows = c->rows, r = c->rank, d = rows - r;

    for (int j = 0; j < d; j++) {
        memset(c->b, 0, (size_t)rows * sizeof *c->b);
        c->b[r + j] = 1;
        for (int k = r - 1; k >= 0; k--)
            reflect(c->tau_q[k], c->a + (long)k * rows + k + 1, 1, c->b + k, c->b + k + 1, 1, rows - k - 1);
        for (int i = 0; i < rows; i++)
            N[(long)i * d + j] = c->b[i];
    }
}

const int *mbs_cod_order(const struct mbs_cod *c)
{
    return c->order;
}

double mbs_cod_smallest(const struct mbs_cod *c)
{
    return c->smallest;
}
