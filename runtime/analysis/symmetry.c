/* SPDX-License-Identifier: MIT
 *
 * Symmetries of a model: fields xi on its coordinates whose flow carries motions into motions.  Along such a field a motion may
 * go on for ever without changing but for its place: a relative equilibrium, as the steady precession of a top, whose Euler
 * parameters are all in motion, or the turn of a bicycle whose bodies have coordinates of their own.
 *
 * xi = sum theta_f xi_f over elementary fields: shifts of one coordinate or state, turns of two neighbouring coordinates, Euler
 * parameters turned about axes of space (from the left) and of the body (from the right).  Stretching is left out: along it
 * motions of linear systems die out, and nobody calls that steady.  At every state (q, v, z) of the manifold a symmetry obeys
 *
 *     Gh xi_q = 0,   G K v + (G v + gt)_q xi_q = 0,   da(xi) = K a,   dzdot(xi) = 0          (K the derivative of xi_q)
 *
 * with da the derivative of the accelerations, all linear in theta.  The equations of some states around the one at hand are
 * collected; what solves them all is the space of symmetries.  (P. J. Olver, Applications of Lie Groups to Differential
 * Equations, 1993, for the determining equations; J. E. Marsden & T. S. Ratiu, Introduction to Mechanics and Symmetry, 1999, for
 * relative equilibria.) */
#include "analysis/linearize.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum field_kind { SHIFT, TURN, LEFT, RIGHT };
struct field {
    enum field_kind kind;
    int i, j;                   /* the coordinate (from n on a state), or two, or the first of four and the axis */
};

enum { MOST_FIELDS = 600, NEIGHBOURS = 2 };
static const double RANK = 1e-8;        /* equations are rounding errors below it: states are consistent to about 1e-12 */
static const double SMALL = 1e-5;       /* an equation counts at least this much of what it is made of */

/* y += s K x of one field. */
static void field_turn(const struct field *f, double s, const double *x, double *y)
{
    const double *e = x + f->i;
    double *d = y + f->i;
    int k = f->j, a = 1 + (k + 1) % 3, b = 1 + (k + 2) % 3;

    switch (f->kind) {
    case SHIFT:
        return;
    case TURN:
        y[f->i] -= s * x[f->j];
        y[f->j] += s * x[f->i];
        return;
    case LEFT:
    case RIGHT:                 /* half the product of quaternions with the axis, which stands first or last */
        d[0] -= s / 2 * e[1 + k];
        d[1 + k] += s / 2 * e[0];
        if (f->kind == RIGHT)
            s = -s;
        d[a] -= s / 2 * e[b];
        d[b] += s / 2 * e[a];
    }
}

static void field_at(const struct symmetries *y, const struct field *f, double s, const double *q, const double *v, double *dq, double *dv, double *dz)
{
    field_turn(f, s, q, dq);
    field_turn(f, s, v, dv);
    if (f->kind == SHIFT && f->i < y->n)
        dq[f->i] += s;
    else if (f->kind == SHIFT)
        dz[f->i - y->n] += s;
}

void mbs_symmetry_at(const struct symmetries *s, int k, const double *q, const double *v, double *dq, double *dv, double *dz)
{
    memset(dq, 0, (size_t)s->n * sizeof *dq);
    memset(dv, 0, (size_t)s->n * sizeof *dv);
    memset(dz, 0, (size_t)s->nz * sizeof *dz);
    for (int f = 0; f < s->fields; f++)
        field_at(s, &s->field[f], k < 0 ? s->combined[f] : s->theta[(long)f * s->count + k], q, v, dq, dv, dz);
}

void mbs_symmetry_turn(const struct symmetries *s, const double *x, double *y)
{
    memset(y, 0, (size_t)s->n * sizeof *y);
    for (int f = 0; f < s->fields; f++)
        field_turn(&s->field[f], s->combined[f], x, y);
}

/* ---- the elementary fields ---- */

/* The first of four coordinates that row i of G holds on a sphere, -1: it does not look so. */
static int sphere_of_row(const struct mbs_pattern *G, int row)
{
    int first = -1, count = 0;

    for (int j = 0; j < G->cols; j++)
        for (int k = G->colptr[j]; k < G->colptr[j + 1]; k++)
            if (G->rowidx[k] == row) {
                first = first < 0 ? j : first;
                if (j != first + count++)
                    return -1;
            }
    return count == 4 ? first : -1;
}

int mbs_has_euler_parameters(const struct mbs_model *o)
{
    for (int i = 0; i < o->ng; i++)
        if (sphere_of_row(&o->G, i) >= 0)
            return 1;
    return 0;
}

