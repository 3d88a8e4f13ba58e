/* SPDX-License-Identifier: MIT
 *
 * work.h: "size, then assign".  A layout function asks a struct mbs_work for its arrays.  It is called
 * twice: first with base == NULL, when every request returns NULL and only the size is added up, then with
 * the allocated (zeroed) block, when the requests return their places.  Requests are aligned to 64 bytes.
 */
#ifndef MBS_WORK_H
#define MBS_WORK_H
#include "mbs/model.h"

#include <stddef.h>
#include <stdint.h>

struct mbs_work {
    char *base;
    size_t used;
};

static inline void *mbs_work_bytes(struct mbs_work *w, size_t n)
{
    char *p = w->base ? w->base + w->used : NULL;

    /* A size that would wrap saturates, and the allocation of the block then fails. */
    if (n > SIZE_MAX / 2 - w->used)
        w->used = SIZE_MAX / 2;
    else
        w->used += (n + 63) & ~(size_t)63;
    return p;
}

static inline double *mbs_work_doubles(struct mbs_work *w, size_t n)
{
    return mbs_work_bytes(w, n > SIZE_MAX / 16 ? SIZE_MAX / 2 : n * sizeof(double));
}

static inline int *mbs_work_ints(struct mbs_work *w, size_t n)
{
    return mbs_work_bytes(w, n > SIZE_MAX / 16 ? SIZE_MAX / 2 : n * sizeof(int));
}

/* For what is not known before a run: *array (a pointer to an array of elements of that size) gets room for `need` of them.  0 or MBS_NO_MEMORY. */
int mbs_grow(void *array, int need, int *room, size_t size);
/* The members of a Jacobian that are not optional. */
void mbs_jacobian_layout(struct mbs_jacobian *j, const struct mbs_model *o, struct mbs_work *w);

#endif
