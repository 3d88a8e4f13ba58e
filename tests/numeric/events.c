/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Events with change of state, recorded events, breaks, inputs, running backwards, output in all its forms. */
#include "../tap.h"
#include "hand_models.h"

#include <string.h>

/* a quarter of the period of the pendulum that starts horizontally */
static const double QUARTER = 0.59196048689405933;

static struct mbs_sim *open_model(const struct mbs_model *model, const char *method, double tol, const double *breaks, int nbreaks)
{
    struct mbs_options opt;
    struct mbs_sim *sim;
    struct mbs_message msg;

    mbs_options_init(&opt, NULL);
    opt.method = method;
    opt.rtol = opt.atol = tol;
    opt.breaks = breaks;
    opt.nbreaks = nbreaks;
    if (mbs_new(&sim, model, NULL, &opt, &msg))
        printf("# %s\n", msg.text);
    mbs_assemble(sim, 0);
    return sim;
}

struct log {
    int count;
    double t[64];
};

static int bounce(void *user, struct mbs_sim *sim, int i, const struct mbs_state *x)
{
    struct log *l = user;
    double v[2] = { -x->v[0], -x->v[1] };

    (void)i;
    l->t[l->count++ % 64] = x->t;
    return mbs_set_state(sim, x->t, NULL, v, NULL);
}

static int record(void *user, struct mbs_sim *sim, int i, const struct mbs_state *x)
{
    struct log *l = user;

    (void)sim, (void)i;
    l->t[l->count++ % 64] = x->t;
    return 0;
}

/* A wall at x = 0: the pendulum comes back to its start after two quarters, and so on. */
static void test_impact(const char *method)
{
    static const struct mbs_event wall[] = { { 0, -1, MBS_EVENT_RESTART } };
    struct mbs_sim *sim = open_model(&hand_pendulum, method, 1e-10, NULL, 0);
    struct mbs_run run;
    struct log l = { 0 };
    double worst = 0, e[2];
    int status;

    mbs_run_init(&run, NULL);
    run.to = 10;
    run.events = wall;
    run.nevents = 1;
    run.event = bounce;
    run.user = &l;
    status = mbs_run(sim, &run);
    ok(status == 0 && l.count == 8 && mbs_statistics(sim)->restarts == 8, "%s: %d impacts in 10 s %s", method, l.count, mbs_message(sim)->text);
    for (int i = 0; i < l.count; i++)
        worst = fmax(worst, fabs(l.t[i] - (2 * i + 1) * QUARTER));
    mbs_energy(sim, e);
    /* a tolerance of 1e-10 a step over some 200 steps and 8 restarts */
    ok(worst < 1e-7 && fabs(e[0] + e[1]) < 1e-6, "times within %.1g, energy %.1g", worst, e[0] + e[1]);
    mbs_free(sim);
}

/* Recorded crossings do not change the motion. */
static void test_record(void)
{
    static const struct mbs_event both[] = { { 0, 0, MBS_EVENT_RECORD }, { 1, 1, MBS_EVENT_RECORD } };
    struct mbs_sim *sim = open_model(&hand_pendulum, "dop853", 1e-9, NULL, 0), *plain = open_model(&hand_pendulum, "dop853", 1e-9, NULL, 0);
    struct mbs_run run;
    struct log l = { 0 };
    double worst = 0;
    int status;

    mbs_run_init(&run, NULL);
    run.to = 10;
    run.events = both;
    run.nevents = 1;
    run.event = record;
    run.user = &l;
    status = mbs_run(sim, &run);
    ok(status == 0 && l.count == 8, "%d crossings recorded", l.count);
    for (int i = 0; i < l.count; i++)
        worst = fmax(worst, fabs(l.t[i] - (2 * i + 1) * QUARTER));
    ok(worst < 1e-7, "times within %.1g", worst);
    mbs_advance(plain, 10);
    ok(memcmp(mbs_state(sim)->q, mbs_state(plain)->q, 2 * sizeof(double)) == 0, "and the motion is the same bit by bit");
    run.events = &both[1];
    run.to = 12;
    l.count = 0;
    ok(mbs_run(sim, &run) == 0, "another event in the same simulation");
    mbs_free(sim);
    mbs_free(plain);
}

