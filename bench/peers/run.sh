#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Whole integrations of squeezer and crank by libmbs and by other people's integrators, which get the same generated C, the
# same start and the same measure of accuracy, all in one run; `make bench-peers` calls it in the build directory.
#
#   run.sh [-o DIR] [-m 'MODEL...'] [-s 'SOLVER...'] [-t 'TOLERANCE...'] [-n] [-1]
#
# DIR (./bench-peers) gets peers.csv, a line a run; peers.md, the summary; peers-MODEL.svg and .png, the work-precision
# diagrams.  SOLVER: mbs GSL IDA CVODE ARKODE RADAU5 DASPK SciPy.  -n: count no instructions (callgrind).  -1: measure each
# run once.  A peer that is not installed is named and left out.  PYTHON is an interpreter with SciPy.
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
top_builddir=${top_builddir:-$PWD}
here=$top_srcdir/bench/peers
CC=${CC:-cc} PYTHON=${PYTHON:-python3}
dir=bench-peers models='squeezer crank' solvers='mbs GSL IDA CVODE ARKODE RADAU5 DASPK SciPy' count=yes
tolerances='1e-3 1e-4 1e-5 1e-6 1e-7 1e-8 1e-9 1e-10 1e-11 1e-12 1e-13' limit=60 once=
while getopts o:m:s:t:n1 option; do
    case $option in
    o) dir=$OPTARG ;;
    m) models=$OPTARG ;;
    s) solvers=$OPTARG ;;
    t) tolerances=$OPTARG ;;
    n) count=no ;;
    1) once=-1 RUNS=1; export RUNS ;;
    *) exit 2 ;;
    esac
done
tmp=$(mktemp -d "${TMPDIR:-/tmp}/mbs-bench.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$dir" || exit 1
csv=$dir/peers.csv
: >"$tmp/versions"
: >"$tmp/missing"

wanted() { case " $solvers " in *" $1 "*) ;; *) false ;; esac; }
say() { echo "bench-peers: $*" >&2; }
missing() { say "$1: not installed ($2), left out"; echo "- $1: not installed here (\`$2\`), left out" >>"$tmp/missing"; }
version() { echo "- $1" >>"$tmp/versions"; }

# --- the models and the programs ------------------------------------------------------------------------------------
"$top_builddir/mbsc" --help | grep -q -e '--solver' && emit=--solver
libs=$(sed -n 's/^Libs.private://p' "$top_builddir/runtime/mbs.pc")
gsl=$(pkg-config --libs gsl 2>/dev/null || echo -lgsl -lgslcblas)
build() { # OUTPUT MODEL SOURCE... -- FLAG...: of bench/peers, with the model and its problem
    output=$1 name=$2
    shift 2
    sources=
    while [ "$1" != -- ]; do sources="$sources $here/$1"; shift; done
    shift
    # shellcheck disable=SC2086
    $CC -O2 -I"$top_srcdir/runtime" -I"$here" -DMODEL="${name}_model" $sources "$here/problem.c" "$tmp/$name.c" \
        -o "$tmp/$output" "$@" -lm 2>"$tmp/err"
}
sundials='-lsundials_nvecserial -lsundials_sunlinsoldense -lsundials_sunmatrixdense'

