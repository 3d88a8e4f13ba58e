/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The examples, compiled, against the equations of motion that one finds with paper and pencil.
 * Rounding apart the accelerations are exact: tolerance 1e-13, times the condition of the solve. */
#include "generated.h"

static void check_pendulum(void)
{
    struct generated s;
    if (!LOAD(&s, "examples/pendulum", NULL))
        return;
    ok(s.m->nq == 1 && s.m->ng == 0 && !strcmp(s.m->coord[0].name, "phi") && !strcmp(s.m->coord[0].unit, "rad"), "one coordinate, phi in rad");
    near(s.q[0], 3.14159265358979323846/3, 1e-15, "start");
    s.v[0] = 0.7;
    generated_solve(&s, 0);
    near(s.x[0], -9.81*sin(s.q[0]), 1e-14, "phi''");
    double e[2];
    generated_energy(&s, 0, e);
    near(e[0] + e[1], 0.7*0.7/2 - 9.81*cos(s.q[0]), 1e-14, "energy");
    generated_free(&s);
}

static void check_cartesian(void)
{
    struct generated s;
    if (!LOAD(&s, "examples/pendulum_cartesian", NULL))
        return;
    double phi = 0.6, w = 1.1;
    set(s.q, 2, (double[]){sin(phi), -cos(phi)});
    set(s.v, 2, (double[]){w*cos(phi), w*sin(phi)});
    generated_solve(&s, 0);
    double a = -9.81*sin(phi);
    near(s.g[0], 0.0, 1e-15, "rod has its length");
    near(s.x[0], a*cos(phi) - w*w*sin(phi), 1e-13, "x''");
    near(s.x[1], a*sin(phi) + w*w*cos(phi), 1e-13, "y''");
    near(s.x[2], w*w + 9.81*cos(phi), 1e-13, "force in the rod");
    generated_free(&s);
}

static void check_double_pendulum(void)
{
    struct generated s;
    if (!LOAD(&s, "examples/double_pendulum", NULL))
        return;
    const double l1 = 1, l2 = 0.8, m1 = 1, m2 = 0.5, g = 9.81, c = 0.01;
    double p = 0.4, q = 1.3, v = -0.8, w = 2.1, cd = cos(p - q), sd = sin(p - q);
    set(s.q, 2, (double[]){p, q});
    set(s.v, 2, (double[]){v, w});
    generated_solve(&s, 0);
    double a11 = (m1 + m2)*l1*l1, a12 = m2*l1*l2*cd, a22 = m2*l2*l2;
    double b1 = -m2*l1*l2*sd*w*w - (m1 + m2)*g*l1*sin(p) + c*(w - v);
    double b2 = m2*l1*l2*sd*v*v - m2*g*l2*sin(q) - c*(w - v);
    double det = a11*a22 - a12*a12;
    near(s.x[0], (a22*b1 - a12*b2)/det, 1e-13, "phi1''");
    near(s.x[1], (a11*b2 - a12*b1)/det, 1e-13, "phi2''");
    generated_free(&s);
}

static void check_driven(void)
{
    struct generated s;
    if (!LOAD(&s, "examples/driven_pendulum", NULL))
        return;
    double t = 0.0123, A = 0.02, w = 200, phi = 0.25, yy = -A*w*w*cos(w*t);
    set(s.q, 2, (double[]){A*cos(w*t), phi});
    set(s.v, 2, (double[]){-A*w*sin(w*t), 0.9});
    generated_solve(&s, t);
    near(s.g[0], 0.0, 1e-15, "pivot where it should be");
    near(s.G[0]*s.v[0] + s.G[1]*s.v[1] + s.gt[0], 0.0, 1e-13, "velocity of the constraint");
    near(s.x[0], yy, 1e-13, "y''");
    near(s.x[1], (9.81 + yy)/0.2*sin(phi), 1e-13, "phi''");
    generated_free(&s);
}

static void check_skate(void)
{
    struct generated s;
    if (!LOAD(&s, "examples/skate", NULL))
        return;
    ok(s.m->ng == 0 && s.m->nh == 1, "one non-holonomic constraint");
    double phi = 0.8, u = 1.7, w = 0.6;
    set(s.q, 3, (double[]){0.1, 0.2, phi});
    set(s.v, 3, (double[]){u*cos(phi), u*sin(phi), w});
    generated_solve(&s, 0);
    double along = -9.81*sin(0.2)*sin(phi);
    near(s.x[0], along*cos(phi) - u*w*sin(phi), 1e-13, "x''");
    near(s.x[1], along*sin(phi) + u*w*cos(phi), 1e-13, "y''");
    near(s.x[2], 0.0, 1e-13, "phi''");
    generated_free(&s);
}

