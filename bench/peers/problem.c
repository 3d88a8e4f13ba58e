/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See problem.h.  Compile with -DMODEL=NAME_model and the generated NAME.c. */
#include "problem.h"
#include "mbs/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

extern const struct mbs_model MODEL;

enum { MAX = 64 };          /* coordinates and constraints together */
enum form { INDEX3, INDEX2, INDEX1, GGL };

struct problem problem;
static enum form form;
static double *c, *w, *l, start_q[MAX], start_v[MAX], reference[4 * MAX];
static double M[MAX * MAX], G[MAX * MAX], rq[MAX * MAX], rv[MAX * MAX], gvq[MAX * MAX], gaq[MAX * MAX], gav[MAX * MAX], gmuq[MAX * MAX];
static double dense[MAX * MAX];
static int pivot[MAX];
static long count_f, count_jacobian;

/* --- the saddle point [M G'; G 0] --------------------------------------------------------------------- */

/* By the solver in the generated file if there is one, else by Gaussian elimination with partial pivoting. */
static void factor(void)
{
    int n = problem.n, m = problem.m, N = n + m;

    if (MODEL.factor && MODEL.factor(M, G, l) == 0) {
        pivot[0] = -1;
        return;
    }
    memset(dense, 0, sizeof dense);
    for (int j = 0; j < n; j++)
        for (int k = MODEL.M.colptr[j]; k < MODEL.M.colptr[j + 1]; k++)
            dense[j * N + MODEL.M.rowidx[k]] = dense[MODEL.M.rowidx[k] * N + j] = M[k];
    for (int j = 0; j < n; j++)
        for (int k = MODEL.G.colptr[j]; k < MODEL.G.colptr[j + 1]; k++)
            dense[j * N + n + MODEL.G.rowidx[k]] = dense[(n + MODEL.G.rowidx[k]) * N + j] = G[k];
    for (int k = 0; k < N; k++) {
        int p = k;
        for (int i = k + 1; i < N; i++)
            if (fabs(dense[k * N + i]) > fabs(dense[k * N + p]))
                p = i;
        pivot[k] = p;
        for (int j = 0; p != k && j < N; j++) {
            double t = dense[j * N + k];
            dense[j * N + k] = dense[j * N + p];
            dense[j * N + p] = t;
        }
        for (int i = k + 1; i < N; i++)
            dense[k * N + i] /= dense[k * N + k];
        for (int j = k + 1; j < N; j++)
            for (int i = k + 1; i < N; i++)
                dense[j * N + i] -= dense[k * N + i] * dense[j * N + k];
    }
}

static void solve(double *x)
{
    int N = problem.n + problem.m;

    if (pivot[0] < 0) {
        MODEL.solve(l, x);
        return;
    }
    for (int k = 0; k < N; k++) {
        double t = x[pivot[k]];
        x[pivot[k]] = x[k];
        x[k] = t;
    }
    for (int k = 0; k < N; k++)
        for (int i = k + 1; i < N; i++)
            x[i] -= dense[k * N + i] * x[k];
    for (int k = N - 1; k >= 0; k--) {
        x[k] /= dense[k * N + k];
        for (int i = 0; i < k; i++)
            x[i] -= dense[k * N + i] * x[k];
    }
}

/* x = (a, lambda); the factors stay for problem_ode_jacobian. */
static void accelerations(double t, const double *q, const double *v, double *x)
{
    struct mbs_state s = { .t = t, .q = q, .v = v };
    struct mbs_dynamics out = { .M = M, .f = x, .G = G, .gamma = x + problem.n };

    MODEL.dynamics(c, &s, &out, w);
    for (int i = 0; i < problem.m; i++)
        x[problem.n + i] = -x[problem.n + i];
    factor();
    solve(x);
}

/* --- start and end ---------------------------------------------------------------------------------------- */

int problem_open(const char *start, const char *path, const char *name)
{
    static const char *const names[] = { "index3", "index2", "index1", "ggl" };
    int n = MODEL.nq, m = MODEL.ng, count = 0, good = 1;
    double *p = malloc((size_t)(MODEL.np + 1) * sizeof *p);
    char line[512], value[128];
    FILE *f = fopen(start, "r");

    problem = (struct problem){ n, m, 0, 2 * n + m, 3 * n + m, MODEL.experiment.to };
    if (!f || MODEL.abi != MBS_ABI || MODEL.nh || MODEL.nz || MODEL.nu || n + m > MAX)
        return 0;
    for (int i = 0; i < n; i++)
        good &= fscanf(f, "%lf", &start_q[i]) == 1;
    for (int i = 0; i < n; i++)
        good &= fscanf(f, "%lf", &start_v[i]) == 1;
    fclose(f);
    f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f) && count < 4 * MAX)
        if (line[0] != '#' && sscanf(line, "%*s %*s %127s", value) == 1)
            reference[count++] = strtod(value, NULL);
    if (f)
        fclose(f);
    for (form = INDEX3; form <= GGL && strcmp(names[form], name) != 0;)
        form++;
    problem.index = form == INDEX3 ? 3 : form == INDEX1 ? 1 : 2;
    if (form == GGL) {
        problem.order += m;
        problem.full += m;
    }
    c = malloc((size_t)(MODEL.nc + 1) * sizeof *c);
    w = malloc((size_t)(MODEL.nw + 1) * sizeof *w);
    l = malloc((size_t)(MODEL.nl + 1) * sizeof *l);
    MODEL.defaults(p, NULL);
    MODEL.setup(p, c);
    free(p);
    return good && count == 3 * n + m && form <= GGL;
}

