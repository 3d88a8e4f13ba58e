#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Reports of a plane, a flexible and a spatial mechanism and of a chain in a headless browser; skipped without one.
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
top_builddir=${top_builddir:-$PWD}
. "$top_srcdir/tests/browser/begin.sh"
report() { "$top_builddir/mbs" report "$@" --samples 2000 -q; }
report "$top_srcdir/models/squeezer.mbs" -o "$tmp/squeezer.html" &&
    report "$top_srcdir/models/crank.mbs" -o "$tmp/crank.html" &&
    report "$top_srcdir/models/top.mbs" -o "$tmp/top.html" &&
    report "$top_srcdir/models/chain.mbs" -D n=32 -o "$tmp/chain.html" ||
    { echo "Bail out! a report could not be written"; exit 1; }
mkdir "$tmp/watch"
cat "$top_srcdir/examples/pendulum.mbs" >"$tmp/watch/pendulum.mbs"
"$top_builddir/mbs" watch "$tmp/watch/pendulum.mbs" -q 2>/dev/null &
watch=$!
trap 'kill $watch 2>/dev/null; wait $watch; rm -rf "$tmp"' EXIT
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do [ -e "$tmp/watch/pendulum.html.stamp.js" ] && break; sleep 1; done
MBS_WATCH=$tmp/watch
export MBS_WATCH
node "$top_srcdir/tests/browser/report.mjs" "$browser" "$tmp/squeezer.html" "$tmp/crank.html" "$tmp/top.html" "$tmp/chain.html"
