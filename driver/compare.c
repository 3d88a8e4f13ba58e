/* SPDX-License-Identifier: GPL-3.0-or-later
 * `mbs compare`: the command line. */
#include "config.h"
#include "commands.h"
#include "compare.h"
#include "contain.h"
#include "session.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const struct manual manual_compare = {
    "compare", "MODEL.mbs [HAND.c | HAND.f90 | OTHER.mbs | CODE.so] [options]", FOR_COMPARE,
    "Checks generated code at many random states, on the constraints and off them: against hand-written code (any of the\n"
    "functions described in models/hand/README.md), against another model with the same coordinates, or, given alone,\n"
    "against differences of the model's energies and constraints in 128-bit arithmetic. With CODE.so that check is of this\n"
    "shared object: the model's code as mbsc wrote it with options of your own and your compiler built it.\n"
    "\n"
    "Prints for each quantity the largest difference, the same relative to the entry's scale (the largest magnitude that\n"
    "the entry or its terms take) and the worst entry by name; for hand-written code also the ratio of run times. Exit\n"
    "status 0: all within the tolerance; 1: not, or something failed; 2: wrong usage.",
    "  mbs compare models/squeezer.mbs models/hand/squeezer.c\n"
    "  mbs compare -D damped=true models/crank.mbs models/hand/crank.c --states 1000\n"
    "  mbs compare models/squeezer.mbs\n"
    "  mbsc --solver --fold-params squeezer.mbs && cc -O3 -shared -fPIC squeezer.c -o squeezer.so &&\n"
    "      mbs compare squeezer.mbs squeezer.so\n",
    1, 2};

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n > m && !strcmp(s + n - m, end);
}

static bool is_source(const char *path)
{
    static const char *const ends[] = {".c", ".f", ".for", ".f90", ".f95", ".f03", ".f08", ".F", ".F90"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends_with(path, ends[i]))
            return true;
    return false;
}

static int compare(const struct settings *set)
{
    struct build_options build;
    if (!session_building(&build, set, &manual_compare))
        return EXIT_USAGE;
    struct compare_options o = {
        .states = set->states > 0 ? set->states : 0, .tolerance = isnan(set->tol) ? 0 : set->tol,
        .seed = set->seed > 0 ? (uint64_t)set->seed : 1, .directions = set->directions, .json = set->json, .quiet = set->quiet,
    };
    const char *path = set->files.at[0], *other = set->files.n > 1 ? set->files.at[1] : NULL;
    const char *object = other && ends_with(other, ".so") ? other : NULL;
    struct subject a, b;
    int status = EXIT_FAILED;
    if (subject_load(&a, path, object, &build)) {
        if (!other || object) {
            contain(NULL, NULL, false);
            status = compare_self(&a, path, &o);
        } else if (is_source(other)) {
            status = compare_hand(&a, path, other, &o);
        } else {
            bool both = subject_load(&b, other, NULL, &build);
            contain(NULL, NULL, false);
            if (both)
                status = compare_models(&a, path, &b, other, &o);
            subject_unload(&b);
        }
    }
    subject_unload(&a);
    return status;
}

int cmd_compare(int argc, char **argv)
{
    struct settings set;
    int status = EXIT_OK;
    if (settings_parse(&set, &manual_compare, argc, argv, &status)) {
        if (!isnan(set.tol) && !(set.tol > 0)) {
            complain(&manual_compare, "--tol needs a positive number");
            status = EXIT_USAGE;
        } else if (set.files.n > 1 && !is_source(set.files.at[1]) && !ends_with(set.files.at[1], ".mbs") && !ends_with(set.files.at[1], ".so")) {
            complain(&manual_compare, "'%s' is neither C, Fortran, a shared object nor a model: its name ends in none of .c .f .f90 .so .mbs", set.files.at[1]);
            status = EXIT_USAGE;
        } else {
            status = compare(&set);
        }
    }
    settings_free(&set);
    return status;
}
