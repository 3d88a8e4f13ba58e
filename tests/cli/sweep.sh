#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# `mbs sweep`: cases and statistics against formulas, the same bytes for any number of workers, parts and restarts; parameter files.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"
mbs=$top_builddir/mbs
XDG_CACHE_HOME=$tmp/cache
export XDG_CACHE_HOME
cd "$tmp" || exit 99
cat >fall.mbs <<'END'
model fall
param g: m/s^2 = 10
param v0: m/s = 3
param twice: m/s = 2*v0
param mass[2]: kg = [1, 2]
coord y: m
kinetic (mass[1] + mass[2])*y'^2/2
potential (mass[1] + mass[2])*g*y
init y = 0, y' = v0
output speed: m/s = y'
output start: m/s = twice
simulate { to = 1, every = 0.125 }
END
sweep() { "$mbs" sweep fall.mbs --quiet "$@"; }
# column FILE NAME: the values of a column
column() { tr -d '\r' <"$1" | awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name || index($i, name " [") == 1) k = i; next } { print $k }'; }
# near WHAT TOLERANCE FILE-OF-PAIRS
near() { if awk -v tol="$2" '{ d = $1 - $2; if (d < 0) d = -d; if (!(d <= tol)) { print; bad = 1 } } END { exit bad || !NR }' "$3" >bad.txt; then pass "$1"; else fail "$1" "$(head -n 3 bad.txt)"; fi; }

# The motion is a polynomial: y = v0 t - g t^2/2, which the default tolerance has to rounding; y is largest, v0^2/(2g), between rows.
ok "a grid runs" sweep --vary g=8,10 --vary v0=1:5:3 -m y -m 'min(speed)' -m 'mean(y)' -m "integral(y')" -m 'start(start)' -o grid.csv
[ "$(column grid.csv v0 | tr '\n' ' ')" = "1 3 5 1 3 5 " ] && pass "the last parameter runs fastest" || fail "the last parameter runs fastest" "$(cat grid.csv)"
column grid.csv g >g; column grid.csv v0 >v; column grid.csv 'end(y)' >y; column grid.csv 'min(speed)' >s; column grid.csv 'start(start)' >start; column grid.csv "integral(y')" >i; column grid.csv 'mean(y)' >mean
paste -d ' ' g v y | awk '{ print $3, $2 - $1/2 }' >pairs; near "values at the end" 1e-12 pairs
paste -d ' ' g v s | awk '{ print $3, $2 - $1 }' >pairs; near "least values" 1e-12 pairs
paste -d ' ' i y >pairs; near "integrals of a straight line" 1e-12 pairs
# the mean is v0/2 - g/6; the chords of a parabola lie g h^2/12 below it
paste -d ' ' g v mean | awk '{ printf "%s %.17g\n", $3, $2/2 - $1/6 - $1*0.125*0.125/12 }' >pairs; near "means of straight lines between rows" 1e-12 pairs
paste -d ' ' v start | awk '{ print $2, 2*$1 }' >pairs; near "parameters that follow from others follow" 0 pairs

"$mbs" sweep fall.mbs --vary v0=1..5 --vary g=10 --cases 400 --sampling latin -m speed --json >out.json
ok "JSON" python3 - <<'END'
import json
m = json.load(open("out.json"))
x = m["measures"]["end(speed)"]
assert m["cases"] == 400 and m["failed"] == 0
# one value in each of 400 strata of 1..5: the mean is off by less than half a stratum, the median too
assert abs(x["mean"] + 7) < 0.005 and abs(x["p50"] + 7) < 0.01 and -9 < x["least"] < -8.99 and -5.01 < x["most"] < -5
END
if has_gsl; then        # Sobol's sequence
# Ishigami-like check with a formula: speed = v0 - g with variances 1/12*4^2 and 1/12*2^2: parts 16/20 and 4/20
"$mbs" sweep fall.mbs --vary v0=1..5 --vary g=9..11 --cases 512 --sampling indices -m speed --json >out.json
ok "parts of the variance" python3 - <<'END'
import json
x = json.load(open("out.json"))["measures"]["end(speed)"]
for part in "first", "total":       # quasi-random: error about 1/512 of the variance, ten times that allowed
    assert abs(x[part]["v0"] - 0.8) < 0.02 and abs(x[part]["g"] - 0.2) < 0.02, x[part]
