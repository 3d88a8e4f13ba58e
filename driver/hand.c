/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `mbs compare MODEL.mbs HAND.c`: generated code against code written by hand, by the convention of
 * models/hand/README.md: any subset of the functions below, dense arrays by columns, zeroed before each
 * call, names with or without the underscore of Fortran.
 */
#include "config.h"
#include "commands.h"
#include "compare.h"
#include "base/arena.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void HandQ(const double *t, const double *q, const double *p, double *out);
typedef void HandV(const double *t, const double *q, const double *v, const double *p, double *out);
typedef void HandAll(const double *t, const double *q, const double *v, const double *p, double *M, double *f, double *g,
                     double *G, double *gamma);

struct hand {
    void *handle;
    HandQ *mass, *constraint, *jacobian, *rate;
    HandV *force, *acceleration;
    HandAll *all;
    double *M, *f, *g, *G, *gt, *gamma;
};

static void *function(void *handle, const char *name, int *found)
{
    char fortran[64];
    void *f = dlsym(handle, name);
    snprintf(fortran, sizeof fortran, "%s_", name);
    f = f ? f : dlsym(handle, fortran);
    *found += f != NULL;
    return f;
}

static bool is_fortran(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (dot[1] == 'f' || dot[1] == 'F');
}

/* Compile and load the file.  Every option of the model is a macro; true is 1, false is 0. */
static void *hand_compile(const struct subject *l, const char *path)
{
    const struct model *m = l->compiled->model;
    struct arena arena = {0};
    struct { const char **at; int n, cap; } word = {0};
    const char *fc = getenv("FC"), *dash = path[0] == '-' ? "./" : "";
    char *log, *command = arena_printf(&arena, "%s", !is_fortran(path) ? build_compiler() : fc && *fc ? fc : "gfortran");
    for (char *save, *w = strtok_r(command, " \t", &save); w; w = strtok_r(NULL, " \t", &save))
        VEC_PUSH(word, w);
    VEC_PUSH(word, "-O2");
    for (int i = 0; i < m->option.n; i++) {
        double value = expr_value(l->compiled->pool, m->option.at[i].value);
        VEC_PUSH(word, arena_printf(&arena, "-D%s=%.17g", m->option.at[i].name, value));
    }
    VEC_PUSH(word, arena_printf(&arena, "%s%s", dash, path));
    VEC_PUSH(word, "-lm");
    VEC_PUSH(word, NULL);
    void *handle = build_load(word.at, &log);
    if (!handle)
        complain(&manual_compare, "%s cannot be compiled and loaded:\n%s", path, log && *log ? log : strerror(errno));
    free(log);
    free(word.at);
    arena_free(&arena);
    return handle;
}

static bool hand_open(struct hand *h, const struct subject *l, const char *path)
{
    int found = 0;
    memset(h, 0, sizeof *h);
    h->handle = hand_compile(l, path);
    if (!h->handle)
        return false;
    h->mass = (HandQ *)function(h->handle, "hand_mass", &found);
    h->force = (HandV *)function(h->handle, "hand_force", &found);
    h->constraint = (HandQ *)function(h->handle, "hand_constraint", &found);
    h->jacobian = (HandQ *)function(h->handle, "hand_constraint_jacobian", &found);
    h->rate = (HandQ *)function(h->handle, "hand_constraint_rate", &found);
    h->acceleration = (HandV *)function(h->handle, "hand_constraint_acceleration", &found);
    h->all = (HandAll *)function(h->handle, "hand_all", &found);
    if (!found)
        complain(&manual_compare, "%s defines none of the functions hand_mass, hand_force, hand_constraint, "
                 "hand_constraint_jacobian, hand_constraint_rate, hand_constraint_acceleration, hand_all", path);
    return found > 0;
}

static void hand_close(struct hand *h)
{
    double *all[] = {h->M, h->f, h->g, h->G, h->gt, h->gamma};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    if (h->handle)
        dlclose(h->handle);
}

