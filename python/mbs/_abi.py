# SPDX-License-Identifier: MIT
"""The structures of mbs/model.h and mbs/mbs.h as ctypes, read from the headers themselves: one list, which cannot go out of date."""
from __future__ import annotations

import ctypes
import os
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_BASE = {"int": ctypes.c_int, "double": ctypes.c_double, "long": ctypes.c_long, "char": ctypes.c_char, "unsigned char": ctypes.c_ubyte,
         "signed char": ctypes.c_byte, "unsigned": ctypes.c_uint, "float": ctypes.c_float}


class Abi:
    """Structures by their name (``abi.mbs_options``) and constants of enumerations (``abi.const["MBS_OK"]``)."""

    def __init__(self, include: str) -> None:
        self.const: dict[str, int] = {}
        self.struct: dict[str, Any] = {}
        for name in ("model.h", "mbs.h"):
            with open(os.path.join(include, "mbs", name)) as f:
                self._read(f.read())

    def __getattr__(self, name: str) -> Any:
        try:
            return self.struct[name]
        except KeyError:
            raise AttributeError(name) from None

    def _read(self, text: str) -> None:
        text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
        for m in re.finditer(r"#define\s+(MBS_\w+)\s+(-?\d+)\s*$", text, flags=re.M):
            self.const[m[1]] = int(m[2])
        text = re.sub(r"^\s*#.*$", "", text, flags=re.M)
        for m in re.finditer(r"\b(enum|struct)\s*(\w*)\s*\{(.*?)\}\s*;", text, flags=re.S):
            if m[1] == "enum":
                self._enum(m[3])
            else:
                self._struct(m[2], m[3])

    def _enum(self, body: str) -> None:
        value = -1
        for item in filter(None, (s.strip() for s in body.split(","))):
            name, _, given = item.partition("=")
            value = int(given.strip(), 0) if given.strip().lstrip("-").isdigit() else value + 1
            self.const[name.strip()] = value

    def _struct(self, name: str, body: str) -> None:
        fields: list[tuple[str, Any]] = []
        for line in filter(None, (" ".join(s.split()) for s in body.split(";"))):
            pointer = re.match(r".*?\(\*(\w+)\)\(", line)
            if pointer:
                fields.append((pointer[1], ctypes.c_void_p))
                continue
            base = re.match(r"(?:const |volatile )*((?:struct|enum) \w+|unsigned char|signed char|\w+)(.*)", line)
            assert base, line
            for declarator in base[2].split(","):
                fields.append(self._field(base[1], declarator.strip()))
        self.struct[name] = type(name, (ctypes.Structure,), {"_fields_": fields})

    def _field(self, base: str, declarator: str) -> tuple[str, Any]:
        stars = declarator.count("*")
        name = re.search(r"(\w+)((?:\[\w+\])*)$", re.sub(r"\bconst\b", "", declarator))
        assert name, declarator
        if base.startswith("enum "):
            ctype: Any = ctypes.c_int
        elif base.startswith("struct "):
            ctype = self.struct.get(base[7:], ctypes.c_void_p) if stars else self.struct[base[7:]]
        else:
            ctype = _BASE.get(base, ctypes.c_void_p)
        if stars and (ctype is ctypes.c_void_p or base == "void"):
            ctype = ctypes.c_void_p
        elif stars == 1 and base == "char":
            ctype = ctypes.c_char_p
        else:
            for _ in range(stars):
                ctype = ctypes.POINTER(ctype)
        for size in reversed(re.findall(r"\[(\w+)\]", name[2])):
            ctype = ctype * (int(size) if size.isdigit() else self.const[size])
        return name[1], ctype
