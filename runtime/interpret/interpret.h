/* SPDX-License-Identifier: MIT
 * interpret.h: a model whose functions are tapes. */
#ifndef MBS_INTERPRET_INTERPRET_H
#define MBS_INTERPRET_INTERPRET_H

#include "interpret/tape.h"
#include "mbs/mbs.h"

enum mbs_function_id {
#define QUANTITY(name, rows, columns, of, by, form)
#define FUNCTION(name, argument, form, reads, gives) MBS_FUNCTION_##name,
#include "mbs/model.def"
#undef QUANTITY
#undef FUNCTION
    MBS_FUNCTIONS
};
enum mbs_quantity_id {
#define QUANTITY(name, rows, columns, of, by, form) MBS_QUANTITY_##name,
#define FUNCTION(name, argument, form, reads, gives)
#include "mbs/model.def"
#undef QUANTITY
#undef FUNCTION
    MBS_QUANTITIES
};

struct mbs_interpreted {
    struct mbs_model model;             /* first: what the caller holds */
    struct mbs_heap heap;
    const char *program[MBS_FUNCTIONS]; /* names; NULL: the model has no such function */
    const char *setup_name, *initial_name;
    struct mbs_tape function[MBS_FUNCTIONS], setup, initial;
    struct mbs_tape *default_tape;      /* of parameters whose default uses others */
    int defaults;
    double *value;                      /* of the others */
    struct mbs_spline *table;
    int tables;
};

void mbs_interpreted_defaults(const struct mbs_interpreted *, double *p, const unsigned char *given);
void mbs_interpreted_setup(const struct mbs_interpreted *, const double *p, double *c);

/* check.c: the part of the descriptor that names what is not there, or NULL. */
const char *mbs_descriptor_wrong(const struct mbs_model *);
/* How many numbers there are of a quantity. */
int mbs_quantity_length(const struct mbs_model *, enum mbs_quantity_id);

/* slots.c: gives the model its defaults() and setup(); 0: all are taken. */
enum { MBS_SLOTS = 64 };
int mbs_slot_take(struct mbs_interpreted *);
int mbs_slot_leave(const struct mbs_interpreted *);     /* 0: it has none, so it is no open model of ours */
#endif
