#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The mechanisms of `list` (or those whose names match $1) by all methods at three tolerances; see trust.c.
# usage: run.sh [PATTERN]
here=$(dirname "$0") build=${top_builddir:-.} src=${top_srcdir:-$here/../..}
dir=$(mktemp -d "${TMPDIR:-/tmp}/mbs-trust-XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
bad=0 count=0
while read -r name file options parameters; do
    case $name in '' | '#'*) continue ;; esac
    case $name in ${1:-*}) ;; *) continue ;; esac
    set -- "$1"
    defines=
    [ "$options" = - ] || for o in $(echo "$options" | tr , ' '); do defines="$defines -D$o"; done
    [ "$parameters" = - ] && parameters=
    so=$dir/$file-$(echo "$options" | tr ,= '__').so
    if [ ! -f "$so" ]; then
        "$build/mbsc" --solver $defines "$here/$file.mbs" -o "$dir/model.c" 2> "$dir/log" &&
            ${CC:-cc} -O1 -fPIC -shared -I"$src/runtime" -o "$so" "$dir/model.c" -lm || { cat "$dir/log"; exit 1; }
    fi
    "${TRUST:-$build/bench/trust/trust}" "$so" "${file}_model" "$name" $parameters || bad=$((bad + 1))
    count=$((count + 1))
done < "$here/list"
echo "$count mechanisms, $bad with silent failures"
[ $bad -eq 0 ]
