/* SPDX-License-Identifier: MIT
 *
 * Zero crossings of outputs within the last step, on the method's dense output.  The sign is looked at in a few
 * places of the step; a change is narrowed down by regula falsi with the Illinois halving and bisection until the
 * bracket is a few rounding errors wide.  The event is placed at its far end, where the sign has changed, so that
 * it is not found again. */
#include "sim.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { PROBES = 4 };            /* parts of a step in which a change of sign is looked for */

static int sign_of(double x)
{
    return (x > 0) - (x < 0);
}

void mbs_event_reset(struct mbs_sim *sim, const double *y)
{
    for (int i = 0; i < sim->model->ny; i++)
        sim->side[i] = (signed char)sign_of(y[i]);
    sim->event_from = sim->s.x.t;
}

/* Output k at t of the last step; NaN if that fails. */
static double probe(struct mbs_sim *sim, double t, int k)
{
    if (mbs_sim_dense(sim, t, &sim->dense))
        return NAN;
    mbs_sim_outputs(sim, &sim->dense, sim->y_probe);
    return sim->y_probe[k];
}

/* f(a) and f(b) differ in sign; returns the end of the bracket on b's side. */
static double locate(struct mbs_sim *sim, int k, struct mbs_bracket x)
{
    double width = fabs(x.b - x.a);

    for (int iter = 0; iter < 200 && fabs(x.b - x.a) > 4 * DBL_EPSILON * fmax(fabs(x.a), fabs(x.b)); iter++) {
        double t = (x.a * x.fb - x.b * x.fa) / (x.fb - x.fa), f;
        /* bisect when the bracket does not shrink fast enough or the secant falls on an end */
        if (iter % 3 == 2 || !((t - x.a) * (t - x.b) < 0))
            t = 0.5 * (x.a + x.b);
        if (t == x.a || t == x.b || fabs(x.b - x.a) < 1e-15 * width)
            break;
        f = probe(sim, t, k);
        if (isnan(f))
            break;
        mbs_bracket_take(&x, t, f, sign_of(f) == sign_of(x.fb));
    }
    return x.b;
}

static int wanted(const struct mbs_event *e, int before, int after)
{
    return before && after && before != after && (e->direction == 0 || e->direction == after);
}

int mbs_event_find(struct mbs_sim *sim, const struct mbs_run *run, double *t_event, int *which)
{
    double t0 = sim->s.t_old, t1 = sim->event_to, best = t1;
    int found = -1, sign = 0;

    for (int i = 0; i < run->nevents; i++) {
        const struct mbs_event *e = &run->events[i];
        int k = e->output, side = sim->side[k];
        double a = (sim->event_from - t0) * sim->s.dir > 0 ? sim->event_from : t0;
        for (int part = 1; part <= PROBES; part++) {
            double b = part == PROBES ? t1 : t0 + part * (t1 - t0) / PROBES, fb;
            if ((b - a) * (t1 - t0) <= 0)
                continue;
            fb = part == PROBES ? sim->y[k] : probe(sim, b, k);
            if (wanted(e, side, sign_of(fb))) {
                double t = locate(sim, k, (struct mbs_bracket){ a, a == t0 ? sim->y_old[k] : probe(sim, a, k), b, fb, 0 });
                if (found < 0 || (t - best) * sim->s.dir < 0) {
                    best = t;
                    found = i;
                    sign = sign_of(fb);
                }
                break;
            }
            if (sign_of(fb))
                side = sign_of(fb);
            a = b;
        }
    }
    if (found < 0) {
        for (int k = 0; k < sim->model->ny; k++)
            if (sign_of(sim->y[k]))
                sim->side[k] = (signed char)sign_of(sim->y[k]);
        sim->event_from = t1;
        return 0;
    }
    sim->side[run->events[found].output] = (signed char)sign;
    sim->event_from = best;
    *t_event = best;
    *which = found;
    return 1;
}
