// SPDX-License-Identifier: GPL-3.0-or-later
// Pinocchio from C++: aba(), rnea() and computeRNEADerivatives().
#include "measure.h"

#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody.hpp>

#include <vector>

extern "C" const char *const tool_name = "Pinocchio";
static pinocchio::Model model;
static pinocchio::Data *data;
static Eigen::VectorXd q, v, a, tau;

static void inverse(void)
{
    pinocchio::rnea(model, *data, q, v, a);
}
static void derivatives(void)
{
    pinocchio::computeRNEADerivatives(model, *data, q, v, a);
}
void (*tool_inverse)(void) = inverse;
void (*tool_derivatives)(void) = derivatives;

static pinocchio::JointModel joint_model(const struct robot_body &b)
{
    if (b.free)
        return pinocchio::JointModelFreeFlyer();
    Eigen::Vector3d axis(b.axis[0], b.axis[1], b.axis[2]);
    if (axis == Eigen::Vector3d::UnitX())
        return b.prismatic ? pinocchio::JointModel(pinocchio::JointModelPX()) : pinocchio::JointModel(pinocchio::JointModelRX());
    if (axis == Eigen::Vector3d::UnitY())
        return b.prismatic ? pinocchio::JointModel(pinocchio::JointModelPY()) : pinocchio::JointModel(pinocchio::JointModelRY());
    if (axis == Eigen::Vector3d::UnitZ())
        return b.prismatic ? pinocchio::JointModel(pinocchio::JointModelPZ()) : pinocchio::JointModel(pinocchio::JointModelRZ());
    return b.prismatic ? pinocchio::JointModel(pinocchio::JointModelPrismaticUnaligned(axis.normalized()))
                       : pinocchio::JointModel(pinocchio::JointModelRevoluteUnaligned(axis.normalized()));
}

// The model from the robot's table: the wheel has no headers of its reader of URDF.
int tool_open(const char *, const char *, const struct robot *r)
{
    std::vector<pinocchio::JointIndex> id(r->n);
    for (int i = 0; i < r->n; i++) {
        const struct robot_body &b = r->body[i];
        const double *J = b.inertia;
        Eigen::Matrix3d R = (Eigen::AngleAxisd(b.rpy[2], Eigen::Vector3d::UnitZ()) * Eigen::AngleAxisd(b.rpy[1], Eigen::Vector3d::UnitY())
                             * Eigen::AngleAxisd(b.rpy[0], Eigen::Vector3d::UnitX())).toRotationMatrix(), inertia;
        inertia << J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2];
        pinocchio::SE3 place(R, Eigen::Vector3d(b.place[0], b.place[1], b.place[2]));
        id[i] = model.addJoint(b.parent < 0 ? 0 : id[b.parent], joint_model(b), place, b.joint);
        model.appendBodyToJoint(id[i], pinocchio::Inertia(b.mass, Eigen::Vector3d(b.com[0], b.com[1], b.com[2]), inertia), pinocchio::SE3::Identity());
    }
    model.gravity.linear() << r->gravity[0], r->gravity[1], r->gravity[2];
    data = new pinocchio::Data(model);
    q = pinocchio::neutral(model);
    v = a = tau = Eigen::VectorXd::Zero(model.nv);
    return model.nv != r->freedom;
}

static auto joint_of(const struct robot_body &b)
{
    return model.getJointId(b.joint);
}

void tool_state(const struct robot *r, const double *q0, const double *v0)
{
    for (int i = 0; i < r->n; i++) {
        const struct robot_body &b = r->body[i];
        auto j = joint_of(b);
        int nq = model.idx_qs[j], nv = model.idx_vs[j];
        if (!b.free) {
            q[nq] = q0[b.at];
            v[nv] = v0[b.at];
            continue;
        }
        struct base x = base_of(q0 + b.at, v0 + b.at);
        for (int k = 0; k < 3; k++) {
            q[nq + k] = x.place[k];
            q[nq + 3 + k] = x.quaternion[k + 1];
            v[nv + 3 + k] = x.omega[k];
            v[nv + k] = 0;
            for (int s = 0; s < 3; s++)
                v[nv + k] += x.rotation[3 * s + k] * x.velocity[s];
        }
        q[nq + 6] = x.quaternion[0];
    }
}

void tool_forward(void)
{
    a = pinocchio::aba(model, *data, q, v, tau);
}

// The base's acceleration is that of the body-fixed components: space axes need R (a + w x v).
void tool_accelerations(const struct robot *r, double *out)
{
    for (int i = 0; i < r->n; i++) {
        const struct robot_body &b = r->body[i];
        auto j = joint_of(b);
        int nq = model.idx_qs[j], nv = model.idx_vs[j];
        if (!b.free) {
            out[b.at] = a[nv];
            continue;
        }
        Eigen::Vector3d w = v.segment<3>(nv + 3), u = v.segment<3>(nv), rate = a.segment<3>(nv);
        Eigen::Quaterniond e(q[nq + 6], q[nq + 3], q[nq + 4], q[nq + 5]);
        Eigen::Vector3d space = e * (rate + w.cross(u));
        for (int k = 0; k < 3; k++) {
            out[b.at + k] = space[k];
            out[b.at + 3 + k] = a[nv + 3 + k];
        }
    }
}