/* Is the row of G along these four, and are they of length 1? */
static int is_euler(const struct mbs_pattern *G, const double *val, int row, const double *e, int first)
{
    double g[4], norm = 0, along = 0, across = 0;

    for (int j = 0; j < 4; j++) {
        for (int k = G->colptr[first + j]; k < G->colptr[first + j + 1]; k++)
            if (G->rowidx[k] == row)
                g[j] = val[k];
        norm += e[j] * e[j];
        along += g[j] * e[j];
    }
    for (int j = 0; j < 4; j++)
        across = fmax(across, fabs(g[j] - along / norm * e[j]));
    return fabs(norm - 1) < 1e-6 && across < 1e-9 * fabs(along);
}

static int list_fields(struct symmetries *s, struct slope *at)
{
    const struct mbs_model *o = at->sim->model;
    unsigned char *euler = calloc((size_t)s->n + 1, 1);
    struct field *f;

    s->field = f = malloc((size_t)(s->n * (1 + NEIGHBOURS + 6) + s->nz + 1) * sizeof *f);
    if (!euler || !f) {
        free(euler);
        return MBS_NO_MEMORY;
    }
    for (int i = 0; i < o->ng; i++) {
        int first = sphere_of_row(&o->G, i);
        if (first < 0 || euler[first] || !is_euler(&o->G, at->lin.jac.G, i, at->sim->s.x.q + first, first))
            continue;
        memset(euler + first, 1, 4);
        for (int k = 0; k < 3; k++) {
            *f++ = (struct field){ LEFT, first, k };
            *f++ = (struct field){ RIGHT, first, k };
        }
    }
    for (int i = 0; i < s->n; i++) {
        if (euler[i])
            continue;
        *f++ = (struct field){ SHIFT, i, 0 };
        for (int j = i + 1; j < s->n && j <= i + NEIGHBOURS && !euler[j]; j++)
            *f++ = (struct field){ TURN, i, j };
    }
    for (int i = 0; i < s->nz; i++)
        *f++ = (struct field){ SHIFT, s->n + i, 0 };
    s->fields = (int)(f - s->field);
    free(euler);
    return 0;
}

/* ---- their equations ---- */

struct survey {
    struct symmetries *s;
    struct mbs_sim *sim;
    int rows, samples;          /* equations a state; states */
    double *kept;               /* the state */
    double *A;                  /* fields x (rows samples) */
    unsigned seed;
};

/* In (-1, 1), the same on every run. */
static double shaken(struct survey *y)
{
    y->seed = y->seed * 1664525u + 1013904223u;
    return (double)(y->seed >> 8) / 8388608.0 - 1;
}

/* A consistent state some way off. */
static int go_astray(struct survey *y, double far)
{
    struct mbs_sim *sim = y->sim;
    int n = sim->p.n, ny = sim->p.ny;
    double *x = malloc(((size_t)ny + 1) * sizeof *x);

    if (!x)
        return MBS_NO_MEMORY;
    for (int i = 0; i < ny; i++)
        x[i] = y->kept[i] + far * shaken(y) * fmin(1 + fabs(y->kept[i]), 2);
    int status = mbs_set_state(sim, sim->s.x.t, x, x + n, x + 2 * n);
    free(x);
    return status ? status : mbs_consistent(sim);
}

/* Adds the absolute sums of the rows of a matrix. */
static void add_sizes(const struct mbs_pattern *p, const double *val, double factor, int rows, double *size)
{
    for (int k = 0; k < p->nnz; k++)
        if (p->rowidx[k] < rows)
            size[p->rowidx[k]] += factor * fabs(val[k]);
}

/* Each equation by its largest entry, or by a small part of what it is made of: one that is met by all fields is rounding errors. */
static void scale_equations(struct survey *y, int at, const struct slope *l, double *size)
{
    const struct mbs_model *o = y->sim->model;
    int rates = o->nq + o->nz, m = o->ng + o->nh, cols = y->rows * y->samples;
    double fast = 0, most = 0;

    memset(size, 0, (size_t)y->rows * sizeof *size);
    for (int i = 0; i < o->nq; i++)
        fast = fmax(fast, fabs(y->sim->s.x.v[i]));
    for (int f = 0; f < y->s->fields; f++)
        for (int i = 0; i < rates; i++)
            most = fmax(most, fabs(y->A[(long)f * cols + at + i]));
    for (int i = 0; i < rates; i++)
        size[i] = most;
    if (m) {
        add_sizes(&o->gvq, l->lin.jac.gvq, 1, m, size + rates);
        add_sizes(&o->G, l->lin.jac.G, fast, m, size + rates);
        add_sizes(&o->G, l->lin.jac.G, 1, o->ng, size + rates + m);
    }
    for (int i = 0; i < y->rows; i++) {
        size[i] *= SMALL;
        for (int f = 0; f < y->s->fields; f++)
            size[i] = fmax(size[i], fabs(y->A[(long)f * cols + at + i]));
        for (int f = 0; f < y->s->fields && size[i] > 0; f++)
            y->A[(long)f * cols + at + i] /= size[i];
    }
}

