/* SPDX-License-Identifier: GPL-3.0-or-later
 * The Jacobian of a model's outputs, which the ABI does not have: its entries become outputs behind the model's own. */
#ifndef DRIVER_OUTPUT_JACOBIAN_H
#define DRIVER_OUTPUT_JACOBIAN_H
#include "model/model.h"

struct output_entry {
    int output;                 /* its row */
    char by;                    /* q v a l z u */
    int index;
};
struct output_jacobian {
    int outputs;                /* of the model itself; entry k is output number outputs + k */
    struct output_entry *entry;
    int entries;
};
/* To be called once a model, when it is checked and nothing is derived of it yet. */
void output_jacobian_add(struct output_jacobian *, struct model *, struct arena *);
#endif
