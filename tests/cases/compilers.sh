#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# mbsc writes the same bytes whichever compiler built it: gcc and clang, at -O0 and at -O3, for every model and example.
# What differs between compilers is the order of arguments, which C leaves open; sequence.py names such calls.
. "${top_srcdir:-.}/tests/tap.sh"
cd "$top_srcdir" || exit 99
list=
for model in models/*.mbs examples/*.mbs tests/cases/*.mbs; do
    grep -q '^ *model ' "$model" && list="$list $model"
done

# sums MBSC: a line for each file that it writes
sums() {
    for model in $list; do
        for option in --standalone --solver; do
            rm -f "$tmp/out.c"
            "$1" $option -o "$tmp/out.c" "$model" 2>/dev/null
            echo "$model $option $(cksum <"$tmp/out.c")"
        done
    done
}

# build CC FLAGS DIR: the compiler from its sources (128-bit arithmetic is for the driver alone)
build() {
    mkdir "$3"
    for file in compiler/*.c compiler/*/*.c "$top_builddir"/compiler/*/*.c; do
        case $file in */eval_quad.c) continue ;; esac
        echo "$1 -std=gnu11 $2 -w -DHAVE_CONFIG_H -I$top_builddir -Icompiler -Iruntime -I$top_builddir/compiler -c -o $3/$(echo "$file" | tr / _).o $file"
    done | xargs -P 2 -I{} sh -c '{}' && $1 -o "$3/mbsc" "$3"/*.o -lm
}

sums "$top_builddir/mbsc" >"$tmp/want"
for cc in gcc clang; do
    for level in -O0 -O3; do
        if ! command -v $cc >/dev/null; then
            skip "no $cc"
            continue
        fi
        build $cc $level "$tmp/$cc$level" >"$tmp/err" 2>&1 || { fail "$cc $level builds mbsc" "$(tail -5 "$tmp/err")"; continue; }
        sums "$tmp/$cc$level/mbsc" >"$tmp/got"
        ok "$cc $level: $(wc -l <"$tmp/want") files with the same bytes" diff "$tmp/want" "$tmp/got"
    done
done
if command -v python3 >/dev/null; then
    ok "no call makes expressions in an order that C leaves open" python3 tests/cases/sequence.py compiler/*.c compiler/*/*.c
else
    skip "no python3"
fi
done_testing
