# SPDX-License-Identifier: GPL-3.0-or-later
"""Imported SDFormat models against Pinocchio, for which this file reads SDFormat a second time, in its own way.

usage: sdf_judge.py BUILD SOURCE STATES FILE.sdf ...

The tree is that of the imported model (which joints close loops is a choice); poses at zero, axes, inertias are found here.  Closed loops
are compared by their relative motion: the rows of the other side's Jacobian of the joint's two frames, at zero."""
import math, os, sys
import xml.etree.ElementTree as ET
import numpy as np
import pinocchio as pin
import model as m
from pinocchio_judge import random_state

TOLERANCE, LOOPS = 1e-10, 1e-7


def pose(x):
    e = x.find("pose") if x is not None else None
    if e is None or not (e.text or "").strip():
        return pin.SE3.Identity(), None if e is None else e.get("relative_to")
    v = [float(t) for t in e.text.split()]
    if e.get("rotation_format") == "quat_xyzw":
        R = pin.Quaternion(v[6], v[3], v[4], v[5]).normalized().matrix()
    else:
        s = math.pi / 180 if e.get("degrees") == "true" else 1
        R = pin.rpy.rpyToMatrix(v[3] * s, v[4] * s, v[5] * s)
    return pin.SE3(R, np.array(v[:3])), e.get("relative_to")


class Sdf:
    """Links, joints and frames by their full names; frames of models end in ::__model__."""

    def __init__(self, path):
        root = ET.parse(path).getroot()
        world = root.find("world")
        top = world if world is not None else root
        g = top.find("gravity") if world is not None else None
        self.dir = os.path.dirname(os.path.abspath(path))
        self.gravity = [float(t) for t in g.text.split()] if g is not None else [0, 0, -9.81]
        self.kids, self.scope, self.models, self.static = {}, {}, {"": ("", None, None, None)}, set()
        models = [k for k in top if k.tag in ("model", "include")]
        for k in models:
            self.add(k, "", "", float(root.get("version")), len(models) > 1, False)

    def add(self, x, outer, around, version, own, fixed):
        """A model or an include, in the model `outer`, whose names begin with `around`."""
        over, merge = None, False
        if x.tag == "include":
            over, merge = x, x.get("merge") == "true"
            file = os.path.join(self.dir, x.findtext("uri").replace("model://", ""))
            root = ET.parse(os.path.join(file, "model.sdf") if os.path.isdir(file) else file).getroot()
            x, version = root.find("model"), float(root.get("version"))
        name = over.findtext("name", x.get("name")) if over is not None else x.get("name")
        own = own and not merge
        key = around + name if own else around + "_merged__" + name
        moved = over is not None and over.find("pose") is not None
        placement = over.findtext("placement_frame") if over is not None else None
        placement = placement or (x.get("placement_frame") if not moved else None)
        prefix = around + name + "::" if own else around
        self.models[key] = (around, over if moved else x, (prefix, placement), outer)
        fixed = fixed or (over if over is not None and over.find("static") is not None else x).findtext("static", "false") == "true"
        for k in x:
            if k.tag in ("link", "joint", "frame"):
                full = prefix + k.get("name")
                self.kids[full], self.scope[full] = k, (key, prefix, version)
                if fixed:
                    self.static.add(full)
            elif k.tag in ("model", "include"):
                self.add(k, key, prefix, version, True, fixed)

    def model_world(self, key):
        around, posed, inner, outer = self.models[key]
        if posed is None:
            return pin.SE3.Identity()
        X, to = pose(posed)
        W = (self.model_world(outer) if to is None else self.world(around + to)) * X
        prefix, placement = inner
        if placement:
            P, name = pin.SE3.Identity(), placement      # of the frame in its model
            while name:
                Y, rel = pose(self.kids[prefix + name])
                P, name = Y * P, rel or self.kids[prefix + name].get("attached_to")
            W = W * P.inverse()
        return W

    def link(self, full):
        """The link that a name stands for."""
        if full in self.kids:
            k = self.kids[full]
            if k.tag == "link":
                return full
            prefix = self.scope[full][1]
            return self.link(prefix + (k.findtext("child").strip() if k.tag == "joint" else k.get("attached_to")))
        prefix = full + "::"
        return next(n for n, k in self.kids.items() if n.startswith(prefix) and k.tag == "link")

    def world(self, name):
        if name in (None, "world"):
            return pin.SE3.Identity()
        if name not in self.kids:
            return self.model_world(name)
        k, (key, prefix, _) = self.kids[name], self.scope[name]
        X, to = pose(k)
        if to is None:
            to = k.find("child").text.strip() if k.tag == "joint" else k.get("attached_to")
        return (self.model_world(key) if to in (None, "__model__") else self.world(prefix + to)) * X

    def end(self, joint, which):
        t = self.kids[joint].findtext(which).strip()
        return t if t == "world" else self.link(self.scope[joint][1] + t)

    def axis(self, joint, tag="axis"):
        a = self.kids[joint].find(tag)
        v, own = np.array([float(t) for t in a.find("xyz").text.split()]), self.world(joint).rotation
        frame, old = a.find("xyz").get("expressed_in"), a.findtext("use_parent_model_frame", "0").strip()
        key, prefix, version = self.scope[joint]
        model = frame == "__model__" or (not frame and (version < 1.5 or (version < 1.7 and old in ("1", "true"))))
        R = self.model_world(key).rotation if model else self.world(prefix + frame).rotation if frame else own
        v = own.T @ R @ v
        return v / np.linalg.norm(v)

    def inertia(self, link):
        i = self.kids[link].find("inertial")
        J = i.find("inertia")
        g = lambda n: float(J.findtext(n, "1" if n[1] == n[2] else "0"))
        I = np.array([[g("ixx"), g("ixy"), g("ixz")], [g("ixy"), g("iyy"), g("iyz")], [g("ixz"), g("iyz"), g("izz")]])
        X, _ = pose(i)
        return pin.Inertia(float(i.findtext("mass")), X.translation, X.rotation @ I @ X.rotation.T)


