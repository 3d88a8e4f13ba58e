/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A 128-bit reference solution of any model without states: its generated code with __float128 for
 * double (reference_model.sh rewrites and compiles it), index-1 form, Gragg-Bulirsch-Stoer
 * extrapolation of order 24 with step control; the start by Newton iterations with minimum norm.
 * Independent of libmbs; what depends on the compiler alone is checked elsewhere.
 *
 *     reference TOLERANCE END [break=TIME] [name=value ...]
 *
 * break= is a time where a force jumps: the integration starts anew just after it.
 *
 * MODEL is the descriptor; mbs/model.h is rewritten in the same way. */
#include "mbs/model.h"
#include <quadmath.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef __float128 Real;
extern const struct mbs_model MODEL;

enum { COLUMNS = 12 };
static const struct mbs_model *const m = &MODEL;
static Real *c, *w, *u, *A, *M, *G, *f, *g, *gt, *gamma_, *T[COLUMNS];
static int nq, rows, ny;
static long evaluations;

static Real *zeros(int n)
{
    return calloc((size_t)n + 1, sizeof(Real));
}

/* A x = b by elimination with row pivoting, A by rows; b becomes x. */
static void eliminate(int n, Real *a, Real *b)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            best = fabsq(a[n*i + k]) > fabsq(a[n*best + k]) ? i : best;
        for (int j = 0; j < n && best != k; j++) {
            Real s = a[n*k + j];
            a[n*k + j] = a[n*best + j], a[n*best + j] = s;
        }
        Real s = b[k];
        b[k] = b[best], b[best] = s;
        for (int i = k + 1; i < n; i++) {
            Real l = a[n*i + k]/a[n*k + k];
            for (int j = k; l != 0 && j < n; j++)
                a[n*i + j] -= l*a[n*k + j];
            b[i] -= l*b[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++)
            b[i] -= a[n*i + j]*b[j];
        b[i] /= a[n*i + i];
    }
}

/* (a, lambda) at (t, q, v) */
static void accelerations(Real t, const Real *q, const Real *v, Real *b)
{
    int n = nq + rows;
    struct mbs_state x = {.t = t, .q = q, .v = v, .u = u};
    struct mbs_dynamics out = {.M = M, .f = f, .G = G, .gamma = gamma_};
    m->dynamics(c, &x, &out, w);
    evaluations++;
    memset(A, 0, sizeof(Real)*(size_t)(n*n));
    for (int j = 0; j < nq; j++) {
        for (int k = m->M.colptr[j]; k < m->M.colptr[j + 1]; k++)
            A[n*m->M.rowidx[k] + j] = A[n*j + m->M.rowidx[k]] = M[k];
        for (int k = m->G.colptr[j]; k < m->G.colptr[j + 1]; k++)
            A[n*(nq + m->G.rowidx[k]) + j] = A[n*j + nq + m->G.rowidx[k]] = G[k];
        b[j] = f[j];
    }
    for (int i = 0; i < rows; i++)
        b[nq + i] = -gamma_[i];
    eliminate(n, A, b);
}

/* y += -W G' (G W G')^-1 r, with W = 0 for the fixed entries. */
static void correct(Real *y, const unsigned char *fixed, int n, const Real *r)
{
    Real *b = zeros(n);
    memset(A, 0, sizeof(Real)*(size_t)(n*n));
    for (int j = 0; j < nq; j++)
        for (int k = m->G.colptr[j]; fixed[j] != MBS_INIT_FIXED && k < m->G.colptr[j + 1]; k++)
            for (int l = m->G.colptr[j]; l < m->G.colptr[j + 1]; l++)
                if (m->G.rowidx[k] < n && m->G.rowidx[l] < n)
                    A[n*m->G.rowidx[k] + m->G.rowidx[l]] += G[k]*G[l];
    for (int i = 0; i < n; i++)
        b[i] = r[i];
    eliminate(n, A, b);
    for (int j = 0; j < nq; j++)
        for (int k = m->G.colptr[j]; fixed[j] != MBS_INIT_FIXED && k < m->G.colptr[j + 1]; k++)
            if (m->G.rowidx[k] < n)
                y[j] -= G[k]*b[m->G.rowidx[k]];
    free(b);
}

/* Positions, then velocities, onto the constraints; nothing is done where they hold already. */
static void assemble(Real *q, Real *v)
{
    struct mbs_state x = {.t = 0, .q = q, .v = v, .u = u};
    struct mbs_constraints con = {.g = g, .G = G, .gt = gt};
    for (int it = 0; it < 60; it++) {
        Real worst = 0;
        m->constraints(c, &x, &con, w);
        for (int i = 0; i < m->ng; i++)
            worst = fmaxq(worst, fabsq(g[i]));
        if (worst < 1e-31Q)
            break;
        correct(q, m->q_init, m->ng, g);
    }
    m->constraints(c, &x, &con, w);
    Real worst = 0;
    for (int j = 0; j < nq; j++)
        for (int k = m->G.colptr[j]; k < m->G.colptr[j + 1]; k++)
            gt[m->G.rowidx[k]] += G[k]*v[j];
    for (int i = 0; i < rows; i++)
        worst = fmaxq(worst, fabsq(gt[i]));
    if (worst > 1e-30Q)
        correct(v, m->v_init, rows, gt);
}

