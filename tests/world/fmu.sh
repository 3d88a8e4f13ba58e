#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# FMUs: what they depend on, FMPy's validation and simulation in both versions and kinds, CasADi, coupling, threads.  A few models;
# `make judge-fmu` takes all.
. "${top_srcdir:-.}/tests/tap.sh"
. "$top_srcdir/tests/world/venv.sh"
mbs=$top_builddir/mbs
cd "$tmp" || exit 99
count() { # the TAP lines of a Python program
    while IFS= read -r line; do
        case $line in
        "ok - "*"# SKIP"*) skip "${line#*SKIP }" ;;
        "ok - "*) pass "${line#ok - }" ;;
        "not ok - "*) fail "${line#not ok - }" ;;
        *) echo "# $line" ;;
        esac
    done
}

ok "squeezer" "$mbs" fmu "$top_srcdir/models/squeezer.mbs" -q -o squeezer.fmu
if command -v unzip >/dev/null; then
    ok "unzip finds no fault" unzip -q squeezer.fmu -d squeezer
    needs=$(ldd squeezer/binaries/*/squeezer.so | sed -n 's/^[[:space:]]*\([^ ]*\) =>.*/\1/p' | grep -vE '^(libc\.so|libm\.so|linux-)' || :)
    [ -z "$needs" ] && pass "libc and libm only" || fail "also needs $needs"
    shown=$(nm -D --defined-only squeezer/binaries/*/squeezer.so | awk '{ print $3 }' | grep -v '^fmi2' || :)
    [ -z "$shown" ] && pass "nothing but the interface is to be seen" || fail "to be seen: $shown"
    bad=$(cd squeezer/sources && grep -L SPDX $(find . -name '*.[ch]'))
    [ -z "$bad" ] && pass "each source has its licence" || fail "without a licence: $bad"
    # 100 instances in 8 threads; the binary and its own sources, compiled otherwise, give the same digits; with ALL under the thread sanitizer
    from_sources() { # directory of an FMU, library, options
        (cd "$1/sources" && ${CC:-cc} $3 -fPIC -w -shared -Wl,-z,defs -I. $(find . -name '*.c') -lm -o "$tmp/$2")
    }
    sed -e "s/@TOKEN@/$(sed -n 's/.*guid="\([^"]*\)".*/\1/p' squeezer/modelDescription.xml)/" "$top_srcdir/tests/world/threads.c" >threads.c
    ok "threads.c" ${CC:-cc} threads.c squeezer/binaries/*/squeezer.so -lpthread -o threads
    by_binary=$(LD_LIBRARY_PATH=$(echo "$tmp"/squeezer/binaries/*) ./threads print) && pass "100 instances in 8 threads" || fail "100 instances in 8 threads"
    ok "the sources build alone" from_sources squeezer alone.so -O1
    ok "threads.c" ${CC:-cc} threads.c ./alone.so -lpthread -o threads
    by_sources=$(LD_LIBRARY_PATH=$tmp ./threads print)
    [ "$by_sources" = "$by_binary" ] && pass "... and end at the same $by_binary" || fail "sources end at $by_sources, the binary at $by_binary"
    if [ -n "${ALL-}" ] && echo 'int main(void) { return 0; }' >try.c && ${CC:-cc} -fsanitize=thread try.c -o try 2>/dev/null && ./try; then
        ok "the sources for the thread sanitizer" from_sources squeezer tsan.so "-O1 -g -fsanitize=thread"
        ok "threads.c" ${CC:-cc} -fsanitize=thread threads.c ./tsan.so -lpthread -o threads
        ok "... under the thread sanitizer" env LD_LIBRARY_PATH="$tmp" ./threads
    fi
    # what is carried is enough: for each method, with events and contacts or without
    carries() { # name, statements
        cat >carried.mbs
        rm -rf carried
        ok "$1" sh -c "'$mbs' fmu carried.mbs -q -o carried.fmu && unzip -q carried.fmu -d carried"
        ok "... its sources build alone" from_sources carried carried.so -O0
    }
    carries "a model with contacts" <<'MBS'
model carried
coord y
kinetic y'^2/2
potential 10*y
init y = 1
constraint ground: y >= 0, restitution = 0.5
simulate { to = 1 }
MBS
    for method in ${ALL:+dop853 dopri5 radau radau5 genalpha hht halfexplicit rattle moreau nsalpha}; do
        step="rtol = 1e-6"
        case $method in rattle | moreau | nsalpha) step="step = 0.01" ;; esac
        carries "$method" <<MBS
model carried
coord x, y
kinetic (x'^2 + y'^2)/2
potential 10*y
constraint rod: x^2 + y^2 = 1
init x = 1, y = 0
simulate { to = 1, solver = $method, $step }
MBS
    done
    # a cart of 1e-6 kg under a pendulum of 1 kg loses a hundred tolerances of its energy by dopri5: the witness says so once, and the step ends with a warning
    cat >cart.mbs <<'MBS'
model cart
coord x: m, phi: rad
let P = [x + 1 [m]*sin(phi), -1 [m]*cos(phi)]
kinetic 1e-6 [kg]*x'^2/2 + 1 [kg]*norm2(P')/2
potential 9.81 [N]*P[2]
init x = 0, phi = pi/2
simulate { to = 10, solver = dopri5, rtol = 1e-8 }
MBS
    cat >doubt.c <<'C'
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
typedef struct { void (*log)(void *, const char *, int, const char *, const char *, ...); void *allocate, *release, *finished, *user; } callbacks;
void *fmi2Instantiate(const char *, int, const char *, const char *, const callbacks *, int, int);
int fmi2SetupExperiment(void *, int, double, double, int, double), fmi2EnterInitializationMode(void *), fmi2ExitInitializationMode(void *), fmi2DoStep(void *, double, double, int);
static int said;
static void on_log(void *u, const char *name, int status, const char *category, const char *text, ...)
{
    char line[600] = "";
    va_list ap;
    va_start(ap, text);
    vsnprintf(line, sizeof line, text, ap);
    va_end(ap);
    said += status == 1 && strstr(line, "the energy is off by");
}
int main(void)
{
    const callbacks call = { on_log };
    void *c = fmi2Instantiate("x", 1, "@TOKEN@", "", &call, 0, 0);
    int warned = 0;
    if (!c || fmi2SetupExperiment(c, 0, 0, 0, 0, 0) || fmi2EnterInitializationMode(c) || fmi2ExitInitializationMode(c))
        return 2;
    for (int k = 0; k < 20; k++) {
        int status = fmi2DoStep(c, k * 0.5, 0.5, 0);
        if (status > 1)
            return 3;
        warned += status == 1;
    }
    printf("%d %d\n", warned, said);
    return !(warned == 1 && said == 1);
}
C
    ok "an FMU of what will be doubtful" sh -c "'$mbs' fmu cart.mbs -q -o cart.fmu && unzip -q cart.fmu -d cart"
    sed -i "s/@TOKEN@/$(sed -n 's/.*guid="\([^"]*\)".*/\1/p' cart/modelDescription.xml)/" doubt.c
    ok "... compiles" ${CC:-cc} doubt.c cart/binaries/*/cart.so -o doubt
    ok "... warns once, and its step ends with a warning" env LD_LIBRARY_PATH="$(echo "$tmp"/cart/binaries/*)" ./doubt
else
    skip "no unzip"
fi
fails_with "another version" 2 "is 2 or 3" "$mbs" fmu "$top_srcdir/models/squeezer.mbs" --fmi 4
fails_with "an unknown target" 1 "no target" "$mbs" fmu "$top_srcdir/models/squeezer.mbs" --targets vax
fails_with "an unknown parameter" 1 "no parameter" "$mbs" fmu "$top_srcdir/models/squeezer.mbs" --set nonsense=1

if need fmpy; then
    models="models/squeezer.mbs examples/cart.mbs"
    [ -z "${ALL-}" ] || models=$(cd "$top_srcdir" && grep -l '^ *model ' models/*.mbs examples/*.mbs)
    paths=
    for m in $models; do paths="$paths $top_srcdir/$m"; done
    cat >oneway.mbs <<'MBS'
model oneway "A wheel on a rope, and a drum that drives another one way, with a ratchet"
planar
gravity [0, -9.81]
body disc { mass = 1, inertia = 0.02 }
joint P: free(ground, disc)
wheel W: between disc and ground, normal = [0, 1], radius = 0.2
rope R: between disc and ground @ [0, 0.2], length = 0.5, restitution = 0.5
body drum { inertia = 0.1, mass = 1 }
body fly { inertia = 0.3, mass = 1 }
joint D: revolute(ground, drum)
joint F: revolute(ground, fly)
clutch C: between D and F
ratchet T: on D, pitch = 0.3, restitution = 0.2
torque M: on D = 2 [N*m]*sin(4 [rad/s]*t)
init P.y = 0.2, P.x' = 1, P.angle' = -5, D.angle = 0.1
simulate { to = 1.5 }
MBS
    paths="$paths oneway.mbs"
    "$python" "$top_srcdir/tests/world/fmu.py" "$mbs" $paths >fmpy.out 2>fmpy.err || echo "not ok - FMPy ends: $(tail -n 1 fmpy.err)" >>fmpy.out
    count <fmpy.out
    "$python" "$top_srcdir/tests/world/couple.py" "$mbs" >couple.out 2>couple.err || echo "not ok - coupling ends: $(tail -n 1 couple.err)" >>couple.out
    count <couple.out
    "$python" "$top_srcdir/tests/world/calls.py" "$mbs" >calls.out 2>calls.err || echo "not ok - calls end: $(tail -n 1 calls.err)" >>calls.out
    count <calls.out
    if need casadi; then
        beta=$("$mbs" run "$top_srcdir/models/squeezer.mbs" --to 0.003 --every 0.003 -q -o - | tail -n 1 | cut -d, -f2)
        "$python" "$top_srcdir/tests/world/casadi_fmu.py" squeezer.fmu "$beta" >ca.out 2>ca.err || echo "not ok - CasADi ends: $(tail -n 1 ca.err)" >>ca.out
        count <ca.out
    else
        skip "CasADi cannot be installed"
    fi
else
    skip "FMPy cannot be installed"
fi
done_testing