def build_tree(sdf, info):
    """Links by Pinocchio, joints in the order of the imported model; which one a link hangs on."""
    model, at, hang = pin.Model(), {"world": (0, pin.SE3.Identity())}, {}
    model.gravity.linear = np.array(sdf.gravity)
    todo = [(j, *((sdf.end(j["source"], "parent"), sdf.end(j["source"], "child")) if j["source"] in sdf.kids else ("world", j["source"].rsplit("_", 1)[0])))
            for j in info["joints"] if not j["loop"]]

    def grow(a):
        """Branch by branch, as Pinocchio wants its joints."""
        for j, parent, child in todo:
            turned = child == a
            b = parent if turned else child
            if a not in (parent, child) or b in at:
                continue
            XJ = sdf.world(j["source"]) if j["source"] in sdf.kids else sdf.world(child)
            pj, pX = at[a]
            placement = pX * sdf.world(a).inverse() * XJ
            inner = XJ.inverse() * sdf.world(b)
            kind, sign = j["kind"], -1 if turned else 1
            if kind == "fixed" or j["source"] in sdf.static:
                at[b] = (pj, placement * inner)
            else:
                J = {"revolute": lambda: pin.JointModelRevoluteUnaligned(sign * sdf.axis(j["source"])), "prismatic": lambda: pin.JointModelPrismaticUnaligned(sign * sdf.axis(j["source"])),
                     "spherical": pin.JointModelSpherical, "free": pin.JointModelFreeFlyer,
                     "screw": lambda: pin.JointModelHelicalUnaligned(sign * sdf.axis(j["source"]), j["pitch"])}[kind]()
                at[b] = (model.addJoint(pj, J, placement, j["source"]), inner)
            model.appendBodyToJoint(at[b][0], sdf.inertia(b), at[b][1])
            grow(b)

    grow("world")
    for l in info["links"]:     # what stands, without mass, is held by no joint of the result
        if l["source"] not in at and l["source"] in sdf.static:
            at[l["source"]] = (0, sdf.world(l["source"]))
    if len(at) != len(info["links"]):
        raise m.Failed("joints that lead nowhere")
    return model, at


def coordinates(robot, model, q, v):
    Q, N, c = np.zeros(robot.nq), np.zeros((robot.nq, model.nv)), np.zeros(robot.nq)
    joints = {j["source"]: j for j in robot.info["joints"]}
    for i in range(1, model.njoints):
        J, j = model.joints[i], joints[model.names[i]]
        iq, iv, name, at = J.idx_q, J.idx_v, j["name"], robot.coord
        if J.nq == 1:
            k = at[name + (".distance" if j["kind"] == "prismatic" else ".angle")]
            Q[k], N[k, iv] = q[iq], 1
            continue
        o = 3 if j["kind"] == "free" else 0
        e, w, k = q[[iq + o + 3, iq + o, iq + o + 1, iq + o + 2]], v[iv + o:iv + o + 3], [at["%s.e%d" % (name, d)] for d in range(4)]
        E = m.euler_map(e)
        Q[k], c[k] = e, m.euler_map(E @ w) @ w
        N[k, iv + o:iv + o + 3] = E
        if o:
            x, R = [at[name + "." + d] for d in "xyz"], m.rotation(e)
            Q[x], c[x] = q[iq:iq + 3], R @ np.cross(w, v[iv:iv + 3])
            N[x, iv:iv + 3] = R
    return Q, N, c


