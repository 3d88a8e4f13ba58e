/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The hand-written slider crank against what it was derived from.  M and the elastic forces against
 * the rod's displacement field integrated by quadrature, to the 2e-8 by which the test set's pi is
 * off; f against M and the potential by differences; G and gamma against differences of g; and the
 * consistent initial accelerations and multipliers.  All four variants. */
#include "hand.h"

#define H 0.02
#define PI7 3.1415927

static const double l1 = 0.15, l2 = 0.30, m2 = 0.151104, m3 = 0.075552, J1 = 0.002727, J2 = 0.0045339259;
static const double height = 0.008, width = 0.008, rho = 7870, E = 2e11;

/* Nodes and weights of Gauss-Legendre with 20 points on (0, 1), by Newton on P_20. */
static void gauss(double *x, double *w)
{
    for (int i = 0; i < 20; i++) {
        double z = cos(3.14159265358979323846*(i + 0.75)/20.5), dp = 1;
        for (int it = 0; it < 50; it++) {
            double p0 = 1, p1 = z;
            for (int k = 2; k <= 20; k++) {
                double p2 = ((2*k - 1)*z*p1 - (k - 1)*p0)/k;
                p0 = p1, p1 = p2;
            }
            dp = 20*(z*p1 - p0)/(z*z - 1);
            z -= p1/dp;
        }
        x[i] = (1 + z)/2;
        w[i] = 1/((1 - z*z)*dp*dp);
    }
}

/* Kinetic energy of the whole from the velocities of the rod's material points.  J2 exceeds
 * m2 l2^2/3 by the rotary inertia m2 h^2/12; the test set's longitudinal mass block is 15 times the
 * one of its own shape functions, in qdot' M qdot and in q' M q. */
static double kinetic(const double *q, const double *v)
{
    static double x[20], w[20];
    const double pi = 3.14159265358979323846;
    double sum = 0;
    if (x[0] == 0)
        gauss(x, w);
    for (int i = 0; i < 20; i++) {
        double s = x[i], a = s*s, s1 = sin(pi*s), s2 = sin(2*pi*s);
        double w1 = a*(-4*q[5] + 2*q[6]) + s*(4*q[5] - q[6]), w2 = s1*q[3] + s2*q[4];
        double d1 = a*(-4*v[5] + 2*v[6]) + s*(4*v[5] - v[6]), d2 = s1*v[3] + s2*v[4];
        /* in the rod's axes: velocity of the pin, rotation, deformation */
        double vx = l1*v[0]*sin(q[1] - q[0]) - v[1]*w2 + d1;
        double vy = l1*v[0]*cos(q[1] - q[0]) + v[1]*(s*l2 + w1) + d2;
        sum += w[i]*rho*width*height*l2*(vx*vx + vy*vy)/2;
    }
    double more = rho*width*height*l2*14/15;
    sum += more*(8*v[5]*v[5] + 2*v[5]*v[6] + 2*v[6]*v[6])/2;
    sum += more*(8*q[5]*q[5] + 2*q[5]*q[6] + 2*q[6]*q[6])*v[1]*v[1]/2;
    return sum + (J2 - m2*l2*l2/3)*v[1]*v[1]/2 + J1*v[0]*v[0]/2 + m3*v[2]*v[2]/2;
}

/* Elastic energy by quadrature: E A/2 int w1'^2 + E I/2 int w2''^2 (+ E A/2 int w1' w2'^2). */
static double elastic_by_quadrature(const double *q, int nonlinear)
{
    double x[20], w[20], sum = 0;
    const double pi = 3.14159265358979323846;
    gauss(x, w);
    for (int i = 0; i < 20; i++) {
        double s = x[i];
        double e1 = (2*s*(-4*q[5] + 2*q[6]) + 4*q[5] - q[6])/l2;
        double e2 = (pi*cos(pi*s)*q[3] + 2*pi*cos(2*pi*s)*q[4])/l2;
        double k2 = -(pi*pi*sin(pi*s)*q[3] + 4*pi*pi*sin(2*pi*s)*q[4])/(l2*l2);
        double A = width*height, I = width*height*height*height/12;
        sum += w[i]*l2*E/2*(A*e1*e1 + I*k2*k2 + (nonlinear ? A*e1*e2*e2 : 0));
    }
    return sum;
}

