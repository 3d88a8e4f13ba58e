#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# `mbs bench`: the files it says it writes, the accuracy that is recorded in tests/data/scd.txt, published numbers that
# agree, and what it says when something is wrong.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"
mbs=$top_builddir/mbs
XDG_CACHE_HOME=$tmp/cache
export XDG_CACHE_HOME
cd "$tmp" || exit 99

ok "the test set" "$mbs" bench testset --quick -o here
ok "its document" grep -q '^### II.19 Slider crank' here/testset.md
ok "its numbers" test -s here/testset-squeezer-runs.csv -a -s here/testset-crank-runs.csv
ok "the book" "$mbs" bench book --quick -q -o here
ok "the DAE alpha-method" "$mbs" bench alpha --quick -q -o here
ok "achieved against asked accuracy" "$mbs" bench accuracy --quick -q -o here
# a study that could not fail would show nothing: a method of order 5 whose constraints drift (index 1) is known to be beyond 30, Radau in
# stabilised form is not
! has_gsl || ok "it tells methods apart" awk -F'|' '$2 ~ / gsl-rkck / && $3 ~ / index1 / && $6 > 30 { bad = 1 } $2 ~ / radau5 / && $3 ~ / ggl / && $6 < 30 { good = 1 } END { exit !(bad && good) }' here/accuracy.md
ok "impacts and friction" "$mbs" bench impacts --quick -q -o here
ok "the IFToMM benchmark" "$mbs" bench iftomm --quick -q -o here
ok "its six columns" awk 'NF != 6 && !/^#/ { exit 1 } END { exit NR != 1003 }' here/iftomm-results.txt
for picture in $(sed -n 's/^!\[.*](\(.*\))$/\1/p' here/*.md); do
    ok "$picture is a PNG, and there is an SVG" sh -c \
        'test "$(head -c 4 "$1" | tail -c 3)" = PNG && grep -q "</svg>" "${1%.png}.svg" && test "$(wc -c <"$1")" -gt 5000' sh "here/$picture"
done
command -v gnuplot >/dev/null || skip "pictures: there is no gnuplot"

# Correct digits within 0.2 of the recorded ones.
for problem in squeezer crank; do
    grep "^$problem " "$top_srcdir/tests/data/scd.txt" | while read -r _ method form tol scd; do
        awk -F, -v m="$method" -v f="$form" -v t="$tol" -v want="$scd" '
            $1 == m && $2 == f && $3 + 0 == t + 0 { found = 1; d = $5 - want; if (d < -0.2 || d > 0.2) print m, f, t ": scd", $5, "recorded", want }
            END { if (!found) print m, f, t ": no such run" }' here/testset-$problem-runs.csv
    done >off.txt
    if [ -s off.txt ]; then fail "$problem: correct digits" "$(cat off.txt)"; else
        pass "$problem: correct digits of $(grep -c "^$problem " "$top_srcdir/tests/data/scd.txt") runs within 0.2 of those recorded"
    fi
done
# What differs from the published is known, and nothing else may.
differs() { # DOCUMENT PATTERN COUNT
    sed -n 's/^| \(.*\) | \*\*no\*\* |.*/\1/p' "here/$1.md" >no.txt
    if [ "$(grep -cE "$2" no.txt)" = "$3" ] && [ "$(wc -l <no.txt)" -eq "$3" ]; then pass "$1: $3 published numbers differ, as known"; else
        fail "$1: published numbers that differ" "$(cat no.txt)"
    fi
}
differs testset "start: (x3''|q3''|q4''|lambda2)|damping" 5
differs book "^$" 0
differs alpha "HHT|bounds of the frequency|cycles of x|table [12]|CM|2e11" 47
differs impacts "^$" 0
differs iftomm "theta = (0|pi) " 2

fails_with "an unknown document" 2 "no document 'tesset'" "$mbs" bench tesset
fails_with "a directory that cannot be made" 1 "cannot make the directory" "$mbs" bench testset -o /dev/null/x
fails_with "a missing argument" 2 "an argument is missing" "$mbs" bench
# A signal while the runs go on (in the background, where Ctrl-C is ignored): what was computed is kept.
if command -v gnuplot >/dev/null; then
    "$mbs" bench testset -o stopped >out.txt 2>err.txt &
    pid=$! waited=0
    while [ ! -e stopped/testset-squeezer-solution.png ] && [ $waited -lt 300 ]; do sleep 0.2; waited=$((waited + 1)); done
    sleep 1
    kill -TERM $pid
    wait $pid
    ok "a signal: says so" grep -q "interrupted; what was computed" err.txt
    ok "a signal: the document tells" grep -q '^\*\*Interrupted' stopped/testset.md
    ok "a signal: the runs so far are there" test "$(wc -l <stopped/testset-squeezer-runs.csv)" -gt 1
fi
# Without gnuplot: said once, and all else is written; nothing more is said with -q.
mkdir -p bin
# (a compiler behind ccache is looked for past it)
for tool in cc gcc as ld; do path=$(PATH=$(echo "$PATH" | sed "s|[^:]*/ccache:||g") && command -v $tool) && ln -sf "$path" bin/$tool; done
if PATH=$tmp/bin "$mbs" bench testset --quick -q -o bare >out.txt 2>err.txt; then
    if [ ! -s out.txt ] && [ "$(wc -l <err.txt)" -eq 1 ] && [ "$(grep -c 'gnuplot was not found' err.txt)" = 1 ] &&
        [ -s bare/testset.md ] && ! grep -q '^!\[' bare/testset.md; then pass "without gnuplot"; else
        fail "without gnuplot" "$(cat err.txt)"
    fi
else
    fail "without gnuplot" "$(cat err.txt)"
fi
done_testing
