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

static void test_analyses(const double *bad)
{
    static const double fine[64] = { 0 };
    struct mbs_assemblies found;
    double a[64], l[64];

    refuse("mbs_forward at NaN", mbs_forward(sim, NAN, fine, a, l, NULL));
    refuse("mbs_forward without a state", mbs_forward(sim, 0, NULL, a, l, NULL));
    ok(mbs_forward(sim, 0, bad, a, l, NULL) == MBS_NAN && *mbs_message(sim)->text, "mbs_forward, NaN in the state: %s", mbs_message(sim)->text);
    refuse("mbs_forward without a place", mbs_forward(sim, 0, fine, NULL, l, NULL));
    refuse("mbs_assemblies at NaN", mbs_assemblies(sim, NAN, 3, &found));
    refuse("mbs_assemblies without a place", mbs_assemblies(sim, 0, 3, NULL));
    refuse("mbs_assemblies, -1 guesses", mbs_assemblies(sim, 0, -1, &found));
    refuse("mbs_linearize NULL", mbs_linearize(sim, NULL));
    refuse("mbs_descriptor NULL", mbs_descriptor(sim, NULL));
    refuse("mbs_adjoint before it was begun", mbs_adjoint(sim, 1, fine, a, NULL));
    ok(!mbs_derivatives(sim) && !mbs_adjoint_seen(sim), "there are no derivatives before they were begun");
    ok(mbs_derivatives_begin(sim, 0) < 0 && *mbs_message(sim)->text, "derivatives by no parameters: %s", mbs_message(sim)->text);
    ok(mbs_adjoint_begin(sim, 0, 0) < 0 && *mbs_message(sim)->text, "gradients by no parameters: %s", mbs_message(sim)->text);
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
    test_analyses(bad);
}

/* ---- no simulation at all ---- */

static void test_null(void)
{
    struct mbs_run run;
    struct mbs_violation vio;
    struct mbs_rank rank;
    struct mbs_modes modes;
    struct mbs_assemblies assemblies;
    struct mbs_linearization linear;
    struct mbs_descriptor descriptor;
    const struct mbs_feed none = { 0 };
    const struct mbs_model *out = NULL;
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
    ok(mbs_forward(NULL, 0, x, x, NULL, NULL) == MBS_BAD_ARGUMENT, "mbs_forward(NULL)");
    ok(mbs_assemblies(NULL, 0, 3, &assemblies) == MBS_BAD_ARGUMENT, "mbs_assemblies(NULL)");
    ok(mbs_steady(NULL) == MBS_BAD_ARGUMENT, "mbs_steady(NULL)");
    ok(mbs_linearize(NULL, &linear) == MBS_BAD_ARGUMENT, "mbs_linearize(NULL)");
    ok(mbs_descriptor(NULL, &descriptor) == MBS_BAD_ARGUMENT, "mbs_descriptor(NULL)");
    ok(mbs_frequency_response(NULL, 1, x) == MBS_BAD_ARGUMENT, "mbs_frequency_response(NULL)");
    ok(mbs_derivatives_begin(NULL, 0) == MBS_BAD_ARGUMENT && mbs_adjoint_begin(NULL, 0, 0) == MBS_BAD_ARGUMENT, "derivatives of NULL");
    ok(mbs_adjoint(NULL, 1, x, x, x) == MBS_BAD_ARGUMENT, "mbs_adjoint(NULL)");
    ok(mbs_run_batch(NULL, NULL) == MBS_BAD_ARGUMENT && mbs_run_batch(&model, NULL) == MBS_BAD_ARGUMENT && mbs_run_batch(&model, &none) == MBS_BAD_ARGUMENT, "mbs_run_batch of nothing");
    ok(mbs_interpret(NULL, "", 0, &msg) == MBS_BAD_ARGUMENT && mbs_interpret(&out, NULL, 5, NULL) == MBS_BAD_ARGUMENT && mbs_interpret(&out, "", 0, NULL) == MBS_BAD_ARGUMENT && !out, "mbs_interpret of nothing");
    ok(!mbs_parameters(NULL) && !mbs_constants(NULL) && !mbs_derivatives(NULL) && !mbs_adjoint_seen(NULL) && !mbs_witness(NULL) && !mbs_passages(NULL), "more questions to NULL");
    ok(*mbs_status_text(MBS_OK) && *mbs_status_text(-12345) && *mbs_status_text(12345), "a text for any status: %s", mbs_status_text(12345));
    ok(*mbs_form_name(MBS_INDEX1) && mbs_form_name((enum mbs_form)99) && mbs_form_name((enum mbs_form)-1), "a name for any formulation: '%s'", mbs_form_name((enum mbs_form)99));
    ok(!mbs_method_list(0, NULL) && !mbs_method_list(-1, NULL), "mbs_method_list without a place");
    mbs_free(NULL);
    mbs_modes_free(NULL);
    mbs_assemblies_free(NULL);
    mbs_linearization_free(NULL);
    mbs_descriptor_free(NULL);
    mbs_interpret_free(NULL);
    mbs_interpret_free(&model);         /* it is none that was interpreted */
    mbs_options_init(NULL, NULL);
    mbs_run_init(NULL, NULL);
}

