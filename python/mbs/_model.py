# SPDX-License-Identifier: MIT
"""Models and their runs.  numpy is imported when it is needed for the first time, so that `import mbs` is quick."""
from __future__ import annotations

import ctypes
import math
import os
import sys
import warnings
from ctypes import POINTER, byref, c_double, c_int, c_void_p

from . import _build
from ._build import Error, abi, lib

TYPE_CHECKING = False           # typing itself takes longer to import than all of this
if TYPE_CHECKING:
    from typing import Any, Callable, Iterator, Mapping, Optional, Sequence, Union

    import numpy as np

    from ._sweep import Study
    Input = Union[float, Callable[[float], float], Sequence[Any]]

_OK, _EVENT, _CANCELLED, _DOUBTFUL = (abi.const["MBS_" + name] for name in ("OK", "EVENT", "CANCELLED", "DOUBTFUL"))
_EXIT_DOUBTFUL = 3              # of the program: all is printed, and stderr says what the witness doubts
_OUTPUT = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(abi.mbs_state), POINTER(c_double))
_PROGRESS = ctypes.CFUNCTYPE(c_int, c_void_p, c_double, c_void_p)
_INPUT = ctypes.CFUNCTYPE(None, c_void_p, c_double, POINTER(c_double))
_HAPPENED = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, POINTER(abi.mbs_happening))


class RunError(Error):
    """A computation that failed.  ``status`` is a number of mbs.h, ``result`` what was computed before, or None."""

    def __init__(self, status: int, text: str, result: Optional["Result"] = None) -> None:
        super().__init__("%s: %s" % (lib.mbs_status_text(status).decode(), text))
        self.status = status
        self.result = result
        self._text = text

    def __reduce__(self) -> tuple[Any, ...]:
        return RunError, (self.status, self._text, self.result)


def _names(list_: Any, n: int) -> list[str]:
    return [list_[i].name.decode() for i in range(n)]


class Params:
    """Parameters by name, as attributes or items; those whose default follows from others move with them until they are set.

    >>> import mbs
    >>> m = mbs.Model("model x\\nparam a = 1, b = 2*a\\ncoord q\\nkinetic b*q'^2/2\\n")
    >>> m.params.a = 3
    >>> dict(m.params)
    {'a': 3.0, 'b': 6.0}
    """
    _model: "Model"

    def __init__(self, model: "Model") -> None:
        self.__dict__["_model"] = model

    def __getitem__(self, name: str) -> float:
        m = self._model
        return m._p[m._index("parameter", m._param, name)]

    def __setitem__(self, name: str, value: float) -> None:
        m = self._model
        if not math.isfinite(value):
            raise ValueError("the parameter %s cannot be %r" % (name, value))
        k = m._index("parameter", m._param, name)
        m._p[k] = value
        m._given[k] = 1
        m._setup()

    def __getattr__(self, name: str) -> float:
        try:
            return self[name]
        except KeyError as e:
            raise AttributeError(*e.args) from None

    def __setattr__(self, name: str, value: float) -> None:
        self[name] = value

    def keys(self) -> list[str]:
        return list(self._model._param)

    def __iter__(self) -> Iterator[str]:
        return iter(self._model._param)

    def __len__(self) -> int:
        return len(self._model._param)

    def __dir__(self) -> list[str]:
        return self.keys()

    def __repr__(self) -> str:
        return "Params(%s)" % ", ".join("%s=%r" % (n, self[n]) for n in self)


class Equations(str):
    """The equations of motion in LaTeX; a notebook shows them set."""

    def _repr_latex_(self) -> str:
        return "\n".join(line for line in self.splitlines() if not line.startswith("%"))       # a notebook shows comments as text


class Modes:
    """Eigenvalues ``s``, ``frequency`` in Hz, ``damping``, ``shape`` (count x nq, complex) of the motion linearised about a state."""

    def __init__(self, raw: Any) -> None:
        import numpy as np
        n, q = raw.count, raw.nq
        as_array = np.ctypeslib.as_array
        self.s = as_array(raw.re, (n,)) + 1j * as_array(raw.im, (n,)) if n else np.zeros(0, complex)
        self.frequency = as_array(raw.frequency, (n,)).copy() if n else np.zeros(0)
        self.damping = as_array(raw.damping, (n,)).copy() if n else np.zeros(0)
        self.shape = as_array(raw.shape, (n, q, 2)).copy().view(complex)[:, :, 0] if n and q else np.zeros((n, q), complex)

    def __repr__(self) -> str:
        return "Modes(%s Hz)" % ", ".join("%.6g" % f for f in self.frequency)


class Linearization:
    """x' = A x + B u, y = C x + D u about a state, with the names of the states ``x``."""

    def __init__(self, raw: Any, model: "Model") -> None:
        import numpy as np

        def matrix(p: Any, rows: int, cols: int) -> Any:
            return np.ctypeslib.as_array(p, (rows, cols)).copy() if rows * cols else np.zeros((rows, cols))
        self.A = matrix(raw.A, raw.nx, raw.nx)
        self.B = matrix(raw.B, raw.nx, raw.nu)
        self.C = matrix(raw.C, raw.ny, raw.nx)
        self.D = matrix(raw.D, raw.ny, raw.nu)
        self.x = ([model.coords[raw.q[i]] for i in range(raw.nqi)] + [model.coords[raw.v[i]] + "'" for i in range(raw.nvi)] + model.states)

    def __repr__(self) -> str:
        return "Linearization(%d states: %s)" % (len(self.x), ", ".join(self.x))


