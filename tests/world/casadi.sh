#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# mbs export --casadi: the C compiles, CasADi loads it, derivatives are right, and the optimal control of a closed loop is what
# `mbs run` does with the torque that was found.
. "${top_srcdir:-.}/tests/tap.sh"
. "$top_srcdir/tests/world/venv.sh"
mbs=$top_builddir/mbs
cd "$tmp" || exit 99
for model in models/squeezer.mbs examples/cart.mbs examples/skate.mbs; do
    name=$(basename $model .mbs)
    ok "$name is exported" "$mbs" export "$top_srcdir/$model" --casadi -q -o $name.c
    ok "$name compiles" ${CC:-cc} -std=gnu11 -Wall -Wextra -Werror -O1 -fPIC -shared $name.c -o $name.so -lm
done
fails_with "a model that depends on time" 1 "depends on time" "$mbs" export "$top_srcdir/examples/driven_pendulum.mbs" --casadi -o t.c
[ ! -e t.c ] && pass "... leaves nothing behind" || fail "t.c was written"
fails_with "a model with contacts" 1 "contacts, limits or friction ('.*--smooth" "$mbs" export "$top_srcdir/examples/hopping_leg.mbs" --casadi -o t.c
fails_with "a model with events" 1 "has events ('.*--smooth" "$mbs" export "$top_srcdir/examples/thermostat.mbs" --casadi -o t.c
ok "... without them" "$mbs" export "$top_srcdir/examples/hopping_leg.mbs" --casadi --smooth -q -o smooth.c
fails_with "an unknown parameter" 1 "with a parameter of the model" "$mbs" export "$top_srcdir/examples/cart.mbs" --casadi --set nonsense=1 -o t.c
if ! need casadi numpy; then
    skip "CasADi cannot be installed"
    done_testing
    exit
fi
for name in squeezer cart skate; do
    "$python" "$top_srcdir/tests/world/casadi_jacobian.py" $name ./$name.so >out 2>err || echo "not ok - $name: $(tail -n 1 err)" >>out
    while IFS= read -r line; do
        case $line in
        "ok - "*) pass "${line#ok - }" ;;
        *) fail "${line#not ok - }" ;;
        esac
    done <out
done
ok "fourbar is exported" "$mbs" export "$top_srcdir/examples/casadi/fourbar.mbs" --casadi -q -o fourbar.c
ok "fourbar compiles" ${CC:-cc} -O2 -fPIC -shared fourbar.c -o fourbar.so -lm
ok "IPOPT finds an optimal torque" "$python" "$top_srcdir/examples/casadi/optimal.py" ./fourbar.so torque.csv
# 40 intervals of the midpoint rule, linear torque between their middles: the end is off by some h^2 = 6e-4 and what that torque changes
end=$("$mbs" run "$top_srcdir/examples/casadi/fourbar.mbs" --input torque=torque.csv --every 1 -q -o - | tail -n 1 | cut -d, -f2)
near=$(echo "$end" | awk '{ d = $1 - 0.5 - 3.14159265358979; print (d < 0.02 && d > -0.02) }')
[ "$near" = 1 ] && pass "mbs run turns the crank by half a turn with it: to $end" || fail "the crank ends at $end"
done_testing
