/* SPDX-License-Identifier: MIT
 *
 * SUNDIALS IDA (variable-order BDF, Hindmarsh et al., ACM TOMS 31, 2005) as an independent second opinion.
 *
 * Unknowns y = (q, v, z, lambda) and, for the stabilized form, mu; a is v'.  The residual:
 *
 *     q' - v [+ G' mu],   M v' - f + G' lambda,   z' - zdot,
 *     G v' + gamma  (index 1)   or   G v + gt  (index 2)   or   G v + gt and g  (stabilized)
 *
 * with dense exact Jacobians.  The multipliers are left out of IDA's norms altogether.  An error e of v within its tolerance is one of M e / h in
 * lambda: an iteration that must bring lambda below its own tolerance asks for h times as much of v, and for more than rounding allows where
 * steps are short, at the start.  IDA's authors advise to leave them out of the error test from index 2 on; the test that ends the iteration has them still,
 * and in index 1 both: steps at 1e-8 became 30 times as many, and as many as drifted by 100 tolerances.  What is handed out is that of (q, v). */
#include "config.h"
#include "methods/method.h"

#ifdef HAVE_SUNDIALS

#include <ida/ida.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

/* Of the tolerance: multistep formulas take many steps, whose errors add up. */
static const double SHARE = 0.1;

struct ida {
    SUNContext context;
    void *mem;
    N_Vector y, yp, id, atol;
    SUNMatrix A;
    SUNLinearSolver solver;
    int order;                      /* number of unknowns */
    struct mbs_jacobian jac;
    double *r, *gv, *g, *Gtmu;
    double *work, *lambda0;         /* n; multipliers of the start, which those of dependent rows keep */
    unsigned char *dependent;       /* rows that the others imply: IDA's matrices would be singular with them */
    long tests_failed, newton_failed, newton; /* already counted */
};

static void ida_layout(struct mbs_stepper *s, struct mbs_work *w)
{
    struct ida *d = s->self;
    const struct mbs_model *o = s->p->model;
    size_t n = (size_t)s->p->n, m = (size_t)s->p->m;

    d->order = s->p->ny + (s->form == MBS_GGL ? 2 : 1) * s->p->m;
    mbs_jacobian_layout(&d->jac, o, w);
    d->jac.gvq = s->form == MBS_INDEX1 ? NULL : mbs_work_doubles(w, (size_t)o->gvq.nnz + 1);
    d->jac.gaq = s->form == MBS_INDEX1 ? mbs_work_doubles(w, (size_t)o->gaq.nnz + 1) : NULL;
    d->jac.gav = s->form == MBS_INDEX1 ? mbs_work_doubles(w, (size_t)o->gav.nnz + 1) : NULL;
    d->jac.gmuq = s->form == MBS_GGL ? mbs_work_doubles(w, (size_t)o->gmuq.nnz + 1) : NULL;
    d->r = mbs_work_doubles(w, n + 1);
    d->gv = mbs_work_doubles(w, m + 1);
    d->g = mbs_work_doubles(w, m + 1);
    d->Gtmu = mbs_work_doubles(w, n + 1);
    d->work = mbs_work_doubles(w, n + 1);
    d->lambda0 = mbs_work_doubles(w, m + 1);
    d->dependent = mbs_work_bytes(w, m + 1);
}

static struct mbs_state ida_state(const struct mbs_problem *p, double t, const double *y, const double *yp)
{
    return (struct mbs_state){ .t = t, .q = y, .v = y + p->n, .z = y + 2 * p->n, .a = yp + p->n, .lambda = y + p->ny,
                               .mu = y + p->ny + p->m };
}

static int ida_residual(realtype t, N_Vector vy, N_Vector vyp, N_Vector vr, void *user)
{
    struct mbs_stepper *s = user;
    struct ida *d = s->self;
    struct mbs_problem *p = s->p;
    int n = p->n, nz = p->nz, m = p->m;
    const double *y = N_VGetArrayPointer(vy), *yp = N_VGetArrayPointer(vyp);
    double *f = N_VGetArrayPointer(vr);
    struct mbs_state x = ida_state(p, t, y, yp);
    struct mbs_residual out = { .r = f + n, .zdot = p->dyn.zdot };

    if (s->form == MBS_INDEX1)
        out.ga = f + p->ny;
    else
        out.gv = f + p->ny;
    if (s->form == MBS_GGL) {
        out.g = d->g;
        out.Gtmu = d->Gtmu;
    }
    mbs_eval_residual(p, &x, &out);
    for (int i = 0; i < n; i++)
        f[i] = yp[i] - x.v[i] + (s->form == MBS_GGL ? d->Gtmu[i] : 0);
    for (int i = 0; i < nz; i++)
        f[2 * n + i] = yp[2 * n + i] - out.zdot[i];
    for (int i = 0; i < m && s->form == MBS_GGL; i++)
        f[p->ny + m + i] = i < p->ng ? d->g[i] : x.mu[i];
    for (int i = 0; i < m; i++)
        if (d->dependent[i]) {
            f[p->ny + i] = x.lambda[i] - d->lambda0[i];
            if (s->form == MBS_GGL)
                f[p->ny + m + i] = x.mu[i];
        }
    if (mbs_finite(f, d->order))
        return 0;
    s->why = MBS_NAN;
    return 1;                       /* recoverable: IDA tries a smaller step */
}

