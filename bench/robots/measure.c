/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Measures one tool (measure.h) on one robot:
 *
 *   measure DIR NAME check                         accelerations at eight states, one number a line
 *   measure DIR NAME count forward|inverse|derivatives       CALLS calls of measured(), for callgrind --toggle-collect=measured
 *   measure DIR NAME time  forward|inverse|derivatives       nanoseconds a call, the least of several runs; nothing if it has none
 */
#define _POSIX_C_SOURCE 199309L
#include "measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STATES = 8, CALLS = 8 };

static double random_unit(void)
{
    static unsigned long long s = 1;
    s = s * 6364136223846793005u + 1442695040888963407u;
    return (double)(s >> 33) * 0x1p-30 - 1;
}

static int robot_read(const char *dir, const char *name, struct robot *r)
{
    char path[4096], kind[16];
    snprintf(path, sizeof path, "%s/%s.txt", dir, name);
    FILE *f = fopen(path, "r");
    if (!f || fscanf(f, " gravity %lf %lf %lf", &r->gravity[0], &r->gravity[1], &r->gravity[2]) != 3)
        return 1;
    struct robot_body b;
    while (fscanf(f, " body %63s %d %15s", b.name, &b.parent, kind) == 3) {
        double x[19];
        for (int i = 0; i < 19; i++)
            if (fscanf(f, "%lf", &x[i]) != 1)
                return 1;
        memcpy(b.axis, x, sizeof b.axis);
        memcpy(b.place, x + 3, sizeof b.place);
        memcpy(b.rpy, x + 6, sizeof b.rpy);
        b.mass = x[9];
        memcpy(b.com, x + 10, sizeof b.com);
        memcpy(b.inertia, x + 13, sizeof b.inertia);
        b.free = !strcmp(kind, "free");
        b.prismatic = !strcmp(kind, "prismatic");
        snprintf(b.joint, sizeof b.joint, "j_%s", b.name);
        b.at = r->freedom;
        r->freedom += b.free ? 6 : 1;
        if (!(r->body = realloc(r->body, (size_t)(r->n + 1) * sizeof b)))
            return 1;
        r->body[r->n++] = b;
    }
    fclose(f);
    return r->n == 0;
}

/* --- the free base: R = Rz(a1) Ry(a2) Rx(a3) ----------------------------------------------------------------------------------- */

static void back_y(double angle, const double x[3], double out[3])
{
    double c = cos(angle), s = sin(angle), o[3] = {c * x[0] - s * x[2], x[1], s * x[0] + c * x[2]};
    memcpy(out, o, sizeof o);
}

static void back_x(double angle, const double x[3], double out[3])
{
    double c = cos(angle), s = sin(angle), o[3] = {x[0], c * x[1] + s * x[2], c * x[2] - s * x[1]};
    memcpy(out, o, sizeof o);
}

/* Angular velocity, or with second derivatives its rate, in the body's axes: d/dt R'u = R'u' + (R'u) x w. */
static void turning(const double *q, const double *v, const double *a, double omega[3], double alpha[3])
{
    double u[3] = {0, 0, v[3]}, du[3] = {0, 0, a[3]};
    back_y(q[4], u, u);
    back_y(q[4], du, du);
    du[0] -= u[2] * v[4];       /* u x (0, v4, 0) */
    du[2] += u[0] * v[4];
    u[1] += v[4];
    du[1] += a[4];
    back_x(q[5], u, u);
    back_x(q[5], du, du);
    du[1] += u[2] * v[5];       /* u x (v5, 0, 0) */
    du[2] -= u[1] * v[5];
    u[0] += v[5];
    du[0] += a[5];
    memcpy(omega, u, sizeof u);
    memcpy(alpha, du, sizeof du);
}

void base_turning(const double *q, const double *v, const double *a, double alpha[3])
{
    double omega[3];
    turning(q, v, a, omega, alpha);
}

struct base base_of(const double *q, const double *v)
{
    struct base b;
    double zero[6] = {0}, alpha[3];
    double cz = cos(q[3] / 2), sz = sin(q[3] / 2), cy = cos(q[4] / 2), sy = sin(q[4] / 2), cx = cos(q[5] / 2), sx = sin(q[5] / 2);
    double e[4] = {cx * cy * cz + sx * sy * sz, sx * cy * cz - cx * sy * sz, cx * sy * cz + sx * cy * sz, cx * cy * sz - sx * sy * cz};
    double R[9] = {1 - 2 * (e[2] * e[2] + e[3] * e[3]), 2 * (e[1] * e[2] - e[0] * e[3]), 2 * (e[1] * e[3] + e[0] * e[2]),
                   2 * (e[1] * e[2] + e[0] * e[3]), 1 - 2 * (e[1] * e[1] + e[3] * e[3]), 2 * (e[2] * e[3] - e[0] * e[1]),
                   2 * (e[1] * e[3] - e[0] * e[2]), 2 * (e[2] * e[3] + e[0] * e[1]), 1 - 2 * (e[1] * e[1] + e[2] * e[2])};
    turning(q, v, zero, b.omega, alpha);
    memcpy(b.place, q, sizeof b.place);
    memcpy(b.velocity, v, sizeof b.velocity);
    memcpy(b.quaternion, e, sizeof e);
    memcpy(b.rotation, R, sizeof R);
    return b;
}

/* --- measuring ------------------------------------------------------------------------------------------------------------------ */

__attribute__((noinline)) void measured(void (*work)(void));
__attribute__((noinline)) void measured(void (*work)(void))
{
    work();
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void time_it(void (*work)(void))
{
    double best = 1e300;
    work();
    double began = now();
    work();
    int calls = (int)(2e6 / (now() - began + 20)) + 1;     /* a run takes some milliseconds */
    for (int run = 0; run < 15; run++) {
        began = now();
        for (int i = 0; i < calls; i++)
            work();
        double ns = (now() - began) / calls;
        best = ns < best ? ns : best;
    }
    printf("%.0f\n", best);
}

int main(int argc, char **argv)
{
    struct robot r = {0};
    if (argc < 4 || robot_read(argv[1], argv[2], &r) || tool_open(argv[1], argv[2], &r))
        return 1;
    double *q = calloc((size_t)r.freedom * 3, sizeof *q), *v = q + r.freedom, *a = v + r.freedom;
    if (!q)
        return 1;
    const char *what = argc > 4 ? argv[4] : "forward";
    void (*work)(void) = !strcmp(what, "inverse") ? tool_inverse : !strcmp(what, "derivatives") ? tool_derivatives : tool_forward;
    int check = !strcmp(argv[3], "check"), count = !strcmp(argv[3], "count");
    if (!work)
        return 0;
    for (int k = 0; k < (check ? STATES : 1); k++) {
        for (int i = 0; i < r.freedom; i++) {
            q[i] = random_unit();
            v[i] = random_unit();
        }
        tool_state(&r, q, v);
        tool_forward();
        tool_accelerations(&r, a);
        for (int i = 0; check && i < r.freedom; i++)
            printf("%.17g\n", a[i]);
    }
    for (int i = 0; count && i < CALLS; i++)
        measured(work);
    if (!check && !count)
        time_it(work);
    free(q);
    free(r.body);
    return 0;
}
