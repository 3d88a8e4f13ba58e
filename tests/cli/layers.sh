#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Dependencies point one way.  Compiler: base < expr < tape < syntax < model < derive < program < emit < the rest; runtime:
# mbs/model.h < mbs/mbs.h < work.h < linalg < methods < sim.h < analysis < the rest; mbs/model.h, which all may use, knows
# nothing, and only the driver knows both halves.
. "${top_srcdir:-.}/tests/tap.sh"
cd "$top_srcdir" || exit 99

# layer DIR ALLOWED...: files in DIR include only from ALLOWED (their own directory always).
layer() {
    dir=$1
    shift
    pattern=$(printf '%s|' "${dir#compiler/}" "$@")
    bad=$(grep -rn '^#include "' "$dir" --include='*.[chly]' --include='*.def' --include='*.inc' |
        grep -Ev "#include \"((${pattern%|})/|config.h|mbs/model.h|mbs/model.def)" || :)
    if [ -z "$bad" ]; then pass "$dir uses only itself $*"; else fail "$dir" "$bad"; fi
}
layer compiler/base
layer compiler/expr base
layer compiler/tape base expr
layer compiler/syntax base
layer compiler/model base expr syntax
layer compiler/tree base expr model
layer compiler/derive base expr tape model tree syntax
layer compiler/program base expr tape model tree derive syntax
layer compiler/emit base expr tape model derive program syntax

bad=$(grep -n '^#include' runtime/mbs/model.h || :)
if [ -z "$bad" ]; then pass "mbs/model.h includes nothing"; else fail "mbs/model.h" "$bad"; fi
# room DIR ALLOWED...: the same for the runtime, ALLOWED being beginnings of names.
room() {
    dir=$1
    shift
    pattern=$(printf '%s|' "${dir#runtime/}/" "$@")
    bad=$(grep -rn '^#include "' "$dir" --include='*.[ch]' | grep -Ev "#include \"(${pattern%|}|config.h)" || :)
    if [ -z "$bad" ]; then pass "$dir uses only itself $*"; else fail "$dir" "$bad"; fi
}
room runtime/mbs
room runtime/linalg mbs/ work.h
room runtime/methods mbs/ work.h linalg/
room runtime/analysis mbs/ work.h linalg/ methods/ sim.h
bad=$(grep -n '^#include "' runtime/work.h | grep -v '"mbs/model.h"' || :)
if [ -z "$bad" ]; then pass "work.h uses only mbs/model.h"; else fail "work.h" "$bad"; fi

bad=$(grep -rn '^#include "\(base\|expr\|tape\|syntax\|model\|derive\|program\|emit\|compile\)[/.]' runtime || :)
if [ -z "$bad" ]; then pass "the runtime knows nothing of the compiler"; else fail "runtime" "$bad"; fi
done_testing
