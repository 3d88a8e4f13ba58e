# SPDX-License-Identifier: GPL-3.0-or-later
"""Imported MJCF models against MuJoCo at random states: M (armature included), bias, passive and actuator forces, accelerations without
contacts, poses of all bodies; closed loops by the space of their Jacobian at the reference.

usage: mujoco_judge.py BUILD SOURCE STATES DIR|FILE.xml ...     prints a line a model and counts; exit 1 if one differs by more than 1e-10

A directory is one that meshes may lie in.  Files that MuJoCo does not load by themselves, parts of others or with meshes that are missing, are not counted.  Refused ones say the feature.

MuJoCo's velocities of a free joint are of the place in space and of the turn in body axes, ours are rates: q' = N v, q'' = N a + N' v.
Not compared, because MuJoCo treats them as soft constraints: limits, dry friction (ours is subtracted), forces of contacts; of files of our own, where contacts are."""
import os, sys
import mujoco
import numpy as np
import model as m
from mujoco_state import full_mass

TOLERANCE = 1e-10
AXES = 2e-6         # MuJoCo turns moments of meshes to principal axes until 1 - cos of the next turn is below 1e-12, or 1.4e-6 rad
LOOPS = 1e-7        # projectors: 1e-16 times the condition of the rows, which are lengths beside directions


def coordinates(robot, mj, qpos, qvel):
    Q, N, c = np.zeros(robot.nq), np.zeros((robot.nq, mj.nv)), np.zeros(robot.nq)
    joints = [j for j in robot.info["joints"] if j["kind"] != "fixed" and not j["loop"]]
    if len(joints) != mj.njnt:
        raise m.Failed("%d joints instead of %d" % (len(joints), mj.njnt))
    for i, j in enumerate(joints):
        a, d, name, at = mj.jnt_qposadr[i], mj.jnt_dofadr[i], j["name"], robot.coord
        if j["kind"] in ("revolute", "prismatic"):
            k = at[name + (".angle" if j["kind"] == "revolute" else ".distance")]
            Q[k], N[k, d] = qpos[a] - mj.qpos0[a], 1
            continue
        o = 3 if j["kind"] == "free" else 0
        k, e, w = [at["%s.e%d" % (name, n)] for n in range(4)], qpos[a + o:a + o + 4], qvel[d + o:d + o + 3]
        E = m.euler_map(e)
        Q[k], c[k] = e, m.euler_map(E @ w) @ w
        N[k, d + o:d + o + 3] = E
        if o:
            x = [at[name + "." + n] for n in "xyz"]
            Q[x] = qpos[a:a + 3]
            N[x, d:d + 3] = np.eye(3)
    return Q, N, c


def friction(robot, mj, v):
    tau = np.zeros(mj.nv)
    for i, j in enumerate(j for j in robot.info["joints"] if j["kind"] != "fixed" and not j["loop"]):
        d = mj.jnt_dofadr[i]
        slip = {"revolute": 0.01, "prismatic": 0.001}.get(j["kind"])
        if slip:
            tau[d] -= j["friction"] * np.tanh(v[d] / slip)
    return tau


def same_space(A, B):
    """Difference of the projectors on two row spaces."""
    def projector(X):
        if X.size == 0:
            return np.zeros((X.shape[1], X.shape[1]))
        u, s, vt = np.linalg.svd(X, full_matrices=False)
        r = int((s > 1e-9 * s[0]).sum()) if s[0] > 0 else 0
        return vt[:r].T @ vt[:r]
    return np.max(np.abs(projector(A) - projector(B))) if A.shape[1] else 0.0


def excused(mj):
    """Flexible parts, tendons around obstacles, muscles: what rigid bodies and straight tendons cannot stand for."""
    wrapped = any(t in (mujoco.mjtWrap.mjWRAP_SPHERE, mujoco.mjtWrap.mjWRAP_CYLINDER) for t in mj.wrap_type)
    muscle = any(g == mujoco.mjtGain.mjGAIN_MUSCLE for g in mj.actuator_gaintype)
    return [name for name, is_so in (("flexible parts", mj.nflex > 0), ("obstacles", wrapped), ("muscles", muscle)) if is_so]


