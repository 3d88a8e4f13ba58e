/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What can go wrong, with every method that fits: each fault has its own status and a message that names the culprit,
 * and the results so far are kept. */
#include "../tap.h"
#include "hand_models.h"

#include <string.h>

static int outputs;

static int count_output(void *user, const struct mbs_state *x, const double *y)
{
    (void)user, (void)x, (void)y;
    outputs++;
    return 0;
}

static struct mbs_sim *open_model(const struct mbs_model *model, const struct mbs_method_info *info, double tol)
{
    struct mbs_options opt;
    struct mbs_sim *sim;
    struct mbs_message msg;

    mbs_options_init(&opt, NULL);
    opt.method = info->name;
    if (!info->adaptive)
        opt.step = 1. / 256;
    opt.max_steps = 200000;
    opt.rtol = opt.atol = tol;
    if (mbs_new(&sim, model, NULL, &opt, &msg)) {
        if (msg.status != MBS_UNAVAILABLE)
            ok(0, "%s: %s", info->name, msg.text);
        return NULL;
    }
    return sim;
}

/* ---- a force that ends at t = 1/2: sqrt(1/2 - t) ---- */

static void ending_dynamics(const double *c, const struct mbs_state *x, const struct mbs_dynamics *o, double *w)
{
    hand_pendulum.dynamics(c, x, o, w);
    o->f[1] += sqrt(0.5 - x->t);
}

static void ending_residual(const double *c, const struct mbs_state *x, const struct mbs_residual *o, double *w)
{
    hand_pendulum.residual(c, x, o, w);
    o->r[1] -= sqrt(0.5 - x->t);
}

static void test_nan(const struct mbs_method_info *info)
{
    struct mbs_model model = hand_pendulum;
    struct mbs_sim *sim;
    struct mbs_run run;
    int status;
    double t;

    model.dynamics = ending_dynamics;
    model.residual = ending_residual;
    if (!(sim = open_model(&model, info, 1e-6)))
        return;
    mbs_run_init(&run, NULL);
    run.to = 1;
    run.output = count_output;
    outputs = 0;
    mbs_assemble(sim, 0);
    status = mbs_run(sim, &run);
    t = mbs_state(sim)->t;
    ok(status == MBS_NAN && mbs_message(sim)->status == MBS_NAN && strlen(mbs_message(sim)->text) > 20, "%s: NaN behind t = 0.5: %d, %s", info->name, status,
       mbs_message(sim)->text);
    /* a fixed step ends within one step of the place, the others come as near as their smallest step; time stepping takes the forces of the begin
     * of a step, and so ends behind it */
    ok(t > 0.4 && t <= (info->stepping ? 0.51 : 0.5) && isfinite(mbs_state(sim)->q[0]) && outputs > 2, "%s: %d results up to t = %.9f are kept", info->name, outputs, t);
    mbs_free(sim);
}

/* ---- no inertia ---- */

static void massless_dynamics(const double *c, const struct mbs_state *x, const struct mbs_dynamics *o, double *w)
{
    hand_pendulum.dynamics(c, x, o, w);
    o->M[0] = o->M[1] = 0;
}

static void massless_jacobian(const double *c, const struct mbs_state *x, const struct mbs_jacobian *o, double *w)
{
    hand_pendulum.jacobian(c, x, o, w);
    o->M[0] = o->M[1] = 0;
}

static void test_singular(const struct mbs_method_info *info)
{
    struct mbs_model model = hand_pendulum;
    struct mbs_sim *sim;
    int status;

    model.dynamics = massless_dynamics;
    model.jacobian = massless_jacobian;
    if (!(sim = open_model(&model, info, 1e-6)))
        return;
    status = mbs_assemble(sim, 0);
    ok(status == MBS_SINGULAR && mbs_message(sim)->coord >= 0, "%s: %s", info->name, mbs_message(sim)->text);
    status = mbs_advance(sim, 1);
    ok(status == MBS_SINGULAR && mbs_state(sim)->t == 0, "%s: and a run does not start: %d", info->name, status);
    mbs_free(sim);
}

/* ---- a start off the constraint ---- */

static void test_inconsistent(const struct mbs_method_info *info)
{
    static const double q[2] = { 0.7, 0.1 };
    struct mbs_sim *sim = open_model(&hand_pendulum, info, 1e-6);
    int status;

    if (!sim)
        return;
    mbs_set_state(sim, 0, q, NULL, NULL);
    status = mbs_advance(sim, 1);
    ok(status == MBS_INCONSISTENT && strstr(mbs_message(sim)->text, "rod") && mbs_message(sim)->constraint == 0, "%s: %s", info->name, mbs_message(sim)->text);
    ok(mbs_consistent(sim) == 0 && mbs_advance(sim, 0.1) == 0, "%s: made consistent it runs", info->name);
    mbs_free(sim);
}

