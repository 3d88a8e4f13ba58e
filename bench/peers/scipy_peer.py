# SPDX-License-Identifier: GPL-3.0-or-later
"""SciPy's solve_ivp on the index-1 form, the right-hand side and its Jacobian in C (problem.c) through ctypes:

    scipy_peer.py MODEL.so START REFERENCE METHOD TOLERANCE...

METHOD is DOP853, RK45, Radau, BDF or LSODA.  A line "tolerance,scd,ms,steps,f,jac,remark" for each tolerance; ms is the least
processor time of several runs.  A run that takes longer than LIMIT seconds is ended."""
import ctypes
import os
import sys
import numpy as np
from scipy.integrate import solve_ivp

LIMIT = float(os.environ.get("LIMIT", "10"))
RUNS = int(os.environ.get("RUNS", "20"))
c_double, c_char = ctypes.c_double, ctypes.c_char_p


class Problem(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int) for name in ("n", "m", "index", "order", "full")] + [("end", c_double)]


class TooLong(Exception):
    pass


def main():
    lib = ctypes.CDLL(os.path.abspath(sys.argv[1]))
    lib.problem_open.argtypes = [c_char] * 3
    lib.problem_scd.restype = lib.problem_cpu_seconds.restype = c_double
    lib.problem_count_f.restype = lib.problem_count_jacobian.restype = ctypes.c_long
    lib.problem_ode.argtypes = lib.problem_ode_jacobian.argtypes = [c_double, ctypes.c_void_p, ctypes.c_void_p]
    lib.problem_scd.argtypes = [ctypes.c_void_p] * 3
    lib.problem_ode_start.argtypes = [ctypes.c_void_p]
    method = sys.argv[4]
    if not lib.problem_open(sys.argv[2].encode(), sys.argv[3].encode(), b"index1"):
        sys.exit("scipy_peer.py: cannot open the problem")
    problem = Problem.in_dll(lib, "problem")
    n, end = problem.n, problem.end
    clock = lib.problem_cpu_seconds
    ode, ode_jacobian = lib.problem_ode, lib.problem_ode_jacobian
    start = np.empty(2 * n)
    lib.problem_ode_start(start.ctypes.data)

    # y.ctypes.data builds an object on each access; __array_interface__ is the quicker way to the address
    def f(t, y):
        out = np.empty(2 * n)
        ode(t, y.__array_interface__["data"][0], out.__array_interface__["data"][0])
        return out

    def jacobian(t, y):
        if clock() - begin > LIMIT:
            raise TooLong
        out = np.empty((2 * n, 2 * n), order="F")
        ode_jacobian(t, y.__array_interface__["data"][0], out.__array_interface__["data"][0])
        return out

    options = {"jac": jacobian} if method in ("Radau", "BDF", "LSODA") else {}
    slow = False
    for text in sys.argv[5:]:
        tolerance = float(text)
        if slow:
            print("%s,,,,,,stopped: the coarser tolerance took more than %g s" % (text, LIMIT / 3), flush=True)
            continue
        least, spent, runs, failure = np.inf, 0.0, 0, ""
        while runs < 1 or (spent < 0.2 and runs < RUNS):
            lib.problem_count_reset()
            begin = clock()
            try:
                s = solve_ivp(f, (0, end), start, method=method, rtol=tolerance, atol=tolerance, **options)
                failure = "" if s.success else "failed: " + s.message
            except TooLong:
                failure = "stopped after %g s" % LIMIT
            took = clock() - begin
            least, spent, runs = min(least, took), spent + took, runs + 1
            if failure:
                break
        slow = least > LIMIT / 3
        count, count_jacobian = lib.problem_count_f(), lib.problem_count_jacobian()
        if failure:
            print("%s,,,,%d,%d,%s" % (text, count, count_jacobian, failure.replace(",", ";")), flush=True)
            continue
        y = np.ascontiguousarray(s.y[:, -1])
        scd = lib.problem_scd(y.ctypes.data, y.ctypes.data + 8 * n, None)
        print("%s,%.3f,%.4f,%d,%d,%d," % (text, scd, 1e3 * least, len(s.t) - 1, count, count_jacobian), flush=True)


main()
