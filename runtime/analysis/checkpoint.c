/* SPDX-License-Identifier: MIT
 *
 * A simulation between two steps, kept and put back (checkpoint.h). */
#include "analysis/checkpoint.h"

#include <stdlib.h>
#include <string.h>

/* All blocks of a simulation one behind the other, into `blocks` or back; NULL: how long they are. */
static size_t copy(const struct mbs_sim *sim, char *blocks, int back)
{
    const struct mbs_derive *d = sim->derive;
    const struct mbs_watch *a = sim->watch;
    const struct {
        void *at;
        size_t size;
    } part[] = {{sim->block, sim->block_size},
                {sim->s.self, sim->self_size},
                {sim->method_block, sim->method_size},
                {a ? a->block : NULL, a ? a->block_size : 0},
                {d->memory, d->memory_size},
                {d->explicit ? d->explicit->memory : NULL, d->explicit ? d->explicit->memory_size : 0}};
    size_t all = 0;
    for (size_t i = 0; i < sizeof part / sizeof *part; all += part[i++].size)
        if (blocks && part[i].size)
            memcpy(back ? part[i].at : blocks + all, back ? blocks + all : part[i].at, part[i].size);
    return all;
}

int mbs_checkpoint_keep(struct mbs_checkpoint *c, const struct mbs_sim *sim)
{
    size_t size = copy(sim, NULL, 0);
    if (size != c->size) {
        free(c->blocks);
        c->size = 0;
        if (!(c->blocks = malloc(size)))
            return MBS_NO_MEMORY;
        c->size = size;
    }
    copy(sim, c->blocks, 0);
    c->sim = *sim;
    c->derive = *sim->derive;
    if (sim->watch)
        c->watch = *sim->watch;
    if (sim->derive->explicit)
        c->explicit = *sim->derive->explicit;
    return 0;
}

/* Not of the time of the checkpoint: memory that was made since then, and the tape. */
static void derivatives_back(const struct mbs_checkpoint *c, struct mbs_derive *d)
{
    d->out = c->derive.out;
    d->now = c->derive.now;
    d->next = c->derive.next;
    d->h = c->derive.h;
    d->tested = c->derive.tested;
    d->since = c->derive.since;
    if (d->explicit)
        *d->explicit = c->explicit;
}

int mbs_checkpoint_back(const struct mbs_checkpoint *c, struct mbs_sim *sim)
{
    struct mbs_watch *a = sim->watch;
    double *null = a ? a->null : NULL;
    int status;
    mbs_derive_adopt(sim, sim);
    *sim = c->sim;
    derivatives_back(c, sim->derive);
    if (a) {
        *a = c->watch;
        a->null = null;
    }
    copy(sim, c->blocks, 1);
    if ((status = mbs_saddle_drop(sim->p.saddle, a && a->drops ? a->drop : NULL)) == 0 && sim->started && sim->s.method->resume)
        status = sim->s.method->resume(&sim->s);
    sim->stat = c->sim.stat;
    return status;
}

void mbs_checkpoint_free(struct mbs_checkpoint *c)
{
    free(c->blocks);
}
