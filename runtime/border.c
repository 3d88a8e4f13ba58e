/* SPDX-License-Identifier: MIT
 *
 * The border of the library: what callers hand in is looked at here before anything is done with it.  A misuse is
 * answered with MBS_BAD_ARGUMENT and a sentence, and changes nothing. */
#include "sim.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BAD(...) mbs_fail(&sim->msg, MBS_BAD_ARGUMENT, NAN, -1, -1, __VA_ARGS__)

int mbs_border_idle(struct mbs_sim *sim, const char *call)
{
    if (!sim)
        return MBS_BAD_ARGUMENT;
    return sim->running && !sim->may_change
               ? BAD("%s was called from a function that mbs_run called; only an event with MBS_EVENT_RESTART may change the simulation", call)
               : 0;
}

int mbs_border_result(struct mbs_sim *sim, const void *out, const char *call)
{
    if (!sim)
        return MBS_BAD_ARGUMENT;
    return out ? 0 : BAD("%s has nowhere to put its result (NULL)", call);
}

int mbs_border_gaps(struct mbs_sim *sim, const char *call)
{
    for (int i = 0; i < sim->model->ncontact; i++)
        if (sim->model->pair[i].kind != MBS_CONTACT_GAP)
            return mbs_fail(&sim->msg, MBS_UNAVAILABLE, sim->s.x.t, -1, -1, "%s does not know one-sided constraints such as %s", call, sim->model->contact[i].name);
    return 0;
}

/* While all contacts are open, nothing of them acts. */
int mbs_border_smooth(struct mbs_sim *sim, const char *call)
{
    const struct mbs_model *o = sim->model;
    struct mbs_problem *p = &sim->p;
    struct mbs_state x = { .t = sim->s.x.t, .q = sim->s.x.q, .v = sim->s.x.v, .lambda = sim->s.x.lambda, .z = sim->s.x.z, .u = p->u };
    int status = mbs_border_gaps(sim, call), closed = -1;
    size_t rows = (size_t)o->ntouch;

    if (status || o->ncontact == 0)
        return status;
    double *dist = calloc(3 * rows + (size_t)o->W.nnz + 2 * (size_t)o->ncontact + 1, sizeof *dist);
    double *wt = dist + rows, *wgamma = wt + rows, *law = wgamma + rows;
    if (!dist)
        return mbs_fail(&sim->msg, MBS_NO_MEMORY, x.t, -1, -1, "out of memory in %s", call);
    mbs_inputs_at(p, x.t);
    o->contacts(p->c, &x, &(struct mbs_contacts){ .dist = dist, .wt = wt, .wgamma = wgamma, .law = law, .W = law + 2 * o->ncontact }, p->w);
    for (int i = 0; i < o->ncontact && closed < 0; i++)
        closed = dist[o->pair[i].first] > 1e-9 ? -1 : i;
    free(dist);
    if (closed < 0)
        return 0;
    return mbs_fail(&sim->msg, MBS_UNAVAILABLE, x.t, -1, -1, "%s knows no one-sided constraints that are closed, and there %s is, or would be violated",
                    call, o->contact[closed].name);
}

int mbs_border_time(struct mbs_sim *sim, double t, const char *what)
{
    return isfinite(t) ? 0 : BAD("%s = %g is no time", what, t);
}

int mbs_border_values(struct mbs_sim *sim, const char *what, const struct mbs_name *names, const double *x, int n)
{
    for (int i = 0; x && i < n; i++)
        if (!isfinite(x[i]))
            return BAD("%s of %s = %g is no number", what, names[i].name, x[i]);
    return 0;
}

static int times_check(struct mbs_sim *sim, const struct mbs_run *in)
{
    int dir = in->to < sim->s.x.t ? -1 : 1;
    double span = fmax(fabs(in->to), fabs(sim->s.x.t));

    if (in->ntimes < 0 || (in->ntimes > 0 && !in->times))
        return BAD("%d times for output%s", in->ntimes, in->ntimes < 0 ? "" : ", and no array of them");
    for (int i = 0; i < in->ntimes; i++) {
        if (!isfinite(in->times[i]))
            return BAD("time %d for output is %g", i, in->times[i]);
        if (i > 0 && dir * in->times[i] < dir * in->times[i - 1])
            return BAD("the times for output must stand in the order in which they are reached: %.9g comes after %.9g", in->times[i], in->times[i - 1]);
    }
    if (!(in->every >= 0 && isfinite(in->every)))
        return BAD("every = %g is no interval between outputs", in->every);
    if (in->every > 0 && in->every < 16 * DBL_EPSILON * span)
        return BAD("every = %g is too small for the precision of a time of %g", in->every, span);
    return 0;
}

int mbs_border_run(struct mbs_sim *sim, const struct mbs_run *in)
{
    if (!sim)
        return MBS_BAD_ARGUMENT;
    if (!in)
        return BAD("mbs_run needs a struct mbs_run (NULL)");
    if (sim->running)
        return BAD("mbs_run was called from a function that mbs_run called");
    if (!isfinite(in->to))
        return BAD("the end of the run, %g, is no time", in->to);
    if (in->nevents < 0 || (in->nevents > 0 && !in->events))
        return BAD("%d events%s", in->nevents, in->nevents < 0 ? "" : ", and no array of them");
    for (int i = 0; i < in->nevents; i++) {
        const struct mbs_event *e = &in->events[i];
        if (e->output < 0 || e->output >= sim->model->ny)
            return BAD("event %d watches output %d of %d", i, e->output, sim->model->ny);
        if (e->direction < -1 || e->direction > 1)
            return BAD("event %d has the direction %d; -1, 0 and 1 are known", i, e->direction);
        if (e->action != MBS_EVENT_RECORD && e->action != MBS_EVENT_RESTART && e->action != MBS_EVENT_STOP)
            return BAD("event %d has an unknown action %d", i, (int)e->action);
    }
    return times_check(sim, in);
}

/* A descriptor that a compiler has written is complete; one by hand may not be. */
int mbs_border_model(struct mbs_sim *sim)
{
    const struct mbs_model *o = sim->model;

    if (o->abi != MBS_ABI)
        return BAD("the model was compiled for ABI %d, this library has %d", o->abi, MBS_ABI);
    if (o->nq < 0 || o->nz < 0 || o->nu < 0 || o->ny < 0 || o->np < 0 || o->ng < 0 || o->nh < 0 || o->nc < 0 || o->nw < 0)
        return BAD("the model has a negative number of something");
    if (!o->setup || !o->initial || !o->dynamics || !o->constraints || !o->name)
        return BAD("the model lacks a function that every model has");
    if (!mbs_has_matrices(o) && (o->ng + o->nh > 0 || !o->accelerations || !o->residual))
        return BAD("the model '%s' has neither matrices nor functions in their place", o->name);
    return 0;
}

int mbs_border_matrices(struct mbs_sim *sim, const char *call)
{
    const struct mbs_model *o = sim->model;

    return mbs_has_matrices(o) ? 0
                               : mbs_fail(&sim->msg, MBS_UNAVAILABLE, NAN, -1, -1,
                                          "%s needs matrices, and the rolled model '%s' with %d coordinates has none", call, o->name, o->nq);
}
