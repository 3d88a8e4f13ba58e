#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# mbs import: files of our own that have every feature of their format, once.  The model that comes out is compared to the letter
# (it was judged by other engines, make judge-import), compiles, and is formatted.  Bad files get one message, and nothing is written.
# After a wanted change:  UPDATE_GOLDEN=1, then read the difference.
. "${top_srcdir:-.}/tests/tap.sh"
is() { if [ "$1" = "$2" ]; then pass "$3"; else fail "$3" "got:  $1
want: $2"; fi; }
here=$top_srcdir/tests/import
mbs=$top_builddir/mbs
without=$(printf '<robot name="a"><link name="b"/></robot>' >"$tmp/a.urdf"; "$mbs" import "$tmp/a.urdf" -o - 2>&1 | grep 'without libxml2')
if [ -n "$without" ]; then
    skip "import of URDF, MJCF and SDFormat: built without libxml2"
    done_testing
    exit
fi

# --- every feature -------------------------------------------------------------------------------------------
for file in arm.urdf parts.xml arms.xml wheel.xml rover.sdf yard.sdf press.sd; do
    name=${file%.*} options=
    case $file in arms.xml | yard.sdf) options=--contacts ;; esac
    "$mbs" import $options "$here/$file" -o "$tmp/$name.mbs" >"$tmp/out" 2>"$tmp/err"
    is "$?" 0 "$file is imported"
    [ -z "${UPDATE_GOLDEN-}" ] || cp "$tmp/$name.mbs" "$here/$name.mbs"
    is "$(diff "$here/$name.mbs" "$tmp/$name.mbs" | head -5)" "" "$file: the text of the model"
    "$top_builddir/mbsc" "$tmp/$name.mbs" -o "$tmp/$name.c" 2>"$tmp/cerr"
    is "$?" 0 "$file: the model compiles"
    "$mbs" fmt --check "$tmp/$name.mbs" >/dev/null
    is "$?" 0 "$file: the model is formatted"
    lost=$(grep -c 'not carried over: ' "$tmp/err") written=$(grep -c '# not carried over: ' "$tmp/$name.mbs")
    is "$lost" "$written" "$file: what is not carried over is said and written"
    is "$(sed -n 's/.*; \([0-9]*\) not carried over.*/\1/p' "$tmp/out")" "$lost" "$file: and counted"
done

"$mbs" import --no-snap -q "$here/arm.urdf" -o "$tmp/exact.mbs"
is "$(grep -c 'y = 1.5708)' "$tmp/exact.mbs") $(grep -c 'fractions of pi' "$tmp/exact.mbs")" "1 0" "--no-snap keeps angles"
is "$("$mbs" import -q --no-limits "$here/arm.urdf" -o - | grep -c "^limit\|# not carried over: limits of") $("$mbs" import -q "$here/arm.urdf" -o - | grep -c ^limit)" "4 4" "--no-limits makes comments of stops"
is "$("$mbs" import -q "$here/arms.xml" -o - | grep -c '^contact\|(--contacts writes them)') $("$mbs" import -q --contacts "$here/arms.xml" -o - | grep -c '^contact')" "1 11" "--contacts writes contacts with planes"
"$mbs" import --free -q "$here/arm.urdf" -o - 2>/dev/null >"$tmp/free.mbs"
is "$(grep -c '^joint root: free(ground, base)$' "$tmp/free.mbs")" 1 "--free lets the root float, -o - writes to standard output"

printf '<robot name="a"><link name="b"><visual><geometry><mesh filename="a\302\200b.stl"/></geometry></visual></link></robot>' >"$tmp/odd.urdf"
"$mbs" import -q --free "$tmp/odd.urdf" -o "$tmp/odd.mbs"
is "$? $(grep -c 'mesh(b, "a__b.stl")' "$tmp/odd.mbs")" "0 1" "characters that no string has become _"

# A box as a shape and as a mesh have the same mass, centre and moments; the mesh's numbers are floats.
{ for p in "0 0 0" "2 0 0" "2 3 0" "0 3 0" "0 0 4" "2 0 4" "2 3 4" "0 3 4"; do echo "v $p"; done
  for f in "1 4 3 2" "5 6 7 8" "1 2 6 5" "3 4 8 7" "2 3 7 6" "4 1 5 8"; do echo "f $f"; done; } >"$tmp/box.obj"
