/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `mbs compare MODEL.mbs`: everything the generated code computes against the witness (witness.h), M for
 * positive semi-definiteness, and the balance of energy at solved states.
 *
 * A Jacobian is compared column by column.  Where that would take too long it is compared along random
 * directions instead, which the table says: rq*d is the product with a direction d.
 */
#include "config.h"
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
#include <gsl/gsl_eigen.h>
#include <math.h>
#include <quadmath.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Every array that some generated function writes, as it comes from it. */
struct generated {
    double *M, *f, *G, *zdot, *gamma, *g, *gt;              /* dynamics */
    double *g2, *G2, *gt2;                                  /* constraints */
    double *r, *zdot2, *g3, *gv, *ga, *Gtmu;                /* residual */
    double *rq, *rv, *M2, *G3, *rz, *zq, *zv, *zz, *gvq, *gaq, *gav, *gmuq, *ru, *zu;   /* jacobian */
    double *y, *energy;
};

/* One comparison: an array of the generated code with its pattern, and what the witness says. */
enum item_source { VECTOR, JACOBIAN, MASS, CONSTRAINT_JACOBIAN };
struct item {
    const char *name;
    enum item_source source;
    enum eq_id id;
    const double *const *array;         /* in struct generated */
    const struct mbs_pattern *pattern;  /* NULL: a vector */
    const struct mbs_name *row, *col;
    int rows, cols;
    Witness *f;
    size_t x;                           /* JACOBIAN: offset of the variables in struct witness */
    int at;                             /* in the tally */
};
enum { ITEMS = 48 };
struct check {
    const struct subject *loaded;
    struct sample sample;
    struct witness witness;
    struct generated out;
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
    int definite, balance;              /* in the tally */
};

static void generated_init(struct generated *g, const struct mbs_model *m)
{
    int n = m->nq, rows = m->ng + m->nh;
    *g = (struct generated){
        .M = array_new(m->M.nnz, 1), .f = array_new(n, 1), .G = array_new(m->G.nnz, 1), .zdot = array_new(m->nz, 1),
        .gamma = array_new(rows, 1), .g = array_new(rows, 1), .gt = array_new(rows, 1), .g2 = array_new(rows, 1),
        .G2 = array_new(m->G.nnz, 1), .gt2 = array_new(rows, 1), .r = array_new(n, 1), .zdot2 = array_new(m->nz, 1),
        .g3 = array_new(rows, 1), .gv = array_new(rows, 1), .ga = array_new(rows, 1), .Gtmu = array_new(n, 1),
        .rq = array_new(m->rq.nnz, 1), .rv = array_new(m->rv.nnz, 1), .M2 = array_new(m->M.nnz, 1),
        .G3 = array_new(m->G.nnz, 1), .rz = array_new(m->rz.nnz, 1), .zq = array_new(m->zq.nnz, 1),
        .zv = array_new(m->zv.nnz, 1), .zz = array_new(m->zz.nnz, 1), .gvq = array_new(m->gvq.nnz, 1),
        .gaq = array_new(m->gaq.nnz, 1), .gav = array_new(m->gav.nnz, 1), .gmuq = array_new(m->gmuq.nnz, 1),
        .ru = array_new(m->ru.nnz, 1), .zu = array_new(m->zu.nnz, 1), .y = array_new(m->ny, 1), .energy = array_new(2, 1),
    };
}

static void generated_fini(struct generated *g)
{
    double **all = (double **)g;
    for (size_t i = 0; i < sizeof *g / sizeof *all; i++)
        free(all[i]);
}

static void generated_run(struct generated *g, const struct sample *s)
{
    const struct mbs_model *m = s->model;
    struct mbs_dynamics d = {g->M, g->f, g->G, g->zdot, g->gamma, g->g, g->gt};
    struct mbs_constraints c = {g->g2, g->G2, g->gt2};
    struct mbs_residual r = {g->r, g->zdot2, g->g3, g->gv, g->ga, g->Gtmu};
    struct mbs_jacobian j = {g->rq, g->rv, g->M2, g->G3, g->rz, g->zq, g->zv, g->zz,
                             g->gvq, g->gaq, g->gav, g->gmuq, g->ru, g->zu};
    m->dynamics(s->c, &s->x, &d, s->w);
    m->constraints(s->c, &s->x, &c, s->w);
    m->residual(s->c, &s->x, &r, s->w);
    m->jacobian(s->c, &s->x, &j, s->w);
    m->energy(s->c, &s->x, g->energy, s->w);
    m->outputs(s->c, &s->x, g->y, s->w);
}

/* --- what is compared ------------------------------------------------------------------------------- */
static void add_item(struct check *c, struct item i)
{
    if (i.rows > 0 && i.cols > 0)
        c->item[c->items++] = i;
}

