/* SPDX-License-Identifier: MIT
 *
 * The motion linearised about the state as of now, in minimal coordinates.
 *
 * Some coordinates y of q describe the positions that the holonomic constraints allow, some w of v the velocities that
 * all constraints allow (fewer, if some are not holonomic).  x = (y, w, z) then obeys an ordinary differential
 * equation x' = F(x, u), and the linearisation is its derivative, exact and with all terms:
 *
 *     dq = Q dy,                      Gh Q = 0, Q the identity in the rows of y
 *     dv = V dy + W dw,               G W = 0, W the identity and V zero in the rows of w,  G V + (G v + gt)_q Q = 0
 *     [M G'; G 0] (da, dlambda) = -(r_q dq + r_v dv + r_z dz + r_u du, (G a + gamma)_q dq + (G a + gamma)_v dv)
 *     dy' = dv in the rows of y,      dw' = da in the rows of w,      dz' = z_q dq + z_v dv + z_z dz + z_u du
 *
 * (Gh: the holonomic rows of G.)  In a fixed chart (y, w) no basis turns with the motion, so nothing is lost away from rest.
 *
 * A motion is called steady if F vanishes but for coordinates that nothing else depends on: cyclic ones.  They are taken
 * away one after the other (first the place of a rolling disc, then its heading, on which only the place depended). */
#include "analysis/linear.h"
#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double RANK = 1e-9;        /* sine of the angle below which constraints are called dependent */
static const double REST = 1e-8;        /* a change of the states by this much may explain the rates of a state at rest */
enum { MERITS = 3 };
static const double NONE = 1e-9;        /* what counts as no dependence, relative to the largest of its row */

/* The vectors that rows of G allow: T (n x d) with the identity in the rows `pick`. */
struct tangent {
    int n, rows, d;
    double *T;
    int *pick;
    double *scale;                      /* of the rows of G */
    struct mbs_cod *cod;                /* of G' with scaled columns; NULL without rows */
};

static void tangent_fini(struct tangent *t)
{
    mbs_cod_free(t->cod);
    free(t->T);
    free(t->pick);
    free(t->scale);
}

static int tangent_factor(struct tangent *t, const struct mbs_pattern *G, const double *val)
{
    int n = t->n, m = t->rows, rank;
    double *Gt = calloc((size_t)n * (size_t)m + 1, sizeof *Gt);

    t->scale = calloc((size_t)m + 1, sizeof *t->scale);
    t->cod = mbs_cod_new(n, m);
    if (!Gt || !t->scale || !t->cod) {
        free(Gt);
        return MBS_NO_MEMORY;
    }
    for (int j = 0; j < n; j++)
        for (int k = G->colptr[j]; k < G->colptr[j + 1]; k++)
            if (G->rowidx[k] < m)
                t->scale[G->rowidx[k]] = hypot(t->scale[G->rowidx[k]], val[k]);
    for (int i = 0; i < m; i++)
        t->scale[i] = t->scale[i] > 0 ? 1 / t->scale[i] : 1;
    for (int j = 0; j < n; j++)
        for (int k = G->colptr[j]; k < G->colptr[j + 1]; k++)
            if (G->rowidx[k] < m)
                Gt[j * m + G->rowidx[k]] = val[k] * t->scale[G->rowidx[k]];
    rank = mbs_cod_factor(t->cod, Gt, RANK);
    free(Gt);
    t->d = n - rank;
    return rank < 0 ? rank : 0;
}

/* d rows of N that are as independent as can be: those of `first` before all others, else the earliest of the highest merit that
 * will do, else the earliest that is not much worse than the best, so that the choice does not hang on rounding errors. */
static int pick_rows(struct tangent *t, const unsigned char *merit, const double *N, const int *first, int nfirst)
{
    int n = t->n, d = t->d;
    double *W = malloc(((size_t)n * (size_t)d + 1) * sizeof *W);
    unsigned char *taken = calloc((size_t)n + 1, 1);

    for (int k = 0; W && taken && k < d; k++) {
        double best = 0;
        int row = -1;
        if (k == 0)
            memcpy(W, N, (size_t)n * (size_t)d * sizeof *W);
        for (int pass = MERITS; pass >= 0; pass--)
            for (int i = 0; i < n && row < 0; i++) {
                double s = 0;
                for (int j = 0; j < d && !taken[i]; j++)
                    s += W[(long)i * d + j] * W[(long)i * d + j];
                if (pass == MERITS)
                    best = fmax(best, s);
                else if (!taken[i] && merit[i] >= pass && s >= (pass > 0 ? 0.01 : 0.25) * best)
                    row = i;
            }
        if (k < nfirst)
            row = first[k];
        if (row < 0)
            break;
        taken[row] = 1;
        double *u = W + (long)row * d, norm = 0;
        for (int j = 0; j < d; j++)
            norm += u[j] * u[j];
        for (int i = 0; i < n && norm > 0; i++) {
            double s = 0;
            for (int j = 0; j < d && !taken[i]; j++)
                s += W[i * d + j] * u[j];
            for (int j = 0; j < d && !taken[i]; j++)
                W[i * d + j] -= s / norm * u[j];
        }
    }
    t->pick = calloc((size_t)d + 1, sizeof *t->pick);
    int picked = 0;
    for (int i = 0; t->pick && taken && i < n; i++)
        if (taken[i])
            t->pick[picked++] = i;
    free(W);
    free(taken);
    return t->pick && picked == d ? 0 : MBS_NO_MEMORY;
}

