# SPDX-License-Identifier: GPL-3.0-or-later
"""FMUs of models, judged by FMPy: python fmu.py MBS MODEL...   Prints TAP lines without a plan.

A motion that was integrated by somebody else, at tolerances of 1e-9, is held against that of `mbs run` at 1e-12: 1e-5 of the size of a column
(tolerances are on the local error, and errors grow along the motion), or, where the motion makes more of them (stiff springs: the velocities of
squeezer_stiff are off by 1e-3 at 1e-9), three times what `mbs run` is off at 1e-9 itself.  What is worse than that (CVODE, which the projection
restarts; impacts, whose errors grow with each, and other steps between communication points) must come as close at 1e-11: the FMU is right
if it converges to the same motion."""
import csv
import functools
import glob
import os
import subprocess
import sys

import numpy as np
from fmpy import extract, read_model_description, simulate_fmu
from fmpy.validation import validate_fmu

import strict

AGREES = 1e-5
mbs, models = sys.argv[1], sys.argv[2:]


def report(good, what, why=""):
    print(("ok - " if good else "not ok - ") + what + ("" if good or not why else "\n# " + str(why).replace("\n", "\n# ")), flush=True)


@functools.lru_cache(maxsize=None)
def reference(path, to, options):
    """Columns of `mbs run` by name; None where it does not run so far."""
    run = subprocess.run([mbs, "run", path, *options, "--to", "%.17g" % to, "--every", "%.17g" % (to / 10), "-q", "-o", "-"],
                         capture_output=True, text=True)
    rows = list(csv.reader(run.stdout.splitlines()))
    if run.returncode:
        return None
    return {name.split(" [")[0]: np.array([float(r[i]) for r in rows[1:]]) for i, name in enumerate(rows[0])}


def differences(result, columns):
    worst = 0, ""
    for name, want in columns.items():
        if name != "t":
            got = np.interp(columns["t"], result["time"], result[name])
            worst = max(worst, (np.max(np.abs(got - want)) / (1 + np.max(np.abs(want))), name))
    return worst


def is_redundant(path):
    import json
    said = subprocess.run([mbs, "info", path, "--json"], capture_output=True, text=True).stdout
    return any(row["redundant"] for row in json.loads(said).get("constraints", []))


def derivatives(fmu, description, version, redundant):
    """Directional derivatives of rates and outputs against central differences, adjoint ones against directional ones.  Redundant constraints
    contradict each other where a state does not satisfy them, and then there is nothing to be differentiated: of such models along their motion."""
    from fmpy import instantiate_fmu
    unzipped = extract(fmu)
    instance = instantiate_fmu(unzipped, description, "ModelExchange")
    if version == "2":
        instance.setupExperiment(startTime=0.0)
        instance.enterInitializationMode()
    else:
        instance.enterInitializationMode(startTime=0.0)
    instance.exitInitializationMode()
    get, put = (instance.getReal, instance.setReal) if version == "2" else (instance.getFloat64, instance.setFloat64)
    rates = [v.valueReference for v in description.modelVariables if v.derivative is not None]
    outputs = [v.valueReference for v in description.modelVariables if v.causality == "output"]
    states = [v.derivative.valueReference for v in description.modelVariables if v.derivative is not None]
    inputs = [v.valueReference for v in description.modelVariables if v.causality == "input"]
    if version == "2":
        instance.enterContinuousTimeMode()
    else:
        instance.enterContinuousTimeMode()
    random = np.random.default_rng(1)
    known, unknown = states + inputs, rates + outputs
    x0 = np.array(get(known)) * (1 + (0 if redundant else 0.01) * random.standard_normal(len(known)))
    seed = np.concatenate([get(rates), np.zeros(len(inputs))]) if redundant else random.standard_normal(len(known))
    put(known, list(x0))
    forward = np.array(instance.getDirectionalDerivative(unknown, known, list(seed)))
    estimates = []
    for h in (1e-5, 5e-6):
        put(known, list(x0 + h * seed))
        plus = np.array(get(unknown))
        put(known, list(x0 - h * seed))
        minus = np.array(get(unknown))
        estimates.append((plus - minus) / (2 * h))
    put(known, list(x0))
    central = (4 * estimates[1] - estimates[0]) / 3
    # rounding of a difference: values of size s lose s*eps/h; fourth-order in h else
    size = np.abs(plus) + np.abs(central)
    error = np.max(np.abs(forward - central) / (1 + np.max(size)))
    report(error < 1e-6, "%s FMI %s: directional derivatives, %.1e" % (description.modelName, version, error))
    if version == "3":
        weight = random.standard_normal(len(unknown))
        backward = np.array(instance.getAdjointDerivative(unknown, known, list(weight), nSensitivity=len(known)))
        a, b = float(np.dot(backward, seed)), float(np.dot(weight, forward))
        report(abs(a - b) <= 1e-9 * (abs(a) + abs(b) + np.linalg.norm(weight) * np.linalg.norm(forward)),
               "%s: adjoint derivatives are the transpose" % description.modelName, (a, b))
    # state: kept, changed, brought back
    state = instance.getFMUState() if version == "3" else instance.getFMUstate()
    before = get(unknown)
    put(known, list(x0 + 0.1))
    changed = get(unknown)
    if version == "3":
        instance.setFMUState(state)
    else:
        instance.setFMUstate(state)
    report(get(unknown) == before and (changed != before or not unknown), "%s FMI %s: the state is brought back" % (description.modelName, version))
    instance.terminate()
    instance.freeInstance()


