#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What doc/tour.md shows is what the programs print, and the program of doc/abi.md compiles and runs.
. "${top_srcdir:-.}/tests/tap.sh"
cd "$top_srcdir" || exit 99

# Lines of the tour after "$ mbsc --dump=WHAT FILE", up to the end of the block, must be in the output.
awk '/^    \$ mbsc / { command = substr($0, 12); next } /^    / && command { print command "\t" substr($0, 5); next } { command = "" }' \
    doc/tour.md >"$tmp/lines"
[ -s "$tmp/lines" ] && pass "the tour shows something" || fail "the tour shows something"
tab=$(printf '\t')
while IFS=$tab read -r command line; do
    # shellcheck disable=SC2086
    "$top_builddir/mbsc" $command >"$tmp/out" 2>&1
    if grep -qF -- "$line" "$tmp/out"; then pass "tour: $line"; else fail "tour: mbsc $command no longer shows: $line"; fi
done <"$tmp/lines"

"$top_builddir/mbsc" -o "$tmp/pendulum.c" examples/pendulum.mbs
awk '/^static void dynamics/ { on = 1 } on { print } /^}/ { on = 0 }' "$tmp/pendulum.c" | expand -t 4 >"$tmp/got"
sed -n '/^    static void dynamics/,/^    }/s/^    //p' doc/tour.md >"$tmp/want"
ok "tour: the generated function" diff -bu "$tmp/want" "$tmp/got"

sed -n '/^    #include "mbs\/model.h"/,/^    }/s/^    //p' doc/abi.md >"$tmp/main.c"
ok "abi: the program compiles" ${CC:-cc} -Wall -Wextra -Werror -I"$top_srcdir/runtime" "$tmp/main.c" "$tmp/pendulum.c" -o "$tmp/main" -lm
# l = 0.5, phi = pi/3: phi'' = -9.81*sin(pi/3)/0.5
ok "abi: and computes" test "$("$tmp/main")" = "phi'' = -16.9914"
done_testing