/* ---- a motion that ends at t = 1: x'' = 2 x^3, x = 1 / (1 - t) ---- */

static void blow_core(const double *q, double *f)
{
    *f = 2 * q[0] * q[0] * q[0];
}

static void blow_dynamics(const double *c, const struct mbs_state *x, const struct mbs_dynamics *o, double *w)
{
    hand_pendulum_angle.dynamics(c, x, o, w);
    blow_core(x->q, o->f);
}

static void blow_residual(const double *c, const struct mbs_state *x, const struct mbs_residual *o, double *w)
{
    double f;

    hand_pendulum_angle.residual(c, x, o, w);
    blow_core(x->q, &f);
    o->r[0] = x->a[0] - f;
}

static void blow_jacobian(const double *c, const struct mbs_state *x, const struct mbs_jacobian *o, double *w)
{
    hand_pendulum_angle.jacobian(c, x, o, w);
    o->rq[0] = -6 * x->q[0] * x->q[0];
}

static void blow_initial(const double *c, double *q, double *v, double *z, double *u)
{
    (void)c, (void)u;
    q[0] = v[0] = 1;
    z[0] = 0;
}

static void test_underflow(const struct mbs_method_info *info)
{
    struct mbs_model model = hand_pendulum_angle;
    struct mbs_sim *sim;
    int status;

    if (!info->adaptive)
        return;
    model.dynamics = blow_dynamics;
    model.residual = blow_residual;
    model.jacobian = blow_jacobian;
    model.initial = blow_initial;
    if (!(sim = open_model(&model, info, 1e-3)))
        return;
    mbs_assemble(sim, 0);
    status = mbs_advance(sim, 2);
    /* some methods see the overflow of x before the step is too small for t */
    ok((status == MBS_UNDERFLOW || status == MBS_NAN || status == MBS_NO_CONVERGENCE) && strlen(mbs_message(sim)->text) > 20, "%s: blow-up: %d, %s", info->name,
       status, mbs_message(sim)->text);
    ok(status != MBS_UNDERFLOW || mbs_message(sim)->coord == 0 || strstr(mbs_message(sim)->text, " in z"), "%s: the coordinate or state is named", info->name);
    /* the global error moves the end by some tolerances */
    ok(fabs(mbs_state(sim)->t - 1) < 0.02, "%s: at t = %.9f", info->name, mbs_state(sim)->t);
    mbs_free(sim);
}

/* ---- limits and cancellation: the run goes on as if nothing had happened ---- */

static int flag;

static int set_flag(void *user, double t, const struct mbs_statistics *st)
{
    (void)user, (void)t;
    flag = st->accepted >= 5;
    return 0;
}

static int stop(void *user, double t, const struct mbs_statistics *st)
{
    (void)user, (void)t;
    return st->accepted >= 7;
}

static void test_limits(const struct mbs_method_info *info)
{
    struct mbs_sim *sim = open_model(&hand_pendulum, info, 1e-6), *plain = open_model(&hand_pendulum, info, 1e-6), *few;
    struct mbs_options opt;
    struct mbs_run run;
    int status, calls = 0;

    if (!sim || !plain)
        return;
    mbs_run_init(&run, NULL);
    run.to = 1;
    run.cancel = &flag;
    run.progress = set_flag;
    flag = 0;
    mbs_assemble(sim, 0);
    mbs_assemble(plain, 0);
    status = mbs_run(sim, &run);
    ok(status == MBS_CANCELLED && mbs_statistics(sim)->accepted == 5, "%s: cancelled after 5 steps: %s", info->name, mbs_message(sim)->text);
    flag = 0;
    run.progress = stop;
    status = mbs_run(sim, &run);
    ok(status == MBS_CANCELLED && mbs_statistics(sim)->accepted == 7, "%s: and after 7: %s", info->name, mbs_message(sim)->text);
    run.progress = NULL;
    status = mbs_run(sim, &run);
    ok(status == 0 && mbs_advance(plain, 1) == 0 && memcmp(mbs_state(sim)->q, mbs_state(plain)->q, 2 * sizeof(double)) == 0,
       "%s: continued to the same end, bit by bit", info->name);

    mbs_options_init(&opt, NULL);
    opt.method = info->name;
    opt.step = info->adaptive ? 0 : 1. / 256;
    opt.max_steps = 4;
    mbs_new(&few, &hand_pendulum, NULL, &opt, NULL);
    mbs_assemble(few, 0);
    while ((status = mbs_advance(few, 1)) == MBS_MAX_STEPS)
        calls++;
    ok(status == 0 && calls > 0 && memcmp(mbs_state(few)->q, mbs_state(plain)->q, 2 * sizeof(double)) == 0, "%s: 4 steps a call, %d calls, same end", info->name, calls);
    mbs_free(few);
    mbs_free(sim);
    mbs_free(plain);
}

