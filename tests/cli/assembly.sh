#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Assembly by what people know: points, poses and joints of loops as guesses and as conditions; of several solutions the one near
# the guesses; the others by `mbs info --assemblies`; a rod without mass is no road.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"
. "${top_srcdir:-$(dirname "$0")/../..}/tests/at_start.sh"
mbs=$top_builddir/mbs
XDG_CACHE_HOME=$tmp/cache
export XDG_CACHE_HOME
cd "$tmp" || exit 99

# assemblies NAME MODEL COORDINATE VALUE...: the values of a coordinate in all that are found, the start first, to 1e-8 and whole turns
assemblies() {
    name=$1 model=$2 coordinate=$3
    shift 3
    "$mbs" info "$model" --assemblies >info 2>err
    bad=$(awk -v c="$coordinate" -v want="$*" '
        $1 == "assemblies" { count = $2 + 0 }
        $1 == c && count { for (i = 2; i <= NF; i++) is[++n] = $i }
        END {
            m = split(want, w, " ")
            if (count != m || n != m) print count, "assemblies, not", m
            for (k = 1; k <= m; k++) { d = is[k] - w[k]; t = sin(d/2); if (!(t < 1e-8 && t > -1e-8)) print c, "is", is[k], "not", w[k] }
        }' info)
    if [ -z "$bad" ]; then pass "$name"; else fail "$name" "$bad $(cat err)"; fi
}

# The four-bar by hand: P = (cos 0.7, sin 0.7); Q is 3 from P and 2 from (3, 0), on either side of the line between them
circles() {
    awk -v side="$1" 'BEGIN { px = cos(0.7); py = sin(0.7); dx = 3 - px; dy = -py; d = sqrt(dx*dx + dy*dy); a = atan2(dy, dx)
        c = (9 + d*d - 4)/(6*d); g = a + side*atan2(sqrt(1 - c*c), c); qx = px + 3*cos(g); qy = py + 3*sin(g); b = atan2(qy, qx - 3)
        printf "%.15g %.15g %.15g %.15g\n", g, b, qx, qy }'
}
up=$(circles 1) down=$(circles -1)
for kind in relative absolute; do
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
output oa = O.angle, g = rod.angle, b = rocker.angle, q = rod.Q, r = rocker.R, qs = rod.Q'
END
    # Closed by hand, to 1e-9: assembly ends at rounding.  The guesses are far off; they choose the side only.
    for side in up down; do
        if [ $side = up ]; then set -- $up; y=1; else set -- $down; y=-1; fi
        { cat fourbar.mbs; echo "init O.angle = 0.7, rod.Q ~ [2.7, $y]"; } >loop.mbs
        starts "$kind, $side: by a point" loop.mbs 1e-9 oa=0.7 "q.x=$3" "q.y=$4" "r.x=$3"
        { cat fourbar.mbs; echo "init O.angle = 0.7, rod.Q[2] ~ $y"; } >loop.mbs
        starts "$kind, $side: by one coordinate of a point" loop.mbs 1e-9 "q.x=$3" "q.y=$4"
        { cat fourbar.mbs; echo "init O.angle = 0.7, C.angle ~ $y"; } >loop.mbs
        starts "$kind, $side: by the joint that closes the loop" loop.mbs 1e-9 "q.x=$3" "q.y=$4"
        { cat fourbar.mbs; echo "init O.angle = 0.7, rod ~ at([1, 0.5], z = $y)"; } >loop.mbs
        starts "$kind, $side: by a pose" loop.mbs 1e-9 "q.x=$3" "q.y=$4"
        { cat fourbar.mbs; echo "init rod = at([cos(0.7), sin(0.7)], z = $1)"; } >loop.mbs
        starts "$kind, $side: by a pose that is kept" loop.mbs 1e-9 "q.x=$3" "q.y=$4" "r.y=$4"
        # A guess that can be met is met, but for the pull of the coordinates that nobody gave: 1e-8 of their way, 2 rad, and levers
        { cat fourbar.mbs; echo "init rod.Q ~ [$3, $4]"; } >loop.mbs
        starts "$kind, $side: a guess that can be met" loop.mbs 1e-6 "q.x=$3" "q.y=$4"
    done
    # With the place of the crank fixed, but no rate, Q' is along t, normal to the rocker; the nearest to (1, 0) is t (t.(1, 0)), but
    # for such a pull
    set -- $up
    { cat fourbar.mbs; echo "init O.angle = 0.7, rod.Q ~ [3, 2], rod.Q' ~ [1, 0]"; } >loop.mbs
    starts "$kind: a guess of a velocity" loop.mbs 1e-6 "qs.x=$(awk -v b="$2" 'BEGIN { printf "%.15g", sin(b)*sin(b) }')"
    # Q is 2 from (3, 0) and at most 4 from the origin: nearest to (10, 0) where both are so, x = (16 + 9 - 4)/6
    { cat fourbar.mbs; echo "init rod.Q ~ [10, 0.1]"; } >loop.mbs
    starts "$kind: a guess out of reach is as near as can be" loop.mbs 1e-3 q.x=3.5 "q.y=$(awk 'BEGIN { printf "%.15g", sqrt(3.75) }')"
    { cat fourbar.mbs; echo "init rod.Q = [10, 0.1]"; } >loop.mbs
    fails_with "$kind: a point out of reach is refused" 1 'cannot be met: it is off by .*rod.Q' "$mbs" run loop.mbs --to 1
    { cat fourbar.mbs; echo "init O.angle = 0.7, rod = at([1, 1], z = 0.2)"; } >loop.mbs
    fails_with "$kind: a pose out of reach is refused" 1 'cannot be met: it is off by .*rod' "$mbs" run loop.mbs --to 1

    if [ $kind = relative ]; then rocker=B.angle; else rocker=rocker.angle; fi
    { cat fourbar.mbs; echo "init O.angle = 0.7, rod.Q ~ [3, 2]"; } >loop.mbs
    set -- $up $down
    assemblies "$kind: both assemblies, the meant one first" loop.mbs $rocker "$2" "$6"
    { cat fourbar.mbs; echo "init O.angle = 0.7, rod.Q ~ [3, -2]"; } >loop.mbs
    assemblies "$kind: the other way round" loop.mbs $rocker "$6" "$2"

    # A Delta robot: three arms of 0.2 turn about tangents of a circle of radius 0.12, two rods of 0.5 lead from the end of each
    # to a platform of radius 0.04.  The platform's place gives the arms by hand: with x outwards, the knee (0.12 + 0.2 c, 0.2 s) and
    # the platform's point (u, w), sideways v: (0.08 + 0.2 c - u)^2 + v^2 + (0.2 s - w)^2 = 0.5^2
    cat >delta.mbs <<END
