/* SPDX-License-Identifier: GPL-3.0-or-later
 * What code.c and code_text.c know of a row. */
#ifndef EMIT_CODE_ROW_H
#define EMIT_CODE_ROW_H
#include "emit/code.h"

/* How tightly a text binds. */
enum binding { BIND_CHOICE, BIND_OR, BIND_AND, BIND_COMPARE, BIND_SUM, BIND_PRODUCT, BIND_UNARY, BIND_PRIMARY };

struct code_row {
    const char *text;           /* name or expression; NULL before its piece */
    enum binding binding;
    bool named, truth;          /* a local variable; a truth value of C */
    bool early;                 /* a sine or a cosine, or needed for one */
    bool in_angle;              /* needed for an angle of those that are gathered */
    const char *gathered;       /* a sine or a cosine that is computed with others: where it stands */
    int piece;
    int depth;                  /* of what is written in place */
    int reads;                  /* by rows of the pieces at hand */
    int stored;                 /* 1 + the piece in which its outputs were stored last */
    int output;                 /* the first output of this row, the others follow in struct code; -1 */
};

static inline bool code_is_leaf(const struct tape_row *r)
{
    return r->op == TAPE_NUM || r->op == TAPE_SYM || r->op == TAPE_CONST;
}

static inline int code_operands(const struct tape_row *r, int at[4])
{
    const int list[] = { r->a, r->b, r->c, r->d };
    int n = 0;
    for (int k = 0; k < 4 && !code_is_leaf(r); k++)
        if (list[k] >= 0)
            at[n++] = list[k];
    return n;
}

bool code_is_trig(const struct tape_row *);
/* sines.c: the angles whose sines and cosines a piece computes at once. */
struct code_angles {
    const struct tape *tape;
    int n, *row;                /* they are the values of these rows */
    int *number;                /* of a row among them, -1 */
    bool *behind;               /* a sine, or made of one; between pieces all false */
};
struct code_angles code_angles_begin(const struct tape *);
void code_angles_find(struct code_angles *, int piece);
void code_angles_end(struct code_angles *);

/* Set text and binding of row k from its operands. */
void code_text(struct code *, int k);
#endif
