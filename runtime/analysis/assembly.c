/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Consistent start: q with g(q, t) = 0, v with G v + gt = 0, then accelerations and multipliers.
 *
 * Fixed values are kept; start conditions on what is no coordinate itself are further rows beside the constraints.
 * Guesses move as little as possible in the sum of squares, coordinates without any init a
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

/* One level, positions or velocities: the rows that must hold there, first constraints, then start conditions. */
struct assembly {
    struct mbs_sim *sim;
    struct mbs_problem *p;
    const unsigned char *kind;  /* enum mbs_init of what is being moved */
    struct mbs_least *least;
    double *start, *d, *e, *trial, *weight;
    double t;
    int velocity;
    int held;                   /* rows of constraints */
    int first;                  /* the condition that is row `held` */
    struct mbs_pattern A;       /* of all rows */
    int *colptr, *rowidx;
    double *val, *r, *s, *S;    /* values and residuals of A; of the conditions */
};

static double weight_of(unsigned char kind)
{
    return kind == MBS_INIT_FIXED ? 0 : kind == MBS_INIT_GUESS ? 1 : 1e-4;
}

static void assembly_fini(struct assembly *a)
{
    mbs_least_free(a->least);
    free(a->start);
    free(a->colptr);
    free(a->rowidx);
    free(a->val);
}

static int is_taken(const struct assembly *a, int condition)
{
    return condition >= a->first && condition < a->first + a->A.rows - a->held;
}

/* The rows of G and S that count at this level, column by column; with `fill` their values. */
static int stack(struct assembly *a, int fill)
{
    const struct mbs_pattern *G = &a->sim->model->G, *S = &a->sim->model->S;
    int nnz = 0;

    for (int j = 0; j < a->p->n; j++) {
        for (int k = a->held ? G->colptr[j] : 0; k < (a->held ? G->colptr[j + 1] : 0); k++)
            if (G->rowidx[k] < a->held) {
                a->rowidx[nnz] = G->rowidx[k];
                a->val[nnz++] = fill ? a->p->dyn.G[k] : 0;
            }
        for (int k = S->nnz ? S->colptr[j] : 0; k < (S->nnz ? S->colptr[j + 1] : 0); k++)
            if (is_taken(a, S->rowidx[k])) {
                a->rowidx[nnz] = a->held + S->rowidx[k] - a->first;
                a->val[nnz++] = fill ? a->S[k] : 0;
            }
        a->colptr[j + 1] = nnz;
    }
    return nnz;
}

static int assembly_init(struct assembly *a, struct mbs_sim *sim, const unsigned char *kind, int velocity, int conditions)
{
    const struct mbs_model *o = sim->model;
    size_t n = (size_t)sim->p.n, entries = (size_t)(o->G.nnz + o->S.nnz);

    *a = (struct assembly){ .sim = sim, .p = &sim->p, .kind = kind, .t = sim->s.x.t, .velocity = velocity };
    a->held = velocity ? sim->p.m : sim->p.ng;
    a->first = velocity ? o->nsq : 0;
    a->A.rows = a->held + (!conditions ? 0 : velocity ? o->ns - o->nsq : o->nsq);
    a->A.cols = (int)n;
    if (a->A.rows == 0)
        return 0;
    a->start = calloc(5 * n + 1, sizeof *a->start);
    a->colptr = calloc(n + 1, sizeof *a->colptr);
    a->rowidx = calloc(entries + 1, sizeof *a->rowidx);
    a->val = calloc(entries + (size_t)a->A.rows + (size_t)o->ns + (size_t)o->S.nnz + 1, sizeof *a->val);
    if (a->start && a->colptr && a->rowidx && a->val) {
        a->d = a->start + n;
        a->e = a->d + n;
        a->trial = a->e + n;
        a->weight = a->trial + n;
        a->r = a->val + entries;
        a->s = a->r + a->A.rows;
        a->S = a->s + o->ns;
        a->A.colptr = a->colptr;
        a->A.rowidx = a->rowidx;
        a->A.nnz = stack(a, 0);
        for (size_t j = 0; j < n; j++)
            a->weight[j] = weight_of(kind[j]);
        a->least = mbs_least_new(&a->A, a->weight);
    }
    if (!a->least) {
        assembly_fini(a);
        return mbs_fail(&sim->msg, MBS_NO_MEMORY, a->t, -1, -1, "out of memory while assembling");
    }
    return 0;
}

