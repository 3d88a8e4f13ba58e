/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every method in every formulation it offers, through the same interface: the squeezer at one tolerance, and a
 * pendulum with output between the steps, an event, a break, a stop and a continuation. */
#include "../tap.h"
#include "hand_models.h"

#include <string.h>

static void squeezer(const struct mbs_method_info *info, enum mbs_form form)
{
    struct mbs_options opt;
    struct mbs_sim *sim;
    struct mbs_message msg;
    double scd = -99;

    mbs_options_init(&opt, NULL);
    opt.method = info->name;
    opt.formulation = mbs_form_name(form);
    opt.rtol = opt.atol = 1e-7;
    opt.max_steps = 200000;
    if (!info->adaptive)
        opt.step = 0.03 / 4096;
    if (mbs_new(&sim, &hand_squeezer, NULL, &opt, &msg)) {
        ok(0, "%s %s: %s", info->name, opt.formulation, msg.text);
        return;
    }
    if (mbs_assemble(sim, 0) == 0 && mbs_advance(sim, 0.03) == 0)
        scd = hand_scd(mbs_state(sim), &hand_squeezer);
    const struct mbs_statistics *s = mbs_statistics(sim);
    /* the methods have tests of their own for accuracy; this one only finds those that are broken */
    ok(scd > 3, "%s %s: scd %.2f, %ld steps, %ld f, %ld jac, %ld lu, %ld newton %s", info->name, opt.formulation, scd, s->steps, s->f, s->jac, s->lu, s->newton,
       mbs_message(sim)->text);
    mbs_free(sim);
}

/* ---- pendulum ---- */

enum { OUTPUTS = 21 };

struct seen {
    int outputs, events, rows;
    double t[OUTPUTS + 8], x[OUTPUTS + 8], t_event, y_event;
};

static int see(void *user, const struct mbs_state *x, const double *y)
{
    struct seen *s = user;

    if (s->outputs < OUTPUTS + 8) {
        s->t[s->outputs] = x->t;
        s->x[s->outputs] = y[0];
    }
    s->outputs++;
    return 0;
}

static int event(void *user, struct mbs_sim *sim, int i, const struct mbs_state *x)
{
    struct seen *s = user;

    (void)sim, (void)i;
    if (s->events++ == 0) {
        s->t_event = x->t;
        s->y_event = x->q[1];
    }
    return 0;
}

/* Up to 2 s with output every 0.1 s; stops where px first falls through 0, goes on, restarts at a break at 1.234. */
static int swing(const char *method, const char *form, int adaptive, double tol, struct seen *seen, double *end, char *text, size_t size)
{
    static const double breaks[] = { 1.234 };
    static const struct mbs_event events[] = { { 0, -1, MBS_EVENT_STOP } };
    struct mbs_options opt;
    struct mbs_run run;
    struct mbs_sim *sim;
    struct mbs_message msg;
    double times[OUTPUTS];
    int status;

    memset(seen, 0, sizeof *seen);
    for (int i = 0; i < OUTPUTS; i++)
        times[i] = 0.1 * i;
    mbs_options_init(&opt, NULL);
    opt.method = method;
    opt.formulation = form;
    opt.rtol = opt.atol = tol;
    opt.breaks = breaks;
    opt.nbreaks = 1;
    if (!adaptive)
        opt.step = 1. / 1024;
    status = mbs_new(&sim, &hand_pendulum, NULL, &opt, &msg);
    if (status) {
        snprintf(text, size, "%s", msg.text);
        return status;
    }
    mbs_run_init(&run, NULL);
    run.to = 2;
    run.times = times;
    run.ntimes = OUTPUTS;
    run.output = see;
    run.event = event;
    run.events = events;
    run.nevents = 1;
    run.user = seen;
    status = mbs_assemble(sim, 0);
    if (status == 0)
        status = mbs_run(sim, &run) == MBS_EVENT ? 0 : -99;
    if (status == 0 && mbs_state(sim)->t != seen->t_event)
        status = -98;
    run.nevents = 0;
    if (status == 0)
        status = mbs_run(sim, &run);
    snprintf(text, size, "%s", mbs_message(sim)->text);
    memcpy(end, mbs_state(sim)->q, 2 * sizeof *end);
    if (status == 0 && (mbs_state(sim)->t != 2 || mbs_statistics(sim)->restarts != 1))
        status = -97;
    mbs_free(sim);
    return status;
}

static void pendulum(const struct mbs_method_info *info, enum mbs_form form, const struct seen *want, const double *want_end)
{
    struct seen got;
    double end[2] = { 0, 0 }, worst = 0;
    char text[400];
    int times = 0, status = swing(info->name, mbs_form_name(form), info->adaptive, 1e-7, &got, end, text, sizeof text);

    for (int i = 0; i < OUTPUTS && i < got.outputs; i++) {
        times += got.t[i] == want->t[i];
        worst = fmax(worst, fabs(got.x[i] - want->x[i]));
    }
    worst = fmax(worst, fmax(fabs(end[0] - want_end[0]), fabs(end[1] - want_end[1])));
    ok(status == 0 && got.outputs == OUTPUTS && times == OUTPUTS, "pendulum, %s %s: status %d %s", info->name, mbs_form_name(form), status, text);
    /* a tolerance of 1e-7 a step gives second-order methods 5e-4 here; all others do better */
    ok(worst < 1e-3 && fabs(got.t_event - want->t_event) < 1e-4, "output within %.1g, event at %.9f within %.1g", worst, got.t_event,
       fabs(got.t_event - want->t_event));
}

int main(void)
{
    struct mbs_method_info info;
    struct seen want;
    double want_end[2];
    char text[400];

    ok(swing("dop853", "projected", 1, 1e-12, &want, want_end, text, sizeof text) == 0, "the reference runs %s", text);
    /* a quarter of the period, K(sin(pi/4)) / omega with the complete elliptic integral K = 1.85407467730137 */
    near(want.t_event, 1.85407467730137192 / sqrt(9.81), 1e-10, "time of the first passage");
    for (int i = 0; mbs_method_list(i, &info); i++)
        for (int f = 0; f < MBS_FORMS; f++)
            if (!info.needs && !info.stepping && (info.forms & (1u << f))) {
                squeezer(&info, (enum mbs_form)f);
                pendulum(&info, (enum mbs_form)f, &want, want_end);
            }
    return tap_done();
}
