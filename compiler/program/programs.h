/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * All programs of a generated file, in one list.
 *
 * Whatever the file computes is a program of this list: the functions of the ABI, what they share, the start values, the
 * defaults of parameters, the columns of large matrices, the solver.  Helpers, names, text, dumps, costs and workspace
 * are loops over it, and text is written for its programs only, so that nothing can be forgotten in one of them.
 */
#ifndef PROGRAM_PROGRAMS_H
#define PROGRAM_PROGRAMS_H
#include "derive/columns.h"
#include "derive/equations.h"
#include "program/products.h"
#include "program/saddle.h"
#include "tape/joint.h"

/* In the order of the file: what is called stands before its callers. */
enum program_kind {
    PROGRAM_DEFAULT,    /* parameter `index`, whose default uses others */
    PROGRAM_DEFAULTS,   /* defaults(), which calls these; its tape is empty */
    PROGRAM_SETUP,
    PROGRAM_BODIES,     /* constants of the bodies of rolled code that depend on parameters */
    PROGRAM_LAW,        /* class `index` of the laws of single coordinates of rolled code */
    PROGRAM_JOINT,      /* class `index` of the joints given by functions of their coordinates, of rolled code */
    PROGRAM_STEP,       /* step `index` of the accelerations of rolled code: so many a class */
    PROGRAM_INITIAL,    /* arrays q, v, z, u */
    PROGRAM_POSITION,   /* what several functions share of q and t, see tape/joint.h */
    PROGRAM_PART,       /* quantity `index`, which several functions compute */
    PROGRAM_COLUMNS,    /* matrices by columns, enum column_set `index`: section 1 along q, 2 along v */
    PROGRAM_PRODUCT,    /* y = G x (index 0) and y = G' x (index 1), for a residual by products */
    PROGRAM_FUNCTION,   /* function `index` of the ABI; the residual by products: M a - f + x */
    PROGRAM_FACTOR,     /* straight-line solver */
    PROGRAM_SOLVE,
    PROGRAM_LANES,      /* forward dynamics of several states at once; index: that of accelerations */
    PROGRAM_KINDS
};
struct program {
    enum program_kind kind;
    int index;                  /* see there; else 0 */
    const char *name;           /* wanted for its C function; as in struct mbs_model if it is a member of that */
    struct tape *tape;          /* never NULL */
    struct tape_cost cost;      /* with what it shares with others */
    int workspace;              /* doubles of w */
};

enum column_set { COLUMNS_MASS, COLUMNS_JACOBIAN, COLUMNS_MU, COLUMN_SETS };

struct programs {
    const struct equations *eq;
    struct arena arena;
    struct hoist hoist;         /* the constant block that all share */
    struct { struct program *at; int n, cap; } list;    /* by kind, then by index */
    bool gav_is_twice_gvq;      /* then no tape computes it */
    bool whole;                 /* PROGRAMS_WHOLE */
    bool by_products;           /* the residual from what dynamics() computes */
    int product_flops;          /* ... by so many operations more */
    struct saddle *saddle;      /* pivots of the straight-line solver; NULL: none */
    int lanes;                  /* of PROGRAM_LANES */
};
/* Tapes longer than rows_per_piece (0: the default) are cut into several C functions; PROGRAMS_WHOLE: never, and each function is one tape
 * that shares nothing with others, as an interpreter wants them.  `solver`: with a straight-line
 * solver, if the model is small enough for one.  `lanes` > 0: with forward dynamics of so many states at once, if there are accelerations. */
enum { PROGRAMS_WHOLE = -1 };
void programs_init(struct programs *, const struct equations *, bool solver, int rows_per_piece, int lanes);
void programs_fini(struct programs *);

/* NULL if the file has none. */
const struct program *program_find(const struct programs *, enum program_kind, int index);
/* Is it a function pointer of struct mbs_model? */
bool program_is_member(const struct program *);
/* What its k-th output array is called. */
const char *program_array(const struct programs *, const struct program *, int k);

/* Start values: how many q, v, z, u (array 0 to 3) has, the k-th one, and whether its numbers are so many that they are a table, for what C compilers
 * take longest with is one statement after the other. */
int program_starts(const struct programs *, int array);
Expr program_start(const struct programs *, int array, int k);
bool program_start_is_table(const struct programs *, int array);

/* Is this matrix computed by that set?  The function of the ABI that a set belongs to. */
bool column_is_in(enum eq_id, enum column_set);
enum abi_function_id column_function(enum column_set);
/* Where the seeds and the columns of a set stand in the workspace, behind the slots of its tape. */
struct column_layout {
    int seeds, column[EQ_COUNT], end;
};
struct column_layout column_layout(const struct programs *, const struct program *);
#endif
