#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Steady motions and their eigenvalues against formulas and published tables: motions that cyclic coordinates show, and those along symmetries
# in Euler parameters, in absolute and in Cartesian coordinates, which they do not.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"
mbs=$top_builddir/mbs
XDG_CACHE_HOME=$tmp/cache
export XDG_CACHE_HOME
cd "$tmp" || exit 99
command -v python3 >/dev/null || { skip "no python3"; done_testing; exit; }
cp "$top_srcdir/tests/cli/linear.py" judge.py

# Eigenvalues are compared to 1e-9 of the largest, if nothing else is said: rounding errors of small matrices are 1e-14.
top=$top_srcdir/models/top.mbs
precession='
m, l, I1, I3, th, w3, g = 0.5, 0.1, 0.006, 0.001, 0.5, 150, 9.81
rate = (I3*w3 - math.sqrt(I3**2*w3**2 - 4*I1*math.cos(th)*m*g*l))/(2*I1*math.cos(th))
u, cot = rate*math.sin(th), 1/math.tan(th)
du = I3*w3/I1 - u*cot
f = math.sqrt(du*du - u*du*cot + (u/math.sin(th))**2 - m*g*l*math.cos(th)/I1)'
# Nutation about steady precession from the effective potential (Goldstein, section 5.7), as in linearize.sh
ok "a top in steady precession, Euler parameters" python3 judge.py "$mbs" "$precession"'
motion, s = eigenvalues("'"$top"'", "-D", "euler_parameters=true")
same(s, [1j*f, -1j*f, 0, 0, 0, 0], 1e-9)
assert motion == "steady", motion'
ok "... found from a state beside it" python3 judge.py "$mbs" '
out = json.loads(call("linearize", "'"$top"'", "--steady", "-D", "euler_parameters=true", "--set", "theta0=0.55", "--set", "rate=3.8", "--json"))[0]
assert out["motion"] == "steady" and "K" in out'
# A - K is seen from a frame that moves along; A + K, in coordinates that do not, is what a state beside the top does at once.
ok "... A + K is the derivative in coordinates that do not move" python3 judge.py "$mbs" '
out = json.loads(call("linearize", "'"$top"'", "-D", "euler_parameters=true", "--json"))[0]
still = [[a + k for a, k in zip(r, s)] for r, s in zip(out["A"], out["K"])]
names = out["states"]
for i in range(3):
    assert max(abs(still[i][j] - (j == i + 3)) for j in range(6)) < 1e-9, names[i]'

cat >sleeping.mbs <<'END'
model sleeping "Sleeping top in Euler parameters"
option absolute = false
spatial
if absolute { coordinates absolute }
gravity [0, 0, -9.81]
param m = 0.5, l = 0.1, I1 = 0.006, I3 = 0.001, w = 150
body B { mass = m, com = [0, 0, l], inertia = [I1, I1, I3], about = origin }
joint P: spherical(ground, B)
init B.omega = [0, 0, w]
END
# I1 (a + i b)'' - i I3 w (a + i b)' - m g l (a + i b) = 0, and its conjugate: the body spins, the frame does not turn
for kind in false true; do
    ok "a sleeping top, and one too slow, absolute = $kind" python3 judge.py "$mbs" '
for w in 150, 50:
    A, k = 0.001*w/0.006, 0.5*9.81*0.1/0.006
    roots = [1j*(A/2 + sign*cmath.sqrt(A*A/4 - k)) for sign in (1, -1)]
    motion, s = eigenvalues("sleeping.mbs", "--set", f"w={w}", "-D", "absolute='$kind'")
    same(s, roots + [z.conjugate() for z in roots] + [0, 0], 1e-9)
    assert motion == "steady", motion'
done

cat >disc.mbs <<'END'
model disc "Disc in Euler parameters: a wheel without anything else"
option absolute = false
spatial
if absolute { coordinates absolute }
gravity [0, 0, -9.81]
param m = 1, r = 0.5, I1 = m*r^2/4, I3 = m*r^2/2
param th = 0, turn = 0, W = 7, heading = 0.4
let c = cos(heading/2)
let s = sin(heading/2)
body D { mass = m, inertia = [I1, I3, I1] }
joint F: free(ground, D)
wheel R: between D and ground, normal = [0, 0, 1], axis = [0, 1, 0], radius = r
if absolute { init D.e0 = c*cos(th/2), D.e1 = c*sin(th/2), D.e2 = s*sin(th/2), D.e3 = s*cos(th/2), D.x = 0.3, D.y = -0.2, D.z ~ r*cos(th) }
else { init F.e0 = c*cos(th/2), F.e1 = c*sin(th/2), F.e2 = s*sin(th/2), F.e3 = s*cos(th/2), F.x = 0.3, F.y = -0.2, F.z ~ r*cos(th) }
# W: all of the rate about the axle
init D.omega = [sin(heading)*sin(th), -cos(heading)*sin(th), cos(th)]*turn*cos(th) + [-sin(heading)*cos(th), cos(heading)*cos(th), sin(th)]*W
END
# With the lean th, the rate of turn p and the rate w about the axle (Neimark & Fufaev, 1972; moments about the centre with the force at the ground):
#   (I1 + m r^2) th'' = -I1 p^2 sin th cos th + (I3 + m r^2) w p cos th + m g r sin th,
#   I1 cos th p' = th' (2 I1 p sin th - I3 w),  (I3 + m r^2) w' = -m r^2 p th' cos th
disc='
m, r, g = 1, 0.5, 9.81
I1, I3 = m*r*r/4, m*r*r/2
J1, J3 = I1 + m*r*r, I3 + m*r*r
def lean(th, p, w):
    s, c = math.sin(th), math.cos(th)
    by_th = -I1*p*p*(c*c - s*s) - J3*w*p*s + m*g*r*c
    by_p, by_w = -2*I1*p*s*c + J3*w*c, J3*p*c
    return cmath.sqrt((by_th + by_p*(2*I1*p*s - I3*w)/(I1*c) - by_w*m*r*r*p*c/J3)/J1)