static void zero(const struct mbs_model *m, struct hand *h)
{
    size_t n = (size_t)m->nq, rows = (size_t)(m->ng + m->nh), size = sizeof(double);
    memset(h->M, 0, n * n * size);
    memset(h->f, 0, n * size);
    memset(h->G, 0, rows * n * size);
    memset(h->g, 0, rows * size);
    memset(h->gt, 0, rows * size);
    memset(h->gamma, 0, rows * size);
}

/* The functions of their own, into zeroed arrays. */
static void hand_parts(struct hand *h, const struct sample *s)
{
    const struct mbs_state *x = &s->x;
    zero(s->model, h);
    if (h->mass)
        h->mass(&x->t, x->q, s->p, h->M);
    if (h->force)
        h->force(&x->t, x->q, x->v, s->p, h->f);
    if (h->constraint)
        h->constraint(&x->t, x->q, s->p, h->g);
    if (h->jacobian)
        h->jacobian(&x->t, x->q, s->p, h->G);
    if (h->rate)
        h->rate(&x->t, x->q, s->p, h->gt);
    if (h->acceleration)
        h->acceleration(&x->t, x->q, x->v, s->p, h->gamma);
}

static void hand_whole(struct hand *h, const struct sample *s)
{
    const struct mbs_state *x = &s->x;
    h->all(&x->t, x->q, x->v, s->p, h->M, h->f, h->g, h->G, h->gamma);
}

/* Which parameters does the hand-written code read?  Those that change what it computes at some state. */
static int parameters_read(struct hand *h, struct sample *s, unsigned char *reads)
{
    const struct mbs_model *m = s->model;
    size_t n = (size_t)m->nq, rows = (size_t)(m->ng + m->nh), length = n * n + n + rows * n + 3 * rows;
    double *before = array_new((int)length, 1), *after = array_new((int)length, 1);
    int count = 0;
    for (int k = 0; k < 4; k++) {
        sample_params(s, false, NULL);
        sample_state(s, k);
        for (int i = -1; i < m->np; i++) {
            double *to = i < 0 ? before : after, keep = i < 0 ? 0 : s->p[i];
            if (i >= 0)
                s->p[i] = keep == 0 ? 0.37 : 1.37 * keep;
            zero(m, h);
            hand_parts(h, s);
            if (h->all)
                hand_whole(h, s);
            const double *part[] = {h->M, h->f, h->G, h->g, h->gt, h->gamma};
            const size_t size[] = {n * n, n, rows * n, rows, rows, rows};
            for (int j = 0; j < 6; j++) {
                memcpy(to, part[j], size[j] * sizeof *to);
                to += size[j];
            }
            if (i >= 0) {
                s->p[i] = keep;
                if (!reads[i] && memcmp(before, after, length * sizeof *before)) {
                    reads[i] = 1;
                    count++;
                }
            }
        }
    }
    free(before);
    free(after);
    return count;
}

/* One row of the table: the generated array, the hand-written one, whose terms give the scale. */
struct row {
    const char *name;
    bool present, matrix;
    enum eq_id id;
    const double *generated, *hand;
    int rows;
    bool whole;                 /* from hand_all */
};

struct timing {
    const struct sample *sample;
    struct values *values;
    struct hand *hand;
    struct mbs_dynamics out;
};

static void call_generated(void *user)
{
    struct timing *t = user;
    t->sample->model->dynamics(t->sample->c, &t->sample->x, &t->out, t->sample->w);
}

static void call_hand(void *user)
{
    struct timing *t = user;
    hand_whole(t->hand, t->sample);
}

static void measure(struct verdict *v, struct timing *t)
{
    t->out = values_out(t->values);
    if (!t->hand->rate)
        t->out.gt = NULL;       /* hand_all does not compute it */
    v->timed = "M, f, g, G, gamma in one call";
    zero(t->sample->model, t->hand);
    v->ns_a = time_call(call_generated, t);
    v->ns_b = time_call(call_hand, t);
}

