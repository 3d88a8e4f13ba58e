/* SPDX-License-Identifier: GPL-3.0-or-later
 * Reading reference end states and figures of other solvers; correct digits. */
#include "config.h"
#include "reference.h"
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool reference_read(struct reference *r, const char *name, int first, int last)
{
    *r = (struct reference){.first = first, .last = last};
    for (struct data d = library_open(NULL, name); library_line(&d);) {
        char exact[64];
        int k = r->n;
        if (k == REFERENCE_MAX || *d.line == '#' || sscanf(d.line, "%23s %39s %63s", r->name[k], r->printed[k], exact) != 3)
            continue;
        r->published[k] = strcmp(r->printed[k], "-") ? strtod(r->printed[k], NULL) : NAN;
        r->exact[k] = strtod(exact, NULL);
        r->n++;
    }
    return r->n > 0;
}

double reference_scd(const struct reference *r, const double *values, const double *y)
{
    double worst = 0;
    for (int i = 0; i < r->n; i++)
        if (i < r->first || i >= r->n - r->last) {
            double e = fabs((y[i] - values[i]) / values[i]);
            worst = isnan(e) ? INFINITY : fmax(worst, e);
        }
    return -log10(worst);
}

double reference_digits(const struct reference *r, const double *y, int n)
{
    struct reference part = *r;
    part.n = n;
    return reference_mescd(&part, part.exact, y, 1);
}

double reference_mescd(const struct reference *r, const double *values, const double *y, double scale)
{
    double worst = 0;
    for (int i = 0; i < r->n; i++) {
        double e = fabs(y[i] - values[i]) / (scale + fabs(values[i]));
        worst = isnan(e) ? INFINITY : fmax(worst, e);
    }
    return -log10(worst);
}

struct peer *peers_read(const char *name, int *n)
{
    struct peer *p = NULL;
    int room = 0;
    *n = 0;
    for (struct data d = library_open(NULL, name); library_line(&d);) {
        struct peer k = {0};
        double us;
        if (*d.line == '#' || sscanf(d.line, "%15s %23s %lf %lf %lf %lf %lf %lf %lf %lf %*f %lf", k.problem, k.solver, &k.tol, &k.scd, &k.mescd,
                                    &k.steps, &k.accepted, &k.f, &k.jac, &k.lu, &us) != 11)
            continue;
        k.cpu = us * 1e-6;
        if (*n == room) {
            struct peer *more = realloc(p, (size_t)(room ? 2 * room : 64) * sizeof *p);
            if (!more)
                continue;
            room = room ? 2 * room : 64;
            p = more;
        }
        p[(*n)++] = k;
    }
    return p;
}
