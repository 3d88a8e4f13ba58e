# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots of our own in the sizes that the field measures with: robots.py DIR NAME...

NAME is arm6 (right angles, as industrial arms of six axes have), arm7 and arm7_offset (seven axes, full inertias), quadruped (18 degrees of freedom, free
base), humanoid (30, free base), plane-N or space-N (a chain of N links; space: about y, z, y, ...).
DIR gets, for each: NAME.mbs, NAME.urdf, NAME.xml (MJCF), and NAME.txt, the same as a table:

    gravity X Y Z
    body NAME PARENT KIND AXIS(3) PLACE(3) RPY(3) MASS COM(3) IXX IYY IZZ IXY IXZ IYZ

PARENT counts from 0, -1 is the ground; KIND is revolute, prismatic or free; the joint's frame is placed in the parent's axes; the
body's origin is at its joint; inertia about the centre of mass in the body's axes.  Numbers come from a fixed sequence.
"""
import math
import os
import sys


class Sequence:
    """Numbers between -1 and 1, the same on every run and machine."""

    def __init__(self, seed):
        self.state = seed

    def __call__(self):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) * 2.0**-30 - 1


class Body:
    def __init__(self, name, parent, kind, axis, place, rpy, mass, com, inertia):
        self.name, self.parent, self.kind, self.axis, self.place, self.rpy = name, parent, kind, axis, place, rpy
        self.mass, self.com, self.inertia = mass, com, inertia      # xx yy zz xy xz yz


def rotation(roll, pitch, yaw):
    cr, sr, cp, sp, cy, sy = (f(x) for x in (roll, pitch, yaw) for f in (math.cos, math.sin))
    return [[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr]]


def box(mass, x, y, z):
    return [mass * (y * y + z * z) / 12, mass * (x * x + z * z) / 12, mass * (x * x + y * y) / 12, 0.0, 0.0, 0.0]


def turned(inertia, angles):
    """Principal moments, seen from axes turned a little: all six numbers."""
    R, d = rotation(*angles), inertia[:3]
    J = [[sum(R[i][k] * d[k] * R[j][k] for k in range(3)) for j in range(3)] for i in range(3)]
    return [J[0][0], J[1][1], J[2][2], J[0][1], J[0][2], J[1][2]]


X, Y, Z = [1, 0, 0], [0, 1, 0], [0, 0, 1]
ZERO, RIGHT = [0, 0, 0], math.pi / 2


def tidy(x):
    return float("%.6g" % x)


def full(r, name, parent, axis, place, rpy, mass, size, com, kind="revolute"):
    """A body of about this size, with all of its inertia."""
    com = [tidy(c + 0.02 * r()) for c in com]
    J = [tidy(x) for x in turned(box(mass, *size), [0.3 * r(), 0.3 * r(), 0.3 * r()])]
    return Body(name, parent, kind, axis, place, rpy, tidy(mass * (1 + 0.1 * r())), com, J)


def arm6():
    rows = [("pan", Z, [0, 0, 0.09], ZERO, 3.7, [0, 0, 0], [0.1, 0.1, 0.15]),
            ("lift", Y, [0, 0.136, 0], [0, RIGHT, 0], 8.4, [0, 0, 0.28], [0.13, 0.13, 0.48]),
            ("elbow", Y, [0, -0.12, 0.425], ZERO, 2.3, [0, 0, 0.25], [0.1, 0.1, 0.4]),
            ("wrist1", Y, [0, 0, 0.39], [0, RIGHT, 0], 1.2, [0, 0, 0], [0.09, 0.09, 0.12]),
            ("wrist2", Z, [0, 0.093, 0], ZERO, 1.2, [0, 0, 0], [0.09, 0.09, 0.12]),
            ("wrist3", Y, [0, 0, 0.095], ZERO, 0.19, [0, 0.06, 0], [0.07, 0.07, 0.04])]
    return [Body(n, i - 1, "revolute", axis, place, rpy, m, com, [tidy(x) for x in box(m, *size)])
            for i, (n, axis, place, rpy, m, com, size) in enumerate(rows)]


def arm7(offset):
    """Seven axes, each at a right angle to the one before; offset: the elbow and the wrist lie beside the axes."""
    r, a, w = Sequence(7), 0.0825 if offset else 0, 0.088 if offset else 0
    rows = [([0, 0, 0.33], ZERO), (ZERO, [-RIGHT, 0, 0]), ([0, -0.316, 0], [RIGHT, 0, 0]), ([a, 0, 0], [RIGHT, 0, 0]),
            ([-a, 0.384, 0], [-RIGHT, 0, 0]), (ZERO, [RIGHT, 0, 0]), ([w, 0, 0], [RIGHT, 0, 0])]
    return [full(r, "link%d" % (i + 1), i - 1, Z, place, rpy, 4 - 0.4 * i, [0.12, 0.14, 0.3 - 0.02 * i], [0.01, -0.03, 0.06])
            for i, (place, rpy) in enumerate(rows)]


def trunk(r, mass, size):
    b = full(r, "trunk", -1, ZERO, ZERO, ZERO, mass, size, ZERO, "free")
    return b


def quadruped():
    r = Sequence(18)
    bodies = [trunk(r, 60, [1.0, 0.4, 0.25])]
    for x, y, leg in ((1, 1, "lf"), (1, -1, "rf"), (-1, 1, "lh"), (-1, -1, "rh")):
        bodies.append(full(r, leg + "_haa", 0, X, [0.37 * x, 0.21 * y, 0], ZERO, 3.4, [0.1, 0.12, 0.1], ZERO))
        bodies.append(full(r, leg + "_hfe", len(bodies) - 1, Y, [0.08 * x, 0, 0], ZERO, 4.0, [0.06, 0.06, 0.35], [0, 0, -0.15]))
        bodies.append(full(r, leg + "_kfe", len(bodies) - 1, Y, [0, 0, -0.35], ZERO, 0.9, [0.04, 0.04, 0.33], [0, 0, -0.13]))
    return bodies


def humanoid():
    r = Sequence(30)
    bodies = [trunk(r, 15, [0.25, 0.35, 0.2])]

    def limb(name, parent, rows):
        for part, axis, place, mass, size, com in rows:
            bodies.append(full(r, name + part, parent, axis, place, ZERO, mass, size, com))
            parent = len(bodies) - 1
        return parent
    for side, s in (("l", 1), ("r", -1)):
        limb(side, 0, (("_hip_z", Z, [0, 0.1 * s, -0.1], 1.8, [0.1, 0.1, 0.1], ZERO),
                       ("_hip_x", X, [0, 0, -0.03], 1.8, [0.1, 0.1, 0.1], ZERO),
                       ("_hip_y", Y, [0.02, 0, 0], 6.0, [0.13, 0.13, 0.38], [0, 0, -0.19]),
                       ("_knee", Y, [0, 0, -0.38], 3.5, [0.1, 0.1, 0.36], [0, 0, -0.15]),
                       ("_ankle_y", Y, [0, 0, -0.36], 1.2, [0.08, 0.08, 0.08], ZERO),
                       ("_ankle_x", X, [0, 0, -0.02], 1.5, [0.22, 0.1, 0.06], [0.03, 0, -0.06])))
    chest = limb("waist", 0, (("_z", Z, [0, 0, 0.12], 3.0, [0.2, 0.2, 0.1], ZERO),
                              ("_y", Y, [0, 0, 0.05], 17.0, [0.25, 0.35, 0.4], [0, 0, 0.18])))
    limb("neck", chest, (("_z", Z, [0, 0, 0.42], 0.6, [0.08, 0.08, 0.08], ZERO),
                         ("_y", Y, [0, 0, 0.05], 2.5, [0.18, 0.15, 0.22], [0, 0, 0.1])))
    for side, s in (("l", 1), ("r", -1)):
        limb(side, chest, (("_shoulder_y", Y, [0, 0.22 * s, 0.32], 1.2, [0.1, 0.1, 0.1], ZERO),
                           ("_shoulder_x", X, [0, 0.03 * s, 0], 1.2, [0.1, 0.1, 0.1], ZERO),
                           ("_shoulder_z", Z, [0, 0, -0.05], 2.0, [0.09, 0.09, 0.26], [0, 0, -0.12]),
                           ("_elbow", Y, [0.01, 0, -0.27], 1.5, [0.07, 0.07, 0.25], [0, 0, -0.11])))
    return bodies


def chain(n, axes):
    """Rods of a metre and a kilogram, a little different from each other."""
    r, bodies = Sequence(n), []
    for i in range(n):
        mass = tidy(1 + 0.1 * r())
        bodies.append(Body("link%d" % (i + 1), i - 1, "revolute", axes[i % len(axes)], [1, 0, 0] if i else ZERO, ZERO, mass, [0.5, 0, 0],
                           [tidy(x) for x in box(mass, 1, 0.1, 0.1)]))
    return bodies


def robot(name):
    """Bodies and gravity."""
    fixed = {"arm6": arm6, "arm7": lambda: arm7(False), "arm7_offset": lambda: arm7(True), "quadruped": quadruped, "humanoid": humanoid}
    if name in fixed:
        return fixed[name](), [0, 0, -9.81]
    family, dash, n = name.partition("-")
    if family in ("plane", "space") and n.isdigit() and int(n) > 0:
        return (chain(int(n), [Z]), [0, -9.81, 0]) if family == "plane" else (chain(int(n), [Y, Z]), [0, 0, -9.81])
    sys.exit("robots.py: '%s' is not known: %s, plane-N or space-N" % (name, ", ".join(fixed)))


# --- the four ways to write them down -------------------------------------------------------------------------------------------

def angle(x):
    k = x / RIGHT
    return "%r" % x if k != int(k) else {0: "0", 1: "pi/2", -1: "-pi/2", 2: "pi", -2: "-pi"}[int(k)]


def vector(x):
    return "[%s]" % ", ".join("%.17g" % v for v in x)


def write_mbs(name, bodies, gravity):
    """A plane chain is a plane model."""
    plane = name.startswith("plane")
    places = {}                                  # of the children, on their parents
    out = ["model %s" % name.replace("-", ""), "planar" if plane else "spatial", "gravity " + vector(gravity[:2] if plane else gravity)]
    for i, b in enumerate(bodies):
        if any(b.rpy):
            place = "frame at_%s = at(%s, z = %s, y = %s, x = %s)" % (b.name, vector(b.place), angle(b.rpy[2]), angle(b.rpy[1]), angle(b.rpy[0]))
        else:
            place = "point at_%s = %s" % (b.name, vector(b.place[:2] if plane else b.place))
        places.setdefault(b.parent, []).append(place)
    if any(any(b.rpy) for b in bodies if b.parent < 0):
        sys.exit("robots.py: a first joint with turned axes is not supported")
    for i, b in enumerate(bodies):
        J = b.inertia
        inertia = "%.17g" % J[2] if plane else vector(J[:3]) if not any(J[3:]) else "[[%r, %r, %r], [%r, %r, %r], [%r, %r, %r]]" % (
            J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2])
        items = ["mass = %.17g" % b.mass, "com = " + vector(b.com[:2] if plane else b.com), "inertia = " + inertia] + places.get(i, [])
        out.append("body %s { %s }" % (b.name, ", ".join(items)))
    for i, b in enumerate(bodies):
        parent = "%s.at_%s" % (bodies[b.parent].name, b.name) if b.parent >= 0 else "ground @ " + vector(b.place[:2] if plane else b.place)
        if b.kind == "free":
            out.append("joint j_%s: free(%s, %s) angles zyx" % (b.name, parent, b.name))
        else:
            out.append("joint j_%s: %s(%s, %s)%s" % (b.name, b.kind, parent, b.name, "" if plane else " axis " + vector(b.axis)))
    out.append("simulate { to = 1 }")
    return "\n".join(out) + "\n"


def write_urdf(name, bodies, gravity):
    numbers = lambda x: " ".join("%.17g" % v for v in x)
    out = ['<robot name="%s">' % name]
    if bodies[0].kind != "free":
        out.append('<link name="ground"/>')
    for b in bodies:
        out.append('<link name="%s"><inertial><origin xyz="%s"/><mass value="%.17g"/><inertia ixx="%.17g" iyy="%.17g" izz="%.17g" ixy="%.17g" '
                   'ixz="%.17g" iyz="%.17g"/></inertial></link>' % ((b.name, numbers(b.com), b.mass) + tuple(b.inertia)))
        if b.kind != "free":
            out.append('<joint name="j_%s" type="%s"><parent link="%s"/><child link="%s"/><origin xyz="%s" rpy="%s"/><axis xyz="%s"/>'
                       '<limit effort="1e9" velocity="1e9" lower="-1e9" upper="1e9"/></joint>'
                       % (b.name, b.kind, bodies[b.parent].name if b.parent >= 0 else "ground", b.name, numbers(b.place), numbers(b.rpy), numbers(b.axis)))
    return "\n".join(out + ["</robot>"]) + "\n"


def quaternion(roll, pitch, yaw):
    (cr, sr), (cp, sp), (cy, sy) = ((math.cos(x / 2), math.sin(x / 2)) for x in (roll, pitch, yaw))
    return [cr * cp * cy + sr * sp * sy, sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy]


def write_mjcf(name, bodies, gravity):
    numbers = lambda x: " ".join("%.17g" % v for v in x)
    children = {}
    for i, b in enumerate(bodies):
        children.setdefault(b.parent, []).append(i)
    out = ['<mujoco model="%s"><compiler angle="radian" balanceinertia="false" boundmass="0"/><option gravity="%s"><flag contact="disable" '
           'constraint="disable"/></option><worldbody>' % (name, numbers(gravity))]
    stack = [iter(children.get(-1, []))]
    while stack:                                 # without recursion: chains are long
        i = next(stack[-1], None)
        if i is None:
            stack.pop()
            out.append("</body>" if stack else "</worldbody></mujoco>")
            continue
        b = bodies[i]
        joint = '<freejoint name="j_%s"/>' % b.name if b.kind == "free" else '<joint name="j_%s" type="%s" axis="%s"/>' % (
            b.name, {"revolute": "hinge", "prismatic": "slide"}[b.kind], numbers(b.axis))
        out.append('<body name="%s" pos="%s" quat="%s">%s<inertial pos="%s" mass="%.17g" fullinertia="%s"/>'
                   % (b.name, numbers(b.place), numbers(quaternion(*b.rpy)), joint, numbers(b.com), b.mass, numbers(b.inertia)))
        stack.append(iter(children.get(i, [])))
    return "\n".join(out) + "\n"


def write_table(name, bodies, gravity):
    numbers = lambda x: " ".join("%.17g" % v for v in x)
    out = ["gravity " + numbers(gravity)]
    for b in bodies:
        out.append("body %s %d %s %s" % (b.name, b.parent, b.kind, numbers(list(b.axis) + list(b.place) + list(b.rpy) + [b.mass] + list(b.com) + list(b.inertia))))
    return "\n".join(out) + "\n"


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    for name in sys.argv[2:]:
        bodies, gravity = robot(name)
        for suffix, write in (("mbs", write_mbs), ("urdf", write_urdf), ("xml", write_mjcf), ("txt", write_table)):
            with open(os.path.join(sys.argv[1], "%s.%s" % (name, suffix)), "w") as f:
                f.write(write(name, bodies, gravity))


if __name__ == "__main__":
    main()
