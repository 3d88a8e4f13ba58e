/* SPDX-License-Identifier: GPL-3.0-or-later
 * What mbsc generates: forward dynamics by accelerations() where the model has it, else by dynamics() and the solver that the
 * generated file or the library has; inverse dynamics by residual(), derivatives by jacobian(). */
#include "linalg/linalg.h"
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct mbs_model MODEL;
const char *const tool_name = "mbs";

static const struct mbs_model *const m = &MODEL;
static struct mbs_saddle *saddle;
static double *c, *w, *x, *l;
static double *native_q, *native_v;
static struct mbs_state at;
static struct mbs_dynamics dynamics;
static struct mbs_jacobian jacobian;
static struct mbs_accelerations forward;
static double unsafe;
static struct mbs_residual residual;
static int *place;          /* of a robot's number among the coordinates */

static double *array(int n)
{
    double *a = calloc((size_t)n + 1, sizeof *a);
    if (!a)
        exit(1);
    return a;
}

static int coord(const char *joint, const char *part)
{
    char name[128];
    snprintf(name, sizeof name, "%s.%s", joint, part);
    for (int i = 0; i < m->nq; i++)
        if (!strcmp(m->coord[i].name, name))
            return i;
    fprintf(stderr, "tool_mbs: the model has no coordinate '%s'\n", name);
    exit(1);
}

static void inverse(void)
{
    m->residual(c, &at, &residual, w);
}

static void derivatives(void)
{
    m->jacobian(c, &at, &jacobian, w);
}
void (*tool_inverse)(void) = inverse, (*tool_derivatives)(void) = derivatives;

int tool_open(const char *dir, const char *name, const struct robot *r)
{
    static const char *const part[] = {"x", "y", "z", "angle1", "angle2", "angle3"};
    (void)dir, (void)name;
    int rows = m->ng + m->nh;
    double *p = array(m->np);
    c = array(m->nc), w = array(m->nw), x = array(m->nq + rows), l = array(m->nl);
    native_q = array(m->nq), native_v = array(m->nq);
    place = calloc((size_t)r->freedom, sizeof *place);
    m->defaults(p, NULL);
    m->setup(p, c);
    dynamics = (struct mbs_dynamics){array(m->M.nnz), array(m->nq), array(m->G.nnz), array(m->nz), array(rows), array(m->ng), array(rows)};
    jacobian = (struct mbs_jacobian){.rq = array(m->rq.nnz), .rv = array(m->rv.nnz), .M = dynamics.M, .G = dynamics.G, .rz = array(m->rz.nnz)};
    forward = (struct mbs_accelerations){x, x + m->nq, dynamics.zdot, &unsafe};
    residual = (struct mbs_residual){.r = array(m->nq), .zdot = dynamics.zdot};
    at = (struct mbs_state){.q = native_q, .v = native_v, .a = x, .lambda = x + m->nq, .mu = x + m->nq, .z = array(m->nz), .u = array(m->nu)};
    for (int i = 0; i < r->n; i++)
        for (int k = 0; k < (r->body[i].free ? 6 : 1); k++)
            place[r->body[i].at + k] = coord(r->body[i].joint, r->body[i].free ? part[k] : r->body[i].prismatic ? "distance" : "angle");
    if (!m->rq.nnz)
        tool_derivatives = NULL;
    saddle = m->M.nnz && !m->factor ? mbs_saddle_new(m) : NULL;
    return 0;
}

void tool_state(const struct robot *r, const double *q, const double *v)
{
    for (int i = 0; i < r->freedom; i++) {
        native_q[place[i]] = q[i];
        native_v[place[i]] = v[i];
    }
}

void tool_forward(void)
{
    if (m->accelerations) {
        m->accelerations(c, &at, &forward, w);
        return;
    }
    m->dynamics(c, &at, &dynamics, w);
    memcpy(x, dynamics.f, (size_t)m->nq * sizeof *x);
    if (m->factor) {
        m->factor(dynamics.M, dynamics.G, l);
        m->solve(l, x);
    } else {
        mbs_saddle_factor(saddle, dynamics.M, dynamics.G);
        mbs_saddle_solve(saddle, x);
    }
}

void tool_accelerations(const struct robot *r, double *a)
{
    for (int i = 0; i < r->freedom; i++)
        a[i] = x[place[i]];
    for (int i = 0; i < r->n; i++)
        if (r->body[i].free) {
            double q[6], v[6], angles[6];
            for (int k = 0; k < 6; k++) {
                q[k] = native_q[place[r->body[i].at + k]];
                v[k] = native_v[place[r->body[i].at + k]];
                angles[k] = a[r->body[i].at + k];
            }
            base_turning(q, v, angles, a + r->body[i].at + 3);
        }
}
