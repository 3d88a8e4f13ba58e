#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The table of clauses in doc/language.md, from compiler/model/parts.def.  With --update it is put into that file, between its marks.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
table() {
    echo '| part | clause | unit | default | |'
    echo '| --- | --- | --- | --- | --- |'
    awk '
        function field(   s) {                      # the next argument
            sub(/^[ ,]+/, "")
            if (substr($0, 1, 1) == "\"") { match($0, /^"[^"]*"/); s = substr($0, 2, RLENGTH - 2) }
            else { match($0, /^[^,)]*/); s = substr($0, 1, RLENGTH) }
            $0 = substr($0, RLENGTH + 1)
            return s
        }
        function code(s) { return s == "" ? "" : "`" s "`" }
        /^(PART|ELEMENT|FORCE_ELEMENT|SETTINGS)\(/ {
            element = /ELEMENT/
            sub(/^[A-Z_]*\(/, ""); field(); if (element) field(); field(); form = field()
            gsub(/ \| /, "` or `", form); head = "`" form "`"
        }
        /^(CLAUSE|SETTING)\(/ {
            setting = /^SETTING/
            sub(/^[A-Z_]*\(/, ""); name = field(); shape = field(); unit = field(); turning = setting ? unit : field(); other = field(); help = field()
            if (unit == "0") unit = turning = ""
            units = unit == turning ? code(unit) : code(unit) ", " code(turning)
            other = other == "NEEDED" ? "needed" : other == "OPTIONAL" ? "" : code(other)
            print "| " head " | `" name "` | " units " | " other " | " help " |"; head = ""
        }' "$top/compiler/model/parts.def" | sed 's/  */ /g'
}
case ${1-} in
--update)
    table >"$top/doc/parts.new"
    awk -v from="$top/doc/parts.new" '/^<!-- end of parts -->/ { skip = 0 } !skip { print } /^<!-- parts/ { skip = 1; while ((getline line < from) > 0) print line }' \
        "$top/doc/language.md" >"$top/doc/language.new"
    mv "$top/doc/language.new" "$top/doc/language.md"
    rm "$top/doc/parts.new" ;;
*) table ;;
esac
