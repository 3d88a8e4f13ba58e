/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The planar slider-crank of the IFToMM benchmark library: two thin rods of 1 m and 1 kg, a massless slider on the
 * x axis, gravity 9.81 m/s^2.  It moves like theta1 = theta, theta2 = -theta; G loses rank at theta = pi/2 + n pi. */
#include "hand_generic.h"

/* parameter: start, 0: theta = pi/4 with P3 moving at -4 m/s; 1: at theta = pi/2 exactly with the same energy */
static const struct mbs_name slider_param[] = { { "start", "", 1 } };

static void slider_defaults(double *p, const unsigned char *given)
{
    if (!given || !given[0])
        p[0] = 0;
}

static void slider_setup(const double *p, double *c)
{
    c[0] = p[0];
}

/* sine, cosine and angular velocity of the start */
static void slider_start(const double *c, double *sn, double *cs, double *w)
{
    double s0 = sqrt(0.5), w0 = 2 / s0, energy = (2.0 / 3 + 2 * s0 * s0) * w0 * w0 / 2 + 9.81 * s0;

    *sn = c[0] != 0 ? 1 : s0;
    *cs = c[0] != 0 ? 0 : s0;
    *w = c[0] != 0 ? sqrt(2 * (energy - 9.81) / (2.0 / 3 + 2)) : w0;
}

/* ---- natural coordinates ---- */

static const struct mbs_name natural_coord[] = { { "x2", "m", 1 }, { "y2", "m", 1 }, { "x3", "m", 1 } };
static const struct mbs_name natural_constraint[] = { { "rod1", "", 2 }, { "rod2", "", 3 } };
static const unsigned char natural_init[] = { 1, 1, 1 };
static const int natural_mcol[] = { 0, 2, 3, 4 }, natural_mrow[] = { 0, 2, 1, 2 };
#define natural_M_INIT { 3, 3, 4, natural_mcol, natural_mrow }
#define natural_G_INIT HAND_FULL(2, 3)
static const struct mbs_pattern natural_M = natural_M_INIT, natural_G = natural_G_INIT;

static void natural_core(const double *c, cx t, const cx *q, const cx *v, const cx *z, struct hand_core *o)
{
    cx x2 = q[0], y2 = q[1], x3 = q[2], d = x3 - x2, dv = v[2] - v[0];

    (void)c, (void)t, (void)z;
    o->M[0][0] = o->M[1][1] = 2.0 / 3;
    o->M[2][2] = 1.0 / 3;
    o->M[0][2] = o->M[2][0] = 1.0 / 6;
    o->f[1] = -9.81;
    o->g[0] = (x2 * x2 + y2 * y2 - 1) / 2;
    o->g[1] = (d * d + y2 * y2 - 1) / 2;
    o->G[0][0] = x2;
    o->G[0][1] = y2;
    o->G[1][0] = -d;
    o->G[1][1] = y2;
    o->G[1][2] = d;
    o->gamma[0] = v[0] * v[0] + v[1] * v[1];
    o->gamma[1] = dv * dv + v[1] * v[1];
}

#define natural_setup slider_setup
static void natural_initial(const double *c, double *q, double *v, double *z, double *u)
{
    double sn, cs, w;

    (void)z, (void)u;
    slider_start(c, &sn, &cs, &w);
    q[0] = cs;
    q[1] = sn;
    q[2] = 2 * cs;
    v[0] = -sn * w;
    v[1] = cs * w;
    v[2] = -2 * sn * w;
}

static void natural_energy(const double *c, const struct mbs_state *x, double e[2], double *w)
{
    const double *v = x->v;

    (void)c, (void)w;
    e[0] = (v[0] * v[0] + v[1] * v[1]) / 3 + v[2] * v[2] / 6 + v[0] * v[2] / 6;
    e[1] = 9.81 * x->q[1];
}

HAND_FUNCTIONS(natural, natural_core, 3, 2, 0, 0)

const struct mbs_model hand_slider_natural = {
    HAND_COMMON(natural, 3, 2, 2, 0, 0),
    .nc = 1,
    .np = 1,
    .param = slider_param,
    .defaults = slider_defaults,
    .coord = natural_coord,
    .constraint = natural_constraint,
    .q_init = natural_init,
    .v_init = natural_init,
    .dynamics = natural_dynamics,
    .energy = natural_energy,
};

