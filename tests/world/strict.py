# SPDX-License-Identifier: GPL-3.0-or-later
"""What FMPy's validation does not look at: whether the dependencies of modelDescription.xml are all there are, and DAE mode (FMI-LS-DAE)."""
import xml.etree.ElementTree as ElementTree

import numpy as np
from fmpy import extract, instantiate_fmu

CHANGED = 1e-9          # of the size of the values: what solving for accelerations rounds


class Instance:
    """An FMU for Model Exchange in either version."""

    def __init__(self, unzipped, description, version, dae=None, start={}):
        self.version, self.description = version, description
        self.f = instantiate_fmu(unzipped, description, "ModelExchange")
        self.get = self.f.getReal if version == "2" else self.f.getFloat64
        self.put = self.f.setReal if version == "2" else self.f.setFloat64
        if dae is not None:
            self.f.enterConfigurationMode()
            self.f.setBoolean([dae], [True])
            self.f.exitConfigurationMode()
        if start:
            self.put(list(start), list(start.values()))
        if version == "2":
            self.f.setupExperiment(startTime=0.0)
            self.f.enterInitializationMode()
        else:
            self.f.enterInitializationMode(startTime=0.0)

    def go(self):
        self.f.exitInitializationMode()
        self.f.enterContinuousTimeMode()
        return self

    def end(self):
        self.f.terminate()
        self.f.freeInstance()


def _references(variables):
    return [v.valueReference for v in variables]


def _missing(rows, known, changed, touched):
    """Dependencies that were seen and not declared: (unknown, known); how many were declared, and for how many of those the value moved at all."""
    missing, declared, seen = [], 0, 0
    for i, row in enumerate(rows):
        names = None if row.dependencies is None else {v.name for v in row.dependencies}
        for k, v in enumerate(known):
            if names is not None and v.name not in names and changed[i, k]:
                missing.append("%s by %s" % (row.variable.name, v.name))
            if names is not None and v.name in names:
                declared += 1
                seen += bool(touched[i, k])
    return missing, declared, seen


def _change(before, after):
    with np.errstate(invalid="ignore"):
        return np.abs(after - before) > CHANGED * (1 + np.max(np.abs(before[np.isfinite(before)]), initial=0))


def in_motion(unzipped, description, version):
    """Rates and outputs by states, inputs and time, at states near the start."""
    x = Instance(unzipped, description, version).go()
    rows = description.derivatives + description.outputs
    states = [v.derivative for v in description.modelVariables if v.derivative is not None]
    inputs = [v for v in description.modelVariables if v.causality == "input"]
    time = [v for v in description.modelVariables if v.causality == "independent"]
    known, unknown, moving = states + inputs, _references(r.variable for r in rows), _references(states + inputs)
    random = np.random.default_rng(2)
    changed, touched = np.zeros((2, len(rows), len(known) + 1), bool)
    start = np.array(x.get(moving))
    for _ in range(2):
        at = start + 0.01 * (1 + np.abs(start)) * random.standard_normal(len(known))
        x.f.setTime(0.1)
        x.put(moving, list(at))
        before = np.array(x.get(unknown))
        for k in range(len(known)):
            x.put([moving[k]], [at[k] + 1e-3 * (1 + abs(at[k]))])
            after = np.array(x.get(unknown))
            changed[:, k] |= _change(before, after)
            touched[:, k] |= after != before
            x.put([moving[k]], [at[k]])
        x.f.setTime(0.1234)
        after = np.array(x.get(unknown))
        changed[:, -1] |= _change(before, after)
        touched[:, -1] |= after != before
    x.end()
    return _missing(rows, known + time, changed, touched)


def at_start(unzipped, description, version):
    """Initial unknowns by parameters and inputs."""
    rows = [r for r in description.initialUnknowns]
    known = [v for v in description.modelVariables if v.causality in ("parameter", "input") and v.start is not None]
    unknown = _references(r.variable for r in rows)
    x = Instance(unzipped, description, version)
    before = np.array(x.get(unknown))
    x.f.freeInstance()
    changed, touched = np.zeros((2, len(rows), len(known)), bool)
    for k, v in enumerate(known):
        value = float(v.start)
        x = Instance(unzipped, description, version, start={v.valueReference: value * 1.001 + (0.001 if value == 0 else 0)})
        try:
            after = np.array(x.get(unknown))
            changed[:, k] = _change(before, after)
            touched[:, k] = after != before
        except Exception:               # a start that cannot be assembled so
            pass
        x.f.freeInstance()
    return _missing(rows, known, changed, touched)