def judge_strictly(fmu, description, version, redundant):
    unzipped, name = extract(fmu), description.modelName
    for what, missing, declared, seen in (("rates and outputs", *strict.in_motion(unzipped, description, version)), ("the start", *strict.at_start(unzipped, description, version))):
        report(not missing or (redundant and what == "rates and outputs"), "%s FMI %s: dependencies of %s, %d of %d declared seen" % (name, version, what, seen, declared), missing[:20])
    if version == "3":
        errors = strict.dae(unzipped, description)
        # solving and rounding; differences: h^4 and eps/h
        good = errors["same"] < 1e-9 and errors["vanish"] < 1e-9 and (redundant or errors["solved"] < 1e-8) and errors["derivative"] < 1e-6 and errors["adjoint"] < 1e-9
        report(good, "%s: DAE mode: %s" % (name, ", ".join("%s %.0e" % e for e in errors.items())))


def judge(path, version):
    name = os.path.basename(path)[:-4]
    fmu = "%s-%s.fmu" % (name, version)
    made = subprocess.run([mbs, "fmu", path, "--fmi", version, "-o", fmu, "-q"], capture_output=True, text=True)
    report(made.returncode == 0, "%s FMI %s is written" % (name, version), made.stderr)
    if made.returncode:
        return
    size = os.path.getsize(fmu)
    report(size < 300000, "%s FMI %s: %d kB" % (name, version, size // 1000))
    faults = validate_fmu(fmu)
    report(not faults, "%s FMI %s: FMPy finds no fault" % (name, version), faults)
    unzipped, binary = extract(fmu), "binaries/%s" % ("linux64" if version == "2" else "x86_64-linux")
    for library in glob.glob(os.path.join(unzipped, binary, "*.so")):
        listed = subprocess.run(["ldd", library], capture_output=True, text=True).stdout
        others = [line.split()[0] for line in listed.splitlines() if "=>" in line and not line.split()[0].startswith(("libc.so", "libm.so"))]
        report("libm.so" in listed and not others, "%s FMI %s: libc and libm only" % (name, version), listed)
    description = read_model_description(fmu)
    start = float(description.defaultExperiment.startTime or 0)
    # no round number: where samples fall on communication points, a discrete state is what it was before or what it is behind them; a fixed step is not cut
    to = (1 if description.defaultExperiment.tolerance is None else 0.987654) * min(float(description.defaultExperiment.stopTime or 1), 1.0)
    fixed = description.defaultExperiment.tolerance is None     # a fixed step, which Co-Simulation takes as well
    other = ("--solver", "auto") if fixed else ()               # which follows a tolerance
    tight = other + ("--rtol", "1e-9", "--atol", "1e-9")
    if start != 0:
        report(True, "%s FMI %s # SKIP starts at another time" % (name, version))
        return
    kinds = (["ModelExchange"] if description.modelExchange else []) + ["CoSimulation"]
    for kind in kinds:
        # FMPy's CVODE takes 500 steps between two outputs at most: what vibrates fast is compared over a shorter time
        for part in (1, 1e-2, 1e-4):
            same = fixed and kind == "CoSimulation"
            columns = reference(path, to * part, () if same else other + ("--rtol", "1e-12", "--atol", "1e-12"))
            at_tolerance = None if same else reference(path, to * part, tight)
            if columns is None:
                columns, at_tolerance = at_tolerance, None
            if columns is None:
                report(True, "%s FMI %s %s # SKIP mbs run itself does not run so" % (name, version, kind))
                break
            try:
                def run(tolerance):
                    result = simulate_fmu(fmu, fmi_type=kind, start_time=0, stop_time=to * part, output_interval=to * part / 50,
                                          relative_tolerance=tolerance, solver="CVode", output=[c for c in columns if c != "t"])
                    return differences(result, columns)
                error, column = run(1e-9)
                ours = differences({"time" if n == "t" else n: c for n, c in at_tolerance.items()}, columns)[0] if at_tolerance else 0
                if not same and error >= max(AGREES, 3 * ours):
                    print("# %s: at 1e-9 off by %.1e; at 1e-11:" % (name, error))
                    error, column = run(1e-11)
                report(error < max(AGREES, 3 * ours), "%s FMI %s %s: %.1e (%s) up to %g s, mbs run %.1e" % (name, version, kind, error, column, to * part, ours))
                break
            except Exception as e:
                if "mxstep" not in str(e) or part == 1e-4:
                    report(False, "%s FMI %s %s" % (name, version, kind), e)
                    break
    if description.modelExchange:
        redundant = is_redundant(path)
        derivatives(fmu, description, version, redundant)
        judge_strictly(fmu, description, version, redundant)


for model in models:
    for version in "23":
        judge(model, version)
