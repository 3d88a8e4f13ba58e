#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Writes doc/results.md and doc/results/*.png: every document of `mbs bench` and the comparison with peers, as they come out on this
# machine now.  `make results` calls it; it takes half an hour and wants an otherwise idle machine.
# RESULTS names another directory for all files that the commands write (numbers, SVG).
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
top_builddir=${top_builddir:-$PWD}
out=${RESULTS:-$top_builddir/results}
doc=$top_srcdir/doc
mkdir -p "$out" "$doc/results" || exit 1

for document in testset book alpha iftomm; do
    "$top_builddir/mbs" bench $document -o "$out" || exit 1
done
sh "$top_srcdir/bench/peers/run.sh" -o "$out" || exit 1
sh "$top_srcdir/bench/symbolic/run.sh" -o "$out" squeezer crank chains || exit 1

commit=$(git -C "$top_srcdir" rev-parse --short=12 HEAD 2>/dev/null || echo "no repository")
git -C "$top_srcdir" diff --quiet HEAD -- . ':!doc/results.md' ':!doc/results' 2>/dev/null || commit="$commit and changes"
cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2>/dev/null | head -n 1)
rm -f "$doc"/results/*.png
{
    cat <<END
# Results

Made by \`make results\` at commit $commit, on ${cpu:-an unknown processor}, $(${CC:-cc} --version | head -n 1).
Every table and picture below is the output of the command that its section names; run it and compare. Times are of that machine
and vary by some per cent from run to run; accuracy and counts do not. "128-bit" are reference values computed for this
project in quadruple precision (\`tests/data\`).

END
    for part in testset book alpha iftomm peers symbolic; do
        title=$(sed -n 's/^## //p' "$out/$part.md" | head -n 1)
        anchor=$(printf '%s' "$title" | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9_-')
        said=$(sed -n 's/^Of \([0-9]* published numbers [0-9]* agree and [0-9]* differ\)\.$/: \1/p' "$out/$part.md")
        echo "- [$title](#$anchor)$said"
    done
    for part in testset book alpha iftomm peers symbolic; do
        echo
        sed 's/^\(!\[.*\](\)\([^/)]*\.png)\)$/\1results\/\2/' "$out/$part.md"
    done
} >"$doc/results.md.new" && mv "$doc/results.md.new" "$doc/results.md" || exit 1
for picture in $(sed -n 's/^!\[.*](results\/\(.*\.png\))$/\1/p' "$doc/results.md"); do
    cp "$out/$picture" "$doc/results/$picture" || exit 1
done
echo "written: $doc/results.md, $doc/results/*.png; numbers and SVG in $out"
