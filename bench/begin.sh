# SPDX-License-Identifier: GPL-3.0-or-later
# How the benches begin that count instructions, sourced by their run.sh: -o DIR, a scratch directory $tmp, callgrind.
dir=
while getopts o: option; do
    case $option in
    o) dir=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
tmp=$(mktemp -d "${TMPDIR:-/tmp}/mbs-bench.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
command -v valgrind >/dev/null 2>&1 || { echo "run.sh: valgrind is needed to count instructions: install valgrind" >&2; exit 1; }
