/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * rattle: orders of the method and of its compositions, time reversal, energy over long runs. */
#include "../tap.h"
#include "alpha_models.h"
#include "generated.h"

static const struct mbs_model *free_body;      /* models/free_body_energies.mbs */

static struct mbs_sim *new(const struct mbs_model *model, int order, double step)
{
    struct mbs_options opt;
    struct mbs_message msg;
    struct mbs_sim *sim;

    mbs_options_init(&opt, NULL);
    opt.method = order ? "rattle" : "dop853";
    opt.order_max = order;
    opt.step = step;
    opt.rtol = opt.atol = 1e-13;
    if (mbs_new(&sim, model, NULL, &opt, &msg))
        printf("# %s\n", msg.text);
    else if (model == &hand_pendulum)       /* hand_models.h leaves it to be assembled */
        mbs_set_state(sim, 0, (const double[]){ 1, 0 }, NULL, NULL);
    else if (model == free_body)
        mbs_assemble(sim, 0);
    return sim;
}

static double energy(struct mbs_sim *sim)
{
    double e[2];

    mbs_energy(sim, e);
    return e[0] + e[1];
}

static void errors(const struct mbs_model *model, int order, double step, double to, double e[2])
{
    struct mbs_sim *ref = new(model, 0, 0), *sim = new(model, order, step);

    e[0] = e[1] = NAN;
    if (mbs_advance(ref, to) || mbs_advance(sim, to)) {
        printf("# %s %s\n", mbs_message(ref)->text, mbs_message(sim)->text);
    } else {
        e[0] = e[1] = 0;
        for (int i = 0; i < model->nq; i++)
            e[0] = fmax(e[0], fabs(mbs_state(sim)->q[i] - mbs_state(ref)->q[i]));
        for (int i = 0; i < model->ng; i++)
            e[1] = fmax(e[1], fabs(mbs_state(sim)->lambda[i] - mbs_state(ref)->lambda[i]));
    }
    mbs_free(sim);
    mbs_free(ref);
}

static void test_order(const struct mbs_model *model, int order, double step, double to)
{
    double a[2], b[2], p, l;

    errors(model, order, step, to, a);
    errors(model, order, step / 2, to, b);
    p = log2(a[0] / b[0]);
    l = log2(a[1] / b[1]);
    /* the order within 0.15, or above it while higher terms still show; lambda may be exact to rounding */
    ok(p > order - 0.15 && p < order + 0.7 && (l > order - 0.3 || b[1] < 1e-11), "%s, order %d: %.2f in q, %.2f in lambda, errors %.2g %.2g", model->name, order, p, l, b[0], b[1]);
}

/* The method is symmetric: forwards and back leads to the start but for rounding, 400 steps of which make 1e-12; ten times
 * that is allowed.  An asymmetry would show as h^3 = 1e-6. */
static void test_reversal(const struct mbs_model *model, int order, double step)
{
    struct mbs_sim *sim = new(model, order, step);
    double q[12], v[12], worst = 0;
    int status;

    for (int i = 0; i < model->nq; i++) {
        q[i] = mbs_state(sim)->q[i];
        v[i] = mbs_state(sim)->v[i];
    }
    status = mbs_advance(sim, 200 * step) || mbs_advance(sim, 0);
    for (int i = 0; i < model->nq; i++)
        worst = fmax(worst, fmax(fabs(mbs_state(sim)->q[i] - q[i]), fabs(mbs_state(sim)->v[i] - v[i])));
    ok(!status && worst < 1e-11, "%s, order %d: back at the start within %.2g", model->name, order, worst);
    mbs_free(sim);
}

/* The energy error oscillates with the motion and has no trend: its mean over the last tenth of a run equals the one over
 * the first within 5 % of its amplitude plus the random walk of rounding errors, sqrt(steps) eps |energies|, with a
 * factor of 100; its amplitude
 * is below the figure given. */
struct watch {
    double e0, from, to, first, last, amplitude;
    long nfirst, nlast;
    struct mbs_sim *sim;
};

static int watch(void *user, const struct mbs_state *x, const double *y)
{
    struct watch *w = user;
    double d = energy(w->sim) - w->e0;          /* output is at each step: x is the state of sim */

    (void)y;
    w->amplitude = fmax(w->amplitude, fabs(d));
    if (x->t < w->from)
        w->first += d, w->nfirst++;
    if (x->t > w->to)
        w->last += d, w->nlast++;
    return 0;
}

static void test_energy(const struct mbs_model *model, int order, double step, long steps, double amplitude)
{
    struct mbs_sim *sim = new(model, order, step);
    struct watch w = { .e0 = energy(sim), .from = 0.1 * step * steps, .to = 0.9 * step * steps, .sim = sim };
    struct mbs_run in;
    struct mbs_violation vio;
    double trend;

    mbs_run_init(&in, NULL);
    in.to = step * steps;
    in.output = watch;
    in.user = &w;
    int status = mbs_run(sim, &in);
    trend = w.last / w.nlast - w.first / w.nfirst;
    mbs_violation(sim, &vio);
    ok(!status && w.amplitude < amplitude && fabs(trend) < 0.05 * w.amplitude + 100 * sqrt(steps) * 2.2e-16 * 30,
       "%s, order %d, %ld steps: energy oscillates by %.2g J, trend %.2g J, %.2g Newton iterations a step", model->name, order, steps, w.amplitude, trend,
       (double)mbs_statistics(sim)->newton / steps);
    ok(vio.position < 1e-13 && vio.velocity < 1e-12, "constraints %.2g, %.2g", vio.position, vio.velocity);
    mbs_free(sim);
}

/* Euler parameters, M singular: order, energy, and the angular momentum in space, which the method keeps to the order of the
 * composition (amplitude; 10 N m s) although only the energy is sampled above. */
