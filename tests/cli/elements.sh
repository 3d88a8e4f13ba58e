#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Wheels, clutches, ratchets, friction by reactions and Poisson's law, against formulas and against each other.
. "${top_srcdir:-.}/tests/tap.sh"
PATH=$top_builddir:$PATH
cd "$tmp" || exit 99
run() { mbs run "$1.mbs" -q -o "$1.csv" --rtol 1e-11 --atol 1e-13; }
# near FILE NAME VALUE TOLERANCE: the last row of the column with this heading
near() {
    awk -F, -v name="$2" -v x="$3" -v tol="$4" 'NR == 1 { for (i = 1; i <= NF; i++) { sub(/ \[.*/, "", $i); if ($i == name) c = i } }
        END { d = $c - x; print $c, d; exit !(c && d <= tol && d >= -tol) }' "$1.csv"
}

# A thin disc that rolls about its centre, which stays where it is: Omega^2 sin(tilt) = 4 g/r (J = m r^2/4 about a diameter).
cat >coin.mbs <<'END'
model coin
spatial
gravity [0, 0, -9.81]
param m: kg = 0.4, r: m = 0.05, tilt: rad = 0.7
body disc { mass = m, inertia = [m*r^2/4, m*r^2/4, m*r^2/2] }
joint F: free(ground, disc)
wheel W: between disc and ground, normal = [0, 0, 1], axis = [0, 0, 1], radius = r
let Omega = sqrt(4*9.81 [m/s^2]/(r*sin(tilt)))
init F.x = 0, F.y = 0, F.e0 = cos(tilt/2), F.e1 = sin(tilt/2), F.e2 = 0, F.e3 = 0
init disc.omega = Omega*sin(tilt)*[0, cos(tilt), sin(tilt)]
output push = lambda(W)
simulate { to = 2 }
END
ok "a rolling disc" run coin
# 13 turns of Omega = 35/s at 1e-11 a step
ok "rolls about its centre" near coin F.x 0 1e-9
ok "at its height" near coin F.z 0.032210884361884552 1e-9
ok "its weight" near coin push.x -3.924 1e-8
ok "no traction" near coin push.y 0 1e-8
cat >hill.mbs <<'END'
model hill "A wheel down a hill, on a sledge that is pulled"
planar
gravity [0, -9.81]
param m: kg = 2, r: m = 0.3, slope: rad = 0.2
body wheel { mass = m, inertia = m*r^2/2 }
joint F: free(ground, wheel) x x y y angle phi
wheel W: between wheel and ground, normal = [sin(slope), cos(slope)], radius = r
init x = r*sin(slope), y = r*cos(slope), phi = 0
simulate { to = 2 }
END
ok "a wheel in a plane" run hill
ok "rolls with two thirds of g sin(slope)" near hill phi -8.661982822664676 1e-10
for m in coin hill; do
    ok "compare: $m" mbs compare $m.mbs
done

# A freewheel: pushed for a second, then let go.  Together (JA + JB) w' = 2 - c w; behind that the wheel alone.
cat >freewheel.mbs <<'END'
model freewheel
planar
param c: N*m*s = 0.05
body crank { mass = 1, inertia = 0.05 }
body wheel { mass = 2, inertia = 0.2 }
joint A: revolute(ground, crank) angle a
joint B: revolute(ground @ [0.5, 0], wheel) angle b
clutch free: between A and B
torque legs: on A = if(t < 1, 2, -1)
damper air: on B, damping = c
output ahead: rad/s = free.rate
simulate { to = 4 }
END
ok "a freewheel" run freewheel
ok "its speed by formula" near freewheel "b'" "$(awk 'BEGIN { w = 40*(1 - exp(-0.2)); printf "%.17g", w*exp(-0.75) }')" 1e-9
ok "lets go at 1 s" awk -F, '$2 == "free leaves" { d = $1 - 1; n++ } END { print n, d; exit !(n == 1 && d*d < 1e-24) }' freewheel.events.csv
sed 's/between A and B$/between B and A, backward = true/' freewheel.mbs >same.mbs
ok "the same said backward" sh -c 'mbs run same.mbs -q -o same.csv --rtol 1e-11 --atol 1e-13 && [ "$(tail -1 same.csv | cut -d, -f1-5)" = "$(tail -1 freewheel.csv | cut -d, -f1-5)" ]'
# A clutch that is run into: momentum of both
sed "s/init.*//; s/torque.*//; s/damper.*/init b' = -3, a' = 1/; s/to = 4/to = 0.5/" freewheel.mbs >jerk.mbs
ok "an impact in a clutch" run jerk
ok "keeps the momentum" near jerk "a'" -2.2 1e-12
ok "and both together" near jerk "b'" -2.2 1e-12

