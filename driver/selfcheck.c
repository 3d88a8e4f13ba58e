/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `mbs compare MODEL.mbs`: everything the generated code computes against the witness (witness.h), M for
 * positive semi-definiteness, factor() and solve() by what is left of their equations, and the balance of energy at solved states.
 *
 * A Jacobian is compared column by column.  Where that would take too long it is compared along random
 * directions instead, which the table says: rq*d is the product with a direction d.
 */
#include "config.h"
#include "algebra.h"
#include "compare.h"
#include "driver.h"
#include "witness.h"
#include "base/arena.h"

#include <stdio.h>

#ifndef HAVE_QUADMATH
int compare_self(const struct subject *l, const char *path, const struct compare_options *o)
{
    (void)l, (void)o;
    fprintf(stderr, "mbs compare: %s: checking a model alone needs 128-bit arithmetic, and this program was built without libquadmath\n", path);
    return EXIT_FAILED;
}
#else
#include <float.h>
#include <math.h>
#include <quadmath.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* One comparison: an array of the generated code with its pattern, and what the witness says. */
enum item_source { VECTOR, JACOBIAN, MASS, WHOLE };     /* WHOLE: a matrix with a witness of its own */
struct item {
    const char *name;
    enum item_source source;
    enum eq_id id;
    const double *const *array;         /* in struct arrays */
    const struct mbs_pattern *pattern;  /* NULL: a vector */
    const struct mbs_name *row, *col;
    int rows, cols;
    Witness *f;
    bool solution;                      /* of accelerations(): there where that is safe */
    size_t x;                           /* JACOBIAN: offset of the variables in struct witness */
    int at;                             /* in the tally */
};
enum { ITEMS = FUNCTION_COUNT * FUNCTION_PARTS };
struct check {
    const struct subject *loaded;
    struct sample sample;
    struct witness witness;
    struct arrays out;
    struct item item[ITEMS];
    int items;
    struct tally tally;
    bool directions;                    /* Jacobians along random directions */
    double *dense, *want;
    quad *exact, *again;
    long state;
    bool random;                        /* parameters */
    long unresolved;                    /* values that the witness does not know well enough */
    long outside;                       /* states outside the domain of the model, drawn again */
    int definite, balance, solver;      /* in the tally; solver -1: the code has none */
};

/* --- what is compared ------------------------------------------------------------------------------- */
/* A vector has a witness of its name; a matrix is a derivative of one, by these members of the witness, or has one. */
static Witness *const vector_witness[EQ_COUNT] = {
#define WITNESS_ONE(name) witness_##name
#define WITNESS_COORD(name) NULL
#define WITNESS_STATE(name) NULL
#define WITNESS_INPUT(name) NULL
#define WITNESS_PARAM(name) NULL
#define WITNESS_CONSTRAINT(name) NULL
#define QUANTITY(name, rows, cols, of, by, form) [EQ_##name] = WITNESS_##cols(name),
#define FUNCTION(name, argument, form, reads, gives)
#include "mbs/model.def"
#undef QUANTITY
#undef FUNCTION
};
static Witness *const matrix_witness[EQ_COUNT] = { [EQ_G] = witness_G, [EQ_S] = witness_S, [EQ_W] = witness_W };
static const size_t variables[SYM_KINDS] = { [SYM_Q] = offsetof(struct witness, q), [SYM_V] = offsetof(struct witness, v),
                                             [SYM_A] = offsetof(struct witness, a), [SYM_LAMBDA] = offsetof(struct witness, lambda),
                                             [SYM_Z] = offsetof(struct witness, z), [SYM_U] = offsetof(struct witness, u) };

