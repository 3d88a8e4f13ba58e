/* SPDX-License-Identifier: GPL-3.0-or-later
 * The commands whose options are in settings.def, with what `--help` says. */
#ifndef DRIVER_COMMANDS_H
#define DRIVER_COMMANDS_H
#include "driver.h"
#include "settings.h"

extern const struct manual manual_run, manual_report, manual_plot, manual_info, manual_modes, manual_equilibrium, manual_new, manual_fmt,
    manual_watch, manual_import, manual_compare, manual_bench;

int cmd_run(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_plot(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_modes(int argc, char **argv);
int cmd_equilibrium(int argc, char **argv);
int cmd_new(int argc, char **argv);
int cmd_import(int argc, char **argv);
int cmd_fmt(int argc, char **argv);
int cmd_watch(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_bench(int argc, char **argv);
#endif
