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
};
struct pair {
    struct side a, b;
    int *coord, *param, *state, *input;     /* index in B by index in A; -1 none */
    int *row;                               /* constraint row of B by row of A; NULL if not all match */
    double *sign;
    double *permuted;                       /* room for an array of B in the order of A */
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

static const double *matrix_b(struct pair *p, const double *x, int rows_a, int rows_b, const int *row, const double *sign)
{
    for (int j = 0; j < p->a.model->nq; j++)
        for (int i = 0; i < rows_a; i++)
            p->permuted[j * rows_a + i] = (sign ? sign[i] : 1) * x[p->coord[j] * rows_b + row[i]];
    return p->permuted;
}

static const double *vector_b(struct pair *p, const double *x, int n, const int *row, const double *sign)
{
    for (int i = 0; i < n; i++)
        p->permuted[i] = (sign ? sign[i] : 1) * x[row[i]];
    return p->permuted;
}

/* M of B has only its lower triangle; in A's order an entry may come from the upper one. */
static const double *mass_b(struct pair *p)
{
    int n = p->a.model->nq;
    const double *M = p->b.values.M;
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            int r = p->coord[i], c = p->coord[j];
            p->permuted[j * n + i] = r >= c ? M[c * n + r] : M[r * n + c];
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

struct places {
    int M, f, G, g, gt, gamma, T, U, zdot, a;
};

static void take(struct pair *p, struct tally *t, const struct places *at, const double zero[2], const struct compile *c, bool terms)
{
    const struct mbs_model *m = p->a.model;
    int r = p->a.sample.regime, rows = m->ng + m->nh;
    const struct values *x = &p->a.values, *y = &p->b.values;
    tally_take(&t->at[at->M], r, x->M, mass_b(p));
    tally_take(&t->at[at->f], r, x->f, vector_b(p, y->f, m->nq, p->coord, NULL));
    tally_take(&t->at[at->T], r, &x->energy[0], &y->energy[0]);
    double u[2] = {x->energy[1] - zero[0], y->energy[1] - zero[1]};
    tally_take(&t->at[at->U], r, &u[0], &u[1]);
    tally_scale(&t->at[at->U], r, 0, fmax(fabs(zero[0]), fabs(zero[1])));
    p->potential_gap = fmax(p->potential_gap, fabs(u[0] - u[1]));
    p->potential_size = fmax(p->potential_size, fmax(fmax(fabs(u[0]), fabs(u[1])), fmax(fabs(zero[0]), fabs(zero[1]))));
    if (at->zdot >= 0)
        tally_take(&t->at[at->zdot], r, x->zdot, vector_b(p, y->zdot, m->nz, p->state, NULL));
    if (at->G >= 0) {
        if (m->ng)
            tally_take(&t->at[at->g], r, x->g, vector_b(p, y->g, m->ng, p->row, p->sign));
        tally_take(&t->at[at->G], r, x->G, matrix_b(p, y->G, rows, rows, p->row, p->sign));
        tally_take(&t->at[at->gt], r, x->gt, vector_b(p, y->gt, rows, p->row, p->sign));
        tally_take(&t->at[at->gamma], r, x->gamma, vector_b(p, y->gamma, rows, p->row, p->sign));
    }
    if (terms) {
        scale_by_terms(c, &p->a.sample, &t->at[at->M], EQ_M);
        scale_by_terms(c, &p->a.sample, &t->at[at->f], EQ_f);
        if (at->G >= 0) {
            if (m->ng)
                scale_by_terms(c, &p->a.sample, &t->at[at->g], EQ_g);
            scale_by_terms(c, &p->a.sample, &t->at[at->G], EQ_G);
            scale_by_terms(c, &p->a.sample, &t->at[at->gamma], EQ_gamma);
        }
    }
    if (at->a >= 0 && (p->a.sample.on || !rows) && values_solve(&p->a.values, &p->a.sample) &&
        values_solve(&p->b.values, &p->b.sample))
        tally_take(&t->at[at->a], r, p->a.sample.a, vector_b(p, p->b.sample.a, m->nq, p->coord, NULL));
}

static struct places add_quantities(const struct pair *p, struct tally *t)
{
    const struct mbs_model *m = p->a.model;
    int rows = m->ng + m->nh;
    struct places at = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
#define ADD(field, ...) (tally_add(t, #field, __VA_ARGS__), at.field = t->n - 1)
    ADD(M, m->nq, m->coord, m->nq, m->coord);
    t->at[at.M].lower = true;
    ADD(f, m->nq, m->coord, 1, NULL);
    if (p->row && rows) {
        if (m->ng)
            ADD(g, m->ng, m->constraint, 1, NULL);
        ADD(G, rows, m->constraint, m->nq, m->coord);
        ADD(gt, rows, m->constraint, 1, NULL);
        ADD(gamma, rows, m->constraint, 1, NULL);
    }
    ADD(T, 1, NULL, 1, NULL);
    ADD(U, 1, NULL, 1, NULL);
    if (m->nz)
        ADD(zdot, m->nz, m->state, 1, NULL);
    if (m->nq + rows <= 200)
        ADD(a, m->nq, m->coord, 1, NULL);
#undef ADD
    /* What one model states as a potential may be a force in the other; f has both. */
    t->at[at.U].tolerance = HUGE_VAL;
    /* Solving amplifies rounding by the condition of the system, which may reach 1e6. */
    if (at.a >= 0)
        t->at[at.a].tolerance = fmax(1e-8, t->tolerance);
    return at;
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
    if (same_names(&p, path, other)) {
        sample_init(&p.a.sample, m, o->seed);
        sample_init(&p.b.sample, mb, o->seed);
        values_init(&p.a.values, m);
        values_init(&p.b.values, mb);
        p.permuted = array_new(m->nq > rows ? m->nq : rows, m->nq);
        parameters(&p, false);
        match_rows(&p);
        struct tally t = {.tolerance = o->tolerance > 0 ? o->tolerance : 1e-13, .a = "first", .b = "second"};
        struct places at = add_quantities(&p, &t);
        struct verdict v = {.model = path, .other = other, .states = o->states > 0 ? o->states : 10000};
        for (int i = 0; i < m->np; i++)
            matched += p.param[i] >= 0;
        double zero[2] = {0, 0};
        for (long k = 0; k < v.states; k++) {
            parameters(&p, k / REGIMES % 2 == 1);
            evaluate(&p, k);
            potential_at_start(&p, zero);
            v.on += p.a.sample.on;
            take(&p, &t, &at, zero, a->compiled, k < 50 * REGIMES);
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
    }
    free(p.coord), free(p.param), free(p.state), free(p.input), free(p.row), free(p.sign), free(p.permuted);
    return status;
}
