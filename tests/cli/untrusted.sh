#!/bin/sh
# A model file is not trusted: what it can do is compute.
. "${top_srcdir:-.}/tests/tap.sh"
mbs=$top_builddir/mbs
XDG_CACHE_HOME=$tmp/cache
export XDG_CACHE_HOME
cd "$tmp" || exit 99

# --- extern functions come from the user's files or not at all -------------------------------------------
model() { # model NAME FUNCTION
    printf 'model %s "t"\nextern %s(x)\ncoord x\nkinetic x'"'"'^2/2\nforce x = -%s(x)\ninit x = 1\nsimulate { to = 1 }\n' "$1" "$2" "$2" >"$1.mbs"
}
# This parameter's bytes spell "id>pwn"; an extern of the C library once got its address in a register.
printf 'model shell "t"\nparam a = 1\nextern system(x)\ncoord x\nkinetic x'"'"'^2/2\nforce x = -system(x)\nsimulate { to = 1 }\n' >shell.mbs
command_value=$(printf 'id>pwn\0\0' | od -An -t f8 | tr -d ' ')
for command in "run" "info --set a=$command_value" "modes" "equilibrium" "report"; do
    fails_with "mbs $command: a function of the C library is not the model's" 1 "'system'.*: give their code with --with" "$mbs" $command shell.mbs
done
if [ -e pwn ] || ls cache/mbs 2>/dev/null | grep -q .; then fail "nothing ran and nothing was compiled"; else pass "nothing ran and nothing was compiled"; fi
echo 'double other(double x) { return x; }' >other.c
for f in system getpid sleep raise malloc pull; do
    model "m_$f" "$f"
    fails_with "extern $f: refused without --with" 1 "give their code with --with" "$mbs" run "m_$f.mbs"
    fails_with "extern $f: refused with files that do not define it" 1 "'$f', which the files of --with do not define" "$mbs" run "m_$f.mbs" --with other.c
done
for f in abort exit y1 fma; do
    model "m_$f" "$f"
    fails_with "extern $f: not even a name" 1 "'$f' cannot be the name of a C function" "$mbs" run "m_$f.mbs"
done
# the user's own function of such a name is taken, not that of the library: x'' = -x, so that x(1) = cos 1
printf 'double raise(double x) { return x; }\ndouble raise_1(double x) { return 1 + 0*x; }\n' >raise.c
ok "the user's own function is called, not the library's of that name" \
    sh -c '"$1" run m_raise.mbs --with raise.c | grep -q "  x  *0\.54030"' sh "$mbs"