static void rate(Real t, const Real *y, Real *dy)
{
    static Real *x;
    x = x ? x : zeros(nq + rows);
    accelerations(t, y, y + nq, x);
    memcpy(dy, y + nq, sizeof(Real)*(size_t)nq);
    memcpy(dy + nq, x, sizeof(Real)*(size_t)nq);
}

/* Modified midpoint rule with n substeps. */
static void midpoint(Real t, const Real *y0, const Real *d0, Real H, int n, Real *y)
{
    static Real *a, *d;
    a = a ? a : zeros(ny), d = d ? d : zeros(ny);
    Real h = H/n;
    for (int i = 0; i < ny; i++)
        a[i] = y0[i], y[i] = y0[i] + h*d0[i];
    for (int k = 1; k < n; k++) {
        rate(t + k*h, y, d);
        for (int i = 0; i < ny; i++) {
            Real next = a[i] + 2*h*d[i];
            a[i] = y[i], y[i] = next;
        }
    }
}

/* One step with all columns; returns the difference of the last two relative to the size of y. */
static Real extrapolate(Real t, const Real *y0, Real H, Real *row)
{
    static Real *d0;
    Real err = 0;
    d0 = d0 ? d0 : zeros(ny);
    rate(t, y0, d0);
    for (int j = 0; j < COLUMNS; j++) {
        midpoint(t, y0, d0, H, 2*(j + 1), row);
        for (int k = 0; k < j; k++) {
            Real ratio = (Real)(j + 1)/(j - k);
            for (int i = 0; i < ny; i++) {
                Real next = row[i] + (row[i] - T[k][i])/(ratio*ratio - 1);
                if (j == COLUMNS - 1 && k == j - 1)
                    err = fmaxq(err, fabsq(next - row[i])/(1e-6Q + fabsq(y0[i])));
                T[k][i] = row[i];
                row[i] = next;
            }
        }
        memcpy(T[j], row, sizeof(Real)*(size_t)ny);
    }
    return err;
}

static void integrate(Real *y, Real from, Real end, Real tol)
{
    Real t = from, H = (end - from)*1e-5Q, *next = zeros(ny);
    long steps = 0, rejected = 0;
    while (t < end) {
        if (t + H*1.0000001Q > end)
            H = end - t;
        Real err = extrapolate(t, y, H, next);
        Real factor = 0.9Q*powq(tol/fmaxq(err, 1e-40Q), 1/(2*COLUMNS - 1.0Q));
        factor = factor > 2 ? 2 : factor > 0.2Q ? factor : 0.2Q;
        if (err <= tol) {
            t += H, steps++;
            memcpy(y, next, sizeof(Real)*(size_t)ny);
        } else {
            rejected++;
        }
        H *= factor;
    }
    fprintf(stderr, "%ld steps, %ld rejected, %ld evaluations\n", steps, rejected, evaluations);
}

static void show(const char *name, const char *prime, Real end, Real start)
{
    char a[64], b[64], n[128];
    snprintf(n, sizeof n, prime ? "%s%s" : "lambda[%s]", name, prime);
    quadmath_snprintf(a, sizeof a, "%.33QE", end);
    quadmath_snprintf(b, sizeof b, "%.33QE", start);
    printf("%-18s - %41s %41s\n", n, a, b);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    nq = m->nq, rows = m->ng + m->nh, ny = 2*nq;
    int n = nq + rows;
    Real *p = zeros(m->np), *y = zeros(ny), *z = zeros(m->nz), end = strtoflt128(argv[2], NULL);
    unsigned char *given = calloc((size_t)m->np + 1, 1);
    c = zeros(m->nc), w = zeros(m->nw), u = zeros(m->nu), A = zeros(n*n), M = zeros(m->M.nnz), G = zeros(m->G.nnz);
    f = zeros(nq), g = zeros(m->ng), gt = zeros(rows), gamma_ = zeros(rows);
    for (int i = 0; i < COLUMNS; i++)
        T[i] = zeros(ny);
    Real jump = 0;
    for (int k = 3; k < argc; k++) {
        if (!strncmp(argv[k], "break=", 6))
            jump = strtoflt128(argv[k] + 6, NULL);
        for (int i = 0; i < m->np; i++) {
            size_t l = strlen(m->param[i].name);
            if (!strncmp(argv[k], m->param[i].name, l) && argv[k][l] == '=')
                p[i] = strtoflt128(argv[k] + l + 1, NULL), given[i] = 1;
        }
    }
    m->defaults(p, given);
    m->setup(p, c);
    m->initial(c, y, y + nq, z, u);
    assemble(y, y + nq);

    Real *y0 = zeros(ny), *x0 = zeros(n), *x1 = zeros(n);
    memcpy(y0, y, sizeof(Real)*(size_t)ny);
    accelerations(0, y, y + nq, x0);
    Real tol = strtoflt128(argv[1], NULL);
    if (jump > 0)
        integrate(y, 0, jump, tol);
    integrate(y, jump*(1 + 1e-33Q), end, tol);
    accelerations(end, y, y + nq, x1);
    for (int i = 0; i < nq; i++)
        show(m->coord[i].name, "", y[i], y0[i]);
    for (int i = 0; i < nq; i++)
        show(m->coord[i].name, "'", y[nq + i], y0[nq + i]);
    for (int i = 0; i < nq; i++)
        show(m->coord[i].name, "''", x1[i], x0[i]);
    for (int i = 0; i < rows; i++)
        show(m->constraint[i].name, NULL, x1[nq + i], x0[nq + i]);
    return 0;
}