body() { printf '<mujoco>%s<worldbody><body name="b" euler="0 30 0"><joint name="j"/>%s</body></worldbody></mujoco>' "$1" "$2" >"$tmp/$3.xml"; "$mbs" import -q "$tmp/$3.xml" -o "$tmp/$3.mbs"; }
body '' '<geom type="box" size="0.1 0.15 0.2" pos="0.2 0.25 0.2"/>' shape
for inertia in legacy exact; do
    body "<asset><mesh name='m' file='box.obj' scale='-0.1 0.1 0.1' refpos='1 0 0' inertia='$inertia'/></asset>" '<geom type="mesh" mesh="m" pos="0.2 0.1 0"/>' mesh
    is "$(for f in shape mesh; do sed -n '/mass =\|com =\|inertia =/p' "$tmp/$f.mbs" | awk '{ gsub(/[][,]/, ""); for (i = 3; i <= NF; i++) printf "%.5f ", $i }'; echo; done | uniq | wc -l)" 1 "mass, centre and moments of a mesh ($inertia)"
done
is "$(grep -c 'mesh(b @ \[0.3, 0.1, 0\], "box.obj", \[-0.1, 0.1, 0.1\])' "$tmp/mesh.mbs")" 1 "and it is drawn where it is"

# The quaternion (0.8, 0.4, 0.4, 0.2) is a turn whose matrix has the rows 0.6 0 0.8, 0.64 0.6 -0.48, -0.48 0.8 0.36
printf '<mujoco><worldbody><body name="b" quat="0.8 0.4 0.4 0.2"><joint name="j"/><geom type="box" size="0.1 0.2 0.3"/></body></worldbody></mujoco>' >"$tmp/quat.xml"
"$mbs" import -q "$tmp/quat.xml" -o "$tmp/quat.mbs" && echo 'output P = b @ [1, 2, 3]' >>"$tmp/quat.mbs" && "$mbs" run "$tmp/quat.mbs" --to 1e-6 -q -o "$tmp/quat.csv"
is "$(tr -d '\r' <"$tmp/quat.csv" | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^P.x/) c = i } NR == 2 { printf "%.9f %.9f %.9f", $c, $(c+1), $(c+2) }')" "3.000000000 0.400000000 2.200000000" "axes by a quaternion"

# --- and back ------------------------------------------------------------------------------------------------
cat >"$tmp/tree.mbs" <<'END'
model tree "A tree of rigid bodies"
spatial
gravity [0, 0, -9.81]
param m: kg = 2, reach = 0.3
body base { mass = 5, inertia = [0.1, 0.2, 0.3], com = [0.1, 0, 0.05] }
body arm { mass = m, inertia = [[0.02, 0.001, 0], [0.001, 0.03, 0.002], [0, 0.002, 0.02]], com = [0, 0.1, 0.2], point tip = [0, 0, 0.4] }
body tool { mass = 0.3, inertia = [0.001, 0.001, 0.002] }
body slider { mass = 1, inertia = [0.01, 0.01, 0.01] }
joint root: free(ground, base)
joint shoulder: revolute(base @ at([0, 0, 0.1], x = 0.3, z = 0.2), arm @ [0, 0, -0.02]) axis [0, 1, 0]
joint mount: fixed(arm.tip @ at([0, 0, 0], y = pi/2), tool)
joint rail: prismatic(base @ [0.2, 0, 0], slider) axis [1, 0, 1]
rotor motor: on shoulder, inertia = 0.05
damper grease: on shoulder, damping = 0.4
limit stops: on shoulder, lower = -2*reach, upper = 1.25
limit ends: on rail, lower = -0.1, upper = 0.2
END
for format in urdf mjcf; do
    "$mbs" export -q "$tmp/tree.mbs" --$format -o "$tmp/one.$format.xml" 2>"$tmp/err"
    is "$? $(cat "$tmp/err")" "0 " "export --$format"
    "$mbs" import -q "$tmp/one.$format.xml" -o "$tmp/again.mbs" && "$mbs" export -q "$tmp/again.mbs" --$format -o "$tmp/two.xml"
    "$mbs" import -q "$tmp/two.xml" -o "$tmp/thrice.mbs"
    # points of bodies stay behind; numbers agree to 1e-12 of the text's largest: a turn there and back rounds
    is "$(python3 - "$tmp/again.mbs" "$tmp/thrice.mbs" <<'END'