for model in $models; do
    say "$model: generating and compiling"
    "$top_builddir/mbsc" ${emit-} "$top_srcdir/models/$model.mbs" -o "$tmp/$model.c" || exit 1
    # shellcheck disable=SC2086
    {
        build "start.$model" "$model" start.c -- "$top_builddir/libmbs.a" $libs $gsl || { cat "$tmp/err" >&2; exit 1; }
        build "mbs.$model" "$model" mbs.c measure.c -- "$top_builddir/libmbs.a" $libs $gsl || { cat "$tmp/err" >&2; exit 1; }
        build "model_$model.so" "$model" desolve.c -- -fPIC -shared || { cat "$tmp/err" >&2; exit 1; }
        klu=klu
        build "ida.$model" "$model" ida.c measure.c -- -DHAVE_KLU -I/usr/include/suitesparse $sundials -lsundials_ida \
            -lsundials_sunlinsolklu -lsundials_sunmatrixsparse -lklu || {
            klu=dense
            build "ida.$model" "$model" ida.c measure.c -- $sundials -lsundials_ida
        }
        build "ode.$model" "$model" sundials_ode.c measure.c -- $sundials -lsundials_cvode -lsundials_arkode -lsundials_sunnonlinsolfixedpoint
    }
    "$tmp/start.$model" >"$tmp/$model.start" || exit 1
    cp "$top_srcdir/tests/data/$model.txt" "$tmp/$model.reference"
    # Forms that keep the position constraint start on it: the crank's published start violates it by 2e-10.
    if [ -f "$top_srcdir/tests/data/${model}_projected.txt" ]; then
        cp "$top_srcdir/tests/data/${model}_projected.txt" "$tmp/${model}_projected.reference"
        awk '!/^#/ { print $4 }' "$tmp/${model}_projected.reference" | head -n "$(wc -l <"$tmp/$model.start")" >"$tmp/${model}_projected.start"
    fi
done

# --- the runs ---------------------------------------------------------------------------------------------------------
# Each of these prints lines "tolerance,scd,ms,steps,f,jac,remark" for the tolerances; the problem starts from $from.
# shellcheck disable=SC2086
run_mbs() { timeout $limit "$tmp/mbs.$model" $once "$tmp/$from.start" "$tmp/$from.reference" index1 "$1:$2" $asked; }
# shellcheck disable=SC2086
run_ida() { timeout $limit "$tmp/ida.$model" $once "$tmp/$from.start" "$tmp/$from.reference" "$1" "$2" $asked; }
# shellcheck disable=SC2086
run_ode() { timeout $limit "$tmp/ode.$model" $once "$tmp/$from.start" "$tmp/$from.reference" index1 "$1" $asked; }
run_desolve() {
    : >"$tmp/R.out"
    # shellcheck disable=SC2086
    timeout $limit Rscript --vanilla "$here/desolve.R" "$tmp/model_$model.so" "$tmp/$from.start" "$tmp/$from.reference" "$2" "$1" \
        "$tmp/R.out" $asked >"$tmp/R.log"
    status=$?
    cat "$tmp/R.out"
    return $status
}
# shellcheck disable=SC2086
run_scipy() { LIMIT=6 timeout $limit "$python" "$here/scipy_peer.py" "$tmp/model_$model.so" "$tmp/$from.start" "$tmp/$from.reference" "$1" $asked; }

start() { # FORM: which start and reference belong to it
    from=$model
    case $1 in
    index3* | ggl* | projected* | auto) [ ! -f "$tmp/${model}_projected.start" ] || from=${model}_projected ;;
    esac
}

# record SIDE SOLVER LABEL FORM COMMAND...: lines of peers.csv.  The name of the form decides on the start.
record() {
    side=$1 solver=$2 label=$3 asked=${few:-$tolerances}
    start "$4"
    say "$pass/${passes##* } $model: $solver $label"
    shift 4
    "$@" >"$tmp/out" 2>"$tmp/err"
    status=$?
    for tolerance in $asked; do
        line=$(grep "^$tolerance," "$tmp/out")
        if [ -z "$line" ] && [ $status -eq 124 ]; then
            line="$tolerance,,,,,,stopped: the series took more than $limit s"
        elif [ -z "$line" ]; then
            line="$tolerance,,,,,,failed: $(tail -n 1 "$tmp/err" | tr ',' ';')"
        fi
        echo "$model,$side,$solver,$label,$line" >>"$tmp/all.csv"
    done
}
mbs() { for form in $2; do record mbs "$1" "$form" "$form" run_mbs "$1" "$form"; done; }

