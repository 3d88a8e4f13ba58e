/* SPDX-License-Identifier: MIT
 *
 * The driver of a run, the loop
 *
 *     step - event? - output - progress
 *
 * A step never goes beyond the end or a break; outputs in between come from the method's dense output.  At a break
 * the step ends one rounding error before it and the integration restarts one rounding error behind it, so that a
 * force law with t <= t0 or t < t0 shows its left and its right limit. */
#include "hybrid/hybrid.h"
#include "running.h"
#include "watch.h"

#include <float.h>
#include <math.h>
#include <string.h>

void mbs_run_init(struct mbs_run *run, const struct mbs_model *model)
{
    if (!run)
        return;
    memset(run, 0, sizeof *run);
    run->to = model && !isnan(model->experiment.to) ? model->experiment.to : 0;
    run->every = model && model->experiment.every > 0 ? model->experiment.every : 0;
}

int mbs_sim_dense_motion(struct mbs_sim *sim, double t, struct mbs_point *out)
{
    struct mbs_stepper *s = &sim->s;

    if (t == s->x.t) {
        mbs_point_copy(out, &s->x, &sim->p);
        return MBS_DENSE_A | MBS_DENSE_LAMBDA;
    }
    out->t = t;
    if (!sim->by_passage)
        return s->method->dense(s, t, out);
    mbs_pass_dense(sim, t, out);
    return 0;
}

int mbs_sim_dense(struct mbs_sim *sim, double t, struct mbs_point *out)
{
    int got = mbs_sim_dense_motion(sim, t, out);

    if (got < 0)
        return got;
    if ((got & MBS_DENSE_A) && (got & MBS_DENSE_LAMBDA)) {
        mbs_sim_refine(sim, t, out->q, out->a, out->lambda);
        return 0;
    }
    return mbs_accelerations(&sim->p, t, out->q, out->a, out->lambda, sim->p.dyn.zdot);
}

/* What mbs_state() and mbs_outputs() tell of the end; the method goes on with its own. */
static void tell_end(struct mbs_sim *sim, int status)
{
    struct mbs_point x = sim->s.x;
    struct mbs_statistics stat = sim->stat;

    x.a = sim->told_a;
    x.lambda = sim->told_lambda;
    if (status < 0 || sim->by_passage || !mbs_sim_refine(sim, x.t, x.q, x.a, x.lambda)) {
        memcpy(x.a, sim->s.x.a, (size_t)sim->p.n * sizeof *x.a);
        memcpy(x.lambda, sim->s.x.lambda, (size_t)sim->p.m * sizeof *x.lambda);
    }
    sim->stat = stat;
    mbs_watch_shares(sim, &x);
    sim->told = 1;
}

int mbs_same_time(const struct mbs_sim *sim, double a, double b)
{
    return fabs(a - b) <= 8 * DBL_EPSILON * fmax(fabs(b), sim->hybrid ? fabs(sim->hybrid->clock) : 0);
}

/* A row at x, which is told as one at t. */
static int emit_row(struct mbs_running *r, struct mbs_point *x, double t)
{
    struct mbs_sim *sim = r->sim;
    struct mbs_state state = mbs_point_state(x, &sim->p);
    int status;

    if (!r->in->output)
        return 0;
    r->t_out = state.t = t;
    if (sim->derive && (status = mbs_derive_to(sim, x->t, 1)))
        return status;
    mbs_watch_shares(sim, x);
    mbs_sim_outputs(sim, x, sim->y_probe);
    if (r->in->output(r->in->user, &state, sim->y_probe))
        return mbs_fail(&sim->msg, MBS_CANCELLED, x->t, -1, -1, "the output function asked to stop at t = %.9g", x->t);
    return 0;
}

static int emit_output(struct mbs_running *r, struct mbs_point *x)
{
    return emit_row(r, x, x->t);
}

/* The next time for output, or infinity; each step: NaN.  A multiple of every that misses the end by rounding errors is
 * the end. */
static double output_next(const struct mbs_running *r)
{
    int dir = r->sim->s.dir;
    double t;

    if (!r->in->output)
        return dir * HUGE_VAL;
    if (r->in->times)
        return r->k < r->in->ntimes ? r->in->times[r->k] : dir * HUGE_VAL;
    if (!(r->in->every > 0))
        return NAN;
    t = r->t0 + dir * (double)r->k * r->in->every;
    return fabs(t - r->in->to) <= 1e-9 * r->in->every + 4 * DBL_EPSILON * fabs(t) ? r->in->to : t;
}

