/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `mbs compare A.mbs B.mbs`: two models of one mechanism.  Coordinates, parameters, states and inputs are
 * matched by name.  Constraint rows are matched by name, and where names differ by what they compute: a row
 * of B that equals a row of A up to the sign at several states is the same condition.  If some row has no
 * partner, the constraints are compared by what they do: the accelerations at states that satisfy them.
 */
#include "config.h"
#include "compare.h"
#include "driver.h"
#include "base/arena.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct side {
    const struct mbs_model *model;
    struct sample sample;
    struct values values;
    struct arrays out;
};
/* Where what A counts by an axis of model.def stands in B; NULL: not all of it is there. */
struct counterpart {
    const int *at;
    const double *sign;
};
struct pair {
    struct side a, b;
    int *coord, *param, *state, *input;     /* index in B by index in A; -1 none */
    int *row;                               /* constraint row of B by row of A; NULL if not all match */
    double *sign;
    int *output;
    struct counterpart axis[AXIS_ONE + 1];
    int place[EQ_COUNT];                    /* in the tally; -1: not compared */
    int kinetic, potential, solution;       /* T, U, accelerations */
    double *dense, *other, *permuted;       /* room for an array of A, of B, and of B in the order of A */
    double potential_gap, potential_size;   /* largest difference of U, and of its values */
};

static int *match(int n, const struct mbs_name *a, int m, const struct mbs_name *b)
{
    int *at = mem_grow(NULL, (size_t)n + 1, sizeof *at);
    for (int i = 0; i < n; i++) {
        at[i] = -1;
        for (int j = 0; j < m; j++)
            if (!strcmp(a[i].name, b[j].name))
                at[i] = j;
    }
    return at;
}

static bool complete(int n, const int *at)
{
    for (int i = 0; i < n; i++)
        if (at[i] < 0)
            return false;
    return true;
}

/* B's state from A's. */
static void follow(struct pair *p)
{
    const struct sample *s = &p->a.sample;
    struct sample *d = &p->b.sample;
    const struct mbs_model *m = p->a.model;
    d->x.t = s->x.t;
    d->regime = s->regime;
    for (int i = 0; i < m->nq; i++) {
        d->q[p->coord[i]] = s->q[i];
        d->v[p->coord[i]] = s->v[i];
        d->a[p->coord[i]] = s->a[i];
    }
    for (int i = 0; i < m->ng + m->nh; i++) {       /* multipliers act through their rows */
        if (!p->row || p->row[i] < 0)
            s->lambda[i] = s->mu[i] = 0;
        else
            d->lambda[p->row[i]] = p->sign[i] * s->lambda[i], d->mu[p->row[i]] = p->sign[i] * s->mu[i];
    }
    for (int i = 0; !p->row && i < p->b.model->ng + p->b.model->nh; i++)
        d->lambda[i] = d->mu[i] = 0;
    for (int i = 0; i < m->nz; i++)
        if (p->state[i] >= 0)
            d->z[p->state[i]] = s->z[i];
    for (int i = 0; i < m->nu; i++)
        if (p->input[i] >= 0)
            d->u[p->input[i]] = s->u[i];
}

static void parameters(struct pair *p, bool random)
{
    unsigned char *which = calloc((size_t)p->a.model->np + 1, 1);
    for (int i = 0; i < p->a.model->np; i++)
        which[i] = p->param[i] >= 0;
    sample_params(&p->a.sample, random, which);
    sample_params(&p->b.sample, false, NULL);
    for (int i = 0; i < p->a.model->np; i++)
        if (p->param[i] >= 0)
            p->b.sample.p[p->param[i]] = p->a.sample.p[i];
    sample_setup(&p->b.sample);
    free(which);
}

static void evaluate(struct pair *p, long k)
{
    sample_state(&p->a.sample, k);
    follow(p);
    values_dynamics(&p->a.values, &p->a.sample);
    values_dynamics(&p->b.values, &p->b.sample);
}

/* Largest deviation of row i of A from sign * row j of B in g and G, relative to the row's size. */
static double row_distance(const struct pair *p, int i, int j, double sign)
{
    const struct mbs_model *m = p->a.model;
    int rows = m->ng + m->nh, rows_b = p->b.model->ng + p->b.model->nh;
    double size = 0, distance = 0;
    for (int c = 0; c < m->nq; c++) {
        double x = p->a.values.G[c * rows + i], y = sign * p->b.values.G[p->coord[c] * rows_b + j];
        size = fmax(size, fabs(x));
        distance = fmax(distance, fabs(x - y));
    }
    if (i < m->ng)
        distance = fmax(distance, fabs(p->a.values.g[i] - sign * p->b.values.g[j]));
    return size > 0 ? distance / size : distance;
}

