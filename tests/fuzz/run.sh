#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Fuzzing with clang's libFuzzer under the sanitizers: the compiler, its front end, the formatter, the readers (see harness.c).
#
#     make fuzz TIME=600              so many seconds for each; findings and a corpus stay in fuzz/ (a corpus not with RUNS)
#     make fuzz RUNS=10000000         so many executions of each instead
#     make fuzz ONLY='csv params'     only these
#
# The corpus is small.txt (small models with everything in them), examples, golden and faulty models, data and robots of the tree.  It needs a
# build of its own, so that `make check` does it only with FUZZ=1.  What was ever found is in tests/fuzz/found.
#
# What makes it fast: texts of a few hundred bytes for most runs and long ones for a tenth of the time or a five hundredth of the runs; coverage by edges alone, since the
# dictionary has the words that comparisons would teach; counters of the code that a harness calls, nothing else; small numbers, since loops are
# made of them; models that cost a tenth of a second (dear) among the long texts of the compiler; no file for each new text of a round; a quarantine that
# stays in the processor's cache; no stack kept with each allocation (run a finding again without ASAN_OPTIONS to have it).
. "${top_srcdir:-.}/tests/tap.sh"
seconds=${TIME-20} runs=${RUNS--1} clang=${CLANG:-clang}
if [ -z "${FUZZ-}" ] || ! echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return (int)n*0*d[0]; }' |
    $clang -x c -fsanitize=fuzzer,address - -o "$tmp/probe" 2>/dev/null; then
    skip "make fuzz runs the fuzzers, with clang"
    done_testing
    exit
fi
[ "$runs" = -1 ] || seconds=0
here=$PWD/fuzz
mkdir -p "$here/o"
# optional libraries are not ours to judge; libxml2 is what the readers of robots stand on
grep -v 'HAVE_\(GSL\|KLU\|LAPACK\|SUNDIALS\|NLOPT\|HDF5\|ZLIB\)' "$top_builddir/config.h" >"$tmp/config.h"
cmp -s "$tmp/config.h" "$here/config.h" || cp "$tmp/config.h" "$here"
flags="-g -O2 -std=gnu11 -w -fno-sanitize-recover=undefined -DHAVE_CONFIG_H -I$here -I$top_builddir -I$top_builddir/compiler -I$top_builddir/driver
    -I$top_srcdir/compiler -I$top_srcdir/runtime -I$top_srcdir/driver -DMBS_CC=\"cc\" -fsanitize=address,undefined"
coverage=-fsanitize-coverage=inline-8bit-counters,pc-table
cd "$top_srcdir" || exit 99
sources="$(find compiler -name '*.c' ! -name main.c ! -name parse.c ! -name scan.c ! -path compiler/emit/abi.c ! -name eval_quad.c ! -path 'compiler/roll/text/*')"
runtime="$(find runtime -name '*.c' ! -path 'runtime/fmu/*')"
made="$(find "$top_builddir/compiler" -name '*.c')"
driver="driver/csv.c driver/hdf5.c driver/params.c driver/json.c driver/spawn.c driver/interrupt.c driver/settings.c driver/fmt.c driver/study/plan.c driver/study/normal.c $(echo driver/mesh*.c driver/import/*.c driver/lsp/*.c)"
flags="$flags $(xml2-config --cflags 2>/dev/null || pkg-config --cflags libxml-2.0)"
for f in $sources $runtime $driver; do echo "$f $(echo "$f" | tr / _ | sed 's/c$/o/')"; done >"$tmp/list"
for f in $made; do echo "$f made_$(basename "$f" .c).o"; done >>"$tmp/list"
export clang flags coverage here
# an object is made again if any header is newer, too
newest=$(find compiler runtime driver -name '*.h' -o -name '*.def' | xargs ls -t | head -n 1)
export newest
xargs -P 2 -L 1 sh -c 'o=$here/o/$1; [ "$o" -nt "$0" ] && [ "$o" -nt "$newest" ] ||
    $clang $flags $coverage -c "$0" -o "$o"' <"$tmp/list" || exit 99
