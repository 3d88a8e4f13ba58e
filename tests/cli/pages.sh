#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The pages of studies: what they contain, that nothing of a model or a file gets out of its quotes, sizes, what is refused.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"
mbs=$top_builddir/mbs
XDG_CACHE_HOME=$tmp/cache
export XDG_CACHE_HOME
cp "$top_srcdir"/examples/double_pendulum.* "$top_srcdir"/examples/coupler_curve.* "$top_srcdir/examples/pendulum.mbs" "$tmp" && cd "$tmp" || exit 99
command -v python3 >/dev/null || { skip "no python3"; done_testing; exit; }
judge() { tap_what=$1; shift; if out=$(python3 - "$mbs" "$@" 2>&1); then pass "$tap_what"; else fail "$tap_what" "$(printf '%s\n' "$out" | tail -n 3)"; fi; }

# a model that is not to be trusted, in a file with a name to match
hostile='a<img src=x onerror=alert(1)>"&'\''b.mbs'
cat >"$hostile" <<'END'
model swing "</title><script>alert(1)</script><svg onload='alert(2)'> & q"
param l: m = 0.5 +- 0.02, m: kg = 1 +- 0.05, d: N*m*s = 0.01, g: m/s^2 = 9.81
coord phi: rad
kinetic m*l^2*phi'^2/2
potential -m*g*l*cos(phi)
dissipation d*phi'^2/2
init phi = 1
output x: m = l*sin(phi)
draw rod: line([0, 0], l*[sin(phi), -cos(phi)])
simulate { to = 2, every = 0.05 }
END
cat >common.py <<'END'
import base64, hashlib, html.parser, json, re, struct, subprocess, sys
mbs = sys.argv[1]
class Page(html.parser.HTMLParser):
    """What a browser would see: elements with their attributes, texts by the element around them."""
    void = {"meta", "br", "path", "rect", "circle", "img", "i"}
    def __init__(self, file):
        super().__init__(convert_charrefs=True)
        self.elements, self.texts, self.open = [], [], []
        self.raw = open(file, encoding="utf-8").read()
        self.feed(self.raw)
        self.close()
        assert not self.open, self.open
    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in self.void:
            self.open.append(tag)
    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
    def handle_endtag(self, tag):
        if tag in self.void:
            return
        assert self.open and self.open[-1] == tag, (tag, self.open[-3:], self.getpos())
        self.open.pop()
    def handle_data(self, text):
        self.texts.append((self.open[-1] if self.open else "", text))
    def text(self, tag):
        return "".join(t for e, t in self.texts if e == tag)
    def sections(self):
        return [a["id"] for e, a in self.elements if e == "section"]
    def data(self):
        return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', self.raw, re.S).group(1))
    def check(self):
        """One script that runs, known by its sum; nothing from elsewhere; no handlers in attributes."""
        scripts = [a for e, a in self.elements if e == "script"]
        assert len(scripts) == 2 and scripts[1] == {}, scripts
        body = re.findall(r"<script>(.*?)</script>", self.raw, re.S)
        assert len(body) == 1
        policy = [a["content"] for e, a in self.elements if a.get("http-equiv") == "Content-Security-Policy"]
        assert len(policy) == 1 and "default-src 'none'" in policy[0] and "unsafe-eval" not in policy[0]
        known = base64.b64encode(hashlib.sha256(body[0].encode()).digest()).decode()
        assert "script-src 'sha256-" + known + "';" in policy[0], (known, policy)
        for e, a in self.elements:
            assert e not in ("img", "iframe", "object", "embed", "link", "base", "form"), e
            assert not any(k.startswith("on") or k in ("src", "href") for k in a), (e, a)
        assert "NaN" not in re.sub(r"<script.*?</script>", "", self.raw, flags=re.S) and "inf" not in " ".join(a.get("d", "") for e, a in self.elements if e == "path")
        return self
