/* SPDX-License-Identifier: GPL-3.0-or-later
 * See abi.h.  What mbs/model.h declares is held against the table here, when this file is compiled. */
#include "derive/abi.h"

#include <stddef.h>
#include <string.h>

/* --- the table as data -------------------------------------------------------------------------------- */

enum { BY_none = -1, BY_t = SYM_TIME, BY_q = SYM_Q, BY_v = SYM_V, BY_a = SYM_A, BY_lambda = SYM_LAMBDA, BY_mu = SYM_MU, BY_z = SYM_Z, BY_u = SYM_U,
       BY_p = SYM_PARAM };
enum { FORM_FULL, FORM_LOWER };

const struct abi_quantity abi_quantity[EQ_COUNT] = {
#define QUANTITY(name, rows, cols, of, by, form) [EQ_##name] = { #name, AXIS_##rows, AXIS_##cols, EQ_##of, BY_##by, FORM_##form == FORM_LOWER },
#define FUNCTION(name, argument, form, reads, gives)
#include "mbs/model.def"
#undef QUANTITY
#undef FUNCTION
};

#define QUANTITY(name, rows, cols, of, by, form)
#define READS(member) DEP(BY_##member)
#define TYPE_STRUCT(name) "const struct mbs_" #name " *", false
#define TYPE_ARRAY(name) "double *", true
#define GIVES(quantity, group) { EQ_##quantity, group },
const struct abi_function abi_function[FUNCTION_COUNT] = {
#define FUNCTION(name, argument, form, reads, gives)                                                                   \
    [FUNCTION_##name] = { #name, #argument, TYPE_##form(name), reads,                                                  \
                          sizeof(struct abi_part[]){ gives } / sizeof(struct abi_part), { gives } },
#include "mbs/model.def"
#undef FUNCTION
};
#undef GIVES

/* --- the table against model.h ------------------------------------------------------------------------ */

/* A struct with the members of each function, in the order of the table. */
#define MEMBERS_STRUCT(name, gives) struct given_##name { gives };
#define MEMBERS_ARRAY(name, gives)
#define GIVES(quantity, group) double *quantity;
#define FUNCTION(name, argument, form, reads, gives) MEMBERS_##form(name, gives)
#include "mbs/model.def"
#undef FUNCTION
#undef GIVES

