/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Consistent start: q with g(q, t) = 0, v with G v + gt = 0, then accelerations and multipliers.
 *
 * Fixed values are kept.  Guesses move as little as possible in the sum of squares, coordinates without any init a
 * hundred times as easily.  Positions by Gauss-Newton: each step is the least change that solves the linearised
 * constraints (minimum norm where they depend on each other), shortened until the residual falls; when the residual
 * is at rounding level, the point is moved along the constraints towards the guesses until the change from them is
 * least.  A step that leads nowhere (guesses in a singular configuration) is answered by shaking the guesses a
 * little, in a way that is the same on every run. */
#include "analysis/least.h"
#include "sim.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ITER = 100, MAX_SHAKES = 8, MAX_HALVINGS = 12 };
/* A residual, divided by the 1-norm of its row of G, up to here counts as met: start values are printed with 9 or
 * more digits. */
static const double MET = 1e-8;

struct assembly {
    struct mbs_sim *sim;
    struct mbs_problem *p;
    const unsigned char *kind;  /* enum mbs_init of what is being moved */
    struct mbs_least *least;
    double *start, *d, *e, *trial, *weight;
    double t;
};

static double weight_of(unsigned char kind)
{
    return kind == MBS_INIT_FIXED ? 0 : kind == MBS_INIT_GUESS ? 1 : 1e-4;
}

static void assembly_fini(struct assembly *a)
{
    mbs_least_free(a->least);
    free(a->start);
}

static int assembly_init(struct assembly *a, struct mbs_sim *sim, const unsigned char *kind)
{
    size_t n = (size_t)sim->p.n;

    *a = (struct assembly){ .sim = sim, .p = &sim->p, .kind = kind, .t = sim->s.x.t };
    a->start = calloc(5 * n + 1, sizeof *a->start);
    if (a->start) {
        a->d = a->start + n;
        a->e = a->d + n;
        a->trial = a->e + n;
        a->weight = a->trial + n;
        for (size_t j = 0; j < n; j++)
            a->weight[j] = weight_of(kind[j]);
        a->least = mbs_least_new(sim->model, a->weight);
    }
    if (!a->least) {
        assembly_fini(a);
        return mbs_fail(&sim->msg, MBS_NO_MEMORY, a->t, -1, -1, "out of memory while assembling");
    }
    return 0;
}

static void evaluate(struct assembly *a, const double *q)
{
    struct mbs_state x = { .t = a->t, .q = q };
    struct mbs_constraints con = { .g = a->p->dyn.g, .G = a->p->dyn.G, .gt = a->p->dyn.gt };

    mbs_eval_constraints(a->p, &x, &con);
}

/* Largest scaled residual and its row; NaN counts as infinite. */
static double worst_residual(const struct assembly *a, const double *r, int rows, int *row)
{
    const double *scale = mbs_least_scale(a->least);
    double worst = 0;

    *row = -1;
    for (int i = 0; i < rows; i++) {
        double x = fabs(r[i]) * scale[i];
        if (!(x <= worst)) {
            worst = isfinite(x) ? x : HUGE_VAL;
            *row = i;
        }
    }
    return worst;
}

/* "beta, Theta": the fixed coordinates that a constraint depends on. */
static void list_fixed(const struct assembly *a, int row, const char *prime, char *text, size_t size)
{
    const struct mbs_model *o = a->sim->model;
    const struct mbs_pattern *G = &o->G;
    size_t used = 0;

    text[0] = 0;
    for (int j = 0; j < a->p->n; j++)
        for (int k = G->colptr[j]; k < G->colptr[j + 1]; k++)
            if (G->rowidx[k] == row && a->kind[j] == MBS_INIT_FIXED && used < size)
                used += (size_t)snprintf(text + used, size - used, "%s%s%s", used ? ", " : "", o->coord[j].name, prime);
}

static int fail_residual(struct assembly *a, int row, double residual, int velocity)
{
    char fixed[160];

    if (row < 0)
        row = 0;
    list_fixed(a, row, velocity ? "'" : "", fixed, sizeof fixed);
    return mbs_fail(&a->sim->msg, MBS_INCONSISTENT, a->t, -1, row, "constraint %s cannot be met%s: it is off by %.3g%s%s%s", a->sim->model->constraint[row].name,
                    velocity ? " by the velocities" : "", residual, fixed[0] ? "; free one of the fixed " : "",
                    fixed, fixed[0] ? "" : "; other guesses may help, or the mechanism cannot be closed");
}

