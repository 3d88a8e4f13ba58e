/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The models made of bodies and joints, compiled, against the same mechanisms in other words: written with
 * energies, in a minimal form, or by forward kinematics and differences in this file.  Rounding apart they
 * agree exactly; what is compared by differences has the tolerance that order 8 with step 0.01 leaves. */
#include "generated.h"
#include <gsl/gsl_linalg.h>

static int coord_find(const struct mbs_model *m, const char *name)
{
    for (int i = 0; i < m->nq; i++)
        if (!strcmp(m->coord[i].name, name))
            return i;
    return -1;
}

/* Body for body the squeezer of the book; coordinates are matched by name. */
static void check_squeezer(void)
{
    struct generated e, b;
    double worst[4] = {0};
    if (!LOAD(&e, "models/squeezer", NULL) || !LOAD(&b, "models/squeezer_bodies", NULL))
        return;
    int at[7], found = 1;
    for (int i = 0; i < 7; i++)
        found &= (at[i] = coord_find(b.m, e.m->coord[i].name)) >= 0;
    for (int i = 0; i < 6; i++)
        found &= !strcmp(e.m->constraint[i].name, b.m->constraint[i].name);
    if (!ok(found && b.m->nq == 7 && b.m->ng == 6, "squeezer_bodies: coordinates and constraints of the book"))
        return;
    for (int n = 0; n < 1000; n++) {
        for (int i = 0; i < 7; i++) {
            b.q[at[i]] = e.q[i] = 3*random_unit();
            b.v[at[i]] = e.v[i] = 1000*random_unit();
        }
        generated_solve(&e, 0);
        generated_solve(&b, 0);
        for (int i = 0; i < 7; i++) {
            worst[1] = fmax(worst[1], fabs(e.f[i] - b.f[at[i]]));
            for (int j = 0; j < 7; j++)
                worst[0] = fmax(worst[0], fabs(e.M[7*i + j] - b.M[7*at[i] + at[j]]));
            for (int j = 0; j < 6; j++)
                worst[2] = fmax(worst[2], fabs(e.G[6*i + j] - b.G[6*at[i] + j]));
        }
        for (int j = 0; j < 6; j++)
            worst[3] = fmax(worst[3], fabs(e.gamma[j] - b.gamma[j]));
    }
    /* sizes: M 1e-4, f 10 (spring), G 0.1, gamma 1e5 */
    ok(worst[0] < 1e-17, "squeezer_bodies: M, %.2g", worst[0]);
    ok(worst[1] < 1e-12, "squeezer_bodies: f, %.2g", worst[1]);
    ok(worst[2] < 1e-15, "squeezer_bodies: G, %.2g", worst[2]);
    ok(worst[3] < 1e-10, "squeezer_bodies: gqq, %.2g", worst[3]);
    generated_free(&e);
    generated_free(&b);
}

/* theta'' of the minimal form A theta'^2/2 + 9.81 sin(theta), A = 2/3 + 2 sin(theta)^2 */
static void check_iftomm(void)
{
    struct generated r, a;
    double worst_r = 0, worst_a = 0;
    if (!LOAD(&r, "models/iftomm_slider_crank", NULL) || !LOAD(&a, "models/iftomm_slider_crank", "absolute=true"))
        return;
    ok(r.m->nq == 2 && r.m->ng == 1 && a.m->nq == 6 && a.m->ng == 5, "iftomm_slider_crank: 2 - 1 and 6 - 5");
    for (int k = 0; k < 20; k++) {
        double th = 1.3*random_unit(), w = 4*random_unit(), c = cos(th), s = sin(th);
        double acc = -(2*s*c*w*w + 9.81*c)/(2.0/3 + 2*s*s);
        set(r.q, 2, (double[]){th, -2*th});
        set(r.v, 2, (double[]){w, -2*w});
        set(a.q, 6, (double[]){c/2, s/2, th, 1.5*c, s/2, -th});
        set(a.v, 6, (double[]){-w*s/2, w*c/2, w, -1.5*w*s, w*c/2, -w});
        generated_solve(&r, 0);
        generated_solve(&a, 0);
        worst_r = fmax(worst_r, fmax(fabs(r.x[0] - acc), fabs(r.x[1] + 2*acc)));
        worst_a = fmax(worst_a, fmax(fabs(a.x[2] - acc), fabs(a.x[5] + acc)));
        for (int i = 0; i < 5; i++)
            worst_a = fmax(worst_a, fabs(a.g[i]));
    }
    ok(worst_r < 1e-11, "iftomm_slider_crank, relative: accelerations of the minimal form, %.2g", worst_r);
    ok(worst_a < 1e-11, "iftomm_slider_crank, absolute: accelerations of the minimal form, %.2g", worst_a);
    generated_free(&r);
    generated_free(&a);
}

