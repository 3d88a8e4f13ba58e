/* SPDX-License-Identifier: MIT
 *
 * Many runs, several at a time: attempts of steps are made together where the model computes several states at once (mbsc --batch) and the method can.
 * All else, be it control, projection, outputs, events or witnesses, each simulation does by itself, as mbs_run() would, so that what a run gives
 * does not depend on those beside it.  A lane whose run has ended takes the next one at once. */
#include "methods/batch.h"
#include "running.h"

#include <math.h>
#include <stdlib.h>

struct lane {
    struct mbs_run in;
    struct mbs_running run;
    int busy, stepping;         /* it has a run; a step is under way */
};

struct batch {
    const struct mbs_model *model;
    const struct mbs_feed *feed;
    struct lane lane[MBS_LANES_MOST];
    struct mbs_stepper *stepper[MBS_LANES_MOST];        /* of those that take part in the next attempt */
    struct mbs_attempt attempt[MBS_LANES_MOST];
    int alone[MBS_LANES_MOST];
    struct mbs_lanes wide;
    int ready;                  /* `wide` is laid out */
};

static void lane_done(struct batch *b, int l, int status)
{
    struct lane *a = &b->lane[l];

    a->busy = a->stepping = 0;
    if (b->ready)
        mbs_lanes_leave(&b->wide, l, &a->run.sim->s);
    b->feed->done(b->feed->user, l, a->run.sim, status);
}

static void lane_end(struct batch *b, int l, int status)
{
    lane_done(b, l, mbs_running_end(&b->lane[l].run, status));
}

/* Another method, rows left out, forces of contacts: such steps are made alone. */
static int can_join(const struct batch *b, const struct mbs_sim *sim)
{
    const struct mbs_stepper *s = &sim->s;

    return mbs_lanes_fit(b->model, s->method) && (!b->ready || s->method == b->wide.method) && s->form != MBS_BAUMGARTE &&
           !sim->p.touch && !sim->p.saddled && !mbs_saddle_dropped(sim->p.saddle);
}

/* The next step of a lane, up to its attempt; 0: the run has ended. */
static int lane_prepare(struct batch *b, int l)
{
    struct lane *a = &b->lane[l];
    int status = 0;

    while (!status && !a->run.end) {
        if (!a->stepping) {
            status = mbs_round_begin(&a->run);
            a->stepping = a->run.step;
            a->run.sim->s.tries = 0;
        }
        if (!status && a->stepping) {
            status = mbs_attempt_begin(&a->run.sim->s, a->run.stop, &b->attempt[l]);
            if (status == 0)
                return 1;
            a->stepping = 0;
            status = mbs_round_end(&a->run, status);
        }
    }
    lane_end(b, l, status);
    return 0;
}

/* A step has ended so. */
static void lane_step(struct batch *b, int l, int status)
{
    struct lane *a = &b->lane[l];

    a->stepping = 0;
    status = mbs_round_end(&a->run, status);
    if (status || a->run.end)
        lane_end(b, l, status);
}

/* An attempt has ended so. */
static void lane_conclude(struct batch *b, int l, int status)
{
    status = mbs_attempt_end(&b->lane[l].run.sim->s, &b->attempt[l], status);
    if (status <= 0)
        lane_step(b, l, status);
}

/* Its arrays are laid out for the model. */
static int refuse_other(const struct mbs_model *model, struct mbs_sim *sim)
{
    return sim->model == model ? 0
                               : mbs_fail(&sim->msg, MBS_BAD_ARGUMENT, NAN, -1, -1, "a simulation of '%s' cannot run in a batch of '%s'", sim->model->name, model->name);
}

/* A run for an empty lane; 0: there is none. */
static int lane_fill(struct batch *b, int l)
{
    struct lane *a = &b->lane[l];

    for (;;) {
        struct mbs_sim *sim;
        int status;
        mbs_run_init(&a->in, b->model);
        if (!(sim = b->feed->next(b->feed->user, l, &a->in)))
            return 0;
        a->run = (struct mbs_running){ .sim = sim };
        status = refuse_other(b->model, sim);
        if (!status)
            status = mbs_running_begin(&a->run, sim, &a->in);
        if (status || a->run.end) {
            lane_done(b, l, status);
            continue;
        }
        a->busy = 1;
        if (b->ready)
            mbs_lanes_enter(&b->wide, l, &sim->s);
        return 1;
    }
}

