#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The witness of a run: a method that loses the energy of a conservative mechanism or its constraints does not end with success.
. "${top_srcdir:-.}/tests/tap.sh"
PATH=$top_builddir:$PATH
models=$top_srcdir/models
bricard="--solver halfexplicit --formulation index2 --rtol 1e-7 --atol 1e-7"
# shellcheck disable=SC2086
fails_with "Bricard's mechanism with a method that its dependent constraints disturb" 1 "energy of a system that conserves it" \
    mbs run "$models/bricard.mbs" $bricard -o "$tmp/b.csv"
# shellcheck disable=SC2086
ok "--no-witness lets it pass" mbs run "$models/bricard.mbs" $bricard --no-witness -o "$tmp/b.csv"
ok "the default method of Bricard's mechanism" mbs run "$models/bricard.mbs" -o "$tmp/b.csv"
ok "drift is printed where energy is conserved" sh -c 'mbs run "$1/fourbar_spatial.mbs" | grep -q "energy .*, drift [0-9.e-]* J"' sh "$models"
ok "and not where a damper brakes" sh -c 'mbs run "$1/../examples/double_pendulum.mbs" | grep -q "energy .* J at the start"' sh "$models"
ok "nor where a drive works" sh -c 'mbs run "$1/crank.mbs" | grep -q "energy .* J at the start"' sh "$models"

cat >"$tmp/contradiction.mbs" <<'END'
model contradiction "a point that two drives want in two places"
coord x, y
kinetic (x'^2 + y'^2)/2
constraint first: x = t^3
constraint second: x = 3*t^3
simulate { to = 1 }
END
for method in dop853 radau genalpha halfexplicit; do
    fails_with "$method: constraints that contradict each other" 1 "the constraints first, second contradict each other" \
        mbs run "$tmp/contradiction.mbs" --solver $method -o "$tmp/c.csv"
done
done_testing
