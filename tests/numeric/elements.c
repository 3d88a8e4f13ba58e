/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Force elements, gears, screws and tables against formulas by hand.  The equations of small models are evaluated by the
 * interpreter of expressions, at random states.  Both sides are a few operations on numbers of size 1 to 100: 1e-12 of the
 * larger of 1 and the value. */
#include "../tap.h"
#include "compile.h"
#include "interpret.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 8 };
struct probe {
    struct compile *c;
    double q[MOST], v[MOST];
    double out[MOST * MOST];
};

static bool probe_open(struct probe *s, const char *text)
{
    memset(s, 0, sizeof *s);
    s->c = compile_memory("test.mbs", text, strlen(text), NULL, COMPILE_EQUATIONS);
    if (!ok(s->c->good && s->c->model->coord.n <= MOST, "compiles: %.40s", text))
        printf("# %s\n", compile_messages(s->c));
    return s->c->good;
}

static void probe_close(struct probe *s)
{
    compile_free(s->c);
}

static double random_unit(void)
{
    static unsigned long long r = 88172645463325252ull;
    r ^= r << 13, r ^= r >> 7, r ^= r << 17;
    return (double)(r >> 11) / 4503599627370496.0 - 1;
}

static void scatter(struct probe *s)
{
    for (int i = 0; i < MOST; i++) {
        s->q[i] = random_unit();
        s->v[i] = 2 * random_unit();
    }
}

/* Values of a quantity in its pattern; parameters are not used in these models. */
static const double *values(struct probe *s, enum eq_id id)
{
    const struct eq_array *a = &s->c->equations->array[id];
    struct eval_env env = {.call = call_double, .user = (void *)s->c->model};
    double t = 0;
    env.val[SYM_TIME] = &t;
    env.val[SYM_Q] = s->q;
    env.val[SYM_V] = s->v;
    expr_eval(s->c->pool, &env, a->nnz, a->value, s->out);
    return s->out;
}

static void check_friction(void)
{
    struct probe s;
    if (probe_open(&s, "model friction\nplanar\nbody K { mass = 1 }\njoint J: prismatic(ground, K) axis [1, 0] distance x\n"
                       "friction R: on J, force = 2, slip = 0.1, static = 3.5, stribeck = 0.5, damping = 0.7\n"))
        for (int n = 0; n < 5; n++) {
            scatter(&s);
            double v = s.v[0], level = 2 + 1.5 * exp(-(v / 0.5) * (v / 0.5));
            near(values(&s, EQ_f)[0], -level * tanh(v / 0.1) - 0.7 * v, 1e-12, "friction: Stribeck's curve against the motion");
        }
    probe_close(&s);
    if (probe_open(&s, "model friction\nplanar\nbody K { mass = 1, inertia = 1 }\njoint J: revolute(ground, K) angle a\n"
                       "friction R: on J, moment = 2, slip = 0.1\n")) {
        scatter(&s);
        near(values(&s, EQ_f)[0], -2 * tanh(s.v[0] / 0.1), 1e-12, "friction: a moment, without a Stribeck curve");
    }
    probe_close(&s);
}

