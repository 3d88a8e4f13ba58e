/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the tests of hand-written equations share: loading a file of models/hand by the convention
 * of its README.md, numerical differentiation, and the saddle-point solve.  Differences are central
 * and of order 8: with step H the truncation error is H^8/630 times the ninth derivative. */
#ifndef TESTS_HAND_H
#define TESTS_HAND_H
#include "../tap.h"
#include <dlfcn.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef void hand_q(const double *t, const double *q, const double *p, double *out);
typedef void hand_qv(const double *t, const double *q, const double *v, const double *p, double *out);
typedef void hand_everything(const double *t, const double *q, const double *v, const double *p, double *M, double *f,
                             double *g, double *G, double *gamma);

struct hand {
    void *handle;
    hand_q *mass, *constraint, *constraint_jacobian, *constraint_rate;
    hand_qv *force, *constraint_acceleration;
    hand_everything *all;
};

extern char **environ;

static void *hand_symbol(void *handle, const char *name)
{
    char fortran[64];
    void *s = dlsym(handle, name);
    if (s)
        return s;
    snprintf(fortran, sizeof fortran, "%s_", name);
    return dlsym(handle, fortran);
}

/* Compiles $top_srcdir/models/hand/FILE with up to two more options (or NULL) and loads it. */
__attribute__((unused)) static int hand_load(struct hand *h, const char *compiler, const char *file, const char *o1,
                                             const char *o2)
{
    const char *top = getenv("top_srcdir");
    char source[4096], library[64] = "/tmp/mbs-hand-XXXXXX";
    int fd = mkstemp(library), status = -1;
    pid_t pid;
    memset(h, 0, sizeof *h);
    if (fd < 0)
        return -1;
    close(fd);
    snprintf(source, sizeof source, "%s/models/hand/%s", top ? top : ".", file);
    const char *argv[] = {compiler, "-O2", "-fPIC", "-shared", "-o", library, source, "-lm", o1, o1 ? o2 : NULL, NULL};
    if (posix_spawnp(&pid, compiler, NULL, NULL, (char **)argv, environ) == 0)
        waitpid(pid, &status, 0);
    if (status == 0)
        h->handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    unlink(library);
    if (!h->handle)
        return -1;
    h->mass = (hand_q *)hand_symbol(h->handle, "hand_mass");
    h->force = (hand_qv *)hand_symbol(h->handle, "hand_force");
    h->constraint = (hand_q *)hand_symbol(h->handle, "hand_constraint");
    h->constraint_jacobian = (hand_q *)hand_symbol(h->handle, "hand_constraint_jacobian");
    h->constraint_rate = (hand_q *)hand_symbol(h->handle, "hand_constraint_rate");
    h->constraint_acceleration = (hand_qv *)hand_symbol(h->handle, "hand_constraint_acceleration");
    h->all = (hand_everything *)hand_symbol(h->handle, "hand_all");
    return 0;
}

/* The C compiler of the build, first word of $CC. */
__attribute__((unused)) static const char *hand_cc(void)
{
    static char word[256];
    const char *cc = getenv("CC");
    if (!cc || sscanf(cc, "%255s", word) != 1)
        strcpy(word, "cc");
    return word;
}

/* Derivative at 0 of eight samples y[k] = F(x_k), x_k = H*diff_at[k]. */
static const int diff_at[8] = {-4, -3, -2, -1, 1, 2, 3, 4};
static const long double diff_weight[8] = {1 / 280.0L, -4 / 105.0L, 1 / 5.0L, -4 / 5.0L,
                                           4 / 5.0L, -1 / 5.0L, 4 / 105.0L, -1 / 280.0L};

/* A number in (-1, 1); the same sequence on every machine. */
__attribute__((unused)) static double random_unit(void)
{
    static unsigned long long s = 88172645463325252ull;
    s ^= s << 13, s ^= s >> 7, s ^= s << 17;
    return (double)(s >> 11) / 4503599627370496.0 - 1;
}

