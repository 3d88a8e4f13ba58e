# SPDX-License-Identifier: GPL-3.0-or-later
"""CasADi loads the squeezer's FMU and evaluates it with its derivatives: python casadi_fmu.py FMU BETA"""
import sys

import casadi as ca
import numpy as np
from fmpy import extract

fmu = str(extract(sys.argv[1]))
dae = ca.DaeBuilder("squeezer", fmu)
f = dae.create("f", ["x", "u", "p"], ["ode"])
x0 = np.array([dae.start(n) for n in dae.x()], dtype=float).flatten()
ode = np.array(f(x0, [], [dae.start(n) for n in dae.p()] if dae.p() else [])).flatten()
print("%sok - CasADi loads the squeezer's FMU and evaluates %d rates" % ("" if len(ode) == 14 and np.all(np.isfinite(ode)) else "not ", len(ode)))
h = 1e-4
p = [dae.start(n) for n in dae.p()] if dae.p() else []
x, t = x0.copy(), 0.0
for _ in range(30):        # classical Runge-Kutta: enough for 3 ms of the mechanism
    k1 = np.array(f(x, [], p)).flatten()
    k2 = np.array(f(x + h / 2 * k1, [], p)).flatten()
    k3 = np.array(f(x + h / 2 * k2, [], p)).flatten()
    k4 = np.array(f(x + h * k3, [], p)).flatten()
    x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
names = dae.x()
print("# beta = %.12g" % x[names.index("beta")])
want = float(sys.argv[2])
print("%sok - ... and integrates it: beta(3 ms) off by %.1e" % ("" if abs(x[names.index("beta")] - want) < 1e-6 else "not ", abs(x[names.index("beta")] - want)))
