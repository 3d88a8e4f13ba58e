# SPDX-License-Identifier: GPL-3.0-or-later
"""Mutated robot files: each must be imported or refused with a message, in less than a second of processor time and 200 MB, and nothing is
left behind after a refusal.

usage: mutate.py SERVE DIRECTORY COUNT [SEED]        COUNT files of each format; SERVE is the program of serve.c; prints TAP"""
import os, random, shutil, subprocess, sys, tempfile

SOURCES = {"urdf": ["arm.urdf"], "xml": ["parts.xml", "arms.xml", "wheel.xml"], "sdf": ["rover.sdf", "yard.sdf"], "sd": ["press.sd"]}
BESIDE = ["wedge.obj", "cart"]
NUMBERS = ["nan", "inf", "-inf", "1e999", "-1", "0", "1e-320", "0x10", "", "1 2", "1,5", "99999999999999999999", "--1", "?", "1?", "1e308"]
NAMES = ["", "world", "ground", "$ground", "for", "int", "t", "pi", "and", "1", "a" * 5000, "../../etc/passwd", "/etc/passwd", "\u00e9", "a b", "a\"b", "com", "base", "__model__",
         "package://../../etc/passwd", "%s%s%n", "{", "#"]
XML = ["<!DOCTYPE a [<!ENTITY b 'c'>]>", "&b;", "<![CDATA[x]]>", "<!-- - -->", "<?x?>", "<a>", "</a>", "\0", "\xff", "<include file='../x'/>", "<include file='/etc/passwd'/>",
       "<default class='x'/>", "<body/>", "<link/>", "<joint/>"]


def special(kind):
    """Files that are hostile on purpose."""
    deep = 1000000
    if kind == "sd":
        yield "body = a inb = a joint = pin\n" * 20000
        yield "".join("body = b%d inb = %s joint = pin pin = 1 0 0\n" % (i, "b%d" % (i - 1) if i else "$ground") for i in range(20000))
        return
    yield "<a>" * deep
    yield "<robot name='a'>" + "<link name='b'>" * deep
    yield "<!DOCTYPE l [<!ENTITY a 'aaaaaaaaaa'>" + "".join("<!ENTITY a%d '%s'>" % (i, "&a%s;" % (i - 1 if i else "") * 10) for i in range(10)) + "]><robot name='&a9;'/>"
    yield "<robot name='a'>" + "".join("<link name='l%d'/>" % i for i in range(30000)) + "".join(
        "<joint name='j%d' type='fixed'><parent link='l%d'/><child link='l%d'/></joint>" % (i, i, i + 1) for i in range(29999)) + "</robot>"
    yield "<robot name='a'>" + "<link name='l'/>" * 50000 + "</robot>"
    yield "<robot name='" + "a" * 1000000 + "'><link name='b'/></robot>"
    yield "<mujoco><worldbody>" + "<body>" * 190 + "<geom size='1'/>" + "</body>" * 190 + "</worldbody></mujoco>"
    yield "<mujoco><worldbody>" + "<geom type='plane' size='1 1 1'/>" * 20000 + "<body><joint/>" + "<geom size='1'/>" * 40000 + "</body></worldbody></mujoco>"
    many = range(20000)
    yield "<mujoco><worldbody>" + "".join("<body><joint name='j%d' springdamper='1 1' actuatorfrcrange='0 1'/><geom size='1'/><site name='s%d'/></body>" % (i, i) for i in many) + "</worldbody><tendon>" + "".join(
        "<spatial name='t%d' stiffness='1'><site site='s%d'/><site site='s0'/></spatial>" % (i, i) for i in many if i) + "</tendon><actuator>" + "".join(
        "<position joint='j%d' dampratio='1'/>" % i for i in many) + "</actuator></mujoco>"
    yield "<mujoco><worldbody>" + "<replicate count='1'><body name='b'><joint name='j'/></body></replicate>" * 9000 + "</worldbody><actuator>" + "<motor joint='j'/>" * 50000 + "</actuator></mujoco>"
    yield "<mujoco><worldbody>" + "<replicate count='9'>" * 60 + "<body><joint/></body>" + "</replicate>" * 60 + "</worldbody></mujoco>"
    yield "<mujoco>" + "<default>" * 190 + "</default>" * 190 + "<worldbody/></mujoco>"
    yield "<sdf version='1.9'><model name='m'>" + "".join("<frame name='f%d'><pose relative_to='f%d'/></frame>" % (i, i + 1) for i in range(20000)) + "</model></sdf>"
    yield "<robot name='a'><link name='b'>" + "x<!---->" * 100000 + "</link></robot>"


