/* SPDX-License-Identifier: GPL-3.0-or-later
 * End states to measure against, and figures of other solvers. */
#ifndef DRIVER_REFERENCE_H
#define DRIVER_REFERENCE_H
#include "trial.h"

#include <stdbool.h>

enum { REFERENCE_MAX = 64 };
struct reference {
    int n;                      /* q, v, a, lambda */
    int first, last;            /* components that count for scd: the first .. and the last .. */
    char name[REFERENCE_MAX][24], printed[REFERENCE_MAX][40];   /* printed: as published, "-": not */
    double published[REFERENCE_MAX], exact[REFERENCE_MAX];
};
/* From tests/data/NAME. */
bool reference_read(struct reference *, const char *name, int first, int last);
double reference_scd(const struct reference *, const double *values, const double *y);
/* values: reference->exact or ->published; scale: atol/rtol. */
double reference_mescd(const struct reference *, const double *values, const double *y, double scale);
/* -log10 of the largest |error| / (1 + |reference|) of the first n components. */
double reference_digits(const struct reference *, const double *y, int n);

/* A run of another solver, from tests/data/peers.txt ("elsewhere") or the test set's tables ("published"). */
struct peer {
    char problem[16], solver[24];
    double tol, scd, mescd, cpu;        /* s */
    double steps, accepted, f, jac, lu;
};
/* n of them; to be freed. */
struct peer *peers_read(const char *name, int *n);
#endif
