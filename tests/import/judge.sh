#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Real robots against other engines: make judge-import [STATES=100] [ROBOTS=DIR].  Python with the packages pin, example-robot-data and mujoco
# is looked for as $PYTHON (python3); what is absent is skipped by name.  ROBOTS: further directories with MJCF models.  What the judges print is in
# results/import.log, the tables made of it in results/import.md, which `make results` puts into doc/results.md.
build=$1 source=$2 states=${STATES-100} python=${PYTHON-python3} own=$2/tests/import
log=${RESULTS:-$build/results}/import.log
mkdir -p "$(dirname "$log")" || exit 1
robots=$("$python" -c 'import pinocchio, os; print(os.path.join(pinocchio.__file__.rsplit("/lib/python", 1)[0], "share/example-robot-data/robots"))' 2>/dev/null)
floats() {      # legged and flying ones
    case $1 in
    *anymal* | */a1.* | */b1* | *bolt* | *go1* | *go2* | *hyq* | *laikago* | *solo* | *talos_full* | *talos_red* | *icub* | *romeo* | *g1_* | *humanoid* | \
        *quadru* | *centauro* | *alex* | *iris* | *quadrotor* | *hextilt* | *borinot* | *human.*) echo "$1:free" ;;
    *) echo "$1" ;;
    esac
}
pinocchio() {
    if [ -z "$robots" ]; then
        echo "skipped: the package pin (Pinocchio) is not installed for $python"
        return
    fi
    [ -d "$robots" ] || echo "skipped: the package example-robot-data is not installed"
    list=$own/arm.urdf
    for f in $(find "$robots" -name '*.urdf' 2>/dev/null | sort); do
        ! grep -q '<link' "$f" || list="$list $(floats "$f")"
    done
    # shellcheck disable=SC2086
    "$python" "$own/pinocchio_judge.py" "$build" "$source" "$states" $list
    # shellcheck disable=SC2046
    "$python" "$own/sdf_judge.py" "$build" "$source" "$states" "$own/rover.sdf" "$own/yard.sdf" $(find "$robots" -name '*.sdf' 2>/dev/null | sort)
    "$python" "$own/sdfast_judge.py" "$build" "$source" "$states" "$own/press.sd"
}
mujoco() {
    wheel=$("$python" -c 'import mujoco, os; print(os.path.dirname(mujoco.__file__))' 2>/dev/null)
    if [ -z "$wheel" ]; then
        echo "skipped: the package mujoco is not installed for $python"
        return
    fi
    # hundreds of files: a fast compiler, if there is one; shellcheck disable=SC2046,SC2086
    CC=${CC-$(command -v tcc || echo gcc)} "$python" "$own/mujoco_judge.py" "$build" "$source" "$states" ${ROBOTS-} "$own/parts.xml" "$own/arms.xml" "$own/wheel.xml" $(find "$wheel" ${ROBOTS-} -name '*.xml' | sort)
}
{ pinocchio; mujoco; } 2>&1 | tee "$log"
"$python" "$own/table.py" "$states" "$log" >"${log%.log}.md" && echo "written: ${log%.log}.md"
! grep -q '^FAIL\|^Traceback' "$log"
