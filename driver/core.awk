# SPDX-License-Identifier: GPL-3.0-or-later
# A C file of ours without its comments (but for the licence), as lines of a C array.  Lines with strings are left alone.
function out(s) {
    gsub(/\\/, "&&", s)
    gsub(/"/, "\\\"", s)
    gsub(/[?]/, "\\?", s)
    print "\"" s "\\n\","
}
FNR == 1 && /SPDX/ && /^\/\*/ { out("/* " $2 " " $3 " */"); inside = !/\*\//; next }
plain { out($0); next }
inside { if (/\*\//) inside = 0; next }
/"/ { out($0); next }
/^[ \t]*\/\*/ && !/\*\/[ \t]*[^ \t]/ { if (!/\*\//) inside = 1; next }
/[ \t]+\/\*[^*]*\*\/$/ { sub(/[ \t]+\/\*[^*]*\*\/$/, "") }
/;[ \t]*\/\*/ && !/\*\// { sub(/[ \t]*\/\*.*$/, ""); inside = 1 }
/^$/ { next }
{ while (match($0, /^\t*    /)) $0 = substr($0, 1, RLENGTH - 4) "\t" substr($0, RLENGTH + 1); out($0) }