def principal_axes(robot, mj):
    """Moments that come from several turned parts are as exact as MuJoCo's principal axes: compared to that, then ours are put in, so that
    everything else is compared to the last digits.  Bodies that the mass of other bodies is merged into keep theirs."""
    links, off = {l["source"]: l for l in robot.info["links"]}, 0.0
    for b in range(1, mj.nbody):
        l = links.get(mujoco.mj_id2name(mj, mujoco.mjtObj.mjOBJ_BODY, b))
        if l is None or not l["mass"] or m.worst(l["com"], mj.body_ipos[b], 1) > 1e-12 or abs(l["mass"] - mj.body_mass[b]) > 1e-12 * l["mass"]:
            continue
        xx, yy, zz, xy, xz, yz = l["inertia"]
        ours, R = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), np.zeros(9)
        mujoco.mju_quat2Mat(R, mj.body_iquat[b])
        theirs = R.reshape(3, 3) @ np.diag(mj.body_inertia[b]) @ R.reshape(3, 3).T
        d = m.worst(ours, theirs)
        if 1e-12 < d <= AXES:
            w, V = np.linalg.eigh(ours)
            if np.linalg.det(V) < 0:
                V[:, 0] *= -1
            mj.body_inertia[b], mj.body_sameframe[b] = w, 0         # else MuJoCo would not look at the axes
            mujoco.mju_mat2Quat(mj.body_iquat[b], V.flatten())
            off = max(off, d)
    return off


def touching(build, source, path, mj, states, dirs):
    """Contacts with planes: our law with a stiffness of one and nothing else pushes by the depth along the normal, wherever MuJoCo sees a contact."""
    robot, data, rng, off, size = m.Model(build, source, path, ["--contacts", *dirs]), mujoco.MjData(mj), np.random.default_rng(2), 0.0, 1e-30
    keep = mj.opt.disableflags
    mj.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    off = 0.0
    for name, value in (("contact_damping", 0.0), ("contact_stiffness", 1.0)):
        robot.lib.judge_set(robot.param[name], value)
    for n in range(states):
        data.qpos[:] = mj.qpos0
        mujoco.mj_integratePos(mj, data.qpos, rng.uniform(-1, 1, mj.nv), 1)
        mujoco.mj_forward(mj, data)
        Q, N, c = coordinates(robot, mj, data.qpos, np.zeros(mj.nv))
        robot.lib.judge_set(robot.param["contact_stiffness"], 1.0)
        f = robot.dynamics(Q, np.zeros(robot.nq))[1]
        robot.lib.judge_set(robot.param["contact_stiffness"], 0.0)
        f = N.T @ (f - robot.dynamics(Q, np.zeros(robot.nq))[1])
        push = np.zeros(mj.nv)
        for k in data.contact[:data.ncon]:
            kinds = [mujoco.mjtGeom(mj.geom_type[g]).name[7:] for g in k.geom]
            if k.dist < 0 and "PLANE" in kinds and {"SPHERE", "CAPSULE", "BOX"} & set(kinds):
                J = [np.zeros((3, mj.nv)), np.zeros((3, mj.nv))]
                for i in range(2):
                    mujoco.mj_jac(mj, data, J[i], None, k.pos, mj.geom_bodyid[k.geom[i]])
                push += (J[1] - J[0]).T @ k.frame[:3] * -k.dist
        off, size = max(off, np.max(np.abs(f - push))), max(size, np.max(np.abs(push)))
    mj.opt.disableflags = keep
    return off / size


