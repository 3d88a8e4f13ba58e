#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What doc/studies.md teaches runs, command by command, and its pictures are drawn (doc/studies.sh).
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"
XDG_CACHE_HOME=$tmp/cache
export XDG_CACHE_HOME
command -v gnuplot >/dev/null || { skip "no gnuplot"; done_testing; exit; }
end_without_gsl "$top_builddir/mbs" fit "$top_srcdir/examples/pendulum.mbs" none.csv --free l
sh "$top_srcdir/doc/studies.sh" "$top_builddir/mbs" "$tmp/pictures" >"$tmp/out" 2>&1 && pass "all commands" || fail "all commands" "$(tail -n 3 "$tmp/out")"
for picture in $(sed -n 's/^!.*(studies\/\(.*\.png\))$/\1/p' "$top_srcdir/doc/studies.md"); do
    # those of pages need a browser
    case $picture in page_*) { command -v chromium && command -v node && command -v convert; } >/dev/null 2>&1 || { skip "no browser for $picture"; continue; } ;; esac
    [ -s "$tmp/pictures/$picture" ] && [ -s "$top_srcdir/doc/studies/$picture" ] && pass "the picture $picture" || fail "the picture $picture"
done
done_testing
