/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The hand-written squeezer against what it was derived from: M and f from the kinetic and potential
 * energy of Hairer & Wanner (7.3), (7.4) with the positions of the centres of gravity alone, in long
 * double; G and gqq from differences of g; the published initial accelerations and multipliers
 * (7.10); and the misprint of the printed listing, named. */
#include "hand.h"

typedef long double Real;
#define H 0.01L

static const Real m[7] = {0.04325L, 0.00365L, 0.02373L, 0.00706L, 0.07050L, 0.00706L, 0.05498L};
static const Real inertia[7] = {2.194e-6L, 4.410e-7L, 5.255e-6L, 5.667e-7L, 1.169e-5L, 5.667e-7L, 1.912e-5L};

/* x, y of C1..C7 and the total angles of rotation. */
static void positions(const Real *q, Real *x, Real *y, Real *w)
{
    const Real xa = -0.06934L, ya = -0.00227L, xb = -0.03635L, yb = 0.03273L, da = 0.0115L, rr = 0.007L, ra = 0.00092L;
    const Real sa = 0.01874L, sb = 0.01043L, zt = 0.04L, ta = 0.02308L, tb = 0.00916L, u = 0.04L, ua = 0.01228L;
    const Real ub = 0.00449L, ee = 0.02L - 0.01421L, ff = 0.02L - 0.01421L;
    Real be = q[0], th = q[1], ga = q[2], ph = q[3], de = q[4], om = q[5], ep = q[6];
    x[0] = ra*cosl(be), y[0] = ra*sinl(be), w[0] = be;
    x[1] = rr*cosl(be) - da*cosl(be + th), y[1] = rr*sinl(be) - da*sinl(be + th), w[1] = be + th;
    x[2] = xb + sa*sinl(ga) + sb*cosl(ga), y[2] = yb - sa*cosl(ga) + sb*sinl(ga), w[2] = ga;
    x[3] = xa + zt*cosl(de) + ee*sinl(ph + de), y[3] = ya + zt*sinl(de) - ee*cosl(ph + de), w[3] = ph + de;
    x[4] = xa + ta*cosl(de) - tb*sinl(de), y[4] = ya + ta*sinl(de) + tb*cosl(de), w[4] = de;
    x[5] = xa + u*sinl(ep) + ff*cosl(om + ep), y[5] = ya - u*cosl(ep) + ff*sinl(om + ep), w[5] = om + ep;
    x[6] = xa + ua*sinl(ep) - ub*cosl(ep), y[6] = ya - ua*cosl(ep) - ub*sinl(ep), w[6] = ep;
}

static Real potential(const Real *q)
{
    Real xd = -0.03635L + 0.018L*sinl(q[2]) + 0.02L*cosl(q[2]) - 0.014L;
    Real yd = 0.03273L - 0.018L*cosl(q[2]) + 0.02L*sinl(q[2]) - 0.072L;
    Real stretch = sqrtl(xd*xd + yd*yd) - 0.07785L;
    return -0.033L*q[0] + 4530*stretch*stretch/2;
}

/* The bilinear form of the kinetic energy, velocities as differences of positions. */
static Real kinetic(const Real *q, const Real *v, const Real *w)
{
    Real d[2][3][7] = {{{0}}}, sum = 0;
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < 8; k++) {
            Real x[3][7], p[7];
            for (int j = 0; j < 7; j++)
                p[j] = q[j] + H*diff_at[k]*(side ? w[j] : v[j]);
            positions(p, x[0], x[1], x[2]);
            for (int c = 0; c < 21; c++)
                d[side][c/7][c%7] += diff_weight[k]*x[c/7][c%7]/H;
        }
    for (int i = 0; i < 7; i++)
        sum += m[i]*(d[0][0][i]*d[1][0][i] + d[0][1][i]*d[1][1][i]) + inertia[i]*d[0][2][i]*d[1][2][i];
    return sum;
}

/* f_i = dT/dq_i - (d/ds) T_v(q + s v) v - dU/dq_i */
static void force_from_energies(const Real *q, const Real *v, double *f)
{
    for (int i = 0; i < 7; i++) {
        Real e[7] = {0}, sum = 0;
        e[i] = 1;
        for (int k = 0; k < 8; k++) {
            Real p[7], s[7];
            for (int j = 0; j < 7; j++) {
                p[j] = q[j] + H*diff_at[k]*e[j];
                s[j] = q[j] + H*diff_at[k]*v[j];
            }
            sum += diff_weight[k]/H*(kinetic(p, v, v)/2 - (potential(p) - potential(q)) - kinetic(s, e, v));
        }
        f[i] = (double)sum;
    }
}

static void check_state(const struct hand *h, double *worst)
{
    double q[7], v[7], t = 0, M[49] = {0}, f[7] = {0}, f1[7], M1[49];
    Real ql[7], vl[7];
    for (int i = 0; i < 7; i++) {
        ql[i] = q[i] = 3*random_unit();
        vl[i] = v[i] = random_unit();
    }
    h->mass(&t, q, NULL, M);
    h->force(&t, q, v, NULL, f);
    for (int j = 0; j < 7; j++)
        for (int i = 0; i < 7; i++) {
            Real ei[7] = {0}, ej[7] = {0};
            ei[i] = 1, ej[j] = 1;
            M1[7*j + i] = i >= j ? (double)kinetic(ql, ei, ej) : 0;
        }
    force_from_energies(ql, vl, f1);
    worst[0] = fmax(worst[0], largest_difference(49, M, M1));
    /* the motor and the spring dominate f1 and f3 by far, so they have a scale of their own */
    worst[1] = fmax(worst[1], fmax(fabs(f[0] - f1[0]), fabs(f[2] - f1[2])));
    f[0] = f1[0] = f[2] = f1[2] = 0;
    worst[2] = fmax(worst[2], largest_difference(7, f, f1));
    check_constraints(h, 7, 6, 0.02, t, q, v, &worst[3], &worst[4]);
    if (h->all)
        worst[5] = fmax(worst[5], check_all(h, 7, 6, t, q, v));
}