static int cancelled(struct mbs_running *r)
{
    struct mbs_sim *sim = r->sim;

    if (!r->in->cancel || !__atomic_load_n((const int *)r->in->cancel, __ATOMIC_RELAXED))
        return 0;
    return mbs_fail(&sim->msg, MBS_CANCELLED, sim->s.x.t, -1, -1, "cancelled at t = %.9g", sim->s.x.t);
}

/* All outputs in the last step up to t_end, where an event is due or not.  A row that falls on an event but for rounding (0.3 and 3*0.1) is one before it. */
static int outputs_until(struct mbs_running *r, double t_end, int due)
{
    struct mbs_sim *sim = r->sim;
    int dir = sim->s.dir, status;
    double t;

    while (t = output_next(r), dir * t <= dir * t_end || (due && mbs_same_time(sim, t, t_end))) {
        if (cancelled(r))
            return MBS_CANCELLED;
        if ((status = mbs_sim_dense(sim, dir * t <= dir * t_end ? t : t_end, &sim->dense)) || (status = emit_row(r, &sim->dense, t)))
            return status;
        r->k++;
    }
    /* The end that was asked for is output too when it lies on no multiple of every. */
    if (r->in->output && !r->in->times && t_end != r->t_out && (isnan(t) || t_end == r->in->to)) {
        if ((status = mbs_sim_dense(sim, t_end, &sim->dense)))
            return status;
        return emit_output(r, &sim->dense);
    }
    return 0;
}

static int singular_start(struct mbs_sim *sim, int coord, int row)
{
    struct mbs_violation vio;

    mbs_violation(sim, &vio);
    return mbs_fail(&sim->msg, MBS_INCONSISTENT, sim->s.x.t, coord, row,
                    "the start is a singular position: constraint %s, which is met but for %.3g, loses its derivatives there, and the motion is not determined",
                    sim->model->constraint[row].name, row < sim->p.ng ? fabs(sim->p.dyn.g[row]) : 0);
}

/* The start is refused if q or v is far from the constraints: far means a thousand tolerances and 1e-6.  What is met but for rounding
 * and far all the same has no derivatives to speak of. */
static const double SINGULAR = 1e-14;
static int check_consistent(struct mbs_sim *sim)
{
    struct mbs_violation vio;
    struct mbs_problem *p = &sim->p;
    double tol = fmax(1e-6, 1e3 * sim->opt.rtol), *x = p->x;
    int n = p->n, vanishing;

    if (p->m == 0)
        return 0;
    mbs_violation(sim, &vio);           /* leaves g and G v + gt in p->dyn */
    /* the factors are those of mbs_sim_complete */
    for (int level = 0; level < 2; level++) {
        const double *y = level ? sim->s.x.v : sim->s.x.q;
        double scale = 1;
        memset(x, 0, (size_t)(n + p->m) * sizeof *x);
        for (int i = 0; i < (level ? p->m : p->ng); i++)
            x[n + i] = level ? -p->dyn.gt[i] : -p->dyn.g[i];
        mbs_saddle_solve(p->saddle, x);
        for (int i = 0; i < n; i++)
            scale = fmax(scale, fabs(y[i]));
        for (int i = 0; i < n; i++)
            if (!(fabs(x[i]) <= tol * scale)) {
                int row = level ? vio.velocity_row : vio.position_row;
                if (!level && vio.position <= SINGULAR * scale)
                    return singular_start(sim, i, row);
                return mbs_fail(&sim->msg, MBS_INCONSISTENT, sim->s.x.t, i, row,
                                "the start violates constraint %s %sby %.3g; %s would have to change by %.3g (assemble first)",
                                p->model->constraint[row].name, level ? "on velocity level " : "",
                                level ? vio.velocity : vio.position, p->model->coord[i].name, x[i]);
            }
    }
    vanishing = mbs_watch_vanishing(sim);
    return vanishing < 0 ? 0 : singular_start(sim, -1, vanishing);
}

