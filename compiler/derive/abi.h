/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table mbs/model.def as data: what the quantities of the ABI are, and which function gives which.
 */
#ifndef DERIVE_ABI_H
#define DERIVE_ABI_H
#include "expr/expr.h"
#include "mbs/model.h"

/* What the rows or columns of a matrix or the entries of a vector are counted by. */
enum eq_axis {
    AXIS_COORD,
    AXIS_CONSTRAINT,
    AXIS_HOLONOMIC,     /* the first constraints */
    AXIS_STATE,
    AXIS_INPUT,
    AXIS_OUTPUT,
    AXIS_ENERGY,        /* T, U */
    AXIS_CONDITION,     /* of the start */
    AXIS_EVENT,
    AXIS_JUMP,          /* assignments of the events */
    AXIS_PARAM,         /* those by which derivatives are asked for */
    AXIS_TOUCH,         /* rows of one-sided constraints and friction */
    AXIS_LAW,           /* their two coefficients, contact by contact */
    AXIS_POINT,         /* of the drawing, x y z point by point */
    AXIS_ONE
};

enum eq_id {
    EQ_none = -1,
#define QUANTITY(name, rows, cols, of, by, form) EQ_##name,
#define FUNCTION(name, argument, form, reads, gives)
#include "mbs/model.def"
#undef QUANTITY
#undef FUNCTION
    EQ_COUNT
};

enum abi_function_id {
#define QUANTITY(name, rows, cols, of, by, form)
#define FUNCTION(name, argument, form, reads, gives) FUNCTION_##name,
#include "mbs/model.def"
#undef QUANTITY
#undef FUNCTION
    FUNCTION_COUNT
};

struct abi_quantity {
    const char *name;
    enum eq_axis rows, cols;
    enum eq_id of;              /* a derivative of it; EQ_none: none */
    int by;                     /* enum sym_kind; -1 */
    bool lower;
};
extern const struct abi_quantity abi_quantity[EQ_COUNT];
static inline bool abi_is_matrix(enum eq_id id)
{
    return abi_quantity[id].cols != AXIS_ONE;
}

enum { FUNCTION_PARTS = 16 };
struct abi_function {
    const char *name;
    const char *argument, *type;    /* of the output: "out", "const struct mbs_dynamics *" */
    bool plain;                     /* one array, not a struct of pointers */
    unsigned reads;                 /* kinds of symbols, as DEP() */
    int parts;
    struct abi_part {
        enum eq_id id;
        int group;                  /* 0: computed always; else optional, with the others of its group */
    } part[FUNCTION_PARTS];
};
extern const struct abi_function abi_function[FUNCTION_COUNT];

/* Its place among what the function gives; -1: none.  The first function that gives it. */
int abi_part(enum abi_function_id, enum eq_id);
enum abi_function_id abi_first(enum eq_id);
/* The function of a model, whose out[k] is the array of part k (NULL where it is not wanted), and the pattern of a matrix. */
bool abi_has(const struct mbs_model *, enum abi_function_id);
void abi_call(const struct mbs_model *, enum abi_function_id, const double *c, const struct mbs_state *, double *const *out, double *w);
const struct mbs_pattern *abi_pattern(const struct mbs_model *, enum eq_id);
/* How many doubles a quantity has in a model, its rows and columns, and the names they have (NULL: none). */
int abi_size(const struct mbs_model *, enum eq_id);
int abi_axis(const struct mbs_model *, enum eq_axis, const struct mbs_name **);
#endif