/* w' in body axes from e and e'' (the first is the scalar part). */
static void angular_acceleration(const double *e, const double *a, double *b)
{
    b[0] = 2*(e[0]*a[1] - e[1]*a[0] - e[2]*a[3] + e[3]*a[2]);
    b[1] = 2*(e[0]*a[2] - e[2]*a[0] - e[3]*a[1] + e[1]*a[3]);
    b[2] = 2*(e[0]*a[3] - e[3]*a[0] - e[1]*a[2] + e[2]*a[1]);
}

static void check_top(void)
{
    struct generated s;
    double rate = 0, b[3];
    if (LOAD(&s, "models/top", NULL)) {
        rate = s.v[0];
        generated_solve(&s, 0);
        for (int i = 0; i < 3; i++)
            near(s.x[i], 0.0, 1e-11, "top: steady precession");
    }
    generated_free(&s);
    if (LOAD(&s, "models/top", "euler_parameters=true")) {
        generated_solve(&s, 0);
        angular_acceleration(s.q, s.x, b);
        near(s.g[0], 0.0, 1e-15, "top: Euler parameters of unit norm");
        near(b[0], rate*sin(0.5)*(150 - rate*cos(0.5)), 1e-12, "top: Euler parameters, steady precession");
        near(b[1], 0.0, 1e-11, "top: Euler parameters, no nutation");
        near(b[2], 0.0, 1e-11, "top: Euler parameters, constant spin");
    }
    generated_free(&s);
}

static void check_rolling_disc(void)
{
    struct generated s;
    if (!LOAD(&s, "models/rolling_disc", NULL))
        return;
    ok(s.m->nq == 6 && s.m->ng == 1 && s.m->nh == 2, "rolling_disc: one holonomic, two non-holonomic constraints");
    double W = s.v[5] + s.v[3]*sin(s.q[4]);
    s.v[0] = 0.5*W;
    generated_solve(&s, 0);
    near(s.g[0], 0.0, 1e-15, "rolling_disc: touches the plane");
    near(s.x[0], 0.0, 1e-12, "rolling_disc: no acceleration along the path");
    near(s.x[1], 0.5*W*s.v[3], 1e-12, "rolling_disc: acceleration towards the centre of the turn");
    for (int i = 2; i < 6; i++)
        near(s.x[i], 0.0, 1e-12, "rolling_disc: steady turn");
    generated_free(&s);
}

static void check_free_body(void)
{
    struct generated s;
    double worst = 0;
    if (!LOAD(&s, "models/free_body", NULL))
        return;
    for (int k = 0; k < 20; k++) {
        double w[3], b[3], *e = s.q + 3, *d = s.v + 3, r = 0;
        for (int i = 0; i < 4; i++) {
            e[i] = random_unit();
            r += e[i]*e[i];
        }
        for (int i = 0; i < 4; i++)
            e[i] /= sqrt(r);
        for (int i = 0; i < 3; i++)
            w[i] = 3*random_unit();
        d[0] = -(e[1]*w[0] + e[2]*w[1] + e[3]*w[2])/2;
        d[1] = (e[0]*w[0] + e[2]*w[2] - e[3]*w[1])/2;
        d[2] = (e[0]*w[1] + e[3]*w[0] - e[1]*w[2])/2;
        d[3] = (e[0]*w[2] + e[1]*w[1] - e[2]*w[0])/2;
        generated_solve(&s, 0);
        angular_acceleration(e, s.x + 3, b);
        worst = fmax(worst, fabs(b[0] - (2 - 2.5)*w[1]*w[2]));
        worst = fmax(worst, fabs(2*b[1] - (2.5 - 1)*w[2]*w[0]));
        worst = fmax(worst, fabs(2.5*b[2] - (1 - 2)*w[0]*w[1]));
        for (int i = 0; i < 3; i++)
            worst = fmax(worst, fabs(s.x[i]));
    }
    ok(worst < 1e-12, "free_body: Euler's equations, straight flight, %.2g", worst);
    generated_free(&s);
}

/* --- forward kinematics ------------------------------------------------------------------------------------ */

