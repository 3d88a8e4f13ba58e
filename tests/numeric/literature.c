/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The models of the literature, compiled, against figures and formulas that do not come from the
 * compiler: published accelerations and multipliers, minimal forms, steady motions, energies by
 * quadrature.  Everything is algebra on doubles: the tolerances are rounding times the size of the
 * terms that cancel, stated where they are not 1e-12. */
#include "generated.h"

static void check_squeezer(void)
{
    struct generated s;
    if (!LOAD(&s, "models/squeezer", NULL))
        return;
    ok(s.m->nq == 7 && s.m->ng == 6 && s.m->nh == 0, "squeezer: 7 coordinates, 6 constraints");
    ok(!strcmp(s.m->constraint[2].name, "loopA4.x"), "squeezer: third constraint is %s", s.m->constraint[2].name);
    /* HW (7.7), (7.10) */
    set(s.q, 7, (double[]){-0.0617138900142764496358948458001, 0, 0.455279819163070380255912382449,
                           0.222668390165885884674473185609, 0.487364979543842550225598953530,
                           -0.222668390165885884674473185609, 1.23054744454982119249735015568});
    generated_solve(&s, 0);
    near(s.x[0], 14222.4439199541138705911625887, 1e-12, "beta''");
    near(s.x[1], -10666.8329399655854029433719415, 1e-12, "Theta''");
    near(s.x[7], 98.5668703962410896057654982170, 1e-12, "lambda1");
    near(s.x[8], -6.12268834425566265503114393122, 1e-12, "lambda2");
    generated_free(&s);
}

/* With the bearing at its place M, f and G of the seven angles are those of the squeezer. */
static void check_squeezer_stiff(void)
{
    struct generated s, b;
    double worst = 0;
    if (!LOAD(&b, "models/squeezer_stiff", NULL) || !LOAD(&s, "models/squeezer", NULL))
        return;
    for (int i = 0; i < 7; i++) {
        s.q[i] = b.q[i] = random_unit();
        s.v[i] = b.v[i] = random_unit();
    }
    generated_solve(&s, 0);
    generated_solve(&b, 0);
    for (int j = 0; j < 7; j++) {
        worst = fmax(worst, fabs(s.f[j] - b.f[j]));
        for (int i = 0; i < 7; i++)
            worst = fmax(worst, fabs(s.M[7*j + i] - b.M[9*j + i]));
        for (int i = 0; i < 6; i++)
            worst = fmax(worst, fabs(s.G[6*j + i] - b.G[6*j + i]));
    }
    ok(worst < 1e-14, "squeezer_stiff: agrees with squeezer, %.2g", worst);
    b.q[7] = 1e-6, b.q[8] = -2e-6;
    memset(b.v, 0, 9*sizeof *b.v);
    generated_solve(&b, 0);
    near(b.f[7], -100.0, 1e-12, "squeezer_stiff: bearing force in x");
    near(b.f[8], 200.0, 1e-12, "squeezer_stiff: bearing force in y");
    generated_free(&s);
    generated_free(&b);
}

/* Start of the test set (2006) and of the rigid motion, accelerations and multipliers consistent with
 * it, from 128-bit arithmetic (tests/data). */
static void check_crank(const char *define, const double *want)
{
    struct generated s;
    double worst = 0;
    if (!LOAD(&s, "models/crank", define))
        return;
    generated_solve(&s, 0);
    for (int i = 0; i < 10; i++)
        worst = fmax(worst, fabs(s.x[i] - want[i])/(i < 7 ? 5e3 : 4e2));
    ok(worst < 1e-13, "crank %s: initial accelerations and multipliers, %.2g of the largest", define ? define : "", worst);
    generated_free(&s);
}

