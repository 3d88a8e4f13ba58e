#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Generated C of every model and example: no warning from gcc and clang under strict flags (also alone, with
# parameters folded and the solver), the same bytes on two runs, lines of bounded length.
. "${top_srcdir:-.}/tests/tap.sh"
mbsc=$top_builddir/mbsc
flags="-std=c11 -pedantic -Wall -Wextra -Wconversion -Wshadow -Werror -O1 -I$top_srcdir/runtime -c -o $tmp/out.o"
compilers=
for cc in gcc clang; do
    command -v $cc >/dev/null && compilers="$compilers $cc"
done

for model in "$top_srcdir"/models/*.mbs "$top_srcdir"/examples/*.mbs "$top_srcdir"/tests/cases/everything.mbs "$top_srcdir"/tests/cases/columns.mbs; do
    name=$(basename "$model" .mbs)
    # a file without a model statement is meant to be included
    grep -q '^ *model ' "$model" || continue
    if ! "$mbsc" -o "$tmp/$name.c" "$model" 2>"$tmp/err"; then
        fail "$name: mbsc" "$(cat "$tmp/err")"
        continue
    fi
    "$mbsc" -o "$tmp/again.c" "$model" 2>/dev/null
    ok "$name: two runs give the same bytes" cmp "$tmp/$name.c" "$tmp/again.c"
    "$mbsc" --standalone --fold-params --solver -o "$tmp/$name-alone.c" "$model" 2>/dev/null
    for cc in $compilers; do
        ok "$name: $cc has nothing to say" $cc $flags "$tmp/$name.c"
        ok "$name: $cc has nothing to say about the folded standalone file" $cc $flags -I/nonexistent "$tmp/$name-alone.c"
    done
    long=$(expand -t 8 "$tmp/$name.c" | awk 'length > 120 && !/^\t*\.?(title|source|name) = |^ \* |^ *"/' | head -3)
    [ -z "$long" ] && pass "$name: lines of at most 120 columns" || fail "$name: lines of at most 120 columns" "$long"
done
# rolled code; the names in its loops may be those of parameters
for name in robot_leg robot_arm; do
    "$mbsc" --way=rolled -o "$tmp/rolled.c" "$top_srcdir/models/$name.mbs" 2>/dev/null
    for cc in $compilers; do
        ok "$name: $cc has nothing to say about the rolled file" $cc $flags -Wno-shadow "$tmp/rolled.c"
    done
done
bytes=$(wc -c <"$tmp/squeezer.c")
[ "$bytes" -lt 25000 ] && pass "squeezer: $bytes bytes" || fail "squeezer: $bytes bytes"
done_testing
