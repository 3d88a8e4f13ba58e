/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The mass matrix of an MJCF model in its reference position, with rotors, which some of its numbers are given by: `springdamper` of joints and
 * `dampratio` of servos mean a time constant and a damping ratio of the inertia that is found there.
 *
 * M = sum over bodies of m J'J + W' I W, J and W the velocities of the centre of mass and of the turn by the rates of the joints above. */
#include "config.h"
#include "import/mjcf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 600 };            /* rates; the factor is dense */

struct rate {                   /* what a rate of one does, in space */
    double w[3], at[3], v[3];   /* turn about a line through `at`, or slide */
};
struct reference {
    int n;
    struct { struct rate *at; int n, cap; } rate;
    int *first;                 /* rate of each body's first joint, n at the end */
};

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static void joint_rates(const struct robot_joint *j, const struct pose *world, struct reference *s)
{
    bool free_joint = j->kind == ROBOT_FREE;
    int turns = free_joint || j->kind == ROBOT_SPHERICAL ? 3 : j->kind == ROBOT_REVOLUTE;
    double unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, axis[3];
    for (int i = 0; free_joint && i < 3; i++) {
        struct rate slide = {.v = {unit[i][0], unit[i][1], unit[i][2]}};
        VEC_PUSH(s->rate, slide);
    }
    double length = sqrt(j->axis[0] * j->axis[0] + j->axis[1] * j->axis[1] + j->axis[2] * j->axis[2]);
    for (int i = 0; i < 3; i++)
        axis[i] = j->axis[i] / length;
    if (!turns) {
        struct rate slide = {.v = {0}};
        pose_rotate(world, axis, slide.v);
        VEC_PUSH(s->rate, slide);
    }
    for (int i = 0; i < turns; i++) {
        struct rate turn = {.v = {0}};
        pose_rotate(world, turns == 3 ? unit[i] : axis, turn.w);
        pose_apply(world, j->b.at, turn.at);
        VEC_PUSH(s->rate, turn);
    }
}

/* The velocity of a point, and nothing of what follows. */
static void velocity_at(const struct rate *k, const double point[3], double out[3])
{
    double arm[3] = {point[0] - k->at[0], point[1] - k->at[1], point[2] - k->at[2]};
    cross(k->w, arm, out);
    for (int i = 0; i < 3; i++)
        out[i] += k->v[i];
}

static void add_body(const struct mjcf *c, const struct reference *s, int body, double *M)
{
    const struct robot_link *l = &c->r->link.at[c->body.at[body].link];
    struct pose at = pose_mul(&c->body.at[body].world, &l->inertial);
    double J[6], centre[3];
    int path[MOST], n = 0;
    moments_turn(&at, l->J, J);
    memcpy(centre, at.at, sizeof centre);
    for (int b = body; b >= 0; b = c->body.at[b].parent)
        for (int k = s->first[b]; k < s->first[b + 1]; k++)
            path[n++] = k;
    for (int a = 0; a < n; a++) {
        const struct rate *k = &s->rate.at[path[a]];
        double v[3], h[3] = {J[0] * k->w[0] + J[3] * k->w[1] + J[4] * k->w[2], J[3] * k->w[0] + J[1] * k->w[1] + J[5] * k->w[2],
                             J[4] * k->w[0] + J[5] * k->w[1] + J[2] * k->w[2]};
        velocity_at(k, centre, v);
        for (int b = 0; b < n; b++) {
            const struct rate *o = &s->rate.at[path[b]];
            double u[3];
            velocity_at(o, centre, u);
            M[(size_t)path[a] * (size_t)s->n + (size_t)path[b]] +=
                l->mass * (v[0] * u[0] + v[1] * u[1] + v[2] * u[2]) + h[0] * o->w[0] + h[1] * o->w[1] + h[2] * o->w[2];
        }
    }
}

/* M = L L' in place; false if it is not positive definite. */
static bool factor(double *M, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        for (size_t k = 0; k < j; k++)
            for (size_t i = j; i < n; i++)
                M[i * n + j] -= M[i * n + k] * M[j * n + k];
        if (!(M[j * n + j] > 0))
            return false;
        double root = sqrt(M[j * n + j]);
        for (size_t i = j; i < n; i++)
            M[i * n + j] /= root;
    }
    return true;
}

static void find_inertia(struct mjcf *c)
{
    struct robot *r = c->r;
    struct reference s = {.first = mem_grow(NULL, (size_t)c->body.n + 1, sizeof(int))};
    for (int b = 0, k = 0; b < c->body.n; b++) {
        s.first[b] = s.rate.n;
        for (; k < c->joint.n && c->joint.at[k].body == b; k++) {
            c->joint.at[k].rate = s.rate.n;
            joint_rates(&r->joint.at[c->joint.at[k].joint], &c->body.at[b].world, &s);
        }
        s.first[b + 1] = s.rate.n;
    }
    s.n = s.rate.n;
    size_t n = (size_t)s.n;
    bool good = s.n <= MOST;
    double *M = good ? arena_alloc(r->arena, (n * n + 1) * sizeof *M) : NULL;
    for (int b = 0; b < c->body.n && good; b++)
        add_body(c, &s, b, M);
    for (int k = 0; k < c->joint.n && good; k++)
        for (int i = c->joint.at[k].rate, end = k + 1 < c->joint.n ? c->joint.at[k + 1].rate : s.n; i < end; i++)
            M[(size_t)i * n + (size_t)i] += r->joint.at[c->joint.at[k].joint].armature;
    good = good && factor(M, n);
    c->factor = good ? M : NULL;
    c->rates = s.n;
    free(s.first);
    free(s.rate.at);
}

bool mjcf_inertia(struct mjcf *c)
{
    if (!c->found) {
        c->found = true;
        find_inertia(c);
    }
    return c->factor != NULL;
}

/* The square of L^-1 J'. */
double mjcf_mobility(const struct mjcf *c, int terms, const int *rate, const double *factor)
{
    size_t n = (size_t)c->rates;
    double *x = arena_alloc(c->r->arena, (n + 1) * sizeof *x), sum = 0;
    for (int i = 0; i < terms && c->factor; i++)
        x[rate[i]] += factor[i];
    for (size_t i = 0; i < n && c->factor; i++) {
        for (size_t j = 0; j < i; j++)
            x[i] -= c->factor[i * n + j] * x[j];
        x[i] /= c->factor[i * n + i];
        sum += x[i] * x[i];
    }
    return sum;
}

/* stiffness = I/(timeconst dampratio)^2 and damping = 2 I/timeconst, 1/I the joint's diagonal element of M^-1. */
static void soften(struct mjcf *c, struct mjcf_joint *s)
{
    struct robot_joint *j = &c->r->joint.at[s->joint];
    double mobility = robot_joint_coords(j->kind) == 1 && mjcf_inertia(c) ? mjcf_mobility(c, 1, &s->rate, (double[]){1}) : 0;
    j->stiffness = j->damping = 0;
    if (mobility > 0) {
        j->stiffness = 1 / (mobility * s->soft[0] * s->soft[0] * s->soft[1] * s->soft[1]);
        j->damping = 2 / (mobility * s->soft[0]);
    } else {
        robot_lose(c->r, &j->lost, j->line, "'springdamper' of '%s': there is no single inertia that it could mean", j->name);
    }
}

void mjcf_soften(struct mjcf *c)
{
    for (int k = 0; k < c->joint.n; k++)
        if (c->joint.at[k].soft[0] > 0)
            soften(c, &c->joint.at[k]);
}
