#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# One-sided constraints, impacts and friction against formulas; what has no solution is named.
. "${top_srcdir:-.}/tests/tap.sh"
PATH=$top_builddir:$PATH
cd "$tmp" || exit 99
run() { mbs run "$1.mbs" -q -o "$1.csv" --rtol 1e-11 --atol 1e-13; }
# near FILE COLUMN VALUE TOLERANCE: the last row
near() { awk -F, -v c="$2" -v x="$3" -v tol="$4" 'END { d = $c - x; print $c, d; exit !(d <= tol && d >= -tol) }' "$1.csv"; }
# at FILE EVENT TIME TOLERANCE: the first time it happens
at() { awk -F, -v e="$2" -v x="$3" -v tol="$4" '$2 == e && !n++ { d = $1 - x; print $1, d } END { exit !(n && d <= tol && d >= -tol) }' "$1.events.csv"; }

# A ball: all impacts to 1e-12 up to 1e-9 s before the accumulation point t0 (1 + e)/(1 - e), and rest after it.
cat >ball.mbs <<'END'
model ball
param m: kg = 1, e = 0.9, grav: m/s^2 = 9.81
coord h: m
kinetic m*h'^2/2
potential m*grav*h
constraint floor: h >= 0, restitution = e
init h = 0.9
simulate { to = 10 }
END
ok "a ball comes to rest" run ball
ok "its impacts to 1e-12" awk 'BEGIN { FS = ","; e = 0.9; t0 = sqrt(2*0.9/9.81); end = t0*(1 + e)/(1 - e); t = t0; p = 2*e*t0 }
    $3 == "impulse" { d = $1 - t; if (d < 0) d = -d; if (d > worst) worst = d; n++; last = $1; t += p; p *= e }
    END { print n, worst, end - last; exit !(n > 200 && worst < 1e-12 && end - last < 1e-9) }' ball.events.csv
ok "it lies still" near ball 2 0 1e-15
sed 's/h >= 0/h >= 0.1/; s/h = 0.9/h = 1/' ball.mbs >high.mbs
ok "where bounces drown in rounding errors it rests, too" run high
ok "and lies where the floor is" near high 2 0.1 1e-12

# Two impacts of one mechanism: a slider that hits a stop carries the other one with it; m_eff = m1 + m2 (x/y)^2.
cat >trammel.mbs <<'END'
model trammel "Two sliders on a rod of length 1"
param m1: kg = 1, m2: kg = 3
coord x: m, y: m
kinetic m1*x'^2/2 + m2*y'^2/2
constraint rod: x^2 + y^2 = 1
constraint stop: x >= 0.3, restitution = 0.5
init x = 0.8, y ~ 0.6, x' = -1
simulate { to = 1 }
END
ok "an impact in a loop" run trammel
# T is conserved until then: x'^2 (m1 + m2 (x/y)^2) is; Lambda = (1 + e) m_eff |x'|
ok "the impulse moves the whole loop" awk -F, '$3 == "impulse" { E = 1 + 3*0.64/0.36; m = 1 + 3*0.09/0.91; L = 1.5*m*sqrt(E/m); d = $5 - L; print $5, L, d; good = d < 1e-9 && d > -1e-9 }
    END { exit !good }' trammel.events.csv
ok "and so does what follows: energy by e^2" awk -F, 'END { E = 1 + 3*0.64/0.36; d = $6 - 0.25*E/2; print $6, d; exit !(d < 1e-9 && d > -1e-9) }' trammel.csv

cat >stop.mbs <<'END'
model stop "A pendulum against stops"
planar
gravity [0, -9.81]
body rod { mass = 2, com = [0.5, 0], inertia = 0.1 }
joint pin: revolute(ground, rod) angle phi
limit L: on pin, lower = -2, upper = -0.5, restitution = 0.8
init phi = -1
simulate { to = 1.2 }
END
ok "limits of a joint" run stop
ok "the stop is hit with the speed of its fall" awk -F, '$3 == "phi\x27" && !n++ { J = 0.1 + 2*0.25; v = -sqrt(2*2*9.81*0.5*(sin(-1) - sin(-2))/J); d = $4 - v; e = $5 + 0.8*$4; print $2, d, e
    good = $2 == "L.lower impact" && d*d < 1e-18 && e*e < 1e-26 } END { exit !good }' stop.events.csv

