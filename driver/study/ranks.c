/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A study in several processes.  Process 0 has the journal; it works itself and grants cases to the others as they ask.  A process asks before it has
 * run out of cases, for as many as it has finished since it asked last, twice: so messages become rare whatever a case takes, and nobody waits.
 * Which process runs a case changes nothing in its record. */
#include "config.h"
#include "study/pool.h"
#include "interrupt.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TO_MESSAGE = 1 << 20, AT_LAST = 50 };    /* bytes of records at a time; rests after which records are sent */

/* From a process: so many records, and how many cases it wants; it leaves if `leaves` is 1, and without having run its cases if it is 2.  To it: cases first .. first + count - 1; none: there are no more. */
struct report {
    long records, want, leaves;
    double seconds, processor;  /* of its runs and of all that it has done, where it leaves */
};
struct grant {
    long first, count;
};

/* A record in a message: its number, its values, what went wrong. */
static size_t entry_size(int width)
{
    return sizeof(long) + (size_t)width * sizeof(double) + WHY;
}

struct outbox {
    char *at;                   /* behind a struct report */
    long records;
    size_t room;
    bool lost;
};

void outbox_add(struct outbox *o, const struct slot *slot, int width)
{
    size_t size = entry_size(width), used = sizeof(struct report) + (size_t)o->records * size;
    if (used + size > o->room) {
        size_t room = 2 * o->room + size + 4096;
        char *more = realloc(o->at, room);
        o->lost = o->lost || !more;
        if (!more)
            return;
        o->at = more;
        o->room = room;
    }
    char *to = o->at + used;
    memcpy(to, &slot->number, sizeof(long));
    memcpy(to + sizeof(long), slot->record, (size_t)width * sizeof(double));
    memcpy(to + size - WHY, slot->why, WHY);
    o->records++;
}

static void rest(void)
{
    nanosleep(&(struct timespec){0, 2000000}, NULL);
}

/* ---- process 0 ---- */

static void take_records(struct pool *p, const char *at, long records)
{
    int width = study_width(p->study);
    for (long i = 0; i < records; i++, at += entry_size(width)) {
        long number;
        memcpy(&number, at, sizeof number);
        struct slot *slot = &p->slot[number % p->slots];
        memcpy(slot->record, at + sizeof(long), (size_t)width * sizeof(double));
        memcpy(slot->why, at + entry_size(width) - WHY, WHY);
        slot->dropped = false;
        pool_file(p, slot);
    }
}

/* No more than leaves the others something to do, and than there are slots.  *none: there will be no more. */
static struct grant grant_cases(struct pool *p, long want, bool *none)
{
    int ranks = p->study->engine->ranks;
    pthread_mutex_lock(&p->lock);
    long left = p->end - p->next, fair = left / (2 * ranks) + 1, free = p->slots - (p->next - p->written);
    struct grant g = {p->next, want < fair ? want : fair};
    g.count = g.count < free ? g.count : free;
    *none = p->stop || left == 0;
    if (*none)
        g.count = 0;
    p->next += g.count;
    pthread_mutex_unlock(&p->lock);
    return g;
}

static void stop(struct pool *p)
{
    pthread_mutex_lock(&p->lock);
    pool_stop(p);
    pthread_mutex_unlock(&p->lock);
}

static bool ended(struct pool *p)
{
    pthread_mutex_lock(&p->lock);
    bool yes = p->stop || p->written == p->end;
    pthread_mutex_unlock(&p->lock);
    return yes;
}

