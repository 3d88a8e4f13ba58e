/* SPDX-License-Identifier: GPL-3.0-or-later
 * The programs (tapes) of every function of the generated file. */
#ifndef PROGRAM_PROGRAMS_H
#define PROGRAM_PROGRAMS_H
#include "derive/columns.h"
#include "derive/equations.h"
#include "program/products.h"
#include "program/saddle.h"
#include "tape/joint.h"

/* The functions that evaluate the model, in the order of mbs/model.h. */
enum program_id {
    PROGRAM_DYNAMICS,
    PROGRAM_CONSTRAINTS,
    PROGRAM_RESIDUAL,
    PROGRAM_JACOBIAN,
    PROGRAM_ENERGY,
    PROGRAM_OUTPUTS,
    PROGRAM_POINTS,
    PROGRAM_COUNT
};

enum { PROGRAM_ARRAYS = 16 };
enum { COLUMNS_MASS, COLUMNS_JACOBIAN, COLUMNS_MU, COLUMN_SETS };
/* Is this matrix computed by that set? */
bool column_is_in(enum eq_id, int set);
struct program_spec {
    const char *name, *out_type, *out_name;
    struct { int id, section; } part[PROGRAM_ARRAYS];   /* enum eq_id; ended by -1 */
};
extern const struct program_spec program_spec[PROGRAM_COUNT];

/* All tapes of a model and the constant block they share. */
struct programs {
    const struct equations *eq;
    struct hoist hoist;
    struct tape *tape[PROGRAM_COUNT], *initial, *setup;
    struct tape_cost cost[PROGRAM_COUNT];
    struct tape *position;      /* what several functions share of q and t, see tape/joint.h; NULL: nothing */
    struct tape *part[EQ_COUNT];    /* of arrays that several functions compute and that have one of their own; else NULL */
    /* Matrices by columns: M in dynamics; all but gmuq in jacobian, section 1 along q and 2 along v; gmuq. */
    struct tape *columns[COLUMN_SETS];      /* NULL: none */
    bool gav_is_twice_gvq;      /* then no tape computes it */
    struct products *products;  /* the residual from the dynamics; NULL: by its own tape */
    struct saddle *saddle;      /* NULL: no straight-line solver */
};
/* Tapes longer than rows_per_piece (0: the default) are cut into several C functions.  `solver`: with a straight-line
 * solver, if the model is small enough for one. */
void programs_init(struct programs *, const struct equations *, bool solver, int rows_per_piece);
void programs_fini(struct programs *);
#endif