/* A ball of radius 0.3 above the line through [0, -0.2] with normal (0.6, 0.8): x, y, angle. */
static void check_contact(void)
{
    struct probe s;
    int touching = 0, apart = 0, pulling = 0;
    double worst = 0;
    if (probe_open(&s, "model contact\nplanar\nbody K { mass = 1, inertia = 1 }\njoint J: free(ground, K) x x y y angle a\n"
                       "contact C: between K and ground @ [0, -0.2], normal = [3, 4], stiffness = 50, radius = 0.3, exponent = 1.5,\n"
                       "    damping = 0.4, friction = 0.3, slip = 0.1\n"))
        for (int n = 0; n < 200; n++) {
            scatter(&s);
            double height = 0.6 * s.q[0] + 0.8 * (s.q[1] + 0.2), depth = 0.3 - height, N = 0;
            double vn = 0.6 * s.v[0] + 0.8 * s.v[1];
            /* along (0.8, -0.6); the lowest point of the ball, at -0.3 n, moves by its turning as well: w x (-0.3 n) */
            double vt = 0.8 * s.v[0] - 0.6 * s.v[1] + 0.3 * s.v[2];
            if (depth > 0)
                N = fmax(0, 50 * pow(depth, 1.5) * (1 - 0.4 * vn));
            touching += N > 0, apart += depth <= 0, pulling += depth > 0 && N == 0;
            double F = -0.3 * N * vt / sqrt(vt * vt + 0.01);
            const double *f = values(&s, EQ_f);
            worst = fmax(worst, fabs(f[0] - (0.6 * N + 0.8 * F)));
            worst = fmax(worst, fabs(f[1] - (0.8 * N - 0.6 * F)));
            worst = fmax(worst, fabs(f[2] - 0.3 * F));
        }
    ok(worst < 1e-11, "contact: Hunt and Crossley's force, friction and its moment, %.2g", worst);
    ok(touching > 20 && apart > 20 && pulling > 0, "contact: %d times touching, %d apart, %d would pull", touching, apart, pulling);
    probe_close(&s);
}

/* J2 = 3 J1 + 0.5, inertias 2 and 5, torque 7 on the first: seen from J1 an inertia of 2 + 9*5. */
static void check_gear(void)
{
    struct probe s;
    if (probe_open(&s, "model gear\nplanar\nbody A { mass = 1, inertia = 2 }\nbody B { mass = 1, inertia = 5 }\njoint J1: revolute(ground, A) angle a\n"
                       "joint J2: revolute(ground @ [1, 0], B) angle b\ngear G: between J1 and J2, ratio = 3, offset = 0.5\ntorque T: on J1 = 7\n")) {
        scatter(&s);
        near(values(&s, EQ_g)[0], s.q[1] - 3 * s.q[0] - 0.5, 1e-12, "gear: J2 = ratio*J1 + offset");
        const double *G = values(&s, EQ_G);
        double Ga = G[0], Gb = G[1];
        /* M a + G' l = f, G a = 0 */
        double l = Ga * 7 / 2 / (Ga * Ga / 2 + Gb * Gb / 5);
        near((7 - Ga * l) / 2, 7.0 / 47, 1e-12, "gear: inertia seen through the ratio");
    }
    probe_close(&s);
}

/* A screw of pitch p: T = (J + m p^2) w^2/2, and gravity along the axis turns it with m g p. */
static void check_screw(void)
{
    struct probe s;
    if (probe_open(&s, "model screw\nspatial\ngravity [0, 0, -9.81]\nbody K { mass = 2, inertia = [1, 2, 2.5] }\n"
                       "joint J: screw(ground, K) axis [0, 0, 1], pitch = 0.3\n")) {
        scatter(&s);
        near(values(&s, EQ_M)[0], 2.5 + 2 * 0.09, 1e-12, "screw: inertia with the pitch");
        near(values(&s, EQ_f)[0], -2 * 9.81 * 0.3, 1e-12, "screw: weight on the thread");
    }
    probe_close(&s);
}