cat >cradle.mbs <<'END'
model cradle "Balls in a row, elastic"
planar
for i in 1..3 {
    body ball[i] { mass = 0.2, inertia = 1 }
    joint rail[i]: prismatic(ground, ball[i]) axis [1, 0] distance x[i]
}
contact first: between ball[2] and ball[1], radius = 0.5, radius2 = 0.5, restitution = 1
contact second: between ball[3] and ball[2], radius = 0.5, radius2 = 0.5, restitution = 1
init x[1] = 0, x[2] = 1.5, x[3] = 2.7, x[1]' = 1
simulate { to = 1 }
END
ok "Newton's cradle" run cradle
ok "hands its momentum on" sh -c 'awk -F, "END { print; exit !(\$5 < 1e-12 && \$5 > -1e-12 && \$6 < 1e-12 && \$6 > -1e-12 && \$7 > 1 - 1e-12 && \$7 < 1 + 1e-12) }" cradle.csv'
ok "at 0.5 s" at cradle "first impact" 0.5 1e-14
ok "and at 0.7 s" at cradle "second impact" 0.7 1e-14

# Friction: a block on a slope at the angle of friction and a little beyond, a rolling disc, a block on a belt.
cat >slope.mbs <<'END'
model slope
param m: kg = 2, a: rad = 0.5, mu = 0.55, grav: m/s^2 = 9.81
coord x: m, y: m
kinetic m*(x'^2 + y'^2)/2
potential m*grav*(y*cos(a) - x*sin(a))
constraint ground: y >= 0, friction = mu, along = x'
init y = 0
simulate { to = 1 }
END
ok "a block on a slope" run slope
ok "stays below the angle of friction: tan 0.5 = 0.5463" near slope 2 0 1e-14
mbs run slope.mbs -q --set mu=0.5 --rtol 1e-11 -o slides.csv
ok "and slides beyond it" near slides 2 "$(awk 'BEGIN { printf "%.17g", 9.81*(sin(0.5) - 0.5*cos(0.5))/2 }')" 1e-10
cat >roll.mbs <<'END'
model roll "A ball that slides first: 5/7 of its speed is left when it rolls"
planar
gravity [0, -9.81]
body ball { mass = 1, inertia = 0.4*0.25 }
joint F: free(ground, ball) x bx y by angle turn
contact floor: between ball and ground, normal = [0, 1], radius = 0.5, friction = 0.2
init by = 0.5, bx = 0, bx' = 3
output rolling: m/s = bx' + 0.5 [m]*turn'
simulate { to = 1 }
END
ok "a ball rolls off sliding" run roll
ok "at 5/7 of its speed" near roll 5 "$(awk 'BEGIN { printf "%.17g", 15/7 }')" 1e-10
ok "from t = 2 v/(7 mu g) on" at roll "floor sticks" "$(awk 'BEGIN { printf "%.17g", 6/(7*0.2*9.81) }')" 1e-10
cat >belt.mbs <<'END'
model belt "A block on a belt and a spring"
param m: kg = 1, c: N/m = 100, mu = 0.3, grav: m/s^2 = 9.81, v: m/s = 0.2
coord x, y: m
kinetic m*(x'^2 + y'^2)/2
potential c*x^2/2 + m*grav*y
constraint belt: y >= 0, friction = mu, along = x' - v
init x' = v, y = 0
simulate { to = 1 }
END
ok "a block on a belt" run belt
ok "slides when the spring pulls mu m g" at belt "belt slides" "$(awk 'BEGIN { printf "%.17g", 0.3*9.81/(100*0.2) }')" 1e-10
cat >brake.mbs <<'END'
model brake "Friction of a joint: it stops, and stays"
planar
body sledge { mass = 2 }
joint rail: prismatic(ground, sledge) axis [1, 0] distance s
friction shoe: on rail, force = 3
torque push: on rail = if(t < 2 [s], 0, 5 [N/s]*(t - 2 [s]))
init s = 0, s' = 1.2
simulate { to = 2.59 }
END
ok "a brake" run brake
ok "stops the sledge at m v/F" at brake "shoe sticks" 0.8 1e-10
ok "after v^2 m/(2 F)" near brake 2 0.48 1e-10
mbs run brake.mbs -q --to 3 --rtol 1e-11 -o brake.csv
ok "and holds it until the push is stronger" at brake "shoe slides" 2.6 1e-9
cat >clutch.mbs <<'END'
model clutch "A shaft that turns forwards only, driven by cos t"
coord phi
kinetic phi'^2/2
force phi = cos(t)
constraint clutch: phi' >= 0
simulate { to = 6.283185307179586 }
END
ok "a one-way clutch" run clutch
ok "turns by 2 and, after a rest, by pi/2 - 1" near clutch 2 2.5707963267948966 1e-9
cat >rope.mbs <<'END'
model rope "A weight that falls into a rope, on a loose mass"
planar
gravity [0, -10]
body weight { mass = 1 }
body block { mass = 3 }
joint rail: prismatic(ground, block) axis [0, 1] distance b
joint fall: prismatic(ground, weight) axis [0, 1] distance w
spring hold: on rail, stiffness = 1e-9, distance = 0
force up: on block = [0, 30]
rope R: between weight and block, length = 0.45
init w = 0, b = 0
simulate { to = 0.5 }
END
ok "a rope tightens" run rope
ok "when the weight has fallen by its length: sqrt(2 l/g)" at rope "R impact" 0.3 1e-9
ok "and momentum is shared: 1 kg of 4" awk -F, '$2 == "R impact" && $3 == "w\x27" { d = $5 + 3/4; print $5, d; good = d < 1e-8 && d > -1e-8 } END { exit !good }' rope.events.csv
cat >box.mbs <<'END'
model box "A box dropped flat on three corners of one line: redundant"
planar
gravity [0, -9.81]
body box { mass = 1, inertia = 0.2, point a = [-0.5, -0.5], point b = [0.5, -0.5], point c = [0, -0.5] }
joint F: free(ground, box) x bx y by angle turn
contact A: between box.a and ground, normal = [0, 1], restitution = 0.3, friction = 0.4
contact B: between box.b and ground, normal = [0, 1], restitution = 0.3, friction = 0.4
contact C: between box.c and ground, normal = [0, 1], restitution = 0.3, friction = 0.4
init by = 0.7, bx' = 1
simulate { to = 3 }
END
ok "redundant contacts" run box
ok "leave the box flat and at rest" awk -F, 'END { print; exit !($3 > 0.5 - 1e-9 && $3 < 0.5 + 1e-9 && $4*$4 < 1e-18 && $5*$5 < 1e-18) }' box.csv
cat >ratchet.mbs <<'END'
model ratchet "A wheel with 12 teeth, pushed forth and back"
param J: kg*m^2 = 0.1, pitch: rad = pi/6
coord phi: rad
discrete tooth = 0
kinetic J*phi'^2/2
dissipation 0.1 [N*m*s]*phi'^2/2
force phi = 0.3*sin(3 [rad/s]*t)
when click: phi > (tooth + 1)*pitch { tooth = tooth + 1 }
constraint pawl: phi >= tooth*pitch, restitution = 0.2
simulate { to = 20 }
END
ok "a ratchet" run ratchet
ok "never turns back behind its tooth" awk -F, 'NR > 1 && $2 < $4*3.141592653589793/6 - 1e-9 { print; bad = 1 } END { print $4; exit !(!bad && $4 > 5) }' ratchet.csv

