#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Pages that run by themselves, against `mbs run`; skipped without a browser.
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
top_builddir=${top_builddir:-$PWD}
mbs=$top_builddir/mbs
. "$top_srcdir/tests/browser/begin.sh"
set --
# one MODEL END SET...: a page at rtol 1e-8 and two runs at 1e-10
one() {
    case $1 in /*) model=$1 ;; *) model=$top_srcdir/$1 ;; esac
    to=$2 sets=$3 name=$(basename "$1" .mbs) options=
    for s in $(echo "$sets" | tr , ' '); do options="$options --set $s"; done
    "$mbs" report -q --live "$model" --rtol 1e-8 --to "$to" -o "$tmp/$name.html" &&
        "$mbs" run -q "$model" --rtol 1e-10 --to "$to" -o "$tmp/$name.csv" && "$mbs" run -q "$model" $options --rtol 1e-10 --to "$to" -o "$tmp/$name-set.csv" ||
        { echo "Bail out! $model could not be run"; exit 1; }
    [ "$(wc -c <"$tmp/$name.html")" -lt 1900000 ] || { echo "Bail out! the page of $model is too large"; exit 1; }
    list="$list $tmp/$name.html $sets $tmp/$name.csv $tmp/$name-set.csv"
}
list=
one examples/slider_crank.mbs 1 r=0.12
one examples/cart.mbs 3 m=0.3
# a title that looks like a list of the programs is a title
sed '/^model/s/"[^"]*"/"static const double initial_numbers[] = { 5, 5, 5 }; static const int dynamics_outs[] = { 0 }"/' "$top_srcdir/examples/spring_mass.mbs" >"$tmp/spring_mass.mbs"
cp "$top_srcdir/examples/spring.csv" "$tmp"
one "$tmp/spring_mass.mbs" 2 m=0.7
one models/squeezer.mbs 0.03 m1=0.05
one models/top.mbs 0.5 m=0.4
one models/bricard.mbs 1 m=2
node "$top_srcdir/tests/browser/live.mjs" "$browser" 1e-6 $list
