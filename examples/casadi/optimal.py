# SPDX-License-Identifier: 0BSD
"""Half a turn of a four-bar linkage from rest to rest in one second, with the least torque squared: CasADi and IPOPT over the residual
of the model, its loop closed by constraints, with exact sparse Jacobians from the generated C.

    mbs export fourbar.mbs --casadi && cc -O2 -fPIC -shared fourbar_casadi.c -o fourbar.so -lm
    python optimal.py ./fourbar.so

Implicit midpoint rule: q' = v, v' = a, r(q, v, a, lambda, u) = 0 and G a + gamma = 0 at the middle of each interval; the start
meets the constraints on positions and velocities. The generated code has first derivatives; IPOPT approximates the Hessian."""
import math
import sys

import casadi as ca

N, T, START = 40, 1.0, 0.5
F = ca.external("fourbar_residual", sys.argv[1])
n, m = F.size1_in("q"), F.size1_in("lambda")
h = T / N
opti = ca.Opti()
q, v = opti.variable(n, N + 1), opti.variable(n, N + 1)
a, lam, u = opti.variable(n, N), opti.variable(m, N), opti.variable(1, N)
for k in range(N):
    middle_q, middle_v = (q[:, k] + q[:, k + 1]) / 2, (v[:, k] + v[:, k + 1]) / 2
    out = F(q=middle_q, v=middle_v, a=a[:, k], **{"lambda": lam[:, k]}, u=u[:, k])
    opti.subject_to(q[:, k + 1] == q[:, k] + h * middle_v)
    opti.subject_to(v[:, k + 1] == v[:, k] + h * a[:, k])
    opti.subject_to(out["r"] == 0)
    opti.subject_to(out["ga"] == 0)
zero = ca.DM.zeros(m)
first = F(q=q[:, 0], v=v[:, 0], a=ca.DM.zeros(n), **{"lambda": zero}, u=0)
opti.subject_to(first["g"] == 0)
opti.subject_to(v[:, 0] == 0)
opti.subject_to(q[0, 0] == START)
opti.subject_to(q[0, N] == START + math.pi)
opti.subject_to(v[0, N] == 0)
opti.minimize(h * ca.sumsqr(u))


def pose(crank):
    """Coupler and rocker by the law of cosines, as a guess."""
    x, y = 0.7 - 0.3 * math.cos(crank), -0.3 * math.sin(crank)
    e = math.hypot(x, y)
    at, inner = math.atan2(y, x), math.acos((0.64 + e * e - 0.36) / (2 * 0.8 * e))
    coupler = at + inner
    rocker = math.atan2(0.3 * math.sin(crank) + 0.8 * math.sin(coupler), 0.3 * math.cos(crank) + 0.8 * math.cos(coupler) - 0.7)
    return [crank, coupler, rocker]


for k in range(N + 1):
    s = k / N
    opti.set_initial(q[:, k], pose(START + math.pi * (3 * s**2 - 2 * s**3)))
opti.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes", "hessian_approximation": "limited-memory", "max_iter": 2000})
solution = opti.solve()
end = F(q=solution.value(q[:, N]), v=solution.value(v[:, N]), a=ca.DM.zeros(n), **{"lambda": zero}, u=0)
print("cost %.9g" % solution.value(h * ca.sumsqr(u)))
print("largest torque %.6g N m" % max(abs(float(x)) for x in solution.value(u)))
print("loop at the end open by %.2e m" % float(ca.norm_inf(end["g"])))
if len(sys.argv) > 2:       # for mbs run fourbar.mbs --input torque=FILE
    with open(sys.argv[2], "w") as f:
        f.write("time,torque\n")
        for k in range(N):
            f.write("%.9g,%.17g\n" % ((k + 0.5) * h, solution.value(u[0, k])))
