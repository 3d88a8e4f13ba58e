#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Start values are kept: `=` is a condition in every kind of coordinates, of coordinates, of joints, of expressions; where it cannot be
# met the run says which and why.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"
. "${top_srcdir:-$(dirname "$0")/../..}/tests/at_start.sh"
mbs=$top_builddir/mbs
XDG_CACHE_HOME=$tmp/cache
export XDG_CACHE_HOME
cd "$tmp" || exit 99

# to 1e-9: assembly stops at rounding level; lengths and angles are of order 1
for kind in relative absolute; do
    cat >pendulum.mbs <<END
model pendulum
planar
coordinates $kind
gravity [0, -9.81]
body rod { mass = 1, inertia = 1/12, com = [0.5, 0], point tip = [1, 0] }
joint O: revolute(ground, rod)
init rod.angle = 0.3, rod.angle' = 2
output a = rod.angle, w = rod.angle'
simulate { to = 1 }
END
    starts "$kind: angle and rate of a body" pendulum.mbs 1e-9 a=0.3 w=2
    cat >fourbar.mbs <<END
model fourbar
planar
coordinates $kind
gravity [0, -9.81]
body crank { mass = 1, inertia = 1/12, com = [0.5, 0], point P = [1, 0] }
body rod { mass = 3, inertia = 1, com = [1.5, 0], point Q = [3, 0] }
body rocker { mass = 2, inertia = 1, com = [1, 0], point R = [2, 0] }
joint O: revolute(ground, crank)
joint A: revolute(crank.P, rod)
joint B: revolute(ground @ [3, 0], rocker)
cut joint C: revolute(rod.Q, rocker.R)
init A.angle ~ -0.2
output oa = O.angle, ow = O.angle', aa = A.angle, ba = B.angle, bw = B.angle', ca = C.angle, q = rod.Q, rodw = rod.angle'
END
    # figures of the mechanism by hand: with P = (cos 0.7, sin 0.7) the point Q is 3 from P and 2 from (3, 0)
    figures=$(awk 'BEGIN { pi = atan2(0, -1); px = cos(0.7); py = sin(0.7); dx = 3 - px; dy = -py; d = sqrt(dx*dx + dy*dy); a = atan2(dy, dx)
        c = (9 + d*d - 4)/(6*d); g = a + atan2(sqrt(1 - c*c), c); qx = px + 3*cos(g); qy = py + 3*sin(g); b = atan2(qy, qx - 3)
        # rates: -w_O P^ - w_g 3 g^ + w_b 2 b^ = 0 with w_O = -1
        w = -1; s = sin(b - g); wb = w*sin(0.7 - g)/(2*s); wg = w*sin(0.7 - b)/(3*s)
        printf "%.15g %.15g %.15g %.15g %.15g\n", g, b, qx, wb, wg }')
    set -- $figures
    { cat fourbar.mbs; echo "init O.angle = 0.7, O.angle' = -1, B.angle ~ 1.5"; } >loop.mbs
    starts "$kind: a joint in a loop" loop.mbs 1e-9 oa=0.7 ow=-1 ba="$2" q.x="$3" bw="$4" rodw="$5"
    { cat fourbar.mbs; echo "init B.angle = $2, B.angle' = $4, O.angle ~ 0.8"; } >loop.mbs
    starts "$kind: the other end of the loop" loop.mbs 1e-9 oa=0.7 ow=-1
    { cat fourbar.mbs; echo "init rod.angle = $1, rod.angle' = $5, O.angle ~ 0.8, B.angle ~ 1.5"; } >loop.mbs
    starts "$kind: a body in a loop" loop.mbs 1e-9 oa=0.7 ow=-1 bw="$4"
    { cat fourbar.mbs; echo "init C.angle = $2 - ($1), O.angle' = -1, O.angle ~ 0.8, B.angle ~ 1.5"; } >loop.mbs
    starts "$kind: the joint that closes it" loop.mbs 1e-9 oa=0.7 rodw="$5"
    { cat fourbar.mbs; echo "init rod.Q[1] = $3, (rod.angle - crank.angle)' = $5 + 1, O.angle ~ 0.8, B.angle ~ 1.5"; } >loop.mbs
    starts "$kind: expressions" loop.mbs 1e-9 oa=0.7 ow=-1
    { cat fourbar.mbs; echo "init O.angle = 0.7, B.angle = 0.2"; } >loop.mbs
    fails_with "$kind: two that contradict each other" 1 'cannot be met: it is off by .*O.angle\|cannot be met: it is off by .*B.angle' "$mbs" run loop.mbs --to 1
    { cat fourbar.mbs; echo "init O.angle = 0.7, O.angle' = 1, B.angle' = 1"; } >loop.mbs
    fails_with "$kind: velocities that contradict each other" 1 "cannot be met.*'" "$mbs" run loop.mbs --to 1

    # In space, with a value that a parameter changes at run time: 1.1 about an inclined axis, then a universal joint, in a closed loop
    cat >arm.mbs <<END
