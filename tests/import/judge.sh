#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Real robots against other engines: make judge-import [STATES=100] [ROBOTS=DIR].  Python with the packages pin, example-robot-data and mujoco
# is looked for as $PYTHON (python3); what is absent is skipped by name.  ROBOTS: further directories with MJCF models.
build=$1 source=$2 states=${STATES-100} python=${PYTHON-python3} status=0
robots=$("$python" -c 'import pinocchio, os; print(os.path.join(pinocchio.__file__.split("/lib/python")[0], "share/example-robot-data/robots"))' 2>/dev/null)
own=$source/tests/import
if [ -z "$robots" ]; then
    echo "skipped: the package pin (Pinocchio) is not installed for $python"
else
    [ -d "$robots" ] || echo "skipped: the package example-robot-data is not installed"
    list=$own/arm.urdf
    for f in $(find "$robots" -name '*.urdf' 2>/dev/null | sort); do
        grep -q '<link' "$f" || continue
        case $f in      # legged and flying ones float
        *anymal* | */a1.* | */b1* | *bolt* | *go1* | *go2* | *hyq* | *laikago* | *solo* | *talos_full* | *talos_red* | *icub* | *romeo* | *g1_* | *humanoid* | \
            *quadru* | *centauro* | *alex* | *iris* | *quadrotor* | *hextilt* | *borinot* | *human.*) f=$f:free ;;
        esac
        list="$list $f"
    done
    "$python" "$own/pinocchio_judge.py" "$build" "$source" "$states" $list || status=1
    "$python" "$own/sdf_judge.py" "$build" "$source" "$states" "$own/rover.sdf" $(find "$robots" -name '*.sdf' 2>/dev/null | sort) || status=1
fi
if ! "$python" -c 'import mujoco' 2>/dev/null; then
    echo "skipped: the package mujoco is not installed for $python"
else
    wheel=$("$python" -c 'import mujoco, os; print(os.path.dirname(mujoco.__file__))')
    # shellcheck disable=SC2086
    "$python" "$own/mujoco_judge.py" "$build" "$source" "$states" "$own/parts.xml" $(find "$wheel" ${ROBOTS-} -name '*.xml' | sort) || status=1
fi
exit $status
