/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Andrews' squeezing mechanism after Hairer & Wanner, Solving Ordinary Differential Equations II, VII.7.  dynamics()
 * is written out in real arithmetic, sharing sines of sums; everything else follows from the core. */
#include "hand_generic.h"

static const double m1 = .04325, m2 = .00365, m3 = .02373, m4 = .00706, m5 = .07050, m6 = .00706, m7 = .05498;
static const double I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5, I6 = 5.667e-7, I7 = 1.912e-5;
static const double xa = -.06934, ya = -.00227, xb = -.03635, yb = .03273, xc = .014, yc = .072, c0 = 4530, l0 = .07785;
static const double d = .028, da = .0115, e = .02, ea = .01421, rr = .007, ra = .00092, ss = .035, sa = .01874, sb = .01043;
static const double sc = .018, sd = .02, ta = .02308, tb = .00916, u = .04, ua = .01228, ub = .00449, zf = .02, zt = .04, fa = .01421;
static const double mom = .033;

static const struct mbs_name squeezer_coord[] = { { "beta", "rad", 1 },  { "Theta", "rad", 1 }, { "gamma", "rad", 1 },  { "Phi", "rad", 1 },
                                                  { "delta", "rad", 1 }, { "Omega", "rad", 1 }, { "epsilon", "rad", 1 } };
static const struct mbs_name squeezer_constraint[] = { { "loopB.x", "", 2 }, { "loopB.y", "", 2 }, { "loopA4.x", "", 3 },
                                                       { "loopA4.y", "", 3 }, { "loopA6.x", "", 4 }, { "loopA6.y", "", 4 } };
static const unsigned char squeezer_q_init[] = { 1, 2, 1, 1, 1, 1, 1 }, squeezer_v_init[] = { 1, 1, 1, 1, 1, 1, 1 };
static const int squeezer_mcol[] = { 0, 2, 3, 4, 6, 7, 9, 10 }, squeezer_mrow[] = { 0, 1, 1, 2, 3, 4, 4, 5, 6, 6 };
static const int squeezer_gcol[] = { 0, 6, 12, 14, 16, 18, 20, 22 };
static const int squeezer_grow[] = { 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 2, 3, 4, 5, 4, 5 };
#define squeezer_M_INIT { 7, 7, 10, squeezer_mcol, squeezer_mrow }
#define squeezer_G_INIT { 6, 7, 22, squeezer_gcol, squeezer_grow }
static const struct mbs_pattern squeezer_M = squeezer_M_INIT, squeezer_G = squeezer_G_INIT;

