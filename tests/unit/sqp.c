/* SPDX-License-Identifier: GPL-3.0-or-later
 * The search of mbs optimize without NLopt: published problems (Hock, Schittkowski, Test Examples for Nonlinear Programming Codes, 1981: 43, 76, 100) to 1e-7 of
 * their least values, as far as steps of 1e-7 and values to 1e-10 lead; and convex quadratic problems with random bounds and planes, where no point on the way from
 * the one found to any other that is allowed may be better: 1e-8 of the values' size. */
#include "config.h"
#include "../tap.h"
#include "study/sqp.h"

#include <stdint.h>
#include <string.h>

#ifdef HAVE_GSL
struct problem {
    int n, conditions;
    double (*value)(int i, const double *x);
    long runs, refused;
};

/* Slopes by differences of fourth order: exact for what is of third degree, here to 1e-12. */
static bool evaluate(void *user, const double *x, double *value, double *slope)
{
    struct problem *p = user;
    double y[8];
    p->runs++;
    if (p->refused && p->runs % p->refused == 0)
        return false;           /* a run that is not possible */
    memcpy(y, x, (size_t)p->n * sizeof *y);
    for (int i = 0; i <= p->conditions; i++) {
        value[i] = p->value(i, x);
        for (int k = 0; k < p->n; k++) {
            double h = 1e-3, f[4], at[] = {-2, -1, 1, 2};
            for (int j = 0; j < 4; j++)
                y[k] = x[k] + at[j] * h, f[j] = p->value(i, y);
            y[k] = x[k];
            slope[i * p->n + k] = (f[0] - 8 * f[1] + 8 * f[2] - f[3]) / (12 * h);
        }
    }
    return true;
}

static double sq(double x) { return x * x; }

static double rosen_suzuki(int i, const double *x)
{
    switch (i) {
    case 0: return sq(x[0]) + sq(x[1]) + 2 * sq(x[2]) + sq(x[3]) - 5 * x[0] - 5 * x[1] - 21 * x[2] + 7 * x[3];
    case 1: return sq(x[0]) + sq(x[1]) + sq(x[2]) + sq(x[3]) + x[0] - x[1] + x[2] - x[3] - 8;
    case 2: return sq(x[0]) + 2 * sq(x[1]) + sq(x[2]) + 2 * sq(x[3]) - x[0] - x[3] - 10;
    default: return 2 * sq(x[0]) + sq(x[1]) + sq(x[2]) + 2 * x[0] - x[1] - x[3] - 5;
    }
}

static double planes(int i, const double *x)
{
    switch (i) {
    case 0: return sq(x[0]) + 0.5 * sq(x[1]) + sq(x[2]) + 0.5 * sq(x[3]) - x[0] * x[2] + x[2] * x[3] - x[0] - 3 * x[1] + x[2] - x[3];
    case 1: return x[0] + 2 * x[1] + x[2] + x[3] - 5;
    case 2: return 3 * x[0] + x[1] + 2 * x[2] - x[3] - 4;
    default: return 1.5 - x[1] - 4 * x[2];
    }
}

static double seven(int i, const double *x)
{
    switch (i) {
    case 0:
        return sq(x[0] - 10) + 5 * sq(x[1] - 12) + pow(x[2], 4) + 3 * sq(x[3] - 11) + 10 * pow(x[4], 6) + 7 * sq(x[5]) + pow(x[6], 4) - 4 * x[5] * x[6] - 10 * x[5] - 8 * x[6];
    case 1: return 2 * sq(x[0]) + 3 * pow(x[1], 4) + x[2] + 4 * sq(x[3]) + 5 * x[4] - 127;
    case 2: return 7 * x[0] + 3 * x[1] + 10 * sq(x[2]) + x[3] - x[4] - 282;
    case 3: return 23 * x[0] + sq(x[1]) + 6 * sq(x[5]) - 8 * x[6] - 196;
    default: return 4 * sq(x[0]) + sq(x[1]) - 3 * x[0] * x[1] + 2 * sq(x[2]) + 5 * x[5] - 11 * x[6];
    }
}

static uint64_t seed = 1;
static double part(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) * 0x1p-53;
}

static int random_n;
static double H[5][5], line[4][5], offset[4];
static double random_value(int i, const double *x)
{
    double sum = i ? -offset[i] : 0;
    for (int k = 0; k < random_n; k++)
        sum += line[i][k] * x[k];
    for (int k = 0; k < random_n && !i; k++) {
        double row = 0;
        for (int j = 0; j < random_n; j++)
            row += H[k][j] * x[j];
        sum += row * row / 2;
    }
    return sum;
}

