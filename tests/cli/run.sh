#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# `mbs run`: results, formats, options, exit codes; what it says when something is wrong.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"
mbs=$top_builddir/mbs
XDG_CACHE_HOME=$tmp/cache
export XDG_CACHE_HOME
cd "$tmp" || exit 99
pendulum=$top_srcdir/examples/pendulum.mbs
squeezer=$top_srcdir/models/squeezer.mbs

ok "a model runs" "$mbs" run "$pendulum" -o p.csv
ok "the header names columns with units" test "$(head -n 1 p.csv | tr -d '\r')" = "t [s],phi [rad],phi' [rad/s],kinetic [J],potential [J]"
ok "lines end with CR LF, as RFC 4180 asks" test "$(grep -c "$(printf '\r')\$" p.csv)" = "$(wc -l <p.csv | tr -d ' ')"
ok "there are 1001 rows" test "$(wc -l <p.csv | tr -d ' ')" = 1002
# energy of the pendulum: kinetic + potential = -m g l cos(pi/3) = -4.905; the default tolerance 1e-6 keeps five digits
ok "energy is kept in every row" awk -F, 'NR > 1 { e = $4 + $5; if (e < -4.9051 || e > -4.9049) exit 1 }' p.csv
ok "numbers read back to the last bit: the start is pi/3" grep -q '^0,1\.047197551196597[0-9],0,0,' p.csv
ok "rows every 0.5" sh -c '"$1" run "$2" --every 0.5 -q -o e.csv && test "$(wc -l <e.csv)" -eq 22' sh "$mbs" "$pendulum"
ok "a row a step" sh -c '"$1" run "$2" --every 0 -q -o s.csv && test "$(wc -l <s.csv)" -lt 200' sh "$mbs" "$pendulum"
ok "standard output by -" sh -c '"$1" run "$2" -q -o - | cmp - p.csv' sh "$mbs" "$pendulum"
ok "silent when told so" sh -c 'test -z "$("$1" run "$2" -q -o q.csv 2>&1)"' sh "$mbs" "$pendulum"
ok "no progress bar when piped" sh -c '! "$1" run "$2" -o q.csv 2>&1 | grep -q "█"' sh "$mbs" "$pendulum"
ok "a parameter is set: four times the length, half the frequency squared" sh -c \
    '"$1" run "$2" --set l=4 --to 1 --json | grep -q "\"accepted\""' sh "$mbs" "$pendulum"
ok "all columns on request" sh -c '"$1" run "$2" -a -q --to 0.001 -o a.csv && head -n 1 a.csv | grep -q "lambda(loopB.x)" && head -n 1 a.csv | grep -q "beta.. \[rad/s^2\]"' sh "$mbs" "$squeezer"
# the published end of the squeezer (Test Set for IVP Solvers II.13): beta = 15.81077119629904; rtol 1e-8 gives five digits and more
ok "the squeezer ends where the literature says" sh -c \
    '"$1" run "$2" --rtol 1e-8 --json | awk "/\"q\"/ { if (!match(\$0, /\"beta\": [0-9.]+/)) exit 1; b = substr(\$0, RSTART + 8, RLENGTH - 8); d = b - 15.81077119629904; exit !(d < 1e-4 && d > -1e-4) }"' sh "$mbs" "$squeezer"