static void add_items(struct check *c)
{
    const struct mbs_model *m = c->loaded->model;
    for (int f = 0; f < FUNCTION_COUNT; f++)
        for (int a = 0; a < abi_function[f].parts; a++) {
            enum eq_id id = abi_function[f].part[a].id;
            const struct abi_quantity *q = &abi_quantity[id];
            bool first = (int)abi_first(id) == f;
            struct item x = { .name = first ? q->name : arena_printf(c->loaded->compiled->model->arena, "%s %s", abi_function[f].name, q->name),
                              .id = id, .array = (const double *const *)&c->out.array[f][a], .pattern = abi_pattern(m, id), .at = -1 };
            x.rows = abi_axis(m, q->rows, &x.row);
            x.cols = abi_axis(m, q->cols, &x.col);
            x.source = !x.pattern ? VECTOR : id == EQ_M ? MASS : matrix_witness[id] ? WHOLE : JACOBIAN;
            x.f = x.source == VECTOR ? vector_witness[id] : x.source == JACOBIAN ? vector_witness[q->of] : matrix_witness[id];
            x.x = x.source == JACOBIAN ? variables[q->by] : 0;
            x.solution = f == FUNCTION_accelerations;
            bool there = abi_has(m, (enum abi_function_id)f) && !(f == FUNCTION_sensitivity && q->by == SYM_PARAM);
            if (x.rows > 0 && x.cols > 0 && there)
                c->item[c->items++] = x;
        }
}

static void add_quantities(struct check *c)
{
    for (int i = 0; i < c->items; i++) {
        struct item *x = &c->item[i];
        bool along = x->source == JACOBIAN && c->directions;
        char *name = NULL;
        if (along)
            name = arena_printf(c->loaded->compiled->model->arena, "%s*d", x->name);
        struct quantity *q = tally_add(&c->tally, along ? name : x->name, x->rows, x->row, x->cols,
                                       x->pattern && !along ? x->col : NULL);
        q->lower = x->source == MASS;
        x->at = c->tally.n - 1;
    }
    tally_add(&c->tally, "M>=0", 1, NULL, 1, NULL);
    c->definite = c->tally.n - 1;
    c->solver = -1;
    if (c->loaded->model->factor) {
        tally_add(&c->tally, "solve", 1, NULL, 1, NULL)->tolerance = 1e-9;      /* elimination without pivots loses some digits */
        c->solver = c->tally.n - 1;
    }
    tally_add(&c->tally, "balance", 1, NULL, 1, NULL);
    c->balance = c->tally.n - 1;
}

/* --- one state -------------------------------------------------------------------------------------- */
static void copy(quad *to, const double *from, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = from[i];
}

static void follow(struct witness *w, const struct sample *s)
{
    w->t = s->x.t;
    copy(w->q, s->q, w->nq);
    copy(w->v, s->v, w->nq);
    copy(w->a, s->a, w->nq);
    copy(w->lambda, s->lambda, w->rows);
    copy(w->mu, s->mu, w->rows);
    copy(w->z, s->z, w->nz);
    copy(w->u, s->u, w->nu);
    copy(w->p, s->p, w->np);
}

/* Is the state outside the domain of the model: is an energy, a force, a constraint or a rate not a number? */
static bool is_outside(struct check *c)
{
    struct witness *w = &c->witness;
    witness_energy(w, c->exact);
    bool bad = isnanq(c->exact[0]) || isnanq(c->exact[1]);
    Witness *const part[] = {witness_forces, witness_g, witness_zdot};
    const int n[] = {w->nq, w->ng, w->nz};
    for (int k = 0; k < 3; k++) {
        part[k](w, c->exact);
        for (int i = 0; i < n[k]; i++)
            bad = bad || isnanq(c->exact[i]);
    }
    return bad;
}

/* The k-th state inside the domain; after some attempts any. */
static void draw_state(struct check *c, long k)
{
    for (int attempt = 0; attempt < 50; attempt++) {
        sample_state(&c->sample, k);
        follow(&c->witness, &c->sample);
        if (!is_outside(c))
            return;
        c->outside++;
    }
}

/* What the witness says about an item, dense. */
static void testify(struct check *c, const struct item *x, const quad *dir, quad *out)
{
    struct witness *w = &c->witness;
    quad *var = *(quad **)((char *)w + x->x);
    switch (x->source) {
    case VECTOR:
        x->f(w, out);
        break;
    case JACOBIAN:
        if (dir)
            witness_along(w, x->f, x->rows, var, x->cols, dir, out);
        else
            witness_jacobian(w, x->f, x->rows, var, x->cols, false, out);
        break;
    case MASS:
        witness_jacobian(w, witness_momentum, x->rows, w->v, x->cols, true, out);
        break;
    case WHOLE:
        x->f(w, out);
        break;
    }
}

