#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Events of the model: when, every, discrete states, against formulas; their order, and what ends a run.
. "${top_srcdir:-.}/tests/tap.sh"
PATH=$top_builddir:$PATH
cd "$tmp" || exit 99

# A ball: the n-th impact is at t0 (1 + 2 (e + ... + e^(n-1))), t0 = sqrt(2 h/g); they accumulate at t0 (1 + e)/(1 - e).
cat >ball.mbs <<'END'
model ball "A ball, by the height of its lowest point"
param m: kg = 1, e = 0.9, grav: m/s^2 = 9.81
coord h: m
discrete bounces = 0
kinetic m*h'^2/2
potential m*grav*h
init h = 0.9
when bounce: h < 0 { h' = -e*h', bounces = bounces + 1 }
simulate { to = 10 }
END
# Every impact up to 1e-9 s before the end to 1e-12: 500 rounding errors of t, which 200 restarts leave room for.
impacts='BEGIN { FS = ","; t0 = sqrt(2*0.9/9.81); end = t0*(1 + e)/(1 - e); t = t0; p = 2*e*t0 }
    $3 == "h\x27" { d = $1 - t; if (d < 0) d = -d; if (d > worst) worst = d; n++; last = $1; t += p; p *= e }
    END { print n, worst, end - last; exit !(n > 100 && worst < tol && end - last < 1e-9) }'
fails_with "a ball: the accumulation point is named" 1 "'bounce' happens without end before t = 8.1387058" mbs run ball.mbs -q -o ball.csv
ok "its impacts to 1e-12, the last one less than 1e-9 s before that" awk -v e=0.9 -v tol=1e-12 "$impacts" ball.events.csv
for method in dopri5 radau5 $(has_gsl && echo gsl-rk8pd); do
    mbs run ball.mbs -q --solver $method --rtol 1e-10 -o "$method.csv" 2>/dev/null
    # radau5: its dense output of a parabola is exact but for the Newton iteration
    ok "the same by $method" awk -v e=0.9 -v tol=1e-11 "$impacts" "$method.events.csv"
done
sed 's/h < 0/h + 0.1 < 0.1/' ball.mbs >radius.mbs
fails_with "bounces that drown in rounding errors are not lost" 1 "'bounce' happens without end before t = 8.13870" mbs run radius.mbs -q -o r.csv

# Between the switches T runs to 50 or to 10 at the rate 0.05.
cat >thermostat.mbs <<'END'
model thermostat
coord x
state T = 15
discrete on = 1
T' = 2*on - 0.05*(T - 10)
kinetic x'^2/2
when off: T > 21 and on == 1 { on = 0 }
when on: T < 19 and on == 0 { on = 1 }
simulate { to = 50 }
END
ok "a thermostat" mbs run thermostat.mbs -q --rtol 1e-10 --atol 1e-10 -o thermostat.csv
# the error of a switch is that of T at 1e-10 a step over its slope of about 0.5 to 1.5, in some ten steps
ok "its switching times by formula to 1e-8" awk 'BEGIN { FS = ","; t = log((50 - 15)/(50 - 21))/0.05 }
    NR > 1 && $3 == "on" { d = $1 - t; if (d < 0) d = -d; if (d > worst) worst = d; n++; t += n%2 ? log(11/9)/0.05 : log(31/29)/0.05 }
    END { print n, worst; exit !(n > 10 && worst < 1e-8) }' thermostat.events.csv

# A sampled PID on a cart: a double integrator with a constant force between samples is exact.
cat >pid.mbs <<'END'
model pid
param m: kg = 2, Ts: s = 0.02, kp: N/m = 20, ki: N/(m*s) = 8, kd: N*s/m = 6
coord x: m
discrete u: N = 0, sum: m*s = 0, last: m = 0
kinetic m*x'^2/2
force x = u
every Ts {
    sum = sum + Ts*(1 - x)
    u = kp*(1 - x) + ki*sum - kd*(x - last)/Ts       # with the sum of the last sample
    last = x
}
simulate { to = 5 }
END
ok "a sampled controller" mbs run pid.mbs -q -o pid.csv
ok "the recursion of its samples to 1e-12" awk 'BEGIN { FS = ","; h = 0.02 }
    END { for (k = 0; k < 250; k++) { u = 20*(1 - x) + 8*s - 6*(x - l)/h; s += h*(1 - x); l = x; x += h*v + h*h/2*u/2; v += h*u/2 }
          d = $2 - x; print d; exit !(d < 1e-12 && d > -1e-12) }' pid.csv

