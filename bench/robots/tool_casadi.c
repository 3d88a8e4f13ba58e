/* SPDX-License-Identifier: GPL-3.0-or-later
 * CasADi's C code of the articulated-body algorithm (casadi_aba.py). */
#include "measure.h"

#include <stdlib.h>
#include <string.h>

void casadi_forward(const double *q, const double *v, double *a);

const char *const tool_name = "CasADi";
void (*tool_inverse)(void) = NULL, (*tool_derivatives)(void) = NULL;
static double *q, *v, *a;

int tool_open(const char *dir, const char *name, const struct robot *r)
{
    (void)dir, (void)name;
    q = calloc((size_t)r->freedom * 3 + 8, sizeof *q);
    v = q + r->freedom + 1;
    a = v + r->freedom;
    return !q || (r->n > 1 && r->body[1].free);
}

void tool_state(const struct robot *r, const double *q0, const double *v0)
{
    int shift = 0;      /* a quaternion has one number more */
    for (int i = 0; i < r->n; i++) {
        int at = r->body[i].at;
        if (!r->body[i].free) {
            q[at + shift] = q0[at];
            v[at] = v0[at];
            continue;
        }
        struct base b = base_of(q0 + at, v0 + at);
        memcpy(q + at, b.place, sizeof b.place);
        memcpy(q + at + 3, b.quaternion, sizeof b.quaternion);
        memcpy(v + at + 3, b.omega, sizeof b.omega);
        for (int k = 0; k < 3; k++)
            v[at + k] = b.rotation[k] * b.velocity[0] + b.rotation[3 + k] * b.velocity[1] + b.rotation[6 + k] * b.velocity[2];
        shift++;
    }
}

void tool_forward(void)
{
    casadi_forward(q, v, a);
}

/* The base's acceleration is that of the body-fixed components: space axes need R (a + w x u). */
void tool_accelerations(const struct robot *r, double *out)
{
    memcpy(out, a, (size_t)r->freedom * sizeof *a);
    if (!r->body[0].free)
        return;
    const double *u = v, *w = v + 3, *e = q + 3;
    double x[3] = {a[0] + w[1] * u[2] - w[2] * u[1], a[1] + w[2] * u[0] - w[0] * u[2], a[2] + w[0] * u[1] - w[1] * u[0]};
    double R[9] = {1 - 2 * (e[2] * e[2] + e[3] * e[3]), 2 * (e[1] * e[2] - e[0] * e[3]), 2 * (e[1] * e[3] + e[0] * e[2]),
                   2 * (e[1] * e[2] + e[0] * e[3]), 1 - 2 * (e[1] * e[1] + e[3] * e[3]), 2 * (e[2] * e[3] - e[0] * e[1]),
                   2 * (e[1] * e[3] - e[0] * e[2]), 2 * (e[2] * e[3] + e[0] * e[1]), 1 - 2 * (e[1] * e[1] + e[2] * e[2])};
    for (int k = 0; k < 3; k++)
        out[k] = R[3 * k] * x[0] + R[3 * k + 1] * x[1] + R[3 * k + 2] * x[2];
}
