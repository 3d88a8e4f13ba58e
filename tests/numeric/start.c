/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Consistent starts, rank, static equilibrium, eigenmodes. */
#include "../tap.h"
#include "hand_models.h"

#include <string.h>

static struct mbs_sim *open_model(const struct mbs_model *model)
{
    struct mbs_options opt;
    struct mbs_sim *sim;
    struct mbs_message msg;

    mbs_options_init(&opt, NULL);
    opt.method = "dop853";
    if (mbs_new(&sim, model, NULL, &opt, &msg))
        printf("# %s\n", msg.text);
    return sim;
}

/* ---- squeezer: Theta = 0 fixed, two-digit guesses for the rest ---- */

static void rough_initial(const double *c, double *q, double *v, double *z, double *u)
{
    static const double guess[7] = { -0.06, 0, 0.45, 0.22, 0.49, -0.22, 1.23 };

    (void)c, (void)z, (void)u;
    memcpy(q, guess, sizeof guess);
    memset(v, 0, sizeof guess);
}

static void test_squeezer(void)
{
    /* Hairer & Wanner (7.7), (7.10) */
    static const double q[7] = { -0.0617138900142764496358948458001, 0, 0.455279819163070380255912382449, 0.222668390165885884674473185609,
                                 0.487364979543842550225598953530, -0.222668390165885884674473185609, 1.23054744454982119249735015568 };
    static const double a[2] = { 14222.4439199541138705911625887, -10666.8329399655854029433719415 };
    static const double lambda[2] = { 98.5668703962410896057654982170, -6.12268834425566265503114393122 };
    struct mbs_model model = hand_squeezer;
    const struct mbs_state *x;
    struct mbs_sim *sim;
    struct mbs_rank rank;
    double worst = 0;

    model.initial = rough_initial;
    sim = open_model(&model);
    ok(mbs_assemble(sim, 0) == 0, "the squeezer assembles from rough guesses %s", mbs_message(sim)->text);
    x = mbs_state(sim);
    for (int i = 0; i < 7; i++)
        worst = fmax(worst, fabs(x->q[i] - q[i]) / fmax(fabs(q[i]), 0.1));
    ok(worst < 1e-14, "q agrees with the published start to 14 digits: %.2g", worst);
    /* a and lambda are the solution of a system with condition number of some 1e3 */
    near(x->a[0], a[0], 1e-12, "a[beta]");
    near(x->a[1], a[1], 1e-12, "a[Theta]");
    near(x->lambda[0], lambda[0], 1e-12, "lambda 1");
    near(x->lambda[1], lambda[1], 1e-12, "lambda 2");
    ok(mbs_rank(sim, &rank, NULL) == 0 && rank.rank == 6 && rank.freedom == 1, "rank 6, freedom 1");
    mbs_free(sim);
}

/* ---- what cannot be met ---- */

static void bad_position(const double *c, double *q, double *v, double *z, double *u)
{
    (void)c, (void)z, (void)u;
    q[0] = 0.9;
    q[1] = 2;
    v[0] = v[1] = 0;
}

static void bad_velocity(const double *c, double *q, double *v, double *z, double *u)
{
    (void)c, (void)z, (void)u;
    q[0] = 0.1;
    q[1] = -1;
    v[0] = 0;
    v[1] = 3;
}

