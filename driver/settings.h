/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The options of the commands.  One table (settings.def) says every option once: its name, its argument, its
 * help, and the commands that take it; the parser, `--help`, the shell completions and the manual follow it. */
#ifndef DRIVER_SETTINGS_H
#define DRIVER_SETTINGS_H
#include <stdbool.h>
#include <stdio.h>

#include "base/compilation.h"

/* A bit a command. */
enum {
#define COMMAND(name, NAME, summary) COMMAND_##NAME,
#include "commands.def"
#undef COMMAND
    COMMANDS
};
enum {
#define COMMAND(name, NAME, summary) FOR_##NAME = 1 << COMMAND_##NAME,
#include "commands.def"
#undef COMMAND
    FOR_ALL = (1 << COMMANDS) - 1,
    FOR_MODEL = FOR_RUN | FOR_REPORT | FOR_INFO | FOR_MODES | FOR_EQUILIBRIUM | FOR_WATCH | FOR_LINEARIZE | FOR_SWEEP | FOR_FIT | FOR_OPTIMIZE | FOR_FMU | FOR_VIDEO | FOR_PLAY,
    FOR_SIMULATION = FOR_RUN | FOR_REPORT | FOR_WATCH | FOR_VIDEO | FOR_PLAY | FOR_SWEEP | FOR_FIT | FOR_OPTIMIZE
};

struct list {
    const char **at;
    int n;
};

struct settings {
    struct list files;                          /* arguments that are no options */
    char *found;                                /* files.at[0] with its ending, where the user left it out */
    struct list define, include, set, with, input, event, at, vary, measure, free, prior, deviation, gradient, subject, path;
    double from, to, rtol, atol, step, every, rho, alpha;      /* NaN: not given */
    double width, height, time_limit, tol, fps, speed, scale, symbols;
    bool handles;               /* no option: the model gets handles to pull at */
    bool among_others;          /* no option: one of several processes that mpirun has started */
    long max_steps, samples, count, states, seed, cases, jobs, batch, starts, most, port;       /* -1: not given */
    const char *solver, *formulation, *way, *optimize, *output, *terminal, *title, *x, *along, *bode, *list, *sampling, *shard, *params, *write_params, *fmi, *targets, *sensitivity, *minimize, *maximize, *page;
    bool all, assemblies, json, latex, quiet, phase, points, check, help, logx, logy, at_equilibrium, no_witness, once, force, energies, quick, urdf, mjcf;
    bool motion_steps;
    bool interpret, octave, smooth;
    bool casadi, steady, descriptor, merge, directions, reactions, dark, live, no_traces;
    bool no_snap, no_limits, contacts, free_base, poses;        /* of imports */
};

/* What `--help` says besides the options. */
struct manual {
    const char *name, *arguments;
    unsigned command;           /* one of FOR_... */
    const char *summary;        /* a paragraph or more */
    const char *examples;       /* lines "command  # what it does" */
    int least, most;            /* number of arguments; most -1: any */
};

/* False: the command ends with *status (help was shown, or the usage was wrong and explained). */
bool settings_parse(struct settings *, const struct manual *, int argc, char **argv, int *status);
void settings_free(struct settings *);
/* What the front end of the compiler is told: -D, -I, --reactions. */
struct front_options settings_front(const struct settings *);
/* The command line that these settings came from, or, with those of its options that another command takes, a command line of that one; words are quoted
 * where a shell asks for it.  What says only how and where to write is left out.  To be freed; NULL: out of memory. */
char *settings_command(const struct settings *, const struct manual *, unsigned command, const char *name);
/* A word of a command line, quoted where a shell asks for it. */
void shell_word(FILE *, const char *);
/* All options of a command, one a line: "--to TIME<tab>help". */
void settings_list(FILE *, unsigned command);

/* Messages on standard error: "mbs run: ..." */
void complain(const struct manual *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A number written out in full, false if it is none. */
bool number_read(const char *text, double *value);
#endif
