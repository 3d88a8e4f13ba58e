/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The flexible slider crank of B. Simeon as the IVP test set (Mazzia & Magherini, release 2.4, chapter 19) computes
 * it, with that code's value of pi and its damping matrix. */
#include "hand_generic.h"

static const double PI7 = 3.1415927;
static const double m2 = .151104, m3 = .075552, l1 = .15, l2 = .30, J1 = .002727, J2 = .0045339259, E = 2e11, b = .008, h = .008, rho = 7870, Omega = 150;

static const struct mbs_name crank_coord[] = { { "phi1", "rad", 1 }, { "phi2", "rad", 1 }, { "x3", "m", 1 }, { "q[1]", "m", 1 },
                                               { "q[2]", "m", 1 },   { "q[3]", "m", 1 },   { "q[4]", "m", 1 } };
static const struct mbs_name crank_constraint[] = { { "height", "", 2 }, { "slider", "", 3 }, { "drive", "", 4 } };
static const struct mbs_name crank_param[] = { { "nonlinear", "", 1 }, { "damped", "", 1 }, { "start", "", 1 } };
static const unsigned char crank_init[] = { 2, 2, 2, 2, 2, 2, 2 };
static const int crank_gcol[] = { 0, 3, 5, 6, 6, 6, 6, 8 }, crank_grow[] = { 0, 1, 2, 0, 1, 1, 0, 1 };
#define crank_M_INIT { 7, 7, 17, crank_mcol, crank_mrow }
#define crank_G_INIT { 3, 7, 8, crank_gcol, crank_grow }
static const int crank_mcol[] = { 0, 6, 11, 12, 13, 14, 16, 17 };
static const int crank_mrow[] = { 0, 1, 3, 4, 5, 6, 1, 3, 4, 5, 6, 2, 3, 4, 5, 6, 6 };
static const struct mbs_pattern crank_M = crank_M_INIT, crank_G = crank_G_INIT;

static cx dot4(const double *a, const cx *x)
{
    return a[0] * x[0] + a[1] * x[1] + a[2] * x[2] + a[3] * x[3];
}

/* gradient of the elastic potential and damping */
static void crank_elastic(const double *par, const cx *q, const cx *v, cx *out)
{
    double FK = E * b * h / l2, r = (h / l2) * (h / l2), p4 = PI7 * PI7 * PI7 * PI7, beta = 80 / (9 * PI7 * PI7);
    double k = par[0] * .5 * E * b * h / (l2 * l2) * PI7 * PI7, D = par[1];
    cx s = -4 * q[2] + 2 * q[3];

    out[0] = FK * p4 / 24 * r * q[0] + k * (q[0] * q[3] - beta * q[1] * s) + D * 5 * v[0];
    out[1] = FK * p4 * 2 / 3 * r * q[1] + k * (4 * q[1] * q[3] - beta * q[0] * s) + D * 25 * v[1];
    out[2] = FK * (16. / 3 * q[2] - 8. / 3 * q[3]) + k * 4 * beta * q[0] * q[1] + D * .5 * (230.8375455264791 * v[2] - 262.688487992052 * v[3]);
    out[3] = FK * (-8. / 3 * q[2] + 7. / 3 * q[3]) + k * (.5 * q[0] * q[0] + 2 * q[1] * q[1] - 2 * beta * q[0] * q[1]) +
             D * .5 * (-262.6884879920526 * v[2] + 421.7421837156818 * v[3]);
}

