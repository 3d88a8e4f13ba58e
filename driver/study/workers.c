/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Workers are threads that share the compiled model; each has lanes, several with --batch, else one, and a lane has its constants, its
 * workspace and, for each case, a simulation of its own, new from the start: what a case gives depends neither on what its worker has done
 * before nor on the cases in other lanes.  A lane takes the next case, runs it and puts the record into a ring.  What is complete there is written in order, by
 * one worker for all, when some more records have come, and by the first thread at the latest after WRITE_AFTER.  Where cases are short a worker takes some at a
 * time: to ask for the lock for each of them would take a hundredth of the time of a run. */
#include "config.h"
#include "study/pool.h"
#include "interrupt.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RING = 64, CHUNK = 256 };        /* records a worker may be ahead of the slowest case, on average; that are written at a time */
enum { SHARE = 8, FILED = 8 };          /* cases a worker takes at once; records after which it sees to their being written */
static const double SHORT = 1e-3, WRITE_AFTER = 1e-2;   /* seconds; cases up to this are taken so */
/* Visits to the pool are timed by the clock on the wall, which costs nothing; asking for the processor time of a thread takes most of a microsecond and is
 * where the system likes to give the processor to others.  A visit that seems longer than this was interrupted, and is left out. */
static const double VISIT_MOST = 1e-3;

struct lane {
    struct slot *slot;          /* of the case at hand */
    struct mbs_sim *sim;        /* of the last case, or NULL: its memory serves the next */
    struct measuring measuring;
    double *params, *c, *y;
    unsigned char *given;
};
struct worker {
    struct pool *pool;
    struct lane *lane;
    int lanes, busy;            /* how many, and how many of them have a case */
    long at, last;              /* slots at .. last - 1 are its own to begin with */
    int filed;                  /* records since it has seen to their being written, ... */
    double wrote, pace;         /* ... when that was, and what a record took until then, on average */
    pthread_t thread;
    bool started;
    double since;               /* begin of the visit to the pool ... */
    double beside;              /* ... and the time of all of them */
};

static double thread_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int on_output(void *user, const struct mbs_state *x, const double *y)
{
    measuring_row(&((struct lane *)user)->measuring, x, y);
    return *interrupt_flag() != 0;
}

/* A row at the start or at the end, where no others count. */
static void measure_now(struct lane *l, struct mbs_sim *sim)
{
    if (mbs_outputs(sim, l->y) == MBS_OK)
        measuring_row(&l->measuring, mbs_state(sim), l->y);
}

static void case_end(struct lane *l, int status, const struct mbs_message *why)
{
    struct slot *slot = l->slot;
    if (status == MBS_OK || status == MBS_DOUBTFUL)
        measuring_end(&l->measuring);
    else
        measuring_begin(&l->measuring, l->c, l->measuring.value);       /* of a run that failed nothing is kept */
    slot->record[0] = status;
    slot->dropped = status == MBS_CANCELLED || status == MBS_NO_MEMORY;     /* no property of the case */
    slot->why[0] = 0;
    if (status != MBS_OK)
        snprintf(slot->why, sizeof slot->why, "%s: %.150s", mbs_status_text(status), why->text);
}

/* A simulation at its start with the parameters of the case; NULL: the case has failed. */
static struct mbs_sim *case_begin(struct worker *w, struct lane *l)
{
    const struct study *study = w->pool->study;
    const struct session *s = study->session;
    const struct mbs_model *m = s->model;
    int n = study->plan.factors;
    const double *record = l->slot->record;
    struct mbs_message why = {0};
    memcpy(l->params, s->params, (size_t)m->np * sizeof *l->params);
    memcpy(l->given, s->given, (size_t)m->np);
    for (int k = 0; k < n; k++) {
        l->params[study->plan.factor[k].param] = record[1 + k];
        l->given[study->plan.factor[k].param] = 1;
    }
    m->defaults(l->params, l->given);
    m->setup(l->params, l->c);
    measuring_begin(&l->measuring, l->c, l->slot->record + 1 + n);
    int status = mbs_renew(&l->sim, m, l->params, &s->options, &why);
    struct mbs_sim *sim = l->sim;
    if (status == MBS_OK && m->nu && !s->tables)
        status = mbs_set_inputs(sim, s->u);
    if (status == MBS_OK)
        status = mbs_assemble(sim, s->from);
    if (status == MBS_OK && s->settings->at_equilibrium)
        status = mbs_equilibrium(sim);
    if (status == MBS_OK) {
        if (!study->measures.rows)
            measure_now(l, sim);
        return sim;
    }
    if (sim)
        why = *mbs_message(sim);
    case_end(l, status, &why);
    return NULL;
}

