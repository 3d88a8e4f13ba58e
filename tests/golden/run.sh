#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Golden files: what mbsc shows and writes must be what stands in tests/golden, byte for byte.
#
#     make update-golden      after an intended change; then read the difference before committing it
#
# MODEL.WHAT, where WHAT is equations, jacobian, tape, c for the generated file, or solver for it with --solver (front.sh has
# ast and model).
. "${top_srcdir:-.}/tests/tap.sh"
mbsc=$top_builddir/mbsc
golden=$top_srcdir/tests/golden

find_model() {
    for dir in models examples tests/cases; do
        [ -f "$top_srcdir/$dir/$1.mbs" ] && echo "$dir/$1.mbs" && return
    done
}

for file in "$golden"/*.equations "$golden"/*.jacobian "$golden"/*.tape "$golden"/*.c "$golden"/*.solver; do
    name=$(basename "$file")
    model=$(find_model "${name%.*}")
    what=${name##*.}
    [ -n "$model" ] || continue
    case $what in
    c) (cd "$top_srcdir" && "$mbsc" -o - "$model") ;;
    solver) (cd "$top_srcdir" && "$mbsc" --solver -o - "$model") ;;
    *) (cd "$top_srcdir" && "$mbsc" --dump="$what" "$model") ;;
    esac >"$tmp/$name" 2>"$tmp/err" || echo "exit $?" >>"$tmp/$name"
    # the version is no part of what is checked
    sed -i 's, \* Made by mbsc [^ ]*, * Made by mbsc X,' "$tmp/$name"
    if [ -n "${UPDATE_GOLDEN-}" ]; then
        cp "$tmp/$name" "$file"
    fi
    ok "$name" diff -u "$file" "$tmp/$name"
done
done_testing
