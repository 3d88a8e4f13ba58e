#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# mbs export --octave: Octave compiles the file, integrates it by lsode, and has the matrices of the model.
. "${top_srcdir:-.}/tests/tap.sh"
mbs=$top_builddir/mbs
cd "$tmp" || exit 99
fails_with "a model with contacts" 1 "contacts, limits or friction ('.*--smooth" "$top_builddir/mbs" export "$top_srcdir/examples/hopping_leg.mbs" --octave -o t.c
for model in examples/cart models/squeezer; do
    ok "$model is exported" "$mbs" export "$top_srcdir/$model.mbs" --octave -q
done
printf 'model ext\nextern law(x)\ncoord x\nkinetic x'"'"'^2/2\nforce x = law(x)\n' >ext.mbs
fails_with "functions in C" 1 "cannot bring along" "$mbs" export ext.mbs --octave
fails_with "two formats" 2 "say --urdf" "$mbs" export ext.mbs --octave --casadi
if ! command -v octave-cli >/dev/null || ! command -v mkoctfile >/dev/null; then
    skip "no Octave"
    done_testing
    exit
fi
for name in cart squeezer; do
    ok "$name compiles" mkoctfile --mex -o $name ${name}_mex.c
done
"$mbs" run "$top_srcdir/examples/cart.mbs" --to 1 --every 1 --rtol 1e-11 --atol 1e-11 -q -o cart.csv
"$mbs" run "$top_srcdir/models/squeezer.mbs" --to 0.003 --every 0.003 --rtol 1e-11 --atol 1e-11 -q -o squeezer.csv
cat >judge.m <<'END'
1;
function say(good, what)
  if good, printf("ok - %s\n", what); else printf("not ok - %s\n", what); end
end
lsode_options("relative tolerance", 1e-10);
lsode_options("absolute tolerance", 1e-10);
[q, v, z] = cart("start");
x = lsode(@(x, t) cart(t, x), [q; v; z], [0, 1]);
want = csvread("cart.csv", 1, 0)(end, 2:1 + numel(q));
% local errors of 1e-10, of a motion that a controller calms: 1e-7
say(norm(x(end, 1:numel(q)) - want) < 1e-7, sprintf("lsode integrates the cart: off by %.1e", norm(x(end, 1:numel(q)) - want)));
[q0, v0] = deal(csvread("squeezer.csv", 1, 0)(1, 2:8)', csvread("squeezer.csv", 1, 0)(1, 9:15)');
x = lsode(@(x, t) squeezer(t, x), [q0; v0], [0, 0.003]);
want = csvread("squeezer.csv", 1, 0)(end, 2:8);
say(norm(x(end, 1:7) - want) < 1e-6, sprintf("lsode integrates the squeezer by its index-1 form: off by %.1e", norm(x(end, 1:7) - want)));
[M, f, G, gamma, g] = squeezer("dynamics", 0, q0, v0);
a = [M, G'; G, sparse(6, 6)] \ [f; -gamma];
xdot = squeezer(0, [q0; v0]);
say(issparse(M) && issparse(G) && norm(xdot(8:14) - a(1:7)) < 1e-9*norm(a(1:7)), "sparse M and G give the same accelerations");
[r, gv, ga] = squeezer("residual", 0, q0, v0, a(1:7), a(8:13));
say(norm(r) < 1e-9*norm(f) && norm(ga) < 1e-9*norm(gamma + 1), "residuals vanish there");
[rq, rv] = squeezer("jacobian", 0, q0, v0, a(1:7), a(8:13));
e = 1e-6; d = zeros(7, 1); d(3) = e;
D = (squeezer("residual", 0, q0 + d, v0, a(1:7), a(8:13)) - squeezer("residual", 0, q0 - d, v0, a(1:7), a(8:13)))/(2*e);
% central differences: e^2 and eps/e
say(norm(rq(:, 3) - D) < 1e-7*(norm(D) + norm(rq, 1)), "the Jacobian is that of differences");
s = squeezer("names");
say(strcmp(s.coord{1}, "beta") && numel(s.constraint) == 6, "names");
squeezer("set", "mom", 0.1);
say(any(squeezer("params") == 0.1) && norm(squeezer("dynamics", 0, q0, v0) - M, 1) == 0, "parameters");
try
  squeezer("set", "nonsense", 1);
  say(false, "an unknown parameter");
catch err
  say(! isempty(strfind(err.message, "no parameter")), "an unknown parameter is refused");
end
END
octave-cli --no-gui --quiet judge.m >judge.out 2>judge.err || echo "not ok - Octave ends: $(tail -n 1 judge.err)" >>judge.out
while IFS= read -r line; do
    case $line in
    "ok - "*) pass "${line#ok - }" ;;
    "not ok - "*) fail "${line#not ok - }" ;;
    esac
done <judge.out
done_testing
