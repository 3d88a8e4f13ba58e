/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Differences between two computations of the same quantities, entry by entry.
 *
 * A difference is measured against the entry's scale: the largest magnitude that the entry, or one of the
 * terms it is a sum of, takes over the states of one regime (see sample.h).  So an entry that is a small
 * difference of large terms is not blamed for their rounding, and a small entry is not hidden by a large
 * one beside it.
 */
#ifndef DRIVER_TALLY_H
#define DRIVER_TALLY_H
#include "mbs/model.h"

#include <stdbool.h>
#include <stdio.h>

struct entry_record {           /* one entry in one regime */
    double scale, difference;
    double a, b;                /* the values where the difference is largest */
};
struct quantity {
    const char *name;
    const struct mbs_name *row, *col;   /* col NULL: a vector; row NULL: entries are named by number */
    int rows, cols;                     /* cols is 1 for a vector */
    bool lower;                         /* only the lower triangle counts */
    double tolerance;                   /* 0: the tally's */
    struct entry_record *record;        /* regime * rows * cols + entry */
    long states;
    /* filled by tally_finish */
    double absolute, relative;
    int worst, worst_regime, beyond;    /* entry, regime, number of entries beyond the tolerance */
};
struct tally {
    struct quantity *at;
    int n, cap;
    double tolerance;
    const char *a, *b;                  /* whose values they are: "generated", "hand" */
};

struct quantity *tally_add(struct tally *, const char *name, int rows, const struct mbs_name *row, int cols,
                           const struct mbs_name *col);     /* the pointer is valid until the next one */
void tally_take(struct quantity *, int regime, const double *a, const double *b);  /* dense, by columns */
void tally_scale(struct quantity *, int regime, int entry, double magnitude);
bool tally_finish(struct tally *);      /* true if all is within the tolerance */
void tally_print(const struct tally *, FILE *);
void tally_json(const struct tally *, FILE *);     /* the array of quantities */
void tally_fini(struct tally *);
void entry_name(const struct quantity *, int entry, char *out, size_t size);
#endif
