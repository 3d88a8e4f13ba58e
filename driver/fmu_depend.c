/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the values of a model are made of.  The programs of the model are gone through row by row with sets of symbols in place of numbers, so that
 * a dependency is never missed, whatever the values of parameters and states. */
#include "fmu_depend.h"
#include "interpret/interpret.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct walk {
    struct fmu_depends *d;
    struct arena *arena;
    const struct mbs_interpreted *x;
    struct mbs_reads reads;
    const unsigned char *follows;
};

static depend_set sets_new(struct walk *w, int rows) { return ARENA_NEW(w->arena, uint64_t, (size_t)(rows + 1) * (size_t)w->d->words); }

static void join(const struct fmu_depends *d, depend_set to, const uint64_t *from)
{
    for (int k = 0; k < d->words; k++)
        to[k] |= from[k];
}

/* Sets of the arrays of a program: array k goes to to[k], if that is not NULL. */
static void through(struct walk *w, const struct mbs_tape *t, depend_set *to)
{
    uint64_t *set = malloc(((size_t)t->rows + 1) * (size_t)w->d->words * sizeof *set);
    if (!set)
        mem_ended();
    mbs_tape_depend(t, &w->reads, set);
    for (int i = 0; i < t->outs; i++)
        if (to[t->out[i].array])
            join(w->d, depend_row(w->d, to[t->out[i].array], t->out[i].index), set + (size_t)t->out[i].row * (size_t)w->d->words);
    free(set);
}

static int root_of(int *parent, int i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}
/* Ties unknown i to the unknowns of one kind that a row has. */
static void tie(int *parent, int i, const uint64_t *row, int first, int count, int shift)
{
    for (int j = 0; j < count; j++)
        if (depend_has(row, first + j))
            parent[root_of(parent, i)] = root_of(parent, shift + j);
}
static void clear(depend_set set, int first, int count)
{
    for (int i = first; i < first + count; i++)
        set[i / 64] &= ~((uint64_t)1 << i % 64);
}

/* [M G'; G 0] falls into components; the solution in one depends on all that its equations depend on. */
static void solve(struct walk *w)
{
    struct fmu_depends *d = w->d;
    int nodes = d->n + d->m, *parent = ARENA_NEW(w->arena, int, nodes + 1);
    depend_set whole = sets_new(w, nodes);
    d->solution = sets_new(w, nodes);
    for (int i = 0; i < nodes; i++)
        parent[i] = i;
    for (int i = 0; i < nodes; i++) {
        const uint64_t *row = i < d->n ? depend_row(d, d->r, i) : depend_row(d, d->ga, i - d->n);
        tie(parent, i, row, d->a, d->n, 0);
        tie(parent, i, row, d->lambda, d->m, d->n);
    }
    for (int i = 0; i < nodes; i++)
        join(d, depend_row(d, whole, root_of(parent, i)), i < d->n ? depend_row(d, d->r, i) : depend_row(d, d->ga, i - d->n));
    for (int i = 0; i < nodes; i++) {
        depend_set to = depend_row(d, d->solution, i);
        join(d, to, depend_row(d, whole, root_of(parent, i)));
        clear(to, d->a, d->n);
        clear(to, d->lambda, d->m);
    }
}

/* What accelerations and multipliers are made of in their place. */
static void resolve(const struct fmu_depends *d, depend_set sets, int rows)
{
    for (int i = 0; i < rows; i++) {
        depend_set row = depend_row(d, sets, i);
        for (int k = 0; k < d->n + d->m; k++) {
            int symbol = k < d->n ? d->a + k : d->lambda + k - d->n;
            if (depend_has(row, symbol)) {
                join(d, row, depend_row(d, d->solution, k));
                clear(row, symbol, 1);
            }
        }
    }
}

/* Positions, then velocities, that constraints tie: each may be moved by all that the others and the constraints are made of. */
static void assemble(struct walk *w, depend_set start, depend_set rows, int count, int first)
{
    struct fmu_depends *d = w->d;
    int *parent = ARENA_NEW(w->arena, int, d->n + 1), any = -1;
    depend_set whole = sets_new(w, d->n);
    for (int i = 0; i < d->n; i++)
        parent[i] = i;
    for (int k = 0; k < count; k++) {
        any = -1;
        for (int j = 0; j < d->n; j++)
            if (depend_has(depend_row(d, rows, k), first + j)) {
                if (any >= 0)
                    parent[root_of(parent, j)] = root_of(parent, any);
                any = j;
            }
    }
    for (int k = 0; k < count; k++)
        for (int j = 0; j < d->n; j++)
            if (depend_has(depend_row(d, rows, k), first + j))
                depend_at_start(d, depend_row(d, rows, k), depend_row(d, whole, root_of(parent, j)));
    for (int i = 0; i < d->n; i++)
        join(d, depend_row(d, whole, root_of(parent, i)), depend_row(d, start, i));
    for (int i = 0; i < d->n; i++)
        join(d, depend_row(d, start, i), depend_row(d, whole, root_of(parent, i)));
}

void depend_at_start(const struct fmu_depends *d, const uint64_t *set, depend_set to)
{
    for (int s = 0; s < d->symbols; s++) {
        if (!depend_has(set, s))
            continue;
        if (s == d->t || s >= d->u)
            to[s / 64] |= (uint64_t)1 << s % 64;
        else if (d->start && s >= d->q && s < d->a)
            join(d, to, depend_row(d, d->start, s - d->q));
        else if (d->start && s >= d->z && s < d->u)
            join(d, to, depend_row(d, d->start, 2 * d->n + s - d->z));
    }
}

