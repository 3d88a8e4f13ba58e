# SPDX-License-Identifier: GPL-3.0-or-later
"""What the judges ask MuJoCo for: the mass matrix, the motion of a point that is fixed on a body."""
import mujoco
import numpy as np


def full_mass(mj, data):
    M = np.zeros((mj.nv, mj.nv))
    try:                        # the order of the arguments changed
        mujoco.mj_fullM(mj, M, data.qM)
    except Exception:
        mujoco.mj_fullM(mj, data, M)
    return M


def point_motion(mj, data, b, local):
    """Place, velocity, acceleration (after mj_rnePostConstraint) in space axes."""
    six, r = np.zeros(6), data.xmat[b].reshape(3, 3) @ local
    mujoco.mj_objectAcceleration(mj, data, mujoco.mjtObj.mjOBJ_XBODY, b, six, 0)
    alpha, a = six[:3].copy(), six[3:] + mj.opt.gravity
    mujoco.mj_objectVelocity(mj, data, mujoco.mjtObj.mjOBJ_XBODY, b, six, 0)
    w = six[:3]
    return data.xpos[b] + r, six[3:] + np.cross(w, r), a + np.cross(alpha, r) + np.cross(w, np.cross(w, r))
