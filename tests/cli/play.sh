#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# `mbs play` over its protocol: who is let in, that it goes where `mbs run` goes, that a hand pulls the right body at the right place.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"
if ! command -v python3 >/dev/null; then
    skip "no python3 to speak with it"
    done_testing
    exit
fi
XDG_CACHE_HOME=$tmp/cache
export XDG_CACHE_HOME
cd "$tmp" || exit 99
fails_with "a port that is none" 1 '65535' "$top_builddir/mbs" play "$top_srcdir/examples/pendulum.mbs" --port 70000
fails_with "a model with an error" 1 'nothing.mbs' "$top_builddir/mbs" play nothing.mbs
ok "mbs play --once prints the address and ends" sh -c '"$1" play "$2" --once -q | grep -Eq "^http://127\.0\.0\.1:[0-9]+/[0-9a-f]{32}/$"' sh "$top_builddir/mbs" "$top_srcdir/examples/pendulum.mbs"
cat >free.mbs <<'END'
model free "A plate in a plane, touched by nothing"
planar
param m: kg = 2, J: kg*m^2 = 0.1
body plate { mass = m, inertia = J, com = [0.1, 0.05], point A = [0.3, 0] }
joint F: free(ground, plate)
init F.x = 0.2, F.y = -0.1, F.angle = 0.7
simulate { to = 1, rtol = 1e-9 }
END
cat >four.mbs <<'END'
model four "A four-bar linkage that hangs"
planar
gravity [0, -9.81]
param a: m = 0.3, b: m = 0.8, c: m = 0.5, d: m = 0.9, m: kg = 1
body crank { mass = m, inertia = 0.01, com = [a/2, 0], point B = [a, 0] }
body rod { mass = m, inertia = 0.05, com = [b/2, 0.1], point C = [b, 0] }
body rocker { mass = m, inertia = 0.02, com = [c/2, 0], point C = [c, 0] }
joint A: revolute(ground, crank) angle alpha
joint B: revolute(crank.B, rod) angle beta
joint D: revolute(ground @ [d, 0], rocker) angle delta
cut joint C: revolute(rod.C, rocker.C)
init alpha ~ -1, delta ~ -1.5, beta ~ 1
damper air: on A, damping = 2
HAND
simulate { to = 1 }
END
cat >play.py <<'END'
import atexit, http.client, json, math, os, re, signal, socket, struct, subprocess, sys
mbs, top = sys.argv[1:3]
count = bad = 0
def ok(good, what, more=None):
    global count, bad
    count += 1
    bad += not good
    print(("ok " if good else "not ok ") + str(count) + " - " + what)
    if not good and more is not None:
        print("# " + str(more)[:500])