class Event:
    """Something that happened: at time ``t`` the event ``name`` of the model (``what`` is None), or at the contact ``name`` an ``impact`` with its
    ``impulse`` along the normal, or that it ``touches``, ``leaves``, ``sticks``, ``slides``."""

    def __init__(self, t: float, name: str, what: Optional[str], impulse: float) -> None:
        self.t, self.name, self.what, self.impulse = t, name, what, impulse

    def __repr__(self) -> str:
        return "<t = %.9g: %s%s>" % (self.t, self.name, " " + self.what if self.what else "")


class Fit:
    """Estimated parameters: ``fit["l"]``, ``fit.deviation["l"]`` (standard errors), ``fit.covariance``; ``fit.determined["l"]`` is False where the data
    leave the parameter open; ``fit.doubtful`` is None, or what the witness doubts in the run with these parameters (a warning says so, too)."""

    def __init__(self, said: Mapping[str, Any]) -> None:
        import numpy as np
        found = said["parameters"]
        self.samples: int = said["samples"]
        self.sum: float = said["sum"]           # of the squares that are left
        self.params: dict[str, float] = {n: x["value"] for n, x in found.items()}
        self.deviation: dict[str, float] = {n: math.nan if x.get("deviation") is None else x["deviation"] for n, x in found.items()}
        self.determined: dict[str, bool] = {n: x["determined"] for n, x in found.items()}
        self.doubtful: Optional[str] = said["doubtful"]
        self.covariance = np.array([[math.nan if c is None else c for c in x["covariance"]] for x in found.values()])

    def __getitem__(self, name: str) -> float:
        return self.params[name]

    def __repr__(self) -> str:
        return "Fit(%s)" % ", ".join("%s = %.6g +- %.2g" % (n, x, self.deviation[n]) for n, x in self.params.items())


class Result:
    """A run: ``r.t``, ``r["phi"]``, ``r["phi'"]``, ``r["phi''"]``, ``r["lambda(loop.x)"]``; ``r(t)`` by the dense output of the method.

    ``events`` is the log of what happened (:class:`Event`), ``interrupted`` is True if Ctrl-C ended it, ``statistics`` has the counts of the library, ``method`` and ``formulation`` what was used.
    ``doubtful`` is None, or what the witness of the run says is off by far more than was asked (a warning says so, too)."""

    def __init__(self, model: "Model", columns: list[str], units: list[str], rows: Any, arguments: dict[str, Any]) -> None:
        self.model = model
        self._given = model._given_params()     # the model's own may change, those of this run do not
        self._arguments = arguments
        self.columns = columns
        self.units = dict(zip(columns, units))
        self.data = rows
        self._column = {name: i for i, name in enumerate(columns)}
        self.statistics: dict[str, float] = {}
        self.method = self.formulation = self.status = ""
        self.interrupted = False
        self.doubtful: Optional[str] = None
        self.events: list[Event] = []
        self._report: Optional[str] = None
        self._flags: list[str] = []             # of the run, as `mbs run` writes them

    @property
    def t(self) -> "np.ndarray":
        return self.data[:, 0]

    def __getitem__(self, name: str) -> "np.ndarray":
        try:
            return self.data[:, self._column[name]]
        except KeyError:
            raise KeyError("there is no column %r; there are %s" % (name, ", ".join(self.columns))) from None

    def __len__(self) -> int:
        return len(self.data)

    def __call__(self, t: Any) -> Any:
        """The row at time t, or rows at times t (ascending): the run is repeated with these times for output, which changes no step."""
        import numpy as np
        times = np.atleast_1d(np.asarray(t, float))
        first, last = sorted((self.t[0], self.t[-1])) if len(self) else (math.nan, math.nan)
        if not ((first <= times) & (times <= last)).all():
            raise ValueError("the run goes from t = %.9g to %.9g" % (first, last))
        rows = self.model._copy(self._given).run(**self._arguments, times=times).data
        return rows[0] if np.isscalar(t) or np.ndim(t) == 0 else rows

    def to_pandas(self) -> Any:
        """A DataFrame with the time as index."""
        import pandas
        return pandas.DataFrame(self.data[:, 1:], columns=self.columns[1:], index=pandas.Index(self.t, name="t"))

    def to_xarray(self) -> Any:
        """A Dataset over t, the units as attributes."""
        import xarray
        return xarray.Dataset({n: ("t", self[n], {"units": self.units[n]}) for n in self.columns[1:]}, coords={"t": self.t})

    def __repr__(self) -> str:
        return "<Result of %s: t = %g to %g, %d rows, %s>" % (self.model.name, self.t[0], self.t[-1], len(self), self.method)

    def _repr_html_(self) -> str:
        """The animated report."""
        import html
        if self._report is None:
            self._report = self.model._copy(self._given)._report_page(float(self.t[0]), float(self.t[-1]), self._flags, self)
        return '<iframe style="width:100%%;height:700px;border:0" srcdoc="%s"></iframe>' % html.escape(self._report, quote=True)