static void test_arguments(void)
{
    struct mbs_options opt;
    struct mbs_message msg;
    struct mbs_sim *sim;
    struct mbs_model model = hand_pendulum;

    mbs_options_init(&opt, NULL);
    opt.method = "euler";
    ok(mbs_new(&sim, &hand_pendulum, NULL, &opt, &msg) == MBS_BAD_ARGUMENT && !sim && strstr(msg.text, "euler"), "%s", msg.text);
    opt.method = "dop853";
    opt.formulation = "index3";
    ok(mbs_new(&sim, &hand_pendulum, NULL, &opt, &msg) == MBS_UNAVAILABLE && strstr(msg.text, "projected"), "%s", msg.text);
    opt.formulation = "index4";
    ok(mbs_new(&sim, &hand_pendulum, NULL, &opt, &msg) == MBS_BAD_ARGUMENT, "%s", msg.text);
    opt.formulation = NULL;
    opt.rtol = -1;
    ok(mbs_new(&sim, &hand_pendulum, NULL, &opt, &msg) == MBS_BAD_ARGUMENT, "%s", msg.text);
    opt.rtol = 1e-6;
    model.abi = 99;
    ok(mbs_new(&sim, &model, NULL, &opt, &msg) == MBS_BAD_ARGUMENT && strstr(msg.text, "99"), "%s", msg.text);
    opt.method = "rattle";
    opt.step = 1e-3;
    ok(mbs_new(&sim, &hand_pendulum_angle, NULL, &opt, &msg) <= 0, "states and rattle: %s", sim ? "fits" : msg.text);
    mbs_free(sim);
    mbs_free(NULL);
}

/* ---- a spring of 1e15 N/m that keeps a mass of 1 kg on a moving place; nothing says for how long it will run ---- */

static void stiff_dynamics(const double *c, const struct mbs_state *x, const struct mbs_dynamics *o, double *w)
{
    hand_pendulum_angle.dynamics(c, x, o, w);
    o->f[0] = 1e15 * (sin(x->t) - x->q[0]);
}

static void stiff_residual(const double *c, const struct mbs_state *x, const struct mbs_residual *o, double *w)
{
    hand_pendulum_angle.residual(c, x, o, w);
    o->r[0] = x->a[0] - 1e15 * (sin(x->t) - x->q[0]);
}

static void stiff_jacobian(const double *c, const struct mbs_state *x, const struct mbs_jacobian *o, double *w)
{
    hand_pendulum_angle.jacobian(c, x, o, w);
    o->rq[0] = 1e15;
}

static void stiff_initial(const double *c, double *q, double *v, double *z, double *u)
{
    (void)c, (void)u;
    q[0] = z[0] = 0;
    v[0] = 1;
}

static void test_stiff(void)
{
    struct mbs_model model = hand_pendulum_angle;
    struct mbs_options opt;
    struct mbs_sim *sim;
    char first[20] = "";
    int status = -99;

    model.dynamics = stiff_dynamics;
    model.residual = stiff_residual;
    model.jacobian = stiff_jacobian;
    model.initial = stiff_initial;
    model.experiment.to = NAN;
    mbs_options_init(&opt, NULL);
    opt.max_steps = 20000;
    if (mbs_new(&sim, &model, NULL, &opt, NULL) == 0) {
        snprintf(first, sizeof first, "%s", mbs_method(sim));
        mbs_assemble(sim, 0);
        status = mbs_advance(sim, 10);
    }
    ok(status == 0 && fabs(mbs_state(sim)->q[0] - sin(10)) < 1e-5, "a stiff spring is noticed on the way: %s, then %s, %ld steps, off by %.2g %s",
       first, mbs_method(sim), mbs_statistics(sim)->steps, mbs_state(sim)->q[0] - sin(10), mbs_message(sim)->text);
    mbs_free(sim);
}

int main(void)
{
    struct mbs_method_info info;

    test_arguments();
    for (int i = 0; mbs_method_list(i, &info); i++) {
        if (info.needs) {
            printf("# %s needs %s\n", info.name, info.needs);
            continue;
        }
        test_nan(&info);
        test_singular(&info);
        test_inconsistent(&info);
        test_underflow(&info);
        test_limits(&info);
    }
    test_stiff();
    return tap_done();
}