void ranks_serve(struct pool *p)
{
    const struct engine *e = p->study->engine;
    long *want = calloc((size_t)e->ranks, sizeof *want), bytes;
    char *message = NULL;
    size_t room = 0;
    int left = e->ranks - 1, from;
    while (want && (left > 0 || !ended(p))) {
        bool idle = true;
        if (*interrupt_flag())
            stop(p);
        while ((bytes = e->arrived(&from)) >= 0) {
            struct report r;
            idle = false;
            if ((size_t)bytes > room) {
                room = (size_t)bytes;
                free(message);
                message = malloc(room);
            }
            if (!message)
                e->abort();
            e->receive(from, message, (size_t)bytes);
            memcpy(&r, message, sizeof r);
            take_records(p, message + sizeof r, r.records);
            want[from] = r.want ? r.want : want[from];
            left -= r.leaves != 0;
            p->study->others += r.processor;
            pthread_mutex_lock(&p->lock);
            p->study->seconds += r.seconds;
            pthread_mutex_unlock(&p->lock);
            if (r.leaves == 2)
                stop(p);
        }
        for (int i = 1; i < e->ranks; i++) {
            bool none;
            struct grant g = want[i] ? grant_cases(p, want[i], &none) : (struct grant){0, 0};
            if (want[i] && (g.count || none)) {
                e->send(i, &g, sizeof g);
                want[i] = 0;
                idle = false;
            }
        }
        if (idle)
            rest();
    }
    if (!want)
        e->abort();
    free(want);
    free(message);
}

/* ---- the others ---- */

/* What has been put aside is sent, with a wish. */
static void report(struct pool *p, long want, int leaves)
{
    struct outbox *o = p->outbox, send = *o;
    struct report r = {send.records, want, leaves, leaves ? p->study->seconds : 0, leaves ? processor_seconds() - p->study->began : 0};
    *o = (struct outbox){0};
    pthread_mutex_unlock(&p->lock);
    if (send.at) {
        memcpy(send.at, &r, sizeof r);
        p->study->engine->send(0, send.at, sizeof r + (size_t)r.records * entry_size(study_width(p->study)));
    } else {
        p->study->engine->send(0, &r, sizeof r);
    }
    free(send.at);
    pthread_mutex_lock(&p->lock);
}

static void take_grant(struct pool *p, const struct grant *g)
{
    for (long i = 0; i < g->count; i++)
        p->slot[(p->end + i) % p->slots].number = g->first + i;
    p->end += g->count;
    p->more = g->count > 0;
    pthread_cond_broadcast(&p->emptied);
}

void ranks_work(struct pool *p)
{
    const struct engine *e = p->study->engine;
    const struct mbs_batch *batch = p->study->session->model->batch;
    struct outbox box = {0};
    long least = 4L * p->study->workers * (batch ? batch->lanes : 1), want = least, before = 0;
    bool asked = false;
    int quiet = 0;              /* rests since something was sent */
    int from;
    pthread_mutex_lock(&p->lock);
    p->outbox = &box;
    for (;;) {
        bool idle = true;
        if (box.lost || !p->good)       /* out of memory */
            e->abort();
        if (*interrupt_flag() || p->stop || (!p->more && p->written == p->end && !asked))
            break;
        if (!asked && p->more && p->end - p->next <= want / 2 && p->slots - (p->end - p->written) >= want) {
            want = 2 * (p->written - before);
            want = want < least ? least : want > RANKS_MOST ? RANKS_MOST : want;
            before = p->written;
            report(p, want, 0);
            asked = true;
            idle = false;
            quiet = 0;
        } else if (box.records && (p->next == p->end || quiet > AT_LAST || (size_t)box.records * entry_size(study_width(p->study)) > TO_MESSAGE)) {
            report(p, 0, 0);    /* others may wait for these before there is room for more */
            quiet = 0;
        }
        pthread_mutex_unlock(&p->lock);
        if (asked && e->arrived(&from) >= 0) {
            struct grant g;
            e->receive(from, &g, sizeof g);
            pthread_mutex_lock(&p->lock);
            take_grant(p, &g);
            asked = false;
            pthread_mutex_unlock(&p->lock);
            idle = false;
        }
        quiet += idle;
        if (idle)
            rest();
        pthread_mutex_lock(&p->lock);
    }
    int leaves = p->written == p->end ? 1 : 2;
    pool_stop(p);
    while (p->running)          /* they say what their runs took */
        pthread_cond_wait(&p->ended, &p->lock);
    report(p, 0, leaves);
    pthread_mutex_unlock(&p->lock);
}