def dae(unzipped, description):
    """In DAE mode: residuals vanish at the solution of ODE mode; solving them gives it; derivatives are those of differences, the adjoint the transpose.
    Gives the largest errors, relative to the values."""
    tree = ElementTree.parse(str(unzipped) + "/extra/org.fmi-standard.fmi-ls-dae/fmi-ls-manifest.xml").getroot()
    number = lambda e: int(e.get("valueReference"))
    switch = number(tree.find("EnableDAEParameter"))
    algebraic = [number(e) for e in tree.find("AlgebraicVariables")]
    residual = [number(e) for e in tree.find("ModelStructure").findall("Residual")]
    levels = [number(e) for e in tree.iter("Formulation")]
    states = [v.derivative.valueReference for v in description.modelVariables if v.derivative is not None]
    inputs = [v.valueReference for v in description.modelVariables if v.causality == "input"]
    rates = [v.valueReference for v in description.modelVariables if v.derivative is not None]
    outputs = [v.valueReference for v in description.modelVariables if v.causality == "output"]
    ode, x = Instance(unzipped, description, "3").go(), Instance(unzipped, description, "3", dae=switch).go()
    solution = np.array(ode.get(algebraic))
    scale = 1 + np.max(np.abs(solution), initial=0)
    same = np.max(np.abs(np.array(x.get(rates)) - np.array(ode.get(rates))), initial=0) / scale
    # from zero by Newton's method, whose one step is exact, since the equations are linear
    x.put(algebraic, [0.0] * len(algebraic))
    r0 = np.array(x.get(residual))
    K = np.array([x.f.getDirectionalDerivative(residual, [a], [1.0]) for a in algebraic]).T if algebraic else np.zeros((0, 0))
    step = np.linalg.lstsq(K, -r0, rcond=None)[0]
    singular = len(K) and np.linalg.cond(K) > 1e12
    x.put(algebraic, list(step))
    vanish = np.max(np.abs(np.array(x.get(residual))), initial=0) / (1 + np.max(np.abs(r0), initial=0))
    solved = 0 if singular else np.max(np.abs(np.array(x.get(rates)) - np.array(ode.get(rates))), initial=0) / scale
    random = np.random.default_rng(3)
    known, unknown = states + inputs + algebraic, residual + levels + rates + outputs
    at = np.array(x.get(known))
    seed, weight = random.standard_normal(len(known)), random.standard_normal(len(unknown))
    at = at + 0.01 * (1 + np.abs(at)) * random.standard_normal(len(known))
    seed *= 1 + np.abs(at)
    x.put(known, list(at))
    forward = np.array(x.f.getDirectionalDerivative(unknown, known, list(seed)))

    def difference(h):
        x.put(known, list(at + h * seed))
        plus = np.array(x.get(unknown))
        x.put(known, list(at - h * seed))
        return (plus - np.array(x.get(unknown))) / (2 * h)
    central = (4 * difference(2e-5) - difference(4e-5)) / 3
    x.put(known, list(at))
    size = 1 + np.max(np.abs(central), initial=0) + np.max(np.abs(x.get(unknown)), initial=0)
    derivative = np.max(np.abs(forward - central), initial=0) / size
    backward = np.array(x.f.getAdjointDerivative(unknown, known, list(weight), nSensitivity=len(known)))
    a, b = float(np.dot(backward, seed)), float(np.dot(weight, forward))
    adjoint = abs(a - b) / (abs(a) + abs(b) + np.linalg.norm(weight) * np.linalg.norm(forward))
    ode.end()
    x.end()
    return {"same": same, "vanish": vanish, "solved": solved, "derivative": derivative, "adjoint": adjoint}