# Friction in space.  The slip of a sliding ball keeps its direction: it is |s| - 7/2 mu g t, so that the ball rolls from 2 |s|/(7 mu g) on.
cat >spin.mbs <<'END'
model spin "A ball that slides with side spin"
spatial
gravity [0, 0, -9.81]
body ball { mass = 1, inertia = [0.1, 0.1, 0.1] }
joint F: free(ground, ball) x bx y by z bz
contact floor: between ball and ground, normal = [0, 0, 1], radius = 0.5, friction = 0.2
init bz = 0.5, bx' = 3, by' = 1, F.e0 = 1, F.e1 = 0, F.e2 = 0, F.e3 = 0, F.e1' = 1, F.e2' = -0.5, F.e3' = 2
simulate { to = 1 }
END
ok "a ball with side spin, in space" run spin
ok "rolls when its slip of (3.5, 2) m/s is gone" at spin "floor sticks" "$(awk 'BEGIN { printf "%.17g", 2*sqrt(3.5^2 + 4)/(7*0.2*9.81) }')" 1e-10
ok "with 2/7 of the slip taken from its velocity along x" near spin 9 2 1e-10
ok "and along y" near spin 10 "$(awk 'BEGIN { printf "%.17g", 1 - 4/7 }')" 1e-10
cat >brick.mbs <<'END'
model brick "A brick on four corners, on a slope across which it is pushed"
spatial
gravity [0, 0, -9.81]
param mu = 0.5, a: rad = 0.4
body brick { mass = 2, inertia = [0.02, 0.03, 0.04] }
joint F: free(ground, brick)
for i in 0..3 {
    contact c[i]: between brick @ [0.2*(2*mod(i, 2) - 1), 0.15*(2*floor(i/2) - 1), -0.1] and ground, normal = [sin(a), 0, cos(a)], friction = mu
}
init F.x = 0.1*sin(a), F.z = 0.1*cos(a), F.e0 = cos(a/2), F.e1 = 0, F.e2 = sin(a/2), F.e3 = 0, F.y' = 1, F.x' = 0
simulate { to = 1 }
END
ok "a brick on four corners: more forces than equations" run brick
# down the slope x'' = g sin a - mu g cos a x'/v, across y'' = -mu g cos a y'/v: at rest after v0 mu/((mu^2 - tan^2 a) g cos a)
ok "comes to rest where friction holds it" at brick "c[0] sticks" "$(awk 'BEGIN { a = 0.4; t = sin(a)/cos(a); printf "%.17g", 0.5/((0.25 - t*t)*9.81*cos(a)) }')" 1e-8
ok "and stays there" sh -c 'awk -F, "END { print; for (i = 9; i <= 11; i++) if (\$i > 1e-12 || \$i < -1e-12) exit 1 }" brick.csv'
cat >spheres.mbs <<'END'
model spheres "Two equal balls, struck off centre: with mu = 1 they do not slide at the end of the impact"
spatial
gravity [0, 0, -10]
param mu = 1
body one { mass = 2, inertia = [0.2, 0.2, 0.2] }
body two { mass = 2, inertia = [0.2, 0.2, 0.2] }
joint A: free(ground, one)
joint B: free(ground, two)
contact hit: between two and one, radius = 0.5, radius2 = 0.5, restitution = 0.5, friction = mu
init A.x = 0, A.y = 0, A.z = 0, A.x' = 3, A.y' = 0.7, A.z' = -1, B.x = 1.3, B.y = 0.07, B.z = -0.1, B.x' = 0, B.y' = 0, B.z' = 0
simulate { to = 0.3 }
END
ok "two balls in space" run spheres
# at 0.1 s, central, along x: B gets (1 + e)/2 of 3 m/s; P_T = m s/7 (1/m + r^2/J, twice, is 7/m), so 1/7 of (0.7, -1), if that is below mu P_N
ok "restitution along the line of centres" near spheres 23 2.25 1e-9
ok "and a seventh of the sliding velocity across it" sh -c 'awk -F, "END { d = \$24 - 0.1; e = \$25 + 1/7 + 3; print d, e; exit !(d*d < 1e-18 && e*e < 1e-18) }" spheres.csv'
mbs run spheres.mbs -q --set mu=0.05 --rtol 1e-11 -o smooth.csv
ok "mu P_N if friction is less" sh -c 'awk -F, "END { s = sqrt(1.49); d = \$24 - 0.05*2.25*0.7/s; e = \$25 + 0.05*2.25/s + 3; print d, e; exit !(d*d < 1e-18 && e*e < 1e-18) }" smooth.csv'