/* [M G'; G 0] [a; lambda] = [f; -gamma] for M given by its lower triangle, both column by column. */
__attribute__((unused)) static void saddle_solve(int nq, int ng, const double *M, const double *G, const double *f,
                                                 const double *gamma, double *x)
{
    int n = nq + ng, sign;
    gsl_matrix *A = gsl_matrix_calloc(n, n), *LU = gsl_matrix_alloc(n, n);
    gsl_vector *b = gsl_vector_calloc(n), *r = gsl_vector_alloc(n);
    gsl_vector_view v = gsl_vector_view_array(x, n);
    gsl_permutation *perm = gsl_permutation_alloc(n);
    for (int j = 0; j < nq; j++) {
        for (int i = j; i < nq; i++) {
            gsl_matrix_set(A, i, j, M[j*nq + i]);
            gsl_matrix_set(A, j, i, M[j*nq + i]);
        }
        for (int i = 0; i < ng; i++) {
            gsl_matrix_set(A, nq + i, j, G[j*ng + i]);
            gsl_matrix_set(A, j, nq + i, G[j*ng + i]);
        }
        gsl_vector_set(b, j, f[j]);
    }
    for (int i = 0; i < ng; i++)
        gsl_vector_set(b, nq + i, -gamma[i]);
    gsl_matrix_memcpy(LU, A);
    gsl_linalg_LU_decomp(LU, perm, &sign);
    gsl_linalg_LU_solve(LU, perm, b, &v.vector);
    gsl_linalg_LU_refine(A, LU, perm, b, &v.vector, r);
    gsl_matrix_free(A), gsl_matrix_free(LU), gsl_vector_free(b), gsl_vector_free(r), gsl_permutation_free(perm);
}

/* Largest |a - b| over n entries. */
__attribute__((unused)) static double largest_difference(int n, const double *a, const double *b)
{
    double worst = 0;
    for (int i = 0; i < n; i++)
        if (!(fabs(a[i] - b[i]) <= worst))
            worst = fabs(a[i] - b[i]);
    return worst;
}

/* G against differences of g; gamma against differences of G v along v, for constraints whose
 * dependence on time is linear and separate. */
__attribute__((unused)) static void check_constraints(const struct hand *h, int nq, int ng, double H, double t,
                                                      const double *q, const double *v, double *worst_G,
                                                      double *worst_gamma)
{
    double G[64] = {0}, gamma[8] = {0}, x[8], g[8], gdot[8] = {0};
    h->constraint_jacobian(&t, q, NULL, G);
    h->constraint_acceleration(&t, q, v, NULL, gamma);
    for (int j = 0; j < nq; j++) {
        double dg[8] = {0};
        for (int k = 0; k < 8; k++) {
            memcpy(x, q, nq * sizeof *x);
            x[j] += H*diff_at[k];
            memset(g, 0, sizeof g);
            h->constraint(&t, x, NULL, g);
            for (int i = 0; i < ng; i++)
                dg[i] += (double)diff_weight[k]*g[i]/H;
        }
        *worst_G = fmax(*worst_G, largest_difference(ng, G + j*ng, dg));
    }
    for (int k = 0; k < 8; k++) {
        double s = H*diff_at[k];
        for (int j = 0; j < nq; j++)
            x[j] = q[j] + s*v[j];
        memset(G, 0, sizeof G);
        h->constraint_jacobian(&t, x, NULL, G);
        for (int i = 0; i < ng; i++)
            for (int j = 0; j < nq; j++)
                gdot[i] += (double)diff_weight[k]*G[j*ng + i]*v[j]/H;
    }
    *worst_gamma = fmax(*worst_gamma, largest_difference(ng, gamma, gdot));
}

/* hand_all against the single functions: largest difference, relative for entries above 1. */
__attribute__((unused)) static double check_all(const struct hand *h, int nq, int ng, double t, const double *q,
                                                const double *v)
{
    double M[64] = {0}, f[8] = {0}, g[8] = {0}, G[64] = {0}, gamma[8] = {0};
    double M1[64] = {0}, f1[8] = {0}, g1[8] = {0}, G1[64] = {0}, gamma1[8] = {0}, worst = 0;
    h->all(&t, q, v, NULL, M, f, g, G, gamma);
    h->mass(&t, q, NULL, M1);
    h->force(&t, q, v, NULL, f1);
    h->constraint(&t, q, NULL, g1);
    h->constraint_jacobian(&t, q, NULL, G1);
    h->constraint_acceleration(&t, q, v, NULL, gamma1);
    for (int i = 0; i < nq; i++)
        worst = fmax(worst, fabs(f[i] - f1[i])/fmax(1, fabs(f1[i])));
    for (int i = 0; i < ng; i++)
        worst = fmax(worst, fabs(gamma[i] - gamma1[i])/fmax(1, fabs(gamma1[i])));
    worst = fmax(worst, largest_difference(nq*nq, M, M1));
    worst = fmax(worst, largest_difference(ng, g, g1));
    return fmax(worst, largest_difference(ng*nq, G, G1));
}
#endif