END
# Ishigami's function (1990), a = 7, b = 0.1: variances a^2/8 + b pi^4/5 + b^2 pi^8/18 + 1/2 in all, (1 + b pi^4/5)^2/2 of x1, a^2/8 of x2 alone,
# 8 b^2 pi^8/225 of x1 and x3 together.  The same allowance for 1024 points of a function that is less smooth.
cat >ishigami.mbs <<'END'
model ishigami
param J: kg*m^2 = 1, a = 7, b = 0.1, x1 = 1, x2 = 1, x3 = 1
coord q: rad
kinetic J*q'^2/2
output f = sin(x1) + a*sin(x2)^2 + b*x3^4*sin(x1)
simulate { to = 0.01 }
END
pi=3.141592653589793
"$mbs" sweep ishigami.mbs --vary x1=-$pi..$pi --vary x2=-$pi..$pi --vary x3=-$pi..$pi --cases 1024 --sampling indices -m f --json >out.json
ok "Ishigami's function" python3 - <<'END'
import json
from math import pi
x = json.load(open("out.json"))["measures"]["end(f)"]
one, two, both = (1 + 0.1*pi**4/5)**2/2, 49/8, 8*0.01*pi**8/225
all = one + two + both
for part, exact in ("first", (one, two, 0)), ("total", (one + both, two, both)):
    for k in range(3):
        assert abs(x[part]["x%d" % (k + 1)] - exact[k]/all) < 0.02, (part, k, x[part], exact[k]/all)
END
else
    fails_with "without GSL there is no sequence of Sobol" 2 "sampling latin does without" "$mbs" sweep fall.mbs --vary v0=1..5 --cases 8 --sampling sobol -o none.csv
fi

study="--vary v0=3+-0.1 --vary g=uniform(9,11) --vary mass[1]=triangle(1,2,3) --cases 600 -m max(y) -m speed"
set -f
sweep $study -j 1 -o one.csv
for j in 2 3 4; do sweep $study -j $j -o more.csv && cmp one.csv more.csv || fail "workers: $j"; done >out 2>&1
[ ! -s out ] && pass "the same bytes by 1 to 4 workers" || fail "the same bytes by 1 to 4 workers" "$(cat out)"
# as mpirun -n 3 would start them, and an array of Slurm of 2 tasks with srun -n 2 each
for i in 0 1 2; do OMPI_COMM_WORLD_RANK=$i OMPI_COMM_WORLD_SIZE=3 "$mbs" sweep fall.mbs $study -q --shard auto -o ranks.csv; done
"$mbs" sweep fall.mbs $study -q --merge -o ranks.csv
ok "parts by the environment of mpirun" cmp ranks.csv one.csv
for task in 7 8; do for i in 0 1; do
    SLURM_ARRAY_TASK_ID=$task SLURM_ARRAY_TASK_MIN=7 SLURM_ARRAY_TASK_COUNT=2 SLURM_PROCID=$i SLURM_NTASKS=2 "$mbs" sweep fall.mbs $study -q --shard auto -o slurm.csv
done; done
"$mbs" sweep fall.mbs $study -q --merge -o slurm.csv
ok "parts by the environment of Slurm" cmp slurm.csv one.csv
fails_with "no engine" 2 'neither mpirun nor srun' env -u SLURM_PROCID -u OMPI_COMM_WORLD_RANK -u PMI_RANK "$mbs" sweep fall.mbs $study --shard auto -o parts.csv
for i in 1 2 3; do sweep $study --shard $i/3 -o parts.csv; done
fails_with "a part is asked for by its place" 2 'part I of 1 to N' "$mbs" sweep fall.mbs $study --shard 4/3 -o parts.csv
ok "parts are merged" sweep $study --merge -o parts.csv
ok "to the same bytes" cmp one.csv parts.csv
[ "$(ls | grep -c parts.csv)" = 1 ] && pass "and removed" || fail "and removed" "$(ls)"
for i in 1 2 3 4 5 6; do timeout -s KILL 0.0$((i * 13 % 7 + 1)) "$mbs" sweep fall.mbs $study -o killed.csv >/dev/null 2>&1; done
ok "a study that was killed goes on" sweep $study -o killed.csv
ok "to the same bytes" cmp one.csv killed.csv
[ "$(ls | grep -c killed.csv)" = 1 ] && pass "nothing else is left" || fail "nothing else is left" "$(ls)"
sweep $study -o torn.csv --shard 1/2
head -c -5 torn.csv.1of2 >t && mv t torn.csv.1of2
fails_with "a part that is torn is not merged" 1 '299 of 300 cases' "$mbs" sweep fall.mbs $study --merge -o torn.csv
printf 'torn!' >>torn.csv.1of2
fails_with "nor one whose last record is of the right length" 1 '299 of 300 cases' "$mbs" sweep fall.mbs $study --merge -o torn.csv
fails_with "another study does not go on there" 1 'another study' "$mbs" sweep fall.mbs $study --rtol 1e-5 -o torn.csv --shard 1/2
set +f
for s in random latin $(has_gsl && echo sobol); do sweep --vary v0=1..5 --cases 5 --sampling $s --seed 7 -o a.csv && sweep --vary v0=1..5 --cases 5 --sampling $s --seed 8 -o b.csv; cmp -s a.csv b.csv && fail "seed: $s"; done >out 2>&1
[ ! -s out ] && pass "another seed, other cases" || fail "another seed, other cases" "$(cat out)"