/* The equations at the state as of now, into the columns from `at` on. */
static int collect(struct survey *y, int at)
{
    const struct mbs_model *o = y->sim->model;
    int n = o->nq, nz = o->nz, ng = o->ng, m = o->ng + o->nh, cols = y->rows * y->samples;
    struct slope l;
    int status = mbs_slope_init(&l, y->sim);
    double *size = malloc(((size_t)y->rows + 1) * sizeof *size);

    if (status == 0 && !size)
        status = MBS_NO_MEMORY;
    for (int f = 0; f < y->s->fields && status == 0; f++) {
        const struct mbs_point *x = &y->sim->s.x;
        double *row = y->A + (long)f * cols + at, *rows_v = row + n + nz, *rows_q = rows_v + m;
        memset(l.d.dq, 0, (size_t)n * sizeof(double));
        memset(l.d.dv, 0, (size_t)n * sizeof(double));
        memset(l.d.dz, 0, (size_t)nz * sizeof(double));
        memset(row, 0, (size_t)y->rows * sizeof *row);
        field_at(y->s, &y->s->field[f], 1, x->q, x->v, l.d.dq, l.d.dv, l.d.dz);
        mbs_slope_along(&l);
        field_turn(&y->s->field[f], -1, x->a, row);
        for (int i = 0; i < n; i++)
            row[i] += l.d.da[i];
        memcpy(row + n, l.d.dzdot, (size_t)nz * sizeof *row);
        if (m) {
            mbs_csc_mul(&o->gvq, l.lin.jac.gvq, 1, l.d.dq, rows_v);
            mbs_csc_mul(&o->G, l.lin.jac.G, 1, l.d.dv, rows_v);
            memset(l.rhs, 0, (size_t)(n + m) * sizeof *l.rhs);
            mbs_csc_mul(&o->G, l.lin.jac.G, 1, l.d.dq, l.rhs);
            memcpy(rows_q, l.rhs, (size_t)ng * sizeof *rows_q);
        }
        status = mbs_finite(row, y->rows) ? 0 : MBS_NAN;
    }
    if (status == 0)
        scale_equations(y, at, &l, size);
    free(size);
    mbs_slope_fini(&l);
    return status;
}

/* All states; then what solves all equations. */
static int survey(struct survey *y)
{
    struct symmetries *s = y->s;
    int status = 0, done = 0, cols = y->rows * y->samples;
    double far = 0.25;

    for (int tries = 0; done < y->samples && tries < 3 * y->samples && status != MBS_NO_MEMORY; tries++) {
        status = go_astray(y, far);
        if (status == 0)
            status = collect(y, done * y->rows);
        if (status == 0)
            done++;
        else
            far *= 0.7;
    }
    if (status == MBS_NO_MEMORY || done < y->samples)
        return status == MBS_NO_MEMORY ? status : 0;
    struct mbs_cod *cod = mbs_cod_new(s->fields, cols);
    if (!cod)
        return MBS_NO_MEMORY;
    int rank = mbs_cod_factor(cod, y->A, RANK);
    if (rank >= 0 && rank < s->fields && (s->theta = malloc((size_t)s->fields * (size_t)(s->fields - rank) * sizeof *s->theta))) {
        s->count = s->fields - rank;
        mbs_cod_null(cod, s->theta);
    } else if (rank >= 0 && rank < s->fields) {
        status = MBS_NO_MEMORY;
    }
    mbs_cod_free(cod);
    return status;
}

int mbs_symmetries_init(struct symmetries *s, struct mbs_sim *sim)
{
    const struct mbs_model *o = sim->model;
    struct survey y = { .s = s, .sim = sim, .seed = 1 };
    struct mbs_message msg = sim->msg;
    double t = sim->s.x.t;
    int status;
    struct slope l;

    *s = (struct symmetries){ .n = o->nq, .nz = o->nz };
    status = mbs_slope_init(&l, sim);
    if (status == 0)
        status = list_fields(s, &l);
    mbs_slope_fini(&l);
    s->combined = calloc((size_t)s->fields + 1, sizeof *s->combined);
    if (status || !s->combined)
        return status ? status : MBS_NO_MEMORY;
    if (s->fields == 0 || s->fields > MOST_FIELDS)
        return 0;
    y.rows = o->nq + o->nz + 2 * o->ng + o->nh;
    y.samples = s->fields / o->nq + 4;
    y.kept = malloc(((size_t)sim->p.ny + 1) * sizeof *y.kept);
    y.A = malloc((size_t)s->fields * (size_t)y.rows * (size_t)y.samples * sizeof *y.A);
    status = y.kept && y.A ? 0 : MBS_NO_MEMORY;
    if (status == 0) {
        memcpy(y.kept, sim->s.x.q, (size_t)sim->p.ny * sizeof *y.kept);
        status = survey(&y);
        mbs_set_state(sim, t, y.kept, y.kept + o->nq, y.kept + 2 * o->nq);
        sim->msg = msg;
        mbs_sim_complete(sim);
    }
    free(y.kept);
    free(y.A);
    return status;
}

