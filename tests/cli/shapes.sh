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
body wheel { shape = wheel(radius = 0.2, inner = 0.1, height = 0.1, axis = y), density = rho }
body gear { shape = gear(0.2, teeth = 20, height = 0.1), density = rho }
joint F: free(ground, box)
joint G: fixed(box, wheel)
joint H: fixed(box, gear)
joint A: fixed(box, disc)
joint B: fixed(box, lying)
joint C: fixed(box, ball)
joint D: fixed(box, caps)
joint E: fixed(box, given)
output m[1] = box.mass, m[2] = disc.mass, m[3] = lying.mass, m[4] = ball.mass, m[5] = caps.mass, m[6] = given.mass, m[7] = wheel.mass, m[8] = gear.mass
output x[1] = box.inertia[1,1], x[2] = disc.inertia[1,1], x[3] = lying.inertia[1,1], x[4] = ball.inertia[1,1], x[5] = caps.inertia[1,1], x[6] = given.inertia[1,1], x[7] = wheel.inertia[1,1], x[8] = gear.inertia[1,1]
output y[1] = box.inertia[2,2], y[2] = disc.inertia[2,2], y[3] = lying.inertia[2,2], y[4] = ball.inertia[2,2], y[5] = caps.inertia[2,2], y[6] = given.inertia[2,2], y[7] = wheel.inertia[2,2], y[8] = gear.inertia[2,2]
output z[1] = box.inertia[3,3], z[2] = disc.inertia[3,3], z[3] = lying.inertia[3,3], z[4] = ball.inertia[3,3], z[5] = caps.inertia[3,3], z[6] = given.inertia[3,3], z[7] = wheel.inertia[3,3], z[8] = gear.inertia[3,3]
simulate { to = 0.1 }
END
# Cubes of 5 mm: the surface is within half of one, which leaves 2 % of the moments.
cubes() {
    awk 'function inside(b, x, y, z,   e) {
        if (b == 1) return x*x < 0.04 && y*y < 0.01 && z*z < 0.0025
        if (b == 2) return x*x + y*y < 0.04 && z*z < 0.0025
        if (b == 3) return y*y + z*z < 0.01 && x*x < 0.04
        if (b == 4 || b == 6) return x*x + y*y + z*z < 0.04
        if (b == 7) return x*x + z*z < 0.04 && x*x + z*z > 0.01 && y*y < 0.0025
        if (b == 8) return x*x + y*y < 0.04 && z*z < 0.0025
        e = y > 0.1 ? y - 0.1 : y < -0.1 ? y + 0.1 : 0
        return x*x + z*z + e*e < 0.01
    }
    BEGIN { h = 0.005
        for (b = 1; b <= 8; b++) {
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
        NR == 2 { for (i = 1; i <= NF; i++) v[name[i]] = $i; for (b = 1; b <= 8; b++) print v["m[" b "]"], v["x[" b "]"], v["y[" b "]"], v["z[" b "]"] }' "$tmp/solid.csv" >"$tmp/ours"
    cubes >"$tmp/cubes"
    paste "$tmp/ours" "$tmp/cubes" | awk '{ for (i = 1; i <= 4; i++) if (!($i > 0) || $i/$(i+4) > 1.02 || $i/$(i+4) < 0.98) { print "body " NR ", number " i ": " $i " and " $(i+4); bad = 1 } } END { exit bad || NR != 8 }'
}
ok "masses and moments of shapes agree with sums over cubes" inertias

# A plate: two rectangles by Steiner, to rounding; the sense of the corners does not matter.
plate() {
    cat >"$tmp/plate.mbs" <<END
model plate
spatial
body L { shape = plate($1, 0.02), density = 500 }
joint F: free(ground, L)
output m = L.mass, c = L.com, J = L.inertia
simulate { to = 0.1 }
END
    "$mbs" run -q --interpret "$tmp/plate.mbs" | awk -F, '{ sub(/\r$/, "") } NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        function near(a, b) { return (a - b)^2 <= 1e-24*(a^2 + 1e-6) }
        NR == 2 { h = 0.02; rho = 500; m1 = rho*h*0.04; m2 = rho*h*0.03; m = m1 + m2      # [0, 0.4] x [0, 0.1] and [0, 0.1] x [0.1, 0.4]
            x = (m1*0.2 + m2*0.05)/m; y = (m1*0.05 + m2*0.25)/m
            Jx = m1*0.01/12 + m1*(0.05 - y)^2 + m2*0.09/12 + m2*(0.25 - y)^2 + m*h*h/12
            Jy = m1*0.16/12 + m1*(0.2 - x)^2 + m2*0.01/12 + m2*(0.05 - x)^2 + m*h*h/12
            Jxy = -(m1*(0.2 - x)*(0.05 - y) + m2*(0.05 - x)*(0.25 - y))
            good = near($at["m"], m) && near($at["c.x"], x) && near($at["c.y"], y) && near($at["J[1,1]"], Jx) && near($at["J[2,2]"], Jy) && near($at["J[1,2]"], Jxy) &&
                near($at["J[3,3]"], Jx + Jy - m*h*h/6)
            if (!good) print $at["m"], m, $at["c.x"], x, $at["J[1,1]"], Jx, $at["J[2,2]"], Jy, $at["J[1,2]"], Jxy
            exit !good }'
}
ok "a plate: mass, centre, inertia" plate "[[0, 0], [0.4, 0], [0.4, 0.1], [0.1, 0.1], [0.1, 0.4], [0, 0.4]]"
ok "a plate the other way round" plate "[[0, 0.4], [0.1, 0.4], [0.1, 0.1], [0.4, 0.1], [0.4, 0], [0, 0]]"
fails_with "a plate without area" 1 'no area between them' "$mbs" run "$(plate '[[0, 0], [1, 1], [2, 2]]' >/dev/null 2>&1; echo "$tmp/plate.mbs")"
fails_with "corners that are none" 1 'at least three points' "$mbs" run "$(plate '[1, 2, 3]' >/dev/null 2>&1; echo "$tmp/plate.mbs")"
fails_with "a wheel without a rim" 1 'inner radius of a wheel must be below' "$mbs" run "$(sed 's/inner = 0.1/inner = 0.3/' "$tmp/solid.mbs" >"$tmp/w.mbs"; echo "$tmp/w.mbs")"

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