static void test_singular_mass(void)
{
    struct generated g;
    double y[3] = { NAN, NAN, NAN };
    struct mbs_sim *sim;

    if (!LOAD(&g, "models/free_body_energies", NULL))
        return;
    free_body = g.m;
    test_order(free_body, 2, 1. / 128, 1);
    test_order(free_body, 4, 1. / 32, 1);
    test_order(free_body, 6, 1. / 16, 1);
    test_reversal(free_body, 4, 0.002);         /* it tumbles: errors grow like exp(2 t) */
    test_energy(free_body, 4, 0.02, 20000, 1e-3);
    sim = new(free_body, 6, 0.02);
    ok(mbs_advance(sim, 100) == 0 && mbs_outputs(sim, y) == 0, "free body for 100 s");
    ok(fabs(y[0] - 0.01) < 1e-5 && fabs(y[1] - 10) < 1e-5 && fabs(y[2] - 0.025) < 1e-5, "momentum %.9g %.9g %.9g", y[0], y[1], y[2]);
    mbs_free(sim);
    generated_free(&g);
}

/* The slider-crank of the IFToMM benchmark library, 10 s through 11 singular positions and from one of them: energy within the
 * benchmark's 1e-3 J at every step, P2 at t = 10 within 1e-3 m of tests/data/iftomm.csv, on the right branch. */
static void test_passages(int order, double step)
{
    static const struct mbs_model *const model[] = { &hand_slider_natural, &hand_slider_absolute };

    for (int k = 0; k < 4; k++) {
        int absolute = k / 2, begin = k % 2, status;
        double param = begin, scale = absolute ? 2 : 1, off, branch;
        struct mbs_sim *sim = new(model[absolute], order, step);
        struct watch w;
        struct mbs_run in;
        const double *q;
        if (begin) {            /* the parameter of hand_models.h moves the start */
            double q0[6], v0[6], c[1] = { param };
            model[absolute]->initial(c, q0, v0, NULL, NULL);
            mbs_set_state(sim, 0, q0, v0, NULL);
        }
        w = (struct watch){ .e0 = energy(sim), .from = 1, .to = 9, .sim = sim };
        mbs_run_init(&in, NULL);
        in.to = 10;
        in.output = watch;
        in.user = &w;
        status = mbs_run(sim, &in);
        q = mbs_state(sim)->q;
        off = begin ? 0 : hypot(scale * q[0] + 0.530899309683, scale * q[1] + 0.847434907812);
        branch = absolute ? sin(q[2] + q[5]) : q[2] - 2 * q[0];
        ok(status == 0 && w.amplitude < 1e-3 && off < 1e-3 && fabs(branch) < 1e-9, "slider-crank, %s%s, order %d, %ld steps: drift %.2g J, P2 off by %.2g m %s",
           absolute ? "absolute" : "natural", begin ? ", from a singular position" : "", order, mbs_statistics(sim)->steps, w.amplitude, off, mbs_message(sim)->text);
        mbs_free(sim);
    }
}

/* What does not fit is refused. */
static void test_refused(void)
{
    struct mbs_options opt;
    struct mbs_message msg;
    struct mbs_sim *sim;

    mbs_options_init(&opt, NULL);
    opt.method = "rattle";
    ok(mbs_new(&sim, &hand_pendulum, NULL, &opt, &msg) == MBS_UNAVAILABLE, "no fixed step: %s", msg.text);
    opt.step = 0.01;
    ok(mbs_new(&sim, &alpha_sleigh, NULL, &opt, &msg) == MBS_UNAVAILABLE, "non-holonomic: %s", msg.text);
    ok(mbs_new(&sim, &hand_pendulum_angle, NULL, &opt, &msg) == MBS_UNAVAILABLE, "states: %s", msg.text);
    sim = new(&hand_pendulum, 2, 2.0);
    int status = mbs_advance(sim, 100);
    ok(status == MBS_NO_CONVERGENCE, "a step too long for the rod: %s", mbs_message(sim)->text);
    mbs_free(sim);
}

int main(void)
{
    test_order(&hand_pendulum, 2, 1. / 64, 1);
    test_order(&hand_pendulum, 4, 1. / 32, 1);
    test_order(&hand_pendulum, 6, 1. / 16, 1);
    test_order(&hand_pendulum, 8, 1. / 16, 1);
    test_order(&alpha_linkage, 2, 1. / 64, 1);
    test_order(&alpha_linkage, 4, 1. / 16, 1);
    test_order(&alpha_linkage, 6, 1. / 8, 1);
    test_order(&alpha_linkage, 8, 1. / 8, 1);
    test_order(&hand_squeezer, 2, 0.01 / 200, 0.01);
    test_order(&hand_squeezer, 4, 0.01 / 50, 0.01);
    test_order(&hand_squeezer, 6, 0.01 / 20, 0.01);
    test_order(&alpha_redundant, 2, 1. / 64, 1);
    test_reversal(&hand_pendulum, 2, 0.01);
    test_reversal(&alpha_linkage, 2, 0.01);
    test_reversal(&alpha_linkage, 6, 0.02);
    test_energy(&hand_pendulum, 2, 0.02, 100000, 0.2);
    test_energy(&hand_pendulum, 6, 0.05, 10000, 1e-5);
    test_energy(&alpha_linkage, 2, 0.02, 20000, 0.05);
    test_energy(&alpha_linkage, 4, 0.02, 10000, 1e-4);
    test_energy(&alpha_linkage, 8, 0.02, 5000, 1e-8);
    test_singular_mass();
    test_passages(2, 1e-3);
    test_passages(6, 1e-2);
    test_refused();
    return tap_done();
}
