#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The Python package of this build: what a call costs beyond the C code, and what `import mbs` costs (the least of 20).
# run.sh BUILD SOURCE
set -e
top_builddir=$(cd "$1" && pwd) top_srcdir=$(cd "$2" && pwd)
. "$top_srcdir/tests/world/venv.sh"
need numpy scipy || { echo "numpy and scipy cannot be installed" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
${CC:-cc} -O2 -fPIC -shared -I"$top_srcdir/runtime" "$top_srcdir/bench/python/cost.c" -o "$work/cost.so"
export PYTHONPATH="$top_srcdir/python" MBS_BUILD="$top_builddir" MBS_INCLUDE="$top_srcdir/runtime"
"$python" "$top_srcdir/bench/python/accelerations.py" "$work/cost.so" "$top_srcdir"/models/squeezer.mbs "$top_srcdir"/models/nlink.mbs "$top_srcdir"/examples/cart.mbs
"$python" - <<'END'
import subprocess, sys
took = min(float(subprocess.run([sys.executable, "-c", "import time; t = time.process_time(); import mbs; print(time.process_time() - t)"],
                                capture_output=True, text=True, check=True).stdout) for _ in range(20))
print("import mbs: %.1f ms" % (1e3 * took))
END
