#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Derivatives of runs by parameters (`mbs run --sensitivity`) against differences of tight runs, and against formulas.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"
mbs=$top_builddir/mbs
XDG_CACHE_HOME=$tmp/cache
export XDG_CACHE_HOME
cd "$tmp" || exit 99
command -v python3 >/dev/null || { skip "no python3"; done_testing; exit; }
cat >fall.mbs <<'END'
model fall
param g: m/s^2 = 10
param v0: m/s = 3
param twice: m/s = 2*v0
param k: 1/s = 0.7
coord y: m
state z: m = twice*2 [s]
kinetic 3 [kg]*y'^2/2
potential 3 [kg]*g*y
z' = -k*z
init y = v0*1 [s], y' = twice
output place: m = y*1 + z
simulate { to = 2, every = 0.5 }
END
# a loop with a rod, a spring, a table of time, start values that assembly finds; the parameters are in masses, lengths and positions
cat >linkage.mbs <<'END'
model linkage
param a = 0.3, b = 1.1, c = 0.8, m1 = 1, m2 = 2, k = 5, w = 3
coord p, s
let A = a*[cos(p), sin(p)]
let C = [1 + 0.1*sin(w*t) - c*sin(s), c*cos(s)]
kinetic m1*norm2(A')/2 + m2*norm2(C')/2
potential 9.81*(m1*A[2] + m2*C[2]) + k*s^2/2
dissipation 0.1*s'^2
constraint rod: norm2(C - A) = b^2
init p = 0.5, p' = 1, s ~ 0.2
output tip = C[1] + s''
output pull = lambda(rod)
simulate { to = 1.5, every = 1.5 }
END
cat >disc.mbs <<'END'
# a sleigh: a constraint of velocities
model sleigh
param m = 2, J = 0.5, d = 0.3, k = 0.4
coord x, y, phi
let C = [x + d*cos(phi), y + d*sin(phi)]
kinetic m*norm2(C')/2 + J*phi'^2/2
dissipation k*phi'^2/2
constraint edge: y'*cos(phi) - x'*sin(phi) = 0
init x' = 1, phi' = 0.8, phi = 0.2
simulate { to = 3, every = 3 }
END
cat >judge.py <<'END'
import csv, subprocess, sys
mbs = sys.argv[1]

def run(model, *args):
    subprocess.run([mbs, "run", model, "--quiet", "-o", "out.csv", *args], check=True)
    with open("out.csv", newline="") as f:
        rows = list(csv.reader(f))
    names = [n.split(" [")[0] for n in rows[0]]
    return dict(zip(names, map(float, rows[-1])))

def worst(model, params, tol, *how):
    """The largest distance to five-point differences of runs at 1e-13, relative to the largest derivative of its kind."""
    got = run(model, "--sensitivity", ",".join(params), "--rtol", tol, "--atol", tol, *how)
    most = 0
    for p, value in params.items():
        h = 2e-4 * (abs(value) or 1)
        at = {i: run(model, "--solver", "dop853", "--rtol", "1e-13", "--atol", "1e-13", "--set", "%s=%.17g" % (p, value + i * h)) for i in (-2, -1, 1, 2)}
        for kind in "q", "v", "y":
            names = [n for n in at[1] if ("d(%s)/d(%s)" % (n, p)) in got and (kind == "v") == n.endswith("'")]
            want = {n: (at[-2][n] - 8 * at[-1][n] + 8 * at[1][n] - at[2][n]) / (12 * h) for n in names}
            scale = max((abs(x) for x in want.values()), default=0)
            for n in names:
                if scale > 1e-9:
                    most = max(most, abs(want[n] - got["d(%s)/d(%s)" % (n, p)]) / scale)
    return most
END
judge() { tap_what=$1; shift; if out=$(python3 - "$mbs" "$@" 2>&1); then pass "$tap_what"; else fail "$tap_what" "$(printf '%s\n' "$out" | tail -n 3)"; fi; }

judge "a formula" <<'END'
exec(open("judge.py").read())
import math
x = run("fall.mbs", "--sensitivity", "*", "--rtol", "1e-9", "--atol", "1e-9")
want = {"d(y)/d(g)": -2, "d(y')/d(g)": -2, "d(z)/d(k)": -2*12*math.exp(-1.4), "d(z)/d(g)": 0, "d(y)/d(twice)": 2, "d(y)/d(v0)": 1,
        "d(place)/d(twice)": 2 + 2*math.exp(-1.4)}
for n, v in want.items():
    assert abs(x[n] - v) < 1e-8 * max(1, abs(v)), (n, x[n], v)
# alone, v0 takes along what is a formula of it
x = run("fall.mbs", "--sensitivity", "v0", "--rtol", "1e-9", "--atol", "1e-9")
for n, v in {"d(y)/d(v0)": 1 + 2*2, "d(y')/d(v0)": 2, "d(place)/d(v0)": 5 + 4*math.exp(-1.4)}.items():
    assert abs(x[n] - v) < 1e-8 * max(1, abs(v)), (n, x[n], v)
END
# The motion is integrated to 1e-9 a step; its error and that of the differences (1e-13/h plus h^4) leave some 1e-8.  Methods that leave more (radau,
# index 3, half-explicit) integrate with smaller tolerances where derivatives are taken.
for how in "dop853 projected 1e-9" "radau5 ggl 1e-9" "radau5 index2 1e-9" "radau5 index3 1e-9" "radau ggl 1e-9" "dopri5 projected 1e-9" "halfexplicit index2 1e-9"; do
    set -- $how
    judge "a linkage by $1, $2, $3" $1 $2 $3 <<'END'
exec(open("judge.py").read())
e = worst("linkage.mbs", {"a": 0.3, "b": 1.1, "c": 0.8, "m1": 1, "m2": 2, "k": 5, "w": 3}, sys.argv[4], "--solver", sys.argv[2], "--formulation", sys.argv[3])
print(e)
assert e < 1e-7, e
END
done
judge "a constraint of velocities" <<'END'
exec(open("judge.py").read())
for solver, form in ("dop853", "projected"), ("radau5", "ggl"), ("halfexplicit", "index2"), ("radau", "index3"):
    e = worst("disc.mbs", {"m": 2, "J": 0.5, "d": 0.3, "k": 0.4}, "1e-9", "--solver", solver, "--formulation", form)
    assert e < 1e-7, (solver, e)
END
# Events: times, assignments and impacts depend on the parameters.  A ball with drag that is thrown back below a height; a pendulum in x and y whose velocity an
# event turns (and assembly brings back onto the rod), with a state that is sampled; a link that hits its stop.
cat >ball.mbs <<'END'
model ball
param m = 1.2, g = 9.81, e = 0.8, h0 = 1, k = 0.05, r = 0.1
coord y
kinetic m*y'^2/2
potential m*g*y
dissipation k*y'^2/2
init y = h0
when y < r and y' < 0 { y' = -e*y' }
simulate { to = 1.3, every = 1.3 }
END
cp "$top_srcdir/tests/data/turned.mbs" .
cat >stop.mbs <<'END'
model stop
planar
param m: kg = 1.2, e = 0.8, g: m/s^2 = 9.81, l: m = 0.5, low: rad = -2
gravity [0, -g]
body A { mass = m, com = [l, 0], inertia = m*l^2/12 }
joint pin: revolute(ground, A)
limit L: on pin, lower = low, upper = 1, restitution = e
simulate { to = 1.2, every = 1.2 }
END
cat >counted.mbs <<'END'
model counted
param g = 9.81, h0 = 1
discrete top = 0
coord y
kinetic y'^2/2
potential g*y
init y = h0
when y < 0.1 and y' < 0 { y' = -y', top = y' }
output last = top
simulate { to = 1 }
END
# the same errors as above, at 1e-10, and those of the differences
judge "events that set velocities and states, impacts" <<'END'
exec(open("judge.py").read())
for model, params in (("ball", {"m": 1.2, "g": 9.81, "e": 0.8, "h0": 1, "k": 0.05, "r": 0.1}),
                      ("turned", {"l": 1.5, "g": 9.81, "at": 0.2, "e": 0.7, "kick": 0.3, "T": 0.4}),
                      ("stop", {"e": 0.8, "g": 9.81, "l": 0.5, "low": -2})):
    for solver in ("dop853", "radau5") if model == "turned" else ("dop853",):
        e = worst(model + ".mbs", params, "1e-10", "--solver", solver)
        assert e < 1e-7, (model, solver, e)
