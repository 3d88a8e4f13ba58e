#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What `make install prefix=...` installs is found and used by programs outside the tree: pkg-config, C, C++, CMake; the shared
# library offers the functions of mbs/mbs.h and nothing else; the licence of each file of the runtime.
. "${top_srcdir:-.}/tests/tap.sh"
cd "$top_builddir" || exit 99
[ -f libmbs.so ] || { skip "no shared library on this system"; done_testing; exit; }

ok "make install prefix=..." make -s install prefix="$tmp/usr"
PATH=$tmp/usr/bin:$PATH PKG_CONFIG_PATH=$tmp/usr/lib/pkgconfig LD_LIBRARY_PATH=$tmp/usr/lib
export PATH PKG_CONFIG_PATH LD_LIBRARY_PATH
if [ "$(pkg-config --variable=prefix mbs)" = "$tmp/usr" ]; then pass "pkg-config knows where it is"; else fail "pkg-config" "$(cat "$tmp/usr/lib/pkgconfig/mbs.pc")"; fi
ok "... and that a shared library needs no more" test "$(pkg-config --libs mbs | xargs)" = "-L$tmp/usr/lib -lmbs"
for f in share/mbs/models/squeezer.mbs share/mbs/models/lib/link.mbs share/doc/mbs/examples/outside/c/swing.c share/doc/mbs/CHANGELOG.md \
    share/vim/vimfiles/syntax/mbs.vim share/emacs/site-lisp/mbs-mode.el share/man/man3/libmbs.3; do
    [ -s "$tmp/usr/$f" ] && pass "$f" || fail "$f is not installed"
done

# --- the shared library: exactly the functions that mbs.h declares, with a version, and a soname ---
sed -n 's/^[a-z].*[ *]\(mbs_[a-z0-9_]*\)(.*/\1/p' "$top_srcdir/runtime/mbs/mbs.h" | sort -u >"$tmp/declared"
nm -D --defined-only --without-symbol-versions libmbs.so | awk '$2 == "T" || $2 == "R" || $2 == "D" || $2 == "B" { print $3 }' | sort -u >"$tmp/offered"
ok "libmbs.so offers what mbs.h declares" diff "$tmp/declared" "$tmp/offered"
ok "... with a version" sh -c 'nm -D libmbs.so | grep -q " mbs_new@@MBS_1"'
ok "... under the name libmbs.so.1" sh -c "readelf -d libmbs.so | grep -q 'SONAME.*libmbs.so.1]'"
ok "the static library is position-independent" ${CC:-cc} -shared -o "$tmp/whole.so" -Wl,--whole-archive libmbs.a -Wl,--no-whole-archive

# --- headers ---
printf '#include <mbs/mbs.h>\nint main() { return mbs_status_text(0) == 0; }\n' >"$tmp/h.cc"
if command -v g++ >/dev/null; then
    for std in c++98 c++20; do
        ok "headers in $std" g++ -std=$std -pedantic -Wall -Wextra -Werror $(pkg-config --cflags mbs) "$tmp/h.cc" $(pkg-config --libs mbs) -o "$tmp/h"
    done
else
    skip "headers from C++: no g++"
fi

# --- programs outside the tree ---
cp -R "$tmp/usr/share/doc/mbs/examples/outside" "$tmp/outside"
want=$(mbs run "$tmp/outside/pendulum.mbs" --every 1 --quiet -o - | tail -n 1 | awk -F, '{ printf "%.8f", $2 }')
says() { # WHAT COMMAND...: the last line has the angle of `mbs run`, but for 1e-6: steps may end elsewhere (rtol 1e-8, ten seconds)
    what=$1
    shift
    got=$("$@" 2>&1 | tail -n 1 | awk '{ print $2 }')
    near=$(echo "$got $want" | awk 'NF == 2 { d = $1 - $2; print (d < 1e-6 && d > -1e-6 && $1 != 0) }')
    [ "$near" = 1 ] && pass "$what: phi(10) = $got" || fail "$what: phi(10) = $got, not $want"
}
ok "C" make -s -C "$tmp/outside/c" CC="${CC:-cc}"
says C "$tmp/outside/c/swing"
ok "C, static" ${CC:-cc} "$tmp/outside/c/swing.c" "$tmp/outside/c/pendulum.c" $(pkg-config --cflags mbs) "$tmp/usr/lib/libmbs.a" \
    $(pkg-config --static --libs mbs | sed 's/-lmbs//') -o "$tmp/static"
says "C, static" "$tmp/static"
if command -v g++ >/dev/null; then
    ok "C++" make -s -C "$tmp/outside/cxx" CC="${CC:-cc}"
    says C++ "$tmp/outside/cxx/swing"
else
    skip "C++: no g++"
fi
if command -v cmake >/dev/null; then
    ok "CMake configures" cmake -S "$tmp/outside/cmake" -B "$tmp/cmake" -DCMAKE_PREFIX_PATH="$tmp/usr"
    ok "CMake builds" cmake --build "$tmp/cmake"
    says CMake "$tmp/cmake/swing"
else
    skip "CMake: no cmake"
fi
ok "make uninstall" make -s uninstall prefix="$tmp/usr"
left=$(find "$tmp/usr" -type f)
[ -z "$left" ] && pass "nothing is left" || fail "left behind" "$left"

# --- licence by files: what includes GSL is GPL, the rest of the runtime MIT, its ABI 0BSD ---
bad=$(cd "$top_srcdir" && for f in runtime/*.[ch] runtime/*/*.[ch]; do
    want=MIT
    grep -q '#include <gsl' "$f" && want=GPL-3.0-or-later
    [ "$f" = runtime/mbs/model.h ] && want=0BSD
    head -n 1 "$f" | grep -q "SPDX-License-Identifier: $want\$" || echo "$f is not $want"
done)
[ -z "$bad" ] && pass "licence of each file of the runtime" || fail "licence of each file of the runtime" "$bad"
done_testing
