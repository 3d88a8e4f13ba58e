#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How often the truth lies within the 95 % interval of a fit: coverage.py MBS [REPETITIONS]

A double pendulum with three unknown parameters, two columns measured with noise, a tenth of the fields missing.  The interval is the estimate and Student's
quantile times its standard error.  Of N repetitions the number inside is binomial: its deviation from 0.95 N is given in standard deviations, and beyond 3.3,
which chance brings in one of a thousand, the standard errors are wrong."""
import csv, json, math, os, random, subprocess, sys, tempfile

MODEL = """model double
param l1 = 0.5, l2 = 0.4, m1 = 1, m2 = 0.7, d = 0.05, start = 0.8
coord a, b
let P = l1*[sin(a), -cos(a)]
let Q = P + l2*[sin(b), -cos(b)]
kinetic m1*norm2(P')/2 + m2*norm2(Q')/2
potential 9.81*(m1*P[2] + m2*Q[2])
dissipation d*(a'^2 + (b' - a')^2)/2
init a = start, b = -0.2
output tip = Q[1]
simulate { to = 2, every = 0.05, rtol = 1e-8 }
"""
TRUTH = {"l1": 0.5, "m2": 0.7, "d": 0.05}


def student(freedom):
    """The quantile 0.975, expanded about the normal one (Abramowitz and Stegun 26.7.5)."""
    x = 1.959963984540054
    return x + (x**3 + x) / (4 * freedom) + (5 * x**5 + 16 * x**3 + 3 * x) / (96 * freedom**2)


def main():
    mbs, n = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    os.chdir(tempfile.mkdtemp(prefix="mbs-coverage"))
    with open("double.mbs", "w") as f:
        f.write(MODEL)
    subprocess.run([mbs, "run", "double.mbs", "--quiet", "-o", "run.csv"], check=True)
    with open("run.csv", newline="") as f:
        rows = list(csv.reader(f))
    head = [h.split(" [")[0] for h in rows[0]]
    inside = dict.fromkeys(TRUTH, 0)
    for seed in range(n):
        rng, samples = random.Random(seed), 0
        with open("noisy.csv", "w", newline="") as f:
            w = csv.writer(f)
            w.writerow(["t", "a", "tip"])
            for r in rows[1:]:
                fields = ["" if rng.random() < 0.1 else "%.17g" % (float(r[head.index(c)]) + rng.gauss(0, 0.01)) for c in ("a", "tip")]
                samples += sum(x != "" for x in fields)
                w.writerow([r[0]] + fields)
        out = subprocess.run([mbs, "fit", "double.mbs", "noisy.csv", "--free", "l1", "--free", "m2", "--free", "d", "--set", "l1=0.48", "--set", "m2=0.6", "--json"],
                             check=True, capture_output=True, text=True).stdout
        for name, x in json.loads(out)["parameters"].items():
            inside[name] += abs(x["value"] - TRUTH[name]) < student(samples - 3) * x["deviation"]
    bad = 0
    for name, count in inside.items():
        z = (count - 0.95 * n) / math.sqrt(n * 0.95 * 0.05)
        bad |= abs(z) > 3.3
        print("%-4s %d of %d inside, %.1f %%, %+.1f standard deviations from 95 %%" % (name, count, n, 100 * count / n, z))
    return bad


sys.exit(main())
