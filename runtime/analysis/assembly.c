/* SPDX-License-Identifier: MIT
 *
 * Consistent start: q with g(q, t) = 0, v with G v + gt = 0, then accelerations and multipliers.
 *
 * Fixed values are kept; start conditions on what is no coordinate itself are further rows beside the constraints.  Guesses move
 * as little as possible in the sum of squares, coordinates without any init a hundred times as easily.  A guess of what is
 * no coordinate, s ~ 0, is a row s - e = 0 with an unknown e of its own, whose guess is 0: so all guesses are alike.
 * Positions by Gauss-Newton: each step is the least change that solves the linearised
 * constraints (minimum norm where they depend on each other), shortened until the residual falls; when the residual
 * is at rounding level, the point is moved along the constraints towards the guesses until the change from them is
 * least.  A step that leads nowhere (guesses in a singular configuration) is answered by shaking the guesses a
 * little, in a way that is the same on every run.  Where guesses of what is no coordinate are not met, other starts are tried as
 * well, for coordinates that nobody gave a value may start far from where they are meant, and the nearest solution is taken. */
#include "analysis/assembly.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ITER = 100, MAX_SHAKES = 8, MAX_HALVINGS = 12, MAX_SLIDES = 300, OTHER_STARTS = 24 };
/* A residual, divided by the 1-norm of its row of G, up to here counts as met: start values are printed with 9 or
 * more digits. */
static const double MET = 1e-8;
/* After a correction up to here the factors serve on: with each of the next ones the error falls by about so much. */
static const double SMALL = 1e-3;

/* What the model says nothing of moves a hundred times as easily as what it guesses; so easily that it is not felt where
 * something is guessed that depends on it. */
static double weight_of(unsigned char kind, int guesses)
{
    return kind == MBS_INIT_FIXED ? 0 : kind == MBS_INIT_GUESS ? 1 : guesses ? 1e-8 : 1e-4;
}

void mbs_assembly_fini(struct assembly *a)
{
    mbs_least_free(a->least);
    free(a->block);
}

/* Room for all conditions as rows. */
static void assembly_layout(struct assembly *a, struct mbs_work *w)
{
    const struct mbs_model *o = a->sim->model;
    size_t ns = (size_t)o->ns, n = (size_t)o->nq + ns, rows = (size_t)a->held + ns;

    a->row = mbs_work_ints(w, 3 * ns + 1);
    a->colptr = mbs_work_ints(w, n + 1);
    a->rowidx = mbs_work_ints(w, (size_t)(o->G.nnz + o->S.nnz) + ns + 1);
    a->source = mbs_work_ints(w, (size_t)(o->G.nnz + o->S.nnz) + 1);
    a->start = mbs_work_doubles(w, 7 * n + 1);
    a->val = mbs_work_doubles(w, (size_t)(o->G.nnz + o->S.nnz) + ns + 1);
    a->r = mbs_work_doubles(w, rows + 1);
    a->s = mbs_work_doubles(w, ns + 1);
    a->S = mbs_work_doubles(w, (size_t)o->S.nnz + 1);
}

/* The entries of G and S in the rows that count at this level, column by column, and where their values come from: entry k of G as k, of S as -1 - k. */
static int entries(struct assembly *a)
{
    const struct mbs_pattern *G = &a->sim->model->G, *S = &a->sim->model->S;
    int nnz = 0;

    for (int j = 0; j < a->p->n; j++) {
        for (int k = a->held ? G->colptr[j] : 0; k < (a->held ? G->colptr[j + 1] : 0); k++)
            if (G->rowidx[k] < a->held) {
                a->rowidx[nnz] = G->rowidx[k];
                a->source[nnz++] = k;
            }
        for (int k = S->nnz ? S->colptr[j] : 0; k < (S->nnz ? S->colptr[j + 1] : 0); k++)
            if (a->row[S->rowidx[k]] >= 0) {
                a->rowidx[nnz] = a->row[S->rowidx[k]];
                a->source[nnz++] = -1 - k;
            }
        a->colptr[j + 1] = nnz;
    }
    a->sourced = nnz;
    for (int i = 0; i < a->A.rows - a->held; i++)
        if (a->off[i] >= 0) {
            a->rowidx[nnz] = a->held + i;
            a->val[nnz++] = -1;
            a->colptr[a->off[i] + 1] = nnz;
        }
    return nnz;
}