def column(c, n):
    if not isinstance(c, dict):
        return [c] * n
    return list(struct.unpack("<%d%s" % (n, {"d": "d", "f": "f"}[c["k"]]), base64.b64decode(c["b"])))
def run(*args):
    return subprocess.run([mbs, *args], check=True, capture_output=True, text=True)
END
judge "a sweep: its sections, its numbers, a command line that gives the case again" "$hostile" <<'END'
exec(open("common.py").read())
import csv, shlex
model = sys.argv[2]
run("sweep", model, "-q", "--vary", "l", "--vary", "m", "--cases", "60", "-m", "max(x)", "-m", "x", "-m", "curve(phi)", "--rtol", "1e-9", "-o", "cases.csv", "--page", "sweep.html")
p = Page("sweep.html").check()
assert p.sections() == ["outputs", "scatter", "curves", "extremes", "command"], p.sections()
title = "</title><script>alert(1)</script><svg onload='alert(2)'> & q"
assert p.text("title").strip().startswith(title) and p.text("h1").strip() == title, (p.text("title")[:80], p.text("h1"))
rows = list(csv.reader(open("cases.csv", newline="")))
names = [n.split(" [")[0] for n in rows[0]]
rows = [dict(zip(names, map(float, r))) for r in rows[1:]]
d = p.data()
assert d["n"] == 60 and d["all"] and column(d["case"], 60) == [r["case"] for r in rows]
for c in d["factors"]:
    assert column(c["data"], 60) == [r[c["name"]] for r in rows], c["name"]        # bit for bit
for c in d["measures"]:
    for a, r in zip(column(c["data"], 60), rows):
        assert abs(a - r[c["name"]]) <= 1e-7 * abs(r[c["name"]]), c["name"]         # floats have 24 bits
# the extreme case that stands first in the page, run again by its line; methods take the same steps, so that results are the same
line = next(t for e, t in p.texts if e == "pre" and "--set" in t)
words = shlex.split(line)
assert words[:5] == ["mbs", "run", model, "--rtol", "1e-09"], words
run(*words[1:], "-q", "-o", "again.csv")
again = list(csv.reader(open("again.csv", newline="")))
x = [float(r[[n.split(" [")[0] for n in again[0]].index("x")]) for r in again[1:]]
most = max(r["max(x)"] for r in rows)
assert max(x) == most, (max(x), most)
# dots: one a case and panel
for path in [a["d"] for e, a in p.elements if e == "path" and a.get("class") == "dots"]:
    assert path.count("M") == 60
END
judge "a sweep without cases that end well still has a page that says so" <<'END'
exec(open("common.py").read())
r = subprocess.run([mbs, "sweep", "pendulum.mbs", "-q", "--vary", "l=1,2", "--max-steps", "1", "--page", "failed.html"], capture_output=True, text=True)
assert r.returncode == 1 and "every case failed" in r.stderr, r
p = Page("failed.html").check()
assert "failures" in p.sections() and "case 1, 2" in "".join(t for e, t in p.texts if e == "p"), p.sections()
END
judge "indices: errors of a quotient of means against a bootstrap by hand" <<'END'
exec(open("common.py").read())
import csv, random
# y = l + m with deviations 0.02 and 0.05 would do; x of the model depends on both
open("sum.mbs", "w").write("model sum\nparam p = 0, q = 0\ncoord u\nkinetic u'^2/2\noutput y = p + 2*q + p*q\nsimulate { to = 0.1 }\n")
out = json.loads(run("sweep", "sum.mbs", "--vary", "p=-1..1", "--vary", "q=-1..1", "--cases", "400", "--sampling", "indices", "-m", "y", "--json", "-o", "s.csv", "--page", "indices.html").stdout)
m = out["measures"]["end(y)"]
# variances of independent parts: p 1/3, 2q 4/3, pq 1/9
V = 1/3 + 4/3 + 1/9
for name, first in ("p", 1/3 / V), ("q", 4/3 / V):
    assert abs(m["first"][name] - first) < 4 * m["first_error"][name], (name, m)
    assert abs(m["total"][name] - first - 1/9 / V) < 4 * m["total_error"][name], (name, m)
