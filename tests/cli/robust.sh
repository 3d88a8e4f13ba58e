#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# When the world is unkind: full disk, no cache, no compiler, no permission, interruption, two at once, a damaged
# cache.  Each ends with a clear message, leaves no broken file and keeps the cache good.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"
mbs=$top_builddir/mbs
cd "$tmp" || exit 99
cat "$top_srcdir/examples/pendulum.mbs" >pendulum.mbs
XDG_CACHE_HOME=$tmp/cache
export XDG_CACHE_HOME

# leaves STATUS PATTERN FILES: of the last command, of its messages, of what is in the directory `work`
check() {
    if [ "$status" = "$2" ] && grep -q -- "$3" err.txt; then pass "$1"; else
        fail "$1" "exit $status instead of $2, or no '$3' in:
$(cat err.txt)"
    fi
}
run() { "$@" >out.txt 2>err.txt; status=$?; }
no_trash() { ok "$1" sh -c '! ls "$2" | grep -v "$3" | grep -q .' sh x "$2" "$3"; }
cache_clean() { ok "$1: the cache holds whole entries only" sh -c '! ls cache/mbs 2>/dev/null | grep -vE "^[0-9a-f]{64}\.(so|dep)$" | grep -q .'; }

mkdir work
run "$mbs" run pendulum.mbs -q -o /dev/full
check "a full device" 1 "No space left on device"
run "$mbs" run pendulum.mbs -q -o - >/dev/null
"$mbs" run pendulum.mbs -q -o - >/dev/full 2>err.txt
status=$?
check "a full standard output" 1 "No space left on device"
run "$mbs" report pendulum.mbs -q -o /dev/full
check "a report on a full device" 1 "No space left on device"
mkdir small
if mount -t tmpfs -o size=20k tmpfs small 2>/dev/null; then
    run "$mbs" run pendulum.mbs -q --every 0.001 -o small/p.csv
    check "a full disk" 1 "No space left on device"
    no_trash "a full disk: nothing is left behind" small '^$'
    XDG_CACHE_HOME=$tmp/small run "$mbs" run pendulum.mbs --set l=2 -q
    ok "a full disk under the cache: built elsewhere" test $status = 0
    umount small
else
    skip "a small file system cannot be mounted here"
    skip "a small file system cannot be mounted here"
    skip "a small file system cannot be mounted here"
fi

: >file
XDG_CACHE_HOME=$tmp/file run "$mbs" run pendulum.mbs -o work/p.csv
check "a cache that cannot be written: the run goes on and says so" 0 "cannot be written"
ok "and its result is there" test -s work/p.csv
XDG_CACHE_HOME=$tmp/file run "$mbs" run pendulum.mbs --set foo=1
check "and errors are still errors" 1 "no parameter 'foo'"
rm -rf cache
CC=/nonexistent/cc run "$mbs" run pendulum.mbs
check "no C compiler" 1 "install gcc or clang"
cache_clean "no C compiler"
mkdir empty
PATH=$tmp/empty CC=gcc run "$mbs" run pendulum.mbs
check "no C compiler on the path" 1 "'gcc' cannot be run"
printf '#!/bin/sh\ncase "$*" in *model.c*) ;; *) exit 0 ;; esac\necho "model.c:1: error: raw words of a compiler" >&2\nexit 1\n' >badcc
chmod +x badcc
TMPDIR=$tmp CC=$tmp/badcc run "$mbs" run pendulum.mbs
check "C that does not compile is called a fault of mbs" 1 "fault of mbs"
ok "the compiler's own words stay out of sight" sh -c '! grep -q "raw words" err.txt'
cache_clean "C that does not compile"

run "$mbs" run pendulum.mbs -o nowhere/p.csv
check "no such directory" 1 "nowhere/p.csv: No such file or directory"
if [ "$(id -u)" != 0 ]; then
    mkdir locked && chmod 555 locked
    run "$mbs" run pendulum.mbs -o locked/p.csv
    check "a directory that is read-only" 1 "Permission denied"
else
    run "$mbs" run pendulum.mbs -o /proc/p.csv
    check "a directory that is read-only" 1 "cannot write /proc/p.csv"
fi
run "$mbs" run pendulum.mbs -o work
check "a directory as the output" 1 "Is a directory"

# long enough to be interrupted anywhere; env makes SIGINT deliverable to a background process
rm -rf cache work/*
"$mbs" run pendulum.mbs -q
if env --default-signal=INT true 2>/dev/null; then signal=INT; else signal=TERM; fi
for kind in csv h5; do
    if [ $kind = h5 ] && ! grep -q '^#define HAVE_HDF5' "$top_builddir/config.h"; then
        skip "no HDF5"
        skip "no HDF5"
        skip "no HDF5"
        continue
    fi
    if [ $signal = INT ]; then env --default-signal=INT "$mbs" run pendulum.mbs --to 1e9 --every 0.01 -o work/long.$kind >out.txt 2>err.txt &
    else "$mbs" run pendulum.mbs --to 1e9 --every 0.01 -o work/long.$kind >out.txt 2>err.txt & fi
    pid=$!
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        sleep 0.2
        [ "$(cat work/long.$kind.* 2>/dev/null | head -c 60000 | wc -c)" -ge 60000 ] && break
    done
    kill -$signal $pid
    wait $pid
    status=$?
    check "interrupted ($kind): says so" 1 "interrupted at t ="
    ok "interrupted ($kind): the file is there" test -s work/long.$kind
    no_trash "interrupted ($kind): no other file" work '^long\.'
done
ok "interrupted: every row is whole" awk -F, 'NF != 5 { exit 1 } END { if (NR < 100) exit 1 }' work/long.csv

rm -rf cache
printf '#!/bin/sh\nexec sleep 20\n' >slowcc
chmod +x slowcc
CC=$tmp/slowcc "$mbs" run pendulum.mbs >out.txt 2>err.txt &
pid=$!
for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.2; ls cache/mbs/build.*/model.c >/dev/null 2>&1 && break; done
kill -TERM $pid
wait $pid
status=$?
check "interrupted while compiling" 1 "interrupted"
cache_clean "interrupted while compiling"

