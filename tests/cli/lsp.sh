#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The language server over its protocol: sessions of three editors, what is no message, and how long 1000 lines take.
. "${top_srcdir:-.}/tests/tap.sh"
PATH=$top_builddir:$PATH
here=$(cd "$top_srcdir" && pwd)
command -v python3 >/dev/null || { skip "no python3"; done_testing; exit; }
cat >"$tmp/replay.py" <<'END'
import json, subprocess, sys

def frame(m):
    b = m if isinstance(m, bytes) else json.dumps(m).encode()
    return b"Content-Length: %d\r\n\r\n" % len(b) + b

def talk(messages):
    p = subprocess.run(["mbs", "lsp"], input=b"".join(map(frame, messages)), stdout=subprocess.PIPE)
    out, got = p.stdout, []
    while out:
        head, _, rest = out.partition(b"\r\n\r\n")
        n = int(head.split(b":")[1])
        got.append(json.loads(rest[:n]))
        out = rest[n:]
    return p.returncode, got
END
cat >"$tmp/session.py" <<'END'
import sys
from replay import *
messages = [json.loads(l) for l in open(sys.argv[1])]
status, got = talk(messages)
asked = {m["id"]: m for m in messages if "id" in m and "method" in m}
answered = {m["id"]: m for m in got if "id" in m}
assert set(asked) == set(answered), (set(asked), set(answered))
assert status == 0 or not any(m.get("method") == "exit" for m in messages), status
diagnostics = [m["params"]["diagnostics"] for m in got if m.get("method") == "textDocument/publishDiagnostics"]
assert diagnostics[0] == [], diagnostics[0]             # as it was opened
for i, m in asked.items():
    r, method = answered[i], m["method"].split("/")[-1]
    assert "error" not in r, (method, r)
    r = r["result"]
    if method == "hover":       # value, unit, derivative
        text = r["contents"]["value"]      # eglot also asks for the new name after a rename
        assert ("l*cos(phi), at the start -0.270151 m" in text and "m/s" in text) or "turn = 1 rad\nturn' = 0 rad/s" in text, r
    elif method == "definition":
        assert r["range"]["start"] == {"line": 5, "character": 61}, r
    elif method == "completion":
        assert [x["label"] for x in r][0] == "tip" and "momentum" in [x["label"] for x in r], r
    elif method == "documentSymbol":
        assert {"l", "rod", "tip", "pin", "phi", "S", "height"} <= {x["name"] for x in r}, r
    elif method == "rename":
        (edits,) = r["changes"].values()
        assert [e["range"]["start"] for e in edits] == [{"line": 7, "character": 38}, {"line": 9, "character": 5}], r
    elif method == "formatting":
        assert "body rod { mass = m, inertia" in r[0]["newText"], r
if sys.argv[1].endswith(("nvim.jsonl", "vscode.jsonl")):
    assert any("did you mean 'force'" in d["message"] and d["range"]["start"] == {"line": 11, "character": 16} for ds in diagnostics for d in ds), diagnostics
