# SPDX-License-Identifier: MIT
"""From a model file to a loaded model: mbsc, a C compiler, a cache of what they made."""
from __future__ import annotations

import ctypes
import os
import re
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional, Sequence

from ._abi import Abi

_here = os.path.dirname(os.path.abspath(__file__))


class Error(Exception):
    """Whatever goes wrong in mbs."""


class CompileError(Error):
    """A model that is not accepted.  ``file``, ``line``, ``column`` say where; the text shows the place with a caret.

    >>> import mbs
    >>> try:
    ...     mbs.Model("model m\\ncoord x: m\\nkinetic y'^2\\n")
    ... except mbs.CompileError as e:
    ...     print(e.line, e.column)
    3 9
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        place = re.search(r"^(.*?):(\d+):(\d+): error: (.*)$", text, flags=re.M)
        self.file: Optional[str] = place[1] if place else None
        self.line: Optional[int] = int(place[2]) if place else None
        self.column: Optional[int] = int(place[3]) if place else None
        self.message: str = place[4] if place else text.strip()


def _find() -> tuple[str, str, str]:
    """(libmbs.so, directory of the programs, directory of the headers): of the wheel, of $MBS_BUILD, or of the system."""
    build = os.environ.get("MBS_BUILD")
    if build:
        source = os.environ.get("MBS_INCLUDE", os.path.join(build, "..", "runtime"))
        return os.path.join(build, "libmbs.so"), build, source
    if os.path.exists(os.path.join(_here, "lib", "libmbs.so.1")):
        return os.path.join(_here, "lib", "libmbs.so.1"), os.path.join(_here, "bin"), os.path.join(_here, "include")
    import shutil
    program = shutil.which("mbsc")
    prefix = os.path.dirname(os.path.dirname(os.path.realpath(program))) if program else "/usr"
    return "libmbs.so.1", os.path.join(prefix, "bin"), os.path.join(prefix, "include")


LIBRARY, PROGRAMS, INCLUDE = _find()
abi = Abi(INCLUDE)
lib = ctypes.CDLL(LIBRARY)
for _name in ("mbs_status_text", "mbs_form_name", "mbs_method"):
    getattr(lib, _name).restype = ctypes.c_char_p
for _name, _type in (("mbs_state", "mbs_state"), ("mbs_message", "mbs_message"), ("mbs_statistics", "mbs_statistics"), ("mbs_witness", "mbs_witness")):
    getattr(lib, _name).restype = ctypes.POINTER(abi.struct[_type])
for _name in ("mbs_new", "mbs_free", "mbs_state", "mbs_message", "mbs_statistics", "mbs_witness", "mbs_method", "mbs_formulation", "mbs_set_inputs",
              "mbs_set_state", "mbs_consistent", "mbs_equilibrium", "mbs_linearize", "mbs_modes", "mbs_run"):
    getattr(lib, _name).argtypes = None
lib.mbs_constants.restype = ctypes.c_void_p
lib.mbs_assemble.argtypes = [ctypes.c_void_p, ctypes.c_double]
lib.mbs_interpret.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_ulong, ctypes.c_void_p]
lib.mbs_interpret_free.argtypes = [ctypes.c_void_p]


def program(name: str) -> str:
    return os.path.join(PROGRAMS, name)


def compiler() -> list[str]:
    """$CC, cc, gcc, clang, or ziglang (``pip install mbs[cc]``); empty: there is none, or $CC is empty."""
    import shutil
    named = os.environ.get("CC")
    if named is not None:
        return named.split()
    for name in ("gcc", "cc", "clang"):
        if shutil.which(name):
            return [name]
    import importlib.util
    if importlib.util.find_spec("ziglang"):
        return [sys.executable, "-m", "ziglang", "cc"]
    return []


def is_packaged(command: Sequence[str]) -> bool:
    """ziglang, which is run by Python?"""
    return list(command[:1]) == [sys.executable]


def _private(path: str, above: bool) -> bool:
    """Whether only we (or root, above the cache) can write there or rename what is in it."""
    status = os.stat(path)
    own = status.st_uid == os.geteuid() or (above and status.st_uid == 0)
    shared = status.st_mode & 0o022 and not (above and status.st_mode & 0o1000) \
        and not (above and not status.st_mode & 0o002 and status.st_gid == os.getegid())
    return own and not shared


def _cache() -> str:
    """The directory of compiled models; empty if others could put theirs into it."""
    path = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache"), "mbs-python")
    try:
        os.makedirs(path, mode=0o700, exist_ok=True)
        real = os.path.realpath(path)
        above = [real]
        while above[-1] != "/":
            above.append(os.path.dirname(above[-1]))
        if all(_private(d, d != real) for d in above):
            return path
    except OSError:
        pass
    return ""


def generate(path: str, options: Sequence[str], form: str = "--solver") -> str:
    """The C text of a model; by ``--tapes`` the text for the interpreter."""
    import subprocess
    run = subprocess.run([program("mbsc"), form, *options, "-o", "-", path], capture_output=True, text=True)
    if run.returncode:
        raise CompileError(run.stderr)
    if run.stderr:
        sys.stderr.write(run.stderr)
    return run.stdout


def externs(text: str) -> list[str]:
    """The C functions that the code of a model takes from outside."""
    return re.findall(r"^extern double (\w+)\(", text, flags=re.M)


def _compile(text: str, work: str, withs: Sequence[str]) -> str:
    """A model file is not trusted: what it calls is the code of ``with_`` under names of our own, never a function that
    the C library or this process happens to have under that name."""
    import subprocess
    source, target = os.path.join(work, "model.c"), os.path.join(work, "model.so")
    with open(source, "w") as f:
        f.write(text)
    level = "0" if len(text) > 1000000 else "1" if len(text) > 400000 else "2"       # as mbs run does
    names = ["-D%s=mbs_extern_%s" % (name, name) for name in externs(text)]
    files = [os.path.join(".", f) if f[:1] in ("-", "@") else f for f in withs]
    run = subprocess.run([*compiler(), "-O" + level, "-std=gnu11", "-fPIC", "-shared", "-Werror=implicit-function-declaration", *names, "-I" + INCLUDE,
                          "-o", target, source, *files, "-lm"], capture_output=True, text=True)
    if run.returncode:
        raise Error("the C compiler does not accept the model:\n" + run.stderr)
    return target


def _open(path: str) -> ctypes.CDLL:
    try:
        return ctypes.CDLL(path)
    except OSError as e:
        missing = re.search(r"undefined symbol: mbs_extern_(\w+)", str(e))
        if missing:
            raise Error("the model calls the C function '%s', which the files of with_ do not define" % missing[1]) from None
        raise


def _load_kept(text: str, cache: str) -> Optional[ctypes.CDLL]:
    """From the cache, or compiled into it; None if that fails for its sake: it is cleaned meanwhile, its disk is full."""
    import hashlib
    import tempfile
    key = hashlib.sha256("\0".join([text, *compiler(), str(os.path.getmtime(program("mbsc")))]).encode()).hexdigest()
    kept = os.path.join(cache, key + ".so")
    try:
        return ctypes.CDLL(kept)
    except OSError:
        pass                            # not there, or no longer
    try:
        with tempfile.TemporaryDirectory(dir=cache) as work:
            made = _compile(text, work, ())
            handle = ctypes.CDLL(made)
            with open(made, "rb") as f:
                os.fsync(f.fileno())    # whole before it has its name
            os.replace(made, kept)
            return handle
    except (OSError, Error):
        return None


class Interpreted:
    """A model whose functions are interpreted by the library; it lives as long as this object."""

    def __init__(self, text: bytes) -> None:
        self.pointer = ctypes.c_void_p()
        why = abi.mbs_message()
        if lib.mbs_interpret(ctypes.byref(self.pointer), text, len(text), ctypes.byref(why)):
            raise Error(why.text.decode())

    def __del__(self) -> None:
        lib.mbs_interpret_free(self.pointer)


def interpret(path: str, options: Sequence[str]) -> tuple[Interpreted, ctypes.Structure]:
    handle = Interpreted(generate(path, options, "--tapes").encode())
    assert handle.pointer.value
    return handle, abi.mbs_model.from_address(handle.pointer.value)


def load(path: str, options: Sequence[str], withs: Sequence[str] = ()) -> tuple[ctypes.CDLL, ctypes.Structure]:
    """Compiles and loads a model; what was compiled before is taken from the cache."""
    import tempfile
    text = generate(path, options)
    found = re.search(r"^const struct mbs_model (\w+)", text, flags=re.M)
    assert found
    names = externs(text)
    if names and not withs:
        raise Error("%s calls the C function%s %s: give the code in with_=[FILE]" % (path, "s"[len(names) < 2:], ", ".join("'%s'" % n for n in names)))
    cache = "" if withs else _cache()
    handle = _load_kept(text, cache) if cache else None
    if handle is None:
        with tempfile.TemporaryDirectory() as work:
            handle = _open(_compile(text, work, withs))
    model = abi.mbs_model.in_dll(handle, found[1])
    if model.abi != abi.const["MBS_ABI"]:
        raise Error("the model was generated for interface %d, the library has %d" % (model.abi, abi.const["MBS_ABI"]))
    return handle, model
