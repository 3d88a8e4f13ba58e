#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# --interpret: without a C compiler the functions of a model are what its energies are, and runs are those of compiled code to rounding.
. "${top_srcdir:-.}/tests/tap.sh"
PATH=$top_builddir:$PATH
cd "$tmp" || exit 99
export XDG_CACHE_HOME="$tmp/cache"
# no compiler to be had by any name
without() { env CC=/nonexistent/cc "$@"; }

# --- functions against the energies in 128-bit arithmetic: energies, bodies, loops, rows by time, rolling, tables, beams ---
for model in models/squeezer models/crank_beam models/bricard models/rolling_disc models/robot_arm examples/spring_mass examples/cart examples/skate examples/vehicle; do
    ok "compare $model" without mbs compare "$top_srcdir/$model.mbs" --interpret -q --states 5
done

ok "compare tables" without mbs compare "$top_srcdir/tests/cases/tables.mbs" --interpret -q --states 20

# --- runs: another order of operations changes the last bits, which the motion carries on; 1e-9 of a column at tolerances of 1e-10 ---
agree() { # agree NAME OPTIONS...
    name=$1
    shift
    mbs run "$@" --rtol 1e-10 --atol 1e-10 -q -o "$name.csv" && without mbs run "$@" --rtol 1e-10 --atol 1e-10 -q --interpret -o "$name-i.csv" &&
        paste -d, "$name.csv" "$name-i.csv" | awk -F, 'NR > 1 { n = NF/2; for (i = 1; i <= n; i++) { a = $i < 0 ? -$i : $i; d = $i - $(i + n); if (d < 0) d = -d
            if (a > size[i]) size[i] = a; if (d > worst[i]) worst[i] = d } }
            END { for (i = 1; i <= n; i++) if (worst[i] > 1e-9*(1 + size[i])) { print i, worst[i], size[i]; bad = 1 } exit bad || NR < 10 }'
}
ok "a run of the cart" agree cart "$top_srcdir/examples/cart.mbs" --to 1
ok "a run of a slider-crank" agree slider "$top_srcdir/examples/slider_crank.mbs" --to 0.5
ok "a run with other parameters" agree pendulum "$top_srcdir/examples/pendulum.mbs" --to 2 --set l=0.3
cat >bounce.mbs <<'END'
model bounce
param g = 10, e = 0.5
discrete n = 0
coord y, x
kinetic (y'^2 + x'^2)/2
potential g*y
init y = 1, x' = 1
when y < 0 { y' = -e*y', n = n + 1 }
constraint wall: x <= 0.4, restitution = 0.5
output count = n, height = y
simulate { to = 0.9 }
END
ok "events and contacts" agree bounce bounce.mbs
ok "derivatives by parameters" agree sensitive "$top_srcdir/examples/pendulum.mbs" --to 1 --sensitivity l
ok "modes" sh -c "CC=/nonexistent/cc mbs modes '$top_srcdir/models/squeezer_stiff.mbs' --interpret >a && mbs modes '$top_srcdir/models/squeezer_stiff.mbs' >b && head -n 3 a | cmp - /dev/null; [ -s a ]"
ok "a report" without mbs report "$top_srcdir/examples/pendulum.mbs" --interpret -q -o pendulum.html
[ -s pendulum.html ] && pass "... is there" || fail "pendulum.html is missing"

# --- what cannot be interpreted says so ---
cat >ext.mbs <<'END'
model ext
extern law(x)
coord x
kinetic x'^2/2
force x = law(x)
simulate { to = 1 }
END
fails_with "functions in C" 1 "cannot be interpreted: it calls functions in C" mbs run ext.mbs --interpret -q
fails_with "loops" 1 "cannot be interpreted: loops" mbs run "$top_srcdir/models/robot_arm.mbs" --interpret --way rolled -q
fails_with "without a compiler and without --interpret" 1 "interpret" without mbs run "$top_srcdir/examples/pendulum.mbs" -q
done_testing
