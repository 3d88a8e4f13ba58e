/* SPDX-License-Identifier: MIT
 *
 * linear.h: memory for one evaluation of the Jacobian, for the analyses. */
#ifndef MBS_LINEAR_H
#define MBS_LINEAR_H

#include "sim.h"

enum mbs_linear_parts { MBS_LINEAR_STATICS, MBS_LINEAR_MOTION };

struct mbs_linear {
    struct mbs_jacobian jac;    /* rq rv M G rz zq zv zz; of motion also gvq gaq gav ru zu */
    double *r, *zdot, *g;
    void *block;
};

int mbs_linear_init(struct mbs_linear *l, const struct mbs_model *model, enum mbs_linear_parts parts);
void mbs_linear_fini(struct mbs_linear *l);

#endif
