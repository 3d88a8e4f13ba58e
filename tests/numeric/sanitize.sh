#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Faulty runs leave no memory behind and touch none they should not (valgrind); two integrations in two threads do
# not race (thread sanitizer, on a build of the library made here).
. "${top_srcdir:-.}/tests/tap.sh"

if ! command -v valgrind >/dev/null 2>&1; then
    skip "valgrind is not installed"
elif nm "$top_builddir/tests/numeric/faults" 2>/dev/null | grep -q __asan_init; then
    skip "built with the address sanitizer"
else
    for test in faults start; do
        ok "valgrind finds nothing in $test" valgrind -q --leak-check=full --error-exitcode=9 "$top_builddir/tests/numeric/$test"
    done
fi

libs=$(sed -n 's/^Libs.private://p' "$top_builddir/runtime/mbs.pc")
gsl=$(pkg-config --libs gsl 2>/dev/null || echo -lgsl -lgslcblas)
echo 'int main(void) { return 0; }' >"$tmp/try.c"
if ! ${CC:-cc} -fsanitize=thread "$tmp/try.c" -o "$tmp/try" 2>/dev/null || ! "$tmp/try"; then
    skip "no thread sanitizer"
else
    # shellcheck disable=SC2086
    ok "the library builds with the thread sanitizer" ${CC:-cc} -std=gnu11 -O1 -g -fsanitize=thread -I"$top_builddir" -I"$top_srcdir/runtime" \
        -I/usr/include/suitesparse "$top_srcdir"/runtime/*.c $(ls "$top_srcdir"/runtime/*/*.c | grep -v /fmu/) "$top_srcdir/tests/numeric/threads.c" \
        "$top_srcdir"/tests/numeric/hand_*.c -o "$tmp/threads" $libs $gsl -lm -lpthread
    ok "no race" env TSAN_OPTIONS=exitcode=9 "$tmp/threads"
fi
done_testing