/* y = turn by q about coordinate axis k, of x */
static void turn(int k, double q, const double *x, double *y)
{
    int i = (k + 1) % 3, j = (k + 2) % 3;
    double c = cos(q), s = sin(q), a = x[i], b = x[j];
    y[k] = x[k];
    y[i] = c*a - s*b;
    y[j] = s*a + c*b;
}

/* Ends of the rods: P[0] is the origin, P[i] the tip of rod i; the turns pile up from the outermost inwards. */
static void bricard_points(const double *q, double P[6][3])
{
    static const int axis[5] = {1, 2, 0, 1, 2};
    static const double edge[5][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}};
    memset(P[0], 0, sizeof P[0]);
    for (int i = 0; i < 5; i++) {
        double x[3] = {edge[i][0], edge[i][1], edge[i][2]};
        for (int k = i; k >= 0; k--)
            turn(axis[k], q[k], x, x);
        for (int c = 0; c < 3; c++)
            P[i + 1][c] = P[i][c] + x[c];
    }
}

static const int step_at[8] = {-4, -3, -2, -1, 1, 2, 3, 4};
static const double step_weight[8] = {1/280.0, -4/105.0, 0.2, -0.8, 0.8, -0.2, 4/105.0, -1/280.0};

/* Rate of a function of n coordinates with m results along v, central differences of order 8. */
static void along(void (*f)(const double *, double *), int n, int m, const double *q, const double *v, double *d)
{
    memset(d, 0, sizeof(double)*(size_t)m);
    for (int k = 0; k < 8; k++) {
        double x[16], y[32];
        for (int i = 0; i < n; i++)
            x[i] = q[i] + 0.01*step_at[k]*v[i];
        f(x, y);
        for (int i = 0; i < m; i++)
            d[i] += step_weight[k]*y[i]/0.01;
    }
}

static void bricard_flat(const double *q, double *y)
{
    double P[6][3];
    bricard_points(q, P);
    memcpy(y, P, sizeof P);
}

/* Bilinear form of a uniform rod's kinetic energy from the velocities of its ends. */
static double rod(double m, const double *a1, const double *b1, const double *a2, const double *b2)
{
    double sum = 0;
    for (int c = 0; c < 3; c++)
        sum += 2*a1[c]*a2[c] + a1[c]*b2[c] + b1[c]*a2[c] + 2*b1[c]*b2[c];
    return m*sum/6;
}

/* Rank of G and the direction in which the mechanism moves. */
static int null_direction(const struct generated *s, double *n)
{
    int nq = s->m->nq, rank = 0;
    gsl_matrix *U = gsl_matrix_alloc(s->rows, nq), *V = gsl_matrix_alloc(nq, nq);
    gsl_vector *sv = gsl_vector_alloc(nq), *w = gsl_vector_alloc(nq);
    for (int i = 0; i < s->rows; i++)
        for (int j = 0; j < nq; j++)
            gsl_matrix_set(U, i, j, s->G[s->rows*j + i]);
    gsl_linalg_SV_decomp(U, V, sv, w);
    for (int i = 0; i < nq; i++)
        rank += gsl_vector_get(sv, i) > 1e-12;
    for (int i = 0; i < nq; i++)
        n[i] = gsl_matrix_get(V, i, nq - 1);
    gsl_matrix_free(U), gsl_matrix_free(V), gsl_vector_free(sv), gsl_vector_free(w);
    return rank;
}