static int moves(const struct assembly *a)
{
    for (int j = 0; j < a->p->n; j++)
        if (a->kind[j] != MBS_INIT_FIXED)
            return 1;
    return 0;
}

static double change_size(const double *d, const double *q, int n)
{
    double big = 0;

    for (int j = 0; j < n; j++)
        big = fmax(big, fabs(d[j]) / fmax(1, fabs(q[j])));
    return big;
}

/* Damped Gauss-Newton from q on.  Returns 0 when the constraints are met, 1 when it is stuck, < 0 on failure. */
static int newton(struct assembly *a, double *q, int *row, double *residual)
{
    struct mbs_problem *p = a->p;
    int n = p->n, status;
    double r, rn, old_step = HUGE_VAL;

    for (int iter = 0; iter < MAX_ITER; iter++) {
        double step, size;
        int halvings = 0;
        evaluate(a, q);
        status = mbs_least_factor(a->least, p->dyn.G, p->ng);
        if (status < 0)
            return status;
        r = worst_residual(a, p->dyn.g, p->ng, row);
        *residual = *row >= 0 ? p->dyn.g[*row] : 0;
        for (int i = 0; i < p->ng; i++)
            p->gv[i] = -p->dyn.g[i];
        mbs_least_solve(a->least, p->gv, NULL, a->d);
        size = change_size(a->d, q, n);
        /* At rounding level the corrections stop shrinking. */
        if (size <= 4 * DBL_EPSILON || (r <= MET && size >= 0.5 * old_step && size < 1e-9)) {
            for (int j = 0; j < n; j++)
                q[j] += a->d[j];
            return r <= MET ? 0 : 1;
        }
        old_step = size;
        /* A step of more than about a radian or a metre is a jump to somewhere else. */
        step = size > 0.5 ? 0.5 / size : 1;
        for (;; halvings++, step *= 0.5) {
            int dummy;
            for (int j = 0; j < n; j++)
                a->trial[j] = q[j] + step * a->d[j];
            evaluate(a, a->trial);
            rn = worst_residual(a, p->dyn.g, p->ng, &dummy);
            if (rn < (1 - 0.1 * step) * r || r <= MET)
                break;
            if (halvings == MAX_HALVINGS)
                return 1;
        }
        memcpy(q, a->trial, (size_t)n * sizeof *q);
    }
    return 1;
}

/* Moves q along the constraints to where the change from the start is least. */
static int slide(struct assembly *a, double *q)
{
    struct mbs_problem *p = a->p;
    int n = p->n, row, status = 0;
    double old = HUGE_VAL, residual;

    for (int iter = 0; iter < 30; iter++) {
        double size;
        evaluate(a, q);
        if (mbs_least_factor(a->least, p->dyn.G, p->ng) < 0)
            return 0;
        for (int j = 0; j < n; j++)
            a->e[j] = a->start[j] - q[j];
        for (int i = 0; i < p->ng; i++)
            p->gv[i] = -p->dyn.g[i];
        mbs_least_solve(a->least, p->gv, a->e, a->d);
        size = change_size(a->d, q, n);
        if (size < 1e-13 || size > 0.5 || size > 0.9 * old)
            break;
        old = size;
        memcpy(a->e, q, (size_t)n * sizeof *q);
        for (int j = 0; j < n; j++)
            q[j] += a->d[j];
        status = newton(a, q, &row, &residual);
        if (status) {
            memcpy(q, a->e, (size_t)n * sizeof *q);
            return status < 0 ? status : 0;
        }
    }
    return 0;
}

static void shake(struct assembly *a, double *q, int round)
{
    unsigned seed = 12345u * (unsigned)(round + 1);

    for (int j = 0; j < a->p->n; j++) {
        seed = seed * 1103515245u + 12345u;
        q[j] = a->start[j];
        if (a->kind[j] != MBS_INIT_FIXED)
            q[j] += ((double)(seed >> 8) / (1 << 24) - 0.5) * 0.02 * (1 << round);
    }
}

