#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Shapes of bodies: mass and inertia against sums over small cubes; what bodies and elements tell expressions, against formulas written by hand.
. "${top_srcdir:-.}/tests/tap.sh"
mbs=$top_builddir/mbs
XDG_CACHE_HOME=$tmp/cache
export XDG_CACHE_HOME
cat >"$tmp/solid.mbs" <<'END'
model solid
spatial
param rho: kg/m^3 = 1000
body box { shape = box(0.4, 0.2, z = 0.1), density = rho }
body disc { shape = disc(radius = 0.2, height = 0.1), density = rho }
body lying { shape = cylinder(0.1, 0.4, axis = x), density = rho }
body ball { shape = sphere(radius = 0.2), density = rho }
body caps { shape = capsule(radius = 0.1, height = 0.2, axis = y), density = rho, colour = green, opacity = 0.4 }
body given { shape = sphere(0.2), mass = 5 }
joint F: free(ground, box)
joint A: fixed(box, disc)
joint B: fixed(box, lying)
joint C: fixed(box, ball)
joint D: fixed(box, caps)
joint E: fixed(box, given)
output m[1] = box.mass, m[2] = disc.mass, m[3] = lying.mass, m[4] = ball.mass, m[5] = caps.mass, m[6] = given.mass
output x[1] = box.inertia[1,1], x[2] = disc.inertia[1,1], x[3] = lying.inertia[1,1], x[4] = ball.inertia[1,1], x[5] = caps.inertia[1,1], x[6] = given.inertia[1,1]
output y[1] = box.inertia[2,2], y[2] = disc.inertia[2,2], y[3] = lying.inertia[2,2], y[4] = ball.inertia[2,2], y[5] = caps.inertia[2,2], y[6] = given.inertia[2,2]
output z[1] = box.inertia[3,3], z[2] = disc.inertia[3,3], z[3] = lying.inertia[3,3], z[4] = ball.inertia[3,3], z[5] = caps.inertia[3,3], z[6] = given.inertia[3,3]
simulate { to = 0.1 }
END
# Cubes of 5 mm: the surface is within half of one, which leaves 2 % of the moments.
cubes() {
    awk 'function inside(b, x, y, z,   e) {
        if (b == 1) return x*x < 0.04 && y*y < 0.01 && z*z < 0.0025
        if (b == 2) return x*x + y*y < 0.04 && z*z < 0.0025
        if (b == 3) return y*y + z*z < 0.01 && x*x < 0.04
        if (b == 4 || b == 6) return x*x + y*y + z*z < 0.04
        e = y > 0.1 ? y - 0.1 : y < -0.1 ? y + 0.1 : 0
        return x*x + z*z + e*e < 0.01
    }
    BEGIN { h = 0.005
        for (b = 1; b <= 6; b++) {
            m = jx = jy = jz = 0
            for (i = -40; i < 40; i++) for (j = -40; j < 40; j++) for (k = -40; k < 40; k++) {
                x = (i + 0.5)*h; y = (j + 0.5)*h; z = (k + 0.5)*h
                if (inside(b, x, y, z)) { m++; jx += y*y + z*z; jy += x*x + z*z; jz += x*x + y*y }
            }
            s = b == 6 ? 5/m : 1000*h*h*h
            printf "%.9g %.9g %.9g %.9g\n", s*m, s*jx, s*jy, s*jz
        }
    }'
}
inertias() {
    "$mbs" run "$tmp/solid.mbs" -q -o "$tmp/solid.csv" || return 1
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) { n = $i; gsub(/[" \r]/, "", n); name[i] = match(n, /^[a-z]\[[0-9]\]/) ? substr(n, 1, RLENGTH) : "" } }
        NR == 2 { for (i = 1; i <= NF; i++) v[name[i]] = $i; for (b = 1; b <= 6; b++) print v["m[" b "]"], v["x[" b "]"], v["y[" b "]"], v["z[" b "]"] }' "$tmp/solid.csv" >"$tmp/ours"
    cubes >"$tmp/cubes"
    paste "$tmp/ours" "$tmp/cubes" | awk '{ for (i = 1; i <= 4; i++) if (!($i > 0) || $i/$(i+4) > 1.02 || $i/$(i+4) < 0.98) { print "body " NR ", number " i ": " $i " and " $(i+4); bad = 1 } } END { exit bad || NR != 6 }'
}
ok "masses and moments of shapes agree with sums over cubes" inertias

cat >"$tmp/t.mbs" <<'END'
model told
planar
gravity [0, -9.81]
param l: m = 0.5, k: N/m = 80, d: N*s/m = 0.5
body block { mass = 2, point side = [-0.1, 0], shape = box(0.2, 0.1) }
body rod { mass = 1, inertia = l^2/12*1 [kg], com = [0, -l/2], point tip = [0, -l] }
joint rail: prismatic(ground, block) axis [1, 0], distance x
joint pin: revolute(block, rod) angle phi
spring S: between block.side and ground @ [-0.7, 0], stiffness = k, length = 0.6 [m], damping = d
damper D: on pin, damping = 0.01
torque T: on pin = 0.2 [N*m]
force F: on rod.tip = [1 [N], 2 [N]]
contact C: between rod.tip and ground @ [0, -0.45], normal = [0, 1], stiffness = 1000 [N/m]
let place = rod @ [0, -l]
init phi = 1
output e1: m = S.length - (x + 0.6 [m])
output e2: N = S.force - (k*x + d*x')
output e3: W = S.power - (k*x + d*x')*x'
output e4: W = D.power - 0.01 [N*m*s]*phi'^2
output e5: W = T.power - 0.2 [N*m]*phi'
output e6: W = F.power - dot([1 [N], 2 [N]], rod.tip')
output e7: m = norm(place - rod.tip)
output e8: kg*m/s = rod.momentum[1] - 1 [kg]*(x' + l/2*cos(phi)*phi')
output e9: N = C.force - 1000 [N/m]*max(-0.45 [m] - rod.tip[2], 0 [m])
output e10: kg*m^2 = block.inertia - 2 [kg]*(0.2^2 + 0.1^2)/12*1 [m^2]
output e11: kg = block.mass - 2 [kg]
simulate { to = 1 }
END
zero() {
    "$mbs" run "$tmp/t.mbs" -q --every 0.05 -o "$tmp/t.csv" || return 1
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) { n = $i; gsub(/["\r]/, "", n); if (n ~ /^e[0-9]/) { col[i] = n; c++ } } next }
        { for (i in col) if (!($i < 1e-11 && $i > -1e-11)) { print col[i] " = " $i; bad = 1 } } END { exit bad || c != 11 }' "$tmp/t.csv"
}
ok "lengths, forces, powers, momenta are those of the formulas" zero

wrong() { printf 'model w\n%s\nbody K { mass = 1, %s }\njoint J: revolute(ground, K)\n%s\n' "$1" "$2" "$3" >"$tmp/w.mbs"; }
wrong planar 'shape = sphere(0.1)' ''
fails_with "a ball in a plane" 1 "no such shape of a body in a plane; there are box, disc" "$mbs" info "$tmp/w.mbs"
wrong spatial 'shape = disk(0.1, 0.2)' ''
fails_with "a shape that there is not" 1 "did you mean 'disc'" "$mbs" info "$tmp/w.mbs"
wrong spatial 'density = 3' ''
fails_with "a density without a shape" 1 "a density needs a shape" "$mbs" info "$tmp/w.mbs"
wrong spatial 'shape = disc(radius = 0.1)' ''
fails_with "a size that is missing" 1 "this shape needs 'height'" "$mbs" info "$tmp/w.mbs"
wrong spatial 'shape = disc(0.1, 0.2), density = 3' ''
fails_with "mass and density" 1 "give one of mass and density" "$mbs" info "$tmp/w.mbs"
wrong planar 'point P = [1, 0], colour = rde' ''
fails_with "a colour that there is not" 1 "did you mean 'red'" "$mbs" info "$tmp/w.mbs"
wrong planar 'point P = [1, 0]' 'spring S: on J, stiffness = 1
output S.forces'
fails_with "a quantity that there is not" 1 "it has angle, rate, torque, power" "$mbs" info "$tmp/w.mbs"
done_testing