static void check_stiff_pendulum(void)
{
    struct generated s;
    double e[2];
    if (!LOAD(&s, "models/stiff_pendulum", NULL))
        return;
    generated_energy(&s, 0, e);
    near(e[0] + e[1], 5.0, 1e-13, "stiff_pendulum: initial energy");
    set(s.q, 2, (double[]){0.5, 0.7});
    generated_solve(&s, 0);
    double r = hypot(0.5, 0.7), lambda = (r - 1)/r/1e-3;
    near(s.x[0], -0.5*lambda, 1e-13, "stiff_pendulum: (4.3c)");
    near(s.x[1], -0.7*lambda + 1, 1e-13, "stiff_pendulum: (4.3d)");
    generated_free(&s);
}

static void check_bushing(const char *define, double sign, double gravity)
{
    struct generated s;
    if (!LOAD(&s, "models/bushing", define))
        return;
    double x = 0.8, y = 0.6, th = 0.3, e2 = 1e-10, fx = 0.5 - x + 0.5*cos(th), fy = -y + 0.5*sin(th);
    set(s.q, 3, (double[]){x, y, th});
    generated_solve(&s, 0);
    near(s.f[0]*e2, fx, 1e-13, "bushing: (4.4a)");
    near(s.f[1]*e2, fy + e2, 1e-13, "bushing: (4.4b)");
    near(s.f[2]*e2, -th/10 + sign*0.5*(cos(th)*(fy + gravity*e2) - sin(th)*fx), 1e-13, "bushing: (4.4c)");
    near(s.g[0], 0.0, 1e-15, "bushing: on the circle");
    generated_free(&s);
}

/* Kinetic and elastic energy of the beam by Gauss quadrature, 5 points an element: exact. */
static void check_crank_fe(void)
{
    static const double at[5] = {0, -0.5384693101056831, 0.5384693101056831, -0.9061798459386640, 0.9061798459386640};
    static const double weight[5] = {0.5688888888888889, 0.4786286704993665, 0.4786286704993665, 0.2369268850561891,
                                     0.2369268850561891};
    struct generated s;
    double e[2], T = 0, U = 0, l1 = 0.15, l = 0.3/4, A = 0.008*0.008, I = A*0.008*0.008/12;
    if (!LOAD(&s, "models/crank_fe", NULL))
        return;
    ok(s.m->nq == 11 && s.m->ng == 2, "crank_fe: 3 + 8 coordinates, 2 constraints");
    for (int i = 0; i < 11; i++) {
        s.q[i] = (i < 2 ? 1 : 0.1)*random_unit();
        s.v[i] = random_unit();
    }
    for (int k = 0; k < 4; k++)
        for (int g = 0; g < 5; g++) {
            double x = (1 + at[g])/2, D = s.q[0] - s.q[1], d = 0, dd = 0, bend = 0;
            double N[4] = {1 - x*x*(3 - 2*x), l*x*(1 - x)*(1 - x), x*x*(3 - 2*x), -l*x*x*(1 - x)};
            double B[4] = {(12*x - 6)/(l*l), (6*x - 4)/l, (6 - 12*x)/(l*l), (6*x - 2)/l};
            for (int i = 0; i < 4; i++) {
                int node = k - 1 + i/2, at_q = 3 + node + 4*(i % 2);
                d += node < 0 ? 0 : N[i]*s.q[at_q];
                dd += node < 0 ? 0 : N[i]*s.v[at_q];
                bend += node < 0 ? 0 : B[i]*s.q[at_q];
            }
            double vx = -l1*s.v[0]*sin(D) - s.v[1]*d, vy = l1*s.v[0]*cos(D) + s.v[1]*(k + x)*l + dd;
            T += weight[g]*l/2*7870*A*(vx*vx + vy*vy)/2;
            U += weight[g]*l/2*2e11*I*bend*bend/2;
        }
    T += 0.002727*s.v[0]*s.v[0]/2 + 0.075552*s.v[2]*s.v[2]/2;
    generated_energy(&s, 0, e);
    near(e[0]/T, 1.0, 1e-13, "crank_fe: kinetic energy");
    near(e[1]/U, 1.0, 1e-12, "crank_fe: elastic energy");
    generated_free(&s);
    if (LOAD(&s, "models/crank_fe", "k=12"))
        ok(s.m->nq == 27, "crank_fe: 3 + 24 coordinates for 12 elements");
    generated_free(&s);
}

