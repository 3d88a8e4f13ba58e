/* SPDX-License-Identifier: GPL-3.0-or-later
 * JSON values. */
#ifndef DRIVER_JSON_H
#define DRIVER_JSON_H
#include <stdio.h>

/* Text as a JSON string with its quotes; bytes that are not UTF-8 become U+FFFD, < becomes \u003c so that
 * the text may stand inside an HTML script. */
void json_string(FILE *, const char *text);
void json_string_or_null(FILE *, const char *text);      /* NULL: null */
/* A number, null if not finite. */
void json_number(FILE *, double);
#endif