f = [float(r[-1]) for r in list(csv.reader(open("s.csv", newline="")))[1:]]
points = [f[i:i + 4] for i in range(0, len(f), 4)]
def indices(points):
    mean = sum(a + b for a, b, *_ in points) / (2 * len(points))
    v = sum((a - mean)**2 + (b - mean)**2 for a, b, *_ in points) / (2 * len(points))
    return [sum((b - mean) * (c[k] - a) for a, b, *c in points) / len(points) / v for k in (0, 1)] + [sum((a - c[k])**2 for a, b, *c in points) / (2 * len(points)) / v for k in (0, 1)]
random.seed(1)
drawn = [indices(random.choices(points, k=len(points))) for _ in range(400)]
want = [m["first_error"]["p"], m["first_error"]["q"], m["total_error"]["p"], m["total_error"]["q"]]
for k, e in enumerate(want):
    mean = sum(d[k] for d in drawn) / len(drawn)
    s = (sum((d[k] - mean)**2 for d in drawn) / (len(drawn) - 1))**0.5
    # 400 resamples know a deviation to 1/sqrt(800) = 3.5 %: four of these, and the terms of second order that are left out
    assert abs(s - e) < 0.2 * s, (k, s, e)
p = Page("indices.html").check()
assert "indices" in p.sections() and p.raw.count('class="whisker"') == 4
END
judge "a page of 20000 cases is small: cells in place of points, all cases counted" <<'END'
exec(open("common.py").read())
run("sweep", "sum.mbs", "-q", "--vary", "p=-1..1", "--vary", "q=normal(0,1)", "--cases", "20000", "-m", "y", "--page", "many.html")
p = Page("many.html").check()
assert len(p.raw) < 300000 and not p.data()["all"] and p.data()["n"] <= 1510, len(p.raw)
assert 'class="dots"' not in p.raw and 'class="hex h5"' in p.raw
# the histogram counts every case
counts = [int(m) for m in re.findall(r": (\d+) cases?</title>", p.raw)]
beyond = re.search(r"(\d+) cases? lies? beyond|(\d+) cases lie beyond", p.raw)
assert sum(counts) + (int(beyond.group(1) or beyond.group(2)) if beyond else 0) == 20000, (sum(counts), beyond)
END
has_gsl || { done_testing; exit; }
judge "a fit: samples, residuals, estimates, correlations" <<'END'
exec(open("common.py").read())
import shlex
hostile = "<b>'\"&.csv"
open(hostile, "w").write(open("double_pendulum.csv").read())
out = json.loads(run("fit", "double_pendulum.mbs", hostile, "--free", "c=0..1", "--free", "m2=0.1..3", "--free", "l1", "--json", "--page", "fit.html", "-o", "fitted.json").stdout)
p = Page("fit.html").check()
assert p.sections() == ["estimates", "beside", "normality", "correlations", "course", "command"], p.sections()
names = [a.get("data-name") for e, a in p.elements if e == "path"]
assert names.count("measured") == 2 and names.count("model") == 2 and names.count("residual") == 2, names
for path in [a["d"] for e, a in p.elements if e == "path" and a.get("data-name") == "measured"]:
    assert path.count("M") == 61
# samples and model are where the axes say: the residual of a sample in the chart is that of the table, to the tenth of a pixel
cells = [t for e, t in p.texts if e == "td"]
for name, x in out["parameters"].items():
    assert any(c == "%.8g" % x["value"] for c in cells), (name, x["value"], cells)
