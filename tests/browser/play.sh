#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# `mbs play` in a browser: sliders, run, pause, reset, and bodies that the mouse pulls; skipped without one.
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
top_builddir=${top_builddir:-$PWD}
. "$top_srcdir/tests/browser/begin.sh"
cat >"$tmp/plane.mbs" <<'END'
model plane "Two plates at rest, side by side"
planar
param m: kg = 1, far: m = 1
body left { mass = m, inertia = 0.1, com = [0.2, 0.2], point A = [0, 0], point B = [0.4, 0], point C = [0.4, 0.4], point D = [0, 0.4] }
body right { mass = m, inertia = 0.1, com = [0.2, 0.2], point A = [0, 0], point B = [0.4, 0], point C = [0.4, 0.4], point D = [0, 0.4] }
joint L: free(ground, left)
joint R: free(ground, right)
init R.x = far
simulate { to = 4 }
END
cat >"$tmp/space.mbs" <<'END'
model space "A box before a box, seen from the front"
spatial
body near { shape = box(0.4, 0.1, 0.4), density = 100 }
body far { shape = box(0.4, 0.1, 0.4), density = 100 }
joint N: free(ground, near)
joint F: free(ground, far)
init N.y = -0.5, F.y = 0.5, F.x = 0.3
simulate { to = 4 }
END
node "$top_srcdir/tests/browser/play.mjs" "$browser" "$top_builddir/mbs" "$tmp/plane.mbs" "$tmp/space.mbs" "$top_srcdir/examples/pendulum.mbs"
