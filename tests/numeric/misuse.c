/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Misuse of the interface: each call is answered with MBS_BAD_ARGUMENT and a sentence, changes nothing, and leaves a
 * simulation that still runs. */
#include "../tap.h"
#include "hand_models.h"

#include <string.h>

static struct mbs_sim *sim;
static struct mbs_message msg;

/* The pendulum with a parameter and an input that nothing depends on. */
static struct mbs_model model;
static const struct mbs_name extra = { "extra", "", 1 };

static void extra_default(double *p, const unsigned char *given)
{
    (void)given;
    p[0] = 1;
}

static void model_init(void)
{
    model = hand_pendulum;
    model.np = model.nu = 1;
    model.param = model.input = &extra;
    model.defaults = extra_default;
}

static struct mbs_sim *open_sim(void)
{
    struct mbs_options opt;
    struct mbs_sim *s = NULL;

    mbs_options_init(&opt, NULL);
    opt.method = "dop853";
    if (mbs_new(&s, &model, NULL, &opt, NULL) || mbs_assemble(s, 0))
        return NULL;
    return s;
}

/* ---- options and mbs_new ---- */

static void refuse_option(const char *what, struct mbs_options *opt, const struct mbs_model *what_model, const double *params)
{
    struct mbs_sim *out = (struct mbs_sim *)&msg;
    int status;

    memset(&msg, 0, sizeof msg);
    status = mbs_new(&out, what_model, params, opt, &msg);
    ok(status == MBS_BAD_ARGUMENT && !out && msg.text[0] && msg.status == status, "mbs_new, %s: %s", what, msg.text);
}

