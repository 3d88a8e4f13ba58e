/* SPDX-License-Identifier: MIT
 *
 * Arrays that grow, and those of a Jacobian in one block. */
#include "work.h"
#include "mbs/mbs.h"

#include <stdlib.h>

int mbs_grow(void *array, int need, int *room, size_t size)
{
    void **at = array, *more;
    int next = *room ? *room : 64;

    if (need <= *room && *at)
        return 0;
    while (next < need)
        next *= 2;
    more = realloc(*at, (size_t)next * size);
    if (!more)
        return MBS_NO_MEMORY;
    *at = more;
    *room = next;
    return 0;
}

void mbs_jacobian_layout(struct mbs_jacobian *j, const struct mbs_model *o, struct mbs_work *w)
{
    j->rq = mbs_work_doubles(w, (size_t)o->rq.nnz + 1);
    j->rv = mbs_work_doubles(w, (size_t)o->rv.nnz + 1);
    j->M = mbs_work_doubles(w, (size_t)o->M.nnz + 1);
    j->G = mbs_work_doubles(w, (size_t)o->G.nnz + 1);
    j->rz = mbs_work_doubles(w, (size_t)o->rz.nnz + 1);
    j->zq = mbs_work_doubles(w, (size_t)o->zq.nnz + 1);
    j->zv = mbs_work_doubles(w, (size_t)o->zv.nnz + 1);
    j->zz = mbs_work_doubles(w, (size_t)o->zz.nnz + 1);
}