class Model:
    """A model that is compiled and loaded, from a text (:func:`load` takes a file).

    ``options`` are those of the model's `option` statements; ``way``, ``include``, ``with_`` are as for `mbs run`.  ``interpret``: True without a
    C compiler, some ten times slower; False with one; None: as there is one.  Models may be used by several threads; pickled, they are
    made again from their text or file where they arrive, with the parameters they had."""

    def __init__(self, text: Optional[str] = None, *, path: Optional[str] = None, way: Optional[str] = None, include: Sequence[str] = (),
                 with_: Sequence[str] = (), interpret: Optional[bool] = None, **options: Any) -> None:
        self._temporary = None
        # how another process makes the same model
        self._recipe = (text, path and os.path.abspath(path), dict(options, way=way, include=[os.path.abspath(d) for d in include],
                                                                   with_=[os.path.abspath(w) for w in with_], interpret=interpret))
        if (text is None) == (path is None):
            raise TypeError("a model is made from its text or from a path")
        if text is not None:
            import tempfile
            self._temporary = tempfile.TemporaryDirectory(prefix="mbs-")
            path = os.path.join(self._temporary.name, "model.mbs")
            with open(path, "w") as f:
                f.write(text.lstrip("\n"))
        assert path
        self.path = path
        self._flags: list[str] = []
        for name, value in options.items():
            self._flags += ["-D", "%s=%s" % (name, str(value).lower() if isinstance(value, bool) else value)]
        for directory in include:
            self._flags += ["-I", directory]
        self._with = list(with_)
        self._way = way
        if interpret is False and not _build.compiler():
            raise Error("no C compiler was found: install gcc or clang, or `pip install mbs[cc]`")
        self.interpreted = interpret is True or not _build.compiler()
        flags = self._flags + (["--way=" + way] if way else [])
        loaded: tuple[Any, Any] = _build.interpret(path, flags) if self.interpreted else _build.load(path, flags, self._with)
        self._handle, self._m = loaded
        m = self._m
        self.name: str = m.name.decode()
        self.title: str = (m.title or b"").decode()
        self.coords = _names(m.coord, m.nq)
        self.states = _names(m.state, m.nz)
        self.inputs = _names(m.input, m.nu)
        self.outputs = _names(m.output, m.ny)
        self.constraints = _names(m.constraint, m.ng + m.nh)
        self._param = {n: i for i, n in enumerate(_names(m.param, m.np))}
        self._fresh()
        self._setup()

    def _fresh(self) -> None:
        """Memory of its own."""
        import threading
        self._lock = threading.Lock()           # of what the functions of the state share
        self._buffers()
        self.params = Params(self)

    def _copy(self, given: Mapping[str, float]) -> "Model":
        """The same compiled model with these parameters."""
        m = object.__new__(Model)
        m.__dict__.update(self.__dict__)
        m._fresh()
        m._reset(given)
        return m

    def _given_params(self) -> dict[str, float]:
        return {n: self._p[i] for n, i in self._param.items() if self._given[i]}

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self._recipe, self._given_params())

    # ---- memory and functions ----

    def _buffers(self) -> None:
        m = self._m
        rows = m.ng + m.nh
        self._p = (c_double * max(m.np, 1))()
        self._given = (ctypes.c_ubyte * max(m.np, 1))()
        self._c = (c_double * max(m.nc, 1))()
        self._w = (c_double * max(m.nw, 1))()
        self._x = abi.mbs_state()
        size = {"q": m.nq, "v": m.nq, "a": m.nq, "lambda": rows, "mu": rows, "z": m.nz, "u": m.nu}
        self._in = {k: (c_double * max(n, 1))() for k, n in size.items()}
        for k, b in self._in.items():
            setattr(self._x, k, ctypes.cast(b, POINTER(c_double)))
        one = ctypes.CFUNCTYPE(None, c_void_p, c_void_p, c_void_p, c_void_p)
        self._f = {k: one(getattr(m, k)) for k in ("dynamics", "constraints", "residual", "jacobian", "energy", "outputs", "points")
                   if getattr(m, k)}
        self._views: dict[str, Any] = {}

    def _setup(self) -> None:
        m = self._m
        ctypes.CFUNCTYPE(None, c_void_p, c_void_p)(m.defaults)(self._p, self._given)
        ctypes.CFUNCTYPE(None, c_void_p, c_void_p)(m.setup)(self._p, self._c)
        scratch = [(c_double * max(n, 1))() for n in (m.nq, m.nq, m.nz, m.nu)]
        ctypes.CFUNCTYPE(None, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)(m.initial)(self._c, *scratch)
        self._start = [list(s) for s in scratch]
        self._fast: Optional[Callable[[Any, Any], Any]] = None

    def _reset(self, given: Mapping[str, float]) -> None:
        """These parameters, all others as the model has them."""
        ctypes.memset(self._given, 0, ctypes.sizeof(self._given))
        for name, value in given.items():
            k = self._index("parameter", self._param, name)
            self._p[k] = value
            self._given[k] = 1
        self._setup()

    def _index(self, what: str, names: Mapping[str, int], name: str) -> int:
        if name not in names:
            import difflib
            near = difflib.get_close_matches(name, list(names), 1)
            raise KeyError("the model %s has no %s '%s'%s" % (self.name, what, name, "; did you mean '%s'?" % near[0] if near else ""))
        return names[name]

    def _put(self, t: float, **values: Any) -> None:
        """Arguments of a function of the model; what is not given is the start value (q, v, z, u) or zero."""
        import numpy as np
        self._x.t = t
        default = {"q": self._start[0], "z": self._start[2], "u": self._start[3]}
        for k, buffer in self._in.items():
            if k not in self._views:
                self._views[k] = np.frombuffer(buffer)
            n = self._size(k)
            value = values.get(k)
            if value is not None:
                array = np.asarray(value, float)
                if array.shape != (n,):
                    raise ValueError("%s has %d values, not %s" % (k, n, array.shape))
                self._views[k][:n] = array
            else:
                self._views[k][:n] = default[k][:n] if k in default else 0

    def _size(self, k: str) -> int:
        m = self._m
        return {"q": m.nq, "v": m.nq, "a": m.nq, "z": m.nz, "u": m.nu}.get(k, m.ng + m.nh)

    def _sparse(self, name: str, values: Any, symmetric: bool = False) -> Any:
        import numpy as np
        from scipy import sparse
        p = getattr(self._m, name)
        if not p.colptr:
            return sparse.csc_matrix((p.rows, p.cols))
        colptr = np.ctypeslib.as_array(p.colptr, (p.cols + 1,))
        rowidx = np.ctypeslib.as_array(p.rowidx, (p.nnz,)) if p.nnz else np.zeros(0, int)
        a = sparse.csc_matrix((np.array(values[:p.nnz]), rowidx.copy(), colptr.copy()), shape=(p.rows, p.cols))
        return a + sparse.tril(a, -1).T if symmetric else a

    def _evaluate(self, function: str, wanted: Mapping[str, int], t: float, **values: Any) -> dict[str, Any]:
        """Members of what a function of the model gives, by their names, with how many values each has."""
        import numpy as np
        out, arrays = getattr(abi, "mbs_" + function)(), {}
        for name, n in wanted.items():
            arrays[name] = np.zeros(max(n, 1))
            setattr(out, name, arrays[name].ctypes.data_as(POINTER(c_double)))
        with self._lock:
            self._put(t, **values)
            self._f[function](self._c, byref(self._x), byref(out), self._w)
        return {k: v[:wanted[k]] for k, v in arrays.items()}

    # ---- functions of the state ----

    def dynamics(self, q: Any = None, v: Any = None, *, t: float = 0, z: Any = None, u: Any = None) -> dict[str, Any]:
        """M, f, G, gamma, g, gt, zdot of M a = f - G' lambda, G a + gamma = 0; matrices as scipy.sparse.  These equations, and the functions below, are
        those of the smooth motion: contacts, limits and dry friction act in runs only."""
        m = self._m
        rows = m.ng + m.nh
        wanted = {"M": m.M.nnz, "f": m.nq, "G": m.G.nnz, "zdot": m.nz, "gamma": rows, "g": m.ng, "gt": rows}
        a = self._evaluate("dynamics", wanted, t, q=q, v=v, z=z, u=u)
        a["M"], a["G"] = self._sparse("M", a["M"], True), self._sparse("G", a["G"])
        return a

    def M(self, q: Any = None, *, t: float = 0) -> Any:
        """The mass matrix, as scipy.sparse."""
        return self.dynamics(q, t=t)["M"]

    def f(self, q: Any = None, v: Any = None, *, t: float = 0, z: Any = None, u: Any = None) -> "np.ndarray":
        """The forces."""
        return self.dynamics(q, v, t=t, z=z, u=u)["f"]

    def G(self, q: Any = None, *, t: float = 0) -> Any:
        """The constraint matrix, as scipy.sparse."""
        return self.dynamics(q, t=t)["G"]

    def residual(self, q: Any, v: Any, a: Any, lambda_: Any = None, *, t: float = 0, z: Any = None, u: Any = None) -> "np.ndarray":
        """M a - f + G' lambda."""
        m = self._m
        return self._evaluate("residual", {"r": m.nq, "zdot": m.nz}, t, q=q, v=v, z=z, u=u, a=a, **{"lambda": lambda_})["r"]

    def jacobian(self, q: Any, v: Any, a: Any, lambda_: Any = None, *, t: float = 0, z: Any = None, u: Any = None) -> dict[str, Any]:
        """Derivatives of the residual (rq, rv, rz, ru), of zdot (zq, zv, zz, zu), of the constraints (gvq, gaq, gav), M and G, as scipy.sparse."""
        names = ["rq", "rv", "M", "G", "rz", "zq", "zv", "zz", "gvq", "gaq", "gav", "ru", "zu"]
        wanted = {n: getattr(self._m, n).nnz for n in names}
        arrays = self._evaluate("jacobian", wanted, t, q=q, v=v, z=z, u=u, a=a, **{"lambda": lambda_})
        return {n: self._sparse(n, arrays[n], n == "M") for n in names}

    def energy(self, q: Any = None, v: Any = None, *, t: float = 0, z: Any = None, u: Any = None) -> tuple[float, float]:
        """Kinetic and potential energy."""
        e = (c_double * 2)()
        with self._lock:
            self._put(t, q=q, v=v, z=z, u=u)
            self._f["energy"](self._c, byref(self._x), e, self._w)
        return e[0], e[1]

    def accelerations(self, q: Any, v: Any) -> "np.ndarray":
        """The accelerations at t = 0 with the inputs and states as they start; quick enough for a loop of one's own.

        >>> import mbs
        >>> m = mbs.Model("model o\\nparam w = 2\\ncoord x\\nkinetic x'^2/2\\npotential w^2*x^2/2\\n")
        >>> m.accelerations([0.5], [0])
        array([-2.])
        """
        if self._fast is None:
            self._fast = self._make_fast()
        return self._fast(q, v)

    def _make_fast(self) -> Callable[[Any, Any], Any]:
        import numpy as np
        m = self._m
        n, s = m.nq, self._at(0.0, {}, False)
        state, a = np.zeros(2 * n + m.nz + 1), np.zeros(n)
        state[2 * n:2 * n + m.nz] = self._start[2][:m.nz]
        qv, vv = state[:n], state[n:2 * n]
        # the interpreter keeps its lock and converts nothing: a call costs about a microsecond
        call = ctypes.PYFUNCTYPE(c_int)(ctypes.cast(lib.mbs_forward, c_void_p).value or 0)
        arguments = s.pointer, c_double(0.0), c_void_p(state.ctypes.data), c_void_p(a.ctypes.data), None, None
        copy, check, lock = a.copy, s.check, self._lock

        def fast(q: Any, v: Any) -> Any:
            with lock:
                qv[:] = q
                vv[:] = v
                status = call(*arguments)
                if status:
                    check(status)
                return copy()
        fast.keep = s, state  # type: ignore[attr-defined]
        return fast

    # ---- simulations ----

    def _options(self, rtol: Optional[float], atol: Optional[float], step: Optional[float], solver: Optional[str], formulation: Optional[str],
                 max_steps: Optional[int], witness: bool) -> Any:
        o = abi.mbs_options()
        lib.mbs_options_init(byref(o), byref(self._m))
        e = self._m.experiment
        if solver:
            o.method = solver.encode()
            o.formulation = e.formulation if e.formulation and e.solver == o.method else b"auto"
        if formulation:
            o.formulation = formulation.encode()
        if rtol is not None:
            o.rtol = rtol
            o.step = 0
        if atol is not None:
            o.atol = atol
        if step is not None:
            o.step = step
        if max_steps is not None:
            o.max_steps = max_steps
        o.witness = 2 if witness else 0
        return o

    def _inputs(self, o: Any, inputs: Mapping[str, Input]) -> tuple[Any, list[Any]]:
        """Constant inputs, and what must be kept alive."""
        import numbers
        constant = (c_double * max(self._m.nu, 1))(*self._start[3])
        moving: list[tuple[int, Callable[[float], float]]] = []
        corners: set[float] = set()
        index = {n: i for i, n in enumerate(self.inputs)}
        for name, value in inputs.items():
            k = self._index("input", index, name)
            if callable(value):
                moving.append((k, value))
            elif isinstance(value, (int, float, numbers.Real)):
                constant[k] = float(value)
            else:
                times, values = ([float(x) for x in part] for part in value)
                moving.append((k, _table(times, values)))
                corners.update(times)
        if not moving:
            return constant, []
        errors: list[BaseException] = []

        def at(user: Any, t: float, u: Any) -> None:
            for i in range(self._m.nu):
                u[i] = constant[i]
            for k, function in moving:
                try:
                    u[k] = float(function(t))
                except BaseException as e:
                    errors.append(e)
                    u[k] = math.nan
        callback = _INPUT(at)
        o.input = ctypes.cast(callback, c_void_p)
        keep = [callback, errors]
        if 0 < len(corners) <= 1000:
            breaks = (c_double * len(corners))(*sorted(corners))
            o.breaks = ctypes.cast(breaks, POINTER(c_double))
            o.nbreaks = len(corners)
            keep.append(breaks)
        return None, keep

    def _open(self, o: Any, constant: Any, t0: float, keep: list[Any]) -> "_Simulation":
        try:
            s = _Simulation(self, o)
            if constant is not None and self._m.nu:
                s.check(lib.mbs_set_inputs(s.pointer, constant))
            s.check(lib.mbs_assemble(s.pointer, t0))
        except RunError:
            if len(keep) > 1 and keep[1]:       # it is the function of an input that failed
                raise keep[1][0] from None
            raise
        return s

    def run(self, to: Optional[float] = None, *, start: Optional[float] = None, every: Optional[float] = None, rtol: Optional[float] = None,
            atol: Optional[float] = None, step: Optional[float] = None, solver: Optional[str] = None, formulation: Optional[str] = None,
            inputs: "Mapping[str, Input]" = {}, max_steps: Optional[int] = None, witness: bool = True, at_equilibrium: bool = False,
            times: Any = None) -> Result:
        """Integrates, as `mbs run` does, with the same numbers.  What is not said here is as the model's `simulate { ... }` has it.

        ``inputs`` by name: a number, a function of time, or (times, values).  ``times``: rows at these, in their order, in place of ``every``.  Ctrl-C ends the run and keeps what there is."""
        e = self._m.experiment
        t0 = start if start is not None else 0.0 if math.isnan(e.__getattribute__("from")) else e.__getattribute__("from")
        end = e.to if to is None else to
        if math.isnan(end):
            raise ValueError("how long? Give `to`, or the model a line `simulate { to = TIME }`")
        if every is None:
            every = e.every if e.every > 0 else abs(end - t0) / 1000
        o = self._options(rtol, atol, step, solver, formulation, max_steps, witness)
        constant, keep = self._inputs(o, inputs)
        s = self._open(o, constant, t0, keep)
        if at_equilibrium:
            s.check(lib.mbs_equilibrium(s.pointer))

        arguments = dict(to=end, start=t0, rtol=rtol, atol=atol, step=step, solver=solver, formulation=formulation, inputs=dict(inputs),
                         max_steps=max_steps, witness=witness, at_equilibrium=at_equilibrium)
        flags = [w for name, value in (("rtol", rtol), ("atol", atol), ("step", step), ("solver", solver), ("formulation", formulation),
                                       ("max-steps", max_steps)) if value is not None for w in ("--" + name, str(value))]
        flags += (["--at-equilibrium"] if at_equilibrium else []) + ([] if witness else ["--no-witness"])
        result = self._integrate(s, end, every, times, keep, arguments)
        result._flags = flags
        return result

    def _columns(self) -> tuple[list[str], list[str]]:
        m = self._m

        def unit(list_: Any, i: int, per: str = "") -> str:
            text = list_[i].unit.decode()
            return text + per if text else ""
        q = range(m.nq)
        names = (["t"] + self.coords + [n + "'" for n in self.coords] + self.states + self.inputs + self.outputs + ["kinetic", "potential"] +
                 [n + "''" for n in self.coords] + ["lambda(%s)" % n for n in self.constraints])
        units = (["s"] + [unit(m.coord, i) for i in q] + [unit(m.coord, i, "/s") for i in q] + [unit(m.state, i) for i in range(m.nz)] +
                 [unit(m.input, i) for i in range(m.nu)] + [unit(m.output, i) for i in range(m.ny)] + ["J", "J"] +
                 [unit(m.coord, i, "/s^2") for i in q] + [""] * (m.ng + m.nh))
        return names, units

    def _integrate(self, s: "_Simulation", to: float, every: float, times: Any, keep: list[Any], arguments: dict[str, Any]) -> Result:
        import numpy as np
        m = self._m
        names, units = self._columns()
        rows: list[Any] = []
        trouble: list[BaseException] = []
        energy, w = (c_double * 2)(), (c_double * max(m.nw, 1))()       # of this run: others may run the same model at the same time
        constants = lib.mbs_constants(s.pointer)        # events may change them
        nq, nz, nu, ny, nl = m.nq, m.nz, m.nu, m.ny, m.ng + m.nh

        def on_output(user: Any, x: Any, y: Any) -> int:
            try:
                state = x[0]
                self._f["energy"](constants, x, energy, w)
                rows.append([state.t, *state.q[:nq], *state.v[:nq], *state.z[:nz], *state.u[:nu], *y[:ny], energy[0], energy[1],
                             *state.a[:nq], *getattr(state, "lambda")[:nl]])
            except BaseException as e:
                trouble.append(e)
                return 1
            return 0

        def on_progress(user: Any, t: float, stat: Any) -> int:
            return 1 if trouble else 0
        events: list[Event] = []

        def on_happened(user: Any, sim: Any, what: Any) -> int:
            h = what[0]
            name = (m.contact[h.contact] if h.what else m.event[h.event]).name.decode()
            events.append(Event(h.t, name, h.what.decode() if h.what else None, h.impulse))
            return 1 if trouble else 0
        run = abi.mbs_run()
        lib.mbs_run_init(byref(run), byref(m))
        run.to = to
        run.every = every if every > 0 else 0
        if times is not None:
            times = np.ascontiguousarray(times, float)
            run.times = ctypes.cast(times.ctypes.data, POINTER(c_double))
            run.ntimes = len(times)
            run.every = 0
        callbacks = _OUTPUT(on_output), _PROGRESS(on_progress), _HAPPENED(on_happened)
        run.output, run.progress, run.happened = (ctypes.cast(c, c_void_p) for c in callbacks)
        cancel = c_int(0)
        run.cancel = ctypes.cast(byref(cancel), type(run.cancel)) if not isinstance(run.cancel, (int, type(None))) else ctypes.addressof(cancel)
        status, interrupted = _interruptible(lambda: lib.mbs_run(s.pointer, byref(run)), cancel)
        interrupted = interrupted or any(isinstance(e, KeyboardInterrupt) for e in trouble)
        result = Result(self, names, units, np.array(rows) if rows else np.zeros((0, len(names))), arguments)
        result.interrupted = interrupted
        result.events = events
        s.describe(result, status)
        for e in trouble + (keep[1] if len(keep) > 1 else []):
            if not isinstance(e, KeyboardInterrupt):
                raise e
        if status == _DOUBTFUL:
            result.doubtful = s.message()
            warnings.warn(f"{result.status}: {result.doubtful}", stacklevel=2)
        elif status not in (_OK, _EVENT) and not interrupted:
            raise RunError(status, s.message(), result)
        return result

    # ---- analyses ----

    def sweep(self, cases: Mapping[str, Any], measure: Any = None, *, executor: Any = None, chunk: int = 16, **options: Any) -> "Study":
        """A run for each value of the parameters in ``cases``, arrays of one length by name; other parameters are as they are now.

        ``measure``: what is kept of a run, one or several of ``"x"`` (its end), ``"max(x)"``, ``start, min, peak, mean, rms, integral``, as in `mbs
        sweep`, or functions of the result.  ``executor``: anything with the ``submit`` of concurrent.futures, which gets ``chunk`` runs at a time
        (functions must then be importable, and the model's file readable there); None: one run after the other.  ``options`` are those of
        :meth:`run`.  Results do not depend on the executor."""
        from ._sweep import sweep
        return sweep(self, cases, measure, executor=executor, chunk=chunk, **options)

    def fit(self, data: Any, free: Any, *, deviation: Mapping[str, float] = {}, prior: "Mapping[str, tuple[float, float]]" = {}, starts: Optional[int] = None,
            rtol: Optional[float] = None) -> Fit:
        """Parameters for which the model runs as it was measured, by `mbs fit` (which needs GSL): least squares with exact derivatives.

        ``data``: columns by name, of which ``t`` is one (a mapping, a DataFrame), or several such experiments in a list; NaN is a sample that is missing.
        ``free``: names of the parameters, or a mapping from names to bounds (low, high) or None.  ``deviation``: how exact columns were measured;
        ``prior``: mean and deviation of what is known of a parameter before (it needs ``deviation``).  The model's own parameters stay as they are."""
        import json
        import tempfile
        bounds = free if hasattr(free, "items") else {name: None for name in ([free] if isinstance(free, str) else free)}
        options = [w for n, b in bounds.items() for w in ("--free", n if b is None else "%s=%.17g..%.17g" % (n, b[0], b[1]))]
        options += [w for n, x in deviation.items() for w in ("--deviation", "%s=%.17g" % (n, x))]
        options += [w for n, x in prior.items() for w in ("--prior", "%s=%.17g+-%.17g" % (n, x[0], x[1]))]
        options += [w for n, x in (("starts", starts), ("rtol", rtol)) if x is not None for w in ("--" + n, str(x))]
        with tempfile.TemporaryDirectory() as d:
            files = []
            for k, table in enumerate(data if isinstance(data, (list, tuple)) else [data]):
                files.append(os.path.join(d, "data-%d.csv" % k))
                _write_table(files[-1], table)
            fit = Fit(json.loads(self._program("fit", *options, "--json", "-q", files=files)))
        if fit.doubtful:
            warnings.warn(fit.doubtful, stacklevel=2)
        return fit

    def fmu(self, path: Union[str, "os.PathLike[str]", None] = None, *, version: int = 2, targets: Sequence[str] = ()) -> str:
        """The model as a Functional Mock-up Unit, by `mbs fmu`; the path of the file.  ``targets``: other machines for which it shall have binaries."""
        path = os.fspath(path) if path is not None else self.name + ".fmu"
        self._program("fmu", "--fmi", str(version), *(["--targets", ",".join(targets)] if targets else []), "-q", "-o", path)
        return path

    def _at(self, t: float, inputs: Mapping[str, Input], at_equilibrium: bool) -> "_Simulation":
        o = self._options(None, None, None, None, None, None, True)
        constant, keep = self._inputs(o, inputs)
        s = self._open(o, constant, t, keep)
        s.keep = keep
        if at_equilibrium:
            s.check(lib.mbs_equilibrium(s.pointer))
        return s

    def modes(self, *, t: float = 0, inputs: "Mapping[str, Input]" = {}, at_equilibrium: bool = False) -> Modes:
        """Frequencies, damping and shapes of small vibrations about the start, or the equilibrium near it."""
        s, raw = self._at(t, inputs, at_equilibrium), abi.mbs_modes()
        s.check(lib.mbs_modes(s.pointer, byref(raw)))
        modes = Modes(raw)
        lib.mbs_modes_free(byref(raw))
        return modes

    def linearize(self, *, t: float = 0, inputs: "Mapping[str, Input]" = {}, at_equilibrium: bool = False) -> Linearization:
        """A, B, C, D about the start, or the equilibrium near it."""
        s, raw = self._at(t, inputs, at_equilibrium), abi.mbs_linearization()
        s.check(lib.mbs_linearize(s.pointer, byref(raw)))
        result = Linearization(raw, self)
        lib.mbs_linearization_free(byref(raw))
        return result

    def equilibrium(self, *, t: float = 0, inputs: "Mapping[str, Input]" = {}) -> dict[str, float]:
        """The coordinates of the static equilibrium near the start."""
        s = self._at(t, inputs, True)
        x = lib.mbs_state(s.pointer)[0]
        return dict(zip(self.coords, x.q[:self._m.nq]))

    # ---- what the program mbs tells ----

    def _program(self, command: str, *options: str, files: Sequence[str] = ()) -> str:
        import subprocess
        given = [w for name, value in self._given_params().items() for w in ("--set", "%s=%.17g" % (name, value))]
        withs = [w for f in self._with for w in ("--with", f)]
        way = ["--way", self._way] if self._way else []
        environment = dict(os.environ)
        packaged = _build.is_packaged(_build.compiler())
        if command == "fmu":            # ziglang, for this machine or others, is that of this Python
            environment["PATH"] = os.path.dirname(sys.executable) + os.pathsep + environment.get("PATH", "")
            if packaged:
                environment["CC"] = " ".join(_build.compiler())
        elif self.interpreted or packaged:      # the program knows compilers of the system only
            way.append("--interpret")
        run = subprocess.run([_build.program("mbs"), command, self.path, *files, *self._flags, *given, *withs, *way, *options], capture_output=True, text=True,
                             env=environment)
        if run.returncode not in (0, _EXIT_DOUBTFUL):
            raise Error(run.stderr.strip())
        return run.stdout

    def info(self) -> dict[str, Any]:
        """Coordinates, constraints, freedom, costs: what `mbs info --json` says."""
        import json
        return json.loads(self._program("info", "--json"))

    def equations(self) -> Equations:
        """The equations of motion in LaTeX."""
        return Equations(self._program("info", "--latex"))

    def _report_page(self, start: float, to: float, flags: Sequence[str] = (), result: Optional[Result] = None) -> str:
        """The page of the run that was, whose inputs are those of its rows."""
        import tempfile
        with tempfile.TemporaryDirectory() as d:
            page = os.path.join(d, "report.html")
            inputs: list[str] = []
            for k, name in enumerate(self.inputs if result is not None and len(result) else []):
                assert result is not None
                values, table = result[name], os.path.join(d, "input-%d.csv" % k)
                if (values == values[0]).all():
                    inputs += ["--input", "%s=%.17g" % (name, values[0])]
                    continue
                with open(table, "w") as f:
                    f.write("time,value\n")
                    last = -math.inf
                    for t, value in zip(result.t, values):
                        if t > last:            # rows before and after an event have the same time
                            f.write("%.17g,%.17g\n" % (t, value))
                        last = t
                inputs += ["--input", "%s=%s" % (name, table)]
            self._program("report", "--from", "%.17g" % start, "--to", "%.17g" % to, *flags, *inputs, "-q", "-o", page)
            with open(page) as f:
                return f.read()

    def __repr__(self) -> str:
        return "<Model %s: %d coordinates, %d states, %d inputs, %d outputs, %d constraints>" % (
            self.name, self._m.nq, self._m.nz, self._m.nu, self._m.ny, self._m.ng + self._m.nh)

    def _repr_html_(self) -> str:
        """The drawing of the model and its equations, as the report has them."""
        import html
        e = self._m.experiment
        to = e.to if not math.isnan(e.to) else 1.0
        page = self._report_page(0.0 if math.isnan(e.__getattribute__("from")) else e.__getattribute__("from"), to)
        return '<iframe style="width:100%%;height:700px;border:0" srcdoc="%s"></iframe>' % html.escape(page, quote=True)


