#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Axes of joints that follow from parameters, and places on the ground that are led by hand, each against the same mechanism said in another way:
# numbers in place of parameters, drives in place of leading.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"
mbs=$top_builddir/mbs
XDG_CACHE_HOME=$tmp/cache
export XDG_CACHE_HOME
cd "$tmp" || exit 99

# The columns of the outputs at the end of two runs, within $3.  Both runs follow rtol 1e-9.
same() {
    "$mbs" run "$1" $4 -q --rtol 1e-9 -o a.csv && "$mbs" run "$2" -q --rtol 1e-9 -o b.csv && awk -F, -v tol="$3" '
        FNR == 1 { file++; for (i = 1; i <= NF; i++) { gsub(/ \[.*|\r/, "", $i); name[file, i] = $i }; next }
        { for (i = 1; i <= NF; i++) last[file, name[file, i]] = $i + 0; n[file] = NF }
        END { for (i = 1; i <= n[1]; i++) { c = name[1, i]; if (c !~ /^E/) continue; seen++; d = last[1, c] - last[2, c]; if (d > tol || d < -tol) { print c, last[1, c], last[2, c]; bad++ } }
              if (!seen) print "no column E"; exit bad > 0 || !seen }' a.csv b.csv
}

for kind in revolute prismatic cylindrical screw planar point_on_line constant_velocity; do
    more= slide=
    case $kind in screw) more=', pitch = 0.1' ;; esac
    cat >axis.mbs <<END
model axis
spatial
gravity [1, 2, -9.81]
param b: rad = 0.3, c = 2
body rod { mass = 1, inertia = [0.1, 0.12, 0.05], com = [0.1, 0, -0.5], point P = [0.2, 0.1, -1] }
joint J: $kind(ground @ at([0, 0.1, 0], x = 0.2), rod @ at([0, 0, 0.1], y = 0.4)) axis [c*0.2, c*sin(b), c*cos(b)]$more
output E: m = rod.P
output Ev: m/s = rod.P'
simulate { to = 0.4 }
END
    sed 's/axis \[.*cos(b)\]/axis [0.4, 1.7824147201228706, 0.90719224285115466]/; s/^param.*//' axis.mbs >numbers.mbs
    ok "$kind: an axis by parameters, as the numbers that they stand for" same axis.mbs numbers.mbs 1e-7 "--set b=1.1"
    case $kind in revolute | screw) ok "$kind: and its code as the energies have it" "$mbs" compare axis.mbs --states 3 ;; esac
done
cat >universal.mbs <<'END'
model universal
spatial
gravity [1, 2, -9.81]
param b: rad = 0.3
body rod { mass = 1, inertia = [0.1, 0.12, 0.05], com = [0.1, 0, -0.5], point P = [0.2, 0.1, -1] }
joint J: universal(ground, rod) axis [cos(b), sin(b), 0] axis2 [-sin(b), cos(b), 0]
output E: m = rod.P
simulate { to = 0.4 }
END
sed 's/axis \[cos.*/axis [0.45359612142557731, 0.89120736006143542, 0] axis2 [-0.89120736006143542, 0.45359612142557731, 0]/; s/^param.*//' universal.mbs >numbers.mbs
ok "universal: both axes" same universal.mbs numbers.mbs 1e-7 "--set b=1.1"
cat >plane.mbs <<'END'
model plane
planar
gravity [0, -9.81]
param b: rad = 0.3
body block { mass = 1, inertia = 1, point P = [0.2, 0.1] }
joint J: prismatic(ground, block) axis [cos(b), sin(b)]
output E: m = block.P
simulate { to = 0.4 }
END
sed 's/axis \[.*/axis [0.45359612142557731, 0.89120736006143542]/; s/^param.*//' plane.mbs >numbers.mbs
ok "in a plane" same plane.mbs numbers.mbs 1e-7 "--set b=1.1"

