# SPDX-License-Identifier: GPL-3.0-or-later
"""The task in SymPy: derive, eliminate common subexpressions, print C.  peer_sympy.py TASK OUT.c [simplify]"""
import sys
import time
import sympy as sp
from sympy.printing.c import C99CodePrinter
import task


class Printer(C99CodePrinter):
    def _print_Pow(self, e):        # small whole powers by multiplication, as anyone would ask for
        if e.exp.is_Integer and 1 < abs(int(e.exp)) <= 4:
            x = "*".join(["(%s)" % self._print(e.base)] * abs(int(e.exp)))
            return "(%s)" % x if e.exp > 0 else "(1.0/(%s))" % x
        return super()._print_Pow(e)


def main():
    n, T, U, g, shared = task.read(sys.argv[1])
    q, v, a = [sp.symbols("%s0:%d" % (x, n)) for x in "qva"]
    lam, t = sp.symbols("lam0:%d" % len(g)), sp.Symbol("t")
    names = {s.name: s for s in list(q) + list(v) + [t]}
    for name, text in shared:
        names[name] = sp.sympify(text, names)
    T, U, g = sp.sympify(T, names), sp.sympify(U, names), [sp.sympify(x, names) for x in g]
    start = time.process_time()
    k = len(g)
    p = [sp.diff(T, x) for x in v]
    M = sp.Matrix(n, n, lambda i, j: sp.diff(p[i], v[j]) if i >= j else 0)
    f = [sp.diff(T - U, q[i]) - sum(sp.diff(p[i], q[j]) * v[j] for j in range(n)) - sp.diff(p[i], t) for i in range(n)]
    G = sp.Matrix(k, n, lambda i, j: sp.diff(g[i], q[j]))
    gv = [sum(G[i, j] * v[j] for j in range(n)) + sp.diff(g[i], t) for i in range(k)]
    gamma = [sum(sp.diff(gv[i], q[j]) * v[j] for j in range(n)) + sp.diff(gv[i], t) for i in range(k)]
    if "simplify" in sys.argv[3:]:
        M, f, G, gamma = M.applyfunc(sp.simplify), [sp.simplify(x) for x in f], G.applyfunc(sp.simplify), [sp.simplify(x) for x in gamma]
    lower = [(i, j) for j in range(n) for i in range(j, n) if M[i, j] != 0]
    entries = [(i, j) for j in range(n) for i in range(k) if G[i, j] != 0]
    E = [M[i, j] for i, j in lower] + f + g + [G[i, j] for i, j in entries] + gamma
    full = sp.Matrix(n, n, lambda i, j: M[max(i, j), min(i, j)])
    r = [sum(full[i, j] * a[j] for j in range(n)) - f[i] + sum(G[c, i] * lam[c] for c in range(k)) for i in range(n)]
    J = [(b * n * n + j * n + i, sp.diff(r[i], x[j])) for b, x in enumerate((q, v)) for j in range(n) for i in range(n)]
    J = [x for x in J if x[1] != 0]
    text = ["#include <math.h>\n", task.table("peer_e", task.places_e(n, k, lower, entries)),
            task.table("peer_j", [x[0] for x in J])]
    printer = Printer()
    for signature, values in ((task.SIGNATURE_E, E), (task.SIGNATURE_J, [x[1] for x in J])):
        common, reduced = sp.cse(values)
        used = set().union(*[x.free_symbols for x in reduced], *[x.free_symbols for _, x in common]) if values else set()
        text.append(signature + ";\n" + signature + "\n{\n")
        for names_, array in ((q, "q"), (v, "v"), (a, "a"), (lam, "lambda")):
            text += ["    const double %s = %s[%d];\n" % (s, array, i) for i, s in enumerate(names_) if s in used]
        text.append("    const double t = *t_;\n    (void)t, (void)q, (void)v;\n")
        text += ["    const double %s = %s;\n" % (s, printer.doprint(x)) for s, x in common]
        text += ["    out[%d] = %s;\n" % (i, printer.doprint(x)) for i, x in enumerate(reduced)]
        text.append("}\n")
    open(sys.argv[2], "w").write("".join(text))
    print("%.0f SymPy %s" % (1e3 * (time.process_time() - start), sp.__version__))


main()
