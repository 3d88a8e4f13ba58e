#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The places of symbols in a report, against the kinematics by hand; skipped without a browser.
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
top_builddir=${top_builddir:-$PWD}
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -z "$browser" ]; then
    echo "1..0 # SKIP no chromium (Debian: apt-get install chromium)"
    exit 0
fi
if ! command -v node >/dev/null; then
    echo "1..0 # SKIP no node to drive the browser (Debian: apt-get install nodejs)"
    exit 0
fi
tmp=$(mktemp -d "${TMPDIR:-/tmp}/mbs-test.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT
XDG_CACHE_HOME=$tmp/cache
export XDG_CACHE_HOME
"$top_builddir/mbs" report "$top_srcdir/tests/browser/symbols.mbs" --rtol 1e-8 --reactions -q -o "$tmp/symbols.html" || { echo "Bail out! a report could not be written"; exit 1; }
node "$top_srcdir/tests/browser/symbols.mjs" "$browser" "$tmp/symbols.html"