/* In a plane, between a turned body and another: forces along the axes of the first. */
static void check_bushing(void)
{
    struct probe s;
    double worst = 0;
    if (probe_open(&s, "model bushing\nplanar\nbody K { mass = 1, inertia = 1 }\njoint J: free(ground, K) x x y y angle a\n"
                       "bushing B: between K @ [0, 0] and ground @ [0.2, 0.1], stiffness = [10, 20, 3], damping = [0.1, 0.2, 0.5]\n"))
        for (int n = 0; n < 5; n++) {
            scatter(&s);
            double c = cos(s.q[2]), si = sin(s.q[2]), dx = 0.2 - s.q[0], dy = 0.1 - s.q[1], w = s.v[2];
            /* the gap in the axes of K and its rate */
            double gx = c * dx + si * dy, gy = -si * dx + c * dy;
            double rx = -c * s.v[0] - si * s.v[1] + w * gy, ry = si * s.v[0] - c * s.v[1] - w * gx;
            double Fx = 10 * gx + 0.1 * rx, Fy = 20 * gy + 0.2 * ry;
            const double *f = values(&s, EQ_f);
            worst = fmax(worst, fabs(f[0] - (c * Fx - si * Fy)));
            worst = fmax(worst, fabs(f[1] - (si * Fx + c * Fy)));
            worst = fmax(worst, fabs(f[2] - (-Fx * gy + Fy * gx - 3 * s.q[2] - 0.5 * w)));
        }
    ok(worst < 1e-12, "bushing: forces and moment in a plane, %.2g", worst);
    probe_close(&s);
    /* in space, turned about z by a only: along x, y as in the plane, about z sin(a) cos(a) c6, as the gap is sin(a) */
    if (probe_open(&s, "model bushing\nspatial\nbody K { mass = 1, inertia = [1, 1, 1] }\njoint J: cylindrical(ground, K) axis [0, 0, 1]\n"
                       "bushing B: between ground and K, stiffness = [10, 20, 30, 4, 5, 6], damping = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]\n")) {
        scatter(&s);
        double a = s.q[0], w = s.v[0];
        const double *f = values(&s, EQ_f);
        near(f[0], -6 * sin(a) * cos(a) - 0.6 * cos(a) * cos(a) * w, 1e-12, "bushing: about the axis in space");
        near(f[1], -30 * s.q[1] - 0.3 * s.v[1], 1e-12, "bushing: along the axis in space");
    }
    probe_close(&s);
}

/* The natural spline through (0, 0), (1, 1), (2, 0) has the second derivative -3 in the middle, the one with slopes 2 and 1 at its
 * ends that of a piecewise cubic by hand; beyond its ends a table goes on straight. */
static double natural(double x)
{
    double s = x <= 1 ? x : 2 - x;
    if (x < 0 || x > 2)
        return 1.5 * s;
    return s - (s * s * s - s) / 2;
}

static void check_tables(void)
{
    static const double at[] = {-0.7, 0, 0.3, 0.5, 1, 1.4, 1.9, 2, 2.6};
    struct probe s;
    if (probe_open(&s, "model tables\ncoord x\nkinetic x'^2/2\ntable f(s) = [[0, 0], [1, 1], [2, 0]]\nforce x = f(x)\n"))
        for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
            s.q[0] = at[i];
            near(values(&s, EQ_f)[0], natural(at[i]), 1e-12, "table: a natural spline");
        }
    probe_close(&s);
    /* clamped with slopes 2, 1: with m0, m1, m2 second derivatives, 2 m0 + m1 = -6, m0 + 4 m1 + m2 = -12, m1 + 2 m2 = 12 */
    double m1 = -5, m0 = (-6 - m1) / 2, m2 = (12 - m1) / 2;
    if (probe_open(&s, "model tables\ncoord x\nkinetic x'^2/2\ntable f(s) = [[0, 0], [1, 1], [2, 0]] clamped(2, 1)\nforce x = f(x)\n")) {
        s.q[0] = 0.25;
        near(values(&s, EQ_f)[0], 0.25 + ((0.75 * 0.75 * 0.75 - 0.75) * m0 + (0.25 * 0.25 * 0.25 - 0.25) * m1) / 6, 1e-12, "table: clamped ends");
        s.q[0] = 1.75;
        near(values(&s, EQ_f)[0], 0.25 + ((0.25 * 0.25 * 0.25 - 0.25) * m1 + (0.75 * 0.75 * 0.75 - 0.75) * m2) / 6, 1e-12, "table: clamped ends");
        s.q[0] = 2.5;
        near(values(&s, EQ_f)[0], 0.5, 1e-12, "table: beyond a clamped end");
        near(values(&s, EQ_rq)[0], -1.0, 1e-12, "table: its slope in the Jacobian");
    }
    probe_close(&s);
}

