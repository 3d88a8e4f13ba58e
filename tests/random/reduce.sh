#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# reduce.sh DIRECTORY: leaves out lines of the model that failed there (halves, quarters, ... single lines; Zeller's delta debugging)
# as long as check.sh says the same, and prints what is left.  absolute.mbs and inlined.mbs lose the same lines.
dir=$1
here=$(dirname "$0")
want=$(sh "$here/check.sh" "$dir")
[ -n "$want" ] || { echo "reduce.sh: nothing fails in $dir" >&2; exit 1; }
try=$dir/reduced
# without FROM COUNT: copies the directory to $try with these lines left out of every model
without() {
    rm -rf "$try"
    mkdir "$try"
    for file in flags table.csv extern.c; do
        [ ! -f "$dir/$file" ] || cp "$dir/$file" "$try"
    done
    for file in model.mbs absolute.mbs inlined.mbs; do
        [ ! -f "$dir/$file" ] || sed "$1,$(($1 + $2 - 1))d" "$dir/$file" >"$try/$file"
    done
}
lines=$(wc -l <"$dir/model.mbs")
count=$((lines / 2))
while [ $count -ge 1 ]; do
    at=2            # the model statement stays
    while [ $at -le "$lines" ]; do
        without $at $count
        if [ "$(sh "$here/check.sh" "$try")" = "$want" ]; then
            for file in model.mbs absolute.mbs inlined.mbs; do
                [ ! -f "$try/$file" ] || cp "$try/$file" "$dir/$file"
            done
            lines=$(wc -l <"$dir/model.mbs")
        else
            at=$((at + count))
        fi
    done
    count=$((count / 2))
done
rm -rf "$try"
echo "$want"
echo "options of mbsc: $(cat "$dir/flags")"
cat "$dir/model.mbs"
