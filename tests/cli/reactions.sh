#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Reactions of joints: those of relative coordinates (virtual displacements) against the multipliers of absolute ones, joint by joint; efforts of
# drives; momenta against their balance; inverse dynamics in a control law.
. "${top_srcdir:-.}/tests/tap.sh"
mbs=$top_builddir/mbs
XDG_CACHE_HOME=$tmp/cache
export XDG_CACHE_HOME

# same WHAT TOLERANCE COLUMNS: the columns whose names match agree in the last rows of relative.csv and absolute.csv, relative to the largest
same() {
    what=$1
    if out=$(awk -F, -v tol="$2" -v pick="$3" '{ sub(/\r$/, "") }
        FNR == 1 { file++; for (i = 1; i <= NF; i++) name[file, i] = $i }
        { for (i = 1; i <= NF; i++) if (name[file, i] ~ pick) last[file, name[file, i]] = $i }
        END { for (k in last) { split(k, part, SUBSEP); if (part[1] == 2) { n++
                  d = last[1, part[2]] - last[2, part[2]]; d = d < 0 ? -d : d; s = last[2, part[2]]; s = s < 0 ? -s : s
                  if (d > worst) worst = d; if (s > size) size = s } }
              print n " columns, off by " worst " of " size; exit !(n && size > 0 && worst <= tol*size) }' "$tmp/relative.csv" "$tmp/absolute.csv"); then
        pass "$what"
    else
        fail "$what" "$out"
    fi
}
both() {
    for c in relative absolute; do
        sed "s/COORDINATES/$([ $c = absolute ] && echo coordinates absolute)/" >"$tmp/$c.mbs" <"$tmp/model"
        "$mbs" run -q --interpret "$tmp/$c.mbs" -o "$tmp/$c.csv" || rm -f "$tmp/$c.csv"
    done
}

# One joint of each kind from the ground and one beyond it, with a spring, a force in body axes and a torque; forwards or backwards.  Runs at
# 1e-11; reactions follow the accelerations, whose error is that of the state times stiffness over mass, below 1e3.
joint_of() {
    place="ground @ [0.1, 0.2, 0.3], A @ [0.05, 0.1, 0]"
    [ "$4" = forwards ] || place="A @ [0.05, 0.1, 0], ground @ [0.1, 0.2, 0.3]"
    cat >"$tmp/model" <<END
model one
spatial
COORDINATES
gravity [3, -2, -9.81]
body A { mass = 2, inertia = [0.02, 0.03, 0.04], com = [0.1, 0.02, -0.03], point P = [0.4, 0.1, 0] }
body B { mass = 1.5, inertia = [0.01, 0.03, 0.02], com = [0.05, 0, 0.1], point Q = [0.2, 0, 0.3] }
joint J: $1($place)$2
joint K: revolute(A.P, B), axis = [0, 0.6, 0.8]
spring S: between ground @ [1, 0.5, 0] and B.Q, stiffness = 40, length = 0.2, damping = 0.3
force F: on A.P = [1, 2, -0.5], axes body
torque T: on B = [0.1, 0.2, -0.5]
init $3 K.angle = 0.5, K.angle' = 2
output F = J.reaction, M = J.moment, FK = K.reaction, MK = K.moment
simulate { to = 0.2, rtol = 1e-11 }
END
    both
    same "reactions of a joint $1, $4" 1e-8 '^[FM]K?\.'
}
joint_of revolute ", axis = [0, 0.6, 0.8]" "J.angle = 0.3, J.angle' = 1," forwards
joint_of prismatic ", axis = [0, 0.6, 0.8]" "J.distance = 0.3, J.distance' = 1," backwards
joint_of fixed "" "" forwards
joint_of cylindrical ", axis = [0, 0.6, 0.8]" "J.distance = 0.3, J.distance' = 1, J.angle' = 2," backwards
joint_of universal ", axis = [1, 0, 0], axis2 = [0, 1, 0]" "J.angle1 = 0.3, J.angle2' = 1," forwards
joint_of spherical ", angles = zxz" "J.angle1 = 0.3, J.angle2 = 0.7, J.angle2' = 1," backwards
joint_of planar ", axis = [0, 0.6, 0.8]" "J.x = 0.3, J.angle' = 1," forwards
joint_of screw ", axis = [0, 0.6, 0.8], pitch = 0.1" "J.angle = 0.3, J.angle' = 1," backwards
joint_of point_on_line ", axis = [0, 0.6, 0.8], angles = zxz" "J.distance = 0.3, J.distance' = 1, J.angle2 = 0.5," forwards
joint_of constant_velocity ", axis = [0, 0.6, 0.8]" "J.e1 = 0.3, J.e2' = 1," backwards
joint_of distance ", length = 0.4, angles = zxz" "J.longitude = 0.3, J.latitude = 0.2, J.angle2 = 0.5," forwards

# A loop, a drive, a gear, springs and friction on coordinates, a constraint of the user.
cat >"$tmp/model" <<'END'
model loop
planar
COORDINATES
gravity [0, -9.81]
body A { mass = 2, inertia = 0.04, com = [0.1, 0], point P = [0.2, 0] }
body B { mass = 1.5, inertia = 0.03, com = [0.3, 0.02], point Q = [0.6, 0] }
body C { mass = 1, inertia = 0.01 }
body W { mass = 0.5, inertia = 0.02, com = [0.05, 0] }
body L { mass = 0.7, inertia = 0.03, com = [0.1, 0], point E = [0.3, 0] }
joint J1: revolute(ground, A)
joint J2: revolute(A.P, B)
joint J3: revolute(B.Q, C)
joint J4: prismatic(ground, C), axis = [1, 0]
joint J5: revolute(ground @ [0, 0.5], W)
joint J6: slot(C, L), axis = [0, 1]
drive D: on J1 = 5*t + 0.3
gear G: between J1 and J5, ratio = -2
spring S: on J2, stiffness = 3, angle = 0.1, damping = 0.2
spring S4: on J4, stiffness = 30, distance = 0.5
constraint held: L.E[2] = 0.1
force F: on C = [-3, 0]
init J2.angle ~ -0.5, J6.angle = 0.2, J6.angle' = 1
output F1 = J1.reaction, F2 = J2.reaction, F3 = J3.reaction, F4 = J4.reaction, M4 = J4.moment, F5 = J5.reaction, F6 = J6.reaction, M6 = J6.moment
output T = D.torque, P = D.power, TG = G.torque, E = J4.distance
simulate { to = 0.3, rtol = 1e-10 }
END
both
same "reactions in a loop; what a drive and a gear do" 1e-8 '^([FM][1-6]|T|P|TG|E)'

# The balance of momenta: force and moment of the only joint with the ground are the rates of all momentum less gravity, on a chain with a free end.
cat >"$tmp/chain.mbs" <<'END'
model chain
spatial
gravity [0, 0, -9.81]
for i in 1..4 { body K[i] { mass = 1, inertia = [0.01, 0.02, 0.03], com = [0.1, 0, 0], point E = [0.3, 0.05, 0] } }
joint J[1]: universal(ground @ [0.2, 0.1, 0], K[1]), axis = [1, 0, 0], axis2 = [0, 1, 0]
for i in 2..4 { joint J[i]: revolute(K[i-1].E, K[i]), axis = [0, 0.6, 0.8] }
init J[1].angle1 = 0.5, J[1].angle2' = 1, J[3].angle' = -2
output dF = all.momentum' - all.mass*[0, 0, -9.81] - J[1].reaction
output dM = all.angular_momentum' - cross(all.com, all.mass*[0, 0, -9.81]) - cross([0.2, 0.1, 0], J[1].reaction) - J[1].moment
output F = J[1].reaction
simulate { to = 0.5, rtol = 1e-8 }
END
"$mbs" run -q --interpret "$tmp/chain.mbs" -o "$tmp/chain.csv"
ok "the joint with the ground carries the rate of all momentum, to rounding" awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) { if ($i ~ /^d[FM]\./) d[i]; if ($i ~ /^F\./) f[i] } }
    NR > 1 { for (i in d) if ($i > 1e-12 || $i < -1e-12) bad = bad " " $i; for (i in f) if ($i > 5 || $i < -5) any = 1 } END { print bad; exit bad != "" || !any }' "$tmp/chain.csv"