/* T = N S^-1, S the picked rows of N. */
static int tangent_normalise(struct tangent *t, const double *N)
{
    int n = t->n, d = t->d, status = MBS_NO_MEMORY;
    double *S = malloc(((size_t)d * (size_t)d + 1) * sizeof *S), *scale = malloc(((size_t)d + 1) * sizeof *scale);
    int *pivot = malloc(((size_t)d + 1) * sizeof *pivot);

    t->T = malloc(((size_t)n * (size_t)d + 1) * sizeof *t->T);
    if (S && scale && pivot && t->T) {
        for (int i = 0; i < d; i++)
            for (int j = 0; j < d; j++)
                S[j * d + i] = N[(long)t->pick[i] * d + j];
        status = d == 0 || mbs_lu_real(d, S, pivot, scale) > 1e-12 ? 0 : MBS_SINGULAR;
        for (int i = 0; i < n && status == 0; i++) {
            memcpy(t->T + (long)i * d, N + (long)i * d, (size_t)d * sizeof *N);
            mbs_lu_real_solve(d, S, pivot, t->T + (long)i * d);
        }
        for (int k = 0; k < d && status == 0; k++)
            for (int j = 0; j < d; j++)
                t->T[(long)t->pick[k] * d + j] = j == k;
    }
    free(S);
    free(scale);
    free(pivot);
    return status;
}

static int tangent_init(struct tangent *t, const struct mbs_model *o, const unsigned char *merit, const double *G, int rows, const int *first, int nfirst)
{
    int status, n = o->nq;
    double *N;

    *t = (struct tangent){ .n = n, .rows = rows, .d = n };
    if (rows > 0 && (status = tangent_factor(t, &o->G, G)))
        return status;
    N = calloc((size_t)n * (size_t)t->d + 1, sizeof *N);
    if (!N)
        return MBS_NO_MEMORY;
    if (rows > 0)
        mbs_cod_null(t->cod, N);
    else
        for (int i = 0; i < n; i++)
            N[(long)i * n + i] = 1;
    status = pick_rows(t, merit, N, first, nfirst);
    if (status == 0)
        status = tangent_normalise(t, N);
    free(N);
    return status;
}

/* x (n): solves G x = b with zeros in the picked rows.  b (rows values) is overwritten. */
static void tangent_particular(const struct tangent *t, double *b, double *x)
{
    memset(x, 0, (size_t)t->n * sizeof *x);
    if (t->rows == 0)
        return;
    for (int i = 0; i < t->rows; i++)
        b[i] *= t->scale[i];
    mbs_cod_solve_t(t->cod, b, x);
    for (int k = 0; k < t->d; k++) {
        double s = x[t->pick[k]];
        for (int i = 0; i < t->n && s != 0; i++)
            x[i] -= s * t->T[(long)i * t->d + k];
    }
}

/* ---- the linearisation ---- */

/* One direction: what changes with a state or an input. */
struct direction {
    double *dq, *dv, *da, *dlambda, *dz, *du, *dzdot;
};

struct linearizer {
    struct mbs_sim *sim;
    struct mbs_linear lin;
    struct tangent position, velocity;
    struct mbs_linearization *out;
    struct direction d;
    double *rhs, *b;            /* n + m, m */
    double *all;                /* of d, rhs, b and what outputs need */
    struct mbs_point at;        /* a point aside, for outputs */
    double *u, *y;
    unsigned char *merit;       /* of coordinates as independent ones: 0 .. MERITS - 1 */
};

/* da, dlambda and dzdot from dq, dv, dz, du: the factors of the saddle point are those of the state. */
static void direction_complete(struct linearizer *l)
{
    const struct mbs_model *o = l->sim->model;
    const struct mbs_jacobian *j = &l->lin.jac;
    struct direction *d = &l->d;
    int n = o->nq, m = o->ng + o->nh;

    memset(l->rhs, 0, (size_t)(n + m) * sizeof *l->rhs);
    memset(d->dzdot, 0, (size_t)o->nz * sizeof *d->dzdot);
    mbs_csc_mul(&o->rq, j->rq, -1, d->dq, l->rhs);
    mbs_csc_mul(&o->rv, j->rv, -1, d->dv, l->rhs);
    mbs_csc_mul(&o->rz, j->rz, -1, d->dz, l->rhs);
    mbs_csc_mul(&o->ru, j->ru, -1, d->du, l->rhs);
    mbs_csc_mul(&o->gaq, j->gaq, -1, d->dq, l->rhs + n);
    mbs_csc_mul(&o->gav, j->gav, -1, d->dv, l->rhs + n);
    mbs_csc_mul(&o->zq, j->zq, 1, d->dq, d->dzdot);
    mbs_csc_mul(&o->zv, j->zv, 1, d->dv, d->dzdot);
    mbs_csc_mul(&o->zz, j->zz, 1, d->dz, d->dzdot);
    mbs_csc_mul(&o->zu, j->zu, 1, d->du, d->dzdot);
    mbs_saddle_solve(l->sim->p.saddle, l->rhs);
    memcpy(d->da, l->rhs, (size_t)n * sizeof *d->da);
    memcpy(d->dlambda, l->rhs + n, (size_t)m * sizeof *d->dlambda);
}

