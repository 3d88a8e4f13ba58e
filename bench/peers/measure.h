/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The main program of every peer written in C:
 *
 *     PROGRAM [-1] START REFERENCE FORM METHOD TOLERANCE...
 *
 * prints a line "tolerance,scd,ms,steps,f,jac,remark" for each tolerance; ms is the least processor time of several runs (-1:
 * of one run, for callgrind), set-up included; remark says why a run failed. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

struct measured {
    double q[64], v[64], lambda[64];    /* end state; lambda only if has_lambda */
    int has_lambda;
    long steps, f, jac;                 /* f: evaluations; 0: as problem.c counted them, jac too */
    char failure[160];                  /* empty: the end was reached */
};
/* One integration with METHOD, from set-up to the end. */
typedef void measured_run(const char *method, double tolerance, struct measured *end);

int measure_main(int argc, char **argv, measured_run *run);

#endif
