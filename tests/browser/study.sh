#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Pages of a sweep, a fit and a design in a headless browser; skipped without one.
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
top_builddir=${top_builddir:-$PWD}
. "$top_srcdir/tests/browser/begin.sh"
grep -q '^#define HAVE_GSL' "$top_builddir/config.h" || { echo "1..0 # SKIP no GSL, no fits and designs"; exit 0; }
mbs=$(cd "$top_builddir" && pwd)/mbs
cp "$top_srcdir"/examples/double_pendulum.* "$top_srcdir"/examples/coupler_curve.* "$tmp"
cd "$tmp" || exit 99
cat >swing.mbs <<'END'
model swing "<script>window.broken = 1</script><img src=x onerror='window.broken = 1'>"
param l: m = 0.5, m: kg = 1, d: N*m*s = 0.01, g: m/s^2 = 9.81
coord phi: rad
kinetic m*l^2*phi'^2/2
potential -m*g*l*cos(phi)
dissipation d*phi'^2/2
init phi = 1
output x: m = l*sin(phi)
simulate { to = 2, every = 0.05 }
END
"$mbs" sweep swing.mbs -q --vary l=0.4..0.6 --vary m=0.9..1.1 --cases 200 -m 'min(x)' -m x -m 'curve(x)' -o cases.csv --page sweep.html &&
    "$mbs" sweep swing.mbs -q --vary l=0.4..0.6 --vary m=0.9..1.1 --cases 4000 -m 'min(x)' --page cells.html &&
    "$mbs" fit double_pendulum.mbs double_pendulum.csv -q --free c=0..1 --free m2=0.1..3 --page fit.html &&
    "$mbs" optimize coupler_curve.mbs -q --free a=0.2..0.8 --free px=0..1.5 --free py=0..1.5 --minimize 'mean(off)' --path x,y=coupler_curve.csv --page optimize.html ||
    { echo "Bail out! a page could not be written"; exit 1; }
node "$top_srcdir/tests/browser/study.mjs" "$browser" "$tmp" "$mbs"
