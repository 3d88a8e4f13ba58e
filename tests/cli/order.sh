#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Operations of chains that grow.  The residual is of order n, with whatever acts on every link.  From 4 to 8 links and from 8 to 16 the operations that are
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
            if (what == "springs between neighbours" && i > 1) printf "spring S%d: between K%d.S and K%d.S, stiffness = 100, length = 0.3, damping = 1\n", i, i - 1, i
            if (what == "forces that depend on velocities") printf "force F%d: on K%d.tip = -0.1*norm(K%d.tip'"'"')*K%d.tip'"'"'\n", i, i, i, i
            if (what == "torques on bodies") printf "torque M%d: on K%d = [1, 2, t]\n", i, i
            if (what == "a beam behind it" && i == n) printf "beam B { length = 1, density = 2700, youngs = 7e10, shear = 3e10, width = 0.1, height = 0.1, elements = 1 }\njoint JB: revolute(K%d.tip, B.start) axis [0, 0, 1]\n", i
        }
    }'
}
# operations N WHAT [FUNCTION]
operations() { chain "$1" "$2" >chain.mbs; mbsc --way=tree --dump=tape chain.mbs | awk -v name="${3:-residual}:" '$1 == name { gsub(",", ""); for (i = 3; i <= NF; i++) if ($i ~ /^[0-9]+$/) s += $i; print s; exit }'; }
linear() {
    a=$(operations 4 "$1"); b=$(operations 8 "$1"); c=$(operations 16 "$1")
    awk -v a="$a" -v b="$b" -v c="$c" 'BEGIN { print a, b, c; exit !(a > 0 && b > a && c - b < 2.2*(b - a)) }'
}
for what in "nothing" "springs to ground" "springs between neighbours" "forces that depend on velocities" "torques on bodies" "a beam behind it"; do
    ok "$what: the residual is of order n" linear "$what"
done

# What acts between two links is a function of the joints between them: it adds to the Jacobian what is of order n, beside the pairs of links of the bodies themselves.
neighbours() {
    for n in 8 16; do
        bare=$(operations $n nothing jacobian); with=$(operations $n "springs between neighbours" jacobian)
        awk -v bare="$bare" -v with="$with" -v n=$n 'BEGIN { print bare, with; exit !(bare > 0 && with > bare && with < bare + 130*n) }' || return 1
    done
}
ok "springs between neighbours: so many operations a link more in the Jacobian" neighbours
# In files with loops the rest is statements, by columns where it couples all links: text of order n, and no long wait.
loops() { # WAY LINKS WHAT
    for n in $2 $((2*$2)); do
        chain $n "$3" >chain.mbs; mbsc --way=$1 chain.mbs -o chain.c || return 1
        chain $n nothing >chain.mbs; mbsc --way=$1 chain.mbs -o bare.c
        echo $(($(wc -c <chain.c) - $(wc -c <bare.c)))
    done >bytes
    awk '{ print; b[NR] = $1 } END { exit !(b[1] > 0 && b[2] < 2.3*b[1]) }' bytes
}
# functions of more than 1200 rows are cut into pieces, which takes text: 40 links with forces are
while read -r n what; do
    ok "$what: text of order n beside loops, rolled" loops rolled $n "$what"
    ok "$what: text of order n beside loops, mixed" loops mixed $n "$what"
done <<END
20 springs between neighbours
20 springs to ground
40 forces that depend on velocities
END

# They are what the places say in axes of the ground: stated energies do not know what carries the bodies.  Entries of 1e4 agree to 1e-9, which is a hundred roundings.
cat >bodies.mbs <<'END'
model near "Springs, dampers and a bushing between bodies that a body carries"
spatial
gravity [0, 0, -9.81]
body A { mass = 1, com = [0.2, 0.1, 0], inertia = [0.1, 0.2, 0.3], point tip = [0.5, 0, 0], point S = [0.2, 0.1, 0.1] }
body B { mass = 1, com = [0.2, 0.1, 0], inertia = [0.1, 0.2, 0.3], point tip = [0.5, 0, 0], point S = [0.2, 0.3, 0.1] }
body C { mass = 1, com = [0.2, 0.1, 0], inertia = [0.1, 0.2, 0.3], point tip = [0.5, 0, 0], point S = [0.2, 0.2, 0.3] }
body D { mass = 1, com = [0.2, 0.1, 0], inertia = [0.1, 0.2, 0.3], point tip = [0.5, 0, 0], point S = [0.1, 0.1, 0.2] }
joint J1: free(ground, A) angles zyx
joint J2: revolute(A.tip, B) axis [0, 1, 0]
joint J3: universal(C, B.tip) axis [0, 0, 1] axis2 [0, 1, 0]
joint J4: cylindrical(A.S, D) axis [1, 0, 0]
END
cat bodies.mbs - >near.mbs <<'END'
spring P: between A.S and B.S, stiffness = 100, length = 0.3, damping = 2
spring Q: between A @ [0.1, 0.2, 0.3] and C.S, stiffness = 50, length = 0.2, damping = 1
spring R: between C.S and D.S, stiffness = 70, length = 0.1, damping = 3
bushing T: between D.tip and B.S, stiffness = [5, 5, 5, 0, 0, 0], damping = [0, 0, 0, 0, 0, 0]
END
cat bodies.mbs - >stated.mbs <<'END'
potential 100*(norm(A.S - B.S) - 0.3)^2/2
dissipation 2*(norm(A.S - B.S)')^2/2
potential 50*(norm(A @ [0.1, 0.2, 0.3] - C.S) - 0.2)^2/2
dissipation 1*(norm(A @ [0.1, 0.2, 0.3] - C.S)')^2/2
potential 70*(norm(C.S - D.S) - 0.1)^2/2
dissipation 3*(norm(C.S - D.S)')^2/2
potential 5*norm2(D.tip - B.S)/2
END
same() {
    mbs compare near.mbs stated.mbs --states 100 >table
    awk '$1 == "rq" || $1 == "rv" || $1 == "f" || $1 == "a" { n++; if ($3 > 1e-9) bad = 1 } END { exit bad || n != 4 }' table || { cat table; return 1; }
}
ok "between bodies that a body carries: the same as in axes of the ground" same
done_testing