# A weight on a rope over a ratchet: pulled up by 2.6 teeth, it falls back to the second.
cat >winch.mbs <<'END'
model winch
planar
gravity [0, -9.81]
body load { mass = 3 }
joint rail: prismatic(ground, load) axis [0, 1] distance h
ratchet R: on rail, pitch = 0.1
force pull: on load = if(t < 0.2, 3*9.81 + 3*13 , 0)*[0, 1]
output tooth = R.tooth
simulate { to = 1 }
END
ok "a ratchet" run winch
# 13 t^2/2 = 0.26 at 0.2 s, then up by (2.6)^2/2g = 0.3445
ok "holds at the sixth tooth" near winch h 0.6 1e-12
ok "clicks six times" awk -F, '$2 == "R.click" { n++ } END { print n; exit n != 6 }' winch.events.csv
ok "at 0.1 m by formula" awk -F, '$2 == "R.click" && !n++ { d = $1 - sqrt(0.2/13) } END { print d; exit !(d*d < 1e-22) }' winch.events.csv
sed 's/pitch = 0.1/pitch = 0.1, tooth = -3/; s/if(t < 0.2.*, 0)/0/; s/simulate/init h = -0.15\nsimulate/' winch.mbs >start.mbs
ok "a start between teeth" run start
ok "is known from the first instant" sh -c 'grep -q "^0,R.click,R.tooth,-3,-2" start.events.csv'
ok "and falls to the tooth behind" near start h -0.2 1e-12
for m in freewheel winch; do
    ok "compare: $m" mbs compare $m.mbs
done

# Friction by the reaction: moment = mu r |N| with N = m (l phi'' + g sin, l phi'^2 + g cos) of a compound pendulum, J phi'' = -m g l sin - M.
cat >pin.mbs <<'END'
model pin "A pendulum on a dry pin"
planar
gravity [0, -9.81]
param m: kg = 2, l: m = 0.5, J: kg*m^2 = 0.1, mu = 0.3, r: m = 0.02
body rod { mass = m, inertia = J, com = [0, -l] }
joint pin: revolute(ground, rod)
friction dry: on pin, coefficient = mu, radius = r
init pin.angle = 1
output phi = pin.angle
output w = pin.angle'
output N = dry.normal
simulate { to = 40 }
END
balance='NR == 1 { for (i = 1; i <= NF; i++) { sub(/ \[.*/, "", $i); c[$i] = i } next }
    { p = $c["phi"]; w = $c["w"]; N = $c["N"]; s = w > 0 ? 1 : -1; a = w*w < 1e-16 ? 0 : (-2*9.81*0.5*sin(p) - s*0.3*0.02*N)/(0.1 + 2*0.25)
      x = 2*(0.5*a + 9.81*sin(p)); y = 2*(0.5*w*w + 9.81*cos(p)); d = N - sqrt(x*x + y*y); if (d < 0) d = -d; if (d > worst && w*w > 1e-8) worst = d }
    END { print worst; exit !(worst < 1e-9 && N > 19) }'
