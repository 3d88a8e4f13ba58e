/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Generated code against the interpreter: each model is compiled to C, that by the C compiler, and every
 * function of the ABI must give what expr_eval() finds for the equations at random states.
 *
 *     generated MODEL.mbs ...          from the source directory; without arguments: a fixed list
 *
 * Done as it is, with parameters folded, and with the tapes cut into many small functions.  Matrices by columns are held
 * against the same model by entries.  Optional outputs are left out one by one, what a function does not read is NULL.  The tolerance
 * is relative to the largest entry of an array: 1e-12, some thousand roundings, because the tape
 * sums in another order than the interpreter.  The squeezer starts with the accelerations and multipliers of Hairer & Wanner II, (7.10). */
#include "compile.h"
#include "mbs/model.h"
#include "../tap.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STATES = 5 };

/* --- building ---------------------------------------------------------------------------------------- */

struct loaded {
    struct compile *c, *reference;      /* reference: every matrix by its entries */
    void *handle;
    const struct mbs_model *m;
    char dir[64];
};

static bool load(struct loaded *x, const char *path, const struct compile_options *o)
{
    char file[128], command[1024], symbol[256];
    const char *cc = getenv("CC"), *src = getenv("top_srcdir");
    memset(x, 0, sizeof *x);
    x->c = compile_file(path, o, COMPILE_TEXT);
    if (!x->c->good) {
        printf("# %s\n", compile_messages(x->c));
        return false;
    }
    struct compile_options entries = *o;
    entries.entries = true;
    x->reference = compile_file(path, &entries, COMPILE_EQUATIONS);
    strcpy(x->dir, "/tmp/mbs-generated.XXXXXX");
    if (!mkdtemp(x->dir))
        return false;
    snprintf(file, sizeof file, "%s/m.c", x->dir);
    FILE *f = fopen(file, "w");
    if (!f)
        return false;
    fputs(compile_text(x->c, NULL), f);
    fclose(f);
    snprintf(command, sizeof command,
             "%s -O1 -Wall -Wextra -Werror -fPIC -shared -I'%s/runtime' %s/m.c '%s/tests/numeric/stubs.c' -o %s/m.so -lm",
             cc && *cc ? cc : "cc", src && *src ? src : ".", x->dir, src && *src ? src : ".", x->dir);
    if (system(command))
        return false;
    snprintf(file, sizeof file, "%s/m.so", x->dir);
    snprintf(symbol, sizeof symbol, "%s_model", x->c->model->name);
    x->handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    x->m = x->handle ? dlsym(x->handle, symbol) : NULL;
    return x->m != NULL;
}

static void unload(struct loaded *x)
{
    char file[128];
    if (x->handle)
        dlclose(x->handle);
    static const char *const files[] = { "/m.c", "/m.so", "" };
    for (int k = 0; x->dir[0] && k < 3; k++) {
        snprintf(file, sizeof file, "%s%s", x->dir, files[k]);
        k < 2 ? unlink(file) : rmdir(file);
    }
    compile_free(x->c);
    compile_free(x->reference);
}

/* --- comparing --------------------------------------------------------------------------------------- */

struct state {
    double *p, *c, *w, *q, *v, *a, *lambda, *mu, *z, *u, t;
};

static double next_random(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 23) - 1;
}

static double *random_array(int n, unsigned *seed)
{
    double *x = calloc((size_t)n + 1, sizeof *x);
    for (int k = 0; k < n; k++)
        x[k] = next_random(seed);
    return x;
}

