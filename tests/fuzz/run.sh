#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Fuzzing with clang's libFuzzer under the sanitizers: the compiler, its front end, the formatter, the readers of data, parameters, robots.
#
#     make fuzz TIME=600              so many seconds for each; findings and a corpus stay in fuzz/
#     make fuzz ONLY='csv params'     only these
#
# The corpus is the small models, examples, golden and faulty models, data and robots of the tree.  It needs a
# build of its own, so that `make check` does it only with FUZZ=1.  What was ever found is in tests/fuzz/found.
. "${top_srcdir:-.}/tests/tap.sh"
seconds=${TIME-20} clang=${CLANG:-clang}
if [ -z "${FUZZ-}" ] || ! echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return (int)n*0*d[0]; }' |
    $clang -x c -fsanitize=fuzzer,address - -o "$tmp/probe" 2>/dev/null; then
    skip "make fuzz runs the fuzzers, with clang"
    done_testing
    exit
fi
here=$PWD/fuzz
mkdir -p "$here/o" "$here/corpus" "$here/data"
flags="-g -O1 -std=gnu11 -w -fno-sanitize-recover=undefined -DHAVE_CONFIG_H -I$top_builddir -I$top_builddir/compiler -I$top_builddir/driver
    -I$top_srcdir/compiler -I$top_srcdir/runtime -I$top_srcdir/driver -DMBS_CC=\"cc\""
cd "$top_srcdir" || exit 99
sources="$(find compiler -name '*.c' ! -name main.c ! -name parse.c ! -name scan.c ! -path compiler/emit/abi.c ! -name eval_quad.c ! -path 'compiler/roll/text/*')"
made="$(find "$top_builddir/compiler" -name '*.c')"
driver="driver/csv.c driver/params.c driver/json.c driver/spawn.c driver/interrupt.c driver/settings.c driver/mesh.c driver/mesh_dae.c driver/mesh_solid.c $(echo driver/import/*.c)"
flags="$flags $(xml2-config --cflags 2>/dev/null || pkg-config --cflags libxml-2.0)"
for f in $sources $driver; do echo "$f $(echo "$f" | tr / _ | sed 's/c$/o/')"; done >"$tmp/list"
for f in $made; do echo "$f made_$(basename "$f" .c).o"; done >>"$tmp/list"
export clang flags here
xargs -P 2 -L 1 sh -c '[ "$here/o/$1" -nt "$0" ] || $clang $flags -fsanitize=fuzzer-no-link,address,undefined -c "$0" -o "$here/o/$1"' <"$tmp/list" || exit 99
# small ones: many executions find more than long ones
mkdir -p "$here/small" "$here/robots" "$here/values"
find models examples tests/golden tests/errors tests/cases -name '*.mbs' -size -3k -exec cp {} "$here/corpus" \;
find "$here/corpus" -size -700c -exec cp {} "$here/small" \;
cp tests/data/*.csv tests/data/*.txt examples/*.csv tests/errors/*.csv "$here/data" 2>/dev/null
find tests/import \( -name '*.urdf' -o -name '*.xml' -o -name '*.sdf' -o -name '*.sd' \) -size -12k -exec cp {} "$here/robots" \;
printf '{"l": 0.3, "m": [1, 2]}' >"$here/values/json"
printf '# a note\nl = 0.3    # m\nm = [1, 2_000]\n"arm.m" = 1e-3\n' >"$here/values/toml"
for d in corpus small data robots values; do [ -d tests/fuzz/found/$d ] && cp tests/fuzz/found/$d/* "$here/$d"; done
sed -n 's/^STATEMENT([^"]*"\([a-z]*\)".*/"\1 "/p' compiler/syntax/statement.def >"$here/words"
printf '"norm2("\n"dot("\n"^2"\n"[1]"\n"{ "\n" }"\n" @ "\n"1e300"\n"l = "\n"m["\n"_0"\n' >>"$here/words"
grep -oh '<[a-z_]*\|[a-z_]*=\\"' driver/import/*.c tests/import/*.urdf tests/import/*.xml tests/import/*.sdf | sort -u | grep '<..' | sed 's/.*/"&"/' >"$here/words-import"
libs="-lm -ldl -lxml2"
echo 'int main(void){return 0;}' | $clang -x c - -lquadmath -o "$tmp/probe" 2>/dev/null && libs="$libs -lquadmath"

# what, corpus, longest input: the whole compiler gets small models, the front end longer ones
while read -r what corpus limit; do
    case " ${ONLY-$what} " in *" $what "*) ;; *) continue ;; esac
    dictionary=words
    [ $what = import ] && dictionary=words-import
    $clang $flags -DFUZZ_$what -fsanitize=fuzzer,address,undefined tests/fuzz/harness.c "$here"/o/*.o $libs -o "$here/fuzz-$what" 2>"$tmp/err" ||
        { fail "fuzz-$what builds" "$(tail -n 5 "$tmp/err")"; continue; }
    mkdir -p "$here/new-$what"
    (cd "$here" && ASAN_OPTIONS=detect_leaks=0 nice "./fuzz-$what" -dict=$dictionary -max_len=$limit -timeout=20 -rss_limit_mb=2500 -max_total_time="$seconds" -print_final_stats=1 \
        "new-$what" "$corpus" >"log-$what" 2>&1)
    status=$?
    echo "# $what: $(sed -n 's/^stat::number_of_executed_units: *//p' "$here/log-$what") executions in $seconds s"
    if [ $status = 0 ]; then pass "fuzz-$what"; else fail "fuzz-$what" "$(grep -E 'ERROR|SUMMARY|Test unit' "$here/log-$what" | head -n 5)"; fi
done <<END
compiler small 700
model corpus 3000
format corpus 3000
csv data 3000
params values 400
import robots 12000
END
done_testing