ok "an event stops the run" sh -c '"$1" run "$2" --event stretch:falling --json 2>/dev/null | grep -q "\"status\""' sh "$mbs" "$squeezer"
# the pendulum's energy is kept to 1e-4 (above), and the table says so
ok "the drift of the energy" sh -c '"$1" run "$2" | sed -n "s/.*drift \([^ ]*\) J/\1/p" | awk "{ n++; x = \$1 } END { exit !(n == 1 && x >= 0 && x < 1e-4) }"' sh "$mbs" "$pendulum"
# two constraints that meet at an angle of 0.01 are two
printf "model near\ncoord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\nconstraint a: x = 0\nconstraint b: x + 0.01*y = 0\nsimulate { to = 1 }\n" >near.mbs
ok "constraints that are nearly parallel are not redundant" sh -c '"$1" info near.mbs | grep -q "freedom by rank  *1 = 3 coordinates - rank 2 of G"' sh "$mbs"
# The steps of generalized alpha by the constants of its errors: x'' = phi(t) has h^3 Cq phi' in x and h^3 Cv phi'' in x', the norm is the mean over both,
# the control aims at 0.9^3 of it, and at rtol 1e-8 errors count tighter by sqrt(1e-2/1e-8).  rho = 1/2: Cq = 1/9, Cv = 5/36.  phi = t shows the
# first, phi = t^2/2 for small t the second; 2 % for the first steps.
alpha_steps() { # FORCE TO ATOL WANT
    printf 'model c\ncoord x\nkinetic x%s^2/2\nforce x = %s\nsimulate { to = %s }\n' "'" "$1" "$2" >c.mbs
    "$mbs" run c.mbs --solver genalpha --rho 0.5 --atol "$3" --rtol 1e-8 --json | awk -v want="$4" '/"accepted"/ { n = $2 + 0 } END { print n, want; exit !(n > 0.98*want && n < 1.02*want) }'
}
ok "steps of genalpha by the error in positions" alpha_steps t 1 1e-6 "$(awk 'BEGIN { print 10/(0.9*exp(log(sqrt(2)*1e-6*9)/3)) }')"
ok "and in velocities" alpha_steps 't^2/2' 0.1 1e-11 "$(awk 'BEGIN { for (i = 0; i < 1000; i++) { t = (i + 0.5)/10000; n += 1e-3/(0.9*exp(log(sqrt(2)*1e-11/sqrt(t*t/81 + 25/1296))/3)) } print n }')"
ok "the methods are listed" sh -c '"$1" run --solver list | grep -q radau5' sh "$mbs"
if python3 -c 1 2>/dev/null; then
    ok "--json is JSON" sh -c '"$1" run "$2" --json | python3 -m json.tool >/dev/null' sh "$mbs" "$squeezer"
    ok "the CSV reads with a standard reader" python3 -c 'import csv; r = list(csv.reader(open("a.csv", newline=""))); assert all(len(x) == len(r[0]) for x in r); [float(v) for x in r[1:] for v in x]'
else
    skip "no python3"
    skip "no python3"
fi

for how in "run" "modes" "equilibrium" "linearize"; do
    fails_with "mbs $how: a negative mass is refused" 1 "coordinate phi has a negative inertia .*M is not positive definite" "$mbs" $how "$pendulum" --set m=-1
done
fails_with "an unknown option: exit 2, with a suggestion" 2 "did you mean 'rtol'" "$mbs" run "$pendulum" --rtoll 1
fails_with "a number that is none: exit 2" 2 "needs a number" "$mbs" run "$pendulum" --to soon
fails_with "an unknown parameter: exit 1, with a suggestion" 1 "did you mean 'grav'" "$mbs" run "$pendulum" --set graw=1
fails_with "an unknown solver: exit 1, with those that there are" 1 "there is no method .eulr.; there are .*radau5" "$mbs" run "$pendulum" --solver eulr
cp "$pendulum" "$tmp/swinging.mbs"
ok "a model without its ending" "$mbs" run "$tmp/swinging" -q -o "$tmp/swinging.csv"
ok "help COMMAND is COMMAND --help" sh -c '[ "$("$0" help run)" = "$("$0" run --help)" ]' "$mbs"
fails_with "... or with the names there are" 1 "no parameter 'zzzzzz'; it has l, m, grav" "$mbs" run "$pendulum" --set zzzzzz=1
printf 'model v\nparam k[2] = [1, 2]\ncoord x\nkinetic x'"'"'^2/2\npotential (k[1] + k[2])*x^2\nsimulate { to = 1 }\n' >"$tmp/v.mbs"
for list in '[3, 4]' '3,4'; do
    ok "--set takes vectors: k=$list" sh -c '"$0" info "$1" --set "k=$2" | grep -q "^k\[1\]  *3 " && "$0" info "$1" --set "k=$2" | grep -q "^k\[2\]  *4 "' "$mbs" "$tmp/v.mbs" "$list"
done
fails_with "a vector that is too long" 1 "no parameter 'k\[3\]'" "$mbs" run "$tmp/v.mbs" --set 'k=[1,2,3]'
fails_with "a vector that is none" 1 'number 2 is none' "$mbs" run "$tmp/v.mbs" --set 'k=[1,x]'
ok "info lists the parameters with values and units" sh -c '"$0" info "$1" --set l=0.7 | grep -q "^l  *m  *0.7 "' "$mbs" "$pendulum"
fails_with "a missing file: exit 1" 1 "No such file" "$mbs" run nothing.mbs
fails_with "no argument: exit 2" 2 "missing" "$mbs" run
fails_with "an unknown command: exit 2, with a suggestion" 2 "no command 'rum', did you mean 'run'" "$mbs" rum
if command -v gnuplot >/dev/null; then
    printf 't,"`touch pwned`","'"'"'; system '"'"'touch pwned","a'"'"' with lines; !touch pwned"\r\n0,1,2,3\r\n1,2,3,4\r\n' >evil.csv
    ok "nothing in a file becomes a command of gnuplot" sh -c '"$1" plot evil.csv -t text >/dev/null && "$1" plot evil.csv -o evil.svg --title "\`touch pwned\`" && test -s evil.svg && test ! -e pwned' sh "$mbs"
