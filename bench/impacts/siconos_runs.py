#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ball and the woodpecker by Siconos (Moreau-Jean time stepping), for `mbs bench impacts`.

One line a run: PROBLEM METHOD STEP CPU END-STATE...  CPU is that of the time loop alone, in seconds."""
import sys
import time

import numpy
import siconos.kernel as sk


def march(model, h, q, v):
    """Runs to the end; processor time and end state."""
    sim = model
    began = time.process_time()
    while sim.hasNextEvent():
        sim.computeOneStep()
        sim.nextStep()
    return time.process_time() - began, list(q()) + list(v())


def ball(h, end=3.0):
    m, g, e, height = 1.0, 9.81, 0.9, 0.9
    ds = sk.LagrangianLinearTIDS([height], [0.0], numpy.array([[m]]))
    ds.setFExtPtr(numpy.array([-m * g]))
    inter = sk.Interaction(sk.NewtonImpactNSL(e), sk.LagrangianLinearTIR(numpy.array([[1.0]])))
    nsds = sk.NonSmoothDynamicalSystem(0.0, end)
    nsds.insertDynamicalSystem(ds)
    nsds.link(inter, ds)
    sim = sk.TimeStepping(nsds, sk.TimeDiscretisation(0.0, h), sk.MoreauJeanOSI(0.5), sk.LCP())
    return march(sim, h, ds.q, ds.velocity)


def woodpecker(h, end=0.3):
    rO, rM, hM, lM, lG, hS, lS = .0025, .0031, .0058, .010, .015, .02, .0201
    mM, mS, JM, JS, c, g, mu = .0003, .0045, 5e-9, 7e-7, .0056, 9.81, .3
    M = numpy.array([[mS + mM, mS * lM, mS * lG], [mS * lM, JM + mS * lM**2, mS * lM * lG], [mS * lG, mS * lM * lG, JS + mS * lG**2]])
    K = c * numpy.array([[0., 0, 0], [0, 1, -1], [0, -1, 1]])
    ds = sk.LagrangianLinearTIDS([0., -(rM - rO) / hM, -.2788], [-.3411, 0., -7.4583], M, K, numpy.zeros((3, 3)))
    ds.setFExtPtr(numpy.array([-(mS + mM) * g, -mS * lM * g, -mS * lG * g]))
    nsds = sk.NonSmoothDynamicalSystem(0.0, end)
    nsds.insertDynamicalSystem(ds)
    rows = (([[0, 0, -hS], [1, lM, lG - lS]], [lM + lG - lS - rO, 0], .5),
            ([[0, hM, 0], [1, rM, 0]], [rM - rO, 0], 0.),
            ([[0, -hM, 0], [1, rM, 0]], [rM - rO, 0], 0.))
    keep = []
    for H, b, e in rows:
        keep.append(sk.Interaction(sk.NewtonImpactFrictionNSL(e, 0., mu, 2), sk.LagrangianLinearTIR(numpy.array(H, dtype=float), numpy.array(b, dtype=float))))
        nsds.link(keep[-1], ds)
    sim = sk.TimeStepping(nsds, sk.TimeDiscretisation(0.0, h), sk.MoreauJeanOSI(0.5), sk.FrictionContact(2))
    return march(sim, h, ds.q, ds.velocity)


for problem, steps in ((ball, (1e-3, 1e-4, 1e-5)), (woodpecker, (1e-4, 2e-5, 4e-6))):
    for h in steps[:int(sys.argv[1]) if len(sys.argv) > 1 else None]:
        cpu, end = problem(h)
        print(problem.__name__, "Moreau-Jean", h, "%.6g" % cpu, " ".join("%.15g" % x for x in end), flush=True)