# A beam on a clamp that hangs: weight and its moment about the clamp at rest, to the accuracy of the equilibrium.
cat >"$tmp/beam.mbs" <<'END'
model clamp
planar
gravity [0, -10]
beam B { length = 2, density = 8000, area = 1e-3, youngs = 2e11, moment = 1e-6, elements = 3 }
joint J: fixed(ground, B.start)
output F = J.reaction, M = J.moment
simulate { to = 0 [s] }
END
sed -i 's/simulate.*/simulate { to = 1e-3 }/' "$tmp/beam.mbs"
"$mbs" run -q --interpret --at-equilibrium "$tmp/beam.mbs" -o "$tmp/beam.csv" || fail "5e-16 J are no drift of a beam at rest"
ok "a clamped beam at rest: its weight and moment" awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) { if ($i ~ /^F.y/) y = i; if ($i ~ /^M/) m = i } }
    END { print $y, $m; exit !(($y - 160)^2 < 1e-8 && ($m - 160)^2 < 1e-3) }' "$tmp/beam.csv"

# Computed torque: with the forces of inverse dynamics the accelerations are those that were wished, whatever the motion.
cat >"$tmp/arm.mbs" <<'END'
model arm
planar
param g: m/s^2 = 9.81
gravity [0, -g]
body A { mass = 2 [kg], inertia = 0.04 [kg*m^2], com = [0.25, 0], point P = [0.5, 0] }
body B { mass = 1.5 [kg], inertia = 0.03 [kg*m^2], com = [0.25, 0] }
joint J1: revolute(ground, A)
joint J2: revolute(A.P, B)
damper D: on J1, damping = 0.2
spring S: on J2, stiffness = 2, angle = 0.3
let wish = [9/1 [s^2]*(sin(2*t/1 [s]) - J1.angle) - 6/1 [s]*J1.angle', 9/1 [s^2]*(0.5 - J2.angle) - 6/1 [s]*J2.angle']
let tau = inverse(wish)
torque T1: on J1 = tau[1]
torque T2: on J2 = tau[2]
init J1.angle = 0.3
output d = [J1.angle'' - wish[1], J2.angle'' - wish[2]]
simulate { to = 3, rtol = 1e-8 }
END
"$mbs" run -q --interpret "$tmp/arm.mbs" -o "$tmp/arm.csv"
ok "computed torque gives the wished accelerations, to rounding" awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^d\./) d[i] }
    NR > 1 { n++; for (i in d) if ($i > 1e-12 || $i < -1e-12) bad = bad " " $i } END { print bad; exit bad != "" || n < 100 }' "$tmp/arm.csv"