static void direction_clear(struct linearizer *l)
{
    const struct mbs_model *o = l->sim->model;
    size_t n = (size_t)o->nq;

    memset(l->d.dq, 0, n * sizeof(double));
    memset(l->d.dv, 0, n * sizeof(double));
    memset(l->d.dz, 0, (size_t)o->nz * sizeof(double));
    memset(l->d.du, 0, (size_t)o->nu * sizeof(double));
}

/* The change of everything with state k. */
static void direction_state(struct linearizer *l, int k)
{
    const struct mbs_model *o = l->sim->model;
    const struct mbs_linearization *out = l->out;
    int n = o->nq, ny = out->nqi;

    direction_clear(l);
    if (k < ny) {
        for (int i = 0; i < n; i++)
            l->d.dq[i] = l->position.T[(long)i * ny + k];
        memset(l->b, 0, (size_t)(o->ng + o->nh) * sizeof *l->b);
        mbs_csc_mul(&o->gvq, l->lin.jac.gvq, -1, l->d.dq, l->b);
        tangent_particular(&l->velocity, l->b, l->d.dv);
    } else if (k < ny + out->nvi) {
        for (int i = 0; i < n; i++)
            l->d.dv[i] = l->velocity.T[(long)i * out->nvi + k - ny];
    } else {
        l->d.dz[k - ny - out->nvi] = 1;
    }
    direction_complete(l);
}

/* The rates of the states along a direction, into column k of a matrix with `cols` columns. */
static void put_rates(const struct linearizer *l, double *A, int cols, int k)
{
    const struct mbs_linearization *out = l->out;
    double *at = A + k;

    for (int i = 0; i < out->nqi; i++, at += cols)
        *at = l->d.dv[out->q[i]];
    for (int i = 0; i < out->nvi; i++, at += cols)
        *at = l->d.da[out->v[i]];
    for (int i = 0; i < out->nz; i++, at += cols)
        *at = l->d.dzdot[i];
}

/* Outputs at the state moved by h along the direction. */
static void outputs_along(struct linearizer *l, double h, double *y)
{
    struct mbs_problem *p = &l->sim->p;
    const struct mbs_point *x = &l->sim->s.x;
    struct mbs_state at = mbs_point_state(&l->at, p);
    int n = p->n;

    at.t = x->t;
    at.u = l->u;
    for (int i = 0; i < n; i++) {
        l->at.q[i] = x->q[i] + h * l->d.dq[i];
        l->at.v[i] = x->v[i] + h * l->d.dv[i];
        l->at.a[i] = x->a[i] + h * l->d.da[i];
    }
    for (int i = 0; i < p->nz; i++)
        l->at.z[i] = x->z[i] + h * l->d.dz[i];
    for (int i = 0; i < p->m; i++)
        l->at.lambda[i] = x->lambda[i] + h * l->d.dlambda[i];
    for (int i = 0; i < p->nu; i++)
        l->u[i] = p->u[i] + h * l->d.du[i];
    p->model->outputs(p->c, &at, y, p->w);
}

/* The derivative of the outputs along the direction by extrapolated central differences (Ridders 1982): the model has no
 * derivatives of outputs.  Each output takes the entry of its table with the least estimated error. */
static void put_outputs(struct linearizer *l, double *C, int cols, int k)
{
    enum { LEVELS = 8 };
    int ny = l->out->ny;
    double *plus = l->y, *minus = l->y + ny, *table = l->y + 2 * ny, h = 0.1;

    if (ny == 0)
        return;
    for (int level = 0; level < LEVELS; level++, h /= 2) {
        double *row = table + (long)level * LEVELS * ny;
        outputs_along(l, h, plus);
        outputs_along(l, -h, minus);
        for (int i = 0; i < ny; i++)
            row[i] = (plus[i] - minus[i]) / (2 * h);
    }
    for (int i = 0; i < ny; i++) {
        double best = HUGE_VAL, value = NAN;
        for (int level = 1; level < LEVELS; level++) {
            double *row = table + (long)level * LEVELS * ny, *before = row - (long)LEVELS * ny, factor = 4;
            for (int e = 1; e <= level; e++, factor *= 4) {
                double x = row[(e - 1) * ny + i], error;
                row[e * ny + i] = x + (x - before[(e - 1) * ny + i]) / (factor - 1);
                error = fmax(fabs(row[e * ny + i] - x), fabs(row[e * ny + i] - before[(e - 1) * ny + i]));
                if (error < best) {
                    best = error;
                    value = row[e * ny + i];
                }
            }
        }
        C[(long)i * cols + k] = fabs(value) < 1e-14 * best ? 0 : value;
    }
}

