/* SPDX-License-Identifier: GPL-3.0-or-later
 * `mbs bench`: hands over to the program mbs-bench, beside this one in a build tree, else where it is installed. */
#include "config.h"
#include "commands.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const struct manual manual_bench = {
    "bench",
    "testset|book|alpha|iftomm|impacts|piles|accuracy [-o DIR]",
    FOR_BENCH,
    "Recomputes what the literature publishes and lays both side by side: tables, pictures (SVG and PNG, by\n"
    "gnuplot), and every published number with ours and whether they agree. All that is needed is installed with mbs.\n\n"
    "  testset   Test Set for IVP Solvers: Andrews' squeezer (II.13) and the flexible slider crank (II.19)\n"
    "  book      Hairer & Wanner, Solving Ordinary Differential Equations II, section VII.7: the squeezer, nonstiff and stiff\n"
    "  alpha     Yen, Petzold & Raha, the DAE alpha-method: stiff pendulum, bushing, slider crank of beam elements\n"
    "  iftomm    IFToMM benchmark: planar slider-crank through singular positions, least CPU time for a given energy drift\n"
    "  impacts   impacts and friction: exact solutions, the woodpecker toy, a slider-crank with clearance, Siconos beside them\n"
    "  piles     random heaps of discs, boxes and spheres: overlaps, energy, rest, time of a step\n"
    "  accuracy  achieved against asked accuracy: all models by all methods, formulations and tolerances",
    "  mbs bench testset                # a few minutes; writes mbs-bench/testset.md and what belongs to it\n"
    "  mbs bench testset --quick        # a few tolerances, each run once\n",
    1,
    1};

int cmd_bench(int argc, char **argv)
{
    char beside[4200];
    ssize_t n = readlink("/proc/self/exe", beside, 4096);
    (void)argc;
    while (n > 0 && beside[n - 1] != '/')
        n--;
    if (n > 0) {
        strcpy(beside + n, "mbs-bench");
        execv(beside, argv);
    }
    execv(MBS_LIBEXEC "/mbs-bench", argv);
    complain(&manual_bench, "cannot start " MBS_LIBEXEC "/mbs-bench: %s", strerror(errno));
    return EXIT_FAILED;
}