#define OPTION(member, value)                                                                                          \
    do {                                                                                                               \
        mbs_options_init(&opt, NULL);                                                                                  \
        opt.member = value;                                                                                            \
        refuse_option(#member " = " #value, &opt, &hand_pendulum, NULL);                                               \
    } while (0)

static void test_options(void)
{
    static const double falling[] = { 2, 1 }, nan_break[] = { NAN }, bad_atol[] = { 1e-6, 1e-6, -1, 1e-6 };
    static const double params = NAN;
    struct mbs_options opt;
    struct mbs_model other = hand_pendulum;

    OPTION(rtol, -1e-6);
    OPTION(rtol, NAN);
    OPTION(rtol, INFINITY);
    OPTION(rtol, 2);
    OPTION(rtol, 1e-20);
    OPTION(atol, -1);
    OPTION(atol, INFINITY);
    OPTION(atol_y, bad_atol);
    OPTION(h0, -1);
    OPTION(h0, NAN);
    OPTION(h0, INFINITY);
    OPTION(hmin, -1);
    OPTION(hmin, NAN);
    OPTION(hmax, -1);
    OPTION(hmax, NAN);
    OPTION(step, -0.1);
    OPTION(step, NAN);
    OPTION(step, INFINITY);
    OPTION(rho, 1.1);
    OPTION(rho, -0.1);
    OPTION(alpha, 0.1);
    OPTION(alpha, -0.5);
    OPTION(baumgarte_alpha, -1);
    OPTION(baumgarte_beta, NAN);
    OPTION(max_steps, 0);
    OPTION(max_steps, -5);
    OPTION(project, 2);
    OPTION(project, -2);
    OPTION(order_min, -1);
    OPTION(order_max, -1);
    OPTION(nbreaks, 3);
    OPTION(nbreaks, -1);
    OPTION(method, "rk4711");
    OPTION(formulation, "index7");
    mbs_options_init(&opt, NULL);
    opt.rtol = opt.atol = 0;
    refuse_option("rtol = atol = 0", &opt, &hand_pendulum, NULL);
    mbs_options_init(&opt, NULL);
    opt.hmin = 2;
    opt.hmax = 1;
    refuse_option("hmin > hmax", &opt, &hand_pendulum, NULL);
    mbs_options_init(&opt, NULL);
    opt.order_min = 9;
    opt.order_max = 5;
    refuse_option("order_min > order_max", &opt, &hand_pendulum, NULL);
    mbs_options_init(&opt, NULL);
    opt.breaks = falling;
    opt.nbreaks = 2;
    refuse_option("breaks that fall", &opt, &hand_pendulum, NULL);
    opt.breaks = nan_break;
    opt.nbreaks = 1;
    refuse_option("a break at NaN", &opt, &hand_pendulum, NULL);
    mbs_options_init(&opt, NULL);
    opt.method = "genalpha";
    opt.iteration = "newton";
    refuse_option("an unknown iteration", &opt, &hand_pendulum, NULL);
    mbs_options_init(&opt, NULL);
    refuse_option("no model", &opt, NULL, NULL);
    refuse_option("no options", NULL, &hand_pendulum, NULL);
    other.abi = MBS_ABI + 1;
    refuse_option("another ABI", &opt, &other, NULL);
    other = hand_pendulum;
    other.dynamics = NULL;
    refuse_option("a model without dynamics", &opt, &other, NULL);
    other = hand_pendulum;
    other.nq = -1;
    refuse_option("a negative number of coordinates", &opt, &other, NULL);
    ok(mbs_new(NULL, &hand_pendulum, NULL, &opt, &msg) == MBS_BAD_ARGUMENT && msg.text[0], "mbs_new, nowhere to put it: %s", msg.text);
    ok(mbs_new(NULL, NULL, NULL, NULL, NULL) == MBS_BAD_ARGUMENT, "mbs_new, NULL everywhere");
    refuse_option("a parameter that is NaN", &opt, &model, &params);
}

/* ---- calls on a simulation ---- */

static double before[64];

static void refuse(const char *what, int status)
{
    const struct mbs_state *x = mbs_state(sim);
    int same = x->t == 0;

    for (int i = 0; i < model.nq; i++)
        same &= x->q[i] == before[i];
    ok(status == MBS_BAD_ARGUMENT && mbs_message(sim)->status == status && mbs_message(sim)->text[0] && same, "%s: %d %s%s", what,
       status, mbs_message(sim)->text, same ? "" : " (the state has changed)");
}

static int run_with(double to, double every, const double *times, int ntimes, const struct mbs_event *events, int nevents)
{
    struct mbs_run run;

    mbs_run_init(&run, NULL);
    run.to = to;
    run.every = every;
    run.times = times;
    run.ntimes = ntimes;
    run.events = events;
    run.nevents = nevents;
    return mbs_run(sim, &run);
}

static void test_calls(void)
{
    static const double back[] = { 0.1, 0.3, 0.2 }, nans[] = { 0.1, NAN }, inf[] = { INFINITY }, forth[] = { -0.1, -0.05 };
    static const struct mbs_event outside[] = { { 99, 0, MBS_EVENT_STOP } }, below[] = { { -1, 0, MBS_EVENT_STOP } },
                                  direction[] = { { 0, 2, MBS_EVENT_STOP } }, action[] = { { 0, 0, (enum mbs_event_action)9 } };
    double bad[64];

    memcpy(before, mbs_state(sim)->q, (size_t)model.nq * sizeof *before);
    for (int i = 0; i < 64; i++)
        bad[i] = i == 0 ? NAN : 0;
    refuse("mbs_run to NaN", run_with(NAN, 0, NULL, 0, NULL, 0));
    refuse("mbs_run to infinity", run_with(INFINITY, 0, NULL, 0, NULL, 0));
    refuse("mbs_run every -1", run_with(1, -1, NULL, 0, NULL, 0));
    refuse("mbs_run every NaN", run_with(1, NAN, NULL, 0, NULL, 0));
    refuse("mbs_run every infinity", run_with(1, INFINITY, NULL, 0, NULL, 0));
    refuse("mbs_run every 1e-18", run_with(1, 1e-18, NULL, 0, NULL, 0));
    refuse("times out of order", run_with(1, 0, back, 3, NULL, 0));
    refuse("times out of order, backwards", run_with(-1, 0, forth, 2, NULL, 0));
    refuse("a time that is NaN", run_with(1, 0, nans, 2, NULL, 0));
    refuse("a time that is infinite", run_with(1, 0, inf, 1, NULL, 0));
    refuse("times without an array", run_with(1, 0, NULL, 3, NULL, 0));
    refuse("-1 times", run_with(1, 0, back, -1, NULL, 0));
    refuse("an event on an output that is not there", run_with(1, 0, NULL, 0, outside, 1));
    refuse("an event on output -1", run_with(1, 0, NULL, 0, below, 1));
    refuse("an event with direction 2", run_with(1, 0, NULL, 0, direction, 1));
    refuse("an event with action 9", run_with(1, 0, NULL, 0, action, 1));
    refuse("events without an array", run_with(1, 0, NULL, 0, NULL, 2));
    refuse("-1 events", run_with(1, 0, NULL, 0, outside, -1));
    refuse("mbs_run without a run", mbs_run(sim, NULL));
    refuse("mbs_advance to NaN", mbs_advance(sim, NAN));
    refuse("mbs_assemble at NaN", mbs_assemble(sim, NAN));
    refuse("mbs_assemble at infinity", mbs_assemble(sim, INFINITY));
    refuse("mbs_set_state at NaN", mbs_set_state(sim, NAN, NULL, NULL, NULL));
    refuse("mbs_set_state, NaN in q", mbs_set_state(sim, 0, bad, NULL, NULL));
    refuse("mbs_set_state, NaN in v", mbs_set_state(sim, 0, NULL, bad, NULL));
    refuse("mbs_set_inputs NULL", mbs_set_inputs(sim, NULL));
    refuse("mbs_set_inputs NaN", mbs_set_inputs(sim, bad));
    refuse("mbs_set_parameters NULL", mbs_set_parameters(sim, NULL));
    refuse("mbs_set_parameters NaN", mbs_set_parameters(sim, bad));
    refuse("mbs_outputs NULL", mbs_outputs(sim, NULL));
    refuse("mbs_energy NULL", mbs_energy(sim, NULL));
    refuse("mbs_violation NULL", mbs_violation(sim, NULL));
    refuse("mbs_rank NULL", mbs_rank(sim, NULL, NULL));
    refuse("mbs_modes NULL", mbs_modes(sim, NULL));
}

/* ---- no simulation at all ---- */

static void test_null(void)
{
    struct mbs_run run;
    struct mbs_violation vio;
    struct mbs_rank rank;
    struct mbs_modes modes;
    double x[64] = { 0 };

    mbs_run_init(&run, NULL);
    ok(mbs_run(NULL, &run) == MBS_BAD_ARGUMENT, "mbs_run(NULL)");
    ok(mbs_advance(NULL, 1) == MBS_BAD_ARGUMENT, "mbs_advance(NULL)");
    ok(mbs_assemble(NULL, 0) == MBS_BAD_ARGUMENT, "mbs_assemble(NULL)");
    ok(mbs_consistent(NULL) == MBS_BAD_ARGUMENT, "mbs_consistent(NULL)");
    ok(mbs_set_state(NULL, 0, x, x, NULL) == MBS_BAD_ARGUMENT, "mbs_set_state(NULL)");
    ok(mbs_set_inputs(NULL, x) == MBS_BAD_ARGUMENT, "mbs_set_inputs(NULL)");
    ok(mbs_set_parameters(NULL, x) == MBS_BAD_ARGUMENT, "mbs_set_parameters(NULL)");
    ok(mbs_outputs(NULL, x) == MBS_BAD_ARGUMENT, "mbs_outputs(NULL)");
    ok(mbs_energy(NULL, x) == MBS_BAD_ARGUMENT, "mbs_energy(NULL)");
    ok(mbs_violation(NULL, &vio) == MBS_BAD_ARGUMENT, "mbs_violation(NULL)");
    ok(mbs_rank(NULL, &rank, NULL) == MBS_BAD_ARGUMENT, "mbs_rank(NULL)");
    ok(mbs_equilibrium(NULL) == MBS_BAD_ARGUMENT, "mbs_equilibrium(NULL)");
    ok(mbs_modes(NULL, &modes) == MBS_BAD_ARGUMENT, "mbs_modes(NULL)");
    ok(!mbs_state(NULL) && !mbs_statistics(NULL) && !mbs_method(NULL) && mbs_formulation(NULL) == MBS_FORMS, "questions to NULL");
    ok(mbs_message(NULL)->status == MBS_BAD_ARGUMENT && mbs_message(NULL)->text[0], "mbs_message(NULL): %s", mbs_message(NULL)->text);
    ok(!mbs_method_list(0, NULL) && !mbs_method_list(-1, NULL), "mbs_method_list without a place");
    mbs_free(NULL);
    mbs_modes_free(NULL);
    mbs_options_init(NULL, NULL);
    mbs_run_init(NULL, NULL);
}

/* ---- from within a run ---- */

static int wrong;

static int meddle(void *user, const struct mbs_state *x, const double *y)
{
    struct mbs_modes modes;

    (void)user, (void)x, (void)y;
    wrong += mbs_advance(sim, 2) != MBS_BAD_ARGUMENT;
    wrong += mbs_assemble(sim, 0) != MBS_BAD_ARGUMENT;
    wrong += mbs_consistent(sim) != MBS_BAD_ARGUMENT;
    wrong += mbs_set_state(sim, 0, NULL, NULL, NULL) != MBS_BAD_ARGUMENT;
    wrong += mbs_equilibrium(sim) != MBS_BAD_ARGUMENT;
    wrong += mbs_modes(sim, &modes) != MBS_BAD_ARGUMENT;
    return 0;
}

static void test_within(void)
{
    struct mbs_run run;
    int status;

    mbs_run_init(&run, NULL);
    run.to = 0.1;
    run.output = meddle;
    status = mbs_run(sim, &run);
    ok(status == 0 && wrong == 0 && mbs_state(sim)->t == 0.1, "six calls from within a run: %d not refused; it ends with %d at %g", wrong,
       status, mbs_state(sim)->t);
}

int main(void)
{
    model_init();
    test_options();
    test_null();
    sim = open_sim();
    if (ok(sim != NULL, "the pendulum opens")) {
        test_calls();
        test_within();
    }
    mbs_free(sim);
    return tap_done();
}