print(len(asked), "requests")
END
cat >"$tmp/more.py" <<'END'
import time
from replay import *
U = "file:///place/a.mbs"
def opened(text):
    return [{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"capabilities": {"general": {"positionEncodings": ["utf-8", "utf-16"]}}}},
            {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": {"uri": U, "version": 1, "text": text}}}]
def ask(i, method, line, column, **more):
    return {"jsonrpc": "2.0", "id": i, "method": "textDocument/" + method, "params": {"textDocument": {"uri": U}, "position": {"line": line, "character": column}, **more}}
end = [{"jsonrpc": "2.0", "id": 999, "method": "shutdown"}, {"jsonrpc": "2.0", "method": "exit"}]
which = sys.argv[1]
if which == "wrong":            # each is answered or left alone, and the server goes on
    status, got = talk([b"{nonsense", b"[]", b'{"jsonrpc":"2.0","id":1,"method":"textDocument/hover"}'] + opened("model a\ncoord x\nkinetic x'^2/2\n") +
                       [ask(2, "hover", 50, 50), ask(3, "rename", 1, 6, newName="kinetic"), ask(4, "rename", 0, 0, newName="y"), ask(5, "nothing", 0, 0),
                        ask(6, "rename", 1, 6, newName="a")] + end)
    by = {m.get("id"): m for m in got}
    assert status == 0 and by[1]["error"]["code"] == -32002 and by[2]["result"] is None, got
    assert all("error" in by[i] for i in (3, 4, 5, 6)) and any(m.get("error", {}).get("code") == -32700 for m in got), got
elif which == "hostile":        # places that are none; 300 000 strings in a message, each with memory for itself only
    strange = [b'{"jsonrpc":"2.0","id":%d,"method":"textDocument/hover","params":{"textDocument":{"uri":"%s"},"position":{"line":%s,"character":%s}}}' % (i, U.encode(), l, c)
               for i, (l, c) in enumerate([(b"1e999", b"-1e999"), (b"-5", b"3e9"), (b"2147483648", b"-1"), (b"0.5", b"1e300")], 10)]
    many = b'{"jsonrpc":"2.0","id":20,"method":"nothing","params":[' + b",".join([b'"a\\"b"']*300000) + b"]}"
    deep = b'{"jsonrpc":"2.0","id":21,"params":' + b"["*100000 + b"]"*100000 + b"}"
    status, got = talk(opened("model a\ncoord x\nkinetic x'^2/2\n") + strange + [many, deep] + end)
    by = {m.get("id"): m for m in got}
    assert status == 0 and all("result" in by[i] for i in (10, 11, 12, 13)) and by[20]["error"]["code"] == -32601, got
elif which == "places":         # columns by bytes or by UTF-16 units, over characters of one, two and four bytes
    text = 'model a "\u00e4\U0001d11e" # x\ncoord x # \u00e4\U0001d11e y\nkinetic x\'^2/2 + z\n'
    for encodings, column in (["utf-8"], 17), (["utf-16"], 17):
        m = opened(text)
        m[0]["params"]["capabilities"]["general"]["positionEncodings"] = encodings
        _, got = talk(m + end)
        d = got[1]["params"]["diagnostics"][0]
        assert d["range"]["start"] == {"line": 2, "character": column}, d
    m = opened('model a "\u00e4\U0001d11e" 5\n')
    for encodings, column in (["utf-8"], 17), (["utf-16"], 14):
        m[0]["params"]["capabilities"]["general"]["positionEncodings"] = encodings
        _, got = talk(m + end)
        assert got[1]["params"]["diagnostics"][0]["range"]["start"]["character"] == column, got[1]
elif which == "words":          # clauses where they may stand, with their help; statements where one starts; joints
    text = "model a\nplanar\nbody K { mass = 1,  }\njoint J: \n\nspring S: between K and ground, \n"
    _, got = talk(opened(text) + [ask(1, "completion", 2, 19), ask(2, "completion", 3, 9), ask(3, "completion", 4, 0), ask(4, "completion", 5, 32), ask(5, "hover", 2, 10)] + end)
    by = {m.get("id"): m.get("result") for m in got}
    labels = {i: [x["label"] for x in by[i]] for i in (1, 2, 3, 4)}
    assert "inertia" in labels[1] and "stiffness" not in labels[1] and {x["label"]: x for x in by[1]}["mass"]["insertText"] == "mass = ", labels[1]
    assert "revolute" in labels[2] and "axis" in labels[2] and "K" in labels[2], labels[2]
    assert "joint" in labels[3] and "spring" in labels[3] and "stiffness" not in labels[3], labels[3]
    assert "stiffness" in labels[4] and "inertia" not in labels[4], labels[4]
    assert "kg" in by[5]["contents"]["value"], by[5]
    # a word that is still being typed is a statement that starts, be it whole already: its clauses come behind it
    _, got = talk(opened("model a\nplanar\nbody\nbody K { mass = 1 }\n") + [ask(1, "completion", 2, 4), ask(2, "completion", 2, 2), ask(3, "completion", 3, 9)] + end)
    labels = {m.get("id"): [x["label"] for x in m["result"]] for m in got if m.get("id") in (1, 2, 3)}
    for i in 1, 2:
        assert "body" in labels[i] and "spring" in labels[i] and "inertia" not in labels[i], labels[i]
    assert "inertia" in labels[3] and "spring" not in labels[3], labels[3]
elif which == "elements":       # what an element tells of itself, behind its name, while the line is being written
    text = "model a\nplanar\nbody K { mass = 1 [kg], inertia = 1 [kg*m^2] }\njoint J: revolute(ground, K)\ndrive D: on J = t/1 [s]\nspring S: on J, stiffness = 1 [N*m]\n"
    by = {}
    for i, line in (1, "output W = D."), (2, "output F = S.w"):
        _, got = talk(opened(text + line + "\n") + [ask(i, "completion", 6, len(line))] + end)
        by.update({m.get("id"): {x["label"]: x.get("detail") for x in m["result"]} for m in got if m.get("id") == i})
    assert by[1]["work"] == "J" and by[1]["power"] == "W" and "torque" in by[1] and "rate" not in by[1], by[1]
    assert by[2]["work"] == "J" and "angle" in by[2] and "stiffness" not in by[2], by[2]
elif which == "fast":           # 1000 lines: processor time of each kind of message, since others may be at work
    import resource
    n = 330
    text = "model a\nparam k: N/m = 3\n" + "".join("param p%d: kg = %d\ncoord x%d: m\nkinetic p%d*x%d'^2/2\n" % (i, i + 1, i, i, i) for i in range(n))
    def cost(messages):
        used = lambda: sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
        before = used()
        status, _ = talk(messages)
        assert status == 0
        return used() - before
    change = {"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": U, "version": 2}, "contentChanges": [{"text": text}]}}
    least = cost(opened(text) + end)
    for what in (change, ask(1, "hover", 500, 8), ask(2, "completion", 500, 3), ask(3, "definition", 500, 8), ask(4, "documentSymbol", 0, 0), ask(5, "formatting", 0, 0)):
        each = (cost(opened(text) + [what]*10 + end) - least)/10
        print(what["method"], "%.1f ms" % (each*1e3), text.count("\n"), "lines")
        assert each < 0.05