def spin(th, p):
    return (I1*p*p*math.cos(th) - m*g*r)*math.tan(th)/(J3*p)'
for kind in false true; do
    ok "a disc that rolls upright, fast and slow, absolute = $kind" python3 judge.py "$mbs" "$disc"'
for W in 7, 1:
    motion, s = eigenvalues("disc.mbs", "--set", f"W={W}", "-D", "absolute='$kind'")
    z = lean(0, 0, W)
    same(s, [z, -z] + 6*[0], 1e-9)
    assert motion == "steady", motion'
    ok "and on turns, absolute = $kind" python3 judge.py "$mbs" "$disc"'
for th, p in (0.3, -1.5), (1.1, -6), (0.7, 2):
    w = spin(th, p)
    motion, s = eigenvalues("disc.mbs", "--set", f"th={th}", "--set", f"turn={p}", "--set", f"W={w!r}", "-D", "absolute='$kind'")
    z = lean(th, p, w)
    same(s, [z, -z] + 6*[0], 1e-7)      # the speeds are two zeros that rounding errors part by the root of 1e-15
    assert min(abs(x - z) for x in s) < 1e-9*abs(z), z
    assert motion == "steady", motion'
done
ok "the same in angles" python3 judge.py "$mbs" "$disc"'
for th, p in (0.3, -1.5), (0.7, 2):
    motion, s = eigenvalues("'"$top_srcdir"'/models/rolling_disc.mbs", "--set", f"theta0={th}", "--set", f"turn={p}")
    z = lean(th, p, spin(th, p))
    same(s, [z, -z] + 6*[0], 1e-9)
    assert motion == "steady", motion'