def passive(robot, model, q, v):
    tau = np.zeros(model.nv)
    for j in robot.info["joints"]:
        if j["loop"] or j["kind"] == "fixed":
            continue
        J = model.joints[model.getJointId(j["source"])]
        iv = J.idx_v
        if J.nq == 1:
            slip = 0.001 if j["kind"] == "prismatic" else 0.01
            tau[iv] -= j["damping"] * v[iv] + j["friction"] * np.tanh(v[iv] / slip) + j["stiffness"] * (q[J.idx_q] - j["rest"])
        elif j["kind"] == "spherical":
            tau[iv:iv + 3] -= j["damping"] * v[iv:iv + 3]
    return tau


def loop_rows(sdf, info, model, at):
    """Rows of the closed loops at zero."""
    data, q0, rows = model.createData(), pin.neutral(model), []
    pin.computeJointJacobians(model, data, q0)
    for j in info["joints"]:
        if not j["loop"]:
            continue
        XJ, J = sdf.world(j["source"]), []
        for end in (sdf.end(j["source"], "parent"), sdf.end(j["source"], "child")):
            n, X = at[end]
            F = X * sdf.world(end).inverse() * XJ
            J.append(F.toActionMatrixInverse() @ pin.getJointJacobian(model, data, n, pin.ReferenceFrame.LOCAL) if n else np.zeros((6, model.nv)))
        D = J[1] - J[0]
        if j["kind"] == "spherical":
            rows.append(D[:3])
        elif j["kind"] == "fixed":
            rows.append(D)
        else:
            rows.append(D[:3])
            axes = [sdf.axis(j["source"])] + ([sdf.axis(j["source"], "axis2")] if j["kind"] == "universal" else [])
            P = np.eye(3) - sum(np.outer(a, a) for a in axes)
            rows.append(P @ D[3:])
    return np.vstack(rows) if rows else np.zeros((0, model.nv))


def judge(build, source, path, states):
    robot, sdf = m.Model(build, source, path), Sdf(path)
    model, at = build_tree(sdf, robot.info)
    data, rng = model.createData(), np.random.default_rng(1)
    worst = dict.fromkeys(("M", "bias", "acceleration", "pose", "loops"), 0.0)
    rows = [k for n, k in robot.row.items() if not n.endswith(".norm")]
    for n in range(states):
        q, v = random_state(model, rng) if n else (pin.neutral(model), np.ones(model.nv))
        Q, N, c = coordinates(robot, model, q, v)
        mass, f, G, gamma, g = robot.dynamics(Q, N @ v)
        pin.computeAllTerms(model, data, q, v)
        theirs = np.triu(data.M) + np.triu(data.M, 1).T
        tau = passive(robot, model, q, v)
        ours = N.T @ (mass @ c - f) + tau
        worst["M"] = max(worst["M"], m.worst(N.T @ mass @ N, theirs))
        worst["bias"] = max(worst["bias"], m.worst(ours, data.nle, max(np.max(np.abs(data.nle)), np.max(np.abs(tau)))))
        a = np.linalg.solve(N.T @ mass @ N, tau - ours)
        worst["acceleration"] = max(worst["acceleration"], m.worst(theirs @ a, tau - data.nle, max(np.max(np.abs(data.nle)), np.max(np.abs(theirs)) * np.max(np.abs(a)))))
        poses = robot.poses(Q)
        for i, l in enumerate(robot.info["links"]):
            j, X = at[l["source"]]
            X = data.oMi[j] * X
            worst["pose"] = max(worst["pose"], m.worst(poses[i][0], X.translation, max(1, np.max(np.abs(X.translation)))), m.worst(poses[i][1], X.rotation))
        if n == 0 and rows:
            from mujoco_judge import same_space
            worst["loops"] = max(same_space(G[rows] @ N, loop_rows(sdf, robot.info, model, at)), np.max(np.abs(g[[k for k in rows if k < len(g)]])))
    return robot, model, worst


def main():
    build, source, states, bad = sys.argv[1], sys.argv[2], int(sys.argv[3]), 0
    for path in sys.argv[4:]:
        name = path.split("/")[-1]
        try:
            robot, model, worst = judge(build, source, path, states)
        except m.Failed as e:
            print("FAIL %-40s %s" % (name, str(e).replace("\n", " | ")[-300:]), flush=True)
            bad += 1
            continue
        good = all(x <= (LOOPS if k == "loops" else TOLERANCE) for k, x in worst.items())
        bad += not good
        print("%s %-40s links %3d  nq %3d  lost %3d  %s  seconds %.2f %.2f %.2f  C %d kB" % (
            "ok  " if good else "FAIL", name, len(robot.info["links"]), robot.nq, robot.info["not_carried_over"],
            " ".join("%s %.1e" % x for x in worst.items()), *robot.seconds, robot.size // 1000), flush=True)
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
