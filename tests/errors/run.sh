#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Every model here is ill-formed; NAME.err is what mbsc must say about NAME.mbs, to the letter.  It must
# exit with 1 if there is an error, with 0 if there are only warnings, and write nothing after an error.
# After a wanted change of messages:  make update-golden
. "${top_srcdir:-.}/tests/tap.sh"
mbsc=$top_builddir/mbsc
cd "$top_srcdir/tests/errors" || exit 99
for model in *.mbs; do
    name=${model%.mbs}
    rm -f "$tmp/out.c"
    "$mbsc" "$model" -o "$tmp/out.c" 2>"$tmp/err" >"$tmp/out"
    status=$?
    [ -z "${UPDATE_GOLDEN-}" ] || cp "$tmp/err" "$name.err"
    want=0
    ! grep -q 'error: ' "$name.err" || want=1
    if ! cmp -s "$name.err" "$tmp/err"; then
        fail "$name" "$(diff -u "$name.err" "$tmp/err" | head -40)"
    elif [ $status != $want ]; then
        fail "$name" "exit status $status instead of $want"
    elif [ $want = 1 ] && [ -e "$tmp/out.c" ]; then
        fail "$name" "a file was written in spite of errors"
    elif [ -s "$tmp/out" ]; then
        fail "$name" "something was printed on standard output"
    else
        pass "$name"
    fi
done
done_testing