/* ---- from within a run ---- */

static int wrong;

static int meddle(void *user, const struct mbs_state *x, const double *y)
{
    struct mbs_modes modes;
    struct mbs_assemblies assemblies;
    struct mbs_linearization linear;
    struct mbs_descriptor descriptor;

    (void)user, (void)y;
    wrong += mbs_advance(sim, 2) != MBS_BAD_ARGUMENT;
    wrong += mbs_assemble(sim, 0) != MBS_BAD_ARGUMENT;
    wrong += mbs_consistent(sim) != MBS_BAD_ARGUMENT;
    wrong += mbs_set_state(sim, 0, NULL, NULL, NULL) != MBS_BAD_ARGUMENT;
    wrong += mbs_equilibrium(sim) != MBS_BAD_ARGUMENT;
    wrong += mbs_modes(sim, &modes) != MBS_BAD_ARGUMENT;
    wrong += mbs_steady(sim) != MBS_BAD_ARGUMENT;
    wrong += mbs_linearize(sim, &linear) != MBS_BAD_ARGUMENT;
    wrong += mbs_descriptor(sim, &descriptor) != MBS_BAD_ARGUMENT;
    wrong += mbs_assemblies(sim, 0, 3, &assemblies) != MBS_BAD_ARGUMENT;
    wrong += mbs_derivatives_begin(sim, 0) != MBS_BAD_ARGUMENT;
    wrong += mbs_adjoint_begin(sim, 0, 0) != MBS_BAD_ARGUMENT;
    wrong += mbs_adjoint(sim, 1, x->q, NULL, NULL) != MBS_BAD_ARGUMENT;
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
    ok(status == 0 && wrong == 0 && mbs_state(sim)->t == 0.1, "calls from within a run: %d not refused; it ends with %d at %g", wrong,
       status, mbs_state(sim)->t);
}

/* ---- batches ---- */

struct feed_seen {
    struct mbs_sim *give[3];
    int given, status[3], ended;
};

static struct mbs_sim *feed_next(void *user, int lane, struct mbs_run *run)
{
    struct feed_seen *f = user;

    (void)lane;
    run->to = 0.1;
    return f->given < 3 ? f->give[f->given++] : NULL;
}

static void feed_done(void *user, int lane, struct mbs_sim *s, int status)
{
    struct feed_seen *f = user;

    (void)lane, (void)s;
    f->status[f->ended++] = status;
}