static void least(const char *name, struct problem p, const double *start, double low, double want)
{
    double x[8], a[8], b[8], value[8];
    for (int k = 0; k < p.n; k++)
        x[k] = start[k], a[k] = low, b[k] = HUGE_VAL;
    struct sqp s = {.n = p.n, .conditions = p.conditions, .low = a, .high = b, .evaluate = evaluate, .user = &p, .most = 500};
    enum sqp_end end = sqp_least(&s, x);
    double off = 0;
    for (int i = 0; i <= p.conditions; i++) {
        value[i] = p.value(i, x);
        off = i ? fmax(off, value[i]) : 0;
    }
    near(value[0], want, 1e-7, name);
    ok(end == SQP_FOUND && off < 1e-6 && p.runs < 120, "%s: keeps its conditions (%g), %ld evaluations", name, off, p.runs);
}

/* No allowed point is better, nor is one on the way to it. */
static bool is_least(const double *x, const double *low, const double *high)
{
    double here = random_value(0, x), y[5];
    for (int turn = 0; turn < 3000; turn++) {
        double way = turn % 3 == 0 ? 1 : turn % 3 == 1 ? 1e-2 : 1e-4;
        bool allowed = true;
        for (int k = 0; k < random_n; k++)
            y[k] = low[k] + (high[k] - low[k]) * fmin(1, fmax(0, 1.4 * part() - 0.2));
        for (int i = 1; i < 4; i++)
            allowed &= random_value(i, y) <= 0;
        for (int k = 0; k < random_n; k++)
            y[k] = x[k] + way * (y[k] - x[k]);
        if (allowed && random_value(0, y) < here - 1e-8 * fmax(1, fabs(here))) {
            printf("# %.12g, and %.12g beside it\n", here, random_value(0, y));
            return false;
        }
    }
    return true;
}

static bool stop(void *user) { return ((struct problem *)user)->runs >= 3; }

int main(void)
{
    const double zero[8] = {0}, half[] = {0.5, 0.5, 0.5, 0.5}, hundred[] = {1, 2, 0, 4, 0, 1, 1};
    least("Rosen and Suzuki (43)", (struct problem){4, 3, rosen_suzuki, 0, 0}, zero, -HUGE_VAL, -44);
    least("43, every fourth run impossible", (struct problem){4, 3, rosen_suzuki, 0, 4}, zero, -HUGE_VAL, -44);
    least("planes (76)", (struct problem){4, 3, planes, 0, 0}, half, 0, -4.681818182);
    least("seven variables (100)", (struct problem){7, 4, seven, 0, 0}, hundred, -HUGE_VAL, 680.6300573);

    int good = 0, kept = 0;
    for (int turn = 0; turn < 300; turn++) {
        double x[5], low[5], high[5], off = 0;
        random_n = 1 + turn % 5;
        for (int k = 0; k < random_n; k++) {
            low[k] = -2 * part(), high[k] = 2 * part(), x[k] = low[k] + (high[k] - low[k]) * part();
            for (int j = 0; j < random_n; j++)
                H[k][j] = 2 * part() - 1 + (j == k);
            for (int i = 0; i < 4; i++)
                line[i][k] = (i ? 1 : 4) * (2 * part() - 1);
        }
        for (int i = 1; i < 4; i++)
            offset[i] = 0.5 * part();           /* 0 is allowed, the start need not be */
        struct problem p = {random_n, 3, random_value, 0, 0};
        struct sqp s = {.n = p.n, .conditions = 3, .low = low, .high = high, .evaluate = evaluate, .user = &p, .most = 300};
        kept += sqp_least(&s, x) == SQP_FOUND;
        for (int i = 1; i < 4; i++)
            off = fmax(off, random_value(i, x));
        good += off < 1e-7 && is_least(x, low, high);
    }
    ok(good == 300, "random quadratic problems: %d of 300 at their least", good);
    ok(kept == 300, "random quadratic problems: %d of 300 ended by themselves", kept);

    double x[4] = {0}, low[4] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, high[4] = {HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL};
    struct problem p = {4, 3, rosen_suzuki, 0, 0};
    struct sqp s = {.n = 4, .conditions = 3, .low = low, .high = high, .evaluate = evaluate, .user = &p, .most = 4};
    ok(sqp_least(&s, x) == SQP_CUT && p.runs == 4, "the limit of evaluations is kept, and said");
    s.most = 500, s.stopped = stop, p.runs = 0;
    ok(sqp_least(&s, x) == SQP_CUT && p.runs < 20, "stopped");
    return tap_done();
}
#else
int main(void)
{
    skip(1, "no GSL");
    return tap_done();
}
#endif
