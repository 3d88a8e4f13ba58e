/* SPDX-License-Identifier: GPL-3.0-or-later
 * Signals.  A handler has no argument for its data, so this file has the only state of the program that
 * belongs to nobody: a flag and the names of unfinished files. */
#include "config.h"
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

enum { COVERED = 8 };
static volatile int flag;
static volatile sig_atomic_t held;
static char covered[COVERED][4096];
static volatile sig_atomic_t used[COVERED];

static void handle(int signal)
{
    if (held && !flag) {
        flag = signal;
        return;
    }
    for (int i = 0; i < COVERED; i++)
        if (used[i])
            unlink(covered[i]);
    _exit(128 + signal);
}

void interrupt_watch(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction a, old;
    memset(&a, 0, sizeof a);
    a.sa_handler = handle;
    sigemptyset(&a.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(signals[i], &a, NULL);
}

void interrupt_hold(void) { held++; }
void interrupt_release(void) { held--; }
const volatile int *interrupt_flag(void) { return &flag; }

bool interrupt_cover(const char *path)
{
    for (int i = 0; i < COVERED; i++)
        if (!used[i] && strlen(path) < sizeof covered[i]) {
            strcpy(covered[i], path);
            used[i] = 1;
            return true;
        }
    return false;
}

void interrupt_uncover(const char *path)
{
    for (int i = 0; i < COVERED; i++)
        if (used[i] && !strcmp(covered[i], path))
            used[i] = 0;
}