static void check_bricard(void)
{
    struct generated s;
    double worst_M = 0, worst_f = 0, worst_g = 0, n[5];
    if (!LOAD(&s, "models/bricard", NULL))
        return;
    ok(s.m->nq == 5 && s.m->ng == 5, "bricard: no freedom by count");
    generated_solve(&s, 0);
    double violation = 0;
    for (int i = 0; i < 5; i++)
        violation = fmax(violation, fabs(s.g[i]));
    ok(violation < 1e-15, "bricard: closed on the cube");
    ok(null_direction(&s, n) == 4, "bricard: rank 4, one condition is redundant");
    /* At the cube all joints of a Bricard linkage turn equally fast. */
    double spread = 0;
    for (int i = 1; i < 5; i++)
        spread = fmax(spread, fabs(fabs(n[i]) - fabs(n[0])));
    ok(spread < 1e-12, "bricard: all joints turn equally fast, %.2g", spread);
    for (int k = 0; k < 5; k++) {
        double P[6][3], d[5][6][3];
        for (int i = 0; i < 5; i++) {
            s.q[i] = random_unit();
            s.v[i] = 0;
        }
        generated_solve(&s, 0);
        bricard_points(s.q, P);
        for (int j = 0; j < 5; j++) {
            double v[5] = {0}, fall = 0;
            v[j] = 1;
            along(bricard_flat, 5, 18, s.q, v, &d[j][0][0]);
            for (int i = 0; i < 5; i++)
                fall += (d[j][i][1] + d[j][i + 1][1])/2;
            worst_f = fmax(worst_f, fabs(s.f[j] + 9.81*fall));
        }
        for (int i = 0; i < 5; i++)
            for (int j = 0; j < 5; j++) {
                double M = 0;
                for (int l = 0; l < 5; l++)
                    M += rod(1, d[i][l], d[i][l + 1], d[j][l], d[j][l + 1]);
                worst_M = fmax(worst_M, fabs(s.M[5*i + j] - M));
            }
        for (int c = 0; c < 3; c++)
            worst_g = fmax(worst_g, fabs(fabs(s.g[c]) - fabs(P[5][c] - (c == 2))));
    }
    ok(worst_M < 1e-12, "bricard: M by forward kinematics, %.2g", worst_M);
    ok(worst_f < 1e-12, "bricard: weight by forward kinematics, %.2g", worst_f);
    ok(worst_g < 1e-14, "bricard: closure by forward kinematics, %.2g", worst_g);
    generated_free(&s);
}

/* phi, psi, alpha, delta -> crank.A, rocker.B, coupler.A */
static void fourbar_points(const double *q, double *y)
{
    double A[3] = {0, 0.2, 0}, B[3] = {0, 0, 0.5}, C[3] = {-1, 0.2, -0.5};
    turn(2, q[0], A, y);
    turn(1, q[1], B, y + 3);
    turn(2, q[3], C, C);
    turn(1, q[2], C, C);
    turn(1, q[1], C, C);
    y[3] += 1;
    for (int c = 0; c < 3; c++)
        y[6 + c] = y[3 + c] + C[c];
}

static void check_fourbar(void)
{
    struct generated s;
    double worst_M = 0, worst_f = 0, worst_g = 0;
    if (!LOAD(&s, "models/fourbar_spatial", NULL))
        return;
    ok(s.m->nq == 4 && s.m->ng == 3, "fourbar_spatial: one degree of freedom");
    generated_solve(&s, 0);
    ok(fabs(s.g[0]) + fabs(s.g[1]) + fabs(s.g[2]) < 1e-15, "fourbar_spatial: closed at the start");
    for (int k = 0; k < 5; k++) {
        double y[9], d[4][9];
        for (int i = 0; i < 4; i++) {
            s.q[i] = random_unit();
            s.v[i] = 0;
        }
        generated_solve(&s, 0);
        fourbar_points(s.q, y);
        for (int j = 0; j < 4; j++) {
            double v[4] = {0};
            v[j] = 1;
            along(fourbar_points, 4, 9, s.q, v, d[j]);
            worst_f = fmax(worst_f, fabs(s.f[j] + 9.81*(2*(d[j][5] + d[j][8])/2 + 1*d[j][5]/2)));
        }
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) {
                double M = rod(2, d[i] + 3, d[i] + 6, d[j] + 3, d[j] + 6);
                M += i == 0 && j == 0 ? 0.01 + 0.5*0.1*0.1 : i == 1 && j == 1 ? 0.01 + 0.25*0.25 : 0;
                worst_M = fmax(worst_M, fabs(s.M[4*i + j] - M));
            }
        for (int c = 0; c < 3; c++)
            worst_g = fmax(worst_g, fabs(fabs(s.g[c]) - fabs(y[c] - y[6 + c])));
    }
    ok(worst_M < 1e-12, "fourbar_spatial: M by forward kinematics, %.2g", worst_M);
    ok(worst_f < 1e-12, "fourbar_spatial: weight by forward kinematics, %.2g", worst_f);
    ok(worst_g < 1e-14, "fourbar_spatial: closure by forward kinematics, %.2g", worst_g);
    generated_free(&s);
}