static void squeezer_core(const double *c, cx t, const cx *q, const cx *v, const cx *z, struct hand_core *o)
{
    cx sib = csin(q[0]), sith = csin(q[1]), siga = csin(q[2]), siph = csin(q[3]), side = csin(q[4]), siom = csin(q[5]), siep = csin(q[6]);
    cx cob = ccos(q[0]), coth = ccos(q[1]), coga = ccos(q[2]), coph = ccos(q[3]), code = ccos(q[4]), coom = ccos(q[5]), coep = ccos(q[6]);
    cx sibt = csin(q[0] + q[1]), cobt = ccos(q[0] + q[1]), sipd = csin(q[3] + q[4]), copd = ccos(q[3] + q[4]);
    cx sioe = csin(q[5] + q[6]), cooe = ccos(q[5] + q[6]);
    cx xd = sd * coga + sc * siga + xb - xc, yd = sd * siga - sc * coga + yb - yc, len = csqrt(xd * xd + yd * yd);
    cx force = -c0 * (len - l0) / len, bt = (v[0] + v[1]) * (v[0] + v[1]), pd = (v[3] + v[4]) * (v[3] + v[4]), oe = (v[5] + v[6]) * (v[5] + v[6]);

    (void)c, (void)t, (void)z;
    o->M[0][0] = m1 * ra * ra + m2 * (rr * rr - 2 * da * rr * coth + da * da) + I1 + I2;
    o->M[1][0] = o->M[0][1] = m2 * (da * da - da * rr * coth) + I2;
    o->M[1][1] = m2 * da * da + I2;
    o->M[2][2] = m3 * (sa * sa + sb * sb) + I3;
    o->M[3][3] = m4 * (e - ea) * (e - ea) + I4;
    o->M[4][3] = o->M[3][4] = m4 * ((e - ea) * (e - ea) + zt * (e - ea) * siph) + I4;
    o->M[4][4] = m4 * (zt * zt + 2 * zt * (e - ea) * siph + (e - ea) * (e - ea)) + m5 * (ta * ta + tb * tb) + I4 + I5;
    o->M[5][5] = m6 * (zf - fa) * (zf - fa) + I6;
    o->M[6][5] = o->M[5][6] = m6 * ((zf - fa) * (zf - fa) - u * (zf - fa) * siom) + I6;
    o->M[6][6] = m6 * ((zf - fa) * (zf - fa) - 2 * u * (zf - fa) * siom + u * u) + m7 * (ua * ua + ub * ub) + I6 + I7;
    o->f[0] = mom - m2 * da * rr * v[1] * (v[1] + 2 * v[0]) * sith;
    o->f[1] = m2 * da * rr * v[0] * v[0] * sith;
    o->f[2] = force * (xd * (sc * coga - sd * siga) + yd * (sd * coga + sc * siga));
    o->f[3] = m4 * zt * (e - ea) * v[4] * v[4] * coph;
    o->f[4] = -m4 * zt * (e - ea) * v[3] * (v[3] + 2 * v[4]) * coph;
    o->f[5] = -m6 * u * (zf - fa) * v[6] * v[6] * coom;
    o->f[6] = m6 * u * (zf - fa) * v[5] * (v[5] + 2 * v[6]) * coom;
    o->g[0] = rr * cob - d * cobt - ss * siga - xb;
    o->g[1] = rr * sib - d * sibt + ss * coga - yb;
    o->g[2] = rr * cob - d * cobt - e * sipd - zt * code - xa;
    o->g[3] = rr * sib - d * sibt + e * copd - zt * side - ya;
    o->g[4] = rr * cob - d * cobt - zf * cooe - u * siep - xa;
    o->g[5] = rr * sib - d * sibt - zf * sioe + u * coep - ya;
    for (int i = 0; i < 6; i += 2) {
        o->G[i][0] = -rr * sib + d * sibt;
        o->G[i][1] = d * sibt;
        o->G[i + 1][0] = rr * cob - d * cobt;
        o->G[i + 1][1] = -d * cobt;
        o->gamma[i] = -rr * cob * v[0] * v[0] + d * cobt * bt;
        o->gamma[i + 1] = -rr * sib * v[0] * v[0] + d * sibt * bt;
    }
    o->G[0][2] = -ss * coga;
    o->G[1][2] = -ss * siga;
    o->G[2][3] = -e * copd;
    o->G[2][4] = -e * copd + zt * side;
    o->G[3][3] = -e * sipd;
    o->G[3][4] = -e * sipd - zt * code;
    o->G[4][5] = zf * sioe;
    o->G[4][6] = zf * sioe - u * coep;
    o->G[5][5] = -zf * cooe;
    o->G[5][6] = -zf * cooe - u * siep;
    o->gamma[0] += ss * siga * v[2] * v[2];
    o->gamma[1] -= ss * coga * v[2] * v[2];
    o->gamma[2] += e * sipd * pd + zt * code * v[4] * v[4];
    o->gamma[3] += -e * copd * pd + zt * side * v[4] * v[4];
    o->gamma[4] += zf * cooe * oe + u * siep * v[6] * v[6];
    o->gamma[5] += zf * sioe * oe - u * coep * v[6] * v[6];
}

static void squeezer_setup(const double *p, double *c)
{
    (void)p, (void)c;
}

static void squeezer_initial(const double *c, double *q, double *v, double *z, double *in)
{
    static const double q0[7] = { -0.0617138900142764496358948458001, 0, 0.455279819163070380255912382449, 0.222668390165885884674473185609,
                                  0.487364979543842550225598953530, -0.222668390165885884674473185609, 1.23054744454982119249735015568 };

    (void)c, (void)z, (void)in;
    memcpy(q, q0, sizeof q0);
    memset(v, 0, sizeof q0);
}

HAND_FUNCTIONS(squeezer, squeezer_core, 7, 6, 0, 0)

