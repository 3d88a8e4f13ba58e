/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Andrews' squeezing mechanism, coded by hand from E. Hairer & G. Wanner, Solving Ordinary
 * Differential Equations II (2nd ed. 1996), section VII.7: M, f, g, G = g_q and g_qq(v,v) of
 * (7.6).  q = (beta, Theta, gamma, Phi, delta, Omega, epsilon), multipliers in the order of (7.5).
 *
 * It is the measure for the generated code, in correctness and in cost, and follows README.md in
 * this directory.  The data are constants, so that the C compiler folds all that depends on them
 * alone; the first GQ(6,7) of the printed listing is GQ(5,7), see squeezer_as_printed.c. */
#include <math.h>

/* HW (7.1) and table 7.1 */
static const double xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014, yc = 0.072;
static const double d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, zf = 0.02, fa = 0.01421;
static const double rr = 0.007, ra = 0.00092, ss = 0.035, sa = 0.01874, sb = 0.01043, sc = 0.018, sd = 0.02;
static const double zt = 0.04, ta = 0.02308, tb = 0.00916, u = 0.04, ua = 0.01228, ub = 0.00449;
static const double c0 = 4530, l0 = 0.07785, mom = 0.033;
/* table 7.2 */
static const double m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.07050, m6 = 0.00706, m7 = 0.05498;
static const double I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5, I6 = 5.667e-7,
                    I7 = 1.912e-5;

/* Entries counted from 1 as in the book, columns one after the other. */
#define M_(i, j) M[((j)-1) * 7 + (i)-1]
#define G_(i, j) G[((j)-1) * 6 + (i)-1]

void hand_mass(const double *t, const double *q, const double *p, double *M);
void hand_force(const double *t, const double *q, const double *v, const double *p, double *f);
void hand_constraint(const double *t, const double *q, const double *p, double *g);
void hand_constraint_jacobian(const double *t, const double *q, const double *p, double *G);
void hand_constraint_acceleration(const double *t, const double *q, const double *v, const double *p, double *gamma);
void hand_all(const double *t, const double *q, const double *v, const double *p, double *M, double *f, double *g,
              double *G, double *gamma);

static inline void mass(double *M, double coth, double siph, double siom)
{
    M_(1, 1) = m1*ra*ra + m2*(rr*rr - 2*da*rr*coth + da*da) + I1 + I2;
    M_(2, 1) = m2*(da*da - da*rr*coth) + I2;
    M_(2, 2) = m2*da*da + I2;
    M_(3, 3) = m3*(sa*sa + sb*sb) + I3;
    M_(4, 4) = m4*(e - ea)*(e - ea) + I4;
    M_(5, 4) = m4*((e - ea)*(e - ea) + zt*(e - ea)*siph) + I4;
    M_(5, 5) = m4*(zt*zt + 2*zt*(e - ea)*siph + (e - ea)*(e - ea)) + m5*(ta*ta + tb*tb) + I4 + I5;
    M_(6, 6) = m6*(zf - fa)*(zf - fa) + I6;
    M_(7, 6) = m6*((zf - fa)*(zf - fa) - u*(zf - fa)*siom) + I6;
    M_(7, 7) = m6*((zf - fa)*(zf - fa) - 2*u*(zf - fa)*siom + u*u) + m7*(ua*ua + ub*ub) + I6 + I7;
}

static inline void force(double *f, const double *v, double sith, double siga, double coga, double coph, double coom)
{
    double xd = sd*coga + sc*siga + xb;
    double yd = sd*siga - sc*coga + yb;
    double lang = sqrt((xd - xc)*(xd - xc) + (yd - yc)*(yd - yc));
    double pull = -c0*(lang - l0)/lang;
    double fx = pull*(xd - xc);
    double fy = pull*(yd - yc);
    f[0] = mom - m2*da*rr*v[1]*(v[1] + 2*v[0])*sith;
    f[1] = m2*da*rr*v[0]*v[0]*sith;
    f[2] = fx*(sc*coga - sd*siga) + fy*(sd*coga + sc*siga);
    f[3] = m4*zt*(e - ea)*v[4]*v[4]*coph;
    f[4] = -m4*zt*(e - ea)*v[3]*(v[3] + 2*v[4])*coph;
    f[5] = -m6*u*(zf - fa)*v[6]*v[6]*coom;
    f[6] = m6*u*(zf - fa)*v[5]*(v[5] + 2*v[6])*coom;
}

/* Sines and cosines of the constraints. */
struct angles {
    double sibe, cobe, siga, coga, side, code, siep, coep;
    double sibeth, cobeth, siphde, cophde, siomep, coomep;
};

