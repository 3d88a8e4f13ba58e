#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# examples/main.c, the hand-written integrator, with each example as its first comment says: it builds
# without a warning, and conservative models keep their energy.  With RK4 and these steps the drift is
# far below the tolerance 1e-6; a wrong sign in any term makes it of the size of the energy.
. "${top_srcdir:-.}/tests/tap.sh"
set -f
cc=${CC:-cc}
build() {
    "$top_builddir/mbsc" "$top_srcdir/examples/$1.mbs" -o "$tmp/$1.c" &&
        $cc -std=c11 -Wall -Wextra -Werror -O1 -I"$top_srcdir/runtime" -DMODEL="$1_model" -o "$tmp/$1" \
            "$top_srcdir/examples/main.c" "$tmp/$1.c" -lm
}
# Largest |energy - first energy| and violation of the last two columns, both below 1e-6.
steady() {
    "$tmp/$1" "$2" "$3" | awk -F, 'NR == 2 { e = $(NF-1) }
        NR > 1 { d = $(NF-1) - e; if (d < 0) d = -d; if (!(d <= 1e-6) || !($NF <= 1e-6)) bad = 1; if (d > w) w = d; if ($NF > v) v = $NF; n++ }
        END { print n " lines, drift " w ", violation " v; exit bad || n < 2 }'
}
# Ends with the first coordinate within 0.01 of a value.
ends() { "$tmp/$1" "$2" "$3" | tail -n 1 | awk -F, -v want="$4" '{ d = $2 - want; exit !(d < 0.01 && d > -0.01) }'; }
for e in pendulum pendulum_cartesian double_pendulum driven_pendulum skate spring_mass cart; do
    ok "$e builds with main.c" build $e
done
ok "pendulum keeps its energy" steady pendulum 10 10000
ok "pendulum_cartesian keeps its energy and its rod" steady pendulum_cartesian 10 10000
ok "skate keeps its energy" steady skate 10 10000
ok "cart ends where it should" ends cart 20 4000 0.5
ok "spring comes to rest" ends spring_mass 60 6000 0

# Events, impacts, friction: one physical check each.
PATH=$top_builddir:$PATH
run() { mbs run "$top_srcdir/examples/$1.mbs" -q -o "$tmp/$1.csv" 2>/dev/null; }
# Columns by name in awk: c["T"]; in the log of events $1 is the time, $2 the event, $3 the name, $4 and $5 before and after.
names='NR == 1 { for (i = 1; i <= NF; i++) { sub(/ \[.*/, "", $i); c[$i] = i } next } '

ok "thermostat" run thermostat
# between the switches T runs exponentially to 5 or to 45 at 0.5/h; T has 1e-6 a step over a slope of 2e-3 K/s
ok "it switches when it should" awk -F, '$3 == "on" { if (n++ > 1) { d = $1 - last - 7200*($4 == 0 ? log(16/14) : log(26/24)); if (d < 0) d = -d; if (d > w) w = d } last = $1 }
    END { print n, w; exit !(n > 10 && w < 0.02) }' "$tmp/thermostat.events.csv"

ok "sampled_cart" run sampled_cart
ok "it counts whole millimetres and acts a sample later" awk -F, "$names"'NR % 2 == 1 { k = $c["seen"]/0.001; d = k - int(k + 0.5); u = $c["u"] - last; last = $c["next"]; if (d*d > 1e-16 || (n++ && u*u > 1e-24)) bad++ }
    END { print n, bad + 0; exit !(n > 300 && !bad) }' "$tmp/sampled_cart.csv"      # in the middle of the samples
ok "and comes to its goal" awk -F, "$names"'END { d = $c["error"]; print d; exit !(d < 0.02 && d > -0.02) }' "$tmp/sampled_cart.csv"

ok "stick_slip_brake" run stick_slip_brake
# the moment of the calliper about the axle, at most mu press R (1 + more) while the pad goes with the disc
ok "the pad sticks up to what friction bears" awk -F, "$names"'{ phi = $c["turn"] + $c["slip"]; x = -0.15*sin(phi); y = 0.15*cos(phi); dx = 0.3 - x; dy = 0.15 - y; M = $c["force"]*(x*dy - y*dx)/sqrt(dx*dx + dy*dy)
    if (M < 0) M = -M; if (($c["speed"] - 0.06)^2 < 1e-14 && M > most) most = M } END { print most; exit !(most > 13.4 && most < 13.5 + 1e-6) }' "$tmp/stick_slip_brake.csv"
ok "and groans regularly" awk -F, '/sticks/ { if (n++ > 2) { p = $1 - last; if (n > 4 && (p - old)^2 > 1e-12) bad++; old = p } last = $1 } END { print n, p, bad + 0; exit !(n > 7 && !bad) }' "$tmp/stick_slip_brake.events.csv"