without() { for gone; do solvers=$(echo " $solvers " | sed "s/ $gone / /"); done; }
if wanted IDA || wanted CVODE || wanted ARKODE; then
    if [ -x "$tmp/ida.${models%% *}" ] && [ -x "$tmp/ode.${models%% *}" ]; then
        version "$(echo '#include <sundials/sundials_config.h>
            SUNDIALS_VERSION' | $CC -E - 2>/dev/null | tail -n 1 | sed 's/.*"\(.*\)"/SUNDIALS \1/')"
    else
        missing SUNDIALS libsundials-dev
        without IDA CVODE ARKODE
    fi
fi
if wanted RADAU5 || wanted DASPK; then
    if said=$(Rscript --vanilla -e 'library(deSolve); cat("deSolve", format(packageVersion("deSolve")), "in", R.version.string)' 2>/dev/null); then
        version "$said"
    else
        missing deSolve r-cran-desolve
        without RADAU5 DASPK
    fi
fi
if wanted SciPy; then
    for python in "$PYTHON" python3 /usr/bin/python3 ''; do
        [ -z "$python" ] || ! "$python" -c 'import scipy.integrate' 2>/dev/null || break
    done
    if [ -n "$python" ]; then
        version "$("$python" -c 'import platform, scipy, numpy
print("SciPy", scipy.__version__, "with NumPy", numpy.__version__, "in Python", platform.python_version())')"
    else
        missing SciPy python3-scipy
        without SciPy
    fi
fi

wanted GSL && version "GSL $(pkg-config --modversion gsl 2>/dev/null || gsl-config --version)"

echo 'problem,side,solver,form,tolerance,scd,ms,steps,f,jac,remark' >"$tmp/all.csv"
coarse=$(echo "$tolerances" | tr ' ' '\n' | awk '$1 >= 0.9e-6' | tr '\n' ' ')
# All of it three times, since the machine's pace changes from minute to minute; SciPy's long runs once.
[ -n "$once" ] && passes=1 || passes='1 2 3'
for pass in $passes; do
    for model in $models; do
        if wanted mbs; then
            mbs dop853 "index1 projected"
            mbs dopri5 "index1 projected"
            mbs radau "index1 index2 index3 ggl"
            mbs radau5 "index1 index2 index3 ggl"
            mbs halfexplicit "index2 projected"
            few=$coarse mbs genalpha ggl       # of order 2
            mbs auto auto
        fi
        if wanted GSL; then
            record peer "GSL rk8pd" index1 index1 run_mbs gsl-rk8pd index1
            record peer "GSL msadams" index1 index1 run_mbs gsl-msadams index1
        fi
        if wanted IDA; then
            for form in index1 index2 ggl; do
                record peer IDA "$form $klu" $form run_ida $form $klu
                record peer IDA "$form $klu loose" $form run_ida $form $klu-loose
                [ $klu = dense ] || record peer IDA "$form dense" $form run_ida $form dense
            done
            few=$(echo "$coarse" | cut -d' ' -f1,2) record peer IDA "index3 $klu" index3 run_ida index3 $klu-loose
        fi
        if wanted CVODE; then
            record peer CVODE "index1 adams" index1 run_ode adams
            record peer CVODE "index1 bdf" index1 run_ode bdf
        fi
        if wanted ARKODE; then
            record peer ARKODE "index1 fehlberg-8" index1 run_ode erk8
            record peer ARKODE "index1 dormand-prince-5" index1 run_ode erk5
        fi
        if wanted RADAU5; then
            for form in index1 index2 index3 ggl; do record peer RADAU5 $form $form run_desolve radau $form; done
            record peer RADAU5 "index1 ode" index1 run_desolve radau-ode index1
        fi
        if wanted DASPK; then
            for form in index1 index2 index3 ggl; do record peer DASPK $form $form run_desolve daspk $form; done
            for form in index1 index2 ggl; do record peer DASPK "$form loose" $form run_desolve daspk-loose $form; done
        fi
        [ "$pass" = 1 ] || continue
        if wanted SciPy; then
            for method in DOP853 Radau LSODA; do record peer "SciPy $method" index1 index1 run_scipy $method; done
        fi
    done
    awk -v what=least -f "$here/summary.awk" "$tmp/all.csv" >"$csv"
