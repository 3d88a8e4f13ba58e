#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Beams: what turns stiffens, what is pressed buckles, what bends far bends right; space, and absolute coordinates.
. "${top_srcdir:-.}/tests/tap.sh"
PATH=$top_builddir:$PATH
data=$(cd "$top_srcdir/tests/data" && pwd)
cd "$tmp" || exit 99
# lowest MODEL N OPTIONS: imaginary part of mode N
mode() { m=$1; n=$2; shift 2; mbs modes "$m.mbs" -q --json "$@" | tr -d ' \n' | tr '{' '\n' | sed -n 's/.*"im":\([0-9.e+-]*\).*/\1/p' | awk -v n="$n" '$1 > 0 && ++i == n { print $1 }'; }
# near A B TOLERANCE: relative
near() { awk -v a="$1" -v b="$2" -v tol="$3" 'BEGIN { d = a/b - 1; print a, b, d; exit !(a != "" && d <= tol && d >= -tol) }'; }

# A cantilever that turns about its root.  The equation of bending in the field of centrifugal forces,
#     EI w'''' - (rho A Omega^2 (l^2 - x^2)/2 w')' = omega^2 rho A w   (out of the plane of rotation; omega^2 + Omega^2 in the plane),
# is solved by power series and bisection: nothing of the program is in it.
cat >series.awk <<'END'
function det(om2, eta2,    c, n, k, w2, w3, a) {       # of w''(1), w'''(1) for the two solutions with w(0) = w'(0) = 0; l = 1, EI = rho A = 1
    for (k = 2; k <= 3; k++) {
        c[0] = c[1] = c[2] = c[3] = 0; c[k] = 1; w2 = w3 = 0
        for (n = 0; n < 60; n++)        # w'''' = eta2 ((1 - x^2)/2 w'' - x w') + om2 w
            c[n + 4] = (eta2*((n + 2)*(n + 1)*c[n + 2] - n*(n - 1)*c[n] - 2*n*c[n])/2 + om2*c[n])/((n + 4)*(n + 3)*(n + 2)*(n + 1))
        for (n = 2; n < 64; n++) { w2 += n*(n - 1)*c[n]; w3 += n*(n - 1)*(n - 2)*c[n] }
        a[k] = w2; a[k + 2] = w3
    }
    return a[2]*a[5] - a[3]*a[4]
}
BEGIN {
    w0 = sqrt(7e10*0.01^2/12/2700); eta2 = (Omega/w0)^2; lo = 12.36 + eta2*0.9; hi = 12.37 + eta2*1.2     # Southwell: at most 1.193 eta^2
    for (i = 0; i < 60; i++) { mid = (lo + hi)/2; if ((det(mid, eta2) > 0) == (det(lo, eta2) > 0)) lo = mid; else hi = mid }
    printf "%.9g %.9g %.9g\n", w0*sqrt(lo), w0*sqrt(lo - eta2), sqrt(12.3624*w0^2 + 1.19*Omega^2)
}
END
cat >turning.mbs <<'END'
model turning "A beam that turns"
option space = false, exact = false
param Omega: rad/s = 30
if space {
    spatial
    beam B { length = 1, density = 2700, youngs = 7e10, shear = 2.6e10, width = 0.01, height = 0.01, elements = 5, exact = exact }
} else {
    planar
    beam B { length = 1, density = 2700, youngs = 7e10, width = 0.02, height = 0.01, elements = 5, exact = exact }
}
joint O: revolute(ground, B.start) angle phi
drive turn: on O = Omega*t
init phi' = Omega
END
for omega in 0 30 60 100; do
    awk -v Omega=$omega -f series.awk >want
    read -r flap lag southwell <want
    # five cubic elements: the first frequency to 4e-4 at the highest speed, less below
    ok "in the plane at $omega rad/s" near "$(mode turning 1 -s Omega=$omega)" "$lag" 5e-4
    ok "in space, in the plane of rotation at $omega rad/s" near "$(mode turning 1 -s Omega=$omega -D space)" "$lag" 5e-4
    ok "in space, across it at $omega rad/s" near "$(mode turning 2 -s Omega=$omega -D space)" "$flap" 5e-4