rm -f "$here/ours.a"
ar cr "$here/ours.a" "$here"/o/*.o || exit 99

# Texts to begin with: short ones in short/, others in long/
texts() { # texts WHAT FILE...
    to=$1
    shift
    for f; do
        size=$(wc -c <"$f")
        if [ "$size" -le 500 ]; then cp "$f" "$here/short-$to"; elif [ "$size" -le 12000 ]; then cp "$f" "$here/long-$to"; fi
    done
}
for w in models data values robots meshes tapes letters plans journals; do mkdir -p "$here/short-$w" "$here/long-$w"; done
awk -v RS= -v to="$here/short-models/small" '{ print >(to NR); close(to NR) }' tests/fuzz/small.txt
mkdir -p "$here/short-cheap" "$here/long-cheap"
texts models $(find models examples tests/golden tests/errors tests/cases -name '*.mbs' -size -3k)
texts data tests/data/*.csv tests/data/*.txt examples/*.csv tests/errors/*.csv
texts robots $(find tests/import -name '*.urdf' -o -name '*.xml' -o -name '*.sdf' -o -name '*.sd')
printf '{"l": 0.3, "m": [1, 2]}' >"$here/short-values/json"
printf '# a note\nl = 0.3    # m\nm = [1, 2_000]\n"arm.m" = 1e-3\n' >"$here/short-values/toml"
printf '<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0 0 1" rpy="0 0 1.57"/><axis xyz="0 0 1"/><limit lower="-1" upper="1"/></joint></robot>' >"$here/short-robots/urdf"
printf '<mujoco><worldbody><body pos="0 0 1"><joint type="hinge" axis="0 1 0" range="-1 1"/><geom type="box" size="1 1 1"/>
<body name="b"><freejoint/><geom type="sphere" size="1"/></body></body></worldbody></mujoco>' >"$here/short-robots/mjcf"
printf '<sdf version="1.7"><model name="m"><link name="a"><pose>0 0 1 0 0 0</pose></link><link name="b"/>
<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint></model></sdf>' >"$here/short-robots/sdf"
printf 'gravity = 0 0 -9.81\nbody = a inb = $ground joint = pin\nmass = 1 inertia = 1 1 1\nbodytojoint = 0 0 0 inbtojoint = 0 0 1\npin = 0 1 0\n' >"$here/short-robots/sdfast"
printf 'Lsolid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid\n' >"$here/short-meshes/stl"
printf 'Mv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nf 1 2 3 4\nf 1/1/1 2//2 5\nf -1 -2 -3\n' >"$here/short-meshes/obj"
printf 'N<COLLADA><library_geometries><geometry id="g"><mesh><source id="p"><float_array id="f" count="9">0 0 0 1 0 0 0 1 0</float_array></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices><triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene><node><translate>1 0 0</translate><instance_geometry url="#g"/></node></visual_scene></library_visual_scenes></COLLADA>' >"$here/short-meshes/dae"
{ printf 'O\003\0\0\0\0\0\0\0\0\0\0\0\001\0\0\0'; head -c 36 /dev/zero; printf '\0\0\0\0\001\0\0\0\002\0\0\0'; } >"$here/short-meshes/msh"
{ printf 'L'; head -c 80 /dev/zero; printf '\001\0\0\0'; head -c 50 /dev/zero; } >"$here/short-meshes/stl-binary"
for f in examples/pendulum.mbs tests/fuzz/point.mbs "$here"/short-models/small*; do # their tapes, without what is said above them
    "$top_builddir/mbsc" --tapes "$f" -o "$tmp/t" 2>/dev/null || continue
    sed '1,/\*\//d' "$tmp/t" >"$tmp/rows"
    size=$(wc -c <"$tmp/rows")
    if [ "$size" -le 3500 ]; then cp "$tmp/rows" "$here/short-tapes/$(basename "$f")"; elif [ "$size" -le 12000 ]; then cp "$tmp/rows" "$here/long-tapes/$(basename "$f")"; fi
done
# short letters: a text is opened, and one thing is asked of it
for f in tests/lsp/*.jsonl; do
    grep -v initialize $f >"$here/long-letters/$(basename $f)"
    sed 's/planar.*S.force/param l = 1\\ncoord phi\\nkinetic phi'"'"'^2/; s/"line":1*[0-9]/"line":1/g; s/"character":[0-9]*/"character":6/g' $f |
        awk -v to="$here/short-letters/$(basename $f)" '/initialize/ { next } /didOpen/ { open = $0; next } { f = to "." NR; print open "\n" $0 >f; close(f) }'
