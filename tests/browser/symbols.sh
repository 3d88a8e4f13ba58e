#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The places of symbols in a report, against the kinematics by hand; skipped without a browser.
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
top_builddir=${top_builddir:-$PWD}
. "$top_srcdir/tests/browser/begin.sh"
"$top_builddir/mbs" report "$top_srcdir/tests/browser/symbols.mbs" --rtol 1e-8 --reactions -q -o "$tmp/symbols.html" || { echo "Bail out! a report could not be written"; exit 1; }
node "$top_srcdir/tests/browser/symbols.mjs" "$browser" "$tmp/symbols.html"
