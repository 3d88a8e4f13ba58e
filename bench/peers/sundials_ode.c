/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * SUNDIALS on the index-1 form as an ordinary differential equation.  METHOD: adams and bdf are CVODE's multistep methods,
 * erk8 and erk5 ARKODE's explicit Runge-Kutta methods of Fehlberg 7(8) and of Dormand and Prince 4(5). */
#include "measure.h"
#include "problem.h"

#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

enum { STEPS = 200000 };

static int rhs(realtype t, N_Vector y, N_Vector f, void *user)
{
    (void)user;
    problem_ode(t, N_VGetArrayPointer(y), N_VGetArrayPointer(f));
    return 0;
}

static int jacobian(realtype t, N_Vector y, N_Vector f, SUNMatrix A, void *user, N_Vector t1, N_Vector t2, N_Vector t3)
{
    (void)f, (void)user, (void)t1, (void)t2, (void)t3;
    problem_ode_jacobian(t, N_VGetArrayPointer(y), SUNDenseMatrix_Data(A));
    return 0;
}

static int multistep(int stiff, double tolerance, N_Vector y, SUNContext context, double *t, long *steps)
{
    void *mem = CVodeCreate(stiff ? CV_BDF : CV_ADAMS, context);
    SUNMatrix A = NULL;
    SUNLinearSolver solver = NULL;
    SUNNonlinearSolver fixed = NULL;
    int code;

    CVodeSetErrFile(mem, NULL);
    CVodeInit(mem, rhs, 0, y);
    CVodeSStolerances(mem, tolerance, tolerance);
    CVodeSetMaxNumSteps(mem, STEPS);
    if (stiff) {
        A = SUNDenseMatrix(2 * problem.n, 2 * problem.n, context);
        solver = SUNLinSol_Dense(y, A, context);
        CVodeSetLinearSolver(mem, solver, A);
        CVodeSetJacFn(mem, jacobian);
    } else {
        fixed = SUNNonlinSol_FixedPoint(y, 0, context);
        CVodeSetNonlinearSolver(mem, fixed);
    }
    CVodeSetStopTime(mem, problem.end);
    code = CVode(mem, problem.end, y, t, CV_NORMAL);
    CVodeGetNumSteps(mem, steps);
    CVodeFree(&mem);
    if (stiff) {
        SUNLinSolFree(solver);
        SUNMatDestroy(A);
    } else {
        SUNNonlinSolFree(fixed);
    }
    return code;
}

static int explicit_rk(int order, double tolerance, N_Vector y, SUNContext context, double *t, long *steps)
{
    void *mem = ERKStepCreate(rhs, 0, y, context);
    int code;

    ERKStepSetErrFile(mem, NULL);
    ERKStepSStolerances(mem, tolerance, tolerance);
    ERKStepSetTableNum(mem, order == 8 ? ARKODE_FEHLBERG_13_7_8 : ARKODE_DORMAND_PRINCE_7_4_5);
    ERKStepSetMaxNumSteps(mem, STEPS);
    ERKStepSetStopTime(mem, problem.end);
    code = ERKStepEvolve(mem, problem.end, y, t, ARK_NORMAL);
    ERKStepGetNumSteps(mem, steps);
    ERKStepFree(&mem);
    return code;
}

static void run(const char *method, double tolerance, struct measured *end)
{
    SUNContext context;
    double t = 0;
    int code, n = problem.n;

    SUNContext_Create(NULL, &context);
    N_Vector y = N_VNew_Serial(2 * n, context);
    problem_ode_start(N_VGetArrayPointer(y));
    if (strncmp(method, "erk", 3) == 0)
        code = explicit_rk(atoi(method + 3), tolerance, y, context, &t, &end->steps);
    else
        code = multistep(strcmp(method, "bdf") == 0, tolerance, y, context, &t, &end->steps);
    if (code < 0)
        snprintf(end->failure, sizeof end->failure, "at t = %.3g: code %d", t, code);
    memcpy(end->q, N_VGetArrayPointer(y), (size_t)n * sizeof *end->q);
    memcpy(end->v, N_VGetArrayPointer(y) + n, (size_t)n * sizeof *end->v);
    N_VDestroy(y);
    SUNContext_Free(&context);
}

int main(int argc, char **argv)
{
    return measure_main(argc, argv, run);
}
