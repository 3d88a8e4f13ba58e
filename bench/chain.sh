#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Chains of n planar links hanging from a pin (models/chain.mbs): what generating, compiling and one forward dynamics
# (sparse or dense solution included) cost.  Beside them the figures of SD/FAST's order-n formulation, measured on another
# machine of two x86-64 cores with gcc 12.  Run it in the build directory: chain.sh [N...]
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/mbs-bench.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
libs=$(sed -n 's/^Libs.private://p' runtime/mbs.pc)
gsl=$(pkg-config --libs gsl 2>/dev/null || echo -lgsl -lgslcblas)

# seconds of processor time of a command
seconds() {
    # shellcheck disable=SC2046
    { LC_ALL=C; export LC_ALL; command time -f '%U %S' "$@" >/dev/null; } 2>"$tmp/time" || { cat "$tmp/time" >&2; return 1; }
    tail -n 1 "$tmp/time" | awk '{ print $1 + $2 }'
}

row() {     # n absolute(true/false)
    coordinates=relative
    [ "$2" = false ] || coordinates=absolute
    generate=$(seconds ./mbsc --solver "$top_srcdir/models/chain.mbs" -D n="$1" -D absolute="$2" -o "$tmp/chain.c") || return
    compile=$(seconds ${CC:-gcc} -O2 -I"$top_srcdir/runtime" -c "$tmp/chain.c" -o "$tmp/chain.o") || return
    # shellcheck disable=SC2086
    ${CC:-gcc} -O2 -I"$top_srcdir/runtime" -DMODEL=chain_model "$top_srcdir/bench/forward.c" "$tmp/chain.o" libmbs.a $libs $gsl -lm -o "$tmp/forward" || return
    printf '%5d %-10s %12.0f %12d %10.1f %14d   %s\n' "$1" $coordinates "$(echo "$generate" | awk '{ print $1 * 1000 }')" \
        "$(wc -c <"$tmp/chain.c")" "$compile" "$("$tmp/forward")" "$3"
}

printf '%5s %-10s %12s %12s %10s %14s\n' n coordinates "generate ms" "C bytes" "gcc -O2 s" "ns forward"
if [ $# -gt 0 ]; then
    for n; do row "$n" false && row "$n" true; done
    exit
fi
row 8 false "SD/FAST: 21 ms, 138033 bytes, 2.5 s, 831 ns"
row 32 false "SD/FAST: 102 ms, 457332 bytes, 8.2 s, 3021 ns"
row 64 false "SD/FAST: 169 ms, 885857 bytes, 27 s, 6753 ns"
row 8 true
row 64 true
row 512 true
