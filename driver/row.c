/* SPDX-License-Identifier: GPL-3.0-or-later
 * Progress on a terminal, and what a run came to. */
#include "config.h"
#include "row.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
double cpu_seconds(void) { return seconds(CLOCK_PROCESS_CPUTIME_ID); }
double wall_seconds(void) { return seconds(CLOCK_MONOTONIC); }

const char *seconds_text(double s, char text[32])
{
    if (s < 1e-3)
        snprintf(text, 32, s < 9.995e-5 ? "%.3g µs" : "%.0f µs", s * 1e6);
    else if (s < 1)
        snprintf(text, 32, "%.3g ms", s * 1e3);
    else if (s < 100)
        snprintf(text, 32, "%.3g s", s);
    else
        snprintf(text, 32, "%d min %02d s", (int)(s / 60), (int)fmod(s, 60));
    return text;
}

/* Whether the terminal shows UTF-8, by the environment as setlocale() would read it. */
static bool is_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *s = getenv(names[i]);
        if (s && *s)
            return strstr(s, "UTF-8") || strstr(s, "utf8") || strstr(s, "UTF8") || strstr(s, "utf-8");
    }
    return false;
}

void progress_begin(struct progress *p, double from, double to, bool quiet)
{
    *p = (struct progress){.on = !quiet && isatty(STDERR_FILENO), .from = from, .to = to, .began = wall_seconds(), .utf8 = is_utf8()};
    p->shown = p->began;
}

void progress_step(struct progress *p, double t, const struct mbs_statistics *stat)
{
    enum { BAR = 24 };
    double now, part = (t - p->from) / (p->to - p->from);
    if (!p->on || (now = wall_seconds()) - p->shown < 0.1)
        return;
    char bar[3 * BAR + 1], left[32] = "", *at = bar;
    for (int i = 0; i < BAR; i++)
        at = stpcpy(at, i + 0.5 < part * BAR ? (p->utf8 ? "█" : "#") : p->utf8 ? "·" : ".");
    if (part > 0.005)
        seconds_text((now - p->began) * (1 - part) / part, left);
    fprintf(stderr, "\r%3.0f%% %s t = %-10.5g %ld steps, h = %-8.2g %s%s\x1b[K", 100 * part, bar, t, stat->accepted, stat->h_last, left, *left ? " left" : "");
    fflush(stderr);
    p->shown = now;
    p->drawn = true;
}

void progress_end(struct progress *p)
{
    if (p->drawn)
        fputs("\r\x1b[K", stderr);
    p->drawn = false;
}

void outcome_row(struct outcome *o, struct session *s, const struct mbs_state *x, const double energy[2], double position, double velocity)
{
    (void)s, (void)x;
    double e = energy[0] + energy[1];
    if (!o->started)
        o->energy_first = e;
    o->started = true;
    o->energy_last = e;
    o->energy_drift = fmax(o->energy_drift, fabs(e - o->energy_first));
    o->position = fmax(o->position, position);
    o->velocity = fmax(o->velocity, velocity);
}