static void add_block(SUNMatrix A, const struct mbs_pattern *p, const double *val, int row, int col, double c, int transposed)
{
    for (int j = 0, k = 0; j < p->cols && p->nnz > 0; j++)
        for (; k < p->colptr[j + 1]; k++) {
            int i = p->rowidx[k];
            if (transposed)
                SM_ELEMENT_D(A, row + j, col + i) += c * val[k];
            else
                SM_ELEMENT_D(A, row + i, col + j) += c * val[k];
        }
}

static int ida_jacobian(realtype t, realtype cj, N_Vector vy, N_Vector vyp, N_Vector vr, SUNMatrix A, void *user, N_Vector t1, N_Vector t2, N_Vector t3)
{
    struct mbs_stepper *s = user;
    struct ida *d = s->self;
    struct mbs_problem *p = s->p;
    const struct mbs_model *o = p->model;
    int n = p->n, m = p->m, ny = p->ny;
    struct mbs_state x = ida_state(p, t, N_VGetArrayPointer(vy), N_VGetArrayPointer(vyp));

    (void)vr, (void)t1, (void)t2, (void)t3;
    mbs_eval_jacobian(p, &x, &d->jac);
    p->stat->lu++;
    for (int i = 0; i < n; i++) {
        SM_ELEMENT_D(A, i, i) += cj;
        SM_ELEMENT_D(A, i, n + i) -= 1;
    }
    for (int i = 2 * n; i < ny; i++)
        SM_ELEMENT_D(A, i, i) += cj;
    add_block(A, &o->rq, d->jac.rq, n, 0, 1, 0);
    add_block(A, &o->rv, d->jac.rv, n, n, 1, 0);
    add_block(A, &o->rz, d->jac.rz, n, 2 * n, 1, 0);
    for (int j = 0, k = 0; j < n; j++)
        for (; k < o->M.colptr[j + 1]; k++) {
            int i = o->M.rowidx[k];
            SM_ELEMENT_D(A, n + i, n + j) += cj * d->jac.M[k];
            if (i != j)
                SM_ELEMENT_D(A, n + j, n + i) += cj * d->jac.M[k];
        }
    add_block(A, &o->G, d->jac.G, n, ny, 1, 1);
    add_block(A, &o->zq, d->jac.zq, 2 * n, 0, -1, 0);
    add_block(A, &o->zv, d->jac.zv, 2 * n, n, -1, 0);
    add_block(A, &o->zz, d->jac.zz, 2 * n, 2 * n, -1, 0);
    if (s->form == MBS_INDEX1) {
        add_block(A, &o->gaq, d->jac.gaq, ny, 0, 1, 0);
        add_block(A, &o->gav, d->jac.gav, ny, n, 1, 0);
        add_block(A, &o->G, d->jac.G, ny, n, cj, 0);
    } else {
        add_block(A, &o->gvq, d->jac.gvq, ny, 0, 1, 0);
        add_block(A, &o->G, d->jac.G, ny, n, 1, 0);
    }
    if (s->form == MBS_GGL) {
        add_block(A, &o->gmuq, d->jac.gmuq, 0, 0, 1, 0);
        add_block(A, &o->G, d->jac.G, 0, ny + m, 1, 1);
        for (int j = 0, k = 0; j < n && m > 0; j++)
            for (; k < o->G.colptr[j + 1]; k++)
                if (o->G.rowidx[k] < p->ng)
                    SM_ELEMENT_D(A, ny + m + o->G.rowidx[k], j) += d->jac.G[k];
        for (int i = p->ng; i < m; i++)
            SM_ELEMENT_D(A, ny + m + i, ny + m + i) += 1;
    }
    for (int i = 0; i < d->order - ny; i++)
        for (int j = 0; d->dependent[i % m] && j < d->order; j++)
            SM_ELEMENT_D(A, ny + i, j) = j == ny + i;
    return 0;
}