else
    skip "no gnuplot"
fi
printf 'model m "t"\ncoord x\nkinetic x'"'"'^2/2\npotential y\n' >bad.mbs
fails_with "an error in the model: exit 1, with its place" 1 '^bad.mbs:4:11: error:' "$mbs" run bad.mbs
printf 'model m "t"\ncoord x\nkinetic x'"'"'^2/2\n' >long.mbs
fails_with "no end of time: asks for it" 2 "Give .-to TIME\|how long" "$mbs" run long.mbs
# extern functions: force -x from C, so that x = cos t; the default tolerance keeps five digits
printf 'model ext "t"\nextern pull(x)\ncoord x\nkinetic x'"'"'^2/2\nforce x = -pull(x)\ninit x = 1\nsimulate { to = 1 }\n' >ext.mbs
fails_with "an extern function without code: names it" 1 "'pull', 'pull_1': give their code with --with" "$mbs" run ext.mbs
printf 'double pull(double x) { return x; }\ndouble pull_1(double x) { return 1 + 0*x; }\n' >pull.c
ok "an extern function with code" sh -c '"$1" run ext.mbs --with pull.c | grep -q "  x  *0\.54030"' sh "$mbs"
echo 'int x = ;' >bad.c
fails_with "an error in the user's own C is shown" 1 "does not accept bad.c" "$mbs" run ext.mbs --with bad.c
# an input from a file: a triangle, linear between its points
printf 'time,v\n0,0\n1,1\n2,0\n' >in.csv
ok "an input follows a file" sh -c '"$1" run "$2" --input target=in.csv --to 2 --every 0.5 -q -o in_run.csv && tr -d "\r" <in_run.csv | awk -F, "NR == 1 { for (i = 1; i <= NF; i++) if (\$i ~ /^target/) c = i } NR == 3 && \$c == 0.5 { n++ } NR == 5 && \$c == 0.5 { n++ } END { exit n != 2 }"' sh "$mbs" "$top_srcdir/examples/cart.mbs"
printf 't,u\n0,0\n1,3 m\n' >unit.csv
fails_with "a field that only begins as a number is none" 1 "two columns of numbers" "$mbs" run "$top_srcdir/examples/cart.mbs" --input target=unit.csv --to 1 -q -o unit_run.csv
# two of them whose points have the same times: x'' = F + H, 1 + 2 at t = 1, from 0
printf 'model two\ncoord x\nkinetic x'"'"'^2/2\ninput F = 0, H = 0\nforce x = F + H\nsimulate { to = 1 }\n' >two.mbs
printf 't,u\n0,0\n1,1\n' >one.csv
printf 't,u\n0,0\n1,2\n' >twice.csv
ok "two inputs from files with the same times" sh -c '"$1" run two.mbs --input F=one.csv --input H=twice.csv | awk "\$1 == \"x\" { exit !(\$2 > 0.4999 && \$2 < 0.5001) }"' sh "$mbs"
# a constant input counts: x'' = F, F = 2, one second
printf 'model o\ncoord x\nkinetic x'"'"'^2/2\ninput F = 0\nforce x = F\nsimulate { to = 1 }\n' >constant.mbs
ok "a constant input" sh -c '"$1" run constant.mbs --input F=2 | awk "\$1 == \"x\" { exit !(\$2 > 0.999 && \$2 < 1.001) }"' sh "$mbs"
fails_with "an input file that is none" 1 "needs two columns" "$mbs" run "$top_srcdir/examples/cart.mbs" --input target=pull.c
for c in run report plot info modes equilibrium new fmt watch; do
    ok "mbs $c --help teaches with an example" sh -c '"$1" "$2" --help | grep -q "^examples:" && "$1" "$2" --help | grep -q "  mbs $2"' sh "$mbs" "$c"
done
if grep -q '^#define HAVE_HDF5' "$top_builddir/config.h"; then
    ok "HDF5 by the name" sh -c '"$1" run "$2" -q -o p.h5 && head -c 8 p.h5 | od -c | grep -q "H   D   F"' sh "$mbs" "$pendulum"
else
    fails_with "HDF5 that is missing is named" 1 "libhdf5-dev" "$mbs" run "$pendulum" -o p.h5
fi
done_testing