/* Where an integration goes on behind an event or a break, q and v are off by the error of the dense output, or by
 * what the formulation leaves free (the velocities in index 3): they are brought back onto the constraints. */
static int restore_consistency(struct mbs_sim *sim)
{
    struct mbs_point *x = &sim->s.x;
    int status = mbs_project_position(&sim->p, x->t, x->q, sim->opt.atol, sim->opt.rtol, NULL);

    if (status == 0)
        status = mbs_project_velocity(&sim->p, x->t, x->q, x->v);
    if (status > 0)
        return mbs_fail(&sim->msg, MBS_INCONSISTENT, x->t, -1, -1, "no consistent restart at t = %.9g", x->t);
    return status;
}

static int run_start(struct mbs_sim *sim)
{
    int status;

    if ((status = (sim->own_state ? mbs_name_nan : mbs_start_check)(&sim->p, sim->s.x.t, sim->s.x.q)))
        return status;
    if (sim->p.touch && !sim->own_state && (status = mbs_touch_begin(sim)))
        return status;
    if (sim->own_state && (status = restore_consistency(sim)))
        return status;
    sim->fresh_accelerations = 0;
    if (!sim->own_state && (status = mbs_watch_start(sim)))
        return status;
    if ((status = mbs_sim_complete(sim)) || (status = check_consistent(sim)))
        return status;
    if (!sim->own_state) {
        memset(sim->s.way, 0, (size_t)sim->p.n * sizeof *sim->s.way);
        memset(sim->s.top, 0, (size_t)sim->p.n * sizeof *sim->s.top);
        sim->s.span = sim->s.loose = 0;
        sim->s.rush = 0;
        sim->rush.noise = 0;
    }
    if (!sim->own_state || sim->account.anew)
        mbs_witness_reset(sim, sim->own_state);
    mbs_singular_restart(sim, !sim->own_state);
    memset(sim->s.x.mu, 0, (size_t)sim->p.m * sizeof *sim->s.x.mu);
    sim->s.h = sim->opt.step > 0 ? sim->opt.step : sim->stat.accepted == 0 ? sim->opt.h0 : 0;
    sim->s.h *= sim->s.dir;
    sim->s.t_old = sim->s.x.t;
    sim->s.why = sim->s.fresh_G = 0;
    sim->s.rows = NULL;
    status = sim->s.method->start(&sim->s);
    if (status)
        return status;
    mbs_witness_restart(sim);
    sim->started = 1;
    mbs_sim_outputs(sim, &sim->s.x, sim->y_old);
    mbs_event_reset(sim, sim->y_old);
    if (sim->hybrid)
        mbs_hybrid_start(sim);
    return 0;
}

/* A break strictly between now and the end, else the end. */
static double next_stop(struct mbs_running *r, int *is_break)
{
    const struct mbs_options *o = &r->sim->opt;
    double now = r->sim->s.x.t, to = r->in->to;

    *is_break = 0;
    if (r->sim->s.dir < 0) {
        for (int i = o->nbreaks - 1; i >= 0; i--)
            if (o->breaks[i] < nextafter(now, -HUGE_VAL) && o->breaks[i] > to) {
                *is_break = 1;
                return nextafter(o->breaks[i], HUGE_VAL);
            }
        return to;
    }
    while (r->brk < o->nbreaks && o->breaks[r->brk] <= nextafter(now, HUGE_VAL))
        r->brk++;
    if (r->brk < o->nbreaks && o->breaks[r->brk] < to) {
        *is_break = 1;
        return nextafter(o->breaks[r->brk], -HUGE_VAL);
    }
    return to;
}

/* The way of each coordinate and its largest velocity; one that is far above its mean, and above what atol is for, makes it a rush. */
static const double RUSH = 20;

static void note_speeds(struct mbs_sim *sim, double h)
{
    struct mbs_stepper *s = &sim->s;
    double least = sim->opt.rtol > 0 ? RUSH * sim->opt.atol / sim->opt.rtol : HUGE_VAL;

    s->span += h;
    sim->s.rush = 0;
    for (int i = 0; i < sim->p.n; i++) {
        double v = fabs(s->x.v[i]);
        s->way[i] += h * v;
        s->top[i] = v > s->top[i] ? v : s->top[i];
        sim->s.rush |= (v - least) * s->span > RUSH * s->way[i];
    }
}