ok "friction by the reaction of a joint of the tree" run pin
ok "the reaction includes what friction does to it" awk -F, "$balance" pin.csv
ok "it sticks in the end, out of the middle" awk -F, '/dry sticks/ { t = $1 } END { print t; exit !(t > 28.4 && t < 28.6) }' pin.events.csv
sed 's/^planar/planar\ncoordinates absolute/' pin.mbs >absolute.mbs
ok "the same in absolute coordinates" run absolute
ok "the same reaction" awk -F, "$balance" absolute.csv
# the last of 36 half swings: 1e-11 a step, each stop found to rounding
ok "the same end" near absolute phi "$(awk -F, 'END { print $2 }' pin.csv)" 1e-7
sed 's/joint pin:/body eye { mass = 0 }\njoint hook: fixed(ground, eye)\njoint pin:/; s/(ground, rod)/(eye, rod)/' pin.mbs >reversed.mbs
ok "behind another body" run reversed
ok "the same reaction there" awk -F, "$balance" reversed.csv
sed 's/^planar/spatial/; s/\[0, -9.81\]/[0, -9.81, 0]/; s/inertia = J/inertia = [J, J, J]/; s/\[0, -l\]/[0, -l, 0.3]/' pin.mbs >space.mbs
ok "in space" run space
ok "the same reaction across the axis" awk -F, "$balance" space.csv
sed 's/^spatial/spatial\ncoordinates absolute/' space.mbs >space_absolute.mbs
sed -i "/output phi/d; s/output w = .*/output phi = atan2(-rod.rotation[1, 2], rod.rotation[1, 1])\noutput w = rod.omega[3]/" space_absolute.mbs
ok "in space, absolute" run space_absolute
ok "the same reaction across the axis, too" awk -F, "$balance" space_absolute.csv
sed 's/radius = r$/radius = r, slip = 1e-4/' pin.mbs >smooth.mbs
ok "built up over a slip" run smooth
# friction is M but for |w| of a few slips, that is for 1e-4/3 of each swing
ok "it swings as it does with dry friction" awk -F, 'NR == FNR { if ($1 == 9.6) x = $2; next } $1 == 9.6 { d = $2 - x; n++ } END { print d; exit !(n && d*d < 1e-8) }' pin.csv smooth.csv
for m in pin space absolute; do
    ok "compare: $m" mbs compare $m.mbs
done
# A block on a slope, in a groove: it slides if mu < tan(slope), with g (sin - mu cos); else it sticks.
cat >groove.mbs <<'END'
model groove
planar
param slope: rad = 0.5, mu = 0.3
gravity [9.81*sin(slope), -9.81*cos(slope)]
body block { mass = 2 }
joint rail: prismatic(ground, block) axis [1, 0] distance s
friction dry: on rail, coefficient = mu
simulate { to = 1 }
END
ok "a block in a groove" run groove
ok "slides by formula" near groove s "$(awk 'BEGIN { printf "%.17g", 9.81*(sin(0.5) - 0.3*cos(0.5))/2 }')" 1e-11
ok "or sticks" sh -c 'mbs run groove.mbs -q --set mu=0.6 -o stuck.csv && awk -F, "END { print \$2; exit !(\$2 < 1e-14 && \$2 > -1e-14) }" stuck.csv'
# An impact from the side presses the groove: friction of the impulse, mu times it, and then none where nothing presses
cat >bump.mbs <<'END'
model bump
planar
body block { mass = 2, inertia = 1, point front = [0, 0.1] }
body ball { mass = 1 }
joint rail: prismatic(ground, block) axis [1, 0] distance s
joint fall: prismatic(ground, ball) axis [0, -1] distance d
contact top: between ball and block.front, normal = [0, 1], restitution = 0.5
friction dry: on rail, coefficient = 0.2
init s' = 3, d = -0.5, d' = 4
simulate { to = 1 }
END
ok "an impact across a groove" run bump
ok "brakes by mu times the impulse" near bump "s'" 2.4 1e-12

# Poisson's law: compression takes all to the same velocity, 1/3, with impulses 2/3 and 1/3; expansion gives half and all of them.
cat >row.mbs <<'END'
model row "Three balls, the last two touch"
planar
for i in 1..3 {
    body ball[i] { mass = 1 }
    joint rail[i]: prismatic(ground, ball[i]) axis [1, 0] distance x[i]
}
contact first: between ball[2] and ball[1], radius = 0.5, radius2 = 0.5, restitution = 0.5, law = poisson
contact second: between ball[3] and ball[2], radius = 0.5, radius2 = 0.5, restitution = 1, law = poisson
init x[1] = 0, x[2] = 1.5, x[3] = 2.5, x[1]' = 1
simulate { to = 0.6 }
END
ok "Poisson's law" run row
ok "the first ball stands" near row "x[1]'" 0 1e-14
ok "the second has a third" near row "x[2]'" 0.33333333333333333 1e-14
ok "the last two thirds" near row "x[3]'" 0.66666666666666667 1e-14
sed 's/, law = poisson/, law = newton/' row.mbs >newton.mbs
ok "Newton's law is another one" sh -c 'mbs run newton.mbs -q -o newton.csv'
ok "of velocities" near newton "x[3]'" 0.5 1e-14
# A rod on its corners with friction: Lemke's way in the plane, the cone in space
cat >rod.mbs <<'END'
model rod
planar
gravity [0, -9.81]
body rod { mass = 1, inertia = 0.08, point a = [0.5, 0], point b = [-0.5, 0] }
joint F: free(ground, rod) x x y y angle w
contact A: between rod.a and ground, normal = [0, 1], friction = 0.3, restitution = 0.6, law = poisson
contact B: between rod.b and ground, normal = [0, 1], friction = 0.3, restitution = 0.6, law = poisson
init y = 1, w = -0.6, x' = 1.5
output place = rod.x
simulate { to = 1.5 }
END
sed "s/planar/spatial/; s/\[0, -9.81\]/[0, 0, -9.81]/; s/inertia = 0.08/inertia = [0.08, 0.08, 0.08]/; s/\[0.5, 0\]/[0.5, 0, 0]/; s/\[-0.5, 0\]/[-0.5, 0, 0]/
    s/x x y y angle w//; s/normal = \[0, 1\]/normal = [0, 0, 1]/; s/init.*/init F.z = 1, F.e0 = cos(0.3), F.e2 = sin(0.3), F.x' = 1.5/" rod.mbs >rod_space.mbs
