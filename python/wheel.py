# SPDX-License-Identifier: MIT
"""python3 wheel.py BUILD SOURCE OUT: a wheel of what was built in BUILD.  No Python version is compiled against, so one wheel serves
them all; nothing but the standard library is needed to make it (the format: PEP 427)."""
import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

build, source, out = sys.argv[1:4]
with open(os.path.join(source, "configure.ac")) as f:
    version = re.search(r"AC_INIT\(\[mbs\], \[([^]]*)\]\)", f.read())[1]
platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
tag = "py3-none-" + platform
info = "mbs-%s.dist-info" % version
METADATA = """Metadata-Version: 2.1
Name: mbs
Version: %s
Summary: Mechanisms as C code with exact Jacobians, integrated
License: MIT AND GPL-3.0-or-later
Requires-Python: >=3.9
Requires-Dist: numpy
Requires-Dist: scipy
Provides-Extra: cc
Requires-Dist: ziglang; extra == "cc"
Description-Content-Type: text/markdown

""" % version
WHEEL = "Wheel-Version: 1.0\nGenerator: mbs %s\nRoot-Is-Purelib: false\nTag: %s\n" % (version, tag)


def stripped(path):
    with tempfile.TemporaryDirectory() as d:
        copy = shutil.copy(path, d)
        if shutil.which("strip"):
            subprocess.run(["strip", "--strip-unneeded", copy], check=True)
        with open(copy, "rb") as f:
            return f.read()


def read(*path):
    with open(os.path.join(*path), "rb") as f:
        return f.read()


files = [("mbs/" + n, read(source, "python", "mbs", n)) for n in sorted(os.listdir(os.path.join(source, "python", "mbs"))) if n.endswith((".py", ".typed"))]
files += [("mbs/include/mbs/" + n, read(source, "runtime", "mbs", n)) for n in ("mbs.h", "model.h")]
files += [("mbs/lib/libmbs.so.1", stripped(os.path.join(build, "libmbs.so")))]
files += [("mbs/lib/mbs/libmbscore.a", read(build, "libmbscore.a"))]        # for FMUs: small code, which is not compiled each time
files += [("mbs/bin/" + n, stripped(os.path.join(build, n))) for n in ("mbs", "mbsc")]
files += [(info + "/licenses/" + n, read(source, n)) for n in ("LICENSE", "LICENSE.MIT")]
files += [(info + "/METADATA", METADATA.encode() + read(source, "python", "README.md")), (info + "/WHEEL", WHEEL.encode())]

os.makedirs(out, exist_ok=True)
path = os.path.join(out, "mbs-%s-%s.whl" % (version, tag))
record = ""
with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
    def add(name, data):
        entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = (0o100755 if "/bin/" in name or "/lib/" in name else 0o100644) << 16
        z.writestr(entry, data)
    for name, data in files:
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += "%s,sha256=%s,%d\n" % (name, digest, len(data))
        add(name, data)
    add(info + "/RECORD", record + info + "/RECORD,,\n")
print(path)
