/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The bundle of Newton matrices: random sparse saddle points in all lanes, factored by a searched sequence and by a
 * kept one, against residuals in long double; a sequence that no longer suits, and singular matrices, are reported. */
#include "linalg/bundle.h"
#include "../tap.h"
#include "work.h"

#include <complex.h>
#include <stdlib.h>
#include <string.h>

static double random_unit(void)
{
    static unsigned long long r = 88172645463325252ull;
    r ^= r << 13, r ^= r >> 7, r ^= r << 17;
    return (double)(r >> 11) / 4503599627370496.0 - 1;
}

static char *memory;

static void bundle_new(struct mbs_bundle *b, int n, int L)
{
    struct mbs_work w = {NULL, 0};
    memset(b, 0, sizeof *b);
    mbs_bundle_layout(b, &w, n, 4);
    memory = calloc(1, w.used + 64);
    w = (struct mbs_work){memory + (64 - (size_t)memory % 64) % 64, 0};
    mbs_bundle_layout(b, &w, n, 4);
    mbs_bundle_lanes(b, L);
}

/* The pattern of [H G'; G 0] with a banded H of order 2n/3; entries 1 + random. */
static int wanted(int n, int i, int j)
{
    int k = 2 * n / 3;
    if (i >= k && j >= k)
        return 0;
    if (i < k && j < k)
        return abs(i - j) <= 2;
    return i < k ? i % (n - k) == j - k || i == j - k : j % (n - k) == i - k || j == i - k;
}

static void fill(struct mbs_bundle *b, double *keep)
{
    int n = b->n, S = 4 * b->L;
    mbs_bundle_clear(b);
    memset(keep, 0, (size_t)(n * n * S) * sizeof *keep);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int e = 0; e < S && wanted(n, i, j); e++)
                keep[(i * n + j) * S + e] = b->a[(i * n + j) * S + e] =
                    e == S / 2 ? 0 : random_unit() + (i == j && e < S / 2 ? 3 : 0);
}

/* Largest residual of all lanes over the sum of the absolute values of its terms. */
static double residual(const struct mbs_bundle *b, const double *a, const double *x, const double *rhs)
{
    int n = b->n, L = b->L, S = 4 * L;
    double worst = 0;
    for (int lane = 0; lane < 2 * L; lane++)
        for (int i = 0; i < n; i++) {
            long double complex sum = -(rhs[i * S + lane] + I * (long double)rhs[i * S + 2 * L + lane]);
            long double size = cabsl(sum);
            for (int j = 0; j < n; j++) {
                const double *e = a + (i * n + j) * S;
                long double complex t = (e[lane] + I * (long double)e[2 * L + lane]) *
                                        (x[j * S + lane] + I * (long double)x[j * S + 2 * L + lane]);
                sum += t;
                size += cabsl(t);
            }
            worst = fmax(worst, (double)(cabsl(sum) / size));
        }
    return worst;
}

static void check(int n, int L)
{
    struct mbs_bundle b;
    int S = 4 * L;
    double *keep = calloc((size_t)(n * n * S), sizeof *keep), *x = calloc((size_t)(n * S + 8), sizeof *x),
           *rhs = calloc((size_t)(n * S), sizeof *rhs);
    double *aligned = x + ((64 - (size_t)x % 64) % 64) / sizeof *x, worst[2] = {0, 0}, real = 0;
    int searched = 0, refused = 0;

    bundle_new(&b, n, L);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (wanted(n, i, j))
                mbs_bundle_entry(&b, i, j);
    for (int k = 0; k < 20; k++) {
        int kept = b.ready;
        fill(&b, keep);
        if (kept && mbs_bundle_factor(&b)) {
            refused++;
            kept = 0;
            b.ready = 0;
            mbs_bundle_clear(&b);
            memcpy(b.a, keep, (size_t)(n * n * S) * sizeof *keep);
        }
        if (!kept)
            searched += mbs_bundle_search(&b) == 0;
        for (int i = 0; i < n * S; i++)
            aligned[i] = rhs[i] = random_unit();
        for (int i = 0; i < n; i++)
            aligned[i * S + S / 2] = rhs[i * S + S / 2] = 0;
        mbs_bundle_solve(&b, aligned);
        worst[kept] = fmax(worst[kept], residual(&b, keep, aligned, rhs));
        for (int i = 0; i < n; i++)
            rhs[i] = rhs[i * S];
        mbs_bundle_solve_real(&b, rhs);
        for (int i = 0; i < n; i++)
            real = fmax(real, fabs(rhs[i] - aligned[i * S]) / (1 + fabs(rhs[i])));
    }
    ok(searched == 1 + refused, "order %d, %d lanes: %d sequences", n, 2 * L, searched);
    /* multipliers up to 10 with a searched sequence, up to 1e5 with a kept one */
    ok(worst[0] < 1e-13 && worst[1] < 1e-10, "order %d, %d lanes: residuals %.1e searched, %.1e kept", n, 2 * L,
       worst[0], worst[1]);
    ok(real < 1e-12, "order %d, %d lanes: the real lane alone, %.1e", n, 2 * L, real);

    /* a zero pivot: the first one found must be refused, a new sequence serves */
    fill(&b, keep);
    for (int e = 0; e < S; e++)
        b.a[b.prow[0] + b.pcol[0] + e] = 0;
    ok(mbs_bundle_factor(&b) == 1, "order %d, %d lanes: a vanished pivot is noticed", n, 2 * L);
    /* two equal rows in one lane only */
    fill(&b, keep);
    for (int j = 0; j < n; j++) {
        b.a[((n - 1) * n + j) * S + 1] = b.a[((n - 2) * n + j) * S + 1];
        b.a[((n - 1) * n + j) * S + 2 * L + 1] = b.a[((n - 2) * n + j) * S + 2 * L + 1];
    }
    memset(b.nz, 1, (size_t)(n * n));
    ok(mbs_bundle_search(&b) == 1, "order %d, %d lanes: one singular matrix is noticed", n, 2 * L);
    fill(&b, keep);
    b.a[0] = NAN;
    ok(mbs_bundle_search(&b) == 1, "order %d, %d lanes: NaN is noticed", n, 2 * L);
    free(memory);
    free(keep);
    free(x);
    free(rhs);
}

int main(void)
{
    check(3, 1);
    check(13, 1);
    check(13, 2);
    check(40, 2);
    return tap_done();
}
