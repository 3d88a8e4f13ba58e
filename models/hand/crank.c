/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Slider crank with elastic connecting rod, coded by hand from the Test Set for IVP Solvers
 * (F. Mazzia, C. Magherini, release 2.4, 2008), problem II.19 by B. Simeon: M, f, g, G, g_t and
 * gamma = g_qq(v,v) (the constraints depend on time through Omega t only).
 * q = (phi1, phi2, x3, q1, q2, q3, q4).
 *
 * Compile with -Dnonlinear_beam=1 for the coupling of longitudinal and lateral displacement and
 * with -Ddamped=1 for 0.5 per cent dissipation.  pi is the test set's 3.1415927, on which its
 * reference solution rests; the mass matrix of the rod is the test set's, without the factor 1/15
 * that its own shape functions would bring; K22 has (h/l2)^2. */
#include <math.h>
#include <stdbool.h>

#ifndef nonlinear_beam
#define nonlinear_beam 0
#endif
#ifndef damped
#define damped 0
#endif

static const double PI = 3.1415927;
static const double l1 = 0.15, l2 = 0.30, m1 = 0.36, m2 = 0.151104, m3 = 0.075552, J1 = 0.002727, J2 = 0.0045339259;
static const double h = 0.008, d = 0.008, rho = 7870, E = 2e11, grav = 0, Omega = 150;

/* Coupling vectors and matrices of II.19.2, rho included: c1 = (0, 0, C13, C14), and so on. */
#define FM (rho*d*h*l2)
#define FK (E*d*h/l2)
#define C13 (FM*2/3)
#define C14 (FM/6)
#define C21 (FM*2/PI)
#define C123 (FM*l2/3)
#define C124 (FM*l2/6)
#define C211 (FM*l2/PI)
#define C212 (-FM*l2/(2*PI))
#define B31 (FM*16/(PI*PI*PI))                 /* = -B13 */
#define B41 (FM*(1/PI - 8/(PI*PI*PI)))         /* = -B14 */
#define B42 (-FM/(2*PI))                       /* = -B24 */
#define K11 (FK*PI*PI*PI*PI/24*(h/l2)*(h/l2))
#define K22 (FK*PI*PI*PI*PI*2/3*(h/l2)*(h/l2))
#define K33 (FK*16/3)
#define K34 (-FK*8/3)
#define K44 (FK*7/3)
#define KN (PI*PI*E*d*h/(l2*l2)/2)
#define BETA (80/(9*PI*PI))
/* The test set's damping matrix; its D34 lacks the last digit of its D43, here both have it. */
#define D11 5.0
#define D22 25.0
#define D33 (0.5*230.8375455264791)
#define D34 (-0.5*262.6884879920526)
#define D44 (0.5*421.7421837156818)

#define M_(i, j) M[((j)-1) * 7 + (i)-1]
#define G_(i, j) G[((j)-1) * 3 + (i)-1]

void hand_mass(const double *t, const double *q, const double *p, double *M);
void hand_force(const double *t, const double *q, const double *v, const double *p, double *f);
void hand_constraint(const double *t, const double *q, const double *p, double *g);
void hand_constraint_jacobian(const double *t, const double *q, const double *p, double *G);
void hand_constraint_rate(const double *t, const double *q, const double *p, double *gt);
void hand_constraint_acceleration(const double *t, const double *q, const double *v, const double *p, double *gamma);
void hand_all(const double *t, const double *q, const double *v, const double *p, double *M, double *f, double *g,
              double *G, double *gamma);

/* sw, cw: sine and cosine of phi1 - phi2 */
static inline void mass(double *M, const double *q, double sw, double cw)
{
    double q1 = q[3], q2 = q[4], q3 = q[5], q4 = q[6];
    double c1q = C13*q3 + C14*q4, c2q = C21*q1;
    M_(1, 1) = J1 + m2*l1*l1;
    M_(2, 1) = l1*l2*m2/2*cw + l1*(cw*c1q + sw*c2q);
    M_(2, 2) = J2 + FM*((q1*q1 + q2*q2)/2 + 8*q3*q3 + 2*q3*q4 + 2*q4*q4) + 2*(C123*q3 + C124*q4);
    M_(3, 3) = m3;
    M_(4, 1) = l1*C21*cw;
    M_(6, 1) = -l1*C13*sw;
    M_(7, 1) = -l1*C14*sw;
    M_(4, 2) = C211 + B31*q3 + B41*q4;
    M_(5, 2) = C212 + B42*q4;
    M_(6, 2) = -B31*q1;
    M_(7, 2) = -B41*q1 - B42*q2;
    M_(4, 4) = FM/2;
    M_(5, 5) = FM/2;
    M_(6, 6) = 8*FM;
    M_(7, 6) = FM;
    M_(7, 7) = 2*FM;
}