static void count_step(struct mbs_sim *sim)
{
    struct mbs_statistics *st = &sim->stat;
    double h = fabs(sim->s.x.t - sim->s.t_old);

    note_speeds(sim, h);

    if (st->accepted++ == 0)
        st->h_first = st->h_min = st->h_max = h;
    st->steps = st->accepted + st->rejected;
    st->h_last = h;
    st->h_min = fmin(st->h_min, h);
    st->h_max = fmax(st->h_max, h);
}

/* Continue behind x (which may be sim->dense): the state jumps there. */
static int restart_at(struct mbs_sim *sim, const struct mbs_point *x, double t)
{
    if (x != &sim->s.x)
        mbs_point_copy(&sim->s.x, x, &sim->p);
    sim->s.x.t = t;
    sim->fresh_accelerations = sim->started = 0;
    sim->stat.restarts++;
    return run_start(sim);
}

int mbs_run_anew(struct mbs_sim *sim)
{
    return restart_at(sim, &sim->s.x, sim->s.x.t);
}

/* The state stands one rounding error before a break. */
static int restart_behind(struct mbs_sim *sim, double stop)
{
    double at = nextafter(stop, sim->s.dir * HUGE_VAL);

    return restart_at(sim, &sim->s.x, nextafter(at, sim->s.dir * HUGE_VAL));
}

/* An event at t: 0 to go on, MBS_EVENT to stop, or a failure. */
static int handle_event(struct mbs_running *r, double t, int which)
{
    struct mbs_sim *sim = r->sim;
    const struct mbs_event *ev = &r->in->events[which];
    struct mbs_state state;
    int stop, status = mbs_sim_dense(sim, t, &sim->dense);

    if (status)
        return status;
    sim->stat.events++;
    if (ev->action != MBS_EVENT_RECORD) {
        mbs_point_copy(&sim->s.x, &sim->dense, &sim->p);
        sim->started = 0;
        mbs_witness_leave(sim);
    }
    state = mbs_point_state(ev->action == MBS_EVENT_RECORD ? &sim->dense : &sim->s.x, &sim->p);
    mbs_inputs_at(&sim->p, t);
    sim->may_change = ev->action == MBS_EVENT_RESTART;
    stop = r->in->event && r->in->event(r->in->user, sim, which, &state);
    sim->may_change = 0;
    if (stop)
        return mbs_fail(&sim->msg, MBS_CANCELLED, t, -1, -1, "the event function asked to stop at t = %.9g", t);
    if (ev->action == MBS_EVENT_STOP && !r->in->times && t != r->t_out && (status = emit_output(r, &sim->s.x)))
        return status;
    if (ev->action == MBS_EVENT_STOP)
        return mbs_fail(&sim->msg, MBS_EVENT, t, -1, -1, "output %s crossed zero at t = %.12g", sim->model->output[ev->output].name, t);
    return ev->action == MBS_EVENT_RESTART ? restart_at(sim, &sim->s.x, sim->s.x.t) : 0;
}

/* Events of the model at the point as of now: they happen, and the integration goes on behind them. */
static int happen(struct mbs_running *r)
{
    struct mbs_sim *sim = r->sim;
    int stop, status, own = sim->own_state;
    int record = !r->in->times && !sim->hybrid->fresh && mbs_hybrid_records(sim);       /* at the start there is nothing before */

    if (record && !mbs_same_time(sim, r->t_out, sim->s.x.t) && (status = emit_output(r, &sim->s.x)))
        return status;
    if (sim->derive && (status = mbs_derive_event(sim)))
        return status;
    mbs_witness_leave(sim);
    if ((status = mbs_hybrid_happen(sim, r->in, &stop)))
        return status;
    sim->own_state = 1;         /* sampling goes on */
    if ((status = restart_at(sim, &sim->s.x, sim->s.x.t)))
        return status;
    sim->own_state = own;
    if ((record || (stop >= 0 && !r->in->times && sim->s.x.t != r->t_out)) && (status = emit_output(r, &sim->s.x)))
        return status;
    if (stop < 0)
        return 0;
    const char *why = sim->model->when[stop].message;
    return mbs_fail(&sim->msg, MBS_EVENT, sim->s.x.t, -1, -1, "%.200s%s'%.100s' at t = %.12g", why ? why : "", why ? ": " : "stopped by ",
                    sim->model->event[stop].name, sim->s.x.t);
}

