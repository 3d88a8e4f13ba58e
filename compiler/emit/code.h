/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a tape to the statements of C functions.
 *
 * A row that is used once is written in place, within the expression that uses it; a row that is used
 * more often, or whose text has become long, gets a name.  Parentheses are put only where C would
 * associate otherwise than the tape does.  Negations are moved into the sum or product they stand before
 * where that saves one; rounding is symmetric, so the number stays the same.  Symbols and constants are
 * read in place: as memory operands they cost nothing, as variables they would crowd out the others.
 */
#ifndef EMIT_CODE_H
#define EMIT_CODE_H
#include "emit/cwriter.h"
#include "program/saddle.h"
#include "tape/tape.h"

enum { LONG_TAPE = 600 };               /* rows; from here on coordinates are read by their numbers, names would be a fifth of the text */
enum { CODE_KINDS = SYM_KINDS + 8 };    /* kinds of symbols: the model's and those of the solver */

/* How symbols of a kind are read: array[index], where the index is a name (an enumeration constant of the
 * file) or a number; the array is set to `source` at the beginning, or is an argument (NULL).  With
 * `local`, entries are copied to variables of these names first: the array is written as well. */
struct code_symbols {
    const char *array, *source;
    const char *const *index, *const *local;
    bool in_w;                  /* the source is a part of the workspace, not of the state */
};

/* An array that the function writes: the local pointer and what it is set to (NULL: it is an argument).  With `member`,
 * a struct whose members have these names; with `index`, entries are counted by these; with `entry`, a comment beside each
 * store.  `guard`: the condition under which its section is computed; NULL: the source. */
struct code_array {
    const char *local, *source, *guard;
    const char *const *member, *const *index, *const *entry;
    bool in_w;
};

struct code {
    struct cwriter *out;
    struct arena *arena;
    const struct c_scope *file;             /* identifiers that locals must not repeat */
    const struct tape *tape;
    struct code_symbols symbols[CODE_KINDS];
    const char *lanes;                      /* type of numbers that are several at once; NULL: double */
    const char *scalar;                     /* type of numbers, and K() makes one of a double; NULL: double */
    const char *state;                      /* type of the state */
    const char *time;                       /* name of the local variable */
    const char *c_name, *s_name, *out_name, *w_name;    /* arguments of the function */
    const char *const *constant;            /* names that index c */
    bool gathers_sines;                     /* see sines.c */
    bool in_order;                          /* outputs are stored as their array has them, else as soon as they are known */
    const struct code_array *array;         /* by tape_output.array */
    int arrays;
    const char *(*call)(void *user, int fn);    /* how a pool function is called, up to its first argument */
    void *user;
    void *statements;                       /* for code_function's `before` and `after` */
    const struct saddle *pivots;            /* of a factorisation: checked as soon as they are known; or NULL */
    /* set by code_begin */
    struct code_row *row;
    struct code_angles *angles;             /* if it gathers sines */
    int *next_output;                       /* of the same row, -1 */
    bool *filled;                           /* outputs that a loop has set to zero */
    struct c_scope scope;
    int temps;
    bool uses_c, uses_s, uses_out, uses_w;
};

void code_begin(struct code *);
/* All statements of a tape that is not cut, indented as the writer stands. */
void code_body(struct code *);
void code_end(struct code *);

/* The beginning of such a function, up to its first statement. */
void code_head(struct code *, const char *name, const char *out_type);
/* Each piece of the tape as a function of its own, name_1, name_2, ...; and a call of one. */
void code_pieces(struct code *, const char *name, const char *out_type);
void code_call_piece(struct code *, const char *name, int piece);
/* A whole function of the ABI: static void name(c, s, out, w), in several parts if the tape is cut.  `before` (if it is not
 * cut) and `after` write statements at its beginning and at its end, and set what they use. */
void code_function(struct code *, const char *name, const char *out_type, void (*before)(struct code *), void (*after)(struct code *));
#endif
