#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The Python package: the wheel of this build, installed into the scratch environment, against its own tests.
. "${top_srcdir:-.}/tests/tap.sh"
. "$top_srcdir/tests/world/venv.sh"
cd "$tmp" || exit 99
[ -f "$top_builddir/libmbs.so" ] || { skip "no shared library on this system"; done_testing; exit; }
if ! need numpy scipy pytest; then
    skip "numpy, scipy, pytest cannot be installed"
    done_testing
    exit
fi
# what only some of its tests need; they are skipped without
need pandas xarray mypy || :
ok "the wheel is built" python3 "$top_srcdir/python/wheel.py" "$top_builddir" "$top_srcdir" "$tmp"
wheel=$(echo "$tmp"/mbs-*.whl)
size=$(wc -c <"$wheel")
[ "$size" -lt 3000000 ] && pass "it has $((size / 1000)) kB" || fail "it has $((size / 1000)) kB"
ok "it is installed" "$venv/bin/pip" -q --disable-pip-version-check install --force-reinstall --no-deps --target "$tmp/site" "$wheel"
unset MBS_BUILD
export PYTHONPATH="$tmp/site" MBS_MODELS="$top_srcdir" XDG_CACHE_HOME="$tmp/cache"
"$python" -m pytest -q -p no:cacheprovider "$top_srcdir/python/tests" --tb=short >pytest.out 2>&1
status=$?
sed 's/^/# /' pytest.out | tail -n 60
[ $status = 0 ] && pass "pytest: $(tail -n 1 pytest.out)" || fail "pytest: $(tail -n 1 pytest.out)"
# ten lines from nothing to an animated squeezer
cat >ten.py <<PY
import mbs
m = mbs.load("$top_srcdir/models/squeezer.mbs")
r = m.run()
open("squeezer.html", "w").write(r._repr_html_())
PY
ok "an animated squeezer in ten lines" sh -c "'$python' ten.py && grep -q iframe squeezer.html"
# pip install mbs[cc]: no C compiler of the system is to be found; with ALL, since ziglang compiles its own libraries first
if [ -n "${ALL-}" ]; then
    if need ziglang; then
        cat >cc.py <<PY
import mbs
m = mbs.load("$top_srcdir/models/squeezer.mbs")
assert not m.interpreted
r = m.run()
print("%.17g" % r["beta"][-1])
assert "<iframe" in r._repr_html_()
PY
        by_zig=$(env -i PATH="$venv/bin" HOME="$tmp" PYTHONPATH="$PYTHONPATH" "$python" cc.py 2>cc.err) || sed 's/^/# /' cc.err
        by_gcc=$("$python" cc.py)
        # two compilers: rounding, in a motion that is integrated to 1e-6
        near=$(echo "$by_zig $by_gcc" | awk '{ d = $1 - $2; print (NF == 2 && d*d <= 1e-16*$1*$1) }')
        [ "$near" = 1 ] && pass "without a compiler of the system ziglang compiles: $by_zig, $by_gcc" || fail "by ziglang: '$by_zig', else $by_gcc"
    else
        skip "ziglang cannot be installed"
    fi
fi
# the program outside the tree
ok "examples/outside/python" "$python" "$top_srcdir/examples/outside/python/swing.py" "$top_srcdir/examples/outside/pendulum.mbs"
done_testing
