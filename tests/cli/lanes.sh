#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# mbsc --lanes: forward dynamics of several states at once give what accelerations() gives for each of them, to 1e-11 of the largest: the same formulas, but
# where functions share values in another order, which solving (condition some 1e3) may enlarge.  Models with constraints, conditions, functions, states and inputs, trees as statements and mixed.
. "${top_srcdir:-.}/tests/tap.sh"
mbsc=$top_builddir/mbsc
cd "$tmp" || exit 99
cat >caller.c <<'END'
#include "mbs/model.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define JOIN(a, b) a##b
#define NAME(a, b) JOIN(a, b)
typedef double lanes __attribute__((vector_size(8*N)));
void NAME(MODEL, _lanes)(const double *c, lanes t, const lanes *q, const lanes *v, const lanes *z, const lanes *u, lanes *a, lanes *lambda, lanes *zdot,
    lanes *unsafe, lanes *w);
extern const struct mbs_model NAME(MODEL, _model);
#define OFF(a, b) (top = (b) > top ? (b) : -(b) > top ? -(b) : top, off = (a) - (b) > off ? (a) - (b) : (b) - (a) > off ? (b) - (a) : off)
static void *room(int n) { return aligned_alloc(64, ((size_t)n + 8)*64*16); }
int main(void)
{
    const struct mbs_model *m = &NAME(MODEL, _model);
    double *p = room(m->np), *c = room(m->nc), *w = room(m->nw), x[4][64], out[3][64], unsafe, bad = 0, moved = 0, off = 0, top = 0;
    lanes *l[4], *a = room(m->nq), *lambda = room(m->ng + m->nh), *zdot = room(m->nz), u, *lw = room(m->nw + 5000), t;
    int size[] = {m->nq, m->nq, m->nz, m->nu};
    m->defaults(p, 0);
    m->setup(p, c);
    srand(3);
    for (int k = 0; k < 4; k++) {
        l[k] = room(size[k]);
        for (int i = 0; i < size[k]; i++)
            for (int j = 0; j < N; j++)
                l[k][i][j] = (double)rand()/RAND_MAX - 0.5;
    }
    for (int j = 0; j < N; j++)
        t[j] = 0.1*j;
    NAME(MODEL, _lanes)(c, t, l[0], l[1], l[2], l[3], a, lambda, zdot, &u, lw);
    for (int j = 0; j < N; j++) {
        for (int k = 0; k < 4; k++)
            for (int i = 0; i < size[k]; i++)
                x[k][i] = l[k][i][j];
        struct mbs_state s = {.t = t[j], .q = x[0], .v = x[1], .z = x[2], .u = x[3]};
        m->accelerations(c, &s, &(struct mbs_accelerations){.a = out[0], .lambda = out[1], .zdot = out[2], .unsafe = &unsafe}, w);
        for (int i = 0; i < m->nq; i++)
            OFF(a[i][j], out[0][i]), bad += a[i][j] != a[i][j], moved += a[i][j] != a[i][0];
        for (int i = 0; i < m->ng + m->nh; i++)
            OFF(lambda[i][j], out[1][i]);
        for (int i = 0; i < m->nz; i++)
            OFF(zdot[i][j], out[2][i]);
        bad += unsafe != u[j];
    }
    printf("off by %g of %g, %g wrong, %g vary\n", off, top, bad, moved);
    return !(off <= 1e-11*top) || bad > 0 || moved == 0;
}
END
try() { # NAME LANES OPTION...
    name=$1 n=$2
    shift 2
    "$mbsc" --solver --lanes="$n" "$@" "$name.mbs" -o "$name.c" 2>err && $CC -O0 -w -DN="$n" -DMODEL="$name" -I"$top_srcdir/runtime" caller.c "$name.c" -o run -lm 2>>err &&
        ./run >out 2>>err && pass "$name, $n lanes $*: the same numbers" || fail "$name, $n lanes $*: the same numbers" "$(cat out err 2>/dev/null | head -5)"
}
cat >closed.mbs <<'END'
model closed
planar
body A { mass = 1, com = [0.5, 0], inertia = 0.2, point P = [1, 0] }
body B { mass = 2, com = [0.4, 0.1], inertia = 0.3, point P = [1.5, 0] }
body C { mass = 1, com = [0.5, 0], inertia = 0.2, point P = [1, 0] }
joint a: revolute(ground, A)
joint b: revolute(A.P, B)
joint c: revolute(ground @ [1.2, 0], C)
joint d: revolute(B.P, C.P)
input push = 1
state heat = 0.3
heat' = if(a.angle > 0, abs(c.angle), -min(heat, 0.2)) + push
torque T: on a = push*tanh(a.angle)
END
cat >tree.mbs <<'END'
model tree
spatial
for i in 1 .. 5 {
    body K[i] { mass = i, com = [0.1, 0.2, 0.3], inertia = [1, 2, 2.5], point P = [0.3, 0.1, i] }
}
joint base: free(ground, K[1]) angles zyx
for i in 2 .. 5 {
    joint j[i]: universal(K[i - 1].P, K[i])
}
END
try closed 4
try tree 8
try tree 2 --way=mixed
try closed 16 --way=energies
"$mbsc" --lanes=3 tree.mbs -o - >out 2>err
[ $? = 2 ] && grep -q "lanes is 2, 4, 8 or 16" err && pass "3 lanes are refused" || fail "3 lanes are refused" "$(cat err)"
"$mbsc" --lanes=4 --way=rolled tree.mbs -o x.c >out 2>err
[ $? = 1 ] && [ ! -e x.c ] && grep -q "cannot be computed in lanes" err && pass "rolled code has no lanes, and says so" || fail "rolled code has no lanes" "$(cat err)"
done_testing
