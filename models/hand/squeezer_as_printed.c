/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The constraint Jacobian of Andrews' squeezing mechanism exactly as Hairer & Wanner, Solving
 * Ordinary Differential Equations II (2nd ed. 1996), p. 535, print it: 22 assignments of which two
 * go to GQ(6,7).  The first of them should go to GQ(5,7); as printed it is overwritten and GQ(5,7)
 * stays zero.  Kept to show that a comparison with the generated code names the wrong entry,
 * G[loopA6.x, epsilon].
 *
 * Also g_qq(v,v) as printed.  There the sign at the start of a continued line is the continuation
 * mark of fixed-form Fortran and no operator: the last sign of the line before it counts.  In C
 * `- + SS*...` means the same, so that this listing is right as it stands. */
#include <math.h>

#define D 0.028
#define E 0.02
#define ZF 0.02
#define RR 0.007
#define SS 0.035
#define ZT 0.04
#define U 0.04

#define GQ(i, j) G[((j)-1) * 6 + (i)-1]
#define GQQ(i) gamma[(i)-1]
#define V(i) v[(i)-1]
#define SQ(x) ((x) * (x))

void hand_constraint_jacobian(const double *t, const double *q, const double *p, double *G);
void hand_constraint_acceleration(const double *t, const double *q, const double *v, const double *p, double *gamma);

void hand_constraint_jacobian(const double *t, const double *q, const double *p, double *G)
{
    double SIBE = sin(q[0]), COBE = cos(q[0]), SIGA = sin(q[2]), COGA = cos(q[2]), SIDE = sin(q[4]), CODE = cos(q[4]);
    double SIEP = sin(q[6]), COEP = cos(q[6]), SIBETH = sin(q[0] + q[1]), COBETH = cos(q[0] + q[1]);
    double SIPHDE = sin(q[3] + q[4]), COPHDE = cos(q[3] + q[4]), SIOMEP = sin(q[5] + q[6]), COOMEP = cos(q[5] + q[6]);
    (void)t, (void)p;

    GQ(1, 1) = -RR*SIBE + D*SIBETH;
    GQ(1, 2) = D*SIBETH;
    GQ(1, 3) = -SS*COGA;
    GQ(2, 1) = RR*COBE - D*COBETH;
    GQ(2, 2) = -D*COBETH;
    GQ(2, 3) = -SS*SIGA;
    GQ(3, 1) = -RR*SIBE + D*SIBETH;
    GQ(3, 2) = D*SIBETH;
    GQ(3, 4) = -E*COPHDE;
    GQ(3, 5) = -E*COPHDE + ZT*SIDE;
    GQ(4, 1) = RR*COBE - D*COBETH;
    GQ(4, 2) = -D*COBETH;
    GQ(4, 4) = -E*SIPHDE;
    GQ(4, 5) = -E*SIPHDE - ZT*CODE;
    GQ(5, 1) = -RR*SIBE + D*SIBETH;
    GQ(5, 2) = D*SIBETH;
    GQ(5, 6) = ZF*SIOMEP;
    GQ(6, 7) = ZF*SIOMEP - U*COEP;      /* the misprint: (5,7) */
    GQ(6, 1) = RR*COBE - D*COBETH;
    GQ(6, 2) = -D*COBETH;
    GQ(6, 6) = -ZF*COOMEP;
    GQ(6, 7) = -ZF*COOMEP - U*SIEP;
}

void hand_constraint_acceleration(const double *t, const double *q, const double *v, const double *p, double *gamma)
{
    double SIBE = sin(q[0]), COBE = cos(q[0]), SIGA = sin(q[2]), COGA = cos(q[2]), SIDE = sin(q[4]), CODE = cos(q[4]);
    double SIEP = sin(q[6]), COEP = cos(q[6]), SIBETH = sin(q[0] + q[1]), COBETH = cos(q[0] + q[1]);
    double SIPHDE = sin(q[3] + q[4]), COPHDE = cos(q[3] + q[4]), SIOMEP = sin(q[5] + q[6]), COOMEP = cos(q[5] + q[6]);
    (void)t, (void)p;

    GQQ(1) = -RR*COBE*SQ(V(1)) + D*COBETH*SQ(V(1) + V(2)) +
             + SS*SIGA*SQ(V(3));
    GQQ(2) = -RR*SIBE*SQ(V(1)) + D*SIBETH*SQ(V(1) + V(2)) -
             + SS*COGA*SQ(V(3));
    GQQ(3) = -RR*COBE*SQ(V(1)) + D*COBETH*SQ(V(1) + V(2)) +
             + E*SIPHDE*SQ(V(4) + V(5)) + ZT*CODE*SQ(V(5));
    GQQ(4) = -RR*SIBE*SQ(V(1)) + D*SIBETH*SQ(V(1) + V(2)) -
             + E*COPHDE*SQ(V(4) + V(5)) + ZT*SIDE*SQ(V(5));
    GQQ(5) = -RR*COBE*SQ(V(1)) + D*COBETH*SQ(V(1) + V(2)) +
             + ZF*COOMEP*SQ(V(6) + V(7)) + U*SIEP*SQ(V(7));
    GQQ(6) = -RR*SIBE*SQ(V(1)) + D*SIBETH*SQ(V(1) + V(2)) +
             + ZF*SIOMEP*SQ(V(6) + V(7)) - U*COEP*SQ(V(7));
}