# The work of drives.  One crank against gravity at constant speed: m g a sin(Omega t), by methods of all kinds; tolerance 1e-8, bound 1e-6.
cat >"$tmp/work.mbs" <<'END'
model work
planar
gravity [0, -9.81]
param Omega: rad/s = 3
body A { mass = 2 [kg], inertia = 0.02 [kg*m^2], com = [0.5, 0] }
joint J: revolute(ground, A)
drive D: on J = Omega*t
output W = 2*D.work, D.work
simulate { to = 1, rtol = 1e-8, atol = 1e-8 }
END
for solver in dop853 radau genalpha; do
    "$mbs" run -q --interpret --solver $solver "$tmp/work.mbs" -o "$tmp/work.csv"
    ok "work of a drive: $solver" awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) { if ($i == "D.work [J]") { w = i; n++ } if ($i == "W [J]") d = i } next }
        { e = $w - 9.81*sin(3*$1); if (e < 0) e = -e; if (e > m) m = e; if ($d != 2*$w) bad = 1 } END { print n, m, bad; exit bad || n != 1 || NR < 100 || m > 1e-6 }' "$tmp/work.csv"
done
# Two drives in a loop, a spring, a damper: together they change the energy, in relative and in absolute coordinates alike (tolerance 1e-10, both bounds 1e-8).
cat >"$tmp/five.mbs" <<'END'
model five
planar
gravity [0, -9.81]
body A { mass = 1, inertia = 0.01, com = [0.15, 0], point P = [0.3, 0] }
body B { mass = 1, inertia = 0.01, com = [0.15, 0], point P = [0.3, 0] }
body C { mass = 0.5, inertia = 0.01, com = [0.2, 0], point P = [0.4, 0] }
body E { mass = 0.5, inertia = 0.01, com = [0.2, 0], point P = [0.4, 0] }
joint JA: revolute(ground, A)
joint JB: revolute(ground @ [0.2, 0], B)
joint JC: revolute(A.P, C)
joint JE: revolute(B.P, E)
joint tip: revolute(C.P, E.P)
drive D1: on JA = 2 + 0.5*sin(3*t)
drive D2: on JB = 1.2 + 0.4*sin(5*t)
spring S: between ground @ [0.1, 0.8] and C.P, stiffness = 50, length = 0.2
damper d: between ground @ [0.5, 0.8] and C.P, damping = 3
init JC.angle ~ -0.8, JE.angle ~ 0.8
output D1.work, D2.work, d.work, sprung = S.work, P1 = D1.power, length = S.length
simulate { to = 1, rtol = 1e-10, atol = 1e-10 }
END
sed 's/^planar/planar\ncoordinates absolute/' "$tmp/five.mbs" >"$tmp/five_absolute.mbs"
for m in five five_absolute; do
    "$mbs" run -q --interpret "$tmp/$m.mbs" -o "$tmp/$m.csv"
    ok "work of two drives: $m" awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) { split($i, name, " "); c[name[1]] = i } next }
        NR == 2 { E = $c["kinetic"] + $c["potential"]; l = $c["length"] }
        { e = $c["kinetic"] + $c["potential"] - E - $c["D1.work"] - $c["D2.work"] + $c["d.work"]; s = $c["S.work"] - 25*(($c["length"] - 0.2)^2 - (l - 0.2)^2)
          if (e < 0) e = -e; if (e > m) m = e; if (s < 0) s = -s; if (s > k) k = s }
        END { print m, k, $c["D1.work"]; exit !(m < 1e-8 && k < 1e-8 && $c["d.work"] > 0.5) }' "$tmp/$m.csv"
    ok "... and its rate and Jacobians, by the witness" "$mbs" compare "$tmp/$m.mbs"