/* ---- a force of 1 up to t = 0.3, stated as t <= 0.3 and as t < 0.3 ---- */

static int strict;

static void push_dynamics(const double *c, const struct mbs_state *x, const struct mbs_dynamics *o, double *w)
{
    (void)c, (void)w;
    o->M[0] = 1;
    o->f[0] = strict ? x->t < 0.3 : x->t <= 0.3;
    o->zdot[0] = 0;
}

static void rest_initial(const double *c, double *q, double *v, double *z, double *u)
{
    (void)c, (void)u;
    q[0] = v[0] = z[0] = 0;
}

static void test_break(void)
{
    static const double at[] = { 0.3 };
    struct mbs_model model = hand_pendulum_angle;

    model.dynamics = push_dynamics;
    model.initial = rest_initial;
    for (strict = 0; strict < 2; strict++) {
        struct mbs_sim *sim = open_model(&model, "dopri5", 1e-3, at, 1);
        int status = mbs_advance(sim, 1);
        /* polynomials of degree 2 are integrated exactly, whatever the tolerance */
        ok(status == 0 && mbs_statistics(sim)->restarts == 1, "a force up to t %s 0.3, %ld steps", strict ? "<" : "<=", mbs_statistics(sim)->steps);
        near(mbs_state(sim)->v[0], 0.3, 1e-14, "velocity");
        near(mbs_state(sim)->q[0], 0.045 + 0.3 * 0.7, 1e-14, "way");
        mbs_free(sim);
    }
}

/* ---- inputs: q'' = u ---- */

static void pull_dynamics(const double *c, const struct mbs_state *x, const struct mbs_dynamics *o, double *w)
{
    (void)c, (void)w;
    o->M[0] = 1;
    o->f[0] = x->u[0];
    o->zdot[0] = 0;
}

static void pull_initial(const double *c, double *q, double *v, double *z, double *u)
{
    (void)c;
    q[0] = v[0] = z[0] = u[0] = 0;
}

static void cubic(void *user, double t, double *u)
{
    (void)user;
    u[0] = 6 * t;
}

static void test_inputs(void)
{
    static const struct mbs_name input[] = { { "u", "N", 1 } };
    struct mbs_model model = hand_pendulum_angle;
    struct mbs_options opt;
    struct mbs_sim *sim;
    double two = 2, minus = -2;

    model.dynamics = pull_dynamics;
    model.initial = pull_initial;
    model.nu = 1;
    model.input = input;
    sim = open_model(&model, "dop853", 1e-6, NULL, 0);
    mbs_set_inputs(sim, &two);
    mbs_advance(sim, 1);
    mbs_set_inputs(sim, &minus);
    mbs_advance(sim, 2);
    near(mbs_state(sim)->q[0], 2, 1e-13, "u = 2 for 1 s, then -2 for 1 s");
    near(mbs_state(sim)->v[0], 0, 1e-13, "at rest");
    mbs_free(sim);
    mbs_options_init(&opt, NULL);
    opt.method = "dop853";
    opt.input = cubic;
    mbs_new(&sim, &model, NULL, &opt, NULL);
    mbs_advance(sim, 2);
    near(mbs_state(sim)->q[0], 8, 1e-13, "u = 6 t gives t^3");
    mbs_free(sim);
}

/* ---- output ---- */

static int keep(void *user, const struct mbs_state *x, const double *y)
{
    struct log *l = user;

    (void)y;
    l->t[l->count++ % 64] = x->t;
    return 0;
}