/* The data of extern functions and tables for the interpreter. */
static double spline(const struct model_table *t, int order, double x)
{
    double h = 1e-3, at = x < t->x[0] ? t->x[0] : x > t->x[t->n - 1] ? t->x[t->n - 1] : x;
    int i = 0;
    while (i < t->n - 2 && at >= t->x[i + 1])
        i++;
    h = t->x[i + 1] - t->x[i];
    double a = (t->x[i + 1] - at) / h, b = (at - t->x[i]) / h;
    double slope =
        (t->y[i + 1] - t->y[i]) / h - (3 * a * a - 1) / 6 * h * t->m[i] + (3 * b * b - 1) / 6 * h * t->m[i + 1];
    if (order == 0)
        return a * t->y[i] + b * t->y[i + 1] + ((a * a * a - a) * t->m[i] + (b * b * b - b) * t->m[i + 1]) * h * h / 6 +
               slope * (x - at);
    if (order == 1)
        return slope;
    if (x != at)
        return 0;
    return order == 2 ? a * t->m[i] + b * t->m[i + 1] : order == 3 ? (t->m[i + 1] - t->m[i]) / h : 0;
}

/* tests/numeric/stubs.c has the same: the k-th derivative of exp(x/2) of the first argument. */
static double call(void *user, const struct fn *f, const double *args)
{
    const struct model *m = user;
    const struct fn *root = &m->pool->fn[f->root];
    for (int k = 0; k < m->table.n; k++)
        if (m->table.at[k] == root->data)
            return spline(m->table.at[k], f->orders[0], args[0]);
    return exp(args[0] / 2) / pow(2, f->orders[0]);
}

struct check {
    const struct loaded *x;
    struct state s;
    struct eval_env env;
    double worst;               /* relative to the size of the array */
    const char *where;
};

/* The entry (i, j) of an array of the reference in what the generated code gives; a pattern by columns may have entries
 * more, which must be zero.  NULL: not there. */
static const double *entry_of(const struct mbs_pattern *p, const double *got, int i, int j)
{
    if (!p)
        return got + i;
    for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
        if (p->rowidx[k] == i)
            return got + k;
    return NULL;
}

static void compare(struct check *k, enum eq_id id, double *got)
{
    const struct eq_array *a = &k->x->reference->equations->array[id];
    const struct mbs_pattern *p = abi_pattern(k->x->m, id);
    double *want = calloc((size_t)a->nnz + 1, sizeof *want), size = 0, worst = 0;
    expr_eval(k->x->reference->pool, &k->env, a->nnz, a->value, want);
    for (int i = 0; i < a->nnz; i++)
        size = fmax(size, fabs(want[i]));
    for (int j = 0; j < a->cols; j++)
        for (int e = p ? a->colptr[j] : 0; e < (p ? a->colptr[j + 1] : a->nnz); e++) {
            double *g = (double *)entry_of(p, got, p ? a->rowidx[e] : e, j);
            if (isfinite(want[e]))
                worst = fmax(worst, g && isfinite(*g) ? fabs(*g - want[e]) : INFINITY);
            if (g)
                *g = 0;
        }
    for (int e = 0; e < abi_size(k->x->m, id); e++)
        worst = fmax(worst, isnan(got[e]) ? INFINITY : fabs(got[e]));
    if (worst > k->worst * size) {
        k->worst = worst / size;
        k->where = a->name;
    }
    free(want);
}

/* Accelerations and multipliers by the equations that they solve, M a - f + G' lambda = 0 and G a + gamma = 0, relative to the
 * terms: elimination is stable backward, but a differs from another rounding by as much as M is ill-conditioned. */