/* At a knot of the table the spline has the tabulated value. */
static void check_table(void)
{
    struct generated s;
    if (!LOAD(&s, "examples/spring_mass", NULL))
        return;
    s.q[0] = 0.04, s.v[0] = 0.5;
    generated_solve(&s, 0);
    near(s.x[0], -(11.04 + 0.2*0.5)/0.5, 1e-13, "x'' with the tabulated force");
    generated_free(&s);
}

static void check_cart(void)
{
    struct generated s;
    if (!LOAD(&s, "examples/cart", NULL))
        return;
    ok(s.m->nz == 1 && s.m->nu == 1 && s.m->ny == 2, "a state, an input, two outputs");
    near(s.u[0], 0.5, 1e-15, "default of the input");
    double x = 0.2, phi = 0.3, v = -0.4, w = 0.7, sum = 0.05, M = 1, m = 0.1, l = 0.5;
    set(s.q, 2, (double[]){x, phi});
    set(s.v, 2, (double[]){v, w});
    s.z[0] = sum, s.u[0] = 0.1;
    generated_solve(&s, 0);
    double u = 4.5*(x - 0.1) + 6.5*v + 45*phi + 10*w + 1.2*sum;
    double a11 = M + m, a12 = m*l*cos(phi), a22 = m*l*l, b1 = u + m*l*w*w*sin(phi), b2 = m*9.81*l*sin(phi);
    double det = a11*a22 - a12*a12;
    near(s.zdot[0], x - 0.1, 1e-15, "rate of the integrator");
    near(s.x[0], (a22*b1 - a12*b2)/det, 1e-13, "x''");
    near(s.x[1], (a11*b2 - a12*b1)/det, 1e-13, "phi''");
    struct mbs_state state = {.t = 0, .q = s.q, .v = s.v, .a = s.x, .z = s.z, .u = s.u};
    double y[2];
    s.m->outputs(s.c, &state, y, s.w);
    near(y[0], u, 1e-14, "output drive");
    near(y[1], x - 0.1, 1e-14, "output error");
    generated_free(&s);
}

/* Driven at constant speed the block follows x = r cos(phi) + sqrt(l^2 - r^2 sin(phi)^2). */
static void check_slider_crank(void)
{
    struct generated s;
    if (!LOAD(&s, "examples/slider_crank", NULL))
        return;
    double t = 0.07, w = 20, phi = w*t, r = 0.1, l = 0.3, root = sqrt(l*l - r*r*sin(phi)*sin(phi));
    double beta = -asin(r*sin(phi)/l), dbeta = -r*cos(phi)*w/root;
    double d1 = -r*sin(phi) - r*r*sin(phi)*cos(phi)/root;
    double d2 = -r*cos(phi) - r*r*cos(2*phi)/root - pow(r*r*sin(phi)*cos(phi), 2)/pow(root, 3);
    set(s.q, 3, (double[]){phi, beta - phi, r*cos(phi) + root});
    set(s.v, 3, (double[]){w, dbeta - w, d1*w});
    int order = !strcmp(s.m->coord[1].name, "x");       /* coordinates in the order of the tree */
    if (order) {
        set(s.q + 1, 2, (double[]){r*cos(phi) + root, beta - phi});
        set(s.v + 1, 2, (double[]){d1*w, dbeta - w});
    }
    generated_solve(&s, t);
    double g = 0;
    for (int i = 0; i < s.m->ng; i++)
        g = fmax(g, fabs(s.g[i]));
    ok(g < 1e-15, "slider crank closes, %.2g", g);
    near(s.x[0], 0.0, 1e-12, "constant speed");
    near(s.x[order ? 1 : 2], d2*w*w, 1e-12, "acceleration of the block");
    generated_free(&s);
}

int main(void)
{
    check_pendulum();
    check_cartesian();
    check_double_pendulum();
    check_driven();
    check_skate();
    check_table();
    check_cart();
    check_slider_crank();
    return tap_done();
}