# Order at one instant: both conditions become true at t = 1; the second sees what the first has done and makes the first true again.
cat >order.mbs <<'END'
model order
coord x
discrete n = 0, a = 0, b = 0, c = 0
kinetic x'^2/2
init x' = 1
when first: x > 1 { n = n + 1, a = 10*n }
when second: n == 1 { n = 2, b = a + n }
when third: x > 1 and n == 2 { c = b + 100 }
when start: x > -1 { c = -1 }
simulate { to = 2, every = 0.5 }
END
ok "several events at one instant" mbs run order.mbs -q -o order.csv
ok "happen in the order of the file, each seeing those before" awk -F, 'END { print; exit !($4 == 2 && $5 == 0 && $6 == 1 && $7 == 101) }' order.csv
ok "and stand so in the log" awk -F, 'NR > 1 { s = s " " $2 "." $3 } END { print s; exit s != " first.n second.n second.b third.c" }' order.events.csv
ok "a condition that holds at the start does not happen" sh -c '! grep -q start order.events.csv'

# Rows at samples: what was before, however 0.1*k and 0.02*5k are rounded; the first one behind the sample at the start.
cat >rows.mbs <<'END'
model rows
coord x
kinetic x'^2/2
discrete n = 0
every 0.02 { n = n + 1 }
output ideal = floor(t/0.02 + 0.5)
simulate { to = 3, every = 0.1 }
END
ok "rows that fall on samples" mbs run rows.mbs -q -o rows.csv
ok "are those before them, but for the first" awk -F, 'NR > 2 && $4 != $5 { print; bad = 1 } END { exit bad || NR != 32 }' rows.csv
ok "an end that falls on a sample" mbs run rows.mbs -q --to 0.30000000000000004 -o rows.csv
ok "too" awk -F, 'END { print; exit !($4 == 15 && NR == 5) }' rows.csv
sed 's/n + 1 }/n + 1, record }/' rows.mbs >recorded.mbs
ok "rows of record" mbs run recorded.mbs -q --to 0.05 --every 0.01 -o recorded.csv
ok "are one before and one after, each once" awk -F, 'NR > 1 { s = s " " 100*$1 ":" $5 } END { print s; exit s != " 0:1 1:1 2:1 2:2 3:2 4:2 4:3 5:3" }' recorded.csv

