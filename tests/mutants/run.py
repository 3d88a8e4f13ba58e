#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""run.py SOURCE [--only WORD] [--from N] [--count N] [--numbers N,N,...] [--list] [--rest] [--in DIRECTORY]: plants the faults of list.txt one at a time in a scratch copy of the sources, builds, runs
the tests that each names until one sees it, and says which survive; with --rest a survivor also goes through all other tests.  A fault
whose text does not stand in its file exactly once is stale; a test that does not end (half an hour, or five minutes of the processor for one of its programs) has seen it too.  With --in the scratch copy stays in DIRECTORY, and the next run builds only what changed."""
import contextlib
import filecmp
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

PATIENCE, PROCESSOR = 1800, 300         # seconds


def read_list(path):
    blocks, block = [], {}
    for line in open(path, encoding="utf-8"):
        line = line.rstrip("\n")
        if not line or line.startswith("#"):
            if block:
                blocks.append(block)
            block = {}
            continue
        key, _, value = line.partition(" ")
        block[key] = value
    if block:
        blocks.append(block)
    return blocks


def tests_of(block):
    """A test and its settings: [(name, {variable: value})]"""
    out = []
    for word in block["test"].split():
        if "=" in word:
            out[-1][1].__setitem__(*word.split("="))
        else:
            out.append((word, {}))
    return out


def quiet(command, where, extra=None):
    """Its status; what does not end in time is stopped with all that it started."""
    run = subprocess.Popen(command, cwd=where, env={**os.environ, **(extra or {})}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR, PROCESSOR)))
    try:
        return run.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        return 124
    finally:
        if run.poll() is None:
            os.killpg(run.pid, signal.SIGKILL)
            run.wait()


def prepare(source, room):
    """A copy of what git knows, configured and built."""
    copy = os.path.join(room, "mbs")
    files = subprocess.run(["git", "ls-files"], cwd=source, capture_output=True, text=True, check=True).stdout.split("\n")
    for name in filter(None, files):
        old, new = os.path.join(source, name), os.path.join(copy, name)
        if os.path.exists(old) and not (os.path.exists(new) and filecmp.cmp(old, new, shallow=False)):
            os.makedirs(os.path.dirname(new), exist_ok=True)
            shutil.copy(old, new)           # with a new date: make sees it
    build = os.path.join(copy, "build")
    steps = [(["autoreconf", "-fi"], copy), (["../configure", "--quiet", "CC=gcc", "CFLAGS=-O1"], build), (["make", "-s", "-j2"], build)]
    if os.path.exists(os.path.join(build, "Makefile")):
        del steps[:2]
    os.makedirs(build, exist_ok=True)
    if os.path.isdir("/usr/lib/ccache"):        # gcc of this name goes by a cache
        os.environ["PATH"] = "/usr/lib/ccache:" + os.environ["PATH"]
    for command, where in steps:
        if quiet(command, where):
            sys.exit("run.py: %s fails in %s" % (" ".join(command), where))
    return copy, build


def passes(name, build, settings):
    """Only this test is linked, with what it needs; everything else was built before.  A random model that fails is not reduced."""
    return not quiet(["make", "-s", "check-TESTS", "TESTS=" + name], build, {"REDUCE": "0", **settings})


def sound(tests, build):
    """What fails without any fault catches none."""
    quiet(["make", "-s", "-j2"], build)
    for name, settings in {(name, tuple(settings.items())) for name, settings in tests}:
        if not passes(name, build, dict(settings)):
            print("%s fails without any fault: what it caught does not count" % name)


def judge(block, copy, build, rest):
    path = os.path.join(copy, block["file"])
    text = open(path, encoding="utf-8").read()
    open(path, "w", encoding="utf-8").write(text.replace(block["old"], block["new"]))
    try:
        whole = any(name.endswith(".sh") for name, _ in tests_of(block))       # a program is linked with its libraries by itself
        if whole and quiet(["make", "-s", "-j2"], build):
            return "does not compile"
        for name, settings in tests_of(block):
            if not whole and quiet(["make", "-s", "-j2", name], build):
                return "does not compile"
            if not passes(name, build, settings):
                return "caught by " + name
        if rest and quiet(["make", "-s", "-k", "check"], build):
            return "caught by the rest of the tests"
        return "SURVIVES"
    finally:
        open(path, "w", encoding="utf-8").write(text)


def main():
    source = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else "."
    only = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else ""
    blocks = read_list(os.path.join(os.path.dirname(os.path.abspath(__file__)), "list.txt"))
    count = {"caught": 0, "survives": 0, "stale": 0, "broken": 0}
    good, catchers = [], []
    first, most = (int(sys.argv[sys.argv.index(word) + 1]) if word in sys.argv else otherwise for word, otherwise in (("--from", 1), ("--count", len(blocks))))
    wanted = list(range(first, first + most))
    if "--numbers" in sys.argv:
        wanted = [int(number) for number in sys.argv[sys.argv.index("--numbers") + 1].split(",")]
    for number, block in enumerate(blocks, 1):      # a number is a place in the list, stale ones included
        text = open(os.path.join(source, block["file"]), encoding="utf-8").read() if os.path.exists(os.path.join(source, block["file"])) else ""
        if text.count(block["old"]) != 1:
            print("%d stale (%d places): %s: %s" % (number, text.count(block["old"]), block["file"], block["old"]), flush=True)
            count["stale"] += 1
        elif number in wanted and only in block["file"]:
            good.append((number, block))
    if "--list" in sys.argv:
        print("%d faults, %d of them stale" % (len(blocks), count["stale"]))
        return
    room = sys.argv[sys.argv.index("--in") + 1] if "--in" in sys.argv else None
    with contextlib.nullcontext(os.path.abspath(room)) if room else tempfile.TemporaryDirectory() as room:
        copy, build = prepare(source, room)
        for number, block in sorted(good, key=lambda pair: wanted.index(pair[0])):
            verdict = judge(block, copy, build, "--rest" in sys.argv)
            count[{"S": "survives", "d": "broken", "c": "caught"}[verdict[0]]] += 1
            print("%d %s: %s: %s" % (number, verdict, block["file"], block["new"]), flush=True)
            catchers += [(name, settings) for name, settings in tests_of(block) if verdict == "caught by " + name]
        sound(catchers, build)
    print("%(caught)d caught, %(survives)d survive, %(broken)d do not compile, %(stale)d stale" % count)


main()