static int ida_create(struct mbs_stepper *s)
{
    struct ida *d = s->self;
    size_t k = (size_t)d->order;
    void *probe = malloc((k * k + 64 * k + 16384) * sizeof(double));

    /* SUNDIALS does not survive every failure within its own constructors: make sure that there is enough memory. */
    if (!probe)
        return MBS_NO_MEMORY;
    free(probe);
    if (SUNContext_Create(NULL, &d->context))
        return MBS_NO_MEMORY;
    d->y = N_VNew_Serial(d->order, d->context);
    d->yp = N_VNew_Serial(d->order, d->context);
    d->id = N_VNew_Serial(d->order, d->context);
    d->atol = N_VNew_Serial(d->order, d->context);
    d->A = SUNDenseMatrix(d->order, d->order, d->context);
    d->mem = IDACreate(d->context);
    if (!d->y || !d->yp || !d->id || !d->atol || !d->A || !d->mem)
        return MBS_NO_MEMORY;
    d->solver = SUNLinSol_Dense(d->y, d->A, d->context);
    return d->solver ? 0 : MBS_NO_MEMORY;
}

static int ida_open(struct mbs_stepper *s)
{
    struct ida *d = s->self;
    double *id, *atol;
    int bad = ida_create(s);

    if (bad)
        return bad;
    id = N_VGetArrayPointer(d->id);
    atol = N_VGetArrayPointer(d->atol);
    for (int i = 0; i < d->order; i++) {
        id[i] = i < s->p->ny;
        atol[i] = SHARE * (s->opt->atol_y && i < s->p->ny ? s->opt->atol_y[i] : s->opt->atol);
        if (i >= s->p->ny)      /* lambda, and mu, which is zero but for errors of q divided by h */
            atol[i] = 1e10;
    }
    bad = IDASetErrFile(d->mem, NULL) || IDAInit(d->mem, ida_residual, 0, d->y, d->yp) || IDASVtolerances(d->mem, SHARE * s->opt->rtol, d->atol) ||
          IDASetUserData(d->mem, s) || IDASetId(d->mem, d->id) || IDASetSuppressAlg(d->mem, 1) ||
          IDASetLinearSolver(d->mem, d->solver, d->A) || IDASetJacFn(d->mem, ida_jacobian) || IDASetMaxNumSteps(d->mem, -1);
    return bad ? MBS_NO_MEMORY : 0;
}

static void ida_close(struct mbs_stepper *s)
{
    struct ida *d = s->self;

    if (d->mem)
        IDAFree(&d->mem);
    if (d->solver)
        SUNLinSolFree(d->solver);
    if (d->A)
        SUNMatDestroy(d->A);
    if (d->y)
        N_VDestroy(d->y);
    if (d->yp)
        N_VDestroy(d->yp);
    if (d->id)
        N_VDestroy(d->id);
    if (d->atol)
        N_VDestroy(d->atol);
    if (d->context)
        SUNContext_Free(&d->context);
}

static int ida_start(struct mbs_stepper *s)
{
    struct ida *d = s->self;
    struct mbs_problem *p = s->p;
    double *y = N_VGetArrayPointer(d->y), *yp = N_VGetArrayPointer(d->yp);

    memset(d->dependent, 0, (size_t)p->m);
    if (mbs_find_dependent(s, d->work, 0)) {
        memcpy(d->dependent, mbs_saddle_dependent(p->saddle), (size_t)p->m);
        mbs_relax(s);
    }
    memcpy(d->lambda0, s->x.lambda, (size_t)p->m * sizeof *d->lambda0);
    memset(y, 0, (size_t)d->order * sizeof *y);
    memset(yp, 0, (size_t)d->order * sizeof *yp);
    memcpy(y, s->x.q, (size_t)p->ny * sizeof *y);
    memcpy(y + p->ny, s->x.lambda, (size_t)p->m * sizeof *y);
    memcpy(yp, s->x.v, (size_t)p->n * sizeof *y);
    memcpy(yp + p->n, s->x.a, (size_t)p->n * sizeof *y);
    if (p->nz > 0) {
        int status = mbs_accelerations(p, s->x.t, s->x.q, p->x, NULL, yp + 2 * p->n);
        if (status)
            return status;
    }
    d->tests_failed = d->newton_failed = d->newton = 0;
    if (IDAReInit(d->mem, s->x.t, d->y, d->yp) || IDASetInitStep(d->mem, s->opt->h0 > 0 ? s->dir * s->opt->h0 : 0) ||
        IDASetMaxStep(d->mem, s->longest < HUGE_VAL ? s->longest : 0))
        return mbs_fail(s->msg, MBS_BAD_ARGUMENT, s->x.t, -1, -1, "IDA refuses the start at t = %.9g", s->x.t);
    return 0;
}

