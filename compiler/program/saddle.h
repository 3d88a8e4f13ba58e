/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Straight-line programs that solve [M G'; G 0] for small models.
 *
 * M = L D L' and G M^-1 G' = S = N E N' are factored symbolically, in an order of small fill.  The
 * programs are tapes whose symbols are entries of the arrays M, G, l and x, see rows.h.
 */
#ifndef PROGRAM_SADDLE_H
#define PROGRAM_SADDLE_H
#include "derive/equations.h"
#include "program/rows.h"

struct saddle_pivot {
    int row;            /* of the factor tape: the pivot */
    int diagonal;       /* the diagonal entry before elimination; == row if nothing was subtracted */
    int number;         /* 1 + coordinate, or 1 + nq + constraint */
};

struct saddle {
    struct tape *factor, *solve;
    struct saddle_pivot *pivot;
    int pivots;
    int nl;
};

/* NULL if the model is too large for straight-line code or M is structurally singular. */
struct saddle *saddle_new(const struct equations *);
void saddle_free(struct saddle *);
#endif