/* The point at t of the last step becomes the point as of now. */
static int cut_step(struct mbs_sim *sim, double t)
{
    int status;

    if (t == sim->s.x.t)
        return 0;
    if ((status = mbs_sim_dense(sim, t, &sim->dense)))
        return status;
    mbs_point_copy(&sim->s.x, &sim->dense, &sim->p);
    sim->fresh_accelerations = 1;
    return 0;
}

/* After a step: events in their order, and the outputs before each. */
static int step_results(struct mbs_running *r)
{
    struct mbs_sim *sim = r->sim;
    double t;
    int status, which, due = 0;

    sim->event_to = sim->s.x.t;
    if (sim->hybrid && (status = mbs_hybrid_find(sim, &sim->event_to, &due)))
        return status;
    if (r->in->nevents > 0) {
        if ((status = mbs_sim_dense(sim, sim->event_to, &sim->dense)))
            return status;
        mbs_sim_outputs(sim, &sim->dense, sim->y);
        while (mbs_event_find(sim, r->in, &t, &which)) {
            int restart = r->in->events[which].action != MBS_EVENT_RECORD;
            if (restart && (status = outputs_until(r, t, 1)))
                return status;
            if ((status = handle_event(r, t, which)) || restart)
                return status;
        }
        memcpy(sim->y_old, sim->y, (size_t)sim->model->ny * sizeof *sim->y);
    }
    status = outputs_until(r, sim->event_to, due);
    if (status == 0 && sim->derive)
        status = mbs_derive_to(sim, sim->event_to, 0);
    if (status || !due)
        return status;
    status = cut_step(sim, sim->event_to);
    return status ? status : happen(r);
}

/* An explicit method that "auto" has chosen and that stability limits gives way to an implicit one, if there is still a
 * long way to go. */
static int leave_stiff(struct mbs_running *r)
{
    struct mbs_sim *sim = r->sim;
    double t = sim->s.x.t;

    if (!sim->automatic || !sim->s.stiff || sim->p.touch || fabs(r->in->to - t) < 1000 * fabs(sim->stat.h_last))
        return 0;
    if (!(mbs_has_matrices(sim->model) ? sim->model->jacobian != NULL : mbs_has_newton(sim->model)) || !mbs_method_find("radau"))
        return 0;
    if (mbs_sim_switch(sim, "radau"))
        return mbs_fail(&sim->msg, MBS_NO_MEMORY, t, -1, -1, "out of memory for another method at t = %.9g", t);
    return restart_at(sim, &sim->s.x, t);
}

/* Where contacts meet without end "auto" goes on by time stepping, with the step that it would have taken from the start on. */
static int leave_events(struct mbs_running *r, int status)
{
    struct mbs_sim *sim = r->sim;
    double t = sim->s.x.t;

    if (status != MBS_ENDLESS || !sim->automatic || !sim->hybrid || !sim->hybrid->dense)
        return status;
    const struct mbs_method *moreau = mbs_method_find("moreau");
    struct mbs_message why = sim->msg;
    struct mbs_options opt = sim->opt;
    if (!moreau)
        return status;
    sim->opt.step = sim->hybrid->window;
    if (mbs_options_fit(sim, moreau)) {
        sim->opt = opt;
        sim->msg = why;
        return status;
    }
    if (mbs_sim_switch(sim, "moreau"))
        return mbs_fail(&sim->msg, MBS_NO_MEMORY, t, -1, -1, "out of memory for another method at t = %.9g", t);
    sim->passages.stepped = 1;
    sim->passages.stepped_from = t;
    sim->passages.step = sim->opt.step;
    return restart_at(sim, &sim->s.x, t);
}

/* A step of a passage through a singular position in place of one of the method, which starts anew behind it. */
static int pass_round(struct mbs_running *r)
{
    struct mbs_sim *sim = r->sim;
    int done, status = mbs_pass_step(sim, r->stop, &done);

    if (status)
        return status;
    if (done)
        return restart_at(sim, &sim->s.x, sim->s.x.t);
    sim->by_passage = sim->own_state = 1;
    sim->fresh_accelerations = 1;
    count_step(sim);
    if ((status = mbs_witness_step(sim)) || (status = step_results(r)) || sim->s.x.t != r->stop || !sim->watch->passing)
        return status;
    sim->watch->passing = 0;
    if (r->is_break)
        return restart_behind(sim, r->stop);
    r->end = r->stop == r->in->to;
    sim->started = 0;
    return r->end ? 0 : restart_at(sim, &sim->s.x, r->stop);
}

