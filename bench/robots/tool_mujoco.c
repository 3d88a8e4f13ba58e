/* SPDX-License-Identifier: GPL-3.0-or-later
 * MuJoCo's C library: composite bodies for M, its factorisation along the tree, Newton-Euler for the bias; nothing of contacts or sensors. */
#include "measure.h"

#include <mujoco/mujoco.h>
#include <stdio.h>
#include <string.h>

const char *const tool_name = "MuJoCo";
static mjModel *m;
static mjData *d;

static void inverse(void)
{
    mj_kinematics(m, d);
    mj_comPos(m, d);
    mj_comVel(m, d);
    mj_rne(m, d, 1, d->qfrc_inverse);
}
void (*tool_inverse)(void) = inverse, (*tool_derivatives)(void) = NULL;

int tool_open(const char *dir, const char *name, const struct robot *r)
{
    char path[4096], error[1000] = "";
    (void)r;
    snprintf(path, sizeof path, "%s/%s.xml", dir, name);
    if (!(m = mj_loadXML(path, NULL, error, sizeof error)) || !(d = mj_makeData(m))) {
        fprintf(stderr, "MuJoCo: %s\n", error);
        return 1;
    }
    return 0;
}

void tool_state(const struct robot *r, const double *q, const double *v)
{
    for (int i = 0; i < r->n; i++) {
        int j = mj_name2id(m, mjOBJ_JOINT, r->body[i].joint), nq = m->jnt_qposadr[j], nv = m->jnt_dofadr[j], at = r->body[i].at;
        if (!r->body[i].free) {
            d->qpos[nq] = q[at];
            d->qvel[nv] = v[at];
            continue;
        }
        struct base b = base_of(q + at, v + at);
        memcpy(d->qpos + nq, b.place, sizeof b.place);
        memcpy(d->qpos + nq + 3, b.quaternion, sizeof b.quaternion);
        memcpy(d->qvel + nv, b.velocity, sizeof b.velocity);
        memcpy(d->qvel + nv + 3, b.omega, sizeof b.omega);
    }
}

void tool_forward(void)
{
    mj_kinematics(m, d);
    mj_comPos(m, d);
    mj_makeM(m, d);
    mj_factorM(m, d);
    mj_comVel(m, d);
    mj_rne(m, d, 0, d->qfrc_bias);
    for (int i = 0; i < m->nv; i++)
        d->qfrc_smooth[i] = -d->qfrc_bias[i];
    mj_solveM(m, d, d->qacc, d->qfrc_smooth, 1);
}

void tool_accelerations(const struct robot *r, double *a)
{
    for (int i = 0; i < r->n; i++) {
        int j = mj_name2id(m, mjOBJ_JOINT, r->body[i].joint);
        memcpy(a + r->body[i].at, d->qacc + m->jnt_dofadr[j], (r->body[i].free ? 6 : 1) * sizeof *a);
    }
}
