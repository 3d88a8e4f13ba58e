#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The cache of compiled models: never the code of another model, never a failure that a run alone would not have.
#     RACES=50 tests/cli/cache.sh     so many rounds of runs at once while the cache is cleaned and runs are killed (`make kills`)
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"
mbs=$top_builddir/mbs
cd "$tmp" || exit 99
XDG_CACHE_HOME=$tmp/cache
export XDG_CACHE_HOME
library() { printf 'let k = %s\n' "$1"; }       # x'' = -k x
model() { printf 'model m\ncoord x\ninclude "lib.mbs"\nkinetic x'"'"'^2/2\npotential k*x^2/2\ninit x = 1\noutput stiff = k\nsimulate { to = 0.1 }\n'; }
gives() { # gives WHAT K COMMAND...: the run has this k
    gives_what=$1 gives_k=$2
    shift 2
    gives_out=$("$@" -q -o - 2>&1)
    gives_status=$?
    if [ $gives_status = 0 ] && [ "$(printf '%s\n' "$gives_out" | awk -F, 'END { print $4 + 0 }')" = "$gives_k" ]; then pass "$gives_what"; else
        fail "$gives_what" "exit $gives_status: $(printf '%s\n' "$gives_out" | head -n 3)"; fi
}

# --- what an entry depends on ---
mkdir -p one/inc two/inc three link_one link_two
model >one/m.mbs
library 1 >one/v1.mbs
library 2 >one/v2.mbs
ln -s v1.mbs one/lib.mbs
gives "an included link" 1 "$mbs" run one/m.mbs
ln -sf v2.mbs one/lib.mbs
gives "... that leads elsewhere now" 2 "$mbs" run one/m.mbs
model >three/m.mbs
library 3 >one/inc/lib.mbs
library 4 >two/inc/lib.mbs
gives "a directory of -I" 3 sh -c 'cd one && exec "$@"' sh "$mbs" run ../three/m.mbs -I inc
gives "... of the same name elsewhere" 4 sh -c 'cd two && exec "$@"' sh "$mbs" run ../three/m.mbs -I inc
library 5 >three/lib.mbs
gives "... and a file that comes before it" 5 sh -c 'cd two && exec "$@"' sh "$mbs" run ../three/m.mbs -I inc
rm three/lib.mbs
gives "... and is gone again" 4 sh -c 'cd two && exec "$@"' sh "$mbs" run ../three/m.mbs -I inc
ln -s ../three/m.mbs link_one/m.mbs
ln -s ../three/m.mbs link_two/m.mbs
library 6 >link_one/lib.mbs
library 7 >link_two/lib.mbs
gives "a link to a model" 6 "$mbs" run link_one/m.mbs
gives "... and another, beside other files" 7 "$mbs" run link_two/m.mbs

# --- what happens while the C compiler is at work: `meanwhile` is run once before it ---
cc=${CC:-cc}
printf '#!/bin/sh\n[ ! -e "%s/meanwhile" ] || { mv "%s/meanwhile" "%s/done"; . "%s/done"; }\nexec %s "$@"\n' "$tmp" "$tmp" "$tmp" "$tmp" "$cc" >cc
chmod +x cc
(
    CC=$tmp/cc
    export CC
    rm -rf cache one/lib.mbs
    library 1 >one/lib.mbs
    echo "echo 'let k = 8' >'$tmp/one/lib.mbs'" >meanwhile
    "$mbs" run one/m.mbs -q -o - >first 2>&1
)
gives "an included file that is changed while the compiler runs" 8 env CC="$tmp/cc" "$mbs" run one/m.mbs
printf 'model m\nextern pull(x)\ncoord x\nkinetic x'"'"'^2/2\ninit x = 1\noutput stiff = pull(t)\nsimulate { to = 0.1 }\n' >with.mbs
echo 'double pull(double x) { return 1 + 0*x; }' >with.c
echo "echo 'double pull(double x) { return 2 + 0*x; }' >'$tmp/with.c'" >meanwhile
env CC="$tmp/cc" "$mbs" run with.mbs --with with.c -q -o - >first 2>&1
echo 'double pull(double x) { return 1 + 0*x; }' >with.c
gives "so a file of --with, and it is as before" 1 env CC="$tmp/cc" "$mbs" run with.mbs --with with.c
rm -rf cache
echo "rm -rf '$tmp/cache'" >meanwhile
gives "a cache that vanishes while the compiler runs" 8 env CC="$tmp/cc" "$mbs" run one/m.mbs
rm -rf cache
echo "rm -rf '$tmp/cache/mbs'; : >'$tmp/cache/mbs'" >meanwhile
gives "and becomes a file" 8 env CC="$tmp/cc" "$mbs" run one/m.mbs
rm -rf cache
mkdir -p small
if mount -t tmpfs -o size=24k tmpfs small 2>/dev/null; then
    gives "a full disk under the cache" 8 env XDG_CACHE_HOME="$tmp/small" "$mbs" run one/m.mbs
    ok "... where nothing is left" sh -c '! ls small/mbs | grep -q .'
    umount small
else
    skip "a small file system cannot be mounted here"
    skip "a small file system cannot be mounted here"
fi

# --- many at once: two models of one name, killed runs, a cache that is cleaned, entries that are cut ---
for d in left right; do mkdir -p $d; model >$d/m.mbs; done
library 11 >left/lib.mbs
library 12 >right/lib.mbs
round=0 bad=0
while [ $round -lt "${RACES-2}" ]; do
    rm -rf cache
    run() { "$mbs" run $1/m.mbs -q -o $1.$2.csv 2>$1.$2.err; echo $? >$1.$2.status; }
    pids=
    rm -f left.*.* right.*.*
    for i in 1 2 3; do
        run left $i & pids="$pids $!"
        run right $i & pids="$pids $!"
    done
    "$mbs" run left/m.mbs -q -o killed.csv 2>killed.err &
    killed=$!
    sleep 0.0$((round % 10))
    kill -KILL $killed
    [ $((round % 2)) = 0 ] && rm -rf cache/mbs 2>/dev/null
    for f in cache/mbs/*.so; do [ $((round % 3)) = 0 ] && [ -e "$f" ] && head -c 3000 "$f" >cut && mv cut "$f"; done
    for p in $pids; do wait $p; done
    wait $killed 2>/dev/null
    for d in left:11 right:12; do for i in 1 2 3; do
        f=${d%:*}.$i
        if [ "$(cat $f.status)" != 0 ] || [ "$(awk -F, 'END { print $4 + 0 }' $f.csv)" != "${d#*:}" ]; then bad=$((bad + 1)); echo "# round $round, $f: $(cat $f.status $f.err | head -n 3 | tr '\n' ' ')"; fi
    done; done
    round=$((round + 1))
done
ok "$round rounds of six runs at once: each has its own code" test $bad = 0
done_testing
