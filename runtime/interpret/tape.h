/* SPDX-License-Identifier: MIT
 * tape.h: a program as the interpreter runs it. */
#ifndef MBS_INTERPRET_TAPE_H
#define MBS_INTERPRET_TAPE_H

#include "interpret/text.h"
#include "mbs/model.h"

#include <stdint.h>

struct mbs_row {
    int op;                     /* enum in tape.c */
    int a, b, c;
};
struct mbs_section {
    int section, begin, end;
};
struct mbs_out {
    int array, index, section, row;
};
struct mbs_tape {
    int rows, sections, outs;
    struct mbs_row *row;
    double *number;
    struct mbs_section *part;
    struct mbs_out *out;
};
struct mbs_spline {
    int n;
    const double *knots;        /* knots, values, second derivatives */
};

/* How much of each a tape may read, for its check; tables by number. */
struct mbs_limits {
    int t, p, q, v, a, lambda, mu, z, u, c;
    const struct mbs_spline *table;
    int tables;
    int arrays;                 /* outputs that the function has ... */
    const int *length;          /* ... and how long they are */
    int whole;                  /* all of them must be written */
};

/* The program called `name`; the reason why not, or NULL. */
const char *mbs_tape_read(struct mbs_tape *, const struct mbs_text *, const char *name, const struct mbs_limits *);
/* c is the block of the constants, p parameters (of setup and defaults only).  w: as many doubles as there are rows.  Arrays that are NULL are not written;
 * a section is run if one of its arrays is there. */
void mbs_tape_run(const struct mbs_tape *, const struct mbs_spline *table, const double *c, const double *p, const struct mbs_state *,
                  double *const *array, double *w);

/* Symbols as bits of a set of `words` words: the first one of each kind.  constant[i*words ...]: what constant i is made of. */
struct mbs_reads {
    int words, t, p, q, v, a, lambda, z, u;
    const uint64_t *constant;
};
/* set[row*words ...]: the symbols that the value of each row is made of, whatever the values are. */
void mbs_tape_depend(const struct mbs_tape *, const struct mbs_reads *, uint64_t *set);
#endif