static void note(struct study *s, const struct slot *slot, long record)
{
    struct trouble *t = slot->record[0] == MBS_DOUBTFUL ? &s->doubtful : &s->failed;
    if (slot->record[0] != MBS_OK && !t->count++) {
        t->first = study_case(&s->journal.head, record);
        memcpy(t->why, slot->why, sizeof slot->why);
    }
}

void pool_stop(struct pool *p)
{
    __atomic_store_n(&p->stop, true, __ATOMIC_RELAXED);
    pthread_cond_broadcast(&p->emptied);
    pthread_cond_signal(&p->ended);
}

static bool is_full(const struct slot *slot) { return __atomic_load_n(&slot->full, __ATOMIC_ACQUIRE); }

/* Is the next record in order one to be written?  One that was interrupted ends it all. */
static bool next_is_full(struct pool *p)
{
    struct study *s = p->study;
    struct slot *slot = &p->slot[p->written % p->slots];
    if (p->stop || p->written == p->end || !is_full(slot))
        return false;
    if (slot->record[0] == MBS_NO_MEMORY) {
        snprintf(s->journal.why, sizeof s->journal.why, "%.200s, in case %ld; the same command goes on there", slot->why, study_case(&s->journal.head, p->written));
        p->good = false;
    }
    if (!slot->dropped && !*interrupt_flag())
        return true;
    pool_stop(p);
    return false;
}

/* The next record, which is full, and those that follow it at once.  With the lock, which is open while they are written. */
static void write_next(struct pool *p)
{
    struct study *s = p->study;
    long first = p->written, end = first + 1, at = first, most = first + (p->slots < CHUNK ? p->slots : CHUNK);
    if (most > p->end)
        most = p->end;
    bool good = true;
    for (const struct slot *slot; end < most && is_full(slot = &p->slot[end % p->slots]) && !slot->dropped;)
        end++;
    struct mbs_statistics none = {.accepted = end};
    pthread_mutex_unlock(&p->lock);
    for (; at < end && good; at += good) {
        const struct slot *slot = &p->slot[at % p->slots];
        note(s, slot, at);
        good = p->outbox || journal_add(&s->journal, slot->record);
    }
    progress_step(&p->progress, (double)at, &none);
    pthread_mutex_lock(&p->lock);
    for (; p->written < at; p->written++) {
        struct slot *slot = &p->slot[p->written % p->slots];
        if (p->outbox)
            outbox_add(p->outbox, slot, study_width(s));
        slot->full = false;
    }
    p->good = p->good && good;
    if (p->waiting)
        pthread_cond_broadcast(&p->emptied);
    if (!good || (p->written == p->end && !p->more))
        pool_stop(p);
}

/* With the lock.  Whoever comes while another one is at it leaves his to him.  flush: what was written a while ago goes to the file even if nothing is new. */
static void write_all(struct pool *p, bool flush)
{
    while (!p->writing && (next_is_full(p) || flush)) {
        p->writing = true;
        while (next_is_full(p))
            write_next(p);
        pthread_mutex_unlock(&p->lock);
        bool good = journal_flush_soon(&p->study->journal);
        pthread_mutex_lock(&p->lock);
        p->good = p->good && good;
        if (!good)
            pool_stop(p);
        p->writing = flush = false;
    }
}

static void pool_write(struct pool *p, bool flush)
{
    pthread_mutex_lock(&p->lock);
    write_all(p, flush);
    pthread_mutex_unlock(&p->lock);
}

void pool_tend(struct pool *p) { pool_write(p, true); }

static void fill(struct slot *slot) { __atomic_store_n(&slot->full, true, __ATOMIC_RELEASE); }

void pool_file(struct pool *p, struct slot *const *slots, long count)
{
    for (long i = 0; i < count; i++)
        fill(slots[i]);
    pool_write(p, false);
}

/* What happens between these two is no integration: cases are drawn, records written, by this worker for itself and others. */
static void visit_begin(struct worker *w) { w->since = wall_seconds(); }

static void visit_end(struct worker *w)
{
    double taken = wall_seconds() - w->since;
    w->beside += taken < VISIT_MOST ? taken : 0;
}

static void file_record(struct worker *w, struct lane *l)
{
    visit_begin(w);
    fill(l->slot);
    if (++w->filed >= FILED || w->since - w->wrote > WRITE_AFTER) {
        pool_write(w->pool, false);
        w->pace = (w->since - w->wrote) / w->filed;
        w->filed = 0;
        w->wrote = w->since;
    }
    visit_end(w);
}