# Time stepping: a heap comes to rest, and its energy never grows by more than 1e-6 of it; methods with events refuse it.
cp "$top_srcdir/models/impacts/pile.mbs" .
ok "a heap of discs and boxes" mbs run pile.mbs -q -o pile.csv
ok "loses energy until it rests" awk -F, 'NR == 2 { first = low = $NF + $(NF-1) } NR > 2 { e = $NF + $(NF-1); if (e > low + 1e-6*first) { print; bad = 1 } if (e < low) low = e }
    END { print $(NF-1); exit !(!bad && $(NF-1) < 1e-3*first) }' pile.csv
fails_with "events are not for heaps" 1 "does not know contacts of all bodies such as .*; moreau and nsalpha do" mbs run pile.mbs --solver dop853 -q -o p.csv
# first order across impacts: 10 impacts in 3 s, each at most a step of 1e-4 s late at 2 to 4 m/s
for m in moreau nsalpha; do
    mbs run ball.mbs -q --solver $m --step 1e-4 --to 3 -o $m.csv
    mbs run ball.mbs -q --to 3 --rtol 1e-11 -o exact.csv
    ok "$m: the ball after 3 s" sh -c 'awk -F, "{ x[FILENAME] = \$2 } END { d = x[\"exact.csv\"] - x[\"$1.csv\"]; print d; exit !(d*d < 1e-6) }" exact.csv $1.csv' sh $m