static void check_solution(struct check *k, double *const out[])
{
    static const enum eq_id equation[] = {EQ_r, EQ_ga};
    const struct compile *c = k->x->reference;
    struct eval_env env = k->env;
    env.val[SYM_A] = out[abi_part(FUNCTION_accelerations, EQ_a)];
    env.val[SYM_LAMBDA] = out[abi_part(FUNCTION_accelerations, EQ_lambda)];
    if (out[abi_part(FUNCTION_accelerations, EQ_unsafe)][0] != 0)
        return;
    for (int e = 0; e < 2; e++) {
        const struct eq_array *a = &c->equations->array[equation[e]];
        double *got = calloc((size_t)a->nnz + 1, sizeof *got), *size = calloc((size_t)a->nnz + 1, sizeof *size), most = 0;
        expr_eval(c->pool, &env, a->nnz, a->value, got);
        expr_eval_magnitude(c->pool, &env, a->nnz, a->value, size);
        for (int i = 0; i < a->nnz; i++)
            most = fmax(most, size[i]);
        for (int i = 0; i < a->nnz; i++)
            if (!(fabs(got[i]) <= k->worst * most)) {
                k->worst = isfinite(got[i]) ? fabs(got[i]) / most : INFINITY;
                k->where = e ? "G a + gamma of accelerations" : "M a - f + G' lambda of accelerations";
            }
        free(got);
        free(size);
    }
}

/* One function with what it always computes and the optional arrays of one group (-1: of all).  What the table says it does
 * not read is not there. */
static void check_function(struct check *k, enum abi_function_id f, int group, const struct mbs_state *at)
{
    const struct mbs_model *m = k->x->m;
    struct mbs_state s = { .t = at->t };
    double *out[FUNCTION_PARTS] = {0};
    bool mu = false;
    for (int a = 0; a < abi_function[f].parts; a++) {
        const struct abi_part *part = &abi_function[f].part[a];
        if (part->group && group >= 0 && part->group != group)
            continue;
        int n = abi_size(m, part->id) + 1;
        out[a] = malloc((size_t)n * sizeof *out[a]);
        for (int i = 0; i < n; i++)
            out[a][i] = f == FUNCTION_power && !m->power ? 0 : NAN;     /* a model that conserves its energy has no power() */
        mu |= part->id == EQ_Gtmu || part->id == EQ_gmuq;
    }
#define GIVE(member, kind) s.member = abi_function[f].reads & DEP(kind) ? at->member : NULL
    GIVE(q, SYM_Q), GIVE(v, SYM_V), GIVE(a, SYM_A), GIVE(lambda, SYM_LAMBDA), GIVE(z, SYM_Z), GIVE(u, SYM_U), GIVE(mu, SYM_MU);
    s.mu = mu ? s.mu : NULL;
    abi_call(m, f, k->s.c, &s, out, k->s.w);
    if (f == FUNCTION_accelerations && m->accelerations)
        check_solution(k, out);
    for (int a = 0; a < abi_function[f].parts; a++) {
        if (out[a] && f != FUNCTION_accelerations)
            compare(k, abi_function[f].part[a].id, out[a]);
        free(out[a]);
    }
}

static void check_functions(struct check *k, const struct mbs_state *s)
{
    for (int f = 0; f < FUNCTION_COUNT; f++) {
        int groups = 0;
        for (int a = 0; a < abi_function[f].parts; a++)
            groups = abi_function[f].part[a].group > groups ? abi_function[f].part[a].group : groups;
        for (int g = -1; g <= groups; g++)
            check_function(k, (enum abi_function_id)f, g, s);
    }
}

static double *room(const struct check *k, enum eq_id id)
{
    return calloc((size_t)abi_size(k->x->m, id) + 1, sizeof(double));
}
#define ROOM(name) double *name = room(k, EQ_##name)

/* [M G'; G 0] x = rhs solved by the generated factors, checked by multiplying; relative to the rhs and to
 * the growth that the condition allows, which random states keep below 1e6. */