/* How many cases a worker takes: less and less where they come to an end, so that all workers end together. */
static long share(const struct worker *w)
{
    const struct pool *p = w->pool;
    long left = p->end - p->next, free = p->slots - (p->next - p->written), lanes = (long)w->lanes * p->study->workers;
    long most = w->pace <= SHORT ? SHARE : 1;
    long fair = left / (4 * lanes) + 1, room = free / (2 * lanes) + 1;
    most = most < fair ? most : fair;
    most = most < room ? most : room;
    return most < left && most < free ? most : left < free ? left : free;
}

/* With the lock.  More cases, if there are any. */
static void take_share(struct worker *w)
{
    struct pool *p = w->pool;
    struct study *study = p->study;
    w->at = p->next;
    w->last = p->next += share(w);
    for (long i = w->at; i < w->last; i++) {
        struct slot *slot = &p->slot[i % p->slots];
        if (!p->outbox)
            slot->number = i;
        if (study->plan.sobol)  /* walks a sequence that all share */
            plan_case(&study->plan, study_case(&study->journal.head, slot->number), slot->record + 1);
    }
}

static bool must_wait(const struct pool *p) { return !p->stop && (p->next < p->end ? p->next - p->written >= p->slots : p->more); }

/* With the lock, which is open while records are written: what was true before may have changed, and nobody would wake a worker that waits for what has been. */
static void await_cases(struct worker *w)
{
    struct pool *p = w->pool;
    while (must_wait(p)) {
        write_all(p, false);
        if (!must_wait(p))
            break;
        p->waiting++;
        pthread_cond_wait(&p->emptied, &p->lock);
        p->waiting--;
        w->since = wall_seconds();
    }
}

/* The next case into a slot; NULL: there are no more, or, if this may not wait, none now.  A worker with cases under way never waits: the
 * ring may be full because of them. */
static struct slot *take_case(struct worker *w, bool wait)
{
    struct pool *p = w->pool;
    struct study *study = p->study;
    struct slot *slot = NULL;
    visit_begin(w);
    if (w->at == w->last) {
        pthread_mutex_lock(&p->lock);
        if (wait)
            await_cases(w);
        if (!p->stop && p->next < p->end && p->next - p->written < p->slots)
            take_share(w);
        pthread_mutex_unlock(&p->lock);
    }
    if (w->at < w->last && !__atomic_load_n(&p->stop, __ATOMIC_RELAXED)) {
        slot = &p->slot[w->at++ % p->slots];
        if (!study->plan.sobol)
            plan_case(&study->plan, study_case(&study->journal.head, slot->number), slot->record + 1);
    }
    visit_end(w);
    return slot;
}

/* The runs of a worker, as libmbs asks for them. */
static struct mbs_sim *next_run(void *user, int lane, struct mbs_run *run)
{
    struct worker *w = user;
    struct lane *l = &w->lane[lane];
    const struct study *study = w->pool->study;
    struct session *s = study->session;
    struct mbs_sim *sim = NULL;
    while (!sim && (l->slot = take_case(w, w->busy == 0)))
        if (!(sim = case_begin(w, l)))
            file_record(w, l);
    w->busy += sim != NULL;
    run->to = s->to;
    run->cancel = interrupt_flag();
    run->events = s->event;
    run->nevents = s->events;
    if (study->measures.rows) {
        run->every = s->every;
        run->output = on_output;
        run->user = l;
    }
    return sim;
}

static void run_done(void *user, int lane, struct mbs_sim *sim, int status)
{
    struct worker *w = user;
    struct lane *l = &w->lane[lane];
    struct mbs_message why = *mbs_message(sim);
    if (!w->pool->study->measures.rows && (status == MBS_OK || status == MBS_EVENT || status == MBS_DOUBTFUL))
        measure_now(l, sim);
    w->busy--;
    case_end(l, status == MBS_EVENT ? MBS_OK : status, &why);
    file_record(w, l);
}

