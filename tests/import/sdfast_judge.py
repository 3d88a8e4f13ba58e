# SPDX-License-Identifier: GPL-3.0-or-later
"""Imported SD/FAST systems against Pinocchio, for which this file reads .sd files a second time, in its own way.

usage: sdfast_judge.py BUILD SOURCE STATES FILE.sd ...

All axes are parallel at zero and places are from centres of mass.  M, bias forces and poses at random states; loops and prescribed motion by the
space of their Jacobian at zero; prescribed motion also by what its parameters do to the constraint."""
import sys
import numpy as np
import pinocchio as pin
import model as m
from mujoco_judge import same_space
from pinocchio_judge import random_state
from sdf_judge import coordinates

TOLERANCE, LOOPS = 1e-10, 1e-7
AXES = {"pin": "r", "sliding": "t", "slider": "t", "ujoint": "rr", "gimbal": "rrr", "cylinder": "tr", "planar": "ttr", "bushing": "tttrrr", "bearing": "trrr"}


def number(word):
    return float(word[:-1] or 1) if word.endswith("?") else float(word)


def read(path):
    words = []
    for line in open(path):
        words += line.split("#")[0].replace("=", " = ").split()
    system, item, i = {}, None, 0
    items = []
    while i < len(words):
        key, i, values = words[i].lower(), i + 2, []
        while i < len(words) and (i + 1 == len(words) or words[i + 1] != "="):
            values.append(words[i])
            i += 1
        if key == "body":
            item = {"body": values[0], "pin": []}
            items.append(item)
        elif item is None:
            system[key] = values
        elif key in ("pin", "inbpin"):
            item["pin"].append(np.array([number(v) for v in values]))
        else:
            item[key] = values
    return system, items


def vector(item, key):
    return np.array([number(v) for v in item.get(key, "0 0 0".split())])


def inertia(item):
    v = [number(w) for w in item.get("inertia", [])]
    J = np.diag(v) if len(v) == 3 else np.array(v).reshape(3, 3) if v else np.zeros((3, 3))
    return pin.Inertia(number(item.get("mass", ["0"])[0]), np.zeros(3), J)


def pin_of(item, i, axes):
    pins = [p / np.linalg.norm(p) for p in item["pin"]] or list(np.eye(3))
    if len(pins) == 1:
        return pins[0]
    return pins[i % 3] if axes == 6 else pins[max(0, i - 1)] if axes == 4 else pins[i]


def build(system, items):
    model, at, driven, loops = pin.Model(), {"$ground": (0, pin.SE3.Identity())}, [], []
    model.gravity.linear = vector(system, "gravity")
    seen, tree = set(), []
    for x in items:
        (loops if x["body"] in seen else tree).append(x)
        seen.add(x["body"])
    order, todo = [], [x for x in reversed(tree) if x["inb"][0] == "$ground"]
    while todo:                 # branch by branch, as Pinocchio wants its joints
        order.append(todo.pop())
        todo += [x for x in reversed(tree) if x["inb"][0] == order[-1]["body"]]
    for x in order:
        parent, X = at[x["inb"][0]]
        X = X * pin.SE3(np.eye(3), vector(x, "inbtojoint"))
        kind, name = x["joint"][0].lower(), x["joint"][1] if len(x["joint"]) > 1 else x["body"] + "_joint"
        if kind == "weld":
            at[x["body"]] = (parent, X * pin.SE3(np.eye(3), -vector(x, "bodytojoint")))
        else:
            axes = AXES.get(kind)
            joints = [(pin.JointModelRevoluteUnaligned if a == "r" else pin.JointModelPrismaticUnaligned)(pin_of(x, i, len(axes))) for i, a in enumerate(axes)] if axes else [
                pin.JointModelSpherical() if kind == "ball" else pin.JointModelFreeFlyer()]
            for i, J in enumerate(joints):
                n = name + "_%d" % (i + 1) if len(joints) > 1 else name
                parent, X = model.addJoint(parent, J, X, n), pin.SE3.Identity()
                if i < len(x.get("prescribed", [])) and x["prescribed"][i] == "1":
                    driven.append(n)
            at[x["body"]] = (parent, pin.SE3(np.eye(3), -vector(x, "bodytojoint")))
        model.appendBodyToJoint(at[x["body"]][0], inertia(x), at[x["body"]][1])
    return model, at, driven, loops


