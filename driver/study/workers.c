/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Workers are threads that share the compiled model; each has its constants, its workspace and, for each case, a simulation of
 * its own, new from the start: what a case gives does not depend on what the worker has done before.  A worker takes the
 * next case, runs it and puts the record into a ring; this thread takes records out of it in order and writes them. */
#include "config.h"
#include "study/workers.h"
#include "interrupt.h"
#include "row.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { RING = 64 };             /* records a worker may be ahead of the slowest case, on average */

struct slot {
    double *record;
    double seconds;
    char why[200];
    bool full, dropped;         /* dropped: interrupted */
};
struct pool {
    struct study *study;
    pthread_mutex_t lock;
    pthread_cond_t filled, emptied;
    struct slot *slot;
    long slots, next, written, end;     /* records */
    bool stop;
};
struct worker {
    struct pool *pool;
    struct measuring measuring;
    double *params, *c, *y;
    unsigned char *given;
    pthread_t thread;
    bool started;
};

static int on_output(void *user, const struct mbs_state *x, const double *y)
{
    measuring_row(&((struct worker *)user)->measuring, x, y);
    return *interrupt_flag() != 0;
}

/* Start, run, end of a case; the status of libmbs, and why it failed. */
static int integrate(struct worker *w, struct mbs_sim *sim)
{
    struct study *study = w->pool->study;
    struct session *s = study->session;
    bool rows = study->measures.rows;
    struct mbs_run run;
    int status = s->model->nu && !s->tables ? mbs_set_inputs(sim, s->u) : MBS_OK;
    if (status == MBS_OK)
        status = mbs_assemble(sim, s->from);
    if (status == MBS_OK && s->settings->at_equilibrium)
        status = mbs_equilibrium(sim);
    if (status == MBS_OK && !rows && (status = mbs_outputs(sim, w->y)) == MBS_OK)
        measuring_row(&w->measuring, mbs_state(sim), w->y);
    if (status != MBS_OK)
        return status;
    mbs_run_init(&run, s->model);
    run.to = s->to;
    run.cancel = interrupt_flag();
    run.events = s->event;
    run.nevents = s->events;
    if (rows) {
        run.every = s->every;
        run.output = on_output;
        run.user = w;
    }
    status = mbs_run(sim, &run);
    if (!rows && (status == MBS_OK || status == MBS_EVENT) && mbs_outputs(sim, w->y) == MBS_OK)
        measuring_row(&w->measuring, mbs_state(sim), w->y);
    return status == MBS_EVENT ? MBS_OK : status;
}

static void run_case(struct worker *w, struct slot *slot)
{
    const struct study *study = w->pool->study;
    const struct session *s = study->session;
    const struct mbs_model *m = s->model;
    int n = study->plan.factors;
    double *record = slot->record, *value = record + 1 + n, began = wall_seconds();
    struct mbs_message why = {0};
    struct mbs_sim *sim;
    memcpy(w->params, s->params, (size_t)m->np * sizeof *w->params);
    memcpy(w->given, s->given, (size_t)m->np);
    for (int k = 0; k < n; k++) {
        w->params[study->plan.factor[k].param] = record[1 + k];
        w->given[study->plan.factor[k].param] = 1;
    }
    m->defaults(w->params, w->given);
    m->setup(w->params, w->c);
    measuring_begin(&w->measuring, w->c, value);
    int status = mbs_new(&sim, m, w->params, &s->options, &why);
    if (status == MBS_OK) {
        status = integrate(w, sim);
        why = *mbs_message(sim);
        mbs_free(sim);
    }
    if (status == MBS_OK)
        measuring_end(&w->measuring);
    else
        measuring_begin(&w->measuring, w->c, value);    /* of a run that failed nothing is kept */
    record[0] = status;
    slot->dropped = status == MBS_CANCELLED || status == MBS_NO_MEMORY;     /* no property of the case */
    slot->seconds = wall_seconds() - began;
    snprintf(slot->why, sizeof slot->why, "%s: %.150s", mbs_status_text(status), why.text);
}