/* A lane takes part in the next attempt, has made one alone, or is empty. */
static int lane_round(struct batch *b, int l)
{
    struct lane *a = &b->lane[l];
    struct mbs_sim *sim;

    b->stepper[l] = NULL;
    while (!a->busy || !lane_prepare(b, l))
        if (!a->busy && !lane_fill(b, l))
            return 0;
    sim = a->run.sim;
    if (can_join(b, sim))
        b->stepper[l] = &sim->s;
    else if (sim->s.method->step)       /* controls its steps itself */
        lane_step(b, l, sim->s.method->step(&sim->s, a->run.stop));
    else
        lane_conclude(b, l, sim->s.method->attempt(&sim->s, b->attempt[l].h, b->attempt[l].t_new, &b->attempt[l].err));
    return 1;
}

/* The arrays, when the first lane that joins has shown its method. */
static int get_ready(struct batch *b, const struct mbs_stepper *s)
{
    int status = b->ready ? 0 : mbs_lanes_new(&b->wide, b->model, s->method);

    if (status)
        return status;
    for (int l = 0; !b->ready && l < b->wide.lanes; l++)
        if (b->lane[l].busy)
            mbs_lanes_enter(&b->wide, l, &b->lane[l].run.sim->s);
    b->ready = 1;
    return 0;
}

static int attempt_together(struct batch *b, int lanes)
{
    int first = -1, status;

    for (int l = lanes - 1; l >= 0; l--)
        first = b->stepper[l] ? l : first;
    if (first < 0)
        return 0;
    if ((status = get_ready(b, b->stepper[first])))
        return status;
    for (int l = 0; l < lanes; l++) {
        if (b->stepper[l] && b->stepper[l]->method != b->wide.method)
            b->stepper[l] = NULL;       /* joined before the arrays were there; the next round makes it alone */
        if (b->stepper[l] && b->lane[l].run.sim->hybrid)
            mbs_lanes_constants(&b->wide, l, b->stepper[l]->p);         /* events change parameters */
    }
    mbs_lanes_attempt(&b->wide, b->stepper, b->attempt, b->alone);
    for (int l = 0; l < lanes; l++) {
        struct mbs_stepper *s = b->stepper[l];
        if (s)
            lane_conclude(b, l, b->alone[l] ? s->method->attempt(s, b->attempt[l].h, b->attempt[l].t_new, &b->attempt[l].err) : 0);
    }
    return 0;
}

/* Without lanes one after the other. */
static void run_singly(const struct mbs_model *model, const struct mbs_feed *feed)
{
    struct mbs_run in;
    struct mbs_sim *sim;

    while (mbs_run_init(&in, model), (sim = feed->next(feed->user, 0, &in)))
        feed->done(feed->user, 0, sim, refuse_other(model, sim) ? MBS_BAD_ARGUMENT : mbs_run(sim, &in));
}

int mbs_run_batch(const struct mbs_model *model, const struct mbs_feed *feed)
{
    int lanes = model && model->batch ? model->batch->lanes : 1, busy = 1, status = 0;
    struct batch *b;

    if (!model || !feed || !feed->next || !feed->done || lanes > MBS_LANES_MOST || (lanes > 1 && lanes % 4))
        return MBS_BAD_ARGUMENT;
    if (lanes == 1) {
        run_singly(model, feed);
        return 0;
    }
    if (!(b = calloc(1, sizeof *b)))
        return MBS_NO_MEMORY;
    b->model = model;
    b->feed = feed;
    while (busy && !status) {
        busy = 0;
        for (int l = 0; l < lanes; l++)
            busy |= lane_round(b, l);
        status = attempt_together(b, lanes);
    }
    for (int l = 0; l < lanes; l++)
        if (b->lane[l].busy)
            lane_end(b, l, status);
    if (b->ready)
        mbs_lanes_free(&b->wide);
    free(b);
    return status;
}
