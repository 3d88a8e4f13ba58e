#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The commands of doc/studies.md one after the other, with their pictures: usage doc/studies.sh MBS DIRECTORY (`make studies` writes doc/studies/).
set -eu
mbs=$1 to=$2
here=$(cd "$(dirname "$0")" && pwd)
case $mbs in */*) mbs=$(cd "$(dirname "$mbs")" && pwd)/$(basename "$mbs") ;; esac
mkdir -p "$to"
to=$(cd "$to" && pwd)
tmp=$(mktemp -d "${TMPDIR:-/tmp}/mbs-studies.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
draw() { # NAME ARGUMENT...: of mbs plot
    name=$1
    shift
    "$mbs" plot -q "$@" --width 640 --height 360 -o "$to/$name.png"
}

# a grid
"$mbs" new swing -q
"$mbs" sweep swing.mbs -q --vary l=0.2:0.6:41 --vary m=1,2,5 -m 'max(x)' --every 0.02 -o lengths.csv
draw grid lengths.csv 'max(x)' -x l --points --title 'how far the block moves, m = 1, 2, 5 kg'

# values that are drawn, and which of them matters
"$mbs" sweep swing.mbs -q --vary 'l=+-10%' --vary 'k=+-10%' --cases 400 --sampling latin -m 'max(x)' --every 0.02 -o cases.csv
draw cases cases.csv 'max(x)' -x k --points --title '400 cases: length and spring are uncertain by 10 %'
"$mbs" sweep swing.mbs --vary 'l=+-10%' --vary 'k=+-10%' --cases 32 --sampling indices -m 'max(x)' --every 0.02 >indices.txt
grep -q 'max(x)' indices.txt

# pages: of cases with whole curves, and of the parts of the variance
"$mbs" sweep swing.mbs -q --vary 'l=+-10%' --vary 'k=+-10%' --vary 'm=+-5%' --cases 500 --sampling latin -m 'max(x)' -m "peak(phi')" -m 'curve(x)' --every 0.02 --page sweep.html
"$mbs" sweep swing.mbs -q --vary 'l=+-10%' --vary 'k=+-10%' --vary 'm=+-5%' --cases 256 --sampling indices -m 'max(x)' -m "peak(phi')" --every 0.02 --page indices.html

# derivatives, forward and backward
"$mbs" run swing.mbs -q --sensitivity l,k --to 2 -o run.csv
"$mbs" run swing.mbs --gradient 'max(x)' --to 2 --every 0.02 >gradient.txt
grep -q 'd/d(k)' gradient.txt

# a design
cp "$here/../examples/straight_line.mbs" "$here"/../examples/double_pendulum.* "$here"/../examples/coupler_curve.* .
"$mbs" run straight_line.mbs -q -o guess.csv
"$mbs" optimize straight_line.mbs -q --free b=1.5..4 --free c=1.5..4 --free d=1..3 --free e=3..7 --minimize 'rms(off)' --subject 'max(x)>=4' --subject 'min(x)<=0' -o best.toml
"$mbs" run straight_line.mbs -q --params best.toml -o best.csv
draw line guess.csv best.csv off -x x --title 'off the line, over the way: before and after'

"$mbs" optimize coupler_curve.mbs -q --free a=0.2..0.8 --free b=0.8..2 --free c=0.8..2 --free d=0.8..2 --free px=0..1.5 --free py=0..1.5 \
    --minimize 'mean(off)' --path x,y=coupler_curve.csv --page optimize.html -o linkage.toml
grep -q '^a = 0\.3998' linkage.toml

# parameters from measurements: a swing with an error of 5 mm, every 50 ms, which is how examples/double_pendulum.csv was made
"$mbs" run double_pendulum.mbs -q --set c=0.05 --set m2=0.6 --to 3 --every 0.05 -o exact.csv
tr -d '\r' <exact.csv | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) { if ($i ~ /^x /) a = i; if ($i ~ /^y /) b = i } print $1 "," $a "," $b; next }
    function error(u) { u = 0; for (i = 0; i < 12; i++) { s = (s*1103 + 12345)%65537; u += s/65537 } return 0.005*(u - 6) } { printf "%s,%.5f,%.5f\n", $1, $a + error(), $b + error() }' >swing.csv
cmp swing.csv double_pendulum.csv
"$mbs" fit double_pendulum.mbs double_pendulum.csv --free c=0..1 --free m2=0.1..3 --free l1 -o fitted.toml --page fit.html >fit.txt
grep -q 'm2' fit.txt
"$mbs" run double_pendulum.mbs -q --params fitted.toml --to 3 --every 0.005 -o fitted.csv
draw fit fitted.csv double_pendulum.csv x --points --title 'measured, and the model fitted to it'

# what the pages look like, where there is a browser
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || :)
if [ -n "$browser" ] && command -v node >/dev/null && command -v convert >/dev/null; then
    node "$here/studies.mjs" "$browser" "$tmp"
    for f in page_sweep page_indices page_fit page_optimize; do convert "$f.png" -strip -dither None -colors 48 PNG8:"$to/$f.png"; done
fi
