# SPDX-License-Identifier: GPL-3.0-or-later
"""Random trees of rigid bodies against MuJoCo: make judge-trees [TREES=500] [LOOPS=200] [SEED=1] [PYTHON=...].

usage: judge.py BUILD SOURCE TREES SEED LOOPS   exit 1 if one differs; 77, and it says so, where the package mujoco is not installed

All joints that both know (revolute, prismatic, cylindrical, universal, spherical and free with Euler parameters and with angles, planar,
point_on_line, fixed), branches, joints passed from b to a, massless bodies, free and fixed bases, full inertias, turned axes.  The same
tree is written in both languages; MuJoCo has a row of hinges, slides and balls for each joint, a massless body's in front of the next one's.

Compared is what does not depend on coordinates: from a random state of ours the places and velocities of three points of every body
are given to MuJoCo, which must be able to take them (1e-10 of the size: the joints move alike), and the accelerations of these points must be
the same to 1e-10 of the largest, times the condition of MuJoCo's mass matrix where that is beyond 1e4: 16 digits less those of the condition, and of the fit.
After the trees come LOOPS trees with loops: one or two rods without mass between points of two bodies, or of a body and the ground (constraints on their
distance).  MuJoCo's own constraints are soft; with its M, forces and Jacobians G the rods' accelerations are a = a0 - M^-1 G' lambda, G a + gamma = 0,
gamma from the points' accelerations at qacc = 0.

The code is that of each way in turn: tree, mixed, rolled (tree, where a tree cannot be), energies."""
import collections, concurrent.futures, ctypes, os, subprocess, sys, tempfile
import random

try:
    import mujoco
    import numpy as np
except ImportError as e:
    print("skipped: %s" % e)
    sys.exit(77)
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../import"))
from mujoco_state import full_mass, point_motion

TOLERANCE = 1e-10
SINGULAR = 1e10         # beyond this condition less than four digits are left: nothing to compare
ANCHOR = np.array([0.3, -0.2, 0.4])
POINTS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], float)
KINDS = ["revolute", "revolute", "revolute", "prismatic", "cylindrical", "universal", "spherical", "planar", "free", "point_on_line", "fixed"]
FEW = ["revolute", "revolute", "prismatic", "universal", "fixed"]
WAYS = ["tree", "mixed", "tree", "rolled", "tree", "mixed", "tree", "rolled", "tree", "energies"]


