# SPDX-License-Identifier: GPL-3.0-or-later
"""The articulated-body algorithm of a robot in CasADi (SX, with cse): casadi_aba.py ROBOT.txt OUT.c

Writes the C code that CasADi generates and a function casadi_forward(q, v, a) on its native arrays: a joint has one number; a
free base has its place and quaternion (w x y z) in q, body-fixed velocities (linear, angular) in v and a.  Constants are folded
into the code.  After Featherstone 2008, table 7.1, in the form with zero skipping that SX does by itself.
"""
import os
import sys
import time
import casadi as ca
import numpy as np


def cross3(x):
    return ca.vertcat(ca.horzcat(0, -x[2], x[1]), ca.horzcat(x[2], 0, -x[0]), ca.horzcat(-x[1], x[0], 0))


def rotation(rpy):
    (cr, sr), (cp, sp), (cy, sy) = ((np.cos(x), np.sin(x)) for x in rpy)
    R = np.array([[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr], [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
                  [-sp, cp * sr, cp * cr]])
    return np.where(abs(R - R.round()) < 1e-15, R.round(), R)


def turn(axis, q):
    k = cross3(axis)
    return ca.DM.eye(3) + ca.sin(q) * k + (1 - ca.cos(q)) * ca.mtimes(k, k)


def motion(R, p):
    """Spatial transform to a frame with axes R (child to parent) at p (in parent axes); angular part first."""
    E = R.T
    return ca.blockcat([[E, ca.SX(3, 3)], [-ca.mtimes(E, cross3(p)), E]])


def read(path):
    gravity, bodies = None, []
    for line in open(path):
        f = line.split()
        if f[0] == "gravity":
            gravity = np.array([float(x) for x in f[1:]])
            continue
        x = np.array([float(s) for s in f[4:]])
        bodies.append((int(f[2]), f[3], x[0:3], x[3:6], x[6:9], x[9], x[10:13], x[13:19]))
    return gravity, bodies


def main():
    gravity, bodies = read(sys.argv[1])
    start = time.process_time()
    free = [b[1] == "free" for b in bodies]
    nq, nv = sum(7 if f else 1 for f in free), sum(6 if f else 1 for f in free)
    q, v = ca.SX.sym("q", nq), ca.SX.sym("v", nv)
    n, iq, iv = len(bodies), 0, 0
    X, S, V, c, IA, pA, span = [], [], [], [], [], [], []
    for i, (parent, kind, axis, place, rpy, m, com, J) in enumerate(bodies):
        R0 = rotation(rpy)
        if kind == "free":
            w, x, y, z = (q[iq + 3 + k] for k in range(4))
            R = ca.vertcat(ca.horzcat(1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
                           ca.horzcat(2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
                           ca.horzcat(2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)))
            X.append(motion(R, q[iq:iq + 3]))
            S.append(None)
            vj = ca.vertcat(v[iv + 3:iv + 6], v[iv:iv + 3])
            span.append((iv, 6))
            iq, iv = iq + 7, iv + 6
        else:
            s = ca.SX(ca.DM(np.concatenate([np.zeros(3), axis] if kind == "prismatic" else [axis, np.zeros(3)])))
            S.append(ca.sparsify(s))
            if kind == "prismatic":
                X.append(motion(ca.DM(R0), ca.DM(place) + ca.DM(R0 @ axis) * q[iq]))
            else:
                X.append(motion(ca.mtimes(ca.DM(R0), turn(axis, q[iq])), ca.DM(place)))
            vj = S[i] * v[iv]
            span.append((iv, 1))
            iq, iv = iq + 1, iv + 1
        Vi = vj if parent < 0 else ca.mtimes(X[i], V[parent]) + vj
        V.append(Vi)
        w, u = Vi[0:3], Vi[3:6]
        cross = ca.blockcat([[cross3(w), ca.SX(3, 3)], [cross3(u), cross3(w)]])
        c.append(ca.mtimes(cross, vj))
        k = np.array([[0, -com[2], com[1]], [com[2], 0, -com[0]], [-com[1], com[0], 0]])
        Jc = np.array([[J[0], J[3], J[4]], [J[3], J[1], J[5]], [J[4], J[5], J[2]]])
        I = ca.SX(ca.sparsify(ca.DM(np.block([[Jc + m * k @ k.T, m * k], [m * k.T, m * np.eye(3)]]))))
        IA.append(I)
        pA.append(-ca.mtimes(cross.T, ca.mtimes(I, Vi)))
    U, D, tau = [None] * n, [None] * n, [None] * n
    for i in reversed(range(n)):
        parent = bodies[i][0]
        if S[i] is None:
            continue                    # the free base is the root
        U[i] = ca.mtimes(IA[i], S[i])
        D[i] = ca.dot(S[i], U[i])
        tau[i] = -ca.dot(S[i], pA[i])
        if parent >= 0:
            Ia = IA[i] - ca.mtimes(U[i], U[i].T) / D[i]
            pa = pA[i] + ca.mtimes(Ia, c[i]) + U[i] * (tau[i] / D[i])
            IA[parent] = IA[parent] + ca.mtimes([X[i].T, Ia, X[i]])
            pA[parent] = pA[parent] + ca.mtimes(X[i].T, pa)
    A, out = [], [None] * nv
    ground = ca.SX(ca.vertcat(ca.DM(3, 1), -ca.DM(gravity)))
    for i in range(n):
        parent = bodies[i][0]
        at, _ = span[i]
        if S[i] is None:
            a0 = ca.mtimes(X[i], ground)
            acc = ldl_solve(IA[i], -pA[i])
            A.append(acc)
            joint = acc - a0 - c[i]
            for k in range(3):
                out[at + k], out[at + 3 + k] = joint[3 + k], joint[k]
            continue
        Ai = ca.mtimes(X[i], ground if parent < 0 else A[parent]) + c[i]
        out[at] = (tau[i] - ca.dot(U[i], Ai)) / D[i]
        A.append(Ai + S[i] * out[at])
    result = ca.vertcat(*out)
    if hasattr(ca, "cse"):
        result = ca.cse(result)
    f = ca.Function("casadi_aba", [q, v], [result])
    os.chdir(os.path.dirname(os.path.abspath(sys.argv[2])) or ".")
    code = ca.CodeGenerator("casadi_peer.c")
    code.add(f)
    text = code.dump()
    text += "void casadi_forward(const double *q, const double *v, double *a);\nvoid casadi_forward(const double *q, const double *v, double *a)\n{\n"
    text += "    static double w[%d];\n    static long long iw[%d];\n" % (f.sz_w() + 1, f.sz_iw() + 1)
    text += "    const double *arg[%d] = {q, v};\n    double *res[%d] = {a};\n    casadi_aba(arg, res, iw, w, 0);\n}\n" % (f.sz_arg() + 1, f.sz_res() + 1)
    open(os.path.basename(sys.argv[2]), "w").write(text)
    print("%.0f CasADi %s" % (1e3 * (time.process_time() - start), ca.__version__))


def ldl_solve(A, b):
    """A x = b for a symmetric positive definite A, written out without roots."""
    n = A.shape[0]
    L, D = ca.SX.eye(n), [None] * n
    for j in range(n):
        D[j] = A[j, j] - sum(L[j, k] * L[j, k] * D[k] for k in range(j))
        for i in range(j + 1, n):
            L[i, j] = (A[i, j] - sum(L[i, k] * L[j, k] * D[k] for k in range(j))) / D[j]
    x = [None] * n
    for i in range(n):
        x[i] = b[i] - sum(L[i, k] * x[k] for k in range(i))
    x = [x[i] / D[i] for i in range(n)]
    for i in reversed(range(n)):
        x[i] = x[i] - sum(L[k, i] * x[k] for k in range(i + 1, n))
    return ca.vertcat(*x)


main()