int mbs_round_begin(struct mbs_running *r)
{
    struct mbs_sim *sim = r->sim;
    double t = sim->s.x.t;

    r->step = 0;
    r->rounds++;
    if (cancelled(r))
        return MBS_CANCELLED;
    if (sim->stat.accepted + sim->stat.rejected - r->steps_before >= sim->opt.max_steps)
        return mbs_fail(&sim->msg, MBS_MAX_STEPS, t, -1, -1, "%ld steps were taken and t is only %.9g", sim->opt.max_steps, t);
    r->stop = next_stop(r, &r->is_break);
    if (sim->hybrid && mbs_hybrid_stop(sim) <= r->stop) {
        r->stop = mbs_hybrid_stop(sim);
        r->is_break = 0;
    }
    if (sim->watch && sim->watch->passing)
        return pass_round(r);
    if (sim->watch)
        mbs_point_copy(&sim->watch->old, &sim->s.x, &sim->p);
    if (sim->s.rush)
        mbs_witness_rush(sim);
    r->step = 1;
    return 0;
}

/* The last step is taken back, and the next one is not longer than h. */
static int again_with(struct mbs_sim *sim, double h)
{
    int status;

    sim->stat.rejected++;
    sim->stat.restarts--;
    status = restart_at(sim, &sim->rush.from, sim->rush.from.t);
    sim->s.h = h;
    return status;
}

static int round_end(struct mbs_running *r, int status)
{
    struct mbs_sim *sim = r->sim;
    const struct mbs_run *in = r->in;

    sim->fresh_accelerations = status == 0;
    if (status == 0 && mbs_singular_look(sim))
        return 0;
    if (status)
        return status != MBS_NO_MEMORY && mbs_singular_rescue(sim) ? 0 : status;
    sim->own_state = 1;
    if (sim->s.rush && mbs_witness_rushed(sim))
        return again_with(sim, (sim->s.x.t - sim->rush.from.t) / 2);
    count_step(sim);
    if ((status = mbs_witness_step(sim)) || ((status = step_results(r)) && (status = leave_events(r, status))))
        return status;
    if (in->progress && in->progress(in->user, sim->s.x.t, &sim->stat))
        return mbs_fail(&sim->msg, MBS_CANCELLED, sim->s.x.t, -1, -1, "the progress function asked to stop at t = %.9g", sim->s.x.t);
    if (r->is_break && sim->s.x.t == r->stop)
        return restart_behind(sim, r->stop);
    r->end = sim->s.x.t == in->to;
    return r->end ? 0 : leave_stiff(r);
}

int mbs_round_end(struct mbs_running *r, int status)
{
    struct mbs_sim *sim = r->sim;

    status = round_end(r, status);
    return status || !sim->derive || r->end || (sim->watch && sim->watch->passing) ? status : mbs_derive_checkpoint(r);
}

/* A motion that rests lets steps grow without end, and a push of some length that time brings along lies between two evaluations unseen.  So a step has
 * at most a tenth of the experiment, or of the run if that is longer.  Runs of models without one are not limited: they may be parts of a longer one. */
static double longest_step(const struct mbs_sim *sim, double to)
{
    const struct mbs_experiment *e = &sim->model->experiment;
    double all = e->to - (isnan(e->from) ? 0 : e->from);

    if (sim->opt.hmax > 0)
        return sim->opt.hmax;
    return all > 0 && sim->opt.step == 0 ? fmax(all, fabs(to - sim->s.x.t)) / 10 : HUGE_VAL;
}