/* The same accelerations of all links in relative and in absolute coordinates. */
static void check_chain(void)
{
    enum { N = 8 };
    struct generated r, a;
    double x = 0, y = 0, vx = 0, vy = 0, angle = 0, rate = 0, sum = 0, worst = 0, violation = 0;
    if (!LOAD(&r, "models/chain", "n=8") || !LOAD(&a, "models/chain", "n=8 absolute=true"))
        return;
    for (int i = 0; i < N; i++) {
        angle += r.q[i] = random_unit();
        rate += r.v[i] = random_unit();
        double hx = cos(angle)/2, hy = sin(angle)/2;
        set(a.q + 3*i, 3, (double[]){x + hx, y + hy, angle});
        set(a.v + 3*i, 3, (double[]){vx - rate*hy, vy + rate*hx, rate});
        x += 2*hx, y += 2*hy, vx -= 2*rate*hy, vy += 2*rate*hx;
    }
    generated_solve(&r, 0);
    generated_solve(&a, 0);
    for (int i = 0; i < 2*N; i++)
        violation = fmax(violation, fabs(a.g[i]));
    for (int i = 0; i < N; i++) {
        sum += r.x[i];
        worst = fmax(worst, fabs(sum - a.x[3*i + 2]));
    }
    ok(violation < 1e-14, "chain: absolute coordinates are those of the centres of mass, %.2g", violation);
    ok(worst < 1e-10, "chain: relative and absolute coordinates, same accelerations, %.2g", worst);
    generated_free(&r);
    generated_free(&a);
}

/* Components: a rod with a wheel that turns freely at its tip is a pendulum of inertia m l^2/3 + M l^2. */
static void check_library(void)
{
    struct generated s;
    if (!LOAD(&s, "tests/cases/library", NULL))
        return;
    int phi = coord_find(s.m, "p.phi"), spin = coord_find(s.m, "spin");
    if (ok(phi >= 0 && spin >= 0 && s.m->nq == 6 && s.m->ng == 2, "library: names of components")) {
        /* an assembled position of the linkage: crank at 60 degrees, by the law of cosines */
        double x = 2.5 - cos(1.0471975511965976), y = -sin(1.0471975511965976), r = hypot(x, y), half = acos(r/4);
        double coupler = atan2(y, x) + half, rocker = atan2(y, x) + 3.14159265358979323846 - half;
        s.q[coord_find(s.m, "f.phi")] = 1.0471975511965976;
        s.q[coord_find(s.m, "f.knee")] = coupler - 1.0471975511965976;
        s.q[coord_find(s.m, "f.psi")] = rocker;
        generated_solve(&s, 0);
        ok(fabs(s.g[0]) + fabs(s.g[1]) < 1e-14, "library: the linkage closes, %.2g", fabs(s.g[0]) + fabs(s.g[1]));
        near(s.x[phi], -9.81*(3*1 + 0.5*2)*cos(0.3)/(3*4/3.0 + 0.5*4), 1e-13, "library: pendulum with a wheel");
        near(s.x[spin], -s.x[phi], 1e-13, "library: the wheel does not turn in space");
    }
    generated_free(&s);
}

/* --- beams ------------------------------------------------------------------------------------------------- */

static double value(const struct generated *s, const double *a, const char *name)
{
    int i = coord_find(s->m, name);
    return i < 0 ? NAN : a[i];
}

/* The rod of the slider crank by its displacement field (Test Set, II.19.3), Gauss quadrature of 12 points on two
 * halves: exact for the polynomials, and for the sines to rounding. */
static void beam_energies(const struct generated *s, int nonlinear, double *T, double *U)
{
    static const double at[6] = {0.1252334085114689, 0.3678314989981802, 0.5873179542866175, 0.7699026741943047,
                                 0.9041172563704749, 0.9815606342467193};
    static const double weight[6] = {0.2491470458134028, 0.2334925365383548, 0.2031674267230659, 0.1600783285433462,
                                     0.1069393259953184, 0.0471753363865118};
    const double pi = 3.14159265358979323846, l1 = 0.15, l = 0.3, A = 0.008*0.008, I = A*0.008*0.008/12;
    double q1 = value(s, s->q, "rod.q[1]"), q2 = value(s, s->q, "rod.q[2]"), q3 = value(s, s->q, "rod.middle"), q4 = value(s, s->q, "rod.end");
    double v1 = value(s, s->v, "rod.q[1]"), v2 = value(s, s->v, "rod.q[2]"), v3 = value(s, s->v, "rod.middle"), v4 = value(s, s->v, "rod.end");
    double p1 = value(s, s->v, "phi1"), p2 = p1 + value(s, s->v, "theta"), D = -value(s, s->q, "theta"), x3 = value(s, s->v, "x3");
    *T = 0.002727*p1*p1/2 + 0.075552*x3*x3/2;
    *U = 0;
    for (int k = 0; k < 24; k++) {
        double x = (k/12 + (1 + (k % 2 ? 1 : -1)*at[k % 12/2])/2)/2, w = weight[k % 12/2]/4;
        double d1 = x*x*(2*q4 - 4*q3) + x*(4*q3 - q4), d2 = sin(pi*x)*q1 + sin(2*pi*x)*q2;
        double r1 = x*x*(2*v4 - 4*v3) + x*(4*v3 - v4), r2 = sin(pi*x)*v1 + sin(2*pi*x)*v2;
        double vx = -l1*p1*sin(D) - p2*d2 + r1, vy = l1*p1*cos(D) + p2*(x*l + d1) + r2;
        double stretch = (2*x*(2*q4 - 4*q3) + 4*q3 - q4)/l, tilt = pi*(cos(pi*x)*q1 + 2*cos(2*pi*x)*q2)/l;
        double bend = -pi*pi*(sin(pi*x)*q1 + 4*sin(2*pi*x)*q2)/(l*l);
        *T += w*l*7870*A*(vx*vx + vy*vy)/2;
        *U += w*l*2e11*(A*stretch*stretch + I*bend*bend + (nonlinear ? A*stretch*tilt*tilt : 0))/2;
    }
}

