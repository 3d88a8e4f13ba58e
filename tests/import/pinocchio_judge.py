# SPDX-License-Identifier: GPL-3.0-or-later
"""Imported URDF robots against Pinocchio at random states: M, bias, gravity, accelerations and the pose of every link.

usage: pinocchio_judge.py BUILD SOURCE STATES FILE.urdf[:free] ...      prints a line a robot; exit 1 if one differs by more than 1e-10

Both sides write the same equations in different coordinates.  Pinocchio's velocities v of a free or spherical joint are in the axes of
the child, ours are rates of places and Euler parameters: q' = N v, q'' = N a + N' v.  Then
    M_pin = N' M N,   bias_pin = N' (M N' v - f),
where our f also has dampers and dry friction, which Pinocchio keeps but does not put into its equations."""
import sys
import numpy as np
import pinocchio as pin
import model as m

TOLERANCE = 1e-10


def coordinates(robot, model, q, v):
    """Our coordinates and N, and N' v, from Pinocchio's q and v."""
    Q, N, c = np.zeros(robot.nq), np.zeros((robot.nq, model.nv)), np.zeros(robot.nq)
    joints = {j["source"]: j for j in robot.info["joints"]}
    at = robot.coord
    for i in range(1, model.njoints):
        name, J = model.names[i], model.joints[i]
        iq, iv, kind = J.idx_q, J.idx_v, J.shortname()
        if i == 1 and name == "root_joint":
            mine, ours = robot.info["base"], "free"
        else:
            mine, ours = joints[name]["name"], joints[name]["kind"]
        if ours in ("revolute", "prismatic"):
            k = at[mine + (".angle" if ours == "revolute" else ".distance")]
            Q[k] = q[iq] if J.nq == 1 else np.arctan2(q[iq + 1], q[iq])
            N[k, iv] = 1
        elif ours in ("free", "spherical"):
            o = 3 if ours == "free" else 0
            e = q[[iq + o + 3, iq + o, iq + o + 1, iq + o + 2]]
            w = v[iv + o:iv + o + 3]
            k = [at["%s.e%d" % (mine, d)] for d in range(4)]
            E = m.euler_map(e)
            Q[k] = e
            N[k, iv + o:iv + o + 3] = E
            c[k] = m.euler_map(E @ w) @ w
            if ours == "free":
                x, R = [at[mine + "." + d] for d in "xyz"], m.rotation(e)
                Q[x] = q[iq:iq + 3]
                N[x, iv:iv + 3] = R
                c[x] = R @ np.cross(w, v[iv:iv + 3])
        elif ours == "planar":
            x, y, a = (at[mine + "." + d] for d in ("x", "y", "angle"))
            C, S = q[iq + 2], q[iq + 3]
            Q[[x, y, a]] = q[iq], q[iq + 1], np.arctan2(S, C)
            N[x, iv:iv + 2], N[y, iv:iv + 2], N[a, iv + 2] = (C, -S), (S, C), 1
            w = v[iv + 2]
            c[x], c[y] = w * (-S * v[iv] - C * v[iv + 1]), w * (C * v[iv] - S * v[iv + 1])
        else:
            raise m.Failed("no map for " + kind)
    return Q, N, c


def passive(robot, model, N, v):
    """Dampers and dry friction in our f, as torques on Pinocchio's velocities."""
    tau = np.zeros(model.nv)
    for j in robot.info["joints"]:
        if j["kind"] in ("revolute", "prismatic") and not j["loop"]:
            iv = model.joints[model.getJointId(j["source"])].idx_v
            slip = 0.01 if j["kind"] == "revolute" else 0.001
            tau[iv] -= j["damping"] * v[iv] + j["friction"] * np.tanh(v[iv] / slip)
    return tau


def random_state(model, rng):
    q = pin.neutral(model)
    dq = rng.uniform(-2, 2, model.nv)
    return pin.normalize(model, pin.integrate(model, q, dq)), rng.uniform(-2, 2, model.nv)


