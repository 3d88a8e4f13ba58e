/* SPDX-License-Identifier: GPL-3.0-or-later
 * Free parameters and their bounds. */
#include "config.h"
#include "driver.h"
#include "interrupt.h"
#include "study/free.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* NAME[=LOW..HIGH] */
bool free_read(const struct session *s, struct freedom **list, int *n)
{
    const struct settings *set = s->settings;
    const struct mbs_model *m = s->model;
    *n = 0;
    if (!(*list = calloc((size_t)set->free.n + 1, sizeof **list)))
        return complain(s->manual, "out of memory"), false;
    for (; *n < set->free.n; ++*n) {
        const char *text = set->free.at[*n], *eq = strchr(text, '='), *dots = eq ? strstr(eq, "..") : NULL;
        struct freedom *x = &(*list)[*n];
        char low[64];
        x->param = session_find(s->manual, "parameter", text, eq ? (size_t)(eq - text) : strlen(text), m->param, m->np);
        x->low = -INFINITY, x->high = INFINITY, x->prior = x->prior_deviation = NAN;
        if (x->param < 0)
            return false;
        snprintf(low, sizeof low, "%.*s", dots ? (int)(dots - eq - 1) : 0, eq ? eq + 1 : "");
        if (eq && (!dots || (*low && !number_read(low, &x->low)) || (dots[2] && !number_read(dots + 2, &x->high)) || !(x->low < x->high))) {
            complain(s->manual, "--free %s: bounds are written NAME=LOW..HIGH, one of them may be left out", text);
            return false;
        }
        double now = s->params[x->param];
        if (now < x->low || now > x->high) {
            complain(s->manual, "%s starts at %g, outside %g..%g: --set gives another start", m->param[x->param].name, now, x->low, x->high);
            return false;
        }
    }
    return *n > 0 || (complain(s->manual, "what is to be found? --free NAME, or --free NAME=LOW..HIGH"), false);
}

static bool is_bounded(const struct freedom *x) { return isfinite(x->low) && isfinite(x->high); }
/* One bound alone: p = low + |p0 - low| exp(x) would never reach it; a root does, p = low - 1 + sqrt(x^2 + 1). */
double free_value(const struct freedom *x, double v)
{
    if (is_bounded(x))
        return x->low + (x->high - x->low) * (1 + sin(v)) / 2;
    if (isfinite(x->low))
        return x->low - 1 + sqrt(v * v + 1);
    if (isfinite(x->high))
        return x->high + 1 - sqrt(v * v + 1);
    return v;
}

double free_slope(const struct freedom *x, double v)
{
    if (is_bounded(x))
        return (x->high - x->low) * cos(v) / 2;
    if (isfinite(x->low))
        return v / sqrt(v * v + 1);
    return isfinite(x->high) ? -v / sqrt(v * v + 1) : 1;
}

double free_place(const struct freedom *x, double p)
{
    /* at a bound itself the slope is zero and nothing would move */
    if (is_bounded(x))
        return asin(fmin(0.98, fmax(-0.98, 2 * (p - x->low) / (x->high - x->low) - 1)));
    if (isfinite(x->low) || isfinite(x->high)) {
        double d = isfinite(x->low) ? p - x->low + 1 : x->high - p + 1;
        return sqrt(fmax(d * d - 1, 1e-4));
    }
    return p;
}

/* "l,m[2]" from --free l=1..2 --free m[2]: what the compiler shall derive by; to be freed. */
static char *free_names(const struct settings *set)
{
    size_t length = 1;
    for (int i = 0; i < set->free.n; i++)
        length += strlen(set->free.at[i]) + 1;
    char *names = calloc(length, 1), *at = names;
    for (int i = 0; i < set->free.n && names; i++)
        at += sprintf(at, "%s%.*s", i ? "," : "", (int)strcspn(set->free.at[i], "="), set->free.at[i]);
    return names;
}

int free_command(int argc, char **argv, const struct manual *manual, const char *ask, int (*run)(struct session *))
{
    struct settings set;
    struct session s;
    int status;
    if (!settings_parse(&set, manual, argc, argv, &status))
        return status;
    interrupt_watch();
    char *names = free_names(&set);
    set.sensitivity = names && *names ? names : NULL;
    status = EXIT_FAILED;
    if (!set.free.n) {
        complain(manual, "%s", ask);
        status = EXIT_USAGE;
    } else if (session_open(&s, &set, manual)) {
        status = run(&s);
        session_close(&s);
    }
    free(names);
    settings_free(&set);
    return status;
}