static void crank_core(const double *par, cx t, const cx *x, const cx *xv, const cx *z, struct hand_core *o)
{
    const double FB = b * h * l2, FM = rho * FB, p3 = PI7 * PI7 * PI7;
    const double c1[4] = { 0, 0, FB * 2 / 3, FB / 6 }, c2[4] = { FB * 2 / PI7, 0, 0, 0 }, c12[4] = { 0, 0, FB * l2 / 3, FB * l2 / 6 };
    const double c21[4] = { FB * l2 / PI7, -FB * l2 / (2 * PI7), 0, 0 };
    const double B[4][4] = { { 0, 0, -FB * 16 / p3, FB * (8 / p3 - 1 / PI7) },
                             { 0, 0, 0, FB / (2 * PI7) },
                             { FB * 16 / p3, 0, 0, 0 },
                             { FB * (1 / PI7 - 8 / p3), -FB / (2 * PI7), 0, 0 } };
    const double MQ[4][4] = { { .5 * FM }, { 0, .5 * FM }, { 0, 0, 8 * FM, FM }, { 0, 0, FM, 2 * FM } };
    const cx *q = x + 3, *qd = xv + 3, v1 = xv[0], v2 = xv[1];
    cx co = ccos(x[0] - x[1]), si = csin(x[0] - x[1]), c1q = dot4(c1, q), c2q = dot4(c2, q), c1d = dot4(c1, qd), c2d = dot4(c2, qd);
    cx MQq[4], Bd[4], el[4], qMq = 0, dMq = 0, dBd = 0;
    cx s1 = csin(x[0]), k1 = ccos(x[0]), s2 = csin(x[1]), k2 = ccos(x[1]), len = l2 + q[3];

    (void)z;
    for (int i = 0; i < 4; i++) {
        MQq[i] = dot4(MQ[i], q);
        Bd[i] = dot4(B[i], qd);
        qMq += q[i] * MQq[i];
        dMq += qd[i] * MQq[i];
        dBd += qd[i] * Bd[i];
    }
    crank_elastic(par, q, qd, el);
    o->M[0][0] = J1 + m2 * l1 * l1;
    o->M[1][0] = o->M[0][1] = .5 * l1 * l2 * m2 * co + rho * l1 * (co * c1q + si * c2q);
    o->M[1][1] = J2 + qMq + 2 * rho * dot4(c12, q);
    o->M[2][2] = m3;
    for (int i = 0; i < 4; i++) {
        cx qB = 0;
        for (int j = 0; j < 4; j++) {
            qB += q[j] * B[j][i];
            o->M[3 + i][3 + j] = MQ[i][j];
        }
        o->M[3 + i][0] = o->M[0][3 + i] = rho * l1 * (-si * c1[i] + co * c2[i]);
        o->M[3 + i][1] = o->M[1][3 + i] = rho * c21[i] + rho * qB;
        o->f[3 + i] = v2 * v2 * MQq[i] + rho * (v2 * v2 * c12[i] + l1 * v1 * v1 * (co * c1[i] + si * c2[i]) + 2 * v2 * Bd[i]) - el[i];
    }
    o->f[0] = -.5 * l1 * l2 * m2 * v2 * v2 * si + rho * l1 * v2 * v2 * (-si * c1q + co * c2q) - 2 * rho * l1 * v2 * (co * c1d + si * c2d);
    o->f[1] = .5 * l1 * l2 * m2 * v1 * v1 * si + rho * l1 * v1 * v1 * (si * c1q - co * c2q) - 2 * rho * v2 * dot4(c12, qd) - 2 * v2 * dMq - rho * dBd;
    o->g[0] = l1 * s1 + len * s2;
    o->g[1] = x[2] - l1 * k1 - len * k2;
    o->g[2] = x[0] - Omega * t;
    o->G[0][0] = l1 * k1;
    o->G[0][1] = len * k2;
    o->G[0][6] = s2;
    o->G[1][0] = l1 * s1;
    o->G[1][1] = len * s2;
    o->G[1][2] = 1;
    o->G[1][6] = -k2;
    o->G[2][0] = 1;
    o->gt[2] = -Omega;
    o->gamma[0] = -l1 * s1 * v1 * v1 - len * s2 * v2 * v2 + 2 * k2 * v2 * qd[3];
    o->gamma[1] = l1 * k1 * v1 * v1 + len * k2 * v2 * v2 + 2 * s2 * v2 * qd[3];
}

static void crank_defaults(double *p, const unsigned char *given)
{
    for (int i = 0; i < 3; i++)
        if (!given || !given[i])
            p[i] = 0;
}

static void crank_setup(const double *p, double *c)
{
    memcpy(c, p, 3 * sizeof *c);
}

static void crank_initial(const double *c, double *q, double *v, double *z, double *in)
{
    static const double q0[7] = { 0, 0, .450016933, 0, 0, .103339863e-4, .169327969e-4 };
    static const double v0[7] = { 150, -74.99576703969453, -.2689386719979040e-5, .4448961125815990,
                                  .4634339319238670e-2, -.1785910760000550e-5, -.2689386719979040e-5 };
    static const double q1[7] = { 0, 0, .45 }, v1[7] = { 150, -75 };

    (void)z, (void)in;
    memcpy(q, c[2] != 0 ? q1 : q0, sizeof q0);
    memcpy(v, c[2] != 0 ? v1 : v0, sizeof v0);
}

HAND_FUNCTIONS(crank, crank_core, 7, 3, 0, 0)

const struct mbs_model hand_crank = {
    HAND_COMMON(crank, 7, 3, 3, 0, 0),
    .nc = 3,
    .np = 3,
    .param = crank_param,
    .defaults = crank_defaults,
    .coord = crank_coord,
    .constraint = crank_constraint,
    .q_init = crank_init,
    .v_init = crank_init,
    .dynamics = crank_dynamics,
};
