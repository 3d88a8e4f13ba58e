/* SPDX-License-Identifier: GPL-3.0-or-later
 * Signals.  A handler has no argument for its data, so this file has the only state of the program that
 * belongs to nobody: a flag and the names of unfinished files. */
#include "config.h"
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/time.h>
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
    static const char limit[] = "mbs: the time limit is over\n";
    if (signal == SIGALRM && write(STDERR_FILENO, limit, sizeof limit - 1) < 0)
        _exit(1);
    _exit(signal == SIGALRM ? 1 : 128 + signal);
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

/* The second comes a second later, if nobody has looked at the flag. */
void interrupt_limit(double seconds)
{
    if (!(seconds > 0))
        return;
    struct sigaction a;
    memset(&a, 0, sizeof a);
    a.sa_handler = handle;
    sigemptyset(&a.sa_mask);
    sigaction(SIGALRM, &a, NULL);
    long whole = seconds < 1e9 ? (long)seconds : 1000000000;
    struct itimerval t = {.it_value = {whole, (long)((seconds - (double)whole) * 1e6)}, .it_interval = {1, 0}};
    if (seconds >= 1e9)
        t.it_value.tv_usec = 0;
    setitimer(ITIMER_REAL, &t, NULL);
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
