/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * SUNDIALS IDA (BDF of order 1 to 5) on the generated residual and its Jacobian.  METHOD is dense or klu, the linear solver,
 * with "-loose" to take the multipliers out of Newton's convergence test as well, by a large absolute tolerance.  From
 * index 2 on they are left out of the error test, as IDA's authors advise (IDASetSuppressAlg). */
#include "measure.h"
#include "problem.h"

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#ifdef HAVE_KLU
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>
#endif

enum { STEPS = 200000 };
static double *J;                   /* the iteration matrix, dense by columns */
static unsigned char *nonzero;      /* its pattern, for KLU */

static int residual(realtype t, N_Vector y, N_Vector yp, N_Vector r, void *user)
{
    (void)user;
    problem_residual(t, N_VGetArrayPointer(y), N_VGetArrayPointer(yp), N_VGetArrayPointer(r));
    return 0;
}

static int jacobian_dense(realtype t, realtype cj, N_Vector y, N_Vector yp, N_Vector r, SUNMatrix A, void *user, N_Vector t1, N_Vector t2,
                          N_Vector t3)
{
    (void)r, (void)user, (void)t1, (void)t2, (void)t3;
    problem_iteration(t, cj, N_VGetArrayPointer(y), N_VGetArrayPointer(yp), SUNDenseMatrix_Data(A));
    return 0;
}

#ifdef HAVE_KLU
static int jacobian_sparse(realtype t, realtype cj, N_Vector y, N_Vector yp, N_Vector r, SUNMatrix A, void *user, N_Vector t1, N_Vector t2,
                           N_Vector t3)
{
    sunindextype *column = SUNSparseMatrix_IndexPointers(A), *row = SUNSparseMatrix_IndexValues(A), k = 0;
    int N = problem.order;

    (void)r, (void)user, (void)t1, (void)t2, (void)t3;
    problem_iteration(t, cj, N_VGetArrayPointer(y), N_VGetArrayPointer(yp), J);
    for (int j = 0; j < N; j++) {
        column[j] = k;
        for (int i = 0; i < N; i++)
            if (nonzero[j * N + i]) {
                row[k] = i;
                SUNSparseMatrix_Data(A)[k++] = J[j * N + i];
            }
    }
    column[N] = k;
    return 0;
}

/* Where the iteration matrix has entries: found at states that have nothing in common. */
static int pattern_find(void)
{
    int N = problem.order, count = 0;
    double y[256], yp[256];

    J = malloc((size_t)(N * N) * sizeof *J);
    nonzero = calloc((size_t)(N * N), 1);
    for (int state = 1; state < 4; state++) {
        for (int i = 0; i < N; i++) {
            y[i] = 0.1 + 0.01 * state * ((i * 7) % 11);
            yp[i] = 0.2 + 0.01 * state * ((i * 5) % 13);
        }
        problem_iteration(0.1 * state, 1.7, y, yp, J);
        for (int k = 0; k < N * N; k++)
            nonzero[k] |= J[k] != 0;
    }
    for (int k = 0; k < N * N; k++)
        count += nonzero[k];
    return count;
}
#endif

static void failure(struct measured *end, const char *what, int code, double t)
{
    char *name = IDAGetReturnFlagName(code);
    snprintf(end->failure, sizeof end->failure, "%s at t = %.3g: %s", what, t, name);
    free(name);
}

static void run(const char *method, double tolerance, struct measured *end)
{
    int N = problem.order, n = problem.n, m = problem.m, code;
    int klu = strncmp(method, "klu", 3) == 0, loose = strstr(method, "loose") != NULL;
    SUNContext context;
    SUNMatrix A = NULL;
    SUNLinearSolver solver = NULL;
    double t = 0, *atol, *id;

    SUNContext_Create(NULL, &context);
    void *mem = IDACreate(context);
    N_Vector y = N_VNew_Serial(N, context), yp = N_VNew_Serial(N, context);
    N_Vector kind = N_VNew_Serial(N, context), absolute = N_VNew_Serial(N, context);
    atol = N_VGetArrayPointer(absolute);
    id = N_VGetArrayPointer(kind);
    for (int i = 0; i < N; i++) {
        id[i] = i < 2 * n;
        /* mu is zero but for errors of q divided by h */
        atol[i] = i >= 2 * n + m || (loose && i >= 2 * n) ? 1e10 : tolerance;
    }
    problem_implicit_start(N_VGetArrayPointer(y), N_VGetArrayPointer(yp));
#ifdef HAVE_KLU
    if (klu) {
        static int count;
        if (!count)
            count = pattern_find();
        A = SUNSparseMatrix(N, N, count, CSC_MAT, context);
        solver = SUNLinSol_KLU(y, A, context);
    }
#endif
    if (!klu) {
        A = SUNDenseMatrix(N, N, context);
        solver = SUNLinSol_Dense(y, A, context);
    }
    IDASetErrFile(mem, NULL);
    IDAInit(mem, residual, 0, y, yp);
    IDASVtolerances(mem, tolerance, absolute);
    IDASetId(mem, kind);
    IDASetSuppressAlg(mem, problem.index > 1);
    IDASetMaxNumSteps(mem, STEPS);
    IDASetLinearSolver(mem, solver, A);
#ifdef HAVE_KLU
    IDASetJacFn(mem, klu ? jacobian_sparse : jacobian_dense);
#else
    IDASetJacFn(mem, jacobian_dense);
#endif
    IDASetStopTime(mem, problem.end);
    code = IDASolve(mem, problem.end, &t, y, yp, IDA_NORMAL);
    IDAGetNumSteps(mem, &end->steps);
    if (code < 0)
        failure(end, "IDASolve", code, t);
    memcpy(end->q, N_VGetArrayPointer(y), (size_t)n * sizeof *end->q);
    memcpy(end->v, N_VGetArrayPointer(y) + n, (size_t)n * sizeof *end->v);
    memcpy(end->lambda, N_VGetArrayPointer(y) + 2 * n, (size_t)m * sizeof *end->lambda);
    end->has_lambda = 1;
    IDAFree(&mem);
    SUNLinSolFree(solver);
    SUNMatDestroy(A);
    N_VDestroy(y);
    N_VDestroy(yp);
    N_VDestroy(kind);
    N_VDestroy(absolute);
    SUNContext_Free(&context);
}

int main(int argc, char **argv)
{
    return measure_main(argc, argv, run);
}
