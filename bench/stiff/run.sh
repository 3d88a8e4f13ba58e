#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Implicit steps of chains with stiff springs in their joints (stiff.mbs): instructions of one step of 1 ms, counted by callgrind as the difference
# between runs of 3 and of 7 steps, and what each link has of them: the same at all lengths, if a step is linear in their number.
# Run it in the build directory: run.sh [N...]
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/mbs-stiff.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
libs=$(sed -n 's/^Libs.private://p' runtime/mbs.pc)
gsl=$(pkg-config --libs gsl 2>/dev/null || echo -lgsl -lgslcblas)

instructions() {    # program method steps
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$1" "$2" "$3" 2>&1 >"$tmp/energy" | sed -n 's/^.*Collected *: *//p'
}

printf '%-6s %6s %-9s %16s %16s %22s\n' chain n method "instructions" "a link" "energy T, U [J]"
for space in false true; do
    for n in ${*:-125 250 500 1000}; do
        ./mbsc "$top_srcdir/bench/stiff/stiff.mbs" -D n="$n" -D space=$space --way=rolled -o "$tmp/stiff.c" || exit 1
        # shellcheck disable=SC2086
        ${CC:-gcc} -O2 -I"$top_srcdir/runtime" -DMODEL=stiff_model "$top_srcdir/bench/stiff/stiff.c" "$tmp/stiff.c" libmbs.a $libs $gsl -lm -o "$tmp/stiff" || exit 1
        for method in radau5 radau genalpha; do
            few=$(instructions "$tmp/stiff" $method 3)
            many=$(instructions "$tmp/stiff" $method 7)
            echo "$few $many $n" "$(cat "$tmp/energy")" | awk -v chain=$([ $space = true ] && echo space || echo plane) -v method=$method \
                '{ step = ($2 - $1)/4; printf "%-6s %6d %-9s %16.0f %16.0f %12s %9s\n", chain, $3, method, step, step/$3, $4, $5 }'
        done
    done
done
