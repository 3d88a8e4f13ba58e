# SPDX-License-Identifier: MIT
"""Many runs of one model, by any executor of concurrent.futures: threads, processes, MPI (mpi4py.futures), Dask, Ray."""
from __future__ import annotations

import math
import threading
import warnings
from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional, Sequence, Union

import numpy as np

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from ._model import Model, Result

Measure = Union[str, "Callable[[Result], Any]"]
_kinds: dict[str, Callable[[Any, Any], float]] = {
    "end": lambda t, x: x[-1],
    "start": lambda t, x: x[0],
    "min": lambda t, x: np.min(x),
    "max": lambda t, x: np.max(x),
    "peak": lambda t, x: np.max(np.abs(x)),
    "mean": lambda t, x: _lines(t, x[1:] + x[:-1], 2) / abs(t[-1] - t[0]),
    "integral": lambda t, x: _lines(t, x[1:] + x[:-1], 2),
    "rms": lambda t, x: math.sqrt(_lines(t, x[1:] ** 2 + x[1:] * x[:-1] + x[:-1] ** 2, 3) / abs(t[-1] - t[0])),
}
_of_thread = threading.local()          # .loaded: models of this thread, since each case sets their parameters


def _lines(t: Any, x: Any, by: int) -> float:
    """The integral of what straight lines join."""
    return float(np.sum(np.abs(np.diff(t)) * x) / by)


def _value(measure: Measure, result: "Result") -> float:
    if callable(measure):
        return float(measure(result))
    kind, _, rest = measure.partition("(")
    if kind in _kinds and rest.endswith(")") and measure not in result.columns:
        return float(_kinds[kind](result.t, result[rest[:-1]]))
    return float(result[measure][-1])


def _chunk(recipe: tuple[Any, ...], given: Mapping[str, float], names: Sequence[str], cases: Any, measures: Sequence[Measure],
           options: Mapping[str, Any]) -> tuple[Any, list[str], list[str]]:
    """Some cases one after the other, in whatever process this is; each starts from the same parameters."""
    from ._build import Error
    from ._model import _rebuild
    key, loaded = repr(recipe), _of_thread.__dict__.setdefault("loaded", {})
    if key not in loaded:
        loaded[key] = _rebuild(recipe, {})
    values, why, doubt = np.full((len(cases), len(measures)), np.nan), [""] * len(cases), [""] * len(cases)
    m = loaded[key]
    for i, case in enumerate(cases):
        m._reset(dict(given, **{n: float(x) for n, x in zip(names, case)}))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)    # the study has one for all
                r = m.run(**options)
            doubt[i] = r.doubtful or ""
            values[i] = [_value(x, r) for x in measures]
        except Error as e:
            why[i] = str(e) or type(e).__name__
    return values, why, doubt


class Study:
    """Parameters and measures of many runs, as arrays by name; ``failed``: the cases that did not run, and why; their measures are NaN.
    ``doubtful``: the cases that ran, but are off by far more than was asked, and what the witness says; their measures are there."""

    def __init__(self, params: dict[str, Any], measures: dict[str, Any], failed: dict[int, str], doubtful: dict[int, str]) -> None:
        self.params, self.measures, self.failed, self.doubtful = params, measures, failed, doubtful

    def __getitem__(self, name: str) -> Any:
        return self.measures[name] if name in self.measures else self.params[name]

    def __len__(self) -> int:
        return len(next(iter(self.params.values())))

    def to_pandas(self) -> Any:
        import pandas
        return pandas.DataFrame({**self.params, **self.measures})

    def __repr__(self) -> str:
        return "<%d runs over %s, %d failed, %d doubtful: %s>" % (len(self), ", ".join(self.params), len(self.failed), len(self.doubtful), ", ".join(self.measures))


def sweep(model: "Model", cases: Mapping[str, Any], measure: Union[Measure, Sequence[Measure], None] = None, *, executor: Optional["Executor"] = None,
          chunk: int = 16, **options: Any) -> Study:
    names = list(cases)
    if not names:
        raise ValueError("what varies? Give arrays of values by the names of parameters")
    for n in names:
        model._index("parameter", model._param, n)
    table = np.column_stack([np.asarray(cases[n], dtype=float).ravel() for n in names])
    measures: list[Measure] = [measure] if isinstance(measure, str) or callable(measure) else list(measure or model.outputs or model.coords)
    given = model._given_params()
    parts = [table[i:i + chunk] for i in range(0, len(table), chunk)]
    if executor is None:
        done = [_chunk(model._recipe, given, names, part, measures, options) for part in parts]
    else:
        jobs = [executor.submit(_chunk, model._recipe, given, names, part, measures, options) for part in parts]
        done = [job.result() for job in jobs]
    values = np.concatenate([d[0] for d in done])
    why, doubt = ([w for d in done for w in d[k]] for k in (1, 2))
    doubtful = {i: w for i, w in enumerate(doubt) if w}
    if doubtful:
        first, said = next(iter(doubtful.items()))
        warnings.warn("%d of %d runs are doubtful; the first, %d: %s" % (len(doubtful), len(table), first, said), stacklevel=3)
    titles = [getattr(x, "__name__", "measure") if callable(x) else x for x in measures]
    return Study({n: table[:, i] for i, n in enumerate(names)}, {n: values[:, i] for i, n in enumerate(titles)}, {i: w for i, w in enumerate(why) if w},
                 doubtful)