ok "Poisson's law with friction in a plane" run rod
ok "and in space" run rod_space
# dozens of impacts, each of which magnifies what the steps leave
ok "are the same" near rod_space place "$(awk -F, 'END { print $(NF - 2) }' rod.csv)" 1e-8
# Shapes that touch: the same fall of 0.7 m for all pairs, 1 kg on 1000 kg that a spring holds, restitution 0.5.
pair() {
    case $1 in planar) g='[0, -9.81]' ax='[0, 1]' ;; *) g='[0, 0, -9.81]' ax='[0, 0, 1]' ;; esac
    printf 'model pair\n%s\ngravity %s\nbody A { shape = %s, mass = 1 }\nbody B { shape = %s, mass = 1e3 }\njoint R: prismatic(ground, A) axis %s distance h
joint S: prismatic(ground, B) axis %s distance d\nspring S1: on S, stiffness = 1e9\ncontact C: between A and B, shaped = true, %s\ninit h = 1, d = -1e3*9.81/1e9\nsimulate { to = 0.4 }\n' \
        "$1" "$g" "$2" "$3" "$ax" "$ax" "$4" >pair.mbs
    mbs run pair.mbs -q --rtol 1e-10 -o pair.csv
}
falls() { pair "$@" && awk -F, '$3 == "impulse" { t = $1; P += $5 } END { e = t - sqrt(2*0.70000981/9.81); p = P - 1.5*sqrt(2*9.81*0.70000981)/1.001; print e, p; exit !(e*e < 1e-20 && p*p < 1e-16) }' pair.events.csv; }
hard='restitution = 0.5, friction = 0.3'
ok "disc on disc" falls planar 'disc(0.1, 1)' 'disc(0.2, 1)' "$hard"
ok "disc on box" falls planar 'disc(0.1, 1)' 'box(0.5, 0.4, 1)' "$hard"
ok "box on disc" falls planar 'box(0.5, 0.4, 1)' 'disc(0.1, 1)' "$hard"
ok "box on box" falls planar 'box(0.3, 0.2, 1)' 'box(0.5, 0.4, 1)' "$hard"
ok "sphere on sphere" falls spatial 'sphere(0.1)' 'sphere(0.2)' "$hard"
ok "sphere on box" falls spatial 'sphere(0.1)' 'box(0.5, 0.5, 0.4)' "$hard"
ok "capsule on sphere" falls spatial 'capsule(0.2, 0.4, axis = x)' 'sphere(0.1)' "$hard"
# Soft ones: the depth of the fall by the energies, k s^2/2 = m g (0.7 m + s); the body below gives way by 1e-6 m
soft='stiffness = 1e5 [N/m]'
sinks() { # model's arguments, lowest h without depth
    pair "$1" "$2" "$3" "$soft" && mbs run pair.mbs -q --rtol 1e-9 --every 1e-5 -o pair.csv &&
        awk -F, 'NR > 1 { if (NR == 2 || $2 < low) low = $2 } END { g = 9.81; k = 1e5; s = (g + sqrt(g*g + 2*k*g*0.7))/k; d = 0.3 - low - s; print s, d; exit !(d*d < (2e-3*s)^2) }' pair.csv
}
ok "a soft disc on a disc" sinks planar 'disc(0.1, 1)' 'disc(0.2, 1)'
ok "a soft disc on a box" sinks planar 'disc(0.1, 1)' 'box(0.5, 0.4, 1)'
ok "a soft sphere on a sphere" sinks spatial 'sphere(0.1)' 'sphere(0.2)'
ok "a soft sphere on a box" sinks spatial 'sphere(0.1)' 'box(0.5, 0.5, 0.4)'
ok "a soft capsule on a sphere" sinks spatial 'capsule(0.2, 0.4, axis = x)' 'sphere(0.1)'
fails_with "two capsules are refused" 1 "these two shapes cannot touch each other here" pair spatial 'capsule(0.1, 0.4)' 'capsule(0.2, 0.4)' "$hard"
# Corners on sides, sides on corners, discs on corners: elastic and without friction they keep the energy
cat >tumble.mbs <<'END'
model tumble
planar
gravity [0, -2]
body box { shape = box(0.6, 0.3, 1), mass = 1 }
body disc { shape = disc(0.2, 1), mass = 0.5 }
body table { shape = box(4, 0.4, 1), mass = 20 }
joint F: free(ground, box) x x y y angle a
joint G: free(ground, disc) x u y v angle b
joint T: prismatic(ground, table) axis [0, 1] distance z
spring legs: on T, stiffness = 4000
contact A: between box and disc, shaped = true, restitution = 1
contact B: between box and table, shaped = true, restitution = 1
contact C: between table and disc, shaped = true, restitution = 1
init x = 0, y = 1.2, a = 0.7, a' = 2, u = 0.5, v = 0.7, b' = 5
simulate { to = 4 }
END
cat >coin.mbs <<'END'
model coin
spatial
gravity [0, 0, -9.81]
body coin { shape = cylinder(0.02, 0.003), mass = 0.01 }
joint F: free(ground, coin)
contact C: between coin and ground, normal = [0, 0, 1], shaped = true, restitution = 1
init F.z = 0.05, F.e0 = cos(0.4), F.e1 = sin(0.4), coin.omega = [3, 1, 10]
simulate { to = 0.5 }
END
keeps='NR == 2 { e = $(NF - 1) + $NF } NR > 1 { d = $(NF - 1) + $NF - e; if (d < 0) d = -d; if (d > w) w = d } END { print e, w; exit !(w < 1e-8*e) }'
for m in tumble coin; do
    ok "$m" run $m
    ok "$m keeps its energy through its impacts" awk -F, "$keeps" $m.csv
    ok "compare: $m" mbs compare $m.mbs
