/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tape: the straight-line program that computes the outputs of one function.
 *
 * tape_build() takes the outputs of a function as expressions and finds a cheap program for all of them
 * together: parameter-only parts become entries of the constant block c, sums are factored, common
 * subexpressions are shared across outputs, angle sums come from their parts.  Rows are in single
 * assignment, operands are earlier rows.  Only the tape introduces temporaries; only the emitter gives
 * them names and decides which ones to write in place.
 *
 * Sections: an output belongs to a section; section 0 is always computed, section k > 0 only on request
 * (a NULL-able output of the ABI).  A row is in section k > 0 if only outputs of section k need it, else
 * in section 0.  Rows are sorted by section.
 *
 * Loops: a section whose rows depend on SYM_LOCAL symbols (seeds) is meant to run many times; what it needs
 * that does not depend on seeds goes to section 0.  Two loop sections have different seeds.
 *
 * Pieces: a long tape is cut into pieces of bounded size, none across a section boundary.  A computed row
 * (not NUM, SYM or CONST, which are loaded where needed) whose value is used in a later piece has a slot
 * in the workspace; slots are reused when their value is dead.
 */
#ifndef TAPE_TAPE_H
#define TAPE_TAPE_H
#include "expr/expr.h"

enum tape_op {
    TAPE_NUM,       /* number: num[a] */
    TAPE_SYM,       /* symbol of kind a with index b; kind TAPE_SHARED: see joint.h */
    TAPE_CONST,     /* c[a] of the constant block */
    TAPE_ADD,       /* a + b */
    TAPE_SUB,
    TAPE_MUL,
    TAPE_DIV,
    TAPE_NEG,       /* -a */
    TAPE_SQRT,
    TAPE_FN,        /* function: expr_op in fn (SIN .. IF, POW; not CALL), operands a, b, c */
    TAPE_CALL,      /* pool function number fn, operands a, b, c, d */
};

enum { TAPE_SHARED = SYM_KINDS };

struct tape_row {
    enum tape_op op;
    int fn;
    int a, b, c, d;     /* earlier rows; -1 where unused */
    int section;
    int uses;           /* as an operand or an output */
    int slot;           /* workspace slot if needed in a later piece, else -1 */
};

struct tape_output {    /* output: array[index] = row */
    Expr value;
    int array, index, section;
    int row;            /* filled by tape_build, as is */
    int piece;          /* where it is stored: the piece of its row, or the first of its section */
};

struct tape_piece {
    int begin, end;     /* rows */
    int section;
};

struct tape_cost {
    int add, mul, div, root, trig, call;    /* trig counts sines and cosines; call the other functions */
};

struct tape {
    struct tape_row *row;
    int rows;
    struct tape_output *out;    /* as given; in the same order */
    int outs;
    double *num;
    int nums;
    struct tape_piece *piece;
    int pieces;
    int slots;
    bool loops;                 /* it has loop sections; then it is always in pieces with slots */
    struct tape_cost cost;
};

/* The constant block: c[0 .. params) are the parameters, the rest what tapes have hoisted, shared by all
 * functions of a model.  Its own program, from the parameters, is built last with tape_build_setup(). */
struct hoist {
    struct pool *pool;
    int params;
    struct { Expr *at; int n, cap; } value;     /* c[params + k] = value[k] */
    Expr *table;                                /* value -> index, open addressing */
    int table_size;
};
void hoist_init(struct hoist *, struct pool *, int params);
void hoist_fini(struct hoist *);

/* A tape of at most rows_per_piece rows is not cut: it has one piece a section, no slots, and is meant to
 * become one C function; a longer one is cut into pieces of a third of that.  rows_per_piece <= 0: never cut.  Without a
 * hoist parameters are symbols. */
struct tape *tape_build(struct pool *, struct hoist *, int n, const struct tape_output *, int rows_per_piece);
/* out[k] = c[params + k]; reads SYM_PARAM symbols only. */
struct tape *tape_build_setup(struct hoist *, int rows_per_piece);
void tape_free(struct tape *);
/* The cost of a list of expressions as a tape, in the unit of one multiplication. */
double tape_cost_total(const struct tape_cost *);
/* "+", "sqrt": of a row that is neither a leaf nor a function; else NULL. */
const char *tape_op_text(enum tape_op);
double expr_cost(struct pool *, int params, int n, const Expr *);
/* The sum over several functions, each with all that it needs, from one run of the optimiser: function k has the values first[k] .. first[k + 1] - 1. */
double expr_costs(struct pool *, int params, int functions, const int *first, const Expr *);
/* Run the tape as it stands (for tests): c, symbols by kind (up to TAPE_SHARED if it reads any), out[k] in the order of the outputs. */
void tape_run(const struct tape *, const struct pool *, const double *c, const double *const val[], double *out);
#endif
