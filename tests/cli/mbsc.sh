#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The command line of mbsc: exit status, what is written and what is not, and that nothing in a model gets
# into the generated C as code.
. "${top_srcdir:-.}/tests/tap.sh"
mbsc=$top_builddir/mbsc
cd "$tmp" || exit 99

status() { # status WANTED WHAT command...
    want=$1 what=$2
    shift 2
    "$@" >out 2>err
    got=$?
    [ $got = "$want" ] && pass "$what: exit $want" || fail "$what: exit $want" "exit $got
$(cat out err)"
}

cat >pendulum.mbs <<'END'
model pendulum "A pendulum"
param m: kg = 1, l: m = 1, g: m/s^2 = 9.81
coord phi: rad
let P = l*[sin(phi), -cos(phi)]
kinetic m*norm2(P')/2
potential m*g*P[2]
END
printf 'model wrong\ncoord x\nkinetic x'"'"'^3\nkinetik 1\n' >wrong.mbs
printf 'model cubic\ncoord x: m\nparam m: kg*s/m = 1\nkinetic m*x'"'"'^3\n' >cubic.mbs

status 0 "a model" "$mbsc" pendulum.mbs
ok "NAME.c is written to the current directory" test -s pendulum.c
ok "and nothing beside it" test "$(ls *.tmp 2>/dev/null)" = ""
status 0 "--help" "$mbsc" --help
ok "--help teaches by example" grep -q 'kinetic m' out
status 0 "--version" "$mbsc" --version
ok "--version names the program" grep -q '^mbsc [0-9]' out
status 2 "no model" "$mbsc"
status 2 "two models" "$mbsc" pendulum.mbs pendulum.mbs
status 2 "an unknown option" "$mbsc" --frobnicate pendulum.mbs
ok "an unknown option is named" grep -q 'frobnicate' err
status 2 "-o without a value" "$mbsc" pendulum.mbs -o
status 2 "a wrong dump" "$mbsc" --dump=nothing pendulum.mbs
status 1 "a missing file" "$mbsc" nowhere.mbs
status 1 "errors in the model" "$mbsc" -o wrong.c wrong.mbs
ok "nothing is written then" test ! -e wrong.c
echo old >kept.c
status 1 "errors in the model, old output" "$mbsc" -o kept.c wrong.mbs
ok "the old output stays" grep -q old kept.c
status 1 "an energy cubic in the velocities" "$mbsc" -o cubic.c cubic.mbs
ok "the statement is shown" grep -q '^cubic.mbs:4:[0-9]*: error: .*quadratic' err
status 1 "a directory that does not exist" "$mbsc" -o no/such/place.c pendulum.mbs
ok "the reason is said" grep -q 'cannot write no/such/place.c' err
if [ -c /dev/full ]; then
    status 1 "a full disk" "$mbsc" -o /dev/full pendulum.mbs
    status 1 "a full standard output" sh -c "\"$mbsc\" -o - pendulum.mbs >/dev/full"
else
    skip "no /dev/full"
    skip "no /dev/full"
fi
status 0 "-o -" "$mbsc" pendulum.mbs -o -
ok "standard output has the same text" cmp out pendulum.c
mkfifo pipe && { cat pipe >piped & }
status 0 "a pipe as output" "$mbsc" -o pipe pendulum.mbs
wait
ok "it is written through, not replaced" cmp piped pendulum.c
mkdir folder
status 1 "a directory as output" "$mbsc" -o folder pendulum.mbs
ok "it is left alone" test -z "$(ls folder)"
status 0 "-MD" "$mbsc" -MD -o dep.c pendulum.mbs
ok "the rule names the model" grep -q '^dep.c:' dep.d
ok "and what it was read from" grep -q 'pendulum.mbs' dep.d
for what in ast model equations jacobian tape; do
    status 0 "--dump=$what" "$mbsc" --dump=$what pendulum.mbs
    ok "--dump=$what shows something" test -s out
done
status 0 "--fold-params" "$mbsc" --fold-params -o folded.c pendulum.mbs
ok "no parameter is left" sh -c 'grep -q "\.nq = " folded.c && ! grep -q "\.np = " folded.c'
status 0 "--standalone" "$mbsc" --standalone -o alone.c pendulum.mbs
ok "a standalone file includes math.h only" test "$(grep '^#include' alone.c)" = '#include <math.h>'

# Injection: the only places where text of the model appears are literals, comments and identifiers.
cat >inject.mbs <<'END'
model inject "*/ int main(void) { return 1; } /* ??/ %s ??' \n // end\"
param double: kg = 1, sizeof: m = 2, sin_while: rad = 0.1, _Exit = 1, M_PI = 3, NULL = 2, auto: J = 3
coord int, return: m, main: rad, gamma, j0, y1: rad
kinetic double*(int'^2 + return'^2)/2 + double*sizeof^2*(main'^2 + gamma'^2 + j0'^2 + y1'^2)/2 + double*_Exit*M_PI*NULL*int'^2
potential auto*cos(main + gamma + sin_while)
constraint static: int = return
END
status 0 "a model that tries hard" "$mbsc" inject.mbs
for cc in gcc clang; do
    command -v $cc >/dev/null || { skip "no $cc"; continue; }
    ok "$cc takes it for what it is" $cc -std=c11 -pedantic -Wall -Wextra -Wshadow -Wtrigraphs -Werror -I"$top_srcdir/runtime" -c inject.c -o inject.o
    ok "$cc in its own dialect, too" $cc -Wall -Wextra -Wshadow -Werror -I"$top_srcdir/runtime" -c inject.c -o inject.o
done
if command -v nm >/dev/null && [ -f inject.o ]; then
    ok "it defines the descriptor and nothing else" test "$(nm -g --defined-only inject.o | awk '{print $3}')" = inject_model
else
    skip "no nm"
fi
done_testing
