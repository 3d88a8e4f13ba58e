/* SPDX-License-Identifier: GPL-3.0-or-later
 * A model's text in one style; to be freed.  NULL: it has errors. */
#ifndef DRIVER_FMT_H
#define DRIVER_FMT_H
#include <stddef.h>

char *fmt_text(const char *path, const char *text, size_t length);
#endif