static void test_output(void)
{
    struct mbs_sim *sim = open_model(&hand_pendulum, "dop853", 1e-8, NULL, 0);
    struct mbs_run run;
    struct log l = { 0 };

    mbs_run_init(&run, NULL);
    run.to = 1;
    run.output = keep;
    run.user = &l;
    mbs_run(sim, &run);
    ok(l.count == mbs_statistics(sim)->accepted + 1 && l.t[0] == 0 && l.t[l.count - 1] == 1, "every step: start and %d steps", l.count - 1);
    l.count = 0;
    run.to = 2;
    run.every = 0.3;
    mbs_run(sim, &run);
    ok(l.count == 5 && l.t[0] == 1 && fabs(l.t[3] - 1.9) < 1e-15 && l.t[4] == 2, "every 0.3 from 1 to 2: 1, 1.3, 1.6, 1.9 and the end (%d)", l.count);
    l.count = 0;
    run.to = 0;
    run.every = 0.5;
    ok(mbs_run(sim, &run) == 0, "backwards %s", mbs_message(sim)->text);
    ok(l.count == 5 && l.t[0] == 2 && l.t[1] == 1.5 && l.t[4] == 0, "with output at 2, 1.5, 1, 0.5, 0 (%d)", l.count);
    /* forth and back over 2 s at 1e-8 */
    near(mbs_state(sim)->q[0], 1, 1e-6, "back where it started: x");
    near(mbs_state(sim)->v[1], 0, 1e-5, "and at rest");
    mbs_free(sim);
}

/* Rows of a run: their number, the least distance of two, and the last. */
struct rows {
    int count;
    double last, least;
};

static int row(void *user, const struct mbs_state *x, const double *y)
{
    struct rows *r = user;

    (void)y;
    if (r->count++ > 0)
        r->least = fmin(r->least, fabs(x->t - r->last));
    r->last = x->t;
    return 0;
}

/* Multiples of every that miss the end by rounding errors: one row there, not two, and not none. */
static void test_last_row(void)
{
    static const struct {
        double to, every;
        int rows;
    } list[] = {
        { 0.3, 0.1, 4 }, { 0.3, 0.3 / 1000, 1001 }, { 9, 9. / 1000, 1001 }, { 60, 60. / 1000, 1001 }, { 1.1, 1.1 / 1000, 1001 },
        { 0.7, 0.1, 8 }, { 1, 1. / 3, 4 }, { 1, 0.3, 5 }, { -1.1, 1.1 / 1000, 1001 }, { 0.1, 1, 2 },
    };

    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        struct rows r = { 0, 0, HUGE_VAL };
        struct mbs_sim *sim = open_model(&hand_pendulum, "dop853", 1e-6, NULL, 0);
        struct mbs_run run;
        mbs_run_init(&run, NULL);
        run.to = list[i].to;
        run.every = list[i].every;
        run.output = row;
        run.user = &r;
        int status = mbs_run(sim, &run);
        ok(status == 0 && r.count == list[i].rows && r.last == list[i].to && r.least > 1e-3 * list[i].every,
           "to %g every %.17g: %d rows, %d wanted, the last at %.17g, least distance %g", list[i].to, list[i].every, r.count,
           list[i].rows, r.last, r.least);
        mbs_free(sim);
    }
}

/* The state where an event stops the run is the last row, whether or not it lies on a multiple. */
static void test_stop_row(void)
{
    static const struct mbs_event stop[] = { { 0, -1, MBS_EVENT_STOP } };

    for (int each = 0; each < 2; each++) {
        struct rows r = { 0, 0, HUGE_VAL };
        struct mbs_sim *sim = open_model(&hand_pendulum, "dop853", 1e-9, NULL, 0);
        struct mbs_run run;
        mbs_run_init(&run, NULL);
        run.to = 2;
        run.every = each ? 0 : 0.1;
        run.output = row;
        run.user = &r;
        run.events = stop;
        run.nevents = 1;
        int status = mbs_run(sim, &run);
        ok(status == MBS_EVENT && fabs(r.last - QUARTER) < 1e-8 && r.last == mbs_state(sim)->t && r.least > 0 &&
               (each || r.count == 7),
           "stopped at %.12f: %d rows, the last at %.12f", mbs_state(sim)->t, r.count, r.last);
        mbs_free(sim);
    }
}

int main(void)
{
    test_impact("dop853");
    test_impact("dopri5");
    test_impact("radau");
    test_impact("halfexplicit");
    test_record();
    test_break();
    test_inputs();
    test_output();
    test_last_row();
    test_stop_row();
    return tap_done();
}
