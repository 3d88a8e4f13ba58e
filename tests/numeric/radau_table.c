/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The coefficients of the Radau IIA methods against what defines them.  All sums are accumulated in long double, so
 * that what remains are the roundings of the tables, 1e-16 times the size of the terms. */
#include "../tap.h"
#include "methods/radau.h"

/* Largest |sum_j b_j c_j^(k-1) - 1/k| of the last row of A for k = 1 .. 2s-1: order 2s-1. */
static double quadrature(const struct radau_table *t)
{
    int s = t->s;
    double worst = 0;

    for (int k = 1; k <= 2 * s - 1; k++) {
        long double sum = 0;
        for (int j = 0; j < s; j++)
            sum += t->A[(s - 1) * s + j] * powl(t->c[j], k - 1);
        worst = fmax(worst, (double)fabsl(sum - 1.0L / k));
    }
    return worst;
}

/* sum_j a_ij c_j^(k-1) = c_i^k / k for k = 1 .. s: collocation. */
static double collocation(const struct radau_table *t)
{
    int s = t->s;
    double worst = 0;

    for (int i = 0; i < s; i++)
        for (int k = 1; k <= s; k++) {
            long double sum = 0;
            for (int j = 0; j < s; j++)
                sum += t->A[i * s + j] * powl(t->c[j], k - 1);
            worst = fmax(worst, (double)fabsl(sum - powl(t->c[i], k) / k));
        }
    return worst;
}

/* Entry (i, j) of the block diagonal form. */
static double block(const struct radau_table *t, int i, int j)
{
    if (i == 0 || j == 0)
        return i == j ? t->gamma : 0;
    if ((i - 1) / 2 != (j - 1) / 2)
        return 0;
    if (i == j)
        return t->alpha[(i - 1) / 2];
    return j > i ? -t->beta[(i - 1) / 2] : t->beta[(i - 1) / 2];
}

/* A T Lambda = T, relative to the sum of the absolute values of the terms; and T^-1 T = 1. */
static double blocks(const struct radau_table *t, double *inverse)
{
    int s = t->s;
    double worst = 0;

    *inverse = 0;
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) {
            long double sum = -(long double)t->T[i * s + j], size = fabsl(sum), one = i == j ? -1 : 0, onesize = 1;
            for (int k = 0; k < s; k++) {
                for (int l = 0; l < s; l++) {
                    long double x = (long double)t->A[i * s + k] * t->T[k * s + l] * block(t, l, j);
                    sum += x;
                    size += fabsl(x);
                }
                one += (long double)t->TI[i * s + k] * t->T[k * s + j];
                onesize += fabsl((long double)t->TI[i * s + k] * t->T[k * s + j]);
            }
            worst = fmax(worst, (double)(fabsl(sum) / size));
            *inverse = fmax(*inverse, (double)(fabsl(one) / onesize));
        }
    return worst;
}

/* T^-1 A^-1 T itself, A^-1 by elimination in long double: the largest departure from the block form over |A^-1|. */
static double structure(const struct radau_table *t)
{
    int s = t->s;
    long double a[7][14] = {{0}}, big = 0;
    double worst = 0;

    for (int i = 0; i < s; i++) {
        for (int j = 0; j < s; j++)
            a[i][j] = t->A[i * s + j];
        a[i][s + i] = 1;
    }
    for (int k = 0; k < s; k++)
        for (int i = 0; i < s; i++) {
            long double f = a[i][k] / a[k][k];
            for (int j = 0; i != k && j < 2 * s; j++)
                a[i][j] -= f * a[k][j];
        }
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) {
            a[i][s + j] /= a[i][i];
            big = fmaxl(big, fabsl(a[i][s + j]));
        }
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) {
            long double sum = -block(t, i, j);
            for (int k = 0; k < s; k++)
                for (int l = 0; l < s; l++)
                    sum += t->TI[i * s + k] * a[k][s + l] * t->T[l * s + j];
            worst = fmax(worst, (double)(fabsl(sum) / big));
        }
    return worst;
}

/* 1/gamma at 0 and d_i/gamma + a_si at c_i integrate t^(k-1) for k <= s, and not for k = s + 1. */
static double estimator(const struct radau_table *t, double *next)
{
    int s = t->s;
    double worst = 0;

    for (int k = 1; k <= s + 1; k++) {
        long double sum = k == 1 ? 1 / (long double)t->gamma : 0;
        for (int j = 0; j < s; j++)
            sum += (t->d[j] / t->gamma + t->A[(s - 1) * s + j]) * powl(t->c[j], k - 1);
        if (k <= s)
            worst = fmax(worst, (double)fabsl(sum - 1.0L / k));
        else
            *next = (double)fabsl(sum - 1.0L / k);
    }
    return worst;
}

static double weights(const struct radau_table *t)
{
    double worst = 0;

    for (int i = 0; i < t->s; i++) {
        long double p = t->w[i];
        for (int k = 0; k < t->s; k++)
            p *= k == i ? 1 : (long double)t->c[i] - t->c[k];
        worst = fmax(worst, (double)fabsl(p - 1));
    }
    return worst;
}

int main(void)
{
    for (int s = 3; s <= 7; s += 2) {
        const struct radau_table *t = mbs_radau_table(s);
        double inverse, next = 0, e, b;
        ok(t && t->s == s && t->c[s - 1] == 1, "%d stages, the last at the end of the step", s);
        e = quadrature(t);
        ok(e < 1e-15, "%d stages: order %d of the quadrature (%.1e)", s, 2 * s - 1, e);
        e = collocation(t);
        ok(e < 1e-15, "%d stages: collocation (%.1e)", s, e);
        b = blocks(t, &inverse);
        ok(b < 1e-15 && inverse < 1e-15, "%d stages: A T Lambda = T (%.1e), T^-1 T = 1 (%.1e)", s, b, inverse);
        e = structure(t);
        ok(e < 1e-14, "%d stages: T^-1 A^-1 T is block diagonal to %.1e of |A^-1|", s, e);
        e = estimator(t, &next);
        ok(e < 2e-15 && next > 1e-7, "%d stages: the estimator has order %d (%.1e, next %.1e)", s, s, e, next);
        ok(weights(t) < 1e-14, "%d stages: barycentric weights", s);
    }
    /* the classical method in closed form: HW table 5.6 and (8.19) */
    const struct radau_table *t = mbs_radau_table(3);
    near(t->c[0], (4 - sqrt(6)) / 10, 1e-16, "c1 of order 5");
    near(t->A[0], (88 - 7 * sqrt(6)) / 360, 1e-16, "a11 of order 5");
    near(1 / t->gamma, (6 + cbrt(81) - cbrt(9)) / 30, 1e-15, "1/gamma of order 5");
    ok(mbs_radau_table(4) == NULL, "no table of four stages");
    return tap_done();
}
