/* SPDX-License-Identifier: GPL-3.0-or-later
 * The program mbs: one subcommand a file, each `int cmd_NAME(int argc, char **argv)` with argv[0] its name.
 * Exit codes: 0 ok, 1 the model or the run failed, 2 usage. */
#ifndef DRIVER_H
#define DRIVER_H

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_DOUBTFUL = 3 };

struct command {
    const char *name;
    const char *summary;        /* one line for `mbs --help` */
    int (*run)(int argc, char **argv);
    const struct manual *manual;
};

#endif
