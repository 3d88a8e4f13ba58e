#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# All output of all commands goes through one writer: whole or not at all, checked, with the modes and links that are
# there; a signal ends a command; and what a command is asked to read is a file.
. "${top_srcdir:-.}/tests/tap.sh"
mbs=$top_builddir/mbs mbsc=$top_builddir/mbsc
XDG_CACHE_HOME=$tmp/cache
export XDG_CACHE_HOME
cd "$tmp" || exit 99
cp "$top_srcdir/examples/pendulum.mbs" .
"$mbs" run pendulum.mbs -q -o y.csv
mode() { stat -c %a "$1"; }

# --- a full device is an error of every command -----------------------------------------------------------
full() { fails_with "$1 > /dev/full" 1 "cannot write" sh -c 'shift; "$@" >/dev/full' sh "$@"; }
full mbs "$mbs" --help
full mbs "$mbs" --version
full mbs "$mbs" --list
full mbs "$mbs" --list run
full mbs "$mbs" run --help
full mbs "$mbs" run --solver list
full mbs "$mbs" run pendulum.mbs
full mbs "$mbs" run pendulum.mbs --json
full mbs "$mbs" info pendulum.mbs
full mbs "$mbs" modes pendulum.mbs
full mbs "$mbs" equilibrium pendulum.mbs
full mbs "$mbs" compare pendulum.mbs --states 2
full mbs "$mbs" fmt - <pendulum.mbs
full mbsc "$mbsc" --help
full mbsc "$mbsc" pendulum.mbs -o -
full mbsc "$mbsc" pendulum.mbs --dump=tape
gnuplot=$(command -v gnuplot)
if [ -n "$gnuplot" ]; then
    full mbs "$mbs" plot y.csv phi -t text
    fails_with "a picture on a full device" 1 "No space left" "$mbs" plot y.csv phi -t png -o /dev/full
    ok "the device is still one" test -c /dev/full
    ok "a column may be drawn over itself" "$mbs" plot y.csv phi "phi'" -x phi -t text
    ok "a picture of each kind is whole" sh -c '"$1" plot y.csv phi -o a.png && "$1" plot y.csv phi -o a.svg && "$1" plot y.csv phi -o a.pdf &&
        tail -c 12 a.png | grep -q IEND && tail -n 2 a.svg | grep -q "</svg>" && tail -c 8 a.pdf | grep -q EOF' sh "$mbs"
