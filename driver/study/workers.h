/* SPDX-License-Identifier: GPL-3.0-or-later
 * The runs of a study, several at a time, their records written in the order of the cases. */
#ifndef STUDY_WORKERS_H
#define STUDY_WORKERS_H
#include "study/engine.h"
#include "study/journal.h"
#include "study/measure.h"
#include "study/plan.h"

struct trouble {                /* cases that did not go well */
    long count, first;          /* the first of them, -1 */
    char why[512];
};
struct study {
    struct session *session;
    const struct engine *engine;        /* of several processes; NULL: alone */
    struct plan plan;
    struct measures measures;
    struct journal journal;
    int workers;
    long ran;                   /* cases, by this command */
    struct trouble failed, doubtful;    /* runs that ended with a failure; those whose end the witness doubts */
    double seconds;             /* of processors in runs, over all workers ... */
    double beside;              /* ... and beside them: drawing and taking cases, writing */
    double others;              /* seconds of processors of other processes, in all */
    double began;               /* processor_seconds() */
};
/* A record: status, factors, measures. */
static inline int study_width(const struct study *s) { return 1 + s->plan.factors + s->measures.width; }
/* The case of a record. */
static inline long study_case(const struct journal_head *h, long record) { return h->shard + record * h->shards; }

/* Of this process, all its threads. */
double processor_seconds(void);
/* Goes on behind the records of the journal; false: why is in study->journal.why.  *done: all cases have run. */
bool study_run(struct study *, bool *done);
#endif
