#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A few mutated files of each format; `make fuzz-import N=10000` runs many.
. "${top_srcdir:-.}/tests/tap.sh"
printf '<robot name="a"><link name="b"/></robot>' >"$tmp/a.urdf"
if ! command -v python3 >/dev/null || "$top_builddir/mbs" import "$tmp/a.urdf" -o - 2>&1 | grep -q 'without libxml2'; then
    skip "mutated robot files: python3 and libxml2 are needed"
    done_testing
    exit
fi
exec python3 "$top_srcdir/tests/import/mutate.py" "$top_builddir/tests/import/serve" "$top_srcdir/tests/import" 40