# triangle(1,2,6): mean (1 + 2 + 6)/3 = 3, mean square 3^2 + (1 + 4 + 36 - 2 - 6 - 12)/18 = 61/6; one of each of 500 equal parts: good to 1e-3
sweep --vary 'v0=triangle(1,2,6)' --cases 500 --sampling latin -o triangle.csv
ok "a triangle that is not symmetric" sh -c 'tr -d "\r" <triangle.csv | awk -F, "NR > 1 { s += \$3/500; q += \$3^2/500 } END { print s, q; exit !((s - 3)^2 < 1e-5 && (q - 61/6)^2 < 1e-3) }"'

# of 0, 1, ..., 10 a twentieth lies below 0.5, between the first two
printf 'model lin\nparam a = 1\ncoord x\nkinetic x'"'^2/2\ninit x' = a"'\nsimulate { to = 1 }\n' >lin.mbs
ok "percentiles between two cases" sh -c '"$1" sweep lin.mbs --vary a=0:10:11 -m "end(x)" --json >lin.json && python3 -c "
import json
x = json.load(open(\"lin.json\"))[\"measures\"][\"end(x)\"]
assert abs(x[\"p5\"] - 0.5) < 1e-9 and abs(x[\"p25\"] - 2.5) < 1e-9 and abs(x[\"p95\"] - 9.5) < 1e-9, x"' sh "$mbs"

printf 'v0,g\n1,8\n5,10\n' >cases.csv
ok "a list of cases" sweep --list cases.csv -m 'curve(y)' --every 0.5 -o list.csv
[ "$(head -n 1 list.csv | tr -d '\r')" = "case,status,v0 [m/s],g [m/s^2],y(t = 0) [m],y(t = 0.5) [m],y(t = 1) [m]" ] && pass "with curves" || fail "with curves" "$(head -n 1 list.csv)"
column list.csv 'y(t = 0.5)' >y; printf '%s\n' -0.5 1.25 | paste -d ' ' y - >pairs; near "a point of a curve" 1e-12 pairs
sed 's|^init.*|init y = 0, y'"'"' = sqrt(v0 - 2)*1 [m^0.5/s^0.5]|' fall.mbs | sed 's|\*1 \[m^0.5/s^0.5\]||; s|v0: m/s|v0|; s|twice: m/s|twice|; s|sqrt(v0 - 2)|sqrt(v0 - 2)*1 [m/s]|' >some.mbs
"$mbs" sweep some.mbs --vary v0=1,3 -m speed -o some.csv >out 2>&1
column some.csv status >s; [ "$(head -n 1 s)" != 0 ] && [ "$(tail -n 1 s)" = 0 ] && pass "a case that fails does not end the study" || fail "a case that fails does not end the study" "$(cat out some.csv)"
grep -q '1 failed' out && grep -q 'case 1:' out && pass "and is named" || fail "and is named" "$(cat out)"

fails_with "no such parameter" 2 "no parameter 'w0'" sweep --vary w0=1,2
fails_with "no such column" 2 "did you mean 'speed'" sweep --vary v0=1,2 -m 'max(sped)'
fails_with "no such measure" 2 'min, max, peak' sweep --vary v0=1,2 -m 'top(y)'
fails_with "values that are none" 2 'FROM:TO:COUNT' sweep --vary v0=a..b
fails_with "values without end" 2 'FROM:TO:COUNT' sweep --vary v0=-1e308:1e308:3
fails_with "how many" 2 'cases N' sweep --vary v0=1..2
fails_with "twice" 2 'varies twice' sweep --vary v0=1,2 --vary v0=3
sed -e 's/^param \([a-z0-9]*\)\(.*\) = \([0-9.]*\)$/param \1\2 = \3 +- 0.5/' fall.mbs >unsure.mbs
if "$mbs" sweep unsure.mbs --cases 400 -q -o unsure.csv 2>err && "$mbs" sweep unsure.mbs --interpret --cases 400 -q -o interpreted.csv; then
    k=$(grep -c -e '+-' unsure.mbs)
    cut -d, -f1-4 unsure.csv >drawn && cut -d, -f1-4 interpreted.csv >too
    [ "$(head -n 1 unsure.csv | tr , '\n' | grep -vc 'case\|status\|end(')" = "$k" ] && cmp -s drawn too &&
        pass "deviations in the model: $k parameters are drawn" || fail "deviations in the model" "$(head -n 2 unsure.csv interpreted.csv)"
else
    fail "deviations in the model" "$(cat err)"
fi
fails_with "nothing varies" 2 'what varies' sweep
printf 'v1\n3\n' >bad.csv; fails_with "a list with a strange column" 2 "no parameter 'v1'" sweep --list bad.csv
[ ! -w /dev/full ] || fails_with "a full disk" 1 'No space' sweep --vary v0=1:2:3000 -o /dev/full

"$mbs" info fall.mbs --set v0=4 --write-params p.toml && "$mbs" info fall.mbs --set v0=4 --write-params p.json
for f in p.toml p.json; do "$mbs" run fall.mbs --params $f --json | grep '"q"'; done | uniq >got
"$mbs" run fall.mbs --set v0=4 --json | grep '"q"' | cmp - got >/dev/null && pass "parameter files, both ways" || fail "parameter files, both ways" "$(cat got p.toml)"
"$mbs" run fall.mbs --params p.json --set v0=3 --json | grep -q '"y": -2' && pass "--set goes before a file" || fail "--set goes before a file"
printf 'mass = [3, 4]\nv0 = 1_0 # fast\n' >v.toml; "$mbs" run fall.mbs --params v.toml --json | grep -q '"speed": 0,\|"speed": -\{0,1\}[0-9.]*e-1' && pass "vectors and notes" || fail "vectors and notes" "$("$mbs" run fall.mbs --params v.toml --json)"
printf 'v0 = 1\nv1 = 2\n' >b.toml; fails_with "a name that is none" 1 "b.toml:2: the model has no parameter 'v1'" "$mbs" run fall.mbs --params b.toml
printf '{"v0": "1"}' >b.json; fails_with "a value that is no number" 1 'b.json:1: a number is expected' "$mbs" run fall.mbs --params b.json
printf 'v0 = 1.%070de2\n' 0 >b.toml; fails_with "a number that would be cut" 1 'b.toml:1: .* is too long for a number' "$mbs" run fall.mbs --params b.toml
printf 'v0 = 1\nv0 = 2\n' >b.toml; fails_with "a parameter twice" 1 'b.toml:2: v0 is given a second time' "$mbs" run fall.mbs --params b.toml
printf '{"v0": 1}\n{"v0": 2}' >b.json; fails_with "something after the list" 1 'b.json:2: nothing may follow' "$mbs" run fall.mbs --params b.json
for x in nan inf 1e999 -1e999 0x 1e; do printf 'v0 = %s\n' $x >b.toml; fails_with "v0 = $x" 1 'b.toml:1: a number is expected' "$mbs" run fall.mbs --params b.toml; done
# so many rows that they are written in longer pieces: the same numbers as in the CSV
if grep -q '^#define HAVE_HDF5 1' "$top_builddir/config.h" && command -v gnuplot >/dev/null; then
    printf 'model tiny\nparam a = 1, b = 2\ncoord x\nkinetic x'"'"'^2/2\ninit x = a\noutput y = a*x + b\nsimulate { to = 1e-3 }\n' >tiny.mbs
    for kind in csv h5; do
        "$mbs" sweep tiny.mbs --vary a=+-10% --vary b=0..1 --cases 70000 -q -o long.$kind && "$mbs" plot long.$kind 'end(y)' -x case --points -q -o $kind.svg
    done
    cmp csv.svg h5.svg && pass "70000 rows in HDF5 are those of the CSV" || fail "70000 rows in HDF5 are those of the CSV"
else
    skip "70000 rows in HDF5 are those of the CSV"
fi
fails_with "a name that cannot be written is told before the cases run" 2 "ends in .csv" "$mbs" sweep fall.mbs --vary v0=1,2 -o cases.foo
[ ! -e cases.foo.part ] && pass "and nothing was begun" || fail "and nothing was begun"
done_testing