printf '#include <stdio.h>\n#include <stdlib.h>\ndouble pull(double x) { char b[9]; sprintf(b, "%%d", 7); return atoi(b) == 7 ? x : 0; }\ndouble pull_1(double x) { return 1 + 0*x; }\n' >pull.c
ok "the user's code may use the C library" sh -c '"$1" run m_pull.mbs --with pull.c | grep -q "  x  *0\.54030"' sh "$mbs"
printf 'double pull(double x) { return missing(x); }\ndouble pull_1(double x) { return 1 + 0*x; }\n' >implicit.c
fails_with "a call of an undeclared function in the user's file is an error" 1 "does not accept implicit.c" "$mbs" run m_pull.mbs --with implicit.c
printf 'double pull(double x) { return x; }\n' >part.c
fails_with "a derivative that is missing is named" 1 "'pull_1', which the files" "$mbs" run m_pull.mbs --with part.c
printf 'double nowhere(double);\ndouble pull(double x) { return nowhere(x); }\ndouble pull_1(double x) { return 1 + 0*x; }\n' >open.c
fails_with "a function that the user's file calls and nobody defines" 1 "files of --with cannot be linked:" "$mbs" run m_pull.mbs --with open.c
fails_with "... it is named" 1 "nowhere" "$mbs" run m_pull.mbs --with open.c
cp pull.c ./-pull.c
ok "a file whose name looks like an option" "$mbs" run m_pull.mbs --with=-pull.c
# what a user's file includes is not in the key of the cache: a change is seen
printf '#include "factor.h"\ndouble pull(double x) { return FACTOR*x; }\ndouble pull_1(double x) { return FACTOR + 0*x; }\n' >scaled.c
echo '#define FACTOR 1' >factor.h
ok "a file of --with that includes another" sh -c '"$1" run m_pull.mbs --with scaled.c | grep -q "  x  *0\.54030"' sh "$mbs"
echo '#define FACTOR 4' >factor.h    # x(1) = cos 2
ok "a change in what it includes is seen" sh -c '"$1" run m_pull.mbs --with scaled.c | grep -q "  x  *-0\.4161"' sh "$mbs"
# only the descriptor is seen from outside
so=$(ls cache/mbs/*.so | head -n 1)
if command -v nm >/dev/null; then
    names=$(nm -D --defined-only "$so" | awk '{ print $3 }' | tr '\n' ' ')
    case $names in *_model' ') [ "$(echo $names | wc -w)" = 1 ] && pass "the shared object shows its descriptor alone" || fail "the shared object shows its descriptor alone" "$names" ;;
    *) fail "the shared object shows its descriptor alone" "$names" ;; esac
else
    skip "no nm"
fi

# --- what the process has given up by the time that code made from a model runs ---------------------------------
cat >evil.c <<'END'
#define _GNU_SOURCE
#include <errno.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
static int filtered(void)       /* every thread there is */
{
    DIR *d = opendir("/proc/self/task");
    int all = 1;
    for (struct dirent *e; d && (e = readdir(d));) {
        char path[300], line[200];
        FILE *f = (snprintf(path, sizeof path, "/proc/self/task/%s/status", e->d_name), *e->d_name == '.') ? NULL : fopen(path, "r");
        while (f && fgets(line, sizeof line, f))
            if (!strncmp(line, "Seccomp:", 8))
                all = all && atoi(line + 8) == 2;
        if (f)
            fclose(f);
    }
    return d && all;
}
double pull(double x)
{
    struct rlimit r;
    long parent = getppid();
    static int once;
    if (!once++) {
        fprintf(stderr, "program %s\n", system("exit 7") == 7*256 ? "yes" : "no");
        fprintf(stderr, "process %s\n", fork() >= 0 ? "yes" : "no");
        fprintf(stderr, "connection %s\n", socket(AF_INET, SOCK_STREAM, 0) >= 0 ? "yes" : "no");
        fprintf(stderr, "file %s\n", fopen("elsewhere", "w") ? "yes" : "no");
        fprintf(stderr, "signal %s\n", syscall(SYS_tgkill, parent, parent, 0) == 0 || syscall(SYS_rt_sigqueueinfo, parent, 0, NULL) == 0 || errno != EPERM ? "yes" : "no");
        fprintf(stderr, "keystroke %s\n", ioctl(0, TIOCSTI, "x") == 0 || errno != EPERM ? "yes" : "no");
        fprintf(stderr, "owned %s\n", fcntl(0, F_SETOWN, parent) == 0 || fcntl(0, F_SETSIG, 9) == 0 || ioctl(0, 0x8901 /* FIOSETOWN */, &parent) == 0 ? "yes" : "no");
        fprintf(stderr, "queue %s\n", syscall(SYS_msgctl, 0, 0, NULL) == 0 || errno != EPERM || syscall(SYS_semctl, 0, 0, 0) == 0 || errno != EPERM ? "yes" : "no");
        fprintf(stderr, "mode %s\n", fchmod(open("evil.c", O_RDONLY), 0777) == 0 || fchown(open("evil.c", O_RDONLY), getuid() + 1, -1) == 0 || chmod("evil.c", 0777) == 0 || syscall(SYS_fchmodat, -100, "evil.c", 0777) == 0 ? "yes" : "no");
        fprintf(stderr, "link %s\n", link("evil.c", "place/link") == 0 || symlink("evil.c", "place/link") == 0 ? "yes" : "no");
        fprintf(stderr, "new %s\n", syscall(425, 1, NULL) == 0 || errno != ENOSYS ? "yes" : "no");
        fprintf(stderr, "own %s\n", syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), 0) == 0 && getpriority(PRIO_PROCESS, 0) != 99 ? "yes" : "no");
        fprintf(stderr, "threads %s\n", filtered() ? "no" : "yes");
        fprintf(stderr, "memory %s\n", getrlimit(RLIMIT_AS, &r) == 0 && (r.rlim_cur == RLIM_INFINITY || r.rlim_max > r.rlim_cur) ? "yes" : "no");
    }
    return x;
}
double pull_1(double x) { return 1 + 0*x; }
END
mkdir -p place
"$mbs" run m_pull.mbs --with evil.c -q -o place/out.csv 2>err.txt
status=$?
ok "the run itself is good" sh -c 'test $1 = 0 && test -s place/out.csv' sh $status
if [ "$(uname -sm)" = "Linux x86_64" ]; then
    for what in program process connection; do ok "it starts or opens no $what" grep -qx "$what no" err.txt; done
    ok "it signals no other process" grep -qx "signal no" err.txt
    ok "nor by way of a file that it says others own" grep -qx "owned no" err.txt
    ok "nor does it touch queues and semaphores of others" grep -qx "queue no" err.txt
    ok "it types nothing at the terminal" grep -qx "keystroke no" err.txt
    ok "it changes no modes" grep -qx "mode no" err.txt
    ok "it makes no links" sh -c 'grep -qx "link no" err.txt && test ! -e place/link'
    ok "calls that came later than this program are not there" grep -qx "new no" err.txt
    ok "abort() and its like still reach the process itself" grep -qx "own yes" err.txt
    ok "all threads are bound" grep -qx "threads no" err.txt
    ok "its memory is limited" grep -qx "memory no" err.txt
    printf '#include <sys/syscall.h>\n#include <unistd.h>\nint main(void) { return syscall(444, 0, 0, 1) < 1; }\n' >landlock.c
    if ${CC:-cc} landlock.c -o landlock 2>/dev/null && ./landlock; then ok "it writes no file elsewhere" sh -c 'grep -qx "file no" err.txt && test ! -e elsewhere'
    else skip "no Landlock here"; fi
