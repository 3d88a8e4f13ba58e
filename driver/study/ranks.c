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

/* Bytes of records that are sent together, and in one message: as many as MPI sends at once, without asking whether they are wanted, since a process that receives a longer
 * one does nothing else until the last part of it has come; rests after which records are sent; records filed at a time. */
enum { TO_MESSAGE = 1 << 20, PIECE = 3900, AT_LAST = 50, TAKEN = 256 };

/* From a process: so many records, and how many cases it wants; it leaves if `leaves` is 1, and without having run its cases if it is 2.  To it: cases first .. first + count - 1; none: there are no more. */
struct report {
    long records, want, leaves;
    double seconds, processor;  /* of its runs and of all that it has done, where it leaves */
};
struct grant {
    long first, count;
};

/* A record in a message: its number, its values, what went wrong, if anything did. */
static size_t entry_size(int width, double status)
{
    return sizeof(long) + (size_t)width * sizeof(double) + (status == MBS_OK ? 0 : WHY);
}

struct piece {                  /* a message: a struct report and records */
    size_t at, bytes;
    long records;
};
struct outbox {
    char *at;
    struct piece *piece;
    int pieces, pieces_room;
    long records;
    size_t used, room;
    bool lost;
};

static bool outbox_room(struct outbox *o, size_t bytes)
{
    if (o->pieces == o->pieces_room) {
        int room = 2 * o->pieces_room + 16;
        struct piece *more = realloc(o->piece, (size_t)room * sizeof *more);
        if (!more)
            return false;
        o->piece = more;
        o->pieces_room = room;
    }
    if (o->used + bytes > o->room) {
        size_t room = 2 * o->room + bytes + 4096;
        char *more = realloc(o->at, room);
        if (!more)
            return false;
        o->at = more;
        o->room = room;
    }
    return true;
}

static struct piece *outbox_piece(struct outbox *o)
{
    struct piece *piece = &o->piece[o->pieces++];
    *piece = (struct piece){o->used, sizeof(struct report), 0};
    o->used += sizeof(struct report);
    return piece;
}

void outbox_add(struct outbox *o, const struct slot *slot, int width)
{
    size_t size = entry_size(width, slot->record[0]), values = (size_t)width * sizeof(double);
    o->lost = o->lost || !outbox_room(o, sizeof(struct report) + size);
    if (o->lost)
        return;
    struct piece *piece = o->pieces ? &o->piece[o->pieces - 1] : NULL;
    if (!piece || piece->bytes + size > PIECE)
        piece = outbox_piece(o);
    char *to = o->at + o->used;
    memcpy(to, &slot->number, sizeof(long));
    memcpy(to + sizeof(long), slot->record, values);
    memcpy(to + sizeof(long) + values, slot->why, size - sizeof(long) - values);
    piece->bytes += size;
    piece->records++;
    o->used += size;
    o->records++;
}

static void rest(void)
{
    nanosleep(&(struct timespec){0, 2000000}, NULL);
}

/* ---- process 0 ---- */

/* Records that have come, before they are filed: together, since each time the pool is asked for its lock. */
struct inbox {
    struct slot *slot[TAKEN];
    long count;
};

static void inbox_file(struct pool *p, struct inbox *in)
{
    if (in->count)
        pool_file(p, in->slot, in->count);
    in->count = 0;
}

static void take_records(struct pool *p, struct inbox *in, const char *at, long records)
{
    int width = study_width(p->study);
    size_t values = (size_t)width * sizeof(double);
    for (long i = 0; i < records; i++) {
        long number;
        memcpy(&number, at, sizeof number);
        struct slot *slot = &p->slot[number % p->slots];
        memcpy(slot->record, at + sizeof(long), values);
        size_t size = entry_size(width, slot->record[0]), why = size - sizeof(long) - values;
        slot->why[0] = 0;
        memcpy(slot->why, at + size - why, why);
        slot->dropped = false;
        at += size;
        in->slot[in->count++] = slot;
        if (in->count == TAKEN)
            inbox_file(p, in);
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
    struct grant *grant = calloc((size_t)e->ranks, sizeof *grant);
    char *message = NULL;
    size_t room = 0;
    int left = e->ranks - 1, from;
    struct inbox in = {.count = 0};
    while (want && grant && (left > 0 || !ended(p))) {
        bool idle = true;
        if (*interrupt_flag())
            stop(p);
        for (int i = 0; i < TAKEN && (bytes = e->arrived(&from)) >= 0; i++) {       /* then it is time for grants */
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
            take_records(p, &in, message + sizeof r, r.records);
            want[from] = r.want ? r.want : want[from];
            left -= r.leaves != 0;
            p->study->others += r.processor;
            pthread_mutex_lock(&p->lock);
            p->study->seconds += r.seconds;
            pthread_mutex_unlock(&p->lock);
            if (r.leaves == 2)
                stop(p);
        }
        inbox_file(p, &in);
        for (int i = 1; i < e->ranks; i++) {
            bool none;
            struct grant g = want[i] ? grant_cases(p, want[i], &none) : (struct grant){0, 0};
            if (want[i] && (g.count || none)) {
                grant[i] = g;
                e->post(i, &grant[i], sizeof g);
                want[i] = 0;
                idle = false;
            }
        }
        e->sent();
        if (idle) {
            rest();
            pool_tend(p);
        }
    }
    if (!want || !grant)
        e->abort();
    free(want);
    free(grant);
    free(message);
}

/* ---- the others ---- */

/* What has been put aside is sent, the last message with a wish. */
static void report(struct pool *p, long want, int leaves)
{
    const struct engine *e = p->study->engine;
    struct outbox *o = p->outbox, send = *o;
    double seconds = p->study->seconds, processor = leaves ? processor_seconds() - p->study->began : 0;
    *o = (struct outbox){0};
    pthread_mutex_unlock(&p->lock);
    if (!send.pieces && !outbox_room(&send, sizeof(struct report)))
        e->abort();
    if (!send.pieces)
        outbox_piece(&send);
    for (int i = 0; i < send.pieces; i++) {
        const struct piece *piece = &send.piece[i];
        struct report r = {piece->records, 0, 0, 0, 0};
        if (i == send.pieces - 1)
            r = (struct report){piece->records, want, leaves, leaves ? seconds : 0, processor};
        memcpy(send.at + piece->at, &r, sizeof r);
        e->post(0, send.at + piece->at, piece->bytes);
    }
    e->sent();
    free(send.at);
    free(send.piece);
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
        } else if (box.records && (p->next == p->end || quiet > AT_LAST || box.used > TO_MESSAGE)) {
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
        if (idle) {
            rest();
            pool_tend(p);
        }
        pthread_mutex_lock(&p->lock);
    }
    int leaves = p->written == p->end ? 1 : 2;
    pool_stop(p);
    while (p->running)          /* they say what their runs took */
        pthread_cond_wait(&p->ended, &p->lock);
    report(p, 0, leaves);
    pthread_mutex_unlock(&p->lock);
}