def turn(axis, angle):
    k = np.eye(3)[axis]
    K = np.array([[0, -k[2], k[1]], [k[2], 0, -k[0]], [-k[1], k[0], 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def words(v):
    return " ".join(repr(float(x)) for x in v)


def vector(rng, right=True):
    if right and rng.random() < 0.4:
        v = np.zeros(3)
        v[rng.randrange(3)] = rng.choice((-1.0, 1.0))
        return v
    return np.array([round(rng.uniform(-1, 1), 3) for _ in range(3)])


def frame(rng):
    """Text of at(...), place and rotation."""
    p, axis = np.array([round(rng.uniform(-1, 1), 3) for _ in range(3)]), rng.randrange(3)
    if rng.random() < 0.4:
        return "at([%s])" % ", ".join(map(repr, p.tolist())), p, np.eye(3)
    angle, n = (rng.randrange(1, 4) * np.pi / 2, True) if rng.random() < 0.5 else (round(rng.uniform(-2, 2), 3), False)
    return "at([%s], %s = %s)" % (", ".join(map(repr, p.tolist())), "xyz"[axis], "%d*pi/2" % round(angle / np.pi * 2) if n else repr(angle)), p, turn(axis, angle)


class Tree:
    """A random tree in both languages."""

    def __init__(self, rng, number, loops=False):
        n = rng.randint(1, 9) if rng.random() < 0.15 else rng.randint(1 + loops, 5)
        parent = [0] + [0 if i == 1 else (i - 1 if rng.random() < 0.65 else rng.randrange(i)) for i in range(1, n + 1)]
        children = [parent[1:].count(i) for i in range(n + 1)]
        self.massless = [False] * (n + 1)
        for i in range(1, n + 1):
            self.massless[i] = children[i] == 1 and not self.massless[parent[i]] and rng.random() < 0.25
        self.text = ["model tree%d" % number, "spatial", "gravity [%s]" % ", ".join(map(repr, vector(rng).tolist()))]
        self.gravity = eval(self.text[-1][8:])
        self.bodies, joints, frames, joint_text = {}, {}, {0: []}, []
        for i in range(1, n + 1):
            line = "body K%d { " % i
            if not self.massless[i]:
                mass, com = round(rng.uniform(0.5, 2), 3), vector(rng, False)
                x = np.array([[rng.uniform(-0.5, 0.5) for _ in range(3)] for _ in range(6)])
                E = x.T @ x
                J = np.round(np.trace(E) * np.eye(3) - E, 6)
                self.bodies[i] = (mass, com, J)
                line += "mass = %r, com = [%s], inertia = [%s], " % (mass, ", ".join(map(repr, com.tolist())),
                                                                     ", ".join("[%s]" % ", ".join(map(repr, r)) for r in J.tolist()))
            frames[i] = [frame(rng), frame(rng)]
            line += "frame F0 = %s, frame F1 = %s, point O = [0, 0, 0], point X = [1, 0, 0], point Y = [0, 1, 0] }" % (frames[i][0][0], frames[i][1][0])
            self.text.append(line)
        for i in range(1, n + 1):
            few = self.massless[i] or (parent[i] and self.massless[parent[i]])      # a row of joints on one body: at most six freedoms
            kind, axis, other = rng.choice(FEW if few else KINDS), vector(rng), None
            if i == 1 and not few and rng.random() < 0.4:
                kind = "free"
            if not self.massless[i] and children[i] == 0 and kind == "fixed":
                kind = "revolute"
            a = frames[parent[i]][rng.randrange(2)] if parent[i] else frame(rng)
            k = rng.randrange(2)
            ends = ["K%d.F%d" % (parent[i], frames[parent[i]].index(a)) if parent[i] else "ground @ " + a[0], "K%d.F%d" % (i, k)]
            if np.linalg.norm(axis) < 0.2:
                axis = np.array([0.0, 0.0, 1.0])
            line = "joint J%d: %s(%%s, %%s)" % (i, kind)
            if kind in ("revolute", "prismatic", "cylindrical", "planar", "point_on_line"):
                line += " axis [%s]" % ", ".join(map(repr, axis.tolist()))
            axis = axis / np.linalg.norm(axis)
            if kind == "universal":
                axis, other = np.array([1.0, 0, 0]), np.array([0, 1, 0.5 * rng.randrange(2)])
                line += " axis [1, 0, 0] axis2 [0, 1, %r]" % float(other[2])
            if kind in ("spherical", "free", "point_on_line") and rng.random() < 0.5:
                line += " angles %s" % rng.choice(("zyx", "zxz", "xyz"))
            least = np.eye(3)[np.argmin(np.abs(axis))]
            t1 = np.cross(axis, least) / np.linalg.norm(np.cross(axis, least))
            row = {"revolute": [("hinge", axis)], "prismatic": [("slide", axis)], "cylindrical": [("slide", axis), ("hinge", axis)],
                   "universal": [("hinge", axis), ("hinge", other)], "spherical": [("ball", None)], "fixed": [],
                   "planar": [("slide", t1), ("slide", np.cross(axis, t1)), ("hinge", axis)],
                   "free": [("slide", np.eye(3)[k]) for k in range(3)] + [("ball", None)], "point_on_line": [("slide", axis), ("ball", None)]}[kind]
            if rng.random() < 0.3:
                ends.reverse()
                row = row[::-1]
            joint_text.append(line % tuple(ends))
            joints[i] = (a[1:], frames[i][k][1:], row)
        self.text += joint_text
        self.ties = []
        for k in range(rng.randint(1, 2) if loops else 0):
            i = rng.choice(sorted(self.bodies))
            j = rng.choice([b for b in self.bodies if b != i] + [0])
            a, b = rng.randrange(3), rng.randrange(3)
            self.ties.append((i, a, j, b))
            self.text.append("constraint tie%d: norm2(K%d.%s - %s) = 1 [m^2]" % (
                k, i, "OXY"[a], "K%d.%s" % (j, "OXY"[b]) if j else "[%s]" % ", ".join("%g [m]" % x for x in ANCHOR)))
        for i in self.bodies:
            for p in "OXY":
                self.text += ["output p%d%s = K%d.%s" % (i, p, i, p), "output v%d%s = K%d.%s'" % (i, p, i, p), "output a%d%s = K%d.%s''" % (i, p, i, p)]
        self.text = "\n".join(self.text) + "\n"
        self.xml = ('<mujoco><compiler angle="radian" inertiafromgeom="false" boundmass="0" boundinertia="0" balanceinertia="false"/>'
                    '<option gravity="%s"><flag contact="disable" constraint="disable"/></option><worldbody>%s</worldbody></mujoco>'
                    % (words(self.gravity), self.children(0, n, parent, joints, np.zeros(3), np.eye(3), [])))

    def children(self, at, n, parent, joints, p, R, row):
        """Those of body `at`, which stands at p, R in the last one that has mass, with the joints of the massless ones between: [kind, place, axis]."""
        out = ""
        for i in range(1, n + 1):
            if parent[i] != at:
                continue
            (pa, Ra), (pb, Rb), joint = joints[i]
            there, turned = p + R @ pa, R @ Ra          # the joint's axes
            Rc = turned @ Rb.T
            pc = there - Rc @ pb
            here = row + [(k, there, None if v is None else turned @ v) for k, v in joint]
            if self.massless[i]:
                out += self.children(i, n, parent, joints, pc, Rc, here)
                continue
            q = np.zeros(4)
            mujoco.mju_mat2Quat(q, Rc.flatten())
            mass, com, J = self.bodies[i]
            out += '<body name="K%d" pos="%s" quat="%s">' % (i, words(pc), words(q))
            for k, o, v in here:
                out += '<joint type="%s" pos="%s"%s/>' % (k, words(Rc.T @ (o - pc)), "" if v is None else ' axis="%s"' % words(Rc.T @ v))
            out += '<inertial pos="%s" mass="%r" fullinertia="%s"/>' % (words(com), mass, words((J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2])))
            out += self.children(i, n, parent, joints, np.zeros(3), np.eye(3), []) + "</body>"
        return out


def ptr(x):
    return x.ctypes.data_as(ctypes.POINTER(ctypes.c_double))


class Code:
    def __init__(self, build, source, tree, number, way, dir):
        text, c, so = (os.path.join(dir, "t%d.%s" % (number, e)) for e in ("mbs", "c", "so"))
        open(text, "w").write(tree.text)
        for w in (way, "tree"):
            r = subprocess.run([os.path.join(build, "mbsc"), "--solver", "--way=" + w, text, "-o", c], capture_output=True, text=True)
            if r.returncode == 0 or "cannot be" not in r.stderr:
                break
        self.way = w
        if r.returncode:
            raise RuntimeError(r.stderr)
        subprocess.run([os.environ.get("CC", "gcc"), "-O0", "-w", "-fPIC", "-shared", "-I", os.path.join(source, "runtime"), "-DMODEL=tree%d_model" % number,
                        os.path.join(source, "tests/import/judge.c"), c, "-o", so, "-lm"], check=True)
        self.lib = ctypes.CDLL(so)
        self.lib.judge_name.restype = ctypes.c_char_p
        n = (ctypes.c_int * 7)()
        self.lib.judge_sizes(n)
        self.nq, self.rows, self.ny = n[0], n[1] + n[2], n[5]
        self.coord = [self.lib.judge_name(0, i).decode() for i in range(self.nq)]
        self.output = [self.lib.judge_name(1, i).decode() for i in range(self.ny)]

    def state(self, rng):
        q, v = (np.array([rng.uniform(-0.7, 0.7) for _ in range(self.nq)]) for _ in range(2))
        for i, name in enumerate(self.coord):
            if name.endswith(".e0"):
                e = np.array([1, 0, 0, 0]) + q[i:i + 4]
                q[i:i + 4] = e / np.linalg.norm(e)
                v[i:i + 4] -= q[i:i + 4] * (q[i:i + 4] @ v[i:i + 4])
        return q, v

    def points(self, tree, q, v):
        """(places, velocities, accelerations) of three points, a body; None if the code calls its solution unsafe."""
        a, l, unsafe, y = np.zeros(self.nq), np.zeros(self.rows + 1), np.zeros(1), np.zeros(self.ny)
        if not self.lib.judge_accelerations(ptr(q), ptr(v), ptr(a), ptr(l), ptr(unsafe)):
            M, f, G, gamma = np.zeros((self.nq, self.nq)), np.zeros(self.nq), np.zeros((self.nq, self.rows)), np.zeros(self.rows + 1)
            self.lib.judge_dynamics(ptr(q), ptr(v), None, None, ptr(M), ptr(f), ptr(G), ptr(gamma), None, None)
            x = np.linalg.solve(np.block([[M, G], [G.T, np.zeros((self.rows, self.rows))]]), np.concatenate([f, -gamma[:self.rows]]))
            a, l[:self.rows] = x[:self.nq].copy(), x[self.nq:]
        self.lib.judge_outputs_at(ptr(q), ptr(v), ptr(a), ptr(l), ptr(y))
        got = {}
        for name, value in zip(self.output, y):
            got.setdefault(name.split(".")[0].split("[")[0], []).append(value)
        return {i: [np.array([got["%s%d%s" % (k, i, p)] for p in "OXY"]) for k in "pva"] for i in tree.bodies}


def fit(mj, data, want):
    """The state in which MuJoCo's bodies stand and move as ours do; the largest rest."""
    mujoco.mj_resetData(mj, data)
    jac, rest = np.zeros((3, mj.nv)), 0.0
    for b in range(1, mj.nbody):
        i = int(mujoco.mj_id2name(mj, mujoco.mjtObj.mjOBJ_BODY, b)[1:])
        D = list(range(mj.body_dofadr[b], mj.body_dofadr[b] + mj.body_dofnum[b])) if mj.body_dofnum[b] else []
        start = data.qpos.copy()
        for tries in range(1000):
            if tries and tries % 50 == 0:       # not from here: from somewhere else
                d, data.qpos[:] = np.zeros(mj.nv), start
                d[D] = np.random.RandomState(tries).uniform(-2, 2, len(D))
                mujoco.mj_integratePos(mj, data.qpos, d, 1)
            mujoco.mj_kinematics(mj, data)
            mujoco.mj_comPos(mj, data)
            R = data.xmat[b].reshape(3, 3)
            places = data.xpos[b] + POINTS @ R.T
            J = np.zeros((9, len(D)))
            for k in range(3):
                mujoco.mj_jac(mj, data, jac, None, places[k], b)
                J[3 * k:3 * k + 3] = jac[:, D]
            off = (want[i][0] - places).flatten()
            if not D or np.max(np.abs(off)) < 1e-15 or tries == 999:
                break
            step = np.linalg.lstsq(J, off, rcond=1e-12)[0]
            d = np.zeros(mj.nv)
            d[D] = step * min(1, 1 / max(1e-30, np.max(np.abs(step))))
            if np.max(np.abs(d)) < 1e-16 and np.max(np.abs(off)) < 1e-11 or tries % 50 == 49 and np.max(np.abs(off)) < 1e-12:
                break
            mujoco.mj_integratePos(mj, data.qpos, d, 1)
        rest = max(rest, np.max(np.abs(off)) / max(1, np.max(np.abs(want[i][0]))))
        below = np.zeros(9)
        for k in range(3):
            mujoco.mj_jac(mj, data, jac, None, places[k], b)
            below[3 * k:3 * k + 3] = jac @ data.qvel
        speed = want[i][1].flatten() - below
        if D:
            data.qvel[D] = np.linalg.lstsq(J, speed, rcond=1e-12)[0]
            speed = speed - J @ data.qvel[D]
        rest = max(rest, np.max(np.abs(speed)) / max(1, np.max(np.abs(want[i][1]))))
    return rest


def point(mj, data, i, k):
    """Place, velocity, acceleration at the qacc of now, Jacobian of point k of body i (0: the anchor)."""
    if i == 0:
        return ANCHOR, np.zeros(3), np.zeros(3), np.zeros((3, mj.nv))
    b, jac = mujoco.mj_name2id(mj, mujoco.mjtObj.mjOBJ_BODY, "K%d" % i), np.zeros((3, mj.nv))
    place, velocity, acceleration = point_motion(mj, data, b, POINTS[k])
    mujoco.mj_jac(mj, data, jac, None, place, b)
    return place, velocity, acceleration, jac


def tie(mj, data, ties):
    """The accelerations with rods: g = |p - p'|^2 - 1; the condition of G M^-1 G'."""
    data.qacc[:] = 0
    mujoco.mj_rnePostConstraint(mj, data)
    G, gamma, a0 = [], [], data.qacc_smooth.copy()
    for i, k, j, l in ties:
        p, q = point(mj, data, i, k), point(mj, data, j, l)
        d, v = p[0] - q[0], p[1] - q[1]
        G.append(2 * d @ (p[3] - q[3]))
        gamma.append(2 * v @ v + 2 * d @ (p[2] - q[2]))
    G, M = np.array(G), full_mass(mj, data)
    if np.min(np.linalg.norm(G, axis=1)) < 1e-6 or np.linalg.cond(M) > SINGULAR:
        return np.inf
    X = np.linalg.solve(M, G.T)
    condition = np.linalg.cond(G @ X)
    data.qacc[:] = a0 - X @ np.linalg.solve(G @ X, G @ a0 + np.array(gamma)) if condition < SINGULAR else a0
    return condition


def judge(mj, data, want, ties):
    """(rest of the fit, difference of accelerations, condition of M)"""
    rest = fit(mj, data, want)
    mujoco.mj_forward(mj, data)
    bound = tie(mj, data, ties) if ties else 1
    if not ties:
        data.qacc[:] = data.qacc_smooth
    mujoco.mj_rnePostConstraint(mj, data)
    off, top = 0.0, 1e-30
    for b in range(1, mj.nbody):
        i = int(mujoco.mj_id2name(mj, mujoco.mjtObj.mjOBJ_BODY, b)[1:])
        theirs = np.array([point_motion(mj, data, b, p)[2] for p in POINTS])
        off, top = max(off, np.max(np.abs(theirs - want[i][2]))), max(top, np.max(np.abs(theirs)))
    return rest, off / top, np.linalg.cond(full_mass(mj, data)) * bound


def drawn(trees, loops, seed):
    """(number, tree, MuJoCo's model, random numbers) one after the other: `trees` trees, then such with loops."""
    found = 0
    for number in range(3 * (trees + loops) + 20):
        rng = random.Random(seed * 1000003 + number)
        tree = Tree(rng, number, found >= trees)
        try:
            mj = mujoco.MjModel.from_xml_string(tree.xml)
        except Exception as e:
            raise RuntimeError("%s\n%s" % (e, tree.xml))
        if mj.nv:
            found += 1
            yield number, tree, mj, rng


def compiled(drawn, build, source, dir):
    """The same with their code; the C compiler, which takes nearly all of the time, is kept busy on all processors."""
    ahead = collections.deque()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        try:
            for number, tree, mj, rng in drawn:
                ahead.append((number, tree, mj, rng, pool.submit(Code, build, source, tree, number, WAYS[(number + 1) % len(WAYS)], dir)))
                if len(ahead) > 2 * os.cpu_count():
                    yield ahead.popleft()
            yield from ahead
        finally:
            for x in ahead:
                x[-1].cancel()


def main():
    build, source, trees, seed = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    loops = int(sys.argv[5]) if len(sys.argv) > 5 else 0
    done, bad, skipped, worst, count, kinds = 0, 0, 0, 0.0, {}, {}
    with tempfile.TemporaryDirectory() as dir:
        os.chdir(dir)               # MuJoCo leaves a log where it stands
        for number, tree, mj, rng, code in compiled(drawn(trees, loops, seed), build, source, dir):
            if done == trees + loops:
                break
            try:
                code = code.result()
            except RuntimeError as e:
                if tree.ties and "contains no coordinate" in str(e):
                    continue        # a rod between what does not move against each other
                raise
            data, good = mujoco.MjData(mj), True
            for _ in range(3):
                q, v = code.state(rng)
                try:
                    points = code.points(tree, q, v)
                except np.linalg.LinAlgError:       # rods that hold the same twice
                    skipped += 1
                    continue
                rest, off, condition = judge(mj, data, points, tree.ties)
                if condition > SINGULAR:
                    skipped += 1
                    continue
                allowed = TOLERANCE * max(1, condition / 1e4)
                worst = max(worst, off / allowed * TOLERANCE)
                if not (rest <= 1e-10 and off <= allowed):
                    good = False
                    print("FAIL tree %d of seed %d (%s): places and velocities %.1e, accelerations %.1e, condition %.1e" % (
                        number, seed, code.way, rest, off, condition), flush=True)
            if not good and os.environ.get("KEEP"):
                print(tree.text, tree.xml)
            done, bad = done + 1, bad + (not good)
            count[code.way] = count.get(code.way, 0) + 1
            for line in tree.text.split("\n"):
                if line.startswith("joint"):
                    kind = line.split(": ")[1].split("(")[0]
                    kinds[kind] = kinds.get(kind, 0) + 1
            if done % 50 == 0:
                print("%d trees, worst %.1e" % (done, worst), flush=True)
            for e in ("c", "so", "mbs"):
                os.remove(os.path.join(dir, "t%d.%s" % (number, e)))
        os.chdir("/")
    print("%d trees (%d with loops; %s), %d differ; accelerations agree with MuJoCo %s to %.1e (of the largest, by condition); %d states near singular positions left out" % (
        done, loops, ", ".join("%d %s" % (n, w) for w, n in sorted(count.items())), bad, mujoco.__version__, worst, skipped))
    print("joints: " + ", ".join("%d %s" % (n, k) for k, n in sorted(kinds.items())))
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