done

# What is thrown along the floor slides and then rolls, at 2/3 of its speed as a disc and 5/7 as a ball, whatever the friction: it keeps its moment of momentum about the
# place where it touches.  moreau keeps that of a disc to rounding; the others to their order, h^2 w^2 = 7e-4 of w = 13 rad/s, and of what turns in space h w.
cat >thrown.mbs <<'END'
model thrown "A disc and a ball that are thrown along the floor: they slide, then they roll"
option space = false
param mu = 0.2, m: kg = 2, r: m = 0.1
if space {
    spatial
    gravity [0, 0, -9.81]
    body B { mass = m, inertia = 0.4*m*r^2*[1, 1, 1], shape = sphere(r) }
    contact floor: between all and ground, normal = [0, 0, 1], friction = mu
    joint F: free(ground, B)
    init F.x' = 2, F.z = r
} else {
    planar
    gravity [0, -9.81]
    body B { mass = m, inertia = 0.5*m*r^2, shape = disc(radius = r) }
    contact floor: between all and ground, normal = [0, 1], friction = mu
    joint F: free(ground, B)
    init F.x' = 2, F.y = r
}
output speed = B.com'[1]
simulate { to = 1, step = 0.002, solver = moreau }
END
speed() { awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^speed/) c = i } END { print $c }' "$1"; }
rolls() { # rolls SPEED TOLERANCE OPTIONS...
    want=$1 tol=$2
    shift 2
    mbs run thrown.mbs -q -o thrown.csv "$@" && awk -v v="$(speed thrown.csv)" -v want="$want" -v tol="$tol" 'BEGIN { d = v/want - 1; print v, want, d; exit !(d <= tol && d >= -tol) }'
}
ok "a disc that slides ends rolling" rolls 1.3333333333333333 1e-9
ok "by the other stepping, too" rolls 1.3333333333333333 1e-3 --solver nsalpha
ok "with other friction" rolls 1.3333333333333333 1e-9 --set mu=0.7
ok "so does a ball" rolls 1.4285714285714286 3e-2 -D space
ok "by the other stepping, better" rolls 1.4285714285714286 1e-3 -D space --solver nsalpha

# Corners of boxes that meet at 5 m/s: the face that keeps them apart is that of the step's begin; from its middle, where they overlap, another may look nearest.
# Overlaps by a formula of its own, at most h v^2/r of what turns in a step, a thousandth of the box (3 hundredths by the face of the middle).
cat >corners.mbs <<'END'
model corners "A box that meets the corner of another one"
planar
param dx: m = 0.205, dy: m = 0.19, vx: m/s = -5, vy: m/s = 3, w: rad/s = 0, turn: rad = 0
body A { mass = 1, inertia = 0.01, shape = box(0.2, 0.2, 0.1) }
body B { mass = 1, inertia = 0.01, shape = box(0.2, 0.2, 0.1) }
joint FA: free(ground, A) x ax y ay angle aa
joint FB: free(ground, B) x bx y by angle ba
contact C: between all and all, friction = 0.3
init bx = dx, by = dy, bx' = vx, by' = vy, ba = turn, ba' = w
simulate { to = 0.05, step = 0.002, solver = moreau }
END
cat >deep.awk <<'END'
function abs(x) { return x < 0 ? -x : x }
# how deep corners of box (X, Y, A) are in box (x, y, a), half width 0.1
function deep(X, Y, A, x, y, a,   k, u, v, p, q, in1, m) { m = 0; for (k = 0; k < 4; k++) { u = k % 2 ? 0.1 : -0.1; v = k > 1 ? 0.1 : -0.1
    p = X + cos(A)*u - sin(A)*v - x; q = Y + sin(A)*u + cos(A)*v - y
    in1 = 0.1 - abs(cos(a)*p + sin(a)*q); if (0.1 - abs(-sin(a)*p + cos(a)*q) < in1) in1 = 0.1 - abs(-sin(a)*p + cos(a)*q)
    if (in1 > m) m = in1 } return m }
