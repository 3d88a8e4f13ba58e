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

# Other types of number.  Float has 24 bits, of which a sum of some hundred terms leaves 1e-5 of the largest entry; long double
# must differ from double, by no more than double's rounding of such sums. 
status 2 "--scalar without --standalone" "$mbsc" --scalar=float pendulum.mbs
ok "it says what is missing" grep -q 'needs --standalone' err
status 2 "--scalar of an unknown type" "$mbsc" --standalone --scalar=half pendulum.mbs
cat >chain.mbs <<'END'
model chain
spatial
param m = 1.3, g = 9.81
gravity [0.1, 0.2, -g]
body A { mass = m, com = [0.5, 0.1, 0], inertia = [[0.11, 0.01, 0], [0.01, 0.1, 0.02], [0, 0.02, 0.2]], frame E = at([1, 0.2, 0.1], x = 0.3) }
body B { mass = 2*m, com = [0.3, 0, 0.1], inertia = [0.1, 0.2, 0.25], frame E = at([0.7, 0, 0], z = 0.4) }
body C { mass = m, com = [0.4, 0, 0.1], inertia = [0.1, 0.2, 0.25] }
joint a: revolute(ground, A) axis [0, 1, 0]
joint b: spherical(A.E, B)
joint c: revolute(B.E, C) axis [1, 0, 0]
spring s: on c, stiffness = 0.7, angle = 0.1, damping = 0.3
END
cat >numbers.c <<'END'
#include SOURCE
#include <stdio.h>
#include <stdlib.h>
typedef TYPE real;
static real *array(int n)
{
	return calloc((size_t)n + 1, sizeof(real));
}
int main(void)
{
	const struct mbs_model *m = &chain_model;
	real *p = array(m->np), *c = array(m->nc), *w = array(m->nw), *q = array(m->nq), *v = array(m->nq), *a = array(m->nq);
	real *r = array(m->nq), *M = array(m->M.nnz), *rq = array(m->rq.nnz), *rv = array(m->rv.nnz), *G = array(m->G.nnz), *lambda = array(9);
	m->defaults(p, 0);
	m->setup(p, c);
	for (int i = 0; i < m->nq; i++)
		q[i] = (real)(i%7 - 3)/8 + (real)(i%3)/3, v[i] = (real)(i%5 - 2)/4, a[i] = (real)(i%4)/2;
	const struct mbs_state s = { .q = q, .v = v, .a = a, .lambda = lambda };
	m->residual(c, &s, &(struct mbs_residual){ .r = r }, w);
	m->jacobian(c, &s, &(struct mbs_jacobian){ .M = M, .rq = rq, .rv = rv, .G = G }, w);
	for (int i = 0; i < m->nq; i++)
		printf("%.20Lg\n", (long double)r[i]);
	for (int i = 0; i < m->rq.nnz; i++)
		printf("%.20Lg\n%.20Lg\n", (long double)rq[i], (long double)rv[i%m->rv.nnz]);
	return 0;
}
END
for way in energies tree rolled mixed; do
    for type in float double long-double; do
        "$mbsc" --standalone --scalar=$type --way=$way --solver -o $type.c chain.mbs || fail "--scalar=$type --way=$way"
        gcc -Wall -Wextra -Wno-unused -Wno-parentheses -Werror -O1 "-DTYPE=$(echo $type | tr - ' ')" "-DSOURCE=\"$type.c\"" -o $type.run numbers.c -lm &&
            ./$type.run >$type.out || fail "$type, $way: it does not compile or run"
    done
    paste float.out double.out long-double.out | awk '
        function size(x) { return x < 0 ? -x : x }
        { if (size($2) > top) top = size($2); if (size($1 - $2) > f) f = size($1 - $2); if (size($3 - $2) > l) l = size($3 - $2); differ += $3 != $2 "" }
        END { print f/top, l/top, differ; exit !(NR > 50 && f/top < 1e-5 && f/top > 1e-9 && l/top < 1e-14 && differ > 10) }' >scalar.txt
    good=$?
    [ $good = 0 ] && pass "float and long double, $way: $(cat scalar.txt)" || fail "float and long double, $way" "$(cat scalar.txt)"
done

# Long accelerations ask gcc for a schedule of their own, and nothing else does.
scheduled() { awk '/pragma GCC optimize \("schedule-insns", "sched-pressure", "rename-registers"\)/ { inside = 1; n++ } /pragma GCC pop_options/ { inside = 0; end++ }
    /^static .*[( ]*accelerations/ && inside { found = 1 } /^static .*(residual|jacobian|dynamics)/ && inside { n = 9 } END { exit !(n == '"$2"' && end == n && found + 0 == n) }' "$1"; }
"$mbsc" --solver --way=tree -o long.c "$top_srcdir/models/robot_arm.mbs"
ok "a schedule of long accelerations" scheduled long.c 1
"$mbsc" --solver -o short.c "$top_srcdir/models/top.mbs"
ok "none of short ones" scheduled short.c 0

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