/* From the start to its first output. */
static int run_begin(struct mbs_running *r)
{
    struct mbs_sim *sim = r->sim;
    int status = 0, dir = r->in->to < sim->s.x.t ? -1 : 1;

    for (int i = 0; sim->derive && i < r->in->nevents; i++)
        if (r->in->events[i].action == MBS_EVENT_RESTART)
            return mbs_fail(&sim->msg, MBS_UNAVAILABLE, sim->s.x.t, -1, -1, "derivatives by parameters end at events that change the motion");
    if (dir != sim->s.dir)
        sim->started = 0;
    if (dir < 0 && !(sim->s.method->flags & MBS_METHOD_BACKWARD))
        return mbs_fail(&sim->msg, MBS_UNAVAILABLE, sim->s.x.t, -1, -1, "method %s cannot run backwards", sim->s.method->name);
    if (dir < 0 && sim->hybrid)
        return mbs_fail(&sim->msg, MBS_UNAVAILABLE, sim->s.x.t, -1, -1, "a model with events cannot run backwards");
    sim->s.dir = dir;
    sim->s.longest = longest_step(sim, r->in->to);
    if (!sim->started && (status = run_start(sim)))
        return status;
    if (sim->hybrid)
        sim->hybrid->window = fabs(r->in->to - sim->s.x.t) / 1000;
    if (sim->hybrid && sim->hybrid->fresh && (status = happen(r)))
        return status;
    if (r->in->times)
        while (r->k < r->in->ntimes && dir * r->in->times[r->k] < dir * r->t0)
            r->k++;
    /* The start itself is the first output. */
    if (!r->in->times || (r->k < r->in->ntimes && r->in->times[r->k] == r->t0)) {
        if ((status = emit_output(r, &sim->s.x)))
            return status;
        r->k++;
    }
    return 0;
}

/* What the whole of it says about its results, or about its failure. */
static int run_verdict(struct mbs_sim *sim, int status)
{
    status = mbs_witness_end(sim, status);
    /* constraints that contradict each other show as steps that shrink or iterations that fail */
    if ((status == MBS_UNDERFLOW || status == MBS_NO_CONVERGENCE || status == MBS_INCONSISTENT) && sim->opt.witness &&
        mbs_witness_contradiction(sim))
        return MBS_INCONSISTENT;
    return status;
}

/* Behind it the simulation may be used again. */
static int run_leave(struct mbs_sim *sim, int status)
{
    sim->running = 0;
    tell_end(sim, status);
    sim->stat.steps = sim->stat.accepted + sim->stat.rejected;
    /* A failure leaves the last accepted point, but the method may have lost its history. */
    if (status < 0)
        sim->started = 0;
    if (status == 0)
        mbs_clear(&sim->msg, NAN);
    return status;
}

int mbs_running_begin(struct mbs_running *r, struct mbs_sim *sim, const struct mbs_run *in)
{
    int status = mbs_border_run(sim, in);

    *r = (struct mbs_running){ .sim = sim, .in = in, .t_out = NAN };
    if (status)
        return status;
    if (sim->derive && in->to != sim->s.x.t && (status = mbs_derive_run(r)))
        return status;
    r->t0 = sim->s.x.t;
    r->steps_before = sim->stat.accepted + sim->stat.rejected;
    mbs_clear(&sim->msg, NAN);
    sim->told = 0;
    if (in->to == sim->s.x.t) {
        r->end = 1;
        return mbs_sim_complete(sim);
    }
    sim->running = 1;
    status = run_begin(r);
    return status ? run_leave(sim, status) : 0;
}

int mbs_running_end(struct mbs_running *r, int status)
{
    if (r->sim->derive)
        mbs_derive_leave(r);
    return r->sim->running ? run_leave(r->sim, run_verdict(r->sim, status)) : status;
}

int mbs_running_on(struct mbs_running *r, long rounds)
{
    struct mbs_stepper *s = &r->sim->s;
    int status = 0;

    while (!r->end && !status && r->rounds != rounds) {
        status = mbs_round_begin(r);
        if (r->step)
            status = mbs_round_end(r, s->method->step ? s->method->step(s, r->stop) : mbs_evolve(s, r->stop));
    }
    return status;
}

int mbs_run(struct mbs_sim *sim, const struct mbs_run *in)
{
    struct mbs_running r;
    int status = mbs_running_begin(&r, sim, in);

    return status ? status : mbs_running_end(&r, mbs_running_on(&r, -1));
}

int mbs_advance(struct mbs_sim *sim, double t)
{
    struct mbs_run run;

    mbs_run_init(&run, NULL);
    run.to = t;
    return mbs_run(sim, &run);
}