cat >led.mbs <<'END'
model led "A pendulum on a support that is shaken, pulled by a spring from another"
planar
gravity [0, -9.81]
param a: m = 0.1, w: rad/s = 12
body ground { point A = [a*sin(w*t), 0] }
body rod { mass = 1, inertia = 0.1, com = [0, -0.5], point P = [0, -1] }
joint J: revolute(ground.A, rod) angle phi
spring S: between rod.P and ground @ [1, a*cos(w*t)], stiffness = 20, damping = 0.5
init phi = 0.5, phi' = 0
output E: m = rod.P
simulate { to = 1 }
END
cat >driven.mbs <<'END'
model driven "The same with slides and drives"
planar
gravity [0, -9.81]
param a: m = 0.1, w: rad/s = 12
body support { mass = 1e-9 }
body other { mass = 1e-9 }
body rod { mass = 1, inertia = 0.1, com = [0, -0.5], point P = [0, -1] }
joint A: prismatic(ground, support) axis [1, 0]
joint B: prismatic(ground @ [1, 0], other) axis [0, 1]
drive DA: on A = a*sin(w*t)
drive DB: on B = a*cos(w*t)
joint J: revolute(support, rod) angle phi
spring S: between rod.P and other, stiffness = 20, damping = 0.5
init phi = 0.5, phi' = 0
output E: m = rod.P
simulate { to = 1 }
END
ok "a support and a spring's end led by hand, as by drives" same led.mbs driven.mbs 1e-7
ok "its code as the energies have it" "$mbs" compare led.mbs --states 3
cat >turned.mbs <<'END'
model turned "A pendulum on a table that turns and tips"
spatial
gravity [0, 0, -9.81]
param w: rad/s = 3
body ground { frame F = at([0.2*t, 0, 0], z = w*t, x = 0.5*sin(2*t)) }
body rod { mass = 1, inertia = [0.1, 0.1, 0.01], com = [0, 0, -0.5], point P = [0, 0, -1] }
joint J: revolute(ground.F @ [0.3, 0, 0], rod) axis [0, 1, 0] angle phi
init phi = 0.5, phi' = 0
output E: m = rod.P
simulate { to = 1 }
END
sed -i 's/0\.2\*t,/0.2 [m\/s]*t,/; s/sin(2\*t)/sin(2 [rad\/s]*t)/' turned.mbs
cat >table.mbs <<'END'
model table "The same on bodies that drives turn"
spatial
gravity [0, 0, -9.81]
param w: rad/s = 3
body slide { mass = 1e-9, inertia = [1e-9, 1e-9, 1e-9] }
body yaw { mass = 1e-9, inertia = [1e-9, 1e-9, 1e-9] }
body tip { mass = 1e-9, inertia = [1e-9, 1e-9, 1e-9] }
body rod { mass = 1, inertia = [0.1, 0.1, 0.01], com = [0, 0, -0.5], point P = [0, 0, -1] }
joint A: prismatic(ground, slide) axis [1, 0, 0]
joint B: revolute(slide, yaw) axis [0, 0, 1]
joint C: revolute(yaw, tip) axis [1, 0, 0]
drive DA: on A = 0.2 [m/s]*t
drive DB: on B = w*t
drive DC: on C = 0.5*sin(2 [rad/s]*t)
joint J: revolute(tip @ [0.3, 0, 0], rod) axis [0, 1, 0] angle phi
init phi = 0.5, phi' = 0
output E: m = rod.P
simulate { to = 1 }
END
ok "a frame that is turned, as by drives" same turned.mbs table.mbs 1e-7
ok "its code as the energies have it" "$mbs" compare turned.mbs --states 3
ok "the energy that leading brings is in the balance" sh -c '"$1" run led.mbs -q --json --rtol 1e-9 | awk -F: "/energy_balance/ { b = \$2 + 0 } /energy_work/ { w = \$2 + 0 } END { exit !(w*w > 1 && b*b < 1e-12) }"' sh "$mbs"
done_testing