BEGIN { FS = "," } NR > 1 { d = deep($2, $3, $4, $5, $6, $7); e = deep($5, $6, $7, $2, $3, $4); if (d > most) most = d; if (e > most) most = e } END { print most; exit !(NR > 10 && most < 2e-4) }
END
for at in 0.202 0.205 0.208; do
    mbs run corners.mbs -q --set dx=$at --set dy=0.197 --set vy=0 --every 0.002 -o corners.csv
    ok "boxes corner to corner, from $at m" awk -f deep.awk corners.csv
done

# Three balls on top of each other whose impacts accumulate together, at intervals of no common ratio.  Leaps lower than the rounding of the gap are none, so
# that they come to rest event by event; where they do not within 2000 events, auto goes on by time stepping, and a method that was asked for says so.
cat >stack.mbs <<'END'
model stack "Balls that bounce on each other until they rest"
option n = 3
param e = 0.5, m[n]: kg = 1, r: m = 0.1
coord y[n]: m
for i in 1..n {
    kinetic m[i]*y[i]'^2/2
    potential m[i]*9.81 [m/s^2]*y[i]
}
constraint floor: y[1] >= r, restitution = e
for i in 2..n { constraint on[i]: y[i] - y[i-1] >= 2*r, restitution = e }
for i in 1..n { init y[i] = 0.15 [m] + 0.35 [m]*i }
simulate { to = 4 }
END
ok "impacts of several contacts accumulate" sh -c 'mbs run stack.mbs --set e=0.3 -o stack.csv >stack.txt && ! grep -q Zeno stack.txt && grep -q "floor: [0-9][0-9] impacts" stack.txt'
ok "and they rest" awk -F, 'END { d = $2 - 0.1; e = $3 - 0.3; f = $4 - 0.5; print d, e, f, $8; exit !(d*d < 1e-20 && e*e < 1e-20 && f*f < 1e-20 && $8 < 1e-20) }' stack.csv
ok "Zeno of several contacts: auto steps over it" sh -c 'mbs run stack.mbs --set e=0.75 -o stack.csv >stack.txt && grep -q "contacts meet without end at t = 0.99.*by moreau" stack.txt'
ok "and says so in JSON" sh -c 'mbs run stack.mbs --set e=0.75 --json -o stack.csv | grep -q "\"time_stepping_from\": 0.99"'
ok "and comes to rest on the floor" awk -F, 'END { d = $2 - 0.1; e = $3 - 0.3; f = $4 - 0.5; print d, e, f, $8; exit !(d*d < 1e-16 && e*e < 1e-16 && f*f < 1e-16 && $8 < 1e-16) }' stack.csv
fails_with "dop853 names the contacts" 1 "'\(floor\|on\[.\]\)' and others have met 2000 times between t = 0.99.*(Zeno)" mbs run stack.mbs --set e=0.75 --solver dop853 -q -o s.csv