/* theta'' of the minimal form A theta'^2/2 + 9.81 sin(theta), A = 2/3 + 2 sin(theta)^2 + 2 Ix */
static double minimal(double th, double w, double Ix)
{
    return -(2*sin(th)*cos(th)*w*w + 9.81*cos(th))/(2.0/3 + 2*sin(th)*sin(th) + 2*Ix);
}

static void check_iftomm(const char *define, double Ix)
{
    struct generated n, a;
    double worst_n = 0, worst_a = 0;
    if (!LOAD(&n, "models/iftomm_natural", define) || !LOAD(&a, "models/iftomm_absolute", define))
        return;
    for (int k = 0; k < 20; k++) {
        double th = 1.3*random_unit(), w = 4*random_unit(), c = cos(th), s = sin(th), acc = minimal(th, w, Ix);
        set(n.q, 3, (double[]){c, s, 2*c});
        set(n.v, 3, (double[]){-w*s, w*c, -2*w*s});
        set(a.q, 6, (double[]){c/2, s/2, th, 1.5*c, s/2, -th});
        set(a.v, 6, (double[]){-w*s/2, w*c/2, w, -1.5*w*s, w*c/2, -w});
        generated_solve(&n, 0);
        generated_solve(&a, 0);
        worst_n = fmax(worst_n, fabs(n.x[0] - (-acc*s - w*w*c)));
        worst_n = fmax(worst_n, fabs(n.x[2] - 2*(-acc*s - w*w*c)));
        worst_a = fmax(worst_a, fabs(a.x[2] - acc));
        worst_a = fmax(worst_a, fabs(a.x[5] + acc));
        for (int i = 0; i < 5; i++)
            worst_a = fmax(worst_a, fabs(a.g[i]));
    }
    ok(worst_n < 1e-11, "iftomm_natural: accelerations of the minimal form, %.2g", worst_n);
    ok(worst_a < 1e-11, "iftomm_absolute: accelerations of the minimal form, %.2g", worst_a);
    generated_free(&n);
    generated_free(&a);
}

static void check_steady(void)
{
    struct generated s;
    if (LOAD(&s, "models/top_energies", NULL)) {
        generated_solve(&s, 0);
        for (int i = 0; i < 3; i++)
            near(s.x[i], 0.0, 1e-11, "top: steady precession");
    }
    generated_free(&s);
    if (LOAD(&s, "models/rolling_disc_energies", NULL)) {
        ok(s.m->nh == 2, "rolling disc: two non-holonomic constraints");
        double W = s.v[4] + s.v[2]*sin(s.q[3]);
        s.v[0] = 0.5*W;         /* what assembly of the velocities would do: heading along x */
        generated_solve(&s, 0);
        near(s.x[0], 0.0, 1e-12, "rolling disc: no acceleration along the path");
        near(s.x[1], 0.5*W*s.v[2], 1e-12, "rolling disc: acceleration towards the centre of the turn");
        for (int i = 2; i < 5; i++)
            near(s.x[i], 0.0, 1e-12, "rolling disc: steady turn");
    }
    generated_free(&s);
}

