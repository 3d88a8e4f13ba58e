# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot imported, compiled and loaded: M, f, G, gamma and the poses of links at a state, as numpy arrays."""
import ctypes, json, os, subprocess, tempfile, time
import numpy as np


class Failed(Exception):
    pass


def run(args, cwd=None, timeout=900):
    p = subprocess.run(args, capture_output=True, text=True, cwd=cwd, timeout=timeout)
    if p.returncode:
        raise Failed(" ".join(args[:2]) + ": " + (p.stderr or p.stdout)[-600:].strip())
    return p.stdout


class Model:
    """names: what was called how; seconds and size of the C file for the table."""

    def __init__(self, build, source, file, options=(), keep=None):
        dir = keep or tempfile.mkdtemp()
        mbs, mbsc, here = os.path.join(build, "mbs"), os.path.join(build, "mbsc"), os.path.dirname(os.path.abspath(__file__))
        text, code, lib = (os.path.join(dir, "robot." + e) for e in ("mbs", "c", "so"))
        t0 = time.time()
        self.info = json.loads(run([mbs, "import", "--no-snap", "--poses", "--json", "-o", text, *options, file]))
        t1 = time.time()
        run([mbsc, text, "-o", code])
        t2 = time.time()
        size = os.path.getsize(code)
        level = "-O1" if size < 1.5e5 else "-O0"
        run([os.environ.get("CC", "gcc"), level, "-fPIC", "-shared", "-I", os.path.join(source, "runtime"), "-DMODEL=%s_model" % self.info["name"],
             os.path.join(here, "judge.c"), code, "-o", lib, "-lm"])
        self.seconds, self.size = (t1 - t0, t2 - t1, time.time() - t2), size
        self.lib = ctypes.CDLL(lib)
        self.lib.judge_name.restype = ctypes.c_char_p
        self.lib.judge_set.argtypes = [ctypes.c_int, ctypes.c_double]
        n = (ctypes.c_int * 7)()
        self.lib.judge_sizes(n)
        self.nq, self.ng, self.nh, self.nz, self.nu, self.ny, self.np = list(n)
        self.coord = {self.name(0, i): i for i in range(self.nq)}
        self.output = {self.name(1, i): i for i in range(self.ny)}
        self.input = {self.name(2, i): i for i in range(self.nu)}
        self.param = {self.name(3, i): i for i in range(self.np)}
        self.row = {self.name(4, i): i for i in range(self.ng + self.nh)}

    def name(self, what, i):
        return self.lib.judge_name(what, i).decode()

    def start(self):
        q, v, u = np.zeros(self.nq), np.zeros(self.nq), np.zeros(max(1, self.nu))
        self.lib.judge_start(ptr(q), ptr(v), ptr(u))
        return q, v, u

    def dynamics(self, q, v, u=None, z=None):
        rows = self.ng + self.nh
        M, f, G = np.zeros((self.nq, self.nq)), np.zeros(self.nq), np.zeros((self.nq, rows))
        gamma, g, zdot = np.zeros(rows + 1), np.zeros(self.ng + 1), np.zeros(self.nz + 1)
        u = np.zeros(self.nu + 1) if u is None else u
        z = np.zeros(self.nz + 1) if z is None else z
        self.lib.judge_dynamics(ptr(q), ptr(v), ptr(z), ptr(u), ptr(M), ptr(f), ptr(G), ptr(gamma), ptr(g), ptr(zdot))
        return M, f, G.T, gamma[:rows], g[:self.ng]

    def outputs(self, q, v):
        y = np.zeros(self.ny + 1)
        self.lib.judge_outputs(ptr(q), ptr(v), ptr(y))
        return y[:self.ny]

    def poses(self, q):
        """Place and rotation of every link of the source, by its number."""
        y, o, result = self.outputs(q, np.zeros(self.nq)), self.output, []
        for i in range(len(self.info["links"])):
            at = np.array([y[o["place_%d.%s" % (i, k)]] for k in "xyz"])
            R = np.array([y[o["axes_%d[%d]" % (i, k)]] for k in range(1, 10)]).reshape(3, 3)
            result.append((at, R))
        return result

    def accelerations(self, q, v, extra=0):
        M, f, G, gamma, g = self.dynamics(q, v)
        n, k = self.nq, G.shape[0]
        A = np.block([[M, G.T], [G, np.zeros((k, k))]])
        x = np.linalg.lstsq(A, np.concatenate([f + extra, -gamma]), rcond=None)[0]
        return x[:n]


def ptr(a):
    assert a.dtype == np.float64 and a.flags["C_CONTIGUOUS"]
    return a.ctypes.data_as(ctypes.POINTER(ctypes.c_double))


def euler_map(e):
    """e' = E(e) w / 2 for w in body axes, e = (e0, e1, e2, e3)."""
    w, x, y, z = e
    return 0.5 * np.array([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]])


def rotation(e):
    w, x, y, z = e
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def cross(w):
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def worst(ours, theirs, scale=None):
    theirs, ours = np.asarray(theirs), np.asarray(ours)
    s = np.max(np.abs(theirs)) if scale is None else scale
    d = np.max(np.abs(ours - theirs)) if theirs.size else 0.0
    return float(d / s) if s > 0 else float(d)
