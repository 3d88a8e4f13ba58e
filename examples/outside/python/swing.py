# SPDX-License-Identifier: 0BSD
"""python swing.py pendulum.mbs: how long a pendulum swings, for several lengths."""
import sys

import mbs

m = mbs.load(sys.argv[1])
for length in (0.25, 0.5, 1.0):
    m.params.l = length
    r = m.run(to=10)
    phi = r["phi"]
    crossings = r.t[1:][(phi[:-1] > 0) & (phi[1:] <= 0)]
    print("l = %4.2f m: period %.3f s" % (length, crossings[1] - crossings[0]))