cat >gyrostat.mbs <<'END'
model gyrostat "Satellite with a wheel, turning about an axis of inertia"
option absolute = false
spatial
if absolute { coordinates absolute }
param A = 3, B = 4, C = 5, h = 0, w = 0.7
body S { mass = 20, inertia = [A, B, C - 0.5] }
body wheel { mass = 1, inertia = [0.3, 0.3, 0.5] }
joint F: free(ground, S)
joint R: revolute(S, wheel) axis [0, 0, 1]
init S.omega = [0, 0, w]
if absolute { init wheel.omega[3] = w + h/0.5 } else { init R.angle' = h/0.5 }
END
# A' wx' = ((B' - C) w - h) wy, B' wy' = (h - (A' - C) w) wx with the wheel in A', B' (Wittenburg, Dynamics of Multibody Systems, 2008); turns and
# shifts of the whole and of the wheel last: three rotations and their rate, three places and velocities, two of the wheel.
for kind in false true; do
    ok "a gyrostat about each side of its axes, absolute = $kind" python3 judge.py "$mbs" '
for A, B, C, h in (3, 4, 5, 0), (3, 5, 4, 0), (4, 5, 3, -1), (3, 5, 4, 1.5):
    motion, s = eigenvalues("gyrostat.mbs", "-D", "absolute='$kind'", "--set", f"A={A}", "--set", f"B={B}", "--set", f"C={C}", "--set", f"h={h}")
    w, a, b = 0.7, A + 0.3, B + 0.3
    z = cmath.sqrt(((b - C)*w - h)*(h - (a - C)*w)/(a*b))
    same(s, [z, -z] + 12*[0], 1e-7)     # places and their velocities are double zeros
    assert min(abs(x - z) for x in s) < 1e-9*abs(z), z
    assert motion == "steady", motion'
done

cat >kepler.mbs <<'END'
model kepler "Circular orbit in Cartesian coordinates"
coord x, y
param r = 2, w = r^(-1.5)
kinetic (x'^2 + y'^2)/2
potential -1/sqrt(x^2 + y^2)
init x = r*cos(0.3), y = r*sin(0.3), x' = -r*w*sin(0.3), y' = r*w*cos(0.3)
END
ok "an orbit in Cartesian coordinates: its epicycles have its own frequency" python3 judge.py "$mbs" '
motion, s = eigenvalues("kepler.mbs")
w = 2**-1.5
same(s, [1j*w, -1j*w, 0, 0], 1e-9)
assert motion == "steady", motion'
cat >dying.mbs <<'END'
model dying "Overdamped, started along an eigenvector"
coord x
kinetic x'^2/2
force x = -2*x - 3*x'
init x = 1, x' = -1
END
ok "what dies out along an eigenvector is not called steady" python3 judge.py "$mbs" '
motion, s = eigenvalues("dying.mbs")
same(s, [-1, -2], 1e-9)
assert motion == "unsteady", motion'

# Table 2 of Meijaard, Papadopoulos, Ruina & Schwab, Proc. R. Soc. A 463 (2007): weave (one of the pair), capsize, castering; of standing still all four.
bicycle='
table = {0: [-5.53094371765393, -3.13164324790656, 3.13164324790656, 5.53094371765393],
    1: [3.52696170990070 + 0.80774027519930j, -3.13423125066578, -7.11008014637442],
    2: [2.68234517512745 + 1.68066296590675j, -3.07158645641514, -8.67387984831735],
    3: [1.70675605663975 + 2.31582447384325j, -2.63366137253667, -10.35101467245920],
    4: [0.41325331521125 + 3.07910818603206j, -1.42944427361326, -12.15861426576447],
    5: [-0.77534188219585 + 4.46486771378823j, -0.32286642900409, -14.07838969279822],
    6: [-1.52644486584142 + 5.87673060598709j, -0.00406690076970, -16.08537123098026],
    7: [-2.13875644258362 + 7.19525913329805j, 0.10268170574766, -18.15788466125262],
    8: [-2.69348683581097 + 8.46037971396931j, 0.14327879765713, -20.27940894394569],
    9: [-3.21675402252485 + 9.69377351531791j, 0.15790184030917, -22.43788559040858],
    10: [-3.72016840437287 + 10.90681139476287j, 0.16105338653172, -24.62459635017404]}
def check(speeds, *options):
    for v in speeds:
        motion, s = eigenvalues("'"$top_srcdir"'/models/bicycle.mbs", "--set", "push=0", "--set", f"v={v}", *options)
        for want in table[v]:
            assert min(abs(x - want) for x in s) < 2e-12, (v, want, min(abs(x - want) for x in s))
        assert motion == ("steady" if v else "at rest") and len(s) == 10, (v, motion)
        assert sum(abs(x) < 1e-9 for x in s) == 6, s'
# 2e-12: the table has 14 decimals, matrices of order 10 with entries up to 200 leave 1e-13
ok "the benchmark bicycle from 0 to 10 m/s" python3 judge.py "$mbs" "$bicycle"'
check(range(11))'
ok "the same with the frame in Euler parameters" python3 judge.py "$mbs" "$bicycle"'
check([0, 5, 10], "-D", "euler_parameters=true")'
ok "and with every body by itself" python3 judge.py "$mbs" "$bicycle"'
check([0, 5], "-D", "absolute=true")'

cat >governor.mbs <<'END'
model governor "Pendulum on an arm that is driven round"
spatial
gravity [0, 0, -9.81]
param w = 6, l = 0.5, a = 0.1, g = 9.81
body arm { mass = 1, inertia = [0.1, 0.1, 0.1], point P = [a, 0, 0] }
body bob { mass = 1, com = [0, 0, -l] }
joint J: revolute(ground, arm) axis [0, 0, 1]
joint K: revolute(arm.P, bob) axis [0, -1, 0] angle b
drive J.angle = w*t
init b ~ 1
END
# l b'' = w^2 (a + l sin b) cos b - g sin b
ok "a drive that goes round at constant speed" python3 judge.py "$mbs" '
out = json.loads(call("linearize", "governor.mbs", "--steady", "--json"))[0]
b, w, l, a, g = out["x"][0], 6, 0.5, 0.1, 9.81
assert abs(w*w*(a + l*math.sin(b))*math.cos(b) - g*math.sin(b)) < 1e-10
f = (w*w*(l*math.cos(b)**2 - (a + l*math.sin(b))*math.sin(b)) - g*math.cos(b))/l
assert abs(out["A"][1][0] - f) < 1e-9*abs(f) and out["motion"] == "steady", out["motion"]'
cat >shaken.mbs <<'END'
model shaken "A force that is zero at the start only"
coord x
kinetic x'^2/2
potential 2*x^2
force x = sin(3*t)
END
ok "time that changes the forces is no rest" sh -c '"$1" modes shaken.mbs | grep -q "(the model changes with time)" && "$1" linearize shaken.mbs | grep -q "not a steady motion (the model changes with time)"' sh "$mbs"
ok "and an equilibrium is said to be one of that time" sh -c '"$1" equilibrium shaken.mbs | grep -q "would rest here if time stood still"' sh "$mbs"
ok "an equilibrium shows the eigenvalues that make it stable" sh -c '"$1" equilibrium "$2/examples/pendulum.mbs" | grep -q "^stable, no eigenvalue has a positive real part: +-3.132092 i (1/s)"' sh "$mbs" "$top_srcdir"
done_testing
