/* SPDX-License-Identifier: GPL-3.0-or-later
 * Ctrl-C, SIGTERM, SIGHUP end the program at once, after removing the files that are not finished; but while they are
 * held, by who looks at the flag, the first only sets it and the second does so. */
#ifndef DRIVER_INTERRUPT_H
#define DRIVER_INTERRUPT_H
#include <stdbool.h>

void interrupt_watch(void);
void interrupt_hold(void);
void interrupt_release(void);
/* Non-zero after a signal; the address serves as cancel flag of mbs_run. */
const volatile int *interrupt_flag(void);
/* A signal of our own after so many seconds (NaN: none), as if the user had sent it. */
void interrupt_limit(double seconds);
/* A file to remove if the program is ended; false if there are too many (then it just stays). */
bool interrupt_cover(const char *path);
void interrupt_uncover(const char *path);
#endif