model delta
spatial
coordinates $kind
gravity [0, 0, -9.81]
for i in 1..3 {
    let turn[i] = 2*pi*(i - 1)/3
    body arm[i] { mass = 0.3, inertia = [1e-4, 1e-3, 1e-3], com = [0.1, 0, 0], point L = [0.2, 0.03, 0], point R = [0.2, -0.03, 0] }
    joint J[i]: revolute(ground @ at([0.12*cos(turn[i]), 0.12*sin(turn[i]), 0], z = turn[i]), arm[i]) axis [0, -1, 0]
}
body plate { mass = 0.2, inertia = [1e-4, 1e-4, 2e-4] }
joint F: free(ground, plate)
for i in 1..3 {
    joint L[i]: distance(arm[i].L, plate @ at([0.04*cos(turn[i]) - 0.03*sin(turn[i]), 0.04*sin(turn[i]) + 0.03*cos(turn[i]), 0])) length = 0.5
    joint R[i]: distance(arm[i].R, plate @ at([0.04*cos(turn[i]) + 0.03*sin(turn[i]), 0.04*sin(turn[i]) - 0.03*cos(turn[i]), 0])) length = 0.5
}
for i in 1..3 { output a[i] = asin(arm[i].rotation[3, 1]) }
output p = plate.origin, upright = plate.rotation[3, 3], ahead = plate.rotation[1, 1]
END
    arms=$(awk 'BEGIN { x = 0.05; y = -0.03; z = -0.42
        for (i = 0; i < 3; i++) { t = 2*atan2(0, -1)*i/3; u = x*cos(t) + y*sin(t) - 0.08; v = -x*sin(t) + y*cos(t)
            k = (u*u + v*v + z*z + 0.04 - 0.25)/0.4; r = sqrt(u*u + z*z); e = atan2(z, u)     # c u + s z = k
            m = e + atan2(sqrt(1 - k*k/(r*r)), k/r); printf "a[%d]=%.15g ", i + 1, m } }')
    { cat delta.mbs; echo "init plate = at([0.05, -0.03, -0.42])"; for i in 1 2 3; do echo "init J[$i].angle ~ 0.1"; done; } >robot.mbs
    starts "$kind: a Delta robot by the pose of its platform" robot.mbs 1e-9 p.x=0.05 p.y=-0.03 p.z=-0.42 upright=1 ahead=1 $arms
    { cat delta.mbs; echo "init plate.origin = [0.05, -0.03, -0.42], plate ~ at([0, 0, -0.4], z = 0.2, x = -0.1)"; for i in 1 2 3; do echo "init J[$i].angle ~ 0.1"; done; } >robot.mbs
    starts "$kind: by the place of its platform" robot.mbs 1e-9 p.x=0.05 p.y=-0.03 p.z=-0.42 upright=1 ahead=1 $arms