/* Lanes that never came to run, for want of memory: their cases are not lost in silence. */
static void *work(void *user)
{
    struct worker *w = user;
    const struct mbs_feed feed = {w, next_run, run_done};
    const struct mbs_message why = {.text = "out of memory for a batch"};
    struct pool *p = w->pool;
    if (mbs_run_batch(w->pool->study->session->model, &feed) != MBS_OK && (w->lane->slot = take_case(w, true))) {
        case_end(w->lane, MBS_NO_MEMORY, &why);
        file_record(w, w->lane);
    }
    pthread_mutex_lock(&p->lock);
    write_all(p, false);
    p->study->seconds += fmax(0, thread_seconds() - w->beside);
    p->running--;
    pthread_cond_signal(&p->ended);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static bool lane_init(struct lane *l, const struct study *study)
{
    const struct mbs_model *m = study->session->model;
    l->params = calloc((size_t)m->np + 1, sizeof(double));
    l->given = calloc((size_t)m->np + 1, 1);
    l->c = calloc((size_t)m->nc + 1, sizeof(double));
    l->y = calloc((size_t)m->ny + 1, sizeof(double));
    return measuring_init(&l->measuring, &study->measures, m) && l->params && l->given && l->c && l->y;
}
static void lane_fini(struct lane *l)
{
    mbs_free(l->sim);
    measuring_fini(&l->measuring);
    free(l->params);
    free(l->given);
    free(l->c);
    free(l->y);
}

static bool worker_init(struct worker *w, struct pool *p)
{
    const struct mbs_batch *batch = p->study->session->model->batch;
    w->pool = p;
    w->wrote = wall_seconds();
    w->pace = HUGE_VAL;
    w->lanes = batch ? batch->lanes : 1;
    bool good = (w->lane = calloc((size_t)w->lanes, sizeof *w->lane)) != NULL;
    for (int i = 0; good && i < w->lanes; i++)
        good = lane_init(&w->lane[i], p->study);
    return good;
}
static void worker_fini(struct worker *w)
{
    if (w->started)
        pthread_join(w->thread, NULL);
    for (int i = 0; w->lane && i < w->lanes; i++)
        lane_fini(&w->lane[i]);
    free(w->lane);
}

static bool pool_run(struct pool *p, struct worker *worker)
{
    struct study *s = p->study;
    progress_begin(&p->progress, (double)p->written, (double)p->end, s->session->settings->quiet || s->session->settings->json);
    pthread_mutex_lock(&p->lock);
    for (int i = 0; i < s->workers; i++)
        if (worker_init(&worker[i], p) && pthread_create(&worker[i].thread, NULL, work, &worker[i]) == 0) {
            worker[i].started = true;
            p->running++;
        }
    bool none = p->running == 0;
    pthread_mutex_unlock(&p->lock);
    if (none) {
        snprintf(s->journal.why, sizeof s->journal.why, "out of memory");
        return false;
    }
    if (s->engine) {
        (s->engine->rank ? ranks_work : ranks_serve)(p);
        return true;
    }
    pthread_mutex_lock(&p->lock);
    while (!p->stop && p->written < p->end) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += (long)(1e9 * WRITE_AFTER);
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        if (pthread_cond_timedwait(&p->ended, &p->lock, &until) == ETIMEDOUT)
            write_all(p, true);
    }
    pthread_mutex_unlock(&p->lock);
    return true;
}

/* For all lanes, and for what other processes are granted, as far as memory lets. */
static long slots_needed(const struct study *s)
{
    const struct mbs_batch *batch = s->session->model->batch;
    long lanes = s->workers * (long)(batch ? batch->lanes : 1), others = s->engine ? 2L * RANKS_MOST * (s->engine->rank ? 1 : s->engine->ranks - 1) : 0;
    double most = 256e6 / (8.0 * study_width(s));
    long least = 4 * lanes * (s->engine ? s->engine->ranks : 1), wanted = RING * lanes + others;
    return wanted <= most || wanted <= least ? wanted : most < (double)least ? least : (long)most;
}

bool study_run(struct study *s, bool *done)
{
    bool granted = s->engine && s->engine->rank > 0;
    struct pool p = {.study = s, .lock = PTHREAD_MUTEX_INITIALIZER, .emptied = PTHREAD_COND_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER, .good = true,
                     .slots = slots_needed(s), .next = s->journal.records, .written = s->journal.records, .end = journal_whole(&s->journal.head)};
    size_t width = (size_t)study_width(s);
    struct worker *worker = calloc((size_t)s->workers, sizeof *worker);
    double *records = calloc((size_t)p.slots * width, sizeof *records);
    bool good = worker && records && (p.slot = calloc((size_t)p.slots, sizeof *p.slot));
    if (granted)
        p.next = p.written = p.end = 0, p.more = true;
    s->failed.first = s->doubtful.first = -1;
    for (long i = 0; good && i < p.slots; i++)
        p.slot[i].record = records + (size_t)i * width;
    if (!good)
        snprintf(s->journal.why, sizeof s->journal.why, "out of memory");
    interrupt_hold();
    good = good && pool_run(&p, worker);
    if (!good && s->engine)
        s->engine->abort();
    for (int i = 0; worker && i < s->workers; i++)
        if (worker[i].pool)
            worker_fini(&worker[i]);
    progress_end(&p.progress);
    interrupt_release();
    good = good && p.good && (granted || journal_flush(&s->journal));
    *done = good && (granted || s->journal.records == p.end);
    free(p.slot);
    free(records);
    free(worker);
    return good;
}
