/* SPDX-License-Identifier: GPL-3.0-or-later
 * The one way in which a file is written: under another name in the same directory, renamed when all is there, so that a
 * reader sees the old file or the new one, whole.  It keeps the mode of a file that it replaces and follows symbolic
 * links.  "-" is standard output; what is no regular file (a device, a pipe) is written directly.  What a killed
 * program left behind, NAME.mbs-XXXXXX, the next one that writes NAME removes. */
#ifndef BASE_OUT_H
#define BASE_OUT_H
#include <stdbool.h>
#include <stdio.h>

struct out {
    FILE *f;
    char *path;                 /* what is replaced, or "standard output" */
    char *temp;                 /* NULL: written directly */
    bool standard;
    char why[512];              /* after a failure: one sentence */
};

bool out_open(struct out *, const char *path);
/* Whether all writes so far went through; out->why says what did not. */
bool out_good(struct out *);
/* Ends the file in good order; on failure nothing is left behind and what was there before is still there. */
bool out_close(struct out *);
/* Leaves nothing behind. */
void out_discard(struct out *);
/* All of it: a file from a text that is ready; false: nothing is left behind, out->why says what went wrong. */
bool out_text(struct out *, const char *path, const char *text, size_t size);

/* A stream in memory: as open_memstream, which does not tell when it has lost something for want of memory.  *text is to
 * be freed, whatever stream_close says. */
FILE *stream_open(char **text, size_t *length);
bool stream_close(FILE *);              /* false: not all is there */

/* The end of a program: 1 instead of 0, with a message, if its standard output could not be written. */
int out_finish(const char *program, int status);
#endif
