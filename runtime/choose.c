/* SPDX-License-Identifier: MIT
 *
 * What the method "auto" becomes.
 *
 * Explicit methods need steps of about 6 / |s|, s being the largest eigenvalue of the linearised motion, whatever the
 * tolerance; implicit ones do not, but pay for it with every step.  So the model is assembled at its start and its
 * eigenvalues are computed there.  With T the time of the experiment, |s| T / 6 is the number of steps that stability
 * asks of an explicit method:
 *
 *     more than 100 and the mode is damped (its motion dies out: it limits the step for nothing)     radau
 *     more than 300 (undamped: if it is excited, an implicit method must follow it all the same)     radau
 *     else, rtol > 1e-5                                                                              dopri5
 *     else                                                                                           dop853
 *
 * The flexible slider crank has 377 there; on it radau needs half of what dop853 needs at equal accuracy, also when
 * its modes are excited.
 *
 * Where the start cannot be assembled, T is unknown, or the model is too large for the eigenvalues, the last two lines
 * decide.  Whatever becomes stiff later is noticed by the explicit method itself, and the run goes on with radau. */
#include "sim.h"

#include <math.h>
#include <string.h>

enum { ORDER_MAX = 60 };        /* coordinates and states up to which the eigenvalues are computed */

/* Steps that stability asks of an explicit method; *damped: the mode that asks for most dies out by itself. */
static double stability_steps(struct mbs_sim *sim, int *damped)
{
    const struct mbs_experiment *e = &sim->model->experiment;
    double from = isnan(e->from) ? 0 : e->from, span = e->to - from, worst = 0;
    struct mbs_modes modes;

    *damped = 0;
    if (!(span > 0) || sim->p.n + sim->p.nz > ORDER_MAX || !sim->model->jacobian)
        return 0;
    if (mbs_assemble(sim, from) || mbs_modes_instant(sim, &modes))
        return 0;
    for (int i = 0; i < modes.count; i++) {
        double size = hypot(modes.re[i], modes.im[i]);
        if (size > worst) {
            worst = size;
            *damped = modes.re[i] < -0.1 * size;
        }
    }
    mbs_modes_free(&modes);
    return worst * span / 6;
}

const char *mbs_choose_method(struct mbs_sim *sim)
{
    struct mbs_point *x = &sim->s.x;
    int damped;
    double steps;

    for (int i = 0; i < sim->model->ncontact; i++)
        if (sim->model->pair[i].kind == MBS_CONTACT_BODY)
            return "moreau";
    if (sim->model->ncontact > 0)
        return "dop853";
    steps = stability_steps(sim, &damped);

    /* all this was only a look */
    sim->model->initial(sim->p.c, x->q, x->v, x->z, sim->p.u);
    x->t = 0;
    memset(x->a, 0, (size_t)sim->p.n * sizeof *x->a);
    memset(x->lambda, 0, (size_t)sim->p.m * sizeof *x->lambda);
    memset(&sim->stat, 0, sizeof sim->stat);
    memset(&sim->msg, 0, sizeof sim->msg);
    sim->fresh_accelerations = sim->started = sim->own_state = 0;
    if (steps > (damped ? 100 : 300))
        return "radau";
    return sim->opt.rtol > 1e-5 ? "dopri5" : "dop853";
}