END
judge "backwards across events" <<'END'
exec(open("judge.py").read())
import json
for solver in "dop853", "radau5":
    how = ["--solver", solver, "--rtol", "1e-9", "--atol", "1e-9", "--motion-steps"]     # the same steps both ways
    g = json.loads(subprocess.run([mbs, "run", "turned.mbs", "--json", "--gradient", "s", *how], check=True, capture_output=True, text=True).stdout)["gradients"][0]["by"]
    x = run("turned.mbs", "--sensitivity", "*", *how)
    for p, d in g.items():
        want = x["d(s)/d(%s)" % p]
        assert abs(d - want) <= 1e-8 * abs(want) + 1e-11, (solver, p, d, want)
END
fails_with "a discrete state that depends on parameters" 1 'an event gives a value that depends on parameters to top' "$mbs" run counted.mbs --sensitivity h0
sed 's/restitution = e/restitution = 0*e/; s/low: rad = -2/low: rad = -1/' stop.mbs >rests.mbs
fails_with "a contact that stays closed" 1 'stays closed are not known: L' "$mbs" run rests.mbs --sensitivity l
fails_with "start values that contradict a parameter" 1 'constraint slider cannot be met' "$mbs" run "$top_srcdir/models/crank.mbs" --sensitivity l1
fails_with "a formula that was given another value" 1 'twice is a formula of v0' "$mbs" run fall.mbs --sensitivity v0 --set twice=1
fails_with "no such parameter" 1 "no parameter 'v1'" "$mbs" run fall.mbs --sensitivity v1
# Two masses on a spring fly along: x' = 60 + a cos(w t), w = sqrt(2 k/m), so that d(x')/d(k) = -a t sin(w t) w/(2 k).  The oscillation is small beside what carries
# it, and its phase is what k changes: with the steps that the motion asks for, derivatives are off by 1e-5 to 1e-2 of the largest.  With their errors in the step
# control they have 1e-7 to 7e-7 after 10 s.
cat >carried.mbs <<'END'
model carried
param k = 1e4, m = 1
coord x, y
kinetic m*(x'^2 + y'^2)/2
potential k*(y - x)^2/2
init x = 0, y = 0, x' = 60.001, y' = 59.999
simulate { to = 3, every = 3, rtol = 1e-9, atol = 1e-12 }
END
cat >carried.py <<'END'
import csv, math, sys
k, t, a = 1e4, 3.0, 1e-3
w = math.sqrt(2*k)
rows = list(csv.reader(open("carried.csv", newline="")))
got = float(rows[-1][[c.split(" [")[0] for c in rows[0]].index("d(x')/d(k)")])
off = abs(got + a*t*math.sin(w*t)*w/(2*k))/(a*t*w/(2*k))
print(off)
sys.exit(not (off > float(sys.argv[2]) if sys.argv[1] == "above" else off < float(sys.argv[2])))
END
for method in dop853 dopri5 halfexplicit radau5 radau; do
    if "$mbs" run carried.mbs --solver $method --sensitivity k,m --quiet -o carried.csv && out=$(python3 carried.py below 1e-6); then
        pass "a small oscillation of what moves fast, $method"
    else
        fail "a small oscillation of what moves fast, $method" "$out"
    fi
done
if "$mbs" run carried.mbs --solver dop853 --sensitivity k,m --motion-steps --quiet -o carried.csv && out=$(python3 carried.py above 1e-4); then
    pass "--motion-steps leaves the errors of derivatives out of the step control"
else
    fail "--motion-steps leaves the errors of derivatives out of the step control" "$out"
fi
done_testing
