/* SPDX-License-Identifier: MIT
 *
 * KLU: ordering once, pivots once, then refactorisation on the same pattern while the pivots stay good (Davis &
 * Palamadai Natarajan, ACM TOMS 37, 2010). */
#include "config.h"
#include "linalg/sparse.h"

#include <math.h>
#include <stdlib.h>

#ifdef HAVE_KLU
#include <klu.h>

struct mbs_sparse {
    int n, cx;
    int *colptr, *rowidx;
    double *scaled, *cs;        /* values with columns scaled to largest entry about 1; KLU scales the rows */
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
};

int mbs_sparse_available(void)
{
    return 1;
}

struct mbs_sparse *mbs_sparse_new(int n, int *colptr, int *rowidx, int cx)
{
    struct mbs_sparse *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    s->n = n;
    s->cx = cx;
    s->colptr = colptr;
    s->rowidx = rowidx;
    klu_defaults(&s->common);
    s->common.halt_if_singular = 0;
    s->scaled = calloc((size_t)colptr[n] * (cx ? 2 : 1) + 1, sizeof *s->scaled);
    s->cs = calloc((size_t)n + 1, sizeof *s->cs);
    s->symbolic = s->scaled && s->cs ? klu_analyze(n, colptr, rowidx, &s->common) : NULL;
    if (!s->symbolic) {
        mbs_sparse_free(s);
        return NULL;
    }
    return s;
}

void mbs_sparse_free(struct mbs_sparse *s)
{
    if (!s)
        return;
    if (s->numeric)
        (s->cx ? klu_z_free_numeric : klu_free_numeric)(&s->numeric, &s->common);
    if (s->symbolic)
        klu_free_symbolic(&s->symbolic, &s->common);
    free(s->scaled);
    free(s->cs);
    free(s);
}

/* Powers of two, so that nothing is rounded.  Returns 0 if a value is not finite. */
static int sparse_scale(struct mbs_sparse *s, const double *val)
{
    int w = s->cx ? 2 : 1;

    for (int j = 0; j < s->n; j++) {
        double big = 0;
        int ex;
        for (int k = w * s->colptr[j]; k < w * s->colptr[j + 1]; k++) {
            if (!isfinite(val[k]))
                return 0;
            big = fmax(big, fabs(val[k]));
        }
        frexp(big, &ex);
        s->cs[j] = big > 0 ? ldexp(1, -ex) : 1;
        for (int k = w * s->colptr[j]; k < w * s->colptr[j + 1]; k++)
            s->scaled[k] = val[k] * s->cs[j];
    }
    return 1;
}

static double sparse_rcond(struct mbs_sparse *s)
{
    int good = s->cx ? klu_z_rcond(s->symbolic, s->numeric, &s->common) : klu_rcond(s->symbolic, s->numeric, &s->common);

    return good && s->common.status != KLU_SINGULAR ? s->common.rcond : 0;
}

double mbs_sparse_factor(struct mbs_sparse *s, const double *val)
{
    double *v = s->scaled;

    if (!sparse_scale(s, val))
        return NAN;
    if (s->numeric) {
        int good = (s->cx ? klu_z_refactor : klu_refactor)(s->colptr, s->rowidx, v, s->symbolic, s->numeric, &s->common);
        double r = good ? sparse_rcond(s) : 0;
        if (r > 1e-12)
            return 1;
        (s->cx ? klu_z_free_numeric : klu_free_numeric)(&s->numeric, &s->common);
    }
    s->numeric = (s->cx ? klu_z_factor : klu_factor)(s->colptr, s->rowidx, v, s->symbolic, &s->common);
    return s->numeric ? sparse_rcond(s) : 0;
}

void mbs_sparse_solve(struct mbs_sparse *s, double *x)
{
    if (s->cx)
        klu_z_solve(s->symbolic, s->numeric, s->n, 1, x, &s->common);
    else
        klu_solve(s->symbolic, s->numeric, s->n, 1, x, &s->common);
    for (int j = 0, w = s->cx ? 2 : 1; j < w * s->n; j++)
        x[j] *= s->cs[j / w];
}

/* With the columns scaled, A' = S^-1 (A S)'. */
void mbs_sparse_solve_t(struct mbs_sparse *s, double *x)
{
    for (int j = 0; j < s->n; j++)
        x[j] *= s->cs[j];
    klu_tsolve(s->symbolic, s->numeric, s->n, 1, x, &s->common);
}

#else

struct mbs_sparse {
    int n;
};

int mbs_sparse_available(void)
{
    return 0;
}
struct mbs_sparse *mbs_sparse_new(int n, int *colptr, int *rowidx, int cx)
{
    (void)n, (void)colptr, (void)rowidx, (void)cx;
    return NULL;
}
void mbs_sparse_free(struct mbs_sparse *s)
{
    (void)s;
}
double mbs_sparse_factor(struct mbs_sparse *s, const double *val)
{
    (void)s, (void)val;
    return 0;
}
void mbs_sparse_solve(struct mbs_sparse *s, double *x)
{
    (void)s, (void)x;
}
void mbs_sparse_solve_t(struct mbs_sparse *s, double *x)
{
    (void)s, (void)x;
}
#endif
