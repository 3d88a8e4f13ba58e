# SPDX-License-Identifier: GPL-3.0-or-later
"""Two masses with a spring between them, as two FMUs that are coupled by the force and the place of the other one, against the whole
as one model: python couple.py MBS.  The coupling is explicit, of first order in the step: halving it halves the error."""
import subprocess
import sys

from fmpy import extract, read_model_description, simulate_fmu
from fmpy.fmi2 import FMU2Slave
from fmpy.validation import validate_fmu

mbs = sys.argv[1]
HALF = """model %s
param m: kg = 1, c: N/m = 40, k: N/m = 30, x0: m = %g
coord x: m
input F: N = 0
kinetic m*x'^2/2
potential c*x^2/2
force x = F
init x = x0
output place: m = x
simulate { to = 1, rtol = 1e-9 }
"""
WHOLE = """model whole
param m: kg = 1, c: N/m = 40, k: N/m = 30
coord x: m, y: m
kinetic m*(x'^2 + y'^2)/2
potential c*(x^2 + y^2)/2 + k*(x - y)^2/2
init x = 0.1, y = -0.05
simulate { to = 1, rtol = 1e-9 }
"""


def write(name, text):
    with open(name + ".mbs", "w") as f:
        f.write(text)


def slave(name):
    subprocess.run([mbs, "fmu", name + ".mbs", "-o", name + ".fmu", "-q"], check=True)
    d = read_model_description(name + ".fmu")
    s = FMU2Slave(guid=d.guid, unzipDirectory=extract(name + ".fmu"), modelIdentifier=d.coSimulation.modelIdentifier, instanceName=name)
    s.reference = {v.name: v.valueReference for v in d.modelVariables}
    return s


write("left", HALF % ("left", 0.1))
write("right", HALF % ("right", -0.05))
write("whole", WHOLE)
out = subprocess.run([mbs, "run", "whole.mbs", "-q", "-o", "-", "--every", "1"], capture_output=True, text=True, check=True).stdout
want = float(out.splitlines()[-1].split(",")[1])


def coupled(steps):
    a, b = slave("left"), slave("right")
    for s in (a, b):
        s.instantiate()
        s.setupExperiment(startTime=0.0)
        s.enterInitializationMode()
        s.exitInitializationMode()
    h = 1.0 / steps
    for i in range(steps):
        x, y = a.getReal([a.reference["place"]])[0], b.getReal([b.reference["place"]])[0]
        a.setReal([a.reference["F"]], [30 * (y - x)])
        b.setReal([b.reference["F"]], [30 * (x - y)])
        a.doStep(i * h, h)
        b.doStep(i * h, h)
    x = a.getReal([a.reference["x"]])[0]
    for s in (a, b):
        s.terminate()
        s.freeInstance()
    return x


e1, e2 = coupled(500) - want, coupled(1000) - want
print("%sok - two coupled FMUs: errors %.1e and %.1e at half the step" % ("" if abs(e2) < 1e-3 and 1.7 < e1 / e2 < 2.3 else "not ", e1, e2))

# ---- a model with events ----
write("ball", """model ball
param g = 10
coord y
kinetic y'^2/2
potential g*y
init y = 1
discrete bounces = 0, samples = 0
when y < 0 { y' = -0.5*y', bounces = bounces + 1 }
every 0.24 { samples = samples + 1 }
output height = y
simulate { to = 1, rtol = 1e-9 }
""")
ball = slave("ball")
ball.instantiate()
ball.setupExperiment(startTime=0.0)
ball.enterInitializationMode()
ball.exitInitializationMode()
for i in range(10):
    ball.doStep(i * 0.1, 0.1)
