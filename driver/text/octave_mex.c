/* SPDX-License-Identifier: 0BSD */
/* ---- what Octave (and MATLAB) call: mkoctfile --mex FILE.c ----
 *
 *   xdot = NAME(t, x)             with x = [q; v; z]: for lsode and ode45; constraints by their accelerations
 *   s = NAME('names')             coord, state, input, output, param, constraint: cells of names
 *   [q, v, z] = NAME('start')     as the model's init has them (constraints may not be met yet)
 *   p = NAME('params')            values of the parameters; NAME('set', 'name', value) changes one, others follow
 *   NAME('input', u)              inputs from now on
 *   [M, f, G, gamma, g, zdot] = NAME('dynamics', t, q, v, z)
 *   [r, gv, ga] = NAME('residual', t, q, v, a, lambda, z)
 *   [rq, rv, M, G] = NAME('jacobian', t, q, v, a, lambda, z)
 *   y = NAME('outputs', t, q, v, a, lambda, z)
 *
 * Names begin with mex_: the model has its own. */
#include <stdlib.h>
#include <string.h>
#include "mex.h"

static double *mex_params, *mex_constants, *mex_work, *mex_inputs;
static unsigned char *mex_given;

static void mex_release(void)
{
    free(mex_params), free(mex_constants), free(mex_work), free(mex_inputs), free(mex_given);
    mex_params = mex_constants = mex_work = mex_inputs = NULL;
    mex_given = NULL;
}

static void mex_set_up(void)
{
    MODEL.defaults(mex_params, mex_given);
    MODEL.setup(mex_params, mex_constants);
}

static void mex_open_model(void)
{
    size_t n = (size_t)(2 * MODEL.nq + MODEL.nz) + 1;
    double *start;
    if (mex_params)
        return;
    mex_params = calloc((size_t)MODEL.np + 1, sizeof *mex_params);
    mex_given = calloc((size_t)MODEL.np + 1, 1);
    mex_constants = calloc((size_t)MODEL.nc + 1, sizeof *mex_constants);
    mex_work = calloc((size_t)MODEL.nw + 1, sizeof *mex_work);
    mex_inputs = calloc((size_t)MODEL.nu + 1, sizeof *mex_inputs);
    start = calloc(n, sizeof *start);
    if (!mex_params || !mex_given || !mex_constants || !mex_work || !mex_inputs || !start)
        mexErrMsgTxt("out of memory");
    mexAtExit(mex_release);
    mex_set_up();
    MODEL.initial(mex_constants, start, start + MODEL.nq, start + 2 * MODEL.nq, mex_inputs);
    free(start);
}

static double mex_number(int n, const mxArray **in, int k)
{
    if (k >= n || !mxIsDouble(in[k]) || mxGetNumberOfElements(in[k]) != 1)
        mexErrMsgTxt("a number is missing");
    return mxGetScalar(in[k]);
}
/* A vector; zeros where it is left out. */
static const double *mex_vector(int n, const mxArray **in, int k, int size, const char *name)
{
    if (k >= n || mxIsEmpty(in[k]))
        return mxGetPr(mxCreateDoubleMatrix((mwSize)size + 1, 1, mxREAL));
    if (!mxIsDouble(in[k]) || mxIsComplex(in[k]) || mxIsSparse(in[k]) || mxGetNumberOfElements(in[k]) != (size_t)size)
        mexErrMsgIdAndTxt("mbs:size", "%s has %d values", name, size);
    return mxGetPr(in[k]);
}

static mxArray *mex_column(const double *x, int n)
{
    mxArray *a = mxCreateDoubleMatrix((mwSize)n, 1, mxREAL);
    if (n)
        memcpy(mxGetPr(a), x, (size_t)n * sizeof *x);
    return a;
}
static double *mex_room(int n) { return mxCalloc((size_t)n + 1, sizeof(double)); }

static mxArray *mex_sparse(const struct mbs_pattern *p, int rows, int cols, const double *x)
{
    mxArray *a = mxCreateSparse((mwSize)rows, (mwSize)cols, (mwSize)(p->nnz ? p->nnz : 1), mxREAL);
    for (int j = 0; p->colptr && j <= cols; j++)
        mxGetJc(a)[j] = (mwIndex)p->colptr[j];
    for (int k = 0; k < p->nnz; k++) {
        mxGetIr(a)[k] = (mwIndex)p->rowidx[k];
        mxGetPr(a)[k] = x[k];
    }
    return a;
}
/* The whole of a symmetric matrix of which the lower triangle is given. */
static void mex_spread(const struct mbs_pattern *p, const double *x, double *a, int n)
{
    for (int j = 0; p->colptr && j < p->cols; j++)
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
            a[p->rowidx[k] + n * j] = a[j + n * p->rowidx[k]] = x[k];
}
static mxArray *mex_symmetric(const struct mbs_pattern *p, const double *x)
{
    mxArray *full = mxCreateDoubleMatrix((mwSize)MODEL.nq, (mwSize)MODEL.nq, mxREAL), *a = NULL;
    mex_spread(p, x, mxGetPr(full), MODEL.nq);
    mexCallMATLAB(1, &a, 1, &full, "sparse");
    return a;
}