/* On joints: c (q - rest) and d q' against the motion.  Between points: along the line that joins them. */
static void check_springs(void)
{
    struct probe s;
    if (probe_open(&s, "model springs\nplanar\nbody K { mass = 1, inertia = 1 }\njoint J: slot(ground, K) axis [1, 0] distance x angle a\n"
                       "spring A: on J.distance, stiffness = 3, distance = 0.4, damping = 0.7\nspring B: on J.angle, stiffness = 5, angle = -0.3\n"
                       "damper C: on J.angle, damping = 0.2\n"))
        for (int n = 0; n < 3; n++) {
            scatter(&s);
            near(values(&s, EQ_f)[0], -3 * (s.q[0] - 0.4) - 0.7 * s.v[0], 1e-12, "spring: on a slide, with a rest length and damping");
            near(values(&s, EQ_f)[1], -5 * (s.q[1] + 0.3) - 0.2 * s.v[1], 1e-12, "spring: on a turn, with a rest angle");
        }
    probe_close(&s);
    if (probe_open(&s, "model springs\nplanar\nbody K { mass = 1, inertia = 1 }\njoint J: free(ground, K) x x y y angle a\n"
                       "spring A: between K and ground @ [2, -1], stiffness = 3, length = 0.4, damping = 0.7\n"))
        for (int n = 0; n < 3; n++) {
            scatter(&s);
            double dx = s.q[0] - 2, dy = s.q[1] + 1, l = hypot(dx, dy), rate = (dx * s.v[0] + dy * s.v[1]) / l, F = -3 * (l - 0.4) - 0.7 * rate;
            near(values(&s, EQ_f)[0], F * dx / l, 1e-12, "spring: between two points, x");
            near(values(&s, EQ_f)[1], F * dy / l, 1e-12, "spring: between two points, y");
        }
    probe_close(&s);
}

/* Between two bodies that turn: the moment of a bushing by the difference of their angles, on both. */
static void check_turning(void)
{
    struct probe s;
    if (probe_open(&s, "model bushing\nplanar\nbody A { mass = 1, inertia = 1 }\nbody B { mass = 1, inertia = 1 }\n"
                       "joint J: revolute(ground, A) angle a\njoint K: revolute(ground, B) angle b\n"
                       "bushing C: between A and B, stiffness = [0, 0, 3], damping = [0, 0, 0.5]\n"))
        for (int n = 0; n < 3; n++) {
            scatter(&s);
            double moment = 3 * (s.q[1] - s.q[0]) + 0.5 * (s.v[1] - s.v[0]);
            near(values(&s, EQ_f)[0], moment, 1e-12, "bushing: between two that turn, on the first");
            near(values(&s, EQ_f)[1], -moment, 1e-12, "bushing: between two that turn, on the second");
        }
    probe_close(&s);
}

static void check_drive(void)
{
    struct probe s;
    if (probe_open(&s, "model drive\nplanar\nbody K { mass = 1, inertia = 1 }\njoint J: revolute(ground, K) angle a\ndrive D: on J = 0.3 + 2*t\n"))
        for (int n = 0; n < 3; n++) {
            scatter(&s);
            near(values(&s, EQ_g)[0] * values(&s, EQ_G)[0], s.q[0] - 0.3, 1e-12, "drive: the coordinate is the value given");
            near(values(&s, EQ_gt)[0] * values(&s, EQ_G)[0], -2, 1e-12, "drive: at its rate");
        }
    probe_close(&s);
}

int main(void)
{
    check_springs();
    check_turning();
    check_drive();
    check_friction();
    check_contact();
    check_gear();
    check_screw();
    check_bushing();
    check_tables();
    return tap_done();
}