/* Does the witness contradict, as far as the scale known so far tells? */
static bool is_suspect(const struct check *c, const struct item *x, int entry, double got, quad want)
{
    const struct quantity *q = &c->tally.at[x->at];
    double scale = q->record[(size_t)c->sample.regime * (size_t)q->rows * (size_t)q->cols + (size_t)entry].scale;
    if (got == 0)
        return want != 0 && c->state < 2;
    return fabsq(got - want) > c->tally.tolerance * fmaxq(scale, fmaxq(fabs(got), fabsq(want)));
}

/* Asks again about the columns of the suspects, or about all of a vector; the others keep what was said before. */
static void testify_again(struct check *c, const struct item *x, const quad *dir, const bool *suspect)
{
    struct witness *w = &c->witness;
    if (x->source != JACOBIAN || dir) {
        testify(c, x, dir, c->again);
        return;
    }
    quad *var = *(quad **)((char *)w + x->x), *unit = mem_grow(NULL, (size_t)x->cols, sizeof *unit);
    memset(unit, 0, (size_t)x->cols * sizeof *unit);
    for (int j = 0; j < x->cols; j++) {
        if (!memchr(suspect + (size_t)j * (size_t)x->rows, true, (size_t)x->rows))
            continue;
        unit[j] = 1;
        witness_along(w, x->f, x->rows, var, x->cols, unit, c->again + (size_t)j * (size_t)x->rows);
        unit[j] = 0;
    }
    free(unit);
}

static int find_suspects(const struct check *c, const struct item *x, const double *got, int n, bool *suspect)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        count += suspect[i] = suspect[i] && is_suspect(c, x, i, got[i], c->exact[i]);
    return count;
}

/* The witness has rounding noise of its own.  Where it contradicts the generated value it is asked again
 * with another step and to one side: a true difference stays the same, to five digits at least, and is not below what
 * differences can see at all.  At a corner or a jump, as friction has at rest, there is no derivative to compare with.  Exact zeros
 * are looked into at the first states only; after them they are known to be zeros. */
static int leave_out_noise(struct check *c, const struct item *x, const quad *dir, const double *got, int n, bool *suspect)
{
    int count = 0;
    quad coarse = witness_resolution(&c->witness);
    c->witness.step *= 1.7Q;
    c->witness.aside = true;
    testify_again(c, x, dir, suspect);
    c->witness.step /= 1.7Q;
    c->witness.aside = false;
    for (int i = 0; i < n; i++) {
        quad off = fabsq(got[i] - c->exact[i]);
        if (!suspect[i])
            continue;
        if (fabsq(c->again[i] - c->exact[i]) > 1e-5Q * off || off < coarse) {
            c->unresolved += got[i] != 0;
            c->exact[i] = got[i];
            suspect[i] = false;
        }
        count += suspect[i];
    }
    return count;
}

/* An entry that is zero, or small, by cancellation may have lost the terms that cancelled: numbers were folded, sines of one
 * angle collected.  Where the witness contradicts, it says how much rounding may do to the entry. */
static void scale_by_rounding(struct check *c, const struct item *x, const quad *dir, int n, const bool *suspect)
{
    const quad part = 1e-12Q;
    struct quantity *q = &c->tally.at[x->at];
    for (uint64_t seed = 1; seed <= 3; seed++) {
        witness_disturb(&c->witness, seed, part);
        testify_again(c, x, dir, suspect);
        for (int i = 0; i < n; i++)
            if (suspect[i])
                tally_scale(q, c->sample.regime, i, (double)(fabsq(c->again[i] - c->exact[i]) / part));
    }
    witness_disturb(&c->witness, 0, 0);
}

