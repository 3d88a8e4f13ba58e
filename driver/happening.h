/* SPDX-License-Identifier: GPL-3.0-or-later
 * What happens during a run: the events of the model, counted, told and logged. */
#ifndef DRIVER_HAPPENING_H
#define DRIVER_HAPPENING_H
#include "base/out.h"
#include "session.h"

/* A value that an event has changed; "impulse" is that of an impact. */
struct changed {
    const char *name, *prime;
    double before, after;
};
/* What has happened, and all that it has changed: change[first .. first+n-1]. */
struct happened {
    double t, impulse;
    int event, contact;         /* as in struct mbs_happening */
    const char *what;
    double at[3];               /* the place of a contact; NaN: it has none */
    long first, n;
};
struct happenings {
    struct session *s;
    long *count;                /* event by event */
    double *params;             /* before the event at hand */
    double *xyz;                /* of all points, if a place is asked for */
    struct out out;             /* the log; out.f NULL: none */
    bool keep;                  /* all of it in memory: */
    struct happened *list;
    struct changed *change;
    long n, cap, changes, changes_cap;
};
/* output: the file of the results, whose log stands beside it as NAME.events.csv; NULL or "-": no log.  An HDF5 file gets it as a group of its own
 * (happenings_hdf5), for which, as for JSON, it is kept. */
bool happenings_open(struct happenings *, struct session *, const char *output, bool keep);
/* False: it could not be logged. */
bool happenings_note(struct happenings *, const struct mbs_happening *);
bool happenings_close(struct happenings *);
void happenings_fini(struct happenings *);
void happenings_print(FILE *, const struct happenings *);
/* The log as the group "events" of the file of results, if that is HDF5: t, event, name, before, after.  False: it could not be written. */
struct sink;
bool happenings_hdf5(const struct happenings *, struct sink *);
void happenings_json(FILE *, const struct happenings *);
/* NAME of an event, or of a contact and what happened there. */
void happened_text(const struct mbs_model *, const struct happened *, char *text, size_t size);
#endif