static inline void force(double *f, const double *q, const double *v, double sw, double cw, double c1, double s2,
                         double c2)
{
    double q1 = q[3], q2 = q[4], q3 = q[5], q4 = q[6];
    double w1 = v[0]*v[0], w2 = v[1]*v[1];             /* phi1'^2, phi2'^2 */
    double c1q = C13*q3 + C14*q4, c2q = C21*q1;
    double c1v = C13*v[5] + C14*v[6], c2v = C21*v[3];
    double mq3 = FM*(8*q3 + q4), mq4 = FM*(q3 + 2*q4);
    f[0] = -l1/2*(grav*(m1 + 2*m2)*c1 + l2*m2*w2*sw) + l1*w2*(cw*c2q - sw*c1q) - 2*l1*v[1]*(cw*c1v + sw*c2v);
    f[1] = -l2*grav*m2/2*c2 + l1*l2*m2/2*w1*sw + l1*w1*(sw*c1q - cw*c2q)
           - 2*v[1]*(C123*v[5] + C124*v[6] + FM/2*(q1*v[3] + q2*v[4]) + mq3*v[5] + mq4*v[6])
           - grav*(c2*c1q - s2*c2q);
    f[2] = 0;
    f[3] = w2*FM/2*q1 + l1*w1*sw*C21 - 2*v[1]*(B31*v[5] + B41*v[6]) - grav*C21*c2 - K11*q1;
    f[4] = w2*FM/2*q2 - 2*v[1]*B42*v[6] - K22*q2;
    f[5] = w2*(mq3 + C123) + l1*w1*cw*C13 + 2*v[1]*B31*v[3] - grav*C13*s2 - K33*q3 - K34*q4;
    f[6] = w2*(mq4 + C124) + l1*w1*cw*C14 + 2*v[1]*(B41*v[3] + B42*v[4]) - grav*C14*s2 - K34*q3 - K44*q4;
#if nonlinear_beam
    double bend = BETA*(2*q4 - 4*q3);
    f[3] -= KN*(q1*q4 - bend*q2);
    f[4] -= KN*(4*q2*q4 - bend*q1);
    f[5] -= KN*4*BETA*q1*q2;
    f[6] -= KN*(q1*q1/2 + 2*q2*q2 - 2*BETA*q1*q2);
#endif
#if damped
    f[3] -= D11*v[3];
    f[4] -= D22*v[4];
    f[5] -= D33*v[5] + D34*v[6];
    f[6] -= D34*v[5] + D44*v[6];
#endif
}

static inline void constraint(double *g, double t, const double *q, double s1, double c1, double s2, double c2)
{
    g[0] = l1*s1 + (l2 + q[6])*s2;
    g[1] = q[2] - l1*c1 - (l2 + q[6])*c2;
    g[2] = q[0] - Omega*t;
}

static inline void jacobian(double *G, const double *q, double s1, double c1, double s2, double c2)
{
    G_(1, 1) = l1*c1;
    G_(2, 1) = l1*s1;
    G_(3, 1) = 1;
    G_(1, 2) = (l2 + q[6])*c2;
    G_(2, 2) = (l2 + q[6])*s2;
    G_(2, 3) = 1;
    G_(1, 7) = s2;
    G_(2, 7) = -c2;
}

static inline void acceleration(double *gamma, const double *q, const double *v, double s1, double c1, double s2,
                                double c2)
{
    double a1 = l1*v[0]*v[0], a2 = (l2 + q[6])*v[1]*v[1], a12 = 2*v[1]*v[6];
    gamma[0] = -a1*s1 - a2*s2 + a12*c2;
    gamma[1] = a1*c1 + a2*c2 + a12*s2;
    gamma[2] = 0;
}

void hand_mass(const double *t, const double *q, const double *p, double *M)
{
    (void)t, (void)p;
    mass(M, q, sin(q[0] - q[1]), cos(q[0] - q[1]));
}

void hand_force(const double *t, const double *q, const double *v, const double *p, double *f)
{
    (void)t, (void)p;
    force(f, q, v, sin(q[0] - q[1]), cos(q[0] - q[1]), cos(q[0]), sin(q[1]), cos(q[1]));
}

void hand_constraint(const double *t, const double *q, const double *p, double *g)
{
    (void)p;
    constraint(g, *t, q, sin(q[0]), cos(q[0]), sin(q[1]), cos(q[1]));
}

void hand_constraint_jacobian(const double *t, const double *q, const double *p, double *G)
{
    (void)t, (void)p;
    jacobian(G, q, sin(q[0]), cos(q[0]), sin(q[1]), cos(q[1]));
}

void hand_constraint_rate(const double *t, const double *q, const double *p, double *gt)
{
    (void)t, (void)q, (void)p;
    gt[2] = -Omega;
}

void hand_constraint_acceleration(const double *t, const double *q, const double *v, const double *p, double *gamma)
{
    (void)t, (void)p;
    acceleration(gamma, q, v, sin(q[0]), cos(q[0]), sin(q[1]), cos(q[1]));
}

/* Three angles, each sine and cosine once. */
void hand_all(const double *t, const double *q, const double *v, const double *p, double *restrict M,
              double *restrict f, double *restrict g, double *restrict G, double *restrict gamma)
{
    (void)p;
    double s1 = sin(q[0]), c1 = cos(q[0]), s2 = sin(q[1]), c2 = cos(q[1]);
    double sw = sin(q[0] - q[1]), cw = cos(q[0] - q[1]);
    mass(M, q, sw, cw);
    force(f, q, v, sw, cw, c1, s2, c2);
    constraint(g, *t, q, s1, c1, s2, c2);
    jacobian(G, q, s1, c1, s2, c2);
    acceleration(gamma, q, v, s1, c1, s2, c2);
}
