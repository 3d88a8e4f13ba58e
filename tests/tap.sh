# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by the shell tests: `ok "what" command...` runs a command and reports it in TAP.
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
top_builddir=${top_builddir:-$PWD}
tap_n=0 tap_bad=0
tmp=$(mktemp -d "${TMPDIR:-/tmp}/mbs-test.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT
pass() { tap_n=$((tap_n + 1)); echo "ok $tap_n - $1"; }
fail() { tap_n=$((tap_n + 1)); tap_bad=$((tap_bad + 1)); echo "not ok $tap_n - $1"; [ -z "${2-}" ] || printf '%s\n' "$2" | sed 's/^/# /'; }
skip() { tap_n=$((tap_n + 1)); echo "ok $tap_n # SKIP $1"; }
ok() {
    tap_what=$1
    shift
    if tap_out=$("$@" 2>&1); then pass "$tap_what"; else fail "$tap_what" "$ $*
$tap_out"; fi
}
done_testing() { echo "1..$tap_n"; [ "$tap_bad" = 0 ]; }