static int assemble_positions(struct mbs_sim *sim, const unsigned char *kind)
{
    struct assembly a;
    double *q = sim->s.x.q, residual = 0, first_residual = 0, r;
    int status, row = -1, first_row = -1;

    if (sim->p.ng == 0)
        return 0;
    if ((status = assembly_init(&a, sim, kind)))
        return status;
    memcpy(a.start, q, (size_t)sim->p.n * sizeof *q);
    if (!moves(&a)) {
        evaluate(&a, q);
        mbs_least_factor(a.least, sim->p.dyn.G, sim->p.ng);
        r = worst_residual(&a, sim->p.dyn.g, sim->p.ng, &row);
        status = r <= MET ? 0 : fail_residual(&a, row, sim->p.dyn.g[row], 0);
        assembly_fini(&a);
        return status;
    }
    status = newton(&a, q, &first_row, &first_residual);
    for (int round = 0; status > 0 && round < MAX_SHAKES; round++) {
        shake(&a, q, round);
        status = newton(&a, q, &row, &residual);
    }
    if (status == 0)
        status = slide(&a, q);
    else
        memcpy(q, a.start, (size_t)sim->p.n * sizeof *q);
    if (status > 0)
        status = fail_residual(&a, first_row, first_residual, 0);
    else if (status == MBS_NAN)
        status = mbs_fail(&sim->msg, MBS_NAN, a.t, -1, first_row, "constraint %s or its derivative is not finite during assembly",
                          sim->model->constraint[first_row < 0 ? 0 : first_row].name);
    else if (status < 0)
        status = mbs_fail(&sim->msg, status, a.t, -1, -1, "assembly failed: %s", mbs_status_text(status));
    assembly_fini(&a);
    return status;
}

static int assemble_velocities(struct mbs_sim *sim, const unsigned char *kind)
{
    struct assembly a;
    struct mbs_problem *p = &sim->p;
    double *v = sim->s.x.v, worst = 0, speed = 1;
    int status, row = -1;

    if (p->m == 0)
        return 0;
    if ((status = assembly_init(&a, sim, kind)))
        return status;
    evaluate(&a, sim->s.x.q);
    status = mbs_least_factor(a.least, p->dyn.G, p->m);
    /* twice: the second removes the rounding error of the first */
    for (int round = 0; round < 2 && status >= 0; round++) {
        for (int i = 0; i < p->m; i++)
            p->gv[i] = -p->dyn.gt[i];
        mbs_csc_mul(&sim->model->G, p->dyn.G, -1, v, p->gv);
        mbs_least_solve(a.least, p->gv, NULL, a.d);
        for (int j = 0; j < p->n; j++) {
            v[j] += a.d[j];
            speed = fmax(speed, fabs(v[j]));
        }
    }
    if (status >= 0) {
        memcpy(p->gv, p->dyn.gt, (size_t)p->m * sizeof *p->gv);
        mbs_csc_mul(&sim->model->G, p->dyn.G, 1, v, p->gv);
        worst = worst_residual(&a, p->gv, p->m, &row);
        status = worst <= MET * speed ? 0 : fail_residual(&a, row, p->gv[row], 1);
    } else {
        status = mbs_fail(&sim->msg, status, a.t, -1, -1, "assembly failed: %s", mbs_status_text(status));
    }
    assembly_fini(&a);
    return status;
}

static int assemble(struct mbs_sim *sim, const unsigned char *qkind, const unsigned char *vkind)
{
    int status;

    sim->started = sim->fresh_accelerations = sim->own_state = 0;
    if ((status = assemble_positions(sim, qkind)) || (status = assemble_velocities(sim, vkind)))
        return status;
    if ((status = mbs_name_nan(&sim->p, sim->s.x.t, sim->s.x.q)))
        return status;
    status = mbs_sim_complete(sim);
    if (status == 0)
        mbs_fail(&sim->msg, 0, sim->s.x.t, -1, -1, "%s", "");
    return status;
}

int mbs_assemble(struct mbs_sim *sim, double t0)
{
    struct mbs_point *x;

    if (mbs_border_idle(sim, "mbs_assemble") || mbs_border_time(sim, t0, "t0"))
        return MBS_BAD_ARGUMENT;
    x = &sim->s.x;
    x->t = t0;
    sim->model->initial(sim->p.c, x->q, x->v, x->z, sim->p.u);
    return assemble(sim, sim->model->q_init, sim->model->v_init);
}

int mbs_consistent(struct mbs_sim *sim)
{
    unsigned char *guess;
    int status;

    if (mbs_border_idle(sim, "mbs_consistent"))
        return MBS_BAD_ARGUMENT;
    guess = malloc((size_t)sim->p.n + 1);
    if (!guess)
        return mbs_fail(&sim->msg, MBS_NO_MEMORY, sim->s.x.t, -1, -1, "out of memory while assembling");
    memset(guess, MBS_INIT_GUESS, (size_t)sim->p.n);
    status = assemble(sim, guess, guess);
    free(guess);
    return status;
}
