#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The notebooks of examples/, cell by cell, with the package of this tree.
. "${top_srcdir:-.}/tests/tap.sh"
. "$top_srcdir/tests/world/venv.sh"
cd "$tmp" || exit 99
[ -f "$top_builddir/libmbs.so" ] || { skip "no shared library on this system"; done_testing; exit; }
if ! need numpy scipy; then
    skip "numpy and scipy cannot be installed"
    done_testing
    exit
fi
export PYTHONPATH="$top_srcdir/python" MBS_BUILD="$top_builddir" MBS_INCLUDE="$top_srcdir/runtime" XDG_CACHE_HOME="$tmp/cache" PYTHONDONTWRITEBYTECODE=1
for notebook in "$top_srcdir"/examples/notebook/*.ipynb; do
    "$python" "$top_srcdir/tests/world/notebook.py" "$notebook" >out 2>err || echo "not ok - ends: $(tail -n 1 err)" >>out
    while IFS= read -r line; do
        case $line in
        "ok - "*) pass "$(basename "$notebook"): ${line#ok - }" ;;
        "not ok - "*) fail "$(basename "$notebook"): ${line#not ok - }" ;;
        *) echo "# $line" ;;
        esac
    done <out
done
done_testing