fi
mkdir small
if mount -t tmpfs -o size=8k tmpfs small 2>/dev/null; then
    for file in p.csv p.h5 p.svg p.html p.c; do
        echo old >small/$file
        case $file in
        p.csv) set -- "$mbs" run pendulum.mbs -q --every 0.001 -o small/$file ;;
        p.h5) grep -q '^#define HAVE_HDF5' "$top_builddir/config.h" || continue
            set -- "$mbs" run pendulum.mbs -q --every 0.001 -o small/$file ;;
        p.svg) [ -n "$gnuplot" ] || continue
            set -- "$mbs" plot y.csv -o small/$file ;;
        p.html) set -- "$mbs" report pendulum.mbs -q -o small/$file ;;
        p.c) set -- "$mbsc" "$top_srcdir/models/squeezer.mbs" -o small/$file ;;
        esac
        fails_with "a full disk, $file: says so, without a crash" 1 "No space left" "$@"
        ok "a full disk, $file: the old file is as it was, and alone" sh -c 'test "$(cat small/$1)" = old && test "$(ls -A small)" = $1' sh $file
        rm small/*
    done
    umount small
else
    skip "a small file system cannot be mounted here"
fi

# --- modes, links, formats ---------------------------------------------------------------------------------
commands='run_csv run_h5 report plot fmt mbsc'
write() { # write KIND FILE
    case $1 in
    run_csv) "$mbs" run pendulum.mbs -q -o "$2.csv" ;;
    run_h5) "$mbs" run pendulum.mbs -q -o "$2.h5" ;;
    report) "$mbs" report pendulum.mbs -q -o "$2.html" ;;
    plot) "$mbs" plot y.csv phi -o "$2.svg" ;;
    fmt) [ -s "$2.mbs" ] || sed 's/ = / =  /' pendulum.mbs >"$2.mbs"; "$mbs" fmt "$2.mbs" ;;
    mbsc) "$mbsc" pendulum.mbs -o "$2.c" ;;
    esac
}
for kind in $commands; do
    case $kind in
    run_csv) file=m.csv ;; run_h5) file=m.h5 ;; report) file=m.html ;; plot) file=m.svg ;; fmt) file=m.mbs ;; mbsc) file=m.c ;;
    esac
    [ $kind = run_h5 ] && ! grep -q '^#define HAVE_HDF5' "$top_builddir/config.h" && continue
    [ $kind = plot ] && [ -z "$gnuplot" ] && continue
    (umask 077 && write $kind m)
    ok "$kind: a new file has the mode of the umask 077" test "$(mode $file)" = 600
    rm -f $file
    (umask 022 && write $kind m)
    ok "$kind: and of 022" test "$(mode $file)" = 644
    chmod 640 $file
    [ $kind = fmt ] && sed -i 's/ = / =  /' $file && chmod 640 $file
    (umask 022 && write $kind m)
    ok "$kind: a file that is replaced keeps its mode" test "$(mode $file)" = 640
    mv $file real && ln -s real $file
    [ $kind = fmt ] && sed 's/ = / =  /' pendulum.mbs >real
    before=$(stat -c %i real)
    write $kind m
    ok "$kind: a symbolic link stays one, its target is written" sh -c 'test -L "$1" && test -f real && test "$(stat -c %i real)" != "$2"' sh $file "$before"
    rm -f real
    [ $kind = fmt ] || { write $kind m; ok "$kind: a link to nothing makes its target" sh -c 'test -L "$1" && test -s real' sh $file; }
    rm -f real $file
done
fails_with "an unknown format is refused, with those that are known" 1 "\.csv.*\.h5" "$mbs" run pendulum.mbs -o x.mat
ok "and nothing is written" test ! -e x.mat
if [ "$(id -u)" != 0 ]; then
    cp y.csv locked.csv && chmod 444 locked.csv
    fails_with "a file that may not be written is not replaced" 1 "Permission denied" "$mbs" run pendulum.mbs -q -o locked.csv
fi
# What a killed program left behind goes when the next one writes the same file; what a living one holds stays.
: >y.csv.mbs-AbCdEf
: >other.csv.mbs-AbCdEf
"$mbs" run pendulum.mbs -q -o y.csv
ok "the remnant of a killed run is removed" test ! -e y.csv.mbs-AbCdEf
ok "that of another file is not touched" test -e other.csv.mbs-AbCdEf
mkdir -p cache/mbs/build.AbCdEf/mbs && : >cache/mbs/build.AbCdEf/model.c && : >cache/mbs/build.AbCdEf/mbs/model.h
"$mbs" run pendulum.mbs -q -D x 2>/dev/null
sed 's/9.81/9.82/' pendulum.mbs >second.mbs && "$mbs" run second.mbs -q --to 1
ok "the remnant of a killed build is removed" test ! -e cache/mbs/build.AbCdEf
# A reader that has seen enough
ok "| head ends it without a word" sh -c '{ "$1" run pendulum.mbs --every 1e-4 -o - 2>err | head -n 1; } >/dev/null; test ! -s err' sh "$mbs"

# --- the times of a run -------------------------------------------------------------------------------------
fails_with "a run without a length" 2 "starts and ends at t = 0" "$mbs" run pendulum.mbs --to 0
fails_with "rows a negative time apart" 2 "every" "$mbs" run pendulum.mbs --every -1
ok "a report of a run back in time" "$mbs" report pendulum.mbs --to -1 -q -o back.html
# --- signals -------------------------------------------------------------------------------------------------
run_and_signal() { # run_and_signal SIGNAL COMMAND...: its status, after one signal half a second later
    signal=$1
    shift
    "$@" >out.txt 2>err.txt &
    pid=$!
    sleep 0.7
    kill -$signal $pid
    ( sleep 15; kill -KILL $pid 2>/dev/null ) &
    killer=$!
    wait $pid
    status=$?
    kill $killer 2>/dev/null
}
run_and_signal TERM "$mbs" run pendulum.mbs --every 1e-10 -q -o long.csv
ok "one signal ends a run between two steps with many rows" sh -c 'test $1 = 1 && grep -q "interrupted at" err.txt' sh $status
printf '#!/bin/sh\nexec sleep 20\n' >slowcc
chmod +x slowcc
rm -rf cache
run_and_signal TERM env CC="$tmp/slowcc" "$mbs" info pendulum.mbs
ok "mbs info, interrupted during the C compiler: exit 1" sh -c 'test $1 = 1 && grep -q interrupted err.txt' sh $status

# --- what is read -----------------------------------------------------------------------------------------------
mkfifo fifo
limited() { # limited WHAT PATTERN COMMAND...: fails soon, and in little memory
    what=$1 pattern=$2
    shift 2
    fails_with "$what" 1 "$pattern" sh -c 'ulimit -v 2000000; exec timeout 10 "$@"' sh "$@"
}
for file in /dev/zero fifo; do
    limited "mbsc $file" "no regular file" "$mbsc" $file
    limited "mbs run $file" "no regular file" "$mbs" run $file
    limited "mbs report $file" "no regular file" "$mbs" report $file
    limited "mbs modes $file" "no regular file" "$mbs" modes $file
    limited "mbs info $file" "no regular file" "$mbs" info $file
    limited "mbs fmt $file" "no regular file" "$mbs" fmt $file
    limited "mbs plot $file" "no regular file" "$mbs" plot $file x
done
printf 'model m\ncoord x\ninclude "fifo.mbs"\nkinetic x'"'"'^2/2\n' >reads.mbs
mkfifo fifo.mbs
limited "an included FIFO" "no regular file" "$mbsc" reads.mbs
printf 'model m\ntable f(x) "fifo"\ncoord x\nkinetic x'"'"'^2/2\npotential f(x)\n' >reads.mbs
limited "a FIFO as a table" "no regular file" "$mbsc" reads.mbs
mkdir sub && printf '0 0\nroot:secret:1\n' >secret && ln -s ../secret sub/link.mbs && ln -s ../secret sub/link.csv
printf 'model m\ninclude "link.mbs"\ntable f(x) "link.csv"\ninclude "../secret"\ntable g(x) "../secret"\n' >sub/m.mbs
"$mbsc" sub/m.mbs >out.txt 2>err.txt
ok "a model shows no text of files outside its directory, links or not" sh -c 'grep -c "outside the directory\|ends in .mbs" err.txt | grep -q 4 && ! grep -q secret: err.txt'
printf 'model m\ntable f(x) "secret"\ncoord x\nkinetic x'"'"'^2/2\npotential f(x)\n' >reads.mbs
"$mbsc" reads.mbs >out.txt 2>err.txt
ok "nor of a file beside it that is no model" sh -c 'grep -q "secret:2:1: error" err.txt && ! grep -q root err.txt'

# --- text that pretends --------------------------------------------------------------------------------------------
printf 'model m "a \342\200\256 b"\ncoord x\nkinetic x'"'"'^2/2\n' >bidi.mbs
fails_with "a mark that turns the direction of text" 1 "text in UTF-8 without control" "$mbsc" bidi.mbs -o -
printf 'model m "a \377 b"\ncoord x\nkinetic x'"'"'^2/2\n' >bad.mbs
fails_with "a title that is no UTF-8" 1 "text in UTF-8 without control" "$mbsc" bad.mbs -o -
cp pendulum.mbs "$(printf 'a\342\200\256b.mbs')"
ok "nor does the name of a file bring one into the C file" sh -c '"$1" a*b.mbs -o - >bidi.c && ! grep -q "$(printf "\342\200\256")" bidi.c' sh "$mbsc"

# --- whose cache -----------------------------------------------------------------------------------------------------
mkdir -p open/mbs && chmod 777 open/mbs
XDG_CACHE_HOME=$tmp/open "$mbs" run pendulum.mbs -o z.csv >out.txt 2>err.txt
ok "a cache that others can write to is not used, and that is said" sh -c 'test $1 = 0 && grep -q "others can write to" err.txt && ! ls open/mbs | grep -q .' sh $?
if [ "$(id -u)" = 0 ]; then
    mkdir -p theirs/mbs && chown nobody theirs/mbs && chmod 755 theirs/mbs
    XDG_CACHE_HOME=$tmp/theirs "$mbs" run pendulum.mbs -o z.csv >out.txt 2>err.txt
    ok "nor is that of another user" sh -c 'test $1 = 0 && grep -q "belongs to another user" err.txt && ! ls theirs/mbs | grep -q .' sh $?
else
    skip "only root can give a directory away"
fi
mkdir -p above/mbs && chmod 777 above
XDG_CACHE_HOME=$tmp/above "$mbs" run pendulum.mbs -o z.csv >out.txt 2>err.txt
ok "nor one whose name others can change" sh -c 'test $1 = 0 && grep -q "others can write to" err.txt' sh $?
rm -rf cache
"$mbs" run pendulum.mbs -q --to 1
chmod 777 cache/mbs/*.so
ok "an object that others can write to is built anew" sh -c '"$1" run pendulum.mbs --to 1 | grep -q "besides compiling"' sh "$mbs"
done_testing
