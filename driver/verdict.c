/* SPDX-License-Identifier: GPL-3.0-or-later
 * The end of a comparison: times, notes, the table, the exit status. */
#include "config.h"
#include "compare.h"
#include "driver.h"
#include "base/out.h"
#include "json.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double time_call(void (*call)(void *), void *user)
{
    long n = 16;
    double best = HUGE_VAL;
    for (int run = 0; run < 7; run++) {
        double start = now();
        for (long i = 0; i < n; i++)
            call(user);
        double spent = now() - start;
        if (spent < 4e-3 && n < 1L << 30) {     /* too short to be measured */
            n *= 2;
            run = -1;
            continue;
        }
        best = fmin(best, 1e9 * spent / (double)n);
    }
    return best;
}

void verdict_note(struct verdict *v, const char *fmt, ...)
{
    va_list ap;
    char line[1024];
    if (v->notes.n == (int)(sizeof v->notes.at / sizeof *v->notes.at))
        return;
    va_start(ap, fmt);
    vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    char *copy = strdup(line);
    if (copy)
        v->notes.at[v->notes.n++] = copy;
}

static void give_json(const struct verdict *v, const struct tally *t, const struct compare_options *o, bool good)
{
    printf("{\n  \"model\": ");
    json_string(stdout, v->model);
    if (v->other) {
        printf(",\n  \"other\": ");
        json_string(stdout, v->other);
    }
    printf(",\n  \"states\": %ld,\n  \"on_constraints\": %ld,\n  \"seed\": %llu,\n  \"tolerance\": %.17g,\n  \"good\": %s",
           v->states, v->on, (unsigned long long)o->seed, t->tolerance, good ? "true" : "false");
    if (v->ns_a > 0 && v->ns_b > 0)
        printf(",\n  \"ns_%s\": %.4g,\n  \"ns_%s\": %.4g,\n  \"ratio\": %.4g", t->a, v->ns_a, t->b, v->ns_b, v->ns_a / v->ns_b);
    printf(",\n  \"notes\": [");
    for (int i = 0; i < v->notes.n; i++) {
        printf("%s", i ? ", " : "");
        json_string(stdout, v->notes.at[i]);
    }
    printf("],\n  \"quantities\": ");
    tally_json(t, stdout);
    printf("\n}\n");
}

int verdict_give(struct verdict *v, struct tally *t, const struct compare_options *o)
{
    bool good = tally_finish(t);
    if (o->json) {
        give_json(v, t, o, good);
    } else if (!o->quiet || !good) {
        printf("%s", v->model);
        if (v->other)
            printf(" against %s", v->other);
        printf(": %ld states, %ld of them on the constraints; parameters: %s\n", v->states, v->on, v->params);
        for (int i = 0; i < v->notes.n; i++)
            printf("note: %s\n", v->notes.at[i]);
        tally_print(t, stdout);
        if (v->ns_a > 0 && v->ns_b > 0)
            printf("time per state (%s): %s %.0f ns, %s %.0f ns, ratio %.2f\n", v->timed, t->a, v->ns_a, t->b, v->ns_b,
                   v->ns_a / v->ns_b);
        if (good)
            printf("all within %g of scale\n", t->tolerance);
        else
            printf("NOT all within the tolerance\n");
    }
    for (int i = 0; i < v->notes.n; i++)
        free(v->notes.at[i]);
    v->notes.n = 0;
    return fflush(stdout) == 0 && good ? EXIT_OK : EXIT_FAILED;
}