done
# Southwell's omega^2 = omega0^2 + 1.19 Omega^2 takes the shape of the beam at rest: within 0.5 % while Omega is not far above omega0.
for omega in 30 60; do
    awk -v Omega=$omega -f series.awk >want
    read -r flap lag southwell <want
    ok "Southwell's formula at $omega rad/s" near "$(mode turning 2 -s Omega=$omega -D space)" "$southwell" 5e-3
done
# Ten hinges: 1/n^2.
awk -v Omega=60 -f series.awk >want
read -r flap lag southwell <want
ok "of segments" near "$(mode turning 1 -s Omega=60 -D exact)" "$lag" 1e-2

# Euler's column: clamped below, free above, buckles at pi^2 EI/(4 l^2); with half the load the frequency squared is about half.
cat >column.mbs <<'END'
model column
planar
param F: N = 0
beam B { length = 1, density = 2700, youngs = 7e10, width = 0.02, height = 0.01, elements = 3 }
joint O: fixed(ground, B.start)
force load: on B.tip = [-F, 0]
END
critical=$(awk 'BEGIN { print 3.14159265358979^2*7e10*0.02*0.01^3/12/4 }')
below=$(mbs modes column.mbs --json -q -s F="$(awk -v f="$critical" 'BEGIN { print f*0.999 }')")
above=$(mbs modes column.mbs --json -q -s F="$(awk -v f="$critical" 'BEGIN { print f*1.001 }')")
# at rest without damping the first pair of eigenvalues is imaginary below the load and real above it
re() { printf '%s' "$1" | tr -d ' \n' | tr '{' '\n' | sed -n 's/.*"re":\([0-9.e+-]*\).*/\1/p' | awk '$1 > m { m = $1 } END { print m + 0 }'; }
ok "a column stands below Euler's load and buckles above it" awk -v a="$(re "$below")" -v b="$(re "$above")" 'BEGIN { print a, b; exit !(a < 1e-6 && b > 0.5) }'

# A moment 2 pi EI/l at the tip bends a straight beam to a circle.
cat >circle.mbs <<'END'
model circle
planar
option absolute = false
if absolute { coordinates absolute }
param E: Pa = 7e10, b: m = 0.02, h: m = 0.001
beam B { length = 1, density = 2700, youngs = E, width = b, height = h, elements = 4, exact = true, damping = 0.1 }
joint O: fixed(ground, B.start)
torque M: on B.tip = 2*pi*E*b*h^3/12/1 [m]*min(t/5 [s], 1)
output gap = norm(B.tip)
output turned: rad = if(t > 0 [s], norm(B.tip.rotation*[1, 0] - [1, 0]), 0)
simulate { to = 12, rtol = 1e-5, every = 1 }
END
ok "a moment bends a beam to a circle" sh -c 'mbs run circle.mbs -q -o circle.csv --solver radau5 && tail -1 circle.csv'
column() { head -1 "$1" | tr ',' '\n' | tr -d '\r"' | sed 's/ .*//' | grep -nx "$2" | cut -d: -f1; }
ok "whose end meets its begin" awk -F, -v c="$(column circle.csv gap)" 'END { print $c; exit !($c < 0.02) }' circle.csv
ok "in absolute coordinates too" sh -c 'mbs run circle.mbs -q -D absolute -o absolute.csv --solver radau5'
ok "to the same" awk -F, -v c="$(column absolute.csv gap)" 'END { print $c; exit !($c < 0.02) }' absolute.csv

