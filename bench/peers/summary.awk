# SPDX-License-Identifier: GPL-3.0-or-later
# From the table of all runs (problem,side,solver,form,tolerance,scd,ms,steps,f,jac,remark):
#
#   -v what=ratios -v problem=P    for scd 3 to 9 the best of ours and the peers' times divided by its time (markdown)
#   -v what=verdict                a line for each problem: where ours is fastest
#   -v what=curves -v problem=P    the lower envelopes for gnuplot, a block a solver: scd, ms
#   -v what=pairs                  the runs about scd 4 and 6 on the envelopes of our best and of each peer, with their weights in
#                                  the interpolation: problem scd weight side,solver,form,tolerance
#   -v what=least                  the same table with each run once
#   -v what=failed                 the runs without a result (markdown)
#
# A solver's envelope has the runs that no other of its runs beats in accuracy and in time, whatever the formulation; between
# them the logarithm of the time is interpolated over scd.  Below the cheapest run its time stands; above the most accurate
# run there is none.  A run that was measured more than once counts with its least time.
BEGIN { FS = "," }
FNR == 1 && $1 == "problem" { title = $0; next }
{
    key = $1 SUBSEP $2 SUBSEP $3 SUBSEP $4 SUBSEP $5
    if (!(key in row)) {
        row[key] = ++rows
        P[rows] = $1; side[rows] = $2; solver[rows] = $3; form[rows] = $4; tol[rows] = $5; scd[rows] = $6; ms[rows] = $7; remark[rows] = $11
        text[rows] = $0
    } else if ($7 != "" && (ms[row[key]] == "" || $7 + 0 < ms[row[key]] + 0)) {
        scd[row[key]] = $6; ms[row[key]] = $7; remark[row[key]] = $11; text[row[key]] = $0
    }
    if (!($1 in problem_at)) { problem_at[$1] = ++problems; problem_name[problems] = $1 }
    if (!(($2, $3) in solver_at)) { solver_at[$2, $3] = ++solvers; solver_side[solvers] = $2; solver_name[solvers] = $3 }
}
# E[1 .. n]: the rows of the envelope of solver s in problem p, by scd ascending
function envelope(p, s, E,    i, j, n, x, beaten) {
    n = 0
    for (i = 1; i <= rows; i++) {
        if (P[i] != p || side[i] != solver_side[s] || solver[i] != solver_name[s] || ms[i] == "") continue
        beaten = 0
        for (j = 1; j <= rows && !beaten; j++)
            if (j != i && P[j] == p && side[j] == side[i] && solver[j] == solver[i] && ms[j] != "")
                beaten = scd[j] + 0 >= scd[i] + 0 && ms[j] + 0 <= ms[i] + 0 && (scd[j] + 0 > scd[i] + 0 || ms[j] + 0 < ms[i] + 0 || j < i)
        if (!beaten) E[++n] = i
    }
    for (i = 2; i <= n; i++) {
        x = E[i]
        for (j = i - 1; j >= 1 && scd[E[j]] + 0 > scd[x] + 0; j--) E[j + 1] = E[j]
        E[j + 1] = x
    }
    return n
}
# time at accuracy d along the envelope, 0: not reached; at: the row of the run that reaches it, before: the row below, to
# be taken with the weight 1 - share
function time_at(p, s, d) {
    if (!((p, s, d) in known)) {
        known[p, s, d] = time_find(p, s, d)
        known_at[p, s, d] = at; known_before[p, s, d] = before; known_share[p, s, d] = share
    }
    at = known_at[p, s, d]; before = known_before[p, s, d]; share = known_share[p, s, d]
    return known[p, s, d]
}
function time_find(p, s, d,    E, n, i) {
    n = envelope(p, s, E)
    for (i = 1; i <= n && scd[E[i]] + 0 < d; i++) ;
    if (i > n) return 0
    at = E[i]; before = i > 1 ? E[i - 1] : 0; share = 1
    if (!before) return ms[at] + 0
    share = (d - scd[before]) / (scd[at] - scd[before])
    return exp((1 - share) * log(ms[before]) + share * log(ms[at]))
}
# the best of ours: its time, 0: none; best_row
function ours(p, d,    s, t, best) {
    best = 0
    for (s = 1; s <= solvers; s++)
        if (solver_side[s] == "mbs" && (t = time_at(p, s, d)) && (!best || t < best)) { best = t; best_row = at }
    return best
}
function ratio(x) { return x < 9.95 ? sprintf("%.1f", x) : sprintf("%.0f", x) }

