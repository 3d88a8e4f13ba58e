/* SPDX-License-Identifier: GPL-3.0-or-later
 * What happened during the run, for the page: [time, name, what, impulse, place or null, [[name, before, after], ...]] each. */
#include "config.h"
#include "happening.h"
#include "json.h"
#include "result.h"

#include <math.h>

enum { MOST = 3000, MOST_CHANGES = 12 };        /* more nobody reads, and the page stays small */

static void write_changes(FILE *f, const struct happenings *h, const struct happened *x)
{
    int written = 0;
    for (long k = 0; k < x->n && written < MOST_CHANGES; k++) {
        const struct changed *c = &h->change[x->first + k];
        if (x->impulse > 0 && k == x->n - 1)    /* the impulse has a place of its own */
            continue;
        fputs(written++ ? ",[" : "[", f);
        char name[512];
        snprintf(name, sizeof name, "%s%s", c->name, c->prime);
        json_string(f, name);
        fprintf(f, ",%.6g,%.6g]", c->before, c->after);
    }
}

void page_events(FILE *f, const struct result *r)
{
    const struct happenings *h = r->happenings;
    const struct mbs_model *m = r->model;
    fprintf(f, ",\n\"happened\":%ld,\n\"events\":[", h ? h->n : 0);
    for (long i = 0; h && i < h->n && i < MOST; i++) {
        const struct happened *x = &h->list[i];
        fprintf(f, i ? ",\n[%.12g," : "[%.12g,", x->t);
        json_string(f, x->what ? m->contact[x->contact].name : m->event[x->event].name);
        putc(',', f);
        json_string(f, x->what ? x->what : "");
        putc(',', f);
        json_number(f, x->impulse);
        if (isfinite(x->at[0] + x->at[1] + x->at[2]))
            fprintf(f, ",[%.6g,%.6g,%.6g],[", x->at[0], x->at[1], x->at[2]);
        else
            fputs(",null,[", f);
        write_changes(f, h, x);
        fputs("]]", f);
    }
    putc(']', f);
}
