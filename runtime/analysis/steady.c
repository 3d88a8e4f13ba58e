/* SPDX-License-Identifier: MIT
 *
 * Is the state at rest, on a steady motion, or neither; and the steady motion near a state.
 *
 * With x' = F(x) as in linearize.c, a motion is steady if F vanishes but for coordinates that nothing else depends on: cyclic
 * ones.  They are taken away one after the other (first the place of a rolling disc, then its heading, on which only the place
 * depended).  Where coordinates do not show it, a motion is steady if it goes along a symmetry xi of the model (symmetry.c),
 * F = xi at the state.  In a frame that moves with xi its linearisation is that of a point at rest: A - K, K the derivative of xi.
 * And nothing may depend on time, unless the chosen coordinates do not feel it, as on an arm that is driven round. */
#include "analysis/linearize.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double REST = 1e-8;        /* a change of the states by this much may explain the rates of a state at rest */
static const double NONE = 1e-9;        /* what counts as no dependence, relative to the largest of its row */

/* ---- cyclic coordinates ---- */

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

static void classify(struct mbs_linearization *x, const double *size, const struct mbs_sim *sim)
{
    int moving = 0;

    for (int i = 0; i < sim->p.n; i++)          /* also what drives move, which is no state */
        moving |= fabs(sim->s.x.v[i]) > REST;
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

/* Are the rates and their derivatives the same further along the cyclic coordinates, and later? */
static int same_at(struct mbs_sim *sim, const struct mbs_linearization *x, const double *size, double later)
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
    for (int i = 0; i < n && later > 0; i++)    /* a guess of where drives are then */
        moved[i] += later * kept[n + i];
    for (int k = 0; k < x->nqi && later > 0; k++)
        moved[x->q[k]] = kept[x->q[k]];
    if (mbs_set_state(sim, t + later, moved, moved + n, moved + 2 * n) == 0 && complete_state(sim, x) == 0)
        same = mbs_linearize_as(sim, &there, x) == 0 && same_elsewhere(x, &there, size);
    mbs_linearization_free(&there);
    mbs_set_state(sim, t, kept, kept + n, kept + 2 * n);
    free(kept);
    sim->msg = msg;
    mbs_sim_complete(sim);
    return same;
}

/* ---- time ---- */

/* Does anything of the model change with time alone? */
static int depends_on_time(struct mbs_sim *sim)
{
    const struct mbs_model *o = sim->model;
    struct mbs_problem *p = &sim->p;
    struct mbs_state at = mbs_point_state(&sim->s.x, p);
    const struct { const double *val; int n; } part[] = {
        { p->dyn.M, o->M.nnz }, { p->dyn.f, o->nq }, { p->dyn.G, o->G.nnz }, { p->dyn.zdot, o->nz }, { p->dyn.gamma, o->ng + o->nh },
        { p->dyn.gt, o->ng + o->nh } };
    enum { PARTS = sizeof part / sizeof *part };
    double *first = NULL, *w, t = at.t;
    int differ = 0, total = 0;

    for (int k = 0; k < PARTS; k++)
        total += part[k].val ? part[k].n : 0;
    first = malloc(((size_t)total + 1) * sizeof *first);
    if (!first)
        return 0;
    for (int round = 0; round < 3; round++) {
        at.t = t + (round == 0 ? 0 : round == 1 ? 0.61803 : 17.3205);
        mbs_eval_dynamics(p, &at, &p->dyn);
        w = first;
        for (int k = 0; k < PARTS; w += part[k].val ? part[k].n : 0, k++)
            for (int i = 0; part[k].val && i < part[k].n; i++)
                if (round == 0)
                    w[i] = part[k].val[i];
                else
                    differ |= w[i] != part[k].val[i];
    }
    free(first);
    sim->fresh_accelerations = 0;
    return differ;
}

/* ---- along a symmetry ---- */

