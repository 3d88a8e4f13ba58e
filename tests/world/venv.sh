# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced: `need PACKAGE...` makes sure of Python packages in a virtual environment of the build directory, which all such tests
# share; $python is its interpreter.  Returns 1 if they cannot be had.  Only one test installs at a time.
venv=$top_builddir/venv
python=$venv/bin/python
need() {
    command -v python3 >/dev/null || return 1
    (
        if command -v flock >/dev/null; then flock 9; fi
        [ -x "$python" ] || python3 -m venv "$venv" >/dev/null 2>&1 || exit 1
        for package; do
            [ -e "$venv/have-$package" ] && continue
            timeout 300 "$venv/bin/pip" -q --disable-pip-version-check install "$package" >"$venv/pip.log" 2>&1 || exit 1
            touch "$venv/have-$package"
        done
    ) 9>"$top_builddir/venv.lock"
}
