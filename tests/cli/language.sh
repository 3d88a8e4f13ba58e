#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Every block of doc/language.md marked as mbs is a whole model and must compile without a message.  Blocks
# marked as "csv NAME" or "mbs NAME.mbs" are files that models beside them read.
. "${top_srcdir:-.}/tests/tap.sh"
awk -v dir="$tmp" '
    /^```/ && inside { inside = 0; close(file); next }
    /^```mbs$/ { inside = 1; file = sprintf("%s/block%03d.mbs", dir, NR + 1) }
    /^```(csv|mbs) ./ { inside = 1; file = dir "/" $2 }
    /^```/ { if (!inside) { inside = 1; file = "/dev/null" } next }
    inside { print > file }
' "$top_srcdir/doc/language.md"
"$top_srcdir/doc/parts.sh" >"$tmp/parts"
sed -n '/^<!-- parts/,/^<!-- end of parts/p' "$top_srcdir/doc/language.md" | sed '1d;$d' >"$tmp/written"
ok "the table of clauses is that of the compiler (run doc/parts.sh --update)" cmp "$tmp/parts" "$tmp/written"
for model in "$tmp"/block*.mbs; do
    line=${model##*/block}
    line=$(expr "${line%.mbs}" + 0)
    messages=$("$top_builddir/mbsc" "$model" -I "$tmp" -o "$tmp/out.c" 2>&1)
    if [ $? = 0 ] && [ -z "$messages" ]; then
        pass "language.md:$line $(sed -n 's/^model \([^ ]*\).*/\1/p' "$model")"
    else
        fail "language.md:$line" "$messages"
    fi
done
done_testing