# Time stepping against events: a stop in a closed loop, discs on the floor and on each other, a rod in space against a rough wall.  Of first order:
# with a quarter of the step a quarter of the mean error at 50 times (at most 0.4 of it: where an impact falls between two rows the largest one does not
# shrink); and the energy, with constant forces, never grows.
cat >gear_stop.mbs <<'END'
model gear_stop "A slider-crank whose slider hits a buffer"
planar
gravity [0, -9.81]
body c { mass = 1, inertia = 0.01, point p = [0.2, 0] }
body r { mass = 1, inertia = 0.03, point p = [0.6, 0] }
body s { mass = 1, inertia = 0.01 }
joint A: revolute(ground, c)
joint B: revolute(c.p, r)
joint C: revolute(r.p, s)
joint D: prismatic(ground, s) axis [1, 0], distance x
limit stop: on D, lower = 0.5, upper = 0.75, restitution = 0.5
init A.angle = 1.5, A.angle' = -2
simulate { to = 1 }
END
cat >two_discs.mbs <<'END'
model two_discs "A disc falls on a disc that lies"
planar
gravity [0, -9.81]
body a { density = 1000, shape = disc(0.1, 0.1) }
body b { density = 1000, shape = disc(0.15, 0.1) }
joint A: free(ground, a)
joint B: free(ground, b)
contact fa: between a and ground, radius = 0.1, normal = [0, 1], friction = 0.5
contact fb: between b and ground, radius = 0.15, normal = [0, 1], friction = 0.5
contact ab: between a and b, radius = 0.1, radius2 = 0.15, friction = 0.5, restitution = 0.3
init B.x = 0, B.y = 0.15, A.x = 0.07, A.y = 0.6
simulate { to = 0.8 }
END
cat >plane_stop3.mbs <<'END'
model plane_stop3 "A rod on a ball joint against a wall, in space"
spatial
gravity [0, 0, -9.81]
body r { mass = 1, inertia = [0.03, 0.03, 0.001], com = [0, 0, -0.3], point tip = [0, 0, -0.6] }
joint J: spherical(ground, r)
contact w: between r.tip and ground @ [0.1, 0, 0], normal = [-1, 0, 0], friction = 0.3, restitution = 0.5
init J.e2' = -0.6, J.e1' = 0.4
simulate { to = 0.8 }
END
off() { # MODEL STEP: the mean of the largest differences from the run by events, row by row; how much the energy grows
    mbs run $1.mbs -q --solver moreau --step $2 --every 0.02 -o $1.step.csv &&
        awk -F, 'FNR == 1 { next } NR == FNR { for (i = 2; i <= NF - 2; i++) x[FNR, i] = $i; next }
            { most = 0; for (i = 2; i <= NF - 2; i++) { d = $i - x[FNR, i]; if (d < 0) d = -d; if (d > most) most = d } sum += most; n++
              e = $NF + $(NF-1); if (n == 1 || e < low) low = e; if (e - low > grown) grown = e - low }
            END { print sum/n, grown }' $1.csv $1.step.csv
}
for m in gear_stop two_discs plane_stop3; do
    mbs run $m.mbs -q --rtol 1e-11 --atol 1e-11 --every 0.02 -o $m.csv
    coarse=$(off $m 1e-4) fine=$(off $m 2.5e-5)
    if awk -v a="$coarse" -v b="$fine" 'BEGIN { split(a, c); split(b, f); exit !(c[1] < 1e-2 && f[1] > 0 && f[1] < 0.4*c[1]) }'; then
        pass "$m: time stepping of first order towards events"
    else fail "$m: time stepping of first order towards events" "$coarse, $fine"; fi
done
ok "its energy does not grow" sh -c 'set -- $1; awk -v g="$2" "BEGIN { exit !(g < 1e-9) }"' sh "$(off two_discs 1e-4)"

# Two corners of a slider come to the wall again and again at one instant, one of them with next to no velocity: 400 impacts in the 0.2 s of its own experiment.
ok "a slider with clearance, to its end" mbs run "$top_srcdir/models/crank_clearance.mbs" -q -o clearance.csv
ok "by time stepping, too" mbs run "$top_srcdir/models/crank_clearance.mbs" -q --solver moreau --step 1e-5 -o clearance.csv

