/* SPDX-License-Identifier: GPL-3.0-or-later
 * Ctrl-C, SIGTERM, SIGHUP: the first asks the command to end in good order, the second ends it at once, after
 * removing the files that are not finished. */
#ifndef DRIVER_INTERRUPT_H
#define DRIVER_INTERRUPT_H
#include <stdbool.h>

void interrupt_watch(void);
/* Non-zero after a signal; the address serves as cancel flag of mbs_run. */
const volatile int *interrupt_flag(void);
/* A file to remove if the program is ended; false if there are too many (then it just stays). */
bool interrupt_cover(const char *path);
void interrupt_uncover(const char *path);
#endif
