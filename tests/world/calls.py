# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls of an importer that FMPy's simulation does not make: python calls.py MBS.  Prints TAP lines without a plan.

A ball that bounces, slides and comes to rest on a floor, a sample, an input, and an event that ends the motion, in Co-Simulation: steps that are refused, a reset, the
state brought back at every communication point and given to another instance, rates of inputs, the end."""
import csv
import os
import subprocess
import sys

import numpy as np
from fmpy import extract, instantiate_fmu, read_model_description, simulate_fmu

mbs = sys.argv[1]
MODEL = """model calls
param e = 0.5
input wind = 1
coord x, y
discrete n = 0
kinetic (x'^2 + y'^2)/2
potential 9.81*y
force x = wind
constraint floor: y >= 0, restitution = e, friction = 0.3, along = x'
every 0.07 { n = n + 1 }
when far: x > 3 { stop "far" }
init x = 0, y = 0.3, x' = 3
output height = y, samples = n
simulate { to = 2, rtol = 1e-9 }
"""
END, N = 0.9, 10


def report(good, what, why=""):
    print(("ok - " if good else "not ok - ") + what + ("" if good or not why else "\n# " + str(why)), flush=True)


class Instance:
    """One for Co-Simulation, in either version."""

    def __init__(self, unzipped, description, version, start=True):
        self.version = version
        self.f = instantiate_fmu(unzipped, description, "CoSimulation")
        self.get = self.f.getReal if version == "2" else self.f.getFloat64
        self.put = self.f.setReal if version == "2" else self.f.setFloat64
        if start:
            self.start()

    def start(self):
        if self.version == "2":
            self.f.setupExperiment(startTime=0.0)
            self.f.enterInitializationMode()
        else:
            self.f.enterInitializationMode(startTime=0.0)
        self.f.exitInitializationMode()

    def step(self, t, h):
        return self.f.doStep(currentCommunicationPoint=t, communicationStepSize=h)

    def state(self):
        return self.f.getFMUstate() if self.version == "2" else self.f.getFMUState()

    def bytes_of(self, state):
        return self.f.serializeFMUstate(state) if self.version == "2" else self.f.serializeFMUState(state)

    def bring_back(self, state):
        (self.f.setFMUstate if self.version == "2" else self.f.setFMUState)(state)

    def bring_bytes(self, text):
        self.bring_back(self.f.deSerializeFMUstate(text) if self.version == "2" else self.f.deserializeFMUState(text))

    def refuses(self, call):
        try:
            call()
            return False
        except Exception:
            return True


def by_run(*options):
    run = subprocess.run([mbs, "run", "calls.mbs", "--to", "%.17g" % END, "--every", "%.17g" % (END / N), "-q", "-o", "-", *options], capture_output=True, text=True, check=True)
    rows = list(csv.DictReader(run.stdout.splitlines()))
    return np.array([[float(r[c]) for c in ("x", "y", "x'", "y'")] for r in rows])


def judge(version):
    fmu = "calls-%s.fmu" % version
    made = subprocess.run([mbs, "fmu", "calls.mbs", "--fmi", version, "-q", "-o", fmu], capture_output=True, text=True)
    report(made.returncode == 0, "calls, FMI %s" % version, made.stderr)
    description, unzipped = read_model_description(fmu), extract(fmu)
    number = {v.name: v.valueReference for v in description.modelVariables}
    states, wind, h = [number[n] for n in ("x", "y", "x'", "y'")], [number["wind"]], END / N
    new = lambda **more: Instance(unzipped, description, version, **more)

    def motion(x):
        rows = [x.get(states)]
        for k in range(N):
            x.step(k * h, h)
            rows.append(x.get(states))
        return np.array(rows)
    first = new()
    want = motion(first)
    # the same method at the same tolerance; steps end at communication points and impacts make more of what that changes
    report(np.max(np.abs(want - by_run())) < 1e-6, "... agrees with mbs run", np.max(np.abs(want - by_run())))
    x = new(start=False)
    report(x.refuses(lambda: x.step(0, h)), "... a step before the initialisation is refused")
    x = new()
    report(x.refuses(lambda: x.step(0.5, h)) and x.refuses(lambda: x.step(0, -h)), "... a step from elsewhere, or back, is refused")
    report(x.refuses(lambda: x.put([states[0]], [float("nan")])) and x.refuses(lambda: x.get([9999])), "... a state that is no number, a variable that is none")
    x.step(0, 0)
    report(x.get(states) == list(want[0]), "... a step of no length changes nothing")
    x.put(wind, [5.0])
    x.step(0, h)
    x.f.terminate()
    x.f.reset()
    x.start()
    report(np.array_equal(motion(x), want), "... a reset brings inputs back, too")
    worst = 0
    x = new()
    for k in range(N):
        kept = x.state()
        text = x.bytes_of(kept)
        x.step(k * h, h)
        here = x.get(states)
        x.bring_back(kept)
        x.step(k * h, h)
        other = new()
        other.bring_bytes(text)
        other.step(k * h, h)
        worst = max(worst, np.max(np.abs(np.array(here) - x.get(states))), np.max(np.abs(np.array(here) - other.get(states))))
    # at 1e-9 a method that starts anew takes other steps
    report(worst < 1e-7, "... its state is brought back, here and in another instance", worst)
    if version == "2":
        import ctypes
        with open("ramp.csv", "w") as f:
            f.write("t,wind\n0,0\n1,2\n")
        x = new()
        for k in range(N):
            x.put(wind, [2 * k * h])
            x.f.fmi2SetRealInputDerivatives(x.f.component, (ctypes.c_uint * 1)(*wind), 1, (ctypes.c_int * 1)(1), (ctypes.c_double * 1)(2.0))
            x.step(k * h, h)
        ramp = by_run("--input", "wind=ramp.csv")
        report(np.max(np.abs(ramp[-1] - x.get(states))) < 1e-6, "... rates of inputs")
    blown = simulate_fmu(fmu, fmi_type="CoSimulation", stop_time=2, output_interval=h, start_values={"wind": 20.0}, output=["x"])
    report(blown["time"][-1] < 1 and blown["x"][-1] > 2.9, "... FMPy's simulation ends where an event says so")
    x, t = new(), 0.0
    x.put(wind, [20.0])
    told = False
    while t < 2 and not told:
        try:
            said = x.step(t, h)
            told = version == "3" and said[1]
            last = said[3] if told else None
        except Exception:
            from fmpy.fmi2 import fmi2LastSuccessfulTime, fmi2Terminated
            told = bool(x.f.getBooleanStatus(fmi2Terminated))
            last = x.f.getRealStatus(fmi2LastSuccessfulTime)
        t += h
    report(told and t - h < last < t and abs(x.get(states)[0] - 3) < 1e-8 and x.refuses(lambda: x.step(last, h)), "... an event ends the simulation, and no step follows")


with open("calls.mbs", "w") as f:
    f.write(MODEL)
for version in "23":
    judge(version)