# Small deflections of a cantilever of segments are those of the continuous beam, with one element already: under a load at the tip
# F l^3/(3 EI), under its weight q l^4/(8 EI), the slope under a moment M l/EI.  They are 1e-4 l and less, whose squares do not show in 1e-5.
cat >small.mbs <<'END'
model small
option n = 1, space = false
param F: N = 0, g: m/s^2 = 0, M: N*m = 0
if space {
    spatial
    gravity [0, -g, 0]
    beam B { length = 1, density = 2700, youngs = 7e10, shear = 2.6e10, width = 0.02, height = 0.01, elements = n, exact = true }
    force load: on B.tip = [0, F, 0]
} else {
    planar
    gravity [0, -g]
    beam B { length = 1, density = 2700, youngs = 7e10, width = 0.02, height = 0.01, elements = n, exact = true }
    force load: on B.tip = [0, F]
    torque moment: on B.tip = M
    output ahead = B.tip.rotation*[1, 0]
}
joint O: fixed(ground, B.start)
output tip = B.tip
simulate { to = 1e-9, every = 1e-9 }
END
# deflected COLUMN OPTIONS...: what the column is at rest
deflected() { what=$1; shift; mbs run small.mbs -q --at-equilibrium "$@" -o small.csv && awk -F, -v c="$(column small.csv "$what")" 'END { print $c }' small.csv; }
for n in 1 2 3; do
    # EI = 7e10*0.02*0.01^3/12 = 350/3, rho A = 0.54
    ok "a load at the tip, $n elements" near "$(deflected tip.y -D n=$n -s F=0.02)" "$(awk 'BEGIN { print 0.02/350 }')" 1e-5
    ok "its weight, $n elements" near "$(deflected tip.y -D n=$n -s g=-0.1)" "$(awk 'BEGIN { print 0.1*0.54/8*3/350 }')" 1e-5
    ok "a moment, $n elements" near "$(deflected ahead.y -D n=$n -s M=0.01)" "$(awk 'BEGIN { print 0.03/350 }')" 1e-5
    ok "a load at the tip in space, $n elements" near "$(deflected tip.y -D n=$n -D space -s F=0.02)" "$(awk 'BEGIN { print 0.02/350 }')" 1e-5
done

# The Princeton beam: bending in two planes and torsion, far.
cat >princeton.mbs <<'END'
model princeton
spatial
param F: N = 8.896, beta: deg = 30, E: Pa = 71.7e9, G: Pa = 71.7e9/2.62, b: m = 0.0032024, h: m = 0.0123777
beam B { length = 0.508, density = 2700, youngs = E, shear = G, width = b, height = h, torsion = 3.198 [N*m^2]/G, elements = 16, exact = true }
joint O: fixed(ground, B.start)
force load: on B.tip = F*[0, cos(beta), sin(beta)]
output tip = B.tip
simulate { to = 1e-9, every = 1e-9 }
END
grep -v '^#' "$data/princeton.txt" | while read -r F beta y z; do
    mbs run princeton.mbs -q --at-equilibrium -s F="$F" -s beta="$beta" -o p.csv
    awk -F, -v y="$y" -v z="$z" -v cy="$(column p.csv tip.y)" -v cz="$(column p.csv tip.z)" -v F="$F" -v beta="$beta" 'function rel(a, b) { return b ? (a > b ? a - b : b - a)/b : (a*a > 1e-10) }
        END { print F, beta, $cy, y, rel($cy, y), $cz, z, rel($cz, z) }' p.csv
done >table
cat table
# the hinges' own error is at most 0.5 % with 16 elements
ok "the Princeton beam within 1 % of the table, each component" awk '$5 > 0.01 || $8 > 0.01 { bad = 1; print } END { exit bad || NR != 14 }' table

# Reads as a model: what a beam cannot say is refused.
printf 'model m\nplanar\nbeam B { length = 1, density = 1, youngs = 1, width = 1, height = 1, elements = 2 }\njoint O: fixed(ground, B.start)\noutput c = B.com\n' >com.mbs
fails_with "a beam has no centre of mass to name" 1 "has no 'com'" mbsc com.mbs -o com.c
done_testing
