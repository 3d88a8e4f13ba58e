# SPDX-License-Identifier: MIT
"""mbs: mechanisms as C code, integrated from Python.

>>> import mbs
>>> m = mbs.Model('''
... model pendulum "A pendulum, from its energies"
... param m: kg = 1, l: m = 0.5, g: m/s^2 = 9.81
... coord phi: rad
... let P = l*[sin(phi), -cos(phi)]
... kinetic m*norm2(P')/2
... potential m*g*P[2]
... init phi = 2
... output height: m = P[2]
... simulate { to = 10, rtol = 1e-8 }
... ''')
>>> m.params.l = 0.3
>>> r = m.run(to=2)
>>> len(r.t), round(float(r["phi"][-1]), 6)
(1001, -1.445151)
"""
from ._build import CompileError, Error
from ._model import Equations, Event, Fit, Linearization, Model, Modes, Result, RunError, load

__all__ = ["CompileError", "Equations", "Error", "Event", "Fit", "Linearization", "Model", "Modes", "Result", "RunError", "load"]
__version__ = "0.1.0"
