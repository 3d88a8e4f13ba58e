/* SPDX-License-Identifier: GPL-3.0-or-later
 * What `mbs report` and `mbs watch` share. */
#ifndef DRIVER_REPORT_H
#define DRIVER_REPORT_H
#include "session.h"

/* Runs and writes the page; messages on standard error.  stamp: see struct result. */
bool report_write(struct session *, const char *path, const char *stamp);
/* -o, or the model's name with .html; to be freed. */
char *report_name(const struct settings *);
/* The same with another ending. */
char *output_name(const struct settings *, const char *ending);
#endif