model arm
spatial
coordinates $kind
param a0 = 0.4
body K { mass = 1, inertia = [1, 1.2, 1.3], com = [0.3, 0, 0.1], point P = [1, 0, 0] }
body L { mass = 1, inertia = [1, 1.2, 1.3], com = [0.3, 0.2, 0], point Q = [0.8, 0.5, 0.2] }
joint J: revolute(ground, K) axis [1, 2, 2]
joint U: universal(K.P, L) axis [0, 1, 0] axis2 [1, 0, 0]
cut joint T: point_on_line(ground @ [1.5, 0.7, 0], L.Q) axis [0, 0, 1]
init J.angle = a0, J.angle' = 0.5, U.angle1 ~ 0.3, U.angle2 ~ 0.2
# the angle of J by two normals of its axis
let n = [2, 1, -2]/3
let k = [-2, 2, -1]/3
output s = dot(K.rotation*n, k), c = dot(K.rotation*n, n), w = dot(K.omega, [1, 2, 2]/3)
END
    starts "$kind: a turn in space" arm.mbs 1e-9 "s=$(awk 'BEGIN { printf "%.15g", sin(0.4) }')" "c=$(awk 'BEGIN { printf "%.15g", cos(0.4) }')" w=0.5
    sed 's/J.angle = a0/J.angle = a0 + 0.3/' arm.mbs >arm2.mbs
    starts "$kind: another one" arm2.mbs 1e-9 "s=$(awk 'BEGIN { printf "%.15g", sin(0.7) }')" w=0.5
    ok "$kind: a parameter set at run time moves it" sh -c '"$1" run arm.mbs --set a0=0.7 -q --to 1e-3 -o set.csv && "$1" run arm2.mbs -q --to 1e-3 -o two.csv &&
        paste -d, set.csv two.csv | tr -d "\r" | awk -F, "NR == 2 { n = NF/2; for (i = 2; i <= n; i++) { d = \$i - \$(i+n); if (d > 1e-6 || d < -1e-6) exit 1 } }"' sh "$mbs"

    # A screw advances with its angle from where it starts, though a ball behind it, whose e0 is not given, lets assembly move the bodies; in
    # the third turn of its thread too, and without a pitch.  Closing a loop it does so as well.
    cat >screw.mbs <<END
model screw
spatial
coordinates $kind
param p = 0.2
body K { mass = 1, inertia = [1, 1.2, 1.3], com = [0.2, 0.3, 0.1], point P = [0.8, -0.2, -0.8] }
body L { mass = 1, inertia = [1, 1.2, 1.3], com = [-0.1, 0.5, 0.4], point Q = [-0.4, -0.3, -0.8] }
joint J: screw(ground, K) axis [0, 0, 1], pitch = p
joint S: spherical(K.P, L.Q)
init J.angle = 14, J.angle' = 1, S.e1 = 0, S.e2 = 0.3, S.e3 = -0.2
output h = K.origin, rise = K.origin'
END
    starts "$kind: a screw" screw.mbs 1e-9 h.z=2.8 rise.z=0.2
    sed 's/p = 0.2/p = 0/' screw.mbs >flat.mbs
    starts "$kind: a screw without pitch" flat.mbs 1e-9 h.z=0 rise.z=0
    sed -e 's/^joint J/cut joint J/' -e 's/^joint S/joint C: cylindrical(ground, K) axis [0, 0, 1]\n&/' -e "s/J.angle = 14, J.angle' = 1/C.angle = 1.5, C.distance ~ 1.5, C.angle' = 1/" screw.mbs >nut.mbs
    starts "$kind: a screw that closes a loop, in the turn that is nearest" nut.mbs 1e-9 "h.z=$(awk 'BEGIN { printf "%.15g", 0.2*(1.5 + 2*atan2(0, -1)) }')" rise.z=0.2