done
# The log in JSON has the rows of the CSV file
ok "the log as JSON" sh -c 'mbs run tumble.mbs -q --json -o j.csv >j.json && [ "$(grep -c "\"event\":" j.json)" = "$(($(wc -l <j.events.csv) - 1))" ]'
if mbs run tumble.mbs -q -o j.h5 2>/dev/null && command -v h5dump >/dev/null; then
    # every time and every value after, as the file of the same run as CSV has them
    h5numbers() { h5dump -y -w 1 -m '%.17g' -d "/events/$1" j.h5 | awk '/DATA/ { on = 1; next } /}/ { on = 0 } on { gsub(/[ ,]/, ""); print $0 + 0 }'; }
    column() { awk -F, -v c=$1 'NR > 1 { print $c + 0 }' j.events.csv; }
    ok "and in HDF5" sh -c 'h5dump -d /events/name j.h5 | grep -q "\"impulse\""'
    for c in 't 1' 'before 4' 'after 5'; do
        set -- $c
        [ -n "$(column $2)" ] && [ "$(h5numbers $1)" = "$(column $2)" ] && pass "the log read back from HDF5: $1" ||
            fail "the log read back from HDF5: $1" "$(h5numbers $1 | head -n 3)" "$(column $2 | head -n 3)"
    done
else
    skip "and in HDF5: no HDF5 or no h5dump"
fi
fails_with "time stepping says that it knows Newton's only" 1 "does not know Poisson's law, such as A" mbs run rod.mbs -q --solver moreau -o r.csv
fails_with "and no reactions" 1 "does not know friction by reactions, such as dry" mbs run pin.mbs -q --solver moreau -o r.csv

