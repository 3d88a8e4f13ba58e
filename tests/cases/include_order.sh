#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Dependencies point one way: base < expr < tape < syntax < model < derive < program < emit < compile < main in the compiler;
# mbs/model.h is all that both halves share.  A file may include its own room and the rooms before it.
. "${top_srcdir:-.}/tests/tap.sh"
cd "$top_srcdir" || exit 99

rank() {
    case $1 in
    base) echo 1 ;; expr) echo 2 ;; tape) echo 3 ;; syntax) echo 4 ;; model) echo 5 ;; derive) echo 6 ;; program) echo 7 ;;
    emit) echo 8 ;; *) echo 0 ;;
    esac
}

for room in base expr tape syntax model derive program emit; do
    bad=
    mine=$(rank $room)
    for file in compiler/$room/*.[chly] compiler/$room/*.def; do
        [ -f "$file" ] || continue
        for header in $(sed -n 's/^ *# *include *"\([^"]*\)".*/\1/p' "$file"); do
            case $header in
            */*) other=$(rank "${header%%/*}") ;;
            config.h) continue ;;
            *) other=0; [ -f "compiler/$header" ] && other=9 ;;
            esac
            case $header in mbs/model.h | mbs/model.def|mbs/ops.def) other=0 ;; mbs/*) other=9 ;; esac
            [ "$other" -gt "$mine" ] && bad="$bad $file includes $header;"
        done
    done
    [ -z "$bad" ] && pass "compiler/$room includes its own room and earlier ones" || fail "compiler/$room" "$bad"
done

bad=$(grep -ln '^ *# *include *"\(compile.h\|base/\|expr/\|tape/\|syntax/\|model/\|derive/\|program/\|emit/\)' runtime/*.[ch] runtime/*/*.[ch] 2>/dev/null)
[ -z "$bad" ] && pass "the runtime knows nothing of the compiler" || fail "the runtime knows nothing of the compiler" "$bad"
bad=$(grep -nE '(^|[^a-z_])(f?printf|f?puts|putchar|exit|abort) *\(' compiler/derive/*.c compiler/program/*.c compiler/emit/*.c compiler/compile.c | grep -v "^compiler/emit/dump.c")
[ -z "$bad" ] && pass "derive, program, emit and compile neither print nor exit" || fail "derive, program, emit and compile neither print nor exit" "$bad"
done_testing
