#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Faults put in on purpose, as SQLite does it: every allocation of a command fails once, every call that opens, makes or
# renames a file fails once, the disk is full after every block, and signals come at random moments.  Afterwards the
# command has ended with status 0 and its whole result, or with status 1, a message, and the old file as it was.
#
#     tests/faults/run.sh             a selection, for `make check`
#     make faults                     all of them: prints the table
#     make faults KILLS=1000          and so many kills
#     make faults ONLY='run fmu'      these lines of the list of commands alone; FAULTS_MOST=500 about so many of each kind
#     make kills                      1000 kills alone (FAULTS_MOST=0: no faults)
. "${top_srcdir:-.}/tests/tap.sh"
most=${FAULTS_MOST-12} kills=${KILLS-6}
mbs=$top_builddir/mbs mbsc=$top_builddir/mbsc
XDG_CACHE_HOME=$tmp/cache
export XDG_CACHE_HOME
cd "$tmp" || exit 99
case $(grep -c fsanitize "$top_builddir/config.status") in 0) ;; *) if grep -q '^S\["SAN_CFLAGS"\]="-f' "$top_builddir/config.status"; then
    skip "the sanitizers have an allocator of their own"; done_testing; exit; fi ;; esac
if [ "$(uname)" != Linux ] || ! ${CC:-cc} -shared -fPIC -O1 -o fault.so "$top_srcdir/tests/faults/interpose.c" -ldl 2>/dev/null; then
    skip "no library can be put before a program here"
    done_testing
    exit
fi
cp "$top_srcdir/examples/slider_crank.mbs" "$top_srcdir/examples/pendulum.mbs" "$top_srcdir"/tests/import/arm.* "$top_srcdir/tests/import/parts.xml" "$top_srcdir/tests/import/wedge.obj" \
    "$top_srcdir/tests/import/rover.sdf" "$top_srcdir/tests/import/press.sd" .
"$mbs" run pendulum.mbs -q -o data.csv && "$mbs" run pendulum.mbs --to 0.5 --every 0.1 -q -o - | cut -d, -f1,2 >few.csv && "$mbs" run slider_crank.mbs -q --to 0.1 -o x.csv || exit 99

# The commands: name, program, file that is written (- for standard output), arguments
commands() {
    cat <<END
mbsc mbsc new.c slider_crank.mbs -o new.c
dump mbsc new.c slider_crank.mbs --dump=tape -o new.c
run mbs new.csv run slider_crank.mbs --to 0.1 -q -o new.csv
all mbs new.csv run pendulum.mbs --to 1 --all --solver radau5 -q -o new.csv
report mbs new.html report pendulum.mbs --to 1 -q -o new.html
info mbs new.txt info slider_crank.mbs -o new.txt
latex mbs new.txt info slider_crank.mbs --latex -o new.txt
modes mbs new.txt modes pendulum.mbs --at-equilibrium -o new.txt
equilibrium mbs new.txt equilibrium pendulum.mbs -o new.txt
compare mbs - compare pendulum.mbs --states 2
fmt mbs new.mbs fmt new.mbs
new mbs new.mbs new new --force -q
import mbs new.mbs import arm.urdf -q -o new.mbs
import_mjcf mbs new.mbs import parts.xml -q -o new.mbs
import_sdf mbs new.mbs import rover.sdf -q -o new.mbs
import_sd mbs new.mbs import press.sd -q -o new.mbs
export mbs new.urdf export arm.mbs --urdf -o new.urdf
casadi mbs new.c export pendulum.mbs --casadi -o new.c
octave mbs new.c export pendulum.mbs --octave -o new.c
fmu mbs new.fmu fmu pendulum.mbs -q -o new.fmu
sweep mbs new.csv sweep pendulum.mbs --vary l=1:2:5 --to 1 -j 1 -q -o new.csv
optimize mbs new.toml optimize pendulum.mbs --free l=0.5..2 --minimize max(phi) --to 0.2 -q -o new.toml
fit mbs new.toml fit pendulum.mbs few.csv --free l -q -o new.toml
sweep_page mbs new.html sweep pendulum.mbs --vary l=1:2:5 --measure max(phi) --measure curve(phi) --every 0.2 --to 1 -j 1 -q --page new.html
fit_page mbs new.html fit pendulum.mbs few.csv --free l -q --page new.html
optimize_page mbs new.html optimize pendulum.mbs --free l=0.5..2 --minimize max(phi) --to 0.2 -q --page new.html
play mbs - play pendulum.mbs --to 1 -q --once
linearize mbs new.json linearize pendulum.mbs --at-equilibrium -o new.json
END
    grep -q '^#define HAVE_HDF5' "$top_builddir/config.h" && echo "hdf5 mbs new.h5 run pendulum.mbs --to 1 -q -o new.h5"
    command -v gnuplot >/dev/null && echo "plot mbs new.svg plot data.csv phi -o new.svg"
}