int compare_hand(const struct subject *l, const char *path, const char *other, const struct compare_options *o)
{
    const struct mbs_model *m = l->model;
    int constraints = m->ng + m->nh;
    struct hand h;
    if (!hand_open(&h, l, other)) {
        hand_close(&h);
        return EXIT_FAILED;
    }
    h.M = array_new(m->nq, m->nq), h.f = array_new(m->nq, 1), h.G = array_new(constraints, m->nq);
    h.g = array_new(constraints, 1), h.gt = array_new(constraints, 1), h.gamma = array_new(constraints, 1);
    struct sample s;
    struct values v;
    sample_init(&s, m, o->seed);
    values_init(&v, m);
    unsigned char *reads = calloc((size_t)m->np + 1, 1);
    int read = parameters_read(&h, &s, reads);

    const struct row table[] = {
        {"M", h.mass, true, EQ_M, v.M, h.M, m->nq, false},
        {"f", h.force, false, EQ_f, v.f, h.f, m->nq, false},
        {"g", h.constraint, false, EQ_g, v.g, h.g, m->ng, false},
        {"G", h.jacobian, true, EQ_G, v.G, h.G, constraints, false},
        {"gt", h.rate, false, EQ_gt, v.gt, h.gt, constraints, false},
        {"gamma", h.acceleration, false, EQ_gamma, v.gamma, h.gamma, constraints, false},
        {"hand_all M", h.all, true, EQ_M, v.M, h.M, m->nq, true},
        {"hand_all f", h.all, false, EQ_f, v.f, h.f, m->nq, true},
        {"hand_all g", h.all, false, EQ_g, v.g, h.g, m->ng, true},
        {"hand_all G", h.all, true, EQ_G, v.G, h.G, constraints, true},
        {"hand_all gamma", h.all, false, EQ_gamma, v.gamma, h.gamma, constraints, true},
    };
    enum { ROWS = sizeof table / sizeof *table };
    struct tally t = {.tolerance = o->tolerance > 0 ? o->tolerance : 1e-13, .a = "generated", .b = "hand"};
    int at[ROWS];
    for (int i = 0; i < ROWS; i++) {
        at[i] = -1;
        if (!table[i].present || table[i].rows == 0)
            continue;
        const struct mbs_name *rows = table[i].id == EQ_M || table[i].id == EQ_f ? m->coord : m->constraint;
        struct quantity *q = tally_add(&t, table[i].name, table[i].rows, rows, m->nq, table[i].matrix ? m->coord : NULL);
        q->lower = table[i].id == EQ_M;
        at[i] = t.n - 1;
    }
    struct verdict verdict = {.model = path, .other = other, .states = o->states > 0 ? o->states : 10000};
    for (long k = 0; k < verdict.states; k++) {
        sample_params(&s, read && k / REGIMES % 2 == 1, reads);
        sample_state(&s, k);
        verdict.on += s.on;
        memcpy(s.z, s.z0, (size_t)m->nz * sizeof *s.z);     /* hand-written code is not given states and inputs */
        memcpy(s.u, s.u0, (size_t)m->nu * sizeof *s.u);
        values_dynamics(&v, &s);
        for (int whole = 0; whole < 2; whole++) {
            if (whole && !h.all)
                break;
            hand_parts(&h, &s);
            if (whole) {
                zero(m, &h);
                hand_whole(&h, &s);
            }
            for (int i = 0; i < ROWS; i++)
                if (at[i] >= 0 && table[i].whole == whole) {
                    tally_take(&t.at[at[i]], s.regime, table[i].generated, table[i].hand);
                    if (k < 50 * REGIMES)
                        scale_by_terms(l->compiled, &s, &t.at[at[i]], table[i].id);
                }
        }
    }
    if (s.failed)
        verdict_note(&verdict, "%ld states could not be moved onto the constraints and were taken off them", s.failed);
    verdict.params = read == m->np ? "default and random" : read ? "default; those that the hand-written code reads also random"
                                                                 : "default (the hand-written code reads none)";
    if (m->nz + m->nu)
        verdict_note(&verdict, "states and inputs have their start and default values");
    if (h.all) {
        struct timing timing = {&s, &v, &h, {0}};
        measure(&verdict, &timing);
    }
    int status = verdict_give(&verdict, &t, o);
    tally_fini(&t);
    values_fini(&v);
    sample_fini(&s);
    free(reads);
    hand_close(&h);
    return status;
}