/* ---- absolute coordinates ---- */

static const struct mbs_name absolute_coord[] = { { "rod1.x", "m", 1 }, { "rod1.y", "m", 1 }, { "rod1.angle", "rad", 1 },
                                                  { "rod2.x", "m", 2 }, { "rod2.y", "m", 2 }, { "rod2.angle", "rad", 2 } };
static const struct mbs_name absolute_constraint[] = { { "O.x", "", 3 }, { "O.y", "", 3 }, { "P2.x", "", 4 }, { "P2.y", "", 4 }, { "P3.y", "", 5 } };
static const unsigned char absolute_init[] = { 1, 1, 1, 1, 1, 1 };
static const int absolute_mcol[] = { 0, 1, 2, 3, 4, 5, 6 }, absolute_mrow[] = { 0, 1, 2, 3, 4, 5 };
#define absolute_M_INIT { 6, 6, 6, absolute_mcol, absolute_mrow }
#define absolute_G_INIT HAND_FULL(5, 6)
static const struct mbs_pattern absolute_M = absolute_M_INIT, absolute_G = absolute_G_INIT;

static void absolute_core(const double *c, cx t, const cx *q, const cx *v, const cx *z, struct hand_core *o)
{
    cx c1 = ccos(q[2]) / 2, s1 = csin(q[2]) / 2, c2 = ccos(q[5]) / 2, s2 = csin(q[5]) / 2;
    cx w1 = v[2] * v[2], w2 = v[5] * v[5];

    (void)c, (void)t, (void)z;
    for (int i = 0; i < 6; i++)
        o->M[i][i] = i % 3 == 2 ? 1.0 / 12 : 1;
    o->f[1] = o->f[4] = -9.81;
    o->g[0] = q[0] - c1;
    o->g[1] = q[1] - s1;
    o->g[2] = q[0] + c1 - q[3] + c2;
    o->g[3] = q[1] + s1 - q[4] + s2;
    o->g[4] = q[4] + s2;
    o->G[0][0] = o->G[1][1] = o->G[2][0] = o->G[3][1] = o->G[4][4] = 1;
    o->G[0][2] = s1;
    o->G[1][2] = -c1;
    o->G[2][2] = -s1;
    o->G[2][3] = o->G[3][4] = -1;
    o->G[2][5] = -s2;
    o->G[3][2] = c1;
    o->G[3][5] = o->G[4][5] = c2;
    o->gamma[0] = c1 * w1;
    o->gamma[1] = s1 * w1;
    o->gamma[2] = -c1 * w1 - c2 * w2;
    o->gamma[3] = -s1 * w1 - s2 * w2;
    o->gamma[4] = -s2 * w2;
}

#define absolute_setup slider_setup
static void absolute_initial(const double *c, double *q, double *v, double *z, double *u)
{
    double sn, cs, w;

    (void)z, (void)u;
    slider_start(c, &sn, &cs, &w);
    q[0] = cs / 2;
    q[1] = sn / 2;
    q[2] = atan2(sn, cs);
    q[3] = 1.5 * cs;
    q[4] = sn / 2;
    q[5] = -q[2];
    v[0] = -sn * w / 2;
    v[1] = cs * w / 2;
    v[2] = w;
    v[3] = -1.5 * sn * w;
    v[4] = cs * w / 2;
    v[5] = -w;
}

static void absolute_energy(const double *c, const struct mbs_state *x, double e[2], double *w)
{
    const double *v = x->v;

    (void)c, (void)w;
    e[0] = (v[0] * v[0] + v[1] * v[1] + v[3] * v[3] + v[4] * v[4] + (v[2] * v[2] + v[5] * v[5]) / 12) / 2;
    e[1] = 9.81 * (x->q[1] + x->q[4]);
}

HAND_FUNCTIONS(absolute, absolute_core, 6, 5, 0, 0)

const struct mbs_model hand_slider_absolute = {
    HAND_COMMON(absolute, 6, 5, 5, 0, 0),
    .nc = 1,
    .np = 1,
    .param = slider_param,
    .defaults = slider_defaults,
    .coord = absolute_coord,
    .constraint = absolute_constraint,
    .q_init = absolute_init,
    .v_init = absolute_init,
    .dynamics = absolute_dynamics,
    .energy = absolute_energy,
};