static void test_failures(void)
{
    struct mbs_model model = hand_pendulum;
    struct mbs_sim *sim;

    model.initial = bad_position;
    sim = open_model(&model);
    ok(mbs_assemble(sim, 0) == MBS_INCONSISTENT, "a rod of length 1 does not reach y = 2");
    ok(strstr(mbs_message(sim)->text, "rod") && strstr(mbs_message(sim)->text, "y") && mbs_message(sim)->constraint == 0, "%s", mbs_message(sim)->text);
    mbs_free(sim);
    /* at (0, -1) the rod forbids any vertical velocity, so y' = 3 contradicts it whatever x' is */
    model.initial = bad_velocity;
    sim = open_model(&model);
    ok(mbs_assemble(sim, 0) == MBS_INCONSISTENT, "fixed velocities that contradict the rod are refused");
    ok(strstr(mbs_message(sim)->text, "y'") != NULL, "%s", mbs_message(sim)->text);
    ok(mbs_advance(sim, 1) == MBS_INCONSISTENT, "and a run from there too: %s", mbs_message(sim)->text);
    mbs_free(sim);
    sim = open_model(&hand_pendulum);
    ok(mbs_assemble(sim, 0) == 0 && fabs(mbs_state(sim)->q[0] - 1) < 1e-15 && mbs_state(sim)->q[1] == 0, "y = 0 is kept, x moves from 0.9 to 1");
    mbs_free(sim);
    sim = open_model(&hand_crank);
    ok(mbs_assemble(sim, 0) == 0 && mbs_state(sim)->q[2] == .450016933, "fixed start values that are off by 2e-10 are taken as they are");
    mbs_free(sim);
}

/* ---- the pendulum with its rod stated twice, the second time three times as strongly ---- */

static void twice_dynamics(const double *c, const struct mbs_state *x, const struct mbs_dynamics *o, double *w)
{
    double G[2], g, gt, gamma;
    struct mbs_dynamics one = *o;

    one.G = G;
    one.g = &g;
    one.gt = &gt;
    one.gamma = &gamma;
    hand_pendulum.dynamics(c, x, &one, w);
    for (int i = 0; i < 2; i++) {
        o->G[2 * i] = G[i];
        o->G[2 * i + 1] = 3 * G[i];
        if (o->gamma)
            o->gamma[i] = (i ? 3 : 1) * gamma;
        if (o->g)
            o->g[i] = (i ? 3 : 1) * g;
        if (o->gt)
            o->gt[i] = 0;
    }
}

static void twice_constraints(const double *c, const struct mbs_state *x, const struct mbs_constraints *o, double *w)
{
    double M[2], f[2], v[2] = { 0, 0 };
    struct mbs_state y = { .t = x->t, .q = x->q, .v = v };
    struct mbs_dynamics out = { .M = M, .f = f, .G = o->G, .g = o->g, .gt = o->gt };

    twice_dynamics(c, &y, &out, w);
}

static void test_redundant(void)
{
    static const struct mbs_name names[] = { { "rod", "", 1 }, { "again", "", 2 } };
    static const int col[] = { 0, 2, 4 }, row[] = { 0, 1, 0, 1 };
    struct mbs_model model = hand_pendulum;
    struct mbs_sim *sim, *plain = open_model(&hand_pendulum);
    struct mbs_rank rank;
    unsigned char redundant[2] = { 9, 9 };
    double drift = 0;

    model.ng = 2;
    model.constraint = names;
    model.G = (struct mbs_pattern){ 2, 2, 4, col, row };
    model.dynamics = twice_dynamics;
    model.constraints = twice_constraints;
    sim = open_model(&model);
    ok(mbs_assemble(sim, 0) == 0 && mbs_assemble(plain, 0) == 0, "assembly with a redundant constraint %s", mbs_message(sim)->text);
    near(mbs_state(sim)->q[0], 1, 1e-14, "x");
    ok(mbs_rank(sim, &rank, redundant) == 0 && rank.rank == 1 && redundant[0] == 0 && redundant[1] == 1, "the second row is the redundant one");
    ok(mbs_advance(sim, 5) == 0 && mbs_advance(plain, 5) == 0, "both run for 5 s %s", mbs_message(sim)->text);
    for (int i = 0; i < 2; i++)
        drift = fmax(drift, fabs(mbs_state(sim)->q[i] - mbs_state(plain)->q[i]));
    /* the same equations to rounding; the pendulum amplifies differences at most linearly in t */
    ok(drift < 1e-10, "and stay together: %.2g", drift);
    /* the total force is that of the single rod, and rows scaled to unit length share it equally */
    near(mbs_state(sim)->lambda[0] + 3 * mbs_state(sim)->lambda[1], mbs_state(plain)->lambda[0], 1e-9, "sum of multipliers");
    near(mbs_state(sim)->lambda[0], 3 * mbs_state(sim)->lambda[1], 1e-9, "equal shares");
    ok(mbs_statistics(sim)->rank_drops > 0, "the drop of rank was counted");
    mbs_free(sim);
    mbs_free(plain);
}