static void take(struct check *c, const struct item *x, const quad *dir, const double *got)
{
    int n = dir ? x->rows : x->rows * x->cols;
    bool *suspect = mem_grow(NULL, (size_t)n, sizeof *suspect);
    memset(suspect, true, (size_t)n * sizeof *suspect);
    witness_resolution(&c->witness);
    testify(c, x, dir, c->exact);
    if (find_suspects(c, x, got, n, suspect) && leave_out_noise(c, x, dir, got, n, suspect))
        scale_by_rounding(c, x, dir, n, suspect);
    for (int i = 0; i < n; i++)             /* a zero that was not looked into is one */
        c->want[i] = got[i] == 0 && !suspect[i] ? got[i] : (double)c->exact[i];
    tally_take(&c->tally.at[x->at], c->sample.regime, got, c->want);
    free(suspect);
}

/* J d against the derivative along d; the scale of a row is the sum of its entries' terms. */
static void check_along(struct check *c, const struct item *x)
{
    quad *dir = mem_grow(NULL, (size_t)x->cols, sizeof *dir);
    struct quantity *q = &c->tally.at[x->at];
    const double *value = *x->array;
    double *product = array_new(x->rows, 2), *scale = product + x->rows, *size = term_sizes(c->loaded->compiled, &c->sample, x->id);
    bool alike = size && x->pattern->nnz == c->loaded->compiled->equations->array[x->id].nnz;      /* else loops have more entries than statements */
    for (int j = 0; j < x->cols; j++)
        dir[j] = sample_random(&c->sample);
    for (int j = 0; j < x->cols; j++)
        for (int k = x->pattern->colptr[j]; k < x->pattern->colptr[j + 1]; k++) {
            int i = x->pattern->rowidx[k];
            product[i] += value[k] * (double)dir[j];
            scale[i] += fabs((double)dir[j]) * (alike ? fmax(size[k], fabs(value[k])) : fabs(value[k]));
        }
    for (int i = 0; i < x->rows; i++)
        tally_scale(q, c->sample.regime, i, scale[i]);
    take(c, x, dir, product);
    free(dir);
    free(product);
    free(size);
}

/* Accelerations are compared where they may be used, and where the witness has them: a singular system has none. */
static bool is_solved(struct check *c, const struct item *x)
{
    const double *unsafe = c->out.array[FUNCTION_accelerations][abi_part(FUNCTION_accelerations, EQ_unsafe)];
    if (*unsafe != 0)
        return false;
    testify(c, x, NULL, c->exact);
    for (int i = 0; i < x->rows; i++)
        if (!finiteq(c->exact[i]))
            return false;
    return true;
}

/* A component of a solution is as exact as the largest one, not as itself: it may be the small difference of large terms. */
static void scale_by_solution(struct check *c, const struct item *x)
{
    double most = 0;
    for (int i = 0; i < x->rows; i++)
        most = fmax(most, fabs((double)c->exact[i]));
    for (int i = 0; i < x->rows; i++)
        tally_scale(&c->tally.at[x->at], c->sample.regime, i, most);
}

/* Loops over bodies give entries that statements do not have, since all terms cancel: they are zero but for rounding, and no terms show how much
 * that is.  In M the sum of the magnitudes is, by Cauchy and Schwarz, of the size of the root of M_ii M_jj, its diagonal being the largest of row and
 * column; in rq and rv it is as large as what does not cancel in the same row and column.  Of entries that statements have as a product of small
 * factors, and loops as a sum of larger terms, what is below the last digit of these neighbours is no difference. */
static void scale_by_neighbours(struct check *c, const struct item *x, const double *value)
{
    const struct eq_array *known = &c->loaded->compiled->equations->array[x->id];
    int n = x->rows;
    bool lower = x->id == EQ_M;
    if (!known->colptr || known->by_columns)
        return;
    double *row = array_new(n, 2), *col = row + n;
    for (int k = 0; k < n * n; k++) {
        int i = k % n, j = k / n;
        if (lower && i != j)
            continue;
        row[i] = fmax(row[i], fabs(value[k]));
        col[j] = fmax(col[j], fabs(value[k]));
    }
    for (int j = 0; j < n; j++)
        for (int i = lower ? j : 0, k = known->colptr[j]; i < n; i++) {
            while (k < known->colptr[j + 1] && known->rowidx[k] < i)
                k++;
            bool stated = k < known->colptr[j + 1] && known->rowidx[k] == i;
            tally_scale(&c->tally.at[x->at], c->sample.regime, j * n + i, (stated ? DBL_EPSILON / c->tally.tolerance : 1) * sqrt(row[i] * col[j]));
        }
    free(row);
}