# Painleve: a rod that slides on a rough floor; at 0.9 rad of slope and mu = 2 no force agrees with Coulomb's law.
cat >painleve.mbs <<'END'
model painleve
planar
gravity [0, -9.81]
body rod { mass = 1, inertia = 1/12, point tip = [0.5, 0] }
joint F: free(ground, rod) x bx y by angle turn
contact floor: between rod.tip and ground, normal = [0, 1], friction = 2
init turn = -0.9, by = 0.5*sin(0.9), bx' = 1
simulate { to = 1 }
END
fails_with "no force is possible: that is named" 1 "no forces at floor agree with Coulomb's law.*Painleve" mbs run painleve.mbs -q -o p.csv
# ... turning with 6 rad/s its tip would rise without a force: leaving and jamming are both solutions
sed "s/bx' = 1/bx' = 1, turn' = 6, by' = -3*cos(0.9)/" painleve.mbs >both.mbs
fails_with "two solutions: that is named" 1 "the force at floor is not determined at t = 0: .*Painleve" mbs run both.mbs -q -o p.csv
sed 's/friction = 2/friction = 0.5/' both.mbs >one.mbs
ok "with less friction there is one" mbs run one.mbs -q --to 0.05 -o p.csv
cat >painleve3.mbs <<'END'
model painleve3
spatial
gravity [0, 0, -9.81]
body rod { mass = 1, inertia = [1/12, 1/12, 1/12], point tip = [0.5, 0, 0] }
joint F: free(ground, rod) x bx y by z bz
contact floor: between rod.tip and ground, normal = [0, 0, 1], friction = 2
init F.e2 = sin(0.45), bz = 0.5*sin(0.9), bx' = 0.6, by' = 0.1
simulate { to = 1 }
END
fails_with "nor in space" 1 "no forces at floor agree with Coulomb's law.*Painleve" mbs run painleve3.mbs -q -o p.csv
# Dry friction on the rocker of a four-bar linkage: in its dead centres the rocker has no velocity whatever the crank does, and friction there no way to act.  It does
# not stick: the motion is that of friction built up over a slip of 1e-4 rad/s (which is off by some 1e-6), at every tolerance.
cat >rocker.mbs <<'END'
model rocker
planar
gravity [0, -9.81]
body crank { mass = 1, com = [0.1, 0], inertia = 0.01, point tip = [0.2, 0] }
body rod { mass = 1.5, com = [0.25, 0], inertia = 0.03, point tip = [0.5, 0] }
body rocker { mass = 1, com = [0.2, 0], inertia = 0.02, point tip = [0.4, 0] }
joint A: revolute(ground, crank) angle alpha
joint B: revolute(crank.tip, rod) angle beta
joint C: revolute(ground @ [0.5, 0], rocker) angle gamma
cut joint L: revolute(rod.tip, rocker.tip)
friction drag: on C, moment = 0.3
init alpha = 1, beta ~ -0.5, gamma ~ 1.5, alpha' = 2
simulate { to = 1, every = 1 }
END
sed 's/moment = 0.3/moment = 0.3, slip = 1e-4/' rocker.mbs >slipping.mbs
mbs run slipping.mbs --rtol 1e-9 -q -o slipping.csv
for tol in 1e-6 1e-8 1e-10; do
    ok "a rocker with dry friction, tolerance $tol" mbs run rocker.mbs --rtol $tol --atol $tol -q -o rocker.csv
    ok "passes its dead centres" sh -c 'tail -qn 1 slipping.csv rocker.csv | awk -F, "{ d = \$2 - last; last = \$2 } END { print d; exit !(d < 1e-4 && d > -1e-4) }"'
done
sed 's/init h = 0.9/init h = -0.1/' ball.mbs >below.mbs
fails_with "a start inside the floor" 1 "at the start the one-sided constraint floor is violated by 0.1" mbs run below.mbs -q -o p.csv
fails_with "a method that does not know contacts" 1 "does not know one-sided constraints such as floor" mbs run ball.mbs --solver radau5 -q -o p.csv
sed 's/init h = 0.9/init h = 0/' ball.mbs >rest.mbs
fails_with "a start on the floor is no place to linearise" 1 "mbs_linearize knows no one-sided constraints that are closed" mbs linearize rest.mbs
fails_with "nor has a ball an equilibrium above it" 1 "no static equilibrium was found" mbs equilibrium ball.mbs
fails_with "a clutch is never smooth" 1 "mbs_modes does not know one-sided constraints such as" mbs modes clutch.mbs
sed '/^limit/d' stop.mbs >open.mbs
ok "between stops, modes are those without them" sh -c 'mbs modes stop.mbs >a.txt && mbs modes open.mbs >b.txt && diff a.txt b.txt'
for m in ball trammel stop cradle slope roll belt brake clutch rope box ratchet spin brick spheres gear_stop plane_stop3 pile; do
    ok "compare: gaps, rows and rates of $m" mbs compare $m.mbs
done
# Bodies by the dozen have a tree each: these are short as statements, however many there are; a robot of as many coordinates has loops.
free() { for i in $(seq "$1"); do echo "body B$i { mass = 1, inertia = [1, 2, 3] }"; echo "joint J$i: free(ground, B$i)"; done; }
{ printf 'model many\nspatial\n'; free 4; } >many.mbs
{ printf 'model robot\nspatial\nbody B0 { mass = 1, inertia = [1, 2, 3] }\njoint J0: free(ground, B0)\n'
    for i in $(seq 21); do echo "body B$i { mass = 1, inertia = [1, 2, 3], com = [0.1, 0, 0] }"; echo "joint J$i: revolute(B$((i - 1)) @ [1, 0, 0], B$i) axis [0, 1, 0]"; done; } >robot.mbs
ok "free bodies as statements" sh -c 'mbs info many.mbs | grep -q "derived by recursions" && ! mbs info many.mbs | grep -q "as loops"'
ok "a robot of as many coordinates with loops" sh -c 'mbs info robot.mbs | grep -q "as loops"'

done_testing