done

# A correction of 9e-4 after which the slope has changed by more than half: whoever kept it would come nearer by 0.56 a step, and stop a millionth before
printf 'model m\ncoord x, y\nkinetic x'"'^2 + y'^2"'\nconstraint c: y^2 = 1e-6\ninit x = 0, y ~ 2.3e-3\n' >curved.mbs
starts "a curved constraint is met to rounding" curved.mbs 1e-15 y=1e-3

# Met but for the pull of the coordinates that nobody gave, 1e-8 of their way
printf 'model m\ncoord x, y\nkinetic x'"'^2 + y'^2"'\ninit x + y ~ 1, x - y = 0.2\n' >guess.mbs
starts "sums that are guessed" guess.mbs 1e-7 x=0.6 y=0.4

# A rod from ground to the last link is shorter than the way through the links, but it is not the road
cat >rod.mbs <<END
model rod
planar
body one { mass = 1, inertia = 1, point P = [1, 0] }
body two { mass = 1, inertia = 1, point P = [1, 0], point Q = [2, 0] }
joint R: distance(ground @ [2, 1], two.P) length = 0.5
joint O: revolute(ground, one)
joint A: revolute(one.P, two)
body bob { mass = 1, inertia = 1 }
joint S: distance(two.Q, bob) length = 1
init A.angle = 0.6, O.angle ~ 0
END
"$mbs" info rod.mbs >info 2>err
has() { grep -q "^$1 *$2 *$3 " info; }
ok "the tree goes through joints, not through rods" has two one A
ok "but through a rod where nothing else leads to a body" has bob two S
ok "the start value of a joint beside a rod is that of a coordinate" grep -q '^A.angle .*fixed *0\.6 ' info
printf 'model m\nplanar\nbody K { mass = 1, inertia = 1 }\njoint J: revolute(ground, K)\ninit ground = at([0, 0])\n' >ground.mbs
fails_with "the ground has no pose" 1 "the ground does not move" "$mbs" run ground.mbs --to 1
printf 'model m\nplanar\nbody K { mass = 1, inertia = 1 }\njoint J: revolute(ground, K)\ninit K = at([0, 0]), K = at([0, 0], z = 1)\n' >twice.mbs
fails_with "a pose is given once" 1 "has a start value already" "$mbs" run twice.mbs --to 1
printf 'model m\nplanar\nbody K { mass = 1, inertia = 1 }\njoint J: revolute(ground, K)\ninit K'"'"' = at([0, 0])\n' >rate.mbs
fails_with "a pose has no rate" 1 "a pose has no rate" "$mbs" run rate.mbs --to 1
done_testing
