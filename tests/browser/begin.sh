# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced: $browser, without which (or without node to drive it) the test is skipped; $tmp, a directory of its own.
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