done
n=0
for p in '- -1\nl=1,2,5\nk=0:1:11' 'random 100\nl=1..2\nm[1]=+-1%%\nk=5+-0.1' 'latin 50\n*=+-10%%\narm.m=uniform(0,1)' 'latin 9\nl=normal(1,0.1)\nk=lognormal(0,1)\nx_1=triangle(0,1,3)' \
    'random 3\nl\narm.m' 'indices 7\nl=0..1' 'sobol 5\nk=1..2' 'list\nl,k [N/m]\n1,2\n3,4'; do
    n=$((n + 1))
    printf -- "$p" >"$here/short-plans/$n"
done
for h in '1 1 0 1' '2 3 0 1' '3 100 1 4' '2147483647 9223372036854775807 0 2147483647'; do
    { printf 'mbs study 3 0123456789abcdef %s\n' "$h"; head -c 100 /dev/zero; printf '12345678901234567890'; } >"$here/short-journals/$(echo $h | tr ' ' -)"
done
printf '"uniform("\n"normal("\n"lognormal("\n"triangle("\n"+-"\n".."\n"random "\n"latin "\n"grid "\n"list\\x0a"\n"1e308"\n"-1e308:1e308:3"\n"%%"\n"arm.m="\n' >"$here/words-plans"
printf '"mbs study 3 "\n"2147483647"\n"9223372036854775807"\n" -1"\n" 4294967297"\n' >"$here/words-journals"
for d in tests/fuzz/found/*; do [ -d "$d" ] && texts "$(basename "$d")" $(find "$d" -type f); done
for f in "$here"/short-models/* "$here"/long-models/*; do
    if grep -q '# dear$' "$f"; then cp "$f" "$here/long-cheap"; else cp "$f" "$here/$(basename "$(dirname "$f")" | sed 's/models/cheap/')"; fi
done
sed -n 's/^STATEMENT([^"]*"\([a-z]*\)".*/"\1 "/p' compiler/syntax/statement.def >"$here/words"
sed -n 's/.*[( ]"\([a-z_][a-z_]*\)".*/"\1"/p' compiler/model/parts.def | sort -u >>"$here/words"
sed -n 's/^[A-Z]*(\([a-z0-9][a-z0-9]*\),.*/"\1("/p' runtime/mbs/ops.def | sort -u >>"$here/words"
printf '"norm2("\n"dot("\n"^2"\n"[1]"\n"{ "\n" }"\n" @ "\n"1e300"\n"l = "\n"m["\n"_0"\n' >>"$here/words"
grep -oh '<[a-z_]*\|[a-z_]*=\\"' driver/import/*.c tests/import/*.urdf tests/import/*.xml tests/import/*.sdf | sort -u | grep '<..' | sed 's/.*/"&"/' >"$here/words-robots"
printf '"facet normal "\n"vertex "\n"<triangles "\n"<polylist "\n"<vcount>"\n"<matrix>"\n"count=\\""\n"url=\\"#"\n"f "\n"v "\n"o "\n"1e38 "\n"nan "\n' >"$here/words-meshes"
grep -oh '\.[a-z_]* = \|[a-z]*_[0-9]*' "$here"/short-tapes/* | sort -u | head -n 150 | sed 's/.*/"&"/' >"$here/words-tapes"
grep -oh '"[a-zA-Z]*/[a-zA-Z]*"\|"[a-zA-Z]*":' "$here"/short-letters/* | sort -u | sed 's/"/\\"/g; s/.*/"&"/' >"$here/words-letters"
libs="-lm -ldl -lxml2"
for hook in memcmp strcmp strncmp strcasecmp strncasecmp strstr strcasestr memmem; do libs="$libs -Wl,--defsym=__sanitizer_weak_hook_$hook=learn_nothing"; done
echo 'int main(void){return 0;}' | $clang -x c - -lquadmath -o "$tmp/probe" 2>/dev/null && libs="$libs -Wl,--as-needed -lquadmath"