# What is set is kept, the rest follows the constraint; what contradicts it ends the run.
cat >held.mbs <<'END'
model held "A pendulum by Cartesian coordinates, kicked"
param v = 0.5
coord x, y
kinetic (x'^2 + y'^2)/2
potential 9.81*y
constraint rod: x^2 + y^2 = 1
init x = 0.6, y ~ -0.8, x' = 0
when kick: t > 0.1 { x' = v, record }
when stuck: t > 0.2 { x = 3 }
simulate { to = 0.15 }
END
ok "an event that sets one of two velocities" mbs run held.mbs -q -o held.csv
ok "the other one follows" awk -F, 'NR > 1 && $1 == t { p = $2*$4 + $3*$5; print $0, p; good = $4 > 0.5 - 1e-15 && $4 < 0.5 + 1e-15 && p < 1e-12 && p > -1e-12 } NR > 1 { t = $1 } END { exit !good }' held.csv
fails_with "an event that contradicts the constraints" 1 "what 'stuck' sets at t = 0.2 contradicts the constraints: .*rod" mbs run held.mbs --to 0.3 -q -o held.csv

cat >endless.mbs <<'END'
model endless
coord x
discrete u = 0, n = 0
kinetic x'^2/2
force x = -u
init x = 1
when up: x' > 0 { u = 1 }
when down: x' < 0 { u = -1 }
when late: t > 3 { n = 1 }
when ping: n == 1 { n = 2 }
when pong: n == 2 { n = 1 }
simulate { to = 2 }
END
ok "nothing happens at rest" mbs run endless.mbs -q -o endless.csv
sed "s/init x = 1/init x = 1, x' = 1e-3/; s/u = 0/u = 1/" endless.mbs >chatter.mbs
fails_with "chattering is named" 1 "'\(up\|down\)' and what it brings about happen without end at t = 0.001.*chattering" mbs run chatter.mbs -q -o c.csv
fails_with "events without end at one instant" 1 "more than 1000 events at t = 3" mbs run endless.mbs --to 4 -q -o endless.csv

# Twenty events that hold for 2e-4 s inside steps of up to 0.4 s: guards that are cubics of time, whose turn the search finds exactly
cat >short.mbs <<'END'
model short
coord x
kinetic x'^2/2
init x' = 1
discrete n = 0
for i in 1..20 {
    when near[i]: 1e-8 > (x - 0.05*i + 0.013)^2*(1 + 0.9*sin(2.3*i)*(x - 0.05*i + 0.013)) { n = n + 1 }
}
output count = n
simulate { to = 1 }
END
ok "what holds for a short while within a step" sh -c 'mbs run short.mbs -q --every 1 -o short.csv && tr -d "\r" <short.csv | awk -F, "NR == 1 { for (i = 1; i <= NF; i++) if (\$i == \"count\") c = i } NR > 1 { n = \$c } END { print n; exit n != 20 }"'

# and guards that are none: the extremum is narrowed down
sed 's/(1 + 0.9\*sin(2.3\*i)\*(x - 0.05\*i + 0.013))/exp(6*sin(2.3*i)*(x - 0.05*i + 0.013))/' short.mbs >shorter.mbs
ok "what holds for a short while, no cubic" sh -c 'grep -q exp shorter.mbs && mbs run shorter.mbs -q --every 1 -o short.csv && tr -d "\r" <short.csv | awk -F, "NR == 1 { for (i = 1; i <= NF; i++) if (\$i == \"count\") c = i } NR > 1 { n = \$c } END { print n; exit n != 20 }"'

cat >stop.mbs <<'END'
model stop
coord x
discrete turns = 0, half = 0
kinetic x'^2/2
init x' = 1
when turn: x > turns + 1 { turns = turns + 1, half = floor(5.5*x) + mod(-1.25*x, 1), message "another turn" }
when far: x > 2.5 { stop "far enough" }
simulate { to = 10 }
END
ok "stop ends the run in good order, at its time" sh -c 'mbs run stop.mbs --json -o stop.csv >stop.json 2>stop.err && grep -q "far enough: .far. at t = 2.5\"" stop.json && grep -q "\"t\": 2.5" stop.json'
ok "message says so" grep -q "t = 2: another turn" stop.err
ok "the counts are in the summary" grep -q '"events": {"turn": 2, "far": 1}' stop.json
ok "floor and mod" awk -F, '$3 == "half" { x = $5 + 0 } END { print x; exit !(x > 11.5 - 1e-12 && x < 11.5 + 1e-12) }' stop.events.csv
sed 's/simulate.*/simulate { from = 1, to = 0 }/' stop.mbs >back.mbs
fails_with "no way back" 1 "cannot run backwards" mbs run stop.mbs --from 1 --to 0 -q -o back.csv
for m in ball thermostat pid order held; do
    ok "compare: guards, rates and assignments of $m" mbs compare $m.mbs
done
ok "parameters folded in, discrete states not" sh -c 'mbsc --fold-params pid.mbs -o - | grep -q "static const double value\[\] = { 0.0, 0.0, 0.0 }"'
done_testing