def tokens(text):
    """Starts and ends of what may be exchanged: values in quotes, words and numbers between blanks or tags."""
    spots, i = [], 0
    while i < len(text):
        if text[i] in "\"'":
            j = text.find(text[i], i + 1)
            if j > 0:
                spots.append((i + 1, j))
                i = j
        elif text[i] == ">":
            j = text.find("<", i)
            if j > i + 1 and text[i + 1:j].strip():
                spots.append((i + 1, j))
        i += 1
    return spots


def mutate(rng, text, kind):
    for _ in range(rng.choice([1, 1, 1, 2, 3, 6])):
        how, n = rng.randrange(9), len(text)
        a = rng.randrange(n + 1)
        b = min(n, a + rng.choice([1, 1, 5, 40, 400]))
        spots = tokens(text) if kind != "sd" else [(m, m + len(w)) for w in set(text.split()) for m in [text.find(w)]]
        if how == 0:
            text = text[:a]
        elif how == 1:
            text = text[:a] + text[b:]
        elif how == 2:
            text = text[:a] + text[a:b] * rng.choice([2, 3, 50]) + text[b:]
        elif how == 3:
            text = text[:a] + chr(rng.randrange(1, 256)) + text[min(n, a + 1):]
        elif how == 4:
            c = rng.randrange(n + 1)
            text = text[:c] + text[a:b] + text[c:]
        elif how == 5 and kind != "sd":
            text = text[:a] + rng.choice(XML) + text[a:]
        elif spots:
            s, e = rng.choice(sorted(spots))
            new = rng.choice(NUMBERS) if how < 7 else rng.choice(NAMES) if how == 7 else text[slice(*rng.choice(sorted(spots)))]
            text = text[:s] + new + text[e:]
        if len(text) > 300000:
            text = text[:300000]
        if not text:
            return text
    return text


class Server:
    def __init__(self, program, log):
        self.log, self.p = log, subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, path, out):
        self.p.stdin.write("%s\t%s\t%s\n" % (path, out, self.log))
        self.p.stdin.flush()
        status, seconds, memory = self.p.stdout.readline().split()
        with open(self.log, "rb") as f:
            return int(status), float(seconds), int(memory), f.read()


def fault_of(status, seconds, memory, said, out):
    if status not in (0, 1):
        return "exit status %d: %s" % (status, said.decode(errors="replace")[-300:])
    if status == 1 and (b"error: " not in said or os.path.exists(out)):
        return "refused without a message, or a file was written"
    if status == 0 and not os.path.exists(out):
        return "nothing was written"
    if b"fault of mbs" in said:
        return "the result is no model: " + said.decode(errors="replace")[:300]
    if seconds > 1 or memory > 200000:
        return "%.1f s, %d MB" % (seconds, memory // 1000)
    return None


def main():
    program, here, count, seed = os.path.abspath(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4]) if len(sys.argv) > 4 else 1
    tests = bad_all = 0
    with tempfile.TemporaryDirectory() as tmp:
        for name in BESIDE:
            f = os.path.join(here, name)
            (shutil.copytree if os.path.isdir(f) else shutil.copy)(f, os.path.join(tmp, name))
        server, out = Server(program, os.path.join(tmp, "messages")), os.path.join(tmp, "out.mbs")
        for kind, sources in SOURCES.items():
            texts, rng, bad, refused, slow, most = [open(os.path.join(here, s)).read() for s in sources], random.Random("%d %s" % (seed, kind)), 0, 0, 0.0, 0
            files = list(special(kind)) + [None] * count
            for i, content in enumerate(files):
                content = mutate(rng, texts[i % len(texts)], kind) if content is None else content
                path = os.path.join(tmp, "a." + kind)
                with open(path, "wb") as f:
                    f.write(content.encode("utf-8", "surrogateescape") if rng.random() < 0.5 else content.encode("latin-1", "replace"))
                if os.path.exists(out):
                    os.remove(out)
                status, seconds, memory, said = server.run(path, out)
                slow, most = max(slow, seconds), max(most, memory)
                refused += status == 1
                fault = fault_of(status, seconds, memory, said, out)
                if fault:
                    bad += 1
                    if bad <= 5:
                        print("# %s %d: %s" % (kind, i, fault.replace("\n", "\n# ")))
                    if os.environ.get("KEEP"):
                        os.rename(path, os.path.join(os.environ["KEEP"], "%s-%d.%s" % (kind, i, kind)))
            tests += 1
            bad_all += bad > 0
            print("%sok %d - %s: %d files, %d refused, slowest %.2f s, at most %d MB" % ("not " if bad else "", tests, kind, len(files), refused, slow, most // 1000), flush=True)
        server.p.stdin.close()
        server.p.wait()
    print("1..%d" % tests)
    sys.exit(bad_all > 0)


main()
