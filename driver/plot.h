/* SPDX-License-Identifier: GPL-3.0-or-later
 * gnuplot at the end of a pipe. */
#ifndef DRIVER_PLOT_H
#define DRIVER_PLOT_H
#include "base/out.h"
#include "settings.h"

#include <sys/types.h>

struct gnuplot {
    FILE *f;                    /* its commands */
    pid_t pid;
    int picture;                /* its standard output, -1: a window */
    struct out out;             /* where the picture goes */
    int kind;                   /* terminal */
    int log;                    /* what it says on its standard error, -1: lost */
    void (*pipe)(int);          /* what SIGPIPE did before */
    int status;                 /* exit status if gnuplot_open fails */
};
/* Starts gnuplot for a terminal by -t and -o; width, height as given. */
bool gnuplot_open(struct gnuplot *, const struct settings *, const struct manual *);
/* A text as a string of gnuplot: whatever is not harmless is written as an octal escape, so that nothing in it can
 * end the string or start a command. */
void gnuplot_string(FILE *, const char *text);
/* Whether -t and -o ask for characters. */
bool gnuplot_is_text(const struct settings *);
/* Ends it without a picture. */
void gnuplot_discard(struct gnuplot *);
/* Waits for it and writes the picture. */
bool gnuplot_close(struct gnuplot *, const struct manual *);
#endif
