/* SPDX-License-Identifier: GPL-3.0-or-later
 * The cases that are under way, between workers (workers.c) and those who grant cases and take records (ranks.c). */
#ifndef STUDY_POOL_H
#define STUDY_POOL_H
#include "row.h"
#include "study/workers.h"

#include <pthread.h>

enum { WHY = 200 };
struct slot {
    double *record;
    long number;                /* of the record in the journal */
    char why[WHY];
    bool full, dropped;         /* it can be written (atomic); interrupted */
};
/* A ring of slots, counted on: slot i stands at i % slots.  Alone, or as process 0 of several, i is the number of a record; another process counts the
 * cases that it was granted. */
struct pool {
    struct study *study;
    pthread_mutex_t lock;
    pthread_cond_t emptied, ended;
    struct slot *slot;
    long slots, next, written, end;     /* the next one to be taken, to be written; end of those that are there to be taken */
    bool more;                  /* the end may still move */
    int running;                /* workers that have not ended ... */
    int waiting;                /* ... and those that wait for something to do */
    bool writing;               /* somebody is at it */
    bool stop, good;            /* no more is to be done; nothing has failed */
    struct progress progress;
    struct outbox *outbox;      /* where records go in place of the journal; NULL */
};
/* With the lock. */
void pool_stop(struct pool *);
/* These records are complete.  What can be written is. */
void pool_file(struct pool *, struct slot *const *, long count);
/* Now and then: what waits for others to be written with it is written, and given to the file. */
void pool_tend(struct pool *);

/* ranks.c: process 0 serves the others until the study has ended; another one asks for cases and sends their records; and how many slots they need. */
void ranks_serve(struct pool *);
void ranks_work(struct pool *);
void outbox_add(struct outbox *, const struct slot *, int width);
enum { RANKS_MOST = 512 };      /* cases at a time */
#endif