END
cd "$tmp" || exit 99
for editor in vscode nvim emacs; do
    ok "a session of $editor" python3 session.py "$here/tests/lsp/$editor.jsonl"
done
ok "what is no message, and what is refused" python3 more.py wrong
ok "strange numbers, many strings, deep nesting" sh -c 'ulimit -v 2000000; exec python3 more.py hostile'
ok "columns as the editor counts them" python3 more.py places
ok "words where they may stand" python3 more.py words
ok "what elements tell of themselves" python3 more.py elements
ok "1000 lines in less than 50 ms" python3 more.py fast
# Vim's :make finds the place of an error.
if command -v vim >/dev/null || command -v nvim >/dev/null; then
    printf 'model bad\ncoord x\nkinetic y^2\n' >bad.mbs
    vim=$(command -v nvim || command -v vim)
    HOME=$tmp "$vim" -u NONE -es --cmd "set rtp^=$here/editors/vim" -c "filetype plugin on" -c "edit bad.mbs" -c "set ft=mbs" -c "silent! make!" -c "call writefile([string(getqflist()[0].lnum), string(getqflist()[0].col), getqflist()[0].text], 'qf')" -c "qa!" </dev/null >/dev/null 2>&1
    ok ":make in Vim" sh -c 'sed -n 1p qf | grep -qx 3 && sed -n 2p qf | grep -qx 9 && grep -q "not declared" qf'
else
    skip "no vim"
fi
done_testing