done
ok "and each is the same in both" sh -c 'for f in five five_absolute; do awk -F, "NR == 1 { for (i = 1; i <= NF; i++) { split(\$i, n, \" \"); c[n[1]] = i } } END { printf \"%.8f %.8f\\n\", \$c[\"D1.work\"], \$c[\"D2.work\"] }" "$1/$f.csv"; done | uniq | wc -l | grep -q "^ *1\$"' sh "$tmp"
# An accelerometer behind a filter: the state's rate has an acceleration in it.  x'' = 6 t, z' = 100 (x'' - z): z = 6 t - 0.06 (1 - exp(-100 t)).
cat >"$tmp/filter.mbs" <<'END'
model filter
coord x: m
state z: m/s^2 = 0
kinetic 2 [kg]*x'^2/2
force x = 12 [N/s]*t
z' = 100 [1/s]*(x'' - z)
simulate { to = 1, rtol = 1e-9, atol = 1e-9 }
END
"$mbs" run -q --interpret "$tmp/filter.mbs" -o "$tmp/filter.csv"
ok "a state may follow an acceleration" awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^z /) z = i; next } { e = $z - 6*$1 + 0.06*(1 - exp(-100*$1)); if (e < 0) e = -e; if (e > m) m = e } END { print m; exit !(z && m < 1e-6) }' "$tmp/filter.csv"
# A third crank of a parallelogram says what the others say: how the rows share the load is not known, but what the drive does is.
cat >"$tmp/thrice.mbs" <<'END'
model thrice
planar
gravity [0, -9.81]
for i in 1..3 {
    body A[i] { mass = 1, inertia = 0.01, com = [0.1, 0], point P = [0.2, 0] }
    joint J[i]: revolute(ground @ [0.3*i, 0], A[i])
}
body B { mass = 1, inertia = 0.01, com = [0.3, 0], point P = [0.3, 0], point Q = [0.6, 0] }
joint K1: revolute(A[1].P, B)
joint K2: revolute(A[2].P, B.P)
joint K3: revolute(A[3].P, B.Q)
drive D: on J[1] = 1 + 2*t
init J[2].angle ~ 1, J[3].angle ~ 1, K1.angle ~ -1
output D.work
simulate { to = 1 }
END
for solver in dop853 radau genalpha; do
    "$mbs" run -q --interpret "$tmp/thrice.mbs" --solver $solver --rtol 1e-9 -o "$tmp/thrice.csv"
    ok "work where constraints say the same twice, $solver" awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) { split($i, n, " "); c[n[1]] = i } next } { E = $c["kinetic"] + $c["potential"]; if (NR == 2) E0 = E }
        { e = E - E0 - $c["D.work"]; if (e < 0) e = -e; if (e > m) m = e } END { print m, $c["D.work"]; exit !(m < 1e-7 && $c["D.work"] < -3) }' "$tmp/thrice.csv"