done

# --- instructions of the programs in C, about two accuracies ---------------------------------------------------
counted() { # PROGRAM FORM METHOD TOLERANCE: millions, of one integration with its set-up
    valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=run \
        "$tmp/$1.$model" -1 "$tmp/$from.start" "$tmp/$from.reference" "$2" "$3" "$4" 2>&1 |
        awk '/Collected/ { printf "%.2f", $NF/1e6 }'
}
table() { awk -v what="$1" -v problem="${2-}" -f "$here/summary.awk" "$csv"; }

: >"$tmp/counts"
if [ $count = yes ] && ! command -v valgrind >/dev/null 2>&1; then
    missing "instruction counts" valgrind
elif [ $count = yes ]; then
    table pairs >"$tmp/pairs"
    while read -r model scd weight run; do
        side=${run%%,*} rest=${run#*,}
        solver=${rest%%,*} rest=${rest#*,}
        form=${rest%,*} tolerance=${rest##*,}
        start "$form"
        word=${form#* }
        case $side,$solver in
        mbs,*) set -- mbs index1 "$solver:$form" ;;
        peer,GSL*) set -- mbs index1 "gsl-${solver#GSL }:$form" ;;
        peer,IDA) set -- ida "${form%% *}" "$(echo "$word" | tr ' ' '-')" ;;
        peer,CVODE) set -- ode index1 "$word" ;;
        peer,ARKODE) set -- ode index1 "erk${word##*-}" ;;
        *) continue ;;
        esac
        say "$model: instructions of $solver $form, $tolerance"
        echo "$model,$scd,$side,$solver,$form $tolerance,$weight,$(counted "$@" "$tolerance")" >>"$tmp/counts"
    done <"$tmp/pairs"
fi

# --- pictures and the summary ------------------------------------------------------------------------------------------
for model in $models; do
    table curves "$model" >"$tmp/curves.$model"
    command -v gnuplot >/dev/null 2>&1 || { missing "pictures" gnuplot; break; }
    for terminal in svg png; do
        gnuplot -e "model='$model'; curves='$tmp/curves.$model'; terminal='$terminal'; output='$dir/peers-$model.$terminal'" "$here/plot.gp"
    done
done

{
    echo '## Whole integrations beside other integrators'
    echo
    cat "$here/about.md"
    echo
    processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2>/dev/null | head -n 1)
    echo "Measured on $processor ($(getconf _NPROCESSORS_ONLN) cores) with $($CC --version | head -n 1):"
    echo
    cat "$tmp/versions" "$tmp/missing"
    for model in $models; do
        echo
        echo "### $model"
        [ ! -f "$dir/peers-$model.png" ] || printf '![Accuracy and processor time of each integrator](peers-%s.png)\n' "$model"
        echo
        table ratios "$model"
        echo
        echo "**$(table verdict | grep "^$model:")**"
        grep -q "^$model," "$tmp/counts" || continue
        echo
        echo "Million instructions (callgrind) at an accuracy, interpolated likewise between the runs named:"
        echo
        echo '| scd | integrator | runs | million instructions | ratio |'
        echo '| --- | --- | --- | --- | --- |'
        awk -F, -v model="$model" '
            function row() {
                if (key == "") return
                if (side == "mbs") own[scd] = exp(sum)
                printf "| %s | %s%s | %s | %.1f | %.1f |\n", scd, side == "mbs" ? "mbs " : "", solver, runs, exp(sum), exp(sum)/own[scd]
            }
            $1 != model { next }
            $2 "," $4 != key { row(); key = $2 "," $4; scd = $2; side = $3; solver = $4; runs = ""; sum = 0 }
            { runs = runs (runs == "" ? "" : ", ") $5; sum += $6*log($7) }
            END { row() }' "$tmp/counts"
    done
    echo
    echo '### Runs without a result'
    table failed
    echo
    echo 'All runs are in `peers.csv`.'
} >"$dir/peers.md"
table verdict
