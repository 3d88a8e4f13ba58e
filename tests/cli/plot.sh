#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# `mbs plot`: a pane for each unit, small multiples beyond eight curves, paths with equal scales, sweeps, HDF5.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"
if ! command -v gnuplot >/dev/null; then
    skip "no gnuplot"
    done_testing
    exit
fi
mbs=$top_builddir/mbs
XDG_CACHE_HOME=$tmp/cache
export XDG_CACHE_HOME
cd "$tmp" || exit 99
model=$top_srcdir/examples/double_pendulum.mbs
"$mbs" run "$model" --to 2 -q -o run.csv || exit 99
# texts SVG: the texts of a picture, one a line
texts() { sed -n 's/.*<text[^>]*>\(.*\)<\/text>.*/\1/p' "$1" | sed 's/^ *//; s/ *$//; s/&apos;/'"'"'/g'; }
has() { for t in "$@"; do grep -qxF -- "$t" got.txt || { echo "no '$t' in:"; cat got.txt; return 1; }; done; }
draw() { "$mbs" plot "$@" -o p.svg && texts p.svg >got.txt; }

draw run.csv phi1 phi2 "phi1'" "phi2'"
ok "angles share an axis with their unit, velocities have one of their own" has rad rad/s 't [s]' 'phi1 [rad]' "phi2' [rad/s]"
"$mbs" plot run.csv phi1 -t text >phi1.txt
ok "a plot of letters has no grid that hides its curve: below 500 of them" sh -c 'n=$(tr -cd "*" <phi1.txt | wc -c); test "$n" -gt 60 && test "$n" -lt 500'
fails_with "a column that is none: which there are" 1 "no column 'nothing'.* it has t, phi1, phi2" "$mbs" plot run.csv nothing
draw run.csv phi1
ok "one curve says its name on the axis" sh -c 'test "$(grep -cxF "phi1 [rad]" got.txt)" = 2'
if grep -q '^#define HAVE_HDF5 1' "$top_builddir/config.h"; then
    "$mbs" run "$model" --to 2 -q -o run.h5
    draw run.csv && mv p.svg csv.svg && draw run.h5
    ok "HDF5 gives the same picture, columns in their order" cmp p.svg csv.svg
    "$mbs" plot run.h5 phi1 -t text >h5.txt && "$mbs" plot run.csv phi1 -t text >csv.txt
    ok "as text, too" cmp h5.txt csv.txt
    echo "this is no HDF5" >bad.h5
    fails_with "what is no HDF5 is said" 1 'no HDF5 file' "$mbs" plot bad.h5
    fails_with "and what is not there" 1 'No such file' "$mbs" plot none.h5
    ok "other commands read it as well" sh -c '"$1" linearize "$2" --along run.h5 -o lin.json && test -s lin.json' sh "$mbs" "$model"
else
    skip "no HDF5"
fi
# nine curves of one unit: a small plot each, named, on one scale
awk 'BEGIN { printf "t [s]"; for (k = 1; k <= 9; k++) printf ",c%d [N]", k; print ""; for (i = 0; i <= 20; i++) { printf "%g", i/20; for (k = 1; k <= 9; k++) printf ",%g", k*i; print "" } }' >nine.csv
draw nine.csv 'c*'
ok "nine curves of one unit have a small plot each" sh -c 'test "$(grep -c "^c[1-9] \[N\]$" got.txt)" = 9 && test "$(grep -cxF 180 got.txt)" = 9'
draw nine.csv c1 c2 c3 c4 c5 c6 c7 c8
ok "eight share one" sh -c 'test "$(grep -cxF "t [s]" got.txt)" = 1 && test "$(grep -cxF N got.txt)" = 1'
awk 'BEGIN { printf "t [s]"; for (k = 1; k <= 50; k++) printf ",c%d [N]", k; print ""; for (i = 0; i <= 2; i++) { printf "%g", i; for (k = 1; k <= 50; k++) printf ",%g", k*i; print "" } }' >fifty.csv
fails_with "fifty are too many" 1 'more than a picture can show' "$mbs" plot fifty.csv 'c*' -o p.svg

# a path: a metre is as long across as along.  Marks of the axes: 1 pixel of 100
if command -v python3 >/dev/null; then
    cat >scale.py <<'END'
import re, sys
text = open("p.svg").read()
at = [(float(x), float(y), t.strip()) for x, y, t in re.findall(r'translate\(([-\d.]+),([-\d.]+)\)[^>]*>\s*<text[^>]*>([^<]*)</text>', text)]
num = [(x, y, float(t)) for x, y, t in at if re.fullmatch(r"-?[\d.]+", t)]
bottom = max(y for x, y, t in num)
xs = sorted((t, x) for x, y, t in num if abs(y - bottom) < 2)
ys = sorted((t, y) for x, y, t in num if abs(y - bottom) >= 2)
per = lambda l: abs(l[-1][1] - l[0][1]) / (l[-1][0] - l[0][0])
print(per(xs), per(ys))
sys.exit(abs(per(xs) / per(ys) - 1) > 0.02)
END
    awk 'BEGIN { print "t [s],P.x [m],P.y [m]"; for (i = 0; i <= 100; i++) printf "%g,%.9g,%.9g\n", i, 2 + 3*cos(i/16), sin(i/16) }' >path.csv
    "$mbs" plot path.csv -x P.x P.y -o p.svg
    ok "a path has equal scales" python3 scale.py
    "$mbs" plot path.csv P.x P.y -o p.svg
    ok "curves over time have not" sh -c '! python3 scale.py'
else
    skip "no python3"
fi

# sweeps
"$mbs" sweep "$model" --vary l1=0.5:1:6 --vary m2=0.5,1 -m 'max(phi2)' --to 1 -q -o grid.csv
draw grid.csv
ok "a sweep: a measure over the first parameter, a line for each value of the other" has 'l1 [m]' 'max(phi2) [rad]' 'm2 = 0.5 kg' 'm2 = 1 kg'
draw grid.csv 'max(phi2)' -x m2
ok "over another with -x" has 'm2 [kg]' 'l1 = 0.5 m'
"$mbs" sweep "$model" --vary l1=0.5..1 --vary m2=0.5..1 --sampling latin --cases 12 -m 'max(phi2)' -m 'curve(phi1)' --every 0.1 --to 1 -q -o drawn.csv
draw drawn.csv 'max(phi2)'
ok "cases that are drawn by lot are points" sh -c 'grep -q "gpPt\|<use" p.svg'
draw drawn.csv phi1
ok "curves that it has kept, over time, coloured by the parameter" has 't [s]' 'phi1 [rad]' 'l1 [m]'
fails_with "a measure that is not there" 1 "no measure and no curve 'nothing'" "$mbs" plot grid.csv nothing -o p.svg
done_testing