static void squeezer_fast(const double *cc, const struct mbs_state *x, const struct mbs_dynamics *o, double *w)
{
    const double *q = x->q, *v = x->v;
    double sib = sin(q[0]), sith = sin(q[1]), siga = sin(q[2]), siph = sin(q[3]), side = sin(q[4]), siom = sin(q[5]), siep = sin(q[6]);
    double cob = cos(q[0]), coth = cos(q[1]), coga = cos(q[2]), coph = cos(q[3]), code = cos(q[4]), coom = cos(q[5]), coep = cos(q[6]);
    double sibt = sib * coth + cob * sith, cobt = cob * coth - sib * sith, sipd = siph * code + coph * side, copd = coph * code - siph * side;
    double sioe = siom * coep + coom * siep, cooe = coom * coep - siom * siep;
    double xd = sd * coga + sc * siga + (xb - xc), yd = sd * siga - sc * coga + (yb - yc);
    double force = -c0 * (1 - l0 / sqrt(xd * xd + yd * yd)), bt = v[0] + v[1], pd = v[3] + v[4], oe = v[5] + v[6];
    double *M = o->M, *f = o->f, *G = o->G, *ga = o->gamma, k;

    (void)cc, (void)w;
    M[1] = (m2 * da * da + I2) - m2 * da * rr * coth;
    M[0] = (m1 * ra * ra + m2 * (rr * rr + da * da) + I1 + I2) - 2 * m2 * da * rr * coth;
    M[2] = m2 * da * da + I2;
    M[3] = m3 * (sa * sa + sb * sb) + I3;
    M[4] = m4 * (e - ea) * (e - ea) + I4;
    k = m4 * zt * (e - ea) * siph;
    M[5] = (m4 * (e - ea) * (e - ea) + I4) + k;
    M[6] = (m4 * (zt * zt + (e - ea) * (e - ea)) + m5 * (ta * ta + tb * tb) + I4 + I5) + 2 * k;
    M[7] = m6 * (zf - fa) * (zf - fa) + I6;
    k = m6 * u * (zf - fa) * siom;
    M[8] = (m6 * (zf - fa) * (zf - fa) + I6) - k;
    M[9] = (m6 * ((zf - fa) * (zf - fa) + u * u) + m7 * (ua * ua + ub * ub) + I6 + I7) - 2 * k;
    k = m2 * da * rr * sith;
    f[0] = mom - k * v[1] * (v[1] + 2 * v[0]);
    f[1] = k * v[0] * v[0];
    f[2] = force * (xd * (sc * coga - sd * siga) + yd * (sd * coga + sc * siga));
    k = m4 * zt * (e - ea) * coph;
    f[3] = k * v[4] * v[4];
    f[4] = -k * v[3] * (v[3] + 2 * v[4]);
    k = m6 * u * (zf - fa) * coom;
    f[5] = -k * v[6] * v[6];
    f[6] = k * v[5] * (v[5] + 2 * v[6]);
    double px = rr * cob, py = rr * sib, rx = d * cobt, ry = d * sibt;
    G[0] = G[2] = G[4] = ry - py;
    G[1] = G[3] = G[5] = px - rx;
    G[6] = G[8] = G[10] = ry;
    G[7] = G[9] = G[11] = -rx;
    G[12] = -ss * coga;
    G[13] = -ss * siga;
    G[14] = -e * copd;
    G[15] = -e * sipd;
    G[16] = zt * side + G[14];
    G[17] = G[15] - zt * code;
    G[18] = zf * sioe;
    G[19] = -zf * cooe;
    G[20] = G[18] - u * coep;
    G[21] = G[19] - u * siep;
    if (ga) {
        double b2 = v[0] * v[0], kx = rx * (bt * bt) - px * b2, ky = ry * (bt * bt) - py * b2, g2 = v[2] * v[2], d2 = v[4] * v[4], e2 = v[6] * v[6];
        pd *= pd;
        oe *= oe;
        ga[0] = kx + ss * siga * g2;
        ga[1] = ky - ss * coga * g2;
        ga[2] = kx + e * sipd * pd + zt * code * d2;
        ga[3] = ky - e * copd * pd + zt * side * d2;
        ga[4] = kx + zf * cooe * oe + u * siep * e2;
        ga[5] = ky + zf * sioe * oe - u * coep * e2;
    }
    if (o->g) {
        o->g[0] = px - rx - ss * siga - xb;
        o->g[1] = py - ry + ss * coga - yb;
        o->g[2] = px - rx - e * sipd - zt * code - xa;
        o->g[3] = py - ry + e * copd - zt * side - ya;
        o->g[4] = px - rx - zf * cooe - u * siep - xa;
        o->g[5] = py - ry - zf * sioe + u * coep - ya;
    }
    if (o->gt)
        memset(o->gt, 0, 6 * sizeof *o->gt);
}

static void squeezer_energy(const double *c, const struct mbs_state *x, double en[2], double *w)
{
    cx q[7], v[7];
    struct hand_core k;
    double siga = sin(x->q[2]), coga = cos(x->q[2]), len = hypot(sd * coga + sc * siga + xb - xc, sd * siga - sc * coga + yb - yc);

    (void)w;
    memset(&k, 0, sizeof k);
    hand_lift(x->q, 7, q);
    hand_lift(x->v, 7, v);
    squeezer_core(c, 0, q, v, NULL, &k);
    en[0] = 0;
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 7; j++)
            en[0] += creal(k.M[i][j]) * x->v[i] * x->v[j] / 2;
    en[1] = -mom * x->q[0] + c0 * (len - l0) * (len - l0) / 2;
}

const struct mbs_model hand_squeezer = {
    HAND_COMMON(squeezer, 7, 6, 6, 0, 0),
    .coord = squeezer_coord,
    .constraint = squeezer_constraint,
    .q_init = squeezer_q_init,
    .v_init = squeezer_v_init,
    .dynamics = squeezer_fast,
    .energy = squeezer_energy,
};
