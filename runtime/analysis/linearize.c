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
 * Whether the motion is a steady one is looked at in steady.c. */
#include "analysis/linearize.h"
#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double RANK = 1e-9;        /* sine of the angle below which constraints are called dependent */
enum { MERITS = 3 };

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

struct linearizer {
    struct mbs_sim *sim;
    struct slope s;
    struct tangent position, velocity;
    struct mbs_linearization *out;
    double *b;                  /* m */
    double *all;                /* of b and what outputs need */
    struct mbs_point at;        /* a point aside, for outputs */
    double *u, *y, *error;
    unsigned char *merit;       /* of coordinates as independent ones: 0 .. MERITS - 1 */
};

/* The factors of the saddle point are those of the state. */
void mbs_slope_along(struct slope *s)
{
    const struct mbs_model *o = s->sim->model;
    const struct mbs_jacobian *j = &s->lin.jac;
    struct direction *d = &s->d;
    int n = o->nq, m = o->ng + o->nh;

    memset(s->rhs, 0, (size_t)(n + m) * sizeof *s->rhs);
    memset(d->dzdot, 0, (size_t)o->nz * sizeof *d->dzdot);
    mbs_csc_mul(&o->rq, j->rq, -1, d->dq, s->rhs);
    mbs_csc_mul(&o->rv, j->rv, -1, d->dv, s->rhs);
    mbs_csc_mul(&o->rz, j->rz, -1, d->dz, s->rhs);
    mbs_csc_mul(&o->ru, j->ru, -1, d->du, s->rhs);
    mbs_csc_mul(&o->gaq, j->gaq, -1, d->dq, s->rhs + n);
    mbs_csc_mul(&o->gav, j->gav, -1, d->dv, s->rhs + n);
    mbs_csc_mul(&o->zq, j->zq, 1, d->dq, d->dzdot);
    mbs_csc_mul(&o->zv, j->zv, 1, d->dv, d->dzdot);
    mbs_csc_mul(&o->zz, j->zz, 1, d->dz, d->dzdot);
    mbs_csc_mul(&o->zu, j->zu, 1, d->du, d->dzdot);
    mbs_saddle_solve(s->sim->p.saddle, s->rhs);
    memcpy(d->da, s->rhs, (size_t)n * sizeof *d->da);
    memcpy(d->dlambda, s->rhs + n, (size_t)m * sizeof *d->dlambda);
}

int mbs_slope_init(struct slope *s, struct mbs_sim *sim)
{
    const struct mbs_model *o = sim->model;
    size_t n = (size_t)o->nq, m = (size_t)(o->ng + o->nh), nz = (size_t)o->nz, nu = (size_t)o->nu;
    struct mbs_state x;
    int status;

    *s = (struct slope){ .sim = sim };
    sim->fresh_accelerations = 0;       /* so that p.dyn is of this state */
    if ((status = mbs_sim_complete(sim)))
        return status;
    double *w = s->all = calloc(4 * n + 2 * m + 2 * nz + nu + 1, sizeof *w);
    if (mbs_linear_init(&s->lin, o, MBS_LINEAR_MOTION) || !w)
        return MBS_NO_MEMORY;
    struct { double **at; size_t n; } part[] = {
        { &s->d.dq, n }, { &s->d.dv, n }, { &s->d.da, n }, { &s->d.dlambda, m }, { &s->d.dz, nz }, { &s->d.du, nu }, { &s->d.dzdot, nz }, { &s->rhs, n + m } };
    for (size_t i = 0; i < sizeof part / sizeof *part; w += part[i++].n)
        *part[i].at = w;
    x = mbs_point_state(&sim->s.x, &sim->p);
    mbs_eval_jacobian(&sim->p, &x, &s->lin.jac);
    status = mbs_saddle_factor(sim->p.saddle, s->lin.jac.M, s->lin.jac.G);
    return status < 0 ? status : 0;
}

void mbs_slope_fini(struct slope *s)
{
    mbs_linear_fini(&s->lin);
    free(s->all);
}

