#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Solids and symbols of a report in space, against the kinematics by hand; skipped without a browser.
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
top_builddir=${top_builddir:-$PWD}
. "$top_srcdir/tests/browser/begin.sh"
"$top_builddir/mbs" report "$top_srcdir/tests/browser/space.mbs" --rtol 1e-8 -q -o "$tmp/space.html" && "$top_builddir/mbs" report "$top_srcdir/tests/browser/crowd.mbs" -O 0 -q -o "$tmp/crowd.html" || { echo "Bail out! a report could not be written"; exit 1; }
node "$top_srcdir/tests/browser/space.mjs" "$browser" "$tmp/space.html" "$tmp/crowd.html"
