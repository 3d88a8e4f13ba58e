#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# As run.sh, for models with options, and a file that has every form of statement but is no model.
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
golden crank_full model ../../models/crank.mbs -D nonlinear_beam -D damped=true -D rigid_start=1
golden crank_fe_2 model ../../models/crank_fe.mbs -D k=2
done_testing