/* ---- equilibrium and modes ---- */

static void test_equilibrium(void)
{
    struct mbs_sim *sim = open_model(&hand_pendulum);
    struct mbs_modes modes;
    static const double near_top[2] = { 0.01, 0.99995 };

    mbs_set_state(sim, 0, near_top, NULL, NULL);
    ok(mbs_consistent(sim) == 0 && mbs_equilibrium(sim) == 0, "an equilibrium is found from near the top %s", mbs_message(sim)->text);
    near(mbs_state(sim)->q[0], 0, 1e-9, "x at rest");
    near(mbs_state(sim)->q[1], -1, 1e-12, "y at rest");
    near(mbs_state(sim)->lambda[0], 9.81, 1e-9, "force in the rod");
    ok(mbs_modes(sim, &modes) == 0 && modes.count == 2, "two eigenvalues");
    near(modes.im[0], sqrt(9.81), 1e-10, "frequency of the pendulum");
    near(modes.im[1], -sqrt(9.81), 1e-10, "and its conjugate");
    near(modes.re[0], 0, 1e-10, "no damping");
    near(modes.shape[0], 1, 1e-12, "x moves");
    near(hypot(modes.shape[2], modes.shape[3]), 0, 1e-8, "y does not");
    mbs_modes_free(&modes);
    mbs_free(sim);

    sim = open_model(&hand_pendulum_angle);
    ok(mbs_equilibrium(sim) == 0, "the pendulum with a state comes to rest %s", mbs_message(sim)->text);
    near(mbs_state(sim)->q[0], 0, 1e-12, "angle at rest");
    ok(mbs_modes(sim, &modes) == 0 && modes.count == 3, "three eigenvalues");
    near(modes.frequency[0], 0, 1e-9, "the state itself does not move by itself");
    near(modes.frequency[1], sqrt(9.81) / (2 * M_PI), 1e-10, "frequency in Hz");
    mbs_modes_free(&modes);
    mbs_free(sim);
}

/* ---- what "auto" becomes ---- */

static double spring, damper;

static void spring_jacobian(const double *c, const struct mbs_state *x, const struct mbs_jacobian *o, double *w)
{
    hand_pendulum_angle.jacobian(c, x, o, w);
    o->rq[0] = spring;
    o->rv[0] = damper;
}

static const char *chosen(double k, double d, double rtol, double to)
{
    struct mbs_model model = hand_pendulum_angle;
    struct mbs_options opt;
    struct mbs_sim *sim;
    const char *name = "none";

    model.jacobian = spring_jacobian;
    model.experiment.to = to;
    spring = k;
    damper = d;
    mbs_options_init(&opt, &model);
    opt.rtol = rtol;
    if (mbs_new(&sim, &model, NULL, &opt, NULL) == 0) {
        name = mbs_method(sim);
        if (mbs_statistics(sim)->f != 0 || mbs_state(sim)->t != 0)
            name = "left traces";
        mbs_free(sim);
    }
    return name;
}

static void test_auto(void)
{
    ok(strcmp(chosen(10, 0, 1e-4, 1), "dopri5") == 0, "soft, coarse: dopri5");
    ok(strcmp(chosen(10, 0, 1e-8, 1), "dop853") == 0, "soft, fine: dop853");
    ok(strcmp(chosen(1e12, 0, 1e-8, 1), "radau") == 0, "1e6 rad/s for 1 s, undamped: radau");
    ok(strcmp(chosen(1e6, 0, 1e-8, 1), "dop853") == 0, "1e3 rad/s for 1 s, undamped: dop853");
    ok(strcmp(chosen(1e6, 1e3, 1e-8, 1), "radau") == 0, "the same damped: radau");
    ok(strcmp(chosen(1e12, 0, 1e-8, NAN), "dop853") == 0, "nothing known of the time: dop853");
}

int main(void)
{
    test_auto();
    test_squeezer();
    test_failures();
    test_redundant();
    test_equilibrium();
    return tap_done();
}
