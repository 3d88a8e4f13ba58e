# SPDX-License-Identifier: GPL-3.0-or-later
"""Tools of the tests of linearisations: linear.py MBS CODE runs the code with them."""
import cmath, json, math, subprocess, sys
mbs = sys.argv[1]

def call(*args):
    return subprocess.run([mbs, *args], check=True, capture_output=True, text=True).stdout

def eigenvalues(model, *args):
    out = json.loads(call("modes", model, "--json", *args))
    found = []
    for m in out["modes"]:      # conjugate pairs stand once
        found.append(complex(m["re"], m["im"]))
        if m["im"] > 0:
            found.append(complex(m["re"], -m["im"]))
    return out["motion"], found

def same(found, want, tol):
    """Largest distance of a pairing, relative to the largest eigenvalue."""
    found, worst = list(found), 0
    if len(found) != len(want):
        raise SystemExit(f"{len(found)} eigenvalues instead of {len(want)}: {found}")
    for w in sorted(want, key=abs, reverse=True):
        near = min(found, key=lambda s: abs(s - w))
        found.remove(near)
        worst = max(worst, abs(near - w))
    worst /= max(map(abs, want))
    if not worst <= tol:
        raise SystemExit(f"eigenvalues differ by {worst:.3g}")

def expm(A, t):
    n = len(A)
    k = 1 << max(0, math.ceil(math.log2(1 + t * max(sum(map(abs, r)) for r in A))) + 4)
    mul = lambda X, Y: [[sum(X[i][l] * Y[l][j] for l in range(n)) for j in range(n)] for i in range(n)]
    one = [[float(i == j) for j in range(n)] for i in range(n)]
    term, E = one, one
    for p in range(1, 14):
        term = [[x * t / k / p for x in r] for r in mul(term, A)]
        E = [[x + y for x, y in zip(r, s)] for r, s in zip(E, term)]
    while k > 1:
        E, k = mul(E, E), k // 2
    return E

def end_state(model, names, *args):
    rows = call("run", model, "-q", "-a", "-o", "-", "--every", "1e9", "--rtol", "1e-12", "--atol", "1e-13", *args).split("\n")
    head = [h.strip().strip('"').split(" [")[0] for h in rows[0].split(",")]
    last = dict(zip(head, map(float, rows[-2].split(","))))
    return [last[n] for n in names]

exec(sys.argv[2])
