/* SPDX-License-Identifier: GPL-3.0-or-later
 * What the values of a model are made of, for the dependencies that an FMU declares. */
#ifndef DRIVER_FMU_DEPEND_H
#define DRIVER_FMU_DEPEND_H
#include "base/arena.h"
#include "mbs/model.h"

#include <stdbool.h>
#include <stdint.h>

/* A set of symbols, bit by bit: time, q, v, a, lambda, z, u, parameters. */
typedef uint64_t *depend_set;

struct fmu_depends {
    bool known;                 /* else nothing is, and everything may depend on everything */
    int words, symbols;
    int t, q, v, a, lambda, z, u, p;    /* the first symbol of each kind */
    int n, m;                   /* coordinates, multipliers */
    /* rows of sets; in r, ga, gv, g as the equations have it, in all others accelerations and multipliers are resolved */
    depend_set r, ga, gv, g;
    depend_set solution;        /* n + m: a and lambda as solutions of r = 0, ga = 0 */
    depend_set zdot, y, guard;
    depend_set y_direct;        /* outputs by accelerations and multipliers as well */
    depend_set start;           /* q, v, z at the start: of parameters and time */
    depend_set param;           /* of each parameter: itself, or those that it follows from */
    depend_set ru;              /* entries of dr/du */
};

/* The model as tapes (design 0017), its text as mbsc --tapes writes it; NULL: there is none.  follows: which parameters follow from others. */
void fmu_depends_init(struct fmu_depends *, struct arena *, const char *tapes, size_t length, const unsigned char *follows);
/* Row i of sets. */
static inline depend_set depend_row(const struct fmu_depends *d, depend_set sets, int i) { return sets + (size_t)i * (size_t)d->words; }
static inline bool depend_has(const uint64_t *set, int symbol) { return set[symbol / 64] >> symbol % 64 & 1; }
/* `to` gets what `set` is made of when the states are those of the start: parameters, inputs, time. */
void depend_at_start(const struct fmu_depends *, const uint64_t *set, depend_set to);
#endif