def judge(build, source, path, states, mj, dirs):
    robot = m.Model(build, source, path, dirs)
    mj.opt.density = mj.opt.viscosity = 0
    mj.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT | mujoco.mjtDisableBit.mjDSBL_FRICTIONLOSS
    principal_axes(robot, mj)
    data = mujoco.MjData(mj)
    carried = {a["source"]: a["name"] for a in robot.info["actuators"]}
    names = [mujoco.mj_id2name(mj, mujoco.mjtObj.mjOBJ_ACTUATOR, i) for i in range(mj.nu)]
    if len(carried) == mj.nu:
        act = [a["name"] for a in robot.info["actuators"]]
    else:
        act = [carried.get(n) for n in names]
    for i, a in enumerate(act):
        if a is None:
            mj.actuator_gear[i] = 0     # whatever it computes, it moves nothing
    for line in robot.info["lost"] + [l for j in robot.info["joints"] for l in j["lost"]]:     # tendons over pulleys and obstacles, which we do not have
        if line.startswith("the tendon '"):
            t = mujoco.mj_name2id(mj, mujoco.mjtObj.mjOBJ_TENDON, line.split("'")[1])
            mj.tendon_stiffness[t], mj.tendon_damping[t] = 0, 0
        elif line.startswith("'springdamper' of"):
            j = mujoco.mj_name2id(mj, mujoco.mjtObj.mjOBJ_JOINT, line.split("'")[3])
            mj.jnt_stiffness[j], mj.dof_damping[mj.jnt_dofadr[j]:][:3] = 0, 0
        elif line.startswith("the range of all actuators of"):
            mj.jnt_actfrclimited[mujoco.mj_name2id(mj, mujoco.mjtObj.mjOBJ_JOINT, line.split("'")[1])] = 0
        elif line.startswith("the range that the actuator"):
            mj.actuator_ctrllimited[mujoco.mj_name2id(mj, mujoco.mjtObj.mjOBJ_ACTUATOR, line.split("'")[1])] = 0
    links = {l["source"]: i for i, l in enumerate(robot.info["links"])}
    rng = np.random.default_rng(1)
    size, large, off = 1e-30, 1e-30, [0.0, 0.0, 0.0]        # forces and accelerations: where weight and motion balance each other, the scale is that of the other states
    worst = dict.fromkeys(("M", "force", "acceleration", "pose", "loops"), 0.0)
    norm = {k for n, k in robot.row.items() if n.endswith(".norm")}
    rows = [k for k in range(robot.ng) if k not in norm]
    zname = {robot.name(5, i): i for i in range(robot.nz)}
    for n in range(states):
        data.qpos[:] = mj.qpos0
        mujoco.mj_integratePos(mj, data.qpos, rng.uniform(-1, 1, mj.nv) if n else np.zeros(mj.nv), 1)
        data.qvel[:] = rng.uniform(-2, 2, mj.nv)
        data.ctrl[:] = rng.uniform(-1, 1, mj.nu)
        if mj.na:
            data.act[:] = rng.uniform(-1, 1, mj.na)
        mujoco.mj_forward(mj, data)
        u, z = np.zeros(robot.nu + 1), np.zeros(robot.nz + 1)
        for i, a in enumerate(act):
            if a is not None:
                u[robot.input[a]] = data.ctrl[i]
                k = zname.get(a + "_activation")
                if k is not None:
                    z[k] = data.act[mj.actuator_actadr[i]]
        qpos, v = data.qpos.copy(), data.qvel.copy()
        Q, N, c = coordinates(robot, mj, qpos, v)
        mass, f, G, gamma, _ = robot.dynamics(Q, N @ v, u, z)
        theirs = full_mass(mj, data)
        force = data.qfrc_bias - data.qfrc_passive - data.qfrc_actuator
        ours = N.T @ (mass @ c - f) + friction(robot, mj, v)
        worst["M"] = max(worst["M"], m.worst(N.T @ mass @ N, theirs))
        scale = max(np.max(np.abs(x)) for x in (data.qfrc_bias, data.qfrc_passive, data.qfrc_actuator, force)) if mj.nv else 1
        size, off[0] = max(size, scale), max(off[0], m.worst(ours, force, 1))
        a = np.linalg.solve(N.T @ mass @ N, -ours)
        off[1] = max(off[1], m.worst(theirs @ a, -force, 1))
        size = max(size, np.max(np.abs(theirs)) * np.max(np.abs(a)))
        if n and np.linalg.cond(theirs) < 1e5:
            off[2], large = max(off[2], m.worst(a, data.qacc_smooth, 1)), max(large, np.max(np.abs(data.qacc_smooth)))
        poses = robot.poses(Q)
        for b in range(mj.nbody):
            name = mujoco.mj_id2name(mj, mujoco.mjtObj.mjOBJ_BODY, b)
            if name in links:
                at, R = poses[links[name]]
                worst["pose"] = max(worst["pose"], m.worst(at, data.xpos[b], max(1, np.max(np.abs(data.xpos[b])))), m.worst(R, data.xmat[b].reshape(3, 3)))
        if n == 0 and rows:
            equality = [k for k in range(data.nefc) if data.efc_type[k] == mujoco.mjtConstraint.mjCNSTR_EQUALITY]
            J = np.zeros((data.nefc, mj.nv))
            if mujoco.mj_isSparse(mj):
                mujoco.mju_sparse2dense(J, data.efc_J, data.efc_J_rownnz, data.efc_J_rowadr, data.efc_J_colind)
            else:
                J = data.efc_J.reshape(data.nefc, mj.nv)
            worst["loops"] = same_space(G[rows] @ N, J[equality])
    worst["force"], worst["acceleration"] = off[0] / size, max(off[1] / size, off[2] / large)
    if path.startswith(os.path.dirname(os.path.abspath(__file__))) and any("--contacts" in l for l in robot.info["lost"]):   # files of our own
        worst["contact"] = touching(build, source, path, mj, states, dirs)
    return robot, mj, worst