/* Euler's equations from the second derivative of the quaternion, w' = 2 (conj(e) e'')_vector. */
static void check_free_body(void)
{
    struct generated s;
    double worst = 0;
    if (!LOAD(&s, "models/free_body_energies", NULL))
        return;
    for (int k = 0; k < 20; k++) {
        double w[3], *e = s.q, *d = s.v, *a = s.x, r = 0;
        for (int i = 0; i < 4; i++) {
            e[i] = random_unit();
            r += e[i]*e[i];
        }
        for (int i = 0; i < 4; i++)
            e[i] /= sqrt(r);
        for (int i = 0; i < 3; i++)
            w[i] = 3*random_unit();
        /* e' = e (0, w)/2 */
        d[0] = -(e[1]*w[0] + e[2]*w[1] + e[3]*w[2])/2;
        d[1] = (e[0]*w[0] + e[2]*w[2] - e[3]*w[1])/2;
        d[2] = (e[0]*w[1] + e[3]*w[0] - e[1]*w[2])/2;
        d[3] = (e[0]*w[2] + e[1]*w[1] - e[2]*w[0])/2;
        generated_solve(&s, 0);
        double b[3] = {2*(e[0]*a[1] - e[1]*a[0] - e[2]*a[3] + e[3]*a[2]),
                       2*(e[0]*a[2] - e[2]*a[0] - e[3]*a[1] + e[1]*a[3]),
                       2*(e[0]*a[3] - e[3]*a[0] - e[1]*a[2] + e[2]*a[1])};
        worst = fmax(worst, fabs(1*b[0] - (2 - 2.5)*w[1]*w[2]));
        worst = fmax(worst, fabs(2*b[1] - (2.5 - 1)*w[2]*w[0]));
        worst = fmax(worst, fabs(2.5*b[2] - (1 - 2)*w[0]*w[1]));
    }
    ok(worst < 1e-12, "free body: Euler's equations, %.2g", worst);
    generated_free(&s);
}

/* Closed form of the mass matrix in absolute angles; relative angles move the same way. */
static void check_nlink(void)
{
    struct generated s, r;
    double worst = 0;
    enum { N = 8 };
    if (!LOAD(&s, "models/nlink", NULL) || !LOAD(&r, "models/nlink", "relative=true"))
        return;
    for (int i = 0; i <= N; i++) {
        s.q[i] = random_unit(), s.v[i] = random_unit();
        r.q[i] = i > 1 ? s.q[i] - s.q[i - 1] : s.q[i];
        r.v[i] = i > 1 ? s.v[i] - s.v[i - 1] : s.v[i];
    }
    generated_solve(&s, 0);
    generated_solve(&r, 0);
    for (int i = 1; i <= N; i++) {
        worst = fmax(worst, fabs(s.M[i] - (N + 1 - i)*0.5*cos(s.q[i])));
        for (int j = 1; j <= N; j++)
            worst = fmax(worst, fabs(s.M[(N + 1)*j + i] - (N + 1 - (i > j ? i : j))*0.25*cos(s.q[i] - s.q[j])));
    }
    ok(worst < 1e-14, "nlink: closed form of M, %.2g", worst);
    worst = fabs(s.x[0] - r.x[0]);
    for (int i = 1; i <= N; i++)
        worst = fmax(worst, fabs((i > 1 ? s.x[i] - s.x[i - 1] : s.x[i]) - r.x[i]));
    ok(worst < 1e-10, "nlink: relative and absolute angles, same accelerations, %.2g", worst);
    generated_free(&s);
    generated_free(&r);
}

int main(void)
{
    static const double smooth[10] = {0, -1.344541576709835e-3, -5062.194924760362, -6.829725363303e-5, 0,
                                      -4.268463042277788, .2098336327651421, -6.552746562104e-8, 382.4589509554948,
                                      -4.635937824958e-9};
    static const double damped[10] = {0, -1.344541576709834914e-3, -5062.193946881632949, -29.44310836115657405,
                                      -1.533493262666332460, -4.268706971314068562, .2108115114938362041,
                                      1.379283614213309723, 382.4588770748011326, .2179519300051705986};
    static const double rigid[10] = {0, 0, -3789.473684210526, 0, 0, 192.4342105263158, 1273.026315789474,
                                     0, 286.3023157894737, 0};
    check_squeezer();
    check_squeezer_stiff();
    check_crank(NULL, smooth);
    check_crank("damped=true", damped);
    check_crank("rigid_start=true", rigid);
    check_stiff_pendulum();
    check_bushing(NULL, -1, 0);
    check_bushing("as_printed=true", 1, 1);
    check_crank_fe();
    check_iftomm(NULL, 0);
    check_iftomm("thick=true", 1/1200.0);
    check_steady();
    check_free_body();
    check_nlink();
    return tap_done();
}
