#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A study that is killed (kill -9) at random moments and started again until it is done gives the bytes of one that nobody disturbed, whether by threads, in
# batches or, where mpirun is, in several processes.  KILLS=50 (make kill-sweep) kills more often than the two times of a check.
. "${top_srcdir:-.}/tests/tap.sh"
mbs=$top_builddir/mbs kills=${KILLS:-2}
cd "$tmp" || exit 99
cp "$top_srcdir/models/squeezer.mbs" .
# A moment of 1 to `most` ms, by a sequence that is the same each time, and what the engine takes to start.
seed=1 later=0 most=250
moment() {
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    printf '%d.%03d' $(((later + 1 + seed / 65536 % most) / 1000)) $(((later + 1 + seed / 65536 % most) % 1000))
}
now() { date +%s%N | sed 's/......$//'; }
mpi() { [ -e "$top_builddir/mbs-mpi.so" ] && command -v mpirun >/dev/null && mpirun --allow-run-as-root --oversubscribe -n 2 true >/dev/null 2>&1; }
# WHAT WORDS...: a study with so many cases that it outlives the kills, the first one surely; the processes are those of one group.
disturbed() {
    what=$1 file=$2 struck=0
    shift 2
    begin=$(now)
    "$@" -o whole.csv >/dev/null 2>err || { fail "$what: undisturbed" "$(cat err)"; return; }
    most=$((($(now) - begin - later) / 2))
    most=$((most < 1 ? 1 : most > 250 ? 250 : most))
    rm -f "$file" "$file.part"
    while [ $struck -lt "$kills" ] && [ ! -e "$file" ]; do
        setsid "$@" -o "$file" >/dev/null 2>err &
        id=$!
        sleep "$(moment)"
        ids="-$id $(ps -o pid= --ppid $id)"      # mpirun puts its children into groups of their own
        kill -9 $ids 2>/dev/null && struck=$((struck + 1))
        wait $id 2>/dev/null
        sleep 0.05              # mpirun's children notice
    done
    tries=0
    while [ ! -e "$file" ] && [ $((tries += 1)) -lt 30 ]; do
        "$@" -o "$file" >/dev/null 2>err || sleep 0.2
    done
    [ $struck -gt 0 ] && cmp "$file" whole.csv && pass "$what: killed $struck times, the same bytes" || fail "$what: killed $struck times, the same bytes" "$(cat err)"
}
set -- "$mbs" sweep squeezer.mbs --vary '*=+-1%' -m 'end(beta)' --solver dop853 --rtol 1e-6 -q --cases
"$@" 10 >/dev/null 2>&1         # compiled
disturbed "threads" a.csv "$@" $((2500 * kills)) --jobs 2
disturbed "batches" b.csv "$@" $((6000 * kills)) --jobs 2 --batch 4
# Five short cases and one without end, killed within it, by the run that has compiled the model, by tapes, and where nothing can be cached: the five are kept,
# and another model of the same name does not go on with them.
printf 'model slow\nparam w = 1\ncoord x\nkinetic x'"'"'^2/2\npotential w^2*x^2/2\ninit x = 1\noutput y = x\nsimulate { to = 1 }\n' >slow.mbs
sed 's|/2$|/3|' slow.mbs >other.mbs
printf 'w\n1\n2\n3\n4\n5\n1e8\n' >w.csv
: >no_directory
# kept WHAT CACHE OPTIONS...
kept() {
    what=$1 XDG_CACHE_HOME=$2
    export XDG_CACHE_HOME
    shift 2
    rm -f s.csv s.csv.part
    "$mbs" sweep slow.mbs --list w.csv --solver dop853 --jobs 1 -q -o s.csv "$@" 2>/dev/null &
    id=$! tries=0
    while [ "$(wc -c 2>/dev/null <s.csv.part || echo 0)" -lt 416 ] && [ $((tries += 1)) -lt 200 ]; do sleep 0.05; done      # a line of 256 bytes and five records of 32
    kill -9 $id
    wait $id 2>/dev/null
    "$mbs" sweep slow.mbs --list w.csv --solver dop853 --jobs 1 -o s.csv "$@" >/dev/null 2>again &
    id=$! tries=0
    while ! grep -q 'cases are in\|another' again && [ $((tries += 1)) -lt 200 ]; do sleep 0.05; done
    kill -9 $id 2>/dev/null
    wait $id 2>/dev/null
    cp other.mbs slow_too.mbs
    timeout 20 "$mbs" sweep slow_too.mbs --list w.csv --solver dop853 --jobs 1 -o s.csv "$@" >/dev/null 2>refused && echo "it went on" >>refused
    grep -q '5 of 6 cases are in' again && grep -q 'another study' refused && pass "$what: what has ended is kept, for this model" || fail "$what: what has ended is kept, for this model" "$(cat again refused)"
}
cache=${XDG_CACHE_HOME-}
kept "a model that was just compiled" "$tmp/fresh"
kept "the same from the cache" "$tmp/fresh"
kept "no cache" "$tmp/no_directory/cache"
kept "tapes" "$tmp/fresh" --interpret
if [ -n "$cache" ]; then XDG_CACHE_HOME=$cache; else unset XDG_CACHE_HOME; fi
if mpi; then
    later=300
    "$@" 400 -o one.csv --jobs 1 >/dev/null 2>&1
    for n in $([ "$kills" -gt 9 ] && echo 1 2) 3 4; do
        mpirun --allow-run-as-root --oversubscribe -n $n "$@" 400 -o n$n.csv >/dev/null 2>err
        "$@" 400 -o t$n.csv --jobs $n >/dev/null 2>>err
        cmp n$n.csv one.csv && cmp t$n.csv one.csv && pass "$n processes, $n threads: the same bytes" || fail "$n processes, $n threads: the same bytes" "$(cat err)"
    done
    # what went wrong comes with a record, which is longer then: the case that failed first may be another process's
    set -- "$mbs" sweep squeezer.mbs --vary 'd=+-40%' -m 'end(beta)' --solver dop853 --rtol 1e-6 --cases 300
    "$@" -o bad1.csv --jobs 1 >bad1 2>err1
    mpirun --allow-run-as-root --oversubscribe -n 3 "$@" -o bad3.csv >bad3 2>err3
    if cmp bad1.csv bad3.csv && cmp err1 err3 && grep -q 'first failure case .*cannot be met' bad3 && [ "$(sed '/^  time/d; /^  written/d' bad1)" = "$(sed '/^  time/d; /^  written/d' bad3)" ]; then
        pass "cases that fail in other processes: the same bytes and words"
    else
        fail "cases that fail in other processes: the same bytes and words" "$(cat bad3 err3)"
    fi
    set -- "$mbs" sweep squeezer.mbs --vary '*=+-1%' -m 'end(beta)' --solver dop853 --rtol 1e-6 -q --cases
    disturbed "processes" c.csv mpirun --allow-run-as-root --oversubscribe -n 3 "$@" $((3000 * kills)) --batch 4
else
    skip "processes" "there is no MPI"
fi
done_testing
