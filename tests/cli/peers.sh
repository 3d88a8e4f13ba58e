#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The comparison with other integrators: the summary's arithmetic on a made-up table, and the whole pipeline for one cheap
# tolerance with the peers that are present.  No time is judged.
. "${top_srcdir:-.}/tests/tap.sh"
peers=$top_srcdir/bench/peers
summary() { awk -v what="$1" -v problem="${2-}" -f "$peers/summary.awk" "$tmp/runs.csv"; }
says() { tap_want=$1; shift; "$@" | grep -qF -e "$tap_want"; }

# p: our envelope is (3, 1 ms), (5, 4 ms), (9, 64 ms): the run 1e-4 is beaten, the second measurement of 1e-3 counts.  At scd 4
# the time is 2, half way in the logarithm; at 6, 7, 8: 8, 16, 32.  A is at 10 ms up to scd 5, then 10*2^(scd - 5): 20 at 6.
# B beats us at scd 9 and C never gets to scd 3.
cat >"$tmp/runs.csv" <<'END_OF_RUNS'
problem,side,solver,form,tolerance,scd,ms,steps,f,jac,remark
p,mbs,m,index1,1e-3,3.0,1.5,1,1,0,
p,mbs,m,index1,1e-3,3.0,1.0,1,1,0,
p,mbs,m,index1,1e-4,2.9,1.7,1,1,0,
p,mbs,m,index2,1e-5,5.0,4.0,1,1,0,
p,mbs,n,index2,1e-5,5.0,5.0,1,1,0,
p,mbs,m,index1,1e-6,9.0,64,1,1,0,
p,peer,A,x,1e-3,5.0,10,1,1,0,
p,peer,A,x,1e-4,8.0,80,1,1,0,
p,peer,A,x,1e-5,,,,,,failed: at t = 0.5: no convergence
p,peer,A,x,1e-6,,,,,,failed: at t = 0.1: no convergence
p,peer,B,x,1e-5,9.5,48,1,1,0,
p,peer,C,x,1e-5,2.5,0.1,1,1,0,
q,mbs,m,index1,1e-5,9.5,2,1,1,0,
q,peer,B,x,1e-5,9.5,4,1,1,0,
END_OF_RUNS
ok "our fastest method" says "| mbs: fastest | m index1 | m index2 | m index2 | m index1 | m index1 | m index1 | m index1 |" summary ratios p
ok "a peer's times divided by ours, blank where it does not get" says "| A | 10 | 5.0 | 2.5 | 2.5 | 2.5 | 2.5 |  |" summary ratios p
ok "a single run counts for all that is less accurate" says "| B | 48 | 24 | 12 | 6.0 | 3.0 | 1.5 | 0.8 |" summary ratios p
ok "inaccurate runs do not count" says "| C |  |  |  |  |  |  |  |" summary ratios p
ok "where a peer is faster is said" says "p: mbs is fastest at scd 3, 4, 5, 6, 7, 8; at scd 9 B takes 0.75 of its time" summary verdict
ok "fastest everywhere" says "q: mbs is fastest at scd 3..9" summary verdict
ok "failed runs are listed by reason" says "| p | A x | failed: no convergence | 1e-5, 1e-6 |" summary failed
ok "the curve is the envelope" says "3.0 1.0" summary curves p

if nm "$top_builddir/libmbs.a" 2>/dev/null | grep -q __asan_init; then
    skip "the programs of the comparison are built without the sanitizers of this libmbs"
    done_testing
    exit
fi
# the pipeline; standard error is progress
if sh "$peers/run.sh" -n -1 -m squeezer -s 'mbs IDA CVODE SciPy' -t 1e-4 -o "$tmp/out" >"$tmp/said" 2>"$tmp/progress"; then
    pass "the pipeline runs"
else
    fail "the pipeline runs" "$(tail -n 3 "$tmp/progress")"
fi
ok "it ends with a verdict" grep -q '^squeezer: mbs is fastest at ' "$tmp/said"
# dop853 with rtol = atol = 1e-4 has 3.1 correct digits with any rounding; wrong equations would have none
ok "accuracy against the reference" awk -F, '$3 == "dop853" && $6 > 2.5 { good = 1 } END { exit !good }' "$tmp/out/peers.csv"
ok "each peer has results or is said to be missing" awk -F, '
    FNR == NR { if ($2 == "peer" && $6 > 0) results[substr($3, 1, 3)] = 1; next }
    /not installed/ { missing[$0] = 1; if (/SUNDIALS/) results["IDA"] = results["CVO"] = 1; if (/SciPy/) results["Sci"] = 1 }
    END { exit !(("IDA" in results) && ("CVO" in results) && ("Sci" in results)) }' "$tmp/out/peers.csv" "$tmp/out/peers.md"
ok "the section is markdown of the second level" sh -c "head -n 1 '$tmp/out/peers.md' | grep -q '^## '"
done_testing