cpu() { awk '{ split($1, a, /[ms]/); split($2, b, /[ms]/); s = 60*(a[1] + b[1]) + a[2] + b[2] } END { printf "%d", s }' "$tmp/times"; }
# part SECONDS RUNS LONGEST TEXTS: one run; adds to executions and accepted
part() {
    begin="new-$what $4"
    [ "$2" = -1 ] || { (cd "$here" && find $4 -type f | sort | paste -sd,) >"$tmp/seeds" && begin="-seed_inputs=@$tmp/seeds"; }     # no file for each new text
    (cd "$here" && ASAN_OPTIONS=detect_leaks=0:malloc_context_size=0:quarantine_size_mb=4:allocator_release_to_os_interval_ms=-1 "./fuzz-$what" \
        -dict=$dictionary -max_len=$3 -entropic=0 -print_funcs=0 -mutate_depth=3 -timeout=60 -rss_limit_mb=2500 -max_total_time=$1 -runs=$2 -print_final_stats=1 $begin >"log-$what" 2>&1)
    status=$?
    n=$(sed -n 's/^stat::number_of_executed_units: *//p' "$here/log-$what")
    executions=$((executions + ${n:-0}))
    n=$(sed -n 's/^stat::accepted: *//p' "$here/log-$what")
    accepted=$((accepted + ${n:-0}))
    return $status
}
# rounds SECONDS RUNS LONGEST TEXTS: so many runs in rounds that begin with the texts anew, since a corpus that has grown for long is one of slow inputs
rounds() {
    left=$2
    [ $left -gt 0 ] || { part "$@"; return; }
    while [ $left -gt 0 ]; do
        part $1 $((left > 500000 ? 500000 : left)) $3 "$4" || return
        left=$((left - 500000))
        echo "$what: $executions executions, $accepted accepted" >>"$here/progress"
    done
}
while read -r what corpus short long; do
    case " ${ONLY-$what} " in *" $what "*) ;; *) continue ;; esac
    dictionary=words
    [ -s "$here/words-$corpus" ] && dictionary=words-$corpus
    { $clang $flags $coverage -DFUZZ_$what -c tests/fuzz/harness.c -o "$here/$what.o" &&
        $clang -fsanitize=fuzzer,address,undefined -Wl,--allow-multiple-definition "$here/$what.o" "$here/ours.a" $libs -o "$here/fuzz-$what"; } 2>"$tmp/err" ||
        { fail "fuzz-$what builds" "$(tail -n 5 "$tmp/err")"; continue; }
    mkdir -p "$here/new-$what"
    times >"$tmp/times"
    before=$(cpu) executions=0 accepted=0
    rounds $((seconds - seconds / 10)) $((runs < 0 ? -1 : runs - runs / 500)) $short short-$corpus &&
        rounds $((seconds ? seconds / 10 + 1 : 0)) $((runs < 0 ? -1 : runs / 500)) $long "short-$corpus long-$corpus"
    status=$?
    times >"$tmp/times"
    echo "# $what: $executions executions, $accepted of them accepted, in $(($(cpu) - before)) s of processor time"
    if [ $status = 0 ]; then pass "fuzz-$what"; else fail "fuzz-$what" "$(grep -E 'ERROR|SUMMARY|Test unit' "$here/log-$what" | head -n 5)"; fi
done <<END
compiler cheap 300 700
model models 300 3000
format models 300 3000
csv data 200 3000
params values 200 400
import robots 600 12000
mesh meshes 600 4000
tapes tapes 3600 12000
lsp letters 900 6000
plan plans 150 400
journal journals 200 1000
END
done_testing
