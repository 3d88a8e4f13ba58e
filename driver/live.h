/* SPDX-License-Identifier: GPL-3.0-or-later
 * The model's programs in a report that runs by itself. */
#ifndef DRIVER_LIVE_H
#define DRIVER_LIVE_H
#include "result.h"
#include "session.h"

/* The text of the programs, to be freed; NULL, with a message: the page cannot run this model. */
char *live_text(struct session *);
/* "again": {...} of the data of a page whose columns are filled anew: which is which. */
void again_write(FILE *, const struct result *);
/* "live": {...} of the page's data. */
void live_write(FILE *, const struct result *);
#endif