/* The same in closed form with the test set's pi. */
static double elastic(const double *q, int nonlinear)
{
    double FK = E*width*height/l2, r = height/l2*(height/l2), p4 = PI7*PI7*PI7*PI7, beta = 80/(9*PI7*PI7);
    double sum = FK*(p4/24*r*q[3]*q[3] + p4*2/3*r*q[4]*q[4] + (16*q[5]*q[5] - 16*q[5]*q[6] + 7*q[6]*q[6])/3)/2;
    if (nonlinear)
        sum += FK/l2*PI7*PI7/2*(q[3]*q[3]*q[6]/2 + 2*q[4]*q[4]*q[6] - beta*q[3]*q[4]*(2*q[6] - 4*q[5]));
    return sum;
}

/* v' M w for the lower triangle of M at q */
static double form(const struct hand *h, const double *q, const double *v, const double *w)
{
    double M[49] = {0}, t = 0, sum = 0;
    h->mass(&t, q, NULL, M);
    for (int j = 0; j < 7; j++)
        for (int i = j; i < 7; i++)
            sum += i == j ? M[7*j + i]*v[i]*w[i] : M[7*j + i]*(v[i]*w[j] + v[j]*w[i]);
    return sum;
}

/* f_i = dT/dq_i - (d/ds) (M(q + s v) v)_i - dU/dq_i - (D v)_i; U alone is far larger than T, so it
 * is differenced on its own. */
static void force_from_energies(const struct hand *h, const double *q, const double *v, int nonlinear, int damped,
                                double *inertial, double *elastic_part)
{
    static const double D[2][2] = {{0.5*230.8375455264791, -0.5*262.6884879920526},
                                   {-0.5*262.6884879920526, 0.5*421.7421837156818}};
    for (int i = 0; i < 7; i++) {
        double e[7] = {0}, T = 0, U = 0;
        e[i] = 1;
        for (int k = 0; k < 8; k++) {
            double p[7], s[7], c = (double)diff_weight[k]/H;
            for (int j = 0; j < 7; j++) {
                p[j] = q[j] + H*diff_at[k]*e[j];
                s[j] = q[j] + H*diff_at[k]*v[j];
            }
            T += c*(form(h, p, v, v)/2 - form(h, s, e, v));
            U += c*(elastic(p, nonlinear) - elastic(q, nonlinear));
        }
        inertial[i] = T;
        elastic_part[i] = -U;
    }
    if (damped) {
        inertial[3] -= 5*v[3];
        inertial[4] -= 25*v[4];
        inertial[5] -= D[0][0]*v[5] + D[0][1]*v[6];
        inertial[6] -= D[1][0]*v[5] + D[1][1]*v[6];
    }
}

static void random_state(double *q, double *v)
{
    for (int i = 0; i < 7; i++) {
        q[i] = (i < 2 ? 3 : 0.1)*random_unit();
        v[i] = random_unit();
    }
}

static void check(const struct hand *h, const char *name, int nonlinear, int damped)
{
    double worst[6] = {0}, t = 0.01;
    for (int n = 0; n < 20; n++) {
        double q[7], v[7], f[7] = {0}, fi[7], fe[7], f0[7] = {0}, zero[7] = {0};
        random_state(q, v);
        worst[0] = fmax(worst[0], fabs(form(h, q, v, v)/2 - kinetic(q, v)));
        /* forces at rest are the elastic ones, of size 1e8; the others are of size 1 */
        h->force(&t, q, v, NULL, f);
        h->force(&t, q, zero, NULL, f0);
        force_from_energies(h, q, v, nonlinear, damped, fi, fe);
        for (int i = 0; i < 7; i++) {
            worst[1] = fmax(worst[1], fabs(f0[i] - fe[i])/(1 + elastic(q, 0)/0.1));
            f[i] -= f0[i];
        }
        worst[2] = fmax(worst[2], largest_difference(7, f, fi));
        check_constraints(h, 7, 3, H, t, q, v, &worst[3], &worst[4]);
        worst[5] = fmax(worst[5], check_all(h, 7, 3, t, q, v));
    }
    ok(worst[0] < 1e-7, "%s: M against the energy of the rod's points, %.2g", name, worst[0]);
    ok(worst[1] < 1e-13, "%s: elastic forces against the energy, %.2g of the linear ones", name, worst[1]);
    /* f - f0 loses the digits of the elastic force, 1e8*1e-16 */
    ok(worst[2] < 1e-6, "%s: inertial and damping forces against M, %.2g", name, worst[2]);
    ok(worst[3] < 1e-13, "%s: G against differences of g, %.2g", name, worst[3]);
    ok(worst[4] < 1e-13, "%s: gamma against differences of G v, %.2g", name, worst[4]);
    ok(worst[5] < 1e-14, "%s: hand_all agrees with the single functions, %.2g", name, worst[5]);
}