static inline struct angles angles(const double *q)
{
    struct angles a;
    a.sibe = sin(q[0]), a.cobe = cos(q[0]);
    a.siga = sin(q[2]), a.coga = cos(q[2]);
    a.side = sin(q[4]), a.code = cos(q[4]);
    a.siep = sin(q[6]), a.coep = cos(q[6]);
    a.sibeth = sin(q[0] + q[1]), a.cobeth = cos(q[0] + q[1]);
    a.siphde = sin(q[3] + q[4]), a.cophde = cos(q[3] + q[4]);
    a.siomep = sin(q[5] + q[6]), a.coomep = cos(q[5] + q[6]);
    return a;
}

static inline void constraint(double *g, const struct angles *a)
{
    double fx = rr*a->cobe - d*a->cobeth;       /* the point F, common to the three loops */
    double fy = rr*a->sibe - d*a->sibeth;
    g[0] = fx - ss*a->siga - xb;
    g[1] = fy + ss*a->coga - yb;
    g[2] = fx - e*a->siphde - zt*a->code - xa;
    g[3] = fy + e*a->cophde - zt*a->side - ya;
    g[4] = fx - zf*a->coomep - u*a->siep - xa;
    g[5] = fy - zf*a->siomep + u*a->coep - ya;
}

static inline void jacobian(double *G, const struct angles *a)
{
    double dfx = -rr*a->sibe + d*a->sibeth;
    double dfy = rr*a->cobe - d*a->cobeth;
    double ex = d*a->sibeth;
    double ey = -d*a->cobeth;
    G_(1, 1) = dfx;
    G_(2, 1) = dfy;
    G_(3, 1) = dfx;
    G_(4, 1) = dfy;
    G_(5, 1) = dfx;
    G_(6, 1) = dfy;
    G_(1, 2) = ex;
    G_(2, 2) = ey;
    G_(3, 2) = ex;
    G_(4, 2) = ey;
    G_(5, 2) = ex;
    G_(6, 2) = ey;
    G_(1, 3) = -ss*a->coga;
    G_(2, 3) = -ss*a->siga;
    G_(3, 4) = -e*a->cophde;
    G_(4, 4) = -e*a->siphde;
    G_(3, 5) = -e*a->cophde + zt*a->side;
    G_(4, 5) = -e*a->siphde - zt*a->code;
    G_(5, 6) = zf*a->siomep;
    G_(6, 6) = -zf*a->coomep;
    G_(5, 7) = zf*a->siomep - u*a->coep;
    G_(6, 7) = -zf*a->coomep - u*a->siep;
}

static inline void acceleration(double *gamma, const double *v, const struct angles *a)
{
    double v12 = (v[0] + v[1])*(v[0] + v[1]);
    double v45 = (v[3] + v[4])*(v[3] + v[4]);
    double v67 = (v[5] + v[6])*(v[5] + v[6]);
    double fx = -rr*a->cobe*v[0]*v[0] + d*a->cobeth*v12;
    double fy = -rr*a->sibe*v[0]*v[0] + d*a->sibeth*v12;
    gamma[0] = fx + ss*a->siga*v[2]*v[2];
    gamma[1] = fy - ss*a->coga*v[2]*v[2];
    gamma[2] = fx + e*a->siphde*v45 + zt*a->code*v[4]*v[4];
    gamma[3] = fy - e*a->cophde*v45 + zt*a->side*v[4]*v[4];
    gamma[4] = fx + zf*a->coomep*v67 + u*a->siep*v[6]*v[6];
    gamma[5] = fy + zf*a->siomep*v67 - u*a->coep*v[6]*v[6];
}

void hand_mass(const double *t, const double *q, const double *p, double *M)
{
    (void)t, (void)p;
    mass(M, cos(q[1]), sin(q[3]), sin(q[5]));
}

void hand_force(const double *t, const double *q, const double *v, const double *p, double *f)
{
    (void)t, (void)p;
    force(f, v, sin(q[1]), sin(q[2]), cos(q[2]), cos(q[3]), cos(q[5]));
}

void hand_constraint(const double *t, const double *q, const double *p, double *g)
{
    (void)t, (void)p;
    struct angles a = angles(q);
    constraint(g, &a);
}

void hand_constraint_jacobian(const double *t, const double *q, const double *p, double *G)
{
    (void)t, (void)p;
    struct angles a = angles(q);
    jacobian(G, &a);
}

void hand_constraint_acceleration(const double *t, const double *q, const double *v, const double *p, double *gamma)
{
    (void)t, (void)p;
    struct angles a = angles(q);
    acceleration(gamma, v, &a);
}

/* Ten angles, each sine and cosine once. */
void hand_all(const double *t, const double *q, const double *v, const double *p, double *restrict M,
              double *restrict f, double *restrict g, double *restrict G, double *restrict gamma)
{
    (void)t, (void)p;
    struct angles a = angles(q);
    double sith = sin(q[1]), coth = cos(q[1]);
    double siph = sin(q[3]), coph = cos(q[3]);
    double siom = sin(q[5]), coom = cos(q[5]);
    mass(M, coth, siph, siom);
    force(f, v, sith, a.siga, a.coga, coph, coom);
    constraint(g, &a);
    jacobian(G, &a);
    acceleration(gamma, v, &a);
}