static void add_items(struct check *c)
{
    const struct mbs_model *m = c->loaded->model;
    const struct generated *g = &c->out;
    int n = m->nq, k = m->ng + m->nh;
#define VEC(label, name, id, rows, names, f)                                                  \
    add_item(c, (struct item){label, VECTOR, EQ_##id, (const double *const *)&g->name, NULL, names, NULL, rows, 1, f, 0, -1})
#define MAT(label, name, source, pat, r, rows, cl, cols)                                      \
    add_item(c, (struct item){label, source, EQ_##pat, (const double *const *)&g->name, &m->pat, r, cl, rows, cols, NULL, 0, -1})
#define JAC(name, r, rows, cl, cols, f, x)                                                    \
    add_item(c, (struct item){#name, JACOBIAN, EQ_##name, (const double *const *)&g->name, &m->name, r, cl, rows, cols, f, \
                              offsetof(struct witness, x), -1})
    MAT("M", M, MASS, M, m->coord, n, m->coord, n);
    VEC("f", f, f, n, m->coord, witness_f);
    VEC("g", g, g, m->ng, m->constraint, witness_g);
    MAT("G", G, CONSTRAINT_JACOBIAN, G, m->constraint, k, m->coord, n);
    VEC("gt", gt, gt, k, m->constraint, witness_gt);
    VEC("gamma", gamma, gamma, k, m->constraint, witness_gamma);
    VEC("zdot", zdot, zdot, m->nz, m->state, witness_zdot);
    VEC("constraints g", g2, g, m->ng, m->constraint, witness_g);
    MAT("constraints G", G2, CONSTRAINT_JACOBIAN, G, m->constraint, k, m->coord, n);
    VEC("constraints gt", gt2, gt, k, m->constraint, witness_gt);
    VEC("r", r, r, n, m->coord, witness_r);
    VEC("residual zdot", zdot2, zdot, m->nz, m->state, witness_zdot);
    VEC("residual g", g3, g, m->ng, m->constraint, witness_g);
    VEC("gv", gv, gv, k, m->constraint, witness_gv);
    VEC("ga", ga, ga, k, m->constraint, witness_ga);
    VEC("Gtmu", Gtmu, Gtmu, n, m->coord, witness_Gtmu);
    MAT("jacobian M", M2, MASS, M, m->coord, n, m->coord, n);
    MAT("jacobian G", G3, CONSTRAINT_JACOBIAN, G, m->constraint, k, m->coord, n);
    JAC(rq, m->coord, n, m->coord, n, witness_r, q);
    JAC(rv, m->coord, n, m->coord, n, witness_r, v);
    JAC(rz, m->coord, n, m->state, m->nz, witness_r, z);
    JAC(ru, m->coord, n, m->input, m->nu, witness_r, u);
    JAC(zq, m->state, m->nz, m->coord, n, witness_zdot, q);
    JAC(zv, m->state, m->nz, m->coord, n, witness_zdot, v);
    JAC(zz, m->state, m->nz, m->state, m->nz, witness_zdot, z);
    JAC(zu, m->state, m->nz, m->input, m->nu, witness_zdot, u);
    JAC(gvq, m->constraint, k, m->coord, n, witness_gv, q);
    JAC(gaq, m->constraint, k, m->coord, n, witness_ga, q);
    JAC(gav, m->constraint, k, m->coord, n, witness_ga, v);
    JAC(gmuq, m->coord, n, m->coord, n, witness_Gtmu, q);
    VEC("energy", energy, energy, 2, NULL, witness_energy);
    VEC("y", y, y, m->ny, m->output, witness_y);
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
    case CONSTRAINT_JACOBIAN:
        witness_G(w, out);
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

/* An entry that is zero, or small, by cancellation may have lost the terms that cancelled: numbers were folded, sines of one
 * angle collected.  Where the witness contradicts, it says how much rounding may do to the entry. */
static void scale_by_rounding(struct check *c, const struct item *x, const quad *dir, const double *got, int n)
{
    const quad part = 1e-12Q;
    struct quantity *q = &c->tally.at[x->at];
    for (uint64_t seed = 1; seed <= 3; seed++) {
        witness_disturb(&c->witness, seed, part);
        testify(c, x, dir, c->again);
        for (int i = 0; i < n; i++)
            if (is_suspect(c, x, i, got[i], c->exact[i]))
                tally_scale(q, c->sample.regime, i, (double)(fabsq(c->again[i] - c->exact[i]) / part));
    }
    witness_disturb(&c->witness, 0, 0);
}

/* The witness has rounding noise of its own.  Where it contradicts the generated value it is asked again
 * with another step: a true difference stays the same, to five digits at least.  Exact zeros are looked into at the first states only;
 * after them they are known to be zeros. */
static void take(struct check *c, const struct item *x, const quad *dir, const double *got)
{
    int n = dir ? x->rows : x->rows * x->cols, suspects = 0;
    testify(c, x, dir, c->exact);
    for (int i = 0; i < n; i++)
        suspects += is_suspect(c, x, i, got[i], c->exact[i]);
    if (suspects) {
        scale_by_rounding(c, x, dir, got, n);
        c->witness.step *= 1.7Q;
        testify(c, x, dir, c->again);
        c->witness.step /= 1.7Q;
    }
    for (int i = 0; i < n; i++) {
        quad off = fabsq(got[i] - c->exact[i]);
        bool suspect = is_suspect(c, x, i, got[i], c->exact[i]);
        bool noise = suspect ? fabsq(c->again[i] - c->exact[i]) > 1e-5Q * off : got[i] == 0;
        c->want[i] = noise ? got[i] : (double)c->exact[i];
        c->unresolved += suspect && noise && got[i] != 0;
    }
    tally_take(&c->tally.at[x->at], c->sample.regime, got, c->want);
}

/* J d against the derivative along d; the scale of a row is the sum of its entries' terms. */
static void check_along(struct check *c, const struct item *x)
{
    quad *dir = mem_grow(NULL, (size_t)x->cols, sizeof *dir);
    struct quantity *q = &c->tally.at[x->at];
    const double *value = *x->array;
    double *product = array_new(x->rows, 2), *scale = product + x->rows, *size = term_sizes(c->loaded->compiled, &c->sample, x->id);
    for (int j = 0; j < x->cols; j++)
        dir[j] = sample_random(&c->sample);
    for (int j = 0; j < x->cols; j++)
        for (int k = x->pattern->colptr[j]; k < x->pattern->colptr[j + 1]; k++) {
            int i = x->pattern->rowidx[k];
            product[i] += value[k] * (double)dir[j];
            scale[i] += fabs((double)dir[j]) * (size ? fmax(size[k], fabs(value[k])) : fabs(value[k]));
        }
    for (int i = 0; i < x->rows; i++)
        tally_scale(q, c->sample.regime, i, scale[i]);
    take(c, x, dir, product);
    free(dir);
    free(product);
    free(size);
}

static void check_item(struct check *c, const struct item *x)
{
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
    dense_from(&c->loaded->model->M, c->out.M, c->dense);
    gsl_matrix *A = gsl_matrix_alloc((size_t)n, (size_t)n);
    gsl_vector *e = gsl_vector_alloc((size_t)n);
    gsl_eigen_symm_workspace *work = gsl_eigen_symm_alloc((size_t)n);
    bool finite = true;
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            double m = c->dense[j * n + i];
            finite = finite && isfinite(m);
            gsl_matrix_set(A, (size_t)i, (size_t)j, m);
            gsl_matrix_set(A, (size_t)j, (size_t)i, m);
        }
    if (finite) {
        gsl_eigen_symm(A, e, work);
        double least = fmin(0, gsl_vector_min(e)), zero = 0;
        struct quantity *q = &c->tally.at[c->definite];
        tally_scale(q, c->sample.regime, 0, gsl_vector_max(e));
        tally_take(q, c->sample.regime, &least, &zero);
    }
    gsl_eigen_symm_free(work);
    gsl_vector_free(e);
    gsl_matrix_free(A);
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
    double rate = (double)b.rate, power = (double)b.power, largest = 0, size = (double)b.size;
    for (int i = 0; i < m->nq; i++)         /* the residual of the solve times v is what may be missing */
        largest += fabs(v->f[i] * c->sample.v[i]);
    tally_scale(&c->tally.at[c->balance], c->sample.regime, 0, fmax(size, largest));
    tally_take(&c->tally.at[c->balance], c->sample.regime, &rate, &power);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);     /* not the wall: a busy machine checks the same */
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Columns of Jacobians cost six residuals each. */
static double column_cost(struct check *c)
{
    double start = now();
    witness_r(&c->witness, c->exact);
    return 6 * (now() - start) * (2 * c->witness.nq + c->witness.nz + c->witness.nu);
}

static void check_states(struct check *c, struct verdict *v, const struct compare_options *o)
{
    enum { SECONDS = 20 };
    struct values values;
    values_init(&values, c->loaded->model);
    long states = o->states > 0 ? o->states : REGIMES;
    double start = now();
    for (long k = 0; k < states && (k < 2 || o->states > 0 || now() - start < 2 * SECONDS); k++) {
        c->state = k;
        c->random = k % 4 >= 2;
        sample_params(&c->sample, c->random, NULL);
        draw_state(c, k);
        if (k == 0) {
            c->directions = column_cost(c) * (double)states > SECONDS;
            add_quantities(c);
        }
        generated_run(&c->out, &c->sample);
        for (int i = 0; i < c->items; i++)
            check_item(c, &c->item[i]);
        check_definite(c);
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
    int rows = m->ng + m->nh, widest = m->nq > rows ? m->nq : rows;
    widest = widest > m->ny ? widest : m->ny;
    widest = widest > m->nz ? widest : m->nz;
    size_t room = ((size_t)widest + 2) * ((size_t)m->nq + (size_t)m->nz + (size_t)m->nu + 2);
    sample_init(&c.sample, m, o->seed);
    witness_init(&c.witness, l->compiled->model);
    generated_init(&c.out, m);
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
        verdict_note(&v, "%ld values are too small beside others for differences and were left out", c.unresolved);
    if (c.directions)
        verdict_note(&v, "Jacobians were compared along random directions d, because columns one by one would take too long");
    int status = verdict_give(&v, &c.tally, o);
    tally_fini(&c.tally);
    sample_fini(&c.sample);
    witness_fini(&c.witness);
    generated_fini(&c.out);
    free(c.dense);
    free(c.want);
    free(c.exact);
    free(c.again);
    return status;
}
#endif
