/* SPDX-License-Identifier: MIT
 *
 * Memory for one evaluation of residual and Jacobian. */
#include "analysis/linear.h"

#include <stdlib.h>

static void linear_layout(struct mbs_linear *l, const struct mbs_model *o, enum mbs_linear_parts parts, struct mbs_work *w)
{
    mbs_jacobian_layout(&l->jac, o, w);
    if (parts == MBS_LINEAR_MOTION) {
        l->jac.gvq = mbs_work_doubles(w, (size_t)o->gvq.nnz + 1);
        l->jac.gaq = mbs_work_doubles(w, (size_t)o->gaq.nnz + 1);
        l->jac.gav = mbs_work_doubles(w, (size_t)o->gav.nnz + 1);
        l->jac.ru = mbs_work_doubles(w, (size_t)o->ru.nnz + 1);
        l->jac.zu = mbs_work_doubles(w, (size_t)o->zu.nnz + 1);
    }
    l->r = mbs_work_doubles(w, (size_t)o->nq + 1);
    l->zdot = mbs_work_doubles(w, (size_t)o->nz + 1);
    l->g = mbs_work_doubles(w, (size_t)(o->ng + o->nh) + 1);
}

int mbs_linear_init(struct mbs_linear *l, const struct mbs_model *model, enum mbs_linear_parts parts)
{
    struct mbs_work w = { NULL, 0 };

    *l = (struct mbs_linear){ .block = NULL };
    linear_layout(l, model, parts, &w);
    l->block = calloc(1, w.used);
    if (!l->block)
        return MBS_NO_MEMORY;
    w = (struct mbs_work){ l->block, 0 };
    linear_layout(l, model, parts, &w);
    return 0;
}

void mbs_linear_fini(struct mbs_linear *l)
{
    free(l->block);
}