static int linearizer_allocate(struct linearizer *l)
{
    const struct mbs_model *o = l->sim->model;
    size_t n = (size_t)o->nq, m = (size_t)(o->ng + o->nh), nz = (size_t)o->nz, nu = (size_t)o->nu, ny = (size_t)o->ny;
    size_t total = 7 * n + 4 * m + 4 * nz + 2 * nu + 66 * ny + n + m + 16;
    double *w = l->all = calloc(total, sizeof *w);

    l->merit = calloc(n + 1, 1);
    if (!w || !l->merit)
        return MBS_NO_MEMORY;
    struct { double **at; size_t n; } part[] = {
        { &l->d.dq, n }, { &l->d.dv, n }, { &l->d.da, n }, { &l->d.dlambda, m }, { &l->d.dz, nz }, { &l->d.du, nu },
        { &l->d.dzdot, nz }, { &l->rhs, n + m }, { &l->b, m }, { &l->at.q, n }, { &l->at.v, n }, { &l->at.z, nz },
        { &l->at.a, n }, { &l->at.lambda, m }, { &l->u, nu }, { &l->y, 66 * ny } };
    for (size_t i = 0; i < sizeof part / sizeof *part; w += part[i++].n)
        *part[i].at = w;
    return 0;
}

static void linearizer_fini(struct linearizer *l)
{
    mbs_linear_fini(&l->lin);
    tangent_fini(&l->position);
    tangent_fini(&l->velocity);
    free(l->all);
    free(l->merit);
}

void mbs_linearization_free(struct mbs_linearization *out)
{
    if (!out)
        return;
    free(out->A);
    free(out->q);
    memset(out, 0, sizeof *out);
}

static int out_allocate(struct linearizer *l)
{
    struct mbs_linearization *out = l->out;
    const struct mbs_model *o = l->sim->model;
    size_t nx, nu = (size_t)o->nu, ny = (size_t)o->ny, n = (size_t)o->nq;

    out->nqi = l->position.d;
    out->nvi = l->velocity.d;
    out->nz = o->nz;
    out->nu = o->nu;
    out->ny = o->ny;
    out->nx = out->nqi + out->nvi + out->nz;
    nx = (size_t)out->nx;
    out->A = calloc(nx * nx + nx * nu + ny * nx + ny * nu + nx + n * nx + 1, sizeof *out->A);
    out->q = calloc(3 * nx + 1, sizeof *out->q);
    if (!out->A || !out->q)
        return MBS_NO_MEMORY;
    out->B = out->A + nx * nx;
    out->C = out->B + nx * nu;
    out->D = out->C + ny * nx;
    out->rate = out->D + ny * nu;
    out->dq = out->rate + nx;
    out->v = out->q + nx;
    out->cyclic = out->v + nx;
    if (out->nqi > 0)
        memcpy(out->q, l->position.pick, (size_t)out->nqi * sizeof *out->q);
    if (out->nvi > 0)
        memcpy(out->v, l->velocity.pick, (size_t)out->nvi * sizeof *out->v);
    return 0;
}

static void fill(struct linearizer *l)
{
    struct mbs_linearization *out = l->out;
    const struct mbs_point *x = &l->sim->s.x;
    int nx = out->nx, n = l->sim->p.n;

    for (int k = 0; k < nx; k++) {
        direction_state(l, k);
        put_rates(l, out->A, nx, k);
        put_outputs(l, out->C, nx, k);
        for (int i = 0; i < n; i++)
            out->dq[(long)i * nx + k] = l->d.dq[i];
    }
    for (int k = 0; k < out->nu; k++) {
        direction_clear(l);
        l->d.du[k] = 1;
        direction_complete(l);
        put_rates(l, out->B, out->nu, k);
        put_outputs(l, out->D, out->nu, k);
    }
    for (int i = 0; i < out->nqi; i++)
        out->rate[i] = x->v[out->q[i]];
    for (int i = 0; i < out->nvi; i++)
        out->rate[out->nqi + i] = x->a[out->v[i]];
    for (int i = 0; i < out->nz; i++)
        out->rate[out->nqi + out->nvi + i] = l->sim->p.dyn.zdot[i];
}

/* Whether the equations have no derivative by coordinate i. */
static int is_ignorable(const struct linearizer *l, int i)
{
    const struct mbs_model *o = l->sim->model;
    const struct mbs_jacobian *j = &l->lin.jac;
    const struct { const struct mbs_pattern *p; const double *val; } part[] = {
        { &o->rq, j->rq }, { &o->zq, j->zq }, { &o->gvq, j->gvq }, { &o->gaq, j->gaq } };

    for (size_t k = 0; k < sizeof part / sizeof *part; k++)
        for (int at = part[k].p->colptr ? part[k].p->colptr[i] : 0; part[k].p->colptr && at < part[k].p->colptr[i + 1]; at++)
            if (part[k].val[at] != 0)
                return 0;
    return 1;
}