static double check_solver(struct check *k, const struct mbs_state *s)
{
    const struct mbs_model *m = k->x->m;
    int nq = m->nq, n = nq + m->ng + m->nh;
    if (!m->factor)
        return 0;
    ROOM(M); ROOM(f); ROOM(G); ROOM(zdot);
    double *l = calloc((size_t)m->nl + 1, sizeof *l), *x = calloc((size_t)n, sizeof *x),
           *y = calloc((size_t)n, sizeof *y);
    double *dM = calloc((size_t)(nq * nq), sizeof *dM), *dG = calloc((size_t)((n - nq) * nq + 1), sizeof *dG),
           worst = 0, size = 0;
    m->dynamics(k->s.c, s, &(struct mbs_dynamics){ .M = M, .f = f, .G = G, .zdot = zdot }, k->s.w);
    mbs_dense(&m->M, M, dM, 1);
    mbs_dense(&m->G, G, dG, 0);
    for (int i = 0; i < n; i++)
        x[i] = y[i] = i < nq ? f[i] : 0.1 * (i - nq + 1);
    if (m->factor(M, G, l) == 0) {
        m->solve(l, x);
        for (int i = 0; i < n; i++) {
            double sum = -y[i], scale = fabs(y[i]);
            for (int j = 0; j < n; j++) {
                double e = i < nq && j < nq ? dM[j * nq + i]
                           : i < nq         ? dG[i * (n - nq) + j - nq]
                           : j < nq         ? dG[j * (n - nq) + i - nq]
                                            : 0;
                sum += e * x[j];
                scale += fabs(e * x[j]);
            }
            worst = fmax(worst, fabs(sum));
            size = fmax(size, scale);
        }
    }
    free(M), free(f), free(G), free(zdot), free(l), free(x), free(y), free(dM), free(dG);
    return size > 0 ? worst / size : 0;
}

static void check_model(const char *path, const struct compile_options *o, const char *what)
{
    struct loaded x;
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    bool good = load(&x, path, o);
    if (!ok(good, "%s, %s: compiles and loads", name, what)) {
        unload(&x);
        return;
    }
    const struct mbs_model *m = x.m;
    struct check k = { .x = &x, .worst = 0, .where = "nothing" };
    double solver = 0;
    unsigned seed = 12345;
    for (int n = 0; n < STATES; n++) {
        struct state *s = &k.s;
        int rows = m->ng + m->nh;
        *s = (struct state){calloc((size_t)m->np + 1, 8),
                            calloc((size_t)m->nc + 1, 8),
                            calloc((size_t)m->nw + 1, 8),
                            random_array(m->nq, &seed),
                            random_array(m->nq, &seed),
                            random_array(m->nq, &seed),
                            random_array(rows, &seed),
                            random_array(rows, &seed),
                            random_array(m->nz, &seed),
                            random_array(m->nu, &seed),
                            0.5 + 0.1 * n};
        m->defaults(s->p, NULL);
        m->setup(s->p, s->c);
        k.env = (struct eval_env){.val = {[SYM_PARAM] = s->p,
                                          [SYM_TIME] = &s->t,
                                          [SYM_Q] = s->q,
                                          [SYM_V] = s->v,
                                          [SYM_A] = s->a,
                                          [SYM_LAMBDA] = s->lambda,
                                          [SYM_MU] = s->mu,
                                          [SYM_Z] = s->z,
                                          [SYM_U] = s->u},
                                  .call = call,
                                  .user = (void *)x.reference->model};
        const struct mbs_state at = { s->t, s->q, s->v, s->a, s->lambda, s->mu, s->z, s->u };
        check_functions(&k, &at);
        solver = fmax(solver, check_solver(&k, &at));
        free(s->p), free(s->c), free(s->w), free(s->q), free(s->v), free(s->a), free(s->lambda), free(s->mu),
            free(s->z), free(s->u);
    }
    ok(k.worst <= 1e-12, "%s, %s: worst difference to the interpreter %.1e in %s", name, what, k.worst, k.where);
    ok(solver <= 1e-9, "%s, %s: residual of the straight-line solver %.1e", name, what, solver);
    unload(&x);
}