void mbs_symmetries_fini(struct symmetries *s)
{
    free(s->field);
    free(s->theta);
    free(s->combined);
}

/* ---- the one that is the motion ---- */

/* x = the least-squares solution of A x = b, A rows x cols, nearest to zero. */
static int least(int rows, int cols, const double *A, const double *b, double *x)
{
    struct mbs_cod *cod = mbs_cod_new(rows, cols);
    int status = cod ? mbs_cod_factor(cod, A, RANK) : MBS_NO_MEMORY;

    if (status >= 0)
        mbs_cod_solve(cod, b, x);
    mbs_cod_free(cod);
    return status < 0 ? status : 0;
}

/* Of the combinations that move the state alike, the one that turns least: c += N d with |T (c + N d)| least, N the fields
 * that stand still there and T the turns about axes of space and of coordinates. */
static int turn_least(const struct symmetries *s, const double *Et, int rates, double *c)
{
    struct mbs_cod *cod = mbs_cod_new(s->count, rates);
    int rank = cod ? mbs_cod_factor(cod, Et, RANK) : MBS_NO_MEMORY, still = s->count - rank, status = 0;
    size_t fields = (size_t)s->fields, count = (size_t)s->count;

    if (rank >= 0 && still > 0) {
        double *N = calloc(count * (size_t)still + fields * (size_t)still + fields + (size_t)still + 1, sizeof *N);
        double *TN = N + count * (size_t)still, *Tc = TN + fields * (size_t)still, *d = Tc + fields;
        status = N ? 0 : MBS_NO_MEMORY;
        if (N)
            mbs_cod_null(cod, N);
        for (size_t f = 0; f < fields && status == 0; f++)
            for (size_t k = 0; k < count && (s->field[f].kind == LEFT || s->field[f].kind == TURN); k++) {
                double theta = s->theta[f * count + k];
                Tc[f] -= theta * c[k];
                for (int j = 0; j < still; j++)
                    TN[f * (size_t)still + (size_t)j] += theta * N[k * (size_t)still + (size_t)j];
            }
        if (status == 0)
            status = least(s->fields, still, TN, Tc, d);
        for (size_t k = 0; k < count && status == 0; k++)
            for (int j = 0; j < still; j++)
                c[k] += N[k * (size_t)still + (size_t)j] * d[j];
        free(N);
    }
    mbs_cod_free(cod);
    return rank < 0 ? rank : status;
}

int mbs_symmetry_combine(struct symmetries *s, const double *q, const double *v, const double *a, const double *zdot)
{
    int n = s->n, rates = 2 * n + s->nz, count = s->count, status = 0;
    double *E = calloc(2 * (size_t)rates * (size_t)count + 2 * (size_t)rates + (size_t)count + 1, sizeof *E);
    double *Et = E + (long)rates * count, *b = Et + (long)rates * count, *d = b + rates, *c = d + rates;

    memset(s->combined, 0, (size_t)s->fields * sizeof *s->combined);
    if (!E || count == 0) {
        free(E);
        return E ? 0 : MBS_NO_MEMORY;
    }
    for (int k = 0; k < count; k++) {
        mbs_symmetry_at(s, k, q, v, d, d + n, d + 2 * n);
        for (int i = 0; i < rates; i++)
            E[(long)i * count + k] = Et[(long)k * rates + i] = d[i];
    }
    memcpy(b, v, (size_t)n * sizeof *b);
    memcpy(b + n, a, (size_t)n * sizeof *b);
    memcpy(b + 2 * n, zdot, (size_t)s->nz * sizeof *b);
    status = least(rates, count, E, b, c);
    if (status == 0)
        status = turn_least(s, Et, rates, c);
    for (int f = 0; f < s->fields && status == 0; f++)
        for (int k = 0; k < count; k++)
            s->combined[f] += s->theta[(long)f * count + k] * c[k];
    free(E);
    return status;
}