/* In coordinates whose accelerations vanish and stay so, a steady motion shows itself to be one: the heading of a disc that
 * rolls in a circle, not its place, be it that one acceleration of that is zero just now.  And better those on which the
 * equations depend: the lean of the disc, not its place. */
static void find_merits(struct linearizer *l)
{
    const struct mbs_problem *p = &l->sim->p;
    const struct mbs_point *x = &l->sim->s.x;
    double a = 0, jerk = 0;

    memcpy(l->d.dq, x->v, (size_t)p->n * sizeof *x->v);
    memcpy(l->d.dv, x->a, (size_t)p->n * sizeof *x->a);
    memcpy(l->d.dz, p->dyn.zdot, (size_t)p->nz * sizeof *x->z);
    memset(l->d.du, 0, (size_t)p->nu * sizeof *l->d.du);
    direction_complete(l);
    for (int i = 0; i < p->n; i++) {
        a = fmax(a, fabs(x->a[i]));
        jerk = fmax(jerk, fabs(l->d.da[i]));
    }
    for (int i = 0; i < p->n; i++)
        if (fabs(x->a[i]) <= 1e-7 * a && fabs(l->d.da[i]) <= 1e-6 * jerk)
            l->merit[i] = is_ignorable(l, i) ? 1 : 2;
}

/* Jacobian and factors at the state, the two tangents.  `as`: the coordinates to take, or NULL. */
static int linearizer_init(struct linearizer *l, struct mbs_sim *sim, struct mbs_linearization *out, const struct mbs_linearization *as)
{
    const struct mbs_model *o = sim->model;
    struct mbs_state x;
    int status;

    *l = (struct linearizer){ .sim = sim, .out = out };
    memset(out, 0, sizeof *out);
    sim->fresh_accelerations = 0;       /* so that p.dyn is of this state */
    if ((status = mbs_sim_complete(sim)))
        return status;
    if (mbs_linear_init(&l->lin, o, MBS_LINEAR_MOTION) || linearizer_allocate(l))
        return MBS_NO_MEMORY;
    x = mbs_point_state(&sim->s.x, &sim->p);
    mbs_eval_jacobian(&sim->p, &x, &l->lin.jac);
    if ((status = mbs_saddle_factor(sim->p.saddle, l->lin.jac.M, l->lin.jac.G)) < 0)
        return status;
    find_merits(l);
    status = tangent_init(&l->velocity, o, l->merit, l->lin.jac.G, o->ng + o->nh, as ? as->v : NULL, as ? as->nvi : 0);
    if (status == 0)
        status = tangent_init(&l->position, o, l->merit, l->lin.jac.G, o->ng, as ? as->q : l->velocity.pick, as ? as->nqi : l->velocity.d);
    if (status)
        return status;
    if (as && (l->position.d != as->nqi || l->velocity.d != as->nvi))
        return MBS_SINGULAR;
    return out_allocate(l);
}

static int linearize(struct mbs_sim *sim, struct mbs_linearization *out, const struct mbs_linearization *as)
{
    struct linearizer l;
    int status = linearizer_init(&l, sim, out, as);

    if (status == 0) {
        fill(&l);
        status = mbs_finite(out->A, out->nx * (out->nx + out->nu)) ? 0 : MBS_NAN;
    }
    linearizer_fini(&l);
    if (status)
        mbs_linearization_free(out);
    return status;
}

/* ---- is it a steady motion? ---- */

static double row_size(const struct mbs_linearization *x, int i)
{
    double size = 0;

    for (int j = 0; j < x->nx; j++)
        size = fmax(size, fabs(x->A[(long)i * x->nx + j]));
    return size;
}

/* Whether a state that is still in has a rate that depends on state j. */
static int depends(const struct mbs_linearization *x, const double *size, int j)
{
    for (int i = 0; i < x->nx; i++)
        if (!x->cyclic[i] && fabs(x->A[(long)i * x->nx + j]) > NONE * size[i])
            return 1;
    return 0;
}

/* Velocities are never taken away: a motion that grows is not steady. */
static void find_cyclic(struct mbs_linearization *x, const double *size)
{
    for (int found = 1; found;) {
        found = 0;
        for (int j = 0; j < x->nx; j++)
            if (!x->cyclic[j] && (j < x->nqi || j >= x->nqi + x->nvi) && !depends(x, size, j))
                x->cyclic[j] = found = 1;
    }
}

static void classify(struct mbs_linearization *x, const double *size)
{
    int moving = 0;

    x->restless = -1;
    for (int i = 0; i < x->nx; i++)
        if (fabs(x->rate[i]) > REST * size[i] + DBL_MIN) {
            moving = 1;
            if (!x->cyclic[i] && x->restless < 0)
                x->restless = i;
        }
    x->motion = x->restless >= 0 ? MBS_UNSTEADY : moving ? MBS_STEADY : MBS_AT_REST;
}