ok "ratchet_winch" run ratchet_winch
ok "the load goes up and falls by no more than a tooth" awk -F, "$names"'{ h = $c["height"]; if (h > most) most = h; if (most - h > 0.1*3.14159265/12 + 1e-6) bad++ } END { print h, bad + 0; exit !(!bad && h > 0.9) }' "$tmp/ratchet_winch.csv"
ok "tooth by tooth" awk -F, '$3 == "stop.tooth" { if ($5 + 0 != $4 + 1) bad++; n++ } END { print n, bad + 0; exit !(!bad && n > 30) }' "$tmp/ratchet_winch.events.csv"

ok "hopping_leg" run hopping_leg
ok "it hops higher and lower no more" awk -F, "$names"'{ v = $c["y'"'"'"]; if (old > 0 && v <= 0) { h = top; n++; if (n > 8 && (h - last)^2 > 1e-6) bad++; last = h } top = $c["y"]; old = v } END { print n, last, bad + 0; exit !(n > 9 && !bad && last > 0.6) }' "$tmp/hopping_leg.csv"

# The step map of the walker: from (spread, w1, w2) just after a step to the same after the next.  Its fixed point by iteration, its derivative by
# differences; J^64 shows that all eigenvalues are inside the unit circle.
step() { mbs run "$top_srcdir/examples/passive_walker.mbs" -q --rtol 1e-11 --every 100 --to "$4" --set "spread=$1" --set "w1=$2" --set "w2=$3" -o "$tmp/walk.csv" 2>/dev/null &&
    awk -F, 'NR > 2 && $1 == t && $1 > 0 { left = !left; s = left ? $4 + $5 : $4; p = left ? -($8 + $9) : -$8; q = left ? -$8 : -($8 + $9) } { t = $1 } END { printf "%.15g %.15g %.15g\n", s, p, q }' "$tmp/walk.csv"; }
fixed=$(step 0.27 1.09 0.38 30)
set -- $fixed
ok "passive_walker walks forty steps" test -n "$3"
again=$(step "$1" "$2" "$3" 1)
ok "into a gait, which is a fixed point of the step map" awk -v a="$fixed" -v b="$again" 'BEGIN { split(a, x, " "); split(b, y, " "); for (i = 1; i <= 3; i++) { d = x[i] - y[i]; if (d*d > w) w = d*d } print a, sqrt(w); exit !(w < 1e-16) }'
{
    for i in 1 2 3; do
        for h in 1e-5 -1e-5; do
            step $(awk -v x="$fixed" -v i=$i -v h=$h 'BEGIN { split(x, a, " "); a[i] += h; printf "%.15g %.15g %.15g", a[1], a[2], a[3] }') 1
        done
    done
} >"$tmp/step.txt"
ok "all of whose eigenvalues are inside the unit circle" awk '{ for (i = 1; i <= 3; i++) F[NR, i] = $i }
    END { for (j = 1; j <= 3; j++) for (i = 1; i <= 3; i++) J[i, j] = (F[2*j - 1, i] - F[2*j, i])/2e-5
        for (k = 1; k <= 6; k++) { for (i = 1; i <= 3; i++) for (j = 1; j <= 3; j++) { s = 0; for (l = 1; l <= 3; l++) s += J[i, l]*J[l, j]; K[i, j] = s }
            for (i = 1; i <= 3; i++) for (j = 1; j <= 3; j++) J[i, j] = K[i, j] }
        for (i = 1; i <= 3; i++) for (j = 1; j <= 3; j++) n += J[i, j]^2
        r = exp(log(n)/128); print "spectral radius", r; exit !(NR == 6 && r < 0.9 && r > 0.1) }' "$tmp/step.txt"
ok "mbs fmt has nothing to change in models and examples" sh -c 'set +f; for f in "$2"/examples/*.mbs "$2"/models/*.mbs; do "$1" fmt --check "$f" || exit 1; done' sh "$top_builddir/mbs" "$top_srcdir"
# a sign behind a sum stays apart from it: +- is a sign of its own
printf 'model m\ncoord x, y\npotential +  -x + y\n' >"$tmp/signs.mbs"
ok "mbs fmt keeps + and - apart" sh -c '"$1" fmt - <"$2" | grep -qx "potential + -x + y"' sh "$top_builddir/mbs" "$tmp/signs.mbs"
# all blanks are alike: a statement word behind a forgotten operand is one behind a vertical tab, too
printf 'model m\nuse B:\n\vextern f(x)\n' >"$tmp/blanks.mbs"
fails_with "a statement word behind a vertical tab" 1 "unexpected end of line" "$top_builddir/mbsc" "$tmp/blanks.mbs" -o -
done_testing