/* The conditions of this level as rows; guesses get unknowns behind the n of the model. */
static void choose_rows(struct assembly *a, enum assembly_rows rows)
{
    const struct mbs_model *o = a->sim->model;
    int first = a->velocity ? o->nsq : 0, last = a->velocity ? o->ns : o->nsq, count = 0;

    for (int c = 0; c < o->ns; c++) {
        int guess = o->s_init && o->s_init[c] == MBS_INIT_GUESS;
        a->row[c] = -1;
        if (c < first || c >= last || rows == ROWS_CONSTRAINTS || (guess && rows == ROWS_KEPT))
            continue;
        a->row[c] = a->held + count;
        a->condition[count] = c;
        a->off[count++] = guess ? a->n++ : -1;
    }
    a->A.rows = a->held + count;
    a->A.cols = a->n;
}

int mbs_assembly_init(struct assembly *a, struct mbs_sim *sim, const unsigned char *kind, int velocity, enum assembly_rows rows)
{
    struct mbs_work w = { NULL, 0 };
    size_t n, ns = (size_t)sim->model->ns;

    *a = (struct assembly){ .sim = sim, .p = &sim->p, .kind = kind, .t = sim->s.x.t, .velocity = velocity, .n = sim->p.n,
                             .anywhere = rows == ROWS_GUESSED };
    a->held = velocity ? sim->p.m : sim->p.ng;
    if (a->held + sim->model->ns == 0)
        return 0;
    assembly_layout(a, &w);
    if ((a->block = calloc(1, w.used))) {
        w = (struct mbs_work){ a->block, 0 };
        assembly_layout(a, &w);
        a->condition = a->row + ns;
        a->off = a->condition + ns;
        choose_rows(a, rows);
        if (a->A.rows == 0) {
            free(a->block);
            a->block = NULL;
            return 0;
        }
        n = (size_t)a->n;
        a->d = a->start + n;
        a->e = a->d + n;
        a->trial = a->e + n;
        a->old = a->trial + n;
        a->weight = a->old + n;
        a->x = a->weight + n;
        a->A.colptr = a->colptr;
        a->A.rowidx = a->rowidx;
        a->A.nnz = entries(a);
        for (int j = 0; j < a->n; j++)
            a->weight[j] = weight_of(j < sim->p.n ? kind[j] : MBS_INIT_GUESS, a->n > sim->p.n);
        memcpy(a->start, velocity ? sim->s.x.v : sim->s.x.q, (size_t)sim->p.n * sizeof *a->start);
        memcpy(a->x, a->start, n * sizeof *a->x);
        a->least = mbs_least_new(&a->A, a->weight);
    }
    if (!a->least) {
        mbs_assembly_fini(a);
        return mbs_fail(&sim->msg, MBS_NO_MEMORY, a->t, -1, -1, "out of memory while assembling");
    }
    return 0;
}

/* Residuals of all rows at the unknowns x with the constraints as evaluated. */
static void residuals(struct assembly *a, const struct mbs_state *at, const double *x)
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
        a->r[i] = a->s[a->condition[i - a->held]] - (a->off[i - a->held] >= 0 ? x[a->off[i - a->held]] : 0);
}

