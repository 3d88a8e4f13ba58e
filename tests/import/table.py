# SPDX-License-Identifier: GPL-3.0-or-later
"""The section of doc/results.md on imported robots, from what the judges printed.

usage: table.py STATES LOG ...         logs of pinocchio_judge.py, sdf_judge.py, mujoco_judge.py"""
import importlib.metadata as packages
import re, sys

LINE = re.compile(r"(ok|FAIL)\s+(\S+)\s+(links|bodies)\s+(\d+)\s+nq\s+(\d+)\s+lost\s+(\d+)\s+(.*?)\s+seconds (\S+) (\S+) (\S+)\s+C (\d+) kB")


def version(name):
    try:
        return "%s %s" % (name, packages.version(name))
    except packages.PackageNotFoundError:
        return None


def rows(lines, kind):
    for line in lines:
        m = LINE.match(line)
        if m and m[3] == kind:
            w = {k: float(v) for k, v in re.findall(r"(\w+) (\S+)", m[7])}
            loops = w.pop("loops", None)
            yield "| %s | %s | %s | %s | %.0e | %s | %.1f | %s |%s" % (
                m[2], m[4], m[5], m[6], max(w.values()), "%.0e" % loops if loops else "", sum(map(float, m.groups()[7:10])), m[11], " differs" if m[1] == "FAIL" else "")


def main():
    states, lines = sys.argv[1], [l.rstrip("\n") for f in sys.argv[2:] for l in open(f, errors="replace")]
    have = [v for v in map(version, ("pin", "mujoco", "example-robot-data", "dm_control", "gymnasium")) if v]
    print("""## Robots from other formats

`mbs import`, judged by other engines (`make judge-import`, [import.md](import.md)): URDF and SDFormat by Pinocchio, MJCF by MuJoCo, at %s random states. The largest
difference is that of the mass matrix, bias and gravity forces (MJCF: bias, passive and actuator forces), accelerations and the poses of all links, each of its scale; loops:
difference of the projectors on the row spaces of their Jacobians, which lose the digits of the rows' condition. Seconds are import + mbsc + gcc (-O1, above
150 kB -O0; MJCF: tcc) on a machine that was busy with other things: they order robots, they measure nothing. The size is that of the C file. Packages: %s; none of
their files is part of mbs.
""" % (states, ", ".join(have)))
    for title, kind in (("URDF and SDFormat", "links"), ("MJCF", "bodies")):
        table = list(rows(lines, kind))
        print("### %s\n| robot | %s | coordinates | not carried over | largest difference | loops | seconds | C / kB |" % (title, kind))
        print("| --- | --- | --- | --- | --- | --- | --- | --- |")
        print("\n".join(table))
        print()
        if kind == "links":
            print("%d robots, %d differ by more than 1e-10.\n" % (len(table), sum(r.endswith("differs") for r in table)))
    for l in lines:
        if l.startswith("# "):
            print(l[2:] + ".  ")
    refused = [l for l in lines if l.startswith("refused") and "nothing moves here" not in l]
    still = sum(l.startswith("refused") for l in lines) - len(refused)
    print("\nRefused: %d files in which nothing moves, and" % still)
    for l in refused:
        name, text = l.split()[1], re.search(r"error: (.*?)( \||$)", l)
        print("- %s: %s" % (name, text[1] if text else l))


main()
