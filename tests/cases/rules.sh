#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The rules of HACKING.md that a program can check, besides the order of the rooms (include_order.sh, layers.sh).
. "${top_srcdir:-.}/tests/tap.sh"
cd "$top_srcdir" || exit 99

# --- libraries neither print nor exit: what their objects call ---
# The compiler's arena ends the program when memory does; its one writer of files (base/out.c) is handed streams by main;
# the scanner that flex makes has a last resort of its own.  The runtime has no exception.
calls() { nm -A -u "$top_builddir/$1" 2>/dev/null | grep -wE 'U (_?exit|_Exit|printf|__printf_chk|vprintf|puts|putchar|perror|stdout|stderr)' | sed 's/^.*\.a://'; }
if command -v nm >/dev/null; then
    bad=$(calls libmbs.a)
    [ -z "$bad" ] && pass "libmbs neither prints nor exits" || fail "libmbs neither prints nor exits" "$bad"
    bad=$(calls libmbsc.a | grep -vE '^(arena|scan|out)\.o:')
    [ -z "$bad" ] && pass "libmbsc neither prints nor exits" || fail "libmbsc neither prints nor exits" "$bad"
else
    skip "no nm"
fi

# --- a switch lists all values of its enum ---
bad=
for file in compiler/expr/*.c compiler/tape/*.c compiler/derive/*.c compiler/program/*.c compiler/emit/*.c runtime/*.c runtime/*/*.c; do
    bad="$bad$(${CC:-cc} -std=gnu11 -fsyntax-only -w -Wswitch-enum -Icompiler -Iruntime -I"$top_builddir" -I"$top_builddir/compiler" -I/usr/include/suitesparse \
        "$file" 2>&1 | grep -E 'Wswitch-enum' | cut -d: -f1,2 | sort -u)"
done
[ -z "$bad" ] && pass "switches over enums have no default" || fail "switches over enums have no default" "$bad"

# --- line length; text in strings may be longer, and what bison and flex have written into a tarball ---
bad=$(awk '{ code = $0; gsub(/"([^"\\]|\\.)*"/, "", code) } length(code) > 160 && FILENAME !~ /(parse|scan)\.[ch]$/ { print FILENAME ":" FNR }' compiler/*.[ch] compiler/*/*.[chly] compiler/*/*.def runtime/*.[ch] runtime/*/*.[ch])
[ -z "$bad" ] && pass "lines of at most 160 columns" || fail "lines of at most 160 columns" "$bad"

# --- no global state: sections of variables are empty (constants that are relocated stand in .data.rel.ro); compile.c has an empty
# compilation that says there is no memory, interpret/slots.c a table and says why ---
if command -v size >/dev/null; then
    bad=$(size -A "$top_builddir/libmbs.a" "$top_builddir/libmbsc.a" | awk '/:$|ex / { object = $1 } /^\.(data|bss) / && $2 > 0 { print object, $1, $2 }' | grep -vE '^((scan|compile)|libmbs_a-slots)\.o')
    [ -z "$bad" ] && pass "no global state in the libraries" || fail "no global state in the libraries" "$bad"
else
    skip "no size"
fi

# --- every function of the interface is misused by a test ---
bad=
for f in $(sed 's:/\*.*\*/::; /^ *\*/d; /^\/\*/d' runtime/mbs/mbs.h | grep -o '\bmbs_[a-z_]*(' | sort -u); do
    grep -qF "$f" tests/numeric/misuse.c || bad="$bad $f)"
done
[ -z "$bad" ] && pass "tests/numeric/misuse.c has every function of mbs.h" || fail "tests/numeric/misuse.c has every function of mbs.h" "$bad"

# --- only `mbs play` listens: containment lets every command accept what comes to a place that it listens at, and denies to make one ---
bad=$(grep -l 'sys/socket\.h' $(find compiler runtime driver -name '*.[ch]') | grep -vx driver/http.c; grep -l 'include "http.h"' driver/*.c | grep -vxE 'driver/(http|play)\.c')
grep -q 'listen(' driver/http.c && for call in socket bind listen connect; do grep -q "DENY_CALL($call)" driver/contain.c || bad="$bad contain.c: $call"; done
[ -z "$bad" ] && grep -q 'listen(' driver/http.c && pass "only mbs play listens" || fail "only mbs play listens" "$bad"

# --- every model that `mbs bench accuracy` names is installed with the bench ---
bad=
for model in $(sed -n '/^static const char \*const .*model/,/};/p' driver/bench/accuracy.c | grep -o '"[a-z_]*[",]' | tr -d '",'); do
    sed -n '/^dist_benchdata_DATA/,/[^\\]$/p' Makefile.am | grep -q "/$model\.mbs" || bad="$bad $model"
    tried=yes
done
[ -n "${tried-}" ] && [ -z "$bad" ] && pass "models of bench accuracy are installed" || fail "models of bench accuracy are installed" "$bad"
done_testing
