#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# `mbs linearize`, `mbs modes` and `mbs equilibrium` against formulas written by hand, and against differences of simulations.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"
mbs=$top_builddir/mbs
XDG_CACHE_HOME=$tmp/cache
export XDG_CACHE_HOME
cd "$tmp" || exit 99
command -v python3 >/dev/null || { skip "no python3"; done_testing; exit; }

cp "$top_srcdir/tests/cli/linear.py" judge.py

cat >sleigh.mbs <<'END'
model sleigh "Chaplygin sleigh"
param m = 2, J = 0.3, a = 0.25, u0 = 1.5
coord x, y, phi
let C = [x + a*cos(phi), y + a*sin(phi)]
kinetic m*norm2(C')/2 + J*phi'^2/2
constraint edge: -x'*sin(phi) + y'*cos(phi) = 0
init x = 0, y = 0, phi = 0.4
init x' ~ u0*cos(0.4), y' ~ u0*sin(0.4), phi' = 0
END
# Linearised about straight motion: (J + m a^2) w' = -m a u w; place, heading and speed stay (Neimark & Fufaev, 1972).
# 1e-9: rounding errors of a 5 x 5 matrix with entries of order 1 are 1e-15.
ok "a Chaplygin sleigh moving straight on" python3 judge.py "$mbs" '
motion, s = eigenvalues("sleigh.mbs")
same(s, [-2*0.25*1.5/(0.3 + 2*0.25**2), 0, 0, 0, 0], 1e-9)
assert motion == "steady", motion'

cat >disc.mbs <<'END'
model disc "Disc rolling upright"
param m = 1, r = 0.5, I1 = m*r^2/4, I3 = m*r^2/2, W = 7
coord x, y, psi, theta, phi
let u = [sin(psi)*sin(theta), -cos(psi)*sin(theta), cos(theta)]
let v = [x', y', -r*sin(theta)*theta']
let wr = [theta', psi'*cos(theta), phi' + psi'*sin(theta)]
kinetic m*norm2(v)/2 + I1*(wr[1]^2 + wr[2]^2)/2 + I3*wr[3]^2/2
potential m*9.81*r*cos(theta)
let e1 = [cos(psi), sin(psi), 0]
let e2 = [-sin(psi), cos(psi), 0]*cos(theta) + [0, 0, sin(theta)]
let omega = theta'*e1 + psi'*[0, 0, 1] + phi'*e2
let slip = v - r*cross(omega, u)
constraint roll_x: slip[1] = 0
constraint roll_y: slip[2] = 0
init psi = 0, theta = 0, phi = 0, x = 0, y = 0
init psi' = 0, theta' = 0, phi' = W
END
# (I1 + m r^2) theta'' = m g r theta - (I3 + m r^2) W psi', I1 psi'' = I3 W theta'
ok "a disc that rolls upright" python3 judge.py "$mbs" '
m, r, W = 1, 0.5, 7
I1, I3 = m*r*r/4, m*r*r/2
s2 = (m*9.81*r - I3*(I3 + m*r*r)*W*W/I1)/(I1 + m*r*r)
motion, s = eigenvalues("disc.mbs")
same(s, [cmath.sqrt(s2), -cmath.sqrt(s2)] + 6*[0], 1e-9)
assert motion == "steady" and s2 < 0'
# below the critical speed I1 m g r / (I3 (I3 + m r^2)) it falls
ok "and falls below its critical speed" python3 judge.py "$mbs" '
m, r, W = 1, 0.5, 1
I1, I3 = m*r*r/4, m*r*r/2
s2 = (m*9.81*r - I3*(I3 + m*r*r)*W*W/I1)/(I1 + m*r*r)
motion, s = eigenvalues("disc.mbs", "--set", "W=1")
same(s, [s2**0.5, -s2**0.5] + 6*[0], 1e-9)'

# Nutation about steady precession from the effective potential (Goldstein, section 5.7): with u = psi'"'"' sin(theta),
# du = I3 w3/I1 - u cot(theta), frequency^2 = du^2 - u du cot(theta) + u^2/sin(theta)^2 - m g l cos(theta)/I1.
ok "a top in steady precession" python3 judge.py "$mbs" '
m, l, I1, I3, th, w3, g = 0.5, 0.1, 0.006, 0.001, 0.5, 150, 9.81
rate = (I3*w3 - math.sqrt(I3**2*w3**2 - 4*I1*math.cos(th)*m*g*l))/(2*I1*math.cos(th))
u, cot = rate*math.sin(th), 1/math.tan(th)
du = I3*w3/I1 - u*cot
f = math.sqrt(du*du - u*du*cot + (u/math.sin(th))**2 - m*g*l*math.cos(th)/I1)
motion, s = eigenvalues("'"$top_srcdir"'/models/top.mbs")
same(s, [1j*f, -1j*f, 0, 0, 0, 0], 1e-9)
assert motion == "steady", motion'

cat >sleeping.mbs <<'END'
model sleeping "Sleeping top"
spatial
gravity [0, 0, -9.81]
param m = 0.5, l = 0.1, I1 = 0.006, I3 = 0.001, w = 150
body B { mass = m, com = [0, 0, l], inertia = [I1, I1, I3], about = origin }
joint P: spherical(ground, B) angles xyz, angle1 a, angle2 b, angle3 c
init a = 0, b = 0, c = 0, a' = 0, b' = 0, c' = w
END
# I1 (a + i b)'' - i I3 w (a + i b)' - m g l (a + i b) = 0, and its conjugate
ok "a sleeping top" python3 judge.py "$mbs" '
A, k = 0.001*150/0.006, 0.5*9.81*0.1/0.006
roots = [1j*(A/2 + sign*cmath.sqrt(A*A/4 - k)) for sign in (1, -1)]
motion, s = eigenvalues("sleeping.mbs")
same(s, roots + [z.conjugate() for z in roots] + [0, 0], 1e-9)
assert motion == "steady", motion'
ok "and one that is too slow" python3 judge.py "$mbs" '
A, k = 0.001*50/0.006, 0.5*9.81*0.1/0.006
roots = [1j*(A/2 + sign*cmath.sqrt(A*A/4 - k)) for sign in (1, -1)]
motion, s = eigenvalues("sleeping.mbs", "--set", "w=50")
same(s, roots + [z.conjugate() for z in roots] + [0, 0], 1e-9)'

# Orientation by Euler parameters has one coordinate more and no eigenvalue more.
# 1e-7: the equilibrium is found to 1e-9, and the zero of the turn about the vertical is double (its square root).
ok "Euler parameters bring no eigenvalues of their own" python3 judge.py "$mbs" '
a, s = eigenvalues("'"$top_srcdir"'/models/top.mbs", "--at-equilibrium", "-D", "euler_parameters=true")
f = 1j*math.sqrt(0.5*9.81*0.1/0.006)
same(s, [f, -f, f, -f, 0, 0], 1e-7)
assert a == "at rest", a'

cat >controlled.mbs <<'END'
model controlled "Cart with an integrating controller, poles at -1, -2, -3"
param m = 2
coord x
state z = 0
input u = 0
z' = x
kinetic m*x'^2/2
force x = m*(u - 6*x' - 11*x - 6*z)
END
ok "a cart with a controller" python3 judge.py "$mbs" '
motion, s = eigenvalues("controlled.mbs")
same(s, [-1, -2, -3], 1e-9)
assert motion == "at rest"'

cat >linkage.mbs <<'END'
model linkage "Four bars with a spring, a damper, an actuator and a motor's lag"
param a0 = 0.9, w0 = 0, z0 = 0, du = 0
coord a, b, c
state z = z0
input u = 0
let A = [cos(a), sin(a)]
let B = A + 2.5*[cos(b), sin(b)]
let C = [2.2, 0] + 1.8*[cos(c), sin(c)]
kinetic norm2(A')/2 + norm2(((A + B)/2)')/2 + 0.3*b'^2 + 0.7*norm2(C')/2
potential 9.81*(A[2] + B[2]) + 20*(c - 1.2)^2
dissipation 0.4*c'^2
z' = 5*(u + du - z)
force a = z
constraint loop: B = C
output reach = B[1] + 0.3*a'' + 0.1*c'
output load = lambda(loop.x)*sin(a)
init a = a0, b ~ 0.3, c ~ 1.5, a' = w0
END
ok "the linkage has an equilibrium" sh -c '"$1" equilibrium linkage.mbs --json >eq.json' sh "$mbs"
# A perturbation of d in each direction gives 2 d exp(A t) e_k but for the third order: d = 1e-3 leaves 1e-6 of scale.
ok "exp(A t) is what simulations do with a closed loop" python3 judge.py "$mbs" '
eq = json.load(open("eq.json"))
assert eq["stability"] == "stable", eq["stability"]
a0, d, T = eq["q"]["a"], 1e-3, 0.4
start = {"a0": a0, "w0": 0.0, "z0": eq["z"]["z"]}
sets = lambda s: [x for k, v in s.items() for x in ("--set", f"{k}={v!r}")]
p = json.loads(call("linearize", "linkage.mbs", "--json", *sets(start)))[0]
assert p["states"] == ["a", "a\x27", "z"] and p["motion"] == "at rest", p["states"]
E, names = expm(p["A"], T), p["states"]
scale = max(abs(x) for r in E for x in r)
for k, key in enumerate(["a0", "w0", "z0"]):
    ends = [end_state("linkage.mbs", names, "--to", str(T), *sets({**start, key: start[key] + sign*d})) for sign in (1, -1)]
    for i in range(3):
        got = (ends[0][i] - ends[1][i])/(2*d)
        assert abs(got - E[i][k]) < 1e-6*scale*5, (key, names[i], got, E[i][k])'
# Outputs at the start of a run against C and D; a difference of second order with 1e-4 is good to 1e-8 of scale.
ok "C and D are derivatives of the outputs" python3 judge.py "$mbs" '
eq = json.load(open("eq.json"))
start, d = {"a0": eq["q"]["a"], "w0": 0.0, "z0": eq["z"]["z"]}, 1e-4
sets = lambda s: [x for k, v in s.items() for x in ("--set", f"{k}={v!r}")]
p = json.loads(call("linearize", "linkage.mbs", "--json", *sets(start)))[0]
scale = max(abs(x) for r in p["C"] for x in r)
for k, key in enumerate(["a0", "w0", "z0"]):
    ends = [end_state("linkage.mbs", ["reach", "load"], "--to", "1e-12", *sets({**start, key: start[key] + sign*d})) for sign in (1, -1)]
    for i in range(2):
        got = (ends[0][i] - ends[1][i])/(2*d)
        assert abs(got - p["C"][i][k]) < 1e-6*scale, (key, i, got, p["C"][i][k])
assert p["B"] == [[0], [0], [5]] and p["D"] == [[0], [0]], p["B"]'
# det(i w E - A) of the descriptor form vanishes where the eigenvalues are: checked at the eigenvalues themselves
ok "the descriptor form has the same eigenvalues" python3 judge.py "$mbs" '
d = json.loads(call("linearize", "linkage.mbs", "--json", "--descriptor", "--at-equilibrium"))[0]
motion, s = eigenvalues("linkage.mbs", "--at-equilibrium")
def smallest_pivot(z):
    n = len(d["E"])
    M = [[z*e - a for e, a in zip(r, q)] for r, q in zip(d["E"], d["A"])]
    pivots = []
    for k in range(n):          # complete pivoting shows the rank
        i, j = max(((i, j) for i in range(k, n) for j in range(k, n)), key=lambda ij: abs(M[ij[0]][ij[1]]))
        M[k], M[i] = M[i], M[k]
        for r in M: r[k], r[j] = r[j], r[k]
        pivots.append(abs(M[k][k]))
        for r in range(k + 1, n):
            f = M[r][k]/M[k][k] if M[k][k] else 0
            M[r] = [x - f*y for x, y in zip(M[r], M[k])]
    return pivots[-1]/pivots[0]
assert len(s) == 3
for z in s: assert smallest_pivot(z) < 1e-11, smallest_pivot(z)
assert smallest_pivot(1 + 1j) > 1e-6'

cat >forced.mbs <<'END'
model forced "Mass, spring and damper"
coord x
input F = 0
kinetic x'^2
potential 50*x^2
dissipation 0.8*x'^2
force x = F
output pos = x
END
# H = 1/(k - m w^2 + i c w) with m = 2, k = 100, c = 1.6; 1e-10: a 2 x 2 solve
ok "the frequency response of a mass on a spring" python3 judge.py "$mbs" '
rows = call("linearize", "forced.mbs", "--bode", "0.1:10").split("\n")
assert "pos/F gain [dB]" in rows[0]
for row in rows[1:-1]:
    hz, gain, phase = map(float, row.split(","))
    w = 2*math.pi*hz
    H = 1/(100 - 2*w*w + 1.6j*w)
    assert abs(gain - 20*math.log10(abs(H))) < 1e-10*abs(gain) + 1e-9 and abs(phase - math.degrees(cmath.phase(H))) < 1e-9, row'
if command -v gnuplot >/dev/null; then
    ok "and as a picture" sh -c '"$1" linearize forced.mbs --bode 0.1:10 -o bode.svg && grep -q "gain \[dB\]" bode.svg' sh "$mbs"
else
    skip "no gnuplot"
fi

# formats: the same numbers in each
ok "Python" python3 judge.py "$mbs" '
call("linearize", "linkage.mbs", "-o", "p.py")
p = json.loads(call("linearize", "linkage.mbs", "--json"))[0]
text = open("p.py").read().replace("import numpy as np", "")
class np:
    @staticmethod
    def array(x, dtype): return type("M", (list,), {"reshape": lambda self, *s: list(self)})(x)
space = {"np": np}
exec(text, space)
assert space["A"] == p["A"] and space["C"] == p["C"] and space["states"] == p["states"]'
ok "MAT" python3 judge.py "$mbs" '
import struct
call("linearize", "linkage.mbs", "-o", "p.mat")
p = json.loads(call("linearize", "linkage.mbs", "--json"))[0]
data, at, got = open("p.mat", "rb").read(), 0, {}
while at < len(data):
    kind, rows, cols, imag, length = struct.unpack_from("<5i", data, at)
    name = data[at + 20:at + 20 + length - 1].decode()
    at += 20 + length
    got[name] = struct.unpack_from(f"<{rows*cols}d", data, at), rows, cols, kind
    at += 8*rows*cols
A, rows, cols, kind = got["A"]
assert (rows, cols, kind) == (3, 3, 0) and all(A[j*rows + i] == p["A"][i][j] for i in range(3) for j in range(3))
text, rows, cols, kind = got["states"]
assert kind == 1 and ["".join(chr(int(text[j*rows + i])) for j in range(cols)).strip() for i in range(rows)] == p["states"]'
ok "Octave" sh -c '"$1" linearize linkage.mbs -o p.m && grep -q "^A = \[" p.m && grep -q "^states = {\"a\", \"a'"'"'\", \"z\"};" p.m' sh "$mbs"
ok "along a run, as at its times" python3 judge.py "$mbs" '
call("run", "linkage.mbs", "--to", "0.2", "--every", "0.1", "-o", "run.csv", "--rtol", "1e-10")
call("linearize", "linkage.mbs", "--along", "run.csv", "-o", "along.json")
along = json.load(open("along.json"))
assert [round(p["t"], 9) for p in along] == [0, 0.1, 0.2] and along[1]["motion"] == "unsteady"
at = json.loads(call("linearize", "linkage.mbs", "--at", "0.2", "--at", "0.1", "--json"))
assert [p["t"] for p in at] == [0.1, 0.2]
for p, q in zip(along[1:], at):
    for r, s in zip(p["A"], q["A"]):
        for x, y in zip(r, s): assert abs(x - y) < 1e-4*(1 + abs(y)), (x, y)'
ok "modes say where they stand, and when that does not last" sh -c '"$1" modes linkage.mbs | grep -q "neither at rest nor on a steady motion (a)"' sh "$mbs"
ok "an unstable equilibrium is called so" sh -c 'sed -e "s/init.*/init phi = 3.14159265358979/" "$2/examples/pendulum.mbs" >up.mbs; "$1" modes up.mbs | grep -q unstable' sh "$mbs" "$top_srcdir"
ok "--steady turns the inclination of a top to its speeds" python3 judge.py "$mbs" '
out = json.loads(call("linearize", "'"$top_srcdir"'/models/top.mbs", "--steady", "--set", "theta0=0.55", "--set", "rate=3.8", "--json"))[0]
x = dict(zip(out["states"], out["x"]))
psi, phi, th = x["psi\x27"], x["phi\x27"], x["theta"]
w3 = phi + psi*math.cos(th)
assert out["motion"] == "steady"
assert abs(0.006*math.cos(th)*psi**2 - 0.001*w3*psi + 0.5*9.81*0.1) < 1e-10, th'
fails_with "an unknown format" 2 'json, .csv, .mat' "$mbs" linearize linkage.mbs -o p.xyz
fails_with "several points in a format for one" 2 'several points' "$mbs" linearize linkage.mbs --at 0 --at 1 -o p.mat
fails_with "frequencies that are none" 2 'takes two frequencies' "$mbs" linearize forced.mbs --bode 1
fails_with "a response without an input" 1 'needs an input and an output' "$mbs" linearize disc.mbs --bode 1:2
fails_with "a run without the coordinates" 1 "no column 'x'" "$mbs" linearize forced.mbs --along run.csv
done_testing