class Player:
    def __init__(self, *args):
        # tests that run in the background ignore Ctrl-C, and so would what they start
        self.p = subprocess.Popen([mbs, "play", "-q", *args], stdout=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        atexit.register(self.p.kill)        # whatever happens, it does not stay
        self.url = self.p.stdout.readline().decode().strip()
        m = re.match(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/$", self.url)
        self.port, self.token = int(m[1]), m[2]
        self.c = http.client.HTTPConnection("127.0.0.1", self.port)
        page = self.ask("GET", "")
        self.page = page
        self.data = json.loads(re.search(r'id="data">\n(.*?)\n</script>', page[2].decode(), re.S)[1])
        self.at = self.data["play"]
        self.names = self.data["again"]
    def ask(self, method, path, body=None, headers={}, token=None):
        self.c.request(method, "/" + (self.token if token is None else token) + "/" + path, body, headers)
        r = self.c.getresponse()
        return r.status, r.headers, r.read()
    def post(self, path, body):
        status, headers, data = self.ask("POST", path, json.dumps(body))
        if status != 200:
            raise Exception("%s: %d" % (path, status))
        x = struct.unpack("<%dd" % (len(data) // 8), data)
        at, n = self.at, self.names
        block = lambda a, b, names: dict(zip(names, x[at[a]:at[b]]))
        return {"t": x[0], "q": block("q", "v", n["coord"]), "v": block("v", "a", n["coord"]), "y": block("y", "energy", n["output"]), "xyz": x[at["xyz"]:at["width"]],
                "violation": x[at["violation"]:at["xyz"]], "held": x[at["width"]:at["width"] + 3], "force": x[at["width"] + 3:], "says": headers.get("Mbs-Says", "")}
    def end(self):
        self.c.close()
        self.p.send_signal(signal.SIGINT)
        return self.p.wait(10)

# ---- who is let in
p = Player(top + "/examples/pendulum.mbs")
status, headers, text = p.page
ok(status == 200 and b"<!DOCTYPE html>" in text, "the page")
ok("default-src 'none'" in headers["Content-Security-Policy"] and headers["Cache-Control"] == "no-store" and headers["X-Frame-Options"] == "DENY", "it may load nothing from elsewhere, and nobody may frame or keep it", headers)
here = ["%02X%02X%02X%02X:%04X" % (1, 0, 0, 127, p.port)]
lines = [l.split()[1:4] for l in open("/proc/net/tcp")] + [l.split()[1:4] for l in open("/proc/net/tcp6")] if os.path.exists("/proc/net/tcp") else []
listens = [l[0] for l in lines[1:] if l[2] == "0A" and l[0].endswith(":%04X" % p.port)]
ok(listens in ([], ["0100007F:%04X" % p.port]), "it listens on 127.0.0.1 only", listens)
seccomp = open("/proc/%d/status" % p.p.pid).read() if os.path.exists("/proc/self/status") else ""
ok("Seccomp:\t2" in seccomp or "Seccomp" not in seccomp, "what runs the model can make no other connection", seccomp[-300:])
def refused(status, what, *args, **more):
    got = p.ask(*args, **more)[0]
    p.c.close()
    ok(got == status, "%s: %d" % (what, status), got)
refused(404, "another token", "GET", "", token="0" * 32)
refused(404, "a part of the token", "GET", "", token=p.token[:31])
refused(404, "no token", "GET", "", token="")
refused(403, "a name of another site that points here", "GET", "", headers={"Host": "example.org:%d" % p.port})
refused(403, "another port", "GET", "", headers={"Host": "127.0.0.1:1"})
refused(403, "a page of another site", "POST", "step", "{}", headers={"Origin": "http://example.org"})
refused(403, "a page without a site", "POST", "step", "{}", headers={"Origin": "null"})
refused(405, "another method", "PUT", "step", "{}")
refused(404, "a file", "GET", "../../etc/passwd")
refused(404, "a step is no page", "GET", "step")
refused(413, "too much", "POST", "step", " " * 70000)
for body in ["", "[]", "{", '{"dt":-1}', '{"dt":1e999}', '{"dt":"x"}', '{"dt":0,"pull":{"handle":99,"place":[0,0,0],"to":[0,0,0]}}', '{"dt":0,"pull":{"handle":0,"to":[0,0]}}', '{"dt":0,"pull":{"handle":0,"to":[0,0,0]}}']:
    refused(400, "no step: " + body, "POST", "step", body)
ok(p.ask("GET", "", headers={"Host": "localhost:%d" % p.port})[0] == 200, "localhost is this machine")
raw = socket.create_connection(("127.0.0.1", p.port))
for piece in [b"POST /" + p.token.encode() + b"/step HT", b"TP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Le" % p.port, b"ngth: 10\r\n\r\n{\"dt\"", b":0.1}", b""]:
    raw.sendall(piece)
ok(raw.recv(15) == b"HTTP/1.1 200 OK", "a request in pieces")
raw.close()
junk = socket.create_connection(("127.0.0.1", p.port))
junk.sendall(b"\0\xff" * 200 + b"\r\n\r\n")
ok(b"400" in junk.recv(100), "noise is refused")
many = [socket.create_connection(("127.0.0.1", p.port)) for _ in range(20)]
p.c.close()
ok(p.ask("GET", "")[0] == 200, "twenty silent clients keep nobody out")
ok(p.end() == 0, "Ctrl-C ends it with status 0")
again = Player(top + "/examples/pendulum.mbs", "--port", str(p.port))
ok(again.port == p.port and again.token != p.token, "the port is free again, the token another")
again.end()

# ---- where it goes: 60 steps, started afresh by nothing, against the same solver in one run.  Both follow rtol 1e-10: 1e-8 is a hundred errors of a step
for model in ["examples/slider_crank.mbs", "models/top.mbs", "examples/thermostat.mbs"]:
    p = Player(top + "/" + model, "--rtol", "1e-10")
    end = 0.5 if "thermostat" not in model else 2000
    for i in range(60):
        r = p.post("step", {"dt": end / 60, "pull": None})
    subprocess.run([mbs, "run", "-q", top + "/" + model, "--rtol", "1e-10", "--to", repr(r["t"]), "-o", "run.csv"], check=True)
    rows = [l.split(",") for l in open("run.csv", newline="").read().strip().split("\r\n")]
    want = {re.sub(r" \[.*", "", h): float(v) for h, v in zip(rows[0], rows[-1])}
    off = max(abs(r["q"][k] - want[k]) / (1 + abs(want[k])) for k in r["q"])
    ok(off < 1e-8, "%s is where mbs run is, within 1e-8" % model, (off, r["q"], want))
    s = p.post("reset", {})
    ok(s["t"] == 0 and s["says"] == "", "reset goes back")
    p.end()

# ---- the hand, on a free body: Newton and Euler about the centre of mass.  Over 1e-5 s the force changes by 1e-4 of itself at most (30 rad/s)
p = Player("free.mbs")
m, J, com = 2, 0.1, (0.1, 0.05)
r = p.post("step", {"dt": 0})
phi = r["q"]["F.angle"]
rot = lambda v: (math.cos(phi) * v[0] - math.sin(phi) * v[1], math.sin(phi) * v[0] + math.cos(phi) * v[1])
origin = (r["q"]["F.x"], r["q"]["F.y"])
place = tuple(o + d for o, d in zip(origin, rot((0.25, -0.02)))) + (0,)
to = (place[0] + 0.03, place[1] + 0.05, 0)
r = p.post("step", {"dt": 1e-5, "pace": 1, "pull": {"handle": 0, "place": place, "to": to}})
F = r["force"]
ok(max(abs(a - b) for a, b in zip(r["held"], place)) < 1e-8, "it holds the place that was taken", (r["held"], place))
ok(abs(F[0] * 0.05 - F[1] * 0.03) < 1e-6 * math.hypot(F[0], F[1]), "the force points to the cursor", F)
c = rot(com)
arm = (place[0] - origin[0] - c[0], place[1] - origin[1] - c[1])
alpha = (arm[0] * F[1] - arm[1] * F[0]) / J
want = {"F.angle": alpha, "F.x": F[0] / m + alpha * c[1], "F.y": F[1] / m - alpha * c[0]}
got = {k: r["v"][k] / 1e-5 for k in want}
ok(all(abs(got[k] - want[k]) < 1e-3 * max(map(abs, want.values())) for k in want), "accelerations are those of Newton and Euler", (got, want))
for i in range(200):
    r = p.post("step", {"dt": 0.02, "pace": 1, "pull": {"handle": 0, "to": to}})
ok(math.dist(r["held"], to) < 1e-4, "the place comes to the cursor", (r["held"], to))
r = p.post("step", {"dt": 0.1, "pull": None})
ok(math.isnan(r["held"][0]), "and is let go")
p.end()

# ---- in a closed loop at rest: the same as a spring that the model has, by statics
text = open("four.mbs").read()
open("hand.mbs", "w").write(text.replace("HAND\n", ""))
p = Player("hand.mbs", "--at-equilibrium")
names = [h[0] for h in p.at["handles"]]
r = p.post("step", {"dt": 0})
h = names.index("rod")
first = p.at["handles"][h][2]
o, ex, ey = (r["xyz"][3 * (first + k):3 * (first + k) + 3] for k in range(3))
local = (0.35, 0.12)
place = [o[k] + local[0] * (ex[k] - o[k]) + local[1] * (ey[k] - o[k]) for k in range(3)]
to = [place[0] + 0.1, place[1] - 0.15, 0]
for i in range(400):
    r = p.post("step", {"dt": 0.05, "pace": 1, "pull": {"handle": h, "place": place, "to": to}})
stiffness = r["force"][1] / (to[1] - r["held"][1])
ok(math.hypot(*r["v"].values()) < 1e-7 and math.dist(r["held"], place) > 0.02, "the loop is pulled and comes to rest", (r["v"], r["held"], place))
open("spring.mbs", "w").write(text.replace("HAND\n", "spring S: between rod @ [%r, %r] and ground @ [%r, %r], stiffness = %r\n" % (*local, to[0], to[1], stiffness)))
out = json.loads(subprocess.run([mbs, "equilibrium", "--json", "spring.mbs"], check=True, capture_output=True).stdout)
flat = json.dumps(out)
want = {k: float(re.search(r'"%s"[^-0-9]*(-?[0-9.e+-]+)' % k, flat)[1]) for k in r["q"]}
ok(all(abs(math.sin((r["q"][k] - want[k]) / 2)) < 1e-6 for k in want), "where statics puts it with a spring at the same place", (r["q"], want))
p.end()

# ---- parameters and start values
p = Player(top + "/examples/pendulum.mbs")
index = {x["name"]: k for k, x in enumerate(p.data["params"])}
r = p.post("set", {"given": [[index["phi(0)"], 0.25]]})
ok(r["t"] == 0 and r["q"]["phi"] == 0.25, "a start value", r["q"])
p.post("step", {"dt": 0.5})
r = p.post("set", {"given": [[index["phi(0)"], 0.25], [index["grav"], 0]]})
v = r["v"]["phi"]
ok(r["t"] == 0.5, "a parameter changes while it runs")
r = p.post("step", {"dt": 0.5})
ok(abs(r["v"]["phi"] - v) < 1e-12, "without gravity it keeps its speed", (v, r["v"]))
ok(p.ask("POST", "set", '{"given": [[0, "x"]]}')[0] == 200 and p.post("set", {"given": [[1e9, 1]]})["says"] != "", "no such parameter: said")
p.end()
p = Player("hand.mbs")
index = {x["name"]: k for k, x in enumerate(p.data["params"])}
before = p.post("step", {"dt": 0.1})
r = p.post("set", {"given": [[index["d"], 5]]})
ok(r["says"] != "" and abs(r["q"]["alpha"] - before["q"]["alpha"]) < 1e-9, "a length that cannot be: said, and the old one stays", r["says"])
r = p.post("step", {"dt": 0.1})
ok(r["t"] > 0.19 and max(r["violation"]) < 1e-6, "and it goes on", r["violation"])
p.end()
print("1..%d" % count)
sys.exit(bad != 0)
END
python3 play.py "$top_builddir/mbs" "$top_srcdir" >out.txt 2>&1
status=$?
# its lines are ours
while read -r line; do
    case $line in
    "ok "*) pass "${line#*- }" ;;
    "not ok "*) fail "${line#*- }" ;;
    "#"* | "1.."*) echo "# $line" ;;
    *) echo "# $line" ;;
    esac
done <out.txt
ok "the client came to its end" test $status = 0
done_testing
