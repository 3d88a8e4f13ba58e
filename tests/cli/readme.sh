#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Every command of the README runs as it stands there, in the order of the page, from an empty directory.  (./quickstart is
# what runs this test.)  The examples of each `--help` and of the manual run too, with the files they name.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"
PATH=$top_builddir:$PATH
XDG_CACHE_HOME=$tmp/cache
export PATH XDG_CACHE_HOME
mkdir "$tmp/user" && cd "$tmp/user" || exit 99
awk '/^```mbs/ { if (!n++) on = 1; next } /^```/ { on = 0 } on' "$top_srcdir/README.md" >pendulum.mbs
ok "the README has a model of at most ten lines" sh -c 'test -s pendulum.mbs && test "$(wc -l <pendulum.mbs)" -le 10'
awk '/^```sh/ { on = 1; next } /^```/ { on = 0 } on && NF' "$top_srcdir/README.md" | sed 's/ *#.*//' >commands
while read -r line; do
    ok "README: $line" sh -c "$line"
done <commands
ok "which left an animated page" sh -c 'grep -q "<canvas" swing.html && grep -q "<canvas" pendulum.html'
for link in $(grep -o '](\([^)]*\))' "$top_srcdir/README.md" | tr -d ']()' | grep -v '^http'); do
    ok "README: $link is there" test -e "$top_srcdir/$link"
done

# examples of --help: the files they name are copies of models and examples, or results made before
mkdir "$tmp/help" && cd "$tmp/help" || exit 99
cp "$top_srcdir"/models/*.mbs "$top_srcdir"/examples/*.mbs "$top_srcdir"/examples/*.csv "$top_srcdir"/models/hand/* .
mkdir models && cp ./*.mbs models
cp pendulum.mbs draft.mbs
mbs run pendulum.mbs -q -o pendulum.csv
mbs run pendulum.mbs -q -o a.csv
mbs run pendulum.mbs -q -o b.csv
mbs run squeezer.mbs -q -o squeezer.csv
mbs sweep pendulum.mbs --vary l=0.3:0.6:4 -m 'max(phi)' --to 1 -q -o sweep.csv
for c in new run report plot info modes equilibrium fmt; do
    mbs $c --help | sed -n '/^examples:/,$p' | sed -n 's/^  \(mbs .*\)/\1/p' | sed 's/   .*//' >examples
    while read -r line; do
        case $line in
        *" -o "*.h5*) grep -q '^#define HAVE_HDF5' "$top_builddir/config.h" || { skip "no HDF5"; continue; } ;;
        mbs\ plot*) command -v gnuplot >/dev/null || { skip "no gnuplot"; continue; } ;;
        esac
        case $line in
        *--check*) continue ;;
        esac
        ok "help: $line" env DISPLAY= WAYLAND_DISPLAY= sh -c "rm -f swing*.mbs; $line"
    done <examples
done
ok "mbs watch --once writes the report and leaves no other file" sh -c 'mkdir w && cp pendulum.mbs w && mbs watch --once -q w/pendulum.mbs && test -s w/pendulum.html && test "$(ls w | wc -l)" -eq 2'
done_testing