/* Hairer & Wanner II, (7.7) and (7.10). */
static void check_squeezer(const char *path)
{
    static const double start[7] = { -0.0617138900142764496358948458001, 0, 0.455279819163070380255912382449,
        0.222668390165885884674473185609, 0.487364979543842550225598953530, -0.222668390165885884674473185609,
        1.23054744454982119249735015568 };
    struct loaded x;
    double p[64], c[256], w[1], M[64], G[64], f[8], gamma[8], l[256], y[16], v[7] = {0};
    if (!ok(load(&x, path, &(struct compile_options){ .solver = true }) && x.m->nc < 256 && x.m->nl < 256, "squeezer: compiles and loads"))
        return;
    x.m->defaults(p, NULL);
    x.m->setup(p, c);
    const struct mbs_state s = { .q = start, .v = v };
    x.m->dynamics(c, &s, &(struct mbs_dynamics){ .M = M, .f = f, .G = G, .gamma = gamma }, w);
    ok(x.m->factor(M, G, l) == 0, "squeezer: regular at the start");
    for (int i = 0; i < 13; i++)
        y[i] = i < 7 ? f[i] : -gamma[i - 7];
    x.m->solve(l, y);
    near(y[0], 14222.443919954114, 1e-12, "squeezer: published beta''");
    near(y[1], -10666.832939965585, 1e-12, "squeezer: published Theta''");
    near(y[7], 98.566870396241090, 1e-12, "squeezer: published lambda 1");
    near(y[8], -6.1226883442556627, 1e-12, "squeezer: published lambda 2");
    for (int k = 0; k < 22; k++)
        G[k] = k < 2 ? NAN : G[k];
    ok(x.m->factor(M, G, l) > 7, "squeezer: NaN in G is found among the pivots");
    M[0] = 0;
    ok(x.m->factor(M, G, l) == 1, "squeezer: a zero mass is named");
    unload(&x);
}

/* Without this the test of columns would test nothing. */
static void check_by_columns(void)
{
    char path[1024];
    const char *src = getenv("top_srcdir");
    snprintf(path, sizeof path, "%s/tests/cases/columns.mbs", src && *src ? src : ".");
    struct compile *c = compile_file(path, NULL, COMPILE_EQUATIONS);
    for (int k = 0; c->good && k < EQ_COUNT; k++)
        if (columns_has(COLUMNS_OF_ALL, (enum eq_id)k))
            ok(c->equations->array[k].by_columns && c->equations->array[k].nnz > 10, "columns: %s comes by columns", abi_quantity[k].name);
    compile_free(c);
}

int main(int argc, char **argv)
{
    static const char *const list[] = {"models/squeezer.mbs",
                                       "models/crank.mbs",
                                       "models/bushing.mbs",
                                       "models/crank_fe.mbs",
                                       "models/squeezer_stiff.mbs",
                                       "models/stiff_pendulum.mbs",
                                       "models/nlink.mbs",
                                       "examples/cart.mbs",
                                       "examples/skate.mbs",
                                       "examples/spring_mass.mbs",
                                       "examples/driven_pendulum.mbs",
                                       "tests/cases/everything.mbs",
                                       "tests/cases/columns.mbs"};
    const char *src = getenv("top_srcdir");
    char path[1024];
    for (int k = 1; k < argc; k++)
        check_model(argv[k], &(struct compile_options){ .solver = true }, "as it is");
    if (argc > 1)
        return tap_done();
    for (unsigned k = 0; k < sizeof list / sizeof *list; k++) {
        snprintf(path, sizeof path, "%s/%s", src && *src ? src : ".", list[k]);
        check_model(path, &(struct compile_options){ .solver = true }, "as it is");
        check_model(path, &(struct compile_options){ .rows_per_piece = 40, .solver = true }, "cut");
        if (k < 2 || k > 9)
            check_model(path, &(struct compile_options){ .fold_params = true, .standalone = true, .solver = true }, "folded");
    }
    snprintf(path, sizeof path, "%s/%s", src && *src ? src : ".", list[0]);
    check_squeezer(path);
    check_by_columns();
    return tap_done();
}