/* Residuals of all rows with the constraints as evaluated. */
static void residuals(struct assembly *a, const struct mbs_state *at)
{
    const struct mbs_dynamics *dyn = &a->p->dyn;
    const struct mbs_conditions start = { .s = a->s, .S = a->S };

    if (a->A.rows > a->held)
        a->sim->model->conditions(a->p->c, at, &start, a->p->w);
    if (a->held)
        memcpy(a->r, a->velocity ? dyn->gt : dyn->g, (size_t)a->held * sizeof *a->r);
    if (a->velocity && a->held)
        mbs_csc_mul(&a->sim->model->G, dyn->G, 1, at->v, a->r);
    for (int i = a->held; i < a->A.rows; i++)
        a->r[i] = a->s[a->first + i - a->held];
}

/* Residuals, and their derivatives by what is moved: q, or v at the present q. */
static void evaluate(struct assembly *a, const double *x)
{
    struct mbs_problem *p = a->p;
    struct mbs_state at = { .t = a->t, .q = a->velocity ? a->sim->s.x.q : x, .v = a->velocity ? x : a->sim->s.x.v };
    struct mbs_constraints con = { .g = p->dyn.g, .G = p->dyn.G, .gt = p->dyn.gt };

    if (p->m)
        mbs_eval_constraints(p, &at, &con);
    residuals(a, &at);
    stack(a, 1);
}

/* Largest scaled residual and its row; NaN counts as infinite. */
static double worst_residual(const struct assembly *a, int *row)
{
    const double *scale = mbs_least_scale(a->least);
    double worst = 0;

    *row = -1;
    for (int i = 0; i < a->A.rows; i++) {
        double x = fabs(a->r[i]) * scale[i];
        if (!(x <= worst)) {
            worst = isfinite(x) ? x : HUGE_VAL;
            *row = i;
        }
    }
    return worst;
}

/* d: least change that removes the residuals, as near to e as they allow. */
static void correct(struct assembly *a, const double *e)
{
    for (int i = 0; i < a->A.rows; i++)
        a->r[i] = -a->r[i];
    mbs_least_solve(a->least, a->r, e, a->d);
}

static const char *row_name(const struct assembly *a, int row)
{
    const struct mbs_model *o = a->sim->model;

    return row < a->held ? o->constraint[row].name : o->condition[a->first + row - a->held].name;
}

/* "beta, Theta": the fixed coordinates that a row depends on, and the other start conditions. */
static void list_fixed(const struct assembly *a, int row, char *text, size_t size)
{
    size_t used = 0;

    text[0] = 0;
    for (int j = 0; j < a->p->n; j++)
        for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++)
            if (a->rowidx[k] == row && a->kind[j] == MBS_INIT_FIXED && used < size)
                used += (size_t)snprintf(text + used, size - used, "%s%s%s", used ? ", " : "", a->sim->model->coord[j].name,
                                         a->velocity ? "'" : "");
    for (int i = a->held; i < a->A.rows; i++)
        if (i != row && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", row_name(a, i));
}