/* What is not cyclic must have the same rates and the same derivatives somewhere else along the cyclic coordinates. */
static int same_elsewhere(const struct mbs_linearization *x, const struct mbs_linearization *there, const double *size)
{
    int nx = x->nx;

    for (int i = 0; i < nx; i++) {
        if (x->cyclic[i])
            continue;
        if (fabs(there->rate[i] - x->rate[i]) > 1e-6 * size[i])
            return 0;
        for (int j = 0; j < nx; j++)
            if (!x->cyclic[j] && fabs(there->A[(long)i * nx + j] - x->A[(long)i * nx + j]) > 1e-6 * size[i])
                return 0;
    }
    return 1;
}

/* Makes the state consistent, the chosen coordinates and velocities being kept. */
static int complete_state(struct mbs_sim *sim, const struct mbs_linearization *x)
{
    size_t n = (size_t)sim->p.n;
    unsigned char *kind = malloc(2 * n + 1);
    int status;

    if (!kind)
        return MBS_NO_MEMORY;
    memset(kind, MBS_INIT_GUESS, 2 * n);
    for (int i = 0; i < x->nqi; i++)
        kind[x->q[i]] = MBS_INIT_FIXED;
    for (int i = 0; i < x->nvi; i++)
        kind[n + (size_t)x->v[i]] = MBS_INIT_FIXED;
    status = mbs_assemble_from(sim, kind, kind + n);
    free(kind);
    return status;
}

static int steady_elsewhere(struct mbs_sim *sim, const struct mbs_linearization *x, const double *size)
{
    struct mbs_problem *p = &sim->p;
    struct mbs_linearization there = { .nx = 0 };
    int ny = p->ny, n = p->n, same = 0;
    double *kept = malloc(2 * ((size_t)ny + 1) * sizeof *kept), *moved = kept + ny, t = sim->s.x.t;
    struct mbs_message msg = sim->msg;

    if (!kept)
        return 0;
    memcpy(kept, sim->s.x.q, (size_t)ny * sizeof *kept);
    memcpy(moved, kept, (size_t)ny * sizeof *kept);
    for (int k = 0; k < x->nqi; k++)
        for (int i = 0; i < n && x->cyclic[k] && fabs(x->rate[k]) > REST * size[k]; i++)
            moved[i] += (0.3 + 0.1 * (k % 7)) * x->dq[(long)i * x->nx + k];
    if (mbs_set_state(sim, t, moved, moved + n, moved + 2 * n) == 0 && complete_state(sim, x) == 0)
        same = linearize(sim, &there, x) == 0 && same_elsewhere(x, &there, size);
    mbs_linearization_free(&there);
    mbs_set_state(sim, t, kept, kept + n, kept + 2 * n);
    free(kept);
    sim->msg = msg;
    mbs_sim_complete(sim);
    return same;
}

static int judge(struct mbs_sim *sim, struct mbs_linearization *x)
{
    double *size = malloc(((size_t)x->nx + 1) * sizeof *size);
    double largest = 0;

    if (!size)
        return MBS_NO_MEMORY;
    for (int i = 0; i < x->nx; i++)
        largest = fmax(largest, size[i] = row_size(x, i));
    for (int i = 0; i < x->nx; i++)
        size[i] = fmax(size[i], 1e-12 * largest);
    find_cyclic(x, size);
    classify(x, size);
    if (x->motion == MBS_STEADY && !steady_elsewhere(sim, x, size)) {
        x->motion = MBS_UNSTEADY;
        for (int i = 0; i < x->nx && x->restless < 0; i++)
            if (fabs(x->rate[i]) > REST * size[i])
                x->restless = i;
    }
    free(size);
    return 0;
}

int mbs_linearize(struct mbs_sim *sim, struct mbs_linearization *out)
{
    int status;

    if (mbs_border_idle(sim, "mbs_linearize") || mbs_border_result(sim, out, "mbs_linearize"))
        return MBS_BAD_ARGUMENT;
    if (mbs_border_smooth(sim, "mbs_linearize"))
        return MBS_UNAVAILABLE;
    memset(out, 0, sizeof *out);
    if ((status = mbs_border_matrices(sim, "linearisation")))
        return status;
    status = linearize(sim, out, NULL);
    if (status == 0)
        status = judge(sim, out);
    if (status && sim->msg.status != status)
        mbs_fail(&sim->msg, status, sim->s.x.t, -1, -1, "linearisation: %s", mbs_status_text(status));
    return status;
}

/* ---- steady motion ---- */

/* Newton's method on the rates of what is not cyclic; of the solutions the nearest one, which keeps speeds that were
 * fixed by `=` and, as far as it can, the others. */
