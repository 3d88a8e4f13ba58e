/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The witness of a run: constraints that contradict each other end every method with MBS_INCONSISTENT and the names of
 * the rows; what drifts beyond the promise of the tolerances ends with MBS_DRIFT; right runs are left alone. */
#include "../tap.h"
#include "hand_generic.h"

#include <string.h>

/* ---- a point that two drives want in two places ---- */

static const struct mbs_name two_coord[] = { { "x", "m", 1 }, { "y", "m", 1 } };
static const struct mbs_name two_constraint[] = { { "first", "", 2 }, { "second", "", 3 } };
static const unsigned char two_init[] = { MBS_INIT_GUESS, MBS_INIT_GUESS };
static const int two_mcol[] = { 0, 1, 2 }, two_mrow[] = { 0, 1 };
#define two_M_INIT { 2, 2, 2, two_mcol, two_mrow }
#define two_G_INIT HAND_FULL(2, 2)
static const struct mbs_pattern two_M = two_M_INIT, two_G = two_G_INIT;
static int sine;

/* x = t^3 and x = 3 t^3, or x = sin t and x = t, or x = t^3 twice (sine = 2) */
static void two_core(const double *c, cx t, const cx *q, const cx *v, const cx *z, struct hand_core *o)
{
    double k = sine == 2 ? 1 : 3;

    (void)c, (void)v, (void)z;
    o->M[0][0] = o->M[1][1] = 1;
    o->f[1] = -9.81;
    o->G[0][0] = o->G[1][0] = 1;
    o->g[0] = q[0] - (sine == 1 ? csin(t) : t * t * t);
    o->g[1] = q[0] - (sine == 1 ? t : k * t * t * t);
    o->gt[0] = sine == 1 ? -ccos(t) : -3 * t * t;
    o->gt[1] = sine == 1 ? -1 : -3 * k * t * t;
    o->gamma[0] = sine == 1 ? csin(t) : -6 * t;
    o->gamma[1] = sine == 1 ? 0 : -6 * k * t;
}

static void two_setup(const double *p, double *c)
{
    (void)p, (void)c;
}

static void two_initial(const double *c, double *q, double *v, double *z, double *u)
{
    (void)c, (void)z, (void)u;
    q[0] = q[1] = v[1] = 0;
    v[0] = sine == 1;
}

HAND_FUNCTIONS(two, two_core, 2, 2, 0, 0)

static const struct mbs_model two_model = {
    HAND_COMMON(two, 2, 2, 2, 0, 0),
    .coord = two_coord,
    .constraint = two_constraint,
    .q_init = two_init,
    .v_init = two_init,
    .dynamics = two_dynamics,
};

static int run_two(const struct mbs_method_info *info, int form, int witness, struct mbs_message *msg)
{
    struct mbs_options opt;
    struct mbs_sim *sim;
    int status;

    mbs_options_init(&opt, NULL);
    opt.method = info->name;
    opt.formulation = mbs_form_name((enum mbs_form)form);
    opt.step = info->adaptive ? 0 : 1. / 128;
    opt.witness = witness;
    opt.max_steps = 100000;
    if ((status = mbs_new(&sim, &two_model, NULL, &opt, msg)))
        return status;
    status = mbs_assemble(sim, 0);
    if (status == 0)
        status = mbs_advance(sim, 1);
    *msg = *mbs_message(sim);
    mbs_free(sim);
    return status;
}

static void test_contradiction(const struct mbs_method_info *info, int form)
{
    struct mbs_message msg;
    int status;

    for (sine = 0; sine < 2; sine++) {
        status = run_two(info, form, 1, &msg);
        ok(status == MBS_INCONSISTENT && strstr(msg.text, "first") && strstr(msg.text, "second"), "%s %s, %s: %d %s", info->name,
           mbs_form_name((enum mbs_form)form), sine ? "sin t and t" : "t^3 and 3 t^3", status, msg.text);
    }
    sine = 2;
    status = run_two(info, form, 1, &msg);
    ok(status == 0, "%s %s, t^3 twice: %d %s", info->name, mbs_form_name((enum mbs_form)form), status, msg.text);
}

/* ---- a pendulum whose rod is lengthened behind the back of an index-1 method ---- */

static void creep_dynamics(const double *c, const struct mbs_state *x, const struct mbs_dynamics *o, double *w)
{
    hand_pendulum.dynamics(c, x, o, w);
    if (o->gamma)
        o->gamma[0] += 0.1;
}

