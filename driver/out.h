/* SPDX-License-Identifier: GPL-3.0-or-later
 * Output files that are never seen half written: a temporary name in the same directory, renamed when
 * all is on disk.  "-" is standard output; what is no regular file (a device, a pipe) is written directly. */
#ifndef DRIVER_OUT_H
#define DRIVER_OUT_H
#include <stdbool.h>
#include <stdio.h>

struct out {
    FILE *f;
    char *path;                 /* as given, or "standard output" */
    char *temp;                 /* NULL: written directly */
    bool standard;
    char why[512];              /* after a failure: one sentence */
};

bool out_open(struct out *, const char *path);
/* Whether all writes so far went through; out->why says what did not. */
bool out_good(struct out *);
/* Ends the file in good order; on failure nothing is left behind. */
bool out_close(struct out *);
/* Leaves nothing behind. */
void out_discard(struct out *);

/* Text as a JSON string with its quotes; bytes that are not UTF-8 become U+FFFD, < becomes \u003c so that
 * the text may stand inside an HTML script. */
void json_string(FILE *, const char *text);
/* A number, null if not finite. */
void json_number(FILE *, double);
#endif
