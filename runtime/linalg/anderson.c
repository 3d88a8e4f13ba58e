/* SPDX-License-Identifier: MIT
 *
 * Anderson acceleration with a window of a few steps. */
#include "linalg/anderson.h"
#include "mbs/mbs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = MBS_ANDERSON_WINDOW, PATIENCE = 7 };
static const double RIDGE = 1e-12;      /* of the largest square: steps that repeat others count for nothing */

void mbs_anderson_forget(struct mbs_anderson *a)
{
    a->kept = a->next = a->begun = a->leapt = a->walk = a->wait = 0;
}

int mbs_anderson_begin(struct mbs_anderson *a, int n)
{
    mbs_anderson_forget(a);
    a->n = n;
    if (n <= a->room)
        return 0;
    free(a->g);
    a->g = malloc((2 + 2 * WINDOW) * (size_t)n * sizeof *a->g);
    a->room = a->g ? n : 0;
    a->f = a->g + n;
    a->dg = a->f + n;
    a->df = a->dg + WINDOW * n;
    return a->g ? 0 : MBS_NO_MEMORY;
}

void mbs_anderson_free(struct mbs_anderson *a)
{
    free(a->g);
    memset(a, 0, sizeof *a);
}

static double product(int n, const double *a, const double *b)
{
    double sum = 0;

    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* The combination of kept steps that comes nearest to f: normal equations by Cholesky.  0: there is none. */
static int nearest(const struct mbs_anderson *a, double *by)
{
    double S[WINDOW][WINDOW], most = 0;
    int k = a->kept;

    for (int i = 0; i < k; i++) {
        by[i] = product(a->n, a->df + i * a->n, a->f);
        for (int j = 0; j <= i; j++)
            S[i][j] = a->product[i][j];
        most = fmax(most, S[i][i]);
    }
    for (int j = 0; j < k; j++)
        for (int i = j; i < k; i++) {
            double sum = S[i][j] + (i == j ? RIDGE * most : 0);
            for (int m = 0; m < j; m++)
                sum -= S[i][m] * S[j][m];
            if (i == j && !(sum > 0))
                return 0;
            S[i][j] = i == j ? sqrt(sum) : sum / S[j][j];
        }
    for (int i = 0; i < k; i++) {
        for (int m = 0; m < i; m++)
            by[i] -= S[i][m] * by[m];
        by[i] /= S[i][i];
    }
    for (int i = k - 1; i >= 0; i--) {
        for (int m = i + 1; m < k; m++)
            by[i] -= S[m][i] * by[m];
        by[i] /= S[i][i];
    }
    return 1;
}

/* |f| of the step from x to g. */
static double residual(const struct mbs_anderson *a, const double *scale, const double *g, const double *x)
{
    double sum = 0;

    for (int i = 0; i < a->n; i++) {
        double f = scale[i] * (g[i] - x[i]);
        sum += f * f;
    }
    return sqrt(sum);
}

/* Keeps the step from x to g, and what changed since the last one. */
static void keep(struct mbs_anderson *a, const double *scale, const double *g, const double *x)
{
    double *dg = a->dg + a->next * a->n, *df = a->df + a->next * a->n;

    for (int i = 0; i < a->n; i++) {
        double f = scale[i] * (g[i] - x[i]);
        if (a->begun) {
            dg[i] = g[i] - a->g[i];
            df[i] = f - a->f[i];
        }
        a->g[i] = g[i];
        a->f[i] = f;
    }
    if (a->begun) {
        a->kept += a->kept < WINDOW;
        for (int i = 0; i < a->kept; i++)
            a->product[i][a->next] = a->product[a->next][i] = product(a->n, a->df + i * a->n, df);
        a->next = (a->next + 1) % WINDOW;
    }
    a->begun = 1;
}

int mbs_anderson_next(struct mbs_anderson *a, const double *scale, const double *g, double *x)
{
    double by[WINDOW], size = residual(a, scale, g, x);

    if (a->leapt && !(size <= a->last)) {       /* the leap has not paid: back to where it began, and on without leaps for a while */
        memcpy(x, a->g, (size_t)a->n * sizeof *x);
        a->kept = a->next = a->begun = a->leapt = 0;
        a->walk = a->wait = a->wait < PATIENCE ? 2 * a->wait + 1 : PATIENCE;
        return 1;
    }
    keep(a, scale, g, x);
    memcpy(x, g, (size_t)a->n * sizeof *x);
    a->leapt = 0;
    a->last = size;
    if (a->walk > 0) {
        a->walk--;
        return 0;
    }
    if (a->kept == 0 || !nearest(a, by))
        return 0;
    for (int k = 0; k < a->kept; k++)
        for (int i = 0; i < a->n; i++)
            x[i] -= by[k] * a->dg[k * a->n + i];
    return a->leapt = 1;
}