class _Simulation:
    def __init__(self, model: Model, options: Any) -> None:
        self.pointer = c_void_p()
        self.keep: Any = None
        self._owner = model, options
        why = abi.mbs_message()
        status = lib.mbs_new(byref(self.pointer), byref(model._m), model._p, byref(options), byref(why))
        if status != _OK:
            raise RunError(status, why.text.decode())

    def __del__(self) -> None:
        if self.pointer:
            lib.mbs_free(self.pointer)

    def message(self) -> str:
        return lib.mbs_message(self.pointer)[0].text.decode()

    def check(self, status: int) -> None:
        if status != _OK:
            raise RunError(status, self.message())

    def describe(self, result: Result, status: int) -> None:
        statistics = lib.mbs_statistics(self.pointer)[0]
        result.statistics = {name: getattr(statistics, name) for name, _ in statistics._fields_}
        result.method = lib.mbs_method(self.pointer).decode()
        result.formulation = lib.mbs_form_name(lib.mbs_formulation(self.pointer)).decode()
        result.status = lib.mbs_status_text(status).decode()


def _write_table(path: str, columns: Any) -> None:
    """Columns by name as CSV, NaN as an empty field."""
    import csv
    names = [str(n) for n in columns.keys()]
    with open(path, "w", newline="") as f:
        out = csv.writer(f)
        out.writerow(names)
        for row in zip(*(columns[n] for n in columns.keys())):
            out.writerow(["" if x != x else "%.17g" % x for x in row])