static void match_rows(struct pair *p)
{
    const struct mbs_model *a = p->a.model, *b = p->b.model;
    int n = a->ng + a->nh, m = b->ng + b->nh;
    p->row = match(n, a->constraint, m, b->constraint);
    p->sign = array_new(n, 1);
    for (int i = 0; i < n; i++)
        p->sign[i] = 1;
    if (a->ng != b->ng || a->nh != b->nh)
        goto none;
    if (complete(n, p->row))
        return;
    for (int k = 0; k < 3; k++) {
        evaluate(p, 2 * k);
        for (int i = 0; i < n; i++) {
            int low = i < a->ng ? 0 : b->ng, high = i < a->ng ? b->ng : m, found = -1;
            for (int j = low; j < high && found < 0; j++)
                for (int s = -1; s <= 1; s += 2)
                    if (row_distance(p, i, j, s) < 1e-9 && (k == 0 || (j == p->row[i] && s == p->sign[i]))) {
                        found = j;
                        p->sign[i] = s;
                    }
            p->row[i] = found;
        }
        if (!complete(n, p->row))
            goto none;
    }
    return;
none:
    free(p->row);
    p->row = NULL;
}

/* An array of either side as it stands in its own order, dense. */
static const double *dense_of(const struct side *x, enum eq_id id, double *room)
{
    enum abi_function_id f = abi_first(id);
    const double *value = x->out.array[f][abi_part(f, id)];
    const struct mbs_pattern *pattern = abi_pattern(x->model, id);
    if (!pattern)
        return value;
    dense_from(pattern, value, room);
    return room;
}

/* An array of B in the order of A.  Of a symmetric matrix there is the lower triangle, and an entry may come from the upper one. */
static const double *ordered_b(struct pair *p, enum eq_id id)
{
    const struct abi_quantity *q = &abi_quantity[id];
    const struct mbs_name *names;
    const double *x = dense_of(&p->b, id, p->other);
    int rows = abi_axis(p->a.model, q->rows, &names), cols = abi_axis(p->a.model, q->cols, &names), rows_b = abi_axis(p->b.model, q->rows, &names);
    const struct counterpart row = p->axis[q->rows], col = p->axis[q->cols];
    for (int j = 0; j < cols; j++)
        for (int i = 0; i < rows; i++) {
            int r = row.at[i], c = col.at[j];
            double sign = (row.sign ? row.sign[i] : 1) * (col.sign ? col.sign[j] : 1);
            p->permuted[j * rows + i] = sign * (q->lower && r < c ? x[r * rows_b + c] : x[c * rows_b + r]);
        }
    return p->permuted;
}

/* Potentials may differ by a constant, so they are compared by their difference to the start. */
static void potential_at_start(struct pair *p, double zero[2])
{
    double energy[2];
    struct mbs_state a = p->a.sample.x, b = p->b.sample.x;
    double *start = array_new(p->a.model->nq, 1);
    for (int i = 0; i < p->a.model->nq; i++)
        start[p->coord[i]] = p->a.sample.q0[i];
    a.q = p->a.sample.q0;
    b.q = start;
    p->a.model->energy(p->a.sample.c, &a, energy, p->a.sample.w);
    zero[0] = energy[1];
    p->b.model->energy(p->b.sample.c, &b, energy, p->b.sample.w);
    zero[1] = energy[1];
    free(start);
}