rm -rf cache
"$mbs" run pendulum.mbs -q -o one.csv 2>one.err &
first=$!
"$mbs" run pendulum.mbs -q -o two.csv 2>two.err &
second=$!
wait $first
a=$?
wait $second
b=$?
ok "two first runs at once" test "$a$b" = 00
ok "with the same result" cmp one.csv two.csv
cache_clean "two runs at once"
ok "a third run finds the cache" sh -c '"$1" run pendulum.mbs | grep CPU | grep -qv compiling' sh "$mbs"
for f in cache/mbs/*.so; do head -c 3000 "$f" >cut && cp cut "$f"; done
ok "a damaged entry is made anew" sh -c '"$1" run pendulum.mbs -q -o three.csv && cmp one.csv three.csv' sh "$mbs"
for f in cache/mbs/*.dep; do printf 'model x\n' >"$f"; done
ok "so is one with a damaged list" sh -c '"$1" run pendulum.mbs -q -o four.csv && cmp one.csv four.csv' sh "$mbs"
sed 's/grav: m\/s^2 = 9.81/grav: m\/s^2 = 1.62/' pendulum.mbs >moon && cp moon pendulum.mbs
ok "a changed model is built anew" sh -c '"$1" run pendulum.mbs -q -o five.csv && ! cmp -s one.csv five.csv' sh "$mbs"

# 100 000 rows of 30 columns are 24 MB; streaming needs none of it.  A tenth of that is allowed for noise.
if python3 -c 'import resource' 2>/dev/null; then
    cat >memory.py <<'END'
import resource, subprocess, sys
peak = []
for every in ("1e-4", "1e-6"):
    subprocess.run([sys.argv[1], "run", sys.argv[2], "--all", "-q", "--rtol", "1e-4", "--every", every, "-o", "big.csv"], check=True)
    peak.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
rows = open("big.csv").read().splitlines()
print(len(rows), "lines,", len(rows[0].split(",")), "columns, peak", peak, "kB")
assert len(rows) == 100002 and len(rows[0].split(",")) >= 30
assert peak[1] - peak[0] < 2400
END
    "$mbs" run "$top_srcdir/models/crank.mbs" -q --to 0.0001
    ok "100 000 rows of 30 columns in constant memory" python3 memory.py "$mbs" "$top_srcdir/models/crank.mbs"
else
    skip "no python3 to measure memory"
fi
# threads of a library that wait for memory for ever are not waited for at the end
printf '#include <unistd.h>\n__attribute__((destructor)) static void wait_for_ever(void) { for (;;) pause(); }\n' >waits.c
if [ "$(uname)" = Linux ] && ! grep -q '^S\["SAN_CFLAGS"\]="-f' "$top_builddir/config.status" && ${CC:-cc} -shared -fPIC -o waits.so waits.c 2>/dev/null; then
    "$mbs" run "$top_srcdir/examples/pendulum.mbs" -q
    ok "a library that does not end is not waited for" timeout -s KILL 20 env LD_PRELOAD="$PWD/waits.so" "$mbs" run "$top_srcdir/examples/pendulum.mbs" -q
else
    skip "no library can be put before a program here"
fi
printf 'model m\nparam a = 1\ncoord x\nkinetic x'"'"'^2/2\n' >unused.mbs
ok "mbs info says each warning once" sh -c 'test "$("$1" info unused.mbs 2>&1 >/dev/null | grep -c "never used")" = 1' sh "$mbs"
ok "... also where the model is in the cache" sh -c 'test "$("$1" info unused.mbs 2>&1 >/dev/null | grep -c "never used")" = 1' sh "$mbs"
fails_with "a name without its end" 1 "did you mean 'unused.mbs'?" "$mbs" run unuse
fails_with "... in another directory" 1 "did you mean '\./unused.mbs'?" "$mbs" run ./unusd.mbs
for limit in 0 -1; do fails_with "a time limit of $limit" 1 "seconds above zero" "$mbs" run pendulum.mbs --time-limit $limit; done
fails_with "no tolerance at all" 1 "rtol = 0 leaves the tolerance to atol" "$mbs" run "$top_srcdir/examples/pendulum.mbs" --rtol 0
ok "rtol 0 with an absolute one" "$mbs" run "$top_srcdir/examples/pendulum.mbs" --rtol 0 --atol 1e-8 -q
done_testing
