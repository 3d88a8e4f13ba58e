/* SPDX-License-Identifier: GPL-3.0-or-later
 * What `mbs report`, `mbs watch` and `mbs video` share. */
#ifndef DRIVER_REPORT_H
#define DRIVER_REPORT_H
#include "result.h"
#include "session.h"

/* Runs and writes the page; messages on standard error.  stamp: see struct result. */
bool report_write(struct session *, const char *path, const char *stamp);
/* The same in a process of its own: one that has loaded a model may start no program afterwards (doc/security.md). */
bool report_apart(const struct settings *, const struct manual *, const char *page, const char *stamp);
/* The same, the page written by the caller's function; `name` is what messages call it. */
bool report_page(struct session *, const char *stamp, const char *name, bool (*write)(void *user, const struct result *), void *user);
/* A row of the result from a state and its outputs. */
void report_row(struct session *, const struct result *, const struct mbs_state *, const double *y, double *row);
/* -o, or the model's name with this ending; to be freed.  NULL without memory, which is said. */
char *output_name(const struct settings *, const struct manual *, const char *ending);
#endif
