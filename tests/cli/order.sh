#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Operations of the residual of chains that grow: of order n, with whatever acts on every link.  From 4 to 8 links and from 8 to 16 the operations that are
# added double if they are linear in n, within a tenth for what is cheaper at the ends; they would be four times as many if every link cost a sweep of its own.
. "${top_srcdir:-.}/tests/tap.sh"
PATH=$top_builddir:$PATH
cd "$tmp" || exit 99

# chain N WHAT
chain() {
    awk -v n="$1" -v what="$2" 'BEGIN {
        print "model chain\nspatial\ngravity [0, 0, -9.81]"
        for (i = 1; i <= n; i++) {
            printf "body K%d { mass = 1, com = [0.2, 0.1, 0], inertia = [0.1, 0.2, 0.3], point tip = [0.5, 0, 0], point S = [0.2, 0.1, 0.1] }\n", i
            printf "joint J%d: revolute(%s, K%d) axis [0, %d, %d]\n", i, (i > 1 ? "K" (i - 1) ".tip" : "ground"), i, i % 2, !(i % 2)
        }
        for (i = 1; i <= n; i++) {
            if (what == "springs to ground") printf "spring S%d: between ground @ [1, 2, 3] and K%d.S, stiffness = 100, length = 0.3, damping = 1\n", i, i
            if (what == "springs between neighbours" && i > 1) printf "spring S%d: between K%d.S and K%d.S, stiffness = 100, length = 0.3\n", i, i - 1, i
            if (what == "forces that depend on velocities") printf "force F%d: on K%d.tip = -0.1*norm(K%d.tip'"'"')*K%d.tip'"'"'\n", i, i, i, i
            if (what == "torques on bodies") printf "torque M%d: on K%d = [1, 2, t]\n", i, i
            if (what == "a beam behind it" && i == n) printf "beam B { length = 1, density = 2700, youngs = 7e10, shear = 3e10, width = 0.1, height = 0.1, elements = 1 }\njoint JB: revolute(K%d.tip, B.start) axis [0, 0, 1]\n", i
        }
    }'
}
operations() { chain "$1" "$2" >chain.mbs; mbsc --way=tree --dump=tape chain.mbs | awk '/^residual:/ { gsub(",", ""); for (i = 3; i <= NF; i++) if ($i ~ /^[0-9]+$/) s += $i; print s; exit }'; }
linear() {
    a=$(operations 4 "$1"); b=$(operations 8 "$1"); c=$(operations 16 "$1")
    awk -v a="$a" -v b="$b" -v c="$c" 'BEGIN { print a, b, c; exit !(a > 0 && b > a && c - b < 2.2*(b - a)) }'
}
for what in "nothing" "springs to ground" "springs between neighbours" "forces that depend on velocities" "torques on bodies" "a beam behind it"; do
    ok "$what: the residual is of order n" linear "$what"
done
done_testing
