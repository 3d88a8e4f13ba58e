# SPDX-License-Identifier: GPL-3.0-or-later
# The core of the runtime as C tables, for FMUs: awk -f core.awk FILE...
#   core_file[]    each file as lines, without its comments (but for the licence; lines with strings are left alone); for a C file the unit that it is
#                  compiled in, and the functions of other files that it uses
#   core_symbol[]  those functions, each with the file that has it and when fmu/without.h has one that does nothing in its place
# Files of one unit share no name at file scope, so that a few C files do for all of them.  Headers stand before all of them: a name of an enum there
# that a C file without this header has as well ends the build here, since the compilation of that file alone does not see it.
function out(s) {
    if (is_c[n])
        note_words(s)
    gsub(/\\/, "&&", s)
    gsub(/"/, "\\\"", s)
    gsub(/[?]/, "\\?", s)
    print "\"" s "\\n\","
}
function declare(name) { own[n, name] = 1 }
# Names at file scope that only this file knows; of lines with '=' or ',' all that could be some.
function note_own(s,    k, part, parts) {
    if (s ~ /^#define/) {
        split(s, part, /[ \t(]+/)
        declare(part[2])
        macro[n, part[2]] = 1
        return
    }
    if (s ~ /^(struct|union|enum) [a-z_0-9]+ *\{/) {
        split(s, part, /[ \t{]+/)
        declare(part[2])
    }
    if (s ~ /^static[^=]*\(/ || s ~ /^KERNEL/ || s ~ /^WIDE/) {
        sub(/\(.*/, "", s)
        sub(/.*[ *]/, "", s)
        declare(s)
    } else if (s ~ /^(static|enum|typedef)/ || inside_enum) {
        inside_enum = s ~ /^enum[^}]*$/ || (inside_enum && s !~ /}/)
        gsub(/\/\*.*/, "", s)
        parts = split(s, part, /[^A-Za-z0-9_]+/)
        for (k = 1; k <= parts; k++)
            if (part[k] ~ /^[A-Za-z_]/ && part[k] !~ /^(static|const|enum|typedef|struct|double|int|unsigned|char|long|void|mbs_.*)$/)
                declare(part[k])
    }
}
# Names of enums in a header, which may stand in a struct and go over several lines.
function note_enum(s,    k, part, parts) {
    if (s ~ /^[ \t]*(typedef )?enum[^;]*\{/) {
        sub(/.*enum[^{]*\{/, "", s)
        in_header_enum = 1
    }
    if (!in_header_enum)
        return
    if (s ~ /}/)
        in_header_enum = 0
    sub(/\/\*.*/, "", s)
    sub(/}.*/, "", s)
    parts = split(s, part, /,/)
    for (k = 1; k <= parts; k++)
        if (match(part[k], /[A-Z][A-Z0-9_]*/))
            of_header[substr(part[k], RSTART, RLENGTH)] = file[n]
}
# Does file i include this header, itself or by others?
function sees(i, header, round,    k) {
    if (file[i] == header)
        return 1
    if ((round, i) in seen)
        return 0
    seen[round, i] = 1
    for (k = 0; k < includes[i]; k++)
        if ((include[i, k] in place) && sees(place[include[i, k]], header, round))
            return 1
    return 0
}
# Functions and tables that it has for others.
function note_given(s) {
    if (s ~ /^(static|extern|typedef|#)/ || s ~ /;[ \t]*$/ && s !~ /=/ || s !~ /^[A-Za-z]/)
        return
    if (match(s, /(mbs|fmu)_[a-z0-9_]+(\(|(\[[^\]]*\])* = )/)) {
        s = substr(s, RSTART, RLENGTH)
        gsub(/[^a-z0-9_].*/, "", s)
        if (file[n] == "fmu/without.h") {
            without[s] = condition
        } else if (!(s in giver)) {
            giver[s] = n
            symbol[symbols] = s
            number[s] = symbols++
        }
    }
}
function note_words(s,    k, part, parts) {
    parts = split(s, part, /[^A-Za-z0-9_]+/)
    for (k = 1; k <= parts; k++)
        word[n, part[k]] = 1
}
FNR == 1 {
    if (files)
        print "NULL};"
    n = files++
    file[n] = FILENAME
    sub(/^.*runtime\//, "", file[n])
    sub(/^.*\/LICENSE/, "LICENSE", file[n])
    sub(/^fmu\/config\.h$/, "config.h", file[n])
    plain = file[n] ~ /^LICENSE/
    is_c[n] = file[n] ~ /\.c$/
    place[file[n]] = n
    inside = inside_enum = 0
    condition = "ALWAYS"
    print "static const char *const core_" n "[] = {"
}
/^#include "/ { split($0, quoted, "\""); include[n, includes[n]++] = quoted[2] }
is_c[n] && !inside { note_own($0) }
file[n] ~ /\.h$/ && !inside { note_enum($0) }
file[n] == "fmu/without.h" && /^#ifndef FMU_/ { condition = substr($2, 5) }
file[n] == "fmu/without.h" && /^#endif/ { condition = "ALWAYS" }
is_c[n] || file[n] == "fmu/without.h" { note_given($0) }
FNR == 1 && /SPDX/ && /^\/\*/ { out("/* " $2 " " $3 " */"); inside = !/\*\//; next }
plain { out($0); next }
inside { if (/\*\//) inside = 0; next }
/"/ { out($0); next }
/^[ \t]*\/\*/ && !/\*\/[ \t]*[^ \t]/ { if (!/\*\//) inside = 1; next }
/[ \t]+\/\*[^*]*\*\/$/ { sub(/[ \t]+\/\*[^*]*\*\/$/, "") }
/;[ \t]*\/\*/ && !/\*\// { sub(/[ \t]*\/\*.*$/, ""); inside = 1 }
/^$/ { next }
{ while (match($0, /^\t*    /)) $0 = substr($0, 1, RLENGTH - 4) "\t" substr($0, RLENGTH + 1); out($0) }

function clash(a, b,    k, pair) {
    for (k in own) {
        split(k, pair, SUBSEP)
        if (pair[1] == a && ((b, pair[2]) in own || ((a, pair[2]) in macro && (b, pair[2]) in word)) ||
            pair[1] == b && (b, pair[2]) in macro && (a, pair[2]) in word)
            return 1
    }
    return 0
}
END {
    print "NULL};"
    for (k in own) {
        split(k, pair, SUBSEP)
        if (pair[2] in of_header && !sees(pair[1], of_header[pair[2]], k)) {
            print file[pair[1]] ": the name " pair[2] " is one of " of_header[pair[2]] " as well, and FMUs compile both in one unit: choose another" >"/dev/stderr"
            bad = 1
        }
    }
    if (bad)
        exit 1
    for (i = 0; i < files; i++) {
        if (!is_c[i])
            continue
        # the interface is compiled with the tables of the model
        for (u = file[i] ~ /^fmu\/fmi/ ? 0 : 1; u; u++) {
            good = 1
            for (k = 0; k < i && good; k++)
                good = !is_c[k] || unit[k] != u || !clash(i, k)
            if (good)
                break
        }
        unit[i] = u
        units = u > units ? u : units
        printf "static const short core_uses_%d[] = {", i
        for (k = 0; k < symbols; k++)
            if ((i, symbol[k]) in word && giver[symbol[k]] != i)
                printf "%d, ", k
        print "-1};"
    }
    print "enum { ALWAYS = 1, EVENTS, CONTACTS };"
    print "static const struct core_symbol { const char *name; short file, without; } core_symbol[] = {"
    for (k = 0; k < symbols; k++)
        printf "{\"%s\", %d, %s},\n", symbol[k], giver[symbol[k]], symbol[k] in without ? without[symbol[k]] : 0
    print "};"
    print "enum { CORE_UNITS = " units + 1 " };"
    print "static const struct core_file { const char *name; const char *const *line; int unit; const short *uses; } core_file[] = {"
    for (i = 0; i < files; i++)
        printf "{\"%s\", core_%d, %d, %s},\n", file[i], i, is_c[i] ? unit[i] : -1, is_c[i] ? "core_uses_" i : "NULL"
    print "};"
}