static int steady_step(struct mbs_sim *sim, const struct mbs_linearization *x, double *step)
{
    const struct mbs_model *o = sim->model;
    int nx = x->nx, rows = 0, cols = 0, status = MBS_NO_MEMORY;
    int *row = calloc(2 * (size_t)nx + 1, sizeof *row), *col = row + nx;
    double *A = calloc((size_t)nx * (size_t)nx + 2 * (size_t)nx + 1, sizeof *A), *b = A + (long)nx * nx, *s = b + nx;
    struct mbs_cod *cod = NULL;

    for (int i = 0; row && i < nx; i++) {
        int k = i < x->nqi ? -1 : i < x->nqi + x->nvi ? x->v[i - x->nqi] : -1;
        if (!x->cyclic[i])
            row[rows++] = i;
        if (!x->cyclic[i] && !(k >= 0 && o->v_init && o->v_init[k] == MBS_INIT_FIXED))
            col[cols++] = i;
    }
    memset(step, 0, (size_t)nx * sizeof *step);
    if (row && A && rows > 0 && cols > 0)
        cod = mbs_cod_new(rows, cols);
    if (cod) {
        for (int i = 0; i < rows; i++) {
            double size = row_size(x, row[i]);
            for (int j = 0; j < cols; j++)
                A[(long)i * cols + j] = size > 0 ? x->A[(long)row[i] * nx + col[j]] / size : 0;
            b[i] = size > 0 ? -x->rate[row[i]] / size : 0;
        }
        status = mbs_cod_factor(cod, A, 1e-9);
        if (status >= 0) {
            mbs_cod_solve(cod, b, s);
            for (int j = 0; j < cols; j++)
                step[col[j]] = s[j];
            status = 0;
        }
    } else if (row && A && (rows == 0 || cols == 0)) {
        status = 0;
    }
    mbs_cod_free(cod);
    free(A);
    free(row);
    return status;
}

/* Moves the state by the step, velocities first taken with the positions, and makes it consistent. */
static int steady_move(struct mbs_sim *sim, const struct mbs_linearization *x, const double *step, double damp)
{
    struct mbs_problem *p = &sim->p;
    int n = p->n, status;
    double *y = malloc(((size_t)p->ny + 1) * sizeof *y), t = sim->s.x.t;

    if (!y)
        return MBS_NO_MEMORY;
    memcpy(y, sim->s.x.q, (size_t)p->ny * sizeof *y);
    for (int k = 0; k < x->nqi; k++)
        for (int i = 0; i < n; i++)
            y[i] += damp * step[k] * x->dq[(long)i * x->nx + k];
    for (int k = 0; k < x->nvi; k++)
        y[n + x->v[k]] += damp * step[x->nqi + k];
    for (int k = 0; k < x->nz; k++)
        y[2 * n + k] += damp * step[x->nqi + x->nvi + k];
    status = mbs_set_state(sim, t, y, y + n, y + 2 * n);
    free(y);
    return status ? status : complete_state(sim, x);
}

int mbs_steady(struct mbs_sim *sim)
{
    enum { MAX_ITER = 60 };
    struct mbs_linearization x;
    double *step, last = HUGE_VAL;
    int status, done = 0, worst = -1;

    if (mbs_border_idle(sim, "mbs_steady"))
        return MBS_BAD_ARGUMENT;
    if (mbs_border_smooth(sim, "mbs_steady"))
        return MBS_UNAVAILABLE;
    step = malloc((2 * (size_t)sim->p.n + (size_t)sim->p.nz + 1) * sizeof *step);
    status = step ? 0 : MBS_NO_MEMORY;
    for (int iter = 0; status == 0 && !done && iter < MAX_ITER; iter++) {
        double size = 0;
        if ((status = mbs_linearize(sim, &x)))
            break;
        status = steady_step(sim, &x, step);
        for (int i = 0; i < x.nx && status == 0; i++)
            size = fmax(size, fabs(step[i]));
        worst = x.restless;
        done = status == 0 && x.motion != MBS_UNSTEADY && (size < 1e-13 || (size < 1e-9 && size >= 0.5 * last));
        last = size;
        if (status == 0 && !done)
            status = steady_move(sim, &x, step, size > 0.3 ? 0.3 / size : 1);
        mbs_linearization_free(&x);
    }
    free(step);
    if (status == 0 && !done)
        return mbs_fail(&sim->msg, MBS_NO_CONVERGENCE, sim->s.x.t, worst >= 0 && worst < sim->p.n ? worst : -1, -1,
                        "no steady motion was found near the start");
    if (status && sim->msg.status != status)
        mbs_fail(&sim->msg, status, sim->s.x.t, -1, -1, "steady motion: %s", mbs_status_text(status));
    return status;
}

/* ---- descriptor form ---- */

void mbs_descriptor_free(struct mbs_descriptor *d)
{
    if (!d)
        return;
    free(d->E);
    memset(d, 0, sizeof *d);
}

/* M += s * P at (row, col) of a dense matrix with `width` columns. */
static void put_block(double *M, int width, int row, int col, const struct mbs_pattern *p, const double *val, double s, enum mbs_block kind)
{
    for (int j = 0; j < p->cols && p->colptr; j++)
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
            int i = p->rowidx[k];
            if (kind == MBS_BLOCK_TRANSPOSED)
                M[(long)(row + j) * width + col + i] += s * val[k];
            else
                M[(long)(row + i) * width + col + j] += s * val[k];
            if (kind == MBS_BLOCK_SYMMETRIC && i != j)
                M[(long)(row + j) * width + col + i] += s * val[k];
        }
}