static void *work(void *user)
{
    struct worker *w = user;
    struct pool *p = w->pool;
    struct study *study = p->study;
    pthread_mutex_lock(&p->lock);
    while (!p->stop && p->next < p->end) {
        if (p->next - p->written >= p->slots) {
            pthread_cond_wait(&p->emptied, &p->lock);
            continue;
        }
        struct slot *slot = &p->slot[p->next % p->slots];
        plan_case(&study->plan, study_case(&study->journal.head, p->next++), slot->record + 1);
        pthread_mutex_unlock(&p->lock);
        run_case(w, slot);
        pthread_mutex_lock(&p->lock);
        slot->full = true;
        pthread_cond_signal(&p->filled);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static bool worker_init(struct worker *w, struct pool *p)
{
    const struct mbs_model *m = p->study->session->model;
    w->pool = p;
    w->params = calloc((size_t)m->np + 1, sizeof(double));
    w->given = calloc((size_t)m->np + 1, 1);
    w->c = calloc((size_t)m->nc + 1, sizeof(double));
    w->y = calloc((size_t)m->ny + 1, sizeof(double));
    return measuring_init(&w->measuring, &p->study->measures, m) && w->params && w->given && w->c && w->y;
}
static void worker_fini(struct worker *w)
{
    if (w->started)
        pthread_join(w->thread, NULL);
    measuring_fini(&w->measuring);
    free(w->params);
    free(w->given);
    free(w->c);
    free(w->y);
}

static void note(struct study *s, const struct slot *slot, long record)
{
    s->seconds += slot->seconds;
    if (slot->record[0] == MBS_OK)
        return;
    if (!s->failed++) {
        s->first_failed = study_case(&s->journal.head, record);
        memcpy(s->first_why, slot->why, sizeof slot->why);
    }
}

/* Takes records out of the ring until all are written or somebody asks to stop; false: writing failed. */
static bool collect(struct pool *p, struct progress *progress)
{
    struct study *s = p->study;
    struct mbs_statistics none = {0};
    bool good = true;
    pthread_mutex_lock(&p->lock);
    while (p->written < p->end) {
        struct slot *slot = &p->slot[p->written % p->slots];
        if (!slot->full) {
            pthread_cond_wait(&p->filled, &p->lock);
            continue;
        }
        if (slot->record[0] == MBS_NO_MEMORY) {
            snprintf(s->journal.why, sizeof s->journal.why, "%.200s, in case %ld; the same command goes on there", slot->why, study_case(&s->journal.head, p->written));
            good = false;
            break;
        }
        if (slot->dropped || *interrupt_flag())
            break;
        pthread_mutex_unlock(&p->lock);
        note(s, slot, p->written);
        good = journal_add(&s->journal, slot->record) && journal_flush(&s->journal);
        none.accepted = p->written + 1;
        progress_step(progress, (double)(p->written + 1), &none);
        pthread_mutex_lock(&p->lock);
        slot->full = false;
        p->written++;
        pthread_cond_broadcast(&p->emptied);
        if (!good)
            break;
    }
    p->stop = true;
    pthread_cond_broadcast(&p->emptied);
    pthread_mutex_unlock(&p->lock);
    return good;
}

static bool pool_run(struct pool *p, struct worker *worker)
{
    struct study *s = p->study;
    struct progress progress;
    int running = 0;
    for (int i = 0; i < s->workers; i++)
        if (worker_init(&worker[i], p) && pthread_create(&worker[i].thread, NULL, work, &worker[i]) == 0) {
            worker[i].started = true;
            running++;
        }
    if (!running) {
        snprintf(s->journal.why, sizeof s->journal.why, "out of memory");
        return false;
    }
    progress_begin(&progress, (double)p->written, (double)p->end, s->session->settings->quiet || s->session->settings->json);
    bool good = collect(p, &progress);
    progress_end(&progress);
    return good;
}

bool study_run(struct study *s, bool *done)
{
    struct pool p = {.study = s, .lock = PTHREAD_MUTEX_INITIALIZER, .filled = PTHREAD_COND_INITIALIZER, .emptied = PTHREAD_COND_INITIALIZER,
                     .slots = RING * (long)s->workers, .next = s->journal.records, .written = s->journal.records, .end = journal_whole(&s->journal.head)};
    size_t width = (size_t)study_width(s);
    struct worker *worker = calloc((size_t)s->workers, sizeof *worker);
    double *records = calloc((size_t)p.slots * width, sizeof *records);
    bool good = worker && records && (p.slot = calloc((size_t)p.slots, sizeof *p.slot));
    s->first_failed = -1;
    for (long i = 0; good && i < p.slots; i++)
        p.slot[i].record = records + (size_t)i * width;
    if (!good)
        snprintf(s->journal.why, sizeof s->journal.why, "out of memory");
    interrupt_hold();
    good = good && pool_run(&p, worker);
    for (int i = 0; worker && i < s->workers; i++)
        if (worker[i].pool)
            worker_fini(&worker[i]);
    interrupt_release();
    good = journal_flush(&s->journal) && good;
    *done = good && s->journal.records == p.end;
    free(p.slot);
    free(records);
    free(worker);
    return good;
}