# Painleve's rod in a guide that holds it on both sides: (A - mu B) N = c for N > 0 and (A + mu B) N = c for N < 0 have no solution of that sign at mu = 2.
cat >jam.mbs <<'END'
model jam "A rod on a shoe that slides in a rough guide: Painleve's rod, held on both sides"
planar
gravity [0, -9.81]
param mu = 2
body shoe { mass = 0.01, inertia = 1e-5 }
body rod { mass = 1, inertia = 1/12, com = [-0.5, 0] }
joint guide: prismatic(ground, shoe) axis [1, 0] distance s
joint pin: revolute(shoe, rod) angle turn
friction rough: on guide, coefficient = mu
init s' = 1, turn = -0.9
simulate { to = 1 }
END
ok "friction by reactions, a rod on a shoe" mbs run jam.mbs -q --set mu=0.3 -o jam.csv
fails_with "no reactions agree with friction: the joint jams" 1 "no reactions agree with the friction of rough at t = 0: the joint jams" mbs run jam.mbs -q -o jam.csv

# A clutch, stops and dry friction on a joint that a loop locks: the constraints hold their rows already, so that they bear nothing.  Reactions as without them.
cat >lock.mbs <<'END'
model lock "A clutch, a stop and dry friction on a joint that a loop locks"
planar
gravity [0, -9.81]
body A { mass = 1, inertia = 0.1, com = [0.5, 0], point end = [1, 0] }
body B { mass = 1, inertia = 0.1, com = [0.5, 0], point end = [1, 0] }
joint J: revolute(ground, A) angle phi
joint K: revolute(A.end, B) angle psi
cut joint L: distance(ground, B.end) length = 1.2
clutch C: on K
limit S: on K, lower = -3, upper = 3
friction Q: on K, moment = 2
init phi = 0
simulate { to = 1 }
END
sed '/^clutch/d; /^limit/d; /^friction/d' lock.mbs >unlocked.mbs
mbs run lock.mbs -q --reactions --every 0.1 -o lock.csv
mbs run unlocked.mbs -q --reactions --every 0.1 -o unlocked.csv
ok "what the constraints hold already bears nothing" awk -F, 'NR == FNR { for (i = 1; i <= NF; i++) x[FNR, i] = $i; next }
    FNR > 1 { for (i = 1; i <= NF; i++) { d = $i - x[FNR, i]; if (d < 0) d = -d; if (d > most) most = d } n++ } END { print most; exit !(n > 9 && most < 1e-9) }' lock.csv unlocked.csv

# A drive that goes through a stop or against a clutch: no force can hinder it, and the run says so.  One that touches the stop and turns back goes on.
cat >driven.mbs <<'END'
model driven "A joint that is driven, with a stop and a clutch"
option how = 0
planar
param u: 1/s = 0.3
body B { mass = 1, inertia = 1, com = [0.3, 0] }
joint J: revolute(ground, B)
if how == 1 { clutch C: on J, backward = true } else { limit S: on J, upper = 0.2 }
if how == 2 { drive D: on J = 0.2*sin(u*t) } else { drive D: on J = u*t }
simulate { to = 20 }
END
for kind in relative absolute; do
    sed "s/^planar/planar\\ncoordinates $kind/" driven.mbs >driven_$kind.mbs
    fails_with "$kind: a drive through a stop" 1 "move S.upper beyond its bound at t = 0.66" mbs run driven_$kind.mbs -q -o driven.csv
    fails_with "$kind: a drive against a clutch" 1 "move C beyond its bound at t = 0" mbs run driven_$kind.mbs -q -D how=1 -o driven.csv
    ok "$kind: a drive that turns back at the stop" mbs run driven_$kind.mbs -q -D how=2 -o driven.csv
    for method in moreau nsalpha; do
        fails_with "$kind, $method: a drive through a stop" 1 "move S.upper beyond its bound at t = 0.6[67]" mbs run driven_$kind.mbs -q --solver $method --step 1e-3 -o driven.csv
        fails_with "$kind, $method: a drive against a clutch" 1 "move C beyond its bound at t = 0" mbs run driven_$kind.mbs -q -D how=1 --solver $method --step 1e-3 -o driven.csv
        ok "$kind, $method: a drive that turns back at the stop" mbs run driven_$kind.mbs -q -D how=2 --solver $method --step 1e-3 -o driven.csv
    done
done

done_testing