static void ida_count(struct mbs_stepper *s)
{
    struct ida *d = s->self;
    long tests = 0, iterations = 0, failures = 0;

    IDAGetNumErrTestFails(d->mem, &tests);
    IDAGetNumNonlinSolvIters(d->mem, &iterations);
    IDAGetNumNonlinSolvConvFails(d->mem, &failures);
    s->stat->rejected += tests - d->tests_failed + failures - d->newton_failed;
    s->stat->newton += iterations - d->newton;
    s->stat->newton_failures += failures - d->newton_failed;
    d->tests_failed = tests;
    d->newton = iterations;
    d->newton_failed = failures;
}

/* What IDA's failure means here. */
static int ida_failed(struct mbs_stepper *s, int code)
{
    if (s->why == MBS_NAN)
        return mbs_step_underflow(s, 0);
    if (code == IDA_ERR_FAIL || code == IDA_TOO_MUCH_ACC)
        return mbs_fail(s->msg, MBS_UNDERFLOW, s->x.t, -1, -1, "IDA cannot meet the tolerance at t = %.9g, however small the step", s->x.t);
    return mbs_fail(s->msg, MBS_NO_CONVERGENCE, s->x.t, -1, -1, "IDA gives up at t = %.9g: %s (code %d); radau takes the same formulations", s->x.t,
                    code == IDA_CONV_FAIL ? "its iteration does not converge however small the step, as it happens where the tolerance is near to what rounding leaves in the constraints"
                                          : "an error of its own", code);
}

static int ida_step(struct mbs_stepper *s, double tstop)
{
    struct ida *d = s->self;
    struct mbs_problem *p = s->p;
    double t = s->x.t, *y, *yp;
    int code;

    s->why = 0;
    IDASetStopTime(d->mem, tstop);
    code = IDASolve(d->mem, tstop, &t, d->y, d->yp, IDA_ONE_STEP);
    ida_count(s);
    if (code < 0)
        return ida_failed(s, code);
    /* IDA creeps towards a place where the model ends, with steps down to nothing. */
    if (s->why == MBS_NAN && t != tstop && (code = mbs_step_underflow(s, t - s->x.t)))
        return code;
    y = N_VGetArrayPointer(d->y);
    yp = N_VGetArrayPointer(d->yp);
    s->t_old = s->x.t;
    s->x.t = code == IDA_TSTOP_RETURN || t == tstop ? tstop : t;
    memcpy(s->x.q, y, (size_t)p->ny * sizeof *y);
    memcpy(s->x.a, yp + p->n, (size_t)p->n * sizeof *y);
    memcpy(s->x.lambda, y + p->ny, (size_t)p->m * sizeof *y);
    IDAGetCurrentStep(d->mem, &s->h);
    return 0;
}

static int ida_dense(struct mbs_stepper *s, double t, struct mbs_point *out)
{
    struct ida *d = s->self;
    struct mbs_problem *p = s->p;
    const double *y = N_VGetArrayPointer(d->y), *yp = N_VGetArrayPointer(d->yp);

    if (IDAGetDky(d->mem, t, 0, d->y) || IDAGetDky(d->mem, t, 1, d->yp))
        return mbs_fail(s->msg, MBS_NO_CONVERGENCE, t, -1, -1, "IDA has no value at t = %.9g", t);
    memcpy(out->q, y, (size_t)p->ny * sizeof *y);
    memcpy(out->a, yp + p->n, (size_t)p->n * sizeof *y);
    memcpy(out->lambda, y + p->ny, (size_t)p->m * sizeof *y);
    return MBS_DENSE_A | MBS_DENSE_LAMBDA;
}

#define IDA_NEEDS NULL
#else
struct ida {
    int none;
};
#define IDA_NEEDS "SUNDIALS"
#define ida_layout NULL
#define ida_open NULL
#define ida_start NULL
#define ida_step NULL
#define ida_dense NULL
#define ida_close NULL
#endif

const struct mbs_method mbs_method_ida = {
    .name = "ida",
    .summary = "SUNDIALS IDA: BDF of variable order 1 to 5",
    .needs = IDA_NEEDS,
    .forms = MBS_FORM(MBS_INDEX1) | MBS_FORM(MBS_INDEX2) | MBS_FORM(MBS_GGL),
    .flags = MBS_METHOD_ADAPTIVE | MBS_METHOD_NONHOLONOMIC | MBS_METHOD_STATES | MBS_METHOD_BACKWARD | MBS_METHOD_FORCES,
    .form_default = MBS_GGL,
    .size_self = sizeof(struct ida),
    .layout = ida_layout,
    .open = ida_open,
    .start = ida_start,
    .step = ida_step,
    .dense = ida_dense,
    .close = ida_close,
};
