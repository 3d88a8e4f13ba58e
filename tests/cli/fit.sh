#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# `mbs fit`: parameters of a double pendulum from simulated measurements with noise: found within their standard errors as often as these say;
# bounds, priors, several experiments, missing samples, what the data do not determine.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"
mbs=$top_builddir/mbs
XDG_CACHE_HOME=$tmp/cache
export XDG_CACHE_HOME
cd "$tmp" || exit 99
command -v python3 >/dev/null || { skip "no python3"; done_testing; exit; }
end_without_gsl "$mbs" fit "$top_srcdir/examples/pendulum.mbs" none.csv --free l
cat >double.mbs <<'END'
model double
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
END
cat >judge.py <<'END'
import csv, json, random, subprocess, sys
mbs = sys.argv[1]
truth = {"l1": 0.5, "l2": 0.4, "m1": 1, "m2": 0.7, "d": 0.05, "start": 0.8}

def run(*args):
    subprocess.run([mbs, "run", "double.mbs", "--quiet", "-o", "run.csv", *args], check=True)
    with open("run.csv", newline="") as f:
        return list(csv.reader(f))

def measure(path, rows, names, noise, seed, missing=0):
    """A file of measurements: columns of a run with noise; some fields empty."""
    rng = random.Random(seed)
    at = [[h.split(" [")[0] for h in rows[0]].index(n) for n in names]
    with open(path, "w", newline="") as f:
        w = csv.writer(f)
        w.writerow(["t", *names])
        for r in rows[1:]:
            w.writerow([r[0]] + ["" if rng.random() < missing else "%.17g" % (float(r[i]) + rng.gauss(0, noise)) for i in at])

def fit(*args):
    return json.loads(subprocess.run([mbs, "fit", "double.mbs", *args, "--json"], check=True, capture_output=True, text=True).stdout)
END
judge() { if out=$(python3 - "$mbs" 2>&1); then pass "$1"; else fail "$1" "$(printf '%s\n' "$out" | tail -n 3)"; fi; }

judge "without noise the parameters come back" <<'END'
exec(open("judge.py").read())
measure("exact.csv", run(), ["a", "b'", "tip"], 0, 1)
x = fit("exact.csv", "--free", "l1", "--free", "m2=0.1..3", "--free", "d=0..", "--free", "start", "--set", "l1=0.45", "--set", "m2=0.5", "--set", "d=0.2", "--set", "start=0.7")
for n, v in x["parameters"].items():        # runs at 1e-8: the parameters have some 1e-7
    assert abs(v["value"] - truth[n]) < 1e-6 * truth[n] and v["determined"], (n, v)
END
# Of 20 repetitions and 3 parameters the truth lies within two standard errors in 95.4 %: of 60, fewer than 50 has a probability of 1e-4.
judge "estimates lie within their standard errors as often as these say" <<'END'
exec(open("judge.py").read())
rows, inside = run(), 0
for seed in range(20):
    measure("noisy.csv", rows, ["a", "tip"], 0.01, seed, missing=0.1)
    x = fit("noisy.csv", "--free", "l1", "--free", "m2", "--free", "d", "--set", "l1=0.48", "--set", "m2=0.6")
    for n, v in x["parameters"].items():
        inside += abs(v["value"] - truth[n]) < 2 * v["deviation"]
print(inside)
assert 50 <= inside < 61
END
judge "two experiments, with another start each; deviations and a prior" <<'END'
exec(open("judge.py").read())
for i, start in enumerate((0.8, 1.4)):
    rows = run("--set", "start=%g" % start)
    rows = [rows[0] + ["start"]] + [r + [str(start)] for r in rows[1:]]
    measure("two%d.csv" % i, rows, ["a", "start"], 0, i)
x = fit("two0.csv", "two1.csv", "--free", "l2", "--free", "m1", "--prior", "m1=1+-0.1", "--deviation", "a=0.01", "--set", "l2=0.3", "--set", "m1=1.3")
for n, v in x["parameters"].items():
    assert abs(v["value"] - truth[n]) < 1e-6 * truth[n], (n, v)