static void direction_clear(struct linearizer *l)
{
    const struct mbs_model *o = l->sim->model;
    size_t n = (size_t)o->nq;

    memset(l->s.d.dq, 0, n * sizeof(double));
    memset(l->s.d.dv, 0, n * sizeof(double));
    memset(l->s.d.dz, 0, (size_t)o->nz * sizeof(double));
    memset(l->s.d.du, 0, (size_t)o->nu * sizeof(double));
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
            l->s.d.dq[i] = l->position.T[(long)i * ny + k];
        memset(l->b, 0, (size_t)(o->ng + o->nh) * sizeof *l->b);
        mbs_csc_mul(&o->gvq, l->s.lin.jac.gvq, -1, l->s.d.dq, l->b);
        tangent_particular(&l->velocity, l->b, l->s.d.dv);
    } else if (k < ny + out->nvi) {
        for (int i = 0; i < n; i++)
            l->s.d.dv[i] = l->velocity.T[(long)i * out->nvi + k - ny];
    } else {
        l->s.d.dz[k - ny - out->nvi] = 1;
    }
    mbs_slope_along(&l->s);
}

/* The rates of the states along a direction, into column k of a matrix with `cols` columns. */
static void put_rates(const struct linearizer *l, double *A, int cols, int k)
{
    const struct mbs_linearization *out = l->out;
    double *at = A + k;

    for (int i = 0; i < out->nqi; i++, at += cols)
        *at = l->s.d.dv[out->q[i]];
    for (int i = 0; i < out->nvi; i++, at += cols)
        *at = l->s.d.da[out->v[i]];
    for (int i = 0; i < out->nz; i++, at += cols)
        *at = l->s.d.dzdot[i];
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
        l->at.q[i] = x->q[i] + h * l->s.d.dq[i];
        l->at.v[i] = x->v[i] + h * l->s.d.dv[i];
        l->at.a[i] = x->a[i] + h * l->s.d.da[i];
    }
    for (int i = 0; i < p->nz; i++)
        l->at.z[i] = x->z[i] + h * l->s.d.dz[i];
    for (int i = 0; i < p->m; i++)
        l->at.lambda[i] = x->lambda[i] + h * l->s.d.dlambda[i];
    for (int i = 0; i < p->nu; i++)
        l->u[i] = p->u[i] + h * l->s.d.du[i];
    p->model->outputs(p->c, &at, y, p->w);
}

/* The derivative of the outputs along the direction by extrapolated central differences (Ridders 1982): the model has no
 * derivatives of outputs.  Each output takes the entry of its table with the least estimated error; steps go down to 3e-8, since what is a
 * small change of a state is known to no one. */
enum { LEVELS = 22 };
static void put_outputs(struct linearizer *l, double *C, int cols, int k)
{
    int ny = l->out->ny;
    double *plus = l->y, *minus = l->y + ny, *row = minus + ny, *before = row + (long)LEVELS * ny, h = 0.1;
    double *best = l->error;

    for (int i = 0; i < ny; i++) {
        best[i] = HUGE_VAL;
        C[(long)i * cols + k] = NAN;
    }
    for (int level = 0; level < LEVELS && ny > 0; level++, h /= 2) {
        double *swap = before;
        before = row;
        row = swap;
        outputs_along(l, h, plus);
        outputs_along(l, -h, minus);
        for (int i = 0; i < ny; i++) {
            double factor = 4;
            row[i] = (plus[i] - minus[i]) / (2 * h);
            for (int e = 1; e <= level; e++, factor *= 4) {
                double x = row[(e - 1) * ny + i], old = before[(e - 1) * ny + i], error;
                row[e * ny + i] = x + (x - old) / (factor - 1);
                error = fmax(fabs(row[e * ny + i] - x), fabs(row[e * ny + i] - old));
                if (error < best[i]) {
                    best[i] = error;
                    C[(long)i * cols + k] = row[e * ny + i];
                }
            }
        }
    }
}