/* Residuals, and their derivatives by what is moved: q, or v at the present q. */
static void evaluate(struct assembly *a, const double *x)
{
    struct mbs_problem *p = a->p;
    struct mbs_state at = { .t = a->t, .q = a->velocity ? a->sim->s.x.q : x, .v = a->velocity ? x : a->sim->s.x.v };
    struct mbs_constraints con = { .g = p->dyn.g, .G = p->dyn.G, .gt = p->dyn.gt };

    if (p->m)
        mbs_eval_constraints(p, &at, &con);
    residuals(a, &at, x);
    for (int k = 0; k < a->sourced; k++)
        a->val[k] = a->source[k] >= 0 ? p->dyn.G[a->source[k]] : a->S[-1 - a->source[k]];
}

int mbs_assembly_factor(struct assembly *a, const double *x)
{
    evaluate(a, x);
    return mbs_least_factor(a->least, a->val);
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

static int nothing_left(const struct assembly *a)
{
    for (int i = 0; i < a->A.rows; i++)
        if (a->r[i] != 0)
            return 0;
    return 1;
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

    return row < a->held ? o->constraint[row].name : o->condition[a->condition[row - a->held]].name;
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
        if (i != row && a->off[i - a->held] < 0 && used < size)
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

/* Of the coordinates; how far guessed conditions are off follows. */
static double change_size(const struct assembly *a, const double *q)
{
    double big = 0;

    for (int j = 0; j < a->p->n; j++)
        big = fmax(big, fabs(a->d[j]) / fmax(1, fabs(q[j])));
    return big;
}

/* Damped Gauss-Newton from q on.  Returns 0 when the constraints are met, 1 when it is stuck, < 0 on failure.  Corrections after a small one are made with the
 * same factors, as long as each is a tenth of the one before. */
static int newton(struct assembly *a, double *q, int *row, double *residual)
{
    int n = a->n, dependent = 1, keep = 0;
    double r, rn, old_step = HUGE_VAL;

    evaluate(a, q);
    for (int iter = 0; iter < MAX_ITER; iter++) {       /* evaluated at q */
        double step, size;
        int halvings = 0;
        if (!keep && (dependent = mbs_least_factor(a->least, a->val)) < 0)
            return dependent;
        r = worst_residual(a, row);
        *residual = *row >= 0 ? a->r[*row] : 0;
        correct(a, NULL);
        size = change_size(a, q);
        /* At rounding level the corrections stop shrinking. */
        if (size <= 4 * DBL_EPSILON || (r <= MET && size >= 0.5 * old_step && size < 1e-9)) {
            for (int j = 0; j < n; j++)
                q[j] += a->d[j];
            return r <= MET ? 0 : 1;
        }
        if (keep && !(size < 0.1 * old_step) && size > 1e-12) {
            keep = 0;
            evaluate(a, q);             /* its residuals have become right-hand sides */
            continue;
        }
        keep = dependent == 0 && size < SMALL;
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

double mbs_assembly_distance(const struct assembly *a, const double *x)
{
    double sum = 0;

    for (int j = 0; j < a->n; j++)
        sum += a->weight[j] * (x[j] - a->start[j]) * (x[j] - a->start[j]);
    return sum;
}

/* From x by `step` along e and back onto the constraints. */
static int slide_step(struct assembly *a, const double *x, double *to, double step)
{
    double residual;
    int row;

    for (int j = 0; j < a->n; j++)
        to[j] = x[j] + step * a->e[j];
    return newton(a, to, &row, &residual);
}

/* Steps towards the start in the tangent space, as long as they bring it nearer. */
int mbs_assembly_slide(struct assembly *a, double *x, int *settled)
{
    int n = a->n, status;
    double old = HUGE_VAL, step = 1;

    *settled = 0;
    for (int iter = 0; iter < MAX_SLIDES; iter++) {
        double size, now = mbs_assembly_distance(a, x), promised = 0;
        int halvings = 0;
        evaluate(a, x);
        if (mbs_least_factor(a->least, a->val) < 0)
            return 0;
        for (int j = 0; j < n; j++)
            a->e[j] = a->start[j] - x[j];
        correct(a, a->e);
        size = change_size(a, x);
        /* Below 1e-6 the sum no longer tells nearer from farther, but the steps do. */
        *settled = size < 1e-9;
        if (size < 1e-13 || (size < 1e-6 && size > 0.95 * old))
            return 0;
        old = size;
        memcpy(a->e, a->d, (size_t)n * sizeof *a->e);
        for (int j = 0; j < n; j++)
            promised += a->weight[j] * a->d[j] * a->d[j];
        step = fmin(1, fmin(2 * step, 0.5 / size));
        for (;; halvings++, step *= 0.5) {
            if ((status = slide_step(a, x, a->old, step)) < 0)
                return status == MBS_NAN ? 0 : status;
            if (status == 0 && (size < 1e-6 || mbs_assembly_distance(a, a->old) < now - 0.1 * step * promised))
                break;
            if (halvings == MAX_HALVINGS)
                return 0;
        }
        memcpy(x, a->old, (size_t)n * sizeof *x);
    }
    return 0;
}

/* The same from where newton() has ended: it knows whether there is any way to move. */
static int settle(struct assembly *a, int *settled)
{
    *settled = mbs_least_stuck(a->least);
    return *settled ? 0 : mbs_assembly_slide(a, a->x, settled);
}

/* Other guesses: each that may move by up to `size`, the same way on every run. */
static void shake(struct assembly *a, double *x, int round, double size)
{
    unsigned seed = 12345u * (unsigned)(round + 1);

    memcpy(x, a->start, (size_t)a->n * sizeof *x);
    for (int j = 0; j < a->p->n; j++) {
        seed = seed * 1103515245u + 12345u;
        if (a->kind[j] != MBS_INIT_FIXED)
            x[j] += ((double)(seed >> 8) / (1 << 24) - 0.5) * 2 * size;
    }
}

/* The search from x on, and from guesses shaken a little where it leads nowhere. */
static int find_near(struct assembly *a, int *row, double *residual)
{
    double dummy;
    int any, status = newton(a, a->x, row, residual);

    for (int round = 0; (status > 0 || status == MBS_NAN) && round < MAX_SHAKES; round++) {
        int again;
        shake(a, a->x, round, 0.01 * (1 << round));
        again = newton(a, a->x, &any, &dummy);
        status = again == MBS_NAN ? status : again;
    }
    return status;
}

/* From x on first what must hold, then what is guessed: no guess keeps a mechanism from being closed. */
static int find_in_turn(struct assembly *a, const double *x, int *row, double *residual)
{
    struct assembly kept;
    int n = a->p->n, status = mbs_assembly_init(&kept, a->sim, a->kind, 0, ROWS_KEPT);

    memcpy(a->x, x, (size_t)n * sizeof *a->x);
    memset(a->x + n, 0, (size_t)(a->n - n) * sizeof *a->x);
    if (status == 0 && kept.A.rows) {
        memcpy(kept.x, x, (size_t)n * sizeof *x);
        status = find_near(&kept, row, residual);
        memcpy(a->x, kept.x, (size_t)n * sizeof *a->x);
        mbs_assembly_fini(&kept);
    }
    if (status)
        return status;
    evaluate(a, a->x);
    for (int i = 0; i < a->A.rows - a->held; i++)
        if (a->off[i] >= 0)
            a->x[a->off[i]] = a->r[a->held + i];
    return newton(a, a->x, row, residual);
}

int mbs_assembly_other(struct assembly *a, int round, int *settled)
{
    static const double size[] = { 3, 1, 0.3, 3, 1, 6 };
    double residual;
    int row, status, guesses = a->n > a->p->n;

    shake(a, a->x, MAX_SHAKES + round, size[round % 6]);
    memcpy(a->old, a->x, (size_t)a->n * sizeof *a->x);
    status = newton(a, a->x, &row, &residual);
    if (guesses && (status > 0 || status == MBS_NAN))
        status = find_in_turn(a, a->old, &row, &residual);
    return status ? status : settle(a, settled);
}

/* Have guesses moved so far that another solution may be nearer? */
static int is_far(const struct assembly *a)
{
    double sum = 0;

    for (int j = a->p->n; j < a->n; j++)
        sum = hypot(sum, a->x[j]);
    for (int j = 0; j < a->p->n; j++)
        if (a->kind[j] == MBS_INIT_GUESS && fabs(a->x[j] - a->start[j]) > 0.5)
            return 1;
    return sum > 1e-3;
}

/* Takes the nearest of the solutions that other starts lead to. */
static int look_around(struct assembly *a)
{
    double *best = malloc((size_t)a->n * sizeof *best), nearest = mbs_assembly_distance(a, a->x);
    int settled;

    if (!best)
        return MBS_NO_MEMORY;
    memcpy(best, a->x, (size_t)a->n * sizeof *best);
    for (int round = 0; round < OTHER_STARTS; round++)
        if (mbs_assembly_other(a, round, &settled) == 0 && mbs_assembly_distance(a, a->x) < 0.999 * nearest) {
            nearest = mbs_assembly_distance(a, a->x);
            memcpy(best, a->x, (size_t)a->n * sizeof *best);
        }
    memcpy(a->x, best, (size_t)a->n * sizeof *best);
    free(best);
    return 0;
}

/* From other guesses altogether; the nearest of what they lead to is looked for later. */
static int find_anywhere(struct assembly *a)
{
    int settled, status = 1;

    for (int round = 0; status > 0 && round < 2 * OTHER_STARTS; round++) {
        status = mbs_assembly_other(a, round, &settled);
        status = status == MBS_NAN ? 1 : status;
    }
    return status;
}

/* Angles that the search has wound up come back by whole turns, where that meets the constraints as well. */
static void unwind(struct assembly *a)
{
    const double turn = 6.28318530717958647692;
    int row, moved = 0, settled;

    for (int j = 0; j < a->p->n; j++) {
        double turns = round((a->x[j] - a->start[j]) / turn), kept = a->x[j];
        if (a->kind[j] == MBS_INIT_FIXED || turns == 0)
            continue;
        a->x[j] -= turns * turn;
        evaluate(a, a->x);
        if (worst_residual(a, &row) <= MET)
            moved = 1;
        else
            a->x[j] = kept;
    }
    if (moved)
        mbs_assembly_slide(a, a->x, &settled);
}

int mbs_assembly_find(struct assembly *a, int *row, double *residual)
{
    int settled, guesses = a->n > a->p->n, status = guesses ? newton(a, a->x, row, residual) : find_near(a, row, residual);

    if (guesses && (status > 0 || status == MBS_NAN))
        status = find_in_turn(a, a->start, row, residual);
    if (status > 0 && a->anywhere)
        status = find_anywhere(a);
    if (status == 0)
        status = settle(a, &settled);
    if (status == 0 && is_far(a))
        status = look_around(a);
    if (status == 0)
        unwind(a);
    return status;
}

static int assemble_positions(struct mbs_sim *sim, const unsigned char *kind, enum assembly_rows rows)
{
    struct assembly a;
    double residual = 0, r;
    int status, row = -1;

    if ((status = mbs_assembly_init(&a, sim, kind, 0, rows)) || a.A.rows == 0)
        return status;
    if (!moves(&a) && a.n == sim->p.n) {
        mbs_assembly_factor(&a, a.x);
        r = worst_residual(&a, &row);
        status = r <= MET ? 0 : fail_residual(&a, row, a.r[row]);
        mbs_assembly_fini(&a);
        return status;
    }
    status = mbs_assembly_find(&a, &row, &residual);
    if (status == 0)
        memcpy(sim->s.x.q, a.x, (size_t)sim->p.n * sizeof *a.x);
    else if (status > 0)
        status = fail_residual(&a, row, residual);
    else if (status == MBS_NAN)
        status = mbs_fail(&sim->msg, MBS_NAN, a.t, -1, row < a.held ? row : -1, "%s %s or its derivative is not finite during assembly",
                          row < a.held ? "constraint" : "the start value of", row_name(&a, row < 0 ? 0 : row));
    else
        status = mbs_fail(&sim->msg, status, a.t, -1, -1, "assembly failed: %s", mbs_status_text(status));
    mbs_assembly_fini(&a);
    return status;
}

static int assemble_velocities(struct mbs_sim *sim, const unsigned char *kind, enum assembly_rows rows)
{
    struct assembly a;
    double worst = 0, speed = 1;
    int status, row = -1;

    if ((status = mbs_assembly_init(&a, sim, kind, 1, rows)) || a.A.rows == 0)
        return status;
    evaluate(&a, a.x);
    if (nothing_left(&a)) {     /* at rest */
        mbs_assembly_fini(&a);
        return 0;
    }
    status = mbs_least_factor(a.least, a.val);
    /* twice: the second removes the rounding error of the first */
    for (int round = 0; round < 2 && status >= 0; round++) {
        correct(&a, NULL);
        for (int j = 0; j < a.n; j++)
            a.x[j] += a.d[j];
        for (int j = 0; j < sim->p.n; j++)
            speed = fmax(speed, fabs(a.x[j]));
        residuals(&a, &(struct mbs_state){ .t = a.t, .q = sim->s.x.q, .v = a.x }, a.x);
    }
    if (status >= 0) {
        memcpy(sim->s.x.v, a.x, (size_t)sim->p.n * sizeof *a.x);
        worst = worst_residual(&a, &row);
        status = worst <= MET * speed ? 0 : fail_residual(&a, row, a.r[row]);
    } else {
        status = mbs_fail(&sim->msg, status, a.t, -1, -1, "assembly failed: %s", mbs_status_text(status));
    }
    mbs_assembly_fini(&a);
    return status;
}

static int assemble(struct mbs_sim *sim, const unsigned char *qkind, const unsigned char *vkind, enum assembly_rows rows)
{
    int status;

    sim->started = sim->fresh_accelerations = sim->own_state = 0;
    if ((status = assemble_positions(sim, qkind, rows)) || (status = assemble_velocities(sim, vkind, rows)))
        return status;
    if ((status = mbs_start_check(&sim->p, sim->s.x.t, sim->s.x.q)))
        return status;
    status = mbs_sim_complete(sim);
    if (status == 0)
        mbs_clear(&sim->msg, sim->s.x.t);
    return status;
}

int mbs_assemble_from(struct mbs_sim *sim, const unsigned char *q_init, const unsigned char *v_init)
{
    return assemble(sim, q_init, v_init, ROWS_CONSTRAINTS);
}

int mbs_sim_initial(struct mbs_sim *sim, double *q, double *v, double *z)
{
    double *defaults = malloc(((size_t)sim->p.nu + 1) * sizeof *defaults);

    if (!defaults)
        return mbs_fail(&sim->msg, MBS_NO_MEMORY, sim->s.x.t, -1, -1, "out of memory while assembling");
    sim->model->initial(sim->p.c, q, v, z, defaults);
    free(defaults);
    return 0;
}

int mbs_assemble(struct mbs_sim *sim, double t0)
{
    struct mbs_point *x;

    if (mbs_border_idle(sim, "mbs_assemble") || mbs_border_time(sim, t0, "t0"))
        return MBS_BAD_ARGUMENT;
    mbs_derive_end(sim);
    x = &sim->s.x;
    x->t = t0;
    if (sim->hybrid)
        mbs_hybrid_rewind(sim);
    if (mbs_sim_initial(sim, x->q, x->v, x->z))
        return MBS_NO_MEMORY;
    return assemble(sim, sim->model->q_init, sim->model->v_init, ROWS_GUESSED);
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
    status = assemble(sim, guess, guess, ROWS_CONSTRAINTS);
    free(guess);
    return status;
}
