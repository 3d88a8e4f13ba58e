#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Every joint, element and shape with its picture, in the plane and in space: writes doc/symbols.md and doc/symbols/*.png.
# Usage: doc/symbols.sh MBS [NAME...]    (`make symbols`; needs chromium, and convert of ImageMagick to make the files small)
set -eu
mbs=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
to=$here/symbols
tmp=$(mktemp -d "${TMPDIR:-/tmp}/mbs-symbols.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$to"
wanted=" $* "
: >"$tmp/rows"

# picture FILE DIMENSION LINES: one picture, at the time of the line `# at TIME`, if there is one
picture() {
    case $wanted in "  " | *" $1 "*) ;; *) return ;; esac
    { echo "model symbol"; printf '%s\n' "$2"; printf '%s\n' "$3"; echo "simulate { to = 0.5, rtol = 1e-8 }"; } >"$tmp/$1.mbs"
    at=$(printf '%s\n' "$3" | sed -n 's/^# at //p')
    "$mbs" video -q --interpret --no-witness "$tmp/$1.mbs" --at "${at:-0.2}" --width 220 --height 150 --scale 1.5 --no-traces --symbols $([ "$2" = planar ] && echo 1.4 || echo 2.4) -o "$tmp/$1.png"
    convert "$tmp/$1.png" -strip -dither None -colors 48 PNG8:"$to/$1.png"
}
# row NAME WORDS PLANE SPACE: a row of the table; an empty model: there is none
row() {
    a= b=
    if [ -n "$3" ]; then picture "$1-plane" planar "$3"; a="![$1 in the plane](symbols/$1-plane.png)"; fi
    if [ -n "$4" ]; then picture "$1-space" spatial "$4"; b="![$1 in space](symbols/$1-space.png)"; fi
    printf '| `%s` | %s | %s | %s |\n' "$1" "$2" "$a" "$b" >>"$tmp/rows"
}
head2() { printf '\n## %s\n\n| | | plane | space |\n| --- | --- | --- | --- |\n' "$1" >>"$tmp/rows"; }