assert json.load(open("fitted.json"))["m2"] == out["parameters"]["m2"]["value"]
assert "correlation" in p.raw and shlex.split(next(t for e, t in p.texts if e == "pre"))[:4] == ["mbs", "fit", "double_pendulum.mbs", hostile]
END
judge "a fit that cannot find all says so in words" <<'END'
exec(open("common.py").read())
open("pair.mbs", "w").write("model pair\nparam k = 4, m = 1\ncoord x\nkinetic m*x'^2/2\npotential k*x^2/2\ninit x = 1\nsimulate { to = 3, rtol = 1e-9, every = 0.1 }\n")
run("run", "pair.mbs", "-q", "-o", "all.csv")
rows = [r.split(",")[:2] for r in open("all.csv").read().splitlines()]
open("x.csv", "w").write("\n".join(",".join(r) for r in rows) + "\n")
run("fit", "pair.mbs", "x.csv", "-q", "--free", "k", "--free", "m", "--page", "pair.html")
p = Page("pair.html").check()
assert "not determined" in p.text("td") and "leaves the fit as it is" in p.text("p"), p.text("p")
END
judge "a design: path and given points, mechanism, conditions" <<'END'
exec(open("common.py").read())
free = [w for n in ("a=0.2..0.8", "b=0.8..2", "c=0.8..2", "d=0.8..2", "px=0..1.5", "py=0..1.5") for w in ("--free", n)]
run("optimize", "coupler_curve.mbs", "-q", *free, "--minimize", "mean(off)", "--subject", "max(y)<=2", "--path", "x,y=coupler_curve.csv", "--page", "design.html", "-o", "best.json")
best = json.load(open("best.json"))
for name, want in dict(a=0.4, b=1.2, c=1.1, d=1.3, px=0.8, py=0.6).items():
    assert abs(best[name] - want) < 0.005, (name, best[name])      # the points are rounded to a millimetre
p = Page("design.html").check()
assert p.sections() == ["parameters", "mechanism", "paths", "curves", "course", "command"], p.sections()
given = [a["d"] for e, a in p.elements if e == "path" and a.get("data-name") == "given"]
after = [a["d"] for e, a in p.elements if e == "path" and a.get("data-name") == "after"][0]
assert len(given) == 1 and len(re.findall(r"M[-\d.]+ [-\d.]+m", given[0])) == 12
# every given point is on the curve, within half a pixel and what lies between two points of it
curve = [tuple(map(float, m)) for m in re.findall(r"[ML]([-\d.]+) ([-\d.]+)", after)]
for x, y in re.findall(r"M([-\d.]+) ([-\d.]+)m", given[0]):
    assert min((float(x) - a)**2 + (float(y) - b)**2 for a, b in curve)**0.5 < 3, (x, y)
assert "kept" in p.text("td") and p.text("figcaption").count("Before") == 1
END
fails_with "--page - is refused" 2 "writes a file" "$mbs" sweep pendulum.mbs --vary l=1,2 --page -
fails_with "--page with --shard is refused" 2 "page with --merge" "$mbs" sweep pendulum.mbs --vary l=1,2 --shard 1/2 -o a.csv --page a.html
fails_with "a directory that is not there is said before the work" 2 "cannot write" "$mbs" fit double_pendulum.mbs double_pendulum.csv --free c --page nowhere/fit.html
fails_with "--path without --page" 2 "for the page" "$mbs" optimize coupler_curve.mbs --free px --minimize 'mean(off)' --path x,y
fails_with "--path with a column that is none" 2 "two columns of a run" "$mbs" optimize coupler_curve.mbs --free px --minimize 'mean(off)' --path x,z --page p.html
"$mbs" sweep pendulum.mbs -q --vary l=1:2:5 --shard 1/2 -o parts.csv && "$mbs" sweep pendulum.mbs -q --vary l=1:2:5 --shard 2/2 -o parts.csv &&
    "$mbs" sweep pendulum.mbs -q --vary l=1:2:5 --merge -o parts.csv --page merged.html && "$mbs" sweep pendulum.mbs -q --vary l=1:2:5 -o whole.csv --page whole.html
ok "parts that are joined have the page of the whole" cmp merged.html whole.html
done_testing