/* Sizes: M 1e-4, the velocity terms 1e-6, the spring force times its lever 1 to 10, lengths 0.1.
 * The tolerances are 1e-12 and less of these; what remains are the rounding errors of the
 * differences (long double for the energies, double for the constraints). */
static void check(const struct hand *h, const char *name)
{
    double worst[6] = {0};
    for (int i = 0; i < 20; i++)
        check_state(h, worst);
    ok(worst[0] < 1e-17, "%s: M against the kinetic energy, largest difference %.2g", name, worst[0]);
    ok(worst[1] < 1e-12, "%s: motor and spring, largest difference %.2g", name, worst[1]);
    ok(worst[2] < 1e-17, "%s: f against the energies, largest difference %.2g", name, worst[2]);
    ok(worst[3] < 1e-14, "%s: G against differences of g, %.2g", name, worst[3]);
    ok(worst[4] < 1e-13, "%s: gqq against differences of G v, %.2g", name, worst[4]);
    if (h->all)
        ok(worst[5] < 1e-14, "%s: hand_all agrees with the single functions, %.2g", name, worst[5]);
}

/* HW (7.7) and (7.10), to the digits that a double start and a well-conditioned solve leave. */
static void check_start(const struct hand *h, const char *name)
{
    const double q[7] = {-0.0617138900142764496358948458001, 0, 0.455279819163070380255912382449,
                         0.222668390165885884674473185609, 0.487364979543842550225598953530,
                         -0.222668390165885884674473185609, 1.23054744454982119249735015568};
    double t = 0, v[7] = {0}, M[49] = {0}, f[7] = {0}, g[6] = {0}, G[42] = {0}, gamma[6] = {0}, x[13], zero[6] = {0};
    h->mass(&t, q, NULL, M);
    h->force(&t, q, v, NULL, f);
    h->constraint(&t, q, NULL, g);
    h->constraint_jacobian(&t, q, NULL, G);
    h->constraint_acceleration(&t, q, v, NULL, gamma);
    ok(largest_difference(6, g, zero) < 2e-17, "%s: the published start satisfies g = 0", name);
    saddle_solve(7, 6, M, G, f, gamma, x);
    near(x[0], 14222.4439199541138705911625887, 1e-12, "beta''(0)");
    near(x[1], -10666.8329399655854029433719415, 1e-12, "Theta''(0)");
    near(x[7], 98.5668703962410896057654982170, 1e-12, "lambda1(0)");
    near(x[8], -6.12268834425566265503114393122, 1e-12, "lambda2(0)");
    double rest = 0;
    for (int i = 2; i < 13; i++)
        rest = i == 7 || i == 8 ? rest : fmax(rest, fabs(x[i]));
    ok(rest < 1e-8, "%s: the other accelerations and multipliers vanish (%.2g)", name, rest);
}

/* The listing as printed has one wrong entry, (5,7), and no other. */
static void check_printed(const struct hand *right, const struct hand *printed)
{
    double q[7], v[7], t = 0, G[42] = {0}, P[42] = {0}, a[6] = {0}, b[6] = {0};
    int wrong = 0, where = -1;
    for (int i = 0; i < 7; i++) {
        q[i] = random_unit();
        v[i] = random_unit();
    }
    right->constraint_jacobian(&t, q, NULL, G);
    printed->constraint_jacobian(&t, q, NULL, P);
    right->constraint_acceleration(&t, q, v, NULL, a);
    printed->constraint_acceleration(&t, q, v, NULL, b);
    for (int i = 0; i < 42; i++)
        if (fabs(G[i] - P[i]) > 1e-15) {
            wrong++;
            where = i;
        }
    ok(wrong == 1 && where == 6*6 + 4 && P[where] == 0, "as printed: entry (5,7) of G is missing, %d wrong", wrong);
    ok(largest_difference(6, a, b) < 1e-15, "as printed: gqq is right");
}

int main(void)
{
    struct hand c, fortran, printed;
    if (!ok(hand_load(&c, hand_cc(), "squeezer.c", NULL, NULL) == 0, "squeezer.c compiles and loads"))
        return tap_done();
    check(&c, "squeezer.c");
    check_start(&c, "squeezer.c");
    if (ok(hand_load(&printed, hand_cc(), "squeezer_as_printed.c", NULL, NULL) == 0, "squeezer_as_printed.c loads"))
        check_printed(&c, &printed);
    if (hand_load(&fortran, "gfortran", "squeezer.f90", NULL, NULL) == 0) {
        check(&fortran, "squeezer.f90");
        check_start(&fortran, "squeezer.f90");
    } else {
        skip(11, "no Fortran compiler");
    }
    return tap_done();
}
