/* SPDX-License-Identifier: MIT
 *
 * Fixed points x = F(x) of a few unknowns that are not negative, by Broyden's good method (Math. Comp. 19, 1965): H is the inverse Jacobian of
 * f(x) = F(x) - x and begins as -1, so that the first step is that of successive substitution. */
#include "hybrid/hybrid.h"

#include <math.h>
#include <string.h>

void mbs_broyden_layout(struct mbs_broyden *b, int n, struct mbs_work *w)
{
    size_t size = (size_t)n;

    b->n = n;
    b->x = mbs_work_doubles(w, size);
    b->f = mbs_work_doubles(w, size);
    b->dx = mbs_work_doubles(w, size);
    b->df = mbs_work_doubles(w, size);
    b->row = mbs_work_doubles(w, size);
    b->H = mbs_work_doubles(w, size * size);
}

void mbs_broyden_begin(struct mbs_broyden *b)
{
    b->steps = 0;
    memset(b->H, 0, (size_t)(b->n * b->n) * sizeof *b->H);
    for (int i = 0; i < b->n; i++)
        b->H[i * b->n + i] = -1;
}

/* H += (dx - H df) dx'H / (dx'H df) */
static void learn(struct mbs_broyden *b)
{
    int n = b->n;
    double along = 0;

    for (int j = 0; j < n; j++) {
        b->row[j] = 0;
        for (int i = 0; i < n; i++)
            b->row[j] += b->dx[i] * b->H[i * n + j];
        along += b->row[j] * b->df[j];
    }
    if (!(fabs(along) > 1e-300))
        return;
    for (int i = 0; i < n; i++) {
        double miss = b->dx[i];
        for (int j = 0; j < n; j++)
            miss -= b->H[i * n + j] * b->df[j];
        b->dx[i] = miss / along;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            b->H[i * n + j] += b->dx[i] * b->row[j];
}

int mbs_broyden_step(struct mbs_broyden *b, const double *F, double tol)
{
    int n = b->n;
    double miss = 0, size = 0;

    for (int i = 0; i < n; i++) {
        double f = F[i] - b->x[i];
        b->df[i] = f - b->f[i];
        b->f[i] = f;
        miss = fmax(miss, fabs(f));
        size = fmax(size, fabs(F[i]));
    }
    if (miss <= tol * size)
        return 1;
    if (b->steps++ > 0)
        learn(b);
    for (int i = 0; i < n; i++) {
        double to = b->x[i];
        for (int j = 0; j < n; j++)
            to -= b->H[i * n + j] * b->f[j];
        to = to > 0 ? to : 0;
        b->dx[i] = to - b->x[i];
        b->x[i] = to;
    }
    return 0;
}
