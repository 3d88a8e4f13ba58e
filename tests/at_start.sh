# SPDX-License-Identifier: GPL-3.0-or-later
# For tests of start values, behind tap.sh.

# starts NAME MODEL TOLERANCE COLUMN=VALUE...: at the start
starts() {
    name=$1 model=$2 tol=$3
    shift 3
    if ! "$mbs" run "$model" -q --to 1e-3 -o start.csv 2>err; then
        fail "$name" "$(cat err)"
        return
    fi
    bad=$(tr -d '\r' <start.csv | awk -F, -v want="$*" -v tol="$tol" '
        NR == 1 { for (i = 1; i <= NF; i++) { sub(/ \[.*/, "", $i); at[$i] = i } }
        NR == 2 {
            n = split(want, w, " ")
            for (k = 1; k <= n; k++) {
                split(w[k], p, "=")
                d = $(at[p[1]]) - p[2]
                if (!(p[1] in at) || !(d < tol && d > -tol)) print p[1], "is", $(at[p[1]]), "not", p[2]
            }
        }')
    if [ -z "$bad" ]; then pass "$name"; else fail "$name" "$bad"; fi
}