/* A simulation of another model among those of a batch. */
static void test_batch(void)
{
    struct mbs_sim *one = open_sim(), *two = open_sim(), *other = NULL;
    struct mbs_options opt;
    struct feed_seen f = { { one, NULL, two }, 0, { 9, 9, 9 }, 0 };
    const struct mbs_feed feed = { &f, feed_next, feed_done };

    mbs_options_init(&opt, NULL);
    if (one && two && mbs_new(&other, &hand_pendulum, NULL, &opt, NULL) == 0 && mbs_assemble(other, 0) == 0) {
        f.give[1] = other;
        ok(mbs_run_batch(&model, &feed) == 0 && f.ended == 3 && f.status[0] == 0 && f.status[1] == MBS_BAD_ARGUMENT && f.status[2] == 0, "a batch with one of another model: %s",
           mbs_message(other)->text);
    } else {
        ok(0, "simulations for a batch");
    }
    mbs_free(one);
    mbs_free(two);
    mbs_free(other);
}

/* A simulation in the place of one that has run, stopped within a run or is of another model gives what a new one gives, bit for bit. */
static void test_renewed(void)
{
    struct mbs_sim *one = open_sim(), *place = open_sim();
    struct mbs_options opt;
    double y[2][2];

    mbs_options_init(&opt, NULL), opt.method = "dop853";
    ok(mbs_renew(NULL, &model, NULL, &opt, &msg) == MBS_BAD_ARGUMENT && mbs_renew(&place, NULL, NULL, &opt, &msg) == MBS_BAD_ARGUMENT &&
           mbs_renew(&place, &model, NULL, NULL, &msg) == MBS_BAD_ARGUMENT, "mbs_renew of nothing: %s", msg.text);
    mbs_advance(one, 0.7);
    y[0][0] = mbs_state(one)->q[0];
    y[0][1] = mbs_state(one)->v[0];
    for (int turn = 0; turn < 4; turn++) {
        if (turn == 2)
            opt.rtol = 0;               /* refused: the place is empty then */
        mbs_advance(place, 0.3);
        int status = mbs_renew(&place, turn == 1 ? &hand_pendulum : &model, NULL, &opt, &msg);
        if (turn == 1 || turn == 2) {
            ok(turn == 1 ? status == 0 && place : status == MBS_BAD_ARGUMENT && !place, turn == 1 ? "another model in its place" : "a refused one leaves nothing: %s", msg.text);
            mbs_options_init(&opt, NULL), opt.method = "dop853";
            continue;
        }
        ok(status == 0 && mbs_assemble(place, 0) == 0 && mbs_advance(place, 0.7) == 0, "renewed and run");
        y[1][0] = mbs_state(place)->q[0];
        y[1][1] = mbs_state(place)->v[0];
        ok(memcmp(y[0], y[1], sizeof y[0]) == 0 && mbs_statistics(place)->f == mbs_statistics(one)->f, "... with the same bits and as many evaluations");
    }
    mbs_free(one);
    mbs_free(place);
}

/* ---- linearisations ---- */

static void test_response(void)
{
    struct mbs_linearization x = { 0 };
    double H[64];

    ok(mbs_linearize(sim, &x) == 0, "the pendulum is linearised");
    ok(mbs_frequency_response(&x, NAN, H) == MBS_BAD_ARGUMENT, "a response at NaN");
    ok(mbs_frequency_response(&x, INFINITY, H) == MBS_BAD_ARGUMENT, "a response at infinity");
    ok(mbs_frequency_response(&x, 1, NULL) == MBS_BAD_ARGUMENT, "a response without a place");
    mbs_linearization_free(&x);
    mbs_linearization_free(&x);
    ok(mbs_frequency_response(&x, 1, H) == MBS_BAD_ARGUMENT || (x.nu == 0 && x.nx == 0), "a response of what was given back");
}

int main(void)
{
    model_init();
    test_options();
    test_null();
    sim = open_sim();
    if (ok(sim != NULL, "the pendulum opens")) {
        test_calls();
        test_response();
        test_batch();
        test_renewed();

        test_within();
    }
    mbs_free(sim);
    return tap_done();
}