def rows_at_zero(model, at, driven, loops):
    data, rows = model.createData(), []
    pin.computeJointJacobians(model, data, pin.neutral(model))
    for x in loops:
        D = np.zeros((6, model.nv))
        for body, place, sign in ((x["inb"][0], "inbtojoint", -1), (x["body"], "bodytojoint", 1)):
            n, X = at[body]
            F = X * pin.SE3(np.eye(3), vector(x, place))
            if n:
                D += sign * F.toActionMatrixInverse() @ pin.getJointJacobian(model, data, n, pin.ReferenceFrame.LOCAL)
        kind = x["joint"][0].lower()
        p = [v / np.linalg.norm(v) for v in x["pin"]]
        free_t = {"sliding": p[:1], "slider": p[:1], "cylinder": p[:1], "planar": p[:2]}.get(kind, [])
        free_r = {"pin": p[:1], "cylinder": p[:1], "planar": p[2:3], "ujoint": p[:2]}.get(kind, [])
        rows.append((np.eye(3) - sum((np.outer(a, a) for a in free_t), np.zeros((3, 3)))) @ D[:3])
        if kind not in ("ball", "gimbal"):
            rows.append((np.eye(3) - sum((np.outer(a, a) for a in free_r), np.zeros((3, 3)))) @ D[3:])
    for n in driven:
        row = np.zeros((1, model.nv))
        row[0, model.joints[model.getJointId(n)].idx_v] = 1
        rows.append(row)
    return np.vstack(rows) if rows else np.zeros((0, model.nv))


def judge(build_dir, source, path, states):
    robot, (system, items) = m.Model(build_dir, source, path), read(path)
    model, at, driven, loops = build(system, items)
    data, rng = model.createData(), np.random.default_rng(1)
    worst = dict.fromkeys(("M", "bias", "pose", "drive", "loops"), 0.0)
    rows = [k for n, k in robot.row.items() if not n.endswith(".norm")]
    for n in range(states):
        q, v = random_state(model, rng) if n else (pin.neutral(model), np.ones(model.nv))
        Q, N, c = coordinates(robot, model, q, v)
        mass, f, G, gamma, g = robot.dynamics(Q, N @ v)
        pin.computeAllTerms(model, data, q, v)
        theirs = np.triu(data.M) + np.triu(data.M, 1).T
        worst["M"] = max(worst["M"], m.worst(N.T @ mass @ N, theirs))
        worst["bias"] = max(worst["bias"], m.worst(N.T @ (mass @ c - f), data.nle))
        poses = robot.poses(Q)
        for i, l in enumerate(robot.info["links"]):
            if l["source"] in at:
                j, X = at[l["source"]]
                X = data.oMi[j] * X
                worst["pose"] = max(worst["pose"], m.worst(poses[i][0], X.translation, max(1, np.max(np.abs(X.translation)))), m.worst(poses[i][1], X.rotation))
        if n == 0 and rows:
            worst["loops"] = same_space(G[rows] @ N, rows_at_zero(model, at, driven, loops))
    for n in driven:            # the parameter that says where it starts moves the constraint of this coordinate, and nothing else
        Q, N, c = coordinates(robot, model, pin.neutral(model), np.zeros(model.nv))
        before = robot.dynamics(Q, np.zeros(robot.nq))[4]
        k = next(k for name, k in robot.param.items() if name.endswith("_start") and name.startswith(next(j["name"] for j in robot.info["joints"] if j["source"] == n)))
        robot.lib.judge_set(k, 0.3)
        d = robot.dynamics(Q, np.zeros(robot.nq))[4] - before
        robot.lib.judge_set(k, 0.0)
        worst["drive"] = max(worst["drive"], abs(np.max(np.abs(d)) - 0.3), abs(np.sum(np.abs(d)) - 0.3))
    return robot, worst


def main():
    build_dir, source, states, bad = sys.argv[1], sys.argv[2], int(sys.argv[3]), 0
    for path in sys.argv[4:]:
        robot, worst = judge(build_dir, source, path, states)
        good = all(x <= (LOOPS if k == "loops" else TOLERANCE) for k, x in worst.items())
        bad += not good
        print("%s %-40s links %3d  nq %3d  lost %3d  %s  seconds %.2f %.2f %.2f  C %d kB" % (
            "ok  " if good else "FAIL", path.split("/")[-1], len(robot.info["links"]), robot.nq, robot.info["not_carried_over"],
            " ".join("%s %.1e" % x for x in worst.items()), *robot.seconds, robot.size // 1000), flush=True)
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
