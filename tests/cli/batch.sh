#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# mbsc --batch: forward dynamics of several states at once give what accelerations() gives for each of them, to 1e-11 of the largest: the same formulas, but
# where functions share values in another order, which solving (condition some 1e3) may enlarge.  Models with constraints, conditions, functions, states and
# inputs, trees as statements and mixed; every lane with parameters of its own.  Its sine and cosine against 128 bits: at most one unit in the last place
# more than the half that rounding takes.  mbs sweep --batch: the same bytes for 4 and 8 lanes and any number of workers, and the results of the scalar code
# within what tolerances leave.
. "${top_srcdir:-.}/tests/tap.sh"
mbsc=$top_builddir/mbsc mbs=$top_builddir/mbs
cd "$tmp" || exit 99
cat >caller.c <<'END'
#include "mbs/model.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define JOIN(a, b) a##b
#define NAME(a, b) JOIN(a, b)
extern const struct mbs_model NAME(MODEL, _model);
#define OFF(a, b) (top = (b) > top ? (b) : -(b) > top ? -(b) : top, off = (a) - (b) > off ? (a) - (b) : (b) - (a) > off ? (b) - (a) : off)
static double *room(int n) { return aligned_alloc(64, ((size_t)n + 8)*64); }
int main(void)
{
    const struct mbs_model *m = &NAME(MODEL, _model);
    const struct mbs_batch *b = m->batch;
    int n = b->lanes;
    double *p = room(m->np), *c = room(m->nc), *w = room(m->nw), x[4][64], out[3][64], unsafe, bad = 0, moved = 0, off = 0, top = 0;
    double *C = room(m->nc), *l[4], *a = room(m->nq), *lambda = room(m->ng + m->nh), *zdot = room(m->nz), *u = room(1), *t = room(1), *W = room(b->nw);
    int size[] = {m->nq, m->nq, m->nz, m->nu};
    srand(3);
    for (int k = 0; k < 4; k++) {
        l[k] = room(size[k]);
        for (int i = 0; i < size[k]*n; i++)
            l[k][i] = (double)rand()/RAND_MAX - 0.5;
    }
    for (int round = 0; round < 2; round++) {           /* first constants of all lanes, then what they give */
        for (int j = 0; j < n; j++) {
            m->defaults(p, 0);
            for (int i = 0; i < m->np; i++)
                p[i] *= 1 + 0.01*j;
            m->setup(p, c);
            t[j] = 0.1*j;
            for (int i = 0; i < m->nc && !round; i++)
                C[i*n + j] = c[i];
            for (int k = 0; k < 4; k++)
                for (int i = 0; i < size[k]; i++)
                    x[k][i] = l[k][i*n + j];
            struct mbs_state s = {.t = t[j], .q = x[0], .v = x[1], .z = x[2], .u = x[3]};
            m->accelerations(c, &s, &(struct mbs_accelerations){.a = out[0], .lambda = out[1], .zdot = out[2], .unsafe = &unsafe}, w);
            for (int i = 0; i < m->nq && round; i++)
                OFF(a[i*n + j], out[0][i]), bad += a[i*n + j] != a[i*n + j], moved += a[i*n + j] != a[i*n];
            for (int i = 0; i < m->ng + m->nh && round; i++)
                OFF(lambda[i*n + j], out[1][i]);
            for (int i = 0; i < m->nz && round; i++)
                OFF(zdot[i*n + j], out[2][i]);
            bad += round && unsafe != u[j];
        }
        b->accelerations(C, &(struct mbs_batch_state){t, l[0], l[1], l[2], l[3]}, &(struct mbs_accelerations){a, lambda, zdot, u}, W);
    }
    if (m->ng + m->nh && MATRICES != (b->dynamics && b->constraints))
        return 3;
    if (b->dynamics && b->constraints) {
        double *M = room(m->M.nnz), *G = room(m->G.nnz), *f = room(m->nq), *gamma = room(m->ng + m->nh), *g = room(m->ng), *gt = room(m->ng + m->nh), *H = room(m->G.nnz);
        double *one = room(m->M.nnz), *two = room(m->G.nnz), *three = room(m->nq), *four = room(m->ng + m->nh), *five = room(m->ng), *six = room(m->ng + m->nh);
        struct mbs_batch_state at = {t, l[0], l[1], l[2], l[3]};
        b->dynamics(C, &at, &(struct mbs_dynamics){.M = M, .f = f, .G = G, .zdot = zdot, .gamma = gamma}, W);
        b->constraints(C, &at, &(struct mbs_constraints){.g = g, .G = H, .gt = gt}, W);
        for (int j = 0; j < n; j++) {
            m->defaults(p, 0);
            for (int i = 0; i < m->np; i++)
                p[i] *= 1 + 0.01*j;
            m->setup(p, c);
            for (int k = 0; k < 4; k++)
                for (int i = 0; i < size[k]; i++)
                    x[k][i] = l[k][i*n + j];
            struct mbs_state s = {.t = t[j], .q = x[0], .v = x[1], .z = x[2], .u = x[3]};
            m->dynamics(c, &s, &(struct mbs_dynamics){.M = one, .f = three, .G = two, .zdot = out[2], .gamma = four}, w);
            for (int i = 0; i < m->M.nnz; i++)
                OFF(M[i*n + j], one[i]);
            for (int i = 0; i < m->nq; i++)
                OFF(f[i*n + j], three[i]);
            for (int i = 0; i < m->ng + m->nh; i++)
                OFF(gamma[i*n + j], four[i]);
            for (int i = 0; i < m->nz; i++)
                OFF(zdot[i*n + j], out[2][i]);
            m->constraints(c, &s, &(struct mbs_constraints){.g = five, .G = two, .gt = six}, w);
            for (int i = 0; i < m->G.nnz; i++)
                OFF(G[i*n + j], two[i]), OFF(H[i*n + j], two[i]);
            for (int i = 0; i < m->ng; i++)
                OFF(g[i*n + j], five[i]);
            for (int i = 0; i < m->ng + m->nh; i++)
                OFF(gt[i*n + j], six[i]);
        }
    }
    printf("off by %g of %g, %g wrong, %g vary\n", off, top, bad, moved);
    return !(off <= 1e-11*top) || bad > 0 || moved == 0;
}
END
try() { # NAME LANES OPTION...
    name=$1 n=$2
    shift 2
    "$mbsc" --solver --batch="$n" "$@" "$name.mbs" -o "$name.c" 2>err && $CC -O0 -w -DMODEL="$name" -DMATRICES=1 -I"$top_srcdir/runtime" caller.c "$name.c" -o run -lm 2>>err &&
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
try tree 4 --way=mixed
try closed 8 --way=energies
"$mbsc" --batch=3 tree.mbs -o - >out 2>err
[ $? = 2 ] && grep -q "batch is 4 or 8" err && pass "3 lanes are refused" || fail "3 lanes are refused" "$(cat err)"
"$mbsc" --batch=4 --way=rolled tree.mbs -o x.c >out 2>err
[ $? = 1 ] && [ ! -e x.c ] && grep -q "cannot be computed in batches" err && pass "rolled code has no lanes, and says so" || fail "rolled code has no lanes" "$(cat err)"

# Angles of a turn, of all sizes up to 1e5, and the doubles next to multiples of pi/2, where the reduction loses most.
cat >sine.c <<'END'
#include "tree.c"
#include <quadmath.h>
#include <stdio.h>
#include <stdlib.h>
static double worst[2], at[2];
static void check(int k, double x, double got, __float128 exact)
{
    int e;
    frexpq(exact, &e);
    double off = (double)(fabsq((__float128)got - exact)/ldexpq(1, e - 53));
    if (!(off <= worst[k]))
        worst[k] = off, at[k] = x;
}
int main(int argc, char **argv)
{
    long n = argc > 1 ? atol(argv[1]) : 20000;
    unsigned long long s = 1;
    for (long i = 0; i < n; i++) {
        lanes x, sn, cs;
        for (int j = 0; j < LANES; j++) {
            s = s*6364136223846793005ULL + 1442695040888963407ULL;
            double r = (double)(s >> 11)*0x1p-53;
            x[j] = j%4 == 0 ? 6.3*(r - 0.5) : j%4 == 1 ? exp(-20 + 31.5*r) : j%4 == 2 ? -2e5*(r - 0.5) : floor(60000*r)*1.5707963267948966 + (double)(s%5 - 2.0)*1e-12*(s%3);
        }
        sn = sin_lanes(x), cs = cos_lanes(x);
        for (int j = 0; j < LANES; j++)
            check(0, x[j], sn[j], sinq(x[j])), check(1, x[j], cs[j], cosq(x[j]));
    }
    lanes far = {2e5}, zero = {0};
    printf("sine off by %.3f units at %.17g, cosine by %.3f at %.17g\n", worst[0], at[0], worst[1], at[1]);
    return !(worst[0] <= 1.5 && worst[1] <= 1.5 && sin_lanes(far)[0] != sin_lanes(far)[0] && sin_lanes(zero)[0] == 0);
}
END
"$mbsc" --batch=4 tree.mbs -o tree.c
if echo '#include <quadmath.h>
int main(void) { return sinq(0) != 0; }' >have.c && $CC -w have.c -o have -lquadmath 2>/dev/null; then
    for flags in "" "-mfma -ffp-contract=fast"; do
        case $flags in *fma*) grep -qw fma /proc/cpuinfo 2>/dev/null && $CC -mfma -w have.c -o have -lquadmath 2>/dev/null || { skip "fused products" "this machine has none"; continue; } ;; esac
        $CC -O1 -w $flags -I"$top_srcdir/runtime" -I. sine.c -o sine -lquadmath -lm && ./sine >out &&
            pass "sine and cosine of lanes $flags: $(cat out)" || fail "sine and cosine of lanes $flags" "$(cat out)"
    done