/* The field of a symmetry (k, or -1 for the combined one) in the chosen states. */
static void symmetry_states(const struct symmetries *s, int k, const struct mbs_sim *sim, const struct mbs_linearization *x, double *work, double *out)
{
    double *dq = work, *dv = work + s->n, *dz = dv + s->n;

    mbs_symmetry_at(s, k, sim->s.x.q, sim->s.x.v, dq, dv, dz);
    for (int i = 0; i < x->nqi; i++)
        out[i] = dq[x->q[i]];
    for (int i = 0; i < x->nvi; i++)
        out[x->nqi + i] = dv[x->v[i]];
    memcpy(out + x->nqi + x->nvi, dz, (size_t)x->nz * sizeof *out);
}

/* The derivative of the combined field in the chosen states: nx x nx. */
static void symmetry_frame(const struct symmetries *s, const struct mbs_linearization *x, double *work, double *frame)
{
    int nx = x->nx, n = s->n;
    double *d = work, *turned = work + n;

    memset(frame, 0, (size_t)nx * (size_t)nx * sizeof *frame);
    for (int k = 0; k < nx; k++)
        for (int level = 0; level < 2; level++) {
            const double *from = level ? x->dv : x->dq;
            for (int i = 0; i < n; i++)
                d[i] = from[(long)i * nx + k];
            mbs_symmetry_turn(s, d, turned);
            for (int i = 0; i < (level ? x->nvi : x->nqi); i++)
                frame[(long)(level ? x->nqi + i : i) * nx + k] = turned[level ? x->v[i] : x->q[i]];
        }
}

/* x->neutral: an orthonormal basis of what all symmetries do to the state.  Returns how many, or < 0. */
static int symmetry_span(const struct symmetries *s, const struct mbs_sim *sim, struct mbs_linearization *x, double *work)
{
    int nx = x->nx, rank = 0, status = MBS_NO_MEMORY;
    double *E = malloc(((size_t)nx * (size_t)s->count + (size_t)nx * (size_t)nx + (size_t)nx + 1) * sizeof *E);
    double *rest = E + (long)nx * s->count, *at = rest + (long)nx * nx;
    struct mbs_cod *cod = mbs_cod_new(nx, s->count), *other = NULL;

    if (E && cod) {
        for (int k = 0; k < s->count; k++) {
            symmetry_states(s, k, sim, x, work, at);
            for (int i = 0; i < nx; i++)
                E[(long)i * s->count + k] = at[i];
        }
        status = rank = mbs_cod_factor(cod, E, NONE);
    }
    if (status >= 0 && rank < nx) {
        mbs_cod_null(cod, rest);
        other = mbs_cod_new(nx, nx - rank);
        status = other ? mbs_cod_factor(other, rest, 0.5) : MBS_NO_MEMORY;
        if (status == nx - rank)
            mbs_cod_null(other, x->neutral);
    } else if (status >= 0) {
        rank = 0;                       /* all of it: nothing is left to look at */
    }
    mbs_cod_free(other);
    mbs_cod_free(cod);
    free(E);
    return status < 0 ? status : rank;
}

static int combine(struct symmetries *s, struct mbs_sim *sim)
{
    return mbs_symmetry_combine(s, sim->s.x.q, sim->s.x.v, sim->s.x.a, sim->p.dyn.zdot);
}