static void take(struct pair *p, struct tally *t, const double zero[2], const struct compile *c, bool terms)
{
    const struct mbs_model *m = p->a.model;
    int r = p->a.sample.regime, rows = m->ng + m->nh;
    const struct values *x = &p->a.values, *y = &p->b.values;
    arrays_run(&p->a.out, &p->a.sample);
    arrays_run(&p->b.out, &p->b.sample);
    for (int k = 0; k < EQ_COUNT; k++) {
        enum eq_id id = (enum eq_id)k;
        if (p->place[k] < 0)
            continue;
        struct quantity *q = &t->at[p->place[k]];
        tally_take(q, r, dense_of(&p->a, id, p->dense), ordered_b(p, id));
        if (terms)
            scale_by_terms(c, &p->a.sample, q, id);
    }
    tally_take(&t->at[p->kinetic], r, &x->energy[0], &y->energy[0]);
    double u[2] = {x->energy[1] - zero[0], y->energy[1] - zero[1]};
    tally_take(&t->at[p->potential], r, &u[0], &u[1]);
    tally_scale(&t->at[p->potential], r, 0, fmax(fabs(zero[0]), fabs(zero[1])));
    p->potential_gap = fmax(p->potential_gap, fabs(u[0] - u[1]));
    p->potential_size = fmax(p->potential_size, fmax(fmax(fabs(u[0]), fabs(u[1])), fmax(fabs(zero[0]), fabs(zero[1]))));
    if (p->solution >= 0 && (p->a.sample.on || !rows) && values_solve(&p->a.values, &p->a.sample) &&
        values_solve(&p->b.values, &p->b.sample)) {
        /* a component of a solution is as exact as the largest one; below a millionth of what the forces could do all of them are what is left of forces that
         * cancel */
        double most = 0, force = 0, inertia = 0;
        for (int i = 0; i < m->nq; i++) {
            p->permuted[i] = p->b.sample.a[p->coord[i]];
            most = fmax(most, fabs(p->permuted[i]));
            force = fmax(force, fabs(x->f[i]));
            inertia = fmax(inertia, fabs(x->M[i * m->nq + i]));
        }
        most = fmax(most, inertia > 0 ? 1e-6 * force / inertia : 0);
        for (int i = 0; i < m->nq; i++)
            tally_scale(&t->at[p->solution], r, i, most);
        tally_take(&t->at[p->solution], r, p->a.sample.a, p->permuted);
    }
}

/* Large trees have no matrices, and few models derivatives by parameters. */
static bool is_there(const struct mbs_model *m, enum eq_id id)
{
    const struct mbs_pattern *pattern = abi_pattern(m, id);
    return abi_has(m, abi_first(id)) && (!pattern || pattern->colptr);
}

/* Does the quantity say the same of both models, whatever their formulas?  Energies do up to a constant; solutions where there are
 * any; constraints and what they do to the equations of motion only row by row. */
static bool is_compared(const struct pair *p, enum eq_id id)
{
    enum abi_function_id f = abi_first(id);
    if (f == FUNCTION_accelerations || !p->axis[abi_quantity[id].rows].at || !p->axis[abi_quantity[id].cols].at)
        return false;
    if (!is_there(p->a.model, id) || !is_there(p->b.model, id))
        return false;
    const struct mbs_name *names;
    return abi_axis(p->a.model, abi_quantity[id].rows, &names) > 0 && abi_axis(p->a.model, abi_quantity[id].cols, &names) > 0;
}

static void add_quantities(struct pair *p, struct tally *t)
{
    const struct mbs_model *m = p->a.model;
    for (int k = 0; k < EQ_COUNT; k++) {
        const struct abi_quantity *q = &abi_quantity[k];
        const struct mbs_name *row, *col;
        int rows = abi_axis(m, q->rows, &row), cols = abi_axis(m, q->cols, &col);
        p->place[k] = -1;
        if (!is_compared(p, (enum eq_id)k))
            continue;
        struct quantity *x = tally_add(t, q->name, rows, row, cols, q->cols == AXIS_ONE ? NULL : col);
        x->lower = q->lower;
        /* derivatives of what one model writes otherwise cancel otherwise */
        if (abi_first((enum eq_id)k) != FUNCTION_dynamics)
            x->tolerance = fmax(1e-9, t->tolerance);
        p->place[k] = t->n - 1;
    }
#define ADD(field, name, count, names) (tally_add(t, name, count, names, 1, NULL), p->field = t->n - 1)
    ADD(kinetic, "T", 1, NULL);
    ADD(potential, "U", 1, NULL);
    p->solution = -1;
    if (m->nq + m->ng + m->nh <= 200)
        ADD(solution, "a", m->nq, m->coord);
#undef ADD
    /* What one model states as a potential may be a force in the other; f has both. */
    t->at[p->potential].tolerance = HUGE_VAL;
    /* Solving amplifies rounding by the condition of the system, which may reach 1e6. */
    if (p->solution >= 0)
        t->at[p->solution].tolerance = fmax(1e-8, t->tolerance);
}

