/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The ABI of the hand-written models from their cores, and the small models themselves. */
#include "hand_models.h"

#include <math.h>
#include <string.h>

#include "hand_generic.h"

/* Ends of the test problems, 128-bit computations of the index-1 equations with extrapolation, tolerance 1e-21 or
 * less (the vectors published with the IVP test set agree to 9 digits or more in q). */
const double hand_squeezer_end[27] = {
    1.5810771195153707097119e+01, -1.575637105841183946972e+01, 4.0822240119645804858282e-02,
    -5.347301163420795937701e-01, 5.2440996587995406937165e-01, 5.3473011634207959377018e-01,
    1.0480807410419378730685e+00, 1.1399203022591060641980e+03, -1.424379295177540073196e+03,
    1.1032911910618593745327e+01, 1.9293374105032040831627e+01, 5.7356991482950245381768e-01,
    -1.929337410503204083162e+01, 3.2317914924913087499074e-01, -2.463176312287463447005e+04,
    5.1850319636464231533753e+04, 3.2410260070757860581194e+05, 5.6674942200099532649329e+05,
    1.6743635418345444609644e+04, -5.667494220009953264932e+05, 9.8265078015441626884904e+03,
    1.9917534810453862818623e+02, -2.975530997497176332441e+01, 2.3066543611622151128617e+01,
    3.1452725275771137075384e+01, 2.2642494786394378577712e+01, 1.1617392352611255906801e+01,
};

const double hand_crank_end[24] = {
    1.4999999999999999999999e+01, -3.311734988256299287011e-01, 1.6973733284307213687156e-01,
    1.8931928997009337296426e-04, 2.3757512499866458288501e-05, -5.323896770748608986103e-06,
    -8.363313278807775675967e-06, 1.5000000000000000000000e+02, 6.0253467551318349321720e+01,
    -8.753116326704162546483e+00, -3.005541399852529933343e-02, -5.500431801332731020317e-03,
    4.9741117946464511321308e-04, 1.1055599936031236342760e-03, -0.000000000000000000000e+00,
    6.4887375411249782438923e+03, 2.1679386293377370918491e+03, 3.3911370621217760671352e+01,
    1.7151343430031726606500e-01, -1.422449326175244008811e+00, 1.0039462651851202403898e+00,
    -6.232935832773686943869e+01, -1.637920993237247127633e+02, 2.5298579470003069135779e+01,
};

double hand_scd(const struct mbs_state *x, const struct mbs_model *model)
{
    const double *end = model == &hand_crank ? hand_crank_end : hand_squeezer_end;
    double worst = 0;

    for (int i = 0; i < 7; i++)
        worst = fmax(worst, fabs(x->q[i] - end[i]) / fabs(end[i]));
    for (int i = 0; i < 3 && model == &hand_crank; i++)
        worst = fmax(worst, fabs(x->lambda[i] - end[21 + i]) / fabs(end[21 + i]));
    return -log10(worst);
}

/* ---- pendulum in x, y ---- */

static const struct mbs_name pendulum_coord[] = { { "x", "m", 1 }, { "y", "m", 1 } };
static const struct mbs_name pendulum_constraint[] = { { "rod", "", 2 } };
static const struct mbs_name pendulum_output[] = { { "px", "m", 3 }, { "py", "m", 4 } };
static const unsigned char pendulum_q_init[] = { MBS_INIT_GUESS, MBS_INIT_FIXED }, pendulum_v_init[] = { 1, 2 };
static const int pendulum_mcol[] = { 0, 1, 2 }, pendulum_mrow[] = { 0, 1 };
#define pendulum_M_INIT { 2, 2, 2, pendulum_mcol, pendulum_mrow }
#define pendulum_G_INIT HAND_FULL(1, 2)
static const struct mbs_pattern pendulum_M = pendulum_M_INIT, pendulum_G = pendulum_G_INIT;

static void pendulum_core(const double *c, cx t, const cx *q, const cx *v, const cx *z, struct hand_core *o)
{
    (void)c, (void)t, (void)z;
    o->M[0][0] = o->M[1][1] = 1;
    o->f[1] = -9.81;
    o->g[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
    o->G[0][0] = q[0];
    o->G[0][1] = q[1];
    o->gamma[0] = v[0] * v[0] + v[1] * v[1];
}

static void pendulum_setup(const double *p, double *c)
{
    (void)p, (void)c;
}

static void pendulum_initial(const double *c, double *q, double *v, double *z, double *u)
{
    (void)c, (void)z, (void)u;
    q[0] = 0.9;
    q[1] = v[0] = v[1] = 0;
}

static void pendulum_energy(const double *c, const struct mbs_state *x, double e[2], double *w)
{
    (void)c, (void)w;
    e[0] = (x->v[0] * x->v[0] + x->v[1] * x->v[1]) / 2;
    e[1] = 9.81 * x->q[1];
}

static void pendulum_outputs(const double *c, const struct mbs_state *x, double *y, double *w)
{
    (void)c, (void)w;
    y[0] = x->q[0];
    y[1] = x->q[1];
}

HAND_FUNCTIONS(pendulum, pendulum_core, 2, 1, 0, 0)

const struct mbs_model hand_pendulum = {
    HAND_COMMON(pendulum, 2, 1, 1, 0, 0),
    .ny = 2,
    .coord = pendulum_coord,
    .constraint = pendulum_constraint,
    .output = pendulum_output,
    .q_init = pendulum_q_init,
    .v_init = pendulum_v_init,
    .dynamics = pendulum_dynamics,
    .energy = pendulum_energy,
    .outputs = pendulum_outputs,
};

/* ---- pendulum in its angle, with a state that follows it ---- */

static const struct mbs_name angle_coord[] = { { "phi", "rad", 1 } };
static const struct mbs_name angle_state[] = { { "z", "", 2 } };
static const unsigned char angle_init[] = { MBS_INIT_FIXED };
static const int angle_col[] = { 0, 1 }, angle_row[] = { 0 };
#define angle_M_INIT { 1, 1, 1, angle_col, angle_row }
#define angle_G_INIT HAND_FULL(0, 1)
static const struct mbs_pattern angle_M = angle_M_INIT, angle_G = angle_G_INIT;

static void angle_core(const double *c, cx t, const cx *q, const cx *v, const cx *z, struct hand_core *o)
{
    (void)c, (void)t, (void)z;
    o->M[0][0] = 1;
    o->f[0] = -9.81 * csin(q[0]);
    o->zdot[0] = v[0];
}

#define angle_setup pendulum_setup
static void angle_initial(const double *c, double *q, double *v, double *z, double *u)
{
    (void)c, (void)u;
    q[0] = z[0] = M_PI / 2;
    v[0] = 0;
}

static void angle_energy(const double *c, const struct mbs_state *x, double e[2], double *w)
{
    (void)c, (void)w;
    e[0] = x->v[0] * x->v[0] / 2;
    e[1] = -9.81 * cos(x->q[0]);
}

HAND_FUNCTIONS(angle, angle_core, 1, 0, 0, 1)

const struct mbs_model hand_pendulum_angle = {
    HAND_COMMON(angle, 1, 0, 0, 0, 1),
    .coord = angle_coord,
    .state = angle_state,
    .q_init = angle_init,
    .v_init = angle_init,
    .dynamics = angle_dynamics,
    .energy = angle_energy,
};
