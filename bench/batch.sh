#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Sweeps of the squeezer (all parameters by 1 %, dop853 in index 1, 1e-6), one state at a time and by --batch 4, in turns: processor time of a case and what
# all else adds to it, as mbs sweep prints them, with medians over TURNS turns; then instructions of a case in the workers, from two studies of different
# length.  At last the accelerations alone, of one state by statements and of four in vectors of AVX2, of the squeezer, the crank and robots of bench/robots.
# Usage: CASES=20000 TURNS=5 batch.sh; run it in the build directory.
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/mbs-bench.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
model=$top_srcdir/models/squeezer.mbs
study() { ./mbs sweep "$model" --vary '*=+-1%' --solver dop853 --formulation index1 --rtol 1e-6 -o "$tmp/out.h5" --jobs 1 "$@"; }
median() { sort -g "$tmp/$1" | awk '{ x[NR] = $1 } END { print NR % 2 ? x[(NR + 1) / 2] : (x[NR / 2] + x[NR / 2 + 1]) / 2 }'; }

study --cases 10 -q && study --cases 10 -q --batch 4 || exit 1          # compiled
echo "load $(cut -d' ' -f1-3 /proc/loadavg 2>/dev/null) at the begin, $(getconf _NPROCESSORS_ONLN) processors"
turn=0
while [ $((turn += 1)) -le "${TURNS:-5}" ]; do
    for lanes in 1 4; do
        # shellcheck disable=SC2046
        study --cases "${CASES:-20000}" $([ $lanes = 1 ] || echo --batch $lanes) | sed -n 's/^  time  *\([0-9.]*\) .*s a case, \([0-9.]*\) % beside.*/\1 \2/p' >"$tmp/line"
        cut -d' ' -f1 "$tmp/line" >>"$tmp/time$lanes"
        cut -d' ' -f2 "$tmp/line" >>"$tmp/beside$lanes"
    done
done
for lanes in 1 4; do
    for cases in 1000 3000; do
        # shellcheck disable=SC2046
        valgrind --tool=callgrind --callgrind-out-file="$tmp/call" ./mbs sweep "$model" --vary '*=+-1%' --solver dop853 --formulation index1 --rtol 1e-6 \
            -o "$tmp/out.h5" --jobs 1 -q --cases $cases $([ $lanes = 1 ] || echo --batch $lanes) >/dev/null 2>&1
        callgrind_annotate --inclusive=yes --auto=no "$tmp/call" 2>/dev/null | awk '/:work / { gsub(",", "", $1); print $1; exit }' >"$tmp/count$cases"
    done
    echo "$(cat "$tmp/count1000") $(cat "$tmp/count3000")" | awk '{ print ($2 - $1) / 2000 }' >"$tmp/instructions$lanes"
    echo "lanes $lanes: $(median time$lanes) us a case, $(median beside$lanes) % beside it, $(cat "$tmp/instructions$lanes") instructions; times $(tr '\n' ' ' <"$tmp/time$lanes")"
done
echo "$(median time1) $(median time4) $(cat "$tmp/instructions1") $(cat "$tmp/instructions4")" | awk '{ printf "batch over single: %.2f by processor time, %.2f by instructions\n", $1 / $2, $3 / $4 }'
echo "load $(cut -d' ' -f1-3 /proc/loadavg 2>/dev/null) at the end"

case $(uname -m) in x86_64) vectors="-mavx2 -mfma -ffp-contract=fast" ;; *) vectors= ;; esac
for name in squeezer crank arm7 quadruped humanoid; do
    source=$top_srcdir/models/$name.mbs
    [ -f "$source" ] || { python3 "$top_srcdir/bench/robots/robots.py" "$tmp" $name && source=$tmp/$name.mbs; } || continue
    # shellcheck disable=SC2086
    ./mbsc --solver --batch=4 "$source" -o "$tmp/$name.c" && ${CC:-cc} -O2 -fno-math-errno $vectors -w -I"$top_srcdir/runtime" -DMODEL=${name}_model \
        "$top_srcdir/bench/batch.c" "$tmp/$name.c" -lm -o "$tmp/$name" && echo "$name: $("$tmp/$name")"
done