import re, sys
a, b = ("".join(l for l in open(f) if re.match(r"joint|rotor|damper|limit|gravity|    (mass|com|inertia)| +\[", l)) for f in sys.argv[1:])
n = r"(?<![\w.])-?\d+\.?\d*(?:e-?\d+)?"
x, y = ([float(t) for t in re.findall(n, s)] for s in (a, b))
print(re.sub(n, "#", a) == re.sub(n, "#", b), len(x) == len(y) and all(abs(p - q) < 1e-12 for p, q in zip(x, y)))
END
)" "True True" "--$format: there and back again"
done
is "$(grep -c 'lower="-0.6" upper="1.25"' "$tmp/one.urdf.xml") $(grep -c 'range="-0.1 0.2"' "$tmp/one.mjcf.xml")" "1 1" "stops are in both"
is "$(grep -c 'armature="0.05"' "$tmp/one.mjcf.xml") $(grep -c 'damping="0.4"' "$tmp/one.mjcf.xml")" "1 1" "rotors and dampers are in MJCF"
"$mbs" export "$top_srcdir/models/bricard.mbs" --urdf -o "$tmp/no.urdf" 2>"$tmp/err"
is "$? $(grep -c 'closes a loop' "$tmp/err")" "1 1" "a loop is not exported"
"$mbs" export "$top_srcdir/models/fourbar.mbs" --mjcf -o "$tmp/no.xml" 2>"$tmp/err"
is "$? $(grep -c 'no mechanism in space' "$tmp/err")" "1 1" "a plane mechanism is not exported"

# --- what is refused -----------------------------------------------------------------------------------------
refuse() { # FILE, text of it, what the message says
    printf '%s' "$2" >"$tmp/$1"
    rm -f "$tmp/refused.mbs"
    "$mbs" import "$tmp/$1" -o "$tmp/refused.mbs" >"$tmp/out" 2>"$tmp/err"
    status=$?
    if [ $status = 1 ] && [ ! -e "$tmp/refused.mbs" ] && grep -qF "$3" "$tmp/err"; then pass "$3"; else fail "$3" "exit $status: $(cat "$tmp/err")"; fi
}
link() { printf '<link name="%s"/>' "$@"; }
joint() { printf '<joint name="%s" type="%s"><parent link="%s"/><child link="%s"/></joint>' "$@"; }
refuse a.urdf 'nothing' "this is no XML"
refuse a.urdf '<robot name="a"><link name="b">' "this is no XML"
refuse a.urdf '<house/>' "<house> starts no robot"
refuse a.urdf '<robot name="a"/>' "there is no link in this URDF file"
refuse a.urdf '<!DOCTYPE r [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><robot name="&b;"><link name="b"/></robot>' "document types and entities are refused"
refuse a.urdf '<!DOCTYPE r SYSTEM "file:///etc/passwd"><robot name="x"/>' "document types and entities are refused"
refuse a.urdf '<robot xmlns:xacro="http://ros.org/wiki/xacro"><xacro:arm/></robot>' "expand it first:  xacro"
refuse a.urdf '<robot name="a"><link name="b"><inertial><mass value="${m}"/></inertial></link></robot>' "expand it first:  xacro"
refuse a.urdf "<robot name='a'>$(link a a)</robot>" "there are two links 'a'"
refuse a.urdf "<robot name='a'>$(link a b)</robot>" "a robot has one root"
refuse a.urdf "<robot name='a'>$(link a b c)$(joint j fixed a b k fixed c b)</robot>" "the link 'b' has two parents, by the joints 'j' and 'k'"
refuse a.urdf "<robot name='a'>$(link a b)$(joint j fixed a b k fixed b a)</robot>" "the joints go round in a circle: every link has a parent"
refuse a.urdf "<robot name='a'>$(link a b c)$(joint j fixed b c k fixed c b)</robot>" "the joints go round in a circle through the link 'b'"
refuse a.urdf "<robot name='a'>$(link a b)$(joint j fixed a a)</robot>" "connects the link 'a' with itself"
refuse a.urdf "<robot name='a'>$(link a b)$(joint j hinge a b)</robot>" "the joint 'j' has the unknown type 'hinge'"
refuse a.urdf "<robot name='a'>$(link a b)$(joint j fixed a x)</robot>" "the joint 'j' names a link 'x' that is not there"
refuse a.urdf "<robot name='a'>$(link a b)<joint name='j' type='fixed'><child link='b'/></joint></robot>" "the joint 'j' needs a <parent link"
refuse a.urdf "<robot name='a'>$(link a b)<joint name='j' type='revolute'><parent link='a'/><child link='b'/><axis xyz='0 0 0'/></joint></robot>" "has no length"
refuse a.urdf "<robot name='a'><link/></robot>" "<link> needs an attribute 'name'"
for value in nan inf 1e999 0x10 one ''; do
    refuse a.urdf "<robot name='a'><link name='a'><inertial><mass value='$value'/></inertial></link></robot>" "'value' of <mass>"
