# SPDX-License-Identifier: GPL-3.0-or-later
"""The task in CasADi (SX, with cse where it has it): peer_casadi.py TASK OUT.c"""
import os
import sys
import time
import casadi as ca
import task


def main():
    n, T, U, g, shared = task.read(sys.argv[1])
    k = len(g)
    q, v, a, lam, t = ca.SX.sym("q", n), ca.SX.sym("v", n), ca.SX.sym("a", n), ca.SX.sym("lam", k), ca.SX.sym("t")
    names = {"%s%d" % (s, i): x[i] for s, x in (("q", q), ("v", v)) for i in range(n)}
    names.update(t=t, sin=ca.sin, cos=ca.cos, sqrt=ca.sqrt)
    for name, text in shared:
        names[name] = eval(text, names)
    T, U = ca.SX(eval(T, names)), ca.SX(eval(U, names))
    g = ca.SX(ca.vertcat(*[eval(x, names) for x in g])) if g else ca.SX(0, 1)
    start = time.process_time()
    p = ca.jacobian(T, v).T
    M = ca.tril(ca.jacobian(p, v))
    f = ca.jacobian(T - U, q).T - ca.jtimes(p, q, v) - ca.jacobian(p, t)
    G = ca.jacobian(g, q)
    gv = ca.jtimes(g, q, v) + ca.jacobian(g, t)
    gamma = ca.jtimes(gv, q, v) + ca.jacobian(gv, t)
    r = ca.mtimes(ca.tril2symm(M), a) - f + ca.mtimes(G.T, lam)
    M, G = ca.sparsify(M), ca.sparsify(G)
    rq, rv = ca.sparsify(ca.jacobian(r, q)), ca.sparsify(ca.jacobian(r, v))

    def entries(A):
        row, col = A.sparsity().get_triplet()
        return list(zip(row, col))

    def values(*parts):
        return ca.vertcat(*[ca.SX(x.nz[:]) if x.nnz() != x.numel() else ca.vec(x) for x in parts])

    E = values(M, ca.densify(f), ca.densify(g), G, ca.densify(gamma))
    J = values(rq, rv)
    if hasattr(ca, "cse"):
        E, J = ca.cse(E), ca.cse(J)
    places = [[j * n + i for i, j in entries(M)], [c * k + r_ for r_, c in entries(G)]]
    f0, g0, G0 = n * n, n * n + n, n * n + n + k
    place_e = (places[0] + [f0 + i for i in range(n)] + [g0 + i for i in range(k)] + [G0 + x for x in places[1]] +
               [G0 + k * n + i for i in range(k)])
    place_j = [j * n + i for i, j in entries(rq)] + [n * n + j * n + i for i, j in entries(rv)]
    ge = ca.Function("casadi_e", [t, q, v], [E])
    gj = ca.Function("casadi_j", [t, q, v, a, lam], [J])
    os.chdir(os.path.dirname(os.path.abspath(sys.argv[2])))
    code = ca.CodeGenerator("casadi_peer.c")
    code.add(ge)
    code.add(gj)
    text = code.dump()
    text += task.table("peer_e", place_e) + task.table("peer_j", place_j)
    for signature, name, args, fn in ((task.SIGNATURE_E, "casadi_e", "t_, q, v", ge),
                                      (task.SIGNATURE_J, "casadi_j", "t_, q, v, a, lambda", gj)):
        text += "%s;\n%s\n{\n    static double w[%d];\n    static long long iw[%d];\n" % (signature, signature, fn.sz_w() + 1, fn.sz_iw() + 1)
        text += "    const double *arg[%d] = {%s};\n    double *res[%d] = {out};\n" % (fn.sz_arg() + 1, args, fn.sz_res() + 1)
        text += "    %s(arg, res, iw, w, 0);\n}\n" % name
    open(os.path.basename(sys.argv[2]), "w").write(text)
    print("%.0f CasADi %s" % (1e3 * (time.process_time() - start), ca.__version__))


main()
