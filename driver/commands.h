/* SPDX-License-Identifier: GPL-3.0-or-later
 * The commands (commands.def), with what `--help` says of each. */
#ifndef DRIVER_COMMANDS_H
#define DRIVER_COMMANDS_H
#include "driver.h"
#include "settings.h"

#define COMMAND(name, NAME, summary)        \
    extern const struct manual manual_##name; \
    int cmd_##name(int argc, char **argv);
#include "commands.def"
#undef COMMAND
#endif