static void test_drift(void)
{
    struct mbs_model model = hand_pendulum;
    struct mbs_options opt;
    struct mbs_sim *sim;
    int status;

    model.dynamics = creep_dynamics;
    for (int witness = 0; witness < 2; witness++) {
        mbs_options_init(&opt, NULL);
        opt.method = "dop853";
        opt.formulation = "index1";
        opt.witness = witness;
        mbs_new(&sim, &model, NULL, &opt, NULL);
        mbs_assemble(sim, 0);
        status = mbs_advance(sim, 1);
        ok(status == (witness ? MBS_DRIFT : 0) && mbs_witness(sim)->used > 1 && mbs_witness(sim)->position_row == 0 &&
               (!witness || strstr(mbs_message(sim)->text, "rod")),
           "witness %d: %d at t = %.3f, violation %.2g, %s", witness, status, mbs_state(sim)->t, mbs_witness(sim)->position,
           mbs_message(sim)->text);
        mbs_free(sim);
    }
}

/* ---- the work of a drive: x = t^3 has 9/2 t^4 J of a kilogram ---- */

static void two_energy(const double *c, const struct mbs_state *x, double E[2], double *w)
{
    (void)c, (void)w;
    E[0] = (x->v[0] * x->v[0] + x->v[1] * x->v[1]) / 2;
    E[1] = 9.81 * x->q[1];
}

static double told;             /* this part of the power */
static void two_power(const double *c, const struct mbs_state *x, double *P, double *w)
{
    (void)c, (void)w;
    *P = -told * 3 * x->t * x->t * (x->lambda[0] + x->lambda[1]);
}

static void test_work(const struct mbs_method_info *info, int form)
{
    struct mbs_model model = two_model;
    struct mbs_options opt;
    struct mbs_sim *sim;
    double work[3], off[3], excess[3];
    /* methods that take many short steps are allowed more in all */
    int status[3], promised = form != MBS_INDEX3 && strcmp(info->name, "ida") && strcmp(info->name, "genalpha") && strcmp(info->name, "hht");

    model.energy = two_energy;
    model.power = two_power;
    sine = 2;
    for (int k = 0; k < 3; k++) {
        static const double part[] = { 1, 0.5, 0.99 };
        told = part[k];
        mbs_options_init(&opt, NULL);
        opt.method = info->name;
        opt.formulation = mbs_form_name((enum mbs_form)form);
        opt.rtol = opt.atol = 1e-6;
        mbs_new(&sim, &model, NULL, &opt, NULL);
        mbs_assemble(sim, 0);
        status[k] = mbs_advance(sim, 1);
        work[k] = mbs_witness(sim)->work;
        off[k] = mbs_witness(sim)->drift;
        excess[k] = mbs_witness(sim)->excess;
        mbs_free(sim);
    }
    /* 1e-6 a step: 1e-3 is what some hundred of them may leave of 4.5 J; index 3 promises less */
    ok(status[0] == 0 && fabs(work[0] - 4.5) < (form == MBS_INDEX3 ? 5e-3 : 1e-3) && off[0] < (form == MBS_INDEX3 ? 5e-3 : 1e-3), "%s %s: the drive does %.9g J, off by %.2g", info->name,
       mbs_form_name((enum mbs_form)form), work[0], off[0]);
    ok((promised ? status[1] == MBS_DRIFT : form == MBS_INDEX3 ? status[1] == MBS_DOUBTFUL : 1) && off[1] > 1e-3, "%s %s: half of the work that is missing is seen: %d, %.2g", info->name,
       mbs_form_name((enum mbs_form)form), status[1], off[1]);
    /* 0.045 J of what has moved, 105 J with the fall of y, are 428 tolerances: more than a hundred are told, of a right run at most in index 3 */
    ok((status[2] == MBS_DRIFT || (status[2] == MBS_DOUBTFUL && excess[2] > 400)) && (form == MBS_INDEX3 || excess[0] == 0), "%s %s: a hundredth that is missing is told: %.3g tolerances, %.3g of the whole", info->name,
       mbs_form_name((enum mbs_form)form), excess[2], excess[0]);
}

int main(void)
{
    struct mbs_method_info info;

    for (int i = 0; mbs_method_list(i, &info); i++)
        for (int f = 0; f < MBS_FORMS; f++)
            if (!info.needs && !info.stepping && (info.forms & (1u << f)))
                test_contradiction(&info, f);
    for (int i = 0; mbs_method_list(i, &info); i++)
        for (int f = 0; f < MBS_FORMS; f++)
            if (!info.needs && info.adaptive && (info.forms & (1u << f)))
                test_work(&info, f);
    test_drift();
    return tap_done();
}