else
    skip "sine and cosine of lanes" "there is no quadmath"
fi

# A study in batches.
cp "$top_srcdir/models/squeezer.mbs" .
study() { # FILE OPTION...
    file=$1
    shift
    "$mbs" sweep squeezer.mbs --vary '*=+-1%' --cases 37 -m 'end(beta)' -m 'max(Fx)' --every 0.001 --rtol 1e-6 -q "$@" -o "$file" 2>err
}
for way in dop853/index1 dop853/projected dopri5/projected halfexplicit/index2 halfexplicit/projected; do
    form="${way%/*} ${way#*/}" with="--solver ${way%/*} --formulation ${way#*/}"
    study one.csv $with --jobs 2 && study four.csv $with --batch 4 --jobs 1 && study eight.csv $with --batch 8 --jobs 3 && study again.csv $with --batch 4 --jobs 3
    cmp four.csv again.csv && pass "$form: a batch gives the same bytes for 1 and 3 workers" || fail "$form: a batch gives the same bytes for 1 and 3 workers" "$(cat err)"
    # both have errors of the tolerance, amplified by the motion; the parameters must be the same to the last bit
    awk -F, 'NR == FNR { for (i = 1; i <= NF; i++) x[FNR, i] = $i; next } FNR > 1 { for (i = 1; i <= NF; i++) { d = $i - x[FNR, i]; d = d < 0 ? -d : d
        if (i < NF - 1 ? d > 0 : d > 2e-4) bad = bad " " i ":" d } } END { print bad; exit bad != "" }' one.csv four.csv >out &&
        pass "$form: a batch gives the results of the scalar code" || fail "$form: a batch gives the results of the scalar code" "$(head -c 300 out)"
    awk -F, 'NR == FNR { for (i = 1; i <= NF; i++) x[FNR, i] = $i; next } FNR > 1 { for (i = 1; i <= NF; i++) { d = $i - x[FNR, i]; d = d < 0 ? -d : d
        if (d > 1e-8) bad = bad " " i ":" d } } END { print bad; exit bad != "" }' four.csv eight.csv >out &&
        pass "$form: 8 lanes give the results of 4" || fail "$form: 8 lanes give the results of 4" "$(head -c 300 out)"