done
refuse a.urdf "<robot name='a'><link name='a'><inertial><origin xyz='1 2'/><mass value='1'/></inertial></link></robot>" "'xyz' of <origin> takes 3 numbers"
refuse a.urdf "<robot name='a'><link name='a'><inertial><mass value='-1'/></inertial></link></robot>" "negative mass"
refuse a.urdf "<robot>$(awk 'BEGIN { for (i = 0; i < 100000; i++) printf "<a>" }')" "this is no XML"
mj() { printf '<mujoco>%s</mujoco>' "$1"; }
refuse a.xml "$(mj '<worldbody><body name="a"/><body name="a"/></worldbody>')" "there are two bodies 'a'"
refuse a.xml "$(mj '<worldbody><body><joint type="screw"/></body></worldbody>')" "the joint has the unknown type 'screw'"
refuse a.xml "$(mj '<worldbody><body quat="0 0 0 0"/></worldbody>')" "'quat' of <body> has no length"
refuse a.xml "$(mj '<worldbody><body childclass="c"/></worldbody>')" "there is no default class 'c'"
refuse a.xml "$(mj '<worldbody><body><joint class="c"/></body></worldbody>')" "there is no default class 'c'"
refuse a.xml "$(mj '<worldbody><body><joint/><geom type="box" size="1 1"/></body></worldbody>')" "takes 3 positive sizes"
refuse a.xml "$(mj '<worldbody><body><joint/><geom type="mesh" mesh="m"/></body></worldbody>')" "there is no mesh 'm'"
mesh() { mj "<asset><mesh name='m' $1/></asset><worldbody><body><joint/><geom type='mesh' mesh='m'/></body></worldbody>"; }
refuse a.xml "$(mesh 'file="m.stl"')" "would come from a mesh: there is no file 'm.stl' below the directory of the model"
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >"$tmp/flat.obj"
refuse a.xml "$(mesh 'file="flat.obj"')" "would come from a mesh: it encloses nothing"
refuse a.xml "$(mesh 'file="box.obj" inertia="convex"')" "its mass would be that of its convex hull"
refuse a.xml "$(mesh 'vertex="0 0 0 1 0 0 0 1 0 0 0 1"')" "its convex hull is not built"
refuse a.xml "$(mesh 'vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 1 7"')" "a face of the mesh names a corner that is not there"
refuse a.xml "$(mj '<worldbody><geom type="plane" size="1 1 1"/></worldbody>')" "nothing moves here"
cp "$tmp/box.obj" "$tmp/box.txt"
refuse a.xml "$(mesh 'file="box.txt"')" "only meshes in STL, OBJ, DAE and MSH are read"
refuse a.xml "$(mj '<worldbody><flexcomp name="f"/></worldbody>')" "<flexcomp> is not read: flexible parts"
refuse a.xml "$(mj '<worldbody><replicate count="0"><body><joint/></body></replicate></worldbody>')" "'count' of <replicate> is no number of copies"
refuse a.xml "$(mj '<worldbody><replicate count="9999"><replicate count="9999"><body><joint/></body></replicate></replicate></worldbody>')" "<replicate> gives more than"
refuse a.xml "$(mj '<worldbody><body><attach model="m"/></body></worldbody>')" "<attach> is not read"
refuse a.xml "$(mj '<include file="../../etc/passwd"/>')" "../etc/passwd'"
mkdir -p "$tmp/sub"
refuse sub/a.xml "$(mesh 'file="../box.obj"')" "there is no file '../box.obj' below the directory of the model (-I DIR names another)"
"$mbs" import -q "$tmp/sub/a.xml" -I "$tmp" -o "$tmp/sub/b.mbs"
is "$? $(grep -c '"../box.obj"' "$tmp/sub/b.mbs")" "0 1" "-I names a directory for meshes"
printf '<mujoco/>' >"$tmp/outside.xml"
refuse sub/a.xml "$(mj '<include file="../outside.xml"/>')" "'../outside.xml' is refused: it lies outside the directory of the file"
ln -sf ../outside.xml "$tmp/sub/link.xml"
refuse sub/a.xml "$(mj '<include file="link.xml"/>')" "'link.xml' is refused"
refuse a.xml "$(mj '<include file="a.xml"/>')" "'a.xml' is included twice"
refuse a.xml "$(mj '<worldbody/><equality><connect body1="x" anchor="0 0 0"/></equality>')" "<connect> names a body that is not there"
refuse a.xml "$(mj '<worldbody/><actuator><motor joint="x"/></actuator>')" "acts on a joint 'x' that is not there"
refuse a.xml "$(mj '<compiler eulerseq="abc"/><worldbody/>')" "'eulerseq' takes three axes"
sdf() { printf '<sdf version="1.9"><model name="m">%s</model></sdf>' "$1"; }
refuse a.sdf '<sdf version="1.9"/>' "there is no <model>"
refuse a.sdf "$(sdf '<link name="a"/><link name="a"/>')" "there are two things called 'a'"
refuse a.sdf "$(sdf '<link name="a"><pose relative_to="b"/></link><link name="b"><pose relative_to="a"/></link>')" "is relative to itself"
refuse a.sdf "$(sdf '<link name="a"><pose relative_to="x"/></link>')" "is relative to 'x', which is not there"
refuse a.sdf "$(sdf '<link name="a"><pose>1 2 3</pose></link>')" "'pose' of <pose> takes 6 numbers"
refuse a.sdf "$(sdf '<link name="a"/><joint name="j" type="revolute"><parent>a</parent><child>a</child></joint>')" "connects a link with itself"
refuse a.sdf "$(sdf '<link name="a"/><joint name="j" type="spin"><parent>world</parent><child>a</child></joint>')" "has the unknown type 'spin'"
refuse a.sdf "$(sdf '<link name="a"/><joint name="j" type="revolute"><parent>b</parent><child>a</child></joint>')" "<parent> of the joint 'j' names no link: 'b'"
include() { sdf "<link name='a'/><include><uri>$1</uri>$2</include>"; }
refuse a.sdf "$(include model://x)" "there is no 'x' below the directory of the file (-I DIR names another)"
refuse a.sdf "$(include https://fuel.gazebosim.org/x)" "nothing is fetched from the network"
refuse a.sdf "$(include '')" "<include> needs a <uri>"
refuse a.sdf "$(include a.sdf)" "models are nested too deep"
refuse a.sdf "$(sdf "<include merge='true'><uri>a.sdf</uri></include>")" "there are two things called"
printf '<robot name="a"/>' >"$tmp/b.sdf"
refuse a.sdf "$(include b.sdf)" "there is no <model> in 'b.sdf'"
refuse sub/a.sdf "$(include ../a.sdf)" "there is no '../a.sdf' below the directory of the file"
refuse a.sdf "$(sdf '<link name="a"/><model name="b" placement_frame="c"><link name="d"/></model>')" "the placement frame 'c' is not in its model"
"$mbs" import -q --free "$here/yard.sdf" -o "$tmp/yard.mbs" && mkdir -p "$tmp/else" && cp "$here/yard.sdf" "$tmp/else"
"$mbs" import -q --free "$tmp/else/yard.sdf" -I "$here" -o "$tmp/else.mbs"
is "$? $(diff "$tmp/yard.mbs" "$tmp/else.mbs" | grep -vc mesh)" "0 0" "-I names a directory for included models"
b='body = a inb = $ground joint = pin mass = 1 pin = 0 0 1'
refuse a.sd '' "there is no body in this file"
refuse a.sd 'what is this' "'what' stands where a keyword is expected"
refuse a.sd "body = a inb = \$ground" "needs 'inb = ...' and 'joint = ...'"
refuse a.sd "body = a inb = b joint = pin pin = 1 0 0" "hangs on 'b', which is not there"
refuse a.sd "body = a inb = \$ground joint = pin" "needs 1 pin"
refuse a.sd "body = a inb = \$ground joint = pin pin = 0 0 0" "a pin of 'a' has no length"
refuse a.sd "body = a inb = \$ground joint = pin pin = 0 0 ?" "is to be given at run time, but an axis is fixed"
refuse a.sd "body = a inb = \$ground joint = hook" "has a joint of the unknown type 'hook'"
refuse a.sd "$b mass = nan" "'mass' of 'a' is no number"
refuse a.sd "$b mass = -1" "the mass of 'a' is negative"
refuse a.sd "$b inertia = 1 2" "takes 3 or 9 numbers"
refuse a.sd "$b inbtojoint = 1 2" "'inbtojoint' of 'a' takes 3 numbers"
"$mbs" import "$tmp/missing.urdf" 2>"$tmp/err"
is "$? $(grep -c 'cannot read' "$tmp/err")" "1 1" "a file that is not there"
done_testing
