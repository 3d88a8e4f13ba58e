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
for name in robot_leg robot_arm free_body; do
    for way in rolled mixed; do
        "$mbsc" --way=$way -o "$tmp/$way.c" "$top_srcdir/models/$name.mbs" 2>/dev/null
        for cc in $compilers; do
            ok "$name: $cc has nothing to say about the $way file" $cc $flags "$tmp/$way.c"
        done
    done
done
# A model may give its parameters any names, also all those of the file that it becomes.
cat >"$tmp/plain.mbs" <<'END'
model plain
spatial
gravity [0, 0, -9.81]
body A { mass = 1, inertia = [1, 1.2, 1.3], point P = [1, 0, 0] }
body B { mass = 1, inertia = [1, 1.2, 1.3], com = [0.1, 0, 0], point P = [1, 0, 0] }
body C { mass = 1, inertia = [1, 1.2, 1.3], com = [0.1, 0.2, 0], point P = [1, 0, 0] }
joint J1: revolute(ground, A) axis [0, 0, 1]
joint J2: spherical(A.P, B)
joint J3: prismatic(B.P, C) axis [1, 0, 0]
cut joint J4: distance(C.P, ground @ [3, 1, 0]) length = 2
END
sed '/^cut/d' "$tmp/plain.mbs" >"$tmp/open.mbs"
words() { # words FILE: of C text outside its comments
    tr '\n' ' ' <"$1" | sed -e 's,/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/, ,g' | tr -c 'A-Za-z0-9_' '\n' | grep '^[A-Za-z]' | grep -vx t | sort -u
}
named() { # named MODEL OPTIONS...: named.c, whose parameters have the words of the file without them; what the model has declared itself is left out
    model=$1
    shift
    "$mbsc" "$@" -o "$tmp/named.c" "$model" 2>"$tmp/err" || return 1
    { cat "$model"; words "$tmp/named.c" | sed 's/.*/param & = 1/'; } >"$tmp/named.mbs"
    "$mbsc" "$@" -o "$tmp/named.c" "$tmp/named.mbs" 2>&1 | sed -n 's/^[^ ]*named\.mbs:\([0-9]*\):[0-9]*: error.*/\1d/p' >"$tmp/declared"
    sed -f "$tmp/declared" "$tmp/named.mbs" >"$tmp/kept.mbs"
    [ "$(grep -c '^param' "$tmp/kept.mbs")" -ge 250 ] && "$mbsc" "$@" -o "$tmp/named.c" "$tmp/kept.mbs" 2>"$tmp/err"
}
while read -r model how; do
    what="$(basename "$model")${how:+ with $how}, its parameters named as the file's words"
    if named "$model" $how; then
        # vector types are no part of C, without AVX functions pass them otherwise, and not all functions for them are called
        case $how in *batch*) more="-Wno-pedantic -mavx2 -Wno-unused-function" ;; *) more= ;; esac
        for cc in $compilers; do ok "$what: $cc has nothing to say" $cc $flags $more -fsyntax-only "$tmp/named.c"; done
    else
        fail "$what" "$(grep -m 3 error "$tmp/err")"
    fi
done <<END
$tmp/plain.mbs
$tmp/plain.mbs --standalone --solver
$tmp/plain.mbs --way=rolled
$tmp/open.mbs --way=rolled
$tmp/open.mbs --way=mixed
$tmp/plain.mbs --way=mixed
$tmp/open.mbs --batch=4
$top_srcdir/tests/cases/everything.mbs --solver
END
# An extern function keeps its name in C: where it cannot, that is said.
{ cat "$tmp/plain.mbs"; printf 'extern cross(x)\ntorque T: on J1 = cross(J1.angle)\n'; } >"$tmp/clash.mbs"
fails_with "an extern function with a name of the loops" 1 "its loops have a name 'cross' of their own" "$mbsc" --way=rolled "$tmp/clash.mbs" -o "$tmp/clash.c"
"$mbsc" "$tmp/clash.mbs" -o "$tmp/clash.c" 2>/dev/null
for cc in $compilers; do ok "... $cc takes it in statements" $cc $flags -fsyntax-only "$tmp/clash.c"; done
for name in plain_model sinf places mbs_law MBS_LAW; do
    { cat "$tmp/plain.mbs"; printf 'extern %s(x)\ntorque T: on J1 = %s(J1.angle)\n' $name $name; } >"$tmp/clash.mbs"
    fails_with "extern $name" 1 "'$name' cannot be the name of a C function" "$mbsc" "$tmp/clash.mbs" -o "$tmp/clash.c"
done
bytes=$(wc -c <"$tmp/squeezer.c")
[ "$bytes" -lt 25000 ] && pass "squeezer: $bytes bytes" || fail "squeezer: $bytes bytes"
done_testing
