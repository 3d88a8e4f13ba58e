/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * For tests of generated code: compile a model with mbsc and the C compiler of the build, load it,
 * and solve its equations of motion densely.  Shares nothing with libmbs. */
#ifndef TESTS_GENERATED_H
#define TESTS_GENERATED_H
#include "../tap.h"
#include "mbs/model.h"
#include <dlfcn.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct generated {
    const struct mbs_model *m;
    void *handle;
    int n, rows;                /* nq + rows, ng + nh */
    double *p, *c, *w, *q, *v, *z, *u;
    double *M, *G, *f, *g, *gt, *gamma, *zdot;      /* M and G dense, by columns, M both triangles */
    double *x;                  /* accelerations, then multipliers */
    double *Ms, *Gs, *A;
};

static int run_command(const char *const *argv)
{
    pid_t pid;
    int status = -1;
    if (posix_spawnp(&pid, argv[0], NULL, NULL, (char **)argv, environ) != 0)
        return -1;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static double *zeros(int n)
{
    return calloc((size_t)n + 1, sizeof(double));
}

/* NAME is examples/pendulum or models/crank; `define` is NULL or "option=value", several separated by blanks. */
static int generated_load(struct generated *s, const char *name, const char *define)
{
    const char *src = getenv("top_srcdir"), *bld = getenv("top_builddir"), *cc = getenv("CC"), *base = strrchr(name, '/') + 1;
    char dir[] = "/tmp/mbs-test-XXXXXX", file[4096], c[64], so[64], inc[4096], lib[4096], prog[4096], word[256], symbol[256];
    memset(s, 0, sizeof *s);
    src = src ? src : ".", bld = bld ? bld : ".";
    if (!cc || sscanf(cc, "%255s", word) != 1)
        strcpy(word, "cc");
    if (!mkdtemp(dir))
        return -1;
    snprintf(file, sizeof file, "%s/%s.mbs", src, name);
    snprintf(c, sizeof c, "%s/model.c", dir);
    snprintf(so, sizeof so, "%s/model.so", dir);
    snprintf(inc, sizeof inc, "-I%s/runtime", src);
    snprintf(prog, sizeof prog, "%s/mbsc", bld);
    snprintf(symbol, sizeof symbol, "%s_model", base);
    snprintf(lib, sizeof lib, "-I%s/models", src);
    const char *mbsc[17] = {prog, file, lib, "-o", c, NULL};
    char options[256] = "", *rest = options;
    snprintf(options, sizeof options, "%s", define ? define : "");
    for (int k = 5; k < 15 && (mbsc[k + 1] = strtok_r(rest, " ", &rest)); k += 2)
        mbsc[k] = "-D";
    const char *compile[] = {word, "-std=c11", "-O1", "-fPIC", "-shared", inc, "-o", so, c, "-lm", NULL};
    if (run_command(mbsc) == 0 && run_command(compile) == 0)
        s->handle = dlopen(so, RTLD_NOW | RTLD_LOCAL);
    unlink(c), unlink(so), rmdir(dir);
    if (!s->handle || !(s->m = dlsym(s->handle, symbol)))
        return -1;
    const struct mbs_model *m = s->m;
    s->rows = m->ng + m->nh, s->n = m->nq + s->rows;
    s->p = zeros(m->np), s->c = zeros(m->nc), s->w = zeros(m->nw), s->q = zeros(m->nq), s->v = zeros(m->nq);
    s->z = zeros(m->nz), s->u = zeros(m->nu), s->M = zeros(m->nq*m->nq), s->G = zeros(s->rows*m->nq), s->f = zeros(m->nq);
    s->g = zeros(m->ng), s->gt = zeros(s->rows), s->gamma = zeros(s->rows), s->zdot = zeros(m->nz), s->x = zeros(s->n);
    s->Ms = zeros(m->M.nnz), s->Gs = zeros(m->G.nnz), s->A = zeros(s->n*s->n);
    m->defaults(s->p, NULL);
    m->setup(s->p, s->c);
    m->initial(s->c, s->q, s->v, s->z, s->u);
    return 0;
}

/* Loads or reports a failed test. */
#define LOAD(s, name, define) ok(generated_load((s), (name), (define)) == 0, "%s %s compiles and loads", (name), (define) ? (define) : "")

static void generated_free(struct generated *s)
{
    double *all[] = {s->p, s->c, s->w, s->q, s->v, s->z, s->u, s->M, s->G, s->f, s->g, s->gt, s->gamma, s->zdot, s->x, s->Ms, s->Gs, s->A};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    if (s->handle)
        dlclose(s->handle);
}

/* Evaluates everything at (t, q, v) and solves for accelerations and multipliers; false if singular. */
__attribute__((unused)) static int generated_solve(struct generated *s, double t)
{
    const struct mbs_model *m = s->m;
    int n = s->n, nq = m->nq;
    struct mbs_state x = {.t = t, .q = s->q, .v = s->v, .z = s->z, .u = s->u};
    struct mbs_dynamics out = {s->Ms, s->f, s->Gs, s->zdot, s->gamma, s->g, s->gt};
    m->dynamics(s->c, &x, &out, s->w);
    memset(s->A, 0, sizeof(double)*(size_t)(n*n));
    memset(s->M, 0, sizeof(double)*(size_t)(nq*nq));
    memset(s->G, 0, sizeof(double)*(size_t)(s->rows*nq));
    for (int j = 0; j < nq; j++) {
        for (int k = m->M.colptr[j]; k < m->M.colptr[j + 1]; k++) {
            int i = m->M.rowidx[k];
            s->M[nq*j + i] = s->M[nq*i + j] = s->A[n*i + j] = s->A[n*j + i] = s->Ms[k];
        }
        for (int k = m->G.colptr[j]; k < m->G.colptr[j + 1]; k++) {
            int i = m->G.rowidx[k];
            s->G[s->rows*j + i] = s->A[n*(nq + i) + j] = s->A[n*j + nq + i] = s->Gs[k];
        }
        s->x[j] = s->f[j];
    }
    for (int i = nq; i < n; i++)
        s->x[i] = -s->gamma[i - nq];
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            best = fabs(s->A[n*i + k]) > fabs(s->A[n*best + k]) ? i : best;
        if (!(fabs(s->A[n*best + k]) > 0))
            return 0;
        for (int j = 0; j < n && best != k; j++) {
            double y = s->A[n*k + j];
            s->A[n*k + j] = s->A[n*best + j], s->A[n*best + j] = y;
        }
        double y = s->x[k];
        s->x[k] = s->x[best], s->x[best] = y;
        for (int i = k + 1; i < n; i++) {
            double l = s->A[n*i + k]/s->A[n*k + k];
            for (int j = k; j < n; j++)
                s->A[n*i + j] -= l*s->A[n*k + j];
            s->x[i] -= l*s->x[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++)
            s->x[i] -= s->A[n*i + j]*s->x[j];
        s->x[i] /= s->A[n*i + i];
    }
    return 1;
}

__attribute__((unused)) static void generated_energy(struct generated *s, double t, double energy[2])
{
    struct mbs_state x = {.t = t, .q = s->q, .v = s->v, .z = s->z, .u = s->u};
    s->m->energy(s->c, &x, energy, s->w);
}

/* A number in (-1, 1); the same sequence on every machine. */
__attribute__((unused)) static double random_unit(void)
{
    static unsigned long long r = 88172645463325252ull;
    r ^= r << 13, r ^= r >> 7, r ^= r << 17;
    return (double)(r >> 11) / 4503599627370496.0 - 1;
}

__attribute__((unused)) static void set(double *a, int n, const double *b)
{
    memcpy(a, b, sizeof(double)*(size_t)n);
}
#endif