static struct mbs_state mex_state_of(int n, const mxArray **in, int with_forces)
{
    int rows = MODEL.ng + MODEL.nh;
    struct mbs_state x = {0};
    x.t = mex_number(n, in, 1);
    x.q = mex_vector(n, in, 2, MODEL.nq, "q");
    x.v = mex_vector(n, in, 3, MODEL.nq, "v");
    if (with_forces) {
        x.a = mex_vector(n, in, 4, MODEL.nq, "a");
        x.lambda = mex_vector(n, in, 5, rows, "lambda");
        x.mu = mex_room(rows);
    }
    x.z = mex_vector(n, in, with_forces ? 6 : 4, MODEL.nz, "z");
    x.u = mex_inputs;
    return x;
}

struct mex_parts {
    double *M, *f, *G, *zdot, *gamma, *g;
};
static struct mex_parts mex_dynamics(const struct mbs_state *x)
{
    int rows = MODEL.ng + MODEL.nh;
    struct mex_parts d = { mex_room(MODEL.M.nnz), mex_room(MODEL.nq), mex_room(MODEL.G.nnz), mex_room(MODEL.nz), mex_room(rows), mex_room(MODEL.ng) };
    const struct mbs_dynamics out = { .M = d.M, .f = d.f, .G = d.G, .zdot = d.zdot, .gamma = d.gamma, .g = d.g };
    MODEL.dynamics(mex_constants, x, &out, mex_work);
    return d;
}

/* Gaussian elimination with the largest pivots. */
static void mex_solve(int n, double *a, double *b)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i + n * k]) > fabs(a[best + n * k]))
                best = i;
        if (a[best + n * k] == 0)
            mexErrMsgTxt("the equations of motion are singular: constraints depend on each other, or something has no mass");
        for (int j = 0; best != k && j < n; j++) {
            double t = a[k + n * j];
            a[k + n * j] = a[best + n * j];
            a[best + n * j] = t;
        }
        double t = b[k];
        b[k] = b[best];
        b[best] = t;
        for (int i = k + 1; i < n; i++) {
            double l = a[i + n * k] / a[k + n * k];
            for (int j = k + 1; l != 0 && j < n; j++)
                a[i + n * j] -= l * a[k + n * j];
            b[i] -= l * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            b[k] -= a[k + n * j] * b[j];
        b[k] /= a[k + n * k];
    }
}

static mxArray *mex_rates(int n, const mxArray **in)
{
    int nq = MODEL.nq, rows = MODEL.ng + MODEL.nh, size = nq + rows;
    const double *x = mex_vector(n, in, 1, 2 * nq + MODEL.nz, "x");
    const struct mbs_state s = { .t = mex_number(n, in, 0), .q = x, .v = x + nq, .z = x + 2 * nq, .u = mex_inputs };
    struct mex_parts d = mex_dynamics(&s);
    double *K = mex_room(size * size), *b = mex_room(size), *to;
    mxArray *out = mxCreateDoubleMatrix((mwSize)(2 * nq + MODEL.nz), 1, mxREAL);
    mex_spread(&MODEL.M, d.M, K, size);
    for (int j = 0; MODEL.G.colptr && j < nq; j++)
        for (int k = MODEL.G.colptr[j]; k < MODEL.G.colptr[j + 1]; k++)
            K[nq + MODEL.G.rowidx[k] + size * j] = K[j + size * (nq + MODEL.G.rowidx[k])] = d.G[k];
    memcpy(b, d.f, (size_t)nq * sizeof *b);
    for (int i = 0; i < rows; i++)
        b[nq + i] = -d.gamma[i];
    mex_solve(size, K, b);
    to = mxGetPr(out);
    memcpy(to, x + nq, (size_t)nq * sizeof *to);
    memcpy(to + nq, b, (size_t)nq * sizeof *to);
    memcpy(to + 2 * nq, d.zdot, (size_t)MODEL.nz * sizeof *to);
    return out;
}

static mxArray *mex_cell(const struct mbs_name *name, int n)
{
    mxArray *a = mxCreateCellMatrix((mwSize)n, 1);
    for (int i = 0; i < n; i++)
        mxSetCell(a, (mwIndex)i, mxCreateString(name[i].name));
    return a;
}
static mxArray *mex_names(void)
{
    static const char *field[] = { "coord", "state", "input", "output", "param", "constraint" };
    mxArray *s = mxCreateStructMatrix(1, 1, 6, field);
    mxSetField(s, 0, "coord", mex_cell(MODEL.coord, MODEL.nq));
    mxSetField(s, 0, "state", mex_cell(MODEL.state, MODEL.nz));
    mxSetField(s, 0, "input", mex_cell(MODEL.input, MODEL.nu));
    mxSetField(s, 0, "output", mex_cell(MODEL.output, MODEL.ny));
    mxSetField(s, 0, "param", mex_cell(MODEL.param, MODEL.np));
    mxSetField(s, 0, "constraint", mex_cell(MODEL.constraint, MODEL.ng + MODEL.nh));
    return s;
}

