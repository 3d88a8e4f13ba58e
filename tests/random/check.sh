#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# check.sh DIRECTORY: all checks of the model that generate wrote there.  The first that fails is named in one line, with its
# status in words that stay the same while the model is reduced; exit status 1.
#   mbsc       the model is valid, and mbsc neither crashes nor runs for ever
#   gcc clang  generated code has no warning under strict flags (clang and, for most long code if tcc makes the object, gcc look at the text only)
#   compare    everything it computes agrees with the energies in 128-bit arithmetic (with extern functions: with inlined ones)
#   fmt        formatting changes nothing but the layout, and a second time nothing
#   absolute   absolute coordinates start with the same accelerations
#   held       an element between two places that a joint holds together is refused, in both kinds of coordinates
# The environment names mbs and mbsc (in top_builddir) and CC, CLANG; CHECKS is a list of checks to do.
dir=$1
here=$top_builddir/tests/random
checks=${CHECKS:-mbsc gcc clang compare fmt absolute held}
flags="-std=c11 -pedantic -Wall -Wextra -Werror -fPIC -I$top_srcdir/runtime"
XDG_CACHE_HOME=$dir/cache
export XDG_CACHE_HOME
cd "$dir" || exit 2

wants() { case " $checks " in *" $1 "*) ;; *) return 1 ;; esac }
bad() { # bad CHECK FILE: the first line that says what is wrong, without numbers and names
    echo "$1: $(grep -m 1 -iE 'error|wrong|fault|signal|differ|:' "$2" | sed -e "s/'[^']*'/NAME/g" -e 's/‘[^’]*’/NAME/g' -e 's/[0-9][0-9.e+-]*/N/g' -e 's/  */ /g' | cut -c 1-120)"
    exit 1
}
# Elements between places that several joints hold together, and wheels between places that do not move, which the generator does not know of, are refused: on
# without them.
leave_out() {
    sed -n -e 's/^[a-z]*\.mbs:\([0-9]*\):.* error: both ends of .* are one place.*/\1d/p' -e 's/^[a-z]*\.mbs:\([0-9]*\):.* error: nothing that moves changes .*/\1d/p' out >one_place
    [ -s one_place ] || return 1
    for file in model.mbs absolute.mbs; do
        [ ! -f $file ] || { sed -f one_place $file >kept && mv kept $file; }
    done
}
# build FLAGS MODEL NAME: NAME.c by mbsc and NAME.so
build() {
    (ulimit -t 60; exec "$top_builddir/mbsc" $1 "$2" -o "$3.c") >out 2>&1
    status=$?
    [ $status -lt 2 ] || { echo "signal $status" >out; bad mbsc out; }
    [ $status = 0 ] || { leave_out && build "$@" && return; bad mbsc out; }
    wants gcc || wants compare || wants absolute || return 0
    level=-O1 states=4 jacobians=
    size=$(wc -c <"$3.c")           # long code is dear to compile and to check
    if [ "$size" -ge 15000 ]; then level=-O0 jacobians=--directions; fi
    [ "$size" -lt 60000 ] || states=2
    extern=
    [ ! -f extern.c ] || extern=extern.c
    if [ "$level" = -O0 ] && [ $((size % 8)) != 0 ] && command -v tcc >/dev/null && tcc -shared -fPIC -I"$top_srcdir/runtime" "$3.c" $extern -o "$3.so" >out 2>&1; then
        level=-fsyntax-only         # tcc, where there is one, takes a tenth of the time; all warnings but those of the optimiser come at once
    fi
    if [ "$level" = -fsyntax-only ]; then
        ${CC:-cc} $flags $level "$3.c" >out 2>&1 || bad gcc out
    else
        ${CC:-cc} $flags $level -shared "$3.c" $extern -o "$3.so" -lm >out 2>&1 || bad gcc out
    fi
    if wants clang && command -v "${CLANG:-clang}" >/dev/null; then
        "${CLANG:-clang}" $flags -fsyntax-only "$3.c" >out 2>&1 || bad clang out
    fi
}

build "$(cat flags 2>/dev/null)" model.mbs model
if wants compare; then
    if [ -f inlined.mbs ]; then     # first the one whose terms are all known: they are the scale
        "$top_builddir/mbs" compare inlined.mbs model.mbs --with extern.c -O0 --states 200 >out 2>&1 || bad compare out
    else
        (ulimit -t 120; exec "$top_builddir/mbs" compare model.mbs ./model.so $jacobians --states "${STATES:-$states}") >out 2>&1
        case $? in
        0) ;;
        1) grep -E 'WRONG|error' out >out2; bad compare out2 ;;
        *) echo "error: a signal" >out; bad compare out ;;
        esac
    fi
fi
if wants fmt; then
    "$top_builddir/mbs" fmt - <model.mbs >once.mbs 2>out && "$top_builddir/mbs" fmt - <once.mbs >twice.mbs 2>out || bad fmt out
    cmp once.mbs twice.mbs >out 2>&1 || bad "fmt: twice" out
    "$top_builddir/mbsc" --dump=model model.mbs 2>out | sed 's/ *# line.*//' >before
    "$top_builddir/mbsc" --dump=model once.mbs 2>out | sed 's/ *# line.*//' >after
    cmp before after >out 2>&1 || bad "fmt: model" out
fi
if wants absolute && [ -f absolute.mbs ]; then
    build "" absolute.mbs absolute
    "$here/start" ./model.so ./absolute.so "$(sed -n 's/^model \([a-z0-9]*\).*/\1/p' model.mbs)_model" >out 2>&1
    case $? in
    0) ;;
    77) echo "no start: $(head -n 1 out)" >>note ;;
    *) bad absolute out ;;
    esac
fi
if wants held && [ -f held ]; then
    for file in model.mbs absolute.mbs; do
        [ -f $file ] || continue
        cat $file held >held.mbs
        "$top_builddir/mbsc" --dump=model held.mbs >/dev/null 2>out
        [ "$(grep -c 'error: both ends of the damper are one place' out)" = "$(wc -l <held)" ] || bad held out
    done
fi
exit 0
