# SPDX-License-Identifier: GPL-3.0-or-later
"""What a call of m.accelerations(q, v) from Python costs beyond the C code: python accelerations.py cost.so MODEL...

Minima of processor time over many short rounds, so that other work on the machine does not count."""
import ctypes
import sys
import time
import timeit

import numpy as np

import mbs
from mbs import _build

CALLS, ROUNDS = 1000, 300
ctypes.CDLL(_build.LIBRARY, mode=ctypes.RTLD_GLOBAL)     # cost.so calls it
cost = ctypes.CDLL(sys.argv[1]).cost
cost.restype = ctypes.c_double
print("%-24s %12s %12s %12s" % ("model", "C [us]", "Python [us]", "beyond [us]"))
for path in sys.argv[2:]:
    m = mbs.load(path)
    start = m.run(to=1e-9, every=1e-9).data[0]
    n = len(m.coords)
    q, v = start[1:1 + n].copy(), start[1 + n:1 + 2 * n].copy()
    m.accelerations(q, v)
    whole = min(timeit.repeat(lambda: m.accelerations(q, v), number=CALLS, repeat=ROUNDS, timer=time.thread_time)) / CALLS * 1e6
    s = m._at(0.0, {}, False)
    x, a = np.concatenate([q, v, m._start[2], [0.0]]), np.zeros(n)
    alone = cost(s.pointer, ctypes.c_void_p(x.ctypes.data), ctypes.c_void_p(a.ctypes.data), CALLS, ROUNDS)
    print("%-24s %12.3f %12.3f %12.3f" % (m.name, alone, whole, whole - alone))
