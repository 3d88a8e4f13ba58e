/* SPDX-License-Identifier: MIT
 *
 * The arrays of one block: each request starts on a cache line. */
#include "work.h"
#include "mbs/mbs.h"

#include <stdint.h>
#include <stdlib.h>

void *mbs_work_bytes(struct mbs_work *w, size_t n)
{
    char *p = w->base ? w->base + w->used : NULL;

    /* A size that would wrap saturates, and the allocation of the block then fails. */
    if (n > SIZE_MAX / 2 - w->used)
        w->used = SIZE_MAX / 2;
    else
        w->used += (n + 63) & ~(size_t)63;
    return p;
}

double *mbs_work_doubles(struct mbs_work *w, size_t n)
{
    return mbs_work_bytes(w, n > SIZE_MAX / 16 ? SIZE_MAX / 2 : n * sizeof(double));
}

int *mbs_work_ints(struct mbs_work *w, size_t n)
{
    return mbs_work_bytes(w, n > SIZE_MAX / 16 ? SIZE_MAX / 2 : n * sizeof(int));
}

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