static bool same_names(const struct pair *p, const char *path, const char *other)
{
    const struct mbs_model *a = p->a.model, *b = p->b.model;
    if (a->nq == b->nq && complete(a->nq, p->coord) && a->nz == b->nz && complete(a->nz, p->state))
        return true;
    fprintf(stderr, "mbs compare: %s and %s do not have the same coordinates", path, other);
    for (int i = 0; i < a->nq; i++)
        if (p->coord[i] < 0) {
            fprintf(stderr, ": '%s' is only in %s", a->coord[i].name, path);
            break;
        }
    fprintf(stderr, " (%d and %d coordinates, %d and %d states)\n", a->nq, b->nq, a->nz, b->nz);
    return false;
}

static void match_axes(struct pair *p)
{
    static const int one[1] = {0};
    const struct mbs_model *m = p->a.model;
    p->axis[AXIS_ONE].at = one;
    p->axis[AXIS_COORD].at = p->coord;
    p->axis[AXIS_STATE].at = p->state;
    p->axis[AXIS_INPUT].at = complete(m->nu, p->input) ? p->input : NULL;
    p->axis[AXIS_OUTPUT].at = complete(m->ny, p->output) ? p->output : NULL;
    p->axis[AXIS_CONSTRAINT] = p->axis[AXIS_HOLONOMIC] = (struct counterpart){p->row, p->sign};
}

/* Of the largest array, dense. */
static int room(const struct mbs_model *m)
{
    int most = m->nq + 1;
    for (int k = 0; k < EQ_COUNT; k++) {
        const struct mbs_name *names;
        int n = abi_axis(m, abi_quantity[k].rows, &names) * abi_axis(m, abi_quantity[k].cols, &names);
        most = n > most ? n : most;
    }
    return most;
}

int compare_models(const struct subject *a, const char *path, const struct subject *b, const char *other,
                   const struct compare_options *o)
{
    const struct mbs_model *m = a->model, *mb = b->model;
    struct pair p = {.a.model = m, .b.model = mb};
    int rows = m->ng + m->nh, status = EXIT_USAGE, matched = 0;
    p.coord = match(m->nq, m->coord, mb->nq, mb->coord);
    p.param = match(m->np, m->param, mb->np, mb->param);
    p.state = match(m->nz, m->state, mb->nz, mb->state);
    p.input = match(m->nu, m->input, mb->nu, mb->input);
    p.output = match(m->ny, m->output, mb->ny, mb->output);
    if (same_names(&p, path, other)) {
        sample_init(&p.a.sample, m, o->seed);
        sample_init(&p.b.sample, mb, o->seed);
        values_init(&p.a.values, m);
        values_init(&p.b.values, mb);
        arrays_init(&p.a.out, m);
        arrays_init(&p.b.out, mb);
        int size = room(m), size_b = room(mb);
        p.dense = array_new(size, 3);
        p.other = array_new(size_b, 1);
        p.permuted = p.dense + size;
        parameters(&p, false);
        match_rows(&p);
        match_axes(&p);
        struct tally t = {.tolerance = o->tolerance > 0 ? o->tolerance : 1e-13, .a = "first", .b = "second"};
        add_quantities(&p, &t);
        struct verdict v = {.model = path, .other = other, .states = o->states > 0 ? o->states : 10000};
        for (int i = 0; i < m->np; i++)
            matched += p.param[i] >= 0;
        double zero[2] = {0, 0};
        for (long k = 0; k < v.states; k++) {
            parameters(&p, k / REGIMES % 2 == 1);
            evaluate(&p, k);
            potential_at_start(&p, zero);
            v.on += p.a.sample.on;
            take(&p, &t, zero, a->compiled, k < 50 * REGIMES);
        }
        v.params = matched ? "default and random" : "default";
        if (rows && !p.row)
            verdict_note(&v, "the constraints do not correspond row by row; compared by the accelerations they give");
        for (int i = 0; p.row && i < rows; i++)
            if (strcmp(m->constraint[i].name, mb->constraint[p.row[i]].name))
                verdict_note(&v, "the constraint %s corresponds to %s%s", m->constraint[i].name, p.sign[i] < 0 ? "-" : "",
                             mb->constraint[p.row[i]].name);
        if (p.potential_gap > t.tolerance * p.potential_size)
            verdict_note(&v, "U differs: one model states as a potential what is a force in the other; this does not count");
        status = verdict_give(&v, &t, o);
        tally_fini(&t);
        sample_fini(&p.a.sample);
        sample_fini(&p.b.sample);
        values_fini(&p.a.values);
        values_fini(&p.b.values);
        arrays_fini(&p.a.out);
        arrays_fini(&p.b.out);
    }
    free(p.coord), free(p.param), free(p.state), free(p.input), free(p.output), free(p.row), free(p.sign), free(p.dense), free(p.other);
    return status;
}