else
    skip "no filter of calls here"
fi
if [ "$(uname -sm)" = "Linux x86_64" ]; then
    "$mbs" watch --once m_pull.mbs --with evil.c -q -o place/watched.html 2>err.txt
    ok "nor does it when it is watched" sh -c 'test -s place/watched.html && grep -qx "program no" err.txt && grep -qx "connection no" err.txt'
else
    skip "no filter of calls here"
fi
"$mbs" run m_pull.mbs --with pull.c --to 1e12 --time-limit 0.3 -q -o place/long.csv 2>err.txt
ok "--time-limit ends a run, with the rows up to there" sh -c 'test $1 = 1 && test -s place/long.csv && grep -q interrupted err.txt' sh $?

# --- pipes, devices and links where a file is expected --------------------------------------------------------
mkfifo pipe.mbs pipe.urdf pipe.csv pipe.stl pipe.toml
printf 'model m\nparam a = 1\ncoord x\nkinetic a*x'"'"'^2/2\nsimulate { to = 1 }\n' >small.mbs
not_regular() { # not_regular WORDS...
    fails_with "mbs $*: it is no regular file" 1 "no regular file" sh -c 'ulimit -t 10; ulimit -v 1000000; exec timeout 10 "$0" "$@"' "$mbs" "$@"
}
for f in pipe.urdf /dev/zero; do not_regular import $f; done
for f in pipe.mbs /dev/zero; do not_regular run $f; done
not_regular plot pipe.csv
not_regular run small.mbs --params pipe.toml
fails_with "mbs fit: it is no regular file" 2 "no regular file" timeout 10 "$mbs" fit small.mbs pipe.csv --free a
mkfifo out.csv.1of2
for how in "--shard 1/2" --merge; do not_regular sweep small.mbs --vary a=1:2:4 -o out.csv $how; done
mkdir -p robot/part
echo '<sdf version="1.7"><model name="secret"/></sdf>' >secret.sdf
ln -s ../../secret.sdf robot/part/model.sdf
printf '<sdf version="1.7"><model name="m"><include><uri>model://part</uri></include></model></sdf>' >robot/m.sdf
fails_with "a link of an included robot leads nowhere else" 1 "there is no 'part/model.sdf' below the directory" "$mbs" import robot/m.sdf -o -