done
sed 's/^output.*/drive E: on J[2] = 1 + 2*t\n&/' "$tmp/thrice.mbs" >"$tmp/twice.mbs"
fails_with "how two drives of one freedom share the work is not known" 1 'derivative of D.work is not finite' "$mbs" run --interpret "$tmp/twice.mbs" -o "$tmp/thrice.csv"
sed 's/^output.*/&\ncontact C: between A and ground @ [0, -9], normal = [0, 1], restitution = 0.5/' "$tmp/work.mbs" >"$tmp/bad.mbs"
fails_with "work beside contacts" 1 "rate of 'D.work' follows from accelerations, which contacts" "$mbs" run "$tmp/bad.mbs"

# Messages.
sed 's/^let wish.*/let wish = [1, 2, 3]/' "$tmp/arm.mbs" >"$tmp/bad.mbs"
fails_with "inverse says how many accelerations it takes" 1 'inverse takes the wished accelerations of all 2 coordinates' "$mbs" run "$tmp/bad.mbs"
sed 's/damping = 0.2/damping = tau[1]*1 [s]/' "$tmp/arm.mbs" >"$tmp/bad.mbs"
fails_with "what inverse dynamics depends on may not depend on it" 1 'depends on inverse dynamics itself' "$mbs" run "$tmp/bad.mbs"
sed 's/^torque T1.*/torque T1: on J1 = J2.moment/' "$tmp/arm.mbs" >"$tmp/bad.mbs"
fails_with "a reaction is no force of the model" 1 'must not occur' "$mbs" run "$tmp/bad.mbs"
"$mbs" run -q --interpret --reactions "$tmp/absolute.mbs" -o "$tmp/all.csv"
ok "--reactions: columns of all joints" sh -c 'for c in J1.reaction.x J4.moment J6.reaction.y; do head -n 1 "$1" | grep -q "$c" || exit 1; done' sh "$tmp/all.csv"
done_testing