done
# A row knows nothing of its neighbours: the same cases in another order give the same rows.  A loop with a drive by an input, a state and forces, so that powers
# of stages are taken as well; each lane has another length of run through its stop.
awk 'BEGIN { srand(5); print "push,until"; for (i = 0; i < 23; i++) printf "%.6f,%.6f\n", 0.2 + rand(), 0.3 + rand() }' >list.csv
{ head -1 list.csv; tail -n +2 list.csv | tac; } >back.csv
sed -e 's/^input push = 1/param push = 1, until = 1/' -e '$a when late: t > until { stop }\noutput tip = sin(a.angle) + cos(c.angle)' closed.mbs >stopped.mbs
for way in dop853/projected halfexplicit/index2 halfexplicit/projected; do
    with="--solver ${way%/*} --formulation ${way#*/} --to 2 --rtol 1e-7 -q -m end(tip) -m end(heat)"
    "$mbs" sweep stopped.mbs --list list.csv $with --batch 4 --jobs 2 -o there.csv 2>err && "$mbs" sweep stopped.mbs --list back.csv $with --batch 4 --jobs 1 -o behind.csv 2>>err &&
        "$mbs" sweep stopped.mbs --list list.csv $with -o alone.csv 2>>err
    tail -n +2 behind.csv | tac | cut -d, -f2- >a; tail -n +2 there.csv | cut -d, -f2- >b
    [ "$(wc -l <a)" = 23 ] && cmp a b && pass "$way: lanes do not depend on their neighbours" || fail "$way: lanes do not depend on their neighbours" "$(cat err; diff a b | head -4)"
    awk -F, 'NR == FNR { for (i = 1; i <= NF; i++) x[FNR, i] = $i; next } FNR > 1 { for (i = 1; i <= NF; i++) { d = $i - x[FNR, i]; d = d < 0 ? -d : d
        if (d > 1e-5 || $2 != 0) bad = bad " " FNR "," i ":" d } } END { print bad; exit bad != "" || FNR != 24 }' alone.csv there.csv >out &&
        pass "$way: forces, states and events in lanes as alone" || fail "$way: forces, states and events in lanes as alone" "$(head -c 300 out)"