/* Small deflections, so that the elastic forces do not drown the others. */
static void check_small(const struct hand *h, const char *name, int nonlinear, int damped)
{
    double worst = 0, t = 0;
    for (int n = 0; n < 20; n++) {
        double q[7], v[7], f[7] = {0}, fi[7], fe[7], f0[7] = {0}, zero[7] = {0};
        random_state(q, v);
        for (int i = 3; i < 7; i++)
            q[i] *= 1e-9;
        h->force(&t, q, v, NULL, f);
        h->force(&t, q, zero, NULL, f0);
        force_from_energies(h, q, v, nonlinear, damped, fi, fe);
        for (int i = 0; i < 7; i++)
            f[i] -= f0[i];
        worst = fmax(worst, largest_difference(7, f, fi));
    }
    ok(worst < 1e-12, "%s: inertial and damping forces, small deflections, %.2g", name, worst);
}

/* Initial values of the test set (2006) and of the rigid motion; accelerations and multipliers that
 * are consistent with them, computed with 128-bit arithmetic from the same formulas. */
static void check_start(const struct hand *h, const char *name, const double *q, const double *v, const double *want)
{
    double t = 0, M[49] = {0}, f[7] = {0}, G[21] = {0}, gamma[3] = {0}, x[10], worst = 0;
    h->mass(&t, q, NULL, M);
    h->force(&t, q, v, NULL, f);
    h->constraint_jacobian(&t, q, NULL, G);
    h->constraint_acceleration(&t, q, v, NULL, gamma);
    saddle_solve(7, 3, M, G, f, gamma, x);
    /* the largest is 5e3; lambda1 and lambda3 of the smooth start cancel to 1e-8 from terms of 100 */
    for (int i = 0; i < 10; i++)
        worst = fmax(worst, fabs(x[i] - want[i]) / (i < 7 ? 5e3 : 4e2));
    ok(worst < 1e-13, "%s: initial accelerations and multipliers, %.2g of the largest", name, worst);
}

int main(void)
{
    static const double q0[7] = {0, 0, .450016933, 0, 0, .103339863e-4, .169327969e-4};
    static const double v0[7] = {150, -74.99576703969453, -.2689386719979040e-5, .4448961125815990,
                                 .4634339319238670e-2, -.1785910760000550e-5, -.2689386719979040e-5};
    static const double x0[10] = {0, -1.344541576709835e-3, -5062.194924760362, -6.829725363303e-5, 0,
                                  -4.268463042277788, .2098336327651421, -6.552746562104e-8, 382.4589509554948,
                                  -4.635937824958e-9};
    static const double x0_damped[10] = {0, -1.344541576709834914e-3, -5062.193946881632949, -29.44310836115657405,
                                         -1.533493262666332460, -4.268706971314068562, .2108115114938362041,
                                         1.379283614213309723, 382.4588770748011326, .2179519300051705986};
    static const double q2[7] = {0, 0, .45}, v2[7] = {150, -75};
    static const double x2[10] = {0, 0, -3789.473684210526, 0, 0, 192.4342105263158, 1273.026315789474,
                                  0, 286.3023157894737, 0};
    static const char *const names[4] = {"crank.c", "crank.c nonlinear", "crank.c damped", "crank.c nonlinear damped"};
    for (int k = 0; k < 4; k++) {
        struct hand h;
        int nonlinear = k & 1, damped = k >> 1;
        const char *o1 = nonlinear ? "-Dnonlinear_beam=1" : "-Dnonlinear_beam=0";
        const char *o2 = damped ? "-Ddamped=1" : "-Ddamped=0";
        double gt[3] = {0}, t = 0;
        if (!ok(hand_load(&h, hand_cc(), "crank.c", o1, o2) == 0, "%s compiles and loads", names[k]))
            continue;
        check(&h, names[k], nonlinear, damped);
        check_small(&h, names[k], nonlinear, damped);
        h.constraint_rate(&t, q0, NULL, gt);
        ok(gt[0] == 0 && gt[1] == 0 && gt[2] == -150, "%s: rate of the constraints", names[k]);
        if (!nonlinear)
            check_start(&h, names[k], q0, v0, damped ? x0_damped : x0);
        check_start(&h, names[k], q2, v2, x2);
    }
    /* the closed form of the energy in this test against its quadrature, relative, pi off by 1.5e-8 */
    double q[7] = {0, 0, 0, .01, -.02, .015, .007};
    near(elastic(q, 0)/elastic_by_quadrature(q, 0), 1.0, 1e-7, "elastic energy, linear");
    near(elastic(q, 1)/elastic_by_quadrature(q, 1), 1.0, 1e-7, "elastic energy, nonlinear");
    return tap_done();
}
