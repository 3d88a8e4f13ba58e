#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Recompute a 128-bit reference with reference.c:
#   reference.sh squeezer|crank TOLERANCE [-Dnonlinear_beam=1] [-Ddamped=1] [-DRIGID]
# prints name, end and start of every component.  Takes seconds to minutes.
set -e
here=$(cd "$(dirname "$0")" && pwd)
name=$1 tolerance=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# decimal constants to full precision: 0.15 -> 0.15Q, and 1/PI etc. follow
sed -E '/^ *\*|^\/\*/!s/\b([0-9]+\.[0-9]*([eE][-+]?[0-9]+)?|[0-9]+[eE][-+]?[0-9]+)/\1Q/g' "$here/../../models/hand/$name.c" > "$work/hand.c"
case $name in squeezer) which=SQUEEZER ;; *) which=CRANK ;; esac
${CC:-cc} -O2 -D$which "-DHAND=\"$work/hand.c\"" "$@" -o "$work/reference" "$here/reference.c" -lquadmath -lm
"$work/reference" "$tolerance"