def _table(times: Sequence[float], values: Sequence[float]) -> Callable[[float], float]:
    """Linear between the points, constant outside: the arithmetic of `mbs run --input NAME=FILE`."""
    if len(times) != len(values) or not times or any(b <= a for a, b in zip(times, times[1:])):
        raise ValueError("an input from a table needs as many values as times, and ascending times")
    from bisect import bisect_right

    def at(t: float) -> float:
        if t <= times[0]:
            return values[0]
        if t >= times[-1]:
            return values[-1]
        a = bisect_right(times, t) - 1
        return values[a] + (t - times[a]) / (times[a + 1] - times[a]) * (values[a + 1] - values[a])
    return at


def _interruptible(call: Callable[[], int], cancel: c_int) -> tuple[int, bool]:
    """Runs a call of the library so that Ctrl-C sets the flag which it polls, and is not lost if it cannot."""
    import signal
    import threading
    hit = False
    if threading.current_thread() is not threading.main_thread():
        return call(), False

    def on_signal(number: int, frame: Any) -> None:
        nonlocal hit
        hit = True
        cancel.value = 1
    before = signal.signal(signal.SIGINT, on_signal)
    try:
        return call(), hit
    finally:
        signal.signal(signal.SIGINT, before if before is not None else signal.SIG_DFL)


def _rebuild(recipe: tuple[Any, ...], given: Mapping[str, float]) -> Model:
    """The model of another process."""
    text, path, arguments = recipe
    m = Model(text, path=path, **arguments)
    m._reset(given)
    return m


def load(path: Union[str, "os.PathLike[str]"], *, way: Optional[str] = None, include: Sequence[str] = (), with_: Sequence[str] = (),
         interpret: Optional[bool] = None, **options: Any) -> Model:
    """Compiles and loads a model file; ``options`` are its `option` statements: ``mbs.load("nlink.mbs", n=8)``."""
    return Model(path=os.fspath(path), way=way, include=include, with_=with_, interpret=interpret, **options)
