#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Random models from N seeds, beginning at SEED: each passes all checks of check.sh, two at a time.  A model that fails is
# reduced and printed, and its directory kept if KEEP names a place.  `make random N=5000 SEED=1` runs more of them.
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
. "$top_srcdir/tests/tap.sh"
export top_srcdir top_builddir
grep -q 'HAVE_QUADMATH 1' "$top_builddir/config.h" || { skip "no 128-bit arithmetic"; done_testing; exit; }
n=${N:-200} seed=${SEED:-1} jobs=${JOBS:-2}
here=$top_srcdir/tests/random
cat >"$tmp/one.sh" <<END
dir=$tmp/\$1
mkdir "\$dir"
if ! '$top_builddir/tests/random/generate' "\$1" "\$dir"; then echo "\$1: generate fails" >>'$tmp/failed'; exit 0; fi
what=\$(sh '$here/check.sh' "\$dir")
if [ -n "\$what" ]; then echo "\$1: \$what" >>'$tmp/failed'; else [ ! -f "\$dir/note" ] || echo "\$1" >>'$tmp/notes'; rm -rf "\$dir"; echo "\$1" >>'$tmp/passed'; fi
END
touch "$tmp/failed" "$tmp/passed" "$tmp/notes"
seq "$seed" $((seed + n - 1)) | xargs -P "$jobs" -n 1 sh "$tmp/one.sh"
sort -n "$tmp/failed" >"$tmp/list"
shown=0 known=0
# WHY SEED: why this seed is known to fail, if it is
why() { sed -n "s/^$1 //p" "$here/known.txt"; }
for which in $(sed -n 's/^\([0-9][0-9]*\) .*/\1/p' "$here/known.txt"); do
    if grep -qx "$which" "$tmp/passed"; then fail "seed $which passes now: take it out of tests/random/known.txt"; fi
done
while IFS= read -r line; do
    which=${line%%:*}
    reason=$(why "$which") quantity=${reason%%[:[]*}
    if [ -n "$reason" ] && [ "${line#*: compare: "$quantity" }" != "$line" ]; then
        skip "seed $which is known to fail: $reason"
        known=$((known + 1))
        continue
    fi
    if [ -n "${KEEP-}" ]; then mkdir -p "$KEEP" && rm -rf "$KEEP/$which" && cp -r "$tmp/$which" "$KEEP/$which"; fi
    shown=$((shown + 1))
    # a reduction runs the checks some fifty times: the first three are enough to start with
    if [ $shown -le "${REDUCE:-3}" ]; then fail "seed $line" "$(sh "$here/reduce.sh" "$tmp/$which")"; else fail "seed $line"; fi
done <"$tmp/list"
passed=$(wc -l <"$tmp/passed")
# coordinates that cannot be assembled say nothing about their accelerations: a few may, not many
idle=$(wc -l <"$tmp/notes")
if [ $((idle * 20)) -le "$n" ]; then pass "at most one in twenty mechanisms cannot be assembled ($idle of $n)"; else fail "$idle of $n mechanisms cannot be assembled"; fi
if [ $((passed + known)) = "$n" ]; then pass "$passed of $n random models from seed $seed on, $known known to fail"; else
    fail "$passed of $n random models from seed $seed on, $known known to fail"
fi
done_testing