def judge(build, source, path, free, states):
    robot = m.Model(build, source, path, ["--free"] if free else [])
    model = pin.buildModelFromUrdf(path, pin.JointModelFreeFlyer()) if free else pin.buildModelFromUrdf(path)
    data = model.createData()
    links = {l["source"]: i for i, l in enumerate(robot.info["links"])}
    rng = np.random.default_rng(1)
    worst = dict.fromkeys(("M", "bias", "gravity", "acceleration", "pose"), 0.0)
    for _ in range(states):
        q, v = random_state(model, rng)
        Q, N, c = coordinates(robot, model, q, v)
        pin.computeAllTerms(model, data, q, v)
        pin.updateFramePlacements(model, data)
        mass, f, G, gamma, _ = robot.dynamics(Q, N @ v)
        theirs = np.triu(data.M) + np.triu(data.M, 1).T
        tau = passive(robot, model, N, v)
        worst["M"] = max(worst["M"], m.worst(N.T @ mass @ N, theirs))
        worst["bias"] = max(worst["bias"], m.worst(N.T @ (mass @ c - f) + tau, data.nle))
        _, f0, _, _, _ = robot.dynamics(Q, np.zeros(robot.nq))
        gravity = pin.computeGeneralizedGravity(model, data, q)
        worst["gravity"] = max(worst["gravity"], m.worst(-N.T @ f0, gravity))
        a = np.linalg.lstsq(N, robot.accelerations(Q, N @ v) - c, rcond=None)[0]
        rows = [k for n, k in robot.row.items() if not n.endswith(".norm")]     # mimic joints
        K = G[rows] @ N
        A = np.block([[theirs, K.T], [K, np.zeros((len(rows), len(rows)))]])
        b = np.concatenate([tau - data.nle, -gamma[rows] - G[rows] @ c])
        # the equations of the other side, with our accelerations and the multipliers that fit best
        lam = np.linalg.lstsq(K.T, b[:model.nv] - theirs @ a, rcond=None)[0]
        worst["acceleration"] = max(worst["acceleration"], m.worst(A @ np.concatenate([a, lam]), b, max(np.max(np.abs(b)), np.max(np.abs(theirs)) * np.max(np.abs(a)))))
        if np.linalg.cond(A) < 1e5:     # and, where that is not the question of the condition, the accelerations themselves
            theirs_a = np.linalg.solve(A, b)[:model.nv] if rows else pin.aba(model, data, q, v, tau)
            worst["acceleration"] = max(worst["acceleration"], m.worst(a, theirs_a))
        poses = robot.poses(Q)
        for frame, oMf in zip(model.frames, data.oMf):
            if frame.type == pin.FrameType.BODY and frame.name in links:
                at, R = poses[links[frame.name]]
                worst["pose"] = max(worst["pose"], m.worst(at, oMf.translation, max(1, np.max(np.abs(oMf.translation)))), m.worst(R, oMf.rotation))
    return robot, model, worst


def main():
    build, source, states, bad = sys.argv[1], sys.argv[2], int(sys.argv[3]), 0
    for arg in sys.argv[4:]:
        path, free = (arg[:-5], True) if arg.endswith(":free") else (arg, False)
        name = path.split("/")[-1]
        try:
            robot, model, worst = judge(build, source, path, free, states)
        except Exception as e:
            print("FAIL %-40s %s" % (name, str(e).replace("\n", " | ")[-300:]))
            bad += 1
            continue
        w = max(worst.values())
        bad += not w <= TOLERANCE
        print("%s %-40s links %3d  nq %3d  lost %3d  %s  seconds %.2f %.2f %.2f  C %d kB" % (
            "ok  " if w <= TOLERANCE else "FAIL", name, len(robot.info["links"]), robot.nq, robot.info["not_carried_over"],
            " ".join("%s %.1e" % x for x in worst.items()), *robot.seconds, robot.size // 1000), flush=True)
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