got = ball.getReal([ball.reference["y"]])[0]
# falls for t1 = sqrt(2/g), comes back with half the speed: y = v s - g s^2/2, s = t - t1, while s < 2 v/g
t1 = (2 / 10) ** 0.5
s1 = 1 - t1
v1 = 0.5 * 10 * t1
s2 = s1 - 2 * v1 / 10                   # after the second bounce, at half of v1
v2 = 0.5 * v1
by_hand = v1 * s1 - 5 * s1**2 if s2 < 0 else v2 * s2 - 5 * s2**2
print("%sok - a bouncing ball in Co-Simulation: %.9g, by hand %.9g" % ("" if abs(got - by_hand) < 1e-7 else "not ", got, by_hand))

# ---- what happens at the start belongs to the start, once, also where an input is given after it ----
write("sampled", """model sampled
coord x
input F = 0
kinetic x'^2/2
force x = F
discrete samples = 0, seen = 0
every 0.5 { samples = samples + 1, seen = F }
simulate { to = 2 }
""")
sampled = slave("sampled")
sampled.instantiate()
sampled.setupExperiment(startTime=0.0)
sampled.enterInitializationMode()
sampled.exitInitializationMode()
values = lambda: sampled.getReal([sampled.reference["samples"], sampled.reference["seen"]])
at_start = values()
sampled.setReal([sampled.reference["F"]], [3.0])
sampled.doStep(0.0, 0.25)
behind = values()
sampled.doStep(0.25, 0.5)
later = values()
print("%sok - ... and samples of the start: %s, %s, %s" % ("" if (at_start, behind, later) == ([1, 0], [1, 0], [2, 3]) else "not ", at_start, behind, later))

# ---- samples at communication points, whose times are sums that round: each belongs to the step that ends there ----
sampled = slave("sampled")
sampled.instantiate()
sampled.setupExperiment(startTime=0.0)
sampled.enterInitializationMode()
sampled.exitInitializationMode()
t, counts = 0.0, []
for i in range(20):
    sampled.doStep(t, 0.1)
    t += 0.1                            # 0.30000000000000004, 0.7999999999999999, ...
    counts.append(values()[0])
print("%sok - ... at communication points: %s" % ("" if counts == [1 + (i + 1) // 5 for i in range(20)] else "not ", counts))

# ---- the same by the importer's integrator: the bounces are found by event indicators, samples by event times ----
by_fmpy = simulate_fmu("ball.fmu", fmi_type="ModelExchange", start_time=0, stop_time=1, relative_tolerance=1e-10, output_interval=0.1, output=["y", "bounces", "samples"])
last = by_fmpy[-1]
print("%sok - ... in Model Exchange: %.9g" % ("" if abs(last["y"] - by_hand) < 1e-6 else "not ", last["y"]))
print("%sok - ... with discrete states: %g bounces, %g samples" % ("" if last["bounces"] == (1 if s2 < 0 else 2) and last["samples"] == 5 else "not ", last["bounces"], last["samples"]))
subprocess.run([mbs, "fmu", "ball.mbs", "--fmi", "3", "-o", "ball3.fmu", "-q"], check=True)
third = simulate_fmu("ball3.fmu", fmi_type="ModelExchange", start_time=0, stop_time=1, relative_tolerance=1e-10, output_interval=0.1, output=["y"])[-1]
print("%sok - ... and by FMI 3.0: %.9g" % ("" if abs(third["y"] - by_hand) < 1e-6 and not validate_fmu("ball3.fmu") and not validate_fmu("ball.fmu") else "not ", third["y"]))
write("floor", """model floor
param g = 10
coord y
kinetic y'^2/2
potential g*y
init y = 1
constraint ground: y >= 0, restitution = 0.5
simulate { to = 1, rtol = 1e-9 }
""")
said = subprocess.run([mbs, "fmu", "floor.mbs"], capture_output=True, text=True).stdout
floor = simulate_fmu("floor.fmu", fmi_type="CoSimulation", start_time=0, stop_time=1, output_interval=0.1, relative_tolerance=1e-9, output=["y"])[-1]["y"]
print("%sok - contacts are for Co-Simulation, which is said: %.9g" % ("" if "no Model Exchange" in said and read_model_description("floor.fmu").modelExchange is None
                                                                      and abs(floor - by_hand) < 1e-7 else "not ", floor))