done
printf 'model m\ncoord x, y\nkinetic x'"'^2 + y'^2"'\ninit x + y = 1, x - y = 0.5, x'"' + y'"' = 2, y ~ 3\noutput d = x - y\n' >sum.mbs
starts "sums of coordinates" sum.mbs 1e-9 x=0.75 y=0.25 d=0.5
{ cat fourbar.mbs; echo "init O.angle ~ 0.8, O.angle = 0.7"; } >twice.mbs
fails_with "a start value is given once" 1 "has a start value already" "$mbs" run twice.mbs --to 1
printf 'model m\ncoord x, y\nkinetic x'"'^2 + y'^2"'\ninit x'"'^2"' = 1\n' >square.mbs
fails_with "velocities enter linearly" 1 "must be linear in them" "$mbs" run square.mbs --to 1

# A coordinate without any init moves a hundred times as easily as a guess: of the missing 1/2 it takes 10000 parts of 10001.
printf 'model m\ncoord x, y\nkinetic x'"'^2 + y'^2"'\nconstraint sum: x + y = 1\ninit x ~ 0.5\n' >easily.mbs
starts "what has no init moves most easily" easily.mbs 1e-9 x=0.50004999500049995 y=0.49995000499950005

# A rod straight above the axis about which it turns: no length but the least at this angle, where the constraint has no derivatives but for rounding
cat >locked.mbs <<END
model locked
spatial
gravity [0.3, 0, -9.81]
body K { mass = 1, inertia = [1, 1.2, 1.3], com = [-0.2, 0.4, -0.3], point P = [0.104, 0.116, 0.696] }
joint J: revolute(ground @ [0.206, 0.342, -0.48], K.P) axis [0, 0, 1]
cut joint L: distance(K @ [0.188, -0.114, -0.488], ground @ [0.29, 0.112, -1.164]) length = 0.5
END
fails_with "a start without derivatives" 1 "the start is a singular position: constraint L.length.* loses its derivatives" "$mbs" run locked.mbs --to 0.1

# Two slides in a row and no mass between them: M is singular, but the recursions' pivot is a rounding error and no zero.
cat >slides.mbs <<END
model slides
planar
body K1 { mass = 1.574, com = [0.882, -0.891], inertia = 0.742, point P = [-0.252, 0.720] }
body K3 { point P = [0, 0] }
body K4 { point P = [1, 1] }
body K5 { point P = [0.639, -0.239] }
body K6 { mass = 0.773, com = [0.895, -0.852], inertia = 0.252, point P = [0, 0] }
body K7 { mass = 0.870, com = [0.563, -0.718], inertia = 0.124, point P = [1, 0] }
body K8 { mass = 1.346, com = [0.894, 0.301], inertia = 0.631, point P = [0.212, 0.539] }
body K9 { mass = 0.972, com = [0, 1], inertia = 0.430, point P = [0.932, 0.824] }
body K10 { mass = 2.4999, com = [-0.866, 0.613], inertia = 0.432, point P = [0.805, -0.252] }
body K11 { mass = 1.170, com = [0, 0], inertia = 0.159, point P = [1, 1] }
body K12 { mass = 0.792, com = [-0.248, -0.848], inertia = 0.421, point P = [-0.530, -0.198] }
joint J1: revolute(ground, K1)
joint J3: prismatic(ground @ [0.935, 0.071], K3) axis [0, 1]
joint J4: prismatic(K3.P, K4) axis [0, 1]
joint J5: revolute(K4.P, K5)
joint J6: fixed(K6, K5.P)
joint J7: prismatic(K7, K6.P) axis [1, 0]
joint J8: fixed(K8, K6.P)
joint J9: prismatic(K4.P, K9) axis [1, 0]
joint J10: prismatic(K8.P, K10) axis [0.388, 0.625]
joint J11: fixed(K5.P, K11)
joint J12: revolute(K11.P, K12)
END
for way in energies tree mixed rolled; do
    fails_with "no mass between two slides, $way" 1 "singular mass matrix: coordinate J[34].distance has no inertia" "$mbs" run slides.mbs --way=$way --to 0.1
done
done_testing