/* Parameters that follow from others are what those are; then the constants. */
static depend_set constants(struct walk *w)
{
    const struct mbs_interpreted *x = w->x;
    const struct mbs_model *m = &x->model;
    struct fmu_depends *d = w->d;
    depend_set own = sets_new(w, m->np), c = sets_new(w, m->nc), param = d->param = sets_new(w, m->np);
    for (int i = 0; i < x->defaults; i++)
        through(w, &x->default_tape[i], &own);
    for (int i = 0; i < m->np; i++)
        depend_row(d, param, i)[(d->p + i) / 64] |= (uint64_t)1 << (d->p + i) % 64;
    for (int i = 0; i < x->defaults; i++) {             /* in an order in which each uses earlier ones */
        int k = x->default_tape[i].out[0].index;
        depend_set to = depend_row(d, param, k);
        for (int j = 0; w->follows[k] && j < m->np; j++)
            if (depend_has(depend_row(d, own, k), d->p + j))
                join(d, to, depend_row(d, param, j));
    }
    depend_set raw = sets_new(w, m->nc);
    through(w, &x->setup, &raw);
    for (int i = 0; i < m->np; i++)                     /* the first constants are the parameters */
        join(d, depend_row(d, c, i), depend_row(d, param, i));
    for (int i = 0; i < m->nc; i++)
        for (int j = 0; j < m->np; j++)
            if (depend_has(depend_row(d, raw, i), d->p + j))
                join(d, depend_row(d, c, i), depend_row(d, param, j));
    return c;
}

static void start_values(struct walk *w)
{
    const struct mbs_model *m = &w->x->model;
    struct fmu_depends *d = w->d;
    depend_set start = sets_new(w, 2 * d->n + m->nz), to[] = {start, depend_row(d, start, d->n), depend_row(d, start, 2 * d->n), NULL};
    through(w, &w->x->initial, to);
    if (m->ns) {                /* conditions of the start: they may tie anything to anything */
        depend_set s = sets_new(w, 1), all = sets_new(w, m->ns), rows[] = {all, NULL};
        through(w, &w->x->function[MBS_FUNCTION_conditions], rows);
        for (int i = 0; i < m->ns; i++)
            depend_at_start(d, depend_row(d, all, i), s);
        for (int i = 0; i < 2 * d->n; i++)
            join(d, s, depend_row(d, start, i));
        for (int k = 0; k < m->ng + m->nh; k++)
            depend_at_start(d, depend_row(d, d->gv, k), s);
        for (int i = 0; i < 2 * d->n; i++)
            join(d, depend_row(d, start, i), s);
        for (int k = 0; k < m->ng; k++)
            depend_at_start(d, depend_row(d, d->g, k), s);
    }
    d->start = start;
    assemble(w, start, d->g, m->ng, d->q);
    assemble(w, depend_row(d, start, d->n), d->gv, m->ng + m->nh, d->v);
}

static void walk(struct walk *w)
{
    const struct mbs_interpreted *x = w->x;
    const struct mbs_model *m = &x->model;
    struct fmu_depends *d = w->d;
    w->reads = (struct mbs_reads){d->words, d->t, d->p, d->q, d->v, d->a, d->lambda, d->z, d->u, NULL};
    w->reads.constant = constants(w);
    d->r = sets_new(w, d->n);
    d->g = sets_new(w, m->ng);
    d->gv = sets_new(w, d->m);
    d->ga = sets_new(w, d->m);
    d->zdot = sets_new(w, m->nz);
    d->y = sets_new(w, m->ny);
    d->y_direct = sets_new(w, m->ny);
    d->guard = sets_new(w, m->nevent);
    d->ru = sets_new(w, m->ru.nnz);
    depend_set jacobian[MBS_QUANTITIES] = {NULL};
    jacobian[offsetof(struct mbs_jacobian, ru) / sizeof(double *)] = d->ru;
    through(w, &x->function[MBS_FUNCTION_jacobian], jacobian);
    depend_set residual[] = {d->r, d->zdot, d->g, d->gv, d->ga, NULL}, outputs[] = {d->y_direct}, guards[] = {d->guard, NULL};
    through(w, &x->function[MBS_FUNCTION_residual], residual);
    if (m->ny)
        through(w, &x->function[MBS_FUNCTION_outputs], outputs);
    if (m->nevent)
        through(w, &x->function[MBS_FUNCTION_guards], guards);
    memcpy(d->y, d->y_direct, (size_t)m->ny * (size_t)d->words * sizeof *d->y);
    solve(w);
    resolve(d, d->y, m->ny);
    resolve(d, d->guard, m->nevent);
    start_values(w);
}

void fmu_depends_init(struct fmu_depends *d, struct arena *arena, const char *tapes, size_t length, const unsigned char *follows)
{
    const struct mbs_model *m = NULL;
    *d = (struct fmu_depends){.known = false};
    int status = tapes ? mbs_interpret(&m, tapes, length, NULL) : MBS_UNAVAILABLE;
    if (status == MBS_NO_MEMORY)
        mem_ended();
    if (status != MBS_OK)
        return;
    struct walk w = {.d = d, .arena = arena, .x = (const struct mbs_interpreted *)(const void *)m, .follows = follows};
    d->n = m->nq;
    d->m = m->ng + m->nh;
    d->q = d->t + 1;
    d->v = d->q + d->n;
    d->a = d->v + d->n;
    d->lambda = d->a + d->n;
    d->z = d->lambda + d->m;
    d->u = d->z + m->nz;
    d->p = d->u + m->nu;
    d->symbols = d->p + m->np;
    d->words = d->symbols / 64 + 1;
    walk(&w);
    d->known = !m->ncontact;    /* contacts may move the start, too */
    mbs_interpret_free(m);
}