static int linearizer_allocate(struct linearizer *l)
{
    const struct mbs_model *o = l->sim->model;
    size_t n = (size_t)o->nq, m = (size_t)(o->ng + o->nh), nz = (size_t)o->nz, nu = (size_t)o->nu, ny = (size_t)o->ny, table = (2 + 2 * LEVELS) * ny;
    double *w = l->all = calloc(3 * n + 2 * m + nz + nu + table + ny + 1, sizeof *w);

    l->merit = calloc(n + 1, 1);
    if (!w || !l->merit)
        return MBS_NO_MEMORY;
    struct { double **at; size_t n; } part[] = {
        { &l->b, m }, { &l->at.q, n }, { &l->at.v, n }, { &l->at.z, nz }, { &l->at.a, n }, { &l->at.lambda, m }, { &l->u, nu },
        { &l->y, table }, { &l->error, ny } };
    for (size_t i = 0; i < sizeof part / sizeof *part; w += part[i++].n)
        *part[i].at = w;
    return 0;
}

static void linearizer_fini(struct linearizer *l)
{
    mbs_slope_fini(&l->s);
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
    out->A = calloc(3 * nx * nx + nx * nu + ny * nx + ny * nu + nx + 2 * n * nx + 1, sizeof *out->A);
    out->q = calloc(3 * nx + 1, sizeof *out->q);
    if (!out->A || !out->q)
        return MBS_NO_MEMORY;
    out->B = out->A + nx * nx;
    out->C = out->B + nx * nu;
    out->D = out->C + ny * nx;
    out->rate = out->D + ny * nu;
    out->dq = out->rate + nx;
    out->dv = out->dq + n * nx;
    out->frame = out->dv + n * nx;
    out->neutral = out->frame + nx * nx;
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
        for (int i = 0; i < n; i++) {
            out->dq[(long)i * nx + k] = l->s.d.dq[i];
            out->dv[(long)i * nx + k] = l->s.d.dv[i];
        }
    }
    for (int k = 0; k < out->nu; k++) {
        direction_clear(l);
        l->s.d.du[k] = 1;
        mbs_slope_along(&l->s);
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
    const struct mbs_jacobian *j = &l->s.lin.jac;
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

    memcpy(l->s.d.dq, x->v, (size_t)p->n * sizeof *x->v);
    memcpy(l->s.d.dv, x->a, (size_t)p->n * sizeof *x->a);
    memcpy(l->s.d.dz, p->dyn.zdot, (size_t)p->nz * sizeof *x->z);
    memset(l->s.d.du, 0, (size_t)p->nu * sizeof *l->s.d.du);
    mbs_slope_along(&l->s);
    for (int i = 0; i < p->n; i++) {
        a = fmax(a, fabs(x->a[i]));
        jerk = fmax(jerk, fabs(l->s.d.da[i]));
    }
    for (int i = 0; i < p->n; i++)
        if (fabs(x->a[i]) <= 1e-7 * a && fabs(l->s.d.da[i]) <= 1e-6 * jerk)
            l->merit[i] = is_ignorable(l, i) ? 1 : 2;
}

/* Jacobian and factors at the state, the two tangents.  `as`: the coordinates to take, or NULL. */
static int linearizer_init(struct linearizer *l, struct mbs_sim *sim, struct mbs_linearization *out, const struct mbs_linearization *as)
{
    const struct mbs_model *o = sim->model;
    int status;

    *l = (struct linearizer){ .sim = sim, .out = out };
    memset(out, 0, sizeof *out);
    if ((status = mbs_slope_init(&l->s, sim)) || (status = linearizer_allocate(l)))
        return status;
    find_merits(l);
    status = tangent_init(&l->velocity, o, l->merit, l->s.lin.jac.G, o->ng + o->nh, as ? as->v : NULL, as ? as->nvi : 0);
    if (status == 0)
        status = tangent_init(&l->position, o, l->merit, l->s.lin.jac.G, o->ng, as ? as->q : l->velocity.pick, as ? as->nqi : l->velocity.d);
    if (status)
        return status;
    if (as && (l->position.d != as->nqi || l->velocity.d != as->nvi))
        return MBS_SINGULAR;
    return out_allocate(l);
}

int mbs_linearize_as(struct mbs_sim *sim, struct mbs_linearization *out, const struct mbs_linearization *as)
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