assert x["parameters"]["m1"]["deviation"] < 0.1
END
# only the ratio of the masses is in the equations, beside d in proportion to them
judge "what the data do not determine is said" <<'END'
exec(open("judge.py").read())
measure("exact.csv", run(), ["a", "b"], 0, 1)
x = fit("exact.csv", "--free", "m1", "--free", "m2", "--free", "d", "--free", "l1", "--set", "l1=0.49")
assert x["undetermined"] == 1, x
assert [n for n, v in x["parameters"].items() if not v["determined"]] == ["m1", "m2", "d"], x
assert abs(x["parameters"]["l1"]["value"] - 0.5) < 1e-6
out = subprocess.run([mbs, "fit", "double.mbs", "exact.csv", "--free", "m1", "--free", "m2", "--free", "d", "--free", "l1"], capture_output=True, text=True).stdout
assert "not determined" in out and "d(m1)/m1" in out and "d(m2)/m2" in out and "d(d)/d" in out, out
END
# the motion of a pendulum does not depend on its mass: derivatives by it are rounding, which no search may follow
cat >lone.mbs <<'END'
model lone
param m = 1, l = 0.5, d = 0
coord phi
kinetic m*(l*phi')^2/2
potential -m*9.81*l*cos(phi)
dissipation d*phi'^2/2
init phi = 1
simulate { to = 5, every = 0.05 }
END
judge "a parameter without influence stays, and is not determined" <<'END'
exec(open("judge.py").read())
subprocess.run([mbs, "run", "lone.mbs", "--quiet", "-o", "run.csv"], check=True)
rows = list(csv.reader(open("run.csv", newline="")))
measure("lone.csv", rows, ["phi"], 1e-3, 1)
def lone(*args):
    return json.loads(subprocess.run([mbs, "fit", "lone.mbs", "lone.csv", *args, "--json"], check=True, capture_output=True, text=True).stdout)
x = lone("--free", "m", "--free", "l", "--set", "l=0.45")
m, l = x["parameters"]["m"], x["parameters"]["l"]
assert m["value"] == 1 and not m["determined"] and m["deviation"] is None and m["covariance"] == [None, None], x
assert l["determined"] and abs(l["value"] - 0.5) < 4 * l["deviation"] < 1e-3 and l["covariance"][0] is None, x
# a damping of zero is determined all the same, wherever the search starts
for start in ("d=0", "d=0.1"):
    x = lone("--free", "d", "--set", start)
    d = x["parameters"]["d"]
    assert d["determined"] and abs(d["value"]) < 4 * d["deviation"] < 1e-3, x
# a prior determines the mass: it stays at the mean, with the deviation of the prior
x = lone("--free", "m", "--free", "l", "--deviation", "phi=0.001", "--prior", "m=1.2+-0.1")
m = x["parameters"]["m"]
assert m["determined"] and abs(m["value"] - 1.2) < 1e-6 and abs(m["deviation"] - 0.1) < 1e-6, x
END
# rows that an event records are no samples
sed 's/^init/discrete n = 0\
every 0.1 { n = n + 1, record }\
init/' lone.mbs >recorded.mbs
ok "a model that records is fitted" sh -c "'$mbs' fit recorded.mbs lone.csv --free l --set l=0.45 --json >recorded.json && grep -q '\"l\": {\"value\": 0.\(4999\|5000\)' recorded.json"
fails_with "a prior beside samples of unknown exactness" 2 'prior needs --deviation' "$mbs" fit lone.mbs lone.csv --free m --prior m=1.2+-0.1
judge "starts that are far away" <<'END'
exec(open("judge.py").read())
measure("exact.csv", run(), ["a", "b"], 0, 1)
x = fit("exact.csv", "--free", "l1=0.1..2", "--free", "l2=0.1..2", "--set", "l1=1.9", "--set", "l2=0.2", "--starts", "12")
assert x["sum"] < 1e-9 and abs(x["parameters"]["l1"]["value"] - 0.5) < 1e-6, x
END
"$mbs" fit double.mbs exact.csv --free l1 --set l1=0.49 -o fitted.toml --quiet
grep -q '^l1 = 0.\(4999999\|5000000\|5\)' fitted.toml && pass "a parameter file" || fail "a parameter file" "$(cat fitted.toml)"
fails_with "a column that is none" 2 "no coordinate" sh -c "printf 't,x\n0,1\n' >x.csv; '$mbs' fit double.mbs x.csv --free l1"
fails_with "times that do not ascend" 2 'times ascend' sh -c "printf 't,a\n1,1\n0,1\n' >x.csv; '$mbs' fit double.mbs x.csv --free l1"
fails_with "too few samples" 2 'do not determine' sh -c "printf 't,a\n1,1\n' >x.csv; '$mbs' fit double.mbs x.csv --free l1 --free l2"
fails_with "nothing to find" 2 'what is to be found' "$mbs" fit double.mbs exact.csv
fails_with "no such parameter" 1 "no parameter 'l3'" "$mbs" fit double.mbs exact.csv --free l3
fails_with "bounds" 2 'LOW..HIGH' "$mbs" fit double.mbs exact.csv --free l1=3
fails_with "a start outside the bounds" 2 'outside' "$mbs" fit double.mbs exact.csv --free l1=1..2
done_testing