static void check_beam_modes(const char *define, int nonlinear)
{
    struct generated s;
    double worst_T = 0, worst_U = 0;
    if (!LOAD(&s, "models/crank_beam", define))
        return;
    for (int k = 0; k < 20; k++) {
        double e[2], T, U;
        for (int i = 0; i < s.m->nq; i++) {
            s.q[i] = (!strncmp(s.m->coord[i].name, "rod", 3) ? 0.05 : 1)*random_unit();
            s.v[i] = random_unit();
        }
        generated_energy(&s, 0, e);
        beam_energies(&s, nonlinear, &T, &U);
        worst_T = fmax(worst_T, fabs(e[0]/T - 1));
        worst_U = fmax(worst_U, fabs(e[1] - U)/2e5);
    }
    ok(worst_T < 1e-13, "crank_beam %s: kinetic energy of the displacement field, %.2g", define ? define : "", worst_T);
    ok(worst_U < 1e-13, "crank_beam %s: elastic energy, %.2g", define ? define : "", worst_U);
    generated_free(&s);
}

/* The same finite elements as crank_fe, where they are written by hand. */
static void check_beam_elements(void)
{
    struct generated b, f;
    double worst_T = 0, worst_U = 0;
    if (!LOAD(&b, "models/crank_beam", "k=4") || !LOAD(&f, "models/crank_fe", NULL))
        return;
    for (int k = 0; k < 20; k++) {
        double eb[2], ef[2];
        for (int i = 0; i < f.m->nq; i++) {
            f.q[i] = (i > 2 ? 0.1 : 1)*random_unit();
            f.v[i] = random_unit();
        }
        for (int i = 0; i < 11; i++) {
            char name[32];
            if (i < 8)
                snprintf(name, sizeof name, i % 2 ? "rod.slope[%d]" : "rod.w[%d]", i/2 + 1);
            else
                snprintf(name, sizeof name, "%s", i == 8 ? "phi1" : i == 9 ? "theta" : "x3");
            int at = coord_find(b.m, name), from = i < 8 ? 3 + i/2 + 4*(i % 2) : i - 8;
            if (at < 0)
                continue;
            b.q[at] = f.q[from] - (i == 9 ? f.q[0] : 0);
            b.v[at] = f.v[from] - (i == 9 ? f.v[0] : 0);
        }
        generated_energy(&b, 0, eb);
        generated_energy(&f, 0, ef);
        worst_T = fmax(worst_T, fabs(eb[0]/ef[0] - 1));
        worst_U = fmax(worst_U, fabs(eb[1]/ef[1] - 1));
    }
    ok(worst_T < 1e-12, "crank_beam k=4: kinetic energy of crank_fe, %.2g", worst_T);
    ok(worst_U < 1e-12, "crank_beam k=4: elastic energy of crank_fe, %.2g", worst_U);
    generated_free(&b);
    generated_free(&f);
}

int main(void)
{
    check_squeezer();
    check_iftomm();
    check_top();
    check_rolling_disc();
    check_free_body();
    check_bricard();
    check_fourbar();
    check_chain();
    check_library();
    check_beam_modes(NULL, 0);
    check_beam_modes("nonlinear_beam=true", 1);
    check_beam_elements();
    return tap_done();
}