static int fail_residual(struct assembly *a, int row, double residual)
{
    char fixed[160];
    int constraint = row < 0 ? 0 : row;

    list_fixed(a, constraint, fixed, sizeof fixed);
    return mbs_fail(&a->sim->msg, MBS_INCONSISTENT, a->t, -1, constraint < a->held ? constraint : -1, "%s %s cannot be met%s: it is off by %.3g%s%s%s",
                    constraint < a->held ? "constraint" : "the start value of", row_name(a, constraint),
                    a->velocity && constraint < a->held ? " by the velocities" : "", residual, fixed[0] ? "; free one of the fixed " : "",
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
    int n = a->p->n, status;
    double r, rn, old_step = HUGE_VAL;

    for (int iter = 0; iter < MAX_ITER; iter++) {
        double step, size;
        int halvings = 0;
        evaluate(a, q);
        status = mbs_least_factor(a->least, a->val);
        if (status < 0)
            return status;
        r = worst_residual(a, row);
        *residual = *row >= 0 ? a->r[*row] : 0;
        correct(a, NULL);
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
            rn = worst_residual(a, &dummy);
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
    int n = a->p->n, row, status = 0;
    double old = HUGE_VAL, residual;

    for (int iter = 0; iter < 30; iter++) {
        double size;
        evaluate(a, q);
        if (mbs_least_factor(a->least, a->val) < 0)
            return 0;
        for (int j = 0; j < n; j++)
            a->e[j] = a->start[j] - q[j];
        correct(a, a->e);
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

static int assemble_positions(struct mbs_sim *sim, const unsigned char *kind, int conditions)
{
    struct assembly a;
    double *q = sim->s.x.q, residual = 0, first_residual = 0, r;
    int status, row = -1, first_row = -1;

    if ((status = assembly_init(&a, sim, kind, 0, conditions)) || a.A.rows == 0)
        return status;
    memcpy(a.start, q, (size_t)sim->p.n * sizeof *q);
    if (!moves(&a)) {
        evaluate(&a, q);
        mbs_least_factor(a.least, a.val);
        r = worst_residual(&a, &row);
        status = r <= MET ? 0 : fail_residual(&a, row, a.r[row]);
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
        status = fail_residual(&a, first_row, first_residual);
    else if (status == MBS_NAN)
        status = mbs_fail(&sim->msg, MBS_NAN, a.t, -1, first_row < a.held ? first_row : -1, "%s %s or its derivative is not finite during assembly",
                          first_row < a.held ? "constraint" : "the start value of", row_name(&a, first_row < 0 ? 0 : first_row));
    else if (status < 0)
        status = mbs_fail(&sim->msg, status, a.t, -1, -1, "assembly failed: %s", mbs_status_text(status));
    assembly_fini(&a);
    return status;
}

static int assemble_velocities(struct mbs_sim *sim, const unsigned char *kind, int conditions)
{
    struct assembly a;
    double *v = sim->s.x.v, worst = 0, speed = 1;
    int status, row = -1;

    if ((status = assembly_init(&a, sim, kind, 1, conditions)) || a.A.rows == 0)
        return status;
    evaluate(&a, v);
    status = mbs_least_factor(a.least, a.val);
    /* twice: the second removes the rounding error of the first */
    for (int round = 0; round < 2 && status >= 0; round++) {
        correct(&a, NULL);
        for (int j = 0; j < sim->p.n; j++) {
            v[j] += a.d[j];
            speed = fmax(speed, fabs(v[j]));
        }
        residuals(&a, &(struct mbs_state){ .t = a.t, .q = sim->s.x.q, .v = v });
    }
    if (status >= 0) {
        worst = worst_residual(&a, &row);
        status = worst <= MET * speed ? 0 : fail_residual(&a, row, a.r[row]);
    } else {
        status = mbs_fail(&sim->msg, status, a.t, -1, -1, "assembly failed: %s", mbs_status_text(status));
    }
    assembly_fini(&a);
    return status;
}

static int assemble(struct mbs_sim *sim, const unsigned char *qkind, const unsigned char *vkind, int conditions)
{
    int status;

    sim->started = sim->fresh_accelerations = sim->own_state = 0;
    if ((status = assemble_positions(sim, qkind, conditions)) || (status = assemble_velocities(sim, vkind, conditions)))
        return status;
    if ((status = mbs_name_nan(&sim->p, sim->s.x.t, sim->s.x.q)))
        return status;
    status = mbs_sim_complete(sim);
    if (status == 0)
        mbs_fail(&sim->msg, 0, sim->s.x.t, -1, -1, "%s", "");
    return status;
}

int mbs_assemble_from(struct mbs_sim *sim, const unsigned char *q_init, const unsigned char *v_init)
{
    return assemble(sim, q_init, v_init, 0);
}

int mbs_assemble(struct mbs_sim *sim, double t0)
{
    struct mbs_point *x;

    if (mbs_border_idle(sim, "mbs_assemble") || mbs_border_time(sim, t0, "t0"))
        return MBS_BAD_ARGUMENT;
    x = &sim->s.x;
    x->t = t0;
    sim->model->initial(sim->p.c, x->q, x->v, x->z, sim->p.u);
    return assemble(sim, sim->model->q_init, sim->model->v_init, 1);
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
    status = assemble(sim, guess, guess, 0);
    free(guess);
    return status;
}
