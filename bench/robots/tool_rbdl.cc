// SPDX-License-Identifier: GPL-3.0-or-later
// RBDL: ForwardDynamics() (articulated bodies) and InverseDynamics().
#include "measure.h"

#include <rbdl/rbdl.h>

#include <vector>

using namespace RigidBodyDynamics;
extern "C" const char *const tool_name = "RBDL";
static Model model;
static Math::VectorNd q, v, a, tau;
static std::vector<unsigned> id;

static void inverse(void)
{
    InverseDynamics(model, q, v, a, tau);
}
void (*tool_inverse)(void) = inverse;
void (*tool_derivatives)(void) = nullptr;

int tool_open(const char *, const char *, const struct robot *r)
{
    using namespace Math;
    model.gravity = Vector3d(r->gravity[0], r->gravity[1], r->gravity[2]);
    for (int i = 0; i < r->n; i++) {
        const struct robot_body &b = r->body[i];
        const double *J = b.inertia;
        Matrix3d inertia, R = Xrotz(-b.rpy[2]).E * Xroty(-b.rpy[1]).E * Xrotx(-b.rpy[0]).E;    // child to parent: Xrot* turn coordinates
        inertia << J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2];
        Body body(b.mass, Vector3d(b.com[0], b.com[1], b.com[2]), inertia);
        Joint joint = b.free ? Joint(JointTypeFloatingBase)
                             : Joint(b.prismatic ? JointTypePrismatic : JointTypeRevolute, Vector3d(b.axis[0], b.axis[1], b.axis[2]));
        SpatialTransform place(R.transpose(), Vector3d(b.place[0], b.place[1], b.place[2]));
        id.push_back(model.AddBody(b.parent < 0 ? 0 : id[b.parent], place, joint, body, b.name));
    }
    q = VectorNd::Zero(model.q_size);
    v = a = tau = VectorNd::Zero(model.qdot_size);
    return (int)model.qdot_size != r->freedom;
}

// The base comes first; its velocities are in space axes for the place, in body axes for the turning.
void tool_state(const struct robot *r, const double *q0, const double *v0)
{
    for (int i = 0; i < r->freedom; i++) {
        q[i] = q0[i];
        v[i] = v0[i];
    }
    if (!r->body[0].free)
        return;
    struct base b = base_of(q0, v0);
    for (int k = 0; k < 3; k++)
        v[3 + k] = b.omega[k];
    model.SetQuaternion(id[0], Math::Quaternion(b.quaternion[1], b.quaternion[2], b.quaternion[3], b.quaternion[0]), q);
}

void tool_forward(void)
{
    ForwardDynamics(model, q, v, tau, a);
}

void tool_accelerations(const struct robot *r, double *out)
{
    for (int i = 0; i < r->freedom; i++)
        out[i] = a[i];
}
