/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See measure.h. */
#include "measure.h"
#include "problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 30 };
static const double ENOUGH = 0.05;      /* seconds for all runs of a tolerance */

static void measure(const char *method, const char *tolerance, measured_run *run, int runs)
{
    struct measured end;
    double least = INFINITY, spent = 0;

    for (int i = 0; i < runs && (i == 0 || spent < ENOUGH); i++) {
        double begin = problem_cpu_seconds(), took;
        problem_count_reset();
        memset(&end, 0, sizeof end);
        run(method, strtod(tolerance, NULL), &end);
        took = problem_cpu_seconds() - begin;
        least = fmin(least, took);
        spent += took;
        if (end.failure[0])
            break;
    }
    if (!end.f) {
        end.f = problem_count_f();
        end.jac = problem_count_jacobian();
    }
    if (end.failure[0])
        printf("%s,,,%ld,%ld,%ld,failed: %s\n", tolerance, end.steps, end.f, end.jac, end.failure);
    else
        printf("%s,%.3f,%.4f,%ld,%ld,%ld,\n", tolerance, problem_scd(end.q, end.v, end.has_lambda ? end.lambda : NULL), 1e3 * least, end.steps,
               end.f, end.jac);
    fflush(stdout);
}

int measure_main(int argc, char **argv, measured_run *run)
{
    int once = argc > 1 && strcmp(argv[1], "-1") == 0;

    argc -= once;
    argv += once;
    if (argc < 6 || !problem_open(argv[1], argv[2], argv[3])) {
        fprintf(stderr, "usage: PROGRAM [-1] START REFERENCE FORM METHOD TOLERANCE...\n");
        return 2;
    }
    for (int i = 5; i < argc; i++)
        measure(argv[4], argv[i], run, once ? 1 : RUNS);
    return 0;
}
