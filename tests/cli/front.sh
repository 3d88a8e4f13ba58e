#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The front end through the program: options, the search path, dumps, what a model file cannot do.
. "${top_srcdir:-.}/tests/tap.sh"
mbsc=$top_builddir/mbsc
mkdir -p "$tmp/lib/parts"
cat >"$tmp/m.mbs" <<'END'
model m "A model with everything from outside"
option n = 2
include "mass.mbs"
coord q[n]
table pull(x) "pull.csv"
kinetic mass*norm2(q')/2
force q[1] = -pull(q[1])
END
cat >"$tmp/lib/mass.mbs" <<'END'
include "parts/value.mbs"
include "parts/value.mbs"
param mass = value
END
echo 'const value = 3' >"$tmp/lib/parts/value.mbs"
printf '# force over stretch\nx;F\n0;0\n1;2\n2;5\n' >"$tmp/lib/pull.csv"

model() { "$mbsc" "$tmp/m.mbs" -I "$tmp/lib" "$@"; }
says() { tap_want=$1; shift; "$@" 2>&1 | grep -qF -e "$tap_want"; }

ok "without the search path the file is missing" says "cannot read 'mass.mbs'" "$mbsc" "$tmp/m.mbs" -o "$tmp/m.c"
ok "-I finds what is included, once" says "param mass = 3" model --dump=model
ok "-I finds tables" says "table pull: 3 points" model --dump=model
ok "-D sets an option" says "coord q[5]" model --dump=model -D n=5
ok "the last -D counts" says "coord q[4]" model --dump=model -D n=5 -D n=4
ok "-D needs an option of the model" says "the model has no option 'nn', did you mean 'n'?" model -D nn=5 -o "$tmp/m.c"
ok "-D needs a number" says "the option 'n' is a number" model -D n=many -o "$tmp/m.c"
ok "-D is checked like what stands in the file" says "outside 1.." model -D n=-3 -o "$tmp/m.c"
ok "--dump=ast shows statements by line" says "6: kinetic | mass*norm2(q')/2" model --dump=ast
ok "a directory is no model" says "cannot read" "$mbsc" "$tmp" -o "$tmp/m.c"
ok "a missing file is named" says "cannot read '$tmp/none.mbs': No such file or directory" "$mbsc" "$tmp/none.mbs"

# Names and titles cannot break out of the generated C.
cat >"$tmp/evil.mbs" <<'END'
model evil "*/ int planted(void) { return 1; } /* ??/ %s \n \\"
param int = 1, double = 2, main = 3, sin = 4, setup = 5, factor = 6, i0 = 7, table_0 = 8, mbs_max = 9, value = 1, E = 2
extern f(x)
table g(x) = [[0, 1], [1, 2], [2, 4]]
coord x, return
let sum = int*double*main*setup*factor*i0*table_0*mbs_max*value*E
kinetic sum*(x'^2 + return'^2)/2 + sin*x'^2
potential f(x)*g(return)*max(x, 1)
force x = f(x)
END
ok "names that are C words compile" "$mbsc" "$tmp/evil.mbs" -o "$tmp/evil.c"
ok "and the C is well-formed" ${CC:-cc} -std=c11 -pedantic -Wall -Wextra -Werror -I "$top_srcdir/runtime" -c "$tmp/evil.c" -o "$tmp/evil.o"
ok "the title planted no code" sh -c "! nm '$tmp/evil.o' | grep -q planted"
done_testing
