/* SPDX-License-Identifier: GPL-3.0-or-later
 * What happens during a run: the events of the model, counted, told and logged. */
#ifndef DRIVER_HAPPENING_H
#define DRIVER_HAPPENING_H
#include "base/out.h"
#include "session.h"

struct happenings {
    struct session *s;
    long *count;                /* event by event */
    double *params;             /* before the event at hand */
    struct out out;             /* the log; out.f NULL: none */
};
/* output: the file of the results, whose log stands beside it as NAME.events.csv; NULL or "-": no log. */
bool happenings_open(struct happenings *, struct session *, const char *output);
/* False: it could not be logged. */
bool happenings_note(struct happenings *, const struct mbs_happening *);
bool happenings_close(struct happenings *);
void happenings_fini(struct happenings *);
void happenings_print(FILE *, const struct happenings *);
void happenings_json(FILE *, const struct happenings *);
#endif