/* Loops turn a place one axis after the other: what is below the last digit of its distance is no difference in any of its three coordinates, though
 * statements have a small one as a product of small factors. */
static void scale_by_distance(struct check *c, const struct item *x, const double *value)
{
    for (int k = 0; k < x->rows; k++) {
        const double *at = value + k / 3 * 3;
        double most = fmax(fabs(at[0]), fmax(fabs(at[1]), fabs(at[2])));
        tally_scale(&c->tally.at[x->at], c->sample.regime, k, DBL_EPSILON / c->tally.tolerance * most);
    }
}

static void check_item(struct check *c, const struct item *x)
{
    if (x->solution && !is_solved(c, x))
        return;
    if (x->solution)
        scale_by_solution(c, x);
    if (x->source == JACOBIAN && c->directions) {
        check_along(c, x);
        return;
    }
    const double *got = *x->array;
    if (x->pattern) {
        dense_from(x->pattern, got, c->dense);
        got = c->dense;
    }
    scale_by_terms(c->loaded->compiled, &c->sample, &c->tally.at[x->at], x->id);
    if (x->id == EQ_M || x->id == EQ_rq || x->id == EQ_rv)
        scale_by_neighbours(c, x, got);
    if (x->id == EQ_xyz)
        scale_by_distance(c, x, got);
    take(c, x, NULL, got);
}

/* The smallest eigenvalue of M, if negative, relative to the largest.  Models that are linearised in small
 * displacements need not have a positive T far from the start, nor with parameters that contradict each
 * other; so this looks at default parameters near the start (angles take all values). */
static void check_definite(struct check *c)
{
    int n = c->loaded->model->nq;
    if (n == 0 || c->random || c->sample.regime < REGIMES / 2)
        return;
    dense_from(&c->loaded->model->M, c->out.array[FUNCTION_dynamics][abi_part(FUNCTION_dynamics, EQ_M)], c->dense);
    double *A = malloc((size_t)n * (size_t)n * sizeof *A), least, largest, zero = 0;
    bool finite = A != NULL;
    for (int j = 0; finite && j < n; j++)
        for (int i = j; i < n; i++) {
            double m = c->dense[j * n + i];
            finite = finite && isfinite(m);
            A[i * n + j] = A[j * n + i] = m;
        }
    if (finite && algebra_extremes(n, A, &least, &largest)) {
        struct quantity *q = &c->tally.at[c->definite];
        least = fmin(0, least);
        tally_scale(q, c->sample.regime, 0, largest);
        tally_take(q, c->sample.regime, &least, &zero);
    }
    free(A);
}

static double *generated_part(const struct check *c, enum abi_function_id f, enum eq_id id)
{
    return c->out.array[f][abi_part(f, id)];
}

/* b = [M G'; G 0] x and the size of its terms. */
static void saddle_times(const struct check *c, const double *x, double *b, double *size)
{
    const struct mbs_model *m = c->loaded->model;
    const double *M = generated_part(c, FUNCTION_dynamics, EQ_M), *G = generated_part(c, FUNCTION_dynamics, EQ_G);
    memset(b, 0, (size_t)(m->nq + m->ng + m->nh) * sizeof *b);
    memset(size, 0, (size_t)(m->nq + m->ng + m->nh) * sizeof *size);
#define TERM(i, value, j) (b[i] += (value) * x[j], size[i] += fabs((value) * x[j]))
    for (int j = 0; j < m->nq; j++) {
        for (int k = m->M.colptr[j]; k < m->M.colptr[j + 1]; k++) {
            TERM(m->M.rowidx[k], M[k], j);
            if (m->M.rowidx[k] != j)
                TERM(j, M[k], m->M.rowidx[k]);
        }
        for (int k = m->G.colptr[j]; k < m->G.colptr[j + 1]; k++) {
            TERM(m->nq + m->G.rowidx[k], G[k], j);
            TERM(j, G[k], m->nq + m->G.rowidx[k]);
        }
    }
#undef TERM
}

