#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Writes doc/results.md and doc/results/*.png: every document of `mbs bench` and the comparison with peers, as they come out on this
# machine now.  `make results` calls it; it takes 25 minutes and wants an otherwise idle machine.
#
#   results.sh [PART...]        measures only these again: testset book alpha iftomm accuracy peers symbolic; none: just puts together
#
# RESULTS names another directory for all files that the commands write (numbers, SVG).  With pngquant the pictures get smaller.
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
top_builddir=${top_builddir:-$PWD}
out=${RESULTS:-$top_builddir/results}
doc=$top_srcdir/doc
all='testset book alpha iftomm accuracy peers symbolic'
mkdir -p "$out" "$doc/results" || exit 1

commit() {
    git -C "$top_srcdir" rev-parse --short=12 HEAD 2>/dev/null || echo "unknown"
    git -C "$top_srcdir" diff --quiet HEAD -- . ':!doc/results.md' ':!doc/results' 2>/dev/null || echo "and changes"
}
measure() {
    case $1 in
    peers) sh "$top_srcdir/bench/peers/run.sh" -o "$out" ;;
    symbolic) SIZES="4 8 16 32" sh "$top_srcdir/bench/symbolic/run.sh" -o "$out" squeezer crank chains ;;
    *) "$top_builddir/mbs" bench "$1" -o "$out" ;;
    esac
}
for part in ${*:-$all}; do
    [ "$part" = none ] && continue
    measure "$part" && commit | tr '\n' ' ' >"$out/$part.commit" || exit 1
done

# The tables of `make judge-import`, of its last run here or as they are.
[ -f "$out/import.md" ] || sed -n '/^## Robots from other formats/,$p' "$doc/results.md" >"$out/import.md"
# The same of impacts and heaps: they want Siconos, and ten minutes.
[ -f "$out/heaps.md" ] || sed -n '/^## Impacts, friction, heaps/,/^## /{/^## Impacts/p;/^## /!p}' "$doc/results.md" >"$out/heaps.md"
# And of `make bench-trust`, an hour.
[ -f "$out/trust.md" ] || sed -n '/^## Singular and redundant/,/^## /{/^## Singular/p;/^## /!p}' "$doc/results.md" >"$out/trust.md"
# And of derivatives of runs (make bench-sensitivity).
[ -f "$out/derivatives.md" ] || sed -n '/^## Derivatives of runs/,/^## /{/^## Derivatives/p;/^## /!p}' "$doc/results.md" >"$out/derivatives.md"
# And of the error control of index 3 (make bench-instructions, before and after it).
[ -f "$out/control.md" ] || sed -n '/^## What the error control of index 3/,/^## /{/^## What/p;/^## /!p}' "$doc/results.md" >"$out/control.md"
rm -f "$doc"/results/*.png
{
    cat <<END
# Results

Made by \`make results\` on $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2>/dev/null | head -n 1), $(${CC:-cc} --version | head -n 1).
Every table and picture below is the output of the command that its section names; run it and compare. Times are of that machine
and vary by some per cent from run to run; accuracy and counts do not. "128-bit" are reference values computed for this
project in quadruple precision (\`tests/data\`).

END
    for part in $all; do
        title=$(sed -n 's/^## //p' "$out/$part.md" | head -n 1)
        anchor=$(printf '%s' "$title" | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9_-')
        said=$(sed -n 's/^Of \([0-9]* published numbers [0-9]* agree and [0-9]* differ\)\.$/: of \1/p; s/^\*\*\(.*: mbs .*\)\*\*$/; \1/p' "$out/$part.md" | tr -d '\n')
        echo "- [$title](#$anchor), commit $(sed 's/ *$//' "$out/$part.commit")$said"
    done
    for part in $all trust heaps derivatives control import; do
        echo
        sed 's/^\(!\[.*\](\)\([^/)]*\.png)\)$/\1results\/\2/' "$out/$part.md"
    done
} >"$doc/results.md.new" && mv "$doc/results.md.new" "$doc/results.md" || exit 1
for picture in $(sed -n 's/^!\[.*](results\/\(.*\.png\))$/\1/p' "$doc/results.md"); do
    cp "$out/$picture" "$doc/results/$picture" || exit 1
done
! command -v pngquant >/dev/null || pngquant --force --ext .png 32 "$doc"/results/*.png
echo "written: $doc/results.md, $doc/results/*.png; numbers and SVG in $out"