prepare() { # what was there before
    rm -f new.*
    case $name in
    fmt) sed 's/ = / =  /' pendulum.mbs >new.mbs; cp new.mbs old ;;
    *) echo old >old; [ "$file" = - ] || cp old "$file" ;;
    esac
}
# The state afterwards; $status is that of the command.  Numbers of time differ from run to run.
same() { sed 's,http://.*,,; s/[0-9.]* [mµ]*s\b//g; s/CPU time [^"<,]*//g; s/"cpu[^,]*,//g' "$1" | cmp -s - "$2"; }
judge() { # judge WHAT: adds to good, or says what is wrong
    if [ $status = 0 ]; then
        # an FMU may have a shorter page about the model, which is said
        if [ $name = hdf5 ] || same "$result" reference || { [ $name = fmu ] && [ -s err ]; }; then good=$((good + 1)); else wrong "$1: status 0, but another result"; fi
    elif [ $status != 1 ] && [ $status != 2 ]; then wrong "$1: ends with $status"
    elif ! [ -s err ]; then wrong "$1: no message"
    elif [ "$file" != - ] && ! cmp -s "$file" old && ! same "$file" reference; then wrong "$1: the old file is gone or torn"
    else good=$((good + 1)); fi
}
wrong() { bad=$((bad + 1)); [ $bad -gt 5 ] || echo "# $name: $1: $(head -n 1 err | cut -c1-150)"; }
count() { # count KIND: calls of a whole run
    rm -f count
    prepare
    env LD_PRELOAD=./fault.so FAULT_PROGRAM=$program FAULT_KIND=$1 FAULT_COUNT="$tmp/count" "$top_builddir/$program" $arguments >/dev/null 2>err
    cat count
}

echo "# command       kind      calls  injected   good    bad"
commands >list
[ "$most" != 0 ] || : >list
# every command has its line; watch goes on until it is stopped and calls the others, bench is a program of its own, lsp writes to an editor only,
# video hands the page of a report to a browser
[ ! -s list ] || for c in $(sed -n 's/^COMMAND(\([a-z]*\),.*/\1/p' "$top_srcdir/driver/commands.def"); do
    case $c in watch | bench | lsp | video) continue ;; plot) command -v gnuplot >/dev/null || continue ;; esac
    awk -v c="$c" '$2 == "mbs" && $4 == c { n++ } END { exit !n }' list || fail "mbs $c has a line in the list of commands"
done
while read -r name program file arguments; do
    case " ${ONLY-$name} " in *" $name "*) ;; *) continue ;; esac
    prepare
    result=$file
    [ "$file" = - ] && result=printed
    "$top_builddir/$program" $arguments >printed 2>err || { fail "$name" "$(cat err)"; continue; }
    same "$result" /dev/null || sed 's,http://.*,,; s/[0-9.]* [mµ]*s\b//g; s/CPU time [^"<,]*//g; s/"cpu[^,]*,//g' "$result" >reference
    [ "$file" = - ] || blocks=$(($(stat -c %s "$file") / 512 + 1))
    for kind in memory name full; do
        # libhdf5 1.10 itself crashes without memory, in H5E and H5FL, whatever its caller does
        [ $name$kind = hdf5memory ] && continue
        if [ $kind = full ]; then
            [ "$file" = - ] && continue
            total=$blocks
        else
            total=$(count $kind)
        fi
        step=1 good=0 bad=0 n=0
        [ -n "$most" ] && [ "$total" -gt "$most" ] && step=$((total / most))
        i=1
        while [ $i -le "$total" ]; do
            prepare
            if [ $kind = full ]; then
                # a file may have so many blocks of 512 bytes; the signal for that is ignored, the write fails
                (trap '' XFSZ; ulimit -f $((i - 1)); exec "$top_builddir/$program" $arguments) >/dev/null 2>err.full
                status=$?
                cp err.full err 2>/dev/null
                [ -s err ] || { [ $status = 1 ] && echo "(the message itself was beyond the limit)" >err; }
            else
                env LD_PRELOAD=./fault.so FAULT_PROGRAM=$program FAULT_KIND=$kind FAULT_AT=$i "$top_builddir/$program" $arguments >printed 2>err
                status=$?
            fi
            judge "$kind $i of $total"
            n=$((n + 1)) i=$((i + step))
        done
        # what a command without memory left behind is gone after a good one
        prepare
        "$top_builddir/$program" $arguments >/dev/null 2>err || wrong "afterwards: ends with $?"
        if ls -A | grep -q '^new\..*\.mbs-'; then wrong "afterwards: temporary files are left"; rm -f new.*.mbs-*; fi
        printf '# %-13s %-8s %6d  %8d  %5d  %5d\n' "$name" $kind "$total" $n $good $bad
        if [ $bad = 0 ]; then pass "$name: $kind"; else fail "$name: $kind" "$bad of $n"; fi
    done
done <list

# Kills at random moments of a run that builds, integrates and writes: nothing of ours stays but what the next run removes.
i=0 torn=0
echo old >old
while [ $i -lt "$kills" ]; do
    cp old k.csv
    [ $((i % 2)) = 0 ] && rm -rf cache 2>/dev/null      # the C compiler of the last one may still be at work
    "$mbs" run pendulum.mbs --every 1e-5 -q -o k.csv >/dev/null 2>err &
    pid=$!
    sleep 0.$(awk -v s=$i 'BEGIN { srand(s); printf "%03d", 400*rand() }')
    kill -KILL $pid 2>/dev/null
    wait $pid 2>/dev/null
    if ! cmp -s k.csv old && [ "$(tail -c 1 k.csv | od -An -c | tr -d ' ')" != '\n' ]; then torn=$((torn + 1)); fi
    i=$((i + 1))
done
sleep 1         # compilers of killed runs end
rm -rf cache/mbs/*.so cache/mbs/*.dep
"$mbs" run pendulum.mbs --to 1 -q -o k.csv
left=$(ls -A . | grep '\.mbs-' | wc -l)
ok "$kills kills: no file is torn" test $torn = 0
ok "and the next run removes what they left" sh -c 'test $1 = 0 && ! ls cache/mbs | grep -q build' sh "$left"
done_testing
