#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What several processes of a sweep cost beside its runs, by MPI on this machine: the squeezer (all parameters by 1 %, dop853 in index 1, 1e-6, batches of
# four), whole runs and ones that end at once; messages, records and grants are watched from outside (mpi/watch.c).  Usage: RANKS=4 TURNS=5 CASES=100000
# mpi.sh; run it in the build directory.  It ends with how many processors one process 0 can serve, by its processor time per record and per grant.
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/mbs-bench.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
${MPICC:-mpicc} -O2 -shared -fPIC "$top_srcdir/bench/mpi/watch.c" -o "$tmp/watch.so" || { echo "no MPI: nothing is measured"; exit 0; }
WATCH=$tmp/watch
export WATCH OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# mpirun of Open MPI and of MPICH pass the environment on, if they are told the name or not
mpirun --version 2>/dev/null | grep -q 'Open MPI' && start="mpirun --oversubscribe -x WATCH -x LD_PRELOAD=$tmp/watch.so" || start="mpirun -env LD_PRELOAD $tmp/watch.so"
study() {
    $start -n "${RANKS:-4}" ./mbs sweep "$top_srcdir/models/squeezer.mbs" --vary '*=+-1%' --solver dop853 --formulation index1 --rtol 1e-6 --batch 4 -o "$tmp/out.h5" "$@"
}
median() { sort -g | awk '{ x[NR] = $1 } END { print NR % 2 ? x[(NR + 1) / 2] : (x[NR / 2] + x[NR / 2 + 1]) / 2 }'; }
study --cases 100 -q || exit 1          # compiled
echo "load $(cut -d' ' -f1-3 /proc/loadavg 2>/dev/null) at the begin, $(getconf _NPROCESSORS_ONLN) processors, ${RANKS:-4} processes"
for to in 0.03 1e-5; do
    turn=0
    while [ $((turn += 1)) -le "${TURNS:-5}" ]; do
        study --cases "${CASES:-100000}" --to $to | sed -n 's/^  time  *\([0-9.]*\) .*s a case, \([0-9.]*\) % beside.*/\1 \2/p' >"$tmp/case"
        echo "$(cat "$tmp/watch.0") $(cat "$tmp/case") $(cat "$tmp"/watch.[1-9]* | awk '{ n += $1; m += $1*$2; t += $1*$3 } END { print m/n, t/n }')" >>"$tmp/of$to"
    done
    awk -v to=$to '{ printf "to %s: %.0f us a case, %.1f %% beside it; process 0: %.3f of %.3f s, %d looks, %d messages of %.1f records, %.2f us a record; %d grants of %.0f cases, %.1f us a grant; round trip %.1f ms, a tenth above %.1f\n",
        to, $10, $11, $2, $1, $3, $4, $6/$4, 1e6*$7/$6, $8, $6/$8, 1e6*$9/$8, 1e3*$12, 1e3*$13 }' "$tmp/of$to"
done
record=$(awk '{ print 1e6*$7/$6 }' "$tmp/of0.03" | median)
grant=$(awk '{ print 1e6*$9/$8 }' "$tmp/of0.03" | median)
run=$(awk '{ print $10 }' "$tmp/of0.03" | median)
# a grant has 512 cases where runs are short
echo "$record $grant $run" | awk '{ all = $1 + $2/512; printf "medians: %.2f us a record, %.1f us a grant of 512: one process serves %.0f processors that take %.0f us a case, and 1000 processors if a case takes %.2f ms\n", $1, $2, $3/all, $3, all }'
echo "load $(cut -d' ' -f1-3 /proc/loadavg 2>/dev/null) at the end"
