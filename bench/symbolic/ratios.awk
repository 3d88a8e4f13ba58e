# SPDX-License-Identifier: GPL-3.0-or-later
# symbolic.csv as a markdown table: figures of mbsc, those of the others divided by them.
BEGIN {
    FS = ","
    print "\n| | | deriving | C bytes | E instructions | E time | J instructions | J time | |"
    print "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
}
function ratio(x, own) { return x == "" || own == "" || own + 0 == 0 ? "" : sprintf(x / own < 9.95 ? "%.2f" : "%.0f", x / own) }
NR == 1 { next }
$4 == "mbsc" {
    for (i = 5; i <= 10; i++) own[i] = $i
    printf "| %s (%d coordinates, %d constraints) | mbsc | %s ms | %s | %s | %s ns | %s | %s ns | |\n", $1, $2, $3, $5, $6, $7, $8, $9, $10
    next
}
{
    remark = $11
    if (remark == "same values" || remark == "same values; J: same values") remark = ""
    printf "| | %s | %s | %s | %s | %s | %s | %s | %s |\n", $4, ratio($5, own[5]), ratio($6, own[6]), ratio($7, own[7]), ratio($8, own[8]),
        ratio($9, own[9]), ratio($10, own[10]), remark
}
