#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Dependencies point one way.  Compiler: base < expr < tape < syntax < model < derive < program < emit < the rest; runtime:
# mbs/model.h < mbs/mbs.h < work.h < linalg < methods < sim.h < watch.h, running.h < hybrid < analysis < the rest; mbs/model.h, which all may use, knows
# nothing, and only the driver knows both halves.
. "${top_srcdir:-.}/tests/tap.sh"
cd "$top_srcdir" || exit 99

# layer DIR ALLOWED...: files in DIR include only from ALLOWED (their own directory always).
layer() {
    dir=$1
    shift
    pattern=$(printf '%s|' "${dir#compiler/}" "$@")
    bad=$(grep -rn '^#include "' "$dir" --include='*.[chly]' --include='*.def' --include='*.inc' |
        grep -Ev "#include \"((${pattern%|})/|config.h|mbs/model.h|mbs/model.def|mbs/ops.def)" || :)
    if [ -z "$bad" ]; then pass "$dir uses only itself $*"; else fail "$dir" "$bad"; fi
}
layer compiler/base
layer compiler/expr base
layer compiler/tape base expr
layer compiler/syntax base
layer compiler/model base expr syntax
layer compiler/tree base expr model
layer compiler/derive base expr tape model tree syntax
layer compiler/roll base expr model tree derive
layer compiler/program base expr tape model tree derive roll syntax
layer compiler/emit base expr tape model derive roll program syntax

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
room runtime/analysis mbs/ work.h linalg/ methods/ sim.h watch.h running.h hybrid/
room runtime/hybrid mbs/ work.h linalg/ methods/ sim.h
room runtime/interpret mbs/
bad=$(grep -n '^#include "' runtime/work.h | grep -v '"mbs/model.h"' || :)
if [ -z "$bad" ]; then pass "work.h uses only mbs/model.h"; else fail "work.h" "$bad"; fi

bad=$(grep -rn '^#include "\(base\|expr\|tape\|syntax\|model\|derive\|program\|emit\|compile\)[/.]' runtime || :)
if [ -z "$bad" ]; then pass "the runtime knows nothing of the compiler"; else fail "runtime" "$bad"; fi
# The files of the front end call those that stand before them in design 0002.
order=$(sed -n '/^order of calls in compiler\/model/,/^```/p' "$top_srcdir/doc/design/0002-front-end.md" | sed '1d;$d')
objects=$(find "$top_builddir/compiler/model" -name '*.o')
if command -v nm >/dev/null && [ -n "$objects" ]; then
    nm -A $objects | awk -v order="$order" '
        BEGIN { n = split(order, name, /[ \n]+/); for (i = 1; i <= n; i++) place[name[i]] = i }
        { file = $1; sub(/:.*/, "", file); sub(/.*\//, "", file); sub(/^.*-/, "", file); sub(/\.o$/, "", file)
          files[file] = 1
          if ($(NF - 1) == "U") { user[++uses] = file; used[uses] = $NF } else if ($(NF - 1) ~ /^[TDRBC]$/) owner[$NF] = file }
        END {
            for (f in files) if (!(f in place)) print f " is not in the order"
            for (i = 1; i <= n; i++) if (!(name[i] in files)) print name[i] " is no file"
            for (k = 1; k <= uses; k++) if ((f = owner[used[k]]) && f != user[k] && place[f] > place[user[k]]) print user[k] " calls " used[k] " of " f
        }' >"$tmp/calls"
    if [ ! -s "$tmp/calls" ]; then pass "calls in compiler/model go one way"; else fail "calls in compiler/model" "$(cat "$tmp/calls")"; fi
else
    skip "no nm or no objects"
fi
done_testing