double problem_scd(const double *q, const double *v, const double *lambda)
{
    int n = problem.n, m = problem.m;
    double worst = 0, own = 0, solved = 0, x[MAX];

    for (int i = 0; i < 7; i++)
        worst = fmax(worst, fabs((q[i] - reference[i]) / reference[i]));
    if (strcmp(MODEL.name, "crank") == 0) {
        accelerations(problem.end, q, v, x);
        for (int i = 0; i < m; i++) {
            double exact = reference[3 * n + i];
            solved = fmax(solved, fabs((x[n + i] - exact) / exact));
            own = lambda ? fmax(own, fabs((lambda[i] - exact) / exact)) : INFINITY;
        }
        worst = fmax(worst, fmin(solved, own));
    }
    return -log10(worst);
}

static void start(double *y, double *x)
{
    memcpy(y, start_q, (size_t)problem.n * sizeof *y);
    memcpy(y + problem.n, start_v, (size_t)problem.n * sizeof *y);
    accelerations(0, start_q, start_v, x);
}

void problem_implicit_start(double *y, double *yp)
{
    int n = problem.n;
    double x[MAX];

    start(y, x);
    memset(y + 2 * n, 0, (size_t)(problem.order - 2 * n) * sizeof *y);
    memcpy(y + 2 * n, x + n, (size_t)problem.m * sizeof *y);
    memset(yp, 0, (size_t)problem.order * sizeof *yp);
    memcpy(yp, start_v, (size_t)n * sizeof *yp);
    memcpy(yp + n, x, (size_t)n * sizeof *yp);
}

void problem_full_start(double *y)
{
    int n = problem.n;
    double x[MAX];

    start(y, x);
    memset(y + 2 * n, 0, (size_t)(problem.full - 2 * n) * sizeof *y);
    memcpy(y + 2 * n, x, (size_t)(n + problem.m) * sizeof *y);
}

void problem_ode_start(double *y)
{
    double x[MAX];
    start(y, x);
}

long problem_count_f(void) { return count_f; }
long problem_count_jacobian(void) { return count_jacobian; }
void problem_count_reset(void) { count_f = count_jacobian = 0; }

double problem_cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- the systems ------------------------------------------------------------------------------------------ */

/* q' = v [- G' mu], r = M a - f + G' lambda, and the constraints of the form: rows (r, constraint [, g]). */
static void equations(const struct mbs_state *x, double *qdot, double *r)
{
    struct mbs_residual out = { .r = r };
    double *row = r + problem.n;

    count_f++;
    if (form == INDEX3)
        out.g = row;
    else if (form == INDEX1)
        out.ga = row;
    else
        out.gv = row;
    if (form == GGL) {
        out.g = row + problem.m;
        out.Gtmu = qdot;
    }
    MODEL.residual(c, x, &out, w);
    for (int i = 0; i < problem.n; i++)
        qdot[i] = form == GGL ? x->v[i] - qdot[i] : x->v[i];
}

static void derivatives(const struct mbs_state *x)
{
    struct mbs_jacobian out = { .rq = rq, .rv = rv, .M = M, .G = G };

    count_jacobian++;
    if (form == INDEX1) {
        out.gaq = gaq;
        out.gav = gav;
    } else if (form != INDEX3) {
        out.gvq = gvq;
    }
    if (form == GGL)
        out.gmuq = gmuq;
    MODEL.jacobian(c, x, &out, w);
}

/* J(row.., col..) += factor * block in a matrix by columns of N rows. */
enum shape { PLAIN, TRANSPOSED, SYMMETRIC };
static void add(double *J, int N, int row, int col, double by, const struct mbs_pattern *p, const double *value, enum shape shape)
{
    for (int j = 0; j < p->cols && p->nnz; j++)
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
            int i = p->rowidx[k];
            if (shape != TRANSPOSED)
                J[(col + j) * N + row + i] += by * value[k];
            if (shape == TRANSPOSED || (shape == SYMMETRIC && i != j))
                J[(col + i) * N + row + j] += by * value[k];
        }
}

/* Derivatives of the rows (r, constraint [, g]), from row n on: by q, v and lambda, and by the accelerations, which stand
 * `by` times in column a.  Those of q' = v - G' mu, times -1, in rows 0 .. n-1. */