static void mex_set_parameter(int n, const mxArray **in)
{
    char *name = n > 1 ? mxArrayToString(in[1]) : NULL;
    double value = mex_number(n, in, 2);
    for (int i = 0; name && i < MODEL.np; i++)
        if (!strcmp(MODEL.param[i].name, name)) {
            mex_params[i] = value;
            mex_given[i] = 1;
            mex_set_up();
            return;
        }
    mexErrMsgIdAndTxt("mbs:param", "there is no parameter '%s'", name ? name : "");
}

/* The k-th result, if it is asked for. */
static void mex_give(int nout, mxArray **out, int k, mxArray *a)
{
    if (k == 0 || k < nout)
        out[k] = a;
}

void mexFunction(int nout, mxArray **out, int n, const mxArray **in)
{
    int nq = MODEL.nq, rows = MODEL.ng + MODEL.nh;
    char *what;
    mex_open_model();
    if (n < 1)
        mexErrMsgTxt("give (t, x), or 'names', 'start', 'params', 'set', 'input', 'dynamics', 'residual', 'jacobian', 'outputs'");
    if (!mxIsChar(in[0])) {
        out[0] = mex_rates(n, in);
        return;
    }
    what = mxArrayToString(in[0]);
    if (!strcmp(what, "names"))
        out[0] = mex_names();
    else if (!strcmp(what, "params"))
        out[0] = mex_column(mex_params, MODEL.np);
    else if (!strcmp(what, "set"))
        mex_set_parameter(n, in);
    else if (!strcmp(what, "input"))
        memcpy(mex_inputs, mex_vector(n, in, 1, MODEL.nu, "u"), (size_t)MODEL.nu * sizeof *mex_inputs);
    else if (!strcmp(what, "start")) {
        double *q = mex_room(nq), *v = mex_room(nq), *z = mex_room(MODEL.nz), *u = mex_room(MODEL.nu);
        MODEL.initial(mex_constants, q, v, z, u);
        mex_give(nout, out, 0, mex_column(q, nq));
        mex_give(nout, out, 1, mex_column(v, nq));
        mex_give(nout, out, 2, mex_column(z, MODEL.nz));
    } else if (!strcmp(what, "dynamics")) {
        struct mbs_state x = mex_state_of(n, in, 0);
        struct mex_parts d = mex_dynamics(&x);
        mex_give(nout, out, 0, mex_symmetric(&MODEL.M, d.M));
        mex_give(nout, out, 1, mex_column(d.f, nq));
        mex_give(nout, out, 2, mex_sparse(&MODEL.G, rows, nq, d.G));
        mex_give(nout, out, 3, mex_column(d.gamma, rows));
        mex_give(nout, out, 4, mex_column(d.g, MODEL.ng));
        mex_give(nout, out, 5, mex_column(d.zdot, MODEL.nz));
    } else if (!strcmp(what, "residual")) {
        struct mbs_state x = mex_state_of(n, in, 1);
        double *r = mex_room(nq), *gv = mex_room(rows), *ga = mex_room(rows);
        const struct mbs_residual to = { .r = r, .zdot = mex_room(MODEL.nz), .gv = gv, .ga = ga };
        MODEL.residual(mex_constants, &x, &to, mex_work);
        mex_give(nout, out, 0, mex_column(r, nq));
        mex_give(nout, out, 1, mex_column(gv, rows));
        mex_give(nout, out, 2, mex_column(ga, rows));
    } else if (!strcmp(what, "jacobian")) {
        struct mbs_state x = mex_state_of(n, in, 1);
        const struct mbs_jacobian to = { .rq = mex_room(MODEL.rq.nnz), .rv = mex_room(MODEL.rv.nnz), .M = mex_room(MODEL.M.nnz), .G = mex_room(MODEL.G.nnz),
                                         .rz = mex_room(MODEL.rz.nnz), .zq = mex_room(MODEL.zq.nnz), .zv = mex_room(MODEL.zv.nnz), .zz = mex_room(MODEL.zz.nnz) };
        MODEL.jacobian(mex_constants, &x, &to, mex_work);
        mex_give(nout, out, 0, mex_sparse(&MODEL.rq, nq, nq, to.rq));
        mex_give(nout, out, 1, mex_sparse(&MODEL.rv, nq, nq, to.rv));
        mex_give(nout, out, 2, mex_symmetric(&MODEL.M, to.M));
        mex_give(nout, out, 3, mex_sparse(&MODEL.G, rows, nq, to.G));
    } else if (!strcmp(what, "outputs")) {
        struct mbs_state x = mex_state_of(n, in, 1);
        double *y = mex_room(MODEL.ny);
        MODEL.outputs(mex_constants, &x, y, mex_work);
        out[0] = mex_column(y, MODEL.ny);
    } else {
        mexErrMsgIdAndTxt("mbs:what", "'%s' is not known: names, start, params, set, input, dynamics, residual, jacobian, outputs", what);
    }
}