def main():
    build, source, states = sys.argv[1], sys.argv[2], int(sys.argv[3])
    count = dict.fromkeys(("ok", "refused", "FAIL", "part"), 0)
    plain = [0, 0]              # of those without excuse: agree, all
    dirs = [x for d in sys.argv[4:] if os.path.isdir(d) for x in ("-I", d)]
    for path in (f for f in sys.argv[4:] if not os.path.isdir(f)):
        name = "/".join(path.split("/")[-2:])
        try:
            mj = mujoco.MjModel.from_xml_path(path)
        except Exception as e:
            count["part"] += 1
            print("part    %-50s MuJoCo: %s" % (name, str(e).replace("\n", " ")[:200]), flush=True)
            continue
        excuse = excused(mj)
        try:
            robot, mj, worst = judge(build, source, path, states, mj, dirs)
        except Exception as e:
            text = str(e).replace("\n", " | ")
            verdict = "refused" if "mbs import" in text and "nothing is written" in text else "FAIL"
            if "nothing moves here" not in text:
                plain[1] += not excuse
            count[verdict] += 1
            print("%-7s %-50s %s %s" % (verdict, name, text[-300:], excuse or ""), flush=True)
            continue
        loops = worst.pop("loops")
        w = max(worst.values()) if loops <= LOOPS else loops
        worst["loops"] = loops
        verdict = "ok" if w <= TOLERANCE else "FAIL"
        count[verdict] += 1
        plain[0] += not excuse and verdict == "ok"
        plain[1] += not excuse
        print("%-7s %-50s bodies %3d  nq %3d  lost %3d  %s  seconds %.2f %.2f %.2f  C %d kB" % (
            verdict, name, mj.nbody, robot.nq, robot.info["not_carried_over"],
            " ".join("%s %.1e" % x for x in worst.items()), *robot.seconds, robot.size // 1000), flush=True)
    print("# MJCF: %(ok)d agree, %(refused)d are refused, %(FAIL)d differ; %(part)d files MuJoCo does not load by themselves (parts of others, meshes that are missing)" % count)
    print("# without flexible parts, obstacles and muscles, and with something that moves: %d of %d agree" % tuple(plain))
    sys.exit(count["FAIL"] > 0)


if __name__ == "__main__":
    main()
