# SPDX-License-Identifier: GPL-3.0-or-later
"""python casadi_jacobian.py NAME LIBRARY: Jacobians of the exported residual and outputs against central differences, products with the transpose
against the Jacobian."""
import sys

import casadi as ca
import numpy as np

name, library = sys.argv[1:3]
random = np.random.default_rng(1)


def judge(what):
    F = ca.external(name + "_" + what, library)
    X = [ca.MX.sym(F.name_in(i), F.size1_in(i)) for i in range(6)]
    R, A = ca.vertcat(*F.call(X)), ca.vertcat(*X)
    value, jacobian = ca.Function("value", X, [R]), ca.Function("jacobian", X, [ca.jacobian(R, A)])
    x = [random.standard_normal(F.size1_in(i)) for i in range(6)]
    J = np.array(jacobian(*x))
    C, h, k = np.zeros_like(J), 1e-5, 0
    for i in range(6):
        for n in range(len(x[i])):
            def at(step):
                y = [part.copy() for part in x]
                y[i][n] += step
                return np.array(value(*y)).flatten()
            C[:, k] = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)
            k += 1
    size = np.max(np.abs(J), initial=0) or 1
    error = np.max(np.abs(J - C), initial=0) / size
    # fourth-order differences with h = 1e-5: rounding, eps/h = 2e-11, is what is left
    print("%sok - %s: the Jacobian of the %s, %d entries, %.1e" % ("" if error < 1e-8 else "not ", name, what, jacobian.nnz_out(0), error))
    w = ca.MX.sym("w", R.shape[0])
    reverse = ca.Function("reverse", [*X, w], [ca.jtimes(R, A, w, True)])
    weights = random.standard_normal(R.shape[0])
    error = np.max(np.abs(np.array(reverse(*x, weights)).flatten() - J.T @ weights)) / size
    print("%sok - %s: reverse derivatives of the %s, %.1e" % ("" if error < 1e-13 else "not ", name, what, error))


judge("residual")
if ca.external(name + "_outputs", library).size1_out(0):
    judge("outputs")