P='gravity [0, -9.81]
body A { mass = 1, inertia = 0.01, com = [0.15, 0], point P = [0.3, 0] }'
S='gravity [0, 0, -9.81]
body A { mass = 1, inertia = [0.002, 0.01, 0.01], com = [0.15, 0, 0], point P = [0.3, 0, 0] }'
B='body B { mass = 1, inertia = 0.01, com = [0.15, 0], point Q = [0.3, 0] }'
BS='body B { mass = 1, inertia = [0.002, 0.01, 0.01], com = [0.15, 0, 0], point Q = [0.3, 0, 0] }'
head2 Joints
row revolute "a pin" "$P
joint J: revolute(ground, A)
init J.angle = -0.6" "$S
joint J: revolute(ground, A), axis = [0, 1, 0]"
row prismatic "a block on a rail" "$P
joint J: prismatic(ground, A), axis = [1, 0]
init J.distance' = 1" "$S
joint J: prismatic(ground, A), axis = [0, 0.8, 0.6]
init J.distance' = 1"
row fixed "welded" "$P
$B
joint H: revolute(ground, A)
joint J: fixed(A.P, B @ [0, 0])
init H.angle = -0.6" "$S
$BS
joint H: revolute(ground, A), axis = [0, 1, 0]
joint J: fixed(A.P, B @ [0, 0, 0])"
row slot "a pin in a slot" "$P
joint J: slot(ground, A), axis = [1, 0]
init J.distance' = 1, J.angle = -0.8" ""
row distance "a rod without mass" "$P
joint J: distance(ground, A), length = 0.3
init J.rod = -1" "$S
joint J: distance(ground, A), length = 0.3
init J.latitude = -0.7"
row free "nothing to see but the body" "$P
joint J: free(ground, A)
init J.y' = 2" "$S
joint J: free(ground, A), angles = zyx
init J.z' = 2, J.angle1 = 0.5"
row cylindrical "turns and slides" "" "$S
joint J: cylindrical(ground, A), axis = [0, 1, 0]
init J.distance' = 1"
row universal "two axes that cross" "" "$S
joint J: universal(ground, A), axis = [0, 1, 0], axis2 = [0, 0, 1]
init J.angle2' = 2"
row spherical "a ball in its socket" "" "$S
joint J: spherical(ground, A), angles = zyx"
row planar "glides on a plane" "" "$S
joint J: planar(ground, A), axis = [0, 0.6, 0.8]
init J.x' = 1, J.angle' = 2"
row screw "advances as it turns" "" "$S
joint J: screw(ground, A), axis = [0, 1, 0], pitch = 0.05
init J.angle' = 3"
row point_on_line "a ball on a rail" "" "$S
joint J: point_on_line(ground, A), axis = [0, 1, 0], angles = zyx
init J.distance' = 1"
row constant_velocity "bends without twist" "" "$S
joint J: constant_velocity(ground, A), axis = [1, 0, 0]
init J.e1' = 1"
head2 Elements
H='joint J: revolute(ground, A)
init J.angle = -0.6'
HS='joint J: revolute(ground, A), axis = [0, 1, 0]'
row spring "between places; with damping a damper beside it" "$P
$H
spring S: between ground @ [0.3, 0.3] and A.P, stiffness = 30, length = 0.3, damping = 0.4" "$S
$HS
spring S: between ground @ [0.3, 0, 0.3] and A.P, stiffness = 30, length = 0.3"
row spring-on "on a joint that turns" "$P
$H
spring S: on J, stiffness = 3, damping = 0.1" "$S
$HS
spring S: on J, stiffness = 3"
row damper "" "$P
$H
damper D: between ground @ [0.3, 0.3] and A.P, damping = 1" "$S
$HS
damper D: between ground @ [0.3, 0, 0.3] and A.P, damping = 1"
row bushing "rubber between two places" "$P
joint J: free(ground, A)
bushing R: between ground @ [0.02, 0] and A, stiffness = [500, 500, 20]" "$S
joint J: free(ground, A), angles = zyx
bushing R: between ground @ [0.02, 0, 0] and A, stiffness = [500, 500, 500, 20, 20, 20]"
row force "an arrow of its size" "$P
$H
force F: on A.P = [3, 4]" "$S
$HS
force F: on A.P = [1, 2, 4]"
row torque "an arc in the plane, an arrow with two heads in space" "$P
$H
torque T: on J = 2" "$S
$HS
torque T: on J = 2"
row drive "a motor that prescribes an angle" "$P
joint J: revolute(ground, A)
drive D: on J = 2*t" "$S
$HS
drive D: on J = 2*t"
row drive-along "... or a distance" "$P
joint J: prismatic(ground, A), axis = [1, 0]
drive D: on J = 0.2*sin(5*t)" "$S
joint J: prismatic(ground, A), axis = [0, 0.8, 0.6]
drive D: on J = 0.2*sin(5*t)"
row gear "against each other; alike: a belt; with a sliding joint: a rack" "gravity [0, -9.81]
body A { mass = 1, inertia = 0.01, point P = [0.05, 0] }
body B { mass = 1, inertia = 0.01, point Q = [0.03, 0] }
joint J: revolute(ground, A)
joint K: revolute(ground @ [0.3, 0], B)
gear G: between J and K, ratio = -2
drive D: on J = 2*t" "gravity [0, 0, -9.81]
body A { mass = 1, inertia = [0.01, 0.01, 0.01], point P = [0.05, 0, 0] }
body B { mass = 1, inertia = [0.01, 0.01, 0.01], point Q = [0.03, 0, 0] }
joint J: revolute(ground, A), axis = [0, 0, 1]
joint K: revolute(ground @ [0.3, 0, 0], B), axis = [0, 0, 1]
gear G: between J and K, ratio = -2
drive D: on J = 2*t"
row rotor "inertia of a motor" "$P
$H
rotor R: on J, inertia = 0.01" "$S
$HS
rotor R: on J, inertia = 0.01"
row friction "brake shoes" "$P
$H
friction F: on J, moment = 0.1, slip = 0.1" "$S
$HS
friction F: on J, moment = 0.1, slip = 0.1"
row contact "a ball above a plane" "gravity [0, -9.81]
body A { mass = 1, inertia = 0.01, shape = disc(0.1) }
joint J: free(ground, A)
contact C: between A and ground, normal = [0.2, 1], stiffness = 2e4, radius = 0.1
init J.y = 0.3" "gravity [0, 0, -9.81]
body A { mass = 1, shape = sphere(0.1) }
joint J: free(ground, A)
contact C: between A and ground, normal = [0, 0, 1], stiffness = 2e4, radius = 0.1
init J.z = 0.3"
row rope "holds when it is taut" "gravity [0, -9.81]
body A { mass = 1, inertia = 0.01, shape = box(0.2, 0.1) }
joint J: free(ground, A)
rope R: between ground and A, length = 0.4
init J.x = 0.3, J.y = -0.2" ""
row limit "stops of a joint" "$P
$H
limit L: on J, lower = -2, upper = 0.5" "$S
$HS
limit L: on J, lower = -2, upper = 0.5"
row limit-along "... that slides" "$P
joint J: prismatic(ground, A), axis = [1, 0]
limit L: on J, lower = -0.1, upper = 0.1" ""
row clutch "one way only" "$P
$H
clutch C: on J, backward = true" "$S
$HS
clutch C: on J"
row ratchet "teeth and a pawl" "$P
$H
ratchet R: on J, pitch = 0.3, tooth = -9" "$S
$HS
ratchet R: on J, pitch = 0.3, tooth = -9"
row wheel-element "rolls without slipping" "gravity [0, -9.81]
body A { mass = 1, inertia = 0.01 }
joint J: free(ground, A)
wheel W: between A and ground, normal = [0, 1], radius = 0.2
init J.y = 0.2, J.x = 0, J.x' = 1" "gravity [0, 0, -9.81]
body A { mass = 1, inertia = [0.01, 0.02, 0.01] }
joint J: free(ground, A)
wheel W: between A and ground, normal = [0, 0, 1], axis = [0, 1, 0], radius = 0.2
init J.z ~ 0.2, J.x = 0, J.x' = 1"
row beam "drawn as it bends" "# at 0.2
gravity [0, -9.81]
beam A { length = 1, density = 8000, area = 1e-4, youngs = 2e11, moment = 1e-10, elements = 3 }
joint J: fixed(ground, A.start)" "# at 0.2
gravity [0, 0, -9.81]
beam A { length = 1, density = 8000, area = 1e-4, youngs = 2e11, shear = 8e10, torsion = 2e-10, moment = 1e-10, moment2 = 1e-10, elements = 3 }
joint J: fixed(ground, A.start)"
head2 "Shapes of bodies"
shape() { row "$1" "$2" "${3:+body A { shape = $3, density = 1000 \}
joint J: revolute(ground, A)}" "${4:+body A { shape = $4, density = 1000 \}
joint J: revolute(ground, A), axis = [0, 0, 1]}"; }
shape box "\`box(x, y, z)\`" "box(0.3, 0.2, 0.1)" "box(0.3, 0.2, 0.1)"
shape disc "\`disc(radius, height)\`" "disc(0.2, 0.05)" "disc(0.2, 0.05)"
shape wheel "\`wheel(radius, inner, height)\`" "wheel(0.2, 0.16, 0.05)" "wheel(0.2, 0.16, 0.05)"
shape gear-shape "\`gear(radius, teeth, height)\`" "gear(0.2, 24, 0.05)" "gear(0.2, 24, 0.05)"
shape plate "\`plate([[x, y], …], height)\`" "plate([[0, 0], [0.3, 0], [0.3, 0.08], [0.08, 0.08], [0.08, 0.2], [0, 0.2]], 0.03)" "plate([[0, 0], [0.3, 0], [0.3, 0.08], [0.08, 0.08], [0.08, 0.2], [0, 0.2]], 0.03)"
shape cylinder "\`cylinder(radius, height)\`" "" "cylinder(0.1, 0.3, axis = x)"
shape sphere "\`sphere(radius)\`" "" "sphere(0.2)"
shape capsule "\`capsule(radius, height)\`" "" "capsule(0.08, 0.3, axis = x)"
row points "no shape: the places of its joints and its points" "gravity [0, -9.81]
body A { mass = 1, inertia = 0.01, point P = [0.3, 0], point Q = [0.1, 0.2] }
joint J: revolute(ground, A)" "gravity [0, 0, -9.81]
body A { mass = 1, inertia = [0.01, 0.01, 0.01], point P = [0.3, 0, 0], point Q = [0.1, 0.2, 0], point R = [0.1, 0.1, 0.2] }
joint J: revolute(ground, A), axis = [0, 1, 0]"

[ "$wanted" = "  " ] || exit 0
{
    cat <<'END'
# Symbols

What a report draws of each joint, element and shape, in the plane and in space. The pictures are made by `make symbols` from models of a few lines in
[symbols.sh](symbols.sh), by the painters of the report (`mbs video`). Everything stands at its place and moves with its body; a test compares the places with
kinematics written by hand.
END
    cat "$tmp/rows"
} >"$here/symbols.md"
