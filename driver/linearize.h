/* SPDX-License-Identifier: GPL-3.0-or-later
 * What `mbs linearize` and its formats share: one linearisation with names. */
#ifndef DRIVER_LINEARIZE_H
#define DRIVER_LINEARIZE_H
#include "mbs/mbs.h"

#include <stdbool.h>
#include <stdio.h>

struct linear_matrix {
    const char *name;           /* A, B, C, D, and K if the frame moves; of the descriptor form E, A, B */
    int rows, cols;
    const double *at;           /* row-major */
    char *const *row, *const *col;      /* names */
};
struct linear_point {
    const struct mbs_model *model;
    double t;
    enum mbs_motion motion;
    int nx;
    char **state, **rate;       /* "phi", "phi'", "z"; and with a dot of time more: "phi'", "phi''", "z'" */
    char **input, **output;
    const double *value;        /* of the states */
    const double *x_rate;
    const int *cyclic;          /* NULL in the descriptor form */
    int restless;
    int timed, by_symmetry;     /* see struct mbs_linearization */
    struct linear_matrix matrix[5];
    int matrices;
};

struct linear_format {
    const char *suffix;         /* ".json" */
    bool several;               /* points in one file */
    void (*begin)(FILE *);      /* may be NULL, as end */
    void (*write)(FILE *, const struct linear_point *, int number);
    void (*end)(FILE *);
};
/* By the ending of a file's name; text where there is no file (NULL, "-"); NULL if there is no such format. */
const struct linear_format *linear_format(const char *path);
void linear_formats(char *out, size_t size, bool several);      /* ".json, .csv, ...", all or those of several points */
#endif
