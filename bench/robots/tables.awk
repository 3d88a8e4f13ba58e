# SPDX-License-Identifier: GPL-3.0-or-later
# robots.csv -> tables of robots.md
BEGIN { FS = "," }
NR == 1 { next }
{
    if (!($1 in seen)) { seen[$1] = 1; robot[++n] = $1; freedom[$1] = $2 }
    if (!($3 in known)) { known[$3] = 1; tool[++m] = $3 }
    for (i = 4; i <= 14; i++) cell[$1, $3, i] = $i
    if ($14 ~ /DIFFERS|fails/) trouble = trouble "\n" $1 ", " $3 ": accelerations " $14 "."
}
function ratio(r, t, column,    a, b) {
    a = cell[r, t, column]; b = cell[r, "mbs", column]
    return a == "" || b == "" || b == 0 ? "" : sprintf("%.2f", a/b)
}
function head(title,    i, line, rule) {
    line = "| " title " | mbs, instructions |"; rule = "| --- | --- |"
    for (i = 1; i <= m; i++) if (tool[i] != "mbs") { line = line " " tool[i] " |"; rule = rule " --- |" }
    print "\n" line "\n" rule
}
function table(title, instructions, ns,    i, j, line) {
    head(title)
    for (i = 1; i <= n; i++) {
        line = "| " robot[i] " | " cell[robot[i], "mbs", instructions] " |"
        for (j = 1; j <= m; j++) if (tool[j] != "mbs") line = line " " ratio(robot[i], tool[j], ns) " |"
        print line
    }
}
END {
    print "\nForward dynamics: our instructions, and the time of others divided by ours:"
    table("", 4, 5)
    print "\nInverse dynamics:"
    table("", 6, 7)
    print "\nDerivatives of inverse dynamics by q and v:"
    table("", 8, 9)
    print "\nThe way there (all functions of ours, the accelerations alone of CasADi):"
    print "\n| | mbsc ms | C bytes | gcc -O2 s | MB | CasADi ms | C bytes | gcc -O2 s | MB |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for (i = 1; i <= n; i++) {
        line = "| " robot[i] " |"
        for (k = 10; k <= 13; k++) line = line " " cell[robot[i], "mbs", k] " |"
        for (k = 10; k <= 13; k++) line = line " " cell[robot[i], "CasADi", k] " |"
        print line
    }
    if (trouble) print trouble
}