/* factor() and solve() with a random right-hand side, where they do not ask for pivots: what is left of each row, relative to the
 * largest terms of all. */
static void check_solver(struct check *c)
{
    const struct mbs_model *m = c->loaded->model;
    int n = m->nq + m->ng + m->nh;
    if (c->solver < 0 || n == 0)
        return;
    double *rhs = array_new(n, 4), *x = rhs + n, *b = x + n, *size = b + n, *l = array_new(m->nl, 1), worst = 0, largest = 0, zero = 0;
    for (int i = 0; i < n; i++)
        rhs[i] = x[i] = sample_random(&c->sample);
    if (m->factor(generated_part(c, FUNCTION_dynamics, EQ_M), generated_part(c, FUNCTION_dynamics, EQ_G), l) == 0) {
        m->solve(l, x);
        saddle_times(c, x, b, size);
        for (int i = 0; i < n; i++) {
            worst = fmax(worst, isnan(b[i]) ? HUGE_VAL : fabs(b[i] - rhs[i]));
            largest = fmax(largest, fmax(size[i], fabs(rhs[i])));
        }
        tally_scale(&c->tally.at[c->solver], c->sample.regime, 0, largest);
        tally_take(&c->tally.at[c->solver], c->sample.regime, &worst, &zero);
    }
    free(rhs);
    free(l);
}

/* v'(M a + G' lambda - f): the solve leaves a residual in each row that rounding of the largest row may have made, and its power is part of the
 * balance.  With the matrices that the code gave; their own errors are what is to be seen. */
static quad residual_power(const struct values *v, const struct sample *s)
{
    const struct mbs_model *m = s->model;
    int n = m->nq, rows = m->ng + m->nh;
    quad power = 0;
    for (int j = 0; j < n; j++) {
        quad residual = -(quad)v->f[j];
        for (int i = 0; i < n; i++)
            residual += (quad)(i >= j ? v->M[j * n + i] : v->M[i * n + j]) * s->a[i];
        for (int k = 0; k < rows; k++)
            residual += (quad)v->G[j * rows + k] * s->lambda[k];
        power += residual * s->v[j];
    }
    return power;
}

static void check_balance(struct check *c, struct values *v)
{
    const struct mbs_model *m = c->loaded->model;
    if (m->nq + m->ng + m->nh > 200)
        return;
    values_dynamics(v, &c->sample);
    if (!values_solve(v, &c->sample))
        return;
    follow(&c->witness, &c->sample);
    struct balance b = witness_balance(&c->witness);
    double rate = (double)b.rate, power = (double)(b.power + residual_power(v, &c->sample)), largest = 0, size = (double)b.size;
    double *forces = term_sizes(c->loaded->compiled, &c->sample, EQ_f), *terms = term_sizes(c->loaded->compiled, &c->sample, EQ_G);
    for (int i = 0; i < m->nq; i++)             /* a force that is zero by cancellation has the rounding of what cancels */
        largest += fmax(fabs(v->f[i]), forces ? forces[i] : 0) * fabs(c->sample.v[i]);
    for (int j = 0; terms && j < m->nq; j++)        /* what rounding makes of G in G' lambda: all of it in a row that restricts nothing */
        for (int k = m->G.colptr[j]; k < m->G.colptr[j + 1]; k++)
            largest += fabs(c->sample.lambda[m->G.rowidx[k]] * terms[k] * c->sample.v[j]);
    free(forces);
    free(terms);
    tally_scale(&c->tally.at[c->balance], c->sample.regime, 0, fmax(size, largest));
    tally_take(&c->tally.at[c->balance], c->sample.regime, &rate, &power);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);     /* not the wall: a busy machine checks the same */
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* How many nodes of expressions the columns of the Jacobians at one state look at: six residuals each, a residual eighteen kinetic and six
 * other energies for each coordinate.  By count, not by the clock: a busy machine checks the same. */