int mbs_descriptor(struct mbs_sim *sim, struct mbs_descriptor *out)
{
    const struct mbs_model *o;
    struct mbs_linear lin;
    struct mbs_state x;
    int n, nz, m, nu, N, status;

    if (mbs_border_idle(sim, "mbs_descriptor") || mbs_border_result(sim, out, "mbs_descriptor"))
        return MBS_BAD_ARGUMENT;
    if (mbs_border_smooth(sim, "mbs_descriptor"))
        return MBS_UNAVAILABLE;
    memset(out, 0, sizeof *out);
    if ((status = mbs_border_matrices(sim, "the descriptor form")) || (status = mbs_sim_complete(sim)))
        return status;
    o = sim->model;
    n = o->nq;
    nz = o->nz;
    m = o->ng + o->nh;
    nu = o->nu;
    N = 2 * n + nz + m;
    out->E = calloc((size_t)N * (size_t)(2 * N + nu) + 1, sizeof *out->E);
    if (mbs_linear_init(&lin, o, MBS_LINEAR_MOTION) || !out->E) {
        free(out->E);
        memset(out, 0, sizeof *out);
        return mbs_fail(&sim->msg, MBS_NO_MEMORY, sim->s.x.t, -1, -1, "out of memory for the descriptor form");
    }
    out->n = N;
    out->nu = nu;
    out->A = out->E + (long)N * N;
    out->B = out->A + (long)N * N;
    x = mbs_point_state(&sim->s.x, &sim->p);
    mbs_eval_jacobian(&sim->p, &x, &lin.jac);
    for (int i = 0; i < n; i++) {
        out->E[(long)i * N + i] = 1;
        out->A[(long)i * N + n + i] = 1;
    }
    for (int i = 0; i < nz; i++)
        out->E[(long)(2 * n + i) * N + 2 * n + i] = 1;
    put_block(out->E, N, n, n, &o->M, lin.jac.M, 1, MBS_BLOCK_SYMMETRIC);
    put_block(out->A, N, n, 0, &o->rq, lin.jac.rq, -1, MBS_BLOCK);
    put_block(out->A, N, n, n, &o->rv, lin.jac.rv, -1, MBS_BLOCK);
    put_block(out->A, N, n, 2 * n, &o->rz, lin.jac.rz, -1, MBS_BLOCK);
    put_block(out->A, N, n, 2 * n + nz, &o->G, lin.jac.G, -1, MBS_BLOCK_TRANSPOSED);
    put_block(out->A, N, 2 * n, 0, &o->zq, lin.jac.zq, 1, MBS_BLOCK);
    put_block(out->A, N, 2 * n, n, &o->zv, lin.jac.zv, 1, MBS_BLOCK);
    put_block(out->A, N, 2 * n, 2 * n, &o->zz, lin.jac.zz, 1, MBS_BLOCK);
    put_block(out->A, N, 2 * n + nz, 0, &o->gvq, lin.jac.gvq, 1, MBS_BLOCK);
    put_block(out->A, N, 2 * n + nz, n, &o->G, lin.jac.G, 1, MBS_BLOCK);
    put_block(out->B, nu, n, 0, &o->ru, lin.jac.ru, -1, MBS_BLOCK);
    put_block(out->B, nu, 2 * n, 0, &o->zu, lin.jac.zu, 1, MBS_BLOCK);
    mbs_linear_fini(&lin);
    return 0;
}

/* ---- frequency response ---- */

int mbs_frequency_response(const struct mbs_linearization *x, double omega, double *H)
{
    size_t nx;
    double *A, *b, *scale;
    int *pivot, regular;

    if (!x || !H || !isfinite(omega))
        return MBS_BAD_ARGUMENT;
    nx = (size_t)x->nx;
    A = malloc((2 * nx * nx + 3 * nx + 1) * sizeof *A);
    pivot = malloc((nx + 1) * sizeof *pivot);
    if (!A || !pivot) {
        free(A);
        free(pivot);
        return MBS_NO_MEMORY;
    }
    b = A + 2 * nx * nx;
    scale = b + 2 * nx;
    for (size_t i = 0; i < nx; i++)
        for (size_t j = 0; j < nx; j++) {
            A[2 * (i * nx + j)] = -x->A[i * nx + j];
            A[2 * (i * nx + j) + 1] = i == j ? omega : 0;
        }
    regular = nx == 0 || mbs_lu_complex(x->nx, A, pivot, scale) > 0;
    for (int k = 0; k < x->nu; k++) {
        for (size_t i = 0; i < nx; i++) {
            b[2 * i] = x->B[i * (size_t)x->nu + (size_t)k];
            b[2 * i + 1] = 0;
        }
        if (regular && nx > 0)
            mbs_lu_complex_solve(x->nx, A, pivot, b);
        for (int i = 0; i < x->ny; i++) {
            double re = x->D[(long)i * x->nu + k], im = 0;
            for (size_t j = 0; j < nx; j++) {
                re += x->C[(size_t)i * nx + j] * b[2 * j];
                im += x->C[(size_t)i * nx + j] * b[2 * j + 1];
            }
            H[2 * (k * x->ny + i)] = regular ? re : HUGE_VAL;
            H[2 * (k * x->ny + i) + 1] = regular ? im : 0;
        }
    }
    free(A);
    free(pivot);
    return 0;
}
