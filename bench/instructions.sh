#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What each method needs for a whole integration (set-up, assembly and run) of the squeezer and of the crank: callgrind
# instructions, beside the accuracy reached.  Usage: instructions.sh [METHOD...]; run it in the build directory.
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/mbs-bench.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
libs=$(sed -n 's/^Libs.private://p' runtime/mbs.pc)
gsl=$(pkg-config --libs gsl 2>/dev/null || echo -lgsl -lgslcblas)

for model in squeezer crank; do
    ./mbsc --solver "$top_srcdir/models/$model.mbs" -o "$tmp/$model.c" || exit 1
    # shellcheck disable=SC2086
    ${CC:-cc} -O2 -g -I"$top_srcdir/runtime" -DMODEL=${model}_model "$tmp/$model.c" "$top_srcdir/bench/integrate.c" libmbs.a $libs $gsl -lm -o "$tmp/$model" || exit 1
done

# measure MODEL METHOD FORMULATION TOLERANCE
measure() {
    line=$("$tmp/$1" "$top_srcdir/tests/data/$1.txt" "$2" "$3" "$4" 5 2>&1) || { echo "$1 $2 $3 $4: failed: $line"; return; }
    valgrind --tool=callgrind --callgrind-out-file="$tmp/out" "$tmp/$1" "$top_srcdir/tests/data/$1.txt" "$2" "$3" "$4" >/dev/null 2>"$tmp/err"
    # What happens before and after main (dynamic linking, exit) is left out: main's inclusive cost.
    count=$(callgrind_annotate --inclusive=yes "$tmp/out" 2>/dev/null | awk '/:main / { gsub(",", "", $1); print $1; exit }')
    echo "$line" | awk -v count="$count" '{ for (i = 1; i <= NF; i++) v[$i] = $(i + 1)
        printf "%-9s %-12s %-9s %7s  scd %5.2f  %7.2f Minstr  %6d us  steps %5d  f %6d  jac %5d  lu %6d\n",
               $1, $2, $3, $4, v["scd"], count / 1e6, v["us"], v["steps"], v["f"], v["jac"], v["lu"] }'
}

for method in ${*:-dop853 dopri5 halfexplicit radau radau5}; do
    case $method in
    dop853 | dopri5) forms="index1 projected" ;;
    halfexplicit) forms="index2 projected" ;;
    radau | radau5) forms="index3 index2 index1 ggl" ;;
    ida) forms="index1 index2 ggl" ;;
    *) forms=auto ;;
    esac
    for model in squeezer crank; do
        for form in $forms; do
            for tol in ${TOLERANCES:-1e-4 1e-5 1e-6 1e-7 1e-8 1e-9 1e-10}; do
                measure $model "$method" "$form" "$tol"
            done
        done
    done
done
