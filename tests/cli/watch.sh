#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# `mbs watch` writes the report anew when the model or what it includes is saved, keeps the last good one when there are errors,
# and cleans up; `mbs fmt` is idempotent and changes no meaning on every model; `mbs new` and `mbs info` do what they say.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"
mbs=$top_builddir/mbs
XDG_CACHE_HOME=$tmp/cache
export XDG_CACHE_HOME
cd "$tmp" || exit 99

# until COMMAND: waits up to 20 s
until_true() {
    for i in $(seq 1 100); do
        if "$@" >/dev/null 2>&1; then return 0; fi
        sleep 0.2
    done
    return 1
}
printf 'param grav: m/s^2 = 9.81\n' >part.mbs
sed -e 's/, grav: m\/s^2 = 9.81//' -e '/^param/a include "part.mbs"' "$top_srcdir/examples/pendulum.mbs" >model.mbs
"$mbs" watch model.mbs -o page.html >out.txt 2>err.txt &
pid=$!
ok "the first report" until_true test -s page.html.stamp.js
cp page.html first.html
cp page.html.stamp.js first.js
printf 'param grav: m/s^2 = 1.62\n' >part.new && mv part.new part.mbs
ok "an included file is saved: a new stamp" until_true sh -c '! cmp -s page.html.stamp.js first.js'
ok "and a new report" sh -c '! cmp -s page.html first.html'
cp page.html second.html
echo 'kinetic nonsense' >>model.mbs
ok "an error is shown with its place" until_true grep -q '^model.mbs:.*: error:' err.txt
ok "and the last good report stays" cmp page.html second.html
ok "which is told of the error" until_true grep -q 'mbsStamp("[0-9.]*", "model.mbs:.*error' page.html.stamp.js
kill -TERM $pid
wait $pid
ok "it ends with 0" test $? = 0
ok "and removes its stamp" test ! -e page.html.stamp.js

mkdir fmt
good=yes
for m in "$top_srcdir"/models/*.mbs "$top_srcdir"/models/lib/*.mbs "$top_srcdir"/examples/*.mbs; do
    # every blank doubled, every indentation gone: the formatter must bring the words back together
    sed -e 's/^ *//' -e '/#\|"/!s/ /  /g' "$m" >fmt/ugly.mbs
    cp fmt/ugly.mbs fmt/twice.mbs
    "$mbs" fmt fmt/twice.mbs 2>err.txt || good="$m: $(cat err.txt)"
    cp fmt/twice.mbs fmt/once.mbs
    "$mbs" fmt fmt/twice.mbs && cmp -s fmt/once.mbs fmt/twice.mbs || good="$m: not idempotent"
    test "$(grep -c '#' "$m")" = "$(grep -c '#' fmt/once.mbs)" || good="$m: comments lost"
done
ok "fmt keeps meaning and comments of every model and is idempotent ($good)" test "$good" = yes
printf 'model m "t"\ncoord x\nkinetic x'"'"'^2/2 +\n' >broken.mbs
cp broken.mbs copy.mbs
ok "fmt leaves a file with errors alone" sh -c '! "$1" fmt broken.mbs && cmp broken.mbs copy.mbs' sh "$mbs"
printf 'model  m "t"\ncoord x,y\nkinetic (x'"'"'^2+y'"'"'^2)/2   # half\nif true{\npotential   -x*y\n}\n' >ugly.mbs
printf 'model m "t"\ncoord x, y\nkinetic (x'"'"'^2 + y'"'"'^2)/2  # half\nif true {\n    potential -x*y\n}\n' >nice.mbs
ok "fmt sets blanks and indentation" sh -c '"$1" fmt - <ugly.mbs | tee got.mbs | diff - nice.mbs' sh "$mbs"

ok "new writes a model that runs" sh -c '"$1" new swing -q && "$1" run swing.mbs -q && "$1" fmt --check swing.mbs' sh "$mbs"
ok "new does not replace a file" sh -c '! "$1" new swing -q' sh "$mbs"
ok "both templates are one mechanism" sh -c '"$1" new other --energies -q && "$1" run other.mbs --json | grep -q "\"phi\""' sh "$mbs"
"$mbs" info "$top_srcdir/models/squeezer_bodies.mbs" >info.txt
ok "info shows the roadmap" grep -q '^K3 *ground *B *revolute *gamma' info.txt
ok "info counts freedom in two ways" sh -c 'grep -q "freedom by count *1 = 7" info.txt && grep -q "freedom by rank *1 = 7" info.txt'
ok "info names redundant constraints" sh -c '"$1" info "$2" | grep -q "redundant: follows"' sh "$mbs" "$top_srcdir/models/bricard.mbs"
# -sin(pi) is 1.2e-16 and no derivative to hold on to
printf 'model flat\ncoord x, y\nkinetic (x'"'"'^2 + y'"'"'^2)/2\nconstraint c: 1 + cos(x) = 0\nconstraint d: y = 2*x\ninit x = pi\n' >flat.mbs
"$mbs" info flat.mbs >info.txt
ok "info tells a constraint that loses its derivatives from a redundant one" sh -c 'grep -q "^c .*vanishes: it is met" info.txt && grep -q "freedom by rank *1 = 2 coordinates - rank 1" info.txt && grep -q "the position is singular" info.txt && ! grep -q redundant info.txt'
cat >plane.mbs <<'END'
model plane
spatial
body crank { mass = 1, inertia = [1, 1, 1], point P = [1, 0, 0] }
body rod { mass = 3, inertia = [1, 1, 1], point Q = [3, 0, 0] }
body rocker { mass = 2, inertia = [1, 1, 1], point R = [2, 0, 0] }
joint O: revolute(ground, crank)
joint A: revolute(crank.P, rod)
joint B: revolute(ground @ [3, 0, 0], rocker)
cut joint C: revolute(rod.Q, rocker.R)
init O.angle = 0.7, A.angle ~ 0, B.angle ~ 1.4, C.angle' = 1
END
"$mbs" info plane.mbs >info.txt
ok "info names the rows that hold identically" sh -c 'grep -A3 "^left out" info.txt | tr -s " " | paste -sd" " - | grep -q "C.z 9 C.axis1 9 C.axis2 9"'
ok "info names start conditions" grep -q "^C.angle' *velocities *fixed *10" info.txt
ok "info prints LaTeX" sh -c '"$1" info "$2" --latex | grep -q "begin{align\*}"' sh "$mbs" "$top_srcdir/examples/pendulum.mbs"
# sqrt(g/l) of the mathematical pendulum about its rest: sqrt(9.81) = 3.1320919526731650 rad/s; modes prints 7 digits
ok "modes finds the frequency of a pendulum" sh -c '"$1" modes "$2" --at-equilibrium | grep -q " 3\.132092 "' sh "$mbs" "$top_srcdir/examples/pendulum.mbs"
if python3 -c 1 2>/dev/null; then
    for c in info modes equilibrium run; do
        ok "$c --json is JSON" sh -c '"$1" $3 "$2" --json | python3 -m json.tool' sh "$mbs" "$top_srcdir/models/squeezer_bodies.mbs" $c
    done
else
    for c in info modes equilibrium run; do skip "no python3"; done
fi
done_testing
