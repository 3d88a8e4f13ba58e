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
# fails_with WHAT STATUS PATTERN COMMAND...: the exit status is STATUS and standard error matches PATTERN
fails_with() {
    tap_what=$1 tap_status=$2 tap_pattern=$3
    shift 3
    tap_out=$("$@" 2>&1 >/dev/null)
    tap_got=$?
    if [ "$tap_got" = "$tap_status" ] && printf '%s\n' "$tap_out" | grep -q "$tap_pattern"; then pass "$tap_what"; else
        fail "$tap_what" "exit $tap_got instead of $tap_status, or no '$tap_pattern' in:
$tap_out"
    fi
}
has_gsl() { grep -q '^#define HAVE_GSL' "$top_builddir/config.h"; }
# Where the build has no GSL: what this command says then, and no more tests.
end_without_gsl() {
    has_gsl && return
    fails_with "without GSL it says so" 1 "built without the GNU Scientific Library" "$@"
    done_testing
    exit
}
done_testing() { echo "1..$tap_n"; [ "$tap_bad" = 0 ]; }