function ratios(p,    d, s, t, head, line, b, label) {
    head = "| scd"; line = "| ---"
    for (d = 3; d <= 9; d++) { head = head " | " d; line = line " | ---" }
    print head " |"; print line " |"
    line = "| mbs: fastest"
    for (d = 3; d <= 9; d++) line = line " | " (ours(p, d) ? solver[best_row] (form[best_row] == solver[best_row] ? "" : " " form[best_row]) : "")
    print line " |"
    for (s = 1; s <= solvers; s++) {
        if (solver_side[s] == "mbs") continue
        line = "| " solver_name[s]
        for (d = 3; d <= 9; d++) {
            t = time_at(p, s, d); b = ours(p, d)
            line = line " | " (t && b ? ratio(t / b) : t ? "only this" : "")
        }
        print line " |"
    }
}
function append(list, x) { return list (list == "" ? "" : ", ") x }
function verdict(p,    d, s, t, b, line, won, lost, none, beaten) {
    won = lost = none = ""
    for (d = 3; d <= 9; d++) {
        if (!(b = ours(p, d))) { none = append(none, d); continue }
        beaten = ""
        for (s = 1; s <= solvers; s++)
            if (solver_side[s] != "mbs" && (t = time_at(p, s, d)) && t < b)
                beaten = append(beaten, solver_name[s] " takes " sprintf("%.2f", t / b) " of its time")
        if (beaten == "") won = append(won, d)
        else lost = lost "; at scd " d " " beaten
    }
    if (won == "3, 4, 5, 6, 7, 8, 9") won = "3..9"
    return p ": mbs is fastest at " (won == "" ? "no scd of 3..9" : "scd " won) lost (none == "" ? "" : "; it does not reach scd " none)
}
function curves(p,    s, E, n, i) {
    for (s = 1; s <= solvers; s++) {
        if (!(n = envelope(p, s, E))) continue
        printf "\"%s\"\n", solver_side[s] == "mbs" ? "mbs " solver_name[s] : solver_name[s]
        for (i = 1; i <= n; i++) print scd[E[i]], ms[E[i]]
        print "\n"
    }
}
function pair(p, d, weight, r) { if (r && weight > 0) print p, d, weight, side[r] "," solver[r] "," form[r] "," tol[r] }
function pairs(p,    d, s) {
    for (d = 4; d <= 6; d += 2) {
        if (!ours(p, d)) continue
        for (s = 1; s <= solvers; s++)
            if (time_at(p, s, d) && (solver_side[s] != "mbs" || at == best_row)) {
                pair(p, d, 1 - share, before)
                pair(p, d, share, at)
            }
    }
}
# tolerances of a series with the same reason on a line
function failed(    i, why, key, n, k, seen, order) {
    n = 0
    for (i = 1; i <= rows; i++) {
        if (ms[i] != "") continue
        why = remark[i]
        sub(/ at t = [^ :]*:?/, "", why)
        key = P[i] " | " solver[i] " " form[i] " | " why
        if (!(key in seen)) order[++n] = key
        seen[key] = seen[key] (seen[key] == "" ? "" : ", ") tol[i]
    }
    if (!n) return
    print "| problem | integrator | what it says | tolerances |"
    print "| --- | --- | --- | --- |"
    for (k = 1; k <= n; k++) print "| " order[k] " | " seen[order[k]] " |"
}
END {
    if (what == "ratios") ratios(problem)
    if (what == "verdict") for (k = 1; k <= problems; k++) print verdict(problem_name[k])
    if (what == "curves") curves(problem)
    if (what == "pairs") for (k = 1; k <= problems; k++) pairs(problem_name[k])
    if (what == "failed") failed()
    if (what == "least") { print title; for (k = 1; k <= rows; k++) print text[k] }
}
