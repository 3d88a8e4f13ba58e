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
done_testing