static double column_work(const struct check *c)
{
    const struct witness *w = &c->witness;
    double residual = w->nq * (18.0 * w->kinetic.cone.n + 6.0 * (w->potential.cone.n + w->constraint.cone.n + w->dissipation.cone.n));
    return 6.0 * (2 * w->nq + w->nz + w->nu) * residual;
}

static void check_states(struct check *c, struct verdict *v, const struct compare_options *o)
{
    enum { SECONDS = 12 };          /* for states that nobody asked for */
    const double most = 5e7;        /* nodes, of columns at all states: some seconds */
    struct values values;
    values_init(&values, c->loaded->model);
    long states = o->states > 0 ? o->states : REGIMES;
    double start = now();
    for (long k = 0; k < states && (k < 2 || o->states > 0 || now() - start < SECONDS); k++) {
        c->state = k;
        c->random = k % 4 >= 2;
        sample_params(&c->sample, c->random, NULL);
        draw_state(c, k);
        if (k == 0) {
            c->directions = o->directions || column_work(c) * (double)(states > REGIMES ? states : REGIMES) > most;
            add_quantities(c);
        }
        arrays_run(&c->out, &c->sample);
        for (int i = 0; i < c->items; i++)
            check_item(c, &c->item[i]);
        check_definite(c);
        check_solver(c);
        check_balance(c, &values);
        v->states++;
        v->on += c->sample.on;
    }
    values_fini(&values);
}

int compare_self(const struct subject *l, const char *path, const struct compare_options *o)
{
    const struct mbs_model *m = l->model;
    if (l->compiled->model->ext.n) {
        fprintf(stderr, "mbs compare: %s: the model calls '%s', declared extern, which exists in double precision only; "
                        "it can be compared with hand-written code but not checked alone\n",
                path, l->compiled->model->ext.at[0]->name);
        return EXIT_FAILED;
    }
    struct check c = {.loaded = l};
    struct verdict v = {.model = path, .params = m->np ? "default and random" : "none"};
    size_t room = (size_t)m->nq + 2;        /* of the largest quantity, dense */
    for (int k = 0; k < EQ_COUNT; k++) {
        const struct mbs_name *names;
        size_t size = (size_t)abi_axis(m, abi_quantity[k].rows, &names) * (size_t)abi_axis(m, abi_quantity[k].cols, &names);
        room = size > room ? size : room;
    }
    sample_init(&c.sample, m, o->seed);
    model_locate(l->compiled->model);
    witness_init(&c.witness, l->compiled->model);
    arrays_init(&c.out, m);
    c.dense = array_new((int)room, 1);
    c.want = array_new((int)room, 1);
    c.exact = mem_grow(NULL, room, sizeof *c.exact);
    c.again = mem_grow(NULL, room, sizeof *c.again);
    c.tally = (struct tally){.tolerance = o->tolerance > 0 ? o->tolerance : 1e-11, .a = "generated", .b = "energies"};
    add_items(&c);
    check_states(&c, &v, o);
    if (c.sample.failed)
        verdict_note(&v, "%ld states could not be moved onto the constraints and were taken off them", c.sample.failed);
    if (c.outside)
        verdict_note(&v, "%ld states outside the domain of the model (an energy, force or constraint is no number) were drawn again", c.outside);
    if (c.unresolved)
        verdict_note(&v, "%ld values are too small beside others for differences, or at a corner, and were left out", c.unresolved);
    if (c.directions && !o->directions)
        verdict_note(&v, "Jacobians were compared along random directions d, because columns one by one would take too long");
    int status = verdict_give(&v, &c.tally, o);
    tally_fini(&c.tally);
    sample_fini(&c.sample);
    witness_fini(&c.witness);
    arrays_fini(&c.out);
    free(c.dense);
    free(c.want);
    free(c.exact);
    free(c.again);
    return status;
}
#endif