/* Adopts a symmetry as the motion if it is one, and its directions as neutral ones if there are more than cyclic coordinates. */
static int judge_symmetry(struct mbs_sim *sim, struct mbs_linearization *x, const double *size)
{
    struct symmetries s;
    int nx = x->nx, n = sim->p.n, status = mbs_symmetries_init(&s, sim), along = 1, neutral = 0;
    double *work = malloc((2 * (size_t)n + 2 * (size_t)nx + (size_t)sim->p.nz + 1) * sizeof *work), *xi = work + 2 * n + sim->p.nz, *kept = NULL;

    if (status == 0 && !work)
        status = MBS_NO_MEMORY;
    if (status == 0 && s.count > 0) {
        status = combine(&s, sim);
        if (status == 0)
            symmetry_states(&s, -1, sim, x, work, xi);
        for (int i = 0; i < nx && status == 0; i++)
            along &= fabs(x->rate[i] - xi[i]) <= REST * size[i] + DBL_MIN;
        kept = malloc(((size_t)nx * (size_t)nx + 1) * sizeof *kept);
        if (status == 0 && !kept)
            status = MBS_NO_MEMORY;
        if (status == 0 && along) {
            memcpy(kept, x->neutral, (size_t)nx * (size_t)nx * sizeof *kept);
            neutral = symmetry_span(&s, sim, x, work);
            status = neutral < 0 ? neutral : 0;
            if (status == 0 && x->motion != MBS_UNSTEADY && neutral <= x->nneutral) {
                memcpy(x->neutral, kept, (size_t)nx * (size_t)nx * sizeof *kept);
            } else if (status == 0) {
                x->nneutral = neutral;
                x->by_symmetry = 1;
                if (x->motion == MBS_UNSTEADY)
                    x->motion = MBS_STEADY;
                x->restless = -1;
                if (x->motion == MBS_STEADY) {
                    symmetry_frame(&s, x, work, x->frame);
                    for (int i = 0; i < nx * nx; i++)
                        x->A[i] -= x->frame[i];
                }
            }
        }
    }
    free(kept);
    free(work);
    mbs_symmetries_fini(&s);
    return status;
}

/* ---- all of it ---- */

static void neutral_cyclic(struct mbs_linearization *x)
{
    x->nneutral = 0;
    for (int i = 0; i < x->nx; i++)
        x->nneutral += x->cyclic[i];
    for (int i = 0, k = 0; i < x->nx; i++)
        if (x->cyclic[i])
            x->neutral[(long)i * x->nneutral + k++] = 1;
}

/* What rounding errors may make of accelerations: some digits of the largest that a force would give its coordinate alone. */
static double acceleration_noise(struct mbs_sim *sim)
{
    const struct mbs_model *o = sim->model;
    struct mbs_state at = mbs_point_state(&sim->s.x, &sim->p);
    double most = 0;

    mbs_eval_dynamics(&sim->p, &at, &sim->p.dyn);
    for (int j = 0; j < o->nq; j++)
        for (int k = o->M.colptr[j]; k < o->M.colptr[j + 1]; k++)
            if (o->M.rowidx[k] == j && sim->p.dyn.M[k] > 0)
                most = fmax(most, fabs(sim->p.dyn.f[j]) / sim->p.dyn.M[k]);
    return 1e-13 * most;
}

/* What rates are held against: the largest entry of their row of A. */
static void find_sizes(struct mbs_sim *sim, const struct mbs_linearization *x, double *size)
{
    double largest = 0, noise = acceleration_noise(sim) / REST;

    for (int i = 0; i < x->nx; i++)
        largest = fmax(largest, size[i] = row_size(x, i));
    for (int i = 0; i < x->nx; i++)
        size[i] = fmax(size[i], fmax(1e-12 * largest, i >= x->nqi && i < x->nqi + x->nvi ? fmin(noise, largest) : 0));
}

static int judge(struct mbs_sim *sim, struct mbs_linearization *x)
{
    double *size = malloc(((size_t)x->nx + 1) * sizeof *size);
    int status = 0, moving = 0;

    if (!size)
        return MBS_NO_MEMORY;
    find_sizes(sim, x, size);
    find_cyclic(x, size);
    neutral_cyclic(x);
    classify(x, size, sim);
    for (int i = 0; i < sim->p.n; i++)
        moving |= fabs(sim->s.x.v[i]) > REST;
    if (x->motion == MBS_STEADY && !same_at(sim, x, size, 0)) {
        x->motion = MBS_UNSTEADY;
        for (int i = 0; i < x->nx && x->restless < 0; i++)
            if (fabs(x->rate[i]) > REST * size[i])
                x->restless = i;
    }
    if (depends_on_time(sim)) {
        if (x->motion != MBS_UNSTEADY && !(same_at(sim, x, size, 0.61803) && same_at(sim, x, size, 17.3205))) {
            x->motion = MBS_UNSTEADY;
            x->timed = 1;
        }
    } else if (x->nx > 0 && (mbs_has_euler_parameters(sim->model) || (x->motion == MBS_UNSTEADY && moving))) {
        status = judge_symmetry(sim, x, size);
    }
    mbs_sim_complete(sim);
    free(size);
    return status;
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
    status = mbs_linearize_as(sim, out, NULL);
    if (status == 0)
        status = judge(sim, out);
    if (status && sim->msg.status != status)
        mbs_fail(&sim->msg, status, sim->s.x.t, -1, -1, "linearisation: %s", mbs_status_text(status));
    return status;
}