done
for bad in "--batch 5:takes 4 or 8" "--batch 4 --solver radau5:explicit methods dop853 and dopri5" "--batch 4 --interpret:needs a model in vectors"; do
    "$mbs" sweep squeezer.mbs --vary '*=+-1%' --cases 3 --solver dop853 ${bad%%:*} >out 2>err
    [ $? != 0 ] && grep -q -e "${bad#*:}" err && pass "refused: ${bad%%:*}" || fail "refused: ${bad%%:*}" "$(cat err)"
done
# A simulation of another model among those of a batch in lanes: it is refused, its neighbours run.
cp "$top_srcdir/models/crank.mbs" .
cat >other.c <<'END'
#include "mbs/mbs.h"
#include <stdio.h>
extern const struct mbs_model squeezer_model, crank_model;
struct seen { struct mbs_sim *give[3]; int given, status[3]; };
static struct mbs_sim *next(void *user, int lane, struct mbs_run *run)
{
    struct seen *f = user;
    (void)lane;
    run->to = 0.001;
    return f->given < 3 ? f->give[f->given++] : NULL;
}
static void done(void *user, int lane, struct mbs_sim *s, int status)
{
    struct seen *f = user;
    (void)lane;
    for (int i = 0; i < 3; i++)
        if (f->give[i] == s)
            f->status[i] = status;
}
int main(void)
{
    struct seen f = {{NULL}, 0, {9, 9, 9}};
    const struct mbs_feed feed = {&f, next, done};
    for (int i = 0; i < 3; i++) {
        const struct mbs_model *m = i == 1 ? &crank_model : &squeezer_model;
        struct mbs_options o;
        mbs_options_init(&o, m);
        o.method = "dop853";
        o.formulation = "index1";
        if (mbs_new(&f.give[i], m, NULL, &o, NULL) || mbs_assemble(f.give[i], 0))
            return 2;
    }
    int status = mbs_run_batch(&squeezer_model, &feed);
    printf("%d: %d %d %d, %s", status, f.status[0], f.status[1], f.status[2], mbs_message(f.give[1])->text);
    int good = squeezer_model.batch && status == 0 && f.status[0] == 0 && f.status[1] == MBS_BAD_ARGUMENT && f.status[2] == 0;
    for (int i = 0; i < 3; i++)
        mbs_free(f.give[i]);
    return !good;
}
END
if [ -f "$top_builddir/libmbs.so" ] && "$top_builddir/mbsc" --batch=4 squeezer.mbs -o squeezer.c 2>err && "$top_builddir/mbsc" crank.mbs -o crank.c 2>>err &&
    $CC -O1 -w -I"$top_srcdir/runtime" other.c squeezer.c crank.c "$top_builddir/libmbs.so" -Wl,-rpath,"$top_builddir" -lm -o other 2>>err; then
    ./other >out 2>&1 && pass "lanes refuse another model: $(cat out)" || fail "lanes refuse another model" "$(cat out)"
else
    skip "no shared library: $(head -n 1 err 2>/dev/null)"
fi
# an extern function may not have a name of the batches' own text, whoever calls it
printf 'model m\nextern choose(x)\ncoord x\nkinetic x'"'"'^2/2\noutput o = choose(x)\n' >named.mbs
fails_with "an extern function named like a word of the batches" 1 "a name 'choose' of their own; call the extern function otherwise" "$top_builddir/mbsc" --batch=4 named.mbs -o named.c
ok "which it may have elsewhere" "$top_builddir/mbsc" named.mbs -o named.c
done_testing
