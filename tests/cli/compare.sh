#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# mbs compare: generated against hand-written code, against another model, against the energies.
# Differences are measured against the entry's scale.  Against hand-written code 1e-13 allows the two some
# hundred roundings of 1e-16 in different orders; against the energies 1e-11 leaves room for third
# derivatives by differences, which are good to some 14 digits.
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
. "$top_srcdir/tests/tap.sh"
XDG_CACHE_HOME=$tmp/cache
export XDG_CACHE_HOME
mbs=$top_builddir/mbs
models=$top_srcdir/models
hand=$models/hand
examples=$top_srcdir/examples

exits() { # exits STATUS WHAT COMMAND...
    want=$1 what=$2
    shift 2
    "$@" >"$tmp/out" 2>"$tmp/err"
    got=$?
    if [ $got = "$want" ]; then pass "$what: exit status $want"; else fail "$what: exit status $got, not $want" "$(cat "$tmp/out" "$tmp/err")"; fi
}
says() { # says PATTERN: in the output of the last command
    if grep -q -e "$1" "$tmp/out" "$tmp/err"; then pass "it says '$1'"; else fail "it does not say '$1'" "$(cat "$tmp/out" "$tmp/err")"; fi
}

# --- against hand-written code: all quantities at 10000 states -----------------------------------------
exits 0 "squeezer against C" "$mbs" compare "$models/squeezer.mbs" "$hand/squeezer.c"
says "10000 states, 5000 of them on the constraints"
says "all within 1e-13 of scale"
says "ratio"
exits 0 "a compiler of two words" env CC="env ${CC:-cc}" "$mbs" compare "$models/squeezer.mbs" "$hand/squeezer.c" --states 10
for nonlinear in false true; do
    for damped in false true; do
        exits 0 "crank against C, nonlinear_beam=$nonlinear damped=$damped" \
            "$mbs" compare "$models/crank.mbs" "$hand/crank.c" -D nonlinear_beam=$nonlinear -D damped=$damped
    done
done
if command -v "${FC:-gfortran}" >/dev/null 2>&1; then
    exits 0 "squeezer against Fortran" "$mbs" compare "$models/squeezer.mbs" "$hand/squeezer.f90" --states 1000
else
    skip "no Fortran compiler"
fi

# --- the book's listing as printed ---------------------------------------------------------------------
exits 1 "the book's listing" "$mbs" compare "$models/squeezer.mbs" "$hand/squeezer_as_printed.c" --states 1000
says "G.*WRONG: 1 entry beyond"
says "  G\[loopA6.x, epsilon\]: generated .*, hand 0$"