# --- small files that ask for much: an answer in 10 s of processor time and 1 GB ------------------------------
bounded() { # bounded STATUS PATTERN FILE
    fails_with "$3: bounded work" "$1" "$2" sh -c 'ulimit -t 10; ulimit -v 1000000; exec "$1" "$2" -o /dev/null' sh "$top_builddir/mbsc" "$3"
}
{
    printf 'model m\ncoord x\nkinetic x'"'"'^2/2\ncomponent c0(k = 1) {\n const y = k\n}\n'
    i=1
    while [ $i -lt 30 ]; do
        printf 'component c%d(k = 1) {\n use a: c%d(k = k)\n use b: c%d(k = k)\n}\n' $i $((i - 1)) $((i - 1))
        i=$((i + 1))
    done
    echo 'use top: c29(k = 1)'
} >doubling.mbs
bounded 1 "becomes too large" doubling.mbs
{ echo 'model m'; seq -f 'param a%.0f = 1' 100000; printf 'coord x\nkinetic x'"'"'^2/2\n'; } >parameters.mbs
bounded 0 "never used" parameters.mbs
printf 'model m\ncoord q[99999]\nkinetic norm2(q'"'"')/2\n' >coordinates.mbs
bounded 1 "more than 16384 coordinates" coordinates.mbs
{ printf 'model m\ncoord x\nkinetic x'"'"'^2/2\npotential 0'; seq -f '+sin(%.0f*x)' 1000000 | tr -d '\n'; echo; } >sum.mbs
bounded 1 "too long" sum.mbs
rm sum.mbs parameters.mbs

# --- what the environment says does not change what is compiled -----------------------------------------------
mkdir meddle
echo '#error not the header of the compiler' >meddle/math.h
for variable in CPATH C_INCLUDE_PATH; do
    rm -rf cache
    ok "$variable does not reach the compiler" env $variable="$PWD/meddle" "$mbs" run "$top_srcdir/examples/pendulum.mbs" --to 0.1 -q
done
rm -rf cache
ok "nor does a file of dependencies that is asked for by the environment" \
    sh -c 'DEPENDENCIES_OUTPUT=$PWD/deps.txt "$1" run "$2" --to 0.1 -q && test ! -e deps.txt' sh "$mbs" "$top_srcdir/examples/pendulum.mbs"
if command -v clang >/dev/null; then
    rm -rf cache
    ok "clang as the C compiler: the end is that of gcc" sh -c '
        "$1" run "$2" --to 1 -q -o gcc.csv && CC=clang "$1" run "$2" --to 1 -q -o clang.csv && cmp gcc.csv clang.csv' sh "$mbs" "$top_srcdir/examples/slider_crank.mbs"
else
    skip "no clang"
fi

# --- a compiler that does not work is no fault of ours ----------------------------------------------------
printf '#!/bin/sh\necho "cc: cannot do anything today" >&2\nexit 1\n' >badcc
chmod +x badcc
fails_with "a C compiler that does not work is named, with what it says" 1 "badcc' does not work" env CC="$PWD/badcc" "$mbs" run "$top_srcdir/examples/pendulum.mbs" --to 1
done_testing