static void rows(double *J, int N, int row, int a, double by, int lambda)
{
    int n = problem.n, m = problem.m, g = row + n;

    add(J, N, row, 0, 1, &MODEL.rq, rq, PLAIN);
    add(J, N, row, n, 1, &MODEL.rv, rv, PLAIN);
    add(J, N, row, a, by, &MODEL.M, M, SYMMETRIC);
    add(J, N, row, lambda, 1, &MODEL.G, G, TRANSPOSED);
    switch (form) {
    case INDEX3:
        add(J, N, g, 0, 1, &MODEL.G, G, PLAIN);
        break;
    case INDEX1:
        add(J, N, g, 0, 1, &MODEL.gaq, gaq, PLAIN);
        add(J, N, g, n, 1, &MODEL.gav, gav, PLAIN);
        add(J, N, g, a, by, &MODEL.G, G, PLAIN);
        break;
    case GGL:
        add(J, N, 0, 0, 1, &MODEL.gmuq, gmuq, PLAIN);
        add(J, N, 0, lambda + m, 1, &MODEL.G, G, TRANSPOSED);
        add(J, N, g + m, 0, 1, &MODEL.G, G, PLAIN); /* fall through */
    case INDEX2:
        add(J, N, g, 0, 1, &MODEL.gvq, gvq, PLAIN);
        add(J, N, g, n, 1, &MODEL.G, G, PLAIN);
    }
}

static struct mbs_state implicit_state(double t, const double *y, const double *yp)
{
    int n = problem.n;
    return (struct mbs_state){ .t = t, .q = y, .v = y + n, .a = yp + n, .lambda = y + 2 * n, .mu = y + 2 * n + problem.m };
}

void problem_residual(double t, const double *y, const double *yp, double *r)
{
    struct mbs_state x = implicit_state(t, y, yp);

    equations(&x, r, r + problem.n);
    for (int i = 0; i < problem.n; i++)
        r[i] = yp[i] - r[i];
}

void problem_iteration(double t, double cj, const double *y, const double *yp, double *J)
{
    int n = problem.n, N = problem.order;
    struct mbs_state x = implicit_state(t, y, yp);

    derivatives(&x);
    memset(J, 0, (size_t)(N * N) * sizeof *J);
    for (int i = 0; i < n; i++) {
        J[i * N + i] = cj;
        J[(n + i) * N + i] = -1;
    }
    rows(J, N, n, n, cj, 2 * n);
}

static struct mbs_state full_state(double t, const double *y)
{
    int n = problem.n;
    return (struct mbs_state){ .t = t, .q = y, .v = y + n, .a = y + 2 * n, .lambda = y + 3 * n, .mu = y + 3 * n + problem.m };
}

void problem_full(double t, const double *y, double *f)
{
    int n = problem.n;
    struct mbs_state x = full_state(t, y);

    equations(&x, f, f + 2 * n);
    memcpy(f + n, y + 2 * n, (size_t)n * sizeof *f);
}

void problem_full_jacobian(double t, const double *y, double *J)
{
    int n = problem.n, N = problem.full;
    struct mbs_state x = full_state(t, y);

    derivatives(&x);
    memset(J, 0, (size_t)(N * N) * sizeof *J);
    rows(J, N, 2 * n, 2 * n, 1, 3 * n);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < n; i++)
            J[j * N + i] = -J[j * N + i];
    for (int i = 0; i < n; i++)
        J[(n + i) * N + i] = J[(2 * n + i) * N + n + i] = 1;
}

void problem_ode(double t, const double *y, double *f)
{
    double x[MAX];

    count_f++;
    accelerations(t, y, y + problem.n, x);
    memcpy(f, y + problem.n, (size_t)problem.n * sizeof *f);
    memcpy(f + problem.n, x, (size_t)problem.n * sizeof *f);
}

/* From M a - f + G' lambda = 0 and G a + gamma = 0 by implicit differentiation. */
void problem_ode_jacobian(double t, const double *y, double *J)
{
    int n = problem.n, m = problem.m, N = 2 * n;
    double x[MAX], both[2 * MAX * MAX];
    struct mbs_state s = { .t = t, .q = y, .v = y + n, .a = x, .lambda = x + n };
    struct mbs_jacobian out = { .rq = rq, .rv = rv, .M = M, .G = G, .gaq = gaq, .gav = gav };

    accelerations(t, y, y + n, x);
    count_jacobian++;
    MODEL.jacobian(c, &s, &out, w);
    memset(both, 0, sizeof both);
    add(both, n + m, 0, 0, -1, &MODEL.rq, rq, PLAIN);
    add(both, n + m, 0, n, -1, &MODEL.rv, rv, PLAIN);
    add(both, n + m, n, 0, -1, &MODEL.gaq, gaq, PLAIN);
    add(both, n + m, n, n, -1, &MODEL.gav, gav, PLAIN);
    memset(J, 0, (size_t)(N * N) * sizeof *J);
    for (int j = 0; j < N; j++) {
        solve(both + j * (n + m));
        memcpy(J + j * N + n, both + j * (n + m), (size_t)n * sizeof *J);
    }
    for (int i = 0; i < n; i++)
        J[(n + i) * N + i] = 1;
}