/* struct mbs_NAME has these members and no others, all pointers to doubles; so out[] of abi_call() is one. */
#define CALL_STRUCT(name, gives)                                                                                       \
    {                                                                                                                  \
        typedef struct mbs_##name T;                                                                                   \
        typedef struct given_##name L;                                                                                 \
        gives _Static_assert(sizeof(T) == sizeof(L), "model.def lacks a member of struct mbs_" #name);                 \
        T arrays;                                                                                                      \
        memcpy(&arrays, out, sizeof arrays);                                                                           \
        if (m->name)                                                                                                   \
            m->name(c, x, &arrays, w);                                                                                 \
        return;                                                                                                        \
    }
#define CALL_ARRAY(name, gives)                                                                                        \
    if (m->name)                                                                                                       \
        m->name(c, x, out[0], w);                                                                                      \
    return;
#define GIVES(quantity, group)                                                                                         \
    _Static_assert(offsetof(T, quantity) == offsetof(L, quantity), "model.def and model.h differ in the order of " #quantity); \
    _Static_assert(_Generic(((T *)0)->quantity, double *: 1, default: 0), #quantity " is not an array of doubles");
#define FUNCTION(name, argument, form, reads, gives) case FUNCTION_##name: CALL_##form(name, gives)
void abi_call(const struct mbs_model *m, enum abi_function_id id, const double *c, const struct mbs_state *x, double *const *out, double *w)
{
    switch (id) {
#include "mbs/model.def"
    case FUNCTION_COUNT: return;
    }
}
#undef FUNCTION
#undef GIVES
#undef QUANTITY

bool abi_has(const struct mbs_model *m, enum abi_function_id id)
{
    switch (id) {
#define QUANTITY(name, rows, cols, of, by, form)
#define FUNCTION(name, argument, form, reads, gives) case FUNCTION_##name: return m->name != NULL;
#include "mbs/model.def"
#undef QUANTITY
#undef FUNCTION
    case FUNCTION_COUNT: break;
    }
    return false;
}

/* Every matrix has a pattern of its name, and there are no others. */
#define PATTERN_ONE(name) 0
#define PATTERN_COORD(name) offsetof(struct mbs_model, name)
#define PATTERN_STATE(name) offsetof(struct mbs_model, name)
#define PATTERN_INPUT(name) offsetof(struct mbs_model, name)
#define PATTERN_PARAM(name) offsetof(struct mbs_model, name)
#define PATTERN_CONSTRAINT(name) offsetof(struct mbs_model, name)
static const size_t pattern_at[EQ_COUNT] = {
#define QUANTITY(name, rows, cols, of, by, form) [EQ_##name] = PATTERN_##cols(name),
#define FUNCTION(name, argument, form, reads, gives)
#include "mbs/model.def"
#undef QUANTITY
#undef FUNCTION
};
#define QUANTITY(name, rows, cols, of, by, form) + (AXIS_##cols != AXIS_ONE)
#define FUNCTION(name, argument, form, reads, gives)
enum { MATRICES = 0
#include "mbs/model.def"
};
#undef QUANTITY
#undef FUNCTION
_Static_assert(offsetof(struct mbs_model, experiment) - offsetof(struct mbs_model, M) == MATRICES * sizeof(struct mbs_pattern),
               "model.def and struct mbs_model have different patterns");
/* The functions stand in the order of the table. */
enum { POINTER = sizeof(void (*)(void)) };
#define QUANTITY(name, rows, cols, of, by, form)
#define FUNCTION(name, argument, form, reads, gives)                                                                   \
    _Static_assert(offsetof(struct mbs_model, name) == offsetof(struct mbs_model, dynamics) + FUNCTION_##name * POINTER, \
                   "model.def and struct mbs_model differ in the order of " #name);
#include "mbs/model.def"
#undef QUANTITY
#undef FUNCTION
_Static_assert(offsetof(struct mbs_model, factor) - offsetof(struct mbs_model, dynamics) == FUNCTION_COUNT * POINTER,
               "model.def lacks a function of struct mbs_model");

/* --- questions ---------------------------------------------------------------------------------------- */

int abi_part(enum abi_function_id function, enum eq_id id)
{
    for (int k = 0; k < abi_function[function].parts; k++)
        if (abi_function[function].part[k].id == id)
            return k;
    return -1;
}

enum abi_function_id abi_first(enum eq_id id)
{
    int f = 0;
    while (abi_part((enum abi_function_id)f, id) < 0)
        f++;
    return (enum abi_function_id)f;
}

const struct mbs_pattern *abi_pattern(const struct mbs_model *m, enum eq_id id)
{
    return pattern_at[id] ? (const struct mbs_pattern *)((const char *)m + pattern_at[id]) : NULL;
}

int abi_axis(const struct mbs_model *m, enum eq_axis axis, const struct mbs_name **names)
{
    switch (axis) {
    case AXIS_COORD: *names = m->coord; return m->nq;
    case AXIS_CONSTRAINT: *names = m->constraint; return m->ng + m->nh;
    case AXIS_HOLONOMIC: *names = m->constraint; return m->ng;
    case AXIS_STATE: *names = m->state; return m->nz;
    case AXIS_INPUT: *names = m->input; return m->nu;
    case AXIS_OUTPUT: *names = m->output; return m->ny;
    case AXIS_CONDITION: *names = m->condition; return m->ns;
    case AXIS_EVENT: *names = m->event; return m->nevent;
    case AXIS_JUMP: *names = m->jump; return m->njump;
    case AXIS_TOUCH: *names = m->touch; return m->ntouch;
    case AXIS_LAW: *names = NULL; return 2 * m->ncontact;
    case AXIS_ENERGY: *names = NULL; return 2;
    case AXIS_PARAM: *names = NULL; return m->nsensitive;
    case AXIS_POINT: *names = NULL; return 3 * m->npoint;
    case AXIS_ONE: *names = NULL; return 1;
    }
    return 0;
}

int abi_size(const struct mbs_model *m, enum eq_id id)
{
    const struct mbs_name *names;
    const struct mbs_pattern *p = abi_pattern(m, id);
    return p ? p->nnz : abi_axis(m, abi_quantity[id].rows, &names);
}
