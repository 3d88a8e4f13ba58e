#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What the front end makes of the models: NAME.ast is the syntax tree, NAME.model the checked model; forms.mbs
# has every form of statement but is no model.  The other golden files belong to run.sh.
# After a wanted change:  make update-golden
. "${top_srcdir:-.}/tests/tap.sh"
cd "$top_srcdir/tests/golden" || exit 99

# golden NAME STATION MODEL OPTIONS...
golden() {
    file=$1.$2
    what=$2
    shift 2
    if ! "$top_builddir/mbsc" --dump="$what" "$@" >"$tmp/got" 2>"$tmp/err" || [ -s "$tmp/err" ]; then
        fail "$file" "$(cat "$tmp/err")"
        return
    fi
    [ -z "${UPDATE_GOLDEN-}" ] || cp "$tmp/got" "$file"
    if cmp -s "$file" "$tmp/got"; then pass "$file"; else fail "$file" "$(diff -u "$file" "$tmp/got" | head -40)"; fi
}
golden forms ast forms.mbs
for name in pendulum cart skate spring_mass; do
    golden $name ast ../../examples/$name.mbs
    golden $name model ../../examples/$name.mbs
done
golden crank ast ../../models/crank.mbs
golden crank model ../../models/crank.mbs
golden squeezer model ../../models/squeezer.mbs
golden crank_full model ../../models/crank.mbs -D nonlinear_beam -D damped=true -D rigid_start=1
golden crank_fe_2 model ../../models/crank_fe.mbs -D k=2
done_testing