# --- a planted sign error in any entry of G is named ----------------------------------------------------
row() { echo "loopB.x loopB.y loopA4.x loopA4.y loopA6.x loopA6.y" | cut -d' ' -f"$1"; }
col() { echo "beta Theta gamma Phi delta Omega epsilon" | cut -d' ' -f"$1"; }
entries=$(sed -n 's/^ *G_(\([0-9]\), \([0-9]\)) = .*/\1,\2/p' "$hand/squeezer.c")
planted=0 named=0
for entry in $entries; do
    i=${entry%,*} j=${entry#*,}
    sed "s/^\( *G_($i, $j) = \)\(.*\);/\1-(\2);/" "$hand/squeezer.c" >"$tmp/planted.c"
    planted=$((planted + 1))
    name="G[$(row "$i"), $(col "$j")]"
    if "$mbs" compare "$models/squeezer.mbs" "$tmp/planted.c" --states 80 >"$tmp/out" 2>&1; then
        fail "a sign error in $name is not noticed"
    elif grep -F -q "  $name: generated" "$tmp/out" && [ "$(grep -c '^  .*: generated' "$tmp/out")" = 2 ]; then
        named=$((named + 1))    # once for hand_constraint_jacobian, once for hand_all, and nothing else
    else
        fail "a sign error in $name is not named" "$(cat "$tmp/out")"
    fi
done
if [ $planted = 22 ] && [ $named = 22 ]; then pass "each of 22 planted sign errors in G is named, and nothing else"; else fail "$named of $planted planted sign errors are named"; fi

# --- hand-written code that reads the parameters is compared with random ones, too -----------------------
cat >"$tmp/pendulum.c" <<'END'
#include <math.h>
void hand_mass(const double *t, const double *q, const double *p, double *M);
void hand_force(const double *t, const double *q, const double *v, const double *p, double *f);
void hand_mass(const double *t, const double *q, const double *p, double *M) { (void)t, (void)q; M[0] = p[1]*p[0]*p[0]; }
void hand_force(const double *t, const double *q, const double *v, const double *p, double *f)
{
    (void)t, (void)v;
    f[0] = -p[1]*GRAV*p[0]*sin(q[0]);
}
END
sed 's/GRAV/p[2]/' "$tmp/pendulum.c" >"$tmp/good.c"
sed 's/GRAV/(9.81 + 0*p[2])/' "$tmp/pendulum.c" >"$tmp/fixed.c"
sed 's/GRAV/(p[2] + (p[0] - 1)*1e-9)/' "$tmp/pendulum.c" >"$tmp/bad.c"
exits 0 "hand-written code with parameters" "$mbs" compare "$examples/pendulum.mbs" "$tmp/good.c"
says "parameters: default and random"
exits 0 "hand-written code with some parameters" "$mbs" compare "$examples/pendulum.mbs" "$tmp/fixed.c"
says "those that the hand-written code reads also random"
exits 1 "an error that shows with other parameters only" "$mbs" compare "$examples/pendulum.mbs" "$tmp/bad.c"
says "  f\[phi\]: generated"

cat >"$tmp/cart.c" <<'END'
#include <math.h>
void hand_force(const double *t, const double *q, const double *v, const double *p, double *f);
void hand_force(const double *t, const double *q, const double *v, const double *p, double *f)
{
    double M = p[0], m = p[1], l = p[2], g = p[3];
    (void)t, (void)M;
    f[0] = m*l*sin(q[1])*v[1]*v[1] - (p[4]*(q[0] - 0.5) + p[5]*v[0] + p[6]*q[1] + p[7]*v[1]);
    f[1] = m*g*l*sin(q[1]);
}
END
exits 0 "hand-written code of a model with states and inputs" "$mbs" compare "$examples/cart.mbs" "$tmp/cart.c" --states 1000
says "states and inputs have their start and default values"

# --- models alone: everything generated against differences of the energies ------------------------------
if grep -q 'HAVE_QUADMATH 1' "$top_builddir/config.h"; then
    for model in "$examples"/*.mbs "$models/squeezer.mbs" "$models/bushing.mbs" "$models/iftomm_absolute.mbs" "$models/crank_fe.mbs"; do
        exits 0 "$(basename "$model") alone" "$mbs" compare "$model"
    done
    for options in "-Dnonlinear_beam -Ddamped" "-Ddamped" "-Dnonlinear_beam" "-Drigid_start"; do
        exits 0 "crank.mbs alone with $options" "$mbs" compare "$models/crank.mbs" $options --states 4
    done
    says "M>=0"
    says "balance"

    # M[J.distance, J.angle] is zero because a vector product is perpendicular to its factors: the numbers that cancel were
    # folded, and what is left are roundings.
    cat >"$tmp/cancelled.mbs" <<'END'
model cancelled
spatial
gravity [0.3, 0, -9.81]
body K { mass = 0.818, inertia = [[1.48, 0.097, 0.02], [0.097, 1.51, -0.03], [0.02, -0.03, 1.45]], com = [0.331, -0.126, -0.058] }
joint J: cylindrical(ground @ [-0.134, -0.726, -0.148], K) axis [1, 2, 2]
END
    exits 0 "an entry that is zero by cancellation" "$mbs" compare "$tmp/cancelled.mbs"
    # 0.16 + 0.05 - 0.21 in rq[x, y]: what is left are roundings of numbers that were folded, and the terms are equally made, so that an
    # error of the same part in all of them would leave no scale.
    cat >"$tmp/squares.mbs" <<'END'
model squares
coord x, y
kinetic (x'^2 + y'^2)/2
potential (0.2*x + 0.8*y)^2 + (0.1*x + 0.5*y)^2 + (0.7*x - 0.3*y)^2
END
    exits 0 "an entry that is zero by cancellation of squares" "$mbs" compare "$tmp/squares.mbs"
    # What the solve leaves in the row of phi is made of the forces that hold A, and phi alone moves.
    cat >"$tmp/held.mbs" <<'END'
model held
planar
gravity [0.2, -9.81]
body A { mass = 2.52, inertia = 0.842, com = [-0.192, 0.182] }
body B { mass = 2.15, inertia = 0.815 }
joint J: revolute(ground @ [-0.858, 0.576], A @ [-0.842, -0.604])
joint K: revolute(A @ [0.058, 0.534], B) angle phi
cut joint L: slot(A, ground @ [-1.3688071549210461, 1.4775852985056193]) axis [1, 1/2]
init J.angle ~ 1.464
END
    exits 0 "balance where only what no force acts on moves" "$mbs" compare "$tmp/held.mbs"
    # The spring ends where the body turns: its moment is a difference of equal terms, and nothing else moves J.
    cat >"$tmp/centred.mbs" <<'END'
model centred
planar
gravity [0.2, -9.81]
body B { mass = 1.56, inertia = 0.909, point P = [0.138, -0.206] }
joint J: revolute(ground, B)
friction F: on J, coefficient = 0.2, radius = 0.05
spring S: between B.P and ground, stiffness = 3.06, length = 0.613, damping = 0.3
END
    exits 0 "balance where a moment is zero by cancellation" "$mbs" compare "$tmp/centred.mbs"

    # --- the same of code that was built elsewhere ---
    built() { # built MODEL FLAGS...: $tmp/code.so from $tmp/code.c
        model=$1
        shift
        "$top_builddir/mbsc" "$@" "$model" -o "$tmp/code.c" && ${CC:-cc} -O1 -fPIC -shared -I"$top_srcdir/runtime" "$tmp/code.c" -o "$tmp/code.so" -lm
    }
    built "$models/fourbar_spatial.mbs" --fold-params --solver --standalone
    exits 0 "a shared object, folded and with the solver" "$mbs" compare "$models/fourbar_spatial.mbs" "$tmp/code.so"
    says "parameters: none"
    exits 1 "the code of another model" "$mbs" compare "$examples/pendulum.mbs" "$tmp/code.so"
    says "defines no model: there is no 'pendulum_model' in it"
    built "$examples/pendulum.mbs"
    exits 0 "a shared object" "$mbs" compare "$examples/pendulum.mbs" "$tmp/code.so"
    sed 's/\(f\[phi\] = \)-/\1/' "$tmp/code.c" >"$tmp/code2.c"
    ok "the sign is planted" sh -c "! cmp -s $tmp/code.c $tmp/code2.c"
    ${CC:-cc} -O1 -fPIC -shared -I"$top_srcdir/runtime" "$tmp/code2.c" -o "$tmp/code.so" -lm
    exits 1 "a sign planted in generated code" "$mbs" compare "$examples/pendulum.mbs" "$tmp/code.so"
    says "f\[phi\]: generated"
else
    skip "no 128-bit arithmetic"
fi

# --- extern functions, against the same as a formula; by entries and, in a chain of 24 links, by columns -----------
cat >"$tmp/law.c" <<'END'
#include <math.h>
double law(double x), law_1(double x), law_11(double x);
double law(double x) { return sin(2*x) + x*x/3; }
double law_1(double x) { return 2*cos(2*x) + 2*x/3; }
double law_11(double x) { return -4*sin(2*x) + 2.0/3; }
END
cat >"$tmp/extern.mbs" <<'END'
model links
option n = 1
planar
gravity [0, -9.81]
extern law(x)
for i in 1..n {
    body link[i] { mass = 1, inertia = 1/12, com = [1/2, 0], point tip = [1, 0] }
    if i == 1 { joint J[i]: revolute(ground, link[i]) } else { joint J[i]: revolute(link[i-1].tip, link[i]) }
    torque T[i]: on J[i] = -1.3*law(J[i].angle) + 0.1*abs(J[i].angle)
}
potential 0.7*law(J[1].angle)
END
sed 's/^extern law(x)/function law(x) = sin(2*x) + x^2\/3/' "$tmp/extern.mbs" >"$tmp/formula.mbs"
for n in 1 24; do
    exits 0 "extern functions in a chain of $n" "$mbs" compare "$tmp/extern.mbs" "$tmp/formula.mbs" --with "$tmp/law.c" -D n=$n --states 100
done

# --- matrices by columns, and folded parameters of a tree, against the energies -------------------------------------------
if grep -q 'HAVE_QUADMATH 1' "$top_builddir/config.h"; then
    sed 's/^extern outside(x)/function outside(x) = x + x^3\/3/' "$top_srcdir/tests/cases/columns.mbs" >"$tmp/columns.mbs"
    ok "a chain of 22 links is computed by columns" sh -c '"$1" -D n=22 "$2" -o - | grep -q " + j\] = 1.0;"' sh "$top_builddir/mbsc" "$tmp/columns.mbs"
    exits 0 "matrices by columns" "$mbs" compare "$tmp/columns.mbs" -D n=22 --directions --states 2 -O0
else
    skip "no 128-bit arithmetic"
    skip "no 128-bit arithmetic"
fi
# states are moved onto the constraints, and where that cannot be it is said
printf "model never\ncoord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint a: x^2 + y^2 + 1 = 0\n" >"$tmp/never.mbs"
"$mbs" compare "$tmp/never.mbs" --states 4 >"$tmp/out" 2>"$tmp/err"
says "4 states, 0 of them on the constraints"
cat >"$tmp/tree.mbs" <<'END'
model tree
planar
param m = 2, l = 0.7, J0 = 0.3, g = 9.81
gravity [0, -g]
body A { mass = m, inertia = J0, com = [l, 0], point P = [2*l, 0.1] }
body B { mass = 1.5*m, inertia = J0*m, com = [0, l/2] }
joint J: revolute(ground, A)
joint K: revolute(A.P, B)
END
ok "folded parameters: nothing is left of them" sh -c '"$1" --fold-params --way=tree "$2" -o "$3" && ! grep -q "p\[" "$3"' sh "$top_builddir/mbsc" "$tmp/tree.mbs" "$tmp/folded.c"
${CC:-cc} -shared -fPIC -I"$top_srcdir/runtime" "$tmp/folded.c" -o "$tmp/folded.so" -lm
exits 0 "folded parameters of a tree" "$mbs" compare "$tmp/tree.mbs" "$tmp/folded.so" --states 100

# --- two models ----------------------------------------------------------------------------------------
if "$mbs" compare "$models/squeezer.mbs" --states 4 >"$tmp/out" 2>"$tmp/err"; then
    for quantity in xyz y energy gmuq "constraints G"; do says "^$quantity "; done
fi
exits 0 "a model against itself" "$mbs" compare "$models/squeezer.mbs" "$models/squeezer.mbs" --states 200
sed -e 's/^coord .*/coord epsilon, Omega, delta, Phi, gamma, Theta, beta: rad/' \
    -e 's/^constraint loopB: *F = \(.*\)/constraint hinge: \1 = F/' "$models/squeezer.mbs" >"$tmp/reordered.mbs"
exits 0 "coordinates in another order, a constraint turned round" "$mbs" compare "$models/squeezer.mbs" "$tmp/reordered.mbs" --states 500
says "the constraint loopB.x corresponds to -hinge.x"
sed 's/^kinetic m7.*/kinetic m7*norm2(C7'"'"')\/2 + I7*epsilon'"'"'^2\/2*(1 + 1e-9)/' "$models/squeezer.mbs" >"$tmp/heavier.mbs"
exits 1 "an inertia that differs by 1e-9" "$mbs" compare "$models/squeezer.mbs" "$tmp/heavier.mbs" --states 500
says "  M\[epsilon, epsilon\]: first"
exits 0 "energies against bodies and joints" "$mbs" compare "$models/squeezer.mbs" "$models/squeezer_bodies.mbs" --states 1000
says "all within 1e-13"
says "U differs: one model states as a potential what is a force in the other"
exits 2 "models with other coordinates" "$mbs" compare "$models/squeezer.mbs" "$models/crank.mbs"
says "do not have the same coordinates"

# --- JSON ------------------------------------------------------------------------------------------------
"$mbs" compare "$models/squeezer.mbs" "$hand/squeezer_as_printed.c" --states 100 --json >"$tmp/json"
if command -v python3 >/dev/null 2>&1; then
    ok "the JSON is well-formed and names the entry" python3 -c '
import json, sys
r = json.load(open(sys.argv[1]))
assert r["good"] is False and r["states"] == 100
g = [q for q in r["quantities"] if q["name"] == "G"][0]
assert g["wrong"] == 1 and g["worst"] == "G[loopA6.x, epsilon]" and g["hand"] == 0' "$tmp/json"
else
    skip "no python3"
fi

# --- usage, files, compilers, cache ------------------------------------------------------------------------
exits 0 "help" "$mbs" compare --help
says "usage: mbs compare MODEL.mbs"
exits 2 "no file" "$mbs" compare
exits 2 "an unknown option" "$mbs" compare --frobnicate "$models/squeezer.mbs"
# Every function of the table in energies and forces, in its domain
{
    echo 'model functions'
    echo 'coord x, y'
    echo "kinetic x'^2/2 + y'^2/2"
    sed -n 's/^FUNCTION([A-Z0-9]*, "\([a-z0-9]*\)", \([12]\).*/\1 \2/p' "$top_srcdir/runtime/mbs/ops.def" | while read -r f n; do
        if [ "$n" = 1 ]; then echo "potential x*$f(0.5 + 0.3*sin(x*y + 0.4))"; else echo "potential x*$f(1.1*x, y + 0.3)"; fi
        if [ "$n" = 1 ]; then echo "force y = $f(0.5 + 0.3*cos(y'))"; else echo "force y = $f(x, y')"; fi
    done
} >"$tmp/functions.mbs"
exits 0 "every function of the table in 128 bit" "$mbs" compare "$tmp/functions.mbs"
exits 0 "tables in 128 bit" "$mbs" compare "$top_srcdir/tests/cases/tables.mbs"
# Code with its parameters baked in still has its discrete states
printf 'model counts\nparam m = 2\ncoord x\ndiscrete n = 1\nkinetic m*x'"'^2/2"'\npotential n*x^2/2\nwhen up: x > 1 { n = n + 1 }\n' >"$tmp/counts.mbs"
"$top_builddir/mbsc" --fold-params "$tmp/counts.mbs" -o "$tmp/counts.c" && ${CC:-cc} -shared -fPIC -I"$top_srcdir/runtime" "$tmp/counts.c" -o "$tmp/counts.so" -lm
exits 0 "baked parameters beside discrete states" "$mbs" compare "$tmp/counts.mbs" "$tmp/counts.so"
# A constraint within one rigid body restricts nothing; what rounding leaves of its row must not give accelerations.
cat >"$tmp/within.mbs" <<END
model within
planar
body A { mass = 0.9, inertia = 0.77 }
body B { mass = 2.75, inertia = 0.95 }
body C { mass = 0.69, inertia = 0.75 }
joint J1: revolute(ground @ [-0.762, 0.172], A @ [-0.662, -0.832]) angle phi
joint J2: prismatic(A @ [-0.03, 0.082], B @ [0.9, 0.3]) axis [0.6, -0.8] distance s
joint J3: fixed(B @ [0.292, -0.364], C @ [-0.77, 0.29])
cut joint L: distance(C @ [0.486, -0.83], B @ [1.7286146879986097, -0.69826573545557724]) length = 0.80622577482985491
END
exits 0 "a constraint that restricts nothing" "$mbs" compare "$tmp/within.mbs"
exits 0 "the same along random directions" "$mbs" compare --directions -O0 "$tmp/within.mbs"
says 'rq\*d'
# In space with joints whose motion has roots, which are no numbers for large values of their coordinates
cat >"$tmp/rooted.mbs" <<END
model rooted
spatial
body A { mass = 1, inertia = [1, 1.2, 1.3] }
body B { mass = 1, inertia = [1, 1.2, 1.3], point P = [0.1, 0.2, 0.3] }
joint J1: constant_velocity(ground @ [0.4, -0.7, 0.8], A @ [-1, -0.5, -0.8]) axis [1, 0, 0]
joint J2: constant_velocity(A @ [-0.75, 0.6, 0.2], B.P) axis [0.6, 0, -0.8]
cut joint L: distance(B.P, A @ [-0.05, 0.2, 0.2]) length = 0.80622577482985491
END
exits 0 "a constraint that restricts nothing, with roots" "$mbs" compare "$tmp/rooted.mbs"
says "the joint 'L' constrains nothing"
exits 2 "a number that is none" "$mbs" compare --tol x "$models/squeezer.mbs"
exits 2 "a missing value" "$mbs" compare "$models/squeezer.mbs" --states
exits 2 "a file of another kind" "$mbs" compare "$models/squeezer.mbs" notes.txt
exits 2 "three files" "$mbs" compare a.mbs b.c c.c
exits 1 "a model that does not exist" "$mbs" compare "$tmp/none.mbs"
exits 1 "hand-written code that does not exist" "$mbs" compare "$examples/pendulum.mbs" "$tmp/none.c"
echo 'int nothing;' >"$tmp/empty.c"
exits 1 "hand-written code without the functions" "$mbs" compare "$examples/pendulum.mbs" "$tmp/empty.c"
says "defines none of the functions hand_mass"
echo 'this is not C' >"$tmp/broken.c"
exits 1 "hand-written code with errors" "$mbs" compare "$examples/pendulum.mbs" "$tmp/broken.c"
says "cannot be compiled and loaded"
exits 1 "no C compiler" env CC=no-such-compiler "$mbs" compare "$examples/pendulum.mbs"
says "the C compiler 'no-such-compiler' cannot be run"
exits 0 "a compiler with words of its own" env CC="${CC:-cc} -DNOTHING" "$mbs" compare "$examples/pendulum.mbs" "$tmp/good.c" --states 10
: >"$tmp/file"
exits 0 "a cache that cannot be written" env XDG_CACHE_HOME="$tmp/file" "$mbs" compare "$examples/pendulum.mbs" "$tmp/good.c" --states 10
says "cannot be written"
exits 1 "no place for files at all" env XDG_CACHE_HOME="$tmp/file" TMPDIR="$tmp/file" "$mbs" compare "$examples/pendulum.mbs"
says "cannot create a directory to build in"
n=$(ls "$tmp/cache/mbs" | wc -l)
"$mbs" compare "$examples/pendulum.mbs" "$tmp/good.c" --states 10 >/dev/null
if [ "$(ls "$tmp/cache/mbs" | wc -l)" = "$n" ] && [ "$(ls "$tmp"/cache/mbs/*.dep | wc -l)" = "$(ls "$tmp"/cache/mbs/*.so | wc -l)" ]; then
    pass "an unchanged model is taken from the cache, which holds no debris"
else
    fail "the cache" "$(ls "$tmp/cache/mbs")"
fi
for so in "$tmp"/cache/mbs/*.so; do echo damaged >"$so"; done
exits 0 "a damaged cache" "$mbs" compare "$examples/pendulum.mbs" "$tmp/good.c" --states 10

# M of a body without mass is singular but for its drive: the accelerations say that they are not safe, and are not taken for any.
cat >"$tmp/tied.mbs" <<'END'
model tied
planar
gravity [0.3, -9.81]
body K1 { point P = [0.868, 0.913] }
body K2 { mass = 1.3, com = [0.2, 0.1], inertia = 0.37, point P = [0.3, 0.7] }
body K3 { mass = 0.77, com = [0.9, -0.85], inertia = 0.25 }
joint J1: revolute(ground, K1)
drive D1: on J1 = 0.8*sin(t/1 [s])
joint J2: free(K1.P, K2)
joint J3: revolute(K2.P, K3)
END
cat >"$tmp/tie.mbs" <<'END'
model tie
planar
gravity [-0.856, -0.825]
param m: kg = 1.3, a = 0.4, c = 20
input u = 0.7
body K1 { point P = [0.868, 0.913] }
body K2 { mass = m*0.899, com = [-0.775, 0.951], inertia = 0.699, point P = [-0.881, 0.630] }
body K3 { mass = 1.599, com = [0, 1], inertia = 0.809, point P = [0, 1] }
body K4 { mass = 0.656, com = [-0.971, -0.590], inertia = 0.543, point P = [-0.677, 0.916] }
body K5 { mass = 0.668, com = [1, 0], inertia = 0.654, point P = [1, 1] }
body K6 { mass = m*1.414, com = [0.505, -0.467], inertia = 0.171, point P = [0.181, -0.299] }
joint J1: revolute(ground, K1)
potential m*0.72 [m^2/s^2]*cos(J1.angle)
dissipation c*(J1.angle')^4/13 [W*s^4]
drive D1: on J1 = 0.80*sin(t/1 [s])
joint J2: free(K1.P, K2)
joint J3: slot(K2.P, K3) axis [1, 0]
joint J4: fixed(K3.P, K4)
joint J5: fixed(K4.P, K5)
joint J6: revolute(K4.P, K6)
potential c*K6.P[1]^2
constraint tie: K6.P[1] + K6.P[2]^2/1 [m] = 0.3 [m]*sin(t/1 [s])
output place = K6.P
output speed = K1.P'
END
for way in tree mixed rolled; do
    exits 0 "a body without mass that is driven, $way" "$mbs" compare "$tmp/tied.mbs" --way=$way
    exits 0 "... whose pivot is a rounding error, $way" "$mbs" compare "$tmp/tie.mbs" --way=$way
done

# Constants of more than sixteen terms that begin with a minus, and numbers beside them (the signs of which tests/unit/tape has)
cat >"$tmp/oblique.mbs" <<'END'
model oblique "Entries of M were wrong by a per cent where the tape optimiser lost a sign"
spatial
gravity [0.232, 0.327, 0.253]
param m: kg = 1.3, a = 0.4, c = 20
input u = 0.7
body K1 { mass = 1.775, com = [0.161, 0.364, -0.953], inertia = [1.523, 1.607, 1.493], point P = [-0.862, -0.389, -0.440] }
body K2 { mass = m*1.817, com = [-0.873, 0.765, 0.960], inertia = [1.363, 1.103, 1.683], frame P = at([-0.769, 0.094, 0.896], z = 1.933, x = a) }
body K3 { mass = 0.953, com = [0.584, 0.897, 0.926], inertia = [1.539, 1.898, 1.073], frame P = at([-0.958, -0.939, -0.032], z = -0.823, x = a) }
body K4 { mass = m*1.415, com = [-0.185, 0.546, -0.760], inertia = [[1.5, 0.1, 0.250], [0.1, 1.2, 0.2], [0.250, 0.2, 1.1]], frame P = at([0.882, -0.345, 0.631], z = 1.273, x = a) }
body K5 { mass = 0.546, com = [1, 1, 0], inertia = [[1.5, 0.1, 0.250], [0.1, 1.2, 0.2], [0.250, 0.2, 1.1]], frame P = at([-0.665, 0.931, -0.316], z = -0.855, x = a) }
body K6 { mass = 0.696, com = [-0.449, -0.545, 0.798], inertia = [1.889, 1.889, 1.357], point P = [-0.877, 0.086, -0.381] }
body K7 { mass = m*0.659, com = [-0.293, -0.328, -0.446], inertia = [[1.5, 0.1, 0.250], [0.1, 1.2, 0.2], [0.250, 0.2, 1.1]], point P = [-0.744, 0.748, 0.494] }
joint J1: revolute(ground, K1) axis [1, 0, 0]
torque T1: on J1 = -0.94*sin(0.55*J1.angle + a)*(u + sin(1*t/1 [s]))*1 [N*m]
potential m*0.84 [m^2/s^2]*cos(J1.angle)
dissipation c*(J1.angle')^4/12 [W*s^4]
drive D1: on J1 = 0.87*sin(t/1 [s])
joint J2: fixed(K1.P, K2)
joint J3: cylindrical(K2.P, K3) axis [0.509, 0.554, 0.477]
joint J4: cylindrical(ground, K4) axis [0, -1, 0]
joint J5: universal(K4.P, K5) axis [1, 0, 0] axis2 [0, 1, 0.50]
joint J6: free(K5.P, K6)
joint J7: universal(K1.P, K7) axis [1, 0, 0] axis2 [0, 1, 0.00]
output place = K7.P
output speed = K5.P'
END
exits 0 "a mechanism with long constants, by its energies" "$mbs" compare "$tmp/oblique.mbs" --way=energies --states 10
done_testing