/* ---- the steady motion near a state ---- */

/* One step of Newton's method on the rates; of the solutions the nearest one, which keeps speeds that were fixed by `=` and, as far as it
 * can, the others.  Without symmetries on the rates of what is not cyclic; with them on what is left of all rates beside a
 * combination of symmetries, whose coefficients are unknown, too. */
static int steady_step(struct mbs_sim *sim, const struct mbs_linearization *x, const struct symmetries *s, double *step)
{
    const struct mbs_model *o = sim->model;
    int nx = x->nx, count = s ? s->count : 0, rows = 0, cols = 0, wide, status = MBS_NO_MEMORY;
    size_t most = (size_t)nx + (size_t)count;
    int *row = calloc(2 * (size_t)nx + 1, sizeof *row), *col = row + nx;
    double *A = calloc((size_t)nx * most + (size_t)nx * (size_t)nx + (size_t)nx + most + 2 * (size_t)sim->p.n + 2 * most + (size_t)sim->p.nz + 1, sizeof *A);
    double *frame = A + (size_t)nx * most, *b = frame + (size_t)nx * (size_t)nx, *d = b + nx, *xi = d + most, *work = xi + most;
    struct mbs_cod *cod = NULL;

    for (int i = 0; row && i < nx; i++) {
        int k = i < x->nqi ? -1 : i < x->nqi + x->nvi ? x->v[i - x->nqi] : -1, used = s || !x->cyclic[i];
        if (used)
            row[rows++] = i;
        if (used && !(k >= 0 && o->v_init && o->v_init[k] == MBS_INIT_FIXED))
            col[cols++] = i;
    }
    wide = cols + count;
    memset(step, 0, (size_t)nx * sizeof *step);
    if (row && A && rows > 0 && wide > 0)
        cod = mbs_cod_new(rows, wide);
    if (cod) {
        if (s) {
            symmetry_frame(s, x, work, frame);
            for (int k = 0; k < count; k++) {
                symmetry_states(s, k, sim, x, work, xi);
                for (int i = 0; i < rows; i++)
                    A[(long)i * wide + cols + k] = -xi[row[i]];
            }
            symmetry_states(s, -1, sim, x, work, xi);
        }
        for (int i = 0; i < rows; i++) {
            double size = row_size(x, row[i]);
            for (int j = 0; j < cols; j++)
                A[(long)i * wide + j] = x->A[(long)row[i] * nx + col[j]] - frame[(long)row[i] * nx + col[j]];
            b[i] = xi[row[i]] - x->rate[row[i]];
            for (int j = 0; j < wide; j++)
                A[(long)i * wide + j] = size > 0 ? A[(long)i * wide + j] / size : 0;
            b[i] = size > 0 ? b[i] / size : 0;
        }
        status = mbs_cod_factor(cod, A, 1e-9);
        if (status >= 0) {
            mbs_cod_solve(cod, b, d);
            for (int j = 0; j < cols; j++)
                step[col[j]] = d[j];
            status = 0;
        }
    } else if (row && A && (rows == 0 || wide == 0)) {
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
    for (int k = 0; k < x->nqi; k++)
        for (int i = 0; i < n; i++)
            y[n + i] += damp * step[k] * x->dv[(long)i * x->nx + k];
    for (int k = 0; k < x->nvi; k++)
        y[n + x->v[k]] += damp * step[x->nqi + k];
    for (int k = 0; k < x->nz; k++)
        y[2 * n + k] += damp * step[x->nqi + x->nvi + k];
    status = mbs_set_state(sim, t, y, y + n, y + 2 * n);
    free(y);
    return status ? status : complete_state(sim, x);
}

/* Goes on until the steps are rounding errors.  MBS_NO_CONVERGENCE: they never are, or the motion is none that lasts. */
static int steady_iterate(struct mbs_sim *sim, struct symmetries *s, int *worst)
{
    enum { MAX_ITER = 60 };
    double *step = malloc((2 * (size_t)sim->p.n + (size_t)sim->p.nz + 1) * sizeof *step), last = HUGE_VAL;
    int status = step ? 0 : MBS_NO_MEMORY, done = 0;

    for (int iter = 0; status == 0 && !done && iter < MAX_ITER; iter++) {
        struct mbs_linearization x;
        double size = 0;
        status = s ? mbs_linearize_as(sim, &x, NULL) : mbs_linearize(sim, &x);
        if (status == 0 && s)
            status = combine(s, sim);
        if (status)
            break;
        status = steady_step(sim, &x, s, step);
        for (int i = 0; i < x.nx && status == 0; i++)
            size = fmax(size, fabs(step[i]));
        *worst = x.restless;
        done = status == 0 && (s || x.motion != MBS_UNSTEADY) && (size < 1e-13 || (size < 1e-9 && size >= 0.5 * last));
        last = size;
        if (status == 0 && !done)
            status = steady_move(sim, &x, step, size > 0.3 ? 0.3 / size : 1);
        mbs_linearization_free(&x);
    }
    free(step);
    return status ? status : done ? 0 : MBS_NO_CONVERGENCE;
}

/* The same along symmetries, from the state y. */
static int steady_along(struct mbs_sim *sim, double *y, int *worst)
{
    struct symmetries s;
    struct mbs_linearization x;
    int n = sim->p.n, status = mbs_set_state(sim, sim->s.x.t, y, y + n, y + 2 * n);

    if (status == 0)
        status = mbs_symmetries_init(&s, sim);
    else
        s = (struct symmetries){ .n = 0 };
    if (status == 0)
        status = s.count > 0 ? steady_iterate(sim, &s, worst) : MBS_NO_CONVERGENCE;
    mbs_symmetries_fini(&s);
    if (status == 0 && (status = mbs_linearize(sim, &x)) == 0) {
        status = x.motion == MBS_UNSTEADY ? MBS_NO_CONVERGENCE : 0;
        mbs_linearization_free(&x);
    }
    return status;
}

int mbs_steady(struct mbs_sim *sim)
{
    int status, worst = -1;
    double *y;

    if (mbs_border_idle(sim, "mbs_steady"))
        return MBS_BAD_ARGUMENT;
    if (mbs_border_smooth(sim, "mbs_steady"))
        return MBS_UNAVAILABLE;
    if ((status = mbs_border_matrices(sim, "the search for a steady motion")))
        return status;
    y = malloc(((size_t)sim->p.ny + 1) * sizeof *y);
    if (!y)
        return mbs_fail(&sim->msg, MBS_NO_MEMORY, sim->s.x.t, -1, -1, "out of memory while looking for a steady motion");
    memcpy(y, sim->s.x.q, (size_t)sim->p.ny * sizeof *y);
    status = mbs_has_euler_parameters(sim->model) ? MBS_NO_CONVERGENCE : steady_iterate(sim, NULL, &worst);
    if (status && status != MBS_NO_MEMORY && !depends_on_time(sim))
        status = steady_along(sim, y, &worst);
    free(y);
    if (status == MBS_NO_CONVERGENCE)
        return mbs_fail(&sim->msg, status, sim->s.x.t, worst >= 0 && worst < sim->p.n ? worst : -1, -1, "no steady motion was found near the start");
    if (status && sim->msg.status != status)
        mbs_fail(&sim->msg, status, sim->s.x.t, -1, -1, "steady motion: %s", mbs_status_text(status));
    return status;
}
