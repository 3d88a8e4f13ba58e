/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Derivatives of the end state by all parameters, forward: SUNDIALS IDAS and libmbs on the same generated code, from the same start, in one process.
 *
 *     idas [REPEAT]
 *
 * IDAS gets exact residuals of the derivatives and the exact iteration matrix; it solves the equations of index 1 or of index 2 with the multipliers out of
 * the error test, by the staggered or the simultaneous corrector.  Prints a line a run: who, tolerance, seconds, error; error: the largest of
 * |p_k d(q_i, v_i)/dp_k - reference| over the largest of its kind, where the reference is dop853's at 1e-13. */
#define _POSIX_C_SOURCE 199309L
#include "mbs/mbs.h"

#include <idas/idas.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <time.h>

extern const struct mbs_model MODEL;
static const struct mbs_model *const model = &MODEL;
static int n, m, np, N, level;          /* level: 1 or 2, the index */
static double *p, *c, *w, *u;
static struct mbs_jacobian jac;
static struct mbs_sensitivity by;
static double *start_q, *start_v, *start_a, *start_l;   /* and their derivatives, np columns behind them */

static double *array(long count)
{
    double *x = calloc((size_t)count + 1, sizeof *x);
    if (!x)
        exit(1);
    return x;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- ours ---- */

static int on_row(void *user, const struct mbs_state *x, const double *y)
{
    (void)user, (void)x, (void)y;
    return 0;
}

/* dq, dv: np columns.  begin: only the start, which goes to start_*. */
static int ours(const char *method, double tolerance, int begin, double *dq, double *dv)
{
    struct mbs_options o;
    struct mbs_sim *s;
    struct mbs_run run;
    double to = model->experiment.to;
    mbs_options_init(&o, model);
    o.witness = 1;
    o.method = method;
    o.rtol = o.atol = tolerance;
    if (mbs_new(&s, model, NULL, &o, NULL) || mbs_assemble(s, 0) || mbs_derivatives_begin(s, 0))
        return 1;
    if (begin) {
        const struct mbs_derivatives *d = mbs_derivatives(s);
        const struct mbs_state *x = mbs_state(s);
        memcpy(start_q, x->q, (size_t)n * sizeof *p), memcpy(start_q + n, d->q, (size_t)(np * n) * sizeof *p);
        memcpy(start_v, x->v, (size_t)n * sizeof *p), memcpy(start_v + n, d->v, (size_t)(np * n) * sizeof *p);
        memcpy(start_a, x->a, (size_t)n * sizeof *p), memcpy(start_a + n, d->a, (size_t)(np * n) * sizeof *p);
        memcpy(start_l, x->lambda, (size_t)m * sizeof *p), memcpy(start_l + m, d->lambda, (size_t)(np * m) * sizeof *p);
        mbs_free(s);
        return 0;
    }
    mbs_run_init(&run, model);
    run.to = to;
    run.times = &to;
    run.ntimes = 1;
    run.output = on_row;
    int status = mbs_run(s, &run);
    memcpy(dq, mbs_derivatives(s)->q, (size_t)(np * n) * sizeof *dq);
    memcpy(dv, mbs_derivatives(s)->v, (size_t)(np * n) * sizeof *dv);
    mbs_free(s);
    return status;
}

/* ---- IDAS ---- */

static void multiply(const struct mbs_pattern *pattern, const double *val, double s, const double *x, double *y)
{
    for (int j = 0, k = 0; pattern->nnz && j < pattern->cols; j++)
        for (; k < pattern->colptr[j + 1]; k++)
            y[pattern->rowidx[k]] += s * val[k] * x[j];
}
static void multiply_t(const struct mbs_pattern *pattern, const double *val, double s, const double *x, double *y)
{
    for (int j = 0, k = 0; pattern->nnz && j < pattern->cols; j++)
        for (; k < pattern->colptr[j + 1]; k++)
            y[j] += s * val[k] * x[pattern->rowidx[k]];
}
static void multiply_mass(const double *x, double *y)
{
    for (int j = 0, k = 0; j < n; j++)
        for (; k < model->M.colptr[j + 1]; k++) {
            int i = model->M.rowidx[k];
            y[i] += jac.M[k] * x[j];
            if (i != j)
                y[j] += jac.M[k] * x[i];
        }
}

static struct mbs_state point(double t, N_Vector y, N_Vector yp)
{
    const double *x = N_VGetArrayPointer(y);
    return (struct mbs_state){.t = t, .q = x, .v = x + n, .a = N_VGetArrayPointer(yp) + n, .lambda = x + 2 * n, .u = u};
}

static int residual(realtype t, N_Vector y, N_Vector yp, N_Vector out, void *user)
{
    double *r = N_VGetArrayPointer(out), *x = N_VGetArrayPointer(y), *xp = N_VGetArrayPointer(yp);
    struct mbs_state at = point(t, y, yp);
    struct mbs_residual f = {.r = r + n, .zdot = NULL, .gv = level == 2 ? r + 2 * n : NULL, .ga = level == 1 ? r + 2 * n : NULL};
    (void)user;
    for (int i = 0; i < n; i++)
        r[i] = xp[i] - x[n + i];
    model->residual(c, &at, &f, w);
    return 0;
}

static void put(const struct mbs_pattern *pattern, const double *val, double s, int row, int column, int kind, double *A)
{
    for (int j = 0, k = 0; pattern->nnz && j < pattern->cols; j++)
        for (; k < pattern->colptr[j + 1]; k++) {
            int i = pattern->rowidx[k];
            A[kind == 't' ? (column + i) * N + row + j : (column + j) * N + row + i] += s * val[k];
            if (kind == 's' && i != j)
                A[(column + i) * N + row + j] += s * val[k];
        }
}

static int iteration(realtype t, realtype cj, N_Vector y, N_Vector yp, N_Vector r, SUNMatrix matrix, void *user, N_Vector t1, N_Vector t2, N_Vector t3)
{
    struct mbs_state at = point(t, y, yp);
    struct mbs_jacobian J = jac;
    double *A = SUNDenseMatrix_Data(matrix);
    (void)r, (void)user, (void)t1, (void)t2, (void)t3;
    if (level == 1)
        J.gvq = NULL;
    else
        J.gaq = J.gav = NULL;
    model->jacobian(c, &at, &J, w);
    memset(A, 0, (size_t)(N * N) * sizeof *A);
    for (int i = 0; i < n; i++) {
        A[i * N + i] = cj;
        A[(n + i) * N + i] = -1;
    }
    put(&model->rq, jac.rq, 1, n, 0, 'f', A);
    put(&model->rv, jac.rv, 1, n, n, 'f', A);
    put(&model->M, jac.M, cj, n, n, 's', A);
    put(&model->G, jac.G, 1, n, 2 * n, 't', A);
    put(level == 1 ? &model->gaq : &model->gvq, level == 1 ? jac.gaq : jac.gvq, 1, 2 * n, 0, 'f', A);
    if (level == 1)
        put(&model->gav, jac.gav, 1, 2 * n, n, 'f', A);
    put(&model->G, jac.G, level == 1 ? cj : 1, 2 * n, n, 'f', A);
    return 0;
}

static void add_column(const struct mbs_pattern *pattern, const double *val, int k, double *r)
{
    for (int i = pattern->nnz ? pattern->colptr[k] : 0; i < (pattern->nnz ? pattern->colptr[k + 1] : 0); i++)
        r[pattern->rowidx[i]] += val[i];
}

/* The equations of the derivatives: evaluated once for all parameters. */
static int derivatives(int count, realtype t, N_Vector y, N_Vector yp, N_Vector r0, N_Vector *S, N_Vector *Sp, N_Vector *R, void *user, N_Vector t1,
                       N_Vector t2, N_Vector t3)
{
    struct mbs_state at = point(t, y, yp);
    struct mbs_jacobian J = jac;
    struct mbs_sensitivity b = by;
    (void)r0, (void)user, (void)t1, (void)t2, (void)t3;
    if (level == 1)
        J.gvq = NULL;
    else
        J.gaq = J.gav = NULL, b.gap = NULL;
    b.yq = b.yv = b.ya = b.yl = b.yz = b.yp = NULL;
    model->jacobian(c, &at, &J, w);
    model->sensitivity(c, &at, &b, w);
    for (int k = 0; k < count; k++) {
        double *s = N_VGetArrayPointer(S[k]), *sp = N_VGetArrayPointer(Sp[k]), *r = N_VGetArrayPointer(R[k]);
        for (int i = 0; i < n; i++)
            r[i] = sp[i] - s[n + i];
        memset(r + n, 0, (size_t)(n + m) * sizeof *r);
        multiply(&model->rq, jac.rq, 1, s, r + n);
        multiply(&model->rv, jac.rv, 1, s + n, r + n);
        multiply_mass(sp + n, r + n);
        multiply_t(&model->G, jac.G, 1, s + 2 * n, r + n);
        add_column(&model->rp, by.rp, k, r + n);
        if (level == 1) {
            multiply(&model->gaq, jac.gaq, 1, s, r + 2 * n);
            multiply(&model->gav, jac.gav, 1, s + n, r + 2 * n);
            multiply(&model->G, jac.G, 1, sp + n, r + 2 * n);
            add_column(&model->gap, by.gap, k, r + 2 * n);
        } else {
            multiply(&model->gvq, jac.gvq, 1, s, r + 2 * n);
            multiply(&model->G, jac.G, 1, s + n, r + 2 * n);
            add_column(&model->gvp, by.gvp, k, r + 2 * n);
        }
    }
    return 0;
}

static int idas(int corrector, int error_control, double tolerance, double *dq, double *dv)
{
    SUNContext context;
    SUNContext_Create(NULL, &context);
    void *mem = IDACreate(context);
    N_Vector y = N_VNew_Serial(N, context), yp = N_VNew_Serial(N, context), kind = N_VNew_Serial(N, context);
    N_Vector *S = N_VCloneVectorArray(np, y), *Sp = N_VCloneVectorArray(np, y);
    SUNMatrix A = SUNDenseMatrix(N, N, context);
    SUNLinearSolver solver = SUNLinSol_Dense(y, A, context);
    double t = 0, *size = array(np);
    for (int k = -1; k < np; k++) {
        double *x = N_VGetArrayPointer(k < 0 ? y : S[k]), *xp = N_VGetArrayPointer(k < 0 ? yp : Sp[k]);
        memcpy(x, start_q + (k + 1) * n, (size_t)n * sizeof *x), memcpy(x + n, start_v + (k + 1) * n, (size_t)n * sizeof *x);
        memcpy(x + 2 * n, start_l + (k + 1) * m, (size_t)m * sizeof *x);
        memcpy(xp, start_v + (k + 1) * n, (size_t)n * sizeof *x), memcpy(xp + n, start_a + (k + 1) * n, (size_t)n * sizeof *x);
        memset(xp + 2 * n, 0, (size_t)m * sizeof *x);
        if (k >= 0)
            size[k] = p[model->sensitive[k]] != 0 ? fabs(p[model->sensitive[k]]) : 1;
    }
    for (int i = 0; i < N; i++)
        N_VGetArrayPointer(kind)[i] = i < 2 * n;
    IDASetErrFile(mem, NULL);
    IDAInit(mem, residual, 0, y, yp);
    IDASStolerances(mem, tolerance, tolerance);
    IDASetId(mem, kind);
    IDASetSuppressAlg(mem, 1);
    IDASetMaxNumSteps(mem, 50000);
    IDASetLinearSolver(mem, solver, A);
    IDASetJacFn(mem, iteration);
    IDASensInit(mem, np, corrector, derivatives, S, Sp);
    IDASetSensParams(mem, NULL, size, NULL);
    IDASensEEtolerances(mem);
    IDASetSensErrCon(mem, error_control);
    IDASetStopTime(mem, model->experiment.to);
    int code = IDASolve(mem, model->experiment.to, &t, y, yp, IDA_NORMAL);
    if (code >= 0)
        code = IDAGetSens(mem, &t, S);
    for (int k = 0; k < np; k++) {
        memcpy(dq + k * n, N_VGetArrayPointer(S[k]), (size_t)n * sizeof *dq);
        memcpy(dv + k * n, N_VGetArrayPointer(S[k]) + n, (size_t)n * sizeof *dv);
    }
    IDAFree(&mem);
    SUNLinSolFree(solver);
    SUNMatDestroy(A);
    N_VDestroyVectorArray(S, np);
    N_VDestroyVectorArray(Sp, np);
    N_VDestroy(y), N_VDestroy(yp), N_VDestroy(kind);
    SUNContext_Free(&context);
    free(size);
    return code < 0;
}

/* ---- both ---- */

static double error_of(const double *x, const double *reference)
{
    double off = 0, all = 0;
    for (int k = 0; k < np; k++)
        for (int i = 0; i < n; i++) {
            double size = p[model->sensitive[k]] != 0 ? fabs(p[model->sensitive[k]]) : 1;
            off = fmax(off, size * fabs(x[k * n + i] - reference[k * n + i]));
            all = fmax(all, size * fabs(reference[k * n + i]));
        }
    return off / all;
}

int main(int argc, char **argv)
{
    static const char *const mine[] = {"dop853", "radau5"};
    int repeat = argc > 1 ? atoi(argv[1]) : 3;
    n = model->nq, m = model->ng + model->nh, np = model->nsensitive, N = 2 * n + m;
    p = array(model->np), c = array(model->nc), w = array(model->nw), u = array(model->nu);
    start_q = array((np + 1) * n), start_v = array((np + 1) * n), start_a = array((np + 1) * n), start_l = array((np + 1) * m);
    jac = (struct mbs_jacobian){.rq = array(model->rq.nnz), .rv = array(model->rv.nnz), .M = array(model->M.nnz), .G = array(model->G.nnz),
                                .gvq = array(model->gvq.nnz), .gaq = array(model->gaq.nnz), .gav = array(model->gav.nnz)};
    by = (struct mbs_sensitivity){.rp = array(model->rp.nnz), .gp = array(model->gp.nnz), .gvp = array(model->gvp.nnz), .gap = array(model->gap.nnz)};
    double *q = array(np * n), *v = array(np * n), *rq = array(np * n), *rv = array(np * n);
    model->defaults(p, NULL);
    model->setup(p, c);
    if (model->nz || ours("dop853", 1e-9, 1, NULL, NULL) || ours("dop853", 1e-13, 0, rq, rv) || ours("radau5", 1e-12, 0, q, v))
        return 1;
    printf("# radau5 at 1e-12 is %.1e from the reference\n", fmax(error_of(q, rq), error_of(v, rv)));
    for (double tolerance = 1e-4; tolerance > 0.9e-9; tolerance /= 10) {
        for (int who = 0; who < 2 + 6; who++) {
            double best = HUGE_VAL;
            char name[64];
            int failed = 0, corrector = (who - 2) % 3 ? IDA_STAGGERED : IDA_SIMULTANEOUS, control = (who - 2) % 3 < 2;
            level = who < 2 + 3 ? 1 : 2;
            if (who < 2)
                snprintf(name, sizeof name, "mbs %s", mine[who]);
            else
                snprintf(name, sizeof name, "IDAS index%d %s%s", level, corrector == IDA_STAGGERED ? "staggered" : "simultaneous",
                         control ? "" : " uncontrolled");
            for (int round = 0; round < repeat && !failed; round++) {
                double began = now();
                failed = who < 2 ? ours(mine[who], tolerance, 0, q, v) : idas(corrector, control, tolerance, q, v);
                best = fmin(best, now() - began);
            }
            if (failed)
                printf("%-36s %.0e failed\n", name, tolerance);
            else
                printf("%-36s %.0e %.4e %.2e\n", name, tolerance, best, fmax(error_of(q, rq), error_of(v, rv)));
            fflush(stdout);
        }
    }
    return 0;
}
